//! How the demonstration tells what happens: to a person as a story, without one as numbered events; and the record.

use std::collections::HashMap;
use std::io::{self, Write};

use placet::agent::answer::RUN_STOPPED;
use placet::agent::event::{AgentEvent, AgentEventKind};
use placet::approval::Decision;
use placet::id::{RequestId, ShortCode};
use placet::policy::Tier;
use placet::record::{Event, EventKind, Seq};

/// Tells what happens.
pub(super) struct Teller<'o> {
    out: &'o mut (dyn Write + Send),
    /// Whether events are told as they are.
    plainly: bool,
    told: u64,
    /// Whether the agent is in the middle of a line.
    speaking: bool,
}

impl<'o> Teller<'o> {
    pub(super) fn new(out: &'o mut (dyn Write + Send), plainly: bool) -> Self {
        Self { out, plainly, told: 0, speaking: false }
    }

    /// A session begins.
    pub(super) fn heading(&mut self, number: u32, task: &str, hint: Option<&str>) -> io::Result<()> {
        writeln!(self.out, "\nSession {number} of 2. The task: {task}")?;
        match hint {
            Some(hint) => writeln!(self.out, "(When you are asked: {hint}.)\n"),
            None => writeln!(self.out),
        }
    }

    /// Whether nobody else shows the cards.
    pub(super) const fn shows_cards(&self) -> bool {
        self.plainly
    }

    /// The card that somebody decides on.
    pub(super) fn card(&mut self, card: &str) -> io::Result<()> {
        writeln!(self.out, "\n{card}")
    }

    /// An event of the agent.
    pub(super) fn event(&mut self, event: &AgentEvent, json: &str) -> io::Result<()> {
        if self.plainly {
            self.told += 1;
            writeln!(self.out, "[{}] event: {}", self.told, event.kind.name())?;
            return writeln!(self.out, "{json}");
        }
        if let AgentEventKind::TextDelta { delta } = &event.kind {
            let start = if self.speaking { "" } else { "agent:  " };
            self.speaking = true;
            write!(self.out, "{start}{delta}")?;
            return self.out.flush();
        }
        if std::mem::take(&mut self.speaking) {
            writeln!(self.out)?;
        }
        match &event.kind {
            AgentEventKind::TextDelta { .. } | AgentEventKind::Done { .. } => Ok(()),
            // The card says it.
            AgentEventKind::ApprovalRequest { risk: Tier::Approve, .. } => Ok(()),
            AgentEventKind::ToolCallStart { name, args, .. } => writeln!(self.out, "call:   {name} {args}"),
            AgentEventKind::ApprovalRequest { tool_name, risk, .. } => {
                writeln!(self.out, "placet: {tool_name} is announced, not asked about (tier {risk})")
            }
            AgentEventKind::ApprovalResult { approved, reason, .. } => {
                let word = match (approved, reason.as_deref()) {
                    (true, _) => "approved",
                    (false, Some(RUN_STOPPED)) => "not decided",
                    (false, _) => "denied",
                };
                let reason = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
                writeln!(self.out, "placet: {word}{reason}")
            }
            AgentEventKind::ToolResult { ok: true, result, .. } => {
                let result = result.as_ref().map_or_else(String::new, ToString::to_string);
                writeln!(self.out, "result: {result}")
            }
            AgentEventKind::ToolResult { error, .. } => {
                writeln!(self.out, "result: {}", error.as_deref().unwrap_or("it failed"))
            }
            AgentEventKind::Error { message } => writeln!(self.out, "error:  {message}"),
        }
    }

    /// The record, a line for each event.
    pub(super) fn record(&mut self, events: &[(Seq, Event)]) -> io::Result<()> {
        writeln!(self.out, "\nThe record:")?;
        let mut codes: HashMap<RequestId, ShortCode> = HashMap::new();
        for (seq, event) in events {
            if let (Some(request), EventKind::Proposed { code, .. }) = (event.request, &event.kind) {
                codes.insert(request, code.clone());
            }
            let code = event.request.and_then(|request| codes.get(&request));
            let code = code.map_or("-", |code| code.as_str());
            let line = format!(
                "{:>4}  {}  {code:<7}  {:<19}  {}",
                seq.0,
                event.at,
                event.kind.name(),
                detail(&event.kind)
            );
            writeln!(self.out, "{}", line.trim_end())?;
        }
        writeln!(self.out)
    }
}

/// What matters about an event, on one line.
fn detail(kind: &EventKind) -> String {
    match kind {
        EventKind::Proposed { proposal, .. } => {
            format!("{} {}", proposal.call.full_name(), proposal.call.args.value())
        }
        EventKind::Checked { verdict, .. } => {
            let rule = verdict.rules.first().map_or("", |hit| hit.rule.as_str());
            format!("tier {}, level {}, rule {rule}", verdict.tier, verdict.level)
        }
        EventKind::Requested { until, .. } => format!("until {until}"),
        EventKind::Shown { rendering } => {
            format!("{}, {}", rendering.surface, if rendering.full { "in full" } else { "in part" })
        }
        EventKind::CardDelivered { surface } | EventKind::CardUndeliverable { surface, .. } => {
            surface.to_string()
        }
        EventKind::Voted { vote } => {
            let note = vote.note.as_ref().map_or_else(String::new, |note| format!(": {note}"));
            format!("{} {}{note}", vote.identity, word(vote.decision))
        }
        EventKind::Decided { decision, people, reason, .. } => {
            let reason = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            format!("{} by {}{reason}", word(*decision), people.join(", "))
        }
        EventKind::Claimed { claim } => format!("by {}", claim.executor),
        EventKind::Executed { outcome, .. } | EventKind::Settled { outcome, .. } => {
            outcome.kind.name().to_owned()
        }
        EventKind::PolicyLoaded { label, digest, .. } => format!("{label} {digest}"),
        EventKind::Refused { command, refusal, .. } => format!("{command}: {}", refusal.code()),
        EventKind::Revoked { by, reason, .. } => format!("by {by}: {}", reason.as_deref().unwrap_or("")),
        _ => String::new(),
    }
}

const fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Approve => "yes",
        Decision::Deny => "no",
    }
}
