//! Sends one HTTP request to a host that the settings allow.

use std::collections::BTreeMap;

use async_trait::async_trait;
use placet::call::CanonicalArgs;
use placet::gate::Running;
use placet::id::IdError;
use placet::ports::{Tool, ToolResult, ToolSpec};
use placet::time::Ttl;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, Url, redirect};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{read, spec};

/// How long a request may take, its answer included.
const REQUEST_TIME_MAX: Ttl = Ttl::from_secs(20);

/// The most bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The most bytes that are sent.
const SENT_BYTES_MAX: usize = 64 * 1024;

/// The methods that can be asked for.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// Headers that say whom a request is for, or how it is framed: the client's own to set.
const OWN_HEADERS: [&str; 6] = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te"];

/// Sends one HTTP request to an allowed host.
pub struct HttpRequest {
    spec: ToolSpec,
    hosts: Vec<String>,
    client: Client,
}

/// Why the tool cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum HttpSetupError {
    /// Never, as its name is one.
    #[error(transparent)]
    Name(#[from] IdError),
    /// The client could not be built.
    #[error("the HTTP client could not be built: {0}")]
    Client(#[from] reqwest::Error),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    url: String,
    method: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: Option<String>,
}

/// A request that may be sent.
struct Allowed {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: String,
}

impl HttpRequest {
    /// To these hosts only, each as `host` (on the scheme's own port) or `host:port`.
    ///
    /// # Errors
    /// [`HttpSetupError`].
    pub fn new(hosts: impl IntoIterator<Item = String>) -> Result<Self, HttpSetupError> {
        let schema = json!({
            "type": "object",
            "properties": {
                "url": {"type": "string", "description": "http or https, to an allowed host."},
                "method": {"type": "string", "enum": METHODS},
                "headers": {"type": "object", "additionalProperties": {"type": "string"}},
                "body": {"type": "string"},
            },
            "required": ["method", "url"], "additionalProperties": false,
        });
        let about = "Sends one HTTP request to an allowed host, without following redirects.";
        // A redirect would lead to a host that nobody allowed, and a proxy of the environment past the list.
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(REQUEST_TIME_MAX.as_duration())
            .build()?;
        let hosts = hosts.into_iter().map(|host| host.trim().to_ascii_lowercase()).collect();
        Ok(Self { spec: spec("http_request", about, schema)?, hosts, client })
    }

    async fn act(&self, args: &CanonicalArgs) -> ToolResult {
        let allowed = match read::<Args>(args).and_then(|args| self.allowed(args)) {
            Ok(allowed) => allowed,
            Err(failed) => return failed,
        };
        let Allowed { method, url, headers, body } = allowed;
        match self.client.request(method, url).headers(headers).body(body).send().await {
            Ok(response) => answer(response).await,
            Err(error) if error.is_connect() || error.is_builder() => {
                ToolResult::Failed(format!("nothing was sent: {}", plain(&error)))
            }
            // It may have arrived, and done what it asks for.
            Err(error) => ToolResult::Unknown(format!("no answer came: {}", plain(&error))),
        }
    }

    /// Checks everything before anything is sent.
    fn allowed(&self, args: Args) -> Result<Allowed, ToolResult> {
        let refused = |why: &str| Err(ToolResult::Failed(format!("nothing was sent: {why}")));
        let Ok(url) = Url::parse(&args.url) else { return refused("this is no URL") };
        if !matches!(url.scheme(), "http" | "https") {
            return refused("only http and https are spoken");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused("a URL with a name or password in it is not sent");
        }
        if self.hosts.is_empty() {
            return refused("no host is allowed; whoever looks after the installation can allow some");
        }
        if !self.is_allowed(&url) {
            return refused(&format!("its host is not allowed; allowed are {}", self.hosts.join(", ")));
        }
        let method = args.method.to_ascii_uppercase();
        if !METHODS.contains(&method.as_str()) {
            return refused("this method is not spoken");
        }
        let Ok(method) = Method::from_bytes(method.as_bytes()) else {
            return refused("this method is not spoken");
        };
        let mut headers = HeaderMap::new();
        for (name, value) in args.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).ok();
            let value = HeaderValue::from_str(&value).ok();
            let (Some(name), Some(value)) = (name, value) else { return refused("a header is not right") };
            if OWN_HEADERS.contains(&name.as_str()) {
                return refused(&format!("the header {name} cannot be set"));
            }
            headers.insert(name, value);
        }
        let body = args.body.unwrap_or_default();
        if body.len() > SENT_BYTES_MAX {
            return refused("the body is too long");
        }
        Ok(Allowed { method, url, headers, body })
    }

    fn is_allowed(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        // The parser has made one spelling of it: lower case, no trailing port of the scheme.
        let name = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        self.hosts.contains(&name)
    }
}

/// The answer as data. An answer with an error status is an answer.
async fn answer(mut response: Response) -> ToolResult {
    let status = response.status().as_u16();
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut body: Vec<u8> = Vec::new();
    let mut whole = true;
    let mut broken = None;
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                let room = ANSWER_BYTES_MAX - body.len();
                body.extend_from_slice(&chunk[..chunk.len().min(room)]);
                if chunk.len() > room {
                    whole = false;
                    break;
                }
            }
            Ok(None) => break,
            Err(error) => {
                broken = Some(plain(&error));
                break;
            }
        }
    }
    let mut told = json!({"status": status, "body": String::from_utf8_lossy(&body)});
    if let Some(kind) = kind {
        told["content_type"] = Value::String(kind);
    }
    if !whole {
        told["cut"] = Value::String(format!("only the first {ANSWER_BYTES_MAX} bytes were read"));
    }
    if let Some(why) = broken {
        told["cut"] = Value::String(format!("the answer broke off: {why}"));
    }
    ToolResult::Done(told)
}

/// The error without its URL, which can hold what is nobody's business, and with its causes.
fn plain(error: &reqwest::Error) -> String {
    let kind = if error.is_timeout() {
        "it took too long"
    } else if error.is_connect() {
        "the host could not be reached"
    } else {
        "the connection failed"
    };
    let mut causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    causes.by_ref().last().map_or_else(|| kind.to_owned(), |cause| format!("{kind} ({cause})"))
}

#[async_trait]
impl Tool for HttpRequest {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, running: Running) -> ToolResult {
        self.act(running.args()).await
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    fn args(value: Value) -> CanonicalArgs {
        CanonicalArgs::from_value(&value).unwrap()
    }

    /// Answers one request with these bytes, and gives what was asked.
    async fn server(answer: Vec<u8>) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = vec![0; 4096];
            let count = stream.read(&mut asked).await.unwrap();
            let _cut = stream.write_all(&answer).await;
            String::from_utf8_lossy(&asked[..count]).into_owned()
        });
        (host, served)
    }

    #[tokio::test]
    async fn nothing_is_allowed_unless_it_is_listed() {
        let none = HttpRequest::new(Vec::new()).unwrap();
        let refused = none.act(&args(json!({"method": "GET", "url": "http://127.0.0.1:1/"}))).await;
        assert!(matches!(refused, ToolResult::Failed(why) if why.contains("no host is allowed")));
        let some = HttpRequest::new(["api.example.com".to_owned()]).unwrap();
        for url in [
            "http://other.example.com/",
            "http://api.example.com.evil.net/",
            "http://api.example.com:8080/",
            "http://api.example.com@evil.net/",
            "http://user:pw@api.example.com/",
            "file:///etc/passwd",
            "ftp://api.example.com/",
            "//api.example.com/",
            "http://169.254.169.254/latest",
        ] {
            let refused = some.act(&args(json!({"method": "GET", "url": url}))).await;
            assert!(
                matches!(&refused, ToolResult::Failed(why) if why.starts_with("nothing was sent")),
                "{url}"
            );
        }
        for more in [
            json!({"url": "https://api.example.com/", "method": "CONNECT"}),
            json!({"method": "GET", "url": "https://api.example.com/", "headers": {"Host": "evil.net"}}),
            json!({"method": "GET", "url": "https://api.example.com/", "headers": {"X": "a\r\nY: b"}}),
            json!({"method": "PUT", "url": "https://api.example.com/", "body": "x".repeat(SENT_BYTES_MAX + 1)}),
        ] {
            assert!(matches!(some.act(&args(more)).await, ToolResult::Failed(_)));
        }
    }

    #[tokio::test]
    async fn a_request_is_sent_and_its_answer_read() {
        let (host, served) = server(
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nno".to_vec(),
        )
        .await;
        let tool = HttpRequest::new([host.clone()]).unwrap();
        let sent = json!({"url": format!("http://{host}/a?b"), "method": "post", "body": "hi", "headers": {"X-A": "1"}});
        let told = tool.act(&args(sent)).await;
        assert_eq!(
            told,
            ToolResult::Done(json!({"status": 404, "body": "no", "content_type": "text/plain"}))
        );
        let asked = served.await.unwrap();
        assert!(asked.starts_with("POST /a?b HTTP/1.1\r\n") && asked.ends_with("\r\n\r\nhi"), "{asked}");
        assert!(asked.contains("x-a: 1\r\n"));
    }

    #[tokio::test]
    async fn redirects_are_told_and_not_followed_and_long_answers_cut() {
        let (host, _) =
            server(b"HTTP/1.1 302 Found\r\nLocation: http://evil.net/\r\nContent-Length: 0\r\n\r\n".to_vec())
                .await;
        let tool = HttpRequest::new([host.clone()]).unwrap();
        let told = tool.act(&args(json!({"method": "GET", "url": format!("http://{host}/")}))).await;
        assert!(matches!(told, ToolResult::Done(told) if told["status"] == 302));
        let mut long = b"HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n".to_vec();
        long.resize(long.len() + 200_000, b'x');
        let (host, _) = server(long).await;
        let tool = HttpRequest::new([host.clone()]).unwrap();
        let ToolResult::Done(told) =
            tool.act(&args(json!({"method": "GET", "url": format!("http://{host}/")}))).await
        else {
            panic!("no answer")
        };
        assert_eq!(told["body"].as_str().unwrap().len(), ANSWER_BYTES_MAX);
        assert!(told["cut"].is_string());
    }

    /// A connection that breaks after the request was sent leaves open whether it was done.
    #[tokio::test]
    async fn what_may_have_arrived_is_unknown() {
        let (host, _) = server(Vec::new()).await;
        let tool = HttpRequest::new([host.clone()]).unwrap();
        let url = format!("http://{host}/");
        assert!(matches!(
            tool.act(&args(json!({"method": "GET", "url": url}))).await,
            ToolResult::Unknown(_)
        ));
        let refused = tool.act(&args(json!({"method": "GET", "url": url}))).await;
        assert!(
            matches!(&refused, ToolResult::Failed(why) if why.contains("could not be reached")),
            "{refused:?}"
        );
    }
}
