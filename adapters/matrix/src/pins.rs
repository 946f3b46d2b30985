//! Files of people's master keys: those that an operator pinned, and those that were seen first.
//!
//! What always holds: a file that cannot be read is an error, never an empty one: else whoever spoils it would unpin
//! everybody. One that is not there yet is empty. A file is replaced as a whole, and on disk before it counts.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use matrix_sdk::ruma::{OwnedUserId, UserId};

use crate::backing::MasterKey;

/// What stands above the keys.
const HEADING: &str =
    "# The master keys of people's Matrix identities, by account. A vote by another key does not count.\n";

/// The most bytes of such a file: a thousand people have a tenth of it. More is no file of keys.
const BYTES_MAX: u64 = 1_000_000;

/// A file of master keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinFile(PathBuf);

/// Why a file of keys could not be used.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// It could not be read or written.
    #[error("{path} cannot be {doing}: {fault}; until it can, no vote by key counts")]
    File {
        /// The file.
        path: PathBuf,
        /// Read or written.
        doing: &'static str,
        /// Why not.
        fault: io::Error,
    },
    /// It is no file of keys.
    #[error(
        "{path} is no file of master keys: {why}; each line is \"@account:server\" = \"the key in base64\""
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl PinFile {
    /// At this path; it need not be there yet.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Everybody's keys.
    ///
    /// # Errors
    /// If it is there and cannot be read, or is no file of keys.
    pub fn read(&self) -> Result<BTreeMap<OwnedUserId, MasterKey>, PinError> {
        let text = match fs::metadata(&self.0) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(fault) => return Err(self.fault("read", fault)),
            Ok(about) if about.len() > BYTES_MAX => {
                return Err(self.malformed(format!("it has more than {BYTES_MAX} bytes")));
            }
            Ok(_) => fs::read_to_string(&self.0).map_err(|fault| self.fault("read", fault))?,
        };
        toml::from_str(&text).map_err(|fault| self.malformed(fault.message().to_owned()))
    }

    /// The key of one account.
    ///
    /// # Errors
    /// As [`PinFile::read`].
    pub fn of(&self, account: &UserId) -> Result<Option<MasterKey>, PinError> {
        Ok(self.read()?.remove(account))
    }

    /// Sets the key of one account; the others stay.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn set(&self, account: &UserId, key: &MasterKey) -> Result<(), PinError> {
        let mut keys = self.read()?;
        if keys.get(account) == Some(key) {
            return Ok(());
        }
        keys.insert(account.to_owned(), key.clone());
        let body = toml::to_string(&keys).map_err(|fault| self.malformed(fault.to_string()))?;
        replace(&self.0, format!("{HEADING}{body}").as_bytes()).map_err(|fault| self.fault("written", fault))
    }

    fn fault(&self, doing: &'static str, fault: io::Error) -> PinError {
        PinError::File { path: self.0.clone(), doing, fault }
    }

    fn malformed(&self, why: String) -> PinError {
        PinError::Malformed { path: self.0.clone(), why }
    }
}

/// Replaces a file as a whole: whoever reads it sees the old one or the new one, also after a crash. Only its owner may
/// read it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    // The new name itself has to reach the disk too.
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use matrix_sdk::ruma::{owned_user_id, user_id};

    use super::*;

    const KEY: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";

    /// R31: a key is kept beside the others, and a second one replaces the first.
    #[test]
    fn keys_are_kept_by_account() {
        let folder = tempfile::tempdir().unwrap();
        let file = PinFile::new(folder.path().join("pins.toml"));
        assert_eq!(file.read().unwrap(), BTreeMap::new());
        let (first, second): (MasterKey, MasterKey) =
            (KEY.parse().unwrap(), [b'A'; 43].map(char::from).iter().collect::<String>().parse().unwrap());
        file.set(user_id!("@alice:example.org"), &first).unwrap();
        file.set(user_id!("@bo:example.org"), &first).unwrap();
        file.set(user_id!("@alice:example.org"), &second).unwrap();
        let kept = [
            (owned_user_id!("@alice:example.org"), second.clone()),
            (owned_user_id!("@bo:example.org"), first),
        ];
        assert_eq!(file.read().unwrap(), kept.into());
        assert_eq!(file.of(user_id!("@alice:example.org")).unwrap(), Some(second));
        assert_eq!(file.of(user_id!("@Alice:example.org")).unwrap(), None);
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["pins.toml"]);
    }

    /// R31: a spoiled file unpins nobody: it is an error that names the file.
    #[test]
    fn a_spoiled_file_is_no_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = PinFile::new(folder.path().join("pins.toml"));
        for text in [
            "\"@alice:example.org\" = \"short\"".to_owned(),
            format!("alice = \"{KEY}\""),
            "\"@alice:example.org\" = 7".to_owned(),
            format!("\"@a:example.org\" = \"{KEY}\"\n\"@a:example.org\" = \"{KEY}\""),
            "not toml".to_owned(),
            " ".repeat(1_000_001),
        ] {
            fs::write(file.path(), &text).unwrap();
            let fault = file.read().unwrap_err();
            assert!(matches!(&fault, PinError::Malformed { path, .. } if path == file.path()), "{fault}");
            assert!(file.set(user_id!("@alice:example.org"), &KEY.parse().unwrap()).is_err());
        }
        fs::remove_file(file.path()).unwrap();
        fs::create_dir(file.path()).unwrap();
        assert!(matches!(file.read(), Err(PinError::File { .. })));
    }
}
