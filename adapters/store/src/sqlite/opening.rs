//! Taking in a proposal, inside the transaction.

use placet::approval::{Also, Beginning, Opened, Opening, Proposal, Wants, commit};
use placet::id::ShortCode;
use placet::ports::StoreError;
use placet::time::Timestamp;

use crate::probe::of_opened;
use crate::sqlite::around::{self, Subject};
use crate::sqlite::batch::Batch;
use crate::sqlite::effects;
use crate::sqlite::fault::{inconsistent, unavailable};
use crate::sqlite::table::idempotency::Kept;
use crate::sqlite::table::{idempotency, request};

/// Codes that are tried for one request. There are a billion of them; with ten thousand requests open, that two in a
/// row are taken happens once in ten billion times.
const CODES_TRIED_MAX: u8 = 16;

/// Opens a request, or finds the one that is there under the caller's key.
pub(crate) fn run(batch: &mut Batch<'_>, opening: &Opening) -> Result<Opened, StoreError> {
    let key = opening.key.as_ref().map(|(credential, key)| (&opening.tenant, credential, key));
    let proposal = if key.is_some() { Some(idempotency::hash_of(&opening.proposal)?) } else { None };
    if let Some(key) = key
        && let Some(was) = idempotency::find(batch.connection, key)?
    {
        // The same call for another person, or in another run, is another request.
        if Some(was.proposal) != proposal || was.digest != opening.proposal.call.digest(&opening.tenant) {
            return Ok(Opened::Conflict { digest: was.digest });
        }
        let found = request::load(batch.connection, &opening.tenant, was.id);
        let approval = found.map_err(|error| match error {
            StoreError::NotFound => inconsistent("idempotency", key.2, "its request is not there"),
            other => other,
        })?;
        return Ok(Opened::Same(approval));
    }
    // Asked again, what it was to replace is replaced already: by this one.
    if opening.replaces.is_some() && request::find(batch.connection, opening.id)?.is_some() {
        return again(batch, opening);
    }
    let code = free_code(batch, opening)?;
    let now = batch.now();
    let subject = Subject {
        tenant: &opening.tenant,
        proposal: &opening.proposal,
        digest: opening.proposal.call.digest(&opening.tenant),
        guards: opening.guards.as_ref(),
    };
    let around = around::read(batch, &Wants::of_opening(opening), &subject, now)?;
    let beginning = commit::open(opening, code, &around, now)
        .map_err(|refusal| StoreError::Contradiction(refusal.code().to_owned()))?;
    let mut new = match beginning {
        Beginning::New(new) => new,
        Beginning::Refused(also) => return refuse(batch, *also, now),
    };
    let Some(approval) = new.next.take() else {
        return Err(StoreError::Contradiction("a proposal that opens nothing".to_owned()));
    };
    if !effects::write_new(batch, &approval, &new, now)? {
        return again(batch, opening);
    }
    if let (Some(key), Some(proposal)) = (key, proposal) {
        let kept = Kept { id: approval.id, digest: approval.digest, proposal };
        idempotency::insert(batch.connection, key, &kept)?;
    }
    batch.wrote(of_opened(&approval));
    if opening.claim.is_some() {
        batch.wrote("open.claim");
    }
    if new.also.is_some() {
        batch.wrote(match (approval.shares, approval.gathered_on) {
            (Some(_), _) => "open.join",
            (None, Some(_)) => "open.gather",
            (None, None) => "open.replace",
        });
    }
    Ok(Opened::New(approval))
}

/// What was to be replaced could not be: that is on its record, and nothing is opened.
fn refuse(batch: &mut Batch<'_>, also: Also, now: Timestamp) -> Result<Opened, StoreError> {
    let Err(refusal) = &also.effects.result else {
        return Err(StoreError::Contradiction("it was replaced by nothing".to_owned()));
    };
    if also.effects.next.is_some() || !also.effects.messages.is_empty() {
        batch.wrote("execute.refused");
    }
    effects::write_also(batch, &also, now)?;
    let refusal = refusal.clone();
    Ok(Opened::Refused { approval: Box::new(also.effects.next.unwrap_or(also.before)), refusal })
}

fn free_code(batch: &Batch<'_>, opening: &Opening) -> Result<ShortCode, StoreError> {
    for attempt in 0..CODES_TRIED_MAX {
        let code = ShortCode::of(opening.id, attempt);
        if !request::code_is_taken(batch.connection, &code)? {
            return Ok(code);
        }
    }
    Err(unavailable("no short code is free; too many requests are open"))
}

/// The id is there already: somebody whose answer was lost asks again.
fn again(batch: &Batch<'_>, opening: &Opening) -> Result<Opened, StoreError> {
    let approval = request::load(batch.connection, &opening.tenant, opening.id)?;
    // What became of the same call before is no part of what was sent.
    let sent = |proposal: &Proposal| Proposal { follows: None, ..proposal.clone() };
    if sent(&approval.proposal) == sent(&opening.proposal) {
        Ok(Opened::Same(approval))
    } else {
        Ok(Opened::Conflict { digest: approval.digest })
    }
}
