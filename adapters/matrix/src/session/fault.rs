//! Why there is no session, and what an error of the homeserver means for it.

use matrix_sdk::HttpError;
use matrix_sdk::ruma::api::error::ErrorKind;
use matrix_sdk::ruma::{OwnedDeviceId, OwnedUserId};

use super::folder::FolderError;

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The store's folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The store cannot be opened.
    #[error(
        "the Matrix store in {folder} cannot be opened: {fault}; it is opened with the store key that it was made with"
    )]
    Store {
        /// Where.
        folder: String,
        /// What is wrong.
        fault: String,
    },
    /// The store is gone, or another one stands in its place.
    #[error(
        "the Matrix session in {folder} is of device {device}, but the keys of that device are not in the store: what people \
         encrypt for it could not be read. Put the store back as it was; or remove the folder, start again for a new \
         device, and give it the recovery key (`placet matrix recover`)"
    )]
    StoreLost {
        /// Where.
        folder: String,
        /// The device.
        device: OwnedDeviceId,
    },
    /// There is a store, and no session to it.
    #[error(
        "there is a Matrix store in {folder}, but its session.json is gone. Put it back; or remove the folder, start again \
         for a new device, and give it the recovery key (`placet matrix recover`)"
    )]
    SessionLost {
        /// Where.
        folder: String,
    },
    /// It is another account's.
    #[error(
        "the Matrix session is {found}'s, and the settings say {configured}; correct the settings, or use another store"
    )]
    OtherAccount {
        /// Whose it is.
        found: OwnedUserId,
        /// Whose it should be.
        configured: OwnedUserId,
    },
    /// The homeserver does not sign the bot in.
    #[error("the homeserver does not sign {user} in: {fault}; check the account and its password or token")]
    SignIn {
        /// Who.
        user: OwnedUserId,
        /// What it said.
        fault: String,
    },
    /// The homeserver has ended the session.
    #[error(
        "the homeserver knows the bot's session no more (it was signed out, or its password was reset). Find out who did that; \
         then remove the folder {folder}, start again for a new device, and give it the recovery key (`placet matrix recover`)"
    )]
    Ended {
        /// Where the session was kept.
        folder: String,
    },
    /// The homeserver cannot be reached.
    #[error("the homeserver does not answer: {0}; it is tried again")]
    Unreached(String),
    /// The homeserver answered something else.
    #[error("the homeserver refused: {0}")]
    Refused(String),
}

/// What the homeserver said: also where it said it when a token was to be renewed.
pub(super) fn said(fault: &HttpError) -> &HttpError {
    match fault {
        HttpError::RefreshToken(matrix_sdk::RefreshTokenError::MatrixAuth(inner)) => said(inner),
        fault => fault,
    }
}

/// Whether trying again may help, for errors that do not end the session.
pub(super) fn fault_of(fault: &HttpError) -> SessionError {
    match said(fault) {
        HttpError::Reqwest(fault) => SessionError::Unreached(fault.without_url_text()),
        fault if is_passing(fault) => SessionError::Unreached(fault.to_string()),
        fault => SessionError::Refused(fault.to_string()),
    }
}

/// A text without the address: that may hold a token.
trait WithoutUrl {
    fn without_url_text(&self) -> String;
}

impl WithoutUrl for matrix_sdk::reqwest::Error {
    fn without_url_text(&self) -> String {
        let what = match self {
            fault if fault.is_timeout() => "it took too long",
            fault if fault.is_connect() => "no connection",
            _ => "the connection broke",
        };
        let mut text = what.to_owned();
        let mut source = std::error::Error::source(self);
        while let Some(fault) = source {
            text.push_str(": ");
            text.push_str(&fault.to_string());
            source = fault.source();
        }
        text
    }
}

/// Too many requests, or trouble on its side.
pub(crate) fn is_passing(fault: &HttpError) -> bool {
    let fault = said(fault);
    let status = fault.as_client_api_error().map(|error| error.status_code);
    matches!(fault.client_api_error_kind(), Some(ErrorKind::LimitExceeded(_)))
        || status.is_some_and(|status| status.is_server_error() || status.as_u16() == 429)
        || matches!(fault, HttpError::Reqwest(_))
        // An answer that is none at all: a proxy's page, say, while the homeserver is down.
        || matches!(fault, HttpError::Api(inner)
            if matches!(**inner, matrix_sdk::ruma::api::error::FromHttpResponseError::Deserialization(_)))
}
