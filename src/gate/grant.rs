//! A claim as an executor outside carries it: signed, so that it can be checked offline.
//!
//! The form is `placet1.PAYLOAD.SIGNATURE`: base64url without padding, the payload RFC 8785 JSON, the signature
//! Ed25519 (RFC 8032) over `"placet/grant/v1\0"` and the payload's bytes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::call::CallDigest;
use crate::id::{ClaimId, CredentialId, RequestId, TenantId};
use crate::time::Timestamp;

const PREFIX: &str = "placet1";
const DOMAIN: &[u8] = b"placet/grant/v1\0";

/// What a grant says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Which claim.
    pub claim: ClaimId,
    /// Of which request.
    pub request: RequestId,
    /// Whose.
    pub tenant: TenantId,
    /// Who may run it.
    pub audience: CredentialId,
    /// What may run.
    pub digest: CallDigest,
    /// Not after then: the end of the lease.
    pub not_after: Timestamp,
    /// The installation's epoch: a grant from before a restore is worth nothing after it.
    pub epoch: String,
}

/// Why a grant is worth nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// Not of the form of a grant.
    #[error("this is not a grant: placet1.PAYLOAD.SIGNATURE is expected")]
    Form,
    /// Not signed by this installation's key.
    #[error("the grant's signature does not verify with this key")]
    Signature,
    /// For another executor.
    #[error("the grant is for another executor")]
    Audience,
    /// For another call.
    #[error("the grant is for another call")]
    Call,
    /// Its time is over.
    #[error("the grant's time is over")]
    Over,
    /// From before a restore.
    #[error("the grant is from another epoch of the installation")]
    Epoch,
}

/// Signs grants. The key is not in the database.
#[derive(Debug)]
pub struct GrantSigner {
    key: SigningKey,
    epoch: String,
}

impl GrantSigner {
    /// With a secret key of 32 bytes and the installation's epoch.
    #[must_use]
    pub fn new(secret: &[u8; 32], epoch: impl Into<String>) -> Self {
        Self { key: SigningKey::from_bytes(secret), epoch: epoch.into() }
    }

    /// The key that verifies.
    #[must_use]
    pub fn verifying_key(&self) -> [u8; 32] {
        self.key.verifying_key().to_bytes()
    }

    /// The installation's epoch.
    #[must_use]
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// The signed text of a grant.
    #[must_use]
    pub fn sign(&self, grant: &Grant) -> String {
        // Plain strings and numbers: serialising cannot fail, and an empty payload would verify as nothing.
        let payload = serde_json_canonicalizer::to_vec(grant).unwrap_or_default();
        let signature = self.key.sign(&[DOMAIN, &payload].concat());
        format!(
            "{PREFIX}.{}.{}",
            URL_SAFE_NO_PAD.encode(payload),
            URL_SAFE_NO_PAD.encode(signature.to_bytes())
        )
    }
}

/// What an executor outside checks a grant against.
#[derive(Debug, Clone)]
pub struct GrantCheck<'a> {
    /// The installation's public key.
    pub key: &'a [u8; 32],
    /// The installation's epoch.
    pub epoch: &'a str,
    /// The executor's own credential.
    pub audience: &'a CredentialId,
    /// The call that is about to run.
    pub digest: CallDigest,
    /// The executor's own time.
    pub now: Timestamp,
}

impl Grant {
    /// Reads and checks a grant, offline.
    ///
    /// # Errors
    /// [`GrantError`], the signature before anything that the payload says.
    pub fn verify(text: &str, check: &GrantCheck<'_>) -> Result<Self, GrantError> {
        let mut parts = text.split('.');
        let (Some(PREFIX), Some(payload), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(GrantError::Form);
        };
        let payload = URL_SAFE_NO_PAD.decode(payload).map_err(|_| GrantError::Form)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| GrantError::Form)?;
        let signature = Signature::from_slice(&signature).map_err(|_| GrantError::Form)?;
        let key = VerifyingKey::from_bytes(check.key).map_err(|_| GrantError::Signature)?;
        key.verify(&[DOMAIN, &payload].concat(), &signature).map_err(|_| GrantError::Signature)?;
        let grant: Self = serde_json::from_slice(&payload).map_err(|_| GrantError::Form)?;
        if grant.epoch != check.epoch {
            Err(GrantError::Epoch)
        } else if grant.audience != *check.audience {
            Err(GrantError::Audience)
        } else if grant.digest != check.digest {
            Err(GrantError::Call)
        } else if check.now >= grant.not_after {
            Err(GrantError::Over)
        } else {
            Ok(grant)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Entropy;

    struct Zeros;
    impl Entropy for Zeros {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    /// R24: an executor outside can check a signed grant offline; R48: one of another epoch is worth nothing.
    #[test]
    fn a_grant_holds_for_one_call_of_one_executor_until_its_end() {
        let signer = GrantSigner::new(&[7; 32], "epoch-1");
        let now = Timestamp::from_secs(1000);
        let audience = CredentialId::new("runner").unwrap();
        let digest = CallDigest::of(b"call");
        let grant = Grant {
            claim: ClaimId::mint(now, &Zeros),
            request: RequestId::mint(now, &Zeros),
            tenant: TenantId::new("acme").unwrap(),
            audience: audience.clone(),
            digest,
            not_after: Timestamp::from_secs(1060),
            epoch: "epoch-1".to_owned(),
        };
        let text = signer.sign(&grant);
        let key = signer.verifying_key();
        let check = GrantCheck { key: &key, epoch: "epoch-1", audience: &audience, digest, now };
        assert_eq!(Grant::verify(&text, &check), Ok(grant));
        let other = CredentialId::new("other").unwrap();
        let refused = |change: GrantCheck<'_>| Grant::verify(&text, &change).unwrap_err();
        assert_eq!(refused(GrantCheck { audience: &other, ..check.clone() }), GrantError::Audience);
        assert_eq!(refused(GrantCheck { digest: CallDigest::of(b"x"), ..check.clone() }), GrantError::Call);
        assert_eq!(
            refused(GrantCheck { now: Timestamp::from_secs(1060), ..check.clone() }),
            GrantError::Over
        );
        assert_eq!(refused(GrantCheck { epoch: "epoch-2", ..check.clone() }), GrantError::Epoch);
        let foreign = GrantSigner::new(&[8; 32], "epoch-1").verifying_key();
        assert_eq!(refused(GrantCheck { key: &foreign, ..check.clone() }), GrantError::Signature);
        let mut bytes: Vec<char> = text.chars().collect();
        bytes[20] = if bytes[20] == 'A' { 'B' } else { 'A' };
        let bent: String = bytes.into_iter().collect();
        assert!(Grant::verify(&bent, &check).is_err());
        assert_eq!(Grant::verify("x", &check), Err(GrantError::Form));
    }
}
