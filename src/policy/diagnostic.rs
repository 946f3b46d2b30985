//! What is wrong with a policy, said as compilers say it: file, line, column, the line itself, and what to do.
//!
//! All that is found is reported, not only the first, in the order of the file.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::reader::At;
use crate::id::SurfaceName;

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The policy is not taken; the one before stays in force.
    Error,
    /// The policy is taken, and whoever starts the installation is told.
    Warning,
}

/// One thing that was found in a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// The file, as it was named to the parser.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The line as it stands in the file, without what a terminal would obey.
    pub source_line: String,
    /// How many characters of it are meant, at least 1.
    pub width: usize,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs stay tabs, so that the caret stands under what it means.
        let before = self.source_line.chars().take(self.column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        writeln!(f, "{severity}: {}", self.message)?;
        writeln!(f, "{margin}--> {}:{}:{}", self.file, self.line, self.column)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", self.source_line)?;
        write!(f, "{margin} | {indent}{}", "^".repeat(self.width))?;
        match &self.help {
            Some(help) => write!(f, "\n{margin} = help: {help}"),
            None => Ok(()),
        }
    }
}

/// A policy that is not taken, and everything that was found in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyErrors {
    /// At least one error; warnings too. In the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for PolicyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(f, "{diagnostic}\n")?;
        }
        let errors = self.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        write!(f, "the policy is not taken: {errors} error{}", if errors == 1 { "" } else { "s" })
    }
}

impl std::error::Error for PolicyErrors {}

/// A place in a policy's text, of which something may be said later, by whoever knows more than the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot(Diagnostic);

impl Spot {
    /// An error there; `help` may be empty.
    #[must_use]
    pub fn error(&self, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        self.say(Severity::Error, message.into(), help.into())
    }

    /// A warning there; `help` may be empty.
    #[must_use]
    pub fn warning(&self, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        self.say(Severity::Warning, message.into(), help.into())
    }

    fn say(&self, severity: Severity, message: String, help: String) -> Diagnostic {
        Diagnostic { severity, message, help: (!help.is_empty()).then_some(help), ..self.0.clone() }
    }
}

/// A place that a policy names: of a surface that only the server knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlace {
    /// The surface, by the name in the server's settings.
    pub surface: SurfaceName,
    /// The surface's own id of the channel.
    pub channel: String,
    /// Where the surface is named.
    pub surface_at: Spot,
    /// Where the channel is.
    pub channel_at: Spot,
}

/// A place in the text, in bytes.
pub(super) type Span = Range<usize>;

/// Where the text comes from, and what was found in it so far.
#[derive(Debug)]
pub(super) struct Report<'t> {
    file: &'t str,
    text: &'t str,
    found: Vec<(usize, Diagnostic)>,
    places: Vec<NamedPlace>,
}

impl<'t> Report<'t> {
    pub(super) const fn new(text: &'t str, file: &'t str) -> Self {
        Self { file, text, found: Vec::new(), places: Vec::new() }
    }

    /// Notes an error; `help` may be empty.
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.add(Severity::Error, span, message.into(), help.into());
    }

    /// Notes a warning; `help` may be empty.
    pub(super) fn warning(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.add(Severity::Warning, span, message.into(), help.into());
    }

    /// A place in the text, for later.
    pub(super) fn spot(&self, span: &Span) -> Spot {
        Spot(self.diagnostic(Severity::Error, span, String::new(), String::new()).1)
    }

    /// Notes that a place of a surface is named.
    pub(super) fn note_place(&mut self, surface: &At<SurfaceName>, channel: &At<String>) {
        self.places.push(NamedPlace {
            surface: surface.value.clone(),
            channel: channel.value.clone(),
            surface_at: self.spot(&surface.span),
            channel_at: self.spot(&channel.span),
        });
    }

    /// The places that were named, in the order in which they were read.
    pub(super) fn places(&self) -> Vec<NamedPlace> {
        self.places.clone()
    }

    /// The text at a place, as it is written.
    pub(super) fn source(&self, span: &Span) -> &'t str {
        &self.text[self.boundary(span.start)..self.boundary(span.end.max(span.start))]
    }

    pub(super) fn has_errors(&self) -> bool {
        self.found.iter().any(|(_, diagnostic)| diagnostic.severity == Severity::Error)
    }

    /// The line, from 1, on which a span begins.
    pub(super) fn line(&self, span: &Span) -> usize {
        let start = self.boundary(span.start);
        self.text[..start].matches('\n').count() + 1
    }

    /// Everything that was found, in the order of the file.
    pub(super) fn into_found(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|(offset, _)| *offset);
        self.found.into_iter().map(|(_, diagnostic)| diagnostic).collect()
    }

    fn boundary(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }

    fn add(&mut self, severity: Severity, span: Span, message: String, help: String) {
        let found = self.diagnostic(severity, &span, message, help);
        self.found.push(found);
    }

    fn diagnostic(
        &self,
        severity: Severity,
        span: &Span,
        message: String,
        help: String,
    ) -> (usize, Diagnostic) {
        let start = self.boundary(span.start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        let line_end = line_start + line.len();
        let end = self.boundary(span.end).clamp(start, line_end.max(start));
        (
            start,
            Diagnostic {
                severity,
                file: self.file.to_owned(),
                line: self.line(span),
                column: self.text[line_start..start].chars().count() + 1,
                message,
                help: (!help.is_empty()).then_some(help),
                source_line: line
                    .chars()
                    .map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c })
                    .collect(),
                width: self.text[start..end].chars().count().max(1),
            },
        )
    }
}

/// The key that stands at a place in a text that is not quite TOML: a bare one, before `=`, `.` or `]`. Whatever else stands
/// there may be a value, and a value may be a secret that nobody should read in an error.
#[must_use]
pub fn key_at<'t>(text: &'t str, span: &Range<usize>) -> Option<&'t str> {
    let key = text.get(span.clone()).filter(|key| !key.is_empty())?;
    let is_bare = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let after = text.get(span.end..)?.trim_start_matches([' ', '\t']);
    (is_bare && after.starts_with(['=', '.', ']'])).then_some(key)
}

/// The known name that somebody probably meant; none if nothing is near.
#[must_use]
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written_chars = written.chars().count();
    known
        .into_iter()
        .map(|name| (distance(written, name), name))
        .filter(|(distance, name)| *distance <= (written_chars.max(name.chars().count()) / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

/// As [`nearest`], to keep.
pub(crate) fn nearest_name<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(written, known).map(str::to_owned)
}

/// How many characters must be added, dropped, changed or swapped with their neighbour (optimal string alignment).
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for row in 1..=one.len() {
        let mut current = vec![row];
        for column in 1..=other.len() {
            let changed = above[column - 1] + usize::from(one[row - 1] != other[column - 1]);
            let mut best = changed.min(above[column] + 1).min(current[column - 1] + 1);
            let swapped = row > 1
                && column > 1
                && one[row - 1] == other[column - 2]
                && one[row - 2] == other[column - 1];
            if swapped {
                best = best.min(before[column - 2] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_the_one_that_was_meant() {
        let known = ["decide_within", "valid_for", "tier", "tools", "because"];
        assert_eq!(nearest("decide_whitin", known), Some("decide_within"));
        assert_eq!(nearest("teir", known), Some("tier"));
        assert_eq!(nearest("tool", known), Some("tools"));
        assert_eq!(nearest("banana", known), None);
        assert_eq!(nearest("", known), None);
    }

    #[test]
    fn only_a_key_is_named() {
        let text = "team = \"x\"\n[slack]\nxoxb-1\n";
        assert_eq!(key_at(text, &(0..4)), Some("team"));
        assert_eq!(key_at(text, &(12..17)), Some("slack"));
        assert_eq!(key_at(text, &(7..10)), None, "a value is none");
        assert_eq!(key_at(text, &(19..25)), None, "nothing follows that makes a key of it");
        assert_eq!(key_at(text, &(0..99)), None);
    }

    #[test]
    fn a_span_that_ends_in_the_middle_of_a_character_or_beyond_the_text_is_survived() {
        let mut report = Report::new("a = \"é\"", "p.toml");
        report.error(6..7, "inside", "");
        report.error(100..200, "beyond", "");
        let found = report.into_found();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|diagnostic| diagnostic.line == 1 && diagnostic.width >= 1));
    }
}
