//! Socket Mode: tickets, links, envelopes and their acknowledgements.
//!
//! What always holds: a ticket opens one socket, once and soon; each envelope goes to exactly one of the open sockets,
//! those that are about to end among them; what is not acknowledged when its socket ends is delivered again, on another
//! one or on the next that is opened; an acknowledgement counts only on the socket that its envelope came on, and in
//! the form that Slack takes.
//!
//! Sources: <https://docs.slack.dev/apis/events-api/using-socket-mode>,
//! <https://docs.slack.dev/reference/methods/apps.connections.open>; that the eleventh socket is greeted with
//! `too_many_websockets` is told in <https://github.com/slackapi/bolt-js/issues/2225>.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::methods::Refusal;
use super::server::Inner;
use super::state::{APP_ID, State};

mod hand;
mod link;

pub(super) use link::serve;

/// The app-level token that is taken.
pub const APP_TOKEN: &str = "xapp-1-A0FAKEAPP1-1-fake";

/// Sockets of one app at the same time.
const LINKS_MAX: usize = 10;

/// For how long a ticket opens a socket, in milliseconds.
const TICKET_LIFE_MS: i64 = 30_000;

/// How long after a warning a socket ends, in milliseconds.
const ENDS_AFTER_MS: i64 = 10_000;

/// What the server does with one socket.
enum Order {
    /// Sends this.
    Send(String),
    /// Closes it as RFC 6455 says.
    Close,
    /// Breaks the connection.
    Cut,
    /// Neither reads nor writes any more.
    Freeze,
}

/// One socket.
struct Link {
    id: u64,
    orders: UnboundedSender<Order>,
    ends_ms: Option<i64>,
}

/// An envelope, from its first delivery on.
struct Sent {
    id: String,
    kind: &'static str,
    payload: Value,
    takes_payload: bool,
    /// On which socket it went out last; none waits for one.
    link: Option<u64>,
    /// On which it ever went out.
    came_on: Vec<u64>,
    attempts: u32,
    /// The payload of its acknowledgement, null where that has none.
    answer: Option<Value>,
}

/// Everything about sockets.
#[derive(Default)]
pub(super) struct Sockets {
    /// When each was given out.
    tickets: BTreeMap<String, i64>,
    links: Vec<Link>,
    sent: Vec<Sent>,
    turn: usize,
    is_off: bool,
    lost_acknowledgements: u32,
    opened: usize,
}

impl State {
    /// `apps.connections.open`.
    pub(super) fn open_connection(&mut self, address: &str) -> Result<Value, Refusal> {
        if self.sockets.is_off {
            return Err(Refusal::code("access_denied"));
        }
        let ticket = format!("{:032x}", self.next_serial());
        let now_ms = self.now_ms();
        self.sockets.tickets.insert(ticket.clone(), now_ms);
        Ok(json!({ "url": format!("ws://{address}/link/?ticket={ticket}&app_id={APP_ID}") }))
    }

    /// Spends a ticket.
    fn redeem(&mut self, ticket: &str) -> bool {
        let now_ms = self.now_ms();
        self.sockets.tickets.remove(ticket).is_some_and(|issued_ms| now_ms - issued_ms <= TICKET_LIFE_MS)
    }

    /// A socket is open: it is greeted, and gets what waits; or it is one too many.
    fn linked(&mut self, orders: UnboundedSender<Order>) -> u64 {
        let id = self.next_serial();
        let link = Link { id, orders, ends_ms: None };
        if self.sockets.links.len() >= LINKS_MAX {
            link.says(&disconnect("too_many_websockets"));
            let _gone = link.orders.send(Order::Close);
            return id;
        }
        let connections = self.sockets.links.len() + 1;
        link.says(&json!({ "type": "hello", "num_connections": connections,
            "debug_info": { "host": "applink-fake", "build_number": 1, "approximate_connection_time": 18_060 },
            "connection_info": { "app_id": APP_ID } }));
        self.sockets.links.push(link);
        self.sockets.opened += 1;
        self.sockets.deliver_waiting();
        id
    }

    /// A socket has ended: what it did not acknowledge goes elsewhere.
    fn unlinked(&mut self, id: u64) {
        self.sockets.links.retain(|link| link.id != id);
        for sent in self.sockets.sent.iter_mut().filter(|sent| sent.link == Some(id)) {
            sent.link = None;
        }
        self.sockets.deliver_waiting();
    }

    /// Something came on a socket.
    fn heard(&mut self, link: u64, text: &str) {
        if let Err(wrong) = self.sockets.acknowledge(link, text) {
            self.refused.push(format!("socket: {wrong}: {text}"));
        }
    }
}

impl Sockets {
    fn deliver_waiting(&mut self) {
        for at in 0..self.sent.len() {
            if self.sent[at].answer.is_none() && self.sent[at].link.is_none() {
                self.deliver(at);
            }
        }
    }

    /// Sends an envelope to the next socket.
    fn deliver(&mut self, at: usize) {
        if self.links.is_empty() {
            return;
        }
        self.turn += 1;
        let link = &self.links[self.turn % self.links.len()];
        let sent = &mut self.sent[at];
        let mut envelope = json!({ "envelope_id": sent.id, "type": sent.kind, "payload": sent.payload,
            "accepts_response_payload": sent.takes_payload });
        if sent.attempts > 0 || sent.kind == "events_api" {
            envelope["retry_attempt"] = sent.attempts.into();
            envelope["retry_reason"] = if sent.attempts > 0 { "timeout" } else { "" }.into();
        }
        sent.link = Some(link.id);
        sent.came_on.push(link.id);
        sent.attempts += 1;
        link.says(&envelope);
    }

    fn acknowledge(&mut self, link: u64, text: &str) -> Result<()> {
        let acknowledgement: Value = serde_json::from_str(text).context("it is no JSON")?;
        let id = acknowledgement["envelope_id"].as_str().context("it names no envelope")?;
        let payload = acknowledgement["payload"].clone();
        let sent = self.sent.iter_mut().find(|sent| sent.id == id).context("it names no envelope of ours")?;
        if !sent.came_on.contains(&link) {
            bail!("its envelope came on another socket");
        }
        if sent.answer.is_some() && sent.attempts == 1 {
            bail!("it is acknowledged twice");
        }
        // The official client always sends an object, which may be empty.
        let is_empty = payload.is_null() || payload.as_object().is_some_and(Map::is_empty);
        if !is_empty && !sent.takes_payload {
            bail!("its envelope takes no answer");
        }
        if self.lost_acknowledgements > 0 {
            self.lost_acknowledgements -= 1;
            return Ok(());
        }
        sent.answer.get_or_insert(if is_empty { Value::Null } else { payload });
        Ok(())
    }

    /// The socket that is open longest and does not end.
    fn oldest(&mut self) -> Result<&mut Link> {
        self.links.iter_mut().find(|link| link.ends_ms.is_none()).context("no socket is open")
    }
}

impl Link {
    /// A socket that ends at this moment hears nothing.
    fn says(&self, what: &Value) {
        let _gone = self.orders.send(Order::Send(what.to_string()));
    }
}

fn disconnect(reason: &str) -> Value {
    json!({ "type": "disconnect", "reason": reason, "debug_info": { "host": "applink-fake" } })
}

impl Inner {
    /// Where sockets are opened.
    pub(super) fn socket_address(&self) -> String {
        self.socket_door.address().to_string()
    }
}
