//! A policy that was read and found right: it judges calls, and knows who people are.
//!
//! Rules that forbid are looked at first, wherever they stand; then the first rule that matches gives the level; then
//! the default. The level's table says what that costs. Judging is pure: the same policy and proposal give the same
//! verdict.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::change::ChangeTerms;
use super::circumstances::Circumstances;
use super::diagnostic::{Diagnostic, PolicyErrors};
use super::fatigue::Fatigue;
use super::levels::LevelPolicy;
use super::parse;
use super::pattern::Calls;
use super::set::PolicyFile;
use super::shadow::Shadowing;
use super::verdict::{Level, PolicyVersion, RuleHit, Tier, Verdict};
use crate::approval::Proposal;
use crate::call::ToolCall;
use crate::id::{Role, TenantId};
use crate::person::People;

/// The policy that comes with Placet.
const BUILTIN: &str = include_str!("builtin.toml");

/// A policy, complete and checked; it never changes.
#[derive(Clone)]
pub struct Policy {
    pub(super) text: Arc<str>,
    pub(super) version: PolicyVersion,
    pub(super) solo: bool,
    pub(super) levels: [LevelPolicy; 4],
    pub(super) rules: Vec<Rule>,
    pub(super) default: Default,
    pub(super) tools: BTreeMap<String, Words>,
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
    pub(super) hit: RuleHit,
}

/// One rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) hit: RuleHit,
    pub(super) calls: Calls,
    pub(super) says: Says,
}

/// What a rule says of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// How bad they are.
    Level(Level),
    /// They never run.
    Forbid,
}

/// What the policy says of a tool in plain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) title: Option<String>,
    pub(super) effect: Option<String>,
    pub(super) leading_args: Vec<String>,
}

impl Policy {
    /// Reads and checks a policy. `file` is what diagnostics call it.
    ///
    /// # Errors
    /// [`PolicyErrors`] with everything that was found, warnings included; nothing of such a policy takes force.
    pub fn parse(text: &str, file: &str) -> Result<Self, PolicyErrors> {
        parse::policy(text, file)
    }

    /// Reads a tenant's file on top of the installation's.
    ///
    /// # Errors
    /// [`PolicyErrors`], also where the tenant's file loosens what the installation's marks as fixed.
    pub fn parse_tenant(
        installation: &PolicyFile,
        _tenant: &TenantId,
        file: &PolicyFile,
    ) -> Result<Self, PolicyErrors> {
        parse::policy(&format!("{}\n{}", installation.text, file.text), &file.name)
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

    /// What the policy says of a call. Pure: the same policy, proposal and circumstances give the same verdict.
    #[must_use]
    pub fn judge(&self, proposal: &Proposal, circumstances: &Circumstances) -> Verdict {
        let call = &proposal.call;
        let matching = || self.rules.iter().filter(|rule| rule.calls.matches(call));
        let (tier, level, hit) = match matching().find(|rule| rule.says == Says::Forbid) {
            Some(rule) => (Tier::Forbid, Level::Critical, &rule.hit),
            None => {
                let graded = matching().find_map(|rule| match rule.says {
                    Says::Level(level) => Some((level, &rule.hit)),
                    Says::Forbid => None,
                });
                let (level, hit) = graded.unwrap_or((self.default.level, &self.default.hit));
                (self.level(level).tier, level, hit)
            }
        };
        let words = self.words(call);
        Verdict {
            tier,
            level,
            rules: vec![hit.clone()],
            policy: self.version.clone(),
            terms: (tier == Tier::Approve).then(|| self.level(level).terms.clone()),
            title: words.and_then(|words| words.title.clone()),
            effect: words.and_then(|words| words.effect.clone()),
            leading_args: words.map(|words| words.leading_args.clone()).unwrap_or_default(),
            figures: Vec::new(),
            always_ask: false,
            remember: None,
            shadow: None,
            circumstances: Some(circumstances.clone()),
        }
    }

    /// What forbids a call now; asked again at every claim, whatever was approved before.
    #[must_use]
    pub fn forbids(&self, proposal: &Proposal, _now: &Circumstances) -> Option<RuleHit> {
        let mut matching = self.rules.iter().filter(|rule| rule.calls.matches(&proposal.call));
        if let Some(rule) = matching.clone().find(|rule| rule.says == Says::Forbid) {
            return Some(rule.hit.clone());
        }
        let (level, hit) = match matching.next() {
            Some(Rule { says: Says::Level(level), hit, .. }) => (*level, hit),
            Some(_) | None => (self.default.level, &self.default.hit),
        };
        (self.level(level).tier == Tier::Forbid).then(|| hit.clone())
    }

    /// The people that the policy names, and nobody else.
    #[must_use]
    pub const fn people(&self) -> &People {
        &self.people
    }

    /// The names of everybody who has one of these roles, in the order of the policy, for telling people whom to ask.
    #[must_use]
    pub fn names_with_any(&self, roles: &[Role]) -> Vec<String> {
        let people = self.people.all().iter().map(|known| &known.member);
        let have = people.filter(|member| roles.iter().any(|role| member.roles.contains(role)));
        have.map(|member| member.name.clone()).collect()
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

    fn level(&self, level: Level) -> &LevelPolicy {
        let [low, medium, high, critical] = &self.levels;
        match level {
            Level::Low => low,
            Level::Medium => medium,
            Level::High => high,
            Level::Critical => critical,
        }
    }

    /// The words for a tool, by its name with its server, else without.
    fn words(&self, call: &ToolCall) -> Option<&Words> {
        self.tools.get(&call.full_name()).or_else(|| self.tools.get(call.tool.as_str()))
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").field("version", &self.version).finish_non_exhaustive()
    }
}
