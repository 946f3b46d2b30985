//! What the agent bases a call on: the user's message, and what it read before.

use serde_json::Value;

use crate::agent::answer::cut;
use crate::agent::transcript::Entry;
use crate::approval::Evidence;
use crate::id::StepId;

/// The most earlier results that are named; the newest count.
const EVIDENCE_MAX: usize = 6;

/// The most characters that are shown of each.
const EXCERPT_CHARS_MAX: usize = 280;

/// The most characters of what a title says was read.
const SUBJECT_CHARS_MAX: usize = 120;

/// The user's last message and the results since, oldest first.
pub(super) fn evidence(transcript: &[Entry]) -> Vec<Evidence> {
    let asked = transcript.iter().rposition(|entry| matches!(entry, Entry::User { .. }));
    let (message, since) = match asked {
        Some(position) => (Some(&transcript[position]), &transcript[position + 1..]),
        None => (None, transcript),
    };
    let message = message.and_then(|entry| match entry {
        Entry::User { text } => Some(piece("message".to_owned(), "The user's message".to_owned(), text)),
        Entry::Assistant { .. } | Entry::ToolResult { .. } => None,
    });
    let results: Vec<Evidence> = since
        .iter()
        .filter_map(|entry| match entry {
            Entry::ToolResult { call, ok: true, text } => {
                Some(piece(call.to_string(), title(since, call, text), text))
            }
            Entry::ToolResult { .. } | Entry::User { .. } | Entry::Assistant { .. } => None,
        })
        .collect();
    let skipped = results.len().saturating_sub(EVIDENCE_MAX);
    message.into_iter().chain(results.into_iter().skip(skipped)).collect()
}

fn piece(id: String, title: String, text: &str) -> Evidence {
    Evidence {
        id,
        title,
        uri: None,
        excerpt: Some(cut(text, EXCERPT_CHARS_MAX).0).filter(|text| !text.is_empty()),
    }
}

/// What was read, in the words of the call: what a person would look up to see the same.
fn title(transcript: &[Entry], step: &StepId, text: &str) -> String {
    let mut calls = transcript.iter().flat_map(|entry| match entry {
        Entry::Assistant { calls, .. } => calls.as_slice(),
        Entry::User { .. } | Entry::ToolResult { .. } => &[],
    });
    let Some(call) = calls.find(|call| call.id == *step) else { return "result of a tool".to_owned() };
    let args: Value = serde_json::from_str(&call.args).unwrap_or_default();
    let mut words = args.as_object().into_iter().flat_map(|args| args.values()).filter_map(Value::as_str);
    let Some(subject) = args["path"].as_str().or_else(|| words.next()) else {
        return format!("result of {}", call.name);
    };
    let subject = cut(subject, SUBJECT_CHARS_MAX).0;
    match call.name.as_str() {
        "read_file" if is_folder(text) => format!("list of {subject}"),
        "read_file" => subject,
        tool => format!("{tool}: {subject}"),
    }
}

/// Whether a result of `read_file` is that of a folder.
fn is_folder(text: &str) -> bool {
    serde_json::from_str::<Value>(text)
        .is_ok_and(|value| value["folder"].is_string() && value["names"].is_array())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::ModelCall;

    #[test]
    fn titles_say_what_was_read() {
        let told = |name: &str, args: &str, text: &str| {
            let id = StepId::new("c1").unwrap();
            let call = ModelCall {
                id: id.clone(),
                name: name.to_owned(),
                args: args.to_owned(),
                reason: String::new(),
            };
            let read = Entry::ToolResult { call: id, ok: true, text: text.to_owned() };
            let said = Entry::Assistant { text: String::new(), calls: vec![call] };
            evidence(&[said, read])[0].title.clone()
        };
        assert_eq!(
            told("read_file", r#"{"path":"notes"}"#, r#"{"folder":"notes","names":["a"]}"#),
            "list of notes"
        );
        assert_eq!(told("read_file", r#"{"path":"notes/a"}"#, "text"), "notes/a");
        assert_eq!(told("get_weather", r#"{"city":"Berlin"}"#, "rain"), "get_weather: Berlin");
        assert_eq!(told("get_time", "", "noon"), "result of get_time");
    }
}
