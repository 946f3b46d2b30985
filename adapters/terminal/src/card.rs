//! The card in plain text, whole: everything that a yes is about.
//!
//! Text of more than one line stands behind a bar, so that none of it can pass for a line of the card.

use placet::card::{CallView, CardView, EvidenceView, StateView};
use placet::text::{DecidingLabel, Label, Markup, Texts};
use unicode_width::UnicodeWidthStr as _;

/// The width of the labels, in columns: a character of Chinese takes two.
const LABEL_COLUMNS: usize = 15;

/// The characters of a SHA-256 in hexadecimal.
const HASH_CHARS: usize = 64;

/// Opens each line of a text that has several.
const BAR: &str = "  │ ";

/// The card that people decide on, with the whole call: its arguments, the task, the agent's reason and what would
/// change. Hashes, and the text of what it is based on, stand in the details.
#[must_use]
pub fn card(view: &CardView, texts: &Texts) -> String {
    let call = &view.call;
    let mut page = Page { text: String::new() };
    page.line(&format!("── {} · {} · {}", call.title, texts.level(call.level), view.code));
    page.field(&texts.label(Label::Task), &texts.task(call, &Markup::PLAIN));
    page.field(&texts.label(Label::Call), call.tool.as_str());
    for arg in &call.args {
        page.field(&format!("  {}", arg.name), arg.value.as_str());
    }
    let effect = call.effect.as_ref().map(|text| text.as_str());
    let preview = call.preview.as_ref().map_or("", |text| text.as_str());
    match without_hashes(preview).as_slice() {
        [] => page.optional(&texts.label(Label::Effect), effect),
        [line] => {
            let parts = [Some(line.trim_end_matches('.')), effect];
            page.field(
                &texts.label(Label::Effect),
                &parts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            );
        }
        lines => {
            page.optional(&texts.label(Label::Effect), effect);
            page.field(&texts.label(Label::Preview), &lines.join("\n"));
        }
    }
    page.optional(&texts.label(Label::Figures), texts.figures(call, &Markup::PLAIN).as_deref());
    page.optional(&texts.label(Label::Changes), call.edited.as_ref().map(|edited| edited.changes.as_str()));
    page.optional(&texts.label(Label::AgentReason), Some(call.reason.as_str()));
    for rule in &call.rules {
        page.field(&texts.label(Label::WhyAsk), &texts.rule(rule, &Markup::PLAIN));
    }
    let titles: Vec<String> =
        call.evidence.iter().filter(|piece| !is_the_task(piece, call)).map(title_of).collect();
    for (number, title) in titles.iter().enumerate() {
        page.field(&if number == 0 { texts.label(Label::BasedOn) } else { String::new() }, title);
    }
    page.optional(&texts.label(Label::Needs), texts.needs(&view.state, &Markup::PLAIN).as_deref());
    let answer_by = texts.answer_by(&view.state, &Markup::PLAIN);
    page.optional(&texts.deciding(DecidingLabel::AnswerBy), answer_by.as_deref());
    let if_approved = texts.if_approved(call, &view.state);
    page.optional(&texts.deciding(DecidingLabel::IfApproved), if_approved.as_deref());
    page.field(&texts.label(Label::IfDenied), &texts.if_denied(&view.state));
    let then = call.if_denied.as_ref().map(|text| text.as_str());
    page.optional(&texts.deciding(DecidingLabel::Then), then);
    page.optional(&texts.label(Label::Votes), votes(view, texts).as_deref());
    for remark in texts.remarks(view, &Markup::PLAIN) {
        page.line(&format!("! {remark}"));
    }
    page.text
}

/// What the card does not repeat: the arguments as they run, and the digest that a yes is about; and what would change
/// and what it is based on, word for word.
pub(crate) fn details(view: &CardView, texts: &Texts) -> String {
    let mut page = Page { text: String::new() };
    if let Some(preview) = &view.call.preview {
        page.line(&texts.label(Label::Preview));
        page.block(preview.as_str());
    }
    for piece in &view.call.evidence {
        page.field(&texts.label(Label::BasedOn), &title_of(piece));
        page.block(piece.excerpt.as_ref().map_or("", |text| text.as_str()));
    }
    if let Some(digest) = &view.call.digest {
        page.field(&texts.label(Label::Digest), &digest.to_string());
    }
    page.line(&texts.label(Label::Arguments));
    page.block(view.call.args_json.as_str());
    page.text
}

/// The record that a card becomes.
pub(crate) fn record(view: &CardView, texts: &Texts) -> String {
    let head = texts.record_head(view, &Markup::PLAIN);
    format!("{head}\n  {}\n", texts.state_line(view, &Markup::PLAIN))
}

/// Who has said what, and what is still needed; none while nobody has said anything.
pub(crate) fn standing(view: &CardView, texts: &Texts) -> Option<String> {
    let votes = votes(view, texts)?;
    let needs = texts.needs_until(&view.state, &Markup::PLAIN).unwrap_or_default();
    Some(format!("{} · {votes}\n  {needs}\n", view.code))
}

fn votes(view: &CardView, texts: &Texts) -> Option<String> {
    match &view.state {
        StateView::Waiting { votes, .. } if !votes.is_empty() => Some(texts.votes(votes, &Markup::PLAIN)),
        _ => None,
    }
}

/// The lines that are for people: all but those that are a hash and nothing else.
fn without_hashes(preview: &str) -> Vec<&str> {
    let is_hash = |line: &str| {
        line.trim()
            .strip_prefix("SHA-256 ")
            .is_some_and(|hash| hash.len() == HASH_CHARS && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    preview.lines().filter(|line| !line.trim().is_empty() && !is_hash(line)).collect()
}

/// Whether a piece of evidence says what the card says as the task.
fn is_the_task(piece: &EvidenceView, call: &CallView) -> bool {
    let said = piece.excerpt.as_ref().map(|text| text.as_str().trim());
    piece.uri.is_none() && said == Some(call.task.as_str().trim())
}

fn title_of(piece: &EvidenceView) -> String {
    let uri = piece.uri.as_ref().map(|uri| format!(" · {uri}"));
    format!("{}{}", piece.title, uri.unwrap_or_default())
}

/// Text being set.
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn optional(&mut self, label: &str, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            self.field(label, text);
        }
    }

    /// A label and its text: beside it where it is one line, else beneath it.
    fn field(&mut self, label: &str, text: &str) {
        let room = LABEL_COLUMNS.saturating_sub(label.width()).max(1);
        if text.contains('\n') {
            self.line(label);
            self.block(text);
        } else {
            self.line(&format!("{label}{}{text}", " ".repeat(room)));
        }
    }

    fn block(&mut self, text: &str) {
        for line in text.lines() {
            self.line(&format!("{BAR}{line}"));
        }
    }
}
