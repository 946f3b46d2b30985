//! What a button or a choice of a menu carries that opens a dialog, or says that one is looking: what it does, and to which
//! request. It is as trustworthy as the message, as a [`ButtonValue`](super::ButtonValue) is, and as short as the values of
//! menus must be.

use placet::id::{RequestId, ShortCode};

use super::sheet::Sheet;

/// The name of the deed that opens nothing.
const LOOK: &str = "look";

/// Something that can be done from a message beside yes and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Opens a dialog.
    Open(Sheet),
    /// Says that one is looking, or no longer is.
    Look,
}

impl Deed {
    fn name(self) -> &'static str {
        match self {
            Self::Open(sheet) => sheet.name(),
            Self::Look => LOOK,
        }
    }

    fn named(name: &str) -> Option<Self> {
        if name == LOOK { Some(Self::Look) } else { Sheet::named(name).map(Self::Open) }
    }
}

/// A deed, and the request that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// What is to be done.
    pub(crate) deed: Deed,
    /// To which request.
    pub(crate) request: RequestId,
    /// What people call it.
    pub(crate) code: ShortCode,
    /// Which question of the request, from 1, where it is about one.
    pub(crate) question: Option<u32>,
}

impl Target {
    /// `settle/<request>/<code>`, with the number of a question behind it where there is one.
    pub(crate) fn encode(&self) -> String {
        let question = self.question.map(|number| format!("/{number}")).unwrap_or_default();
        format!("{}/{}/{}{question}", self.deed.name(), self.request, self.code)
    }

    /// Reads a value; none if it is not one of ours.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let (deed, request, code) = (parts.next()?, parts.next()?, parts.next()?);
        let question = match parts.next() {
            None => None,
            Some(number) => Some(number.parse().ok()?),
        };
        parts.next().is_none().then_some(())?;
        let (request, code) = (request.parse().ok()?, code.parse().ok()?);
        Some(Self { deed: Deed::named(deed)?, request, code, question })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{view, waiting};
    use crate::limits::{OPTION_VALUE_UNITS_MAX, utf16_len};

    #[test]
    fn a_target_comes_back_as_it_was_and_fits_a_menu() {
        let view = view(&waiting());
        for (deed, question) in Sheet::ALL
            .into_iter()
            .map(Deed::Open)
            .chain([Deed::Look])
            .zip([None, Some(3)].into_iter().cycle())
        {
            let target = Target { deed, request: view.request, code: view.code.clone(), question };
            let text = target.encode();
            // Some checks of Slack's own tools still hold values to 75.
            assert!(utf16_len(&text) <= OPTION_VALUE_UNITS_MAX / 2, "{text}");
            assert_eq!(Target::decode(&text), Some(target));
            assert_eq!(Target::decode(&format!("{text}/x")), None);
            assert_eq!(Target::decode(&format!("{text}/1/1")), None);
        }
        for other in ["", "settle", "settle/x/y", "nothing/x/y"] {
            assert_eq!(Target::decode(other), None);
        }
    }
}
