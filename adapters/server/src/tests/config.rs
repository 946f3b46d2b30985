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
        "PLACET_GRANT_KEY" | "PLACET_MATRIX_STORE_KEY" => Some("07".repeat(32)),
        name if name.starts_with("PLACET_") => Some(format!("secret of {name}")),
        _ => None,
    };
    let folder = config();
    let read = |text: &str| Settings::parse(text, "placet.example.toml", Secrets::new(&folder, &environment));
    let settings = read(&text).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(!settings.slack.is_empty() && settings.grants.is_some() && settings.agent.is_none());
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
    assert!(
        settings.agent.is_some()
            && settings.matrix.is_some()
            && settings.outbound.is_some()
            && settings.policy.tenants.len() == 1
    );
    assert!(settings.slack[0].ways_in.signing_secret_previous.is_some());
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[test]
fn the_examples_of_the_policy_are_taken() {
    for name in ["policy.example.toml", "policy.small.toml"] {
        let policy = PolicySource::File(config().join(name)).read();
        assert!(policy.is_ok(), "{name}: {:#}", policy.unwrap_err());
    }
}

#[test]
fn the_command_line_is_one() {
    Cli::command().debug_assert();
}
