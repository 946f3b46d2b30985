//! What is answered from the record: lists, one request, a digest, oneself.

use std::collections::BTreeMap;

use crate::approval::{Actor, Approval, Refusal, State};
use crate::card::{CardView, visible_line};
use crate::command::{
    Answer, Ask, Asked, Commands, Filters, Found, Kept, Mistake, Named, Person, Said, Since, Stop, Verb, Why,
};
use crate::gate::{Asking, AuditAsk, Reader};
use crate::hold::Hold;
use crate::id::{RequestId, Role, TenantId};
use crate::person::{Identity, Standing};
use crate::ports::StoreError;
use crate::record::{Event, EventKind};
use crate::time::{Timestamp, Ttl};

/// Rows of a page, of which each has its own limit on a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// In a list.
    pub plain: u32,
    /// In a list where each can be taken back, which takes more room.
    pub with_buttons: u32,
}

impl Commands {
    /// The answer to what was read: whoever asks gets it, or is told why not. What is to be done to a card is not answered
    /// here ([`Commands::request_for`]).
    pub async fn answer(&self, tenant: &TenantId, ask: &Ask, rows: Rows) -> Answer {
        let who = (tenant, &ask.identity);
        let answer = match &ask.asked {
            Asked::Help => Ok(Answer::Help),
            Asked::Whoami => self.whoami(who).await,
            Asked::Pending => self.pending(who, ask, rows.plain).await,
            Asked::Show(named) => self.show(who, ask, named).await,
            Asked::Why(named) => self.why(who, ask, named).await,
            Asked::Audit { filters, export: None } => self.audit(who, ask, (filters, rows.plain)).await,
            Asked::Audit { filters, export: Some(form) } => self.export(who, ask, (filters, *form)).await,
            Asked::Remembered => self.remembered(who, ask, rows.with_buttons).await,
            Asked::Stops => self.stops(who, ask).await,
            Asked::Digest(span) => self.digest(who, ask, *span).await,
            Asked::Forget(named) => self.forgets_named(who, named).await,
            Asked::Lift(lift) => self.lifts_named(who, lift).await,
            Asked::Revoke { request, reason: Some(reason) } => {
                self.revoke(who, request, reason.clone()).await
            }
            Asked::Settle { request, outcome: Some(outcome), reason: Some(reason) } => {
                self.settle(who, request, (*outcome, reason.clone())).await
            }
            Asked::Freeze { scope: Some(scope), reason } => {
                self.freeze_named(who, scope, reason.as_deref()).await
            }
            Asked::Revoke { .. } => Err(Said::Mistake(Mistake::Missing(Verb::Revoke))),
            Asked::Settle { .. } => Err(Said::Mistake(Mistake::Missing(Verb::Settle))),
            Asked::Freeze { .. } => Err(Said::Mistake(Mistake::Missing(Verb::Freeze))),
            Asked::Do { deed, .. } => Err(Said::Mistake(Mistake::ByButton(deed.verb()))),
        };
        answer.unwrap_or_else(Answer::Said)
    }

    /// Somebody who may read this; else what they are told.
    pub(super) async fn reader(
        &self,
        who: (&TenantId, &Identity),
        asking: Asking,
        (verb, presented): (Verb, &str),
    ) -> Result<Reader, Said> {
        let reader = self.gate.reader(who, asking, (verb.name(), presented)).await;
        reader.map_err(|refusal| self.refused(who.0, refusal))
    }

    /// What was refused, and who can, where that helps.
    pub(super) fn refused(&self, tenant: &TenantId, refusal: Refusal) -> Said {
        let who_can = match &refusal {
            Refusal::NotAllowed { needs } => {
                self.gate.policy_of(tenant).names_with_any(needs, self.gate.clock().now())
            }
            _ => Vec::new(),
        };
        Said::Refused { refusal, who_can }
    }

    /// What cannot be read.
    pub(super) fn unread(fault: &StoreError) -> Said {
        if *fault == StoreError::NotFound {
            return Said::NoSuchRequest;
        }
        tracing::error!(error = %fault, "a command could not be answered");
        Said::Unreadable
    }

    async fn pending(&self, who: (&TenantId, &Identity), ask: &Ask, rows: u32) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Requests, (Verb::Pending, "")).await?;
        let pending = self.gate.pending(&reader, ask.place.before(), rows).await;
        let pending = pending.map_err(|fault| Self::unread(&fault))?;
        let found = pending.requests.iter().map(|(approval, hold)| Found {
            times: match &approval.state {
                State::WaitingApproval(waiting) => Some((waiting.since, waiting.until)),
                _ => None,
            },
            stopped: hold.as_ref().map(|hold| self.visible(&hold.reason)),
            view: self.gate.shown_to(&reader, approval),
        });
        let found = found.collect();
        let stops = self.told_stops(&reader, pending.holds);
        Ok(Answer::Pending { found, stops, turns: ask.turns(pending.next) })
    }

    async fn show(&self, who: (&TenantId, &Identity), ask: &Ask, named: &Named) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Requests, (Verb::Show, &named.to_string())).await?;
        let approval = self.named(&reader, named, Verb::Show).await?;
        let channels = self.gate.channels(&reader, &approval).await.map_err(|fault| Self::unread(&fault))?;
        let stopped = self.gate.stopped(&approval).await.map_err(|fault| Self::unread(&fault))?;
        let view = Box::new(CardView { stopped, ..self.gate.shown_to(&reader, &approval) });
        Ok(Answer::Request { view, channels: channels.into_iter().collect(), page: ask.place.page() })
    }

    async fn why(&self, who: (&TenantId, &Identity), ask: &Ask, named: &Named) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Requests, (Verb::Why, &named.to_string())).await?;
        let approval = self.named(&reader, named, Verb::Why).await?;
        let history = self.gate.history(&reader, &approval).await;
        let (events, is_cut) = history.map_err(|fault| Self::unread(&fault))?;
        let sees_all = self.gate.sees_all(&reader, &approval);
        let veiled = |event: Event| Event { kind: event.kind.veil(), ..event };
        let happened: Vec<Event> =
            events.into_iter().map(|event| if sees_all { event } else { veiled(event) }).collect();
        let why = Why {
            view: self.gate.shown_to(&reader, &approval),
            policy: policy_of(&approval),
            asks: Why::asks_of(&approval),
            names: self.names_in(&reader, &happened),
            happened,
            is_cut,
            redactor: std::sync::Arc::clone(self.gate.redactor()),
        };
        Ok(Answer::Why { why: Box::new(why), page: ask.place.page() })
    }

    /// What the accounts in these are called.
    fn names_in(&self, reader: &Reader, events: &[Event]) -> BTreeMap<Identity, String> {
        let mut names = BTreeMap::new();
        for identity in events.iter().flat_map(|event| named_in(&event.kind)) {
            names.entry(identity.clone()).or_insert_with(|| self.gate.called(reader, identity));
        }
        names
    }

    /// What is looked for; what they are told where that cannot be looked for here.
    pub(super) fn looked_for(
        &self,
        tenant: &TenantId,
        filters: &Filters,
        (before, limit): (Option<RequestId>, u32),
    ) -> Result<AuditAsk, Said> {
        if filters.tenant.as_deref().is_some_and(|wanted| wanted != tenant.as_str()) {
            return Err(Said::OtherTenant(tenant.clone()));
        }
        let now = self.gate.clock().now();
        Ok(AuditAsk {
            who: filters.who.clone(),
            tool: filters.tool.clone(),
            statuses: filters.statuses.clone(),
            outcome: filters.outcome,
            since: filters.since.map(|since| match since {
                Since::Ago(span) => now - span,
                Since::Day(day) => day,
            }),
            words: filters.words.clone(),
            before,
            limit,
        })
    }

    async fn audit(
        &self,
        who: (&TenantId, &Identity),
        ask: &Ask,
        (filters, rows): (&Filters, u32),
    ) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Audit, (Verb::Audit, &ask.text)).await?;
        let wanted = self.looked_for(who.0, filters, (ask.place.before(), rows))?;
        let page = self.gate.audit(&reader, &wanted).await.map_err(|fault| Self::unread(&fault))?;
        let views = page.found.iter().map(|approval| self.gate.shown_to(&reader, approval));
        let found: Vec<Found> = views.map(|view| Found { view, times: None, stopped: None }).collect();
        let is_full = found.len() >= rows as usize;
        let further = page.next.filter(|_| !is_full).map(time_of);
        Ok(Answer::Audit { tenant: reader.tenant().clone(), found, further, turns: ask.turns(page.next) })
    }

    async fn remembered(&self, who: (&TenantId, &Identity), ask: &Ask, rows: u32) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Requests, (Verb::Remembered, "")).await?;
        let found = self.gate.remembered(&reader, ask.place.before(), rows).await;
        let (found, next) = found.map_err(|fault| Self::unread(&fault))?;
        let kept = found.iter().map(|one| {
            let tool = match &one.server {
                Some(server) => format!("{server}/{}", one.tool),
                None => one.tool.to_string(),
            };
            Kept {
                id: one.id,
                calls: match self.gate.sees_pattern(&reader, one) {
                    true => self.visible(&format!("{tool} {}", one.pattern)),
                    false => self.visible(&tool),
                },
                agent: one.agent.to_string(),
                names: one.names.clone(),
                until: one.until,
            }
        });
        Ok(Answer::Remembered { kept: kept.collect(), turns: ask.turns(next) })
    }

    async fn stops(&self, who: (&TenantId, &Identity), ask: &Ask) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Requests, (Verb::Stops, "")).await?;
        let holds = self.gate.stops(&reader).await.map_err(|fault| Self::unread(&fault))?;
        Ok(Answer::Stops { stops: self.told_stops(&reader, holds), page: ask.place.page() })
    }

    async fn digest(&self, who: (&TenantId, &Identity), ask: &Ask, span: Ttl) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Audit, (Verb::Digest, "")).await?;
        let now = self.gate.clock().now();
        // What was opened in this very millisecond is told as well.
        let until = now + Ttl::from_millis(1);
        let digest = self.gate.digest_for(&reader, (now - span, until)).await;
        let digest = digest.map_err(|fault| Self::unread(&fault))?;
        Ok(Answer::Digest { digest, page: ask.place.page() })
    }

    /// Everybody is told who they are, also who is nobody here.
    async fn whoami(&self, (tenant, identity): (&TenantId, &Identity)) -> Result<Answer, Said> {
        let (standing, may) = self.gate.worth(tenant, identity).await;
        let member = match standing {
            Standing::Member(member) => member,
            Standing::None(why) => return Err(self.refused(tenant, Refusal::NoStanding(why))),
        };
        let policy = self.gate.policy_of(tenant);
        let stewards: Vec<Role> = policy.stewards().to_vec();
        let mut auditors = policy.auditors().to_vec();
        auditors.extend(stewards.iter().filter(|role| !policy.auditors().contains(role)).cloned());
        Ok(Answer::Whoami(Box::new(Person {
            name: visible_line(&member.name).into_string(),
            account: identity.to_string(),
            tenant: tenant.to_string(),
            audit: (may.contains(&Asking::Audit), auditors),
            steward: (stewards.iter().any(|role| member.roles.contains(role)), stewards),
            roles: member.roles.into_iter().collect(),
            stands_in_for: member.stands_in_for,
        })))
    }

    /// Stops with who placed them and why, visible and redacted.
    fn told_stops(&self, reader: &Reader, holds: Vec<Hold>) -> Vec<Stop> {
        let told = holds.into_iter().map(|hold| {
            let who = self.placed_by(reader, &hold);
            let reason = self.visible(&hold.reason);
            Stop { hold, who, reason }
        });
        told.collect()
    }

    /// Who placed a stop; visible already.
    pub(super) fn placed_by(&self, reader: &Reader, hold: &Hold) -> String {
        let who = match (&hold.name, &hold.by) {
            (Some(name), _) => name.clone(),
            (None, Actor::Account(identity)) => self.gate.called(reader, identity),
            (None, Actor::Placet) => "Placet".to_owned(),
            (None, other) => other.to_string(),
        };
        visible_line(&who).into_string()
    }

    /// Text of people or agents, redacted and visible, on one line.
    fn visible(&self, text: &str) -> String {
        visible_line(&self.gate.redactor().redact_text(text).text).into_string()
    }
}

/// The label and the digest of the policy that judged a request.
fn policy_of(approval: &Approval) -> Option<(String, String)> {
    let verdict = approval.verdict.as_deref()?;
    Some((verdict.policy.label.clone(), verdict.policy.digest.to_string()))
}

/// The accounts that an event names: whose doing it is, and those that it takes out.
fn named_in(kind: &EventKind) -> Vec<&Identity> {
    let mut named = kind.accounts();
    match kind {
        EventKind::Lapsed { identity, .. } => named.push(identity),
        EventKind::Claimed { claim } => {
            if let Actor::Account(identity) = &claim.executor {
                named.push(identity);
            }
        }
        _ => {}
    }
    named
}

/// When a request was made: ids begin with it.
fn time_of(id: RequestId) -> Timestamp {
    let mut millis = [0_u8; 8];
    if let Some(place) = millis.get_mut(2..) {
        place.copy_from_slice(&id.as_bytes()[..6]);
    }
    Timestamp::from_millis(i64::from_be_bytes(millis))
}
