//! `[fatigue]` as it is read.

use super::Fatigue;
use crate::policy::diagnostic::Report;
use crate::policy::reader::{At, Keys, Table};
use crate::policy::rule::Policy;
use crate::policy::settings::NEVER;
use crate::time::Ttl;

/// The keys of `[fatigue]`.
pub(in crate::policy) const KEYS: &Keys = &[
    ("cards_per_run", "how many cards one run may have posted; the next stops the run"),
    ("cards_per_hour", "how many cards one agent may have posted within an hour; the next stops the run"),
    (
        "denied_again_within",
        "how long a no answers the very same call again; never: it is always asked again",
    ),
    ("share_identical", "whether calls of one run that differ in nothing share one card"),
];

/// The most that a cap of cards can be: beyond that it is none.
const CARDS_MAX: u32 = 10_000;
/// The longest that a no answers the same call again: what was refused yesterday is worth a new look.
const AGAIN_MAX: Ttl = Ttl::from_mins(60 * 24);

/// `[fatigue]` as it was read.
#[derive(Debug, Default)]
pub(in crate::policy) struct FatigueRead {
    pub(in crate::policy) cards_per_run: Option<At<u32>>,
    pub(in crate::policy) cards_per_hour: Option<At<u32>>,
    pub(in crate::policy) denied_again_within: Option<At<Ttl>>,
    pub(in crate::policy) share_identical: Option<At<bool>>,
}

impl FatigueRead {
    pub(in crate::policy) fn read(table: Option<Table<'_>>, report: &mut Report<'_>) -> Self {
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
        table.finish(&[KEYS], "[fatigue]", report);
        read
    }

    /// On top of what is underneath.
    pub(in crate::policy) fn over(&self, under: Fatigue) -> Fatigue {
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
