//! Where a call takes effect, and whether the agent's words name another such place instead: a task about `web-3` beside a
//! call for `db-1` is what somebody woken at night reads past.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::{Eye, Visible, visible_line};
use crate::approval::Proposal;

/// Arguments that say where a call takes effect.
const PLACES: [&str; 12] = [
    "host",
    "hostname",
    "server",
    "node",
    "cluster",
    "database",
    "environment",
    "env",
    "region",
    "project",
    "repository",
    "repo",
];

/// What the agent's words name in place of where the call takes effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ElsewhereView {
    /// The argument.
    pub name: Visible,
    /// Its value, which the agent's words do not name.
    pub value: Visible,
    /// What they name that looks like it.
    pub named: Visible,
}

/// The argument that says where the call takes effect, and its value: the first of [`PLACES`] that there is.
pub(super) fn place(args: &Value) -> Option<(&'static str, &Value)> {
    let args = args.as_object()?;
    PLACES.into_iter().find_map(|name| Some((name, args.get(name)?)))
}

/// Whether task, reason and evidence name something of the same form as the place, and not the place. `args` is redacted.
pub(super) fn of(proposal: &Proposal, args: &Value, eye: &mut Eye<'_>) -> Option<ElsewhereView> {
    let (name, value) = place(args)?;
    let value = value.as_str()?.trim();
    let form = form(value)?;
    let evidence = proposal.evidence.iter().flat_map(|piece| {
        [Some(piece.title.as_str()), piece.uri.as_deref(), piece.excerpt.as_deref()].into_iter().flatten()
    });
    let said = [proposal.task.as_str(), proposal.reason.as_str()].into_iter().chain(evidence);
    // Redacted as a whole: a word out of a secret would be no secret by itself.
    let said: Vec<String> = said.map(|text| eye.redactor.redact_text(text).text).collect();
    let names: BTreeSet<&str> = said.iter().flat_map(|text| words(text)).collect();
    if names.iter().any(|named| named.eq_ignore_ascii_case(value)) {
        return None;
    }
    // The first that is said, not the first of the alphabet.
    let mut words = said.iter().flat_map(|text| words(text));
    let named = words.find(|word| self::form(word).as_ref() == Some(&form))?;
    Some(ElsewhereView {
        name: eye.seen(visible_line(name)),
        value: eye.seen(visible_line(value)),
        named: eye.line(named),
    })
}

/// What could be a name: letters, digits, and what joins them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && !matches!(character, '-' | '_' | '.'))
        .map(|word| word.trim_matches(['.', '-', '_']))
        .filter(|word| !word.is_empty())
}

/// How a name is built: `db-1` as `web-12` is. None where it has no digit or no letter: any word would look like it.
fn form(name: &str) -> Option<String> {
    let mut form = String::new();
    for character in name.chars() {
        let kind = match character {
            one if one.is_ascii_digit() => '9',
            one if one.is_alphabetic() => 'a',
            '-' | '_' | '.' => character,
            _ => return None,
        };
        if !form.ends_with(kind) {
            form.push(kind);
        }
    }
    (form.contains('9') && form.contains('a')).then_some(form)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_the_same_form_look_alike() {
        assert_eq!(form("db-1"), form("web-12"));
        assert_ne!(form("db-1"), form("v42"));
        assert_ne!(form("db-1.example"), form("web-12"));
        for other in ["production", "1200", "", "a b1", "дб"] {
            assert_eq!(form(other), None, "{other}");
        }
    }

    #[test]
    fn words_end_before_what_ends_a_sentence() {
        assert_eq!(
            words("web-3 is full. See `df` on web-4.").collect::<Vec<_>>(),
            ["web-3", "is", "full", "See", "df", "on", "web-4"]
        );
    }

    #[test]
    fn the_place_is_the_argument_that_says_where() {
        assert_eq!(
            place(&json!({ "command": "ls", "env": "x", "host": "db-1" })),
            Some(("host", &json!("db-1")))
        );
        assert_eq!(place(&json!({ "command": "ls" })), None);
        assert_eq!(place(&json!([])), None);
    }
}
