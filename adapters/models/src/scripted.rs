//! A model that plays a script. What it says next is a pure function of the conversation so far, so that a run that
//! is resumed goes on as if nothing had happened.

use async_trait::async_trait;
use placet::agent::transcript::Entry;
use placet::id::StepId;
use placet::ports::{Deltas, Model, ModelAsk, ModelCall, ModelError, ModelTurn};
use serde_json::Value;

use crate::script::{Beat, Script, ScriptError};

/// The script of the demonstration.
const DEMO: &str = include_str!("demo.json");

/// About so many characters are one token, so that usage is counted the same each time.
const CHARS_PER_TOKEN: usize = 4;

/// A model that plays a script.
#[derive(Debug, Clone)]
pub struct Scripted {
    script: Script,
}

/// How the calls of a turn ended, and what was answered last to one that did not succeed.
#[derive(Default)]
struct Ended<'a> {
    denied: bool,
    failed: bool,
    why: Option<&'a str>,
}

impl Scripted {
    /// One that plays this script.
    #[must_use]
    pub const fn new(script: Script) -> Self {
        Self { script }
    }

    /// The one of the demonstration: it cleans up, and where it may not, writes down what it would have deleted.
    ///
    /// # Errors
    /// [`ScriptError`] if the script that comes with it cannot be read, which a test rules out.
    pub fn demo() -> Result<Self, ScriptError> {
        Ok(Self::new(Script::parse(DEMO)?))
    }

    /// The next turn.
    fn next(&self, transcript: &[Entry]) -> Result<ModelTurn, ModelError> {
        let asked = transcript.iter().rposition(|entry| matches!(entry, Entry::User { .. }));
        let Some((Entry::User { text }, since)) =
            asked.map(|position| (&transcript[position], &transcript[position + 1..]))
        else {
            return Err(ModelError::Refused("nobody asked for anything".to_owned()));
        };
        let Some(scene) = self.script.scene(text) else {
            return Ok(ModelTurn { text: self.script.otherwise.clone(), ..ModelTurn::default() });
        };
        let (beat, why) = played(&scene.beats, since);
        let Some(beat) = beat else { return Ok(ModelTurn::default()) };
        let why = why.unwrap_or_default();
        let made = transcript.iter().map(calls_in).sum::<usize>();
        let calls = beat.calls.iter().enumerate().map(|(position, wanted)| {
            let id = wanted.id.clone().unwrap_or_else(|| format!("step-{}", made + position + 1));
            Ok(ModelCall {
                id: StepId::new(id).map_err(|error| ModelError::Refused(error.to_string()))?,
                name: wanted.tool.clone(),
                args: wanted.raw.clone().unwrap_or_else(|| filled(&wanted.args, why).to_string()),
                reason: wanted.reason.clone(),
            })
        });
        let calls = calls.collect::<Result<Vec<_>, ModelError>>()?;
        Ok(ModelTurn { text: beat.say.replace("{why}", why), calls, ..ModelTurn::default() })
    }
}

#[async_trait]
impl Model for Scripted {
    async fn turn(&self, ask: &ModelAsk<'_>, deltas: &mut Deltas<'_>) -> Result<ModelTurn, ModelError> {
        let mut turn = self.next(ask.transcript)?;
        let read: usize = ask.transcript.iter().map(chars_in).sum();
        let wrote = turn.text.chars().count()
            + turn.calls.iter().map(|call| call.args.chars().count()).sum::<usize>();
        turn.input_tokens = tokens(read);
        turn.output_tokens = tokens(wrote);
        for piece in turn.text.split_inclusive(' ') {
            deltas(piece);
        }
        Ok(turn)
    }
}

/// The beat that comes after what was said since the user asked, and the last word on a call that did not succeed.
fn played<'a, 'b>(beats: &'a [Beat], since: &'b [Entry]) -> (Option<&'a Beat>, Option<&'b str>) {
    let mut left = beats;
    let mut why = None;
    for (position, entry) in since.iter().enumerate() {
        let Entry::Assistant { calls, .. } = entry else { continue };
        let Some((beat, rest)) = left.split_first() else { return (None, why) };
        let ended = ended(calls, &since[position + 1..]);
        why = ended.why.or(why);
        left = match (&beat.denied, &beat.failed) {
            (Some(denied), _) if ended.denied => denied,
            (_, Some(failed)) if ended.failed && !ended.denied => failed,
            _ => rest,
        };
    }
    (left.first(), why)
}

fn ended<'a>(calls: &[ModelCall], after: &'a [Entry]) -> Ended<'a> {
    let mut ended = Ended::default();
    for entry in after {
        let Entry::ToolResult { call, ok: false, text } = entry else { continue };
        if !calls.iter().any(|wanted| wanted.id == *call) {
            continue;
        }
        let denied = text.starts_with("denied") || text.starts_with("not asked");
        ended.denied |= denied;
        ended.failed |= !denied;
        ended.why = Some(text);
    }
    ended
}

/// The value with `{why}` put in wherever there is text.
fn filled(value: &Value, why: &str) -> Value {
    match value {
        // No arguments are an empty object.
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::String(text) => Value::String(text.replace("{why}", why)),
        Value::Array(items) => items.iter().map(|item| filled(item, why)).collect(),
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), filled(value, why))).collect(),
        Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn calls_in(entry: &Entry) -> usize {
    match entry {
        Entry::Assistant { calls, .. } => calls.len(),
        Entry::User { .. } | Entry::ToolResult { .. } => 0,
    }
}

fn chars_in(entry: &Entry) -> usize {
    match entry {
        Entry::User { text } | Entry::ToolResult { text, .. } => text.chars().count(),
        Entry::Assistant { text, calls } => {
            text.chars().count() + calls.iter().map(|call| call.args.chars().count()).sum::<usize>()
        }
    }
}

fn tokens(chars: usize) -> u64 {
    u64::try_from(chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    async fn turn(model: &Scripted, transcript: &[Entry]) -> (ModelTurn, String) {
        let mut heard = String::new();
        let ask = ModelAsk { transcript, tools: &[] };
        let turn = model.turn(&ask, &mut |piece: &str| heard.push_str(piece)).await.unwrap();
        (turn, heard)
    }

    /// Plays a scene with answers to each call.
    async fn play(
        model: &Scripted,
        message: &str,
        answer: impl Fn(&ModelCall) -> (bool, &'static str),
    ) -> Vec<Entry> {
        let mut transcript = vec![Entry::User { text: message.to_owned() }];
        for _ in 0..10 {
            let (turn, heard) = turn(model, &transcript).await;
            assert_eq!(turn.text, heard);
            let calls = turn.calls.clone();
            transcript.push(Entry::Assistant { text: turn.text, calls: turn.calls });
            if calls.is_empty() {
                return transcript;
            }
            for call in calls {
                let (ok, text) = answer(&call);
                transcript.push(Entry::ToolResult { call: call.id, ok, text: text.to_owned() });
            }
        }
        panic!("it does not end");
    }

    fn wanted(transcript: &[Entry]) -> Vec<(String, String)> {
        let calls = transcript.iter().flat_map(|entry| match entry {
            Entry::Assistant { calls, .. } => calls.clone(),
            _ => Vec::new(),
        });
        calls.map(|call| (call.name, call.args)).collect()
    }

    fn last_words(transcript: &[Entry]) -> &str {
        match transcript.last() {
            Some(Entry::Assistant { text, .. }) => text,
            other => panic!("{other:?}"),
        }
    }

    /// R12: deleted after a yes, and said so.
    #[tokio::test]
    async fn the_demo_deletes_what_it_may() {
        let model = Scripted::demo().unwrap();
        let played = play(&model, "Please clean up the old files in the project", |_| (true, "ok")).await;
        let tools: Vec<String> = wanted(&played).into_iter().map(|(tool, _)| tool).collect();
        assert_eq!(tools, ["read_file", "read_file", "delete_file"]);
        assert!(last_words(&played).contains("deleted demo-notes/scratch.txt"), "{}", last_words(&played));
    }

    /// R8, R12: after a no it says so, and takes the alternative.
    #[tokio::test]
    async fn the_demo_takes_the_alternative() {
        let model = Scripted::demo().unwrap();
        let played = play(&model, "clean up", |call| match call.name.as_str() {
            "delete_file" => (false, "denied by user: still needed"),
            _ => (true, "ok"),
        })
        .await;
        let wanted = wanted(&played);
        let (tool, args) = wanted.last().unwrap();
        assert_eq!(tool, "write_note");
        assert!(args.contains("demo-notes/scratch.txt") && args.contains("still needed"), "{args}");
        assert!(last_words(&played).contains("note"), "{}", last_words(&played));
    }

    /// It says nothing of a file that it did not find.
    #[tokio::test]
    async fn where_nothing_is_found_nothing_is_made_up() {
        let model = Scripted::demo().unwrap();
        let played = play(&model, "clean up", |_| (false, "there is no such file: demo-notes")).await;
        let words = last_words(&played);
        assert!(words.contains("there is no such file: demo-notes"), "{words}");
        assert_eq!(wanted(&played).len(), 1, "{played:?}");
        let played = play(&model, "clean up", |call| match call.args.contains("scratch") {
            true => (false, "there is no such file"),
            false => (true, "a.txt"),
        })
        .await;
        assert_eq!(wanted(&played).len(), 2, "{played:?}");
    }

    /// R11: asked the same again, it answers the same.
    #[tokio::test]
    async fn it_is_a_pure_function_of_the_conversation() {
        let model = Scripted::demo().unwrap();
        let played = play(&model, "clean up", |_| (true, "ok")).await;
        for (position, entry) in played.iter().enumerate() {
            if let Entry::Assistant { text, calls } = entry {
                let (again, _) = turn(&Scripted::demo().unwrap(), &played[..position]).await;
                assert_eq!((&again.text, &again.calls), (text, calls));
            }
        }
    }

    /// A second task in the same session begins its scene anew, with ids that were not used before.
    #[tokio::test]
    async fn ids_are_not_used_twice_in_a_session() {
        let model = Scripted::demo().unwrap();
        let mut played = play(&model, "clean up", |_| (true, "ok")).await;
        played.push(Entry::User { text: "what is the weather?".to_owned() });
        let (turn, _) = turn(&model, &played).await;
        assert_eq!(turn.calls[0].name, "get_weather");
        assert_eq!(turn.calls[0].id.as_str(), "step-4");
    }

    #[tokio::test]
    async fn scripts_can_want_what_makes_no_sense() {
        let beat =
            r#"{"scenes":[{"beats":[{"calls":[{"tool":"","raw":"{"}],"failed":[{"say":"oops: {why}"}]}]}]}"#;
        let model = Scripted::new(Script::parse(beat).unwrap());
        let played = play(&model, "anything", |_| (false, "not run: no")).await;
        assert_eq!(wanted(&played), [(String::new(), "{".to_owned())]);
        assert_eq!(last_words(&played), "oops: not run: no");
        assert!(Script::parse(r#"{"scenes":[],"sceens":1}"#).is_err());
        let otherwise = Scripted::new(Script { scenes: Vec::new(), otherwise: "No.".to_owned() });
        let (turn, _) = turn(&otherwise, &[Entry::User { text: "x".to_owned() }]).await;
        assert_eq!((turn.text.as_str(), turn.input_tokens, turn.output_tokens), ("No.", 1, 1));
        let built = Scripted::new(Script::of(vec![
            Beat::call("add", json!({"a": 1})).if_denied(vec![Beat::say("no")]),
            Beat::say("yes"),
        ]));
        assert_eq!(last_words(&play(&built, "x", |_| (false, "not asked: nobody there")).await), "no");
        assert_eq!(last_words(&play(&built, "x", |_| (true, "1")).await), "yes");
    }
}
