//! A conversation with Placet's own agent.

use anyhow::{Context as _, Result, bail, ensure};
use axum::http::Method;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::desk::Desk;
use crate::http::Ask;

/// One run, as its stream of events.
pub struct Chat {
    stream: axum::body::BodyDataStream,
    rest: String,
    /// What was read so far, with its SSE id.
    pub events: Vec<(String, Value)>,
}

impl Desk {
    /// Gives the agent a task.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn chats(&self, text: &str) -> Result<Chat> {
        self.chats_in(None, text).await
    }

    /// Gives the agent a task in a session that is there already.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn chats_in(&self, session: Option<&str>, text: &str) -> Result<Chat> {
        let mut body = json!({ "text": text });
        if let Some(session) = session {
            body["sessionId"] = json!(session);
        }
        self.streams(Ask::new(Method::POST, "/chat").json(&body)?).await
    }

    /// Opens a stream of events with the agent's credential.
    ///
    /// # Errors
    /// If it is not opened.
    pub async fn streams(&self, ask: Ask) -> Result<Chat> {
        let request = ask.token(&self.token("agent")?)?.into_request()?;
        let response = self.app()?.router.clone().oneshot(request).await?;
        ensure!(response.status().is_success(), "not taken: {}", response.status());
        Ok(Chat { stream: response.into_body().into_data_stream(), rest: String::new(), events: Vec::new() })
    }
}

impl Chat {
    /// The next event.
    ///
    /// # Errors
    /// If the stream ends before one comes.
    pub async fn next(&mut self) -> Result<Value> {
        loop {
            if let Some((frame, rest)) = self.rest.split_once("\n\n") {
                let (frame, rest) = (frame.to_owned(), rest.to_owned());
                self.rest = rest;
                if let Some(event) = parse(&frame)? {
                    self.events.push(event.clone());
                    return Ok(event.1);
                }
                continue;
            }
            let chunk = self.stream.next().await.context("the stream ended")??;
            self.rest.push_str(std::str::from_utf8(&chunk)?);
        }
    }

    /// Reads until an event of this type.
    ///
    /// # Errors
    /// If none comes.
    pub async fn until(&mut self, kind: &str) -> Result<Value> {
        loop {
            let event = self.next().await?;
            if event["type"] == kind {
                return Ok(event);
            }
        }
    }

    /// Reads until the run is over; gives all its events.
    ///
    /// # Errors
    /// If the stream ends before.
    pub async fn until_over(mut self) -> Result<Vec<Value>> {
        loop {
            let event = self.next().await?;
            if event["type"] == "done" || event["type"] == "error" {
                return Ok(self.events.into_iter().map(|(_, event)| event).collect());
            }
        }
    }
}

/// An event with its id; none for a comment.
fn parse(frame: &str) -> Result<Option<(String, Value)>> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start);
    let Some(data) = field("data:") else { return Ok(None) };
    let (Some(id), Some(kind)) = (field("id:"), field("event:")) else {
        bail!("an event without id or type: {frame}")
    };
    let mut event: Value = serde_json::from_str(data)?;
    if let Some(map) = event.as_object_mut() {
        map.insert("type".to_owned(), json!(kind));
    }
    Ok(Some((id.to_owned(), event)))
}
