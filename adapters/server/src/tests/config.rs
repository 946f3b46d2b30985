//! The examples are ones.

use std::path::Path;

use clap::CommandFactory as _;

use crate::commands::Cli;
use crate::settings::{PolicySource, Secrets, Settings};

fn config() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config")
}

#[test]
fn the_example_of_the_settings_is_taken_and_names_every_key() {
    let text = std::fs::read_to_string(config().join("placet.example.toml")).unwrap();
    let environment = |name: &str| match name {
        "PLACET_GRANT_KEY" => Some("07".repeat(32)),
        name if name.starts_with("PLACET_") => Some(format!("secret of {name}")),
        _ => None,
    };
    let folder = config();
    let read = |text: &str| {
        Settings::parse(text, "placet.example.toml", Secrets { folder: &folder, environment: &environment })
    };
    let settings = read(&text).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(settings.slack.is_some() && settings.grants.is_some() && settings.agent.is_none());
    assert!(matches!(settings.policy.installation, PolicySource::File(_)));
    // What is commented out is right as well.
    let whole: String = text
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if is_key(rest.split_once(" = ").map_or("", |(key, _)| key)) => format!("{rest}\n"),
            Some(table) if table.starts_with('[') && table.ends_with(']') => format!("{table}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    assert_ne!(whole, text, "some are commented out");
    let settings = read(&whole).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(settings.agent.is_some() && settings.outbound.is_some() && settings.policy.tenants.len() == 1);
    assert!(settings.slack.unwrap().signing_secret_previous.is_some());
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[test]
fn the_example_of_the_policy_is_taken() {
    let policy = PolicySource::File(config().join("policy.example.toml")).read();
    assert!(policy.is_ok(), "{:#}", policy.unwrap_err());
}

/// Slack's limits on a manifest, and the scopes that the adapter needs, and no others.
#[test]
fn the_manifest_asks_for_the_scopes_that_are_needed() {
    let text = std::fs::read_to_string(config().join("slack-manifest.yaml")).unwrap();
    let asked: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("- ")).collect();
    assert_eq!(asked, ["chat:write", "users:read", "usergroups:read", "channels:history", "groups:history"]);
    for unbuilt in ["slash_commands", "event_subscriptions", "bot_events"] {
        assert!(!text.contains(unbuilt), "{unbuilt} would lead nowhere");
    }
    assert!(text.contains("/slack/interactivity") && text.contains("example.org"));
    for line in text.lines().filter(|line| line.trim_start().starts_with("name:")) {
        assert!(line.trim().len() <= "name: ".len() + 35, "{line}");
    }
}

#[test]
fn the_command_line_is_one() {
    Cli::command().debug_assert();
}
