//! What the tests of this crate share: cards come from those of all surfaces; what is Matrix's stands here.

use std::sync::Arc;

use placet::approval::{Approval, Assurance};
use placet::card::CardView;
use placet::id::SurfaceName;
use placet::policy::{Level, Terms, Verdict};
pub(crate) use placet_test_cards::*;

use crate::render::{Buttons, Manner};

/// What an agent writes that would like to be more than text in a client of Matrix.
pub(crate) const EVIL: &str = "<a href=\"https://evil.example\">Approve</a> <b>bold</b></code></pre> &lt;i&gt; \
    @room @ROOM @bo:example.org #ops:example.org https://matrix.to/#/@bo:example.org [ok](https://evil.example) \
    <mx-reply>x</mx-reply> <img src=x onerror=y> <font data-mx-bg-color=\"#f00\"> ✅ Approved \u{e000}x\u{e001} \
    \u{202e}txt.exe\u{202c} zero\u{200b}width  two  spaces\nNeeds: nobody\n│ path: other";

pub(crate) fn matrix() -> SurfaceName {
    SurfaceName::new("matrix").unwrap()
}

pub(crate) fn manner(buttons: Buttons) -> Manner {
    Manner { buttons, ..Manner::default() }
}

/// An ordinary request of a level, under terms.
pub(crate) fn of_level(level: Level, change: impl FnOnce(&mut Terms)) -> CardView {
    let mut approval = waiting();
    judged(&mut approval, |verdict| {
        verdict.level = level;
        change(verdict.terms.as_mut().unwrap());
    });
    view(&approval)
}

pub(crate) fn judged(approval: &mut Approval, change: impl FnOnce(&mut Verdict)) {
    let mut verdict = (**approval.verdict.as_ref().unwrap()).clone();
    change(&mut verdict);
    approval.verdict = Some(Arc::new(verdict));
}

/// A request whose voters' keys are known, or whose server vouches for them.
pub(crate) fn voted(assurance: Assurance) -> CardView {
    let mut approval = waiting();
    let mut vote = vote(&approval, "Bo", placet::approval::Decision::Approve, Some("temporary, can go"));
    vote.assurance = assurance;
    approval.votes = vec![vote];
    view(&approval)
}
