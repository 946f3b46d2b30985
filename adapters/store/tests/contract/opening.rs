//! Proposals: one commit, one request per key, one open request per code.

use placet::approval::{Before, Command, Follows, Opened, Proposal, RunStep, Status};
use placet::id::{RunId, SessionId, StepId};
use placet::policy::Tier;
use placet::ports::{RequestQuery, StoreError};

use crate::contract;
use crate::fixture::*;

/// What makes it another proposal, though the call is the same.
const CHANGES: [fn(&mut Proposal); 10] = [
    |proposal| proposal.requester.identities.push(account("bob")),
    |proposal| proposal.session = Some(SessionId::new("s1").unwrap()),
    |proposal| {
        let (run, step) = (RunId::new("run-1").unwrap(), StepId::new("step-2").unwrap());
        proposal.run = Some(RunStep { run, step });
    },
    |proposal| proposal.task.push('!'),
    |proposal| proposal.reason.push('!'),
    |proposal| proposal.preview = Some("another".to_owned()),
    |proposal| proposal.if_denied = Some("another".to_owned()),
    |proposal| proposal.prompt_version = Some("another".to_owned()),
    |proposal| proposal.place = Some("another".to_owned()),
    |proposal| proposal.timeout = Some(placet::time::Ttl::from_secs(7)),
];

contract! {
    /// R21, R35: request, events and card row are one commit.
    a_risky_proposal_is_taken_in_whole(desk) {
        let approval = desk.opens(desk.risky("v42", 1)).await;
        assert_eq!(approval.status(), Status::WaitingApproval);
        assert_eq!(approval.version, 1);
        assert_eq!(desk.store.load(&acme(), approval.id).await.unwrap(), approval);
        let record = names(&desk.record_of(&approval).await);
        assert_eq!(record, ["tool.proposed", "policy.checking", "policy.checked", "approval.requested"]);
        let cards = desk.store.cards_of(&acme(), approval.id).await.unwrap();
        assert_eq!(cards.len(), 1);
        assert_eq!((&cards[0].place, cards[0].wanted), (&ops(), approval.revision));
        assert_eq!(desk.store.cards_due(desk.now(), 10).await.unwrap(), cards);
        desk.must_rebuild(&approval).await;
    }

    /// R1: what runs unasked is claimed in the same commit, and nobody gets a card.
    a_harmless_proposal_is_claimed_at_once(desk) {
        let mut opening = desk.harmless("v42");
        let digest = opening.proposal.call.digest(&acme());
        let order = desk.claim(&desk.opens(desk.harmless("other")).await);
        opening.claim = Some(placet::approval::ClaimOrder { digest, ..order });
        let approval = desk.opens(opening).await;
        assert_eq!(approval.status(), Status::Executing);
        assert!(desk.store.cards_of(&acme(), approval.id).await.unwrap().is_empty());
        desk.must_rebuild(&approval).await;
    }

    /// Two places get a card each; the same place twice gets one.
    each_place_gets_one_card(desk) {
        let places = vec![ops(), elsewhere(), ops()];
        let judgement = Command::Require { verdict: verdict(Tier::Approve, Some(terms(1, places))) };
        let approval = desk.opens(desk.opening("v42", judgement)).await;
        assert_eq!(desk.store.cards_of(&acme(), approval.id).await.unwrap().len(), 2);
    }

    /// A verdict that contradicts itself writes nothing.
    a_contradiction_writes_nothing(desk) {
        let judgement = Command::Require { verdict: verdict(Tier::Approve, None) };
        let opening = desk.opening("v42", judgement);
        let id = opening.id;
        assert!(matches!(desk.store.open(opening).await, Err(StoreError::Contradiction(_))));
        assert_eq!(desk.store.load(&acme(), id).await, Err(StoreError::NotFound));
        assert!(desk.record().await.is_empty());
    }

    /// R26: the same key is the same request; with another call, or anything else that differs, it is a conflict.
    the_same_key_is_the_same_request(desk) {
        let mut first = desk.risky("v42", 1);
        first.key = Some(key("k1"));
        let approval = desk.opens(first).await;
        let mut second = desk.risky("v42", 1);
        second.key = Some(key("k1"));
        assert!(matches!(desk.store.open(second).await.unwrap(), Opened::Same(same) if same == approval));
        let mut other = desk.risky("v43", 1);
        other.key = Some(key("k1"));
        let opened = desk.store.open(other).await.unwrap();
        assert!(matches!(opened, Opened::Conflict { digest } if digest == approval.digest));
        for change in CHANGES {
            let mut changed = desk.risky("v42", 1);
            changed.key = Some(key("k1"));
            change(std::sync::Arc::make_mut(&mut changed.proposal));
            let opened = desk.store.open(changed).await.unwrap();
            assert!(matches!(opened, Opened::Conflict { digest } if digest == approval.digest));
        }
        // What Placet itself finds out, and what a new policy calls people, is not the caller's.
        let mut known = desk.risky("v42", 1);
        known.key = Some(key("k1"));
        let proposal = std::sync::Arc::make_mut(&mut known.proposal);
        proposal.follows = Some(Follows { request: approval.id, how: Before::Unanswered });
        proposal.requester.shown_as = "the new cleaner".to_owned();
        assert!(matches!(desk.store.open(known).await.unwrap(), Opened::Same(_)));
        let mut elsewhere = desk.risky("v43", 1);
        elsewhere.tenant = tenant("globex");
        elsewhere.key = Some(key("k1"));
        assert!(matches!(desk.store.open(elsewhere).await.unwrap(), Opened::New(_)), "keys are a tenant's own");
        let all = desk.store.list(RequestQuery { limit: 10, ..RequestQuery::default() }).await.unwrap();
        assert_eq!(all.len(), 2);
    }

    /// R26: also when fifty ask at once.
    fifty_with_one_key_open_one_request(desk) {
        let mut tasks = Vec::new();
        for _ in 0..50 {
            let mut opening = desk.risky("v42", 1);
            opening.key = Some(key("k1"));
            let store = std::sync::Arc::clone(&desk.store);
            tasks.push(tokio::spawn(async move { store.open(opening).await.unwrap() }));
        }
        let (mut new, mut ids) = (0, std::collections::BTreeSet::new());
        for task in tasks {
            let (Opened::New(approval) | Opened::Same(approval)) = (match task.await.unwrap() {
                Opened::New(approval) => { new += 1; Opened::New(approval) }
                other => other,
            }) else { panic!("a conflict with itself") };
            ids.insert(approval.id);
        }
        assert_eq!((new, ids.len()), (1, 1));
    }

    /// Whoever lost the answer and has no key asks again with the same id.
    the_same_id_is_the_same_request(desk) {
        let opening = desk.risky("v42", 1);
        let approval = desk.opens(opening.clone()).await;
        assert!(matches!(desk.store.open(opening.clone()).await.unwrap(), Opened::Same(same) if same == approval));
        let mut other = opening.clone();
        other.proposal = proposal("v43");
        assert!(matches!(desk.store.open(other).await.unwrap(), Opened::Conflict { .. }));
        let mut foreign = opening;
        foreign.tenant = tenant("globex");
        assert_eq!(desk.store.open(foreign).await.unwrap_err(), StoreError::NotFound);
        assert_eq!(desk.record().await.len(), 4);
    }
}
