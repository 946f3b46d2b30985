//! One call as rules see it: the proposal, the circumstances, and what the policy knows of the tool.
//!
//! What costs something to compute is computed once, when the first condition looks at it.

use std::sync::OnceLock;

use cel::common::value::{CowVal, Val};

use super::calendar::{Calendar, Moment};
use super::circumstances::Circumstances;
use super::condition::{Number, json};
use super::fields::LOOKS;
use super::tools::Tool;
use crate::approval::Proposal;
use crate::call::ToolCall;

/// A number that the policy computes: none if it does not say how, an error if this call's arguments do not give it.
pub(super) type Computed = Option<Result<Number, String>>;

/// One call as rules see it.
pub(super) struct Case<'a> {
    proposal: &'a Proposal,
    circumstances: &'a Circumstances,
    tool: &'a Tool<'a>,
    calendar: &'a Calendar,
    moment: OnceLock<Moment>,
    amount: OnceLock<Computed>,
    count: OnceLock<Computed>,
    affected: OnceLock<Computed>,
}

impl<'a> Case<'a> {
    pub(super) const fn new(
        proposal: &'a Proposal,
        circumstances: &'a Circumstances,
        tool: &'a Tool<'a>,
        calendar: &'a Calendar,
    ) -> Self {
        Self {
            proposal,
            circumstances,
            tool,
            calendar,
            moment: OnceLock::new(),
            amount: OnceLock::new(),
            count: OnceLock::new(),
            affected: OnceLock::new(),
        }
    }

    pub(super) const fn proposal(&self) -> &Proposal {
        self.proposal
    }

    pub(super) const fn call(&self) -> &ToolCall {
        &self.proposal.call
    }

    pub(super) const fn circumstances(&self) -> &Circumstances {
        self.circumstances
    }

    pub(super) const fn tool(&self) -> &Tool<'a> {
        self.tool
    }

    pub(super) fn moment(&self) -> &Moment {
        self.moment.get_or_init(|| self.calendar.moment(self.circumstances.at))
    }

    /// Whether a freeze window covers the tool now.
    pub(super) fn frozen(&self) -> bool {
        self.calendar.freezes(self.call(), self.circumstances.at).next().is_some()
    }

    pub(super) fn amount(&self) -> &Computed {
        self.amount.get_or_init(|| self.tool.amount().map(|amount| amount.number(self)))
    }

    pub(super) fn count(&self) -> &Computed {
        self.count.get_or_init(|| self.tool.count().map(|count| count.number(self)))
    }

    pub(super) fn affected(&self) -> &Computed {
        self.affected.get_or_init(|| self.tool.affected().map(|affected| affected.number(self)))
    }

    /// What a name stands for; none where that cannot be told.
    pub(super) fn look<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        if name == "args" {
            let args: Box<dyn Val + 'b> = json(self.call().args.value());
            return Some(CowVal::Owned(args));
        }
        let look = LOOKS.iter().find(|look| look.name == name)?;
        (look.value)(self)
    }

    /// Why a name stands for nothing here.
    pub(super) fn why_unknown(&self, name: &str) -> Option<String> {
        let computed = match name {
            "amount" => self.amount(),
            "count" => self.count(),
            "affected" => self.affected(),
            "requester.person" | "requester.roles" | "requester.team" | "team" => {
                return Some("who asks, or which roles they have, could not be read whole".to_owned());
            }
            _ => return None,
        };
        let why = computed.as_ref()?.as_ref().err()?;
        Some(format!("the {name} of this call cannot be computed: {why}"))
    }
}
