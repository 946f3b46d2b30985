//! `GET /v1/events`: the tenant's record as a stream, resumable, filtered by type and request.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use placet::card::Redactor;
use placet::id::{RequestId, TenantId};
use placet::ports::{EventQuery, StoreError};
use placet::record::{Event, EventKind, Seq};
use serde_json::{Value, json};

use crate::credential::{Auditing, Caller};
use crate::limits::TRACE_READ_AT_ONCE;
use crate::parts::App;
use crate::problem::{Code, Problem};
use crate::query::{Query, place};
use crate::stream::{Closing, Feed, Item, Seat, follow, last_event_id};
use crate::view::readable_times;

/// The types of event that can be asked for.
const TYPES: [&str; 44] = [
    "tool.proposed",
    "policy.checking",
    "policy.checked",
    "approval.requested",
    "vote.cast",
    "vote.taken_back",
    "vote.lapsed",
    "command.refused",
    "approval.bypassed_blocked",
    "approval.decided",
    "approval.expired",
    "approval.revoked",
    "approval.escalated",
    "approval.reminded",
    "approval.joined",
    "approval.shares_card",
    "approval.gathers",
    "approval.gathered_on",
    "approval.part_changed",
    "approval.remembered",
    "approval.forgotten",
    "stop.placed",
    "stop.lifted",
    "question.asked",
    "question.answered",
    "approval.looked_at",
    "approval.looked_away",
    "approval.rejudged",
    "approval.asked_anew",
    "approval.reviewed",
    "approval.claimed",
    "execution.heartbeat",
    "execution.stop_requested",
    "tool.executed",
    "execution.settled",
    "card.shown",
    "card.delivered",
    "card.undeliverable",
    "message.undelivered",
    "alarm.raised",
    "policy.loaded",
    "policy.refused",
    "credential.created",
    "credential.revoked",
];

/// `GET /v1/events?after=…&types=…&request=…`, or with `Last-Event-ID`.
pub(crate) async fn events(
    State(app): State<App>,
    caller: Caller<Auditing>,
    headers: HeaderMap,
    (query, closing): (Query, Closing),
) -> Result<Response, Problem> {
    let query = query.only(&["after", "types", "request"])?;
    let tenant = caller.tenant().clone();
    let after = match last_event_id(&headers)? {
        Some(id) => place(&app, &tenant, "Last-Event-ID", id)?,
        None => query.place("after", &tenant, &app)?,
    };
    let types = query.text("types").map(types).transpose()?.unwrap_or_default();
    let feed = Trace {
        app: app.clone(),
        query: EventQuery {
            tenant: Some(tenant.clone()),
            request: query.parsed::<RequestId>("request")?,
            after,
            types,
            limit: TRACE_READ_AT_ONCE,
        },
        tenant,
    };
    let seat = Seat::of_stream(&app, &caller)?;
    Ok(follow(app, (caller.into_principal(), seat), closing, feed))
}

fn types(text: &str) -> Result<Vec<&'static str>, Problem> {
    let named = |name: &str| {
        TYPES.into_iter().find(|known| *known == name.trim()).ok_or_else(|| {
            let detail = format!("`types` is a list, separated by commas, of {}", TYPES.join(", "));
            Problem::new(Code::QueryInvalid, detail).at("types")
        })
    };
    text.split(',').map(named).collect()
}

struct Trace {
    app: App,
    tenant: TenantId,
    query: EventQuery,
}

#[async_trait]
impl Feed for Trace {
    fn changed(&self) -> BoxFuture<'static, ()> {
        self.app.gate.wakes().record().boxed()
    }

    async fn read(&mut self) -> Result<Vec<Item>, StoreError> {
        let events = self.app.gate.store().events(self.query.clone()).await?;
        self.query.after = events.last().map_or(self.query.after, |(seq, _)| *seq);
        let item = |(seq, event): (Seq, Event)| {
            let id = self.app.settings.cursor_key.seal(&self.tenant, seq);
            let data = readable(&event, self.app.gate.redactor());
            let wire = sse::Event::default().event(event.kind.name()).id(id).data(data.to_string());
            Item { event: wire, last: false }
        };
        Ok(events.into_iter().map(item).collect())
    }
}

/// An event as it leaves the house: times in words, secrets hidden. Arguments become the object that they are.
fn readable(event: &Event, redactor: &Arc<Redactor>) -> Value {
    let mut value = readable_times(serde_json::to_value(event).unwrap_or_default());
    if let EventKind::Proposed { proposal, .. } = &event.kind {
        let before = proposal.edited.as_ref().map(|edited| &edited.before);
        for (at, args) in [("call/args", Some(&proposal.call.args)), ("edited/before", before)] {
            if let (Some(place), Some(args)) = (value.pointer_mut(&format!("/proposal/{at}")), args) {
                *place = json!(args.value());
            }
        }
    }
    redactor.redact_value(&value).0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A type that is missing above could be read, but not asked for.
    #[test]
    fn every_type_of_the_record_can_be_asked_for() {
        let source = include_str!("../../../src/record/event.rs");
        let named = source.split("serde(rename = \"").skip(1).filter_map(|rest| rest.split('"').next());
        let missing: Vec<_> = named.filter(|name| !TYPES.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
