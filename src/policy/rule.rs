//! A policy that was read and found right: it judges calls, and knows who people are.
//!
//! What forbids is looked at first, wherever it stands; then the first rule that matches gives the base level, else
//! the default; then everything that raises lifts it. The level's table says what that costs. How a call is judged is
//! in `judge`.

use std::fmt;
use std::sync::Arc;

use super::calendar::Calendar;
use super::change::ChangeTerms;
use super::circumstances::Asker;
use super::condition::Condition;
use super::diagnostic::{Diagnostic, PolicyErrors};
use super::fatigue::Fatigue;
use super::levels::LevelPolicy;
use super::parse;
use super::pattern::{Calls, Index};
use super::shadow::Shadowing;
use super::tenant::Ground;
use super::tools::Tools;
use super::verdict::{Level, PolicyVersion, RuleHit};
use crate::approval::Requester;
use crate::call::ToolCall;
use crate::id::Role;
use crate::person::{Identity, KnownGroup, OnCallSchedule, People, Rolls, Standing};
use crate::time::Timestamp;

/// The policy that comes with Placet.
const BUILTIN: &str = include_str!("builtin.toml");

/// A policy, complete and checked; it never changes.
#[derive(Clone)]
pub struct Policy {
    pub(super) text: Arc<str>,
    pub(super) version: PolicyVersion,
    pub(super) solo: bool,
    pub(super) levels: [LevelPolicy; 4],
    pub(super) forbids: Rules<Forbids>,
    pub(super) rules: Rules<Grades>,
    pub(super) raises: Rules<Raises>,
    /// The installation's policy that this one, of a tenant, stands on; none for the installation's.
    pub(super) ground: Option<Arc<Ground>>,
    pub(super) default: Default,
    pub(super) tools: Tools,
    pub(super) calendar: Calendar,
    /// Whether any condition looks at what happened lately.
    pub(super) needs_recent: bool,
    pub(super) people: People,
    pub(super) stewards: Vec<Role>,
    pub(super) glass_breakers: Vec<Role>,
    pub(super) fatigue: Fatigue,
    pub(super) change: Option<ChangeTerms>,
    pub(super) shadowing: Shadowing,
    pub(super) warnings: Vec<Diagnostic>,
}

/// What holds where no rule matches.
#[derive(Debug, Clone)]
pub(super) struct Default {
    pub(super) level: Level,
    /// Whether a tenant's file cannot loosen it.
    pub(super) fixed: bool,
    pub(super) hit: RuleHit,
}

/// One rule of any kind: which calls it is about, and what it says of them.
#[derive(Debug, Clone)]
pub(super) struct Rule<S> {
    pub(super) hit: RuleHit,
    pub(super) calls: Calls,
    /// None: always.
    pub(super) when: Option<Condition>,
    /// Whether a tenant's file cannot loosen it.
    pub(super) fixed: bool,
    pub(super) says: S,
}

/// `[[forbid]]`: they never run.
#[derive(Debug, Clone)]
pub(super) struct Forbids;

/// `[[rule]]`: how bad they are.
#[derive(Debug, Clone)]
pub(super) struct Grades {
    pub(super) level: Level,
    /// What its calls cost, where it has settings of its own on top of the level's.
    pub(super) own: Option<Box<LevelPolicy>>,
    /// Whether people are asked whatever was remembered.
    pub(super) always_ask: bool,
}

/// `[[raise]]`: they are worse than that.
#[derive(Debug, Clone)]
pub(super) struct Raises {
    pub(super) to: RaiseTo,
    /// Whether people are asked whatever was remembered.
    pub(super) always_ask: bool,
}

/// How far a raise lifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RaiseTo {
    /// By so many levels.
    By(u32),
    /// At least to this one.
    Level(Level),
}

/// Rules of one kind, in the order in which they count.
#[derive(Debug, Clone)]
pub(super) struct Rules<S> {
    rules: Vec<Rule<S>>,
    index: Index,
}

impl<S> Rules<S> {
    pub(super) fn new(rules: Vec<Rule<S>>) -> Self {
        let index = Index::new(rules.iter().map(|rule| &rule.calls));
        Self { rules, index }
    }

    /// Those that are about a call, in their order.
    pub(super) fn about<'a, 'c>(
        &'a self,
        call: &'c ToolCall,
    ) -> impl Iterator<Item = &'a Rule<S>> + use<'a, 'c, S> {
        let places = self.index.candidates(call.tool.as_str());
        places.into_iter().filter_map(|place| self.rules.get(place)).filter(|rule| rule.calls.matches(call))
    }
}

impl Policy {
    /// Reads and checks a policy. `file` is what diagnostics call it.
    ///
    /// # Errors
    /// [`PolicyErrors`] with everything that was found, warnings included; nothing of such a policy takes force.
    pub fn parse(text: &str, file: &str) -> Result<Self, PolicyErrors> {
        parse::policy(text, file)
    }

    /// The policy that comes with Placet, for trying it out alone: the tools that Placet brings at their usual
    /// tiers, every other tool at approve, and one admin, whoever sits at the terminal (`terminal/owner`).
    ///
    /// # Errors
    /// None: a test reads it. The type is that of [`Policy::parse`].
    pub fn builtin() -> Result<Self, PolicyErrors> {
        Self::parse(BUILTIN, "builtin.toml")
    }

    /// The text of the built-in policy.
    #[must_use]
    pub const fn builtin_text() -> &'static str {
        BUILTIN
    }

    /// The people that the policy names, and nobody else.
    #[must_use]
    pub const fn people(&self) -> &People {
        &self.people
    }

    /// What an account is worth now, by what was read outside.
    #[must_use]
    pub fn standing(&self, identity: &Identity, rolls: &Rolls, now: Timestamp) -> Standing {
        self.people.standing(identity, rolls, now)
    }

    /// Who asks, by what was read outside of their groups and of who is on call.
    #[must_use]
    pub fn asker(&self, requester: &Requester, rolls: &Rolls, now: Timestamp) -> Asker {
        self.people.asker(requester, rolls, now)
    }

    /// The groups whose members have roles.
    #[must_use]
    pub fn groups(&self) -> &[KnownGroup] {
        self.people.groups()
    }

    /// The schedules of who is on call.
    #[must_use]
    pub fn schedules(&self) -> &[OnCallSchedule] {
        self.people.schedules()
    }

    /// The names of everybody who has one of these roles, in the order of the policy, for telling people whom to ask.
    #[must_use]
    pub fn names_with_any(&self, roles: &[Role]) -> Vec<String> {
        let people = self.people.all().iter().map(|known| &known.member);
        let have = people.filter(|member| roles.iter().any(|role| member.roles.contains(role)));
        have.map(|member| member.name.clone()).collect()
    }

    /// Whether somebody can decide with a credential, so that people can be asked without a card.
    #[must_use]
    pub fn decides_over_api(&self) -> bool {
        let mut identities = self.people.all().iter().flat_map(|known| &known.identities);
        identities.any(|identity| identity.realm() == "credential")
    }

    /// Whether who asks may approve everywhere (profile "solo").
    #[must_use]
    pub const fn is_solo(&self) -> bool {
        self.solo
    }

    /// The text it was read from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its label and the hash of its text.
    #[must_use]
    pub const fn version(&self) -> &PolicyVersion {
        &self.version
    }

    /// What whoever starts the installation should be told.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    pub(super) fn level(&self, level: Level) -> &LevelPolicy {
        let [low, medium, high, critical] = &self.levels;
        match level {
            Level::Low => low,
            Level::Medium => medium,
            Level::High => high,
            Level::Critical => critical,
        }
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").field("version", &self.version).finish_non_exhaustive()
    }
}
