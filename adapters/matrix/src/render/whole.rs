//! The whole call in messages of the card's thread, for where the card cannot show all of it.
//!
//! What always holds: the parts together hold every character of what a yes is about, in order and cut nowhere within one;
//! only the last one says how to approve, so that nobody says yes before all of it stands there.

use placet::card::{CardView, Visible, unlike_placet};
use placet::text::{Label, NoWay, Texts, Written as Commands, YesWay};

use super::marked::Marked;
use super::sheet::{Block, Sheet, Written};
use super::ways::{Shown, Site, Ways};
use super::{PART_BYTES_MAX, bytes};

/// The most parts: more nobody reads, and each is a message of its own. Twenty hold some 250 KB.
pub const PARTS_MAX: usize = 20;

/// The parts; none where they would be too many.
pub(super) fn parts(view: &CardView, site: &Site<'_>, texts: &Texts) -> Option<Vec<Written>> {
    let pages = pages_within(PART_BYTES_MAX, view, texts)?;
    let total = pages.len();
    let ways = Ways::of(view, Shown::TooLong, site)?;
    let written = |encrypted| Commands { prefix: &site.manner.prefix, code: &view.code, encrypted };
    let parts = pages.into_iter().enumerate().map(|(number, blocks)| {
        let mut sheet = Sheet::default();
        sheet.push(Block::Strong(Marked::of(texts.part_head(&view.code, number + 1, total))));
        sheet.extend(blocks);
        if number + 1 == total {
            if let Some(digest) = &view.call.digest {
                sheet.line(texts.label(Label::Digest), digest.to_string());
            }
            if view.call.redacted == 0 {
                let (label, said) =
                    texts.to_approve(YesWay::LastPart, asks_why(view), &written(ways.yes_encrypted));
                sheet.line(label, said);
            }
            let (label, said) = texts.to_deny(NoWay::Reply, &written(ways.no_encrypted));
            sheet.line(label, said);
        }
        sheet.written()
    });
    Some(parts.collect())
}

const fn asks_why(view: &CardView) -> bool {
    matches!(view.state, placet::card::StateView::Waiting { reason_for_yes: true, .. })
}

/// What stands on each part.
pub(super) fn pages_within(bytes_max: usize, view: &CardView, texts: &Texts) -> Option<Vec<Vec<Block>>> {
    let mut pages: Vec<Vec<Block>> = vec![Vec::new()];
    let mut room = bytes_max;
    for (label, text) in fields(view, texts) {
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let cost = |text: &str| bytes(&Block::Fixed(label.clone(), text.to_owned()));
            let head = fitting(rest, room, &cost);
            if head.is_empty() {
                if pages.last().is_some_and(Vec::is_empty) || pages.len() == PARTS_MAX {
                    // Not even one character has room: a label of that length is no label.
                    return None;
                }
                pages.push(Vec::new());
                room = bytes_max;
                continue;
            }
            room = room.saturating_sub(cost(head));
            if let Some(page) = pages.last_mut() {
                page.push(Block::Fixed(label.clone(), head.to_owned()));
            }
            rest = &rest[head.len()..];
        }
    }
    Some(pages)
}

/// The longest beginning that has room: whole lines where that is one at least, else whole characters.
fn fitting<'t>(text: &'t str, room: usize, cost: &impl Fn(&str) -> usize) -> &'t str {
    // No character takes less than a byte: beyond so many nothing has room, and need not be looked at.
    let window = text.char_indices().nth(room).map_or(text, |(end, _)| text.get(..end).unwrap_or_default());
    if window.len() == text.len() && cost(text) <= room {
        return text;
    }
    let ends: Vec<usize> = window.char_indices().map(|(at, _)| at).collect();
    // More of a text never costs less.
    let fits = ends.partition_point(|end| cost(window.get(..*end).unwrap_or_default()) <= room);
    let end = fits.checked_sub(1).and_then(|last| ends.get(last).copied()).unwrap_or(0);
    let head = window.get(..end).unwrap_or_default();
    head.rfind('\n').map_or(head, |line_end| head.get(..=line_end).unwrap_or(head))
}

/// Every text of the call under its label: what runs first.
fn fields(view: &CardView, texts: &Texts) -> Vec<(String, String)> {
    let call = &view.call;
    let own = |label: Label| texts.label(label);
    let agents = |label: Label| texts.label_of_the_agent(label);
    let optional = |text: Option<&Visible>| text.map(|text| text.as_str().to_owned()).unwrap_or_default();
    let rules: Vec<String> =
        call.rules.iter().map(|rule| texts.rule(rule, &placet::text::Markup::PLAIN)).collect();
    let evidence: Vec<String> = call.evidence.iter().map(placet::card::EvidenceView::said).collect();
    let all = [
        (own(Label::Call), call.tool.to_string()),
        (own(Label::Arguments), call.args_json.to_string()),
        (own(Label::Changes), optional(call.edited.as_ref().map(|edited| &edited.changes))),
        (agents(Label::Preview), optional(call.preview.as_ref())),
        (own(Label::Effect), optional(call.effect.as_ref())),
        (own(Label::WhyAsk), rules.join("\n")),
        (agents(Label::Task), unlike_placet(call.task.as_str())),
        (own(Label::AgentReason), unlike_placet(call.reason.as_str())),
        (agents(Label::BasedOn), unlike_placet(&evidence.join("\n"))),
        (texts.then_in_the_agents_words(), unlike_placet(&optional(call.if_denied.as_ref()))),
    ];
    all.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect()
}
