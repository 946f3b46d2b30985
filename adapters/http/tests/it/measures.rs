//! `/metrics`: requests and alarms by state, answers by route.

use axum::http::Method;
use metrics_exporter_prometheus::PrometheusBuilder;
use placet::time::Ttl;

use crate::fixture::{Desk, Setting};

/// R38, R10: what waits, what waits too long, and how the interface does.
#[tokio::test]
async fn numbers_for_whoever_looks_after_it() {
    let handle = PrometheusBuilder::new().install_recorder().unwrap();
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
    assert!(!second.body.contains("secret-id"), "addresses are no labels");
}
