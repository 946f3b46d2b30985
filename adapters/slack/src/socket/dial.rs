//! Opening a socket: asking the Web API for its address, and the WebSocket handshake (RFC 6455, section 4.1).
//!
//! The connection is made by the same HTTP client as every call, so that TLS, its roots and the configured proxy are
//! the same for both; only the frames are not its business.

use futures::future::{Either, select};
use placet::ports::Clock;
use placet::time::Ttl;
use reqwest::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use reqwest::{StatusCode, Upgraded};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use url::Url;

use crate::api::{ApiError, ApiSettings, BadSettings, SlackApi, classify_transport, client};
use crate::inbound::BODY_BYTES_MAX;

/// How long the handshake may take once there is an address, whose ticket soon lapses.
const HANDSHAKE_LIMIT: Ttl = Ttl::from_secs(10);

/// What is read at once. Envelopes are a few KiB.
const READ_BYTES: usize = 16 * 1024;

/// A socket.
pub(super) type Stream = WebSocketStream<Upgraded>;

/// Opens sockets.
pub(super) struct Dialer {
    api: SlackApi,
    http: reqwest::Client,
    proxy: Option<Url>,
}

impl Dialer {
    pub(super) fn new(reach: ApiSettings) -> Result<Self, BadSettings> {
        // Only HTTP/1.1 can be upgraded so.
        let builder =
            client(reach.connect_limit, reach.proxy.as_ref())?.http1_only().pool_max_idle_per_host(0);
        let http = builder.build().map_err(BadSettings::Client)?;
        let proxy = reach.proxy.clone();
        Ok(Self { api: SlackApi::new(reach)?, http, proxy })
    }

    /// One socket. An error says what came of it; nothing of the address is in it.
    pub(super) async fn dial(&self, clock: &dyn Clock) -> Result<Stream, ApiError> {
        let address = self.api.connections_open().await?;
        let handshake = Box::pin(self.shake_hands(address));
        match select(handshake, clock.sleep_until(clock.now() + HANDSHAKE_LIMIT)).await {
            Either::Left((stream, _)) => stream,
            Either::Right(_) => Err(ApiError::Unavailable),
        }
    }

    async fn shake_hands(&self, address: Url) -> Result<Stream, ApiError> {
        let url = http_address(&address).ok_or(ApiError::Unknown)?;
        let key = generate_key();
        let request = self
            .http
            .get(url)
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key);
        // A ticket that may be spent is none: the next attempt asks for another.
        let answer =
            request.send().await.map_err(|error| match classify_transport(&error, self.proxy.as_ref()) {
                unreached @ ApiError::Unreached(_) => unreached,
                _ => ApiError::Unavailable,
            })?;
        let status = answer.status();
        if status != StatusCode::SWITCHING_PROTOCOLS {
            return Err(match status {
                StatusCode::TOO_MANY_REQUESTS => ApiError::RateLimited { retry_after: None },
                _ => ApiError::Unavailable,
            });
        }
        let accepted = answer.headers().get(SEC_WEBSOCKET_ACCEPT).map(|accept| accept.as_bytes().to_vec());
        if accepted.as_deref() != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
            return Err(ApiError::Unknown);
        }
        let stream = answer.upgrade().await.map_err(|_| ApiError::Unavailable)?;
        let mut config = WebSocketConfig::default();
        config.read_buffer_size = READ_BYTES;
        config.max_message_size = Some(BODY_BYTES_MAX);
        config.max_frame_size = Some(BODY_BYTES_MAX);
        Ok(WebSocketStream::from_raw_socket(stream, Role::Client, Some(config)).await)
    }
}

/// The same address as an HTTP client takes it.
fn http_address(address: &Url) -> Option<Url> {
    let (scheme, rest) = address.as_str().split_once(':')?;
    let scheme = match scheme {
        "wss" => "https",
        "ws" => "http",
        _ => return None,
    };
    Url::parse(&format!("{scheme}:{rest}")).ok()
}
