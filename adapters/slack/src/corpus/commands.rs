//! What a typed command is answered, and the dialogs that ask for what was not typed.

use placet::hold::HoldScope;
use placet::id::AgentId;
use placet::text::Texts;

use super::Piece;
use crate::fixtures::HOSTILE;
use crate::limits::PRIVATE_METADATA_UNITS_MAX;
use crate::render::commands::{dialog, tests::every};

pub(super) fn answers(texts: &'static Texts) -> Vec<Piece> {
    let texts_of =
        [("", "delete_file".to_owned()), ("-hostile", HOSTILE.to_owned()), ("-long", HOSTILE.repeat(40))];
    let pieces = texts_of.into_iter().flat_map(|(kind, text)| {
        let pages = every(&text, texts).into_iter().enumerate();
        pages.map(move |(number, page)| {
            Piece::message(format!("command-{number}{kind}"), "commands", &page.text, &page.blocks)
        })
    });
    pieces.collect()
}

pub(super) fn dialogs(texts: &'static Texts) -> Vec<Piece> {
    let opaque = "r".repeat(PRIVATE_METADATA_UNITS_MAX);
    let scope = HoldScope::Agent(AgentId::new("agent").unwrap());
    vec![
        Piece::view("command-dialog-revoke", "commands", dialog::revoke("7Q4K-2M", &opaque, texts)),
        Piece::view("command-dialog-settle", "commands", dialog::settle("7Q4K-2M", None, &opaque, texts)),
        Piece::view("command-dialog-freeze", "commands", dialog::freeze(&opaque, texts)),
        Piece::view(
            "command-dialog-freeze-hostile",
            "commands",
            dialog::freeze_confirm(&scope, Some(HOSTILE), &opaque, texts),
        ),
    ]
}
