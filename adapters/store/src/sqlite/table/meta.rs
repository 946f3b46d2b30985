//! What the installation knows of itself.

use placet::ports::{Entropy, StoreError};
use rusqlite::{Connection, OptionalExtension, params};

use crate::sqlite::fault::Meaning;

const TABLE: &str = "meta";
const SELECT: &str = "SELECT value FROM meta WHERE name = ?1";
const REPLACE: &str =
    "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
const INSERT: &str = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING";

/// Notes under a name what holds from now on; gives what was noted before, where that is something else.
pub(crate) fn noted(connection: &Connection, name: &str, value: &str) -> Result<Option<String>, StoreError> {
    let before: Option<String> =
        connection.query_row(SELECT, [name], |row| row.get(0)).optional().on(TABLE)?;
    if before.as_deref() == Some(value) {
        return Ok(None);
    }
    connection.execute(REPLACE, params![name, value]).on(TABLE)?;
    Ok(before)
}

/// The installation's epoch, made at its creation.
pub(crate) fn epoch(connection: &Connection, entropy: &dyn Entropy) -> Result<String, StoreError> {
    let read = || connection.query_row(SELECT, ["epoch"], |row| row.get::<_, String>(0)).optional().on(TABLE);
    if let Some(epoch) = read()? {
        return Ok(epoch);
    }
    let mut random = [0_u8; 16];
    entropy.fill(&mut random);
    connection.execute(INSERT, params!["epoch", hex::encode(random)]).on(TABLE)?;
    // Two processes may open a new file at once; one epoch stands.
    read()?.ok_or_else(|| {
        crate::sqlite::fault::inconsistent(TABLE, "epoch", "it is gone as soon as it is written")
    })
}
