//! Writes a note: into a new file, or at the end of an existing one. It never takes anything away.

use std::collections::BTreeMap;

use async_trait::async_trait;
use placet::call::{CanonicalArgs, ContentHash};
use placet::card::diff::{DiffLineKind, unified};
use placet::gate::Running;
use placet::id::IdError;
use placet::ports::{Tool, ToolPreview, ToolResult, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::workspace::{FileError, InnerPath, Workspace, state_hash};
use crate::{aside, read, spec};

/// The most bytes of a file of notes, with what is added.
const NOTE_BYTES_MAX: u64 = 256 * 1024;

/// How many unchanged lines are shown around what is added.
const CONTEXT_LINES: usize = 2;

/// Writes a note in the workspace.
pub struct WriteNote {
    spec: ToolSpec,
    workspace: Workspace,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
    text: String,
}

/// What a note does to its file.
struct Change {
    path: InnerPath,
    before: String,
    added: String,
    state: ContentHash,
}

impl WriteNote {
    /// Within this workspace.
    ///
    /// # Errors
    /// Never, as its name is one.
    pub fn new(workspace: Workspace) -> Result<Self, IdError> {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Relative to the workspace, .md or .txt: notes/a.md"},
                "text": {"type": "string", "description": "What to write."},
            },
            "required": ["path", "text"], "additionalProperties": false,
        });
        let about = "Writes a note in the workspace: into a new file, or at the end of an existing one.";
        Ok(Self { spec: spec("write_note", about, schema)?, workspace })
    }

    async fn act(&self, args: &CanonicalArgs, preconditions: &BTreeMap<String, ContentHash>) -> ToolResult {
        let args: Args = match read(args) {
            Ok(args) => args,
            Err(failed) => return failed,
        };
        let workspace = self.workspace.clone();
        let expected = preconditions.get(&args.path).copied();
        let written = aside(move || write(&workspace, &args, expected)).await.and_then(|written| written);
        written.map_or_else(|fault| ToolResult::Failed(fault.to_string()), ToolResult::Done)
    }
}

fn write(workspace: &Workspace, args: &Args, expected: Option<ContentHash>) -> Result<Value, FileError> {
    let change = change(workspace, args)?;
    let expected = expected.ok_or_else(|| FileError::Unseen(args.path.clone()))?;
    workspace.append(&change.path, change.added.as_bytes(), expected)?;
    Ok(json!({"written": change.path.to_string(), "bytes": change.before.len() + change.added.len()}))
}

/// What writing would change, as the file stands now.
fn change(workspace: &Workspace, args: &Args) -> Result<Change, FileError> {
    let path = InnerPath::parse(&args.path)?;
    let name = args.path.to_ascii_lowercase();
    if !name.ends_with(".md") && !name.ends_with(".txt") {
        return Err(FileError::Path { path: args.path.clone(), why: "a note is a file of .md or .txt" });
    }
    let before = match workspace.whole(&path, NOTE_BYTES_MAX) {
        Ok((bytes, _)) => Some(bytes),
        Err(FileError::Missing(_)) => None,
        Err(fault) => return Err(fault),
    };
    let state = before.as_deref().map_or_else(|| state_hash(None), ContentHash::of);
    let before =
        String::from_utf8(before.unwrap_or_default()).map_err(|_| FileError::NotText(path.to_string()))?;
    let mut added = String::new();
    if !before.is_empty() && !before.ends_with('\n') {
        added.push('\n');
    }
    added.push_str(&args.text);
    if !added.ends_with('\n') {
        added.push('\n');
    }
    let bytes = (before.len() + added.len()) as u64;
    if bytes > NOTE_BYTES_MAX {
        return Err(FileError::TooLarge { path: path.to_string(), bytes, bytes_max: NOTE_BYTES_MAX });
    }
    Ok(Change { path, before, added, state })
}

/// The difference as text, one line each.
fn shown(change: &Change) -> String {
    let after = format!("{}{}", change.before, change.added);
    let diff = unified(&change.before, &after, CONTEXT_LINES);
    let mut text = format!("{}: {} lines added, {} removed\n", change.path, diff.added, diff.removed);
    for line in &diff.lines {
        let (mark, content) = match line.kind {
            DiffLineKind::Same => (" ", line.text.clone()),
            DiffLineKind::Added => ("+", line.text.clone()),
            DiffLineKind::Removed => ("-", line.text.clone()),
            DiffLineKind::Gap { lines } => ("…", format!(" {lines} lines as before")),
            DiffLineKind::TooLarge { .. } => ("…", " too large to compare".to_owned()),
            _ => ("?", line.text.clone()),
        };
        text.push_str(mark);
        text.push_str(&content);
        text.push('\n');
    }
    text
}

#[async_trait]
impl Tool for WriteNote {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, running: Running) -> ToolResult {
        self.act(running.args(), &running.call().preconditions).await
    }

    async fn preview(&self, args: &CanonicalArgs) -> Option<ToolPreview> {
        let args: Args = read(args).ok()?;
        let workspace = self.workspace.clone();
        let looked = aside(move || {
            let change = change(&workspace, &args)?;
            Ok(ToolPreview {
                text: shown(&change),
                preconditions: BTreeMap::from([(args.path, change.state)]),
            })
        });
        match looked.await.and_then(|looked| looked) {
            Ok(preview) => Some(preview),
            Err(fault) => Some(ToolPreview { text: fault.to_string(), preconditions: BTreeMap::new() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(path: &str, text: &str) -> CanonicalArgs {
        CanonicalArgs::from_value(&json!({"path": path, "text": text})).unwrap()
    }

    #[tokio::test]
    async fn notes_are_added_and_take_nothing_away() {
        let folder = tempfile::tempdir().unwrap();
        let tool = WriteNote::new(Workspace::open(folder.path()).unwrap()).unwrap();
        let first = args("notes/new/a.md", "one");
        let preview = tool.preview(&first).await.unwrap();
        assert_eq!(preview.text, "notes/new/a.md: 1 lines added, 0 removed\n+one\n");
        assert!(!folder.path().join("notes").exists(), "a preview makes nothing");
        let written = tool.act(&first, &preview.preconditions).await;
        assert_eq!(written, ToolResult::Done(json!({"written": "notes/new/a.md", "bytes": 4})));
        let second = args("notes/new/a.md", "two\n");
        let preview = tool.preview(&second).await.unwrap();
        assert_eq!(preview.text, "notes/new/a.md: 1 lines added, 0 removed\n one\n+two\n");
        tool.act(&second, &preview.preconditions).await;
        assert_eq!(std::fs::read_to_string(folder.path().join("notes/new/a.md")).unwrap(), "one\ntwo\n");
        // The same preview again is out of date.
        assert!(matches!(tool.act(&second, &preview.preconditions).await, ToolResult::Failed(_)));
        assert_eq!(std::fs::read_to_string(folder.path().join("notes/new/a.md")).unwrap(), "one\ntwo\n");
    }

    #[tokio::test]
    async fn only_notes_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let tool = WriteNote::new(Workspace::open(folder.path()).unwrap()).unwrap();
        for path in ["main.rs", ".bashrc", "../a.md", "/tmp/a.md", "a.md/b.md/../c.md"] {
            let known = BTreeMap::from([(path.to_owned(), state_hash(None))]);
            let written = tool.act(&args(path, "x"), &known).await;
            assert!(matches!(written, ToolResult::Failed(_)), "{path}");
        }
        let long = args("a.md", &"x".repeat(200_000));
        let unseen = ToolResult::Failed(FileError::Unseen("a.md".to_owned()).to_string());
        assert_eq!(tool.act(&long, &BTreeMap::new()).await, unseen, "nobody has seen what it changes");
        let preview = tool.preview(&long).await.unwrap();
        assert!(matches!(tool.act(&long, &preview.preconditions).await, ToolResult::Done(_)));
        let now = std::fs::read(folder.path().join("a.md")).unwrap();
        let known = BTreeMap::from([("a.md".to_owned(), ContentHash::of(&now))]);
        assert!(matches!(tool.act(&long, &known).await, ToolResult::Failed(_)), "too large by now");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
