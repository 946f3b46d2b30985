//! Reads a file, or the names in a folder.

use async_trait::async_trait;
use placet::call::CanonicalArgs;
use placet::gate::Running;
use placet::id::IdError;
use placet::ports::{Tool, ToolResult, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::workspace::{FileError, Found, InnerPath, Workspace};
use crate::{aside, read, spec};

/// The most bytes that are read; beyond that a model loses the thread.
const READ_BYTES_MAX: u64 = 64 * 1024;

/// Reads a file of the workspace, or the names in a folder of it.
pub struct ReadFile {
    spec: ToolSpec,
    workspace: Workspace,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
}

impl ReadFile {
    /// Within this workspace.
    ///
    /// # Errors
    /// Never, as its name is one.
    pub fn new(workspace: Workspace) -> Result<Self, IdError> {
        let about = "Reads a text file of the workspace. For a folder it gives the names in it; the workspace itself \
                     is \".\".";
        let schema = json!({
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Relative to the workspace: notes/a.txt"}},
            "required": ["path"], "additionalProperties": false,
        });
        Ok(Self { spec: spec("read_file", about, schema)?, workspace })
    }

    async fn act(&self, args: &CanonicalArgs) -> ToolResult {
        let args: Args = match read(args) {
            Ok(args) => args,
            Err(failed) => return failed,
        };
        let workspace = self.workspace.clone();
        let done = aside(move || text_of(&workspace, &args.path)).await.and_then(|text| text);
        done.map_or_else(|fault| ToolResult::Failed(fault.to_string()), ToolResult::Done)
    }
}

fn text_of(workspace: &Workspace, path: &str) -> Result<Value, FileError> {
    let path = InnerPath::parse(path)?;
    match workspace.read(&path, READ_BYTES_MAX)? {
        Found::Folder(names, true) => Ok(json!({"folder": path.to_string(), "names": names})),
        Found::Folder(names, false) => Ok(json!({"folder": path.to_string(), "names": names, "more": true})),
        Found::File(bytes, in_all) if in_all <= READ_BYTES_MAX => {
            String::from_utf8(bytes).map(Value::String).map_err(|_| FileError::NotText(path.to_string()))
        }
        Found::File(bytes, in_all) => {
            // The cut may be in the middle of a character; what is before it must be whole.
            let text = match std::str::from_utf8(&bytes) {
                Ok(text) => text,
                Err(cut) if cut.error_len().is_none() => {
                    std::str::from_utf8(&bytes[..cut.valid_up_to()]).unwrap_or_default()
                }
                Err(_) => return Err(FileError::NotText(path.to_string())),
            };
            Ok(Value::String(format!("{text}\n… ({} of {in_all} bytes)", text.len())))
        }
    }
}

#[async_trait]
impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn run(&self, running: Running) -> ToolResult {
        self.act(running.args()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn files_and_folders_are_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("notes")).unwrap();
        std::fs::write(folder.path().join("notes/a.txt"), "héllo").unwrap();
        std::fs::write(folder.path().join("notes/long.txt"), "é".repeat(40_000)).unwrap();
        std::fs::write(folder.path().join("notes/bin"), [0xff, 0xfe]).unwrap();
        let tool = ReadFile::new(Workspace::open(folder.path()).unwrap()).unwrap();
        let read =
            async |path: &str| tool.act(&CanonicalArgs::from_value(&json!({"path": path})).unwrap()).await;
        assert_eq!(read("notes/a.txt").await, ToolResult::Done(json!("héllo")));
        let names = json!({"folder": "notes", "names": ["a.txt", "bin", "long.txt"]});
        assert_eq!(read("notes").await, ToolResult::Done(names));
        assert_eq!(read(".").await, ToolResult::Done(json!({"folder": ".", "names": ["notes/"]})));
        let ToolResult::Done(Value::String(long)) = read("notes/long.txt").await else { panic!("not read") };
        assert!(long.ends_with("(65536 of 80000 bytes)"), "{}", &long[long.len() - 40..]);
        assert_eq!(read("notes/bin").await, ToolResult::Failed("notes/bin is not text".to_owned()));
        assert_eq!(read("none").await, ToolResult::Failed("there is no such file: none".to_owned()));
        for path in ["../x", "/etc/passwd", "notes/../../x"] {
            assert!(
                matches!(read(path).await, ToolResult::Failed(why) if why.contains("is not allowed")),
                "{path}"
            );
        }
    }
}
