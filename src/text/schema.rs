//! What a tool's schema has against arguments, as people read it beside a field.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::ports::schemas::{Kind, Misfit, Mismatch};

keys! {
    /// A text about what a tool takes.
    pub(super) enum SchemaKey {
        Unknown = "schema-unknown",
        Within = "schema-within",
        Or = "schema-or",
        Wanted = "schema-wanted",
        Text = "schema-text",
        Whole = "schema-whole",
        Number = "schema-number",
        Boolean = "schema-boolean",
        List = "schema-list",
        Object = "schema-object",
        Null = "schema-null",
        Missing = "schema-missing",
        Unexpected = "schema-unexpected",
        NotAmong = "schema-not-among",
        Least = "schema-least",
        MoreThan = "schema-more-than",
        Most = "schema-most",
        LessThan = "schema-less-than",
        Multiple = "schema-multiple",
        Short = "schema-short",
        Long = "schema-long",
        Few = "schema-few",
        Many = "schema-many",
        Twice = "schema-twice",
        Pattern = "schema-pattern",
        Form = "schema-form",
        Other = "schema-other",
    }
}

impl Texts {
    /// That it is not known what the tool takes.
    #[must_use]
    pub fn schema_unknown(&self) -> String {
        self.say(SchemaKey::Unknown.id(), None)
    }

    /// What does not fit, beside the field of its argument; deeper in it, with the way there.
    #[must_use]
    pub fn mismatch(&self, mismatch: &Mismatch, markup: &Markup<'_>) -> String {
        if mismatch.at.len() < 2 {
            return self.misfit(&mismatch.what, markup);
        }
        self.mismatch_elsewhere(mismatch, markup)
    }

    /// The same where it does not stand beside the field of its argument: with the way there.
    #[must_use]
    pub fn mismatch_elsewhere(&self, mismatch: &Mismatch, markup: &Markup<'_>) -> String {
        let what = self.misfit(&mismatch.what, markup);
        let path = mismatch.path();
        let path = markup.raw(path.strip_prefix("args.").unwrap_or(&path));
        self.say(SchemaKey::Within.id(), Some(&fluent_args!["path" => path, "what" => what]))
    }

    /// What does not fit, wherever it stands.
    #[must_use]
    pub fn misfit(&self, what: &Misfit, markup: &Markup<'_>) -> String {
        let with = |key: SchemaKey, value: String| self.say(key.id(), Some(&fluent_args!["value" => value]));
        match what {
            Misfit::Kind(kinds) => {
                let kinds = kinds.iter().map(|kind| self.kind(*kind)).collect();
                with(SchemaKey::Wanted, self.any_of(kinds))
            }
            Misfit::Missing(name) => with(SchemaKey::Missing, markup.raw(name)),
            Misfit::Unexpected => self.say(SchemaKey::Unexpected.id(), None),
            Misfit::NotAmong(options) => {
                let options = options.iter().map(|option| markup.raw(option)).collect();
                with(SchemaKey::NotAmong, self.any_of(options))
            }
            Misfit::TooLow { least, beyond: false } => with(SchemaKey::Least, markup.raw(least)),
            Misfit::TooLow { least, beyond: true } => with(SchemaKey::MoreThan, markup.raw(least)),
            Misfit::TooHigh { most, beyond: false } => with(SchemaKey::Most, markup.raw(most)),
            Misfit::TooHigh { most, beyond: true } => with(SchemaKey::LessThan, markup.raw(most)),
            Misfit::NotMultiple(of) => with(SchemaKey::Multiple, markup.raw(of)),
            Misfit::TooShort(least) => with(SchemaKey::Short, least.to_string()),
            Misfit::TooLong(most) => with(SchemaKey::Long, most.to_string()),
            Misfit::TooFew(least) => with(SchemaKey::Few, least.to_string()),
            Misfit::TooMany(most) => with(SchemaKey::Many, most.to_string()),
            Misfit::Twice => self.say(SchemaKey::Twice.id(), None),
            Misfit::Pattern(pattern) => with(SchemaKey::Pattern, markup.raw(pattern)),
            Misfit::Form(form) => with(SchemaKey::Form, markup.raw(form)),
            Misfit::Other(keyword) => with(SchemaKey::Other, markup.raw(keyword)),
        }
    }

    fn kind(&self, kind: Kind) -> String {
        let key = match kind {
            Kind::Text => SchemaKey::Text,
            Kind::Whole => SchemaKey::Whole,
            Kind::Number => SchemaKey::Number,
            Kind::Boolean => SchemaKey::Boolean,
            Kind::List => SchemaKey::List,
            Kind::Object => SchemaKey::Object,
            Kind::Null => SchemaKey::Null,
        };
        self.say(key.id(), None)
    }

    fn any_of(&self, all: Vec<String>) -> String {
        let mut all = all.into_iter();
        let first = all.next().unwrap_or_default();
        all.fold(first, |before, last| {
            self.say(SchemaKey::Or.id(), Some(&fluent_args!["before" => before, "last" => last]))
        })
    }
}
