//! Reads a policy: one TOML file, checked as a whole.
//!
//! The file says the same thing to everybody who reads it: unknown keys, wrong types and rules that can never match
//! are errors, never passed over.

use toml::de::DeTable;

use super::calendar::Calendar;
use super::change::ChangeRead;
use super::check;
use super::diagnostic::{PolicyErrors, Report};
use super::fatigue::{Fatigue, FatigueRead};
use super::grade::{Beneath, RulesRead};
use super::levels::{Defaults, LEVELS, LevelRead, places, role, tiers_rise};
use super::people::PeopleRead;
use super::reader::{At, Table};
use super::roles::RolesRead;
use super::rule::{Default, Policy, Rules};
use super::shadow::{self, Scope, Shadowing};
use super::tools::Tools;
use super::verdict::{Level, PolicyVersion, RuleHit, RuleKind};
use crate::call::PolicyDigest;
use crate::id::Role;

/// The most bytes of a policy: more is no text that people wrote.
const POLICY_BYTES_MAX: usize = 1024 * 1024;
/// The most characters of a label: it stands on cards and in every record.
const LABEL_CHARS_MAX: usize = 100;
/// The role that decides, where nothing else is said.
const DEFAULT_ROLE: &str = "admin";

/// `[default]` as it was read.
pub(super) struct DefaultRead {
    pub(super) level: At<Level>,
    /// The role that decides; none where the file does not say.
    pub(super) role: Option<At<Role>>,
    because: String,
}

pub(super) fn policy(text: &str, file: &str) -> Result<Policy, PolicyErrors> {
    let mut report = Report::new(text, file);
    if text.len() > POLICY_BYTES_MAX {
        report.error(
            0..0,
            format!("a policy has at most {POLICY_BYTES_MAX} bytes; this has {}", text.len()),
            "",
        );
        return Err(PolicyErrors { diagnostics: report.into_found() });
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        report.error(error.span().unwrap_or(0..0), format!("this is not TOML: {}", error.message()), "");
    }
    // What was recovered from broken TOML would only be guessed at.
    if report.has_errors() {
        return Err(PolicyErrors { diagnostics: report.into_found() });
    }
    let read = Read::document(Table::new(document.get_ref(), 0..0), &mut report);
    read.check(&mut report);
    match (report.has_errors(), read.version) {
        (false, Some(label)) => {
            let needs_recent = read.rules.look_at("recent.");
            let levels = read.levels.map(|level| level.policy);
            Ok(Policy {
                text: text.into(),
                version: PolicyVersion { label, digest: PolicyDigest::of(text.as_bytes()) },
                solo: read.solo,
                levels,
                forbids: Rules::new(read.rules.forbids.into_iter().map(|read| read.rule).collect()),
                rules: Rules::new(read.rules.rules.into_iter().map(|read| read.rule).collect()),
                floor: Rules::new(Vec::new()),
                raises: Rules::new(read.rules.raises.into_iter().map(|read| read.rule).collect()),
                default: Default {
                    level: read.default.level.value,
                    hit: RuleHit { kind: RuleKind::Default, ..RuleHit::new("default", read.default.because) },
                },
                tools: read.tools,
                calendar: read.calendar,
                needs_recent,
                people: read.people.into_people(),
                stewards: read.roles.stewards.into_iter().map(|role| role.value).collect(),
                glass_breakers: read.roles.break_glass.into_iter().map(|role| role.value).collect(),
                fatigue: read.fatigue.over(Fatigue::default()),
                change: read.change.as_ref().map(ChangeRead::terms),
                shadowing: Shadowing {
                    everywhere: read.shadow.map_or(Scope::Nothing, |at| at.value),
                    own: Scope::Nothing,
                },
                warnings: report.into_found(),
            })
        }
        (true, _) | (false, None) => Err(PolicyErrors { diagnostics: report.into_found() }),
    }
}

/// The whole file as it was read.
pub(super) struct Read {
    version: Option<String>,
    solo: bool,
    pub(super) levels: [LevelRead; 4],
    pub(super) rules: RulesRead,
    pub(super) default: DefaultRead,
    tools: Tools,
    calendar: Calendar,
    pub(super) people: PeopleRead,
    pub(super) roles: RolesRead,
    fatigue: FatigueRead,
    pub(super) change: Option<ChangeRead>,
    shadow: Option<At<Scope>>,
}

impl Read {
    fn document(mut table: Table<'_>, report: &mut Report<'_>) -> Self {
        let version = version(&mut table, report);
        let profile = table.word("profile", &[("team", false), ("solo", true)], report);
        let solo = profile.is_some_and(|profile| profile.value);
        let default_places = places(&mut table, report).unwrap_or_default();
        let default = DefaultRead::read(table.table("default", report), report);
        let default_role = default.role.as_ref().map_or_else(default_role, |role| role.value.clone());
        let defaults = Defaults { role: &default_role, places: &default_places, solo };
        let mut level_tables = table.table("levels", report);
        let levels = LEVELS.map(|(name, level)| {
            match level_tables.as_mut().and_then(|tables| tables.table(name, report)) {
                Some(table) => LevelRead::read(level, table, &defaults, report),
                None => LevelRead::default(level, &defaults),
            }
        });
        if let Some(tables) = level_tables {
            tables.finish("[levels]", report);
        }
        let calendar = Calendar::read(table.table("calendar", report), report);
        let tools = Tools::read(table.table("tools", report), report);
        let beneath = Beneath {
            levels: &levels,
            default: default.level.value,
            solo,
            calendar: &calendar,
            tools: &tools,
        };
        let rules = RulesRead::read(&mut table, &beneath, report);
        let people = PeopleRead::read(&mut table, calendar.zone(), report);
        let roles = RolesRead::read(table.table("roles", report), report);
        let fatigue = FatigueRead::read(table.table("fatigue", report), report);
        let change = ChangeRead::read(table.table("change", report), report);
        let shadow = shadow::read(&mut table, report);
        table.finish("the policy", report);
        Self {
            version,
            solo,
            levels,
            rules,
            default,
            tools,
            calendar,
            people,
            roles,
            fatigue,
            change,
            shadow,
        }
    }

    fn check(&self, report: &mut Report<'_>) {
        tiers_rise(&self.levels, report);
        check::names(&self.rules, report);
        check::reasons(self, report);
        check::reachable(&self.rules, report);
        check::unasked(self, report);
        if self.people.complete {
            check::roles(self, report);
        }
    }
}

fn version(table: &mut Table<'_>, report: &mut Report<'_>) -> Option<String> {
    let label = table.string("version", report);
    if table.key_span("version").is_none() {
        report.error(
            0..0,
            "a policy needs a `version`",
            "a label of your own at the top, such as version = \"2026-11-30\"",
        );
    }
    let label = label?;
    let chars = label.value.chars().count();
    if label.value.trim().is_empty() || chars > LABEL_CHARS_MAX || label.value.chars().any(char::is_control) {
        report.error(label.span, format!("`version` is one line of 1 to {LABEL_CHARS_MAX} characters"), "");
        return None;
    }
    Some(label.value)
}

impl DefaultRead {
    fn read(table: Option<Table<'_>>, report: &mut Report<'_>) -> Self {
        let mut read = Self {
            level: At::new(Level::High, 0..0),
            role: None,
            because: "No rule of the policy knows this tool.".to_owned(),
        };
        let Some(mut table) = table else { return read };
        read.level.span = table.span();
        if let Some(level) = table.word("level", &LEVELS, report) {
            read.level = level;
        }
        read.role = table.string("role", report).and_then(|text| role(text, report));
        if let Some(because) = table.string("because", report) {
            read.because = because.value;
        }
        table.finish("[default]", report);
        read
    }
}

#[expect(
    clippy::expect_used,
    reason = "the name is a constant of this file, and a test reads a policy without one"
)]
fn default_role() -> Role {
    Role::new(DEFAULT_ROLE).expect("a role's name")
}
