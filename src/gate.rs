//! The gate: every use case of Placet, over the ports.
//!
//! Data travels one way: an adapter hands in something authentic, the gate fetches the facts it rests on, the store
//! decides and commits, and what follows from it (cards, messages, wake-ups) is worked off from what was committed.

#[cfg(feature = "policy")]
mod cards;
#[cfg(feature = "policy")]
mod claim;
#[cfg(feature = "policy")]
mod consult;
mod digest;
#[cfg(feature = "policy")]
mod digests;
pub mod directory;
#[cfg(feature = "policy")]
mod edit;
#[cfg(feature = "policy")]
pub mod executor;
#[cfg(feature = "policy")]
mod facts;
pub mod grant;
#[cfg(feature = "policy")]
mod hold;
#[cfg(feature = "policy")]
mod home;
#[cfg(feature = "policy")]
mod known;
pub mod permit;
#[cfg(feature = "policy")]
mod propose;
#[cfg(feature = "policy")]
mod reading;
#[cfg(feature = "policy")]
mod rejudge;
#[cfg(feature = "policy")]
mod telling;
#[cfg(feature = "policy")]
mod unreached;
pub mod wake;
#[cfg(feature = "policy")]
mod who;
#[cfg(feature = "policy")]
mod worker;

#[cfg(feature = "policy")]
pub use self::{
    claim::{Beat, ClaimError, Claimant, Claimed, PresentedCall},
    consult::{Asking, AuditAsk, Export, Pending, Reader},
    edit::EditError,
    executor::{Executed, Executor},
    hold::{HoldError, Placed},
    home::{Home, HomeGround},
    known::Doubt,
    propose::{ProposeError, Proposed},
    rejudge::Rejudged,
    telling::{DIRECT_MESSAGES_MAX, MENTIONS_MAX},
    worker::Progress,
};
pub use digest::{Digest, DigestTool};
pub use directory::{Answer, Answers, CredentialDirectory, Directories, NoOnCall, Trusted};
pub use grant::{Grant, GrantCheck, GrantError, GrantSigner};
pub use permit::{LeaseOver, Permit, Receipt, Running};
pub use wake::Wakes;

#[cfg(feature = "policy")]
pub use parts::{Gate, GateParts, GateSettings, PolicyShelf, Received};

#[cfg(feature = "policy")]
mod parts {
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex, PoisonError, RwLock};

    use futures::future::{Either, select};

    use crate::approval::{Actor, Approval, Ballot, Change, Command, Facts, Order, Outcome, Refusal};
    use crate::card::{CardView, Redactor};
    use crate::gate::GrantSigner;
    use crate::gate::wake::{REREAD_EVERY, Wakes};
    use crate::id::{AgentId, CommandId, Entropy, RequestId, SurfaceName, TenantId};
    use crate::inbound::Inbound;
    use crate::policy::{Place, Policy, PolicySet};
    use crate::ports::{Clock, Directory, OnCall, Schemas, Store, StoreError, Surface};
    use crate::record::EventKind;
    use crate::time::{Timestamp, Ttl};

    /// How often an order is tried again because its facts had grown old in between. Facts are fetched anew each
    /// time, so that a second time is rare and a third a sign of a clock that runs away.
    const FACTS_TRIES: u32 = 3;

    /// How long the same stranger's same attempt is noted once only.
    const STRANGER_COALESCE: Ttl = Ttl::from_secs(60);

    /// How many strangers' attempts are remembered for that.
    const STRANGERS_MAX: usize = 4096;

    /// The policies in force; swapped whole.
    #[derive(Debug)]
    pub struct PolicyShelf(RwLock<PolicySet>);

    impl PolicyShelf {
        /// With these in force.
        #[must_use]
        pub fn new(policies: PolicySet) -> Arc<Self> {
            Arc::new(Self(RwLock::new(policies)))
        }

        /// All that are in force.
        #[must_use]
        pub fn now(&self) -> PolicySet {
            self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
        }

        /// The one of a tenant.
        #[must_use]
        pub fn of(&self, tenant: &TenantId) -> Arc<Policy> {
            self.0.read().unwrap_or_else(PoisonError::into_inner).of(tenant)
        }

        /// Puts others in force.
        pub fn replace(&self, policies: PolicySet) {
            *self.0.write().unwrap_or_else(PoisonError::into_inner) = policies;
        }
    }

    /// What a gate is made of.
    pub struct GateParts {
        /// Where everything is kept.
        pub store: Arc<dyn Store>,
        /// The time.
        pub clock: Arc<dyn Clock>,
        /// Randomness for ids and keys.
        pub entropy: Arc<dyn Entropy>,
        /// The policy in force.
        pub policy: Arc<PolicyShelf>,
        /// What accounts are worth.
        pub directory: Arc<dyn Directory>,
        /// Who is on call, where that is kept outside the policy.
        pub on_call: Arc<dyn OnCall>,
        /// Where cards are shown.
        pub surfaces: Vec<Arc<dyn Surface>>,
        /// What hides secrets, for every sink.
        pub redactor: Arc<Redactor>,
        /// What signs grants; none where no executor outside may claim.
        pub signer: Option<GrantSigner>,
        /// What is known of tools' arguments.
        pub schemas: Arc<dyn Schemas>,
        /// Hints after commits; the same as the store's.
        pub wakes: Arc<Wakes>,
        /// The rest.
        pub settings: GateSettings,
    }

    /// Settings of a gate.
    #[derive(Debug, Clone)]
    pub struct GateSettings {
        /// How long a heartbeat carries.
        pub lease: Ttl,
        /// Where cards go when the policy names no place.
        pub default_places: Vec<Place>,
        /// Whether people can decide without a card, over the API, where the policy names somebody who has a credential.
        pub decide_over_api: bool,
        /// The surfaces that operators are told on, each for the tenant that it serves; a tenant without one leaves alarms to
        /// log, gauge and trace.
        pub operators_surfaces: Vec<SurfaceName>,
    }

    impl Default for GateSettings {
        fn default() -> Self {
            Self {
                lease: Ttl::from_secs(60),
                default_places: Vec::new(),
                decide_over_api: false,
                operators_surfaces: Vec::new(),
            }
        }
    }

    /// The gate. Cheap to clone.
    #[derive(Clone)]
    pub struct Gate {
        pub(super) parts: Arc<GateParts>,
        strangers: Arc<Mutex<HashMap<String, Timestamp>>>,
    }

    /// What became of a delivery.
    #[derive(Debug, Clone)]
    pub enum Received {
        /// It was decided in the commit that kept it.
        Decided(Result<Change, Refusal>),
        /// It is kept, and the worker decides as soon as the facts are there.
        Kept,
        /// There is no such request, and nothing was kept.
        NoSuchRequest,
    }

    impl Gate {
        /// A gate of these parts.
        #[must_use]
        pub fn new(parts: GateParts) -> Self {
            Self { parts: Arc::new(parts), strangers: Arc::default() }
        }

        /// The store, for reading.
        #[must_use]
        pub fn store(&self) -> &Arc<dyn Store> {
            &self.parts.store
        }

        /// The clock.
        #[must_use]
        pub fn clock(&self) -> &Arc<dyn Clock> {
            &self.parts.clock
        }

        /// The randomness.
        #[must_use]
        pub fn entropy(&self) -> &Arc<dyn Entropy> {
            &self.parts.entropy
        }

        /// The policy of a tenant.
        #[must_use]
        pub fn policy_of(&self, tenant: &TenantId) -> Arc<Policy> {
            self.parts.policy.of(tenant)
        }

        /// All policies in force.
        #[must_use]
        pub fn policies(&self) -> PolicySet {
            self.parts.policy.now()
        }

        /// The wake-ups.
        #[must_use]
        pub fn wakes(&self) -> &Arc<Wakes> {
            &self.parts.wakes
        }

        /// What hides secrets.
        #[must_use]
        pub fn redactor(&self) -> &Arc<Redactor> {
            &self.parts.redactor
        }

        /// The public key that grants verify with, and the epoch; none where no grants are given.
        #[must_use]
        pub fn grant_key(&self) -> Option<([u8; 32], String)> {
            self.parts.signer.as_ref().map(|signer| (signer.verifying_key(), signer.epoch().to_owned()))
        }

        /// A request's card as it stands.
        #[must_use]
        pub fn view(&self, approval: &Approval) -> CardView {
            CardView::of(approval, &self.parts.redactor)
        }

        /// A request.
        ///
        /// # Errors
        /// [`StoreError::NotFound`] also for another tenant's.
        pub async fn load(&self, tenant: &TenantId, id: RequestId) -> Result<Approval, StoreError> {
            self.parts.store.load(tenant, id).await
        }

        /// Takes a verified delivery: durable when this returns. Where the facts are at hand it is decided in the
        /// same commit, else the worker decides.
        ///
        /// # Errors
        /// [`StoreError`] if nothing could be kept: the surface must deliver again.
        pub async fn receive(&self, inbound: Inbound) -> Result<Received, StoreError> {
            let approval = match self.parts.store.load(&inbound.tenant, inbound.request).await {
                Ok(approval) => approval,
                Err(StoreError::NotFound) => return Ok(Received::NoSuchRequest),
                Err(fault) => return Err(fault),
            };
            let command = inbound.act.command();
            if let Some(facts) = self.facts_at_hand(&approval, &command) {
                let committed = self.parts.store.execute(Order::of(inbound.clone(), facts)).await?;
                if !matches!(committed.result, Err(Refusal::FactsStale)) {
                    return Ok(Received::Decided(committed.result));
                }
            } else {
                self.parts.store.deliver(inbound).await?;
            }
            self.parts.wakes.work();
            Ok(Received::Kept)
        }

        /// Runs a command with fresh facts, fetching them again should they grow old on the way.
        ///
        /// # Errors
        /// [`StoreError`].
        pub async fn command(
            &self,
            tenant: &TenantId,
            id: RequestId,
            command: Command,
        ) -> Result<(Approval, Result<Change, Refusal>), StoreError> {
            let command_id = CommandId::mint(self.parts.clock.now(), &*self.parts.entropy);
            let mut order = Order::new(tenant.clone(), id, command, Facts::none(self.parts.clock.now()));
            order.command_id = Some(command_id);
            self.order(order).await
        }

        /// Runs an order with fresh facts. An answer lost at the commit is asked for again by the command's id.
        pub(super) async fn order(
            &self,
            mut order: Order,
        ) -> Result<(Approval, Result<Change, Refusal>), StoreError> {
            for attempt in 1.. {
                let approval = self.parts.store.load(&order.tenant, order.id).await?;
                let policy = self.policy_of(&order.tenant);
                order.facts = self.facts(&approval, &order.command).await;
                // What was read meanwhile must not be judged by a policy that is no longer in force.
                if !self.is_in_force(&order.tenant, &policy) && attempt < FACTS_TRIES {
                    continue;
                }
                match self.parts.store.execute(order.clone()).await {
                    Ok(committed)
                        if matches!(committed.result, Err(Refusal::FactsStale)) && attempt < FACTS_TRIES => {}
                    Ok(committed) => return Ok((committed.approval, committed.result)),
                    Err(StoreError::Unknown(_)) if order.command_id.is_some() && attempt < FACTS_TRIES => {}
                    Err(fault) => return Err(fault),
                }
            }
            Err(StoreError::Unavailable("the facts kept growing old".to_owned()))
        }

        /// A vote by somebody who waits for the answer: over the API, or at the terminal.
        ///
        /// # Errors
        /// [`StoreError`].
        pub async fn vote(
            &self,
            tenant: &TenantId,
            id: RequestId,
            ballot: Ballot,
        ) -> Result<(Approval, Result<Change, Refusal>), StoreError> {
            self.command(tenant, id, Command::Vote(ballot)).await
        }

        /// Takes a request back, or asks a running call to stop.
        ///
        /// # Errors
        /// [`StoreError`].
        pub async fn revoke(
            &self,
            tenant: &TenantId,
            id: RequestId,
            by: Actor,
            reason: Option<String>,
        ) -> Result<(Approval, Result<Change, Refusal>), StoreError> {
            self.command(tenant, id, Command::Revoke { by, reason }).await
        }

        /// Its proposer no longer wants it. Another agent's request is no request to it; whichever of its credentials an
        /// agent comes with, a new one after a rotation too, it is the same agent.
        ///
        /// # Errors
        /// [`StoreError`].
        pub async fn withdraw(
            &self,
            (tenant, id): (&TenantId, RequestId),
            agent: &AgentId,
            by: Actor,
        ) -> Result<(Approval, Result<Change, Refusal>), StoreError> {
            let approval = self.parts.store.load(tenant, id).await?;
            if *agent != approval.proposal.call.agent {
                return Err(StoreError::NotFound);
            }
            self.command(tenant, id, Command::Withdraw { by }).await
        }

        /// Its proposer answers a question that people asked about it. Another agent's request is no request to it.
        ///
        /// # Errors
        /// [`StoreError`].
        pub async fn answer(
            &self,
            (tenant, id): (&TenantId, RequestId),
            agent: &AgentId,
            (by, question, text): (Actor, Option<u32>, String),
        ) -> Result<(Approval, Result<Change, Refusal>), StoreError> {
            let approval = self.parts.store.load(tenant, id).await?;
            if *agent != approval.proposal.call.agent {
                return Err(StoreError::NotFound);
            }
            self.command(tenant, id, Command::Answer { by, question, text }).await
        }

        /// Says how an unknown outcome ended.
        ///
        /// # Errors
        /// [`StoreError`].
        pub async fn settle(
            &self,
            (tenant, id): (&TenantId, RequestId),
            by: Actor,
            outcome: Outcome,
            reason: String,
        ) -> Result<(Approval, Result<Change, Refusal>), StoreError> {
            self.command(tenant, id, Command::Settle { by, outcome, reason }).await
        }

        /// Waits until the request is as wished, or `until`; gives it as it stands then. Woken by a decision here,
        /// and by reading again where the decision was taken elsewhere.
        ///
        /// # Errors
        /// [`StoreError`].
        pub async fn wait(
            &self,
            (tenant, id): (&TenantId, RequestId),
            until: Timestamp,
            wished: impl Fn(&Approval) -> bool,
        ) -> Result<Approval, StoreError> {
            loop {
                let changed = self.parts.wakes.request(id);
                let approval = self.parts.store.load(tenant, id).await?;
                let now = self.parts.clock.now();
                if wished(&approval) || now >= until {
                    return Ok(approval);
                }
                let pause = self.parts.clock.sleep_until(until.min(now + REREAD_EVERY));
                match select(changed, pause).await {
                    Either::Left(_) | Either::Right(_) => {}
                }
            }
        }

        /// Notes an attempt on a request that does not exist for who made it: in the caller's own tenant, telling
        /// nothing of another. The same again within a minute is not noted.
        pub async fn note_stranger(&self, tenant: &TenantId, by: Actor, command: &str, presented: &str) {
            let now = self.parts.clock.now();
            let key = format!("{tenant} {by} {command}");
            {
                let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
                if strangers.get(&key).is_some_and(|last| now.since(*last) < STRANGER_COALESCE) {
                    return;
                }
                if strangers.len() >= STRANGERS_MAX {
                    strangers.retain(|_, last| now.since(*last) < STRANGER_COALESCE);
                }
                if strangers.len() >= STRANGERS_MAX {
                    return;
                }
                strangers.insert(key, now);
            }
            let presented = Some(presented.chars().take(64).collect());
            let kind = EventKind::BypassBlocked { by, command: command.to_owned(), refusal: None, presented };
            if let Err(fault) = self.parts.store.note(tenant.clone(), kind).await {
                tracing::error!(error = %fault, "an attempt on an unknown request could not be noted");
            }
        }

        /// The surface of that name.
        pub(super) fn surface(&self, name: &SurfaceName) -> Option<&Arc<dyn Surface>> {
            self.parts.surfaces.iter().find(|surface| surface.name() == name)
        }
    }
}
