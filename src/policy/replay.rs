//! What another policy would have said of the recorded past, out of the events of the record.
//!
//! Every recorded call is judged again in the circumstances that are on record with its verdict. By the policy that
//! was in force then, whose text is on record as well, the verdict must be the same ([`Replayed::unrepeated`]); by
//! another, what differs is what a change of the policy would have changed.
//!
//! The record is read in its order, and twice: first which policies judged and of which calls people had a card, then the
//! calls, each of which is judged as it comes by and let go. So what is held in memory is what people were asked about
//! and what would change, however many calls a month has.

mod calls;
mod lately;
mod load;
mod past;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

pub use load::{Load, PersonLoad};

use super::circumstances::{Circumstances, Recent};
use super::electors::Electors;
use super::rule::Policy;
use super::set::PolicySet;
use super::summary::{Difference, Summary};
use super::verdict::{Terms, Tier, Verdict};
use crate::approval::Proposal;
use crate::id::{RequestId, ShortCode, TenantId};
use crate::record::Event;
use crate::time::Timestamp;
use calls::Calls;
use past::Past;

/// A record, as it is read to look back.
pub trait Recorded {
    /// Why it cannot be read.
    type Fault;

    /// Hands over the events of these types in their order, from about `since` on: earlier ones may come as well, later
    /// ones all do.
    ///
    /// # Errors
    /// It cannot be read.
    fn each(
        &self,
        types: &[&'static str],
        since: Option<Timestamp>,
        take: &mut dyn FnMut(&Event),
    ) -> Result<(), Self::Fault>;
}

/// From when until when, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// From when on.
    pub since: Timestamp,
    /// Until when.
    pub until: Timestamp,
}

impl Period {
    const fn has(&self, at: Timestamp) -> bool {
        self.since.as_millis() <= at.as_millis() && at.as_millis() <= self.until.as_millis()
    }
}

/// One call that was judged.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// Whose.
    pub(super) tenant: TenantId,
    /// Which request.
    pub(super) request: RequestId,
    /// What people call it.
    pub(super) code: ShortCode,
    /// What was proposed.
    pub(super) proposal: Arc<Proposal>,
    /// What the policy said.
    pub(super) verdict: Arc<Verdict>,
    /// In which circumstances.
    pub(super) circumstances: Circumstances,
    /// What it cost people.
    pub(super) asked: Asking,
    /// What had happened lately, as the record tells it; none where nobody asked for it.
    pub(super) lately: Option<Recent>,
}

/// Whether people had a card of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
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

/// What looking back came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replayed {
    /// What the other policy makes of the past.
    pub replay: Replay,
    /// Verdicts that do not come out again, by the record alone. Empty means that the record tells the truth.
    pub unrepeated: Vec<Unrepeated>,
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

/// Judges the calls of a period again: by the policy that judged them, and by others.
///
/// # Errors
/// The record cannot be read.
pub fn replay<R: Recorded>(record: &R, period: Period, policies: &PolicySet) -> Result<Replayed, R::Fault> {
    let past = Past::of(record, period)?;
    let mut calls = Calls::new(&past, period);
    if counts_lately(policies) {
        calls.count_lately();
    }
    let mut replayed = Replayed {
        replay: Replay {
            judged: 0,
            changes: Vec::new(),
            before: Load::new(period.since, period.until),
            after: Load::new(period.since, period.until),
        },
        unrepeated: Vec::new(),
    };
    calls.each(record, |judged| replayed.take(&judged, (&past, policies)))?;
    Ok(replayed)
}

/// What would have been asked in a period, where the policy only looked on.
///
/// # Errors
/// The record cannot be read.
pub fn looked_on<R: Recorded>(record: &R, period: Period) -> Result<LookedOn, R::Fault> {
    let past = Past::of(record, period)?;
    let mut cards = Load::new(period.since, period.until);
    let mut calls = 0;
    let (mut tools, mut rules) = (BTreeMap::new(), BTreeMap::new());
    Calls::new(&past, period).each(record, |judged| {
        let Some(shadow) = &judged.verdict.shadow else { return };
        calls += 1;
        let Some(terms) = shadow.terms.as_ref().filter(|_| shadow.tier == Tier::Approve) else { return };
        cards.card(&judged, terms, past.policy(&judged.verdict).ok().as_deref());
        *tools.entry(judged.proposal.call.full_name()).or_insert(0) += 1;
        if let Some(rule) = judged.verdict.rules.first() {
            *rules.entry(rule.rule.clone()).or_insert(0) += 1;
        }
    })?;
    Ok(LookedOn { calls, cards, tools: most_first(tools), rules: most_first(rules) })
}

/// Whether any of them looks at what happened lately.
fn counts_lately(policies: &PolicySet) -> bool {
    let tenants = policies.tenants().map(|(_, policy)| policy);
    std::iter::once(policies.installation()).chain(tenants).any(|policy| policy.needs_recent())
}

impl Replayed {
    /// One more call.
    fn take(&mut self, judged: &Judged, (past, policies): (&Past, &PolicySet)) {
        self.replay.judged += 1;
        let own = past.policy(&judged.verdict);
        let again = own.as_ref().ok().map(|own| {
            let mut again = own.judge(&judged.proposal, &judged.circumstances);
            // Of old, only the terms say whether it is confidential: those are compared.
            again.confidential = again.confidential.filter(|_| judged.verdict.confidential.is_some());
            again
        });
        let (why, differences) = match (&own, &again) {
            (Err(why), _) => (Some(why.clone()), Vec::new()),
            (Ok(_), Some(again)) if bare(again) != bare(&judged.verdict) => {
                (None, Summary::of(&bare(&judged.verdict)).differences(&Summary::of(&bare(again))))
            }
            (Ok(_), _) => (None, Vec::new()),
        };
        let repeats =
            why.is_none() && again.as_ref().is_some_and(|again| bare(again) == bare(&judged.verdict));
        if !repeats {
            let code = judged.code.clone();
            self.unrepeated.push(Unrepeated { request: judged.request, code, why, differences });
        }
        let own = own.ok();
        if judged.asked == Asking::OwnCard
            && let Some(terms) = &judged.verdict.terms
        {
            self.replay.before.card(judged, terms, own.as_deref());
        }
        let policy = policies.of(&judged.tenant);
        let verdict = policy.judge(&judged.proposal, &judged.circumstances_by(&policy, own.as_deref()));
        if judged.would_ask(&verdict)
            && let Some(terms) = &verdict.terms
        {
            self.replay.after.card(judged, terms, Some(&policy));
        }
        // Where the settings say where cards go, both policies say nothing of it; what they do say can be compared.
        let (before, after) = match again.filter(|_| repeats) {
            Some(again) => (again, verdict),
            None => (bare(&judged.verdict), bare(&verdict)),
        };
        let differences = Summary::of(&before).differences(&Summary::of(&after));
        if !differences.is_empty() {
            self.replay.changes.push(Change {
                request: judged.request,
                code: judged.code.clone(),
                tenant: judged.tenant.clone(),
                tool: judged.proposal.call.full_name(),
                at: judged.circumstances.at,
                tier: (before.tier, after.tier),
                differences,
            });
        }
    }
}

impl Judged {
    /// The circumstances as another policy would have had them: who asks, by the people that it names; and what happened
    /// lately, which is not on record where the policy that judged looked at none of it.
    fn circumstances_by(&self, policy: &Policy, own: Option<&Policy>) -> Circumstances {
        let mut circumstances = self.circumstances.clone();
        if own.is_some_and(|own| own.version().digest == policy.version().digest) {
            return circumstances;
        }
        circumstances.requester =
            policy.asker_again(&self.proposal.requester, &self.circumstances.requester, circumstances.at);
        if let Some(lately) = self.lately
            && circumstances.recent == Recent::default()
            && !own.is_some_and(Policy::needs_recent)
        {
            circumstances.recent = lately;
        }
        circumstances
    }

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
        Electors::of_call(policy.people(), &self.proposal, terms, self.circumstances.at).can_fill(terms)
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

fn most_first(counts: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
