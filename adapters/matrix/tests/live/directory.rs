//! Who counts, and who has how much power, as the homeserver tells now.

use std::sync::Arc;

use placet::person::{AccountState, Identity, NoStanding};
use placet::ports::Directory as _;
use placet::time::Ttl;
use placet_matrix::MatrixDirectory;
use serde_json::json;

use crate::world::{Ticking, World};

fn identity(user: &matrix_sdk::ruma::UserId) -> Identity {
    Identity::matrix(user.as_str()).unwrap()
}

/// R17: an admitted account that is in a room with the bot counts; one that is not admitted, the bot's own, one that was
/// never made and one that was deactivated do not.
#[tokio::test(flavor = "multi_thread")]
async fn accounts_count_by_what_the_homeserver_says_now() {
    let world = World::new();
    let (alice, mallory) = (world.person("alice").await, world.person("mallory").await);
    let nobody: matrix_sdk::ruma::OwnedUserId = "@nobody-was-made:example.org".try_into().unwrap();
    let mut bot = world.bot(&[&alice.user, &nobody]).await;
    let keeper = world.person("keeper").await;
    bot.settings.people.accounts.insert(keeper.user.clone());
    bot.settings.room = keeper.creates_room(json!({})).await;
    let mut ear = bot.starts().await;
    keeper.invites(&bot.settings.room, &bot.settings.user).await;
    ear.comes_to(&bot.settings.room).await;
    let directory = MatrixDirectory::new(ear.reader.session().clone(), Arc::new(Ticking::default()));
    let state = async |who| directory.account(&identity(who), Ttl::ZERO).await.state;
    let is_nowhere = |state: &AccountState| matches!(state, AccountState::Barred(NoStanding::Unreadable(why)) if why.contains("no room with the bot"));
    // Admitted, and not there yet.
    assert!(is_nowhere(&state(&alice.user).await));
    for who in [&alice, &mallory] {
        keeper.invites(&bot.settings.room, &who.user).await;
        who.joins(&bot.settings.room).await;
    }
    let known = directory.account(&identity(&alice.user), Ttl::ZERO).await;
    assert_eq!((known.state, known.name.as_deref()), (AccountState::Active, Some("alice")));
    let at_hand = directory.account_at_hand(&identity(&alice.user), Ttl::from_secs(60)).unwrap();
    assert_eq!(at_hand.as_of, known.as_of);
    assert_eq!(state(&mallory.user).await, AccountState::Barred(NoStanding::Foreign));
    assert_eq!(state(&bot.settings.user).await, AccountState::Barred(NoStanding::Bot));
    assert!(is_nowhere(&state(&nobody).await));

    let path = format!("/_synapse/admin/v1/deactivate/{}", alice.user);
    world.as_admin("POST", &path, json!({ "erase": false })).await;
    // The homeserver takes it out of its rooms one after the other.
    ear.hears_until(
        |heard| matches!(heard, placet_matrix::sync::Heard::People { room } if *room == bot.settings.room),
    )
    .await;
    let mut gone = state(&alice.user).await;
    for _ in 0..20 {
        if is_nowhere(&gone) {
            break;
        }
        ear.hears().await;
        gone = state(&alice.user).await;
    }
    assert!(is_nowhere(&gone), "{gone:?}");
}

/// R17: who has a room's power is asked when it matters: by level, by version 12's makers, and no more after a kick. A room
/// that the bot is not in is no empty group.
#[tokio::test(flavor = "multi_thread")]
async fn power_in_a_room_is_asked_when_it_matters() {
    let world = World::new();
    let (alice, bo, eve) = (world.person("alice").await, world.person("bo").await, world.person("eve").await);
    let bot = world.bot(&[&alice.user]).await;
    let mut ear = bot.starts().await;
    let directory = MatrixDirectory::new(ear.reader.session().clone(), Arc::new(Ticking::default()));
    for version in ["11", "12"] {
        let room = alice.creates_room(json!({ "room_version": version })).await;
        for who in [&bo, &eve] {
            alice.invites(&room, &who.user).await;
            who.joins(&room).await;
        }
        let group = |power: u32| Identity::new("matrix", format!("{room}/{power}")).unwrap();
        let outside = directory.members(&group(0), Ttl::ZERO).await.members;
        assert!(outside.as_ref().is_err_and(|why| why.contains("invite it")), "{outside:?}");
        alice.invites(&room, &bot.settings.user).await;
        ear.comes_to(&room).await;
        let mut levels =
            alice.call("GET", &format!("/rooms/{room}/state/m.room.power_levels/"), json!({})).await;
        levels["users"][bo.user.as_str()] = json!(50);
        alice.sets(&room, "m.room.power_levels", levels).await;

        let has = async |power| directory.members(&group(power), Ttl::ZERO).await.members.unwrap();
        assert_eq!(has(0).await, [&alice, &bo, &eve].map(|who| identity(&who.user)).into(), "{version}");
        assert_eq!(has(50).await, [&alice, &bo].map(|who| identity(&who.user)).into(), "{version}");
        assert_eq!(has(51).await, [identity(&alice.user)].into(), "{version}");
        alice.call("POST", &format!("/rooms/{room}/kick"), json!({ "user_id": bo.user })).await;
        assert_eq!(has(50).await, [identity(&alice.user)].into(), "{version}");
    }
}
