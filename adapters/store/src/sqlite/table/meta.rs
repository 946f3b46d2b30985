//! What the installation knows of itself.

use placet::ports::{Entropy, StoreError};
use rusqlite::{Connection, OptionalExtension, params};

use crate::sqlite::fault::Meaning;

const TABLE: &str = "meta";
const SELECT: &str = "SELECT value FROM meta WHERE name = ?1";
const INSERT: &str = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING";

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
