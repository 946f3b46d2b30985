//! The one catalogue of all texts that people read, in every language there is (Fluent).
//!
//! - Whoever needs a text calls a typed function; the catalogue's keys are known only here.
//! - A language that lacks a text falls back to English; English is complete, and a test holds it to that.
//! - Text that is not the catalogue's own (names, reasons, arguments) is made visible, then put through the surface's
//!   [`Markup`], and then inserted as it is: it is never read as Fluent syntax, nor as a key.
//! - The catalogue itself holds none of the characters that surfaces escape, so that a surface escapes only what is
//!   inserted, and a time may be a token of the surface's own.
//!
//! What a model reads is not for people and does not stand here.

mod card;
mod key;
mod list;
mod notice;
mod refusal;
mod state;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent::concurrent::FluentBundle;
use fluent::{FluentArgs, FluentResource};

use crate::card::visible_line;
use crate::time::Timestamp;

pub use key::{Label, Trouble};

/// A language that the catalogue has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
}

impl Language {
    /// Every language there is.
    pub const ALL: [Self; 1] = [Self::English];

    /// Its BCP 47 tag, as in a reader's profile or a setting.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
        }
    }

    /// The language for a BCP 47 tag: the one of that tag, else of its first part, else English.
    #[must_use]
    pub fn of_tag(tag: &str) -> Self {
        let primary = tag.split(['-', '_']).next().unwrap_or(tag);
        let same =
            |one: &str| Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(one));
        same(tag).or_else(|| same(primary)).unwrap_or(Self::English)
    }

    const fn source(self) -> &'static str {
        match self {
            Self::English => include_str!("text/en.ftl"),
        }
    }
}

/// How a surface writes what is not the catalogue's own.
#[derive(Clone, Copy)]
pub struct Markup<'a> {
    /// Escapes text for the surface (Slack's `&<>`); it is visible already.
    pub text: &'a (dyn Fn(&str) -> String + Sync),
    /// Writes a time: in the reader's own zone where the surface can.
    pub time: &'a (dyn Fn(Timestamp) -> String + Sync),
}

impl Markup<'static> {
    /// For surfaces without any markup: text as it is, times in UTC.
    pub const PLAIN: Self = Self { text: &ToOwned::to_owned, time: &Timestamp::to_clock_utc };
}

impl Markup<'_> {
    /// Foreign text that was not made visible before.
    fn raw(&self, text: &str) -> String {
        (self.text)(visible_line(text).as_str())
    }
}

impl std::fmt::Debug for Markup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Markup")
    }
}

/// The catalogue in one language.
pub struct Texts {
    language: Language,
    /// The language's own, then English.
    bundles: Vec<FluentBundle<FluentResource>>,
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Texts").field("language", &self.language).finish_non_exhaustive()
    }
}

impl Texts {
    /// The catalogue in a language.
    #[must_use]
    pub fn new(language: Language) -> Self {
        let mut bundles = vec![bundle(language)];
        if language != Language::English {
            bundles.push(bundle(Language::English));
        }
        Self { language, bundles }
    }

    /// The English catalogue, read once.
    #[must_use]
    pub fn english() -> &'static Self {
        static ENGLISH: LazyLock<Texts> = LazyLock::new(|| Texts::new(Language::English));
        &ENGLISH
    }

    /// Which language it is.
    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    fn say(&self, id: &'static str, args: Option<&FluentArgs<'_>>) -> String {
        for bundle in &self.bundles {
            let Some(pattern) = bundle.get_message(id).and_then(|message| message.value()) else { continue };
            let mut errors = Vec::new();
            let text: Cow<'_, str> = bundle.format_pattern(pattern, args, &mut errors);
            if !errors.is_empty() {
                tracing::error!(
                    text.id = id,
                    text.language = self.language.tag(),
                    "a text of the catalogue is wrong"
                );
            }
            return text.into_owned();
        }
        tracing::error!(text.id = id, "a text is missing in the catalogue");
        id.to_owned()
    }
}

/// Reads a language's file. What cannot be read is left out, which the fallback and a test make good.
fn bundle(language: Language) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new_concurrent(vec![language.tag().parse().unwrap_or_default()]);
    // Else each inserted text would stand between two invisible characters.
    bundle.set_use_isolating(false);
    let resource =
        FluentResource::try_new(language.source().to_owned()).unwrap_or_else(|(resource, errors)| {
            tracing::error!(
                text.language = language.tag(),
                text.errors = errors.len(),
                "the catalogue cannot be read whole"
            );
            resource
        });
    if let Err(errors) = bundle.add_resource(resource) {
        tracing::error!(
            text.language = language.tag(),
            text.errors = errors.len(),
            "the catalogue contradicts itself"
        );
    }
    bundle
}
