//! Rows that cannot exist: refused when they are written, found when they are read.

use placet::approval::{Command, Facts, Order, Rendering};
use placet::id::RequestId;
use placet::ports::{EventQuery, RequestQuery, Store, StoreError};
use placet::record::Seq;
use placet::time::Ttl;
use placet_store::SqliteStore;
use rusqlite::Connection;

use crate::engine::{Engine, Sqlite};
use crate::fixture::*;
use crate::remembered::{all, forgotten};
use crate::rest::credential;
use crate::sqlite::{act, desk, populate};

/// House rule 10: a row that cannot exist is an error when it is read, in whichever column it lies.
#[tokio::test]
async fn a_row_that_cannot_exist_is_an_error() {
    let cases = [
        ("approval_request", "UPDATE approval_request SET tenant_id = 'globex'"),
        ("approval_request", "UPDATE approval_request SET code = 'AAAA-AA' WHERE rowid = 1"),
        (
            "approval_request",
            "UPDATE approval_request SET status = 'executing' WHERE status = 'waiting_approval' \
             AND gathers_until IS NULL",
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
        ("approval_request", "UPDATE approval_request SET agent_id = 'another'"),
        ("approval_request", "UPDATE approval_request SET full_name = 'prod/deploy'"),
        (
            "approval_request",
            "UPDATE approval_request SET asked = 0 WHERE status = 'waiting_approval' AND gathers_until IS NULL \
             AND asked = 1",
        ),
        ("approval_request", "UPDATE approval_request SET gathers_until = gathers_until + 1"),
        ("approval_request", "UPDATE approval_request SET asked = 1 WHERE risk_level = 'low'"),
        ("proposal", "DELETE FROM proposal"),
        ("approval_request", "UPDATE proposal SET body = '{}'"),
        ("hold", "UPDATE hold SET tenant_id = 'globex'"),
        ("hold", "UPDATE hold SET tool_name = 'harmless'"),
        ("hold", "UPDATE hold SET scope = 'all', tool_name = ''"),
        ("hold", "UPDATE hold SET lifted_at = since"),
        ("hold", "UPDATE hold SET body = replace(body, 'another', 'a_third')"),
        ("remembered", "UPDATE remembered SET tenant_id = 'globex'"),
        ("remembered", "UPDATE remembered SET agent_id = 'another'"),
        ("remembered", "UPDATE remembered SET session_id = 's2'"),
        ("remembered", "UPDATE remembered SET until = until + 1"),
        ("remembered", "UPDATE remembered SET forgotten_at = since"),
        ("remembered", "UPDATE remembered SET approval_id = (SELECT min(approval_id) FROM approval_request)"),
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
        let remembered = desk.store.remembered(all()).await.unwrap()[0].id;
        engine.close();
        let changed = Connection::open(engine.path()).unwrap().execute(damage, []).unwrap();
        assert!(changed > 0, "{damage}");
        let store = engine.open(&desk.setting);
        let error = read_all(&*store, &desk, (order, remembered)).await.expect_err(damage);
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
async fn read_all(
    store: &dyn Store,
    desk: &Desk,
    (order, remembered): (Order, RequestId),
) -> Result<(), StoreError> {
    let id = order.id;
    store.list(RequestQuery { limit: 100, ..RequestQuery::default() }).await?;
    let query = EventQuery { tenant: None, request: None, after: Seq(0), types: vec![], limit: 100 };
    store.events(query).await?;
    store.cards_of(&acme(), id).await?;
    store.holds(every_hold(10)).await?;
    store.remembered(all()).await?;
    store.forget(&acme(), remembered, forgotten(desk)).await?;
    store.credentials(None).await?;
    store.unfinished_runs().await?;
    store.execute(order).await?;
    Ok(())
}

/// A row of a queue that cannot be read is set aside with the reason, and holds up nothing that comes after it; a
/// delivery that comes again is worked off after all.
#[tokio::test]
async fn what_cannot_be_read_holds_up_nothing() {
    let engine = Sqlite::new();
    let desk = desk(&engine);
    let approval = desk.asks("v42", 2).await;
    let other = desk.opens(desk.risky("v43", 1)).await;
    let mut deliveries = Vec::new();
    for number in 1..=3 {
        desk.setting.clock.passes(Ttl::from_secs(1));
        let delivery = desk.inbound(&approval, &format!("slack:{number}"), act());
        desk.store.deliver(delivery.clone()).await.unwrap();
        deliveries.push(delivery);
    }
    desk.refuses(&approval, "viewer").await;
    desk.setting.clock.passes(Ttl::from_secs(1));
    desk.refuses(&approval, "mallory").await;
    engine.close();
    let raw = Connection::open(engine.path()).unwrap();
    raw.execute_batch("UPDATE inbox SET body = '{}' WHERE delivery_key < 'slack:3'").unwrap();
    raw.execute_batch("UPDATE outbox SET tenant_id = 'globex' WHERE message_number = 1").unwrap();
    raw.execute("UPDATE card SET wanted = 99 WHERE approval_id = ?1", [approval.id.as_bytes()]).unwrap();
    let store = engine.open(&desk.setting);
    for limit in [1, 10] {
        assert_eq!(store.undone(limit).await.unwrap(), deliveries[2..], "however few are asked for");
    }
    let later = desk.now() + Ttl::from_secs(30);
    let messages = store.take_messages(desk.now(), later, 10).await.unwrap();
    assert_eq!(messages.len(), 1);
    let cards = store.cards_due(desk.now(), 1).await.unwrap();
    assert_eq!(cards.iter().map(|card| card.request).collect::<Vec<_>>(), [other.id]);
    let why: Vec<String> = {
        let mut kept = raw.prepare("SELECT set_aside_why FROM inbox WHERE done_at IS NOT NULL").unwrap();
        kept.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert!(why.len() == 2 && why.iter().all(|why| why.contains("missing field")), "{why:?}");
    let dropped: String = raw
        .query_row("SELECT dropped_why FROM outbox WHERE message_number = 1", [], |row| row.get(0))
        .unwrap();
    assert!(dropped.contains("tell different things"), "{dropped}");
    drop(raw);
    assert!(store.deliver(deliveries[0].clone()).await.unwrap(), "it is new: the first was never read");
    assert!(!store.deliver(deliveries[0].clone()).await.unwrap());
    let readable = [deliveries[0].clone(), deliveries[2].clone()];
    assert_eq!(store.undone(10).await.unwrap(), readable);
    // Long after, what was set aside goes too.
    desk.setting.clock.passes(Ttl::from_mins(4 * 24 * 60));
    let kept = async || {
        store.add_credential(credential(&desk, &format!("key-{}", desk.now().as_millis()))).await.unwrap();
        let raw = Connection::open(engine.path()).unwrap();
        let count = "SELECT count(*) FROM inbox WHERE set_aside_why IS NOT NULL";
        raw.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(kept().await, 1);
    desk.setting.clock.passes(Ttl::from_mins(30 * 24 * 60));
    assert_eq!(kept().await, 0);
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
        "UPDATE approval_request SET agent_id = ''",
        "UPDATE approval_request SET asked = 2",
        "UPDATE approval_request SET gathers_until = 1 WHERE status <> 'waiting_approval'",
        "UPDATE approval_request SET rejected_by = NULL WHERE status = 'rejected'",
        "UPDATE approval_request SET rejected_by = 'votes' WHERE status = 'waiting_approval'",
        "UPDATE approval_request SET rejected_by = 'somebody' WHERE status = 'rejected'",
        "UPDATE hold SET scope = 'everything'",
        "UPDATE hold SET scope = 'all'",
        "UPDATE hold SET tool_name = ''",
        "UPDATE hold SET run_id = 'r1'",
        "UPDATE hold SET agent_id = 'cleaner'",
        "INSERT INTO hold SELECT zeroblob(16), tenant_id, scope, agent_id, tool_name, run_id, since, NULL, body, NULL FROM hold",
        "UPDATE hold SET redraws_after = x'00'",
        "UPDATE remembered SET until = since - 1",
        "UPDATE remembered SET session_id = ''",
        "UPDATE remembered SET approval_id = zeroblob(16)",
        "UPDATE inbox SET done_at = NULL, set_aside_why = 'unreadable'",
        "UPDATE inbox SET set_aside_why = ''",
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
