//! What can be asked of a request, and the facts an answer rests on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::approval::state::{Assurance, Decision, Outcome, Rendering};
use crate::approval::talk::Addressee;
use crate::call::{CallDigest, ShownDigest};
use crate::hold::Hold;
use crate::id::{ClaimId, CredentialId, DeliveryKey, RequestId, Role, SurfaceName};
use crate::notice::Lost;
use crate::person::{Electorate, Identity};
use crate::policy::{RuleHit, Verdict};
use crate::remembered::Remembered;
use crate::time::{Timestamp, Ttl};

/// Who does something.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum Actor {
    /// An agent, by its credential.
    Agent(CredentialId),
    /// An executor outside, by its credential.
    Executor(CredentialId),
    /// A credential that may manage.
    Manager(CredentialId),
    /// A person, through an account.
    Account(Identity),
    /// Placet itself: its worker, its policy, its own executor.
    Placet,
}

impl std::fmt::Display for Actor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Agent(id) => write!(f, "agent {id}"),
            Self::Executor(id) => write!(f, "executor {id}"),
            Self::Manager(id) => write!(f, "manager {id}"),
            Self::Account(identity) => identity.fmt(f),
            Self::Placet => f.write_str("placet"),
        }
    }
}

/// One account's yes or no, as it arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ballot {
    /// From whom.
    pub identity: Identity,
    /// Yes or no.
    pub decision: Decision,
    /// In their words.
    pub note: Option<String>,
    /// Where.
    pub surface: SurfaceName,
    /// How sure that is.
    pub assurance: Assurance,
    /// What they had been shown; a yes without it does not count.
    pub shown: Option<ShownDigest>,
    /// Whether they chose that calls which look alike run as well.
    #[serde(default)]
    pub remember: bool,
    /// The request on whose card it was given, where that is not the one it is for. Only [`Command::Follow`] carries such
    /// a ballot, and it is refused as a vote: nobody outside can say that they saw another card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_on: Option<RequestId>,
    /// By what it was given, where that lies about and can be taken away by itself, such as a reaction: the vote then goes
    /// with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign: Option<DeliveryKey>,
}

/// One person's yes that is to suffice, as it arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alone {
    /// From whom.
    pub identity: Identity,
    /// Why they do not wait for the others.
    pub reason: String,
    /// Where.
    pub surface: SurfaceName,
    /// How sure that is.
    pub assurance: Assurance,
    /// What they had been shown; without it, it does not count.
    pub shown: Option<ShownDigest>,
}

/// An executor's wish to run it.
#[derive(Clone, PartialEq, Eq)]
pub struct ClaimOrder {
    /// The claim's id, should it be given.
    pub id: ClaimId,
    /// The random key of this attempt, in full; only its hash is kept.
    pub key: String,
    /// Who.
    pub executor: Actor,
    /// The call that is about to run.
    pub digest: CallDigest,
    /// How long a heartbeat carries.
    pub lease: Ttl,
}

/// Without the key: whoever has it can report in the executor's name.
impl std::fmt::Debug for ClaimOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClaimOrder")
            .field("id", &self.id)
            .field("executor", &self.executor)
            .field("digest", &self.digest)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

/// An executor's report.
#[derive(Clone, PartialEq, Eq)]
pub struct Report {
    /// Of which claim.
    pub claim: ClaimId,
    /// The key of the attempt that won it.
    pub key: String,
    /// How it ended.
    pub outcome: Outcome,
}

/// Without the key, as above.
impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Report")
            .field("claim", &self.claim)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

/// Everything that can be asked of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Start asking the policy.
    Check,
    /// The policy lets it run unasked.
    Allow {
        /// What it said.
        verdict: Arc<Verdict>,
    },
    /// The policy wants people asked.
    Require {
        /// What it said.
        verdict: Arc<Verdict>,
    },
    /// The policy forbids it.
    Forbid {
        /// What it said.
        verdict: Arc<Verdict>,
    },
    /// The policy wants people asked, and there is no way to ask any.
    CannotAsk {
        /// What it said.
        verdict: Arc<Verdict>,
        /// Why nobody can be asked.
        why: String,
    },
    /// People chose earlier that calls which look alike run; whether that still stands is read inside the transaction.
    Recall {
        /// What the policy said.
        verdict: Arc<Verdict>,
        /// Which remembered yes.
        scope: RequestId,
    },
    /// People said no to the same call a moment ago.
    DenyAgain {
        /// What the policy said.
        verdict: Arc<Verdict>,
        /// Then.
        earlier: RequestId,
        /// Their reason.
        reason: Option<String>,
    },
    /// A later request that differs in nothing is to stand on this one's card.
    Join {
        /// Which.
        follower: RequestId,
    },
    /// A later request is to have a part of this one's card, with buttons of its own.
    Gather {
        /// Which.
        request: RequestId,
    },
    /// Something happened to a request that stands on this one's card. Only the store gives this, on account of the other.
    PartChanged {
        /// Which.
        part: RequestId,
        /// Whether nobody is asked about it any more.
        over: bool,
    },
    /// The request on whose card this one stood is over. What people said there counts here as far as it was about this
    /// one too; what that does not decide gets a card of its own. Only the store gives this, on account of the other.
    Follow {
        /// The other.
        leader: RequestId,
        /// Its call: what was said of another counts for nothing here.
        digest: CallDigest,
        /// What people said there that covers this one.
        ballots: Vec<Ballot>,
        /// How many escalation steps were taken there.
        escalations: u32,
    },
    /// A yes or a no.
    Vote(Ballot),
    /// Somebody takes their vote back.
    TakeBack {
        /// Whose.
        identity: Identity,
        /// Only if it was given by this: see [`Ballot::sign`].
        sign: Option<DeliveryKey>,
    },
    /// The next group is asked too.
    Escalate {
        /// Which step this is, from 1; a step already taken is a no-op.
        step: u32,
    },
    /// A question from the card.
    Ask {
        /// Who asks.
        identity: Identity,
        /// Whom.
        to: Addressee,
        /// What.
        text: String,
        /// Where: there the person who is asked is told.
        surface: Option<SurfaceName>,
    },
    /// An answer to a question.
    Answer {
        /// Who answers.
        by: Actor,
        /// Which question, from 1; none means the oldest open one that is theirs.
        question: Option<u32>,
        /// What.
        text: String,
    },
    /// Somebody looks, so that nobody else does the same work; or looked, and no longer does.
    Look {
        /// Who.
        identity: Identity,
    },
    /// One person decides alone, in an emergency.
    BreakGlass(Alone),
    /// An edited request replaces this one.
    Supersede {
        /// Which.
        by: RequestId,
        /// Who edited.
        identity: Identity,
    },
    /// Who proposed it no longer wants it.
    Withdraw {
        /// Who.
        by: Actor,
    },
    /// Somebody who may takes it back; a call that already runs is asked to stop.
    Revoke {
        /// Who.
        by: Actor,
        /// Why.
        reason: Option<String>,
    },
    /// A new policy looked at it again.
    Rejudge {
        /// What it says.
        verdict: Arc<Verdict>,
    },
    /// Somebody else reviewed a break-glass approval.
    Review {
        /// Who.
        identity: Identity,
        /// In their words.
        note: Option<String>,
    },
    /// Somebody who may decide it wants it asked about again should it be proposed once more, although people said no.
    AskAnew {
        /// Who.
        identity: Identity,
    },
    /// The remembered yes that it rests on was taken back.
    Forget {
        /// Which.
        scope: RequestId,
        /// Who took it back.
        by: Actor,
        /// Their name, where it is a person.
        name: Option<String>,
        /// Why.
        reason: Option<String>,
    },
    /// An executor wants to run it.
    Claim(ClaimOrder),
    /// The executor is alive.
    Heartbeat {
        /// Which claim.
        claim: ClaimId,
        /// Its key.
        key: String,
    },
    /// It is over.
    Finish(Report),
    /// Somebody says how an unknown outcome ended.
    Settle {
        /// Who.
        by: Actor,
        /// How it ended; not unknown.
        outcome: Outcome,
        /// How they know.
        reason: String,
    },
    /// Time has passed.
    Tick,
    /// Something was, or is about to be, shown.
    Show(Rendering),
    /// A card was delivered, or could not be.
    Deliver(Delivery),
    /// A one-off message about it was given up.
    GiveUp(Lost),
}

/// What became of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Where.
    pub surface: SurfaceName,
    /// How it went: none if it was delivered, else why it could not be.
    pub failure: Option<String>,
}

impl Command {
    /// The verdict's command.
    #[must_use]
    pub fn judged(verdict: Arc<Verdict>) -> Self {
        use crate::policy::Tier;
        match verdict.tier {
            Tier::Auto | Tier::Suggest => Self::Allow { verdict },
            Tier::Approve => Self::Require { verdict },
            Tier::Forbid => Self::Forbid { verdict },
        }
    }

    /// The command's name, in refusals and the table.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Allow { .. } => "allow",
            Self::Require { .. } => "require",
            Self::Forbid { .. } => "forbid",
            Self::CannotAsk { .. } => "cannot_ask",
            Self::Recall { .. } => "recall",
            Self::DenyAgain { .. } => "deny_again",
            Self::Join { .. } => "join",
            Self::Gather { .. } => "gather",
            Self::PartChanged { .. } => "part_changed",
            Self::Follow { .. } => "follow",
            Self::Vote(ballot) => match ballot.decision {
                Decision::Approve => "approve",
                Decision::Deny => "deny",
            },
            Self::TakeBack { .. } => "take_back",
            Self::Escalate { .. } => "escalate",
            Self::Ask { .. } => "ask",
            Self::Answer { .. } => "answer",
            Self::Look { .. } => "look",
            Self::BreakGlass(_) => "break_glass",
            Self::Supersede { .. } => "supersede",
            Self::Withdraw { .. } => "withdraw",
            Self::Revoke { .. } => "revoke",
            Self::Rejudge { .. } => "rejudge",
            Self::Review { .. } => "review",
            Self::AskAnew { .. } => "ask_anew",
            Self::Forget { .. } => "forget",
            Self::Claim(_) => "claim",
            Self::Heartbeat { .. } => "heartbeat",
            Self::Finish(_) => "finish",
            Self::Settle { .. } => "settle",
            Self::Tick => "tick",
            Self::Show(_) => "show",
            Self::Deliver(_) => "deliver",
            Self::GiveUp(_) => "give_up",
        }
    }

    /// Who does it.
    #[must_use]
    pub fn actor(&self) -> Actor {
        match self {
            Self::Vote(Ballot { identity, .. })
            | Self::TakeBack { identity, .. }
            | Self::Ask { identity, .. }
            | Self::Look { identity }
            | Self::BreakGlass(Alone { identity, .. })
            | Self::Supersede { identity, .. }
            | Self::AskAnew { identity }
            | Self::Review { identity, .. } => Actor::Account(identity.clone()),
            Self::Answer { by, .. }
            | Self::Withdraw { by }
            | Self::Revoke { by, .. }
            | Self::Forget { by, .. }
            | Self::Settle { by, .. } => by.clone(),
            Self::Claim(order) => order.executor.clone(),
            Self::Check
            | Self::Allow { .. }
            | Self::Require { .. }
            | Self::Forbid { .. }
            | Self::CannotAsk { .. }
            | Self::Recall { .. }
            | Self::DenyAgain { .. }
            | Self::Join { .. }
            | Self::Gather { .. }
            | Self::PartChanged { .. }
            | Self::Follow { .. }
            | Self::Escalate { .. }
            | Self::Rejudge { .. }
            | Self::Heartbeat { .. }
            | Self::Finish(_)
            | Self::Tick
            | Self::Show(_)
            | Self::Deliver(_)
            | Self::GiveUp(_) => Actor::Placet,
        }
    }

    /// The account it comes from, whose standing must be among the facts.
    #[must_use]
    pub fn account(&self) -> Option<Identity> {
        match self.actor() {
            Actor::Account(identity) => Some(identity),
            Actor::Agent(_) | Actor::Executor(_) | Actor::Manager(_) | Actor::Placet => None,
        }
    }

    /// Every account whose word it carries, whose standing must be among the facts.
    #[must_use]
    pub fn accounts(&self) -> Vec<Identity> {
        match self {
            Self::Follow { ballots, .. } => ballots.iter().map(|ballot| ballot.identity.clone()).collect(),
            _ => self.account().into_iter().collect(),
        }
    }

    /// Whether an answer rests on what accounts are worth.
    #[must_use]
    pub fn rests_on_accounts(&self) -> bool {
        matches!(self, Self::Claim(_)) || !self.accounts().is_empty()
    }
}

/// What was read outside before the decision, each with its date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// What the accounts concerned are worth.
    pub electorate: Electorate,
    /// Roles that may revoke and settle.
    pub stewards: Vec<Role>,
    /// Roles that may decide alone in an emergency.
    pub glass_breakers: Vec<Role>,
    /// What today's policy forbids about this call, whatever was approved.
    pub forbidden: Option<RuleHit>,
    /// What today's policy says of this call, where an answer rests on it: a claim under a policy that became
    /// stricter is refused.
    pub today: Option<Arc<Verdict>>,
    /// A freeze that covers the call now and did not when it was asked about.
    pub frozen: Option<Freeze>,
    /// Read by the store inside the transaction; whatever stands here before is not heeded.
    #[serde(default)]
    pub inside: Inside,
}

/// A freeze window of the policy's calendar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freeze {
    /// Its name.
    pub name: String,
    /// Why.
    pub because: String,
    /// Until when.
    pub until: Timestamp,
}

/// What is read inside the transaction that commits the answer, so that nothing can come in between.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Inside {
    /// Every hold that stands and covers the call, of the tenant and of the installation.
    pub holds: Vec<Hold>,
    /// The remembered yes that the request rests on, or is to rest on.
    pub remembered: Option<Remembered>,
}

impl Facts {
    /// For commands that rest on no account and no policy.
    #[must_use]
    pub const fn none(as_of: Timestamp) -> Self {
        Self {
            electorate: Electorate::nobody(as_of),
            stewards: Vec::new(),
            glass_breakers: Vec::new(),
            forbidden: None,
            today: None,
            frozen: None,
            inside: Inside { holds: Vec::new(), remembered: None },
        }
    }
}
