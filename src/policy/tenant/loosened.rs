//! What a tenant's file loosens that the installation has fixed: each shown at the tenant's own key.

use super::super::diagnostic::{Report, Span};
use super::super::fatigue::Fatigue;
use super::super::levels::LevelRead;
use super::super::parse::Read;
use super::super::reader::At;
use crate::id::Role;

/// Notes everything that is laxer than it may be.
pub(super) fn check(read: &Read, ground: &Read, report: &mut Report<'_>) {
    for level in &read.levels {
        levels(level, ground.level(level.level), read, report);
    }
    default(read, ground, report);
    fatigue(read, ground, report);
    change(read, ground, report);
    glass(read, ground, report);
    stewards(read, ground, report);
}

fn levels(level: &LevelRead, ground: &LevelRead, read: &Read, report: &mut Report<'_>) {
    if !ground.policy.fixed {
        return;
    }
    if let Some(span) = level.settings.fixed.as_ref().filter(|fixed| !fixed.value).map(|at| at.span.clone()) {
        let message = format!("the installation has fixed level {}", level.level);
        report.error(span, message, "take `fixed` out: what is fixed stays so");
    }
    let laxer = level.policy.laxer_than(&ground.policy);
    // The alarm goes out halfway unless it is said: then the longer time is what is meant.
    let said = |key: &&&str| **key != "alarm_after" || level.settings.key_span("alarm_after").is_some();
    for key in laxer.iter().filter(said) {
        let span = said_at(level, key).or_else(|| read.default.role.as_ref().map(|role| role.span.clone()));
        let message =
            format!("this loosens `{key}` of level {}, which the installation has fixed", level.level);
        let help = "a tenant may only be stricter here: take it out, or ask for more";
        report.error(span.unwrap_or(0..0), message, help);
    }
}

/// Where the tenant says what makes a level laxer: at the key itself, in its short form, or where the tier is set.
fn said_at(level: &LevelRead, key: &str) -> Option<Span> {
    let keys: &[&str] = match key {
        "stages" => &["stages", "role", "count"],
        _ => &[key],
    };
    keys.iter().find_map(|key| level.settings.key_span(key))
}

fn default(read: &Read, ground: &Read, report: &mut Report<'_>) {
    if !ground.default.fixed {
        return;
    }
    if read.default.level.value < ground.default.level.value {
        let message =
            format!("the installation has fixed its default at level {}", ground.default.level.value);
        report.error(read.default.level.span.clone(), message, "a tenant may only be stricter here");
    }
    if let Some(role) = read.default.role.as_ref().filter(|role| role.value != ground.default_role) {
        let message = format!("the installation has fixed that `{}` decides by default", ground.default_role);
        report.error(role.span.clone(), message, "levels of the tenant's own can name other roles");
    }
}

fn fatigue(read: &Read, ground: &Read, report: &mut Report<'_>) {
    let most = ground.fatigue.over(Fatigue::default());
    let own = &read.fatigue;
    let laxer = [
        own.cards_per_run.as_ref().filter(|at| at.value > most.cards_per_run).map(|at| &at.span),
        own.cards_per_hour.as_ref().filter(|at| at.value > most.cards_per_hour).map(|at| &at.span),
        own.denied_again_within.as_ref().filter(|at| at.value < most.denied_again_within).map(|at| &at.span),
        own.share_identical.as_ref().filter(|at| most.share_identical && !at.value).map(|at| &at.span),
    ];
    for span in laxer.into_iter().flatten() {
        let message = "this asks people more often than the installation lets them be asked";
        report.error(span.clone(), message, "a tenant may only be stricter here");
    }
}

fn change(read: &Read, ground: &Read, report: &mut Report<'_>) {
    let (Some(own), Some(theirs)) = (&read.change, &ground.change) else { return };
    let theirs = theirs.terms();
    if own.role.value != theirs.role {
        let message = format!("the installation has a change of the policy agreed to by `{}`", theirs.role);
        report.error(
            own.role.span.clone(),
            message,
            "a tenant may ask for more of them, and for nobody else",
        );
    } else if own.count < theirs.count {
        let message = format!("the installation has {} people agree to a change of the policy", theirs.count);
        report.error(own.count_span.clone(), message, "a tenant may only ask for more");
    }
}

fn glass(read: &Read, ground: &Read, report: &mut Report<'_>) {
    for role in &read.roles.break_glass {
        if !ground.roles.break_glass.iter().any(|other| other.value == role.value) {
            let message = format!("the installation does not let `{}` decide alone", role.value);
            report.error(
                role.span.clone(),
                message,
                "a tenant may only name fewer roles than the installation does",
            );
        }
    }
}

/// Whom the installation lets stop, revoke and settle, it does in every tenant; where it says nobody, a tenant may.
fn stewards(read: &Read, ground: &Read, report: &mut Report<'_>) {
    let theirs = &ground.roles.stewards;
    let (Some(span), false) = (&read.roles.stewards_span, theirs.is_empty()) else { return };
    let own = &read.roles.stewards;
    let named = |roles: &[At<Role>], role: &Role| roles.iter().any(|at| at.value == *role);
    for role in own.iter().filter(|role| !named(theirs, &role.value)) {
        let message = format!("the installation does not let `{}` stop, revoke and settle", role.value);
        let known: Vec<_> = theirs.iter().map(|role| format!("`{}`", role.value)).collect();
        let help = format!("its stewards are {}; give that role to this tenant's people", known.join(", "));
        report.error(role.span.clone(), message, help);
    }
    let left: Vec<_> = theirs.iter().filter(|role| !named(own, &role.value)).collect();
    if !left.is_empty() {
        let left: Vec<_> = left.iter().map(|role| format!("`{}`", role.value)).collect();
        let message =
            format!("this shuts nobody out: the installation's stewards stay ({})", left.join(", "));
        report.warning(span.clone(), message, "take `stewards` out: the installation's hold here as well");
    }
}
