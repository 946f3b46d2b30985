//! In which language something is written: that of its one reader, else that of the channel, else the workspace's. Never
//! one that an agent chooses.

use placet::notice::Recipient;
use placet::person::Identity;
use placet::text::{Language, Texts};

use super::Slack;

impl Slack {
    /// The catalogue in the language of whoever reads: the workspace's, unless this is [`Slack::read_in`] another.
    #[must_use]
    pub fn texts(&self) -> &'static Texts {
        Texts::of(self.1)
    }

    /// The same workspace, for who reads this language.
    #[must_use]
    pub fn read_in(&self, language: Language) -> Self {
        Self(std::sync::Arc::clone(&self.0), language)
    }

    /// The same workspace, for what everybody in a channel sees.
    #[must_use]
    pub fn read_in_channel(&self, channel: &str) -> Self {
        self.read_in(self.language_in(channel))
    }

    /// The same workspace, for what only this reader sees. Never waits: where their language is not known yet, it is the
    /// channel's.
    #[must_use]
    pub fn read_by(&self, reader: &Identity, channel: &str) -> Self {
        let own = self.0.directory.as_ref().and_then(|directory| directory.language_at_hand(reader));
        self.read_in(own.unwrap_or_else(|| self.language_in(channel)))
    }

    /// As [`Slack::read_by`], and asks for their language where it is not known yet.
    pub async fn read_surely_by(&self, reader: &Identity, channel: &str) -> Self {
        let own = match &self.0.directory {
            Some(directory) => directory.language(reader).await,
            None => None,
        };
        self.read_in(own.unwrap_or_else(|| self.language_in(channel)))
    }

    /// The same workspace, for whoever gets a message.
    pub(super) async fn read_by_recipient(&self, to: &Recipient) -> Self {
        match to {
            Recipient::Account(reply) => self.read_surely_by(&reply.identity, &reply.channel).await,
            Recipient::Directly(identity) => self.read_surely_by(identity, "").await,
            // One message is made for each of them first.
            Recipient::Roles(_) | Recipient::Askers(_) => self.clone(),
            Recipient::Operators => {
                self.read_in_channel(self.0.settings.ops_channel.as_deref().unwrap_or_default())
            }
            Recipient::Place(place) => self.read_in_channel(self.channel(place)),
        }
    }

    fn language_in(&self, channel: &str) -> Language {
        self.0.settings.languages.get(channel).copied().unwrap_or(self.0.settings.language)
    }
}
