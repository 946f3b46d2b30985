//! What an agent did lately, counted from indexes alone. Ids begin with the time at which they were made, so that the
//! last hour is a range of them.

use placet::approval::Proposal;
use placet::id::{Entropy, RequestId, TenantId};
use placet::policy::{RECENT, Recent};
use placet::ports::{Lately, RecentQuery, StoreError};
use placet::time::Timestamp;
use rusqlite::{Connection, ToSql};

use crate::sqlite::fault::Meaning;

const TABLE: &str = "approval_request";
/// Nothing is counted further, so that an agent that calls without end does not have everybody wait for its numbers: a
/// rule that asks for more than this is never met, and it is far beyond what any person would call often.
const COUNTED_MAX: u32 = 10_000;
pub(super) const CALLS: &str = "SELECT count(*) FROM (SELECT 1 FROM approval_request WHERE tenant_id = ?1 \
                                AND agent_id = ?2 AND full_name = ?3 AND approval_id >= ?4 LIMIT ?5)";
pub(super) const CARDS: &str = "SELECT count(*) FROM (SELECT 1 FROM approval_request WHERE tenant_id = ?1 \
                                AND agent_id = ?2 AND asked = 1 AND approval_id >= ?3 LIMIT ?4)";
pub(super) const SAME: &str = "SELECT count(*) FROM (SELECT 1 FROM approval_request WHERE digest = ?1 \
                               AND approval_id >= ?2 LIMIT ?3)";
pub(super) const DENIED: &str = "SELECT count(*) FROM (SELECT 1 FROM approval_request WHERE digest = ?1 \
                                 AND rejected_by = 'votes' AND approval_id >= ?2 LIMIT ?3)";
pub(super) const OF_RUN: &str = "SELECT count(*) FROM (SELECT 1 FROM approval_request WHERE run_id = ?1 \
                                 AND tenant_id = ?2 AND agent_id = ?3 AND asked = 1 LIMIT ?4)";

pub(super) const OF_RUN_SINCE: &str = "SELECT count(*) FROM (SELECT 1 FROM approval_request WHERE run_id = ?1 \
                                       AND tenant_id = ?2 AND agent_id = ?3 AND asked = 1 AND approval_id >= ?4 LIMIT ?5)";

/// The least id of its time.
struct Least;

impl Entropy for Least {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

/// Cards that were posted for the agent within the last hour, and for its run at any time, both not counted from before
/// `from`, nor further than these limits.
pub(crate) fn cards(
    connection: &Connection,
    (tenant, proposal): (&TenantId, &Proposal),
    (of_agent, of_run): (u32, u32),
    (from, now): (Option<Timestamp>, Timestamp),
) -> Result<(u32, u32), StoreError> {
    let least = |at: Timestamp| RequestId::mint(at, &Least);
    let from = from.unwrap_or(Timestamp::from_millis(0));
    let (since, from) = (least(from.max(now - RECENT)), least(from));
    let (tenant, agent) = (tenant.as_str(), proposal.call.agent.as_str());
    let count = |sql, values: &[&dyn ToSql]| -> Result<u32, StoreError> {
        let counted = connection.prepare_cached(sql);
        counted.and_then(|mut counted| counted.query_row(values, |row| row.get(0))).on(TABLE)
    };
    let run = match &proposal.run {
        Some(step) => {
            let from = from.as_bytes().as_slice();
            count(OF_RUN_SINCE, &[&step.run.as_str(), &tenant, &agent, &from, &of_run])?
        }
        None => 0,
    };
    Ok((count(CARDS, &[&tenant, &agent, &since.as_bytes().as_slice(), &of_agent])?, run))
}

/// How often lately, and in the run at any time.
pub(crate) fn count(connection: &Connection, query: &RecentQuery) -> Result<Lately, StoreError> {
    let since = RequestId::mint(query.now - RECENT, &Least);
    let (since, digest) = (since.as_bytes().as_slice(), query.digest.as_bytes().as_slice());
    let (tenant, agent) = (query.tenant.as_str(), query.agent.as_str());
    let count = |sql, values: &[&dyn ToSql]| -> Result<u32, StoreError> {
        let counted = connection.prepare_cached(sql);
        counted.and_then(|mut counted| counted.query_row(values, |row| row.get(0))).on(TABLE)
    };
    let run_cards = match &query.run {
        Some(run) => count(OF_RUN, &[&run.as_str(), &tenant, &agent, &COUNTED_MAX])?,
        None => 0,
    };
    // The digest is the tenant's and the agent's own.
    let recent = Recent {
        calls: count(CALLS, &[&tenant, &agent, &query.tool, &since, &COUNTED_MAX])?,
        same: count(SAME, &[&digest, &since, &COUNTED_MAX])?,
        denied: count(DENIED, &[&digest, &since, &COUNTED_MAX])?,
        cards: count(CARDS, &[&tenant, &agent, &since, &COUNTED_MAX])?,
    };
    Ok(Lately { recent, run_cards })
}
