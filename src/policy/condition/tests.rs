//! Conditions as policy authors meet them: what is refused when they are read, and what they give.

use insta::assert_snapshot;

use crate::policy::Policy;
use crate::policy::tests::{GOOD, proposal_of};
use crate::policy::{Circumstances, Tier};

/// What is said of a condition in a rule, without the rest of the file.
fn said(kind: &str, condition: &str) -> String {
    let says = match kind {
        "rule" => "level = \"high\"",
        "raise" => "by = 1",
        _ => "",
    };
    let text = format!(
        "{GOOD}\n[[{kind}]]\nname = \"it\"\ntools = [\"x\"]\nwhen = {condition}\n{says}\nbecause = \"So.\"\n"
    );
    match Policy::parse(&text, "p.toml") {
        Ok(policy) => policy.warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        Err(errors) => {
            let said = errors.to_string();
            let lines =
                said.lines().filter(|line| !line.trim_start().starts_with("|  ") || line.contains('^'));
            lines
                .filter(|line| !line.starts_with("the policy") && !line.is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        }
    }
}

/// R14: what is wrong with a condition is shown where it is, inside the string, however that is written.
#[test]
fn mistakes_in_conditions_are_shown_where_they_are() {
    let wrong = [
        ("rule", r#"'tol == "x"'"#),
        ("rule", r#"'time.huor > 20'"#),
        ("rule", r#"'time == 3'"#),
        ("rule", r#"'tool.name == "x"'"#),
        ("rule", r#"'claim.reason == ""'"#),
        ("rule", r#"'now() > 3'"#),
        ("rule", r#"'args.path.startWith("/tmp")'"#),
        ("rule", r#"'time.hour > "22"'"#),
        ("rule", r#"'time.weekday == "Monday"'"#),
        ("rule", r#"'reach in ["outside", "everbody"]'"#),
        ("rule", r#"'tool == 7'"#),
        ("rule", r#"'tool'"#),
        ("rule", r#"'args.?path'"#),
        ("rule", r#"'time.hour + 1'"#),
        ("rule", r#"'tool && true'"#),
        ("rule", r#"'args.n > 7u'"#),
        ("rule", r#"'has(time.hour)'"#),
        ("rule", r#"'args.path.matches("[")'"#),
        ("rule", r#"'args.path.matches(args.pattern)'"#),
        ("rule", r#"'{"a": 1} == args.x'"#),
        ("rule", r#"'args.a.all(x, args.b.all(y, args.c.all(z, z == y)))'"#),
        ("rule", r#"'args.path == '"#),
        ("rule", r#"'args.path = 3'"#),
        ("rule", r#"'time.hour = 3'"#),
        ("rule", r#"'amount > "10000"'"#),
        ("rule", r#"'false'"#),
        ("forbid", r#"'1 > 2 || "a".matches("b")'"#),
        ("raise", r#"'true'"#),
        ("rule", r#""args.\"path\" || tol == 'é'""#),
        ("rule", r#""tool == 'é' || tol == 'x'""#),
        ("rule", "'''\ntool == \"x\" &&\n  tol == \"y\"'''"),
        ("rule", "7"),
    ];
    let shown: Vec<String> =
        wrong.iter().map(|(kind, condition)| format!("{condition}\n{}", said(kind, condition))).collect();
    assert_snapshot!("wrong", shown.join("\n\n"));
    let long = format!("'{}true'", "true && ".repeat(400));
    let list = format!("'args.n in [{}]'", vec!["1"; 300].join(", "));
    let sum = format!("'args.n > {}1'", "1 + ".repeat(40));
    let choice = format!("'{}true'", "true ? false : ".repeat(40));
    for (condition, what) in [
        (long, "a condition has at most 2000 characters; this has 3204"),
        (list, "a list here has at most 256 values; this has 300"),
        (sum, "a condition nests at most 32 deep"),
        (choice, "a condition nests at most 32 deep"),
    ] {
        assert!(said("rule", &condition).contains(what), "{}", said("rule", &condition));
    }
    for brackets in ["(", "[", "!(", "-(", "{1: "] {
        let count = 1_990 / (brackets.len() + 1);
        said("rule", &format!("'{}true{}'", brackets.repeat(count), ")".repeat(count)));
    }
}

/// R15: what the agent claims can only raise.
#[test]
fn what_the_agent_claims_can_only_raise() {
    for (kind, taken) in [("forbid", true), ("raise", true), ("rule", false)] {
        assert_eq!(said(kind, "'claim.reason.contains(\"urgent\")'").is_empty(), taken, "{kind}");
    }
}

/// What conditions give, or why the call does not tell: each with the arguments.
const GIVEN: &[(&str, &str, &str)] = &[
    (r#"args.path == "a""#, r#"{"path": "a"}"#, "true"),
    (r#"args.path == "a""#, r#"{"path": "b"}"#, "false"),
    (r#"args.path == "a""#, r#"{"path": 7}"#, "== does not work on a whole number and text"),
    (r#"args.path == "a""#, r#"{"path": ["a"]}"#, "== does not work on a list and text"),
    (r#"args.path == "a""#, r#"{"path": {"a": "a"}}"#, "== does not work on an object and text"),
    (r#"args.path == "a""#, r#"{"path": null}"#, "== does not work on null and text"),
    (r#""a" != args.path"#, r#"{"path": "b"}"#, "true"),
    (r#""a" != args.path"#, r#"{"path": 7}"#, "!= does not work on text and a whole number"),
    ("args.force != true", r#"{"force": false}"#, "true"),
    ("args.force != true", r#"{"force": true}"#, "false"),
    ("args.force != true", r#"{"force": "true"}"#, "!= does not work on text and true or false"),
    ("args.path == null", r#"{"path": 7}"#, "false"),
    ("args.path == null || args.path == 'a'", r#"{"path": null}"#, "true"),
    ("args.n == 7", r#"{"n": 7.5}"#, "false"),
    ("args.n == 7.5", r#"{"n": 7.5}"#, "true"),
    (
        "double(args.n) / double(args.m) != 3.0",
        r#"{"n": 0, "m": 0}"#,
        "!= does not work on a number with a fraction and a number with a fraction",
    ),
    ("args.a == args.b", r#"{"a": true, "b": true}"#, "true"),
    ("args.a == args.b", r#"{"a": true, "b": 1}"#, "== does not work on true or false and a whole number"),
    ("args.?a == args.?b", "{}", "true"),
    ("args.?a == args.?b", r#"{"a": 1}"#, "false"),
    ("args.?a == args.?b", r#"{"a": 1, "b": "1"}"#, "== does not work on a whole number and text"),
    (r#"args.to == ["ana", "bo"]"#, r#"{"to": ["ana", 7]}"#, "== does not work on a whole number and text"),
    (r#"args.to == ["ana", "bo"]"#, r#"{"to": [["ana"], "chen"]}"#, "false"),
    (r#"args.to == ["ana"]"#, r#"{"to": ["ana", 7]}"#, "false"),
    (r#"args.to == ["ana"]"#, r#"{"to": "ana"}"#, "== does not work on text and a list"),
    (
        "args.a == args.b",
        r#"{"a": {"x": 1}, "b": {"x": "1"}}"#,
        "== does not work on a whole number and text",
    ),
    ("args.a == args.b", r#"{"a": {"x": 1}, "b": {"y": 1}}"#, "false"),
    (r#"args.env in ["live", "test"]"#, r#"{"env": "test"}"#, "true"),
    (r#"args.env in ["live", "test"]"#, r#"{"env": "other"}"#, "false"),
    (r#"args.env in ["live", "test"]"#, r#"{"env": ["live"]}"#, "in does not work on a list and text"),
    (r#"args.env in ["live", null]"#, r#"{"env": null}"#, "true"),
    (r#""bo" in args.to"#, r#"{"to": ["ana", null]}"#, "false"),
    (r#""bo" in args.to"#, r#"{"to": [7, "bo"]}"#, "true"),
    (r#""bo" in args.to"#, r#"{"to": [["bo"]]}"#, "in does not work on text and a list"),
    (r#""bo" in args.to"#, r#"{"to": "bo"}"#, "in does not work on text and text"),
    ("args.n in args.to", r#"{"n": 1, "to": {"1": 1}}"#, "in does not work on a whole number and an object"),
    ("null in args.to", r#"{"to": [7]}"#, "false"),
    (r#"args.path == "a""#, "{}", "there is no `path`"),
    (r#"args.?path.orValue("") == "a""#, "{}", "false"),
    (r#"args.?to.?name.orValue("") == "a""#, "{}", "false"),
    (r#"args.?to.?name.orValue("") == "a""#, r#"{"to": {"name": "a"}}"#, "true"),
    ("has(args.path)", "{}", "false"),
    ("has(args.path)", r#"{"path": 7}"#, "true"),
    ("args.to.all(to, int(to) > 1)", r#"{"to": ["2", 3]}"#, "true"),
    ("double(args.n) > 1.0", r#"{"n": 2}"#, "true"),
    ("has(args.a.b)", "{}", "there is no `a`"),
    ("args.n > 3", r#"{"n": 7}"#, "true"),
    ("args.n + 1 > 3", r#"{"n": 7}"#, "true"),
    ("args.n > 3", r#"{"n": 7.5}"#, "true"),
    ("args.n > 3", r#"{"n": "9e9"}"#, "> does not work on text and a whole number"),
    ("args.n > 3", r#"{"n": null}"#, "> does not work on null and a whole number"),
    ("args.n > 3", r#"{"n": [9]}"#, "> does not work on a list and a whole number"),
    ("!(args.n > 3)", r#"{"n": "9"}"#, "> does not work on text and a whole number"),
    ("args.n / args.m > 3", r#"{"n": 1, "m": 0}"#, "it divides by zero"),
    (
        "double(args.n) / double(args.m) > 3.0",
        r#"{"n": 0, "m": 0}"#,
        "> does not work on a number with a fraction and a number with a fraction",
    ),
    ("args.n * args.n > 3", r#"{"n": 9007199254740991}"#, "a number is too large"),
    (r#"int(args.n) > 3"#, r#"{"n": "9e9"}"#, "`int` does not work on that value"),
    (r#""bo" in args.to"#, r#"{"to": ["ana", "bo"]}"#, "true"),
    (r#""bo" in args.to"#, r#"{"to": {"bo": 1}}"#, "true"),
    (r#"args.to == ["ana"]"#, r#"{"to": ["ana"]}"#, "true"),
    (r#"["ana"] == args.to"#, r#"{"to": ["ana"]}"#, "true"),
    ("args.a == args.b", r#"{"a": {"x": [1, {"y": null}]}, "b": {"x": [1, {"y": null}]}}"#, "true"),
    ("args.a == args.b", r#"{"a": {"x": 1}, "b": {"x": 1, "y": 1}}"#, "false"),
    (
        r#"args.to.exists(to, !to.endsWith("@example.org"))"#,
        r#"{"to": ["a@example.org", "b@example.com"]}"#,
        "true",
    ),
    (r#"args.all(name, name != "force")"#, r#"{"path": 1, "force": true}"#, "false"),
    ("args.map(name, name)[0] == 'a'", r#"{"b": 1, "a": 1, "c": 1}"#, "true"),
    ("sum(args.lines.map(line, line.amount)) > 10", r#"{"lines": [{"amount": 7}, {"amount": 4.5}]}"#, "true"),
    ("sum(args.lines) == 0", r#"{"lines": []}"#, "true"),
    ("sum(args.lines) > 10", r#"{"lines": [1, "2"]}"#, "`sum` does not work on that value"),
    (r#"args.path.matches("^/tmp/[a-z]+$")"#, r#"{"path": "/tmp/x"}"#, "true"),
    (r#"args.path.matches("^/tmp/") || args.path.matches("x$")"#, r#"{"path": "/etc/x"}"#, "true"),
    (
        r#"args.path.matches("x")"#,
        r#"{"path": 7}"#,
        "matches does not work on a whole number and another value",
    ),
    (r#"args.path.lowerAscii().trim().contains("a")"#, r#"{"path": " A "}"#, "true"),
    ("size(args.to) > 1 && args.to.size() > 1 && size(args.s) == 1", r#"{"to": [1, 2], "s": "é"}"#, "true"),
    ("args.n", r#"{"n": 7}"#, "it gives a whole number, not true or false"),
    ("args.n ? true : false", r#"{"n": 7}"#, "it meets a whole number where true or false is needed"),
    ("bool(args.n) && string(args.m) == '7'", r#"{"n": "true", "m": 7}"#, "true"),
    ("args.path.upperAscii() == 'A'", r#"{"path": "a"}"#, "true"),
    ("args.?a.or(args.?b).hasValue() && args.?b.value() == 1", r#"{"b": 1}"#, "true"),
    ("args.to.exists_one(to, to > 1)", r#"{"to": [1, 2]}"#, "true"),
    ("args.to.exists_one(to, to > 1)", r#"{"to": [2, 2]}"#, "false"),
    ("args.to.filter(to, to.startsWith('b')) == ['bo']", r#"{"to": ["ana", "bo"]}"#, "true"),
];

/// R14, R15: what conditions give. Values of different kinds are neither equal nor different: that is an error, so that
/// a value in a list, or `true` in quotes, does not get past what is forbidden.
#[test]
fn conditions_give_what_they_say() {
    for (condition, args, expected) in GIVEN {
        assert_eq!(evaluated(condition, args), *expected, "{condition} on {args}");
    }
}

/// Every function that there is, as an unknown one is told, is called in one of the conditions above and works there.
#[test]
fn every_function_is_called() {
    let told = said("rule", "'frobnicate(args.path)'");
    let (_, known) = told.split_once("known here: ").unwrap_or_else(|| panic!("{told}"));
    let known: Vec<&str> = known.lines().next().unwrap_or_default().split(", ").collect();
    assert!(known.len() > 20, "{known:?}");
    for function in known {
        let calls = |condition: &str| {
            condition.match_indices(&format!("{function}(")).any(|(at, _)| {
                !condition[..at].ends_with(|before: char| before.is_ascii_alphanumeric() || before == '_')
            })
        };
        let works = GIVEN.iter().any(|(condition, _, gives)| calls(condition) && *gives == "true");
        assert!(works, "{function} is called nowhere");
    }
}

/// A list that is too long to be looked through is not passed over: it only has a size.
#[test]
fn a_long_list_has_a_size_and_nothing_else() {
    let args = format!("{{\"to\": [{}]}}", vec!["\"a\""; 513].join(","));
    assert_eq!(evaluated("size(args.to) == 513", &args), "true");
    assert_eq!(
        evaluated("args.to.exists(to, to == 'b')", &args),
        "it meets a list where another value is needed"
    );
    assert_eq!(evaluated("'b' in args.to", &args), "in does not work on text and a list");
}

/// Whether a condition holds, or why it cannot be told.
fn evaluated(condition: &str, args: &str) -> String {
    let text = format!(
        "{GOOD}\n[[raise]]\nname = \"it\"\ntools = [\"read_x\"]\nwhen = '''{condition}'''\nto = \"high\"\nbecause = \"So.\"\n"
    );
    let policy = Policy::parse(&text, "p.toml").unwrap_or_else(|errors| panic!("{errors}"));
    let verdict = policy
        .judge(&proposal_of("read_x", args), &Circumstances::at(crate::time::Timestamp::from_secs(43_200)));
    let raised = verdict.tier == Tier::Approve;
    match verdict.rules.first().and_then(|hit| hit.error.clone()) {
        Some(error) => {
            assert!(raised, "what cannot be told raises");
            error
        }
        None => raised.to_string(),
    }
}
