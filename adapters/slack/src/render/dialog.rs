//! The dialogs that ask for a reason. They are opened before anything is looked up, so what they are about is what the
//! message says that they were opened from, and the request's code where it does not say it.

use placet::id::ShortCode;
use placet::text::{DecidingLabel, Label, Texts};
use serde_json::Value;

use crate::mrkdwn::{self, Modal, TextInput, input, section};

/// The dialog for a no.
pub(crate) const DENY_DIALOG: &str = "placet_deny_reason";
/// The dialog for a yes that needs a reason.
pub(crate) const APPROVE_DIALOG: &str = "placet_approve_reason";
/// The block with the field for a reason or note.
pub(crate) const NOTE_BLOCK: &str = "placet_note";
/// The field in it.
pub(crate) const NOTE_ACTION: &str = "placet_note_text";
/// The most UTF-16 units of a reason or note: it must stand on a card.
pub(crate) const NOTE_UNITS_MAX: usize = 1_000;

/// What a dialog is about: the request's code, and what the message asks that it was opened from.
pub(crate) type About<'a> = (&'a ShortCode, Option<&'a str>);

/// What is decided: what the message asks ends with the code.
fn subject((code, asks): About<'_>) -> Value {
    match asks.map(str::trim).filter(|asks| asks.ends_with(code.as_str())) {
        Some(asks) => section(asks),
        None => section(code.as_str()),
    }
}

/// The dialog for a no.
pub(crate) fn deny(about: About<'_>, reference: &str, required: bool, texts: &Texts) -> Value {
    mrkdwn::modal_view(Modal {
        callback_id: DENY_DIALOG,
        private_metadata: reference,
        title: &texts.label(Label::DenyTitle),
        submit: Some(&texts.label(Label::Deny)),
        close: &texts.label(Label::Cancel),
        blocks: vec![
            subject(about),
            section(&texts.deciding(DecidingLabel::DenyThen)),
            note_input(texts, Label::Reason, Label::DenyReasonHint, !required),
        ],
    })
}

/// The dialog for a yes whose card shows the whole call, where the policy wants a reason.
pub(crate) fn approve(about: About<'_>, reference: &str, texts: &Texts) -> Value {
    mrkdwn::modal_view(Modal {
        callback_id: APPROVE_DIALOG,
        private_metadata: reference,
        title: &texts.label(Label::ApproveTitle),
        submit: Some(&texts.label(Label::Approve)),
        close: &texts.label(Label::Cancel),
        blocks: vec![subject(about), note_input(texts, Label::Reason, Label::ApproveReasonHint, false)],
    })
}

/// The field for a reason or note.
pub(super) fn note_input(texts: &Texts, label: Label, hint: Label, optional: bool) -> Value {
    input(&TextInput {
        block_id: NOTE_BLOCK,
        action_id: NOTE_ACTION,
        label: &texts.label(label),
        hint: Some(&texts.label(hint)),
        placeholder: None,
        length_max: NOTE_UNITS_MAX,
        multiline: true,
        optional,
    })
}
