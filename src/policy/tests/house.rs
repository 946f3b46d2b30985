//! What holds for the house as a whole: emergencies, fatigue, changes of the policy, shadow mode.

use insta::assert_snapshot;

use super::*;
use crate::time::Ttl;

/// R41: who may decide alone is said by name; nobody, unless it is said, and stewards are not.
#[test]
fn nobody_breaks_glass_unless_the_policy_says_so() {
    assert_eq!(parse(GOOD).glass_breakers(), []);
    let roles = "stewards = [\"admin\"]\nbreak_glass = [\"admin\"]";
    let policy = parse(&GOOD.replacen("stewards = [\"admin\"]", roles, 1));
    assert_eq!(policy.names_with_any(policy.glass_breakers(), noon().at), ["Bo", "Chen"]);
    assert_snapshot!(
        "break_glass_unknown_role",
        with("stewards = [\"admin\"]", "stewards = [\"admin\"]\nbreak_glass = [\"amdin\"]")
    );
}

/// R17, R33: who may query the audit is said by name; nobody, unless it is said, and who has no such role is no auditor.
#[test]
fn nobody_reads_the_audit_unless_the_policy_says_so() {
    assert_eq!(parse(GOOD).auditors(), []);
    let roles = "stewards = [\"admin\"]\nauditors = [\"admin\"]";
    let policy = parse(&GOOD.replacen("stewards = [\"admin\"]", roles, 1));
    assert_eq!(policy.names_with_any(policy.auditors(), noon().at), ["Bo", "Chen"]);
    assert_snapshot!(
        "auditors_unknown_role",
        with("stewards = [\"admin\"]", "stewards = [\"admin\"]\nauditors = [\"auditer\"]")
    );
}

/// Guards against fatigue are there without being asked for, and can be set.
#[test]
fn fatigue_has_its_defaults_and_can_be_set() {
    assert_eq!(*parse(GOOD).fatigue(), Fatigue::default());
    let text = "[fatigue]\ncards_per_run = 5\ncards_per_hour = 30\ndenied_again_within = \"1h\"\nshare_identical = false\n";
    let policy = parse(&format!("{GOOD}{text}"));
    assert_eq!(
        *policy.fatigue(),
        Fatigue {
            cards_per_run: 5,
            cards_per_hour: 30,
            denied_again_within: Ttl::from_mins(60),
            share_identical: false
        }
    );
    let never = parse(&format!("{GOOD}[fatigue]\ndenied_again_within = \"never\"\n"));
    assert_eq!(never.fatigue().denied_again_within, Ttl::ZERO);
    assert_snapshot!(
        "fatigue_wrong",
        and("[fatigue]\ncards_per_run = 0\ndenied_again_within = \"2d\"\ncards_per_day = 3")
    );
}

/// R54: a change of the policy can need the yes of others, who must exist.
#[test]
fn a_change_can_need_a_yes() {
    assert_eq!(parse(GOOD).change(), None);
    let policy = parse(&format!("{GOOD}[change]\nrole = \"admin\"\ncount = 2\n"));
    let terms = policy.change().unwrap();
    assert_eq!((terms.role.as_str(), terms.count), ("admin", 2));
    assert_eq!(parse(&format!("{GOOD}[change]\nrole = \"admin\"\n")).change().unwrap().count, 1);
    assert_snapshot!("change_never", and("[change]\nrole = \"admin\"\ncount = 3"));
    assert_snapshot!("change_without_role", and("[change]\ncount = 1"));
    assert_snapshot!("change_unknown_role", and("[change]\nrole = \"boss\""));
}

/// R45: looking on is for everything or for some tools, and whoever starts it is told.
#[test]
fn shadow_covers_what_it_says() {
    let file = |tool: &str| proposal(Some("files"), tool).call;
    let off = parse(GOOD);
    assert!(off.shadowing().is_off() && !off.shadowing().covers(&file("delete_file")));
    let all = parse(&format!("shadow = true\n{GOOD}"));
    assert!(all.shadowing().covers(&file("delete_file")));
    let some = parse(&format!("{GOOD}[shadow]\ntools = [\"delete_*\"]\nservers = [\"files\"]\n"));
    assert!(some.shadowing().covers(&file("delete_file")) && !some.shadowing().covers(&file("move_file")));
    assert!(
        !some.shadowing().covers(&proposal(None, "delete_file").call),
        "another server's tool is another"
    );
    assert!(parse(&format!("shadow = false\n{GOOD}")).shadowing().is_off());
    assert_snapshot!("shadow", said(&format!("shadow = true\n{GOOD}")));
    assert_snapshot!("shadow_some", and("[shadow]\ntools = [\"delete_*\"]"));
    assert_snapshot!("shadow_wrong", said(&format!("shadow = \"yes\"\n{GOOD}")));
    assert_snapshot!("shadow_without_tools", and("[shadow]\nservers = [\"files\"]"));
}
