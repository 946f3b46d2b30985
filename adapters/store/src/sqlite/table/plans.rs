//! Which index each search uses: none walks through a table that only grows.

use placet::approval::Status;
use placet::call::CallDigest;
use placet::id::{RequestId, TenantId};
use placet::ports::{EventQuery, RequestQuery};
use placet::record::Seq;
use placet::time::Timestamp;
use rusqlite::Connection;
use rusqlite::types::Value;

use super::{audit, event, hold, recent, remembered, request};

/// The plan of a statement, in SQLite's words.
fn plan((sql, values): (String, Vec<Value>)) -> String {
    let mut connection = Connection::open_in_memory().unwrap();
    crate::sqlite::migration::run(&mut connection, Timestamp::from_millis(0)).unwrap();
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let rows =
        statement.query_map(rusqlite::params_from_iter(values), |row| row.get::<_, String>(3)).unwrap();
    rows.map(Result::unwrap).collect::<Vec<_>>().join("; ")
}

#[test]
fn events_are_found_by_request_by_tenant_or_by_number() {
    let id = RequestId::from_bytes([1; 16]);
    let all = EventQuery { tenant: None, request: None, after: Seq(7), types: Vec::new(), limit: 9 };
    let tenant = Some(TenantId::new("acme").unwrap());
    let of = |tenant: &Option<TenantId>, request, types| {
        plan(event::search(&EventQuery { tenant: tenant.clone(), request, types, ..all.clone() }))
    };
    let types = vec!["approval.decided", "approval.expired"];
    let by_request = "SEARCH event USING INDEX event_of_request (approval_id=? AND seq>?)";
    assert_eq!(of(&tenant, Some(id), Vec::new()), by_request);
    assert_eq!(of(&None, Some(id), types.clone()), by_request);
    let by_tenant = "SEARCH event USING INDEX event_of_tenant (tenant_id=? AND seq>?)";
    assert_eq!(of(&tenant, None, Vec::new()), by_tenant);
    assert_eq!(of(&tenant, None, types), by_tenant);
    let by_number = "SEARCH event USING INTEGER PRIMARY KEY (rowid>?)";
    assert_eq!(of(&None, None, Vec::new()), by_number);
    assert_eq!(plan((event::TIME_OF.to_owned(), vec![Value::Integer(7)])), by_number);
}

/// Alarms are counted from the few rows that have any.
#[test]
fn alarms_are_counted_from_their_index() {
    let plan = plan((request::ALARMS.to_owned(), vec![Value::Integer(7)]));
    assert_eq!(plan.matches("USING COVERING INDEX approval_request_alarms (over_at").count(), 2, "{plan}");
    assert!(!plan.contains("SCAN approval_request"), "{plan}");
}

#[test]
fn requests_are_found_by_what_is_rarest() {
    let acme =
        RequestQuery { tenant: Some(TenantId::new("acme").unwrap()), limit: 9, ..RequestQuery::default() };
    let code = Some(placet::id::ShortCode::of(RequestId::from_bytes([1; 16]), 0));
    let of = |query: RequestQuery| plan(request::search(&query, false));
    let waiting = vec![Status::WaitingApproval];
    let search = "SEARCH approval_request USING INDEX approval_request_";
    assert_eq!(of(acme.clone()), format!("{search}of_tenant (tenant_id=?)"));
    assert_eq!(of(RequestQuery { statuses: waiting, ..acme.clone() }), format!("{search}open (tenant_id=?)"));
    let digest = Some(CallDigest::from_bytes([1; 32]));
    assert_eq!(of(RequestQuery { digest, ..acme.clone() }), format!("{search}digest (digest=?)"));
    let run = Some(placet::id::RunId::new("r1").unwrap());
    let by_run = RequestQuery { run, ..acme.clone() };
    assert_eq!(of(by_run.clone()), format!("{search}of_run (run_id=? AND tenant_id=?)"));
    assert_eq!(
        of(RequestQuery { tenant: None, ..by_run }),
        format!("{search}of_run (run_id=?); USE TEMP B-TREE FOR ORDER BY")
    );
    let by_code = RequestQuery { code, ..acme };
    assert_eq!(of(by_code.clone()), format!("{search}of_tenant (tenant_id=?)"));
    assert_eq!(plan(request::search(&by_code, true)), format!("{search}open_code (code=?)"));
}

/// What an agent did lately is counted without looking at a single request.
#[test]
fn what_happened_lately_is_counted_from_indexes() {
    let plan = |sql: &str, texts: usize| {
        let values = (0..texts).map(|_| Value::Text("x".to_owned())).collect();
        plan((sql.to_owned(), values))
    };
    let search = "SEARCH approval_request USING COVERING INDEX approval_request_";
    for (sql, values, index) in [
        (recent::CALLS, 5, "of_agent (tenant_id=? AND agent_id=? AND full_name=? AND approval_id>?)"),
        (recent::CARDS, 4, "asked (tenant_id=? AND agent_id=? AND approval_id>?)"),
        (recent::SAME, 3, "digest (digest=? AND approval_id>?)"),
        (recent::DENIED, 3, "denied (digest=? AND approval_id>?)"),
        (recent::OF_RUN, 4, "of_run (run_id=? AND tenant_id=?)"),
        (recent::OF_RUN_SINCE, 5, "of_run (run_id=? AND tenant_id=? AND approval_id>?)"),
    ] {
        let plan = plan(sql, values);
        assert!(plan.contains(&format!("{search}{index}")), "{plan}");
    }
}

/// What is looked at before people are asked is found by the call itself, and what gathers by its time.
#[test]
fn what_stands_in_the_way_of_a_card_is_found_by_the_call() {
    let texts = |count: usize| (0..count).map(|_| Value::Text("x".to_owned())).collect();
    let search = "SEARCH approval_request USING INDEX approval_request_";
    let waiting = plan((request::WAITING.to_owned(), texts(4)));
    assert_eq!(waiting, format!("{search}waiting (digest=? AND run_id=?)"));
    assert_eq!(plan((request::NEWEST.to_owned(), texts(3))), format!("{search}digest (digest=?)"));
    assert_eq!(plan((request::NEWEST_NO.to_owned(), texts(2))), format!("{search}denied (digest=?)"));
    let stopped = plan((hold::LAST_STOPPED.to_owned(), texts(2)));
    assert_eq!(stopped, "SEARCH hold USING INDEX hold_standing (tenant_id=? AND agent_id=?)");
    let gathering = plan((request::GATHERING.to_owned(), texts(4)));
    assert_eq!(gathering, format!("{search}gathering (tenant_id=? AND agent_id=? AND gathers_until>?)"));
    let lifted = plan((hold::LAST_LIFTED.to_owned(), texts(3)));
    assert!(
        lifted.contains("hold_lifted (tenant_id=? AND agent_id=? AND run_id=? AND lifted_at>?)"),
        "{lifted}"
    );
}

/// R33: each search of the audit is led by what is rarest, and walks ids downwards without sorting; what ran unasked is
/// counted without reading a single request.
#[test]
fn the_audit_is_searched_by_what_is_rarest() {
    use placet::approval::OutcomeKind;
    use placet::ports::AuditQuery;
    let acme = AuditQuery::of(TenantId::new("acme").unwrap(), 9);
    let of = |query: &AuditQuery, tools: Option<&[String]>| plan(audit::search(query, tools));
    let tools = ["deploy".to_owned(), "send".to_owned()];
    let search = "SEARCH approval_request USING INDEX approval_request_";
    let covered = "SEARCH approval_request USING COVERING INDEX approval_request_of_tenant (tenant_id=?)";
    assert_eq!(of(&acme, None), covered);
    let since = AuditQuery { since: Some(Timestamp::from_millis(9_000_000)), ..acme.clone() };
    assert_eq!(of(&since, None), format!("{search}of_tenant (tenant_id=? AND approval_id>?)"));
    let index = "SEARCH approval_request USING COVERING INDEX approval_request_";
    assert_eq!(of(&acme, Some(&tools[..1])), format!("{index}of_tool (tenant_id=? AND full_name=?)"));
    let ended = AuditQuery { outcome: Some(OutcomeKind::Unknown), ..acme.clone() };
    assert_eq!(of(&ended, Some(&tools)), format!("{search}ended_badly (tenant_id=? AND outcome=?)"));
    let by_id = "SEARCH approval_request USING INDEX sqlite_autoindex_approval_request_1 (approval_id=?)";
    let account = placet::person::Identity::slack("T1", "U1").unwrap();
    let accounts = AuditQuery { accounts: vec![account.clone(), account], ..acme.clone() };
    for (plan, inner) in [
        (of(&accounts, Some(&tools)), "SEARCH request_account USING PRIMARY KEY (tenant_id=? AND account=?)"),
        (
            of(&acme, Some(&tools)),
            "SEARCH named USING COVERING INDEX approval_request_of_tool (tenant_id=? AND full_name=?)",
        ),
    ] {
        assert!(plan.contains(by_id) && plan.contains(inner), "{plan}");
        assert!(!plan.contains("ORDER BY") && !plan.contains("SCAN"), "{plan}");
    }
    let texts = |count: usize| (0..count).map(|_| Value::Text("x".to_owned())).collect();
    let counted = plan((audit::UNASKED.to_owned(), texts(4)));
    assert!(
        counted.contains(
            "USING COVERING INDEX approval_request_unasked (tenant_id=? AND ran_at>? AND ran_at<?)"
        ),
        "{counted}"
    );
    let named = plan((audit::TOOLS.to_owned(), texts(2)));
    assert!(
        named.contains("USING COVERING INDEX approval_request_of_tool (tenant_id=? AND full_name>?)"),
        "{named}"
    );
}

/// A claim finds the holds that cover it by their names, and a remembered yes by its own.
#[test]
fn what_a_claim_looks_at_is_found_by_name() {
    let texts = |count: usize| (0..count).map(|_| Value::Text("x".to_owned())).collect();
    let names = "(tenant_id=? AND agent_id=? AND tool_name=? AND run_id=?)";
    let covering = plan((hold::COVERING.to_owned(), texts(4)));
    assert_eq!(covering, format!("SEARCH hold USING INDEX hold_standing {names}"));
    let covered = plan((hold::COVERED.to_owned(), texts(6)));
    let due = "SEARCH approval_request USING INDEX approval_request_due (due_at>?)";
    assert!(
        covered.starts_with(due),
        "what could be started is looked through, and not all there was: {covered}"
    );
    let query = |session| placet::ports::RememberedQuery {
        tenant: TenantId::new("acme").unwrap(),
        session,
        standing_at: Some(Timestamp::from_millis(7)),
        before: None,
        limit: 9,
    };
    let of_session = (placet::id::AgentId::new("a").unwrap(), placet::id::SessionId::new("s").unwrap());
    let search = "SEARCH remembered USING INDEX remembered_of_";
    let found = plan(remembered::search(&query(Some(of_session))));
    assert_eq!(found, format!("{search}session (tenant_id=? AND agent_id=? AND session_id=?)"));
    assert_eq!(plan(remembered::search(&query(None))), format!("{search}tenant (tenant_id=?)"));
    let tenants = plan((event::TENANTS.to_owned(), Vec::new()));
    assert!(tenants.contains("SEARCH event USING COVERING INDEX event_of_tenant (tenant_id>?)"), "{tenants}");
}
