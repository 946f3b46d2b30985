//! Strict decoding of `application/x-www-form-urlencoded` bodies: what is not UTF-8 is an error, not a replacement
//! character. A percent sign without two digits stands for itself, as in the URL standard.

use super::BadBody;

/// Every field in order, decoded.
pub(super) fn fields(body: &[u8]) -> Result<Vec<(String, String)>, BadBody> {
    body.split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = match pair.iter().position(|byte| *byte == b'=') {
                Some(at) => (&pair[..at], &pair[at + 1..]),
                None => (pair, &[][..]),
            };
            Ok((decode(name)?, decode(value)?))
        })
        .collect()
}

/// The value of the field that must stand exactly once.
pub(super) fn sole_field(body: &[u8], name: &str) -> Result<String, BadBody> {
    let mut values = fields(body)?.into_iter().filter(|(field, _)| field == name);
    match (values.next(), values.next()) {
        (Some((_, value)), None) => Ok(value),
        _ => Err(BadBody::NotForm),
    }
}

/// Whether this is Slack's probe of a certificate, which comes unsigned, carries nothing and is answered 200.
pub fn is_ssl_check(body: &[u8]) -> bool {
    sole_field(body, "ssl_check").is_ok_and(|value| value == "1")
}

fn decode(encoded: &[u8]) -> Result<String, BadBody> {
    let mut decoded = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while at < encoded.len() {
        let (byte, width) = match encoded[at] {
            b'+' => (b' ', 1),
            b'%' => match encoded.get(at + 1..at + 3).and_then(hex_byte) {
                Some(byte) => (byte, 3),
                None => (b'%', 1),
            },
            byte => (byte, 1),
        };
        decoded.push(byte);
        at += width;
    }
    String::from_utf8(decoded).map_err(|_| BadBody::NotUtf8)
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let mut byte = [0];
    hex::decode_to_slice(digits, &mut byte).ok()?;
    Some(byte[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_as_the_url_standard_says() {
        let expected = [("a", "1 2"), ("b", "ü&="), ("c", ""), ("d", "%zz%")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(fields(b"a=1+2&b=%C3%bc%26%3D&&c&d=%zz%").unwrap(), expected);
        assert_eq!(fields(b"").unwrap(), []);
    }

    #[test]
    fn what_is_not_utf8_is_refused() {
        assert_eq!(fields(b"a=\xff"), Err(BadBody::NotUtf8));
        assert_eq!(fields(b"a=%ff"), Err(BadBody::NotUtf8));
        assert_eq!(fields(b"%ff=a"), Err(BadBody::NotUtf8));
    }

    #[test]
    fn a_needed_field_stands_once() {
        assert_eq!(sole_field(b"x=1&payload=a", "payload").unwrap(), "a");
        assert_eq!(sole_field(b"payload=a&payload=b", "payload"), Err(BadBody::NotForm));
        assert_eq!(sole_field(b"{}", "payload"), Err(BadBody::NotForm));
    }

    #[test]
    fn the_certificate_probe_is_known() {
        assert!(is_ssl_check(b"ssl_check=1&token=abc"));
        for other in [&b"ssl_check=0"[..], b"ssl_check=", b"ssl_check=1&ssl_check=1", b"a=1", b"\xff"] {
            assert!(!is_ssl_check(other));
        }
    }
}
