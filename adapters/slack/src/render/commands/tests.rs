use std::collections::BTreeMap;
use std::sync::Arc;

use placet::approval::Actor;
use placet::card::{CardView, visible, visible_line};
use placet::command::{Found, Kept, Person, Stop, Why};
use placet::gate::{Digest, DigestTool};
use placet::hold::{Hold, HoldScope};
use placet::id::{AgentId, HoldId, RequestId, TenantId};
use placet::record::{Event, EventKind};
use placet::text::{Language, Texts};
use placet::time::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::fixtures::{view, waiting};
use crate::limits::check_message;

const HOSTILE: &str =
    "<!channel> <@U0EVIL> <https://evil.example|Approve> `x` ```y``` *b* &amp; \u{e000}1\u{e001} \u{1F600}";

/// A view in which every text of the agent's is this.
fn of(text: &str) -> CardView {
    let mut view = view(&waiting());
    let call = &mut view.call;
    call.title = visible_line(text);
    call.tool = visible_line(text);
    call.args_json = visible(text);
    call.task = visible(text);
    call.reason = visible(text);
    call.asked_by = visible_line(text);
    call.preview = Some(visible(text));
    view
}

fn found(text: &str) -> Found {
    let at = Timestamp::from_secs(1_795_960_800);
    Found { view: of(text), times: Some((at, at)), stopped: Some(visible_line(text).into_string()) }
}

fn hold(scope: HoldScope, text: &str) -> Stop {
    let hold = Hold {
        id: HoldId::from_bytes([7; 16]),
        tenant: Some(TenantId::new("acme").unwrap()),
        scope,
        by: Actor::Placet,
        name: None,
        reason: text.to_owned(),
        since: Timestamp::from_secs(1_795_960_800),
        lifted: None,
    };
    let shown = visible_line(text).into_string();
    Stop { hold, who: shown.clone(), reason: shown }
}

/// An event with words in it.
fn stop_wanted(at: Timestamp, text: &str) -> Event {
    let kind = EventKind::StopRequested { by: Actor::Placet, reason: Some(text.to_owned()) };
    Event { tenant: TenantId::new("acme").unwrap(), request: None, at, kind }
}

/// Every answer there is, made of this text.
pub(crate) fn every(text: &str, texts: &Texts) -> Vec<Page> {
    let rows: Vec<Found> = (0..ROWS_PER_PAGE).map(|_| found(text)).collect();
    let name = || visible_line(text).into_string();
    let agent = AgentId::new("agent").unwrap();
    let stops: Vec<_> = (0..6).map(|_| hold(HoldScope::Agent(agent.clone()), text)).collect();
    let turns = Turns { back: Some("f audit".into()), forward: Some("f audit".into()) };
    let at = Timestamp::from_secs(1_795_960_800);
    let kept: Vec<Kept> = (0..6)
        .map(|_| Kept {
            id: RequestId::from_bytes([1; 16]),
            calls: name(),
            agent: name(),
            names: vec![name(); 9],
            until: at,
        })
        .collect();
    let numbered = |_: usize, _: usize| turns.clone();
    let view = of(text);
    let happened = (0..20).map(|_| stop_wanted(at, text)).collect();
    let why = Why {
        view: view.clone(),
        policy: Some((name(), "abc".into())),
        asks: Vec::new(),
        happened,
        is_cut: true,
        names: BTreeMap::new(),
        redactor: Arc::default(),
    };
    let tool = DigestTool { tool: text.to_owned(), ran: Vec::new(), failed: 1, unknown: 1 };
    let digest_of =
        Digest { tenant: TenantId::new("acme").unwrap(), since: at, until: at, tools: vec![tool; 20] };
    let person = Person {
        name: name(),
        account: name(),
        tenant: name(),
        roles: Vec::new(),
        stands_in_for: vec![name(); 9],
        audit: (true, Vec::new()),
        steward: (false, Vec::new()),
    };
    let mut all = vec![
        said(text),
        help(texts),
        pending(&rows, &stops, &turns, texts),
        pending(&[], &[], &Turns::default(), texts),
        audit(("acme", &rows), Some(at), &turns, texts),
        audit(("acme", &[]), None, &Turns::default(), texts),
        remembered(&kept, &turns, texts),
        super::stops(&stops, 0, (&numbered, texts)),
        whoami(&person, texts),
    ];
    for page in 0..3 {
        all.push(show(&view, &["C1".to_owned()], page, (&numbered, texts)));
        all.push(super::why(&why, page, (&numbered, texts)));
        all.push(super::digest(&digest_of, page, (&numbered, texts)));
    }
    all
}

/// Whatever Slack would interpret, but for the channel in which a card stands, and times.
fn active(value: &Value, found: &mut Vec<String>) {
    if let Some("mrkdwn" | "markdown" | "link" | "user" | "usergroup" | "broadcast" | "emoji") =
        value["type"].as_str()
    {
        found.push(value.to_string());
    }
    match value {
        Value::Array(all) => all.iter().for_each(|one| active(one, found)),
        Value::Object(all) => all.values().for_each(|one| active(one, found)),
        _ => {}
    }
}

fn is_sound(page: &Page) -> Result<(), TestCaseError> {
    let message = json!({ "text": page.text, "blocks": page.blocks });
    let violations: Vec<String> = check_message(&message).iter().map(ToString::to_string).collect();
    prop_assert_eq!(violations, Vec::<String>::new());
    let mut found = Vec::new();
    active(&message, &mut found);
    prop_assert_eq!(found, Vec::<String>::new());
    prop_assert!(!page.text.contains(['<', '>']), "{}", page.text);
    Ok(())
}

/// R28: what agents wrote is active in no answer, in either language, and each keeps to Slack's limits.
#[test]
fn hostile_words_are_words_in_every_answer() {
    for language in Language::ALL {
        let texts = Texts::new(language);
        for text in [HOSTILE.to_owned(), HOSTILE.repeat(300), "漢".repeat(4_000), "\"\\".repeat(3_000)] {
            for page in every(&text, &texts) {
                is_sound(&page).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn any_words_fit_every_answer(text in "(\\PC|[&<>\"\\\\\u{1F600}\u{301}\u{200d}\u{e000}\u{e001}]){1,60}", times in 1usize..12) {
        for page in every(&text.repeat(times), Texts::english()) {
            is_sound(&page)?;
        }
    }
}

/// R28: what is cut says so.
#[test]
fn a_cut_is_marked() {
    let page = pending(&[found(&"long ".repeat(400))], &[], &Turns::default(), Texts::english());
    assert!(json!(page.blocks).to_string().contains('…'));
    let line =
        cut_line(&format!("{} at {} more", "x".repeat(20), (pieces::RICH.time)(Timestamp::from_secs(1))), 24);
    assert_eq!(line["elements"].as_array().unwrap().len(), 3, "{line}");
    let line = cut_line(&"x".repeat(30), 10);
    assert_eq!(line["elements"][0]["text"], "xxxxxxxxx…");
}

/// R44: every dialog keeps to Slack's limits, with the longest names and reasons, in either language.
#[test]
fn dialogs_keep_to_the_limits() {
    use placet::approval::OutcomeKind;
    for language in Language::ALL {
        let texts = Texts::new(language);
        let long = HOSTILE.repeat(60);
        let scope = HoldScope::Tool(HOSTILE.chars().take(200).collect());
        for view in [
            dialog::revoke("7Q4K-2M", "r", &texts),
            dialog::settle("7Q4K-2M", Some(OutcomeKind::Failed), "r", &texts),
            dialog::freeze("r", &texts),
            dialog::freeze_confirm(&scope, Some(&long), "r", &texts),
        ] {
            let violations: Vec<String> =
                crate::limits::check_view(&view).iter().map(ToString::to_string).collect();
            assert_eq!(violations, Vec::<String>::new(), "{view}");
            assert!(view["callback_id"].as_str().unwrap().starts_with(COMMAND_PREFIX));
        }
    }
}
