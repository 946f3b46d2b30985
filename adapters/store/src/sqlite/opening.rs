//! Taking in a proposal, inside the transaction.

use placet::approval::{Approval, Beside, Effects, Opened, Opening, Wants, commit};
use placet::id::ShortCode;
use placet::ports::StoreError;
use placet::time::Timestamp;

use crate::probe::of_judgement;
use crate::sqlite::batch::Batch;
use crate::sqlite::fault::{inconsistent, unavailable};
use crate::sqlite::table::idempotency::Kept;
use crate::sqlite::table::{idempotency, request};
use crate::sqlite::{effects, order};

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
    let beside = match &opening.beside {
        // Asked again, what it was to replace is replaced already: by this one.
        Some(_) if request::find(batch.connection, opening.id)?.is_some() => return again(batch, opening),
        Some(beside) => standing_beside(batch, opening, beside)?,
        None => None,
    };
    let code = free_code(batch, opening)?;
    let now = batch.now();
    let inside = effects::inside(batch, Wants::of_opening(opening), (&opening.tenant, &opening.proposal))?;
    let beginning = commit::open(opening, code, (beside.as_ref(), &inside), now)
        .map_err(|refusal| StoreError::Contradiction(refusal.code().to_owned()))?;
    let Some(mut new) = beginning.new else { return refuse(batch, beside, beginning.beside, now) };
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
    batch.wrote(of_judgement(&opening.judgement));
    if opening.claim.is_some() {
        batch.wrote("open.claim");
    }
    if let (Some(before), Some(effects)) = (&beside, &beginning.beside) {
        change_beside(batch, before, effects, now)?;
        batch.wrote(if approval.shares.is_some() { "open.join" } else { "open.replace" });
    }
    Ok(Opened::New(approval))
}

/// The other request. One that is to be joined may be gone; one that is to be replaced must be there.
fn standing_beside(
    batch: &Batch<'_>,
    opening: &Opening,
    beside: &Beside,
) -> Result<Option<Approval>, StoreError> {
    match (request::load(batch.connection, &opening.tenant, beside.request()), beside) {
        (Err(StoreError::NotFound), Beside::Join(_)) => Ok(None),
        (found, _) => found.map(Some),
    }
}

/// What was to be replaced could not be: that is on its record, and nothing is opened.
fn refuse(
    batch: &mut Batch<'_>,
    before: Option<Approval>,
    effects: Option<Effects>,
    now: Timestamp,
) -> Result<Opened, StoreError> {
    let (Some(before), Some(effects)) = (before, effects) else { return Err(StoreError::NotFound) };
    let Err(refusal) = &effects.result else {
        return Err(StoreError::Contradiction("it was replaced by nothing".to_owned()));
    };
    let refusal = refusal.clone();
    if effects.next.is_some() || !effects.messages.is_empty() {
        batch.wrote("execute.refused");
    }
    change_beside(batch, &before, &effects, now)?;
    Ok(Opened::Refused { approval: Box::new(effects.next.unwrap_or(before)), refusal })
}

/// Writes what became of the other request, and has its cards show it.
fn change_beside(
    batch: &mut Batch<'_>,
    before: &Approval,
    effects: &Effects,
    now: Timestamp,
) -> Result<(), StoreError> {
    effects::write(batch, before, effects, now)?;
    let raised = effects.next.as_ref().map(|next| next.revision).filter(|after| *after > before.revision);
    order::raise(batch, before.id, (raised, now))
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
    if approval.proposal == opening.proposal {
        Ok(Opened::Same(approval))
    } else {
        Ok(Opened::Conflict { digest: approval.digest })
    }
}
