//! A change of the policy that takes the yes of others: a request like any other, whose card shows what changes, and
//! which Placet's own tool carries out once it is approved.
//!
//! Who wrote the file is not known: the file system does not say it. So nobody is kept from agreeing to what they wrote
//! themselves; that two people see a change takes `count = 2`.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use placet::approval::{
    Actor, Approval, ApprovedBy, Decision, ExpiredHow, OutcomeKind, Proposal, Refusal, RejectedBy, Requester,
    RevokedWhy, State, Status,
};
use placet::call::{CallDigest, CanonicalArgs, PolicyDigest, ToolCall};
use placet::gate::{Executed, Executor, Gate, PresentedCall, ProposeError, Running};
use placet::id::{AgentId, CredentialId, IdempotencyKey, RequestId, ServerName, TenantId, ToolName};
use placet::policy::{CHANGE_TOOL, CHANGES_MAX, OWN_SERVER, changes_in_full};
use placet::ports::{RequestQuery, StoreError, Tool, ToolResult, ToolSpec};
use serde_json::json;

use super::force::Force;
use crate::record::Policies;
use crate::settings::PolicyUnit;

/// The most characters of a diff on a card: more than people read through. A change with more is not asked, so that
/// nobody agrees to what they were not shown.
const DIFF_CHARS_MAX: usize = 60_000;

/// Lines around each change.
const DIFF_CONTEXT: usize = 3;

/// Open requests that are looked through for changes which nobody wants any more.
const OPEN_MAX: u32 = 10_000;

/// A change of one file.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) unit: PolicyUnit,
    /// The hash of the file's new text.
    pub(super) text_digest: PolicyDigest,
    /// The new text; empty where the file is gone from the settings.
    pub(super) text: String,
    /// In which tenant people are asked.
    pub(super) tenant: TenantId,
    call: ToolCall,
    file: String,
    diff: String,
    /// Why people cannot be shown all of it, so that they are not asked.
    too_large: Option<String>,
}

/// What people say of a change so far.
pub(super) enum Answer {
    /// They are asked.
    Waits,
    /// They said yes, and it is to be put in force.
    Agreed(Box<Approval>),
    /// It stays out of force, and why.
    Out(String),
}

/// Asks people, and carries out what they agreed to.
pub(super) struct Agreement {
    gate: Gate,
    executor: Executor,
    agreed: Arc<Mutex<Option<Agreed>>>,
}

/// What the tool is to put in force.
struct Agreed {
    digest: PolicyDigest,
    policies: Policies,
    by: String,
}

impl Change {
    /// The change from what is in force to what is wanted.
    pub(super) fn of(
        unit: PolicyUnit,
        (in_force, wanted): (&Policies, &Policies),
        tenant: TenantId,
    ) -> anyhow::Result<Self> {
        let (before, now) = (in_force.texts.text(&unit), wanted.texts.text(&unit));
        let digest = |text: &str| PolicyDigest::of(text.as_bytes());
        let label = wanted.policy(&unit).version().label.clone();
        let (in_full, diff) = (changes_in_full(before, now), diff(before, now));
        let too_large = too_large(in_full.as_deref(), &diff);
        let mut args = json!({
            "label": label,
            "digest": digest(now),
            "replaces": digest(before),
            "changes": in_full.filter(|_| too_large.is_none()).unwrap_or_default(),
        });
        if let PolicyUnit::Tenant(tenant) = &unit {
            args["tenant"] = json!(tenant);
        }
        let call = ToolCall {
            agent: AgentId::new(OWN_SERVER)?,
            server: Some(ServerName::new(OWN_SERVER)?),
            tool: ToolName::new(CHANGE_TOOL)?,
            tool_schema_hash: None,
            args: CanonicalArgs::from_value(&args)?,
            preconditions: std::collections::BTreeMap::new(),
        };
        let file = wanted.texts.name(&unit).to_owned();
        Ok(Self { text_digest: digest(now), text: now.to_owned(), tenant, call, file, diff, too_large, unit })
    }

    /// What votes and the claim compare.
    pub(super) fn digest(&self) -> CallDigest {
        self.call.digest(&self.tenant)
    }

    /// Whether people are asked about it: it can be shown whole.
    pub(super) const fn is_askable(&self) -> bool {
        self.too_large.is_none()
    }

    /// What is asked once, by however many servers on the same file: this change, after that request about it.
    fn key(&self, last: Option<RequestId>) -> anyhow::Result<(CredentialId, IdempotencyKey)> {
        let last = last.map_or_else(|| "first".to_owned(), |last| last.to_string());
        let key = IdempotencyKey::new(format!("policy/{}/{last}", self.digest()))?;
        Ok((CredentialId::new(OWN_SERVER)?, key))
    }

    fn proposal(&self) -> anyhow::Result<Proposal> {
        Ok(Proposal {
            call: self.call.clone(),
            requester: Requester {
                credential: CredentialId::new(OWN_SERVER)?,
                identities: Vec::new(),
                shown_as: "Placet".to_owned(),
            },
            run: None,
            session: None,
            task: "put a changed policy in force".to_owned(),
            reason: format!(
                "{} was changed, and the policy in force wants the yes of others to that.",
                self.file
            ),
            evidence: Vec::new(),
            preview: Some(self.diff.clone()),
            if_denied: Some("The policy that is in force stays.".to_owned()),
            prompt_version: None,
            place: None,
            timeout: None,
            follows: None,
            thread: None,
            ask_again: true,
            edited: None,
            takes_no_questions: true,
            asked_in: None,
        })
    }
}

/// Why a change cannot be shown whole, if it cannot: what is cut may be what matters, a removed `[[forbid]]` say.
fn too_large(changes_in_full: Option<&[String]>, diff: &str) -> Option<String> {
    let chars = diff.chars().count();
    let what = match changes_in_full {
        None => format!("it changes more than {CHANGES_MAX} things"),
        Some(_) if chars > DIFF_CHARS_MAX => {
            format!("its diff has {chars} characters, and at most {DIFF_CHARS_MAX} are shown")
        }
        Some(_) => return None,
    };
    Some(format!("the change is too large to be shown whole ({what}); make it in smaller steps"))
}

/// The lines that differ, with some around them.
fn diff(before: &str, now: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, now);
    diff.unified_diff().context_radius(DIFF_CONTEXT).header("in force", "new").to_string()
}

impl Agreement {
    pub(super) fn new(gate: Gate, force: Force) -> anyhow::Result<Self> {
        let agreed = Arc::default();
        let tool = ChangePolicy { name: ToolName::new(CHANGE_TOOL)?, force, agreed: Arc::clone(&agreed) };
        let executor = Executor::new(gate.clone(), [Arc::new(tool) as Arc<dyn Tool>]);
        Ok(Self { gate, executor, agreed })
    }

    /// Asks people, unless they are asked, or answered. `anew` is set where somebody wants it asked again whatever they
    /// said: the file was changed, or it was told to be read. What cannot be shown whole is asked of nobody, and stays out.
    pub(super) async fn ask(&self, change: &Change, anew: bool) -> anyhow::Result<Answer> {
        if let Some(why) = &change.too_large {
            return Ok(Answer::Out(why.clone()));
        }
        let query = RequestQuery {
            tenant: Some(change.tenant.clone()),
            digest: Some(change.digest()),
            limit: 1,
            ..RequestQuery::default()
        };
        let last = self.gate.store().list(query).await?.into_iter().next();
        let key = change.key(last.as_ref().map(|last| last.id))?;
        match last.and_then(answer) {
            Some(Answer::Out(_)) if anew => {}
            Some(answer) => return Ok(answer),
            None => {}
        }
        let proposed = match self.gate.propose(&change.tenant, change.proposal()?, Some(key), false).await {
            Ok(proposed) if proposed.fresh => proposed.approval,
            Ok(proposed) => return Ok(answer(proposed.approval).unwrap_or(Answer::Waits)),
            Err(ProposeError::Store(fault)) => return Err(fault.into()),
            // Another server asks the same in other words, because it calls the file by another name.
            Err(ProposeError::KeyConflict { .. }) => return Ok(Answer::Waits),
        };
        tracing::info!(approval.id = %proposed.id, policy.digest = %change.text_digest, "a change of the policy waits for a yes");
        Ok(answer(proposed).unwrap_or(Answer::Waits))
    }

    /// Puts in force what people agreed to. False if the gate does not let it: somebody who said yes has lost their role,
    /// say; then it is over, unless it can be tried again.
    pub(super) async fn carry_out(
        &self,
        change: &Change,
        (approval, policies): (&Approval, Policies),
    ) -> Result<bool, StoreError> {
        let by = format!("a change of the file, agreed to by {} ({})", people(approval), approval.code);
        let agreed = Agreed { digest: change.text_digest, policies, by };
        *self.agreed.lock().unwrap_or_else(PoisonError::into_inner) = Some(agreed);
        let call = change.call.clone();
        let presented = PresentedCall { server: call.server, tool: call.tool, args: call.args };
        match self.executor.execute(&change.tenant, approval.id, presented).await? {
            Executed::Ran(ToolResult::Done(_)) => Ok(true),
            Executed::Ran(result) => {
                tracing::error!(approval.id = %approval.id, ?result, "an agreed change of the policy did not take force");
                Ok(false)
            }
            // What cannot be read now can be read later; and what another server puts in force is followed from the record.
            Executed::Denied(Refusal::FactsStale | Refusal::NoStanding(_) | Refusal::AlreadyClaimed) => {
                Ok(false)
            }
            Executed::Denied(refusal) => {
                self.take_back(approval, format!("it could not be put in force: {}", refusal.code())).await?;
                Ok(false)
            }
        }
    }

    /// Takes back what is still asked and no longer wanted: the file says something else now.
    pub(super) async fn withdraw_all_but(&self, wanted: &[Change]) -> Result<(), StoreError> {
        let statuses = vec![Status::WaitingApproval, Status::Approved];
        let query = RequestQuery { statuses, limit: OPEN_MAX, ..RequestQuery::default() };
        for open in self.gate.store().list(query).await? {
            let is_wanted = |change: &Change| change.digest() == open.digest && change.tenant == open.tenant;
            if open.proposal.call.is_policy_change() && !wanted.iter().any(is_wanted) {
                self.take_back(&open, "the file says something else now".to_owned()).await?;
            }
        }
        Ok(())
    }

    async fn take_back(&self, open: &Approval, reason: String) -> Result<(), StoreError> {
        let (_, taken) = self.gate.revoke(&open.tenant, open.id, Actor::Placet, Some(reason)).await?;
        // Somebody decided at the same moment: the next look sees what.
        if let Err(refusal) = taken {
            tracing::info!(approval.id = %open.id, refusal = refusal.code(), "a question about the policy was over already");
        }
        Ok(())
    }
}

/// What a request says of its change; none where it says nothing any more, so that people are asked.
fn answer(last: Approval) -> Option<Answer> {
    let out = |why: &str| Some(Answer::Out(why.to_owned()));
    match &last.state {
        State::Proposed | State::PolicyChecking | State::WaitingApproval(_) | State::Executing(_) => {
            Some(Answer::Waits)
        }
        State::Approved(_) => Some(Answer::Agreed(Box::new(last))),
        State::Rejected(rejected) => match &rejected.by {
            RejectedBy::Votes { reason } => {
                let noes = last.votes.iter().filter(|vote| vote.decision == Decision::Deny);
                let names: Vec<&str> = noes.map(|vote| vote.name.as_str()).collect();
                let reason = reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
                out(&format!("{} said no to it{reason}", names.join(" and ")))
            }
            RejectedBy::NoApprover { why } => out(&format!("nobody could be asked about it: {why}")),
            RejectedBy::Policy { because } => out(because),
            RejectedBy::Earlier { reason, .. } => {
                out(reason.as_deref().unwrap_or("it was denied a moment ago"))
            }
        },
        State::Expired(expired) => match expired.how {
            ExpiredHow::Unanswered => out("nobody answered whether it may take force"),
            ExpiredHow::Unasked => out("nobody could be asked whether it may take force"),
            ExpiredHow::Unused => out("it was agreed to, and Placet did not come to put it in force in time"),
        },
        // A stricter [change] wants it asked anew; so does a change that Placet took back because the file said something
        // else in between, and one that was in force, was undone, and comes again.
        State::Revoked(revoked)
            if revoked.by == Actor::Placet || matches!(revoked.why, RevokedWhy::Rejudged { .. }) =>
        {
            None
        }
        State::Revoked(_) => out("the question was taken back"),
        State::Executed(executed) if executed.outcome.kind == OutcomeKind::Succeeded => None,
        State::Executed(_) => out("it was agreed to, and nobody knows whether it took force"),
    }
}

/// Who said yes, by name.
fn people(approval: &Approval) -> String {
    if let State::Approved(approved) = &approval.state
        && let ApprovedBy::BreakGlass { name, .. } = &approved.by
    {
        return format!("{name} alone, in an emergency");
    }
    let yeses = approval.votes.iter().filter(|vote| vote.decision == Decision::Approve);
    let names: Vec<&str> = yeses.map(|vote| vote.name.as_str()).collect();
    if names.is_empty() { "nobody, whom [change] wants".to_owned() } else { names.join(" and ") }
}

/// The tool that puts a policy in force: Placet's own, which no model is told of.
struct ChangePolicy {
    name: ToolName,
    force: Force,
    agreed: Arc<Mutex<Option<Agreed>>>,
}

#[async_trait]
impl Tool for ChangePolicy {
    fn spec(&self) -> ToolSpec {
        let description = "Puts the policy with this digest in force.".to_owned();
        ToolSpec { name: self.name.clone(), description, schema: json!({ "type": "object" }) }
    }

    async fn run(&self, running: Running) -> ToolResult {
        let agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let wanted = running.args().value()["digest"].as_str().map(ToOwned::to_owned);
        match agreed.filter(|agreed| Some(agreed.digest.to_string()) == wanted) {
            None => ToolResult::Failed("the text that was agreed to is not at hand any more".to_owned()),
            Some(agreed) => match self.force.put(&agreed.policies, &agreed.by).await {
                Ok(()) => ToolResult::Done(json!({ "in_force": agreed.digest })),
                Err(fault) => ToolResult::Unknown(fault.to_string()),
            },
        }
    }
}
