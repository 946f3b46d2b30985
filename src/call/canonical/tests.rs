use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn canonical(raw: &str) -> String {
    CanonicalArgs::parse(raw.as_bytes()).unwrap().as_str().to_owned()
}

fn refused(raw: &str) -> (&'static str, String) {
    let error = CanonicalArgs::parse(raw.as_bytes()).unwrap_err();
    (error.code(), error.path().map(JsonPath::to_string).unwrap_or_default())
}

/// RFC 8785, section 3.2.2, without the number that RFC 7493 does not allow.
#[test]
fn writes_the_sample_of_the_rfc() {
    let sample = r#"{
        "numbers": [333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = concat!(
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"#,
        r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#
    );
    assert_eq!(canonical(sample), expected);
    assert_eq!(refused(r#"{"numbers": [4.50, 1E30]}"#), ("json_number_too_large", "$.numbers[1]".into()));
}

/// RFC 8785, section 3.2.3: by UTF-16 code units, so that 😀 (D83D DE00) stands before דּ (FB33).
#[test]
fn sorts_keys_like_the_rfc() {
    let sample = r#"{
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let expected = concat!(
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",",
        "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",",
        "\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
    );
    assert_eq!(canonical(sample), expected);
}

/// RFC 8785, appendix B, on the library that writes numbers; ours refuses those beyond 2^53 − 1.
#[test]
fn writes_the_numbers_of_the_rfc() {
    let table: [(u64, &str); 24] = [
        (0x0000000000000000, "0"),
        (0x8000000000000000, "0"),
        (0x0000000000000001, "5e-324"),
        (0x8000000000000001, "-5e-324"),
        (0x7fefffffffffffff, "1.7976931348623157e+308"),
        (0xffefffffffffffff, "-1.7976931348623157e+308"),
        (0x4340000000000000, "9007199254740992"),
        (0xc340000000000000, "-9007199254740992"),
        (0x4430000000000000, "295147905179352830000"),
        (0x44b52d02c7e14af5, "9.999999999999997e+22"),
        (0x44b52d02c7e14af6, "1e+23"),
        (0x44b52d02c7e14af7, "1.0000000000000001e+23"),
        (0x444b1ae4d6e2ef4e, "999999999999999700000"),
        (0x444b1ae4d6e2ef4f, "999999999999999900000"),
        (0x444b1ae4d6e2ef50, "1e+21"),
        (0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"),
        (0x3eb0c6f7a0b5ed8d, "0.000001"),
        (0x41b3de4355555553, "333333333.3333332"),
        (0x41b3de4355555554, "333333333.33333325"),
        (0x41b3de4355555555, "333333333.3333333"),
        (0x41b3de4355555556, "333333333.3333334"),
        (0x41b3de4355555557, "333333333.33333343"),
        (0xbecbf647612f3696, "-0.0000033333333333333333"),
        (0x43143ff3c1cb0959, "1424953923781206.2"),
    ];
    for (bits, expected) in table {
        let double = f64::from_bits(bits);
        assert_eq!(serde_json_canonicalizer::to_string(&double).unwrap(), expected);
        let ours = CanonicalArgs::from_value(&json!({ "n": double }));
        match ours {
            Ok(args) => assert_eq!(args.as_str(), format!("{{\"n\":{expected}}}")),
            Err(error) => {
                assert_eq!(error.code(), "json_number_too_large");
                assert!(double.abs() > 9007199254740991.0);
            }
        }
    }
}

#[test]
fn refuses_duplicate_keys_at_any_depth_and_in_any_spelling() {
    assert_eq!(refused(r#"{"a":1,"a":1}"#), ("json_duplicate_key", "$.a".into()));
    assert_eq!(refused(r#"{"path":1,"\u0070ath":2}"#), ("json_duplicate_key", "$.path".into()));
    assert_eq!(
        refused(r#"{"a":[0,{"b c":{"d":1,"d":2}}]}"#),
        ("json_duplicate_key", "$.a[1][\"b c\"].d".into())
    );
    assert_eq!(canonical(r#"{"a":{"x":1},"b":{"x":1}}"#), r#"{"a":{"x":1},"b":{"x":1}}"#);
    assert_eq!(parse_json_strict(br#"[{"a":1,"a":2}]"#).unwrap_err().code(), "json_duplicate_key");
}

#[test]
fn refuses_numbers_that_do_not_survive() {
    let too_large = [
        "9007199254740992",
        "-9007199254740992",
        "9007199254740993.0",
        "9007199254740991.5",
        "1e20",
        "1E16",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "123456789012345678901234567890",
        "1e308",
        "1e999",
        "-1e999",
        "1.5e300",
    ];
    for literal in too_large {
        assert_eq!(
            refused(&format!(r#"{{"a":[7,{{"n":{literal}}}]}}"#)).0,
            "json_number_too_large",
            "{literal}"
        );
        assert_eq!(refused(&format!(r#"{{"a":[7,{{"n":{literal} }}]}}"#)).1, "$.a[1].n", "{literal}");
    }
    let inexact = [
        "1e-400",
        "1.00000000000000001",
        "9007199254740990.7",
        "0.1000000000000000055511151231257827",
        "3.14159265358979323846",
        "3e-324",
        "0.99999999999999999999",
    ];
    for literal in inexact {
        assert_eq!(
            refused(&format!(r#"{{"n":{literal}}}"#)),
            ("json_number_inexact", "$.n".into()),
            "{literal}"
        );
    }
}

#[test]
fn keeps_numbers_that_survive() {
    let table = [
        ("9007199254740991", "9007199254740991"),
        ("-9007199254740991", "-9007199254740991"),
        ("9007199254740991.0", "9007199254740991"),
        ("9.007199254740991e15", "9007199254740991"),
        ("0.1", "0.1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0e99999999999999999999", "0"),
        ("1.0", "1"),
        ("1.0000000000000000000000000", "1"),
        ("10e-1", "1"),
        ("1e2", "100"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("0.29999999999999999", "0.3"),
        ("1e-7", "1e-7"),
        ("5e-324", "5e-324"),
        ("2.2250738585072014e-308", "2.2250738585072014e-308"),
    ];
    for (literal, expected) in table {
        assert_eq!(canonical(&format!(r#"{{"n":{literal}}}"#)), format!(r#"{{"n":{expected}}}"#));
    }
}

#[test]
fn numbers_within_strings_are_no_numbers() {
    let raw = r#"{"a\"1e999":"1e999 \" \\","b":1,"c":"\\","d":9007199254740991}"#;
    assert_eq!(canonical(raw), raw);
}

#[test]
fn refuses_what_is_not_one_json_object() {
    for raw in ["", "{", r#"{"a"}"#, r#"{"a":1,}"#, "{'a':1}", r#"{"a":01}"#, r#"{"a":NaN}"#, r#"{"a":.5}"#] {
        assert_eq!(refused(raw).0, "json_invalid", "{raw}");
    }
    assert_eq!(refused(r#"{"a":{"b":[1,x]}}"#), ("json_invalid", "$.a.b[1]".into()));
    for raw in [r#"{"a":"\ud800"}"#, r#"{"a":"\udc00"}"#, r#"{"a":"\ud800\u0041"}"#, r#"{"\ud800":1}"#] {
        assert_eq!(refused(raw).0, "json_invalid", "{raw}");
    }
    assert_eq!(CanonicalArgs::parse(b"{\"a\":\"\xff\"}").unwrap_err().code(), "json_invalid");
    assert_eq!(CanonicalArgs::parse(b"\xef\xbb\xbf{}").unwrap_err().code(), "json_invalid");
    assert_eq!(CanonicalArgs::parse(b"{} \n {}").unwrap_err(), ArgsError::TrailingBytes { offset: 5 });
    for raw in ["null", "1", r#""{}""#, "[]", "true"] {
        assert_eq!(refused(raw).0, "args_not_an_object", "{raw}");
        assert!(parse_json_strict(raw.as_bytes()).is_ok());
    }
}

#[test]
fn limits_depth_and_size() {
    let nested =
        |levels: usize| format!("{}{}", r#"{"a":"#.repeat(levels - 1) + "{}", "}".repeat(levels - 1));
    assert_eq!(canonical(&nested(ARGS_DEPTH_MAX)), nested(ARGS_DEPTH_MAX));
    let error = CanonicalArgs::parse(nested(ARGS_DEPTH_MAX + 1).as_bytes()).unwrap_err();
    assert_eq!((error.code(), error.path().unwrap().depth()), ("json_too_deep", ARGS_DEPTH_MAX));
    assert_eq!(refused(&nested(10_000)).0, "json_too_deep");
    let value: Value = serde_json::from_str(&nested(ARGS_DEPTH_MAX + 1)).unwrap();
    assert_eq!(CanonicalArgs::from_value(&value).unwrap_err().code(), "json_too_deep");

    let filled = |bytes: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(bytes - 8));
    assert_eq!(canonical(&filled(ARGS_BYTES_MAX)).len(), ARGS_BYTES_MAX);
    assert_eq!(refused(&filled(ARGS_BYTES_MAX + 1)).0, "args_too_large");
    // What is small as sent may be large in canonical form, which is what is stored.
    assert_eq!(refused(&format!(r#"{{"a":[{}1]}}"#, "9e15,".repeat(40_000))).0, "args_too_large");
}

#[test]
fn messages_say_where_why_and_what_to_do() {
    let error = CanonicalArgs::parse(br#"{"to":[{"id":9007199254740993}]}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the number at $.to[0].id is beyond ±9007199254740991, where JSON numbers lose digits; send it as a string"
    );
    let error = CanonicalArgs::parse("{\"\u{202e}a\":1e999}".as_bytes()).unwrap_err();
    assert_eq!(error.path().unwrap().to_string(), "$[\"\\u{202e}a\"]");
    let long = format!(r#"{{"{}":1e999}}"#, "k".repeat(5_000));
    assert!(refused(&long).1.len() < 60);
}

#[test]
fn is_stored_as_its_text_and_refuses_any_other() {
    let args = CanonicalArgs::parse(br#"{"b":1.0,"a":"x"}"#).unwrap();
    let stored = serde_json::to_string(&args).unwrap();
    assert_eq!(stored, r#""{\"a\":\"x\",\"b\":1}""#);
    assert_eq!(serde_json::from_str::<CanonicalArgs>(&stored).unwrap(), args);
    for other in [r#""{\"b\":1,\"a\":1}""#, r#""{\"a\": 1}""#, r#""{\"a\":1.0}""#, r#""[]""#, r#"{"a":1}"#] {
        assert!(serde_json::from_str::<CanonicalArgs>(other).is_err(), "{other}");
    }
}

#[test]
fn never_prints_arguments() {
    let args = CanonicalArgs::parse(br#"{"password":"hunter2"}"#).unwrap();
    assert!(!format!("{args:?}").contains("hunter2"));
    assert_eq!(CanonicalArgs::default(), CanonicalArgs::parse(b" { } ").unwrap());
    assert_eq!(
        hex::encode(CanonicalArgs::default().sha256()),
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    );
}

/// A dependency that turns on one of these features of serde_json changes what is hashed.
#[test]
fn serde_json_has_its_plain_features() {
    let value: Value = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":2,"b":1}"#, "preserve_order is on");
    assert!(serde_json::from_str::<Value>("1e999").is_err(), "arbitrary_precision is on");
}

fn any_json() -> impl Strategy<Value = Value> {
    let integer = -9_007_199_254_740_991_i64..=9_007_199_254_740_991;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        integer.prop_map(Value::from),
        (-1e15..1e15).prop_map(|double: f64| Value::from(double)),
        any::<f64>().prop_map(|double| Value::from(double % 1e15)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(any::<String>(), inner, 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn any_args() -> impl Strategy<Value = Value> {
    prop::collection::hash_map(any::<String>(), any_json(), 0..6)
        .prop_map(|entries| Value::Object(entries.into_iter().collect()))
}

/// Writes an object with its entries turned round at every level, and spaced out.
fn turned(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .rev()
                .map(|(key, entry)| format!("{} : {}", json!(key), turned(entry)))
                .collect();
            format!("{{ {} }}", entries.join(" , "))
        }
        Value::Array(items) => format!("[\n{}\n]", items.iter().map(turned).collect::<Vec<_>>().join("\t,")),
        leaf => leaf.to_string(),
    }
}

proptest! {
    #[test]
    fn reading_the_text_again_changes_nothing(value in any_args()) {
        let args = CanonicalArgs::from_value(&value).unwrap();
        let again = CanonicalArgs::parse(args.as_str().as_bytes()).unwrap();
        prop_assert_eq!(again.as_str(), args.as_str());
        prop_assert_eq!(again.value(), args.value());
        prop_assert_eq!(again.sha256(), args.sha256());
    }

    #[test]
    fn key_order_and_spaces_change_nothing(value in any_args()) {
        let args = CanonicalArgs::from_value(&value).unwrap();
        let other = CanonicalArgs::parse(turned(&value).as_bytes()).unwrap();
        prop_assert_eq!(other.sha256(), args.sha256());
        prop_assert_eq!(other.value(), args.value());
        prop_assert_eq!(HashSet::from([args, other]).len(), 1);
    }

    #[test]
    fn any_bytes_are_read_or_refused(raw in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_json_strict(&raw);
    }

    #[test]
    fn broken_json_is_read_or_refused(value in any_args(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut raw = turned(&value).into_bytes();
        let at = cut.index(raw.len());
        raw[at] = byte;
        if let Ok(args) = CanonicalArgs::parse(&raw) {
            prop_assert_eq!(CanonicalArgs::parse(args.as_str().as_bytes()).unwrap(), args);
        }
    }
}
