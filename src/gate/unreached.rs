//! What follows when a message is given up: it stands in the record and among the alarms, and operators are told who was not
//! reached; so is, where it was a question, whoever asked it.
//!
//! Operators who cannot be told themselves are told in the log alone.

use crate::approval::{Command, Facts, Order, State};
use crate::gate::Gate;
use crate::id::{CommandId, RequestId, TenantId};
use crate::notice::{Lost, Message, Unreached};
use crate::person::{Identity, Standing};
use crate::ports::{OutboxRow, StoreError};
use crate::record::EventKind;

impl Gate {
    /// Puts on record that this message is given up. Done again after a crash, it is done once.
    pub(super) async fn gave_up(&self, row: &OutboxRow, why: &str) -> Result<(), StoreError> {
        let Message { tenant, notice, .. } = &row.message;
        let Some(mut lost) = Lost::of(&row.message, why) else { return Ok(()) };
        if let Unreached::Account(identity) = &lost.to {
            lost.name = self.name_of(tenant, identity);
        }
        let store = &self.parts.store;
        if let Some(request) = notice.request() {
            let facts = Facts::none(self.parts.clock.now());
            let mut order = Order::new(tenant.clone(), request, Command::GiveUp(lost.clone()), facts);
            order.command_id = Some(of_message(row));
            match store.execute(order).await {
                Err(StoreError::NotFound) => {}
                done => return done.map(drop),
            }
        }
        store.note(tenant.clone(), EventKind::MessageUndelivered { lost }).await
    }

    /// Somebody was not shown what they wanted to see, and never will be as it is: `what` it was, and why. About one request
    /// this is on record once for each of them, however often they try.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn not_shown(
        &self,
        tenant: &TenantId,
        request: Option<RequestId>,
        (what, identity, why): (&str, &Identity, String),
    ) -> Result<(), StoreError> {
        let to = Unreached::Account(identity.clone());
        let name = self.name_of(tenant, identity);
        let lost = Lost { notice: what.to_owned(), to, name, why, question: None };
        let store = &self.parts.store;
        let Some(request) = request else {
            return store.note(tenant.clone(), EventKind::MessageUndelivered { lost }).await;
        };
        if store.load(tenant, request).await?.unreached.contains(&lost.to) {
            return Ok(());
        }
        let facts = Facts::none(self.parts.clock.now());
        store.execute(Order::new(tenant.clone(), request, Command::GiveUp(lost), facts)).await.map(drop)
    }

    fn name_of(&self, tenant: &TenantId, identity: &Identity) -> Option<String> {
        match self.policy_of(tenant).people().behind(identity) {
            Standing::Member(member) => Some(member.name),
            Standing::None(_) => None,
        }
    }

    /// Whether the request of a question still waits: nobody has to answer any more about one that is over.
    pub(super) async fn is_waited_for(&self, message: &Message) -> Result<bool, StoreError> {
        let Some(request) = message.notice.request() else { return Ok(true) };
        match self.parts.store.load(&message.tenant, request).await {
            Ok(approval) => Ok(matches!(approval.state, State::WaitingApproval(_))),
            Err(StoreError::NotFound) => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}

/// The same for every try to give up the same message: its number, which with its time is nobody else's.
fn of_message(row: &OutboxRow) -> CommandId {
    let mut bytes = [0_u8; 16];
    bytes[..8].copy_from_slice(&row.since.as_millis().to_be_bytes());
    bytes[8..].copy_from_slice(&row.id.to_be_bytes());
    CommandId::from_bytes(bytes)
}
