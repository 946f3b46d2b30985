//! Who reads the answer to a call, and in which language: that of their profile where it is known already, for a dialog
//! must open before anything is asked; else that of the dialog or the channel that they acted in.

use std::sync::Arc;

use placet::person::Identity;
use placet::text::Language;

use super::matter::Matter;
use super::reference::Reference;
use super::{Desk, Shared};
use crate::identity::SlackIdentity;
use crate::payload::{Interaction, SlashCommand, View};

/// Somebody who acted, and where.
struct Reader<'a> {
    account: Option<SlackIdentity>,
    channel: &'a str,
    dialog: Option<&'a View>,
}

impl Desk {
    /// This desk, for who clicked or submitted.
    pub(super) fn read_by_actor(self: &Arc<Self>, interaction: &Interaction) -> Shared {
        let reader = match interaction {
            Interaction::BlockActions(click) => Reader {
                account: click.identity(),
                channel: click.message_address().unwrap_or_default().0,
                dialog: click.view.as_ref(),
            },
            Interaction::ViewSubmission(submission) => {
                Reader { account: submission.identity(), channel: "", dialog: submission.view.as_ref() }
            }
            Interaction::ViewClosed(_) | Interaction::Other { .. } => return Arc::clone(self),
        };
        self.read_by(&reader)
    }

    /// This desk, for who typed a command.
    pub(super) fn read_by_typist(self: &Arc<Self>, command: &SlashCommand) -> Shared {
        let channel = command.channel_id.as_deref().unwrap_or_default();
        self.read_by(&Reader { account: command.identity(), channel, dialog: None })
    }

    fn read_by(&self, reader: &Reader<'_>) -> Shared {
        let there = match reader.dialog.and_then(|view| self.language_of(view)) {
            // A dialog stays in its language for as long as it is open.
            Some(language) => self.slack.read_in(language),
            None => {
                let from = reader.dialog.and_then(|view| self.channel_of(view));
                let channel = from.as_deref().unwrap_or(reader.channel);
                let account = reader.account.as_ref();
                let account = account.and_then(|of| Identity::slack(&of.workspace, &of.user).ok());
                match account {
                    Some(account) => self.slack.read_by(&account, channel),
                    None => self.slack.read_in_channel(channel),
                }
            }
        };
        Arc::new(Self {
            secrets: self.secrets.clone(),
            gate: self.gate.clone(),
            slack: there,
            tasks: self.tasks.clone(),
            homes: self.homes.clone(),
            dialogs: Arc::clone(&self.dialogs),
            commands: Arc::clone(&self.commands),
            answers: self.answers.clone(),
        })
    }

    /// Where a dialog was opened that asks for something beside yes and no.
    fn channel_of(&self, dialog: &View) -> Option<String> {
        let sealed = dialog.private_metadata.as_deref()?;
        Some(Matter::decode(sealed, &self.secrets)?.origin.channel)
    }

    fn language_of(&self, dialog: &View) -> Option<Language> {
        let sealed = dialog.private_metadata.as_deref()?;
        Some(Reference::decode(sealed, &self.secrets)?.language)
    }
}
