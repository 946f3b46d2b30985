//! Built-in tools, confined to a workspace folder.
//!
//! No tool says how risky it is: that is the policy's to say. Each runs on a [`placet::gate::Running`] only, checks
//! its arguments itself, and answers with data, also when something goes wrong.

mod delete_file;
mod http_request;
mod plain;
mod read_file;
mod run_shell;
mod workspace;
mod write_note;

use std::sync::Arc;

use placet::call::CanonicalArgs;
use placet::id::{IdError, ToolName};
use placet::ports::{Clock, Tool, ToolResult, ToolSpec};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use delete_file::DeleteFile;
pub use http_request::{HttpRequest, HttpSetupError};
pub use plain::{Add, GetTime, GetWeather};
pub use read_file::ReadFile;
pub use run_shell::RunShell;
pub use workspace::{FileError, Workspace};
pub use write_note::WriteNote;

/// What the built-in tools need.
pub struct ToolSettings {
    /// The folder that file tools and commands are confined to.
    pub workspace: Workspace,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The hosts that `http_request` may talk to, each as `host` or `host:port`; none means no host.
    pub http_hosts: Vec<String>,
}

/// Why the tools cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ToolSetupError {
    /// A name is none: never with the names that are built in.
    #[error(transparent)]
    Name(#[from] IdError),
    /// The client of `http_request`.
    #[error(transparent)]
    Http(#[from] HttpSetupError),
}

/// All built-in tools.
///
/// # Errors
/// [`ToolSetupError`].
pub fn builtin(settings: ToolSettings) -> Result<Vec<Arc<dyn Tool>>, ToolSetupError> {
    let ToolSettings { workspace, clock, http_hosts } = settings;
    Ok(vec![
        Arc::new(GetTime::new(Arc::clone(&clock))?),
        Arc::new(Add::new()?),
        Arc::new(GetWeather::new()?),
        Arc::new(ReadFile::new(workspace.clone())?),
        Arc::new(WriteNote::new(workspace.clone())?),
        Arc::new(DeleteFile::new(workspace.clone())?),
        Arc::new(RunShell::new(workspace, clock)?),
        Arc::new(HttpRequest::new(http_hosts)?),
    ])
}

/// What a model is told of a tool.
fn spec(name: &str, description: &str, schema: Value) -> Result<ToolSpec, IdError> {
    Ok(ToolSpec { name: ToolName::new(name)?, description: description.to_owned(), schema })
}

/// The arguments as the tool reads them.
fn read<A: DeserializeOwned>(args: &CanonicalArgs) -> Result<A, ToolResult> {
    serde_json::from_value(args.value().clone())
        .map_err(|error| ToolResult::Failed(format!("the arguments are not right: {error}")))
}

/// Does what blocks where it holds up nothing else.
async fn aside<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> Result<T, FileError> {
    tokio::task::spawn_blocking(act).await.map_err(|error| FileError::Io(std::io::Error::other(error)))
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut unit = 0;
    let mut scale = 1024_u64;
    while bytes / scale >= 1024 && unit + 1 < UNITS.len() {
        scale *= 1024;
        unit += 1;
    }
    // In whole tenths, without floating point.
    let tenths = u128::from(bytes) * 10 / u128::from(scale);
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        assert_eq!(size(1), "1 bytes");
        assert_eq!(size(1229), "1.2 KB");
        assert_eq!(size(5 * 1024 * 1024), "5.0 MB");
        assert_eq!(size(u64::MAX), "16777215.9 TB");
    }

    /// R2, R13: the eight tools are there, and none tells its risk.
    #[test]
    fn specs_tell_no_risk() {
        struct Still;
        #[async_trait::async_trait]
        impl Clock for Still {
            fn now(&self) -> placet::time::Timestamp {
                placet::time::Timestamp::from_millis(0)
            }
            async fn sleep_until(&self, _at: placet::time::Timestamp) {}
        }
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let tools =
            builtin(ToolSettings { workspace, clock: Arc::new(Still), http_hosts: Vec::new() }).unwrap();
        let names: Vec<String> = tools.iter().map(|tool| tool.spec().name.to_string()).collect();
        let all = "get_time add get_weather read_file write_note delete_file run_shell http_request";
        assert_eq!(names.join(" "), all);
        for tool in tools {
            let told = serde_json::to_string(&tool.spec()).unwrap().to_lowercase();
            for word in ["risk", "tier", "level", "critical", "approv", "suggest"] {
                assert!(!told.contains(word), "{word} in {told}");
            }
            assert_eq!(tool.spec().schema["additionalProperties"], false);
        }
    }
}
