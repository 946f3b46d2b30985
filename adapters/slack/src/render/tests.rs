mod around;
mod languages;
mod menus;

use std::sync::Arc;

use placet::approval::{Before, Decision, Edited, Follows, OutcomeKind, Proposal};
use placet::call::CanonicalArgs;
use placet::card::{CardView, GroundsView, visible};
use placet::id::RequestId;
use placet::policy::{ArgPattern, Figure, FigureName, Level, RememberOffer, Terms, Widening};
use placet::time::Ttl;
use proptest::prelude::*;

use super::*;
use crate::fixtures::{
    HOSTILE, at, ended, everywhere, in_every_state, proposal, slack, terms, view, vote, waiting, waiting_for,
};
use crate::limits::check_view;

/// The menu behind the buttons.
const MENU: &str = "placet_more";

fn texts() -> &'static Texts {
    Texts::english()
}

fn rendered(view: &CardView) -> Rendering {
    render(view, &slack(), texts())
}

/// Everything that a person can read in these blocks, as it stands.
fn read(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let own = members.get("text").and_then(Value::as_str).map(str::to_owned);
            let date = members.get("fallback").and_then(Value::as_str).map(str::to_owned);
            let inner = ["text", "elements", "fields", "label", "element", "hint"];
            let inner = inner.iter().filter_map(|name| members.get(*name)).filter(|inner| !inner.is_string());
            own.into_iter().chain(date).chain(inner.map(read)).collect()
        }
        Value::Array(elements) => elements.iter().map(|element| read(element) + "\n").collect(),
        _ => String::new(),
    }
}

/// All members `type` beneath a value.
fn kinds(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("type").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| kinds(member, found));
        }
        Value::Array(elements) => elements.iter().for_each(|element| kinds(element, found)),
        _ => {}
    }
}

/// R28: nothing of an agent's is interpreted: every text stands where Slack interprets none, and the only elements
/// that it fills in are times, of which there are as many as Placet made.
fn assert_inert(blocks: &[Value], text: &str) {
    const KNOWN: [&str; 15] = [
        "header",
        "section",
        "context",
        "actions",
        "divider",
        "input",
        "button",
        "overflow",
        "radio_buttons",
        "plain_text",
        "plain_text_input",
        "rich_text",
        "rich_text_section",
        "rich_text_preformatted",
        "rich_text_quote",
    ];
    let all = Value::from(blocks.to_vec());
    let mut found = Vec::new();
    kinds(&all, &mut found);
    for kind in found {
        assert!(KNOWN.contains(&kind.as_str()) || matches!(kind.as_str(), "text" | "date"), "{kind}");
    }
    let json = all.to_string();
    for word in ["\"url\":", "mrkdwn", "\"emoji\":true"] {
        assert!(!json.contains(word), "{word} in {json}");
    }
    assert!(!text.contains(['<', '>']), "{text}");
}

fn assert_fits(rendering: &Rendering) {
    assert_eq!(check_message(&json!({ "text": rendering.text, "blocks": rendering.blocks })), []);
    assert_inert(&rendering.blocks, &rendering.text);
}

fn actions_of(blocks: &[Value]) -> Vec<String> {
    let rows = blocks.iter().filter(|block| block["type"] == "actions");
    let buttons = rows.flat_map(|row| row["elements"].as_array().cloned().unwrap_or_default());
    buttons.map(|button| button["action_id"].as_str().unwrap().to_owned()).collect()
}

/// Every character of the call stands in what a person reads.
fn assert_shows_all(view: &CardView, read: &str) {
    let call = &view.call;
    let as_json = read.contains(call.args_json.as_str());
    let by_themselves = arguments::items(call, call);
    let item_shown =
        |item: &arguments::Item<'_>| read.contains(item.name) && read.contains(item.value.as_ref());
    let all_items = by_themselves.is_some_and(|items| items.iter().all(item_shown));
    assert!(as_json || all_items, "{} is missing in {read}", call.args_json);
    let mut fields = vec![&call.tool, &call.task, &call.reason, &call.asked_by];
    fields.extend(call.effect.iter().chain(&call.preview).chain(&call.if_denied));
    fields.extend(call.rules.iter().flat_map(|rule| [&rule.rule, &rule.because]));
    for piece in &call.evidence {
        fields.push(&piece.title);
        fields.extend(piece.uri.iter().chain(&piece.excerpt));
    }
    for field in fields {
        assert!(read.contains(field.as_str()), "{field} is missing in {read}");
    }
}

#[test]
fn cards_in_every_state() {
    for (name, approval) in in_every_state() {
        let view = view(&approval);
        let rendering = rendered(&view);
        assert_fits(&rendering);
        let actions = actions_of(&rendering.blocks);
        if view.is_waiting() {
            let take_back = (!approval.votes.is_empty()).then_some(TAKE_BACK_ACTION);
            let expected =
                [APPROVE_ACTION, DENY_ACTION, DETAILS_ACTION].into_iter().chain(take_back).chain([MENU]);
            assert_eq!(actions, expected.collect::<Vec<_>>(), "{name}");
            assert!(rendering.full);
            assert_shows_all(&view, &read(&rendering.blocks.clone().into()));
        } else {
            let open_ends = (name == "unknown").then_some("placet_settle");
            assert_eq!(
                actions,
                open_ends.into_iter().collect::<Vec<_>>(),
                "{name}: only what is still to be done"
            );
            assert!(!rendering.full);
        }
        let shown = format!("{}\n---\n{}", rendering.text, read(&rendering.blocks.into()));
        insta::assert_snapshot!(name, shown);
    }
}

#[test]
fn the_blocks_of_a_card() {
    insta::assert_json_snapshot!("blocks", rendered(&view(&waiting())).blocks);
}

/// R28: 10 KB of arguments with everything hostile in every field: within the limits, said to be partly shown, without
/// a way to approve, and whole in Details.
#[test]
fn a_hostile_card_of_ten_kilobytes() {
    let text = HOSTILE.repeat(10_240 / HOSTILE.len() + 1);
    let approval = everywhere(&text);
    let view = view(&approval);
    let rendering = rendered(&view);
    assert_fits(&rendering);
    assert!(!rendering.full);
    assert_eq!(actions_of(&rendering.blocks), [DENY_ACTION, DETAILS_ACTION, TAKE_BACK_ACTION, MENU]);
    let shown = read(&rendering.blocks.clone().into());
    assert!(shown.contains("lines shown") && shown.contains("left out"), "{shown}");
    assert!(shown.contains("Open Details") && shown.contains("Look closely"), "{shown}");
    insta::assert_snapshot!("hostile", shown);
    for approval in ended(&approval, &text) {
        assert_fits(&rendered(&crate::fixtures::view(&approval)));
    }
    let compact = compact(&view, &slack(), texts());
    assert_fits(&compact);
    assert_eq!(actions_of(&compact.blocks), [DENY_ACTION, DETAILS_ACTION, TAKE_BACK_ACTION]);
    let pages = details::pages(&view.call, texts());
    let whole: String = pages.iter().map(|page| read(&page.clone().into())).collect();
    // A text of several blocks has the ends of blocks in it.
    let flat = |text: &str| text.replace('\n', "");
    let whole = flat(&whole);
    assert!(whole.contains(&flat(view.call.args_json.as_str())), "the arguments are whole");
    assert!(whole.contains(&flat(view.call.reason.as_str())));
    assert!(whole.contains(&flat(view.call.evidence[4].excerpt.as_ref().unwrap().as_str())));
}

#[test]
fn a_hidden_secret_leaves_no_way_to_approve_on_the_card() {
    let approval = waiting_for(
        proposal(&json!({ "path": "a", "token": "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5" })),
        terms(),
    );
    let view = view(&approval);
    assert_eq!(view.call.redacted, 1);
    let rendering = rendered(&view);
    assert!(!rendering.full);
    assert_eq!(actions_of(&rendering.blocks), [DENY_ACTION, DETAILS_ACTION, MENU]);
    let shown = read(&rendering.blocks.into());
    assert!(shown.contains("secret is hidden") && !shown.contains("ghp_"), "{shown}");
}

#[test]
fn what_is_special_is_said() {
    let mut terms = terms();
    terms.requester_may_approve = true;
    terms.reason_for_yes = true;
    let mut proposal = proposal(&json!({}));
    proposal.follows = Some(Follows { request: waiting().id, how: Before::Unanswered });
    proposal.preview = Some("- old\n+ new".into());
    let rendering = rendered(&view(&waiting_for(proposal, terms)));
    assert_fits(&rendering);
    assert!(rendering.full, "no arguments are shown in full too");
    insta::assert_snapshot!("special", read(&rendering.blocks.into()));
}

/// R15, R39: figures stand on the card, and what an edit changed; it says how many calls a yes allows, and shows the
/// whole call all the same.
#[test]
fn figures_edits_and_shared_calls_are_shown() {
    let mut proposal = proposal(&json!({ "path": "demo-notes/a.txt" }));
    proposal.edited = Some(Edited {
        request: waiting().id,
        by: "slack:T1/UBO".parse().unwrap(),
        name: "Bo".into(),
        before: CanonicalArgs::from_value(&json!({ "path": "demo-notes" })).unwrap(),
        earlier: Vec::new(),
        confidential: None,
    });
    let mut approval = waiting_for(proposal, terms());
    let mut verdict = (**approval.verdict.as_ref().unwrap()).clone();
    verdict.figures = vec![Figure { name: FigureName::Affected, value: "40".into() }];
    approval.verdict = Some(verdict.into());
    approval.followers = vec![waiting().id, waiting().id];
    let view = view(&approval);
    let rendering = rendered(&view);
    assert_fits(&rendering);
    assert!(rendering.full && view.covers == 2);
    let shown = read(&rendering.blocks.into());
    let pages = details::pages(&view.call, texts());
    let details: String = pages.iter().map(|page| read(&page.clone().into())).collect();
    for text in ["affected users 40", "-   \"path\": \"demo-notes\"", "+   \"path\": \"demo-notes/a.txt\""] {
        assert!(shown.contains(text) && details.contains(text), "{text} is missing in {shown} or {details}");
    }
    assert!(shown.contains("allows 3 calls") && shown.contains("Bo changed the arguments"), "{shown}");
}

/// R10: a second card says what happened to the first: people who were not reached did not keep silent.
#[test]
fn a_second_card_says_what_became_of_the_first() {
    let said = |how| {
        let mut proposal = proposal(&json!({ "path": "a" }));
        proposal.follows = Some(Follows { request: waiting().id, how });
        let blocks = rendered(&view(&waiting_for(proposal, terms()))).blocks;
        let shown = read(&blocks.into());
        shown.lines().find(|line| line.contains("second time")).unwrap_or_default().to_owned()
    };
    let (silent, unreached) = (said(Before::Unanswered), said(Before::Unasked));
    assert!(silent.contains("nobody answered"), "{silent}");
    assert!(unreached.contains("nobody could be reached") && !unreached.contains("answered"), "{unreached}");
}

/// R9: what would be remembered stands whole on its button, and once more where Slack asks; where it does not fit there,
/// or a yes needs a reason, there is no such button.
#[test]
fn a_yes_is_remembered_only_where_its_whole_scope_is_printed() {
    let offered = |path: &str, terms: Terms| {
        let proposal = proposal(&json!({ "path": path }));
        let pattern = ArgPattern::of(
            &proposal.call.args,
            &std::collections::BTreeMap::from([("path".to_owned(), Widening::Folder)]),
        );
        let mut approval = waiting_for(proposal, terms);
        let mut verdict = (**approval.verdict.as_ref().unwrap()).clone();
        verdict.remember = pattern.map(|pattern| RememberOffer { pattern, within: Ttl::from_mins(60) });
        approval.verdict = Some(Arc::new(verdict));
        let rendering = rendered(&view(&approval));
        assert_fits(&rendering);
        let blocks = rendering.blocks.iter().flat_map(|block| block["elements"].as_array().cloned());
        blocks.flatten().find(|element| element["action_id"] == REMEMBER_ACTION)
    };
    let button = offered("demo-notes/a.txt", terms()).unwrap();
    let text = button["text"]["text"].as_str().unwrap();
    assert!(text.contains("path=demo-notes/*") && text.contains("1 h"), "{text}");
    let asks = button["confirm"]["text"]["text"].as_str().unwrap();
    assert!(
        asks.starts_with(text) && asks.contains("every call of delete_file with path=demo-notes/*"),
        "{asks}"
    );
    assert_eq!(offered(&format!("{}/a.txt", "long-folder-name".repeat(5)), terms()), None);
    assert_eq!(offered("demo-notes/a.txt", Terms { reason_for_yes: true, ..terms() }), None);
}

/// Many votes, long lists: the card stays within the limits, and what an earlier voter wrote takes nobody's button.
#[test]
fn long_lists_are_cut() {
    let mut approval = waiting();
    approval.votes = (0..60)
        .map(|n| vote(&approval, &format!("p{n}"), Decision::Approve, Some(&"x".repeat(900))))
        .collect();
    let rendering = rendered(&view(&approval));
    assert_fits(&rendering);
    assert!(rendering.full, "the call itself is whole");
    let mut many = proposal(&json!({ "path": "a" }));
    many.evidence = vec![many.evidence[0].clone(); 200];
    let rendering = rendered(&view(&waiting_for(many, terms())));
    assert_fits(&rendering);
    assert!(!rendering.full);
    assert!(read(&rendering.blocks.into()).contains("3 of 200 lines shown"));
}

#[test]
fn a_value_comes_back_as_it_was() {
    let mut terms = terms();
    terms.reason_for_no = true;
    let view = view(&waiting_for(proposal(&json!({})), terms));
    let value = ButtonValue::of(&view, &slack(), true);
    let back = ButtonValue::decode(&value.encode()).unwrap();
    assert_eq!(
        (back.request, &back.code, back.shown),
        (view.request, &view.code, view.shown(&slack(), true))
    );
    assert!(back.reason_for_no && !back.reason_for_yes);
    let good = value.encode();
    for bad in ["", "1", "7Q4K-2M", &good.replacen('1', "2", 1), &format!("{good}/"), &format!("{good}x")] {
        assert_eq!(ButtonValue::decode(bad), None, "{bad}");
    }
}

#[test]
fn details_of_a_short_call_are_one_page() {
    let view = view(&waiting());
    let pages = details::pages(&view.call, texts());
    assert_eq!(pages.len(), 1);
    let offer = details::Offer { page: 0, all_opened: true, may_approve: true, more: &[] };
    let dialog = details::view(&view, &pages, offer, "reference", texts());
    assert_eq!(check_view(&dialog), []);
    assert_inert(dialog["blocks"].as_array().unwrap(), "");
    assert_shows_all(&view, &read(&dialog["blocks"]));
    insta::assert_snapshot!("details", read(&dialog["blocks"]));
}

#[test]
fn details_offer_a_yes_only_once_every_page_was_opened() {
    let long = "line of a script\n".repeat(6_000);
    let view = view(&waiting_for(proposal(&json!({ "command": long })), terms()));
    let pages = details::pages(&view.call, texts());
    assert!(pages.len() > 2 && pages.len() < details::PAGES_MAX, "{}", pages.len());
    for page in 0..pages.len() {
        for (all_opened, may_approve) in [(false, true), (true, false), (true, true)] {
            let offer = details::Offer { page, all_opened, may_approve, more: &[] };
            let dialog = details::view(&view, &pages, offer, "reference", texts());
            assert_eq!(check_view(&dialog), []);
            assert_eq!(dialog["submit"].is_object(), all_opened && may_approve);
            let has_next =
                actions_of(dialog["blocks"].as_array().unwrap()).contains(&details::NEXT_ACTION.to_owned());
            assert_eq!(has_next, page + 1 < pages.len());
        }
    }
}

#[test]
fn details_longer_than_can_be_paged_offer_no_yes() {
    let mut long = proposal(&json!({ "path": "a" }));
    long.preview = Some("x".repeat(1_700_000));
    let view = view(&waiting_for(long, terms()));
    let pages = details::pages(&view.call, texts());
    assert!(pages.len() > details::PAGES_MAX);
    let offer = details::Offer { page: 0, all_opened: true, may_approve: true, more: &[] };
    let dialog = details::view(&view, &pages, offer, "reference", texts());
    assert_eq!(check_view(&dialog), []);
    assert!(dialog["submit"].is_null());
    assert!(read(&dialog["blocks"]).contains("longer than can be shown"));
}

#[test]
fn dialogs_keep_the_limits() {
    let code = &waiting().code;
    for dialog in [
        dialog::deny((code, None), "reference", true, texts()),
        dialog::deny((code, None), "reference", false, texts()),
        dialog::approve((code, None), "reference", texts()),
    ] {
        assert_eq!(check_view(&dialog), []);
        assert_inert(dialog["blocks"].as_array().unwrap(), "");
    }
}

#[test]
fn times_are_the_readers_own_and_nobody_elses() {
    let sentence = format!("a {}1{} b", '\u{e000}', '\u{e001}');
    assert_eq!(pieces::elements(&sentence).len(), 3);
    let foreign = (pieces::RICH.text)(&sentence);
    assert_eq!(pieces::elements(&foreign).len(), 1);
    assert_eq!(pieces::elements(&(pieces::RICH.time)(at(0)))[0]["timestamp"], at(0).as_secs());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// R28: whatever an agent writes, wherever: within the limits, inert, and full only if everything is there.
    #[test]
    fn any_text_is_shown_as_text(
        text in "(\\PC|[<>&!@#|`*_~\n\t\u{200b}\u{202e}\u{e000}\u{1F600}\"\\\\]){0,120}",
        times in prop_oneof![Just(1_usize), Just(3), Just(15)],
    ) {
        let approval = everywhere(&text.repeat(times));
        let seen = view(&approval);
        let rendering = rendered(&seen);
        assert_fits(&rendering);
        assert_eq!(rendering.full, actions_of(&rendering.blocks).contains(&APPROVE_ACTION.to_owned()));
        if rendering.full {
            assert_shows_all(&seen, &read(&rendering.blocks.into()));
        }
        assert_fits(&compact(&seen, &slack(), texts()));
        let pages = details::pages(&seen.call, texts());
        for page in 0..pages.len().min(3) {
            let offer = details::Offer { page, all_opened: true, may_approve: true, more: &[] };
            let dialog = details::view(&seen, &pages, offer, "r", texts());
            prop_assert_eq!(check_view(&dialog), []);
            assert_inert(dialog["blocks"].as_array().unwrap(), "");
        }
        for approval in ended(&approval, &text) {
            assert_fits(&rendered(&view(&approval)));
        }
    }
}

/// A card with parts for calls with these arguments.
fn gathered<const N: usize>(args: [Value; N]) -> CardView {
    let mut all = args.iter().enumerate().map(|(number, args)| {
        let plain = Proposal { evidence: Vec::new(), if_denied: None, ..proposal(args) };
        let mut approval = waiting_for(plain, terms());
        approval.id = RequestId::from_bytes([u8::try_from(number).unwrap() + 1; 16]);
        let mut view = view(&approval);
        view.call.level = Level::High;
        view
    });
    let first = all.next().unwrap();
    CardView { parts: all.collect(), ..first }
}

/// Fatigue, R27: four ordinary calls stand whole on one card, each with its own buttons, within Slack's limits.
#[test]
fn four_calls_stand_on_one_card() {
    let card = gathered(["a", "b", "c", "d"].map(|name| json!({ "path": format!("demo-notes/{name}.txt") })));
    let rendering = rendered(&card);
    assert_fits(&rendering);
    assert!(rendering.full && card.parts.iter().all(|part| shows_all_of(&card, part, &slack(), texts())));
    let blocks = Value::from(rendering.blocks);
    let shown = read(&blocks);
    for text in ["4 calls, of which 4 wait", "demo-notes/a.txt", "demo-notes/d.txt"] {
        assert!(shown.contains(text), "{text} is missing in {shown}");
    }
    let all = std::iter::once(&card).chain(&card.parts);
    for part in all {
        let value = ButtonValue::of(part, &slack(), true).encode();
        assert_eq!(blocks.to_string().matches(&value).count(), 3, "yes, no and Details of {}", part.request);
    }
    insta::assert_snapshot!("four_calls_stand_on_one_card", shown);
}

/// R27: a yes to a critical call is asked for once more on a card of its own as on one that it shares; any other counts at once.
#[test]
fn only_a_critical_yes_is_asked_for_once_more() {
    let yes = |view: &CardView| {
        let blocks = rendered(view).blocks;
        let rows = blocks.iter().flat_map(|block| block["elements"].as_array().into_iter().flatten());
        let confirms: Vec<Value> = rows
            .filter(|element| element["action_id"].as_str().is_some_and(|id| is_action(id, APPROVE_ACTION)))
            .map(|button| button["confirm"]["text"]["text"].clone())
            .collect();
        confirms
    };
    let mut card = gathered(["a", "b"].map(|name| json!({ "path": name })));
    card.parts[0].call.level = Level::Critical;
    let confirms = yes(&card);
    assert_eq!(confirms[0], Value::Null);
    assert!(confirms[1].as_str().unwrap().contains("Your yes is one of 2 still needed"), "{confirms:?}");
    let mut alone = view(&waiting());
    alone.call.calls = 3;
    if let StateView::Waiting { needs, .. } = &mut alone.state {
        needs[0].have = 1;
    }
    assert!(yes(&alone)[0].as_str().unwrap().contains("the last one needed: all 3 calls may run at once"));
}

/// R28: what is too long for its part of the card has no yes there, and leaves the others theirs; hostile texts stay texts.
#[test]
fn what_is_too_long_for_its_part_has_no_yes_there() {
    let long = json!({ "path": "x".repeat(6_000) });
    let card = gathered([json!({ "path": HOSTILE }), long, json!({ "path": "c" }), json!({ "path": "d" })]);
    let rendering = rendered(&card);
    assert_fits(&rendering);
    let full: Vec<_> = card.parts.iter().map(|part| shows_all_of(&card, part, &slack(), texts())).collect();
    assert_eq!(full, [false, true, true]);
    let text = Value::from(rendering.blocks).to_string();
    assert!(
        !text.contains(&ButtonValue::of(&card.parts[0], &slack(), true).encode()),
        "no yes under a full digest"
    );
    let small = compact(&card, &slack(), texts());
    assert_fits(&small);
    assert!(!Value::from(small.blocks).to_string().contains(super::APPROVE_ACTION));
}

#[test]
fn a_buttons_id_is_its_action_with_or_without_a_part() {
    for id in ["placet_approve", "placet_approve_2", "placet_approve_12"] {
        assert!(is_action(id, APPROVE_ACTION), "{id}");
    }
    for id in ["placet_approve_remember", "placet_approve_", "placet_approve_2x", "placet_approved", "x"] {
        assert!(!is_action(id, APPROVE_ACTION), "{id}");
    }
}

/// R21, R41, R51: what somebody must still do stands on every form of a record: on that of a confidential call and on the smallest
/// as well.
#[test]
fn what_is_left_to_do_stands_on_every_form() {
    let mut seen = view(&waiting());
    seen.grounds = Some(GroundsView::Alone {
        name: visible("Sam"),
        reason: visible("the site is down"),
        at: at(0),
        reviewed_by: None,
    });
    seen.state = StateView::Executed {
        votes: Vec::new(),
        outcome: OutcomeKind::Unknown,
        error: None,
        duration_ms: None,
        at: at(0),
        settled: None,
    };
    for confidential in [false, true] {
        seen.confidential = confidential;
        for shown in [rendered(&seen), compact(&seen, &slack(), texts())] {
            assert_fits(&shown);
            let expected = [sheet::Sheet::Settle.action(), sheet::Sheet::Review.action()];
            assert_eq!(actions_of(&shown.blocks), expected);
        }
    }
}
