//! How one decides on a card: what a reaction, a poll and a reply are good for there.
//!
//! What always holds: what the card says is what counts. A reaction says yes only on a card that shows the whole call, where
//! neither a reason nor more than the homeserver's word is asked for: which calls that is, the policy says.

use placet::approval::Assurance;
use placet::card::{CardView, StateView};
use placet::id::SurfaceName;
use placet::text::{Label, NoWay, Texts, Written, YesWay};

use super::marked::{MARKS, Marked};
use super::sheet::Block;

/// Room for what a remembered yes covers, in characters: a longer one nobody takes in.
const SCOPE_CHARS_MAX: usize = 400;

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
}

impl Default for Manner {
    fn default() -> Self {
        Self { prefix: "!placet".to_owned(), buttons: Buttons::Reactions }
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
    /// Whether only an encrypted message counts as a yes.
    pub yes_encrypted: bool,
    /// Whether only an encrypted message counts as a no.
    pub no_encrypted: bool,
}

impl Ways {
    pub(super) fn of(view: &CardView, shown: Shown, site: &Site<'_>) -> Option<Self> {
        let StateView::Waiting {
            assurance,
            assurance_for_no,
            reason_for_yes,
            reason_for_no,
            partial_view_may_approve: relaxed,
            ..
        } = &view.state
        else {
            return None;
        };
        // What Matrix has beyond the homeserver's word is encrypted: nothing there is signed in another way.
        let yes_encrypted = *assurance > Assurance::ServerAsserted;
        let no_encrypted = *assurance_for_no > Assurance::ServerAsserted;
        let pressed = |asks_why: bool, encrypted: bool| match site.manner.buttons {
            _ if asks_why => None,
            // Reactions are never encrypted.
            Buttons::Reactions => (!encrypted).then_some(Buttons::Reactions),
            Buttons::Poll => Some(Buttons::Poll),
        };
        let yes = match shown {
            _ if view.confidential || (yes_encrypted && !site.encrypted) => Some(YesWay::Directly),
            Shown::Whole => Some(match pressed(*reason_for_yes, yes_encrypted) {
                Some(Buttons::Reactions) => YesWay::Reaction,
                Some(Buttons::Poll) => YesWay::Poll,
                None => YesWay::Reply,
            }),
            Shown::InParts(parts) if view.call.redacted == 0 => Some(YesWay::Thread(parts)),
            Shown::Hidden | Shown::InParts(_) | Shown::TooLong => {
                relaxed.then_some(YesWay::Unseen(view.call.redacted)).filter(|_| view.call.redacted > 0)
            }
        };
        let no = match pressed(*reason_for_no, no_encrypted) {
            _ if no_encrypted && !site.encrypted => NoWay::Directly,
            Some(Buttons::Reactions) => NoWay::Reaction,
            Some(Buttons::Poll) => NoWay::Poll,
            None => NoWay::Reply,
        };
        Some(Self { yes, no, yes_encrypted, no_encrypted })
    }

    /// What the card says of them.
    pub(super) fn blocks(&self, view: &CardView, shown: Shown, site: &Site<'_>, texts: &Texts) -> Vec<Block> {
        let StateView::Waiting { reason_for_yes, votes, .. } = &view.state else { return Vec::new() };
        let prefix = site.manner.prefix.as_str();
        let written = |encrypted| Written { prefix, code: &view.code, encrypted };
        let (label, yes) = match self.yes {
            Some(way) => texts.to_approve(way, *reason_for_yes, &written(self.yes_encrypted)),
            None if shown == Shown::TooLong && view.call.redacted == 0 => {
                (texts.to_approve_label(), texts.label(Label::TooLongToShow))
            }
            None => (texts.to_approve_label(), texts.no_approve(view.call.redacted.max(1), &view.state)),
        };
        let mut blocks = vec![Block::Line(label, Marked::of(yes))];
        let (label, no) = texts.to_deny(self.no, &written(self.no_encrypted));
        blocks.push(Block::Line(label, Marked::of(no)));
        // Its exact scope must stand there whole, or it cannot be chosen.
        if shown == Shown::Whole
            && let Some((label, said)) = texts.to_remember(&view.call, &written(self.yes_encrypted), &MARKS)
            && said.chars().count() <= SCOPE_CHARS_MAX
        {
            blocks.push(Block::Line(label, Marked::of(said)));
        }
        if !votes.is_empty() {
            blocks.push(Block::Small(Marked::of(texts.to_take_back(prefix))));
        }
        blocks.push(Block::Small(Marked::of(texts.more_by_reply(prefix))));
        blocks
    }
}
