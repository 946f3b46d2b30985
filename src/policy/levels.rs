//! `[levels.*]`: what happens with a call of a level, and what its approval takes.

use super::diagnostic::{Report, Span, nearest};
use super::reader::{At, Keys, Table, list};
use super::settings::{self, Settings, Whose};
use super::verdict::{Level, Place, Terms, Tier};
use crate::approval::Assurance;
use crate::id::{Role, SurfaceName};
use crate::time::Ttl;

/// The four levels, mildest first.
pub(super) const LEVELS: [(&str, Level); 4] =
    [("low", Level::Low), ("medium", Level::Medium), ("high", Level::High), ("critical", Level::Critical)];

/// The keys of `[levels]`.
pub(super) const LEVEL_KEYS: &Keys = &[
    ("low", "harmless, or easily undone"),
    ("medium", "worth knowing about"),
    ("high", "hard to undo, or far-reaching"),
    ("critical", "cannot be undone, or reaches outside"),
];

/// The keys of a place.
pub(super) const PLACE_KEYS: &Keys =
    &[("surface", "a surface, such as slack"), ("channel", "a channel or room there, by its id")];

/// What a level costs, or a rule with settings of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LevelPolicy {
    /// What happens.
    pub(super) tier: Tier,
    /// What an approval takes, where the tier asks for one.
    pub(super) terms: Terms,
    /// The longest time that a yes may be remembered for; none means never.
    pub(super) remember: Option<Ttl>,
    /// Whether no tenant's own file may loosen it.
    pub(super) fixed: bool,
}

/// What calls of a rule with settings of its own cost, at its level and at every level that they may be raised to.
///
/// At its own level that is what it sets, on top of the level's. Where it is raised, the same keys stand on top of the
/// new level's, and never ask less than that does: what a rule sets changes those keys, and leaves all others to the level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnCosts([LevelPolicy; 4]);

impl OwnCosts {
    /// What these settings of a rule of level `own` make of the levels' table.
    pub(super) fn of<'a>(settings: &Settings, own: Level, table: impl Fn(Level) -> &'a LevelPolicy) -> Self {
        Self(LEVELS.map(|(_, level)| {
            let over = settings.over(level, table(level));
            if level == own {
                return over;
            }
            let mut both = over.and(table(level));
            both.fit(level);
            both
        }))
    }

    /// What the table itself says, for rules without settings.
    pub(super) fn plain<'a>(table: impl Fn(Level) -> &'a LevelPolicy) -> Self {
        Self(LEVELS.map(|(_, level)| table(level).clone()))
    }

    /// At a level.
    pub(super) fn at(&self, level: Level) -> &LevelPolicy {
        of_level(&self.0, level)
    }
}

/// The one of a level, of four that stand in the order of [`LEVELS`].
pub(super) const fn of_level<T>(each: &[T; 4], level: Level) -> &T {
    let [low, medium, high, critical] = each;
    match level {
        Level::Low => low,
        Level::Medium => medium,
        Level::High => high,
        Level::Critical => critical,
    }
}

/// One level as it was read.
#[derive(Debug)]
pub(super) struct LevelRead {
    pub(super) level: Level,
    pub(super) policy: LevelPolicy,
    /// What the file says of it.
    pub(super) settings: Settings,
}

/// What holds for every level, unless the level says otherwise.
pub(super) struct Defaults<'a> {
    /// The role that decides.
    pub(super) role: &'a Role,
    /// Where cards go.
    pub(super) places: &'a [Place],
    /// Whether who asks may approve, everywhere.
    pub(super) solo: bool,
}

/// How sure a yes must be that it is the person's own, unless the level says otherwise: what a server alone vouches for, its
/// administrator can forge, so that it approves nothing that is hard to undo.
const fn assurance(level: Level) -> Assurance {
    match level {
        Level::Low | Level::Medium => Assurance::ServerAsserted,
        Level::High | Level::Critical => Assurance::Signed,
    }
}

impl LevelRead {
    /// A level that the file does not mention.
    pub(super) fn default(level: Level, defaults: &Defaults<'_>) -> Self {
        let tier = match level {
            Level::Low => Tier::Auto,
            Level::Medium => Tier::Suggest,
            Level::High | Level::Critical => Tier::Approve,
        };
        let terms = Terms {
            requester_may_approve: defaults.solo,
            places: defaults.places.to_vec(),
            assurance: assurance(level),
            ..Terms::one_of(defaults.role.clone())
        };
        let policy = LevelPolicy { tier, terms, remember: None, fixed: false };
        Self { level, policy, settings: Settings::default() }
    }

    /// With what the file says of it.
    pub(super) fn with(self, mut table: Table<'_>, solo: bool, report: &mut Report<'_>) -> Self {
        let (level, under) = (self.level, self.policy);
        let settings = Settings::read(&mut table, report);
        table.finish(&[settings::KEYS], &format!("[levels.{level}]"), report);
        let what = format!("level {level}");
        settings.check(&Whose { what: &what, level, under: &under, solo }, report);
        Self { level, policy: settings.over(level, &under), settings }
    }

    /// Where the tier is set; none where it is the default.
    fn tier_span(&self) -> Option<Span> {
        self.settings.tier.as_ref().map(|at| at.span.clone())
    }

    /// Where it says who is asked; none where that is the default.
    pub(super) fn stages_span(&self) -> Option<Span> {
        self.settings.asks.as_ref().map(|at| at.span.clone())
    }
}

/// `places`: where cards go.
pub(super) fn places(table: &mut Table<'_>, report: &mut Report<'_>) -> Option<Vec<Place>> {
    let listed = table.get("places")?;
    let mut places = Vec::new();
    for item in list(listed, "places", report)?.value {
        let Some(mut place) = Table::of(item, report, "a place") else { continue };
        let span = place.span();
        let surface = place.string("surface", report);
        let channel = place.string("channel", report);
        let missing = place.key_span("surface").is_none() || place.key_span("channel").is_none();
        place.finish(&[PLACE_KEYS], "a place", report);
        if missing {
            let help = "such as { surface = \"slack\", channel = \"C024BE91L\" }";
            report.error(span, "a place needs a `surface` and a `channel`", help);
        }
        let (Some(surface), Some(channel)) = (surface, channel) else { continue };
        let at_surface = surface.span.clone();
        match SurfaceName::new(&surface.value) {
            Ok(surface) if !channel.value.is_empty() => {
                report.note_place(&At::new(surface.clone(), at_surface), &channel);
                places.push(Place { surface, channel: channel.value, thread: None });
            }
            Ok(_) => report.error(channel.span, "the channel is empty", "the surface's own id of it"),
            Err(error) => report.error(surface.span, error.to_string(), ""),
        }
    }
    Some(places)
}

/// A role's name, or an error.
pub(super) fn role(text: At<String>, report: &mut Report<'_>) -> Option<At<Role>> {
    match Role::new(&text.value) {
        Ok(role) => Some(At::new(role, text.span)),
        Err(error) => {
            report.error(text.span, error.to_string(), "");
            None
        }
    }
}

/// Tiers must not fall as levels rise: else the worse call is let through more easily.
pub(super) fn tiers_rise(levels: &[LevelRead], report: &mut Report<'_>) {
    for pair in levels.windows(2) {
        let [milder, worse] = pair else { continue };
        if worse.policy.tier < milder.policy.tier
            && let Some(span) = worse.tier_span().or_else(|| milder.tier_span())
        {
            let message = format!(
                "level {} has tier {}, and the worse level {} only {}",
                milder.level, milder.policy.tier, worse.level, worse.policy.tier
            );
            report.error(span, message, "tiers rise with the levels: auto, suggest, approve, forbid");
        }
    }
}

/// Roles in order of appearance, for suggestions.
pub(super) fn did_you_mean<'a>(role: &Role, known: impl IntoIterator<Item = &'a Role>) -> String {
    match nearest(role.as_str(), known.into_iter().map(Role::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "give it to somebody in [[people]], or name it in [roles] names".to_owned(),
    }
}
