//! What keeps people from being asked so often that they no longer look.

#[cfg(feature = "policy")]
mod read;

use crate::time::Ttl;

#[cfg(feature = "policy")]
pub(super) use read::{FatigueRead, KEYS};

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
