//! What Slack sends, parsed from verified bodies and from envelopes: interactions, slash commands and events.
//!
//! What always holds: these types are made from a [`Verified`](crate::signature::Verified) body or an
//! [`Enveloped`] payload only. Parsing is tolerant: a member that is
//! missing, null, unknown or of another type than documented is `None`, never an error, so that a change on Slack's
//! side cannot swallow a decision. Who needs a member asks for it and refuses by name.
//!
//! Sources: <https://docs.slack.dev/reference/interaction-payloads>,
//! <https://docs.slack.dev/interactivity/implementing-slash-commands>, <https://docs.slack.dev/apis/events-api>.

mod event;
mod form;
mod interaction;
pub(crate) mod json;
mod slash;
mod tolerant;

pub use event::{Event, EventCallback};
pub use form::is_ssl_check;
pub use interaction::{
    Action, Actions, BlockActions, Channel, Container, Field, Interaction, Message, Metadata, Named,
    Selected, Team, User, View, ViewClosed, ViewState, ViewSubmission,
};
pub use slash::{Command, SlashCommand, mentioned_user};

/// A payload that came on a socket. It has no signature: the socket is the authentication, whose address Slack gave to
/// the app's own token. Only [`SlackSocket`](crate::SlackSocket) makes one.
#[derive(Debug)]
pub struct Enveloped(serde_json::Value);

impl Enveloped {
    pub(crate) const fn new(payload: serde_json::Value) -> Self {
        Self(payload)
    }
}

/// An authentic body that is not of the promised form. The caller gets 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadBody {
    /// Bytes that are no UTF-8, in the body or behind its percent signs.
    #[error("the body is not UTF-8")]
    NotUtf8,
    /// Not a form with exactly one of the field that is needed.
    #[error("the body is not the expected form")]
    NotForm,
    /// Not a JSON object.
    #[error("the body is not a JSON object")]
    NotJson,
}

#[cfg(test)]
mod test_support {
    use bytes::Bytes;
    use hmac::{Hmac, KeyInit, Mac};
    use secrecy::SecretString;
    use sha2::Sha256;

    use crate::signature::{SigningSecrets, Verified};

    /// Signs and verifies `body`: there is no other way to a [`Verified`].
    pub(super) fn verified(body: &[u8]) -> Verified {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"secret").unwrap();
        mac.update(b"v0:1000:");
        mac.update(body);
        let signature = format!("v0={}", hex::encode(mac.finalize().into_bytes()));
        SigningSecrets::new(SecretString::from("secret"))
            .unwrap()
            .verify(1_000, Some(b"1000"), Some(signature.as_bytes()), Bytes::copy_from_slice(body))
            .unwrap()
    }

    /// The form body of an interaction.
    pub(super) fn payload_form(json: &str) -> Verified {
        let body = url::form_urlencoded::Serializer::new(String::new()).append_pair("payload", json).finish();
        verified(body.as_bytes())
    }
}
