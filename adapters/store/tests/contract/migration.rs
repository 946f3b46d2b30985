//! Every migration, over rows: for each schema there ever was, a database full of them is kept as SQL.

use std::path::PathBuf;

use placet::approval::Status;
use placet::policy::Recent;
use placet::ports::{RecentQuery, RequestQuery};
use placet_store::SqliteStore;
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
