//! Details: the whole call in a dialog, everything in full, in pages where it is long.
//!
//! What always holds: the pages depend on the call alone, which never changes within a request, so that a page number
//! means the same as long as the request lives; joined, the pages hold every character of every field; and there is a
//! way to approve only on a view after which its viewer has opened every page.

use placet::card::shorten::{self, json_bytes};
use placet::card::{CallView, CardView, StateView};
use placet::text::{Label, Texts};
use serde_json::Value;

use super::DENY_ACTION;
use super::dialog::note_input;
use super::menu;
use super::pieces::{self, RICH, agents, heading, line, sentence};
use super::sheet::Sheet;
use crate::limits::{self, VIEW_BLOCKS_MAX};
use crate::mrkdwn::{self, ButtonStyle, Modal, actions, button, context, preformatted_element, rich_text};

/// Which dialog this is.
pub(crate) const DETAILS_DIALOG: &str = "placet_details";
/// The button for the page before.
pub(crate) const PREVIOUS_ACTION: &str = "placet_page_previous";
/// The button for the next page.
pub(crate) const NEXT_ACTION: &str = "placet_page_next";
/// The block with the buttons of Details.
const DETAILS_BLOCK: &str = "placet_details_buttons";

/// Pages there may be: what one word of bits remembers. Longer calls cannot be approved on this surface.
pub(crate) const PAGES_MAX: usize = 64;
/// Blocks of the call on one page; the rest of a view's hundred is for what stands around them.
const PAGE_BLOCKS_MAX: usize = VIEW_BLOCKS_MAX - 20;
/// Bytes of the call on one page, as JSON. Slack's own bound on a view is undocumented and much higher.
const PAGE_BYTES_MAX: usize = 24_000;
/// Units of one block: what Slack allows a section, though rich text has no stated limit.
const BLOCK_UNITS_MAX: usize = limits::SECTION_UNITS_MAX - 100;

/// How a text stands on a page.
#[derive(Clone, Copy)]
enum Form {
    /// As a sentence.
    Line,
    /// In fixed width, as it stands.
    Fixed,
    /// As somebody's words.
    Quote,
}

/// What a page offers beside the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer<'a> {
    /// Which page, from 0.
    pub(crate) page: usize,
    /// Whether every page was opened, this one included.
    pub(crate) all_opened: bool,
    /// Whether a yes can count here once every page was opened.
    pub(crate) may_approve: bool,
    /// What can be done from here beside yes and no.
    pub(crate) more: &'a [Sheet],
}

/// How much stands on one page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Blocks.
    pub(crate) blocks: usize,
    /// Bytes of them, as JSON.
    pub(crate) bytes: usize,
    /// Units of one block.
    pub(crate) units: usize,
}

/// The room of a dialog.
const DIALOG: Room = Room { blocks: PAGE_BLOCKS_MAX, bytes: PAGE_BYTES_MAX, units: BLOCK_UNITS_MAX };

/// The call, page by page; at least one page, each with at least one block.
pub(crate) fn pages(call: &CallView, texts: &Texts) -> Vec<Vec<Value>> {
    pages_within(DIALOG, call, texts)
}

/// The same in pages of another size.
pub(crate) fn pages_within(room: Room, call: &CallView, texts: &Texts) -> Vec<Vec<Value>> {
    let mut pages = vec![Vec::new()];
    let mut bytes = 0;
    for block in call_blocks(call, room, texts) {
        let size = block.to_string().len();
        let page = pages.last().map_or(0, Vec::len);
        if page > 0 && (page >= room.blocks || bytes + size > room.bytes) {
            pages.push(Vec::new());
            bytes = 0;
        }
        bytes += size;
        if let Some(page) = pages.last_mut() {
            page.push(block);
        }
    }
    pages
}

fn call_blocks(call: &CallView, room: Room, texts: &Texts) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut field =
        |label: String, text: &str, form: Form| blocks.extend(field_blocks(&label, text, (form, room)));
    field(texts.label(Label::Call), call.tool.as_str(), Form::Fixed);
    field(texts.label(Label::Arguments), call.args_json.as_str(), Form::Fixed);
    // JSON shows the ends of lines as \n: who must read a script reads it here.
    for arg in call.args.iter().filter(|arg| arg.value.as_str().contains('\n')) {
        field(arg.name.as_str().to_owned(), arg.value.as_str(), Form::Fixed);
    }
    if let Some(effect) = &call.effect {
        field(texts.label(Label::Effect), effect.as_str(), Form::Line);
    }
    if let Some(figures) = texts.figures(call, &RICH) {
        field(texts.label(Label::Figures), &figures, Form::Line);
    }
    if let Some(edited) = &call.edited {
        field(texts.label(Label::Changes), edited.changes.as_str(), Form::Fixed);
    }
    if let Some(preview) = &call.preview {
        field(agents(Label::Preview, texts), preview.as_str(), Form::Fixed);
    }
    field(texts.asked_by_label(), &texts.asked_by(call, &RICH), Form::Line);
    field(agents(Label::Task, texts), call.task.as_str(), Form::Quote);
    field(texts.label(Label::AgentReason), call.reason.as_str(), Form::Quote);
    for rule in &call.rules {
        field(texts.label(Label::WhyAsk), &texts.rule(rule, &RICH), Form::Line);
    }
    for piece in &call.evidence {
        let parts = [Some(&piece.title), piece.uri.as_ref()];
        let parts: Vec<&str> = parts.into_iter().flatten().map(|part| part.as_str()).collect();
        field(agents(Label::BasedOn, texts), &parts.join(" · "), Form::Quote);
        if let Some(excerpt) = &piece.excerpt {
            field(String::new(), excerpt.as_str(), Form::Quote);
        }
    }
    if let Some(if_denied) = &call.if_denied {
        field(agents(Label::IfDenied, texts), if_denied.as_str(), Form::Quote);
    }
    if let Some(digest) = &call.digest {
        field(texts.label(Label::Digest), &digest.to_string(), Form::Fixed);
    }
    blocks
}

/// A field in as many blocks as it takes; joined they hold the text.
fn field_blocks(label: &str, text: &str, (form, room): (Form, Room)) -> Vec<Value> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    // A name as long as a page stands in the JSON only.
    let mut label = Some(label).filter(|label| !label.is_empty() && json_bytes(label) <= room.bytes / 2);
    let mut blocks = Vec::new();
    for piece in limits::split(text, room.units) {
        let label = label.take();
        let mut lines: Vec<Value> = match form {
            Form::Line => {
                blocks
                    .push(rich_text(vec![label.map_or_else(|| sentence(piece), |label| line(label, piece))]));
                continue;
            }
            Form::Fixed | Form::Quote => label.map(heading).into_iter().collect(),
        };
        lines.push(match form {
            Form::Quote => pieces::words(piece),
            Form::Line | Form::Fixed => preformatted_element(piece),
        });
        blocks.push(rich_text(lines));
    }
    blocks
}

/// One page as a dialog. `reference` comes back with whatever is done in it.
pub(crate) fn view(
    view: &CardView,
    pages: &[Vec<Value>],
    offer: Offer<'_>,
    reference: &str,
    texts: &Texts,
) -> Value {
    let shown = shorten::state(view);
    let waiting = view.is_waiting();
    let too_long = pages.len() > PAGES_MAX;
    let approves = waiting && offer.may_approve && offer.all_opened && !too_long;
    let mut blocks = vec![pieces::title(&pieces::title_of(&view.call, texts))];
    if pages.len() > 1 {
        blocks.push(context(&[&texts.page(offer.page + 1, pages.len())]));
    }
    let mut remarks = pieces::minds(view, texts);
    if waiting && too_long {
        remarks.push(sentence(&texts.label(Label::TooLongToShow)));
    } else if waiting && !offer.may_approve {
        remarks.push(sentence(&texts.no_approve(view.call.redacted, &view.state)));
    } else if waiting && !offer.all_opened {
        remarks.push(sentence(&texts.label(Label::ReadAllPages)));
    }
    blocks.extend((!remarks.is_empty()).then(|| rich_text(remarks)));
    blocks.extend(pieces::small_print(&pieces::asides(view, texts)));
    blocks.extend(pages.get(offer.page).into_iter().flatten().cloned());
    blocks.push(rich_text(standing(&shown, texts)));
    let reason_for_yes = matches!(view.state, StateView::Waiting { reason_for_yes: true, .. });
    if approves {
        blocks.push(note_input(texts, Label::Note, Label::ApproveReasonHint, !reason_for_yes));
    }
    let buttons = page_buttons(offer.page, pages.len(), waiting, texts);
    if !buttons.is_empty() {
        blocks.push(actions(DETAILS_BLOCK, buttons));
    }
    blocks.extend(menu::of_details(offer.more, waiting.then_some(offer.page), texts));
    let submit = approves.then(|| texts.label(Label::Approve));
    mrkdwn::modal_view(Modal {
        callback_id: DETAILS_DIALOG,
        private_metadata: reference,
        title: &texts.label(Label::DetailsTitle),
        submit: submit.as_deref(),
        close: &texts.label(Label::Close),
        blocks,
    })
}

/// Who must say yes, and who has; or what became of it.
pub(super) fn standing(view: &CardView, texts: &Texts) -> Vec<Value> {
    let StateView::Waiting { votes, questions, looking, .. } = &view.state else {
        return vec![sentence(&texts.record_head(view, &RICH)), sentence(&texts.state_line(view, &RICH))];
    };
    let mut lines = pieces::terms(&view.call, &view.state, texts);
    lines.push(line(&texts.label(Label::IfDenied), &texts.if_denied(&view.state)));
    if !votes.is_empty() {
        lines.push(line(&texts.label(Label::Votes), &texts.votes(votes, &RICH)));
    }
    lines.extend(pieces::talk(&view.call, (questions, looking), texts));
    lines
}

fn page_buttons(page: usize, pages: usize, waiting: bool, texts: &Texts) -> Vec<Value> {
    let turn = |action: &str, label: Label, to: usize| {
        button(action, &texts.label(label), &to.to_string(), ButtonStyle::Plain)
    };
    let last = pages.min(PAGES_MAX).saturating_sub(1);
    let previous = (page > 0).then(|| turn(PREVIOUS_ACTION, Label::PreviousPage, page - 1));
    let next = (page < last).then(|| turn(NEXT_ACTION, Label::NextPage, page + 1));
    let deny = waiting.then(|| {
        // What it is about stands in the dialog's reference.
        button(DENY_ACTION, &texts.label(Label::DenyWithReason), "deny", ButtonStyle::Danger)
    });
    previous.into_iter().chain(next).chain(deny).collect()
}
