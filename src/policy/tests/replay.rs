//! The recorded past, judged again.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Weak};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::authors::{TEAM, set};
use super::*;
use crate::id::{RequestId, Role, ShortCode, TenantId};
use crate::policy::RuleKind;
use crate::record::{Event, EventKind};
use crate::time::{Timestamp, Ttl};

/// A recorded past: each call at its time, judged by a policy whose text is on record.
struct Recorder {
    policy: Arc<Policy>,
    events: Vec<Event>,
}

const NOON: i64 = 1_796_040_000_000;

impl Recorder {
    fn new(text: &str) -> Self {
        let policy = Arc::new(parse(text));
        let loaded = EventKind::PolicyLoaded {
            label: policy.version().label.clone(),
            digest: policy.version().digest,
            tenant_text: None,
            text: policy.text().to_owned(),
            by: None,
            changes: Vec::new(),
        };
        let event = Event {
            tenant: acme(),
            request: None,
            at: Timestamp::from_millis(NOON - 86_400_000 * 40),
            kind: loaded,
        };
        Self { policy, events: vec![event] }
    }

    /// A call so many minutes after noon of the first day, with a card if people are asked.
    fn call(&mut self, minutes: u64, call: &Value) -> &mut Self {
        let at = Timestamp::from_millis(NOON) + Ttl::from_mins(minutes);
        let policies = PolicySet::alone(self.policy.as_ref().clone());
        let supposed = suppose(call.as_object().unwrap(), &policies, at).unwrap();
        let verdict = self.policy.judge(&supposed.proposal, &supposed.circumstances);
        let number = u8::try_from(self.events.len()).unwrap();
        let request = RequestId::from_bytes([number; 16]);
        let proposed = EventKind::Proposed {
            code: ShortCode::of(request, 0),
            digest: supposed.proposal.call.digest(&acme()),
            args_hash: supposed.proposal.call.args_hash(),
            proposal: Arc::new(supposed.proposal),
        };
        let is_asked = verdict.tier == Tier::Approve;
        let mut add = |kind| self.events.push(Event { tenant: acme(), request: Some(request), at, kind });
        add(proposed);
        add(EventKind::Checked { verdict: Arc::new(verdict), claim_until: None });
        if is_asked {
            add(EventKind::Requested {
                until: at + Ttl::from_mins(30),
                alarm_at: at + Ttl::from_mins(15),
                gathers_until: None,
            });
        }
        self
    }

    /// Two days from noon of the first day on, judged again.
    fn under(&self, policy: &str) -> Replayed {
        let Ok(replayed) = replay(self, days(2), &set(policy));
        replayed
    }
}

impl Recorded for Recorder {
    type Fault = std::convert::Infallible;

    fn each(
        &self,
        types: &[&'static str],
        since: Option<Timestamp>,
        take: &mut dyn FnMut(&Event),
    ) -> Result<(), Self::Fault> {
        let wanted = |event: &&Event| {
            types.contains(&event.kind.name()) && since.is_none_or(|since| event.at >= since)
        };
        self.events.iter().filter(wanted).for_each(take);
        Ok(())
    }
}

/// So many days from noon of the first on.
fn days(days: u64) -> Period {
    let since = Timestamp::from_millis(NOON);
    Period { since, until: since + Ttl::from_mins(60 * 24 * days) }
}

fn acme() -> TenantId {
    TenantId::new("acme").unwrap()
}

/// A day with reads and payments, by day and by night.
fn a_day() -> Recorder {
    let mut recorder = Recorder::new(TEAM);
    recorder
        .call(0, &json!({"tool": "read_file"}))
        .call(1, &json!({"tool": "pay", "args": {"amount": 5}}))
        .call(2, &json!({"tool": "pay", "args": {"amount": "9e9"}}))
        .call(60 * 11, &json!({"tool": "read_file"}))
        .call(60 * 24, &json!({"tool": "pay", "args": {"amount": 7000}, "as": "bo"}))
        .call(60 * 24 + 1, &json!({"tool": "drop_table"}));
    recorder
}

/// R20: the record alone gives every old verdict again, and says so where it does not.
#[test]
fn the_past_comes_out_again_by_its_own_policy() {
    let Replayed { replay, unrepeated } = a_day().under(TEAM);
    assert_eq!((replay.judged, unrepeated), (6, Vec::new()));
    assert_eq!(replay.changes, [], "nothing changes by the same policy");
    let mut forged = a_day();
    for event in &mut forged.events {
        if let EventKind::Checked { verdict, .. } = &mut event.kind
            && verdict.rules[0].kind == RuleKind::Forbid
        {
            *verdict = Arc::new(Verdict { tier: Tier::Auto, ..verdict.as_ref().clone() });
        }
    }
    let found = forged.under(TEAM).unrepeated;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].differences[0].to_string(), "tier: auto → forbid");
    let mut lost = a_day();
    lost.events.remove(0);
    let lost = lost.under(TEAM).unrepeated;
    assert_eq!(lost.len(), 6);
    assert!(lost.iter().all(|found| found.why.as_deref().unwrap().contains("not on record")));
}

/// R20, R38: what would have changed: verdicts, cards per person and day, at night, and those nobody could answer.
#[test]
fn another_policy_is_replayed_over_the_past() {
    let past = a_day();
    let under = |policy: &str| past.under(policy).replay;
    let laxer = TEAM.replace("args.amount < 100", "args.amount < 10000");
    assert_snapshot!("replay_laxer", serde_json::to_string_pretty(&under(&laxer)).unwrap());
    let stricter = TEAM.replacen("level = \"low\"", "level = \"critical\"\nbecause = \"So.\"", 1);
    let replay = under(&stricter);
    let tiers: Vec<_> = replay.changes.iter().map(|change| change.tier).collect();
    assert_eq!(tiers, [(Tier::Auto, Tier::Approve)], "at night people were asked already");
    assert_eq!((replay.before.cards, replay.after.cards), (3, 4));
    assert_eq!(replay.after.at_night, 1, "23:00 UTC is midnight in Berlin");
    let alone = TEAM.replace("stand_in = \"dana\"", "stand_in = \"bo\"");
    let replay = under(&alone);
    assert_eq!(
        (replay.before.unanswerable, replay.after.unanswerable),
        (0, 1),
        "on the second day Chen is away, and Bo cannot answer what Bo asks for"
    );
}

/// R45: what would have been asked while the policy only looked on.
#[test]
fn shadow_mode_reports_what_it_would_have_asked() {
    let mut recorder = Recorder::new(&format!("shadow = true\n{TEAM}"));
    recorder
        .call(0, &json!({"tool": "read_file"}))
        .call(1, &json!({"tool": "pay", "args": {"amount": 7000}}))
        .call(2, &json!({"tool": "pay", "args": {"amount": 8000}}))
        .call(3, &json!({"tool": "merge"}));
    let Ok(report) = looked_on(&recorder, days(1));
    assert_eq!((report.calls, report.cards.cards), (3, 3), "what runs anyway is not looked on at");
    assert_eq!(report.tools, [("pay".to_owned(), 2), ("merge".to_owned(), 1)]);
    assert_eq!(report.rules, [("payments".to_owned(), 2), ("default".to_owned(), 1)]);
    assert_eq!(
        report.cards.people.iter().map(|load| (load.name.as_str(), load.cards)).collect::<Vec<_>>(),
        [("Bo", 3), ("Chen", 3)]
    );
}

/// The circumstances in which the calls of a day were judged.
fn circumstances(events: &mut [Event]) -> impl Iterator<Item = &mut Circumstances> {
    events.iter_mut().filter_map(|event| match &mut event.kind {
        EventKind::Checked { verdict, .. } => Arc::make_mut(verdict).circumstances.as_mut(),
        _ => None,
    })
}

/// R15, R20: what happened lately is not on record where the policy that judged looked at none of it; another policy that
/// does is replayed by what the record tells of it.
#[test]
fn what_happened_lately_is_counted_from_the_record() {
    let mut recorder = Recorder::new(TEAM);
    let pay = |amount: u32| json!({"tool": "pay", "args": {"amount": amount}});
    recorder
        .call(0, &pay(5))
        .call(10, &pay(6))
        .call(20, &pay(6000))
        .call(21, &json!({"tool": "read_file"}))
        .call(59, &pay(5))
        .call(60, &pay(7))
        .call(61, &pay(5));
    let changed = |when: &str| {
        let raise = format!(
            "[[raise]]\nname = \"often\"\ntools = [\"pay\"]\nwhen = \"{when}\"\nto = \"critical\"\nbecause = \"So.\"\n\n[[people]]"
        );
        let replay = recorder.under(&TEAM.replacen("[[people]]", &raise, 1)).replay;
        let minutes = |change: &Change| (change.at.as_millis() - NOON) / 60_000;
        replay.changes.iter().map(minutes).collect::<Vec<_>>()
    };
    assert_eq!(changed("recent.calls >= 3"), [59, 60, 61], "within the hour, and not this call itself");
    assert_eq!(changed("recent.calls >= 4"), [60, 61], "the minute in which it was an hour ago counts still");
    assert!(changed("recent.calls >= 5").is_empty(), "what is longer ago does not");
    assert_eq!(changed("recent.same > 0"), [59, 61]);
    assert_eq!(changed("recent.cards > 0 && recent.cards < 2"), [59, 60, 61]);
    assert!(changed("recent.denied > 0").is_empty());
    let request = recorder.events.iter().find_map(|event| match &event.kind {
        EventKind::Proposed { proposal, .. } => {
            event.request.filter(|_| proposal.call.args.as_str().contains("6}"))
        }
        _ => None,
    });
    let no = EventKind::Decided {
        decision: crate::approval::Decision::Deny,
        approved_by: None,
        rejected_by: Some(crate::approval::RejectedBy::Votes { reason: None }),
        people: vec!["Bo".to_owned()],
        reason: None,
        claim_until: None,
    };
    let at = Timestamp::from_millis(NOON) + Ttl::from_mins(12);
    let place = recorder.events.iter().position(|event| event.at > at).unwrap();
    recorder.events.insert(place, Event { tenant: acme(), request, at, kind: no });
    recorder.call(62, &pay(6)).call(71, &pay(6));
    let denied = TEAM.replacen(
        "[[people]]",
        "[[forbid]]\nname = \"no again\"\ntools = [\"pay\"]\nwhen = \"recent.denied > 0\"\nbecause = \"So.\"\n\n[[people]]",
        1,
    );
    let changes = recorder.under(&denied).replay.changes;
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(
        changes[0].at,
        Timestamp::from_millis(NOON) + Ttl::from_mins(62),
        "61 minutes later it is forgotten"
    );
}

/// R15, R20: who asks is told by the people of the policy that is tried; what groups outside gave them then is on record.
#[test]
fn who_asked_is_told_by_the_policy_that_is_tried() {
    let team = TEAM.replacen(
        "[[people]]",
        "[[groups]]\nslack = \"T024BE7LD/S0WRITERS\"\nroles = [\"writer\"]\n\n[[people]]",
        1,
    );
    let mut recorder = Recorder::new(&team);
    recorder
        .call(0, &json!({"tool": "pay", "args": {"amount": 5}, "as": "dana"}))
        .call(1, &json!({"tool": "pay", "args": {"amount": 5}, "as": "bo"}));
    for (circumstances, role) in circumstances(&mut recorder.events).zip(["writer", "reader"]) {
        circumstances.requester.roles.insert(Role::new(role).unwrap());
    }
    let changed = |policy: &str, when: &str| {
        let raise = format!(
            "[[raise]]\nname = \"who\"\ntools = [\"pay\"]\nwhen = \"{when}\"\nto = \"critical\"\nbecause = \"So.\"\n\n[[people]]"
        );
        recorder.under(&policy.replacen("[[people]]", &raise, 1)).replay.changes.len()
    };
    assert_eq!(changed(&team, "'writer' in requester.roles"), 1, "by a group, then");
    assert_eq!(changed(&team, "'reader' in requester.roles"), 0, "by nothing that the policy knows");
    assert_eq!(changed(&team, "'intern' in requester.roles"), 0);
    let intern = team.replace("roles = [\"dev\"]", "roles = [\"dev\", \"intern\"]");
    assert_eq!(changed(&intern, "'intern' in requester.roles"), 1, "Dana is one by the new policy");
    assert_eq!(changed(&team, "requester.person == 'dana'"), 1);
    let renamed = team
        .replace("id = \"dana\"", "id = \"dana-li\"")
        .replace("stand_in = \"dana\"", "stand_in = \"dana-li\"");
    assert_eq!(changed(&renamed, "requester.person == 'dana'"), 0);
    assert_eq!(changed(&renamed, "requester.person == 'dana-li'"), 1);
}

/// R16, R20: that cards go elsewhere is a change as well, where the policy says where they go.
#[test]
fn another_channel_is_a_change() {
    let to = |channel: &str| format!("places = [{{ surface = \"slack\", channel = \"{channel}\" }}]\n{TEAM}");
    let mut recorder = Recorder::new(&to("C0ONE"));
    recorder
        .call(0, &json!({"tool": "pay", "args": {"amount": 5000}}))
        .call(1, &json!({"tool": "read_file"}));
    let changes = recorder.under(&to("C0TWO")).replay.changes;
    assert_eq!(changes.len(), 1, "{changes:?}");
    let told: Vec<_> = changes[0].differences.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["places: slack/C0ONE → slack/C0TWO"]);
}

/// R20: a period is what is asked for: what was judged before or after it is left out.
#[test]
fn only_the_period_is_judged_again() {
    let recorder = a_day();
    let judged = |from: u64, to: u64| {
        let at = |minutes| Timestamp::from_millis(NOON) + Ttl::from_mins(minutes);
        let Ok(replayed) = replay(&recorder, Period { since: at(from), until: at(to) }, &set(TEAM));
        assert_eq!(replayed.unrepeated, []);
        replayed.replay.judged
    };
    assert_eq!([judged(0, 60 * 48), judged(1, 2), judged(3, 60 * 11 - 1), judged(3, 60 * 11)], [6, 2, 0, 1]);
}

/// R20: a call is let go once it was judged: however many there are, hardly any are held at the same time.
#[test]
fn hardly_any_calls_are_held_at_once() {
    let mut recorder = Recorder::new(TEAM);
    for minutes in 0..80 {
        recorder.call(minutes, &json!({"tool": "pay", "args": {"amount": 7 * minutes}}));
    }
    let passing = Passing { recorder: &recorder, seen: RefCell::default(), most: Cell::default() };
    let often = "[[raise]]\nname = \"often\"\ntools = [\"pay\"]\nwhen = \"recent.calls > 30\"\nto = \"critical\"\nbecause = \"So.\"\n\n[[people]]";
    let Ok(replayed) = replay(&passing, days(2), &set(&TEAM.replacen("[[people]]", often, 1)));
    assert_eq!((replayed.replay.judged, replayed.unrepeated.len()), (80, 0));
    assert!(!replayed.replay.changes.is_empty());
    assert!(passing.seen.borrow().len() >= 80 && passing.most.get() <= 2, "{}", passing.most.get());
}

/// A record that hands over each event once, and counts how many proposals somebody still holds.
struct Passing<'a> {
    recorder: &'a Recorder,
    seen: RefCell<Vec<Weak<Proposal>>>,
    most: Cell<usize>,
}

impl Recorded for Passing<'_> {
    type Fault = std::convert::Infallible;

    fn each(
        &self,
        types: &[&'static str],
        since: Option<Timestamp>,
        take: &mut dyn FnMut(&Event),
    ) -> Result<(), Self::Fault> {
        self.recorder.each(types, since, &mut |event| {
            let mut event = event.clone();
            if let EventKind::Proposed { proposal, .. } = &mut event.kind {
                *proposal = Arc::new(proposal.as_ref().clone());
                self.seen.borrow_mut().push(Arc::downgrade(proposal));
            }
            take(&event);
            let held = self.seen.borrow().iter().filter(|proposal| proposal.strong_count() > 0).count();
            self.most.set(self.most.get().max(held));
        })
    }
}
