//! `away = [{ from, until, stand_in }]`: when somebody decides nothing, and who has their roles meanwhile.

use chrono_tz::Tz;

use super::diagnostic::{Report, nearest};
use super::moment::moment;
use super::reader::{At, Keys, Table};
use crate::id::PersonId;
use crate::person::Absence;

/// The keys of an absence: one item of `away` of a person.
pub(super) const KEYS: &Keys = &[
    ("from", "since when they are away"),
    ("until", "from when on they are back"),
    ("stand_in", "who has their roles meanwhile; left out: nobody"),
];

/// An absence as it was read.
#[derive(Debug)]
pub(super) struct AbsenceRead {
    pub(super) absence: Absence,
    /// Who stands in, where that is written.
    stand_in: Option<At<PersonId>>,
    /// Who is away; none until it is known.
    person: Option<PersonId>,
}

impl AbsenceRead {
    /// Those of one person.
    pub(super) fn list(table: &mut Table<'_>, zone: Tz, report: &mut Report<'_>) -> Vec<Self> {
        let absences = table.tables("away", report);
        absences.into_iter().filter_map(|table| Self::read(table, zone, report)).collect()
    }

    fn read(mut table: Table<'_>, zone: Tz, report: &mut Report<'_>) -> Option<Self> {
        let span = table.span();
        let from = moment(&mut table, "from", zone, report);
        let until = moment(&mut table, "until", zone, report);
        let named = table.string("stand_in", report);
        for key in ["from", "until"] {
            if table.key_span(key).is_none() {
                report.error(span.clone(), format!("an absence needs `{key}`"), "");
            }
        }
        table.finish(&[KEYS], "an absence", report);
        let stand_in = named.and_then(|named| match PersonId::new(&named.value) {
            Ok(person) => Some(At::new(person, named.span)),
            Err(error) => {
                report.error(named.span, error.to_string(), "");
                None
            }
        });
        let (from, until) = (from?, until?);
        if until.value <= from.value {
            let help = "the day or moment of `until` is the first on which they are back";
            report.error(until.span, "the absence is over before it begins", help);
            return None;
        }
        let absence = Absence {
            from: from.value,
            until: until.value,
            stand_in: stand_in.as_ref().map(|stand_in| stand_in.value.clone()),
        };
        Some(Self { absence, stand_in, person: None })
    }

    /// Whose it is.
    pub(super) fn of(self, person: PersonId) -> Self {
        Self { person: Some(person), ..self }
    }
}

/// Every stand-in is somebody, and somebody else.
pub(super) fn check_stand_ins(absences: &[AbsenceRead], people: &[&PersonId], report: &mut Report<'_>) {
    for absence in absences {
        let Some(stand_in) = &absence.stand_in else { continue };
        if Some(&stand_in.value) == absence.person.as_ref() {
            let message = format!("`{}` cannot stand in for themselves", stand_in.value);
            report.error(stand_in.span.clone(), message, "name somebody else, or take `stand_in` out");
        } else if !people.contains(&&stand_in.value) {
            unknown(stand_in, people, report);
        }
    }
}

/// Says that there is no such person.
pub(super) fn unknown(person: &At<PersonId>, people: &[&PersonId], report: &mut Report<'_>) {
    let help = match nearest(person.value.as_str(), people.iter().map(|id| id.as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "the `id` of somebody in [[people]]".to_owned(),
    };
    report.error(person.span.clone(), format!("there is no person `{}`", person.value), help);
}
