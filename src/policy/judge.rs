//! What a policy says of one call.
//!
//! Pure: the same policy, proposal and circumstances give the same verdict. What forbids never yields to anything;
//! what raises never lowers.

use std::borrow::Cow;

use super::circumstances::Circumstances;
use super::levels::LevelPolicy;
use super::rule::{Grades, Policy, RaiseTo, Rule};
use super::verdict::{Level, RuleHit, Shadow, Tier, Verdict};
use crate::approval::Proposal;
use crate::call::ToolCall;

/// How bad a call is and what that costs, with the rules that say so, most decisive first.
struct Grade<'p> {
    level: Level,
    costs: Cow<'p, LevelPolicy>,
    /// Whether that is more than the level's own table says.
    own: bool,
    always_ask: bool,
    /// Whether something that is fixed took part.
    fixed: bool,
    rules: Vec<RuleHit>,
}

impl Policy {
    /// What the policy says of a call. Pure: the same policy, proposal and circumstances give the same verdict.
    #[must_use]
    pub fn judge(&self, proposal: &Proposal, circumstances: &Circumstances) -> Verdict {
        let call = &proposal.call;
        let words = self.tools.words(call);
        let verdict = |tier, level, rules| Verdict {
            tier,
            level,
            rules,
            policy: self.version.clone(),
            terms: None,
            title: words.and_then(|words| words.title.clone()),
            effect: words.and_then(|words| words.effect.clone()),
            leading_args: words.map(|words| words.leading_args.clone()).unwrap_or_default(),
            figures: Vec::new(),
            always_ask: false,
            remember: None,
            shadow: None,
            circumstances: Some(circumstances.clone()),
        };
        let forbidden: Vec<RuleHit> = self.forbidden(proposal, circumstances).collect();
        if !forbidden.is_empty() {
            return verdict(Tier::Forbid, Level::Critical, forbidden);
        }
        let grade = self.raised(self.base(call), call);
        let fixed = grade.fixed || grade.costs.fixed;
        let costs = grade.costs.into_owned();
        let mut verdict = verdict(costs.tier, grade.level, grade.rules);
        verdict.always_ask = grade.always_ask;
        verdict.terms = (costs.tier == Tier::Approve).then_some(costs.terms);
        self.look_on(verdict, call, fixed)
    }

    /// What forbids a call now; asked again at every claim, whatever was approved before. What a level of tier forbid
    /// says is [`Policy::judge`]'s to tell: levels are judged with the circumstances in which the call was proposed.
    #[must_use]
    pub fn forbids(&self, proposal: &Proposal, now: &Circumstances) -> Option<RuleHit> {
        self.forbidden(proposal, now).next()
    }

    fn forbidden<'a>(
        &'a self,
        proposal: &'a Proposal,
        _circumstances: &'a Circumstances,
    ) -> impl Iterator<Item = RuleHit> + 'a {
        self.forbids.about(&proposal.call).map(|rule| rule.hit.clone())
    }
}

impl Policy {
    /// What the first rule says, not below the installation's fixed ones; else the default.
    fn base<'p>(&'p self, call: &'p ToolCall) -> Grade<'p> {
        let first = [&self.rules, &self.floor].map(|rules| rules.about(call).next());
        let base = first.into_iter().flatten().map(|rule| self.grade(rule)).reduce(worse);
        base.unwrap_or_else(|| Grade {
            level: self.default.level,
            costs: Cow::Borrowed(self.level(self.default.level)),
            own: false,
            always_ask: false,
            fixed: self.level(self.default.level).fixed,
            rules: vec![RuleHit { level: Some(self.default.level), ..self.default.hit.clone() }],
        })
    }

    fn grade<'p>(&'p self, rule: &'p Rule<Grades>) -> Grade<'p> {
        let Grades { level, own, always_ask } = &rule.says;
        Grade {
            level: *level,
            costs: Cow::Borrowed(own.as_deref().unwrap_or_else(|| self.level(*level))),
            own: own.is_some(),
            always_ask: *always_ask,
            fixed: rule.fixed || self.level(*level).fixed,
            rules: vec![RuleHit { level: Some(*level), ..rule.hit.clone() }],
        }
    }

    /// A grade with everything that raises it. What the rule sets of its own still holds beside what the new level
    /// costs.
    fn raised<'p>(&'p self, base: Grade<'p>, call: &ToolCall) -> Grade<'p> {
        let mut grade = base;
        let before = grade.level;
        for raise in self.raises.about(call) {
            grade.always_ask |= raise.says.always_ask;
            grade.fixed |= raise.fixed;
            grade.level = lifted(grade.level, raise.says.to);
            grade.rules.insert(0, RuleHit { level: Some(grade.level), ..raise.hit.clone() });
        }
        if grade.level != before {
            let costs = self.level(grade.level);
            grade.costs = if grade.own { Cow::Owned(both(&grade, costs)) } else { Cow::Borrowed(costs) };
        }
        grade
    }

    /// Where the policy only looks on, it says what would have happened; what is forbidden stays so, and a tenant
    /// looks on at nothing that is fixed.
    fn look_on(&self, mut verdict: Verdict, call: &ToolCall, fixed: bool) -> Verdict {
        let shadowing = self.shadowing();
        if verdict.tier == Tier::Approve && (shadowing.covers(call) || (shadowing.is_own(call) && !fixed)) {
            let terms = verdict.terms.take();
            verdict.shadow = Some(Shadow { tier: verdict.tier, terms });
            verdict.tier = Tier::Auto;
        }
        verdict
    }
}

/// What satisfies both grades, with the rules of both; the first wins a tie.
fn worse<'p>(one: Grade<'p>, other: Grade<'p>) -> Grade<'p> {
    let worse = (other.level, other.costs.tier) > (one.level, one.costs.tier);
    let (first, second) = if worse { (other, one) } else { (one, other) };
    let own = first.own || second.own;
    let costs = if own { Cow::Owned(both(&first, &second.costs)) } else { first.costs };
    let mut rules = first.rules;
    for hit in second.rules {
        if !rules.contains(&hit) {
            rules.push(hit);
        }
    }
    Grade {
        level: first.level,
        costs,
        own,
        always_ask: first.always_ask || second.always_ask,
        fixed: first.fixed || second.fixed,
        rules,
    }
}

/// What satisfies a grade and something else as well.
fn both(grade: &Grade<'_>, other: &LevelPolicy) -> LevelPolicy {
    let mut costs = grade.costs.and(other);
    costs.fit(grade.level);
    costs
}

/// A level after a raise.
fn lifted(level: Level, to: RaiseTo) -> Level {
    match to {
        RaiseTo::Level(to) => level.max(to),
        RaiseTo::By(by) => (0..by).fold(level, |level, _| match level {
            Level::Low => Level::Medium,
            Level::Medium => Level::High,
            Level::High | Level::Critical => Level::Critical,
        }),
    }
}
