//! `GET /v1/events`: the record as a stream.

use placet::ports::store::Scope;
use placet::time::Ttl;
use serde_json::json;

use crate::fixture::Desk;

/// R35, R4: a client that comes back with the last id it saw misses nothing.
#[tokio::test]
async fn the_record_is_a_stream_that_can_be_resumed() {
    let desk = Desk::new().await;
    let mut stream = desk.get("auditor", "/v1/events").stream().await;
    let id = desk.delete_file().await;
    let first = stream.take(8 + 4).await;
    let kinds: Vec<_> = first.iter().map(|frame| frame.event.as_str()).skip(8).collect();
    assert_eq!(kinds, ["tool.proposed", "policy.checking", "policy.checked", "approval.requested"]);
    let proposed = &first[8];
    assert_eq!(proposed.data["type"], "tool.proposed");
    assert_eq!(proposed.data["request"], id);
    assert_eq!(proposed.data["at"], "2026-11-30T14:00:00.000Z");
    assert_eq!(proposed.data["proposal"]["call"]["args"], json!({"path": "a.txt"}));
    assert!(proposed.data.get("seq").is_none());
    drop(stream);
    desk.votes("bo", &id, false).await.expect(200);
    for ask in [
        desk.get("auditor", "/v1/events").header("last-event-id", &first[9].id),
        desk.get("auditor", &format!("/v1/events?after={}", first[9].id)),
    ] {
        let kinds: Vec<_> = ask.stream().await.take(4).await.into_iter().map(|frame| frame.event).collect();
        assert_eq!(kinds, ["policy.checked", "approval.requested", "vote.cast", "approval.decided"]);
    }
}

/// R19: ids tell nothing of how much others do, and are worth nothing to them.
#[tokio::test]
async fn ids_are_opaque_and_each_tenants_own() {
    let desk = Desk::new().await;
    desk.has("globex-auditor", "globex", &[Scope::Audit]).await;
    desk.delete_file().await;
    let ours = desk.get("auditor", "/v1/events").stream().await.take(9).await;
    assert!(ours.iter().all(|frame| frame.id.len() == 32 && frame.data["tenant"] == "acme"));
    let theirs = desk.get("globex-auditor", "/v1/events").stream().await.take(1).await;
    assert_eq!(theirs[0].event, "credential.created");
    for stolen in [ours[3].id.as_str(), "1", "00000000000000000000000000000000"] {
        let ask = desk.get("globex-auditor", "/v1/events").header("last-event-id", stolen);
        assert_eq!(ask.send().await.problem(400, "cursor_invalid")["field"], "Last-Event-ID");
    }
}

#[tokio::test]
async fn the_stream_is_filtered() {
    let desk = Desk::new().await;
    let one = desk.delete_file().await;
    let other = desk.delete_file().await;
    desk.votes("bo", &one, false).await.expect(200);
    desk.votes("bo", &other, false).await.expect(200);
    let path = format!("/v1/events?types=approval.decided,vote.cast&request={other}");
    let frames = desk.get("auditor", &path).stream().await.take(2).await;
    assert_eq!([frames[0].event.as_str(), &frames[1].event], ["vote.cast", "approval.decided"]);
    assert!(frames.iter().all(|frame| frame.data["request"] == other));
    assert_eq!(frames[0].data["vote"]["at"], "2026-11-30T14:00:00.000Z");
    for bad in ["types=approval", "request=x", "types="] {
        desk.get("auditor", &format!("/v1/events?{bad}")).send().await.problem(400, "query_invalid");
    }
}

/// R28: secrets are hidden for this sink too.
#[tokio::test]
async fn secrets_do_not_leave_with_the_record() {
    let desk = Desk::new().await;
    desk.proposes("delete_file", json!({"path": "a", "password": "hunter2hunter2"})).await;
    let frame = desk.get("auditor", "/v1/events?types=tool.proposed").stream().await.next().await.unwrap();
    assert!(!frame.data.to_string().contains("hunter2"), "{}", frame.data);
    assert_eq!(frame.data["proposal"]["call"]["args"]["path"], "a");
    assert_eq!(frame.data["digest"].as_str().unwrap().len(), 64, "what is no secret stays: {}", frame.data);
    assert_eq!(frame.data["args_hash"].as_str().unwrap().len(), 64);
}

/// R4: a comment every 15 s while nothing happens; a lost hint costs five seconds and no event.
#[tokio::test]
async fn a_quiet_stream_says_that_it_lives() {
    let desk = Desk::new().await;
    let mut stream = desk.get("auditor", "/v1/events?types=approval.decided").stream().await;
    desk.clock.passes(Ttl::from_secs(15));
    assert!(stream.next().await.unwrap().comment.is_some());
    desk.clock.passes(Ttl::from_secs(15));
    assert!(stream.next().await.unwrap().comment.is_some());
    let id = desk.delete_file().await;
    desk.store.set_hint(std::sync::Arc::new(|_| {}));
    let reads = tokio::spawn(async move { stream.next().await });
    desk.votes("bo", &id, false).await.expect(200);
    // Time passes only while the stream waits for it: else it could begin to wait when the time was past.
    desk.until_done(&reads, 1).await;
    assert_eq!(reads.await.unwrap().unwrap().event, "approval.decided");
}

/// R47: a stream ends with its credential.
#[tokio::test]
async fn a_stream_ends_with_its_credential() {
    let desk = Desk::new().await;
    let mut stream = desk.get("auditor", "/v1/events?types=approval.decided").stream().await;
    use placet::ports::CredentialStore as _;
    desk.store.revoke_credential(&"acme".parse().unwrap(), &"auditor".parse().unwrap()).await.unwrap();
    assert_eq!(stream.next().await, None);
}

/// Style 6: a credential has so many streams and no more; one that is closed makes room.
#[tokio::test]
async fn streams_are_limited_for_each_credential() {
    let desk = Desk::new().await;
    let mut streams = Vec::new();
    for _ in 0..placet_http::limits::STREAMS_PER_CREDENTIAL_MAX {
        streams.push(desk.get("auditor", "/v1/events").stream().await);
    }
    let full = desk.get("auditor", "/v1/events").send().await;
    assert!(full.headers.contains_key("retry-after"));
    full.problem(429, "too_many_streams");
    desk.has("auditor-2", "acme", &[Scope::Audit]).await;
    desk.get("auditor-2", "/v1/events").stream().await;
    streams.pop();
    desk.get("auditor", "/v1/events").stream().await.next().await.unwrap();
}
