//! Home tabs.

use std::collections::BTreeSet;

use placet::approval::{Approval, Decision};
use placet::gate::Home;
use placet::id::{PersonId, Role};
use placet::person::{Identity, Member, NoStanding, Standing};
use placet::text::Texts;

use super::Piece;
use crate::fixtures::{HOSTILE, everywhere, slack, view, vote, waiting};
use crate::render::channel_mark;
use crate::render::home::{HomeView, Item, WAITING_PER_PAGE, view as view_of};

fn member(name: &str, roles: &[&str], stands_in_for: &[&str]) -> Standing {
    Standing::Member(Member {
        person: PersonId::new("bo").unwrap(),
        name: name.to_owned(),
        roles: roles.iter().map(|role| Role::new(*role).unwrap()).collect::<BTreeSet<_>>(),
        stands_in_for: stands_in_for.iter().map(|name| (*name).to_owned()).collect(),
    })
}

/// Where the card of each is.
pub(super) const CARD: &str = "https://acme.slack.com/archives/C0OPS/p1796047200000100";

fn piece(name: &str, home: &Home, texts: &Texts) -> Piece {
    page(name, (home, 0, true), texts)
}

fn page(name: &str, (home, page, reads): (&Home, usize, bool), texts: &Texts) -> Piece {
    let reader = Identity::slack("T0PLACET01", "U0BO").unwrap();
    let of = HomeView {
        home,
        reader: &reader,
        surface: &slack(),
        page,
        item: &|approval| Item { card: view(approval), reads, link: CARD.parse().ok() },
        place: &|_| channel_mark("C0OPS", texts),
    };
    Piece::view(format!("home-{name}"), "home", view_of(&of, texts))
}

/// The home of somebody for whom this waits, and who said something to it.
pub(super) fn of(kind: &str, approval: &Approval, name: &str, texts: &Texts) -> Piece {
    let said = vote(approval, "Bo", Decision::Deny, Some(name));
    let home = Home {
        standing: member(name, &["admin", "operator"], &[name]),
        waiting: vec![approval.clone(); 2],
        decided: vec![(approval.clone(), said)],
    };
    piece(kind, &home, texts)
}

pub(super) fn all(texts: &'static Texts) -> Vec<Piece> {
    let nothing = |standing| Home { standing, waiting: Vec::new(), decided: Vec::new() };
    let many = Home { waiting: vec![waiting(); 60], ..nothing(member("Bo", &["admin"], &[])) };
    let full = Home {
        decided: vec![(waiting(), vote(&waiting(), "Bo", Decision::Approve, None)); 10],
        ..many.clone()
    };
    let last = many.waiting.len() / WAITING_PER_PAGE;
    let one = Home { waiting: vec![everywhere(HOSTILE)], ..many.clone() };
    vec![
        page("full", (&full, 1, true), texts),
        page("last-page", (&many, last, true), texts),
        page("veiled", (&one, 0, false), texts),
        of("two-wait", &waiting(), "Bo", texts),
        of("hostile", &everywhere(HOSTILE), HOSTILE, texts),
        piece("many-wait", &many, texts),
        piece("nothing-waits", &nothing(member("Bo", &["admin"], &["Ana"])), texts),
        piece("no-role", &nothing(member("Bo", &[], &[])), texts),
        piece("stranger", &nothing(Standing::None(NoStanding::Unknown)), texts),
    ]
}
