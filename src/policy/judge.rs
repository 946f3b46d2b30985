//! What a policy says of one call.
//!
//! Pure: the same policy, proposal and circumstances give the same verdict. What forbids never yields to anything;
//! what raises never lowers. A condition that cannot be evaluated is taken in the stricter way: what forbids or raises
//! counts as a match; a rule counts beside what would match without it and beside the default, and the worst of them
//! holds.

use std::borrow::Cow;

use super::case::Case;
use super::circumstances::Circumstances;
use super::levels::LevelPolicy;
use super::remember::{ArgPattern, RememberOffer};
use super::rule::{Grades, Policy, RaiseTo, Raises, Rule, Rules};
use super::tools::Tool;
use super::verdict::{Level, RuleHit, RuleKind, Shadow, Tier, Verdict};
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
        if call.is_policy_change() {
            return self.judge_change(proposal, circumstances);
        }
        let tool = self.tools.of(call);
        let case = Case::new(proposal, circumstances, &tool, &self.calendar);
        let forbidden = self.forbidden(&case);
        if !forbidden.is_empty() {
            return self.verdict(&case, (Tier::Forbid, Level::Critical), forbidden);
        }
        let grade = self.graded(&case);
        let fixed = grade.fixed || grade.costs.fixed;
        let costs = grade.costs.into_owned();
        let mut verdict = self.verdict(&case, (costs.tier, grade.level), grade.rules);
        verdict.always_ask = grade.always_ask;
        if costs.tier == Tier::Approve {
            verdict.terms = Some(costs.terms);
            let within = costs.remember.filter(|_| !grade.always_ask && proposal.session.is_some());
            verdict.remember = within.and_then(|within| {
                let pattern = ArgPattern::of(&call.args, &tool.remember())?;
                Some(RememberOffer { pattern, within })
            });
        }
        self.look_on(verdict, call, fixed)
    }

    /// What forbids a call now; asked again at every claim, whatever was approved before. What a level of tier forbid
    /// says is [`Policy::judge`]'s to tell: levels are judged with the circumstances in which the call was proposed.
    #[must_use]
    pub fn forbids(&self, proposal: &Proposal, now: &Circumstances) -> Option<RuleHit> {
        if proposal.call.is_policy_change() {
            return None;
        }
        let tool = self.tools.of(&proposal.call);
        let case = Case::new(proposal, now, &tool, &self.calendar);
        self.forbidden(&case).into_iter().next()
    }

    /// Whether any condition looks at what happened lately, so that it must be counted.
    #[must_use]
    pub const fn needs_recent(&self) -> bool {
        self.needs_recent
    }

    fn verdict(&self, case: &Case<'_>, (tier, level): (Tier, Level), rules: Vec<RuleHit>) -> Verdict {
        let tool: &Tool<'_> = case.tool();
        Verdict {
            tier,
            level,
            rules,
            policy: self.version.clone(),
            terms: None,
            title: tool.title(case),
            effect: tool.effect(case),
            leading_args: tool.leading_args(),
            figures: tool.figures(case),
            always_ask: false,
            remember: None,
            shadow: None,
            circumstances: Some(case.circumstances().clone()),
        }
    }

    /// What forbids a call: first what does so for certain.
    fn forbidden(&self, case: &Case<'_>) -> Vec<RuleHit> {
        let mut hits: Vec<RuleHit> =
            self.forbids.about(case.call()).filter_map(|rule| hit(rule, case)).collect();
        hits.sort_by_key(|hit| hit.error.is_some());
        hits
    }

    /// What a call can be taken for: what the first rule says, and the first of the installation's fixed ones; else the
    /// default. Where rules cannot tell, there are several, and the worst of them holds.
    fn bases<'p>(&'p self, case: &Case<'_>) -> Vec<Grade<'p>> {
        let mut bases = self.first(&self.rules, case);
        bases.extend(self.first(&self.floor, case));
        if bases.is_empty() {
            bases.push(self.by_default());
        }
        bases
    }

    /// What the first rule that matches says; with those before it that cannot tell, and then with the default.
    fn first<'p>(&'p self, rules: &'p Rules<Grades>, case: &Case<'_>) -> Vec<Grade<'p>> {
        let mut grades = Vec::new();
        let mut unsure = false;
        for rule in rules.about(case.call()) {
            let Some(hit) = hit(rule, case) else { continue };
            let certain = hit.error.is_none();
            grades.push(self.grade(rule, hit));
            if certain {
                break;
            }
            unsure = true;
        }
        if unsure {
            grades.push(self.by_default());
        }
        grades
    }

    fn by_default(&self) -> Grade<'_> {
        let (level, hit) = (self.default.level, &self.default.hit);
        let costs = self.level(level);
        Grade {
            level,
            costs: Cow::Borrowed(costs),
            own: false,
            always_ask: false,
            fixed: costs.fixed,
            rules: vec![RuleHit { level: Some(level), ..hit.clone() }],
        }
    }

    fn grade<'p>(&'p self, rule: &'p Rule<Grades>, hit: RuleHit) -> Grade<'p> {
        let Grades { level, own, always_ask } = &rule.says;
        Grade {
            level: *level,
            costs: Cow::Borrowed(own.as_deref().unwrap_or_else(|| self.level(*level))),
            own: own.is_some(),
            always_ask: *always_ask,
            fixed: rule.fixed || self.level(*level).fixed,
            rules: vec![RuleHit { level: Some(*level), ..hit }],
        }
    }

    /// Everything that raises a call; to a level before by levels, so that it does not matter how they stand.
    fn raises<'p>(&'p self, case: &Case<'_>) -> Vec<(&'p Rule<Raises>, RuleHit)> {
        let raising = |rule: &'p Rule<Raises>| Some((rule, hit(rule, case)?));
        let mut raises: Vec<_> = self.raises.about(case.call()).filter_map(raising).collect();
        raises.sort_by_key(|(raise, _)| matches!(raise.says.to, RaiseTo::By(_)));
        raises
    }

    /// A grade after everything that raises it. What a rule sets of its own still holds beside what the new level costs.
    fn raised<'p>(&'p self, mut grade: Grade<'p>, raises: &[(&Rule<Raises>, RuleHit)]) -> Grade<'p> {
        let before = grade.level;
        grade.level = raises.iter().fold(before, |level, (raise, _)| lifted(level, raise.says.to));
        if grade.level != before {
            let costs = self.level(grade.level);
            grade.costs = if grade.own { Cow::Owned(both(&grade, costs)) } else { Cow::Borrowed(costs) };
        }
        grade
    }

    /// The worst of what a call can be taken for, after everything that raises it.
    fn graded<'p>(&'p self, case: &Case<'_>) -> Grade<'p> {
        let (bases, raises) = (self.bases(case), self.raises(case));
        let mut level = bases.iter().map(|base| base.level).max().unwrap_or(self.default.level);
        let worst = bases.into_iter().map(|base| self.raised(base, &raises)).reduce(worse);
        let mut grade = worst.unwrap_or_else(|| self.by_default());
        for (raise, hit) in raises {
            grade.always_ask |= raise.says.always_ask;
            grade.fixed |= raise.fixed;
            level = lifted(level, raise.says.to);
            grade.rules.insert(0, RuleHit { level: Some(level), ..hit });
        }
        grade
    }

    /// Where the policy only looks on, it says what would have happened; what is forbidden stays so, and a tenant
    /// looks on at nothing that is fixed.
    fn look_on(&self, mut verdict: Verdict, call: &ToolCall, fixed: bool) -> Verdict {
        let shadowing = self.shadowing();
        if verdict.tier == Tier::Approve && (shadowing.covers(call) || (shadowing.is_own(call) && !fixed)) {
            let terms = verdict.terms.take();
            verdict.remember = None;
            verdict.shadow = Some(Shadow { tier: verdict.tier, terms });
            verdict.tier = Tier::Auto;
        }
        verdict
    }
}

/// A rule's hit where it matches, or cannot tell.
fn hit<S>(rule: &Rule<S>, case: &Case<'_>) -> Option<RuleHit> {
    match rule.when.as_ref().map_or(Ok(true), |when| when.holds(case)) {
        Ok(true) => Some(rule.hit.clone()),
        Ok(false) => None,
        Err(error) => Some(RuleHit { error: Some(error), ..rule.hit.clone() }),
    }
}

/// The worse of two grades, with the rules of both; the first wins a tie. Where a rule has settings of its own, what
/// satisfies both. The default is only told of where it decides.
fn worse<'p>(one: Grade<'p>, other: Grade<'p>) -> Grade<'p> {
    let worse = (other.level, other.costs.tier) > (one.level, one.costs.tier);
    let (first, second) = if worse { (other, one) } else { (one, other) };
    let own = first.own || second.own;
    let costs = if own { Cow::Owned(both(&first, &second.costs)) } else { first.costs };
    let mut rules = first.rules;
    for hit in second.rules {
        if hit.kind != RuleKind::Default && !rules.contains(&hit) {
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
