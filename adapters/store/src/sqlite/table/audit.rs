//! Requests by what people look for, and what ran unasked.
//!
//! Every search walks ids downwards: over all of a tenant's, or over those that an index gives for an account, a tool or a
//! bad end. Only so many rows are looked at for words in one go; the page then says from where to go on.

use placet::approval::{OutcomeKind, Unasked};
use placet::id::{Entropy, RequestId, TenantId};
use placet::ports::audit::{AUDIT_LOOKED_AT_MAX, AUDIT_WORDS_MAX};
use placet::ports::{AuditPage, AuditQuery, StoreError, UnaskedCount, UnaskedQuery};
use placet::time::{Timestamp, Ttl};
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use crate::sqlite::fault::{Meaning, inconsistent};
use crate::sqlite::table::request;
use crate::sqlite::table::search::Search;
use crate::sqlite::table::{GUARDED_TENANT, column_id, column_text};

const TABLE: &str = "approval_request";
/// From one of a tenant's tools to the next, without walking through what is between.
pub(super) const TOOLS: &str = "WITH RECURSIVE tool (name) AS (\
     SELECT min(full_name) FROM approval_request WHERE tenant_id = ?1 UNION ALL \
     SELECT (SELECT min(full_name) FROM approval_request WHERE tenant_id = ?1 AND full_name > tool.name) FROM tool \
     WHERE tool.name IS NOT NULL) SELECT name FROM tool WHERE name IS NOT NULL LIMIT ?2";
pub(super) const UNASKED: &str = "SELECT full_name, ran_unasked, outcome, count(*) FROM approval_request \
     WHERE tenant_id = ?1 AND ran_unasked IS NOT NULL AND ran_at >= ?2 AND ran_at < ?3 \
     GROUP BY full_name, ran_unasked, outcome ORDER BY full_name LIMIT ?4";

/// The most tools that a pattern is compared with: far more than any tenant has.
const TOOLS_MAX: u32 = 10_000;

/// How much earlier than the request was opened its id may have been made: what judging it takes at most.
const MADE_BEFORE: Ttl = Ttl::from_mins(5);

/// The least id of its time.
struct Least;

impl Entropy for Least {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

fn least(at: Timestamp) -> Value {
    Value::Blob(RequestId::mint(at.max(Timestamp::from_millis(0)), &Least).as_bytes().to_vec())
}

/// One page.
pub(crate) fn page(connection: &Connection, query: &AuditQuery) -> Result<AuditPage, StoreError> {
    let none = AuditPage { found: Vec::new(), next: None };
    if query.limit == 0 {
        return Ok(none);
    }
    let tools = query.tool.as_deref().map(|tool| meant(connection, &query.tenant, tool)).transpose()?;
    if tools.as_ref().is_some_and(Vec::is_empty) {
        return Ok(none);
    }
    let (sql, values) = search(query, tools.as_deref());
    let mut statement = connection.prepare(&sql).on(TABLE)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values)).on(TABLE)?;
    let (mut ids, mut looked_at, mut next) = (Vec::new(), 0, None);
    while let Some(row) = rows.next().on(TABLE)? {
        let id = RequestId::from_bytes(column_id(row, 0, TABLE)?);
        looked_at += 1;
        if row.get::<_, bool>(1).on(TABLE)? {
            if ids.len() == query.limit as usize {
                // One more than fits: there is another page, and it begins behind the last that fits.
                next = ids.last().copied();
                break;
            }
            ids.push(id);
        }
        if looked_at >= AUDIT_LOOKED_AT_MAX {
            next = Some(id);
            break;
        }
    }
    let found = ids.into_iter().filter_map(|id| request::find(connection, id).transpose());
    Ok(AuditPage { found: found.collect::<Result<_, _>>()?, next })
}

/// The statement that finds the ids, and whether each may hold the words.
pub(super) fn search(query: &AuditQuery, tools: Option<&[String]>) -> (String, Vec<Value>) {
    let mut search = Search::of("");
    let words = words(&mut search, &query.words);
    search.select(format!("SELECT approval_id, {words} FROM approval_request"));
    let bad = matches!(query.outcome, Some(OutcomeKind::Failed | OutcomeKind::Unknown));
    // What is rarest leads, by an index of its own: an account, a bad end, a tool. The others only look at what it gives.
    let by_account = !query.accounts.is_empty();
    let several_tools = !by_account && !bad && tools.is_some_and(|tools| tools.len() > 1);
    let tenant = query.tenant.as_str().to_owned();
    let guards = by_account || several_tools;
    search.compare(if guards { GUARDED_TENANT } else { "tenant_id =" }, tenant.clone());
    if by_account {
        let tenant = search.place(tenant.clone());
        let accounts: Vec<String> =
            query.accounts.iter().map(|account| search.place(account.to_string())).collect();
        search.term(&format!(
            "approval_id IN (SELECT approval_id FROM request_account WHERE tenant_id = {tenant} AND account IN ({}))",
            accounts.join(", ")
        ));
    }
    if let Some(tools) = tools {
        let names: Vec<String> = tools.iter().map(|tool| search.place(tool.clone())).collect();
        let names = names.join(", ");
        if several_tools {
            let tenant = search.place(tenant);
            search.term(&format!(
                "approval_id IN (SELECT approval_id FROM approval_request AS named WHERE named.tenant_id = {tenant} \
                 AND named.full_name IN ({names}))"
            ));
        } else {
            let column = if by_account || bad { "full_name || ''" } else { "full_name" };
            search.term(&format!("{column} IN ({names})"));
        }
    }
    if let Some(outcome) = query.outcome {
        let column = if by_account || !bad { "outcome || ''" } else { "outcome" };
        if bad {
            // As the partial index has it.
            search.term("outcome <> 'succeeded'");
        }
        search.compare(&format!("{column} ="), outcome.name().to_owned());
    }
    search.one_of("status", query.statuses.iter().map(|status| status.name()));
    if let Some(since) = query.since {
        search.compare("approval_id >=", least(since - MADE_BEFORE));
        search.compare("opened_at >=", since.as_millis());
    }
    if let Some(before) = &query.before {
        search.compare("approval_id <", before.as_bytes().to_vec());
    }
    search.order("approval_id DESC", AUDIT_LOOKED_AT_MAX)
}

/// A term that is false only where a word is surely not there. Of each word the longest part in plain letters and digits is
/// looked for: any other character may stand there in another form.
fn words(search: &mut Search, words: &[String]) -> String {
    let plain = words
        .iter()
        .take(AUDIT_WORDS_MAX)
        .filter_map(|word| word.split(|c: char| !c.is_ascii_alphanumeric()).max_by_key(|part| part.len()));
    let terms: Vec<String> = plain
        .filter(|part| !part.is_empty())
        .map(|part| {
            let part = search.place(format!("%{part}%"));
            format!(
                "(body LIKE {part} OR code LIKE {part} OR EXISTS (SELECT 1 FROM proposal \
                 WHERE proposal.approval_id = approval_request.approval_id AND proposal.body LIKE {part}))"
            )
        })
        .collect();
    if terms.is_empty() { "1".to_owned() } else { terms.join(" AND ") }
}

/// The tenant's tools that somebody means: by the full name, by the name on any server, or by a pattern of either.
fn meant(connection: &Connection, tenant: &TenantId, wanted: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(TOOLS).on(TABLE)?;
    let mut rows = statement.query(params![tenant.as_str(), TOOLS_MAX]).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        let name = column_text(row, 0, TABLE)?;
        let bare = name.split_once('/').map_or(name, |(_, tool)| tool);
        if matches(wanted, name) || matches(wanted, bare) {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

/// Whether a name is the pattern's, in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// What ran unasked, counted.
pub(crate) fn unasked(
    connection: &Connection,
    query: &UnaskedQuery,
) -> Result<Vec<UnaskedCount>, StoreError> {
    let mut statement = connection.prepare_cached(UNASKED).on(TABLE)?;
    let values =
        params![query.tenant.as_str(), query.since.as_millis(), query.until.as_millis(), query.limit];
    let mut rows = statement.query(values).on(TABLE)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        let tool = column_text(row, 0, TABLE)?.to_owned();
        let how = column_text(row, 1, TABLE)?;
        let how =
            Unasked::named(how).ok_or_else(|| inconsistent(TABLE, how, "there is no such way to run"))?;
        let outcome = match row
            .get_ref(2)
            .on(TABLE)?
            .as_str_or_null()
            .map_err(|error| inconsistent(TABLE, &tool, error))?
        {
            None => None,
            Some(name) => Some(
                OutcomeKind::named(name).ok_or_else(|| inconsistent(TABLE, name, "there is no such end"))?,
            ),
        };
        let count: i64 = row.get(3).on(TABLE)?;
        found.push(UnaskedCount { tool, how, outcome, count: u64::try_from(count).unwrap_or(0) });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("deploy", "deploy"),
            ("de*", "deploy"),
            ("*loy", "deploy"),
            ("d*p*y", "deploy"),
            ("*", "x"),
            ("a*a", "aa"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("deploy", "deploys"), ("de*x", "deploy"), ("", "deploy"), ("a*a", "a"), ("d?", "de")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
