//! R12, as a function.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::commands::demo::{Answers, run};

/// Somewhere to print that can be looked at afterwards.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Paper {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

async fn asked(typed: &'static str) -> (bool, String, String) {
    let (mut told, cards) = (Paper::default(), Paper::default());
    let answers = Answers::Asked { input: Box::new(Cursor::new(typed)), output: Box::new(cards.clone()) };
    let right = run(answers, &mut told).await.unwrap();
    (right, told.text(), cards.text())
}

/// R12: one session where the file is deleted after a yes with a reason, one where it is kept after a no.
#[tokio::test]
async fn the_scripted_demonstration_shows_both_branches() {
    let mut paper = Paper::default();
    assert!(run(Answers::Scripted, &mut paper).await.unwrap());
    let told = paper.text();
    let lines: Vec<&str> = told.lines().collect();
    let mut events: Vec<(String, Value)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((number, kind)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] event: "))
        else {
            continue;
        };
        assert_eq!(number.parse::<usize>().unwrap(), events.len() + 1);
        let json: Value = serde_json::from_str(lines[at + 1]).unwrap();
        assert_eq!(json["type"], kind);
        assert!(json["sessionId"].is_string());
        events.push((kind.to_owned(), json));
    }
    // R3: the order for a call that was decided.
    let of = |session: usize| {
        let sessions: Vec<&Value> = events.iter().map(|(_, json)| &json["sessionId"]).collect();
        let mut distinct: Vec<&Value> = sessions.clone();
        distinct.dedup();
        assert_eq!(distinct.len(), 2, "two sessions, one after the other");
        let kinds = events.iter().filter(|(_, json)| &json["sessionId"] == distinct[session]);
        let kinds: Vec<&str> =
            kinds.map(|(kind, _)| kind.as_str()).filter(|kind| *kind != "text_delta").collect();
        kinds.join(" ")
    };
    let read = "tool_call_start tool_result tool_call_start tool_result";
    let asked = "tool_call_start approval_request approval_result tool_result";
    assert_eq!(of(0), format!("{read} {asked} done"));
    assert_eq!(of(1), format!("{read} {asked} tool_call_start approval_request tool_result done"));
    let mut ids: Vec<&Value> = events
        .iter()
        .filter(|(kind, _)| kind == "approval_request")
        .map(|(_, json)| &json["requestId"])
        .collect();
    assert_eq!(ids.len(), 3);
    ids.dedup();
    assert_eq!(ids.len(), 3, "ids are unique over all sessions");
    let results: Vec<&Value> =
        events.iter().filter(|(kind, _)| kind == "approval_result").map(|(_, json)| json).collect();
    assert_eq!(results[0]["approved"], true);
    assert!(results[0]["reason"].is_string());
    assert_eq!(results[1]["approved"], false);
    assert!(told.contains("denied by user: "));
    assert!(told.contains("vote.cast") && told.contains("tool.executed") && told.contains("policy.loaded"));
    assert!(told.contains("Profile solo"));
    let before = told.split("] event: approval_request").collect::<Vec<_>>();
    assert!(before[0].contains("── Delete demo-notes/scratch.txt"), "the card comes before its event");
    assert!(before[0].contains("list of demo-notes\n"), "{}", before[0]);
    assert_eq!(told.matches("── Delete demo-notes/scratch.txt").count(), 2, "one card for each question");
}

/// R6, R50: whoever sits at the terminal is asked, and the card says that it is solo.
#[tokio::test]
async fn whoever_sits_at_the_terminal_decides() {
    let (right, told, cards) = asked("y\nfine by me\nn\nnot today\n").await;
    assert!(right, "{told}");
    assert!(cards.contains("Who asked for this may approve it alone."), "{cards}");
    assert!(told.contains("denied by user: not today"));
    assert!(told.contains("Session 1: the deletion was approved, the file is gone"));
    assert!(told.contains("Session 2: the deletion was denied, the file is still there, and a note"));
}

/// What is printed stands in the order in which it happened: a session's last card before the next one begins.
#[tokio::test]
async fn a_card_that_ended_is_told_before_the_next_session() {
    let mut paper = Paper::default();
    let answers =
        Answers::Asked { input: Box::new(Cursor::new("y\n\nn\n\n")), output: Box::new(paper.clone()) };
    assert!(run(answers, &mut paper).await.unwrap());
    let told = paper.text();
    let at = |wanted: &str| told.find(wanted).unwrap_or_else(|| panic!("no {wanted}: {told}"));
    assert!(at("· ran ") < at("Session 2 of 2"), "{told}");
    assert!(told.rfind("🚫").or(told.rfind("Denied")) < told.find("The record:"), "{told}");
}

/// Deciding otherwise than the hints say is fine, too: what was decided is what happens.
#[tokio::test]
async fn the_other_way_round_is_as_right() {
    let (right, told, _) = asked("n\n\ny\n\n").await;
    assert!(right, "{told}");
    assert!(told.contains("Session 1: the deletion was denied, the file is still there"));
    assert!(told.contains("Session 2: the deletion was approved, the file is gone"));
}

/// An input that ends is nobody's yes, nobody's no, and nothing to wait for.
#[tokio::test]
async fn nobody_at_the_terminal_is_no_answer() {
    let (right, told, _) = asked("").await;
    assert!(!right);
    assert!(told.contains("Session 1: nobody answered, so the file is still there.\n"), "{told}");
    assert!(told.contains("Nobody answered: the input has ended"));
    assert!(
        !told.contains("Session 2")
            && !told.contains("NOT AS IT SHOULD BE")
            && !told.contains("nobody knows")
    );
}
