//! R33: the record by what people look for: each filter, pages that stay exact while requests come, and never a row of
//! another tenant. R52: what ran unasked, counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use placet::approval::{
    Actor, Approval, Command, Decision, Facts, Opening, Outcome, OutcomeKind, Proposal, Status, Unasked,
};
use placet::id::{RequestId, ServerName, ToolName};
use placet::policy::{Level, Tier, Verdict};
use placet::ports::{AuditQuery, UnaskedQuery};
use placet::time::{Timestamp, Ttl};

use crate::contract;
use crate::fixture::*;

fn with(opening: Opening, change: impl FnOnce(&mut Proposal)) -> Opening {
    let mut proposal = Proposal::clone(&opening.proposal);
    change(&mut proposal);
    Opening { proposal: Arc::new(proposal), ..opening }
}

fn of_tool(opening: Opening, server: Option<&str>, tool: &str) -> Opening {
    with(opening, |proposal| {
        proposal.call.server = server.map(|server| ServerName::new(server).unwrap());
        proposal.call.tool = ToolName::new(tool).unwrap();
    })
}

fn all(limit: u32) -> AuditQuery {
    AuditQuery::of(acme(), limit)
}

async fn codes(desk: &Desk, query: AuditQuery) -> Vec<RequestId> {
    let page = desk.store.audit(query).await.unwrap();
    page.found.into_iter().map(|approval| approval.id).collect()
}

/// Everything, page by page.
async fn walked(desk: &Desk, mut query: AuditQuery) -> Vec<RequestId> {
    let mut seen = Vec::new();
    loop {
        let page = desk.store.audit(query.clone()).await.unwrap();
        assert!(page.found.len() <= query.limit as usize);
        seen.extend(page.found.iter().map(|approval| approval.id));
        let Some(next) = page.next else { return seen };
        query.before = Some(next);
    }
}

async fn runs(desk: &Desk, approval: &Approval, kind: OutcomeKind) {
    let claim = desk.claim(approval);
    let id = claim.id;
    desk.does(approval, Command::Claim(claim), Facts::none(desk.now())).await;
    let Command::Finish(mut report) = desk.report(id) else { panic!() };
    report.outcome = Outcome { kind, ..report.outcome };
    desk.does(approval, Command::Finish(report), Facts::none(desk.now())).await;
}

contract! {
    /// R33: by person. Who asked, voted, took a vote back, revoked, settled or was refused has had to do with it; others have not.
    requests_are_found_by_whoever_had_to_do_with_them(desk) {
        let asked = desk.opens(desk.harmless("a")).await;
        desk.setting.clock.passes(Ttl::from_secs(1));
        let voted = desk.asks("b", 2).await;
        let releasers = facts(&desk, &["alice", "bob"]);
        desk.does(&voted, Command::Vote(ballot("alice", Decision::Approve)), releasers.clone()).await;
        desk.does(&voted, Command::TakeBack { identity: account("alice"), sign: None }, releasers.clone()).await;
        desk.setting.clock.passes(Ttl::from_secs(1));
        let revoked = desk.asks("c", 2).await;
        let by = Actor::Account(account("admin"));
        desk.does(&revoked, Command::Revoke { by, reason: None }, facts(&desk, &[])).await;
        desk.setting.clock.passes(Ttl::from_secs(1));
        let tried = desk.asks("d", 2).await;
        desk.does(&tried, Command::Vote(ballot("mallory", Decision::Approve)), facts(&desk, &[])).await;
        let by = async |names: &[&str]| {
            codes(&desk, AuditQuery { accounts: names.iter().map(|name| account(name)).collect(), ..all(9) }).await
        };
        assert_eq!(by(&["requester"]).await, [tried.id, revoked.id, voted.id, asked.id]);
        assert_eq!(by(&["alice"]).await, [voted.id], "also a vote that was taken back");
        assert_eq!(by(&["admin"]).await, [revoked.id]);
        assert_eq!(by(&["mallory"]).await, [tried.id], "also what was refused");
        assert_eq!(by(&["alice", "admin"]).await, [revoked.id, voted.id], "one person, two accounts");
        assert_eq!(by(&["nobody"]).await, []);
    }

    /// R33: by tool: the full name, the name on any server, a pattern.
    requests_are_found_by_their_tool(desk) {
        let mut ids = BTreeMap::new();
        for (server, tool) in [(None, "deploy"), (Some("mail"), "send"), (Some("sms"), "send"), (None, "send_all")] {
            let opened = desk.opens(of_tool(desk.harmless("t"), server, tool)).await;
            ids.insert(opened.proposal.call.full_name(), opened.id);
            desk.setting.clock.passes(Ttl::from_secs(1));
        }
        for (wanted, names) in [
            ("deploy", vec!["deploy"]),
            ("mail/send", vec!["mail/send"]),
            ("send", vec!["sms/send", "mail/send"]),
            ("send*", vec!["send_all", "sms/send", "mail/send"]),
            ("*/send", vec!["sms/send", "mail/send"]),
            ("*", vec!["send_all", "sms/send", "mail/send", "deploy"]),
            ("sen", vec![]),
            ("' OR 1=1 --", vec![]),
        ] {
            let expected: Vec<RequestId> = names.iter().map(|name| ids[*name]).collect();
            let found = codes(&desk, AuditQuery { tool: Some(wanted.to_owned()), ..all(9) }).await;
            assert_eq!(found, expected, "{wanted}");
        }
    }

    /// R33: by state, by how it ended, by time, and by all of these at once.
    requests_are_found_by_state_end_and_time(desk) {
        let ran = desk.opens(desk.harmless("a")).await;
        runs(&desk, &ran, OutcomeKind::Succeeded).await;
        desk.setting.clock.passes(Ttl::from_mins(10));
        let failed = desk.opens(desk.harmless("b")).await;
        runs(&desk, &failed, OutcomeKind::Failed).await;
        desk.setting.clock.passes(Ttl::from_mins(10));
        let between = desk.now();
        desk.setting.clock.passes(Ttl::from_mins(10));
        let unknown = desk.opens(desk.harmless("c")).await;
        runs(&desk, &unknown, OutcomeKind::Unknown).await;
        let waits = desk.asks("d", 1).await;
        let by = async |query| codes(&desk, query).await;
        let of = |statuses: &[Status]| AuditQuery { statuses: statuses.to_vec(), ..all(9) };
        assert_eq!(by(of(&[Status::WaitingApproval])).await, [waits.id]);
        assert_eq!(by(of(&[Status::Executed])).await, [unknown.id, failed.id, ran.id]);
        assert_eq!(by(of(&[Status::Executed, Status::WaitingApproval])).await.len(), 4);
        assert_eq!(by(of(&[Status::Revoked])).await, []);
        for (kind, id) in
            [(OutcomeKind::Succeeded, ran.id), (OutcomeKind::Failed, failed.id), (OutcomeKind::Unknown, unknown.id)]
        {
            assert_eq!(by(AuditQuery { outcome: Some(kind), ..all(9) }).await, [id], "{kind:?}");
        }
        let since = AuditQuery { since: Some(between), ..all(9) };
        assert_eq!(by(since.clone()).await, [waits.id, unknown.id]);
        let at_once = AuditQuery {
            accounts: vec![account("requester")],
            tool: Some("dep*".to_owned()),
            statuses: vec![Status::Executed],
            outcome: Some(OutcomeKind::Unknown),
            words: vec!["V".to_owned(), "c".to_owned()],
            ..since
        };
        assert_eq!(by(at_once.clone()).await, [unknown.id]);
        assert_eq!(by(AuditQuery { outcome: Some(OutcomeKind::Failed), ..at_once }).await, []);
    }

    /// R33: by words, of small and of large proposals, upper or lower case; signs of SQL and of JSON are only themselves, and
    /// leave nothing out that holds them.
    requests_are_found_by_words(desk) {
        let small = desk.opens(with(desk.harmless("a"), |proposal| proposal.task = "Tidy the Attic \"now\" 100%".to_owned())).await;
        desk.setting.clock.passes(Ttl::from_secs(1));
        let large = desk.opens(with(desk.harmless("b"), |proposal| {
            proposal.preview = Some(format!("{} cellar", "x".repeat(20_000)));
        })).await;
        let by = async |words: &[&str]| {
            codes(&desk, AuditQuery { words: words.iter().map(|word| (*word).to_owned()).collect(), ..all(9) }).await
        };
        assert_eq!(by(&["attic"]).await, [small.id]);
        assert_eq!(by(&["ATTIC", "tidy"]).await, [small.id]);
        assert_eq!(by(&["attic", "cellar"]).await, []);
        assert_eq!(by(&["cellar"]).await, [large.id]);
        assert!(by(&["\"now\""]).await.contains(&small.id) && by(&["100%"]).await.contains(&small.id));
        assert_eq!(by(&["%"]).await, [large.id, small.id], "what no index can tell is left to whoever asks");
        assert!(by(&[small.code.as_str()]).await.contains(&small.id));
    }

    /// R33: pages are exact: nothing twice, nothing left out, whatever is opened or changes meanwhile.
    pages_are_exact_while_requests_come(desk) {
        let mut before = Vec::new();
        for number in 0..23 {
            before.push(desk.opens(desk.harmless(&format!("v{number}"))).await.id);
            desk.setting.clock.passes(Ttl::from_millis(number % 3));
        }
        before.sort();
        before.reverse();
        for query in [all(5), AuditQuery { accounts: vec![account("requester")], tool: Some("deploy".to_owned()), ..all(5) }] {
            assert_eq!(walked(&desk, query.clone()).await, before);
            let first = desk.store.audit(query.clone()).await.unwrap();
            assert_eq!(first.next, first.found.last().map(|approval| approval.id), "the cursor is the last of the page");
            // Ids of one millisecond are in no order.
            desk.setting.clock.passes(Ttl::from_millis(1));
            for number in 0..7 {
                desk.opens(desk.harmless(&format!("later{number}"))).await;
            }
            let mut rest = query.clone();
            rest.before = first.next;
            let seen: Vec<RequestId> =
                first.found.iter().map(|approval| approval.id).chain(walked(&desk, rest).await).collect();
            assert_eq!(seen, before);
            before = walked(&desk, query).await;
        }
        let exact = AuditQuery { limit: before.len() as u32, ..all(0) };
        let page = desk.store.audit(exact).await.unwrap();
        assert_eq!((page.found.len(), page.next), (before.len(), None), "a full page with nothing behind it has no next");
        assert_eq!(desk.store.audit(all(0)).await.unwrap().found, []);
        assert_eq!(codes(&desk, all(u32::MAX)).await.len(), before.len());
    }

    /// R19, R33: whatever is asked for, nothing of another tenant is found, nor counted, nor is its cursor a way to it.
    nothing_of_another_tenant_is_found(desk) {
        let own = desk.opens(desk.harmless("a")).await;
        runs(&desk, &own, OutcomeKind::Failed).await;
        let mut others = Vec::new();
        for tag in ["a", "secretword"] {
            let other = desk.opens(Opening { tenant: tenant("globex"), ..desk.harmless(tag) }).await;
            runs(&desk, &other, OutcomeKind::Failed).await;
            others.push(other.id);
        }
        let before = RequestId::from_bytes([0xff; 16]);
        for query in [
            all(9),
            AuditQuery { accounts: vec![account("requester")], ..all(9) },
            AuditQuery { tool: Some("deploy".to_owned()), ..all(9) },
            AuditQuery { tool: Some("*".to_owned()), ..all(9) },
            AuditQuery { statuses: vec![Status::Executed], ..all(9) },
            AuditQuery { outcome: Some(OutcomeKind::Failed), ..all(9) },
            AuditQuery { since: Some(Timestamp::from_millis(0)), ..all(9) },
            AuditQuery { before: Some(before), ..all(9) },
            AuditQuery { words: vec!["api".to_owned()], ..all(9) },
        ] {
            assert_eq!(codes(&desk, query.clone()).await, [own.id], "{query:?}");
        }
        assert_eq!(codes(&desk, AuditQuery { words: vec!["secretword".to_owned()], ..all(9) }).await, []);
        let unasked = UnaskedQuery { tenant: acme(), since: Timestamp::from_millis(0), until: desk.now() + Ttl::from_mins(1), limit: 9 };
        let counted = desk.store.ran_unasked(unasked).await.unwrap();
        assert_eq!(counted.iter().map(|row| row.count).sum::<u64>(), 1);
    }

    /// R52: what ran unasked is counted by tool, by on whose word, and by how it ended; what people said yes to, and what did
    /// not run, is not.
    what_ran_unasked_is_counted(desk) {
        let began = desk.now();
        for kind in [OutcomeKind::Succeeded, OutcomeKind::Succeeded, OutcomeKind::Failed] {
            let approval = desk.opens(of_tool(desk.harmless("a"), None, "read_file")).await;
            runs(&desk, &approval, kind).await;
        }
        let suggest = Arc::new(Verdict { level: Level::Medium, ..Verdict::clone(&verdict(Tier::Suggest, None)) });
        let noted = desk.opens(of_tool(desk.opening("b", Command::Allow { verdict: suggest }), Some("disk"), "write_note")).await;
        desk.does(&noted, Command::Claim(desk.claim(&noted)), Facts::none(desk.now())).await;
        desk.opens(of_tool(desk.harmless("never claimed"), None, "read_file")).await;
        let asked = desk.asks("c", 1).await;
        desk.does(&asked, Command::Vote(ballot("alice", Decision::Approve)), facts(&desk, &["alice"])).await;
        let over = desk.now() + Ttl::from_millis(1);
        let count = async |since, until, limit| {
            let query = UnaskedQuery { tenant: acme(), since, until, limit };
            let rows = desk.store.ran_unasked(query).await.unwrap();
            rows.into_iter().map(|row| (row.tool, row.how, row.outcome, row.count)).collect::<Vec<_>>()
        };
        let read = |kind, count| ("read_file".to_owned(), Unasked::Auto, Some(kind), count);
        let expected = [
            ("disk/write_note".to_owned(), Unasked::Suggest, None, 1),
            read(OutcomeKind::Failed, 1),
            read(OutcomeKind::Succeeded, 2),
        ];
        assert_eq!(count(began, over, 9).await, expected);
        assert_eq!(count(began, over, 1).await, expected[..1]);
        assert_eq!(count(began - Ttl::from_mins(9), began, 9).await, []);
        assert_eq!(count(over + Ttl::from_mins(1), over + Ttl::from_mins(2), 9).await, []);
    }
}
