//! The record that a card becomes once nothing is asked any more: what became of it, who said what. It has buttons only for
//! what somebody must still do: settle an outcome that nobody knows, review what one person decided alone.

use placet::approval::OutcomeKind;
use placet::card::{CardView, GroundsView, StateView};
use placet::id::SurfaceName;
use placet::text::Texts;
use serde_json::{Value, json};
use url::Url;

use super::arguments::argument;
use super::pieces::{self, RICH, code, section, sentence};
use super::sheet::Sheet;
use super::target::{Deed, Target};
use crate::mrkdwn::{ButtonStyle, actions, button, rich_text, rich_text_text};

/// The block with the buttons of a record.
const AFTER_BLOCK: &str = "placet_after";

/// Arguments that the record repeats; the whole call is in the trace.
const ARGUMENTS_MAX: usize = 4;

/// The blocks for a view that waits for nobody, cut to size, with the address of the thread that its task was given in.
pub(super) fn blocks(
    view: &CardView,
    (surface, thread): (&SurfaceName, Option<&Url>),
    texts: &Texts,
) -> Vec<Value> {
    let call = &view.call;
    let mut lines = vec![section(vec![code(call.tool.as_str())])];
    let (leading, others): (Vec<_>, Vec<_>) = call.args.iter().partition(|arg| arg.leading);
    lines.extend(leading.into_iter().chain(others).take(ARGUMENTS_MAX).map(argument));
    let place = pieces::asked_place(call, surface, texts);
    let mut asked = vec![pieces::bold(&format!("{}  ", texts.asked_by_label()))];
    asked.extend(pieces::elements(&texts.asked_by_in(call, place.as_deref(), &RICH)));
    if let Some(thread) = thread {
        asked.push(rich_text_text(" · "));
        asked.push(json!({ "type": "link", "url": thread.as_str(), "text": texts.asked_thread() }));
    }
    lines.push(section(asked));
    lines.push(sentence(&texts.state_line(view, &RICH)));
    lines.extend(pieces::stopped(view, texts));
    let mut blocks = vec![pieces::title(&texts.record_head(view, &RICH)), rich_text(lines)];
    blocks.extend(open_ends(view, texts));
    blocks
}

/// What is still to be done by somebody, though nothing is asked any more.
pub(super) fn open_ends(view: &CardView, texts: &Texts) -> Option<Value> {
    let is_unknown = matches!(view.state, StateView::Executed { outcome: OutcomeKind::Unknown, .. });
    let is_unreviewed = matches!(view.grounds, Some(GroundsView::Alone { reviewed_by: None, .. }));
    let sheets = [is_unknown.then_some(Sheet::Settle), is_unreviewed.then_some(Sheet::Review)];
    let buttons: Vec<Value> = sheets.into_iter().flatten().map(|sheet| opens(sheet, view, texts)).collect();
    (!buttons.is_empty()).then(|| actions(AFTER_BLOCK, buttons))
}

/// The button that opens this dialog.
fn opens(sheet: Sheet, view: &CardView, texts: &Texts) -> Value {
    let target =
        Target { deed: Deed::Open(sheet), request: view.request, code: view.code.clone(), question: None };
    button(sheet.action(), &texts.dialog(sheet.button()), &target.encode(), ButtonStyle::Plain)
}
