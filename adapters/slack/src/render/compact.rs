//! The smallest form of a card: what is asked, by whom, why, until when, and the way to Details. It shows part of the call only, so
//! it never has a button to approve.

use placet::card::{CallView, CardView, shorten};
use placet::id::SurfaceName;
use placet::text::{Label, Texts};
use serde_json::Value;

use super::card::{buttons, no_approve};
use super::pieces::{self, RICH, code, line, section, sentence};
use super::{ButtonValue, record};
use crate::limits;
use crate::mrkdwn;

/// The blocks; by construction within Slack's limits, whatever the view holds.
pub(super) fn blocks(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Vec<Value> {
    // The digest is that of the whole call, not of what is left of it here.
    let value = ButtonValue::of(view, surface, false);
    with_value(view, (&value, surface), &no_approve(&view.call, &view.state, texts), texts)
}

/// The same with these buttons, and with what is said of what is not shown.
pub(super) fn with_value(
    whole: &CardView,
    (value, surface): (&ButtonValue, &SurfaceName),
    left_out: &str,
    texts: &Texts,
) -> Vec<Value> {
    /// Percent of the usual room.
    const SHARE: usize = 25;
    let view = &shorten::view(whole, SHARE);
    let head =
        if view.is_waiting() { pieces::title_of(&view.call, texts) } else { texts.record_head(view, &RICH) };
    let tool = section(vec![code(view.call.tool.as_str())]);
    let lines = if view.is_waiting() {
        let mut lines = pieces::minds(whole, texts);
        lines.push(tool);
        lines.extend(asked(view, &whole.call, (surface, texts)));
        lines.extend((!left_out.is_empty()).then(|| sentence(left_out)));
        lines
    } else {
        let state = sentence(&texts.state_line(view, &RICH));
        [tool, state].into_iter().chain(pieces::stopped(view, texts)).collect()
    };
    let mut blocks =
        vec![mrkdwn::header(&limits::shorten(&head, limits::HEADER_UNITS_MAX)), mrkdwn::rich_text(lines)];
    if view.is_waiting() {
        blocks.extend(pieces::small_print(&pieces::asides(view, texts)));
        blocks.push(buttons(value, (&view.call, &view.state), texts));
    } else {
        // What somebody must still do does not depend on how much the card shows.
        blocks.extend(record::open_ends(view, texts));
    }
    blocks
}

/// Who asks, why it is asked, what if not, and until when.
fn asked(view: &CardView, whole: &CallView, (surface, texts): (&SurfaceName, &Texts)) -> Vec<Value> {
    let call = &view.call;
    let place = pieces::asked_place(call, surface, texts);
    let by = texts.asked_by_and_code(view, place.as_deref(), &RICH);
    let mut lines = vec![line(&texts.asked_by_label(), &by)];
    // Why it is asked is the policy's to say, not the agent's.
    let rules = if view.confidential { call.rules.len() } else { 1 };
    let why = call.rules.iter().take(rules).map(|rule| texts.rule(rule, &RICH));
    lines.extend(why.map(|why| line(&texts.label(Label::WhyAsk), &why)));
    if view.confidential {
        lines.extend(texts.figures(call, &RICH).map(|figures| sentence(&figures)));
    } else {
        lines.extend(call.effect.as_ref().map(|effect| line(&texts.label(Label::Effect), effect.as_str())));
    }
    lines.extend(pieces::terms(whole, &view.state, texts));
    lines.extend(pieces::if_denied(call, &view.state, texts));
    lines
}
