//! What must be known before the calls are looked at: which policies judged, and of which calls people had a card.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::super::rule::Policy;
use super::super::set::PolicyFile;
use super::super::verdict::Verdict;
use super::{Asking, Period, Recorded};
use crate::approval::ApprovedBy;
use crate::call::PolicyDigest;
use crate::id::{RequestId, TenantId};
use crate::record::{Event, EventKind};

/// Events that tell of policies. They are read however old they are: what judges today may have been loaded years ago.
const POLICIES: [&str; 1] = ["policy.loaded"];

/// Events that tell of cards.
const CARDS: [&str; 4] =
    ["approval.requested", "approval.shares_card", "approval.gathered_on", "approval.decided"];

/// Which policies judged, and of which calls people had a card.
#[derive(Default)]
pub(super) struct Past {
    policies: BTreeMap<PolicyDigest, Text>,
    /// Nobody was asked about those that are not here.
    asked: BTreeMap<RequestId, Asking>,
}

/// A policy's text, read once a call was judged by it: of all that ever were in force, few judged within a period.
struct Text {
    tenant: TenantId,
    label: String,
    text: String,
    tenant_text: Option<String>,
    read: OnceLock<Result<Arc<Policy>, String>>,
}

impl Past {
    /// Reads it for the calls of a span. A card may have come long after the call was judged.
    pub(super) fn of<R: Recorded>(record: &R, period: Period) -> Result<Self, R::Fault> {
        let mut past = Self::default();
        record.each(&POLICIES, None, &mut |event| past.policy_loaded(event))?;
        record.each(&CARDS, Some(period.since), &mut |event| {
            let (Some(request), Some(asked)) = (event.request, asking(&event.kind)) else { return };
            past.asked.insert(request, asked);
        })?;
        Ok(past)
    }

    fn policy_loaded(&mut self, event: &Event) {
        let EventKind::PolicyLoaded { digest, text, tenant_text, label, .. } = &event.kind else { return };
        self.policies.entry(*digest).or_insert_with(|| Text {
            tenant: event.tenant.clone(),
            label: label.clone(),
            text: text.clone(),
            tenant_text: tenant_text.clone(),
            read: OnceLock::new(),
        });
    }

    /// The policy that gave a verdict, as its text is on record.
    ///
    /// # Errors
    /// Why it is not to be had.
    pub(super) fn policy(&self, verdict: &Verdict) -> Result<Arc<Policy>, String> {
        let version = &verdict.policy;
        let Some(text) = self.policies.get(&version.digest) else {
            return Err(format!(
                "the text of policy {} ({}) is not on record",
                version.label, version.digest
            ));
        };
        let read = text.read.get_or_init(|| text.read());
        read.clone().map_err(|errors| format!("policy {} is not taken any more: {errors}", version.label))
    }

    /// What a call cost people.
    pub(super) fn asked(&self, request: RequestId) -> Asking {
        self.asked.get(&request).copied().unwrap_or(Asking::Nobody)
    }
}

impl Text {
    fn read(&self) -> Result<Arc<Policy>, String> {
        let file = |text: &str| PolicyFile { text: text.to_owned(), name: self.label.clone() };
        let policy = match &self.tenant_text {
            Some(own) => Policy::parse_tenant(&file(&self.text), &self.tenant, &file(own)),
            None => Policy::parse_recorded(&self.text, &self.label),
        };
        policy.map(Arc::new).map_err(|errors| errors.to_string())
    }
}

/// What an event says of who was asked; none if nothing.
fn asking(kind: &EventKind) -> Option<Asking> {
    match kind {
        EventKind::Requested { .. } | EventKind::SharesCard { leader: None } => Some(Asking::OwnCard),
        EventKind::SharesCard { leader: Some(_) } | EventKind::GatheredOn { .. } => Some(Asking::SharedCard),
        EventKind::Decided { approved_by: Some(ApprovedBy::Remembered { .. }), .. } => {
            Some(Asking::Remembered)
        }
        _ => None,
    }
}
