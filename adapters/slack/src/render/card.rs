//! The card that people decide on.

use placet::card::{CallView, CardView, RuleView, StateView};
use placet::id::SurfaceName;
use placet::text::{DecidingLabel, DialogText, Label, Markup, Texts};
use serde_json::Value;

use super::arguments::{self, Arguments};
use super::menu;
use super::pieces::{self, RICH, agents, bold, code, heading, line, section, sentence};
use super::{
    APPROVE_ACTION, ButtonValue, DECIDE_BLOCK, DENY_ACTION, DETAILS_ACTION, REMEMBER_ACTION, TAKE_BACK_ACTION,
};
use crate::limits;
use crate::mrkdwn::{ButtonStyle, actions, button, rich_text, with_confirm};

/// The blocks for `view`, whose call may be cut; `whole` is the view itself.
pub(super) fn blocks(
    view: &CardView,
    whole: &CardView,
    (value, surface): (&ButtonValue, &SurfaceName),
    texts: &Texts,
) -> Vec<Value> {
    let call = &view.call;
    let mut blocks = vec![pieces::title(&pieces::title_of(call, texts))];
    let Arguments { short, long: long_ones } = arguments::of(call, &whole.call, texts);
    let mut first = pieces::minds(whole, texts);
    first.extend(what(view, short, (surface, texts)));
    blocks.push(rich_text(first));
    blocks.push(rich_text(why(view, &whole.call, texts)));
    let long = long(call, &whole.call, long_ones, texts);
    blocks.extend((!long.is_empty()).then(|| rich_text(long)));
    let above = above_the_buttons(view, &whole.call, value, texts);
    blocks.extend((!above.is_empty()).then(|| rich_text(above)));
    blocks.extend(pieces::small_print(&pieces::asides(view, texts)));
    let mut buttons = buttons(value, (&whole.call, &view.state), texts);
    if let Some(elements) = buttons["elements"].as_array_mut() {
        elements.extend(menu::of_card(view, texts));
    }
    blocks.push(buttons);
    blocks
}

/// What must be read before a button is pressed: why there is none to approve, or what the one does that is remembered.
fn above_the_buttons(view: &CardView, whole: &CallView, value: &ButtonValue, texts: &Texts) -> Vec<Value> {
    if !value.full {
        return vec![sentence(&no_approve(whole, &view.state, texts))];
    }
    let scope = remembered(value, whole, texts);
    scope.into_iter().map(|(button, scope)| line(&button, &scope)).collect()
}

/// Why there is no way to approve here, and where it is.
pub(super) fn no_approve(whole: &CallView, state: &StateView, texts: &Texts) -> String {
    if pieces::is_too_long(whole, texts) {
        return texts.label(Label::TooLongToShow);
    }
    texts.no_approve(whole.redacted, state)
}

/// What will happen: who asked, for what, tool and arguments. What Placet knows and what the agent says never share a
/// line: no text of the agent's can go on as if it were Placet's.
fn what(view: &CardView, arguments: Vec<Value>, (surface, texts): (&SurfaceName, &Texts)) -> Vec<Value> {
    let call = &view.call;
    let place = pieces::asked_place(call, surface, texts);
    let asked = texts.asked_by_and_code(view, place.as_deref(), &RICH);
    let mut lines = vec![line(&texts.asked_by_label(), &asked)];
    lines.extend(said(&agents(Label::Task, texts), call.task.as_str(), texts));
    lines.extend(said(&texts.label(Label::AgentReason), call.reason.as_str(), texts));
    lines.push(section(vec![bold(&format!("{}  ", texts.label(Label::Call))), code(call.tool.as_str())]));
    lines.extend(arguments);
    lines
}

/// The agent's words under their label; that there are none where there are none.
fn said(label: &str, words: &str, texts: &Texts) -> Vec<Value> {
    if words.trim().is_empty() {
        return vec![line(label, &texts.deciding(DecidingLabel::NotGiven))];
    }
    vec![heading(label), pieces::words(words)]
}

/// What is long: what was changed or would be, and arguments of several lines or as JSON.
fn long(call: &CallView, whole: &CallView, arguments: Vec<Value>, texts: &Texts) -> Vec<Value> {
    let mut lines = Vec::new();
    if let Some(edited) = &call.edited {
        lines.push(heading(&texts.label(Label::Changes)));
        let changes = whole.edited.as_ref().map_or(&edited.changes, |edited| &edited.changes);
        lines.extend(arguments::fixed(&edited.changes, changes, texts));
    }
    if let Some(preview) = &call.preview {
        lines.push(heading(&agents(Label::Preview, texts)));
        lines.extend(arguments::fixed(preview, whole.preview.as_ref().unwrap_or(preview), texts));
    }
    lines.extend(arguments);
    lines
}

/// With which effect, why it is asked, on which grounds, what if not, and until when.
fn why(view: &CardView, whole: &CallView, texts: &Texts) -> Vec<Value> {
    let call = &view.call;
    let unknown = || texts.deciding(DecidingLabel::EffectUnknown);
    let effect = call.effect.as_ref().map_or_else(unknown, |effect| effect.to_string());
    let mut lines = vec![line(&texts.label(Label::Effect), &effect)];
    if let Some(figures) = texts.figures(call, &RICH) {
        lines.push(line(&texts.label(Label::Figures), &figures));
    }
    lines.extend(rules(&call.rules, whole.rules.len(), texts));
    lines.extend(evidence(call, whole.evidence.len(), texts));
    lines.extend(pieces::terms(whole, &view.state, texts));
    lines.extend(pieces::if_denied(call, &view.state, texts));
    if let StateView::Waiting { votes, .. } = &view.state
        && !votes.is_empty()
    {
        lines.push(line(&texts.label(Label::Votes), &texts.votes(votes, &RICH)));
    }
    if let StateView::Waiting { questions, looking, .. } = &view.state {
        lines.extend(pieces::talk(call, (questions, looking), texts));
    }
    lines
}

fn rules(rules: &[RuleView], total: usize, texts: &Texts) -> Vec<Value> {
    let label = texts.label(Label::WhyAsk);
    if total == 0 {
        return vec![line(&label, &texts.deciding(DecidingLabel::NoRule))];
    }
    let mut lines: Vec<Value> = rules.iter().map(|rule| line(&label, &texts.rule(rule, &RICH))).collect();
    lines.extend((rules.len() < total).then(|| line(&label, &texts.lines_shown(rules.len(), total))));
    lines
}

fn evidence(call: &CallView, total: usize, texts: &Texts) -> Vec<Value> {
    let mut lines = Vec::new();
    lines.extend((!call.evidence.is_empty()).then(|| heading(&agents(Label::BasedOn, texts))));
    lines.extend(call.evidence.iter().map(|piece| pieces::words(&piece.said())));
    let shown = call.evidence.len();
    let partly = || line(&texts.label(Label::BasedOn), &texts.lines_shown(shown, total));
    lines.extend((shown < total).then(partly));
    lines
}

/// What can be pressed. There is a yes only where the message shows the whole call, and something to take back once
/// somebody has said something. A message is the same for everybody: whose vote it is the gate knows.
pub(super) fn buttons(value: &ButtonValue, (call, state): (&CallView, &StateView), texts: &Texts) -> Value {
    let carried = value.encode();
    let mut elements = Vec::new();
    if value.full {
        let yes = texts.approve(call.calls, value.reason_for_yes);
        // What nobody knows anything of does not invite to a yes.
        let style = if call.is_described { ButtonStyle::Primary } else { ButtonStyle::Plain };
        let yes = button(APPROVE_ACTION, &yes, &carried, style);
        // Where a reason is asked for, its dialog stands between.
        let asks = texts.sure(call).filter(|_| !value.reason_for_yes);
        elements.push(match asks {
            Some(title) => sure(yes, &title, (call, state), texts),
            None => yes,
        });
        elements.extend(remember(value, (call, state), &carried, texts));
    }
    let deny = texts.label(Label::DenyWithReason);
    elements.push(button(DENY_ACTION, &deny, &carried, ButtonStyle::Danger));
    let details = texts.label(Label::Details);
    elements.push(button(DETAILS_ACTION, &details, &carried, ButtonStyle::Plain));
    if matches!(state, StateView::Waiting { votes, .. } if !votes.is_empty()) {
        let take_back = texts.label(Label::TakeBack);
        elements.push(button(TAKE_BACK_ACTION, &take_back, &carried, ButtonStyle::Plain));
    }
    actions(DECIDE_BLOCK, elements)
}

/// A yes that is asked for once more, with what it makes happen and, where there is room, what the card warns of: titles and
/// arguments are made shorter for it, and it is said that they are.
fn sure(yes: Value, title: &str, (call, state): (&CallView, &StateView), texts: &Texts) -> Value {
    const SIGN: &str = "⚠️ ";
    /// Of the usual room, in percent: a warning is worth that what follows is a third as long.
    const SHARES_BESIDE: [usize; 3] = [100, 60, 35];
    const SHARES_ALONE: [usize; 3] = [100, 60, 30];
    let within =
        |share: usize| pieces::unlike_placet(&texts.critical_within(call, state, (share, &Markup::PLAIN)));
    let warned = texts.warned(call, &Markup::PLAIN).map(|warned| {
        let said = warned.strip_prefix(SIGN).unwrap_or(&warned);
        format!("{SIGN}{}\n", pieces::unlike_placet(said))
    });
    let beside =
        warned.iter().flat_map(|warned| SHARES_BESIDE.map(|share| format!("{warned}{}", within(share))));
    let alone = SHARES_ALONE.into_iter().map(within);
    let fits = |text: &String| limits::escaped_len(text) <= limits::CONFIRM_TEXT_UNITS_MAX;
    let text = beside.chain(alone).find(fits).unwrap_or_else(|| within(0));
    let (approve, back) = (texts.dialog(DialogText::CriticalYes), texts.dialog(DialogText::CriticalNo));
    with_confirm(yes, title, &text, (&approve, &back))
}

/// The button of the yes that is remembered, and what it does; none where its exact scope does not fit on it: such a one
/// cannot be chosen here.
fn remembered(value: &ButtonValue, call: &CallView, texts: &Texts) -> Option<(String, String)> {
    let button = texts.remember(call, &Markup::PLAIN)?;
    let scope = texts.remember_scope(call, &Markup::PLAIN)?;
    let fits = limits::escaped_len(&button) <= limits::BUTTON_TEXT_UNITS_MAX
        && limits::escaped_len(&scope) <= limits::CONFIRM_TEXT_UNITS_MAX;
    (!value.reason_for_yes && fits).then_some((button, scope))
}

/// The yes that is remembered. Its exact scope stands on the button, on a line above it, and once more in full in the
/// question whether it is meant, with what the yes makes happen at once where there is room.
fn remember(
    value: &ButtonValue,
    (call, state): (&CallView, &StateView),
    carried: &str,
    texts: &Texts,
) -> Option<Value> {
    let (text, scope) = remembered(value, call, texts)?;
    let plain = button(REMEMBER_ACTION, &text, carried, ButtonStyle::Plain);
    let (yes, no) = (texts.label(Label::RememberYes), texts.label(Label::RememberNo));
    let does = texts.critical(call, state, &Markup::PLAIN);
    let asks = [format!("{text} – {scope} {does}"), format!("{text} – {scope}")];
    let fits = |asks: &String| limits::escaped_len(asks) <= limits::CONFIRM_TEXT_UNITS_MAX;
    let asks = asks.into_iter().map(|asks| pieces::unlike_placet(&asks)).find(fits).unwrap_or(scope);
    Some(with_confirm(plain, &texts.label(Label::RememberTitle), &asks, (&yes, &no)))
}
