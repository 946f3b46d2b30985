//! Cards in every state, ordinary, hostile and long: what they say, and that they are nothing but what they say.

use insta::assert_snapshot;
use placet::approval::{Assurance, Decision};
use placet::policy::Level;
use placet::text::NoWay;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::content::{self, Beneath, CardMark, EVENT_BYTES_MAX, Voice, sealed_bytes};
use crate::fixtures::*;

fn shown_by(view: &CardView, buttons: Buttons, encrypted: bool, texts: &Texts) -> Rendering {
    let (surface, manner) = (matrix(), manner(buttons));
    render(view, &Site { surface: &surface, manner: &manner, encrypted }, texts)
}

fn shown(view: &CardView) -> Rendering {
    shown_by(view, Buttons::Reactions, true, Texts::english())
}

/// Both forms, as people read them: the plain one, and the HTML with a line for each block.
pub(super) fn read(written: &Written) -> String {
    let mut html = written.html.as_str().to_owned();
    for end in ["</h4>", "</p>", "</ul>", "</li>", "</pre>", "</blockquote>", "<br>", "<ul>"] {
        html = html.replace(end, &format!("{end}\n"));
    }
    format!("{}\n\n{}", written.plain, html.trim_end())
}

fn all_read(rendering: &Rendering) -> String {
    let parts = rendering.parts.iter().map(read).collect::<Vec<_>>();
    let ways =
        rendering.ways.map_or_else(|| "none".to_owned(), |ways| format!("{:?} / {:?}", ways.yes, ways.no));
    let head = format!("full: {} · ways: {ways} · {}", rendering.full, rendering.headline);
    let mut all = vec![head, read(&rendering.written)];
    all.extend(parts);
    all.join("\n\n====\n\n")
}

/// R27, R29, R31: the card that people decide on, and the record that it becomes, in every state.
#[test]
fn a_card_in_every_state() {
    for (name, approval) in in_every_state() {
        assert_snapshot!(format!("state_{name}"), all_read(&shown(&view(&approval))));
    }
}

/// R27, R31: how one decides: what a reaction, a poll and a reply are good for.
#[test]
fn how_one_decides() {
    let low = of_level(Level::Low, |_| {});
    let sealed = of_level(Level::Low, |terms| {
        terms.assurance = Assurance::E2eePinned;
        terms.assurance_for_no = Assurance::E2eePinned;
    });
    let why = of_level(Level::Low, |terms| {
        terms.reason_for_yes = true;
        terms.reason_for_no = true;
    });
    let critical = of_level(Level::Critical, |terms| terms.assurance = Assurance::Signed);
    let cases = [
        ("low, reactions", &low, Buttons::Reactions, true),
        ("low, poll", &low, Buttons::Poll, true),
        ("critical, reactions", &critical, Buttons::Reactions, true),
        ("critical, poll", &critical, Buttons::Poll, true),
        ("pinned, reactions", &sealed, Buttons::Reactions, true),
        ("pinned, poll", &sealed, Buttons::Poll, true),
        ("pinned, in a plain room", &sealed, Buttons::Reactions, false),
        ("reasons, reactions", &why, Buttons::Reactions, true),
    ];
    let lines = cases.into_iter().map(|(name, view, buttons, encrypted)| {
        let rendering = shown_by(view, buttons, encrypted, Texts::english());
        let plain = rendering.written.plain;
        let said = plain.lines().filter(|line| line.starts_with("To approve") || line.starts_with("To deny"));
        format!("{name}\n  {}", said.collect::<Vec<_>>().join("\n  "))
    });
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

/// R17, R27: a vote that is bound to a person by their keys is told from one that their server vouches for.
#[test]
fn how_sure_a_vote_is_stands_on_the_card() {
    let lines = [Assurance::ServerAsserted, Assurance::E2eeTofu, Assurance::E2eePinned].map(|assurance| {
        let plain = shown(&voted(assurance)).written.plain;
        plain.lines().find(|line| line.starts_with("Votes")).unwrap().to_owned()
    });
    assert_snapshot!(lines.join("\n"));
}

/// R27, R28: what is out of the ordinary: hostile, long, edited, asked again; several on one card are not for Matrix.
#[test]
fn out_of_the_ordinary() {
    let wanted = [
        "hostile",
        "nobody-to-ask",
        "remember",
        "edited",
        "asked-again-unanswered",
        "asked-again-denied",
        "raised-in-error",
        "several-calls",
    ];
    for (name, view) in special::views() {
        if wanted.contains(&name) {
            assert_snapshot!(format!("special_{}", name.replace('-', "_")), all_read(&shown(&view)));
        }
    }
    let evil = everywhere(EVIL);
    assert_snapshot!("special_evil", all_read(&shown(&view(&evil))));
}

/// R51: of a confidential call the room sees the tool and the level.
#[test]
fn a_confidential_call_is_shown_to_nobody_in_a_room() {
    let mut approval = waiting();
    judged(&mut approval, |verdict| {
        verdict.confidential = Some(vec![placet::id::Role::new("admin").unwrap()]);
    });
    let rendering = shown(&view(&approval));
    assert!(!rendering.full && rendering.parts.is_empty() && !rendering.reaction_approves());
    let said =
        format!("{} {} {}", rendering.headline, rendering.written.plain, rendering.written.html.as_str());
    for hidden in ["scratch", "clean up", "three months"] {
        assert!(!said.contains(hidden), "{hidden}: {said}");
    }
    assert_snapshot!(all_read(&rendering));
}

/// R28: what is long is not approved by a reaction: the whole call stands in the thread, and a yes below it.
#[test]
fn a_long_call_is_shown_whole_in_the_thread() {
    let script: String = (0..1_500).map(|line| format!("echo {line} of a long script\n")).collect();
    let approval = waiting_for(proposal(&json!({ "path": "run.sh", "content": script })), terms());
    let view = view(&approval);
    let rendering = shown(&view);
    assert!(!rendering.full && !rendering.reaction_approves());
    assert!(
        matches!(rendering.ways.unwrap().yes, Some(YesWay::Thread(parts)) if parts as usize == rendering.parts.len())
    );
    let all: String =
        rendering.parts.iter().map(|part| part.plain.replace("│ ", "").replace('\n', "")).collect();
    for line in [0, 1, 749, 1_499] {
        assert!(all.contains(&format!("echo {line} of a long script")), "line {line} is missing");
    }
    let says_how = |part: &Written| part.plain.contains("To approve");
    let (last, others) = rendering.parts.split_last().unwrap();
    assert!(says_how(last) && !others.iter().any(says_how), "a yes is said below all of it");
    let wide = "&".repeat(200_000);
    let rendering =
        shown(&placet_test_cards::view(&waiting_for(proposal(&json!({ "content": wide })), terms())));
    assert!(
        rendering.parts.is_empty() && rendering.ways.unwrap().yes.is_none(),
        "what nobody reads is not approved"
    );
}

/// R28: a call of sixty kilobytes stands in parts that have room, whatever it is made of.
#[test]
fn sixty_kilobytes_have_room() {
    for piece in ["x", "漢", "<&>\"'", "\u{1F600}", "line\n", "\\", "a b  c"] {
        let long = piece.repeat(60_000 / piece.len());
        let rendering =
            shown(&view(&waiting_for(proposal(&json!({ "path": "f", "content": long })), terms())));
        assert!(!rendering.parts.is_empty(), "{piece}");
        assert_eq!(faults(&rendering), [""; 0], "{piece}");
    }
}

/// R42: every card in every language has room, and is whole in all of them or in none.
#[test]
fn every_card_has_room_in_every_language() {
    let mut views: Vec<(String, CardView)> =
        in_every_state().into_iter().map(|(name, approval)| (name.to_owned(), view(&approval))).collect();
    views.extend(calls::all().into_iter().map(|(name, approval)| (name.to_string(), view(&approval))));
    views.extend(special::views().into_iter().map(|(name, view)| (name.to_owned(), view)));
    for (name, view) in views.iter().filter(|(_, view)| view.parts.is_empty()) {
        // Each kind of buttons and each kind of room once: what they say is short, and has room of its own.
        for (buttons, encrypted) in [(Buttons::Reactions, false), (Buttons::Poll, true)] {
            for language in Language::ALL {
                let rendering = shown_by(view, buttons, encrypted, Texts::of(language));
                assert_eq!(faults(&rendering), [""; 0], "{name}");
                assert_eq!(rendering.full, shows_all(view), "{name}");
            }
        }
    }
}

/// R27: ordinary calls are whole on their card, so that one press can decide them.
#[test]
fn ordinary_calls_are_shown_whole() {
    assert!(shows_all(&view(&waiting())));
    let whole = calls::all().into_iter().filter(|(_, approval)| shows_all(&view(approval))).count();
    assert!(whole >= 8, "only {whole} of {}", calls::all().len());
}

fn mark(view: &CardView, rendering: &Rendering) -> CardMark {
    CardMark {
        attempt: Some(attempt(1)),
        request: view.request,
        code: view.code.clone(),
        shown: rendering.shown,
        part: Some((1, 20)),
    }
}

/// Everything that a message must keep to and does not.
fn faults(rendering: &Rendering) -> Vec<String> {
    let view = view(&waiting());
    let thread = format!("${}", "x".repeat(200));
    let mark = mark(&view, rendering);
    let mut contents = vec![
        content::marked(
            content::message(&rendering.written, Voice::Text, &[], Beneath::Thread(&thread)),
            &mark,
        ),
        content::edit(&thread, rendering, &mark),
    ];
    let parts = rendering.parts.iter();
    contents.extend(parts.map(|part| {
        content::marked(content::message(part, Voice::Notice, &[], Beneath::Thread(&thread)), &mark)
    }));
    let mut found: Vec<String> = contents
        .iter()
        .filter(|content| sealed_bytes(content) > EVENT_BYTES_MAX)
        .map(|content| format!("{} bytes", sealed_bytes(content)))
        .collect();
    let written = std::iter::once(&rendering.written).chain(&rendering.parts);
    found.extend(written.flat_map(active));
    found
}

/// The tags that a message may hold, all without attributes.
const TAGS: [&str; 10] = ["h4", "p", "strong", "em", "code", "pre", "blockquote", "ul", "li", "br"];

/// What a client would take for more than text.
pub(super) fn active(written: &Written) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = written.html.as_str();
    let mut outside = String::new();
    while let Some((before, after)) = rest.split_once('<') {
        if !open.contains(&"code") {
            outside.push_str(before);
            outside.push('\n');
        }
        if before.contains('>') {
            found.push(format!("a loose >: {before}"));
        }
        found.extend(entities(before));
        let Some((tag, after)) = after.split_once('>') else {
            found.push("a tag without its end".to_owned());
            break;
        };
        let name = tag.trim_start_matches('/');
        if !TAGS.contains(&name) {
            found.push(format!("<{tag}>"));
        }
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                found.push(format!("<{tag}> closes another"));
            }
        } else if tag != "br" {
            open.push(tag);
        }
        rest = after;
    }
    found.extend((!open.is_empty()).then(|| format!("{open:?} stay open")));
    outside.push_str(rest);
    for sign in ["://", "matrix.to", "www."] {
        if outside.contains(sign) {
            found.push(format!("{sign} outside of fixed width: {outside}"));
        }
    }
    for text in [written.html.as_str(), written.plain.as_str()] {
        if text.to_lowercase().contains("@room")
            || text.contains(['\u{e000}', '\u{e001}', '\u{202e}', '\u{200b}'])
        {
            found.push(format!("active: {text}"));
        }
    }
    found
}

/// What looks like an entity and is none, or is cut.
fn entities(text: &str) -> Vec<String> {
    const KNOWN: [&str; 6] = ["amp", "lt", "gt", "quot", "#39", "nbsp"];
    let entities = text.split('&').skip(1);
    let bad = entities.filter(|rest| rest.split_once(';').is_none_or(|(name, _)| !KNOWN.contains(&name)));
    bad.map(|rest| format!("&{rest}")).collect()
}

/// The checks find what they are for.
#[test]
fn a_bad_message_is_found() {
    let written = |plain: &str| Written {
        plain: plain.to_owned(),
        html: html::Html::text("x").within(html::Tag::Code),
    };
    assert_eq!(active(&written("fine")), [""; 0]);
    assert_ne!(active(&written("call @Room")), [""; 0]);
    assert_ne!(entities("a &amp b"), [""; 0]);
    assert_eq!(entities("a &amp; b"), [""; 0]);
    let big = json!({ "body": "x".repeat(50_000) });
    assert!(sealed_bytes(&big) > EVENT_BYTES_MAX);
}

/// R28, R16: one press approves only what is shown, and only where the policy takes the homeserver's word for it.
#[test]
fn a_reaction_approves_only_where_the_policy_takes_the_homeservers_word() {
    for (assurance, approves) in [
        (Assurance::ServerAsserted, true),
        (Assurance::Signed, false),
        (Assurance::E2eeTofu, false),
        (Assurance::E2eePinned, false),
    ] {
        let rendering = shown(&of_level(Level::High, |terms| terms.assurance = assurance));
        assert_eq!(
            (rendering.reaction_approves(), rendering.reaction_denies()),
            (approves, true),
            "{assurance:?}"
        );
        assert!(rendering.full);
        let no = of_level(Level::High, |terms| terms.assurance_for_no = assurance);
        assert_eq!(shown(&no).reaction_denies(), approves, "{assurance:?}");
        let in_a_plain_room = shown_by(&no, Buttons::Poll, false, Texts::english()).ways.unwrap().no;
        assert_eq!(in_a_plain_room == NoWay::Directly, !approves, "{assurance:?}");
    }
    assert!(in_every_state().iter().filter(|(name, _)| !name.starts_with("waiting")).all(|(_, approval)| {
        let rendering = shown(&view(approval));
        rendering.ways.is_none() && !rendering.reaction_approves() && !rendering.reaction_denies()
    }));
}

/// R31: the poll asks about one request, and offers what the card says.
#[test]
fn a_poll_offers_what_the_card_says() {
    let answers = |view: &CardView, encrypted: bool| {
        let rendering = shown_by(view, Buttons::Poll, encrypted, Texts::english());
        let start = poll::start(view, &rendering, Texts::english())?;
        let answers = start[poll::POLL_START]["answers"].as_array().unwrap().clone();
        let said = |one: &serde_json::Value| poll::answered(one["id"].as_str().unwrap()).unwrap();
        assert!(answers.iter().all(|one| said(one).1 == view.request), "each says what it is about");
        Some(answers.iter().map(|one| said(one).0).collect::<Vec<_>>())
    };
    let critical = view(&waiting());
    assert_eq!(answers(&critical, true), Some(vec![Decision::Approve, Decision::Deny]));
    let sealed = of_level(Level::Low, |terms| {
        terms.assurance = Assurance::E2eePinned;
        terms.assurance_for_no = Assurance::E2eePinned;
    });
    assert_eq!(answers(&sealed, true), Some(vec![Decision::Approve, Decision::Deny]));
    assert_eq!(answers(&sealed, false), None, "a poll in a plain room is good for nothing there");
    let long = view(&waiting_for(proposal(&json!({ "content": "x\n".repeat(900) })), terms()));
    assert_eq!(answers(&long, true), Some(vec![Decision::Deny]), "what is not shown is not approved");
    let rendering = shown_by(&view(&everywhere(EVIL)), Buttons::Poll, true, Texts::english());
    let start = poll::start(&view(&everywhere(EVIL)), &rendering, Texts::english()).unwrap();
    assert!(!start.to_string().to_lowercase().contains("@room"), "{start}");
    assert_snapshot!(
        serde_json::to_string_pretty(&poll::start(
            &critical,
            &shown_by(&critical, Buttons::Poll, true, Texts::english()),
            Texts::english()
        ))
        .unwrap()
    );
}

/// R29: what an event of a card holds: the mark by which it is found and what it shows; an edit is no second card.
#[test]
fn what_the_events_of_a_card_hold() {
    let view = of_level(Level::Low, |_| {});
    let rendering = shown(&view);
    let strip = |mut content: Value| {
        for pointer in ["/body", "/formatted_body", "/m.new_content/body", "/m.new_content/formatted_body"] {
            if let Some(text) = content.pointer_mut(pointer) {
                *text = json!(
                    text.as_str().unwrap().lines().next().unwrap().chars().take(60).collect::<String>()
                );
            }
        }
        content
    };
    let mark = CardMark { part: None, ..mark(&view, &rendering) };
    let card = content::message(&rendering.written, Voice::Text, &[], Beneath::Thread("$root"));
    let card = strip(content::marked(card, &mark));
    let edit = strip(content::edit("$card", &rendering, &CardMark { attempt: None, ..mark }));
    assert_snapshot!(serde_json::to_string_pretty(&json!([card, edit])).unwrap());
}

/// R42: Chinese is said in Chinese.
#[test]
fn a_card_in_chinese() {
    let view = of_level(Level::Low, |_| {});
    assert_snapshot!(all_read(&shown_by(
        &view,
        Buttons::Reactions,
        true,
        Texts::of(Language::SimplifiedChinese)
    )));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    /// R28: whatever an agent writes, wherever: no tag, no link, no call to everybody, nothing cut within a character or an
    /// entity, and room in an event, encrypted and as an edit.
    #[test]
    fn no_text_is_more_than_text(
        text in "(\\PC|[&<>\"'@\n\t \u{202e}\u{1F600}\u{301}\u{e000}\u{e001}]|@room|&amp;|</code>|https://a\\.b){0,200}",
        times in 1_usize..6,
        denied: bool,
    ) {
        let mut approval = everywhere(&text.repeat(times));
        if denied {
            approval.votes.iter_mut().for_each(|vote| vote.decision = Decision::Deny);
        }
        for approval in std::iter::once(approval.clone()).chain(ended(&approval, &text)) {
            let seen = view(&approval);
            for language in Language::ALL {
                let rendering = shown_by(&seen, Buttons::Reactions, true, Texts::of(language));
                prop_assert_eq!(faults(&rendering), vec![""; 0]);
            }
        }
    }

    /// R28: as much as can be has room too.
    #[test]
    fn long_texts_have_room(piece in "[&<>\"'\\\\ a漢\u{1F600}\n]{1,4}", length in 1_usize..60_000) {
        let text: String = piece.chars().cycle().take(length).collect();
        let args = json!({ "path": text, "note": 1 });
        let rendering = shown(&view(&waiting_for(proposal(&args), terms())));
        prop_assert_eq!(faults(&rendering), vec![""; 0]);
    }

    /// R28: two arguments look the same only if they are the same.
    #[test]
    fn other_arguments_look_different(one in "[ <&;a-c\"\n]{0,6}", two in "[ <&;a-c\"\n]{0,6}") {
        let of = |text: &str| shown(&view(&waiting_for(proposal(&json!({ "x": text })), terms()))).written;
        let (first, second) = (of(&one), of(&two));
        prop_assert_eq!(first.html == second.html, one == two, "{:?} {:?}", one, two);
        prop_assert_eq!(first.plain == second.plain, one == two, "{:?} {:?}", one, two);
    }
}
