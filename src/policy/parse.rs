//! Reads a policy: one TOML file, checked as a whole.
//!
//! The file says the same thing to everybody who reads it: unknown keys, wrong types and rules that can never match
//! are errors, never passed over.

use std::sync::Arc;

use toml::de::DeTable;

use super::calendar::Calendar;
use super::change::ChangeRead;
use super::check;
use super::diagnostic::{PolicyErrors, Report, key_at};
use super::digest::DigestPlan;
use super::fatigue::{Fatigue, FatigueRead};
use super::grade::{Beneath, RulesRead};
use super::levels::{Defaults, LEVEL_KEYS, LEVELS, LevelRead, of_level, places, role, tiers_rise};
use super::people::PeopleRead;
use super::reader::{At, Keys, Table};
use super::roles::RolesRead;
use super::rule::{Default, Marks, Policy, Rules};
use super::shadow::{self, Scope, Shadowing};
use super::tenant;
use super::tools::Tools;
use super::verdict::{Level, Place, PolicyVersion, RuleHit, RuleKind};
use crate::call::PolicyDigest;
use crate::id::Role;

/// The most bytes of a policy: more is no text that people wrote.
const POLICY_BYTES_MAX: usize = 1024 * 1024;
/// The most characters of a label: it stands on cards and in every record.
const LABEL_CHARS_MAX: usize = 100;
/// The role that decides, where nothing else is said.
const DEFAULT_ROLE: &str = "admin";

/// The keys at the top of a policy.
pub(super) const KEYS: &Keys = &[
    ("version", "a label of its own for this policy, on cards and in the record"),
    ("profile", "team, or solo: who asks may approve everywhere"),
    ("places", "where cards go"),
    ("shadow", "whether all calls, or those that it names, are only graded, and nobody is asked"),
];

/// The tables of a policy, each with keys of its own.
pub(super) const TABLES: &Keys = &[
    ("default", "what holds where no rule matches"),
    ("levels", "what each level costs"),
    ("calendar", "time zone, nights, weekends, holidays, freezes"),
    ("tools", "what is known of each tool"),
    ("forbid", "what never runs"),
    ("rule", "how bad calls are"),
    ("raise", "when calls are worse than that"),
    ("people", "who there is"),
    ("groups", "groups whose members have roles"),
    ("on_call", "who is on call"),
    ("roles", "what roles are for besides approving"),
    ("fatigue", "when asking stops"),
    ("change", "whose yes a new policy takes"),
    ("digest", "when and where people are told what ran unasked"),
];

/// The keys of `[default]`.
pub(super) const DEFAULT_KEYS: &Keys = &[
    ("level", "how bad a call is that no rule is about"),
    ("role", "who decides, wherever a level names nobody"),
    ("because", "why, for whoever reads the card"),
    ("fixed", "whether no tenant's own file may loosen it"),
];

/// `[default]` as it was read.
pub(super) struct DefaultRead {
    pub(super) level: At<Level>,
    /// The role that decides; none where the file does not say.
    pub(super) role: Option<At<Role>>,
    because: String,
    /// Whether no tenant's own file may loosen it.
    pub(super) fixed: bool,
    /// Whether this file says it; else the one beneath, or nobody.
    pub(super) is_said: bool,
}

pub(super) fn policy(text: &str, file: &str) -> Result<Policy, PolicyErrors> {
    let mut report = Report::new(text, file);
    let read = Read::text(text, None, &mut report);
    if let Some(read) = &read {
        read.check(None, &mut report);
    }
    let label = read.as_ref().and_then(|read| read.version.clone());
    match (report.has_errors(), read, label) {
        (false, Some(read), Some(label)) => Ok(read.into_policy(text.into(), label, report)),
        _ => Err(PolicyErrors { diagnostics: report.into_found() }),
    }
}

/// The whole file as it was read.
pub(super) struct Read {
    pub(super) version: Option<String>,
    solo: bool,
    places: Vec<Place>,
    /// The role that decides wherever a level names none.
    pub(super) default_role: Role,
    pub(super) levels: [LevelRead; 4],
    pub(super) rules: RulesRead,
    pub(super) default: DefaultRead,
    tools: Tools,
    calendar: Calendar,
    pub(super) people: PeopleRead,
    pub(super) roles: RolesRead,
    pub(super) fatigue: FatigueRead,
    pub(super) change: Option<ChangeRead>,
    digest: Option<DigestPlan>,
    pub(super) shadow: Option<At<Scope>>,
}

impl Read {
    /// Reads a file: the installation's, or a tenant's on top of it. None if it is no TOML.
    pub(super) fn text(text: &str, ground: Option<&Self>, report: &mut Report<'_>) -> Option<Self> {
        if text.len() > POLICY_BYTES_MAX {
            let message = format!("a policy has at most {POLICY_BYTES_MAX} bytes; this has {}", text.len());
            report.error(0..0, message, "");
            return None;
        }
        if text.starts_with(tenant::BEGIN) {
            let message = "this is the text of two files, as the record keeps it";
            report.error(0..0, message, "name the installation's file, and the tenant's on top of it");
            return None;
        }
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let key = key_at(text, &span).map_or_else(String::new, |key| format!(" `{key}`"));
            report.error(span, format!("this is not TOML: {}{key}", error.message()), "");
        }
        // What was recovered from broken TOML would only be guessed at.
        (!report.has_errors()).then(|| Self::document(Table::new(document.get_ref(), 0..0), ground, report))
    }

    fn document(mut table: Table<'_>, ground: Option<&Self>, report: &mut Report<'_>) -> Self {
        let version = version(&mut table, report);
        let solo = profile(&mut table, ground, report);
        let own_places = places(&mut table, report);
        let places = own_places.clone().or_else(|| ground.map(|ground| ground.places.clone()));
        let places = places.unwrap_or_default();
        let default = table.table("default", report);
        let default = DefaultRead::read(default, ground.map(|ground| &ground.default), report);
        let own_role = default.role.as_ref().map(|role| role.value.clone());
        let default_role = own_role.or_else(|| ground.map(|ground| ground.default_role.clone()));
        let default_role = default_role.unwrap_or_else(usual_role);
        let defaults = Defaults { role: &default_role, places: &places, solo };
        let mut level_tables = table.table("levels", report);
        let levels = LEVELS.map(|(name, level)| {
            let mut under = LevelRead::default(level, &defaults);
            if let Some(ground) = ground.map(|ground| ground.level(level)) {
                under.policy = ground.settings.over(level, &under.policy);
                if let Some(places) = &own_places {
                    under.policy.terms.places.clone_from(places);
                }
            }
            match level_tables.as_mut().and_then(|tables| tables.table(name, report)) {
                Some(table) => under.with(table, solo, report),
                None => under,
            }
        });
        if let Some(tables) = level_tables {
            tables.finish(&[LEVEL_KEYS], "[levels]", report);
        }
        let calendar = table.table("calendar", report);
        let calendar = Calendar::read(calendar, ground.map(|ground| &ground.calendar), report);
        let tools = table.table("tools", report);
        let tools = Tools::read(tools, ground.map(|ground| &ground.tools), report);
        let beneath = Beneath {
            levels: &levels,
            default: default.level.value,
            solo,
            calendar: &calendar,
            tools: &tools,
        };
        let rules = RulesRead::read(&mut table, &beneath, report);
        let ground_people = ground.map(|ground| &ground.people);
        let people = PeopleRead::read(&mut table, (calendar.zone(), ground_people), report);
        let roles = RolesRead::read(table.table("roles", report), report);
        let fatigue = FatigueRead::read(table.table("fatigue", report), report);
        let change = ChangeRead::read(table.table("change", report), report);
        let digest = table.table("digest", report);
        let digest = DigestPlan::read(digest, ground.and_then(|ground| ground.digest.as_ref()), report);
        let shadow = shadow::read(&mut table, report);
        table.finish(&[KEYS, TABLES], "the policy", report);
        Self {
            version,
            solo,
            places,
            default_role,
            levels,
            rules,
            default,
            tools,
            calendar,
            people,
            roles,
            fatigue,
            change,
            digest,
            shadow,
        }
    }

    /// Notes what is wrong with the file as a whole. Where something in it could not be read, most of that would only follow
    /// from it: a role whose key has a typo is a role that nobody has, and no level can be approved. The cause is told alone.
    pub(super) fn check(&self, ground: Option<&Self>, report: &mut Report<'_>) {
        let unread = report.has_errors();
        check::names(&self.rules, ground.map(|ground| &ground.rules), report);
        if unread {
            return;
        }
        tiers_rise(&self.levels, report);
        check::reasons(self, report);
        check::reachable(&self.rules, ground.map(|ground| &ground.rules), report);
        check::unasked(self, report);
        if self.people.complete {
            check::roles(self, ground, report);
        }
    }

    /// A level.
    pub(super) fn level(&self, level: Level) -> &LevelRead {
        of_level(&self.levels, level)
    }

    /// The policy that it makes, by itself.
    pub(super) fn into_policy(self, text: Arc<str>, label: String, report: Report<'_>) -> Policy {
        let change = self.change.as_ref().map(|change| report.spot(&change.role.span));
        let marks = Marks { places: report.places(), change };
        let needs_recent = self.rules.look_at("recent.");
        Policy {
            version: PolicyVersion { label, digest: PolicyDigest::of(text.as_bytes()) },
            text,
            solo: self.solo,
            levels: self.levels.map(|level| level.policy),
            forbids: Rules::new(self.rules.forbids.into_iter().map(|read| read.rule).collect()),
            rules: Rules::new(self.rules.rules.into_iter().map(|read| read.rule).collect()),
            raises: Rules::new(self.rules.raises.into_iter().map(|read| read.rule).collect()),
            ground: None,
            default: Default {
                level: self.default.level.value,
                fixed: self.default.fixed,
                hit: RuleHit { kind: RuleKind::Default, ..RuleHit::new("default", self.default.because) },
            },
            tools: self.tools,
            calendar: self.calendar,
            needs_recent,
            people: self.people.into_people(),
            stewards: self.roles.stewards.into_iter().map(|role| role.value).collect(),
            glass_breakers: self.roles.break_glass.into_iter().map(|role| role.value).collect(),
            auditors: self.roles.auditors.into_iter().map(|role| role.value).collect(),
            fatigue: self.fatigue.over(Fatigue::default()),
            change: self.change.as_ref().map(ChangeRead::terms),
            digest: self.digest,
            shadowing: Shadowing {
                everywhere: self.shadow.map_or(Scope::Nothing, |at| at.value),
                own: Scope::Nothing,
            },
            warnings: report.into_found(),
            marks,
        }
    }
}

/// Whether who asks may approve, everywhere.
fn profile(table: &mut Table<'_>, ground: Option<&Read>, report: &mut Report<'_>) -> bool {
    let profile = table.word("profile", &[("team", false), ("solo", true)], report);
    match (profile, ground) {
        (Some(profile), Some(ground)) if profile.value && !ground.solo => {
            let message = "the installation's profile is \"team\": who asks does not approve";
            report.error(profile.span, message, "a tenant may only be stricter here");
            false
        }
        (Some(profile), _) => profile.value,
        (None, ground) => ground.is_some_and(|ground| ground.solo),
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
    fn read(table: Option<Table<'_>>, ground: Option<&Self>, report: &mut Report<'_>) -> Self {
        let mut read = match ground {
            None => Self {
                level: At::new(Level::High, 0..0),
                role: None,
                because: "No rule of the policy knows this tool.".to_owned(),
                fixed: false,
                is_said: true,
            },
            Some(ground) => Self {
                level: At::new(ground.level.value, 0..0),
                role: None,
                because: ground.because.clone(),
                fixed: ground.fixed,
                is_said: false,
            },
        };
        let Some(mut table) = table else { return read };
        read.is_said = true;
        read.level.span = table.span();
        if let Some(level) = table.word("level", &LEVELS, report) {
            read.level = level;
        }
        read.role = table.string("role", report).and_then(|text| role(text, report));
        if let Some(because) = table.string("because", report) {
            read.because = because.value;
        }
        read.fixed |= table.boolean("fixed", report).is_some_and(|fixed| fixed.value);
        table.finish(&[DEFAULT_KEYS], "[default]", report);
        read
    }
}

#[expect(
    clippy::expect_used,
    reason = "the name is a constant of this file, and a test reads a policy without one"
)]
fn usual_role() -> Role {
    Role::new(DEFAULT_ROLE).expect("a role's name")
}
