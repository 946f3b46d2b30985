//! The bot's own cross-signing identity, and its recovery.
//!
//! What always holds: an identity is made only where the account has none; an existing one is never replaced, since
//! people have compared its key.

use matrix_sdk::encryption::recovery::RecoveryError;
use matrix_sdk::ruma::api::client::uiaa::{AuthData, MatrixUserIdentifier, Password, UserIdentifier};
use secrecy::{ExposeSecret as _, SecretString};

use super::Session;
use crate::backing::MasterKey;
use crate::settings::SignIn;

/// How the bot's own device stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrossSigning {
    /// The bot's identity signs it: people's clients encrypt for it.
    Signed(MasterKey),
    /// The account has an identity, and this device is not signed by it: it needs the recovery key.
    Unsigned(MasterKey),
    /// The account has none.
    None,
}

/// Why an identity or its recovery could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The homeserver wants the account's password for that.
    #[error(
        "the homeserver wants the bot's password before it takes its signing keys; sign in by password once \
         (`placet matrix login`)"
    )]
    NeedsPassword,
    /// Recovery was set up before.
    #[error(
        "the bot's keys can be recovered already: use the recovery key that was shown then (`placet matrix recover`)"
    )]
    HasRecovery,
    /// The recovery key does not open it.
    #[error("the recovery key does not open the bot's keys: {0}; check it letter by letter")]
    WrongKey(String),
    /// It does not work at the moment, or the homeserver does not want it.
    #[error("the bot's signing keys could not be set up: {0}")]
    Sdk(String),
}

impl From<matrix_sdk::Error> for IdentityError {
    fn from(fault: matrix_sdk::Error) -> Self {
        Self::Sdk(fault.to_string())
    }
}

impl Session {
    /// How the bot's device stands, by keys that are asked for now.
    ///
    /// # Errors
    /// If the keys cannot be had.
    pub async fn cross_signing(&self) -> Result<CrossSigning, IdentityError> {
        let encryption = self.client().encryption();
        let Some(identity) = encryption.request_user_identity(self.user()).await? else {
            return Ok(CrossSigning::None);
        };
        let key = identity.master_key().get_first_key().map(|key| key.to_base64());
        let Some(key) = key.and_then(|key| key.parse().ok()) else { return Ok(CrossSigning::None) };
        let device =
            encryption.get_own_device().await.map_err(|fault| IdentityError::Sdk(fault.to_string()))?;
        let is_signed = device.is_some_and(|device| device.is_cross_signed_by_owner());
        Ok(if is_signed { CrossSigning::Signed(key) } else { CrossSigning::Unsigned(key) })
    }

    /// Makes the bot's identity where the account has none, and signs this device with it.
    ///
    /// # Errors
    /// If the homeserver does not take the keys; without them, people's clients may leave the bot's device out.
    pub async fn sign_own_device(&self) -> Result<CrossSigning, IdentityError> {
        let encryption = self.client().encryption();
        if let Err(fault) = encryption.bootstrap_cross_signing_if_needed(None).await {
            let Some(wanted) = fault.as_uiaa_response() else { return Err(fault.into()) };
            let SignIn::Password(password) = &self.settings().sign_in else {
                return Err(IdentityError::NeedsPassword);
            };
            let who = UserIdentifier::Matrix(MatrixUserIdentifier::new(self.user().to_string()));
            let mut answer = Password::new(who, password.expose_secret().to_owned());
            answer.session.clone_from(&wanted.session);
            encryption.bootstrap_cross_signing(Some(AuthData::Password(answer))).await?;
        }
        self.cross_signing().await
    }

    /// Sets up recovery, and gives the key for it. It is shown nowhere else and never again: whoever runs Placet keeps
    /// it outside.
    ///
    /// # Errors
    /// If it was set up before, or cannot be now.
    pub async fn enable_recovery(&self) -> Result<SecretString, IdentityError> {
        // The SDK would make another key, and the one that the operator keeps would open nothing any more.
        let has_one = self.client().encryption().secret_storage().is_enabled().await;
        if has_one.map_err(|fault| IdentityError::Sdk(fault.to_string()))? {
            return Err(IdentityError::HasRecovery);
        }
        match self.client().encryption().recovery().enable().await {
            Ok(key) => Ok(SecretString::from(key)),
            Err(RecoveryError::BackupExistsOnServer) => Err(IdentityError::HasRecovery),
            Err(fault) => Err(IdentityError::Sdk(fault.to_string())),
        }
    }

    /// Gets the bot's signing keys back with the recovery key, and signs this device with them.
    ///
    /// # Errors
    /// If the key does not open them, or they cannot be had now.
    pub async fn recover(&self, key: &SecretString) -> Result<CrossSigning, IdentityError> {
        match self.client().encryption().recovery().recover(key.expose_secret()).await {
            Ok(()) => self.cross_signing().await,
            Err(RecoveryError::SecretStorage(fault)) => Err(IdentityError::WrongKey(fault.to_string())),
            Err(fault) => Err(IdentityError::Sdk(fault.to_string())),
        }
    }
}
