//! What a write changes, line by line.
//!
//! Always the same for the same two texts: no deadline cuts the comparison short. It is bounded by size instead; two
//! texts beyond [`DIFF_BYTES_MAX`] or [`DIFF_LINES_MAX`] give a summary that counts lines and compares nothing.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff};

/// Bytes of both texts together. A reviewer does not read more, and the comparison stays below a moment.
pub const DIFF_BYTES_MAX: usize = 512 * 1024;

/// Lines of both texts together: the comparison takes time by their number and by how many differ.
pub const DIFF_LINES_MAX: usize = 10_000;

/// The difference between two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    /// The changed lines with those around them, in order; nothing when the texts are equal. A single
    /// [`DiffLineKind::TooLarge`] when they were not compared.
    pub lines: Vec<DiffLine>,
    /// Lines that only the text after has. When not compared, all its lines.
    pub added: usize,
    /// Lines that only the text before has. When not compared, all its lines.
    pub removed: usize,
}

/// One line of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    /// What became of it.
    pub kind: DiffLineKind,
    /// The line without its newline; empty for a gap and a summary. A `\r` stays, because it may be the change.
    pub text: String,
    /// The text ends with this line, and without a newline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_newline: bool,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiffLineKind {
    /// In both texts.
    Same,
    /// Only in the text after.
    Added,
    /// Only in the text before.
    Removed,
    /// Lines in both texts that are left out here.
    Gap {
        /// How many, at least one.
        lines: usize,
    },
    /// The texts are too large to compare.
    TooLarge {
        /// Bytes of the text before.
        bytes_before: usize,
        /// Bytes of the text after.
        bytes_after: usize,
    },
}

impl Diff {
    /// Were the texts compared, so that `lines` shows every change?
    pub fn is_complete(&self) -> bool {
        !self.lines.iter().any(|line| matches!(line.kind, DiffLineKind::TooLarge { .. }))
    }

    /// Are the texts the same?
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// Compares two texts by lines (Myers), with so many unchanged lines around each change.
pub fn unified(before: &str, after: &str, context_lines: usize) -> Diff {
    if before == after {
        return Diff { lines: Vec::new(), added: 0, removed: 0 };
    }
    let (removed, added) = (before.lines().count(), after.lines().count());
    if before.len().saturating_add(after.len()) > DIFF_BYTES_MAX || removed + added > DIFF_LINES_MAX {
        let kind = DiffLineKind::TooLarge { bytes_before: before.len(), bytes_after: after.len() };
        return Diff { lines: vec![plain(kind)], added, removed };
    }
    let (old, new) = (split_lines(before), split_lines(after));
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_slices(&old, &new);
    let mut out = Diff { lines: Vec::new(), added: 0, removed: 0 };
    let mut seen = 0;
    for group in diff.grouped_ops(context_lines) {
        let Some(first) = group.first() else { continue };
        out.gap(first.old_range().start.saturating_sub(seen));
        seen = group.last().map_or(seen, |last| last.old_range().end);
        for op in &group {
            out.push_op(&diff, op);
        }
    }
    out.gap(old.len().saturating_sub(seen));
    out
}

impl Diff {
    fn gap(&mut self, lines: usize) {
        if lines > 0 {
            self.lines.push(plain(DiffLineKind::Gap { lines }));
        }
    }

    fn push_op(&mut self, diff: &TextDiff<'_, '_, str>, op: &DiffOp) {
        for change in diff.iter_changes(op) {
            let kind = match change.tag() {
                ChangeTag::Equal => DiffLineKind::Same,
                ChangeTag::Delete => DiffLineKind::Removed,
                ChangeTag::Insert => DiffLineKind::Added,
            };
            self.added += usize::from(kind == DiffLineKind::Added);
            self.removed += usize::from(kind == DiffLineKind::Removed);
            let line: &str = change.value();
            let text = line.strip_suffix('\n').unwrap_or(line);
            self.lines.push(DiffLine { kind, text: text.to_owned(), no_newline: text.len() == line.len() });
        }
    }
}

/// Lines with their newline. Only `\n` ends a line, whatever else a terminal would take for an end.
fn split_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn plain(kind: DiffLineKind) -> DiffLine {
    DiffLine { kind, text: String::new(), no_newline: false }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As `diff -u` would write it.
    fn written(diff: &Diff) -> String {
        let line = |line: &DiffLine| {
            let end = if line.no_newline { "⌿" } else { "" };
            match line.kind {
                DiffLineKind::Same => format!(" {}{end}", line.text),
                DiffLineKind::Added => format!("+{}{end}", line.text),
                DiffLineKind::Removed => format!("-{}{end}", line.text),
                DiffLineKind::Gap { lines } => format!("@{lines}"),
                DiffLineKind::TooLarge { bytes_before, bytes_after } => {
                    format!("!{bytes_before}>{bytes_after}")
                }
            }
        };
        diff.lines.iter().map(line).collect::<Vec<_>>().join("|")
    }

    fn numbers(range: std::ops::Range<u32>) -> String {
        range.map(|number| format!("{number}\n")).collect()
    }

    #[test]
    fn shows_changes_with_their_surroundings() {
        let before = numbers(0..20);
        let after = before.replace("\n5\n", "\nfive\nfive and a half\n").replace("18\n", "");
        let diff = unified(&before, &after, 1);
        assert_eq!(written(&diff), "@4| 4|-5|+five|+five and a half| 6|@10| 17|-18| 19");
        assert_eq!((diff.added, diff.removed), (2, 2));
        assert_eq!(written(&unified(&before, &after, 0)), "@5|-5|+five|+five and a half|@12|-18|@1");
    }

    #[test]
    fn shows_a_missing_newline_and_a_carriage_return() {
        assert_eq!(written(&unified("a\nb\n", "a\nb", 3)), " a|-b|+b⌿");
        assert_eq!(written(&unified("a\n", "a\r\n", 3)), "-a|+a\r");
        assert_eq!(written(&unified("a\rb", "a\rc", 3)), "-a\rb⌿|+a\rc⌿");
    }

    #[test]
    fn a_new_an_emptied_and_an_equal_text() {
        assert_eq!(written(&unified("", "a\n\n", 3)), "+a|+");
        assert_eq!(written(&unified("a\n", "", 3)), "-a");
        assert!(unified("a\n", "a\n", 3).is_empty());
    }

    #[test]
    fn beyond_the_limits_it_counts_only() {
        let large = "x".repeat(DIFF_BYTES_MAX);
        let diff = unified("a\nb\n", &large, 3);
        assert_eq!(written(&diff), format!("!4>{DIFF_BYTES_MAX}"));
        assert_eq!((diff.added, diff.removed, diff.is_complete()), (1, 2, false));
        let many = "\n".repeat(DIFF_LINES_MAX);
        assert!(!unified("a\n", &many, 3).is_complete());
    }

    #[test]
    fn is_stored_in_this_form() {
        let stored =
            serde_json::to_string(&unified(&numbers(0..4), &format!("{}x", numbers(0..3)), 1)).unwrap();
        assert_eq!(
            stored,
            concat!(
                r#"{"lines":[{"kind":{"gap":{"lines":2}},"text":""},{"kind":"same","text":"2"},"#,
                r#"{"kind":"removed","text":"3"},{"kind":"added","text":"x","no_newline":true}],"added":1,"removed":1}"#
            )
        );
        assert_eq!(written(&serde_json::from_str(&stored).unwrap()), "@2| 2|-3|+x⌿");
    }

    proptest! {
        #[test]
        fn either_text_can_be_read_back(before in "[abc\n\r]{0,40}", after in "[abc\n\r]{0,40}") {
            let diff = unified(&before, &after, 100);
            if before != after {
                for (other, text) in [(DiffLineKind::Added, before), (DiffLineKind::Removed, after)] {
                    let lines = diff.lines.iter().filter(|line| line.kind != other);
                    let end = |line: &DiffLine| if line.no_newline { "" } else { "\n" };
                    prop_assert_eq!(lines.map(|line| line.text.clone() + end(line)).collect::<String>(), text);
                }
            }
        }
    }
}
