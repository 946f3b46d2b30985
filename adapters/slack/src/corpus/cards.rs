//! Cards of all kinds and states.

use std::sync::LazyLock;

use placet::card::CardView;
use placet::text::Texts;
pub(super) use placet_test_cards::special::gathered;
use url::Url;

use super::{Piece, calls};
use crate::fixtures::{in_every_state, slack, special, view};
use crate::render::{Rendering, compact, render, render_linked};

fn piece(name: impl Into<String>, by: &'static str, rendering: &Rendering) -> Piece {
    Piece::message(name, by, &rendering.text, &rendering.blocks)
}

/// The card as it is posted; told by its state which renderer made it.
pub(super) fn card(name: &str, view: &CardView, texts: &Texts) -> Piece {
    let by = match (view.parts.is_empty(), view.is_waiting()) {
        (false, _) => "gathered",
        (true, true) => "card",
        (true, false) => "record",
    };
    piece(format!("card-{name}"), by, &render(view, &slack(), texts))
}

/// An ordinary call in every state, whole and as little as there can be.
pub(super) fn states(texts: &'static Texts) -> Vec<Piece> {
    let all = in_every_state().into_iter().flat_map(|(name, approval)| {
        let view = view(&approval);
        let name = name.replace('_', "-");
        let small = piece(format!("compact-{name}"), "compact", &compact(&view, &slack(), texts));
        [card(&name, &view, texts), small]
    });
    all.collect()
}

/// Calls as teams meet them.
pub(super) fn calls(texts: &'static Texts) -> Vec<Piece> {
    calls::all().iter().map(|(name, approval)| card(name, &view(approval), texts)).collect()
}

/// What is out of the ordinary: hostile, long, gathered, edited, asked again.
pub(super) fn special(texts: &'static Texts) -> Vec<Piece> {
    // The same in every language, and slow to make.
    static VIEWS: LazyLock<Vec<(&str, CardView)>> = LazyLock::new(placet_test_cards::special::views);
    let mut all: Vec<Piece> = VIEWS.iter().map(|(name, view)| card(name, view, texts)).collect();
    for (name, view) in
        VIEWS.iter().filter(|(name, _)| name.starts_with("hostile") || name.starts_with("gathered"))
    {
        let by = if view.parts.is_empty() { "compact" } else { "gathered" };
        all.push(piece(format!("compact-{name}"), by, &compact(view, &slack(), texts)));
    }
    all
}

/// What became of a call that was asked for in a thread: it leads there.
pub(super) fn records(texts: &'static Texts) -> Vec<Piece> {
    let thread = Url::parse("https://acme.slack.com/archives/C0GENERAL/p1796047100000100").unwrap();
    let mut over = special::approved();
    over.proposal = special::asked_in("slack").proposal;
    let rendering = render_linked(&view(&over), (&slack(), Some(&thread)), texts);
    vec![piece("card-asked-in-record", "record", &rendering)]
}
