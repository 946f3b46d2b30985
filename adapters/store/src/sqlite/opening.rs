//! Taking in a proposal, inside the transaction.

use placet::approval::{Inside, Opened, Opening, Status, commit};
use placet::card::row::CardRow;
use placet::id::ShortCode;
use placet::ports::StoreError;

use crate::probe::of_judgement;
use crate::sqlite::batch::Batch;
use crate::sqlite::fault::{inconsistent, unavailable};
use crate::sqlite::table::idempotency::Kept;
use crate::sqlite::table::{card, idempotency, request};

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
    let code = free_code(batch, opening)?;
    let now = batch.now();
    let effects = commit::open(opening, code, (None, &Inside::default()), now)
        .map_err(|refusal| StoreError::Contradiction(refusal.code().to_owned()))?;
    let Some(effects) = effects.new else {
        return Err(StoreError::Contradiction("what it is to replace is not there".to_owned()));
    };
    let Some(approval) = effects.next else {
        return Err(StoreError::Contradiction("a proposal that opens nothing".to_owned()));
    };
    if !request::insert(batch.connection, &approval)? {
        return again(batch, opening);
    }
    batch.append(&effects.events)?;
    batch.send(&effects.messages, now)?;
    if let (Some(key), Some(proposal)) = (key, proposal) {
        let kept = Kept { id: approval.id, digest: approval.digest, proposal };
        idempotency::insert(batch.connection, key, &kept)?;
    }
    if approval.status() == Status::WaitingApproval {
        let terms = approval.verdict.as_deref().and_then(|verdict| verdict.terms.as_ref());
        for place in terms.iter().flat_map(|terms| &terms.places) {
            let (tenant, revision) = (approval.tenant.clone(), approval.revision);
            card::insert(
                batch.connection,
                &CardRow::wanted(tenant, approval.id, place.clone(), revision, now),
            )?;
            batch.work();
        }
    }
    batch.wrote(of_judgement(&opening.judgement));
    if opening.claim.is_some() {
        batch.wrote("open.claim");
    }
    batch.changed(&approval.tenant, approval.id);
    Ok(Opened::New(approval))
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
