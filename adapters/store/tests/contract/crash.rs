//! The store dies before and after every kind of commit there is. After each restart the same story goes on to the
//! same end.

mod chapters;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use placet::approval::{Approval, Command, Committed, Facts, Opened, Opening, Order, Status};
use placet::card::row::{CardMove, CardStep};
use placet::id::RequestId;
use placet::ports::{EventQuery, Store, StoreError};
use placet::record::Seq;
use placet_store::{BOUNDARIES, CommitPoint, CommitProbe, Moment, ProbeVerdict};

use crate::engine::{Engine, Setting, Sqlite};
use crate::fixture::*;

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
            Chapter::Verdicts => Box::pin(self.verdicts()).await,
            Chapter::Company => self.company().await,
            Chapter::Cards => self.cards().await,
            Chapter::Messages => self.messages().await,
            Chapter::Rest => self.rest().await,
        }
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
        Box::pin(story.tells(chapter)).await;
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
        Box::pin(story.tells(chapter)).await;
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
