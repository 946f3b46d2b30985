//! Where a command finds the settings: the file that it is told, else the one that the environment names, else the one
//! that lies here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

/// The variable that names the settings where the command line does not.
const VARIABLE: &str = "PLACET_CONFIG";

/// The file that is read where nothing names one.
const HERE: &str = "placet.toml";

/// Where the settings are.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// The settings; config/placet.example.toml is one to start from. Left out: what PLACET_CONFIG names, else
    /// ./placet.toml.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// No settings are named, and none lie here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "which settings? Name the file with --config FILE, or in {VARIABLE}; where neither is given, ./{HERE} is read, and \
     there is none here. config/placet.example.toml is one to start from"
)]
pub struct NoSettings;

impl Config {
    /// The file of the settings.
    ///
    /// # Errors
    /// None is named, and none lies here.
    pub fn file(&self) -> Result<PathBuf, NoSettings> {
        named_or_here(self.config.as_deref()).ok_or(NoSettings)
    }
}

/// The file of the settings: as it is named here, in the environment, or by where it lies; none where there is none.
pub(super) fn named_or_here(named: Option<&Path>) -> Option<PathBuf> {
    found(named, std::env::var_os(VARIABLE), Path::new(""))
}

fn found(named: Option<&Path>, variable: Option<OsString>, folder: &Path) -> Option<PathBuf> {
    let variable = variable.filter(|name| !name.is_empty()).map(PathBuf::from);
    let here = || Some(folder.join(HERE)).filter(|file| file.is_file());
    named.map(Path::to_owned).or(variable).or_else(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_comes_before_what_lies_here() {
        let folder = tempfile::tempdir().unwrap();
        let of = |named: Option<&str>, variable: Option<&str>| {
            found(named.map(Path::new), variable.map(OsString::from), folder.path())
        };
        assert_eq!(of(None, None), None);
        assert_eq!(of(None, Some("")), None, "an empty variable names nothing");
        std::fs::write(folder.path().join(HERE), "").unwrap();
        assert_eq!(of(None, None), Some(folder.path().join(HERE)));
        assert_eq!(of(None, Some("b.toml")), Some("b.toml".into()));
        assert_eq!(of(Some("a.toml"), Some("b.toml")), Some("a.toml".into()));
    }
}
