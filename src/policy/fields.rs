//! What a rule can look at, and what it can set: one list, from which the checks and the values come, and which tests
//! hold to the example policy.

use cel::common::types::{CelBool, CelInt, CelList, CelNull, CelString};
use cel::common::value::{CowVal, Val};

use super::case::{Case, Computed};
use super::circumstances::Asker;
use super::condition::Kind;
use super::diagnostic::nearest;
use super::reader::Keys;
use super::tools::{self, DATA_LEVELS, REACHES};
use super::{
    absence, calendar, change, digest, fatigue, grade, groups, levels, on_call, parse, people, roles,
    settings, shadow,
};

/// Days as conditions call them, Monday first.
pub(super) const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// One name that a condition can look at.
pub(super) struct Look {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) what: &'static str,
    /// None where it cannot be told, which is an error of the condition.
    pub(super) value: for<'b> fn(&'b Case<'_>) -> Option<CowVal<'b, 'b>>,
}

/// Which names a condition may look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// In `[[rule]]`: everything but what the agent claims, which can only raise.
    Rule,
    /// In `[[forbid]]` and `[[raise]]`: everything.
    Strict,
    /// In `[tools]`, for amounts and counts: the call alone.
    Call,
}

/// What a name is.
pub(super) enum Root {
    /// One of the list.
    Field(&'static Look),
    /// The arguments, whatever they are.
    Args,
    /// None that is known.
    Unknown {
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
}

macro_rules! looks {
    ($($name:literal, $kind:expr, $what:literal => |$case:ident| $value:expr;)*) => {
        /// Every name besides `args` that a condition can look at.
        pub(super) static LOOKS: &[Look] = &[$(Look {
            name: $name,
            kind: $kind,
            what: $what,
            value: {
                fn value<'b>($case: &'b Case<'_>) -> Option<CowVal<'b, 'b>> { $value }
                value
            },
        },)*];
    };
}

looks! {
    "tool", Kind::Text, "the tool's name" => |case| text(case.call().tool.as_str());
    "server", Kind::Text, "its server's name; \"\" for the tools that Placet itself brings" =>
        |case| text(case.call().server.as_ref().map_or("", |server| server.as_str()));
    "tenant", Kind::Text, "the tenant" =>
        |case| text(case.circumstances().tenant.as_ref().map_or("", |tenant| tenant.as_str()));
    "agent", Kind::Text, "who proposes: the agent's stable name" => |case| text(case.call().agent.as_str());
    "run", Kind::Text, "the run it belongs to; \"\" for none" =>
        |case| text(case.proposal().run.as_ref().map_or("", |step| step.run.as_str()));
    "session", Kind::Text, "the conversation it belongs to; \"\" for none" =>
        |case| text(case.proposal().session.as_ref().map_or("", |session| session.as_str()));
    "requester.person", Kind::Text, "who asks, by their id in [[people]]; \"\" for nobody who is known" =>
        |case| person(&case.circumstances().requester);
    "requester.roles", Kind::List, "the roles that they had when they asked" =>
        |case| roles(&case.circumstances().requester);
    "requester.team", Kind::Text, "their team; \"\" for none" =>
        |case| team(&case.circumstances().requester);
    "requester.credential", Kind::Text, "the credential that proposed" =>
        |case| text(case.proposal().requester.credential.as_str());
    "team", Kind::Text, "short for requester.team" =>
        |case| team(&case.circumstances().requester);
    "environment", Kind::Text, "where the tool acts, by [tools]; \"\" if that does not say" =>
        |case| text(case.tool().environment().unwrap_or_default());
    "data_level", Kind::Word(&DATA_LEVELS), "how sensitive its data is, by [tools]; \"\" if that does not say" =>
        |case| text(case.tool().data_level().unwrap_or_default());
    "reach", Kind::Word(&REACHES), "how far its effect reaches, by [tools]; \"\" if that does not say" =>
        |case| text(case.tool().reach().unwrap_or_default());
    "reversible", Kind::Truth, "whether it can be undone, by [tools]; null if that does not say" =>
        |case| Some(case.tool().reversible().map_or_else(null, truth));
    "amount", Kind::Number, "how much, as [tools] computes it; null if that does not" =>
        |case| number(case.amount());
    "count", Kind::Number, "how many things, as [tools] computes it; null if that does not" =>
        |case| number(case.count());
    "affected", Kind::Number, "how many users, as [tools] computes it; null if that does not" =>
        |case| number(case.affected());
    "time.hour", Kind::Whole, "the hour in the policy's zone, 0 to 23" => |case| whole(case.moment().hour);
    "time.minute", Kind::Whole, "the minute, 0 to 59" => |case| whole(case.moment().minute);
    "time.weekday", Kind::Word(&WEEKDAYS), "the day of the week, \"monday\" to \"sunday\"" =>
        |case| text(case.moment().weekday);
    "time.date", Kind::Text, "the day, \"2026-11-30\"" => |case| text(&case.moment().date);
    "time.night", Kind::Truth, "whether it is night by [calendar]" => |case| Some(truth(case.moment().night));
    "time.weekend", Kind::Truth, "whether it is weekend by [calendar]" => |case| Some(truth(case.moment().weekend));
    "time.holiday", Kind::Truth, "whether it is a holiday by [calendar]" => |case| Some(truth(case.moment().holiday));
    "time.freeze", Kind::Truth, "whether a freeze window covers this tool now" => |case| Some(truth(case.frozen()));
    "recent.calls", Kind::Whole, "calls of this tool by this agent within the last hour" =>
        |case| whole(case.circumstances().recent.calls);
    "recent.same", Kind::Whole, "how often this very call was proposed within the last hour" =>
        |case| whole(case.circumstances().recent.same);
    "recent.denied", Kind::Whole, "how often people said no to this very call within the last hour" =>
        |case| whole(case.circumstances().recent.denied);
    "recent.cards", Kind::Whole, "cards that this agent had posted within the last hour" =>
        |case| whole(case.circumstances().recent.cards);
    "claim.task", Kind::Text, "the task, as the agent claims it" => |case| text(&case.proposal().task);
    "claim.reason", Kind::Text, "why, as the agent claims it" => |case| text(&case.proposal().reason);
    "claim.preview", Kind::Text, "what would change, as the agent claims it; \"\" for nothing said" =>
        |case| text(case.proposal().preview.as_deref().unwrap_or_default());
    "claim.if_denied", Kind::Text, "what it would do on a no, as it claims; \"\" for nothing said" =>
        |case| text(case.proposal().if_denied.as_deref().unwrap_or_default());
}

impl Names {
    fn allows(self, name: &str) -> bool {
        match self {
            Self::Strict => true,
            Self::Rule => !name.starts_with("claim."),
            Self::Call => matches!(name, "tool" | "server"),
        }
    }

    /// Whether a name is only a beginning, as `time` is.
    pub(super) fn is_structure(self, root: &str) -> bool {
        LOOKS.iter().any(|look| look.name.split_once('.').is_some_and(|(begin, _)| begin == root))
    }

    /// What a name stands for.
    pub(super) fn find(self, name: &str) -> Root {
        let unknown = |message: String, help: String| Root::Unknown { message, help };
        let root = name.split('.').next().unwrap_or_default();
        if root == "args" {
            return Root::Args;
        }
        if let Some(look) = LOOKS.iter().find(|look| look.name == name) {
            if self.allows(name) {
                return Root::Field(look);
            }
            let help = match self {
                Self::Call => "amounts and counts are computed from `args` alone",
                Self::Rule | Self::Strict => {
                    "what the agent claims can only raise: [[raise]] and [[forbid]] may look at it"
                }
            };
            return unknown(format!("`{name}` cannot be looked at here"), help.to_owned());
        }
        if let Some(look) = LOOKS.iter().find(|look| look.name == root) {
            return unknown(
                format!("`{name}` is not known"),
                format!("`{root}` is {} and has no parts", look.kind.name()),
            );
        }
        let known: Vec<&str> =
            LOOKS.iter().map(|look| look.name).filter(|known| self.allows(known)).chain(["args"]).collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.is_structure(root) => {
                let parts: Vec<&str> =
                    known.into_iter().filter(|known| known.starts_with(&format!("{root}."))).collect();
                format!("known here: {}", parts.join(", "))
            }
            None => format!("known here: {}; an argument is args.{name}", known.join(", ")),
        };
        unknown(format!("`{name}` is not known"), help)
    }
}

/// Who is known through a group alone is taken for nobody only where the group could be read.
fn person<'b>(asker: &'b Asker) -> Option<CowVal<'b, 'b>> {
    match &asker.person {
        None if asker.roles_unread => None,
        person => text(person.as_ref().map_or("", |person| person.as_str())),
    }
}

/// The team of somebody who cannot be told is none either.
fn team<'b>(asker: &'b Asker) -> Option<CowVal<'b, 'b>> {
    match &asker.team {
        None if asker.roles_unread && asker.person.is_none() => None,
        team => text(team.as_deref().unwrap_or_default()),
    }
}

/// None where a role may be missing: that somebody does not have it cannot be told then.
fn roles<'b>(asker: &'b Asker) -> Option<CowVal<'b, 'b>> {
    if asker.roles_unread {
        return None;
    }
    let roles = asker.roles.iter().map(|role| Box::new(CelString::from(role.as_str())) as Box<dyn Val + 'b>);
    Some(CowVal::owned(CelList::from(roles.collect::<Vec<_>>())))
}

fn text<'b>(text: &'b str) -> Option<CowVal<'b, 'b>> {
    Some(CowVal::owned(CelString::from(text)))
}

fn truth<'b>(truth: bool) -> CowVal<'b, 'b> {
    CowVal::owned(CelBool::from(truth))
}

fn null<'b>() -> CowVal<'b, 'b> {
    CowVal::owned(CelNull)
}

fn whole<'b>(number: u32) -> Option<CowVal<'b, 'b>> {
    Some(CowVal::owned(CelInt::from(i64::from(number))))
}

fn number<'b>(computed: &Computed) -> Option<CowVal<'b, 'b>> {
    match computed {
        None => Some(null()),
        Some(Ok(number)) => Some(CowVal::Owned(number.to_cel())),
        Some(Err(_)) => None,
    }
}

/// One thing that a policy can look at or set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// As it is written.
    pub name: &'static str,
    /// Whether it is looked at or set, and where.
    pub place: FieldPlace,
    /// What it is.
    pub what: &'static str,
}

/// Where a field stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldPlace {
    /// In the conditions of every rule.
    When,
    /// In the conditions of `[[forbid]]` and `[[raise]]` alone.
    WhenStrict,
    /// A key of `[[forbid]]`, `[[rule]]` and `[[raise]]`.
    AnyRule,
    /// A key of `[[rule]]` alone.
    Rule,
    /// A key of `[[raise]]` alone.
    Raise,
    /// A key of a level, and of a rule on top of its level.
    Setting,
    /// A key of one group of a stage.
    Group,
    /// A key of one step of an escalation.
    Step,
    /// A key of `reason_required`.
    Reasons,
    /// A key of a place.
    Place,
    /// A key of `[tools]`.
    Tool,
    /// A key at the top.
    Policy,
    /// A table at the top, with keys of its own.
    Table,
    /// A key of `[default]`.
    Default,
    /// A key of `[levels]`: a table with settings.
    Levels,
    /// A key of `[calendar]`.
    Calendar,
    /// A key of a holiday.
    Holiday,
    /// A key of `[[calendar.freeze]]`.
    Freeze,
    /// A key of `[fatigue]`.
    Fatigue,
    /// A key of `[change]`.
    Change,
    /// A key of `[digest]`.
    Digest,
    /// A key of `[shadow]`.
    Shadow,
    /// A key of `[roles]`.
    Roles,
    /// A key of `[[people]]`.
    Person,
    /// A key of an absence of a person.
    Absence,
    /// A key of `[[groups]]`.
    KnownGroup,
    /// A key of `[[on_call]]`.
    OnCall,
    /// A key of a rota.
    Rota,
}

/// Every table of the policy's file, with the list that it is read by.
const SET: [(FieldPlace, &Keys); 26] = [
    (FieldPlace::AnyRule, grade::KEYS),
    (FieldPlace::Rule, grade::RULE_KEYS),
    (FieldPlace::Raise, grade::RAISE_KEYS),
    (FieldPlace::Setting, settings::KEYS),
    (FieldPlace::Group, settings::GROUP_KEYS),
    (FieldPlace::Step, settings::STEP_KEYS),
    (FieldPlace::Reasons, settings::REASON_KEYS),
    (FieldPlace::Place, levels::PLACE_KEYS),
    (FieldPlace::Tool, tools::KEYS),
    (FieldPlace::Policy, parse::KEYS),
    (FieldPlace::Table, parse::TABLES),
    (FieldPlace::Default, parse::DEFAULT_KEYS),
    (FieldPlace::Levels, levels::LEVEL_KEYS),
    (FieldPlace::Calendar, calendar::KEYS),
    (FieldPlace::Holiday, calendar::HOLIDAY_KEYS),
    (FieldPlace::Freeze, calendar::FREEZE_KEYS),
    (FieldPlace::Fatigue, fatigue::KEYS),
    (FieldPlace::Change, change::KEYS),
    (FieldPlace::Digest, digest::KEYS),
    (FieldPlace::Shadow, shadow::KEYS),
    (FieldPlace::Roles, roles::KEYS),
    (FieldPlace::Person, people::KEYS),
    (FieldPlace::Absence, absence::KEYS),
    (FieldPlace::KnownGroup, groups::KEYS),
    (FieldPlace::OnCall, on_call::KEYS),
    (FieldPlace::Rota, on_call::ROTA_KEYS),
];

/// Everything that a rule can look at and that a policy can set, from the same lists that the policy is read with: a
/// table takes no key that is not in its list, and none of the list is passed over.
#[must_use]
pub fn fields() -> Vec<Field> {
    let args =
        Field { name: "args", place: FieldPlace::When, what: "the call's arguments, such as args.path" };
    let looks = LOOKS.iter().map(|look| Field {
        name: look.name,
        place: if Names::Rule.allows(look.name) { FieldPlace::When } else { FieldPlace::WhenStrict },
        what: look.what,
    });
    let set = SET
        .iter()
        .flat_map(|(place, keys)| keys.iter().map(|(name, what)| Field { name, place: *place, what }));
    std::iter::once(args).chain(looks).chain(set).collect()
}
