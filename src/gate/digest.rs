//! What ran without anybody having been asked, within a time: so that people see it afterwards, and can correct it.

use crate::approval::Unasked;
use crate::id::TenantId;
use crate::time::Timestamp;

/// What ran unasked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Whose calls.
    pub tenant: TenantId,
    /// From then.
    pub since: Timestamp,
    /// Until then (exclusive).
    pub until: Timestamp,
    /// By tool: those with something amiss first, then the most frequent, then by name.
    pub tools: Vec<DigestTool>,
}

/// What ran unasked of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestTool {
    /// The tool, by its full name.
    pub tool: String,
    /// How often on whose word; each at least once.
    pub ran: Vec<(Unasked, u64)>,
    /// How many of them failed.
    pub failed: u64,
    /// Of how many nobody knows how they ended.
    pub unknown: u64,
}

impl DigestTool {
    /// How many calls in all.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.ran.iter().map(|(_, count)| count).sum()
    }
}

impl Digest {
    /// How many calls in all.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.tools.iter().map(DigestTool::calls).sum()
    }

    /// Whether nothing ran unasked.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}
