//! How a run stands, put together from its events.

use crate::agent::event::AgentEventKind;
use crate::card::Redactor;
use crate::id::{RequestId, ShortCode};
use crate::policy::{Place, Tier};

/// The most characters of what the agent said that are kept: far more than a thread shows.
const TEXT_CHARS_MAX: usize = 64_000;

/// How a run stands, for who follows it in a chat. All text in it is the agent's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// What the agent said so far.
    pub text: String,
    /// The tool that it has called and that has not answered yet.
    pub doing: Option<String>,
    /// What people are asked.
    pub waits: Vec<Waits>,
    /// How it ended.
    pub over: Option<Over>,
    /// Whether the next words begin a paragraph: something was done between them and the last.
    breaks: bool,
}

/// One thing that people are asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// Which request.
    pub request: RequestId,
    /// What people call it; none until it was looked up.
    pub code: Option<ShortCode>,
    /// The tool.
    pub tool: String,
    /// Where they are asked.
    pub places: Vec<Place>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// It came to its end.
    Done,
    /// It could not go on, and why.
    Failed(String),
}

impl Progress {
    /// Takes in what happened next.
    pub fn hear(&mut self, event: AgentEventKind) {
        match event {
            AgentEventKind::TextDelta { delta } => {
                if std::mem::take(&mut self.breaks) && !self.text.is_empty() && !delta.starts_with("\n\n") {
                    self.text.push_str("\n\n");
                }
                let room = TEXT_CHARS_MAX.saturating_sub(self.text.chars().count());
                self.text.extend(delta.chars().take(room));
            }
            AgentEventKind::ToolCallStart { name, .. } => {
                self.breaks = true;
                self.doing = Some(name);
            }
            AgentEventKind::ApprovalRequest { request_id, tool_name, risk, .. } => {
                if risk == Tier::Approve {
                    let waits =
                        Waits { request: request_id, code: None, tool: tool_name, places: Vec::new() };
                    self.waits.push(waits);
                }
            }
            AgentEventKind::ApprovalResult { request_id, .. } => {
                self.waits.retain(|waits| waits.request != request_id);
            }
            AgentEventKind::ToolResult { .. } => self.doing = None,
            AgentEventKind::Done { .. } => self.end(Over::Done),
            AgentEventKind::Error { message } => self.end(Over::Failed(message)),
        }
    }

    /// Without secrets, for who reads it: those that stand in one event are hidden there, and here those that begin in one
    /// and end in the next.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let mut shown = self.clone();
        let hide = |text: &mut String| *text = redactor.redact_text(text).text;
        hide(&mut shown.text);
        shown.doing.iter_mut().for_each(hide);
        shown.waits.iter_mut().for_each(|waits| hide(&mut waits.tool));
        if let Some(Over::Failed(why)) = &mut shown.over {
            hide(why);
        }
        shown
    }

    fn end(&mut self, over: Over) {
        self.doing = None;
        self.waits.clear();
        self.over = Some(over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R28: whoever follows a run sees no secret, whichever events its halves came with.
    #[test]
    fn a_secret_of_two_events_is_hidden() {
        let mut progress = Progress::default();
        for delta in ["The token is xoxb-12", "34567890-abcdef."] {
            progress.hear(AgentEventKind::TextDelta { delta: delta.to_owned() });
        }
        progress.hear(AgentEventKind::Error { message: "refused with xoxb-1234567890-abcdef".to_owned() });
        let shown = progress.redacted(&Redactor::new());
        assert_eq!(shown.text, "The token is ••• (22 characters).");
        assert_eq!(shown.over, Some(Over::Failed("refused with ••• (22 characters)".to_owned())));
    }
}
