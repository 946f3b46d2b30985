//! An event of a confidential call, for somebody who may not read the call: what happened, when and by whom, in nobody's words.

use std::sync::Arc;

use crate::approval::{Outcome, Proposal, RejectedBy};
use crate::call::{CanonicalArgs, ToolCall};
use crate::policy::Verdict;
use crate::record::EventKind;

impl EventKind {
    /// The same without what the call holds and without what anybody (an agent, a tool, a person) said in words. Hashes stay, by
    /// which the record knows the call: whoever shows an event does not show them.
    #[must_use]
    pub fn veil(mut self) -> Self {
        // Every kind by its name, so that a new one must decide.
        match &mut self {
            Self::Proposed { proposal, .. } => *proposal = Arc::new(without_words(proposal)),
            Self::Checked { verdict, .. } => *verdict = Arc::new(without_figures(verdict)),
            Self::Voted { vote } => vote.note = None,
            Self::Decided { rejected_by, reason, .. } => {
                *reason = None;
                match rejected_by {
                    Some(RejectedBy::Votes { reason } | RejectedBy::Earlier { reason, .. }) => *reason = None,
                    // The policy's and Placet's own.
                    Some(RejectedBy::Policy { .. } | RejectedBy::NoApprover { .. }) | None => {}
                }
            }
            Self::BypassBlocked { presented, .. } => *presented = None,
            Self::Revoked { reason, .. } | Self::StopRequested { reason, .. } => *reason = None,
            Self::Forgotten { forgotten, .. } => forgotten.reason = None,
            Self::Remembered { remembered } => {
                let mut veiled = (**remembered).clone();
                veiled.pattern = crate::policy::ArgPattern::default();
                veiled.verdict = Arc::new(without_figures(&veiled.verdict));
                *remembered = Arc::new(veiled);
            }
            Self::Asked { text, .. } | Self::Answered { text, .. } => text.clear(),
            Self::Reviewed { note, .. } => *note = None,
            Self::Executed { outcome, .. } => without_answer(outcome),
            Self::Settled { outcome, reason, .. } => {
                without_answer(outcome);
                reason.clear();
            }
            // A surface can quote what it did not take.
            Self::CardUndeliverable { why, .. } => why.clear(),
            Self::MessageUndelivered { lost } => lost.why.clear(),
            // Nobody's words, and nothing of the call.
            Self::Checking
            | Self::Requested { .. }
            | Self::TakenBack { .. }
            | Self::Lapsed { .. }
            | Self::Refused { .. }
            | Self::Expired { .. }
            | Self::Escalated { .. }
            | Self::Reminded { .. }
            | Self::Joined { .. }
            | Self::SharesCard { .. }
            | Self::Gathers { .. }
            | Self::GatheredOn { .. }
            | Self::PartChanged { .. }
            | Self::Looks { .. }
            | Self::LooksAway { .. }
            | Self::Rejudged { .. }
            | Self::AskedAnew { .. }
            | Self::Claimed { .. }
            | Self::Heartbeat { .. }
            | Self::Shown { .. }
            | Self::CardDelivered { .. }
            | Self::AlarmRaised { .. } => {}
            // About no call.
            Self::HoldPlaced { .. }
            | Self::HoldLifted { .. }
            | Self::PolicyLoaded { .. }
            | Self::PolicyRefused { .. }
            | Self::CredentialCreated { .. }
            | Self::CredentialRevoked { .. } => {}
        }
        self
    }
}

/// Who proposed a call of which tool.
fn without_words(proposal: &Proposal) -> Proposal {
    let Proposal { call, requester, run, session, timeout, ask_again, takes_no_questions, .. } = proposal;
    let ToolCall { agent, server, tool, tool_schema_hash, .. } = call;
    Proposal {
        call: ToolCall {
            agent: agent.clone(),
            server: server.clone(),
            tool: tool.clone(),
            tool_schema_hash: *tool_schema_hash,
            args: CanonicalArgs::default(),
            preconditions: std::collections::BTreeMap::new(),
        },
        requester: requester.clone(),
        run: run.clone(),
        session: session.clone(),
        task: String::new(),
        reason: String::new(),
        evidence: Vec::new(),
        preview: None,
        if_denied: None,
        prompt_version: None,
        place: None,
        thread: None,
        timeout: *timeout,
        follows: None,
        ask_again: *ask_again,
        edited: None,
        takes_no_questions: *takes_no_questions,
        asked_in: None,
    }
}

/// What the policy said, without what it computed of the arguments.
fn without_figures(verdict: &Verdict) -> Verdict {
    Verdict { figures: Vec::new(), remember: None, ..verdict.clone() }
}

fn without_answer(outcome: &mut Outcome) {
    (outcome.result, outcome.error) = (None, None);
}
