//! The dialogs of commands. They are opened before anything is looked up, so they name what they are about as it was typed.

use placet::approval::OutcomeKind;
use placet::hold::HoldScope;
use placet::text::{CommandLabel, Label, Markup, Texts};
use serde_json::{Value, json};

use super::super::dialog::NOTE_UNITS_MAX;
use crate::mrkdwn::{self, Modal, TextInput, input, section};

/// The dialog that takes a request back.
pub(crate) const REVOKE_DIALOG: &str = "placet_command_revoke";
/// The dialog that settles an outcome.
pub(crate) const SETTLE_DIALOG: &str = "placet_command_settle";
/// The dialog that asks what to stop.
pub(crate) const FREEZE_DIALOG: &str = "placet_command_freeze";
/// The dialog that asks once more, and why.
pub(crate) const FREEZE_CONFIRM_DIALOG: &str = "placet_command_freeze_confirm";

/// The field for a reason, as block and element.
pub(crate) const REASON: (&str, &str) = ("placet_command_reason", "placet_command_reason_text");
/// The choice of an outcome.
pub(crate) const OUTCOME: (&str, &str) = ("placet_command_outcome", "placet_command_outcome_choice");
/// The choice of what to stop.
pub(crate) const SCOPE: (&str, &str) = ("placet_command_scope", "placet_command_scope_choice");
/// The field for a name.
pub(crate) const NAME: (&str, &str) = ("placet_command_name", "placet_command_name_text");

/// The values of what can be stopped.
pub(crate) const SCOPES: [&str; 3] = ["tool", "agent", "tenant"];

/// The most units of a name.
const NAME_UNITS_MAX: usize = 200;

/// Why a request is taken back.
pub(crate) fn revoke(request: &str, reference: &str, texts: &Texts) -> Value {
    let label = |label| texts.command_label(label);
    mrkdwn::modal_view(Modal {
        callback_id: REVOKE_DIALOG,
        private_metadata: reference,
        title: &label(CommandLabel::RevokeTitle),
        submit: Some(&label(CommandLabel::RevokeSubmit)),
        close: &texts.label(Label::Cancel),
        blocks: vec![section(request), reason(texts, &label(CommandLabel::RevokeHint), None)],
    })
}

/// How a call ended, and how one knows.
pub(crate) fn settle(request: &str, chosen: Option<OutcomeKind>, reference: &str, texts: &Texts) -> Value {
    let label = |label| texts.command_label(label);
    let options = [
        (OutcomeKind::Succeeded.name(), label(CommandLabel::SettleOk)),
        (OutcomeKind::Failed.name(), label(CommandLabel::SettleFailed)),
    ];
    let outcome =
        choice(OUTCOME, &label(CommandLabel::SettleOutcome), &options, chosen.map(OutcomeKind::name));
    mrkdwn::modal_view(Modal {
        callback_id: SETTLE_DIALOG,
        private_metadata: reference,
        title: &label(CommandLabel::SettleTitle),
        submit: Some(&label(CommandLabel::SettleTitle)),
        close: &texts.label(Label::Cancel),
        blocks: vec![section(request), outcome, reason(texts, &label(CommandLabel::SettleHint), None)],
    })
}

/// What to stop.
pub(crate) fn freeze(reference: &str, texts: &Texts) -> Value {
    let label = |label| texts.command_label(label);
    let words = [CommandLabel::FreezeTool, CommandLabel::FreezeAgent, CommandLabel::FreezeTenant];
    let options: Vec<(&str, String)> = SCOPES.into_iter().zip(words.map(label)).collect();
    let name = input(&TextInput {
        block_id: NAME.0,
        action_id: NAME.1,
        label: &label(CommandLabel::FreezeName),
        hint: Some(&label(CommandLabel::FreezeNameHint)),
        placeholder: None,
        length_max: NAME_UNITS_MAX,
        multiline: false,
        optional: true,
    });
    mrkdwn::modal_view(Modal {
        callback_id: FREEZE_DIALOG,
        private_metadata: reference,
        title: &label(CommandLabel::FreezeTitle),
        submit: Some(&label(CommandLabel::FreezeNext)),
        close: &texts.label(Label::Cancel),
        blocks: vec![choice(SCOPE, &label(CommandLabel::FreezeScope), &options, None), name],
    })
}

/// Asks once more before calls are stopped, and why.
pub(crate) fn freeze_confirm(scope: &HoldScope, why: Option<&str>, reference: &str, texts: &Texts) -> Value {
    let label = |label| texts.command_label(label);
    mrkdwn::modal_view(Modal {
        callback_id: FREEZE_CONFIRM_DIALOG,
        private_metadata: reference,
        title: &label(CommandLabel::FreezeConfirmTitle),
        submit: Some(&label(CommandLabel::FreezeConfirm)),
        close: &texts.label(Label::Cancel),
        blocks: vec![
            section(&texts.freeze_confirm_text(scope, &Markup::PLAIN)),
            reason(texts, &label(CommandLabel::FreezeHint), why),
        ],
    })
}

fn reason(texts: &Texts, hint: &str, said: Option<&str>) -> Value {
    let mut block = input(&TextInput {
        block_id: REASON.0,
        action_id: REASON.1,
        label: &texts.label(Label::Reason),
        hint: Some(hint),
        placeholder: None,
        length_max: NOTE_UNITS_MAX,
        multiline: true,
        optional: false,
    });
    if let Some(said) = said {
        block["element"]["initial_value"] = crate::limits::shorten(said, NOTE_UNITS_MAX).into();
    }
    block
}

/// A choice of one of these.
fn choice(
    (block_id, action_id): (&str, &str),
    label: &str,
    options: &[(&str, String)],
    chosen: Option<&str>,
) -> Value {
    /// The most units of an option's text.
    const OPTION_UNITS_MAX: usize = 75;
    let option = |(value, text): &(&str, String)| json!({ "text": mrkdwn::plain_text(text, OPTION_UNITS_MAX), "value": value });
    let mut element = json!({
        "type": "static_select",
        "action_id": action_id,
        "options": options.iter().map(option).collect::<Vec<_>>(),
    });
    if let Some(initial) = options.iter().find(|(value, _)| chosen == Some(*value)) {
        element["initial_option"] = option(initial);
    }
    json!({
        "type": "input",
        "block_id": block_id,
        "label": mrkdwn::plain_text(label, crate::limits::INPUT_LABEL_UNITS_MAX),
        "element": element,
        "optional": false,
    })
}
