//! What a button carries: which request, and what its message showed.

use placet::call::ShownDigest;
use placet::card::{CardView, StateView};
use placet::id::{RequestId, ShortCode, SurfaceName};

/// The form of the value, so that a later form can be told from this one.
const FORM: &str = "1";

/// The value of a card's buttons. It is as trustworthy as the message: Slack keeps it with the message and sends it
/// back signed; people cannot change it. It never carries who clicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ButtonValue {
    /// Which request.
    pub request: RequestId,
    /// What people call it.
    pub code: ShortCode,
    /// What the message showed.
    pub shown: ShownDigest,
    /// Whether the message showed the whole call. Not part of the text: it is a part of `shown`.
    pub(super) full: bool,
    /// Whether a yes needs a reason, as far as the card knows; the gate looks again.
    pub reason_for_yes: bool,
    /// Whether a no needs a reason, as far as the card knows.
    pub reason_for_no: bool,
}

impl ButtonValue {
    /// The value for the buttons of a message that shows `view`, in full or not.
    #[must_use]
    pub fn of(view: &CardView, surface: &SurfaceName, full: bool) -> Self {
        let (reason_for_yes, reason_for_no) = match view.state {
            StateView::Waiting { reason_for_yes, reason_for_no, .. } => (reason_for_yes, reason_for_no),
            _ => (false, false),
        };
        Self {
            request: view.request,
            code: view.code.clone(),
            shown: view.shown(surface, full),
            full,
            reason_for_yes,
            reason_for_no,
        }
    }

    /// `1/<request>/<code>/<digest>/yn`
    #[must_use]
    pub fn encode(&self) -> String {
        let flags = [(self.reason_for_yes, 'y'), (self.reason_for_no, 'n')];
        let flags: String = flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag).collect();
        format!("{FORM}/{}/{}/{}/{flags}", self.request, self.code, self.shown)
    }

    /// Reads a value; none if it is not one of ours.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let (FORM, request, code, shown, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?)
        else {
            return None;
        };
        let known = parts.next().is_none() && flags.chars().all(|flag| matches!(flag, 'y' | 'n'));
        known.then_some(())?;
        Some(Self {
            request: request.parse().ok()?,
            code: code.parse().ok()?,
            shown: shown.parse().ok()?,
            full: false,
            reason_for_yes: flags.contains('y'),
            reason_for_no: flags.contains('n'),
        })
    }
}
