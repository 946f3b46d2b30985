//! The example policy, held to a table of the verdicts that a team would expect of it.

use std::fmt::Write as _;

use super::fields::{case, lines};
use crate::policy::{Policy, Verdict};

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
