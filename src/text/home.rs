//! The page that one person sees of Placet.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::approval::{Approval, Decision, Vote};
use crate::id::Role;
use crate::time::Timestamp;

keys! {
    /// A text of the page.
    pub(super) enum HomeKey {
        Waiting = "home-waiting",
        Nothing = "home-nothing",
        Item = "home-item",
        ItemNowhere = "home-item-nowhere",
        Count = "home-count",
        Card = "home-card",
        Decided = "home-decided",
        SaidYes = "home-said-yes",
        SaidNo = "home-said-no",
        Roles = "home-roles",
        StandsIn = "home-stands-in",
        NoRole = "home-no-role",
        Account = "home-account",
    }
}

impl Texts {
    /// Above what waits for them.
    #[must_use]
    pub fn home_waiting(&self) -> String {
        self.say(HomeKey::Waiting.id(), None)
    }

    /// That nothing does.
    #[must_use]
    pub fn home_nothing(&self) -> String {
        self.say(HomeKey::Nothing.id(), None)
    }

    /// One thing that waits: where it can be decided, in the surface's own words, and until when.
    #[must_use]
    pub fn home_item(
        &self,
        approval: &Approval,
        places: &[String],
        until: Timestamp,
        markup: &Markup<'_>,
    ) -> String {
        let key = if places.is_empty() { HomeKey::ItemNowhere } else { HomeKey::Item };
        let args = fluent_args![
            "code" => approval.code.as_str(),
            "who" => markup.raw(&approval.proposal.requester.shown_as),
            "places" => self.join(places.to_vec()),
            "until" => (markup.time)(until),
        ];
        self.say(key.id(), Some(&args))
    }

    /// How many things wait, where they take more than one page.
    #[must_use]
    pub fn home_count(&self, count: usize) -> String {
        self.say(HomeKey::Count.id(), Some(&fluent_args!["count" => count]))
    }

    /// What leads to the card of a request.
    #[must_use]
    pub fn home_card(&self) -> String {
        self.say(HomeKey::Card.id(), None)
    }

    /// Above what they decided.
    #[must_use]
    pub fn home_decided(&self) -> String {
        self.say(HomeKey::Decided.id(), None)
    }

    /// What they said of one request, and where that stands.
    #[must_use]
    pub fn home_said(&self, approval: &Approval, vote: &Vote, markup: &Markup<'_>) -> String {
        let key = match vote.decision {
            Decision::Approve => HomeKey::SaidYes,
            Decision::Deny => HomeKey::SaidNo,
        };
        let args = fluent_args![
            "code" => approval.code.as_str(),
            "at" => (markup.time)(vote.at),
            "status" => self.status(approval.status()),
        ];
        self.say(key.id(), Some(&args))
    }

    /// Above their roles.
    #[must_use]
    pub fn home_roles(&self) -> String {
        self.say(HomeKey::Roles.id(), None)
    }

    /// Their roles.
    #[must_use]
    pub fn home_roles_are<'a>(&self, roles: impl Iterator<Item = &'a Role>, markup: &Markup<'_>) -> String {
        let roles: Vec<String> = roles.map(|role| markup.raw(role.as_str())).collect();
        self.join(roles)
    }

    /// Whom they stand in for.
    #[must_use]
    pub fn home_stands_in(&self, people: &[String], markup: &Markup<'_>) -> String {
        self.say(HomeKey::StandsIn.id(), Some(&fluent_args!["people" => self.names(people, markup)]))
    }

    /// That they have no role, and what to do.
    #[must_use]
    pub fn home_no_role(&self) -> String {
        self.say(HomeKey::NoRole.id(), None)
    }

    /// What the policy calls their account, for whoever keeps it.
    #[must_use]
    pub fn home_account(&self, account: &str, markup: &Markup<'_>) -> String {
        self.say(HomeKey::Account.id(), Some(&fluent_args!["account" => markup.raw(account)]))
    }
}
