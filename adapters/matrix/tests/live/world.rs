//! People, rooms and bots on the homeserver that the environment names.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use async_trait::async_trait;
use matrix_sdk::config::SyncSettings;
use matrix_sdk::ruma::api::client::uiaa::{AuthData, MatrixUserIdentifier, Password, UserIdentifier};
use matrix_sdk::ruma::{EventId, OwnedEventId, OwnedRoomId, OwnedUserId, RoomId, UserId};
use matrix_sdk::{Client, Room};
use placet::approval::Assurance;
use placet::id::{SurfaceName, TenantId};
use placet::ports::{Clock, Entropy};
use placet::text::Language;
use placet::time::{Timestamp, Ttl};
use placet_matrix::backing::Unbacked;
use placet_matrix::event::{Act, Message, What};
use placet_matrix::reader::Reader;
use placet_matrix::session::{Session, SessionError};
use placet_matrix::settings::{Admitted, Buttons, MatrixSettings, PREFIX, Readers, SignIn, StoreKey};
use placet_matrix::sync::{Heard, Sync};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

pub(crate) const PASSWORD: &str = "correct horse battery staple";

/// Syncs that somebody waits for something: each returns at once where something came.
const SYNCS_MAX: usize = 20;

fn variable(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: run this by ./test or tests/homeserver/run"))
}

/// A number that no other test has, nor another process.
fn number() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Other bytes each time.
pub(crate) struct Numbered;

impl Entropy for Numbered {
    fn fill(&self, bytes: &mut [u8]) {
        let hash = Sha256::digest(number());
        for (byte, from) in bytes.iter_mut().zip(hash.iter().cycle()) {
            *byte = *from;
        }
    }
}

/// Goes on by a millisecond whenever somebody looks.
#[derive(Default)]
pub(crate) struct Ticking(AtomicI64);

#[async_trait]
impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
    async fn sleep_until(&self, _: Timestamp) {}
}

/// The homeserver, as its administrator.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) url: String,
    http: reqwest::Client,
    admin: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { url: variable("PLACET_HOMESERVER"), http, admin: variable("PLACET_HOMESERVER_ADMIN") }
    }

    async fn call(&self, method: &str, path: &str, (token, body): (&str, Value)) -> Value {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let call = self.http.request(method, format!("{}{path}", self.url)).bearer_auth(token).json(&body);
        let answer = call.send().await.unwrap();
        let status = answer.status();
        let body: Value = answer.json().await.unwrap();
        assert!(status.is_success(), "{path}: {status} {body}");
        body
    }

    pub(crate) async fn as_admin(&self, method: &str, path: &str, body: Value) -> Value {
        self.call(method, path, (&self.admin, body)).await
    }

    /// Somebody new.
    pub(crate) async fn somebody(&self, name: &str) -> OwnedUserId {
        let user = format!("@{name}-{}:{}", number(), variable("PLACET_HOMESERVER_NAME"));
        let path = format!("/_synapse/admin/v2/users/{user}");
        self.as_admin("PUT", &path, json!({ "password": PASSWORD, "displayname": name })).await;
        user.try_into().unwrap()
    }

    /// Somebody without keys, by HTTP alone.
    pub(crate) async fn person(&self, name: &str) -> Person {
        let user = self.somebody(name).await;
        let body = json!({
            "type": "m.login.password",
            "identifier": { "type": "m.id.user", "user": user },
            "password": PASSWORD,
        });
        let token = self.call("POST", "/_matrix/client/v3/login", ("", body)).await["access_token"].clone();
        Person { world: self.clone(), user, token: token.as_str().unwrap().to_owned() }
    }

    /// The administrator in somebody's name.
    pub(crate) async fn posing_as(&self, user: &UserId) -> Person {
        let path = format!("/_synapse/admin/v1/users/{user}/login");
        let token = self.as_admin("POST", &path, json!({})).await["access_token"].clone();
        Person { world: self.clone(), user: user.to_owned(), token: token.as_str().unwrap().to_owned() }
    }

    /// A bot that is new here, for these people.
    pub(crate) async fn bot(&self, admitted: &[&UserId]) -> Bot {
        let user = self.somebody("bot").await;
        let folder = tempfile::tempdir().unwrap();
        Bot { settings: self.settings(&user, folder.path(), admitted), folder: Arc::new(folder) }
    }

    fn settings(&self, user: &UserId, folder: &Path, admitted: &[&UserId]) -> MatrixSettings {
        MatrixSettings {
            name: SurfaceName::new("matrix").unwrap(),
            tenant: TenantId::new("acme").unwrap(),
            homeserver: self.url.parse().unwrap(),
            proxy: None,
            user: user.to_owned(),
            device_name: "Placet".to_owned(),
            store: folder.join("store"),
            store_key: StoreKey::new([7; 32]),
            sign_in: SignIn::Password(PASSWORD.into()),
            room: "!none:example.org".try_into().unwrap(),
            ops_room: None,
            people: Admitted {
                accounts: admitted.iter().map(|&who| who.to_owned()).collect(),
                ..Admitted::default()
            },
            buttons: Buttons::Reactions,
            readers: Readers::AllDevices,
            prefix: PREFIX.to_owned(),
            language: Language::English,
            languages: [].into(),
            pins: Some(folder.join("pins.toml")),
        }
    }
}

/// Somebody who speaks HTTP.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) world: World,
    pub(crate) user: OwnedUserId,
    token: String,
}

impl Person {
    pub(crate) async fn call(&self, method: &str, path: &str, body: Value) -> Value {
        self.world.call(method, &format!("/_matrix/client/v3{path}"), (&self.token, body)).await
    }

    pub(crate) async fn creates_room(&self, mut how: Value) -> OwnedRoomId {
        how["preset"] = json!("private_chat");
        serde_json::from_value(self.call("POST", "/createRoom", how).await["room_id"].clone()).unwrap()
    }

    pub(crate) async fn invites(&self, room: &RoomId, who: &UserId) {
        self.call("POST", &format!("/rooms/{room}/invite"), json!({ "user_id": who })).await;
    }

    pub(crate) async fn joins(&self, room: &RoomId) {
        self.call("POST", &format!("/join/{room}"), json!({})).await;
    }

    pub(crate) async fn sends(&self, room: &RoomId, kind: &str, content: Value) -> OwnedEventId {
        let path = format!("/rooms/{room}/send/{kind}/{}", number());
        serde_json::from_value(self.call("PUT", &path, content).await["event_id"].clone()).unwrap()
    }

    pub(crate) async fn says(&self, room: &RoomId, body: &str) -> OwnedEventId {
        self.sends(room, "m.room.message", json!({ "msgtype": "m.text", "body": body })).await
    }

    pub(crate) async fn reacts(&self, room: &RoomId, on: &EventId, key: &str) -> OwnedEventId {
        let relates = json!({ "rel_type": "m.annotation", "event_id": on, "key": key });
        self.sends(room, "m.reaction", json!({ "m.relates_to": relates })).await
    }

    pub(crate) async fn redacts(&self, room: &RoomId, event: &EventId) -> OwnedEventId {
        let path = format!("/rooms/{room}/redact/{event}/{}", number());
        serde_json::from_value(self.call("PUT", &path, json!({})).await["event_id"].clone()).unwrap()
    }

    pub(crate) async fn sets(&self, room: &RoomId, kind: &str, content: Value) {
        self.call("PUT", &format!("/rooms/{room}/state/{kind}/"), content).await;
    }
}

/// A bot's account and store; it can be started again.
#[derive(Clone)]
pub(crate) struct Bot {
    pub(crate) settings: MatrixSettings,
    pub(crate) folder: Arc<TempDir>,
}

impl Bot {
    pub(crate) async fn opens(&self) -> Result<Session, SessionError> {
        Session::open(self.settings.clone(), &Numbered).await
    }

    /// Started, with its device signed.
    pub(crate) async fn starts(&self) -> Ear {
        let session = self.opens().await.unwrap();
        session.sign_own_device().await.unwrap();
        let reader = Reader::new(session);
        Ear { sync: Sync::new(reader.clone()).await.unwrap(), reader }
    }
}

impl Bot {
    /// Started, has heard what there is, and stopped.
    pub(crate) async fn hears_once(&self) {
        let mut ear = self.starts().await;
        ear.hears().await;
        ear.stops().await;
    }
}

/// A bot that listens.
pub(crate) struct Ear {
    pub(crate) sync: Sync,
    pub(crate) reader: Reader,
}

impl Ear {
    /// One sync, which waits no longer than a moment.
    pub(crate) async fn hears(&mut self) -> Vec<Heard> {
        self.sync.step(Ttl::from_millis(500)).await.unwrap()
    }

    /// Everything until that is there.
    pub(crate) async fn hears_until(&mut self, is_it: impl Fn(&Heard) -> bool) -> Vec<Heard> {
        let mut all = Vec::new();
        for _ in 0..SYNCS_MAX {
            all.extend(self.hears().await);
            if all.iter().any(&is_it) {
                return all;
            }
        }
        panic!("it was not heard, but {all:#?}");
    }

    /// Everything until that event.
    pub(crate) async fn hears_event(&mut self, event: &EventId) -> Act {
        let heard = self.hears_until(|heard| matches!(heard, Heard::Act(act) if act.event == event)).await;
        let act = heard.into_iter().rev().find_map(|heard| match heard {
            Heard::Act(act) if act.event == event => Some(act),
            _ => None,
        });
        act.unwrap()
    }

    /// Goes where it was invited to.
    pub(crate) async fn comes_to(&mut self, room: &RoomId) {
        self.hears_until(|heard| matches!(heard, Heard::Joined { room: to } if to == room)).await;
    }

    /// Gives everything up, so that another can start.
    pub(crate) async fn stops(self) {
        let session = self.reader.session().clone();
        drop(self);
        session.close().await;
    }

    /// What an event is worth now.
    pub(crate) async fn judges(&self, room: &RoomId, event: &EventId) -> Result<Assurance, Unbacked> {
        let confirmed = self.reader.again(room, event).await.unwrap().unwrap();
        self.reader.judge(&confirmed).await.unwrap()
    }
}

pub(crate) fn message(act: &Act) -> &Message {
    match &act.what {
        What::Message(message) => message,
        other => panic!("{other:?}"),
    }
}

/// Somebody with keys.
pub(crate) struct Keyed {
    pub(crate) client: Client,
}

impl Keyed {
    /// On a new device, that no identity signs.
    pub(crate) async fn unsigned(world: &World, user: &UserId, password: &str) -> Self {
        let client = Client::builder().homeserver_url(&world.url).build().await.unwrap();
        client.matrix_auth().login_username(user, password).send().await.unwrap();
        client.sync_once(SyncSettings::new()).await.unwrap();
        Self { client }
    }

    /// On a new device, that an identity of their own signs: their first, or one in its place.
    pub(crate) async fn signed(world: &World, user: &UserId, password: &str) -> Self {
        let person = Self::unsigned(world, user, password).await;
        let encryption = person.client.encryption();
        if let Some(handle) = encryption.reset_cross_signing().await.unwrap() {
            let who = UserIdentifier::Matrix(MatrixUserIdentifier::new(user.to_string()));
            let mut auth = Password::new(who, password.to_owned());
            if let matrix_sdk::encryption::CrossSigningResetAuthType::Uiaa(wanted) = handle.auth_type() {
                auth.session.clone_from(&wanted.session);
            }
            handle.auth(Some(AuthData::Password(auth))).await.unwrap();
        }
        person.client.sync_once(SyncSettings::new()).await.unwrap();
        person
    }

    pub(crate) async fn room(&self, room: &RoomId) -> Room {
        self.client.sync_once(SyncSettings::new()).await.unwrap();
        self.client.get_room(room).unwrap()
    }

    /// Says something, encrypted for everybody's devices of now.
    pub(crate) async fn says(&self, room: &RoomId, body: &str) -> OwnedEventId {
        self.sends(room, "m.room.message", json!({ "msgtype": "m.text", "body": body })).await
    }

    pub(crate) async fn sends(&self, room: &RoomId, kind: &str, content: Value) -> OwnedEventId {
        self.room(room).await.send_raw(kind, content).await.unwrap().response.event_id
    }

    pub(crate) async fn master_key(&self) -> placet_matrix::backing::MasterKey {
        let user = self.client.user_id().unwrap();
        let identity = self.client.encryption().request_user_identity(user).await.unwrap().unwrap();
        identity.master_key().get_first_key().unwrap().to_base64().parse().unwrap()
    }
}
