//! How one decides on a card: what a reaction, a poll and a reply are good for there.
//!
//! What always holds: what the card says is what counts. A reaction says yes only on a card that shows the whole call, up to
//! the level that the settings name, where neither a reason nor more than the homeserver's word is asked for.

use placet::approval::Assurance;
use placet::card::{CardView, StateView};
use placet::id::SurfaceName;
use placet::policy::Level;
use placet::text::{Label, NoWay, Texts, Written, YesWay};

use super::marked::Marked;
use super::sheet::Block;

/// What decides beside replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buttons {
    /// ✅ and ❌ on the card: one press, which the homeserver vouches for.
    Reactions,
    /// A poll beside the card: one press, encrypted where the room is. Not every client shows one.
    Poll,
}

/// How people decide here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manner {
    /// What commands begin with.
    pub prefix: String,
    /// What decides beside them.
    pub buttons: Buttons,
    /// The highest level that a reaction approves: a homeserver, or whoever runs it, can forge one.
    pub reactions_approve_up_to: Level,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            prefix: "!placet".to_owned(),
            buttons: Buttons::Reactions,
            reactions_approve_up_to: Level::Medium,
        }
    }
}

/// Where a card stands.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The surface.
    pub surface: &'a SurfaceName,
    /// How people decide there.
    pub manner: &'a Manner,
    /// Whether the room is encrypted.
    pub encrypted: bool,
}

/// How much of the call a card shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Every character.
    Whole,
    /// Every character but for secrets.
    Hidden,
    /// A part; all of it in so many messages of the thread.
    InParts(u32),
    /// A part, and nowhere all of it.
    TooLong,
}

/// How one decides on a card; none of one that waits for nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ways {
    /// By what one says yes; none where nobody can.
    pub yes: Option<YesWay>,
    /// By what one says no.
    pub no: NoWay,
    /// Whether only an encrypted message counts.
    pub encrypted: bool,
}

impl Ways {
    pub(super) fn of(view: &CardView, shown: Shown, site: &Site<'_>) -> Option<Self> {
        let StateView::Waiting {
            assurance,
            reason_for_yes,
            reason_for_no,
            partial_view_may_approve: relaxed,
            ..
        } = &view.state
        else {
            return None;
        };
        let encrypted = *assurance > Assurance::ServerAsserted;
        let out_of_reach = encrypted && !site.encrypted;
        let pressed = |asks_why: bool, reaction: bool| match site.manner.buttons {
            _ if asks_why => None,
            Buttons::Reactions => (reaction && !encrypted).then_some(Buttons::Reactions),
            Buttons::Poll => Some(Buttons::Poll),
        };
        let low = view.call.level <= site.manner.reactions_approve_up_to;
        let yes = match shown {
            _ if out_of_reach || view.confidential => Some(YesWay::Directly),
            Shown::Whole => Some(match pressed(*reason_for_yes, low) {
                Some(Buttons::Reactions) => YesWay::Reaction,
                Some(Buttons::Poll) => YesWay::Poll,
                None => YesWay::Reply,
            }),
            Shown::InParts(parts) if view.call.redacted == 0 => Some(YesWay::Thread(parts)),
            Shown::Hidden | Shown::InParts(_) | Shown::TooLong => {
                relaxed.then_some(YesWay::Unseen(view.call.redacted)).filter(|_| view.call.redacted > 0)
            }
        };
        let no = match pressed(*reason_for_no, true) {
            _ if out_of_reach => NoWay::Directly,
            Some(Buttons::Reactions) => NoWay::Reaction,
            Some(Buttons::Poll) => NoWay::Poll,
            None => NoWay::Reply,
        };
        Some(Self { yes, no, encrypted })
    }

    /// What the card says of them.
    pub(super) fn blocks(&self, view: &CardView, shown: Shown, site: &Site<'_>, texts: &Texts) -> Vec<Block> {
        let StateView::Waiting { reason_for_yes, votes, .. } = &view.state else { return Vec::new() };
        let prefix = site.manner.prefix.as_str();
        let written = Written { prefix, code: &view.code, encrypted: self.encrypted };
        let (label, yes) = match self.yes {
            Some(way) => texts.to_approve(way, *reason_for_yes, &written),
            None if shown == Shown::TooLong && view.call.redacted == 0 => {
                (texts.to_approve_label(), texts.label(Label::TooLongToShow))
            }
            None => (texts.to_approve_label(), texts.no_approve(view.call.redacted.max(1), &view.state)),
        };
        let mut blocks = vec![Block::Line(label, Marked::of(yes))];
        let (label, no) = texts.to_deny(self.no, &written);
        blocks.push(Block::Line(label, Marked::of(no)));
        if !votes.is_empty() {
            blocks.push(Block::Small(Marked::of(texts.to_take_back(prefix))));
        }
        blocks
    }
}
