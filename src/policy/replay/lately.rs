//! What each agent did within the last hour, counted from the record as the store counts it: where the policy that judged
//! did not look at it, it is not on record with the verdict, and another policy may look at it.

use std::collections::{BTreeMap, VecDeque};

use super::super::circumstances::{RECENT, Recent};
use crate::approval::RejectedBy;
use crate::call::{CallDigest, ToolCall};
use crate::id::{AgentId, RequestId, TenantId};
use crate::record::EventKind;
use crate::time::Timestamp;

/// Whose.
type Agent = (TenantId, AgentId);

/// The last hour as far as the record was read.
#[derive(Default)]
pub(super) struct Lately {
    /// In their order, the oldest first.
    order: VecDeque<(Timestamp, RequestId)>,
    requests: BTreeMap<RequestId, Request>,
    calls: BTreeMap<(Agent, String), u32>,
    cards: BTreeMap<Agent, u32>,
    same: BTreeMap<CallDigest, u32>,
    denied: BTreeMap<CallDigest, u32>,
}

/// One request of the last hour.
struct Request {
    agent: Agent,
    tool: String,
    digest: CallDigest,
    /// Whether people had a card of its own.
    asked: bool,
    /// Whether people said no.
    denied: bool,
}

impl Lately {
    /// What came before a call.
    pub(super) fn before(
        &mut self,
        (tenant, call): (&TenantId, &ToolCall),
        digest: CallDigest,
        at: Timestamp,
    ) -> Recent {
        self.forget(at - RECENT);
        let agent = (tenant.clone(), call.agent.clone());
        let count = |counted: Option<&u32>| counted.copied().unwrap_or(0);
        Recent {
            cards: count(self.cards.get(&agent)),
            calls: count(self.calls.get(&(agent, call.full_name()))),
            same: count(self.same.get(&digest)),
            denied: count(self.denied.get(&digest)),
        }
    }

    /// One more call.
    pub(super) fn proposed(
        &mut self,
        id: RequestId,
        (tenant, call): (&TenantId, &ToolCall),
        digest: CallDigest,
        at: Timestamp,
    ) {
        let agent = (tenant.clone(), call.agent.clone());
        let tool = call.full_name();
        more(&mut self.calls, (agent.clone(), tool.clone()));
        more(&mut self.same, digest);
        self.order.push_back((at, id));
        self.requests.insert(id, Request { agent, tool, digest, asked: false, denied: false });
    }

    /// What became of a call.
    pub(super) fn happened(&mut self, id: RequestId, kind: &EventKind) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        match kind {
            EventKind::Requested { .. } | EventKind::SharesCard { leader: None } if !request.asked => {
                request.asked = true;
                more(&mut self.cards, request.agent.clone());
            }
            // In the commit in which it was asked about, so that nobody saw a card of it.
            EventKind::SharesCard { leader: Some(_) } | EventKind::GatheredOn { .. } if request.asked => {
                request.asked = false;
                less(&mut self.cards, &request.agent);
            }
            EventKind::Decided { rejected_by: Some(RejectedBy::Votes { .. }), .. } if !request.denied => {
                request.denied = true;
                more(&mut self.denied, request.digest);
            }
            _ => {}
        }
    }

    /// What is longer ago counts no more.
    fn forget(&mut self, since: Timestamp) {
        while let Some((_, id)) = self.order.front().copied().filter(|(at, _)| *at < since) {
            self.order.pop_front();
            let Some(Request { agent, tool, digest, asked, denied }) = self.requests.remove(&id) else {
                continue;
            };
            if asked {
                less(&mut self.cards, &agent);
            }
            if denied {
                less(&mut self.denied, &digest);
            }
            less(&mut self.same, &digest);
            less(&mut self.calls, &(agent, tool));
        }
    }
}

fn more<K: Ord>(counts: &mut BTreeMap<K, u32>, key: K) {
    let count = counts.entry(key).or_insert(0);
    *count = count.saturating_add(1);
}

fn less<K: Ord>(counts: &mut BTreeMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}
