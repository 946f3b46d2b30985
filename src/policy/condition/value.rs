//! The call's arguments as CEL sees them, and the functions that conditions have.
//!
//! Numbers without a fraction are `int`, never `uint`. Objects are not copied: they are looked into where a condition
//! does, in the order of their keys. A list that is too long to be looked through only has a size.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use cel::common::traits::{Container, Indexer, Iterable, Iterator as CelIterator, Sizer};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelNull, CelString, DYN_TYPE, LIST_TYPE, MAP_TYPE, STRING_TYPE, Type,
};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{Env, ExecutionError, extensions};
use regex::Regex;
use serde_json::Value;

use super::{LIST_LOOKED_THROUGH_MAX, alike};

/// What `matches` is called once its pattern is compiled.
pub(super) const MATCHES: &str = "@matches";

/// A number that a policy computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) enum Number {
    /// Without a fraction.
    Whole(i64),
    /// With one.
    Broken(f64),
}

impl Number {
    /// As CEL sees it.
    pub(in super::super) fn to_cel<'v>(self) -> Box<dyn Val + 'v> {
        match self {
            Self::Whole(number) => Box::new(CelInt::from(number)),
            Self::Broken(number) => Box::new(CelDouble::from(number)),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Broken(number) => number.fmt(f),
        }
    }
}

/// A JSON value as CEL sees it.
pub(in super::super) fn json<'v>(value: &'v Value) -> Box<dyn Val + 'v> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(truth) => Box::new(CelBool::from(*truth)),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Box::new(CelInt::from(whole)),
            None => Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(items) if values_in(items) <= LIST_LOOKED_THROUGH_MAX => {
            Box::new(CelList::from(items.iter().map(json).collect::<Vec<_>>()))
        }
        Value::Array(items) => Box::new(LongList(items.len())),
        Value::Object(fields) => Box::new(Object::new(fields)),
    }
}

/// How many values there are in a list and the lists within it; not much more is counted than matters.
fn values_in(items: &[Value]) -> usize {
    let mut count = items.len();
    for item in items {
        if count > LIST_LOOKED_THROUGH_MAX {
            break;
        }
        if let Value::Array(inner) = item {
            count += values_in(inner);
        }
    }
    count
}

/// An object among the arguments.
#[derive(Debug)]
struct Object<'a> {
    fields: &'a serde_json::Map<String, Value>,
    /// Its keys in their order, once something goes through them.
    keys: OnceLock<Vec<CelString<'a>>>,
}

impl<'a> Object<'a> {
    const fn new(fields: &'a serde_json::Map<String, Value>) -> Self {
        Self { fields, keys: OnceLock::new() }
    }

    fn find(&self, key: &dyn Val) -> Result<Option<&'a Value>, ExecutionError> {
        match key.downcast_ref::<CelString>() {
            Some(key) => Ok(self.fields.get(key.inner())),
            None => Err(ExecutionError::UnexpectedType {
                got: key.get_type().name().to_owned(),
                want: STRING_TYPE.name().to_owned(),
            }),
        }
    }

    fn value(&self, key: &dyn Val) -> Result<Box<dyn Val + 'a>, ExecutionError> {
        let missing = || {
            let key = key.downcast_ref::<CelString>().map_or("", |key| key.inner());
            ExecutionError::no_such_key(key)
        };
        self.find(key)?.map(json).ok_or_else(missing)
    }
}

impl<'a> Val for Object<'a> {
    fn get_type(&self) -> &Type {
        &MAP_TYPE
    }

    fn cel_type() -> &'static Type {
        &MAP_TYPE
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
    where
        Self: 'v,
    {
        (self.fields.len() <= LIST_LOOKED_THROUGH_MAX).then_some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        // Objects come from the arguments alone; another one is told by what it can do.
        let (Some(fields), Some(size)) = (other.as_indexer(), other.as_sizer()) else { return false };
        *other.get_type() == MAP_TYPE
            && usize::try_from(*size.size().inner()).is_ok_and(|size| size == self.fields.len())
            && self.fields.iter().all(|(key, value)| {
                let theirs = fields.get(&CelString::from(key.as_str()));
                theirs.is_ok_and(|theirs| json(value).equals(theirs.as_ref()))
            })
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(Object::new(self.fields))
    }
}

impl Container for Object<'_> {
    fn contains(&self, key: &dyn Val) -> Result<bool, ExecutionError> {
        self.find(key).map(|found| found.is_some())
    }
}

impl Indexer for Object<'_> {
    fn get<'b, 'v>(&'b self, key: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.value(key).map(CowVal::Owned)
    }

    fn steal<'v>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.value(key)
    }
}

impl Iterable for Object<'_> {
    fn iter<'b, 'v>(&'b self) -> Box<dyn CelIterator<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        let keys = || self.fields.keys().map(|key| CelString::from(key.as_str())).collect();
        Box::new(Keys(self.keys.get_or_init(keys).iter()))
    }
}

/// The keys of an object, one after the other.
struct Keys<'b, 'a>(std::slice::Iter<'b, CelString<'a>>);

impl<'b, 'a, 'v> CelIterator<'b, 'v> for Keys<'b, 'a>
where
    'a: 'v,
{
    fn next(&mut self) -> Option<&'b (dyn Val + 'v)> {
        self.0.next().map(|key| key as &'b (dyn Val + 'v))
    }
}

impl Sizer for Object<'_> {
    fn size(&self) -> CelInt {
        CelInt::from(i64::try_from(self.fields.len()).unwrap_or(i64::MAX))
    }
}

/// A list that is too long to be looked through.
#[derive(Debug, Clone, Copy)]
struct LongList(usize);

impl Val for LongList {
    fn get_type(&self) -> &Type {
        &LIST_TYPE
    }

    fn cel_type() -> &'static Type {
        &LIST_TYPE
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(*self)
    }
}

impl Sizer for LongList {
    fn size(&self) -> CelInt {
        CelInt::from(i64::try_from(self.0).unwrap_or(i64::MAX))
    }
}

/// A regular expression that was compiled when the policy was read.
#[derive(Debug, Clone)]
pub(super) struct Pattern(pub(super) Regex);

static PATTERN_TYPE: Type = Type::new_unspecified_type("pattern");

impl Val for Pattern {
    fn get_type(&self) -> &Type {
        &PATTERN_TYPE
    }

    fn cel_type() -> &'static Type {
        &PATTERN_TYPE
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Pattern {}

/// Where every condition is evaluated: CEL's own functions without regular expressions and times, some for text, and
/// those of this module.
pub(super) fn environment() -> Arc<Env> {
    static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
        let mut env = Env::stdlib();
        let declared = env
            .add_extension(extensions::strings)
            .and_then(|_| env.add_member_overload(MATCHES, MATCHES, STRING_TYPE, vec![DYN_TYPE], matches))
            .and_then(|()| env.add_overload("sum", "sum", vec![LIST_TYPE], sum))
            .and_then(|()| alike::declare(&mut env));
        // What could not be declared is an unknown function in every condition that calls it, and a test calls all.
        drop(declared);
        Arc::new(env)
    });
    Arc::clone(&ENVIRONMENT)
}

fn matches<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let text = args.first().and_then(|text| text.downcast_ref::<CelString<'_>>());
    let pattern = args.get(1).and_then(|pattern| pattern.downcast_ref::<Pattern>());
    match (text, pattern) {
        (Some(text), Some(pattern)) => Ok(CowVal::owned(CelBool::from(pattern.0.is_match(text.inner())))),
        _ => Err(ExecutionError::function_error("matches", "not on text")),
    }
}

/// The sum of numbers: whole ones alone give a whole one. Nothing else is added.
fn sum<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let wrong = |why: &str| ExecutionError::function_error("sum", why);
    let list = args.first().and_then(|list| list.as_iterable()).ok_or_else(|| wrong("not a list"))?;
    let mut items = list.iter();
    let (mut whole, mut broken) = (Some(0_i64), 0.0_f64);
    while let Some(item) = items.next() {
        if let Some(number) = item.downcast_ref::<CelInt>() {
            whole = match whole.map(|sum| sum.checked_add(*number.inner())) {
                Some(None) => return Err(wrong("too large")),
                Some(sum) => sum,
                None => None,
            };
            #[expect(clippy::cast_precision_loss, reason = "numbers of JSON are exact up to 2^53")]
            let number = *number.inner() as f64;
            broken += number;
        } else if let Some(number) = item.downcast_ref::<CelDouble>() {
            whole = None;
            broken += *number.inner();
        } else {
            return Err(wrong("not numbers alone"));
        }
    }
    Ok(CowVal::Owned(whole.map_or(Number::Broken(broken), Number::Whole).to_cel()))
}
