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

#[macro_use]
mod key;
mod after;
mod asked;
mod card;
mod command;
mod deciding;
mod dialogs;
mod digest;
mod happened;
mod home;
mod list;
mod notice;
mod opening;
mod refusal;
mod reply;
mod schema;
mod state;
mod stopped;
#[cfg(test)]
mod tests;
#[cfg(feature = "policy")]
mod thread;
#[cfg(feature = "policy")]
mod told;
mod undelivered;

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent::concurrent::FluentBundle;
use fluent::{FluentArgs, FluentResource};

use crate::card::visible_line;
use crate::time::Timestamp;

pub use command::CommandLabel;
pub use deciding::DecidingLabel;
pub use dialogs::DialogText;
pub use happened::Witness;
pub use key::{Label, Trouble};
pub use reply::{NoWay, Unproven, Written, YesWay};

/// The files of a language, one for each thing that people read.
macro_rules! files {
    ($language:literal) => {
        &[
            include_str!(concat!("text/", $language, "/asked.ftl")),
            include_str!(concat!("text/", $language, "/after.ftl")),
            include_str!(concat!("text/", $language, "/card.ftl")),
            include_str!(concat!("text/", $language, "/command.ftl")),
            include_str!(concat!("text/", $language, "/deciding.ftl")),
            include_str!(concat!("text/", $language, "/dialogs.ftl")),
            include_str!(concat!("text/", $language, "/digest.ftl")),
            include_str!(concat!("text/", $language, "/home.ftl")),
            include_str!(concat!("text/", $language, "/opening.ftl")),
            include_str!(concat!("text/", $language, "/reply.ftl")),
            include_str!(concat!("text/", $language, "/schema.ftl")),
            include_str!(concat!("text/", $language, "/stopped.ftl")),
            include_str!(concat!("text/", $language, "/thread.ftl")),
            include_str!(concat!("text/", $language, "/undelivered.ftl")),
        ]
    };
}

/// A language that the catalogue has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
    /// Chinese in simplified characters.
    SimplifiedChinese,
}

impl Language {
    /// Every language there is.
    pub const ALL: [Self; 2] = [Self::English, Self::SimplifiedChinese];

    /// Its BCP 47 tag, as in a reader's profile or a setting.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::SimplifiedChinese => "zh-Hans",
        }
    }

    /// The language for a BCP 47 tag such as a profile's `zh-CN`, by its first part; none if the catalogue lacks it, so
    /// that the next in line decides.
    ///
    /// Whoever writes Chinese in traditional characters (`zh-TW`) gets the simplified ones: they read them with less
    /// effort, and more surely in the middle of the night, than a foreign language.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        let first = |tag: &str| tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        Self::ALL.into_iter().find(|language| first(language.tag()) == first(tag))
    }

    /// Its files: one for each thing that people read.
    const fn sources(self) -> &'static [&'static str] {
        match self {
            Self::English => files!("en"),
            Self::SimplifiedChinese => files!("zh"),
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

    /// The catalogue in a language, read once.
    #[must_use]
    pub fn of(language: Language) -> &'static Self {
        static ENGLISH: LazyLock<Texts> = LazyLock::new(|| Texts::new(Language::English));
        static CHINESE: LazyLock<Texts> = LazyLock::new(|| Texts::new(Language::SimplifiedChinese));
        match language {
            Language::English => &ENGLISH,
            Language::SimplifiedChinese => &CHINESE,
        }
    }

    /// The catalogue in a language, for a surface whose commands begin with another word than `/placet`.
    #[must_use]
    pub fn with_commands(language: Language, word: &str) -> Self {
        let mut texts = Self::new(language);
        // As a literal, in which only these two signs mean something else than themselves.
        let literal = word.replace('\\', "\\\\").replace('"', "\\\"");
        let term = format!("-command = {{ \"{literal}\" }}\n");
        for bundle in &mut texts.bundles {
            match FluentResource::try_new(term.clone()) {
                Ok(resource) => bundle.add_resource_overriding(resource),
                Err(_) => tracing::error!("the word that commands begin with cannot be read"),
            }
        }
        texts
    }

    /// The English catalogue.
    #[must_use]
    pub fn english() -> &'static Self {
        Self::of(Language::English)
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

/// Reads a language's files. What cannot be read is left out, which the fallback and a test make good.
fn bundle(language: Language) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new_concurrent(vec![language.tag().parse().unwrap_or_default()]);
    // Else each inserted text would stand between two invisible characters.
    bundle.set_use_isolating(false);
    for source in language.sources() {
        let resource = FluentResource::try_new((*source).to_owned()).unwrap_or_else(|(resource, errors)| {
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
    }
    bundle
}
