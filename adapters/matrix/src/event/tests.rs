use insta::assert_debug_snapshot;
use serde_json::{Value, json};

use super::*;

fn read_as(kind: &str, content: Value, sealed: bool) -> Option<Read> {
    let event = json!({
        "type": kind,
        "event_id": "$event",
        "sender": "@alice:example.org",
        "origin_server_ts": 1_700_000_000_000_i64,
        "content": content,
    });
    Envelope::parse(&event.to_string()).unwrap().read(sealed)
}

fn read(kind: &str, content: Value) -> Option<Read> {
    read_as(kind, content, false)
}

fn message(content: Value) -> Message {
    match read("m.room.message", content) {
        Some(Read::Act(What::Message(message))) => message,
        other => panic!("{other:?}"),
    }
}

/// R31: ✅ is ✅ with and without the selector of its form.
#[test]
fn a_reaction_is_read_without_variation_selectors() {
    for key in ["✅", "✅\u{FE0F}", "✅\u{FE0E}"] {
        let relates =
            json!({ "m.relates_to": { "rel_type": "m.annotation", "event_id": "$card", "key": key } });
        let what = What::Reaction { on: "$card".try_into().unwrap(), key: "✅".to_owned() };
        assert_eq!(read("m.reaction", relates), Some(Read::Act(what)));
    }
}

/// R31: a poll's answer in both of its forms; one without answers takes the last back.
#[test]
fn poll_answers_are_read_in_both_forms() {
    let relates = json!({ "rel_type": "m.reference", "event_id": "$poll" });
    let unstable =
        json!({ "m.relates_to": relates, "org.matrix.msc3381.poll.response": { "answers": ["yes"] } });
    let stable = json!({ "m.relates_to": relates, "m.selections": ["yes"] });
    let taken_back =
        json!({ "m.relates_to": relates, "org.matrix.msc3381.poll.response": { "answers": [] } });
    let answer = |answers: &[&str]| {
        Some(Read::Act(What::PollAnswer {
            poll: Relation { to: "$poll".try_into().unwrap(), is_sealed: true },
            answers: answers.iter().map(|&answer| answer.to_owned()).collect(),
        }))
    };
    assert_eq!(read_as("org.matrix.msc3381.poll.response", unstable, true), answer(&["yes"]));
    assert_eq!(read_as("m.poll.response", stable, true), answer(&["yes"]));
    assert_eq!(read_as("org.matrix.msc3381.poll.response", taken_back, true), answer(&[]));
}

/// R31: a command as a reply, in a thread, and as a reply in a thread.
#[test]
fn replies_and_threads_are_told_apart() {
    let reply = message(json!({
        "msgtype": "m.text",
        "body": "> <@bot:example.org> deploy?\n> app=api\n\n!placet approve",
        "m.relates_to": { "m.in_reply_to": { "event_id": "$card" } },
        "m.mentions": { "user_ids": ["@bot:example.org"] },
    }));
    assert_eq!(reply.body, "!placet approve");
    assert_eq!(reply.reply_to.unwrap().to, "$card");
    assert_eq!((reply.thread, reply.mentions.len()), (None, 1));

    let in_thread = |falls_back: bool| {
        message(json!({
            "msgtype": "m.text",
            "body": "!placet approve",
            "m.relates_to": {
                "rel_type": "m.thread", "event_id": "$card", "is_falling_back": falls_back,
                "m.in_reply_to": { "event_id": "$last" },
            },
        }))
    };
    let said = in_thread(true);
    assert_eq!((said.thread.unwrap().to.as_str(), said.reply_to), ("$card", None));
    let said = in_thread(false);
    assert_eq!((said.thread.unwrap().to.as_str(), said.reply_to.unwrap().to.as_str()), ("$card", "$last"));
}

/// What somebody writes themselves stays, also where it looks like a quote.
#[test]
fn only_a_reply_has_its_quote_taken_out() {
    let said = message(json!({ "msgtype": "m.text", "body": "> quoted\n\n!placet approve" }));
    assert_eq!(said.body, "> quoted\n\n!placet approve");
    for (body, rest) in [("> a", ""), ("> a\nb", "b"), ("> a\n\nb\nc", "b\nc"), (">a\nb", ">a\nb"), ("", "")]
    {
        assert_eq!(without_quote(body), rest, "{body:?}");
    }
}

/// R31: an edit is never executed: its words are not even read.
#[test]
fn an_edit_says_which_message_and_no_more() {
    let edit = json!({
        "msgtype": "m.text",
        "body": "* !placet approve",
        "m.new_content": { "msgtype": "m.text", "body": "!placet approve" },
        "m.relates_to": { "rel_type": "m.replace", "event_id": "$said" },
    });
    assert_eq!(read("m.room.message", edit), Some(Read::Act(What::Edit { of: "$said".try_into().unwrap() })));
}

/// R31: what bots say, pictures, and what is nothing at all.
#[test]
fn what_is_no_act_is_nothing() {
    for (kind, content) in [
        ("m.room.message", json!({ "msgtype": "m.notice", "body": "!placet approve" })),
        ("m.room.message", json!({ "msgtype": "m.image", "body": "!placet approve" })),
        ("m.room.message", json!({ "body": "!placet approve" })),
        ("m.room.message", json!({})),
        ("m.room.message", json!({ "msgtype": "m.text", "body": 7 })),
        (
            "m.reaction",
            json!({ "m.relates_to": { "rel_type": "m.reference", "event_id": "$a", "key": "✅" } }),
        ),
        ("m.reaction", json!({ "m.relates_to": { "rel_type": "m.annotation", "key": "✅" } })),
        ("org.matrix.msc3381.poll.response", json!({ "m.selections": ["yes"] })),
        ("m.room.topic", json!({ "topic": "!placet approve" })),
        ("org.example.other", json!({})),
    ] {
        assert_eq!(read(kind, content.clone()), None, "{kind} {content}");
    }
}

/// R31: what was redacted is nothing any more, also where the homeserver sends its content along.
#[test]
fn what_was_redacted_is_gone() {
    let event = json!({
        "type": "m.reaction", "event_id": "$event", "sender": "@alice:example.org", "origin_server_ts": 1,
        "content": { "m.relates_to": { "rel_type": "m.annotation", "event_id": "$card", "key": "✅" } },
        "unsigned": { "redacted_because": { "type": "m.room.redaction" } },
    });
    assert_eq!(Envelope::parse(&event.to_string()).unwrap().read(false), Some(Read::Redacted));
}

/// What the homeserver bundles with a message does not change its words.
#[test]
fn a_bundled_edit_changes_nothing() {
    let event = json!({
        "type": "m.room.message", "event_id": "$event", "sender": "@alice:example.org", "origin_server_ts": 1,
        "content": { "msgtype": "m.text", "body": "hello" },
        "unsigned": { "m.relations": { "m.replace": {
            "content": { "m.new_content": { "msgtype": "m.text", "body": "!placet approve" } },
        } } },
    });
    match Envelope::parse(&event.to_string()).unwrap().read(false) {
        Some(Read::Act(What::Message(said))) => assert_eq!(said.body, "hello"),
        other => panic!("{other:?}"),
    }
}

/// Redactions in both of their forms, state that matters, and an event that nobody can read.
#[test]
fn changes_of_the_room_are_read() {
    let of = |kind: &str, key: &str, content: Value| {
        let event = json!({
            "type": kind, "state_key": key, "event_id": "$event", "sender": "@alice:example.org",
            "origin_server_ts": 1, "content": content,
        });
        Envelope::parse(&event.to_string()).unwrap().read(false)
    };
    let renamed = json!({
        "type": "m.room.member", "state_key": "@bo:example.org", "event_id": "$event", "sender": "@bo:example.org",
        "origin_server_ts": 1, "content": { "membership": "join", "displayname": "Bo" },
        "unsigned": { "prev_content": { "membership": "join" } },
    });
    assert_eq!(Envelope::parse(&renamed.to_string()).unwrap().read(false), None);
    let outside = json!({
        "type": "m.room.redaction", "redacts": "$reaction", "event_id": "$event",
        "sender": "@alice:example.org", "origin_server_ts": 1, "content": {},
    });
    assert_debug_snapshot!([
        of("m.room.member", "@bo:example.org", json!({ "membership": "join" })),
        of("m.room.member", "@bo:example.org", json!({ "membership": "ban" })),
        of("m.room.member", "no account", json!({ "membership": "join" })),
        of("m.room.power_levels", "", json!({})),
        of("m.room.power_levels", "other", json!({})),
        of("m.room.tombstone", "", json!({ "replacement_room": "!new:example.org" })),
        // Not a message: somebody gave it a state key, so that it would stay in the room's state.
        of("m.room.message", "", json!({ "msgtype": "m.text", "body": "!placet approve" })),
        Envelope::parse(&outside.to_string()).unwrap().read(false),
        read("m.room.redaction", json!({ "redacts": "$reaction" })),
        read("m.room.encrypted", json!({ "m.relates_to": { "m.in_reply_to": { "event_id": "$card" } } })),
    ]);
}

/// A time beyond any clock, or none at all.
#[test]
fn any_time_is_read() {
    for (ts, read) in [("1700000000000", 1_700_000_000_000), ("1e300", i64::MAX), ("-5", -5)] {
        let json = format!(
            r#"{{"type":"m.reaction","event_id":"$e","sender":"@a:example.org","origin_server_ts":{ts},"content":{{}}}}"#
        );
        assert_eq!(Envelope::parse(&json).unwrap().sent_at(), Timestamp::from_millis(read), "{ts}");
    }
}
