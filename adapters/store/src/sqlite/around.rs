//! What a decision rests on inside the transaction: what is asked for is read, and nothing else.

use placet::approval::{Around, Guards, Inside, Lookback, Proposal, Wants};
use placet::call::CallDigest;
use placet::id::{SessionId, TenantId};
use placet::ports::{RememberedQuery, StoreError};
use placet::time::Timestamp;

use crate::sqlite::batch::Batch;
use crate::sqlite::table::{hold, recent, remembered, request};

/// How many remembered yeses of one session are looked through: people remember a handful.
const REMEMBERED_MAX: u32 = 100;

/// Whose call it is, and which.
pub(crate) struct Subject<'a> {
    pub(crate) tenant: &'a TenantId,
    pub(crate) proposal: &'a Proposal,
    pub(crate) digest: CallDigest,
    /// For a proposal that people would be asked about.
    pub(crate) guards: Option<&'a Guards>,
}

/// Reads it.
pub(crate) fn read(
    batch: &Batch<'_>,
    wants: &Wants,
    subject: &Subject<'_>,
    now: Timestamp,
) -> Result<Around, StoreError> {
    let Subject { tenant, proposal, .. } = *subject;
    let holds = if wants.holds { hold::covering(batch.connection, tenant, proposal)? } else { Vec::new() };
    let remembered = match wants.remembered {
        Some(scope) => remembered::find(batch.connection, tenant, scope)?,
        None => None,
    };
    let replaced = match wants.replaced {
        Some(replaced) => Some(request::load(batch.connection, tenant, replaced)?),
        None => None,
    };
    let before = before(batch, wants, subject, now)?;
    Ok(Around { inside: Inside { holds, remembered }, replaced, before })
}

fn before(
    batch: &Batch<'_>,
    wants: &Wants,
    subject: &Subject<'_>,
    now: Timestamp,
) -> Result<Lookback, StoreError> {
    let Subject { tenant, proposal, digest, guards } = *subject;
    let mut before = Lookback::default();
    if let (true, Some(step)) = (wants.waiting, &proposal.run) {
        before.waiting = request::waiting(batch.connection, (tenant, digest), &step.run)?;
    }
    if let (true, Some(guards)) = (wants.lately, guards) {
        let earlier = request::earlier(batch.connection, (tenant, digest))?;
        (before.denied, before.timed_out) = (earlier.denied, earlier.timed_out);
        before.stopped = hold::last_stopped(batch.connection, tenant, proposal)?;
        let limits = (guards.fatigue.cards_per_hour, guards.fatigue.cards_per_run);
        // Whoever lifted a stop wants the agent to go on.
        let from = hold::last_lifted(batch.connection, tenant, proposal)?;
        (before.cards, before.run_cards) =
            recent::cards(batch.connection, (tenant, proposal), limits, (from, now))?;
    }
    if let (true, Some(session)) = (wants.session, &proposal.session) {
        before.remembered = remembered::list(batch.connection, &of_session(tenant, proposal, session, now))?;
    }
    if wants.gathering {
        before.gathering = request::gathering(batch.connection, (tenant, &proposal.call.agent), now)?;
    }
    Ok(before)
}

fn of_session(
    tenant: &TenantId,
    proposal: &Proposal,
    session: &SessionId,
    now: Timestamp,
) -> RememberedQuery {
    RememberedQuery {
        tenant: tenant.clone(),
        session: Some((proposal.call.agent.clone(), session.clone())),
        standing_at: Some(now),
        before: None,
        limit: REMEMBERED_MAX,
    }
}
