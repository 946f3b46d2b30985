//! Cards for Slack to look at: a plain one, and one that is as full as they come.

use placet::approval::{Decision, Need};
use placet::call::CallDigest;
use placet::card::{
    ArgView, CallView, CardView, EvidenceView, RuleView, StateView, VoteView, Warnings, visible,
};
use placet::id::{RequestId, Role, SurfaceName};
use placet::policy::{Level, RuleKind};
use placet::text::{Language, Texts};
use placet::time::{Timestamp, Ttl};
use placet_slack::render::render;
use serde_json::Value;

/// A moment; cards show it as a date.
const MOMENT: Timestamp = Timestamp::from_millis(1_795_960_800_000);

/// The blocks of each, by name.
pub(super) fn cards(language: Language) -> Vec<(&'static str, Vec<Value>)> {
    let (Ok(surface), Ok(code), Ok(role)) =
        (SurfaceName::new("slack"), "7Q4K-2M".parse(), Role::new("admin"))
    else {
        // Constant names are names.
        return Vec::new();
    };
    let vote = VoteView {
        name: visible("Bo"),
        decision: Decision::Approve,
        note: Some(visible("temporary, can go")),
        at: MOMENT,
        stands_in_for: Vec::new(),
        remember: false,
        assurance: placet::approval::Assurance::Signed,
    };
    let waiting = StateView::Waiting {
        needs: vec![Need { role, count: 2, have: 1 }],
        stage: (1, 2),
        as_well: Vec::new(),
        denials_left: 1,
        votes: vec![vote.clone()],
        until: MOMENT + Ttl::from_mins(30),
        valid_for: Ttl::from_mins(10),
        reason_for_yes: false,
        reason_for_no: true,
        may_edit: false,
        may_ask: true,
        silence_approves: false,
        partial_view_may_approve: false,
        assurance: placet::approval::Assurance::ServerAsserted,
        assurance_for_no: placet::approval::Assurance::ServerAsserted,
        questions: Vec::new(),
        looking: Vec::new(),
    };
    let approved =
        StateView::Approved { votes: vec![vote], unasked: false, until: MOMENT + Ttl::from_mins(10) };
    let card = |state: StateView, call: CallView| CardView {
        request: RequestId::from_bytes([1; 16]),
        code,
        revision: 1,
        call,
        state,
        grounds: None,
        shares: false,
        covers: 0,
        stopped: None,
        confidential: false,
        readers: Vec::new(),
        parts: Vec::new(),
    };
    let card = |name, state, call| {
        let card = card.clone();
        (name, render(&card(state, call), &surface, Texts::of(language)).blocks)
    };
    vec![
        card("that asks", waiting.clone(), call("demo-notes/scratch.txt")),
        card("that is too long", waiting, call(&"<!channel> *x* `y` ".repeat(2_000))),
        card("that is a record", approved, call("demo-notes/scratch.txt")),
    ]
}

fn call(path: &str) -> CallView {
    let json = format!("{{\n  \"path\": \"{path}\"\n}}");
    CallView {
        title: visible("Delete 1 file"),
        level: Level::Critical,
        tool: visible("delete_file"),
        args: vec![ArgView { name: visible("path"), value: visible(path), leading: true, is_text: true }],
        args_json: visible(&json),
        effect: Some(visible("1 file. Cannot be undone.")),
        figures: Vec::new(),
        preview: Some(visible("- one line\n+ another")),
        task: visible("clean up old files in the project"),
        reason: visible("Nobody has opened it for three months."),
        asked_by: visible("Ana"),
        agent: visible("cleaner"),
        asked_at: MOMENT,
        is_described: true,
        elsewhere: None,
        rules: vec![RuleView {
            rule: visible("deletes"),
            because: visible("Deleting cannot be undone."),
            kind: RuleKind::Rule,
            raised_to: None,
            error: None,
        }],
        evidence: vec![EvidenceView {
            title: visible("list of demo-notes"),
            uri: Some(visible("file:///demo-notes")),
            excerpt: Some(visible("scratch.txt  1.2 KB")),
        }],
        if_denied: None,
        requester_may_approve: false,
        asked_again: None,
        edited: None,
        remember: None,
        shadow: None,
        calls: 1,
        warnings: Warnings::default(),
        redacted: 0,
        digest: Some(CallDigest::from_bytes([0; 32])),
    }
}
