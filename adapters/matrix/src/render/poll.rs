//! The poll beside a card: one press that is encrypted where the room is.
//!
//! What always holds: it asks about one request, by the title and the code of its card, and offers a yes only where the card
//! shows the whole call. Clients know polls by their unstable names alone.
//! <https://github.com/matrix-org/matrix-spec-proposals/pull/3381>

use placet::approval::Decision;
use placet::card::{CardView, unlike_placet};
use placet::id::RequestId;
use placet::text::{Label, NoWay, Texts, YesWay};
use serde_json::{Value, json};

use super::Rendering;
use super::html::disarmed;

/// The type of the event that begins a poll.
pub(crate) const POLL_START: &str = "org.matrix.msc3381.poll.start";
/// The type of the event that ends one.
pub(crate) const POLL_END: &str = "org.matrix.msc3381.poll.end";
/// What the answer that is a yes begins with; behind it stands the request. Where an answer is put is not encrypted: a
/// homeserver could show a yes under another poll, so that it says itself what it is about.
const ANSWER_YES: &str = "placet.yes/";
/// What the answer that is a no begins with.
const ANSWER_NO: &str = "placet.no/";
/// Texts of polls.
const TEXT: &str = "org.matrix.msc1767.text";
/// Room for the title in the question, in characters: clients show it in one line or two.
const TITLE_CHARS_MAX: usize = 120;

/// The poll beside this card; none where nothing is decided by one.
pub(crate) fn start(view: &CardView, rendering: &Rendering, texts: &Texts) -> Option<Value> {
    let ways = rendering.ways?;
    let yes = (ways.yes == Some(YesWay::Poll))
        .then(|| answer(ANSWER_YES, view.request, &texts.label(Label::Approve)));
    let no = (ways.no == NoWay::Poll).then(|| answer(ANSWER_NO, view.request, &texts.label(Label::Deny)));
    let answers: Vec<Value> = yes.into_iter().chain(no).collect();
    if answers.is_empty() {
        return None;
    }
    // The title of a confidential call is not for the room.
    let veiled = view.confidential.then(|| view.veil());
    let call = &veiled.as_ref().unwrap_or(view).call;
    let (title, _) = call.title.cut_end(TITLE_CHARS_MAX);
    let title = texts.title_line(call, &unlike_placet(title.as_str()));
    let question = disarmed(&texts.poll_question(&title, &view.code));
    Some(json!({
        TEXT: question,
        POLL_START: {
            "question": { TEXT: question, "body": question, "msgtype": "m.text" },
            "kind": "org.matrix.msc3381.poll.disclosed",
            "max_selections": 1,
            "answers": answers,
        },
        "m.mentions": {},
    }))
}

fn answer(begins: &str, request: RequestId, text: &str) -> Value {
    json!({ "id": format!("{begins}{request}"), TEXT: text })
}

/// What the id of an answer says, and about which request.
pub(crate) fn answered(id: &str) -> Option<(Decision, RequestId)> {
    let yes = id.strip_prefix(ANSWER_YES).map(|request| (Decision::Approve, request));
    let (decision, request) = yes.or_else(|| id.strip_prefix(ANSWER_NO).map(|of| (Decision::Deny, of)))?;
    Some((decision, request.parse().ok()?))
}

/// The end of a poll, once nobody is asked any more.
pub(crate) fn end(poll: &str, said: &str) -> Value {
    json!({
        "m.relates_to": { "rel_type": "m.reference", "event_id": poll },
        POLL_END: {},
        TEXT: said,
        "m.mentions": {},
    })
}
