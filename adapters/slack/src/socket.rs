//! Socket Mode: Slack's calls on connections that Placet opens, so that no address of its own has to be public.
//!
//! What always holds:
//! - The socket is the authentication: a payload comes from a connection whose address Slack gave to the app's own
//!   token, and from nowhere else ([`Enveloped`](crate::payload::Enveloped)). It is for the socket's own workspace, or for none.
//! - An envelope is acknowledged after the durable write and nothing slower; what could not be kept is not
//!   acknowledged, so that Slack delivers it again, here or to another process. Delivered again, it acts once.
//! - When Slack asks to move, the next socket is opened first, and the old one is read until it ends: no gap.
//! - Which of several connections an envelope comes on does not matter: nothing is kept between them but the last
//!   answers, and those only so that a redelivery is answered alike.
//! - Every wait has a named limit and is measured by the [`Clock`] port.
//!
//! ```text
//! keep (one per connection) ── dial: apps.connections.open → wss ── Connection::serve ── asked to move: run dry
//! ```
//!
//! Source: <https://docs.slack.dev/apis/events-api/using-socket-mode>.

mod connection;
mod dial;
mod envelope;
mod pause;
mod taken;

use std::pin::pin;
use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use futures::stream::{FuturesUnordered, StreamExt as _};
use placet::ports::{Clock, Entropy};
use placet::time::Ttl;
use tokio::sync::watch;

use crate::api::{ApiError, ApiSettings, BadSettings};
use crate::inbound::{Hall, SlackInbound};

use connection::{Connection, Ended};
use dial::Dialer;
use envelope::Reason;
use pause::Pause;
use taken::Taken;

/// The most connections that Slack allows an app.
pub const CONNECTIONS_MAX: usize = 10;

/// A connection that lived as long as this was a good one: the next trouble begins with a short pause again. Slack
/// moves connections every few hours.
const STEADY: Ttl = Ttl::from_secs(30);

/// How the sockets are reached.
#[derive(Debug, Clone)]
pub struct SocketSettings {
    /// The Web API with the app-level token (`xapp-…`) in place of the bot's.
    pub reach: ApiSettings,
    /// How many connections are kept, from 1 to [`CONNECTIONS_MAX`]. With two, one that breaks off is not missed.
    pub connections: usize,
}

/// The sockets of one app.
pub struct SlackSocket {
    line: Arc<Line>,
    dialer: Dialer,
    connections: usize,
}

/// What all connections share.
pub(crate) struct Line {
    hall: Hall,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    taken: Arc<Taken>,
    /// How many connections have been greeted and have not ended.
    connected: watch::Sender<usize>,
}

impl SlackSocket {
    /// Sockets that hand what comes to `inbound`. Nothing is opened yet.
    ///
    /// # Errors
    /// [`BadSettings`] where the settings make no client.
    pub fn new(inbound: SlackInbound, settings: SocketSettings) -> Result<Self, BadSettings> {
        let (clock, entropy) = (Arc::clone(inbound.gate.clock()), Arc::clone(inbound.gate.entropy()));
        let hall = Hall::of(inbound);
        let (connected, _) = watch::channel(0);
        let line = Line { hall, clock, entropy, taken: Arc::default(), connected };
        Ok(Self {
            line: Arc::new(line),
            dialer: Dialer::new(settings.reach)?,
            connections: settings.connections.clamp(1, CONNECTIONS_MAX),
        })
    }

    /// How many connections stand, as it changes.
    #[must_use]
    pub fn connected(&self) -> watch::Receiver<usize> {
        self.line.connected.subscribe()
    }

    /// Keeps the connections, for ever. Dropped, it breaks them off: what was not acknowledged comes again.
    pub async fn run(&self) {
        join_all((0..self.connections).map(|number| self.keep(number))).await;
    }

    /// Keeps one connection: opens the next as soon as one ends or is asked to.
    async fn keep(&self, number: usize) {
        let line = &self.line;
        let mut pause = Pause::default();
        // Connections that were asked to move, and are read until they end.
        let mut leaving = FuturesUnordered::new();
        loop {
            let rest = match alongside(&mut leaving, self.dialer.dial(&*line.clock)).await {
                Ok(stream) => {
                    let began = line.clock.now();
                    let mut connection = Connection::new(Arc::clone(line), stream);
                    let ended = alongside(&mut leaving, connection.serve()).await;
                    let steady = line.clock.now().since(began) >= STEADY;
                    if steady {
                        pause.reset();
                    }
                    let rest = match told(number, &ended) {
                        // Whoever was just opened and is asked to move at once may be asked so for ever.
                        Next::AtOnce if steady => None,
                        Next::AtOnce | Next::Soon => Some(pause.next(&*line.entropy, None)),
                        Next::Late => Some(pause.longest(&*line.entropy)),
                    };
                    leaving.push(leave(connection, ended));
                    rest
                }
                Err(fault) => Some(after(number, &fault, &mut pause, &*line.entropy)),
            };
            if let Some(rest) = rest {
                let until = line.clock.now() + rest;
                alongside(&mut leaving, line.clock.sleep_until(until)).await;
            }
        }
    }
}

/// A connection's end: what it was asked to do is finished, also where it can no longer be acknowledged.
fn leave(mut connection: Connection, ended: Ended) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        if let Ended::AskedToMove(_) = ended {
            connection.run_dry().await;
        }
        connection.finish().await;
    })
}

/// Does `work` while connections that are leaving are read.
async fn alongside<T>(
    leaving: &mut FuturesUnordered<BoxFuture<'static, ()>>,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            Some(()) = leaving.next(), if !leaving.is_empty() => {}
        }
    }
}

/// When the next connection is opened.
enum Next {
    AtOnce,
    Soon,
    Late,
}

/// Says in the log why a connection ended, and when to open the next.
fn told(number: usize, ended: &Ended) -> Next {
    match ended {
        Ended::AskedToMove(Reason::LinkDisabled) => {
            tracing::error!(
                slack.socket = number,
                "Socket Mode was turned off in the settings of the Slack app: no click arrives until it is turned on again \
                 (api.slack.com/apps, \"Socket Mode\"), or Placet is set up for HTTP"
            );
            Next::Late
        }
        Ended::AskedToMove(Reason::TooMany) => {
            tracing::warn!(
                slack.socket = number,
                "Slack allows an app ten sockets, and there are more: those that are left by a process that died end by \
                 themselves; else lower `socket_connections` in [slack]"
            );
            Next::Late
        }
        Ended::AskedToMove(reason) => {
            tracing::debug!(slack.socket = number, ?reason, "Slack moves a socket");
            Next::AtOnce
        }
        Ended::Closed(why) => {
            tracing::warn!(slack.socket = number, error = %why, "a socket to Slack broke off; the next is opened");
            Next::Soon
        }
        Ended::Silent => {
            tracing::warn!(slack.socket = number, "a socket to Slack went silent; the next is opened");
            Next::Soon
        }
    }
}

/// Says in the log why there is no connection, and for how long to leave Slack alone.
fn after(number: usize, fault: &ApiError, pause: &mut Pause, entropy: &dyn Entropy) -> Ttl {
    match fault {
        ApiError::Auth { .. } => {
            tracing::error!(
                slack.socket = number,
                error = %fault,
                "Slack does not take `app_token` in [slack]: an app-level token (xapp-…) with the scope connections:write is \
                 needed (api.slack.com/apps, \"Basic Information\", \"App-Level Tokens\"); no click arrives until it is right"
            );
            pause.longest(entropy)
        }
        ApiError::Other { .. } => {
            tracing::error!(slack.socket = number, error = %fault, "Slack gives no socket; it is asked again");
            pause.longest(entropy)
        }
        ApiError::RateLimited { retry_after } => {
            tracing::warn!(slack.socket = number, error = %fault, "a socket to Slack has to wait");
            pause.next(entropy, retry_after.map(|seconds| Ttl::from_secs(seconds.into())))
        }
        _ => {
            let remedy = fault.remedy().map_or_else(String::new, |remedy| format!(": {remedy}"));
            tracing::warn!(
                slack.socket = number,
                error = %fault,
                "no socket to Slack could be opened; it is tried again{remedy}"
            );
            pause.next(entropy, None)
        }
    }
}

#[cfg(test)]
mod tests;
