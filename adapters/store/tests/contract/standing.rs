//! What stands beside the requests: holds. A claim looks at them inside its own transaction.

use std::sync::Arc;

use placet::approval::{Actor, Approval, ClaimOrder, Command, Decision, Facts, Refusal, State, Status};
use placet::hold::{Hold, HoldScope, Lifted};
use placet::id::{AgentId, HoldId, RunId, TenantId};
use placet::notice::{Notice, Recipient};
use placet::ports::{EventQuery, HoldQuery};
use placet::record::{EventKind, Seq};
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

pub(crate) fn hold(desk: &Desk, tenant: Option<TenantId>, scope: HoldScope) -> Hold {
    Hold {
        id: HoldId::mint(desk.now(), &*desk.setting.entropy),
        tenant,
        scope,
        by: Actor::Account(account("admin")),
        name: Some("Ada".to_owned()),
        reason: "it went wild".to_owned(),
        since: desk.now(),
        lifted: None,
    }
}

pub(crate) fn lifted(desk: &Desk) -> Lifted {
    Lifted { by: Actor::Placet, name: None, at: desk.now() }
}

fn cleaner() -> AgentId {
    AgentId::new("cleaner").unwrap()
}

fn run_1() -> HoldScope {
    HoldScope::Run { agent: cleaner(), run: RunId::new("run-1").unwrap() }
}

impl Desk {
    /// A request that people said yes to.
    pub(crate) async fn approves(&self, tag: &str) -> Approval {
        let approval = self.asks(tag, 1).await;
        let yes = Command::Vote(ballot("alice", Decision::Approve));
        self.does(&approval, yes, facts(self, &["alice"])).await.approval
    }

    /// What a claim of it is answered with.
    async fn claims(&self, approval: &Approval) -> Result<(), Refusal> {
        let claim = Command::Claim(self.claim(approval));
        self.does(approval, claim, facts(self, &["alice"])).await.result.map(|_| ())
    }

    /// The types of a tenant's own events, those of no request.
    async fn told(&self, tenant: &str) -> Vec<&'static str> {
        let query = EventQuery {
            tenant: Some(crate::fixture::tenant(tenant)),
            request: None,
            after: Seq(0),
            types: Vec::new(),
            limit: 100,
        };
        let events = self.store.events(query).await.unwrap().into_iter();
        events.filter(|(_, event)| event.request.is_none()).map(|(_, event)| event.kind.name()).collect()
    }
}

contract! {
    /// R44: whatever was approved, nothing that a hold covers is claimed until it is lifted; everything else is.
    a_hold_keeps_what_it_covers_from_being_claimed(desk) {
        let covering = [HoldScope::All, HoldScope::Agent(cleaner()), HoldScope::Tool("deploy".to_owned()), run_1()];
        for (number, scope) in covering.into_iter().enumerate() {
            for whose in [Some(acme()), None] {
                let approval = desk.approves(&format!("v{number}")).await;
                let placed = desk.store.hold(hold(&desk, whose.clone(), scope.clone())).await.unwrap();
                let reason = "it went wild".to_owned();
                assert_eq!(desk.claims(&approval).await, Err(Refusal::Held { reason }), "{scope:?} {whose:?}");
                assert!(desk.store.lift(whose.as_ref(), placed.id, lifted(&desk)).await.unwrap());
                assert_eq!(desk.claims(&approval).await, Ok(()), "{scope:?} {whose:?}");
                desk.must_rebuild(&approval).await;
            }
        }
        let others = [
            hold(&desk, Some(acme()), HoldScope::Agent(AgentId::new("cleaner2").unwrap())),
            hold(&desk, Some(acme()), HoldScope::Tool("prod/deploy".to_owned())),
            hold(&desk, Some(acme()), HoldScope::Run { agent: cleaner(), run: RunId::new("run-2").unwrap() }),
            hold(&desk, Some(tenant("globex")), HoldScope::All),
        ];
        for other in others {
            desk.store.hold(other).await.unwrap();
        }
        let approval = desk.approves("v42").await;
        assert_eq!(desk.claims(&approval).await, Ok(()), "never 4: a hold of another tenant is nothing to this one");
    }

    /// R44, R1: what the policy lets run unasked is not claimed either, and the request is not lost.
    a_hold_stops_what_runs_unasked_and_keeps_the_request(desk) {
        let placed = desk.store.hold(hold(&desk, Some(acme()), HoldScope::All)).await.unwrap();
        let mut opening = desk.harmless("v42");
        let digest = opening.proposal.call.digest(&acme());
        let order = desk.claim(&desk.opens(desk.harmless("other")).await);
        opening.claim = Some(ClaimOrder { digest, ..order });
        let approval = desk.opens(opening).await;
        assert_eq!(approval.status(), Status::Approved);
        let record = names(&desk.record_of(&approval).await);
        assert_eq!(record, ["tool.proposed", "policy.checking", "policy.checked", "approval.bypassed_blocked"]);
        desk.must_rebuild(&approval).await;
        assert!(desk.store.lift(Some(&acme()), placed.id, lifted(&desk)).await.unwrap());
        assert_eq!(desk.claims(&approval).await, Ok(()));
    }

    /// R44: the same is held once; the operators are told once, and the record tells who began and who ended it.
    the_same_hold_is_one(desk) {
        desk.opens(desk.harmless("v1")).await;
        let first = desk.store.hold(hold(&desk, Some(acme()), run_1())).await.unwrap();
        desk.setting.clock.passes(Ttl::from_secs(5));
        assert_eq!(desk.store.hold(hold(&desk, Some(acme()), run_1())).await.unwrap(), first);
        let other = desk.store.hold(hold(&desk, None, run_1())).await.unwrap();
        assert_ne!(other.id, first.id, "everybody's is another");
        let until = desk.now() + Ttl::from_secs(30);
        let messages = desk.store.take_messages(desk.now(), until, 10).await.unwrap();
        assert_eq!(messages.len(), 2);
        let message = &messages[0].message;
        assert_eq!((&message.tenant, &message.to), (&acme(), &Recipient::Operators));
        let what = "calls of the run run-1 of the agent cleaner".to_owned();
        assert_eq!(message.notice, Notice::Held { what, reason: "it went wild".to_owned() });
        desk.setting.clock.passes(Ttl::from_secs(5));
        assert!(desk.store.lift(Some(&acme()), first.id, lifted(&desk)).await.unwrap());
        assert!(!desk.store.lift(Some(&acme()), first.id, lifted(&desk)).await.unwrap(), "once");
        assert_eq!(desk.told("acme").await, ["stop.placed", "stop.placed", "stop.lifted"]);
        // Asked again with the same id, after an answer that was lost: it is not placed a second time.
        let again = desk.store.hold(first.clone()).await.unwrap();
        assert_eq!((again.id, again.stands()), (first.id, false));
        let next = desk.store.hold(hold(&desk, Some(acme()), run_1())).await.unwrap();
        assert!(next.id != first.id && next.stands(), "what was lifted can be held again");
    }

    /// R19, R44: a tenant sees its own holds and the installation's, and lifts only its own.
    holds_are_a_tenants_own(desk) {
        desk.opens(desk.harmless("v1")).await;
        let mut foreign = desk.harmless("v1");
        foreign.tenant = tenant("globex");
        desk.opens(foreign).await;
        let mut placed = Vec::new();
        for whose in [Some(acme()), Some(tenant("globex")), None] {
            desk.setting.clock.passes(Ttl::from_secs(1));
            placed.push(desk.store.hold(hold(&desk, whose, HoldScope::All)).await.unwrap());
        }
        let [acmes, globexs, everybodys] = &placed[..] else { panic!("three") };
        let holds = async |tenant: Option<&TenantId>, only_standing, limit| {
            let query = HoldQuery { tenant: tenant.cloned(), only_standing, before: None, limit };
            desk.store.holds(query).await.unwrap()
        };
        let next = HoldQuery { before: Some(everybodys.id), ..every_hold(1) };
        assert_eq!(desk.store.holds(next).await.unwrap(), std::slice::from_ref(globexs), "the page after that");
        assert_eq!(holds(Some(&acme()), true, 10).await, [everybodys.clone(), acmes.clone()]);
        assert_eq!(holds(None, true, 10).await.len(), 3);
        assert_eq!(holds(None, true, 1).await, std::slice::from_ref(everybodys), "newest first");
        for id in [globexs.id, everybodys.id] {
            assert!(!desk.store.lift(Some(&acme()), id, lifted(&desk)).await.unwrap());
        }
        assert!(!desk.store.lift(None, HoldId::mint(desk.now(), &*desk.setting.entropy), lifted(&desk)).await.unwrap());
        assert!(desk.store.lift(None, everybodys.id, lifted(&desk)).await.unwrap());
        assert_eq!(holds(Some(&acme()), true, 10).await, std::slice::from_ref(acmes));
        let all = holds(Some(&acme()), false, 10).await;
        assert_eq!(all.iter().map(Hold::stands).collect::<Vec<_>>(), [false, true]);
        assert_eq!(desk.told("acme").await, ["stop.placed", "stop.placed", "stop.lifted"]);
        assert_eq!(desk.told("globex").await, ["stop.placed", "stop.placed", "stop.lifted"]);
        let record = desk.record().await;
        let told = record.iter().filter(|(_, event)| matches!(&event.kind, EventKind::HoldPlaced { hold } if hold.id == globexs.id));
        assert_eq!(told.map(|(_, event)| event.tenant.clone()).collect::<Vec<_>>(), [tenant("globex")]);
    }

    /// R35, R44: a hold of everybody is told also where nobody has a record yet: in the installation's own.
    a_hold_of_everybody_is_told_where_nobody_has_a_record(desk) {
        let placed = desk.store.hold(hold(&desk, None, HoldScope::All)).await.unwrap();
        assert!(desk.store.lift(None, placed.id, lifted(&desk)).await.unwrap());
        let installation = TenantId::installation();
        assert_eq!(desk.told(installation.as_str()).await, ["stop.placed", "stop.lifted"]);
        let until = desk.now() + Ttl::from_secs(30);
        let messages = desk.store.take_messages(desk.now(), until, 10).await.unwrap();
        assert_eq!(messages.len(), 0, "nobody is there to be told");
        // From then on it is told there beside everybody else's.
        desk.opens(desk.harmless("v1")).await;
        desk.store.hold(hold(&desk, None, HoldScope::All)).await.unwrap();
        assert_eq!(desk.told(installation.as_str()).await, ["stop.placed", "stop.lifted", "stop.placed"]);
        assert_eq!(desk.told("acme").await, ["stop.placed"]);
    }

    /// R44: once it is placed no claim is committed, however many are on their way.
    no_claim_comes_after_a_hold(desk) {
        let mut approved = Vec::new();
        for number in 0..24 {
            approved.push(desk.approves(&format!("v{number}")).await);
        }
        let mut tasks = Vec::new();
        for (number, approval) in approved.iter().enumerate() {
            let (store, approval, claim) = (Arc::clone(&desk.store), approval.clone(), desk.claim(approval));
            let facts = facts(&desk, &["alice"]);
            let placed = (number == 12).then(|| hold(&desk, Some(acme()), HoldScope::All));
            tasks.push(tokio::spawn(async move {
                if let Some(placed) = placed {
                    store.hold(placed).await.unwrap();
                }
                let order = placet::approval::Order::new(acme(), approval.id, Command::Claim(claim), facts);
                store.execute(order).await.unwrap();
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let record = desk.record().await;
        let placed = record.iter().position(|(_, event)| event.kind.name() == "stop.placed").unwrap();
        assert!(record[placed..].iter().all(|(_, event)| event.kind.name() != "approval.claimed"));
        let claimed = record[..placed].iter().filter(|(_, event)| event.kind.name() == "approval.claimed").count();
        let mut executing = 0;
        for approval in &approved {
            desk.must_rebuild(approval).await;
            let stored = desk.store.load(&acme(), approval.id).await.unwrap();
            executing += usize::from(matches!(stored.state, State::Executing(_)));
        }
        assert_eq!(executing, claimed);
    }

    /// R29, R44: once a hold is there, and once it is lifted, the cards of what it covers and has not begun are due, a few at
    /// a time, each once; nobody else's are.
    the_cards_of_what_a_hold_covers_are_drawn_anew(desk) {
        let mut covered = Vec::new();
        for number in 0..5 {
            let approval = desk.posts(&format!("v{number}")).await;
            if number == 0 {
                let yes = Command::Vote(ballot("alice", Decision::Approve));
                desk.does(&approval, yes, facts(&desk, &["alice"])).await;
            }
            covered.push(approval.id);
        }
        let waits = desk.opens(desk.risky("not posted", 2)).await;
        let over = desk.posts("over").await;
        let no = Command::Vote(ballot("alice", Decision::Deny));
        desk.does(&over, no, facts(&desk, &["alice"])).await;
        assert_eq!(desk.store.redraw_held(2).await.unwrap(), 0, "there is no hold");
        let redraws = async || {
            let mut drawn = Vec::new();
            for id in covered.iter().chain([&waits.id, &over.id]) {
                drawn.push(desk.store.cards_of(&acme(), *id).await.unwrap()[0].redraws);
            }
            drawn
        };
        let elsewhere = [
            (Some(acme()), HoldScope::Agent(AgentId::new("cleaner2").unwrap())),
            (Some(acme()), HoldScope::Tool("prod/deploy".to_owned())),
            (Some(acme()), HoldScope::Run { agent: cleaner(), run: RunId::new("run-2").unwrap() }),
            (Some(tenant("globex")), HoldScope::All),
        ];
        for (whose, scope) in elsewhere {
            desk.store.hold(hold(&desk, whose, scope)).await.unwrap();
            while desk.store.redraw_held(2).await.unwrap() > 0 {}
        }
        assert_eq!(redraws().await, [0; 7], "no call of these");
        let covering = [HoldScope::All, HoldScope::Agent(cleaner()), HoldScope::Tool("deploy".to_owned()), run_1()];
        for (number, scope) in covering.into_iter().enumerate() {
            let whose = (number % 2 == 0).then(acme);
            let placed = desk.store.hold(hold(&desk, whose.clone(), scope.clone())).await.unwrap();
            assert!(desk.store.next_due().await.unwrap().is_some_and(|at| at <= desk.now()), "the worker is told");
            let mut looked_at = Vec::new();
            while let count @ 1.. = desk.store.redraw_held(4).await.unwrap() {
                looked_at.push(count);
            }
            assert_eq!(looked_at, [4, 2], "{scope:?}");
            let count = 2 * number as u64;
            assert_eq!(redraws().await, [[count + 1; 6].as_slice(), &[0]].concat(), "{scope:?}");
            // Lifted before all are drawn: all are, from the first on.
            assert!(desk.store.lift(whose.as_ref(), placed.id, lifted(&desk)).await.unwrap());
            assert_eq!(desk.store.redraw_held(4).await.unwrap(), 4);
            assert!(!desk.store.lift(whose.as_ref(), placed.id, lifted(&desk)).await.unwrap());
            assert_eq!((desk.store.redraw_held(4).await.unwrap(), desk.store.redraw_held(4).await.unwrap()), (2, 0));
            assert_eq!(redraws().await, [[count + 2; 6].as_slice(), &[0]].concat(), "{scope:?}");
        }
        for id in &covered {
            assert!(desk.store.cards_of(&acme(), *id).await.unwrap()[0].is_behind());
        }
    }

    /// A hold that names nothing it could cover is none.
    a_hold_of_a_tool_without_a_name_is_refused(desk) {
        assert!(desk.store.hold(hold(&desk, None, HoldScope::Tool(String::new()))).await.is_err());
        let facts = Facts::none(desk.now());
        let approval = desk.opens(desk.harmless("v1")).await;
        assert!(changed(&desk.does(&approval, Command::Claim(desk.claim(&approval)), facts).await));
    }
}
