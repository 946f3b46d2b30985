use placet::call::{CanonicalArgs, ToolCall};
use placet::id::{AgentId, ServerName, ToolName};
use placet::ports::schemas::Misfit;
use serde_json::json;

use super::*;

fn call(name: &str, args: &Value) -> ToolCall {
    let (server, tool) = name.split_once('/').map_or((None, name), |(server, tool)| (Some(server), tool));
    ToolCall {
        agent: AgentId::new("agent").unwrap(),
        server: server.map(|server| ServerName::new(server).unwrap()),
        tool: ToolName::new(tool).unwrap(),
        tool_schema_hash: None,
        args: CanonicalArgs::from_value(args).unwrap(),
        preconditions: BTreeMap::new(),
    }
}

fn mail() -> Value {
    json!({
        "type": "object",
        "properties": {
            "to": {"type": "array", "items": {"type": "string", "format": "email"}, "minItems": 1, "uniqueItems": true},
            "subject": {"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^[A-Z]"},
            "copies": {"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 10, "multipleOf": 2},
            "urgent": {"enum": ["yes", "no"]},
            "v": {"const": 1},
        },
        "required": ["to", "subject"],
        "additionalProperties": false,
    })
}

fn known() -> KnownSchemas {
    KnownSchemas::new(BTreeMap::from([("mail/send".to_owned(), ToolSchema::of(&mail()).unwrap())]))
}

/// R39: what does not fit is told with its place, and with nothing of what stands there.
#[test]
fn what_does_not_fit_is_told_by_its_place() {
    let args = json!({
        "to": ["ana@example.org", 7, "hunter2"], "subject": "hunter2", "copies": 11, "urgent": "hunter2",
        "v": "hunter2", "token": "hunter2",
    });
    let found = known().check(&call("mail/send", &args)).unwrap();
    let mut told: Vec<String> =
        found.iter().map(|mismatch| format!("{} {:?}", mismatch.path(), mismatch.what)).collect();
    told.sort();
    let expected = [
        "args.copies NotMultiple(\"2\")",
        "args.copies TooHigh { most: \"10\", beyond: true }",
        "args.subject Pattern(\"^[A-Z]\")",
        "args.to[1] Kind([Text])",
        "args.to[2] Form(\"email\")",
        "args.token Unexpected",
        "args.urgent NotAmong([\"\\\"yes\\\"\", \"\\\"no\\\"\"])",
        "args.v NotAmong([\"1\"])",
    ];
    assert_eq!(told, expected);
    assert!(!told.concat().contains("hunter2"));
    let missing = known().check(&call("mail/send", &json!({"to": []}))).unwrap();
    let whats: Vec<_> = missing.into_iter().map(|mismatch| (mismatch.path(), mismatch.what)).collect();
    assert!(whats.contains(&("args".to_owned(), Misfit::Missing("subject".to_owned()))), "{whats:?}");
    assert!(whats.contains(&("args.to".to_owned(), Misfit::TooFew(1))), "{whats:?}");
    let right = json!({"to": ["ana@example.org"], "subject": "Hi", "copies": null});
    assert_eq!(known().check(&call("mail/send", &right)), Some(Vec::new()));
}

/// R39: a schema is asked about its own tool alone; Placet's own by their hash, and what is named besides makes it stricter.
#[test]
fn a_schema_is_asked_about_its_own_tool() {
    let wrong = json!({"x": 1});
    for other in ["send", "mail/send2", "post/send"] {
        let call = call(other, &wrong);
        assert_eq!((known().check(&call), known().is_known(&call)), (None, false), "{other}");
    }
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let spec = ToolSpec {
        name: ToolName::new("delete_file").unwrap(),
        description: String::new(),
        schema: schema.clone(),
    };
    let stricter = ToolSchema::of(&json!({"properties": {"path": {"minLength": 3}}})).unwrap();
    let named = BTreeMap::from([("delete_file".to_owned(), stricter)]);
    let known = KnownSchemas::new(named).with_tools([&spec]);
    let hash = SchemaHash::of(&serde_json_canonicalizer::to_vec(&schema).unwrap());
    let check = |path: Value, hash: Option<SchemaHash>| {
        let call = ToolCall { tool_schema_hash: hash, ..call("delete_file", &json!({"path": path})) };
        known.check(&call).unwrap().into_iter().map(|mismatch| mismatch.what).collect::<Vec<_>>()
    };
    assert_eq!(check(json!(7), Some(hash)), [Misfit::Kind(vec![placet::ports::schemas::Kind::Text])]);
    assert_eq!(check(json!("a"), Some(hash)), [Misfit::TooShort(3)]);
    assert_eq!(
        check(json!(7), None),
        [],
        "a tool of that name outside is not held to what Placet's own takes"
    );
    assert_eq!(check(json!("a"), None), [Misfit::TooShort(3)]);
}

/// R23: a schema is bounded, stands by itself, and is one.
#[test]
fn a_schema_that_cannot_be_used_says_why() {
    let deep = |levels: usize| {
        let mut schema = json!({"type": "string"});
        for _ in 1..levels {
            schema = json!({ "not": schema });
        }
        schema
    };
    assert!(ToolSchema::of(&deep(SCHEMA_DEPTH_MAX)).is_ok());
    assert_eq!(ToolSchema::of(&deep(SCHEMA_DEPTH_MAX + 1)).unwrap_err(), SchemaError::TooDeep);
    let large = format!("{{\"title\": \"{}\"}}", "x".repeat(SCHEMA_BYTES_MAX));
    assert!(matches!(ToolSchema::parse(large.as_bytes()).unwrap_err(), SchemaError::TooLarge { .. }));
    for (text, why) in [
        ("{", "no JSON"),
        ("{\"type\": \"string\", \"type\": \"object\"}", "no JSON"),
        ("true", "no object"),
        ("{}", "no object"),
        ("{\"type\": \"strong\"}", "no JSON Schema"),
        ("{\"pattern\": \"(\"}", "no JSON Schema"),
        ("{\"pattern\": \"(a)\\\\1\"}", "no JSON Schema"),
        ("{\"$ref\": \"https://schemas.example.org/mail.json\"}", "stands by itself"),
        ("{\"$ref\": \"file:///etc/hostname\"}", "stands by itself"),
        ("{\"$ref\": \"#/$defs/none\"}", "stands by itself"),
    ] {
        let error = ToolSchema::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}

/// R23: neither a pattern that invites backtracking nor a schema that refers to itself takes for ever, and no more is told than
/// may be.
#[test]
fn no_arguments_take_for_ever() {
    let schema = json!({"properties": {"a": {"pattern": "^(a+)+$"}, "b": {"$ref": "#"}}, "maxProperties": 2});
    let known = KnownSchemas::new(BTreeMap::from([("t".to_owned(), ToolSchema::of(&schema).unwrap())]));
    let mut args = json!({"a": format!("{}b", "a".repeat(20_000))});
    for _ in 0..30 {
        args = json!({ "b": args });
    }
    assert_eq!(known.check(&call("t", &args)).unwrap().len(), 1);
    let schema = ToolSchema::of(&json!({"properties": {"x": {}}, "additionalProperties": false})).unwrap();
    let known = KnownSchemas::new(BTreeMap::from([("t".to_owned(), schema)]));
    let many: Value =
        (0..100).map(|number| (format!("a{number}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
    assert_eq!(known.check(&call("t", &many)).unwrap().len(), MISMATCHES_MAX);
}
