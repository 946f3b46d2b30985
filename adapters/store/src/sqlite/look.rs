//! A look at a database that somebody else may be serving.

use std::path::Path;

use placet::ports::StoreError;

use crate::sqlite::{connection, migration};

/// Looks whether a server of this version could serve the database that is there: it is only read, and no lock is taken.
///
/// # Errors
/// [`StoreError::Unavailable`] with what to do: it is no database, not Placet's, of a newer version, or cannot be read.
pub fn look_at(path: &Path) -> Result<(), StoreError> {
    migration::can_be_taken(&connection::reading(path)?)
}
