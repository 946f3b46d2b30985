//! What Slack carries for Placet and nobody else is to read: hidden under a key of its own, made of the signing secret.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac as _};
use placet::id::Entropy;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

use super::{MAC_BYTES, SigningSecrets};

/// Opens the key that hides what Slack carries, so that it is neither a signature nor a seal.
const HIDING_DOMAIN: &[u8] = b"placet/hidden/v1\0";

/// Bytes of a nonce of XChaCha20: so many that it may be drawn by chance
/// ([draft-irtf-cfrg-xchacha](https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha-03)).
const NONCE_BYTES: usize = 24;

impl SigningSecrets {
    /// `text` as nobody else can read or change it: nonce and ciphertext, in the URL's base 64. None if it cannot be hidden.
    pub(crate) fn hide(&self, text: &[u8], entropy: &dyn Entropy) -> Option<String> {
        let mut nonce = [0; NONCE_BYTES];
        entropy.fill(&mut nonce);
        let hidden = hiding(&self.current)?.encrypt(XNonce::from_slice(&nonce), text).ok()?;
        Some(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &hidden].concat()))
    }

    /// What was hidden under one of the secrets; none if it was not, or is not whole.
    pub(crate) fn reveal(&self, hidden: &str) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(hidden).ok()?;
        let (nonce, hidden) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let mut secrets = [Some(&self.current), self.previous.as_ref()].into_iter().flatten();
        secrets.find_map(|secret| hiding(secret)?.decrypt(XNonce::from_slice(nonce), hidden).ok())
    }
}

/// HMAC takes keys of any length: there is always a cipher.
fn hiding(secret: &SecretString) -> Option<XChaCha20Poly1305> {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(secret.expose_secret().as_bytes()).ok()?;
    mac.update(HIDING_DOMAIN);
    let key: [u8; MAC_BYTES] = mac.finalize().into_bytes().into();
    Some(XChaCha20Poly1305::new(Key::from_slice(&key)))
}
