//! The view is made from the record alone, and shows what runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::approval::{Command, Edited, Evidence, Facts, Proposal, Requester};
use crate::call::{CanonicalArgs, PolicyDigest, ToolCall};
use crate::id::{AgentId, CredentialId, TenantId, ToolName};
use crate::policy::{
    ArgPattern, Figure, FigureName, Group, Level, PolicyVersion, RememberOffer, RuleHit, RuleKind, Shadow,
    Stage, Terms, Tier, Verdict,
};
use crate::time::{Timestamp, Ttl};

fn approval(args: &Value, words: &str, verdict: impl FnOnce(&mut Verdict)) -> Approval {
    let now = Timestamp::from_secs(1_800_000_000);
    let tenant = TenantId::new("acme").unwrap();
    let id = RequestId::from_bytes([1; 16]);
    let proposal = Proposal {
        call: ToolCall {
            agent: AgentId::new("cleaner").unwrap(),
            server: None,
            tool: ToolName::new("send_mail").unwrap(),
            tool_schema_hash: None,
            args: CanonicalArgs::from_value(args).unwrap(),
            preconditions: BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("agent-1").unwrap(),
            identities: Vec::new(),
            shown_as: words.into(),
        },
        run: None,
        session: None,
        task: words.into(),
        reason: words.into(),
        evidence: vec![Evidence {
            id: "e1".into(),
            title: words.into(),
            uri: Some(words.into()),
            excerpt: Some(words.into()),
        }],
        preview: Some(words.into()),
        if_denied: Some(words.into()),
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    };
    let mut judged = Verdict {
        tier: Tier::Approve,
        level: Level::High,
        rules: vec![RuleHit::new("mail", "It leaves the house.")],
        policy: PolicyVersion { label: "test".into(), digest: PolicyDigest::of(b"") },
        terms: Some(Terms {
            stages: vec![Stage {
                groups: vec![Group { role: crate::id::Role::new("admin").unwrap(), count: 1 }],
            }],
            decide_within: Ttl::from_mins(30),
            valid_for: Ttl::from_mins(10),
            alarm_after: Ttl::from_mins(10),
            requester_may_approve: false,
            reason_for_yes: false,
            reason_for_no: false,
            denials_to_reject: 1,
            partial_view_may_approve: false,
            approve_on_timeout: false,
            places: Vec::new(),
            ..Terms::one_of(crate::id::Role::new("admin").unwrap())
        }),
        title: None,
        effect: None,
        leading_args: Vec::new(),
        figures: Vec::new(),
        always_ask: false,
        remember: None,
        shadow: None,
        confidential: None,
        circumstances: None,
    };
    verdict(&mut judged);
    let proposed = Approval::propose(id, &tenant, ShortCode::of(id, 0), Arc::new(proposal), now);
    let checking = proposed.next().decide(&Command::Check, &Facts::none(now), now).unwrap();
    let command = Command::judged(Arc::new(judged));
    checking.next().decide(&command, &Facts::none(now), now).unwrap().into_parts().0
}

/// R27: arguments that decide come first; a policy's own order before the usual one.
#[test]
fn what_decides_comes_first() {
    let args = json!({"body": "hello", "zz": 1, "to": ["a@example.org"], "subject": "hi"});
    let names = |view: &CardView| -> Vec<String> {
        view.call.args.iter().map(|arg| arg.name.as_str().to_owned()).collect()
    };
    let view = CardView::of(&approval(&args, "words", |_| {}), &Redactor::default());
    assert_eq!(names(&view), ["to", "subject", "body", "zz"]);
    let named = approval(&args, "words", |verdict| verdict.leading_args = vec!["zz".into()]);
    let view = CardView::of(&named, &Redactor::default());
    assert_eq!(names(&view), ["zz", "to", "subject", "body"]);
    assert_eq!(view.call.title.as_str(), "send_mail · 1");
}

/// R27: the title is the policy's template with arguments in it, never the agent's prose; an argument cannot bring
/// its own template along.
#[test]
fn the_title_is_the_policys() {
    let args = json!({"to": "{subject}", "subject": "hi"});
    let titled =
        approval(&args, "words", |verdict| verdict.title = Some("Mail {to} about {subject} {gone} {".into()));
    let view = CardView::of(&titled, &Redactor::default());
    assert_eq!(view.call.title.as_str(), "Mail {subject} about hi {gone} {");
}

/// R28: whatever an agent writes, wherever it writes it, comes out visible and marked.
#[test]
fn every_field_of_the_agents_is_escaped() {
    let hostile = "a\u{202e}b\u{200b}c p\u{0430}yp\u{0430}l";
    let args = json!({"note": hostile, "k\u{202e}ey": 1});
    let view = CardView::of(&approval(&args, hostile, |_| {}), &Redactor::default());
    let text = serde_json::to_string(&view).unwrap();
    assert!(!text.contains('\u{202e}') && !text.contains('\u{200b}'), "{text}");
    assert!(
        view.call.warnings.bidi > 0
            && view.call.warnings.invisible > 0
            && view.call.warnings.mixed_script > 0
    );
}

/// R28: secrets are hidden in every field, and then no rendering shows the whole call.
#[test]
fn every_field_is_redacted() {
    let mut redactor = Redactor::default();
    redactor.add_secret("hunter2hunter2");
    let words = "the key is hunter2hunter2, keep it";
    let view = CardView::of(&approval(&json!({"note": words}), words, |_| {}), &redactor);
    let text = serde_json::to_string(&view).unwrap();
    assert!(!text.contains("hunter2hunter2"), "{text}");
    assert!(view.call.redacted >= 7);
}

/// The digest of what was shown does not change with votes, but with anything of the call.
#[test]
fn what_is_shown_has_a_name() {
    let surface = SurfaceName::new("slack").unwrap();
    let first = CardView::of(&approval(&json!({"a": 1}), "words", |_| {}), &Redactor::default());
    let other = CardView::of(&approval(&json!({"a": 2}), "words", |_| {}), &Redactor::default());
    assert_ne!(first.shown(&surface, true), other.shown(&surface, true));
    assert_ne!(first.shown(&surface, true), first.shown(&surface, false));
    let mut voted = first.clone();
    voted.revision += 1;
    voted.state = StateView::Checking;
    assert_eq!(first.shown(&surface, true), voted.shown(&surface, true));
}

/// R15, R27: what the policy computed and found stands on the card: figures, raises, rules that could not be evaluated;
/// arguments are put into the effect as into the title, and bring no template of their own along.
#[test]
fn what_the_policy_found_is_shown() {
    let args = json!({"to": "ana{note}", "note": "x"});
    let judged = approval(&args, "words", |verdict| {
        verdict.effect = Some("Goes to {to}.".into());
        verdict.figures = vec![Figure { name: FigureName::Affected, value: "3\u{200b}".into() }];
        verdict.rules.push(RuleHit {
            kind: RuleKind::Raise,
            level: Some(Level::Critical),
            error: Some("no such key".into()),
            ..RuleHit::new("night", "It is night.")
        });
        verdict.remember = Some(RememberOffer {
            pattern: ArgPattern::of(
                &CanonicalArgs::from_value(&json!({"to": "ana"})).unwrap(),
                &BTreeMap::new(),
            )
            .unwrap(),
            within: Ttl::from_mins(60),
        });
    });
    let view = CardView::of(&judged, &Redactor::default());
    assert_eq!(view.call.effect.as_ref().unwrap().as_str(), "Goes to ana{note}.");
    assert_eq!(view.call.figures[0].name, FigureName::Affected);
    assert!(view.call.warnings.invisible > 0, "a figure is escaped like everything else");
    let [rule, raise] = &view.call.rules[..] else { panic!("two rules") };
    assert_eq!((rule.kind, rule.raised_to, &rule.error), (RuleKind::Rule, None, &None));
    assert_eq!((raise.kind, raise.raised_to), (RuleKind::Raise, Some(Level::Critical)));
    assert_eq!(raise.error.as_ref().unwrap().as_str(), "no such key");
    assert_eq!(view.call.remember.as_ref().unwrap().pattern.as_str(), "to=ana");
}

/// R28, R39: what an edit changed is shown by lines, redacted and escaped like the arguments themselves.
#[test]
fn what_an_edit_changed_is_shown() {
    let mut redactor = Redactor::default();
    redactor.add_secret("hunter2hunter2");
    let plain = approval(&json!({"to": "bo@example.org", "note": "a"}), "words", |_| {});
    let mut proposal = (*plain.proposal).clone();
    proposal.edited = Some(Edited {
        request: plain.id,
        by: "slack:T1/UBO".parse().unwrap(),
        name: "Bo\u{202e}".into(),
        before: CanonicalArgs::from_value(&json!({"to": "hunter2hunter2", "note": "a\u{202e}"})).unwrap(),
        earlier: Vec::new(),
        confidential: None,
    });
    let edited = Approval { proposal: Arc::new(proposal), ..plain };
    let view = CardView::of(&edited, &redactor);
    let shown = view.call.edited.unwrap();
    assert_eq!(shown.by.as_str(), "Bo⟨U+202E⟩");
    insta::assert_snapshot!(shown.changes.as_str(), @r#"
      {
    -   "note": "a⟨U+202E⟩",
    -   "to": "••• (14 characters)"
    +   "note": "a",
    +   "to": "bo@example.org"
      }
    "#);
    assert!(view.call.redacted > 0, "a secret that is gone is hidden all the same");
}

/// R45: where the policy only looks on, the view says what would have happened.
#[test]
fn what_would_have_happened_is_said() {
    let looked_on = approval(&json!({"a": 1}), "words", |verdict| {
        let terms = verdict.terms.take();
        verdict.tier = Tier::Auto;
        verdict.shadow = Some(Shadow { tier: Tier::Approve, terms });
    });
    assert_eq!(CardView::of(&looked_on, &Redactor::default()).call.shadow, Some(Tier::Approve));
}

/// R51: whatever stands in a call, nothing of it is left on the card of a shared place; what the policy says is.
#[test]
fn nothing_of_a_confidential_call_is_left() {
    let confidential = approval(&json!({"to": "4711", "4711": [4711]}), "4711", |verdict| {
        verdict.title = Some("Mail {to}".into());
        verdict.effect = Some("Reaches {to}".into());
        verdict.figures = vec![
            Figure { name: FigureName::Amount, value: "4711".into() },
            Figure { name: FigureName::DataLevel, value: "restricted".into() },
        ];
        verdict.terms.as_mut().unwrap().confidential = true;
    });
    let mut view = CardView::of(&confidential, &Redactor::default());
    assert!(view.confidential);
    // Who asked comes from the credential.
    view.call.asked_by = visible("Ana");
    let veiled = serde_json::to_value(view.veil()).unwrap();
    let said = veiled.to_string();
    let digest = view.call.digest.unwrap().to_string();
    assert!(!said.contains(&digest), "arguments of few values could be tried against it: {said}");
    assert!(!said.contains("4711"), "{said}");
    for words in ["send_mail", "restricted", "It leaves the house.", "Ana"] {
        assert!(said.contains(words), "{words} is missing: {said}");
    }
    assert!(veiled["call"]["digest"].is_null());
}

/// R28: a task that names another host than the call's is told of by that name; a word out of a secret is never told.
#[test]
fn what_the_task_names_instead_is_no_part_of_a_secret() {
    let named = |task: &str| {
        let plain = approval(&json!({"command": "ls", "host": "db1db2"}), "words", |_| {});
        let proposal = Proposal { task: task.into(), ..(*plain.proposal).clone() };
        let view = CardView::of(&Approval { proposal: Arc::new(proposal), ..plain }, &Redactor::new());
        view.call.elsewhere.map(|found| found.named.to_string())
    };
    assert_eq!(named("web3web4 is full").as_deref(), Some("web3web4"));
    assert_eq!(named("db1db2 is full, web3web4 is not"), None);
    assert_eq!(named("see https://bo:tr0ub4@db.example.org/x"), None);
}

/// R51: nor is what anybody said about it, in whatever state it is: questions and answers, notes and reasons.
#[test]
fn nobodys_words_about_a_confidential_call_are_left() {
    let confidential = approval(&json!({"to": "bo"}), "words", |verdict| {
        verdict.terms.as_mut().unwrap().confidential = true;
    });
    let said = || visible("4711");
    let at = Timestamp::from_secs(1_800_000_000);
    let vote = VoteView {
        name: visible("Bo"),
        decision: crate::approval::Decision::Deny,
        note: Some(said()),
        at,
        stands_in_for: Vec::new(),
        remember: false,
        assurance: crate::approval::Assurance::Signed,
    };
    let question = QuestionView {
        by: visible("Bo"),
        to: crate::approval::Addressee::Agent,
        text: said(),
        at,
        answer: Some(AnswerView { by: None, text: said(), at }),
        lost: false,
    };
    let mut waiting = CardView::of(&confidential, &Redactor::default());
    if let StateView::Waiting { votes, questions, .. } = &mut waiting.state {
        (*votes, *questions) = (vec![vote.clone()], vec![question]);
    }
    let votes = vec![vote];
    let states = [
        waiting.state.clone(),
        StateView::Approved { votes: votes.clone(), unasked: false, until: at },
        StateView::Rejected {
            votes: votes.clone(),
            because: None,
            unasked: false,
            earlier: true,
            reason: Some(said()),
            at,
        },
        StateView::Executing { votes: votes.clone(), since: at, stop_requested: false },
        StateView::Executed {
            votes: votes.clone(),
            outcome: crate::approval::OutcomeKind::Failed,
            error: Some(said()),
            duration_ms: None,
            at,
            settled: Some(SettledView { name: Some(visible("Bo")), reason: Some(said()) }),
        },
        StateView::Expired { votes: votes.clone(), how: crate::approval::ExpiredHow::Unanswered, at },
        StateView::Revoked {
            votes,
            why: crate::approval::RevokedWhy::Revoked,
            by: visible("Bo"),
            reason: Some(said()),
            at,
        },
    ];
    for state in states {
        let mut view = CardView { state, ..waiting.clone() };
        view.call.asked_again = Some(AskedAgain::Denied { reason: Some(said()), by: Vec::new(), at: None });
        view.grounds =
            Some(GroundsView::Alone { name: visible("Bo"), reason: said(), at, reviewed_by: None });
        let shown =
            |view: &CardView| serde_json::to_value((&view.call.asked_again, &view.state, &view.grounds));
        assert!(shown(&view).unwrap().to_string().contains("4711"));
        let veiled = shown(&view.veil()).unwrap().to_string();
        assert!(!veiled.contains("4711"), "{veiled}");
        assert!(veiled.contains("Bo"), "who did what stays: {veiled}");
    }
}

/// R51, R39: of an edit of a confidential call, what it was stands in no view of whoever could not read that: those who are asked
/// about what it is now need not be those who were.
#[test]
fn what_a_confidential_call_was_is_shown_to_who_could_read_that() {
    let role = |name: &str| crate::id::Role::new(name).unwrap();
    for (readers, is_shown) in
        [(Some(vec![role("hr")]), false), (Some(vec![role("admin")]), true), (None, true)]
    {
        let plain = approval(&json!({"path": "public/a"}), "words", |verdict| {
            verdict.confidential = readers.clone();
        });
        let mut proposal = (*plain.proposal).clone();
        proposal.edited = Some(Edited {
            request: plain.id,
            by: "slack:T1/UBO".parse().unwrap(),
            name: "Bo".into(),
            before: CanonicalArgs::from_value(&json!({"path": "hr/4711"})).unwrap(),
            earlier: Vec::new(),
            confidential: readers.clone(),
        });
        let view = CardView::of(&Approval { proposal: Arc::new(proposal), ..plain }, &Redactor::default());
        let edited = view.call.edited.as_ref().unwrap();
        assert_eq!(edited.changes.as_str().contains("4711"), is_shown, "{readers:?}");
        assert_eq!(view.confidential, readers.is_some());
    }
}
