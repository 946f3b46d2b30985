//! Where a request stands: the first and the last line of the record that a card becomes.

use fluent::{FluentArgs, fluent_args};

use super::key::{AfterKey, Key};
use super::list::DOT;
use super::{Markup, Texts};
use crate::approval::{Decision, ExpiredHow, OutcomeKind, RevokedWhy};
use crate::card::{CardView, GroundsView, StateView, Visible, VoteView};
use crate::time::Timestamp;

impl Texts {
    /// `✅ Approved · Delete 1 file`.
    #[must_use]
    pub fn record_head(&self, view: &CardView, markup: &Markup<'_>) -> String {
        let title = (markup.text)(view.call.title.as_str());
        self.say(
            Key::RecordHead.id(),
            Some(&fluent_args!["state" => self.state_head(&view.state), "title" => title]),
        )
    }

    /// Where it stands, in a few words: `✅ Approved`.
    #[must_use]
    pub fn state_head(&self, state: &StateView) -> String {
        let key = match state {
            StateView::Checking => Key::HeadChecking,
            StateView::Waiting { .. } => Key::HeadWaiting,
            StateView::Approved { unasked: false, .. } => Key::HeadApproved,
            StateView::Approved { unasked: true, .. } => Key::HeadApprovedUnasked,
            StateView::Rejected { unasked: true, .. } => Key::HeadCouldNotAsk,
            StateView::Rejected { because: Some(_), .. } => Key::HeadForbidden,
            StateView::Rejected { because: None, .. } => Key::HeadDenied,
            StateView::Executing { stop_requested: false, .. } => Key::HeadRunning,
            StateView::Executing { stop_requested: true, .. } => Key::HeadStopping,
            StateView::Executed { outcome: OutcomeKind::Succeeded, .. } => Key::HeadSucceeded,
            StateView::Executed { outcome: OutcomeKind::Failed, .. } => Key::HeadFailed,
            StateView::Executed { outcome: OutcomeKind::Unknown, .. } => Key::HeadUnknown,
            StateView::Expired { how: ExpiredHow::Unanswered, .. } => Key::HeadUnanswered,
            StateView::Expired { how: ExpiredHow::Unasked, .. } => Key::HeadUnasked,
            StateView::Expired { how: ExpiredHow::Unused, .. } => Key::HeadUnused,
            StateView::Revoked { why: RevokedWhy::Withdrawn, .. } => Key::HeadWithdrawn,
            StateView::Revoked { why: RevokedWhy::Revoked, .. } => Key::HeadRevoked,
            StateView::Revoked { why: RevokedWhy::Superseded { .. }, .. } => Key::HeadSuperseded,
            StateView::Revoked { why: RevokedWhy::Rejudged { .. }, .. } => Key::HeadRejudged,
            StateView::Revoked { why: RevokedWhy::Forgotten { .. }, .. } => Key::HeadForgotten,
        };
        self.say(key.id(), None)
    }

    /// Who said what, what came of it, and which request it is:
    /// `Bo, 14:07: “temporary, can go” · Chen, 14:08 · ran 14:08, ok, 0.2 s · request 7Q4K-2M`.
    #[must_use]
    pub fn state_line(&self, view: &CardView, markup: &Markup<'_>) -> String {
        let mut parts = self.said_of(view, markup);
        parts.push(self.say(Key::LineRequest.id(), Some(&fluent_args!["code" => view.code.as_str()])));
        parts.join(DOT)
    }

    /// The same where it is clear which request it is.
    #[must_use]
    pub fn state_said(&self, view: &CardView, markup: &Markup<'_>) -> String {
        self.said_of(view, markup).join(DOT)
    }

    fn said_of(&self, view: &CardView, markup: &Markup<'_>) -> Vec<String> {
        let mut parts = self.parts(view, markup);
        parts.extend(self.review(view.grounds.as_ref(), markup));
        if let (Some(edited), false) = (&view.call.edited, view.is_waiting()) {
            let args = fluent_args!["who" => (markup.text)(edited.by.as_str())];
            parts.push(self.say(AfterKey::RecordEdited.id(), Some(&args)));
        }
        parts
    }

    fn parts(&self, view: &CardView, markup: &Markup<'_>) -> Vec<String> {
        let state = &view.state;
        let voters = |votes: &[VoteView]| -> Vec<String> {
            let votes = self.decided_by(Decision::Approve, votes, markup);
            votes.into_iter().chain(self.grounds(view.grounds.as_ref(), markup)).collect()
        };
        let at =
            |key: Key, at: Timestamp| self.say(key.id(), Some(&fluent_args!["when" => (markup.time)(at)]));
        match state {
            StateView::Checking => Vec::new(),
            StateView::Waiting { votes, .. } => {
                let mut parts: Vec<String> = self.needs_until(state, markup).into_iter().collect();
                if !votes.is_empty() {
                    parts.push(self.votes(votes, markup));
                }
                parts
            }
            StateView::Approved { votes, until, .. } => with(voters(votes), [at(Key::LineMayRun, *until)]),
            StateView::Rejected { earlier: true, reason, at: when, .. } => {
                let said = self.said_earlier(reason.as_ref(), markup);
                vec![said, at(Key::LineDenied, *when)]
            }
            StateView::Rejected { votes, because, unasked, at: when, .. } => {
                let key = if *unasked { Key::LineCouldNotAsk } else { Key::LineForbidden };
                let said = match because {
                    Some(because) => self.because(key, because, *when, markup),
                    None => at(Key::LineDenied, *when),
                };
                let (no, yes): (Vec<_>, Vec<_>) =
                    votes.iter().cloned().partition(|vote| vote.decision == Decision::Deny);
                let yes = (!yes.is_empty()).then(|| self.votes(&yes, markup));
                with(
                    with(
                        self.decided_by(Decision::Deny, &no, markup)
                            .into_iter()
                            .chain(self.grounds(view.grounds.as_ref(), markup))
                            .collect(),
                        yes,
                    ),
                    [said],
                )
            }
            StateView::Executing { votes, since, stop_requested } => {
                let key = if *stop_requested { Key::LineStopping } else { Key::LineRunning };
                with(voters(votes), [at(key, *since)])
            }
            StateView::Executed { votes, settled, .. } => {
                let settled = settled.as_ref().map(|settled| self.settled(settled, markup));
                with(voters(votes), [self.ran(state, markup)].into_iter().chain(settled))
            }
            StateView::Expired { votes, how, at: when } => {
                let said = self.said_before(votes, view.grounds.as_ref(), markup);
                let key = match how {
                    ExpiredHow::Unanswered => Key::LineUnanswered,
                    ExpiredHow::Unasked => Key::LineUnasked,
                    ExpiredHow::Unused => Key::LineUnused,
                };
                with(said, [at(key, *when)])
            }
            StateView::Revoked { votes, why, by, reason, at } => {
                let said = self.said_before(votes, view.grounds.as_ref(), markup);
                with(said, [self.revoked(why, (by, *at), reason.as_ref(), markup)])
            }
        }
    }

    /// Who had said what of something that came to nothing, and on whose word it could have run.
    fn said_before(
        &self,
        votes: &[VoteView],
        grounds: Option<&GroundsView>,
        markup: &Markup<'_>,
    ) -> Vec<String> {
        let votes = (!votes.is_empty()).then(|| self.votes(votes, markup));
        votes.into_iter().chain(self.grounds(grounds, markup)).collect()
    }

    /// On whose word it may run, where that is not the votes'.
    fn grounds(&self, grounds: Option<&GroundsView>, markup: &Markup<'_>) -> Option<String> {
        Some(match grounds? {
            GroundsView::Remembered { names, until } => {
                let names: Vec<String> = names.iter().map(|name| (markup.text)(name.as_str())).collect();
                let args = fluent_args!["who" => self.join(names), "when" => (markup.time)(*until)];
                self.say(Key::LineRemembered.id(), Some(&args))
            }
            GroundsView::Silence => self.say(Key::LineSilence.id(), None),
            GroundsView::Alone { name, reason, at, .. } if reason.as_str().is_empty() => {
                let args = fluent_args!["who" => (markup.text)(name.as_str()), "when" => (markup.time)(*at)];
                self.say(AfterKey::LineAloneBare.id(), Some(&args))
            }
            GroundsView::Alone { name, reason, at, .. } => {
                let args = fluent_args![
                    "who" => (markup.text)(name.as_str()),
                    "when" => (markup.time)(*at),
                    "reason" => (markup.text)(reason.as_str()),
                ];
                self.say(Key::LineAlone.id(), Some(&args))
            }
        })
    }

    /// Whether somebody else has looked at what one person decided alone; told whatever became of the request.
    #[must_use]
    pub fn review(&self, grounds: Option<&GroundsView>, markup: &Markup<'_>) -> Option<String> {
        let GroundsView::Alone { reviewed_by, .. } = grounds? else { return None };
        Some(match reviewed_by {
            None => self.say(Key::LineNotReviewed.id(), None),
            Some(who) => {
                self.say(Key::LineReviewed.id(), Some(&fluent_args!["who" => (markup.text)(who.as_str())]))
            }
        })
    }

    /// That people said no to the same call a moment before.
    fn said_earlier(&self, reason: Option<&Visible>, markup: &Markup<'_>) -> String {
        let line = self.say(Key::LineEarlier.id(), None);
        match reason {
            Some(reason) => {
                let args = fluent_args!["line" => line, "reason" => (markup.text)(reason.as_str())];
                self.say(Key::LineReason.id(), Some(&args))
            }
            None => line,
        }
    }

    fn because(&self, key: Key, because: &Visible, at: Timestamp, markup: &Markup<'_>) -> String {
        // `because` of a policy and `why` of a surface are the same argument under the name that fits the sentence.
        let because = (markup.text)(because.as_str());
        let args = fluent_args!["because" => because.as_str(), "why" => because.as_str(), "when" => (markup.time)(at)];
        self.say(key.id(), Some(&args))
    }

    /// How it ended.
    fn ran(&self, state: &StateView, markup: &Markup<'_>) -> String {
        let StateView::Executed { outcome, error, duration_ms, at, .. } = state else { return String::new() };
        let error = error.as_ref().map(|error| (markup.text)(error.as_str()));
        let key = match (outcome, &error) {
            (OutcomeKind::Succeeded, _) => Key::LineSucceeded,
            (OutcomeKind::Failed, Some(_)) => Key::LineFailed,
            (OutcomeKind::Failed, None) => Key::LineFailedBare,
            (OutcomeKind::Unknown, _) => Key::LineUnknown,
        };
        let args = fluent_args!["when" => (markup.time)(*at), "error" => error.unwrap_or_default()];
        let said = self.say(key.id(), Some(&args));
        match (outcome, duration_ms) {
            (OutcomeKind::Succeeded | OutcomeKind::Failed, Some(duration)) => {
                let args = fluent_args!["line" => said, "took" => self.duration(*duration)];
                self.say(Key::LineTook.id(), Some(&args))
            }
            (OutcomeKind::Unknown, _) | (_, None) => said,
        }
    }

    fn revoked(
        &self,
        why: &RevokedWhy,
        (by, at): (&Visible, Timestamp),
        reason: Option<&Visible>,
        markup: &Markup<'_>,
    ) -> String {
        let mut args: FluentArgs<'_> =
            fluent_args!["who" => (markup.text)(by.as_str()), "when" => (markup.time)(at)];
        let key = match why {
            RevokedWhy::Withdrawn => Key::LineWithdrawn,
            RevokedWhy::Revoked => Key::LineRevoked,
            RevokedWhy::Superseded { .. } => Key::LineSuperseded,
            RevokedWhy::Forgotten { .. } => Key::LineForgotten,
            RevokedWhy::Rejudged { rule } => {
                args.set("rule", markup.raw(&rule.rule));
                args.set("because", markup.raw(&rule.because));
                Key::LineRejudged
            }
        };
        let line = self.say(key.id(), Some(&args));
        match reason {
            Some(reason) => {
                let args = fluent_args!["line" => line, "reason" => (markup.text)(reason.as_str())];
                self.say(Key::LineReason.id(), Some(&args))
            }
            None => line,
        }
    }
}

fn with(mut parts: Vec<String>, more: impl IntoIterator<Item = String>) -> Vec<String> {
    parts.extend(more);
    parts
}
