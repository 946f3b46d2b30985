//! Whispers, reminders, alarms: what is told once. Taken from what the adapter sends to a stand-in of Slack, so that
//! it is what people get.

use std::sync::{Arc, Mutex};

use axum::response::IntoResponse as _;
use placet::approval::{Alarm, Decision, ExpiredHow, OutcomeKind, Refusal, Status, Unasked};
use placet::card::visible;
use placet::gate::{Digest, DigestTool};
use placet::id::Role;
use placet::inbound::ReplyTo;
use placet::notice::{About, Lost, Mention, Message, Notice, Ran, Recipient, Told, Unreached};
use placet::person::{Identity, NoStanding};
use placet::policy::{Level, Place};
use placet::ports::{Surface as _, Telling};
use placet::text::{Language, Texts};
use placet::time::Ttl;
use serde_json::{Value, json};

use super::Piece;
use crate::SlackSettings;
use crate::fixtures::{HOSTILE, StandingClock, at, settings, slack, stand_in, tenant, waiting};
use crate::render::notice;
use crate::surface::Slack;

fn roles() -> Vec<Role> {
    ["admin", "operator", "finance"].map(|role| Role::new(role).unwrap()).into()
}

/// What somebody is told when it is not done, by name.
pub(super) fn refusals() -> Vec<(&'static str, Refusal)> {
    let by = || vec!["Bo".to_owned(), HOSTILE.to_owned()];
    vec![
        ("already-approved", Refusal::AlreadyDecided { status: Status::Approved, by: by() }),
        ("already-denied", Refusal::AlreadyDecided { status: Status::Rejected, by: by() }),
        ("expired", Refusal::AlreadyDecided { status: Status::Expired, by: Vec::new() }),
        ("out-of-order", Refusal::OutOfOrder { status: Status::Executed, command: "approve".into() }),
        ("too-late", Refusal::TooLate),
        ("unknown", Refusal::NoStanding(NoStanding::Unknown)),
        ("guest", Refusal::NoStanding(NoStanding::Guest)),
        ("unreadable", Refusal::NoStanding(NoStanding::Unreadable(HOSTILE.repeat(16)))),
        ("wrong-role", Refusal::WrongRole { needs: roles() }),
        ("own-request", Refusal::OwnRequest),
        ("already-voted", Refusal::AlreadyVoted { decision: Decision::Approve }),
        ("not-shown", Refusal::NotShownInFull),
        ("reason-needed", Refusal::ReasonRequired { decision: Decision::Deny }),
        ("not-allowed", Refusal::NotAllowed { needs: Vec::new() }),
        ("held", Refusal::Held { reason: HOSTILE.to_owned() }),
    ]
}

/// One of each kind. A new kind of notice needs an arm here, and one in [`samples`].
fn kind(notice: &Notice) -> &'static str {
    match notice {
        Notice::Refused { .. } => "refused",
        Notice::Alarm { .. } => "alarm",
        Notice::Reminder { .. } => "reminder",
        Notice::Escalated { .. } => "escalated",
        Notice::StageAsked { .. } => "stage-asked",
        Notice::GlassBroken { .. } => "glass-broken",
        Notice::Held { .. } => "held",
        Notice::Ran { .. } => "ran",
        Notice::AskedDirectly { .. } => "asked-directly",
        Notice::Told { .. } => "told",
        Notice::Question { .. } => "question",
        Notice::Answered { .. } => "answered",
        Notice::PolicyNotInForce { .. } => "policy-not-in-force",
        Notice::Digest { .. } => "digest",
        Notice::NotAsked { .. } => "not-asked",
        Notice::Undelivered { .. } => "undelivered",
    }
}

/// How many kinds there are.
const KINDS: usize = 16;

pub(super) fn samples(tool: &str, words: &str) -> Vec<(String, Notice)> {
    let (request, code) = (waiting().id, waiting().code);
    let until = at(0) + Ttl::from_mins(30);
    let (tool, words) = (tool.to_owned(), words.to_owned());
    let alarms = [
        Alarm::WaitsLong,
        Alarm::CardUndeliverable,
        Alarm::OutcomeUnknown,
        Alarm::GlassBroken,
        Alarm::MessageUndelivered,
    ];
    let mut all: Vec<(String, Notice)> = alarms
        .into_iter()
        .map(|alarm| {
            let name = format!("-{alarm:?}").to_lowercase();
            (name, Notice::Alarm { request, code: code.clone(), tool: tool.clone(), alarm })
        })
        .collect();
    all.extend(refusals().into_iter().map(|(name, refusal)| {
        let command = "approve".to_owned();
        (format!("-{name}"), Notice::Refused { request, code: code.clone(), command, refusal })
    }));
    let plain = [
        Notice::Reminder { request, code: code.clone(), tool: tool.clone(), until },
        Notice::Escalated { request, code: code.clone(), tool: tool.clone(), to: roles(), until },
        Notice::StageAsked {
            request,
            code: code.clone(),
            tool: tool.clone(),
            stage: (2, 3),
            to: roles(),
            until,
        },
        Notice::AskedDirectly {
            request,
            code: code.clone(),
            tool: tool.clone(),
            level: Level::High,
            place: Some(place()),
            until,
        },
        Notice::GlassBroken {
            request,
            code: code.clone(),
            tool: tool.clone(),
            by: words.clone(),
            reason: words.clone(),
        },
        Notice::Held { what: words.clone(), reason: words.clone() },
        Notice::Question {
            request,
            code: code.clone(),
            tool: tool.clone(),
            by: words.clone(),
            number: 1,
            text: words.clone(),
        },
        Notice::Answered { request, code: code.clone(), by: Some(words.clone()), text: words.clone() },
        Notice::PolicyNotInForce { why: words.clone() },
        Notice::NotAsked { request, code: code.clone(), tool: tool.clone(), text: words.clone() },
    ];
    let about = Some(About { request, code: code.clone(), tool: tool.clone() });
    all.extend([("", about), ("-none", None)].map(|(name, about)| {
        let (to, name_of) = (Unreached::Place(place()), Some(words.clone()));
        let lost = Lost { notice: "ran".into(), to, name: name_of, why: words.clone(), question: None };
        (name.to_owned(), Notice::Undelivered { about, lost })
    }));
    all.extend(digests(&tool).into_iter().map(|(name, digest)| {
        let (since, until) = (at(0), at(86_400));
        (format!("-{name}"), Notice::Digest { since, until, digest })
    }));
    all.extend(plain.into_iter().map(|notice| (String::new(), notice)));
    all.extend(told(&words).into_iter().map(|(name, what)| {
        (format!("-{name}"), Notice::Told { request, code: code.clone(), tool: tool.clone(), what })
    }));
    let kinds = [OutcomeKind::Succeeded, OutcomeKind::Failed, OutcomeKind::Unknown];
    all.extend(kinds.into_iter().map(|outcome| {
        let words = Some(visible(&words));
        let ran = Ran { outcome, duration_ms: Some(161), late: true, settled: false, words };
        let name = format!("-{outcome:?}").to_lowercase();
        (name, Notice::Ran { request, code: code.clone(), tool: tool.clone(), ran })
    }));
    all
}

/// What ran unasked: more than fits, nothing, and what could not be counted.
fn digests(tool: &str) -> Vec<(&'static str, Option<Digest>)> {
    let named = |number: u64| DigestTool {
        tool: format!("{tool} {number}"),
        ran: vec![(Unasked::Auto, 40 + number), (Unasked::Suggest, 3), (Unasked::Silence, 1)],
        failed: number % 2,
        unknown: number % 3,
    };
    let of = |tools| Digest { tenant: tenant(), since: at(0), until: at(86_400), tools };
    vec![
        ("many", Some(of((0..60).map(named).collect()))),
        ("few", Some(of((0..2).map(named).collect()))),
        ("nothing", Some(of(Vec::new()))),
        ("uncounted", None),
    ]
}

/// What who asked is told.
fn told(words: &str) -> Vec<(&'static str, Told)> {
    let by = || words.to_owned();
    vec![
        ("approved", Told::Approved { by: vec![by(), by()] }),
        ("denied", Told::Denied { by: vec![by()], reason: Some(by()) }),
        ("expired", Told::Expired { how: ExpiredHow::Unanswered }),
        ("revoked", Told::Revoked { by: by(), reason: Some(by()) }),
        ("edited", Told::Edited { by: by() }),
        ("stricter", Told::Stricter),
        ("forgotten", Told::Forgotten),
    ]
}

fn place() -> Place {
    Place { surface: slack(), channel: "C0OPS".into(), thread: None }
}

fn bo() -> Identity {
    Identity::slack("T0PLACET01", "U0BO").unwrap()
}

/// Whom Placet itself mentions.
fn mentions() -> Vec<Mention> {
    vec![Mention::Account(bo()), Mention::Group(Identity::slack("T0PLACET01", "S0OPS").unwrap())]
}

/// All notices with this text everywhere, rendered and not sent.
pub(super) fn rendered(text: &str, texts: &Texts) -> Vec<Piece> {
    let all = samples(text, text).into_iter().enumerate();
    let message = |notice| Message::new(tenant(), Recipient::Operators, notice);
    all.map(|(number, (_, sample))| {
        let (text, blocks) = notice(&message(sample), &[text.to_owned()], texts);
        Piece::message(format!("notice-{number}"), "notice", &text, &blocks)
    })
    .collect()
}

/// All notices, as they are sent.
pub(super) async fn all(language: Language) -> Vec<Piece> {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&sent);
    let api = stand_in(move |_, body| {
        kept.lock().unwrap().push(serde_json::from_slice::<Value>(&body).unwrap());
        let answer =
            json!({ "ok": true, "channel": "C0OPS", "ts": "1793520000.000100", "message_ts": "1.2" });
        axum::Json(answer).into_response()
    })
    .await;
    let settings = SlackSettings { language, ops_channel: Some("C0ALARMS".into()), ..settings() };
    let slack_surface = Slack::new(settings, api, StandingClock::new());
    let account = Recipient::Account(ReplyTo {
        surface: slack(),
        identity: bo(),
        channel: "C0OPS".into(),
        thread: None,
    });
    let directly = Recipient::Directly(bo());
    let telling = Telling { id: 1, since: at(0), again: false };
    let long = HOSTILE.repeat(16);
    let all = [("", samples("delete_file", "the cache is full")), ("hostile-", samples(HOSTILE, &long))];
    let mut pieces = Vec::new();
    let mut kinds = std::collections::BTreeSet::new();
    for (prefix, samples) in all {
        for (name, notice) in samples {
            kinds.insert(kind(&notice));
            let name = format!("notice-{prefix}{}{name}", kind(&notice));
            let to = match notice {
                Notice::Refused { .. }
                | Notice::Question { .. }
                | Notice::Answered { .. }
                | Notice::NotAsked { .. } => account.clone(),
                Notice::Alarm { .. } | Notice::PolicyNotInForce { .. } | Notice::Undelivered { .. } => {
                    Recipient::Operators
                }
                Notice::AskedDirectly { .. } | Notice::Told { .. } => directly.clone(),
                _ => Recipient::Place(place()),
            };
            let mentions = match notice {
                Notice::Reminder { .. } | Notice::Escalated { .. } | Notice::StageAsked { .. } => mentions(),
                _ => Vec::new(),
            };
            let message = Message { mentions, ..Message::new(tenant(), to, notice) };
            slack_surface.tell(&message, &telling).await.unwrap();
            let body = sent.lock().unwrap().pop().unwrap();
            let blocks = body["blocks"].as_array().cloned().unwrap_or_default();
            pieces.push(Piece::message(name, "notice", body["text"].as_str().unwrap(), &blocks));
        }
    }
    assert_eq!(kinds.len(), KINDS, "each kind of notice has a sample");
    pieces
}
