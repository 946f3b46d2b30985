//! Reading the record beside whatever server writes it.

use std::path::Path;

use placet::id::TenantId;
use placet::ports::{EventQuery, StoreError};
use placet::record::{Event, Seq};
use placet::time::Timestamp;
use rusqlite::Connection;

use crate::sqlite::fault::unavailable;
use crate::sqlite::table::event;
use crate::sqlite::{connection, migration};

/// Events that one call returns at most, whatever was asked for.
const LIMIT_MAX: u32 = 10_000;

/// Reads the record of a database, and nothing else: it takes no lock, makes no file, brings no schema up to date and
/// never waits for the server that writes.
#[derive(Debug)]
pub struct RecordReader {
    connection: Connection,
}

impl RecordReader {
    /// Opens a database that is there.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] with what to do: it is not there, cannot be read, or was last served by another
    /// version of Placet.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(unavailable(format_args!(
                "there is no database {}: the settings name it in `data`",
                path.display()
            )));
        }
        let connection = connection::reading(path)?;
        migration::is_newest(&connection)?;
        Ok(Self { connection })
    }

    /// Events in the order of their sealing.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn events(&self, query: &EventQuery) -> Result<Vec<(Seq, Event)>, StoreError> {
        let query = EventQuery { limit: query.limit.min(LIMIT_MAX), ..query.clone() };
        event::list(&self.connection, &query)
    }

    /// Every tenant that has a record.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn tenants(&self) -> Result<Vec<TenantId>, StoreError> {
        event::tenants(&self.connection)
    }

    /// The number after which events stand that are of this time or later; looked up without reading those before it. The
    /// times of a record rise with its numbers as the clock of its machine did: where that was set back, what stands behind
    /// this number may be earlier, and what stands before it later, by as much.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn before(&self, at: Timestamp) -> Result<Seq, StoreError> {
        event::before(&self.connection, at)
    }
}
