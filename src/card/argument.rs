//! The arguments of a call as people read them, each by itself.
//!
//! Shown by itself, no argument can be taken for another, nor its value for another value: a text that could be read as
//! JSON, or whose white space would not be seen, stands in quotes as JSON writes it; anything but a text is JSON.

use std::borrow::Cow;

use serde_json::Value;

use super::{ArgView, CallView, Visible};

/// Arguments that are shown each by itself; more are easier to read as JSON.
pub const ITEMS_MAX: usize = 12;
/// Lines of one text that are still read on a card. Of a text with more, the card shows the first ones, and a yes is said
/// where the whole stands, below all of it.
pub const LINES_MAX: usize = 40;
/// How many those are: enough to tell what it is.
pub const LINES_SHOWN: usize = 8;

/// An argument whose value stands here as it is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: Cow<'a, str>,
    /// Its value as it came.
    pub shown: &'a Visible,
}

impl Item<'_> {
    /// Whether it has one line.
    #[must_use]
    pub fn is_line(&self) -> bool {
        !self.value.contains('\n')
    }
}

/// Every argument, whole; none where they are too many, cut, or there is none.
#[must_use]
pub fn items<'a>(call: &'a CallView, whole: &CallView) -> Option<Vec<Item<'a>>> {
    let is_whole = call.args_json == whole.args_json;
    let is_few = (1..=ITEMS_MAX).contains(&call.args.len());
    (is_whole && is_few).then(|| call.args.iter().map(item).collect())
}

/// Whether something of the call has more lines than are read on a card: then the card shows the first ones, and is not
/// the whole call.
#[must_use]
pub fn is_long(call: &CallView) -> bool {
    let has_many = |text: &str| text.lines().count() > LINES_MAX;
    let arguments = match items(call, call) {
        Some(items) => items.iter().any(|item| has_many(&item.value)),
        None => has_many(call.args_json.as_str()),
    };
    let edited = call.edited.as_ref().map(|edited| &edited.changes);
    arguments || [call.preview.as_ref(), edited].into_iter().flatten().any(|text| has_many(text.as_str()))
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
