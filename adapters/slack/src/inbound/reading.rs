//! Who may open what shows a confidential call: the gate says so, by role, and who may not is told in a sentence, where the call
//! would stand.
//!
//! What always holds: no dialog waits for a look-up before it opens, for its trigger lives for three seconds; and until the gate
//! has said that its reader may read the call, nothing of it stands there but its code.

use futures::FutureExt as _;
use futures::future::try_join;
use placet::approval::{Approval, Refusal};
use placet::id::RequestId;
use placet::inbound::ReplyTo;
use placet::notice::Notice;
use placet::text::{Markup, Trouble};
use serde_json::Value;

use super::Desk;
use crate::render::opening;

/// Where a dialog is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// In one of its own, on this trigger.
    Opens(String),
    /// In the place of another, by its id.
    Replaces(String),
    /// In the one that was opened to wait in, by its id and version.
    Awaited(String, Option<String>),
}

impl Desk {
    /// Where the whole call may be shown to this account; who may not read it is told who may, there.
    pub(super) async fn may_read(
        &self,
        approval: &Approval,
        reader: &ReplyTo,
        stage: Stage,
    ) -> Option<Stage> {
        let (stage, may) = self.reads(approval, reader, stage).await?;
        match may {
            Ok(()) => Some(stage),
            Err(refusal) => {
                self.refuses_to_show((approval, refusal), reader, &stage).await;
                None
            }
        }
    }

    /// Whether this account may read the whole call. Of what is not confidential nothing is looked up; where something must be
    /// that is not at hand, the dialog opens first, and says so. None where it did not open, which is told.
    pub(super) async fn reads(
        &self,
        approval: &Approval,
        reader: &ReplyTo,
        stage: Stage,
    ) -> Option<(Stage, Result<(), Refusal>)> {
        let mut asked = Box::pin(self.gate.may_read(approval, &reader.identity));
        if let Some(may) = (&mut asked).now_or_never() {
            return Some((stage, may));
        }
        let Stage::Opens(trigger_id) = &stage else { return Some((stage, asked.await)) };
        let waiting = opening::waiting(&approval.code, self.slack.texts());
        let opened = self.slack.api().views_open(trigger_id, &waiting);
        match try_join(opened, asked.map(Ok)).await {
            Ok((view, may)) => Some((Stage::Awaited(view.id, view.hash), may)),
            Err(fault) => {
                self.not_opened(Some(fault), (reader, approval.id)).await;
                None
            }
        }
    }

    async fn refuses_to_show(
        &self,
        (approval, refusal): (&Approval, Refusal),
        reader: &ReplyTo,
        stage: &Stage,
    ) {
        tracing::info!(approval.id = %approval.id, "somebody may not read a confidential call");
        // What their profile says is at hand by now, or cannot be read.
        let slack = self.slack.read_by(&reader.identity, &reader.channel);
        let who = slack.who_can_after(&refusal);
        let (request, code) = (approval.id, approval.code.clone());
        let notice = Notice::Refused { request, code, command: "show".to_owned(), refusal };
        let text = slack.texts().notice(&notice, &who, &Markup::PLAIN);
        self.shows(&opening::refused(&text, slack.texts()), (reader, request), stage).await;
    }

    /// Shows a dialog there; gives whether it is there. That it is not is told to who wanted it.
    pub(super) async fn shows(&self, dialog: &Value, reader: (&ReplyTo, RequestId), stage: &Stage) -> bool {
        let api = self.slack.api();
        let shown = match stage {
            Stage::Opens(trigger_id) => api.views_open(trigger_id, dialog).await,
            Stage::Replaces(view_id) => api.views_update(view_id, None, dialog).await,
            Stage::Awaited(view_id, version) => api.views_update(view_id, version.as_deref(), dialog).await,
        };
        let is_shown = shown.is_ok();
        self.not_opened(shown.err(), reader).await;
        is_shown
    }

    /// Says why nothing is shown: in the dialog that waits for it, else beside it.
    pub(super) async fn shows_no(&self, trouble: Trouble, reader: (&ReplyTo, RequestId), stage: &Stage) {
        match stage {
            Stage::Awaited(..) => {
                let texts = self.slack.texts();
                self.shows(&opening::refused(&texts.trouble(trouble), texts), reader, stage).await;
            }
            Stage::Opens(_) | Stage::Replaces(_) => self.whisper(reader.0, trouble).await,
        }
    }
}
