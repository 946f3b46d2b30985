//! What is seen now and then: confidential calls, cards that may be changed, questions, decisions of one person alone, what
//! a dialog says in its own place, and what is wrong with what was entered.

use std::sync::Arc;

use placet::approval::state::{Approved, Executed};
use placet::approval::{
    Actor, Addressee, Approval, ApprovedBy, Assurance, BrokenGlass, GivenAnswer, Looking, OutcomeKind,
    Question, Refusal, Reviewed, State, Status,
};
use placet::card::{CardView, Redactor};
use placet::id::{HoldId, PersonId, Role};
use placet::notice::{Message, Recipient};
use placet::person::Identity;
use placet::policy::Terms;
use placet::ports::Mismatch;
use placet::ports::schemas::{Kind, Misfit, Step};
use placet::text::{DialogText, Markup, Texts};
use placet::time::Ttl;
use serde_json::{Value, json};

use super::cards::{card, gathered};
use super::{Piece, details, dialogs, notices};
use crate::fixtures::{
    HOSTILE, at, ended, everywhere, in_every_state, proposal, slack, tenant, terms, view, waiting,
    waiting_for,
};
use crate::inbound::answer::Answer;
use crate::render::sheet::{self, Frame, Sheet};
use crate::render::{compact, edit, notice};

pub(super) fn all(texts: &'static Texts) -> Vec<Piece> {
    let mut all = veiled("", &waiting(), texts);
    all.extend(veiled("-hostile", &everywhere(HOSTILE), texts));
    all.extend(records(texts));
    all.extend(told_in_shared_places(texts));
    all.extend(shown("may-edit", &view(&may_edit()), texts));
    all.push(change(texts));
    for (name, answer) in [("", "Yes, since March."), ("-hostile", HOSTILE)] {
        all.extend(shown(&format!("questions{name}"), &view(&talked(waiting(), answer)), texts));
    }
    all.push(card("gathered-questions", &gathered_talk(), texts));
    for (name, approval) in alone("The site is down.") {
        all.extend(shown(&format!("alone-{name}"), &view(&approval), texts));
    }
    all.extend(said(HOSTILE, texts));
    all.extend(wrong(texts));
    all.extend(refused(texts));
    all
}

/// In every form that has room for it: the card, the smallest one, and Details.
fn shown(name: &str, seen: &CardView, texts: &Texts) -> Vec<Piece> {
    let small = compact(seen, &slack(), texts);
    vec![
        card(name, seen, texts),
        Piece::message(format!("compact-{name}"), "compact", &small.text, &small.blocks),
        details::first_page(name, seen, texts),
    ]
}

/// The same call, where only those may read it who decide.
pub(super) fn confidential(mut approval: Approval) -> Approval {
    let mut verdict = (**approval.verdict.as_ref().unwrap()).clone();
    verdict.confidential = Some(vec![Role::new("admin").unwrap()]);
    verdict.terms = verdict.terms.map(|terms| Terms { confidential: true, ..terms });
    approval.verdict = Some(Arc::new(verdict));
    approval
}

/// A confidential card as it stands in a shared place, under the renderer that makes it.
fn veiled_card(name: &str, approval: &Approval, texts: &Texts) -> Piece {
    Piece { by: "compact", ..card(&format!("confidential-{name}"), &view(approval), texts) }
}

/// A confidential call: its card, what who may read it sees of it, and the dialogs of who may not.
pub(super) fn veiled(kind: &str, approval: &Approval, texts: &Texts) -> Vec<Piece> {
    let approval = confidential(approval.clone());
    let seen = view(&approval);
    let mut all = vec![
        veiled_card(&format!("waiting{kind}"), &approval, texts),
        details::first_page(&format!("confidential{kind}"), &seen, texts),
    ];
    all.extend(dialogs::sheets(&format!("-veiled{kind}"), &seen.veil(), texts));
    all
}

/// What becomes of confidential cards.
fn records(texts: &Texts) -> Vec<Piece> {
    let mut all = Vec::new();
    for (name, approval) in in_every_state().into_iter().filter(|(name, _)| *name != "waiting") {
        all.push(veiled_card(&name.replace('_', "-"), &confidential(approval), texts));
    }
    let over = ended(&everywhere(HOSTILE), HOSTILE).into_iter().enumerate();
    all.extend(
        over.map(|(number, over)| veiled_card(&format!("hostile-{number}"), &confidential(over), texts)),
    );
    all
}

/// What is told of a confidential call where others read it than who may read the call.
fn told_in_shared_places(texts: &Texts) -> Vec<Piece> {
    let samples = notices::samples("delete_file", HOSTILE).into_iter().enumerate();
    let told = samples.map(|(number, (_, mut sample))| {
        sample.veil();
        let (text, blocks) = notice(&Message::new(tenant(), Recipient::Operators, sample), &[], texts);
        Piece::message(format!("notice-veiled-{number}"), "notice", &text, &blocks)
    });
    told.collect()
}

/// A call that may be changed before it is decided.
fn may_edit() -> Approval {
    let terms = Terms { may_edit: true, ..terms() };
    waiting_for(proposal(&json!({ "path": "demo-notes/scratch.txt" })), terms)
}

/// The dialog for that, with ordinary arguments.
fn change(texts: &Texts) -> Piece {
    let args = json!({ "path": "demo-notes/scratch.txt", "depth": 3, "force": false });
    let seen = view(&may_edit());
    let frame = Frame { view: &seen, reference: "reference", texts };
    Piece::view("edit-plain", "edit", edit::view(&frame, (&args, true), &Redactor::new()))
}

fn account(name: &str) -> Identity {
    Identity::slack("T1", &format!("U{}", name.to_uppercase())).unwrap()
}

/// A call about which people have asked the agent and who asked for it, that was answered by both, and at which two are
/// looking; with these words for everything that was asked or answered.
pub(super) fn talked(mut approval: Approval, words: &str) -> Approval {
    let State::WaitingApproval(waiting) = &mut approval.state else { panic!("it does not wait") };
    let answer = |by: Actor, name: Option<&str>| {
        Some(GivenAnswer { by, name: name.map(str::to_owned), text: words.to_owned(), at: at(120) })
    };
    let question = |name: &str, to, answer| Question {
        by: account(name),
        name: name.to_owned(),
        to,
        text: if words == HOSTILE { HOSTILE } else { "Is it in the backup?" }.to_owned(),
        at: at(60),
        surface: Some(slack()),
        answer,
        lost: false,
    };
    waiting.questions = vec![
        question("Bo", Addressee::Agent, answer(Actor::Placet, None)),
        question("Chen", Addressee::Requester, answer(Actor::Account(account("Ana")), Some("Ana"))),
        question("Bo", Addressee::Agent, None),
    ];
    let looking = |name: &str| Looking {
        by: account(name),
        person: PersonId::new(name.to_lowercase()).unwrap(),
        name: name.to_owned(),
        since: at(90),
        until: at(690),
    };
    waiting.looking = vec![looking("Bo"), looking("Dana")];
    approval
}

fn gathered_talk() -> CardView {
    let state = view(&talked(waiting(), "Yes, since March.")).state;
    CardView { state, ..gathered(["a.txt", "b.txt"].map(|path| json!({ "path": path }))) }
}

/// A call that one person decided alone, in an emergency: before and after it ran, and before and after it was reviewed.
pub(super) fn alone(reason: &str) -> Vec<(&'static str, Approval)> {
    let (name, person) = ("Sam".to_owned(), PersonId::new("sam").unwrap());
    let (surface, assurance) = (Some(slack()), Assurance::Signed);
    let by = ApprovedBy::BreakGlass {
        by: account("Sam"),
        person: person.clone(),
        name: name.clone(),
        reason: reason.to_owned(),
        surface: surface.clone(),
        assurance,
        shown: None,
    };
    let glass = BrokenGlass {
        by: account("Sam"),
        person,
        name,
        reason: reason.to_owned(),
        surface,
        assurance,
        shown: None,
        at: at(60),
        reviewed: None,
    };
    let reviewed =
        Reviewed { by: account("Chen"), name: "Chen".to_owned(), note: Some(reason.to_owned()), at: at(600) };
    let with = |state: State, reviewed: Option<Reviewed>| {
        let glass = Some(BrokenGlass { reviewed, ..glass.clone() });
        Approval { state, glass, ..waiting() }
    };
    let ran = |kind: OutcomeKind| {
        let all = in_every_state().into_iter().map(|(_, approval)| approval.state);
        let mut ran = all.filter_map(|state| match state {
            State::Executed(executed) if executed.outcome.kind == kind => Some(executed),
            _ => None,
        });
        State::Executed(Executed { by: by.clone(), ..ran.next().unwrap() })
    };
    let approved = State::Approved(Approved { by: by.clone(), at: at(60), until: at(660) });
    vec![
        ("approved", with(approved, None)),
        ("ran", with(ran(OutcomeKind::Succeeded), None)),
        ("unknown", with(ran(OutcomeKind::Unknown), None)),
        ("reviewed", with(ran(OutcomeKind::Succeeded), Some(reviewed))),
    ]
}

/// What a dialog says in its own place.
pub(super) fn said(words: &str, texts: &Texts) -> Vec<Piece> {
    let id = HoldId::from_bytes([7; 16]);
    let done = texts.freeze_done(words, id, &Markup::PLAIN);
    let stood = texts.freeze_stood(words, (id, words, words), &Markup::PLAIN);
    let working = texts.dialog(DialogText::WorkingText);
    [
        ("frozen", Sheet::Freeze, DialogText::FreezeTitle, &done),
        ("frozen-already", Sheet::Freeze, DialogText::FreezeTitle, &stood),
        ("still-at-it-freeze", Sheet::Freeze, DialogText::WorkingTitle, &working),
        ("still-at-it-edit", Sheet::Edit, DialogText::WorkingTitle, &working),
    ]
    .into_iter()
    .map(|(name, which, title, text)| {
        Piece::view(format!("said-{name}"), "sheet", sheet::said(which, title, text, texts))
    })
    .collect()
}

/// The arguments of a call that is changed, one of each kind.
fn args() -> Value {
    json!({ "depth": 3, "force": true, "path": "a.txt", "skip": ["a"], "tags": { "x": 1 } })
}

/// Everything that a tool may not take.
fn mismatches() -> Vec<Mismatch> {
    let text = || HOSTILE.to_owned();
    let kinds =
        vec![Kind::Text, Kind::Whole, Kind::Number, Kind::Boolean, Kind::List, Kind::Object, Kind::Null];
    let all = vec![
        Misfit::Kind(kinds),
        Misfit::Missing(text()),
        Misfit::Unexpected,
        Misfit::NotAmong(vec![text(), text()]),
        Misfit::TooLow { least: "3".to_owned(), beyond: true },
        Misfit::TooHigh { most: "5".to_owned(), beyond: false },
        Misfit::NotMultiple("2".to_owned()),
        Misfit::TooShort(3),
        Misfit::TooLong(5),
        Misfit::TooFew(1),
        Misfit::TooMany(2),
        Misfit::Twice,
        Misfit::Pattern(text()),
        Misfit::Form("email".to_owned()),
        Misfit::Other(text()),
    ];
    let names = ["depth", "force", "path", "skip", "tags"];
    let places = names.iter().cycle().map(|name| vec![Step::Name((*name).to_owned())]);
    let mut all: Vec<Mismatch> = places.zip(all).map(|(at, what)| Mismatch { at, what }).collect();
    // Deeper in an argument, in one that has no field, and about all of them.
    let deep = vec![Step::Name("skip".to_owned()), Step::Index(0), Step::Name(text())];
    for at in [deep, vec![Step::Name(text())], Vec::new()] {
        all.push(Mismatch { at, what: Misfit::Unexpected });
    }
    all
}

/// What stands beside the fields of arguments that do not do.
fn wrong(texts: &Texts) -> Vec<Piece> {
    let (args, redactor) = (args(), Redactor::new());
    let asked = (&args, &redactor);
    let errors = |name: &str, wrong: Vec<edit::Wrong>| {
        let Answer::Said(said) = Answer::errors(wrong) else { panic!("nothing is said") };
        assert_ne!(said["errors"], json!({}), "{name}");
        Piece { by: "edit", ..Piece::answer(format!("edit-{name}"), said) }
    };
    let mut all = vec![errors("mismatched", edit::mismatched(asked, &mismatches(), texts))];
    for (number, mismatch) in mismatches().into_iter().enumerate() {
        all.push(errors(&format!("mismatched-{number}"), edit::mismatched(asked, &[mismatch], texts)));
    }
    let entered = [
        ("not-json", "{"),
        ("twice", "{\"a\": 1, \"a\": 2}"),
        ("lossy", "1e999"),
        ("more-than-json", "[] []"),
        ("hostile", HOSTILE),
    ];
    for (name, entered) in entered {
        let meant = edit::meant(asked, |_, _| Some(entered), false, texts);
        all.push(errors(name, meant.expect_err("it does not do")));
    }
    let about_it = [
        ("unchanged", texts.dialog(DialogText::EditUnchanged)),
        ("nobody-else", texts.dialog(DialogText::EditNobodyElse)),
        ("forbidden", texts.edit_forbidden(HOSTILE, &Markup::PLAIN)),
    ];
    let block = edit::first_block(&args, &redactor).unwrap();
    all.extend(about_it.map(|(name, text)| errors(name, vec![edit::Wrong { block: block.clone(), text }])));
    all
}

/// The refusals that are seldom told.
pub(super) fn refusals() -> Vec<Refusal> {
    let words = || HOSTILE.to_owned();
    let status = Status::Executed;
    vec![
        Refusal::OwnEdit,
        Refusal::NoVote,
        Refusal::FactsStale,
        Refusal::NotApproved { status },
        Refusal::WrongCall,
        Refusal::ApprovalExpired,
        Refusal::ApproverLapsed { names: vec![words(), words()] },
        Refusal::ForbiddenNow { because: words() },
        Refusal::Frozen { name: words(), because: words(), until: at(0) + Ttl::from_mins(30) },
        Refusal::NoLongerRemembered,
        Refusal::LowAssurance { needs: Assurance::E2eePinned },
        Refusal::MayNotEdit,
        Refusal::AlreadyClaimed,
        Refusal::NotTheClaimant,
        Refusal::AlreadyFinished { outcome: OutcomeKind::Failed },
        Refusal::StillUnknown,
        Refusal::TooManyQuestions,
        Refusal::NoOpenQuestion,
        Refusal::NotAskedOfYou,
    ]
}

fn refused(texts: &Texts) -> Vec<Piece> {
    let all = refusals().into_iter();
    all.map(|refusal| {
        let text = texts.refusal(&refusal, &[], &Markup::PLAIN);
        let Answer::Said(said) = Answer::error(crate::render::dialog::NOTE_BLOCK, &text) else {
            panic!("nothing is said")
        };
        Piece::answer(format!("dialog-refused-{}", refusal.code().replace('_', "-")), said)
    })
    .collect()
}
