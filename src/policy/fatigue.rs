//! `[fatigue]`: what keeps people from being asked so often that they no longer look.

use super::diagnostic::Report;
use super::reader::{At, Table};
use super::rule::Policy;
use super::settings::NEVER;
use crate::time::Ttl;

/// The most that a cap of cards can be: beyond that it is none.
const CARDS_MAX: u32 = 10_000;
/// The longest that a no answers the same call again: what was refused yesterday is worth a new look.
const AGAIN_MAX: Ttl = Ttl::from_mins(60 * 24);

/// When asking stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fatigue {
    /// How many cards one run may have posted; the next stops the run.
    pub cards_per_run: u32,
    /// How many cards one agent may have posted within an hour; the next stops the run.
    pub cards_per_hour: u32,
    /// How long a no answers the very same call again; nothing ([`Ttl::ZERO`]) means that it is always asked again.
    pub denied_again_within: Ttl,
    /// Whether calls of one run that differ in nothing share one card.
    pub share_identical: bool,
}

impl Default for Fatigue {
    fn default() -> Self {
        Self {
            cards_per_run: 20,
            cards_per_hour: 60,
            denied_again_within: Ttl::from_mins(10),
            share_identical: true,
        }
    }
}

/// `[fatigue]` as it was read.
#[derive(Debug, Default)]
pub(super) struct FatigueRead {
    pub(super) cards_per_run: Option<At<u32>>,
    pub(super) cards_per_hour: Option<At<u32>>,
    pub(super) denied_again_within: Option<At<Ttl>>,
    pub(super) share_identical: Option<At<bool>>,
}

impl FatigueRead {
    pub(super) fn read(table: Option<Table<'_>>, report: &mut Report<'_>) -> Self {
        let Some(mut table) = table else { return Self::default() };
        let read = Self {
            cards_per_run: table.count("cards_per_run", CARDS_MAX, report),
            cards_per_hour: table.count("cards_per_hour", CARDS_MAX, report),
            denied_again_within: table.string("denied_again_within", report).and_then(|text| {
                if text.value == NEVER {
                    return Some(At::new(Ttl::ZERO, text.span));
                }
                Table::span_of(text, "denied_again_within", AGAIN_MAX, report)
            }),
            share_identical: table.boolean("share_identical", report),
        };
        table.finish("[fatigue]", report);
        read
    }

    /// On top of what is underneath.
    pub(super) fn over(&self, under: Fatigue) -> Fatigue {
        let or = |at: &Option<At<u32>>, under| at.as_ref().map_or(under, |at| at.value);
        Fatigue {
            cards_per_run: or(&self.cards_per_run, under.cards_per_run),
            cards_per_hour: or(&self.cards_per_hour, under.cards_per_hour),
            denied_again_within: self
                .denied_again_within
                .as_ref()
                .map_or(under.denied_again_within, |at| at.value),
            share_identical: self.share_identical.as_ref().map_or(under.share_identical, |at| at.value),
        }
    }
}

impl Policy {
    /// When asking stops.
    #[must_use]
    pub const fn fatigue(&self) -> &Fatigue {
        &self.fatigue
    }
}
