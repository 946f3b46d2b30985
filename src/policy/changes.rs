//! What changed between two texts of a policy, a line each, for the record and for who agrees to a change.
//!
//! It goes by the texts alone, and by no list of keys: whatever a policy can say is compared, also what this version
//! does not know any more. Things with a name (a rule, a person) are compared by it, wherever they stand; where order
//! decides, a new order is a change of its own.

use toml::{Table, Value};

/// The most lines: whoever changes more than this reads the text itself.
pub const CHANGES_MAX: usize = 100;

/// Keys that name a thing in a list of tables.
const NAMES: [&str; 4] = ["id", "name", "slack", "matrix_room"];

/// Parts of a policy that are told first, in this order: what may loosen it, and who decides.
const FIRST: [&str; 7] = ["forbid", "raise", "rule", "levels", "roles", "people", "change"];

/// What changed between two texts, at most [`CHANGES_MAX`] lines; the last then says how many more there are. Empty where
/// both say the same, be it in other words: comments and spaces are no change. What may loosen a policy comes first.
#[must_use]
pub fn changes(before: &str, now: &str) -> Vec<String> {
    let mut lines = all(before, now);
    if lines.len() > CHANGES_MAX {
        let more = lines.len() - (CHANGES_MAX - 1);
        lines.truncate(CHANGES_MAX - 1);
        lines.push(format!("and {more} more"));
    }
    lines
}

/// What changed between two texts, as [`changes`] tells it, where that is all of it; none where it is too many lines.
#[must_use]
pub fn changes_in_full(before: &str, now: &str) -> Option<Vec<String>> {
    Some(all(before, now)).filter(|lines| lines.len() <= CHANGES_MAX)
}

fn all(before: &str, now: &str) -> Vec<String> {
    let (Ok(before), Ok(now)) = (before.parse::<Table>(), now.parse::<Table>()) else {
        return vec!["one of the two texts is not TOML".to_owned()];
    };
    let mut lines = Vec::new();
    table("", &before, &now, &mut lines);
    lines.sort_by_key(|line| {
        let part = line.split(['.', ' ', ':']).next().unwrap_or_default();
        FIRST.iter().position(|first| *first == part).unwrap_or(FIRST.len())
    });
    lines
}

/// Compares key by key: those that are gone or other, then those that are new.
fn table(path: &str, before: &Table, now: &Table, lines: &mut Vec<String>) {
    for (key, old) in before {
        match now.get(key) {
            None => gone(&join(path, key), old, lines),
            Some(new) if new != old => value(&join(path, key), old, new, lines),
            Some(_) => {}
        }
    }
    for (key, new) in now.iter().filter(|(key, _)| !before.contains_key(*key)) {
        come(&join(path, key), new, lines);
    }
}

fn value(path: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
    match (old, new) {
        // Tables of tables, such as the levels, are told apart; one table's keys are told together.
        (Value::Table(old), Value::Table(new)) if holds_tables(old) || holds_tables(new) => {
            table(path, old, new, lines);
        }
        (Value::Table(old), Value::Table(new)) => {
            lines.push(format!("{path}: changed ({})", keys(old, new)));
        }
        (Value::Array(old), Value::Array(new)) if named(old) && named(new) => {
            things(path, old, new, lines);
        }
        (Value::Array(_), Value::Array(_)) => lines.push(format!("{path}: changed")),
        (old, new) => lines.push(format!("{path}: {old} became {new}")),
    }
}

/// Compares lists of things with names.
fn things(path: &str, before: &[Value], now: &[Value], lines: &mut Vec<String>) {
    let find = |list: &[Value], wanted: &str| {
        list.iter().find(|thing| name(thing) == Some(wanted)).and_then(Value::as_table).cloned()
    };
    for thing in before {
        let (Some(name), Some(old)) = (name(thing), thing.as_table()) else { continue };
        match find(now, name) {
            None => lines.push(format!("{path} {name}: removed")),
            Some(new) if new != *old => lines.push(format!("{path} {name}: changed ({})", keys(old, &new))),
            Some(_) => {}
        }
    }
    for name in now.iter().filter_map(name).filter(|name| find(before, name).is_none()) {
        lines.push(format!("{path} {name}: added"));
    }
    let order = |list: &[Value], other: &[Value]| -> Vec<String> {
        let kept = list.iter().filter_map(name).filter(|name| find(other, name).is_some());
        kept.map(ToOwned::to_owned).collect()
    };
    if order(before, now) != order(now, before) {
        lines.push(format!("{path}: another order"));
    }
}

fn gone(path: &str, old: &Value, lines: &mut Vec<String>) {
    told(path, old, "removed", lines);
}

fn come(path: &str, new: &Value, lines: &mut Vec<String>) {
    told(path, new, "added", lines);
}

/// A value that is there on one side only; a list of named things by the things, a table of tables by the tables.
fn told(path: &str, value: &Value, what: &str, lines: &mut Vec<String>) {
    match value {
        Value::Array(things) if named(things) => {
            lines.extend(things.iter().filter_map(name).map(|name| format!("{path} {name}: {what}")));
        }
        Value::Table(table) if !table.is_empty() && table.values().all(Value::is_table) => {
            lines.extend(table.keys().map(|key| format!("{}: {what}", join(path, key))));
        }
        Value::Table(_) | Value::Array(_) => lines.push(format!("{path}: {what}")),
        plain => lines.push(format!("{path}: {what} ({plain})")),
    }
}

/// The keys that differ between two tables.
fn keys(old: &Table, new: &Table) -> String {
    let mut keys: Vec<&str> = old.keys().chain(new.keys()).map(String::as_str).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| old.get(*key) != new.get(*key));
    keys.join(", ")
}

fn holds_tables(table: &Table) -> bool {
    table.values().any(|value| value.is_table() || matches!(value, Value::Array(items) if named(items)))
}

/// Whether these are tables that each have a name of their own.
fn named(items: &[Value]) -> bool {
    let mut names: Vec<&str> = items.iter().filter_map(name).collect();
    let all = !items.is_empty() && names.len() == items.len();
    names.sort_unstable();
    names.dedup();
    all && names.len() == items.len()
}

fn name(thing: &Value) -> Option<&str> {
    let table = thing.as_table()?;
    NAMES.iter().find_map(|key| table.get(*key)?.as_str())
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = r#"
version = "1"
places = [{ surface = "slack", channel = "C024BE91L" }]
[levels.high]
tier = "approve"
count = 1
[default]
level = "high"
[[rule]]
name = "reads"
tools = ["read_*"]
level = "low"
[[rule]]
name = "deletes"
tools = ["delete_*"]
level = "high"
[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
[[people]]
id = "vic"
name = "Vic"
roles = ["viewer"]
"#;

    /// R20: what changed is on record, by the names of rules, levels and people.
    #[test]
    fn what_changed_is_told_by_name() {
        let now = BEFORE
            .replace("\"1\"", "\"2\"")
            .replace("count = 1", "count = 2\ndecide_within = \"1h\"")
            .replace("roles = [\"viewer\"]", "roles = [\"admin\"]")
            .replace("name = \"deletes\"", "name = \"removes\"");
        let now = format!(
            "{now}[[people]]\nid = \"eve\"\nname = \"Eve\"\nroles = [\"admin\"]\n[[forbid]]\nname = \"drops\"\n\
             tools = [\"drop_*\"]\n[levels.critical]\ncount = 2\n"
        );
        assert_eq!(
            changes(BEFORE, &now),
            [
                "forbid drops: added",
                "rule deletes: removed",
                "rule removes: added",
                "levels.high: changed (count, decide_within)",
                "levels.critical: added",
                "people vic: changed (roles)",
                "people eve: added",
                "version: \"1\" became \"2\"",
            ]
        );
        assert!(changes(&now, BEFORE).contains(&"forbid drops: removed".to_owned()));
    }

    /// The order of rules decides; the order of people does not, but is told all the same.
    #[test]
    fn another_order_is_a_change_and_other_words_are_none() {
        let (first, rest) = BEFORE.split_once("[[rule]]\nname = \"deletes\"").unwrap();
        let (deletes, people) = rest.split_once("[[people]]").unwrap();
        let (head, reads) = first.split_once("[[rule]]").unwrap();
        let swapped = format!("{head}[[rule]]\nname = \"deletes\"{deletes}[[rule]]{reads}[[people]]{people}");
        assert_eq!(changes(BEFORE, &swapped), ["rule: another order"]);
        assert_eq!(changes(BEFORE, &format!("# a word\n{BEFORE}\n\n")), Vec::<String>::new());
        assert_eq!(changes(BEFORE, "version = "), ["one of the two texts is not TOML"]);
    }

    #[test]
    fn a_flood_of_changes_is_cut_and_says_so() {
        let many: String = (0..150)
            .map(|n| format!("[[people]]\nid = \"p{n}\"\nname = \"P\"\nroles = [\"admin\"]\n"))
            .collect();
        let lines = changes(BEFORE, &format!("{BEFORE}{many}"));
        assert_eq!((lines.len(), lines.last().unwrap().as_str()), (CHANGES_MAX, "and 51 more"));
        assert_eq!(changes_in_full(BEFORE, &format!("{BEFORE}{many}")), None);
        assert_eq!(changes_in_full(BEFORE, BEFORE), Some(Vec::new()));
    }

    /// R28: what may loosen a policy is told before anything else, also where there is too much to tell.
    #[test]
    fn what_loosens_is_told_first() {
        let parts = "[[forbid]]\nname = \"drops\"\n[[raise]]\nname = \"nights\"\n[[rule]]\nname = \"reads\"\n\
                     [levels.low]\n[roles]\n[[people]]\nid = \"bo\"\n[change]\n";
        let many: String = (0..150).map(|n| format!("[tools.t{n}]\ntitle = \"T\"\n")).collect();
        let lines = changes(&format!("{parts}{many}"), "");
        assert_eq!(
            lines[..7],
            [
                "forbid drops: removed",
                "raise nights: removed",
                "rule reads: removed",
                "levels.low: removed",
                "roles: removed",
                "people bo: removed",
                "change: removed",
            ]
        );
    }
}
