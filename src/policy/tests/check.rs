//! What is found only by looking at the policy as a whole: whether there are people for what it asks.

use insta::assert_snapshot;

use super::*;

/// The good policy, with so many admins needed at the critical level.
fn needs(count: u32, more: &str) -> String {
    said(&format!("{}\n{more}", GOOD.replacen("count = 2", &format!("count = {count}"), 1)))
}

const TAKEN: &str = "the policy is taken";

/// R14, R17: groups and schedules have roles too, and nobody can tell from the policy how many people that is.
#[test]
fn a_group_may_have_people_enough() {
    let group = "[[groups]]\nslack = \"T024BE7LD/S0614TZR7\"\nroles = [\"admin\"]";
    assert_eq!(needs(3, group).trim(), TAKEN);
    let rota = "[[on_call]]\nname = \"primary\"\nrole = \"oncall\"\nrota = { people = [\"bo\", \"chen\"], first = \"2026-11-30\", at = \"09:00\", every_days = 7 }\n[levels.high]\nrole = \"oncall\"\n";
    assert_eq!(needs(2, rota).trim(), TAKEN, "R40: a schedule gives its role");
    assert_snapshot!("rota_too_short", needs(2, &format!("{rota}count = 3")));
}

/// R14: of several groups, those are named that cannot be filled, and what to do.
#[test]
fn only_the_group_that_cannot_be_filled_is_named() {
    let stages = "stages = [[{ role = \"admin\" }], [{ role = \"dev\", count = 3 }]]";
    let dev =
        "[[people]]\nid = \"dev\"\nname = \"Dev\"\nroles = [\"dev\"]\nslack = [\"T024BE7LD/U2DEV0001\"]\n";
    assert_snapshot!("one_of_two_groups", said(&format!("{GOOD}\n[levels.high]\n{stages}\n{dev}")));
}

/// R14: what is wrong in the calendar is said there alone, and not again where a rule looks at it.
#[test]
fn a_mistake_in_the_calendar_is_one_mistake() {
    let looks = "[[raise]]\nname = \"quiet\"\ntools = [\"*\"]\nwhen = \"time.night || time.freeze\"\nby = 1\nbecause = \"So.\"\n";
    let freeze = "[[calendar.freeze]]\nname = \"x\"\nfrom = 2026-12-20\nuntil = 2026-12-19\ntools = [\"*\"]\nbecause = \"So.\"\n";
    let wrong = said(&format!("{GOOD}\n{looks}[calendar]\nnight = \"22-6\"\n{freeze}"));
    assert_snapshot!("calendar_mistakes", wrong);
    assert!(!wrong.contains("is never true"), "{wrong}");
    assert!(said(&format!("{GOOD}\n{looks}")).contains("`time.night` is never true"));
}

/// R14: an account makes a person count; without one nobody can say yes.
#[test]
fn who_has_no_account_fills_no_place() {
    let without = GOOD.replacen("slack = [\"T024BE7LD/U2CERLKJA\"]\n", "", 1);
    assert_snapshot!("without_account", said(&without));
}

/// R14: whoever is asked later may fill a place too.
#[test]
fn an_escalation_can_bring_the_people() {
    let boss =
        "[[people]]\nid = \"eve\"\nname = \"Eve\"\nroles = [\"boss\"]\nslack = [\"T024BE7LD/U2EVE0001\"]\n";
    let text = GOOD.replacen(
        "count = 2 }]]",
        "count = 3 }]]\nescalation = [{ after = \"10m\", to = [\"boss\"] }]",
        1,
    );
    assert_eq!(said(&format!("{text}\n{boss}")).trim(), TAKEN);
}

/// R14, R18: who asks cannot approve, so where nobody else could, what they ask for never runs.
#[test]
fn an_only_approver_cannot_ask() {
    let one =
        GOOD.replacen("count = 2", "count = 1", 1).replacen("roles = [\"admin\"]", "roles = [\"dev\"]", 1);
    assert_snapshot!("only_approver", said(&one));
    let allowed = one.replacen("count = 1 }]]", "count = 1 }]]\nrequester_may_approve = true", 1);
    let allowed = format!("{allowed}\n[levels.high]\nrequester_may_approve = true\n");
    assert_eq!(said(&allowed).trim(), TAKEN);
    let solo = format!("profile = \"solo\"\n{one}");
    assert_eq!(said(&solo).trim(), TAKEN, "R50");
}

/// R18: a threshold of noes that nobody can reach.
#[test]
fn noes_can_be_enough() {
    let denials = |count: u32| with("count = 2 }]]", &format!("count = 2 }}]]\ndenials_to_reject = {count}"));
    assert_eq!(denials(2).trim(), TAKEN);
    let rule = "[[rule]]\nname = \"late\"\ntools = [\"late\"]\nlevel = \"high\"\nbecause = \"So.\"\n";
    assert_snapshot!("rule_never_filled", and(&format!("{rule}count = 3")));
    assert_snapshot!("rule_unknown_role", and(&format!("{rule}role = \"amdin\"")));
    assert_snapshot!("noes_never_enough", denials(3));
}
