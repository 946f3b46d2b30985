//! Every text that people read, as they read it.

mod deciding;
mod languages;

use std::collections::BTreeSet;

use insta::assert_snapshot;

use super::dialogs::DialogKey;
use super::key::{AfterKey, Key};
use super::*;
use crate::approval::{
    Alarm, Assurance, Decision, ExpiredHow, Need, OutcomeKind, Refusal, RevokedWhy, Status,
};
use crate::call::CallDigest;
use crate::card::{
    CallView, CardView, EditedView, FigureView, GroundsView, RememberView, RuleView, SettledView, StateView,
    VoteView, Warnings, visible,
};
use crate::id::{RequestId, Role};
use crate::notice::Notice;
use crate::person::NoStanding;
use crate::policy::{FigureName, Level, RuleHit, RuleKind, Tier};
use crate::time::Ttl;

const PLAIN: Markup<'static> = Markup::PLAIN;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn role(name: &str) -> Role {
    Role::new(name).unwrap()
}

fn request() -> RequestId {
    "0190f3c2-5d5e-7c3a-9b1e-3f2a4c5d6e7f".parse().unwrap()
}

/// So many minutes past 14:00 UTC.
fn at(minutes: u64) -> Timestamp {
    Timestamp::from_millis(1_795_960_800_000) + Ttl::from_mins(minutes)
}

fn vote(name: &str, decision: Decision, note: Option<&str>, minutes: u64) -> VoteView {
    VoteView {
        name: visible(name),
        decision,
        note: note.map(visible),
        at: at(minutes),
        stands_in_for: Vec::new(),
        remember: false,
        assurance: crate::approval::Assurance::Signed,
    }
}

fn card(state: StateView) -> CardView {
    CardView {
        request: request(),
        code: "7Q4K-2M".parse().unwrap(),
        revision: 1,
        call: CallView {
            title: visible("Delete demo-notes/scratch.txt"),
            level: Level::Critical,
            tool: visible("delete_file"),
            args: Vec::new(),
            args_json: visible("{}"),
            effect: None,
            figures: Vec::new(),
            preview: None,
            task: visible("clean up old files in the project"),
            reason: visible(""),
            asked_by: visible("Ana"),
            agent: visible("notes-agent"),
            asked_at: at(2),
            is_described: true,
            elsewhere: None,
            rules: Vec::new(),
            evidence: Vec::new(),
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
        },
        state,
        grounds: None,
        shares: false,
        confidential: false,
        readers: Vec::new(),
        covers: 0,
        stopped: None,
        parts: Vec::new(),
    }
}

/// These lines as they read in every language; the English ones have the plain name.
fn in_each_language(name: &str, lines: impl Fn(&Texts) -> Vec<String>) {
    for language in Language::ALL {
        let name = match language {
            Language::English => name.to_owned(),
            other => format!("{name}_{}", other.tag()),
        };
        assert_snapshot!(name, lines(&Texts::new(language)).join("\n"));
    }
}

/// What a language's files define: every line that begins with a key.
fn defined(language: Language) -> Vec<&'static str> {
    let lines = language.sources().iter().flat_map(|source| source.lines());
    let lines = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    lines.filter_map(|line| line.split_once(" =").map(|(key, _)| key)).collect()
}

/// R42: what the code says is in the file, what is in the file is said, and nothing is there twice.
#[test]
fn english_is_complete_and_nothing_in_it_is_unused() {
    let used: Vec<&str> = (Key::ALL.iter().map(|key| key.id()))
        .chain(Label::ALL.iter().map(|label| label.id()))
        .chain(Trouble::ALL.iter().map(|trouble| trouble.id()))
        .chain(super::digest::DigestKey::ALL.iter().map(|key| key.id()))
        .chain(super::stopped::StoppedKey::ALL.iter().map(|key| key.id()))
        .chain(super::asked::AskedKey::ALL.iter().map(|key| key.id()))
        .chain(super::undelivered::UndeliveredKey::ALL.iter().map(|key| key.id()))
        .chain(DialogText::ALL.iter().map(|text| text.id()))
        .chain(DialogKey::ALL.iter().map(|key| key.id()))
        .chain(AfterKey::ALL.iter().map(|key| key.id()))
        .chain(DecidingLabel::ALL.iter().map(|label| label.id()))
        .chain(super::deciding::DecidingKey::ALL.iter().map(|key| key.id()))
        .chain(super::opening::OpeningKey::ALL.iter().map(|key| key.id()))
        .chain(super::reply::ReplyKey::ALL.iter().map(|key| key.id()))
        .chain(home::HomeKey::ALL.iter().map(|key| key.id()))
        .chain(super::schema::SchemaKey::ALL.iter().map(|key| key.id()))
        .chain(thread::ThreadKey::ALL.iter().map(|key| key.id()))
        .chain(super::command::CommandLabel::ALL.iter().map(|label| label.id()))
        .chain(super::command::CommandKey::ALL.iter().map(|key| key.id()))
        .chain(super::told::ToldKey::ALL.iter().map(|key| key.id()))
        .chain(super::happened::HappenedKey::ALL.iter().map(|key| key.id()))
        .collect();
    let defined = defined(Language::English);
    let set = |keys: &[&'static str]| keys.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(set(&used), set(&defined));
    assert_eq!(defined.len(), set(&defined).len(), "a key is defined twice");
    assert_eq!(used.len(), set(&used).len(), "two texts share a key");
}

/// R42: every language can be read whole, and defines no key that English lacks.
#[test]
fn every_language_is_sound() {
    let english: BTreeSet<&str> = defined(Language::English).into_iter().collect();
    for language in Language::ALL {
        for source in language.sources() {
            assert!(FluentResource::try_new((*source).to_owned()).is_ok(), "{language:?}");
        }
        assert!(defined(language).iter().all(|key| english.contains(key)), "{language:?}");
        assert_eq!(Texts::new(language).language(), language);
    }
}

/// R28: the catalogue holds nothing that a surface would have to escape, so that only what is inserted is escaped.
#[test]
fn the_catalogue_needs_no_escaping() {
    for language in Language::ALL {
        let lines = language.sources().iter().flat_map(|source| source.lines());
        for line in lines.filter(|line| !line.starts_with('#')) {
            let text = line.replace("->", "").replace("*[other]", "").replace("*[no]", "");
            assert!(!text.contains(['&', '<', '>', '`', '*', '_', '~']), "{line}");
        }
    }
}

/// R28: what is inserted is text, whatever it looks like; it is made visible, and escaped once.
#[test]
fn what_is_inserted_is_never_read_as_the_catalogues_own() {
    let texts = Texts::english();
    let refusal = Refusal::AlreadyDecided {
        status: Status::Approved,
        by: names(&["{ refusal-too-late }", "{ $count -> *[other] x }", "Bo\u{202e}", "A & B"]),
    };
    let escape = |text: &str| text.replace('&', "&amp;");
    let slack = Markup { text: &escape, time: &|at| format!("<!date^{}>", at.as_millis() / 1000) };
    assert_snapshot!(
        texts.refusal(&refusal, &[], &slack),
        @"{ refusal-too-late }, { $count -> *[other] x }, Bo⟨U+202E⟩ and A &amp; B approved this already; there is nothing left to decide."
    );
    let state = StateView::Approved {
        votes: vec![vote("A & B", Decision::Approve, Some("x < y & z"), 7)],
        unasked: false,
        until: at(20),
    };
    assert_snapshot!(
        texts.state_line(&card(state), &slack),
        @"Approved by A &amp; B, <!date^1795961220>: “x < y &amp; z” · may run until <!date^1795962000> · request 7Q4K-2M"
    );
}

fn refusals() -> Vec<Refusal> {
    let by = || names(&["Bo", "Chen"]);
    let decided = Status::ALL.into_iter().flat_map(|status| {
        [Refusal::AlreadyDecided { status, by: by() }, Refusal::AlreadyDecided { status, by: Vec::new() }]
    });
    let commands = [
        "approve",
        "deny",
        "take_back",
        "escalate",
        "ask",
        "answer",
        "look",
        "break_glass",
        "supersede",
        "withdraw",
        "revoke",
        "review",
        "claim",
        "finish",
        "settle",
        "rejudge",
    ];
    let out_of_order =
        commands.map(|command| Refusal::OutOfOrder { status: Status::Executed, command: command.to_owned() });
    let no_standing = [
        NoStanding::Unknown,
        NoStanding::Ambiguous,
        NoStanding::Deactivated,
        NoStanding::Guest,
        NoStanding::Bot,
        NoStanding::Foreign,
        NoStanding::Away,
        NoStanding::Unreadable("ratelimited".to_owned()),
    ];
    let rest = [
        Refusal::TooLate,
        Refusal::WrongRole { needs: vec![role("admin")] },
        Refusal::WrongRole {
            needs: vec![role("operator"), role("viewer"), role("releaser"), role("auditor")],
        },
        Refusal::OwnRequest,
        Refusal::OwnEdit,
        Refusal::AlreadyVoted { decision: Decision::Approve },
        Refusal::AlreadyVoted { decision: Decision::Deny },
        Refusal::NotShownInFull,
        Refusal::ReasonRequired { decision: Decision::Approve },
        Refusal::ReasonRequired { decision: Decision::Deny },
        Refusal::TooManyQuestions,
        Refusal::NoOpenQuestion,
        Refusal::NotAskedOfYou,
        Refusal::NoVote,
        Refusal::NotAllowed { needs: vec![role("admin")] },
        Refusal::NotAllowed { needs: Vec::new() },
        Refusal::FactsStale,
        Refusal::NotApproved { status: Status::WaitingApproval },
        Refusal::NotApproved { status: Status::Rejected },
        Refusal::WrongCall,
        Refusal::ApprovalExpired,
        Refusal::ApproverLapsed { names: names(&["Bo"]) },
        Refusal::ForbiddenNow { because: "Release freeze until Monday.".to_owned() },
        Refusal::Held { reason: "It loops.".to_owned() },
        Refusal::Frozen {
            name: "Year end".to_owned(),
            because: "Nothing is deleted before the books are closed.".to_owned(),
            until: at(60),
        },
        Refusal::NoLongerRemembered,
        Refusal::LowAssurance { needs: Assurance::Signed },
        Refusal::MayNotEdit,
        Refusal::AlreadyClaimed,
        Refusal::NotTheClaimant,
        Refusal::AlreadyFinished { outcome: OutcomeKind::Succeeded },
        Refusal::AlreadyFinished { outcome: OutcomeKind::Failed },
        Refusal::AlreadyFinished { outcome: OutcomeKind::Unknown },
        Refusal::StillUnknown,
    ];
    decided.chain(out_of_order).chain(no_standing.map(Refusal::NoStanding)).chain(rest).collect()
}

/// R42: each refusal says what, why and what to do.
#[test]
fn refusals_read_well() {
    in_each_language("refusals", |texts| {
        let who_can = names(&["Bo", "Chen"]);
        let line =
            |refusal: &Refusal| format!("{}: {}", refusal.code(), texts.refusal(refusal, &who_can, &PLAIN));
        refusals().iter().map(line).collect()
    });
}

#[test]
fn many_names_are_counted() {
    let many = names(&["A", "B", "C", "D", "E", "F", "G", "H"]);
    let texts = Texts::english();
    let refusal = Refusal::WrongRole { needs: vec![role("admin")] };
    assert_snapshot!(texts.refusal(&refusal, &many, &PLAIN), @"Only admins decide this. A, B, C, D, E, F and 2 others can.");
    assert_snapshot!(texts.refusal(&refusal, &many[..7], &PLAIN), @"Only admins decide this. A, B, C, D, E, F and 1 other can.");
    assert_snapshot!(texts.refusal(&refusal, &[], &PLAIN), @"Only admins decide this.");
}

#[test]
fn notices_read_well() {
    let code = || "7Q4K-2M".parse().unwrap();
    let alarm =
        |alarm| Notice::Alarm { request: request(), code: code(), tool: "delete_file".to_owned(), alarm };
    let refused = Notice::Refused {
        request: request(),
        code: code(),
        command: "approve".to_owned(),
        refusal: Refusal::WrongRole { needs: vec![role("admin")] },
    };
    let tool = || "delete_file".to_owned();
    let rest = [
        Notice::Reminder { request: request(), code: code(), tool: tool(), until: at(32) },
        Notice::Escalated {
            request: request(),
            code: code(),
            tool: tool(),
            to: vec![role("admin"), role("on-call")],
            until: at(32),
        },
        Notice::StageAsked {
            request: request(),
            code: code(),
            tool: tool(),
            stage: (2, 2),
            to: vec![role("finance")],
            until: at(32),
        },
        Notice::GlassBroken {
            request: request(),
            code: code(),
            tool: tool(),
            by: "Sam".to_owned(),
            reason: "The disk is full.".to_owned(),
        },
        Notice::Held { what: "agent cleaner".to_owned(), reason: "It loops.".to_owned() },
        Notice::PolicyNotInForce { why: "It has two errors.".to_owned() },
    ];
    let notices: Vec<Notice> = [refused].into_iter().chain(Alarm::ALL.map(alarm)).chain(rest).collect();
    in_each_language("notices", |texts| {
        notices.iter().map(|notice| texts.notice(notice, &names(&["Bo", "Chen"]), &PLAIN)).collect()
    });
}

fn states() -> Vec<StateView> {
    let yes = || {
        vec![
            vote("Bo", Decision::Approve, Some("temporary, can go"), 7),
            vote("Chen", Decision::Approve, None, 8),
        ]
    };
    let executed = |outcome, error: Option<&str>, duration_ms, settled: bool| StateView::Executed {
        votes: yes(),
        outcome,
        error: error.map(visible),
        duration_ms,
        at: at(8),
        settled: settled.then_some(SettledView { name: None, reason: None }),
    };
    let rejected = |votes, because: Option<&str>, unasked| StateView::Rejected {
        votes,
        because: because.map(visible),
        unasked,
        earlier: false,
        reason: None,
        at: at(9),
    };
    let revoked = |why, reason: Option<&str>| StateView::Revoked {
        votes: Vec::new(),
        why,
        by: visible("Bo"),
        reason: reason.map(visible),
        at: at(10),
    };
    let rule = RuleHit::new("freeze", "No deletes before the audit.");
    vec![
        StateView::Checking,
        waiting(&[("admin", 2, 0)], (1, 1), Vec::new()),
        waiting(
            &[("admin", 2, 1)],
            (2, 2),
            vec![vote("Bo", Decision::Approve, None, 7), vote("Dana", Decision::Deny, Some("not yet"), 8)],
        ),
        StateView::Approved { votes: yes(), unasked: false, until: at(18) },
        StateView::Approved { votes: Vec::new(), unasked: true, until: at(18) },
        rejected(vec![vote("Bo", Decision::Deny, Some("still needed"), 9)], None, false),
        rejected(Vec::new(), Some("Tables are never dropped."), false),
        rejected(Vec::new(), Some("no approver configured (fail closed)"), true),
        StateView::Rejected {
            votes: Vec::new(),
            because: None,
            unasked: false,
            earlier: true,
            reason: Some(visible("still needed")),
            at: at(9),
        },
        StateView::Executing { votes: yes(), since: at(8), stop_requested: false },
        StateView::Executing { votes: yes(), since: at(8), stop_requested: true },
        executed(OutcomeKind::Succeeded, None, Some(161), false),
        executed(OutcomeKind::Succeeded, None, None, true),
        executed(OutcomeKind::Failed, Some("no such file"), Some(61_000), false),
        executed(OutcomeKind::Failed, None, None, false),
        executed(OutcomeKind::Unknown, None, None, false),
        StateView::Expired { votes: Vec::new(), how: ExpiredHow::Unanswered, at: at(32) },
        StateView::Expired { votes: Vec::new(), how: ExpiredHow::Unasked, at: at(32) },
        StateView::Expired { votes: Vec::new(), how: ExpiredHow::Unused, at: at(18) },
        revoked(RevokedWhy::Withdrawn, None),
        revoked(RevokedWhy::Revoked, Some("wrong folder")),
        revoked(RevokedWhy::Superseded { by: request() }, None),
        revoked(RevokedWhy::Rejudged { rule }, None),
        revoked(RevokedWhy::Forgotten { scope: request() }, Some("the folder holds other things now")),
    ]
}

fn rule_view(because: &str) -> RuleView {
    RuleView {
        rule: visible("deletes"),
        because: visible(because),
        kind: RuleKind::Rule,
        raised_to: None,
        error: None,
    }
}

fn waiting(needs: &[(&str, u32, u32)], stage: (u32, u32), votes: Vec<VoteView>) -> StateView {
    StateView::Waiting {
        needs: needs
            .iter()
            .map(|(name, count, have)| Need { role: role(name), count: *count, have: *have })
            .collect(),
        stage,
        as_well: Vec::new(),
        denials_left: 1,
        votes,
        until: at(32),
        valid_for: Ttl::from_mins(10),
        reason_for_yes: false,
        reason_for_no: false,
        may_edit: false,
        may_ask: true,
        silence_approves: false,
        partial_view_may_approve: false,
        assurance: crate::approval::Assurance::ServerAsserted,
        assurance_for_no: crate::approval::Assurance::ServerAsserted,
        questions: Vec::new(),
        looking: Vec::new(),
    }
}

/// R29: the record that a card becomes.
#[test]
fn states_read_well() {
    in_each_language("states", |texts| {
        let line = |view: CardView| {
            format!("{}\n  {}", texts.record_head(&view, &PLAIN), texts.state_line(&view, &PLAIN))
        };
        states().into_iter().map(card).map(line).collect()
    });
}

/// R9, R10, R41: on whose word it ran, where that is not the votes', and whether somebody else has looked at it.
#[test]
fn grounds_read_well() {
    let texts = Texts::english();
    let line = |grounds, state| texts.state_line(&CardView { grounds: Some(grounds), ..card(state) }, &PLAIN);
    let approved = || StateView::Approved { votes: Vec::new(), unasked: false, until: at(18) };
    let remembered = GroundsView::Remembered { names: vec![visible("Bo"), visible("Chen")], until: at(60) };
    assert_snapshot!(line(remembered, approved()), @"Bo and Chen chose that calls like it run until 15:00 UTC · may run until 14:18 UTC · request 7Q4K-2M");
    let silent = StateView::Approved { votes: Vec::new(), unasked: true, until: at(18) };
    assert_snapshot!(line(GroundsView::Silence, silent), @"nobody decided in time, and the policy takes that for a yes · may run until 14:18 UTC · request 7Q4K-2M");
    let alone = |reviewed_by: Option<&str>| GroundsView::Alone {
        name: visible("Sam"),
        reason: visible("the disk is full"),
        at: at(8),
        reviewed_by: reviewed_by.map(visible),
    };
    assert_snapshot!(line(alone(None), approved()), @"Sam alone, in an emergency, 14:08 UTC: “the disk is full” · may run until 14:18 UTC · nobody else has reviewed that yet · request 7Q4K-2M");
    let unused = || StateView::Expired { votes: Vec::new(), how: ExpiredHow::Unused, at: at(18) };
    assert_snapshot!(line(alone(None), unused()), @"Sam alone, in an emergency, 14:08 UTC: “the disk is full” · not started by 14:18 UTC; did not run · nobody else has reviewed that yet · request 7Q4K-2M");
    assert_snapshot!(line(alone(Some("Bo")), unused()), @"Sam alone, in an emergency, 14:08 UTC: “the disk is full” · not started by 14:18 UTC; did not run · reviewed by Bo · request 7Q4K-2M");
}

/// R15, R39, R45: what matters of a call beside it, and what is odd about the card.
#[test]
fn remarks_read_well() {
    let texts = Texts::english();
    let mut view = card(waiting(&[("admin", 1, 0)], (1, 1), Vec::new()));
    assert_eq!(texts.remarks(&view, &PLAIN), Vec::<String>::new());
    assert_eq!(texts.figures(&view.call, &PLAIN), None);
    assert_eq!(texts.remember(&view.call, &PLAIN), None);
    view.call.calls = 3;
    view.shares = true;
    view.call.requester_may_approve = true;
    view.call.shadow = Some(Tier::Approve);
    view.call.edited = Some(EditedView { by: visible("Bo"), changes: visible("+ x") });
    assert_snapshot!(texts.remarks(&view, &PLAIN).join("\n"), @r#"
    ✏️ Bo changed the arguments of what the agent asked for. Votes began anew. Task, reason and grounds are those of the call before.
    A yes here allows 3 calls that differ in nothing.
    It stands on the card of an earlier request that differs in nothing from it.
    Who asked for this may approve it alone.
    The policy only looks on here: otherwise this would have waited for people.
    "#);
    let figure = |name, value| FigureView { name, value: visible(value) };
    view.call.figures = vec![
        figure(FigureName::Amount, "1200"),
        figure(FigureName::Count, "3"),
        figure(FigureName::Affected, "40"),
        figure(FigureName::Environment, "production"),
        figure(FigureName::DataLevel, "confidential"),
        figure(FigureName::Reach, "outside"),
        figure(FigureName::Reversible, "no"),
    ];
    assert_snapshot!(texts.figures(&view.call, &PLAIN).unwrap(), @"amount 1200 · count 3 · affected users 40 · environment production · data confidential · reaches outside · cannot be undone");
    view.call.remember =
        Some(RememberView { pattern: visible("path=demo-notes/…"), within: Ttl::from_mins(60) });
    assert_snapshot!(texts.remember(&view.call, &PLAIN).unwrap(), @"For 1 h: path=demo-notes/…");
    let rule = |kind, raised_to, error: Option<&str>| {
        let error = error.map(visible);
        texts.rule(&RuleView { kind, raised_to, error, ..rule_view("It is night.") }, &PLAIN)
    };
    let rules = [
        rule(RuleKind::Rule, None, Some("no such key: amount")),
        rule(RuleKind::Raise, Some(Level::Critical), None),
        rule(RuleKind::Forbid, None, None),
        rule(RuleKind::Default, None, None),
    ];
    assert_snapshot!(rules.join("\n"), @r#"
    rule deletes: It is night. Its condition could not be evaluated, so it was taken in the stricter way: no such key: amount
    raised to critical by deletes: It is night.
    forbidden by deletes: It is night.
    no rule is about it: It is night.
    "#);
}

/// R27: who must say yes, and who has.
#[test]
fn needs_read_well() {
    let texts = Texts::english();
    let needs = |groups: &[(&str, u32, u32)], stage| {
        texts.needs(&waiting(groups, stage, Vec::new()), &PLAIN).unwrap()
    };
    assert_snapshot!(needs(&[("admin", 2, 0)], (1, 1)), @"2 admins · none yet");
    assert_snapshot!(needs(&[("releaser", 2, 1)], (1, 2)), @"stage 1 of 2 · 2 people with the role releaser · 1 of 2 so far");
    assert_snapshot!(needs(&[("operator", 1, 1), ("finance", 1, 0), ("auditor", 2, 0)], (1, 1)), @"1 operator (1 of 1 so far), 1 person with the role finance (none yet) and 2 auditors (none yet)");
    assert_eq!(texts.needs(&StateView::Checking, &PLAIN), None);
    let mut escalated = waiting(&[("admin", 1, 0)], (1, 1), Vec::new());
    if let StateView::Waiting { as_well, votes, .. } = &mut escalated {
        as_well.push(role("on-call"));
        votes.push(VoteView {
            stands_in_for: vec![visible("Ana"), visible("Dana")],
            ..vote("Bo", Decision::Deny, None, 7)
        });
    }
    assert_snapshot!(texts.needs(&escalated, &PLAIN).unwrap(), @"1 admin · none yet · people with the role on-call may decide as well");
    let StateView::Waiting { votes, .. } = &escalated else { unreachable!() };
    assert_snapshot!(texts.votes(votes, &PLAIN), @"Bo for Ana and Dana said no, 14:07 UTC");
    let open =
        [Need { role: role("viewer"), count: 2, have: 1 }, Need { role: role("admin"), count: 1, have: 1 }];
    assert_snapshot!(texts.counted(Decision::Approve, &open, &PLAIN), @"Your yes is counted. Still needed: 1 viewer.");
    assert_snapshot!(texts.counted(Decision::Approve, &[], &PLAIN), @"Your yes is counted.");
    assert_snapshot!(texts.counted(Decision::Deny, &open, &PLAIN), @"Your no is counted.");
}

#[test]
fn lines_of_the_card_read_well() {
    in_each_language("lines", lines_of_the_card);
    let texts = Texts::english();
    assert_eq!(texts.redacted(0), None);
    assert_eq!(texts.warnings(&Warnings::default()), None);
}

fn lines_of_the_card(texts: &Texts) -> Vec<String> {
    let call = card(StateView::Checking).call;
    let rule = |because: &str| texts.rule(&rule_view(because), &PLAIN);
    let warnings = |invisible, bidi, mixed_script, combining| {
        texts.warnings(&Warnings { invisible, bidi, mixed_script, combining }).unwrap_or_default()
    };
    vec![
        texts.headline(&call, &PLAIN),
        texts.task(&call, &PLAIN),
        rule("Deleting cannot be undone."),
        rule(""),
        texts.lines_shown(3, 41),
        texts.characters_left_out(1),
        texts.characters_left_out(1200),
        texts.redacted(1).unwrap_or_default(),
        texts.redacted(2).unwrap_or_default(),
        warnings(1, 0, 0, 0),
        warnings(2, 2, 2, 2),
        warnings(0, 1, 1, 1),
        [Level::Low, Level::Medium, Level::High, Level::Critical].map(|level| texts.level(level)).join(", "),
        [500, 25_000, 600_000, 5_400_000, 7_200_000, 86_400_000, 172_800_000]
            .map(|ms| texts.span(Ttl::from_millis(ms)))
            .join(", "),
        [0, 161, 9_950, 61_000, 200_000].map(|ms| texts.duration(ms)).join(", "),
    ]
}

#[test]
fn labels_and_troubles_read_well() {
    in_each_language("labels", |texts| {
        let labels = Label::ALL.iter().map(|label| format!("{label:?}: {}", texts.label(*label)));
        let deciding =
            DecidingLabel::ALL.iter().map(|label| format!("{label:?}: {}", texts.deciding(*label)));
        let labels = labels.chain(deciding);
        let troubles = Trouble::ALL.iter().map(|trouble| format!("{trouble:?}: {}", texts.trouble(*trouble)));
        for title in [Label::ApproveTitle, Label::DenyTitle, Label::DetailsTitle] {
            assert!(texts.label(title).chars().count() <= 24, "Slack's limit of a dialog's title");
        }
        labels.chain(troubles).collect()
    });
}

/// R52: what ran unasked reads as lines, what is amiss is said, what is left out too; in both languages.
#[test]
fn a_digest_says_what_ran_on_whose_word() {
    use crate::approval::Unasked;
    use crate::gate::{Digest, DigestTool};
    let tool = |tool: &str, ran: &[(Unasked, u64)], failed, unknown| DigestTool {
        tool: tool.to_owned(),
        ran: ran.to_vec(),
        failed,
        unknown,
    };
    let digest = Digest {
        tenant: crate::id::TenantId::new("acme").unwrap(),
        since: at(0),
        until: at(60),
        tools: vec![
            tool("mail/send\u{202e}", &[(Unasked::Remembered, 1), (Unasked::Silence, 2)], 1, 1),
            tool("read_file", &[(Unasked::Auto, 9), (Unasked::Suggest, 3)], 0, 0),
            tool("add", &[(Unasked::Auto, 1)], 0, 0),
        ],
    };
    let empty = Digest { tools: Vec::new(), ..digest.clone() };
    let said: Vec<String> = Language::ALL
        .into_iter()
        .flat_map(|language| {
            let texts = Texts::new(language);
            [texts.digest(&digest, 2, &PLAIN), texts.digest(&empty, 2, &PLAIN)].concat()
        })
        .collect();
    assert_snapshot!("digest", said.join("\n"));
}

#[test]
fn dialogs_read_well() {
    for language in Language::ALL {
        let texts = Texts::new(language);
        let said = DialogText::ALL.iter().map(|text| format!("{text:?}: {}", texts.dialog(*text)));
        assert_snapshot!(format!("dialogs_{}", language.tag()), said.collect::<Vec<_>>().join("\n"));
        for text in DialogText::ALL {
            let name = format!("{text:?}");
            // Slack's limits, also where a view or a question cuts what is longer.
            let most = match name.as_str() {
                "CriticalTitle" => 100,
                "CriticalYes" | "CriticalNo" => 30,
                name if name.ends_with("Title") || name.ends_with("Submit") => 24,
                name if name.ends_with("Button") => 30,
                _ => 1_000,
            };
            assert!(texts.dialog(*text).chars().count() <= most, "{language:?} {name}");
        }
    }
}

/// R42: nobody reads half a dialog in another language.
#[test]
fn the_dialogs_are_there_in_every_language() {
    for language in Language::ALL {
        let defined = defined(language);
        for text in DialogText::ALL {
            assert!(defined.contains(&text.id()), "{language:?} {}", text.id());
        }
        for key in DialogKey::ALL {
            assert!(defined.contains(&key.id()), "{language:?} {}", key.id());
        }
    }
}
