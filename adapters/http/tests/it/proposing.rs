//! `/v1/requests`: proposals, idempotency, long polls, lists, withdrawals.

use placet::ports::store::Scope;
use placet::time::Ttl;
use serde_json::{Value, json};

use crate::fixture::{Desk, call};

/// R1, R22: each tier is taken in, and the answer says how it stands.
#[tokio::test]
async fn a_proposal_of_each_tier_is_taken() {
    let desk = Desk::new().await;
    for (tool, status, decision) in [
        ("get_time", "approved", None),
        ("write_note", "approved", None),
        ("delete_file", "waiting_approval", None),
        ("drop_table", "rejected", Some("denied by policy: Tables are dropped by migrations only.")),
    ] {
        let answer =
            desk.post("agent", "/v1/requests", &call(tool, json!({"x": 1}))).send().await.expect(201);
        let body = answer.json();
        assert_eq!(body["status"], status, "{tool}");
        assert_eq!(body["decision"].as_str(), decision, "{tool}");
        let id = body["id"].as_str().unwrap();
        assert_eq!(answer.headers["location"], format!("/v1/requests/{id}"));
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert_eq!(desk.reads("agent", id).await, body, "what is read is what was answered");
        assert_eq!(body["args_hash"].as_str().unwrap().len(), 64);
    }
}

/// R53: behind a path prefix, what is created is found under it.
#[tokio::test]
async fn a_path_prefix_is_part_of_every_address() {
    let mut desk = Desk::new().await;
    desk.router = axum::Router::new().nest("/placet", desk.router);
    let answer =
        desk.post("agent", "/placet/v1/requests", &call("get_time", json!({}))).send().await.expect(201);
    let location = answer.headers["location"].to_str().unwrap();
    assert!(location.starts_with("/placet/v1/requests/"), "{location}");
    assert_eq!(desk.get("agent", location).send().await.expect(200).json(), answer.json());
    desk.get("agent", "/placet/nowhere").send().await.problem(404, "route_not_found");
}

/// R8: "could not ask anyone" is another answer than "they said no".
#[tokio::test]
async fn with_nobody_to_ask_the_answer_says_so() {
    let desk = Desk::with(crate::fixture::Setting { decide_over_api: false, ..Default::default() }).await;
    let id = desk.delete_file().await;
    assert_eq!(desk.reads("agent", &id).await["decision"], "not asked: no approver configured (fail closed)");
    desk.votes("bo", &id, true).await.problem(404, "already_decided");
}

/// R26: what one person asked for is not answered with another's request, whatever key a gateway chose.
#[tokio::test]
async fn a_key_does_not_hide_who_asks() {
    let desk = Desk::new().await;
    desk.has_row("gateway", "acme", &[Scope::Propose], |row| row.may_act_for_others = true).await;
    let body = |who: &str, task: &str| {
        let mut body = call("delete_file", json!({"path": "a"}));
        body["on_behalf_of"] = json!(who);
        body["task"] = json!(task);
        body
    };
    let send =
        |body: Value| desk.post("gateway", "/v1/requests", &body).header("idempotency-key", "k-1").send();
    let first = send(body("credential/chen", "tidy")).await.expect(201).json();
    send(body("credential/bo", "tidy")).await.problem(409, "idempotency_conflict");
    send(body("credential/chen", "another")).await.problem(409, "idempotency_conflict");
    assert_eq!(send(body("credential/chen", "tidy")).await.expect(200).json()["id"], first["id"]);
}

/// R26: the same key is the same request and one card; another call under it is refused; keys are each credential's
/// own.
#[tokio::test]
async fn the_same_key_is_the_same_request() {
    let desk = Desk::new().await;
    let body = call("delete_file", json!({"path": "a", "n": 1}));
    let send = |body: &Value| desk.post("agent", "/v1/requests", body).header("idempotency-key", "k-1");
    let first = send(&body).send().await.expect(201).json();
    // Another spelling of the same arguments.
    let same = serde_json::from_str(&body.to_string().replace("\"n\":1", "\"n\":1.0")).unwrap();
    assert_eq!(send(&same).send().await.expect(200).json(), first);
    let problem =
        send(&call("delete_file", json!({"path": "b"}))).send().await.problem(409, "idempotency_conflict");
    assert_eq!(problem["field"], "Idempotency-Key");
    desk.has("other", "acme", &[Scope::Propose]).await;
    let other =
        desk.post("other", "/v1/requests", &body).header("idempotency-key", "k-1").send().await.expect(201);
    assert_ne!(other.json()["id"], first["id"]);
    let without = desk.post("agent", "/v1/requests", &body).send().await.expect(201);
    assert_ne!(without.json()["id"], first["id"], "without a key each is new");
    for bad in [String::new(), "k".repeat(201)] {
        desk.post("agent", "/v1/requests", &body)
            .header("idempotency-key", &bad)
            .send()
            .await
            .problem(400, "header_invalid");
    }
    let twice = send(&body).header("idempotency-key", "k-2").send().await;
    twice.problem(400, "header_invalid");
}

/// R22: everything that may be said about a call is kept; nothing else is taken.
#[tokio::test]
async fn a_proposal_is_kept_as_it_was_made() {
    let desk = Desk::new().await;
    let body = json!({
        "tool": "delete_file", "server": "files", "args": {"path": "a.txt"},
        "run": {"id": "run-1", "step": "step-2"}, "session": "session-3",
        "task": "clean up", "reason": "old",
        "evidence": [{"id": "e1", "title": "listing", "uri": "file:///a", "excerpt": "a.txt 2019"}, {"id": "e2", "title": "t"}],
        "preview": "- a.txt", "if_denied": "I keep it", "prompt_version": "p7", "place": "C1", "timeout": "5m",
    });
    let answer = desk.post("agent", "/v1/requests", &body).send().await.expect(201).json();
    let approval = desk.load(answer["id"].as_str().unwrap()).await;
    let proposal = &approval.proposal;
    assert_eq!(proposal.call.full_name(), "files/delete_file");
    assert_eq!(proposal.call.agent.as_str(), "agent");
    assert_eq!(proposal.run.as_ref().unwrap().step.as_str(), "step-2");
    assert_eq!(proposal.session.as_ref().unwrap().as_str(), "session-3");
    assert_eq!(proposal.evidence.len(), 2);
    assert_eq!(proposal.evidence[0].excerpt.as_deref(), Some("a.txt 2019"));
    assert_eq!(proposal.timeout, Some(Ttl::from_mins(5)));
    assert_eq!((proposal.place.as_deref(), proposal.preview.as_deref()), (Some("C1"), Some("- a.txt")));
    assert_eq!(
        (proposal.if_denied.as_deref(), proposal.prompt_version.as_deref()),
        (Some("I keep it"), Some("p7"))
    );
    assert_eq!(proposal.requester.shown_as, "agent");
    assert_eq!(answer["expires_at"], (approval.opened_at + Ttl::from_mins(5)).to_rfc3339());
}

/// Style 6: each wrong field is refused by its name.
#[tokio::test]
async fn each_wrong_field_is_named() {
    let desk = Desk::new().await;
    let good = call("delete_file", json!({}));
    let cases: Vec<(Value, &str, &str)> = vec![
        (json!({"arguments": {}}), "unknown_field", "arguments"),
        (json!({"risk": "auto"}), "unknown_field", "risk"),
        (json!({"tool": null}), "missing_field", "tool"),
        (json!({"tool": ""}), "invalid_field", "tool"),
        (json!({"tool": 7}), "invalid_field", "tool"),
        (json!({"server": "a\nb"}), "invalid_field", "server"),
        (json!({"args": null}), "missing_field", "args"),
        (json!({"args": [1]}), "args_not_an_object", "args"),
        (json!({"run": {"id": "r"}}), "missing_field", "run.step"),
        (json!({"run": {"id": "r", "step": "s", "no": 1}}), "unknown_field", "run.no"),
        (json!({"run": "r"}), "invalid_field", "run"),
        (json!({"task": "  "}), "invalid_field", "task"),
        (json!({"task": "x".repeat(2001)}), "field_too_long", "task"),
        (json!({"reason": null}), "missing_field", "reason"),
        (json!({"evidence": {}}), "invalid_field", "evidence"),
        (json!({"evidence": [{"id": "e"}]}), "missing_field", "evidence[0].title"),
        (json!({"evidence": [{"id": "e", "title": "t", "url": "u"}]}), "unknown_field", "evidence[0].url"),
        (json!({"evidence": vec![json!({"id": "e", "title": "t"}); 21]}), "field_too_long", "evidence"),
        (json!({"preview": "x".repeat(64 * 1024 + 1)}), "field_too_long", "preview"),
        (json!({"timeout": "soon"}), "invalid_field", "timeout"),
        (json!({"timeout": "10ms"}), "invalid_field", "timeout"),
        (json!({"on_behalf_of": "nobody"}), "invalid_field", "on_behalf_of"),
    ];
    for (change, code, field) in cases {
        let mut body = good.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let problem = desk.post("agent", "/v1/requests", &body).send().await.problem(422, code);
        assert_eq!(problem["field"], field);
    }
    assert!(desk.events("acme").await.iter().all(|event| event.request.is_none()), "nothing was opened");
}

/// R23: duplicate keys and numbers that do not survive are refused on the raw bytes.
#[tokio::test]
async fn only_strict_json_gets_in() {
    let desk = Desk::new().await;
    for (raw, status, code) in [
        (r#"{"tool":"t","args":{"a":1,"a":2},"task":"x","reason":"y"}"#, 400, "json_duplicate_key"),
        (r#"{"tool":"t","tool":"u","args":{},"task":"x","reason":"y"}"#, 400, "json_duplicate_key"),
        (
            r#"{"tool":"t","args":{"n":9007199254740993},"task":"x","reason":"y"}"#,
            400,
            "json_number_too_large",
        ),
        (
            r#"{"tool":"t","args":{"n":0.12345678901234567891},"task":"x","reason":"y"}"#,
            400,
            "json_number_inexact",
        ),
        (r#"{"tool":"t""#, 400, "json_invalid"),
        ("", 400, "json_invalid"),
        ("{} {}", 400, "json_trailing_bytes"),
        ("[]", 422, "invalid_field"),
    ] {
        let ask = desk.post("agent", "/v1/requests", &json!({})).body(raw);
        ask.send().await.problem(status, code);
    }
    let bytes = desk.post("agent", "/v1/requests", &json!({})).body(vec![b'"', 0xff, b'"']);
    bytes.send().await.problem(400, "json_invalid");
    let deep = format!("{{\"args\":{}{}}}", "[".repeat(70), "]".repeat(70));
    desk.post("agent", "/v1/requests", &json!({})).body(deep).send().await.problem(400, "json_too_deep");
    let large = call("t", json!({"text": "x".repeat(256 * 1024)}));
    desk.post("agent", "/v1/requests", &large).send().await.problem(413, "args_too_large");
}

/// R18: whom an agent acts for is among those behind the request; only trusted credentials may say so.
#[tokio::test]
async fn only_trusted_credentials_act_for_others() {
    let desk = Desk::new().await;
    let mut body = call("delete_file", json!({}));
    body["on_behalf_of"] = json!("slack:T1/UANA");
    let refused =
        desk.post("agent", "/v1/requests", &body).send().await.problem(403, "on_behalf_of_not_trusted");
    assert_eq!(refused["field"], "on_behalf_of");
    desk.has_row("helper", "acme", &[Scope::Propose], |row| row.may_act_for_others = true).await;
    let id = desk.post("helper", "/v1/requests", &body).send().await.expect(201).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let approval = desk.load(&id).await;
    assert_eq!(approval.proposal.requester.shown_as, "Ana");
    desk.reads("ana", &id).await;
    desk.votes("ana", &id, true).await.problem(403, "own_request");
}

/// R26: a long poll is woken by the decision, and ends by itself.
#[tokio::test]
async fn a_long_poll_is_woken_by_the_decision() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    let waits = tokio::spawn(desk.get("agent", &format!("/v1/requests/{id}?wait=25s")).send());
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    // The clock stands still: only the wake-up can end the wait.
    desk.approves("bo", &id).await;
    assert_eq!(waits.await.unwrap().expect(200).json()["status"], "approved");
    let over = desk.get("agent", &format!("/v1/requests/{id}?wait=25s")).send().await.expect(200);
    assert_eq!(over.json()["status"], "approved", "what is decided does not wait");
}

#[tokio::test]
async fn a_long_poll_ends_in_time_however_long_was_asked() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    for (wait, seconds) in [("25s", 25), ("7d", 60), ("0s", 0)] {
        let waits = tokio::spawn(desk.get("agent", &format!("/v1/requests/{id}?wait={wait}")).send());
        assert_eq!(desk.until_done(&waits, 1).await, Ttl::from_secs(seconds), "{wait}");
        assert_eq!(waits.await.unwrap().expect(200).json()["status"], "waiting_approval");
    }
    for bad in ["wait=soon", "wait=", "wait=1s&wait=2s", "wait=1.5s", "nothing=1"] {
        desk.get("agent", &format!("/v1/requests/{id}?{bad}")).send().await.problem(400, "query_invalid");
    }
}

/// R47: whoever's credential is revoked while they wait learns nothing.
#[tokio::test]
async fn a_revocation_holds_for_those_who_wait_too() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    let waits = tokio::spawn(desk.get("agent", &format!("/v1/requests/{id}?wait=25s")).send());
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    use placet::ports::CredentialStore as _;
    let (tenant, agent) = ("acme".parse().unwrap(), "agent".parse().unwrap());
    assert!(desk.store.revoke_credential(&tenant, &agent).await.unwrap());
    desk.approves("bo", &id).await;
    waits.await.unwrap().problem(401, "unauthorized");
}

/// R25, R26: a proposer takes back what is not decided, as often as it likes.
#[tokio::test]
async fn a_proposer_withdraws_what_is_not_decided() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    let path = format!("/v1/requests/{id}");
    desk.has("other", "acme", &[Scope::Propose]).await;
    desk.delete("other", &path).send().await.problem(404, "not_found");
    let withdrawn = desk.delete("agent", &path).send().await.expect(200).json();
    assert_eq!(
        (&withdrawn["status"], &withdrawn["decision"]),
        (&json!("revoked"), &json!("denied: the request was withdrawn"))
    );
    assert_eq!(desk.delete("agent", &path).send().await.expect(200).json(), withdrawn, "twice is once");
    desk.votes("bo", &id, true).await.problem(404, "already_decided");
    let id = desk.delete_file().await;
    desk.votes("bo", &id, false).await.expect(200);
    let problem =
        desk.delete("agent", &format!("/v1/requests/{id}")).send().await.problem(409, "out_of_order");
    assert!(problem["detail"].as_str().unwrap().contains("denied by user: still needed"));
    assert_eq!(problem["request_id"], id);
    let auto = desk.proposes("get_time", json!({})).await;
    desk.delete("agent", &format!("/v1/requests/{auto}")).send().await.problem(409, "out_of_order");
}

/// R25, R47: whose request it is, is the agent's question, not the credential's: after a rotation the new credential
/// takes back what the old one asked for. Another agent does not, whatever its credential is called.
#[tokio::test]
async fn a_rotated_credential_withdraws_what_its_agent_asked() {
    let desk = Desk::new().await;
    let path = format!("/v1/requests/{}", desk.delete_file().await);
    desk.has_row("agent-2", "acme", &[Scope::Propose], |row| row.agent = "agent".parse().unwrap()).await;
    desk.has_row("thief", "acme", &[Scope::Propose], |row| row.agent = "thief".parse().unwrap()).await;
    desk.delete("thief", &path).send().await.problem(404, "not_found");
    let withdrawn = desk.delete("agent-2", &path).send().await.expect(200).json();
    assert_eq!(withdrawn["status"], "revoked");
    let revoked = desk.events("acme").await.into_iter().find(|event| event.kind.name() == "approval.revoked");
    let who = format!("{:?}", revoked.unwrap().kind);
    assert!(who.contains("agent-2"), "the record names the credential that did it: {who}");
}

/// R19: an agent knows its own requests only; another credential of the same agent is the same agent.
#[tokio::test]
async fn an_agent_reads_its_own_requests() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    desk.has("other", "acme", &[Scope::Propose]).await;
    desk.has_row("rotated", "acme", &[Scope::Propose], |row| row.agent = "agent".parse().unwrap()).await;
    desk.get("other", &format!("/v1/requests/{id}")).send().await.problem(404, "not_found");
    desk.get("rotated", &format!("/v1/requests/{id}")).send().await.expect(200);
    desk.get("runner", &format!("/v1/requests/{id}")).send().await.expect(200);
    desk.get("agent", &format!("/v1/requests/{id}?view=card")).send().await.problem(403, "scope_missing");
    desk.get("agent", &format!("/v1/requests/{id}?view=full")).send().await.problem(400, "query_invalid");
}

/// A page is read in pieces, as calls can be large; it is one page all the same.
#[tokio::test]
async fn a_long_page_is_whole() {
    let desk = Desk::new().await;
    let all = placet_http::limits::PAGE_READ_AT_ONCE * 2;
    let large = "x".repeat(200 * 1024);
    let mut ids = Vec::new();
    for number in 0..all {
        desk.clock.passes(Ttl::from_secs(1));
        ids.insert(0, json!(desk.proposes("delete_file", json!({"path": number, "d": large})).await));
    }
    let list = async |query: String| {
        let page = desk.get("auditor", &format!("/v1/requests{query}")).send().await.expect(200).json();
        let lines = page["requests"].as_array().unwrap().iter();
        (lines.map(|line| line["id"].clone()).collect::<Vec<_>>(), page["next"].clone())
    };
    assert_eq!(list(format!("?limit={}", all + 1)).await, (ids.clone(), Value::Null));
    let (most, next) = list(format!("?limit={}", all - 1)).await;
    assert_eq!((most.as_slice(), &next), (&ids[..ids.len() - 1], &ids[ids.len() - 2]));
    let last = list(format!("?limit=15&before={}", next.as_str().unwrap())).await;
    assert_eq!(last, (ids[ids.len() - 1..].to_vec(), Value::Null));
}

/// R33: what is pending now, for whoever may see it.
#[tokio::test]
async fn requests_are_listed_newest_first_and_paged() {
    let desk = Desk::new().await;
    let mut ids = Vec::new();
    for number in 0..5 {
        desk.clock.passes(Ttl::from_secs(1));
        ids.push(desk.proposes("delete_file", json!({"path": number})).await);
    }
    desk.votes("bo", &ids[0], false).await.expect(200);
    let list = async |query: &str| {
        let page = desk.get("auditor", &format!("/v1/requests{query}")).send().await.expect(200).json();
        let ids: Vec<_> =
            page["requests"].as_array().unwrap().iter().map(|line| line["id"].clone()).collect();
        (ids, page["next"].clone(), page)
    };
    let (pending, next, page) = list("?status=pending&limit=3").await;
    assert_eq!(pending, [ids[4].clone(), ids[3].clone(), ids[2].clone()]);
    let (rest, end, _) = list(&format!("?status=pending&limit=3&before={}", next.as_str().unwrap())).await;
    assert_eq!((rest, end), (vec![json!(ids[1])], Value::Null));
    assert_eq!(list("?status=rejected,expired").await.0, [ids[0].clone()]);
    assert_eq!(list("").await.0.len(), 5);
    insta::assert_json_snapshot!("a_line", page["requests"][0]);
    for bad in ["?status=open", "?limit=0", "?limit=201", "?before=x", "?sort=up"] {
        desk.get("auditor", &format!("/v1/requests{bad}")).send().await.problem(400, "query_invalid");
    }
}

/// R54: what Placet asks people about itself goes by a server's name that nobody else may use, nor claim by.
#[tokio::test]
async fn placets_own_server_is_nobodys() {
    let desk = Desk::new().await;
    let id = desk.delete_file().await;
    for server in ["placet", "Placet", "PLACET"] {
        let mut body = call("delete_file", json!({}));
        body["server"] = json!(server);
        let problem = desk.post("agent", "/v1/requests", &body).send().await.problem(422, "reserved_server");
        assert_eq!(problem["field"], "server");
        let claim = json!({"server": server, "tool": "delete_file", "args": {}, "key": "k".repeat(40)});
        let path = format!("/v1/requests/{id}/claim");
        desk.post("agent", &path, &claim).send().await.problem(422, "reserved_server");
    }
    let mut body = call("delete_file", json!({}));
    body["server"] = json!("placet-files");
    desk.post("agent", "/v1/requests", &body).send().await.expect(201);
}

/// R10: an agent says that it asks again on purpose; that is on record, and part of what a key stands for.
#[tokio::test]
async fn asking_again_is_said() {
    let desk = Desk::new().await;
    let mut body = call("delete_file", json!({"path": "a"}));
    let send =
        |body: &Value| desk.post("agent", "/v1/requests", body).header("idempotency-key", "k-1").send();
    let first = send(&body).await.expect(201).json();
    assert!(!desk.load(first["id"].as_str().unwrap()).await.proposal.ask_again);
    body["ask_again"] = json!(true);
    send(&body).await.problem(409, "idempotency_conflict");
    let again = desk.post("agent", "/v1/requests", &body).send().await.expect(201).json();
    assert!(desk.load(again["id"].as_str().unwrap()).await.proposal.ask_again);
    body["ask_again"] = json!("yes");
    let problem = desk.post("agent", "/v1/requests", &body).send().await.problem(422, "invalid_field");
    assert_eq!(problem["field"], "ask_again");
}
