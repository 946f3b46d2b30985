//! The shipped program's commands, run on what the desk's Placet writes, while it runs.

use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, Result};

use placet::ports::Clock;
use placet_server::Settings;
use placet_server::commands::doctor::{Finding, Reach, examine};

use crate::desk::Desk;

/// What a command came to.
#[derive(Debug)]
pub struct Told {
    /// Its exit code.
    pub code: i32,
    /// What it answered.
    pub out: String,
    /// What it said beside.
    pub notes: String,
}

impl Told {
    /// The answer as JSON.
    ///
    /// # Errors
    /// If it is none.
    pub fn json(&self) -> Result<serde_json::Value> {
        serde_json::from_str(&self.out).with_context(|| format!("not JSON: {self:?}"))
    }
}

impl Desk {
    /// Lets the doctor look at the desk's installation, by the desk's clock.
    ///
    /// # Errors
    /// If the settings cannot be read.
    pub async fn is_examined(&self, reach: &Reach) -> Result<Vec<Finding>> {
        self.is_examined_with(reach, |_| {}).await
    }

    /// The same, as if the settings were others.
    ///
    /// # Errors
    /// If the settings cannot be read.
    pub async fn is_examined_with(
        &self,
        reach: &Reach,
        change: impl FnOnce(&mut Settings),
    ) -> Result<Vec<Finding>> {
        let clock: Arc<dyn Clock> = self.clock_port();
        let mut settings = self.settings()?;
        change(&mut settings);
        Ok(examine(&settings, reach, &clock).await)
    }

    /// Runs a command of the program in the desk's folder, where its settings are `placet.toml`.
    ///
    /// # Errors
    /// If it cannot be run, or was killed.
    pub fn commands(&self, program: &str, arguments: &[&str]) -> Result<Told> {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.folder())
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("{program} {arguments:?}"))?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let code = output.status.code().context("it was killed")?;
        Ok(Told { code, out: text(output.stdout), notes: text(output.stderr) })
    }
}
