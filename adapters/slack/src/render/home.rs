//! The app's home: what waits for its reader, what they decided, and what they are here.
//!
//! What always holds: it keeps to Slack's limits, and what has no room is on another page; whatever an agent or a person
//! wrote stands in text that Slack does not interpret; what waits has buttons, but none to approve, for a home shows no call
//! whole; the only address in it is that of a message of ours; and of a confidential call it shows no argument to who may not
//! read it.

use placet::approval::{Approval, Refusal};
use placet::card::CardView;
use placet::gate::Home;
use placet::id::SurfaceName;
use placet::person::{Identity, Standing};
use placet::policy::Place;
use placet::text::{Label, Markup, Texts};
use serde_json::{Value, json};
use url::Url;

use super::pieces::{self, RICH, elements};
use super::{ButtonValue, DENY_ACTION, DETAILS_ACTION};
use crate::mrkdwn::{
    ButtonStyle, actions, button, context, divider, header, rich_text, rich_text_text, section,
};

/// The most things that wait on one page: as many as somebody reads, each in two blocks, far below Slack's hundred.
pub(crate) const WAITING_PER_PAGE: usize = 20;

/// The button for the page before.
pub(crate) const HOME_PREVIOUS_ACTION: &str = "placet_home_previous";
/// The button for the next page.
pub(crate) const HOME_NEXT_ACTION: &str = "placet_home_next";
/// The block with these buttons.
const PAGES_BLOCK: &str = "placet_home_pages";
/// The block with the buttons of one thing that waits.
const ITEM_BLOCK: &str = "placet_home";

/// What a home is made of.
pub(crate) struct HomeView<'a> {
    pub(crate) home: &'a Home,
    /// Whose it is.
    pub(crate) reader: &'a Identity,
    /// The surface that it is on.
    pub(crate) surface: &'a SurfaceName,
    /// Which page of what waits, from 0; the last where there are not so many.
    pub(crate) page: usize,
    /// What is shown of a request.
    pub(crate) item: &'a dyn Fn(&Approval) -> Item,
    /// Where a place is, in the sentence's own marks.
    pub(crate) place: &'a dyn Fn(&Place) -> String,
}

/// What is shown of one request.
pub(crate) struct Item {
    /// The view of its card.
    pub(crate) card: CardView,
    /// Whether the reader may read all of it.
    pub(crate) reads: bool,
    /// Where its card is.
    pub(crate) link: Option<Url>,
}

/// What waits that stands on a page, and how many pages there are.
pub(crate) fn on_page(home: &Home, page: usize) -> (&[Approval], usize, usize) {
    let pages = home.waiting.len().div_ceil(WAITING_PER_PAGE).max(1);
    let page = page.min(pages - 1);
    let shown = home.waiting.chunks(WAITING_PER_PAGE).nth(page).unwrap_or_default();
    (shown, page, pages)
}

/// The view.
pub(crate) fn view(of: &HomeView<'_>, texts: &Texts) -> Value {
    let mut blocks = Vec::new();
    match &of.home.standing {
        Standing::None(why) => {
            blocks.push(section(&texts.refusal(&Refusal::NoStanding(why.clone()), &[], &Markup::PLAIN)));
            blocks.push(account(of.reader, texts));
        }
        Standing::Member(member) => {
            of.waiting(&mut blocks, texts);
            of.decided(&mut blocks, texts);
            blocks.push(header(&texts.home_roles()));
            if member.roles.is_empty() {
                blocks.push(section(&texts.home_no_role()));
            } else {
                blocks.push(section(&texts.home_roles_are(member.roles.iter(), &Markup::PLAIN)));
            }
            if !member.stands_in_for.is_empty() {
                blocks.push(section(&texts.home_stands_in(&member.stands_in_for, &Markup::PLAIN)));
            }
            blocks.push(account(of.reader, texts));
        }
    }
    json!({ "type": "home", "blocks": blocks })
}

/// What the policy calls the account: `T024BE7LD/U2CERLKJA`.
fn account(reader: &Identity, texts: &Texts) -> Value {
    let shown = reader.to_string();
    let shown = shown.strip_prefix("slack:").unwrap_or(&shown);
    context(&[&texts.home_account(shown, &Markup::PLAIN)])
}

impl HomeView<'_> {
    fn waiting(&self, blocks: &mut Vec<Value>, texts: &Texts) {
        blocks.push(header(&texts.home_waiting()));
        let (shown, page, pages) = on_page(self.home, self.page);
        if shown.is_empty() {
            blocks.push(section(&texts.home_nothing()));
        }
        if pages > 1 {
            let count = texts.home_count(self.home.waiting.len());
            blocks.push(context(&[&texts.page(page + 1, pages), &count]));
        }
        for (number, approval) in shown.iter().enumerate() {
            let mut places: Vec<String> = approval.places().iter().map(self.place).collect();
            places.sort();
            places.dedup();
            let until = approval.due().unwrap_or(approval.last_event_at);
            let line = texts.home_item(approval, &places, until, &RICH);
            let item = (self.item)(approval);
            blocks.push(told(&item, &line, texts));
            blocks.push(self.buttons(&item, number + 1, texts));
        }
        let turn = |action: &str, label: Label, to: usize| {
            button(action, &texts.label(label), &to.to_string(), ButtonStyle::Plain)
        };
        let previous = (page > 0).then(|| turn(HOME_PREVIOUS_ACTION, Label::PreviousPage, page - 1));
        let next = (page + 1 < pages).then(|| turn(HOME_NEXT_ACTION, Label::NextPage, page + 1));
        let turns: Vec<Value> = previous.into_iter().chain(next).collect();
        blocks.extend((!turns.is_empty()).then(|| actions(PAGES_BLOCK, turns)));
        blocks.push(divider());
    }

    fn decided(&self, blocks: &mut Vec<Value>, texts: &Texts) {
        if self.home.decided.is_empty() {
            return;
        }
        blocks.push(header(&texts.home_decided()));
        for (approval, vote) in &self.home.decided {
            let line = texts.home_said(approval, vote, &RICH);
            blocks.push(told(&(self.item)(approval), &line, texts));
        }
        blocks.push(divider());
    }

    /// The way to the whole call, where a yes is given, and to a no. Each id stands once in a home.
    fn buttons(&self, item: &Item, number: usize, texts: &Texts) -> Value {
        let carried = ButtonValue::of(&item.card, self.surface, false).encode();
        let one = |action: &str, label: Label, style: ButtonStyle| {
            button(&format!("{action}_{number}"), &texts.label(label), &carried, style)
        };
        let details = one(DETAILS_ACTION, Label::Details, ButtonStyle::Plain);
        let deny = one(DENY_ACTION, Label::DenyWithReason, ButtonStyle::Danger);
        actions(&format!("{ITEM_BLOCK}_{number}"), vec![details, deny])
    }
}

/// What it is, where it stands, and the way to its card.
fn told(item: &Item, line: &str, texts: &Texts) -> Value {
    let veiled = (!item.reads).then(|| item.card.veil());
    let title = pieces::title_of(&veiled.as_ref().unwrap_or(&item.card).call, texts);
    let mut line = elements(line);
    if let Some(link) = &item.link {
        line.push(rich_text_text(" · "));
        line.push(json!({ "type": "link", "url": link.as_str(), "text": texts.home_card() }));
    }
    let stopped = pieces::stopped(&item.card, texts);
    rich_text([pieces::heading(&title), pieces::section(line)].into_iter().chain(stopped).collect())
}
