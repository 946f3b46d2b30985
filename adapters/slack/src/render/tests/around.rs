//! What stands around the call: where it was asked for, a stop, and the question that is asked once more.

use placet::approval::{Approval, Requester};
use placet::card::{ArgView, StoppedView, visible_line};
use placet::inbound::{Located, MessageRef};

use super::*;

fn asked_in(surface: &str, channel: &str) -> Approval {
    let message = MessageRef { channel: channel.into(), id: "1796047100.000100".into() };
    let asked_in = Some(Located { surface: surface.parse().unwrap(), message });
    waiting_for(Proposal { asked_in, ..proposal(&json!({ "path": "a.txt" })) }, terms())
}

/// R27, R28: a channel stands on the card only where the task was given in one of this surface: else its name, and nothing
/// that Slack fills in; and never on the card of a confidential call. That changes nothing about what a yes is for.
#[test]
fn only_a_channel_of_this_surface_is_named() {
    let channel = |blocks: &[Value]| Value::from(blocks).to_string().contains("\"channel_id\":\"C0GENERAL\"");
    let cases = [
        ("slack", "C0GENERAL", "cleaner, in ", true),
        ("slack", "D0ANA", "cleaner, in direct messages,", false),
        ("slack", "C0<!channel>", "cleaner, in direct messages,", false),
        ("other", "C0GENERAL", "cleaner, in other,", false),
    ];
    for (surface, of, words, is_named) in cases {
        let mut seen = view(&asked_in(surface, of));
        let gathered = CardView { parts: vec![view(&waiting()), seen.clone()], ..view(&waiting()) };
        for rendering in [rendered(&seen), compact(&seen, &slack(), texts()), rendered(&gathered)] {
            let message = json!({ "text": rendering.text, "blocks": rendering.blocks });
            assert_eq!(check_message(&message), []);
            let shown = read(&rendering.blocks.clone().into());
            assert!(shown.contains(words), "{words:?} is missing in {shown}");
            assert_eq!(channel(&rendering.blocks), is_named, "{shown}");
        }
        assert!(rendered(&seen).full);
        seen.confidential = true;
        for rendering in [rendered(&seen), compact(&seen, &slack(), texts())] {
            let shown = read(&rendering.blocks.clone().into());
            assert!(!shown.contains(words) && !channel(&rendering.blocks), "{shown}");
        }
    }
}

/// R28: no text of an agent's becomes a channel, whatever stands in it.
#[test]
fn no_text_becomes_a_channel() {
    let proposal = Proposal {
        task: "\u{e002}C0EVIL\u{e003}".into(),
        reason: "\u{e002}C0EVIL\u{e003}".into(),
        ..proposal(&json!({ "path": "\u{e002}C0EVIL\u{e003}" }))
    };
    let mut approval = waiting_for(proposal.clone(), terms());
    approval.proposal = Proposal {
        requester: Requester { shown_as: "\u{e002}C0EVIL\u{e003}".into(), ..proposal.requester.clone() },
        ..proposal
    }
    .into();
    let seen = view(&approval);
    for rendering in [rendered(&seen), compact(&seen, &slack(), texts())] {
        assert!(!Value::from(rendering.blocks).to_string().contains("channel_id"));
    }
}

/// R44: a stop stands on every form of a card and of a record, and what it does is not pushed out by a long reason.
#[test]
fn a_stop_stands_on_every_form() {
    let stop = StoppedView { since: at(-60), reason: visible_line(&"it runs wild ".repeat(60)) };
    let approved = in_every_state().into_iter().find(|(name, _)| *name == "approved").unwrap().1;
    for (approval, words) in [
        (waiting(), "You can decide, but nothing starts before that stop is lifted."),
        (approved, "This one does not start before that stop is lifted."),
    ] {
        for confidential in [false, true] {
            let seen = CardView { stopped: Some(stop.clone()), confidential, ..view(&approval) };
            let gathered = CardView { parts: vec![view(&waiting())], ..seen.clone() };
            let mut forms = vec![rendered(&seen), compact(&seen, &slack(), texts())];
            forms.extend((!confidential).then(|| rendered(&gathered)));
            for rendering in forms {
                assert_fits(&rendering);
                let shown = read(&rendering.blocks.into());
                assert!(shown.contains("it runs wild") && shown.contains(words), "{shown}");
            }
        }
    }
}

/// R27: the question before a critical yes keeps what a long query ends with, in every language, with what is warned of
/// beside it; what the yes does stands there whole, and it is said that something is left out.
#[test]
fn the_question_once_more_keeps_the_end_of_a_query() {
    let columns: Vec<String> = (0..60).map(|number| format!("column_{number}")).collect();
    let query = format!("SELECT {} FROM users WHERE team = 'ops'", columns.join(", "));
    let mut seen = view(&waiting());
    seen.call.title = visible_line(&format!("run_sql · {query}")).cut_middle(120).0;
    seen.call.args =
        vec![ArgView { name: visible("query"), value: visible(&query), leading: true, is_text: true }];
    for is_described in [true, false] {
        seen.call.is_described = is_described;
        seen.call.effect = is_described.then(|| visible("What it says, on the database of production."));
        for language in Language::ALL {
            let texts = Texts::of(language);
            let blocks = render(&seen, &slack(), texts).blocks;
            let confirm = blocks.iter().flat_map(|block| block["elements"].as_array().into_iter().flatten());
            let confirm =
                confirm.map(|button| &button["confirm"]["text"]["text"]).find(|text| text.is_string());
            let asked = confirm.and_then(Value::as_str).unwrap();
            assert!(asked.contains("(query: “SELECT col") || asked.contains("query：“SELECT col"), "{asked}");
            assert!(asked.contains("team = 'ops'”"), "{asked}");
            let (left_out, whole, warned) = match language {
                Language::English => {
                    ("It is shortened here", "needed: it does not run yet.", "says nothing of this")
                }
                _ => ("此处有删节", "暂不运行。", "未作任何说明"),
            };
            assert!(asked.contains(left_out) && asked.contains(whole), "{asked}");
            assert_eq!(asked.contains(warned), !is_described, "{asked}");
        }
    }
}
