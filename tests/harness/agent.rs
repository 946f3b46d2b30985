//! Agents that propose, and executors that run, over HTTP.

use anyhow::{Context as _, Result};
use axum::http::Method;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::http::{Answer, Ask};

/// A call that was proposed.
#[derive(Debug, Clone)]
pub struct Call {
    /// The request's id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: Value,
    /// Whose token proposed it.
    pub agent: String,
}

/// A claim that was won.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The claim's id.
    pub claim: String,
    /// The key of the attempt.
    pub key: String,
    /// The whole answer.
    pub answer: Value,
}

/// An agent at the desk, by the name of its credential.
#[derive(Clone, Copy)]
pub struct Agent<'a> {
    pub(crate) desk: &'a Desk,
    pub(crate) name: &'a str,
}

impl Agent<'_> {
    /// Proposes a call with the usual words around it.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn proposes(&self, tool: &str, args: Value) -> Result<Call> {
        let key = self.desk.next_number();
        self.proposes_with(
            &format!("key-{key}"),
            json!({
                "tool": tool,
                "args": args,
                "run": {"id": "run-1", "step": format!("step-{key}")},
                "task": "clean up old files in the project",
                "reason": "it was not touched for three months",
            }),
        )
        .await
    }

    /// Proposes this body under this key.
    ///
    /// # Errors
    /// If it is not taken.
    pub async fn proposes_with(&self, key: &str, body: Value) -> Result<Call> {
        let answer = self.tries_to_propose(Some(key), &body).await?;
        anyhow::ensure!(answer.status.is_success(), "not taken: {} {}", answer.status, answer.text());
        let id = answer.json()?["id"].as_str().context("an id")?.to_owned();
        let tool = body["tool"].as_str().unwrap_or_default().to_owned();
        Ok(Call { id, tool, args: body["args"].clone(), agent: self.name.to_owned() })
    }

    /// Sends a proposal and gives the answer, whatever it is.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn tries_to_propose(&self, key: Option<&str>, body: &Value) -> Result<Answer> {
        let mut ask =
            Ask::new(Method::POST, "/v1/requests").token(&self.desk.token(self.name)?)?.json(body)?;
        if let Some(key) = key {
            ask = ask.header("idempotency-key", key)?;
        }
        self.desk.sends(ask).await
    }

    /// Reads a request.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn reads(&self, id: &str) -> Result<Answer> {
        self.get(&format!("/v1/requests/{id}")).await
    }

    /// Any GET.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn get(&self, path: &str) -> Result<Answer> {
        self.desk.sends(Ask::new(Method::GET, path).token(&self.desk.token(self.name)?)?).await
    }

    /// Any POST.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Answer> {
        self.desk.sends(Ask::new(Method::POST, path).token(&self.desk.token(self.name)?)?.json(body)?).await
    }

    /// Any DELETE.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn deletes(&self, path: &str) -> Result<Answer> {
        self.desk.sends(Ask::new(Method::DELETE, path).token(&self.desk.token(self.name)?)?).await
    }

    /// Withdraws.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn withdraws(&self, call: &Call) -> Result<Answer> {
        let path = format!("/v1/requests/{}", call.id);
        self.desk.sends(Ask::new(Method::DELETE, path).token(&self.desk.token(self.name)?)?).await
    }

    /// Tries to claim, with these arguments.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn tries_to_claim(&self, call: &Call, key: &str) -> Result<Answer> {
        let body = json!({"tool": call.tool, "args": call.args, "key": key});
        self.post(&format!("/v1/requests/{}/claim", call.id), &body).await
    }

    /// Claims.
    ///
    /// # Errors
    /// If it is refused.
    pub async fn claims(&self, call: &Call) -> Result<Claimed> {
        let key = format!("{:0>40}", self.desk.next_number());
        let answer = self.tries_to_claim(call, &key).await?.expect(200)?.json()?;
        let claim = answer["claim"].as_str().context("a claim")?.to_owned();
        Ok(Claimed { claim, key, answer })
    }

    /// Reports.
    ///
    /// # Errors
    /// If nothing comes back.
    pub async fn reports(&self, call: &Call, claimed: &Claimed, status: &str) -> Result<Answer> {
        let body = json!({
            "claim": claimed.claim, "key": claimed.key, "status": status, "duration_ms": 200,
            "result": if status == "succeeded" { json!({"ok": true}) } else { Value::Null },
        });
        let mut body = body;
        if body["result"].is_null() {
            body.as_object_mut().map(|map| map.remove("result"));
        }
        self.post(&format!("/v1/requests/{}/outcome", call.id), &body).await
    }

    /// Claims, runs and reports: what an executor outside does. The tool's runs are counted at the desk.
    ///
    /// # Errors
    /// If any of it is refused.
    pub async fn runs(&self, call: &Call) -> Result<()> {
        let claimed = self.claims(call).await?;
        self.desk.ran(&call.tool, &claimed.answer["call"]["args"]);
        self.reports(call, &claimed, "succeeded").await?.expect(200)?;
        Ok(())
    }
}
