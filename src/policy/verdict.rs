//! What a policy says of one call.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::circumstances::Circumstances;
use super::remember::RememberOffer;
use crate::approval::Assurance;
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RuleHit {
    /// The rule's name.
    pub rule: String,
    /// Why it says so, in the policy author's words.
    pub because: String,
    /// Which kind of rule.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: RuleKind,
    /// The level it led to: for a rule its own, for a raise the level after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Why its condition could not be evaluated; it was then taken in the stricter way, and the card says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What kind of rule took part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// One that gives the base level.
    #[default]
    Rule,
    /// One that forbids.
    Forbid,
    /// One that lifts the level.
    Raise,
    /// What holds where no rule matches.
    Default,
}

impl RuleHit {
    /// A rule of the ordinary kind, with its reason.
    #[must_use]
    pub fn new(rule: impl Into<String>, because: impl Into<String>) -> Self {
        Self { rule: rule.into(), because: because.into(), ..Self::default() }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The next people who are asked where nobody decided.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EscalationStep {
    /// How long after the request was opened.
    pub after: Ttl,
    /// Roles whose people may then fill any place of the stage that is asked, beside those it names.
    pub to: Vec<Role>,
    /// Where the card is posted as well; empty leaves it where it is.
    pub places: Vec<Place>,
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
    /// Who is asked next, in the order of `after`, where nobody decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub escalation: Vec<EscalationStep>,
    /// After how long without a decision those who are asked are reminded, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remind_after: Vec<Ttl>,
    /// The least assurance that a yes needs, and who decides alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub assurance: Assurance,
    /// The least assurance that a no needs: a no that somebody forged stops a call, and runs none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub assurance_for_no: Assurance,
    /// Whether whoever may decide may change the arguments first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub may_edit: bool,
    /// Whether cards show the tool and the level alone, and the arguments stand in Details, for those who decide and those
    /// who look after the installation.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confidential: bool,
    /// Whether those who are asked are told directly as well, each by a message of their own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tell_directly: bool,
    /// How long the card waits for others to be gathered into one; none means that it is posted at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gather: Option<Ttl>,
}

/// Each role once, in their order.
pub(crate) fn each_once<'a>(roles: impl Iterator<Item = &'a Role>) -> Vec<Role> {
    let mut each: Vec<Role> = Vec::new();
    for role in roles {
        if !each.contains(role) {
            each.push(role.clone());
        }
    }
    each
}

impl Terms {
    /// The roles of everybody who may ever be asked.
    pub(crate) fn roles_ever_asked(&self) -> impl Iterator<Item = &Role> {
        let groups = self.stages.iter().flat_map(|stage| &stage.groups).map(|group| &group.role);
        groups.chain(self.escalation.iter().flat_map(|step| &step.to))
    }

    /// What one person of a role takes, with the usual spans and nothing else: 30 minutes to decide, an alarm halfway,
    /// a yes good for 10 minutes.
    #[must_use]
    pub fn one_of(role: Role) -> Self {
        Self {
            stages: vec![Stage { groups: vec![Group { role, count: 1 }] }],
            decide_within: Ttl::from_mins(30),
            valid_for: Ttl::from_mins(10),
            alarm_after: Ttl::from_mins(15),
            requester_may_approve: false,
            reason_for_yes: false,
            reason_for_no: false,
            denials_to_reject: 1,
            partial_view_may_approve: false,
            approve_on_timeout: false,
            places: Vec::new(),
            escalation: Vec::new(),
            remind_after: Vec::new(),
            assurance: Assurance::default(),
            assurance_for_no: Assurance::default(),
            may_edit: false,
            confidential: false,
            tell_directly: false,
            gather: None,
        }
    }
}

/// Something the policy computed or knows of a call, which matters to who decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// Which.
    pub name: FigureName,
    /// As people read it.
    pub value: String,
}

/// Which figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureName {
    /// How much money, or of whatever else the policy counts.
    Amount,
    /// How many things it touches.
    Count,
    /// How many users it affects.
    Affected,
    /// Where it acts.
    Environment,
    /// How sensitive the data is.
    DataLevel,
    /// How far the effect reaches.
    Reach,
    /// Whether it can be undone.
    Reversible,
}

/// What would have happened, where the policy only looks on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shadow {
    /// The tier it would have had.
    pub tier: Tier,
    /// What an approval would have taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<Terms>,
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
    /// Amounts, counts and facts that matter to who decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
    /// Whether people are asked whatever was remembered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub always_ask: bool,
    /// What a yes may be remembered for; none where nothing may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<RememberOffer>,
    /// What would have happened, where the policy only looks on here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<Shadow>,
    /// Where it is confidential, whether or not anybody is asked about it: the roles whose people may read it in full, beside
    /// those who look after the installation and who asked. Of old, only the terms say so: see [`Verdict::is_confidential`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidential: Option<Vec<Role>>,
    /// What it rests on besides the proposal, so that the same policy gives it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<Circumstances>,
}

impl Verdict {
    /// Whether cards in shared places, lists and answers show its tool and level alone.
    #[must_use]
    pub fn is_confidential(&self) -> bool {
        self.confidential.is_some() || self.all_terms().any(|terms| terms.confidential)
    }

    /// The roles whose people may read it where it is confidential, each once.
    #[must_use]
    pub fn readers(&self) -> Vec<Role> {
        let asked = self.all_terms().flat_map(Terms::roles_ever_asked);
        each_once(asked.chain(self.confidential.iter().flatten()))
    }

    /// Whether the policy says anything of what the tool does: a title, an effect, or a rule that is about it.
    #[must_use]
    pub fn describes(&self) -> bool {
        let is_about_it = self.rules.iter().any(|hit| hit.kind != RuleKind::Default);
        self.title.is_some() || self.effect.is_some() || is_about_it
    }

    /// What an approval takes, or would where the policy only looks on.
    fn all_terms(&self) -> impl Iterator<Item = &Terms> {
        let shadow = self.shadow.as_ref().and_then(|shadow| shadow.terms.as_ref());
        self.terms.iter().chain(shadow)
    }

    /// The most decisive rule's reason.
    #[must_use]
    pub fn because(&self) -> &str {
        self.rules.first().map_or("", |hit| hit.because.as_str())
    }
}
