//! What a dialog of ours is about: the sealed text that it carries in `private_metadata`.
//!
//! The dialog itself comes back with a submission, but neither the channel nor the message that it was opened from, so
//! these travel in the reference, with its language and which pages were opened. It holds names only, no content, and nothing that the
//! viewer may not know. It is safe to keep it there and nowhere else, so that dialogs outlive a restart and can be
//! answered by any replica:
//! - Slack keeps `private_metadata` with the view; people can neither see nor change it. Should that ever fail, the
//!   seal does not: it is a MAC under the app's signing secret, over every member.
//! - It is bound to its viewer: submitted by another account it is refused.
//! - It grants nothing by itself: a vote needs the signed call around it, and the gate decides on the identity in that
//!   call and on what is on record.
//! - Pages only ever grow within one chain of views of one dialog, each written into the view that shows the page: a
//!   view that says "page 3 was opened" is the view of page 3.

use placet::call::ShownDigest;
use placet::id::{RequestId, ShortCode};
use placet::text::Language;

use crate::identity::SlackIdentity;
use crate::limits::{PRIVATE_METADATA_UNITS_MAX, utf16_len};
use crate::signature::SigningSecrets;

/// The form of the text.
const FORM: &str = "1";
/// Between members; none may hold it.
const BETWEEN: char = '|';

/// What a dialog is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// Which request.
    pub(super) request: RequestId,
    /// What people call it.
    pub(super) code: ShortCode,
    /// What its viewer was shown, on the card or, once every page was opened, here.
    pub(super) shown: ShownDigest,
    /// Whether that is the whole call.
    pub(super) full: bool,
    /// Whether a no needs a reason.
    pub(super) reason_for_no: bool,
    /// For whom it was opened.
    pub(super) viewer: SlackIdentity,
    /// Where from.
    pub(super) origin: Origin,
    /// The pages that were opened, one bit each.
    pub(super) opened: u64,
    /// Whether those are all.
    pub(super) all_opened: bool,
    /// Its language, which stays for as long as it is open: pages are told apart by number, and another language may have
    /// others.
    pub(super) language: Language,
}

/// The message that a dialog was opened from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Origin {
    /// Its channel.
    pub(super) channel: String,
    /// Its timestamp; empty where only one person sees it.
    pub(super) ts: String,
    /// Its parent; empty where there is none.
    pub(super) thread: String,
}

impl Reference {
    /// The sealed text. None where a member holds what no id of Slack's holds, or more than Slack takes back.
    pub(super) fn encode(&self, secrets: &SigningSecrets) -> Option<String> {
        let flags = [(self.full, 'f'), (self.reason_for_no, 'n'), (self.all_opened, 'a')];
        let flags: String = flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag).collect();
        let members = [
            FORM.to_owned(),
            self.request.to_string(),
            self.code.to_string(),
            self.shown.to_string(),
            flags,
            self.viewer.workspace.clone(),
            self.viewer.user.clone(),
            self.origin.channel.clone(),
            self.origin.ts.clone(),
            self.origin.thread.clone(),
            format!("{:x}", self.opened),
            self.language.tag().to_owned(),
        ];
        members.iter().all(|member| !member.contains(BETWEEN)).then_some(())?;
        let text = members.join("|");
        let sealed = format!("{text}{BETWEEN}{}", secrets.seal(text.as_bytes()));
        (utf16_len(&sealed) <= PRIVATE_METADATA_UNITS_MAX).then_some(sealed)
    }

    /// Reads a sealed text; none if it is not ours, or not whole.
    pub(super) fn decode(sealed: &str, secrets: &SigningSecrets) -> Option<Self> {
        let (text, seal) = sealed.rsplit_once(BETWEEN)?;
        secrets.is_sealed(text.as_bytes(), seal).then_some(())?;
        let members: Vec<&str> = text.split(BETWEEN).collect();
        let [FORM, request, code, shown, flags, workspace, user, channel, ts, thread, opened, language] =
            members[..]
        else {
            return None;
        };
        Some(Self {
            request: request.parse().ok()?,
            code: code.parse().ok()?,
            shown: shown.parse().ok()?,
            full: flags.contains('f'),
            reason_for_no: flags.contains('n'),
            viewer: SlackIdentity { workspace: workspace.to_owned(), user: user.to_owned() },
            origin: Origin { channel: channel.to_owned(), ts: ts.to_owned(), thread: thread.to_owned() },
            opened: u64::from_str_radix(opened, 16).ok()?,
            all_opened: flags.contains('a'),
            language: Language::of_tag(language)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use crate::fixtures::{slack, view, waiting};

    fn reference() -> Reference {
        let view = view(&waiting());
        Reference {
            request: view.request,
            code: view.code.clone(),
            shown: view.shown(&slack(), true),
            full: true,
            reason_for_no: false,
            viewer: SlackIdentity { workspace: "T1".into(), user: "UBO".into() },
            origin: Origin { channel: "C1".into(), ts: "1.000100".into(), thread: String::new() },
            opened: 5,
            all_opened: false,
            language: Language::SimplifiedChinese,
        }
    }

    fn secrets(secret: &str) -> SigningSecrets {
        SigningSecrets::new(SecretString::from(secret)).unwrap()
    }

    #[test]
    fn a_reference_comes_back_as_it_was_and_no_other_does() {
        let own = secrets("one");
        let sealed = reference().encode(&own).unwrap();
        assert!(sealed.len() < 400, "{}", sealed.len());
        assert_eq!(Reference::decode(&sealed, &own), Some(reference()));
        assert_eq!(Reference::decode(&sealed, &secrets("two")), None);
        let rotating =
            SigningSecrets::rotating(SecretString::from("two"), SecretString::from("one")).unwrap();
        assert_eq!(Reference::decode(&sealed, &rotating), Some(reference()), "valid during a rotation");
        for at in 0..sealed.len() {
            let mut other = sealed.clone().into_bytes();
            other[at] ^= 1;
            let other = String::from_utf8(other).unwrap();
            assert_eq!(Reference::decode(&other, &own), None, "{at}");
        }
        for other in ["", "|", "1|x", sealed.trim_end_matches(char::is_alphanumeric)] {
            assert_eq!(Reference::decode(other, &own), None, "{other}");
        }
        let mut strange = reference();
        strange.origin.channel = "C1|f".into();
        assert_eq!(strange.encode(&own), None);
        strange.origin.channel = "C".repeat(3_000);
        assert_eq!(strange.encode(&own), None);
    }
}
