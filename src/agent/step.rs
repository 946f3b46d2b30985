//! The calls of one turn, each from its proposal to its answer. Nothing is kept in memory that the record does not
//! tell: a call goes on from wherever its request stands, whoever brought it there.

use futures::future::{join, join_all};
use sha2::{Digest as _, Sha256};

use crate::agent::answer::{Answer, RUN_STOPPED, Ruling};
use crate::agent::event::AgentEventKind;
use crate::agent::journal::{Journal, Tries};
use crate::agent::state::{PendingCall, Stage};
use crate::agent::turn::result_event;
use crate::agent::{Agent, RunError};
use crate::approval::state::Revoked;
use crate::approval::{Approval, Command, Proposal, Refusal, RevokedWhy, State, Status};
use crate::gate::wake::REREAD_EVERY;
use crate::gate::{Executed, Permit, PresentedCall, ProposeError};
use crate::id::{CredentialId, IdempotencyKey, RequestId, RunId, StepId, TenantId};
use crate::person::NoStanding;
use crate::policy::Tier;
use crate::ports::StoreError;
use crate::time::Ttl;

/// How long a call waits before it looks again, should no hint come.
const WAIT_SLICE: Ttl = Ttl::from_secs(60);

/// How often a claim is tried that was refused although the request stands as approved.
const CLAIM_TRIES: u32 = 3;

/// What is told of a request that an edited one replaced.
const EDITED: &str = "somebody changed the arguments, which makes it another request";

/// Why a call is taken back whose claim was refused for good.
const GIVEN_UP: &str = "the approval no longer allows it, and the agent goes on without it";

/// One call that was proposed.
struct Step {
    tenant: TenantId,
    step: StepId,
    request: RequestId,
    proposal: Box<Proposal>,
    /// Whether people are asked, so that an `approval_result` tells what they said.
    waits: bool,
    /// Whether it was told.
    told: bool,
}

impl Agent {
    /// Brings every open call to its answer: proposed in the order in which the model wanted them, then each by
    /// itself, while people may be asked about any number of others.
    pub(super) async fn work_on_calls(&self, journal: &Journal) -> Result<(), RunError> {
        let (tenant, open) = journal
            .read(|state| (state.tenant.clone(), state.open_calls().cloned().collect::<Vec<PendingCall>>()))
            .await;
        let mut at_once = Vec::new();
        let mut to_follow = Vec::new();
        let mut proposed = Ok(());
        for call in open {
            let step = |proposal, request, waits, told| Step {
                tenant: tenant.clone(),
                step: call.step.clone(),
                request,
                proposal,
                waits,
                told,
            };
            match call.stage {
                Stage::Ready { proposal } => match self.propose(journal, &tenant, &call.step, proposal).await
                {
                    Ok(Some((step, Some(permit)))) => at_once.push((step, permit)),
                    Ok(Some((step, None))) => to_follow.push(step),
                    Ok(None) => {}
                    // What was claimed before it is run all the same.
                    Err(fault) => {
                        proposed = Err(fault);
                        break;
                    }
                },
                Stage::Announced { proposal, request, waits, .. } => {
                    to_follow.push(step(proposal, request, waits, false));
                }
                Stage::Allowed { proposal, request } => to_follow.push(step(proposal, request, true, true)),
                Stage::Answered { .. } => {}
            }
        }
        // All at once: a permit must not wait for what another call does, and no failure breaks another one off.
        let run = at_once.into_iter().map(|(step, permit)| Box::pin(self.run(journal, step, permit)));
        let follow = to_follow.into_iter().map(|step| Box::pin(self.follow(journal, step)));
        let (ran, followed) = join(join_all(run), join_all(follow)).await;
        ran.into_iter().chain(followed).fold(proposed, Result::and)
    }

    /// Proposes a call, and announces it where people see of it; none where the call is answered already.
    async fn propose(
        &self,
        journal: &Journal,
        tenant: &TenantId,
        id: &StepId,
        proposal: Box<Proposal>,
    ) -> Result<Option<(Step, Option<Permit>)>, RunError> {
        let gate = self.executor.gate();
        let run = journal.read(|state| state.run.clone()).await;
        let credential = proposal.requester.credential.clone();
        let key = key_of(&credential, &run, id)?;
        let mut tries = Tries::new(self);
        let proposed = loop {
            match gate.propose(tenant, (*proposal).clone(), Some(key.clone()), true).await {
                Ok(proposed) => break proposed,
                Err(ProposeError::KeyConflict { .. }) => {
                    let answer = Answer::failed("not run: another call was proposed as this step before");
                    answer_with(journal, id, Vec::new(), answer).await?;
                    return Ok(None);
                }
                Err(ProposeError::Store(fault)) => tries.pause(fault).await?,
            }
        };
        let approval = proposed.approval;
        let tier = approval.verdict.as_deref().map_or(Tier::Approve, |verdict| verdict.tier);
        let waits = tier == Tier::Approve;
        let request = approval.id;
        if waits || tier == Tier::Suggest {
            // The session's stream is its own caller's: what is sent there shows the call to nobody who may decide.
            let announcement = AgentEventKind::ApprovalRequest {
                request_id: request,
                tool_name: proposal.call.tool.to_string(),
                args: proposal.call.args.value().clone(),
                risk: tier,
            };
            let stage =
                Stage::Announced { proposal: proposal.clone(), request, since: approval.opened_at, waits };
            let announced = journal
                .commit(|state| {
                    state.put(id, stage);
                    vec![announcement]
                })
                .await;
            if matches!(announced, Err(RunError::Moved)) && self.is_over(tenant, &run).await? {
                // It was stopped meanwhile, by somebody who could not know of this request yet.
                self.take_back(tenant, request, RUN_STOPPED).await?;
            }
            announced?;
        }
        let (tenant, step) = (tenant.clone(), id.clone());
        Ok(Some((Step { tenant, step, request, proposal, waits, told: false }, proposed.permit)))
    }

    /// Runs what may run at once.
    async fn run(&self, journal: &Journal, step: Step, permit: Permit) -> Result<(), RunError> {
        match self.executor.run(permit).await {
            Ok(result) => answer_with(journal, &step.step, Vec::new(), Answer::of_result(result)).await,
            // The record knows what became of it, or will.
            Err(_) => self.follow(journal, step).await,
        }
    }

    /// Follows a request to its end, claiming and running it once it is approved.
    async fn follow(&self, journal: &Journal, mut step: Step) -> Result<(), RunError> {
        let mut claims = 0;
        loop {
            let approval = self.load(&step).await?;
            if let State::Revoked(Revoked { why: RevokedWhy::Superseded { by }, .. }) = &approval.state {
                self.follow_edit(journal, &mut step, *by).await?;
                claims = 0;
                continue;
            }
            let mut events = Vec::new();
            if step.waits
                && !step.told
                && let Some(Ruling { approved, reason }) = Ruling::of(&approval)
            {
                events.push(AgentEventKind::ApprovalResult { request_id: step.request, approved, reason });
            }
            if let Some(answer) = Answer::of(&approval) {
                let answer = answer.of_edited(&approval.proposal);
                return answer_with(journal, &step.step, events, answer).await;
            }
            if !events.is_empty() {
                let stage = Stage::Allowed { proposal: step.proposal.clone(), request: step.request };
                let id = &step.step;
                journal
                    .commit(|state| {
                        state.put(id, stage);
                        events
                    })
                    .await?;
                step.told = true;
            }
            if approval.status() != Status::Approved {
                self.wait(&approval).await?;
                continue;
            }
            // What a person has changed is theirs; anything else is what was kept when it was proposed.
            let edited = approval.proposal.edited.is_some();
            let presented = presented(if edited { &approval.proposal } else { &step.proposal });
            match self.executor.execute(&step.tenant, step.request, presented).await {
                Ok(Executed::Ran(result)) => {
                    let answer = Answer::of_result(result).of_edited(&approval.proposal);
                    return answer_with(journal, &step.step, Vec::new(), answer).await;
                }
                // Nothing is wrong with the yes: whether its givers still stand cannot be seen just now. It stays good
                // until it runs out.
                Ok(Executed::Denied(refusal)) if could_not_be_checked(&refusal) => {
                    self.wait(&approval).await?;
                }
                Ok(Executed::Denied(refusal)) => {
                    claims += 1;
                    let given_up = is_final(&refusal) || claims >= CLAIM_TRIES;
                    if given_up && self.load(&step).await?.status() == Status::Approved {
                        return self.give_up(journal, &step, &refusal).await;
                    }
                    self.wait(&approval).await?;
                }
                // Nobody knows yet whether it was claimed, or how it ended: the record will tell.
                Err(fault) => {
                    tracing::warn!(approval.id = %step.request, error = %fault, "an execution was not reported");
                    claims += 1;
                    if claims >= CLAIM_TRIES {
                        return Err(RunError::Store(fault));
                    }
                    self.wait(&approval).await?;
                }
            }
        }
    }

    /// Somebody put an edited request in the place of this one: that is followed from now on.
    async fn follow_edit(&self, journal: &Journal, step: &mut Step, by: RequestId) -> Result<(), RunError> {
        let old = step.request;
        step.request = by;
        let edited = self.load(step).await?;
        let tier = edited.verdict.as_deref().map_or(Tier::Approve, |verdict| verdict.tier);
        step.waits = tier == Tier::Approve;
        let mut events = Vec::new();
        if !step.told {
            let reason = Some(EDITED.to_owned());
            events.push(AgentEventKind::ApprovalResult { request_id: old, approved: false, reason });
        }
        step.told = false;
        if step.waits || tier == Tier::Suggest {
            events.push(AgentEventKind::ApprovalRequest {
                request_id: by,
                tool_name: edited.proposal.call.tool.to_string(),
                args: edited.proposal.call.args.value().clone(),
                risk: tier,
            });
        }
        let (proposal, waits, since) = (step.proposal.clone(), step.waits, edited.opened_at);
        let id = &step.step;
        journal
            .commit(|state| {
                state.put(id, Stage::Announced { proposal, request: by, since, waits });
                events
            })
            .await
    }

    /// The claim was refused for good, and so is the call: nobody else shall use the approval later.
    async fn give_up(&self, journal: &Journal, step: &Step, refusal: &Refusal) -> Result<(), RunError> {
        self.take_back(&step.tenant, step.request, GIVEN_UP).await?;
        answer_with(journal, &step.step, Vec::new(), Answer::of_refusal(refusal)).await
    }

    async fn is_over(&self, tenant: &TenantId, run: &RunId) -> Result<bool, RunError> {
        Ok(self.executor.gate().store().load_run(tenant, run).await?.finished)
    }

    async fn load(&self, step: &Step) -> Result<Approval, RunError> {
        let mut tries = Tries::new(self);
        loop {
            match self.executor.gate().load(&step.tenant, step.request).await {
                Ok(approval) => return Ok(approval),
                Err(fault) => tries.pause(fault).await?,
            }
        }
    }

    /// Waits until the request stands elsewhere than it did, or it is time to look again. Time that has run out is
    /// told to the request here too, so that a run does not hang on a worker.
    async fn wait(&self, seen: &Approval) -> Result<(), RunError> {
        let gate = self.executor.gate();
        let now = gate.clock().now();
        let ahead = seen.due().filter(|due| *due > now);
        let mut tries = Tries::new(self);
        if seen.due().is_some() && ahead.is_none() {
            while let Err(fault) = gate.command(&seen.tenant, seen.id, Command::Tick).await {
                tries.pause(fault).await?;
            }
        }
        let status = seen.status();
        let slice = if status == Status::Approved { REREAD_EVERY } else { WAIT_SLICE };
        let until = ahead.map_or(now + REREAD_EVERY, |due| due.min(now + slice));
        loop {
            let moved = |approval: &Approval| approval.status() != status;
            match gate.wait((&seen.tenant, seen.id), until, moved).await {
                Ok(_) => return Ok(()),
                Err(fault) => tries.pause(fault).await?,
            }
        }
    }
}

/// Gives a call its answer, after whatever else is to be told.
pub(super) async fn answer_with(
    journal: &Journal,
    step: &StepId,
    mut events: Vec<AgentEventKind>,
    answer: Answer,
) -> Result<(), RunError> {
    events.push(result_event(step, &answer));
    journal
        .commit(|state| {
            state.put(step, Stage::Answered { answer });
            events
        })
        .await
}

/// What is about to run: what was kept when it was proposed, compared with what was approved.
fn presented(proposal: &Proposal) -> PresentedCall {
    let call = &proposal.call;
    PresentedCall { server: call.server.clone(), tool: call.tool.clone(), args: call.args.clone() }
}

/// Whether the claim was refused only because what it rests on could not be read.
const fn could_not_be_checked(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::FactsStale | Refusal::NoStanding(NoStanding::Unreadable(_)))
}

/// Whether trying again cannot help.
const fn is_final(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::ForbiddenNow { .. }
            | Refusal::ApproverLapsed { .. }
            | Refusal::WrongCall
            | Refusal::Held { .. }
            | Refusal::Frozen { .. }
            | Refusal::NoLongerRemembered
    )
}

/// The key under which a step is proposed: the same after a restart.
pub(super) fn key_of(
    credential: &CredentialId,
    run: &RunId,
    step: &StepId,
) -> Result<(CredentialId, IdempotencyKey), RunError> {
    let hash =
        Sha256::new().chain_update(run.as_str()).chain_update([0]).chain_update(step.as_str()).finalize();
    let key = IdempotencyKey::new(format!("step-{}", hex::encode(hash)))
        .map_err(|error| RunError::Store(StoreError::Unavailable(error.to_string())))?;
    Ok((credential.clone(), key))
}
