use serde_json::json;

use super::*;

fn plain(units: usize) -> Value {
    json!({ "type": "plain_text", "text": "x".repeat(units) })
}

fn button(extra: Value) -> Value {
    let mut button = json!({ "type": "button", "text": plain(3) });
    for (key, value) in extra.as_object().unwrap() {
        button[key] = value.clone();
    }
    json!({ "type": "actions", "elements": [button] })
}

fn remarks(block: Value) -> Vec<String> {
    message(&json!([block]))
}

/// `block(max)` passes, `block(max + 1)` draws one remark.
fn bounds(max: usize, block: impl Fn(usize) -> Value) {
    assert_eq!(remarks(block(max)), [""; 0], "at {max}");
    assert_eq!(remarks(block(max + 1)).len(), 1, "{:?}", remarks(block(max + 1)));
}

#[test]
fn every_limit_of_slack_is_kept_to_the_unit() {
    let confirm = |title, text, yes, no| {
        button(json!({ "confirm":
            { "title": plain(title), "text": plain(text), "confirm": plain(yes), "deny": plain(no) } }))
    };
    let input = |label, hint, placeholder, length| {
        json!({ "type": "input", "label": plain(label), "hint": plain(hint), "element":
            { "type": "plain_text_input", "placeholder": plain(placeholder), "max_length": length } })
    };
    bounds(150, |n| json!({ "type": "header", "text": plain(n) }));
    bounds(3_000, |n| json!({ "type": "section", "text": plain(n) }));
    bounds(2_000, |n| json!({ "type": "section", "fields": [plain(n)] }));
    bounds(10, |n| json!({ "type": "section", "fields": vec![plain(1); n] }));
    bounds(10, |n| json!({ "type": "context", "elements": vec![plain(1); n] }));
    bounds(
        25,
        |n| json!({ "type": "actions", "elements": vec![json!({ "type": "button", "text": plain(1) }); n] }),
    );
    bounds(75, |n| button(json!({ "text": plain(n) })));
    bounds(2_000, |n| button(json!({ "value": "v".repeat(n) })));
    bounds(3_000, |n| button(json!({ "url": "u".repeat(n) })));
    bounds(255, |n| button(json!({ "action_id": "a".repeat(n) })));
    bounds(255, |n| json!({ "type": "divider", "block_id": "b".repeat(n) }));
    bounds(100, |n| confirm(n, 1, 1, 1));
    bounds(300, |n| confirm(1, n, 1, 1));
    bounds(30, |n| confirm(1, 1, n, 1));
    bounds(30, |n| confirm(1, 1, 1, n));
    bounds(2_000, |n| input(n, 1, 1, 1));
    bounds(2_000, |n| input(1, n, 1, 1));
    bounds(150, |n| input(1, 1, n, 1));
    bounds(3_000, |n| input(1, 1, 1, n));
    bounds(12_000, |n| json!({ "type": "markdown", "text": "m".repeat(n) }));
    let cell = |n: usize| json!({ "type": "raw_text", "text": "c".repeat(n) });
    bounds(100, |n| json!({ "type": "table", "rows": vec![json!([cell(1)]); n] }));
    bounds(20, |n| json!({ "type": "table", "rows": [vec![cell(1); n]] }));
    bounds(10_000, |n| json!({ "type": "table", "rows": [[cell(n)]] }));
    let dividers = |n| Value::from(vec![json!({ "type": "divider" }); n]);
    assert_eq!(message(&dividers(50)), [""; 0]);
    assert_eq!(message(&dividers(51)).len(), 1);
}

#[test]
fn plain_text_counts_as_stored() {
    let header =
        |text: &str| remarks(json!({ "type": "header", "text": { "type": "plain_text", "text": text } }));
    assert_eq!(header(&"\u{1F600}".repeat(75)).len(), 0);
    assert_eq!(header(&"\u{1F600}".repeat(76)).len(), 1);
    assert_eq!(header(&"&".repeat(30)).len(), 0);
    assert_eq!(header(&"&".repeat(31)).len(), 1);
    assert_eq!(header(&"<".repeat(38)).len(), 1);
    assert_eq!(header(&"&amp;".repeat(30)).len(), 0);
}

#[test]
fn what_slack_does_not_know_is_refused() {
    for (block, expected) in [
        (json!({ "type": "carousel" }), "unsupported type: carousel [json-pointer:/blocks/0/type]"),
        (
            json!({ "type": "divider", "colour": 1 }),
            "invalid additional property: colour [json-pointer:/blocks/0]",
        ),
        (json!({ "type": "header" }), "missing required field: text [json-pointer:/blocks/0]"),
        (json!({ "type": "section" }), "missing required field: text [json-pointer:/blocks/0]"),
        (
            json!({ "type": "header", "text": { "type": "mrkdwn", "text": "x" } }),
            "must be of type plain_text [json-pointer:/blocks/0/text]",
        ),
        (
            json!({ "type": "section", "text": { "type": "mrkdwn", "text": "x", "emoji": true } }),
            "invalid additional property: emoji [json-pointer:/blocks/0/text]",
        ),
        (
            json!({ "type": "section", "text": plain(0) }),
            "must be more than 0 characters [json-pointer:/blocks/0/text/text]",
        ),
        (
            json!({ "type": "actions", "elements": [] }),
            "no fewer than 1 items allowed [json-pointer:/blocks/0/elements]",
        ),
        (
            button(json!({ "style": "loud" })),
            "must be one of: primary, danger [json-pointer:/blocks/0/elements/0/style]",
        ),
        (
            json!({ "type": "rich_text", "elements": [{ "type": "rich_text_preformatted",
                "elements": [{ "type": "user", "user_id": "U1" }] }] }),
            "unsupported type: user [json-pointer:/blocks/0/elements/0/elements/0/type]",
        ),
        (
            json!({ "type": "rich_text", "elements": [{ "type": "rich_text_section",
                "elements": [{ "type": "text", "text": "" }] }] }),
            "must be more than 0 characters [json-pointer:/blocks/0/elements/0/elements/0/text]",
        ),
    ] {
        let found = remarks(block);
        assert!(found.iter().any(|remark| remark == expected), "{expected}: {found:?}");
    }
}

#[test]
fn ids_stand_once() {
    let row = |block: &str, action: &str| {
        json!({ "type": "actions", "block_id": block,
            "elements": [{ "type": "button", "text": plain(1), "action_id": action }] })
    };
    assert_eq!(message(&json!([row("1", "a"), row("2", "b")])), [""; 0]);
    assert_eq!(message(&json!([row("1", "a"), row("1", "b")])).len(), 1);
    assert_eq!(message(&json!([row("1", "a"), row("2", "a")])).len(), 1);
}

#[test]
fn views_keep_their_own_limits() {
    let modal = |title, block: Value| json!({ "type": "modal", "title": plain(title), "blocks": [block] });
    let input = json!({ "type": "input", "label": plain(1), "element": { "type": "plain_text_input" } });
    let divider = json!({ "type": "divider" });
    assert_eq!(view(&modal(24, divider.clone())), [""; 0]);
    assert_eq!(view(&modal(25, divider.clone())).len(), 1);
    assert_eq!(view(&modal(5, input)), ["missing required field: submit [json-pointer:/view]"]);
    assert_eq!(view(&modal(5, json!({ "type": "markdown", "text": "x" }))).len(), 1);
    let mut long = modal(5, divider.clone());
    long["private_metadata"] = "p".repeat(3_001).into();
    assert_eq!(view(&long).len(), 1);
    let mut many = modal(5, divider.clone());
    many["blocks"] = vec![divider; 101].into();
    assert_eq!(view(&many).len(), 1);
    assert!(!view(&json!({})).is_empty() && !view(&Value::Null).is_empty());
}

#[test]
fn the_whole_is_bounded() {
    let code = |n: usize| {
        json!([{ "type": "rich_text", "elements": [{ "type": "rich_text_preformatted",
        "elements": [{ "type": "text", "text": "x".repeat(n) }] }] }])
    };
    assert!(!is_too_long(&code(13_000)));
    assert!(is_too_long(&code(13_171)));
}
