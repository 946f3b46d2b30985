//! What a policy says of one call.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::call::PolicyDigest;
use crate::id::{Role, SurfaceName};
use crate::time::Ttl;

/// What happens with a call (`risk` in the events).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Runs at once.
    Auto,
    /// Runs at once, and people see it afterwards.
    Suggest,
    /// Waits for people.
    Approve,
    /// Never runs.
    Forbid,
}

/// How bad a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Harmless, or easily undone.
    Low,
    /// Worth knowing about.
    Medium,
    /// Hard to undo, or far-reaching.
    High,
    /// Cannot be undone, or reaches outside.
    Critical,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Suggest => "suggest",
            Self::Approve => "approve",
            Self::Forbid => "forbid",
        })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        })
    }
}

/// A rule that took part in a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleHit {
    /// The rule's name.
    pub rule: String,
    /// Why it says so, in the policy author's words.
    pub because: String,
}

/// Which policy judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyVersion {
    /// The author's own name for it.
    pub label: String,
    /// The hash of its text.
    pub digest: PolicyDigest,
}

/// Some people of one role.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// Which role.
    pub role: Role,
    /// How many distinct people of it, at least 1.
    pub count: u32,
}

/// Groups that are asked at the same time; the stage is full when each has its people.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stage {
    /// The groups; nobody counts in two of them.
    pub groups: Vec<Group>,
}

/// Where a card is posted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The surface.
    pub surface: SurfaceName,
    /// A channel or room of it, by the surface's own id.
    pub channel: String,
    /// A thread in it, where the card belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// What an approval of this call takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Stages in order; at least one, each with at least one group.
    pub stages: Vec<Stage>,
    /// How long people have to decide.
    pub decide_within: Ttl,
    /// How long an approval may wait to be claimed.
    pub valid_for: Ttl,
    /// After how long without a decision an alarm goes out.
    pub alarm_after: Ttl,
    /// Whether who asked for it may also vote for it (the solo profile); the card says so.
    pub requester_may_approve: bool,
    /// Whether a yes needs a reason.
    pub reason_for_yes: bool,
    /// Whether a no needs a reason.
    pub reason_for_no: bool,
    /// How many distinct people's no ends it; 1 unless the policy says otherwise.
    pub denials_to_reject: u32,
    /// Whether a yes counts from somebody who did not see the whole call.
    pub partial_view_may_approve: bool,
    /// Whether silence counts as a yes: only ever for calls graded low.
    pub approve_on_timeout: bool,
    /// Where the card goes.
    pub places: Vec<Place>,
}

/// A policy's judgement of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What happens.
    pub tier: Tier,
    /// How bad it is.
    pub level: Level,
    /// The rules that made it, most decisive first.
    pub rules: Vec<RuleHit>,
    /// Which policy.
    pub policy: PolicyVersion,
    /// What an approval takes; present exactly when the tier is approve.
    pub terms: Option<Terms>,
    /// What a person would call it, from the policy's template for the tool; none means the tool's name is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the policy knows of the effect ("Cannot be undone.").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Arguments that decide, by name, shown first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leading_args: Vec<String>,
}

impl Verdict {
    /// The most decisive rule's reason.
    #[must_use]
    pub fn because(&self) -> &str {
        self.rules.first().map_or("", |hit| hit.because.as_str())
    }
}
