//! `/v1/stops` (R44) and `/v1/remembered` (R9, R25).

use axum::http::Method;
use placet::ports::store::Scope;
use serde_json::{Value, json};

use crate::fixture::{Answer, Desk, NOWHERE};

async fn stops(desk: &Desk, who: &str, body: Value) -> Answer {
    desk.post(who, "/v1/stops", &body).send().await
}

/// R44: a stop of anything that covers a call keeps it from being claimed, with the reason; lifted, it is claimed.
#[tokio::test]
async fn nothing_is_claimed_until_a_stop_is_lifted() {
    let desk = Desk::new().await;
    for body in [
        json!({"scope": "tenant", "reason": "an incident"}),
        json!({"scope": "agent", "name": "agent", "reason": "an incident"}),
        json!({"scope": "tool", "name": "delete_file", "reason": "an incident"}),
        json!({"scope": "run", "name": "agent", "run": "run-1", "reason": "an incident"}),
    ] {
        let id = desk.delete_file().await;
        desk.approves("bo", &id).await;
        let stop = stops(&desk, "manager", body.clone()).await.expect(200).json();
        assert_eq!((&stop["scope"], &stop["reason"]), (&body["scope"], &body["reason"]));
        assert_eq!((&stop["by"], &stop["stands"]), (&json!("manager"), &json!(true)));
        let again = stops(&desk, "manager", body.clone()).await.expect(200).json();
        assert_eq!(again["id"], stop["id"], "what is stopped is stopped");
        let problem = desk.claims(&id, json!({"path": "a.txt"}), 'k').await.problem(409, "held");
        assert!(problem["detail"].as_str().unwrap().ends_with(": an incident"), "{problem}");
        let listed = desk.get("auditor", "/v1/stops").send().await.expect(200).json();
        assert_eq!(listed["stops"], json!([stop]));
        let path = format!("/v1/stops/{}", stop["id"].as_str().unwrap());
        desk.delete("manager", &path).send().await.expect(200);
        desk.delete("manager", &path).send().await.problem(404, "stop_not_found");
        desk.claims(&id, json!({"path": "a.txt"}), 'k').await.expect(200);
    }
    let standing = desk.get("bo", "/v1/stops").send().await.expect(200).json();
    assert_eq!(standing, json!({"stops": []}));
    let all = desk.get("bo", "/v1/stops?lifted=true").send().await.expect(200).json();
    assert_eq!(all["stops"].as_array().unwrap().len(), 4);
    assert_eq!(all["stops"][0]["lifted"]["by"], "manager");
    // What is stopped is another agent's, tool's or run's.
    for body in [
        json!({"scope": "agent", "name": "other", "reason": "r"}),
        json!({"scope": "tool", "name": "files/delete_file", "reason": "r"}),
        json!({"scope": "run", "name": "agent", "run": "run-2", "reason": "r"}),
    ] {
        stops(&desk, "manager", body).await.expect(200);
    }
    let id = desk.delete_file().await;
    desk.approves("bo", &id).await;
    desk.claims(&id, json!({"path": "a.txt"}), 'k').await.expect(200);
}

/// R44: who proposes what is stopped, and who is asked about it, learn that a yes alone starts nothing; once it is lifted,
/// nothing is said of it any more, nor of a call that no stop covers.
#[tokio::test]
async fn a_request_says_that_calls_like_it_are_stopped() {
    let desk = Desk::new().await;
    let before = desk.delete_file().await;
    assert!(desk.reads("agent", &before).await.get("stopped").is_none());
    let other = json!({"scope": "tool", "name": "files/delete_file", "reason": "another"});
    stops(&desk, "manager", other).await.expect(200);
    assert!(desk.reads("agent", &before).await.get("stopped").is_none());
    let body = json!({"scope": "tool", "name": "delete_file", "reason": "an incident"});
    let stop = stops(&desk, "manager", body).await.expect(200).json();
    let told = json!({"since": stop["since"], "reason": "an incident"});
    let after = desk.proposes("delete_file", json!({"path": "b.txt"})).await;
    for id in [&before, &after] {
        for who in ["agent", "runner", "bo"] {
            assert_eq!(desk.reads(who, id).await["stopped"], told, "{who}");
        }
    }
    desk.approves("bo", &after).await;
    assert_eq!(desk.reads("agent", &after).await["stopped"], told, "it is approved, and still cannot start");
    let path = format!("/v1/stops/{}", stop["id"].as_str().unwrap());
    desk.delete("manager", &path).send().await.expect(200);
    assert!(desk.reads("agent", &after).await.get("stopped").is_none());
}

/// R19, R44, R9: lists of stops, and of what is remembered, are paged as other lists are; a cursor that is none is told.
#[tokio::test]
async fn lists_are_paged() {
    let desk = Desk::new().await;
    for number in 0..5 {
        desk.clock.passes(placet::time::Ttl::from_secs(1));
        let name = format!("agent-{number}");
        stops(&desk, "manager", json!({"scope": "agent", "name": name, "reason": "r"})).await.expect(200);
    }
    let whole = desk.get("auditor", "/v1/stops").send().await.expect(200).json();
    assert_eq!(whole["stops"].as_array().unwrap().len(), 5);
    assert!(whole.get("next").is_none(), "{whole}");
    let (mut paged, mut pages, mut before) = (Vec::new(), 0, String::new());
    loop {
        let page = desk.get("auditor", &format!("/v1/stops?limit=2{before}")).send().await.expect(200).json();
        paged.extend(page["stops"].as_array().unwrap().clone());
        pages += 1;
        match page["next"].as_str() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!((Value::from(paged), pages), (whole["stops"].clone(), 3));
    let exactly = desk.get("auditor", "/v1/stops?limit=5").send().await.expect(200).json();
    assert!(exactly.get("next").is_none(), "nothing comes after the last: {exactly}");
    for path in ["/v1/stops", "/v1/remembered"] {
        let problem =
            desk.get("auditor", &format!("{path}?before=x")).send().await.problem(400, "query_invalid");
        assert_eq!(problem["field"], "before");
        desk.get("auditor", &format!("{path}?before={NOWHERE}")).send().await.expect(200);
    }
}

/// R44: stewards may, by the credential that is theirs; others are told who may, and that is on record.
#[tokio::test]
async fn stewards_stop_and_others_do_not() {
    let desk = Desk::new().await;
    let body = json!({"scope": "tenant", "reason": "look first"});
    let problem = stops(&desk, "vic", body.clone()).await.problem(403, "not_allowed");
    assert!(problem["detail"].as_str().unwrap().contains("admin"), "{problem}");
    desk.has("stranger", "acme", &[Scope::Decide]).await;
    stops(&desk, "stranger", body.clone()).await.problem(403, "no_standing");
    assert_eq!(desk.blocked("acme").await, 2);
    let stop = stops(&desk, "bo", body).await.expect(200).json();
    assert_eq!(stop["by"], "Bo");
    let path = format!("/v1/stops/{}", stop["id"].as_str().unwrap());
    desk.delete("vic", &path).send().await.problem(403, "not_allowed");
    desk.delete("chen", &path).send().await.expect(200);
    let kinds: Vec<_> = desk.events("acme").await.iter().map(|event| event.kind.name()).collect();
    assert!(kinds.contains(&"stop.placed") && kinds.contains(&"stop.lifted"), "{kinds:?}");
}

#[tokio::test]
async fn each_wrong_field_of_a_stop_is_named() {
    let desk = Desk::new().await;
    for (body, code, field) in [
        (json!({"reason": "r"}), "missing_field", "scope"),
        (json!({"scope": "everything", "reason": "r"}), "invalid_field", "scope"),
        (json!({"scope": "tenant", "name": "acme", "reason": "r"}), "invalid_field", "name"),
        (json!({"scope": "tenant"}), "missing_field", "reason"),
        (json!({"scope": "tenant", "reason": " "}), "invalid_field", "reason"),
        (json!({"scope": "tenant", "reason": "x".repeat(2001)}), "field_too_long", "reason"),
        (json!({"scope": "agent", "reason": "r"}), "missing_field", "name"),
        (json!({"scope": "agent", "name": "a\nb", "reason": "r"}), "invalid_field", "name"),
        (json!({"scope": "tool", "name": "/b", "reason": "r"}), "invalid_field", "name"),
        (json!({"scope": "tool", "name": "delete_*", "reason": "r"}), "invalid_field", "name"),
        (json!({"scope": "tool", "name": "a", "run": "r", "reason": "r"}), "invalid_field", "run"),
        (json!({"scope": "run", "name": "a", "reason": "r"}), "missing_field", "run"),
        (json!({"scope": "tenant", "reason": "r", "tenant": "globex"}), "unknown_field", "tenant"),
    ] {
        let problem = stops(&desk, "manager", body.clone()).await.problem(422, code);
        assert_eq!(problem["field"], field, "{body}");
    }
    assert_eq!(desk.get("bo", "/v1/stops").send().await.json(), json!({"stops": []}));
}

/// R44: a stop covers exactly what it names: a pattern is refused with the tools that it means, and a name that was never
/// seen here is said to be one; the names of other tenants are not told.
#[tokio::test]
async fn a_stop_of_what_nobody_knows_says_so() {
    let desk = Desk::new().await;
    desk.delete_file().await;
    desk.has("globex-agent", "globex", &[Scope::Propose]).await;
    let tool = |name: &str| json!({"scope": "tool", "name": name, "reason": "r"});
    let problem = stops(&desk, "manager", tool("delete_*")).await.problem(422, "invalid_field");
    assert!(
        problem["detail"].as_str().unwrap().contains("known tools that it means: delete_file"),
        "{problem}"
    );
    for (body, warning) in [
        (
            tool("delete_fiel"),
            "no tool `delete_fiel` is known here, so that this may cover nothing; did you mean `delete_file`?",
        ),
        (
            json!({"scope": "agent", "name": "globex-agent", "reason": "r"}),
            "no agent `globex-agent` is known here, so that this may cover nothing",
        ),
        (
            json!({"scope": "run", "name": "agent", "run": "run-9", "reason": "r"}),
            "no run `run-9` is known here, so that this may cover nothing; did you mean `run-1`?",
        ),
    ] {
        let stop = stops(&desk, "manager", body).await.expect(200).json();
        assert_eq!(stop["warning"], warning);
    }
    let stop = stops(&desk, "manager", tool("delete_file")).await.expect(200).json();
    assert_eq!(stop.get("warning"), None);
}

/// R19, R44, R25: another tenant's stop, and what it remembers, cannot be told from what never was, byte for byte.
#[tokio::test]
async fn another_tenants_stop_is_none() {
    let desk = Desk::new().await;
    desk.has("globex-manager", "globex", &[Scope::Manage]).await;
    let stop = stops(&desk, "manager", json!({"scope": "tenant", "reason": "r"})).await.expect(200).json();
    let theirs = desk.delete_file().await;
    for (what, id, code) in [
        ("stops", stop["id"].as_str().unwrap(), "stop_not_found"),
        ("remembered", theirs.as_str(), "remembered_not_found"),
    ] {
        let ask = async |id: &str| {
            let ask = desk.ask(Method::DELETE, &format!("/v1/{what}/{id}"));
            ask.token(&desk.token("globex-manager")).send().await
        };
        let (other, none, odd) = (ask(id).await, ask(NOWHERE).await, ask("no-id").await);
        assert_eq!((&other, &other), (&none, &odd));
        other.problem(404, code);
        let listed = desk.get("globex-manager", &format!("/v1/{what}")).send().await.expect(200).json();
        assert_eq!(listed[what], json!([]));
    }
    assert_eq!(desk.blocked("acme").await, 0);
    assert_eq!(desk.blocked("globex").await, 2, "each once a minute, in their own record");
    assert_eq!(desk.get("bo", "/v1/stops").send().await.json()["stops"], json!([stop]), "and it stands");
}
