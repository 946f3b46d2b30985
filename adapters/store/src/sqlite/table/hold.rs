//! Emergency stops, standing and lifted. A claim looks at the few that stand and cover it.

use placet::approval::Proposal;
use placet::hold::{Hold, HoldScope};
use placet::id::{HoldId, RequestId, TenantId};
use placet::ports::{HoldQuery, StoreError};
use placet::time::Timestamp;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, Rows, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::table::search::Search;
use crate::sqlite::table::{
    Cell, bind, body_of, check, column_id, column_text, exactly_one, from_body, optional, text,
};

const TABLE: &str = "hold";
/// Cards are drawn anew from the first on, whatever was left to be drawn.
const INSERT: &str = "INSERT INTO hold (body, lifted_at, hold_id, tenant_id, scope, agent_id, tool_name, run_id, since, \
                      redraws_after) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, x'')";
const UPDATE: &str = "UPDATE hold SET body = ?1, lifted_at = ?2, redraws_after = x'' \
                      WHERE hold_id = ?3 AND lifted_at IS NULL";
const REDRAWS: &str = "SELECT hold_id, tenant_id, agent_id, tool_name, run_id, redraws_after FROM hold \
                       WHERE redraws_after IS NOT NULL ORDER BY hold_id LIMIT 1";
const REDRAWN: &str = "UPDATE hold SET redraws_after = ?1 WHERE hold_id = ?2";
/// Of what time does something about, which is little: not of all requests that there ever were.
pub(super) const COVERED: &str = "SELECT approval_id, tenant_id FROM approval_request INDEXED BY approval_request_due \
                       WHERE due_at IS NOT NULL AND status IN ('waiting_approval', 'approved') \
                       AND ?1 IN ('', tenant_id) AND ?2 IN ('', agent_id) AND ?3 IN ('', full_name) \
                       AND ?4 IN ('', run_id) AND approval_id > ?5 ORDER BY approval_id LIMIT ?6";
const SELECT: &str =
    "SELECT body, lifted_at, hold_id, tenant_id, scope, agent_id, tool_name, run_id, since FROM hold";
const BY_ID: &str = "SELECT body, lifted_at, hold_id, tenant_id, scope, agent_id, tool_name, run_id, since FROM hold \
                     WHERE hold_id = ?1";
const SAME: &str = "SELECT body, lifted_at, hold_id, tenant_id, scope, agent_id, tool_name, run_id, since FROM hold \
                    WHERE lifted_at IS NULL AND tenant_id = ?1 AND agent_id = ?2 AND tool_name = ?3 AND run_id = ?4";
/// What no name is given for is empty: those that name nothing, the agent, the tool, or the agent's run.
pub(super) const COVERING: &str = "SELECT body, lifted_at, hold_id, tenant_id, scope, agent_id, tool_name, run_id, since \
                        FROM hold WHERE lifted_at IS NULL AND tenant_id IN ('', ?1) AND agent_id IN ('', ?2) \
                        AND tool_name IN ('', ?3) AND run_id IN ('', ?4)";

pub(super) const LAST_STOPPED: &str = "SELECT max(since) FROM hold WHERE lifted_at IS NULL \
                            AND tenant_id = ?1 AND agent_id = ?2 AND run_id <> ''";
pub(super) const LAST_LIFTED: &str = "SELECT max(lifted_at) FROM hold WHERE lifted_at IS NOT NULL \
                           AND tenant_id = ?1 AND agent_id = ?2 AND run_id IN ('', ?3)";

/// The columns of a hold that name what it covers.
fn names(scope: &HoldScope) -> [Cell<'_>; 4] {
    let (kind, agent, tool, run) = match scope {
        HoldScope::All => ("all", "", "", ""),
        HoldScope::Agent(agent) => ("agent", agent.as_str(), "", ""),
        HoldScope::Tool(name) => ("tool", "", name.as_str(), ""),
        HoldScope::Run { agent, run } => ("run", agent.as_str(), "", run.as_str()),
    };
    [("scope", text(kind)), ("agent_id", text(agent)), ("tool_name", text(tool)), ("run_id", text(run))]
}

fn tenant(hold: &Hold) -> &str {
    hold.tenant.as_ref().map_or("", TenantId::as_str)
}

fn cells(hold: &Hold) -> [Cell<'_>; 8] {
    let [scope, agent, tool, run] = names(&hold.scope);
    [
        ("lifted_at", optional(hold.lifted.as_ref(), |lifted| ValueRef::Integer(lifted.at.as_millis()))),
        ("hold_id", ValueRef::Blob(hold.id.as_bytes())),
        ("tenant_id", text(tenant(hold))),
        scope,
        agent,
        tool,
        run,
        ("since", ValueRef::Integer(hold.since.as_millis())),
    ]
}

/// Keeps a new one.
pub(crate) fn insert(connection: &Connection, hold: &Hold) -> Result<(), StoreError> {
    let body = body_of(TABLE, hold)?;
    let mut insert = connection.prepare_cached(INSERT).on(TABLE)?;
    bind(&mut insert, 1, &[("body", text(&body))]).on(TABLE)?;
    bind(&mut insert, 2, &cells(hold)).on(TABLE)?;
    insert.raw_execute().map(|_| ()).on(TABLE)
}

/// Keeps that one was lifted.
pub(crate) fn update(connection: &Connection, hold: &Hold) -> Result<(), StoreError> {
    let body = body_of(TABLE, hold)?;
    let mut update = connection.prepare_cached(UPDATE).on(TABLE)?;
    let [lifted_at, id, ..] = cells(hold);
    bind(&mut update, 1, &[("body", text(&body)), lifted_at, id]).on(TABLE)?;
    exactly_one(update.raw_execute().on(TABLE)?, TABLE, hold.id)
}

/// The one of this id.
pub(crate) fn by_id(connection: &Connection, id: HoldId) -> Result<Option<Hold>, StoreError> {
    let mut statement = connection.prepare_cached(BY_ID).on(TABLE)?;
    let mut rows = statement.query([id.as_bytes().as_slice()]).on(TABLE)?;
    rows.next().on(TABLE)?.map(read).transpose()
}

/// The one that stands and covers the very same.
pub(crate) fn same(connection: &Connection, hold: &Hold) -> Result<Option<Hold>, StoreError> {
    let mut statement = connection.prepare_cached(SAME).on(TABLE)?;
    bind(&mut statement, 1, &[("tenant_id", text(tenant(hold)))]).on(TABLE)?;
    bind(&mut statement, 2, &names(&hold.scope)[1..]).on(TABLE)?;
    let mut rows = statement.raw_query();
    rows.next().on(TABLE)?.map(read).transpose()
}

/// Those that stand and cover this call.
pub(crate) fn covering(
    connection: &Connection,
    tenant: &TenantId,
    proposal: &Proposal,
) -> Result<Vec<Hold>, StoreError> {
    let run = proposal.run.as_ref().map_or("", |step| step.run.as_str());
    let (agent, tool) = (proposal.call.agent.as_str(), proposal.call.full_name());
    let mut statement = connection.prepare_cached(COVERING).on(TABLE)?;
    read_all(statement.query(params![tenant.as_str(), agent, tool, run]).on(TABLE)?)
}

/// A hold whose cards are to be drawn anew, and after which request.
pub(crate) struct Redraws {
    id: HoldId,
    /// Its tenant, agent, tool and run, each empty where it names none.
    names: [String; 4],
    after: Vec<u8>,
}

/// Whether there is one.
pub(crate) fn any_redraws(connection: &Connection) -> Result<bool, StoreError> {
    Ok(redraws(connection)?.is_some())
}

/// The first of them: of its columns alone, so that no body that cannot be read holds up any card.
pub(crate) fn redraws(connection: &Connection) -> Result<Option<Redraws>, StoreError> {
    let mut statement = connection.prepare_cached(REDRAWS).on(TABLE)?;
    let mut rows = statement.query([]).on(TABLE)?;
    let Some(row) = rows.next().on(TABLE)? else { return Ok(None) };
    let name = |column: usize| -> Result<String, StoreError> { row.get(column).on(TABLE) };
    let names = [name(1)?, name(2)?, name(3)?, name(4)?];
    let after = row.get(5).on(TABLE)?;
    Ok(Some(Redraws { id: HoldId::from_bytes(column_id(row, 0, TABLE)?), names, after }))
}

/// The next requests that it covers and that could still be started.
pub(crate) fn covered(
    connection: &Connection,
    of: &Redraws,
    limit: u32,
) -> Result<Vec<(RequestId, TenantId)>, StoreError> {
    let [tenant, agent, tool, run] = &of.names;
    let mut statement = connection.prepare_cached(COVERED).on(TABLE)?;
    let mut rows = statement.query(params![tenant, agent, tool, run, of.after, limit]).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        let id = RequestId::from_bytes(column_id(row, 0, TABLE)?);
        let tenant = TenantId::new(column_text(row, 1, TABLE)?);
        found.push((id, tenant.map_err(|fault| inconsistent(TABLE, id, fault))?));
    }
    Ok(found)
}

/// Those up to this one are drawn; all, where it is none.
pub(crate) fn redrawn(
    connection: &Connection,
    of: &Redraws,
    up_to: Option<RequestId>,
) -> Result<(), StoreError> {
    let mut update = connection.prepare_cached(REDRAWN).on(TABLE)?;
    let after = up_to.as_ref().map(|id| id.as_bytes().as_slice());
    exactly_one(update.execute(params![after, of.id.as_bytes().as_slice()]).on(TABLE)?, TABLE, of.id)
}

/// When the newest stop of this agent, or of this run of it, was lifted.
pub(crate) fn last_lifted(
    connection: &Connection,
    tenant: &TenantId,
    proposal: &Proposal,
) -> Result<Option<Timestamp>, StoreError> {
    let run = proposal.run.as_ref().map_or("", |step| step.run.as_str());
    let mut statement = connection.prepare_cached(LAST_LIFTED).on(TABLE)?;
    let values = params![tenant.as_str(), proposal.call.agent.as_str(), run];
    let at: Option<i64> = statement.query_row(values, |row| row.get(0)).on(TABLE)?;
    Ok(at.map(Timestamp::from_millis))
}

/// When a run of this agent was last stopped, where that still is.
pub(crate) fn last_stopped(
    connection: &Connection,
    tenant: &TenantId,
    proposal: &Proposal,
) -> Result<Option<Timestamp>, StoreError> {
    let mut statement = connection.prepare_cached(LAST_STOPPED).on(TABLE)?;
    let values = params![tenant.as_str(), proposal.call.agent.as_str()];
    let at: Option<i64> = statement.query_row(values, |row| row.get(0)).on(TABLE)?;
    Ok(at.map(Timestamp::from_millis))
}

/// Holds, newest first.
pub(crate) fn list(connection: &Connection, query: &HoldQuery) -> Result<Vec<Hold>, StoreError> {
    let (sql, values) = search(query);
    let mut statement = connection.prepare_cached(&sql).on(TABLE)?;
    read_all(statement.query(rusqlite::params_from_iter(values)).on(TABLE)?)
}

fn search(query: &HoldQuery) -> (String, Vec<Value>) {
    let mut search = Search::of(SELECT);
    if query.only_standing {
        search.term("lifted_at IS NULL");
    }
    if let Some(tenant) = &query.tenant {
        search.this_or_empty("tenant_id", tenant.as_str().to_owned());
    }
    if let Some(before) = &query.before {
        search.compare("hold_id <", before.as_bytes().to_vec());
    }
    search.order("hold_id DESC", query.limit)
}

fn read_all(mut rows: Rows<'_>) -> Result<Vec<Hold>, StoreError> {
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<Hold, StoreError> {
    let key = HoldId::from_bytes(column_id(row, 2, TABLE)?).to_string();
    let hold: Hold = from_body(TABLE, &key, column_text(row, 0, TABLE)?)?;
    check(row, 1, &cells(&hold), (TABLE, &key))?;
    Ok(hold)
}
