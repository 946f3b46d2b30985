//! `placet doctor`: whether what an installation rests on is there, from here to Slack, and what to do where it is not.
//!
//! What always holds: nothing is changed by it, nobody sees anything of it in Slack, and no secret is in what it says. A
//! thing that cannot be seen from here is never called right.

mod house;
mod people;
mod sample;
mod slack;
mod way_in;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use placet::ports::Clock;
use serde::Serialize;
use serde_json::json;
use url::Url;

use super::Config;
use super::columns::one_line;
use super::slack::base_url;
use crate::settings::Settings;

/// What is to be looked at.
#[derive(Debug, Clone, Args)]
pub struct DoctorCommand {
    /// The settings.
    #[command(flatten)]
    pub config: Config,
    /// The address that Slack calls, such as <https://placet.example.org>: it is called as Slack would.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Have Slack look at sample cards, in every language. Nothing is posted.
    #[arg(long)]
    pub validate_cards: bool,
    /// JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It is as it should be.
    Ok,
    /// It may be as it should be, or will soon not be, or something does without it.
    Warning,
    /// Something does not work.
    Wrong,
}

impl Health {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Wrong => "wrong",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: String,
    /// How it stands.
    pub health: Health,
    /// What was seen.
    pub seen: String,
    /// What to do; none where nothing is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    fn ok(check: impl Into<String>, seen: impl Into<String>) -> Self {
        Self { check: check.into(), health: Health::Ok, seen: seen.into(), remedy: None }
    }

    fn warning(check: impl Into<String>, seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        let remedy = Some(remedy.into());
        Self { check: check.into(), health: Health::Warning, seen: seen.into(), remedy }
    }

    fn wrong(check: impl Into<String>, seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        let remedy = Some(remedy.into());
        Self { check: check.into(), health: Health::Wrong, seen: seen.into(), remedy }
    }
}

/// How far to look.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// The address that Slack calls, without a slash at its end; none leaves that to whoever sets it up.
    pub base: Option<Url>,
    /// Whether Slack looks at sample cards.
    pub validate_cards: bool,
}

/// Looks, and says what was found. The code is that of the worst: 0, 1 for a warning, 2 where something is wrong.
///
/// # Errors
/// The address is none, or `out` cannot be written.
pub async fn run(
    command: &DoctorCommand,
    clock: Arc<dyn Clock>,
    out: &mut (dyn Write + Send),
) -> anyhow::Result<ExitCode> {
    let findings = match Settings::load(&command.config.file()?) {
        Ok(settings) => {
            let prefix = Some(settings.http.path_prefix.as_str());
            let base = command.url.as_deref().map(|url| base_url(url, prefix)).transpose()?;
            let base = base.map(|base| Url::parse(&base)).transpose()?;
            let reach = Reach { base, validate_cards: command.validate_cards };
            let mut findings = vec![Finding::ok("settings", "can be read")];
            findings.extend(examine(&settings, &reach, &clock).await);
            findings
        }
        Err(errors) => {
            vec![Finding::wrong("settings", errors.to_string(), "mend the file; nothing else was looked at")]
        }
    };
    let text = if command.json { as_json(&findings)? } else { as_table(&findings) };
    out.write_all(text.as_bytes())?;
    Ok(ExitCode::from(code(&findings)))
}

/// Looks at everything that these settings rest on.
pub async fn examine(settings: &Settings, reach: &Reach, clock: &Arc<dyn Clock>) -> Vec<Finding> {
    let (mut findings, policies) = house::examine(settings);
    if settings.slack.is_empty() {
        findings.push(Finding::ok("slack", "not configured: people decide over the API"));
    }
    for slack in &settings.slack {
        let place = slack::Ground { settings, slack, policies: policies.as_ref(), clock };
        findings.extend(slack::examine(&place, reach.validate_cards).await);
        findings.extend(way_in::examine(settings, slack, reach.base.as_ref(), clock).await);
    }
    findings
}

/// The exit code for these findings.
#[must_use]
pub fn code(findings: &[Finding]) -> u8 {
    match findings.iter().map(|finding| finding.health).max() {
        None | Some(Health::Ok) => 0,
        Some(Health::Warning) => 1,
        Some(Health::Wrong) => 2,
    }
}

fn as_json(findings: &[Finding]) -> anyhow::Result<String> {
    let worst = findings.iter().map(|finding| finding.health).max().unwrap_or(Health::Ok);
    let text = serde_json::to_string_pretty(&json!({ "health": worst, "findings": findings }))?;
    Ok(format!("{text}\n"))
}

/// A line for each, and what to do beneath it.
#[must_use]
pub fn as_table(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.check.chars().count()).max().unwrap_or_default();
    let mut table = String::new();
    for Finding { check, health, seen, remedy } in findings {
        let mut lines = seen.lines().map(one_line);
        let first = lines.next().unwrap_or_default();
        table.push_str(format!("{:7}  {check:width$}  {first}", health.word()).trim_end());
        table.push('\n');
        let under = " ".repeat(7 + 2 + width + 2);
        for line in lines.filter(|line| !line.trim().is_empty()) {
            table.push_str(&format!("{under}{line}\n"));
        }
        if let Some(remedy) = remedy {
            table.push_str(&format!("{under}→ {}\n", one_line(remedy)));
        }
    }
    let of = |health| findings.iter().filter(|finding| finding.health == health).count();
    let (wrong, warnings) = (of(Health::Wrong), of(Health::Warning));
    table.push_str(&match (wrong, warnings) {
        (0, 0) => "\nEverything that was looked at is as it should be.\n".to_owned(),
        (wrong, warnings) => format!("\n{wrong} wrong, {warnings} to look at.\n"),
    });
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_what_to_do() {
        let findings = [
            Finding::ok("settings", "can be read"),
            Finding::warning("free space", "900 MB", "make room"),
            Finding::wrong("policy", "two errors:\n  one\n\u{1b}[31m  two", "mend it"),
        ];
        assert_eq!(code(&findings), 2);
        assert_eq!(code(&findings[..2]), 1);
        assert_eq!(code(&findings[..1]), 0);
        insta::assert_snapshot!(as_table(&findings));
        insta::assert_snapshot!("a_table_as_json", as_json(&findings[..2]).unwrap());
        assert!(as_table(&findings[..1]).ends_with("as it should be.\n"));
    }
}
