//! What only the file shows: reopening, the epoch, the lock, what cannot be opened.

use std::collections::BTreeSet;
use std::sync::Arc;

use placet::approval::{Command, Decision, Order};
use placet::hold::HoldScope;
use placet::ports::{RequestQuery, StoreError};
use placet::time::Ttl;
use placet_store::{Access, SqliteStore};
use rusqlite::Connection;

use crate::engine::{Engine, Setting, Sqlite};
use crate::fixture::*;
use crate::rest::{credential, run};
use crate::standing::hold;

pub(crate) fn desk(engine: &Sqlite) -> Desk {
    let setting = Setting::new();
    Desk { store: engine.open(&setting), setting }
}

pub(crate) fn act() -> placet::inbound::Act {
    placet::inbound::Act::TakeBack { identity: account("alice"), sign: None }
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
    let lease = crate::tasks::leased_to(desk, 1);
    desk.store.take_task(crate::tasks::task(desk, "slack:task"), lease).await.unwrap();
    desk.store.keep_digest(crate::digests::row(desk, "2026-11-30"), Vec::new()).await.unwrap();
    let stop = hold(desk, None, HoldScope::Tool("another".to_owned()));
    desk.store.hold(stop).await.unwrap();
    desk.remembers("v44").await;
    desk.opens(desk.harmless("v45")).await;
    for tag in ["v48", "v49"] {
        desk.opens(desk.gathering(tag)).await;
    }
    desk.opens(desk.risky(&"v47".repeat(2800), 1)).await;
    let denied = desk.asks("v46", 1).await;
    desk.does(&denied, Command::Vote(ballot("alice", Decision::Deny)), facts(desk, &["alice"])).await;
    approval
}

pub(crate) async fn everything(desk: &Desk) -> String {
    let store = &*desk.store;
    let all = RequestQuery { limit: 100, ..RequestQuery::default() };
    let requests = store.list(all).await.unwrap();
    let cards = store.cards_due(desk.now() + Ttl::from_mins(99), 10).await.unwrap();
    let found = store.card_at(&acme(), &message("v42")).await.unwrap();
    let credentials = store.credentials(None).await.unwrap();
    let (runs, undone) = (store.unfinished_runs().await.unwrap(), store.undone(10).await.unwrap());
    let holds = store.holds(every_hold(10)).await.unwrap();
    let remembered = store.remembered(crate::remembered::all()).await.unwrap();
    let digests = store.digests().await.unwrap();
    let tasks = store.open_tasks(&crate::tasks::slack(), 10).await.unwrap();
    let record = desk.record().await;
    format!(
        "{digests:?}{tasks:?}{requests:?}{cards:?}{found:?}{credentials:?}{runs:?}{undone:?}{holds:?}{remembered:?}{record:?}"
    )
}

/// What was refused and what changed nothing is not kept under its command's id, and no request is kept twice.
#[tokio::test]
async fn commands_do_not_fill_the_disk() {
    let engine = Sqlite::new();
    let desk = desk(&engine);
    let approval = populate(&desk).await;
    for _ in 0..20 {
        for command in [Command::Tick, Command::Vote(ballot("viewer", Decision::Deny))] {
            let mut order = Order::new(acme(), approval.id, command, facts(&desk, &["alice"]));
            order.command_id = Some(desk.command_id());
            desk.store.execute(order).await.unwrap();
        }
    }
    engine.close();
    let raw = Connection::open(engine.path()).unwrap();
    let kept: i64 = raw.query_row("SELECT count(*) FROM command", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 1, "the one vote that counted");
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

/// One of two servers on a file learns that the other has committed, and is not woken by what it committed itself.
#[tokio::test]
async fn one_server_learns_of_the_others_commits() {
    let engine = Sqlite::new();
    let setting = Setting::new();
    let open = || {
        let options = Sqlite::options(&setting).with_access(Access::SharedServer);
        let store = SqliteStore::open(engine.path(), options).unwrap();
        (store.clone(), Desk { store: Arc::new(store), setting: setting.clone() })
    };
    let ((store, one), (_, other)) = (open(), open());
    assert!(store.is_shared());
    let before = store.committed_by_others().await.unwrap();
    one.asks("v42", 1).await;
    assert_eq!(store.committed_by_others().await.unwrap(), before, "its own");
    other.asks("v43", 1).await;
    let after = store.committed_by_others().await.unwrap();
    assert_ne!(after, before);
    assert_eq!(store.committed_by_others().await.unwrap(), after, "once");
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
    let wanted = format!("{} is not a SQLite database: name another file", engine.path().display());
    let error = SqliteStore::open(engine.path(), Sqlite::options(&setting)).err().unwrap();
    assert!(error.to_string().contains(&wanted), "{error}");
    assert!(placet_store::look_at(&engine.path()).unwrap_err().to_string().contains(&wanted));
    assert!(placet_store::RecordReader::open(&engine.path()).unwrap_err().to_string().contains(&wanted));
    let nowhere = engine.path().join("no such directory").join("placet.db");
    let error = SqliteStore::open(nowhere, Sqlite::options(&setting)).err().unwrap();
    assert!(error.to_string().contains("no such directory"), "{error}");
}

/// The database of another program is left as it is.
#[test]
fn what_belongs_to_another_program_is_not_touched() {
    let engine = Sqlite::new();
    let raw = Connection::open(engine.path()).unwrap();
    raw.execute_batch("CREATE TABLE bookmark (url TEXT)").unwrap();
    let setting = Setting::new();
    let error = SqliteStore::open(engine.path(), Sqlite::options(&setting)).err().unwrap();
    assert!(error.to_string().contains("it has a table bookmark, and none of Placet's"), "{error}");
    assert_eq!(placet_store::look_at(&engine.path()).unwrap_err().to_string(), error.to_string());
    let tables: i64 = raw.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1);
}

/// R10: a server that signs grants with another key than the last one did learns of it; one that signs none changes nothing.
#[test]
fn another_grant_key_is_noticed() {
    let engine = Sqlite::new();
    let setting = Setting::new();
    let other = |key: Option<&str>| {
        let options = Sqlite::options(&setting);
        let options = match key {
            Some(key) => options.with_grant_key(key.to_owned()),
            None => options,
        };
        let store = SqliteStore::open(engine.path(), options).unwrap();
        let other = store.had_another_grant_key();
        store.close();
        other
    };
    assert!(!other(Some("one")), "there was none before");
    assert!(!other(Some("one")));
    assert!(!other(None));
    assert!(other(Some("two")));
    assert!(!other(Some("two")), "it is said once");
    assert!(other(Some("one")));
}

/// What is in the database is for the account that runs Placet alone, whatever the umask is.
#[cfg(unix)]
#[tokio::test]
async fn the_files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.db");
    let _store = SqliteStore::open(path.as_path(), Sqlite::options(&Setting::new())).unwrap();
    let mut names = Vec::new();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
        names.push(file.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["p.db", "p.db-shm", "p.db-wal", "p.db.lock"]);
}

/// What is large and never changes is written once, and read as if it stood in its place.
#[tokio::test]
async fn a_large_proposal_is_written_once() {
    let engine = Sqlite::new();
    let desk = desk(&engine);
    // As long as it gets, with what could be taken for the end of it.
    let mut opening = desk.risky(&"v42\\\",\\\"proposal\\\":null,".repeat(3000), 2);
    Arc::make_mut(&mut opening.proposal).task = "\"proposal\":null".repeat(100);
    let approval = desk.opens(opening.clone()).await;
    let small = desk.asks("small", 2).await;
    desk.shows(&approval).await;
    let yes = Command::Vote(ballot("alice", Decision::Approve));
    for approval in [&approval, &small] {
        assert!(changed(&desk.does(approval, yes.clone(), facts(&desk, &["alice"])).await));
        desk.must_rebuild(approval).await;
    }
    let again = desk.store.open(opening).await.unwrap();
    assert!(matches!(again, placet::approval::Opened::Same(same) if same.proposal == approval.proposal));
    let listed = desk.store.list(RequestQuery { limit: 9, ..RequestQuery::default() }).await.unwrap();
    assert_eq!(
        listed.iter().map(|listed| listed.id).collect::<BTreeSet<_>>(),
        BTreeSet::from([approval.id, small.id])
    );
    engine.close();
    let raw = Connection::open(engine.path()).unwrap();
    let count = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM proposal"), 1, "the small one is where it was");
    assert!(count("SELECT max(length(body)) FROM approval_request") < 8 * 1024);
    // An earlier version kept it in the body: it is read there, and put apart with the next write.
    raw.execute_batch(
        "UPDATE approval_request SET body = replace(body, '\"proposal\":null', '\"proposal\":' || (SELECT p.body FROM \
         proposal AS p WHERE p.approval_id = approval_request.approval_id)) \
         WHERE approval_id = (SELECT approval_id FROM proposal); DELETE FROM proposal",
    )
    .unwrap();
    let desk = Desk { store: engine.open(&desk.setting), setting: desk.setting };
    desk.must_rebuild(&approval).await;
    let no = Command::Vote(ballot("bob", Decision::Deny));
    desk.does(&approval, no, facts(&desk, &["alice", "bob"])).await;
    desk.must_rebuild(&approval).await;
    assert_eq!(count("SELECT count(*) FROM proposal"), 1);
}
