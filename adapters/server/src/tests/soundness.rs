//! What keeps a server from starting, and what it is warned of.

use placet::policy::Policy;

use super::settings_in;
use crate::Policies;
use crate::settings::Settings;
use crate::soundness::Soundness;

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
    insta::assert_snapshot!(found.errors[0]);
}

/// The same for a tool that the policy describes, for executors outside.
#[test]
fn a_tool_that_only_the_policy_describes_is_mapped_too() {
    let policy = format!("{LAX}[tools.\"mail/send_message\"]\ntitle = \"Send a mail to {{to}}\"\n");
    let found = found("data = \"p.db\"\npolicy = \"builtin\"\n", &policy);
    assert_eq!(found.errors.len(), 1);
    assert!(found.errors[0].starts_with("tool mail/send_message is mapped but has no gate"));
}

#[test]
fn a_default_that_asks_is_a_gate() {
    let found = found(AGENT, &LAX.replace("level = \"low\"", "level = \"high\""));
    assert_eq!(found.errors, Vec::<String>::new());
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

/// R6: with no approver configured the answer is no, and whoever starts the server is told before.
#[test]
fn nobody_to_ask_is_warned_of() {
    let nobody_over_api = Policy::builtin_text().replace("credentials = [\"owner\"]\n", "");
    let settings = settings_in(std::path::Path::new("/etc/placet"), AGENT);
    let warned = |local: &[&str]| looked(&settings, &nobody_over_api, local).warnings;
    assert!(warned(&[]).iter().any(|warning| warning.starts_with("no approver configured (fail closed)")));
    assert!(!warned(&["terminal"]).iter().any(|warning| warning.contains("no approver configured")));
    let slack = r#"
data = "p.db"
policy = "builtin"
[slack]
signing_secret = { env = "SIGNING_SECRET" }
bot_token = { env = "BOT_TOKEN" }
team = "T024BE7LD"
tenant = "acme"
channel = "C024BE91L"
"#;
    let found = found(slack, &nobody_over_api);
    assert!(found.warnings.iter().any(|warning| warning.contains("no card can ever be approved")));
}
