//! In plain rooms: what is heard, what is read again, and what the homeserver's word is worth.

use placet::approval::Assurance;
use placet_matrix::event::What;
use placet_matrix::sync::{Heard, Why};
use serde_json::json;

use crate::world::{World, message};

/// R31: a reaction and a command are heard; notices and the bot's own words are not; who said it is the exact id.
#[tokio::test(flavor = "multi_thread")]
async fn reactions_and_commands_are_heard() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = alice.creates_room(json!({})).await;
    alice.says(&room, "!placet freeze before the bot came").await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;

    let card = alice.says(&room, "a card").await;
    alice.sends(&room, "m.room.message", json!({ "msgtype": "m.notice", "body": "!placet approve" })).await;
    let own = ear.reader.session().client().get_room(&room).unwrap();
    own.send_raw("m.room.message", json!({ "msgtype": "m.text", "body": "!placet approve" })).await.unwrap();
    let reaction = alice.reacts(&room, &card, "✅\u{FE0F}").await;
    let heard = ear.hears_until(|heard| matches!(heard, Heard::Act(act) if act.event == reaction)).await;
    let acts: Vec<_> =
        heard.iter().filter_map(|heard| if let Heard::Act(act) = heard { Some(act) } else { None }).collect();
    assert_eq!(acts.len(), 2, "{acts:#?}");
    assert_eq!((message(acts[0]).body.as_str(), &acts[0].sender), ("a card", &alice.user));
    assert_eq!(acts[1].what, What::Reaction { on: card.clone(), key: "✅".to_owned() });
    assert_eq!(ear.judges(&room, &reaction).await, Ok(Assurance::ServerAsserted));
    assert_eq!(ear.judges(&room, &card).await, Ok(Assurance::ServerAsserted));
}

/// R31: the administrator reacts in somebody's name: it is worth no more than the homeserver's word.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_reaction_is_the_homeservers_word() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = alice.creates_room(json!({})).await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;
    let card = alice.says(&room, "a card").await;
    let forged = world.posing_as(&alice.user).await.reacts(&room, &card, "✅").await;
    assert_eq!(ear.hears_event(&forged).await.sender, alice.user);
    assert_eq!(ear.judges(&room, &forged).await, Ok(Assurance::ServerAsserted));
}

/// R31: a reaction that was redacted while the bot was down is nothing when it is fetched again, nor among what refers
/// to the card; the one that stayed is.
#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_reaction_is_nothing_after_a_restart() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = alice.creates_room(json!({})).await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;
    let card = alice.says(&room, "a card").await;
    let yes = alice.reacts(&room, &card, "✅").await;
    ear.hears_event(&yes).await;
    ear.stops().await;
    alice.redacts(&room, &yes).await;
    let no = alice.reacts(&room, &card, "❌").await;

    let mut ear = bot.starts().await;
    let heard = ear.hears().await;
    assert!(heard.contains(&Heard::Gap { room: room.clone(), why: Why::Start }), "{heard:#?}");
    assert_eq!(ear.reader.again(&room, &yes).await.unwrap(), None);
    let stretch = ear.reader.relations(&room, &card).await.unwrap();
    let there: Vec<_> = stretch.acts.iter().map(|confirmed| confirmed.act().event.clone()).collect();
    assert_eq!((there, stretch.is_complete), (vec![no], true));
}

/// R31: more than fits into one answer is said while the bot is down: the gap is told, and everything is read again, in
/// order, from the card on.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_while_down_is_read_again() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = alice.creates_room(json!({})).await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;
    let card = alice.says(&room, "a card").await;
    ear.hears_event(&card).await;
    ear.stops().await;
    for number in 0..130 {
        alice.says(&room, &format!("message {number}")).await;
    }
    let mut ear = bot.starts().await;
    // While it listens, so that the homeserver alone says that something was left out.
    let heard = ear.hears().await;
    assert!(
        heard.iter().any(|heard| matches!(heard, Heard::Gap { room: of, .. } if *of == room)),
        "{heard:#?}"
    );
    let stretch = ear.reader.messages_since(&room, &card).await.unwrap();
    let said: Vec<_> = stretch.acts.iter().map(|confirmed| message(confirmed.act()).body.clone()).collect();
    let expected: Vec<_> = (0..130).map(|number| format!("message {number}")).collect();
    assert_eq!((said, stretch.is_complete), (expected, true));
    // And again while it is up: the homeserver says that it left something out.
    for number in 0..130 {
        alice.says(&room, &format!("message {number}")).await;
    }
    let heard = ear.hears().await;
    assert!(heard.contains(&Heard::Gap { room, why: Why::Limited }), "{heard:#?}");
}

/// R31: what was said before the bot came is not among what is read again.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_before_the_bot_came_is_not_read() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = alice.creates_room(json!({})).await;
    let first = alice.says(&room, "the first").await;
    alice.says(&room, "!placet freeze").await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;
    let after = alice.says(&room, "after").await;
    ear.hears_event(&after).await;
    let stretch = ear.reader.messages_since(&room, &first).await.unwrap();
    let there: Vec<_> = stretch.acts.iter().map(|confirmed| confirmed.act().event.clone()).collect();
    assert_eq!(there, [after]);
}

/// R31: a stranger's invitation is refused and told; an admitted person's is followed.
#[tokio::test(flavor = "multi_thread")]
async fn the_bot_goes_only_where_admitted_people_invite_it() {
    let world = World::new();
    let (alice, mallory) = (world.person("alice").await, world.person("mallory").await);
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let trap = mallory.creates_room(json!({})).await;
    mallory.invites(&trap, &bot.settings.user).await;
    let heard = ear.hears_until(|heard| matches!(heard, Heard::Uninvited { .. })).await;
    assert!(
        heard.contains(&Heard::Uninvited { room: trap.clone(), by: Some(mallory.user.clone()) }),
        "{heard:#?}"
    );
    let room = alice.creates_room(json!({})).await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;
    let members = mallory.call("GET", &format!("/rooms/{trap}/members"), json!({})).await.to_string();
    assert!(!members.contains("\"membership\":\"join\",\"user_id\":\"@bot"), "{members}");
    let joined: Vec<_> = ear.reader.session().client().joined_rooms();
    assert_eq!(joined.iter().map(|room| room.room_id()).collect::<Vec<_>>(), [&*room]);
}

/// R31: a closed room is told with who closed it and where it goes; the bot stays where it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_tombstone_is_told_and_not_followed() {
    let world = World::new();
    let alice = world.person("alice").await;
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let room = alice.creates_room(json!({ "room_version": "11" })).await;
    alice.invites(&room, &bot.settings.user).await;
    ear.comes_to(&room).await;
    let new = alice.call("POST", &format!("/rooms/{room}/upgrade"), json!({ "new_version": "11" })).await;
    let new: matrix_sdk::ruma::OwnedRoomId = serde_json::from_value(new["replacement_room"].clone()).unwrap();
    let heard = ear.hears_until(|heard| matches!(heard, Heard::Tombstone { .. })).await;
    let told = heard.iter().any(|heard| {
        matches!(heard, Heard::Tombstone { room: of, by, successor: Some(to), .. } if *of == room && *by == alice.user && *to == new)
    });
    assert!(told, "{heard:#?}");
    let joined = ear.reader.session().client().joined_rooms();
    assert_eq!(joined.iter().map(|room| room.room_id()).collect::<Vec<_>>(), [&*room]);
}
