//! The dialog that opens before what it is about may be shown.

use placet::text::Texts;

use super::Piece;
use crate::fixtures::{HOSTILE, waiting};
use crate::render::opening;

pub(super) fn all(texts: &'static Texts) -> Vec<Piece> {
    vec![
        Piece::view("opening-waiting", "opening", opening::waiting(&waiting().code, texts)),
        Piece::view("opening-refused", "opening", opening::refused(&HOSTILE.repeat(40), texts)),
    ]
}
