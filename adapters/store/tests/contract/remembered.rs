//! Yeses that later calls run on. A claim looks inside its own transaction whether the one it rests on still stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use placet::approval::{
    Actor, Approval, ApprovedBy, Ballot, ClaimOrder, Command, Decision, Opening, Order, Refusal, State,
    Status,
};
use placet::id::{AgentId, RequestId, SessionId};
use placet::policy::{ArgPattern, RememberOffer, Tier, Verdict, Widening};
use placet::ports::RememberedQuery;
use placet::remembered::{Forgotten, Remembered};
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

const WITHIN: Ttl = Ttl::from_mins(60);

/// A verdict that offers to remember a yes for whatever is tagged.
fn offering() -> Arc<Verdict> {
    let widened = BTreeMap::from([("tag".to_owned(), Widening::Any)]);
    let pattern = ArgPattern::of(&proposal("v1").call.args, &widened).unwrap();
    let asked = verdict(Tier::Approve, Some(terms(1, vec![ops()])));
    Arc::new(Verdict { remember: Some(RememberOffer { pattern, within: WITHIN }), ..(*asked).clone() })
}

pub(crate) fn forgotten(desk: &Desk) -> Forgotten {
    Forgotten {
        by: Actor::Account(account("admin")),
        name: Some("Ada".to_owned()),
        reason: None,
        at: desk.now(),
    }
}

pub(crate) fn all() -> RememberedQuery {
    RememberedQuery { tenant: acme(), session: None, standing_at: None, before: None, limit: 10 }
}

impl Desk {
    /// A proposal of a session, with what the policy made of it.
    fn in_session(&self, tag: &str, judgement: Command) -> Opening {
        let mut opening = self.opening(tag, judgement);
        Arc::make_mut(&mut opening.proposal).session = Some(SessionId::new("s1").unwrap());
        opening
    }

    pub(crate) fn offered(&self, tag: &str) -> Opening {
        self.in_session(tag, Command::Require { verdict: offering() })
    }

    /// One that is to run on a remembered yes.
    pub(crate) fn recalled(&self, tag: &str, scope: RequestId) -> Opening {
        self.in_session(tag, Command::Recall { verdict: offering(), scope })
    }

    pub(crate) fn remembering(&self) -> Command {
        Command::Vote(Ballot { remember: true, ..ballot("alice", Decision::Approve) })
    }

    /// A yes that is remembered.
    pub(crate) async fn remembers(&self, tag: &str) -> Approval {
        let approval = self.opens(self.offered(tag)).await;
        self.shows(&approval).await;
        self.does(&approval, self.remembering(), facts(self, &["alice"])).await.approval
    }

    async fn claims_as_alice(&self, approval: &Approval) -> Result<(), Refusal> {
        let claim = Command::Claim(self.claim(approval));
        self.does(approval, claim, facts(self, &["alice"])).await.result.map(|_| ())
    }
}

contract! {
    /// R9: a remembered yes is kept in the commit of the vote, listed, and what looks alike runs on it.
    a_yes_is_remembered(desk) {
        let approval = desk.remembers("v1").await;
        let kept = desk.store.remembered(all()).await.unwrap();
        let [remembered] = &kept[..] else { panic!("{kept:?}") };
        assert_eq!((remembered.id, &remembered.by[..]), (approval.id, &[account("alice")][..]));
        assert_eq!(remembered.until, desk.now() + WITHIN);
        assert!(names(&desk.record_of(&approval).await).contains(&"approval.remembered"));
        let later = desk.opens(desk.recalled("v2", approval.id)).await;
        let State::Approved(approved) = &later.state else { panic!("{:?}", later.state) };
        assert!(matches!(&approved.by, ApprovedBy::Remembered { scope, .. } if *scope == approval.id));
        assert!(desk.store.cards_of(&acme(), later.id).await.unwrap().is_empty(), "nobody is asked");
        assert_eq!(desk.claims_as_alice(&later).await, Ok(()));
        for approval in [&approval, &later] {
            desk.must_rebuild(approval).await;
        }
        // What is not there is asked about: it never was, it is another tenant's, or its time is over.
        let unknown = desk.opens(desk.recalled("v3", later.id)).await;
        assert_eq!(unknown.status(), Status::WaitingApproval);
        let mut foreign = desk.recalled("v3", approval.id);
        foreign.tenant = tenant("globex");
        assert_eq!(desk.opens(foreign).await.status(), Status::WaitingApproval);
        desk.setting.clock.passes(WITHIN);
        let late = desk.opens(desk.recalled("v4", approval.id)).await;
        assert_eq!((late.status(), desk.store.cards_of(&acme(), late.id).await.unwrap().len()), (Status::WaitingApproval, 1));
    }

    /// R9, R1: what runs on it can be claimed in the commit that opens it.
    what_is_remembered_is_claimed_at_once(desk) {
        let approval = desk.remembers("v1").await;
        let mut opening = desk.recalled("v2", approval.id);
        let digest = opening.proposal.call.digest(&acme());
        opening.claim = Some(ClaimOrder { digest, ..desk.claim(&approval) });
        let stale = desk.opens(opening.clone()).await;
        assert_eq!(stale.status(), Status::Approved, "its givers' roles are not known: it is claimed by itself");
        (opening.id, opening.facts) = (desk.request_id(), facts(&desk, &["alice"]));
        let claimed = desk.opens(opening.clone()).await;
        assert_eq!(claimed.status(), Status::Executing);
        (opening.id, opening.facts) = (desk.request_id(), facts(&desk, &["bob"]));
        opening.facts.electorate.standings.insert(account("alice"), member("alice", "viewer"));
        let lapsed = desk.opens(opening).await;
        assert_eq!(lapsed.status(), Status::Approved, "who chose it lost the role");
        desk.must_rebuild(&lapsed).await;
    }

    /// R9, R25: taken back, it is worth nothing to what rests on it and is not spent yet.
    what_is_forgotten_is_claimed_no_more(desk) {
        let approval = desk.remembers("v1").await;
        let unspent = desk.opens(desk.recalled("v2", approval.id)).await;
        assert!(!desk.store.forget(&tenant("globex"), approval.id, forgotten(&desk)).await.unwrap(), "never 4");
        assert!(!desk.store.forget(&acme(), unspent.id, forgotten(&desk)).await.unwrap(), "there is none of that id");
        desk.setting.clock.passes(Ttl::from_secs(5));
        assert!(desk.store.forget(&acme(), approval.id, forgotten(&desk)).await.unwrap());
        assert!(!desk.store.forget(&acme(), approval.id, forgotten(&desk)).await.unwrap(), "once");
        assert_eq!(desk.claims_as_alice(&unspent).await, Err(Refusal::NoLongerRemembered));
        let kept = desk.store.remembered(all()).await.unwrap();
        assert_eq!(kept[0].forgotten.as_ref().unwrap().at, desk.now());
        let told = desk.record().await.into_iter().filter(|(_, event)| event.kind.name() == "approval.forgotten");
        assert_eq!(told.map(|(_, event)| (event.tenant, event.request)).collect::<Vec<_>>(), [(acme(), None)]);
        for approval in [&approval, &unspent] {
            desk.must_rebuild(approval).await;
        }
        assert_eq!(desk.opens(desk.recalled("v3", approval.id)).await.status(), Status::WaitingApproval);
        // What its own people said yes to is theirs.
        assert_eq!(desk.claims_as_alice(&approval).await, Ok(()));
    }

    /// R9: listed by session and by whether they stand, newest first, a tenant's own.
    remembered_yeses_are_listed(desk) {
        let first = desk.remembers("v1").await;
        desk.setting.clock.passes(Ttl::from_mins(30));
        let second = desk.remembers("v2").await;
        desk.store.forget(&acme(), second.id, forgotten(&desk)).await.unwrap();
        let listed = async |query: RememberedQuery| -> Vec<RequestId> {
            desk.store.remembered(query).await.unwrap().iter().map(|remembered: &Remembered| remembered.id).collect()
        };
        assert_eq!(listed(all()).await, [second.id, first.id]);
        assert_eq!(listed(RememberedQuery { limit: 1, ..all() }).await, [second.id]);
        assert_eq!(listed(RememberedQuery { before: Some(second.id), ..all() }).await, [first.id]);
        let standing = |after| RememberedQuery { standing_at: Some(first.opened_at + after), ..all() };
        assert_eq!(listed(standing(Ttl::from_mins(59))).await, [first.id]);
        assert!(listed(standing(WITHIN)).await.is_empty(), "until is exclusive");
        let of = |agent: &str, session: &str| RememberedQuery {
            session: Some((AgentId::new(agent).unwrap(), SessionId::new(session).unwrap())),
            ..all()
        };
        assert_eq!(listed(of("cleaner", "s1")).await, [second.id, first.id]);
        assert!(listed(of("cleaner", "s2")).await.is_empty() && listed(of("another", "s1")).await.is_empty());
        assert!(listed(RememberedQuery { tenant: tenant("globex"), ..all() }).await.is_empty());
    }

    /// R9, R25: once it is forgotten no claim that rests on it is committed, however many are on their way.
    no_claim_comes_after_it_is_forgotten(desk) {
        let approval = desk.remembers("v1").await;
        let mut tasks = Vec::new();
        for number in 0..24 {
            let unspent = desk.opens(desk.recalled(&format!("w{number}"), approval.id)).await;
            let order = Order::new(acme(), unspent.id, Command::Claim(desk.claim(&unspent)), facts(&desk, &["alice"]));
            let (store, scope) = (Arc::clone(&desk.store), approval.id);
            let forgotten = (number == 12).then(|| forgotten(&desk));
            tasks.push(tokio::spawn(async move {
                if let Some(forgotten) = forgotten {
                    assert!(store.forget(&acme(), scope, forgotten).await.unwrap());
                }
                store.execute(order).await.unwrap();
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let record = names(&desk.record().await.into_iter().map(|(_, event)| event).collect::<Vec<_>>());
        let forgotten = record.iter().position(|name| *name == "approval.forgotten").unwrap();
        assert!(!record[forgotten..].contains(&"approval.claimed"), "{record:?}");
        assert!(record[forgotten..].contains(&"approval.bypassed_blocked"));
    }
}
