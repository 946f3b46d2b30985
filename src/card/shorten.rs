//! Views with less in them: the same view, long texts cut to what a message holds.
//!
//! Room is counted in bytes of JSON, as the bounds of chat services on a message are. A cut says how many characters are
//! left out.

use super::escape::cut_end;
use super::{
    CallView, CardView, EditedView, EvidenceView, FigureView, GroundsView, RuleView, StateView, Visible,
    VoteView,
};
use crate::approval::RevokedWhy;
use crate::policy::RuleHit;

/// Votes on a card; of more, the last ones stand there.
const VOTES_MAX: usize = 8;
/// Room for a name.
const NAME_BYTES: usize = 80;
/// Room for a note on a card.
const NOTE_BYTES: usize = 120;
/// Room for why it was not asked, denied, revoked, or failed.
const BECAUSE_BYTES: usize = 400;
/// Characters of the reason of a rule that revoked something.
const HIT_CHARS: usize = 200;
/// Rules on a shortened card.
const RULES_MAX: usize = 3;
/// Pieces of evidence on a shortened card.
const EVIDENCE_MAX: usize = 3;

/// The view with what people and outcomes said cut to size, and the call untouched.
#[must_use]
pub fn state(view: &CardView) -> CardView {
    let mut shown = view.clone();
    match &mut shown.state {
        StateView::Checking => {}
        StateView::Waiting { votes, .. }
        | StateView::Approved { votes, .. }
        | StateView::Expired { votes, .. }
        | StateView::Executing { votes, .. } => shorten_votes(votes),
        StateView::Rejected { votes, because, reason, .. } => {
            shorten_votes(votes);
            shorten_optional(reason, BECAUSE_BYTES);
            shorten_optional(because, BECAUSE_BYTES);
        }
        StateView::Executed { votes, error, .. } => {
            shorten_votes(votes);
            shorten_optional(error, BECAUSE_BYTES);
        }
        StateView::Revoked { votes, why, by, reason, .. } => {
            shorten_votes(votes);
            if let RevokedWhy::Rejudged { rule } = why {
                shorten_hit(rule);
            }
            *by = fit(by, NAME_BYTES);
            shorten_optional(reason, BECAUSE_BYTES);
        }
    }
    if let Some(GroundsView::Alone { reason, .. }) = &mut shown.grounds {
        *reason = fit(reason, BECAUSE_BYTES);
    }
    shown
}

/// The view with everything cut to size, `share` percent of the usual.
#[must_use]
pub fn view(view: &CardView, share: usize) -> CardView {
    let mut shown = state(view);
    let room = |bytes: usize| bytes * share / 100;
    let call = CallView {
        tool: fit(&view.call.tool, room(200)),
        args_json: fit(&view.call.args_json, room(1_600)),
        effect: view.call.effect.as_ref().map(|text| fit(text, room(400))),
        figures: view
            .call
            .figures
            .iter()
            .map(|figure| FigureView { value: fit(&figure.value, room(60)), ..figure.clone() })
            .collect(),
        edited: view.call.edited.as_ref().map(|edited| EditedView {
            by: fit(&edited.by, room(120)),
            changes: fit(&edited.changes, room(900)),
        }),
        preview: view.call.preview.as_ref().map(|text| fit(text, room(900))),
        task: fit(&view.call.task, room(300)),
        reason: fit(&view.call.reason, room(500)),
        asked_by: fit(&view.call.asked_by, room(120)),
        rules: view.call.rules.iter().take(RULES_MAX).map(|rule| shorten_rule(rule, &room)).collect(),
        evidence: view
            .call
            .evidence
            .iter()
            .take(EVIDENCE_MAX)
            .map(|piece| shorten_evidence(piece, &room))
            .collect(),
        if_denied: view.call.if_denied.as_ref().map(|text| fit(text, room(300))),
        ..view.call.clone()
    };
    shown.call = call;
    shown
}

fn shorten_rule(rule: &RuleView, room: &impl Fn(usize) -> usize) -> RuleView {
    RuleView {
        rule: fit(&rule.rule, room(100)),
        because: fit(&rule.because, room(300)),
        error: rule.error.as_ref().map(|error| fit(error, room(200))),
        ..rule.clone()
    }
}

fn shorten_evidence(piece: &EvidenceView, room: &impl Fn(usize) -> usize) -> EvidenceView {
    EvidenceView {
        title: fit(&piece.title, room(160)),
        uri: piece.uri.as_ref().map(|uri| fit(uri, room(120))),
        excerpt: piece.excerpt.as_ref().map(|text| fit(text, room(160))),
    }
}

fn shorten_votes(votes: &mut Vec<VoteView>) {
    votes.drain(..votes.len().saturating_sub(VOTES_MAX));
    for vote in votes {
        vote.name = fit(&vote.name, NAME_BYTES);
        shorten_optional(&mut vote.note, NOTE_BYTES);
    }
}

fn shorten_optional(text: &mut Option<Visible>, bytes: usize) {
    if let Some(text) = text {
        *text = fit(text, bytes);
    }
}

/// A policy author's rule in a state; it is made visible only when it is written.
fn shorten_hit(rule: &mut RuleHit) {
    rule.rule = cut_end(&rule.rule, HIT_CHARS / 2).text;
    rule.because = cut_end(&rule.because, HIT_CHARS).text;
}

/// The text, cut so that it takes at most so many bytes as JSON.
#[must_use]
pub fn fit(text: &Visible, bytes_max: usize) -> Visible {
    let mut bytes = 0;
    let fitting = text.as_str().chars().take_while(|character| {
        bytes += json_bytes_of(*character);
        bytes <= bytes_max
    });
    let mut chars_max = fitting.count();
    if bytes <= bytes_max {
        return text.clone();
    }
    loop {
        let (cut, _) = text.cut_end(chars_max);
        let bytes = json_bytes(cut.as_str());
        if bytes <= bytes_max || chars_max == 0 {
            return cut;
        }
        // In proportion, and at least one less: few rounds, and surely an end.
        chars_max = (chars_max * bytes_max / bytes).min(chars_max - 1);
    }
}

/// What the text takes within a JSON string.
#[must_use]
pub fn json_bytes(text: &str) -> usize {
    text.chars().map(json_bytes_of).sum()
}

fn json_bytes_of(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\t' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}
