//! Connections and their settings.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use placet::ports::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::options::Location;
use crate::sqlite::fault::{Meaning, unavailable};
use crate::sqlite::lock::for_its_owner;

/// How long one process waits for another's transaction on the same file. Transactions take milliseconds.
pub(crate) const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);

/// Prepared statements that a connection keeps: all there are, with room.
const STATEMENTS_MAX: usize = 128;

/// Pages of 4 KiB in the write-ahead log before they are copied into the database: 16 MiB. The default of 1000 makes
/// every other batch pay for a checkpoint; much more makes reading slower.
const CHECKPOINT_PAGES: u32 = 4000;

/// What the write-ahead log is cut down to after a checkpoint, in bytes.
const LOG_BYTES_KEPT: u32 = 64 * 1024 * 1024;

/// Memory for pages of the writing connection, in KiB.
const CACHE_KIB: i32 = 32 * 1024;

/// The connection that writes.
pub(crate) fn writing(location: &Location) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match location {
        Location::File(path) => {
            // SQLite gives its log the mode of the database, and would make that one readable for everybody. One that
            // is there is left alone: closing it here would give up the locks that this process has on it.
            let _made = for_its_owner(OpenOptions::new().create_new(true).write(true)).open(path);
            Connection::open_with_flags(path, flags)
        }
        Location::Memory => Connection::open_in_memory_with_flags(flags),
    };
    let connection = connection.on("database")?;
    connection.busy_timeout(BUSY_WAIT_MAX).on("database")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    if let Location::File(path) = location {
        is_database(&connection, path)?;
    }
    // The mode is a property of the file; in memory there is none to be set.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())).on("database")?;
    connection.pragma_update(None, "synchronous", "FULL").on("database")?;
    connection.pragma_update(None, "foreign_keys", true).on("database")?;
    connection
        .pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, |_| Ok(()))
        .on("database")?;
    connection
        .pragma_update_and_check(None, "journal_size_limit", LOG_BYTES_KEPT, |_| Ok(()))
        .on("database")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB).on("database")?;
    // What a savepoint may have to put back is kept in memory; in a temporary file it would cost more than the job.
    connection.pragma_update(None, "temp_store", "MEMORY").on("database")?;
    Ok(connection)
}

/// A connection that can only read.
pub(crate) fn reading(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).on("database")?;
    connection.busy_timeout(BUSY_WAIT_MAX).on("database")?;
    is_database(&connection, path)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.pragma_update(None, "query_only", true).on("database")?;
    Ok(connection)
}

/// Whether the file is one of SQLite's at all, which opening it does not look at: whoever named another by mistake should
/// be told which, and what to do.
fn is_database(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let read: Result<i64, _> = connection.query_row("PRAGMA schema_version", [], |row| row.get(0));
    let shown = path.display();
    match read.as_ref().map_err(rusqlite::Error::sqlite_error_code) {
        Err(Some(ErrorCode::NotADatabase)) => Err(unavailable(format_args!(
            "{shown} is not a SQLite database: name another file in `data`, or restore a backup"
        ))),
        Err(Some(ErrorCode::DatabaseCorrupt)) => Err(unavailable(format_args!(
            "{shown} is damaged (database disk image is malformed): restore a backup"
        ))),
        Ok(_) | Err(_) => read.map(drop).on("database"),
    }
}
