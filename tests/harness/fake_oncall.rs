//! A PagerDuty and a calendar to test against: servers with state on the loopback, keeping the vendor's rules.
//!
//! What always holds: the token, the version and the paging are asked for as PagerDuty asks for them; its limits are
//! written down again here, not taken from the code under test; time is the test's clock.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State as Extract};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::get;
use placet::time::Timestamp;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

/// The token that the fake takes.
pub const PAGERDUTY_TOKEN: &str = "u+fakePagerDutyToken";

/// Calls a minute that PagerDuty takes.
const CALLS_PER_MINUTE: usize = 960;

/// The most entries of a page, and how many there are where the caller does not say.
const LIMIT_MAX: usize = 100;
const LIMIT: usize = 25;

/// Gives the time in milliseconds since the epoch.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Somebody on call at one level of an escalation policy.
#[derive(Debug, Clone)]
struct OnCall {
    level: u32,
    user: String,
    /// From when until when; none for who always is.
    shift: Option<(Timestamp, Timestamp)>,
}

struct State {
    clock: Clock,
    users: BTreeMap<String, String>,
    policies: BTreeMap<String, Vec<OnCall>>,
    called_ms: VecDeque<i64>,
    /// The queries so far, decoded.
    calls: Vec<Vec<(String, String)>>,
    status: Option<u16>,
    limits: bool,
    held: Option<Arc<Held>>,
}

/// While it lives and is not let go, no call is answered.
pub struct Held {
    asked: Semaphore,
    answers: Semaphore,
}

impl Held {
    /// Waits until a call is held up.
    pub async fn is_asked(&self) {
        if let Ok(permit) = self.asked.acquire().await {
            permit.forget();
        }
    }

    /// What is held up is answered, and nothing is held up any more.
    pub fn lets_go(&self) {
        self.answers.close();
    }
}

/// The fake, which lives until it is dropped.
pub struct FakePagerDuty {
    state: Arc<Mutex<State>>,
    url: String,
    task: AbortHandle,
}

impl Drop for FakePagerDuty {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FakePagerDuty {
    /// Starts on a free port of the loopback.
    ///
    /// # Errors
    /// If there is none.
    pub async fn start(clock: Clock) -> io::Result<Self> {
        let state = Arc::new(Mutex::new(State {
            clock,
            users: BTreeMap::new(),
            policies: BTreeMap::new(),
            called_ms: VecDeque::new(),
            calls: Vec::new(),
            status: None,
            limits: true,
            held: None,
        }));
        let router = Router::new().route("/oncalls", get(oncalls)).with_state(Arc::clone(&state));
        let (url, task) = serve(router).await?;
        Ok(Self { state, url, task })
    }

    /// Where the API is, ending in a slash.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A user of this id, and their mail address.
    pub fn has_user(&self, user: &str, email: &str) {
        self.state().users.insert(user.to_owned(), email.to_owned());
    }

    /// Puts somebody on call at a level of an escalation policy, for good or from then until then.
    pub fn puts_on_call(
        &self,
        (policy, level): (&str, u32),
        user: &str,
        shift: Option<(Timestamp, Timestamp)>,
    ) {
        let on_call = OnCall { level, user: user.to_owned(), shift };
        self.state().policies.entry(policy.to_owned()).or_default().push(on_call);
    }

    /// Nobody is on call by an escalation policy any more.
    pub fn clears(&self, policy: &str) {
        self.state().policies.remove(policy);
    }

    /// Every call is answered with this status, until `None`.
    pub fn answers_with(&self, status: Option<u16>) {
        self.state().status = status;
    }

    /// Holds up every call until it is let go.
    #[must_use]
    pub fn is_held(&self) -> Arc<Held> {
        let held = Arc::new(Held { asked: Semaphore::new(0), answers: Semaphore::new(0) });
        self.state().held = Some(Arc::clone(&held));
        held
    }

    /// Takes no call for the rest of the minute.
    pub fn is_exhausted(&self) {
        let mut state = self.state();
        let now_ms = (state.clock)();
        state.called_ms = std::iter::repeat_n(now_ms, CALLS_PER_MINUTE).collect();
    }

    /// The queries so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Vec<(String, String)>> {
        self.state().calls.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `GET /oncalls`.
async fn oncalls(
    Extract(state): Extract<Arc<Mutex<State>>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response<Body> {
    let held = state.lock().unwrap_or_else(PoisonError::into_inner).held.clone();
    if let Some(held) = held {
        held.asked.add_permits(1);
        // Closed: it was let go.
        let _ = held.answers.acquire().await;
    }
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
    state.calls.push(query.clone());
    if let Some(status) = state.status {
        return answer(status, &json!({ "error": { "message": "as the test wants it" } }));
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if header("authorization") != format!("Token token={PAGERDUTY_TOKEN}") {
        return answer(401, &json!({ "error": { "message": "Unauthorized", "code": 2006 } }));
    }
    if header("accept") != "application/vnd.pagerduty+json;version=2" {
        return answer(406, &json!({ "error": { "message": "Not Acceptable" } }));
    }
    if let Err(reset_secs) = take_call(&mut state) {
        let mut limited =
            answer(429, &json!({ "error": { "message": "Rate Limit Exceeded", "code": 2020 } }));
        limited.headers_mut().insert("ratelimit-reset", reset_secs.into());
        return limited;
    }
    page(&state, &query)
}

/// Counts a call, or says in how many seconds there is room again.
fn take_call(state: &mut State) -> Result<(), u64> {
    let now_ms = (state.clock)();
    while state.called_ms.front().is_some_and(|at| now_ms - at >= 60_000) {
        state.called_ms.pop_front();
    }
    if state.limits && state.called_ms.len() >= CALLS_PER_MINUTE {
        let left_ms = state.called_ms.front().map_or(0, |at| at + 60_000 - now_ms);
        return Err(u64::try_from(left_ms.div_euclid(1000) + 1).unwrap_or(1));
    }
    state.called_ms.push_back(now_ms);
    Ok(())
}

/// Everybody on call now by the policies asked for, at every level, a page at a time.
fn page(state: &State, query: &[(String, String)]) -> Response<Body> {
    let number = |name: &str, default: usize| match values(query, name).next() {
        None => Some(default),
        Some(text) => text.parse().ok(),
    };
    let (Some(limit), Some(offset)) = (number("limit", LIMIT), number("offset", 0)) else {
        return answer(400, &json!({ "error": { "message": "Invalid Input Provided", "code": 2001 } }));
    };
    let limit = limit.min(LIMIT_MAX);
    let with_users = values(query, "include[]").any(|what| what == "users");
    let now = Timestamp::from_millis((state.clock)());
    let asked = values(query, "escalation_policy_ids[]");
    let entries = asked.filter_map(|policy| Some((policy, state.policies.get(policy)?)));
    let entries: Vec<Value> = entries
        .flat_map(|(policy, on_call)| on_call.iter().map(move |one| (policy, one)))
        .filter(|(_, one)| one.shift.is_none_or(|(from, until)| from <= now && now < until))
        .map(|(policy, one)| entry(state, (policy, one), with_users))
        .collect();
    let page: Vec<&Value> = entries.iter().skip(offset).take(limit).collect();
    let more = offset + page.len() < entries.len();
    answer(200, &json!({ "oncalls": page, "limit": limit, "offset": offset, "more": more, "total": null }))
}

fn values<'q>(query: &'q [(String, String)], name: &str) -> impl Iterator<Item = &'q str> {
    query.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn entry(state: &State, (policy, one): (&str, &OnCall), with_users: bool) -> Value {
    let user = if with_users {
        json!({ "id": one.user, "type": "user", "name": one.user, "email": state.users.get(&one.user) })
    } else {
        json!({ "id": one.user, "type": "user_reference", "summary": one.user })
    };
    let at = |pick: fn(&(Timestamp, Timestamp)) -> Timestamp| {
        one.shift.as_ref().map(|shift| pick(shift).to_rfc3339())
    };
    json!({
        "escalation_policy": { "id": policy, "type": "escalation_policy_reference" },
        "escalation_level": one.level,
        "schedule": one.shift.map(|_| json!({ "id": "PSCHED1", "type": "schedule_reference" })),
        "user": user,
        "start": at(|shift| shift.0),
        "end": at(|shift| shift.1),
    })
}

/// A server that has one calendar, at an address that is itself the secret.
pub struct FakeCalendar {
    served: Arc<Mutex<Served>>,
    url: String,
    task: AbortHandle,
}

#[derive(Default)]
struct Served {
    text: String,
    status: Option<u16>,
    location: Option<String>,
    calls: usize,
}

impl Drop for FakeCalendar {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FakeCalendar {
    /// Starts on a free port of the loopback, with an empty calendar.
    ///
    /// # Errors
    /// If there is none.
    pub async fn start() -> io::Result<Self> {
        let served = Arc::new(Mutex::new(Served::default()));
        let router =
            Router::new().route("/secret-feed/on-call.ics", get(feed)).with_state(Arc::clone(&served));
        let (url, task) = serve(router).await?;
        let fake = Self { served, url: format!("{url}secret-feed/on-call.ics"), task };
        fake.has_events("");
        Ok(fake)
    }

    /// Where the calendar is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The calendar has these events from now on: lines between `BEGIN:VCALENDAR` and its end.
    pub fn has_events(&self, lines: &str) {
        let lines = lines.trim_start().replace('\n', "\r\n");
        self.serves(&format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example.org//EN\r\n{lines}END:VCALENDAR\r\n"
        ));
    }

    /// This is at the address from now on.
    pub fn serves(&self, text: &str) {
        self.served().text = text.to_owned();
    }

    /// Every call is answered with this status, until `None`.
    pub fn answers_with(&self, status: Option<u16>) {
        self.served().status = status;
    }

    /// Every call is sent elsewhere, until `None`.
    pub fn leads_to(&self, location: Option<&str>) {
        let mut served = self.served();
        served.location = location.map(ToOwned::to_owned);
        served.status = location.map(|_| 302);
    }

    /// How often it was asked.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.served().calls
    }

    fn served(&self) -> MutexGuard<'_, Served> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn feed(Extract(served): Extract<Arc<Mutex<Served>>>) -> Response<Body> {
    let mut served = served.lock().unwrap_or_else(PoisonError::into_inner);
    served.calls += 1;
    let mut response = Response::new(Body::from(served.text.clone()));
    *response.status_mut() = status(served.status.unwrap_or(200));
    if let Some(location) = served.location.as_ref().and_then(|location| location.parse().ok()) {
        response.headers_mut().insert("location", location);
    }
    response
}

fn answer(code: u16, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status(code);
    response
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Serves on a free port; the address ends in a slash.
async fn serve(router: Router) -> io::Result<(String, AbortHandle)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    Ok((url, serving.abort_handle()))
}

#[cfg(test)]
mod tests;
