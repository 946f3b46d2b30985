//! What whoever pressed or typed something is answered at once.

use placet::approval::Refusal;
use placet::text::{Markup, Texts, Trouble};
use serde_json::Value;

use super::Piece;
use super::notices::refusals;
use crate::inbound::answer::Answer;
use crate::mrkdwn::{escape, section};
use crate::render::dialog::NOTE_BLOCK;

fn said(answer: Answer) -> Value {
    match answer {
        Answer::Said(what) => what,
        other => panic!("nothing is said: {other:?}"),
    }
}

const TROUBLES: [Trouble; 11] = [
    Trouble::NoSuchRequest,
    Trouble::Unavailable,
    Trouble::Uncertain,
    Trouble::StaleButton,
    Trouble::DialogExpired,
    Trouble::DialogLater,
    Trouble::DialogRefused,
    Trouble::AnswerRefused,
    Trouble::NobodyToAsk,
    Trouble::DialogOver,
    Trouble::NobodyNamed,
];

pub(super) fn all(texts: &'static Texts) -> Vec<Piece> {
    let mut all = vec![Piece::answer("dialogs-close", said(Answer::clear()))];
    for trouble in TROUBLES {
        let name = format!("{trouble:?}").to_lowercase();
        let text = texts.trouble(trouble);
        all.push(Piece::answer(
            format!("typed-{name}"),
            said(Answer::ephemeral(&escape(&text), &[section(&text)])),
        ));
        all.push(Piece::answer(format!("dialog-{name}"), said(Answer::error(NOTE_BLOCK, &text))));
    }
    let refused = |refusal: &Refusal| texts.refusal(refusal, &[], &Markup::PLAIN);
    for (name, refusal) in refusals() {
        all.push(Piece::answer(
            format!("dialog-refused-{name}"),
            said(Answer::error(NOTE_BLOCK, &refused(&refusal))),
        ));
    }
    all
}
