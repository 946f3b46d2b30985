//! One client for all sources: bounded in time and size, without redirects.

use placet::time::Ttl;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, NoProxy, Proxy, Response, StatusCode};

use crate::{BadSettings, OnCallSettings};

/// Why nothing came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No connection, no answer in time, or a fault on the other side.
    Unavailable,
    /// Too many calls.
    SlowDown {
        /// For how long to be silent, where the server says so.
        after: Option<Ttl>,
    },
    /// The token is not valid or may not do this.
    Unauthorised,
    /// There is no such thing, or it leads elsewhere.
    Refused(u16),
    /// The answer is longer than it may be.
    TooLong,
    /// The answer is not what was asked for.
    Garbled,
}

/// The client.
#[derive(Debug, Clone)]
pub(crate) struct Fetch {
    http: Client,
}

impl Fetch {
    pub(crate) fn new(settings: &OnCallSettings) -> Result<Self, BadSettings> {
        let mut builder = Client::builder()
            .user_agent(concat!("placet/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(settings.connect_limit)
            .timeout(settings.call_limit)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy();
        if let Some(proxy) = &settings.proxy {
            // A proxy elsewhere cannot reach what listens on this machine alone.
            let here = NoProxy::from_string("127.0.0.1,::1,localhost");
            let proxy = Proxy::all(proxy.clone()).map_err(BadSettings::Client)?.no_proxy(here);
            builder = builder.proxy(proxy);
        }
        Ok(Self { http: builder.build().map_err(BadSettings::Client)? })
    }

    /// Gets what is at an address, up to so many bytes.
    pub(crate) async fn get(
        &self,
        url: url::Url,
        headers: HeaderMap,
        bytes_max: usize,
    ) -> Result<Vec<u8>, Fault> {
        let response = self.http.get(url).headers(headers).send().await.map_err(|_| Fault::Unavailable)?;
        let status = response.status();
        match status {
            StatusCode::TOO_MANY_REQUESTS => Err(Fault::SlowDown { after: pause(response.headers()) }),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Fault::Unauthorised),
            _ if status.is_server_error() => Err(Fault::Unavailable),
            StatusCode::OK => bounded(response, bytes_max).await,
            _ => Err(Fault::Refused(status.as_u16())),
        }
    }
}

/// For how many seconds to be silent: in PagerDuty's own header, or in the usual one.
fn pause(headers: &HeaderMap) -> Option<Ttl> {
    let header = headers.get("ratelimit-reset").or_else(|| headers.get(RETRY_AFTER))?;
    let secs: u32 = header.to_str().ok()?.trim().parse().ok()?;
    Some(Ttl::from_secs(secs.into()))
}

async fn bounded(mut response: Response, bytes_max: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| Fault::Unavailable)? {
        if bytes.len() + chunk.len() > bytes_max {
            return Err(Fault::TooLong);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
