//! Whether the homeserver and its people are what conversations take them for: two clients that others wrote see each
//! other's words and reactions, in the clear and encrypted, and tell devices apart that their owners signed or not;
//! and each thing that a server, its administrator or a wire can do to them has its effect. They need a homeserver:
//! `tests/homeserver/run cargo nextest run --package placet-test-homeserver`.

use anyhow::{Context as _, Result, ensure};
use placet_test_homeserver::{
    Account, Client, Content, Cut, Fault, Homeserver, Person, Refused, RoomMade, Wanted,
};
use reqwest::Method;
use serde_json::json;

const YES: &str = "✅";

/// Two people at two clients in one room; the one at `matrix-js-sdk` has keys for cross-signing and made the room.
struct Two {
    homeserver: Homeserver,
    js: Person,
    nio: Person,
    js_account: Account,
    room: String,
}

impl Two {
    async fn meet(room: RoomMade) -> Result<Self> {
        let homeserver = Homeserver::shared()?;
        let [js_account, nio_account] =
            [homeserver.registers("ana").await?, homeserver.registers("bo").await?];
        let js = Person::signs_in(Client::Js, &js_account).await?;
        js.bootstraps(js_account.password()).await?;
        let nio = Person::signs_in(Client::Nio, &nio_account).await?;
        let room = js_account.makes(&room.inviting(nio.user())).await?;
        ensure!(nio.is_invited_by(js.user()).await? == room, "another invite than this one");
        nio.joins(&room).await?;
        js.joins(&room).await?;
        Ok(Self { homeserver, js, nio, js_account, room })
    }

    /// Each says something and reacts to what the other said; gives whether the messages came encrypted.
    async fn talk(&self) -> Result<[bool; 2]> {
        let mut encrypted = Vec::new();
        for (who, whom) in [(&self.js, &self.nio), (&self.nio, &self.js)] {
            let said = who.says(&self.room, "shall it run?").await?;
            let heard =
                whom.sees(&self.room, &Wanted::message_of(who.user()).saying("shall it run?")).await?;
            assert_eq!(heard.event_id, said);
            encrypted.push(heard.encrypted);
            let reaction = whom.reacts(&self.room, &said, YES).await?;
            let own = who.sees(&self.room, &Wanted::event(&said).reacted(whom.user(), YES)).await?;
            assert_eq!(own.reactions.len(), 1);
            assert_eq!(own.reactions[0].event_id, reaction);
            whom.redacts(&self.room, &reaction).await?;
            let own = who.sees(&self.room, &Wanted::event(&said).not_reacted(whom.user(), YES)).await?;
            assert_eq!(own.reactions, []);
        }
        Ok([encrypted[0], encrypted[1]])
    }
}

#[tokio::test]
async fn each_sees_the_others_message_and_reaction() -> Result<()> {
    let two = Two::meet(RoomMade::named("in the clear")).await?;
    assert_eq!(two.talk().await?, [false, false]);
    Ok(())
}

#[tokio::test]
async fn each_sees_the_others_message_and_reaction_encrypted() -> Result<()> {
    let two = Two::meet(RoomMade::named("encrypted").encrypted()).await?;
    assert_eq!(two.talk().await?, [true, true]);
    Ok(())
}

/// What sets people with keys for cross-signing apart from those without.
#[tokio::test]
async fn a_device_is_signed_by_its_owner_or_it_is_not() -> Result<()> {
    let two = Two::meet(RoomMade::named("encrypted").encrypted()).await?;
    let third_account = two.homeserver.registers("chen").await?;
    let third = Person::signs_in(Client::Js, &third_account).await?;
    two.js_account.invites(&two.room, third.user()).await?;
    third.joins(&two.room).await?;
    third.takes_device(two.js.user(), two.js.device(), "signed_by_owner").await?;
    third.takes_device(two.nio.user(), two.nio.device(), "unsigned").await?;
    for (who, trust) in [(&two.js, "no_warning"), (&two.nio, "unsigned_device")] {
        who.knows(third.user(), third.device()).await?;
        who.says(&two.room, "mine").await?;
        let seen = third.sees(&two.room, &Wanted::message_of(who.user()).saying("mine")).await?;
        let device = seen.device.context("no device")?;
        assert_eq!((device.device_id.as_deref(), device.trust.as_str()), (Some(who.device()), trust));
    }
    // Once an owner has keys, and signs the device by them, it is signed.
    assert_eq!(two.js.knows(third.user(), third.device()).await?.trust, "unsigned");
    let key = third.bootstraps(third_account.password()).await?;
    assert_eq!(third_account.master_key_of(third.user()).await?, Some(key));
    let second = Person::signs_in(Client::Js, &third_account).await?;
    third.takes_device(third.user(), second.device(), "unsigned").await?;
    third.signs_device(second.device()).await?;
    third.takes_device(third.user(), second.device(), "signed_by_owner").await?;
    Ok(())
}

#[tokio::test]
async fn edits_threads_polls_and_redactions_are_seen() -> Result<()> {
    let two = Two::meet(RoomMade::named("encrypted").encrypted()).await?;
    for (who, whom) in [(&two.js, &two.nio), (&two.nio, &two.js)] {
        let card = who.says(&two.room, "a card").await?;
        who.sends(&two.room, &Content::text("a card, decided").in_place_of(&card)).await?;
        let seen = whom.sees(&two.room, &Wanted::event(&card).edited()).await?;
        assert_eq!((seen.text(), seen.readable, seen.encrypted), ("a card, decided", true, true));
        let reason = who.sends(&two.room, &Content::text("a reason").in_thread_of(&card)).await?;
        let seen = whom.sees(&two.room, &Wanted::message_of(who.user()).in_thread_of(&card)).await?;
        assert_eq!((seen.event_id, seen.relation["rel_type"].as_str()), (reason, Some("m.thread")));
        let answer = who.sends(&two.room, &Content::poll_answer(&card, "approve")).await?;
        let seen = whom.sees(&two.room, &Wanted::event(&answer).readable(true)).await?;
        assert_eq!(seen.kind, "org.matrix.msc3381.poll.response");
        assert_eq!(seen.content["org.matrix.msc3381.poll.response"]["answers"], json!(["approve"]));
        who.redacts(&two.room, &card).await?;
        let seen = whom.sees(&two.room, &Wanted::event(&card).redacted()).await?;
        assert_eq!(seen.text(), "");
    }
    Ok(())
}

/// A poll is one press, and encrypted; the official client says whether it is one.
#[tokio::test]
async fn a_poll_is_asked_answered_and_ended() -> Result<()> {
    const START: &str = "org.matrix.msc3381.poll.start";
    const END: &str = "org.matrix.msc3381.poll.end";
    const TEXT: &str = "org.matrix.msc1767.text";
    let two = Two::meet(RoomMade::named("encrypted").encrypted()).await?;
    let answers = json!([{"id": "approve", TEXT: "Approve"}, {"id": "deny", TEXT: "Deny"}]);
    let asked = json!({"question": {TEXT: "Shall it run?"}, "kind": "org.matrix.msc3381.poll.disclosed",
        "max_selections": 1, "answers": answers});
    let start = Content::other(START, json!({START: asked, TEXT: "Shall it run?"}));
    let poll = two.nio.sends(&two.room, &start).await?;
    let seen = two.js.sees_poll(&two.room, &poll).await?;
    assert_eq!((seen.question.as_str(), seen.votes.len(), seen.ended), ("Shall it run?", 0, false));
    let choices: Vec<_> = seen.answers.iter().map(|choice| (&*choice.id, &*choice.text)).collect();
    assert_eq!(choices, [("approve", "Approve"), ("deny", "Deny")]);
    // What is written by hand for programs is what the client writes; the last answer counts, and none that is none.
    let by_client = two.js.answers(&two.room, &poll, "approve").await?;
    let seen = two.nio.sees(&two.room, &Wanted::event(&by_client).readable(true).referring_to(&poll)).await?;
    assert!(seen.encrypted);
    assert_eq!(seen.content, Content::poll_answer(&poll, "approve").body);
    for answer in ["deny", "nothing like it"] {
        let answered = two.nio.answers(&two.room, &poll, answer).await?;
        two.js.sees(&two.room, &Wanted::event(&answered).readable(true)).await?;
    }
    let seen = two.js.sees_poll(&two.room, &poll).await?;
    assert_eq!(seen.votes[two.js.user()], ["approve"]);
    assert_eq!(seen.votes.get(two.nio.user()), Some(&vec!["deny".to_owned()]));
    let relation = json!({"rel_type": "m.reference", "event_id": poll});
    let end = Content::other(END, json!({END: {}, TEXT: "Decided", "m.relates_to": relation}));
    let ended = two.nio.sends(&two.room, &end).await?;
    two.js.sees(&two.room, &Wanted::event(&ended).readable(true)).await?;
    assert!(two.js.sees_poll(&two.room, &poll).await?.ended);
    let none = two.nio.sends(&two.room, &Content::other(START, json!({START: {"answers": []}}))).await?;
    assert!(two.js.sees_poll(&two.room, &none).await.is_err(), "a poll without a question");
    Ok(())
}

#[tokio::test]
async fn rates_are_limited_for_one_alone() -> Result<()> {
    let homeserver = Homeserver::shared()?;
    let [limited, other] = [homeserver.registers("ana").await?, homeserver.registers("bo").await?];
    homeserver.limits_rates_of(limited.user(), 2).await?;
    let room = limited.makes(&RoomMade::named("quick").inviting(other.user())).await?;
    other.joins(&room).await?;
    // The machine may be slower than one a second: all at once, so that it cannot be for many of them.
    let sends = |account: Account| {
        let room = room.clone();
        tokio::spawn(async move { account.sends(&room, &Content::text("again")).await })
    };
    let [of_limited, of_other] =
        [&limited, &other].map(|who| (0..20).map(|_| sends(who.clone())).collect::<Vec<_>>());
    let mut codes = Vec::new();
    for sent in of_limited {
        if let Err(error) = sent.await? {
            codes.push(error.downcast_ref::<Refused>().context("no refusal")?.code.clone());
        }
    }
    assert!(!codes.is_empty(), "nothing was limited");
    assert!(codes.iter().all(|code| code == "M_LIMIT_EXCEEDED"), "{codes:?}");
    for sent in of_other {
        sent.await??;
    }
    Ok(())
}

/// A slow network: the message is there before its key is.
#[tokio::test]
async fn a_key_comes_late() -> Result<()> {
    let two = Two::meet(RoomMade::named("encrypted").encrypted()).await?;
    two.nio.holds_keys().await?;
    let said = two.nio.says(&two.room, "later").await?;
    let seen = two.js.sees(&two.room, &Wanted::event(&said).readable(false)).await?;
    assert_eq!((seen.encrypted, seen.text()), (true, ""));
    assert!(two.nio.releases_keys().await? > 0);
    let seen = two.js.sees(&two.room, &Wanted::event(&said).readable(true)).await?;
    assert_eq!(seen.text(), "later");
    Ok(())
}

/// What a homeserver's administrator can do, and what of it shows.
#[tokio::test]
async fn an_administrator_forges() -> Result<()> {
    let two = Two::meet(RoomMade::named("encrypted").encrypted()).await?;
    let card = two.nio.says(&two.room, "a card").await?;
    let forged = two.homeserver.forges_as(two.js.user()).await?;
    forged.sends(&two.room, &Content::reaction(&card, YES)).await?;
    let seen = two.nio.sees(&two.room, &Wanted::event(&card).reacted(two.js.user(), YES)).await?;
    assert_eq!(seen.reactions.len(), 1, "a forged reaction looks like any");
    let said = forged.sends(&two.room, &Content::text("!placet approve")).await?;
    let seen = two.nio.sees(&two.room, &Wanted::event(&said)).await?;
    assert_eq!((seen.encrypted, seen.device, seen.sender.as_str()), (false, None, two.js.user()));
    // Another password, and a device by it: what it encrypts comes from a device that nobody signed.
    let password = two.homeserver.resets_password(two.js.user(), false).await?;
    let added = Person::signs_in_by(Client::Js, &two.js_account, &password, two.homeserver.url()).await?;
    added.joins(&two.room).await?;
    assert_eq!(two.js.knows(two.js.user(), added.device()).await?.trust, "unsigned");
    two.nio.knows(two.js.user(), added.device()).await?;
    let said = added.says(&two.room, "!placet approve").await?;
    let seen = two.js.sees(&two.room, &Wanted::event(&said).readable(true)).await?;
    assert_eq!(seen.device.context("no device")?.trust, "unsigned_device");
    // And another identity, by which it is signed: the key alone tells it.
    let before = two.js_account.master_key_of(two.js.user()).await?;
    let after = added.replaces_identity(&password).await?;
    assert_eq!(added.in_the_clear().master_key_of(two.js.user()).await?, Some(after.clone()));
    assert_ne!(before, Some(after));
    Ok(())
}

#[tokio::test]
async fn rooms_have_powers_versions_and_ends() -> Result<()> {
    let homeserver = Homeserver::shared()?;
    let [maker, other] = [homeserver.registers("ana").await?, homeserver.registers("bo").await?];
    for (version, maker_has) in [("11", json!(100)), ("12", json!(null))] {
        let made = RoomMade::named("powers").version(version).inviting(other.user()).power(other.user(), 50);
        let room = maker.makes(&made).await?;
        other.joins(&room).await?;
        let levels = maker.state(&room, "m.room.power_levels", "").await?;
        assert_eq!(levels["users"][other.user()], json!(50));
        assert_eq!(levels["users"][maker.user()], maker_has, "in version {version}");
        assert_eq!(room.contains(':'), version == "11", "{room}");
        let mut both = [maker.user().to_owned(), other.user().to_owned()];
        both.sort();
        let mut members = maker.members(&room).await?;
        members.sort();
        assert_eq!(members, both);
        let next = maker.upgrades(&room, "12").await?;
        assert_eq!(maker.state(&room, "m.room.tombstone", "").await?["replacement_room"], json!(next));
    }
    let open = maker.makes(&RoomMade::named("open").public()).await?;
    let closed = maker.makes(&RoomMade::named("closed")).await?;
    other.joins(&open).await?;
    let error = other.joins(&closed).await.expect_err("a closed room was open");
    assert_eq!(error.downcast_ref::<Refused>().context("no refusal")?.code, "M_FORBIDDEN");
    homeserver.deactivates(other.user()).await?;
    assert_eq!(homeserver.devices_of(other.user()).await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_wire_is_cut_and_mended_and_loses_answers() -> Result<()> {
    let homeserver = Homeserver::shared()?;
    let account = homeserver.registers("ana").await?;
    let room = account.makes(&RoomMade::named("far away")).await?;
    let cut = Cut::before(homeserver.url()).await?;
    let far = account.by_way_of(&cut.url())?;
    far.members(&room).await?;
    cut.has(Fault::Away);
    assert!(far.members(&room).await.is_err(), "it answered through a wire that was cut");
    account.members(&room).await?;
    cut.mends();
    far.members(&room).await?;
    // The answer is lost, the message is not; under its transaction it is sent once.
    cut.has(Fault::LosesAnswers("/send/".to_owned()));
    far.members(&room).await?;
    assert!(far.sends_as(&room, &Content::text("once"), "one").await.is_err());
    assert_eq!(cut.lost(), 1);
    cut.mends();
    let sent = far.sends_as(&room, &Content::text("once"), "one").await?;
    let path = ["rooms", &room, "messages"];
    let latest = far.asks_with(Method::GET, &path, &[("dir", "b"), ("limit", "2")]).await?;
    assert_eq!(latest["chunk"][0]["event_id"], json!(sent));
    assert_ne!(latest["chunk"][1]["type"], json!("m.room.message"), "it was sent twice");
    // Silence breaks nothing, and what was asked comes when it ends.
    cut.has(Fault::Silent);
    let asked = tokio::spawn({
        let (far, room) = (far.clone(), room.clone());
        async move { far.members(&room).await }
    });
    account.members(&room).await?;
    assert!(!asked.is_finished(), "it answered through a silent wire");
    cut.mends();
    assert_eq!(asked.await??.len(), 1);
    Ok(())
}

/// Tokens that end soon are for a homeserver to itself: on the shared one all would end.
#[tokio::test]
async fn a_homeserver_of_ones_own_has_other_settings() -> Result<()> {
    let homeserver = Homeserver::of_its_own(&["refreshable_access_token_lifetime: 1s"]).await?;
    let account = homeserver.registers("ana").await?;
    assert!(Homeserver::shared()?.signs_in(account.user(), account.password()).await.is_err());
    let login = json!({
        "type": "m.login.password",
        "identifier": {"type": "m.id.user", "user": account.user()},
        "password": account.password(),
        "refresh_token": true,
    });
    let session = account.asks(Method::POST, &["login"], Some(&login)).await?;
    let short = account.in_session(session["access_token"].as_str().context("no token")?);
    let refused = loop {
        if let Err(error) = short.asks(Method::GET, &["account", "whoami"], None).await {
            break error;
        }
    };
    assert_eq!(refused.downcast_ref::<Refused>().context("no refusal")?.code, "M_UNKNOWN_TOKEN");
    account.asks(Method::GET, &["account", "whoami"], None).await?;
    let refresh = json!({"refresh_token": session["refresh_token"]});
    let refreshed = account.asks(Method::POST, &["refresh"], Some(&refresh)).await?;
    ensure!(refreshed["access_token"] != session["access_token"], "the same token again");
    homeserver.ends().await
}
