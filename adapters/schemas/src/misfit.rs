//! What a schema has against a value, in Placet's own words: nothing of the value stands in them, for it may hold secrets.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use jsonschema::{JsonType, ValidationError};
use placet::ports::schemas::{Kind, Misfit, Mismatch, Step};
use serde_json::Value;

/// The most characters of a text from a schema that is told: a line beside a field.
const TOLD_CHARS_MAX: usize = 120;
/// Values that are told where one of them is wanted.
const OPTIONS_MAX: usize = 12;

/// What it says; for names that may not be there, once for each.
pub(crate) fn of(error: &ValidationError<'_>) -> Vec<Mismatch> {
    let at: Vec<Step> = error.instance_path().segments().map(step).collect();
    if let ValidationErrorKind::AdditionalProperties { unexpected }
    | ValidationErrorKind::UnevaluatedProperties { unexpected } = error.kind()
    {
        let one = |name: &String| {
            let mut at = at.clone();
            at.push(Step::Name(name.clone()));
            Mismatch { at, what: Misfit::Unexpected }
        };
        return unexpected.iter().map(one).collect();
    }
    vec![Mismatch { at, what: what(error.kind()) }]
}

fn step(segment: LocationSegment<'_>) -> Step {
    match segment {
        LocationSegment::Property(name) => Step::Name(name.into_owned()),
        LocationSegment::Index(index) => Step::Index(index),
    }
}

fn what(kind: &ValidationErrorKind) -> Misfit {
    use ValidationErrorKind as Error;
    match kind {
        Error::Type { kind: TypeKind::Single(one) } => Misfit::Kind(vec![named(*one)]),
        Error::Type { kind: TypeKind::Multiple(all) } => Misfit::Kind(all.iter().map(named).collect()),
        Error::Required { property } => {
            Misfit::Missing(told(property.as_str().unwrap_or(&property.to_string())))
        }
        Error::Enum { options } => {
            Misfit::NotAmong(options.as_array().into_iter().flatten().take(OPTIONS_MAX).map(json).collect())
        }
        Error::Constant { expected_value } => Misfit::NotAmong(vec![json(expected_value)]),
        Error::Minimum { limit } => Misfit::TooLow { least: json(limit), beyond: false },
        Error::ExclusiveMinimum { limit } => Misfit::TooLow { least: json(limit), beyond: true },
        Error::Maximum { limit } => Misfit::TooHigh { most: json(limit), beyond: false },
        Error::ExclusiveMaximum { limit } => Misfit::TooHigh { most: json(limit), beyond: true },
        Error::MultipleOf { multiple_of } => Misfit::NotMultiple(multiple_of.to_string()),
        Error::MinLength { limit } => Misfit::TooShort(*limit),
        Error::MaxLength { limit } => Misfit::TooLong(*limit),
        Error::MinItems { limit } | Error::MinProperties { limit } => Misfit::TooFew(*limit),
        Error::MaxItems { limit } | Error::MaxProperties { limit } => Misfit::TooMany(*limit),
        Error::AdditionalItems { limit } => Misfit::TooMany(u64::try_from(*limit).unwrap_or(u64::MAX)),
        // Nothing fits a property whose schema is `false`: it may not be there.
        Error::FalseSchema => Misfit::Unexpected,
        Error::UniqueItems => Misfit::Twice,
        Error::Pattern { pattern } => Misfit::Pattern(told(pattern)),
        Error::Format { format } => Misfit::Form(told(format)),
        other => Misfit::Other(told(other.keyword())),
    }
}

const fn named(kind: JsonType) -> Kind {
    match kind {
        JsonType::Null => Kind::Null,
        JsonType::Boolean => Kind::Boolean,
        JsonType::Integer => Kind::Whole,
        JsonType::Number => Kind::Number,
        JsonType::String => Kind::Text,
        JsonType::Array => Kind::List,
        JsonType::Object => Kind::Object,
    }
}

fn json(value: &Value) -> String {
    told(&value.to_string())
}

fn told(text: &str) -> String {
    if text.chars().count() <= TOLD_CHARS_MAX {
        return text.to_owned();
    }
    let kept: String = text.chars().take(TOLD_CHARS_MAX - 1).collect();
    format!("{kept}…")
}
