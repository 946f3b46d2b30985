//! Reading TOML by hand, with spans: every wrong value and every unknown key is noted, and reading goes on.
//!
//! A key is known that is both asked for and in the list of its table, from which [`fields`](super::fields::fields) is
//! made: any other is an error, with the nearest one that is known. So nothing can be read that is not listed, and
//! nothing is listed that is passed over.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Report, Span, nearest};
use crate::time::Ttl;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

impl<T> At<T> {
    pub(super) const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    pub(super) fn map<U>(self, to: impl FnOnce(T) -> U) -> At<U> {
        At { value: to(self.value), span: self.span }
    }
}

/// A value as it stands in the file.
pub(super) type Value<'d> = Spanned<DeValue<'d>>;

/// The keys of a table, each with what it says.
pub(super) type Keys = [(&'static str, &'static str)];

/// One table that is being read.
pub(super) struct Table<'d> {
    entries: &'d DeTable<'d>,
    span: Span,
    asked: Vec<&'static str>,
    /// Keys that are wrong here, of which more was said than that.
    refused: Vec<&'static str>,
}

impl<'d> Table<'d> {
    pub(super) const fn new(entries: &'d DeTable<'d>, span: Span) -> Self {
        Self { entries, span, asked: Vec::new(), refused: Vec::new() }
    }

    /// A value as a table, or an error.
    pub(super) fn of(value: &'d Value<'d>, report: &mut Report<'_>, what: &str) -> Option<Self> {
        match value.get_ref() {
            DeValue::Table(entries) => Some(Self::new(entries, value.span())),
            other => {
                wrong_type(report, value.span(), what, "a table", other);
                None
            }
        }
    }

    /// Where the table begins.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// The value of a key, which is known from now on.
    pub(super) fn get(&mut self, key: &'static str) -> Option<&'d Value<'d>> {
        self.asked.push(key);
        self.entries.get(key)
    }

    /// Where a key stands.
    pub(super) fn key_span(&self, key: &str) -> Option<Span> {
        self.entries.get_key_value(key).map(|(key, _)| key.span())
    }

    pub(super) fn string(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<At<String>> {
        let value = self.get(key)?;
        string(value, key, report)
    }

    pub(super) fn boolean(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<At<bool>> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Boolean(yes) => Some(At::new(*yes, value.span())),
            other => {
                wrong_type(report, value.span(), key, "true or false", other);
                None
            }
        }
    }

    /// A whole number from 1 to `max`.
    pub(super) fn count(&mut self, key: &'static str, max: u32, report: &mut Report<'_>) -> Option<At<u32>> {
        let value = self.get(key)?;
        let DeValue::Integer(number) = value.get_ref() else {
            wrong_type(report, value.span(), key, "a whole number", value.get_ref());
            return None;
        };
        let number = u32::from_str_radix(number.as_str(), number.radix()).ok();
        match number.filter(|number| (1..=max).contains(number)) {
            Some(number) => Some(At::new(number, value.span())),
            None => {
                report.error(value.span(), format!("`{key}` must be a whole number from 1 to {max}"), "");
                None
            }
        }
    }

    /// A span of time, longer than nothing and at most `max`.
    pub(super) fn ttl(&mut self, key: &'static str, max: Ttl, report: &mut Report<'_>) -> Option<At<Ttl>> {
        let value = self.get(key)?;
        let DeValue::String(_) = value.get_ref() else {
            wrong_type_help(
                report,
                value,
                key,
                ("a span of time", "a whole number and a unit, such as \"30m\""),
            );
            return None;
        };
        Self::span_of(string(value, key, report)?, key, max, report)
    }

    /// A text as a span of time, longer than nothing and at most `max`.
    pub(super) fn span_of(
        text: At<String>,
        key: &'static str,
        max: Ttl,
        report: &mut Report<'_>,
    ) -> Option<At<Ttl>> {
        match text.value.parse::<Ttl>() {
            Ok(ttl) if ttl == Ttl::ZERO || ttl > max => {
                report.error(text.span, format!("`{key}` must be longer than nothing and at most {max}"), "");
                None
            }
            Ok(ttl) => Some(At::new(ttl, text.span)),
            Err(error) => {
                report.error(
                    text.span,
                    format!("`{key}` is not a span of time: `{}`", text.value),
                    error.to_string(),
                );
                None
            }
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
        report: &mut Report<'_>,
    ) -> Option<At<T>> {
        let text = self.string(key, report)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text.value) {
            return Some(At::new(*value, text.span));
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let help = match nearest(&text.value, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => String::new(),
        };
        report.error(
            text.span,
            format!("`{key}` is one of {}; not `{}`", known.join(", "), text.value),
            help,
        );
        None
    }

    /// A list of strings; absent is none, empty is empty.
    pub(super) fn strings(
        &mut self,
        key: &'static str,
        report: &mut Report<'_>,
    ) -> Option<At<Vec<At<String>>>> {
        let items = self.list(key, report)?;
        let texts = items.value.iter().filter_map(|item| string(item, key, report)).collect();
        Some(At::new(texts, items.span))
    }

    /// A list of anything.
    pub(super) fn list(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<At<&'d [Value<'d>]>> {
        let value = self.get(key)?;
        list(value, key, report)
    }

    /// A list of tables.
    pub(super) fn tables(&mut self, key: &'static str, report: &mut Report<'_>) -> Vec<Table<'d>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        if let DeValue::Table(_) = value.get_ref() {
            let span = self.key_span(key).unwrap_or_else(|| value.span());
            report.error(span, format!("there can be many of `{key}`"), format!("write [[{key}]]"));
            return Vec::new();
        }
        let Some(items) = list(value, key, report) else { return Vec::new() };
        items.value.iter().filter_map(|item| Table::of(item, report, key)).collect()
    }

    /// A table within this one.
    pub(super) fn table(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<Table<'d>> {
        let value = self.get(key)?;
        let mut table = Table::of(value, report, key)?;
        // A header's own span is its brackets; its key is what people look for.
        table.span = self.key_span(key).unwrap_or(table.span);
        Some(table)
    }

    /// Every entry, for a table whose keys are names of the author's own.
    pub(super) fn entries(&self) -> impl Iterator<Item = (At<&'d str>, &'d Value<'d>)> + use<'d> {
        self.entries.iter().map(|(key, value)| (At::new(key.get_ref().as_ref(), key.span()), value))
    }

    /// Notes a key that stands here and may not.
    pub(super) fn refuse(
        &mut self,
        key: &'static str,
        (message, help): (&str, &str),
        report: &mut Report<'_>,
    ) {
        if let Some(span) = self.key_span(key) {
            report.error(span, message, help);
            self.refused.push(key);
        }
    }

    /// Notes every key that is not in one of these lists, or that nobody asked for.
    pub(super) fn finish(self, lists: &[&Keys], what: &str, report: &mut Report<'_>) {
        let listed = lists.iter().flat_map(|keys| keys.iter()).map(|(key, _)| *key);
        let known: Vec<&str> = listed.filter(|key| self.asked.contains(key)).collect();
        for (key, _) in self.entries {
            let name: &Cow<'_, str> = key.get_ref();
            if known.iter().chain(&self.refused).any(|known| known == name) {
                continue;
            }
            let help = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", known.join(", ")),
            };
            report.error(key.span(), format!("unknown key `{name}` in {what}"), help);
        }
    }
}

/// A value as a list, or an error.
pub(super) fn list<'d>(
    value: &'d Value<'d>,
    key: &str,
    report: &mut Report<'_>,
) -> Option<At<&'d [Value<'d>]>> {
    match value.get_ref() {
        DeValue::Array(items) => Some(At::new(&items[..], value.span())),
        other => {
            wrong_type(report, value.span(), key, "a list", other);
            None
        }
    }
}

/// A value as a string, or an error.
pub(super) fn string(value: &Value<'_>, key: &str, report: &mut Report<'_>) -> Option<At<String>> {
    match value.get_ref() {
        DeValue::String(text) => Some(At::new(text.clone().into_owned(), value.span())),
        other => {
            wrong_type(report, value.span(), key, "a string", other);
            None
        }
    }
}

fn wrong_type(report: &mut Report<'_>, span: Span, key: &str, wanted: &str, got: &DeValue<'_>) {
    report.error(span, format!("`{key}` must be {wanted}; this is {}", called(got)), "");
}

fn wrong_type_help(report: &mut Report<'_>, value: &Value<'_>, key: &str, (wanted, help): (&str, &str)) {
    let got = called(value.get_ref());
    report.error(value.span(), format!("`{key}` must be {wanted}; this is {got}"), help);
}

/// A kind of value as people call it.
const fn called(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
