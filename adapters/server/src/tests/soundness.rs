//! What keeps a server from starting, and what it is warned of.

use placet::id::TenantId;
use placet::policy::{Policy, PolicyFile};

use super::settings_in;
use crate::Policies;
use crate::settings::{PolicyTexts, Settings};
use crate::soundness::{Flaw, Soundness};

const AGENT: &str = "data = \"p.db\"\npolicy = \"builtin\"\n[agent]\ntenant = \"acme\"\nworkspace = \"w\"\n";

const LAX: &str = r#"
version = "lax"
[default]
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
terminal = ["bo"]
[roles]
stewards = ["admin"]
"#;

fn found(settings: &str, policy: &str) -> Soundness {
    let settings = settings_in(std::path::Path::new("/etc/placet"), settings);
    looked(&settings, policy, &[])
}

fn looked(settings: &Settings, policy: &str, local: &[&str]) -> Soundness {
    let policies = Policies::alone(policy, "p.toml").unwrap();
    Soundness::of(settings, (&policies.texts, &policies.set), local).unwrap()
}

/// R7: it refuses to start when a mapped tool has no gate.
#[test]
fn a_mapped_tool_without_a_gate_keeps_the_server_from_starting() {
    let found = found(&format!("{AGENT}[tools]\nenabled = [\"delete_file\", \"run_shell\"]\n"), LAX);
    assert_eq!(found.errors.len(), 1);
    insta::assert_snapshot!(found.errors[0].summary());
}

/// The same for a tool that the policy describes, for executors outside.
#[test]
fn a_tool_that_only_the_policy_describes_is_mapped_too() {
    let policy = format!("{LAX}[tools.\"mail/send_message\"]\ntitle = \"Send a mail to {{to}}\"\n");
    let found = found("data = \"p.db\"\npolicy = \"builtin\"\n", &policy);
    assert_eq!(found.errors.len(), 1);
    assert!(found.errors[0].summary().starts_with("tool mail/send_message is mapped but has no gate"));
}

#[test]
fn a_default_that_asks_is_a_gate() {
    let found = found(AGENT, &LAX.replace("level = \"low\"", "level = \"high\""));
    assert_eq!(found.errors, Vec::new());
}

/// R40: a schedule that nothing can read gives nobody its role, and whoever starts the server is told.
#[test]
fn a_schedule_that_nothing_can_read_is_warned_of() {
    let policy = format!(
        "{}[[on_call]]\nname = \"pager\"\nrole = \"on_call\"\npagerduty = \"PABC123\"\n",
        LAX.replace("terminal =", "pagerduty = [\"PBO0001\"]\nterminal =")
    );
    let plain = "data = \"p.db\"\npolicy = \"builtin\"\n";
    let told = |found: Soundness| found.warnings.iter().any(|warning| warning.contains("no [on_call]"));
    assert!(told(found(plain, &policy)));
    assert!(!told(found(plain, LAX)));
}

/// R16: where the policy wants votes to be surer than any surface can tell, nobody can decide, and whoever starts the server
/// is told.
#[test]
fn votes_that_nobody_can_give_are_warned_of() {
    let plain = "data = \"p.db\"\npolicy = \"builtin\"\n";
    let told = |assurance: &str| {
        let policy = LAX.replace(
            "level = \"critical\"\n",
            &format!("level = \"critical\"\nassurance = \"{assurance}\"\n"),
        );
        found(plain, &policy).warnings.into_iter().find(|warning| warning.contains("assurance"))
    };
    assert_eq!(told("signed"), None);
    insta::assert_snapshot!(told("e2ee-tofu").unwrap());
}

/// R6: with no approver configured the answer is no, and whoever starts the server is told before.
#[test]
fn nobody_to_ask_is_warned_of() {
    let nobody_over_api = Policy::builtin_text().replace("credentials = [\"owner\"]\n", "");
    let settings = settings_in(std::path::Path::new("/etc/placet"), AGENT);
    let warned = |local: &[&str]| looked(&settings, &nobody_over_api, local).warnings;
    assert!(warned(&[]).iter().any(|warning| warning.starts_with("no approver configured (fail closed)")));
    assert!(!warned(&["terminal"]).iter().any(|warning| warning.contains("no approver configured")));
    let found = found(SLACK, &nobody_over_api);
    assert!(found.warnings.iter().any(|warning| warning.contains("no card can ever be approved")));
}

const SLACK: &str = r#"
data = "p.db"
policy = "builtin"
[slack]
signing_secret = { env = "SIGNING_SECRET" }
bot_token = { env = "BOT_TOKEN" }
team = "T024BE7LD"
tenant = "acme"
channel = "C024BE91L"
"#;

/// R17, R30: a workspace that nobody in the policy belongs to is warned of, also where somebody decides over the API.
#[test]
fn a_workspace_of_nobody_is_warned_of() {
    let policy = |account: &str| {
        LAX.replace("terminal =", &format!("credentials = [\"bo\"]\nslack = [\"{account}\"]\nterminal ="))
    };
    let warned = |policy: &str| {
        let warnings = found(SLACK, policy).warnings;
        warnings.into_iter().find(|told| told.contains("an account in the Slack workspace T024BE7LD"))
    };
    let told = warned(&policy("T999/U2CERLKJA")).unwrap();
    assert!(told.contains("no click on a card counts"), "{told}");
    assert_eq!(warned(&policy("T024BE7LD/U2CERLKJA")), None);
}

/// R29: a place where no card would ever be shown keeps the policy from being taken, however and wherever it is written.
#[test]
fn a_place_that_is_none_is_found_wherever_it_stands() {
    let plain = "data = \"p.db\"\npolicy = \"builtin\"\n";
    let rule = "[[rule]]\nname = \"merges\"\ntools = [\"merge\"]\nlevel = \"high\"\nbecause = \"x\"\n";
    let at_top =
        |place: &str| LAX.replace("version = \"lax\"", &format!("version = \"lax\"\nplaces = [{place}]"));
    let in_level = |line: &str| format!("{LAX}[levels.high]\n{line}\n");
    let in_step = |line: &str| in_level(&format!("escalation = [{{ after = \"5m\", {line} }}]"));
    let in_rule = |line: &str| format!("{LAX}{rule}{line}\n");
    let wrong = |settings: &str, policy: &str| {
        let found = found(settings, policy);
        let told: Vec<String> = found.errors.iter().map(Flaw::summary).collect();
        told.into_iter().filter(|told| !told.contains("has no gate")).collect::<Vec<_>>()
    };
    let long = |channel: &str| format!("{{ surface = \"slack\", channel = \"{channel}\" }}");
    for (settings, policy, told) in [
        (SLACK, in_level("channel = \"slak/C024BE91M\""), "there is no surface `slak`"),
        (SLACK, in_rule("channel = \"slack/#crm\""), "`#crm` is not a channel's id in Slack"),
        (SLACK, in_step("channel = \"slack/ops\""), "`ops` is not a channel's id in Slack"),
        (SLACK, in_step(&format!("places = [{}]", long("#ops"))), "`#ops` is not a channel's id in Slack"),
        (SLACK, at_top(&long("#ops")), "`#ops` is not a channel's id in Slack"),
        (plain, in_level("channel = \"slack/C024BE91M\""), "there is no [slack] in the settings"),
        (plain, in_rule("channel = \"slack/C024BE91M\""), "there is no [slack] in the settings"),
        (plain, at_top(&long("C024BE91M")), "there is no [slack] in the settings"),
    ] {
        let found = wrong(settings, &policy);
        assert!(found.len() == 1 && found[0].contains(told), "{policy}: {found:?}");
    }
    for policy in [
        in_level("channel = \"slack/C024BE91M\""),
        in_rule("channel = \"slack/C024BE91M\""),
        at_top(&long("C024BE91M")),
    ] {
        assert_eq!(wrong(SLACK, &policy), Vec::<String>::new(), "{policy}");
    }
    let argument = format!("{LAX}[tools.post]\nremember = {{ channel = \"any\" }}\n");
    assert_eq!(wrong(SLACK, &argument), Vec::<String>::new(), "an argument of that name is no place");
}

/// R19, R29: a workspace is one tenant's: another's own file cannot have cards posted there.
#[test]
fn a_place_in_another_tenants_workspace_is_none() {
    let file = |name: &str, text: &str| PolicyFile { text: text.to_owned(), name: name.to_owned() };
    let own = "version = \"own\"\n[levels.high]\nchannel = \"slack/C024BE91M\"\n";
    let house = LAX.replace("level = \"low\"", "level = \"high\"") + "[tools.merge]\nreversible = false\n";
    let texts = |tenant: &str| PolicyTexts {
        installation: file("p.toml", &house),
        tenants: [(TenantId::new(tenant).unwrap(), file("own.toml", own))].into(),
    };
    let looked = |tenant: &str| {
        let policies = Policies::of(texts(tenant)).unwrap();
        let settings = settings_in(std::path::Path::new("/etc/placet"), SLACK);
        Soundness::of(&settings, (&policies.texts, &policies.set), &[]).unwrap()
    };
    assert_eq!(looked("acme").errors, Vec::new());
    let found = looked("globex");
    assert_eq!(found.errors.len(), 1);
    insta::assert_snapshot!(found.errors[0]);
    assert!(found.warnings.iter().any(|told| told.starts_with("tenant globex: no approver configured")));
}
