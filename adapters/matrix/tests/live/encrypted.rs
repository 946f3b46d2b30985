//! In encrypted rooms: whose words count, and by which key.

use matrix_sdk::ruma::OwnedRoomId;
use placet::approval::Assurance;
use placet_matrix::backing::{Backing, Unbacked};
use placet_matrix::event::What;
use placet_matrix::pins::PinFile;
use placet_matrix::sync::Heard;
use serde_json::json;

use crate::world::{Bot, Ear, Keyed, PASSWORD, Person, World, message};

/// An encrypted room with alice and the bot in it.
async fn room(alice: &Person, bot: &Bot, ear: &mut Ear) -> OwnedRoomId {
    let encryption = json!({
        "type": "m.room.encryption", "state_key": "", "content": { "algorithm": "m.megolm.v1.aes-sha2" },
    });
    let room = alice.creates_room(json!({ "initial_state": [encryption] })).await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;
    // The keys of those who are there.
    ear.hears().await;
    room
}

fn pins(bot: &Bot) -> PinFile {
    PinFile::new(bot.settings.pins.clone().unwrap())
}

/// R31: cleartext in an encrypted room is no command, whoever the homeserver says wrote it; a reaction there is its word.
#[tokio::test(flavor = "multi_thread")]
async fn a_plaintext_command_counts_for_nothing() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = room(&alice, &bot, &mut ear).await;
    let said = alice.says(&room, "!placet approve").await;
    let act = ear.hears_event(&said).await;
    assert_eq!((message(&act).body.as_str(), &act.backing), ("!placet approve", &Backing::Cleartext));
    assert_eq!(ear.judges(&room, &said).await, Err(Unbacked::PlaintextInEncryptedRoom));
    let reaction = alice.reacts(&room, &said, "✅").await;
    assert_eq!(ear.judges(&room, &reaction).await, Ok(Assurance::ServerAsserted));
}

/// R31: by a device that its owner signed: trusted on first use, then by the pinned key; with another key pinned, an
/// alarm. The reference to the card is inside the encryption.
#[tokio::test(flavor = "multi_thread")]
async fn a_signed_device_is_worth_its_key() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = room(&alice, &bot, &mut ear).await;
    let phone = Keyed::signed(&world, &alice.user, PASSWORD).await;
    let content = json!({
        "msgtype": "m.text", "body": "!placet approve 7Q4K-2M",
        "m.relates_to": { "m.in_reply_to": { "event_id": "$card" } },
    });
    let said = phone.sends(&room, "m.room.message", content).await;
    let act = ear.hears_event(&said).await;
    assert_eq!(message(&act).body, "!placet approve 7Q4K-2M");
    let confirmed = ear.reader.again(&room, &said).await.unwrap().unwrap();
    assert!(message(confirmed.act()).reply_to.as_ref().unwrap().is_sealed);
    assert!(!confirmed.key().contains(said.as_str()), "{}", confirmed.key());

    let seen = phone.master_key().await;
    assert_eq!(ear.judges(&room, &said).await, Ok(Assurance::E2eeTofu));
    assert_eq!(ear.reader.known(&alice.user).unwrap().first_seen, Some(seen.clone()));
    assert_eq!(ear.reader.master_key_of(&alice.user).await.unwrap(), Some(seen.clone()));
    pins(&bot).set(&alice.user, &seen).unwrap();
    assert_eq!(ear.judges(&room, &said).await, Ok(Assurance::E2eePinned));
    let other = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc".parse().unwrap();
    pins(&bot).set(&alice.user, &other).unwrap();
    assert_eq!(ear.judges(&room, &said).await, Err(Unbacked::IdentityChanged { pinned: other, seen }));
}

/// R31: an unsigned device is read, so that people can be told, and counts for nothing: their own, and one that the
/// administrator added after resetting the password.
#[tokio::test(flavor = "multi_thread")]
async fn an_unsigned_device_counts_for_nothing() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = room(&alice, &bot, &mut ear).await;
    let bare = Keyed::unsigned(&world, &alice.user, PASSWORD).await;
    let said = bare.says(&room, "!placet approve").await;
    assert_eq!(message(&ear.hears_event(&said).await).body, "!placet approve");
    assert_eq!(ear.judges(&room, &said).await, Err(Unbacked::UnsignedDevice));

    let phone = Keyed::signed(&world, &alice.user, PASSWORD).await;
    let said = phone.says(&room, "!placet approve").await;
    ear.hears_event(&said).await;
    assert_eq!(ear.judges(&room, &said).await, Ok(Assurance::E2eeTofu));
    let path = format!("/_synapse/admin/v1/reset_password/{}", alice.user);
    world.as_admin("POST", &path, json!({ "new_password": "taken over", "logout_devices": false })).await;
    let added = Keyed::unsigned(&world, &alice.user, "taken over").await;
    let said = added.says(&room, "!placet approve").await;
    assert_eq!(message(&ear.hears_event(&said).await).body, "!placet approve");
    assert_eq!(ear.judges(&room, &said).await, Err(Unbacked::UnsignedDevice));
}

/// R31: a whole identity is put in somebody's place: with a pinned key it is an alarm, and without one too, since the first
/// one is remembered, also over a restart. What the old one said counts no more either.
#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_identity_is_an_alarm() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = room(&alice, &bot, &mut ear).await;
    let phone = Keyed::signed(&world, &alice.user, PASSWORD).await;
    let first = phone.master_key().await;
    let before = phone.says(&room, "!placet approve").await;
    ear.hears_event(&before).await;
    assert_eq!(ear.judges(&room, &before).await, Ok(Assurance::E2eeTofu));

    let impostor = Keyed::signed(&world, &alice.user, PASSWORD).await;
    let seen = impostor.master_key().await;
    assert_ne!(seen, first);
    ear.stops().await;
    let mut ear = bot.starts().await;
    let said = impostor.says(&room, "!placet approve").await;
    ear.hears_event(&said).await;
    let alarm = Unbacked::IdentityChanged { pinned: first.clone(), seen: seen.clone() };
    assert_eq!(ear.judges(&room, &said).await, Err(alarm.clone()));
    assert_eq!(ear.judges(&room, &before).await, Err(Unbacked::UnsignedDevice));
    pins(&bot).set(&alice.user, &first).unwrap();
    assert_eq!(ear.judges(&room, &said).await, Err(alarm));
    // People compared the new one: it is pinned, and counts.
    pins(&bot).set(&alice.user, &seen).unwrap();
    assert_eq!(ear.judges(&room, &said).await, Ok(Assurance::E2eePinned));
}

/// R31: the homeserver shows one ciphertext under a second event id, in another sender's name: it is the same act, or
/// nobody's.
#[tokio::test(flavor = "multi_thread")]
async fn a_ciphertext_shown_again_is_the_same_act() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = room(&alice, &bot, &mut ear).await;
    let phone = Keyed::signed(&world, &alice.user, PASSWORD).await;
    let said = phone.says(&room, "!placet approve 7Q4K-2M").await;
    ear.hears_event(&said).await;
    let raw = alice.call("GET", &format!("/rooms/{room}/event/{said}"), json!({})).await;
    let mut content = raw["content"].clone();
    content["m.relates_to"] = json!({ "m.in_reply_to": { "event_id": "$another-card" } });
    let again = world.posing_as(&alice.user).await.sends(&room, "m.room.encrypted", content).await;
    ear.hears_event(&again).await;
    let (first, second) = (
        ear.reader.again(&room, &said).await.unwrap().unwrap(),
        ear.reader.again(&room, &again).await.unwrap().unwrap(),
    );
    assert_eq!(first.key(), second.key());
    // What it refers to now is the homeserver's word, and says so.
    let reply = message(second.act()).reply_to.clone().unwrap();
    assert_eq!((reply.to.as_str(), reply.is_sealed), ("$another-card", false));
    assert_eq!(message(first.act()).reply_to, None);

    let mallory = world.person("mallory").await;
    alice.invites(&room, &mallory.user).await;
    mallory.joins(&room).await;
    let stolen = mallory.sends(&room, "m.room.encrypted", raw["content"].clone()).await;
    ear.hears_event(&stolen).await;
    assert_eq!(ear.judges(&room, &stolen).await, Err(Unbacked::OtherSender));
}

/// R31: an event whose key comes late is told as unreadable, and again when the key is there. A key that came over others
/// proves nothing of who wrote it.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_key_brings_an_event_back() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let encryption = json!({
        "type": "m.room.encryption", "state_key": "", "content": { "algorithm": "m.megolm.v1.aes-sha2" },
    });
    let visible = json!({ "type": "m.room.history_visibility", "state_key": "", "content": { "history_visibility": "shared" } });
    let room = alice.creates_room(json!({ "initial_state": [encryption, visible] })).await;
    let phone = Keyed::signed(&world, &alice.user, PASSWORD).await;
    // For nobody else's device: the bot is not there yet.
    let said = phone.says(&room, "!placet pending").await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;
    let confirmed = ear.reader.again(&room, &said).await.unwrap().unwrap();
    assert!(matches!(confirmed.act().what, What::Unreadable { .. }), "{confirmed:?}");
    assert!(matches!(confirmed.act().backing, Backing::Unreadable { may_come: true, .. }), "{confirmed:?}");
    assert_eq!(ear.judges(&room, &said).await, Err(Unbacked::Unreadable));

    let file = bot.folder.path().join("keys");
    phone.client.encryption().export_room_keys(file.clone(), "pass", |_| true).await.unwrap();
    ear.reader.session().client().encryption().import_room_keys(file, "pass").await.unwrap();
    let heard = ear.hears_until(|heard| matches!(heard, Heard::Act(act) if act.event == said)).await;
    let act =
        heard.iter().find_map(|heard| if let Heard::Act(act) = heard { Some(act) } else { None }).unwrap();
    assert_eq!(message(act).body, "!placet pending");
    assert_eq!(ear.judges(&room, &said).await, Err(Unbacked::UnknownDevice));
}

/// R31: a poll's answer is as good as a command, and the bot knows which poll it was for from inside.
#[tokio::test(flavor = "multi_thread")]
async fn a_poll_answer_is_backed_by_the_key() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = room(&alice, &bot, &mut ear).await;
    let phone = Keyed::signed(&world, &alice.user, PASSWORD).await;
    let poll = alice.says(&room, "a poll").await;
    let answer = json!({
        "m.relates_to": { "rel_type": "m.reference", "event_id": poll },
        "org.matrix.msc3381.poll.response": { "answers": ["approve"] },
    });
    let said = phone.sends(&room, "org.matrix.msc3381.poll.response", answer).await;
    ear.hears_event(&said).await;
    let stretch = ear.reader.relations(&room, &poll).await.unwrap();
    let [confirmed] = &stretch.acts[..] else { panic!("{stretch:#?}") };
    match &confirmed.act().what {
        What::PollAnswer { poll: of, answers } => {
            assert_eq!(
                (&of.to, of.is_sealed, answers.as_slice()),
                (&poll, true, &["approve".to_owned()][..])
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(ear.reader.judge(confirmed).await.unwrap(), Ok(Assurance::E2eeTofu));
}
