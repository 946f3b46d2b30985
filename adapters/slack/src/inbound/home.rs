//! The app's home: published when somebody opens it or turns its page, and again whenever something that it shows has changed,
//! for as long as they are thought to have it open.
//!
//! What always holds: one person's home is never published twice at once, and all homes of a workspace share one pace, below
//! what Slack takes; what happens meanwhile is shown with the next. Nothing is published that is there already. Where two
//! processes serve one workspace, a home is kept up by the one that its reader last did something at: Slack takes no older
//! version from the other, which then leaves it alone.

mod press;
mod show;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use placet::call::ContentHash;
use placet::person::Identity;
use placet::time::{Timestamp, Ttl};
use tokio::sync::Notify;

use super::Shared;
pub(super) use press::is_home;
use show::{Fate, show};

/// How far apart homes are published: sixty a minute of the hundred that Slack takes.
/// <https://docs.slack.dev/apis/web-api/rate-limits>
const HOME_INTERVAL: Ttl = Ttl::from_secs(1);

/// How long homes are left alone where Slack asks to slow down without naming a time.
const UNNAMED_PAUSE: Ttl = Ttl::from_secs(10);

/// How long a home is thought to be open: Slack says when one is opened, and never when one is left. A page turned begins it
/// anew.
const OPEN_FOR: Ttl = Ttl::from_mins(60);

/// People whose homes are kept up at the same time, those who came last: each costs a look at everything that waits whenever
/// something has changed.
const OPEN_MAX: usize = 1_000;

/// Homes that wait to be published; beyond that, who opens theirs sees what they saw last until there is room.
const PENDING_MAX: usize = 200;

/// The homes of a workspace. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Homes(Arc<Parts>);

#[derive(Debug, Default)]
struct Parts {
    known: Mutex<Known>,
    /// Something changed that is in no record, such as who is in a user group.
    stirred: Notify,
}

#[derive(Debug)]
struct Known {
    /// Who has theirs open, as far as is known.
    open: HashMap<Identity, Open>,
    /// Whose is being published.
    turns: HashMap<Identity, Turn>,
    /// When the next may be.
    next: Timestamp,
    /// Whether somebody looks what changes.
    is_watched: bool,
}

/// A home that is open.
#[derive(Debug, Clone, PartialEq)]
struct Open {
    /// Until when that is thought.
    until: Timestamp,
    /// The page that its reader is on.
    page: usize,
    /// What was published last from here; none where that is not known, or they came anew.
    shown: Option<Shown>,
}

/// What was published.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    content: ContentHash,
    /// Slack's name for this version.
    hash: Option<String>,
}

/// How far a publication is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// It has not begun: whatever happens now will be in it.
    Waits,
    /// It has begun.
    Shows,
    /// It has begun, and something has happened since, so that it should read like this; none where that is not known.
    ShowsAgain(Option<ContentHash>),
}

impl Default for Known {
    fn default() -> Self {
        Self {
            open: HashMap::new(),
            turns: HashMap::new(),
            next: Timestamp::from_millis(i64::MIN),
            is_watched: false,
        }
    }
}

impl Homes {
    /// Somebody looks at theirs.
    pub(super) fn opened(&self, desk: &Shared, reader: &Identity) {
        self.turned(desk, reader, 0);
    }

    /// Somebody wants this page of theirs.
    pub(super) fn turned(&self, desk: &Shared, reader: &Identity, page: usize) {
        let now = desk.slack.clock().now();
        let is_watched = {
            let mut known = self.known();
            known.make_room(now);
            known.open.insert(reader.clone(), Open { until: now + OPEN_FOR, page, shown: None });
            std::mem::replace(&mut known.is_watched, true)
        };
        self.publish(desk, reader, None);
        if !is_watched {
            tokio::spawn(watch::watch(Arc::clone(desk)));
        }
    }

    /// Something changed about accounts or groups.
    pub(super) fn stir(&self) {
        self.0.stirred.notify_one();
    }

    /// Has a home published that would read like this now, unless that is there already.
    fn renew(&self, desk: &Shared, reader: &Identity, content: &ContentHash) {
        let is_there = {
            let known = self.known();
            let shown = known.open.get(reader).and_then(|open| open.shown.as_ref());
            // What is being published is there in a moment, and may be something else.
            !known.turns.contains_key(reader) && shown.is_some_and(|shown| shown.content == *content)
        };
        if !is_there {
            self.publish(desk, reader, Some(*content));
        }
    }

    /// Has this home published when its turn comes, so that it reads like this where that is known.
    fn publish(&self, desk: &Shared, reader: &Identity, wanted: Option<ContentHash>) {
        let turn = {
            let mut known = self.known();
            if let Some(turn) = known.turns.get_mut(reader) {
                match turn {
                    // Whoever turned the page is shown another, whatever would be on the one before.
                    Turn::Waits | Turn::ShowsAgain(None) => {}
                    Turn::Shows | Turn::ShowsAgain(Some(_)) => *turn = Turn::ShowsAgain(wanted),
                }
                return;
            }
            if known.turns.len() >= PENDING_MAX {
                return;
            }
            known.turns.insert(reader.clone(), Turn::Waits);
            let turn = known.next.max(desk.slack.clock().now());
            known.next = turn + HOME_INTERVAL;
            turn
        };
        let (desk, reader) = (Arc::clone(desk), reader.clone());
        tokio::spawn(async move {
            if turn > desk.slack.clock().now() {
                desk.slack.clock().sleep_until(turn).await;
            }
            let open = {
                let mut known = desk.homes.known();
                known.turns.insert(reader.clone(), Turn::Shows);
                known.open.get(&reader).cloned()
            };
            let fate = match &open {
                Some(open) => show(&desk, &reader, open).await,
                None => Fate::Same,
            };
            desk.homes.ended(&desk, &reader, fate);
        });
    }

    /// A publication has come to this.
    fn ended(&self, desk: &Shared, reader: &Identity, fate: Fate) {
        let again = {
            let mut known = self.known();
            let turn = known.turns.remove(reader);
            let is_slowed = matches!(fate, Fate::Slowed(_));
            let is_wanted = match (turn, &fate) {
                (Some(Turn::ShowsAgain(Some(wanted))), Fate::Published { shown, .. }) => {
                    wanted == shown.content
                }
                (Some(Turn::ShowsAgain(_)), _) => false,
                (_, _) => true,
            };
            match fate {
                Fate::Published { shown, page } => {
                    // Whoever has come anew or turned the page since is shown theirs next.
                    let open = known.open.get_mut(reader).filter(|open| open.page == page);
                    if let Some(open) = open {
                        open.shown = Some(shown);
                    }
                }
                Fate::Overtaken => {
                    known.open.remove(reader);
                }
                Fate::Slowed(pause) => {
                    known.next = known.next.max(desk.slack.clock().now() + pause);
                }
                Fate::Same | Fate::Failed => {}
            }
            is_slowed || !is_wanted
        };
        if again {
            self.publish(desk, reader, None);
        }
    }

    /// Those who have theirs open now, and on which page; none ends the watch.
    fn open_now(&self, now: Timestamp) -> Vec<(Identity, usize)> {
        let mut known = self.known();
        known.open.retain(|_, open| open.until > now);
        known.is_watched = !known.open.is_empty();
        known.open.iter().map(|(reader, open)| (reader.clone(), open.page)).collect()
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// For one more.
    fn make_room(&mut self, now: Timestamp) {
        if self.open.len() < OPEN_MAX {
            return;
        }
        self.open.retain(|_, open| open.until > now);
        if self.open.len() >= OPEN_MAX {
            let first = self.open.iter().min_by_key(|(_, open)| open.until);
            if let Some(first) = first.map(|(reader, _)| reader.clone()) {
                self.open.remove(&first);
            }
        }
    }
}
