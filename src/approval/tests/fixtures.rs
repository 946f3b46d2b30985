//! Requests in each state, and facts about a few people.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::approval::*;
use crate::call::{CanonicalArgs, PolicyDigest, ToolCall};
use crate::card::{CardView, Redactor};
use crate::id::*;
use crate::person::{Electorate, Identity, Member, Standing};
use crate::policy::{Group, Level, PolicyVersion, RuleHit, Stage, Terms, Tier, Verdict};
use crate::record::Event;
use crate::time::{Timestamp, Ttl};

pub(crate) struct Counter(std::sync::atomic::AtomicU8);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let next = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = next.wrapping_mul(31).wrapping_add(place as u8);
        }
    }
}

pub(crate) fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_800_000_000 + secs)
}

pub(crate) fn tenant() -> TenantId {
    TenantId::new("acme").unwrap()
}

pub(crate) fn role(name: &str) -> Role {
    Role::new(name).unwrap()
}

pub(crate) fn account(name: &str) -> Identity {
    Identity::slack("T1", name).unwrap()
}

pub(crate) fn group(name: &str, count: u32) -> Group {
    Group { role: role(name), count }
}

pub(crate) fn terms(stages: Vec<Vec<Group>>) -> Terms {
    Terms {
        stages: stages.into_iter().map(|groups| Stage { groups }).collect(),
        decide_within: Ttl::from_mins(30),
        valid_for: Ttl::from_mins(10),
        alarm_after: Ttl::from_mins(10),
        requester_may_approve: false,
        reason_for_yes: false,
        reason_for_no: false,
        denials_to_reject: 1,
        partial_view_may_approve: false,
        approve_on_timeout: false,
        places: vec![crate::policy::Place {
            surface: SurfaceName::new("slack").unwrap(),
            channel: "C1".to_owned(),
            thread: None,
        }],
        ..Terms::one_of(crate::id::Role::new("admin").unwrap())
    }
}

pub(crate) fn verdict(tier: Tier, terms: Option<Terms>) -> Arc<Verdict> {
    Arc::new(Verdict {
        tier,
        level: Level::High,
        rules: vec![RuleHit::new("deletes", "Deleting cannot be undone.")],
        policy: PolicyVersion { label: "test".into(), digest: PolicyDigest::of(b"") },
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

pub(crate) fn proposal() -> Arc<Proposal> {
    Arc::new(Proposal {
        call: ToolCall {
            agent: AgentId::new("cleaner").unwrap(),
            server: None,
            tool: ToolName::new("delete_file").unwrap(),
            tool_schema_hash: None,
            args: CanonicalArgs::parse(br#"{"path":"demo-notes/scratch.txt"}"#).unwrap(),
            preconditions: BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("agent-1").unwrap(),
            identities: vec![Identity::credential("agent-1").unwrap(), account("UANA")],
            shown_as: "Ana".into(),
        },
        run: None,
        session: None,
        task: "clean up".into(),
        reason: "it is old".into(),
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

/// Ana asks (and is an admin); Bo, Chen and Dana are admins; Fay is finance and admin; Vic is a viewer; Sam a steward.
pub(crate) fn facts(now: Timestamp) -> Facts {
    let people = [
        ("UANA", "ana", &["admin"][..]),
        ("UBO", "bo", &["admin"]),
        ("UBO2", "bo", &["admin"]),
        ("UCHEN", "chen", &["admin"]),
        ("UDANA", "dana", &["admin"]),
        ("UFAY", "fay", &["finance", "admin"]),
        ("UVIC", "vic", &["viewer"]),
        ("USAM", "sam", &["operator"]),
    ];
    let mut standings: BTreeMap<Identity, Standing> = people
        .into_iter()
        .map(|(user, person, roles)| {
            let member = Member {
                person: PersonId::new(person).unwrap(),
                name: person.to_owned(),
                roles: roles.iter().map(|name| role(name)).collect::<BTreeSet<_>>(),
                stands_in_for: Vec::new(),
            };
            (account(user), Standing::Member(member))
        })
        .collect();
    standings
        .insert(Identity::credential("agent-1").unwrap(), Standing::None(crate::person::NoStanding::Unknown));
    Facts {
        electorate: Electorate { as_of: now, standings },
        stewards: vec![role("operator")],
        glass_breakers: vec![role("operator")],
        ..Facts::none(now)
    }
}

pub(crate) fn slack() -> SurfaceName {
    SurfaceName::new("slack").unwrap()
}

/// A request and its events so far.
#[derive(Debug, Clone)]
pub(crate) struct Life {
    pub(crate) now: Approval,
    pub(crate) events: Vec<Event>,
}

impl Life {
    pub(crate) fn proposed() -> Self {
        let id = RequestId::mint(at(0), &Counter(1.into()));
        let transition = Approval::propose(id, &tenant(), ShortCode::of(id, 0), proposal(), at(0));
        let (now, events) = transition.into_parts();
        Self { now, events }
    }

    /// As they stand after somebody decided alone.
    pub(crate) fn alone() -> Self {
        let life = Self::waiting(terms(vec![vec![group("admin", 2)]]));
        let sam = life.breaks_glass("USAM", "fire");
        life.then(&sam, 60)
    }

    pub(crate) fn checking() -> Self {
        Self::proposed().then(&Command::Check, 0)
    }

    pub(crate) fn waiting(terms: Terms) -> Self {
        let life = Self::checking().then(&Command::judged(verdict(Tier::Approve, Some(terms))), 0);
        let rendering = life.rendering();
        life.then(&Command::Show(rendering), 0)
    }

    pub(crate) fn approved() -> Self {
        let life = Self::waiting(terms(vec![vec![group("admin", 1)]]));
        let yes = life.yes("UBO");
        life.then(&yes, 60)
    }

    pub(crate) fn executing() -> Self {
        let life = Self::approved();
        let claim = life.claim("key");
        life.then(&claim, 70)
    }

    pub(crate) fn executed(kind: OutcomeKind) -> Self {
        let life = Self::executing();
        let report = life.report("key", kind);
        life.then(&report, 80)
    }

    pub(crate) fn rendering(&self) -> Rendering {
        let view = CardView::of(&self.now, &Redactor::default());
        let (shown, covers) = (view.shown(&slack(), true), view.covers);
        Rendering { shown, surface: slack(), full: true, viewer: None, covers }
    }

    pub(crate) fn ballot(&self, user: &str, decision: Decision) -> Ballot {
        Ballot {
            identity: account(user),
            decision,
            note: Some("seen".into()),
            surface: slack(),
            assurance: Assurance::Signed,
            shown: Some(self.rendering().shown),
            remember: false,
            given_on: None,
            sign: None,
        }
    }

    pub(crate) fn yes(&self, user: &str) -> Command {
        Command::Vote(self.ballot(user, Decision::Approve))
    }

    pub(crate) fn breaks_glass(&self, user: &str, reason: &str) -> Command {
        let Ballot { identity, surface, assurance, shown, .. } = self.ballot(user, Decision::Approve);
        Command::BreakGlass(Alone { identity, reason: reason.into(), surface, assurance, shown })
    }

    pub(crate) fn no(&self, user: &str) -> Command {
        Command::Vote(self.ballot(user, Decision::Deny))
    }

    pub(crate) fn claim(&self, key: &str) -> Command {
        Command::Claim(ClaimOrder {
            id: ClaimId::mint(at(0), &Counter(9.into())),
            key: key.into(),
            executor: Actor::Placet,
            digest: self.now.digest,
            lease: Ttl::from_secs(60),
        })
    }

    pub(crate) fn report(&self, key: &str, kind: OutcomeKind) -> Command {
        Command::Finish(Report {
            claim: ClaimId::mint(at(0), &Counter(9.into())),
            key: key.into(),
            outcome: Outcome { kind, result: None, error: None, duration_ms: Some(200) },
        })
    }

    pub(crate) fn try_then(mut self, command: &Command, secs: i64) -> Result<Self, Refusal> {
        let transition = self.now.decide(command, &facts(at(secs)), at(secs))?;
        let (next, events) = transition.into_parts();
        self.now = next;
        self.events.extend(events);
        let mut rebuilt = Approval::rebuild(&self.events).unwrap().unwrap();
        rebuilt.version = self.now.version;
        assert_eq!(rebuilt, self.now, "the trace alone tells the state");
        Ok(self)
    }

    pub(crate) fn then(self, command: &Command, secs: i64) -> Self {
        self.try_then(command, secs)
            .unwrap_or_else(|refusal| panic!("{} was refused: {refusal:?}", command.name()))
    }

    pub(crate) fn refuses(&self, command: &Command, secs: i64) -> Refusal {
        self.clone().try_then(command, secs).map(|life| life.now.status()).unwrap_err()
    }
}
