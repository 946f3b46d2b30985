//! A policy that was read and found right: it judges calls, and knows who people are.
//!
//! What forbids is looked at first, wherever it stands; then the first rule that matches gives the base level, else
//! the default; then everything that raises lifts it. The level's table says what that costs. How a call is judged is
//! in `judge`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::calendar::Calendar;
use super::change::ChangeTerms;
use super::circumstances::Asker;
use super::condition::Condition;
use super::diagnostic::{Diagnostic, NamedPlace, PolicyErrors, Spot};
use super::digest::DigestPlan;
use super::electors::Electors;
use super::fatigue::Fatigue;
use super::levels::{LEVELS, LevelPolicy, OwnCosts, of_level};
use super::parse;
use super::pattern::{Calls, Index};
use super::shadow::Shadowing;
use super::tenant::Ground;
use super::tools::Tools;
use super::verdict::{Level, PolicyVersion, RuleHit, Tier};
use crate::approval::{Assurance, Requester};
use crate::call::ToolCall;
use crate::id::Role;
use crate::person::{Identity, KnownGroup, KnownPerson, OnCallSchedule, People, Rolls, Standing};
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
    pub(super) auditors: Vec<Role>,
    pub(super) fatigue: Fatigue,
    pub(super) change: Option<ChangeTerms>,
    pub(super) digest: Option<DigestPlan>,
    pub(super) shadowing: Shadowing,
    pub(super) warnings: Vec<Diagnostic>,
    /// Where its own file says what only the server can judge.
    pub(super) marks: Marks,
}

/// Where a file says what only the server can judge.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    /// The places that it names.
    pub(super) places: Vec<NamedPlace>,
    /// Where it says who agrees to a change of the policy; none where it does not.
    pub(super) change: Option<Spot>,
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
    pub(super) own: Option<Box<OwnCosts>>,
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

    /// The tools that they name.
    fn named(&self) -> impl Iterator<Item = String> {
        self.rules.iter().flat_map(|rule| rule.calls.named())
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

    /// The names of everybody who has one of these roles now and could use it, in the order of the policy, for telling
    /// people whom to ask: not of who is away, but of who stands in for them, and of whose turn it is.
    #[must_use]
    pub fn names_with_any(&self, roles: &[Role], now: Timestamp) -> Vec<String> {
        self.people_with_any(roles, now).map(|known| known.member.name.clone()).collect()
    }

    /// The same people, with their accounts.
    pub fn people_with_any(&self, roles: &[Role], now: Timestamp) -> impl Iterator<Item = &KnownPerson> {
        let electors = Electors::at(&self.people, now);
        let ids: BTreeSet<_> = electors
            .people
            .into_iter()
            .filter(|elector| roles.iter().any(|role| elector.roles.contains(role)))
            .map(|elector| elector.person)
            .collect();
        self.people.all().iter().filter(move |known| ids.contains(&known.member.person))
    }

    /// Whether somebody can decide with a credential, so that people can be asked without a card.
    #[must_use]
    pub fn decides_over_api(&self) -> bool {
        let mut identities = self.people.all().iter().flat_map(|known| &known.identities);
        identities.any(|identity| identity.realm() == "credential")
    }

    /// What wants votes that are surer than this: levels and rules as diagnostics call them, each with what it wants.
    #[must_use]
    pub fn wants_more_than(&self, assurance: Assurance) -> Vec<(String, Assurance)> {
        let levels =
            self.levels.iter().zip(LEVELS).map(|(costs, (name, _))| (format!("level {name}"), costs));
        let rules = self.rules.rules.iter().filter_map(|rule| {
            let own = rule.says.own.as_deref()?;
            Some((format!("rule `{}`", rule.hit.rule), own.at(rule.says.level)))
        });
        levels
            .chain(rules)
            .filter(|(_, costs)| costs.tier == Tier::Approve)
            .map(|(what, costs)| (what, costs.terms.assurance.max(costs.terms.assurance_for_no)))
            .filter(|(_, wanted)| *wanted > assurance)
            .collect()
    }

    /// The tools that the policy names, and means by no pattern: in full where it names their servers too, else by
    /// their own names.
    #[must_use]
    pub fn named_tools(&self) -> Vec<String> {
        let mut named: Vec<String> = self.tools.named().map(str::to_owned).collect();
        named.extend(self.forbids.named().chain(self.rules.named()).chain(self.raises.named()));
        if let Some(ground) = &self.ground {
            named.extend(ground.policy.named_tools());
        }
        named.sort_unstable();
        named.dedup();
        named
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

    /// The places that the policy's own file names, wherever in it; of a tenant's policy, not those of the
    /// installation's.
    #[must_use]
    pub fn named_places(&self) -> &[NamedPlace] {
        &self.marks.places
    }

    /// Where the policy's own file says whose yes a change of it needs; none where it does not.
    #[must_use]
    pub const fn change_at(&self) -> Option<&Spot> {
        self.marks.change.as_ref()
    }

    pub(super) fn level(&self, level: Level) -> &LevelPolicy {
        of_level(&self.levels, level)
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").field("version", &self.version).finish_non_exhaustive()
    }
}
