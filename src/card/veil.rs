//! The card of a confidential call, as it stands in a shared place.
//!
//! What always holds: nothing that the agent, the tool or anybody wrote or that comes from the arguments is left, in whichever
//! form: what is shown is the tool, its level, what the policy says, who asked, and what people did.

use super::{AskedAgain, CallView, CardView, EditedView, GroundsView, StateView, Warnings, visible};
use crate::card::FigureView;
use crate::policy::FigureName;

impl CardView {
    /// The same without what only those may read who decide it: without the call, and without anybody's words about it.
    /// Who did what when stays; what they said, asked or answered, and what the tool answered, does not.
    #[must_use]
    pub fn veil(&self) -> Self {
        // Every field by its name, so that a new one cannot be forgotten.
        let Self {
            request,
            code,
            revision,
            call,
            state,
            grounds,
            shares,
            confidential,
            readers,
            covers,
            stopped,
            parts: _,
        } = self;
        Self {
            request: *request,
            code: code.clone(),
            revision: *revision,
            call: call.veil(),
            state: state.veil(),
            grounds: grounds.as_ref().map(GroundsView::veil),
            shares: *shares,
            confidential: *confidential,
            readers: readers.clone(),
            covers: *covers,
            // It is about the stop, which whoever placed it said to everybody.
            stopped: stopped.clone(),
            parts: Vec::new(),
        }
    }
}

impl StateView {
    fn veil(&self) -> Self {
        let mut veiled = self.clone();
        // Every state by its name: a new one must decide.
        let votes = match &mut veiled {
            Self::Checking => None,
            Self::Waiting { votes, questions, .. } => {
                questions.clear();
                Some(votes)
            }
            // Why it was rejected where it was not people is the policy's or Placet's to say.
            Self::Rejected { votes, reason, .. } | Self::Revoked { votes, reason, .. } => {
                *reason = None;
                Some(votes)
            }
            Self::Executed { votes, error, settled, .. } => {
                *error = None;
                if let Some(settled) = settled {
                    settled.reason = None;
                }
                Some(votes)
            }
            Self::Approved { votes, .. } | Self::Executing { votes, .. } | Self::Expired { votes, .. } => {
                Some(votes)
            }
        };
        for vote in votes.into_iter().flatten() {
            vote.note = None;
        }
        veiled
    }
}

impl GroundsView {
    fn veil(&self) -> Self {
        match self {
            Self::Remembered { .. } | Self::Silence => self.clone(),
            Self::Alone { name, reason: _, at, reviewed_by } => Self::Alone {
                name: name.clone(),
                reason: visible(""),
                at: *at,
                reviewed_by: reviewed_by.clone(),
            },
        }
    }
}

impl CallView {
    fn veil(&self) -> Self {
        let nothing = || visible("");
        // Every field by its name, so that a new one cannot be forgotten.
        let Self {
            title: _,
            level,
            tool,
            args: _,
            args_json: _,
            effect: _,
            figures,
            preview: _,
            task: _,
            reason: _,
            asked_by,
            // Where somebody asks for what is confidential can tell what it is about.
            asked_in: _,
            agent,
            asked_at,
            is_described,
            elsewhere: _,
            rules,
            evidence: _,
            if_denied: _,
            requester_may_approve,
            asked_again,
            edited,
            remember: _,
            shadow,
            calls,
            warnings: _,
            redacted: _,
            digest: _,
        } = self;
        // These come from [tools], not from the arguments.
        let known = |figure: &&FigureView| {
            matches!(
                figure.name,
                FigureName::Environment | FigureName::DataLevel | FigureName::Reach | FigureName::Reversible
            )
        };
        Self {
            title: tool.clone(),
            level: *level,
            tool: tool.clone(),
            args: Vec::new(),
            args_json: nothing(),
            effect: None,
            figures: figures.iter().filter(known).cloned().collect(),
            preview: None,
            task: nothing(),
            reason: nothing(),
            asked_by: asked_by.clone(),
            asked_in: None,
            agent: agent.clone(),
            is_described: *is_described,
            elsewhere: None,
            asked_at: *asked_at,
            rules: rules.clone(),
            evidence: Vec::new(),
            if_denied: None,
            requester_may_approve: *requester_may_approve,
            asked_again: asked_again.as_ref().map(|how| match how {
                AskedAgain::Unanswered => AskedAgain::Unanswered,
                AskedAgain::Unasked => AskedAgain::Unasked,
                AskedAgain::Denied { reason: _, by, at } => {
                    AskedAgain::Denied { reason: None, by: by.clone(), at: *at }
                }
            }),
            edited: edited.as_ref().map(|edited| EditedView { by: edited.by.clone(), changes: nothing() }),
            remember: None,
            shadow: *shadow,
            calls: *calls,
            warnings: Warnings::default(),
            redacted: 0,
            digest: None,
        }
    }
}
