//! The dialog that opens before it is known whether its reader may read what it is about: it names the request by its code and
//! shows nothing of it. It has no button, and what it says is replaced.

use placet::id::ShortCode;
use placet::text::{Label, Texts};
use serde_json::Value;

use crate::limits;
use crate::mrkdwn::{self, Modal, section};

/// The one that waits. Nothing comes back from it.
const OPENING_DIALOG: &str = "placet_opening";
/// The one that shows nothing. Nothing comes back from it either.
const REFUSED_DIALOG: &str = "placet_not_shown";

/// While it is looked up.
pub(crate) fn waiting(code: &ShortCode, texts: &Texts) -> Value {
    view((OPENING_DIALOG, &texts.opening_title()), &texts.opening_text(code), texts)
}

/// Nothing is shown there, because of this.
pub(crate) fn refused(why: &str, texts: &Texts) -> Value {
    view((REFUSED_DIALOG, &texts.opening_refused_title()), why, texts)
}

fn view((callback_id, title): (&str, &str), text: &str, texts: &Texts) -> Value {
    mrkdwn::modal_view(Modal {
        callback_id,
        private_metadata: "",
        title,
        submit: None,
        close: &texts.label(Label::Close),
        blocks: vec![section(&limits::shorten(text, limits::SECTION_UNITS_MAX))],
    })
}
