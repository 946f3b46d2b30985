//! What somebody with the database in their hands could do.

use std::path::Path;

use anyhow::Result;

/// Replaces a text wherever it stands beside a sealed event. Gives the number of events changed.
///
/// # Errors
/// If the file cannot be written.
pub fn replace_in_record(database: &Path, from: &str, to: &str) -> Result<usize> {
    let connection = rusqlite::Connection::open(database)?;
    let changed = connection
        .execute("UPDATE event SET texts = replace(texts, ?1, ?2) WHERE instr(texts, ?1) > 0", [from, to])?;
    Ok(changed)
}
