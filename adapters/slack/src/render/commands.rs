//! Answers to commands: messages that only who asked sees.
//!
//! What always holds: whatever an agent or a person wrote stands in `plain_text` or `rich_text`, made visible and redacted
//! before; the one element that Slack fills in beside times is the channel in which a card stands. Every answer keeps to
//! Slack's limits, is paged where it is longer, and a text that is cut ends in `…`.

pub(crate) mod dialog;
mod list;
mod one;

use placet::command::{self, Answer, Ask, Means};
use placet::text::{CommandLabel, Markup, Texts};
use serde_json::{Value, json};

use super::pieces::{self, elements, section};
use crate::limits::{self, check_message, escaped_len};
use crate::mrkdwn::{self, ButtonStyle, actions, button, context, rich_text};

use list::{audit, pending, remembered, stops};
use one::{digest, help, show, whoami, why};

/// How every action and dialog of a command begins.
pub(crate) const COMMAND_PREFIX: &str = "placet_command_";
/// The button for what comes next: older, or the next page.
pub(crate) const FORWARD_ACTION: &str = "placet_command_forward";
/// The button for what came before: the newest, or the page before.
pub(crate) const BACK_ACTION: &str = "placet_command_back";
/// The button that lifts a stop.
pub(crate) const LIFT_ACTION: &str = "placet_command_lift";
/// The button that takes a remembered yes back.
pub(crate) const FORGET_ACTION: &str = "placet_command_forget";
/// The block with the buttons that turn pages.
const TURN_BLOCK: &str = "placet_command_turn";

/// Rows of one page.
pub(crate) const ROWS_PER_PAGE: u32 = 10;

/// Rows of one page where each has a button that asks once more, which takes as much room again.
pub(crate) const BUTTON_ROWS_PER_PAGE: u32 = 6;

/// Room for each text of a row, in units: the first with which the page fits is taken.
const ROOMS: [usize; 6] = [400, 160, 80, 40, 20, 10];

/// Bytes of the lines of one page; the rest of a message is for what stands around them.
const LINES_BYTES_MAX: usize = limits::MESSAGE_BLOCKS_BYTES_MAX - 3_000;

/// An answer as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    /// The blocks.
    pub(crate) blocks: Vec<Value>,
    /// The fallback, escaped.
    pub(crate) text: String,
}

/// What the buttons that turn pages carry; none where there is nothing that way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Turns {
    /// To the newest, or to the page before.
    pub(crate) back: Option<String>,
    /// To what is older, or to the next page.
    pub(crate) forward: Option<String>,
}

impl Turns {
    /// What buttons carry to these places in the answer to what was typed.
    fn of(turns: command::Turns, typed: &str) -> Self {
        let to = |place: command::Place| format!("{} {typed}", place.encode());
        Self { back: turns.back.map(to), forward: turns.forward.map(to) }
    }

    /// For a list whose pages go from the newest backwards.
    fn of_list(&self, texts: &Texts) -> Option<Value> {
        let label = |label| texts.command_label(label);
        self.row(&label(CommandLabel::Newest), &label(CommandLabel::Older))
    }

    /// For pages with numbers.
    fn of_pages(&self, texts: &Texts) -> Option<Value> {
        use placet::text::Label;
        self.row(&texts.label(Label::PreviousPage), &texts.label(Label::NextPage))
    }

    fn row(&self, back: &str, forward: &str) -> Option<Value> {
        let turn = |action, text: &str, value: &String| button(action, text, value, ButtonStyle::Plain);
        let buttons = [
            self.back.as_ref().map(|value| turn(BACK_ACTION, back, value)),
            self.forward.as_ref().map(|value| turn(FORWARD_ACTION, forward, value)),
        ];
        let buttons: Vec<Value> = buttons.into_iter().flatten().collect();
        (!buttons.is_empty()).then(|| actions(TURN_BLOCK, buttons))
    }
}

/// An answer to what was typed. A file is not written here, but sent; this says so.
pub(crate) fn page(answer: &Answer, typed: &str, texts: &Texts) -> Page {
    let list = |turns: command::Turns| Turns::of(turns, typed);
    let numbered = |page, pages| Turns::of(Ask::numbered(page, pages), typed);
    match answer {
        Answer::Help => help(texts),
        Answer::Said(sentence) => said(&texts.command_said(sentence, Means::Buttons, &Markup::PLAIN)),
        Answer::Whoami(person) => whoami(person, texts),
        Answer::Pending { found, stops, turns } => pending(found, stops, &list(*turns), texts),
        Answer::Request { view, channels, page } => show(view, channels, *page, (&numbered, texts)),
        Answer::Why { why: asked, page } => why(asked, *page, (&numbered, texts)),
        Answer::Audit { tenant, found, further, turns } => {
            audit((tenant.as_str(), found), *further, &list(*turns), texts)
        }
        Answer::File(file) => said(&texts.exported(file)),
        Answer::Remembered { kept, turns } => remembered(kept, &list(*turns), texts),
        Answer::Stops { stops: all, page } => stops(all, *page, (&numbered, texts)),
        Answer::Digest { digest: counted, page } => digest(counted, *page, (&numbered, texts)),
    }
}

/// A sentence or two, and nothing else.
pub(crate) fn said(text: &str) -> Page {
    Page { blocks: vec![mrkdwn::section(text)], text: fallback(text) }
}

fn fallback(text: &str) -> String {
    mrkdwn::escape(&limits::shorten(text, limits::TEXT_UNITS_MAX))
}

/// A line with times in it, cut to so many units; a cut ends in `…`.
pub(super) fn cut_line(sentence: &str, units: usize) -> Value {
    section(cut(elements(sentence), units))
}

/// The same with a label in bold before it.
fn cut_labelled(label: &str, sentence: &str, units: usize) -> Value {
    let mut all = vec![pieces::bold(&format!("{label}  "))];
    all.extend(cut(elements(sentence), units));
    section(all)
}

fn cut(elements: Vec<Value>, units: usize) -> Vec<Value> {
    let mut left = units;
    let mut kept = Vec::new();
    for mut element in elements {
        let Some(text) = element["text"].as_str() else {
            kept.push(element);
            continue;
        };
        let long = escaped_len(text);
        if long <= left {
            left -= long;
            kept.push(element);
            continue;
        }
        element["text"] = limits::shorten(text, left.max(1)).into();
        kept.push(element);
        break;
    }
    kept
}

/// The first of these that Slack takes; the last is short enough for any.
fn fitting(build: impl Fn(usize) -> Vec<Value>, text: String) -> Page {
    let mut blocks = Vec::new();
    for room in ROOMS {
        blocks = build(room);
        if check_message(&json!({ "text": text, "blocks": blocks })).is_empty() {
            break;
        }
    }
    Page { blocks, text }
}

/// Lines in pages; at least one page.
fn paged(lines: Vec<Value>) -> Vec<Vec<Value>> {
    let mut pages = vec![Vec::new()];
    let mut bytes = 0;
    for line in lines {
        let size = line.to_string().len();
        if bytes + size > LINES_BYTES_MAX && pages.last().is_some_and(|page| !page.is_empty()) {
            pages.push(Vec::new());
            bytes = 0;
        }
        bytes += size;
        if let Some(page) = pages.last_mut() {
            page.push(line);
        }
    }
    pages
}

/// One page of lines under a head; `turns` makes what the buttons carry of the number of the page and of all pages.
fn of_lines(
    head: &str,
    lines: Vec<Value>,
    page: usize,
    (turns, texts): (&dyn Fn(usize, usize) -> Turns, &Texts),
) -> Page {
    let pages = paged(lines);
    let page = page.min(pages.len() - 1);
    let mut blocks = vec![pieces::title(head)];
    if pages.len() > 1 {
        blocks.push(context(&[&texts.page(page + 1, pages.len())]));
    }
    blocks.extend(pages.get(page).filter(|lines| !lines.is_empty()).map(|lines| rich_text(lines.clone())));
    blocks.extend(turns(page, pages.len()).of_pages(texts));
    Page { blocks, text: fallback(head) }
}

#[cfg(test)]
pub(crate) mod tests;
