//! `==`, `!=` and `in` where only the call tells what kind of values they are about: values of different kinds, and what
//! is no number, are neither equal nor different, but an error.
//!
//! Text that looks like a number, or a list around a value, may well mean to the tool what the policy wrote; a plain no
//! would let it past a condition that forbids. `null` that a condition writes itself is not compared here: it asks
//! whether something is null, whatever else that may be.

use cel::common::types::{CelBool, CelDouble, CelNull, CelOptional, DYN_TYPE, LIST_TYPE, MAP_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

/// What `==` is called where only the call tells what it is about.
pub(super) const EQUALS: &str = "@equals";

/// `!=`, likewise.
pub(super) const DIFFERS: &str = "@differs";

/// `in`, likewise.
pub(super) const WITHIN: &str = "@within";

/// Declares the three.
pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(EQUALS, EQUALS, vec![DYN_TYPE, DYN_TYPE], |args| told(EQUALS, &args, equal))?;
    env.add_overload(DIFFERS, DIFFERS, vec![DYN_TYPE, DYN_TYPE], |args| {
        told(DIFFERS, &args, |one, other| equal(one, other).map(|equal| !equal))
    })?;
    env.add_overload(WITHIN, WITHIN, vec![DYN_TYPE, DYN_TYPE], |args| told(WITHIN, &args, within))
}

/// Two values that cannot be compared, by their types.
struct Unlike([String; 2]);

impl Unlike {
    fn new(one: &dyn Val, other: &dyn Val) -> Self {
        Self([one, other].map(|value| value.get_type().name().to_owned()))
    }
}

fn told<'b, 'v>(
    name: &str,
    args: &[CowVal<'_, '_>],
    compare: impl Fn(&dyn Val, &dyn Val) -> Result<bool, Unlike>,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [one, other] = args else { return Err(ExecutionError::MissingArgumentOrTarget) };
    match compare(one.as_ref(), other.as_ref()) {
        Ok(truth) => Ok(CowVal::owned(CelBool::from(truth))),
        Err(Unlike(kinds)) => Err(ExecutionError::no_such_overload(name, kinds.to_vec())),
    }
}

/// What can be compared with one another.
fn kind(value: &dyn Val) -> &str {
    match value.get_type().name() {
        "int" | "uint" | "double" => "number",
        other => other,
    }
}

fn equal(one: &dyn Val, other: &dyn Val) -> Result<bool, Unlike> {
    let is_number =
        |value: &dyn Val| value.downcast_ref::<CelDouble>().is_none_or(|number| !number.inner().is_nan());
    if kind(one) != kind(other) || !is_number(one) || !is_number(other) {
        return Err(Unlike::new(one, other));
    }
    if *one.get_type() == LIST_TYPE {
        return lists(one, other);
    }
    if *one.get_type() == MAP_TYPE {
        return objects(one, other);
    }
    match (one.downcast_ref::<CelOptional<'_>>(), other.downcast_ref::<CelOptional<'_>>()) {
        (Some(one), Some(other)) => match (one.option(), other.option()) {
            (Some(one), Some(other)) => equal(one, other),
            (one, other) => Ok(one.is_none() && other.is_none()),
        },
        _ => Ok(one.equals(other)),
    }
}

/// Whether all are equal. One that is different is enough for a no, whatever the others are.
fn all(pairs: impl Iterator<Item = Result<bool, Unlike>>) -> Result<bool, Unlike> {
    let mut all = Ok(true);
    for pair in pairs {
        match pair {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            unlike => all = unlike,
        }
    }
    all
}

fn lists(one: &dyn Val, other: &dyn Val) -> Result<bool, Unlike> {
    if size(one) != size(other) {
        return Ok(false);
    }
    let (Some(ones), Some(others)) = (one.as_iterable(), other.as_iterable()) else {
        return Err(Unlike::new(one, other));
    };
    let (mut ones, mut others) = (ones.iter(), others.iter());
    all(std::iter::from_fn(|| Some(equal(ones.next()?, others.next()?))))
}

fn objects(one: &dyn Val, other: &dyn Val) -> Result<bool, Unlike> {
    if size(one) != size(other) {
        return Ok(false);
    }
    let (Some(keys), Some(ones), Some(others)) = (one.as_iterable(), one.as_indexer(), other.as_indexer())
    else {
        return Err(Unlike::new(one, other));
    };
    let mut keys = keys.iter();
    all(std::iter::from_fn(|| {
        let key = keys.next()?;
        Some(match (ones.get(key), others.get(key)) {
            (Ok(one), Ok(other)) => equal(one.as_ref(), other.as_ref()),
            _ => Ok(false),
        })
    }))
}

fn size(value: &dyn Val) -> Option<i64> {
    value.as_sizer().map(|size| *size.size().inner())
}

/// Whether a list holds a value, or an object a key. A `null` among others is none of them.
fn within(one: &dyn Val, among: &dyn Val) -> Result<bool, Unlike> {
    let unlike = || Unlike::new(one, among);
    if *among.get_type() != LIST_TYPE {
        let container = among.as_container().ok_or_else(unlike)?;
        return container.contains(one).map_err(|_| unlike());
    }
    let mut items = among.as_iterable().ok_or_else(unlike)?.iter();
    let mut found = Ok(false);
    while let Some(item) = items.next() {
        match equal(one, item) {
            Ok(true) => return Ok(true),
            Err(unlike) if item.downcast_ref::<CelNull>().is_none() => found = Err(unlike),
            Ok(false) | Err(_) => {}
        }
    }
    found
}
