//! What somebody said that does not count as theirs: it is on record, and they are told why.

use placet::approval::Actor;
use placet::id::DeliveryKey;
use placet::text::Unproven;

use super::{Left, MatrixInbound, identity};
use crate::backing::Unbacked;
use crate::reader::Confirmed;

impl MatrixInbound {
    /// Notes that what somebody said was not taken, and tells them under it, once.
    pub(super) async fn is_unproven(
        &self,
        (confirmed, delivery): (&Confirmed, &DeliveryKey),
        presented: &str,
        why: &Unbacked,
    ) -> Result<(), Left> {
        let act = confirmed.act();
        let Some(identity) = identity(&act.sender) else { return Ok(()) };
        if !self.is_new(delivery) {
            return Ok(());
        }
        let of = unproven(why);
        if let Unbacked::IdentityChanged { pinned, seen } = why {
            tracing::error!(
                account = %act.sender, was = %pinned, is = %seen,
                "somebody's identity is another than the one that was known, and what they say does not count: compare their \
                 new key with them before you note it down"
            );
        }
        let presented = format!("{presented}: {}", of.name());
        let tenant = &self.0.matrix.settings().tenant;
        self.0.gate.note_stranger(tenant, Actor::Account(identity), "vote", &presented).await;
        let (room, event) = (act.room.as_str(), act.event.as_str());
        let said = self.0.matrix.texts(room).unproven(of);
        if let Err(fault) = self.0.matrix.answers(room, event, said).await {
            tracing::warn!(error = %fault, room, event, "somebody could not be told why what they said does not count");
        }
        Ok(())
    }
}

const fn unproven(why: &Unbacked) -> Unproven {
    match why {
        Unbacked::PlaintextInEncryptedRoom => Unproven::Plaintext,
        Unbacked::UnsignedDevice => Unproven::UnsignedDevice,
        Unbacked::UnknownDevice => Unproven::UnknownDevice,
        Unbacked::OtherSender => Unproven::OtherSender,
        Unbacked::IdentityChanged { .. } => Unproven::IdentityChanged,
        Unbacked::Unreadable => Unproven::Unreadable,
    }
}
