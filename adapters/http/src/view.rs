//! Requests as callers read them. Agents and executors get their own form, in which no tier, level, threshold, rule
//! or name of a person has a field (R2); people get the card, and all that the policy and other people said.

mod people;

pub(crate) use people::{for_people, line, offered, shown_line};

use placet::agent::API_SURFACE;
use placet::agent::answer::Answer;
use placet::approval::{Approval, Rendering, RevokedWhy, State, Status};
use placet::card::{CardView, Redactor};
use placet::gate::Gate;
use placet::id::{IdError, RequestId, SurfaceName};
use placet::person::Identity;
use placet::policy::Tier;
use placet::time::Timestamp;
use serde_json::{Map, Value, json};

use crate::problem::{Code, Problem};

/// The name of this surface in renderings and votes.
pub(crate) fn surface() -> Result<SurfaceName, IdError> {
    SurfaceName::new(API_SURFACE)
}

/// Whether it is still open what becomes of it.
pub(crate) const fn is_pending(status: Status) -> bool {
    matches!(status, Status::Proposed | Status::PolicyChecking | Status::WaitingApproval)
}

/// Until when its state holds by itself.
pub(crate) const fn expires_at(approval: &Approval) -> Option<Timestamp> {
    match &approval.state {
        State::WaitingApproval(waiting) => Some(waiting.until),
        State::Approved(approved) => Some(approved.until),
        State::Executing(executing) => Some(executing.claim.lease_until),
        _ => None,
    }
}

/// What an agent may read of a decision against its call (R8): the same words as Placet's own agent reads.
pub(crate) fn decision_text(approval: &Approval) -> Option<String> {
    Answer::of(approval).filter(|answer| answer.denied).map(|answer| answer.text)
}

/// The edited request that took its place.
pub(crate) const fn superseded_by(approval: &Approval) -> Option<RequestId> {
    match &approval.state {
        State::Revoked(revoked) => match &revoked.why {
            RevokedWhy::Superseded { by } => Some(*by),
            _ => None,
        },
        _ => None,
    }
}

/// A request as agents and executors read it. Where a person changed the arguments, they read the call as it stands now:
/// they cannot claim, nor go on from, what they do not know.
pub(crate) fn for_agent(approval: &Approval, redactor: &Redactor) -> Value {
    let mut view = plain_form(approval, redactor);
    if let Some(questions) = crate::questions::for_agent(approval, redactor) {
        view["questions"] = questions;
    }
    if let Some(edited) = &approval.proposal.edited {
        let call = &approval.proposal.call;
        view["replaces"] = json!(edited.request);
        view["call"] = json!({ "tool": call.tool, "args": call.args.value() });
        if let Some(server) = &call.server {
            view["call"]["server"] = json!(server);
        }
    }
    view
}

/// What everybody who may know of a request reads. What a tool returned is redacted here as everywhere (R28): whoever ran
/// the call holds what it returned already, and nobody else is to find secrets by asking for the request.
pub(crate) fn plain_form(approval: &Approval, redactor: &Redactor) -> Value {
    let mut view = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            view.insert(name.to_owned(), value);
        }
    };
    put("id", json!(approval.id));
    put("code", json!(approval.code));
    put("status", json!(approval.status().name()));
    put("digest", json!(approval.digest));
    put("args_hash", json!(approval.args_hash));
    put("created_at", json!(approval.opened_at.to_rfc3339()));
    put("expires_at", json!(expires_at(approval).map(Timestamp::to_rfc3339)));
    put("decision", json!(decision_text(approval).map(|text| redactor.redact_text(&text).text)));
    put("superseded_by", json!(superseded_by(approval)));
    if let State::Executed(executed) = &approval.state {
        let outcome = &executed.outcome;
        let result = outcome
            .result
            .as_deref()
            .map(|text| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())))
            .map(|value| redactor.redact_value(&value).0);
        let fields = [
            ("status", Some(json!(outcome.kind.name()))),
            ("result", result),
            ("error", outcome.error.as_deref().map(|error| json!(redactor.redact_text(error).text))),
            ("duration_ms", outcome.duration_ms.map(|ms| json!(ms))),
        ];
        let outcome: Map<_, _> =
            fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        put("outcome", Value::Object(outcome));
    }
    Value::Object(view)
}

/// What is put on record when a person is shown a request here: the calls that share its card are told as well.
///
/// # Errors
/// Never, but for a name of this surface that is none.
pub(crate) fn rendering(approval: &Approval, gate: &Gate, viewer: Identity) -> Result<Rendering, Problem> {
    let surface = surface().map_err(|fault| Problem::new(Code::Internal, fault.to_string()))?;
    let card = gate.view(approval);
    let full = is_full(&card);
    let (shown, covers) = (card.shown(&surface, full), card.covers);
    Ok(Rendering { shown, surface, full, viewer: Some(viewer), covers })
}

/// The card is given whole; only what is hidden in it is not shown.
pub(crate) const fn is_full(card: &CardView) -> bool {
    card.call.redacted == 0
}

/// Whether people were asked about it, or should have been.
pub(crate) fn was_asked(approval: &Approval) -> bool {
    approval.verdict.as_ref().is_some_and(|verdict| verdict.tier == Tier::Approve)
}

/// Fields that hold a point in time.
const TIMES: [&str; 11] = [
    "at",
    "since",
    "until",
    "asked_at",
    "alarm_at",
    "claim_until",
    "lease_until",
    "created_at",
    "expires_at",
    "opened_at",
    "not_after",
];

/// Times as RFC 3339, as everywhere on the wire. Only for our own structures, never for arguments.
pub(crate) fn readable_times(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .map(|(name, value)| match value.as_i64() {
                    Some(millis) if TIMES.contains(&name.as_str()) => {
                        (name, json!(Timestamp::from_millis(millis).to_rfc3339()))
                    }
                    _ => (name, readable_times(value)),
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(readable_times).collect()),
        other => other,
    }
}
