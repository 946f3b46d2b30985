//! What is answered from the record: lists, one request, a digest, oneself.

use placet::approval::{Approval, Refusal, State};
use placet::card::{CardView, visible_line};
use placet::gate::{Asking, AuditAsk, Reader};
use placet::hold::Hold;
use placet::id::RequestId;
use placet::person::{Identity, NoStanding, Standing};
use placet::ports::StoreError;
use placet::record::Event;
use placet::text::{CommandLabel, Markup, Trouble, Witness};
use placet::time::Timestamp;

use super::parse::{Asked, Filters, Named, Since};
use super::{To, parse::Verb};
use crate::inbound::Desk;
use crate::render::commands::{self, BUTTON_ROWS_PER_PAGE, Found, Page, ROWS_PER_PAGE, Turns, Why};
use crate::render::commands::{Kept, Person};
use crate::render::rich;

/// A page of an answer: what is asked, as it was typed, by whom, and from where on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ask {
    pub(super) asked: Asked,
    /// As it was typed, for the buttons that turn its pages.
    pub(super) text: String,
    pub(super) place: Place,
    pub(super) identity: Identity,
}

/// Where in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At its beginning.
    First,
    /// Behind this request, in a list from the newest backwards.
    Before(RequestId),
    /// On this page, from 0.
    Page(usize),
}

impl Place {
    pub(super) fn encode(self) -> String {
        match self {
            Self::First => "f".to_owned(),
            Self::Before(id) => format!("b{id}"),
            Self::Page(page) => format!("p{page}"),
        }
    }

    pub(super) fn decode(text: &str) -> Option<Self> {
        match (text.get(..1)?, text.get(1..)?) {
            ("f", "") => Some(Self::First),
            ("b", id) => id.parse().ok().map(Self::Before),
            ("p", page) => page.parse().ok().map(Self::Page),
            _ => None,
        }
    }

    const fn before(self) -> Option<RequestId> {
        match self {
            Self::Before(id) => Some(id),
            Self::First | Self::Page(_) => None,
        }
    }

    const fn page(self) -> usize {
        match self {
            Self::Page(page) => page,
            Self::First | Self::Before(_) => 0,
        }
    }
}

impl Ask {
    /// Where the buttons of a list lead.
    fn turns(&self, next: Option<RequestId>) -> Turns {
        let to = |place: Place| format!("{} {}", place.encode(), self.text);
        let back = (self.place != Place::First).then(|| to(Place::First));
        Turns { back, forward: next.map(|next| to(Place::Before(next))) }
    }

    /// Where the buttons of a page with a number lead.
    fn numbered(&self, page: usize, pages: usize) -> Turns {
        let to = |page: usize| format!("{} {}", Place::Page(page).encode(), self.text);
        Turns { back: (page > 0).then(|| to(page - 1)), forward: (page + 1 < pages).then(|| to(page + 1)) }
    }
}

impl Desk {
    /// The answer, or why there is none.
    pub(super) async fn page_for(&self, ask: &Ask, to: &To) -> Page {
        let page = match &ask.asked {
            Asked::Whoami => Ok(self.whoami(&ask.identity).await),
            Asked::Pending => self.pending(ask).await,
            Asked::Show(named) => self.show(ask, named).await,
            Asked::Why(named) => self.why(ask, named).await,
            Asked::Audit { filters, export: None } => self.audit(ask, filters).await,
            Asked::Audit { filters, export: Some(form) } => self.export(ask, filters, (*form, to)).await,
            Asked::Remembered => self.remembered_page(ask).await,
            Asked::Stops => self.stops_page(ask).await,
            Asked::Digest(span) => self.digest(ask, *span).await,
            Asked::Help | Asked::Revoke { .. } | Asked::Settle { .. } | Asked::Freeze { .. } => {
                Ok(commands::help(self.slack.texts()))
            }
        };
        page.unwrap_or_else(|said| said)
    }

    /// Somebody who may read this; else what they are told.
    pub(super) async fn reader(
        &self,
        identity: &Identity,
        asking: Asking,
        (verb, presented): (Verb, &str),
    ) -> Result<Reader, Page> {
        let tenant = &self.slack.settings().tenant;
        let reader = self.gate.reader((tenant, identity), asking, (verb.name(), presented)).await;
        reader.map_err(|refusal| self.refused_page(&refusal))
    }

    /// What was refused: what, why, what to do.
    pub(super) fn refused_page(&self, refusal: &Refusal) -> Page {
        let (texts, markup) = (self.slack.texts(), &Markup::PLAIN);
        let said = match refusal {
            Refusal::NoStanding(NoStanding::Unreadable(why)) => texts.unchecked(why, markup),
            Refusal::NotAllowed { needs } => {
                let policy = self.gate.policy_of(&self.slack.settings().tenant);
                let who_can = policy.names_with_any(needs, self.slack.clock().now());
                texts.refusal(refusal, &who_can, markup)
            }
            refusal => texts.refusal(refusal, &[], markup),
        };
        commands::said(&said)
    }

    /// What cannot be read.
    pub(super) fn unread(&self, fault: &StoreError) -> Page {
        let texts = self.slack.texts();
        if *fault == StoreError::NotFound {
            return commands::said(&texts.trouble(Trouble::NoSuchRequest));
        }
        tracing::error!(error = %fault, "a command could not be answered");
        commands::said(&texts.command_label(CommandLabel::Unreadable))
    }

    /// The request that somebody names, for whoever may know of it.
    pub(super) async fn named(&self, reader: &Reader, named: &Named, verb: Verb) -> Result<Approval, Page> {
        let found = match named {
            Named::Code(code) => self.gate.coded(reader, code, verb.name()).await,
            Named::Id(id) => self.gate.identified(reader, *id, verb.name()).await,
        };
        found.map_err(|fault| self.unread(&fault))
    }

    async fn pending(&self, ask: &Ask) -> Result<Page, Page> {
        let reader = self.reader(&ask.identity, Asking::Requests, (Verb::Pending, "")).await?;
        let pending = self.gate.pending(&reader, ask.place.before(), ROWS_PER_PAGE).await;
        let pending = pending.map_err(|fault| self.unread(&fault))?;
        let found: Vec<Found> = pending
            .requests
            .iter()
            .map(|(approval, hold)| Found {
                times: match &approval.state {
                    State::WaitingApproval(waiting) => Some((waiting.since, waiting.until)),
                    _ => None,
                },
                stopped: hold.as_ref().map(|hold| self.visible(&hold.reason)),
                view: self.gate.shown_to(&reader, approval),
            })
            .collect();
        let stops = self.told_stops(&reader, pending.holds);
        Ok(commands::pending(&found, &stops, &ask.turns(pending.next), self.slack.texts()))
    }

    async fn show(&self, ask: &Ask, named: &Named) -> Result<Page, Page> {
        let reader = self.reader(&ask.identity, Asking::Requests, (Verb::Show, &named.to_string())).await?;
        let approval = self.named(&reader, named, Verb::Show).await?;
        let channels = self.gate.channels(&reader, &approval).await.map_err(|fault| self.unread(&fault))?;
        let channels: Vec<String> = channels.into_iter().collect();
        let turns = |page, pages| ask.numbered(page, pages);
        let stopped = self.gate.stopped(&approval).await.map_err(|fault| self.unread(&fault))?;
        let view = CardView { stopped, ..self.gate.shown_to(&reader, &approval) };
        Ok(commands::show(&view, &channels, ask.place.page(), (&turns, self.slack.texts())))
    }

    async fn why(&self, ask: &Ask, named: &Named) -> Result<Page, Page> {
        let reader = self.reader(&ask.identity, Asking::Requests, (Verb::Why, &named.to_string())).await?;
        let approval = self.named(&reader, named, Verb::Why).await?;
        let (events, is_cut) =
            self.gate.history(&reader, &approval).await.map_err(|fault| self.unread(&fault))?;
        let redactor = self.gate.redactor();
        let name = |identity: &Identity| self.gate.called(&reader, identity);
        let hide = |text: &str| redactor.redact_text(text).text;
        let sees_all = self.gate.sees_all(&reader, &approval);
        let witness = Witness { name: &name, hide: &hide };
        let texts = self.slack.texts();
        let happened = events
            .into_iter()
            .map(|event| if sees_all { event } else { Event { kind: event.kind.veil(), ..event } })
            .filter_map(|event| Some((event.at, texts.happened(&event, &witness, &rich())?)))
            .collect();
        let verdict = approval.verdict.as_deref();
        let asks = verdict.and_then(|verdict| verdict.terms.as_ref()).map_or_else(Vec::new, |terms| {
            let groups = |stage: &placet::policy::Stage| {
                stage.groups.iter().map(|group| (group.role.clone(), group.count)).collect()
            };
            terms.stages.iter().map(groups).collect()
        });
        let view = self.gate.shown_to(&reader, &approval);
        let why = Why {
            view: &view,
            policy: verdict.map(|verdict| (verdict.policy.label.clone(), verdict.policy.digest.to_string())),
            asks,
            happened,
            is_cut,
        };
        let turns = |page, pages| ask.numbered(page, pages);
        Ok(commands::why(&why, ask.place.page(), (&turns, texts)))
    }

    /// What is looked for; what they are told where that cannot be looked for here.
    pub(super) fn looked_for(
        &self,
        filters: &Filters,
        (before, limit): (Option<RequestId>, u32),
    ) -> Result<AuditAsk, Page> {
        let settings = self.slack.settings();
        if filters.tenant.as_deref().is_some_and(|tenant| tenant != settings.tenant.as_str()) {
            let said = self.slack.texts().other_tenant(settings.tenant.as_str(), &Markup::PLAIN);
            return Err(commands::said(&said));
        }
        let home = &settings.home;
        let realms = [Some(&home.team_id), home.enterprise_id.as_ref()];
        let who = filters.who.iter().flat_map(|user| {
            realms.into_iter().flatten().filter_map(|realm| Identity::slack(realm, user).ok())
        });
        let now = self.slack.clock().now();
        Ok(AuditAsk {
            who: who.collect(),
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

    async fn audit(&self, ask: &Ask, filters: &Filters) -> Result<Page, Page> {
        let reader = self.reader(&ask.identity, Asking::Audit, (Verb::Audit, &ask.text)).await?;
        let wanted = self.looked_for(filters, (ask.place.before(), ROWS_PER_PAGE))?;
        let page = self.gate.audit(&reader, &wanted).await.map_err(|fault| self.unread(&fault))?;
        let views = page.found.iter().map(|approval| self.gate.shown_to(&reader, approval));
        let found: Vec<Found> = views.map(|view| Found { view, times: None, stopped: None }).collect();
        let is_full = found.len() >= ROWS_PER_PAGE as usize;
        let further = page.next.filter(|_| !is_full).map(time_of);
        let tenant = reader.tenant().as_str();
        let turns = ask.turns(page.next);
        Ok(commands::audit((tenant, &found), further, &turns, self.slack.texts()))
    }

    async fn remembered_page(&self, ask: &Ask) -> Result<Page, Page> {
        let reader = self.reader(&ask.identity, Asking::Requests, (Verb::Remembered, "")).await?;
        let limit = u32::try_from(BUTTON_ROWS_PER_PAGE).unwrap_or(ROWS_PER_PAGE);
        let found = self.gate.remembered(&reader, ask.place.before(), limit).await;
        let (found, next) = found.map_err(|fault| self.unread(&fault))?;
        let kept: Vec<Kept> = found
            .iter()
            .map(|one| {
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
            })
            .collect();
        Ok(commands::remembered(&kept, &ask.turns(next), self.slack.texts()))
    }

    async fn stops_page(&self, ask: &Ask) -> Result<Page, Page> {
        let reader = self.reader(&ask.identity, Asking::Requests, (Verb::Stops, "")).await?;
        let holds = self.gate.stops(&reader).await.map_err(|fault| self.unread(&fault))?;
        let turns = |page, pages| ask.numbered(page, pages);
        let stops = self.told_stops(&reader, holds);
        Ok(commands::stops(&stops, ask.place.page(), (&turns, self.slack.texts())))
    }

    async fn digest(&self, ask: &Ask, span: placet::time::Ttl) -> Result<Page, Page> {
        let reader = self.reader(&ask.identity, Asking::Audit, (Verb::Digest, "")).await?;
        let now = self.slack.clock().now();
        // What was opened in this very millisecond is told as well.
        let until = now + placet::time::Ttl::from_millis(1);
        let digest = self.gate.digest_for(&reader, (now - span, until)).await;
        let digest = digest.map_err(|fault| self.unread(&fault))?;
        let turns = |page, pages| ask.numbered(page, pages);
        Ok(commands::digest(&digest, ask.place.page(), (&turns, self.slack.texts())))
    }

    /// Everybody is told who they are, also who is nobody here.
    async fn whoami(&self, identity: &Identity) -> Page {
        let tenant = &self.slack.settings().tenant;
        let (standing, may) = self.gate.worth(tenant, identity).await;
        let member = match standing {
            Standing::Member(member) => member,
            Standing::None(why) => return self.refused_page(&Refusal::NoStanding(why)),
        };
        let policy = self.gate.policy_of(tenant);
        let stewards = policy.stewards().to_vec();
        let mut auditors = policy.auditors().to_vec();
        auditors.extend(stewards.iter().filter(|role| !policy.auditors().contains(role)).cloned());
        let person = Person {
            name: visible_line(&member.name).into_string(),
            account: identity.to_string(),
            tenant: tenant.to_string(),
            audit: (may.contains(&Asking::Audit), auditors),
            steward: (stewards.iter().any(|role| member.roles.contains(role)), stewards),
            roles: member.roles.into_iter().collect(),
            stands_in_for: member.stands_in_for,
        };
        commands::whoami(&person, self.slack.texts())
    }

    /// Stops with who placed them and why, visible and redacted.
    fn told_stops(&self, reader: &Reader, holds: Vec<Hold>) -> Vec<(Hold, String, String)> {
        let told = holds.into_iter().map(|hold| {
            let who = self.placed_by(reader, &hold);
            let reason = self.visible(&hold.reason);
            (hold, who, reason)
        });
        told.collect()
    }

    /// Who placed a stop; visible already.
    pub(super) fn placed_by(&self, reader: &Reader, hold: &Hold) -> String {
        use placet::approval::Actor;
        let who = match (&hold.name, &hold.by) {
            (Some(name), _) => name.clone(),
            (None, Actor::Account(identity)) => self.gate.called(reader, identity),
            (None, Actor::Placet) => "Placet".to_owned(),
            (None, other) => other.to_string(),
        };
        visible_line(&who).into_string()
    }

    /// Text of people or agents, redacted and visible, on one line.
    pub(super) fn visible(&self, text: &str) -> String {
        visible_line(&self.gate.redactor().redact_text(text).text).into_string()
    }
}

/// When a request was made: ids begin with it.
fn time_of(id: RequestId) -> Timestamp {
    let mut millis = [0_u8; 8];
    millis[2..].copy_from_slice(&id.as_bytes()[..6]);
    Timestamp::from_millis(i64::from_be_bytes(millis))
}
