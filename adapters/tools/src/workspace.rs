//! The workspace folder, and the one way into it: relative paths without links or `..`.
//!
//! The folder is held open as a capability (cap-std), so that nothing outside it can be named however the path is
//! spelled. On top of that no link is followed, not even one that stays inside: what people approved is what is
//! touched.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use placet::call::ContentHash;
use placet::time::Timestamp;

/// The most characters of a path.
const PATH_CHARS_MAX: usize = 1_000;

/// The largest file that is hashed, and so can be deleted: a larger one is nothing that an agent should touch.
pub(crate) const HASHED_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The most names of a folder that are read.
const NAMES_MAX: usize = 500;

/// A folder that tools are confined to. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: Arc<Dir>,
    path: Arc<PathBuf>,
}

/// Why a file was not touched.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path does not lead into the workspace.
    #[error("the path {path:?} is not allowed: {why}")]
    Path {
        /// As it was given.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is nothing of that name.
    #[error("there is no such file: {0}")]
    Missing(String),
    /// It is something else than a file.
    #[error("{path} is {what}, not a file")]
    NotAFile {
        /// The path.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// It is too large.
    #[error("{path} is too large: {bytes} bytes, at most {bytes_max}")]
    TooLarge {
        /// The path.
        path: String,
        /// How large it is, or would be.
        bytes: u64,
        /// How large it may be.
        bytes_max: u64,
    },
    /// It is not what it was when people were shown it.
    #[error("{0} has changed since it was looked at; nothing was done")]
    Changed(String),
    /// It could not be looked at when people were asked: what they agreed to cannot be compared with it.
    #[error("{0} could not be looked at before; nothing was done")]
    Unseen(String),
    /// It is not UTF-8.
    #[error("{0} is not text")]
    NotText(String),
    /// The file system.
    #[error("the file system did not do it: {0}")]
    Io(#[from] io::Error),
}

/// A path that leads into the workspace and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InnerPath {
    folders: Vec<String>,
    /// None is the workspace itself.
    name: Option<String>,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub(crate) bytes: u64,
    pub(crate) modified: Option<Timestamp>,
    pub(crate) hash: ContentHash,
}

/// What a path leads to.
pub(crate) enum Found {
    File(Vec<u8>, u64),
    Folder(Vec<String>, bool),
}

impl InnerPath {
    pub(crate) fn parse(text: &str) -> Result<Self, FileError> {
        let refused = |why| Err(FileError::Path { path: text.chars().take(PATH_CHARS_MAX).collect(), why });
        if text.is_empty() {
            return refused("it is empty");
        }
        if text.chars().count() > PATH_CHARS_MAX {
            return refused("it is too long");
        }
        if text.starts_with('/') {
            return refused("it is absolute; give it relative to the workspace");
        }
        if text.contains('\\') || text.chars().any(char::is_control) {
            return refused("it holds a backslash or a control character");
        }
        if text == "." {
            return Ok(Self { folders: Vec::new(), name: None });
        }
        let mut parts: Vec<String> = Vec::new();
        for part in text.split('/') {
            match part {
                ".." => return refused("it leads upwards"),
                // One file has one spelling, so that what people read is what is compared.
                "." | "" => return refused("it has an empty or superfluous part"),
                part => parts.push(part.to_owned()),
            }
        }
        let name = parts.pop();
        Ok(Self { folders: parts, name })
    }
}

impl std::fmt::Display for InnerPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<&str> = self.folders.iter().chain(&self.name).map(String::as_str).collect();
        f.write_str(if parts.is_empty() { ".".to_owned() } else { parts.join("/") }.as_str())
    }
}

impl Workspace {
    /// Opens an existing folder.
    ///
    /// # Errors
    /// If it is not there, or no folder.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().canonicalize()?;
        let root = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self { root: Arc::new(root), path: Arc::new(path) })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file up to so many bytes, or the names in a folder.
    pub(crate) fn read(&self, path: &InnerPath, bytes_max: u64) -> Result<Found, FileError> {
        let folder = self.folder(path, false)?;
        let Some(name) = &path.name else { return names(&folder) };
        let facts = looked_at(&folder, name, path)?;
        if facts.is_dir() {
            return names(&entered(&folder, name, path)?);
        }
        let mut bytes = Vec::new();
        opened(&folder, name, path)?.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(Found::File(bytes, facts.len()))
    }

    /// Size, age and hash of a file; none where there is nothing of that name.
    pub(crate) fn facts(&self, path: &InnerPath) -> Result<Option<FileFacts>, FileError> {
        match self.whole(path, HASHED_BYTES_MAX) {
            Ok((bytes, modified)) => {
                Ok(Some(FileFacts { bytes: bytes.len() as u64, modified, hash: ContentHash::of(&bytes) }))
            }
            Err(FileError::Missing(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// A whole file, and when it was last changed.
    pub(crate) fn whole(
        &self,
        path: &InnerPath,
        bytes_max: u64,
    ) -> Result<(Vec<u8>, Option<Timestamp>), FileError> {
        let folder = self.folder(path, false)?;
        let name = named(path)?;
        let facts = looked_at(&folder, name, path)?;
        let too_large = |bytes| FileError::TooLarge { path: path.to_string(), bytes, bytes_max };
        if facts.len() > bytes_max {
            return Err(too_large(facts.len()));
        }
        let mut bytes = Vec::new();
        opened(&folder, name, path)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > bytes_max {
            return Err(too_large(bytes.len() as u64));
        }
        Ok((bytes, modified(&facts)))
    }

    /// Deletes a file, if it still is what it was.
    pub(crate) fn delete(&self, path: &InnerPath, expected: Option<ContentHash>) -> Result<u64, FileError> {
        let facts = self.facts(path)?.ok_or_else(|| FileError::Missing(path.to_string()))?;
        let expected = expected.ok_or_else(|| FileError::Unseen(path.to_string()))?;
        if expected != facts.hash {
            return Err(FileError::Changed(path.to_string()));
        }
        // A name is removed, never what a link of that name points to.
        self.folder(path, false)?.remove_file(named(path)?)?;
        Ok(facts.bytes)
    }

    /// Adds bytes to the end of a file, which is made if there is none, if it still is what it was.
    pub(crate) fn append(
        &self,
        path: &InnerPath,
        more: &[u8],
        expected: ContentHash,
    ) -> Result<(), FileError> {
        if state_hash(self.facts(path)?.as_ref()) != expected {
            return Err(FileError::Changed(path.to_string()));
        }
        let folder = self.folder(path, true)?;
        let name = named(path)?;
        let mut options = OpenOptions::new();
        match looked_at(&folder, name, path) {
            Ok(_) => options.append(true),
            Err(FileError::Missing(_)) => options.write(true).create_new(true),
            Err(fault) => return Err(fault),
        };
        let mut file = folder.open_with(name, &options)?;
        file.write_all(more)?;
        file.sync_all()?;
        Ok(())
    }

    /// The folder that a path's last part is in; made where it is missing and `make` is set.
    fn folder(&self, path: &InnerPath, make: bool) -> Result<Dir, FileError> {
        let mut folder = self.root.try_clone()?;
        for part in &path.folders {
            match looked_at(&folder, part, path) {
                Err(FileError::Missing(_)) if make => folder.create_dir(part)?,
                Ok(facts) if !facts.is_dir() => {
                    let why = "a part of it is a file, not a folder";
                    return Err(FileError::Path { path: path.to_string(), why });
                }
                Ok(_) => {}
                Err(fault) => return Err(fault),
            }
            folder = entered(&folder, part, path)?;
        }
        Ok(folder)
    }
}

/// What a path's content is called before it is there.
pub(crate) fn state_hash(facts: Option<&FileFacts>) -> ContentHash {
    facts.map_or_else(|| ContentHash::of(b"placet: there is no such file"), |facts| facts.hash)
}

fn named(path: &InnerPath) -> Result<&str, FileError> {
    let nothing = || FileError::NotAFile { path: path.to_string(), what: "the workspace itself" };
    path.name.as_deref().ok_or_else(nothing)
}

/// What stands under a name, a link not followed: a file or a folder, anything else is refused.
fn looked_at(folder: &Dir, name: &str, path: &InnerPath) -> Result<Metadata, FileError> {
    let facts = folder.symlink_metadata(name).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FileError::Missing(path.to_string()),
        _ => FileError::Io(error),
    })?;
    if facts.is_symlink() {
        let why = "a part of it is a symbolic link";
        return Err(FileError::Path { path: path.to_string(), why });
    }
    if !facts.is_file() && !facts.is_dir() {
        return Err(FileError::NotAFile { path: path.to_string(), what: "a device, pipe or socket" });
    }
    Ok(facts)
}

/// Opens what was looked at as a folder; refused if it was swapped in between.
fn entered(folder: &Dir, name: &str, path: &InnerPath) -> Result<Dir, FileError> {
    let before = looked_at(folder, name, path)?;
    let inner = folder.open_dir(name)?;
    if same(&before, &inner.dir_metadata()?) { Ok(inner) } else { Err(FileError::Changed(path.to_string())) }
}

/// Opens what was looked at as a file; refused if it was swapped in between.
fn opened(folder: &Dir, name: &str, path: &InnerPath) -> Result<cap_std::fs::File, FileError> {
    let before = looked_at(folder, name, path)?;
    if before.is_dir() {
        return Err(FileError::NotAFile { path: path.to_string(), what: "a folder" });
    }
    let file = folder.open(name)?;
    if same(&before, &file.metadata()?) { Ok(file) } else { Err(FileError::Changed(path.to_string())) }
}

/// Whether both are of the same file.
#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Where files have no numbers, the capability alone keeps the path inside.
#[cfg(not(unix))]
fn same(one: &Metadata, other: &Metadata) -> bool {
    one.is_dir() == other.is_dir()
}

fn names(folder: &Dir) -> Result<Found, FileError> {
    let mut names = Vec::new();
    let mut whole = true;
    for entry in folder.entries()? {
        let entry = entry?;
        if names.len() == NAMES_MAX {
            whole = false;
            break;
        }
        let kind = entry.file_type()?;
        let mark = if kind.is_dir() {
            "/"
        } else if kind.is_symlink() {
            " (link)"
        } else {
            ""
        };
        names.push(format!("{}{mark}", entry.file_name().to_string_lossy()));
    }
    names.sort();
    Ok(Found::Folder(names, whole))
}

fn modified(facts: &Metadata) -> Option<Timestamp> {
    let since = facts.modified().ok()?.into_std().duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> bool {
        matches!(InnerPath::parse(text), Err(FileError::Path { .. }))
    }

    /// R13: no spelling of a path leads out.
    #[test]
    fn paths_lead_inwards_only() {
        for text in [
            "",
            "/etc/passwd",
            "..",
            "../x",
            "a/../../x",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "a\\b",
            "a\0b",
            "C:\\x",
        ] {
            assert!(refused(text), "{text:?}");
        }
        assert!(refused(&"x".repeat(1001)));
        assert_eq!(InnerPath::parse("a/b.txt").unwrap().to_string(), "a/b.txt");
        assert_eq!(InnerPath::parse(".").unwrap().to_string(), ".");
        assert_eq!(InnerPath::parse("..a/...").unwrap().to_string(), "..a/...");
    }

    /// R13: no link is followed, whether it leads out or stays in, as a file, a folder, or a folder on the way.
    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "s").unwrap();
        let inside = tempfile::tempdir().unwrap();
        std::fs::create_dir(inside.path().join("real")).unwrap();
        std::fs::write(inside.path().join("real/file"), "f").unwrap();
        symlink(outside.path(), inside.path().join("out")).unwrap();
        symlink(outside.path().join("secret"), inside.path().join("leak")).unwrap();
        symlink("real", inside.path().join("in")).unwrap();
        symlink("real/file", inside.path().join("alias")).unwrap();
        let workspace = Workspace::open(inside.path()).unwrap();
        for path in ["out/secret", "leak", "in/file", "alias", "out", "in"] {
            let path = InnerPath::parse(path).unwrap();
            assert!(matches!(workspace.read(&path, 10), Err(FileError::Path { .. })), "read {path}");
            assert!(matches!(workspace.delete(&path, None), Err(FileError::Path { .. })), "delete {path}");
            let absent = state_hash(None);
            assert!(
                matches!(workspace.append(&path, b"x", absent), Err(FileError::Path { .. })),
                "write {path}"
            );
        }
        assert_eq!(std::fs::read(outside.path().join("secret")).unwrap(), b"s");
        assert_eq!(std::fs::read(inside.path().join("real/file")).unwrap(), b"f");
    }

    /// A folder that is swapped for a link after the workspace was opened leads nowhere either.
    #[cfg(unix)]
    #[test]
    fn a_folder_swapped_for_a_link_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("file"), "s").unwrap();
        let inside = tempfile::tempdir().unwrap();
        std::fs::create_dir(inside.path().join("dir")).unwrap();
        let workspace = Workspace::open(inside.path()).unwrap();
        std::fs::remove_dir(inside.path().join("dir")).unwrap();
        std::os::unix::fs::symlink(outside.path(), inside.path().join("dir")).unwrap();
        let path = InnerPath::parse("dir/file").unwrap();
        assert!(workspace.delete(&path, None).is_err());
        assert!(workspace.facts(&path).is_err());
        assert!(outside.path().join("file").exists());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_folders_are_no_files() {
        let inside = tempfile::tempdir().unwrap();
        std::fs::create_dir(inside.path().join("dir")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(inside.path().join("pipe")).status().unwrap();
        assert!(made.success());
        let workspace = Workspace::open(inside.path()).unwrap();
        for path in ["pipe", "dir", "."] {
            let deleted = workspace.delete(&InnerPath::parse(path).unwrap(), None);
            assert!(matches!(deleted, Err(FileError::NotAFile { .. })), "{path}: {deleted:?}");
        }
        assert!(inside.path().join("dir").exists());
    }
}
