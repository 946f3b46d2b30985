//! What the bot says in a thread: how a run stands, and what the agent said.
//!
//! What always holds: the agent's words are made visible and stand in `plain_text`, which Slack does not interpret, and
//! beneath them stands that they are the agent's; the only element that Slack fills in is a channel that Placet names.

use placet::agent::task::{Over, Progress, ThreadSaid};
use placet::card::visible;
use placet::text::{Markup, Texts};
use serde_json::Value;

use super::pieces::{self, CHANNEL, elements};
use crate::limits;
use crate::mrkdwn::{context, escape, rich_text, section};

/// The most units of the agent's words in one message: two sections, which stay under what Slack takes in any script.
const WORDS_UNITS_MAX: usize = 2_400;

/// The most messages that one answer takes; a longer one is cut, and says so.
pub(crate) const MESSAGES_MAX: usize = 6;

/// The most things that people are asked that are named; a turn has more calls at once only where something is wrong.
const WAITS_SHOWN_MAX: usize = 10;

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ThreadMessage {
    pub(crate) blocks: Vec<Value>,
    pub(crate) text: String,
}

/// How many messages it takes.
pub(crate) fn count(said: &ThreadSaid) -> usize {
    match said {
        ThreadSaid::NotBegun(_) => 1,
        ThreadSaid::Progress(progress) if progress.over.is_some() => {
            pages(progress.text.trim()).len().clamp(1, MESSAGES_MAX)
        }
        ThreadSaid::Progress(_) => 1,
    }
}

/// The message of a number, from 0. `place` tells where a place is, in the sentence's own marks.
pub(crate) fn message(
    said: &ThreadSaid,
    number: usize,
    texts: &Texts,
    place: &dyn Fn(&placet::policy::Place) -> String,
) -> ThreadMessage {
    match said {
        ThreadSaid::NotBegun(why) => plain(&texts.thread_not_begun(why, &Markup::PLAIN)),
        ThreadSaid::Progress(progress) => match &progress.over {
            None => running(progress, texts, place),
            Some(over) => ended(progress, over, number, texts),
        },
    }
}

/// A sentence of Placet's own.
fn plain(text: &str) -> ThreadMessage {
    ThreadMessage {
        blocks: vec![section(text)],
        text: escape(&limits::shorten(text, limits::TEXT_UNITS_MAX)),
    }
}

/// While it goes on: the end of what the agent said so far, and what happens now.
fn running(
    progress: &Progress,
    texts: &Texts,
    place: &dyn Fn(&placet::policy::Place) -> String,
) -> ThreadMessage {
    let mut blocks = Vec::new();
    let words = pages(progress.text.trim());
    if let Some(last) = words.last() {
        blocks.push(section(last));
        blocks.push(context(&[&texts.thread_agents_words()]));
    }
    let lines: Vec<String> = if progress.waits.is_empty() {
        vec![texts.thread_working(progress.doing.as_deref(), &Markup::PLAIN)]
    } else {
        let waits = progress.waits.iter().take(WAITS_SHOWN_MAX);
        waits
            .map(|waits| {
                let mut places: Vec<String> = waits.places.iter().map(place).collect();
                places.sort();
                places.dedup();
                texts.thread_waits((&waits.tool, waits.code.as_ref()), &places, &Markup::PLAIN)
            })
            .collect()
    };
    let sections = lines.iter().map(|line| pieces::section(elements(line)));
    blocks.push(rich_text(sections.collect()));
    let text = lines.join("\n").replace(CHANNEL.0, "#").replace(CHANNEL.1, "");
    ThreadMessage { blocks, text: escape(&limits::shorten(&text, limits::TEXT_UNITS_MAX)) }
}

/// At its end: what the agent said, in as many messages as it takes.
fn ended(progress: &Progress, over: &Over, number: usize, texts: &Texts) -> ThreadMessage {
    let words = pages(progress.text.trim());
    let messages = words.len().clamp(1, MESSAGES_MAX);
    let mut blocks = Vec::new();
    let page = words.get(number);
    blocks.extend(page.map(|page| section(page)));
    let mut remarks = Vec::new();
    if number + 1 == messages {
        let left_out: usize = words.iter().skip(MESSAGES_MAX).map(|page| page.chars().count()).sum();
        if left_out > 0 {
            remarks.push(texts.thread_left_out(left_out));
        }
        match over {
            Over::Done if page.is_none() => blocks.push(section(&texts.thread_done())),
            Over::Done => {}
            Over::Failed(why) => blocks.push(section(&texts.thread_failed(why, &Markup::PLAIN))),
        }
    } else {
        remarks.push(texts.thread_goes_on());
    }
    if page.is_some() {
        remarks.insert(0, texts.thread_agents_words());
    }
    // What failed stands beneath the words, and after their remark.
    if !remarks.is_empty() {
        let remarks: Vec<&str> = remarks.iter().map(String::as_str).collect();
        let at = usize::from(page.is_some()).min(blocks.len());
        blocks.insert(at, context(&remarks));
    }
    let fallback = match (page, over) {
        (Some(page), _) => page.clone(),
        (None, Over::Done) => texts.thread_done(),
        (None, Over::Failed(why)) => texts.thread_failed(why, &Markup::PLAIN),
    };
    ThreadMessage { blocks, text: escape(&limits::shorten(&fallback, limits::TEXT_UNITS_MAX)) }
}

/// The agent's words, visible, in pieces that fit a message; none where it said nothing.
fn pages(words: &str) -> Vec<String> {
    let words = visible(words);
    let pages = limits::split(words.as_str(), WORDS_UNITS_MAX).into_iter();
    pages.filter(|page| !page.trim().is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use placet::agent::event::{AgentEventKind, Usage};
    use placet::agent::task::NotBegun;
    use placet::person::NoStanding;
    use proptest::prelude::*;

    use serde_json::json;

    use super::*;
    use crate::limits::check_message;
    use crate::render::pieces::channel_mark;

    fn said(words: &str, over: Option<Over>) -> ThreadSaid {
        let mut progress = Progress::default();
        progress.hear(AgentEventKind::TextDelta { delta: words.to_owned() });
        match over {
            Some(Over::Done) => progress.hear(AgentEventKind::Done { usage: Usage::default() }),
            Some(Over::Failed(message)) => progress.hear(AgentEventKind::Error { message }),
            None => {}
        }
        ThreadSaid::Progress(progress)
    }

    fn all(said: &ThreadSaid, texts: &Texts) -> Vec<ThreadMessage> {
        (0..count(said)).map(|number| message(said, number, texts, &|_| channel_mark("C1", texts))).collect()
    }

    fn violations(message: &ThreadMessage) -> Vec<crate::limits::Violation> {
        check_message(&json!({ "text": message.text, "blocks": message.blocks }))
    }

    /// R13, R28: however long and whatever an answer is, every message of it is one that Slack takes, and says whose words
    /// it holds; what is cut in the end is counted.
    #[test]
    fn a_long_answer_takes_several_messages_and_says_what_is_left_out() {
        let texts = Texts::english();
        for words in ["word ", "漢字 ", "<&> ", "\u{1F600}"] {
            let long = said(&words.repeat(30_000), Some(Over::Done));
            let messages = all(&long, texts);
            assert_eq!(messages.len(), MESSAGES_MAX, "{words}");
            for message in &messages {
                assert_eq!(violations(message), [], "{words}");
                let blocks = serde_json::to_string(&message.blocks).unwrap();
                assert!(blocks.contains("are the agent’s"), "{blocks}");
            }
            let last = serde_json::to_string(&messages[MESSAGES_MAX - 1].blocks).unwrap();
            assert!(last.contains("more characters are left out"), "{last}");
        }
    }

    /// R28: nothing that the agent says is active, while it goes on and at its end.
    #[test]
    fn the_agents_words_are_text() {
        let texts = Texts::english();
        let evil = "<!channel> <@U1> <https://evil.example|ok> *b* `c` \u{202e}x \u{e002}C9\u{e003}";
        for over in [None, Some(Over::Done), Some(Over::Failed(evil.to_owned()))] {
            for message in all(&said(evil, over), texts) {
                let blocks = serde_json::to_string(&message.blocks).unwrap();
                for active in ["mrkdwn", "channel_id", "\"link\"", "\u{202e}"] {
                    assert!(!blocks.contains(active), "{active}: {blocks}");
                }
                assert!(!message.text.contains('<'), "{}", message.text);
            }
        }
    }

    #[test]
    fn every_reason_is_a_sentence() {
        let texts = Texts::english();
        let unread = NotBegun::NoStanding(NoStanding::Unreadable("<@U1>".to_owned()));
        let message = &all(&ThreadSaid::NotBegun(unread), texts)[0];
        assert!(message.text.contains("&lt;@U1&gt;") && violations(message).is_empty(), "{message:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// R28: whatever the agent says, each message keeps to Slack's limits.
        #[test]
        fn every_message_keeps_to_the_limits(words in "(\\PC|[&<>\n\u{1F600}\u{301}\u{200d}\u{202e}]){0,4000}", ended: bool) {
            let texts = Texts::english();
            for message in all(&said(&words, ended.then_some(Over::Done)), texts) {
                prop_assert_eq!(violations(&message), vec![]);
            }
        }
    }
}
