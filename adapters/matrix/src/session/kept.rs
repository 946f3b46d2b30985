//! What is kept of the session: on disk before it counts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use matrix_sdk::ruma::{OwnedDeviceId, OwnedUserId};
use matrix_sdk::{Client, SessionTokens};
use serde::{Deserialize, Serialize};

use super::SessionError;
use super::folder::{Folder, FolderError};

/// The session as it is written down.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) user: OwnedUserId,
    /// Chosen before the first login.
    pub(super) device: OwnedDeviceId,
    /// The device's own Ed25519 key, as the store made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) device_key: Option<String>,
    /// None before the first login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<SessionTokens>,
}

/// Keeps the session, whoever changes it.
pub(super) struct Keeper {
    folder: Arc<Folder>,
    kept: Mutex<Option<Kept>>,
}

impl Keeper {
    pub(super) const fn new(folder: Arc<Folder>) -> Self {
        Self { folder, kept: Mutex::new(None) }
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the client tell when it renewed its tokens. The client holds the keeper, and with it the folder's lock.
    pub(super) fn watch(self: &Arc<Self>, client: &Client) -> matrix_sdk::Result<()> {
        let (own, saves) = (Arc::clone(self), Arc::clone(self));
        client.set_session_callbacks(
            Box::new(move |_| own.tokens().ok_or_else(|| "no session is kept".into())),
            Box::new(move |client| {
                let tokens = client.session_tokens().ok_or("the client has no tokens")?;
                saves.renewed(tokens).map_err(|error| {
                    // The renewed tokens work until the process ends, and then nothing does.
                    tracing::error!(error = %error, "the renewed Matrix session could not be kept: a restart would lose it");
                    error.into()
                })
            }),
        )
    }

    fn tokens(&self) -> Option<SessionTokens> {
        self.kept().as_ref()?.tokens.clone()
    }

    /// From now on, this is the session.
    pub(super) fn begin(&self, kept: Kept) {
        *self.kept() = Some(kept);
    }

    pub(super) fn save(&self) -> Result<(), FolderError> {
        self.kept().as_ref().map_or(Ok(()), |kept| self.folder.keep(kept))
    }

    /// Keeps tokens that the homeserver gave out.
    pub(super) fn renewed(&self, tokens: SessionTokens) -> Result<(), FolderError> {
        let mut kept = self.kept();
        let Some(kept) = kept.as_mut() else { return Ok(()) };
        kept.tokens = Some(tokens);
        self.folder.keep(kept)
    }

    /// Whether the device's key is the one that is written down; the first time, it is written down.
    pub(super) fn device_key_is(&self, own: &str) -> Result<bool, FolderError> {
        let mut kept = self.kept();
        let Some(kept) = kept.as_mut() else { return Ok(false) };
        match &kept.device_key {
            Some(known) => Ok(known == own),
            None => {
                kept.device_key = Some(own.to_owned());
                self.folder.keep(kept)?;
                Ok(true)
            }
        }
    }

    /// There is no session to go on with.
    pub(super) fn ended(&self) -> SessionError {
        SessionError::Ended { folder: self.folder.shown() }
    }
}
