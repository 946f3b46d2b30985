//! What an agent did lately: counted within the hour, by tenant, agent, tool, call and run.

use placet::approval::{Command, Decision, Proposal};
use placet::id::{AgentId, RequestId, RunId, ServerName, StepId};
use placet::policy::{Recent, Tier};
use placet::ports::{Lately, RecentQuery, RequestQuery};
use placet::time::Ttl;

use crate::contract;
use crate::fixture::*;

fn of(desk: &Desk, tag: &str) -> RecentQuery {
    let call = &proposal(tag).call;
    RecentQuery {
        tenant: acme(),
        agent: call.agent.clone(),
        tool: call.full_name(),
        digest: call.digest(&acme()),
        run: None,
        now: desk.now(),
    }
}

/// A harmless proposal that differs in something.
async fn differing(desk: &Desk, change: impl FnOnce(&mut Proposal)) {
    let mut opening = desk.harmless("v1");
    change(std::sync::Arc::make_mut(&mut opening.proposal));
    desk.opens(opening).await;
}

contract! {
    /// R15: how often this was asked lately: the tool, the very call, and what people said no to; never another agent's,
    /// another tenant's, or longer ago than an hour.
    what_an_agent_did_lately_is_counted(desk) {
        assert_eq!(desk.store.recent(of(&desk, "v1")).await.unwrap(), Lately::default());
        desk.opens(desk.harmless("v1")).await;
        let denied = desk.asks("v1", 1).await;
        desk.does(&denied, Command::Vote(ballot("alice", Decision::Deny)), facts(&desk, &["alice"])).await;
        desk.opens(desk.risky("v2", 1)).await;
        // A no of the policy, and of nobody, is no no of people.
        desk.opens(desk.opening("v1", Command::Forbid { verdict: verdict(Tier::Forbid, None) })).await;
        let nobody = verdict(Tier::Approve, Some(terms(1, Vec::new())));
        desk.opens(desk.opening("v1", Command::CannotAsk { verdict: nobody, why: "nobody".to_owned() })).await;
        differing(&desk, |proposal| proposal.call.agent = AgentId::new("another").unwrap()).await;
        differing(&desk, |proposal| proposal.call.server = Some(ServerName::new("prod").unwrap())).await;
        let mut foreign = desk.risky("v1", 1);
        foreign.tenant = tenant("globex");
        desk.opens(foreign).await;
        let expected = Recent { calls: 5, same: 4, denied: 1, cards: 2 };
        assert_eq!(desk.store.recent(of(&desk, "v1")).await.unwrap().recent, expected);
        let unasked = Recent { calls: 5, same: 0, denied: 0, cards: 2 };
        assert_eq!(desk.store.recent(of(&desk, "v3")).await.unwrap().recent, unasked);
        desk.setting.clock.passes(Ttl::from_mins(60));
        assert_eq!(desk.store.recent(of(&desk, "v1")).await.unwrap().recent, expected, "an hour is within it");
        desk.setting.clock.passes(Ttl::from_millis(1));
        assert_eq!(desk.store.recent(of(&desk, "v1")).await.unwrap(), Lately::default());
    }

    /// R10: what was asked counts as a card whatever became of it, in its run at any time.
    the_cards_of_a_run_are_counted_at_any_time(desk) {
        let first = desk.asks("v1", 1).await;
        desk.does(&first, Command::Vote(ballot("alice", Decision::Approve)), facts(&desk, &["alice"])).await;
        desk.does(&first, Command::Claim(desk.claim(&first)), facts(&desk, &["alice"])).await;
        desk.setting.clock.passes(Ttl::from_mins(90));
        let second = desk.asks("v2", 1).await;
        desk.opens(desk.harmless("v3")).await;
        let run = |name: &str| Some(RunId::new(name).unwrap());
        let cards = async |query: RecentQuery| {
            let lately = desk.store.recent(query).await.unwrap();
            (lately.recent.cards, lately.run_cards)
        };
        let own = RecentQuery { run: run("run-1"), ..of(&desk, "v1") };
        assert_eq!(cards(own.clone()).await, (1, 2));
        assert_eq!(cards(RecentQuery { run: run("run-2"), ..own.clone() }).await, (1, 0));
        assert_eq!(cards(RecentQuery { tenant: tenant("globex"), ..own.clone() }).await, (0, 0));
        assert_eq!(cards(RecentQuery { agent: AgentId::new("another").unwrap(), ..own }).await, (0, 0));
        desk.must_rebuild(&first).await;
        desk.must_rebuild(&second).await;
    }

    /// R13: the requests of one run, of a tenant's.
    requests_are_listed_by_run(desk) {
        let mut ids = Vec::new();
        for (number, name) in ["run-a", "run-b", "run-a"].into_iter().enumerate() {
            desk.setting.clock.passes(Ttl::from_secs(1));
            let mut opening = desk.risky(&format!("v{number}"), 1);
            let run = std::sync::Arc::make_mut(&mut opening.proposal).run.as_mut().unwrap();
            (run.run, run.step) = (RunId::new(name).unwrap(), StepId::new("step-1").unwrap());
            ids.push(desk.opens(opening).await.id);
        }
        let run = Some(RunId::new("run-a").unwrap());
        let query = RequestQuery { tenant: Some(acme()), run, limit: 10, ..RequestQuery::default() };
        let listed = async |query: RequestQuery| -> Vec<RequestId> {
            desk.store.list(query).await.unwrap().into_iter().map(|approval| approval.id).collect()
        };
        assert_eq!(listed(query.clone()).await, [ids[2], ids[0]]);
        assert_eq!(listed(RequestQuery { before: Some(ids[2]), ..query.clone() }).await, [ids[0]]);
        assert_eq!(listed(RequestQuery { tenant: None, ..query.clone() }).await, [ids[2], ids[0]]);
        assert!(listed(RequestQuery { tenant: Some(tenant("globex")), ..query }).await.is_empty());
    }
}
