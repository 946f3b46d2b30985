//! From a button of a home to what it asks for. Pure, as all of [`intent`](super::super::intent) is, and under the same rules:
//! a home has neither channel nor message, so that nothing is adopted as a card, and what must be told is told directly.

use placet::person::Identity;
use placet::text::Trouble;

use crate::identity::SlackIdentity;
use crate::inbound::intent::{Context, Intent, Open};
use crate::inbound::reference::Origin;
use crate::payload::{Action, BlockActions, View};
use crate::render::home::{HOME_NEXT_ACTION, HOME_PREVIOUS_ACTION};
use crate::render::{ButtonValue, DENY_ACTION, DETAILS_ACTION};

/// The `type` of a home.
const HOME: &str = "home";

/// Whether this is somebody's home, and no dialog.
pub(in crate::inbound) fn is_home(view: &View) -> bool {
    view.r#type.as_deref() == Some(HOME)
}

impl Context<'_> {
    /// A button of a home.
    pub(in crate::inbound) fn in_home(
        &self,
        click: &BlockActions,
        (action, id): (&Action, &str),
        (viewer, identity): (SlackIdentity, Identity),
    ) -> Intent {
        let origin = Origin::default();
        if matches!(id, HOME_PREVIOUS_ACTION | HOME_NEXT_ACTION) {
            let page = action.value.as_deref().and_then(|page| page.parse::<usize>().ok());
            return page.map_or(Intent::Nothing, |page| Intent::TurnHome { reader: identity, page });
        }
        let Some(value) = action.value.as_deref().and_then(ButtonValue::decode) else {
            return self.tell(identity, &origin, Trouble::StaleButton);
        };
        let Some(trigger_id) = click.trigger_id.clone() else {
            return self.tell(identity, &origin, Trouble::DialogExpired);
        };
        let reply = self.reply(identity.clone(), &origin);
        let open = Open { trigger_id, value, asks: None, viewer, identity, origin, reply };
        match id {
            DETAILS_ACTION => Intent::Details(open),
            DENY_ACTION => Intent::AskWhyNot(open),
            // A home has no others.
            _ => Intent::Nothing,
        }
    }
}
