//! What the disk can do: each commit waits for one flush at least.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

/// What is appended before each flush: one page.
const PAGE: [u8; 4096] = [0x5a; 4096];

/// Appends a page and flushes it, again and again.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
pub(crate) fn fsyncs_per_second(folder: &Path, time: Duration) -> Result<f64> {
    let mut file = File::create(folder.join("pages"))?;
    let (begun, mut count) = (Instant::now(), 0.0);
    while begun.elapsed() < time {
        file.write_all(&PAGE)?;
        file.sync_data()?;
        count += 1.0;
    }
    Ok(count / begun.elapsed().as_secs_f64())
}
