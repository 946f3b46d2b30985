//! A tenant's file on top of the installation's: it adds and tightens, and never loosens what the installation has fixed.
//!
//! The installation's own rules go on seeing what its own file says of tools and of the calendar: a tenant that computes
//! an amount otherwise, or calls another time night, changes its own rules alone. What forbids and what raises counts
//! from both files. A tenant's rules come first, but never below the first of the installation's fixed rules that
//! matches, with what that costs by the installation's file alone.

mod loosened;
mod text;

use std::sync::Arc;

use super::diagnostic::{PolicyErrors, Report};
use super::levels::OwnCosts;
use super::parse::Read;
use super::rule::{Grades, Policy, Rule, Rules};
use super::set::PolicyFile;
use super::shadow::Shadowing;
use crate::id::TenantId;

pub(super) use text::BEGIN;

/// What a tenant's policy stands on.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    /// The installation's policy, as if there were no tenant.
    pub(super) policy: Policy,
    /// Its rules, with what they cost by the tenant's levels.
    pub(super) rules: Rules<Grades>,
    /// Its fixed rules, with what they cost by its own.
    pub(super) floor: Rules<Grades>,
}

/// Reads a tenant's file on top of the installation's.
fn policy(installation: &PolicyFile, tenant: &TenantId, file: &PolicyFile) -> Result<Policy, PolicyErrors> {
    let ground_policy = Policy::parse(&installation.text, &installation.name)?;
    // Nothing is found in it any more; but where its parts stand, and what is written of them, is needed as well.
    let ground =
        Read::text(&installation.text, None, &mut Report::new(&installation.text, &installation.name));
    let mut report = Report::new(&file.text, &file.name);
    let read = Read::text(&file.text, ground.as_ref(), &mut report);
    let (Some(ground), Some(read)) = (ground, read) else {
        return Err(PolicyErrors { diagnostics: report.into_found() });
    };
    read.check(Some(&ground), &mut report);
    loosened::check(&read, &ground, &mut report);
    let (false, Some(label)) = (report.has_errors(), read.version.clone()) else {
        return Err(PolicyErrors { diagnostics: report.into_found() });
    };
    let rules = Rules::new(regraded(&ground, &read));
    let floor = Rules::new(floor(&ground, &ground_policy));
    let own_shadow = read.shadow.as_ref().map(|at| at.value.clone()).unwrap_or_default();
    let fatigue = read.fatigue.over(*ground_policy.fatigue());
    let narrows_glass = read.roles.narrows_glass;
    let label = format!("{} + {label}", ground_policy.version().label);
    let text = text::of_both(tenant, &installation.text, &file.text);
    let mut policy = read.into_policy(text.into(), label, report);
    policy.needs_recent |= ground_policy.needs_recent;
    policy.fatigue = fatigue;
    policy.change = policy.change.or_else(|| ground_policy.change.clone());
    // Who looks after the installation does so in every tenant: no tenant shuts them out, or lets in anybody else.
    if !ground_policy.stewards.is_empty() {
        policy.stewards.clone_from(&ground_policy.stewards);
    }
    // Whom the installation lets read every tenant's record it does here too; a tenant's own read only this one.
    for role in &ground_policy.auditors {
        if !policy.auditors.contains(role) {
            policy.auditors.push(role.clone());
        }
    }
    if !narrows_glass {
        policy.glass_breakers.clone_from(&ground_policy.glass_breakers);
    }
    policy.shadowing = Shadowing { everywhere: ground_policy.shadowing.everywhere.clone(), own: own_shadow };
    policy.ground = Some(Arc::new(Ground { policy: ground_policy, rules, floor }));
    Ok(policy)
}

/// The installation's rules by the levels that hold for the tenant.
fn regraded(ground: &Read, read: &Read) -> Vec<Rule<Grades>> {
    let rule = |rule: &super::grade::RuleRead<Grades>| {
        let table = |level| &read.level(level).policy;
        let own = rule
            .settings
            .sets_more_than("fixed")
            .then(|| Box::new(OwnCosts::of(&rule.settings, rule.rule.says.level, table)));
        Rule { says: Grades { own, ..rule.rule.says.clone() }, ..rule.rule.clone() }
    };
    ground.rules.rules.iter().map(rule).collect()
}

/// The installation's fixed rules, each with what it costs there.
fn floor(ground: &Read, policy: &Policy) -> Vec<Rule<Grades>> {
    let fixed = ground.rules.rules.iter().map(|rule| &rule.rule).filter(|rule| rule.fixed);
    let with_costs = |rule: &Rule<Grades>| {
        let plain = || Box::new(OwnCosts::plain(|level| policy.level(level)));
        let own = rule.says.own.clone().unwrap_or_else(plain);
        let says = Grades { own: Some(own), ..rule.says.clone() };
        Rule { says, ..rule.clone() }
    };
    fixed.map(with_costs).collect()
}

impl Policy {
    /// Reads a tenant's file on top of the installation's. The version has the labels of both, and its digest is of
    /// [`Policy::text`], which holds both texts.
    ///
    /// # Errors
    /// [`PolicyErrors`], also where the tenant's file loosens what the installation's marks as fixed.
    pub fn parse_tenant(
        installation: &PolicyFile,
        tenant: &TenantId,
        file: &PolicyFile,
    ) -> Result<Self, PolicyErrors> {
        policy(installation, tenant, file)
    }

    /// Reads the text of a policy as the record keeps it ([`Policy::text`]): of one file, or of two.
    ///
    /// # Errors
    /// [`PolicyErrors`]: it was taken by another version of Placet, and is not by this one.
    pub fn parse_recorded(text: &str, name: &str) -> Result<Self, PolicyErrors> {
        match Self::texts_of(text) {
            Some((tenant, installation, own)) => {
                let file = |text: &str| PolicyFile { text: text.to_owned(), name: name.to_owned() };
                policy(&file(installation), &tenant, &file(own))
            }
            None => Self::parse(text, name),
        }
    }

    /// The tenant and the two files that a text is made of: the installation's, then the tenant's. None if it is the text
    /// of one file.
    #[must_use]
    pub fn texts_of(text: &str) -> Option<(TenantId, &str, &str)> {
        text::apart(text)
    }
}
