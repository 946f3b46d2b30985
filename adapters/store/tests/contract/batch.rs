//! What only SQLite's writer shows: shared commits, a full queue, transactions that are lost.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use placet::approval::{Command, Decision, Opened, Order, Refusal, Rendering};
use placet::call::ShownDigest;
use placet::card::row::CardStep;
use placet::ports::{RequestQuery, RequestStore, StoreError};
use placet::record::Seq;
use placet::time::Ttl;
use placet_store::{CommitPoint, CommitProbe, Hint, Moment, ProbeVerdict, SqliteStore};
use rusqlite::Connection;

use crate::engine::{Engine, Setting, Sqlite};
use crate::fixture::*;
use crate::sqlite::act;

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

    fn shut(&self) {
        *self.open.lock().unwrap() = false;
        self.batches.lock().unwrap().clear();
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
    gate.lift();
    let asked = desk.asks("asked", 2).await;
    let stale = facts(&desk, &["alice"]);
    desk.setting.clock.passes(Ttl::from_secs(90));
    let (stats, events) = (store.stats(), desk.record().await.len());
    hints.lock().unwrap().clear();
    gate.shut();

    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let open = |opening| {
        let store = store.clone();
        tokio::spawn(async move { store.open(opening).await })
    };
    let execute = |order| {
        let store = store.clone();
        tokio::spawn(async move { store.execute(order).await })
    };
    good.push(open(desk.harmless("first")));
    while gate.batches.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    for n in 0..30 {
        good.push(open(desk.harmless(&format!("v{n}"))));
        if n % 3 == 0 {
            // Writes the request and an event, and only then finds that the card is not there.
            let other = ShownDigest::of(&[n]);
            let rendering =
                Rendering { shown: other, surface: slack(), full: false, viewer: None, covers: 0 };
            let mut order =
                desk.moving(&asked, Command::Show(rendering), CardStep::GiveUp { why: String::new() });
            order.card.as_mut().unwrap().place = elsewhere();
            bad.push(execute(order));
        }
    }
    let mut voting = Order::new(acme(), asked.id, Command::Vote(ballot("alice", Decision::Approve)), stale);
    voting.command_id = Some(desk.command_id());
    let stale = execute(voting.clone());
    // Reading does not wait for the writer.
    assert_eq!(
        store.list(RequestQuery { limit: 9, ..RequestQuery::default() }).await.unwrap(),
        std::slice::from_ref(&asked)
    );
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    gate.lift();
    for task in good {
        assert!(matches!(task.await.unwrap(), Ok(Opened::New(_))));
    }
    for task in bad {
        assert_eq!(task.await.unwrap().unwrap_err(), StoreError::CardMoved);
    }
    assert_eq!(refusal(&stale.await.unwrap().unwrap()), &Refusal::FactsStale);
    let shared = store.stats().since(&stats);
    assert_eq!((shared.commits, shared.jobs, shared.batch_max), (2, 42, 41));
    assert!((shared.mean_batch() - 21.0).abs() < f64::EPSILON);
    let told: Vec<_> = hints.lock().unwrap().iter().map(|hint| (hint.requests.len(), hint.head)).collect();
    let head = |new| Some(Seq(events as u64 + new));
    assert_eq!(told, [(1, head(3)), (30, head(93))]);
    assert_eq!(desk.record().await.len(), events + 93);
    assert_eq!(store.load(&acme(), asked.id).await.unwrap(), asked);
    desk.must_rebuild(&asked).await;
    voting.facts = facts(&desk, &["alice"]);
    assert!(changed(&store.execute(voting).await.unwrap()), "stale facts are no answer that is kept");
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

/// A request that need not be there.
fn approval_of(desk: &Desk) -> placet::approval::Approval {
    let opening = desk.risky("v42", 1);
    let code = placet::id::ShortCode::of(opening.id, 0);
    placet::approval::Approval::propose(opening.id, &acme(), code, opening.proposal, desk.now())
        .into_parts()
        .0
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
