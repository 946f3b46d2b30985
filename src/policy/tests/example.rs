//! The example policy, held to a table of the verdicts that a team would expect of it.

use std::fmt::Write as _;

use super::fields::{case, lines};
use crate::policy::{FieldPlace, Policy, Verdict, fields};

/// Who must say yes: `1 operator, 2 admin`.
fn asked(verdict: &Verdict) -> String {
    let mut asked = String::new();
    for group in verdict.terms.iter().flat_map(|terms| &terms.stages).flat_map(|stage| &stage.groups) {
        let comma = if asked.is_empty() { "" } else { ", " };
        let _ = write!(asked, "{comma}{} {}", group.count, group.role);
    }
    asked
}

/// R15, R16: reads, tenant data, drafts, mail, tickets, database writes, deletes, commands, deploys and migrations,
/// payments, contracts and permissions have the verdicts that the example promises.
#[test]
fn the_example_judges_as_a_team_expects() {
    let policy = Policy::parse(include_str!("../../../config/policy.example.toml"), "policy.example.toml")
        .unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(policy.warnings(), []);
    let mut otherwise = String::new();
    for columns in lines(include_str!("example.table")) {
        let [call, says, rule, who] = columns.as_slice() else { panic!("{columns:?}") };
        let noon = if call.contains(" at=") { "" } else { " at=2026-12-01T11:00:00Z" };
        let (proposal, circumstances) = case(&format!("{call}{noon}"));
        let verdict = policy.judge(&proposal, &circumstances);
        let got =
            [format!("{} {}", verdict.tier, verdict.level), verdict.rules[0].rule.clone(), asked(&verdict)];
        let expected =
            [says.split_whitespace().collect::<Vec<_>>().join(" "), (*rule).to_owned(), (*who).to_owned()];
        if got != expected {
            let _ = writeln!(otherwise, "{call}\n  {got:?}, not {expected:?}\n  {:?}", verdict.rules);
        }
    }
    assert_eq!(otherwise, "");
}

/// R19: what a tenant's own file says of them, the example's deletes and commands are not graded lower, and its scratch
/// files not higher.
#[test]
fn no_tenant_grades_the_examples_deletes_and_commands_lower() {
    let file =
        |text: &str, name: &str| crate::policy::PolicyFile { text: text.to_owned(), name: name.to_owned() };
    let house = file(include_str!("../../../config/policy.example.toml"), "policy.example.toml");
    let own = "version = \"t\"\n[[rule]]\nname = \"lax\"\ntools = [\"delete_file\", \"run_shell\"]\nlevel = \"low\"\n";
    let tenant = crate::id::TenantId::new("acme").unwrap();
    let policy = Policy::parse_tenant(&house, &tenant, &file(own, "own.toml"))
        .unwrap_or_else(|errors| panic!("{errors}"));
    for (call, says) in [
        ("tool=run_shell args={\"command\":\"ls\"}", "approve critical"),
        ("tool=delete_file args={\"path\":\"notes/a.txt\"}", "approve critical"),
        ("tool=delete_file args={\"path\":\"scratch/a.txt\"}", "suggest medium"),
    ] {
        let (proposal, circumstances) = case(&format!("{call} at=2026-12-01T11:00:00Z"));
        let verdict = policy.judge(&proposal, &circumstances);
        assert_eq!(format!("{} {}", verdict.tier, verdict.level), says, "{call}");
    }
}

/// Whether a key stands in the example: where it is set, commented out or not, as a table, or in a list that explains it.
fn stands(example: &str, name: &str) -> bool {
    example.lines().any(|line| {
        let said = line.trim_start_matches(['#', ' ']);
        let is_set = said.match_indices(name).any(|(at, _)| {
            let (before, after) = (&said[..at], &said[at + name.len()..]);
            let is_key = !before.ends_with(|sign: char| sign.is_alphanumeric() || "_.-".contains(sign));
            let is_table = said.starts_with('[') && before.ends_with(['[', '.']);
            is_key && after.starts_with(" = ") || is_table && after.starts_with([']', '.'])
        });
        // `#   when        a condition`, or several keys before what they are: `#   environment, data_level: what …`.
        let is_explained = line.starts_with("#   ")
            && said.split_once("  ").map_or(said, |(keys, _)| keys).split(", ").any(|key| key.trim() == name);
        is_set || is_explained
    })
}

/// R14: every key that a policy can have stands in the example, and every name that a condition can look at.
#[test]
fn every_field_stands_in_the_example() {
    let example = include_str!("../../../config/policy.example.toml");
    let looks = example.split_once("# What a condition can look at:").map(|(_, after)| after);
    let looks = looks.and_then(|after| Some(after.split_once("# An argument that may be missing")?.0));
    let looks: Vec<&str> = looks
        .unwrap_or_else(|| panic!("the example does not say what a condition can look at"))
        .split(|sign: char| !(sign.is_alphanumeric() || "._".contains(sign)))
        .map(|word| word.trim_matches('.'))
        .collect();
    let missing: Vec<String> = fields()
        .iter()
        .filter(|field| match field.place {
            FieldPlace::When | FieldPlace::WhenStrict => !looks.contains(&field.name),
            _ => !stands(example, field.name),
        })
        .map(|field| format!("{} ({:?}): {}", field.name, field.place, field.what))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}
