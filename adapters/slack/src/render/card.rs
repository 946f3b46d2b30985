//! The card that people decide on.

use placet::card::{ArgView, CallView, CardView, RuleView, StateView};
use placet::text::{Label, Markup, Texts};
use serde_json::Value;

use super::pieces::{self, RICH, agents, bold, code, heading, line, one_line, section, sentence};
use super::shorten::fit;
use super::{APPROVE_ACTION, ButtonValue, DECIDE_BLOCK, DENY_ACTION, DETAILS_ACTION, REMEMBER_ACTION};
use crate::limits;
use crate::mrkdwn::{
    ButtonStyle, actions, button, preformatted_element, quote_element, rich_text, with_confirm,
};

/// Arguments that stand in front, each on its line; all of them stand in the JSON below.
const LEADING_MAX: usize = 6;
/// Room for the name of such an argument, in bytes of JSON.
const LEADING_NAME_BYTES: usize = 80;
/// Room for its value.
const LEADING_VALUE_BYTES: usize = 240;

/// The blocks for `view`, whose call may be cut; `whole` is the call itself.
pub(super) fn blocks(view: &CardView, whole: &CallView, value: &ButtonValue, texts: &Texts) -> Vec<Value> {
    let call = &view.call;
    let mut blocks = vec![pieces::title(&pieces::title_of(call, texts))];
    blocks.push(rich_text(what(call, whole, texts)));
    blocks.push(rich_text(why(view, whole, texts)));
    let mut remarks = pieces::remarks(view, texts);
    if !value.full && (whole.redacted == 0 || call != whole) {
        remarks.push(texts.label(Label::PartlyShown));
    }
    blocks.extend(pieces::small_print(&remarks));
    blocks.push(buttons(value, whole, texts));
    blocks
}

/// What will happen: task, tool and arguments.
fn what(call: &CallView, whole: &CallView, texts: &Texts) -> Vec<Value> {
    let mut lines = vec![line(&agents(Label::Task, texts), &texts.task(call, &RICH))];
    if !call.reason.as_str().trim().is_empty() {
        lines.push(heading(&texts.label(Label::AgentReason)));
        lines.push(quote_element(call.reason.as_str()));
    }
    lines.push(section(vec![bold(&format!("{}  ", texts.label(Label::Call))), code(call.tool.as_str())]));
    let leading = call.args.iter().filter(|arg| arg.leading).take(LEADING_MAX);
    lines.extend(leading.map(argument));
    lines.push(heading(&texts.label(Label::Arguments)));
    lines.push(preformatted_element(call.args_json.as_str()));
    let shown = call.args_json.as_str();
    if call.args_json != whole.args_json {
        // A line that is cut does not count as shown.
        let (shown, total) =
            (shown.lines().count().saturating_sub(1), whole.args_json.as_str().lines().count());
        lines.push(sentence(&texts.lines_shown(shown, total)));
    }
    lines
}

/// One argument, its name in bold: no value can pretend to be another argument.
pub(super) fn argument(arg: &ArgView) -> Value {
    let name = fit(&arg.name, LEADING_NAME_BYTES);
    let value = fit(&arg.value, LEADING_VALUE_BYTES);
    section(vec![bold(&format!("{name}  ")), code(&one_line(value.as_str()))])
}

/// With which effect, why it is asked, on which grounds, what if not, and until when.
fn why(view: &CardView, whole: &CallView, texts: &Texts) -> Vec<Value> {
    let call = &view.call;
    let mut lines = Vec::new();
    if let Some(effect) = &call.effect {
        lines.push(line(&texts.label(Label::Effect), effect.as_str()));
    }
    if let Some(figures) = texts.figures(call, &RICH) {
        lines.push(line(&texts.label(Label::Figures), &figures));
    }
    if let Some(edited) = &call.edited {
        lines.push(heading(&texts.label(Label::Changes)));
        lines.push(preformatted_element(edited.changes.as_str()));
    }
    if let Some(preview) = &call.preview {
        lines.push(heading(&agents(Label::Preview, texts)));
        lines.push(preformatted_element(preview.as_str()));
    }
    lines.extend(rules(&call.rules, whole.rules.len(), texts));
    lines.extend(evidence(call, whole.evidence.len(), texts));
    lines.push(match &call.if_denied {
        Some(if_denied) => line(&agents(Label::IfDenied, texts), if_denied.as_str()),
        None => line(&texts.label(Label::IfDenied), &texts.label(Label::IfDeniedDefault)),
    });
    if let Some(needs) = texts.needs(&view.state, &RICH) {
        lines.push(line(&texts.label(Label::Needs), &needs));
    }
    if let StateView::Waiting { votes, .. } = &view.state
        && !votes.is_empty()
    {
        lines.push(line(&texts.label(Label::Votes), &texts.votes(votes, &RICH)));
    }
    lines
}

fn rules(rules: &[RuleView], total: usize, texts: &Texts) -> Vec<Value> {
    let label = texts.label(Label::WhyAsk);
    let mut lines: Vec<Value> = rules.iter().map(|rule| line(&label, &texts.rule(rule, &RICH))).collect();
    lines.extend((rules.len() < total).then(|| sentence(&texts.lines_shown(rules.len(), total))));
    lines
}

fn evidence(call: &CallView, total: usize, texts: &Texts) -> Vec<Value> {
    let label = agents(Label::BasedOn, texts);
    let mut lines = Vec::new();
    for piece in &call.evidence {
        let parts = [Some(&piece.title), piece.uri.as_ref()];
        let parts: Vec<&str> = parts.into_iter().flatten().map(|part| part.as_str()).collect();
        lines.push(line(&label, &parts.join(" · ")));
        lines.extend(piece.excerpt.as_ref().map(|excerpt| quote_element(excerpt.as_str())));
    }
    lines.extend(
        (call.evidence.len() < total).then(|| sentence(&texts.lines_shown(call.evidence.len(), total))),
    );
    lines
}

/// What can be pressed. There is a yes only where the message shows the whole call.
pub(super) fn buttons(value: &ButtonValue, call: &CallView, texts: &Texts) -> Value {
    let carried = value.encode();
    let mut elements = Vec::new();
    if value.full {
        let yes = texts.approve(call.calls, value.reason_for_yes);
        elements.push(button(APPROVE_ACTION, &yes, &carried, ButtonStyle::Primary));
        elements.extend(remember(value, call, &carried, texts));
    }
    let deny = texts.label(Label::DenyWithReason);
    elements.push(button(DENY_ACTION, &deny, &carried, ButtonStyle::Danger));
    let details = texts.label(Label::Details);
    elements.push(button(DETAILS_ACTION, &details, &carried, ButtonStyle::Plain));
    actions(DECIDE_BLOCK, elements)
}

/// The yes that is remembered. Its exact scope stands on the button, and once more in full where Slack shows only the
/// beginning of a button; a scope that does not fit there cannot be chosen here.
fn remember(value: &ButtonValue, call: &CallView, carried: &str, texts: &Texts) -> Option<Value> {
    let scope = texts.remember(call, &Markup::PLAIN)?;
    let fits = limits::escaped_len(&scope) <= limits::BUTTON_TEXT_UNITS_MAX;
    if value.reason_for_yes || !fits {
        return None;
    }
    let plain = button(REMEMBER_ACTION, &scope, carried, ButtonStyle::Plain);
    let (yes, no) = (texts.label(Label::RememberYes), texts.label(Label::RememberNo));
    Some(with_confirm(plain, &texts.label(Label::RememberTitle), &scope, (&yes, &no)))
}
