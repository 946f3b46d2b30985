//! What the agent bases a call on: the user's message, and what it read before.

use crate::agent::answer::cut;
use crate::agent::transcript::Entry;
use crate::approval::Evidence;

/// The most earlier results that are named; the newest count.
const EVIDENCE_MAX: usize = 6;

/// The most characters that are shown of each.
const EXCERPT_CHARS_MAX: usize = 280;

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
                Some(piece(call.to_string(), format!("Result of {}", tool_of(since, call)), text))
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

fn tool_of<'a>(transcript: &'a [Entry], step: &crate::id::StepId) -> &'a str {
    let mut calls = transcript.iter().flat_map(|entry| match entry {
        Entry::Assistant { calls, .. } => calls.as_slice(),
        Entry::User { .. } | Entry::ToolResult { .. } => &[],
    });
    calls.find(|call| call.id == *step).map_or("a tool", |call| call.name.as_str())
}
