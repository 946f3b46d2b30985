//! What an edit means that was made from a view in which secrets are hidden.
//!
//! Who edits reads `"password": "••• (7 characters)"`. Where they send that back at the same place, they mean the value
//! that is there, and so with an argument whose name is hidden; anywhere else the mark would run as it stands, which nobody means. In a list the same place is not the
//! same index: what comes back as it was shown is what was shown so, wherever it stands now; where several were shown
//! alike and not all of them come back, nobody can tell which is meant, and the edit is refused.

use serde_json::{Map, Value};

use crate::card::Redactor;

/// How a hidden secret begins, wherever one is shown.
const MARK: &str = "•••";

/// The mark of a hidden secret stands where it hides nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{at}` holds the mark of a hidden secret, which hides nothing there; leave a hidden value exactly as it is shown, \
     where it is shown, or give the value itself"
)]
pub struct StrayMark {
    /// Where: `args.steps[0].token`.
    pub at: String,
    /// In which argument, by the name that was sent; none where it is in none.
    pub argument: Option<String>,
}

/// The arguments that are meant: what was sent, with hidden secrets left as they are in the original.
///
/// # Errors
/// [`StrayMark`] with the place where a mark stands that hides nothing there.
pub fn as_meant(sent: &Value, original: &Value, redactor: &Redactor) -> Result<Value, StrayMark> {
    let (shown, _) = redactor.redact_value(original);
    meant(sent, Some((original, &shown)), &mut Course { at: vec!["args".to_owned()], redactor }).map_err(
        |at| {
            let name = at.get(1).and_then(|step| step.strip_prefix('.'));
            StrayMark { argument: name.map(str::to_owned), at: at.concat() }
        },
    )
}

/// How far it is: the steps from the whole to here.
struct Course<'a> {
    at: Vec<String>,
    redactor: &'a Redactor,
}

/// `pair` is what stands at the same place in the original, and how that is shown.
fn meant(
    sent: &Value,
    pair: Option<(&Value, &Value)>,
    course: &mut Course<'_>,
) -> Result<Value, Vec<String>> {
    if let Some((original, shown)) = pair
        && shown == sent
    {
        return Ok(original.clone());
    }
    match sent {
        Value::String(text) if text.contains(MARK) => Err(course.at.clone()),
        Value::Array(items) => {
            let lists = pair.and_then(|(original, shown)| Some((original.as_array()?, shown.as_array()?)));
            let pairs = match lists {
                Some((original, shown)) => in_list(items, original, shown),
                None => vec![None; items.len()],
            };
            let each = items
                .iter()
                .zip(pairs)
                .enumerate()
                .map(|(index, (item, pair))| within(item, pair, course, format!("[{index}]")));
            each.collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        Value::Object(fields) => {
            let own = pair.and_then(|(original, _)| original.as_object());
            let own = own.map(|original| course.redactor.keys(original)).unwrap_or_default();
            let mut all = Map::new();
            for (name, value) in fields {
                let stands_for = own.get(name).copied();
                let pair = pair.zip(stands_for);
                let pair =
                    pair.and_then(|((original, shown), own)| Some((original.get(own)?, shown.get(name)?)));
                let value = within(value, pair, course, format!(".{name}"))?;
                let key = stands_for.unwrap_or(name);
                // A mark that hides no name here, or a name that is there already beneath its mark.
                if (stands_for.is_none() && key.contains(MARK)) || all.insert(key.to_owned(), value).is_some()
                {
                    course.at.push(format!(".{name}"));
                    return Err(course.at.clone());
                }
            }
            Ok(Value::Object(all))
        }
        other => Ok(other.clone()),
    }
}

/// What each item of a list that was sent stands for in the original, and how that was shown.
fn in_list<'a>(
    sent: &[Value],
    original: &'a [Value],
    shown: &'a [Value],
) -> Vec<Option<(&'a Value, &'a Value)>> {
    let mut pairs = vec![None; sent.len()];
    let mut taken = vec![false; shown.len()];
    for (index, item) in sent.iter().enumerate() {
        let here = sent.iter().enumerate().filter(|(_, other)| *other == item).map(|(place, _)| place);
        let there = shown.iter().enumerate().filter(|(_, other)| *other == item).map(|(place, _)| place);
        let (here, there): (Vec<_>, Vec<_>) = (here.collect(), there.collect());
        // All that were shown alike are there, and stand for themselves in their order; or it makes no difference which.
        let alike = there
            .iter()
            .all(|place| original.get(*place) == there.first().and_then(|first| original.get(*first)));
        let nth = here.iter().position(|place| *place == index).unwrap_or_default();
        let place = if here.len() == there.len() {
            there.get(nth)
        } else if alike {
            there.first()
        } else {
            None
        };
        if let Some(place) = place {
            pairs[index] = original.get(*place).zip(shown.get(*place));
        }
        for place in there {
            taken[place] = true;
        }
    }
    // What was changed stands for what stood there, unless that is elsewhere now, or something was put in or taken out.
    if sent.len() == shown.len() {
        for (index, pair) in
            pairs.iter_mut().enumerate().filter(|(index, pair)| pair.is_none() && !taken[*index])
        {
            *pair = original.get(index).zip(shown.get(index));
        }
    }
    pairs
}

fn within(
    sent: &Value,
    pair: Option<(&Value, &Value)>,
    course: &mut Course<'_>,
    step: String,
) -> Result<Value, Vec<String>> {
    course.at.push(step);
    let meant = meant(sent, pair, course);
    course.at.pop();
    meant
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(sent: Value, original: Value) -> Result<Value, String> {
        as_meant(&sent, &original, &Redactor::new()).map_err(|stray| stray.at)
    }

    /// R28, R39: in a list, a secret goes with what it was shown with; where nobody can tell with what, the edit is refused.
    #[test]
    fn a_hidden_secret_in_a_list_goes_with_its_item() {
        let account = |name: &str, token: &str| json!({"name": name, "token": token});
        let original = json!({"list": [account("a", "abcdefgh"), account("b", "ijklmnop"), "x"]});
        let (shown, hidden) = Redactor::new().redact_value(&original);
        assert_eq!(hidden, 2, "{shown}");
        let list = |items: &[&Value]| json!({"list": items});
        let (a, b, x) = (&shown["list"][0], &shown["list"][1], &shown["list"][2]);
        let (a_meant, b_meant) = (&original["list"][0], &original["list"][1]);
        for (sent, wanted) in [
            (list(&[b, a, x]), list(&[b_meant, a_meant, x])),
            (list(&[b, x]), list(&[b_meant, x])),
            (list(&[x, x, a, b]), list(&[x, x, a_meant, b_meant])),
            (list(&[b]), list(&[b_meant])),
            (list(&[a, a]), list(&[a_meant, a_meant])),
        ] {
            assert_eq!(of(sent.clone(), original.clone()), Ok(wanted), "{sent}");
        }
        let mut renamed = a.clone();
        renamed["name"] = json!("c");
        assert_eq!(
            of(list(&[&renamed, b, x]), original.clone()).unwrap()["list"][0],
            account("c", "abcdefgh")
        );
        let refused = Err("args.list[0].token".to_owned());
        assert_eq!(of(list(&[&renamed, a, x]), original.clone()), refused, "its place is taken by another");
        assert_eq!(of(list(&[&renamed, b]), original.clone()), refused, "something was taken out");

        // Two that look alike, and one of them is gone.
        let original = json!({"list": [{"token": "abcdefgh"}, {"token": "ijklmnop"}, "x"]});
        let (shown, hidden) = Redactor::new().redact_value(&original);
        assert_eq!((hidden, &shown["list"][0]), (2, &shown["list"][1]), "{shown}");
        let token = &shown["list"][0];
        assert_eq!(of(list(&[token, &json!("x")]), original.clone()), refused);
        let both = of(list(&[token, &json!("y"), token]), original.clone()).unwrap();
        assert_eq!(both["list"], json!([{"token": "abcdefgh"}, "y", {"token": "ijklmnop"}]));
    }

    /// R28, R39: a secret that is one only beside its name, or stands in a name, is kept as well; and no edit makes an argument
    /// of a mark's name.
    #[test]
    fn a_secret_that_only_the_whole_shows_stays_what_it_is() {
        let original = json!({"name": "API_KEY", "value": "abcdefgh", "ghp_0123456789abcdefghijklmnopqrstuvwxyzABCD": 1});
        let (shown, hidden) = Redactor::new().redact_value(&original);
        assert_eq!(hidden, 2, "{shown}");
        assert_eq!(of(shown.clone(), original.clone()), Ok(original.clone()));
        let (mut sent, mut wanted) = (shown.clone(), original.clone());
        for edited in [&mut sent, &mut wanted] {
            edited["name"] = json!("OTHER");
        }
        assert_eq!(of(sent, original.clone()), Ok(wanted));
        let mut foreign = shown.clone();
        foreign["••• (9 characters)"] = json!(1);
        assert_eq!(of(foreign, original.clone()), Err("args.••• (9 characters)".to_owned()));
        let mut twice = shown;
        twice["ghp_0123456789abcdefghijklmnopqrstuvwxyzABCD"] = json!(2);
        assert!(of(twice, original).is_err(), "one argument, sent under both of its names");
    }

    /// R28, R39: what looks like a mark and hides nothing may stay as it is.
    #[test]
    fn a_mark_that_was_there_stays() {
        let original = json!({"note": "••• hello", "path": "a"});
        let sent = json!({"note": "••• hello", "path": "b"});
        assert_eq!(of(sent.clone(), original), Ok(sent));
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
        moved["other"] = shown["steps"].clone();
        assert_eq!(of(moved, original), Err("args.other[0].token".to_owned()));
        assert_eq!(of(json!({"a": "••• (3 characters)"}), json!({"a": "b"})), Err("args.a".to_owned()));
    }
}
