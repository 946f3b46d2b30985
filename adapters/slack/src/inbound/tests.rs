use std::sync::Mutex;

use axum::Json;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderValue, Method, Request};
use hmac::{Hmac, KeyInit, Mac};
use placet::approval::{Approval, Assurance, Command as Asked, Decision, Facts, Opened, Opening, Status};
use placet::card::Redactor;
use placet::gate::{Directories, GateParts, GateSettings, NoOnCall, PolicyShelf, Trusted, Wakes};
use placet::inbound::{Act, Inbound};
use placet::person::Identity;
use placet::policy::{Policy, PolicySet};
use placet::ports::{NoSchemas, RequestStore, Store};
use placet::text::Trouble;
use placet_store::{Location, Options, SqliteStore};
use secrecy::SecretString;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::sync::Notify;
use tower::ServiceExt as _;

use super::intent::{Context, Intent, read};
use super::*;
use crate::fixtures::{
    Counting, Fixed, StandingClock, at, proposal, settings, slack, stand_in, tenant, terms, verdict, view,
    waiting,
};
use crate::payload::Interaction;
use crate::render::{ButtonValue, Rendering, details, dialog};
use crate::signature::cases::{malformed_signatures, malformed_timestamps};
use crate::signature::{SIGNATURE_HEADER, TIMESTAMP_HEADER};

const SECRET: &str = "a secret of this test";

const POLICY: &str = r#"version = "test"
places = [{ surface = "slack", channel = "C1" }]
[levels.high]
tier = "approve"
role = "admin"
[default]
level = "high"
role = "admin"
because = "No rule knows it."
[roles]
stewards = ["admin"]
names = ["viewer"]
[[people]]
id = "ana"
name = "Ana"
roles = ["admin"]
slack = ["T0PLACET01/U0ANA00001"]
[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
slack = ["T0PLACET01/U0BO000001"]
[[people]]
id = "vic"
name = "Vic"
roles = ["viewer"]
slack = ["T0PLACET01/U0VIC00001"]
"#;

/// Placet's way in, with a store behind it and a Slack that notes what it is asked.
struct Office {
    router: axum::Router,
    gate: Gate,
    slack: Slack,
    store: SqliteStore,
    calls: Arc<Mutex<Vec<(String, Value)>>>,
    called: Arc<Notify>,
    request: Approval,
}

impl Office {
    async fn new(args: &Value) -> Self {
        Self::with(args, |_| {
            Json(json!({ "ok": true, "view": { "id": "V1" }, "channel": "C1", "ts": "1.1" }))
        })
        .await
    }

    async fn with(args: &Value, mut answer: impl FnMut(&str) -> Json<Value> + Send + 'static) -> Self {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let called = Arc::new(Notify::new());
        let (seen, bell) = (Arc::clone(&calls), Arc::clone(&called));
        let api = stand_in(move |method: &str, body: Bytes| {
            let body = serde_json::from_slice(&body).unwrap_or_default();
            seen.lock().unwrap().push((method.to_owned(), body));
            bell.notify_one();
            answer(method).into_response()
        })
        .await;
        let clock = StandingClock::new();
        let entropy = Arc::new(Counting::default());
        let store =
            SqliteStore::open(Location::Memory, Options::new(clock.clone(), entropy.clone())).unwrap();
        let policy = PolicyShelf::new(PolicySet::alone(Policy::parse(POLICY, "policy.toml").unwrap()));
        let slack = Slack::with_policy(settings(), api, clock.clone(), Arc::clone(&policy));
        let trusted: Arc<dyn placet::ports::Directory> = Arc::new(Trusted::new(clock.clone()));
        let directory =
            Directories::new(clock.clone()).with("slack", trusted.clone()).with("credential", trusted);
        let gate = Gate::new(GateParts {
            store: Arc::new(store.clone()) as Arc<dyn Store>,
            clock: clock.clone(),
            entropy,
            policy,
            directory: Arc::new(directory),
            on_call: Arc::new(NoOnCall::new(clock.clone())),
            surfaces: vec![Arc::new(slack.clone())],
            redactor: Arc::new(Redactor::new()),
            signer: None,
            schemas: Arc::new(NoSchemas),
            wakes: Wakes::new(),
            settings: GateSettings::default(),
        });
        let opening = Opening {
            tenant: tenant(),
            id: waiting().id,
            key: None,
            proposal: Arc::new(proposal(args)),
            judgement: Asked::judged(Arc::new(verdict(terms()))),
            claim: None,
            facts: Facts::none(at(0)),
            guards: None,
            replaces: None,
        };
        let Opened::New(request) = store.open(opening).await.unwrap() else { panic!("it is there already") };
        let secrets = SigningSecrets::new(SecretString::from(SECRET)).unwrap();
        let router = router(SlackInbound {
            secrets,
            gate: gate.clone(),
            slack: slack.clone(),
            tasks: None,
            homes: Homes::default(),
            neighbours: Vec::new(),
        });
        Self { router, gate, slack, store, calls, called, request }
    }

    async fn send(&self, path: &str, body: &[u8]) -> (u16, String) {
        let now = at(100).as_secs();
        self.send_signed(path, body, &sign(now, body)).await
    }

    async fn send_signed(&self, path: &str, body: &[u8], signature: &str) -> (u16, String) {
        let time = at(100).as_secs().to_string();
        let headers = [(TIMESTAMP_HEADER, time.as_bytes()), (SIGNATURE_HEADER, signature.as_bytes())];
        self.send_with(path, body, &headers).await
    }

    /// With these headers, each as often as it is there; the type of the body is the right one where none is given.
    async fn send_with(&self, path: &str, body: &[u8], headers: &[(&str, &[u8])]) -> (u16, String) {
        let mut request = Request::builder().method(Method::POST).uri(path);
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            let json = path == "/slack/events";
            let kind = if json { "application/json" } else { "application/x-www-form-urlencoded" };
            request = request.header("content-type", kind);
        }
        for (name, value) in headers {
            request = request.header(*name, HeaderValue::from_bytes(value).unwrap());
        }
        let request = request.body(Body::from(body.to_vec())).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn interact(&self, payload: &Value) -> (u16, String) {
        self.send("/slack/interactivity", &form(payload)).await
    }

    /// The call of this method after `count` others; waits for it.
    async fn call(&self, method: &str, count: usize) -> Value {
        within(method, self.called_after(method, count)).await
    }

    async fn called_after(&self, method: &str, count: usize) -> Value {
        loop {
            let found = {
                let calls = self.calls.lock().unwrap();
                calls.iter().filter(|(called, _)| called == method).nth(count).map(|(_, body)| body.clone())
            };
            if let Some(body) = found {
                return body;
            }
            self.called.notified().await;
        }
    }

    async fn load(&self) -> Approval {
        self.store.load(&tenant(), self.request.id).await.unwrap()
    }

    /// Waits until somebody is on record as having seen everything in Details.
    async fn seen_by(&self, user: &str) -> Approval {
        let viewer = Identity::slack("T0PLACET01", user).unwrap();
        let seen = async {
            loop {
                let approval = self.load().await;
                if approval.renderings.iter().any(|seen| seen.viewer.as_ref() == Some(&viewer)) {
                    return approval;
                }
                tokio::task::yield_now().await;
            }
        };
        within("the record", seen).await
    }

    /// Posts the card, as the worker does, and puts it on record.
    async fn card(&self) -> Rendering {
        let view = self.gate.view(&self.load().await);
        let rendering = self.slack.render(&view);
        let shown = view.shown(&slack(), rendering.full);
        let show = Asked::Show(placet::approval::Rendering {
            shown,
            surface: slack(),
            full: rendering.full,
            viewer: None,
            covers: 0,
        });
        self.gate.command(&tenant(), self.request.id, show).await.unwrap().1.unwrap();
        rendering
    }

    async fn step(&self) {
        while self.gate.step().await.unwrap().done > 0 {}
    }
}

/// Fails instead of waiting in vain.
async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    #[expect(clippy::disallowed_methods, reason = "real time: a test that waits in vain fails, not hangs")]
    let waited = tokio::time::timeout(std::time::Duration::from_secs(20), future).await;
    waited.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

fn sign(now: i64, body: &[u8]) -> String {
    sign_by(SECRET, &now.to_string(), body)
}

fn sign_by(secret: &str, time: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("v0:{time}:").as_bytes());
    mac.update(body);
    format!("v0={}", hex::encode(mac.finalize().into_bytes()))
}

fn form(payload: &Value) -> Vec<u8> {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("payload", &payload.to_string()).finish().into_bytes()
}

/// A recorded click, by this user, on a button of this message.
fn click(user: &str, blocks: &[Value], action_id: &str) -> Value {
    let mut payload: Value =
        serde_json::from_str(include_str!("../payload/samples/block_actions.json")).unwrap();
    payload["user"]["id"] = user.into();
    payload["actions"] = json!([button(blocks, action_id)]);
    payload
}

fn button(blocks: &[Value], action_id: &str) -> Value {
    let rows = blocks.iter().filter(|block| block["type"] == "actions");
    let mut buttons = rows.flat_map(|row| row["elements"].as_array().unwrap().clone());
    let mut button = buttons.find(|button| button["action_id"] == action_id).expect("the button");
    button["action_ts"] = "1793520007.482911".into();
    button
}

/// A button pressed within a dialog.
fn click_in(user: &str, view: &Value, action_id: &str) -> Value {
    let mut payload = click(user, view["blocks"].as_array().unwrap(), action_id);
    payload["container"] = json!({ "type": "view", "view_id": "V1" });
    for gone in ["message", "channel", "response_url"] {
        payload.as_object_mut().unwrap().remove(gone);
    }
    payload["view"] = view.clone();
    payload["view"]["id"] = "V1".into();
    payload
}

/// A submitted dialog, with this note.
fn submit(user: &str, view: &Value, note: Option<&str>) -> Value {
    let mut payload: Value =
        serde_json::from_str(include_str!("../payload/samples/view_submission.json")).unwrap();
    payload["user"]["id"] = user.into();
    payload["view"] = view.clone();
    payload["view"]["id"] = "V1".into();
    payload["view"]["state"] = json!({ "values": { dialog::NOTE_BLOCK:
        { dialog::NOTE_ACTION: { "type": "plain_text_input", "value": note } } } });
    payload
}

const SHORT: &str = r#"{"path":"demo-notes/scratch.txt"}"#;

fn short() -> Value {
    serde_json::from_str(SHORT).unwrap()
}

fn long() -> Value {
    json!({ "path": "a", "script": "one line of a script\n".repeat(2_500) })
}

#[tokio::test]
async fn a_click_is_a_vote_that_is_kept_before_the_answer() {
    let office = Office::new(&short()).await;
    let card = office.card().await;
    let payload = click("U0BO000001", &card.blocks, crate::render::APPROVE_ACTION);
    assert_eq!(office.interact(&payload).await, (200, String::new()));
    let approval = office.load().await;
    let [vote] = &approval.votes[..] else { panic!("{:?}", approval.votes) };
    assert_eq!(vote.identity, Identity::slack("T0PLACET01", "U0BO000001").unwrap());
    assert_eq!((vote.decision, vote.assurance), (Decision::Approve, Assurance::Signed));
    // Delivered again it is the same click; clicked again it is refused, and told.
    office.interact(&payload).await;
    office.step().await;
    assert!(office.calls.lock().unwrap().iter().all(|(method, _)| method != "chat.postEphemeral"));
    let second = click("U0ANA00001", &card.blocks, crate::render::APPROVE_ACTION);
    office.interact(&second).await;
    assert_eq!(office.load().await.status(), Status::Approved);
}

/// R18: whose vote is taken back is who pressed the button; delivered again after they voted anew, it takes back nothing.
#[tokio::test]
async fn a_vote_is_taken_back_once_by_who_gave_it() {
    let office = Office::new(&short()).await;
    let card = office.card().await;
    let mut yes = click("U0BO000001", &card.blocks, crate::render::APPROVE_ACTION);
    office.interact(&yes).await;
    let card = office.card().await;
    let take_back = |user| click(user, &card.blocks, crate::render::TAKE_BACK_ACTION);
    office.interact(&take_back("U0ANA00001")).await;
    assert_eq!(office.load().await.votes.len(), 1, "somebody else's");
    assert_eq!(office.interact(&take_back("U0BO000001")).await, (200, String::new()));
    assert!(office.load().await.votes.is_empty());
    yes["actions"][0]["action_ts"] = "1793520009.482911".into();
    office.interact(&yes).await;
    office.interact(&take_back("U0BO000001")).await;
    office.step().await;
    assert_eq!(office.load().await.votes.len(), 1);
}

#[tokio::test]
async fn who_may_not_is_told_why_and_who_can() {
    let office = Office::new(&short()).await;
    let card = office.card().await;
    let payload = click("U0VIC00001", &card.blocks, crate::render::APPROVE_ACTION);
    assert_eq!(office.interact(&payload).await.0, 200);
    office.step().await;
    let whisper = office.call("chat.postEphemeral", 0).await;
    assert_eq!(whisper["user"], "U0VIC00001");
    let text = whisper["text"].as_str().unwrap();
    assert!(text.contains("Only admins decide this. Ana and Bo can."), "{text}");
    assert!(office.load().await.votes.is_empty());
}

#[tokio::test]
async fn a_no_asks_for_its_reason_first_and_looks_nothing_up() {
    let office = Office::new(&short()).await;
    let card = office.card().await;
    let payload = click("U0BO000001", &card.blocks, crate::render::DENY_ACTION);
    assert_eq!(office.interact(&payload).await, (200, String::new()));
    let opened = office.call("views.open", 0).await;
    assert_eq!(opened["trigger_id"], payload["trigger_id"]);
    assert!(office.load().await.votes.is_empty(), "opening a dialog changes nothing");
    let submission = submit("U0BO000001", &opened["view"], Some("  not during the freeze  "));
    let (status, body) = office.interact(&submission).await;
    assert_eq!((status, body.as_str()), (200, r#"{"response_action":"clear"}"#));
    let approval = office.load().await;
    assert_eq!(approval.status(), Status::Rejected);
    assert_eq!(approval.votes[0].note.as_deref(), Some("not during the freeze"));
    // The dialog of one is no dialog of another.
    let (_, body) = office.interact(&submit("U0ANA00001", &opened["view"], None)).await;
    assert!(body.contains("no longer valid"), "{body}");
}

/// R28: a yes from Details counts from who was shown everything, and from nobody else.
#[tokio::test]
async fn a_yes_from_details_counts_for_its_viewer_only() {
    let office = Office::new(&long()).await;
    let card = office.card().await;
    assert!(!card.full);
    office.interact(&click("U0BO000001", &card.blocks, crate::render::DETAILS_ACTION)).await;
    let mut page = office.call("views.open", 0).await["view"].clone();
    let mut turns = 0;
    while page["submit"].is_null() {
        assert!(office.load().await.renderings.iter().all(|seen| !seen.full), "not yet everything");
        office.interact(&click_in("U0BO000001", &page, details::NEXT_ACTION)).await;
        let update = office.call("views.update", turns).await;
        assert_eq!(update["view_id"], "V1");
        page = update["view"].clone();
        turns += 1;
    }
    assert!(turns > 1);
    let approval = office.seen_by("U0BO000001").await;
    let shown = view(&approval).shown(&slack(), true);
    assert!(approval.renderings.iter().any(|seen| seen.full && seen.shown == shown));
    let (_, body) = office.interact(&submit("U0BO000001", &page, Some("read it"))).await;
    assert_eq!(body, r#"{"response_action":"clear"}"#);
    let approval = office.load().await;
    assert_eq!(approval.votes[0].note.as_deref(), Some("read it"));
    // Somebody else with the same dialog, or with a button made up from it, gets nothing.
    let (_, body) = office.interact(&submit("U0ANA00001", &page, None)).await;
    assert!(body.contains("errors"), "{body}");
    let mut value = ButtonValue::of(&view(&approval), &slack(), true);
    value.reason_for_yes = false;
    let mut forged = click("U0ANA00001", &card.blocks, crate::render::DENY_ACTION);
    forged["actions"][0]["action_id"] = crate::render::APPROVE_ACTION.into();
    forged["actions"][0]["value"] = value.encode().into();
    office.interact(&forged).await;
    office.step().await;
    assert_eq!(office.load().await.votes.len(), 1);
    let whisper = office.call("chat.postEphemeral", 0).await;
    assert!(whisper["text"].as_str().unwrap().contains("not seen the whole call"), "{whisper}");
}

/// A page that was not opened is not made up by jumping: the first page alone is not everything.
#[tokio::test]
async fn pages_that_were_skipped_do_not_count() {
    let office = Office::new(&long()).await;
    let card = office.card().await;
    office.interact(&click("U0BO000001", &card.blocks, crate::render::DETAILS_ACTION)).await;
    let page = office.call("views.open", 0).await["view"].clone();
    let mut jump = click_in("U0BO000001", &page, details::NEXT_ACTION);
    jump["actions"][0]["value"] = "60".into();
    office.interact(&jump).await;
    let last = office.call("views.update", 0).await["view"].clone();
    assert!(last["submit"].is_null());
    let (_, body) = office.interact(&submit("U0BO000001", &last, None)).await;
    assert!(body.contains("errors"), "{body}");
    assert!(office.load().await.votes.is_empty());
}

/// What Details showed is said again with the vote, should it have been lost in between.
#[tokio::test]
async fn a_short_call_is_approved_from_details_with_a_note() {
    let office = Office::new(&short()).await;
    let blocks = office.slack.render(&office.gate.view(&office.load().await)).blocks;
    // No card is on record: only Details can make the yes count.
    office.interact(&click("U0BO000001", &blocks, crate::render::DETAILS_ACTION)).await;
    let page = office.call("views.open", 0).await["view"].clone();
    let (_, body) = office.interact(&submit("U0BO000001", &page, Some("temporary"))).await;
    assert_eq!(body, r#"{"response_action":"clear"}"#);
    assert_eq!(office.load().await.votes[0].note.as_deref(), Some("temporary"));
}

#[tokio::test]
async fn a_no_can_be_said_within_details() {
    let office = Office::new(&long()).await;
    let card = office.card().await;
    office.interact(&click("U0BO000001", &card.blocks, crate::render::DETAILS_ACTION)).await;
    let page = office.call("views.open", 0).await["view"].clone();
    office.interact(&click_in("U0BO000001", &page, crate::render::DENY_ACTION)).await;
    let deny = office.call("views.update", 0).await["view"].clone();
    office.interact(&submit("U0BO000001", &deny, None)).await;
    assert_eq!(office.load().await.status(), Status::Rejected);
}

/// R30: the trigger is too old.
#[tokio::test]
async fn a_dialog_that_slack_does_not_open_is_told() {
    let answer = |method: &str| match method {
        "views.open" => Json(json!({ "ok": false, "error": "expired_trigger_id" })),
        _ => Json(json!({ "ok": true })),
    };
    let office = Office::with(&short(), answer).await;
    let card = office.card().await;
    for (at, action) in [crate::render::DENY_ACTION, crate::render::DETAILS_ACTION].into_iter().enumerate() {
        office.interact(&click("U0BO000001", &card.blocks, action)).await;
        let whisper = office.call("chat.postEphemeral", at).await;
        assert!(whisper["text"].as_str().unwrap().contains("press the button again"), "{whisper}");
    }
}

/// R19: another tenant's request, and one that never was, are told in the same words.
#[tokio::test]
async fn an_unknown_request_tells_nothing() {
    let office = Office::new(&short()).await;
    let mut value = ButtonValue::of(&office.gate.view(&office.load().await), &slack(), true);
    value.request = placet::id::RequestId::mint(at(5), &Fixed(42));
    let card = office.card().await;
    let actions = [crate::render::APPROVE_ACTION, crate::render::DETAILS_ACTION];
    for (at, action) in actions.into_iter().enumerate() {
        let mut payload = click("U0BO000001", &card.blocks, action);
        payload["actions"][0]["value"] = value.encode().into();
        assert_eq!(office.interact(&payload).await, (200, String::new()));
        let whisper = office.call("chat.postEphemeral", at).await;
        assert!(whisper["text"].as_str().unwrap().contains("There is no such request"), "{whisper}");
    }
}

/// Every bad signature is 401 with nothing said, on every path; what is signed and cannot be read is 400.
#[tokio::test]
async fn what_is_not_slacks_is_refused() {
    let office = Office::new(&short()).await;
    for path in ["/slack/interactivity", "/slack/commands", "/slack/events"] {
        for signature in ["", "v0=", "v0=00", &sign(at(99).as_secs(), b"payload={}"), "v1=x"] {
            let answer = office.send_signed(path, b"payload={}", signature).await;
            assert_eq!(answer, (401, String::new()), "{path} {signature}");
        }
        assert_eq!(office.send(path, b"payload=\xff\xfe").await.0, 400, "{path}");
        let big = vec![b'x'; BODY_BYTES_MAX + 1];
        assert_eq!(office.send(path, &big).await.0, 413, "{path}");
        let get = Request::builder().uri(path).body(Body::empty()).unwrap();
        assert_eq!(office.router.clone().oneshot(get).await.unwrap().status().as_u16(), 405);
    }
    assert_eq!(office.send("/slack/interactivity", b"payload=nothing").await.0, 400);
}

/// Who cannot have signed it now is refused before the body is there: nobody waits for it.
#[tokio::test]
async fn nobody_waits_for_a_body_that_cannot_be_slacks() {
    let office = Office::new(&short()).await;
    let (now, old) = (at(100).as_secs(), at(100).as_secs() - 301);
    for (time, signature) in [(old, sign(old, b"")), (now, "v0=00".to_owned())] {
        let never = futures::stream::pending::<Result<bytes::Bytes, std::io::Error>>();
        let request = Request::builder()
            .method(Method::POST)
            .uri("/slack/interactivity")
            .header(TIMESTAMP_HEADER, time.to_string())
            .header(SIGNATURE_HEADER, signature)
            .body(Body::from_stream(never))
            .unwrap();
        let answer = within("a refusal", office.router.clone().oneshot(request)).await.unwrap();
        assert_eq!(answer.status().as_u16(), 401);
    }
}

/// R30: whatever is wrong about the two headers, a click that would count is 401 with nothing said, and nothing comes
/// of it; the same click rightly signed counts.
#[tokio::test]
async fn a_click_that_is_not_rightly_signed_does_nothing() {
    const CLICKS: &str = "/slack/interactivity";
    let office = Office::new(&short()).await;
    let card = office.card().await;
    let body = form(&click("U0BO000001", &card.blocks, crate::render::APPROVE_ACTION));
    let now = at(100).as_secs();
    let (time, good) = (now.to_string(), sign(now, &body));
    let before = office.load().await;
    let refused = async |time: &[u8], signature: &[u8], body: &[u8]| {
        let headers = [(TIMESTAMP_HEADER, time), (SIGNATURE_HEADER, signature)];
        let answer = office.send_with(CLICKS, body, &headers).await;
        let (time, signature) = (time.escape_ascii(), signature.escape_ascii());
        assert_eq!(answer, (401, String::new()), "{time} {signature}");
    };
    for malformed in malformed_timestamps(&time) {
        refused(malformed.as_bytes(), sign_by(SECRET, &malformed, &body).as_bytes(), &body).await;
    }
    for malformed in malformed_signatures(&good) {
        refused(time.as_bytes(), &malformed, &body).await;
    }
    // Rightly signed, but not now.
    for away in [-301, 301, 1_000_000] {
        let then = (now + away).to_string();
        refused(then.as_bytes(), sign_by(SECRET, &then, &body).as_bytes(), &body).await;
    }
    let millis = format!("{time}000");
    refused(millis.as_bytes(), sign_by(SECRET, &millis, &body).as_bytes(), &body).await;
    // The signature of something else.
    let text = String::from_utf8(body.clone()).unwrap();
    let encoded_otherwise = text.replace("%2F", "%2f");
    assert_ne!(encoded_otherwise, text);
    for other in
        ["", &encoded_otherwise, &text.replace("%2F", "/"), &format!("{text}\n"), &format!("{text}&x=1")]
    {
        refused(time.as_bytes(), good.as_bytes(), other.as_bytes()).await;
    }
    refused((now + 1).to_string().as_bytes(), good.as_bytes(), &body).await;
    refused(format!("0{time}").as_bytes(), good.as_bytes(), &body).await;
    refused(time.as_bytes(), sign_by("another secret", &time, &body).as_bytes(), &body).await;
    // A header that is missing, or there twice.
    let (time, good) = ((TIMESTAMP_HEADER, time.as_bytes()), (SIGNATURE_HEADER, good.as_bytes()));
    for headers in [&[][..], &[time], &[good], &[time, good, good], &[time, time, good]] {
        assert_eq!(office.send_with(CLICKS, &body, headers).await, (401, String::new()), "{headers:?}");
    }
    let after = office.load().await;
    assert_eq!(after, before, "nothing came of any of them");
    assert!(office.calls.lock().unwrap().is_empty(), "Slack was asked nothing");
    assert_eq!(office.send_with(CLICKS, &body, &[time, good]).await, (200, String::new()));
    assert_eq!(office.load().await.votes.len(), 1);
}

/// R30: while the secret is rotated both count, and no third.
#[tokio::test]
async fn both_secrets_count_while_they_are_rotated() {
    let mut office = Office::new(&short()).await;
    let new = SecretString::from("the new secret of this test");
    let secrets = SigningSecrets::rotating(new, SecretString::from(SECRET)).unwrap();
    office.router = router(SlackInbound {
        secrets,
        gate: office.gate.clone(),
        slack: office.slack.clone(),
        tasks: None,
        homes: Homes::default(),
        neighbours: Vec::new(),
    });
    let (body, time) = (form(&json!({ "type": "shortcut" })), at(100).as_secs().to_string());
    for (secret, status) in [("the new secret of this test", 200), (SECRET, 200), ("an older one", 401)] {
        let signature = sign_by(secret, &time, &body);
        let answer = office.send_signed("/slack/interactivity", &body, &signature).await;
        assert_eq!(answer, (status, String::new()), "{secret}");
    }
}

/// What is rightly signed and says that it is something else is not guessed at.
#[tokio::test]
async fn a_call_that_is_no_form_by_its_type_is_a_bad_request() {
    let office = Office::new(&short()).await;
    let (click, time) = (form(&json!({ "type": "shortcut" })), at(100).as_secs());
    let (time, good) = (time.to_string(), sign(time, &click));
    let sends = async |path: &str, kind: &str| {
        let headers = [(TIMESTAMP_HEADER, time.as_bytes()), (SIGNATURE_HEADER, good.as_bytes())];
        let headers = [&headers[..], &[("content-type", kind.as_bytes())]].concat();
        office.send_with(path, &click, &headers).await.0
    };
    assert_eq!(sends("/slack/interactivity", "application/x-www-form-urlencoded").await, 200);
    for kind in ["application/json", "text/plain", "", "application/x-www-form-urlencoded; charset=utf-8"] {
        for path in ["/slack/interactivity", "/slack/commands"] {
            assert_eq!(sends(path, kind).await, 400, "{path} {kind}");
        }
    }
}

/// Nor is an event that says that it is a form; one that says nothing, or that it is text, is JSON all the same.
#[tokio::test]
async fn an_event_that_is_a_form_by_its_type_is_a_bad_request() {
    let office = Office::new(&short()).await;
    let event = json!({ "type": "url_verification", "challenge": "c" }).to_string();
    let time = at(100).as_secs();
    let (time, good) = (time.to_string(), sign(time, event.as_bytes()));
    for (kind, status) in [
        ("application/json", 200),
        ("text/plain", 200),
        ("", 200),
        ("application/x-www-form-urlencoded", 400),
    ] {
        let headers = [(TIMESTAMP_HEADER, time.as_bytes()), (SIGNATURE_HEADER, good.as_bytes())];
        let headers = [&headers[..], &[("content-type", kind.as_bytes())]].concat();
        assert_eq!(office.send_with("/slack/events", event.as_bytes(), &headers).await.0, status, "{kind}");
    }
}

/// Slack does not sign its look at the certificate. It is taken and nothing is done, whatever else stands in it; no other
/// address takes it, nor is anything else taken that says so.
#[tokio::test]
async fn a_look_at_the_certificate_needs_no_signature_and_does_nothing() {
    let office = Office::new(&short()).await;
    let looks = async |path: &str, body: &[u8]| {
        let length = body.len().to_string();
        office.send_with(path, body, &[("content-length", length.as_bytes())]).await
    };
    for body in [&b"ssl_check=1&token=x"[..], b"ssl_check=1&command=%2Fplacet&text=pending&user_id=U1"] {
        assert_eq!(looks("/slack/commands", body).await, (200, String::new()), "{}", body.escape_ascii());
    }
    let long = format!("ssl_check=1&token={}", "x".repeat(2_000));
    for body in [&b"ssl_check=0"[..], b"ssl_check=1&ssl_check=1", b"", b"command=%2Fplacet", long.as_bytes()]
    {
        assert_eq!(looks("/slack/commands", body).await, (401, String::new()), "{}", body.escape_ascii());
    }
    for path in ["/slack/interactivity", "/slack/events"] {
        assert_eq!(looks(path, b"ssl_check=1").await, (401, String::new()), "{path}");
    }
    assert!(office.calls.lock().unwrap().is_empty(), "Slack was asked nothing");
}

/// What is rightly signed and no text is refused as such: it is Slack's, and cannot be read.
#[tokio::test]
async fn a_signed_body_that_is_no_text_is_a_bad_request() {
    let office = Office::new(&short()).await;
    for body in [&b"payload=\xff\xfe"[..], b"\xc3\x28=1", b"payload=%FF%FE", b"\xff"] {
        let (status, _) = office.send("/slack/interactivity", body).await;
        assert_eq!(status, 400, "{}", body.escape_ascii());
    }
}

#[tokio::test]
async fn slack_is_answered_what_it_must_hear() {
    let office = Office::new(&short()).await;
    let challenge = include_bytes!("../payload/samples/event_url_verification.json");
    let (status, body) = office.send("/slack/events", challenge).await;
    assert_eq!((status, body.as_str()), (200, "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"));
    let event = include_bytes!("../payload/samples/event_app_mention.json");
    assert_eq!(office.send("/slack/events", event).await, (200, String::new()));
    assert_eq!(office.send("/slack/commands", b"ssl_check=1&token=x").await, (200, String::new()));
    let (status, body) = office.send("/slack/commands", b"command=%2Fplacet&text=pending&user_id=U1").await;
    assert!(status == 200 && body.contains("ephemeral") && body.contains("which team"), "{body}");
    for other in [json!({}), json!({ "type": "shortcut" }), json!({ "type": "view_closed" })] {
        assert_eq!(office.interact(&other).await, (200, String::new()));
    }
}

fn intent(payload: &Value) -> Intent {
    let secrets = SigningSecrets::new(SecretString::from(SECRET)).unwrap();
    let body = form(payload);
    let now = at(100);
    let signature = sign(now.as_secs(), &body);
    let (timestamp, signature) = (now.as_secs().to_string(), signature.as_bytes());
    let verified =
        secrets.verify(now.as_secs(), Some(timestamp.as_bytes()), Some(signature), body.into()).unwrap();
    let settings = settings();
    let context = Context { settings: &settings, secrets: &secrets, now };
    read(&Interaction::parse(&verified).unwrap(), &context)
}

fn approve_click() -> Value {
    let rendering = crate::render::render(&view(&waiting()), &slack(), placet::text::Texts::english());
    click("U0BO000001", &rendering.blocks, crate::render::APPROVE_ACTION)
}

fn voted(payload: &Value) -> Inbound {
    match intent(payload) {
        Intent::Vote { vote, .. } => *vote,
        other => panic!("{other:?}"),
    }
}

fn identity_of(inbound: &Inbound) -> String {
    match &inbound.act {
        Act::Vote(ballot) => ballot.identity.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_recorded_click_is_read() {
    insta::assert_json_snapshot!("recorded_click", voted(&approve_click()));
}

#[test]
fn the_same_click_has_the_same_key_and_no_other_has() {
    let first = voted(&approve_click()).delivery;
    assert_eq!(voted(&approve_click()).delivery, first);
    for (pointer, other) in [
        ("/actions/0/action_ts", "1793520007.482912"),
        ("/user/id", "U0ANA00001"),
        ("/user/team_id", "T2"),
        ("/container/message_ts", "1793520000.000101"),
    ] {
        let mut payload = approve_click();
        *payload.pointer_mut(pointer).unwrap() = other.into();
        assert_ne!(voted(&payload).delivery, first, "{pointer}");
    }
    let mut timeless = approve_click();
    timeless["actions"][0]["action_ts"] = Value::Null;
    assert!(voted(&timeless).delivery.as_str().contains("trigger"));
    timeless["container"]["channel_id"] = "C".repeat(300).into();
    timeless["trigger_id"] = "t".repeat(300).into();
    assert!(voted(&timeless).delivery.as_str().starts_with("slack/"));
}

/// R17, R30, Slack Connect: whose vote it is comes from the user's own workspace, never from where they are.
#[test]
fn who_it_is_comes_from_the_users_workspace() {
    let mut connect = approve_click();
    connect["user"]["team_id"] = "T0OTHER001".into();
    assert_eq!(identity_of(&voted(&connect)), "slack:T0OTHER001/U0BO000001");
    let mut grid = approve_click();
    grid["user"]["team_id"] = Value::Null;
    grid["team"] = Value::Null;
    grid["enterprise"] = json!({ "id": "E1" });
    assert_eq!(identity_of(&voted(&grid)), "slack:E1/U0BO000001");
    let mut nobody = approve_click();
    nobody["user"]["team_id"] = Value::Null;
    assert!(matches!(intent(&nobody), Intent::Tell { trouble: Trouble::NobodyNamed, .. }));
    nobody["user"]["id"] = Value::Null;
    assert_eq!(intent(&nobody), Intent::Nothing);
    // A name decides nothing.
    let mut named = approve_click();
    named["user"]["username"] = "ana".into();
    named["user"]["name"] = "ana".into();
    assert_eq!(identity_of(&voted(&named)), "slack:T0PLACET01/U0BO000001");
}

#[test]
fn a_click_tells_where_it_was() {
    let inbound = voted(&approve_click());
    let message = inbound.message.unwrap().message;
    assert_eq!((message.channel.as_str(), message.id.as_str()), ("C0OPS00001", "1793520000.000100"));
    let reply = inbound.reply.unwrap();
    assert_eq!((reply.channel.as_str(), reply.thread), ("C0OPS00001", None));
    let mut threaded = approve_click();
    threaded["container"]["thread_ts"] = "1793519000.000100".into();
    assert_eq!(voted(&threaded).reply.unwrap().thread.as_deref(), Some("1793519000.000100"));
    let mut parent = approve_click();
    parent["container"]["thread_ts"] = "1793520000.000100".into();
    assert_eq!(voted(&parent).reply.unwrap().thread, None);
    let mut whispered = approve_click();
    whispered["container"]["is_ephemeral"] = true.into();
    assert_eq!(voted(&whispered).message, None, "a whisper is no copy of a card");
}

#[test]
fn a_button_that_is_not_ours_decides_nothing() {
    for value in [json!("7Q4K-2M"), json!(""), Value::Null, json!(7), json!("1/x/y/z/")] {
        let mut payload = approve_click();
        payload["actions"][0]["value"] = value;
        assert!(matches!(intent(&payload), Intent::Tell { trouble: Trouble::StaleButton, .. }));
    }
    let mut other = approve_click();
    other["actions"][0]["action_id"] = "another_apps".into();
    assert_eq!(intent(&other), Intent::Nothing);
    other["actions"] = json!([]);
    assert_eq!(intent(&other), Intent::Nothing);
}

#[test]
fn a_yes_that_needs_a_reason_asks_for_it() {
    let mut value = ButtonValue::of(&view(&waiting()), &slack(), true);
    value.reason_for_yes = true;
    let mut payload = approve_click();
    payload["actions"][0]["value"] = value.encode().into();
    assert!(matches!(intent(&payload), Intent::AskWhy(_)));
    payload["trigger_id"] = Value::Null;
    assert!(matches!(intent(&payload), Intent::Tell { trouble: Trouble::DialogExpired, .. }));
}

/// R17: Slack says that the token is good no more: whoever looks after the health of the surface hears of it.
#[tokio::test]
async fn a_revoked_token_is_heard_of() {
    use futures::FutureExt as _;
    let office = Office::new(&json!({})).await;
    let event =
        |event: Value| json!({ "type": "event_callback", "event_id": "Ev1", "event": event }).to_string();
    let other = event(json!({ "type": "tokens_revoked", "tokens": { "oauth": ["U1"], "bot": [] } }));
    assert_eq!(office.send("/slack/events", other.as_bytes()).await.0, 200);
    assert!(office.slack.until_lost().now_or_never().is_none());
    for lost in [
        json!({ "type": "tokens_revoked", "tokens": { "bot": ["U0BOT"] } }),
        json!({ "type": "app_uninstalled" }),
    ] {
        assert_eq!(office.send("/slack/events", event(lost).as_bytes()).await.0, 200);
        assert!(office.slack.until_lost().now_or_never().is_some());
    }
}
