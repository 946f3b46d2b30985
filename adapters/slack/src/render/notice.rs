//! One-off messages that Placet writes: a sentence of the catalogue, whom it mentions, and what a tool returned.
//!
//! What always holds: a mention is an element of its own, made from an id of Slack's form; whatever an agent, a tool or a
//! person wrote stands in text elements, in which Slack sees no mention, link or date.

use placet::gate::Digest;
use placet::notice::{Mention, Message, Notice};
use placet::text::{Markup, Texts};
use serde_json::{Value, json};

use super::commands::cut_line;
use super::pieces::{self, RICH};
use crate::limits::{self, check_message};
use crate::mrkdwn::{Mrkdwn, escape, is_id, preformatted_element, rich_text, rich_text_text};

/// Room for the sentence.
const SENTENCE_UNITS_MAX: usize = 2_500;

/// How many tools there are lines for: the first with which the message fits is taken. More than forty lines nobody reads.
const TOOLS: [usize; 6] = [40, 20, 10, 5, 2, 1];

/// Room for one line, in units. What a person names a tool is far shorter.
const LINE_UNITS_MAX: usize = 600;

/// A message as it is sent: what notifications show, and the blocks.
pub(crate) fn notice(message: &Message, who_can: &[String], texts: &Texts) -> (String, Vec<Value>) {
    if let Notice::Digest { digest: Some(digest), .. } = &message.notice {
        return of_digest(digest, texts);
    }
    let sentence = limits::shorten(&texts.notice(&message.notice, who_can, &RICH), SENTENCE_UNITS_MAX);
    let mentioned: Vec<&Mention> = message.mentions.iter().filter(|mention| is_id(id_of(mention))).collect();
    let mut line = Vec::new();
    for mention in &mentioned {
        line.push(element(mention));
        line.push(rich_text_text(" "));
    }
    line.extend(pieces::elements(&sentence));
    let place = place_of(&message.notice);
    if let Some(channel) = place {
        line.push(rich_text_text(" "));
        line.push(json!({ "type": "channel", "channel_id": channel }));
    }
    let mut lines = vec![pieces::section(line)];
    lines.extend(set_apart(&message.notice).map(preformatted_element));
    let fallback = texts.notice(&message.notice, who_can, &Markup::PLAIN);
    let fallback = limits::shorten(&fallback, limits::TEXT_UNITS_MAX - limits::SECTION_UNITS_MAX);
    let text = with_mentions(&mentioned).text(&fallback);
    let text = place.map_or(text.clone(), |channel| text.text(" ").channel(channel));
    (text.as_str().to_owned(), vec![rich_text(lines)])
}

/// What ran unasked: a line for each tool, as many as Slack takes, and how to see the rest.
fn of_digest(digest: &Digest, texts: &Texts) -> (String, Vec<Value>) {
    let head = texts.digest_head(digest, &Markup::PLAIN);
    let text = escape(&limits::shorten(&head, limits::SECTION_UNITS_MAX));
    let mut blocks = Vec::new();
    for tools in TOOLS {
        let lines = texts.digest(digest, tools, &RICH);
        blocks = vec![rich_text(lines.iter().map(|line| cut_line(line, LINE_UNITS_MAX)).collect())];
        if check_message(&json!({ "text": text, "blocks": blocks })).is_empty() {
            break;
        }
    }
    (text, blocks)
}

/// The channel that a message points to, by an id of Slack's form.
fn place_of(notice: &Notice) -> Option<&str> {
    let Notice::AskedDirectly { place: Some(place), .. } = notice else { return None };
    Some(place.channel.as_str()).filter(|channel| is_id(channel))
}

/// What stands beneath the sentence, as it is.
fn set_apart(notice: &Notice) -> Option<&str> {
    match notice {
        Notice::Ran { ran, .. } if ran.outcome == placet::approval::OutcomeKind::Succeeded => {
            ran.words.as_ref().map(|words| words.as_str())
        }
        _ => None,
    }
}

fn with_mentions(mentions: &[&Mention]) -> Mrkdwn {
    mentions.iter().fold(Mrkdwn::new(), |line, mention| match mention {
        Mention::Account(_) => line.user(id_of(mention)).text(" "),
        Mention::Group(_) => line.group(id_of(mention)).text(" "),
    })
}

fn element(mention: &Mention) -> Value {
    match mention {
        Mention::Account(_) => json!({ "type": "user", "user_id": id_of(mention) }),
        Mention::Group(_) => json!({ "type": "usergroup", "usergroup_id": id_of(mention) }),
    }
}

fn id_of(mention: &Mention) -> &str {
    let (Mention::Account(identity) | Mention::Group(identity)) = mention;
    identity.subject()
}
