//! One-off messages that Placet writes: a sentence of the catalogue, whom it mentions, and what a tool returned.
//!
//! What always holds: who is mentioned stands in `m.mentions` alone, by accounts that Placet names, and in the text by their
//! full ids; whatever an agent, a tool or a person wrote mentions nobody.

use placet::approval::OutcomeKind;
use placet::card::escape::cut_end;
use placet::gate::Digest;
use placet::notice::Notice;
use placet::policy::Place;
use placet::text::Texts;

use super::marked::{MARKS, Marked};
use super::sheet::{Block, Sheet, Written};
use super::{FORM_BYTES_MAX, has_room_of};

/// Room for the sentence, in characters: with what stands beneath it, and of the characters that cost most, 36 KB.
const SENTENCE_CHARS_MAX: usize = 2_500;
/// Room for what stands beneath it, in characters: more than the gate leaves of it.
const WORDS_CHARS_MAX: usize = 1_500;
/// How many tools there are lines for in a digest: the first with which the message fits is taken. More than forty lines
/// nobody reads.
const TOOLS: [usize; 6] = [40, 20, 10, 5, 2, 1];
/// Room for a line of a digest, in characters. What a person names a tool is far shorter.
const LINE_CHARS_MAX: usize = 600;

/// What stands around the sentence.
#[derive(Debug, Clone, Copy)]
pub struct Notes<'a> {
    /// Who could do what was refused, by name.
    pub who_can: &'a [String],
    /// The accounts that are mentioned, by their full ids.
    pub mentions: &'a [String],
    /// What commands begin with.
    pub prefix: &'a str,
}

/// A message as it is sent.
#[must_use]
pub fn notice(notice: &Notice, notes: &Notes<'_>, texts: &Texts) -> Written {
    if let Notice::Digest { digest: Some(digest), .. } = notice {
        return of_digest(digest, texts);
    }
    let mut sheet = Sheet::default();
    if !notes.mentions.is_empty() {
        let named = notes.mentions.iter().map(|id| super::marked::inserted(id));
        sheet.push(Block::Said(Marked::of(named.collect::<Vec<_>>().join(" "))));
    }
    let sentence = texts.notice(notice, notes.who_can, &MARKS).replace('\n', "⏎");
    let mut sentence = Marked::of(sentence).cut(SENTENCE_CHARS_MAX);
    if let Notice::AskedDirectly { place: Some(place), .. } = notice {
        sentence = sentence.followed_by(&format!(" {}", link(place)));
    }
    sheet.push(Block::Said(sentence));
    if let Notice::Question { code, .. } = notice {
        sheet.said(texts.to_answer(notes.prefix, code));
    }
    sheet.extend(set_apart(notice).map(|words| Block::Bare(cut_end(words, WORDS_CHARS_MAX).text)));
    sheet.written()
}

/// Where a card is, as clients find it. A place is of the policy's or of the configuration, never of an agent's.
/// <https://spec.matrix.org/v1.16/appendices/#matrixto-navigation>
fn link(place: &Place) -> String {
    let parts = std::iter::once(&place.channel).chain(&place.thread);
    let parts = parts.map(|id| url::form_urlencoded::byte_serialize(id.as_bytes()).collect::<String>());
    format!("https://matrix.to/#/{}", parts.collect::<Vec<_>>().join("/"))
}

/// What ran unasked: a line for each tool, as many as have room, and how to see the rest.
fn of_digest(digest: &Digest, texts: &Texts) -> Written {
    let mut sheet = Sheet::default();
    for tools in TOOLS {
        let lines = texts.digest(digest, tools, &MARKS).into_iter();
        sheet = Sheet(lines.map(|line| Block::Said(Marked::of(line).cut(LINE_CHARS_MAX))).collect());
        if has_room_of(&sheet, FORM_BYTES_MAX) {
            break;
        }
    }
    sheet.written()
}

/// What stands beneath the sentence, as it is.
fn set_apart(notice: &Notice) -> Option<&str> {
    match notice {
        Notice::Ran { ran, .. } if ran.outcome == OutcomeKind::Succeeded => {
            ran.words.as_ref().map(|words| words.as_str())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use placet::approval::Refusal;
    use placet::card::visible;
    use placet::id::{Role, ShortCode};
    use placet::notice::{Ran, Told};
    use placet::policy::Level;

    use super::*;
    use crate::fixtures::{EVIL, at, matrix, waiting};

    fn all(words: &str) -> Vec<Notice> {
        let approval = waiting();
        let (request, code): (_, ShortCode) = (approval.id, approval.code);
        let (tool, text, by) = (words.to_owned(), words.to_owned(), words.to_owned());
        let ran = |outcome| Ran {
            outcome,
            duration_ms: Some(161),
            late: false,
            settled: false,
            words: Some(visible(words)),
        };
        let role = || Role::new("admin").unwrap();
        let place = Place {
            surface: matrix(),
            channel: "!ops:example.org".to_owned(),
            thread: Some("$card".to_owned()),
        };
        vec![
            Notice::Refused {
                request,
                code: code.clone(),
                command: "approve".to_owned(),
                refusal: Refusal::WrongRole { needs: vec![role()] },
            },
            Notice::Reminder { request, code: code.clone(), tool: tool.clone(), until: at(60) },
            Notice::Question {
                request,
                code: code.clone(),
                tool: tool.clone(),
                by: by.clone(),
                number: 1,
                text: text.clone(),
            },
            Notice::Ran { request, code: code.clone(), tool: tool.clone(), ran: ran(OutcomeKind::Succeeded) },
            Notice::Ran { request, code: code.clone(), tool: tool.clone(), ran: ran(OutcomeKind::Failed) },
            Notice::AskedDirectly {
                request,
                code: code.clone(),
                tool: tool.clone(),
                level: Level::High,
                place: Some(place),
                until: at(60),
            },
            Notice::Told { request, code, tool, what: Told::Denied { by: vec![by], reason: Some(text) } },
        ]
    }

    fn written(one: &Notice, mentions: &[String]) -> Written {
        let who_can = ["Bo".to_owned(), "Chen".to_owned()];
        notice(one, &Notes { who_can: &who_can, mentions, prefix: "!placet" }, Texts::english())
    }

    /// R29, R31: what people are told reads well in both forms; who is mentioned is named by the full id.
    #[test]
    fn what_people_are_told() {
        let mentions = ["@bo:example.org".to_owned()];
        let said = all("delete_file").into_iter().map(|one| {
            let mentions = if matches!(one, Notice::Reminder { .. }) { &mentions[..] } else { &[] };
            let written = written(&one, mentions);
            format!("{}\n{}", written.plain, written.html.as_str())
        });
        assert_snapshot!(said.collect::<Vec<_>>().join("\n\n"));
    }

    /// R28: what agents, tools and people wrote is text, in every message, and each has room.
    #[test]
    fn words_of_others_are_text() {
        for words in [EVIL.to_owned(), EVIL.repeat(60), "&".repeat(30_000), "漢\n".repeat(9_000)] {
            for one in all(&words) {
                let written = written(&one, &[]);
                let html = written.html.as_str();
                for active in ["<a", "<b>", "<img", "<font", "<mx-reply", "\u{e000}", "\u{202e}"] {
                    assert!(!html.contains(active), "{active}: {html}");
                }
                assert!(
                    !html.to_lowercase().contains("@room") && !written.plain.to_lowercase().contains("@room")
                );
                let content = crate::content::message(
                    &written,
                    crate::content::Voice::Text,
                    &[],
                    crate::content::Beneath::Room,
                );
                assert!(crate::content::sealed_bytes(&content) <= crate::content::EVENT_BYTES_MAX);
            }
        }
    }
}
