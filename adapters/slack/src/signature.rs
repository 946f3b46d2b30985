//! Slack's request signature, version `v0`.
//!
//! What always holds: a [`Verified`] exists only for bytes that carried a valid signature of one of the two signing
//! secrets, made at most [`SIGNATURE_AGE_SECONDS_MAX`] seconds from now. It owns those bytes, so that no other body
//! can be parsed in their place. Nothing computed here leaves it: errors tell the kind of fault to the log and
//! nothing to the caller. Only [`crate::probe`] signs, and calls an address of Placet's own.
//!
//! Source: <https://docs.slack.dev/authentication/verifying-requests-from-slack>.

mod hidden;

use axum::http::HeaderMap;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};

/// How far the time in a signature may be from now, in seconds, in either direction.
pub const SIGNATURE_AGE_SECONDS_MAX: u64 = 300;

/// The header that carries the time of signing: seconds since the epoch, plain digits.
pub const TIMESTAMP_HEADER: &str = "x-slack-request-timestamp";

/// The header that carries `v0=` and 64 lower-case hexadecimal digits.
pub const SIGNATURE_HEADER: &str = "x-slack-signature";

/// The version of the scheme; other versions are refused.
const VERSION_PREFIX: &[u8] = b"v0=";

/// Bytes of an HMAC-SHA256.
const MAC_BYTES: usize = 32;

/// A signing secret was empty or only white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the Slack signing secret is empty")]
pub struct EmptySecret;

/// Why a request counts as unsigned. The text is the same for every kind; the kind is for the log and the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request is not signed")]
pub enum Unsigned {
    /// A header is missing or was sent more than once.
    Missing,
    /// A header has another form than Slack gives it.
    Malformed,
    /// The time of signing is too far from now.
    Stale,
    /// The signature belongs to other bytes, another time or another secret.
    Mismatch,
}

/// A body whose signature was checked. Only [`SigningSecrets::verify`] makes one.
pub struct Verified {
    body: Bytes,
}

impl Verified {
    /// The bytes exactly as they arrived.
    pub fn body(&self) -> &Bytes {
        &self.body
    }
}

/// Shows the length only: bodies do not belong in logs.
impl std::fmt::Debug for Verified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verified").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}

/// The signing secret of an app, and during a rotation the one before it.
#[derive(Debug, Clone)]
pub struct SigningSecrets {
    current: SecretString,
    previous: Option<SecretString>,
}

impl SigningSecrets {
    /// The secret of the app. Refuses an empty one.
    pub fn new(current: SecretString) -> Result<Self, EmptySecret> {
        refuse_empty(&current)?;
        Ok(Self { current, previous: None })
    }

    /// The secret of the app, and the one that was valid before it. Refuses empty ones.
    pub fn rotating(current: SecretString, previous: SecretString) -> Result<Self, EmptySecret> {
        refuse_empty(&current)?;
        refuse_empty(&previous)?;
        Ok(Self { current, previous: Some(previous) })
    }

    /// Whether both headers are there, have Slack's form and are of now: what can be said before the body is read.
    pub(crate) fn check_headers(now_secs: i64, headers: &HeaderMap) -> Result<(), Unsigned> {
        let timestamp = sole_header(headers, TIMESTAMP_HEADER).ok_or(Unsigned::Missing)?;
        let signature = sole_header(headers, SIGNATURE_HEADER).ok_or(Unsigned::Missing)?;
        let signed_at = parse_timestamp(timestamp)?;
        parse_signature(signature)?;
        check_age(now_secs, signed_at)
    }

    /// Takes both headers out of `headers` and verifies `body`. A header sent twice counts as missing.
    pub fn verify_request(
        &self,
        now_secs: i64,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Verified, Unsigned> {
        let timestamp = sole_header(headers, TIMESTAMP_HEADER);
        let signature = sole_header(headers, SIGNATURE_HEADER);
        self.verify(now_secs, timestamp, signature, body)
    }

    /// Verifies `body` against the two headers, in constant time over both secrets.
    ///
    /// `now_secs` is seconds since the epoch. The signature covers the timestamp as it was sent, byte by byte.
    pub fn verify(
        &self,
        now_secs: i64,
        timestamp_header: Option<&[u8]>,
        signature_header: Option<&[u8]>,
        body: Bytes,
    ) -> Result<Verified, Unsigned> {
        let timestamp = timestamp_header.ok_or(Unsigned::Missing)?;
        let signature = signature_header.ok_or(Unsigned::Missing)?;
        let signed_at = parse_timestamp(timestamp)?;
        let given = parse_signature(signature)?;
        check_age(now_secs, signed_at)?;
        // Without a previous secret the current one is tried twice, so that the time tells nothing of a rotation.
        let previous = self.previous.as_ref().unwrap_or(&self.current);
        let by_current = matches(&self.current, timestamp, &body, &given)?;
        let by_previous = matches(previous, timestamp, &body, &given)?;
        if bool::from(by_current | by_previous) { Ok(Verified { body }) } else { Err(Unsigned::Mismatch) }
    }
}

const fn check_age(now_secs: i64, signed_at: i64) -> Result<(), Unsigned> {
    if now_secs.abs_diff(signed_at) > SIGNATURE_AGE_SECONDS_MAX { Err(Unsigned::Stale) } else { Ok(()) }
}

/// Opens what Placet seals for itself, so that a seal is never a signature of Slack's (those begin with `v0:`).
const SEAL_DOMAIN: &[u8] = b"placet/reference/v1\0";

impl SigningSecrets {
    /// A tag that proves later that Placet itself wrote `data`; in hexadecimal digits.
    pub(crate) fn seal(&self, data: &[u8]) -> String {
        seal(&self.current, data).map(hex::encode).unwrap_or_default()
    }

    /// Whether `tag` is the seal of `data` under one of the secrets, in constant time.
    pub(crate) fn is_sealed(&self, data: &[u8], tag: &str) -> bool {
        let mut given = [0; MAC_BYTES];
        if hex::decode_to_slice(tag, &mut given).is_err() {
            return false;
        }
        let by = |secret: &SecretString| {
            seal(secret, data).map_or_else(|| Choice::from(0), |expected| expected.ct_eq(&given))
        };
        (by(&self.current) | by(self.previous.as_ref().unwrap_or(&self.current))).into()
    }
}

/// HMAC takes keys of any length: there is always a seal.
fn seal(secret: &SecretString, data: &[u8]) -> Option<[u8; MAC_BYTES]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).ok()?;
    mac.update(SEAL_DOMAIN);
    mac.update(data);
    Some(mac.finalize().into_bytes().into())
}

/// The value of a header that was sent exactly once.
fn sole_header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h [u8]> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value.as_bytes()),
        _ => None,
    }
}

fn refuse_empty(secret: &SecretString) -> Result<(), EmptySecret> {
    if secret.expose_secret().trim().is_empty() { Err(EmptySecret) } else { Ok(()) }
}

/// Plain digits only, as a number is written: no sign, no fraction, no zero in front, no white space, nothing that
/// overflows.
fn parse_timestamp(header: &[u8]) -> Result<i64, Unsigned> {
    if header.is_empty() || header.starts_with(b"0") || !header.iter().all(u8::is_ascii_digit) {
        return Err(Unsigned::Malformed);
    }
    let digits = std::str::from_utf8(header).map_err(|_| Unsigned::Malformed)?;
    digits.parse().map_err(|_| Unsigned::Malformed)
}

/// `v0=` and exactly 64 lower-case hexadecimal digits.
fn parse_signature(header: &[u8]) -> Result<[u8; MAC_BYTES], Unsigned> {
    let digits = header.strip_prefix(VERSION_PREFIX).ok_or(Unsigned::Malformed)?;
    if digits.iter().any(u8::is_ascii_uppercase) {
        return Err(Unsigned::Malformed);
    }
    let mut mac = [0; MAC_BYTES];
    hex::decode_to_slice(digits, &mut mac).map_err(|_| Unsigned::Malformed)?;
    Ok(mac)
}

impl SigningSecrets {
    /// What Slack would send as [`SIGNATURE_HEADER`] with this body at this time.
    pub(crate) fn sign(&self, at_secs: i64, body: &[u8]) -> String {
        let mac = mac_of(&self.current, at_secs.to_string().as_bytes(), body);
        mac.map(|mac| format!("v0={}", hex::encode(mac.finalize().into_bytes()))).unwrap_or_default()
    }
}

/// HMAC takes keys of any length: there is always one.
fn mac_of(secret: &SecretString, timestamp: &[u8], body: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).ok()?;
    mac.update(b"v0:");
    mac.update(timestamp);
    mac.update(b":");
    mac.update(body);
    Some(mac)
}

fn matches(
    secret: &SecretString,
    timestamp: &[u8],
    body: &[u8],
    given: &[u8; MAC_BYTES],
) -> Result<Choice, Unsigned> {
    let mac = mac_of(secret, timestamp, body).ok_or(Unsigned::Mismatch)?;
    Ok(mac.finalize().into_bytes().as_slice().ct_eq(given))
}

#[cfg(test)]
pub(crate) mod cases;

#[cfg(test)]
mod tests {
    use super::cases::{malformed_signatures, malformed_timestamps};
    use super::*;

    const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
    const SIGNED_AT: &str = "1531420618";
    const NOW: i64 = 1_531_420_618;
    const BODY: &str = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow\
        &channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner\
        &command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands\
        %2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN\
        &trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const SIGNATURE: &str = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

    fn secrets() -> SigningSecrets {
        SigningSecrets::new(SecretString::from(SECRET)).unwrap()
    }

    fn verify(now: i64, timestamp: &str, signature: &str, body: &str) -> Result<Verified, Unsigned> {
        let body = Bytes::copy_from_slice(body.as_bytes());
        secrets().verify(now, Some(timestamp.as_bytes()), Some(signature.as_bytes()), body)
    }

    /// A signature as Slack would make it, for timestamps that it would not send.
    fn signed(secret: &str, timestamp: &str, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(format!("v0:{timestamp}:{body}").as_bytes());
        format!("v0={}", hex::encode(mac.finalize().into_bytes()))
    }

    #[test]
    fn the_published_vector_is_accepted() {
        let verified = verify(NOW, SIGNED_AT, SIGNATURE, BODY).unwrap();
        assert_eq!(verified.body().as_ref(), BODY.as_bytes());
    }

    #[test]
    fn five_minutes_either_way_are_accepted_and_one_second_more_is_not() {
        for offset in [-300, 0, 300] {
            assert!(verify(NOW + offset, SIGNED_AT, SIGNATURE, BODY).is_ok(), "{offset}");
        }
        for offset in [-301, 301, i64::MAX - NOW, i64::MIN] {
            let refused = verify(NOW.saturating_add(offset), SIGNED_AT, SIGNATURE, BODY).unwrap_err();
            assert_eq!(refused, Unsigned::Stale, "{offset}");
        }
    }

    /// Each timestamp is rightly signed as it stands, so that only its form is at fault.
    #[test]
    fn every_malformed_timestamp_is_refused() {
        for timestamp in &malformed_timestamps(SIGNED_AT) {
            let signature = signed(SECRET, timestamp, BODY);
            assert_eq!(
                verify(NOW, timestamp, &signature, BODY).unwrap_err(),
                Unsigned::Malformed,
                "{timestamp:?}"
            );
        }
        // Milliseconds are digits too, but far from now.
        let signature = signed(SECRET, "1531420618000", BODY);
        assert_eq!(verify(NOW, "1531420618000", &signature, BODY).unwrap_err(), Unsigned::Stale);
    }

    #[test]
    fn every_malformed_signature_is_refused() {
        for signature in malformed_signatures(SIGNATURE) {
            let body = Bytes::from_static(BODY.as_bytes());
            assert_eq!(
                secrets().verify(NOW, Some(SIGNED_AT.as_bytes()), Some(&signature), body).unwrap_err(),
                Unsigned::Malformed,
                "{}",
                signature.escape_ascii()
            );
        }
    }

    #[test]
    fn a_signature_for_anything_else_is_refused() {
        let other_secret = signed("another secret", SIGNED_AT, BODY);
        let other_time = signed(SECRET, "1531420619", BODY);
        for (timestamp, signature, body) in [
            (SIGNED_AT, other_secret.as_str(), BODY),
            (SIGNED_AT, other_time.as_str(), BODY),
            (SIGNED_AT, SIGNATURE, ""),
            (SIGNED_AT, SIGNATURE, &BODY.replace("%2F", "%2f")),
            (SIGNED_AT, SIGNATURE, &BODY.replace("%2F", "/")),
            (SIGNED_AT, SIGNATURE, &format!("{BODY}\n")),
            ("1531420619", SIGNATURE, BODY),
        ] {
            assert_eq!(verify(NOW, timestamp, signature, body).unwrap_err(), Unsigned::Mismatch);
        }
    }

    #[test]
    fn missing_and_repeated_headers_are_refused() {
        let body = || Bytes::from_static(BODY.as_bytes());
        for (timestamp, signature) in [(None, Some(SIGNATURE)), (Some(SIGNED_AT), None), (None, None)] {
            let refused = secrets()
                .verify(NOW, timestamp.map(str::as_bytes), signature.map(str::as_bytes), body())
                .unwrap_err();
            assert_eq!(refused, Unsigned::Missing);
        }
        let mut headers = HeaderMap::new();
        headers.append(TIMESTAMP_HEADER, SIGNED_AT.parse().unwrap());
        headers.append(SIGNATURE_HEADER, SIGNATURE.parse().unwrap());
        assert!(secrets().verify_request(NOW, &headers, body()).is_ok());
        for (name, value) in [(TIMESTAMP_HEADER, SIGNED_AT), (SIGNATURE_HEADER, SIGNATURE)] {
            let mut twice = headers.clone();
            twice.append(name, value.parse().unwrap());
            assert_eq!(secrets().verify_request(NOW, &twice, body()).unwrap_err(), Unsigned::Missing);
        }
    }

    #[test]
    fn both_secrets_are_valid_during_a_rotation_and_no_third() {
        let rotating =
            SigningSecrets::rotating(SecretString::from("new"), SecretString::from(SECRET)).unwrap();
        for (secret, accepted) in [("new", true), (SECRET, true), ("old", false)] {
            let signature = signed(secret, SIGNED_AT, BODY);
            let body = Bytes::from_static(BODY.as_bytes());
            let result = rotating.verify(NOW, Some(SIGNED_AT.as_bytes()), Some(signature.as_bytes()), body);
            assert_eq!(result.is_ok(), accepted, "{secret}");
        }
    }

    #[test]
    fn empty_secrets_are_refused() {
        for empty in ["", " ", "\n\t"] {
            assert!(SigningSecrets::new(SecretString::from(empty)).is_err());
            assert!(SigningSecrets::rotating(SecretString::from(empty), SecretString::from("s")).is_err());
            assert!(SigningSecrets::rotating(SecretString::from("s"), SecretString::from(empty)).is_err());
        }
    }

    #[test]
    fn nothing_secret_is_said() {
        let refused = verify(NOW, SIGNED_AT, &signed("x", SIGNED_AT, BODY), BODY).unwrap_err();
        assert_eq!(refused.to_string(), Unsigned::Missing.to_string());
        let verified = verify(NOW, SIGNED_AT, SIGNATURE, BODY).unwrap();
        for shown in [format!("{verified:?}"), format!("{:?}", secrets()), format!("{refused:?}")] {
            assert!(!shown.contains(SECRET) && !shown.contains("a2114d57") && !shown.contains("token="));
        }
    }
}
