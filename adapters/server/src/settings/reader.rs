//! Reading TOML by hand, with places: every wrong value and every unknown key is noted, and reading goes on.
//!
//! What was asked for is what is known: a key that nobody asked for is an error, with the nearest one that somebody
//! did ask for.

use placet::time::Ttl;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Report, Span};

/// How alike a written and a known key must be for the one to be taken for the other, from 0 to 1.
const ALIKE: f32 = 0.6;

/// A value as it stands in the file.
pub(super) type Value<'d> = Spanned<DeValue<'d>>;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// One table that is being read.
pub(super) struct Section<'d> {
    entries: &'d DeTable<'d>,
    path: String,
    span: Span,
    asked: Vec<&'static str>,
}

impl<'d> Section<'d> {
    /// The whole file.
    pub(super) const fn root(entries: &'d DeTable<'d>) -> Self {
        Self { entries, path: String::new(), span: 0..0, asked: Vec::new() }
    }

    /// A value as a table, or an error.
    pub(super) fn of(value: &'d Value<'d>, path: String, report: &mut Report<'_>) -> Option<Self> {
        match value.get_ref() {
            DeValue::Table(entries) => Some(Self { entries, path, span: value.span(), asked: Vec::new() }),
            other => {
                wrong_type(report, &value.span(), &path, "a table", other);
                None
            }
        }
    }

    /// A key with the tables it stands in; without a key, the table itself.
    pub(super) fn path(&self, key: &str) -> String {
        match (self.path.as_str(), key) {
            ("", key) => key.to_owned(),
            (path, "") => path.to_owned(),
            (path, key) => format!("{path}.{key}"),
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

    /// Where a key stands, if it is there.
    pub(super) fn key_span(&self, key: &str) -> Option<Span> {
        self.entries.get_key_value(key).map(|(key, _)| key.span())
    }

    /// Notes something about a key: at the key if it is there, else at the table.
    pub(super) fn note(&self, key: &str, message: &str, remedy: &str, report: &mut Report<'_>) {
        let span = self.key_span(key).unwrap_or_else(|| self.span());
        report.add(&span, &self.path(key), message, remedy);
    }

    /// A table within this one.
    pub(super) fn section(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<Self> {
        let value = self.get(key)?;
        let mut section = Self::of(value, self.path(key), report)?;
        section.span = self.key_span(key).unwrap_or(section.span);
        Some(section)
    }

    /// Every table within this one, by names of the author's own.
    pub(super) fn each(self, report: &mut Report<'_>) -> Vec<(At<String>, Self)> {
        let tables = self.entries.iter().filter_map(|(key, value)| {
            let name = key.get_ref().as_ref().to_owned();
            let mut section = Self::of(value, self.path(&name), report)?;
            section.span = key.span();
            Some((At { value: name, span: key.span() }, section))
        });
        tables.collect()
    }

    /// Every text within this one, by names of the author's own.
    pub(super) fn texts(self, report: &mut Report<'_>) -> Vec<(At<String>, At<String>)> {
        let texts = self.entries.iter().filter_map(|(key, value)| {
            let name = key.get_ref().as_ref().to_owned();
            let text = string(value, &self.path(&name), report)?;
            Some((At { value: name, span: key.span() }, text))
        });
        texts.collect()
    }

    /// Text that is not empty.
    pub(super) fn string(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<At<String>> {
        let path = self.path(key);
        let value = self.get(key)?;
        let text = string(value, &path, report)?;
        if text.value.trim().is_empty() {
            report.add(&text.span, &path, "it is empty", "give it a value, or take the line out");
            return None;
        }
        Some(text)
    }

    /// Text that must be there.
    pub(super) fn needed(
        &mut self,
        key: &'static str,
        example: &str,
        report: &mut Report<'_>,
    ) -> Option<At<String>> {
        if self.key_span(key).is_none() {
            self.asked.push(key);
            report.add(&self.span(), &self.path(key), "it is missing", format!("such as {key} = {example}"));
            return None;
        }
        self.string(key, report)
    }

    /// Text that is read by its type; the type's own error says what is wrong.
    pub(super) fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &mut self,
        key: &'static str,
        example: &str,
        report: &mut Report<'_>,
    ) -> Option<At<T>> {
        let text = self.string(key, report)?;
        self.parse(key, &text, example, report)
    }

    /// The same for text that was read already.
    pub(super) fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        key: &str,
        text: &At<String>,
        example: &str,
        report: &mut Report<'_>,
    ) -> Option<At<T>> {
        match text.value.parse() {
            Ok(value) => Some(At { value, span: text.span.clone() }),
            Err(error) => {
                let message = format!("`{}` does not fit: {error}", text.value);
                report.add(&text.span, &self.path(key), message, format!("such as {key} = {example}"));
                None
            }
        }
    }

    pub(super) fn boolean(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<bool> {
        let path = self.path(key);
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Boolean(yes) => Some(*yes),
            other => {
                wrong_type(report, &value.span(), &path, "true or false", other);
                None
            }
        }
    }

    /// A whole number within bounds.
    pub(super) fn count(
        &mut self,
        key: &'static str,
        bounds: std::ops::RangeInclusive<u32>,
        report: &mut Report<'_>,
    ) -> Option<u32> {
        let path = self.path(key);
        let value = self.get(key)?;
        let DeValue::Integer(number) = value.get_ref() else {
            wrong_type(report, &value.span(), &path, "a whole number", value.get_ref());
            return None;
        };
        let number = u32::from_str_radix(number.as_str(), number.radix()).ok();
        let fits = number.filter(|number| bounds.contains(number));
        if fits.is_none() {
            let remedy = format!("a whole number from {} to {}", bounds.start(), bounds.end());
            report.add(&value.span(), &path, "it is out of bounds", remedy);
        }
        fits
    }

    /// A span of time within bounds.
    pub(super) fn ttl(
        &mut self,
        key: &'static str,
        bounds: std::ops::RangeInclusive<Ttl>,
        report: &mut Report<'_>,
    ) -> Option<Ttl> {
        let read = self.parsed::<Ttl>(key, "\"30s\"", report)?;
        if bounds.contains(&read.value) {
            return Some(read.value);
        }
        let remedy = format!("a span of time from {} to {}", bounds.start(), bounds.end());
        report.add(&read.span, &self.path(key), format!("{} is out of bounds", read.value), remedy);
        None
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
        report: &mut Report<'_>,
    ) -> Option<T> {
        let text = self.string(key, report)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text.value) {
            return Some(*value);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let remedy = match nearest(&text.value, &known) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("one of: {}", known.join(", ")),
        };
        report.add(&text.span, &self.path(key), format!("`{}` is not known", text.value), remedy);
        None
    }

    /// A list of texts; absent is none, empty is empty.
    pub(super) fn strings(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<Vec<At<String>>> {
        let path = self.path(key);
        let value = self.get(key)?;
        let DeValue::Array(items) = value.get_ref() else {
            wrong_type(report, &value.span(), &path, "a list", value.get_ref());
            return None;
        };
        Some(items.iter().filter_map(|item| string(item, &path, report)).collect())
    }

    /// Notes every key that nobody asked for.
    pub(super) fn finish(self, report: &mut Report<'_>) {
        for (key, _) in self.entries {
            let name = key.get_ref().as_ref();
            if self.asked.contains(&name) {
                continue;
            }
            let remedy = match nearest(name, &self.asked) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", self.asked.join(", ")),
            };
            report.add(&key.span(), &self.path(name), "there is no such setting", remedy);
        }
    }
}

/// A value as text, or an error.
fn string(value: &Value<'_>, path: &str, report: &mut Report<'_>) -> Option<At<String>> {
    match value.get_ref() {
        DeValue::String(text) => Some(At { value: text.clone().into_owned(), span: value.span() }),
        other => {
            wrong_type(report, &value.span(), path, "text in quotes", other);
            None
        }
    }
}

fn wrong_type(report: &mut Report<'_>, span: &Span, path: &str, wanted: &str, got: &DeValue<'_>) {
    let got = match got {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    report.add(span, path, format!("it is {got}"), format!("it must be {wanted}"));
}

/// The known name that somebody probably meant; none if nothing is near.
fn nearest<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    similar::get_close_matches(written, known, 1, ALIKE).into_iter().next()
}
