//! One-off messages on their way: made ready (where exactly, whom it mentions, what the tool said), told, and crossed off.
//!
//! What always holds: what agents and tools wrote is redacted before it is cut; whom a message mentions comes from the
//! policy in force and from who decided, never from a text; what is about a request stands under its card, where there is
//! one; and nothing is told twice that a surface can look up.

mod askers;

use std::collections::BTreeSet;

use futures::future::join_all;

use crate::approval::{Alarm, Approval, ApprovedBy, OutcomeKind, State};
use crate::card::row::CardRow;
use crate::gate::Gate;
use crate::gate::cards::pause;
use crate::id::{Role, TenantId};
use crate::notice::{Mention, Message, Notice, Recipient};
use crate::person::{Identity, OnCallSource};
use crate::policy::{Place, Policy};
use crate::ports::{OutboxRow, OutboxStep, StoreError, Surface, SurfaceError, Telling};
use crate::text::{Language, Markup, Texts};
use crate::time::Ttl;

use askers::{called_back, each_directly};

/// How long a whisper about a refused click is worth delivering: nobody waits for it an hour later.
const WHISPER_AGE_MAX: Ttl = Ttl::from_secs(3600);

/// How long every other message is: what came of a call, a question, a digest. Nobody else tells of it.
const MESSAGE_AGE_MAX: Ttl = Ttl::from_mins(24 * 60);

/// The most people and groups that one message mentions: more would be noise, and a channel can be watched.
pub const MENTIONS_MAX: usize = 10;

/// The most people who are told one by one that they are asked.
pub const DIRECT_MESSAGES_MAX: usize = 25;

/// How old it may be who is on call by a schedule outside, for a mention: nothing is decided by it.
const ON_CALL_AGE_MAX: Ttl = Ttl::from_mins(5);

/// Why a message was dropped that had nowhere to go.
const NO_SURFACE: &str = "there is no surface to tell it on";

/// A message that is ready, or why it is not. It lives for one try.
enum Ready {
    /// Tell it so.
    Now(Box<Message>),
    /// Its card is not there yet.
    NotYet,
}

impl Gate {
    pub(super) async fn tell(&self, row: OutboxRow) -> Result<(), StoreError> {
        if row.tries == 0 && row.message.to == Recipient::Operators {
            log_for_operators(&row.message);
        }
        let step = self.told(&row).await?;
        if let OutboxStep::Dropped(why) = &step {
            log_dropped(&row.message, why);
            self.gave_up(&row, why).await?;
        }
        self.parts.store.message_done(row.id, step).await
    }

    /// Tells it, if it can be told now; says what became of it.
    async fn told(&self, row: &OutboxRow) -> Result<OutboxStep, StoreError> {
        let now = self.parts.clock.now();
        if let Recipient::Roles(roles) = &row.message.to {
            return self.split(&row.message, roles).await;
        }
        let thread = match &row.message.to {
            Recipient::Askers(askers) => match self.asked_in(&row.message).await? {
                None => return Ok(each_directly(&row.message, askers)),
                Some(place) => Some(Recipient::Place(place)),
            },
            _ => None,
        };
        if matches!(row.message.notice, Notice::Question { .. }) && !self.is_waited_for(&row.message).await? {
            return Ok(OutboxStep::Sent);
        }
        // Alarms of one tenant are nothing for another's channel: log, gauge and trace have them.
        let to = thread.as_ref().unwrap_or(&row.message.to);
        let Some(surface) = self.surface_for(&row.message.tenant, to) else {
            return Ok(OutboxStep::Dropped(NO_SURFACE.to_owned()));
        };
        let is_old = now.since(row.since) >= age_max(&row.message.notice);
        let mut message = match self.ready(row.message.clone(), surface).await? {
            Ready::Now(message) => message,
            Ready::NotYet if is_old => {
                return Ok(OutboxStep::Dropped("its card did not come to be".to_owned()));
            }
            Ready::NotYet => return Ok(OutboxStep::Retry(now + pause(row.tries))),
        };
        if let (Some(thread), Recipient::Askers(askers)) = (thread, &row.message.to) {
            message.to = thread;
            message.mentions = called_back(askers, surface);
        }
        let given_up = |why| match &row.message.to {
            // Where they asked they cannot be told: a way is left.
            Recipient::Askers(askers) => each_directly(&row.message, askers),
            _ => OutboxStep::Dropped(why),
        };
        let telling = Telling { id: row.id, since: row.since, again: row.tries > 0 };
        Ok(match surface.tell(&message, &telling).await {
            Ok(()) => OutboxStep::Sent,
            Err(SurfaceError::Never { why } | SurfaceError::Gone { why }) => given_up(why),
            Err(fault) if is_old => given_up(fault.to_string()),
            Err(SurfaceError::Later { after: Some(after), .. }) => {
                // It names a time anew as long as it wants less of everything: then this waits longer each time.
                OutboxStep::Retry(now + after.max(pause(row.tries)))
            }
            Err(SurfaceError::Later { after: None, .. } | SurfaceError::Unknown { .. }) => {
                OutboxStep::Retry(now + pause(row.tries))
            }
        })
    }

    fn surface_for(&self, tenant: &TenantId, to: &Recipient) -> Option<&dyn Surface> {
        let mut surfaces = self.parts.surfaces.iter().filter(|surface| surface.serves(tenant));
        let name = match to {
            Recipient::Account(reply) => &reply.surface,
            Recipient::Place(place) => &place.surface,
            Recipient::Operators => {
                let operators = &self.parts.settings.operators_surfaces;
                return surfaces.find(|surface| operators.contains(surface.name())).map(|surface| &**surface);
            }
            // Those become one message for each of them before.
            Recipient::Roles(_) | Recipient::Askers(_) => return None,
            Recipient::Directly(identity) => {
                return surfaces.find(|surface| surface.reaches(identity)).map(|surface| &**surface);
            }
        };
        surfaces.find(|surface| surface.name() == name).map(|surface| &**surface)
    }

    /// Where exactly, with what words, and whom it mentions.
    async fn ready(&self, mut message: Message, surface: &dyn Surface) -> Result<Ready, StoreError> {
        if let Notice::Digest { since, until, digest } = &mut message.notice {
            *digest = Some(self.digest(&message.tenant, (*since, *until)).await?);
        }
        // What an agent wrote is redacted for this sink as for every other.
        message.notice.redact(&self.parts.redactor);
        let Some(request) = message.notice.request() else { return Ok(Ready::Now(Box::new(message))) };
        if matches!(message.to, Recipient::Account(_)) {
            return Ok(Ready::Now(Box::new(message)));
        }
        let approval = match self.parts.store.load(&message.tenant, request).await {
            Ok(approval) => approval,
            Err(StoreError::NotFound) => return Ok(Ready::Now(Box::new(message))),
            Err(fault) => return Err(fault),
        };
        // What a confidential call came to is said in a word, and nobody's reason with it; to who asked, in full.
        let veiled =
            approval.is_confidential() && matches!(message.to, Recipient::Place(_) | Recipient::Operators);
        if veiled {
            message.notice.veil();
        }
        if message.to == Recipient::Operators {
            return Ok(Ready::Now(Box::new(message)));
        }
        if let (Notice::Ran { ran, .. }, State::Executed(executed), false) =
            (&mut message.notice, &approval.state, veiled)
        {
            ran.put_words(&executed.outcome, &self.parts.redactor);
        }
        if let Recipient::Place(place) = &mut message.to {
            let rows = self.parts.store.cards_of(&message.tenant, approval.card_owner()).await?;
            // Of a card that others share, it is theirs that stands there, in whichever thread.
            let at =
                |row: &&CardRow| (&row.place.surface, &row.place.channel) == (&place.surface, &place.channel);
            match rows.iter().find(at) {
                Some(row) if row.messages.is_empty() && row.given_up.is_none() => return Ok(Ready::NotYet),
                Some(row) => *place = under(row),
                None => {}
            }
            message.mentions = self.mentions(&message, &approval, surface).await;
        }
        Ok(Ready::Now(Box::new(message)))
    }

    /// One message for everybody who has one of these roles and can be reached, in place of this one. Who asked is left out
    /// where they may not decide; and of what is decided meanwhile nobody is told.
    async fn split(&self, message: &Message, roles: &[Role]) -> Result<OutboxStep, StoreError> {
        let Some(request) = message.notice.request() else { return Ok(OutboxStep::Sent) };
        let approval = match self.parts.store.load(&message.tenant, request).await {
            Ok(approval) => approval,
            Err(StoreError::NotFound) => return Ok(OutboxStep::Sent),
            Err(fault) => return Err(fault),
        };
        if !matches!(approval.state, State::WaitingApproval(_)) {
            return Ok(OutboxStep::Sent);
        }
        let policy = self.policy_of(&message.tenant);
        let mut accounts = self.accounts_of(&policy, roles).await;
        let groups =
            policy.groups().iter().filter(|group| roles.iter().any(|role| group.roles.contains(role)));
        let members =
            join_all(groups.map(|group| self.parts.directory.members(&group.group, ON_CALL_AGE_MAX))).await;
        accounts.extend(members.into_iter().filter_map(|members| members.members.ok()).flatten());
        let own = approval.asked().is_some_and(|asked| asked.terms.requester_may_approve);
        let behind: BTreeSet<&Identity> = approval.proposal.behind().filter(|_| !own).collect();
        let mut told: Vec<Message> = Vec::new();
        for account in accounts {
            let direct = Message::new(
                message.tenant.clone(),
                Recipient::Directly(account.clone()),
                message.notice.clone(),
            );
            let is_new = told.iter().all(|other| other.to != direct.to);
            if is_new && !behind.contains(&account) && self.surface_for(&direct.tenant, &direct.to).is_some()
            {
                told.push(direct);
            }
        }
        told.truncate(DIRECT_MESSAGES_MAX);
        Ok(if told.is_empty() {
            OutboxStep::Dropped("nobody who is asked can be told directly".to_owned())
        } else {
            OutboxStep::Split(told)
        })
    }

    /// Whom a message in a place mentions.
    async fn mentions(&self, message: &Message, approval: &Approval, surface: &dyn Surface) -> Vec<Mention> {
        let policy = self.policy_of(&message.tenant);
        let mut accounts: Vec<Identity> = Vec::new();
        let roles: Vec<Role> = match &message.notice {
            Notice::Reminder { .. } => still_asked(approval),
            Notice::Escalated { to, .. } | Notice::StageAsked { to, .. } => to.clone(),
            Notice::GlassBroken { .. } => asked_at_first(approval),
            Notice::Ran { ran, .. } if ran.outcome == OutcomeKind::Unknown => {
                accounts.extend(who_approved(approval));
                policy.stewards().to_vec()
            }
            Notice::Ran { .. } | Notice::Told { .. } => Vec::new(),
            _ => return Vec::new(),
        };
        // Where the task came from, who asked is called back.
        if let (Recipient::Place(place), Notice::Ran { .. } | Notice::Told { .. }) =
            (&message.to, &message.notice)
            && approval
                .proposal
                .thread
                .as_ref()
                .is_some_and(|thread| place.thread.as_ref() == Some(&thread.id))
        {
            accounts.extend(approval.proposal.requester.identities.iter().cloned());
        }
        let mut mentions: Vec<Mention> = Vec::new();
        let voted: BTreeSet<&Identity> = approval.votes.iter().map(|vote| &vote.identity).collect();
        let waits = matches!(message.notice, Notice::Reminder { .. } | Notice::StageAsked { .. });
        accounts.extend(self.accounts_of(&policy, &roles).await);
        for account in accounts {
            // Who has said what they had to say is left alone.
            let is_done = waits && voted.contains(&account);
            let mention = Mention::Account(account);
            if !is_done && !mentions.contains(&mention) {
                mentions.push(mention);
            }
        }
        mentions.retain(|mention| matches!(mention, Mention::Account(account) if surface.reaches(account)));
        let grouped = policy.groups().iter().filter(|group| {
            surface.reaches(&group.group) && roles.iter().any(|role| group.roles.contains(role))
        });
        // A group first: it is many people in one mention.
        let mut all: Vec<Mention> = grouped.map(|group| Mention::Group(group.group.clone())).collect();
        all.extend(mentions);
        all.truncate(MENTIONS_MAX);
        all
    }

    /// The accounts of whoever has one of these roles now, by the policy and by schedules outside.
    async fn accounts_of(&self, policy: &Policy, roles: &[Role]) -> Vec<Identity> {
        let now = self.parts.clock.now();
        let mut people: Vec<_> = policy.people_with_any(roles, now).collect();
        let outside = policy.schedules().iter().filter(|schedule| {
            !matches!(schedule.source, OnCallSource::Rota { .. }) && roles.contains(&schedule.role)
        });
        let on_call =
            join_all(outside.map(|schedule| self.parts.on_call.on_call(schedule, ON_CALL_AGE_MAX))).await;
        for named in on_call.into_iter().filter_map(|members| members.members.ok()) {
            let known = policy.people().all().iter();
            people.extend(known.filter(|known| known.identities.iter().any(|own| named.contains(own))));
        }
        people.into_iter().flat_map(|known| known.identities.iter().cloned()).collect()
    }
}

/// How long a message is worth delivering.
const fn age_max(notice: &Notice) -> Ttl {
    match notice {
        Notice::Refused { .. } => WHISPER_AGE_MAX,
        _ => MESSAGE_AGE_MAX,
    }
}

/// Under a card that is there; where it was given up, in its channel.
fn under(row: &CardRow) -> Place {
    let mut place = row.place.clone();
    if let Some(card) = row.messages.first() {
        place.channel.clone_from(&card.message.channel);
        // A card that stands in a thread is no parent: its thread's beginning is.
        place.thread.get_or_insert_with(|| card.message.id.clone());
    }
    place
}

/// The roles whose people are asked now.
fn still_asked(approval: &Approval) -> Vec<Role> {
    let needs = approval.tally_as_voted().map(|tally| tally.needs).unwrap_or_default();
    let open = needs.into_iter().filter(|need| need.have < need.count).map(|need| need.role);
    let as_well = approval.asked().map(|asked| asked.as_well().cloned().collect::<Vec<_>>());
    open.chain(as_well.into_iter().flatten()).collect()
}

/// The roles that would have been asked.
fn asked_at_first(approval: &Approval) -> Vec<Role> {
    let stages = approval.asked().map(|asked| &asked.terms.stages);
    stages.into_iter().flatten().flat_map(|stage| &stage.groups).map(|group| group.role.clone()).collect()
}

/// The accounts on whose word it ran.
fn who_approved(approval: &Approval) -> Vec<Identity> {
    let alone = match &approval.state {
        State::Executed(executed) => match &executed.by {
            ApprovedBy::BreakGlass { by, .. } => Some(by.clone()),
            _ => None,
        },
        _ => None,
    };
    let yes = approval.votes.iter().filter(|vote| vote.decision == crate::approval::Decision::Approve);
    yes.map(|vote| vote.identity.clone()).chain(alone).collect()
}

fn log_dropped(message: &Message, why: &str) {
    let Message { tenant, to, notice, .. } = message;
    let request = notice.request().map(tracing::field::display);
    // Whoever names no channel for operators wants to be told in the log alone, and was.
    if why == NO_SURFACE && *to == Recipient::Operators {
        tracing::debug!(notice = notice.name(), approval.id = request, "operators are told in the log alone");
    } else {
        tracing::warn!(
            notice = notice.name(),
            approval.id = request,
            %tenant,
            reason = why,
            "a message was dropped"
        );
    }
}

/// The catalogue's sentence, without the sign before it: what it is, and what to do.
fn told_plainly(notice: &Notice) -> String {
    let told = Texts::of(Language::English).notice(notice, &[], &Markup::PLAIN);
    told.trim_start_matches(|sign: char| !sign.is_alphanumeric()).to_owned()
}

/// What operators are told stands in the log too, whether or not there is a channel for them. Policies are logged where
/// they are read.
fn log_for_operators(message: &Message) {
    match &message.notice {
        Notice::Alarm { request, code, alarm, tool } => {
            let told = told_plainly(&message.notice);
            let alarm_name = alarm.name();
            // Somebody has still time to look: nothing is lost.
            if *alarm == Alarm::WaitsLong {
                tracing::warn!(approval.id = %request, approval.code = code.as_str(), alarm = alarm_name, tool, "{told}");
            } else {
                tracing::error!(approval.id = %request, approval.code = code.as_str(), alarm = alarm_name, tool, "alarm: {told}");
            }
        }
        Notice::GlassBroken { request, code, tool, by, .. } => tracing::error!(
            approval.id = %request,
            approval.code = code.as_str(),
            alarm = Alarm::GlassBroken.name(),
            tool,
            by,
            "alarm: somebody decided alone, and another person must look at it"
        ),
        Notice::Undelivered { about, lost } => tracing::error!(
            approval.id = about.as_ref().map(|about| tracing::field::display(about.request)),
            approval.code = about.as_ref().map(|about| about.code.as_str()),
            alarm = Alarm::MessageUndelivered.name(),
            notice = lost.notice,
            to = %lost.to,
            "alarm: somebody could not be told"
        ),
        Notice::Held { what, reason } => {
            tracing::warn!(tenant = %message.tenant, reason, "stopped, until somebody lifts it: {what}");
        }
        Notice::Refused { .. }
        | Notice::Reminder { .. }
        | Notice::Escalated { .. }
        | Notice::StageAsked { .. }
        | Notice::Question { .. }
        | Notice::Answered { .. }
        | Notice::Ran { .. }
        | Notice::Told { .. }
        | Notice::AskedDirectly { .. }
        | Notice::Digest { .. }
        | Notice::NotAsked { .. }
        | Notice::PolicyNotInForce { .. } => {}
    }
}
