//! The port against a real homeserver, as other accounts see it. Runs beside one: `tests/homeserver/run cargo nextest run …`.
#![recursion_limit = "256"]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops there")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use matrix_sdk::config::SyncSettings;
use matrix_sdk::room::MessagesOptions;
use matrix_sdk::ruma::api::client::room::create_room;
use matrix_sdk::ruma::events::InitialStateEvent;
use matrix_sdk::ruma::events::room::encryption::RoomEncryptionEventContent;
use matrix_sdk::ruma::{EventId, OwnedRoomId, UserId};
use matrix_sdk::{Client, Room, reqwest};
use placet::approval::{Approval, Refusal, State};
use placet::card::CardView;
use placet::id::{AttemptId, SurfaceName, TenantId};
use placet::inbound::ReplyTo;
use placet::notice::{Mention, Message, Notice, Recipient};
use placet::person::Identity;
use placet::policy::Place;
use placet::ports::{Surface as _, SurfaceError, Telling};
use placet::text::Language;
use placet::time::{Clock, Timestamp, Ttl};
use placet_matrix::render::{Buttons, Manner};
use placet_matrix::{Matrix, SurfaceSettings};
use placet_test_cards as cards;
use serde_json::{Value, json};

/// What the homeserver beside which this runs is.
fn env(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: run ./test, or tests/homeserver/run COMMAND"))
}

/// Names that no other test has.
fn unique(kind: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{kind}-{}-{count}", std::process::id())
}

/// An account of its own, signed in.
async fn account(kind: &str) -> Client {
    let (url, name, password) = (env("PLACET_HOMESERVER"), unique(kind), "correct-horse");
    let id = format!("@{name}:{}", env("PLACET_HOMESERVER_NAME"));
    let path = format!("{url}/_synapse/admin/v2/users/{id}");
    let http = reqwest::Client::builder().build().unwrap();
    let made = http.put(path).bearer_auth(env("PLACET_HOMESERVER_ADMIN"));
    let made = made.header("content-type", "application/json");
    let made = made.body(json!({ "password": password, "admin": false }).to_string()).send().await.unwrap();
    assert!(made.status().is_success(), "{:?}", made.text().await);
    let client = Client::builder().homeserver_url(url).build().await.unwrap();
    client.matrix_auth().login_username(&id, password).await.unwrap();
    sync(&client).await;
    client
}

async fn sync(client: &Client) {
    client.sync_once(SyncSettings::new().timeout(std::time::Duration::ZERO)).await.unwrap();
}

/// A clock for what needs none.
struct NoClock;

#[async_trait::async_trait]
impl Clock for NoClock {
    fn now(&self) -> Timestamp {
        cards::at(0)
    }

    async fn sleep_until(&self, _at: Timestamp) {}
}

/// Placet's account and a person's, in a room.
struct Scene {
    matrix: Matrix,
    ana: Client,
    room: OwnedRoomId,
}

impl Scene {
    async fn new(encrypted: bool, buttons: Buttons) -> Self {
        let (bot, ana) = (account("placet").await, account("ana").await);
        let mut request = create_room::v3::Request::new();
        request.invite = vec![bot.user_id().unwrap().to_owned()];
        if encrypted {
            let content = RoomEncryptionEventContent::with_recommended_defaults();
            request.initial_state = vec![InitialStateEvent::with_empty_state_key(content).to_raw_any()];
        }
        let room = ana.create_room(request).await.unwrap().room_id().to_owned();
        bot.join_room_by_id(&room).await.unwrap();
        sync(&bot).await;
        sync(&ana).await;
        let settings = SurfaceSettings {
            name: SurfaceName::new("matrix").unwrap(),
            tenant: TenantId::new("acme").unwrap(),
            room: room.to_string(),
            ops_room: None,
            people: BTreeSet::new(),
            servers: BTreeSet::from([env("PLACET_HOMESERVER_NAME")]),
            manner: Manner { buttons, ..Manner::default() },
            language: Language::English,
            languages: BTreeMap::new(),
        };
        Self { matrix: Matrix::new(settings, bot, Arc::new(NoClock)), ana, room }
    }

    fn place(&self) -> Place {
        Place { surface: SurfaceName::new("matrix").unwrap(), channel: self.room.to_string(), thread: None }
    }

    fn ana_in(&self, room: &OwnedRoomId) -> Room {
        self.ana.get_room(room).unwrap()
    }

    fn ana_id(&self) -> Identity {
        Identity::matrix(self.ana.user_id().unwrap().as_str()).unwrap()
    }

    fn bot_id(&self) -> &UserId {
        self.matrix.client().user_id().unwrap()
    }

    /// What Ana sees in a room, the oldest first, decrypted.
    async fn seen_in(&self, room: &OwnedRoomId) -> Vec<Value> {
        // Twice: keys come beside what they open.
        sync(&self.ana).await;
        sync(&self.ana).await;
        let mut options = MessagesOptions::backward();
        options.limit = 100_u32.into();
        let messages = self.ana_in(room).messages(options).await.unwrap();
        let events =
            messages.chunk.iter().rev().map(|event| serde_json::from_str(event.raw().json().get()).unwrap());
        events.collect()
    }

    async fn seen(&self) -> Vec<Value> {
        self.seen_in(&self.room).await
    }

    /// The keys of Placet's reactions that stand.
    async fn reactions(&self) -> Vec<String> {
        let seen = self.seen().await;
        let own = seen
            .iter()
            .filter(|event| event["type"] == "m.reaction" && event["sender"] == self.bot_id().as_str());
        own.filter_map(|event| event["content"]["m.relates_to"]["key"].as_str().map(str::to_owned)).collect()
    }
}

fn now() -> Timestamp {
    #[expect(clippy::disallowed_methods, reason = "a homeserver's clock is the real one")]
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp::from_millis(i64::try_from(now.as_millis()).unwrap())
}

fn telling(id: i64) -> Telling {
    Telling { id, since: now(), again: false }
}

fn decided() -> CardView {
    let all = cards::in_every_state();
    let (_, approval) = all.into_iter().find(|(name, _)| *name == "denied").unwrap();
    CardView { revision: 2, ..cards::view(&approval) }
}

fn reply(scene: &Scene) -> ReplyTo {
    ReplyTo {
        surface: SurfaceName::new("matrix").unwrap(),
        channel: scene.room.to_string(),
        thread: None,
        identity: scene.ana_id(),
    }
}

fn refused(approval: &Approval) -> Notice {
    Notice::Refused {
        request: approval.id,
        code: approval.code.clone(),
        command: "approve".to_owned(),
        refusal: Refusal::OwnRequest,
    }
}

fn reminder(approval: &Approval) -> Notice {
    let State::WaitingApproval(waiting) = &approval.state else { unreachable!("it waits") };
    Notice::Reminder {
        request: approval.id,
        code: approval.code.clone(),
        tool: "delete_file".to_owned(),
        until: waiting.until,
    }
}

async fn a_card_lives(encrypted: bool) {
    let scene = Scene::new(encrypted, Buttons::Reactions).await;
    let (view, attempt, since) = (cards::view(&cards::waiting()), cards::attempt(1), now());
    let card = scene.matrix.post(&scene.place(), &view, attempt).await.unwrap();
    assert_eq!(
        scene.matrix.post(&scene.place(), &view, attempt).await.unwrap(),
        card,
        "the same post is the same card"
    );
    let seen = scene.seen().await;
    let cards_seen: Vec<&Value> = seen.iter().filter(|event| event["type"] == "m.room.message").collect();
    assert_eq!(cards_seen.len(), 1, "{seen:#?}");
    let content = &cards_seen[0]["content"];
    assert_eq!(content["placet.card"]["attempt"], attempt.to_string());
    assert_eq!(content["placet.card"]["code"], view.code.as_str());
    assert!(content["body"].as_str().unwrap().contains("demo-notes/scratch.txt"), "{content}");
    assert_eq!(content["m.mentions"], json!({}));
    assert_eq!(scene.reactions().await, ["✅", "❌"]);
    let other = AttemptId::from_bytes([9; 16]);
    let card_place = scene.place();
    let find = |attempt| scene.matrix.find(&card_place, attempt, since);
    assert_eq!(find(attempt).await.unwrap().unwrap(), Some(card.clone()));
    assert_eq!(find(other).await.unwrap().unwrap(), None);
    scene.matrix.edit(&card, &decided()).await.unwrap();
    let seen = scene.seen().await;
    let edit = seen.iter().find(|event| event["content"]["m.relates_to"]["rel_type"] == "m.replace").unwrap();
    let new = &edit["content"]["m.new_content"];
    assert!(new["body"].as_str().unwrap().starts_with("⛔ Denied"), "{new}");
    assert_eq!(edit["content"]["m.relates_to"]["event_id"], card.id);
    assert_eq!(scene.reactions().await, [""; 0], "what decides nothing is not offered");
}

/// R29, R31: a card in a plain room: posted once, found again, edited; its buttons go when it is decided.
#[tokio::test(flavor = "multi_thread")]
async fn a_card_lives_in_a_plain_room() {
    a_card_lives(false).await;
}

/// R29, R31: the same in an encrypted room.
#[tokio::test(flavor = "multi_thread")]
async fn a_card_lives_in_an_encrypted_room() {
    a_card_lives(true).await;
}

/// R11, R29: what a process that is gone knew of a card's buttons is read again from the room.
#[tokio::test(flavor = "multi_thread")]
async fn buttons_are_taken_away_after_a_restart() {
    let scene = Scene::new(false, Buttons::Reactions).await;
    let view = cards::view(&cards::waiting());
    let card = scene.matrix.post(&scene.place(), &view, cards::attempt(1)).await.unwrap();
    let settings = scene.matrix.settings().clone();
    let again = Matrix::new(settings, scene.matrix.client().clone(), Arc::new(NoClock));
    again.edit(&card, &view).await.unwrap();
    assert_eq!(scene.reactions().await, ["✅", "❌"], "none is put twice");
    let again = Matrix::new(again.settings().clone(), again.client().clone(), Arc::new(NoClock));
    again.edit(&card, &decided()).await.unwrap();
    assert_eq!(scene.reactions().await, [""; 0]);
}

/// R29: a card that somebody removed is gone, and so is one in a room that Placet was thrown out of: never taken for an answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_removed_card_is_gone() {
    let scene = Scene::new(false, Buttons::Reactions).await;
    let view = cards::view(&cards::waiting());
    let card = scene.matrix.post(&scene.place(), &view, cards::attempt(1)).await.unwrap();
    let room = scene.ana_in(&scene.room);
    room.redact(&EventId::parse(&card.id).unwrap(), None, None).await.unwrap();
    let gone = scene.matrix.edit(&card, &decided()).await;
    assert!(matches!(gone, Err(SurfaceError::Gone { .. })), "{gone:?}");
    let found = scene.matrix.find(&scene.place(), cards::attempt(1), now() - Ttl::from_mins(5)).await;
    assert_eq!(found.unwrap().unwrap(), None, "what is removed is no card");
    let card = scene.matrix.post(&scene.place(), &view, cards::attempt(2)).await.unwrap();
    room.kick_user(scene.bot_id(), None).await.unwrap();
    let thrown_out = scene.matrix.post(&scene.place(), &view, cards::attempt(3)).await;
    assert!(
        matches!(&thrown_out, Err(SurfaceError::Never { why }) if why.contains("invite")),
        "{thrown_out:?}"
    );
    sync(scene.matrix.client()).await;
    let thrown_out = scene.matrix.edit(&card, &decided()).await;
    assert!(matches!(thrown_out, Err(SurfaceError::Gone { .. })), "{thrown_out:?}");
}

/// R31: a poll beside the card, encrypted with it, that ends when it is decided.
#[tokio::test(flavor = "multi_thread")]
async fn a_poll_begins_and_ends() {
    let scene = Scene::new(true, Buttons::Poll).await;
    let view = cards::view(&cards::waiting());
    let card = scene.matrix.post(&scene.place(), &view, cards::attempt(1)).await.unwrap();
    let polls = |seen: &[Value], kind: &str| seen.iter().filter(|event| event["type"] == kind).count();
    let seen = scene.seen().await;
    assert_eq!(polls(&seen, "org.matrix.msc3381.poll.start"), 1, "{seen:#?}");
    assert_eq!(scene.reactions().await, [""; 0]);
    let again =
        Matrix::new(scene.matrix.settings().clone(), scene.matrix.client().clone(), Arc::new(NoClock));
    again.edit(&card, &view).await.unwrap();
    assert_eq!(polls(&scene.seen().await, "org.matrix.msc3381.poll.start"), 1, "none is begun twice");
    again.edit(&card, &decided()).await.unwrap();
    scene.matrix.edit(&card, &decided()).await.unwrap();
    let seen = scene.seen().await;
    assert!(polls(&seen, "org.matrix.msc3381.poll.end") >= 1, "{seen:#?}");
}

/// R28: sixty kilobytes of arguments: the card says so, and all of it stands in its thread.
#[tokio::test(flavor = "multi_thread")]
async fn sixty_kilobytes_stand_in_the_thread() {
    let scene = Scene::new(true, Buttons::Reactions).await;
    let script: String = (0..3_000).map(|line| format!("echo line {line} <&>\n")).collect();
    let approval =
        cards::waiting_for(cards::proposal(&json!({ "path": "run.sh", "content": script })), cards::terms());
    let view = cards::view(&approval);
    assert!(!scene.matrix.shows_all(&view));
    let card = scene.matrix.post(&scene.place(), &view, cards::attempt(1)).await.unwrap();
    scene.matrix.edit(&card, &view).await.unwrap();
    let seen = scene.seen().await;
    let parts: Vec<&Value> =
        seen.iter().filter(|event| event["content"]["m.relates_to"]["rel_type"] == "m.thread").collect();
    let all: String = parts.iter().map(|part| part["content"]["body"].as_str().unwrap()).collect();
    for line in [0, 1_500, 2_999] {
        assert!(all.contains(&format!("echo line {line} ")), "line {line}");
    }
    let numbers: Vec<&Value> = parts.iter().map(|part| &part["content"]["placet.card"]["part"][0]).collect();
    let expected: Vec<Value> = (1..=parts.len()).map(|number| json!(number)).collect();
    assert_eq!(numbers, expected.iter().collect::<Vec<_>>(), "each once, in order");
    assert_eq!(scene.reactions().await, ["❌"], "what is not shown is not approved by a press");
}

/// R29, R31: reminders stand beneath the card and mention who is asked; a refusal mentions nobody; the same again is said once.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_stands_where_it_belongs() {
    let scene = Scene::new(false, Buttons::Reactions).await;
    let approval = cards::waiting();
    let card = scene.matrix.post(&scene.place(), &cards::view(&approval), cards::attempt(1)).await.unwrap();
    let place = Place { thread: Some(card.id.clone()), ..scene.place() };
    let tenant = TenantId::new("acme").unwrap();
    let mut message = Message::new(tenant.clone(), Recipient::Place(place), reminder(&approval));
    message.mentions = vec![Mention::Account(scene.ana_id())];
    let once = telling(7);
    scene.matrix.tell(&message, &once).await.unwrap();
    scene.matrix.tell(&message, &Telling { again: true, ..once }).await.unwrap();
    let refusal = Message::new(tenant, Recipient::Account(reply(&scene)), refused(&approval));
    scene.matrix.tell(&refusal, &telling(8)).await.unwrap();
    let seen = scene.seen().await;
    let told: Vec<&Value> =
        seen.iter().filter(|event| !event["content"]["placet.notice"].is_null()).collect();
    assert_eq!(told.len(), 2, "{told:#?}");
    let reminded = &told[0]["content"];
    assert_eq!(reminded["m.relates_to"]["event_id"], card.id);
    assert_eq!(reminded["m.mentions"]["user_ids"], json!([scene.ana.user_id().unwrap()]));
    assert_eq!(reminded["msgtype"], "m.text", "clients notify nobody of a notice");
    let refused = &told[1]["content"];
    assert_eq!((&refused["msgtype"], &refused["m.mentions"]), (&json!("m.notice"), &json!({})));
}

/// R31: a message to one account goes to a direct room that is encrypted, always the same.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_told_alone_is_told_in_an_encrypted_room() {
    let scene = Scene::new(false, Buttons::Reactions).await;
    let approval = cards::waiting();
    let to = Recipient::Directly(scene.ana_id());
    let message = Message::new(TenantId::new("acme").unwrap(), to, reminder(&approval));
    scene.matrix.tell(&message, &telling(1)).await.unwrap();
    sync(&scene.ana).await;
    let invited = scene.ana.invited_rooms();
    assert_eq!(invited.len(), 1);
    let room = invited[0].room_id().to_owned();
    scene.ana.join_room_by_id(&room).await.unwrap();
    sync(scene.matrix.client()).await;
    scene.matrix.tell(&message, &telling(2)).await.unwrap();
    sync(&scene.ana).await;
    assert_eq!(scene.ana.invited_rooms().len(), 0, "no second room");
    let seen = scene.seen_in(&room).await;
    assert!(seen.iter().any(|event| event["type"] == "m.room.encryption"), "{seen:#?}");
    let told = seen.iter().filter(|event| event["content"]["placet.notice"]["notice"] == "reminder").count();
    assert!(told >= 1, "{seen:#?}");
    let foreign = Recipient::Directly(Identity::slack("T1", "U1").unwrap());
    let foreign = Message::new(TenantId::new("acme").unwrap(), foreign, reminder(&approval));
    let refused = scene.matrix.tell(&foreign, &telling(3)).await;
    assert!(matches!(refused, Err(SurfaceError::Never { .. })), "{refused:?}");
}

/// R31: a card in a thread stands there, is edited there, and what is told about it stands in the same thread; what can begin
/// no thread is answered as a reply.
#[tokio::test(flavor = "multi_thread")]
async fn a_card_can_stand_in_a_thread() {
    let scene = Scene::new(true, Buttons::Reactions).await;
    let root = scene.ana_in(&scene.room).send(text("please clean up")).await.unwrap().response.event_id;
    let approval = cards::waiting();
    let place = Place { thread: Some(root.to_string()), ..scene.place() };
    sync(scene.matrix.client()).await;
    let card = scene.matrix.post(&place, &cards::view(&approval), cards::attempt(1)).await.unwrap();
    scene.matrix.edit(&card, &decided()).await.unwrap();
    let tenant = TenantId::new("acme").unwrap();
    let told = Message::new(tenant.clone(), Recipient::Place(place), reminder(&approval));
    scene.matrix.tell(&told, &telling(1)).await.unwrap();
    // The card is no beginning of a thread, for it is in one.
    let beneath = Place { thread: Some(card.id.clone()), ..scene.place() };
    let beneath = Message::new(tenant, Recipient::Place(beneath), reminder(&approval));
    scene.matrix.tell(&beneath, &telling(2)).await.unwrap();
    let seen = scene.seen().await;
    let of = |event: &Value| event["content"]["m.relates_to"].clone();
    let posted = seen.iter().find(|event| event["event_id"] == card.id).unwrap();
    assert_eq!((&of(posted)["rel_type"], &of(posted)["event_id"]), (&json!("m.thread"), &json!(root)));
    let told: Vec<Value> =
        seen.iter().filter(|event| !event["content"]["placet.notice"].is_null()).map(of).collect();
    assert_eq!(told.len(), 2, "{seen:#?}");
    assert_eq!(told[0]["event_id"], json!(root));
    assert_eq!(told[1]["m.in_reply_to"]["event_id"], card.id);
}

/// R29: a card whose answer was lost is found by another device of the account too, where the room is not encrypted, and by
/// the same one after a restart.
#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_found_by_its_mark() {
    let scene = Scene::new(false, Buttons::Reactions).await;
    let since = now();
    let view = cards::view(&cards::waiting());
    let card = scene.matrix.post(&scene.place(), &view, cards::attempt(1)).await.unwrap();
    for number in 0..130 {
        scene.ana_in(&scene.room).send(text(&format!("talk {number}"))).await.unwrap();
    }
    let other = Client::builder().homeserver_url(env("PLACET_HOMESERVER")).build().await.unwrap();
    other.matrix_auth().login_username(scene.bot_id(), "correct-horse").await.unwrap();
    sync(&other).await;
    let other = Matrix::new(scene.matrix.settings().clone(), other, Arc::new(NoClock));
    let found = other.find(&scene.place(), cards::attempt(1), since).await.unwrap().unwrap();
    assert_eq!(found, Some(card), "past the first page, and by its mark");
    // Whatever somebody else writes into an event is no card of Placet's.
    let forged = json!({ "msgtype": "m.text", "body": "x", "placet.card": { "attempt": cards::attempt(2).to_string() } });
    scene.ana_in(&scene.room).send_raw("m.room.message", forged).await.unwrap();
    assert_eq!(other.find(&scene.place(), cards::attempt(2), since).await.unwrap().unwrap(), None);
}

fn text(body: &str) -> matrix_sdk::ruma::events::room::message::RoomMessageEventContent {
    matrix_sdk::ruma::events::room::message::RoomMessageEventContent::text_plain(body)
}
