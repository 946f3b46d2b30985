//! One socket, from the greeting to its end.

use std::sync::Arc;

use futures::future::{BoxFuture, Either, select};
use futures::stream::{FuturesUnordered, StreamExt as _};
use futures::{FutureExt as _, SinkExt as _};
use placet::time::{Timestamp, Ttl};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::Line;
use super::dial::Stream;
use super::envelope::{Envelope, Frame, Reason};
use super::taken::{Seen, UnderWay};

/// How long Slack may take to greet. It does so at once.
const GREETING_WAIT: Ttl = Ttl::from_secs(10);

/// How long a socket is quiet before it is asked whether it still lives. Routers forget connections that are quiet for
/// minutes; a minute more without clicks would be noticed.
const PING_AFTER: Ttl = Ttl::from_secs(20);

/// How long it may take to say so.
const PONG_WAIT: Ttl = Ttl::from_secs(10);

/// How long a frame may take to be written: a peer that reads nothing is none.
const WRITE_WAIT: Ttl = Ttl::from_secs(10);

/// How long a socket that was asked to move is read. Slack ends it about ten seconds after it says so.
const RUN_DRY_MAX: Ttl = Ttl::from_secs(60);

/// How long what was begun may take once its socket has ended.
const FINISH_WAIT: Ttl = Ttl::from_secs(10);

/// Envelopes of one socket that are worked on at the same time; beyond that Slack waits.
const UNDER_WAY_MAX: usize = 64;

/// Why a socket is no longer served.
#[derive(Debug)]
pub(super) enum Ended {
    /// Slack ends it soon. Until then it is to be read.
    AskedToMove(Reason),
    /// It was closed or broke off.
    Closed(String),
    /// Nothing comes from it any more.
    Silent,
}

/// What the socket is waited for.
#[derive(Debug, Clone, Copy)]
enum Pulse {
    /// The greeting, until then.
    Greeting(Timestamp),
    /// Nothing; it is asked for a sign of life then.
    Beating(Timestamp),
    /// The sign of life, until then.
    Asked(Timestamp),
}

impl Pulse {
    const fn due(self) -> Timestamp {
        match self {
            Self::Greeting(at) | Self::Beating(at) | Self::Asked(at) => at,
        }
    }
}

/// Counts a connection for as long as it stands.
struct Counted(Arc<Line>);

impl Counted {
    fn new(line: &Arc<Line>) -> Self {
        line.connected.send_modify(|connected| *connected += 1);
        Self(Arc::clone(line))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connected.send_modify(|connected| *connected -= 1);
    }
}

/// One socket.
pub(super) struct Connection {
    line: Arc<Line>,
    stream: Stream,
    pulse: Pulse,
    greeted: Option<Counted>,
    /// Envelopes that are being worked on; each gives what is to be written.
    under_way: FuturesUnordered<BoxFuture<'static, Option<String>>>,
}

/// What happens next.
enum Step {
    Answered(Option<String>),
    Came(Option<Result<Message, Error>>),
    Due,
}

impl Connection {
    pub(super) fn new(line: Arc<Line>, stream: Stream) -> Self {
        let pulse = Pulse::Greeting(line.clock.now() + GREETING_WAIT);
        Self { line, stream, pulse, greeted: None, under_way: FuturesUnordered::new() }
    }

    /// Takes what comes, until Slack asks to move or the socket ends.
    pub(super) async fn serve(&mut self) -> Ended {
        loop {
            if let Err(ended) = self.step().await {
                if !matches!(ended, Ended::AskedToMove(_)) {
                    self.greeted = None;
                }
                return ended;
            }
        }
    }

    /// Takes what still comes after Slack has asked to move, until the socket ends.
    pub(super) async fn run_dry(&mut self) {
        let line = Arc::clone(&self.line);
        let served = async {
            // Asked once more, it is read on.
            while let Ended::AskedToMove(_) = self.serve().await {}
        };
        let until = line.clock.now() + RUN_DRY_MAX;
        if let Either::Right(_) = select(Box::pin(served), line.clock.sleep_until(until)).await {
            tracing::debug!("a socket that Slack wanted to end is ended here");
        }
    }

    /// Finishes what was begun, and closes.
    pub(super) async fn finish(mut self) {
        let clock = Arc::clone(&self.line.clock);
        let finished = async {
            while let Some(acknowledgement) = self.under_way.next().await {
                if let Some(text) = acknowledgement {
                    // Where the socket is gone Slack delivers again, and is told then.
                    let _late = self.stream.send(Message::Text(text.into())).await;
                }
            }
            let _gone = self.stream.close(None).await;
        };
        let _in_time = select(Box::pin(finished), clock.sleep_until(clock.now() + FINISH_WAIT)).await;
    }

    async fn step(&mut self) -> Result<(), Ended> {
        let reads = self.under_way.len() < UNDER_WAY_MAX;
        let step = tokio::select! {
            biased;
            Some(acknowledgement) = self.under_way.next(), if !self.under_way.is_empty() => {
                Step::Answered(acknowledgement)
            }
            came = self.stream.next(), if reads => Step::Came(came),
            () = self.line.clock.sleep_until(self.pulse.due()) => Step::Due,
        };
        match step {
            Step::Answered(None) => Ok(()),
            Step::Answered(Some(text)) => self.write(Message::Text(text.into())).await,
            Step::Came(Some(Ok(message))) => self.came(message).await,
            Step::Came(Some(Err(fault))) => Err(Ended::Closed(fault.to_string())),
            Step::Came(None) => Err(Ended::Closed("Slack closed it".to_owned())),
            Step::Due => self.is_due(reads).await,
        }
    }

    /// It is time to ask for a sign of life, or too late for one.
    async fn is_due(&mut self, reads: bool) -> Result<(), Ended> {
        let now = self.line.clock.now();
        match self.pulse {
            // Whoever does not read hears nothing.
            Pulse::Greeting(_) | Pulse::Asked(_) if reads => Err(Ended::Silent),
            Pulse::Greeting(_) | Pulse::Asked(_) | Pulse::Beating(_) => {
                self.pulse = Pulse::Asked(now + PONG_WAIT);
                self.write(Message::Ping(Vec::new().into())).await
            }
        }
    }

    async fn came(&mut self, message: Message) -> Result<(), Ended> {
        if !matches!(self.pulse, Pulse::Greeting(_)) {
            self.pulse = Pulse::Beating(self.line.clock.now() + PING_AFTER);
        }
        match message {
            Message::Text(text) => self.read(&text).await,
            Message::Binary(_) => {
                tracing::warn!("Slack sends a frame that is no text");
                Ok(())
            }
            // The answer to a ping is written by itself, with what is written next; so something is.
            Message::Ping(_) => self.flush().await,
            Message::Pong(_) | Message::Frame(_) => Ok(()),
            Message::Close(why) => Err(Ended::Closed(match why {
                Some(frame) => format!("Slack closed it with code {}", u16::from(frame.code)),
                None => "Slack closed it".to_owned(),
            })),
        }
    }

    async fn read(&mut self, text: &Utf8Bytes) -> Result<(), Ended> {
        match Frame::read(text) {
            Some(Frame::Hello { connections }) => {
                tracing::info!(slack.connections = connections, "Slack greets on a socket");
                self.pulse = Pulse::Beating(self.line.clock.now() + PING_AFTER);
                self.greeted.get_or_insert_with(|| Counted::new(&self.line));
                Ok(())
            }
            Some(Frame::Disconnect(reason)) => Err(Ended::AskedToMove(reason)),
            Some(Frame::Envelope(envelope)) => self.take(envelope).await,
            Some(Frame::Other(kind)) => {
                tracing::debug!(slack.kind = %kind, "Slack sends something that asks for nothing");
                Ok(())
            }
            None => {
                tracing::warn!(bytes = text.len(), "a frame of Slack cannot be read");
                Ok(())
            }
        }
    }

    async fn take(&mut self, envelope: Envelope) -> Result<(), Ended> {
        match self.line.taken.came(&envelope.id) {
            Seen::Answered(text) => self.write(Message::Text(text.into())).await,
            // Acknowledged when it is done, or with the next delivery.
            Seen::UnderWay => Ok(()),
            Seen::New => {
                let line = Arc::clone(&self.line);
                // Made before it is begun, for it can be broken off before that.
                let under_way = UnderWay::of(&line.taken, &envelope.id);
                let work = async move {
                    let acknowledgement = envelope.take(&line.hall).await;
                    under_way.answered(acknowledgement)
                };
                self.under_way.push(work.boxed());
                Ok(())
            }
        }
    }

    async fn write(&mut self, message: Message) -> Result<(), Ended> {
        in_time(&self.line, self.stream.send(message)).await
    }

    async fn flush(&mut self) -> Result<(), Ended> {
        in_time(&self.line, self.stream.flush()).await
    }
}

async fn in_time(line: &Line, written: impl Future<Output = Result<(), Error>>) -> Result<(), Ended> {
    match select(Box::pin(written), line.clock.sleep_until(line.clock.now() + WRITE_WAIT)).await {
        Either::Left((Ok(()), _)) => Ok(()),
        Either::Left((Err(fault), _)) => Err(Ended::Closed(fault.to_string())),
        Either::Right(_) => Err(Ended::Silent),
    }
}
