//! The folder of a session: its owner's alone, and one process's.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tokio::sync::watch;

use super::kept::Kept;
use crate::pins::{PinFile, replace};

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another process has it.
    #[error(
        "another process is using the Matrix store in {0}; stop it first, or give each its own store and its own device: two \
         on one device lose each other's keys"
    )]
    InUse(String),
    /// It cannot be made, locked, read or written.
    #[error(
        "the Matrix store's folder {folder} cannot be used: {doing}: {fault}; it has to be on a local disk, and Placet's own"
    )]
    File {
        /// Where.
        folder: String,
        /// What was tried.
        doing: &'static str,
        /// What went wrong.
        fault: io::Error,
    },
    /// What is kept of the session cannot be understood.
    #[error("session.json in {folder} cannot be understood: {fault}; put back the one that was there")]
    Malformed {
        /// Where.
        folder: String,
        /// What is wrong with it.
        fault: serde_json::Error,
    },
}

/// The folder, locked until this is dropped or the process ends however it ends.
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
    /// Dropped after the lock was given up.
    held: watch::Sender<()>,
}

impl Folder {
    /// Makes it where it is missing, shuts others out, and takes the lock.
    pub(super) fn take(path: &Path) -> Result<Self, FolderError> {
        let fault =
            |doing| move |fault| FolderError::File { folder: path.display().to_string(), doing, fault };
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(fault("making it"))?;
        // One that was there may be open to others; the SDK makes its files readable for everybody.
        #[cfg(unix)]
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .map_err(fault("shutting others out of it"))?;
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(path.join("lock")).map_err(fault("making its lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), lock, held: watch::Sender::new(()) }),
            Err(TryLockError::WouldBlock) => Err(FolderError::InUse(path.display().to_string())),
            Err(TryLockError::Error(error)) => Err(fault("locking it")(error)),
        }
    }

    /// Ends when the lock was given up.
    pub(super) fn held(&self) -> watch::Receiver<()> {
        self.held.subscribe()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// For people.
    pub(super) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether the SDK has made its store of keys here.
    pub(super) fn has_crypto_store(&self) -> bool {
        self.path.join("matrix-sdk-crypto.sqlite3").exists()
    }

    pub(super) fn first_seen(&self) -> PinFile {
        PinFile::new(self.path.join("first-seen.toml"))
    }

    fn session(&self) -> PathBuf {
        self.path.join("session.json")
    }

    /// What is kept of the session; none before the first login.
    pub(super) fn kept(&self) -> Result<Option<Kept>, FolderError> {
        let text = match fs::read(self.session()) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(fault) => return Err(self.fault("reading session.json", fault)),
            Ok(text) => text,
        };
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|fault| FolderError::Malformed { folder: self.shown(), fault })
    }

    /// Keeps the session: on disk when this returns.
    pub(super) fn keep(&self, kept: &Kept) -> Result<(), FolderError> {
        let text = serde_json::to_vec_pretty(kept)
            .map_err(|fault| FolderError::Malformed { folder: self.shown(), fault })?;
        replace(&self.session(), &text).map_err(|fault| self.fault("writing session.json", fault))
    }

    fn fault(&self, doing: &'static str, fault: io::Error) -> FolderError {
        FolderError::File { folder: self.shown(), doing, fault }
    }
}

impl Drop for Folder {
    /// Given up by name: a child that was started meanwhile may hold a copy of the descriptor, and the lock with it.
    fn drop(&mut self) {
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(error = %error, "the lock of the Matrix store could not be given up; closing it does");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use matrix_sdk::ruma::{owned_device_id, owned_user_id};

    use super::*;

    /// R31: two processes on one store: the second is refused, and can have it when the first is gone.
    #[test]
    fn one_at_a_time() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("deep/matrix");
        let first = Folder::take(&path).unwrap();
        let refused = Folder::take(&path).err().unwrap();
        assert!(matches!(&refused, FolderError::InUse(_)), "{refused}");
        assert!(refused.to_string().contains("another process is using"), "{refused}");
        drop(first);
        Folder::take(&path).unwrap();
    }

    /// R31: nobody else reads the folder, also where it stood open before, nor the session in it.
    #[test]
    fn nobody_else_reads_it() {
        let base = tempfile::tempdir().unwrap();
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let folder = Folder::take(base.path()).unwrap();
        let kept = Kept {
            user: owned_user_id!("@bot:example.org"),
            device: owned_device_id!("PLACET"),
            device_key: None,
            tokens: None,
        };
        folder.keep(&kept).unwrap();
        for (name, mode) in [("", 0o700), ("lock", 0o600), ("session.json", 0o600)] {
            let found = fs::metadata(base.path().join(name)).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{name}");
        }
        assert_eq!(folder.kept().unwrap().unwrap().device, "PLACET");
        fs::write(base.path().join("session.json"), "{").unwrap();
        assert!(matches!(folder.kept(), Err(FolderError::Malformed { .. })));
    }
}
