//! What a policy says of one call.
//!
//! Pure: the same policy, proposal and circumstances give the same verdict. What forbids never yields to anything;
//! what raises never lowers. A condition that cannot be evaluated is taken in the stricter way: what forbids or raises
//! counts as a match; a rule counts beside what would match without it and beside the default, and the worst of them
//! holds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::case::Case;
use super::circumstances::Circumstances;
use super::levels::{LevelPolicy, OwnCosts};
use super::remember::{ArgPattern, RememberOffer, Widening};
use super::rule::{Grades, Policy, RaiseTo, Raises, Rule, Rules};
use super::tenant::Ground;
use super::tools::Tool;
use super::verdict::{Level, RuleHit, RuleKind, Shadow, Terms, Tier, Verdict, each_once};
use crate::approval::Proposal;
use crate::call::ToolCall;
use crate::id::Role;

/// How bad a call is and what that costs, with the rules that say so, most decisive first.
struct Grade<'p> {
    level: Level,
    costs: Cow<'p, LevelPolicy>,
    /// Whether that is more than the level's own table says.
    own: bool,
    /// What it costs at each level, where a rule has settings of its own.
    raised: Option<&'p OwnCosts>,
    always_ask: bool,
    /// Whether something that is fixed took part.
    fixed: bool,
    /// Whether one of the installation's fixed rules, or its fixed default, took part: then what its levels cost there
    /// holds as well.
    is_floor: bool,
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
        let seen = self.seen(call);
        let cases = seen.cases(self, proposal, circumstances);
        let forbidden = self.forbidden(&cases);
        let grade = self.graded(&cases);
        // Whoever is asked, or nobody: it is as confidential as what would hold if it were asked about.
        let before = proposal.edited.as_ref().and_then(|edited| edited.confidential.as_ref());
        let confidential = confidence(&grade.costs.terms, before);
        if !forbidden.is_empty() {
            let verdict = self.verdict(&cases.own, (Tier::Forbid, Level::Critical), forbidden);
            return Verdict { confidential, ..verdict };
        }
        let fixed = grade.fixed || grade.costs.fixed;
        let costs = grade.costs.into_owned();
        let mut verdict = self.verdict(&cases.own, (costs.tier, grade.level), grade.rules);
        verdict.confidential = confidential;
        verdict.always_ask = grade.always_ask;
        if costs.tier == Tier::Approve {
            verdict.terms = Some(kept(costs.terms, verdict.confidential.is_some()));
            let within = costs.remember.filter(|_| !grade.always_ask && proposal.session.is_some());
            verdict.remember = within.and_then(|within| {
                let pattern = ArgPattern::of(&call.args, &seen.remember(fixed))?;
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
        let seen = self.seen(&proposal.call);
        self.forbidden(&seen.cases(self, proposal, now)).into_iter().next()
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
            confidential: None,
            circumstances: Some(case.circumstances().clone()),
        }
    }

    /// What forbids a call: first what does so for certain.
    fn forbidden(&self, cases: &Cases<'_>) -> Vec<RuleHit> {
        let beneath = cases.ground.iter().flat_map(|(ground, case)| matching(&ground.policy.forbids, case));
        let own = matching(&self.forbids, &cases.own);
        let mut hits: Vec<RuleHit> = beneath.chain(own).map(|(_, hit)| hit).collect();
        hits.sort_by_key(|hit| hit.error.is_some());
        hits
    }

    /// What a call can be taken for: what the first rule says, and the first of the installation's fixed ones; else the
    /// default. Where rules cannot tell, there are several, and the worst of them holds.
    fn bases<'p>(&'p self, cases: &Cases<'p>) -> Vec<Grade<'p>> {
        let ground = cases.ground.as_ref();
        let beneath = ground.into_iter().flat_map(|(ground, case)| matching(&ground.rules, case));
        let mut bases = self.first(matching(&self.rules, &cases.own).chain(beneath));
        let floor = ground.into_iter().flat_map(|(ground, case)| matching(&ground.floor, case));
        bases.extend(self.first(floor).into_iter().map(|grade| Grade { is_floor: true, ..grade }));
        if bases.is_empty() {
            bases.extend(self.defaults());
        }
        bases
    }

    /// What the first rule that matches says; with those before it that cannot tell, and then with the default.
    fn first<'p>(&'p self, matching: impl Iterator<Item = (&'p Rule<Grades>, RuleHit)>) -> Vec<Grade<'p>> {
        let mut grades = Vec::new();
        let mut unsure = false;
        for (rule, hit) in matching {
            let certain = hit.error.is_none();
            grades.push(self.grade(rule, hit));
            if certain {
                break;
            }
            unsure = true;
        }
        if unsure {
            grades.extend(self.defaults());
        }
        grades
    }

    /// What holds where no rule matches: the default, never below the installation's where that is fixed, with what it
    /// costs there.
    fn defaults(&self) -> impl Iterator<Item = Grade<'_>> {
        let ground = self.ground.as_deref().filter(|ground| ground.policy.default.fixed);
        let floor = ground.map(|ground| Grade { own: true, is_floor: true, ..ground.policy.by_default() });
        std::iter::once(self.by_default()).chain(floor)
    }

    fn by_default(&self) -> Grade<'_> {
        let (level, hit) = (self.default.level, &self.default.hit);
        let costs = self.level(level);
        Grade {
            level,
            costs: Cow::Borrowed(costs),
            own: false,
            raised: None,
            always_ask: false,
            fixed: self.default.fixed || costs.fixed,
            is_floor: false,
            rules: vec![RuleHit { level: Some(level), ..hit.clone() }],
        }
    }

    fn grade<'p>(&'p self, rule: &'p Rule<Grades>, hit: RuleHit) -> Grade<'p> {
        let Grades { level, own, always_ask } = &rule.says;
        Grade {
            level: *level,
            costs: Cow::Borrowed(own.as_deref().map_or_else(|| self.level(*level), |own| own.at(*level))),
            own: own.is_some(),
            raised: own.as_deref(),
            always_ask: *always_ask,
            fixed: rule.fixed || self.level(*level).fixed,
            is_floor: false,
            rules: vec![RuleHit { level: Some(*level), ..hit }],
        }
    }

    /// Everything that raises a call, and whether that is fixed; to a level before by levels, so that it does not matter
    /// how they stand.
    fn raises<'p>(&'p self, cases: &Cases<'p>) -> Vec<(&'p Rule<Raises>, RuleHit, bool)> {
        let beneath = cases.ground.iter().flat_map(|(ground, case)| matching(&ground.policy.raises, case));
        let beneath = beneath.map(|(raise, hit)| (raise, hit, true));
        let own = matching(&self.raises, &cases.own).map(|(raise, hit)| (raise, hit, raise.fixed));
        let mut raises: Vec<_> = beneath.chain(own).collect();
        raises.sort_by_key(|(raise, ..)| matches!(raise.says.to, RaiseTo::By(_)));
        raises
    }

    /// A grade after everything that raises it: what the new level costs, with what a rule sets of its own on top, and
    /// never less than the level asks. For what the installation has fixed, that is by its own levels, and what the
    /// tenant's ask holds as well.
    fn raised<'p>(
        &'p self,
        mut grade: Grade<'p>,
        raises: &[(&Rule<Raises>, RuleHit, bool)],
        cases: &Cases<'p>,
    ) -> Grade<'p> {
        let before = grade.level;
        grade.level = raises.iter().fold(before, |level, (raise, ..)| lifted(level, raise.says.to));
        if grade.level == before {
            return grade;
        }
        let own = |level| grade.raised.map(|own| own.at(level));
        let costs = self.level(grade.level);
        let raised = own(grade.level).unwrap_or(costs);
        let Some((ground, case)) = cases.ground.as_ref().filter(|_| grade.is_floor) else {
            grade.costs = Cow::Borrowed(raised);
            return grade;
        };
        // A tenant that lifts it further does not get rid of what it costs where the installation lifts it to.
        let alone = ground.policy.lifted_alone(before, case);
        let floor = match own(alone) {
            _ if alone == before => grade.costs.clone(),
            own => Cow::Borrowed(own.unwrap_or_else(|| ground.policy.level(alone))),
        };
        grade.costs = Cow::Borrowed(raised);
        for also in [costs, ground.policy.level(grade.level), &floor] {
            grade.costs = Cow::Owned(both(&grade, also));
        }
        grade
    }

    /// A level after this policy's own raises.
    fn lifted_alone(&self, level: Level, case: &Case<'_>) -> Level {
        let mut raises: Vec<RaiseTo> = matching(&self.raises, case).map(|(raise, _)| raise.says.to).collect();
        raises.sort_by_key(|to| matches!(to, RaiseTo::By(_)));
        raises.into_iter().fold(level, lifted)
    }

    /// The worst of what a call can be taken for, after everything that raises it.
    fn graded<'p>(&'p self, cases: &Cases<'p>) -> Grade<'p> {
        let (bases, raises) = (self.bases(cases), self.raises(cases));
        let mut level = bases.iter().map(|base| base.level).max().unwrap_or(self.default.level);
        let worst = bases.into_iter().map(|base| self.raised(base, &raises, cases)).reduce(worse);
        let mut grade = worst.unwrap_or_else(|| self.by_default());
        for (raise, hit, fixed) in raises {
            grade.always_ask |= raise.says.always_ask;
            grade.fixed |= fixed;
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

/// What is known of a call's tool: by the tenant's file on top of the installation's, and by the installation's alone.
pub(super) struct Seen<'a> {
    own: Tool<'a>,
    ground: Option<(&'a Ground, Tool<'a>)>,
}

/// A call as the policy's own rules see it, and as those of the installation beneath do.
pub(super) struct Cases<'a> {
    pub(super) own: Case<'a>,
    pub(super) ground: Option<(&'a Ground, Case<'a>)>,
}

impl Policy {
    pub(super) fn seen(&self, call: &ToolCall) -> Seen<'_> {
        let ground = self.ground.as_deref().map(|ground| (ground, ground.policy.tools.of(call)));
        Seen { own: self.tools.of(call), ground }
    }
}

impl<'a> Seen<'a> {
    pub(super) fn cases(
        &'a self,
        policy: &'a Policy,
        proposal: &'a Proposal,
        circumstances: &'a Circumstances,
    ) -> Cases<'a> {
        let case = |tool, calendar| Case::new(proposal, circumstances, tool, calendar);
        Cases {
            own: case(&self.own, &policy.calendar),
            ground: self.ground.as_ref().map(|(ground, tool)| (*ground, case(tool, &ground.policy.calendar))),
        }
    }

    /// How arguments are widened when a yes is remembered: where something is fixed, as the installation says.
    fn remember(&self, fixed: bool) -> BTreeMap<String, Widening> {
        let ground = self.ground.as_ref().filter(|_| fixed).map(|(_, tool)| tool);
        ground.unwrap_or(&self.own).remember()
    }
}

/// The rules that match a call, or cannot tell, in their order.
fn matching<'a, S>(rules: &'a Rules<S>, case: &Case<'_>) -> impl Iterator<Item = (&'a Rule<S>, RuleHit)> {
    rules.about(case.call()).filter_map(move |rule| Some((rule, hit(rule, case)?)))
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
        raised: None,
        always_ask: first.always_ask || second.always_ask,
        fixed: first.fixed || second.fixed,
        is_floor: first.is_floor || second.is_floor,
        rules,
    }
}

/// Who may read what has these terms, where it is confidential: who decides it, and for what an edit made of a confidential
/// call who could read that.
fn confidence(terms: &Terms, before: Option<&Vec<Role>>) -> Option<Vec<Role>> {
    let own = terms.confidential.then(|| terms.roles_ever_asked());
    (own.is_some() || before.is_some())
        .then(|| each_once(own.into_iter().flatten().chain(before.into_iter().flatten())))
}

/// These terms, of what is confidential: it stands on no card with others.
fn kept(terms: Terms, confidential: bool) -> Terms {
    let gather = terms.gather.filter(|_| !confidential);
    Terms { confidential, gather, ..terms }
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
