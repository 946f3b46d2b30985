//! The scripted approver: decisions by tool, for tests and for a demonstration without anybody there.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use placet::approval::Decision;
use placet::card::CardView;
use placet::id::{AttemptId, SurfaceName, TenantId};
use placet::inbound::MessageRef;
use placet::notice::Message;
use placet::policy::Place;
use placet::ports::{Surface, SurfaceError, Telling};
use placet::time::Timestamp;

use crate::ballot::Desk;

/// One decision of the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// About which tool, by its full name as cards show it.
    pub tool: String,
    /// About its how-manieth card, from 1; none means every one that no other line is for.
    pub nth: Option<u32>,
    /// Yes or no.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
}

/// Decides by script. What the script does not name is not answered.
pub struct Script {
    desk: Desk,
    lines: Vec<Decided>,
    seen: Mutex<Seen>,
}

/// What was shown so far.
#[derive(Default)]
struct Seen {
    cards: HashMap<String, u32>,
    posted: Vec<CardView>,
    edited: Vec<CardView>,
    told: Vec<Message>,
}

impl Decided {
    /// A yes to every card of a tool.
    #[must_use]
    pub fn yes(tool: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { tool: tool.into(), nth: None, decision: Decision::Approve, reason: Some(reason.into()) }
    }

    /// A no to every card of a tool.
    #[must_use]
    pub fn no(tool: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { decision: Decision::Deny, ..Self::yes(tool, reason) }
    }

    /// Only to the nth card of the tool, from 1.
    #[must_use]
    pub fn for_the(mut self, nth: u32) -> Self {
        self.nth = Some(nth);
        self
    }
}

impl Script {
    /// With these lines.
    #[must_use]
    pub fn new(desk: Desk, lines: Vec<Decided>) -> Self {
        Self { desk, lines, seen: Mutex::default() }
    }

    /// The cards that were posted, in order.
    #[must_use]
    pub fn posted(&self) -> Vec<CardView> {
        self.seen().posted.clone()
    }

    /// The cards as they were edited, in order.
    #[must_use]
    pub fn edited(&self) -> Vec<CardView> {
        self.seen().edited.clone()
    }

    /// What it was told, in order.
    #[must_use]
    pub fn told(&self) -> Vec<Message> {
        self.seen().told.clone()
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line for the next card of a tool.
    fn line(&self, view: &CardView) -> Option<&Decided> {
        let tool = view.call.tool.as_str();
        let nth = {
            let mut seen = self.seen();
            seen.posted.push(view.clone());
            let count = seen.cards.entry(tool.to_owned()).or_default();
            *count += 1;
            *count
        };
        let mut about = self.lines.iter().filter(|line| line.tool == tool);
        about.clone().find(|line| line.nth == Some(nth)).or_else(|| about.find(|line| line.nth.is_none()))
    }
}

#[async_trait]
impl Surface for Script {
    fn name(&self) -> &SurfaceName {
        &self.desk.name
    }

    fn serves(&self, tenant: &TenantId) -> bool {
        self.desk.tenant == *tenant
    }

    fn shows_all(&self, _view: &CardView) -> bool {
        true
    }

    async fn post(
        &self,
        place: &Place,
        view: &CardView,
        attempt: AttemptId,
    ) -> Result<MessageRef, SurfaceError> {
        let message = MessageRef { channel: place.channel.clone(), id: attempt.to_string() };
        let line = self.line(view);
        if let Some(line) = line.filter(|_| view.is_waiting()) {
            let decided = (line.decision, line.reason.clone());
            self.desk
                .decide(view, &message, decided, 1)
                .map_err(|error| SurfaceError::Never { why: error.to_string() })?;
        }
        Ok(message)
    }

    async fn edit(&self, _message: &MessageRef, view: &CardView) -> Result<(), SurfaceError> {
        self.seen().edited.push(view.clone());
        Ok(())
    }

    async fn find(
        &self,
        _place: &Place,
        _attempt: AttemptId,
        _since: Timestamp,
    ) -> Option<Result<Option<MessageRef>, SurfaceError>> {
        None
    }

    async fn tell(&self, message: &Message, _telling: &Telling) -> Result<(), SurfaceError> {
        self.seen().told.push(message.clone());
        Ok(())
    }
}
