//! An audit as a file, sent to who asked for it and to nobody else.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use placet::gate::{Asking, Export};
use placet::person::Identity;
use placet::ports::audit::AUDIT_PAGE_MAX;
use placet::text::{CommandLabel, Markup};

use super::To;
use super::answers::Ask;
use super::parse::{Filters, Form, Verb};
use crate::api::ApiError;
use crate::inbound::Desk;
use crate::mrkdwn::escape;
use crate::render::commands::{self, Page};

/// The most requests of one export, which is made in memory; of more, the newest.
const EXPORT_ROWS_MAX: usize = 10_000;

/// The most bytes of one export, for the same reason.
const EXPORT_BYTES_MAX: usize = 32 << 20;

/// The scope that sending a file takes.
const FILES_SCOPE: &str = "files:write";

/// Who is having an export made.
#[derive(Debug, Default)]
pub(in crate::inbound) struct Exports(Mutex<HashSet<Identity>>);

/// An export that is being made, until this is dropped.
#[derive(Debug)]
struct Making(Arc<Exports>, Identity);

impl Exports {
    /// None where one is being made for the same person.
    fn begin(self: &Arc<Self>, identity: &Identity) -> Option<Making> {
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(identity.clone());
        is_new.then(|| Making(Arc::clone(self), identity.clone()))
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

impl Desk {
    /// Makes the file, sends it into the direct message with who asked, and says so where they asked.
    pub(super) async fn export(
        &self,
        ask: &Ask,
        filters: &Filters,
        (form, to): (Form, &To),
    ) -> Result<Page, Page> {
        let reader = self.reader(&ask.identity, Asking::Audit, (Verb::Audit, &ask.text)).await?;
        let Some(_making) = self.exports.begin(&ask.identity) else {
            return Ok(commands::said(&self.slack.texts().command_label(CommandLabel::ExportUnderWay)));
        };
        let form = match form {
            Form::Csv => Export::Csv,
            Form::JsonLines => Export::JsonLines,
        };
        let mut wanted = self.looked_for(filters, (None, AUDIT_PAGE_MAX))?;
        let (mut content, mut count, mut is_cut) = (form.head(), 0, false);
        loop {
            let page = self.gate.audit(&reader, &wanted).await.map_err(|fault| self.unread(&fault))?;
            for approval in &page.found {
                let view = self.gate.shown_to(&reader, approval);
                let line = form.line(approval, &view, self.gate.sees_all(&reader, approval));
                if count >= EXPORT_ROWS_MAX || content.len() + line.len() > EXPORT_BYTES_MAX {
                    is_cut = true;
                    break;
                }
                content.push_str(&line);
                count += 1;
            }
            match page.next {
                Some(next) if !is_cut => wanted.before = Some(next),
                Some(_) | None => break,
            }
        }
        let texts = self.slack.texts();
        if count == 0 {
            return Ok(commands::said(&texts.command_label(CommandLabel::AuditNone)));
        }
        let name = form.file_name(reader.tenant());
        let note = escape(&texts.export_note(reader.tenant().as_str(), &Markup::PLAIN));
        let sent = self.send_file(to.reply.identity.subject(), (&name, &note), content.into()).await;
        Ok(commands::said(&match sent {
            Ok(()) => texts.export_sent(count, is_cut),
            Err(ApiError::Auth { needed, .. }) => {
                texts.export_scope(needed.as_deref().unwrap_or(FILES_SCOPE), &Markup::PLAIN)
            }
            Err(fault) => {
                tracing::error!(error = %fault, "an export could not be sent");
                texts.command_label(CommandLabel::ExportFailed)
            }
        }))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// R33: one export per person at a time, and as many as they like one after the other.
    #[test]
    fn a_person_has_one_export_at_a_time() {
        let exports = Arc::new(Exports::default());
        let (ana, bo) = (Identity::slack("T1", "U1").unwrap(), Identity::slack("T1", "U2").unwrap());
        let making = exports.begin(&ana);
        assert!(making.is_some() && exports.begin(&ana).is_none() && exports.begin(&bo).is_some());
        drop(making);
        assert!(exports.begin(&ana).is_some());
    }
}
