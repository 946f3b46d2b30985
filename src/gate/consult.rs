//! Asking about requests: what is pending, one of them, why it was asked, and the audit.
//!
//! What always holds: who may ask is decided here, by the policy in force and an account that was read at most a minute
//! ago; only [`Gate::reader`] makes a [`Reader`], and only a reader is told anything, of the one tenant it was made for. Words
//! are looked for in what people see, so that nobody finds what is hidden.

mod export;

use std::collections::BTreeSet;

use crate::approval::{Actor, Approval, OutcomeKind, Refusal, Status};
use crate::card::{CardView, StateView};
use crate::gate::propose::POLICY_TRIES;
use crate::gate::{Digest, Gate};
use crate::hold::Hold;
use crate::id::{RequestId, Role, ShortCode, TenantId};
use crate::person::{Identity, Member, NoStanding, Standing};
use crate::policy::Policy;
use crate::ports::{AuditPage, AuditQuery, EventQuery, HoldQuery, RememberedQuery, RequestQuery, StoreError};
use crate::record::{Event, Seq};
use crate::remembered::Remembered;
use crate::time::Timestamp;

pub use export::Export;

/// How often the store is asked for one page of a search for words, each time going on where it was: what it cannot tell
/// apart is looked at here, and that takes longer.
const ROUNDS_MAX: u32 = 10;

/// The most events of one request that are read: more than any request has.
const EVENTS_MAX: u32 = 1_000;

/// The most stops that are read: the same is not stopped twice.
pub(super) const HOLDS_MAX: u32 = 1_000;

/// What somebody wants to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// What is pending, and single requests that they name: for whoever has any role in the tenant.
    Requests,
    /// The audit, its export and the digest: for auditors and stewards.
    Audit,
}

/// Somebody who may read about a tenant's requests.
#[derive(Debug, Clone)]
pub struct Reader {
    tenant: TenantId,
    identity: Identity,
    member: Member,
    asking: Asking,
}

impl Reader {
    /// Whose requests.
    #[must_use]
    pub const fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// Who.
    #[must_use]
    pub const fn member(&self) -> &Member {
        &self.member
    }
}

/// What is looked for in the audit.
#[derive(Debug, Clone, Default)]
pub struct AuditAsk {
    /// With which the person who has any of these accounts had to do; empty means anybody's.
    pub who: Vec<Identity>,
    /// Of this tool; a pattern may hold `*`.
    pub tool: Option<String>,
    /// In these states; empty means all.
    pub statuses: Vec<Status>,
    /// That ended like this.
    pub outcome: Option<OutcomeKind>,
    /// Opened since.
    pub since: Option<Timestamp>,
    /// In which all of these words stand.
    pub words: Vec<String>,
    /// Older than this one.
    pub before: Option<RequestId>,
    /// At most so many.
    pub limit: u32,
}

/// What people are asked about.
#[derive(Debug, Clone)]
pub struct Pending {
    /// Newest first, each with the stop that keeps it from running once it is approved.
    pub requests: Vec<(Approval, Option<Hold>)>,
    /// The `before` of the next page.
    pub next: Option<RequestId>,
    /// What is stopped.
    pub holds: Vec<Hold>,
}

impl Gate {
    /// Somebody who may read this of a tenant. A refusal is recorded as others are, under what they wanted.
    ///
    /// # Errors
    /// [`Refusal::NoStanding`], [`Refusal::NotAllowed`].
    pub async fn reader(
        &self,
        (tenant, identity): (&TenantId, &Identity),
        asking: Asking,
        (command, presented): (&str, &str),
    ) -> Result<Reader, Refusal> {
        let refusal = match self.may_ask(tenant, identity, asking).await {
            Ok(member) => {
                let (tenant, identity) = (tenant.clone(), identity.clone());
                return Ok(Reader { tenant, identity, member, asking });
            }
            Err(refusal) => refusal,
        };
        if !matches!(refusal, Refusal::NoStanding(NoStanding::Unreadable(_))) {
            let by = Actor::Account(identity.clone());
            self.note_stranger(tenant, by, command, presented).await;
        }
        Err(refusal)
    }

    async fn may_ask(
        &self,
        tenant: &TenantId,
        identity: &Identity,
        asking: Asking,
    ) -> Result<Member, Refusal> {
        let (policy, standing) = self.now_worth(tenant, identity, asking).await;
        match standing {
            Standing::None(why) => Err(Refusal::NoStanding(why)),
            Standing::Member(member) if may(&policy, &member, asking) => Ok(member),
            Standing::Member(_) => Err(Refusal::NotAllowed { needs: needs(&policy, asking) }),
        }
    }

    /// What an account is worth in a tenant, by the policy in force once it was read: what somebody is told of themselves.
    pub async fn worth(&self, tenant: &TenantId, identity: &Identity) -> (Standing, Vec<Asking>) {
        let (policy, standing) = self.now_worth(tenant, identity, Asking::Requests).await;
        let may = match &standing {
            Standing::Member(member) => {
                let both = [Asking::Requests, Asking::Audit];
                both.into_iter().filter(|asking| may(&policy, member, *asking)).collect()
            }
            Standing::None(_) => Vec::new(),
        };
        (standing, may)
    }

    async fn now_worth(
        &self,
        tenant: &TenantId,
        identity: &Identity,
        asking: Asking,
    ) -> (std::sync::Arc<Policy>, Standing) {
        let mut tries = 0;
        loop {
            let policy = self.policy_of(tenant);
            // Any role will do for the one; then whatever could give one is read.
            let wanted = match asking {
                Asking::Requests => all_roles(&policy),
                Asking::Audit => needs(&policy, asking),
            };
            let standing = self.standing((tenant, &policy), identity, &wanted).await;
            tries += 1;
            if self.is_in_force(tenant, &policy) || tries >= POLICY_TRIES {
                return (policy, standing);
            }
        }
    }

    /// What people are asked about, newest first, and what is stopped.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn pending(
        &self,
        reader: &Reader,
        before: Option<RequestId>,
        limit: u32,
    ) -> Result<Pending, StoreError> {
        let query = RequestQuery {
            tenant: Some(reader.tenant.clone()),
            statuses: vec![Status::WaitingApproval],
            before,
            // One more tells whether there is another page.
            limit: limit + 1,
            ..RequestQuery::default()
        };
        let mut found = self.parts.store.list(query).await?;
        let more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let next = found.last().filter(|_| more).map(|last| last.id);
        let holds = self.stops(reader).await?;
        let requests = found.into_iter().map(|approval| {
            let hold = holds.iter().find(|hold| hold.covers(&approval.tenant, &approval.proposal)).cloned();
            (approval, hold)
        });
        Ok(Pending { requests: requests.collect(), next, holds })
    }

    /// What is stopped of the tenant's calls, newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn stops(&self, reader: &Reader) -> Result<Vec<Hold>, StoreError> {
        let tenant = Some(reader.tenant.clone());
        let query = HoldQuery { tenant, only_standing: true, before: None, limit: HOLDS_MAX };
        self.parts.store.holds(query).await
    }

    /// What people chose to remember and still stands, newest first; with the `before` of the next page.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn remembered(
        &self,
        reader: &Reader,
        before: Option<RequestId>,
        limit: u32,
    ) -> Result<(Vec<Remembered>, Option<RequestId>), StoreError> {
        let query = RememberedQuery {
            tenant: reader.tenant.clone(),
            session: None,
            standing_at: Some(self.parts.clock.now()),
            before,
            limit: limit + 1,
        };
        let mut found = self.parts.store.remembered(query).await?;
        let more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let next = found.last().filter(|_| more).map(|last| last.id);
        Ok((found, next))
    }

    /// A request by its code: the open one that has it, else the newest that had it. One that is none of the tenant's is
    /// none, and the attempt is noted.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    pub async fn coded(
        &self,
        reader: &Reader,
        code: &ShortCode,
        command: &str,
    ) -> Result<Approval, StoreError> {
        let query = RequestQuery {
            tenant: Some(reader.tenant.clone()),
            code: Some(code.clone()),
            limit: 1,
            ..RequestQuery::default()
        };
        let found = self.parts.store.list(query).await?.into_iter().next();
        match found {
            Some(approval) => Ok(approval),
            None => Err(self.not_there(reader, command, code.as_str()).await),
        }
    }

    /// A request by its id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] also for another tenant's; the attempt is noted.
    pub async fn identified(
        &self,
        reader: &Reader,
        id: RequestId,
        command: &str,
    ) -> Result<Approval, StoreError> {
        match self.parts.store.load(&reader.tenant, id).await {
            Err(StoreError::NotFound) => Err(self.not_there(reader, command, &id.to_string()).await),
            loaded => loaded,
        }
    }

    async fn not_there(&self, reader: &Reader, command: &str, presented: &str) -> StoreError {
        let by = Actor::Account(reader.identity.clone());
        self.note_stranger(&reader.tenant, by, command, presented).await;
        StoreError::NotFound
    }

    /// What happened to a request, in order, and whether more happened than is given.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn history(
        &self,
        reader: &Reader,
        approval: &Approval,
    ) -> Result<(Vec<Event>, bool), StoreError> {
        let query = EventQuery {
            tenant: Some(reader.tenant.clone()),
            request: Some(approval.id),
            after: Seq(0),
            types: Vec::new(),
            limit: EVENTS_MAX,
        };
        let events: Vec<Event> =
            self.parts.store.events(query).await?.into_iter().map(|(_, event)| event).collect();
        let is_cut = events.len() >= EVENTS_MAX as usize;
        Ok((events, is_cut))
    }

    /// The channels in which a request's card stands, as their surfaces name them, each once.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn channels(
        &self,
        reader: &Reader,
        approval: &Approval,
    ) -> Result<BTreeSet<String>, StoreError> {
        let rows = self.parts.store.cards_of(&reader.tenant, approval.id).await?;
        let shown = rows.iter().flat_map(|row| &row.messages);
        Ok(shown.map(|shown| shown.message.channel.clone()).collect())
    }

    /// The audit, newest first, for somebody who may read it. A page that is not full may be followed by others.
    ///
    /// # Errors
    /// [`StoreError`]; what a reader of single requests asks for is not found.
    pub async fn audit(&self, reader: &Reader, ask: &AuditAsk) -> Result<AuditPage, StoreError> {
        if reader.asking != Asking::Audit {
            return Err(StoreError::NotFound);
        }
        let accounts = ask.who.iter().flat_map(|who| self.accounts(&reader.tenant, who)).collect();
        let words: Vec<String> = ask.words.iter().map(|word| word.to_lowercase()).collect();
        let mut query = AuditQuery {
            accounts,
            tool: ask.tool.clone(),
            statuses: ask.statuses.clone(),
            outcome: ask.outcome,
            since: ask.since,
            words: words.clone(),
            before: ask.before,
            ..AuditQuery::of(reader.tenant.clone(), ask.limit)
        };
        let (mut found, mut next) = (Vec::new(), None);
        for _ in 0..ROUNDS_MAX {
            let page = self.parts.store.audit(query.clone()).await?;
            next = page.next;
            found.extend(page.found.into_iter().filter(|approval| self.shows(reader, approval, &words)));
            let Some(before) = next else { break };
            query.before = Some(before);
            query.limit = ask.limit.saturating_sub(u32::try_from(found.len()).unwrap_or(u32::MAX));
            if query.limit == 0 {
                break;
            }
        }
        Ok(AuditPage { found, next })
    }

    /// What ran without anybody having been asked, for somebody who may read it.
    ///
    /// # Errors
    /// [`StoreError`]; what a reader of single requests asks for is not found.
    pub async fn digest_for(
        &self,
        reader: &Reader,
        span: (Timestamp, Timestamp),
    ) -> Result<Digest, StoreError> {
        if reader.asking != Asking::Audit {
            return Err(StoreError::NotFound);
        }
        self.digest(&reader.tenant, span).await
    }

    /// A request as this reader may see it: of a confidential call only who may ever be asked about it, who looks after the
    /// installation, and who asked see the arguments.
    #[must_use]
    pub fn shown_to(&self, reader: &Reader, approval: &Approval) -> CardView {
        let view = self.view(approval);
        if self.sees_all(reader, approval) { view } else { view.veil() }
    }

    /// Whether this reader may see the whole of a request.
    #[must_use]
    pub fn sees_all(&self, reader: &Reader, approval: &Approval) -> bool {
        !approval.is_confidential()
            || approval.proposal.requester.identities.contains(&reader.identity)
            || self.has_any(reader, &approval.readers())
    }

    /// Whether this reader may see which calls a remembered yes covers.
    #[must_use]
    pub fn sees_pattern(&self, reader: &Reader, remembered: &Remembered) -> bool {
        !remembered.verdict.is_confidential() || self.has_any(reader, &remembered.roles)
    }

    /// Whether this reader has one of these roles, or looks after the installation.
    fn has_any(&self, reader: &Reader, roles: &[Role]) -> bool {
        let policy = self.policy_of(&reader.tenant);
        roles.iter().chain(policy.stewards()).any(|role| reader.member.roles.contains(role))
    }

    /// What an account's person is called in the tenant; of nobody's, its own name.
    #[must_use]
    pub fn called(&self, reader: &Reader, identity: &Identity) -> String {
        match self.policy_of(&reader.tenant).people().behind(identity) {
            Standing::Member(member) => member.name,
            Standing::None(_) => identity.subject().to_owned(),
        }
    }

    /// All accounts of the person in the policy who has this one; of nobody's, only that itself.
    fn accounts(&self, tenant: &TenantId, who: &Identity) -> Vec<Identity> {
        let policy = self.policy_of(tenant);
        let mut accounts = BTreeSet::from([who.clone()]);
        if let Standing::Member(member) = policy.people().resolve(who)
            && let Some(known) = policy.people().by_id(&member.person)
        {
            accounts.extend(known.identities.iter().cloned());
        }
        accounts.into_iter().collect()
    }

    /// Whether all of these words, in lower case, stand in what people see of it.
    fn shows(&self, reader: &Reader, approval: &Approval, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let seen = seen(&self.shown_to(reader, approval)).to_lowercase();
        words.iter().all(|word| seen.contains(word.as_str()))
    }
}

/// What people see of a request, in one text.
fn seen(view: &CardView) -> String {
    let call = &view.call;
    let mut seen = vec![view.code.as_str(), call.title.as_str(), call.tool.as_str(), call.args_json.as_str()];
    seen.extend(call.args.iter().map(|arg| arg.value.as_str()));
    seen.extend([call.task.as_str(), call.reason.as_str(), call.asked_by.as_str()]);
    let more = [&call.effect, &call.preview, &call.if_denied];
    seen.extend(more.into_iter().flatten().map(|text| text.as_str()));
    seen.extend(call.rules.iter().flat_map(|rule| [rule.rule.as_str(), rule.because.as_str()]));
    for piece in &call.evidence {
        seen.push(piece.title.as_str());
        seen.extend([&piece.uri, &piece.excerpt].into_iter().flatten().map(|text| text.as_str()));
    }
    let votes = match &view.state {
        StateView::Waiting { votes, .. }
        | StateView::Approved { votes, .. }
        | StateView::Rejected { votes, .. }
        | StateView::Executing { votes, .. }
        | StateView::Executed { votes, .. } => votes.as_slice(),
        StateView::Checking | StateView::Expired { .. } | StateView::Revoked { .. } => &[],
    };
    for vote in votes {
        seen.push(vote.name.as_str());
        seen.extend(vote.note.as_ref().map(|note| note.as_str()));
    }
    match &view.state {
        StateView::Rejected { because, reason, .. } => {
            seen.extend([because, reason].into_iter().flatten().map(|text| text.as_str()));
        }
        StateView::Executed { error, .. } => seen.extend(error.as_ref().map(|error| error.as_str())),
        StateView::Revoked { by, reason, .. } => {
            seen.push(by.as_str());
            seen.extend(reason.as_ref().map(|reason| reason.as_str()));
        }
        _ => {}
    }
    seen.join("\n")
}

/// Whether somebody may read this.
fn may(policy: &Policy, member: &Member, asking: Asking) -> bool {
    match asking {
        Asking::Requests => !member.roles.is_empty(),
        Asking::Audit => needs(policy, asking).iter().any(|role| member.roles.contains(role)),
    }
}

/// The roles that may read this.
fn needs(policy: &Policy, asking: Asking) -> Vec<Role> {
    match asking {
        Asking::Requests => all_roles(policy),
        Asking::Audit => {
            let mut roles = policy.auditors().to_vec();
            roles.extend(policy.stewards().iter().filter(|role| !policy.auditors().contains(role)).cloned());
            roles
        }
    }
}

/// Every role that anybody has or can have.
fn all_roles(policy: &Policy) -> Vec<Role> {
    let people = policy.people();
    let own = people.all().iter().flat_map(|known| known.member.roles.iter());
    let grouped = people.groups().iter().flat_map(|group| group.roles.iter());
    let on_call = people.schedules().iter().map(|schedule| &schedule.role);
    let roles: BTreeSet<Role> = own.chain(grouped).chain(on_call).cloned().collect();
    roles.into_iter().collect()
}
