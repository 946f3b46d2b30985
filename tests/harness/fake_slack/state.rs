//! What the fake knows: channels, messages, people, dialogs, and what nobody has looked at yet.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::{Value, json};

use super::BTreeSet;
use super::people::{Kind, Person, UserGroup};
use super::reading::text_of;
use super::server::Fault;
use super::socket::{APP_TOKEN, Sockets};

/// Milliseconds since the epoch.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The workspace.
pub const TEAM_ID: &str = "T0FAKE0001";
/// The enterprise, which only org-wide payloads name.
pub const ENTERPRISE_ID: &str = "E0FAKE0001";
/// The bot's user.
pub const BOT_USER_ID: &str = "U0FAKEBOT1";
/// The bot.
pub const BOT_ID: &str = "B0FAKEBOT1";
/// The app.
pub const APP_ID: &str = "A0FAKEAPP1";
/// The bot token that is taken.
pub const TOKEN: &str = "xoxb-fake-token";

/// The scopes that the token has to begin with.
const SCOPES: [&str; 9] = [
    "chat:write",
    "commands",
    "users:read",
    "usergroups:read",
    "app_mentions:read",
    "im:write",
    "channels:history",
    "groups:history",
    "files:write",
];

/// A message, as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Unique in its channel, and its order.
    pub ts: String,
    /// The channel id.
    pub channel: String,
    /// Who wrote it.
    pub user: String,
    /// What notifications show.
    pub text: String,
    /// The blocks, with the ids that Slack gives where there were none.
    pub blocks: Vec<Value>,
    /// What the app attached.
    pub metadata: Option<Value>,
    /// What it was before each edit, oldest first.
    pub edits: Vec<Edit>,
    /// Whether somebody deleted it.
    pub deleted: bool,
    /// The parent, in a thread.
    pub thread_ts: Option<String>,
    /// The one person who sees it.
    pub ephemeral_to: Option<String>,
    /// When it was posted, by the test's clock.
    pub posted_ms: i64,
    /// The files that came with it.
    pub files: Vec<File>,
}

/// A file that was shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// What it is called.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// A file on its way: it has a place, perhaps its content, and is not shared yet.
pub(super) struct Upload {
    pub(super) name: String,
    pub(super) length: usize,
    pub(super) content: Option<Vec<u8>>,
}

/// What a message was before an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// When it was edited.
    pub edited_ms: i64,
    /// The text before.
    pub text: String,
    /// The blocks before.
    pub blocks: Vec<Value>,
}

/// A dialog of one person.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub user: String,
    /// Its version.
    pub hash: String,
    /// The view as the app sent it, with the ids that Slack gives.
    pub view: Value,
    /// Whether it is still open.
    pub is_open: bool,
    /// What the last submission was refused with, by block.
    pub errors: BTreeMap<String, String>,
    /// The dialogs under it and itself, by id, lowest first.
    pub stack: Vec<String>,
}

pub(super) struct Channel {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) is_private: bool,
    pub(super) is_archived: bool,
    pub(super) has_bot: bool,
    pub(super) absent: BTreeSet<String>,
    pub(super) messages: Vec<Message>,
}

pub(super) struct Trigger {
    pub(super) user: String,
    pub(super) issued_ms: i64,
    pub(super) is_used: bool,
}

/// What a `response_url` answers to.
pub(super) struct ResponseUrl {
    pub(super) user: String,
    pub(super) channel: String,
    pub(super) ts: Option<String>,
    pub(super) is_ephemeral: bool,
    pub(super) issued_ms: i64,
    pub(super) uses: u32,
}

/// Something that reached people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    Posted {
        channel: String,
        ts: String,
    },
    Edited {
        channel: String,
        ts: String,
    },
    /// What came of a call, under its card: the end of a conversation counts these, and who is about them reads them.
    Outcome {
        channel: String,
        ts: String,
    },
    Whispered {
        user: String,
        ts: String,
    },
    Dialog {
        user: String,
        id: String,
    },
}

impl News {
    pub(super) fn is_in_channel(&self, id: &str) -> bool {
        matches!(self, Self::Posted { channel, .. } | Self::Edited { channel, .. } | Self::Outcome { channel, .. } if channel == id)
    }

    pub(super) fn is_post_in(&self, id: &str) -> bool {
        matches!(self, Self::Posted { channel, .. } if channel == id)
    }

    pub(super) fn is_of_message(&self, id: &str, of: &str) -> bool {
        matches!(self, Self::Posted { channel, ts } | Self::Edited { channel, ts } if channel == id && ts == of)
    }
}

pub(super) struct State {
    pub(super) clock: Clock,
    /// How far Slack's clock is from the test's, in milliseconds.
    pub(super) clock_ahead_ms: i64,
    /// Where the server is, without a path.
    pub(super) origin: String,
    pub(super) scopes: BTreeSet<String>,
    pub(super) token_is_revoked: bool,
    /// The app-level token that is taken.
    pub(super) app_token: String,
    pub(super) is_org_wide: bool,
    pub(super) signing_secret: String,
    pub(super) last_body: Option<String>,
    pub(super) last_event: Option<String>,
    /// The workspace's id, where it is not [`TEAM_ID`].
    pub(super) team: Option<String>,
    /// The home that each person sees.
    pub(super) homes: BTreeMap<String, super::homes::HomeTab>,
    pub(super) channels: BTreeMap<String, Channel>,
    pub(super) ephemerals: Vec<Message>,
    pub(super) people: BTreeMap<String, Person>,
    pub(super) groups: BTreeMap<String, UserGroup>,
    pub(super) views: Vec<View>,
    pub(super) triggers: BTreeMap<String, Trigger>,
    pub(super) responses: BTreeMap<String, ResponseUrl>,
    pub(super) uploads: BTreeMap<String, Upload>,
    pub(super) calls: Vec<(String, Value)>,
    pub(super) refused: Vec<String>,
    pub(super) faults: BTreeMap<String, VecDeque<Fault>>,
    pub(super) standing_faults: BTreeMap<String, Fault>,
    /// Methods whose calls are held.
    pub(super) held: BTreeSet<String>,
    pub(super) limits_rates: bool,
    pub(super) called_ms: BTreeMap<String, VecDeque<i64>>,
    pub(super) edit_window_ms: Option<i64>,
    pub(super) unread: Vec<News>,
    pub(super) sockets: Sockets,
    last_ts: (i64, u32),
    serial: u64,
}

impl State {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            clock,
            clock_ahead_ms: 0,
            origin: String::new(),
            scopes: SCOPES.map(str::to_owned).into(),
            token_is_revoked: false,
            app_token: APP_TOKEN.to_owned(),
            is_org_wide: false,
            signing_secret: "fake-signing-secret".to_owned(),
            last_body: None,
            last_event: None,
            team: None,
            homes: BTreeMap::new(),
            channels: BTreeMap::new(),
            ephemerals: Vec::new(),
            people: BTreeMap::new(),
            groups: BTreeMap::new(),
            views: Vec::new(),
            triggers: BTreeMap::new(),
            responses: BTreeMap::new(),
            uploads: BTreeMap::new(),
            calls: Vec::new(),
            refused: Vec::new(),
            faults: BTreeMap::new(),
            standing_faults: BTreeMap::new(),
            held: BTreeSet::new(),
            limits_rates: true,
            called_ms: BTreeMap::new(),
            edit_window_ms: None,
            unread: Vec::new(),
            sockets: Sockets::default(),
            last_ts: (0, 0),
            serial: 0,
        }
    }

    /// What leaves the workspace, under its own id.
    pub(super) fn leaving(&self, text: String) -> String {
        match &self.team {
            Some(team) => text.replace(TEAM_ID, team),
            None => text,
        }
    }

    /// The time by Slack's own clock, which its answers carry.
    pub(super) fn slack_ms(&self) -> i64 {
        self.now_ms() + self.clock_ahead_ms
    }

    pub(super) fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    /// A number that was not given before.
    pub(super) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// A timestamp later than all before, even when the clock stands or goes back.
    pub(super) fn next_ts(&mut self) -> String {
        let now_secs = self.now_ms().div_euclid(1_000);
        self.last_ts = match self.last_ts {
            (last_secs, micros) if now_secs <= last_secs => (last_secs, micros + 100),
            _ => (now_secs, 100),
        };
        format!("{}.{:06}", self.last_ts.0, self.last_ts.1)
    }

    /// The id of a channel given by id, or by name with or without `#`.
    pub(super) fn channel_id(&self, channel: &str) -> Option<String> {
        if self.channels.contains_key(channel) {
            return Some(channel.to_owned());
        }
        let name = channel.strip_prefix('#').unwrap_or(channel);
        self.channels.values().find(|channel| channel.name == name).map(|channel| channel.id.clone())
    }

    pub(super) fn make_channel(&mut self, name: &str, is_private: bool) -> String {
        if let Some(id) = self.channel_id(name) {
            return id;
        }
        let name = name.strip_prefix('#').unwrap_or(name);
        let id = readable_id('C', name);
        self.insert_channel(&id, name, is_private);
        id
    }

    pub(super) fn insert_channel(&mut self, id: &str, name: &str, is_private: bool) {
        let channel = Channel {
            id: id.to_owned(),
            name: name.to_owned(),
            is_private,
            is_archived: false,
            has_bot: true,
            absent: BTreeSet::new(),
            messages: Vec::new(),
        };
        self.channels.insert(id.to_owned(), channel);
    }

    pub(super) fn make_person(&mut self, name: &str, kind: Kind) -> String {
        let id = readable_id('U', name);
        self.people.entry(id.clone()).or_insert_with(|| Person {
            name: name.to_owned(),
            locale: "en-GB".to_owned(),
            kind,
        });
        id
    }

    pub(super) fn make_group(&mut self, handle: &str) -> String {
        let id = readable_id('S', handle);
        self.groups.entry(id.clone()).or_default();
        id
    }

    pub(super) fn message_mut(&mut self, channel: &str, ts: &str) -> Option<&mut Message> {
        self.channels.get_mut(channel)?.messages.iter_mut().find(|message| message.ts == ts)
    }

    pub(super) fn say(&mut self, user: &str, channel: &str, text: &str) -> Option<String> {
        let id = self.channel_id(channel)?;
        let message = self.new_message(&id, user, text);
        let ts = message.ts.clone();
        self.channels.get_mut(&id)?.messages.push(message);
        Some(ts)
    }

    pub(super) fn new_message(&mut self, channel: &str, user: &str, text: &str) -> Message {
        Message {
            ts: self.next_ts(),
            channel: channel.to_owned(),
            user: user.to_owned(),
            text: text.to_owned(),
            blocks: Vec::new(),
            metadata: None,
            edits: Vec::new(),
            deleted: false,
            thread_ts: None,
            ephemeral_to: None,
            posted_ms: self.now_ms(),
            files: Vec::new(),
        }
    }

    /// Gives ids to blocks and elements that have none, as Slack does.
    pub(super) fn with_ids(&mut self, blocks: &Value) -> Vec<Value> {
        let mut blocks = blocks.as_array().cloned().unwrap_or_default();
        for block in &mut blocks {
            if block["block_id"].is_null() {
                block["block_id"] = format!("b{}", self.next_serial()).into();
            }
            for key in ["accessory", "element"] {
                self.name_element(&mut block[key]);
            }
            if block["type"] == "actions" {
                for element in block["elements"].as_array_mut().into_iter().flatten() {
                    self.name_element(element);
                }
            }
            if let Some(block) = block.as_object_mut() {
                block.retain(|_, value| !value.is_null());
            }
        }
        blocks
    }

    fn name_element(&mut self, element: &mut Value) {
        if element.is_object() && element["action_id"].is_null() {
            element["action_id"] = format!("a{}", self.next_serial()).into();
        }
    }

    pub(super) fn describe(&self, news: &News) -> String {
        let first_line = |message: Option<&Message>| {
            let text = message.map(text_of).unwrap_or_default();
            text.lines().next().unwrap_or_default().to_owned()
        };
        match news {
            News::Posted { channel, ts } | News::Edited { channel, ts } | News::Outcome { channel, ts } => {
                let what = if matches!(news, News::Edited { .. }) { "edited" } else { "posted" };
                let channel = self.channels.get(channel);
                let message =
                    channel.and_then(|channel| channel.messages.iter().find(|message| message.ts == *ts));
                let name = channel.map(|channel| channel.name.as_str()).unwrap_or_default();
                format!("{what} in #{name} ({ts}): {}", first_line(message))
            }
            News::Whispered { user, ts } => {
                let message = self.ephemerals.iter().find(|message| message.ts == *ts);
                format!("whispered to {user}: {}", first_line(message))
            }
            News::Dialog { user, id } => {
                let view = self.views.iter().find(|view| view.id == *id);
                let title = view.map(|view| view.view["title"]["text"].to_string()).unwrap_or_default();
                format!("dialog for {user}: {title}")
            }
        }
    }
}

impl Message {
    /// Whether it tells what came of a call, under its card.
    #[must_use]
    pub fn is_outcome(&self) -> bool {
        self.metadata.as_ref().is_some_and(|metadata| metadata["event_payload"]["notice"] == "ran")
    }

    /// The message object as the API gives it.
    pub(super) fn as_json(&self, with_metadata: bool) -> Value {
        let mut message = json!({ "type": "message", "ts": self.ts, "user": self.user, "text": self.text,
            "team": TEAM_ID });
        if self.user == BOT_USER_ID {
            message["bot_id"] = BOT_ID.into();
            message["app_id"] = APP_ID.into();
        }
        if !self.blocks.is_empty() {
            message["blocks"] = self.blocks.clone().into();
        }
        if let Some(thread_ts) = &self.thread_ts {
            message["thread_ts"] = thread_ts.as_str().into();
        }
        if let Some(edit) = self.edits.last() {
            message["edited"] =
                json!({ "user": self.user, "ts": format!("{}.000000", edit.edited_ms / 1_000) });
        }
        if let Some(metadata) = self.metadata.as_ref().filter(|_| with_metadata) {
            message["metadata"] = metadata.clone();
        }
        message
    }
}

/// An id of Slack's form that a reader of a test can tell: ten capitals and digits.
fn readable_id(kind: char, name: &str) -> String {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    format!("{kind}{name:0>9}")
}
