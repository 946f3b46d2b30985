//! Secrets: only by name, `{ env = "NAME" }` or `{ file = "path" }`, never in the settings themselves, and never in
//! an error.

use std::path::{Path, PathBuf};

use secrecy::SecretString;
use toml::de::DeValue;

use super::problem::{Report, cause};
use super::reader::Section;

/// The most bytes of a secret's file: more is some other file.
const SECRET_BYTES_MAX: u64 = 16 * 1024;

/// Looks up a variable of the environment.
type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Where secrets are found.
#[derive(Clone, Copy)]
pub struct Secrets<'a> {
    /// The folder that relative paths start from: that of the settings' file.
    pub(super) folder: &'a Path,
    /// Looks up a variable of the environment; none where secrets are not looked up.
    environment: Option<Environment<'a>>,
}

/// What stands for a secret that is not looked up: also the form of a key.
pub(super) const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

impl<'a> Secrets<'a> {
    /// From this environment, and from files.
    #[must_use]
    pub fn new(folder: &'a Path, environment: Environment<'a>) -> Self {
        Self { folder, environment: Some(environment) }
    }

    /// None is looked up: for whoever only wants to know whether the rest is right.
    #[must_use]
    pub const fn blank(folder: &'a Path) -> Self {
        Self { folder, environment: None }
    }
}

impl std::fmt::Debug for Secrets<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secrets").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A secret by its variable, as it is written.
pub(super) fn named(key: &str, variable: &str) -> String {
    format!("{key} = {{ env = \"{variable}\" }}")
}

const FORM: &str = "write it as { env = \"NAME\" } or { file = \"path\" }";

impl Secrets<'_> {
    /// The secret of a key, if the key is there.
    pub(super) fn read(
        &self,
        section: &mut Section<'_>,
        key: &'static str,
        report: &mut Report<'_>,
    ) -> Option<SecretString> {
        let path = section.path(key);
        let value = section.get(key)?;
        let span = section.key_span(key).unwrap_or_else(|| value.span());
        if !matches!(value.get_ref(), DeValue::Table(_)) {
            report.add(&span, &path, "a secret does not belong into this file", FORM);
            return None;
        }
        let mut source = Section::of(value, path.clone(), report)?;
        let variable = source.string("env", report);
        let file = source.string("file", report);
        let written = (source.key_span("env").is_some(), source.key_span("file").is_some());
        source.finish(report);
        let found = match written {
            (true, false) => self.variable(&variable?.value),
            (false, true) => self.file(&file?.value),
            (true, true) => Err(("it names two sources".to_owned(), FORM.to_owned())),
            (false, false) => Err(("it names no source".to_owned(), FORM.to_owned())),
        };
        match found {
            Ok(secret) => Some(secret),
            Err((message, remedy)) => {
                report.add(&span, &path, message, remedy);
                None
            }
        }
    }

    /// The secret of a key that must be there. `variable` is what the example of the settings calls its variable.
    pub(super) fn needed(
        &self,
        section: &mut Section<'_>,
        (key, variable): (&'static str, &str),
        report: &mut Report<'_>,
    ) -> Option<SecretString> {
        if section.key_span(key).is_none() {
            let remedy = format!("such as {}", named(key, variable));
            section.note(key, "it is missing", &remedy, report);
        }
        self.read(section, key, report)
    }

    /// A secret by the variable that holds it.
    fn variable(&self, name: &str) -> Result<SecretString, (String, String)> {
        // The name is repeated only where it can be nothing but a name: people paste the secret itself there.
        let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase() || byte == b'_');
        let rest =
            name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        if !first || !rest {
            let message = "what stands after `env` is not the name of a variable".to_owned();
            return Err((message, "a name of capital letters, digits and _, such as PLACET_KEY".to_owned()));
        }
        let Some(environment) = self.environment else { return Ok(SecretString::from(BLANK)) };
        match environment(name) {
            None => Err((
                format!("the environment variable {name} is not set"),
                "set it for the server's process, or use { file = \"path\" }".to_owned(),
            )),
            Some(text) => secret(&text).ok_or_else(|| {
                (format!("the environment variable {name} is empty"), "put the secret into it".to_owned())
            }),
        }
    }

    fn file(&self, path: &str) -> Result<SecretString, (String, String)> {
        if self.environment.is_none() {
            return Ok(SecretString::from(BLANK));
        }
        let path: PathBuf = self.folder.join(path);
        // A path that leads nowhere is not repeated: people paste the secret itself there.
        let metadata = std::fs::metadata(&path).map_err(|error| {
            let message = format!("the file that it names cannot be read: {}", cause(&error));
            (
                message,
                "a path, from the folder of this file; the server's user must be able to read it".to_owned(),
            )
        })?;
        let shown = path.display();
        if !metadata.is_file() || metadata.len() > SECRET_BYTES_MAX {
            let message = format!("{shown} is not the file of a secret");
            return Err((message, format!("a file with the secret alone, at most {SECRET_BYTES_MAX} bytes")));
        }
        if everybody_may(&metadata) {
            let message = format!("everybody on this machine can read or write {shown}");
            return Err((
                message,
                format!("chmod o-rwx {shown}, and replace the secret if others were here"),
            ));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let message = format!("{shown} cannot be read: {}", cause(&error));
            (message, "it must be text, and the server's user must be able to read it".to_owned())
        })?;
        secret(&text).ok_or_else(|| (format!("{shown} is empty"), "put the secret into it".to_owned()))
    }
}

/// The secret without the line break that editors put after it; none if nothing is left.
fn secret(text: &str) -> Option<SecretString> {
    let text = text.trim();
    (!text.is_empty()).then(|| SecretString::from(text.to_owned()))
}

#[cfg(unix)]
fn everybody_may(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o007 != 0
}

#[cfg(not(unix))]
const fn everybody_may(_metadata: &std::fs::Metadata) -> bool {
    false
}
