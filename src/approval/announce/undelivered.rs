//! Who is told that a message about a request was given up: the operators, once for each whom none reached; and who had asked,
//! where it was a question.

use super::Announced;
use crate::approval::State;
use crate::inbound::ReplyTo;
use crate::notice::{About, Lost, Message, Notice, Recipient};

impl Announced<'_> {
    pub(super) fn undelivered(&self, lost: &Lost) -> Vec<Message> {
        let (request, code) = (self.next.id, self.next.code.clone());
        let tool = self.next.proposal.call.full_name();
        let known = self.before.is_some_and(|before| before.unreached.contains(&lost.to));
        let about = Some(About { request, code: code.clone(), tool: tool.clone() });
        let notice = Notice::Undelivered { about, lost: lost.clone() };
        let mut messages: Vec<Message> =
            (!known).then(|| self.to(Recipient::Operators, notice)).into_iter().collect();
        if let (State::WaitingApproval(waiting), Some(number)) = (&self.next.state, lost.question)
            && let Some(index) = usize::try_from(number).ok().and_then(|number| number.checked_sub(1))
            && let Some(asked) = waiting.questions.get(index)
            && let Some(surface) = asked.surface.clone()
        {
            let reply = ReplyTo { surface, channel: String::new(), thread: None, identity: asked.by.clone() };
            let notice = Notice::NotAsked { request, code, tool, text: asked.text.clone() };
            messages.push(self.to(Recipient::Account(reply), notice));
        }
        messages
    }
}
