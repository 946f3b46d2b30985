//! What came of the sessions, and whether it is what should have come of them.

use std::collections::{BTreeMap, BTreeSet};

use placet::agent::RunState;
use placet::agent::event::{AgentEvent, AgentEventKind};
use placet::id::{RequestId, StepId};

use super::is_done;
use super::stage::{DELETE, Stage};

/// What came of one session.
pub(super) struct Act {
    /// Whether the deletion was approved; none if nobody decided.
    approved: Option<bool>,
    file_is_there: bool,
    note_is_there: bool,
    /// Whether the run came to its end, with one result for each call.
    complete: bool,
    requests: BTreeSet<RequestId>,
}

/// What is told at the end.
pub(super) struct Told {
    pub(super) lines: Vec<String>,
    pub(super) is_right: bool,
}

impl Act {
    /// Looks at the folder as the session left it, and at what its events told.
    pub(super) fn of(stage: &Stage, run: &RunState, events: &[AgentEvent]) -> Self {
        let mut results: BTreeMap<&StepId, u32> = BTreeMap::new();
        let mut started: BTreeSet<&StepId> = BTreeSet::new();
        let mut requests = BTreeSet::new();
        let mut deletion = None;
        let mut approved = None;
        for event in events {
            match &event.kind {
                AgentEventKind::ToolCallStart { call_id, .. } => {
                    started.insert(call_id);
                }
                AgentEventKind::ToolResult { call_id, .. } => *results.entry(call_id).or_default() += 1,
                AgentEventKind::ApprovalRequest { request_id, tool_name, .. } => {
                    requests.insert(*request_id);
                    if tool_name == DELETE {
                        deletion = Some(*request_id);
                    }
                }
                AgentEventKind::ApprovalResult { request_id, approved: yes, .. }
                    if Some(*request_id) == deletion =>
                {
                    approved = Some(*yes);
                }
                AgentEventKind::ApprovalResult { .. }
                | AgentEventKind::TextDelta { .. }
                | AgentEventKind::Done { .. }
                | AgentEventKind::Error { .. } => {}
            }
        }
        let one_each =
            started.iter().all(|step| results.get(step) == Some(&1)) && results.len() == started.len();
        Self {
            // A run that was broken off was decided by nobody.
            approved: approved.filter(|_| is_done(run)),
            file_is_there: stage.file_is_there(),
            note_is_there: stage.note_names_the_file(),
            complete: is_done(run) && one_each,
            requests,
        }
    }

    /// Whether what was decided is what happened.
    fn is_right(&self) -> bool {
        self.complete
            && match self.approved {
                Some(true) => !self.file_is_there && !self.note_is_there,
                Some(false) => self.file_is_there && self.note_is_there,
                None => false,
            }
    }

    fn line(&self, number: usize) -> String {
        if self.approved.is_none() && self.file_is_there {
            return format!("Session {number}: nobody answered, so the file is still there.");
        }
        let decided = match self.approved {
            Some(true) => "approved",
            Some(false) => "denied",
            None => "not decided",
        };
        let file = if self.file_is_there { "still there" } else { "gone" };
        let note = if self.note_is_there { ", and a note tells what would have been deleted" } else { "" };
        let sign = if self.is_right() { "as it should be" } else { "NOT AS IT SHOULD BE" };
        format!("Session {number}: the deletion was {decided}, the file is {file}{note}: {sign}.")
    }
}

/// Whatever was decided is what happened.
pub(super) fn as_decided(acts: &[Act]) -> Told {
    let lines = acts.iter().enumerate().map(|(index, act)| act.line(index + 1)).collect();
    Told { lines, is_right: acts.iter().all(Act::is_right) && are_distinct(acts) }
}

/// The same; and the first was approved, the second denied.
pub(super) fn as_scripted(acts: &[Act]) -> Told {
    let decisions: Vec<_> = acts.iter().map(|act| act.approved).collect();
    let told = as_decided(acts);
    Told { is_right: told.is_right && decisions == [Some(true), Some(false)], ..told }
}

/// No request's id is used twice.
fn are_distinct(acts: &[Act]) -> bool {
    let all: BTreeSet<_> = acts.iter().flat_map(|act| &act.requests).collect();
    all.len() == acts.iter().map(|act| act.requests.len()).sum::<usize>()
}
