//! Secrets that stand under a telling name: `password=x`, `"apiKey": "x"`, `Authorization: Basic x`, `--token x`.

use std::ops::Range;

use super::{is_token, run};

/// A key is sensitive if its last word is one of these.
const WORDS: [&str; 11] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "apikey",
    "authorization",
    "cookie",
    "passwort",
];
/// … or if its last two are.
const PAIRS: [(&str, &str); 12] = [
    ("api", "key"),
    ("private", "key"),
    ("secret", "key"),
    ("access", "key"),
    ("signing", "key"),
    ("encryption", "key"),
    ("ssh", "key"),
    ("master", "key"),
    ("account", "key"),
    ("auth", "key"),
    ("service", "key"),
    ("pass", "word"),
];
/// … or if its last word ends like this, where words were written as one.
const ENDINGS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "clientsecret",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "bearertoken",
    "idtoken",
    "apitoken",
];
/// Words behind the telling one that leave it a secret.
const SUFFIXES: [&str; 15] = [
    "value",
    "raw",
    "plain",
    "plaintext",
    "text",
    "string",
    "b64",
    "base64",
    "hash",
    "old",
    "new",
    "current",
    "confirm",
    "confirmation",
    "again",
];
/// Tokens that only number the pages of a listing.
const PAGING: [&str; 5] = ["page", "next", "continuation", "sync", "cursor"];
/// What comes before the credential in a header (RFC 9110, section 11.4).
const SCHEMES: [&str; 6] = ["basic", "bearer", "token", "digest", "negotiate", "apikey"];
/// What programs and schemas write in the place of a value.
const PLACEHOLDERS: [&str; 14] = [
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "string",
    "str",
    "bool",
    "number",
    "int",
    "required",
    "optional",
    "redacted",
];
/// Where one of these stands, more than one value may stand there.
const SHELL: &[u8] = b";|&$`<>(){}[]\\\"'*\n";
/// Bytes before a separator in which a key is looked for, and behind it in which a token begins: the work stays in
/// proportion to the text.
const KEY_BYTES_MAX: usize = 80;
const WORD_BYTES_MAX: usize = 1024;

/// Does a key of this name hold a secret? Words may be joined by `_`, `-`, `.` or case: `client_secret`,
/// `X-Api-Key`, `dbPassword`, `PGPASSWORD`. Not `token_count`, `max_tokens`, `author`, `keyboard`, `public_key`,
/// `next_page_token`.
pub fn is_sensitive_key(key: &str) -> bool {
    let mut words = words(key);
    while words.len() > 1 && words.last().is_some_and(|word| is_suffix(word)) {
        words.pop();
    }
    let Some(last) = words.last() else { return false };
    if last == "token" && words.iter().any(|word| PAGING.contains(&word.as_str())) {
        return false;
    }
    // password2, secret1
    let last = last.trim_end_matches(|char: char| char.is_ascii_digit());
    let before = words.iter().rev().nth(1).map_or("", String::as_str);
    WORDS.contains(&last)
        || PAIRS.contains(&(before, last))
        || ENDINGS.iter().any(|ending| last.ends_with(ending))
}

fn is_suffix(word: &str) -> bool {
    SUFFIXES.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of a key in lower case.
fn words(key: &str) -> Vec<String> {
    let chars: Vec<char> = key.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    for (at, &char) in chars.iter().enumerate() {
        if !char.is_alphanumeric() {
            fresh = true;
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        let begins = char.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit())
                || before.is_some_and(|before| before.is_uppercase())
                    && after.is_some_and(|after| after.is_lowercase()));
        if fresh || begins {
            words.push(String::new());
        }
        fresh = false;
        if let Some(word) = words.last_mut() {
            word.extend(char.to_lowercase());
        }
    }
    words
}

/// Adds where they are in free text.
pub(super) fn spans(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut hidden = 0;
    for at in 0..text.len() {
        if at >= hidden
            && let Some(found) = value_after(text, at).and_then(|value| value_at(text, value))
        {
            hidden = found.end;
            spans.push(found);
        }
    }
}

/// Where the value begins, if a separator behind a telling key, or a telling flag, stands at `at`.
fn value_after(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or_default();
    let after = bytes.get(at + 1).copied().unwrap_or_default();
    let wide = match bytes.get(at)? {
        b':' if before != b':' && after != b':' => after == b'=',
        b'=' if !b"=!<>:".contains(&before) && after != b'=' => after == b'>',
        b'-' if at == 0 || before.is_ascii_whitespace() || b"\"'`(".contains(&before) => {
            let name = run(bytes, at, |byte| byte == b'-');
            let end = run(bytes, name, |byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
            let value = blank_end(bytes, end);
            let is_value = value > end && bytes.get(value).is_some_and(|byte| *byte != b'-');
            return (is_value && text.get(name..end).is_some_and(is_sensitive_key)).then_some(value);
        }
        _ => return None,
    };
    is_sensitive_key(key_before(text, at)).then(|| blank_end(bytes, at + 1 + usize::from(wide)))
}

fn blank_end(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, |byte| byte == b' ' || byte == b'\t')
}

/// The key before a separator, quoted or not.
fn key_before(text: &str, separator: usize) -> &str {
    let left = text.as_bytes().get(..separator).unwrap_or_default();
    let left = left.trim_ascii_end();
    let left = left.strip_suffix(b"\"").or_else(|| left.strip_suffix(b"'")).unwrap_or(left);
    let left = left.strip_suffix(b"\\").unwrap_or(left);
    let is_key = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let size = left.iter().rev().take(KEY_BYTES_MAX).take_while(is_key).count();
    text.get(left.len() - size..left.len()).unwrap_or_default()
}

/// The one token in the value that begins at `start`, within quotes or not.
fn value_at(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let word = |start: usize| {
        let open = run(bytes, start, |byte| b"\\\"'`".contains(&byte));
        let end = run(bytes, open, |byte| !byte.is_ascii_whitespace() && !b"\"'`,".contains(&byte));
        open..end
    };
    let mut value = word(start);
    if is_scheme(text, &value) && bytes.get(value.end) == Some(&b' ') {
        value = word(blank_end(bytes, value.end));
    }
    let quoted = value.start > start;
    let found = one_token(text, value)?;
    let is_placeholder = !quoted
        && (PLACEHOLDERS.contains(&text.get(found.clone())?.to_ascii_lowercase().as_str())
            || bytes.get(found.end) == Some(&b'('));
    if is_placeholder { None } else { Some(found) }
}

/// The one token in a text that stands as a whole under a telling key.
pub(super) fn secret_in(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let word = |at: usize| {
        let start = run(bytes, at, |byte| byte.is_ascii_whitespace());
        start..run(bytes, start, |byte| !byte.is_ascii_whitespace())
    };
    let first = word(0);
    let value = if is_scheme(text, &first) && first.end < text.len() { word(first.end) } else { first };
    one_token(text, value)
}

fn is_scheme(text: &str, word: &Range<usize>) -> bool {
    let word = text.get(word.clone()).unwrap_or_default();
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// The token to hide in a word: the longest, because passwords hold other characters, too (`p@ssw0rd`); the first, if a
/// shell could see more than one word in it. None in a reference (`$TOKEN`, `${{ secrets.X }}`).
pub(super) fn one_token(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes().get(..word.end)?;
    let begin = bytes.get(word.start..word.end.min(word.start + WORD_BYTES_MAX))?;
    if let [b'$', next, ..] = begin
        && (next.is_ascii_uppercase() || b"_{(".contains(next))
    {
        return None;
    }
    let several = begin.iter().any(|byte| SHELL.contains(byte));
    let mut best: Option<Range<usize>> = None;
    let mut at = word.start;
    while at < word.start + begin.len() {
        let end = run(bytes, at, is_token);
        let counts = bytes.get(at..end).is_some_and(|token| token.iter().any(u8::is_ascii_alphanumeric));
        if counts && best.as_ref().is_none_or(|best| end - at > best.len()) {
            best = Some(at..end);
            if several {
                break;
            }
        }
        at = end.max(at + 1);
    }
    best
}
