//! What a dialog of a command is about: the hidden text in its `private_metadata`. Names only, as they were typed, and nothing
//! that was looked up; what was typed is nobody's to read who keeps Slack's payloads, so that only Placet can. It is bound to its
//! viewer, and worth nothing without the signed call around it.

use placet::hold::HoldScope;
use placet::id::Entropy;
use serde::{Deserialize, Serialize};

use crate::identity::SlackIdentity;
use crate::limits::{PRIVATE_METADATA_UNITS_MAX, utf16_len};
use crate::signature::SigningSecrets;

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
    /// The hidden text; none where it is longer than Slack takes back.
    pub(super) fn encode(&self, secrets: &SigningSecrets, entropy: &dyn Entropy) -> Option<String> {
        let hidden = secrets.hide(&serde_json::to_vec(self).ok()?, entropy)?;
        (utf16_len(&hidden) <= PRIVATE_METADATA_UNITS_MAX).then_some(hidden)
    }

    /// Reads a hidden text; none if it is not ours, not whole, or was opened for somebody else.
    pub(super) fn decode(hidden: &str, secrets: &SigningSecrets, viewer: &SlackIdentity) -> Option<Self> {
        let reference: Self = serde_json::from_slice(&secrets.reveal(hidden)?).ok()?;
        (reference.workspace == viewer.workspace && reference.user == viewer.user).then_some(reference)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use secrecy::SecretString;

    use super::*;
    use crate::fixtures::Counting;

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
        let (own, entropy) = (secrets("one"), Counting::default());
        let hidden = reference.encode(&own, &entropy).unwrap();
        assert_eq!(CommandReference::decode(&hidden, &own, &viewer("U1")), Some(reference.clone()));
        assert_eq!(CommandReference::decode(&hidden, &own, &viewer("U2")), None);
        assert_eq!(CommandReference::decode(&hidden, &secrets("two"), &viewer("U1")), None);
        let turned = SigningSecrets::rotating("two".to_owned().into(), "one".to_owned().into()).unwrap();
        assert_eq!(CommandReference::decode(&hidden, &turned, &viewer("U1")), Some(reference.clone()));
        assert_ne!(reference.encode(&own, &entropy), Some(hidden.clone()), "the same twice can be told");
        for place in 0..hidden.len() {
            let mut other = hidden.clone().into_bytes();
            other[place] = if other[place] == b'A' { b'B' } else { b'A' };
            let other = String::from_utf8(other).unwrap();
            assert_eq!(CommandReference::decode(&other, &own, &viewer("U1")), None, "{place}");
        }
        for other in ["", "|", "{}|", &hidden[..20], &hidden[..hidden.len() - 1]] {
            assert_eq!(CommandReference::decode(other, &own, &viewer("U1")), None);
        }
    }

    /// R51: whoever reads Slack's payloads does not read what was typed: neither as it stands nor behind the base 64.
    #[test]
    fn a_reference_tells_nothing() {
        let own = SigningSecrets::new(SecretString::from("one")).unwrap();
        let reference = CommandReference {
            subject: Subject::Freeze { scope: Some(HoldScope::Tool("mail/send".to_owned())) },
            workspace: "T1".into(),
            user: "U1".into(),
            channel: "C1".into(),
        };
        let hidden = reference.encode(&own, &Counting::default()).unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(&hidden).unwrap();
        for word in ["mail", "send", "tool", "freeze", "U1", "C1"] {
            assert!(
                !hidden.contains(word) && !bytes.windows(word.len()).any(|it| it == word.as_bytes()),
                "{word}"
            );
        }
    }
}
