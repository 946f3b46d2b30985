//! Lines and blocks that cards and dialogs are put together from.
//!
//! The catalogue gives whole sentences in which times stand. [`RICH`] has it write each time between two private-use
//! characters, which no visible text can hold (they are escaped like everything that does not show), so that
//! [`elements`] can tell Placet's times from whatever an agent wrote, and make elements of them.

use placet::card::{CallView, CardView};
use placet::text::{Label, Markup, Texts};
use placet::time::Timestamp;
use serde_json::{Value, json};

use crate::limits;
use crate::mrkdwn::{self, date_element, rich_text_text};

/// Opens and closes a time within a sentence of the catalogue.
const TIME: (char, char) = ('\u{e000}', '\u{e001}');

/// A time in the reader's zone, by Slack's tokens.
const TIME_FORMAT: &str = "{date_short_pretty} at {time}";

/// For sentences that [`elements`] takes apart.
pub(super) const RICH: Markup<'static> = Markup { text: &without_marks, time: &marked };

fn without_marks(text: &str) -> String {
    text.replace([TIME.0, TIME.1], "\u{fffd}")
}

fn marked(at: Timestamp) -> String {
    format!("{}{}{}", TIME.0, at.as_secs(), TIME.1)
}

/// The elements of a sentence: text, and times in the reader's zone.
pub(super) fn elements(sentence: &str) -> Vec<Value> {
    let mut elements = Vec::new();
    let mut rest = sentence;
    let text = |text: &str| (!text.is_empty()).then(|| rich_text_text(text));
    while let Some((before, after)) = rest.split_once(TIME.0) {
        elements.extend(text(before));
        let Some((secs, after)) = after.split_once(TIME.1) else { break };
        if let Ok(secs) = secs.parse::<i64>() {
            let fallback = Timestamp::from_secs(secs).to_minute_utc();
            elements.push(date_element(secs, TIME_FORMAT, &fallback));
        }
        rest = after;
    }
    elements.extend(text(rest));
    if elements.is_empty() {
        elements.push(rich_text_text(""));
    }
    elements
}

/// A line: a label in bold, then a sentence.
pub(super) fn line(label: &str, sentence: &str) -> Value {
    let mut all = vec![bold(&format!("{label}  "))];
    all.extend(elements(sentence));
    section(all)
}

/// A line without a label.
pub(super) fn sentence(sentence: &str) -> Value {
    section(elements(sentence))
}

/// A label on a line of its own.
pub(super) fn heading(label: &str) -> Value {
    section(vec![bold(label)])
}

/// A line of these elements.
pub(super) fn section(elements: Vec<Value>) -> Value {
    json!({ "type": "rich_text_section", "elements": elements })
}

/// Bold text: Placet's own, or a name; bold cannot be had from within a text.
pub(super) fn bold(text: &str) -> Value {
    let mut element = rich_text_text(text);
    element["style"] = json!({ "bold": true });
    element
}

/// Text in fixed width within a line.
pub(super) fn code(text: &str) -> Value {
    let mut element = rich_text_text(text);
    element["style"] = json!({ "code": true });
    element
}

/// A label with the mark that what follows is the agent's.
pub(super) fn agents(label: Label, texts: &Texts) -> String {
    format!("{} ({})", texts.label(label), texts.label(Label::AgentsWords))
}

/// What will happen, and how bad it is. Never cut: what is too long for a header becomes a bold line.
pub(super) fn title(text: &str) -> Value {
    if limits::escaped_len(text) <= limits::HEADER_UNITS_MAX {
        mrkdwn::header(text)
    } else {
        mrkdwn::rich_text(vec![heading(text)])
    }
}

/// `Delete 1 file · critical`
pub(super) fn title_of(call: &CallView, texts: &Texts) -> String {
    format!("{} · {}", call.title, texts.level(call.level))
}

/// A value on one line: its ends of line and tabs become signs. The arguments as JSON tell them from such signs.
pub(super) fn one_line(text: &str) -> String {
    text.replace('\n', "⏎").replace('\t', "⇥")
}

/// Room for a remark: some hold a name, or the reason of an earlier no.
const REMARK_UNITS_MAX: usize = 400;

/// What to know beside the call.
pub(super) fn remarks(view: &CardView, texts: &Texts) -> Vec<String> {
    let remarks = texts.remarks(view, &Markup::PLAIN);
    remarks.iter().map(|remark| limits::shorten(remark, REMARK_UNITS_MAX)).collect()
}

/// A line of small print for each remark; none where there are none.
pub(super) fn small_print(remarks: &[String]) -> Option<Value> {
    let remarks: Vec<&str> = remarks.iter().map(String::as_str).collect();
    (!remarks.is_empty()).then(|| mrkdwn::context(&remarks))
}
