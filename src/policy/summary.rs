//! A verdict as a list of named values, as people compare them: what differs between two, and what a table expects.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::verdict::{EscalationStep, Figure, Place, Stage, Terms, Verdict};

/// Everything that a verdict says, by name, in the order in which people read it. What it does not say is null.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary(Map<String, Value>);

/// One value that is not the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Which.
    pub what: String,
    /// What it was, or should be.
    pub before: Value,
    /// What it is.
    pub after: Value,
}

impl Summary {
    /// What a verdict says, besides which policy it is of and what it rests on.
    #[must_use]
    pub fn of(verdict: &Verdict) -> Self {
        let mut all = Map::new();
        let mut put = |name: &str, value: Value| {
            all.insert(name.to_owned(), value);
        };
        put("tier", json!(verdict.tier));
        put("level", json!(verdict.level));
        put("rules", verdict.rules.iter().map(|hit| json!(hit.rule)).collect());
        put("because", json!(verdict.because()));
        let errors: Vec<String> = verdict
            .rules
            .iter()
            .filter_map(|hit| hit.error.as_ref().map(|error| format!("{}: {error}", hit.rule)))
            .collect();
        put("errors", json!(errors));
        put("always_ask", json!(verdict.always_ask));
        put("shadow", json!(verdict.shadow.as_ref().map(|shadow| shadow.tier)));
        // In shadow mode the terms are those that would have held.
        let terms = verdict.terms.as_ref().or_else(|| verdict.shadow.as_ref()?.terms.as_ref());
        for (name, of) in TERMS {
            put(name, terms.map_or(Value::Null, of));
        }
        // That holds whether or not anybody is asked.
        if verdict.confidential.is_some() {
            put("confidential", json!(true));
        }
        let remember = verdict.remember.as_ref();
        put("remember", json!(remember.map(|offer| format!("{} for {}", offer.pattern, offer.within))));
        put("title", json!(verdict.title));
        put("effect", json!(verdict.effect));
        put("leading_args", json!(verdict.leading_args));
        let figure = |figure: &Figure| (name_of(&json!(figure.name)), json!(figure.value));
        put("figures", Value::Object(verdict.figures.iter().map(figure).collect()));
        Self(all)
    }

    /// The names of all values, in their order.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        let before = ["tier", "level", "rules", "because", "errors", "always_ask", "shadow"];
        let after = ["remember", "title", "effect", "leading_args", "figures"];
        before.into_iter().chain(TERMS.iter().map(|(name, _)| *name)).chain(after).collect()
    }

    /// One value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// What differs, in the order of [`Summary::names`].
    #[must_use]
    pub fn differences(&self, after: &Self) -> Vec<Difference> {
        // Where one of them asks nobody, all that asking takes differs, and one word of it is enough.
        let asks = |summary: &Self| summary.get("stages").is_some_and(|stages| !stages.is_null());
        let both_ask = asks(self) && asks(after);
        let tells = |name: &str| both_ask || name == "stages" || !TERMS.iter().any(|(term, _)| *term == name);
        let differs = |name: &&str| self.get(name) != after.get(name) && tells(name);
        let value = |summary: &Self, name: &str| summary.get(name).cloned().unwrap_or(Value::Null);
        let names = Self::names().into_iter().filter(differs);
        names
            .map(|name| Difference {
                what: name.to_owned(),
                before: value(self, name),
                after: value(after, name),
            })
            .collect()
    }
}

/// `tier: auto → approve`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} → {}", self.what, shown(&self.before), shown(&self.after))
    }
}

/// A value as people write it.
#[must_use]
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(fields) if fields.is_empty() => "none".to_owned(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{name} {}", shown(value)))
            .collect::<Vec<_>>()
            .join(", "),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
    }
}

/// What one value is of the terms of an approval.
type OfTerms = fn(&Terms) -> Value;

const TERMS: [(&str, OfTerms); 19] = [
    ("stages", |terms| json!(stages(&terms.stages))),
    ("decide_within", |terms| json!(terms.decide_within)),
    ("valid_for", |terms| json!(terms.valid_for)),
    ("alarm_after", |terms| json!(terms.alarm_after)),
    ("remind_after", |terms| json!(terms.remind_after)),
    ("escalation", |terms| terms.escalation.iter().map(|step| json!(escalation(step))).collect()),
    ("requester_may_approve", |terms| json!(terms.requester_may_approve)),
    ("reason_for_yes", |terms| json!(terms.reason_for_yes)),
    ("reason_for_no", |terms| json!(terms.reason_for_no)),
    ("denials_to_reject", |terms| json!(terms.denials_to_reject)),
    ("partial_view_may_approve", |terms| json!(terms.partial_view_may_approve)),
    ("approve_on_timeout", |terms| json!(terms.approve_on_timeout)),
    ("assurance", |terms| json!(terms.assurance)),
    ("assurance_for_no", |terms| json!(terms.assurance_for_no)),
    ("may_edit", |terms| json!(terms.may_edit)),
    ("confidential", |terms| json!(terms.confidential)),
    ("tell_directly", |terms| json!(terms.tell_directly)),
    ("gather", |terms| json!(terms.gather)),
    ("places", |terms| terms.places.iter().map(|at| json!(place(at))).collect()),
];

/// `1 operator and 1 lawyer, then 2 admin`.
fn stages(stages: &[Stage]) -> String {
    let group = |stage: &Stage| {
        let groups: Vec<_> =
            stage.groups.iter().map(|group| format!("{} {}", group.count, group.role)).collect();
        groups.join(" and ")
    };
    stages.iter().map(group).collect::<Vec<_>>().join(", then ")
}

/// `admin after 10m in slack/C024BE91M`.
fn escalation(step: &EscalationStep) -> String {
    let to: Vec<_> = step.to.iter().map(ToString::to_string).collect();
    let places: Vec<_> = step.places.iter().map(place).collect();
    let whom = if to.is_empty() { "nobody else".to_owned() } else { to.join(" and ") };
    let place = if places.is_empty() { String::new() } else { format!(" in {}", places.join(" and ")) };
    format!("{whom} after {}{place}", step.after)
}

/// `slack/C024BE91L`, as the policy has it in `channel`.
fn place(place: &Place) -> String {
    format!("{}/{}", place.surface, place.channel)
}

fn name_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
