//! Slack limits, refuses, breaks off, loses answers, hangs, and is down: no decision waits on it, nothing of it is
//! taken for a denial, and in the end every card is right, or an alarm says that one may not be.

mod copies;
mod edits;
mod people;
mod posts;

use anyhow::{Context as _, Result, ensure};
use placet::approval::Status;
use placet_tests::fake_slack::{Fault, Message, buttons};
use placet_tests::{Call, Card, Desk, Engine, converse};
use serde_json::{Value, json};

/// Each way in which one call of Slack's goes wrong.
const FAULTS: [Fault; 13] = [
    Fault::RateLimited { retry_after: Some(7) },
    Fault::RateLimited { retry_after: None },
    Fault::Status(500),
    Fault::DoneThen500,
    Fault::Code("invalid_blocks"),
    Fault::Code("msg_blocks_too_long"),
    Fault::Code("message_not_found"),
    Fault::Code("channel_not_found"),
    Fault::Code("not_in_channel"),
    Fault::NoAnswer,
    Fault::DoneButNoAnswer,
    Fault::Hang,
    Fault::DoneThenHang,
];

/// Whether Slack did it all the same, so that a copy may be there that nobody knows of.
const fn is_done(fault: &Fault) -> bool {
    matches!(fault, Fault::DoneThen500 | Fault::DoneButNoAnswer | Fault::DoneThenHang)
}

/// Whether a caller learns of it only when its own limit is over, in real time.
const fn is_slow(fault: &Fault) -> bool {
    matches!(fault, Fault::Hang | Fault::DoneThenHang)
}

/// Whether posts whose answer was lost can be looked up: a scope that an installation may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum History {
    Readable,
    Unreadable,
}

impl History {
    fn apply(self, desk: &Desk) {
        if self == Self::Unreadable {
            desk.slack().set_scopes(&["chat:write", "commands", "users:read", "im:write"]);
        }
    }
}

/// The conversation with each of these faults, each at a desk of its own, all at the same time: those that hang take
/// as long as one does.
fn for_each(
    faults: impl IntoIterator<Item = Fault>,
    talk: impl AsyncFn(&mut Desk, &Fault) -> Result<()> + Sync,
) -> Result<()> {
    std::thread::scope(|scope| {
        let talk = &talk;
        let talks: Vec<_> = faults
            .into_iter()
            .map(|fault| {
                scope.spawn(move || {
                    converse(Engine::Sqlite, async |desk| talk(desk, &fault).await)
                        .with_context(|| format!("with {fault:?}"))
                })
            })
            .collect();
        for talk in talks {
            talk.join().map_err(|_| anyhow::anyhow!("a conversation panicked"))??;
        }
        Ok(())
    })
}

/// Longer than any pause between two tries.
const EVERY_RETRY_MINUTES: u32 = 6;

/// A deletion that one admin decides on.
async fn proposes(desk: &Desk) -> Result<Call> {
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await
}

/// Cards with something to press, deleted ones aside.
fn live(desk: &Desk) -> Vec<Message> {
    there(desk).into_iter().filter(|message| !buttons(message).is_empty()).collect()
}

/// Cards, deleted ones aside; not what came of their calls, which stands under them.
fn there(desk: &Desk) -> Vec<Message> {
    desk.ops().cards().into_iter().filter(|message| !message.deleted).collect()
}

/// The newest card with something to press.
fn newest(desk: &Desk) -> Result<Card> {
    Ok(Card { message: live(desk).pop().context("a card")? })
}

/// Bo reads the request over the API and votes there, without any card.
async fn votes_at_console(desk: &Desk, call: &Call, approved: bool) -> Result<Value> {
    let bo = desk.holder("bo-console");
    bo.get(&format!("/v1/requests/{}?view=card", call.id)).await?.expect(200)?;
    let vote = json!({"requestId": call.id, "approved": approved, "reason": "seen at the console"});
    bo.post("/approvals", &vote).await?.expect(200)?.json()
}

/// Bo says yes on this card: with its button, or in Details where it has none.
async fn approves(desk: &Desk, card: &Card) -> Result<()> {
    if card.button("Approve").is_ok() {
        return desk.person("bo").clicks(card, "Approve").await;
    }
    desk.person("bo").clicks(card, "Details").await?;
    let view = desk.person("bo").sees_dialog().await?;
    desk.person("bo").submits(&view, &[]).await
}

/// Whether an alarm of an undeliverable card stands in the record.
async fn is_alarmed(desk: &Desk, call: &Call) -> Result<bool> {
    let events = desk.events(&call.id).await?;
    Ok(events.iter().any(|event| {
        event.kind.name() == "alarm.raised" && format!("{:?}", event.kind).contains("CardUndeliverable")
    }))
}

/// The state, at once: without a step of the worker in between.
async fn stands(desk: &Desk, call: &Call, status: Status) -> Result<()> {
    let now = desk.request(&call.id).await?.status();
    ensure!(now == status, "it is {now}, not {status}");
    Ok(())
}

/// Nothing that went wrong reads as if somebody had said no.
async fn no_denial(desk: &Desk, call: &Call) -> Result<()> {
    let answer = desk.agent().reads(&call.id).await?.expect(200)?.text();
    ensure!(!answer.contains("denied by user"), "nobody said no: {answer}");
    for event in desk.events(&call.id).await? {
        let event = format!("{:?}", event.kind);
        ensure!(!event.contains("decision: Deny"), "nobody said no: {event}");
    }
    Ok(())
}

/// Once Slack works again: at most so many copies still have buttons, or an alarm says that some may; nothing else
/// waits to be sent; and what stands in the channel is the record.
async fn ends_right(desk: &Desk, call: &Call, uncorrected_max: usize, words: &str) -> Result<()> {
    desk.slack().heal();
    desk.minutes_pass(EVERY_RETRY_MINUTES).await?;
    let live = live(desk);
    let alarmed = is_alarmed(desk, call).await?;
    ensure!(
        live.len() <= uncorrected_max || alarmed,
        "{} copies are left with buttons: {live:#?}",
        live.len()
    );
    let texts: Vec<_> = there(desk).into_iter().map(|message| Card { message }.text()).collect();
    let right = texts.iter().any(|text| text.contains(words));
    ensure!(right || texts.is_empty(), "no card reads {words:?}: {texts:#?}");
    desk.leaves_messages_unread();
    no_denial(desk, call).await
}
