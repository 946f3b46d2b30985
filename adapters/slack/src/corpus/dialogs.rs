//! The dialogs that ask for something.

use placet::approval::Addressee;
use placet::card::{CardView, QuestionView, Redactor, visible_line};
use placet::text::Texts;
use serde_json::{Value, json};

use super::Piece;
use crate::fixtures::{HOSTILE, at, everywhere, slack, view, waiting};
use crate::limits::PRIVATE_METADATA_UNITS_MAX;
use crate::render::dialog;
use crate::render::edit;
use crate::render::sheet::{self, Frame, Sheet};

/// The sheet for this frame; one that is new needs an arm.
fn sheet(which: Sheet, frame: &Frame<'_>) -> Value {
    match which {
        Sheet::Settle => sheet::settle(frame),
        Sheet::Edit => edit::view(frame, (&args(), false), &Redactor::new()),
        Sheet::Ask => sheet::ask(frame, vec![Addressee::Requester, Addressee::Agent]),
        Sheet::Answer => sheet::answer(frame, &question()),
        Sheet::BreakGlass => sheet::break_glass(frame),
        Sheet::Review => sheet::review(frame),
        Sheet::Freeze => sheet::freeze(frame, HOSTILE),
    }
}

/// An argument of each kind that a field can hold, and of those that none can.
fn args() -> Value {
    json!({
        "path": HOSTILE, "depth": 3, "force": true, "skip": ["a", { "b": null }], "password": "hunter2",
        HOSTILE: "", "content": "x".repeat(3_001), "wide": "&".repeat(600),
    })
}

fn question() -> QuestionView {
    QuestionView {
        by: visible_line("Bo"),
        to: Addressee::Requester,
        text: visible_line(HOSTILE),
        at: at(60),
        answer: None,
        lost: true,
    }
}

pub(super) fn all(texts: &'static Texts) -> Vec<Piece> {
    let code = &waiting().code;
    let opaque = "r".repeat(PRIVATE_METADATA_UNITS_MAX);
    let mut all = vec![Piece::view(
        "dialog-deny-reason-needed",
        "dialog",
        dialog::deny((code, None), &opaque, true, texts),
    )];
    for (kind, view) in [("", view(&waiting())), ("-hostile", view(&everywhere(HOSTILE)))] {
        all.extend(decisions(kind, &view, texts));
        all.extend(sheets(kind, &view, texts));
    }
    all
}

/// The dialogs for a yes and for a no about what this card asks.
pub(super) fn decisions(kind: &str, view: &CardView, texts: &Texts) -> Vec<Piece> {
    let asks = crate::mrkdwn::unescape(&crate::render::render(view, &slack(), texts).text);
    let about = (&view.code, Some(asks.as_str()));
    let (no, yes) =
        (dialog::deny(about, "reference", false, texts), dialog::approve(about, "reference", texts));
    vec![
        Piece::view(format!("dialog-deny{kind}"), "dialog", no),
        Piece::view(format!("dialog-approve{kind}"), "dialog", yes),
    ]
}

/// Every sheet for this request.
pub(super) fn sheets(kind: &str, view: &CardView, texts: &Texts) -> Vec<Piece> {
    let opaque = "r".repeat(PRIVATE_METADATA_UNITS_MAX);
    let frame = Frame { view, reference: &opaque, texts };
    let all = Sheet::ALL.into_iter();
    all.map(|which| {
        let by = if which == Sheet::Edit { "edit" } else { "sheet" };
        Piece::view(format!("sheet-{}{kind}", which.name()), by, sheet(which, &frame))
    })
    .collect()
}
