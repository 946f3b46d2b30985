//! Requests: the body as JSON, and beside it in columns what is searched, guarded and checked.

use placet::approval::{Alarm, Approval, OutcomeKind, RejectedBy, State, Status};
use placet::call::CallDigest;
use placet::id::{AgentId, RequestId, RunId, ShortCode, TenantId};
use placet::policy::{Level, Tier};
use placet::ports::{RequestQuery, StoreError};
use placet::time::Timestamp;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::table::proposal;
use crate::sqlite::table::search::Search;
use crate::sqlite::table::{
    Cell, GUARDED_TENANT, bind, body_of, check, column_id, column_tenant, column_text, exactly_one,
    from_body, int, optional, text,
};

const TABLE: &str = "approval_request";
const INSERT: &str = "INSERT INTO approval_request (body, approval_id, tenant_id, code, agent_id, tool_name, full_name, \
                      run_id, step_id, requested_by, digest, args_hash, opened_at, status, risk_level, due_at, \
                      alarms, over_at, rejected_by, gathers_until, ran_unasked, ran_at, outcome, version, asked) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, \
                      ?20, ?21, ?22, ?23, ?24, ?25) ON CONFLICT (approval_id) DO NOTHING";
const UPDATE: &str = "UPDATE approval_request SET body = ?1, status = ?2, risk_level = ?3, due_at = ?4, \
                      alarms = ?5, over_at = ?6, rejected_by = ?7, gathers_until = ?8, ran_unasked = ?9, \
                      ran_at = ?10, outcome = ?11, version = ?12, asked = asked | ?13 \
                      WHERE approval_id = ?14 AND version = ?15";
const SELECT: &str = "SELECT body, approval_id, tenant_id, code, agent_id, tool_name, full_name, run_id, step_id, \
                      requested_by, digest, args_hash, opened_at, status, risk_level, due_at, alarms, over_at, \
                      rejected_by, gathers_until, ran_unasked, ran_at, outcome, version, asked FROM approval_request";
const SELECT_ONE: &str = "SELECT body, approval_id, tenant_id, code, agent_id, tool_name, full_name, run_id, step_id, \
                          requested_by, digest, args_hash, opened_at, status, risk_level, due_at, alarms, over_at, \
                          rejected_by, gathers_until, ran_unasked, ran_at, outcome, version, asked FROM approval_request WHERE approval_id = ?1";
/// Those of the very same call in the same run that wait with buttons of their own, as the partial index has them. The
/// tenant only guards the few that are found.
pub(super) const WAITING: &str = "SELECT body, approval_id, tenant_id, code, agent_id, tool_name, full_name, run_id, \
                       step_id, requested_by, digest, args_hash, opened_at, status, risk_level, due_at, alarms, \
                       over_at, rejected_by, gathers_until, ran_unasked, ran_at, outcome, version, asked FROM approval_request \
                       WHERE digest = ?1 AND run_id = ?2 AND status = 'waiting_approval' \
                       AND (body ->> '$.shares') IS NULL AND tenant_id || '' = ?3 ORDER BY approval_id DESC LIMIT ?4";
/// What became of the newest of the very same call.
pub(super) const NEWEST: &str = "SELECT approval_id, status FROM approval_request WHERE digest = ?1 \
                      AND tenant_id || '' = ?2 ORDER BY approval_id DESC LIMIT ?3";
/// The newest of the very same call to which people said no.
pub(super) const NEWEST_NO: &str = "SELECT approval_id FROM approval_request WHERE digest = ?1 \
                         AND rejected_by = 'votes' AND tenant_id || '' = ?2 ORDER BY approval_id DESC LIMIT 1";
/// Those whose card is kept back, because others may be gathered on it.
pub(super) const GATHERING: &str = "SELECT body, approval_id, tenant_id, code, agent_id, tool_name, full_name, run_id, \
                         step_id, requested_by, digest, args_hash, opened_at, status, risk_level, due_at, alarms, \
                         over_at, rejected_by, gathers_until, ran_unasked, ran_at, outcome, version, asked FROM approval_request \
                         WHERE tenant_id = ?1 AND agent_id = ?2 AND gathers_until > ?3 \
                         ORDER BY gathers_until DESC LIMIT ?4";
/// The open states, as the partial indexes have them.
const OPEN: &str = "status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing')";
const CODE_TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM approval_request WHERE code = ?1 AND \
                          status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing'))";
const DUE: &str =
    "SELECT tenant_id, approval_id FROM approval_request WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2";
pub(super) const ALARMS: &str = "SELECT alarms, count(*) FROM approval_request \
                      WHERE alarms IS NOT NULL AND over_at IS NULL GROUP BY alarms \
                      UNION ALL SELECT alarms, count(*) FROM approval_request \
                      WHERE alarms IS NOT NULL AND over_at >= ?1 GROUP BY alarms";
const COUNTS: &str = "SELECT status, count(*) FROM approval_request GROUP BY status";

/// The columns that never change, given the tool's full name.
fn fixed<'a>(approval: &'a Approval, full_name: &'a str) -> [Cell<'a>; 12] {
    let run = approval.proposal.run.as_ref();
    [
        ("approval_id", ValueRef::Blob(approval.id.as_bytes())),
        ("tenant_id", text(approval.tenant.as_str())),
        ("code", text(approval.code.as_str())),
        ("agent_id", text(approval.proposal.call.agent.as_str())),
        ("tool_name", text(approval.proposal.call.tool.as_str())),
        ("full_name", text(full_name)),
        ("run_id", optional(run, |run| text(run.run.as_str()))),
        ("step_id", optional(run, |run| text(run.step.as_str()))),
        ("requested_by", text(approval.proposal.requester.credential.as_str())),
        ("digest", ValueRef::Blob(approval.digest.as_bytes())),
        ("args_hash", ValueRef::Blob(approval.args_hash.as_bytes())),
        ("opened_at", ValueRef::Integer(approval.opened_at.as_millis())),
    ]
}

/// The columns that do.
fn moving(approval: &Approval) -> [Cell<'_>; 11] {
    [
        ("status", text(approval.status().name())),
        ("risk_level", optional(approval.verdict.as_deref(), |verdict| text(level(verdict.level)))),
        ("due_at", optional(approval.due(), |due| ValueRef::Integer(due.as_millis()))),
        ("alarms", optional(alarm_bits(approval), ValueRef::Integer)),
        ("over_at", optional(approval.over_at(), |over| ValueRef::Integer(over.as_millis()))),
        ("rejected_by", optional(rejected_by(approval), text)),
        ("gathers_until", optional(approval.gathers_until(), |until| ValueRef::Integer(until.as_millis()))),
        ("ran_unasked", optional(approval.ran_unasked(), |how| text(how.name()))),
        ("ran_at", optional(ran_at(approval), |at| ValueRef::Integer(at.as_millis()))),
        ("outcome", optional(outcome(approval), |outcome| text(outcome.name()))),
        ("version", int(approval.version)),
    ]
}

/// Set once people are asked on a card of its own, and never taken back.
fn asked(approval: &Approval) -> Cell<'static> {
    ("asked", int(u64::from(is_asked(approval))))
}

fn is_asked(approval: &Approval) -> bool {
    approval.status() == Status::WaitingApproval && approval.has_card()
}

/// When that was begun about which nobody was asked.
fn ran_at(approval: &Approval) -> Option<Timestamp> {
    approval.ran_unasked()?;
    match &approval.state {
        State::Executing(executing) => Some(executing.claim.at),
        State::Executed(executed) => Some(executed.claim.at),
        _ => None,
    }
}

const fn outcome(approval: &Approval) -> Option<OutcomeKind> {
    match &approval.state {
        State::Executed(executed) => Some(executed.outcome.kind),
        _ => None,
    }
}

fn rejected_by(approval: &Approval) -> Option<&'static str> {
    let State::Rejected(rejected) = &approval.state else { return None };
    Some(match &rejected.by {
        RejectedBy::Policy { .. } => "policy",
        RejectedBy::NoApprover { .. } => "no_approver",
        RejectedBy::Votes { .. } => "votes",
        RejectedBy::Earlier { .. } => "earlier",
    })
}

/// A bit for each alarm that stands; none where none does.
fn alarm_bits(approval: &Approval) -> Option<i64> {
    approval.standing_alarms().map(alarm_bit).reduce(|some, more| some | more)
}

const fn alarm_bit(alarm: Alarm) -> i64 {
    match alarm {
        Alarm::WaitsLong => 1,
        Alarm::CardUndeliverable => 2,
        Alarm::OutcomeUnknown => 4,
        Alarm::GlassBroken => 8,
        Alarm::MessageUndelivered => 16,
    }
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Low => "low",
        Level::Medium => "medium",
        Level::High => "high",
        Level::Critical => "critical",
    }
}

/// Whether an open request has this code.
pub(crate) fn code_is_taken(connection: &Connection, code: &ShortCode) -> Result<bool, StoreError> {
    let taken = connection.prepare_cached(CODE_TAKEN);
    taken.and_then(|mut taken| taken.query_row([code.as_str()], |row| row.get(0))).on(TABLE)
}

/// Keeps a new one. False if its id is there already; nothing is written then.
pub(crate) fn insert(connection: &Connection, approval: &Approval) -> Result<bool, StoreError> {
    let (body, large) = proposal::apart(approval, body_of(TABLE, approval)?)?;
    let full_name = approval.proposal.call.full_name();
    let mut insert = connection.prepare_cached(INSERT).on(TABLE)?;
    bind(&mut insert, 1, &[("body", text(&body))]).on(TABLE)?;
    bind(&mut insert, 2, &fixed(approval, &full_name)).on(TABLE)?;
    bind(&mut insert, 14, &moving(approval)).on(TABLE)?;
    bind(&mut insert, 25, &[asked(approval)]).on(TABLE)?;
    let new = insert.raw_execute().on(TABLE)? == 1;
    if let Some(large) = large.filter(|_| new) {
        proposal::keep(connection, approval.id, &large)?;
    }
    Ok(new)
}

/// Keeps what became of one, guarded by the version it was loaded with.
pub(crate) fn update(connection: &Connection, before: u64, approval: &Approval) -> Result<(), StoreError> {
    let (body, large) = proposal::apart(approval, body_of(TABLE, approval)?)?;
    let mut update = connection.prepare_cached(UPDATE).on(TABLE)?;
    bind(&mut update, 1, &[("body", text(&body))]).on(TABLE)?;
    bind(&mut update, 2, &moving(approval)).on(TABLE)?;
    let guard = [("approval_id", ValueRef::Blob(approval.id.as_bytes())), ("version", int(before))];
    bind(&mut update, 13, &[asked(approval)]).on(TABLE)?;
    bind(&mut update, 14, &guard).on(TABLE)?;
    exactly_one(update.raw_execute().on(TABLE)?, TABLE, approval.id)?;
    match large {
        // Written once: it is there, unless an earlier version kept it in the body.
        Some(large) => proposal::keep(connection, approval.id, &large),
        None => Ok(()),
    }
}

/// A request of this tenant.
pub(crate) fn load(
    connection: &Connection,
    tenant: &TenantId,
    id: RequestId,
) -> Result<Approval, StoreError> {
    find(connection, id)?.filter(|approval| approval.tenant == *tenant).ok_or(StoreError::NotFound)
}

/// A request of any tenant.
pub(crate) fn find(connection: &Connection, id: RequestId) -> Result<Option<Approval>, StoreError> {
    let mut select = connection.prepare_cached(SELECT_ONE).on(TABLE)?;
    let mut rows = select.query([id.as_bytes().as_slice()]).on(TABLE)?;
    rows.next().on(TABLE)?.map(|row| read(connection, row)).transpose()
}

fn read(connection: &Connection, row: &Row<'_>) -> Result<Approval, StoreError> {
    let id = RequestId::from_bytes(column_id(row, 1, TABLE)?);
    let key = id.to_string();
    let body = proposal::whole(connection, id, column_text(row, 0, TABLE)?)?;
    let approval: Approval = from_body(TABLE, &key, &body)?;
    let full_name = approval.proposal.call.full_name();
    check(row, 1, &fixed(&approval, &full_name), (TABLE, &key))?;
    check(row, 13, &moving(&approval), (TABLE, &key))?;
    let tier = approval.verdict.as_deref().map(|verdict| verdict.tier);
    // Between the two it depends on what was, which the row does not tell.
    if is_asked(&approval) || tier != Some(Tier::Approve) {
        check(row, 24, &[asked(&approval)], (TABLE, &key))?;
    }
    Ok(approval)
}

/// Requests of the very same call in the same run that wait with buttons of their own, newest first.
pub(crate) fn waiting(
    connection: &Connection,
    (tenant, digest): (&TenantId, CallDigest),
    run: &RunId,
) -> Result<Vec<Approval>, StoreError> {
    /// Those that differ in nothing share a card: these are as many texts about one call, or as many full cards.
    const WAITING_MAX: u32 = 4;
    found(connection, WAITING, params![digest.as_bytes(), run.as_str(), tenant.as_str(), WAITING_MAX])
}

/// What became of the very same call before.
pub(crate) struct Earlier {
    /// The newest to which people said no, where none was let run since.
    pub(crate) denied: Option<Approval>,
    /// The newest that people or time are done with, where time ran out on it.
    pub(crate) timed_out: Option<Approval>,
}

/// Reads it. Only so many of the newest are looked at, so that nobody makes everybody wait by asking for the same without
/// end: a yes that is older than these is not found, and a no stands.
pub(crate) fn earlier(
    connection: &Connection,
    (tenant, digest): (&TenantId, CallDigest),
) -> Result<Earlier, StoreError> {
    const NEWEST_MAX: u32 = 64;
    let mut statement = connection.prepare_cached(NEWEST).on(TABLE)?;
    let mut rows = statement.query(params![digest.as_bytes(), tenant.as_str(), NEWEST_MAX]).on(TABLE)?;
    let (mut ran, mut over) = (None, None);
    while let Some(row) = rows.next().on(TABLE)? {
        let id = RequestId::from_bytes(column_id(row, 0, TABLE)?);
        match column_text(row, 1, TABLE)? {
            "approved" | "executing" | "executed" => {
                ran.get_or_insert(id);
                over.get_or_insert((id, false));
            }
            "expired" => {
                over.get_or_insert((id, true));
            }
            "rejected" => {
                over.get_or_insert((id, false));
            }
            // What was taken back, or still waits, says nothing.
            _ => {}
        }
    }
    let mut no = connection.prepare_cached(NEWEST_NO).on(TABLE)?;
    let mut rows = no.query(params![digest.as_bytes(), tenant.as_str()]).on(TABLE)?;
    let no = match rows.next().on(TABLE)? {
        Some(row) => Some(RequestId::from_bytes(column_id(row, 0, TABLE)?)),
        None => None,
    };
    let denied = no.filter(|no| ran.is_none_or(|ran| ran < *no));
    let load = |id: Option<RequestId>| match id {
        Some(id) => find(connection, id),
        None => Ok(None),
    };
    let timed_out = over.filter(|(_, expired)| *expired).map(|(id, _)| id);
    Ok(Earlier { denied: load(denied)?, timed_out: load(timed_out)? })
}

/// Requests of the agent whose card is kept back, because others may be gathered on it.
pub(crate) fn gathering(
    connection: &Connection,
    (tenant, agent): (&TenantId, &AgentId),
    now: Timestamp,
) -> Result<Vec<Approval>, StoreError> {
    /// As many places as an agent's calls are gathered for at once, or as many full cards.
    const GATHERING_MAX: u32 = 4;
    found(connection, GATHERING, params![tenant.as_str(), agent.as_str(), now.as_millis(), GATHERING_MAX])
}

fn found(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<Approval>, StoreError> {
    let mut statement = connection.prepare_cached(sql).on(TABLE)?;
    let mut rows = statement.query(values).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        found.push(read(connection, row)?);
    }
    Ok(found)
}

/// Requests, newest first.
pub(crate) fn list(connection: &Connection, query: &RequestQuery) -> Result<Vec<Approval>, StoreError> {
    if query.code.is_some() {
        // The one that is open has the code; else the newest that had it.
        let open = select(connection, search(query, true))?;
        if !open.is_empty() {
            return Ok(open);
        }
    }
    select(connection, search(query, false))
}

/// The statement that finds them, among what is open or all.
pub(super) fn search(query: &RequestQuery, only_open: bool) -> (String, Vec<Value>) {
    let mut search = Search::of(SELECT);
    if let Some(tenant) = &query.tenant {
        let few = (only_open && query.code.is_some()) || query.digest.is_some();
        search.compare(if few { GUARDED_TENANT } else { "tenant_id =" }, tenant.as_str().to_owned());
    }
    if let Some(code) = &query.code {
        search.compare("code =", code.as_str().to_owned());
    }
    if let Some(digest) = &query.digest {
        search.compare("digest =", digest.as_bytes().to_vec());
    }
    if let Some(run) = &query.run {
        search.compare("run_id =", run.as_str().to_owned());
    }
    if let Some(before) = &query.before {
        search.compare("approval_id <", before.as_bytes().to_vec());
    }
    let asks_open = !query.statuses.is_empty() && query.statuses.iter().all(|status| status.is_open());
    if only_open || asks_open {
        search.term(OPEN);
    }
    search.one_of("status", query.statuses.iter().map(|status| status.name()));
    let by = if query.soonest { "due_at IS NULL, due_at, approval_id" } else { "approval_id DESC" };
    search.order(by, query.limit)
}

fn select(connection: &Connection, (sql, values): (String, Vec<Value>)) -> Result<Vec<Approval>, StoreError> {
    found(connection, &sql, rusqlite::params_from_iter(values))
}

/// Requests for which time has something to do, the longest due first.
pub(crate) fn due(
    connection: &Connection,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<(TenantId, RequestId)>, StoreError> {
    let mut statement = connection.prepare_cached(DUE).on(TABLE)?;
    let mut rows = statement.query(params![now.as_millis(), limit]).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        found.push((column_tenant(row, 0, TABLE)?, RequestId::from_bytes(column_id(row, 1, TABLE)?)));
    }
    Ok(found)
}

/// When time next has something to do, in any of the tables it has something to do in.
pub(crate) fn next_due(connection: &Connection) -> Result<Option<Timestamp>, StoreError> {
    const EACH: [&str; 5] = [
        "SELECT min(due_at) FROM approval_request WHERE due_at IS NOT NULL",
        "SELECT min(due_at) FROM card WHERE due_at IS NOT NULL",
        "SELECT min(due_at) FROM outbox WHERE due_at IS NOT NULL",
        "SELECT min(received_at) FROM inbox WHERE done_at IS NULL",
        "SELECT min(since) FROM hold WHERE redraws_after IS NOT NULL",
    ];
    let mut next: Option<i64> = None;
    for sql in EACH {
        let at = connection.prepare_cached(sql).and_then(|mut least| least.query_row([], |row| row.get(0)));
        let at: Option<i64> = at.optional().on(TABLE)?.flatten();
        next = next.into_iter().chain(at).min();
    }
    Ok(next.map(Timestamp::from_millis))
}

/// How many are in each state.
pub(crate) fn counts(connection: &Connection) -> Result<Vec<(Status, u64)>, StoreError> {
    let mut statement = connection.prepare_cached(COUNTS).on(TABLE)?;
    let mut rows = statement.query([]).on(TABLE)?;
    let mut counts: Vec<(Status, u64)> = Status::ALL.into_iter().map(|status| (status, 0)).collect();
    while let Some(row) = rows.next().on(TABLE)? {
        let name = column_text(row, 0, TABLE)?;
        let count: i64 = row.get(1).on(TABLE)?;
        let slot = counts.iter_mut().find(|(status, _)| status.name() == name);
        let slot = slot.ok_or_else(|| inconsistent(TABLE, name, "there is no such state"))?;
        slot.1 = u64::try_from(count).unwrap_or(0);
    }
    Ok(counts)
}

/// On how many requests each alarm stands.
pub(crate) fn alarms(connection: &Connection, since: Timestamp) -> Result<Vec<(Alarm, u64)>, StoreError> {
    let mut statement = connection.prepare_cached(ALARMS).on(TABLE)?;
    let mut rows = statement.query([since.as_millis()]).on(TABLE)?;
    let mut counts = Alarm::ALL.map(|alarm| (alarm, 0));
    while let Some(row) = rows.next().on(TABLE)? {
        let (bits, requests): (i64, i64) = (row.get(0).on(TABLE)?, row.get(1).on(TABLE)?);
        for (_, count) in counts.iter_mut().filter(|(alarm, _)| bits & alarm_bit(*alarm) != 0) {
            *count += u64::try_from(requests).unwrap_or(0);
        }
    }
    Ok(counts.to_vec())
}
