//! What the bot says in threads.

use placet::agent::event::{AgentEventKind, Usage};
use placet::agent::task::{NotBegun, Progress, ThreadSaid};
use placet::policy::Tier;
use placet::text::Texts;

use super::Piece;
use crate::fixtures::{HOSTILE, waiting};
use crate::render::channel_mark;
use crate::render::thread::{count, message};

/// How an agent at work and one that has ended stand, with these words everywhere.
fn runs(words: &str) -> Vec<(&'static str, ThreadSaid)> {
    let begun = || {
        let mut progress = Progress::default();
        progress.hear(AgentEventKind::TextDelta { delta: words.to_owned() });
        progress
    };
    let heard = |event: AgentEventKind| {
        let mut progress = begun();
        progress.hear(event);
        ThreadSaid::Progress(progress)
    };
    let waits = AgentEventKind::ApprovalRequest {
        request_id: waiting().id,
        // A name, and no text: it has a form of its own.
        tool_name: "delete_file".to_owned(),
        args: serde_json::json!({}),
        risk: Tier::Approve,
    };
    vec![
        ("begun", ThreadSaid::Progress(begun())),
        ("waits", heard(waits)),
        ("done", heard(AgentEventKind::Done { usage: Usage::default() })),
        ("failed", heard(AgentEventKind::Error { message: words.to_owned() })),
    ]
}

/// All messages of these runs.
pub(super) fn said(kind: &str, words: &str, texts: &Texts) -> Vec<Piece> {
    let mut all = Vec::new();
    for (name, said) in runs(words) {
        for number in 0..count(&said) {
            let message = message(&said, number, texts, &|_| channel_mark("C0OPS", texts));
            let name = format!("thread-{name}{kind}-{}", number + 1);
            all.push(Piece::message(name, "thread", &message.text, &message.blocks));
        }
    }
    all
}

pub(super) fn all(texts: &'static Texts) -> Vec<Piece> {
    let mut all = said("", "I have deleted what nobody uses.", texts);
    all.extend(said("-hostile", &HOSTILE.repeat(24), texts));
    let not_begun = [
        ("no-agent", NotBegun::NoAgent),
        ("no-role", NotBegun::NoRole),
        ("empty", NotBegun::Empty),
        ("too-long", NotBegun::TooLong { chars: 12_000 }),
        ("busy", NotBegun::Busy),
    ];
    all.extend(not_begun.into_iter().map(|(name, why)| {
        let message = message(&ThreadSaid::NotBegun(why), 0, texts, &|_| channel_mark("C0OPS", texts));
        Piece::message(format!("thread-not-begun-{name}"), "thread", &message.text, &message.blocks)
    }));
    all
}
