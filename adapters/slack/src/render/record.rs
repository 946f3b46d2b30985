//! The record that a card becomes once nothing is asked any more: what became of it, who said what. No buttons.

use placet::card::CardView;
use placet::text::Texts;
use serde_json::Value;

use super::card::argument;
use super::pieces::{self, RICH, code, section, sentence};
use crate::mrkdwn::rich_text;

/// Arguments that the record repeats; the whole call is in the trace.
const ARGUMENTS_MAX: usize = 4;

/// The blocks for a view that waits for nobody, cut to size.
pub(super) fn blocks(view: &CardView, texts: &Texts) -> Vec<Value> {
    let call = &view.call;
    let mut lines = vec![section(vec![code(call.tool.as_str())])];
    let (leading, others): (Vec<_>, Vec<_>) = call.args.iter().partition(|arg| arg.leading);
    lines.extend(leading.into_iter().chain(others).take(ARGUMENTS_MAX).map(argument));
    lines.push(sentence(&texts.state_line(view, &RICH)));
    vec![pieces::title(&texts.record_head(view, &RICH)), rich_text(lines)]
}
