//! A month as it is recorded: the real Placet, from a Monday afternoon on, with nights, weekends, holidays and a freeze,
//! several versions of the policy, and two tenants.

use anyhow::{Context as _, Result, ensure};
use placet::approval::{Approval, Status};
use placet::ports::{RequestQuery, RequestStore as _, Scope};
use placet::time::{Clock as _, Timestamp, Ttl};
use placet_tests::Desk;
use placet_tests::desk::TENANT;
use placet_tests::fake_slack::TEAM_ID;
use serde_json::{Value, json};

use super::policies;

/// The other tenant, which has a policy of its own from [`NEW_TENANT`] on.
pub(super) const OTHER: &str = "globex";

/// How many days a whole one has.
pub(super) const DAYS: u32 = 31;

/// On which day, counted from 0, what happens to the policies.
const TIGHTER: u32 = 8;
const NEW_TENANT: u32 = 10;
const OWN_RULES: u32 = 15;
const AS_BEFORE: u32 = 20;
const WRONG: u32 = 22;
const LOOKS_ON: u32 = 24;
const ASKS_AGAIN: u32 = 27;

/// What is left of a recorded month when it is over.
pub(super) struct Month {
    /// When it began.
    pub(super) from: Timestamp,
    /// When it ended.
    pub(super) until: Timestamp,
    /// When the second version took force.
    pub(super) tighter: Timestamp,
    /// How many calls were proposed, edits included.
    pub(super) proposed: usize,
    /// Every request, the oldest first.
    pub(super) requests: Vec<Approval>,
}

impl Month {
    /// Requests that were judged between these times.
    pub(super) fn between(&self, from: Timestamp, until: Timestamp) -> impl Iterator<Item = &Approval> {
        self.requests.iter().filter(move |request| from <= request.opened_at && request.opened_at <= until)
    }
}

/// Records one, or the first days of one.
pub(super) async fn recorded(desk: &Desk, days: u32) -> Result<Month> {
    desk.leaves_messages_unread();
    let ivo = desk.slack().person("ivo");
    let group = desk.slack().user_group("trusted", &["ivo"]);
    let first = policies::first(&format!("{TEAM_ID}/{ivo}"), &format!("{TEAM_ID}/{group}"));
    desk.has_policy(move |policy| policies::with_ways(policy) + first.as_str()).await?;
    desk.has_tenant_policies(&[(TENANT, policies::ACME)]).await?;
    for (name, tenant) in [("intern", TENANT), ("globex-agent", OTHER)] {
        desk.has_credential(name, tenant, &[Scope::Propose, Scope::Execute]).await?;
    }
    desk.has_credential("gil-console", OTHER, &[Scope::Decide]).await?;
    let mut life = Life { desk, group, proposed: 0, day: 0 };
    minute(desk).await?;
    let from = desk.clock().now();
    let mut tighter = from;
    for day in 0..days {
        life.day = day;
        life.policies().await?;
        if day == TIGHTER {
            tighter = desk.clock().now();
        }
        minute(desk).await?;
        life.afternoon().await?;
        passes_until(desk, day, 9 * 60).await?;
        life.night().await?;
        passes_until(desk, day, 18 * 60).await?;
        life.morning().await?;
        passes_until(desk, day, 24 * 60).await?;
    }
    let query = RequestQuery { limit: 100_000, ..RequestQuery::default() };
    let mut requests = desk.store()?.list(query).await?;
    requests.reverse();
    Ok(Month { from, until: desk.clock().now(), tighter, proposed: life.proposed, requests })
}

async fn minute(desk: &Desk) -> Result<()> {
    desk.passes(Ttl::from_mins(1)).await
}

/// Until so many minutes after the beginning of a day, which is at 15:00 in Berlin.
async fn passes_until(desk: &Desk, day: u32, minutes: u64) -> Result<()> {
    let at = placet_tests::clock::START + Ttl::from_mins(u64::from(day) * 24 * 60 + minutes);
    let left = at.since(desk.clock().now());
    ensure!(left > Ttl::ZERO, "day {day} took longer than it has");
    desk.passes(left).await
}

struct Life<'a> {
    desk: &'a Desk,
    group: String,
    proposed: usize,
    day: u32,
}

impl Life<'_> {
    /// What becomes of the policies on this day.
    async fn policies(&self) -> Result<()> {
        let desk = self.desk;
        match self.day {
            TIGHTER => desk.changes_policy(policies::tighter).await,
            NEW_TENANT => desk.has_tenant_policies(&[(OTHER, policies::GLOBEX)]).await,
            OWN_RULES => desk.changes_policy_of(TENANT, policies::with_own_rules).await,
            AS_BEFORE => desk.changes_policy(policies::as_before).await,
            WRONG => {
                desk.changes_policy(|policy| policy.replacen("[levels.low]", "[levels.lowest]", 1)).await?;
                ensure!(desk.notes("policy.refused").await?.len() == 1);
                desk.restart().await
            }
            LOOKS_ON => {
                desk.changes_policy(|policy| {
                    policies::looks_on(policy.replacen("[levels.lowest]", "[levels.low]", 1))
                })
                .await
            }
            ASKS_AGAIN => desk.changes_policy(policies::asks_again).await,
            _ => Ok(()),
        }
    }

    /// Proposes; gives the call.
    async fn proposes(&mut self, agent: &str, body: Value) -> Result<placet_tests::Call> {
        self.proposed += 1;
        let key = format!("key-{}", self.desk.next_number());
        self.desk.holder(agent).proposes_with(&key, body).await
    }

    fn call(tool: &str, args: Value) -> Value {
        json!({"tool": tool, "args": args, "task": "what the day brings", "reason": "it is due"})
    }

    /// A payment: by day and hour another, some of them in ways that no rule can compute.
    async fn pays(&mut self, agent: &str, hour: u32) -> Result<()> {
        let amounts = [
            json!(5),
            json!(60),
            json!(99.5),
            json!(150),
            json!(700),
            json!(2500),
            json!("9e9"),
            json!(null),
            json!(-3),
            json!([60]),
        ];
        let place = (self.day * 3 + hour) as usize % amounts.len();
        let mut args = json!({"to": format!("customer-{}", self.day)});
        if self.day % 9 != 8 {
            args["amount"] = amounts.get(place).context("an amount")?.clone();
        }
        self.proposes(agent, Self::call("pay", args)).await.map(drop)
    }

    async fn afternoon(&mut self) -> Result<()> {
        let day = self.day;
        let reads = if day % 5 == 2 { 5 } else { 1 };
        for number in 0..reads {
            self.proposes("agent", Self::call("read_file", json!({"path": format!("{number}.txt")}))).await?;
            minute(self.desk).await?;
        }
        self.pays("agent", 0).await?;
        self.pays("globex-agent", 1).await?;
        self.proposes("intern", Self::call("write_note", json!({"text": "hello"}))).await?;
        match day % 4 {
            0 => self.is_denied_and_asks_again().await?,
            1 => self.is_remembered().await?,
            2 => self.is_edited().await?,
            _ => self.shares_a_card().await?,
        }
        if day % 10 == 6 {
            self.proposes("agent", Self::call("drop_table", json!({"table": "users"}))).await?;
        }
        minute(self.desk).await
    }

    async fn night(&mut self) -> Result<()> {
        self.pays("agent", 2).await?;
        self.proposes("agent", Self::call("read_file", json!({"path": "log.txt"}))).await?;
        let path = json!({"path": format!("night/{}.txt", self.day)});
        self.proposes("globex-agent", Self::call("delete_file", path)).await?;
        minute(self.desk).await
    }

    async fn morning(&mut self) -> Result<()> {
        let deploy = Self::call("deploy", json!({"app": "api", "tag": format!("v{}", self.day)}));
        let deploy = self.proposes("agent", deploy).await?;
        // Who is in the group can be read on most days.
        self.desk.slack().set_group_readable(&self.group, self.day % 7 != 5);
        minute(self.desk).await?;
        self.proposes("intern", Self::call("write_note", json!({"text": "morning"}))).await?;
        self.desk.slack().set_group_readable(&self.group, true);
        self.proposes("globex-agent", Self::call("get_customer", json!({"id": self.day}))).await?;
        self.proposes("agent", Self::call("get_customer", json!({"id": self.day}))).await?;
        let amount = if self.day % 4 == 1 { json!("-5") } else { json!(i64::from(self.day) - 3) };
        self.proposes("globex-agent", Self::call("owe", json!({"amount": amount}))).await?;
        if self.desk.request(&deploy.id).await?.status() == Status::WaitingApproval
            && self.day.is_multiple_of(2)
        {
            self.desk.holder("bo-console").approves(&deploy).await?;
            self.desk.holder("chen-console").approves(&deploy).await?;
            self.desk.agent().runs(&deploy).await?;
        }
        Ok(())
    }

    fn delete(&self, path: &str, more: Value) -> Value {
        let mut body = Self::call("delete_file", json!({"path": format!("day-{}/{path}", self.day)}));
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        body
    }

    async fn is_denied_and_asks_again(&mut self) -> Result<()> {
        let call = self.proposes("agent", self.delete("a.txt", json!({}))).await?;
        self.desk.holder("chen-console").rejects(&call, "not today").await?;
        minute(self.desk).await?;
        self.proposes("agent", self.delete("a.txt", json!({}))).await?;
        self.proposes("agent", self.delete("a.txt", json!({"ask_again": true}))).await?;
        Ok(())
    }

    async fn is_remembered(&mut self) -> Result<()> {
        let session = json!({"session": format!("session-{}", self.day)});
        let call = self.proposes("agent", self.delete("b.txt", session.clone())).await?;
        let remember = json!({"remember": true});
        self.desk.holder("bo-console").approves_with(&call, remember).await?.expect(200)?;
        minute(self.desk).await?;
        let like = self.proposes("agent", self.delete("b.txt", session)).await?;
        self.desk.agent().runs(&like).await
    }

    async fn is_edited(&mut self) -> Result<()> {
        let call = self.proposes("agent", self.delete("c.txt", json!({}))).await?;
        let args = json!({"path": format!("day-{}/d.txt", self.day)});
        self.desk.holder("dana-console").edits(&call, args).await?;
        self.proposed += 1;
        Ok(())
    }

    async fn shares_a_card(&mut self) -> Result<()> {
        for step in 0..2 {
            let run = json!({"run": {"id": format!("run-{}", self.day), "step": format!("step-{step}")}});
            self.proposes("agent", self.delete("e.txt", run)).await?;
        }
        Ok(())
    }
}
