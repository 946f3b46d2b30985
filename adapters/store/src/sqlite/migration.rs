//! Migrations: numbered, hashed, applied once and in order.

use placet::call::ContentHash;
use placet::ports::StoreError;
use placet::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::sqlite::fault::{Meaning, inconsistent, unavailable};

/// One step of the schema.
struct Migration {
    number: u32,
    name: &'static str,
    sql: &'static str,
}

/// All of them. What was released is never changed again: a change is a new one.
const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "foundation", sql: include_str!("../../migrations/0001_foundation.sql") },
    Migration {
        number: 2,
        name: "policy_and_people",
        sql: include_str!("../../migrations/0002_policy_and_people.sql"),
    },
    Migration {
        number: 3,
        name: "gathered_cards",
        sql: include_str!("../../migrations/0003_gathered_cards.sql"),
    },
    Migration { number: 4, name: "audit", sql: include_str!("../../migrations/0004_audit.sql") },
    Migration { number: 5, name: "chat_tasks", sql: include_str!("../../migrations/0005_chat_tasks.sql") },
    Migration { number: 6, name: "digests", sql: include_str!("../../migrations/0006_digests.sql") },
    Migration { number: 7, name: "task_leases", sql: include_str!("../../migrations/0007_task_leases.sql") },
    Migration { number: 8, name: "held_cards", sql: include_str!("../../migrations/0008_held_cards.sql") },
];

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migration (
  number     INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
  name       TEXT    NOT NULL,
  sha256     BLOB    NOT NULL CHECK (length(sha256) = 32),
  applied_at INTEGER NOT NULL
) STRICT";

/// Whether the schema is the one that this program knows: else it cannot be read as it stands.
pub(crate) fn is_newest(connection: &Connection) -> Result<(), StoreError> {
    match newest(connection)? {
        Some(newest) if newest as usize == MIGRATIONS.len() => Ok(()),
        newest => Err(unavailable(format_args!(
            "the database has schema {}, and this version of Placet reads schema {}: start its server once to bring it \
             up to date, or use the version that serves it",
            newest.unwrap_or(0),
            MIGRATIONS.len()
        ))),
    }
}

/// Whether the schema is older than what this program knows, or there is none yet.
pub(crate) fn is_behind(connection: &Connection) -> Result<bool, StoreError> {
    Ok(!is_ours(connection)? || (newest(connection)?.unwrap_or(0) as usize) < MIGRATIONS.len())
}

/// The schema must be brought up to date, and another server has the database.
pub(crate) fn beside_another() -> StoreError {
    unavailable(format_args!(
        "this version of Placet must bring the database up to schema {}, and another server is using it, which may not know \
         that schema: nothing was changed. Stop the other server first, then start this one",
        MIGRATIONS.len()
    ))
}

/// Whether this program can serve the database: it is empty, or it is one of Placet's that is no newer. Nothing is written
/// into what belongs to another program.
pub(crate) fn can_be_taken(connection: &Connection) -> Result<(), StoreError> {
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    if !is_ours(connection)? {
        let other: Option<String> =
            connection.query_row(tables, [], |row| row.get(0)).optional().on("schema_migration")?;
        return match other {
            None => Ok(()),
            Some(other) => Err(unavailable(format_args!(
                "the database is not Placet's: it has a table {other}, and none of Placet's; name another file in `data`"
            ))),
        };
    }
    let known = MIGRATIONS.len();
    match newest(connection)?.filter(|newest| *newest as usize > known) {
        None => Ok(()),
        Some(newest) => Err(unavailable(format_args!(
            "the database has schema {newest}, and this version of Placet knows schemas up to {known}: start the \
             newer version again, or restore the backup from before the upgrade"
        ))),
    }
}

/// Whether there is a schema of Placet's.
fn is_ours(connection: &Connection) -> Result<bool, StoreError> {
    let select = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration')";
    connection.query_row(select, [], |row| row.get(0)).on("schema_migration")
}

/// The number of the schema; none before the first step.
fn newest(connection: &Connection) -> Result<Option<u32>, StoreError> {
    let select = "SELECT max(number) FROM schema_migration";
    connection.query_row(select, [], |row| row.get(0)).on("schema_migration")
}

/// Brings the schema up to what this program knows. A table that others refer to can only be made again while references
/// are not looked at, and that cannot be changed within a transaction: they are all checked at its end instead.
pub(crate) fn run(connection: &mut Connection, now: Timestamp) -> Result<(), StoreError> {
    connection.pragma_update(None, "foreign_keys", false).on("schema_migration")?;
    let done = apply(connection, now);
    connection.pragma_update(None, "foreign_keys", true).on("schema_migration")?;
    done
}

fn apply(connection: &mut Connection, now: Timestamp) -> Result<(), StoreError> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).on("schema_migration")?;
    can_be_taken(&transaction)?;
    transaction.execute(TABLE, []).on("schema_migration")?;
    let mut moved = false;
    for migration in MIGRATIONS {
        let hash = ContentHash::of(migration.sql.as_bytes());
        let applied: Option<Vec<u8>> = transaction
            .query_row("SELECT sha256 FROM schema_migration WHERE number = ?1", [migration.number], |row| {
                row.get(0)
            })
            .optional()
            .on("schema_migration")?;
        match applied {
            Some(applied) if applied == hash.as_bytes() => {}
            Some(_) => {
                let what = "it was applied in another form than this program has: install the version that made the \
                            database, or restore a backup";
                return Err(inconsistent("schema_migration", migration.number, what));
            }
            None => {
                transaction.execute_batch(migration.sql).on("schema_migration")?;
                let row = params![migration.number, migration.name, hash.as_bytes(), now.as_millis()];
                transaction
                    .execute("INSERT INTO schema_migration (number, name, sha256, applied_at) VALUES (?1, ?2, ?3, ?4)", row)
                    .on("schema_migration")?;
                moved = true;
            }
        }
    }
    if moved {
        check_references(&transaction)?;
    }
    transaction.commit().on("schema_migration")
}

/// Every row that refers to another finds it.
fn check_references(connection: &Connection) -> Result<(), StoreError> {
    let lost: Option<(String, String)> = connection
        .query_row("SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
        .on("schema_migration")?;
    match lost {
        None => Ok(()),
        Some((table, parent)) => {
            let what = format_args!(
                "a row of {table} refers to one of {parent} that is not there; restore a backup"
            );
            Err(inconsistent("schema_migration", table.as_str(), what))
        }
    }
}
