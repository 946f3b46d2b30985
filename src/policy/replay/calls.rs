//! The calls of a period, one after the other, each with its verdict.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::circumstances::{Circumstances, RECENT};
use super::lately::Lately;
use super::past::Past;
use super::{Judged, Period, Recorded};
use crate::approval::Proposal;
use crate::call::CallDigest;
use crate::id::{RequestId, ShortCode};
use crate::record::{Event, EventKind};

/// Events that make a call.
const CALLS: [&str; 2] = ["tool.proposed", "policy.checked"];

/// Events that make what happened lately besides.
const LATELY: [&str; 6] = [
    "tool.proposed",
    "policy.checked",
    "approval.requested",
    "approval.shares_card",
    "approval.gathered_on",
    "approval.decided",
];

/// The calls of a period.
pub(super) struct Calls<'p> {
    past: &'p Past,
    period: Period,
    /// Proposed and not judged yet: a handful, since both are one commit mostly.
    proposed: BTreeMap<RequestId, Proposed>,
    lately: Option<Lately>,
}

/// What was proposed.
struct Proposed {
    code: ShortCode,
    digest: CallDigest,
    proposal: Arc<Proposal>,
}

impl<'p> Calls<'p> {
    pub(super) const fn new(past: &'p Past, period: Period) -> Self {
        Self { past, period, proposed: BTreeMap::new(), lately: None }
    }

    /// Counts from the record what each agent did lately, for policies that look at it.
    pub(super) fn count_lately(&mut self) {
        self.lately = Some(Lately::default());
    }

    /// Hands over each call.
    pub(super) fn each<R: Recorded>(
        mut self,
        record: &R,
        mut take: impl FnMut(Judged),
    ) -> Result<(), R::Fault> {
        let types: &[&'static str] = if self.lately.is_some() { &LATELY } else { &CALLS };
        // What happened lately begins before the period does.
        let since = self.period.since - RECENT;
        record.each(types, Some(since), &mut |event| {
            if let Some(judged) = self.judged(event) {
                take(judged);
            }
        })
    }

    /// The call that an event completes.
    fn judged(&mut self, event: &Event) -> Option<Judged> {
        let request = event.request?;
        match &event.kind {
            EventKind::Proposed { code, proposal, digest, .. } => {
                let (code, proposal) = (code.clone(), Arc::clone(proposal));
                self.proposed.insert(request, Proposed { code, digest: *digest, proposal });
                None
            }
            EventKind::Checked { verdict, .. } => {
                let Proposed { code, digest, proposal } = self.proposed.remove(&request)?;
                let circumstances = verdict.circumstances.clone().unwrap_or_else(|| Circumstances {
                    tenant: Some(event.tenant.clone()),
                    ..Circumstances::at(event.at)
                });
                let call = (&event.tenant, &proposal.call);
                let lately = self.lately.as_mut().map(|lately| {
                    let before = lately.before(call, digest, circumstances.at);
                    lately.proposed(request, call, digest, event.at);
                    before
                });
                let judged = || Judged {
                    tenant: event.tenant.clone(),
                    request,
                    code,
                    verdict: Arc::clone(verdict),
                    circumstances,
                    asked: self.past.asked(request),
                    lately,
                    proposal: Arc::clone(&proposal),
                };
                self.period.has(event.at).then(judged)
            }
            kind => {
                if let Some(lately) = &mut self.lately {
                    lately.happened(request, kind);
                }
                None
            }
        }
    }
}
