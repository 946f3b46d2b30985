//! What stewards do by command: take back, settle, stop, let go on; and what was chosen to be remembered, ask about again.
//! Each goes through the use case that everybody else goes through, which decides who may.

use crate::approval::{Actor, Change, Outcome, OutcomeKind, Refusal, State};
use crate::command::{Answer, Commands, Lift, Mistake, Named, Said, Scope, Verb};
use crate::gate::{Asking, HoldError};
use crate::hold::HoldScope;
use crate::id::{AgentId, HoldId, RequestId, TenantId};
use crate::person::{Identity, NoStanding};

/// Whose command it is.
type Who<'a> = (&'a TenantId, &'a Identity);

impl Scope {
    /// What is to be stopped of a tenant's calls, as the domain has it.
    ///
    /// # Errors
    /// It is no name, or more than a tenant's.
    pub fn of_tenant(&self, tenant: &TenantId) -> Result<HoldScope, Said> {
        match self {
            Self::Everything => Err(Said::NotEverything(tenant.clone())),
            Self::Tenant => Ok(HoldScope::All),
            Self::Agent(name) => AgentId::new(name).map(HoldScope::Agent).map_err(|_| Said::BadName),
            Self::Tool(name) => HoldScope::tool(name).map_err(|_| Said::BadName),
        }
    }
}

impl Commands {
    /// Takes a request back, or asks it to stop where it runs.
    ///
    /// # Errors
    /// What they are told instead.
    pub async fn revoke(&self, who: Who<'_>, named: &Named, reason: String) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Requests, (Verb::Revoke, &named.to_string())).await?;
        let approval = self.named(&reader, named, Verb::Revoke).await?;
        let by = Actor::Account(who.1.clone());
        let answer = self.gate.revoke(reader.tenant(), approval.id, by, Some(reason)).await;
        let (approval, result) = answer.map_err(|fault| Self::unread(&fault))?;
        let runs = matches!(approval.state, State::Executing(_));
        match result {
            Ok(Change::Changed) => Ok(Answer::Said(Said::Revoked { code: approval.code, runs })),
            Ok(Change::Unchanged) => Ok(Answer::Said(Said::Unchanged(approval.code))),
            Err(refusal) => Err(self.refused(who.0, refusal)),
        }
    }

    /// Says how a call ended of which nobody knows.
    ///
    /// # Errors
    /// What they are told instead.
    pub async fn settle(
        &self,
        who: Who<'_>,
        named: &Named,
        (kind, reason): (OutcomeKind, String),
    ) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Requests, (Verb::Settle, &named.to_string())).await?;
        let approval = self.named(&reader, named, Verb::Settle).await?;
        let by = Actor::Account(who.1.clone());
        let outcome = Outcome { kind, result: None, error: None, duration_ms: None };
        let answer = self.gate.settle((reader.tenant(), approval.id), by, outcome, reason).await;
        let (approval, result) = answer.map_err(|fault| Self::unread(&fault))?;
        match result {
            Ok(Change::Changed) => Ok(Answer::Said(Said::Settled { code: approval.code, outcome: kind })),
            Ok(Change::Unchanged) => Ok(Answer::Said(Said::Unchanged(approval.code))),
            Err(refusal) => Err(self.refused(who.0, refusal)),
        }
    }

    /// Stops what was named.
    pub(super) async fn freeze_named(
        &self,
        who: Who<'_>,
        scope: &Scope,
        reason: Option<&str>,
    ) -> Result<Answer, Said> {
        if *scope == Scope::Everything {
            return self.freezes_nothing(who).await;
        }
        let scope = scope.of_tenant(who.0)?;
        let Some(reason) = reason else { return Err(Said::Mistake(Mistake::Missing(Verb::Freeze))) };
        self.freeze(who, scope, reason.to_owned()).await
    }

    /// Stops calls.
    ///
    /// # Errors
    /// What they are told instead.
    pub async fn freeze(&self, who: Who<'_>, scope: HoldScope, reason: String) -> Result<Answer, Said> {
        let shown = scope.to_string();
        let reader = self.reader(who, Asking::Requests, (Verb::Freeze, &shown)).await?;
        let by = Actor::Account(who.1.clone());
        match self.gate.hold(Some(reader.tenant()), scope, (by, reason)).await {
            Ok(placed) => Ok(Answer::Said(Said::Frozen {
                stood_by: placed.stood.then(|| self.placed_by(&reader, &placed.hold)),
                is_known: placed.doubt.is_none(),
                scope: placed.hold.scope,
            })),
            Err(fault) => Err(self.not_held(fault, who, (Verb::Freeze, &shown)).await),
        }
    }

    /// Whoever wants to stop the calls of all tenants is told who can: a policy gives nobody that right, since a tenant's is
    /// its own, and the installation's is no tenant's. That it was tried is noted.
    async fn freezes_nothing(&self, who: Who<'_>) -> Result<Answer, Said> {
        const SHOWN: &str = "everything";
        self.reader(who, Asking::Requests, (Verb::Freeze, SHOWN)).await?;
        self.note(who, Verb::Freeze, SHOWN).await;
        Err(Said::NotEverything(who.0.clone()))
    }

    /// Lets calls go on that were stopped, by what was stopped or by the stop's id.
    pub(super) async fn lifts_named(&self, who: Who<'_>, lift: &Lift) -> Result<Answer, Said> {
        let id = match lift {
            Lift::Id(id) => *id,
            Lift::Scope(scope) => {
                let wanted = scope.of_tenant(who.0)?;
                let reader = self.reader(who, Asking::Requests, (Verb::Lift, &wanted.to_string())).await?;
                let holds = self.gate.stops(&reader).await.map_err(|fault| Self::unread(&fault))?;
                let own = holds.into_iter().find(|hold| hold.scope == wanted && hold.tenant.is_some());
                own.ok_or(Said::Gone)?.id
            }
        };
        self.lift(who, id).await
    }

    /// Lets calls go on that were stopped.
    ///
    /// # Errors
    /// What they are told instead.
    pub async fn lift(&self, who: Who<'_>, id: HoldId) -> Result<Answer, Said> {
        let shown = id.to_string();
        let reader = self.reader(who, Asking::Requests, (Verb::Stops, &shown)).await?;
        let holds = self.gate.stops(&reader).await.map_err(|fault| Self::unread(&fault))?;
        let scope = holds.into_iter().find(|hold| hold.id == id).map(|hold| hold.scope);
        let by = Actor::Account(who.1.clone());
        match (self.gate.lift(Some(reader.tenant()), id, by).await, scope) {
            (Ok(()), Some(scope)) => Ok(Answer::Said(Said::Lifted(scope))),
            (Ok(()), None) => Ok(Answer::Said(Said::Gone)),
            (Err(fault), _) => Err(self.not_held(fault, who, (Verb::Stops, &shown)).await),
        }
    }

    /// Has calls asked about again, by the request whose yes was remembered.
    pub(super) async fn forgets_named(&self, who: Who<'_>, named: &Named) -> Result<Answer, Said> {
        let id = match named {
            Named::Id(id) => *id,
            Named::Code(_) => {
                let shown = named.to_string();
                let reader = self.reader(who, Asking::Requests, (Verb::Forget, &shown)).await?;
                self.named(&reader, named, Verb::Forget).await?.id
            }
        };
        self.forget(who, id).await
    }

    /// Has calls asked about again that ran on a remembered yes.
    ///
    /// # Errors
    /// What they are told instead.
    pub async fn forget(&self, who: Who<'_>, id: RequestId) -> Result<Answer, Said> {
        let shown = id.to_string();
        let reader = self.reader(who, Asking::Requests, (Verb::Remembered, &shown)).await?;
        let by = Actor::Account(who.1.clone());
        match self.gate.forget((reader.tenant(), id), by, None).await {
            Ok(revoked) => Ok(Answer::Said(Said::Forgotten(revoked))),
            Err(fault) => Err(self.not_held(fault, who, (Verb::Remembered, &shown)).await),
        }
    }

    /// Why nothing was stopped, lifted or forgotten. Who tries what is none of theirs is noted.
    async fn not_held(&self, fault: HoldError, who: Who<'_>, (verb, presented): (Verb, &str)) -> Said {
        match fault {
            HoldError::Refused(refusal) => {
                let unread =
                    matches!(refusal, Refusal::NoStanding(NoStanding::Unreadable(_)) | Refusal::FactsStale);
                if !unread {
                    self.note(who, verb, presented).await;
                }
                self.refused(who.0, refusal)
            }
            HoldError::Pattern { .. } => Said::Pattern,
            HoldError::NotThere => {
                self.note(who, verb, presented).await;
                Said::Gone
            }
            HoldError::Store(fault) => {
                tracing::error!(error = %fault, "a command could not be done");
                Said::Unavailable
            }
        }
    }

    async fn note(&self, (tenant, identity): Who<'_>, verb: Verb, presented: &str) {
        self.gate.note_stranger(tenant, Actor::Account(identity.clone()), verb.name(), presented).await;
    }
}
