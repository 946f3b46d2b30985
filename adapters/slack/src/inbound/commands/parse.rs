//! What was typed behind `/placet`: a pure function from the text to what is asked, or to a mistake that helps.
//!
//! What always holds: a person is told by a mention that Slack itself wrote, `<@U123>` or `<@U123|name>`, never by a name;
//! and whatever is typed, the answer is one of these two.

use placet::approval::{OutcomeKind, Status};
use placet::id::{RequestId, ShortCode};
use placet::policy::nearest;
use placet::time::{Timestamp, Ttl};

use crate::limits::utf16_len;
use crate::mrkdwn::unescape;
use crate::payload::mentioned_user;

/// The most UTF-16 units of a command: it travels in the buttons that turn its pages.
pub(super) const COMMAND_UNITS_MAX: usize = 1_000;

/// The longest time that can be looked back over: far more than any record holds.
const LOOK_BACK_DAYS_MAX: u64 = 36_500;

/// How far a digest looks back where nothing is said.
const DIGEST_SPAN: Ttl = Ttl::from_mins(24 * 60);

/// The most characters of what was typed that a mistake repeats.
const REPEATED_CHARS_MAX: usize = 40;

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Pending,
    Show,
    Why,
    Audit,
    Revoke,
    Settle,
    Remembered,
    Freeze,
    Stops,
    Digest,
    Whoami,
    Help,
}

impl Verb {
    /// All of them, as help lists them.
    pub(crate) const ALL: [Self; 12] = [
        Self::Pending,
        Self::Show,
        Self::Why,
        Self::Audit,
        Self::Digest,
        Self::Remembered,
        Self::Revoke,
        Self::Settle,
        Self::Freeze,
        Self::Stops,
        Self::Whoami,
        Self::Help,
    ];

    /// As it is typed.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Show => "show",
            Self::Why => "why",
            Self::Audit => "audit",
            Self::Revoke => "revoke",
            Self::Settle => "settle",
            Self::Remembered => "remembered",
            Self::Freeze => "freeze",
            Self::Stops => "stops",
            Self::Digest => "digest",
            Self::Whoami => "whoami",
            Self::Help => "help",
        }
    }

    /// One that can be typed as it stands, but for the names in it.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Pending => "/placet pending",
            Self::Show => "/placet show 7Q4K-2M",
            Self::Why => "/placet why 7Q4K-2M",
            Self::Audit => "/placet audit who:@bo tool:deploy state:failed since:7d export:csv",
            Self::Revoke => "/placet revoke 7Q4K-2M no longer needed",
            Self::Settle => "/placet settle 7Q4K-2M ok the file is gone",
            Self::Remembered => "/placet remembered",
            Self::Freeze => "/placet freeze tool:deploy an incident",
            Self::Stops => "/placet stops",
            Self::Digest => "/placet digest 7d",
            Self::Whoami => "/placet whoami",
            Self::Help => "/placet help",
        }
    }
}

/// What narrows an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Who,
    Tool,
    State,
    Since,
    Tenant,
    Export,
}

impl Key {
    const ALL: [Self; 6] = [Self::Who, Self::Tool, Self::State, Self::Since, Self::Tenant, Self::Export];

    /// As it is typed, without its colon.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Who => "who",
            Self::Tool => "tool",
            Self::State => "state",
            Self::Since => "since",
            Self::Tenant => "tenant",
            Self::Export => "export",
        }
    }

    /// One with a value.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Who => "who:@bo",
            Self::Tool => "tool:deploy",
            Self::State => "state:failed",
            Self::Since => "since:7d",
            Self::Tenant => "tenant:acme",
            Self::Export => "export:csv",
        }
    }
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Help,
    Whoami,
    Pending,
    Show(Named),
    Why(Named),
    Audit {
        filters: Filters,
        export: Option<Form>,
    },
    /// Without a reason a dialog asks for one.
    Revoke {
        request: Named,
        reason: Option<String>,
    },
    /// Without how it ended, or how one knows, a dialog asks.
    Settle {
        request: Named,
        outcome: Option<OutcomeKind>,
        reason: Option<String>,
    },
    Remembered,
    /// What is stopped.
    Stops,
    /// A dialog asks for what is missing, and once more in any case.
    Freeze {
        scope: Option<Scope>,
        reason: Option<String>,
    },
    Digest(Ttl),
}

/// A request as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    Code(ShortCode),
    Id(RequestId),
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => code.fmt(f),
            Self::Id(id) => id.fmt(f),
        }
    }
}

/// What an audit is narrowed to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Filters {
    /// The user id of a mention.
    pub(crate) who: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) statuses: Vec<Status>,
    pub(crate) outcome: Option<OutcomeKind>,
    pub(crate) since: Option<Since>,
    pub(crate) tenant: Option<String>,
    pub(crate) words: Vec<String>,
}

/// From when on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// So long ago.
    Ago(Ttl),
    /// From the beginning of a day, in UTC.
    Day(Timestamp),
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Csv,
    JsonLines,
}

/// What is to be stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    Tenant,
    Agent(String),
    Tool(String),
}

/// What is wrong with what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mistake {
    NoSuchVerb {
        typed: String,
        nearest: Option<Verb>,
    },
    NoSuchKey {
        typed: String,
        nearest: Option<Key>,
    },
    /// A value that the key does not take.
    BadValue {
        key: Key,
        typed: String,
    },
    /// A key that stands there twice.
    Twice(Key),
    /// The verb needs a request.
    WhichRequest {
        verb: Verb,
        typed: String,
    },
    /// The verb takes nothing of that kind.
    NotTaken {
        verb: Verb,
        typed: String,
    },
    TooLong,
}

/// Reads what was typed.
pub(crate) fn parse(text: &str) -> Result<Asked, Mistake> {
    if utf16_len(text) > COMMAND_UNITS_MAX {
        return Err(Mistake::TooLong);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((verb, rest)) = words.split_first() else { return Ok(Asked::Help) };
    let typed = verb.to_lowercase();
    let found = Verb::ALL.into_iter().find(|verb| verb.name() == typed);
    let Some(verb) = found else {
        let near = nearest(&typed, Verb::ALL.iter().map(|verb| verb.name()));
        let near = near.and_then(|near| Verb::ALL.into_iter().find(|verb| verb.name() == near));
        return Err(Mistake::NoSuchVerb { typed: repeated(verb), nearest: near });
    };
    match verb {
        Verb::Help => Ok(Asked::Help),
        Verb::Whoami => alone(verb, rest, Asked::Whoami),
        Verb::Pending => alone(verb, rest, Asked::Pending),
        Verb::Remembered => alone(verb, rest, Asked::Remembered),
        Verb::Stops => alone(verb, rest, Asked::Stops),
        Verb::Show => named(verb, rest).and_then(|(request, rest)| alone(verb, rest, Asked::Show(request))),
        Verb::Why => named(verb, rest).and_then(|(request, rest)| alone(verb, rest, Asked::Why(request))),
        Verb::Revoke => {
            let (request, rest) = named(verb, rest)?;
            Ok(Asked::Revoke { request, reason: said(rest) })
        }
        Verb::Settle => settle(rest),
        Verb::Freeze => freeze(rest),
        Verb::Digest => digest(rest),
        Verb::Audit => audit(rest),
    }
}

/// A verb that takes nothing more.
fn alone(verb: Verb, rest: &[&str], asked: Asked) -> Result<Asked, Mistake> {
    match rest.first() {
        None => Ok(asked),
        Some(more) => Err(Mistake::NotTaken { verb, typed: repeated(more) }),
    }
}

/// The request that comes first, and what follows it.
fn named<'a, 'w>(verb: Verb, words: &'a [&'w str]) -> Result<(Named, &'a [&'w str]), Mistake> {
    let which = |typed: &str| Mistake::WhichRequest { verb, typed: repeated(typed) };
    let Some((first, rest)) = words.split_first() else { return Err(which("")) };
    if let Some(named) = request(first) {
        return Ok((named, rest));
    }
    // A code read aloud is sometimes typed in its two parts.
    if let Some((second, rest)) = rest.split_first()
        && first.chars().count() == 4
        && second.chars().count() == 2
        && let Some(named) = request(&format!("{first}{second}"))
    {
        return Ok((named, rest));
    }
    Err(which(first))
}

/// A code or an id, with whatever signs people put around one.
fn request(word: &str) -> Option<Named> {
    let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
    if let Ok(id) = plain.to_ascii_lowercase().parse::<RequestId>() {
        return Some(Named::Id(id));
    }
    // Editors make longer dashes of a hyphen.
    let plain: String = plain
        .chars()
        .map(|c| if matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}') { '-' } else { c })
        .collect();
    plain.parse().ok().map(Named::Code)
}

/// Free text; none where there is none.
fn said(words: &[&str]) -> Option<String> {
    (!words.is_empty()).then(|| unescape(&words.join(" ")))
}

fn settle(words: &[&str]) -> Result<Asked, Mistake> {
    let (request, rest) = named(Verb::Settle, words)?;
    let Some((how, reason)) = rest.split_first() else {
        return Ok(Asked::Settle { request, outcome: None, reason: None });
    };
    match outcome(&how.to_lowercase()) {
        Some(outcome) => Ok(Asked::Settle { request, outcome: Some(outcome), reason: said(reason) }),
        None => Err(Mistake::NotTaken { verb: Verb::Settle, typed: repeated(how) }),
    }
}

/// How it ended, as people say it.
fn outcome(word: &str) -> Option<OutcomeKind> {
    match word {
        "ok" | "succeeded" | "ran" | "done" => Some(OutcomeKind::Succeeded),
        "failed" | "fail" => Some(OutcomeKind::Failed),
        _ => None,
    }
}

fn freeze(words: &[&str]) -> Result<Asked, Mistake> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(Asked::Freeze { scope: None, reason: None });
    };
    let scope = match key_and_value(first) {
        Some((key, name)) if key == "tool" && !name.is_empty() => Scope::Tool(unescape(name)),
        Some((key, name)) if key == "agent" && !name.is_empty() => Scope::Agent(unescape(name)),
        None if first.eq_ignore_ascii_case("tenant") => Scope::Tenant,
        _ => return Err(Mistake::NotTaken { verb: Verb::Freeze, typed: repeated(first) }),
    };
    Ok(Asked::Freeze { scope: Some(scope), reason: said(rest) })
}

fn digest(words: &[&str]) -> Result<Asked, Mistake> {
    match words {
        [] => Ok(Asked::Digest(DIGEST_SPAN)),
        [span] => match look_back(span) {
            Some(span) => Ok(Asked::Digest(span)),
            None => Err(Mistake::NotTaken { verb: Verb::Digest, typed: repeated(span) }),
        },
        [_, more, ..] => Err(Mistake::NotTaken { verb: Verb::Digest, typed: repeated(more) }),
    }
}

/// How long to look back: more than nothing.
fn look_back(text: &str) -> Option<Ttl> {
    let span: Ttl = text.to_lowercase().parse().ok()?;
    let most = Ttl::from_mins(LOOK_BACK_DAYS_MAX * 24 * 60);
    (span > Ttl::ZERO && span <= most).then_some(span)
}

/// `key:value`, with the colon of any keyboard; none for what is no such thing, as an address or a time of day.
fn key_and_value(word: &str) -> Option<(String, &str)> {
    let (key, value) = word.split_once([':', '\u{ff1a}'])?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_key && !value.starts_with("//")).then(|| (key.to_lowercase(), value))
}

fn audit(words: &[&str]) -> Result<Asked, Mistake> {
    let (mut filters, mut export) = (Filters::default(), None);
    let mut seen: Vec<Key> = Vec::new();
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        let (key, value) = match key_and_value(word) {
            // A mention by itself can only mean the person.
            None if word.starts_with("<@") => (Key::Who, word),
            None => {
                filters.words.push(unescape(word));
                continue;
            }
            Some((typed, value)) => {
                let Some(key) = Key::ALL.into_iter().find(|key| key.name() == typed) else {
                    let near = nearest(&typed, Key::ALL.iter().map(|key| key.name()));
                    let near = near.and_then(|near| Key::ALL.into_iter().find(|key| key.name() == near));
                    return Err(Mistake::NoSuchKey { typed: repeated(&typed), nearest: near });
                };
                // Slack offers people only behind a space.
                let mention =
                    words.next_if(|next| key == Key::Who && value.is_empty() && next.starts_with("<@"));
                (key, mention.unwrap_or(value))
            }
        };
        if seen.contains(&key) {
            return Err(Mistake::Twice(key));
        }
        seen.push(key);
        let taken = match key {
            Key::Export => form(value).map(|form| export = Some(form)),
            key => filters.take(key, value),
        };
        if taken.is_none() {
            return Err(Mistake::BadValue { key, typed: repeated(value) });
        }
    }
    if filters.words.len() > placet::ports::audit::AUDIT_WORDS_MAX {
        return Err(Mistake::TooLong);
    }
    Ok(Asked::Audit { filters, export })
}

fn form(value: &str) -> Option<Form> {
    match value.to_lowercase().as_str() {
        "csv" => Some(Form::Csv),
        "jsonl" | "json" | "json-lines" => Some(Form::JsonLines),
        _ => None,
    }
}

impl Filters {
    /// Takes a value; none if it is none of the key's.
    fn take(&mut self, key: Key, value: &str) -> Option<()> {
        if value.is_empty() {
            return None;
        }
        match key {
            Key::Who => self.who = Some(mentioned_user(value)?.to_owned()),
            Key::Tool => self.tool = Some(unescape(value)),
            Key::Tenant => self.tenant = Some(unescape(value)),
            Key::Since => self.since = Some(since(value)?),
            Key::State => {
                for name in value.split(',') {
                    self.state(&name.to_lowercase())?;
                }
            }
            Key::Export => return None,
        }
        Some(())
    }

    fn state(&mut self, name: &str) -> Option<()> {
        let mut ended = |kind| {
            let before = self.outcome.replace(kind);
            self.statuses.push(Status::Executed);
            // Two ends at once would be none.
            before.is_none().then_some(())
        };
        let statuses: &[Status] = match name {
            "pending" => &[Status::Proposed, Status::PolicyChecking, Status::WaitingApproval],
            "waiting" => &[Status::WaitingApproval],
            "denied" | "forbidden" => &[Status::Rejected],
            "running" => &[Status::Executing],
            "ran" => &[Status::Executed],
            "ok" | "succeeded" => return ended(OutcomeKind::Succeeded),
            "failed" => return ended(OutcomeKind::Failed),
            "unknown" => return ended(OutcomeKind::Unknown),
            name => &[Status::named(name)?],
        };
        self.statuses.extend_from_slice(statuses);
        Some(())
    }
}

fn since(value: &str) -> Option<Since> {
    if let Some(span) = look_back(value) {
        return Some(Since::Ago(span));
    }
    let is_day = value.len() == 10 && value.is_ascii();
    is_day.then(|| Timestamp::from_rfc3339(&format!("{value}T00:00:00Z")).map(Since::Day)).flatten()
}

/// The beginning of what was typed, as it is repeated in an answer.
fn repeated(word: &str) -> String {
    unescape(word).chars().take(REPEATED_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests;
