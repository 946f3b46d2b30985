//! The agents: bytes that were built before, over sockets that stay open, on a thread of their own.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// No answer of a proposal is longer.
const ANSWER_BYTES_MAX: usize = 16 * 1024;

/// What one agent sends, in order.
pub(crate) type Script = Vec<Vec<u8>>;

/// What was measured.
pub(crate) struct Measured {
    elapsed: Duration,
    /// From the first byte sent to the last byte read, sorted.
    latencies: Vec<Duration>,
}

impl Measured {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    pub(crate) fn per_second(&self) -> f64 {
        self.latencies.len() as f64 / self.elapsed.as_secs_f64()
    }

    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies.get(last * percent / 100).copied().unwrap_or_default()
    }
}

/// The requests of every agent: `numbers` tells which of their proposals these are.
pub(crate) fn scripts(tokens: &[String], numbers: std::ops::Range<usize>) -> Vec<Script> {
    let script = |(agent, token): (usize, &String)| {
        numbers.clone().map(|number| proposal(token, &format!("{agent:02}-{number:06}"))).collect()
    };
    tokens.iter().enumerate().map(script).collect()
}

fn proposal(token: &str, key: &str) -> Vec<u8> {
    let body = serde_json::json!({
        "tool": "get_weather",
        "args": {"city": "Reykjavik", "days": 3, "station": key},
        "run": {"id": "nightly-report", "step": key},
        "task": "write the report on last night's outages",
        "reason": "the outages may have come from the storm",
    })
    .to_string();
    format!(
        "POST /v1/requests HTTP/1.1\r\nhost: placet\r\nauthorization: Bearer {token}\r\nidempotency-key: {key}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Lets every agent go through its script, all at once. Blocks this thread, which is theirs alone.
///
/// # Errors
/// If any request was not answered with 201.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
pub(crate) fn run(address: SocketAddr, scripts: Vec<Script>) -> Result<Measured> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut agents = Vec::with_capacity(scripts.len());
        for script in scripts {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            agents.push((stream, script));
        }
        let begun = Instant::now();
        let agents: Vec<_> = agents.into_iter().map(|agent| tokio::spawn(speak(agent))).collect();
        let mut latencies = Vec::new();
        for agent in agents {
            latencies.extend(agent.await??);
        }
        let elapsed = begun.elapsed();
        latencies.sort_unstable();
        Ok(Measured { elapsed, latencies })
    })
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
async fn speak((mut stream, script): (TcpStream, Script)) -> Result<Vec<Duration>> {
    let mut latencies = Vec::with_capacity(script.len());
    let mut answer = vec![0; ANSWER_BYTES_MAX];
    for request in script {
        let begun = Instant::now();
        stream.write_all(&request).await?;
        let end = read(&mut stream, &mut answer).await?;
        latencies.push(begun.elapsed());
        let answer = answer.get(..end).unwrap_or_default();
        ensure!(answer.starts_with(b"HTTP/1.1 201 "), "not taken: {}", String::from_utf8_lossy(answer));
    }
    Ok(latencies)
}

/// Reads one answer, and gives where it ends.
async fn read(stream: &mut TcpStream, answer: &mut [u8]) -> Result<usize> {
    let mut read = 0;
    let mut whole = None;
    while whole.is_none_or(|whole| read < whole) {
        let room =
            answer.get_mut(read..).filter(|room| !room.is_empty()).context("the answer is too long")?;
        match stream.read(room).await? {
            0 => bail!("the connection was closed within an answer"),
            more => read += more,
        }
        if whole.is_none() {
            whole = length(answer.get(..read).unwrap_or_default())?;
        }
    }
    Ok(read)
}

/// How long the answer is in all, once its head is there.
fn length(answer: &[u8]) -> Result<Option<usize>> {
    let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(answer.get(..head).unwrap_or_default())?;
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let (_, length) = length.context("an answer without its length")?;
    Ok(Some(head + 4 + length.trim().parse::<usize>()?))
}
