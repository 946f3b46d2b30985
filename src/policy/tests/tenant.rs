//! A tenant's file on top of the installation's.

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use super::super::levels::LevelPolicy;
use super::strict::laxer_apart_from_order;
use super::*;
use crate::id::TenantId;
use crate::time::Timestamp;

const HOUSE: &str = r#"version = "house"

[levels.critical]
tier = "approve"
stages = [[{ role = "admin", count = 2 }]]
fixed = true

[calendar]
zone = "Europe/Berlin"
night = "22:00-06:00"

[tools.pay]
amount = "args.amount"

[tools.wipe]
title = "Wipe {disk}"
fixed = true

[[forbid]]
name = "never drop"
tools = ["drop_*"]
because = "Tables are dropped by migrations only."

[[rule]]
name = "payments"
tools = ["pay"]
level = "high"
fixed = true
because = "Money."

[[rule]]
name = "reads"
tools = ["read_*"]
level = "low"

[[raise]]
name = "large"
tools = ["pay"]
when = "amount > 1000"
to = "critical"
because = "A large sum."

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

[roles]
stewards = ["admin"]
break_glass = ["admin"]

[fatigue]
cards_per_run = 10

[change]
role = "admin"
count = 2

[default]
level = "high"
fixed = true
"#;

fn acme() -> TenantId {
    TenantId::new("acme").unwrap()
}

fn file(text: &str, name: &str) -> PolicyFile {
    PolicyFile { text: text.to_owned(), name: name.to_owned() }
}

fn merged(house: &str, own: &str) -> Result<Policy, PolicyErrors> {
    Policy::parse_tenant(&file(house, "house.toml"), &acme(), &file(own, "acme.toml"))
}

fn acme_with(own: &str) -> Policy {
    merged(HOUSE, &format!("version = \"acme-1\"\n{own}")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// What is said of a tenant's file.
fn said_of(own: &str) -> String {
    match merged(HOUSE, &format!("version = \"acme-1\"\n{own}")) {
        Ok(policy) => {
            let warnings: Vec<_> = policy.warnings().iter().map(ToString::to_string).collect();
            format!("{}\n\nthe policy is taken", warnings.join("\n\n"))
        }
        Err(errors) => errors.to_string(),
    }
}

fn verdict(policy: &Policy, tool: &str, args: serde_json::Value) -> Verdict {
    let mut proposal = proposal(None, tool);
    proposal.call.args = CanonicalArgs::from_value(&args).unwrap();
    policy.judge(&proposal, &noon())
}

/// R19: a tenant's rules, people and tools are added; what it does not say is as the installation has it.
#[test]
fn a_tenant_adds_to_the_installation() {
    let policy = acme_with(
        r#"
[[rule]]
name = "reads of customers"
tools = ["read_customer"]
level = "high"
because = "Customers are private."

[[forbid]]
name = "no mail"
tools = ["send_mail"]
because = "Not here."

[[people]]
id = "eve"
name = "Eve"
roles = ["lead"]
slack = ["T0ACME001/U2EVE0001"]

[levels.high]
role = "lead"

[tools.read_customer]
title = "Read {id}"
"#,
    );
    let customer = verdict(&policy, "read_customer", json!({}));
    assert_eq!((customer.tier, customer.level), (Tier::Approve, Level::High));
    assert_eq!(customer.terms.unwrap().stages[0].groups[0].role.as_str(), "lead");
    assert_eq!(customer.title.as_deref(), Some("Read {id}"));
    assert_eq!(verdict(&policy, "read_file", json!({})).tier, Tier::Auto);
    for forbidden in ["drop_table", "send_mail"] {
        assert_eq!(verdict(&policy, forbidden, json!({})).tier, Tier::Forbid, "{forbidden}");
    }
    assert_eq!(policy.people().all().len(), 3);
    assert_eq!(policy.names_with_any(policy.stewards(), noon().at), ["Bo", "Chen"]);
    assert_eq!(policy.fatigue().cards_per_run, 10);
    assert_eq!(policy.change().unwrap().count, 2);
}

/// R19: what is fixed is a floor, with what it costs by the installation's own file.
#[test]
fn what_is_fixed_is_a_floor() {
    let policy = acme_with(
        r#"
[[rule]]
name = "small change"
tools = ["*"]
level = "low"

[levels.high]
requester_may_approve = true
count = 1

[tools.pay]
amount = "0"

[calendar]
night = "03:00-03:01"
"#,
    );
    let small = verdict(&policy, "pay", json!({"amount": 5}));
    assert_eq!(
        (small.tier, small.level),
        (Tier::Approve, Level::High),
        "the first of both files' rules is not enough"
    );
    assert!(!small.terms.unwrap().requester_may_approve, "nor does the tenant's level loosen it");
    let large = verdict(&policy, "pay", json!({"amount": 5000}));
    assert_eq!(large.level, Level::Critical, "the installation computes the amount for its own rules");
    assert_eq!(
        verdict(&policy, "merge", json!({})).tier,
        Tier::Auto,
        "what no fixed rule is about, the tenant grades"
    );
    assert_eq!(verdict(&policy, "drop_table", json!({})).tier, Tier::Forbid);
}

/// R45, R19: a tenant looks on at what is its own to grade, and at nothing that is fixed.
#[test]
fn a_tenant_looks_on_at_its_own_only() {
    let policy = acme_with(
        "shadow = true\n[[rule]]\nname = \"merges\"\ntools = [\"merge\"]\nlevel = \"high\"\nbecause = \"So.\"\n",
    );
    assert_eq!(verdict(&policy, "merge", json!({})).tier, Tier::Auto);
    assert_eq!(verdict(&policy, "pay", json!({"amount": 5})).tier, Tier::Approve);
}

/// R45, R19: a default that the installation has fixed is a floor as its fixed rules are: a tenant neither looks on where
/// it decides, nor lets its level cost less there, also where a rule of the tenant's cannot tell.
#[test]
fn a_fixed_default_is_a_floor() {
    let shadows = acme_with("shadow = true\n");
    assert_eq!(verdict(&shadows, "anything", json!({})).tier, Tier::Approve, "nobody knows this tool");
    let lax = "[levels.high]\ntier = \"suggest\"\n[[rule]]\nname = \"unsure\"\ntools = [\"guess\"]\nwhen = \"args.n > 3\"\n\
               level = \"high\"\nbecause = \"So.\"\n";
    let lax = acme_with(lax);
    for tool in ["anything", "guess"] {
        let verdict = verdict(&lax, tool, json!({}));
        assert_eq!((verdict.tier, verdict.level), (Tier::Approve, Level::High), "{tool}");
        assert_eq!(verdict.terms.unwrap().stages[0].groups[0].role.as_str(), "admin");
    }
    let open = HOUSE.trim_end().strip_suffix("fixed = true").unwrap();
    let own = merged(open, "version = \"acme-1\"\nshadow = true\n").unwrap();
    assert_eq!(verdict(&own, "anything", json!({})).tier, Tier::Auto, "what is not fixed, it looks on at");
}

/// R19, R20: one version of both, and both files again out of its text.
#[test]
fn a_merged_policy_keeps_both_texts() {
    let own = "version = \"acme-1\"\n";
    let policy = acme_with("");
    assert_eq!(policy.version().label, "house + acme-1");
    assert_eq!(policy.version().digest, PolicyDigest::of(policy.text().as_bytes()));
    assert_ne!(policy.version().digest, acme_with("\n").version().digest);
    let (tenant, house_text, own_text) = Policy::texts_of(policy.text()).unwrap();
    assert_eq!((tenant, house_text, own_text), (acme(), HOUSE, own));
    assert_eq!(Policy::texts_of(HOUSE), None);
    let again = Policy::parse_recorded(policy.text(), "record").unwrap();
    assert_eq!(again.version(), policy.version());
    let call = json!({"amount": 5000});
    assert_eq!(verdict(&again, "pay", call.clone()), verdict(&policy, "pay", call));
    assert!(Policy::parse(policy.text(), "policy.toml").is_err(), "it is no file of its own");
    let cut = &policy.text()[..policy.text().len() - 1];
    assert_eq!(Policy::texts_of(cut), None);
}

/// R19: what a tenant may not say is shown at the tenant's own key.
#[test]
fn what_loosens_is_shown_at_the_tenants_key() {
    assert_snapshot!(
        "fixed_level",
        said_of(
            "[levels.critical]\ncount = 1\ndecide_within = \"2h\"\nrequester_may_approve = true\nremember = \"1h\""
        )
    );
    assert_snapshot!("fixed_level_tier", said_of("[levels.critical]\ntier = \"auto\""));
    assert_snapshot!("fixed_level_unfixed", said_of("[levels.critical]\nfixed = false"));
    assert_snapshot!(
        "fixed_level_escalation",
        said_of("[levels.critical]\nescalation = [{ after = \"5m\", to = [\"admin\"] }]")
    );
    assert_snapshot!(
        "fixed_default",
        said_of("[default]\nlevel = \"low\"\nrole = \"lead\"\n[roles]\nnames = [\"lead\"]")
    );
    assert_snapshot!("fixed_tool", said_of("[tools.wipe]\ntitle = \"Tidy up\""));
    assert_snapshot!("tenant_alone", said_of("profile = \"solo\""));
    assert_snapshot!(
        "tenant_asks_more_often",
        said_of("[fatigue]\ncards_per_run = 11\ndenied_again_within = \"1m\"\nshare_identical = false")
    );
    assert_snapshot!("tenant_change", said_of("[change]\nrole = \"admin\""));
    assert_snapshot!(
        "tenant_change_others",
        said_of("[change]\nrole = \"lead\"\n[roles]\nnames = [\"lead\"]")
    );
    assert_snapshot!("tenant_glass", said_of("[roles]\nbreak_glass = [\"lead\"]\nnames = [\"lead\"]"));
    assert_snapshot!(
        "tenant_rule_name",
        said_of("[[rule]]\nname = \"payments\"\ntools = [\"x\"]\nlevel = \"low\"")
    );
    assert_snapshot!(
        "tenant_rule_forbidden",
        said_of("[[rule]]\nname = \"drops\"\ntools = [\"drop_*\"]\nlevel = \"low\"")
    );
    assert_snapshot!("tenant_person", said_of("[[people]]\nid = \"bo\"\nname = \"Bob\""));
    assert_snapshot!(
        "tenant_account",
        said_of("[[people]]\nid = \"bob\"\nname = \"Bob\"\nslack = [\"T024BE7LD/U2CERLKJA\"]")
    );
    assert_snapshot!(
        "tenant_stricter",
        said_of(
            "[levels.critical]\ncount = 2\ndecide_within = \"10m\"\n[fatigue]\ncards_per_run = 5\n[roles]\nbreak_glass = []"
        )
    );
}

/// R19: the example of a tenant is taken on top of the example of an installation.
#[test]
fn the_example_of_a_tenant_is_taken() {
    let house = include_str!("../../../config/policy.example.toml");
    let own = include_str!("../../../config/tenant.example.toml");
    let policy = merged(house, own).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(policy.warnings(), []);
    let record = verdict(&policy, "get_customer", json!({}));
    assert_eq!((record.tier, record.rules[0].rule.as_str()), (Tier::Approve, "customers' records"));
    assert_eq!(record.terms.unwrap().places[0].channel, "C0ACME0001");
}

/// R14, R19: the files of all tenants are read, and what is wrong in any is said of each.
#[test]
fn all_tenants_are_looked_at() {
    let house = file(HOUSE, "house.toml");
    let files = [
        (acme(), file("version = \"1\"\nprofile = \"solo\"", "acme.toml")),
        (TenantId::new("zeta").unwrap(), file("version = \"1\"\nprofil = \"team\"", "zeta.toml")),
        (TenantId::new("good").unwrap(), file("version = \"1\"", "good.toml")),
    ];
    let errors = PolicySet::parse(&house, &files).unwrap_err();
    let files_named: Vec<_> = errors.diagnostics.iter().map(|found| found.file.as_str()).collect();
    assert_eq!(files_named, ["acme.toml", "zeta.toml"]);
    let set = PolicySet::parse(&house, &files[2..]).unwrap();
    assert_eq!(set.of(&TenantId::new("good").unwrap()).version().label, "house + 1");
    assert_eq!(set.of(&acme()).version().label, "house");
}

/// One rule or raise of a random file.
#[derive(Debug, Clone)]
struct Part {
    tool: &'static str,
    level: &'static str,
    when: Option<&'static str>,
    fixed: bool,
    own: &'static str,
}

fn part() -> impl Strategy<Value = Part> {
    let level = prop::sample::select(vec!["low", "medium", "high", "critical"]);
    let when = prop::sample::select(vec![None, Some("amount > 10"), Some("time.night"), Some("args.n > 3")]);
    let own = prop::sample::select(vec![
        "",
        "",
        "tier = \"approve\"\ncount = 2",
        "tier = \"approve\"\nrole = \"team\"\nrequester_may_approve = true",
        "tier = \"approve\"\nstages = [[{ role = \"team\" }], [{ role = \"admin\" }]]\nremember = \"1h\"",
        "tier = \"auto\"",
    ]);
    (prop::sample::select(vec!["a", "b", "*"]), level, when, any::<bool>(), own)
        .prop_map(|(tool, level, when, fixed, own)| Part { tool, level, when, fixed, own })
}

fn rules(parts: &[Part], prefix: &str, fixed_only: bool) -> String {
    let each = parts.iter().enumerate().filter(|(_, part)| part.fixed || !fixed_only);
    each.map(|(index, part)| {
        let when = part.when.map_or_else(String::new, |when| format!("when = {when:?}\n"));
        let Part { tool, level, fixed, own, .. } = part;
        format!("[[rule]]\nname = \"{prefix}{index}\"\ntools = [\"{tool}\"]\nlevel = \"{level}\"\nbecause = \"So.\"\nfixed = {fixed}\n{when}{own}\n")
    })
    .collect()
}

fn raises(parts: &[Part], prefix: &str) -> String {
    let each = parts.iter().enumerate().filter(|(_, part)| part.level != "low");
    each.map(|(index, Part { tool, level, when, .. })| {
        let when = when.map_or_else(String::new, |when| format!("when = {when:?}\n"));
        format!("[[raise]]\nname = \"{prefix}{index}\"\ntools = [\"{tool}\"]\nto = \"{level}\"\nbecause = \"So.\"\n{when}")
    })
    .collect()
}

fn levels(prefix: &str) -> impl Strategy<Value = String> + use<> {
    let prefix = prefix.to_owned();
    let high = prop::sample::select(vec![
        "",
        "[levels.high]\nfixed = true\n",
        "[levels.high]\ncount = 2\nfixed = true\n",
        "[levels.high]\nrequester_may_approve = true\n",
        "[levels.high]\nrole = \"team\"\ndecide_within = \"10m\"\nremember = \"2h\"\n",
    ]);
    let critical = prop::sample::select(vec![
        "",
        "[levels.critical]\nstages = [[{ role = \"admin\", count = 2 }]]\nfixed = true\n",
        "[levels.critical]\nrole = \"team\"\nremember = \"1h\"\n",
    ]);
    let low = prop::sample::select(vec!["", "[levels.low]\ntier = \"suggest\"\n"]);
    (low, high, critical).prop_map(move |(low, high, critical)| format!("{prefix}{low}{high}{critical}"))
}

const PEOPLE: &str = r#"
[[people]]
id = "bo"
name = "Bo"
roles = ["admin", "team"]
slack = ["T024BE7LD/U2CERLKJA"]
[[people]]
id = "chen"
name = "Chen"
roles = ["admin", "team"]
slack = ["T024BE7LD/U2CHEN000"]
[[people]]
id = "dana"
name = "Dana"
roles = ["admin", "team"]
slack = ["T024BE7LD/U2DANA000"]
[roles]
stewards = ["admin"]
[calendar]
night = "22:00-06:00"
[tools."*"]
amount = "args.n"
"#;

/// R19, R44: who looks after the installation does so in every tenant. A tenant shuts none of them out, and lets in nobody
/// else; only where the installation names nobody does a tenant say who.
#[test]
fn the_installations_stewards_are_stewards_everywhere() {
    assert_snapshot!(
        "other_stewards",
        said_of(
            "[[people]]\nid = \"dana\"\nname = \"Dana\"\nroles = [\"operator\"]\nslack = [\"T024BE7LD/U2DANA000\"]\n[roles]\nstewards = [\"operator\"]\n"
        )
    );
    assert_snapshot!("no_stewards_of_its_own", said_of("[roles]\nstewards = []\n"));
    for own in ["", "[roles]\nstewards = []\n", "[roles]\nstewards = [\"admin\"]\n"] {
        assert_eq!(acme_with(own).stewards(), [crate::id::Role::new("admin").unwrap()], "{own}");
    }
    let house = HOUSE.replace("stewards = [\"admin\"]\n", "");
    let own = "version = \"t\"\n[roles]\nstewards = [\"admin\"]\n";
    assert_eq!(merged(&house, own).unwrap().stewards(), [crate::id::Role::new("admin").unwrap()]);
}

/// R17, R19: the installation's auditors are auditors in every tenant, whatever a tenant's file says; a tenant names others
/// beside them, who are none elsewhere.
#[test]
fn the_installations_auditors_stay_and_a_tenants_own_come_beside_them() {
    let house = HOUSE.replace("stewards = [\"admin\"]\n", "stewards = [\"admin\"]\nauditors = [\"admin\"]\n");
    let role = |name: &str| crate::id::Role::new(name).unwrap();
    for own in ["", "[roles]\nauditors = []\n"] {
        let own = format!("version = \"t\"\n{own}");
        assert_eq!(merged(&house, &own).unwrap().auditors(), [role("admin")], "{own}");
    }
    let own = "version = \"t\"\n[roles]\nauditors = [\"team\"]\n[[people]]\nid = \"fay\"\nname = \"Fay\"\n\
               roles = [\"team\"]\nslack = [\"T024BE7LD/U2FAY0000\"]\n";
    assert_eq!(merged(&house, own).unwrap().auditors(), [role("team"), role("admin")]);
}

/// What a verdict costs, for comparing.
fn costs(verdict: &Verdict) -> LevelPolicy {
    LevelPolicy {
        tier: verdict.tier,
        terms: verdict.terms.clone().unwrap_or_else(|| Terms::one_of(crate::id::Role::new("admin").unwrap())),
        remember: verdict.remember.as_ref().map(|offer| offer.within),
        fixed: false,
    }
}

/// R19: a tenant that lifts a call further than the installation does not get rid of those whom the installation asks: what
/// a fixed rule costs where the installation's own raises lift it to holds beside what the tenant's level costs.
#[test]
fn lifting_further_keeps_what_a_fixed_rule_costs() {
    let house = format!(
        "version = \"h\"\n[levels.high]\nrole = \"team\"\ndecide_within = \"10m\"\n{PEOPLE}[[rule]]\nname = \"fixed\"\ntools = [\"b\"]\nlevel = \"low\"\nfixed = true\n[[raise]]\nname = \"up\"\ntools = [\"b\"]\nto = \"high\"\nbecause = \"So.\"\n"
    );
    let own = "version = \"t\"\n[[raise]]\nname = \"further\"\ntools = [\"b\"]\nto = \"critical\"\nbecause = \"So.\"\n";
    let terms = |policy: &Policy| judge(policy, None, "b").terms.unwrap();
    let (alone, with) = (terms(&parse(&house)), terms(&merged(&house, own).unwrap()));
    let asked = |terms: &Terms| -> Vec<String> {
        let groups = terms.stages.iter().flat_map(|stage| &stage.groups);
        groups.map(|group| format!("{} {}", group.count, group.role)).collect()
    };
    assert_eq!(asked(&alone), ["1 team"]);
    assert_eq!(asked(&with), ["1 admin", "1 team"]);
    assert_eq!(with.decide_within, alone.decide_within);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    /// R19: whatever a tenant's file says, no verdict is laxer than what the installation has fixed gives by itself:
    /// its forbids, its fixed rules with all raises, and its fixed levels.
    #[test]
    fn no_tenant_is_laxer_than_what_is_fixed(
        (house_levels, own_levels) in (levels(""), levels("")),
        house_rules in prop::collection::vec(part(), 0..4),
        house_raises in prop::collection::vec(part(), 0..2),
        own_rules in prop::collection::vec(part(), 0..4),
        own_raises in prop::collection::vec(part(), 0..2),
        own_more in prop::sample::select(vec!["", "shadow = true\n", "[tools.a]\namount = \"0\"\n", "[calendar]\nnight = \"12:00-12:01\"\n", "[default]\nlevel = \"low\"\n"]),
        (forbidden, n, hour) in (any::<bool>(), 0..20_i64, 0..24_i64),
    ) {
        let forbid = if forbidden { "[[forbid]]\nname = \"never\"\ntools = [\"b\"]\nwhen = \"args.n > 5\"\nbecause = \"No.\"\n" } else { "" };
        let rest = format!("{house_levels}{PEOPLE}{forbid}{}", raises(&house_raises, "hr"));
        let house = format!("version = \"h\"\n{rest}{}", rules(&house_rules, "h", false));
        let own = format!("version = \"t\"\n{own_more}{own_levels}{}{}", rules(&own_rules, "t", false), raises(&own_raises, "tr"));
        let own = if own_more.starts_with('[') { format!("version = \"t\"\n{own_levels}{}{}{own_more}", rules(&own_rules, "t", false), raises(&own_raises, "tr")) } else { own };
        let fixed = format!("version = \"f\"\n{rest}{}[default]\nlevel = \"low\"\n", rules(&house_rules, "h", true));
        let (Ok(house_policy), Ok(policy), Ok(fixed)) = (Policy::parse(&house, "house"), merged(&house, &own), Policy::parse(&fixed, "fixed")) else {
            // What contradicts itself, or loosens what is fixed, is not taken: then it gives no verdict.
            return Ok(());
        };
        for tool in ["a", "b", "c"] {
            let mut proposal = proposal(None, tool);
            proposal.call.args = CanonicalArgs::from_value(&json!({"n": n})).unwrap();
            proposal.session = Some(crate::id::SessionId::new("s").unwrap());
            let at = Circumstances::at(Timestamp::from_secs(1_796_040_000 + hour * 3600));
            let (got, least) = (policy.judge(&proposal, &at), fixed.judge(&proposal, &at));
            if least.tier == Tier::Forbid {
                prop_assert_eq!(got.tier, Tier::Forbid);
            }
            if least.rules.iter().any(|hit| hit.kind == RuleKind::Rule) {
                prop_assert!(got.level >= least.level, "{:?} < {:?}", got.rules, least.rules);
                prop_assert_eq!(laxer_apart_from_order(&costs(&got), &costs(&least)), Vec::<&str>::new(), "{}\n---\n{}", house, own);
            }
            let [.., high, critical] = &house_policy.levels;
            for (level, costly) in [(Level::High, high), (Level::Critical, critical)] {
                let graded = got.level == level && got.rules.iter().any(|hit| hit.kind != RuleKind::Forbid);
                let by_own_settings = got.rules.iter().any(|hit| hit.kind == RuleKind::Rule && has_own(&house_rules, &own_rules, &hit.rule));
                if costly.fixed && graded && !by_own_settings {
                    prop_assert_eq!(laxer_apart_from_order(&costs(&got), costly), Vec::<&str>::new(), "{}\n---\n{}", house, own);
                }
            }
        }
    }
}

/// R19: a tenant's raise adds to what one of the installation's fixed rules takes, with the installation's own raises, and
/// never makes it less: not by a level that asks others, nor by one that may be remembered.
#[test]
fn a_tenants_raise_adds_to_what_is_fixed() {
    let rule = "[[rule]]\nname = \"h\"\ntools = [\"a\"]\nlevel = \"low\"\nbecause = \"So.\"\nfixed = true\ntier = \"approve\"\n";
    let raise = |name: &str, to: &str| {
        format!("[[raise]]\nname = \"{name}\"\ntools = [\"a\"]\nto = \"{to}\"\nbecause = \"So.\"\n")
    };
    let critical = "[levels.critical]\nrole = \"team\"\nremember = \"1h\"\n";
    let house = |own: &str, raises: &str| format!("version = \"h\"\n{critical}{PEOPLE}{rule}{own}\n{raises}");
    let own = format!("version = \"t\"\n{}", raise("tr", "critical"));
    for (settings, raises) in [("count = 2", String::new()), ("role = \"team\"", raise("hr", "high"))] {
        let house = house(settings, &raises);
        let judged = |policy: &Policy| {
            let mut proposal = proposal(None, "a");
            proposal.call.args = CanonicalArgs::from_value(&json!({"n": 1})).unwrap();
            proposal.session = Some(crate::id::SessionId::new("s").unwrap());
            policy.judge(&proposal, &Circumstances::at(Timestamp::from_secs(0)))
        };
        let least = judged(&Policy::parse(&house, "house.toml").unwrap_or_else(|errors| panic!("{errors}")));
        let got = judged(&merged(&house, &own).unwrap_or_else(|errors| panic!("{errors}")));
        assert_eq!(got.level, Level::Critical);
        assert_eq!(costs(&got).laxer_than(&costs(&least)), Vec::<&str>::new(), "{settings}: {got:?}");
    }
}

/// Whether a rule of these files has settings of its own: then its level's table is not what it costs.
fn has_own(house: &[Part], own: &[Part], rule: &str) -> bool {
    let part = |parts: &[Part], prefix: &str| {
        let index: usize = rule.strip_prefix(prefix)?.parse().ok()?;
        parts.get(index).map(|part| !part.own.is_empty())
    };
    part(house, "h").or_else(|| part(own, "t")).unwrap_or(false)
}
