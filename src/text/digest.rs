//! What ran unasked, in lines.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::approval::Unasked;
use crate::gate::{Digest, DigestTool};
use crate::time::Timestamp;

/// The most tools that a message of one text tells of; the rest is a command away.
const TOLD_TOOLS_MAX: usize = 20;

keys! {
    /// A text of the digest.
    pub(super) enum DigestKey {
        Head = "digest-head",
        Nothing = "digest-none",
        Tool = "digest-tool",
        Auto = "digest-auto",
        Suggest = "digest-suggest",
        Remembered = "digest-remembered",
        Silence = "digest-silence",
        Failed = "digest-failed",
        Unknown = "digest-unknown",
        More = "digest-more",
        Correct = "digest-correct",
        Uncounted = "digest-uncounted",
    }
}

impl Texts {
    /// A digest in lines: what ran, tool by tool, at most so many of them, and how to correct it. What is left out is said.
    #[must_use]
    pub fn digest(&self, digest: &Digest, tools_max: usize, markup: &Markup<'_>) -> Vec<String> {
        let mut lines = vec![self.digest_head(digest, markup)];
        lines.extend(digest.tools.iter().take(tools_max).map(|tool| self.digest_tool(tool, markup)));
        let left = digest.tools.len().saturating_sub(tools_max);
        if left > 0 {
            lines.push(self.say(DigestKey::More.id(), Some(&fluent_args!["count" => left])));
        }
        if !digest.is_empty() {
            lines.push(self.digest_correct());
        }
        lines
    }

    /// A digest in one text; where it could not be counted, how to have it counted.
    #[must_use]
    pub(super) fn digest_told(
        &self,
        digest: Option<&Digest>,
        (since, until): (Timestamp, Timestamp),
        markup: &Markup<'_>,
    ) -> String {
        match digest {
            Some(digest) => self.digest(digest, TOLD_TOOLS_MAX, markup).join("\n"),
            None => {
                let args = fluent_args!["since" => (markup.time)(since), "until" => (markup.time)(until)];
                self.say(DigestKey::Uncounted.id(), Some(&args))
            }
        }
    }

    /// From when to when, and how many calls.
    #[must_use]
    pub fn digest_head(&self, digest: &Digest, markup: &Markup<'_>) -> String {
        let key = if digest.is_empty() { DigestKey::Nothing } else { DigestKey::Head };
        let args = fluent_args![
            "since" => (markup.time)(digest.since),
            "until" => (markup.time)(digest.until),
            "count" => digest.calls(),
        ];
        self.say(key.id(), Some(&args))
    }

    /// One tool.
    #[must_use]
    pub fn digest_tool(&self, tool: &DigestTool, markup: &Markup<'_>) -> String {
        let said = |key: DigestKey, count: u64| self.say(key.id(), Some(&fluent_args!["count" => count]));
        let ran = tool.ran.iter().map(|(how, count)| {
            let key = match how {
                Unasked::Auto => DigestKey::Auto,
                Unasked::Suggest => DigestKey::Suggest,
                Unasked::Remembered => DigestKey::Remembered,
                Unasked::Silence => DigestKey::Silence,
            };
            said(key, *count)
        });
        let amiss = [(DigestKey::Failed, tool.failed), (DigestKey::Unknown, tool.unknown)];
        let amiss = amiss.into_iter().filter(|(_, count)| *count > 0).map(|(key, count)| said(key, count));
        let how = ran.chain(amiss).reduce(|before, next| self.next(before, next)).unwrap_or_default();
        let args = fluent_args!["tool" => markup.raw(&tool.tool), "count" => tool.calls(), "how" => how];
        self.say(DigestKey::Tool.id(), Some(&args))
    }

    /// How people correct what should have been asked about.
    #[must_use]
    pub fn digest_correct(&self) -> String {
        self.say(DigestKey::Correct.id(), None)
    }
}
