//! `placet policy explain`.

use std::io::Write;
use std::path::Path;

use placet::id::TenantId;
use placet::policy::{Considered, Explanation, Outcome, RuleKind, StageVoters, shown, suppose};
use placet::ports::Clock as _;
use serde_json::{Map, Value, json};

use super::{Form, SourceOf, json, not_taken, text, without_own, wrong_use};
use crate::clock::SystemClock;

/// What is asked.
pub(super) struct Ask<'a> {
    /// The call's file.
    pub(super) call: &'a Path,
    /// By which policies, and whose call it is.
    pub(super) source: &'a SourceOf,
    /// When, if the command says so.
    pub(super) at: Option<&'a str>,
    /// Who asks, if the command says so.
    pub(super) person: Option<&'a str>,
}

/// Says what the policy says of a call, and why; false if the policies are not taken.
pub(super) fn run(ask: &Ask<'_>, form: Form, out: &mut dyn Write) -> anyhow::Result<bool> {
    let (source, tenant) = ask.source.split()?;
    let fields = fields(ask, tenant.as_ref())?;
    let policies = match source.read()? {
        Ok(policies) => policies,
        Err(errors) => return not_taken(&errors, form, out),
    };
    let supposed = suppose(&fields, &policies, SystemClock.now()).map_err(|error| {
        let help = if error.help.is_empty() { String::new() } else { format!("; {}", error.help) };
        wrong_use(format!("{}: {error}{help}", ask.call.display()))
    })?;
    let policy = policies.of(&supposed.tenant);
    let mut explanation = policy.explain(&supposed.proposal, &supposed.circumstances);
    match &supposed.circumstances.tenant {
        Some(tenant) => explanation.notes.extend(without_own(tenant, &policies)),
        None if policies.tenants().next().is_some() => explanation.notes.push(
            "by the installation's policy alone: neither the call nor --tenant says whose it is".to_owned(),
        ),
        None => {}
    }
    if form.json {
        json(out, &json!(explanation))?;
    } else {
        tell(&explanation, supposed.proposal.call.args.value(), out)?;
    }
    Ok(true)
}

/// The fields of the call, with what the command says.
fn fields(ask: &Ask<'_>, tenant: Option<&TenantId>) -> anyhow::Result<Map<String, Value>> {
    let shown = ask.call.display();
    let raw = text(ask.call)?;
    // As every way in does it: what has a key twice is no call.
    let value = placet::call::canonical::parse_json_strict(raw.as_bytes())
        .map_err(|error| wrong_use(format!("{shown} is no call: {error}")))?;
    let Value::Object(mut fields) = value else {
        return Err(wrong_use(format!("{shown} is no call: it must be an object with `tool` and `args`")));
    };
    if let Some(tenant) = tenant {
        match fields.get("tenant") {
            None | Some(Value::Null) => {
                fields.insert("tenant".to_owned(), json!(tenant));
            }
            Some(own) if *own == json!(tenant) => {}
            Some(own) => {
                return Err(wrong_use(format!(
                    "{shown} is a call of the tenant {own}, and --tenant says {tenant}"
                )));
            }
        }
    }
    fields.extend(ask.at.map(|at| ("at".to_owned(), json!(at))));
    fields.extend(ask.person.map(|person| ("as".to_owned(), json!(person))));
    Ok(fields)
}

/// A template with the call's arguments put in, as the card has it.
fn filled(template: &str, args: &Value) -> String {
    let mut filled = template.to_owned();
    for (name, value) in args.as_object().into_iter().flatten() {
        filled = filled.replace(&format!("{{{name}}}"), &shown(value));
    }
    filled
}

fn tell(explanation: &Explanation, args: &Value, out: &mut dyn Write) -> anyhow::Result<()> {
    let Explanation { verdict, summary, rules, voters, notes } = explanation;
    writeln!(out, "{}, level {}", verdict.tier, verdict.level)?;
    for hit in &verdict.rules {
        let error =
            hit.error.as_ref().map_or_else(String::new, |error| format!(" (cannot be told: {error})"));
        writeln!(out, "  {}: {}{error}", hit.rule, hit.because)?;
    }
    for note in notes {
        writeln!(out, "  {note}")?;
    }
    if !voters.is_empty() {
        writeln!(out, "\nwho must approve")?;
    }
    for (number, StageVoters { groups, people, outside }) in (1..).zip(voters) {
        let groups: Vec<_> = groups.iter().map(|(count, role)| format!("{count} {role}")).collect();
        let people: Vec<_> = people.iter().map(|(_, name)| name.clone()).collect();
        let outside: Vec<_> =
            outside.iter().map(|role| format!("whoever a group or a schedule makes {role}")).collect();
        let who: Vec<_> = people.into_iter().chain(outside).collect();
        let who = if who.is_empty() { "nobody".to_owned() } else { who.join(", ") };
        writeln!(out, "  stage {number}: {}: {who}", groups.join(" and "))?;
    }
    writeln!(out, "\nrules about this tool")?;
    if rules.is_empty() {
        writeln!(out, "  none")?;
    }
    for rule in rules {
        considered(rule, out)?;
    }
    writeln!(out, "\nall that the verdict says")?;
    for name in placet::policy::Summary::names() {
        if let Some(value) = summary.get(name).filter(|value| !value.is_null()) {
            let shown = shown(value);
            let is_template = matches!(name, "title" | "effect");
            writeln!(out, "  {name}: {}", if is_template { filled(&shown, args) } else { shown })?;
        }
    }
    Ok(())
}

fn considered(considered: &Considered, out: &mut dyn Write) -> anyhow::Result<()> {
    let Considered { rule, kind, when, outcome, .. } = considered;
    let kind = match kind {
        RuleKind::Rule => "rule",
        RuleKind::Forbid => "forbid",
        RuleKind::Raise => "raise",
        RuleKind::Default => "default",
    };
    let became = match outcome {
        Outcome::Matches => "matches".to_owned(),
        Outcome::NotHere => "does not match: its condition is not true".to_owned(),
        Outcome::CannotTell(why) => format!("cannot be told, and is taken in the stricter way: {why}"),
        Outcome::TooLate(first) => format!("would match, but `{first}` did before"),
        Outcome::NotAsked => "not looked at: the call is forbidden".to_owned(),
    };
    writeln!(out, "  [[{kind}]] {rule}: {became}")?;
    match when {
        Some(when) => writeln!(out, "      when {when}")?,
        None if *outcome == Outcome::Matches => writeln!(out, "      always")?,
        None => {}
    }
    Ok(())
}
