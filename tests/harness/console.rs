//! People who decide over HTTP, with the credential that is theirs: what a console does for them.

use anyhow::{Context as _, Result};
use axum::http::Method;
use serde_json::{Value, json};

use crate::agent::{Agent, Call};
use crate::http::{Answer, Ask};

impl Agent<'_> {
    /// Reads a request as people do: what they are shown is on record then.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn looks_at(&self, call: &Call) -> Result<Value> {
        self.get(&format!("/v1/requests/{}?view=card", call.id)).await?.expect(200)?.json()
    }

    /// Reads the whole call and says yes, with these fields beside.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn approves_with(&self, call: &Call, more: Value) -> Result<Answer> {
        self.looks_at(call).await?;
        let mut body = json!({"requestId": call.id, "approved": true});
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        self.post("/approvals", &body).await
    }

    /// Reads the whole call and says yes; gives how it stands then.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn approves(&self, call: &Call) -> Result<Value> {
        self.approves_with(call, json!({})).await?.expect(200)?.json()
    }

    /// Says no.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn rejects(&self, call: &Call, reason: &str) -> Result<Value> {
        let body = json!({"requestId": call.id, "approved": false, "reason": reason});
        self.post("/approvals", &body).await?.expect(200)?.json()
    }

    /// Does something to a request: edit, break-glass, review, take-back, revoke.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn does(&self, call: &Call, what: &str, body: Value) -> Result<Answer> {
        self.post(&format!("/v1/requests/{}/{what}", call.id), &body).await
    }

    /// Puts a call with these arguments in the place of one that waits; gives the new one.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn edits(&self, call: &Call, args: Value) -> Result<Call> {
        let edited = self.does(call, "edit", json!({"args": args})).await?.expect(201)?.json()?;
        let id = edited["id"].as_str().context("an id")?.to_owned();
        Ok(Call { id, args, ..call.clone() })
    }

    /// Stops calls; gives the stop's id.
    ///
    /// # Errors
    /// If they are not stopped.
    pub async fn stops(&self, what: Value) -> Result<String> {
        let stop = self.post("/v1/stops", &what).await?.expect(200)?.json()?;
        Ok(stop["id"].as_str().context("an id")?.to_owned())
    }

    /// Lets what was stopped go on.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn lifts(&self, stop: &str) -> Result<Answer> {
        self.delete(&format!("/v1/stops/{stop}")).await
    }

    /// Takes back what is remembered.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn forgets(&self, remembered: &str) -> Result<Answer> {
        self.delete(&format!("/v1/remembered/{remembered}")).await
    }

    /// Any DELETE.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn delete(&self, path: &str) -> Result<Answer> {
        self.desk.sends(Ask::new(Method::DELETE, path).token(&self.desk.token(self.name)?)?).await
    }
}
