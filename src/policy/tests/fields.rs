//! Everything that a rule can look at, in a table that reads like the policy itself; what can be set is in `sets`.

use std::collections::BTreeSet;

use super::{proposal_of, sets};
use crate::approval::{Proposal, RunStep};
use crate::id::{
    AgentId, CredentialId, PersonId, Role, RunId, ServerName, SessionId, StepId, TenantId, ToolName,
};
use crate::policy::{Circumstances, Level, Policy, Tier, Verdict, fields};
use crate::time::Timestamp;

/// The policy around each line of the first table.
const AROUND: &str = r#"version = "table"

[levels.high]
tier = "approve"
role = "admin"

[calendar]
zone = "Europe/Berlin"
night = "22:00-06:00"
holidays = [{ date = 2026-12-25, name = "Christmas Day" }]

[[calendar.freeze]]
name = "end of year"
from = 2026-12-20
until = 2027-01-04T09:00:00
tools = ["deploy"]
because = "Nobody is there to mend it."
"#;

/// Who there is.
pub(super) const PEOPLE: &str = r#"
[roles]
stewards = ["admin"]

[[people]]
id = "bo"
credentials = ["bo-console"]
name = "Bo"
roles = ["admin", "operator"]

[[people]]
id = "chen"
credentials = ["chen-console"]
name = "Chen"
roles = ["admin", "operator"]

[[people]]
id = "dana"
credentials = ["dana-console"]
name = "Dana"
roles = ["operator"]
"#;

/// What is known of the tools in the first table.
const TOOLS: &str = r#"
[tools.pay]
reach = "outside"
reversible = false
amount = 'args.amount'
[tools.share]
amount = 'double(args.part) / double(args.of)'
[tools.mail]
count = 'size(args.to)'
[tools.deploy]
environment = "production"
reversible = true
data_level = "internal"
affected = 'args.users'
[tools.export]
data_level = "restricted"
reach = "team"
"#;

/// The lines of a table, each with its columns.
pub(super) fn lines(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (full, empty) = line.strip_suffix(" |").map_or((line, None), |full| (full, Some("")));
        full.split(" | ").map(str::trim).chain(empty).collect()
    })
}

fn parse(text: &str) -> Policy {
    Policy::parse(text, "table.toml").unwrap_or_else(|errors| panic!("{errors}"))
}

/// `tool=pay at=2026-11-30T12:00:00Z args={"amount":7}`: a call and its circumstances.
pub(super) fn case(text: &str) -> (Proposal, Circumstances) {
    let mut proposal = proposal_of("anything", "{}");
    let mut circumstances = Circumstances::at(Timestamp::from_secs(0));
    for part in text.split_whitespace() {
        let (name, value) = part.split_once('=').unwrap();
        let number = || value.parse().unwrap();
        match name {
            "tool" => proposal.call.tool = ToolName::new(value).unwrap(),
            "server" => proposal.call.server = Some(ServerName::new(value).unwrap()),
            "args" => proposal.call.args = crate::call::CanonicalArgs::parse(value.as_bytes()).unwrap(),
            "agent" => proposal.call.agent = AgentId::new(value).unwrap(),
            "run" => {
                let (run, step) = (RunId::new(value).unwrap(), StepId::new("step-1").unwrap());
                proposal.run = Some(RunStep { run, step });
            }
            "session" => proposal.session = Some(SessionId::new(value).unwrap()),
            "credential" => proposal.requester.credential = CredentialId::new(value).unwrap(),
            "task" => proposal.task = value.to_owned(),
            "reason" => proposal.reason = value.to_owned(),
            "preview" => proposal.preview = Some(value.to_owned()),
            "if_denied" => proposal.if_denied = Some(value.to_owned()),
            "tenant" => circumstances.tenant = Some(TenantId::new(value).unwrap()),
            "person" => circumstances.requester.person = Some(PersonId::new(value).unwrap()),
            "roles" => {
                circumstances.requester.roles =
                    value.split(',').map(|role| Role::new(role).unwrap()).collect();
            }
            "unread" => circumstances.requester.roles_unread = value.parse().unwrap(),
            "team" => circumstances.requester.team = Some(value.to_owned()),
            "at" => {
                let at = chrono::DateTime::parse_from_rfc3339(value).unwrap();
                circumstances.at = Timestamp::from_millis(at.timestamp_millis());
            }
            "calls" => circumstances.recent.calls = number(),
            "same" => circumstances.recent.same = number(),
            "denied" => circumstances.recent.denied = number(),
            "cards" => circumstances.recent.cards = number(),
            other => panic!("{other}"),
        }
    }
    (proposal, circumstances)
}

/// R15: what a rule can look at: tool, server, arguments, tenant, requester and their roles, what [tools] knows and
/// computes, time in the policy's zone with daylight saving, holidays and freezes, and what happened lately.
#[test]
fn what_a_rule_can_look_at() {
    let table = include_str!("looks.table");
    for columns in lines(table) {
        let [when, call, expected] = columns.as_slice() else { panic!("{columns:?}") };
        let policy = parse(&format!(
            "{AROUND}{PEOPLE}{TOOLS}\n[[raise]]\nname = \"it\"\ntools = [\"*\"]\nwhen = '''{when}'''\nby = 1\nbecause = \"So.\"\n"
        ));
        let (proposal, circumstances) = case(call);
        let verdict = policy.judge(&proposal, &circumstances);
        let hit = verdict.rules.iter().find(|hit| hit.rule == "it");
        let got = match hit {
            None => "no",
            Some(hit) if hit.error.is_some() => "error",
            Some(_) => "yes",
        };
        assert_eq!(got, *expected, "{when} | {call} | {hit:?}");
        assert_eq!(policy.needs_recent(), when.contains("recent."), "{when}");
    }
}

/// R14: the list of fields is the one that the policy is read with, and each of them stands in a table here: with a line in
/// which it matters, and one in which it does not.
#[test]
fn every_field_has_its_lines_in_a_table() {
    let looks: Vec<_> = lines(include_str!("looks.table")).map(|columns| (columns[0], columns[2])).collect();
    let sets: Vec<_> =
        lines(include_str!("sets.table")).map(|columns| (columns[0], columns[1], columns[2])).collect();
    let word = |text: &str, name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let before = text[..at].chars().next_back().is_none_or(|c| !part(c));
            before
                && (name == "args"
                    || text[at + name.len()..].chars().next().is_none_or(|c| !part(c) || c == '.'))
        })
    };
    let mut seen = BTreeSet::new();
    let mut missing = Vec::new();
    for field in fields() {
        assert!(seen.insert((field.place, field.name)), "{} is there twice", field.name);
        assert!(!field.what.is_empty(), "{} says nothing of itself", field.name);
        let places = sets::places(field.place);
        for does in ["yes", "no"] {
            let there = if places.is_empty() {
                looks.iter().any(|(when, matters)| *matters == does && word(when, field.name))
            } else {
                sets.iter().any(|(place, keys, matters)| {
                    *matters == does
                        && places.contains(place)
                        && keys.starts_with(&format!("{} =", field.name))
                })
            };
            if !there {
                missing.push(format!("{} ({:?}): {does}", field.name, field.place));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen.len() > 140, "{}", seen.len());
}

/// A freeze that began between the question and the claim is told of; one that was there when it was asked is not.
#[test]
fn a_freeze_that_began_since_is_told_of() {
    let policy = parse(&format!("{AROUND}{PEOPLE}"));
    let (deploy, asked) = case("tool=deploy at=2026-12-19T22:00:00Z");
    let at = |text: &str| case(&format!("at={text}")).1.at;
    assert_eq!(policy.frozen(&deploy, Some(&asked), at("2026-12-19T22:59:59Z")), None);
    let freeze = policy.frozen(&deploy, Some(&asked), at("2026-12-19T23:00:00Z")).unwrap();
    assert_eq!((freeze.name.as_str(), freeze.until), ("end of year", at("2027-01-04T08:00:00Z")));
    let (_, within) = case("at=2026-12-21T00:00:00Z");
    assert_eq!(
        policy.frozen(&deploy, Some(&within), at("2026-12-22T00:00:00Z")),
        None,
        "who said yes knew of it"
    );
    assert!(
        policy.frozen(&deploy, None, at("2026-12-22T00:00:00Z")).is_some(),
        "a freeze that came with another policy was known to nobody"
    );
    assert_eq!(policy.frozen(&case("tool=pay").0, Some(&asked), at("2026-12-22T00:00:00Z")), None);
}

/// R7, R15: what looks at roles of which some could not be read errs, and so forbids, raises, and grades no laxer.
#[test]
fn roles_that_could_not_be_read_take_the_stricter_way() {
    let with = |rules: &str| parse(&format!("{AROUND}{PEOPLE}\n{rules}"));
    let judged = |policy: &Policy, circumstances: &str| -> Verdict {
        let (proposal, circumstances) = case(&format!("tool=pay {circumstances}"));
        policy.judge(&proposal, &circumstances)
    };
    let rule = |when: &str, says: &str| {
        format!("name = \"one\"\ntools = [\"pay\"]\nwhen = \"{when}\"\nbecause = \"So.\"\n{says}")
    };
    let forbids = with(&format!("[[forbid]]\n{}", rule("'contractor' in requester.roles", "")));
    assert_eq!(judged(&forbids, "roles=operator").tier, Tier::Approve);
    let forbidden = judged(&forbids, "roles=operator unread=true");
    assert_eq!(forbidden.tier, Tier::Forbid);
    assert_eq!(
        forbidden.rules[0].error.as_deref(),
        Some("who asks, or which roles they have, could not be read whole"),
        "and says why"
    );
    let raises =
        with(&format!("[[raise]]\n{}", rule("'contractor' in requester.roles", "to = \"critical\"\n")));
    assert_eq!(judged(&raises, "roles=operator").level, Level::High);
    assert_eq!(judged(&raises, "roles=operator unread=true").level, Level::Critical);
    let grades =
        with(&format!("[[rule]]\n{}", rule("!('contractor' in requester.roles)", "level = \"low\"\n")));
    assert_eq!(judged(&grades, "roles=operator").level, Level::Low);
    assert_eq!(judged(&grades, "roles=operator unread=true").level, Level::High, "the default");
    // Nobody who is known, or somebody whose group could not be read: that is not the same.
    let strangers = with(&format!("[[rule]]\n{}", rule("requester.person == ''", "level = \"low\"\n")));
    assert_eq!(judged(&strangers, "").level, Level::Low);
    assert_eq!(judged(&strangers, "unread=true").level, Level::High, "the default");
}
