//! What an error of SQLite means to a caller.

use std::fmt::Display;

use placet::ports::StoreError;
use rusqlite::ErrorCode;

use crate::sqlite::connection::BUSY_WAIT_MAX;

/// The store is not available, for this reason.
pub(crate) fn unavailable(why: impl Display) -> StoreError {
    StoreError::Unavailable(why.to_string())
}

/// A row that cannot exist.
pub(crate) fn inconsistent(table: &'static str, key: impl Display, what: impl Display) -> StoreError {
    StoreError::Inconsistent { table, key: key.to_string(), what: what.to_string() }
}

/// Gives errors of SQLite their meaning.
pub(crate) trait Meaning<T> {
    /// While working on this table.
    fn on(self, table: &'static str) -> Result<T, StoreError>;
}

impl<T> Meaning<T> for Result<T, rusqlite::Error> {
    fn on(self, table: &'static str) -> Result<T, StoreError> {
        self.map_err(|error| meaning(&error, table))
    }
}

fn meaning(error: &rusqlite::Error, table: &'static str) -> StoreError {
    match error {
        // A CHECK, a key or a reference stands against it.
        rusqlite::Error::SqliteFailure(cause, _) if cause.code == ErrorCode::ConstraintViolation => {
            inconsistent(table, "(new)", error)
        }
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => inconsistent(table, "(unread)", error),
        rusqlite::Error::SqliteFailure(cause, _)
            if matches!(cause.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) =>
        {
            inconsistent(table, "(file)", error)
        }
        rusqlite::Error::SqliteFailure(cause, _) if cause.code == ErrorCode::DatabaseBusy => {
            let waited = BUSY_WAIT_MAX.as_secs();
            unavailable(format_args!(
                "{table}: another process has been writing the file for more than {waited} seconds; nothing was done, try again, \
                 and look whether that process hangs ({error})"
            ))
        }
        _ => unavailable(format_args!("{table}: {error}")),
    }
}

/// What a commit that failed means: surely nothing was written, or nobody knows.
pub(crate) fn of_commit(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::ReadOnly,
        ) => unavailable(format_args!("the commit failed: {error}")),
        _ => StoreError::Unknown(format!("the commit failed: {error}")),
    }
}
