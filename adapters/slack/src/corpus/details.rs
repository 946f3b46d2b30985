//! Pages of Details, while something waits and after.

use placet::card::CardView;
use placet::text::Texts;

use super::{Piece, calls};
use crate::fixtures::{HOSTILE, everywhere, in_every_state, view};
use crate::render::details::{Offer, pages, view as page_of};
use crate::render::sheet::Sheet;

/// Everything that can be offered beside yes and no.
const MORE: [Sheet; 4] = [Sheet::Edit, Sheet::Ask, Sheet::Freeze, Sheet::BreakGlass];

/// A reference as long as a real one.
const REFERENCE: &str =
    "1|01930000-0000-7000-8000-000000000000|7Q4K-2M|00|f|T0PLACET01|U0BO|C0OPS|1793520000.000100||1|00";

fn page(name: &str, seen: &CardView, (page, offer): (usize, Offer<'_>), texts: &Texts) -> Piece {
    let pages = pages(&seen.call, texts);
    let page = Offer { page: page.min(pages.len() - 1), ..offer };
    Piece::view(format!("details-{name}"), "details", page_of(seen, &pages, page, REFERENCE, texts))
}

/// The first page, for somebody who has read all of them.
pub(super) fn first_page(name: &str, seen: &CardView, texts: &Texts) -> Piece {
    page(name, seen, (0, Offer { page: 0, all_opened: true, may_approve: true, more: &MORE }), texts)
}

pub(super) fn all(texts: &'static Texts) -> Vec<Piece> {
    let read = Offer { page: 0, all_opened: true, may_approve: true, more: &MORE };
    let first = Offer { all_opened: false, ..read };
    let looks = Offer { may_approve: false, ..read };
    let mut all = Vec::new();
    for (name, approval) in calls::all() {
        all.push(page(name, &view(&approval), (0, read), texts));
    }
    for (name, approval) in in_every_state() {
        let name = format!("state-{}", name.replace('_', "-"));
        all.push(page(&name, &view(&approval), (0, read), texts));
    }
    let hostile = view(&everywhere(HOSTILE));
    all.push(page("hostile", &hostile, (0, read), texts));
    all.push(page("hostile-looks-only", &hostile, (0, looks), texts));
    let long = view(&everywhere(&HOSTILE.repeat(24)));
    all.push(page("long-first-page", &long, (0, first), texts));
    all.push(page("long-second-page", &long, (1, first), texts));
    all.push(page("long-last-page", &long, (usize::MAX, read), texts));
    all
}
