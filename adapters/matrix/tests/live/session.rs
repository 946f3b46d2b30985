//! Sessions: the first login, starts after it, and what refuses to start.

use std::fs;

use placet_matrix::session::{CrossSigning, FolderError, IdentityError, SessionError};
use serde_json::{Value, json};

use crate::world::{Bot, World};

fn kept(bot: &Bot) -> Value {
    serde_json::from_slice(&fs::read(bot.settings.store.join("session.json")).unwrap()).unwrap()
}

fn keep(bot: &Bot, session: &Value) {
    fs::write(bot.settings.store.join("session.json"), session.to_string()).unwrap();
}

/// R31: the bot signs in once, is cross-signed, and has the same device after a restart, without its password.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_stays_over_a_restart() {
    let mut bot = World::new().bot(&[]).await;
    let first = bot.opens().await.unwrap();
    assert_eq!(first.cross_signing().await.unwrap(), CrossSigning::None);
    let signed = first.sign_own_device().await.unwrap();
    assert!(matches!(signed, CrossSigning::Signed(_)), "{signed:?}");
    let device = first.device().to_owned();
    first.close().await;
    bot.settings.sign_in = placet_matrix::settings::SignIn::Password("another one now".into());
    let second = bot.opens().await.unwrap();
    assert_eq!(second.device(), device);
    // The identity is not made anew.
    assert_eq!(second.sign_own_device().await.unwrap(), signed);
}

/// R31: two processes on one store: the second one does not start, and does when the first is gone.
#[tokio::test(flavor = "multi_thread")]
async fn one_process_has_a_store() {
    let bot = World::new().bot(&[]).await;
    let first = bot.opens().await.unwrap();
    let refused = bot.opens().await.unwrap_err();
    assert!(matches!(refused, SessionError::Folder(FolderError::InUse(_))), "{refused}");
    first.close().await;
    bot.opens().await.unwrap();
}

/// R31: whoever has a token and its device needs no password; the device keeps its id.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_with_its_device_signs_in() {
    let world = World::new();
    let mut bot = world.bot(&[]).await;
    let client = matrix_sdk::Client::builder().homeserver_url(&world.url).build().await.unwrap();
    let login = client.matrix_auth().login_username(&bot.settings.user, crate::world::PASSWORD);
    let answer = login.device_id("GIVENOUT").send().await.unwrap();
    bot.settings.sign_in = placet_matrix::settings::SignIn::Token {
        token: answer.access_token.into(),
        device: answer.device_id,
    };
    let session = bot.opens().await.unwrap();
    assert_eq!((session.user(), session.device().as_str()), (&*bot.settings.user, "GIVENOUT"));
    session.close().await;
    assert_eq!(bot.opens().await.unwrap().device(), "GIVENOUT");
}

/// R31: the store is lost and the session is there: it does not start with new keys on the old device, also not at the
/// second try, and says what to do.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_store_is_refused_with_the_remedy() {
    let world = World::new();
    let bot = world.bot(&[]).await;
    bot.hears_once().await;
    for entry in fs::read_dir(&bot.settings.store).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("sqlite3") {
            // SQLite takes its own journals away while it closes.
            if let Err(fault) = fs::remove_file(path) {
                assert_eq!(fault.kind(), std::io::ErrorKind::NotFound, "{fault}");
            }
        }
    }
    for _ in 0..2 {
        let refused = bot.opens().await.unwrap_err();
        assert!(matches!(refused, SessionError::StoreLost { .. }), "{refused}");
        assert!(refused.to_string().contains("placet matrix recover"), "{refused}");
    }
    // Nobody wrote the device's key down: then the homeserver knows that it is another one.
    let mut session = kept(&bot);
    session.as_object_mut().unwrap().remove("device_key");
    keep(&bot, &session);
    let refused = bot.opens().await.unwrap_err();
    assert!(matches!(refused, SessionError::StoreLost { .. }), "{refused}");
}

/// R31: the session is lost and the store is there; a store opened with another key; another account's session.
#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_belong_together_is_refused() {
    let mut bot = World::new().bot(&[]).await;
    bot.opens().await.unwrap().close().await;
    let session = kept(&bot);

    bot.settings.store_key = placet_matrix::settings::StoreKey::new([8; 32]);
    let refused = bot.opens().await.unwrap_err();
    assert!(matches!(refused, SessionError::Store { .. }), "{refused}");
    bot.settings.store_key = placet_matrix::settings::StoreKey::new([7; 32]);

    let own = std::mem::replace(&mut bot.settings.user, "@other:example.org".try_into().unwrap());
    let refused = bot.opens().await.unwrap_err();
    assert!(matches!(refused, SessionError::OtherAccount { .. }), "{refused}");
    bot.settings.user = own;

    fs::remove_file(bot.settings.store.join("session.json")).unwrap();
    let refused = bot.opens().await.unwrap_err();
    assert!(matches!(refused, SessionError::SessionLost { .. }), "{refused}");
    keep(&bot, &session);
    bot.opens().await.unwrap();
}

/// R31: a token that is good no more is renewed, and the new ones are on disk: the next start needs no password.
#[tokio::test(flavor = "multi_thread")]
async fn an_expired_token_is_renewed_and_kept() {
    let bot = World::new().bot(&[]).await;
    bot.opens().await.unwrap().close().await;
    let mut session = kept(&bot);
    session["tokens"]["access_token"] = json!("syt_expired");
    keep(&bot, &session);
    let mut ear = bot.starts().await;
    ear.hears().await;
    let renewed = kept(&bot);
    assert_ne!(renewed["tokens"]["access_token"], session["tokens"]["access_token"]);
    assert_ne!(renewed["tokens"]["refresh_token"], session["tokens"]["refresh_token"]);
    ear.stops().await;
    bot.hears_once().await;
}

/// R31: a password reset by the administrator ends the session: it is said, and nothing signs in by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_ended_is_told() {
    let world = World::new();
    let bot = world.bot(&[]).await;
    let mut ear = bot.starts().await;
    ear.hears().await;
    let path = format!("/_synapse/admin/v1/reset_password/{}", bot.settings.user);
    world.as_admin("POST", &path, json!({ "new_password": "taken over", "logout_devices": true })).await;
    let ended = ear.sync.step(placet::time::Ttl::ZERO).await.unwrap_err();
    assert!(matches!(ended, SessionError::Ended { .. }), "{ended}");
    ear.stops().await;
    let refused = bot.opens().await.unwrap_err();
    assert!(matches!(refused, SessionError::Ended { .. }), "{refused}");
}

/// R31: the homeserver is down at the start: a session that was there before opens all the same; a first login does not.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_needs_no_homeserver() {
    let mut bot = World::new().bot(&[]).await;
    bot.opens().await.unwrap().close().await;
    // A port that nobody listens on.
    bot.settings.homeserver = "http://127.0.0.1:9".parse().unwrap();
    let session = bot.opens().await.unwrap();
    assert!(matches!(session.check().await, Err(SessionError::Unreached(_))));
    session.close().await;
    fs::remove_dir_all(&bot.settings.store).unwrap();
    let refused = bot.opens().await.unwrap_err();
    assert!(matches!(refused, SessionError::Unreached(_)), "{refused}");
}

/// R31: recovery is set up once; a new device is unsigned until it has the key, and a wrong key opens nothing.
#[tokio::test(flavor = "multi_thread")]
async fn recovery_signs_a_new_device() {
    let bot = World::new().bot(&[]).await;
    let mut ear = bot.starts().await;
    ear.hears().await;
    let first = bot_session(&ear);
    let key = first.enable_recovery().await.unwrap();
    let again = first.enable_recovery().await;
    assert!(matches!(again, Err(IdentityError::HasRecovery)), "{again:?}");
    let signed = first.cross_signing().await.unwrap();
    drop(first);
    ear.stops().await;

    fs::remove_dir_all(&bot.settings.store).unwrap();
    let mut ear = bot.starts().await;
    ear.hears().await;
    let second = bot_session(&ear);
    assert!(matches!(second.cross_signing().await.unwrap(), CrossSigning::Unsigned(_)));
    let wrong = second.recover(&"EsTx wrong".into()).await;
    assert!(matches!(wrong, Err(IdentityError::WrongKey(_))), "{wrong:?}");
    assert_eq!(second.recover(&key).await.unwrap(), signed);
}

fn bot_session(ear: &crate::world::Ear) -> placet_matrix::session::Session {
    ear.reader.session().clone()
}
