//! Which calls a rule is about: globs over the tool's name and over its server's.
//!
//! `*` is any text, `?` one character, `[ab]` one of these, `{read,list}_*` alternatives; `\` takes away a sign's
//! meaning. Names are compared exactly, capital letters included. A tool without a server has the empty server name:
//! `servers = [""]` are the tools that Placet itself brings.

use globset::{GlobBuilder, GlobMatcher};

use super::diagnostic::{Report, Span};
use super::reader::At;
use crate::call::ToolCall;

/// One glob.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    text: String,
    matcher: GlobMatcher,
    pub(super) span: Span,
}

impl Pattern {
    /// Reads a glob, or notes what is wrong with it.
    pub(super) fn read(text: At<String>, report: &mut Report<'_>) -> Option<Self> {
        match GlobBuilder::new(&text.value).backslash_escape(true).build() {
            Ok(glob) => Some(Self { text: text.value, matcher: glob.compile_matcher(), span: text.span }),
            Err(error) => {
                let help = format!("{}; `\\` before a sign takes away its meaning", error.kind());
                report.error(text.span, format!("`{}` is no pattern", text.value), help);
                None
            }
        }
    }

    /// As it is written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether everything that `other` can match is matched here. Errs on the side of no.
    fn covers(&self, other: &Self) -> bool {
        let plain = !other.text.contains(['*', '?', '[', ']', '{', '}', '\\']);
        self.text == "*" || self.text == other.text || (plain && self.matcher.is_match(&other.text))
    }
}

/// Which calls: of any of these tools, on any of these servers.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    pub(super) tools: Vec<Pattern>,
    /// None means any server, and none.
    pub(super) servers: Option<Vec<Pattern>>,
}

impl Calls {
    pub(super) fn matches(&self, call: &ToolCall) -> bool {
        let server = call.server.as_ref().map_or("", |server| server.as_str());
        self.tools.iter().any(|pattern| pattern.matcher.is_match(call.tool.as_str()))
            && self
                .servers
                .as_ref()
                .is_none_or(|servers| servers.iter().any(|pattern| pattern.matcher.is_match(server)))
    }

    /// Whether every call of `tool` that `other` can match is matched here.
    pub(super) fn covers(&self, other: &Self, tool: &Pattern) -> bool {
        let servers = match (&self.servers, &other.servers) {
            (None, _) => true,
            (Some(mine), None) => mine.iter().any(|pattern| pattern.text == "*"),
            (Some(mine), Some(theirs)) => {
                theirs.iter().all(|their| mine.iter().any(|pattern| pattern.covers(their)))
            }
        };
        servers && self.tools.iter().any(|pattern| pattern.covers(tool))
    }
}
