//! R51 over the API: of a confidential call, only who may read it is shown the arguments, whatever they ask for.

use serde_json::json;

use crate::fixture::{Desk, POLICY, Setting};

const SECRET: &str = "severance-4711";

async fn desk() -> Desk {
    let policy = POLICY.replace("[levels.high]\n", "[levels.high]\nconfidential = true\n");
    Desk::with(Setting { policy, ..Setting::default() }).await
}

/// R51: the card is for who may ever be asked about it; anybody else is refused with who may, and that is on record.
#[tokio::test]
async fn the_card_is_read_by_who_decides() {
    let desk = desk().await;
    let id = desk.proposes("delete_file", json!({"path": SECRET})).await;
    for path in [format!("/v1/requests/{id}?view=card"), format!("/v1/requests/{id}")] {
        let answer = desk.get("vic", &path).send().await;
        assert!(!answer.body.contains(SECRET), "{}", answer.body);
        let problem = answer.problem(403, "not_allowed");
        assert!(problem["detail"].as_str().unwrap().contains("admin"), "who may: {problem}");
    }
    assert_eq!(desk.blocked("acme").await, 1, "noted once a minute, as for strangers");
    let head = desk.ask(axum::http::Method::HEAD, &format!("/v1/requests/{id}")).token(&desk.token("vic"));
    assert_eq!(head.send().await.status, 403);
    desk.get("auditor", &format!("/v1/requests/{id}?view=card")).send().await.problem(403, "no_standing");
    assert!(desk.load(&id).await.renderings.is_empty(), "nobody was shown anything");
    let read = desk.get("bo", &format!("/v1/requests/{id}?view=card")).send().await.expect(200);
    assert!(read.body.contains(SECRET), "{}", read.body);
    assert_eq!(desk.votes("bo", &id, true).await.expect(200).json()["status"], "approved");
}

/// R51: nor do lists, the agent's view and what is answered to who does something to it tell anything.
#[tokio::test]
async fn nothing_else_tells_the_arguments() {
    let desk = desk().await;
    let id = desk.proposes("delete_file", json!({"path": SECRET})).await;
    let list = desk.get("vic", "/v1/requests").send().await.expect(200);
    assert!(!list.body.contains(SECRET), "{}", list.body);
    assert_eq!(list.json()["requests"][0]["title"], "delete_file");
    assert!(desk.get("bo", "/v1/requests").send().await.expect(200).body.contains(SECRET));
    desk.approves("bo", &id).await;
    let claim = desk.claims(&id, json!({"path": SECRET}), 'k').await.expect(200).json();
    let outcome =
        json!({"claim": claim["claim"], "key": "k".repeat(40), "status": "succeeded", "result": SECRET});
    desk.post("agent", &format!("/v1/requests/{id}/outcome"), &outcome).send().await.expect(200);
    let views = [format!("/v1/requests/{id}?view=agent"), "/approvals".to_owned()];
    for path in &views {
        for (who, reads) in [("vic", false), ("manager", false), ("bo", true)] {
            let read = desk.get(who, path).send().await.expect(200);
            assert_eq!(read.body.contains(SECRET), reads, "{who} {path}: {}", read.body);
        }
    }
    let other = desk.proposes("delete_file", json!({"path": SECRET})).await;
    let revoked =
        desk.post("manager", &format!("/v1/requests/{other}/revoke"), &json!({})).send().await.expect(200);
    assert!(!revoked.body.contains(SECRET), "{}", revoked.body);
}
