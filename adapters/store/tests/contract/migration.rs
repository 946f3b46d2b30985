//! Every migration, over rows: for each schema there ever was, a database full of them is kept as SQL.

use std::path::PathBuf;

use placet::approval::{Command, Facts, OutcomeKind, Status};
use placet::policy::Recent;
use placet::ports::{RecentQuery, RequestQuery, UnaskedQuery};
use placet::time::Ttl;
use placet_store::{Access, SqliteStore};
use rusqlite::Connection;

use crate::engine::{Engine, Setting, Sqlite};
use crate::fixture::*;
use crate::sqlite::{everything, populate};

fn kept(schema: u32) -> PathBuf {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/contract/data");
    data.join(format!("schema_{schema}.sql"))
}

/// The schema of this program.
fn newest() -> u32 {
    let (engine, setting) = (Sqlite::new(), Setting::new());
    engine.open(&setting);
    engine.close();
    let raw = Connection::open(engine.path()).unwrap();
    raw.query_row("SELECT max(number) FROM schema_migration", [], |row| row.get(0)).unwrap()
}

/// The whole database as SQL.
fn dump(raw: &Connection) -> String {
    let all = |sql: &str| -> Vec<String> {
        let mut statement = raw.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let mut sql = String::from(
        "-- A database with rows in every table, written by the tests. Never changed once released.\n\
         PRAGMA foreign_keys = OFF;\n",
    );
    for made in
        all("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    {
        sql.push_str(&format!("{made};\n"));
    }
    for table in
        all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    {
        let columns = all(&format!("SELECT 'quote(' || name || ')' FROM pragma_table_info('{table}')"))
            .join(" || ', ' || ");
        let rows = all(&format!("SELECT 'INSERT INTO {table} VALUES (' || {columns} || ');' FROM {table}"));
        assert!(!rows.is_empty(), "no rows in {table}");
        sql.push_str(&rows.join("\n"));
        sql.push('\n');
    }
    sql
}

/// A new schema has its rows kept, too: the first run after it was made writes them down and says so.
#[tokio::test]
async fn the_rows_of_this_schema_are_kept() {
    let file = kept(newest());
    if !file.exists() {
        let (engine, setting) = (Sqlite::new(), Setting::new());
        let desk = Desk { store: engine.open(&setting), setting };
        populate(&desk).await;
        engine.close();
        std::fs::write(&file, dump(&Connection::open(engine.path()).unwrap())).unwrap();
        panic!("{} was written; look at it, and keep it with the migration", file.display());
    }
}

/// What any earlier version wrote is read, and written on.
#[tokio::test]
async fn rows_of_every_schema_are_read_and_written_on() {
    for schema in 1..=newest() {
        let (engine, setting) = (Sqlite::new(), Setting::new());
        let rows = std::fs::read_to_string(kept(schema)).unwrap();
        Connection::open(engine.path()).unwrap().execute_batch(&rows).unwrap();
        let desk = Desk { store: engine.open(&setting), setting };
        let told = everything(&desk).await;
        for part in ["v42", "alice", "agent-key", "r1", "slack:1", "C-ops"] {
            assert!(told.contains(part), "schema {schema}: {part} is gone");
        }
        let waiting =
            RequestQuery { statuses: vec![Status::WaitingApproval], limit: 10, ..RequestQuery::default() };
        for approval in desk.store.list(waiting).await.unwrap() {
            desk.must_rebuild(&approval).await;
            desk.shows(&approval).await;
            desk.must_rebuild(&approval).await;
        }
        engine.close();
        // Migrated once, not again.
        SqliteStore::open(engine.path(), Sqlite::options(&desk.setting)).unwrap();
    }
}

/// R15: what an agent did before the schema could count it is counted all the same, with who said no and who was asked.
#[tokio::test]
async fn what_was_done_before_is_counted() {
    let (engine, setting) = (Sqlite::new(), Setting::new());
    let raw = Connection::open(engine.path()).unwrap();
    raw.execute_batch(&std::fs::read_to_string(kept(1)).unwrap()).unwrap();
    let waiting = "SELECT body FROM approval_request WHERE status = 'waiting_approval' ORDER BY approval_id";
    let body: String = raw.query_row(waiting, [], |row| row.get(0)).unwrap();
    let mut approval: serde_json::Value = serde_json::from_str(&body).unwrap();
    let at = approval["last_event_at"].clone();
    let by = serde_json::json!({"who": "votes", "reason": null});
    approval["state"] = serde_json::json!({"status": "rejected", "data": {"by": by, "at": at}});
    let rejected = "UPDATE approval_request SET status = 'rejected', due_at = NULL, over_at = ?1, body = ?2 \
                    WHERE approval_id = (SELECT min(approval_id) FROM approval_request \
                                         WHERE status = 'waiting_approval')";
    let values = rusqlite::params![at.as_i64().unwrap(), approval.to_string()];
    assert_eq!(raw.execute(rejected, values).unwrap(), 1);
    drop(raw);
    let desk = Desk { store: engine.open(&setting), setting };
    let all = RequestQuery { limit: 10, ..RequestQuery::default() };
    let requests = desk.store.list(all).await.unwrap();
    let denied = requests.iter().find(|request| request.status() == Status::Rejected).unwrap();
    let query = RecentQuery {
        tenant: acme(),
        agent: denied.proposal.call.agent.clone(),
        tool: denied.proposal.call.full_name(),
        digest: denied.digest,
        run: denied.proposal.run.as_ref().map(|step| step.run.clone()),
        now: denied.opened_at,
    };
    let lately = desk.store.recent(query).await.unwrap();
    let asked = u32::try_from(requests.len()).unwrap();
    assert_eq!(lately.recent, Recent { calls: asked, same: 1, denied: 1, cards: asked });
    assert_eq!(lately.run_cards, asked);
}

/// R52: what ran unasked before the schema kept when is counted on the day on which it was begun, too: what is over, and what
/// still runs. What was let through and never begun ran on no day.
#[tokio::test]
async fn what_ran_before_is_counted_when_it_was_begun() {
    // Rows as any version writes them: those of this one, without the columns that came later.
    let (newer, setting) = (Sqlite::new(), Setting::new());
    let desk = Desk { store: newer.open(&setting), setting };
    populate(&desk).await;
    desk.setting.clock.passes(Ttl::from_secs(5));
    let asked_for = desk.now();
    let [over, still, never] = ["over", "still", "never"].map(|tag| desk.harmless(tag));
    let (over, still) = (desk.opens(over).await, desk.opens(still).await);
    let never = desk.opens(never).await;
    let (mut begun, mut claims) = (Vec::new(), Vec::new());
    for approval in [&over, &still] {
        desk.setting.clock.passes(Ttl::from_secs(5));
        begun.push(desk.now());
        let claim = desk.claim(approval);
        claims.push(claim.id);
        desk.does(approval, Command::Claim(claim), Facts::none(desk.now())).await;
    }
    desk.setting.clock.passes(Ttl::from_secs(5));
    desk.does(&over, desk.report(claims[0]), Facts::none(desk.now())).await;
    newer.close();

    let older = Sqlite::new();
    let raw = Connection::open(older.path()).unwrap();
    raw.execute_batch(&std::fs::read_to_string(kept(5)).unwrap()).unwrap();
    raw.execute("ATTACH ?1 AS newer", [newer.path().to_str().unwrap()]).unwrap();
    let columns = "SELECT group_concat(name) FROM pragma_table_info('approval_request', 'main')";
    let columns: String = raw.query_row(columns, [], |row| row.get(0)).unwrap();
    assert!(columns.contains("ran_unasked") && !columns.contains("ran_at"), "{columns}");
    let insert = format!(
        "INSERT INTO approval_request ({columns}) SELECT {columns} FROM newer.approval_request WHERE approval_id = ?1"
    );
    for approval in [&over, &still, &never] {
        assert_eq!(raw.execute(&insert, [approval.id.as_bytes().as_slice()]).unwrap(), 1);
    }
    drop(raw);
    let desk = Desk { store: older.open(&desk.setting), setting: desk.setting };
    let count = async |since, until| {
        let query = UnaskedQuery { tenant: acme(), since, until, limit: 9 };
        let rows = desk.store.ran_unasked(query).await.unwrap();
        rows.into_iter().map(|row| (row.outcome, row.count)).collect::<Vec<_>>()
    };
    let moment = Ttl::from_millis(1);
    assert_eq!(count(asked_for, begun[0]).await, [], "when it was asked for does not count");
    assert_eq!(count(begun[0], begun[0] + moment).await, [(Some(OutcomeKind::Succeeded), 1)]);
    assert_eq!(count(begun[1], begun[1] + moment).await, [(None, 1)]);
    assert_eq!(count(begun[1] + moment, desk.now() + moment).await, []);
    // What the migration made of them is what this version would have written: else they could not be read.
    for (approval, status) in [(&over, Status::Executed), (&still, Status::Executing)] {
        assert_eq!(desk.store.load(&acme(), approval.id).await.unwrap().status(), status);
    }
}

/// A newer version changes no schema under a server that may not know it: nothing is written until it is alone. One that needs
/// no change starts beside another.
#[test]
fn no_schema_is_changed_under_another_server() {
    let (engine, setting) = (Sqlite::new(), Setting::new());
    let rows = std::fs::read_to_string(kept(newest() - 1)).unwrap();
    Connection::open(engine.path()).unwrap().execute_batch(&rows).unwrap();
    let open =
        || SqliteStore::open(engine.path(), Sqlite::options(&setting).with_access(Access::SharedServer));
    let schema = || -> u32 {
        let raw = Connection::open(engine.path()).unwrap();
        raw.query_row("SELECT max(number) FROM schema_migration", [], |row| row.get(0)).unwrap()
    };
    // A server of the earlier version has the file, and shares it.
    let mut path = engine.path().to_owned().into_os_string();
    path.push(".lock");
    let older = std::fs::File::create(path).unwrap();
    older.try_lock_shared().unwrap();
    let refused = open().err().unwrap().to_string();
    assert!(refused.contains("Stop the other server first"), "{refused}");
    assert_eq!(schema(), newest() - 1, "nothing was changed");
    older.unlock().unwrap();
    let one = open().unwrap();
    assert_eq!(schema(), newest());
    let two = open().unwrap();
    assert!(one.is_ready() && two.is_ready(), "the file is shared again");
}
