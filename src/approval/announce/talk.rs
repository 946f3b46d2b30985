//! Who is told of a question, and of its answer.

use super::Announced;
use crate::approval::{Addressee, State};
use crate::id::SurfaceName;
use crate::inbound::ReplyTo;
use crate::notice::{Message, Notice, Recipient};
use crate::person::Identity;
use crate::record::EventKind;

impl Announced<'_> {
    /// Whoever asked for it is told of a question to them, and who asked the question of the answer; each where they are, in
    /// the workspace or homeserver of who asks.
    pub(super) fn talked(&self, kind: &EventKind) -> Option<Message> {
        let State::WaitingApproval(waiting) = &self.next.state else { return None };
        let direct = |surface: &SurfaceName, identity: &Identity| {
            let (surface, identity) = (surface.clone(), identity.clone());
            Recipient::Account(ReplyTo { surface, channel: String::new(), thread: None, identity })
        };
        let (request, code) = (self.next.id, self.next.code.clone());
        match kind {
            EventKind::Asked { by, name, to: Addressee::Requester, text, surface } => {
                let mut accounts = self.next.proposal.requester.identities.iter();
                let account = accounts.find(|account| account.realm() == by.realm())?;
                let number = u32::try_from(waiting.questions.len()).ok()?;
                let tool = self.next.proposal.call.full_name();
                let (by, text) = (name.clone(), text.clone());
                let notice = Notice::Question { request, code, tool, by, number, text };
                Some(self.to(direct(surface.as_ref()?, account), notice))
            }
            EventKind::Answered { name, question, text, .. } => {
                let asked = waiting.questions.get(usize::try_from(*question).ok()?.checked_sub(1)?)?;
                let surface = asked.surface.as_ref()?;
                let notice = Notice::Answered { request, code, by: name.clone(), text: text.clone() };
                Some(self.to(direct(surface, &asked.by), notice))
            }
            _ => None,
        }
    }
}
