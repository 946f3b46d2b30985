use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use futures::future::join_all;
use serde_json::{Value, json};

use super::*;
use crate::fixtures::{StandingClock, stand_in};

const AGE: Ttl = Ttl::from_secs(30);

struct Office {
    directory: SlackDirectory,
    clock: Arc<StandingClock>,
    asked: Arc<AtomicUsize>,
}

/// A directory over a Slack that says this of everybody.
async fn office(status: u16, mut user: Value) -> Office {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let answer = move |_method: &str, body: Bytes| {
        count.fetch_add(1, Ordering::SeqCst);
        let body = String::from_utf8(body.to_vec()).unwrap();
        let id = body.split('&').find_map(|field| field.strip_prefix("user=")).unwrap().to_owned();
        if user.get("id").is_none() {
            user["id"] = id.into();
        }
        let body = if status == 200 { json!({ "ok": true, "user": user }) } else { json!({}) };
        (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
    };
    let clock = StandingClock::new();
    let home = Home { team_id: "T1".into(), enterprise_id: None };
    let directory = SlackDirectory::new(stand_in(answer).await, home, clock.clone());
    Office { directory, clock, asked }
}

impl Office {
    async fn account(&self, identity: &str) -> Account {
        self.directory.account(&identity.parse().unwrap(), AGE).await
    }

    fn at_hand(&self, identity: &str) -> Option<Account> {
        self.directory.account_at_hand(&identity.parse().unwrap(), AGE)
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn an_answer_is_kept_for_as_long_as_it_may_be_old() {
    let office = office(200, json!({ "team_id": "T1" })).await;
    assert_eq!(office.at_hand("slack:T1/UBO"), None);
    let first = office.account("slack:T1/UBO").await;
    assert_eq!(first.state, AccountState::Active);
    assert_eq!(office.at_hand("slack:T1/UBO"), Some(first.clone()));
    office.clock.passes(AGE);
    assert_eq!(office.account("slack:T1/UBO").await, first);
    assert_eq!(office.asked(), 1);
    office.clock.passes(Ttl::from_millis(1));
    assert_eq!(office.at_hand("slack:T1/UBO"), None);
    assert_eq!(office.account("slack:T1/UBO").await.as_of, office.clock.now());
    assert_eq!(office.asked(), 2);
    office.directory.forget("UBO");
    assert_eq!(office.at_hand("slack:T1/UBO"), None);
}

/// R17: what an account is called goes along, for showing whom no policy names; of one that is out of order it does not.
#[tokio::test]
async fn what_an_account_is_called_is_told() {
    let profile = json!({ "display_name": "Bo B." });
    let office_of = async |user| office(200, user).await.account("slack:T1/UBO").await.name;
    let named = office_of(json!({ "team_id": "T1", "profile": profile })).await;
    assert_eq!(named.as_deref(), Some("Bo B."));
    assert_eq!(office_of(json!({ "team_id": "T1" })).await, None);
    assert_eq!(office_of(json!({ "team_id": "T1", "deleted": true, "profile": profile })).await, None);
}

#[tokio::test]
async fn many_who_ask_at_once_ask_once() {
    let office = office(200, json!({ "team_id": "T1" })).await;
    let accounts = join_all((0..50).map(|_| office.account("slack:T1/UBO"))).await;
    assert!(accounts.iter().all(|account| account.state == AccountState::Active));
    assert_eq!(office.asked(), 1);
}

#[tokio::test]
async fn what_cannot_be_read_bars_and_is_asked_again() {
    let office = office(500, json!({})).await;
    let accounts = join_all((0..20).map(|_| office.account("slack:T1/UBO"))).await;
    for account in accounts {
        assert!(matches!(account.state, AccountState::Barred(NoStanding::Unreadable(_))), "{account:?}");
    }
    assert_eq!(office.asked(), 1, "who waited shares the answer");
    assert_eq!(office.at_hand("slack:T1/UBO"), None, "and nobody rests on it");
    office.account("slack:T1/UBO").await;
    assert_eq!(office.asked(), 2);
}

#[tokio::test]
async fn slack_is_left_alone_when_it_asks_for_that() {
    let office = office(429, json!({})).await;
    for _ in 0..3 {
        let account = office.account("slack:T1/UBO").await;
        assert!(matches!(account.state, AccountState::Barred(NoStanding::Unreadable(_))));
    }
    assert_eq!(office.asked(), 1);
    office.clock.passes(UNNAMED_PAUSE);
    office.account("slack:T1/UBO").await;
    assert_eq!(office.asked(), 2);
}

/// R17: who is deactivated, a guest, a bot, or from another workspace does not count, each under its name.
#[tokio::test]
async fn every_kind_of_account_is_told() {
    let barred = AccountState::Barred;
    for (user, expected) in [
        (json!({ "team_id": "T1" }), AccountState::Active),
        (json!({ "team_id": "T1", "deleted": true }), barred(NoStanding::Deactivated)),
        (json!({ "team_id": "T1", "is_bot": true }), barred(NoStanding::Bot)),
        (json!({ "team_id": "T1", "is_app_user": true }), barred(NoStanding::Bot)),
        (json!({ "team_id": "T1", "is_workflow_bot": true }), barred(NoStanding::Bot)),
        (json!({ "team_id": "T1", "is_restricted": true }), barred(NoStanding::Guest)),
        (json!({ "team_id": "T1", "is_ultra_restricted": true }), barred(NoStanding::Guest)),
        (json!({ "team_id": "T1", "is_stranger": true }), barred(NoStanding::Foreign)),
        (json!({ "team_id": "T2" }), barred(NoStanding::Foreign)),
    ] {
        let office = office(200, user).await;
        assert_eq!(office.account("slack:T1/UBO").await.state, expected);
    }
    let strange = office(200, json!({ "team_id": "T1", "id": "UOTHER" })).await;
    let account = strange.account("slack:T1/UBO").await;
    assert!(matches!(account.state, AccountState::Barred(NoStanding::Unreadable(_))), "{account:?}");
}

#[tokio::test]
async fn another_workspace_is_foreign_without_asking() {
    let office = office(200, json!({ "team_id": "T1" })).await;
    for other in ["slack:T2/UBO", "slack:E1/UBO", "matrix:x/bo"] {
        assert_eq!(office.account(other).await.state, AccountState::Barred(NoStanding::Foreign), "{other}");
        assert_eq!(office.at_hand(other).unwrap().state, AccountState::Barred(NoStanding::Foreign));
    }
    assert_eq!(office.asked(), 0);
}

/// A directory over a Slack that says this of every group.
async fn groups(status: u16, body: Value) -> Office {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let answer = move |method: &str, form: Bytes| {
        assert_eq!(method, "usergroups.users.list");
        assert_eq!(&form[..], b"usergroup=SADMINS&team_id=T1");
        count.fetch_add(1, Ordering::SeqCst);
        (StatusCode::from_u16(status).unwrap(), axum::Json(body.clone())).into_response()
    };
    let clock = StandingClock::new();
    let home = Home { team_id: "T1".into(), enterprise_id: None };
    let directory = SlackDirectory::new(stand_in(answer).await, home, clock.clone());
    Office { directory, clock, asked }
}

impl Office {
    async fn members(&self) -> Members {
        self.directory.members(&"slack:T1/SADMINS".parse().unwrap(), AGE).await
    }

    fn members_at_hand(&self) -> Option<Members> {
        self.directory.members_at_hand(&"slack:T1/SADMINS".parse().unwrap(), AGE)
    }
}

/// R17: who is in a user group is asked once, and kept for as long as it may be old.
#[tokio::test]
async fn who_is_in_a_group_is_kept_for_as_long_as_it_may_be_old() {
    let office = groups(200, json!({ "ok": true, "users": ["UBO", "W2CHEN"] })).await;
    assert_eq!(office.members_at_hand(), None);
    let first = join_all((0..20).map(|_| office.members())).await.remove(0);
    let expected = ["slack:T1/UBO", "slack:T1/W2CHEN"].map(|text| text.parse().unwrap());
    assert_eq!(first.members, Ok(expected.into()));
    assert_eq!(office.asked(), 1, "many who ask at once ask once");
    office.clock.passes(AGE);
    assert_eq!(office.members_at_hand(), Some(first.clone()));
    office.clock.passes(Ttl::from_millis(1));
    assert_eq!(office.members_at_hand(), None);
    assert_eq!(office.members().await.as_of, office.clock.now(), "dated by when it was asked");
    assert_eq!(office.asked(), 2);
    office.directory.forget_group("SADMINS");
    assert_eq!(office.members_at_hand(), None);
}

/// R17: a group that cannot be read is an error with what to do, never an empty one; nobody rests on it.
#[tokio::test]
async fn a_group_that_cannot_be_read_is_not_empty() {
    for (status, body, why) in [
        (200, json!({ "ok": false, "error": "no_such_subteam" }), "or it is disabled"),
        (200, json!({ "ok": false, "error": "plan_upgrade_required" }), "plan"),
        (
            200,
            json!({ "ok": false, "error": "missing_scope", "needed": "usergroups:read" }),
            "usergroups:read",
        ),
        (200, json!({ "ok": true }), "does not answer"),
        (200, json!({ "ok": true, "users": ["UBO", 7] }), "does not answer"),
        (200, json!({ "ok": true, "users": ["UBO", ""] }), "cannot be understood"),
        (500, json!({}), "does not answer"),
    ] {
        let office = groups(status, body.clone()).await;
        let members = office.members().await.members;
        assert!(members.as_ref().is_err_and(|said| said.contains(why)), "{body}: {members:?}");
        assert_eq!(office.members_at_hand(), None);
        office.members().await.members.unwrap_err();
        assert_eq!(office.asked(), 2, "the next one asks again");
    }
    let office = groups(200, json!({ "ok": true, "users": [] })).await;
    assert_eq!(office.members().await.members, Ok(BTreeSet::new()), "an empty group is one too");
}

/// R17: limits are per method; a group of another workspace is nothing that this token can read.
#[tokio::test]
async fn groups_are_asked_no_faster_than_slack_wants() {
    let office = groups(429, json!({})).await;
    for _ in 0..3 {
        office.members().await.members.unwrap_err();
    }
    assert_eq!(office.asked(), 1);
    office.clock.passes(UNNAMED_PAUSE);
    office.members().await.members.unwrap_err();
    assert_eq!(office.asked(), 2);
    let foreign = office.directory.members(&"slack:T2/SADMINS".parse().unwrap(), AGE).await;
    assert_eq!(foreign.members, Err("it belongs to another workspace".to_owned()));
    assert_eq!(office.asked(), 2);
}
