//! What is read before a decision, and that who lost what made them count between card and click decides nothing.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use futures::FutureExt as _;

use super::*;
use crate::approval::tests::fixtures::{self, Life, account, at};
use crate::approval::{Refusal, Status};
use crate::person::{AccountState, NoStanding, OnCallSchedule};
use crate::policy::Policy;

const POLICY: &str = r#"
version = "1"

[[people]]
id = "bo"
name = "Bo"
roles = ["viewer"]
accounts = ["slack:T1/UBO"]
credentials = ["bo-console"]
pagerduty = ["PBO0001"]

[[people]]
id = "chen"
name = "Chen"
roles = ["admin"]
accounts = ["slack:T1/UCHEN"]

[[people]]
id = "dana"
name = "Dana"
roles = ["admin"]
accounts = ["slack:T1/UDANA"]

[[groups]]
slack = "T1/SADMINS"
roles = ["admin"]

[roles]
stewards = ["admin"]
"#;

/// What the outside world says.
struct World {
    now: Mutex<Timestamp>,
    accounts: Mutex<BTreeMap<Identity, AccountState>>,
    members: Mutex<Result<BTreeSet<Identity>, String>>,
    on_call: Mutex<Result<BTreeSet<Identity>, String>>,
    /// How old what it says of the group is.
    group_age: Mutex<Ttl>,
    /// Nothing is at hand.
    forgets: Mutex<bool>,
    asked: Mutex<Vec<String>>,
}

impl World {
    fn new(members: &[&str]) -> Self {
        Self {
            now: Mutex::new(at(0)),
            accounts: Mutex::default(),
            members: Mutex::new(Ok(members.iter().map(|user| account(user)).collect())),
            on_call: Mutex::new(Ok(BTreeSet::new())),
            group_age: Mutex::new(Ttl::ZERO),
            forgets: Mutex::new(false),
            asked: Mutex::default(),
        }
    }

    fn becomes(&self, user: &str, why: NoStanding) {
        self.accounts.lock().unwrap().insert(account(user), AccountState::Barred(why));
    }

    fn note(&self, what: String) {
        self.asked.lock().unwrap().push(what);
    }

    /// What was asked since the last time.
    fn asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.sort();
        asked
    }

    fn facts(&self, policy: &Policy, approval: &Approval, command: &Command) -> Facts {
        let outside = Outside { policy, clock: self, directory: self, on_call: self };
        outside.facts(approval, command).now_or_never().unwrap()
    }

    fn at_hand(&self, policy: &Policy, approval: &Approval, command: &Command) -> Option<Facts> {
        let outside = Outside { policy, clock: self, directory: self, on_call: self };
        outside.facts_at_hand(approval, command)
    }

    /// A command, decided on facts that are fetched for it.
    fn decides(&self, policy: &Policy, life: Life, command: &Command, secs: i64) -> Result<Life, Refusal> {
        *self.now.lock().unwrap() = at(secs);
        let facts = self.facts(policy, &life.now, command);
        let (now, events) = life.now.decide(command, &facts, at(secs))?.into_parts();
        Ok(Life { now, events: life.events.into_iter().chain(events).collect() })
    }
}

#[async_trait]
impl Clock for World {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap()
    }
    async fn sleep_until(&self, _: Timestamp) {}
}

#[async_trait]
impl Directory for World {
    async fn account(&self, identity: &Identity, _: Ttl) -> Account {
        self.note(identity.to_string());
        let state = self.accounts.lock().unwrap().get(identity).cloned();
        Account { state: state.unwrap_or(AccountState::Active), name: None, as_of: self.now() }
    }
    fn account_at_hand(&self, identity: &Identity, age_max: Ttl) -> Option<Account> {
        let account = self.account(identity, age_max).now_or_never();
        account.filter(|_| !*self.forgets.lock().unwrap())
    }
    async fn members(&self, group: &Identity, _: Ttl) -> Members {
        self.note(group.to_string());
        let age_ms = i64::try_from(self.group_age.lock().unwrap().as_millis()).unwrap();
        let as_of = Timestamp::from_millis(self.now().as_millis() - age_ms);
        Members { members: self.members.lock().unwrap().clone(), as_of }
    }
    fn members_at_hand(&self, group: &Identity, age_max: Ttl) -> Option<Members> {
        self.members(group, age_max).now_or_never()
    }
}

#[async_trait]
impl OnCall for World {
    async fn on_call(&self, schedule: &OnCallSchedule, _: Ttl) -> Members {
        self.note(format!("on call {}", schedule.name));
        Members { members: self.on_call.lock().unwrap().clone(), as_of: self.now() }
    }
    fn on_call_at_hand(&self, schedule: &OnCallSchedule, age_max: Ttl) -> Option<Members> {
        self.on_call(schedule, age_max).now_or_never()
    }
}

fn policy(more: &str) -> Policy {
    Policy::parse(&format!("{POLICY}{more}"), "test.toml").unwrap_or_else(|errors| panic!("{errors}"))
}

fn waiting(role: &str, count: u32) -> Life {
    Life::waiting(fixtures::terms(vec![vec![fixtures::group(role, count)]]))
}

/// R7, R17: an approver who was deactivated, lost the role, or whose group cannot be read between card and click cannot
/// decide.
#[test]
fn who_lost_what_made_them_count_cannot_decide() {
    let policy = policy("");
    let click = |world: &World| {
        let life = waiting("admin", 1);
        let yes = life.yes("UBO");
        world.decides(&policy, life, &yes, 20).map(|life| life.now.status())
    };
    let fine = World::new(&["UBO"]);
    assert_eq!(click(&fine), Ok(Status::Approved), "the group makes Bo an admin");

    let deactivated = World::new(&["UBO"]);
    deactivated.becomes("UBO", NoStanding::Deactivated);
    assert_eq!(click(&deactivated), Err(Refusal::NoStanding(NoStanding::Deactivated)));

    let left = World::new(&["UCHEN"]);
    assert_eq!(click(&left), Err(Refusal::WrongRole { needs: vec![fixtures::role("admin")] }));

    let unreadable = World::new(&[]);
    *unreadable.members.lock().unwrap() = Err("Slack does not answer at the moment".to_owned());
    let why = "who is in slack:T1/SADMINS: Slack does not answer at the moment".to_owned();
    assert_eq!(click(&unreadable), Err(Refusal::NoStanding(NoStanding::Unreadable(why))));
}

/// R7, R17: the same between yes and claim: the approval is worth nothing any more, or nobody can tell.
#[test]
fn who_lost_what_made_them_count_has_approved_nothing() {
    // What the request was judged by asks no more than this.
    let policy = policy("\n[levels.high]\nrole = \"admin\"\nassurance = \"server-asserted\"\n");
    let claim = |change: &dyn Fn(&World)| {
        let world = World::new(&["UBO"]);
        let life = waiting("admin", 1);
        let yes = life.yes("UBO");
        let life = world.decides(&policy, life, &yes, 20).unwrap();
        change(&world);
        let claim = life.claim("k");
        world.decides(&policy, life, &claim, 30).map(|life| life.now.status())
    };
    let lapsed = Err(Refusal::ApproverLapsed { names: vec!["Bo".to_owned()] });
    assert_eq!(claim(&|_| {}), Ok(Status::Executing));
    assert_eq!(claim(&|world| world.becomes("UBO", NoStanding::Deactivated)), lapsed);
    assert_eq!(claim(&|world| *world.members.lock().unwrap() = Ok(BTreeSet::new())), lapsed);
    let dark = claim(&|world| *world.members.lock().unwrap() = Err("no answer".to_owned()));
    assert!(matches!(dark, Err(Refusal::NoStanding(NoStanding::Unreadable(_)))), "{dark:?}");
}

/// R18: a person who clicks on one surface and votes again by another account has voted once.
#[test]
fn one_person_with_two_accounts_is_one_vote() {
    let policy = policy("");
    let world = World::new(&["UBO", "UCHEN"]);
    let life = waiting("admin", 2);
    let yes = life.yes("UBO");
    let life = world.decides(&policy, life, &yes, 20).unwrap();
    let mut again = life.ballot("UBO", crate::approval::Decision::Approve);
    again.identity = Identity::credential("bo-console").unwrap();
    let refusal =
        world.decides(&policy, life.clone(), &Command::Vote(again), 21).map(|life| life.now.status());
    assert_eq!(refusal, Err(Refusal::AlreadyVoted { decision: crate::approval::Decision::Approve }));
    let yes = life.yes("UCHEN");
    assert_eq!(world.decides(&policy, life, &yes, 22).unwrap().now.status(), Status::Approved);
}

/// R18: whoever asked is barred by an account that is in a group only, as by one of the policy's people.
#[test]
fn who_asked_is_barred_whoever_they_are() {
    let policy = policy("");
    let world = World::new(&["UANA", "UBO"]);
    let life = waiting("admin", 1);
    let yes = life.yes("UANA");
    let refusal = world.decides(&policy, life, &yes, 20).map(|life| life.now.status());
    assert_eq!(refusal, Err(Refusal::OwnRequest), "Ana is behind the request, and only in the group");
}

/// R40: who is on call is asked where the terms ask for the role, and not else; unreadable, it is the reason.
#[test]
fn schedules_are_read_where_they_matter() {
    let policy = policy("\n[[on_call]]\nname = \"pager\"\nrole = \"on_call\"\npagerduty = \"PABC123\"\n");
    let world = World::new(&[]);
    let life = waiting("admin", 1);
    let yes = life.yes("UBO");
    assert!(world.decides(&policy, life, &yes, 20).is_err());
    assert_eq!(world.asked(), ["slack:T1/SADMINS", "slack:T1/UBO"]);

    let click = || {
        let life = waiting("on_call", 1);
        let yes = life.yes("UBO");
        world.decides(&policy, life, &yes, 20).map(|life| life.now.status())
    };
    assert_eq!(click(), Err(Refusal::WrongRole { needs: vec![fixtures::role("on_call")] }));
    assert_eq!(world.asked(), ["on call pager", "slack:T1/SADMINS", "slack:T1/UBO"]);
    *world.on_call.lock().unwrap() = Ok(BTreeSet::from([Identity::pagerduty("PBO0001").unwrap()]));
    assert_eq!(click(), Ok(Status::Approved));
    *world.on_call.lock().unwrap() = Err("PagerDuty does not answer".to_owned());
    let why = "who is on call by pager: PagerDuty does not answer".to_owned();
    assert_eq!(click(), Err(Refusal::NoStanding(NoStanding::Unreadable(why))));
}

/// R7, R15, R17: an agent that asks on behalf of a deactivated account asks for nobody: the account is looked at also where
/// the policy has no groups; and nothing is read where it knows none of the accounts.
#[test]
fn who_asks_is_looked_at_before_they_are_believed() {
    let plain = POLICY.replace("[[groups]]\nslack = \"T1/SADMINS\"\nroles = [\"admin\"]\n", "");
    let policy = Policy::parse(&plain, "test.toml").unwrap_or_else(|errors| panic!("{errors}"));
    let world = World::new(&[]);
    let asker = |identities: Vec<Identity>| {
        let requester = Requester { identities, ..fixtures::proposal().requester.clone() };
        let outside = Outside { policy: &policy, clock: &world, directory: &world, on_call: &world };
        outside.asker(&requester).now_or_never().unwrap()
    };
    let agent = Identity::credential("agent-1").unwrap();
    let chen = || asker(vec![agent.clone(), account("UCHEN")]);
    assert_eq!(chen().person.unwrap().as_str(), "chen");
    world.becomes("UCHEN", NoStanding::Deactivated);
    assert_eq!(chen(), Asker { roles_unread: true, ..Asker::default() });
    world.asked();
    assert_eq!(asker(vec![agent.clone(), account("UEVE")]), Asker::default());
    assert_eq!(world.asked(), Vec::<String>::new());
}

/// Facts are as old as the oldest of them, and nothing is at hand unless all of it is.
#[test]
fn facts_are_dated_by_the_oldest() {
    let policy = policy("");
    let world = World::new(&["UBO"]);
    let life = waiting("admin", 1);
    let yes = life.yes("UBO");
    *world.group_age.lock().unwrap() = Ttl::from_secs(61);
    assert_eq!(world.facts(&policy, &life.now, &yes).electorate.as_of, at(-61));
    let stale = world.decides(&policy, life.clone(), &yes, 20).map(|life| life.now.status());
    assert_eq!(stale, Err(Refusal::FactsStale));
    assert!(world.at_hand(&policy, &life.now, &yes).is_some());
    *world.forgets.lock().unwrap() = true;
    assert!(world.at_hand(&policy, &life.now, &yes).is_none());
}
