//! A wire to the homeserver that can be cut: the homeserver stays up for all others.
//!
//! Bytes go through as they are. A fault holds from when it is set until [`Cut::mends`], for the connections that are
//! open as well.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What is read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// What is wrong with the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Connections break, and new ones end before an answer: the homeserver is away.
    Away,
    /// Nothing comes back, and nothing breaks: whoever asks waits until they give up.
    Silent,
    /// A request with these words in its head (as `PUT /_matrix/client/v3/rooms` or `/send/`) reaches the homeserver,
    /// which does what it says; its answer is lost.
    LosesAnswers(String),
}

/// A wire; it goes when it is dropped.
pub struct Cut {
    address: SocketAddr,
    fault: Arc<watch::Sender<Option<Fault>>>,
    lost: watch::Receiver<u64>,
    listening: JoinHandle<()>,
}

/// What a connection needs.
#[derive(Clone)]
struct Wire {
    to: SocketAddr,
    fault: watch::Receiver<Option<Fault>>,
    lost: Arc<watch::Sender<u64>>,
}

impl Cut {
    /// Lays one to a homeserver's URL.
    ///
    /// # Errors
    /// If there is no free port.
    pub async fn before(homeserver: &str) -> Result<Self> {
        let url = url::Url::parse(homeserver)?;
        let to = *url.socket_addrs(|| None)?.first().context("a homeserver at no address")?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (fault, seen) = watch::channel(None);
        let (counted, lost) = watch::channel(0);
        let wire = Wire { to, fault: seen, lost: Arc::new(counted) };
        let listening = tokio::spawn(async move {
            // Connections end with this task.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(carry(stream, wire.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, fault: Arc::new(fault), lost, listening })
    }

    /// The homeserver's URL at this end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on this is wrong with it.
    pub fn has(&self, fault: Fault) {
        self.fault.send_replace(Some(fault));
    }

    /// From now on nothing is wrong with it.
    pub fn mends(&self) {
        self.fault.send_replace(None);
    }

    /// How many answers were lost so far.
    #[must_use]
    pub fn lost(&self) -> u64 {
        *self.lost.borrow()
    }
}

impl Drop for Cut {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Carries one connection to its end, or until it is cut. What goes wrong ends the connection, as it would a wire.
async fn carry(stream: TcpStream, mut wire: Wire) {
    if *wire.fault.borrow() == Some(Fault::Away) {
        return;
    }
    let Ok(homeserver) = TcpStream::connect(wire.to).await else { return };
    let (asks, answers) = (stream.into_split(), homeserver.into_split());
    let (loses, is_lost) = watch::channel(false);
    let mut cut = wire.fault.clone();
    let there = there(asks.0, answers.1, wire.fault.clone(), loses);
    let back = back(answers.0, asks.1, &mut wire, is_lost);
    tokio::select! {
        () = there => {}
        () = back => {}
        _ = cut.wait_for(|fault| *fault == Some(Fault::Away)) => {}
    }
}

/// Requests: one begins with what is read first after an answer, for nobody sends a second one before that.
async fn there(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    fault: watch::Receiver<Option<Fault>>,
    loses: watch::Sender<bool>,
) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match from.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(read) => &chunk[..read],
        };
        if let Some(Fault::LosesAnswers(words)) = &*fault.borrow()
            && head_has(read, words)
        {
            loses.send_replace(true);
        }
        if to.write_all(read).await.is_err() {
            return;
        }
    }
}

/// Answers.
async fn back(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    wire: &mut Wire,
    is_lost: watch::Receiver<bool>,
) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match from.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(read) => &chunk[..read],
        };
        // The homeserver answered, hence it has done what was asked: now the connection breaks.
        if *is_lost.borrow() {
            wire.lost.send_modify(|lost| *lost += 1);
            return;
        }
        if wire.fault.wait_for(|fault| *fault != Some(Fault::Silent)).await.is_err()
            || to.write_all(read).await.is_err()
        {
            return;
        }
    }
}

/// Whether a request's first line has these words.
fn head_has(bytes: &[u8], words: &str) -> bool {
    let line = bytes.split(|byte| *byte == b'\r').next().unwrap_or_default();
    String::from_utf8_lossy(line).contains(words)
}
