//! Bodies: bytes within their limits, then one strict JSON text, then fields by name.
//!
//! A handler sees no unread body, and no field that it did not name: unknown ones are refused before anything else.

use std::str::FromStr;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::BytesMut;
use futures::StreamExt as _;
use futures::future::{Either, select};
use placet::call::canonical::parse_json_strict;
use serde_json::{Map, Value};

use crate::limits::{BODY_BYTES_MAX, BODY_TIME_MAX};
use crate::parts::App;
use crate::problem::{Code, Problem};

/// A body that is one strict JSON text.
#[derive(Debug)]
pub(crate) struct JsonBody(pub(crate) Value);

/// The same, where a body may also be left out.
#[derive(Debug)]
pub(crate) struct MaybeJson(pub(crate) Value);

impl FromRequest<App> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        check_type(request.headers())?;
        let bytes = read(request, app).await?;
        Ok(Self(parse_json_strict(&bytes)?))
    }
}

impl FromRequest<App> for MaybeJson {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let typed = check_type(request.headers());
        let bytes = read(request, app).await?;
        if bytes.is_empty() {
            return Ok(Self(Value::Object(Map::new())));
        }
        typed?;
        Ok(Self(parse_json_strict(&bytes)?))
    }
}

fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = value.split(';').map(str::trim);
    let json = parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    let utf8 = parts.all(|parameter| {
        parameter.split_once('=').is_none_or(|(name, charset)| {
            !name.eq_ignore_ascii_case("charset") || charset.trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
    });
    if json && utf8 {
        return Ok(());
    }
    Err(Problem::new(Code::NotJson, "send the body as JSON in UTF-8, with Content-Type: application/json")
        .at("Content-Type"))
}

async fn read(request: Request, app: &App) -> Result<BytesMut, Problem> {
    let declared =
        request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if declared.is_some_and(|length: u64| length > BODY_BYTES_MAX as u64) {
        return Err(too_large());
    }
    let deadline = app.gate.clock().sleep_until(app.now() + BODY_TIME_MAX);
    match select(Box::pin(collect(request.into_body())), deadline).await {
        Either::Left((bytes, _)) => bytes,
        Either::Right(((), _)) => Err(Problem::new(
            Code::BodyTooSlow,
            format!("the body was not complete after {BODY_TIME_MAX}; send it in one go"),
        )),
    }
}

async fn collect(body: Body) -> Result<BytesMut, Problem> {
    let mut bytes = BytesMut::new();
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece =
            piece.map_err(|_| Problem::new(Code::JsonInvalid, "the body broke off; send it again"))?;
        if bytes.len() + piece.len() > BODY_BYTES_MAX {
            return Err(too_large());
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

fn too_large() -> Problem {
    Problem::new(
        Code::BodyTooLarge,
        format!(
            "a body may take {BODY_BYTES_MAX} bytes; pass a reference to larger data instead of the data"
        ),
    )
}

/// The fields of one JSON object, taken by name.
#[derive(Debug)]
pub(crate) struct Fields {
    map: Map<String, Value>,
    at: String,
}

impl Fields {
    /// The fields of a body. Any that is not among the known is refused by name.
    pub(crate) fn of(body: Value, known: &[&str]) -> Result<Self, Problem> {
        Self::within(body, String::new(), known)
    }

    fn within(value: Value, at: String, known: &[&str]) -> Result<Self, Problem> {
        let Value::Object(map) = value else {
            let what = if at.is_empty() { "the body".to_owned() } else { format!("`{at}`") };
            let problem = Problem::new(Code::InvalidField, format!("{what} must be a JSON object"));
            return Err(if at.is_empty() { problem } else { problem.at(at) });
        };
        let fields = Self { map, at };
        match fields.map.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(fields),
            Some(unknown) => {
                let shown: String = unknown.chars().take(60).collect();
                let detail = format!("there is no field `{shown}` here; the fields are {}", known.join(", "));
                Err(Problem::new(Code::UnknownField, detail).at(fields.path(&shown)))
            }
        }
    }

    /// Where a field is, for callers.
    pub(crate) fn path(&self, name: &str) -> String {
        if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) }
    }

    /// Any value; an explicit null counts as left out.
    pub(crate) fn value(&mut self, name: &str) -> Option<Value> {
        self.map.remove(name).filter(|value| !value.is_null())
    }

    /// A text of at most so many characters.
    pub(crate) fn text(&mut self, name: &str, chars_max: usize) -> Result<Option<String>, Problem> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let Value::String(text) = value else {
            return Err(self.invalid(name, "must be a string"));
        };
        let chars = text.chars().count();
        if chars > chars_max {
            let detail =
                format!("`{}` has {chars} characters, and may have {chars_max}; shorten it", self.path(name));
            return Err(Problem::new(Code::FieldTooLong, detail).at(self.path(name)));
        }
        Ok(Some(text))
    }

    /// A text that says something: not left out, and not blank.
    pub(crate) fn said(&mut self, name: &str, chars_max: usize) -> Result<String, Problem> {
        let text = self.text(name, chars_max)?;
        let text = self.needed(name, text)?;
        if text.trim().is_empty() {
            return Err(self.invalid(name, "must not be blank: people read it"));
        }
        Ok(text)
    }

    /// A text that is one of our types.
    pub(crate) fn parsed<T>(&mut self, name: &str) -> Result<Option<T>, Problem>
    where
        T: FromStr,
        T::Err: std::fmt::Display,
    {
        match self.text(name, 2 * crate::limits::NAME_CHARS_MAX)? {
            None => Ok(None),
            Some(text) => {
                text.parse().map(Some).map_err(|fault: T::Err| self.invalid(name, &fault.to_string()))
            }
        }
    }

    pub(crate) fn boolean(&mut self, name: &str) -> Result<Option<bool>, Problem> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(_) => Err(self.invalid(name, "must be true or false")),
        }
    }

    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>, Problem> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => value
                .as_u64()
                .map(Some)
                .ok_or_else(|| self.invalid(name, "must be a whole number, not below 0")),
        }
    }

    /// An object of its own fields.
    pub(crate) fn object(&mut self, name: &str, known: &[&str]) -> Result<Option<Self>, Problem> {
        let at = self.path(name);
        self.value(name).map(|value| Self::within(value, at, known)).transpose()
    }

    /// A list of objects; none if it is left out.
    pub(crate) fn list(
        &mut self,
        name: &str,
        items_max: usize,
        known: &[&str],
    ) -> Result<Vec<Self>, Problem> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        let Value::Array(items) = value else {
            return Err(self.invalid(name, "must be a list"));
        };
        if items.len() > items_max {
            let detail =
                format!("`{}` has {} entries, and may have {items_max}", self.path(name), items.len());
            return Err(Problem::new(Code::FieldTooLong, detail).at(self.path(name)));
        }
        let at = self.path(name);
        items
            .into_iter()
            .enumerate()
            .map(|(n, item)| Self::within(item, format!("{at}[{n}]"), known))
            .collect()
    }

    /// Refuses a body that lacks some of these, and names each: one that is told of after the other is as many tries.
    pub(crate) fn all_of(&self, names: &[&str]) -> Result<(), Problem> {
        let is_missing = |name: &&&str| self.map.get(**name).is_none_or(Value::is_null);
        let missing: Vec<String> = names.iter().filter(is_missing).map(|name| self.path(name)).collect();
        let (Some(first), Some((last, others))) = (missing.first(), missing.split_last()) else {
            return Ok(());
        };
        if others.is_empty() {
            return Err(missing_one(first));
        }
        let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
        let detail = format!("{} and `{last}` are missing; they are needed", others.join(", "));
        Err(Problem::new(Code::MissingField, detail).at(first.clone()))
    }

    /// What must not be left out.
    pub(crate) fn needed<T>(&self, name: &str, value: Option<T>) -> Result<T, Problem> {
        value.ok_or_else(|| missing_one(&self.path(name)))
    }

    pub(crate) fn invalid(&self, name: &str, why: &str) -> Problem {
        let at = self.path(name);
        Problem::new(Code::InvalidField, format!("`{at}` is not valid: {why}")).at(at)
    }
}

fn missing_one(at: &str) -> Problem {
    Problem::new(Code::MissingField, format!("`{at}` is missing; it is needed")).at(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_refused_by_name() {
        let field = |problem: Problem| problem.body()["field"].clone();
        let unknown = Fields::of(json!({"tool": "x", "tol": 1}), &["tool"]).unwrap_err();
        assert_eq!((unknown.code(), field(unknown)), (Code::UnknownField, json!("tol")));
        let mut fields =
            Fields::of(json!({"list": [{"id": 1}], "n": -1, "null": null}), &["list", "n", "null"]).unwrap();
        let mut item = fields.list("list", 1, &["id"]).unwrap().remove(0);
        assert_eq!(field(item.text("id", 9).unwrap_err()), "list[0].id");
        assert_eq!(fields.number("n").unwrap_err().code(), Code::InvalidField);
        assert!(fields.text("null", 1).unwrap().is_none());
        assert_eq!(fields.said("gone", 1).unwrap_err().code(), Code::MissingField);
    }

    /// Whoever lacks several fields is told of all of them at once.
    #[test]
    fn all_that_is_missing_is_named() {
        let known = ["tool", "args", "task", "reason"];
        let lacks =
            |body: Value| Fields::of(body, &known).unwrap().all_of(&known).map_err(|problem| problem.body());
        assert!(lacks(json!({"tool": "x", "args": {}, "task": "t", "reason": "r"})).is_ok());
        let one = lacks(json!({"tool": "x", "args": {}, "task": "t"})).unwrap_err();
        assert_eq!(
            (&one["field"], &one["detail"]),
            (&json!("reason"), &json!("`reason` is missing; it is needed"))
        );
        let several = lacks(json!({"tool": "x", "args": null})).unwrap_err();
        assert_eq!((&several["code"], &several["field"]), (&json!("missing_field"), &json!("args")));
        assert_eq!(several["detail"], "`args`, `task` and `reason` are missing; they are needed");
    }

    #[test]
    fn only_json_in_utf_8_is_read() {
        let check = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, value.parse().unwrap());
            check_type(&headers).is_ok()
        };
        assert!(check("application/json") && check("Application/JSON; charset=\"UTF-8\""));
        assert!(!check("text/plain") && !check("application/json; charset=latin1") && !check(""));
    }
}
