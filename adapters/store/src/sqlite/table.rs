//! The tables: the SQL of each in one place, and the check that what is read can exist.

pub(crate) mod account;
pub(crate) mod audit;
pub(crate) mod card;
pub(crate) mod command;
pub(crate) mod credential;
pub(crate) mod digest;
pub(crate) mod event;
pub(crate) mod hold;
pub(crate) mod idempotency;
pub(crate) mod inbox;
pub(crate) mod meta;
pub(crate) mod outbox;
mod proposal;
pub(crate) mod recent;
pub(crate) mod remembered;
pub(crate) mod request;
pub(crate) mod run;
mod search;
pub(crate) mod task;

#[cfg(test)]
mod plans;

use placet::id::TenantId;
use placet::ports::StoreError;
use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::sqlite::fault::{Meaning, inconsistent};

/// A row of a queue that cannot be read. It is set aside, so that it holds up nothing else.
#[derive(Debug, Clone)]
pub(crate) struct Unreadable {
    /// Its place in the table.
    row: i64,
    /// What is wrong with it.
    pub(crate) why: StoreError,
}

/// A column and what it must hold, given the body beside it.
type Cell<'a> = (&'static str, ValueRef<'a>);

const fn text(text: &str) -> ValueRef<'_> {
    ValueRef::Text(text.as_bytes())
}

fn int(number: u64) -> ValueRef<'static> {
    ValueRef::Integer(signed(number))
}

/// Counters stay far below 2^63; one that does not would be refused by a CHECK.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(-1)
}

fn optional<'a, T>(value: Option<T>, cell: impl FnOnce(T) -> ValueRef<'a>) -> ValueRef<'a> {
    value.map_or(ValueRef::Null, cell)
}

/// Binds cells to the parameters from `first` on.
fn bind(statement: &mut Statement<'_>, first: usize, cells: &[Cell<'_>]) -> rusqlite::Result<()> {
    for (index, (_, value)) in (first..).zip(cells) {
        statement.raw_bind_parameter(index, rusqlite::types::ToSqlOutput::Borrowed(*value))?;
    }
    Ok(())
}

/// Compares the columns from `first` on with what the body says they are.
fn check(
    row: &Row<'_>,
    first: usize,
    cells: &[Cell<'_>],
    (table, key): (&'static str, &str),
) -> Result<(), StoreError> {
    for (index, (column, expected)) in (first..).zip(cells) {
        if row.get_ref(index).on(table)? != *expected {
            return Err(inconsistent(
                table,
                key,
                format_args!("column {column} and the body tell different things"),
            ));
        }
    }
    Ok(())
}

/// The tenant's column as a term that no index is chosen for: another term finds the few rows, this one only guards
/// them. The planner has no statistics, and would as soon walk through everything the tenant has.
const GUARDED_TENANT: &str = "tenant_id || '' =";

/// A body as JSON.
fn body_of<T: Serialize>(table: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| inconsistent(table, "(new)", error))
}

/// A body read back.
fn from_body<T: DeserializeOwned>(table: &'static str, key: &str, body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|error| inconsistent(table, key, error))
}

/// A column's text.
fn column_text<'a>(row: &'a Row<'_>, index: usize, table: &'static str) -> Result<&'a str, StoreError> {
    row.get_ref(index).on(table)?.as_str().map_err(|error| inconsistent(table, "(unread)", error))
}

/// A column with the sixteen bytes of an id.
fn column_id(row: &Row<'_>, index: usize, table: &'static str) -> Result<[u8; 16], StoreError> {
    let bytes =
        row.get_ref(index).on(table)?.as_blob().map_err(|error| inconsistent(table, "(unread)", error))?;
    bytes.try_into().map_err(|_| inconsistent(table, hex::encode(bytes), "its id does not have 16 bytes"))
}

/// A column with a tenant's name.
fn column_tenant(row: &Row<'_>, index: usize, table: &'static str) -> Result<TenantId, StoreError> {
    let name = column_text(row, index, table)?;
    TenantId::new(name).map_err(|error| inconsistent(table, name, error))
}

/// Runs a guarded statement that must change exactly one row.
fn exactly_one(changed: usize, table: &'static str, key: impl std::fmt::Display) -> Result<(), StoreError> {
    if changed == 1 {
        Ok(())
    } else {
        Err(inconsistent(table, key, format_args!("a guarded write changed {changed} rows instead of one")))
    }
}
