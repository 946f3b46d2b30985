//! What an edit means that was made from a view in which secrets are hidden.
//!
//! Who edits reads `"password": "••• (7 characters)"`. Where they send that back at the same place, they mean the value
//! that is there; anywhere else the mark would run as it stands, which nobody means.

use placet::card::Redactor;
use serde_json::{Map, Value};

use crate::problem::{Code, Problem};

/// How a hidden secret begins, wherever one is shown.
const MARK: &str = "•••";

/// The arguments that are meant: what was sent, with hidden secrets left as they are in the original.
///
/// # Errors
/// [`Code::InvalidField`] with the place where a mark stands that hides nothing there.
pub(crate) fn as_meant(sent: &Value, original: &Value, redactor: &Redactor) -> Result<Value, Problem> {
    let (shown, hidden) = redactor.redact_value(original);
    let pair = (hidden > 0).then_some((original, &shown));
    meant(sent, pair, &mut vec!["args".to_owned()])
}

/// `pair` is what stands at the same place in the original, and how that is shown.
fn meant(sent: &Value, pair: Option<(&Value, &Value)>, at: &mut Vec<String>) -> Result<Value, Problem> {
    if let Some((original, shown)) = pair
        && shown == sent
    {
        return Ok(original.clone());
    }
    match sent {
        Value::String(text) if text.contains(MARK) => {
            let detail = format!(
                "`{place}` holds the mark of a hidden secret, which hides nothing there; leave a hidden value exactly as it is \
                 shown, where it is shown, or give the value itself",
                place = at.concat()
            );
            Err(Problem::new(Code::InvalidField, detail).at(at.concat()))
        }
        Value::Array(items) => {
            let each = items.iter().enumerate().map(|(index, item)| {
                let pair = pair.and_then(|(original, shown)| Some((original.get(index)?, shown.get(index)?)));
                within(item, pair, at, format!("[{index}]"))
            });
            each.collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        Value::Object(fields) => {
            let each = fields.iter().map(|(name, value)| {
                let pair = pair.and_then(|(original, shown)| Some((original.get(name)?, shown.get(name)?)));
                Ok((name.clone(), within(value, pair, at, format!(".{name}"))?))
            });
            each.collect::<Result<Map<_, _>, _>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

fn within(
    sent: &Value,
    pair: Option<(&Value, &Value)>,
    at: &mut Vec<String>,
    step: String,
) -> Result<Value, Problem> {
    at.push(step);
    let meant = meant(sent, pair, at);
    at.pop();
    meant
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(sent: Value, original: Value) -> Result<Value, String> {
        as_meant(&sent, &original, &Redactor::new())
            .map_err(|problem| problem.body()["field"].as_str().unwrap_or_default().to_owned())
    }

    /// R28, R39: an edit neither loses a secret that was hidden from who edits, nor runs with the mark of one.
    #[test]
    fn a_hidden_secret_stays_what_it_is() {
        let original = json!({"host": "a", "password": "hunter2", "steps": [{"token": "abcdefgh"}, "x"]});
        let (shown, hidden) = Redactor::new().redact_value(&original);
        assert_eq!(hidden, 2, "{shown}");
        let mut sent = shown.clone();
        sent["host"] = json!("b");
        let mut wanted = original.clone();
        wanted["host"] = json!("b");
        assert_eq!(of(sent, original.clone()).unwrap(), wanted);
        assert_eq!(of(shown.clone(), original.clone()).unwrap(), original, "nothing changed");
        let mut new = shown.clone();
        new["password"] = json!("correct horse");
        assert_eq!(of(new, original.clone()).unwrap()["password"], "correct horse");

        let mut moved = shown.clone();
        moved["host"] = shown["password"].clone();
        assert_eq!(of(moved, original.clone()), Err("args.host".to_owned()));
        let mut moved = shown.clone();
        moved["steps"] = json!(["x", shown["steps"][0]]);
        assert_eq!(of(moved, original), Err("args.steps[1].token".to_owned()));
        assert_eq!(of(json!({"a": "••• (3 characters)"}), json!({"a": "b"})), Err("args.a".to_owned()));
    }
}
