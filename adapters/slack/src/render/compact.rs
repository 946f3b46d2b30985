//! The smallest form of a card: what is asked, until when, and the way to Details. It shows part of the call only, so
//! it never has a button to approve.

use placet::card::CardView;
use placet::id::SurfaceName;
use placet::text::{Label, Texts};
use serde_json::Value;

use super::card::buttons;
use super::pieces::{self, RICH, code, section, sentence};
use super::{ButtonValue, shorten};
use crate::limits;
use crate::mrkdwn;

/// The blocks; by construction within Slack's limits, whatever the view holds.
pub(super) fn blocks(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Vec<Value> {
    /// Percent of the usual room.
    const SHARE: usize = 25;
    // The digest is that of the whole call, not of what is left of it here.
    let value = ButtonValue::of(view, surface, false);
    let view = &shorten::view(view, SHARE);
    let line = if view.is_waiting() {
        texts.needs(&view.state, &RICH).unwrap_or_default()
    } else {
        texts.state_line(view, &RICH)
    };
    let head =
        if view.is_waiting() { pieces::title_of(&view.call, texts) } else { texts.record_head(view, &RICH) };
    let lines = vec![section(vec![code(view.call.tool.as_str())]), sentence(&line)];
    let mut blocks =
        vec![mrkdwn::header(&limits::shorten(&head, limits::HEADER_UNITS_MAX)), mrkdwn::rich_text(lines)];
    if view.is_waiting() {
        let mut remarks = pieces::remarks(view, texts);
        remarks.push(texts.label(Label::PartlyShown));
        blocks.extend(pieces::small_print(&remarks));
        blocks.push(buttons(&value, &view.call, texts));
    }
    blocks
}
