//! Requests in each state, as cards show them: what the renderers of all surfaces are tested with.
//!
//! They are the same in every run: times and ids are fixed.
#![expect(
    clippy::unwrap_used,
    reason = "what is built here is constant, and wrong only while somebody changes it"
)]
#![expect(missing_docs, reason = "the names say it; this is a part of tests and published nowhere")]

pub mod calls;
pub mod special;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use placet::approval::state::{Approved, Executed, Executing, Expired, Rejected, Revoked, Stop, Waiting};
use placet::approval::{
    Actor, Approval, ApprovedBy, Assurance, Before, Claim, Decision, Edited, Evidence, ExpiredHow, Follows,
    Outcome, OutcomeKind, Proposal, RejectedBy, Requester, RevokedWhy, State, Vote,
};
use placet::call::{CanonicalArgs, ContentHash, PolicyDigest, ToolCall};
use placet::card::{CardView, Redactor};
use placet::id::{
    AgentId, AttemptId, ClaimId, CredentialId, Entropy, PersonId, RequestId, Role, ShortCode, SurfaceName,
    TenantId, ToolName,
};
use placet::person::Identity;
use placet::policy::{Figure, FigureName, Group, Level, PolicyVersion, RuleHit, Stage, Terms, Tier, Verdict};
use placet::time::{Timestamp, Ttl};
use serde_json::{Value, json};

/// What an agent writes that would like to be more than text: mentions, links, dates, markup, and what does not show.
pub const HOSTILE: &str = "<!channel> <@U0EVIL> <!subteam^S1|all> <#C1> <https://evil.example|Approve> \
    https://evil.example [ok](https://evil.example) `x` ```y``` *b* _i_ ~s~ :white_check_mark: &lt;!here&gt; \
    <!date^1^{date}|now> zero\u{200b}width\u{feff} \u{202e}txt.exe\u{202c} pаypal \u{e000}1800000000\u{e001} \
    Approve\n> quoted\n• All arguments";

pub struct Fixed(pub u8);

impl Entropy for Fixed {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0);
    }
}

/// Other bytes each time, the same in each run.
#[derive(Default)]
pub struct Counting(std::sync::atomic::AtomicU64);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_be_bytes();
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = count[place % count.len()].wrapping_add(place as u8);
        }
    }
}

pub fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_793_520_000 + secs)
}

pub fn slack() -> SurfaceName {
    SurfaceName::new("slack").unwrap()
}

pub fn tenant() -> TenantId {
    TenantId::new("acme").unwrap()
}

pub fn attempt(number: u8) -> AttemptId {
    AttemptId::mint(at(0), &Fixed(number))
}

pub fn proposal(args: &Value) -> Proposal {
    Proposal {
        call: ToolCall {
            agent: AgentId::new("cleaner").unwrap(),
            server: None,
            tool: ToolName::new("delete_file").unwrap(),
            tool_schema_hash: None,
            args: CanonicalArgs::parse(args.to_string().as_bytes()).unwrap(),
            preconditions: BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("agent-1").unwrap(),
            identities: vec![Identity::credential("agent-1").unwrap()],
            shown_as: "Ana".into(),
        },
        run: None,
        session: None,
        task: "clean up old files in the project".into(),
        reason: "Nobody has opened it for three months.".into(),
        evidence: vec![Evidence {
            id: "e1".into(),
            title: "list of demo-notes".into(),
            uri: Some("file:///data/demo-notes".into()),
            excerpt: Some("scratch.txt  1.2 KB".into()),
        }],
        preview: None,
        if_denied: Some("I write a note of what I would have deleted.".into()),
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    }
}

pub fn terms() -> Terms {
    Terms {
        stages: vec![Stage { groups: vec![Group { role: Role::new("admin").unwrap(), count: 2 }] }],
        decide_within: Ttl::from_mins(30),
        valid_for: Ttl::from_mins(10),
        alarm_after: Ttl::from_mins(10),
        requester_may_approve: false,
        reason_for_yes: false,
        reason_for_no: false,
        denials_to_reject: 1,
        partial_view_may_approve: false,
        approve_on_timeout: false,
        places: Vec::new(),
        ..Terms::one_of(Role::new("admin").unwrap())
    }
}

pub fn verdict(terms: Terms) -> Verdict {
    Verdict {
        tier: Tier::Approve,
        level: Level::Critical,
        rules: vec![RuleHit::new("deletes", "Deleting cannot be undone.")],
        policy: PolicyVersion { label: "test".into(), digest: PolicyDigest::of(b"") },
        terms: Some(terms),
        title: Some("Delete {path}".into()),
        effect: Some("1 file. Cannot be undone.".into()),
        leading_args: vec!["path".into()],
        figures: Vec::new(),
        always_ask: false,
        remember: None,
        shadow: None,
        confidential: None,
        circumstances: None,
    }
}

/// A request that waits.
pub fn waiting_for(proposal: Proposal, terms: Terms) -> Approval {
    let id = RequestId::mint(at(0), &Fixed(7));
    let opened = Approval::propose(id, &tenant(), ShortCode::of(id, 0), Arc::new(proposal), at(0));
    let (mut approval, _) = opened.into_parts();
    approval.verdict = Some(Arc::new(verdict(terms)));
    approval.state = State::WaitingApproval(Waiting {
        gathers_until: None,
        since: at(0),
        until: at(1_800),
        alarm_at: at(600),
        questions: Vec::new(),
        looking: Vec::new(),
        reminders: 0,
    });
    approval
}

pub fn waiting() -> Approval {
    waiting_for(proposal(&json!({ "path": "demo-notes/scratch.txt" })), terms())
}

pub fn vote(approval: &Approval, name: &str, decision: Decision, note: Option<&str>) -> Vote {
    Vote {
        identity: Identity::slack("T1", &format!("U{}", name.to_uppercase())).unwrap(),
        person: PersonId::new(name).unwrap(),
        name: name.to_owned(),
        decision,
        note: note.map(str::to_owned),
        at: at(60),
        stage: 0,
        surface: slack(),
        assurance: Assurance::Signed,
        shown: None,
        digest: approval.digest,
        remember: false,
        covers: 0,
        stands_in_for: Vec::new(),
        roles: BTreeSet::from([Role::new("admin").unwrap()]),
        given_on: None,
        sign: None,
    }
}

fn claim() -> Claim {
    Claim {
        id: ClaimId::mint(at(0), &Fixed(9)),
        key_hash: ContentHash::of(b""),
        executor: Actor::Placet,
        at: at(70),
        lease: Ttl::from_secs(60),
        lease_until: at(130),
    }
}

fn executed(kind: OutcomeKind, error: Option<&str>) -> State {
    State::Executed(Executed {
        by: ApprovedBy::Votes,
        claim: claim(),
        outcome: Outcome { kind, result: None, error: error.map(str::to_owned), duration_ms: Some(200) },
        at: at(80),
        late: false,
        settled_by: None,
        settlement: None,
    })
}

/// A request in every state in which people see it, and the ways to be there.
pub fn in_every_state() -> Vec<(&'static str, Approval)> {
    let with = |state: State, votes: &[(&str, Decision, Option<&str>)]| {
        let mut approval = waiting();
        approval.votes =
            votes.iter().map(|(name, decision, note)| vote(&approval, name, *decision, *note)).collect();
        approval.state = state;
        approval
    };
    let still = waiting().state;
    let yes = [("Bo", Decision::Approve, Some("temporary, can go")), ("Chen", Decision::Approve, None)];
    let no = [("Bo", Decision::Deny, Some("not during the freeze"))];
    let by = Actor::Account(Identity::slack("T1", "USAM").unwrap());
    let revoked = |why: RevokedWhy| {
        State::Revoked(Revoked {
            why,
            by: by.clone(),
            name: Some("Sam".into()),
            reason: Some("wrong cluster".into()),
            at: at(90),
        })
    };
    let rejected = |by: RejectedBy| State::Rejected(Rejected { by, at: at(90) });
    let expired = |how: ExpiredHow| State::Expired(Expired { how, at: at(1_800) });
    let stop = Stop { by: by.clone(), reason: None, at: at(75) };
    let rule = RuleHit::new("freeze", "Nothing is deleted this week.");
    vec![
        ("checking", with(State::PolicyChecking, &[])),
        ("waiting", with(still.clone(), &[])),
        ("waiting_one_yes", with(still, &yes[..1])),
        (
            "approved",
            with(State::Approved(Approved { by: ApprovedBy::Votes, at: at(60), until: at(660) }), &yes),
        ),
        (
            "approved_unasked",
            with(State::Approved(Approved { by: ApprovedBy::Policy, at: at(60), until: at(660) }), &[]),
        ),
        ("denied", with(rejected(RejectedBy::Votes { reason: None }), &no)),
        ("forbidden", with(rejected(RejectedBy::Policy { because: "Never on Fridays.".into() }), &[])),
        (
            "could_not_ask",
            with(rejected(RejectedBy::NoApprover { why: "no approver configured".into() }), &[]),
        ),
        (
            "running",
            with(State::Executing(Executing { by: ApprovedBy::Votes, claim: claim(), stop: None }), &yes),
        ),
        (
            "stopping",
            with(
                State::Executing(Executing { by: ApprovedBy::Votes, claim: claim(), stop: Some(stop) }),
                &yes,
            ),
        ),
        ("succeeded", with(executed(OutcomeKind::Succeeded, None), &yes)),
        ("failed", with(executed(OutcomeKind::Failed, Some("no such file")), &yes)),
        ("unknown", with(executed(OutcomeKind::Unknown, None), &yes)),
        ("unanswered", with(expired(ExpiredHow::Unanswered), &[])),
        ("unasked", with(expired(ExpiredHow::Unasked), &[])),
        ("unused", with(expired(ExpiredHow::Unused), &yes)),
        ("withdrawn", with(revoked(RevokedWhy::Withdrawn), &[])),
        ("revoked", with(revoked(RevokedWhy::Revoked), &yes)),
        ("superseded", with(revoked(RevokedWhy::Superseded { by: RequestId::mint(at(0), &Fixed(8)) }), &[])),
        ("rejudged", with(revoked(RevokedWhy::Rejudged { rule }), &yes)),
    ]
}

/// The same text in every field that an agent, a policy author or a voter fills.
pub fn everywhere(text: &str) -> Approval {
    let text = if text.is_empty() { " " } else { text };
    let mut proposal = proposal(&json!({ "path": text, text: text, "nested": { text: [text, 1, null] } }));
    proposal.requester.shown_as = text.into();
    proposal.task = text.into();
    proposal.reason = text.into();
    proposal.preview = Some(text.into());
    proposal.if_denied = Some(text.into());
    proposal.evidence = (0..5)
        .map(|number| Evidence {
            id: number.to_string(),
            title: text.into(),
            uri: Some(text.into()),
            excerpt: Some(text.into()),
        })
        .collect();
    proposal.follows = Some(Follows {
        request: waiting().id,
        how: Before::Denied { reason: Some(text.into()), by: vec![text.into()], at: Some(at(0)) },
    });
    proposal.edited = Some(Edited {
        request: waiting().id,
        by: Identity::slack("T1", "UBO").unwrap(),
        name: text.into(),
        before: CanonicalArgs::from_value(&json!({ "path": format!("{text} before") })).unwrap(),
        earlier: Vec::new(),
        confidential: None,
    });
    let mut approval = waiting_for(proposal, terms());
    approval.votes = vec![vote(&approval, "Bo", Decision::Approve, Some(text))];
    let mut verdict = verdict(terms());
    verdict.title = None;
    verdict.effect = Some(text.into());
    verdict.rules =
        (0..4).map(|_| RuleHit { error: Some(text.into()), ..RuleHit::new(text, text) }).collect();
    verdict.figures = [FigureName::Amount, FigureName::Environment, FigureName::Reach]
        .map(|name| Figure { name, value: text.into() })
        .into();
    approval.verdict = Some(Arc::new(verdict));
    approval
}

pub fn view(approval: &Approval) -> CardView {
    CardView::of(approval, &Redactor::new())
}

/// What the same request looks like once it is denied, expired, failed and revoked, with the same text everywhere.
pub fn ended(approval: &Approval, text: &str) -> Vec<Approval> {
    let states = [
        State::Rejected(Rejected { by: RejectedBy::Policy { because: text.into() }, at: at(9) }),
        State::Rejected(Rejected { by: RejectedBy::Votes { reason: Some(text.into()) }, at: at(9) }),
        State::Expired(Expired { how: ExpiredHow::Unanswered, at: at(9) }),
        executed(OutcomeKind::Failed, Some(text)),
        State::Revoked(Revoked {
            why: RevokedWhy::Rejudged { rule: RuleHit::new(text, text) },
            by: Actor::Placet,
            name: Some(text.into()),
            reason: Some(text.into()),
            at: at(9),
        }),
    ];
    states.into_iter().map(|state| Approval { state, ..approval.clone() }).collect()
}
