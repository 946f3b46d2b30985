//! The store dies before and after every kind of commit there is. After each restart the same story goes on to the
//! same end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use placet::approval::{
    Actor, Approval, Beside, Command, Committed, Decision, Facts, Opened, Opening, Order, Outcome,
    OutcomeKind, Status,
};
use placet::card::row::{CardMove, CardStep};
use placet::hold::{Hold, HoldScope};
use placet::id::RequestId;
use placet::inbound::Act;
use placet::policy::{Level, Tier, Verdict};
use placet::ports::{EventQuery, OutboxStep, Store, StoreError};
use placet::record::{EventKind, Seq};
use placet::time::Ttl;
use placet_store::{BOUNDARIES, CommitPoint, CommitProbe, Moment, ProbeVerdict};

use crate::engine::{Engine, Setting, Sqlite};
use crate::fixture::*;
use crate::remembered::{all, forgotten};
use crate::rest::{credential, run};
use crate::standing::{hold, lifted};

/// Notes what is visited, and dies once, at one point.
struct Fuse {
    dies_at: Option<(&'static str, Moment)>,
    state: Mutex<(bool, BTreeSet<(&'static str, Moment)>)>,
}

impl Fuse {
    fn new(dies_at: Option<(&'static str, Moment)>) -> Arc<Self> {
        Arc::new(Self { dies_at, state: Mutex::default() })
    }

    fn has_blown(&self) -> bool {
        self.state.lock().unwrap().0
    }

    fn visited(&self) -> BTreeSet<(&'static str, Moment)> {
        self.state.lock().unwrap().1.clone()
    }
}

impl CommitProbe for Fuse {
    fn at(&self, point: CommitPoint<'_>) -> ProbeVerdict {
        let mut state = self.state.lock().unwrap();
        state.1.extend(point.boundaries.iter().map(|name| (*name, point.moment)));
        let here = self
            .dies_at
            .is_some_and(|(name, moment)| moment == point.moment && point.boundaries.contains(&name));
        if here && !state.0 {
            state.0 = true;
            return ProbeVerdict::Crash;
        }
        ProbeVerdict::Go
    }
}

/// Its parts, each a story of its own.
#[derive(Debug, Clone, Copy)]
enum Chapter {
    People,
    Verdicts,
    Company,
    Cards,
    Messages,
    Rest,
}

impl Chapter {
    const ALL: [Self; 6] =
        [Self::People, Self::Verdicts, Self::Company, Self::Cards, Self::Messages, Self::Rest];
}

/// A story that survives the death of its store.
struct Story {
    engine: Sqlite,
    desk: Desk,
    opened: Vec<(&'static str, Approval)>,
}

impl Story {
    fn new(fuse: &Arc<Fuse>) -> Self {
        let engine = Sqlite::new();
        let mut setting = Setting::new();
        setting.probe = Arc::clone(fuse) as _;
        let store = engine.open(&setting);
        Self { engine, desk: Desk { store, setting }, opened: Vec::new() }
    }

    /// Asks; after a death asks again, on what a new process finds.
    async fn go<T>(
        &mut self,
        ask: impl AsyncFn(&dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match ask(&*self.desk.store).await {
            Err(StoreError::Unavailable(_) | StoreError::Unknown(_)) => {
                let later = self.desk.store.load(&acme(), self.desk.request_id()).await;
                assert!(
                    matches!(later, Err(StoreError::Unavailable(_))),
                    "a dead store answers nothing: {later:?}"
                );
                self.engine.close();
                self.desk.store = self.engine.open(&self.desk.setting);
                ask(&*self.desk.store).await
            }
            other => other,
        }
    }

    async fn opens(&mut self, name: &'static str, opening: Opening) -> Approval {
        let opened = self.go(async |store| store.open(opening.clone()).await).await.unwrap();
        let (Opened::New(approval) | Opened::Same(approval)) = opened else { panic!("{opened:?}") };
        self.opened.push((name, approval.clone()));
        approval
    }

    async fn orders(&mut self, mut order: Order) -> Committed {
        order.command_id = Some(self.desk.command_id());
        self.go(async |store| store.execute(order.clone()).await).await.unwrap()
    }

    async fn does(&mut self, approval: &Approval, command: Command) -> Committed {
        let facts = facts(&self.desk, &["alice", "bob"]);
        let done = self.orders(Order::new(acme(), approval.id, command, facts)).await;
        assert!(done.result.is_ok(), "{:?}", done.result);
        done
    }

    async fn moves(&mut self, approval: &Approval, command: Command, step: CardStep) {
        let mut order = Order::new(acme(), approval.id, command, Facts::none(self.desk.now()));
        order.card = Some(CardMove { place: ops(), step });
        self.orders(order).await;
    }

    async fn asks(&mut self, name: &'static str, count: u32) -> Approval {
        let opening = self.desk.risky(name, count);
        let approval = self.opens(name, opening).await;
        let showing = self.desk.showing();
        self.does(&approval, showing).await;
        approval
    }

    async fn tells(&mut self, chapter: Chapter) {
        match chapter {
            Chapter::People => self.people().await,
            Chapter::Verdicts => self.verdicts().await,
            Chapter::Company => self.company().await,
            Chapter::Cards => self.cards().await,
            Chapter::Messages => self.messages().await,
            Chapter::Rest => self.rest().await,
        }
    }

    async fn people(&mut self) {
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
        self.does(&approval, Command::TakeBack { identity: account("alice") }).await;
        self.does(&approval, Command::Escalate { step: 1 }).await;
        let cards = self.go(async |store| store.cards_of(&acme(), approval.id).await).await.unwrap();
        assert_eq!(cards.len(), 2, "where it was, and where those are who are asked as well");
        self.does(&approval, Command::Ask { identity: account("bob"), text: "why?".to_owned() }).await;
        self.does(&approval, Command::Answer { by: Actor::Placet, text: "so".to_owned() }).await;
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

    async fn verdicts(&mut self) {
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
        let facts = Box::new(facts(&self.desk, &["alice"]));
        edit.beside = Some(Beside::Replace { request: old.id, identity: account("alice"), facts });
        self.opens("edit", edit).await;
        let again = Command::DenyAgain {
            verdict: verdict(Tier::Approve, Some(terms(1, vec![ops()]))),
            earlier: denied.id,
            reason: None,
        };
        let opening = self.desk.opening("denied", again);
        self.opens("denied again", opening).await;
        let broken = self.asks("broken", 2).await;
        self.does(&broken, Command::BreakGlass { identity: account("admin"), reason: "fire".to_owned() })
            .await;
        self.does(&broken, Command::Review { identity: account("alice"), note: None }).await;
    }

    /// One request stands on another's card until that is over; a yes is remembered, used, and taken back.
    async fn company(&mut self) {
        let leader = self.asks("leader", 1).await;
        let mut joining = self.desk.risky("leader", 1);
        joining.beside = Some(Beside::Join(leader.id));
        let follower = self.opens("follower", joining).await;
        assert_eq!(follower.shares, Some(leader.id));
        self.does(&leader, Command::Withdraw { by: Actor::Placet }).await;
        let told = self.go(async |store| store.undone(9).await).await.unwrap();
        let [told] = &told[..] else { panic!("{told:?}") };
        let following = Order::of(told.clone(), facts(&self.desk, &["alice"]));
        self.orders(following).await;
        let cards = self.go(async |store| store.cards_of(&acme(), follower.id).await).await.unwrap();
        assert_eq!(cards.len(), 1, "a card of its own now");

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

    async fn cards(&mut self) {
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

    async fn messages(&mut self) {
        let approval = self.asks("refused", 1).await;
        for name in ["viewer", "mallory", "requester"] {
            let command = Command::Vote(ballot(name, Decision::Approve));
            let mut order = Order::new(acme(), approval.id, command, facts(&self.desk, &["alice"]));
            order.reply = Some(self.desk.reply(name));
            assert!(self.orders(order).await.result.is_err());
        }
        let mut steps = vec![
            OutboxStep::Dropped("gone".to_owned()),
            OutboxStep::Retry(self.desk.now()),
            OutboxStep::Sent,
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

    async fn rest(&mut self) {
        let kind = EventKind::PolicyLoaded {
            label: "1".to_owned(),
            digest: placet::call::PolicyDigest::of(b"p"),
            text: "text".to_owned(),
            by: None,
            changes: Vec::new(),
        };
        self.go(async |store| store.note(acme(), kind.clone()).await).await.unwrap();
        let approval = self.asks("asked", 1).await;
        let inbound =
            self.desk.inbound(&approval, "slack:lost", Act::TakeBack { identity: account("alice") });
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
        let held = hold(&self.desk, None, HoldScope::All);
        let held = self.go(async |store| store.hold(held.clone()).await).await.unwrap();
        let ended = lifted(&self.desk);
        // False where it was lifted, and the answer was lost.
        self.go(async |store| store.lift(None, held.id, ended.clone()).await).await.unwrap();
        let all = self.go(async |store| store.holds(None, false, 9).await).await.unwrap();
        assert_eq!(all.iter().map(Hold::stands).collect::<Vec<_>>(), [false], "placed once, lifted once");
        // Long after, what is of no more use goes.
        self.desk.setting.clock.passes(Ttl::from_mins(4 * 24 * 60));
        self.go(async |store| store.note(acme(), kind.clone()).await).await.unwrap();
    }

    /// Somebody's hand spoils a delivery and a card; both are set aside.
    async fn damages(&mut self, approval: &Approval) {
        let act = Act::TakeBack { identity: account("alice") };
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

    /// How it ended: for each request its state and its record, and what is left to do.
    async fn end(&self) -> BTreeMap<&'static str, (Status, Vec<&'static str>)> {
        let mut end = BTreeMap::new();
        for (name, approval) in &self.opened {
            self.desk.must_rebuild(approval).await;
            let stored = self.desk.store.load(&acme(), approval.id).await.unwrap();
            end.insert(*name, (stored.status(), names(&self.desk.record_of(approval).await)));
        }
        assert!(self.desk.store.undone(10).await.unwrap().is_empty());
        end
    }
}

/// Kill the process at any point in between, and nothing is lost and nothing runs twice.
#[tokio::test]
async fn a_death_at_any_commit_changes_nothing() {
    let mut points = BTreeMap::new();
    for chapter in Chapter::ALL {
        let fuse = Fuse::new(None);
        let mut story = Story::new(&fuse);
        story.tells(chapter).await;
        let end = Arc::new(story.end().await);
        for point in fuse.visited() {
            points.entry(point).or_insert_with(|| (chapter, Arc::clone(&end)));
        }
    }
    let all = BOUNDARIES.iter().flat_map(|name| [(*name, Moment::Before), (*name, Moment::After)]);
    assert_eq!(points.keys().copied().collect::<BTreeSet<_>>(), all.collect(), "visited = all");
    for (point, (chapter, expected)) in points {
        let fuse = Fuse::new(Some(point));
        let mut story = Story::new(&fuse);
        story.tells(chapter).await;
        assert!(fuse.has_blown(), "{point:?}");
        assert_eq!(story.end().await, *expected, "{chapter:?} after a death at {point:?}");
    }
}

/// Before: rolled back. After: written, and the answer lost. Either way the store is dead.
#[tokio::test]
async fn before_is_nothing_and_after_is_everything() {
    for (moment, there) in [(Moment::Before, false), (Moment::After, true)] {
        let fuse = Fuse::new(Some(("open.require", moment)));
        let story = Story::new(&fuse);
        let opening = story.desk.risky("v42", 1);
        let id: RequestId = opening.id;
        let lost = story.desk.store.open(opening).await.unwrap_err();
        assert!(matches!(lost, StoreError::Unknown(_)), "{lost:?}");
        let later = story.desk.store.open(story.desk.risky("v43", 1)).await.unwrap_err();
        assert!(matches!(later, StoreError::Unavailable(_)), "{later:?}");
        story.engine.close();
        let store = story.engine.open(&story.desk.setting);
        assert_eq!(store.load(&acme(), id).await.is_ok(), there);
        let query = EventQuery { tenant: None, request: None, after: Seq(0), types: vec![], limit: 9 };
        assert_eq!(store.events(query).await.unwrap().len(), if there { 4 } else { 0 });
    }
}
