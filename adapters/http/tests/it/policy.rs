//! `/v1/policy`: the policy in force, and any that ever was.

use placet::call::PolicyDigest;
use placet::policy::{Policy, PolicySet};
use placet::ports::RequestStore as _;
use placet::ports::store::Scope;
use placet::record::EventKind;
use serde_json::json;

use crate::fixture::{Desk, POLICY};

/// Another policy, put on record and in force as a reload does.
async fn takes_force(desk: &Desk, text: &str) -> String {
    let policy = Policy::parse(text, "test.toml").unwrap();
    let digest = policy.version().digest;
    let kind = EventKind::PolicyLoaded {
        tenant_text: None,
        label: policy.version().label.clone(),
        digest,
        text: text.to_owned(),
        by: Some("SIGHUP".to_owned()),
        changes: vec!["version: test is now another".to_owned()],
    };
    desk.store.note("acme".parse().unwrap(), kind).await.unwrap();
    desk.policies.replace(PolicySet::alone(policy));
    digest.to_string()
}

/// R14, R20: what is in force is read with what is odd about it, and what was not taken since; the text of every version
/// that ever judged is read by the digest that stands with each verdict.
#[tokio::test]
async fn every_version_that_ever_judged_can_be_read() {
    let desk = Desk::new().await;
    let first = takes_force(&desk, POLICY).await;
    let id = desk.delete_file().await;
    let second = takes_force(&desk, &POLICY.replace("\"test\"", "\"another\"")).await;
    let now = desk.get("auditor", "/v1/policy").send().await.expect(200).json();
    assert_eq!((now["label"].as_str(), now["digest"].as_str()), (Some("another"), Some(second.as_str())));
    assert_eq!(now["text"], POLICY.replace("\"test\"", "\"another\""));
    assert_eq!((&now["by"], &now["since"]), (&json!("SIGHUP"), &json!("2026-11-30T14:00:00.000Z")));
    assert!(now["warnings"].is_array() && now.get("refused").is_none(), "{now}");

    let verdict = desk.reads("bo", &id).await["policy"].clone();
    assert_eq!(verdict, json!({"label": "test", "digest": first}));
    let then = desk.get("manager", &format!("/v1/policy/{first}")).send().await.expect(200).json();
    assert_eq!((then["label"].as_str(), then["text"].as_str()), (Some("test"), Some(POLICY)));
    assert_eq!(then["changes"], json!(["version: test is now another"]));

    let wrong = EventKind::PolicyRefused {
        digest: PolicyDigest::of(b"wrong"),
        text: "wrong".to_owned(),
        errors: "error: there is no role `boss`".to_owned(),
    };
    desk.store.note("acme".parse().unwrap(), wrong).await.unwrap();
    let now = desk.get("auditor", "/v1/policy").send().await.expect(200).json();
    assert_eq!(now["label"], "another", "the one before stays in force");
    assert_eq!(now["refused"]["errors"], "error: there is no role `boss`");
    takes_force(&desk, POLICY).await;
    let now = desk.get("auditor", "/v1/policy").send().await.expect(200).json();
    assert!(now.get("refused").is_none(), "it was mended: {now}");
}

/// R19, R20: another tenant's policy and one that never was are the same answer, byte for byte.
#[tokio::test]
async fn a_policy_of_another_tenant_is_none() {
    let desk = Desk::new().await;
    desk.has("globex-auditor", "globex", &[Scope::Audit]).await;
    let ours = takes_force(&desk, POLICY).await;
    let theirs = |digest: String| desk.get("globex-auditor", &format!("/v1/policy/{digest}")).send();
    let none = theirs("0".repeat(64)).await;
    for digest in [ours.clone(), ours.to_uppercase(), "x".to_owned()] {
        assert_eq!(theirs(digest).await, none);
    }
    none.problem(404, "policy_not_found");
    desk.get("auditor", &format!("/v1/policy/{ours}?x=1")).send().await.problem(400, "query_invalid");
}
