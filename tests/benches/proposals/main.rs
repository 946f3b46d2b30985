//! How fast durable proposals are, beside everything that bounds them: what the disk can flush, what SQLite can do with
//! the same statements and nothing around them, and what HTTP costs with nothing behind it.
//!
//! All figures of one run come from one folder on one disk. Sixty-four agents, each with a credential and a kept-open
//! connection of its own, propose calls that the policy lets through, one after the other, each under its own
//! Idempotency-Key. They live on a thread of their own with a runtime of its own and send requests that were built
//! before: what is left of the load is writing and reading sockets, and it shares the cores with the server, as agents
//! on the same machine do.
//!
//! Figures are printed and never judged by the exit code: a slow machine is not a fault. A proposal that fails, or one
//! that is not in the database afterwards, is.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

mod bare;
mod disk;
mod load;
mod server;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};

use load::Measured;

/// Agents that propose at the same time.
pub(crate) const AGENTS: usize = 64;

/// What each of them proposes before anything is measured.
pub(crate) const WARM_UP: usize = 16;

/// What each of them proposes: 20,032 in all. Another number is the program's argument.
const PROPOSALS: usize = 313;

/// The least that Placet is to reach of what the bare writer does.
const RATIO_MIN: f64 = 0.5;

/// The least number of proposals that are to share a commit.
const MEAN_BATCH_MIN: f64 = 16.0;

/// The environment variable that names a folder on the disk to measure; without it, that of the build.
const DISK: &str = "PLACET_BENCH_FOLDER";

/// How long the disk is measured.
const DISK_TIME: Duration = Duration::from_millis(1500);

fn main() -> Result<()> {
    let each = match std::env::args().skip(1).find(|argument| !argument.starts_with("--")) {
        Some(number) => number.parse().context("the argument is how many proposals each agent makes")?,
        None => PROPOSALS,
    };
    let disk = std::env::var_os(DISK).unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    let folder = tempfile::tempdir_in(disk)?;
    println!("durable proposals: {AGENTS} agents at once, {} proposals each; {}", each, machine());
    let fsyncs = disk::fsyncs_per_second(folder.path(), DISK_TIME)?;
    println!("  disk                  {fsyncs:>8.0} fsyncs/s, each after 4 KiB appended");
    let placet = server::placet(folder.path(), each)?;
    print(&placet.load, "placet, over HTTP");
    println!("  {:<21} {:>8.1} proposals per commit", "", placet.mean_batch);
    let ratio = beside(folder.path(), &placet, each)?;
    let empty = server::empty(each)?;
    print(&empty, "empty axum handler");
    println!();
    verdict("placet ÷ bare writer, same batch", ratio, RATIO_MIN);
    verdict("mean batch", placet.mean_batch, MEAN_BATCH_MIN);
    println!("  {}", machine());
    Ok(())
}

/// The bare writer with Placet's own mean batch, and with as many in a commit as there are agents.
fn beside(folder: &Path, placet: &server::Placet, each: usize) -> Result<f64> {
    let sample = bare::Sample::of(&folder.join(server::DATABASE))?;
    println!("  {:<21} {}", "rows of a proposal", sample.told());
    let count = each * AGENTS;
    let rate = |batch: usize| -> Result<f64> {
        let rate =
            bare::proposals_per_second(&folder.join(format!("bare-{batch}.db")), &sample, (count, batch))?;
        println!("  {:<21} {rate:>8.0} /s, {batch} per commit, one thread", "bare rusqlite writer");
        Ok(rate)
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a batch is a small number")]
    let batch = placet.mean_batch.round().max(1.0) as usize;
    let same = rate(batch)?;
    if batch != AGENTS {
        rate(AGENTS)?;
    }
    Ok(placet.load.per_second() / same)
}

fn print(measured: &Measured, what: &str) {
    let [p50, p99] =
        [measured.percentile(50), measured.percentile(99)].map(|time| time.as_secs_f64() * 1000.0);
    println!("  {what:<21} {:>8.0} /s, p50 {p50:.1} ms, p99 {p99:.1} ms", measured.per_second());
}

fn verdict(what: &str, is: f64, least: f64) {
    let met = if is >= least { "met" } else { "NOT met" };
    println!("  {what:<33} {is:>6.2}   at least {least}: {met}");
}

/// Whether something else kept the machine busy can be seen here, where the system tells it.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.as_deref().and_then(|text| text.split(' ').next()).unwrap_or("unknown").to_owned();
    format!("{cores} cores, load average {load}")
}
