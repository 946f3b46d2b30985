//! Where requests are kept: SQLite, embedded.
//!
//! What always holds:
//! - One thread writes. It takes all that is queued into one transaction, gives each job a savepoint of its own, and
//!   answers only after the commit (group commit); a job that fails leaves no trace in the others.
//! - Nothing is decided here: [`placet::approval::commit`] is, inside the transaction, with the time read there.
//! - Events get their numbers within the same transaction, without gaps, in the order of their commits.
//! - Reading never waits for the writer.
//! - A row whose columns and body tell different things is an error, not an answer.

mod options;
mod probe;
mod sqlite;

pub use options::{Access, Hint, Location, OnCommit, Options, Stats};
pub use probe::{AlwaysGo, BOUNDARIES, CommitPoint, CommitProbe, Moment, ProbeVerdict};
pub use sqlite::{RecordReader, SqliteStore, look_at};
