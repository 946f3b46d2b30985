//! Secrets that give themselves away: by the prefix that their issuer chose so that scanners find them, by the form of
//! a JWT (RFC 7519) or a private key (RFC 7468), or by their place in a URL (RFC 3986, section 3.2.1) or after `Bearer`.

use std::ops::Range;

use super::{key, run};

/// Prefix, and how many characters follow at least. From the issuers' documentation and secret scanners' rules.
const PREFIXES: [(&str, usize); 39] = [
    ("AKIA", 16),
    ("ASIA", 16),
    ("plt_", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxa-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xoxe-", 10),
    ("xoxe.", 10),
    ("xapp-", 10),
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("whsec_", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("GOCSPX-", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("hf_", 30),
    ("SG.", 30),
    ("dop_v1_", 30),
    ("shpat_", 20),
    ("syt_", 16),
    ("mct_", 16),
    ("hvs.", 20),
    ("eyJ", 20),
    ("AGE-SECRET-KEY-1", 30),
    ("lin_api_", 20),
];

/// Characters of a full line in the body of a key; its last line may be shorter.
const KEY_LINE_CHARS_MIN: usize = 32;

/// Adds where they are.
pub(super) fn spans(text: &str, spans: &mut Vec<Range<usize>>) {
    prefixed(text, spans);
    private_keys(text, spans);
    urls(text, spans);
    bearers(text, spans);
}

/// The offsets where `needle` occurs.
fn occurrences<'t>(text: &'t str, needle: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(needle).map(|(at, _)| at)
}

fn prefixed(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for (prefix, follow_min) in PREFIXES {
        let dotted = prefix.ends_with('.') || prefix == "eyJ";
        let capitals = prefix == "AKIA" || prefix == "ASIA";
        let belongs = |byte: u8| match byte {
            b'A'..=b'Z' | b'0'..=b'9' => true,
            b'.' => dotted,
            _ => !capitals && (byte.is_ascii_lowercase() || byte == b'_' || byte == b'-'),
        };
        let mut seen = 0;
        for start in occurrences(text, prefix) {
            let within_word =
                start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
            // A prefix within a run that was looked at is of the same token.
            if within_word || start < seen {
                continue;
            }
            let after = start + prefix.len();
            seen = run(bytes, after, belongs);
            let mut body = bytes.get(after..seen).unwrap_or_default();
            while let Some(shorter) = body.strip_suffix(b".") {
                body = shorter;
            }
            let plausible = match prefix {
                "eyJ" => body.contains(&b'.'),
                // Class names and slugs begin like this, too.
                "sk-" | "hf_" | "npm_" => body.iter().any(u8::is_ascii_digit),
                _ => true,
            };
            if body.len() >= follow_min && plausible {
                spans.push(start..after + body.len());
            }
        }
    }
}

/// The lines between `-----BEGIN … PRIVATE KEY-----` and `-----END`, also where `\n` is written out. What is not a line
/// of a key is shown.
fn private_keys(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for begin in occurrences(text, "-----BEGIN ") {
        let label = begin + "-----BEGIN ".len();
        let label_end =
            run(bytes, label, |byte| byte.is_ascii_uppercase() || byte == b' ' || byte.is_ascii_digit());
        let is_private = text.get(label..label_end).is_some_and(|label| label.contains("PRIVATE KEY"));
        if !is_private || !text.get(label_end..).is_some_and(|rest| rest.starts_with("-----")) {
            continue;
        }
        let body = label_end + "-----".len();
        let end = text.get(body..).and_then(|rest| rest.find("-----")).map_or(text.len(), |at| body + at);
        let mut at = body;
        while at < end {
            at = line_start(bytes, at);
            // The sign of a removed line in a patch; that of an added one could be of the key.
            at += usize::from(matches!(bytes.get(at..), Some([b'-', next, ..]) if *next != b'-'));
            let stop = run(bytes, at, |byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)).min(end);
            let next = line_start(bytes, stop);
            let is_last = next + 1 >= end;
            if is_last || next > stop && stop.saturating_sub(at) >= KEY_LINE_CHARS_MIN {
                spans.push(at..stop);
            }
            at = run(bytes, stop.max(at), |byte| byte != b'\n' && byte != b'\\').max(at + 1);
        }
    }
}

/// Behind the end of a line, real or written out, and the space that begins the next.
fn line_start(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at..).unwrap_or_default() {
            [b'\\', b'n' | b'r', ..] => at += 2,
            [b'\n' | b'\r' | b' ' | b'\t', ..] => at += 1,
            _ => return at,
        }
    }
}

/// `scheme://user:PASSWORD@host`.
fn urls(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for scheme_end in occurrences(text, "://") {
        let start = scheme_end + "://".len();
        let end = run(bytes, start, |byte| !byte.is_ascii_whitespace() && !b"/?#\"'`<>\\".contains(&byte));
        let authority = text.get(start..end).unwrap_or_default();
        if let Some(at) = authority.rfind('@')
            && let Some(colon) = authority.find(':').filter(|colon| *colon < at)
        {
            spans.extend(key::one_token(text, start + colon + 1..start + at));
        }
    }
}

/// `Bearer X`, where X is too long or too odd for prose.
fn bearers(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let lower = text.to_ascii_lowercase();
    for start in occurrences(&lower, "bearer") {
        let after = start + "bearer".len();
        let token = run(bytes, after, |byte| byte == b' ' || byte == b'\t');
        let end = run(bytes, token, super::is_token);
        let odd = bytes.get(token..end).is_some_and(|token| token.iter().any(u8::is_ascii_digit));
        if token > after && (end - token >= 16 || end - token >= 6 && odd) {
            spans.push(token..end);
        }
    }
}
