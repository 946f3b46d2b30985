//! What a dialog of a command is about: the sealed text in its `private_metadata`. Names only, as they were typed, and
//! nothing that was looked up; bound to its viewer, and worth nothing without the signed call around it.

use placet::hold::HoldScope;
use serde::{Deserialize, Serialize};

use crate::identity::SlackIdentity;
use crate::limits::{PRIVATE_METADATA_UNITS_MAX, utf16_len};
use crate::signature::SigningSecrets;

/// Between the text and its seal.
const BETWEEN: char = '|';

/// What a dialog is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::inbound) struct CommandReference {
    /// Which command, and of what.
    pub(super) subject: Subject,
    /// For whom it was opened.
    pub(super) workspace: String,
    pub(super) user: String,
    /// Where the command was typed.
    pub(super) channel: String,
}

/// Which command, and of what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "command")]
pub(in crate::inbound) enum Subject {
    Revoke {
        request: String,
    },
    Settle {
        request: String,
    },
    /// The scope, once it was chosen.
    Freeze {
        scope: Option<HoldScope>,
    },
}

impl CommandReference {
    /// The sealed text; none where it is longer than Slack takes back.
    pub(super) fn encode(&self, secrets: &SigningSecrets) -> Option<String> {
        let text = serde_json::to_string(self).ok()?;
        let sealed = format!("{text}{BETWEEN}{}", secrets.seal(text.as_bytes()));
        (utf16_len(&sealed) <= PRIVATE_METADATA_UNITS_MAX).then_some(sealed)
    }

    /// Reads a sealed text; none if it is not ours, not whole, or was opened for somebody else.
    pub(super) fn decode(sealed: &str, secrets: &SigningSecrets, viewer: &SlackIdentity) -> Option<Self> {
        let (text, seal) = sealed.rsplit_once(BETWEEN)?;
        secrets.is_sealed(text.as_bytes(), seal).then_some(())?;
        let reference: Self = serde_json::from_str(text).ok()?;
        (reference.workspace == viewer.workspace && reference.user == viewer.user).then_some(reference)
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    #[test]
    fn a_reference_comes_back_to_its_viewer_alone() {
        let secrets = |secret: &str| SigningSecrets::new(SecretString::from(secret)).unwrap();
        let viewer = |user: &str| SlackIdentity { workspace: "T1".into(), user: user.into() };
        let scope = Some(HoldScope::Tool("mail/send|x\"".to_owned()));
        let reference = CommandReference {
            subject: Subject::Freeze { scope },
            workspace: "T1".into(),
            user: "U1".into(),
            channel: "C1".into(),
        };
        let own = secrets("one");
        let sealed = reference.encode(&own).unwrap();
        assert_eq!(CommandReference::decode(&sealed, &own, &viewer("U1")), Some(reference));
        assert_eq!(CommandReference::decode(&sealed, &own, &viewer("U2")), None);
        assert_eq!(CommandReference::decode(&sealed, &secrets("two"), &viewer("U1")), None);
        let other = sealed.replacen("C1", "C2", 1);
        assert_eq!(CommandReference::decode(&other, &own, &viewer("U1")), None);
        for other in ["", "|", "{}|"] {
            assert_eq!(CommandReference::decode(other, &own, &viewer("U1")), None);
        }
    }
}
