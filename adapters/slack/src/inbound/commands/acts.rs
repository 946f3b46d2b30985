//! What stewards do by command: take back, settle, stop, let go on; and what was chosen to be remembered, ask about again.
//! Each goes through the use case that everybody else goes through, which decides who may.

use placet::approval::{Actor, Change, Outcome, OutcomeKind, Refusal, State};
use placet::gate::{Asking, HoldError};
use placet::hold::HoldScope;
use placet::id::{HoldId, RequestId};
use placet::person::{Identity, NoStanding};
use placet::text::{CommandLabel, Markup, Trouble};

use super::parse::{Named, Verb};
use super::reference::{CommandReference, Subject};
use super::{Answer, To};
use crate::inbound::Desk;
use crate::render::commands::{self, Page, dialog};

impl Desk {
    /// Takes a request back, or asks it to stop where it runs.
    pub(super) async fn revokes(&self, (named, reason): (&Named, String), identity: &Identity, to: &To) {
        let page = self.revoked(named, reason, identity).await.unwrap_or_else(|said| said);
        self.send(to, &page).await;
    }

    async fn revoked(&self, named: &Named, reason: String, identity: &Identity) -> Result<Page, Page> {
        let reader = self.reader(identity, Asking::Requests, (Verb::Revoke, &named.to_string())).await?;
        let approval = self.named(&reader, named, Verb::Revoke).await?;
        let by = Actor::Account(identity.clone());
        let answer = self.gate.revoke(reader.tenant(), approval.id, by, Some(reason)).await;
        let (approval, result) = answer.map_err(|fault| self.unread(&fault))?;
        let runs = matches!(approval.state, State::Executing(_));
        let code = approval.code.as_str();
        let texts = self.slack.texts();
        Ok(match result {
            Ok(Change::Changed) => commands::said(&texts.command_revoked(code, runs)),
            Ok(Change::Unchanged) => commands::said(&texts.command_unchanged(code)),
            Err(refusal) => self.refused_page(&refusal),
        })
    }

    /// Says how a call ended of which nobody knows.
    pub(super) async fn settles(
        &self,
        named: &Named,
        said: (OutcomeKind, String),
        (identity, to): (&Identity, &To),
    ) {
        let page = self.settled(named, said, identity).await.unwrap_or_else(|said| said);
        self.send(to, &page).await;
    }

    async fn settled(
        &self,
        named: &Named,
        (kind, reason): (OutcomeKind, String),
        identity: &Identity,
    ) -> Result<Page, Page> {
        let reader = self.reader(identity, Asking::Requests, (Verb::Settle, &named.to_string())).await?;
        let approval = self.named(&reader, named, Verb::Settle).await?;
        let by = Actor::Account(identity.clone());
        let outcome = Outcome { kind, result: None, error: None, duration_ms: None };
        let answer = self.gate.settle((reader.tenant(), approval.id), by, outcome, reason).await;
        let (approval, result) = answer.map_err(|fault| self.unread(&fault))?;
        let texts = self.slack.texts();
        Ok(match result {
            Ok(Change::Changed) => commands::said(&texts.command_settled(approval.code.as_str(), kind)),
            Ok(Change::Unchanged) => commands::said(&texts.command_unchanged(approval.code.as_str())),
            Err(refusal) => self.refused_page(&refusal),
        })
    }

    /// The dialog that asks once more before calls are stopped.
    pub(super) fn asks_once_more(&self, scope: &HoldScope, reference: &CommandReference) -> Answer {
        let subject = Subject::Freeze { scope: Some(scope.clone()) };
        let reference = CommandReference { subject, ..reference.clone() };
        let texts = self.slack.texts();
        match reference.encode(&self.secrets) {
            Some(sealed) => Answer::update(&dialog::freeze_confirm(scope, None, &sealed, texts)),
            None => Answer::error(dialog::NAME.0, &texts.command_label(CommandLabel::NameBad)),
        }
    }

    /// Stops calls.
    pub(super) async fn freezes(&self, (scope, reason): (HoldScope, String), identity: &Identity, to: &To) {
        let page = self.frozen(scope, reason, identity).await.unwrap_or_else(|said| said);
        self.send(to, &page).await;
    }

    async fn frozen(&self, scope: HoldScope, reason: String, identity: &Identity) -> Result<Page, Page> {
        let shown = scope.to_string();
        let reader = self.reader(identity, Asking::Requests, (Verb::Freeze, &shown)).await?;
        let by = Actor::Account(identity.clone());
        match self.gate.hold(Some(reader.tenant()), scope, (by, reason)).await {
            Ok(placed) => {
                let by = placed.stood.then(|| self.placed_by(&reader, &placed.hold));
                let is_known = placed.doubt.is_none();
                let texts = self.slack.texts();
                let said = texts.command_frozen(&placed.hold.scope, by.as_deref(), is_known, &Markup::PLAIN);
                Ok(commands::said(&said))
            }
            Err(fault) => Err(self.not_held(fault, identity, (Verb::Freeze, &shown)).await),
        }
    }

    /// Lets calls go on that were stopped.
    pub(super) async fn lifts(&self, hold: HoldId, identity: &Identity, to: &To) {
        let page = self.lifted(hold, identity).await.unwrap_or_else(|said| said);
        self.send(to, &page).await;
    }

    async fn lifted(&self, id: HoldId, identity: &Identity) -> Result<Page, Page> {
        let shown = id.to_string();
        let reader = self.reader(identity, Asking::Requests, (Verb::Stops, &shown)).await?;
        let holds = self.gate.stops(&reader).await.map_err(|fault| self.unread(&fault))?;
        let scope = holds.into_iter().find(|hold| hold.id == id).map(|hold| hold.scope);
        let by = Actor::Account(identity.clone());
        match (self.gate.lift(Some(reader.tenant()), id, by).await, scope) {
            (Ok(()), Some(scope)) => {
                Ok(commands::said(&self.slack.texts().command_lifted(&scope, &Markup::PLAIN)))
            }
            (Ok(()), None) => Ok(commands::said(&self.slack.texts().command_label(CommandLabel::Gone))),
            (Err(fault), _) => Err(self.not_held(fault, identity, (Verb::Stops, &shown)).await),
        }
    }

    /// Has calls asked about again that ran on a remembered yes.
    pub(super) async fn forgets(&self, id: RequestId, identity: &Identity, to: &To) {
        let page = self.forgotten(id, identity).await.unwrap_or_else(|said| said);
        self.send(to, &page).await;
    }

    async fn forgotten(&self, id: RequestId, identity: &Identity) -> Result<Page, Page> {
        let shown = id.to_string();
        let reader = self.reader(identity, Asking::Requests, (Verb::Remembered, &shown)).await?;
        let by = Actor::Account(identity.clone());
        match self.gate.forget((reader.tenant(), id), by, None).await {
            Ok(revoked) => Ok(commands::said(&self.slack.texts().command_forgotten(revoked))),
            Err(fault) => Err(self.not_held(fault, identity, (Verb::Remembered, &shown)).await),
        }
    }

    /// Why nothing was stopped, lifted or forgotten. Who tries what is none of theirs is noted.
    async fn not_held(&self, fault: HoldError, identity: &Identity, (verb, presented): (Verb, &str)) -> Page {
        let texts = self.slack.texts();
        match fault {
            HoldError::Refused(refusal) => {
                let unread =
                    matches!(refusal, Refusal::NoStanding(NoStanding::Unreadable(_)) | Refusal::FactsStale);
                if !unread {
                    self.note(identity, verb, presented).await;
                }
                self.refused_page(&refusal)
            }
            HoldError::Pattern { .. } => commands::said(&texts.command_label(CommandLabel::FreezePattern)),
            HoldError::NotThere => {
                self.note(identity, verb, presented).await;
                commands::said(&texts.command_label(CommandLabel::Gone))
            }
            HoldError::Store(fault) => {
                tracing::error!(error = %fault, "a command could not be done");
                commands::said(&texts.trouble(Trouble::Unavailable))
            }
        }
    }

    async fn note(&self, identity: &Identity, verb: Verb, presented: &str) {
        let tenant = &self.slack.settings().tenant;
        self.gate.note_stranger(tenant, Actor::Account(identity.clone()), verb.name(), presented).await;
    }
}
