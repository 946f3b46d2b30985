//! The record that a card becomes once nothing is asked any more: what became of it, who said what, and what somebody must
//! still do.

use placet::approval::OutcomeKind;
use placet::card::{CardView, GroundsView, StateView};
use placet::text::{Label, Texts};

use super::card::cut_argument;
use super::marked::{MARKS, Marked};
use super::sheet::{Block, Sheet};

/// Arguments that the record repeats; the whole call is in the trace.
const ARGUMENTS_MAX: usize = 4;

/// The record of a view that waits for nobody, cut to size.
pub(super) fn sheet(view: &CardView, prefix: &str, texts: &Texts) -> Sheet {
    let call = &view.call;
    let mut sheet = Sheet::default();
    sheet.push(Block::Title(Marked::of(texts.record_head(view, &MARKS))));
    sheet.push(Block::Line(texts.label(Label::Call), Marked::foreign(call.tool.as_str())));
    let (leading, others): (Vec<_>, Vec<_>) = call.args.iter().partition(|arg| arg.leading);
    sheet.extend(leading.into_iter().chain(others).take(ARGUMENTS_MAX).map(cut_argument));
    sheet.line(texts.asked_by_label(), texts.asked_by(call, &MARKS));
    // What went wrong can have many lines.
    sheet.said(texts.state_line(view, &MARKS).replace('\n', "⏎"));
    if matches!(view.state, StateView::Executed { outcome: OutcomeKind::Unknown, .. }) {
        sheet.said(texts.to_settle(prefix));
    }
    if matches!(view.grounds, Some(GroundsView::Alone { reviewed_by: None, .. })) {
        sheet.said(texts.to_review(prefix));
    }
    sheet
}
