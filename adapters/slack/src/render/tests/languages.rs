//! The same cards in another language.

use placet::text::Language;

use super::*;

fn chinese() -> &'static Texts {
    Texts::of(Language::SimplifiedChinese)
}

/// R42: a card in every state, Details and the dialogs, as somebody reads them in Chinese.
#[test]
fn cards_and_dialogs_in_chinese() {
    let mut all = Vec::new();
    for (name, approval) in in_every_state() {
        let view = view(&approval);
        let rendering = render(&view, &slack(), chinese());
        assert_fits(&rendering);
        assert_eq!(rendering.full, view.is_waiting(), "{name}");
        all.push(format!("== {name}\n{}\n---\n{}", rendering.text, read(&rendering.blocks.into())));
    }
    let view = view(&waiting());
    let pages = details::pages(&view.call, chinese());
    let offer = details::Offer { page: 0, all_opened: true, may_approve: true, more: &[] };
    let dialogs = [
        details::view(&view, &pages, offer, "r", chinese()),
        dialog::deny((&view.code, None), "r", true, chinese()),
        dialog::approve((&view.code, None), "r", chinese()),
    ];
    for dialog in dialogs {
        assert_eq!(check_view(&dialog), []);
        let titles = [&dialog["title"]["text"], &dialog["submit"]["text"], &dialog["close"]["text"]];
        let titles: Vec<&str> = titles.into_iter().filter_map(Value::as_str).collect();
        all.push(format!("== {}\n{}", titles.join(" / "), read(&dialog["blocks"])));
    }
    let card = gathered(["a", "b"].map(|name| json!({ "path": format!("demo-notes/{name}.txt") })));
    all.push(format!("== gathered\n{}", read(&render(&card, &slack(), chinese()).blocks.into())));
    insta::assert_snapshot!("chinese", all.join("\n\n"));
}

/// The longest of these that is full.
fn longest(is_full: impl Fn(usize) -> bool) -> usize {
    let (mut full, mut cut) = (100, 12_000);
    assert!(is_full(full) && !is_full(cut));
    while cut - full > 1 {
        let middle = usize::midpoint(full, cut);
        if is_full(middle) { full = middle } else { cut = middle }
    }
    full
}

/// R28, R42: whether a yes is possible on a card does not depend on the language it is in: what was put on record before the
/// post holds for every channel.
#[test]
fn a_card_is_full_in_every_language_or_in_none() {
    let alone = |length: usize, language| {
        let view = view(&waiting_for(proposal(&json!({ "path": "x".repeat(length) })), terms()));
        let rendering = render(&view, &slack(), Texts::of(language));
        assert_eq!(actions_of(&rendering.blocks).contains(&APPROVE_ACTION.to_owned()), rendering.full);
        rendering.full
    };
    let beside = |length: usize, language| {
        let card = gathered([json!({ "path": "a" }), json!({ "path": "x".repeat(length) })]);
        let whole = shows_all_of(&card, &card.parts[0], &slack(), Texts::of(language));
        let value = ButtonValue::of(&card.parts[0], &slack(), true).encode();
        let blocks = Value::from(render(&card, &slack(), Texts::of(language)).blocks).to_string();
        assert_eq!(blocks.contains(&value), whole);
        whole
    };
    let is_full: [&dyn Fn(usize, Language) -> bool; 2] = [&alone, &beside];
    for is_full in is_full {
        // Around the longest that is full in one of them, another would differ.
        for one in Language::ALL {
            let edge = longest(|length| is_full(length, one));
            for length in edge - 1..=edge + 1 {
                let full = Language::ALL.map(|language| is_full(length, language));
                assert_eq!(full, [length <= edge; 2], "of {length} characters");
            }
        }
    }
}
