//! Lines and blocks that cards and dialogs are put together from.
//!
//! The catalogue gives whole sentences in which times and channels stand. [`RICH`] has it write each time between two
//! private-use characters, which no visible text can hold (they are escaped like everything that does not show), and so is a
//! channel written, so that [`elements`] can tell Placet's from whatever an agent wrote, and make elements of them.

pub(super) use placet::card::unlike_placet;
use placet::card::{CallView, CardView, LookingView, QuestionView, StateView, visible_line};
use placet::id::SurfaceName;
use placet::inbound::Located;
use placet::text::{DialogText, Label, Markup, Texts};
use placet::time::Timestamp;
use serde_json::{Value, json};

use super::details;
use crate::limits;
use crate::mrkdwn::{self, date_element, rich_text_text};

/// Opens and closes a time within a sentence of the catalogue.
const TIME: (char, char) = ('\u{e000}', '\u{e001}');

/// Opens and closes a channel within a sentence of the catalogue.
pub(super) const CHANNEL: (char, char) = ('\u{e002}', '\u{e003}');

/// A time in the reader's zone and language, by Slack's tokens. There is no word between them: it would be of one language.
const TIME_FORMAT: &str = "{date_short_pretty} {time}";

/// For sentences that [`elements`] takes apart.
pub(super) const RICH: Markup<'static> = Markup { text: &without_marks, time: &marked };

fn without_marks(text: &str) -> String {
    text.replace([TIME.0, TIME.1, CHANNEL.0, CHANNEL.1], "\u{fffd}")
}

/// A channel of this workspace, as a sentence holds it; messages to people themselves where it is one of those. Its id comes
/// from Slack's own signed events, or from the configuration.
pub(crate) fn channel_mark(id: &str, texts: &Texts) -> String {
    if is_shared(id) { format!("{}{id}{}", CHANNEL.0, CHANNEL.1) } else { texts.thread_directly() }
}

/// Whether it is a channel that others are in, too.
pub(crate) fn is_shared(channel: &str) -> bool {
    channel.starts_with(['C', 'G']) && mrkdwn::is_id(channel)
}

/// Where the task was given, as a sentence holds it; of another surface or workspace only the name.
pub(super) fn asked_place(call: &CallView, surface: &SurfaceName, texts: &Texts) -> Option<String> {
    let Located { surface: there, message } = call.asked_in.as_ref()?;
    let is_here = there == surface;
    Some(if is_here {
        channel_mark(&message.channel, texts)
    } else {
        visible_line(there.as_str()).into_string()
    })
}

fn marked(at: Timestamp) -> String {
    format!("{}{}{}", TIME.0, at.as_secs(), TIME.1)
}

/// The elements of a sentence: text, times in the reader's zone, and channels that Placet names.
pub(super) fn elements(sentence: &str) -> Vec<Value> {
    let mut elements = Vec::new();
    let mut rest = sentence;
    let text = |text: &str| (!text.is_empty()).then(|| rich_text_text(text));
    while let Some((before, marked)) = rest.split_once([TIME.0, CHANNEL.0]) {
        elements.extend(text(before));
        let is_channel = rest[before.len()..].starts_with(CHANNEL.0);
        let close = if is_channel { CHANNEL.1 } else { TIME.1 };
        let Some((inner, after)) = marked.split_once(close) else {
            rest = "";
            break;
        };
        if is_channel {
            elements.push(json!({ "type": "channel", "channel_id": inner }));
        } else if let Ok(secs) = inner.parse::<i64>() {
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

/// What was asked about a call, what was answered in whose words, and who is looking.
pub(super) fn talk(
    call: &CallView,
    (questions, looking): (&[QuestionView], &[LookingView]),
    texts: &Texts,
) -> Vec<Value> {
    let label = texts.dialog(DialogText::QuestionsLabel);
    let mut lines = Vec::new();
    for question in questions {
        lines.push(line(&label, &texts.asked(question, call.asked_by.as_str(), &RICH)));
        if let Some(answer) = &question.answer {
            lines.push(section(bold_elements(&texts.answered_by(answer, &RICH))));
            lines.push(words(answer.text.as_str()));
        }
    }
    lines.extend(texts.looking(looking, &RICH).map(|looking| sentence(&looking)));
    lines
}

/// Text in fixed width within a line.
pub(super) fn code(text: &str) -> Value {
    let mut element = rich_text_text(text);
    element["style"] = json!({ "code": true });
    element
}

/// A label with the mark that what follows is the agent's.
pub(super) fn agents(label: Label, texts: &Texts) -> String {
    texts.label_of_the_agent(label)
}

/// What will happen, and how bad it is. Never cut: what is too long for a header becomes a bold line.
pub(super) fn title(text: &str) -> Value {
    if limits::escaped_len(text) <= limits::HEADER_UNITS_MAX {
        mrkdwn::header(text)
    } else {
        mrkdwn::rich_text(vec![heading(text)])
    }
}

/// `CRITICAL · Delete 1 file`
pub(super) fn title_of(call: &CallView, texts: &Texts) -> String {
    texts.title_line(call, &unlike_placet(call.title.as_str()))
}

/// The agent's words: set apart line by line, so that where they begin and end is seen, and nothing in them looks like a
/// line of Placet's.
pub(super) fn words(text: &str) -> Value {
    mrkdwn::quote_element(&unlike_placet(text))
}

/// A value on one line: its ends of line and tabs become signs. The arguments as JSON tell them from such signs.
pub(super) fn one_line(text: &str) -> String {
    text.replace('\n', "⏎").replace('\t', "⇥")
}

/// Room for a remark: some hold a name, or the reason of an earlier no.
const REMARK_UNITS_MAX: usize = 400;

/// What could change somebody's mind: a line for each, in the size of the call itself. `whole` is the view before it was cut.
pub(super) fn minds(whole: &CardView, texts: &Texts) -> Vec<Value> {
    texts.minds(whole, &RICH).iter().map(|said| remark(said)).collect()
}

/// That calls like it are stopped, for where nothing is asked any more.
pub(super) fn stopped(view: &CardView, texts: &Texts) -> Option<Value> {
    texts.stopped_line(view, &RICH).map(|said| remark(&said))
}

/// One of these lines.
fn remark(said: &str) -> Value {
    section(bold_elements(&limits::shorten(said, REMARK_UNITS_MAX)))
}

/// As [`elements`], in bold but for the times.
pub(super) fn bold_elements(sentence: &str) -> Vec<Value> {
    let mut elements = elements(sentence);
    for element in elements.iter_mut().filter(|element| element["type"] == "text") {
        element["style"] = json!({ "bold": true });
    }
    elements
}

/// All there is to know beside the call, for where nobody decides.
pub(super) fn remarks(view: &CardView, texts: &Texts) -> Vec<String> {
    let remarks = texts.remarks(view, &Markup::PLAIN);
    remarks.iter().map(|remark| limits::shorten(remark, REMARK_UNITS_MAX)).collect()
}

/// What is good to know besides.
pub(super) fn asides(view: &CardView, texts: &Texts) -> Vec<String> {
    let asides = texts.asides(view);
    asides.iter().map(|remark| limits::shorten(remark, REMARK_UNITS_MAX)).collect()
}

/// Who must say yes, by when, and what a yes does: each with its label. Where nobody can say it, only by when.
pub(super) fn terms_said(call: &CallView, state: &StateView, texts: &Texts) -> Vec<(String, String)> {
    texts.terms(call, state, !nobody_can_approve(call, state, texts), &RICH)
}

/// As [`terms_said`], each on a line of its own. `call` is the whole one.
pub(super) fn terms(call: &CallView, state: &StateView, texts: &Texts) -> Vec<Value> {
    terms_said(call, state, texts).iter().map(|(label, said)| line(label, said)).collect()
}

/// What a no does, and what the agent says it does then. The words may be cut.
pub(super) fn if_denied(call: &CallView, state: &StateView, texts: &Texts) -> Vec<Value> {
    let mut lines = vec![line(&texts.label(Label::IfDenied), &texts.if_denied(state))];
    if let Some(said) = call.if_denied.as_ref().filter(|said| !said.as_str().trim().is_empty()) {
        lines.push(heading(&texts.then_in_the_agents_words()));
        lines.push(words(said.as_str()));
    }
    lines
}

/// Whether no place can show the whole call, so that no yes to it counts.
fn nobody_can_approve(call: &CallView, state: &StateView, texts: &Texts) -> bool {
    let is_relaxed = matches!(state, StateView::Waiting { partial_view_may_approve: true, .. });
    (call.redacted > 0 && !is_relaxed) || is_too_long(call, texts)
}

/// Whether there are more pages than can be opened, which only a call that hides nothing is asked.
pub(super) fn is_too_long(call: &CallView, texts: &Texts) -> bool {
    call.redacted == 0 && may_be_too_long(call) && details::pages(call, texts).len() > details::PAGES_MAX
}

/// Whether it could be: to make the pages of an ordinary call only to count them would take most of the time that a card
/// takes.
fn may_be_too_long(call: &CallView) -> bool {
    /// A tenth of what the pages hold: twice as JSON, and an argument of several lines stands there twice.
    const BYTES: usize = 100_000;
    /// A fifth of the blocks that they hold.
    const FIELDS: usize = 1_000;
    let evidence = call.evidence.iter().flat_map(|piece| {
        [Some(&piece.title), piece.uri.as_ref(), piece.excerpt.as_ref()].into_iter().flatten()
    });
    let rules = call
        .rules
        .iter()
        .flat_map(|rule| [Some(&rule.rule), Some(&rule.because), rule.error.as_ref()].into_iter().flatten());
    let others = [Some(&call.args_json), Some(&call.task), Some(&call.reason), call.preview.as_ref()];
    let others = others.into_iter().chain([
        call.effect.as_ref(),
        call.if_denied.as_ref(),
        call.edited.as_ref().map(|edited| &edited.changes),
    ]);
    let bytes: usize = others.flatten().chain(evidence).chain(rules).map(|text| text.as_str().len()).sum();
    bytes > BYTES || call.args.len() + call.rules.len() + call.evidence.len() > FIELDS
}

/// A line of small print for each remark; none where there are none.
pub(super) fn small_print(remarks: &[String]) -> Option<Value> {
    let remarks: Vec<&str> = remarks.iter().map(String::as_str).collect();
    (!remarks.is_empty()).then(|| mrkdwn::context(&remarks))
}
