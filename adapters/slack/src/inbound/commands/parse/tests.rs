use proptest::prelude::*;

use super::*;

fn filters(text: &str) -> Filters {
    match parse(text) {
        Ok(Asked::Audit { filters, export: None }) => filters,
        other => panic!("{text}: {other:?}"),
    }
}

/// R33: each command is read as it is meant, in any case and however a code is typed.
#[test]
fn commands_are_read() {
    let code: ShortCode = "7Q4K-2M".parse().unwrap();
    let id = "0190f3c2-5d5e-7c3a-9b1e-3f2a4c5d6e7f";
    let named = Named::Code(code);
    assert_eq!(parse(""), Ok(Asked::Help));
    assert_eq!(parse("  HELP me"), Ok(Asked::Help));
    assert_eq!(parse("Pending"), Ok(Asked::Pending));
    assert_eq!(parse("stops"), Ok(Asked::Stops));
    for typed in ["7Q4K-2M", "7q4k2m", "7Q4K 2M", "`7q4k-2m`", "#7Q4K\u{2013}2M,", "(7Q4K-2M)"] {
        assert_eq!(parse(&format!("show {typed}")), Ok(Asked::Show(named.clone())), "{typed}");
    }
    let by_id = Named::Id(id.parse().unwrap());
    assert_eq!(parse(&format!("why {}", id.to_uppercase())), Ok(Asked::Why(by_id)));
    let revoke =
        |reason: Option<&str>| Asked::Revoke { request: named.clone(), reason: reason.map(str::to_owned) };
    assert_eq!(parse("revoke 7Q4K-2M"), Ok(revoke(None)));
    assert_eq!(parse("revoke 7Q4K 2M a &lt;b&gt;"), Ok(revoke(Some("a <b>"))));
    let settle = |outcome, reason: Option<&str>| Asked::Settle {
        request: named.clone(),
        outcome,
        reason: reason.map(str::to_owned),
    };
    assert_eq!(parse("settle 7Q4K-2M"), Ok(settle(None, None)));
    assert_eq!(parse("settle 7Q4K-2M OK"), Ok(settle(Some(OutcomeKind::Succeeded), None)));
    assert_eq!(parse("settle 7Q4K-2M failed so"), Ok(settle(Some(OutcomeKind::Failed), Some("so"))));
    let freeze = |scope, reason: Option<&str>| Asked::Freeze { scope, reason: reason.map(str::to_owned) };
    assert_eq!(parse("freeze"), Ok(freeze(None, None)));
    assert_eq!(
        parse("freeze tool:mail/send it leaks"),
        Ok(freeze(Some(Scope::Tool("mail/send".into())), Some("it leaks")))
    );
    assert_eq!(parse("freeze agent:a"), Ok(freeze(Some(Scope::Agent("a".into())), None)));
    assert_eq!(parse("freeze tenant"), Ok(freeze(Some(Scope::Tenant), None)));
    assert_eq!(parse("digest"), Ok(Asked::Digest(Ttl::from_mins(24 * 60))));
    assert_eq!(parse("digest 7d"), Ok(Asked::Digest(Ttl::from_mins(7 * 24 * 60))));
}

/// R33: each filter, both forms of a mention, and words; what is no filter is a word.
#[test]
fn filters_are_read() {
    for text in
        ["who:<@U123|name>", "who:<@U123>", "WHO:<@U123>", "who: <@U123>", "<@U123|x>", "who\u{ff1a}<@U123>"]
    {
        assert_eq!(filters(&format!("audit {text}")).who.as_deref(), Some("U123"), "{text}");
    }
    let all = filters(
        "audit tool:mail/&lt;x&gt; state:failed,denied since:90m tenant:acme 12:30 https://x \"two words\"",
    );
    assert_eq!(all.tool.as_deref(), Some("mail/<x>"));
    assert_eq!(
        (all.statuses, all.outcome),
        (vec![Status::Executed, Status::Rejected], Some(OutcomeKind::Failed))
    );
    assert_eq!(all.since, Some(Since::Ago(Ttl::from_mins(90))));
    assert_eq!(all.tenant.as_deref(), Some("acme"));
    assert_eq!(all.words, ["12:30", "https://x", "\"two", "words\""]);
    assert!(matches!(filters("audit since:2026-11-30").since, Some(Since::Day(_))));
    assert_eq!(filters("audit state:pending").statuses.len(), 3);
    for status in Status::ALL {
        assert_eq!(filters(&format!("audit state:{status}")).statuses, [status]);
    }
    for (text, form) in [("csv", Form::Csv), ("jsonl", Form::JsonLines), ("JSON", Form::JsonLines)] {
        let asked = parse(&format!("audit export:{text}"));
        assert!(matches!(asked, Ok(Asked::Audit { export: Some(it), .. }) if it == form), "{text}");
    }
}

/// R33: a person is who Slack says, never who is called so; nothing else is taken for a mention.
#[test]
fn a_person_is_never_told_by_name() {
    for typed in
        ["who:bo", "who:@bo", "who:", "who:<@bo>", "who:<@U1", "who:<#C1>", "who:<!channel>", "who:<@U1>x"]
    {
        let mistake = parse(&format!("audit {typed}"));
        assert!(matches!(mistake, Err(Mistake::BadValue { key: Key::Who, .. })), "{typed}: {mistake:?}");
    }
}

/// R33: what is unknown gets what was probably meant.
#[test]
fn mistakes_name_what_was_meant() {
    let no_verb = |typed: &str, nearest| Err(Mistake::NoSuchVerb { typed: typed.to_owned(), nearest });
    assert_eq!(parse("pendign"), no_verb("pendign", Some(Verb::Pending)));
    assert_eq!(parse("adit x"), no_verb("adit", Some(Verb::Audit)));
    assert_eq!(parse("xyzzy"), no_verb("xyzzy", None));
    let no_key = |typed: &str, nearest| Err(Mistake::NoSuchKey { typed: typed.to_owned(), nearest });
    assert_eq!(parse("audit stat:failed"), no_key("stat", Some(Key::State)));
    assert_eq!(parse("audit nonsense:1"), no_key("nonsense", None));
    assert_eq!(parse("audit tool:a tool:b"), Err(Mistake::Twice(Key::Tool)));
    assert!(matches!(parse("audit state:failed,unknown"), Err(Mistake::BadValue { key: Key::State, .. })));
    for since in ["0d", "-1d", "7", "d", "99999999999d", "2026-13-40", "2026-1-1"] {
        let mistake = parse(&format!("audit since:{since}"));
        assert!(matches!(mistake, Err(Mistake::BadValue { key: Key::Since, .. })), "{since}: {mistake:?}");
    }
    for typed in ["show", "show 12", "why 7Q4K-2U", "revoke x y", "show 7Q4K 2M 3"] {
        assert!(
            matches!(parse(typed), Err(Mistake::WhichRequest { .. } | Mistake::NotTaken { .. })),
            "{typed}"
        );
    }
    assert_eq!(parse(&"x".repeat(COMMAND_UNITS_MAX + 1)), Err(Mistake::TooLong));
    assert_eq!(parse("audit a b c d e f g h i"), Err(Mistake::TooLong));
}

proptest! {
    /// R33: whatever is typed is a command or a mistake; what a mistake repeats is bounded, and what is a command is read the
    /// same when its button is pressed.
    #[test]
    fn whatever_is_typed_is_answered(text in "(audit |show |freeze |settle )?(\\PC|[<@>|:&;\u{202e} ]){0,200}") {
        match parse(&text) {
            Ok(asked) => prop_assert_eq!(parse(&text), Ok(asked)),
            Err(
                Mistake::NoSuchVerb { typed, .. }
                | Mistake::NoSuchKey { typed, .. }
                | Mistake::BadValue { typed, .. }
                | Mistake::WhichRequest { typed, .. }
                | Mistake::NotTaken { typed, .. },
            ) => prop_assert!(typed.chars().count() <= REPEATED_CHARS_MAX),
            Err(Mistake::Twice(_) | Mistake::TooLong) => {}
        }
    }
}
