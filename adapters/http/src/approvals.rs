//! `/approvals` (R5): people decide, and read what was decided.

use axum::Json;
use axum::extract::State;
use placet::agent::answer::{SILENCE, TIMED_OUT, UNREACHED, not_asked};
use placet::approval::{Approval, ApprovedBy, Assurance, Ballot, Change, Decision, ExpiredHow, RejectedBy};
use placet::card::Redactor;
use placet::id::RequestId;
use placet::ports::{EventQuery, StoreError};
use placet::record::{EventKind, Seq};
use placet::time::Timestamp;
use serde_json::{Value, json};

use crate::body::{Fields, JsonBody};
use crate::credential::{Caller, Deciding, ReadingMany};
use crate::deciding::{asked, standing};
use crate::limits::NOTE_CHARS_MAX;
use crate::parts::App;
use crate::problem::{Code, Problem, refused_vote};
use crate::query::Query;
use crate::reading;
use crate::view;

/// `POST /approvals` {requestId, approved, reason?, remember?}: the voter is whoever the credential belongs to.
pub(crate) async fn decide(
    State(app): State<App>,
    caller: Caller<Deciding>,
    JsonBody(body): JsonBody,
) -> Result<Json<Value>, Problem> {
    let mut fields = Fields::of(body, &["requestId", "approved", "reason", "remember"])?;
    fields.all_of(&["requestId", "approved"])?;
    let id = fields.text("requestId", 100)?;
    let id = fields.needed("requestId", id)?;
    let approved = fields.boolean("approved")?;
    let approved = fields.needed("approved", approved)?;
    let remember = fields.boolean("remember")?.unwrap_or(false);
    let note = fields.text("reason", NOTE_CHARS_MAX)?.filter(|reason| !reason.trim().is_empty());
    let decision = if approved { Decision::Approve } else { Decision::Deny };
    let approval = asked(&app, &caller, (if approved { "approve" } else { "deny" }, &id)).await?;
    if remember {
        may_be_remembered(&approval, approved)?;
    }
    let identity = caller.identity()?;
    let surface = view::surface().map_err(|fault| Problem::new(Code::Internal, fault.to_string()))?;
    let shown = view::rendering(&approval, &app.gate, identity.clone())?.shown;
    let ballot = Ballot {
        identity,
        decision,
        note,
        surface,
        assurance: Assurance::Signed,
        shown: Some(shown),
        remember,
        given_on: None,
        sign: None,
    };
    match app.gate.vote(caller.tenant(), approval.id, ballot).await? {
        (approval, Ok(change)) => {
            if change == Change::Changed {
                metrics::counter!("placet_votes_total", "surface" => "api", "decision" => word(decision))
                    .increment(1);
            }
            Ok(Json(standing(&approval)))
        }
        (approval, Err(refusal)) => Err(refused_vote(&approval, &refusal)),
    }
}

const fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Approve => "approve",
        Decision::Deny => "deny",
    }
}

/// Only a yes is remembered, and only where the request's own view says what that would be.
fn may_be_remembered(approval: &Approval, approved: bool) -> Result<(), Problem> {
    let problem = |detail| Err(Problem::new(Code::NotOffered, detail).at("remember").about(approval.id));
    if !approved {
        return problem("a no is not remembered; leave `remember` out");
    }
    if view::offered(approval).is_none() {
        return problem(
            "the policy lets no yes to this call be remembered; its view has `remember` where one may be, with what it would \
             cover",
        );
    }
    Ok(())
}

/// Events that say how it was decided.
const DECISIONS: [&str; 2] = ["approval.decided", "approval.expired"];

/// `GET /approvals?after=…&limit=…`: the tenant's decisions in their order, time-outs included.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller<ReadingMany>,
    query: Query,
) -> Result<Json<Value>, Problem> {
    let query = query.only(&["after", "limit"])?;
    let limit = query.limit()?;
    let mut after = query.place("after", caller.tenant(), &app)?;
    let mut entries = Vec::new();
    while entries.len() < limit as usize {
        let wanted = EventQuery {
            tenant: Some(caller.tenant().clone()),
            request: None,
            after,
            types: DECISIONS.to_vec(),
            limit,
        };
        let events = app.gate.store().events(wanted).await?;
        let last = events.len() < limit as usize;
        for (seq, event) in events {
            if entries.len() >= limit as usize {
                break;
            }
            after = seq;
            let Some((request, made)) = event.request.zip(decision(&event.kind)) else { continue };
            match app.gate.load(caller.tenant(), request).await {
                Ok(approval) => {
                    let mut entry = entry(&approval, (made, event.at), app.gate.redactor());
                    if !reading::reads(&app, &caller, &approval).await? {
                        // The decision is everybody's to read here; what it was about is not.
                        entry["args"] = json!({});
                        entry["confidential"] = json!(true);
                    }
                    entries.push(entry);
                }
                Err(StoreError::NotFound) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
        if last {
            break;
        }
    }
    let mut page = json!({ "approvals": entries });
    if entries.len() >= limit as usize && after > Seq(0) {
        page["next"] = json!(app.settings.cursor_key.seal(caller.tenant(), after));
    }
    Ok(Json(page))
}

/// One decision.
struct Made {
    approved: bool,
    reason: Option<String>,
    who: Vec<String>,
    /// What kind of decision it was, in one word.
    by: &'static str,
    /// The earlier request whose decision it is again.
    of: Option<RequestId>,
}

/// What an event decided, in the words that agents read; none for an approval that only was not used.
fn decision(kind: &EventKind) -> Option<Made> {
    match kind {
        EventKind::Decided { decision, approved_by, rejected_by, people, reason, .. } => {
            let (by, because, of) = match (approved_by, rejected_by) {
                (_, Some(RejectedBy::Policy { because })) => ("policy", Some(because.clone()), None),
                (_, Some(RejectedBy::NoApprover { why })) => ("nobody", Some(not_asked(why)), None),
                (_, Some(RejectedBy::Earlier { request, reason })) => {
                    ("earlier", reason.clone(), Some(*request))
                }
                (_, Some(RejectedBy::Votes { reason })) => ("votes", reason.clone(), None),
                (Some(ApprovedBy::Policy), None) => ("policy", None, None),
                (Some(ApprovedBy::Timeout), None) => ("timeout", Some(SILENCE.to_owned()), None),
                (Some(ApprovedBy::BreakGlass { reason, .. }), None) => {
                    ("break_glass", Some(reason.clone()), None)
                }
                (Some(ApprovedBy::Remembered { scope, .. }), None) => ("remembered", None, Some(*scope)),
                (Some(ApprovedBy::Votes) | None, None) => ("votes", None, None),
            };
            Some(Made {
                approved: *decision == Decision::Approve,
                reason: reason.clone().or(because),
                who: people.clone(),
                by,
                of,
            })
        }
        EventKind::Expired { how } => {
            let (by, reason) = match how {
                ExpiredHow::Unanswered => ("timeout", TIMED_OUT.to_owned()),
                ExpiredHow::Unasked => ("nobody", not_asked(UNREACHED)),
                ExpiredHow::Unused => return None,
            };
            Some(Made { approved: false, reason: Some(reason), who: Vec::new(), by, of: None })
        }
        _ => None,
    }
}

fn entry(approval: &Approval, (made, at): (Made, Timestamp), redactor: &Redactor) -> Value {
    let call = &approval.proposal.call;
    let mut entry = json!({
        "requestId": approval.id,
        "toolName": call.full_name(),
        "args": redactor.redact_value(call.args.value()).0,
        "risk": approval.verdict.as_ref().map(|verdict| verdict.tier),
        "approved": made.approved,
        "at": at.to_rfc3339(),
        "by": made.by,
        "who": made.who,
    });
    if let Some(of) = made.of {
        entry["of"] = json!(of);
    }
    if made.by == "break_glass" {
        entry["review_open"] = json!(approval.awaits_review());
    }
    if let Some(reason) = made.reason {
        entry["reason"] = json!(redactor.redact_text(&reason).text);
    }
    entry
}
