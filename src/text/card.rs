//! Lines of the card that hold something of the request.

use fluent::{FluentArgs, fluent_args};

use super::deciding::NAME_CHARS_MAX;
use super::key::{Key, Label};
use super::list::DOT;
use super::{Markup, Texts};
use crate::approval::{Decision, Need};
use crate::card::escape::cut_end;
use crate::card::{AskedAgain, CallView, CardView, RuleView, StateView, VoteView, Warnings};
use crate::policy::{FigureName, RuleKind};

impl Texts {
    /// What is asked, in one line: what a notification shows.
    #[must_use]
    pub fn headline(&self, call: &CallView, markup: &Markup<'_>) -> String {
        let title = (markup.text)(call.title.as_str());
        self.say(Key::Headline.id(), Some(&fluent_args!["title" => title, "level" => self.level(call.level)]))
    }

    /// The task, who asked, and when.
    #[must_use]
    pub fn task(&self, call: &CallView, markup: &Markup<'_>) -> String {
        let args = fluent_args![
            "task" => (markup.text)(call.task.as_str()),
            "who" => (markup.text)(call.asked_by.as_str()),
            "when" => (markup.time)(call.asked_at),
        ];
        self.say(Key::TaskLine.id(), Some(&args))
    }

    /// A rule and why it says so; that it raised the level, and that its condition could not be evaluated.
    #[must_use]
    pub fn rule(&self, rule: &RuleView, markup: &Markup<'_>) -> String {
        let because = (markup.text)(rule.because.as_str());
        let key = match (rule.kind, because.is_empty()) {
            (RuleKind::Rule, false) => Key::RuleLine,
            (RuleKind::Rule, true) => Key::RuleLineBare,
            (RuleKind::Raise, false) => Key::RuleRaise,
            (RuleKind::Raise, true) => Key::RuleRaiseBare,
            (RuleKind::Forbid, false) => Key::RuleForbid,
            (RuleKind::Forbid, true) => Key::RuleForbidBare,
            (RuleKind::Default, false) => Key::RuleDefault,
            (RuleKind::Default, true) => Key::RuleDefaultBare,
        };
        let level = rule.raised_to.map(|level| self.level(level)).unwrap_or_default();
        let args = fluent_args![
            "rule" => (markup.text)(rule.rule.as_str()),
            "because" => because,
            "level" => level,
        ];
        let line = self.say(key.id(), Some(&args));
        match &rule.error {
            None => line,
            Some(error) => {
                let args = fluent_args!["line" => line, "error" => (markup.text)(error.as_str())];
                self.say(Key::RuleError.id(), Some(&args))
            }
        }
    }

    /// Amounts, counts and facts that matter, in one line; none where there are none.
    #[must_use]
    pub fn figures(&self, call: &CallView, markup: &Markup<'_>) -> Option<String> {
        let said = call.figures.iter().map(|figure| {
            let key = match figure.name {
                FigureName::Amount => Key::FigureAmount,
                FigureName::Count => Key::FigureCount,
                FigureName::Affected => Key::FigureAffected,
                FigureName::Environment => Key::FigureEnvironment,
                FigureName::DataLevel => Key::FigureDataLevel,
                FigureName::Reach => Key::FigureReach,
                FigureName::Reversible => Key::FigureReversible,
            };
            self.say(key.id(), Some(&fluent_args!["value" => (markup.text)(figure.value.as_str())]))
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| said.join(DOT))
    }

    /// All there is to know beside the call.
    #[must_use]
    pub fn remarks(&self, view: &CardView, markup: &Markup<'_>) -> Vec<String> {
        let hidden = self.redacted(view.call.redacted);
        let mut said = self.minds(view, markup);
        said.extend(hidden);
        said.extend(self.asides(view));
        said
    }

    /// What could change somebody's mind: that calls like it are stopped, oddities and where they are, that it is asked again,
    /// whose edit it is, how many calls a yes allows.
    #[must_use]
    pub fn minds(&self, view: &CardView, markup: &Markup<'_>) -> Vec<String> {
        let call = &view.call;
        let said = [
            self.stopped_line(view, markup),
            self.warnings_where(call, markup),
            self.elsewhere(call, markup),
            self.not_described(call),
            self.title_of_several(call, markup),
            self.asked_again(call.asked_again.as_ref(), markup),
            call.edited.as_ref().map(|edited| {
                let who = (markup.text)(&cut_end(edited.by.as_str(), NAME_CHARS_MAX).text);
                let own = if call.requester_may_approve { "yes" } else { "no" };
                self.say(Key::LineEdited.id(), Some(&fluent_args!["who" => who, "own" => own]))
            }),
            (call.calls > 1)
                .then(|| self.say(Key::LineCalls.id(), Some(&fluent_args!["count" => call.calls]))),
        ];
        said.into_iter().flatten().collect()
    }

    /// The warning that is said once more where a yes is asked for once more: the first of those that there are.
    #[must_use]
    pub fn warned(&self, call: &CallView, markup: &Markup<'_>) -> Option<String> {
        let again = call.asked_again.as_ref().filter(|how| matches!(how, AskedAgain::Denied { .. }));
        self.elsewhere(call, markup)
            .or_else(|| self.asked_again(again, markup))
            .or_else(|| self.not_described(call))
            .or_else(|| self.warnings(&call.warnings))
            .or_else(|| self.title_of_several(call, markup))
    }

    /// What is good to know besides: whose card it stands on, who may approve, that the policy only looks on.
    #[must_use]
    pub fn asides(&self, view: &CardView) -> Vec<String> {
        let call = &view.call;
        let said = [
            view.shares.then(|| self.label(Label::SharesCard)),
            call.requester_may_approve.then(|| self.label(Label::Solo)),
            call.shadow
                .map(|tier| self.say(Key::LineShadow.id(), Some(&fluent_args!["tier" => tier.to_string()]))),
        ];
        said.into_iter().flatten().collect()
    }

    /// Above several calls on one card.
    #[must_use]
    pub fn gathered(&self, count: usize, waiting: usize) -> String {
        self.say(Key::GatheredHead.id(), Some(&fluent_args!["count" => count, "waiting" => waiting]))
    }

    /// The button for a yes: `Approve`, `Approve 2 calls`, and with an ellipsis where it asks for a reason first.
    #[must_use]
    pub fn approve(&self, calls: u32, asks_why: bool) -> String {
        match (calls, asks_why) {
            (0 | 1, false) => self.label(Label::Approve),
            (0 | 1, true) => self.label(Label::ApproveWithReason),
            (calls, _) => {
                let asks = if asks_why { "yes" } else { "no" };
                self.say(Key::ButtonApproveCalls.id(), Some(&fluent_args!["count" => calls, "asks" => asks]))
            }
        }
    }

    /// `3 of 41 lines shown`.
    #[must_use]
    pub fn lines_shown(&self, shown: usize, total: usize) -> String {
        self.say(Key::LinesShown.id(), Some(&fluent_args!["shown" => shown, "total" => total]))
    }

    /// `Page 2 of 3`.
    #[must_use]
    pub fn page(&self, page: usize, total: usize) -> String {
        self.say(Key::PageOf.id(), Some(&fluent_args!["page" => page, "total" => total]))
    }

    /// How much of a text is not there.
    #[must_use]
    pub fn characters_left_out(&self, count: usize) -> String {
        self.say(Key::CharactersLeftOut.id(), Some(&fluent_args!["count" => count]))
    }

    /// That secrets are hidden; none if none are.
    #[must_use]
    pub fn redacted(&self, count: u32) -> Option<String> {
        (count > 0).then(|| self.say(Key::Redacted.id(), Some(&fluent_args!["count" => count])))
    }

    /// That it is not the first time, and what happened to the first; none where it is.
    #[must_use]
    pub fn asked_again(&self, earlier: Option<&AskedAgain>, markup: &Markup<'_>) -> Option<String> {
        Some(match earlier? {
            AskedAgain::Unanswered => self.label(Label::AskedAgainUnanswered),
            AskedAgain::Unasked => self.label(Label::AskedAgainUnasked),
            AskedAgain::Denied { reason, by, at } => self.denied_before(reason.as_ref(), (by, *at), markup),
        })
    }

    /// What to look at closely; none if there is nothing.
    #[must_use]
    pub fn warnings(&self, warnings: &Warnings) -> Option<String> {
        let found = [
            (Key::WarningInvisible, warnings.invisible),
            (Key::WarningBidi, warnings.bidi),
            (Key::WarningMixedScript, warnings.mixed_script),
            (Key::WarningCombining, warnings.combining),
        ];
        let said = found.into_iter().filter(|(_, count)| *count > 0);
        let said: Vec<String> =
            said.map(|(key, count)| self.say(key.id(), Some(&fluent_args!["count" => count]))).collect();
        let what = (!said.is_empty()).then(|| self.join(said))?;
        Some(self.say(Key::Warnings.id(), Some(&fluent_args!["what" => what])))
    }

    /// Who must say yes, and who has; none unless people are being asked. `2 admins · none yet`.
    #[must_use]
    pub fn needs(&self, state: &StateView, markup: &Markup<'_>) -> Option<String> {
        let StateView::Waiting { needs, stage: (stage, stages), as_well, .. } = state else {
            return None;
        };
        let mut parts = Vec::new();
        if *stages > 1 {
            parts.push(
                self.say(Key::NeedsStage.id(), Some(&fluent_args!["stage" => *stage, "stages" => *stages])),
            );
        }
        match &needs[..] {
            [need] => parts.extend([self.group(need, need.count, markup), self.has(need)]),
            several => {
                let groups = several.iter().map(|need| {
                    let args = fluent_args!["group" => self.group(need, need.count, markup), "has" => self.has(need)];
                    self.say(Key::NeedsGroupHas.id(), Some(&args))
                });
                parts.push(self.join(groups.collect()));
            }
        }
        if !as_well.is_empty() {
            let args = fluent_args!["roles" => self.roles(as_well, markup)];
            parts.push(self.say(Key::NeedsAsWell.id(), Some(&args)));
        }
        Some(parts.join(DOT))
    }

    /// That a vote was taken, and what is still needed; for surfaces that answer in words.
    #[must_use]
    pub fn counted(&self, decision: Decision, needs: &[Need], markup: &Markup<'_>) -> String {
        let open = needs.iter().filter(|need| need.have < need.count);
        let open: Vec<String> = open.map(|need| self.group(need, need.count - need.have, markup)).collect();
        let (key, args) = match decision {
            Decision::Deny => (Key::CountedNo, FluentArgs::new()),
            Decision::Approve if open.is_empty() => (Key::CountedYes, FluentArgs::new()),
            Decision::Approve => (Key::CountedYesMore, fluent_args!["needs" => self.join(open)]),
        };
        self.say(key.id(), Some(&args))
    }

    /// Who has said what, while it is open: `Bo said yes, 14:07: “temporary, can go” · Chen said no, 14:08`.
    #[must_use]
    pub fn votes(&self, votes: &[VoteView], markup: &Markup<'_>) -> String {
        let said = votes.iter().map(|vote| {
            let key = match vote.decision {
                Decision::Approve => Key::VoteYes,
                Decision::Deny => Key::VoteNo,
            };
            self.vote(key, vote, markup)
        });
        said.collect::<Vec<_>>().join(DOT)
    }

    pub(super) fn vote(&self, key: Key, vote: &VoteView, markup: &Markup<'_>) -> String {
        let args = fluent_args!["name" => self.voter(vote, markup), "when" => (markup.time)(vote.at)];
        let said = self.assured(self.say(key.id(), Some(&args)), vote);
        match &vote.note {
            Some(note) if !note.as_str().trim().is_empty() => {
                let args = fluent_args!["vote" => said, "note" => (markup.text)(note.as_str())];
                self.say(Key::VoteNote.id(), Some(&args))
            }
            Some(_) | None => said,
        }
    }

    /// Who votes, and for whom they stand in.
    fn voter(&self, vote: &VoteView, markup: &Markup<'_>) -> String {
        let name = (markup.text)(vote.name.as_str());
        if vote.stands_in_for.is_empty() {
            return name;
        }
        let others = vote.stands_in_for.iter().map(|other| (markup.text)(other.as_str()));
        let args = fluent_args!["name" => name, "others" => self.join(others.collect())];
        self.say(Key::VoteFor.id(), Some(&args))
    }

    fn group(&self, need: &Need, count: u32, markup: &Markup<'_>) -> String {
        let args = fluent_args!["count" => count, "role" => self.role(&need.role, count, markup)];
        self.say(Key::NeedsGroup.id(), Some(&args))
    }

    fn has(&self, need: &Need) -> String {
        let key = if need.have == 0 { Key::NeedsNone } else { Key::NeedsSome };
        self.say(key.id(), Some(&fluent_args!["have" => need.have, "count" => need.count]))
    }
}
