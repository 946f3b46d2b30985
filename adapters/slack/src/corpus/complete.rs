//! Nothing is missing in the corpus, finer than by file: everything that can be pressed, chosen, filled in or submitted
//! occurs in it, everything that a card's buttons lead to, and everything that somebody is told when it is not done.

use std::collections::BTreeSet;
use std::path::Path;

use placet::approval::Refusal;
use placet::text::Language;
use serde_json::Value;

use super::notices::refusals;
use super::{Piece, pieces, rare};
use crate::render::sheet::Sheet;
use crate::render::target::{Deed, Target};
use crate::render::{METADATA_ATTEMPT, METADATA_EVENT, METADATA_REQUEST};

/// Where ids stand in what is sent.
const IDS: [&str; 3] = ["action_id", "block_id", "callback_id"];

/// The ids that stand in the code of what is rendered: every text in it that begins as ids do.
fn ids_in_the_code(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            ids_in_the_code(&entry, found);
        } else if !entry.ends_with("tests.rs") && !entry.to_string_lossy().contains("/tests/") {
            let code = std::fs::read_to_string(&entry).unwrap();
            let texts = code.split("\"placet_").skip(1).filter_map(|rest| rest.split_once('"'));
            found.extend(texts.map(|(rest, _)| format!("placet_{rest}")));
        }
    }
    for name in [METADATA_EVENT, METADATA_ATTEMPT, METADATA_REQUEST] {
        found.remove(name);
    }
}

/// All texts under these names.
fn texts_under(value: &Value, names: &[&str], found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(text) if names.contains(&name.as_str()) => found.extend([text.to_owned()]),
                    _ => texts_under(member, names, found),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| texts_under(element, names, found)),
        _ => {}
    }
}

fn texts_in(all: &[Piece], names: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    all.iter().for_each(|piece| texts_under(&piece.file().1, names, &mut found));
    found
}

/// Whether this id is that of the code, one that is counted on from it, or one that begins so where the code has the
/// beginning alone.
fn is_of(id: &str, of: &str) -> bool {
    if of.ends_with('_') {
        return id.starts_with(of);
    }
    let rest = id.strip_prefix(of).map(|rest| rest.trim_start_matches('_'));
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// R28, R42: each dialog, block, button and field that the code can make is in the corpus, and everything that a button or a
/// choice on a message leads to.
#[tokio::test]
async fn everything_that_can_be_used_is_in_the_corpus() {
    let mut in_the_code = BTreeSet::new();
    ids_in_the_code(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/render"), &mut in_the_code);
    assert!(in_the_code.len() > 40, "the code was not read: {in_the_code:?}");
    let all = pieces(Language::English).await;
    let there = texts_in(&all, &IDS);
    let missing: Vec<&String> =
        in_the_code.iter().filter(|id| !there.iter().any(|one| is_of(one, id))).collect();
    assert_eq!(missing, [""; 0], "nothing in the corpus has these ids");
    let targets = texts_in(&all, &["value"]);
    let there: Vec<Deed> =
        targets.iter().filter_map(|value| Target::decode(value)).map(|to| to.deed).collect();
    // Other dialogs open from Details alone.
    let on_messages = Sheet::ALL.into_iter().filter(|sheet| match sheet {
        Sheet::Settle | Sheet::Edit | Sheet::Ask | Sheet::Answer | Sheet::Review => true,
        Sheet::BreakGlass | Sheet::Freeze => false,
    });
    for deed in on_messages.map(Deed::Open).chain([Deed::Look]) {
        assert!(there.contains(&deed), "nothing in the corpus leads to {deed:?}");
    }
}

/// How many refusals there are. A new one needs an arm in [`kind`], and a sample.
const REFUSALS: usize = 30;

/// Each by its name, so that a new one cannot be forgotten.
fn kind(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::AlreadyDecided { .. }
        | Refusal::OutOfOrder { .. }
        | Refusal::TooLate
        | Refusal::NoStanding(_)
        | Refusal::WrongRole { .. }
        | Refusal::OwnRequest
        | Refusal::OwnEdit
        | Refusal::AlreadyVoted { .. }
        | Refusal::NotShownInFull
        | Refusal::ReasonRequired { .. }
        | Refusal::NoVote
        | Refusal::NotAllowed { .. }
        | Refusal::FactsStale
        | Refusal::NotApproved { .. }
        | Refusal::WrongCall
        | Refusal::ApprovalExpired
        | Refusal::ApproverLapsed { .. }
        | Refusal::ForbiddenNow { .. }
        | Refusal::Held { .. }
        | Refusal::Frozen { .. }
        | Refusal::NoLongerRemembered
        | Refusal::LowAssurance { .. }
        | Refusal::MayNotEdit
        | Refusal::AlreadyClaimed
        | Refusal::NotTheClaimant
        | Refusal::AlreadyFinished { .. }
        | Refusal::StillUnknown
        | Refusal::TooManyQuestions
        | Refusal::NoOpenQuestion
        | Refusal::NotAskedOfYou => refusal.code(),
    }
}

/// Everything that somebody is told when it is not done.
#[test]
fn every_refusal_is_in_the_corpus() {
    let often = refusals().into_iter().map(|(_, refusal)| refusal);
    let kinds: BTreeSet<&str> = often.chain(rare::refusals()).map(|refusal| kind(&refusal)).collect();
    assert_eq!(kinds.len(), REFUSALS, "{kinds:?}");
}

/// The check finds what it is for.
#[test]
fn an_id_that_nothing_has_is_missed() {
    let piece = Piece::message("one", "", "t", &[serde_json::json!({ "block_id": "placet_arg_12" })]);
    let there = texts_in(&[piece], &IDS);
    let has = |id: &str| there.iter().any(|one| is_of(one, id));
    assert!(has("placet_arg_") && has("placet_arg_12") && !has("placet_argument") && !has("placet_ar"));
}
