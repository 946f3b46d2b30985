//! People, calls, policies, a clock moved by hand and seeded chance.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use placet::approval::{
    Actor, Alone, Approval, Assurance, Ballot, Change, ClaimOrder, Command, Committed, Decision, Facts,
    Guards, Opened, Opening, Order, Outcome, OutcomeKind, Proposal, Refusal, Rendering, Report, Requester,
    RunStep,
};
use placet::call::{CanonicalArgs, PolicyDigest, ShownDigest, ToolCall};
use placet::id::{
    AgentId, ClaimId, CommandId, CredentialId, DeliveryKey, IdempotencyKey, PersonId, RequestId, Role, RunId,
    StepId, SurfaceName, TenantId, ToolName,
};
use placet::inbound::{Act, Inbound, Located, MessageRef, ReplyTo};
use placet::person::{Electorate, Identity, Member, NoStanding, Standing};
use placet::policy::{
    EscalationStep, Fatigue, Group, Level, Place, PolicyVersion, RuleHit, Stage, Terms, Tier, Verdict,
};
use placet::ports::{Clock, Entropy, EventQuery, HoldQuery, Store, StoreError};
use placet::record::{Event, Seq};
use placet::time::{Timestamp, Ttl};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::engine::Setting;

/// A clock moved by hand.
pub(crate) struct HandClock(AtomicI64);

impl HandClock {
    pub(crate) fn new() -> Self {
        Self(AtomicI64::new(1_780_000_000_000))
    }

    pub(crate) fn passes(&self, span: Ttl) {
        self.0.fetch_add(span.as_millis() as i64, Ordering::SeqCst);
    }

    pub(crate) fn is_set_back(&self, span: Ttl) {
        self.0.fetch_sub(span.as_millis() as i64, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    async fn sleep_until(&self, _at: Timestamp) {}
}

/// Seeded chance.
pub(crate) struct Chance(Mutex<ChaCha8Rng>);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(ChaCha8Rng::seed_from_u64(seed)))
    }
}

impl Entropy for Chance {
    fn fill(&self, bytes: &mut [u8]) {
        self.0.lock().unwrap().fill_bytes(bytes);
    }
}

/// A store with everything that a test needs to talk to it.
pub(crate) struct Desk {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) setting: Setting,
}

pub(crate) fn tenant(name: &str) -> TenantId {
    TenantId::new(name).unwrap()
}

pub(crate) fn acme() -> TenantId {
    tenant("acme")
}

pub(crate) fn slack() -> SurfaceName {
    SurfaceName::new("slack").unwrap()
}

pub(crate) fn account(name: &str) -> Identity {
    format!("slack:T1/{name}").parse().unwrap()
}

pub(crate) fn ops() -> Place {
    Place { surface: slack(), channel: "C-ops".to_owned(), thread: None }
}

pub(crate) fn elsewhere() -> Place {
    Place { surface: slack(), channel: "C-elsewhere".to_owned(), thread: Some("171.5".to_owned()) }
}

pub(crate) fn shown() -> ShownDigest {
    ShownDigest::of(b"the whole of it")
}

pub(crate) fn proposal(tag: &str) -> Arc<Proposal> {
    Arc::new(Proposal {
        call: ToolCall {
            agent: AgentId::new("cleaner").unwrap(),
            server: None,
            tool: ToolName::new("deploy").unwrap(),
            tool_schema_hash: None,
            args: CanonicalArgs::parse(format!(r#"{{"app":"api","tag":"{tag}"}}"#).as_bytes()).unwrap(),
            preconditions: BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("agent-key").unwrap(),
            identities: vec![account("requester")],
            shown_as: "the cleaner".to_owned(),
        },
        run: Some(RunStep { run: RunId::new("run-1").unwrap(), step: StepId::new("step-1").unwrap() }),
        session: None,
        task: "release".to_owned(),
        reason: "because it is ready".to_owned(),
        evidence: Vec::new(),
        preview: None,
        if_denied: None,
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    })
}

pub(crate) fn terms(count: u32, places: Vec<Place>) -> Terms {
    Terms {
        stages: vec![Stage { groups: vec![Group { role: Role::new("releaser").unwrap(), count }] }],
        decide_within: Ttl::from_mins(10),
        valid_for: Ttl::from_mins(5),
        alarm_after: Ttl::from_mins(3),
        requester_may_approve: false,
        reason_for_yes: false,
        reason_for_no: false,
        denials_to_reject: 1,
        partial_view_may_approve: false,
        approve_on_timeout: false,
        may_edit: true,
        places,
        ..Terms::one_of(Role::new("admin").unwrap())
    }
}

pub(crate) fn verdict(tier: Tier, terms: Option<Terms>) -> Arc<Verdict> {
    Arc::new(Verdict {
        tier,
        level: if tier == Tier::Auto { Level::Low } else { Level::High },
        rules: vec![RuleHit::new("deploys", "a deploy reaches customers")],
        policy: PolicyVersion { label: "1".to_owned(), digest: PolicyDigest::of(b"policy") },
        terms,
        title: None,
        effect: None,
        leading_args: Vec::new(),
        figures: Vec::new(),
        always_ask: false,
        remember: None,
        shadow: None,
        confidential: None,
        circumstances: None,
    })
}

pub(crate) fn member(name: &str, role: &str) -> Standing {
    Standing::Member(Member {
        person: PersonId::new(name).unwrap(),
        name: name.to_owned(),
        roles: BTreeSet::from([Role::new(role).unwrap()]),
        stands_in_for: Vec::new(),
    })
}

/// Facts about these releasers, as of the clock's time; whoever else asks is a stranger.
pub(crate) fn facts(desk: &Desk, releasers: &[&str]) -> Facts {
    let mut standings: BTreeMap<Identity, Standing> =
        releasers.iter().map(|name| (account(name), member(name, "releaser"))).collect();
    standings.insert(account("requester"), member("requester", "developer"));
    standings.insert(account("mallory"), Standing::None(NoStanding::Unknown));
    standings.insert(account("viewer"), member("viewer", "viewer"));
    standings.insert(account("admin"), member("admin", "admin"));
    Facts {
        electorate: Electorate { as_of: desk.now(), standings },
        stewards: vec![Role::new("admin").unwrap()],
        glass_breakers: vec![Role::new("admin").unwrap()],
        ..Facts::none(desk.now())
    }
}

pub(crate) fn ballot(name: &str, decision: Decision) -> Ballot {
    Ballot {
        identity: account(name),
        decision,
        note: None,
        surface: slack(),
        assurance: Assurance::Signed,
        shown: Some(shown()),
        remember: false,
        given_on: None,
        sign: None,
    }
}

/// Every hold there ever was.
pub(crate) const fn every_hold(limit: u32) -> HoldQuery {
    HoldQuery { tenant: None, only_standing: false, before: None, limit }
}

/// Somebody decides alone, having been shown it all.
pub(crate) fn breaks_glass(name: &str) -> Command {
    Command::BreakGlass(Alone {
        identity: account(name),
        reason: "fire".to_owned(),
        surface: slack(),
        assurance: Assurance::Signed,
        shown: Some(shown()),
    })
}

pub(crate) fn message(id: &str) -> MessageRef {
    MessageRef { channel: "C-ops".to_owned(), id: id.to_owned() }
}

pub(crate) const KEY: &str = "a random key of one attempt";

impl Desk {
    pub(crate) fn now(&self) -> Timestamp {
        self.setting.clock.now()
    }

    pub(crate) fn request_id(&self) -> RequestId {
        RequestId::mint(self.now(), &*self.setting.entropy)
    }

    pub(crate) fn command_id(&self) -> CommandId {
        CommandId::mint(self.now(), &*self.setting.entropy)
    }

    pub(crate) fn opening(&self, tag: &str, judgement: Command) -> Opening {
        Opening {
            tenant: acme(),
            id: self.request_id(),
            key: None,
            proposal: proposal(tag),
            judgement,
            claim: None,
            facts: Facts::none(self.now()),
            guards: None,
            replaces: None,
        }
    }

    pub(crate) fn risky(&self, tag: &str, count: u32) -> Opening {
        self.opening(
            tag,
            Command::Require { verdict: verdict(Tier::Approve, Some(terms(count, vec![ops()]))) },
        )
    }

    /// The same, where people are not asked too often: two cards an hour, and calls that differ in nothing share one.
    pub(crate) fn guarded(&self, opening: Opening, cards_per_hour: u32) -> Opening {
        let fatigue = Fatigue { cards_per_hour, ..Fatigue::default() };
        Opening { guards: Some(Guards { fatigue }), ..opening }
    }

    /// One that can wait a little for others on its card.
    pub(crate) fn gathering(&self, tag: &str) -> Opening {
        let terms = Terms { gather: Some(Ttl::from_mins(5)), ..terms(1, vec![ops()]) };
        let opening = self.opening(tag, Command::Require { verdict: verdict(Tier::Approve, Some(terms)) });
        self.guarded(opening, 60)
    }

    /// One about which admins are asked as well, elsewhere, after five minutes.
    pub(crate) fn escalating(&self, tag: &str, count: u32) -> Opening {
        let step = EscalationStep {
            after: Ttl::from_mins(5),
            to: vec![Role::new("admin").unwrap()],
            places: vec![elsewhere()],
        };
        let terms = Terms { escalation: vec![step], ..terms(count, vec![ops()]) };
        self.opening(tag, Command::Require { verdict: verdict(Tier::Approve, Some(terms)) })
    }

    pub(crate) fn harmless(&self, tag: &str) -> Opening {
        self.opening(tag, Command::Allow { verdict: verdict(Tier::Auto, None) })
    }

    pub(crate) async fn opens(&self, opening: Opening) -> Approval {
        match self.store.open(opening).await.unwrap() {
            Opened::New(approval) => approval,
            other => panic!("not new: {other:?}"),
        }
    }

    pub(crate) async fn does(&self, approval: &Approval, command: Command, facts: Facts) -> Committed {
        self.tries(approval, command, facts).await.unwrap()
    }

    pub(crate) async fn tries(
        &self,
        approval: &Approval,
        command: Command,
        facts: Facts,
    ) -> Result<Committed, StoreError> {
        self.store.execute(Order::new(approval.tenant.clone(), approval.id, command, facts)).await
    }

    pub(crate) async fn shows(&self, approval: &Approval) -> Committed {
        let rendering = Rendering { shown: shown(), surface: slack(), full: true, viewer: None, covers: 0 };
        self.does(approval, Command::Show(rendering), Facts::none(self.now())).await
    }

    /// A request that people are asked about, shown in full.
    pub(crate) async fn asks(&self, tag: &str, count: u32) -> Approval {
        let approval = self.opens(self.risky(tag, count)).await;
        self.shows(&approval).await.approval
    }

    pub(crate) fn claim(&self, approval: &Approval) -> ClaimOrder {
        ClaimOrder {
            id: ClaimId::mint(self.now(), &*self.setting.entropy),
            key: KEY.to_owned(),
            executor: Actor::Placet,
            digest: approval.digest,
            lease: Ttl::from_secs(60),
        }
    }

    pub(crate) fn report(&self, claim: ClaimId) -> Command {
        let outcome = Outcome {
            kind: OutcomeKind::Succeeded,
            result: Some("{\"ok\":true}".to_owned()),
            error: None,
            duration_ms: Some(12),
        };
        Command::Finish(Report { claim, key: KEY.to_owned(), outcome })
    }

    pub(crate) fn inbound(&self, approval: &Approval, delivery: &str, act: Act) -> Inbound {
        Inbound {
            delivery: DeliveryKey::new(delivery).unwrap(),
            at: self.now(),
            tenant: approval.tenant.clone(),
            request: approval.id,
            message: None,
            reply: None,
            act,
        }
    }

    pub(crate) fn reply(&self, name: &str) -> ReplyTo {
        ReplyTo { surface: slack(), channel: "C-ops".to_owned(), thread: None, identity: account(name) }
    }

    pub(crate) fn located(&self, id: &str) -> Located {
        Located { surface: slack(), message: message(id) }
    }

    pub(crate) async fn record(&self) -> Vec<(Seq, Event)> {
        let query =
            EventQuery { tenant: None, request: None, after: Seq(0), types: Vec::new(), limit: 10_000 };
        self.store.events(query).await.unwrap()
    }

    pub(crate) async fn record_of(&self, approval: &Approval) -> Vec<Event> {
        let query = EventQuery {
            tenant: Some(approval.tenant.clone()),
            request: Some(approval.id),
            after: Seq(0),
            types: Vec::new(),
            limit: 10_000,
        };
        self.store.events(query).await.unwrap().into_iter().map(|(_, event)| event).collect()
    }

    /// The record alone tells the request, and its numbers have no gap.
    pub(crate) async fn must_rebuild(&self, approval: &Approval) {
        let stored = self.store.load(&approval.tenant, approval.id).await.unwrap();
        let mut rebuilt = Approval::rebuild(&self.record_of(approval).await).unwrap().unwrap();
        rebuilt.version = stored.version;
        assert_eq!(rebuilt, stored);
        let numbers: Vec<u64> = self.record().await.into_iter().map(|(seq, _)| seq.0).collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "gapless, in order");
    }
}

pub(crate) fn key(name: &str) -> (CredentialId, IdempotencyKey) {
    (CredentialId::new("agent-key").unwrap(), IdempotencyKey::new(name).unwrap())
}

pub(crate) fn names(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind.name()).collect()
}

pub(crate) fn changed(committed: &Committed) -> bool {
    committed.result == Ok(Change::Changed)
}

pub(crate) fn refusal(committed: &Committed) -> &Refusal {
    committed.result.as_ref().unwrap_err()
}
