//! A proposal that changes another request in its own commit: it stands on that one's card, or takes its place.

use placet::approval::{Approval, Beside, Command, Decision, Opened, Opening, RevokedWhy, State, Status};
use placet::ports::StoreError;

use crate::contract;
use crate::fixture::*;

/// An edit of this request by somebody.
fn edit(desk: &Desk, of: &Approval, by: &str) -> Opening {
    let mut opening = desk.risky("edited", 1);
    let facts = Box::new(facts(desk, &["alice", "bob"]));
    opening.beside = Some(Beside::Replace { request: of.id, identity: account(by), facts });
    opening
}

contract! {
    /// R39: an edit is one commit: the new request is there, the old one is superseded by it, and its card says so.
    an_edit_takes_the_place_of_the_old_request(desk) {
        let old = desk.posts("v42").await;
        desk.does(&old, Command::Vote(ballot("bob", Decision::Approve)), facts(&desk, &["alice", "bob"])).await;
        let mut opening = edit(&desk, &old, "alice");
        opening.key = Some(key("k1"));
        let new = desk.opens(opening.clone()).await;
        assert_eq!((new.status(), new.votes.len()), (Status::WaitingApproval, 0), "votes start again");
        let stored = desk.store.load(&acme(), old.id).await.unwrap();
        let State::Revoked(revoked) = &stored.state else { panic!("{:?}", stored.state) };
        assert_eq!(revoked.why, RevokedWhy::Superseded { by: new.id });
        let card = &desk.store.cards_of(&acme(), old.id).await.unwrap()[0];
        assert!(card.is_behind() && card.wanted == stored.revision);
        for approval in [&old, &new] {
            desk.must_rebuild(approval).await;
        }
        // Asked again, with the key or with the id alone, it is that request.
        for key in [opening.key.clone(), None] {
            let again = desk.store.open(Opening { key, ..opening.clone() }).await.unwrap();
            assert!(matches!(again, Opened::Same(same) if same == new));
        }
    }

    /// R39, R17: where the old one cannot be replaced nothing is opened, and the attempt is on its record.
    a_refused_edit_opens_nothing(desk) {
        let old = desk.asks("v42", 1).await;
        let opening = edit(&desk, &old, "mallory");
        let id = opening.id;
        let opened = desk.store.open(opening).await.unwrap();
        let Opened::Refused { approval, refusal } = opened else { panic!("{opened:?}") };
        assert!(refusal.is_bypass(), "{refusal:?}");
        assert_eq!(*approval, desk.store.load(&acme(), old.id).await.unwrap());
        assert_eq!(approval.status(), Status::WaitingApproval);
        assert_eq!(desk.store.load(&acme(), id).await, Err(StoreError::NotFound));
        assert_eq!(names(&desk.record_of(&old).await).last(), Some(&"approval.bypassed_blocked"));
        desk.must_rebuild(&old).await;
        let yes = Command::Vote(ballot("alice", Decision::Approve));
        desk.does(&old, yes, facts(&desk, &["alice"])).await;
        let opened = desk.store.open(edit(&desk, &old, "alice")).await.unwrap();
        assert!(matches!(opened, Opened::Refused { .. }), "decided in between: {opened:?}");
    }

    /// Never 4: another tenant's request is not there to be replaced.
    an_edit_of_another_tenants_request_finds_nothing(desk) {
        let old = desk.asks("v42", 1).await;
        let mut opening = edit(&desk, &old, "alice");
        opening.tenant = tenant("globex");
        assert_eq!(desk.store.open(opening).await.unwrap_err(), StoreError::NotFound);
        assert_eq!(desk.store.load(&acme(), old.id).await.unwrap(), old);
    }
}
