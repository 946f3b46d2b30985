//! The smallest form of a card: what is asked, by whom, why, and until when. It shows part of the call only.
//!
//! What always holds: it has room in a message, whatever the view holds, because each of its few lines is cut to its own room.

use placet::card::{CardView, shorten};
use placet::text::{Label, Texts};

use super::card::{asked_place, if_denied, minds, title};
use super::marked::{MARKS, Marked};
use super::sheet::{Block, Sheet};

/// Room for a line, in characters: of those that cost most, thirty lines have room in a message.
const LINE_CHARS_MAX: usize = 80;
/// The most lines.
const LINES_MAX: usize = 24;
/// Percent of the usual room.
const SHARE: usize = 15;

/// The card of a call of which no more fits.
pub(super) fn sheet(view: &CardView, can_be_approved: bool, texts: &Texts) -> Sheet {
    let mut sheet = asked(&shorten::view(view, SHARE), view, texts);
    for (label, said) in texts.terms(&view.call, &view.state, can_be_approved, &MARKS) {
        sheet.line(label, said);
    }
    if_denied(&shorten::view(view, SHARE), &mut sheet, texts);
    small(sheet)
}

/// The card of a confidential call: in a room it shows the tool and the level alone.
pub(super) fn veiled(view: &CardView, texts: &Texts) -> Sheet {
    let veiled = shorten::view(&view.veil(), SHARE);
    let mut sheet = asked(&veiled, &veiled, texts);
    sheet.extend(texts.figures(&veiled.call, &MARKS).map(|said| Block::Said(Marked::of(said))));
    for (label, said) in texts.terms(&veiled.call, &veiled.state, true, &MARKS) {
        sheet.line(label, said);
    }
    sheet.line(texts.label(Label::IfDenied), texts.if_denied(&veiled.state));
    if let placet::card::StateView::Waiting { votes, .. } = &veiled.state
        && !votes.is_empty()
    {
        sheet.line(texts.label(Label::Votes), texts.votes(votes, &MARKS));
    }
    sheet.said(texts.confidential_by_reply(view, &MARKS));
    small(sheet)
}

/// The record of a call of which no more fits.
pub(super) fn record(view: &CardView, prefix: &str, texts: &Texts) -> Sheet {
    let mut sheet = super::record::sheet(&shorten::view(view, SHARE), prefix, texts);
    sheet.0.retain(|block| !matches!(block, Block::Argument(..)));
    small(sheet)
}

fn asked(view: &CardView, whole: &CardView, texts: &Texts) -> Sheet {
    let call = &view.call;
    let mut sheet = Sheet::default();
    sheet.push(Block::Title(title(call, texts)));
    sheet.extend(minds(whole, texts));
    let place = asked_place(&view.call);
    sheet.line(texts.asked_by_label(), texts.asked_by_and_code(view, place.as_deref(), &MARKS));
    sheet.push(Block::Line(texts.label(Label::Call), Marked::foreign(call.tool.as_str())));
    // Why it is asked is the policy's to say, not the agent's.
    for rule in &call.rules {
        sheet.line(texts.label(Label::WhyAsk), texts.rule(rule, &MARKS).replace('\n', "⏎"));
    }
    if let (Some(effect), false) = (&call.effect, view.confidential) {
        sheet.push(Block::Words(texts.label(Label::Effect), placet::card::unlike_placet(effect.as_str())));
    }
    sheet
}

/// Each line cut to its room, and no more of them than have room.
fn small(mut sheet: Sheet) -> Sheet {
    let cut = |text: &str| placet::card::escape::cut_end(text, LINE_CHARS_MAX).text;
    sheet.0.truncate(LINES_MAX);
    for block in &mut sheet.0 {
        *block = match block.clone() {
            Block::Title(said) => Block::Title(said.cut(LINE_CHARS_MAX * 2)),
            Block::Line(label, said) => Block::Line(cut(&label), said.cut(LINE_CHARS_MAX * 3)),
            Block::Said(said) => Block::Said(said.cut(LINE_CHARS_MAX * 3)),
            Block::Strong(said) => Block::Strong(said.cut(LINE_CHARS_MAX * 2)),
            Block::Small(said) => Block::Small(said.cut(LINE_CHARS_MAX)),
            Block::Words(label, text) => Block::Words(cut(&label), one_line(&text)),
            Block::Argument(name, value) => Block::Argument(cut(&name), cut(&value)),
            Block::Lines(name, text) => Block::Lines(cut(&name), one_line(&text)),
            Block::Fixed(label, text) => Block::Fixed(cut(&label), one_line(&text)),
            Block::Bare(text) => Block::Bare(one_line(&text)),
        };
    }
    sheet
}

fn one_line(text: &str) -> String {
    placet::card::escape::cut_end(&text.replace('\n', "⏎"), LINE_CHARS_MAX).text
}
