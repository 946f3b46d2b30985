//! In which language people read, as their profiles say.
//!
//! It comes with what `users.info` says of an account, and is kept for longer than that: a language does not go out of
//! date, and nothing is decided by it. What is told to one reader is told in it; what several read is in the channel's.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use placet::text::Language;
use serde_json::Value;

/// Readers whose language is remembered; beyond that all are forgotten, and learned again.
const READERS_MAX: usize = 10_000;

/// The languages of readers, by user id; none where the profile names none that the catalogue has.
#[derive(Default)]
pub(crate) struct Languages(Mutex<HashMap<String, Option<Language>>>);

impl Languages {
    /// Takes it from the `user` object of `users.info`, whose `locale` is a tag such as `zh-CN`.
    pub(crate) fn learn(&self, user_id: &str, user: &Value) {
        let language = user["locale"].as_str().and_then(Language::of_tag);
        let mut known = self.known();
        if known.len() >= READERS_MAX && !known.contains_key(user_id) {
            known.clear();
        }
        known.insert(user_id.to_owned(), language);
    }

    /// What is known of somebody; the outer none where nothing is.
    #[expect(clippy::option_option, reason = "not known, and none that the catalogue has, are two things")]
    pub(crate) fn of(&self, user_id: &str) -> Option<Option<Language>> {
        self.known().get(user_id).copied()
    }

    /// Forgets it, because something was heard of the account.
    pub(crate) fn forget(&self, user_id: &str) {
        self.known().remove(user_id);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Option<Language>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R42: what a profile says is kept; one without a language, or with one that there is not, leaves it to the channel.
    #[test]
    fn a_profile_names_a_language_or_none() {
        let languages = Languages::default();
        assert_eq!(languages.of("U1"), None);
        languages.learn("U1", &json!({ "locale": "zh-CN" }));
        assert_eq!(languages.of("U1"), Some(Some(Language::SimplifiedChinese)));
        for none in
            [json!({ "locale": "de-DE" }), json!({ "locale": null }), json!({}), json!({ "locale": 7 })]
        {
            languages.learn("U1", &none);
            assert_eq!(languages.of("U1"), Some(None), "{none}");
        }
        languages.forget("U1");
        assert_eq!(languages.of("U1"), None);
    }

    #[test]
    fn readers_are_not_remembered_without_end() {
        let languages = Languages::default();
        for number in 0..=READERS_MAX {
            languages.learn(&format!("U{number}"), &json!({ "locale": "en-GB" }));
        }
        assert_eq!(languages.known().len(), 1);
        assert_eq!(languages.of(&format!("U{READERS_MAX}")), Some(Some(Language::English)));
    }
}
