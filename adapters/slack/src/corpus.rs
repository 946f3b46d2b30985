//! The golden corpus: everything that the adapter can send to Slack, in every language, long and hostile things among
//! it. What holds for all of it is tested here; with [`OUT_VARIABLE`] it is also written to a folder, a file for each
//! [`Piece`], for judges that are not written in Rust (`tests/judges/corpus`).
//!
//! To add something: a function that gives its pieces, in a file of its own or in that of its kind, and its name in
//! [`PARTS`]. A renderer (a file in `src/render`) of which nothing is in the corpus fails a test.

mod answers;
mod cards;
mod commands;
mod complete;
mod details;
mod dialogs;
mod homes;
mod notices;
mod opening;
mod properties;
mod rare;
mod threads;

use std::collections::BTreeSet;
use std::path::Path;

use placet::text::{Language, Texts};
use placet_test_cards::calls;
use serde_json::{Value, json};

use crate::limits::{check_message, check_view};

/// The fewest pieces in a language that are worth the name.
const PIECES_MIN: usize = 40;

/// Names the folder that the corpus is written to.
const OUT_VARIABLE: &str = "PLACET_CORPUS";

/// Something that the adapter sends.
pub(crate) struct Piece {
    /// What it is, such as `card-waiting`; the same in every language.
    pub(crate) name: String,
    /// The file in `src/render` that makes it, without its ending; empty where none does.
    pub(crate) by: &'static str,
    /// What is sent.
    pub(crate) sent: Sent,
}

/// What kind of thing is sent: Slack has other rules for each.
pub(crate) enum Sent {
    /// The `text` and `blocks` of a message.
    Message {
        /// The fallback, escaped.
        text: String,
        /// The blocks.
        blocks: Vec<Value>,
    },
    /// A modal or a home tab.
    View(Value),
    /// What whoever pressed or typed something is answered.
    Answer(Value),
}

impl Piece {
    pub(crate) fn message(name: impl Into<String>, by: &'static str, text: &str, blocks: &[Value]) -> Self {
        let sent = Sent::Message { text: text.to_owned(), blocks: blocks.to_vec() };
        Self { name: name.into(), by, sent }
    }

    pub(crate) fn view(name: impl Into<String>, by: &'static str, view: Value) -> Self {
        Self { name: name.into(), by, sent: Sent::View(view) }
    }

    pub(crate) fn answer(name: impl Into<String>, answer: Value) -> Self {
        Self { name: name.into(), by: "", sent: Sent::Answer(answer) }
    }

    /// The folder for its kind, and what stands in its file.
    fn file(&self) -> (&'static str, Value) {
        match &self.sent {
            Sent::Message { text, blocks } => ("messages", json!({ "text": text, "blocks": blocks })),
            Sent::View(view) if view["type"] == "home" => ("homes", view.clone()),
            Sent::View(view) => ("modals", view.clone()),
            Sent::Answer(answer) => ("answers", answer.clone()),
        }
    }

    fn write(&self, out: &Path, language: Language) {
        let (kind, content) = self.file();
        let folder = out.join(kind);
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{}-{}.json", language.tag(), self.name));
        std::fs::write(file, serde_json::to_string_pretty(&content).unwrap() + "\n").unwrap();
    }

    /// Every limit of Slack's that it does not keep to.
    pub(crate) fn faults(&self) -> Vec<String> {
        let found = match &self.sent {
            Sent::Message { text, blocks } => check_message(&json!({ "text": text, "blocks": blocks })),
            // A home has no title; else it is as a dialog.
            Sent::View(view) if view["type"] == "home" => {
                let mut found = check_view(view);
                found.retain(|violation| violation.path != "/title");
                found
            }
            Sent::View(view) => check_view(view),
            Sent::Answer(answer) if answer["blocks"].is_null() && answer["text"].is_null() => Vec::new(),
            Sent::Answer(answer) => check_message(answer),
        };
        found.iter().map(|violation| format!("{}: {violation}", self.name)).collect()
    }
}

/// What makes the pieces of one part of the adapter.
type Part = fn(&'static Texts) -> Vec<Piece>;

/// All parts. Notices are not among them: they are taken from what is sent.
const PARTS: &[Part] = &[
    cards::states,
    cards::calls,
    cards::special,
    cards::records,
    details::all,
    dialogs::all,
    answers::all,
    commands::answers,
    commands::dialogs,
    homes::all,
    opening::all,
    threads::all,
    rare::all,
];

/// Every piece in this language.
pub(crate) async fn pieces(language: Language) -> Vec<Piece> {
    // For the whole run of a test.
    let texts: &'static Texts = Box::leak(Box::new(Texts::new(language)));
    let mut all: Vec<Piece> = PARTS.iter().flat_map(|part| part(texts)).collect();
    all.extend(notices::all(language).await);
    all
}

/// Files in `src/render` that make nothing by themselves: what the others are put together from.
const NO_RENDERERS: &[&str] = &["arguments", "menu", "pieces", "question", "target", "tests", "value"];

fn renderers() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/render");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let rust = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let names = rust.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    names.filter(|name| !NO_RENDERERS.contains(&name.as_str())).collect()
}

/// R28, R42: whatever is sent keeps Slack's limits, in every language; every renderer has something in the corpus, and
/// everything in it a name of its own. Written to a folder where somebody wants it: it is made once, for it is large.
#[tokio::test]
async fn everything_that_is_sent_keeps_the_limits() {
    let out = std::env::var_os(OUT_VARIABLE);
    for language in Language::ALL {
        let pieces = pieces(language).await;
        let faults: Vec<String> = pieces.iter().flat_map(Piece::faults).collect();
        assert_eq!(faults, [""; 0]);
        let by: BTreeSet<String> =
            pieces.iter().map(|piece| piece.by.to_owned()).filter(|by| !by.is_empty()).collect();
        assert_eq!(by, renderers(), "left: in the corpus; right: the files of src/render");
        let names: BTreeSet<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
        assert_eq!(names.len(), pieces.len(), "a name is there twice");
        assert!(pieces.len() >= PIECES_MIN, "the corpus is small: {}", pieces.len());
        if let Some(out) = &out {
            pieces.iter().for_each(|piece| piece.write(Path::new(out), language));
        }
    }
}

/// The check that the corpus is held to finds each of the faults that judges of other make do not look for.
#[test]
fn a_bad_piece_is_found() {
    let header = json!({ "type": "header", "text": { "type": "plain_text", "text": "h" } });
    let button = json!({ "type": "button", "action_id": "a", "text": { "type": "plain_text", "text": "b" } });
    let field = json!({ "type": "plain_text", "text": "f".repeat(2_001) });
    let input = json!({ "type": "input", "label": { "type": "plain_text", "text": "l" },
        "element": { "type": "plain_text_input" } });
    let message = |blocks: &[Value]| Piece::message("bad", "", "text", blocks);
    let view = json!({ "type": "modal", "title": { "type": "plain_text", "text": "t" }, "blocks": [input] });
    let bad = [
        message(&vec![header; 51]),
        message(&[json!({ "type": "actions", "elements": [button, button] })]),
        message(&[json!({ "type": "section", "fields": [field] })]),
        message(&[crate::mrkdwn::preformatted(&"x".repeat(11_000))]),
        Piece::view("bad", "", view),
    ];
    for piece in bad {
        assert_ne!(piece.faults(), [""; 0], "{}", piece.file().1);
    }
}
