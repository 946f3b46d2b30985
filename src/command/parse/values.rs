//! What single words mean: codes, outcomes, filters and times.

use crate::approval::{OutcomeKind, Status};
use crate::command::{Filters, Form, Named, Since};
use crate::id::{RequestId, ShortCode};
use crate::time::{Timestamp, Ttl};

/// The longest time that can be looked back over: far more than any record holds.
const LOOK_BACK_DAYS_MAX: u64 = 36_500;

/// A code or an id, with whatever signs people put around one.
pub(super) fn request(word: &str) -> Option<Named> {
    let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
    if let Ok(id) = plain.to_ascii_lowercase().parse::<RequestId>() {
        return Some(Named::Id(id));
    }
    plain.chars().map(hyphen).collect::<String>().parse().ok().map(Named::Code)
}

/// A code read aloud is sometimes typed in its two parts.
pub(super) fn in_two(words: &[&str]) -> Option<ShortCode> {
    let (first, second) = (words.first()?, words.get(1)?);
    let fits = first.chars().count() == 4 && second.chars().count() == 2;
    match fits.then(|| request(&format!("{first}{second}")))?? {
        Named::Code(code) => Some(code),
        Named::Id(_) => None,
    }
}

/// Whether it is written as no word is: with its dash where the card has it, or with the sign of a number before it.
pub(super) fn is_surely_a_code(word: &str) -> bool {
    let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.starts_with('#') || plain.chars().map(hyphen).collect::<String>().find('-') == Some(4)
}

/// Editors make longer dashes of a hyphen.
const fn hyphen(c: char) -> char {
    if matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}') { '-' } else { c }
}

/// How it ended, as people say it.
pub(super) fn outcome(word: &str) -> Option<OutcomeKind> {
    match word {
        "ok" | "succeeded" | "ran" | "done" => Some(OutcomeKind::Succeeded),
        "failed" | "fail" => Some(OutcomeKind::Failed),
        _ => None,
    }
}

pub(super) fn look_back(text: &str) -> Option<Ttl> {
    let span: Ttl = text.to_lowercase().parse().ok()?;
    let most = Ttl::from_mins(LOOK_BACK_DAYS_MAX * 24 * 60);
    (span > Ttl::ZERO && span <= most).then_some(span)
}

/// `key:value`, with the colon of any keyboard; none for what is no such thing, as an address or a time of day.
pub(super) fn key_and_value(word: &str) -> Option<(String, &str)> {
    let (key, value) = word.split_once([':', '\u{ff1a}'])?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_key && !value.starts_with("//")).then(|| (key.to_lowercase(), value))
}

pub(super) fn form(value: &str) -> Option<Form> {
    match value.to_lowercase().as_str() {
        "csv" => Some(Form::Csv),
        "jsonl" | "json" | "json-lines" => Some(Form::JsonLines),
        _ => None,
    }
}

impl Filters {
    pub(super) fn state(&mut self, name: &str) -> Option<()> {
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

pub(super) fn since(value: &str) -> Option<Since> {
    if let Some(span) = look_back(value) {
        return Some(Since::Ago(span));
    }
    let is_day = value.len() == 10 && value.is_ascii();
    is_day.then(|| Timestamp::from_rfc3339(&format!("{value}T00:00:00Z")).map(Since::Day)).flatten()
}
