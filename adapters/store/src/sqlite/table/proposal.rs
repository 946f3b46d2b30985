//! Proposals that are large, each kept once: a request's row is written anew with everything that happens to it, and what
//! was proposed never changes. Small ones stay in the request's own body, where another table would cost more.

use std::borrow::Cow;

use placet::approval::Approval;
use placet::id::RequestId;
use placet::ports::StoreError;
use rusqlite::{Connection, OptionalExtension, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::table::body_of;

const TABLE: &str = "proposal";
const INSERT: &str =
    "INSERT INTO proposal (approval_id, body) VALUES (?1, ?2) ON CONFLICT (approval_id) DO NOTHING";
const SELECT: &str = "SELECT body FROM proposal WHERE approval_id = ?1";

/// From how many bytes on a proposal is kept apart: two pages of the database.
const APART_MIN: usize = 8 * 1024;

/// What stands before the proposal in a request's body. The first of it is the one: before it are only names, and within
/// a name a quotation mark is escaped.
const FIELD: &str = "\"proposal\":";

/// What stands in place of one that is kept apart.
const APART: &str = "null";

/// A request's body without its proposal, and that one by itself, where it is large.
pub(super) fn apart(approval: &Approval, mut body: String) -> Result<(String, Option<String>), StoreError> {
    if body.len() < APART_MIN {
        return Ok((body, None));
    }
    let proposal = body_of(TABLE, &approval.proposal)?;
    if proposal.len() < APART_MIN {
        return Ok((body, None));
    }
    let begins = body.find(FIELD).map(|at| at + FIELD.len());
    let place = begins.filter(|at| body.get(*at..).is_some_and(|rest| rest.starts_with(&proposal)));
    let Some(place) = place else {
        return Err(inconsistent(TABLE, approval.id, "it is not where it should be in the request's body"));
    };
    body.replace_range(place..place + proposal.len(), APART);
    Ok((body, Some(proposal)))
}

/// Keeps one; it may be there already.
pub(super) fn keep(connection: &Connection, id: RequestId, proposal: &str) -> Result<(), StoreError> {
    let row = params![id.as_bytes().as_slice(), proposal];
    connection.prepare_cached(INSERT).and_then(|mut insert| insert.execute(row)).map(|_| ()).on(TABLE)
}

/// A request's body with its proposal.
pub(super) fn whole<'a>(
    connection: &Connection,
    id: RequestId,
    body: &'a str,
) -> Result<Cow<'a, str>, StoreError> {
    let begins = body.find(FIELD).map(|at| at + FIELD.len());
    let place = begins.filter(|at| body.get(*at..).is_some_and(|rest| rest.starts_with(APART)));
    let Some(place) = place else { return Ok(Cow::Borrowed(body)) };
    let proposal: Option<String> = connection
        .prepare_cached(SELECT)
        .and_then(|mut select| select.query_row([id.as_bytes().as_slice()], |row| row.get(0)).optional())
        .on(TABLE)?;
    let proposal = proposal.ok_or_else(|| inconsistent(TABLE, id, "the request's is not there"))?;
    let mut whole = body.to_owned();
    whole.replace_range(place..place + APART.len(), &proposal);
    Ok(Cow::Owned(whole))
}
