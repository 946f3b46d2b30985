//! What people had to look at, or would have: cards per person and day, at night, and those that nobody could answer.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::calendar::Moment;
use super::super::circumstances::Asker;
use super::super::electors::{Electors, nobody_outside};
use super::super::rule::Policy;
use super::super::verdict::Terms;
use super::Judged;
use crate::approval::Requester;
use crate::id::PersonId;
use crate::time::Timestamp;

/// What people had to look at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Load {
    /// How many days it is about: begun ones count.
    pub days: u64,
    /// Cards in all.
    pub cards: u64,
    /// Of them at night, by the policy's calendar.
    pub at_night: u64,
    /// Of them such that nobody could answer: too few people were there who may.
    pub unanswerable: u64,
    /// Whom they asked, most first. Who has a role by a group or a schedule outside the policy is not known.
    pub people: Vec<PersonLoad>,
}

/// What one person had to look at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PersonLoad {
    /// Who.
    pub person: PersonId,
    /// What they are called.
    pub name: String,
    /// Cards that asked them.
    pub cards: u64,
    /// A day on average, in tenths.
    pub per_day_tenths: u64,
    /// On the day with the most.
    pub busiest_day: u64,
    /// Of all of them at night.
    pub at_night: u64,
    /// By the days of the policy's zone.
    #[serde(skip)]
    by_day: BTreeMap<String, u64>,
}

/// A day in milliseconds.
const DAY_MS: i64 = 86_400_000;

impl Load {
    pub(super) fn new(since: Timestamp, until: Timestamp) -> Self {
        let span = until.as_millis().saturating_sub(since.as_millis()).max(1);
        let days = u64::try_from(span.div_euclid(DAY_MS) + i64::from(span % DAY_MS > 0)).unwrap_or(1);
        Self { days, cards: 0, at_night: 0, unanswerable: 0, people: Vec::new() }
    }

    /// One more card. Without a policy nobody can say whom it asked.
    pub(super) fn card(&mut self, judged: &Judged, terms: &Terms, policy: Option<&Policy>) {
        self.cards += 1;
        let Some(policy) = policy else { return };
        let at = judged.circumstances.at;
        let moment = policy.calendar.moment(at);
        let at_night = moment.night;
        self.at_night += u64::from(at_night);
        self.unanswerable += u64::from(!judged.is_answerable(terms, policy));
        let at = judged.circumstances.at;
        let electors = Electors::of_call(policy.people(), &judged.proposal, terms, at);
        for elector in electors.asked(terms) {
            let place =
                self.people.iter().position(|load| load.person == elector.person).unwrap_or_else(|| {
                    self.people.push(PersonLoad {
                        person: elector.person.clone(),
                        name: elector.name.clone(),
                        cards: 0,
                        per_day_tenths: 0,
                        busiest_day: 0,
                        at_night: 0,
                        by_day: BTreeMap::new(),
                    });
                    self.people.len() - 1
                });
            if let Some(load) = self.people.get_mut(place) {
                load.more(&moment, self.days);
            }
        }
        self.people
            .sort_by(|one, other| other.cards.cmp(&one.cards).then_with(|| one.person.cmp(&other.person)));
    }
}

impl PersonLoad {
    fn more(&mut self, moment: &Moment, days: u64) {
        self.cards += 1;
        self.at_night += u64::from(moment.night);
        let day = self.by_day.entry(moment.date.clone()).or_insert(0);
        *day += 1;
        self.busiest_day = self.busiest_day.max(*day);
        self.per_day_tenths = (self.cards * 10).div_ceil(days.max(1));
    }
}

impl Policy {
    /// Who asked, by the people that this policy names, where another had it on record: what groups and schedules outside
    /// gave them then is taken from there.
    pub(super) fn asker_again(&self, requester: &Requester, recorded: &Asker, at: Timestamp) -> Asker {
        let people = self.people();
        let mut asker = people.asker(requester, &nobody_outside(people, at), at);
        let open = Electors::open(people);
        let given: Vec<_> = recorded.roles.iter().filter(|role| open.contains(role)).cloned().collect();
        if asker.person.is_none() && !given.is_empty() {
            asker.person.clone_from(&recorded.person);
        }
        asker.roles.extend(given);
        asker.roles_unread = recorded.roles_unread && !open.is_empty();
        asker
    }
}
