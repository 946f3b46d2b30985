//! A yes or a no as it is handed to the gate.

use std::sync::Arc;

use placet::approval::{Assurance, Ballot, Decision};
use placet::card::CardView;
use placet::id::{DeliveryKey, IdError, SurfaceName, TenantId};
use placet::inbound::{Act, Inbound, Located, MessageRef, ReplyTo};
use placet::person::Identity;
use placet::ports::Clock;

/// Takes what somebody decided; called from any thread, and must not block: a channel's sender, say. Whoever holds
/// the other end hands it to the gate.
pub type Sink = Arc<dyn Fn(Inbound) + Send + Sync>;

/// Who sits there, and for whom.
#[derive(Clone)]
pub struct Desk {
    /// The surface's configured name.
    pub name: SurfaceName,
    /// Whose requests are decided here.
    pub tenant: TenantId,
    /// The account that decides: `terminal/ana`, `script/ana`.
    pub identity: Identity,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where decisions go.
    pub sink: Sink,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk")
            .field("name", &self.name)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl Desk {
    /// Hands in a decision about what was shown. `nth` tells several on one message apart.
    pub(crate) fn decide(
        &self,
        view: &CardView,
        message: &MessageRef,
        (decision, note): (Decision, Option<String>),
        nth: u64,
    ) -> Result<(), IdError> {
        let located = Located { surface: self.name.clone(), message: message.clone() };
        let reply = ReplyTo {
            surface: self.name.clone(),
            channel: message.channel.clone(),
            thread: None,
            identity: self.identity.clone(),
        };
        // The same as the gate puts on record before the card is posted: with secrets hidden it is not the whole.
        let shown = view.shown(&self.name, view.call.redacted == 0);
        (self.sink)(Inbound {
            delivery: DeliveryKey::new(format!("{}:{}:{nth}", self.name, message.id))?,
            at: self.clock.now(),
            tenant: self.tenant.clone(),
            request: view.request,
            message: Some(located),
            reply: Some(reply),
            act: Act::Vote(Ballot {
                identity: self.identity.clone(),
                decision,
                note,
                surface: self.name.clone(),
                assurance: Assurance::Signed,
                shown: Some(shown),
                remember: false,
                given_on: None,
                sign: None,
            }),
        });
        Ok(())
    }
}
