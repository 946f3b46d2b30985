//! How a surface's people type.

use crate::person::Identity;

/// What a surface has for what goes beyond a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// Buttons and dialogs: cards are decided and pages turned by buttons, and a dialog asks for what was not typed.
    Buttons,
    /// Words alone: what would be a button elsewhere is a command, and what is missing is a mistake.
    Words,
}

/// How a surface's people type.
pub trait Dialect: Send + Sync {
    /// What the surface has beside words.
    fn means(&self) -> Means;

    /// Whether a word can only be meant as somebody's account.
    fn is_mention(&self, word: &str) -> bool;

    /// The accounts of the one person that a word names, as the surface itself vouches for it; empty where it names none.
    fn accounts(&self, word: &str) -> Vec<Identity>;

    /// What was typed, where the surface hands it on escaped.
    fn plain(&self, text: &str) -> String {
        text.to_owned()
    }
}
