//! Deletes one file, if it still is what people were shown.

use std::collections::BTreeMap;

use async_trait::async_trait;
use placet::call::{CanonicalArgs, ContentHash};
use placet::gate::Running;
use placet::id::IdError;
use placet::ports::{Tool, ToolPreview, ToolResult, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::workspace::{FileFacts, InnerPath, Workspace, state_hash};
use crate::{aside, read, size, spec};

/// Deletes one file of the workspace.
pub struct DeleteFile {
    spec: ToolSpec,
    workspace: Workspace,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
}

impl DeleteFile {
    /// Within this workspace.
    ///
    /// # Errors
    /// Never, as its name is one.
    pub fn new(workspace: Workspace) -> Result<Self, IdError> {
        let schema = json!({
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Relative to the workspace: notes/a.txt"}},
            "required": ["path"], "additionalProperties": false,
        });
        let about = "Deletes one file of the workspace; no folders. It cannot be undone.";
        Ok(Self { spec: spec("delete_file", about, schema)?, workspace })
    }

    async fn act(&self, args: &CanonicalArgs, preconditions: &BTreeMap<String, ContentHash>) -> ToolResult {
        let Args { path } = match read(args) {
            Ok(args) => args,
            Err(failed) => return failed,
        };
        let workspace = self.workspace.clone();
        let expected = preconditions.get(&path).copied();
        let deleted = aside(move || {
            let path = InnerPath::parse(&path)?;
            Ok(json!({"deleted": path.to_string(), "bytes": workspace.delete(&path, expected)?}))
        });
        match deleted.await.and_then(|deleted| deleted) {
            Ok(deleted) => ToolResult::Done(deleted),
            Err(fault) => ToolResult::Failed(fault.to_string()),
        }
    }
}

/// Size, age and content in words.
fn described(facts: Option<&FileFacts>) -> String {
    let Some(facts) = facts else { return "There is no such file.".to_owned() };
    let changed =
        facts.modified.map_or_else(String::new, |at| format!(", last changed {}", at.to_minute_utc()));
    format!("1 file, {}{changed}.\nSHA-256 {}", size(facts.bytes), facts.hash)
}

#[async_trait]
impl Tool for DeleteFile {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, running: Running) -> ToolResult {
        self.act(running.args(), &running.call().preconditions).await
    }

    async fn preview(&self, args: &CanonicalArgs) -> Option<ToolPreview> {
        let Args { path } = read(args).ok()?;
        let workspace = self.workspace.clone();
        let looked = aside(move || {
            let facts = workspace.facts(&InnerPath::parse(&path)?)?;
            // What is not there now must not be there then: nobody has seen it.
            let preconditions = BTreeMap::from([(path, state_hash(facts.as_ref()))]);
            Ok(ToolPreview { text: described(facts.as_ref()), preconditions })
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
    use crate::workspace::FileError;

    fn args(path: &str) -> CanonicalArgs {
        CanonicalArgs::from_value(&json!({ "path": path })).unwrap()
    }

    /// R23: what was previewed is what is deleted.
    #[tokio::test]
    async fn only_what_was_shown_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scratch.txt");
        std::fs::write(&file, "temporary").unwrap();
        let tool = DeleteFile::new(Workspace::open(folder.path()).unwrap()).unwrap();
        let preview = tool.preview(&args("scratch.txt")).await.unwrap();
        assert!(preview.text.starts_with("1 file, 9 bytes, last changed 20"), "{}", preview.text);
        std::fs::write(&file, "important").unwrap();
        let refused = tool.act(&args("scratch.txt"), &preview.preconditions).await;
        let why = "scratch.txt has changed since it was looked at; nothing was done";
        assert_eq!(refused, ToolResult::Failed(why.to_owned()));
        assert!(file.exists());
        std::fs::write(&file, "temporary").unwrap();
        let deleted = tool.act(&args("scratch.txt"), &preview.preconditions).await;
        assert_eq!(deleted, ToolResult::Done(json!({"deleted": "scratch.txt", "bytes": 9})));
        assert!(!file.exists());
    }

    /// A file that comes into being after people saw that there is none is not deleted.
    #[tokio::test]
    async fn what_nobody_saw_is_not_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let tool = DeleteFile::new(Workspace::open(folder.path()).unwrap()).unwrap();
        let preview = tool.preview(&args("new.txt")).await.unwrap();
        assert_eq!(preview.text, "There is no such file.");
        std::fs::write(folder.path().join("new.txt"), "x").unwrap();
        assert!(matches!(tool.act(&args("new.txt"), &preview.preconditions).await, ToolResult::Failed(_)));
        assert!(folder.path().join("new.txt").exists());
        let outside = tool.preview(&args("../x")).await.unwrap();
        assert!(outside.text.contains("is not allowed") && outside.preconditions.is_empty());
    }

    /// R23: what could not be looked at, so that nobody knows what was agreed to, is not deleted, whatever is there.
    #[tokio::test]
    async fn what_could_not_be_shown_is_not_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let tool = DeleteFile::new(Workspace::open(folder.path()).unwrap()).unwrap();
        let large = folder.path().join("large.bin");
        std::fs::File::create(&large).unwrap().set_len(65 * 1024 * 1024).unwrap();
        let link = folder.path().join("link");
        #[cfg(unix)]
        std::os::unix::fs::symlink("/nowhere", &link).unwrap();
        for (name, file) in [("large.bin", large), ("link", link)] {
            let preview = tool.preview(&args(name)).await.unwrap();
            assert!(preview.preconditions.is_empty(), "{name}: {}", preview.text);
            let _link = std::fs::remove_file(&file);
            std::fs::write(&file, "the payroll").unwrap();
            let refused = tool.act(&args(name), &preview.preconditions).await;
            assert_eq!(refused, ToolResult::Failed(FileError::Unseen(name.to_owned()).to_string()));
            assert!(file.exists(), "{name}");
        }
    }
}
