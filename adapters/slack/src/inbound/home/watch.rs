//! Looking what changes while homes are open, and having those published again that show something else by it.
//!
//! Woken by every commit of this process, and looking again by itself for what other processes do, and for another policy,
//! which is in force only after it is on record; what changes without anybody's doing (who is on call, whose role has lapsed)
//! is found at the latest after [`ALL_EVERY`].

use futures::future::{Either, select};
use placet::gate::HomeGround;
use placet::id::{HoldId, RequestId};
use placet::person::Identity;
use placet::policy::PolicyVersion;
use placet::time::{Timestamp, Ttl};

use super::show::{Links, content, made};
use crate::inbound::Shared;

/// How far apart two looks are at least: what happens within shows at once.
const LOOKS_APART: Ttl = Ttl::from_secs(1);

/// How long what another process does can go unnoticed.
const LOOK_EVERY: Ttl = Ttl::from_secs(15);

/// How long anything else can.
const ALL_EVERY: Ttl = Ttl::from_secs(60);

/// What everything that homes show follows from, but for accounts and the time: requests, stops, and the policy.
type Mark = ((Vec<(RequestId, u64)>, Vec<HoldId>), PolicyVersion);

/// Looks until nobody has a home open any more.
pub(super) async fn watch(desk: Shared) {
    let clock = std::sync::Arc::clone(desk.slack.clock());
    let mut seen: Option<Mark> = None;
    let mut all_at = clock.now();
    loop {
        let woken = desk.gate.wakes().record();
        let now = clock.now();
        let open = desk.homes.open_now(now);
        if open.is_empty() {
            return;
        }
        match desk.gate.home_ground(&desk.slack.settings().tenant).await {
            Ok(ground) => {
                let mark = (ground.versions(), policy(&desk));
                if seen.as_ref() != Some(&mark) || now >= all_at {
                    renew(&desk, &ground, open).await;
                    (seen, all_at) = (Some(mark), now + ALL_EVERY);
                }
            }
            Err(fault) => tracing::error!(error = %fault, "what waits for people could not be read"),
        }
        if rest(&desk, woken, now).await {
            all_at = clock.now();
        }
        clock.sleep_until(now + LOOKS_APART).await;
    }
}

/// Waits for something to happen; says whether it is something that no record tells of.
async fn rest(desk: &Shared, woken: impl Future<Output = ()> + Unpin, now: Timestamp) -> bool {
    let stirred = Box::pin(desk.homes.0.stirred.notified());
    let pause = desk.slack.clock().sleep_until(now + LOOK_EVERY);
    matches!(select(stirred, select(woken, pause)).await, Either::Left(_))
}

/// Which policy is in force: who may decide follows from it.
fn policy(desk: &Shared) -> PolicyVersion {
    desk.gate.policy_of(&desk.slack.settings().tenant).version().clone()
}

/// Has those homes published that would show something else now.
async fn renew(desk: &Shared, ground: &HomeGround, open: Vec<(Identity, usize)>) {
    let mut links = Links::new();
    for (reader, page) in open {
        let view = made(desk, ground, (&reader, page), &mut links).await;
        desk.homes.renew(desk, &reader, &content(&view));
    }
}
