//! The chapters: together they visit every boundary there is.

use std::sync::Arc;

use placet::approval::{
    Actor, Addressee, Approval, Command, Decision, Order, Outcome, OutcomeKind, Replaces, Status,
};
use placet::card::row::CardStep;
use placet::hold::{Hold, HoldScope};
use placet::inbound::Act;
use placet::notice::{Lost, Unreached};
use placet::policy::{Level, Tier, Verdict};
use placet::ports::{OutboxStep, StoreError};
use placet::record::EventKind;
use placet::time::Ttl;

use super::Story;
use crate::fixture::*;
use crate::remembered::{all, forgotten};
use crate::rest::{credential, run};
use crate::standing::{hold, lifted};
use crate::tasks::{leased_to, slack, task};

impl Story {
    pub(super) async fn people(&mut self) {
        let opening = self.desk.escalating("life", 2);
        let approval = self.opens("life", opening).await;
        let showing = self.desk.showing();
        self.does(&approval, showing).await;
        let mut inbound =
            self.desk.inbound(&approval, "slack:1", Act::Vote(ballot("alice", Decision::Approve)));
        inbound.message = Some(self.desk.located("copy"));
        self.go(async |store| store.deliver(inbound.clone()).await).await.unwrap();
        let voting = Order::of(inbound, facts(&self.desk, &["alice", "bob"]));
        self.orders(voting).await;
        self.does(&approval, Command::TakeBack { identity: account("alice"), sign: None }).await;
        self.does(&approval, Command::Escalate { step: 1 }).await;
        let cards = self.go(async |store| store.cards_of(&acme(), approval.id).await).await.unwrap();
        assert_eq!(cards.len(), 2, "where it was, and where those are who are asked as well");
        let (identity, to, text) = (account("bob"), Addressee::Agent, "why?".to_owned());
        self.does(&approval, Command::Ask { identity, to, text, surface: Some(slack()) }).await;
        let lost = Lost {
            notice: "escalated".to_owned(),
            to: Unreached::Account(account("bob")),
            name: None,
            why: "account_inactive".to_owned(),
            question: None,
        };
        self.does(&approval, Command::GiveUp(lost)).await;
        let answer = Command::Answer { by: Actor::Placet, question: Some(1), text: "so".to_owned() };
        self.does(&approval, answer).await;
        self.does(&approval, Command::Look { identity: account("bob") }).await;
        self.does(&approval, Command::Vote(ballot("alice", Decision::Approve))).await;
        self.does(&approval, Command::Vote(ballot("bob", Decision::Approve))).await;
        let claim = self.desk.claim(&approval);
        self.does(&approval, Command::Claim(claim.clone())).await;
        self.desk.setting.clock.passes(Ttl::from_secs(40));
        self.does(&approval, Command::Heartbeat { claim: claim.id, key: KEY.to_owned() }).await;
        self.does(&approval, Command::Revoke { by: Actor::Placet, reason: None }).await;
        self.desk.setting.clock.passes(Ttl::from_secs(90));
        self.does(&approval, Command::Tick).await;
        let outcome = Outcome { kind: OutcomeKind::Succeeded, result: None, error: None, duration_ms: None };
        let reason = "I looked".to_owned();
        let settled = self.does(&approval, Command::Settle { by: Actor::Placet, outcome, reason }).await;
        assert_eq!(settled.approval.status(), Status::Executed);
    }

    pub(super) async fn verdicts(&mut self) {
        let mut opening = self.desk.harmless("auto");
        let digest = opening.proposal.call.digest(&acme());
        let asked = self.asks("asked", 1).await;
        let mut claim = self.desk.claim(&asked);
        claim.digest = digest;
        opening.claim = Some(claim.clone());
        let approval = self.opens("auto", opening).await;
        let report = self.desk.report(claim.id);
        self.does(&approval, report).await;
        let forbid = Command::Forbid { verdict: verdict(Tier::Forbid, None) };
        let opening = self.desk.opening("forbidden", forbid);
        self.opens("forbidden", opening).await;
        let asked = verdict(Tier::Approve, Some(terms(1, Vec::new())));
        let cannot = Command::CannotAsk { verdict: asked, why: "nobody".to_owned() };
        let opening = self.desk.opening("unasked", cannot);
        self.opens("unasked", opening).await;

        let denied = self.asks("denied", 1).await;
        self.does(&denied, Command::Vote(ballot("alice", Decision::Deny))).await;
        let withdrawn = self.asks("withdrawn", 1).await;
        self.does(&withdrawn, Command::Withdraw { by: Actor::Placet }).await;
        let superseded = self.asks("superseded", 1).await;
        self.does(&superseded, Command::Supersede { by: denied.id, identity: account("alice") }).await;
        let rejudged = self.asks("rejudged", 1).await;
        let stricter = Verdict { level: Level::Critical, ..(*verdict(Tier::Forbid, None)).clone() };
        self.does(&rejudged, Command::Rejudge { verdict: Arc::new(stricter) }).await;
        let old = self.asks("old", 1).await;
        let mut edit = self.desk.risky("edit", 1);
        let facts = facts(&self.desk, &["alice"]);
        edit.replaces = Some(Replaces { request: old.id, identity: account("alice"), facts });
        self.opens("edit", edit).await;
        self.does(&denied, Command::AskAnew { identity: account("alice") }).await;
        let again = Command::DenyAgain {
            verdict: verdict(Tier::Approve, Some(terms(1, vec![ops()]))),
            earlier: denied.id,
            reason: None,
        };
        let opening = self.desk.opening("denied", again);
        self.opens("denied again", opening).await;
        let broken = self.asks("broken", 2).await;
        self.does(&broken, breaks_glass("admin")).await;
        self.does(&broken, Command::Review { identity: account("alice"), note: None }).await;
    }

    /// One request stands on another's card until that is over; a yes is remembered, used, and taken back.
    pub(super) async fn company(&mut self) {
        let leader = self.asks("leader", 1).await;
        let joining = self.desk.guarded(self.desk.risky("leader", 1), 60);
        let follower = self.opens("follower", joining).await;
        assert_eq!(follower.shares, Some(leader.id));
        self.does(&leader, Command::Withdraw { by: Actor::Placet }).await;
        let told = self.go(async |store| store.undone(9).await).await.unwrap();
        let [told] = &told[..] else { panic!("{told:?}") };
        let following = Order::of(told.clone(), facts(&self.desk, &["alice"]));
        self.orders(following).await;
        let cards = self.go(async |store| store.cards_of(&acme(), follower.id).await).await.unwrap();
        assert_eq!(cards.len(), 1, "a card of its own now");

        let first = self.opens("gathering", self.desk.gathering("gathering")).await;
        let part = self.opens("gathered", self.desk.gathering("gathered")).await;
        assert_eq!(part.gathered_on, Some(first.id));
        self.does(&part, Command::Withdraw { by: Actor::Placet }).await;
        let told = self.go(async |store| store.undone(9).await).await.unwrap();
        let [told] = &told[..] else { panic!("{told:?}") };
        self.orders(Order::of(told.clone(), facts(&self.desk, &[]))).await;

        let opening = self.desk.offered("remembered");
        let approval = self.opens("remembered", opening).await;
        let showing = self.desk.showing();
        self.does(&approval, showing).await;
        let yes = self.desk.remembering();
        self.does(&approval, yes).await;
        let opening = self.desk.recalled("recalled", approval.id);
        let recalled = self.opens("recalled", opening).await;
        assert_eq!(recalled.status(), Status::Approved);
        let taken_back = forgotten(&self.desk);
        // False where it was forgotten, and the answer was lost.
        self.go(async |store| store.forget(&acme(), approval.id, taken_back.clone()).await).await.unwrap();
        let forget = Command::Forget { scope: approval.id, by: Actor::Placet, name: None, reason: None };
        self.does(&recalled, forget).await;
        let kept = self.go(async |store| store.remembered(all()).await).await.unwrap();
        assert_eq!(kept.iter().map(|kept| kept.forgotten.is_some()).collect::<Vec<_>>(), [true], "once");
    }

    pub(super) async fn cards(&mut self) {
        let opening = self.desk.risky("card", 2);
        let approval = self.opens("card", opening).await;
        let showing = self.desk.showing();
        let first = self.desk.attempt(approval.revision);
        self.moves(&approval, showing.clone(), CardStep::Begin(first.clone())).await;
        let retry = CardStep::Retry { attempt: first.id, at: self.desk.now(), sure: false };
        self.moves(&approval, Command::Tick, retry).await;
        self.moves(&approval, Command::Tick, CardStep::Forget { attempt: first.id }).await;
        let busy = self.desk.attempt(approval.revision);
        self.moves(&approval, showing.clone(), CardStep::Begin(busy.clone())).await;
        let wait = CardStep::Wait { attempt: busy.id, at: self.desk.now() };
        self.moves(&approval, Command::Tick, wait).await;
        let second = self.desk.attempt(approval.revision);
        self.moves(&approval, showing.clone(), CardStep::Begin(second.clone())).await;
        let done = CardStep::Done { attempt: second.id, message: message("card") };
        let delivered = self.desk.delivered();
        self.moves(&approval, delivered, done).await;
        let voted = self.does(&approval, Command::Vote(ballot("alice", Decision::Approve))).await.approval;
        let mut third = self.desk.attempt(voted.revision);
        third.edits = Some(message("card"));
        self.moves(&approval, showing, CardStep::Begin(third.clone())).await;
        self.go(async |store| store.take_over().await).await.unwrap();
        let gone = CardStep::Gone { attempt: third.id, message: message("card") };
        self.moves(&approval, Command::Tick, gone).await;
        self.moves(&approval, Command::Tick, CardStep::GiveUp { why: "gone".to_owned() }).await;
    }

    pub(super) async fn messages(&mut self) {
        let approval = self.asks("refused", 1).await;
        for name in ["viewer", "mallory", "requester", "alice2"] {
            let command = Command::Vote(ballot(name, Decision::Approve));
            let mut order = Order::new(acme(), approval.id, command, facts(&self.desk, &["alice"]));
            order.reply = Some(self.desk.reply(name));
            assert!(self.orders(order).await.result.is_err());
        }
        let mut steps = vec![
            OutboxStep::Dropped("gone".to_owned()),
            OutboxStep::Retry(self.desk.now()),
            OutboxStep::Sent,
            OutboxStep::Split(Vec::new()),
        ];
        while let Some(step) = steps.pop() {
            let taken = loop {
                let (now, until) = (self.desk.now(), self.desk.now() + Ttl::from_secs(30));
                let taken = self.go(async |store| store.take_messages(now, until, 1).await).await.unwrap();
                match taken.into_iter().next() {
                    Some(row) => break row,
                    // The lease of an answer that was lost.
                    None => self.desk.setting.clock.passes(Ttl::from_secs(30)),
                }
            };
            self.go(async |store| store.message_done(taken.id, step.clone()).await).await.unwrap();
        }
    }

    pub(super) async fn rest(&mut self) {
        let kind = EventKind::PolicyLoaded {
            label: "1".to_owned(),
            digest: placet::call::PolicyDigest::of(b"p"),
            text: "text".to_owned(),
            tenant_text: None,
            by: None,
            changes: Vec::new(),
        };
        self.go(async |store| store.note(acme(), kind.clone()).await).await.unwrap();
        let approval = self.asks("asked", 1).await;
        let inbound = self.desk.inbound(
            &approval,
            "slack:lost",
            Act::TakeBack { identity: account("alice"), sign: None },
        );
        self.go(async |store| store.deliver(inbound.clone()).await).await.unwrap();
        self.go(async |store| store.discard(&inbound.delivery).await).await.unwrap();
        self.damages(&approval).await;
        let row = credential(&self.desk, "agent-key");
        match self.go(async |store| store.add_credential(row.clone()).await).await {
            Ok(()) => {}
            // It was written, and the answer was lost.
            Err(StoreError::Inconsistent { table: "credential", .. }) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(self.go(async |store| store.revoke_credential(&acme(), &row.id).await).await.unwrap());
        let saved = run(&self.desk, "r1");
        match self.go(async |store| store.save_run(saved.clone(), vec!["{}".to_owned()]).await).await {
            Ok(()) | Err(StoreError::RunMoved) => {}
            Err(error) => panic!("{error}"),
        }
        let told =
            self.go(async |store| store.session_events(&acme(), &saved.session, 0, 9).await).await.unwrap();
        assert_eq!(told.len(), 1, "once");
        let given = task(&self.desk, "slack:task");
        let (lease, other) = (leased_to(&self.desk, 1), leased_to(&self.desk, 2));
        // None where it was written, and the answer was lost.
        self.go(async |store| store.take_task(given.clone(), lease).await).await.unwrap();
        let keys = vec![given.delivery.clone()];
        self.go(async |store| store.renew_tasks(keys.clone(), lease).await).await.unwrap();
        self.go(async |store| store.let_go_of_tasks(lease.by).await).await.unwrap();
        self.go(async |store| store.adopt_tasks(&slack(), other, 9).await).await.unwrap();
        let adopted = self.go(async |store| store.adopt_tasks(&slack(), lease, 9).await).await.unwrap();
        assert_eq!(adopted, [], "once");
        let open = self.go(async |store| store.open_tasks(&slack(), 9).await).await.unwrap();
        let [mut row] = <[_; 1]>::try_from(open).unwrap();
        row.state.done = true;
        match self.go(async |store| store.save_task(row.clone()).await).await {
            Ok(()) | Err(StoreError::RunMoved) => {}
            Err(error) => panic!("{error}"),
        }
        let open = self.go(async |store| store.open_tasks(&slack(), 9).await).await.unwrap();
        assert_eq!(open, [], "once");
        let digest = crate::digests::row(&self.desk, "2026-11-30");
        let told = vec![crate::digests::message(digest.until)];
        // False where it was written, and the answer was lost.
        self.go(async |store| store.keep_digest(digest.clone(), told.clone()).await).await.unwrap();
        let digests = self.go(async |store| store.digests().await).await.unwrap();
        assert_eq!(digests, [(acme(), Some(digest))], "once");
        let held = hold(&self.desk, None, HoldScope::All);
        let held = self.go(async |store| store.hold(held.clone()).await).await.unwrap();
        // Once less where it was drawn, and the answer was lost.
        while self.go(async |store| store.redraw_held(9).await).await.unwrap() > 0 {}
        let ended = lifted(&self.desk);
        // False where it was lifted, and the answer was lost.
        self.go(async |store| store.lift(None, held.id, ended.clone()).await).await.unwrap();
        let all = self.go(async |store| store.holds(every_hold(9)).await).await.unwrap();
        assert_eq!(all.iter().map(Hold::stands).collect::<Vec<_>>(), [false], "placed once, lifted once");
        // Long after, what is of no more use goes.
        self.desk.setting.clock.passes(Ttl::from_mins(4 * 24 * 60));
        self.go(async |store| store.note(acme(), kind.clone()).await).await.unwrap();
    }

    /// Somebody's hand spoils a delivery and a card; both are set aside.
    async fn damages(&mut self, approval: &Approval) {
        let act = Act::TakeBack { identity: account("alice"), sign: None };
        let inbound = self.desk.inbound(approval, "slack:spoilt", act);
        self.go(async |store| store.deliver(inbound.clone()).await).await.unwrap();
        let raw = rusqlite::Connection::open(self.engine.path()).unwrap();
        raw.execute_batch("UPDATE inbox SET body = '{}' WHERE done_at IS NULL").unwrap();
        let before: String = raw.query_row("SELECT body FROM card", [], |row| row.get(0)).unwrap();
        raw.execute_batch("UPDATE card SET body = '{}'").unwrap();
        assert!(self.go(async |store| store.undone(9).await).await.unwrap().is_empty());
        let now = self.desk.now();
        assert!(self.go(async |store| store.cards_due(now, 9).await).await.unwrap().is_empty());
        raw.execute("UPDATE card SET body = ?1, due_at = ?2", rusqlite::params![before, now.as_millis()])
            .unwrap();
    }
}
