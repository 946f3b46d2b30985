//! JSON as Slack may send it: with half of a character in a text, which JavaScript and Python take and Unicode does not
//! have. A text that was cut in the middle of a character must not swallow a decision: the half becomes U+FFFD.

use std::borrow::Cow;

use serde_json::Value;

use super::BadBody;

/// The value of a text in JSON.
pub(crate) fn read(text: &str) -> Result<Value, BadBody> {
    serde_json::from_str(text).or_else(|_| match without_halves(text) {
        Cow::Owned(mended) => serde_json::from_str(&mended).map_err(|_| BadBody::NotJson),
        Cow::Borrowed(_) => Err(BadBody::NotJson),
    })
}

/// The escape `\uXXXX` that the text begins with, if it does.
fn escape(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    hexadecimal.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// The text with the escape of U+FFFD in place of each of half a character.
fn without_halves(text: &str) -> Cow<'_, str> {
    /// What an escape takes, and what two of them take.
    const ONE: usize = 6;
    let mut mended = String::new();
    let (mut rest, mut found) = (text, false);
    while let Some(at) = rest.find('\\') {
        let (before, escaped) = rest.split_at(at);
        mended.push_str(before);
        let second = || escaped.get(ONE..).and_then(escape);
        let (kept, taken) = match escape(escaped) {
            Some(0xd800..=0xdbff) if second().is_some_and(|low| (0xdc00..=0xdfff).contains(&low)) => {
                (escaped.get(..2 * ONE), 2 * ONE)
            }
            Some(0xd800..=0xdfff) => {
                found = true;
                (Some("\\ufffd"), ONE)
            }
            Some(_) => (escaped.get(..ONE), ONE),
            // The backslash and the character behind it, which may be another backslash.
            None => {
                let width = escaped.chars().take(2).map(char::len_utf8).sum();
                (escaped.get(..width), width)
            }
        };
        mended.push_str(kept.unwrap_or_default());
        rest = escaped.get(taken..).unwrap_or_default();
    }
    mended.push_str(rest);
    if found { Cow::Owned(mended) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn half_a_character_is_no_reason_to_refuse() {
        let cases = [
            (r#"{"a":"x\ud83d"}"#, json!({ "a": "x\u{fffd}" })),
            (r#"{"a":"\udc00y"}"#, json!({ "a": "\u{fffd}y" })),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, json!({ "a": "\u{fffd}\u{1f600}" })),
            (r#"{"a":"\\ud83d\ud83d"}"#, json!({ "a": "\\ud83d\u{fffd}" })),
            (r#"{"a":"\ud83dü\"\ud83d\u0041"}"#, json!({ "a": "\u{fffd}ü\"\u{fffd}A" })),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        for bad in ["", "{", r#"{"a":"\ud83"}"#, r#"{"a":"\ud83d"#, "\\", r"\ud83d"] {
            assert_eq!(read(bad), Err(BadBody::NotJson), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn whole_characters_stay(text in "(\\PC|[\\\\\"\u{1f600}]){0,40}") {
            // As escapes, each unit by itself.
            let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            prop_assert_eq!(without_halves(&escaped), escaped.as_str());
            prop_assert_eq!(read(&format!("\"{escaped}\"")), Ok(json!(text)));
        }
    }
}
