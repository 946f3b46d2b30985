use proptest::prelude::*;

use super::*;
use crate::approval::{OutcomeKind, Status};
use crate::command::{Form, Since};
use crate::person::Identity;

/// As in Slack: buttons, mentions in angle brackets, and escaped text.
struct Buttons;

impl Dialect for Buttons {
    fn means(&self) -> Means {
        Means::Buttons
    }

    fn is_mention(&self, word: &str) -> bool {
        word.starts_with("<@")
    }

    fn accounts(&self, word: &str) -> Vec<Identity> {
        let user = word.strip_prefix("<@").and_then(|rest| rest.strip_suffix('>'));
        let user = user.and_then(|user| user.split('|').next());
        let user = user.filter(|user| user.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()));
        user.and_then(|user| Identity::slack("T1", user).ok()).into_iter().collect()
    }

    fn plain(&self, text: &str) -> String {
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }
}

/// As in Matrix: words alone, and whole accounts.
struct Words;

impl Dialect for Words {
    fn means(&self) -> Means {
        Means::Words
    }

    fn is_mention(&self, word: &str) -> bool {
        word.starts_with('@')
    }

    fn accounts(&self, word: &str) -> Vec<Identity> {
        let parts = word.strip_prefix('@').and_then(|rest| rest.split_once(':'));
        parts.and_then(|_| Identity::matrix(word).ok()).into_iter().collect()
    }
}

fn parse(text: &str) -> Result<Asked, Mistake> {
    super::parse(text, &Buttons)
}

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
    for everything in ["everything", "ALL"] {
        assert_eq!(parse(&format!("freeze {everything}")), Ok(freeze(Some(Scope::Everything), None)));
    }
    assert_eq!(parse("digest"), Ok(Asked::Digest(Ttl::from_mins(24 * 60))));
    assert_eq!(parse("digest 7d"), Ok(Asked::Digest(Ttl::from_mins(7 * 24 * 60))));
}

/// R33: each filter, both forms of a mention, and words; what is no filter is a word.
#[test]
fn filters_are_read() {
    for text in
        ["who:<@U123|name>", "who:<@U123>", "WHO:<@U123>", "who: <@U123>", "<@U123|x>", "who\u{ff1a}<@U123>"]
    {
        assert_eq!(filters(&format!("audit {text}")).who, [Identity::slack("T1", "U123").unwrap()], "{text}");
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

fn card() -> ReplyCard {
    let request = "0190f3c2-5d5e-7c3a-9b1e-3f2a4c5d6e7f".parse().unwrap();
    ReplyCard { request, code: "7Q4K-2M".parse().unwrap() }
}

fn typed(text: &str, card: Option<&ReplyCard>) -> Result<Asked, Mistake> {
    super::typed(text, card, &Words).map(|typed| typed.asked)
}

/// R31: what a button does elsewhere is a verb where there are none, with the request named or its card answered; where there are
/// buttons, whoever types it is told of them.
#[test]
fn deeds_are_read() {
    let own = card();
    let code = own.code.clone();
    let on_card = || Target::Card(Named::Id(own.request));
    let does = |deed, target, words: Option<&str>| {
        Ok(Asked::Do { deed, target, question: None, words: words.map(str::to_owned) })
    };
    for verb in Verb::ALL {
        let Some(deed) = verb.deed() else { continue };
        assert_eq!(deed.verb(), verb);
        assert_eq!(parse(verb.name()), Err(Mistake::ByButton(verb)));
        assert!(
            matches!(typed(verb.example(), None), Ok(Asked::Do { deed: it, .. }) if it == deed),
            "{verb:?}"
        );
        let bare = typed(verb.name(), None);
        assert_eq!(bare, Err(Mistake::WhichRequest { verb, typed: String::new() }));
        let answered = typed(verb.name(), Some(&own));
        match deed.needs_words() {
            true => assert_eq!(answered, Err(Mistake::Missing(verb))),
            false => assert_eq!(answered, does(deed, on_card(), None)),
        }
    }
    for text in ["lift tool:deploy", "forget 7Q4K-2M"] {
        assert!(matches!(parse(text), Err(Mistake::ByButton(_))), "{text}");
        assert!(typed(text, None).is_ok(), "{text}");
    }
    assert_eq!(
        typed("approve 7q4k-2m", None),
        does(Deed::Approve, Target::Named(Named::Code(code.clone())), None)
    );
    assert_eq!(
        typed("approve 7Q4K-2M  so\nbe it ", Some(&own)),
        does(Deed::Approve, on_card(), Some("so\nbe it"))
    );
    assert_eq!(typed("deny the wrong one", Some(&own)), does(Deed::Deny, on_card(), Some("the wrong one")));
    let edit = "{\"path\":  \"two  spaces\"}";
    assert_eq!(typed(&format!("edit {edit}"), Some(&own)), does(Deed::Edit, on_card(), Some(edit)));
    let answer =
        Asked::Do { deed: Deed::Answer, target: on_card(), question: Some(2), words: Some("yes".to_owned()) };
    assert_eq!(typed("answer #2 yes", Some(&own)), Ok(answer));
    assert!(matches!(typed("take-back at once", Some(&own)), Err(Mistake::NotTaken { .. })));
    assert!(matches!(typed("take-back", Some(&own)), Ok(Asked::Do { words: None, .. })));
}

/// R31: nothing is done to the request whose card is answered where another is named; and a word that could be a code is neither
/// taken for one nor for a word before the record was asked.
#[test]
fn a_word_may_be_a_code() {
    let own = card();
    let other = Mistake::Another { verb: Verb::Approve, card: own.code.clone(), named: "0000-00".to_owned() };
    assert_eq!(typed("approve 0000-00", Some(&own)), Err(other));
    let id = "0190f3c2-5d5e-7c3a-9b1e-000000000000";
    assert!(matches!(typed(&format!("deny {id}"), Some(&own)), Err(Mistake::Another { .. })));
    for (text, code, rest, all) in [
        ("deny secret leaks", "SECR-ET", Some("leaks"), "secret leaks"),
        ("deny secret", "SECR-ET", None, "secret"),
        ("deny that is wrong", "THAT-1S", Some("wrong"), "that is wrong"),
        ("deny 7q4k 2m no", "7Q4K-2M", Some("no"), "7q4k 2m no"),
    ] {
        for card in [None, Some(&own)] {
            let expected = Target::Perhaps {
                code: code.parse().unwrap(),
                rest: rest.map(str::to_owned),
                card: card.map(|card| (Named::Id(card.request), card.code.clone())),
            };
            let read = typed(text, card);
            let Ok(Asked::Do { target, words, .. }) = read else { panic!("{text}: {read:?}") };
            assert_eq!((target, words.as_deref()), (expected, Some(all)), "{text}");
        }
    }
}

/// R33: where no dialog asks, what is missing is said; in an answer to a card the request need not be; pages are turned by words.
#[test]
fn words_alone_are_enough() {
    let own = card();
    for (text, verb) in [
        ("revoke 7Q4K-2M", Verb::Revoke),
        ("settle 7Q4K-2M", Verb::Settle),
        ("settle 7Q4K-2M ok", Verb::Settle),
        ("freeze", Verb::Freeze),
        ("freeze tool:deploy", Verb::Freeze),
        ("lift", Verb::Lift),
    ] {
        assert_eq!(typed(text, None), Err(Mistake::Missing(verb)), "{text}");
    }
    assert_eq!(typed("show", Some(&own)), Ok(Asked::Show(Named::Id(own.request))));
    let settled = typed("settle ok I saw it", Some(&own));
    let Ok(Asked::Settle { request, outcome, reason }) = settled else { panic!("{settled:?}") };
    assert_eq!((request, outcome), (Named::Id(own.request), Some(OutcomeKind::Succeeded)));
    assert_eq!(reason.as_deref(), Some("I saw it"));
    let read = super::typed("audit who:@bo:example.org page:3", None, &Words).unwrap();
    assert_eq!((read.text.as_str(), read.place), ("audit who:@bo:example.org", Place::Page(2)));
    let Asked::Audit { filters, .. } = read.asked else { panic!("{:?}", read.asked) };
    assert_eq!(filters.who, [Identity::matrix("@bo:example.org").unwrap()]);
    for place in [Place::Before(own.request), Place::Page(1)] {
        let text = format!("pending {}", place.word().unwrap());
        let read = super::typed(&text, None, &Words).unwrap();
        assert_eq!((read.text.as_str(), read.place, read.asked), ("pending", place, Asked::Pending));
    }
    // Behind a reason it is part of the reason.
    let read = super::typed("deny 7Q4K-2M see page:2", None, &Words).unwrap();
    assert_eq!(read.place, Place::First);
    assert!(matches!(read.asked, Asked::Do { words: Some(words), .. } if words == "see page:2"));
    assert!(matches!(typed("whoami page:2", None), Err(Mistake::NotTaken { .. })));
    let long = "x".repeat(COMMAND_UNITS_MAX);
    assert!(typed(&format!("edit {{\"a\": \"{long}\"}}"), Some(&own)).is_ok());
    assert_eq!(typed(&format!("edit {}", "x".repeat(DEED_UNITS_MAX)), Some(&own)), Err(Mistake::TooLong));
}

proptest! {
    /// R33: whatever is typed is a command or a mistake; what a mistake repeats is bounded, and what is a command is read the
    /// same when its button is pressed.
    #[test]
    fn whatever_is_typed_is_answered(text in "(audit |show |freeze |settle |approve |deny |ask )?(\\PC|[<@>|:&;\u{202e} ]){0,200}") {
        match parse(&text) {
            Ok(asked) => prop_assert_eq!(parse(&text), Ok(asked)),
            Err(
                Mistake::NoSuchVerb { typed, .. }
                | Mistake::NoSuchKey { typed, .. }
                | Mistake::BadValue { typed, .. }
                | Mistake::WhichRequest { typed, .. }
                | Mistake::NotTaken { typed, .. },
            ) => prop_assert!(typed.chars().count() <= REPEATED_CHARS_MAX),
            Err(Mistake::Twice(_) | Mistake::TooLong | Mistake::ByButton(_) | Mistake::Missing(_)) => {}
            Err(Mistake::Another { .. }) => prop_assert!(false, "no card was answered"),
        }
        let own = card();
        for card in [None, Some(&own)] {
            let read = super::typed(&text, card, &Words);
            if let Ok(Asked::Do { target: Target::Named(_), .. }) = read.map(|read| read.asked) {
                prop_assert!(card.is_none(), "another request than the card's");
            }
        }
    }
}
