//! Rows that cannot exist: refused when they are written, found when they are read.

use placet::approval::{Command, Facts, Order, Rendering};
use placet::ports::{EventQuery, RequestQuery, Store, StoreError};
use placet::record::Seq;
use placet::time::Ttl;
use placet_store::SqliteStore;
use rusqlite::Connection;

use crate::engine::{Engine, Sqlite};
use crate::fixture::*;
use crate::sqlite::{desk, populate};

/// House rule 10: a row that cannot exist is an error when it is read, in whichever column it lies.
#[tokio::test]
async fn a_row_that_cannot_exist_is_an_error() {
    let cases = [
        ("approval_request", "UPDATE approval_request SET tenant_id = 'globex'"),
        ("approval_request", "UPDATE approval_request SET code = 'AAAA-AA' WHERE rowid = 1"),
        (
            "approval_request",
            "UPDATE approval_request SET status = 'executing' WHERE status = 'waiting_approval'",
        ),
        ("approval_request", "UPDATE approval_request SET due_at = due_at + 1"),
        ("approval_request", "UPDATE approval_request SET version = version + 1"),
        ("approval_request", "UPDATE approval_request SET digest = zeroblob(32)"),
        ("approval_request", "UPDATE approval_request SET args_hash = zeroblob(32)"),
        ("approval_request", "UPDATE approval_request SET requested_by = 'somebody else'"),
        ("approval_request", "UPDATE approval_request SET risk_level = 'low'"),
        (
            "approval_request",
            "UPDATE approval_request SET body = replace(body, 'waiting_approval', 'approved')",
        ),
        ("approval_request", "UPDATE approval_request SET body = '{}'"),
        ("event", "UPDATE event SET type = 'vote.cast' WHERE seq = 3"),
        ("event", "UPDATE event SET tenant_id = 'globex'"),
        ("event", "UPDATE event SET at = at + 1"),
        ("event", "UPDATE event SET texts = replace(texts, 'because it is ready', 'because I say so')"),
        ("event", "UPDATE event SET leaf = CAST(replace(CAST(leaf AS TEXT), 'acme', 'acne') AS BLOB)"),
        ("card", "UPDATE card SET wanted = wanted + 1"),
        ("card", "UPDATE card SET due_at = NULL"),
        ("inbox", "UPDATE inbox SET tenant_id = 'globex'"),
        ("outbox", "UPDATE outbox SET tenant_id = 'globex'"),
        ("outbox", "UPDATE outbox SET body = '[]'"),
        ("credential", "UPDATE credential SET revoked_at = 1"),
        ("agent_run", "UPDATE agent_run SET session_id = char(7)"),
        ("command", "UPDATE command SET result = '{}'"),
        ("command", "UPDATE command SET version = version + 100"),
    ];
    for (table, damage) in cases {
        let engine = Sqlite::new();
        let desk = desk(&engine);
        let approval = populate(&desk).await;
        let order = replayed(&desk, &approval).await;
        engine.close();
        let changed = Connection::open(engine.path()).unwrap().execute(damage, []).unwrap();
        assert!(changed > 0, "{damage}");
        let store = engine.open(&desk.setting);
        let error = read_all(&*store, &desk, order).await.expect_err(damage);
        assert!(
            matches!(&error, StoreError::Inconsistent { table: found, .. } if *found == table),
            "{damage}: {error:?}"
        );
    }
}

/// An order whose answer is there to be given again.
async fn replayed(desk: &Desk, approval: &placet::approval::Approval) -> Order {
    let shown = placet::call::ShownDigest::of(b"asked for twice");
    let show = Command::Show(Rendering { shown, surface: slack(), full: false, viewer: None, covers: 0 });
    let mut order = Order::new(acme(), approval.id, show, Facts::none(desk.now()));
    order.command_id = Some(desk.command_id());
    desk.store.execute(order.clone()).await.unwrap();
    order
}

/// Reads every table once.
async fn read_all(store: &dyn Store, desk: &Desk, order: Order) -> Result<(), StoreError> {
    let (id, later) = (order.id, desk.now() + Ttl::from_mins(99));
    store.list(RequestQuery { limit: 100, ..RequestQuery::default() }).await?;
    let query = EventQuery { tenant: None, request: None, after: Seq(0), types: vec![], limit: 100 };
    store.events(query).await?;
    store.cards_of(&acme(), id).await?;
    store.cards_due(later, 10).await?;
    store.undone(10).await?;
    store.take_messages(later, later, 10).await?;
    store.credentials(None).await?;
    store.unfinished_runs().await?;
    store.execute(order).await?;
    Ok(())
}

/// House rule 10: nor can most of them be written, by whatever program.
#[tokio::test]
async fn the_schema_refuses_rows_that_cannot_exist() {
    let engine = Sqlite::new();
    populate(&desk(&engine)).await;
    engine.close();
    let raw = Connection::open(engine.path()).unwrap();
    raw.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    for wrong in [
        "UPDATE approval_request SET status = 'allowed'",
        "UPDATE approval_request SET due_at = NULL WHERE status = 'waiting_approval'",
        "UPDATE approval_request SET status = 'rejected' WHERE due_at IS NOT NULL",
        "UPDATE approval_request SET risk_level = NULL",
        "UPDATE approval_request SET run_id = NULL",
        "UPDATE approval_request SET approval_id = x'00'",
        "UPDATE approval_request SET digest = x'00'",
        "UPDATE approval_request SET version = 0",
        "UPDATE approval_request SET opened_at = 'yesterday'",
        "UPDATE approval_request SET code = '7Q4K-2M'",
        "DELETE FROM approval_request",
        "UPDATE event SET seq = 0 WHERE seq = 1",
        "UPDATE event SET seq = 2 WHERE seq = 1",
        "UPDATE event SET leaf = x''",
        "INSERT INTO log_head VALUES (2, 1)",
        "UPDATE outbox SET due_at = NULL",
        "UPDATE credential SET secret_hash = x'00'",
        "UPDATE session_event SET number = 0",
    ] {
        let error = raw.execute(wrong, []).expect_err(wrong);
        let code = error.sqlite_error_code();
        assert_eq!(code, Some(rusqlite::ErrorCode::ConstraintViolation), "{wrong}: {error}");
    }
}

/// Events cut off at the end are missed when the file is opened.
#[tokio::test]
async fn a_record_cut_off_at_its_end_is_refused() {
    let engine = Sqlite::new();
    let desk = desk(&engine);
    desk.asks("v42", 1).await;
    engine.close();
    let raw = Connection::open(engine.path()).unwrap();
    raw.execute_batch("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)").unwrap();
    let error = SqliteStore::open(engine.path(), Sqlite::options(&desk.setting)).err().unwrap();
    assert!(matches!(error, StoreError::Inconsistent { table: "log_head", .. }), "{error}");
}
