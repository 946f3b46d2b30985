//! What a yes may be remembered for: one tool, one agent, one session, and arguments that look alike in exactly the
//! way that is printed on the button.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::CanonicalArgs;
use crate::time::Ttl;

/// What the policy offers to remember with a yes to this call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RememberOffer {
    /// Which other calls of the tool it would cover.
    pub pattern: ArgPattern,
    /// For how long.
    pub within: Ttl,
}

/// How one argument is widened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Widening {
    /// Anything in the same folder, not in folders within it.
    Folder,
    /// Anybody or anything at the same domain: mail addresses and URLs' hosts.
    Domain,
    /// Any value.
    Any,
}

/// Arguments that count as alike. Every argument of a call must be named here and fit; one that is not named fits
/// nothing, so that an argument that a tool learns later is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ArgPattern(BTreeMap<String, ArgMatch>);

/// What one argument must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ArgMatch {
    /// This value.
    Exact(Value),
    /// A path whose folder is this, compared as it is written.
    Folder(String),
    /// A mail address at this domain.
    Domain(String),
    /// Anything.
    Any,
}

impl ArgPattern {
    /// The pattern that these arguments give, each widened as named, all others as they are. None where one cannot be
    /// widened so: a path with `..`, `.` or empty steps, a value that is no text or no address.
    #[must_use]
    pub fn of(args: &CanonicalArgs, widened: &BTreeMap<String, Widening>) -> Option<Self> {
        let fields = args.value().as_object()?;
        let each = fields.iter().map(|(name, value)| {
            let fits = match widened.get(name) {
                None => ArgMatch::Exact(value.clone()),
                Some(Widening::Any) => ArgMatch::Any,
                Some(Widening::Folder) => ArgMatch::Folder(folder(value.as_str()?)?.to_owned()),
                Some(Widening::Domain) => ArgMatch::Domain(domain(value.as_str()?)?.to_owned()),
            };
            Some((name.clone(), fits))
        });
        each.collect::<Option<_>>().map(Self)
    }

    /// Whether these arguments are alike.
    #[must_use]
    pub fn matches(&self, args: &CanonicalArgs) -> bool {
        let Some(fields) = args.value().as_object() else { return false };
        fields.len() == self.0.len()
            && fields.iter().all(|(name, value)| match (self.0.get(name), value.as_str()) {
                (Some(ArgMatch::Exact(wanted)), _) => wanted == value,
                (Some(ArgMatch::Any), _) => true,
                (Some(ArgMatch::Folder(wanted)), Some(path)) => folder(path) == Some(wanted),
                (Some(ArgMatch::Domain(wanted)), Some(address)) => domain(address) == Some(wanted),
                (Some(ArgMatch::Folder(_) | ArgMatch::Domain(_)) | None, _) => false,
            })
    }

    /// Whether each argument is widened no further here than there, of two patterns that fit the same call.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.0.iter().all(|(name, own)| match (own, other.0.get(name)) {
            (_, Some(ArgMatch::Any)) | (ArgMatch::Exact(_), Some(_)) => true,
            (own @ (ArgMatch::Folder(_) | ArgMatch::Domain(_)), Some(theirs)) => own == theirs,
            (ArgMatch::Any, Some(_)) | (_, None) => false,
        })
    }
}

/// As it is printed on the button: `path=demo-notes/*`.
impl fmt::Display for ArgPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("without arguments");
        }
        for (index, (name, fits)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            match fits {
                ArgMatch::Exact(Value::String(text)) => write!(f, "{name}={text}")?,
                ArgMatch::Exact(value) => write!(f, "{name}={value}")?,
                ArgMatch::Folder(folder) if folder.is_empty() => write!(f, "{name}=*")?,
                ArgMatch::Folder(folder) => write!(f, "{name}={folder}/*")?,
                ArgMatch::Domain(domain) => write!(f, "{name}=*@{domain}")?,
                ArgMatch::Any => write!(f, "{name}=any")?,
            }
        }
        Ok(())
    }
}

/// The folder of a path that means what it says: no steps that lead elsewhere, no second spelling.
fn folder(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let plain = |step: &str| {
        !step.is_empty()
            && step != "."
            && step != ".."
            && !step.contains(['\\', '*', '?', '%', '~', '$'])
            && !step.chars().any(char::is_control)
    };
    let steps = folder.strip_prefix('/').unwrap_or(folder);
    let rooted = path.starts_with('/') && folder.is_empty();
    let fits = plain(name) && (steps.is_empty() || steps.split('/').all(plain)) && !rooted;
    fits.then_some(folder)
}

/// The domain of one mail address, in small letters already; anything that could be read in two ways is none.
fn domain(address: &str) -> Option<&str> {
    let (user, domain) = address.split_once('@')?;
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b".+-_".contains(&b);
    let fits =
        !user.is_empty() && user.bytes().all(plain) && domain.contains('.') && domain.split('.').all(label);
    fits.then_some(domain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(value: &Value) -> CanonicalArgs {
        CanonicalArgs::from_value(value).unwrap()
    }

    fn widened(name: &str, how: Widening) -> BTreeMap<String, Widening> {
        BTreeMap::from([(name.to_owned(), how)])
    }

    /// R9: a remembered pattern covers what is printed, and no neighbour of it.
    #[test]
    fn a_folder_is_that_folder_alone() {
        let pattern = ArgPattern::of(
            &args(&json!({"path": "demo-notes/a.txt", "force": true})),
            &widened("path", Widening::Folder),
        )
        .unwrap();
        assert_eq!(pattern.to_string(), "force=true, path=demo-notes/*");
        let fits = |path: &str| pattern.matches(&args(&json!({"path": path, "force": true})));
        assert!(fits("demo-notes/b.txt"));
        for neighbour in [
            "demo-notes2/b.txt",
            "demo-notes/sub/b.txt",
            "demo-notes/../b.txt",
            "demo-notes/..",
            "demo-notes//b.txt",
            "/demo-notes/b.txt",
            "./demo-notes/b.txt",
            "demo-notes/",
            "demo-notes/%2e%2e",
            "demo-notes\\b.txt",
            "Demo-notes/b.txt",
            "b.txt",
        ] {
            assert!(!fits(neighbour), "{neighbour}");
        }
        assert!(!pattern.matches(&args(&json!({"path": "demo-notes/b.txt", "force": false}))));
        assert!(!pattern.matches(&args(&json!({"path": "demo-notes/b.txt"}))));
        assert!(!pattern.matches(&args(&json!({"path": "demo-notes/b.txt", "force": true, "more": 1}))));
    }

    #[test]
    fn what_cannot_be_widened_is_not_offered() {
        for (value, how) in [
            (json!({"path": "a/../b"}), Widening::Folder),
            (json!({"path": "/etc"}), Widening::Folder),
            (json!({"path": 7}), Widening::Folder),
            (json!({"path": "ana"}), Widening::Domain),
            (json!({"path": "ana@example.org, bo@example.com"}), Widening::Domain),
        ] {
            assert_eq!(ArgPattern::of(&args(&value), &widened("path", how)), None, "{value}");
        }
        let mail = ArgPattern::of(&args(&json!({"to": "ana@example.org"})), &widened("to", Widening::Domain))
            .unwrap();
        assert_eq!(mail.to_string(), "to=*@example.org");
        assert!(mail.matches(&args(&json!({"to": "bo@example.org"}))));
        assert!(!mail.matches(&args(&json!({"to": "bo@example.org.evil.example"}))));
        assert!(!mail.matches(&args(&json!({"to": "x@evil.example,bo@example.org"}))));
    }
}
