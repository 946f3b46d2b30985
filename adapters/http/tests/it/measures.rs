//! `/metrics`: requests and alarms by state, answers by route.

use axum::http::Method;
use metrics_exporter_prometheus::PrometheusBuilder;
use placet::approval::{Command, Delivery};
use placet::time::Ttl;
use placet_http::limits::ALARM_SHOWN_FOR;
use serde_json::json;

use crate::fixture::{Desk, POLICY, Setting};

/// R38, R10, R29, R21: what waits, what waits too long, what reached nobody, what nobody knows, and how the interface does.
#[tokio::test]
async fn numbers_for_whoever_looks_after_it() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    // This thread's own, in which everything here runs: what other tests count is theirs.
    let _counted_here = metrics::set_default_local_recorder(&recorder);
    let desk = Desk::with(Setting { metrics: Some(handle), ..Setting::default() }).await;
    let id = desk.delete_file().await;
    let other = desk.delete_file().await;
    desk.votes("bo", &other, false).await.expect(200);
    let scrape = async || desk.ask(Method::GET, "/metrics").send().await.expect(200);
    let first = scrape().await;
    assert_eq!(first.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let holds =
        |text: &str, line: &str| assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    holds(&first.body, "placet_requests{status=\"waiting_approval\"} 1");
    holds(&first.body, "placet_requests{status=\"rejected\"} 1");
    holds(&first.body, "placet_alarms{alarm=\"waits_long\"} 0");
    holds(&first.body, "placet_votes_total{surface=\"api\",decision=\"deny\"} 1");
    holds(&first.body, "placet_http_requests_total{route=\"/v1/requests\",method=\"POST\",status=\"201\"} 2");
    assert!(first.body.contains("placet_http_request_seconds"));
    desk.clock.passes(Ttl::from_mins(16));
    desk.tick(&id).await;
    desk.ask(Method::GET, "/nowhere/secret-id").send().await.problem(404, "route_not_found");
    let second = scrape().await;
    holds(&second.body, "placet_alarms{alarm=\"waits_long\"} 1");
    holds(&second.body, "placet_alarms{alarm=\"card_undeliverable\"} 0");
    assert!(!second.body.contains("secret-id"), "addresses are no labels");
    // No card gets through, all the while that people could have decided: that is seen once it is over, too.
    let failure = Some("not in the channel".to_owned());
    let undeliverable = Command::Deliver(Delivery { surface: "slack".parse().unwrap(), failure });
    desk.gate.command(&"acme".parse().unwrap(), id.parse().unwrap(), undeliverable).await.unwrap().1.unwrap();
    desk.clock.passes(Ttl::from_mins(20));
    desk.tick(&id).await;
    let run = desk.proposes("get_time", json!({})).await;
    let claim = json!({"tool": "get_time", "args": {}, "key": "k".repeat(40)});
    desk.post("agent", &format!("/v1/requests/{run}/claim"), &claim).send().await.expect(200);
    desk.clock.passes(Ttl::from_mins(5));
    desk.tick(&run).await;
    let third = scrape().await;
    holds(&third.body, "placet_requests{status=\"waiting_approval\"} 0");
    holds(&third.body, "placet_alarms{alarm=\"card_undeliverable\"} 1");
    holds(&third.body, "placet_alarms{alarm=\"outcome_unknown\"} 1");
    desk.clock.passes(ALARM_SHOWN_FOR);
    desk.clock.passes(Ttl::from_mins(1));
    let fourth = scrape().await;
    holds(&fourth.body, "placet_alarms{alarm=\"waits_long\"} 0");
    holds(&fourth.body, "placet_alarms{alarm=\"card_undeliverable\"} 0");
    holds(&fourth.body, "placet_alarms{alarm=\"outcome_unknown\"} 1");
}

/// R44, R45: who looks after it sees without a credential that calls are stopped, and that the policy only looks on.
#[tokio::test]
async fn stops_and_shadow_are_shown() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _counted_here = metrics::set_default_local_recorder(&recorder);
    let policy = POLICY.replacen("version = \"test\"", "version = \"test\"\nshadow = true", 1);
    assert_ne!(policy, POLICY);
    let desk = Desk::with(Setting { policy, metrics: Some(handle), ..Setting::default() }).await;
    let ready = async || desk.ask(Method::GET, "/readyz").send().await.expect(200).json();
    let shown = async |line: &str| {
        let text = desk.ask(Method::GET, "/metrics").send().await.expect(200).body;
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    };
    let before = ready().await;
    assert_eq!((&before["policy"]["shadow"], before.get("stops")), (&json!(true), None), "{before}");
    shown("placet_policy_shadow 1").await;
    shown("placet_stops 0").await;
    let body = json!({"scope": "tenant", "reason": "r"});
    desk.post("manager", "/v1/stops", &body).send().await.expect(200);
    desk.clock.passes(Ttl::from_mins(1));
    assert_eq!(ready().await["stops"], 1);
    shown("placet_stops 1").await;
    let plain = Desk::new().await;
    let told = plain.ask(Method::GET, "/readyz").send().await.expect(200).json();
    assert!(told["policy"].get("shadow").is_none() && told.get("stops").is_none(), "{told}");
}
