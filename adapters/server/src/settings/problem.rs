//! What is wrong with the settings: file, line, key, what, and what to do. The line's text is never repeated, because
//! it may hold a secret that does not belong there.

use std::fmt;
use std::ops::Range;

/// A place in the text, in bytes.
pub(super) type Span = Range<usize>;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1; none where no line is meant.
    pub line: Option<usize>,
    /// The key with its tables: `slack.signing_secret`; empty where the file as a whole is meant.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "\n    {}", self.remedy) }
    }
}

/// Settings that are not taken, and everything that was found in them, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsErrors {
    /// At least one.
    pub problems: Vec<Problem>,
}

impl fmt::Display for SettingsErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, problem) in self.problems.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingsErrors {}

impl SettingsErrors {
    /// One problem of a file as a whole.
    pub(crate) fn of_file(
        file: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let problem = Problem {
            file: file.into(),
            line: None,
            key: String::new(),
            message: message.into(),
            remedy: remedy.into(),
        };
        Self { problems: vec![problem] }
    }
}

/// Why a file cannot be read, in words for whoever set it.
pub(crate) fn cause(fault: &std::io::Error) -> String {
    match fault.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        kind => kind.to_string(),
    }
}

/// Where the text comes from, and what was found in it so far.
pub(super) struct Report<'t> {
    file: &'t str,
    text: &'t str,
    found: Vec<(usize, Problem)>,
}

impl<'t> Report<'t> {
    pub(super) const fn new(text: &'t str, file: &'t str) -> Self {
        Self { file, text, found: Vec::new() }
    }

    /// Notes what is wrong with a key; the remedy may be empty.
    pub(super) fn add(
        &mut self,
        span: &Span,
        key: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let start = self.text.floor_char_boundary(span.start);
        let line = self.text[..start].matches('\n').count() + 1;
        let problem = Problem {
            file: self.file.to_owned(),
            line: Some(line),
            key: key.to_owned(),
            message: message.into(),
            remedy: remedy.into(),
        };
        self.found.push((start, problem));
    }

    pub(super) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// What was found, in the order of the file.
    pub(super) fn into_errors(mut self) -> SettingsErrors {
        self.found.sort_by_key(|(offset, _)| *offset);
        SettingsErrors { problems: self.found.into_iter().map(|(_, problem)| problem).collect() }
    }
}
