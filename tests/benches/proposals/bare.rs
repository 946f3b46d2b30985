//! What SQLite does with the same statements and nothing around them: one thread, no HTTP, no decision, no JSON, no hash.
//!
//! The schema is the store's own, the values are those of a proposal that Placet took in, and ids, codes, keys and
//! digests are fresh and made before the clock runs. The statements are those of the store's `opening`: a change
//! there belongs here too.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use placet::id::{RequestId, ShortCode};
use placet::ports::Entropy as _;
use placet::time::Clock as _;
use placet_server::{OsEntropy, SystemClock};
use placet_store::{Options, SqliteStore};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, OpenFlags};

use crate::{AGENTS, WARM_UP};

/// As the store's writing connection has them.
const PRAGMAS: &str = "PRAGMA journal_mode = wal; PRAGMA synchronous = FULL; PRAGMA foreign_keys = on;
                       PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;
                       PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;";
const KEY: &str = "SELECT approval_id, digest, proposal_hash FROM idempotency \
                   WHERE tenant_id = ?1 AND credential_id = ?2 AND idempotency_key = ?3";
const CODE: &str = "SELECT EXISTS (SELECT 1 FROM approval_request WHERE code = ?1 AND \
                    status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing'))";
const HEAD: &str = "SELECT seq FROM log_head WHERE id = 1";
const SET_HEAD: &str = "UPDATE log_head SET seq = ?2 WHERE id = 1 AND seq = ?1";

/// The tables that a proposal of the tier auto writes to, in the order in which it does. One that is not named here
/// is written after them.
const TABLES: [&str; 4] = ["approval_request", "event", "request_account", "idempotency"];

/// One table's part in a proposal.
struct Rows {
    insert: String,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

/// What one proposal wrote.
pub(crate) struct Sample(Vec<(String, Rows)>);

impl Sample {
    /// Of the newest proposal in Placet's own database.
    pub(crate) fn of(database: &Path) -> Result<Self> {
        let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let newest = "SELECT max(approval_id) FROM approval_request";
        let id: Vec<u8> = connection.query_row(newest, [], |row| row.get(0))?;
        let mut sample = Vec::new();
        for table in tables(&connection)? {
            let rows = Rows::of(&connection, &table, &id)?;
            sample.extend((!rows.rows.is_empty()).then_some((table, rows)));
        }
        sample
            .sort_by_key(|(table, _)| TABLES.iter().position(|known| known == table).unwrap_or(TABLES.len()));
        Ok(Self(sample))
    }

    /// Which tables the bare writer writes to, and how many rows of each.
    pub(crate) fn told(&self) -> String {
        let tables = self.0.iter().map(|(table, rows)| format!("{table} {}", rows.rows.len()));
        tables.collect::<Vec<_>>().join(", ")
    }

    fn value(&self, column: &str) -> Result<&Value> {
        let found = self.0.iter().find_map(|(_, rows)| {
            let at = rows.columns.iter().position(|name| name == column)?;
            rows.rows.first()?.get(at)
        });
        found.with_context(|| format!("no column {column}"))
    }

    /// Numbers of events that one proposal uses.
    fn events(&self) -> i64 {
        let events = self.0.iter().filter(|(_, rows)| rows.columns.iter().any(|name| name == "seq"));
        events.map(|(_, rows)| i64::try_from(rows.rows.len()).unwrap_or_default()).sum()
    }
}

/// Tables whose rows belong to a request.
fn tables(connection: &Connection) -> Result<Vec<String>> {
    let mut select = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND \
         EXISTS (SELECT 1 FROM pragma_table_info(sqlite_schema.name) AS info WHERE info.name = 'approval_id')",
    )?;
    let names = select.query_map([], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

impl Rows {
    fn of(connection: &Connection, table: &str, id: &[u8]) -> Result<Self> {
        let mut select = connection.prepare(&format!("SELECT * FROM {table} WHERE approval_id = ?1"))?;
        let columns: Vec<String> = select.column_names().into_iter().map(ToOwned::to_owned).collect();
        let rows = select.query_map([id], |row| (0..columns.len()).map(|at| row.get(at)).collect())?;
        let rows = rows.collect::<rusqlite::Result<_>>()?;
        let places: Vec<_> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
        let conflict = match table {
            "approval_request" => " ON CONFLICT (approval_id) DO NOTHING",
            "request_account" => " ON CONFLICT DO NOTHING",
            _ => "",
        };
        let insert =
            format!("INSERT INTO {table} ({}) VALUES ({}){conflict}", columns.join(", "), places.join(", "));
        Ok(Self { insert, columns, rows })
    }
}

/// What differs from proposal to proposal.
struct Fresh {
    approval_id: Value,
    code: Value,
    key: Value,
    digest: Value,
    args_hash: Value,
}

impl Fresh {
    /// `taken` holds the codes that were given out: of a billion, two in twenty thousand are often the same.
    fn of(number: usize, taken: &mut BTreeSet<ShortCode>) -> Result<Self> {
        let id = RequestId::mint(SystemClock.now(), &OsEntropy);
        let code =
            (0..u8::MAX).map(|attempt| ShortCode::of(id, attempt)).find(|code| taken.insert(code.clone()));
        let random = || {
            let mut bytes = vec![0; 32];
            OsEntropy.fill(&mut bytes);
            Value::Blob(bytes)
        };
        Ok(Self {
            approval_id: Value::Blob(id.as_bytes().to_vec()),
            code: Value::Text(code.context("no code is free")?.as_str().to_owned()),
            key: Value::Text(format!("{:02}-{:06}", number % AGENTS, number / AGENTS)),
            digest: random(),
            args_hash: random(),
        })
    }

    fn value<'a>(&'a self, column: &str, same: &'a Value) -> &'a Value {
        match column {
            "approval_id" => &self.approval_id,
            "code" => &self.code,
            "idempotency_key" => &self.key,
            "digest" => &self.digest,
            "args_hash" => &self.args_hash,
            _ => same,
        }
    }
}

/// Writes `count` proposals to a fresh database, `batch` to a commit, after as many as Placet warmed up with.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
pub(crate) fn proposals_per_second(
    database: &Path,
    sample: &Sample,
    (count, batch): (usize, usize),
) -> Result<f64> {
    SqliteStore::open(database, Options::new(Arc::new(SystemClock), Arc::new(OsEntropy)))?.close();
    let connection = Connection::open(database)?;
    connection.set_prepared_statement_cache_capacity(128);
    connection.execute_batch(PRAGMAS)?;
    let warm_up = WARM_UP * AGENTS;
    let mut taken = BTreeSet::new();
    let fresh: Vec<_> =
        (0..warm_up + count).map(|number| Fresh::of(number, &mut taken)).collect::<Result<_>>()?;
    let (warm_up, fresh) = fresh.split_at(warm_up);
    write(&connection, sample, warm_up, batch)?;
    let begun = Instant::now();
    write(&connection, sample, fresh, batch)?;
    let elapsed = begun.elapsed();
    let stored: usize =
        connection.query_row("SELECT count(*) FROM approval_request", [], |row| row.get(0))?;
    ensure!(stored == warm_up.len() + count, "the bare writer lost rows");
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    Ok(count as f64 / elapsed.as_secs_f64())
}

fn write(connection: &Connection, sample: &Sample, proposals: &[Fresh], batch: usize) -> Result<()> {
    let run = |sql| connection.prepare_cached(sql)?.execute([]);
    for batch in proposals.chunks(batch) {
        run("BEGIN IMMEDIATE")?;
        let before: i64 = connection.prepare_cached(HEAD)?.query_row([], |row| row.get(0))?;
        let mut seq = before;
        for fresh in batch {
            run("SAVEPOINT job")?;
            propose(connection, sample, (fresh, seq))?;
            seq += sample.events();
            run("RELEASE job")?;
        }
        connection.prepare_cached(SET_HEAD)?.execute([before, seq])?;
        run("COMMIT")?;
    }
    Ok(())
}

fn propose(connection: &Connection, sample: &Sample, (fresh, mut seq): (&Fresh, i64)) -> Result<()> {
    let mut key = connection.prepare_cached(KEY)?;
    let key = key.exists([sample.value("tenant_id")?, sample.value("credential_id")?, &fresh.key])?;
    let code: bool = connection.prepare_cached(CODE)?.query_row([&fresh.code], |row| row.get(0))?;
    ensure!(!key && !code, "what is fresh was there before");
    for (_, table) in &sample.0 {
        let mut insert = connection.prepare_cached(&table.insert)?;
        for row in &table.rows {
            bind(&mut insert, (&table.columns, row), (fresh, &mut seq))?;
            insert.raw_execute()?;
        }
    }
    Ok(())
}

fn bind(
    insert: &mut CachedStatement<'_>,
    (columns, row): (&[String], &[Value]),
    (fresh, seq): (&Fresh, &mut i64),
) -> Result<()> {
    for (place, (column, same)) in (1..).zip(columns.iter().zip(row)) {
        if column == "seq" {
            *seq += 1;
            insert.raw_bind_parameter(place, *seq)?;
        } else {
            insert.raw_bind_parameter(place, fresh.value(column, same))?;
        }
    }
    Ok(())
}
