//! Why there is no connection to Slack: a name that is not known, a port that refuses, silence, a certificate. To whoever
//! sets the server up each is something else to do, and none of them is Slack's word about a token.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use reqwest::ClientBuilder;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

use super::BadSettings;

/// What kept a connection from coming about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// The name leads to no address.
    Name,
    /// The machine is there, and takes no connection at this port.
    Refused,
    /// No way leads there from this machine.
    NoWay,
    /// Nothing came back in time.
    Silence,
    /// Something answers that does not prove to be who it should be: its certificate is not trusted here.
    Certificate,
    /// Something else.
    Other,
}

/// No connection came about: nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreached {
    /// What kept it.
    pub barrier: Barrier,
    /// Where to: host and port; the proxy's, where one is set.
    at: String,
    is_proxy: bool,
    /// What the system says of it.
    told: String,
}

impl std::fmt::Display for Unreached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { at, told, .. } = self;
        let whose = if self.is_proxy { "the proxy " } else { "" };
        let name = at.rsplit_once(':').map_or(at.as_str(), |(name, _)| name);
        match self.barrier {
            Barrier::Name if self.is_proxy => {
                write!(f, "the name {name}, of the proxy, is not known here ({told})")
            }
            Barrier::Name => write!(f, "the name {name} is not known here ({told})"),
            Barrier::Refused => write!(f, "{whose}{at} refuses the connection"),
            Barrier::NoWay => write!(f, "no way leads to {whose}{at} from this machine ({told})"),
            Barrier::Silence => write!(f, "{whose}{at} does not answer: the connection timed out"),
            Barrier::Certificate => {
                write!(f, "what answers at {whose}{at} has no certificate that is trusted here ({told})")
            }
            Barrier::Other => write!(f, "no connection to {whose}{at} comes about ({told})"),
        }
    }
}

impl Unreached {
    /// By what the client says; `proxy` is the one it goes by.
    pub(crate) fn of(error: &reqwest::Error, proxy: Option<&Url>) -> Self {
        let at = proxy.or_else(|| error.url()).and_then(host).unwrap_or_else(|| "Slack".to_owned());
        let chain = || causes(error);
        let io = || chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
        let is = |kinds: &[io::ErrorKind]| io().any(|fault| kinds.contains(&fault.kind()));
        let barrier = if chain().any(|cause| cause.is::<NameUnknown>()) {
            Barrier::Name
        } else if is(&[io::ErrorKind::ConnectionRefused]) {
            Barrier::Refused
        } else if is(&[io::ErrorKind::NetworkUnreachable, io::ErrorKind::HostUnreachable]) {
            Barrier::NoWay
        } else if error.is_timeout() || is(&[io::ErrorKind::TimedOut]) {
            Barrier::Silence
        // So TLS says that it does not trust what came; the connection itself stood.
        } else if is(&[io::ErrorKind::InvalidData]) {
            Barrier::Certificate
        } else {
            Barrier::Other
        };
        let told = chain().last().map_or_else(|| error.to_string(), ToString::to_string);
        Self { barrier, at, is_proxy: proxy.is_some(), told }
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        let Self { at, is_proxy, .. } = self;
        let setting = if *is_proxy { "the proxy of [outbound]" } else { "api_url in [slack], if it is set," };
        match self.barrier {
            Barrier::Name => format!(
                "see that {setting} is written right, and that this machine can look up names (DNS); where only a proxy can, \
                 name it in [outbound]"
            ),
            Barrier::Refused | Barrier::NoWay | Barrier::Silence | Barrier::Other => format!(
                "see that {setting} is right, and that the firewall lets this machine reach {at}; where only a proxy may, name \
                 it in [outbound]"
            ),
            Barrier::Certificate => {
                "see that this machine's clock is right, and its root certificates are there; a proxy that \
                                     looks into TLS needs its own among them"
                    .to_owned()
            }
        }
    }
}

/// The causes of an error, the innermost last. Of what an I/O error wraps, that error itself is one, which its own
/// `source` passes over.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause: &&'e (dyn Error + 'static)| {
        let cause: &'e (dyn Error + 'static) = *cause;
        let wrapped = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| cause.source())
    })
}

fn host(url: &Url) -> Option<String> {
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}

/// A name that leads nowhere.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NameUnknown(io::Error);

/// Looks names up as the system does. It is here for its error: the client's own is of a type that nobody can ask for.
struct Names;

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(NameUnknown)?;
            let found: Vec<SocketAddr> = found.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// What every client of this crate has: its name, its way out, and no redirects.
pub(crate) fn client(connect_limit: Duration, proxy: Option<&Url>) -> Result<ClientBuilder, BadSettings> {
    let builder = reqwest::Client::builder()
        .user_agent(concat!("placet/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect_limit)
        .redirect(reqwest::redirect::Policy::none())
        .dns_resolver(Names)
        .no_proxy();
    Ok(match proxy {
        Some(proxy) => builder.proxy(reqwest::Proxy::all(proxy.clone()).map_err(BadSettings::Client)?),
        None => builder,
    })
}
