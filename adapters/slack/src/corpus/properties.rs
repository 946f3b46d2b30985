//! Properties of everything that is rendered: no text of an agent's becomes anything but text, no cut falls inside a
//! character or an entity, and every payload keeps the limits. Over all renderers, in every language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use placet::approval::OutcomeKind;
use placet::card::CardView;
use placet::notice::{Message, Notice, Ran, Recipient};
use placet::policy::Place;
use placet::text::{Language, Texts};
use proptest::prelude::*;
use serde_json::Value;

use super::{NO_RENDERERS, Piece, Sent, cards, details, dialogs, homes, notices, rare, renderers, threads};
use crate::fixtures::{ended, everywhere, slack, view};
use crate::render::{compact, render};

/// What Slack makes something of, and what could be cut in two.
const ANY: &str = "(\\PC|[<>&!@#|`*_~\n\t\u{200b}\u{202e}\u{e000}\u{e001}\u{1F600}\u{301}\"\\\\]|&amp;|<!channel>|<@U1>|<!date\\^1\\^\\{date\\}\\|x>|https://e\\.example ){0,60}";

/// Types of objects that Placet makes; whatever else appeared would come from a text.
const MADE: [&str; 21] = [
    "actions",
    "button",
    "channel",
    "checkboxes",
    "context",
    "date",
    "divider",
    "header",
    "home",
    "input",
    "modal",
    "overflow",
    "plain_text",
    "plain_text_input",
    "radio_buttons",
    "rich_text",
    "rich_text_preformatted",
    "rich_text_quote",
    "rich_text_section",
    "section",
    "text",
];

/// Every object in a value.
fn objects<'v>(value: &'v Value, found: &mut Vec<&'v serde_json::Map<String, Value>>) {
    match value {
        Value::Object(members) => {
            found.push(members);
            members.values().for_each(|member| objects(member, found));
        }
        Value::Array(elements) => elements.iter().for_each(|element| objects(element, found)),
        _ => {}
    }
}

/// All pieces for these views, and with this text everywhere, in this language.
fn pieces_of((views, text): (&[CardView], &str), language: Language) -> Vec<Piece> {
    let mut all = cards_of(views, None, language);
    all.extend(told_of(text, language));
    all
}

/// Cards and dialogs for these views, or for one of them; the first ones stand on a card together as well.
fn cards_of(views: &[CardView], only: Option<usize>, language: Language) -> Vec<Piece> {
    let texts = Texts::of(language);
    let mut all = Vec::new();
    let is_meant = |number: usize| only.is_none_or(|only| only == number);
    for (number, seen) in views.iter().enumerate().filter(|(number, _)| is_meant(*number)) {
        all.push(cards::card(&number.to_string(), seen, texts));
        let small = compact(seen, &slack(), texts);
        all.push(Piece::message(format!("compact-{number}"), "compact", &small.text, &small.blocks));
        all.push(details::first_page(&format!("details-{number}"), seen, texts));
        all.extend(dialogs::sheets(&number.to_string(), seen, texts));
        all.extend(dialogs::decisions(&number.to_string(), seen, texts));
        all.push(told(number, seen, texts));
    }
    let parts = views.iter().take(3).cloned().collect::<Vec<_>>();
    if let Some((first, others)) = parts.split_first().filter(|_| is_meant(0)) {
        let gathered = CardView { parts: others.to_vec(), ..first.clone() };
        let rendering = render(&gathered, &slack(), texts);
        all.push(Piece::message("gathered", "gathered", &rendering.text, &rendering.blocks));
    }
    all
}

/// Notices, threads and homes with this text everywhere.
fn told_of(text: &str, language: Language) -> Vec<Piece> {
    let texts = Texts::of(language);
    let mut all = notices::rendered(text, texts);
    all.extend(rare::said(text, texts));
    all.extend(threads::said("", text, texts));
    all.push(homes::of("home", &everywhere(text), text, texts));
    all
}

/// What is said of it once it ran, with what an agent wrote for the tool and for its answer.
fn told(number: usize, seen: &CardView, texts: &Texts) -> Piece {
    let words = seen.call.task.clone();
    let ran = Ran {
        outcome: OutcomeKind::Succeeded,
        duration_ms: None,
        late: false,
        settled: false,
        words: Some(words),
    };
    let tool = seen.call.title.as_str().to_owned();
    let notice = Notice::Ran { request: seen.request, code: seen.code.clone(), tool, ran };
    let to = Recipient::Place(Place { surface: slack(), channel: "C1".into(), thread: None });
    let (text, blocks) =
        crate::render::notice(&Message::new(crate::fixtures::tenant(), to, notice), &[], texts);
    Piece::message(format!("told-{number}"), "notice", &text, &blocks)
}

/// How many times stand in a piece.
fn dates(piece: &Piece) -> usize {
    let mut found = Vec::new();
    let (_, content) = piece.file();
    objects(&content, &mut found);
    found.iter().filter(|object| object.get("type") == Some(&Value::from("date"))).count()
}

/// How many [`views_of`] gives.
const VIEWS: usize = 9;

/// A request with this text everywhere: as it is asked, with what was said about it, confidential, decided by one person
/// alone, and over.
fn views_of(text: &str) -> Vec<CardView> {
    let asked = everywhere(text);
    let mut all = vec![view(&asked), view(&rare::talked(asked.clone(), text))];
    all.extend(ended(&asked, text).iter().map(view));
    all.push(view(&rare::confidential(rare::talked(asked, text))));
    all.extend(rare::alone(text).iter().map(|(_, approval)| view(approval)).take(1));
    all
}

/// How many times Placet itself puts into each piece, by its name: those of the same cards without any text of an agent's.
fn own_dates(language: Language) -> &'static BTreeMap<String, usize> {
    static OF_EACH: LazyLock<Vec<(Language, BTreeMap<String, usize>)>> = LazyLock::new(|| {
        let plain = views_of("a");
        assert_eq!(plain.len(), VIEWS);
        let all = Language::ALL.into_iter();
        all.map(|language| {
            let pieces = pieces_of((&plain, "a"), language);
            let mut own: BTreeMap<String, usize> =
                pieces.into_iter().map(|piece| (piece.name.clone(), dates(&piece))).collect();
            // What is the same for its parts is said once where there is room for it, else by each of them.
            let parts = ["card-0", "card-1", "card-2"].iter().filter_map(|part| own.get(*part)).sum();
            own.insert("gathered".to_owned(), parts);
            (language, own)
        })
        .collect()
    });
    OF_EACH.iter().find(|(of, _)| *of == language).map(|(_, dates)| dates).unwrap()
}

/// R28: what stands in a piece is text, or was made by Placet.
fn assert_inert(piece: &Piece, dates: usize) {
    let (text, content) = match &piece.sent {
        Sent::Message { text, blocks } => (text.as_str(), Value::from(blocks.clone())),
        Sent::View(view) => ("", view.clone()),
        Sent::Answer(answer) => ("", answer.clone()),
    };
    // The one channel that Placet itself names.
    let text = text.replace("<#C0OPS>", "");
    assert!(!text.contains(['<', '>']), "{}: {text}", piece.name);
    assert!(!ends_inside_an_entity(&text), "{}: {text}", piece.name);
    let mut found = Vec::new();
    objects(&content, &mut found);
    let mut seen_dates = 0;
    for object in found {
        if let Some(kind) = object.get("type").and_then(Value::as_str) {
            assert!(MADE.contains(&kind) || kind == "link", "{}: {kind}", piece.name);
            seen_dates += usize::from(kind == "date");
        }
        // The one address that Placet itself makes: that of a message of ours.
        if object.get("type") == Some(&Value::from("link")) {
            assert_eq!(object.get("url"), Some(&Value::from(homes::CARD)), "{}", piece.name);
            assert_eq!(piece.by, "home", "{}", piece.name);
            continue;
        }
        for name in ["url", "image_url", "user_id", "usergroup_id", "range", "unicode"] {
            assert!(!object.contains_key(name), "{}: {name}", piece.name);
        }
        let channel = object.get("channel_id").and_then(Value::as_str);
        assert!(matches!(channel, None | Some("C0OPS")), "{}: {channel:?}", piece.name);
        assert_ne!(object.get("emoji"), Some(&Value::Bool(true)), "{}", piece.name);
        for value in object.values().filter_map(Value::as_str) {
            assert!(!value.contains('\u{fffd}'), "{}: half a character in {value}", piece.name);
        }
    }
    assert!(seen_dates <= dates, "{}: {seen_dates} times, of which Placet made at most {dates}", piece.name);
}

/// Whether a text that was escaped ends within `&amp;`, or holds the beginning of an entity that does not go on.
fn ends_inside_an_entity(text: &str) -> bool {
    text.split('&')
        .skip(1)
        .any(|after| !["amp;", "lt;", "gt;"].iter().any(|entity| after.starts_with(entity)))
}

/// What holds for each of them: Slack's limits are kept, and nothing in it but Placet's own is anything but text.
fn assert_sound(pieces: &[Piece], language: Language) {
    let own = own_dates(language);
    for piece in pieces {
        assert_eq!(piece.faults(), [""; 0]);
        // A long text has more messages than a short one; in those no time stands.
        assert_inert(piece, own.get(&piece.name).copied().unwrap_or_default());
    }
}

/// A text of an agent's, up to twelve times as long. A private-use character would be written as an escape, a replacement
/// character as itself.
fn any_text() -> impl Strategy<Value = String> {
    let times = prop_oneof![Just(1_usize), Just(4), Just(12)];
    (ANY, times).prop_map(|(text, times)| text.replace('\u{fffd}', "").repeat(times))
}

// One for each language and kind: they are slow, and so run beside each other. Each text stands on one of the cards.
proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// R28: whatever an agent writes, wherever, however long: on cards and in dialogs.
    #[test]
    fn no_text_on_a_card_becomes_anything_but_text(text in any_text(), which in 0..VIEWS) {
        assert_sound(&cards_of(&views_of(&text), Some(which), Language::English), Language::English);
    }

    /// R28: the same in Chinese.
    #[test]
    fn no_text_on_a_chinese_card_becomes_anything_but_text(text in any_text(), which in 0..VIEWS) {
        let chinese = Language::SimplifiedChinese;
        assert_sound(&cards_of(&views_of(&text), Some(which), chinese), chinese);
    }

    /// R28: in notices, threads and homes.
    #[test]
    fn no_text_that_is_told_becomes_anything_but_text(text in any_text()) {
        assert_sound(&told_of(&text, Language::English), Language::English);
    }

    /// R28: the same in Chinese.
    #[test]
    fn no_text_that_is_told_in_chinese_becomes_anything_but_text(text in any_text()) {
        assert_sound(&told_of(&text, Language::SimplifiedChinese), Language::SimplifiedChinese);
    }
}

/// The properties are about every renderer, but for the answers to commands.
#[test]
fn the_properties_are_about_every_renderer() {
    let views = [view(&everywhere("a")), view(&ended(&everywhere("a"), "a")[0])];
    let made = pieces_of((&views, "a"), Language::English);
    let by: BTreeSet<String> = made.iter().map(|piece| piece.by.to_owned()).collect();
    let mut expected = renderers();
    assert!(expected.remove("opening"), "it holds a code alone, or a sentence of the catalogue's");
    assert!(expected.remove("commands"), "it has properties of its own");
    assert_eq!(by, expected, "left: what the properties render; right: src/render without {NO_RENDERERS:?}");
}

/// The property finds what it is for.
#[test]
#[should_panic(expected = "bad")]
fn an_active_element_is_found() {
    let link =
        serde_json::json!({ "type": "rich_text_section", "elements": [{ "type": "link", "url": "x" }] });
    assert_inert(&Piece::message("bad", "", "t", &[link]), 0);
}

#[test]
fn half_an_entity_is_found() {
    for bad in ["a&", "a&am", "&l", "x &amp y"] {
        assert!(ends_inside_an_entity(bad), "{bad}");
    }
    assert!(!ends_inside_an_entity("a &amp; b &lt;x&gt;"));
}
