//! The desk with Socket Mode: what people do comes on sockets that Placet opens.

use std::sync::{Arc, PoisonError};

use anyhow::Result;
use axum::http::{HeaderMap, StatusCode};
use placet_server::App;
use serde_json::Value;

use crate::desk::{Desk, Transport};
use crate::fake_slack::Delivery;
use crate::http::Answer;

impl Desk {
    /// From now on what people do comes this way. Placet is started again for it.
    ///
    /// # Errors
    /// If it does not start again.
    pub async fn comes_by(&self, transport: Transport) -> Result<()> {
        self.stop().await?;
        *self.transport.lock().unwrap_or_else(PoisonError::into_inner) = transport;
        self.start().await
    }

    fn transport(&self) -> Transport {
        *self.transport.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn has_sockets(&self) -> bool {
        matches!(self.transport(), Transport::Sockets(_))
    }

    /// The settings for it.
    pub(crate) fn ways_in(&self) -> String {
        match self.transport() {
            Transport::Http => "signing_secret = { env = \"SIGNING_SECRET\" }".to_owned(),
            Transport::Sockets(count) => {
                format!("app_token = {{ env = \"APP_TOKEN\" }}\nsocket_connections = {count}")
            }
        }
    }

    /// Placet opens its sockets.
    pub(crate) async fn listens(&self, app: Arc<App>) -> Result<()> {
        let Transport::Sockets(count) = self.transport() else { return Ok(()) };
        let listening = tokio::spawn(async move { app.listen_to_slack().await });
        *self.listening.lock().unwrap_or_else(PoisonError::into_inner) = Some(listening);
        self.slack().has_sockets(count).await
    }

    /// Its sockets break off, as those of a process that is killed.
    pub(crate) async fn listens_no_more(&self) {
        let listening = self.listening.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(listening) = listening else { return };
        listening.abort();
        // Only when it is gone does nothing of it touch the store any more.
        let _aborted = listening.await;
    }

    /// Sends it in an envelope, and gives the acknowledgement as the answer it would be over HTTP.
    pub(crate) async fn delivers_on_a_socket(&self, delivery: &Delivery) -> Result<Answer> {
        let envelope = self.slack().sends_envelope(delivery)?;
        let payload = self.slack().acknowledged(&envelope).await?;
        let body = if payload == Value::Null { bytes::Bytes::new() } else { payload.to_string().into() };
        Ok(Answer { status: StatusCode::OK, headers: HeaderMap::new(), body })
    }
}
