//! What only the file shows: batches, the lock, migrations, rows that cannot exist.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use placet::approval::{Command, Decision, Order};
use placet::ports::{EventQuery, RequestQuery, RequestStore, Store, StoreError};
use placet::record::Seq;
use placet_store::{Access, CommitPoint, CommitProbe, Hint, Moment, ProbeVerdict, SqliteStore};
use rusqlite::Connection;

use crate::engine::{Engine, Setting, Sqlite};
use crate::fixture::*;
use crate::rest::{credential, run};

fn desk(engine: &Sqlite) -> Desk {
    let setting = Setting::new();
    Desk { store: engine.open(&setting), setting }
}

/// Holds the first commit until the queue behind it is long.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: std::sync::Condvar,
    batches: Mutex<Vec<usize>>,
}

impl Gate {
    fn lift(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

impl CommitProbe for Gate {
    fn at(&self, point: CommitPoint<'_>) -> ProbeVerdict {
        if point.moment == Moment::Before {
            self.batches.lock().unwrap().push(point.boundaries.len());
            let open = self.open.lock().unwrap();
            drop(self.opened.wait_timeout_while(open, Duration::from_secs(20), |open| !*open).unwrap());
        }
        ProbeVerdict::Go
    }
}

/// Whoever waits while a commit is written shares the next one; a job that fails leaves the others whole.
#[tokio::test]
async fn one_commit_for_all_that_queued_up() {
    let engine = Sqlite::new();
    let gate = Arc::new(Gate::default());
    let mut setting = Setting::new();
    setting.probe = Arc::clone(&gate) as _;
    let options = Sqlite::options(&setting);
    let store = SqliteStore::open(engine.path(), options).unwrap();
    let hints = Arc::new(Mutex::new(Vec::<Hint>::new()));
    let heard = Arc::clone(&hints);
    store.set_hint(Arc::new(move |hint| heard.lock().unwrap().push(hint.clone())));
    let desk = Desk { store: Arc::new(store.clone()), setting };
    let mut tasks = Vec::new();
    let mut spawn = |opening| {
        let store = store.clone();
        tasks.push(tokio::spawn(async move { store.open(opening).await }));
    };
    spawn(desk.harmless("first"));
    while gate.batches.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    for n in 0..40 {
        let judgement = Command::Require { verdict: verdict(placet::policy::Tier::Approve, None) };
        spawn(if n % 4 == 3 { desk.opening("wrong", judgement) } else { desk.harmless(&format!("v{n}")) });
    }
    // Reading does not wait for the writer.
    assert!(store.list(RequestQuery { limit: 9, ..RequestQuery::default() }).await.unwrap().is_empty());
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    gate.lift();
    let mut failed = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => {}
            Err(StoreError::Contradiction(_)) => failed += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(failed, 10);
    let stats = store.stats();
    assert_eq!((stats.commits, stats.jobs, stats.batch_max), (2, 41, 40));
    assert!((stats.mean_batch() - 20.5).abs() < f64::EPSILON);
    let record = desk.record().await;
    assert_eq!(record.len(), 31 * 3);
    assert!(record.iter().zip(1..).all(|((seq, _), n)| seq.0 == n), "no gap where a job failed");
    let hints = hints.lock().unwrap();
    let told: Vec<_> = hints.iter().map(|hint| (hint.requests.len(), hint.head)).collect();
    assert_eq!(told, [(1, Some(Seq(3))), (30, Some(Seq(93)))]);
}

/// A queue that is full says so at once.
#[tokio::test]
async fn a_full_queue_is_unavailable() {
    let engine = Sqlite::new();
    let gate = Arc::new(Gate::default());
    let mut setting = Setting::new();
    setting.probe = Arc::clone(&gate) as _;
    let desk = Desk { store: engine.open(&setting), setting };
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..5_000 {
        let inbound = desk.inbound(&approval_of(&desk), &format!("slack:{n}"), act());
        let store = Arc::clone(&desk.store);
        tasks.spawn(async move { store.deliver(inbound).await });
        if n == 0 {
            while gate.batches.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
        }
    }
    // One in the commit, 4096 in the queue, and no room for the rest.
    for _ in 4097..5_000 {
        let refused = tasks.join_next().await.unwrap().unwrap();
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    }
    gate.lift();
    let mut kept = 0;
    while let Some(done) = tasks.join_next().await {
        kept += usize::from(done.unwrap().is_ok());
    }
    assert_eq!(kept, 4097, "what was accepted is kept");
}

fn act() -> placet::inbound::Act {
    placet::inbound::Act::TakeBack { identity: account("alice") }
}

/// A request that need not be there.
fn approval_of(desk: &Desk) -> placet::approval::Approval {
    let opening = desk.risky("v42", 1);
    let code = placet::id::ShortCode::of(opening.id, 0);
    placet::approval::Approval::propose(opening.id, &acme(), code, opening.proposal, desk.now())
        .into_parts()
        .0
}

/// Closing and opening keeps everything.
#[tokio::test]
async fn reopening_the_file_keeps_all() {
    let engine = Sqlite::new();
    let first = desk(&engine);
    let approval = populate(&first).await;
    let before = everything(&first).await;
    engine.close();
    let again = Desk { store: engine.open(&first.setting), setting: first.setting.clone() };
    assert_eq!(everything(&again).await, before);
    again.must_rebuild(&approval).await;
    let next = again.opens(again.harmless("v43")).await;
    again.must_rebuild(&next).await;
}

/// The epoch is made once, and differs from installation to installation.
#[test]
fn the_epoch_is_made_once() {
    let (engine, other) = (Sqlite::new(), Sqlite::new());
    let setting = Setting::new();
    let open = |engine: &Sqlite| {
        SqliteStore::open(engine.path(), Sqlite::options(&setting)).unwrap().epoch().to_owned()
    };
    let epoch = open(&engine);
    assert_eq!(epoch.len(), 32);
    assert_eq!(open(&engine), epoch);
    assert_ne!(open(&other), epoch);
}

/// A row in every table.
pub(crate) async fn populate(desk: &Desk) -> placet::approval::Approval {
    desk.store.add_credential(credential(desk, "agent-key")).await.unwrap();
    desk.store.save_run(run(desk, "r1"), vec!["{}".to_owned()]).await.unwrap();
    let approval = desk.posts("v42").await;
    desk.refuses(&approval, "viewer").await;
    let mut opening = desk.risky("v43", 1);
    opening.key = Some(key("k1"));
    desk.opens(opening).await;
    let command = Command::Vote(ballot("alice", Decision::Approve));
    let mut order = Order::new(acme(), approval.id, command, facts(desk, &["alice"]));
    order.command_id = Some(desk.command_id());
    desk.store.execute(order).await.unwrap();
    desk.store.deliver(desk.inbound(&approval, "slack:1", act())).await.unwrap();
    approval
}

pub(crate) async fn everything(desk: &Desk) -> String {
    let store = &*desk.store;
    let all = RequestQuery { limit: 100, ..RequestQuery::default() };
    let requests = store.list(all).await.unwrap();
    let cards = store.cards_due(desk.now() + placet::time::Ttl::from_mins(99), 10).await.unwrap();
    let found = store.card_at(&acme(), &message("v42")).await.unwrap();
    let credentials = store.credentials(None).await.unwrap();
    let (runs, undone) = (store.unfinished_runs().await.unwrap(), store.undone(10).await.unwrap());
    let record = desk.record().await;
    format!("{requests:?}{cards:?}{found:?}{credentials:?}{runs:?}{undone:?}{record:?}")
}

/// What a newer version wrote is left alone, and whoever starts the older one is told what to do.
#[tokio::test]
async fn a_newer_schema_is_refused() {
    let engine = Sqlite::new();
    let desk = desk(&engine);
    engine.close();
    let raw = Connection::open(engine.path()).unwrap();
    let newer = "INSERT INTO schema_migration VALUES (99, 'later', zeroblob(32), 0)";
    raw.execute_batch(newer).unwrap();
    let error = SqliteStore::open(engine.path(), Sqlite::options(&desk.setting)).err().unwrap();
    assert!(error.to_string().contains("start the newer version again"), "{error}");
    raw.execute_batch("DELETE FROM schema_migration WHERE number = 99").unwrap();
    raw.execute_batch("UPDATE schema_migration SET sha256 = zeroblob(32)").unwrap();
    let error = SqliteStore::open(engine.path(), Sqlite::options(&desk.setting)).err().unwrap();
    assert!(matches!(error, StoreError::Inconsistent { table: "schema_migration", .. }), "{error}");
}

/// One server at a time, unless both know of it; and no command behind a server's back.
#[tokio::test]
async fn the_file_is_locked() {
    let engine = Sqlite::new();
    let setting = Setting::new();
    let open = |access| SqliteStore::open(engine.path(), Sqlite::options(&setting).with_access(access));
    let server = open(Access::Server).unwrap();
    let command = open(Access::Command).err().unwrap().to_string();
    assert!(command.contains("through the server"), "{command}");
    assert!(open(Access::Server).is_err());
    assert!(open(Access::SharedServer).is_err());
    drop(server);
    let command = open(Access::Command).unwrap();
    assert!(open(Access::Server).is_err());
    command.close();
    assert!(!command.is_ready());
    let (one, two) = (open(Access::SharedServer).unwrap(), open(Access::SharedServer).unwrap());
    assert!(open(Access::Command).is_err());
    // Both write the same file, and neither loses or repeats a number.
    let one = Desk { store: Arc::new(one), setting: setting.clone() };
    let two = Desk { store: Arc::new(two), setting: setting.clone() };
    let approval = one.asks("v42", 2).await;
    let facts = facts(&one, &["alice", "bob"]);
    let vote = |name| Command::Vote(ballot(name, Decision::Approve));
    let (first, second) = tokio::join!(
        one.does(&approval, vote("alice"), facts.clone()),
        two.does(&approval, vote("bob"), facts.clone())
    );
    assert!(changed(&first) && changed(&second));
    assert_eq!(two.store.load(&acme(), approval.id).await.unwrap().votes.len(), 2);
    one.must_rebuild(&approval).await;
}

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
        ("command", "UPDATE command SET body = '{}'"),
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
    let mut order = Order::new(acme(), approval.id, Command::Tick, placet::approval::Facts::none(desk.now()));
    order.command_id = Some(desk.command_id());
    desk.store.execute(order.clone()).await.unwrap();
    order
}

/// Reads every table once.
async fn read_all(store: &dyn Store, desk: &Desk, order: Order) -> Result<(), StoreError> {
    let (id, later) = (order.id, desk.now() + placet::time::Ttl::from_mins(99));
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

/// Two open requests never have the same code; who is over gives it back.
#[tokio::test]
async fn an_open_code_is_taken_once() {
    let engine = Sqlite::new();
    let desk = desk(&engine);
    let opening = desk.risky("v42", 1);
    let (first, second) =
        (placet::id::ShortCode::of(opening.id, 0), placet::id::ShortCode::of(opening.id, 1));
    let other = desk.asks("v43", 1).await;
    engine.close();
    let raw = Connection::open(engine.path()).unwrap();
    let body = "UPDATE approval_request SET code = ?1, body = replace(body, ?2, ?1)";
    raw.execute(body, [first.as_str(), other.code.as_str()]).unwrap();
    drop(raw);
    let store = engine.open(&desk.setting);
    let placet::approval::Opened::New(approval) = store.open(opening).await.unwrap() else {
        panic!("not new")
    };
    assert_eq!(approval.code, second);
    let desk = Desk { store, setting: desk.setting };
    desk.must_rebuild(&approval).await;
}

/// What cannot be opened says why.
#[test]
fn what_cannot_be_opened_says_why() {
    let engine = Sqlite::new();
    let setting = Setting::new();
    std::fs::write(
        engine.path(),
        "this is not a database, but it is long enough to be looked at ".repeat(20),
    )
    .unwrap();
    assert!(SqliteStore::open(engine.path(), Sqlite::options(&setting)).is_err());
    let nowhere = engine.path().join("no such directory").join("placet.db");
    let error = SqliteStore::open(nowhere, Sqlite::options(&setting)).err().unwrap();
    assert!(error.to_string().contains("no such directory"), "{error}");
}

/// SQLite may give up a whole transaction, as on a full disk: then nobody in the batch is told that it was written.
#[tokio::test]
async fn a_transaction_that_is_lost_is_nobodys_success() {
    let engine = Sqlite::new();
    let setting = Setting::new();
    let desk = Desk { store: engine.open(&setting), setting };
    let raw = Connection::open(engine.path()).unwrap();
    let full = "CREATE TRIGGER full BEFORE INSERT ON inbox WHEN new.delivery_key = 'slack:last straw'
                BEGIN SELECT RAISE(ROLLBACK, 'full'); END";
    raw.execute_batch(full).unwrap();
    let approval = desk.asks("v42", 1).await;
    let before = desk.record().await.len();
    let straw = desk.store.deliver(desk.inbound(&approval, "slack:last straw", act()));
    let (opened, straw) = tokio::join!(desk.store.open(desk.harmless("v43")), straw);
    assert!(straw.is_err());
    // They shared a transaction, or they did not; in no case is there an answer without its rows.
    let written = desk.record().await.len() - before;
    assert_eq!(written, if opened.is_ok() { 3 } else { 0 });
    assert!(matches!(opened, Ok(_) | Err(StoreError::Unavailable(_))), "{opened:?}");
    let next = desk.opens(desk.harmless("v44")).await;
    desk.must_rebuild(&next).await;
}

/// A commit that fails for a reason that says nothing of what was written is unknown, and the store goes on.
#[tokio::test]
async fn a_commit_that_fails_is_unknown() {
    let engine = Sqlite::new();
    let setting = Setting::new();
    let desk = Desk { store: engine.open(&setting), setting };
    let raw = Connection::open(engine.path()).unwrap();
    raw.execute_batch(
        "CREATE TABLE promise (id INTEGER PRIMARY KEY, kept INTEGER REFERENCES promise (id) DEFERRABLE INITIALLY DEFERRED);
         CREATE TRIGGER broken AFTER INSERT ON inbox BEGIN INSERT INTO promise (kept) VALUES (99); END",
    )
    .unwrap();
    let approval = desk.asks("v42", 1).await;
    let lost = desk.store.deliver(desk.inbound(&approval, "slack:1", act())).await.unwrap_err();
    assert!(matches!(lost, StoreError::Unknown(_)), "{lost:?}");
    assert!(desk.store.undone(10).await.unwrap().is_empty());
    let next = desk.opens(desk.harmless("v44")).await;
    desk.must_rebuild(&next).await;
}

/// A source of chance that fails once.
struct Faulty(std::sync::atomic::AtomicBool);

impl placet::ports::Entropy for Faulty {
    fn fill(&self, bytes: &mut [u8]) {
        assert!(!self.0.swap(false, std::sync::atomic::Ordering::SeqCst), "a fault in the program");
        bytes.fill(7);
    }
}

/// A fault in one job is that job's alone.
#[tokio::test]
async fn a_job_that_panics_writes_nothing_and_stops_nobody() {
    let engine = Sqlite::new();
    let setting = Setting::new();
    let faulty = Arc::new(Faulty(false.into()));
    let mut options = Sqlite::options(&setting);
    options.entropy = Arc::clone(&faulty) as _;
    let desk = Desk { store: Arc::new(SqliteStore::open(engine.path(), options).unwrap()), setting };
    faulty.0.store(true, std::sync::atomic::Ordering::SeqCst);
    let opening = desk.risky("v42", 1);
    let failed = desk.store.open(opening.clone()).await.unwrap_err();
    assert!(matches!(failed, StoreError::Unavailable(_)), "{failed:?}");
    assert!(desk.record().await.is_empty());
    let approval = desk.opens(opening).await;
    desk.must_rebuild(&approval).await;
}
