//! A store in memory, as far as the agent needs one.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::world::Of;
use crate::agent::task::{TaskLease, TaskRow};
use crate::approval::{
    Alarm, Approval, Around, Beginning, Committed, Opened, Opening, Order, Status, commit,
};
use crate::call::{CallDigest, ContentHash};
use crate::card::row::CardRow;
use crate::hold::{Hold, Lifted};
use crate::id::*;
use crate::inbound::{Inbound, MessageRef};
use crate::notice::Message;
use crate::ports::*;
use crate::record::{Event, EventKind, Seq};
use crate::remembered::{Forgotten, Remembered};
use crate::time::Timestamp;

#[derive(Default)]
pub(super) struct Rows {
    pub(super) requests: BTreeMap<RequestId, Approval>,
    pub(super) keys: BTreeMap<(CredentialId, IdempotencyKey), RequestId>,
    pub(super) events: Vec<Event>,
    pub(super) runs: BTreeMap<(TenantId, RunId), RunRow>,
    pub(super) order: Vec<(TenantId, RunId)>,
    pub(super) sessions: BTreeMap<(TenantId, SessionId), Vec<String>>,
}

#[async_trait]
impl RequestStore for Of {
    async fn open(&self, opening: Opening) -> Result<Opened, StoreError> {
        self.dangerous(|| {
            let now = self.now();
            self.rows(|rows| {
                if let Some(key) = &opening.key
                    && let Some(id) = rows.keys.get(key)
                {
                    let same: CallDigest = opening.proposal.call.digest(&opening.tenant);
                    let before = rows.requests[id].clone();
                    let digest = before.digest;
                    return Ok(if digest == same {
                        Opened::Same(before)
                    } else {
                        Opened::Conflict { digest }
                    });
                }
                let code = ShortCode::of(opening.id, 0);
                let effects = commit::open(&opening, code, &Around::default(), now)
                    .map_err(|refusal| StoreError::Contradiction(refusal.code().to_owned()))?;
                let Beginning::New(effects) = effects else { panic!("nothing is replaced") };
                let next = effects.next.unwrap();
                rows.events.extend(effects.events);
                rows.keys.extend(opening.key.clone().map(|key| (key, opening.id)));
                rows.requests.insert(next.id, next.clone());
                Ok(Opened::New(next))
            })
        })
        .await
    }

    async fn execute(&self, order: Order) -> Result<Committed, StoreError> {
        self.dangerous(|| {
            let now = self.now();
            self.rows(|rows| {
                let current = rows.requests.get(&order.id).ok_or(StoreError::NotFound)?.clone();
                let effects = commit::weigh(&current, &order, &Around::default(), now);
                let next = effects.next.unwrap_or(current);
                rows.events.extend(effects.events);
                rows.requests.insert(next.id, next.clone());
                Ok(Committed { approval: next, result: effects.result })
            })
        })
        .await
    }

    async fn note(&self, _tenant: TenantId, _kind: EventKind) -> Result<(), StoreError> {
        Ok(())
    }

    async fn note_next(
        &self,
        _tenant: TenantId,
        _kind: EventKind,
        _read: (Vec<&'static str>, Seq),
    ) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn load(&self, tenant: &TenantId, id: RequestId) -> Result<Approval, StoreError> {
        let found = self.rows(|rows| rows.requests.get(&id).cloned());
        found.filter(|approval| approval.tenant == *tenant).ok_or(StoreError::NotFound)
    }

    async fn list(&self, query: RequestQuery) -> Result<Vec<Approval>, StoreError> {
        let wanted = |approval: &&Approval| query.digest.is_none_or(|digest| digest == approval.digest);
        Ok(self.rows(|rows| rows.requests.values().rev().filter(wanted).take(1).cloned().collect()))
    }

    async fn events(&self, _query: EventQuery) -> Result<Vec<(Seq, Event)>, StoreError> {
        Ok(self.rows(|rows| (1..).map(Seq).zip(rows.events.iter().cloned()).collect()))
    }

    async fn due(&self, _now: Timestamp, _limit: u32) -> Result<Vec<(TenantId, RequestId)>, StoreError> {
        Ok(Vec::new())
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(None)
    }

    async fn counts(&self) -> Result<Vec<(Status, u64)>, StoreError> {
        Ok(Vec::new())
    }

    async fn alarms(&self, _since: Timestamp) -> Result<Vec<(Alarm, u64)>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl HoldStore for Of {
    async fn hold(&self, hold: Hold) -> Result<Hold, StoreError> {
        Ok(hold)
    }

    async fn lift(&self, _: Option<&TenantId>, _: HoldId, _: Lifted) -> Result<bool, StoreError> {
        Ok(false)
    }

    async fn holds(&self, _: HoldQuery) -> Result<Vec<Hold>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl RememberedStore for Of {
    async fn remembered(&self, _: RememberedQuery) -> Result<Vec<Remembered>, StoreError> {
        Ok(Vec::new())
    }

    async fn forget(&self, _: &TenantId, _: RequestId, _: Forgotten) -> Result<bool, StoreError> {
        Ok(false)
    }
}

#[async_trait]
impl RecentStore for Of {
    async fn recent(&self, _: RecentQuery) -> Result<Lately, StoreError> {
        Ok(Lately::default())
    }
}

#[async_trait]
impl AuditStore for Of {
    async fn audit(&self, _: AuditQuery) -> Result<AuditPage, StoreError> {
        Ok(AuditPage { found: Vec::new(), next: None })
    }

    async fn ran_unasked(&self, _: UnaskedQuery) -> Result<Vec<UnaskedCount>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl DigestStore for Of {
    async fn digests(&self) -> Result<Vec<(TenantId, Option<DigestRow>)>, StoreError> {
        Ok(Vec::new())
    }

    async fn keep_digest(&self, _: DigestRow, _: Vec<Message>) -> Result<bool, StoreError> {
        Ok(false)
    }
}

#[async_trait]
impl AgentStore for Of {
    async fn save_run(&self, mut row: RunRow, events: Vec<String>) -> Result<(), StoreError> {
        self.dangerous(|| {
            self.rows(|rows| {
                let key = (row.tenant.clone(), row.run.clone());
                let stored = rows.runs.get(&key).map_or(0, |stored| stored.version);
                if stored != row.version {
                    return Err(StoreError::RunMoved);
                }
                if stored == 0 {
                    rows.order.push(key.clone());
                }
                row.version += 1;
                rows.sessions.entry((row.tenant.clone(), row.session.clone())).or_default().extend(events);
                rows.runs.insert(key, row);
                Ok(())
            })
        })
        .await
    }

    async fn load_run(&self, tenant: &TenantId, run: &RunId) -> Result<RunRow, StoreError> {
        self.rows(|rows| rows.runs.get(&(tenant.clone(), run.clone())).cloned()).ok_or(StoreError::NotFound)
    }

    async fn last_run(&self, tenant: &TenantId, session: &SessionId) -> Result<Option<RunRow>, StoreError> {
        Ok(self.rows(|rows| {
            let mut newest = rows.order.iter().rev().map(|key| &rows.runs[key]);
            newest.find(|row| row.tenant == *tenant && row.session == *session).cloned()
        }))
    }

    async fn unfinished_runs(&self) -> Result<Vec<RunRow>, StoreError> {
        Ok(self.rows(|rows| rows.runs.values().filter(|row| !row.finished).cloned().collect()))
    }

    async fn session_events(
        &self,
        _tenant: &TenantId,
        _session: &SessionId,
        _after: u64,
        _limit: u32,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl InboxStore for Of {
    async fn deliver(&self, _inbound: Inbound) -> Result<bool, StoreError> {
        Ok(true)
    }
    async fn undone(&self, _limit: u32) -> Result<Vec<Inbound>, StoreError> {
        Ok(Vec::new())
    }
    async fn discard(&self, _delivery: &DeliveryKey) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl CardStore for Of {
    async fn cards_due(&self, _now: Timestamp, _limit: u32) -> Result<Vec<CardRow>, StoreError> {
        Ok(Vec::new())
    }
    async fn redraw_held(&self, _limit: u32) -> Result<usize, StoreError> {
        Ok(0)
    }
    async fn cards_of(&self, _tenant: &TenantId, _request: RequestId) -> Result<Vec<CardRow>, StoreError> {
        Ok(Vec::new())
    }
    async fn take_over(&self) -> Result<(), StoreError> {
        Ok(())
    }
    async fn card_at(&self, _tenant: &TenantId, _at: &MessageRef) -> Result<Option<RequestId>, StoreError> {
        Ok(None)
    }
}

#[async_trait]
impl OutboxStore for Of {
    async fn take_messages(
        &self,
        _now: Timestamp,
        _lease_until: Timestamp,
        _limit: u32,
    ) -> Result<Vec<OutboxRow>, StoreError> {
        Ok(Vec::new())
    }
    async fn message_done(&self, _id: i64, _step: OutboxStep) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl CredentialStore for Of {
    async fn add_credential(&self, _row: CredentialRow) -> Result<(), StoreError> {
        Ok(())
    }
    async fn credential(&self, _secret_hash: ContentHash) -> Result<Option<CredentialRow>, StoreError> {
        Ok(None)
    }
    async fn credentials(&self, _tenant: Option<&TenantId>) -> Result<Vec<CredentialRow>, StoreError> {
        Ok(Vec::new())
    }
    async fn revoke_credential(&self, _tenant: &TenantId, _id: &CredentialId) -> Result<bool, StoreError> {
        Ok(false)
    }
}

#[async_trait]
impl TaskStore for Of {
    async fn take_task(
        &self,
        _task: crate::agent::task::Task,
        _lease: TaskLease,
    ) -> Result<Option<TaskRow>, StoreError> {
        Ok(None)
    }
    async fn adopt_tasks(
        &self,
        _surface: &SurfaceName,
        _lease: TaskLease,
        _limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError> {
        Ok(Vec::new())
    }
    async fn renew_tasks(&self, _tasks: Vec<DeliveryKey>, _lease: TaskLease) -> Result<(), StoreError> {
        Ok(())
    }
    async fn let_go_of_tasks(&self, _by: WorkerId) -> Result<(), StoreError> {
        Ok(())
    }
    async fn load_task(&self, _delivery: &DeliveryKey) -> Result<Option<TaskRow>, StoreError> {
        Ok(None)
    }
    async fn save_task(&self, _row: TaskRow) -> Result<(), StoreError> {
        Ok(())
    }
    async fn open_tasks(&self, _surface: &SurfaceName, _limit: u32) -> Result<Vec<TaskRow>, StoreError> {
        Ok(Vec::new())
    }
}
