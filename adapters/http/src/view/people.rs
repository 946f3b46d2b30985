//! A request as people read it: the card, and beside it all that they decide by and that was said before.
//!
//! Every text of agents and people is redacted and made visible here, as on a card.

use placet::approval::{
    Approval, ApprovedBy, Before, BrokenGlass, Decision, Edited, RejectedBy, State, Vote,
};
use placet::card::{Redactor, diff, visible, visible_line};
use placet::gate::Gate;
use placet::policy::{RuleHit, Terms};
use placet::time::Timestamp;
use serde_json::{Map, Value, json};

use super::{expires_at, is_full, plain_form, readable_times, superseded_by};

/// Unchanged lines that are shown around each change of an edit.
const EDIT_CONTEXT_LINES: usize = 3;

/// A request as people read it.
pub(crate) fn for_people(approval: &Approval, gate: &Gate) -> Value {
    let redactor = gate.redactor();
    let card = gate.view(approval);
    let mut view = plain_form(approval, redactor);
    view["tier"] = json!(approval.verdict.as_ref().map(|verdict| verdict.tier));
    view["full"] = json!(is_full(&card));
    let mut more = Map::new();
    judged(&mut more, approval, redactor);
    asked(&mut more, approval, redactor);
    shared(&mut more, approval);
    came_about(&mut more, approval, redactor);
    for (name, value) in more {
        view[name] = value;
    }
    view["card"] = plain(readable_times(serde_json::to_value(card).unwrap_or_default()));
    view
}

/// What the policy says of it, and why.
fn judged(view: &mut Map<String, Value>, approval: &Approval, redactor: &Redactor) {
    let Some(verdict) = approval.verdict.as_deref() else { return };
    let mut put = |name: &str, value: Value| view.insert(name.to_owned(), value);
    put("level", json!(verdict.level));
    put("policy", json!({ "label": verdict.policy.label, "digest": verdict.policy.digest }));
    put("rules", verdict.rules.iter().map(|hit| rule(hit, redactor)).collect());
    if !verdict.figures.is_empty() {
        let figure = |figure: &placet::policy::Figure| json!({ "name": figure.name, "value": shown_line(&figure.value, redactor) });
        put("figures", verdict.figures.iter().map(figure).collect());
    }
    if verdict.always_ask {
        put("always_ask", json!(true));
    }
    if let Some(shadow) = &verdict.shadow {
        put("would_have_been", json!(shadow.tier));
    }
    if let Some(offer) = offered(approval) {
        let pattern = shown_line(&offer.pattern.to_string(), redactor);
        put("remember", json!({ "pattern": pattern, "within": offer.within }));
    }
}

/// What a yes to it may be remembered for, where anything may: without a session there is nothing to remember it in.
pub(crate) fn offered(approval: &Approval) -> Option<&placet::policy::RememberOffer> {
    let verdict = approval.verdict.as_deref()?;
    let offer = verdict.remember.as_ref()?;
    (!verdict.always_ask && approval.proposal.session.is_some()).then_some(offer)
}

fn rule(hit: &RuleHit, redactor: &Redactor) -> Value {
    let mut rule = json!({
        "rule": shown_line(&hit.rule, redactor),
        "kind": hit.kind,
        "because": shown_block(&hit.because, redactor),
    });
    if let Some(level) = hit.level {
        rule["level"] = json!(level);
    }
    if let Some(error) = &hit.error {
        rule["error"] = json!(shown_line(error, redactor));
    }
    rule
}

/// Who is asked, who said what, and who is asked next.
fn asked(view: &mut Map<String, Value>, approval: &Approval, redactor: &Redactor) {
    let Some(terms) = approval.verdict.as_ref().and_then(|verdict| verdict.terms.as_ref()) else { return };
    let mut put = |name: &str, value: Value| view.insert(name.to_owned(), value);
    put("votes", approval.votes.iter().map(|vote| said(vote, redactor)).collect());
    let State::WaitingApproval(waiting) = &approval.state else { return };
    if let Some(tally) = approval.tally_as_voted() {
        put("stage", json!((tally.stage + 1).min(tally.stages)));
        put("stages", json!(tally.stages));
        put("needs", json!(tally.needs));
    }
    put("may_edit", json!(terms.may_edit));
    if !terms.escalation.is_empty() {
        put("escalation", escalation(terms, (waiting.since, approval.escalations)));
    }
}

fn escalation(terms: &Terms, (since, taken): (Timestamp, u32)) -> Value {
    let step = |(number, step): (usize, &placet::policy::EscalationStep)| {
        json!({
            "at": (since + step.after).to_rfc3339(),
            "to": step.to,
            "taken": number < taken as usize,
        })
    };
    terms.escalation.iter().enumerate().map(step).collect()
}

fn said(vote: &Vote, redactor: &Redactor) -> Value {
    let mut said = json!({
        "name": shown_line(&vote.name, redactor),
        "decision": vote.decision,
        "at": vote.at.to_rfc3339(),
        "stage": vote.stage + 1,
    });
    if let Some(note) = &vote.note {
        said["note"] = json!(shown_block(note, redactor));
    }
    if vote.decision == Decision::Approve && vote.remember {
        said["remember"] = json!(true);
    }
    if !vote.stands_in_for.is_empty() {
        let names: Vec<_> = vote.stands_in_for.iter().map(|name| shown_line(name, redactor)).collect();
        said["stands_in_for"] = json!(names);
    }
    said
}

/// The other requests on the same card.
fn shared(view: &mut Map<String, Value>, approval: &Approval) {
    if let Some(leader) = approval.shares {
        view.insert("shares".to_owned(), json!(leader));
    }
    if !approval.followers.is_empty() {
        view.insert("followers".to_owned(), json!(approval.followers));
    }
    if let Some(leader) = approval.gathered_on {
        view.insert("gathered_on".to_owned(), json!(leader));
    }
    if !approval.gathered.is_empty() {
        view.insert("gathered".to_owned(), json!(approval.gathered));
    }
    view.insert("calls".to_owned(), json!(calls(approval)));
}

/// How many calls a yes lets run.
pub(crate) const fn calls(approval: &Approval) -> usize {
    1 + approval.followers.len() - approval.gone.len()
}

/// What it came from, and how it was decided where not by votes.
fn came_about(view: &mut Map<String, Value>, approval: &Approval, redactor: &Redactor) {
    let mut put = |name: &str, value: Value| view.insert(name.to_owned(), value);
    if let Some(edited) = &approval.proposal.edited {
        put("edited_from", edit(approval, edited, redactor));
    }
    if let Some(follows) = &approval.proposal.follows {
        let (how, reason) = match &follows.how {
            Before::Unanswered => ("unanswered", None),
            Before::Unasked => ("unasked", None),
            Before::Denied { reason, .. } => ("denied", reason.as_deref()),
        };
        let mut before = json!({ "request": follows.request, "how": how });
        if let Some(reason) = reason {
            before["reason"] = json!(shown_block(reason, redactor));
        }
        put("asked_before", before);
    }
    let by = match &approval.state {
        State::Approved(approved) => Some(&approved.by),
        State::Executing(executing) => Some(&executing.by),
        State::Executed(executed) => Some(&executed.by),
        _ => None,
    };
    if let Some(ApprovedBy::Remembered { scope, .. }) = by {
        put("remembered", json!(scope));
    }
    if let State::Rejected(rejected) = &approval.state
        && let RejectedBy::Earlier { request, .. } = &rejected.by
    {
        put("denied_by", json!(request));
    }
    if let Some(glass) = &approval.glass {
        put("review_open", json!(approval.awaits_review()));
        put("break_glass", broken(glass, redactor));
    }
}

/// A decision of one person alone, and the review of it.
fn broken(glass: &BrokenGlass, redactor: &Redactor) -> Value {
    let mut view = json!({
        "by": shown_line(&glass.name, redactor),
        "reason": shown_block(&glass.reason, redactor),
        "at": glass.at.to_rfc3339(),
        "surface": glass.surface,
        "assurance": glass.assurance,
        "shown": glass.shown,
    });
    if let Some(reviewed) = &glass.reviewed {
        view["reviewed"] = json!({
            "by": shown_line(&reviewed.name, redactor),
            "note": reviewed.note.as_deref().map(|note| shown_block(note, redactor)),
            "at": reviewed.at.to_rfc3339(),
        });
    }
    view
}

fn edit(approval: &Approval, edited: &Edited, redactor: &Redactor) -> Value {
    let pretty =
        |value: &Value| serde_json::to_string_pretty(&redactor.redact_value(value).0).unwrap_or_default();
    let change = diff::unified(
        &pretty(edited.before.value()),
        &pretty(approval.proposal.call.args.value()),
        EDIT_CONTEXT_LINES,
    );
    let lines: Vec<_> = change
        .lines
        .iter()
        .map(|line| json!({ "kind": line.kind, "text": visible_line(&line.text).as_str() }))
        .collect();
    json!({
        "request": edited.request,
        "by": shown_line(&edited.name, redactor),
        "changes": lines,
    })
}

/// A text of somebody else on one line: redacted, and everything invisible in it marked.
pub(crate) fn shown_line(text: &str, redactor: &Redactor) -> String {
    visible_line(&redactor.redact_text(text).text).into_string()
}

/// The same on several lines.
fn shown_block(text: &str, redactor: &Redactor) -> String {
    visible(&redactor.redact_text(text).text).into_string()
}

/// A request in a list, as people read it.
pub(crate) fn line(approval: &Approval, gate: &Gate) -> Value {
    let card = gate.view(approval);
    let mut line = json!({
        "id": approval.id,
        "code": approval.code,
        "status": approval.status().name(),
        "title": card.call.title.as_str(),
        "tool": card.call.tool.as_str(),
        "tier": approval.verdict.as_ref().map(|verdict| verdict.tier),
        "level": card.call.level,
        "asked_by": card.call.asked_by.as_str(),
        "created_at": approval.opened_at.to_rfc3339(),
    });
    if let Some(at) = expires_at(approval) {
        line["expires_at"] = json!(at.to_rfc3339());
    }
    if let Some(by) = superseded_by(approval) {
        line["superseded_by"] = json!(by);
    }
    if calls(approval) > 1 {
        line["calls"] = json!(calls(approval));
    }
    if let Some(leader) = approval.shares {
        line["shares"] = json!(leader);
    }
    if let Some(leader) = approval.gathered_on {
        line["gathered_on"] = json!(leader);
    }
    line
}

/// Texts of a card as texts: what was hidden in them is marked within, and counted once for the whole call.
fn plain(value: Value) -> Value {
    match value {
        Value::Object(mut map)
            if map.len() == 2 && map.contains_key("text") && map.contains_key("warnings") =>
        {
            map.remove("text").unwrap_or_default()
        }
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(name, value)| (name, plain(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        other => other,
    }
}
