//! How people type commands in Matrix: behind a word of the configuration, and a person by their whole account.
//!
//! What always holds: who typed it is whose event it is, never what stands in it; a display name is nobody. What is quoted of
//! somebody else is no command.

use placet::command::{Dialect, Means};
use placet::person::Identity;

/// How people type in Matrix.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatrixDialect;

impl Dialect for MatrixDialect {
    fn means(&self) -> Means {
        Means::Words
    }

    fn is_mention(&self, word: &str) -> bool {
        word.starts_with('@')
    }

    fn accounts(&self, word: &str) -> Vec<Identity> {
        Identity::matrix(word).into_iter().collect()
    }
}

/// What stands behind the word that commands begin with; none for what is no command. An answer of an older client quotes in
/// front what it answers, which is left out.
/// <https://spec.matrix.org/v1.12/client-server-api/#fallbacks-for-rich-replies>
#[must_use]
pub fn command_in<'b>(body: &'b str, prefix: &str, is_reply: bool) -> Option<&'b str> {
    let body = if is_reply { without_quote(body) } else { body }.trim_start();
    let rest = body.get(prefix.len()..)?;
    let begins = body.get(..prefix.len())?.eq_ignore_ascii_case(prefix) && !prefix.is_empty();
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (begins && ends).then(|| rest.trim())
}

/// What stands behind the lines that quote, of which the first names whom.
fn without_quote(body: &str) -> &str {
    if !body.starts_with("> <") {
        return body;
    }
    let mut rest = body;
    while rest.starts_with('>') {
        rest = rest.split_once('\n').map_or("", |(_, after)| after);
    }
    rest
}

#[cfg(test)]
mod tests {
    use placet::command::{Asked, Key, Mistake, parse};

    use super::*;

    /// R31: a command is what begins with the word for it, and nothing that only quotes one.
    #[test]
    fn commands_are_told_from_talk() {
        for (body, command) in [
            ("!placet", Some("")),
            ("!placet pending", Some("pending")),
            ("  !Placet\tapprove  it ", Some("approve  it")),
            ("!placet deny\nbecause", Some("deny\nbecause")),
            ("!placets", None),
            ("!place", None),
            ("please !placet approve", None),
            ("> !placet approve", None),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(command_in(body, "!placet", false), command, "{body:?}");
        }
        let quoted = "> <@eve:example.org> !placet approve\n> !placet approve\n\n!placet deny no";
        assert_eq!(command_in(quoted, "!placet", true), Some("deny no"));
        assert_eq!(command_in(quoted, "!placet", false), None);
        assert_eq!(command_in("> <@eve:example.org> !placet approve", "!placet", true), None);
        assert_eq!(command_in("> <@eve:example.org> x\n\nyes", "!placet", true), None);
        assert_eq!(command_in("!p x", "", false), None);
    }

    /// R17, R33: a person is told by their whole account, never by a display name.
    #[test]
    fn a_person_is_told_by_their_account() {
        let bo = Identity::matrix("@bo:example.org").unwrap();
        for text in ["audit who:@bo:example.org", "audit @bo:example.org", "audit who: @bo:example.org"] {
            let read = parse(text, &MatrixDialect);
            assert!(
                matches!(&read, Ok(Asked::Audit { filters, .. }) if filters.who == [bo.clone()]),
                "{read:?}"
            );
        }
        for text in ["audit who:bo", "audit who:@bo", "audit @bo", "audit who:", "audit @room"] {
            let read = parse(text, &MatrixDialect);
            assert!(matches!(&read, Err(Mistake::BadValue { key: Key::Who, .. })), "{text}: {read:?}");
        }
    }
}
