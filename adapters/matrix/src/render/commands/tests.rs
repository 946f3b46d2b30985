//! Answers: what they say, and that they are nothing but what they say.

use std::collections::BTreeMap;
use std::sync::Arc;

use insta::assert_snapshot;
use placet::approval::{Actor, Refusal};
use placet::card::{visible, visible_line};
use placet::command::{Mistake, Place, Said};
use placet::gate::DigestTool;
use placet::hold::{Hold, HoldScope};
use placet::id::{AgentId, HoldId, RequestId, Role, TenantId};
use placet::record::{Event, EventKind};
use placet::text::Language;
use proptest::prelude::*;

use super::super::tests::{active, read};
use super::*;
use crate::fixtures::{EVIL, at, everywhere, in_every_state, view, waiting};
use placet::card::shorten::json_bytes;

fn texts(language: Language) -> Texts {
    Texts::with_commands(language, "!placet")
}

fn tenant() -> TenantId {
    TenantId::new("acme").unwrap()
}

fn person(text: &str) -> Person {
    let name = || visible_line(text).into_string();
    Person {
        name: name(),
        account: name(),
        tenant: "acme".to_owned(),
        roles: vec![Role::new("admin").unwrap()],
        stands_in_for: vec![name(); 9],
        audit: (true, Vec::new()),
        steward: (false, vec![Role::new("operator").unwrap()]),
    }
}

fn stop(scope: HoldScope, text: &str, own: bool) -> Stop {
    let hold = Hold {
        id: HoldId::from_bytes([7; 16]),
        tenant: own.then(tenant),
        scope,
        by: Actor::Placet,
        name: None,
        reason: text.to_owned(),
        since: at(0),
        lifted: None,
    };
    let shown = visible_line(text).into_string();
    Stop { hold, who: shown.clone(), reason: shown }
}

fn kept(text: &str) -> Kept {
    Kept {
        id: RequestId::from_bytes([1; 16]),
        calls: visible_line(text).into_string(),
        agent: "agent".to_owned(),
        names: vec![visible_line(text).into_string(); 9],
        until: at(60),
    }
}

fn found(view: CardView, text: &str) -> Found {
    Found { view, times: Some((at(0), at(60))), stopped: Some(visible_line(text).into_string()) }
}

fn why_of(view: CardView, text: &str, count: usize) -> Why {
    let kind = EventKind::StopRequested { by: Actor::Placet, reason: Some(text.to_owned()) };
    let happened = vec![Event { tenant: tenant(), request: Some(view.request), at: at(1), kind }; count];
    Why {
        view,
        policy: Some((visible_line(text).into_string(), "abc".to_owned())),
        asks: vec![vec![(Role::new("admin").unwrap(), 2)]],
        happened,
        is_cut: count > 1,
        names: BTreeMap::new(),
        redactor: Arc::default(),
    }
}

fn digest_of(tool: &str, tools: usize) -> Digest {
    let tool = DigestTool { tool: tool.to_owned(), ran: Vec::new(), failed: 1, unknown: 1 };
    Digest { tenant: tenant(), since: at(0), until: at(60), tools: vec![tool; tools] }
}

/// Every answer there is, made of this text.
fn every(text: &str) -> Vec<Answer> {
    let view = view(&everywhere(text));
    let older =
        Turns { back: Some(Place::First), forward: Some(Place::Before(RequestId::from_bytes([2; 16]))) };
    let found = || (0..ROWS.plain).map(|_| found(view.clone(), text)).collect::<Vec<_>>();
    let agent = AgentId::new("agent").unwrap();
    let stops = || (0..12).map(|_| stop(HoldScope::Agent(agent.clone()), text, true)).collect::<Vec<_>>();
    let mut all = vec![
        Answer::Help,
        Answer::Said(Said::Mistake(Mistake::NoSuchVerb {
            typed: text.chars().take(40).collect(),
            nearest: None,
        })),
        Answer::Said(Said::Refused {
            refusal: Refusal::NotAllowed { needs: vec![Role::new("admin").unwrap()] },
            who_can: vec![visible_line(text).into_string(); 9],
        }),
        Answer::Whoami(Box::new(person(text))),
        Answer::Pending { found: found(), stops: stops(), turns: older },
        Answer::Audit { tenant: tenant(), found: found(), further: Some(at(0)), turns: older },
        Answer::Remembered { kept: (0..ROWS.with_buttons).map(|_| kept(text)).collect(), turns: older },
    ];
    for page in 0..3 {
        let channels = vec!["!room:example.org".to_owned(); 9];
        all.push(Answer::Request { view: Box::new(view.clone()), channels, page });
        all.push(Answer::Why { why: Box::new(why_of(view.clone(), text, 20)), page });
        all.push(Answer::Digest { digest: digest_of(text, 20), page });
        all.push(Answer::Stops { stops: stops(), page });
    }
    all
}

/// Everything that an answer must keep to and does not.
fn faults(answer: &Answer, typed: &str, texts: &Texts) -> Vec<String> {
    let written = super::answer(answer, typed, texts);
    let mut found = active(&written);
    for form in [written.plain.as_str(), written.html.as_str()] {
        let size = json_bytes(form);
        if size > FORM_BYTES_MAX {
            found.push(format!("{size} bytes: {}", form.chars().take(80).collect::<String>()));
        }
    }
    found
}

/// R28, R33: what agents and people wrote is more than text in no answer, in either language, and each has room in an event.
#[test]
fn hostile_words_are_words_in_every_answer() {
    let typed = format!("audit {}", "\"".repeat(900));
    for language in Language::ALL {
        let texts = texts(language);
        for text in [EVIL.to_owned(), EVIL.repeat(60), "漢".repeat(4_000), "\"\\".repeat(3_000)] {
            for answer in every(&text) {
                let typed =
                    if matches!(answer, Answer::Audit { .. }) { typed.as_str() } else { "show 7Q4K-2M" };
                assert_eq!(faults(&answer, typed, &texts), [""; 0]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    /// R28: whatever the words are.
    #[test]
    fn any_words_fit_every_answer(text in "(\\PC|[&<>\"@\\\\\u{1F600}\u{301}\u{200d}\u{e000}\u{e001}]){1,60}", times in 1_usize..12) {
        for answer in every(&text.repeat(times)) {
            prop_assert_eq!(faults(&answer, "audit x", &texts(Language::English)), Vec::<String>::new());
        }
    }
}

/// R28: what is cut says so, and nothing of it is lost that its own command does not show.
#[test]
fn a_cut_is_marked() {
    let long = "long ".repeat(400);
    let pending = Answer::Pending {
        found: vec![found(view(&everywhere(&long)), &long)],
        stops: Vec::new(),
        turns: Turns::default(),
    };
    let written = super::answer(&pending, "pending", &texts(Language::English));
    assert!(written.plain.contains('…') && written.html.as_str().contains('…'), "{}", written.plain);
}

/// R33: a call is shown whole on its pages, however long it is.
#[test]
fn a_long_call_is_shown_whole() {
    let mut view = view(&waiting());
    let lines: Vec<String> = (0..6_000).map(|number| format!("line {number}")).collect();
    view.call.args_json = visible(&lines.join("\n"));
    let texts = texts(Language::English);
    let mut seen = String::new();
    for page in 0..20 {
        let request = Answer::Request { view: Box::new(view.clone()), channels: Vec::new(), page };
        let written = super::answer(&request, "show 7Q4K-2M", &texts);
        let last = format!("Next page: !placet show 7Q4K-2M page:{}", page + 2);
        seen.push_str(&written.plain);
        seen.push('\n');
        if !written.plain.contains(&last) {
            break;
        }
    }
    for line in &lines {
        assert_eq!(seen.matches(&format!("│ {line}\n")).count(), 1, "{line}");
    }
}

/// R31, R33: every answer as people read it.
#[test]
fn answers_read_well() {
    let older = Turns { back: None, forward: Some(Place::Before(RequestId::from_bytes([2; 16]))) };
    let states = in_every_state();
    let ended = |name: &str| {
        let (_, approval) = states.iter().find(|(state, _)| *state == name).unwrap();
        Found { view: view(approval), times: None, stopped: None }
    };
    let tool = || HoldScope::Tool("delete_file".to_owned());
    let stops = || vec![stop(tool(), "an incident", true), stop(HoldScope::All, "maintenance", false)];
    let waits = || Found { stopped: None, ..found(view(&waiting()), "") };
    let held = || found(view(&waiting()), "an incident");
    let channels = vec!["!ops:example.org".to_owned()];
    let asked = Box::new(view(&waiting()));
    let bo = Person {
        stands_in_for: vec!["Chen".to_owned()],
        account: "matrix:example.org/@bo:example.org".to_owned(),
        ..person("Bo")
    };
    let answers = [
        ("help", "help", Answer::Help),
        ("whoami", "whoami", Answer::Whoami(Box::new(bo))),
        (
            "pending",
            "pending",
            Answer::Pending { found: vec![waits(), held()], stops: stops(), turns: older },
        ),
        (
            "pending_none",
            "pending",
            Answer::Pending { found: Vec::new(), stops: Vec::new(), turns: Turns::default() },
        ),
        ("show", "show 7Q4K-2M", Answer::Request { view: asked.clone(), channels, page: 0 }),
        ("why", "why 7Q4K-2M", Answer::Why { why: Box::new(why_of(*asked, "the wrong folder", 1)), page: 0 }),
        (
            "audit",
            "audit tool:delete_*",
            Answer::Audit {
                tenant: tenant(),
                found: vec![ended("denied"), ended("succeeded")],
                further: None,
                turns: older,
            },
        ),
        (
            "remembered",
            "remembered",
            Answer::Remembered {
                kept: vec![Kept { names: vec!["Bo".to_owned()], ..kept("delete_file path=demo-notes/*") }],
                turns: Turns::default(),
            },
        ),
        ("stops", "stops", Answer::Stops { stops: stops(), page: 0 }),
        ("digest", "digest 7d", Answer::Digest { digest: digest_of("mail/send", 1), page: 0 }),
        ("frozen", "freeze", Answer::Said(Said::Frozen { scope: tool(), stood_by: None, is_known: false })),
        ("not_everything", "freeze", Answer::Said(Said::NotEverything(tenant()))),
    ];
    for language in Language::ALL {
        let texts = texts(language);
        for (name, typed, answer) in &answers {
            assert_snapshot!(
                format!("{name}_{}", language.tag()),
                read(&super::answer(answer, typed, &texts))
            );
        }
        let mistakes = [
            Mistake::NoSuchVerb { typed: "aprove".to_owned(), nearest: Some(Verb::Approve) },
            Mistake::WhichRequest { verb: Verb::Deny, typed: String::new() },
            Mistake::Another {
                verb: Verb::Approve,
                card: "7Q4K-2M".parse().unwrap(),
                named: "0000-00".to_owned(),
            },
            Mistake::Missing(Verb::Edit),
            Mistake::Missing(Verb::BreakGlass),
            Mistake::BadValue { key: placet::command::Key::Who, typed: "@bo".to_owned() },
        ];
        let lines: Vec<String> = mistakes.iter().map(|it| super::mistake(it, &texts).plain).collect();
        assert_snapshot!(format!("mistakes_{}", language.tag()), lines.join("\n"));
    }
}
