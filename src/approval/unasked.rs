//! Calls that ran without anybody having been asked about them: what people look at afterwards, so that they can correct it.

use serde::{Deserialize, Serialize};

use super::{Approval, ApprovedBy, State};
use crate::policy::Tier;

/// On whose word a call ran about which nobody was asked, or nobody answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unasked {
    /// The policy lets it run at once.
    Auto,
    /// The policy lets it run, and has it announced.
    Suggest,
    /// People had chosen, with an earlier yes, that calls which look alike run.
    Remembered,
    /// People were asked, nobody answered, and a rule for calls graded low lets silence count.
    Silence,
}

impl Unasked {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Suggest, Self::Remembered, Self::Silence];

    /// Its name in the database and on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Suggest => "suggest",
            Self::Remembered => "remembered",
            Self::Silence => "silence",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|how| how.name() == name)
    }
}

impl Approval {
    /// On whose word it ran or runs, where nobody was asked or nobody answered; none where people said yes, and for what did
    /// not start.
    #[must_use]
    pub fn ran_unasked(&self) -> Option<Unasked> {
        let by = match &self.state {
            State::Executing(executing) => &executing.by,
            State::Executed(executed) => &executed.by,
            _ => return None,
        };
        match by {
            ApprovedBy::Policy if self.verdict.as_ref()?.tier == Tier::Suggest => Some(Unasked::Suggest),
            ApprovedBy::Policy => Some(Unasked::Auto),
            ApprovedBy::Remembered { .. } => Some(Unasked::Remembered),
            ApprovedBy::Timeout => Some(Unasked::Silence),
            ApprovedBy::Votes | ApprovedBy::BreakGlass { .. } => None,
        }
    }
}
