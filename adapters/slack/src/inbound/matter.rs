//! What a dialog is about that asks for something beside yes and no: the sealed text that it carries, as
//! [`Reference`](super::reference::Reference) is for those that vote. It too holds names only, is bound to its viewer and to
//! the kind of its dialog, grants nothing by itself, and outlives a restart.

use placet::call::ShownDigest;
use placet::id::{RequestId, ShortCode};

use super::reference::Origin;
use crate::identity::SlackIdentity;
use crate::limits::{PRIVATE_METADATA_UNITS_MAX, utf16_len};
use crate::render::sheet::Sheet;
use crate::signature::SigningSecrets;

/// The form of the text, which no reference of another kind has.
const FORM: &str = "m1";
/// What its viewer had been shown was the whole call.
const FULL: &str = "f";
/// Between members; none may hold it.
const BETWEEN: char = '|';

/// What such a dialog is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matter {
    /// Which dialog.
    pub(super) sheet: Sheet,
    /// Which request.
    pub(super) request: RequestId,
    /// What people call it.
    pub(super) code: ShortCode,
    /// For whom it was opened.
    pub(super) viewer: SlackIdentity,
    /// Where from.
    pub(super) origin: Origin,
    /// What its viewer had been shown of the call, where that counts.
    pub(super) shown: Option<ShownDigest>,
    /// Whether that is the whole call.
    pub(super) full: bool,
    /// Which question it is about, from 1, where it is about one.
    pub(super) question: Option<u32>,
}

impl Matter {
    /// The sealed text. None where a member holds what no id of Slack's holds, or more than Slack takes back.
    pub(super) fn encode(&self, secrets: &SigningSecrets) -> Option<String> {
        let members = [
            FORM.to_owned(),
            self.sheet.name().to_owned(),
            self.request.to_string(),
            self.code.to_string(),
            self.viewer.workspace.clone(),
            self.viewer.user.clone(),
            self.origin.channel.clone(),
            self.origin.ts.clone(),
            self.origin.thread.clone(),
            self.shown.map(|shown| shown.to_string()).unwrap_or_default(),
            if self.full { FULL.to_owned() } else { String::new() },
            self.question.map(|number| number.to_string()).unwrap_or_default(),
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
        let [FORM, sheet, request, code, workspace, user, channel, ts, thread, shown, full, question] =
            members[..]
        else {
            return None;
        };
        let shown = if shown.is_empty() { None } else { Some(shown.parse().ok()?) };
        let question = if question.is_empty() { None } else { Some(question.parse().ok()?) };
        Some(Self {
            sheet: Sheet::named(sheet)?,
            request: request.parse().ok()?,
            code: code.parse().ok()?,
            viewer: SlackIdentity { workspace: workspace.to_owned(), user: user.to_owned() },
            origin: Origin { channel: channel.to_owned(), ts: ts.to_owned(), thread: thread.to_owned() },
            shown,
            full: full == FULL,
            question,
        })
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use crate::fixtures::{slack, view, waiting};
    use crate::inbound::reference::Reference;

    #[test]
    fn a_matter_comes_back_as_it_was_and_no_other_does() {
        let secrets = |secret: &str| SigningSecrets::new(SecretString::from(secret)).unwrap();
        let (own, view) = (secrets("one"), view(&waiting()));
        for shown in [None, Some(view.shown(&slack(), true))] {
            let matter = Matter {
                sheet: Sheet::Settle,
                request: view.request,
                code: view.code.clone(),
                viewer: SlackIdentity { workspace: "T1".into(), user: "UBO".into() },
                origin: Origin { channel: "C1".into(), ts: "1.000100".into(), thread: String::new() },
                shown,
                full: shown.is_some(),
                question: shown.is_some().then_some(2),
            };
            let sealed = matter.encode(&own).unwrap();
            assert_eq!(Matter::decode(&sealed, &own), Some(matter.clone()));
            assert_eq!(Matter::decode(&sealed, &secrets("two")), None);
            assert_eq!(Reference::decode(&sealed, &own), None, "no reference of a dialog that votes");
            for at in 0..sealed.len() {
                let mut other = sealed.clone().into_bytes();
                other[at] ^= 1;
                let other = String::from_utf8(other).unwrap();
                assert_eq!(Matter::decode(&other, &own), None, "{at}");
            }
            let mut strange = matter;
            strange.origin.channel = "C1|s".into();
            assert_eq!(strange.encode(&own), None);
        }
    }
}
