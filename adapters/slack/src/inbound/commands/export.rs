//! An audit as a file, sent to who asked for it and to nobody else.

use bytes::Bytes;
use placet::command::Exported;
use placet::text::{CommandLabel, Markup};

use super::To;
use crate::api::ApiError;
use crate::inbound::Desk;
use crate::mrkdwn::escape;
use crate::render::commands::{self, Page};

/// The scope that sending a file takes.
const FILES_SCOPE: &str = "files:write";

impl Desk {
    /// Sends the file into the direct message with who asked, and says so where they asked.
    pub(super) async fn sends_file(&self, mut file: Exported, to: &To) -> Page {
        let texts = self.slack.texts();
        let note = escape(&texts.export_note(file.tenant.as_str(), &Markup::PLAIN));
        let content = std::mem::take(&mut file.content);
        let sent = self.send_file(to.reply.identity.subject(), (&file.name, &note), content.into()).await;
        commands::said(&match sent {
            Ok(()) => texts.exported(&file),
            Err(ApiError::Auth { needed, .. }) => {
                texts.export_scope(needed.as_deref().unwrap_or(FILES_SCOPE), &Markup::PLAIN)
            }
            Err(fault) => {
                tracing::error!(error = %fault, "an export could not be sent");
                texts.command_label(CommandLabel::ExportFailed)
            }
        })
    }

    async fn send_file(
        &self,
        user: &str,
        (name, note): (&str, &str),
        content: Bytes,
    ) -> Result<(), ApiError> {
        let api = self.slack.api();
        let place = api.upload_place(name, content.len()).await?;
        let channel = api.open_direct(user).await?;
        api.upload(&place, content).await?;
        api.complete_upload(&place, (name, note), &channel).await
    }
}
