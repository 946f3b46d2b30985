//! From a click on an answer, or a submitted dialog of a command, to what it asks for: pure functions.

use placet::approval::OutcomeKind;
use placet::command::{Ask, Asked, Named, Place, Said, Scope, parse};
use placet::hold::HoldScope;
use placet::id::{HoldId, RequestId, TenantId};
use placet::inbound::ReplyTo;
use placet::person::Identity;
use placet::text::CommandLabel;

use super::To;
use super::dialect::SlackDialect;
use super::reference::{CommandReference, Subject};
use crate::inbound::intent::Context;
use crate::limits;
use crate::payload::{BlockActions, View, ViewSubmission};
use crate::render::commands::dialog::{
    FREEZE_CONFIRM_DIALOG, FREEZE_DIALOG, NAME, OUTCOME, REASON, REVOKE_DIALOG, SCOPE, SETTLE_DIALOG,
};
use crate::render::commands::{BACK_ACTION, COMMAND_PREFIX, FORGET_ACTION, FORWARD_ACTION, LIFT_ACTION};
use crate::render::dialog::NOTE_UNITS_MAX;
use crate::render::is_action;

/// What somebody wants.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Another page of an answer.
    Turn { ask: Ask, to: To },
    /// To lift a stop.
    Lift { hold: HoldId, identity: Identity, to: To },
    /// To take a remembered yes back.
    Forget { id: RequestId, identity: Identity, to: To },
    /// To take a request back.
    Revoke { request: Named, reason: String, identity: Identity, to: To },
    /// To settle an outcome.
    Settle { request: Named, outcome: OutcomeKind, reason: String, identity: Identity, to: To },
    /// To be asked once more before calls are stopped.
    Confirm { scope: HoldScope, reference: Box<CommandReference> },
    /// To stop calls.
    Freeze { scope: HoldScope, reason: String, identity: Identity, to: To },
    /// What is missing, told in the dialog.
    InDialog { block: &'static str, label: CommandLabel },
    /// A button or dialog that cannot be told from a foreign one, or is of an earlier form.
    Over { to: To },
}

impl Step {
    /// Whether it comes from a dialog, which closes.
    pub(super) const fn is_dialog(&self) -> bool {
        matches!(self, Self::Revoke { .. } | Self::Settle { .. } | Self::Freeze { .. })
    }
}

/// What a click on an answer to a command asks for; none for any other click.
pub(crate) fn of_click(context: &Context<'_>, click: &BlockActions) -> Option<Step> {
    let action = click
        .actions()
        .iter()
        .find(|action| action.action_id.as_deref().is_some_and(|id| id.starts_with(COMMAND_PREFIX)))?;
    let viewer = click.identity()?;
    let identity = Identity::slack(&viewer.workspace, &viewer.user).ok()?;
    let (channel, _) = click.message_address().unwrap_or_default();
    let reply = reply(context, channel, &identity);
    let url = click.response_url.clone();
    let to = |replaces| To { url: url.clone(), replaces, reply: reply.clone() };
    let (id, value) = (action.action_id.as_deref()?, action.value.as_deref().unwrap_or_default());
    let step = if is_action(id, FORWARD_ACTION) || is_action(id, BACK_ACTION) {
        turned(context, value).map(|(place, asked, text)| {
            let ask = Ask { asked, text, place, identity: identity.clone() };
            Step::Turn { ask, to: to(true) }
        })
    } else if is_action(id, LIFT_ACTION) {
        let hold = value.parse().ok();
        hold.map(|hold| Step::Lift { hold, identity: identity.clone(), to: to(false) })
    } else if is_action(id, FORGET_ACTION) {
        let forgotten = value.parse().ok();
        forgotten.map(|id| Step::Forget { id, identity: identity.clone(), to: to(false) })
    } else {
        None
    };
    Some(step.unwrap_or_else(|| Step::Over { to: to(false) }))
}

/// What a button that turns pages carries: the place, then the command.
fn turned(context: &Context<'_>, value: &str) -> Option<(Place, Asked, String)> {
    let (place, text) = value.split_once(' ')?;
    let asked = parse(text, &SlackDialect(&context.settings.home)).ok()?;
    Some((Place::decode(place)?, asked, text.to_owned()))
}

/// What a submitted dialog of a command asks for; none for any other dialog.
pub(crate) fn of_submission(context: &Context<'_>, submission: &ViewSubmission, view: &View) -> Option<Step> {
    let kind = view.callback_id.as_deref()?;
    if ![REVOKE_DIALOG, SETTLE_DIALOG, FREEZE_DIALOG, FREEZE_CONFIRM_DIALOG].contains(&kind) {
        return None;
    }
    let first = if kind == FREEZE_DIALOG { NAME.0 } else { REASON.0 };
    let over = || Some(Step::InDialog { block: first, label: CommandLabel::Gone });
    let Some(viewer) = submission.identity() else { return over() };
    let Ok(identity) = Identity::slack(&viewer.workspace, &viewer.user) else { return over() };
    let sealed = view.private_metadata.as_deref().unwrap_or_default();
    let Some(reference) = CommandReference::decode(sealed, context.secrets, &viewer) else { return over() };
    let to = To { url: None, replaces: false, reply: reply(context, &reference.channel, &identity) };
    let value =
        |(block, action): (&str, &str)| view.value(block, action).map(str::trim).filter(|it| !it.is_empty());
    let reason = value(REASON).map(|reason| limits::cut(reason, NOTE_UNITS_MAX).to_owned());
    let needs_reason = || Some(Step::InDialog { block: REASON.0, label: CommandLabel::ReasonNeeded });
    Some(match (kind, reference.subject.clone()) {
        (REVOKE_DIALOG, Subject::Revoke { request }) => {
            let (Some(reason), Some(request)) = (reason, named(&request)) else { return needs_reason() };
            Step::Revoke { request, reason, identity, to }
        }
        (SETTLE_DIALOG, Subject::Settle { request }) => {
            let (Some(reason), Some(request)) = (reason, named(&request)) else { return needs_reason() };
            let Some(outcome) = value(OUTCOME).and_then(OutcomeKind::named) else { return over() };
            Step::Settle { request, outcome, reason, identity, to }
        }
        (FREEZE_DIALOG, Subject::Freeze { .. }) => {
            match chosen(&context.settings.tenant, value(SCOPE), value(NAME)) {
                Ok(scope) => Step::Confirm { scope, reference: Box::new(reference) },
                Err(label) => Step::InDialog { block: NAME.0, label },
            }
        }
        (FREEZE_CONFIRM_DIALOG, Subject::Freeze { scope: Some(scope) }) => {
            let Some(reason) = reason else { return needs_reason() };
            Step::Freeze { scope, reason, identity, to }
        }
        _ => return over(),
    })
}

fn named(request: &str) -> Option<Named> {
    let id = request.parse().ok().map(Named::Id);
    id.or_else(|| request.parse().ok().map(Named::Code))
}

/// What was chosen to be stopped.
fn chosen(tenant: &TenantId, scope: Option<&str>, name: Option<&str>) -> Result<HoldScope, CommandLabel> {
    let scope = match (scope, name) {
        (Some("tenant"), _) => Scope::Tenant,
        (Some("agent"), Some(name)) => Scope::Agent(name.to_owned()),
        (Some("tool"), Some(name)) => Scope::Tool(name.to_owned()),
        _ => return Err(CommandLabel::NameNeeded),
    };
    scope.of_tenant(tenant).map_err(|_: Said| CommandLabel::NameBad)
}

fn reply(context: &Context<'_>, channel: &str, identity: &Identity) -> ReplyTo {
    ReplyTo {
        surface: context.settings.name.clone(),
        channel: channel.to_owned(),
        thread: None,
        identity: identity.clone(),
    }
}
