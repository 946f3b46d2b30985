//! The arguments of a call on its card: each by itself, as people read it, where that shows all of every one; else the
//! ones that decide, and all of them as JSON.
//!
//! Shown by itself, no argument can be taken for another, nor its value for another value: a text that could be read as
//! JSON, or whose white space would not be seen, stands in quotes as JSON writes it; anything but a text is JSON.

use std::borrow::Cow;

use placet::card::{ArgView, CallView, Visible};
use placet::text::{Label, Texts};
use serde_json::Value;

use super::pieces::{bold, code, heading, line, one_line, section, sentence};
use super::shorten::fit;
use crate::mrkdwn::preformatted_element;

/// Arguments that are shown each by itself; more are easier to read as JSON.
const ITEMS_MAX: usize = 12;
/// Lines of one text that are still read on a card. Of a text with more, the card shows the first ones, and a yes is said
/// in Details, below all of it.
const LINES_MAX: usize = 40;
/// How many those are: enough to tell what it is.
const LINES_SHOWN: usize = 8;
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
        let (long, short): (Vec<_>, Vec<_>) = items.into_iter().partition(Item::is_long);
        let elements = |items: &[Item<'_>]| items.iter().flat_map(|item| item.elements(texts)).collect();
        return Arguments { short: elements(&short), long: elements(&long) };
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

/// Whether something of the call has more lines than are read on a card: then the card shows the first ones, and is not
/// the whole call.
pub(super) fn is_long(call: &CallView) -> bool {
    let has_many = |text: &str| text.lines().count() > LINES_MAX;
    let arguments = match items(call, call) {
        Some(items) => items.iter().any(|item| has_many(&item.value)),
        None => has_many(call.args_json.as_str()),
    };
    let edited = call.edited.as_ref().map(|edited| &edited.changes);
    arguments || [call.preview.as_ref(), edited].into_iter().flatten().any(|text| has_many(text.as_str()))
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

/// An argument whose value stands here as it is to be shown.
pub(super) struct Item<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its value.
    pub(super) value: Cow<'a, str>,
    /// Its value as it came.
    shown: &'a Visible,
}

impl Item<'_> {
    /// Whether it has one line.
    pub(super) fn is_line(&self) -> bool {
        !self.value.contains('\n')
    }

    fn is_long(&self) -> bool {
        self.value.lines().count() > SHORT_LINES_MAX
    }

    /// It, its name in bold: no value can pretend to be another argument.
    fn elements(&self, texts: &Texts) -> Vec<Value> {
        if self.is_line() {
            return vec![section(vec![bold(&format!("{}  ", self.name)), code(&self.value)])];
        }
        let mut elements = vec![heading(self.name)];
        elements.extend(fixed(self.shown, self.shown, texts));
        elements
    }
}

/// Every argument, whole; none where they are too many, cut, or there is none.
pub(super) fn items<'a>(call: &'a CallView, whole: &CallView) -> Option<Vec<Item<'a>>> {
    let is_whole = call.args_json == whole.args_json;
    let is_few = (1..=ITEMS_MAX).contains(&call.args.len());
    (is_whole && is_few).then(|| call.args.iter().map(item).collect())
}

fn item(arg: &ArgView) -> Item<'_> {
    let text = arg.value.as_str();
    let is_plain = text.contains('\n') || (text.trim() == text && !text.contains('\t') && !text.is_empty());
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let value = if arg.is_text && (is_json || !is_plain) {
        Cow::Owned(Value::from(text).to_string())
    } else {
        Cow::Borrowed(text)
    };
    Item { name: arg.name.as_str(), value, shown: &arg.value }
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
