//! The lock file beside the database: two servers never write one file by accident, and no command writes behind a
//! server's back.

use std::fs::{File, OpenOptions, TryLockError};

use placet::ports::StoreError;

use crate::options::{Access, Location};
use crate::sqlite::fault::unavailable;

/// Held until it is dropped, or the process ends however it ends.
#[derive(Debug)]
pub(crate) struct FileLock(File);

impl FileLock {
    /// Takes for itself alone what is shared now; false if somebody else has it too. Then nothing is held any more.
    pub(crate) fn take_alone(&self) -> Result<bool, StoreError> {
        self.0.unlock().map_err(|error| cannot_lock(&error))?;
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(cannot_lock(&error)),
        }
    }

    /// Shares again what was taken alone.
    pub(crate) fn share(&self) -> Result<(), StoreError> {
        self.0.unlock().map_err(|error| cannot_lock(&error))?;
        self.0.try_lock_shared().map_err(|error| match error {
            TryLockError::WouldBlock => {
                unavailable("another server or a command took the database meanwhile; start again")
            }
            TryLockError::Error(error) => cannot_lock(&error),
        })
    }
}

fn cannot_lock(error: &std::io::Error) -> StoreError {
    unavailable(format_args!("cannot lock the database: {error}; keep it on a local disk"))
}

impl Drop for FileLock {
    /// Given up by name, not only by closing: a child that was started meanwhile may hold a copy of the descriptor
    /// for a moment, and the lock with it.
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(error = %error, "the lock file could not be given up; closing it does");
        }
    }
}

/// Takes the lock of this database; none for one in memory.
pub(crate) fn take(location: &Location, access: Access) -> Result<Option<FileLock>, StoreError> {
    let Location::File(database) = location else { return Ok(None) };
    let mut path = database.clone().into_os_string();
    path.push(".lock");
    let shown = database.display();
    let file = for_its_owner(OpenOptions::new().create(true).write(true).truncate(false))
        .open(&path)
        .map_err(|error| unavailable(format_args!("cannot make the lock file of {shown}: {error}")))?;
    let taken = match access {
        Access::Server | Access::Command => file.try_lock(),
        Access::SharedServer => file.try_lock_shared(),
    };
    match (taken, access) {
        (Ok(()), _) => Ok(Some(FileLock(file))),
        (Err(TryLockError::WouldBlock), Access::Command) => Err(unavailable(format_args!(
            "a server or another command is using {shown}; send this through the server, or stop it first"
        ))),
        (Err(TryLockError::WouldBlock), Access::Server | Access::SharedServer) => {
            Err(unavailable(format_args!(
                "another server or a command is using {shown}; stop it first, or give each server its own file. Two servers on \
                 one file, for a rolling restart, both need [store] shared = true"
            )))
        }
        (Err(TryLockError::Error(error)), _) => {
            Err(unavailable(format_args!("cannot lock {shown}: {error}; keep it on a local disk")))
        }
    }
}

/// Makes files for the account that runs Placet, and for nobody else.
pub(crate) fn for_its_owner(options: &mut OpenOptions) -> &OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
