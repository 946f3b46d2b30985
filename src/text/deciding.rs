//! What somebody must see at once who decides: how bad it is, by when, what their yes does, and why there is none.

use std::cell::Cell;

use fluent::fluent_args;

use super::key::Key;
use super::list::DOT;
use super::{DialogText, Label, Markup, Texts};
use crate::approval::Decision;
use crate::card::escape::{cut_end, shorten_middle};
use crate::card::{CallView, CardView, StateView, Visible, VoteView, Warnings};
use crate::policy::{FigureName, Level};
use crate::time::Timestamp;

keys! {
    /// A text that needs nothing inserted.
    pub enum DecidingLabel {
        /// Before the time by which an answer must be there.
        AnswerBy = "label-answer-by",
        /// Before what a yes does.
        IfApproved = "label-if-approved",
        /// Before what the agent says it does after a no.
        Then = "label-then",
        /// Where the agent says nothing.
        NotGiven = "not-given",
        /// Where the policy says nothing of the effect.
        EffectUnknown = "effect-unknown",
        /// Where no rule is named.
        NoRule = "no-rule",
        /// In the dialog for a no: what happens then.
        DenyThen = "deny-then",
        /// Why there is no way to approve where a part is shown only.
        NoApprovePartly = "no-approve-partly",
    }
}

keys! {
    /// A text that this module puts together.
    pub(super) enum DecidingKey {
        TitleLine = "title-line",
        LevelLow = "level-head-low",
        LevelMedium = "level-head-medium",
        LevelHigh = "level-head-high",
        LevelCritical = "level-head-critical",
        AskedByAndCode = "asked-by-and-code",
        AnswerBy = "answer-by",
        AnswerBySilence = "answer-by-silence",
        IfApprovedLast = "if-approved-last",
        IfApprovedMore = "if-approved-more",
        IfApprovedStage = "if-approved-stage",
        IfDenied = "if-denied",
        SureUndone = "sure-undone",
        SureEffect = "sure-effect",
        WarningsSevere = "warnings-severe",
        Elsewhere = "elsewhere",
        NotDescribed = "not-described",
        CriticalText = "critical-text",
        CriticalTitle = "critical-title-alone",
        CriticalWhat = "critical-what",
        CriticalLast = "critical-last",
        CriticalMore = "critical-more",
        CriticalStage = "critical-stage",
        CriticalShown = "critical-shown",
        CriticalUndone = "critical-undone",
        CriticalEffect = "critical-effect",
        CriticalCut = "critical-cut",
        ArgumentSaid = "argument-said",
        WarningsWhere = "warnings-where",
        TitleOfSeveral = "title-of-several",
        AskedAgainDenied = "asked-again-denied",
        AskedAgainDeniedBy = "asked-again-denied-by",
        NoArguments = "no-arguments",
        NoApproveHidden = "no-approve-hidden",
        NoApproveHiddenHere = "no-approve-hidden-here",
        ButtonRemember = "button-remember",
        RememberScope = "remember-scope",
        ApprovedBy = "approved-by",
        DeniedBy = "denied-by",
    }
}

/// Room for the title where a yes is asked for once more, in characters: what the yes does must stand there whole.
const TITLE_CHARS_MAX: usize = 90;
/// The same where arguments stand beside it.
const TITLE_BESIDE_CHARS_MAX: usize = 60;
/// Room for the arguments there, together.
const ARGUMENTS_CHARS_MAX: usize = 90;
/// Room for what the agent's words name in place of where the call takes effect.
const OTHER_PLACE_CHARS_MAX: usize = 40;
/// Arguments that stand there beside the title.
const ARGUMENTS_MAX: usize = 2;
/// Room for the effect there.
const EFFECT_CHARS_MAX: usize = 60;
/// The names of fields in which something is odd; of more, the number is told.
const FIELDS_MAX: usize = 6;
/// So many odd characters and words are no accident.
const SEVERE_MIN: u32 = 20;
/// Room for a name in a remark: a person's, or an argument's. A long one must not push Placet's own words out of it.
pub(super) const NAME_CHARS_MAX: usize = 40;
/// Room for the reason of an earlier no in a remark.
const REASON_CHARS_MAX: usize = 160;

/// Makes texts short where a yes is asked for once more, and remembers that it did.
struct Short<'a> {
    /// Of the usual room, in percent.
    share: usize,
    markup: &'a Markup<'a>,
    is_cut: Cell<bool>,
}

impl Short<'_> {
    fn within(&self, text: &str, room: usize) -> String {
        let cut = shorten_middle(text, room * self.share / 100);
        self.is_cut.set(self.is_cut.get() || cut.left_out > 0);
        (self.markup.text)(&cut.text)
    }
}

impl Texts {
    /// A text that needs nothing inserted.
    #[must_use]
    pub fn deciding(&self, label: DecidingLabel) -> String {
        self.say(label.id(), None)
    }

    /// How bad it is, and what will happen: `CRITICAL · Delete 1 file`. The level stands first, so that no title can push
    /// it out of sight.
    #[must_use]
    pub fn title_line(&self, call: &CallView, title: &str) -> String {
        let key = match call.level {
            Level::Low => DecidingKey::LevelLow,
            Level::Medium => DecidingKey::LevelMedium,
            Level::High => DecidingKey::LevelHigh,
            Level::Critical => DecidingKey::LevelCritical,
        };
        let args = fluent_args!["level" => self.say(key.id(), None), "title" => title];
        self.say(DecidingKey::TitleLine.id(), Some(&args))
    }

    /// Who asked, where in the surface's own words, when, and what people call the request.
    #[must_use]
    pub fn asked_by_and_code(&self, view: &CardView, place: Option<&str>, markup: &Markup<'_>) -> String {
        let asked = self.asked_by_in(&view.call, place, markup);
        let args = fluent_args!["asked" => asked, "code" => view.code.as_str()];
        self.say(DecidingKey::AskedByAndCode.id(), Some(&args))
    }

    /// By when an answer must be there, and what silence means; none unless people are being asked.
    #[must_use]
    pub fn answer_by(&self, state: &StateView, markup: &Markup<'_>) -> Option<String> {
        let StateView::Waiting { until, silence_approves, .. } = state else { return None };
        let key = if *silence_approves { DecidingKey::AnswerBySilence } else { DecidingKey::AnswerBy };
        Some(self.say(key.id(), Some(&fluent_args!["when" => (markup.time)(*until)])))
    }

    /// What a yes does, as far as the card knows: whether it may run then, and for how long; none unless people are being
    /// asked.
    #[must_use]
    pub fn if_approved(&self, call: &CallView, state: &StateView) -> Option<String> {
        let StateView::Waiting { valid_for, stage: (stage, stages), .. } = state else { return None };
        let span = self.span(*valid_for);
        let (key, args) = match open_places(state) {
            0 => return None,
            1 if stage < stages => {
                (DecidingKey::IfApprovedStage, fluent_args!["stage" => *stage, "stages" => *stages])
            }
            1 => (DecidingKey::IfApprovedLast, fluent_args!["count" => call.calls, "span" => span]),
            open => (DecidingKey::IfApprovedMore, fluent_args!["open" => open, "span" => span]),
        };
        Some(self.say(key.id(), Some(&args)))
    }

    /// Before what the agent says it does after a no.
    #[must_use]
    pub fn then_in_the_agents_words(&self) -> String {
        self.of_the_agent(&self.deciding(DecidingLabel::Then))
    }

    /// What a no does.
    #[must_use]
    pub fn if_denied(&self, state: &StateView) -> String {
        match state {
            StateView::Waiting { denials_left, .. } => {
                self.say(DecidingKey::IfDenied.id(), Some(&fluent_args!["left" => (*denials_left).max(1)]))
            }
            _ => self.label(Label::IfDeniedDefault),
        }
    }

    /// Above the question whether somebody is sure of their yes; none where a yes is not asked for once more: it is where
    /// it is critical or cannot be undone, and where nobody knows the effect of what is risky.
    #[must_use]
    pub fn sure(&self, call: &CallView) -> Option<String> {
        if call.level == Level::Critical {
            return Some(self.dialog(DialogText::CriticalTitle));
        }
        let key = match &call.effect {
            _ if is_final(call) => DecidingKey::SureUndone,
            None if call.level == Level::High => DecidingKey::SureEffect,
            _ => return None,
        };
        Some(self.say(key.id(), None))
    }

    /// Who must say yes, who has, and until when, in one line; none unless people are being asked.
    #[must_use]
    pub fn needs_until(&self, state: &StateView, markup: &Markup<'_>) -> Option<String> {
        let StateView::Waiting { until, .. } = state else { return None };
        let until = self.say(Key::NeedsUntil.id(), Some(&fluent_args!["when" => (markup.time)(*until)]));
        let needs = self.needs(state, markup)?;
        Some([needs, until].join(DOT))
    }

    /// Who must say yes, by when, and what a yes does: each with its label. Where nobody can say it, only by when.
    #[must_use]
    pub fn terms(
        &self,
        call: &CallView,
        state: &StateView,
        can_be_approved: bool,
        markup: &Markup<'_>,
    ) -> Vec<(String, String)> {
        let answer_by = (self.deciding(DecidingLabel::AnswerBy), self.answer_by(state, markup));
        let said = if can_be_approved {
            vec![
                (self.label(Label::Needs), self.needs(state, markup)),
                answer_by,
                (self.deciding(DecidingLabel::IfApproved), self.if_approved(call, state)),
            ]
        } else {
            vec![answer_by]
        };
        said.into_iter().filter_map(|(label, said)| Some((label, said?))).collect()
    }

    /// What a yes to a critical call does: to what, whether it may run then, and that it cannot be undone where the policy
    /// knows that; else what it says of the effect.
    #[must_use]
    pub fn critical(&self, call: &CallView, state: &StateView, markup: &Markup<'_>) -> String {
        self.critical_within(call, state, (100, markup))
    }

    /// The same, in which title, arguments and effect have this percentage of their room. What is too long loses its middle,
    /// for a command or a query begins with what it does and ends with what it does it to; and it is said that it does.
    #[must_use]
    pub fn critical_within(
        &self,
        call: &CallView,
        state: &StateView,
        (share, markup): (usize, &Markup<'_>),
    ) -> String {
        let short = Short { share, markup, is_cut: Cell::new(false) };
        let args = fluent_args!["what" => self.what(call, &short), "does" => self.does(call, state)];
        let text = self.say(DecidingKey::CriticalText.id(), Some(&args));
        let text = match &call.effect {
            _ if is_final(call) => {
                self.say(DecidingKey::CriticalUndone.id(), Some(&fluent_args!["text" => text]))
            }
            Some(effect) => {
                let effect = short.within(effect.as_str(), EFFECT_CHARS_MAX);
                let args = fluent_args!["text" => text, "effect" => effect];
                self.say(DecidingKey::CriticalEffect.id(), Some(&args))
            }
            None => text,
        };
        if short.is_cut.get() {
            return self.say(DecidingKey::CriticalCut.id(), Some(&fluent_args!["text" => text]));
        }
        text
    }

    /// The title, with the arguments that decide and do not stand in it whole.
    fn what(&self, call: &CallView, short: &Short<'_>) -> String {
        let title = call.title.as_str();
        let is_missing = |value: &str| !value.trim().is_empty() && !title.contains(value.trim());
        let others = call.args.iter().filter(|arg| arg.leading && is_missing(arg.value.as_str()));
        let others: Vec<_> = others.take(ARGUMENTS_MAX).collect();
        let room = ARGUMENTS_CHARS_MAX / others.len().max(1);
        let said = others.iter().map(|arg| {
            let value = arg.value.as_str().trim().replace('\n', "⏎");
            let args = fluent_args![
                "name" => (short.markup.text)(&cut_end(arg.name.as_str(), NAME_CHARS_MAX).text),
                "value" => within_quotes(&short.within(&value, room)),
            ];
            self.say(DecidingKey::ArgumentSaid.id(), Some(&args))
        });
        let said: Vec<String> = said.collect();
        if said.is_empty() {
            let title = short.within(title, TITLE_CHARS_MAX);
            return self.say(DecidingKey::CriticalTitle.id(), Some(&fluent_args!["title" => title]));
        }
        let title = short.within(title, TITLE_BESIDE_CHARS_MAX);
        let args = fluent_args!["title" => title, "others" => self.join(said)];
        self.say(DecidingKey::CriticalWhat.id(), Some(&args))
    }

    /// Whether it may run once this yes is counted, as far as the card knows.
    fn does(&self, call: &CallView, state: &StateView) -> String {
        let StateView::Waiting { stage: (stage, stages), .. } = state else {
            return self.say(DecidingKey::CriticalShown.id(), None);
        };
        let (key, args) = match open_places(state) {
            0 => (DecidingKey::CriticalShown, None),
            1 if stage < stages => {
                (DecidingKey::CriticalStage, Some(fluent_args!["stage" => *stage, "stages" => *stages]))
            }
            1 => (DecidingKey::CriticalLast, Some(fluent_args!["count" => call.calls])),
            open => (DecidingKey::CriticalMore, Some(fluent_args!["open" => open])),
        };
        self.say(key.id(), args.as_ref())
    }

    /// What to look at closely, and in which fields; none if there is nothing.
    #[must_use]
    pub fn warnings_where(&self, call: &CallView, markup: &Markup<'_>) -> Option<String> {
        let said = self.warnings(&call.warnings)?;
        let own = |label: Label, warnings: Warnings| warnings.any().then(|| self.label(label));
        let in_one = |text: Option<&Visible>| text.map_or(Warnings::default(), Visible::warnings);
        let mut fields: Vec<String> = Vec::new();
        for arg in &call.args {
            if arg.name.warnings().merge(arg.value.warnings()).any() {
                let name = cut_end(arg.name.as_str(), NAME_CHARS_MAX).text;
                fields.push((markup.text)(&name));
            }
        }
        let evidence = call.evidence.iter().fold(Warnings::default(), |all, piece| {
            all.merge(piece.title.warnings())
                .merge(in_one(piece.uri.as_ref()))
                .merge(in_one(piece.excerpt.as_ref()))
        });
        let rules = call.rules.iter().fold(Warnings::default(), |all, rule| {
            all.merge(rule.rule.warnings()).merge(rule.because.warnings()).merge(in_one(rule.error.as_ref()))
        });
        let others = [
            own(Label::Task, call.task.warnings()),
            own(Label::AgentReason, call.reason.warnings()),
            own(Label::BasedOn, evidence),
            own(Label::IfDenied, in_one(call.if_denied.as_ref())),
            own(Label::Preview, in_one(call.preview.as_ref())),
            own(Label::Effect, in_one(call.effect.as_ref())),
            own(Label::WhyAsk, rules),
            own(Label::Changes, in_one(call.edited.as_ref().map(|edited| &edited.changes))),
        ];
        fields.extend(others.into_iter().flatten());
        let more = fields.len().saturating_sub(FIELDS_MAX);
        fields.truncate(FIELDS_MAX);
        let severe = |said: String| {
            if call.warnings.total() < SEVERE_MIN {
                return said;
            }
            self.say(DecidingKey::WarningsSevere.id(), Some(&fluent_args!["said" => said]))
        };
        if fields.is_empty() {
            return Some(severe(said));
        }
        let mut fields = self.join(fields);
        if more > 0 {
            fields.push_str(&format!(" … +{more}"));
        }
        let args = fluent_args!["said" => said, "fields" => fields];
        Some(severe(self.say(DecidingKey::WarningsWhere.id(), Some(&args))))
    }

    /// That the agent's words name another place than the call's; none where they do not.
    pub(super) fn elsewhere(&self, call: &CallView, markup: &Markup<'_>) -> Option<String> {
        let found = call.elsewhere.as_ref()?;
        let said = |text: &Visible| {
            within_quotes(&(markup.text)(&cut_end(text.as_str(), OTHER_PLACE_CHARS_MAX).text))
        };
        let args = fluent_args![
            "name" => (markup.text)(found.name.as_str()),
            "value" => said(&found.value),
            "named" => said(&found.named),
        ];
        Some(self.say(DecidingKey::Elsewhere.id(), Some(&args)))
    }

    /// That the policy says nothing of the tool; none where it does.
    pub(super) fn not_described(&self, call: &CallView) -> Option<String> {
        (!call.is_described).then(|| self.say(DecidingKey::NotDescribed.id(), None))
    }

    /// That the title has the first line of an argument only; none where it has all of it.
    #[must_use]
    pub fn title_of_several(&self, call: &CallView, markup: &Markup<'_>) -> Option<String> {
        let is_cut = |value: &str| {
            let mut lines = value.trim().lines();
            let first = lines.next().unwrap_or_default();
            !first.is_empty() && lines.next().is_some() && call.title.as_str().contains(&format!("{first}…"))
        };
        let arg = call.args.iter().find(|arg| is_cut(arg.value.as_str()))?;
        let name = (markup.text)(&cut_end(arg.name.as_str(), NAME_CHARS_MAX).text);
        let count = arg.value.as_str().trim().lines().count();
        Some(
            self.say(DecidingKey::TitleOfSeveral.id(), Some(&fluent_args!["name" => name, "count" => count])),
        )
    }

    /// That people said no to it before: who, when, and why.
    pub(super) fn denied_before(
        &self,
        reason: Option<&Visible>,
        (by, at): (&[Visible], Option<Timestamp>),
        markup: &Markup<'_>,
    ) -> String {
        let said = match at.filter(|_| !by.is_empty()) {
            None => self.say(DecidingKey::AskedAgainDenied.id(), None),
            Some(at) => {
                let name = |name: &Visible| (markup.text)(&cut_end(name.as_str(), NAME_CHARS_MAX).text);
                let who = by.iter().map(name).collect();
                let args = fluent_args!["who" => self.join(who), "when" => (markup.time)(at)];
                self.say(DecidingKey::AskedAgainDeniedBy.id(), Some(&args))
            }
        };
        match reason {
            None => said,
            Some(reason) => {
                let reason = cut_end(reason.as_str(), REASON_CHARS_MAX).text;
                let reason = within_quotes(&(markup.text)(&reason));
                let args = fluent_args!["line" => said, "reason" => reason];
                self.say(Key::LineReason.id(), Some(&args))
            }
        }
    }

    /// That there are no arguments, and what stands for them.
    #[must_use]
    pub fn no_arguments(&self, json: &str) -> String {
        self.say(DecidingKey::NoArguments.id(), Some(&fluent_args!["json" => json]))
    }

    /// Why there is no way to approve on a card that hides secrets or shows a part, and where it is.
    #[must_use]
    pub fn no_approve(&self, redacted: u32, state: &StateView) -> String {
        if redacted == 0 {
            return self.deciding(DecidingLabel::NoApprovePartly);
        }
        let relaxed = matches!(state, StateView::Waiting { partial_view_may_approve: true, .. });
        let key = if relaxed { DecidingKey::NoApproveHiddenHere } else { DecidingKey::NoApproveHidden };
        self.say(key.id(), Some(&fluent_args!["count" => redacted]))
    }

    /// The button for a yes that is remembered, with its exact scope, and that first: `For 1 h: path=demo-notes/…`. None
    /// where nothing may be remembered.
    #[must_use]
    pub fn remember(&self, call: &CallView, markup: &Markup<'_>) -> Option<String> {
        let offer = call.remember.as_ref()?;
        let args = fluent_args![
            "span" => self.span(offer.within),
            "pattern" => (markup.text)(offer.pattern.as_str()),
        ];
        Some(self.say(DecidingKey::ButtonRemember.id(), Some(&args)))
    }

    /// What that button does, in full.
    #[must_use]
    pub fn remember_scope(&self, call: &CallView, markup: &Markup<'_>) -> Option<String> {
        let offer = call.remember.as_ref()?;
        let args = fluent_args![
            "span" => self.span(offer.within),
            "tool" => (markup.text)(call.tool.as_str()),
            "pattern" => (markup.text)(offer.pattern.as_str()),
        ];
        Some(self.say(DecidingKey::RememberScope.id(), Some(&args)))
    }

    /// Who decided, in one part of a line; none where nobody voted so.
    pub(super) fn decided_by(
        &self,
        decision: Decision,
        votes: &[VoteView],
        markup: &Markup<'_>,
    ) -> Option<String> {
        let key = match decision {
            Decision::Approve => DecidingKey::ApprovedBy,
            Decision::Deny => DecidingKey::DeniedBy,
        };
        let said: Vec<String> = votes.iter().map(|vote| self.vote(Key::Vote, vote, markup)).collect();
        (!said.is_empty()).then(|| self.say(key.id(), Some(&fluent_args!["votes" => said.join(DOT)])))
    }
}

/// How many more yeses this stage takes.
fn open_places(state: &StateView) -> u32 {
    let StateView::Waiting { needs, .. } = state else { return 0 };
    needs.iter().map(|need| need.count.saturating_sub(need.have)).sum()
}

/// Whether the policy says that it cannot be undone.
fn is_final(call: &CallView) -> bool {
    call.figures.iter().any(|one| one.name == FigureName::Reversible && one.value.as_str() == "no")
}

/// A text that stands between quotation marks of the catalogue: its own become single ones, so that the end is seen.
pub(super) fn within_quotes(text: &str) -> String {
    text.replace(['“', '„'], "‘").replace('”', "’")
}
