//! What the tests of this crate share: cards come from those of all surfaces; what is Slack's stands here.

use std::sync::Arc;

use placet::time::{Timestamp, Ttl};
pub(crate) use placet_test_cards::*;

use crate::api::{ApiSettings, SlackApi};

/// A clock that stands until it is moved; waits pass by themselves.
pub(crate) struct StandingClock(std::sync::Mutex<Timestamp>);

impl StandingClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(std::sync::Mutex::new(at(100))))
    }

    pub(crate) fn passes(&self, span: Ttl) {
        let mut now = self.0.lock().unwrap();
        *now = *now + span;
    }
}

#[async_trait::async_trait]
impl placet::time::Clock for StandingClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }

    async fn sleep_until(&self, at: Timestamp) {
        let mut now = self.0.lock().unwrap();
        *now = (*now).max(at);
    }
}

/// The API of a server on the loopback that answers each method by this function.
pub(crate) async fn stand_in<F>(answer: F) -> SlackApi
where
    F: FnMut(&str, axum::body::Bytes) -> axum::response::Response + Send + 'static,
{
    let answer = Arc::new(std::sync::Mutex::new(answer));
    let handler = move |request: axum::extract::Request| {
        let answer = Arc::clone(&answer);
        async move {
            let (parts, body) = request.into_parts();
            let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
            let method = parts.uri.path().trim_start_matches("/api/").to_owned();
            (answer.lock().unwrap())(&method, body)
        }
    };
    let router = axum::Router::new().fallback(handler);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = url::Url::parse(&format!("http://{}/api/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    SlackApi::new(ApiSettings::new(base_url, secrecy::SecretString::from("xoxb-test"))).unwrap()
}

pub(crate) fn settings() -> crate::SlackSettings {
    crate::SlackSettings {
        name: slack(),
        tenant: tenant(),
        home: crate::identity::Home { team_id: "T0PLACET01".into(), enterprise_id: None },
        default_channel: "CDEFAULT".into(),
        ops_channel: None,
        language: placet::text::Language::English,
        languages: std::collections::BTreeMap::new(),
        post_interval: Ttl::ZERO,
    }
}
