//! What a policy says of one call.
//!
//! Pure: the same policy, proposal and circumstances give the same verdict. What forbids never yields to anything;
//! what raises never lowers.

use super::circumstances::Circumstances;
use super::rule::{Policy, RaiseTo};
use super::verdict::{Level, RuleHit, Tier, Verdict};
use crate::approval::Proposal;

impl Policy {
    /// What the policy says of a call. Pure: the same policy, proposal and circumstances give the same verdict.
    #[must_use]
    pub fn judge(&self, proposal: &Proposal, circumstances: &Circumstances) -> Verdict {
        let call = &proposal.call;
        let forbidden: Vec<RuleHit> = self.forbidden(proposal, circumstances).collect();
        let mut always_ask = false;
        let (tier, level, rules) = if forbidden.is_empty() {
            let first = [&self.rules, &self.floor].map(|rules| rules.about(call).next());
            // The first of them wins a tie.
            let worst = first.into_iter().flatten().rev().max_by_key(|rule| rule.says.level);
            let (base, hit) = match worst {
                Some(rule) => {
                    always_ask = rule.says.always_ask;
                    (rule.says.level, &rule.hit)
                }
                None => (self.default.level, &self.default.hit),
            };
            let raised: Vec<_> = self.raises.about(call).collect();
            let mut level = base;
            let mut rules = Vec::with_capacity(raised.len() + 1);
            for raise in raised {
                always_ask |= raise.says.always_ask;
                level = lifted(level, raise.says.to);
                rules.push(RuleHit { level: Some(level), ..raise.hit.clone() });
            }
            rules.reverse();
            rules.push(RuleHit { level: Some(base), ..hit.clone() });
            (self.level(level).tier, level, rules)
        } else {
            (Tier::Forbid, Level::Critical, forbidden)
        };
        let words = self.tools.words(call);
        Verdict {
            tier,
            level,
            rules,
            policy: self.version.clone(),
            terms: (tier == Tier::Approve).then(|| self.level(level).terms.clone()),
            title: words.and_then(|words| words.title.clone()),
            effect: words.and_then(|words| words.effect.clone()),
            leading_args: words.map(|words| words.leading_args.clone()).unwrap_or_default(),
            figures: Vec::new(),
            always_ask,
            remember: None,
            shadow: None,
            circumstances: Some(circumstances.clone()),
        }
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
