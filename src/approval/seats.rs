//! Who fills which place, so that as many places as possible are taken. One answer for two questions: whether the
//! votes suffice, and whether a policy names people enough.

use std::collections::BTreeSet;

use crate::id::Role;
use crate::policy::{Group, Stage};

/// Puts each person, known by their roles, into at most one group; gives for every group who is in it, by their place
/// in `people`. Augmenting paths: two groups must not be held up because the one person who fits both was put into
/// the wrong one.
pub(crate) fn fill(groups: &[Group], people: &[&BTreeSet<Role>]) -> Vec<Vec<usize>> {
    let mut seated = vec![Vec::new(); groups.len()];
    for person in 0..people.len() {
        seat(person, groups, people, (&mut seated, &mut vec![false; groups.len()]));
    }
    seated
}

/// Seats one person, whoever must move over for them.
fn seat(
    person: usize,
    groups: &[Group],
    people: &[&BTreeSet<Role>],
    (seated, tried): (&mut Vec<Vec<usize>>, &mut Vec<bool>),
) -> bool {
    for group in 0..groups.len() {
        if tried[group] || !people[person].contains(&groups[group].role) {
            continue;
        }
        tried[group] = true;
        if seated[group].len() < groups[group].count as usize {
            seated[group].push(person);
            return true;
        }
        for place in 0..seated[group].len() {
            if seat(seated[group][place], groups, people, (seated, tried)) {
                seated[group][place] = person;
                return true;
            }
        }
    }
    false
}

/// Every group of these stages, which distinct people fill together: nobody counts twice.
pub(crate) fn groups(stages: &[Stage]) -> Vec<Group> {
    stages.iter().flat_map(|stage| stage.groups.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn group(role: &str, count: u32) -> Group {
        Group { role: Role::new(role).unwrap(), count }
    }

    fn roles(names: &[&str]) -> BTreeSet<Role> {
        names.iter().map(|name| Role::new(name).unwrap()).collect()
    }

    /// R18: one person fills one place; who fits both groups goes where they are needed.
    #[test]
    fn people_are_seated_where_they_are_needed() {
        let groups = [group("team", 1), group("finance", 1)];
        let both = roles(&["team", "finance"]);
        let team = roles(&["team"]);
        assert_eq!(fill(&groups, &[&both]), [vec![0], vec![]], "one person is one vote");
        assert_eq!(fill(&groups, &[&both, &team]), [vec![1], vec![0]], "the first moves over for the second");
        assert_eq!(fill(&groups, &[&team, &team]), [vec![0], vec![]]);
    }

    /// The most places that can be taken, by trying everything.
    fn most(groups: &[Group], people: &[BTreeSet<Role>], taken: &mut Vec<u32>) -> u32 {
        let Some((person, others)) = people.split_first() else { return taken.iter().sum() };
        let mut best = most(groups, others, taken);
        for (index, group) in groups.iter().enumerate() {
            if taken[index] < group.count && person.contains(&group.role) {
                taken[index] += 1;
                best = best.max(most(groups, others, taken));
                taken[index] -= 1;
            }
        }
        best
    }

    proptest! {
        /// R18: nobody sits twice or where they do not fit, and no other seating takes more places.
        #[test]
        fn no_seating_takes_more_places(
            wanted in prop::collection::vec((0..3_usize, 1..3_u32), 1..4),
            people in prop::collection::vec(prop::collection::btree_set(0..3_usize, 0..3), 0..6),
        ) {
            let names = ["team", "finance", "admin"];
            let groups: Vec<_> = wanted.iter().map(|(role, count)| group(names[*role], *count)).collect();
            let people: Vec<_> = people
                .iter()
                .map(|has| roles(&has.iter().map(|role| names[*role]).collect::<Vec<_>>()))
                .collect();
            let seated = fill(&groups, &people.iter().collect::<Vec<_>>());
            let mut once = BTreeSet::new();
            for (group, inside) in groups.iter().zip(&seated) {
                prop_assert!(inside.len() <= group.count as usize);
                for person in inside {
                    prop_assert!(once.insert(*person) && people[*person].contains(&group.role));
                }
            }
            let taken = u32::try_from(once.len()).unwrap();
            prop_assert_eq!(taken, most(&groups, &people, &mut vec![0; groups.len()]));
        }
    }
}
