//! What a test does with the fake's sockets.

use anyhow::Result;
use serde_json::{Map, Value};

use super::{ENDS_AFTER_MS, Order, Sent, disconnect};
use crate::fake_slack::FakeSlack;
use crate::fake_slack::clicks::Delivery;

/// What a signed delivery is on a socket: the kind of its envelope, and the payload.
fn enveloped(delivery: &Delivery) -> Result<(&'static str, Value)> {
    if let Ok(event) = serde_json::from_str(&delivery.body) {
        return Ok(("events_api", event));
    }
    let fields = url::form_urlencoded::parse(delivery.body.as_bytes()).into_owned();
    let fields: Map<String, Value> = fields.map(|(name, value)| (name, Value::String(value))).collect();
    match fields.get("payload").and_then(Value::as_str) {
        Some(payload) => Ok(("interactive", serde_json::from_str(payload)?)),
        None => Ok(("slash_commands", Value::Object(fields))),
    }
}

impl FakeSlack {
    /// Sends what would be delivered over HTTP in an envelope, to one of the open sockets or to the next that is opened.
    /// Gives the envelope's id.
    ///
    /// # Errors
    /// If the body is none of Slack's.
    pub fn sends_envelope(&self, delivery: &Delivery) -> Result<String> {
        let (kind, payload) = enveloped(delivery)?;
        Ok(self.sends_payload(kind, payload))
    }

    /// Sends this payload in an envelope of this kind.
    pub fn sends_payload(&self, kind: &'static str, payload: Value) -> String {
        let mut state = self.state();
        let id = format!("{:08x}-0000-4000-8000-000000000000", state.next_serial());
        let takes_payload = kind != "events_api";
        let sent = Sent {
            id: id.clone(),
            kind,
            payload,
            takes_payload,
            link: None,
            came_on: Vec::new(),
            attempts: 0,
            answer: None,
        };
        state.sockets.sent.push(sent);
        state.sockets.deliver_waiting();
        id
    }

    /// Waits until an envelope is acknowledged, and gives the answer in it; null where there is none.
    ///
    /// # Errors
    /// If it never is.
    pub async fn acknowledged(&self, id: &str) -> Result<Value> {
        self.wait(&format!("the acknowledgement of {id}"), |state| {
            state.sockets.sent.iter().find(|sent| sent.id == id)?.answer.clone()
        })
        .await
    }

    /// Whether an envelope is acknowledged.
    #[must_use]
    pub fn is_acknowledged(&self, id: &str) -> bool {
        self.state().sockets.sent.iter().any(|sent| sent.id == id && sent.answer.is_some())
    }

    /// How often an envelope was delivered.
    #[must_use]
    pub fn deliveries(&self, id: &str) -> u32 {
        self.state().sockets.sent.iter().find(|sent| sent.id == id).map_or(0, |sent| sent.attempts)
    }

    /// Waits until an envelope was delivered so often.
    ///
    /// # Errors
    /// If it never is.
    pub async fn delivered(&self, id: &str, times: u32) -> Result<()> {
        self.wait(&format!("delivery {times} of {id}"), |state| {
            state.sockets.sent.iter().any(|sent| sent.id == id && sent.attempts >= times).then_some(())
        })
        .await
    }

    /// Delivers again what is not acknowledged, as Slack does after a few seconds.
    pub fn delivers_unanswered_again(&self) {
        let mut state = self.state();
        for at in 0..state.sockets.sent.len() {
            if state.sockets.sent[at].answer.is_none() {
                state.sockets.deliver(at);
            }
        }
    }

    /// The next so many acknowledgements are lost on their way.
    pub fn loses_acknowledgements(&self, count: u32) {
        self.state().sockets.lost_acknowledgements = count;
    }

    /// Waits until no acknowledgement is left to be lost.
    ///
    /// # Errors
    /// If none comes that could be.
    pub async fn has_lost_acknowledgements(&self) -> Result<()> {
        self.wait("an acknowledgement to lose", |state| {
            (state.sockets.lost_acknowledgements == 0).then_some(())
        })
        .await
    }

    /// How many sockets are open now.
    #[must_use]
    pub fn sockets(&self) -> usize {
        self.state().sockets.links.len()
    }

    /// How many have been opened so far.
    #[must_use]
    pub fn sockets_opened(&self) -> usize {
        self.state().sockets.opened
    }

    /// Waits until so many sockets are open.
    ///
    /// # Errors
    /// If they never are.
    pub async fn has_sockets(&self, count: usize) -> Result<()> {
        self.wait(&format!("{count} sockets"), |state| (state.sockets.links.len() == count).then_some(()))
            .await
    }

    /// Waits until so many sockets have been opened.
    ///
    /// # Errors
    /// If they never are.
    pub async fn has_opened_sockets(&self, count: usize) -> Result<()> {
        self.wait(&format!("{count} sockets in all"), |state| (state.sockets.opened >= count).then_some(()))
            .await
    }

    /// Says on the oldest socket that it ends soon: `warning` or `refresh_requested`. It goes on working until
    /// [`FakeSlack::ends_sockets`], ten seconds later.
    ///
    /// # Errors
    /// If none is open.
    pub fn asks_to_move(&self, reason: &str) -> Result<()> {
        let mut state = self.state();
        let now_ms = state.now_ms();
        let link = state.sockets.oldest()?;
        link.ends_ms = Some(now_ms + ENDS_AFTER_MS);
        link.says(&disconnect(reason));
        Ok(())
    }

    /// Ends the sockets whose time has come. Gives how many.
    pub fn ends_sockets(&self) -> usize {
        let state = self.state();
        let now_ms = state.now_ms();
        let due = state.sockets.links.iter().filter(|link| link.ends_ms.is_some_and(|at| at <= now_ms));
        due.filter(|link| link.orders.send(Order::Close).is_ok()).count()
    }

    /// Breaks the oldest socket off, without a word.
    ///
    /// # Errors
    /// If none is open.
    pub fn breaks_socket(&self) -> Result<()> {
        let mut state = self.state();
        let _gone = state.sockets.oldest()?.orders.send(Order::Cut);
        Ok(())
    }

    /// The oldest socket neither hears nor says anything from now on, and nobody is told.
    ///
    /// # Errors
    /// If none is open.
    pub fn freezes_socket(&self) -> Result<()> {
        let mut state = self.state();
        let _gone = state.sockets.oldest()?.orders.send(Order::Freeze);
        Ok(())
    }

    /// Somebody turns Socket Mode off, or on again, in the settings of the app.
    pub fn turns_sockets(&self, on: bool) {
        let mut state = self.state();
        state.sockets.is_off = !on;
        if !on {
            for link in &state.sockets.links {
                link.says(&disconnect("link_disabled"));
                let _gone = link.orders.send(Order::Close);
            }
        }
    }
}
