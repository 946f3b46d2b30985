//! What another policy would have said of the recorded past, in memory over the events of the record.
//!
//! Every recorded call is judged again in the circumstances that are on record with its verdict. By the policy that
//! was in force then, whose text is on record as well, the verdict must be the same ([`Past::unrepeated`]); by another,
//! what differs is what a change of the policy would have changed.

mod load;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

pub use load::{Load, PersonLoad};

use super::circumstances::Circumstances;
use super::rule::Policy;
use super::set::{PolicyFile, PolicySet};
use super::summary::{Difference, Summary};
use super::verdict::{Terms, Tier, Verdict};
use crate::approval::{ApprovedBy, Proposal};
use crate::call::PolicyDigest;
use crate::id::{RequestId, ShortCode, TenantId};
use crate::record::{Event, EventKind};
use crate::time::Timestamp;

/// What the record tells of judged calls.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// Every call that was judged, in that order.
    pub judged: Vec<Judged>,
    policies: BTreeMap<PolicyDigest, Result<Arc<Policy>, String>>,
}

/// One call that was judged.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Whose.
    pub tenant: TenantId,
    /// Which request.
    pub request: RequestId,
    /// What people call it.
    pub code: ShortCode,
    /// What was proposed.
    pub proposal: Arc<Proposal>,
    /// What the policy said.
    pub verdict: Arc<Verdict>,
    /// In which circumstances.
    pub circumstances: Circumstances,
    /// What it cost people.
    pub asked: Asking,
}

/// Whether people had a card of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Asking {
    /// Nobody was asked.
    Nobody,
    /// One of its own.
    OwnCard,
    /// It stood on the card of another that differs in nothing.
    SharedCard,
    /// A remembered yes let it run.
    Remembered,
}

/// A verdict that does not come out again by the policy that gave it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unrepeated {
    /// Which request.
    pub request: RequestId,
    /// What people call it.
    pub code: ShortCode,
    /// Why not, where the policy itself is not to be had.
    pub why: Option<String>,
    /// What differs.
    pub differences: Vec<Difference>,
}

/// A call of which the other policy says something else.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Which request.
    pub request: RequestId,
    /// What people call it.
    pub code: ShortCode,
    /// Whose.
    pub tenant: TenantId,
    /// The tool, with its server.
    pub tool: String,
    /// When.
    pub at: Timestamp,
    /// The tier then and now.
    pub tier: (Tier, Tier),
    /// What differs.
    pub differences: Vec<Difference>,
}

/// What another policy makes of the past.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    /// How many calls were judged.
    pub judged: usize,
    /// Those of which it says something else, in their order.
    pub changes: Vec<Change>,
    /// What people had to look at.
    pub before: Load,
    /// What they would have.
    pub after: Load,
}

/// What would have been asked, where the policy only looked on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LookedOn {
    /// How many calls it looked on at.
    pub calls: usize,
    /// What people would have had to look at.
    pub cards: Load,
    /// How many of them by each tool, most first.
    pub tools: Vec<(String, u64)>,
    /// How many of them by each rule that would have asked, most first.
    pub rules: Vec<(String, u64)>,
}

impl Past {
    /// Reads what was judged from `since` on out of events in the order of the record. Policies are taken from all of
    /// them, however old.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>, since: Timestamp) -> Self {
        let mut past = Self::default();
        let mut proposed: BTreeMap<(TenantId, RequestId), (ShortCode, Arc<Proposal>)> = BTreeMap::new();
        let mut places: BTreeMap<(TenantId, RequestId), usize> = BTreeMap::new();
        for event in events {
            if let EventKind::PolicyLoaded { digest, text, tenant_text, label, .. } = &event.kind {
                past.policies.entry(*digest).or_insert_with(|| {
                    let file = |text: &str| PolicyFile { text: text.to_owned(), name: label.clone() };
                    let policy = match tenant_text {
                        Some(own) => Policy::parse_tenant(&file(text), &event.tenant, &file(own)),
                        None => Policy::parse_recorded(text, label),
                    };
                    policy.map(Arc::new).map_err(|errors| errors.to_string())
                });
            }
            let Some(request) = event.request else { continue };
            let key = (event.tenant.clone(), request);
            match &event.kind {
                EventKind::Proposed { code, proposal, .. } => {
                    proposed.insert(key, (code.clone(), Arc::clone(proposal)));
                }
                EventKind::Checked { verdict, .. } if event.at >= since => {
                    let Some((code, proposal)) = proposed.remove(&key) else { continue };
                    let circumstances = verdict.circumstances.clone().unwrap_or_else(|| Circumstances {
                        tenant: Some(event.tenant.clone()),
                        ..Circumstances::at(event.at)
                    });
                    places.insert(key, past.judged.len());
                    past.judged.push(Judged {
                        tenant: event.tenant.clone(),
                        request,
                        code,
                        proposal,
                        verdict: Arc::clone(verdict),
                        circumstances,
                        asked: Asking::Nobody,
                    });
                }
                kind => {
                    let judged = places.get(&key).and_then(|place| past.judged.get_mut(*place));
                    if let (Some(judged), Some(asked)) = (judged, asking(kind)) {
                        judged.asked = asked;
                    }
                }
            }
        }
        past
    }

    /// The policy that judged, as its text is on record.
    ///
    /// # Errors
    /// Why it is not to be had.
    pub fn policy(&self, judged: &Judged) -> Result<&Arc<Policy>, String> {
        let version = &judged.verdict.policy;
        match self.policies.get(&version.digest) {
            Some(Ok(policy)) => Ok(policy),
            Some(Err(errors)) => Err(format!("policy {} is not taken any more: {errors}", version.label)),
            None => {
                Err(format!("the text of policy {} ({}) is not on record", version.label, version.digest))
            }
        }
    }

    /// Verdicts that do not come out again, by the record alone. Empty means that the record tells the truth.
    #[must_use]
    pub fn unrepeated(&self) -> Vec<Unrepeated> {
        let again = |judged: &Judged| {
            let (why, differences) = match self.policy(judged) {
                Ok(policy) => {
                    let again = bare(&policy.judge(&judged.proposal, &judged.circumstances));
                    let recorded = bare(&judged.verdict);
                    if again == recorded {
                        return None;
                    }
                    (None, Summary::of(&recorded).differences(&Summary::of(&again)))
                }
                Err(why) => (Some(why), Vec::new()),
            };
            Some(Unrepeated { request: judged.request, code: judged.code.clone(), why, differences })
        };
        self.judged.iter().filter_map(again).collect()
    }

    /// What other policies would have said until `until`.
    #[must_use]
    pub fn under(&self, policies: &PolicySet, since: Timestamp, until: Timestamp) -> Replay {
        let (mut before, mut after) = (Load::new(since, until), Load::new(since, until));
        let mut changes = Vec::new();
        for judged in &self.judged {
            let policy = policies.of(&judged.tenant);
            let verdict = policy.judge(&judged.proposal, &judged.circumstances);
            if judged.asked == Asking::OwnCard
                && let Some(terms) = &judged.verdict.terms
            {
                before.card(judged, terms, self.policy(judged).ok().map(|policy| &**policy));
            }
            if judged.would_ask(&verdict)
                && let Some(terms) = &verdict.terms
            {
                after.card(judged, terms, Some(&policy));
            }
            let differences = Summary::of(&bare(&judged.verdict)).differences(&Summary::of(&bare(&verdict)));
            if !differences.is_empty() {
                changes.push(Change {
                    request: judged.request,
                    code: judged.code.clone(),
                    tenant: judged.tenant.clone(),
                    tool: judged.proposal.call.full_name(),
                    at: judged.circumstances.at,
                    tier: (judged.verdict.tier, verdict.tier),
                    differences,
                });
            }
        }
        Replay { judged: self.judged.len(), changes, before, after }
    }

    /// What would have been asked, where the policy only looked on.
    #[must_use]
    pub fn looked_on(&self, since: Timestamp, until: Timestamp) -> LookedOn {
        let mut cards = Load::new(since, until);
        let mut calls = 0;
        let (mut tools, mut rules) = (BTreeMap::new(), BTreeMap::new());
        for judged in &self.judged {
            let Some(shadow) = &judged.verdict.shadow else { continue };
            calls += 1;
            let Some(terms) = shadow.terms.as_ref().filter(|_| shadow.tier == Tier::Approve) else {
                continue;
            };
            cards.card(judged, terms, self.policy(judged).ok().map(|policy| &**policy));
            *tools.entry(judged.proposal.call.full_name()).or_insert(0) += 1;
            if let Some(rule) = judged.verdict.rules.first() {
                *rules.entry(rule.rule.clone()).or_insert(0) += 1;
            }
        }
        LookedOn { calls, cards, tools: most_first(tools), rules: most_first(rules) }
    }
}

impl Judged {
    /// Whether people would have had a card of their own by another verdict. What shared a card or was remembered
    /// still would, as far as the verdict lets it.
    fn would_ask(&self, verdict: &Verdict) -> bool {
        let lets_remember = !verdict.always_ask && verdict.remember.is_some();
        verdict.tier == Tier::Approve
            && match self.asked {
                Asking::OwnCard => true,
                Asking::SharedCard => false,
                Asking::Remembered => !lets_remember,
                // Asked before and nobody was: it was refused as a moment ago, or its run was stopped.
                Asking::Nobody => self.verdict.tier != Tier::Approve,
            }
    }

    /// Whether distinct people could have answered, by a policy: not who asked, unless they may.
    fn is_answerable(&self, terms: &Terms, policy: &Policy) -> bool {
        load::electors(self, terms, policy).can_fill(terms)
    }
}

/// A verdict without what is not the policy's alone: where cards go is settled with the settings before it is on record,
/// and the circumstances are what it rests on.
fn bare(verdict: &Verdict) -> Verdict {
    let mut bare = Verdict { circumstances: None, ..verdict.clone() };
    let shadow = bare.shadow.as_mut().and_then(|shadow| shadow.terms.as_mut());
    for terms in bare.terms.as_mut().into_iter().chain(shadow) {
        terms.places.clear();
        for step in &mut terms.escalation {
            step.places.clear();
        }
    }
    bare
}

/// What an event says of who was asked; none if nothing.
fn asking(kind: &EventKind) -> Option<Asking> {
    match kind {
        EventKind::Requested { .. } | EventKind::SharesCard { leader: None } => Some(Asking::OwnCard),
        EventKind::SharesCard { leader: Some(_) } => Some(Asking::SharedCard),
        EventKind::Decided { approved_by: Some(ApprovedBy::Remembered { .. }), .. } => {
            Some(Asking::Remembered)
        }
        _ => None,
    }
}

fn most_first(counts: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
