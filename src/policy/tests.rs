//! The policy as its authors meet it: what is taken, what is judged, and what is said when it is wrong.

mod authors;
mod check;
mod digest;
mod example;
mod fields;
mod house;
mod load;
mod people;
mod properties;
mod replay;
mod sets;
mod settings;
mod strict;
mod tenant;

use std::collections::BTreeMap;

use insta::assert_snapshot;

use super::*;
use crate::approval::{Proposal, Requester};
use crate::call::{CanonicalArgs, PolicyDigest, ToolCall};
use crate::id::{AgentId, CredentialId, ServerName, ToolName};
use crate::person::{Identity, Standing};

/// A policy without anything to say about it, which the cases below change.
pub(super) const GOOD: &str = r#"version = "2026-11"

[levels.critical]
tier = "approve"
stages = [[{ role = "admin", count = 2 }]]
reason_required = { yes = true, no = true }

[[rule]]
name = "reads"
tools = ["read_*"]
level = "low"

[[rule]]
name = "deletes"
tools = ["delete_*"]
level = "critical"
because = "Deleting cannot be undone."

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
slack = ["T024BE7LD/U2CERLKJA"]

[[people]]
id = "chen"
name = "Chen"
roles = ["admin"]
slack = ["T024BE7LD/U2CHEN000"]
credentials = ["ops-console"]
terminal = ["chen"]

[roles]
stewards = ["admin"]
"#;

fn proposal(server: Option<&str>, tool: &str) -> Proposal {
    Proposal {
        call: ToolCall {
            agent: AgentId::new("cleaner").unwrap(),
            server: server.map(|server| ServerName::new(server).unwrap()),
            tool: ToolName::new(tool).unwrap(),
            tool_schema_hash: None,
            args: CanonicalArgs::parse(b"{}").unwrap(),
            preconditions: BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("agent-1").unwrap(),
            identities: vec![Identity::credential("agent-1").unwrap()],
            shown_as: "Ana".to_owned(),
        },
        run: None,
        session: None,
        task: String::new(),
        reason: String::new(),
        evidence: Vec::new(),
        preview: None,
        if_denied: None,
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    }
}

/// A call of a tool with arguments.
pub(super) fn proposal_of(tool: &str, args: &str) -> Proposal {
    let mut proposal = proposal(None, tool);
    proposal.call.args = CanonicalArgs::parse(args.as_bytes()).unwrap();
    proposal
}

fn judge(policy: &Policy, server: Option<&str>, tool: &str) -> Verdict {
    policy.judge(&proposal(server, tool), &noon())
}

fn noon() -> Circumstances {
    Circumstances::at(crate::time::Timestamp::from_secs(43_200))
}

fn parse(text: &str) -> Policy {
    Policy::parse(text, "policy.toml").unwrap_or_else(|errors| panic!("{errors}"))
}

/// What is said of a policy: errors, or else warnings.
fn said(text: &str) -> String {
    match Policy::parse(text, "policy.toml") {
        Ok(policy) => {
            let warnings: Vec<String> = policy.warnings().iter().map(ToString::to_string).collect();
            format!("{}\n\nthe policy is taken", warnings.join("\n\n"))
        }
        Err(errors) => errors.to_string(),
    }
}

/// The good policy, with one text in it changed.
fn with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    said(&GOOD.replacen(from, to, 1))
}

/// The good policy and something more.
fn and(more: &str) -> String {
    said(&format!("{GOOD}\n{more}"))
}

#[test]
fn a_policy_can_be_shared_between_threads() {
    const fn shared<T: Send + Sync + 'static>() {}
    shared::<Policy>();
}

/// R13, R1, R2: the tools that Placet brings have their usual tiers; everything else is asked about.
#[test]
fn the_builtin_policy_has_the_default_tiers() {
    let policy = Policy::builtin().unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(policy.warnings(), []);
    for tool in ["get_time", "add", "get_weather", "read_file"] {
        assert_eq!(judge(&policy, None, tool).tier, Tier::Auto, "{tool}");
        assert_eq!(
            judge(&policy, Some("elsewhere"), tool).tier,
            Tier::Approve,
            "another server's {tool} is another tool"
        );
    }
    assert_eq!(judge(&policy, None, "write_note").tier, Tier::Suggest);
    for tool in ["delete_file", "run_shell", "http_request", "never_heard_of"] {
        let verdict = judge(&policy, None, tool);
        assert_eq!(verdict.tier, Tier::Approve, "{tool}");
        let terms = verdict.terms.unwrap();
        assert_eq!(
            terms.stages,
            [Stage { groups: vec![Group { role: crate::id::Role::new("admin").unwrap(), count: 1 }] }]
        );
        assert!(terms.requester_may_approve, "R50: the solo profile");
    }
    assert!(matches!(policy.people().resolve(&"terminal/owner".parse().unwrap()), Standing::Member(_)));
    assert!(policy.is_solo());
}

/// R14, R16: what a verdict holds.
#[test]
fn a_verdict_names_its_rule_its_policy_and_its_terms() {
    let text = format!(
        "{GOOD}\n[tools.delete_file]\ntitle = \"Delete {{path}}\"\neffect = \"Cannot be undone.\"\nleading_args = [\"path\"]\n"
    );
    let policy = parse(&text);
    let verdict = judge(&policy, None, "delete_file");
    assert_eq!(
        verdict.policy,
        PolicyVersion { label: "2026-11".to_owned(), digest: PolicyDigest::of(text.as_bytes()) }
    );
    assert_eq!(policy.text(), text);
    assert_snapshot!(
        "verdict",
        serde_json::to_string_pretty(&Verdict {
            policy: PolicyVersion { digest: PolicyDigest::from_bytes([0; 32]), ..verdict.policy.clone() },
            ..verdict
        })
        .unwrap()
    );
    assert_eq!(judge(&policy, None, "read_file").terms, None, "terms stand only where people are asked");
    let unknown = judge(&policy, Some("crm"), "merge_accounts");
    assert_eq!((unknown.tier, unknown.level), (Tier::Approve, Level::High), "R14: nothing matches");
    assert_eq!(
        (unknown.rules[0].rule.as_str(), unknown.because()),
        ("default", "No rule of the policy knows this tool.")
    );
}

/// R14: the first rule that matches counts; R1: but nothing overrides one that forbids.
#[test]
fn first_match_wins_and_forbid_wins_over_all() {
    let text = GOOD.replacen(
        "[[people]]",
        "[[forbid]]\nname = \"never\"\ntools = [\"*_prod\"]\nbecause = \"Not from here.\"\n\n[[rule]]\nname = \"late\"\ntools = [\"*_file\"]\nlevel = \"medium\"\nservers = [\"files\", \"git*\"]\n\n[[people]]",
        1,
    );
    let policy = parse(&text);
    assert_eq!(judge(&policy, Some("files"), "delete_file").rules[0].rule, "deletes");
    assert_eq!(judge(&policy, Some("github"), "touch_file").rules[0].rule, "late");
    assert_eq!(
        judge(&policy, None, "touch_file").rules[0].rule,
        "default",
        "a rule for servers is for servers"
    );
    let verdict = judge(&policy, None, "read_prod");
    assert_eq!((verdict.tier, verdict.terms), (Tier::Forbid, None), "an earlier rule grades it low");
    assert_eq!(policy.forbids(&proposal(None, "read_prod"), &noon()).unwrap().because, "Not from here.");
    assert_eq!(policy.forbids(&proposal(None, "delete_file"), &noon()), None);
    assert_eq!(judge(&policy, None, "Delete_file").rules[0].rule, "default", "names are compared exactly");
}

/// R1: a level can forbid as well.
#[test]
fn a_level_of_tier_forbid_forbids() {
    let text = GOOD.replacen("tier = \"approve\"\nstages = [[{ role = \"admin\", count = 2 }]]\nreason_required = { yes = true, no = true }", "tier = \"forbid\"", 1);
    let policy = parse(&text);
    assert_eq!(judge(&policy, None, "delete_file").tier, Tier::Forbid);
    assert_eq!(
        policy.forbids(&proposal(None, "delete_file"), &noon()),
        None,
        "that is the list of [[forbid]] alone"
    );
}

/// R17: an empty list means nobody, and who may do what is read from the policy alone.
#[test]
fn people_are_who_the_policy_names() {
    let policy = parse(GOOD);
    for identity in ["slack:T024BE7LD/U2CHEN000", "credential/ops-console", "terminal/chen"] {
        assert!(
            matches!(policy.people().resolve(&identity.parse().unwrap()), Standing::Member(m) if m.name == "Chen")
        );
    }
    assert_eq!(policy.names_with_any(policy.stewards(), noon().at), ["Bo", "Chen"]);
    assert_eq!(policy.names_with_any(&[], noon().at), Vec::<String>::new());
    assert!(parse(&GOOD.replace("stewards = [\"admin\"]", "stewards = []")).stewards().is_empty());
}

/// R50: in the solo profile who asks may approve, everywhere.
#[test]
fn solo_lets_who_asks_approve() {
    let text = format!("profile = \"solo\"\n{GOOD}");
    let verdict = judge(&parse(&text), None, "delete_file");
    assert!(verdict.terms.unwrap().requester_may_approve);
    assert!(!judge(&parse(GOOD), None, "delete_file").terms.unwrap().requester_may_approve);
    assert_snapshot!(
        "solo_contradicted",
        said(&text.replacen("tier = \"approve\"", "tier = \"approve\"\nrequester_may_approve = false", 1))
    );
}

/// R16: everything that a level can set, in both ways of writing it.
#[test]
fn a_level_sets_all_its_terms() {
    let text = format!(
        "places = [{{ surface = \"slack\", channel = \"C1\" }}]\n{GOOD}\n[levels.high]\nrole = \"admin\"\ncount = 2\ndecide_within = \"2h\"\nvalid_for = \"5m\"\nalarm_after = \"20m\"\nrequester_may_approve = true\nreason_required = {{ no = true }}\ndenials_to_reject = 2\npartial_view_may_approve = true\nplaces = [{{ surface = \"slack\", channel = \"C2\" }}]\n"
    );
    let policy = parse(&text);
    assert_snapshot!(
        "all_terms",
        serde_json::to_string_pretty(&judge(&policy, None, "unknown").terms).unwrap()
    );
    let places = judge(&policy, None, "delete_file").terms.unwrap().places;
    assert_eq!(places[0].channel, "C1", "the top of the file holds for every level that says nothing else");
}

/// R14: the example is a policy, and says nothing that must be warned of.
#[test]
fn the_example_is_taken() {
    let policy = parse(include_str!("../../config/policy.example.toml"));
    assert_eq!(policy.warnings(), []);
}

/// R14: each mistake is reported with file, line and column, and what to do.
#[test]
fn mistakes_are_shown_where_they_are() {
    assert_snapshot!("good", said(GOOD));
    assert_snapshot!("not_toml", said("version = \nlevel = [1, 2\n"));
    assert_snapshot!("duplicate_key", with("version = \"2026-11\"", "version = \"1\"\nversion = \"2\""));
    assert_snapshot!("no_version", with("version = \"2026-11\"", ""));
    assert_snapshot!("unknown_key", with("because =", "becuase ="));
    assert_snapshot!("unknown_key_far", with("[[people]]", "[weather]\nwind = \"west\"\n\n[[people]]"));
    assert_snapshot!("wrong_type", with("[\"read_*\"]", "\"read_*\""));
    assert_snapshot!("wrong_word", with("level = \"low\"", "level = \"hihg\""));
    assert_snapshot!("unknown_role", with("role = \"admin\"", "role = \"admins\""));
    assert_snapshot!("unknown_default_role", and("[default]\nrole = \"amdin\""));
    assert_snapshot!(
        "declared_role_nobody_has",
        with("stewards = [\"admin\"]", "stewards = [\"admin\"]\nnames = [\"releaser\"]")
    );
    assert_snapshot!("no_stewards", with("[roles]\nstewards = [\"admin\"]\n", ""));
    assert_snapshot!("stage_never_filled", with("count = 2", "count = 3"));
    assert_snapshot!(
        "stages_never_filled_together",
        with(
            "[[{ role = \"admin\", count = 2 }]]",
            "[[{ role = \"admin\", count = 2 }], [{ role = \"admin\" }]]"
        )
    );
    assert_snapshot!("default_never_filled", said("version = \"1\"\n"));
    assert_snapshot!("bad_glob", with("[\"read_*\"]", "[\"read_[\", \"{a\"]"));
    assert_snapshot!("empty_tools", with("[\"read_*\"]", "[]"));
    assert_snapshot!("duplicate_rule", with("name = \"deletes\"", "name = \"reads\""));
    assert_snapshot!("duplicate_person", with("id = \"chen\"", "id = \"bo\""));
    assert_snapshot!("account_of_two", with("U2CHEN000", "U2CERLKJA"));
    assert_snapshot!("slack_name", with("T024BE7LD/U2CHEN000", "T024BE7LD/@chen"));
    assert_snapshot!("stages_empty", with("[[{ role = \"admin\", count = 2 }]]", "[]"));
    assert_snapshot!("stage_empty", with("[[{ role = \"admin\", count = 2 }]]", "[[]]"));
    assert_snapshot!("count_zero", with("count = 2", "count = 0"));
    assert_snapshot!("count_huge", with("count = 2", "count = 65"));
    assert_snapshot!(
        "silence_above_low",
        with("tier = \"approve\"", "tier = \"approve\"\napprove_on_timeout = true")
    );
    assert_snapshot!(
        "silence_at_low",
        and(
            "[levels.low]\ntier = \"approve\"\napprove_on_timeout = true\n[levels.medium]\ntier = \"approve\""
        )
    );
    assert_snapshot!(
        "span",
        with(
            "tier = \"approve\"",
            "tier = \"approve\"\ndecide_within = \"half an hour\"\nvalid_for = \"0s\""
        )
    );
    assert_snapshot!(
        "alarm_after_the_end",
        with("tier = \"approve\"", "tier = \"approve\"\ndecide_within = \"10m\"\nalarm_after = \"10m\"")
    );
    assert_snapshot!("terms_without_approve", and("[levels.medium]\ntier = \"suggest\"\ncount = 2"));
    assert_snapshot!("tiers_fall", and("[levels.low]\ntier = \"approve\""));
    assert_snapshot!("rule_with_tier", with("level = \"low\"", "tier = \"auto\""));
    assert_snapshot!("rule_that_forbids", with("level = \"low\"", "tier = \"forbid\""));
    assert_snapshot!("rule_with_neither", with("level = \"low\"\n", ""));
    assert_snapshot!("rule_without_reason", with("because = \"Deleting cannot be undone.\"", ""));
    assert_snapshot!("default_unasked", and("[default]\nlevel = \"low\""));
    assert_snapshot!("title", and("[tools.x]\ntitle = \"Delete {path\""));
    assert_snapshot!("one_bracket", said("version = \"1\"\n[rule]\nname = \"reads\"\n"));
    assert_snapshot!("unknown_level", and("[levels.hihg]\ntier = \"approve\""));
    assert_snapshot!("place", and("[levels.high]\nplaces = [{ surface = \"slack\" }]"));
}

/// R14: a rule that can never match is an error; a pattern of it that cannot, a warning.
#[test]
fn rules_that_can_never_match_are_shown() {
    let rule = |body: &str| {
        with("[[people]]", &format!("[[rule]]\nname = \"late\"\n{body}\nbecause = \"So.\"\n\n[[people]]"))
    };
    let forbid = |body: &str| {
        with("[[people]]", &format!("[[forbid]]\nname = \"late\"\n{body}\nbecause = \"So.\"\n\n[[people]]"))
    };
    assert_snapshot!("unreachable_identical", rule("tools = [\"read_*\"]\nlevel = \"high\""));
    assert_snapshot!("unreachable_name", rule("tools = [\"delete_file\", \"read_file\"]\nlevel = \"high\""));
    assert_snapshot!(
        "unreachable_in_part",
        rule("tools = [\"delete_file\", \"touch_file\"]\nlevel = \"high\"")
    );
    assert_snapshot!(
        "unreachable_narrower",
        rule("tools = [\"read_user_*\", \"read_{a,b}\"]\nlevel = \"high\"")
    );
    assert_eq!(rule("tools = [\"{read,list}_*\", \"rea*\"]\nlevel = \"high\""), "\n\nthe policy is taken");
    assert_snapshot!("unreachable_star", with("[\"read_*\"]", "[\"*\"]"));
    let many = |rules: &str| with("[[people]]", &format!("{rules}\n[[people]]"));
    let one = |name: &str| {
        format!("[[rule]]\nname = \"{name}\"\ntools = [\"{name}_*\"]\nlevel = \"high\"\nbecause = \"So.\"\n")
    };
    let rest: String = ["a", "b", "c", "d", "e", "f", "g"].map(one).concat();
    let all = "[[rule]]\nname = \"all\"\ntools = [\"*\"]\nlevel = \"high\"\nbecause = \"So.\"\n";
    assert_snapshot!("unreachable_after_a_catch_all", many(&format!("{all}{rest}")));
    assert_snapshot!("unreachable_forbidden", forbid("tools = [\"*\"]"));
    assert_eq!(forbid("tools = [\"read_file\"]"), "\n\nthe policy is taken");
    let narrower = GOOD.replacen("tools = [\"read_*\"]", "tools = [\"*\"]\nservers = [\"files\"]", 1);
    assert_eq!(said(&narrower), "\n\nthe policy is taken", "other servers are left for the second rule");
    let twice = |first: &str, second: &str| {
        let one = |name: &str, tools: &str, when: &str| {
            format!(
                "[[rule]]\nname = \"{name}\"\ntools = [\"{tools}\"]\n{when}level = \"high\"\nbecause = \"So.\"\n"
            )
        };
        and(&format!("{}\n{}", one("early", "send_*", first), one("late", "send_mail", second)))
    };
    let (outside, within) = ("when = 'reach == \"outside\"'\n", "when = ' reach == \"team\"'\n");
    assert_snapshot!("unreachable_same_condition", twice(outside, "when = ' reach == \"outside\" '\n"));
    assert_eq!(twice(outside, within).trim(), "the policy is taken");
    assert_eq!(
        twice(outside, "").trim(),
        "the policy is taken",
        "what stays within comes to the second rule"
    );
}

/// R14: all mistakes are reported, in the order of the file.
#[test]
fn every_mistake_is_reported() {
    assert_snapshot!(
        "many",
        said(
            "version = 3\nprofil = \"solo\"\n\n[levels.high]\ntier = \"approve\"\ncount = \"two\"\ndecide_within = 30\n\n[[rule]]\nname = \"a\"\ntools = [\"[\"]\nlevel = \"hgih\"\n\n[[people]]\nname = \"Bö\"\n\tnick = \"b\"\n"
        )
    );
}

/// R14: of what cannot be read the cause is told, and nothing that only follows from it.
#[test]
fn a_typo_is_told_without_what_follows_from_it() {
    let typo = GOOD.replace("roles = [\"admin\"]\nslack", "rolle = [\"admin\"]\nslack");
    assert_ne!(typo, GOOD);
    let found = Policy::parse(&typo, "policy.toml").unwrap_err().diagnostics;
    let told: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
    assert!(told.iter().any(|told| told.contains("rolle")), "{told:?}");
    assert!(told.iter().all(|told| !told.contains("can never be approved")), "{told:?}");
    // Right, but for too few people: then that is the cause.
    let few = GOOD.replace(
        "roles = [\"admin\"]\nslack = [\"T024BE7LD/U2CERLKJA\"]",
        "roles = []\nslack = [\"T024BE7LD/U2CERLKJA\"]",
    );
    assert!(Policy::parse(&few, "policy.toml").unwrap_err().to_string().contains("can never be approved"));
}

/// R51, R45: whether a call is confidential, and who may read it, the policy says of every call that its rule or level says it
/// of: where it asks, forbids, lets it run, shows it afterwards, or only looks on.
#[test]
fn confidence_does_not_depend_on_the_tier() {
    let rule = "[[rule]]\nname = \"people\"\ntools = [\"read_people\"]\nlevel = \"low\"\nbecause = \"People.\"\nconfidential = true\n";
    let forbid = "[[forbid]]\nname = \"not now\"\ntools = [\"read_people\"]\nwhen = '!has(args.path)'\nbecause = \"Not now.\"\n\n";
    let admin = vec![crate::id::Role::new("admin").unwrap()];
    for (tier, more, expected) in [
        ("approve", "", Tier::Approve),
        ("auto", "", Tier::Auto),
        ("suggest", "", Tier::Suggest),
        ("approve", forbid, Tier::Forbid),
        ("approve", "[shadow]\ntools = [\"read_people\"]\n\n", Tier::Auto),
    ] {
        let text = GOOD.replacen("[[rule]]", &format!("{more}{rule}tier = \"{tier}\"\n\n[[rule]]"), 1);
        let policy = parse(&text);
        let verdict = judge(&policy, None, "read_people");
        assert_eq!(verdict.tier, expected);
        assert_eq!(verdict.confidential, Some(admin.clone()), "{tier} {more}");
        assert!(verdict.is_confidential());
        let kept: Verdict = serde_json::from_str(&serde_json::to_string(&verdict).unwrap()).unwrap();
        assert_eq!(kept, verdict);
        // A row of before that was kept.
        let old = Verdict { confidential: None, ..verdict };
        let says = old.terms.is_some() || old.shadow.is_some();
        assert_eq!(old.is_confidential(), says, "what the terms say holds");
    }
    assert_eq!(judge(&parse(GOOD), None, "read_file").confidential, None);
}
