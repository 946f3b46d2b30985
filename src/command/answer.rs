//! What is answered, as data: everything in it may be seen by who asked, and is visible and redacted already where it says so.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::approval::Approval;
use crate::card::{CardView, Redactor};
use crate::command::{Exported, Said, Turns};
use crate::gate::Digest;
use crate::hold::Hold;
use crate::id::{RequestId, Role, TenantId};
use crate::person::Identity;
use crate::record::Event;
use crate::time::Timestamp;

/// What is answered.
#[derive(Debug)]
pub enum Answer {
    /// What can be asked.
    Help,
    /// A sentence or two.
    Said(Said),
    /// Who somebody is.
    Whoami(Box<Person>),
    /// What people are asked about.
    Pending {
        /// Newest first.
        found: Vec<Found>,
        /// What is stopped.
        stops: Vec<Stop>,
        /// Where its pages lead.
        turns: Turns,
    },
    /// One request.
    Request {
        /// As who asked may see it.
        view: Box<CardView>,
        /// The channels in which its card stands, as their surfaces name them.
        channels: Vec<String>,
        /// Which page of it.
        page: usize,
    },
    /// Why a request was asked about.
    Why {
        /// The grounds.
        why: Box<Why>,
        /// Which page of them.
        page: usize,
    },
    /// The record.
    Audit {
        /// Whose.
        tenant: TenantId,
        /// Newest first.
        found: Vec<Found>,
        /// Until when was looked, where there may be older ones behind a page that is not full.
        further: Option<Timestamp>,
        /// Where its pages lead.
        turns: Turns,
    },
    /// The record as a file, to be sent to who asked and to nobody else.
    File(Box<Exported>),
    /// What runs without asking.
    Remembered {
        /// Newest first.
        kept: Vec<Kept>,
        /// Where its pages lead.
        turns: Turns,
    },
    /// What is stopped.
    Stops {
        /// Newest first.
        stops: Vec<Stop>,
        /// Which page of them.
        page: usize,
    },
    /// What ran unasked.
    Digest {
        /// Counted.
        digest: Digest,
        /// Which page of it.
        page: usize,
    },
}

/// A request in a list.
#[derive(Debug, Clone)]
pub struct Found {
    /// The request, as who asked may see it.
    pub view: CardView,
    /// Since when, and until when people may decide; none for one that nobody is asked about.
    pub times: Option<(Timestamp, Timestamp)>,
    /// Why it would not start, where it is stopped; visible already.
    pub stopped: Option<String>,
}

/// A stop in a list.
#[derive(Debug, Clone)]
pub struct Stop {
    /// The stop.
    pub hold: Hold,
    /// Who placed it; visible already.
    pub who: String,
    /// Why; visible already.
    pub reason: String,
}

/// What is remembered: which calls, for whom, by whom, until when.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The request whose yes was remembered.
    pub id: RequestId,
    /// The tool and the pattern; visible already.
    pub calls: String,
    /// For which agent.
    pub agent: String,
    /// By whom.
    pub names: Vec<String>,
    /// Until when.
    pub until: Timestamp,
}

/// Why a request was asked about.
#[derive(Debug, Clone)]
pub struct Why {
    /// The request, as who asked may see it.
    pub view: CardView,
    /// The policy's label and digest.
    pub policy: Option<(String, String)>,
    /// Who was asked: so many of a role, stage by stage.
    pub asks: Vec<Vec<(Role, u32)>>,
    /// What happened, in order.
    pub happened: Vec<Event>,
    /// Whether there is more of it.
    pub is_cut: bool,
    /// What the accounts in it are called.
    pub names: BTreeMap<Identity, String>,
    /// What hides secrets in it.
    pub redactor: Arc<Redactor>,
}

/// Somebody, as they are to Placet.
#[derive(Debug, Clone)]
pub struct Person {
    /// Visible already.
    pub name: String,
    /// Which account.
    pub account: String,
    /// Of which tenant.
    pub tenant: String,
    /// Their roles.
    pub roles: Vec<Role>,
    /// Whom they stand in for.
    pub stands_in_for: Vec<String>,
    /// Whether they may read the audit, and which roles may.
    pub audit: (bool, Vec<Role>),
    /// Whether they are a steward, and which roles are.
    pub steward: (bool, Vec<Role>),
}

impl Why {
    /// Who was asked about a request: so many of a role, stage by stage.
    pub(super) fn asks_of(approval: &Approval) -> Vec<Vec<(Role, u32)>> {
        let verdict = approval.verdict.as_deref();
        verdict.and_then(|verdict| verdict.terms.as_ref()).map_or_else(Vec::new, |terms| {
            let groups = |stage: &crate::policy::Stage| {
                stage.groups.iter().map(|group| (group.role.clone(), group.count)).collect()
            };
            terms.stages.iter().map(groups).collect()
        })
    }
}
