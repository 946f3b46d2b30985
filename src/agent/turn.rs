//! A turn of the model: what it says is sent as it comes, and what it wants is made ready to be proposed.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::{Either, FutureExt as _, select};
use serde_json::Value;

use crate::agent::answer::{Answer, cut};
use crate::agent::event::AgentEventKind;
use crate::agent::evidence::evidence;
use crate::agent::journal::Journal;
use crate::agent::state::{PendingCall, Phase, RunState, Stage};
use crate::agent::transcript::Entry;
use crate::agent::{Agent, RunError};
use crate::approval::{Proposal, RunStep};
use crate::call::{CanonicalArgs, SchemaHash, ToolCall};
use crate::card::Redactor;
use crate::id::{StepId, ToolName};
use crate::ports::{ModelAsk, ModelCall, ModelError, ModelTurn, Tool, ToolPreview};
use crate::time::Ttl;

/// The most turns of a run: a model that needs more goes in circles.
pub const TURNS_PER_RUN_MAX: u32 = 50;

/// The most calls of one turn; what is wanted beyond is answered, and not run.
pub const CALLS_PER_TURN_MAX: usize = 16;

/// The most characters of what a model says in one turn.
pub const SAID_CHARS_MAX: usize = 64_000;

/// The most characters of a model's reason for a call.
const REASON_CHARS_MAX: usize = 2_000;

/// The most characters that are shown of arguments that cannot be read, and of a tool's name.
const UNREADABLE_CHARS_MAX: usize = 1_000;

/// The most bytes of a conversation: beyond what models read, and what is written with every step.
pub const TRANSCRIPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How often what the model says is sent on while it speaks.
const SAY_EVERY: Ttl = Ttl::from_millis(300);

/// How often a model that is not available is asked for one turn.
const MODEL_TRIES: u32 = 3;

/// The first pause between two such tries; it doubles.
const MODEL_PAUSE: Ttl = Ttl::from_secs(2);

/// How long a tool may take for a preview; without one, the card shows the arguments alone.
const PREVIEW_WAIT: Ttl = Ttl::from_secs(5);

/// What the card says about a no.
const IF_DENIED: &str = "The agent is told so, and goes on without this call.";

impl Agent {
    /// Has the model take one turn, and commits it.
    pub(super) async fn turn(&self, journal: &Journal) -> Result<(), RunError> {
        let state = journal.read(RunState::clone).await;
        if state.turns >= TURNS_PER_RUN_MAX {
            return stop(journal, format!("the run was ended after {TURNS_PER_RUN_MAX} turns")).await;
        }
        if bytes_of(&state.transcript) > TRANSCRIPT_BYTES_MAX {
            return stop(journal, "the conversation has become too long; start a new session".to_owned())
                .await;
        }
        let turn = match self.think(journal, &state).await? {
            Ok(turn) => turn,
            Err(fault) => {
                tracing::warn!(run.id = %state.run, error = %fault, "a run ended because its model gave no turn");
                let why = fault.to_string();
                return journal
                    .commit(|state| {
                        state.phase = Phase::Failed { why: why.clone() };
                        vec![AgentEventKind::Error { message: why }]
                    })
                    .await;
            }
        };
        self.take_in(journal, &state, turn).await
    }

    /// Asks the model, and sends on what it says meanwhile.
    async fn think(
        &self,
        journal: &Journal,
        state: &RunState,
    ) -> Result<Result<ModelTurn, ModelError>, RunError> {
        let clock = self.executor.gate().clock();
        let tools = self.executor.specs();
        let mut pause = MODEL_PAUSE;
        for tries in 1.. {
            let heard = Arc::new(Mutex::new(String::new()));
            let mut deltas = {
                let heard = Arc::clone(&heard);
                move |piece: &str| heard.lock().unwrap_or_else(PoisonError::into_inner).push_str(piece)
            };
            let ask = ModelAsk { transcript: &state.transcript, tools: &tools };
            let mut thinking = self.model.turn(&ask, &mut deltas);
            let turn = loop {
                let soon = clock.sleep_until(clock.now() + SAY_EVERY);
                thinking = match select(thinking, soon).await {
                    Either::Left((turn, _)) => break turn,
                    Either::Right(((), going_on)) => going_on,
                };
                let text = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
                say(journal, self.executor.gate().redactor(), &text).await?;
            };
            match turn {
                Err(ModelError::Unavailable(why)) if tries < MODEL_TRIES => {
                    tracing::warn!(run.id = %state.run, tries, reason = why, "the model is asked again");
                    clock.sleep_until(clock.now() + pause).await;
                    pause = Ttl::from_millis(pause.as_millis() * 2);
                }
                turn => return Ok(turn),
            }
        }
        Ok(Err(ModelError::Unavailable("it was asked too often".to_owned())))
    }

    /// Commits a turn: what was said, and which calls were started.
    async fn take_in(
        &self,
        journal: &Journal,
        state: &RunState,
        mut turn: ModelTurn,
    ) -> Result<(), RunError> {
        turn.text = cut(&turn.text, SAID_CHARS_MAX).0;
        name_apart(state, &mut turn.calls);
        let mut calls = Vec::with_capacity(turn.calls.len());
        let mut started = Vec::with_capacity(turn.calls.len());
        let mut answered = Vec::new();
        for (position, call) in turn.calls.iter().enumerate() {
            let (args, stage) = self.ready(state, call, position).await;
            let name = cut(&call.name, UNREADABLE_CHARS_MAX).0;
            started.push(AgentEventKind::ToolCallStart {
                call_id: call.id.clone(),
                name: name.clone(),
                args,
            });
            if let Stage::Answered { answer } = &stage {
                answered.push(result_event(&call.id, answer));
            }
            calls.push(PendingCall { step: call.id.clone(), name, stage });
        }
        let redactor = self.executor.gate().redactor();
        journal
            .commit(|state| {
                let mut events = Vec::new();
                let unsaid = unsaid(redactor, &state.said, &turn.text);
                events.extend(unsaid.map(|delta| AgentEventKind::TextDelta { delta }));
                events.extend(started);
                events.extend(answered);
                state.said.clear();
                state.turns += 1;
                state.usage.input_tokens = state.usage.input_tokens.saturating_add(turn.input_tokens);
                state.usage.output_tokens = state.usage.output_tokens.saturating_add(turn.output_tokens);
                state.transcript.push(Entry::Assistant { text: turn.text, calls: turn.calls });
                state.calls = calls;
                if state.calls.is_empty() {
                    state.phase = Phase::Done;
                    events.push(AgentEventKind::Done { usage: state.usage });
                }
                events
            })
            .await
    }

    /// What a wanted call is shown with, and its first stage: ready to be proposed, or answered because nothing can
    /// be proposed.
    async fn ready(&self, state: &RunState, wanted: &ModelCall, position: usize) -> (Value, Stage) {
        let refused = |why: &str| Stage::Answered { answer: Answer::failed(why) };
        // Some models write nothing where a tool takes no arguments.
        let raw = if wanted.args.trim().is_empty() { "{}" } else { wanted.args.as_str() };
        let args = match CanonicalArgs::parse(raw.as_bytes()) {
            Ok(args) => args,
            Err(error) => {
                let shown = Value::String(cut(raw, UNREADABLE_CHARS_MAX).0);
                return (shown, refused(&format!("not run: {error}")));
            }
        };
        let shown = args.value().clone();
        if position >= CALLS_PER_TURN_MAX {
            let why =
                format!("not run: at most {CALLS_PER_TURN_MAX} calls can be made at once; ask for it again");
            return (shown, refused(&why));
        }
        let name = match ToolName::new(&wanted.name) {
            Ok(name) => name,
            Err(_) if wanted.name.is_empty() => return (shown, refused("not run: the call names no tool")),
            Err(_) => return (shown, refused("not run: this is no name of a tool")),
        };
        let Some(tool) = self.executor.tool(&name) else {
            return (shown, refused(&format!("not run: there is no tool named {name}")));
        };
        let preview = self.preview(tool.as_ref(), &args).await.unwrap_or_default();
        let proposal = Proposal {
            call: ToolCall {
                agent: state.agent.clone(),
                server: None,
                tool: name,
                tool_schema_hash: schema_hash(&tool.spec().schema),
                args,
                preconditions: preview.preconditions,
            },
            requester: state.requester.clone(),
            run: Some(RunStep { run: state.run.clone(), step: wanted.id.clone() }),
            session: Some(state.session.clone()),
            task: state.task.clone(),
            reason: cut(&wanted.reason, REASON_CHARS_MAX).0,
            evidence: evidence(&state.transcript),
            preview: Some(preview.text).filter(|text| !text.is_empty()),
            if_denied: Some(IF_DENIED.to_owned()),
            prompt_version: self.prompt_version.clone(),
            place: None,
            timeout: None,
            follows: None,
            thread: None,
            ask_again: false,
            edited: None,
            takes_no_questions: true,
            asked_in: state.asked_in.clone(),
        };
        (shown, Stage::Ready { proposal: Box::new(proposal) })
    }

    /// What the tool says would change. A tool that breaks off or takes too long says nothing.
    async fn preview(&self, tool: &dyn Tool, args: &CanonicalArgs) -> Option<ToolPreview> {
        let clock = self.executor.gate().clock();
        let looking = AssertUnwindSafe(tool.preview(args)).catch_unwind();
        match select(looking, clock.sleep_until(clock.now() + PREVIEW_WAIT)).await {
            Either::Left((preview, _)) => preview.ok().flatten(),
            Either::Right(_) => None,
        }
    }
}

/// Ends a run that may not go on.
async fn stop(journal: &Journal, why: String) -> Result<(), RunError> {
    journal
        .commit(|state| {
            state.phase = Phase::Stopped { why: why.clone() };
            vec![AgentEventKind::Error { message: why }]
        })
        .await
}

/// Sends what was heard and not sent yet, up to where a secret may have begun.
async fn say(journal: &Journal, redactor: &Redactor, heard: &str) -> Result<(), RunError> {
    let mut heard = cut(heard, SAID_CHARS_MAX).0;
    heard.truncate(redactor.settled(&heard));
    if journal.read(|state| unsaid(redactor, &state.said, &heard)).await.is_none() {
        return Ok(());
    }
    journal
        .commit(|state| {
            let delta = unsaid(redactor, &state.said, &heard);
            state.said = heard;
            delta.map(|delta| AgentEventKind::TextDelta { delta }).into_iter().collect()
        })
        .await
}

/// What of `text` was not sent yet, without secrets: it is hidden in the whole, since the halves of a secret are none. A turn
/// that is asked for again, after a restart, may begin in the same words: those are not sent twice. Other words begin a
/// new paragraph.
fn unsaid(redactor: &Redactor, said: &str, text: &str) -> Option<String> {
    if said.starts_with(text) {
        return None;
    }
    let whole = redactor.redact_text(text).text;
    if !text.starts_with(said) {
        return Some(format!("\n\n{whole}"));
    }
    let sent = redactor.redact_text(said).text;
    // Where what came since hides more than was hidden, all behind the difference is new.
    let same: usize =
        sent.chars().zip(whole.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    whole.get(same..).filter(|rest| !rest.is_empty()).map(str::to_owned)
}

/// Gives calls whose ids were used before an id of their own: results go by id.
fn name_apart(state: &RunState, calls: &mut [ModelCall]) {
    let mut taken = HashSet::new();
    for (position, call) in calls.iter_mut().enumerate() {
        let mut attempt = 0_u32;
        while state.has_step(&call.id) || taken.contains(&call.id) {
            // Made of digits only, so that it is always an id; the attempt ends the search.
            if let Ok(id) = StepId::new(format!("call-{}-{}-{attempt}", state.turns + 1, position + 1)) {
                call.id = id;
            }
            attempt += 1;
        }
        taken.insert(call.id.clone());
    }
}

/// The `tool_result` that tells of an answer.
pub(super) fn result_event(step: &StepId, answer: &Answer) -> AgentEventKind {
    AgentEventKind::ToolResult {
        call_id: step.clone(),
        ok: answer.ok,
        result: answer.result.clone(),
        error: (!answer.ok).then(|| answer.text.clone()),
        denied: answer.denied.then_some(true),
    }
}

fn schema_hash(schema: &Value) -> Option<SchemaHash> {
    serde_json_canonicalizer::to_vec(schema).ok().map(|canonical| SchemaHash::of(&canonical))
}

fn bytes_of(transcript: &[Entry]) -> usize {
    transcript
        .iter()
        .map(|entry| match entry {
            Entry::User { text } | Entry::ToolResult { text, .. } => text.len(),
            Entry::Assistant { text, calls } => {
                text.len() + calls.iter().map(|call| call.args.len() + call.reason.len()).sum::<usize>()
            }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_not_sent_again() {
        let unsaid = |said, text| unsaid(&Redactor::new(), said, text);
        assert_eq!(unsaid("", "Looking"), Some("Looking".to_owned()));
        assert_eq!(unsaid("Look", "Looking"), Some("ing".to_owned()));
        assert_eq!(unsaid("Looking", "Look"), None);
        assert_eq!(unsaid("Looking", "Looking"), None);
        assert_eq!(unsaid("Looking", "I read"), Some("\n\nI read".to_owned()));
    }

    /// R28: a secret that comes in two halves is hidden like one that comes at once.
    #[test]
    fn a_secret_in_two_halves_is_hidden() {
        let text = "The token is xoxb-1234567890-abcdef, and it works.";
        let redactor = Redactor::new();
        for (at, _) in text.char_indices() {
            let settled = redactor.settled(&text[..at]);
            let first = unsaid(&redactor, "", &text[..settled]).unwrap_or_default();
            let rest = unsaid(&redactor, &text[..settled], text).unwrap_or_default();
            assert_eq!(first + &rest, "The token is ••• (22 characters), and it works.", "cut at {at}");
        }
    }
}
