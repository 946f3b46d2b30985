//! Making one person's home, and publishing it where it is not there already.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use placet::approval::Approval;
use placet::call::ContentHash;
use placet::card::CardView;
use placet::gate::{Home, HomeGround};
use placet::id::RequestId;
use placet::person::Identity;
use placet::time::Ttl;
use serde_json::Value;
use url::Url;

use super::{Open, Shown, UNNAMED_PAUSE};
use crate::api::ApiError;
use crate::inbound::Shared;
use crate::render::home::{HomeView, Item, on_page, view};

/// What a publication came to.
pub(super) enum Fate {
    /// It is there.
    Published { shown: Shown, page: usize },
    /// It was there already.
    Same,
    /// Another process has published since.
    Overtaken,
    /// Slack asks to slow down for so long.
    Slowed(Ttl),
    /// It could not be published; it is tried again with whatever changes next.
    Failed,
}

/// Where cards are, read once for as many homes as are made at once.
pub(super) type Links = HashMap<RequestId, Option<Url>>;

/// Publishes a home as it stands.
pub(super) async fn show(desk: &Shared, reader: &Identity, open: &Open) -> Fate {
    let ground = match desk.gate.home_ground(&desk.slack.settings().tenant).await {
        Ok(ground) => ground,
        Err(fault) => {
            tracing::error!(error = %fault, "what waits for somebody could not be read");
            return Fate::Failed;
        }
    };
    let view = made(desk, &ground, (reader, open.page), &mut Links::new()).await;
    let content = content(&view);
    let before = open.shown.as_ref();
    if before.is_some_and(|before| before.content == content) {
        return Fate::Same;
    }
    let hash = before.and_then(|before| before.hash.as_deref());
    match desk.slack.api().views_publish(reader.subject(), hash, &view).await {
        Ok(hash) => Fate::Published { shown: Shown { content, hash }, page: open.page },
        Err(ApiError::Gone { .. }) => Fate::Overtaken,
        Err(ApiError::RateLimited { retry_after }) => {
            Fate::Slowed(retry_after.map_or(UNNAMED_PAUSE, |secs| Ttl::from_secs(secs.into())))
        }
        Err(fault) => {
            tracing::warn!(error = %fault, "somebody's home could not be published");
            Fate::Failed
        }
    }
}

/// Tells what was published from what would be.
pub(super) fn content(view: &Value) -> ContentHash {
    ContentHash::of(view.to_string().as_bytes())
}

/// One page of a home.
pub(super) async fn made(
    desk: &Shared,
    ground: &HomeGround,
    (reader, page): (&Identity, usize),
    links: &mut Links,
) -> Value {
    let home = desk.gate.home_on(ground, reader).await;
    let mut veiled = HashSet::new();
    for approval in shown(&home, page) {
        if desk.gate.may_read(approval, reader).await.is_err() {
            veiled.insert(approval.id);
        }
        if let Entry::Vacant(unknown) = links.entry(approval.id) {
            unknown.insert(link(desk, approval).await);
        }
    }
    let slack = desk.slack.read_surely_by(reader, "").await;
    let of = HomeView {
        home: &home,
        reader,
        surface: &slack.settings().name,
        page,
        item: &|approval| Item {
            card: CardView { stopped: ground.stopped(approval, &desk.gate), ..desk.gate.view(approval) },
            reads: !veiled.contains(&approval.id),
            link: links.get(&approval.id).cloned().flatten(),
        },
        place: &|place| slack.place_mark(place),
    };
    view(&of, slack.texts())
}

/// The requests that stand on a page of it.
fn shown(home: &Home, page: usize) -> impl Iterator<Item = &Approval> {
    on_page(home, page).0.iter().chain(home.decided.iter().map(|(approval, _)| approval))
}

async fn link(desk: &Shared, approval: &Approval) -> Option<Url> {
    let (message, thread) =
        desk.gate.card_message(approval, &desk.slack.settings().name).await.ok().flatten()?;
    desk.slack.message_link(&message, thread.as_deref()).await
}
