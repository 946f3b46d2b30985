//! “I am looking”, said from Details: kept as from a card, and Details then shows who looks.

use std::sync::Arc;

use placet::approval::{Approval, State};
use placet::inbound::{Act, Inbound};
use placet::person::Identity;
use placet::text::Trouble;
use placet::time::Ttl;

use super::Shared;
use super::answer::Answer;
use super::intent::{Context, Dialog, Intent, Source, click_key};
use crate::identity::SlackIdentity;
use crate::payload::{Action, BlockActions};
use crate::render::details::PAGES_MAX;

/// How long it is waited for what was said to show in Details; the card shows it whenever it comes.
const SHOWN_WITHIN: Ttl = Ttl::from_secs(5);

/// Somebody says it, or takes it back.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    said: Inbound,
    /// Where.
    details: Dialog,
    /// On which page.
    page: usize,
}

impl Context<'_> {
    /// The button in Details.
    pub(super) fn look_in_details(
        &self,
        (click, action): (&BlockActions, &Action),
        details: Dialog,
        viewer: &SlackIdentity,
    ) -> Intent {
        let (identity, origin) = (details.identity.clone(), details.reference.origin.clone());
        let Some(delivery) = click_key(&self.settings.name, (click, action), viewer) else {
            return self.tell(identity, &origin, Trouble::Unavailable);
        };
        let page = action.value.as_deref().and_then(|page| page.parse::<usize>().ok());
        let act = Act::Look { identity: identity.clone() };
        let said = self.inbound((delivery, details.reference.request), &identity, &origin, act);
        let page = page.filter(|page| *page < PAGES_MAX).unwrap_or_default();
        Intent::Look(Box::new(Look { said, details, page }))
    }
}

/// Keeps it, answers, and has Details show it beside.
pub(super) async fn act(desk: &Shared, look: Look) -> Answer {
    let Look { said, details, page } = look;
    let (tenant, request) = (said.tenant.clone(), said.request);
    let before = desk.gate.load(&tenant, request).await;
    let before = before.ok().map(|approval| is_looking(&approval, &details.identity));
    let answer = desk.vote(said, None, Source::Card).await;
    let Ok(permit) = Arc::clone(&desk.dialogs).try_acquire_owned() else { return answer };
    let desk = Arc::clone(desk);
    tokio::spawn(async move {
        let until = desk.slack.clock().now() + SHOWN_WITHIN;
        let is_there = |approval: &Approval| Some(is_looking(approval, &details.identity)) != before;
        // Where it cannot be read, turning the page tells so.
        let _approval = desk.gate.wait((&tenant, request), until, is_there).await;
        desk.turn(&details, page).await;
        drop(permit);
    });
    answer
}

fn is_looking(approval: &Approval, identity: &Identity) -> bool {
    matches!(&approval.state, State::WaitingApproval(waiting) if waiting.looking.iter().any(|one| one.by == *identity))
}
