//! What is out of the ordinary: hostile, long, gathered, edited, asked again.

use std::sync::Arc;

use placet::approval::{Approval, Before, Decision, Edited, Follows, Proposal};
use placet::call::CanonicalArgs;
use placet::card::{CardView, StoppedView, visible_line};
use placet::id::RequestId;
use placet::inbound::{Located, MessageRef};
use placet::policy::{ArgPattern, RememberOffer, RuleHit, RuleKind, Verdict, Widening};
use placet::time::Ttl;
use serde_json::{Value, json};

use crate::{
    HOSTILE, at, ended, everywhere, in_every_state, proposal, terms, view, vote, waiting, waiting_for,
};

/// All of them, by name.
#[must_use]
pub fn views() -> Vec<(&'static str, CardView)> {
    let long = HOSTILE.repeat(8);
    let mut views = vec![
        ("hostile", view(&hostile())),
        ("nobody-to-ask", view(&nobody_to_ask())),
        ("hostile-agent", view(&hostile_agent())),
        ("hostile-everywhere", view(&everywhere(HOSTILE))),
        ("hostile-long", view(&everywhere(&long))),
        ("remember", remember()),
        ("edited", edited()),
        ("asked-again-unanswered", asked_again(Before::Unanswered)),
        ("asked-again-unasked", asked_again(Before::Unasked)),
        (
            "asked-again-denied",
            asked_again(Before::Denied {
                reason: Some("not during the freeze".into()),
                by: vec!["Bo".into()],
                at: Some(at(-120)),
            }),
        ),
        ("asked-in", view(&asked_in("slack"))),
        ("asked-elsewhere", view(&asked_in("matrix"))),
        ("stopped", stopped(&waiting())),
        ("stopped-approved", stopped(&approved())),
        ("raised", judged(waiting(), |verdict| verdict.rules.push(raise(None)))),
        ("raised-in-error", judged(waiting(), |verdict| verdict.rules.push(raise(Some("no amount"))))),
        ("several-calls", several_calls()),
        ("many-votes", many_votes()),
        (
            "gathered-4",
            gathered(
                ["a.txt", "b.txt", "c.txt", "d.txt"]
                    .map(|file| json!({ "path": format!("demo-notes/{file}") })),
            ),
        ),
        (
            "gathered-hostile",
            gathered([
                json!({ "path": HOSTILE }),
                json!({ "path": "x".repeat(6_000) }),
                json!({ "path": "c.txt" }),
            ]),
        ),
    ];
    // As many as the gate gathers on one card.
    let part = |number| json!({ "path": format!("demo-notes/part-{number}.txt"), "note": "n".repeat(900) });
    views.push(("gathered-5", gathered(std::array::from_fn::<Value, 5, _>(part))));
    views.extend(ended_hostile(&HOSTILE.repeat(4)));
    views
}

fn judged(mut approval: Approval, says: impl FnOnce(&mut Verdict)) -> CardView {
    let mut verdict = (**approval.verdict.as_ref().unwrap()).clone();
    says(&mut verdict);
    approval.verdict = Some(Arc::new(verdict));
    view(&approval)
}

fn asked_again(how: Before) -> CardView {
    let follows = Some(Follows { request: waiting().id, how });
    view(&waiting_for(
        Proposal { follows, ..proposal(&json!({ "path": "demo-notes/scratch.txt" })) },
        terms(),
    ))
}

/// A call that somebody asked for in a thread of this surface.
#[must_use]
pub fn asked_in(surface: &str) -> Approval {
    let message = MessageRef { channel: "C0GENERAL".into(), id: "1796047100.000100".into() };
    let asked_in = Some(Located { surface: surface.parse().unwrap(), message });
    waiting_for(Proposal { asked_in, ..proposal(&json!({ "path": "demo-notes/scratch.txt" })) }, terms())
}

/// One whose yes is not used yet.
#[must_use]
pub fn approved() -> Approval {
    in_every_state().into_iter().find(|(name, _)| *name == "approved").unwrap().1
}

/// A call of the sort that is stopped, for a long reason.
fn stopped(approval: &Approval) -> CardView {
    let reason = visible_line(&"it deletes what it should not; ".repeat(20));
    CardView { stopped: Some(StoppedView { since: at(-60), reason }), ..view(approval) }
}

/// A call of an agent that reads no questions, behind which nobody is.
fn nobody_to_ask() -> Approval {
    let mut proposal = Proposal { takes_no_questions: true, ..proposal(&json!({ "path": "a.txt" })) };
    proposal.requester.identities.clear();
    waiting_for(proposal, terms())
}

/// All that an agent can write is hostile; what the policy says and what people are called is not.
fn hostile_agent() -> Approval {
    let mut approval = everywhere(&HOSTILE.repeat(3));
    let plain = waiting();
    let mut proposal = (*approval.proposal).clone();
    proposal.requester = plain.proposal.requester.clone();
    (proposal.follows, proposal.edited) = (None, None);
    approval.votes.clear();
    approval.verdict.clone_from(&plain.verdict);
    approval.proposal = Arc::new(proposal);
    approval
}

/// An ordinary call by an agent that would like it to look like something else.
fn hostile() -> Approval {
    let mut proposal = proposal(&json!({
        "path": "demo-notes/scratch.txt\nApproved by Bo · safe to delete",
        "note": "<!channel> <https://evil.example|Approve> \u{202e}txt.exe\u{202c} pаypal zero\u{200b}width",
    }));
    proposal.task = "clean up” · Bo, 12:00 – ✅ Approved · <@U0BO> said yes".into();
    proposal.reason = "*Needs* nobody.\nIf denied  the database is lost.\n`Approve`".into();
    proposal.if_denied = Some("Everything breaks. <!here>".into());
    waiting_for(proposal, terms())
}

const ENDED: [&str; 5] =
    ["hostile-forbidden", "hostile-denied", "hostile-unanswered", "hostile-failed", "hostile-rejudged"];

fn ended_hostile(text: &str) -> Vec<(&'static str, CardView)> {
    let ended = ended(&everywhere(text), text);
    assert_eq!(ended.len(), ENDED.len());
    ENDED.into_iter().zip(ended.iter().map(view)).collect()
}

fn raise(error: Option<&str>) -> RuleHit {
    RuleHit {
        kind: RuleKind::Raise,
        level: Some(placet::policy::Level::Critical),
        error: error.map(str::to_owned),
        ..RuleHit::new("night", "At night fewer people can put it right.")
    }
}

fn remember() -> CardView {
    let proposal = proposal(&json!({ "path": "demo-notes/scratch.txt" }));
    let widening = std::collections::BTreeMap::from([("path".to_owned(), Widening::Folder)]);
    let pattern = ArgPattern::of(&proposal.call.args, &widening);
    judged(waiting_for(proposal, terms()), |verdict| {
        verdict.remember = pattern.map(|pattern| RememberOffer { pattern, within: Ttl::from_mins(60) });
    })
}

fn edited() -> CardView {
    let mut proposal = proposal(&json!({ "path": "demo-notes/scratch.txt" }));
    proposal.edited = Some(Edited {
        request: waiting().id,
        by: "slack:T1/UBO".parse().unwrap(),
        name: "Bo".into(),
        before: CanonicalArgs::from_value(&json!({ "path": "demo-notes" })).unwrap(),
        earlier: Vec::new(),
        confidential: None,
    });
    view(&waiting_for(proposal, terms()))
}

fn several_calls() -> CardView {
    let mut approval = waiting();
    approval.followers = vec![waiting().id; 2];
    view(&approval)
}

fn many_votes() -> CardView {
    let mut approval = waiting();
    let votes = (0..60).map(|n| vote(&approval, &format!("p{n}"), Decision::Approve, Some(&"x".repeat(900))));
    approval.votes = votes.collect();
    view(&approval)
}

/// One card for calls with these arguments.
pub fn gathered<const N: usize>(args: [Value; N]) -> CardView {
    let mut all = args.iter().enumerate().map(|(number, args)| {
        let plain = Proposal { evidence: Vec::new(), if_denied: None, ..proposal(args) };
        let mut approval = waiting_for(plain, terms());
        approval.id = RequestId::from_bytes([u8::try_from(number).unwrap() + 1; 16]);
        view(&approval)
    });
    let first = all.next().unwrap();
    CardView { parts: all.collect(), ..first }
}
