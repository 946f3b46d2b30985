//! The adapter against the fakes: each was written from the vendor's rules without the other.

use std::time::Duration;

use placet::id::Role;
use placet::person::{OnCallSchedule, OnCallSource};
use placet::ports::{Clock as _, OnCall as _};
use placet::time::Ttl;
use placet_oncall::{OnCallSettings, PagerDutySettings, Schedules};
use secrecy::SecretString;

use super::*;
use crate::clock::ManualClock;

const AGE: Ttl = Ttl::from_secs(30);
const POLICY: &str = "PESCAL1";

struct Office {
    pagerduty: FakePagerDuty,
    calendar: FakeCalendar,
    clock: Arc<ManualClock>,
    schedules: Schedules,
}

async fn office() -> Office {
    office_with(PAGERDUTY_TOKEN).await
}

async fn office_with(token: &str) -> Office {
    let clock = ManualClock::new();
    let time = Arc::clone(&clock);
    let pagerduty = FakePagerDuty::start(Arc::new(move || time.now().as_millis())).await.unwrap();
    pagerduty.has_user("PBO0001", "Bo@example.org");
    pagerduty.has_user("PCHEN01", "chen@example.org");
    let settings = OnCallSettings {
        pagerduty: Some(PagerDutySettings {
            url: pagerduty.url().parse().unwrap(),
            token: SecretString::from(token),
        }),
        call_limit: Duration::from_secs(5),
        ..OnCallSettings::default()
    };
    let schedules = Schedules::new(settings, clock.clone()).unwrap();
    Office { pagerduty, calendar: FakeCalendar::start().await.unwrap(), clock, schedules }
}

fn schedule(source: OnCallSource) -> OnCallSchedule {
    OnCallSchedule { name: "ops".to_owned(), role: Role::new("on_call").unwrap(), source }
}

fn by_pagerduty() -> OnCallSchedule {
    schedule(OnCallSource::PagerDuty { escalation_policy: POLICY.to_owned() })
}

impl Office {
    fn by_calendar(&self) -> OnCallSchedule {
        schedule(OnCallSource::Calendar { url: self.calendar.url().to_owned() })
    }

    async fn read(&self, schedule: &OnCallSchedule) -> Result<String, String> {
        let members = self.schedules.on_call(schedule, AGE).await.members?;
        Ok(members.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }
}

/// R40: the current tier only, not everybody in the policy.
#[tokio::test]
async fn only_the_first_level_is_on_call() {
    let office = office().await;
    office.pagerduty.puts_on_call((POLICY, 1), "PBO0001", None);
    office.pagerduty.puts_on_call((POLICY, 2), "PCHEN01", None);
    office.pagerduty.puts_on_call(("POTHER1", 1), "PCHEN01", None);
    assert_eq!(office.read(&by_pagerduty()).await.unwrap(), "email/bo@example.org pagerduty/PBO0001");
    let query = office.pagerduty.calls().remove(0);
    let asked = |name: &str| {
        query.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((asked("escalation_policy_ids[]"), asked("earliest")), (vec![POLICY], vec!["true"]));
}

/// R40: all pages are read, up to a limit; more than that is nobody's list of who is on call.
#[tokio::test]
async fn all_pages_are_read() {
    let office = office().await;
    for number in 0..250 {
        office.pagerduty.puts_on_call((POLICY, 1 + u32::from(number != 249)), &format!("P{number:06}"), None);
    }
    assert_eq!(office.read(&by_pagerduty()).await.unwrap(), "pagerduty/P000249");
    assert_eq!(office.pagerduty.calls().len(), 3);
    for number in 250..1200 {
        office.pagerduty.puts_on_call((POLICY, 2), &format!("P{number:06}"), None);
    }
    office.clock.passes(Ttl::from_secs(31));
    assert!(office.read(&by_pagerduty()).await.unwrap_err().contains("cannot be understood"));
}

/// R40: an answer serves for a while, and not beyond the handover that it tells of.
#[tokio::test]
async fn an_answer_serves_until_the_handover() {
    let office = office().await;
    let (now, handover) = (office.clock.now(), office.clock.now() + Ttl::from_secs(20));
    office.pagerduty.puts_on_call((POLICY, 1), "PBO0001", Some((now, handover)));
    office.pagerduty.puts_on_call((POLICY, 1), "PCHEN01", Some((handover, handover + Ttl::from_mins(60))));
    assert_eq!(office.schedules.on_call_at_hand(&by_pagerduty(), AGE), None);
    assert!(office.read(&by_pagerduty()).await.unwrap().contains("PBO0001"));
    office.clock.passes(Ttl::from_secs(19));
    assert!(office.read(&by_pagerduty()).await.unwrap().contains("PBO0001"));
    assert!(office.schedules.on_call_at_hand(&by_pagerduty(), AGE).is_some());
    assert_eq!(office.pagerduty.calls().len(), 1, "kept");
    office.clock.passes(Ttl::from_secs(1));
    assert_eq!(office.schedules.on_call_at_hand(&by_pagerduty(), AGE), None);
    assert!(office.read(&by_pagerduty()).await.unwrap().contains("PCHEN01"));
    let members = office.schedules.on_call(&by_pagerduty(), AGE).await;
    assert_eq!(members.as_of, office.clock.now(), "dated by when it was asked");
    office.clock.passes(Ttl::from_secs(31));
    office.read(&by_pagerduty()).await.unwrap();
    assert_eq!(office.pagerduty.calls().len(), 3);
}

/// R40: what cannot be read is said, with what to do and without the token; it is never nobody.
#[tokio::test]
async fn what_cannot_be_read_is_said() {
    let office = office().await;
    office.pagerduty.puts_on_call((POLICY, 1), "PBO0001", None);
    for (status, why) in
        [(500, "does not answer"), (403, "refuses the token"), (404, "answers 404"), (302, "answers 302")]
    {
        office.pagerduty.answers_with(Some(status));
        let said = office.read(&by_pagerduty()).await.unwrap_err();
        assert!(said.contains(why) && !said.contains(PAGERDUTY_TOKEN), "{status}: {said}");
    }
    office.pagerduty.answers_with(Some(200));
    assert!(office.read(&by_pagerduty()).await.unwrap_err().contains("cannot be understood"));
    office.pagerduty.answers_with(None);
    assert!(office.read(&by_pagerduty()).await.unwrap().contains("PBO0001"), "and is asked again at once");

    let strange = office_with("other").await;
    assert!(strange.read(&by_pagerduty()).await.unwrap_err().contains("refuses the token"));
    let plain = Schedules::new(OnCallSettings::default(), office.clock.clone()).unwrap();
    let said = plain.on_call(&by_pagerduty(), AGE).await.members.unwrap_err();
    assert!(said.contains("no PagerDuty token"), "{said}");
}

/// R40: PagerDuty is left alone for as long as it wants.
#[tokio::test]
async fn pagerduty_is_left_alone_when_it_asks_for_that() {
    let office = office().await;
    office.pagerduty.puts_on_call((POLICY, 1), "PBO0001", None);
    office.pagerduty.is_exhausted();
    for _ in 0..3 {
        assert!(office.read(&by_pagerduty()).await.unwrap_err().contains("slow down"));
    }
    assert_eq!(office.pagerduty.calls().len(), 1);
    office.clock.passes(Ttl::from_secs(61));
    assert!(office.read(&by_pagerduty()).await.unwrap().contains("PBO0001"));
}

/// R40: a calendar is read from its address; the address itself is told to nobody, and leads nowhere else.
#[tokio::test]
async fn a_calendar_is_read_from_its_address() {
    let office = office().await;
    let calendar = office.by_calendar();
    let now = office.clock.now().to_rfc3339().replace(['-', ':'], "");
    office.calendar.has_events(&format!(
        "BEGIN:VEVENT\nUID:1\nDTSTART:{}Z\nDURATION:PT1H\nATTENDEE:mailto:bo@example.org\nEND:VEVENT\n",
        &now[..15]
    ));
    assert_eq!(office.read(&calendar).await.unwrap(), "email/bo@example.org");
    office.read(&calendar).await.unwrap();
    assert_eq!(office.calendar.calls(), 1, "kept");
    office.clock.passes(Ttl::from_mins(60));
    assert_eq!(office.read(&calendar).await.unwrap(), "", "the shift is over");
    office.clock.passes(Ttl::from_mins(60));
    for status in [404, 500, 401] {
        office.calendar.answers_with(Some(status));
        let said = office.read(&calendar).await.unwrap_err();
        assert!(!said.contains("secret-feed"), "{said}");
    }
    office.calendar.leads_to(Some(office.pagerduty.url()));
    assert!(office.read(&calendar).await.unwrap_err().contains("302"));
    assert_eq!(office.pagerduty.calls().len(), 0, "no redirect is followed");
    office.calendar.leads_to(None);
    office.calendar.serves("<title>Sign in</title>");
    assert!(office.read(&calendar).await.unwrap_err().contains("no calendar"));
    office.calendar.serves(&"x".repeat((4 << 20) + 1));
    assert!(office.read(&calendar).await.unwrap_err().contains("more than"));
    let plain = schedule(OnCallSource::Calendar { url: "http://calendar.example.org/a.ics".to_owned() });
    assert!(office.read(&plain).await.unwrap_err().contains("https"));
}

/// Many who ask at once ask once.
#[tokio::test]
async fn one_question_is_under_way() {
    let office = office().await;
    office.pagerduty.puts_on_call((POLICY, 1), "PBO0001", None);
    let schedule = by_pagerduty();
    let answers = futures::future::join_all((0..20).map(|_| office.schedules.on_call(&schedule, AGE))).await;
    assert!(answers.iter().all(|members| members.members.is_ok()));
    assert_eq!(office.pagerduty.calls().len(), 1);
}
