//! Who may do what: each route by each scope, and every way in which a credential is no good.

use axum::http::Method;
use placet::ports::store::Scope;
use placet::time::Ttl;
use serde_json::json;

use crate::chat::{ScriptedAgent, with_agent};
use crate::fixture::{Desk, NOWHERE};

/// Every route, and the scopes that may.
fn routes() -> Vec<(Method, String, Vec<Scope>)> {
    use Scope::{Audit, Decide, Execute, Manage, Propose};
    let one = format!("/v1/requests/{NOWHERE}");
    let any = Scope::ALL.to_vec();
    vec![
        (Method::POST, "/v1/requests".into(), vec![Propose]),
        (Method::GET, "/v1/requests".into(), vec![Decide, Audit, Manage]),
        (Method::GET, one.clone(), any.clone()),
        (Method::DELETE, one.clone(), vec![Propose]),
        (Method::POST, format!("{one}/claim"), vec![Execute]),
        (Method::POST, format!("{one}/heartbeat"), vec![Execute]),
        (Method::POST, format!("{one}/outcome"), vec![Execute]),
        (Method::POST, format!("{one}/revoke"), vec![Decide, Manage]),
        (Method::POST, format!("{one}/settle"), vec![Decide, Manage]),
        (Method::POST, format!("{one}/edit"), vec![Decide]),
        (Method::POST, format!("{one}/break-glass"), vec![Decide]),
        (Method::POST, format!("{one}/review"), vec![Decide]),
        (Method::POST, format!("{one}/take-back"), vec![Decide]),
        (Method::GET, "/v1/remembered".into(), vec![Decide, Audit, Manage]),
        (Method::DELETE, format!("/v1/remembered/{NOWHERE}"), vec![Decide, Manage]),
        (Method::GET, "/v1/stops".into(), vec![Decide, Audit, Manage]),
        (Method::POST, "/v1/stops".into(), vec![Decide, Manage]),
        (Method::DELETE, format!("/v1/stops/{NOWHERE}"), vec![Decide, Manage]),
        (Method::GET, "/v1/policy".into(), vec![Audit, Manage]),
        (Method::GET, format!("/v1/policy/{}", "0".repeat(64)), vec![Audit, Manage]),
        (Method::POST, "/approvals".into(), vec![Decide]),
        (Method::GET, "/approvals".into(), vec![Decide, Audit, Manage]),
        (Method::GET, "/v1/events".into(), vec![Audit]),
        (Method::POST, "/chat".into(), vec![Propose]),
        (Method::GET, "/chat/s/events".into(), vec![Propose]),
        (Method::GET, "/v1/grant-key".into(), any),
    ]
}

/// R47: the matrix of routes and scopes. Who may gets past the door, whatever the empty body is worth behind it.
#[tokio::test]
async fn each_route_asks_for_its_scope() {
    let desk = with_agent(ScriptedAgent::silent).await;
    for scope in Scope::ALL {
        desk.has(scope.name(), "acme", &[scope]).await;
    }
    for (method, path, allowed) in routes() {
        for scope in Scope::ALL {
            let ask = desk.ask(method.clone(), &path).token(&desk.token(scope.name())).json(&json!({}));
            let (status, _, body) = ask.open().await;
            let code = if status == 403 {
                let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
                problem["code"].as_str().unwrap().to_owned()
            } else {
                String::new()
            };
            if allowed.contains(&scope) {
                // That the credential is nobody's who may do this is said behind the door.
                let in_person = code.is_empty() || code == "no_standing";
                let past = ![401, 405].contains(&status.as_u16()) && in_person;
                assert!(past, "{method} {path} {scope:?}: {status} {code}");
            } else {
                assert_eq!(
                    (status.as_u16(), code.as_str()),
                    (403, "scope_missing"),
                    "{method} {path} {scope:?}"
                );
            }
        }
        let nobody = desk.ask(method.clone(), &path).json(&json!({})).send().await;
        assert_eq!(nobody.headers["www-authenticate"], "Bearer realm=\"placet\"");
        nobody.problem(401, "unauthorized");
    }
}

/// R47: unknown, expired, revoked and malformed are one answer. What is wrong with the header itself is told: whoever sent it
/// knows that already, and nothing is learnt of any credential.
#[tokio::test]
async fn a_credential_that_is_no_good_is_not_told_why() {
    let desk = Desk::new().await;
    desk.has_row("old", "acme", &[Scope::Audit], |row| {
        row.expires_at = Some(row.created_at + Ttl::from_secs(60))
    })
    .await;
    desk.has("gone", "acme", &[Scope::Audit]).await;
    desk.get("old", "/v1/requests").send().await.expect(200);
    desk.get("gone", "/v1/requests").send().await.expect(200);
    desk.clock.passes(Ttl::from_secs(60));
    use placet::ports::CredentialStore as _;
    assert!(desk.store.revoke_credential(&"acme".parse().unwrap(), &"gone".parse().unwrap()).await.unwrap());
    let bad = |value: &str| desk.ask(Method::GET, "/v1/requests").header("authorization", value).send();
    let unknown = bad("Bearer plt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").await;
    unknown.clone().problem(401, "unauthorized");
    for other in [
        desk.get("old", "/v1/requests").send().await,
        desk.get("gone", "/v1/requests").send().await,
        bad("Bearer nonsense").await,
        bad(&format!("Bearer {} ", desk.token("auditor").to_uppercase())).await,
    ] {
        assert_eq!(other, unknown);
    }
    let twice = desk.get("auditor", "/v1/requests").token(&desk.token("auditor")).send().await;
    for (other, told) in [
        (bad("Basic dXNlcjpwYXNz").await, "is not of the scheme Bearer"),
        (bad(&desk.token("auditor")).await, "is not of the scheme Bearer"),
        (twice, "there are several Authorization headers"),
        (desk.ask(Method::GET, "/v1/requests").send().await, "there is no Authorization header"),
    ] {
        let problem = other.problem(401, "unauthorized");
        assert!(problem["detail"].as_str().unwrap().contains(told), "{problem}");
    }
    let lower = bad(&format!("bearer {}", desk.token("auditor"))).await;
    lower.expect(200);
}

/// What is open to everybody tells nothing of anybody.
#[tokio::test]
async fn health_needs_no_credential() {
    let desk = Desk::new().await;
    desk.ask(Method::GET, "/healthz").send().await.expect(200);
    desk.ask(Method::GET, "/readyz").send().await.expect(200);
    desk.store.close();
    desk.ask(Method::GET, "/healthz").send().await.expect(200);
    let answer = desk.ask(Method::GET, "/readyz").send().await;
    assert_eq!(answer.headers["retry-after"], "2");
    answer.problem(503, "unavailable");
    desk.get("auditor", "/v1/requests").send().await.problem(503, "unavailable");
}

#[tokio::test]
async fn what_is_not_there_is_a_problem_too() {
    let desk = Desk::new().await;
    desk.ask(Method::GET, "/v2/requests").send().await.problem(404, "route_not_found");
    desk.ask(Method::GET, "/metrics").send().await.problem(404, "route_not_found");
    desk.get("agent", "/chat/s/events").send().await.problem(404, "no_agent");
    desk.post("agent", "/chat", &json!({"text": "hello"})).send().await.problem(404, "no_agent");
    let answer = desk.ask(Method::PUT, "/v1/requests").send().await;
    let mut allowed: Vec<_> = answer.headers["allow"].to_str().unwrap().split(',').collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "POST"]);
    answer.problem(405, "method_not_allowed");
    desk.ask(Method::PATCH, &format!("/v1/requests/{NOWHERE}"))
        .send()
        .await
        .problem(405, "method_not_allowed");
}
