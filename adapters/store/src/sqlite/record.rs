//! Reading the record beside whatever server writes it.

use std::path::Path;

use placet::ports::{EventQuery, StoreError};
use placet::record::{Event, Seq};
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
}
