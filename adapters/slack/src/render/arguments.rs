//! The arguments of a call on its card: each by itself, as people read it, where that shows all of every one; else the
//! ones that decide, and all of them as JSON.

pub(super) use placet::card::argument::{Item, LINES_MAX, LINES_SHOWN, is_long, items};
use placet::card::shorten::fit;
use placet::card::{ArgView, CallView, Visible};
use placet::text::{Label, Texts};
use serde_json::Value;

use super::pieces::{bold, code, heading, line, one_line, section, sentence};
use crate::mrkdwn::preformatted_element;

/// Lines of a value that stands among those of one line.
const SHORT_LINES_MAX: usize = 4;
/// Arguments that stand in front where all stand in the JSON, each on its line.
const LEADING_MAX: usize = 6;
/// Room for the name of such an argument, in bytes of JSON.
const LEADING_NAME_BYTES: usize = 80;
/// Room for its value.
const LEADING_VALUE_BYTES: usize = 240;

/// The arguments as elements of rich text.
pub(super) struct Arguments {
    /// Those of a line, or a few: they stand first.
    pub(super) short: Vec<Value>,
    /// Those of many lines, or all as JSON: they stand last, or what else is to be known would be far below.
    pub(super) long: Vec<Value>,
}

/// The arguments of `call`, which may be cut; `whole` is the call itself.
pub(super) fn of(call: &CallView, whole: &CallView, texts: &Texts) -> Arguments {
    if let Some(items) = items(call, whole) {
        let (long, short): (Vec<_>, Vec<_>) = items.into_iter().partition(has_many_lines);
        let all = |items: &[Item<'_>]| items.iter().flat_map(|item| elements(item, texts)).collect();
        return Arguments { short: all(&short), long: all(&long) };
    }
    if whole.args.is_empty() && call.args_json == whole.args_json {
        let none = line(&texts.label(Label::Arguments), &texts.no_arguments(call.args_json.as_str()));
        return Arguments { short: vec![none], long: Vec::new() };
    }
    let leading = call.args.iter().filter(|arg| arg.leading).take(LEADING_MAX);
    let mut long = vec![heading(&texts.label(Label::Arguments))];
    long.extend(fixed(&call.args_json, &whole.args_json, texts));
    Arguments { short: leading.map(argument).collect(), long }
}

/// Text in fixed width as it stands, cut where `shown` is; of many lines the first ones, and how many those are.
pub(super) fn fixed(shown: &Visible, whole: &Visible, texts: &Texts) -> Vec<Value> {
    let total = whole.as_str().lines().count();
    let lines = shown.as_str().lines().count();
    if lines > LINES_MAX {
        let first: Vec<&str> = shown.as_str().lines().take(LINES_SHOWN).collect();
        return vec![
            preformatted_element(&first.join("\n")),
            sentence(&texts.lines_shown(LINES_SHOWN, total)),
        ];
    }
    let mut elements = vec![preformatted_element(shown.as_str())];
    // A line that is cut does not count as shown.
    elements.extend((shown != whole).then(|| sentence(&texts.lines_shown(lines.saturating_sub(1), total))));
    elements
}

/// Whether it is one of those of many lines.
fn has_many_lines(item: &Item<'_>) -> bool {
    item.value.lines().count() > SHORT_LINES_MAX
}

/// It, its name in bold: no value can pretend to be another argument.
fn elements(item: &Item<'_>, texts: &Texts) -> Vec<Value> {
    if item.is_line() {
        return vec![section(vec![bold(&format!("{}  ", item.name)), code(&item.value)])];
    }
    let mut elements = vec![heading(item.name)];
    elements.extend(fixed(item.shown, item.shown, texts));
    elements
}

/// One argument, cut to its room.
pub(super) fn argument(arg: &ArgView) -> Value {
    let name = fit(&arg.name, LEADING_NAME_BYTES);
    let value = fit(&arg.value, LEADING_VALUE_BYTES);
    section(vec![bold(&format!("{name}  ")), code(&one_line(value.as_str()))])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use placet::card::argument::ITEMS_MAX;

    use super::*;
    use crate::fixtures::{proposal, terms, view, waiting_for};

    fn shown(args: &Value) -> Option<Vec<(String, String)>> {
        let call = view(&waiting_for(proposal(args), terms())).call;
        let items = items(&call, &call)?;
        Some(items.iter().map(|item| (item.name.to_owned(), item.value.clone().into_owned())).collect())
    }

    /// R28: what is a number and what is a text that looks like one are told apart, and so is white space.
    #[test]
    fn values_of_different_kinds_look_different() {
        let values = [
            json!("a"),
            json!(42),
            json!("42"),
            json!(true),
            json!("true"),
            json!(null),
            json!("null"),
            json!(""),
            json!(" "),
            json!(" a"),
            json!("a "),
            json!("\"a\""),
            json!(["a"]),
            json!("[\"a\"]"),
            json!({ "a": 1 }),
            json!("{\"a\":1}"),
            json!("a\tb"),
            json!("a\nb"),
            json!("a\\nb"),
        ];
        let mut seen: Vec<String> =
            values.iter().map(|value| shown(&json!({ "x": value })).unwrap()[0].1.clone()).collect();
        assert_eq!(seen[..6], ["a", "42", "\"42\"", "true", "\"true\"", "null"]);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), values.len(), "{seen:?}");
    }

    #[test]
    fn no_arguments_and_too_many_are_shown_as_json() {
        assert_eq!(shown(&json!({})), None);
        let many: serde_json::Map<String, Value> =
            (0..=ITEMS_MAX).map(|number| (number.to_string(), json!(1))).collect();
        assert_eq!(shown(&many.into()), None);
    }

    proptest! {
        /// R28: two texts look the same only if they are the same once they are made visible.
        #[test]
        fn other_texts_look_different(one in "[ \"\\\\\n\t0-2a-c\\[\\]{}:]{0,6}", two in "[ \"\\\\\n\t0-2a-c\\[\\]{}:]{0,6}") {
            let of = |text: &str| shown(&json!({ "x": text })).unwrap()[0].1.clone();
            prop_assert_eq!(of(&one) == of(&two), one == two, "{:?} {:?}", one, two);
        }
    }
}
