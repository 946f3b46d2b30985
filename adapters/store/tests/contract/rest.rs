//! Lists, the record, credentials and runs.

use placet::approval::{Alarm, Approval, Command, Decision, Delivery, Facts, Outcome, OutcomeKind, Status};
use placet::call::{ContentHash, PolicyDigest};
use placet::id::{AgentId, CredentialId, RequestId, RunId, SessionId};
use placet::ports::store::Scope;
use placet::ports::{CredentialRow, EventQuery, RequestQuery, RunRow, StoreError};
use placet::record::{EventKind, Seq};
use placet::time::{Timestamp, Ttl};

use crate::contract;
use crate::fixture::*;

pub(crate) fn credential(desk: &Desk, name: &str) -> CredentialRow {
    CredentialRow {
        id: CredentialId::new(name).unwrap(),
        tenant: acme(),
        agent: AgentId::new("cleaner").unwrap(),
        scopes: vec![Scope::Propose, Scope::Audit],
        may_act_for_others: true,
        secret_hash: ContentHash::of(name.as_bytes()),
        created_at: desk.now(),
        expires_at: Some(desk.now() + Ttl::from_mins(60)),
        revoked_at: None,
    }
}

pub(crate) fn run(desk: &Desk, name: &str) -> RunRow {
    RunRow {
        tenant: acme(),
        session: SessionId::new("s1").unwrap(),
        run: RunId::new(name).unwrap(),
        started_at: desk.now(),
        finished: false,
        body: "{\"step\":1}".to_owned(),
        version: 0,
    }
}

contract! {
    /// R33: newest first, by tenant, state and digest, in pages.
    requests_are_listed_newest_first(desk) {
        let mut opened = Vec::new();
        for n in 0..5 {
            desk.setting.clock.passes(Ttl::from_secs(1));
            opened.push(if n == 2 { desk.opens(desk.harmless("v2")).await } else { desk.opens(desk.risky(&format!("v{n}"), 1)).await });
        }
        let mut foreign = desk.risky("v9", 1);
        foreign.tenant = tenant("globex");
        desk.opens(foreign).await;
        let all = RequestQuery { tenant: Some(acme()), limit: 10, ..RequestQuery::default() };
        let ids = async |query: RequestQuery| -> Vec<RequestId> {
            desk.store.list(query).await.unwrap().into_iter().map(|approval| approval.id).collect()
        };
        let newest: Vec<RequestId> = opened.iter().rev().map(|approval| approval.id).collect();
        assert_eq!(ids(all.clone()).await, newest);
        assert_eq!(ids(RequestQuery { limit: 2, ..all.clone() }).await, newest[..2]);
        assert_eq!(ids(RequestQuery { before: Some(newest[1]), limit: 2, ..all.clone() }).await, newest[2..4]);
        assert_eq!(ids(RequestQuery { statuses: vec![Status::Approved], ..all.clone() }).await, [opened[2].id]);
        let either = vec![Status::Approved, Status::Rejected, Status::WaitingApproval];
        assert_eq!(ids(RequestQuery { statuses: either, ..all.clone() }).await, newest);
        assert_eq!(ids(RequestQuery { digest: Some(opened[3].digest), ..all.clone() }).await, [opened[3].id]);
        let waiting = RequestQuery { statuses: vec![Status::WaitingApproval], soonest: true, ..all.clone() };
        let longest = [0, 1, 3, 4].map(|n: usize| opened[n].id);
        assert_eq!(ids(waiting.clone()).await, longest, "what is due first, for all have the same time to decide");
        assert_eq!(ids(RequestQuery { limit: 2, ..waiting }).await, longest[..2]);
        assert_eq!(ids(RequestQuery { tenant: None, ..all }).await.len(), 6);
    }

    /// A code names what is open; after that, the newest that had it.
    a_code_names_what_is_open(desk) {
        let approval = desk.asks("v42", 1).await;
        let by_code = RequestQuery { tenant: Some(acme()), code: Some(approval.code.clone()), limit: 1, ..RequestQuery::default() };
        assert_eq!(desk.store.list(by_code.clone()).await.unwrap()[0].id, approval.id);
        desk.does(&approval, Command::Withdraw { by: placet::approval::Actor::Placet }, Facts::none(desk.now())).await;
        assert_eq!(desk.store.list(by_code.clone()).await.unwrap()[0].id, approval.id);
        let foreign = RequestQuery { tenant: Some(tenant("globex")), ..by_code };
        assert!(desk.store.list(foreign).await.unwrap().is_empty());
    }

    /// R21: what is due, the longest due first; and when time next has something to do.
    what_is_due_comes_in_order(desk) {
        assert_eq!(desk.store.next_due().await.unwrap(), None);
        let first = desk.posts("v1").await;
        desk.setting.clock.passes(Ttl::from_secs(1));
        let second = desk.posts("v2").await;
        assert_eq!(desk.store.next_due().await.unwrap(), first.due());
        assert!(desk.store.due(desk.now(), 10).await.unwrap().is_empty());
        desk.setting.clock.passes(Ttl::from_mins(3));
        assert_eq!(desk.store.due(desk.now(), 10).await.unwrap(), [(acme(), first.id), (acme(), second.id)]);
        assert_eq!(desk.store.due(desk.now(), 1).await.unwrap(), [(acme(), first.id)]);
        desk.does(&first, Command::Tick, Facts::none(desk.now())).await;
        assert_eq!(desk.store.due(desk.now(), 10).await.unwrap(), [(acme(), second.id)]);
    }

    /// Each state is counted.
    states_are_counted(desk) {
        desk.opens(desk.harmless("v1")).await;
        desk.opens(desk.risky("v2", 1)).await;
        desk.opens(desk.risky("v3", 1)).await;
        let counts = desk.store.counts().await.unwrap();
        assert_eq!(counts.len(), Status::ALL.len());
        let count = |status| counts.iter().find(|(s, _)| *s == status).unwrap().1;
        assert_eq!((count(Status::Approved), count(Status::WaitingApproval), count(Status::Rejected)), (1, 2, 0));
    }

    /// R10, R29, R21: an alarm counts while its request is open or its outcome unknown, and a while after; once each.
    alarms_are_counted(desk) {
        let count = async |desk: &Desk, since: Timestamp| {
            let counts = desk.store.alarms(since).await.unwrap();
            assert_eq!(counts.iter().map(|(alarm, _)| *alarm).collect::<Vec<_>>(), Alarm::ALL);
            (counts[0].1, counts[1].1, counts[2].1)
        };
        let tick = async |approval: &Approval| { desk.does(approval, Command::Tick, Facts::none(desk.now())).await; };
        let start = desk.now();
        assert_eq!(count(&desk, start).await, (0, 0, 0));
        // Nobody answers, and no card gets through.
        let waits = desk.opens(desk.risky("v1", 1)).await;
        desk.setting.clock.passes(Ttl::from_mins(4));
        tick(&waits).await;
        assert_eq!(count(&desk, start).await, (1, 0, 0));
        let failure = Some("not in the channel".to_owned());
        desk.does(&waits, Command::Deliver(Delivery { surface: slack(), failure }), Facts::none(desk.now())).await;
        assert_eq!(count(&desk, start).await, (1, 1, 0));
        desk.setting.clock.passes(Ttl::from_mins(10));
        assert_eq!(count(&desk, desk.now()).await, (1, 1, 0), "open, however old");
        tick(&waits).await;
        let over = desk.now();
        assert_eq!(count(&desk, over).await, (1, 1, 0), "over, and not gone before anybody could see it");
        assert_eq!(count(&desk, over + Ttl::from_millis(1)).await, (0, 0, 0));
        // Nobody knows how it ended, until somebody says so.
        let runs = desk.opens(desk.harmless("v2")).await;
        desk.does(&runs, Command::Claim(desk.claim(&runs)), Facts::none(desk.now())).await;
        desk.setting.clock.passes(Ttl::from_mins(2));
        tick(&runs).await;
        let later = desk.now() + Ttl::from_mins(600);
        assert_eq!(count(&desk, later).await, (0, 0, 1), "unknown, however old");
        let outcome = Outcome { kind: OutcomeKind::Failed, result: None, error: None, duration_ms: None };
        let by = placet::approval::Actor::Placet;
        let settle = Command::Settle { by, outcome, reason: "looked it up".to_owned() };
        desk.does(&runs, settle, Facts::none(desk.now())).await;
        assert_eq!(count(&desk, start).await, (1, 1, 0), "settled");
        let stored = desk.store.load(&acme(), runs.id).await.unwrap();
        assert_eq!(stored.alarms, [Alarm::OutcomeUnknown], "the request remembers that it was raised");
    }

    /// R35: by tenant, request, type and cursor; each text is back as it was.
    the_record_is_read_in_order(desk) {
        desk.store.note(acme(), EventKind::PolicyLoaded { label: "1".to_owned(), digest: PolicyDigest::of(b"p"), by: None, changes: Vec::new(), tenant_text: None, text: "people = \"é\\u0000\u{202e}\"".to_owned() }).await.unwrap();
        let approval = desk.asks("v42", 1).await;
        let facts = facts(&desk, &["alice"]);
        desk.does(&approval, Command::Vote(ballot("alice", Decision::Approve)), facts).await;
        let mut foreign = desk.harmless("v9");
        foreign.tenant = tenant("globex");
        desk.opens(foreign).await;
        let query = EventQuery { tenant: Some(acme()), request: None, after: Seq(0), types: vec![], limit: 100 };
        let all = desk.store.events(query.clone()).await.unwrap();
        assert_eq!(all[0].0, Seq(1));
        assert!(matches!(&all[0].1.kind, EventKind::PolicyLoaded { text, .. } if text.contains('\u{202e}')));
        assert!(all.iter().all(|(_, event)| event.tenant == acme()));
        let types = vec!["approval.decided", "policy.loaded"];
        let some = desk.store.events(EventQuery { types, ..query.clone() }).await.unwrap();
        assert_eq!(some.iter().map(|(_, event)| event.kind.name()).collect::<Vec<_>>(), ["policy.loaded", "approval.decided"]);
        let page = desk.store.events(EventQuery { after: all[1].0, limit: 2, ..query }).await.unwrap();
        assert_eq!(page, all[2..4]);
        desk.must_rebuild(&approval).await;
    }

    /// R47: kept as hashes, listed, revoked, and each change noted.
    credentials_are_kept_and_revoked(desk) {
        let row = credential(&desk, "agent-key");
        desk.store.add_credential(row.clone()).await.unwrap();
        assert_eq!(desk.store.credential(row.secret_hash).await.unwrap(), Some(row.clone()));
        assert_eq!(desk.store.credential(ContentHash::of(b"other")).await.unwrap(), None);
        let mut twin = credential(&desk, "agent-key");
        twin.secret_hash = ContentHash::of(b"twin");
        assert!(desk.store.add_credential(twin).await.is_err(), "a name is one credential's");
        let mut elsewhere = credential(&desk, "agent-key");
        (elsewhere.tenant, elsewhere.secret_hash) = (tenant("globex"), ContentHash::of(b"elsewhere"));
        assert!(desk.store.add_credential(elsewhere).await.is_err(), "in whichever tenant: it is one account");
        let mut thief = credential(&desk, "thief");
        thief.secret_hash = row.secret_hash;
        assert!(desk.store.add_credential(thief).await.is_err(), "a secret is one credential's");
        assert!(!desk.store.revoke_credential(&tenant("globex"), &row.id).await.unwrap());
        desk.setting.clock.passes(Ttl::from_secs(5));
        assert!(desk.store.revoke_credential(&acme(), &row.id).await.unwrap());
        let revoked = desk.store.credential(row.secret_hash).await.unwrap().unwrap();
        assert_eq!(revoked.revoked_at, Some(desk.now()));
        desk.setting.clock.passes(Ttl::from_secs(5));
        assert!(desk.store.revoke_credential(&acme(), &row.id).await.unwrap());
        assert_eq!(desk.store.credentials(Some(&acme())).await.unwrap(), std::slice::from_ref(&revoked), "revoked when it was");
        assert!(desk.store.credentials(Some(&tenant("globex"))).await.unwrap().is_empty());
        assert_eq!(desk.store.credentials(None).await.unwrap(), [revoked]);
        let record: Vec<_> = desk.record().await.into_iter().map(|(_, event)| event.kind.name()).collect();
        assert_eq!(record, ["credential.created", "credential.revoked"]);
    }

    /// R11: a run is saved with its events, or not at all where somebody else was faster.
    a_run_is_saved_with_its_events(desk) {
        let events = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let mut row = run(&desk, "r1");
        assert_eq!(desk.store.load_run(&acme(), &row.run).await, Err(StoreError::NotFound));
        desk.store.save_run(row.clone(), events(&["{\"a\":1}", "{\"a\":2}"])).await.unwrap();
        assert_eq!(desk.store.save_run(row.clone(), events(&["lost"])).await, Err(StoreError::RunMoved));
        row.version = 1;
        assert_eq!(desk.store.load_run(&acme(), &row.run).await.unwrap(), row);
        row.body = "{\"step\":2}".to_owned();
        desk.store.save_run(row.clone(), events(&["{\"a\":3}"])).await.unwrap();
        assert_eq!(desk.store.save_run(row.clone(), events(&["lost"])).await, Err(StoreError::RunMoved));
        let told = desk.store.session_events(&acme(), &row.session, 0, 10).await.unwrap();
        assert_eq!(told.iter().map(|event| event.number).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(told[2].json, "{\"a\":3}");
        assert_eq!(desk.store.session_events(&acme(), &row.session, 1, 1).await.unwrap(), told[1..2]);
        assert!(desk.store.session_events(&tenant("globex"), &row.session, 0, 10).await.unwrap().is_empty());
        desk.setting.clock.passes(Ttl::from_secs(1));
        let next = run(&desk, "r2");
        desk.store.save_run(next.clone(), Vec::new()).await.unwrap();
        assert_eq!(desk.store.last_run(&acme(), &row.session).await.unwrap().unwrap().run, next.run);
        assert_eq!(desk.store.unfinished_runs().await.unwrap().len(), 2);
        row.version = 2;
        row.finished = true;
        desk.store.save_run(row, Vec::new()).await.unwrap();
        assert_eq!(desk.store.unfinished_runs().await.unwrap()[0].run, next.run);
    }
}
