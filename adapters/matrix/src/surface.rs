//! The port: cards are posted, edited and found again, people and operators are told.
//!
//! What always holds:
//! - A post carries its attempt's id as its transaction id and in its content: sent again after a lost answer it makes no second
//!   card, and it can be looked up.
//! - An error says whether the message may be there ([`SurfaceError`]), and for good errors what to do. Nothing is tried twice
//!   here: the gate tries again.
//! - The buttons of a card follow its state: ✅ and ❌, or the poll, are there only while they decide something, and only where
//!   the card says so.
//! - A room's messages are encrypted where the room is; whoever is told something directly is told it in an encrypted room.

mod buttons;
mod fault;
mod find;
mod send;
mod tell;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use matrix_sdk::{Client, Room};
use placet::call::ShownDigest;
use placet::card::CardView;
use placet::gate::PolicyShelf;
use placet::id::{AttemptId, SurfaceName, TenantId};
use placet::inbound::MessageRef;
use placet::notice::Message;
use placet::person::Identity;
use placet::policy::Place;
use placet::ports::{Clock, Directory, Surface, SurfaceError, Telling};
use placet::text::{Language, Texts};
use placet::time::Timestamp;

use crate::content::{self, Beneath, CardMark, Voice};
use crate::render::{self, Buttons, Manner, Rendering, Site};
use crate::settings::MatrixSettings;
pub use buttons::{NO, YES};

use buttons::Known;
use send::MESSAGE;

/// The realm of the groups that are rooms.
const GROUP_REALM: &str = "matrix";
/// What the realm of an account begins with; its homeserver follows.
const ACCOUNT_REALM: &str = "matrix:";

/// How one account of Placet's is set up as a surface.
#[derive(Debug, Clone)]
pub struct SurfaceSettings {
    /// The surface's configured name.
    pub name: SurfaceName,
    /// Whose requests are shown here.
    pub tenant: TenantId,
    /// The room of cards that name none, by its id.
    pub room: String,
    /// The room in which operators are told of alarms; none leaves that to the log.
    pub ops_room: Option<String>,
    /// The accounts that are Placet's people, by their full ids.
    pub people: BTreeSet<String>,
    /// The homeservers whose accounts are Placet's people. With neither, nobody is.
    pub servers: BTreeSet<String>,
    /// How people decide.
    pub manner: Manner,
    /// The language of cards, where nothing else names one.
    pub language: Language,
    /// The languages of rooms that have one of their own, by the room's id.
    pub languages: BTreeMap<String, Language>,
}

impl From<&MatrixSettings> for SurfaceSettings {
    fn from(settings: &MatrixSettings) -> Self {
        let text = ToString::to_string;
        Self {
            name: settings.name.clone(),
            tenant: settings.tenant.clone(),
            room: settings.room.to_string(),
            ops_room: settings.ops_room.as_ref().map(ToString::to_string),
            people: settings.people.accounts.iter().map(text).collect(),
            servers: settings.people.servers.iter().map(ToString::to_string).collect(),
            manner: Manner {
                prefix: settings.prefix.clone(),
                buttons: match settings.buttons {
                    crate::settings::Buttons::Reactions => Buttons::Reactions,
                    crate::settings::Buttons::Poll => Buttons::Poll,
                },
            },
            language: settings.language,
            languages: settings.languages.iter().map(|(room, of)| (room.to_string(), *of)).collect(),
        }
    }
}

/// One account of Placet's. Cheap to clone.
#[derive(Clone)]
pub struct Matrix(Arc<Parts>);

struct Parts {
    settings: SurfaceSettings,
    client: Client,
    clock: Arc<dyn Clock>,
    /// Who has which role, so that a refusal can name who can.
    policy: Option<Arc<PolicyShelf>>,
    /// Who is in a group, so that it can be mentioned.
    directory: Option<Arc<dyn Directory>>,
    /// The catalogue whose commands begin with the word of the settings.
    commands: HashMap<Language, Texts>,
    /// What is known of the buttons of cards.
    known: Known,
}

impl std::fmt::Debug for Matrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matrix").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

impl Matrix {
    /// An account with these settings, signed in as `client`. Talks to nobody yet.
    #[must_use]
    pub fn new(settings: SurfaceSettings, client: Client, clock: Arc<dyn Clock>) -> Self {
        Self::with(settings, client, clock, (None, None))
    }

    /// As [`Matrix::new`]; with the policy, a refusal names who could do what was refused, and with the directory, everybody in
    /// a group can be mentioned.
    #[must_use]
    pub fn with_people(
        settings: SurfaceSettings,
        client: Client,
        clock: Arc<dyn Clock>,
        policy: Arc<PolicyShelf>,
        directory: Arc<dyn Directory>,
    ) -> Self {
        Self::with(settings, client, clock, (Some(policy), Some(directory)))
    }

    fn with(
        settings: SurfaceSettings,
        client: Client,
        clock: Arc<dyn Clock>,
        (policy, directory): (Option<Arc<PolicyShelf>>, Option<Arc<dyn Directory>>),
    ) -> Self {
        let prefix = settings.manner.prefix.clone();
        let texts = |language| (language, Texts::with_commands(language, &prefix));
        let commands = Language::ALL.map(texts).into_iter().collect();
        let known = Known::default();
        Self(Arc::new(Parts { settings, client, clock, policy, directory, commands, known }))
    }

    /// How it is set up.
    #[must_use]
    pub fn settings(&self) -> &SurfaceSettings {
        &self.0.settings
    }

    /// The account.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// The card for a view, as it stands in this room.
    #[must_use]
    pub fn render(&self, view: &CardView, room: &str, encrypted: bool) -> Rendering {
        let Parts { settings: SurfaceSettings { name, manner, .. }, .. } = &*self.0;
        render::render(view, &Site { surface: name, manner, encrypted }, self.texts(room))
    }

    /// The catalogue in a room's language.
    #[must_use]
    pub fn texts(&self, room: &str) -> &'static Texts {
        let SurfaceSettings { language, languages, .. } = &self.0.settings;
        Texts::of(languages.get(room).copied().unwrap_or(*language))
    }

    /// The same, for what is said of commands: they begin with the word of the settings.
    pub(crate) fn command_texts(&self, room: &str) -> &Texts {
        let Parts { settings: SurfaceSettings { language, languages, .. }, commands, .. } = &*self.0;
        let language = languages.get(room).copied().unwrap_or(*language);
        commands.get(&language).unwrap_or_else(|| Texts::of(language))
    }

    /// Whether the whole call of this card stands in its thread.
    pub(crate) fn has_parts(&self, card: &MessageRef, shown: ShownDigest) -> bool {
        self.0.known.has_parts(card, shown)
    }

    fn room_of<'a>(&'a self, place: &'a Place) -> &'a str {
        if place.channel.is_empty() { &self.0.settings.room } else { &place.channel }
    }

    /// What stands around a card: the whole call in its thread, where the card has not all of it, and what is pressed.
    async fn surround(
        &self,
        room: &Room,
        card: &MessageRef,
        (view, rendering): (&CardView, &Rendering),
    ) -> Result<(), SurfaceError> {
        self.put_parts(room, card, (view, rendering)).await?;
        self.put_reactions(room, card, rendering).await?;
        self.put_poll(room, card, (view, rendering)).await
    }
}

fn mark_of(view: &CardView, rendering: &Rendering, attempt: Option<AttemptId>) -> CardMark {
    CardMark { attempt, request: view.request, code: view.code.clone(), shown: rendering.shown, part: None }
}

#[async_trait]
impl Surface for Matrix {
    fn name(&self) -> &SurfaceName {
        &self.0.settings.name
    }

    fn serves(&self, tenant: &TenantId) -> bool {
        self.0.settings.tenant == *tenant
    }

    fn shows_all(&self, view: &CardView) -> bool {
        // Whatever the room and its language.
        render::shows_all(view)
    }

    async fn post(
        &self,
        place: &Place,
        view: &CardView,
        attempt: AttemptId,
    ) -> Result<MessageRef, SurfaceError> {
        let room = self.room(self.room_of(place))?;
        let encrypted = self.is_encrypted(&room).await?;
        let rendering = self.render(view, room.room_id().as_str(), encrypted);
        let beneath = place.thread.as_deref().map_or(Beneath::Room, Beneath::Thread);
        let content = content::message(&rendering.written, Voice::Text, &[], beneath);
        let content = content::marked(content, &mark_of(view, &rendering, Some(attempt)));
        let event = self.send(&room, MESSAGE, content, Some(attempt.to_string())).await?;
        let card = MessageRef { channel: room.room_id().to_string(), id: event.to_string() };
        self.0.known.is_new(&card);
        // The card is there. What is to stand around it is put right with the next edit; until then less can be pressed than
        // the card says, never more.
        if let Err(fault) = self.surround(&room, &card, (view, &rendering)).await {
            tracing::warn!(approval.id = %view.request, matrix.event = card.id, %fault, "a card is there, and not all that belongs to it");
        }
        Ok(card)
    }

    async fn edit(&self, message: &MessageRef, view: &CardView) -> Result<(), SurfaceError> {
        let room = self.room_of_card(message)?;
        self.must_be_there(&room, message).await?;
        let encrypted = self.is_encrypted(&room).await?;
        let rendering = self.render(view, &message.channel, encrypted);
        let content = content::edit(&message.id, &rendering, &mark_of(view, &rendering, None));
        self.send(&room, MESSAGE, content, None).await?;
        self.surround(&room, message, (view, &rendering)).await
    }

    async fn find(
        &self,
        place: &Place,
        attempt: AttemptId,
        since: Timestamp,
    ) -> Option<Result<Option<MessageRef>, SurfaceError>> {
        self.find_card(self.room_of(place), attempt, since).await.transpose()
    }

    fn reaches(&self, identity: &Identity) -> bool {
        let SurfaceSettings { people, servers, .. } = &self.0.settings;
        if identity.realm() == GROUP_REALM {
            return self.0.directory.is_some();
        }
        let server = identity.realm().strip_prefix(ACCOUNT_REALM);
        server.is_some_and(|server| servers.contains(server) || people.contains(identity.subject()))
    }

    async fn tell(&self, message: &Message, telling: &Telling) -> Result<(), SurfaceError> {
        self.say(message, telling).await
    }
}
