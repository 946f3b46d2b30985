//! A question to who asked for a call, as they are told directly, with the way to answer it.

use placet::notice::Notice;
use placet::text::Texts;
use serde_json::Value;

use super::sheet::Sheet;
use super::target::{Deed, Target};
use crate::mrkdwn::{ButtonStyle, actions, button};

/// The block with the button under a question.
const ANSWER_BLOCK: &str = "placet_question";

/// The block beneath the question; none where the message is no question.
pub(crate) fn answer_button(notice: &Notice, texts: &Texts) -> Option<Value> {
    let Notice::Question { request, code, number, .. } = notice else { return None };
    let deed = Deed::Open(Sheet::Answer);
    let target = Target { deed, request: *request, code: code.clone(), question: Some(*number) };
    let text = texts.dialog(Sheet::Answer.button());
    let answer = button(Sheet::Answer.action(), &text, &target.encode(), ButtonStyle::Primary);
    Some(actions(ANSWER_BLOCK, vec![answer]))
}
