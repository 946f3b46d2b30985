//! What is said after a decision: under the card, and to who asked.

use serde::{Deserialize, Serialize};

use crate::approval::{ExpiredHow, Outcome, OutcomeKind};
use crate::card::escape::visible;
use crate::card::{Redactor, Visible};

/// The most characters of a result or an error that are said; the record has the whole.
pub const WORDS_CHARS_MAX: usize = 500;

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// In one word.
    pub outcome: OutcomeKind,
    /// How long it ran, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Whether the executor said so after it had been given up.
    #[serde(default)]
    pub late: bool,
    /// Whether somebody settled it by hand.
    #[serde(default)]
    pub settled: bool,
    /// What the tool returned, or what went wrong, as people may read it: put in when it is sent, so that nothing is cut
    /// before secrets are looked for.
    #[serde(skip)]
    pub words: Option<Visible>,
}

impl Ran {
    /// Of an outcome, without words yet.
    #[must_use]
    pub const fn of(outcome: &Outcome) -> Self {
        Self {
            outcome: outcome.kind,
            duration_ms: outcome.duration_ms,
            late: false,
            settled: false,
            words: None,
        }
    }

    /// With what the tool said, redacted, made visible and cut. The words of another outcome are not this one's.
    pub fn put_words(&mut self, outcome: &Outcome, redactor: &Redactor) {
        if outcome.kind != self.outcome {
            return;
        }
        let said = match outcome.kind {
            OutcomeKind::Succeeded => outcome.result.as_deref().map(plain),
            OutcomeKind::Failed => outcome.error.clone(),
            OutcomeKind::Unknown => None,
        };
        let said = said.filter(|said| !said.trim().is_empty() && said != "null");
        self.words = said.map(|said| visible(&redactor.redact_text(&said).text).cut_end(WORDS_CHARS_MAX).0);
    }
}

/// A result that is one text, as that text.
fn plain(result: &str) -> String {
    serde_json::from_str::<String>(result).unwrap_or_else(|_| result.to_owned())
}

/// What became of a request, as who asked is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "told")]
pub enum Told {
    /// It may run.
    Approved {
        /// Who said so, by name; nobody where silence counted.
        by: Vec<String>,
    },
    /// It will not.
    Denied {
        /// Who said so, by name.
        by: Vec<String>,
        /// Why.
        reason: Option<String>,
    },
    /// Time ran out.
    Expired {
        /// On whom.
        how: ExpiredHow,
    },
    /// It was taken back.
    Revoked {
        /// By whom.
        by: String,
        /// Why.
        reason: Option<String>,
    },
    /// Somebody changed its arguments, and another request is asked about in its place.
    Edited {
        /// Who.
        by: String,
    },
    /// The policy became stricter.
    Stricter,
    /// The remembered yes that it rested on was taken back.
    Forgotten,
}
