//! Places in a tenant's record, as they are told to it.
//!
//! The record is numbered over all tenants. Told in the open, the gaps between a tenant's own events would tell it
//! what the others do. So a number goes out encrypted, with a key per tenant: a four-round Feistel network (Luby and
//! Rackoff, 1988) over the number and as many zero bits, by which a made-up cursor is known.

use hmac::{Hmac, KeyInit as _, Mac as _};
use placet::id::TenantId;
use placet::record::Seq;
use sha2::Sha256;

/// Four rounds make the permutation strong even against whoever has cursors decrypted.
const ROUNDS: u8 = 4;

/// The installation's secret behind its cursors. It must outlive a restart, or clients cannot resume.
#[derive(Clone)]
pub struct CursorKey([u8; 32]);

impl CursorKey {
    /// From 32 secret bytes.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// What a tenant is told of a place.
    pub(crate) fn seal(&self, tenant: &TenantId, place: Seq) -> String {
        let (mut left, mut right) = (place.0, 0);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ self.mix(tenant, round, right));
        }
        hex::encode([left.to_be_bytes(), right.to_be_bytes()].concat())
    }

    /// The place that was told to this tenant; none for anything else.
    pub(crate) fn open(&self, tenant: &TenantId, cursor: &str) -> Option<Seq> {
        let bytes: [u8; 16] = hex::decode(cursor).ok()?.try_into().ok()?;
        let (left, right) = bytes.split_at(8);
        let mut left = u64::from_be_bytes(left.try_into().ok()?);
        let mut right = u64::from_be_bytes(right.try_into().ok()?);
        for round in (0..ROUNDS).rev() {
            (left, right) = (right ^ self.mix(tenant, round, left), left);
        }
        (right == 0).then_some(Seq(left))
    }

    fn mix(&self, tenant: &TenantId, round: u8, half: u64) -> u64 {
        // HMAC takes keys of any length, so that this arm is never taken.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return 0 };
        mac.update(b"placet/cursor/v1\0");
        mac.update(&[round]);
        mac.update(&half.to_be_bytes());
        mac.update(tenant.as_str().as_bytes());
        let tag: [u8; 32] = mac.finalize().into_bytes().into();
        tag.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R19: a cursor tells nothing of how much others do, and is worth nothing to them.
    #[test]
    fn a_cursor_is_read_back_by_its_own_tenant_only() {
        let key = CursorKey::new([7; 32]);
        let (acme, globex) = (TenantId::new("acme").unwrap(), TenantId::new("globex").unwrap());
        for number in [0, 1, 2, 255, u64::MAX] {
            let cursor = key.seal(&acme, Seq(number));
            assert_eq!(key.open(&acme, &cursor), Some(Seq(number)));
            assert_eq!(key.open(&globex, &cursor), None);
            assert_eq!(CursorKey::new([8; 32]).open(&acme, &cursor), None);
        }
        assert_ne!(key.seal(&acme, Seq(1))[..16], key.seal(&acme, Seq(2))[..16]);
        assert_eq!(key.open(&acme, "7"), None);
        assert_eq!(key.open(&acme, &"0".repeat(32)), None);
    }
}
