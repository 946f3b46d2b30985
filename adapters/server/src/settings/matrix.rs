//! `[matrix]`: the bot's account on a homeserver, whose people may act, and the rooms.

use std::collections::{BTreeMap, BTreeSet};

use placet::id::SurfaceName;
use placet::text::Language;
use placet_matrix::settings::{Admitted, Buttons, MatrixSettings, PREFIX, Readers, SignIn, StoreKey};
use placet_matrix::{OwnedDeviceId, OwnedRoomId, OwnedServerName, OwnedUserId};
use secrecy::{ExposeSecret as _, SecretString};

use super::problem::Report;
use super::reader::{At, Section};
use super::secret::{Secrets, named};
use super::section::{address, tenant};

/// The name of Matrix in the policy's places.
const SURFACE: &str = "matrix";

/// What the bot's device is called where the settings say nothing.
const DEVICE_NAME: &str = "Placet";

/// Where keys and the session are kept where the settings say nothing.
const STORE: &str = "matrix";

/// The longest prefix of commands.
const PREFIX_CHARS_MAX: usize = 16;

/// The bot's account on a homeserver, and what hides its secrets.
#[derive(Debug, Clone)]
pub struct MatrixSection {
    /// As the adapter takes it; the proxy is put in by whoever wires it.
    pub settings: MatrixSettings,
    /// Every secret in it, for the redactor.
    pub(super) secrets: Vec<SecretString>,
}

impl MatrixSection {
    pub(super) fn read(
        mut table: Section<'_>,
        secrets: Secrets<'_>,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let homeserver = table.needed("homeserver", "\"https://matrix.example.org\"", report);
        let homeserver =
            address(homeserver, ("homeserver", "\"https://matrix.example.org\""), &table, report);
        let user = id::<OwnedUserId>(&mut table, "user", "\"@placet:example.org\"", report);
        let tenant = tenant(&mut table, report);
        let room = id::<OwnedRoomId>(&mut table, "room", ROOM, report);
        let ops_room = table.string("ops_room", report);
        let ops_room = ops_room.map(|room| table.parse::<OwnedRoomId>("ops_room", &room, ROOM, report));
        let (sign_in, mut hidden) = sign_in(&mut table, secrets, report);
        let store_key = secrets.needed(&mut table, ("store_key", "PLACET_MATRIX_STORE_KEY"), report);
        let key = store_key.as_ref().and_then(bytes);
        if store_key.is_some() && key.is_none() {
            let remedy = "64 hexadecimal digits, such as `openssl rand -hex 32` makes";
            table.note("store_key", "the secret is not 32 bytes in hexadecimal", remedy, report);
        }
        hidden.extend(store_key);
        let people = Admitted {
            accounts: each::<OwnedUserId>(&mut table, "people", "\"@bo:example.org\"", report),
            servers: each::<OwnedServerName>(&mut table, "servers", "\"example.org\"", report),
        };
        if people == Admitted::default() {
            let remedy =
                "people = [\"@bo:example.org\"], or servers = [\"example.org\"] for all of one homeserver";
            table.note("people", "nobody is admitted: an empty list means nobody", remedy, report);
        }
        let buttons = [("reactions", Buttons::Reactions), ("poll", Buttons::Poll)];
        let buttons = table.word("buttons", &buttons, report).unwrap_or_default();
        let readers = [("all-devices", Readers::AllDevices), ("signed-devices", Readers::SignedDevices)];
        let readers = table.word("readers", &readers, report).unwrap_or_default();
        let prefix = prefix(&mut table, report);
        let tags = Language::ALL.map(|language| (language.tag(), language));
        let language = table.word("language", &tags, report).unwrap_or(Language::English);
        let rooms = table.section("rooms", report);
        let languages = rooms.map(|rooms| room_languages(rooms, report)).unwrap_or_default();
        let store = table.string("store", report).map_or_else(|| STORE.to_owned(), |at| at.value);
        let pins = table.string("pins", report).map(|at| secrets.folder.join(at.value));
        let device_name = table.string("device_name", report);
        table.finish(report);
        let settings = MatrixSettings {
            name: SurfaceName::new(SURFACE).ok()?,
            tenant: tenant?,
            homeserver: homeserver?,
            proxy: None,
            user: user?,
            device_name: device_name.map_or_else(|| DEVICE_NAME.to_owned(), |at| at.value),
            store: secrets.folder.join(store),
            store_key: StoreKey::new(key?),
            sign_in: sign_in?,
            room: room?,
            ops_room: match ops_room {
                Some(room) => Some(room?.value),
                None => None,
            },
            people,
            readers,
            buttons,
            prefix,
            language,
            languages,
            pins,
        };
        Some(Self { settings, secrets: hidden })
    }
}

/// What a room's id looks like. An alias can be pointed at another room by whoever has its server.
const ROOM: &str = "\"!ops:example.org\"";

/// How the bot signs in the first time, and the secrets of that.
fn sign_in(
    table: &mut Section<'_>,
    secrets: Secrets<'_>,
    report: &mut Report<'_>,
) -> (Option<SignIn>, Vec<SecretString>) {
    let (by_password, by_token) = (table.key_span("password").is_some(), table.key_span("token").is_some());
    if !by_password && !by_token {
        let remedy = format!(
            "such as {}; or, where the homeserver gives out tokens, {} with device = \"…\"",
            named("password", "PLACET_MATRIX_PASSWORD"),
            named("token", "PLACET_MATRIX_TOKEN"),
        );
        table.note("password", "it is missing", &remedy, report);
    }
    if by_password && by_token {
        table.note("token", "it stands beside `password`", "only one of the two ways can hold", report);
    }
    let password = secrets.read(table, "password", report);
    let token = secrets.read(table, "token", report);
    let device = table.string("device", report);
    if by_token && device.is_none() {
        table.note(
            "device",
            "it is missing",
            "the id of the device that the token was given out for",
            report,
        );
    }
    if by_password && !by_token && device.is_some() {
        table.note("device", "a password signs in on a device of its own", "take it out", report);
    }
    let hidden = [&password, &token].into_iter().flatten().cloned().collect();
    let how = match (password, token, device) {
        (Some(password), None, _) => Some(SignIn::Password(password)),
        (None, Some(token), Some(device)) => {
            Some(SignIn::Token { token, device: OwnedDeviceId::from(device.value) })
        }
        _ => None,
    };
    (how, hidden)
}

/// A needed id of Matrix's.
fn id<T: std::str::FromStr<Err: std::fmt::Display>>(
    table: &mut Section<'_>,
    key: &'static str,
    example: &str,
    report: &mut Report<'_>,
) -> Option<T> {
    let text = table.needed(key, example, report)?;
    table.parse::<T>(key, &text, example, report).map(|at| at.value)
}

/// A list of ids.
fn each<T: std::str::FromStr<Err: std::fmt::Display> + Ord>(
    table: &mut Section<'_>,
    key: &'static str,
    example: &str,
    report: &mut Report<'_>,
) -> BTreeSet<T> {
    let listed = table.strings(key, report).unwrap_or_default();
    listed
        .iter()
        .filter_map(|text: &At<String>| table.parse::<T>(key, text, example, report).map(|at| at.value))
        .collect()
}

fn bytes(secret: &SecretString) -> Option<[u8; 32]> {
    let mut bytes = [0_u8; 32];
    hex::decode_to_slice(secret.expose_secret(), &mut bytes).ok()?;
    Some(bytes)
}

/// What commands begin with: one word that nobody begins a sentence with.
fn prefix(table: &mut Section<'_>, report: &mut Report<'_>) -> String {
    let Some(text) = table.string("prefix", report) else { return PREFIX.to_owned() };
    let is_sign = |c: char| c.is_ascii_punctuation() && c != '@' && c != '#' && c != '/';
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut chars = text.value.chars();
    let begins = chars.next().is_some_and(is_sign);
    if begins && chars.all(is_word) && (2..=PREFIX_CHARS_MAX).contains(&text.value.chars().count()) {
        return text.value;
    }
    let message = format!("`{}` cannot be told from what people say to one another", text.value);
    let remedy = format!(
        "a sign such as ! and a word behind it, at most {PREFIX_CHARS_MAX} characters: \"!placet\"; clients keep / for themselves"
    );
    report.add(&text.span, &table.path("prefix"), message, remedy);
    PREFIX.to_owned()
}

/// `[matrix.rooms."!…"]`: what rooms have of their own.
fn room_languages(rooms: Section<'_>, report: &mut Report<'_>) -> BTreeMap<OwnedRoomId, Language> {
    let tags = Language::ALL.map(|language| (language.tag(), language));
    let mut found = BTreeMap::new();
    for (name, mut room) in rooms.each(report) {
        let id: Result<OwnedRoomId, _> = name.value.parse();
        if id.is_err() {
            let message = format!("`{}` is not a room's id", name.value);
            report.add(&name.span, &room.path(""), message, "an id such as !ops:example.org; not an alias");
        }
        let language = room.word("language", &tags, report);
        if let (Ok(id), Some(language)) = (id, language) {
            found.insert(id, language);
        }
        room.finish(report);
    }
    found
}
