//! The bot's session with its homeserver: who it is, the keys it has, and that they are its own.
//!
//! What always holds:
//! - One process has a store: a second one is told so and does not start.
//! - Who the bot is comes from the homeserver's `whoami`, and must be the account of the settings.
//! - The device stays. Its id is written down before the first login, so that a crash in between makes no second one;
//!   its tokens are on disk as soon as they are renewed.
//! - A store that is not the session's own is refused with the remedy: with other keys, people's devices would encrypt
//!   for keys that are lost, and no vote could be read.
//! - The folder is its owner's alone, and what is in the store is encrypted besides.
//!
//! ```text
//! folder/  lock · session.json (device, its key, tokens) · first-seen.toml · matrix-sdk-*.sqlite3
//! ```

mod fault;
mod folder;
mod identity;
mod kept;

use std::sync::Arc;

use matrix_sdk::authentication::matrix::MatrixSession;
use matrix_sdk::config::RequestConfig;
use matrix_sdk::encryption::EncryptionSettings;
use matrix_sdk::ruma::api::client::keys::get_keys;
use matrix_sdk::ruma::api::error::ErrorKind;
use matrix_sdk::ruma::{DeviceId, DeviceKeyAlgorithm, DeviceKeyId, OwnedDeviceId, OwnedUserId, UserId};
use matrix_sdk::store::RoomLoadSettings;
use matrix_sdk::{Client, HttpError, SessionMeta, SessionTokens, SqliteStoreConfig};
use matrix_sdk_base::crypto::{CollectStrategy, DecryptionSettings, TrustRequirement};
use placet::ports::Entropy;
use placet::time::Ttl;
use secrecy::ExposeSecret as _;
use tokio::sync::OnceCell;

use crate::settings::{MatrixSettings, Readers, SignIn};
use fault::{fault_of, said};
use folder::Folder;
use kept::{Keeper, Kept};

pub use fault::SessionError;
pub(crate) use fault::is_passing;
pub use folder::FolderError;
pub use identity::{CrossSigning, IdentityError};

/// How long an answer of the homeserver may take; a long poll has that beyond its own time.
const ANSWER_LIMIT: Ttl = Ttl::from_secs(30);

/// How often the SDK repeats a request by itself, with growing pauses. What has to arrive goes through the outbox, and
/// the sync has pauses of its own: more would only hide that the homeserver is down.
const REPEATS_MAX: usize = 2;

/// Letters of a device's id. Homeservers give out ten.
const DEVICE_ID_LETTERS: usize = 10;

/// The bot's session. Cheap to clone.
#[derive(Clone)]
pub struct Session(Arc<Parts>);

struct Parts {
    client: Client,
    user: OwnedUserId,
    device: OwnedDeviceId,
    settings: MatrixSettings,
    folder: Arc<Folder>,
    keeper: Arc<Keeper>,
    /// Set once the homeserver said that all of this is so.
    checked: OnceCell<()>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("user", &self.0.user)
            .field("device", &self.0.device)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Restores the session of this store, or signs in for the first time. Where the homeserver cannot be reached, a
    /// session that was there before is restored all the same, and checked before anything is heard on it.
    ///
    /// # Errors
    /// [`SessionError`], each with what to do.
    pub async fn open(settings: MatrixSettings, entropy: &dyn Entropy) -> Result<Self, SessionError> {
        let folder = Arc::new(Folder::take(&settings.store)?);
        let kept = folder.kept()?;
        let has_keys = folder.has_crypto_store();
        if let Some(kept) = &kept {
            if kept.user != settings.user {
                return Err(SessionError::OtherAccount {
                    found: kept.user.clone(),
                    configured: settings.user,
                });
            }
            if kept.device_key.is_some() && !has_keys {
                return Err(lost(&folder, &kept.device));
            }
        } else if has_keys {
            return Err(SessionError::SessionLost { folder: folder.shown() });
        }
        let client = client(&settings, &folder).await?;
        let keeper = Arc::new(Keeper::new(Arc::clone(&folder)));
        keeper.watch(&client).map_err(|fault| SessionError::Refused(fault.to_string()))?;
        let is_restored = kept.as_ref().is_some_and(|kept| kept.tokens.is_some());
        let device = match kept {
            Some(kept) if kept.tokens.is_some() => restore(&client, &keeper, kept).await?,
            planned => sign_in(&client, (&settings, &keeper), planned, entropy).await?,
        };
        let checked = OnceCell::new();
        let user = settings.user.clone();
        let session = Self(Arc::new(Parts { client, user, device, settings, folder, keeper, checked }));
        session.keys_are_own().await?;
        match session.check().await {
            Err(SessionError::Unreached(fault)) if is_restored => {
                tracing::warn!(error = %fault, "the homeserver does not answer; the session is checked when it does");
            }
            verdict => verdict?,
        }
        Ok(session)
    }

    /// Gives the session up, and waits until nobody holds its client any more: then the store is free for the next one.
    pub async fn close(self) {
        let mut held = self.0.folder.held();
        drop(self);
        // Nothing is ever sent: it ends with the folder.
        while held.changed().await.is_ok() {}
    }

    /// The SDK's client, for whoever sends. The store stays locked while one is held.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// The bot's own account.
    #[must_use]
    pub fn user(&self) -> &UserId {
        &self.0.user
    }

    /// The bot's device.
    #[must_use]
    pub fn device(&self) -> &DeviceId {
        &self.0.device
    }

    /// How it is set up.
    #[must_use]
    pub fn settings(&self) -> &MatrixSettings {
        &self.0.settings
    }

    /// Where keys that were seen first are kept.
    pub(crate) fn first_seen(&self) -> crate::pins::PinFile {
        self.0.folder.first_seen()
    }

    /// Whether the homeserver says that the session is this account's, this device's and has this store's keys. Asked
    /// until it was answered once.
    ///
    /// # Errors
    /// [`SessionError`], with what to do; [`SessionError::Unreached`] where it can be tried again.
    pub async fn check(&self) -> Result<(), SessionError> {
        self.0.checked.get_or_try_init(|| self.ask()).await.copied()
    }

    async fn ask(&self) -> Result<(), SessionError> {
        let parts = &self.0;
        let answer = parts.client.whoami().await.map_err(|fault| self.fault(&fault))?;
        if answer.user_id != parts.user {
            return Err(SessionError::OtherAccount { found: answer.user_id, configured: parts.user.clone() });
        }
        if answer.device_id.as_ref().is_some_and(|device| *device != parts.device) {
            return Err(lost(&parts.folder, &parts.device));
        }
        let mut request = get_keys::v3::Request::new();
        request.device_keys = [(parts.user.clone(), Vec::new())].into();
        let keys = parts.client.send(request).await.map_err(|fault| self.fault(&fault))?;
        let published = keys.device_keys.get(&parts.user).and_then(|devices| devices.get(&parts.device));
        // None are published yet by a device that has just been made.
        let Some(published) = published else { return Ok(()) };
        let id = DeviceKeyId::from_parts(DeviceKeyAlgorithm::Ed25519, &parts.device);
        let published = published.deserialize().map_err(|fault| SessionError::Refused(fault.to_string()))?;
        let own = parts.client.encryption().ed25519_key().await;
        if published.keys.get(&id).map(String::as_str) == own.as_deref() {
            return Ok(());
        }
        Err(lost(&parts.folder, &parts.device))
    }

    /// Whether the store has the keys that the session was made with; the first time, they are written down.
    async fn keys_are_own(&self) -> Result<(), SessionError> {
        let parts = &self.0;
        let own = parts.client.encryption().ed25519_key().await.ok_or_else(|| self.lost())?;
        if parts.keeper.device_key_is(&own)? { Ok(()) } else { Err(self.lost()) }
    }

    fn lost(&self) -> SessionError {
        lost(&self.0.folder, &self.0.device)
    }

    /// What an error of the homeserver means for the session.
    pub(crate) fn fault(&self, fault: &HttpError) -> SessionError {
        match said(fault).client_api_error_kind() {
            Some(ErrorKind::UnknownToken(_)) => SessionError::Ended { folder: self.0.folder.shown() },
            _ => fault_of(fault),
        }
    }
}

fn lost(folder: &Folder, device: &DeviceId) -> SessionError {
    SessionError::StoreLost { folder: folder.shown(), device: device.to_owned() }
}

/// The client over the folder's store, with nobody signed in yet.
async fn client(settings: &MatrixSettings, folder: &Folder) -> Result<Client, SessionError> {
    let store =
        SqliteStoreConfig::with_low_memory_config(folder.path()).key(Some(settings.store_key.expose()));
    let repeats = RequestConfig::new().timeout(ANSWER_LIMIT.as_duration()).retry_limit(REPEATS_MAX);
    let mut builder = Client::builder()
        .homeserver_url(settings.homeserver.as_str())
        // The address in the settings is the address: a login answer moves the bot nowhere.
        .respect_login_well_known(false)
        .sqlite_store_with_config_and_cache_path(store, None::<&std::path::Path>)
        .handle_refresh_tokens()
        .request_config(repeats)
        .with_encryption_settings(EncryptionSettings {
            auto_enable_cross_signing: false,
            ..Default::default()
        })
        // Everything is read, and judged by `backing`: so people can be told why their words do not count.
        .with_decryption_settings(DecryptionSettings {
            sender_device_trust_requirement: TrustRequirement::Untrusted,
        })
        .with_room_key_recipient_strategy(match settings.readers {
            Readers::AllDevices => CollectStrategy::AllDevices,
            Readers::SignedDevices => CollectStrategy::IdentityBasedStrategy,
        });
    if let Some(proxy) = &settings.proxy {
        builder = builder.proxy(proxy.as_str());
    }
    builder
        .build()
        .await
        .map_err(|fault| SessionError::Store { folder: folder.shown(), fault: fault.to_string() })
}

async fn restore(client: &Client, keeper: &Keeper, kept: Kept) -> Result<OwnedDeviceId, SessionError> {
    let device = kept.device.clone();
    let Some(tokens) = kept.tokens.clone() else { return Err(keeper.ended()) };
    let meta = SessionMeta { user_id: kept.user.clone(), device_id: device.clone() };
    keeper.begin(kept);
    activate(client, keeper, MatrixSession { meta, tokens }).await?;
    Ok(device)
}

/// Takes the session into the client and its store.
async fn activate(client: &Client, keeper: &Keeper, session: MatrixSession) -> Result<(), SessionError> {
    client
        .matrix_auth()
        .restore_session(session, RoomLoadSettings::default())
        .await
        .map_err(|fault| SessionError::Store { folder: keeper.folder().shown(), fault: fault.to_string() })
}

async fn sign_in(
    client: &Client,
    (settings, keeper): (&MatrixSettings, &Keeper),
    planned: Option<Kept>,
    entropy: &dyn Entropy,
) -> Result<OwnedDeviceId, SessionError> {
    let device = match (&settings.sign_in, planned) {
        (SignIn::Token { device, .. }, _) => device.clone(),
        (SignIn::Password(_), Some(planned)) => planned.device,
        (SignIn::Password(_), None) => device_id(entropy),
    };
    keeper.begin(Kept {
        user: settings.user.clone(),
        device: device.clone(),
        device_key: None,
        tokens: None,
    });
    keeper.save()?;
    let refused = |fault: String| SessionError::SignIn { user: settings.user.clone(), fault };
    match &settings.sign_in {
        SignIn::Password(password) => {
            let login = client
                .matrix_auth()
                .login_username(&settings.user, password.expose_secret())
                .device_id(device.as_str())
                .initial_device_display_name(&settings.device_name)
                .request_refresh_token();
            let answer = login.send().await.map_err(|fault| match &fault {
                matrix_sdk::Error::Http(inner) if is_passing(inner) => fault_of(inner),
                fault => refused(fault.to_string()),
            })?;
            if answer.user_id != settings.user {
                return Err(SessionError::OtherAccount {
                    found: answer.user_id,
                    configured: settings.user.clone(),
                });
            }
            keeper.renewed(MatrixSession::from(&answer).tokens)?;
        }
        SignIn::Token { token, .. } => {
            let tokens =
                SessionTokens { access_token: token.expose_secret().to_owned(), refresh_token: None };
            let meta = SessionMeta { user_id: settings.user.clone(), device_id: device.clone() };
            activate(client, keeper, MatrixSession { meta, tokens: tokens.clone() }).await?;
            keeper.renewed(tokens)?;
        }
    }
    Ok(device)
}

/// An id as homeservers give out: capital letters, without bias.
fn device_id(entropy: &dyn Entropy) -> OwnedDeviceId {
    let mut letters = String::with_capacity(DEVICE_ID_LETTERS);
    while letters.len() < DEVICE_ID_LETTERS {
        let mut byte = [0];
        entropy.fill(&mut byte);
        // 9 × 26 = 234: a byte beyond that would make some letters likelier.
        if byte[0] < 234 {
            letters.push(char::from(b'A' + byte[0] % 26));
        }
    }
    letters.into()
}
