//! Which calls a rule is about: globs over the tool's name and over its server's.
//!
//! `*` is any text, `?` one character, `[ab]` one of these, `{read,list}_*` alternatives; `\` takes away a sign's
//! meaning. Names are compared exactly, capital letters included. A tool without a server has the empty server name:
//! `servers = [""]` are the tools that Placet itself brings.

use std::collections::HashMap;

use globset::{GlobBuilder, GlobMatcher};

use super::diagnostic::{Report, Span};
use super::reader::At;
use crate::call::ToolCall;

/// Signs that mean something in a glob.
const SIGNS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// Whether a name has signs that mean something in a glob.
pub(crate) fn is_tool_pattern(name: &str) -> bool {
    name.contains(SIGNS)
}

/// Those of many full names that a glob means: the names with their servers where it has a `/`, else the names alone.
/// None of them where it is no glob.
pub(crate) fn tools_matching<'a>(glob: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let Ok(read) = GlobBuilder::new(glob).backslash_escape(true).build() else { return Vec::new() };
    let (matcher, in_full) = (read.compile_matcher(), glob.contains('/'));
    let meant = |name: &&str| {
        let alone = name.split_once('/').map_or(*name, |(_, tool)| tool);
        matcher.is_match(if in_full { name } else { alone })
    };
    names.filter(meant).map(str::to_owned).collect()
}

/// One glob.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    text: String,
    matcher: Matcher,
    pub(super) span: Span,
}

/// How a glob is matched: the plain ones, which most are, without a regular expression.
#[derive(Debug, Clone)]
enum Matcher {
    /// This name.
    Name,
    /// Any name that begins so.
    Prefix(usize),
    /// Anything else.
    Glob(Box<GlobMatcher>),
}

impl Pattern {
    /// Reads a glob, or notes what is wrong with it.
    pub(super) fn read(text: At<String>, report: &mut Report<'_>) -> Option<Self> {
        let matcher = match text.value.find(SIGNS) {
            None => Matcher::Name,
            Some(at) if &text.value[at..] == "*" => Matcher::Prefix(at),
            Some(_) => match GlobBuilder::new(&text.value).backslash_escape(true).build() {
                Ok(glob) => Matcher::Glob(Box::new(glob.compile_matcher())),
                Err(error) => {
                    let help = format!("{}; `\\` before a sign takes away its meaning", error.kind());
                    report.error(text.span, format!("`{}` is no pattern", text.value), help);
                    return None;
                }
            },
        };
        Some(Self { text: text.value, matcher, span: text.span })
    }

    /// Reads each of a list, which must not be empty: an empty list matches nothing.
    pub(super) fn read_all(listed: At<Vec<At<String>>>, what: &str, report: &mut Report<'_>) -> Vec<Self> {
        if listed.value.is_empty() {
            let message = format!("this matches nothing: its list of {what} is empty");
            report.error(listed.span, message, "an empty list means none, not all");
        }
        listed.value.into_iter().filter_map(|text| Self::read(text, report)).collect()
    }

    /// As it is written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is the pattern of this name.
    pub(super) fn matches(&self, name: &str) -> bool {
        match &self.matcher {
            Matcher::Name => self.text == name,
            Matcher::Prefix(length) => name.starts_with(&self.text[..*length]),
            Matcher::Glob(glob) => glob.is_match(name),
        }
    }

    /// The one name that it matches, if it is no more than that.
    pub(super) fn name(&self) -> Option<&str> {
        matches!(self.matcher, Matcher::Name).then_some(&self.text)
    }

    /// What every name that it matches begins with.
    pub(super) fn prefix(&self) -> &str {
        let plain = self.text.find(SIGNS).unwrap_or(self.text.len());
        &self.text[..plain]
    }

    /// Whether everything that `other` can match is matched here. Errs on the side of no.
    pub(super) fn covers(&self, other: &Self) -> bool {
        match self.matcher {
            Matcher::Prefix(length) => other.prefix().starts_with(&self.text[..length]),
            Matcher::Name | Matcher::Glob(_) => {
                self.text == other.text || other.name().is_some_and(|name| self.matches(name))
            }
        }
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
        let tool = call.tool.as_str();
        self.tools.iter().any(|pattern| pattern.matches(tool)) && self.serves(call)
    }

    fn serves(&self, call: &ToolCall) -> bool {
        let server = call.server.as_ref().map_or("", |server| server.as_str());
        self.servers.as_ref().is_none_or(|servers| servers.iter().any(|pattern| pattern.matches(server)))
    }

    /// The tools that are named, and meant by no pattern: with their servers, where those are named too.
    pub(super) fn named(&self) -> Vec<String> {
        let tools: Vec<&str> = self.tools.iter().filter_map(Pattern::name).collect();
        let Some(servers) = &self.servers else { return tools.into_iter().map(str::to_owned).collect() };
        let servers = servers.iter().filter_map(Pattern::name);
        let full = |server: &str, tool: &str| match server {
            "" => tool.to_owned(),
            server => format!("{server}/{tool}"),
        };
        servers.flat_map(|server| tools.iter().map(move |tool| full(server, tool))).collect()
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

/// Finds among many the few that are about a tool: names in a map, all other patterns by what they begin with.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    names: HashMap<Box<str>, Vec<usize>>,
    open: Vec<(Box<str>, usize)>,
}

impl Index {
    /// An index over what each item is about, by its place.
    pub(super) fn new<'a>(items: impl IntoIterator<Item = &'a Calls>) -> Self {
        let mut index = Self::default();
        for (place, calls) in items.into_iter().enumerate() {
            for pattern in &calls.tools {
                match pattern.name() {
                    Some(name) => index.names.entry(name.into()).or_default().push(place),
                    None => index.open.push((pattern.prefix().into(), place)),
                }
            }
        }
        index
    }

    /// The places of items that may be about a tool, in their order, each once; whether they are, they say themselves.
    pub(super) fn candidates(&self, tool: &str) -> Vec<usize> {
        let named = self.names.get(tool).into_iter().flatten().copied();
        let open =
            self.open.iter().filter(|(prefix, _)| tool.starts_with(&**prefix)).map(|(_, place)| *place);
        let mut places: Vec<usize> = named.chain(open).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
