//! What is on this machine: policy, database, room, keys.

use std::fs::OpenOptions;
use std::path::Path;

use placet::policy::PolicySet;
use placet::ports::StoreError;

use super::Finding;
use crate::settings::Settings;
use crate::soundness::Soundness;

/// Room below which somebody should look: the record of a busy installation takes months to grow by as much.
const ROOM_WARNING: u64 = 1024 * MEGABYTE;
/// Room below which writing may fail any time.
const ROOM_WRONG: u64 = 100 * MEGABYTE;
/// What holds for every database that cannot be served.
const SERVE_OTHERS: &str = "the server would not start: see to it before the next start";
const MEGABYTE: u64 = 1024 * 1024;

/// Looks at all of it; with the policies, where they can be read.
pub(super) fn examine(settings: &Settings) -> (Vec<Finding>, Option<PolicySet>) {
    let (policy, policies) = policy(settings);
    let mut findings = vec![policy, database(&settings.data)];
    findings.extend(room(&settings.data));
    findings.push(match &settings.grants {
        Some(_) => Finding::ok("grant key", "there"),
        None => Finding::ok("grant key", "none: executors outside get no signed grants"),
    });
    (findings, policies)
}

fn policy(settings: &Settings) -> (Finding, Option<PolicySet>) {
    let read = settings.policy.read_texts().map_err(|error| error.to_string());
    let read = read.and_then(|texts| {
        let policies = texts.parse().map_err(|errors| errors.to_string())?;
        Ok((texts, policies))
    });
    let (texts, policies) = match read {
        Ok(read) => read,
        Err(why) => {
            return (
                Finding::wrong("policy", why, "mend the policy; `placet policy check` shows each error"),
                None,
            );
        }
    };
    let finding = match Soundness::of(settings, (&texts, &policies), &[]) {
        Ok(found) if found.errors.is_empty() => {
            let version = policies.installation().version();
            Finding::ok("policy", format!("{} ({})", version.label, version.digest))
        }
        Ok(found) => {
            let errors: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
            Finding::wrong("policy", errors.join("\n"), "the server would not start: see `placet check`")
        }
        Err(error) => Finding::wrong("policy", format!("{error:#}"), "see `placet check`"),
    };
    (finding, Some(policies))
}

/// Whether the database is one, and can be written, and files beside it. It is only read, for a server may have it.
fn database(data: &Path) -> Finding {
    let shown = data.display();
    let remedy = "give the server's account the file and its folder";
    let beside = tempfile::tempfile_in(folder_of(data));
    if let Err(error) = beside {
        return Finding::wrong("database", format!("nothing can be written beside {shown}: {error}"), remedy);
    }
    match OpenOptions::new().append(true).open(data) {
        Ok(_) => match placet_store::look_at(data) {
            Ok(()) => Finding::ok("database", format!("{shown} is one of Placet's, and can be written")),
            Err(StoreError::Unavailable(why)) => Finding::wrong("database", why, SERVE_OTHERS),
            Err(error) => Finding::wrong("database", error.to_string(), SERVE_OTHERS),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::ok("database", format!("{shown} is not there yet; the first start makes it"))
        }
        Err(error) => Finding::wrong("database", format!("{shown} cannot be written: {error}"), remedy),
    }
}

fn folder_of(data: &Path) -> &Path {
    data.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

#[cfg(unix)]
fn room(data: &Path) -> Option<Finding> {
    let folder = folder_of(data);
    Some(match rustix::fs::statvfs(folder) {
        Ok(room) => judged(room.f_bavail.saturating_mul(room.f_frsize)),
        Err(error) => Finding::warning(
            "free space",
            format!("of {} cannot be read: {error}", folder.display()),
            "look at it by hand: df",
        ),
    })
}

#[cfg(not(unix))]
const fn room(_data: &Path) -> Option<Finding> {
    None
}

#[cfg_attr(not(unix), expect(dead_code, reason = "room is told of on unix only"))]
fn judged(bytes: u64) -> Finding {
    let seen = format!("{} MB beside the database", bytes / MEGABYTE);
    let remedy = "make room: when it is full, nothing can be proposed or decided";
    match bytes {
        0..ROOM_WRONG => Finding::wrong("free space", seen, remedy),
        ROOM_WRONG..ROOM_WARNING => Finding::warning("free space", seen, remedy),
        _ => Finding::ok("free space", seen),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Health;
    use super::*;

    #[test]
    fn little_room_is_told_before_there_is_none() {
        let health = |bytes| judged(bytes).health;
        assert_eq!(health(ROOM_WARNING), Health::Ok);
        assert_eq!(health(ROOM_WARNING - 1), Health::Warning);
        assert_eq!(health(ROOM_WRONG - 1), Health::Wrong);
    }

    #[test]
    fn a_database_that_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("placet.db");
        assert_eq!(database(&data).health, Health::Ok, "it is made by the first start");
        std::fs::create_dir(&data).unwrap();
        assert_eq!(database(&data).health, Health::Wrong, "it is no file");
        assert_eq!(database(&folder.path().join("nowhere/placet.db")).health, Health::Wrong);
        let other = folder.path().join("z.db");
        std::fs::write(&other, "this is no database, and long enough that nobody takes it for an empty one")
            .unwrap();
        let found = database(&other);
        assert_eq!(found.health, Health::Wrong);
        assert!(
            found.seen.contains("z.db is not a SQLite database: name another file in `data`"),
            "{}",
            found.seen
        );
        assert!(room(&data).is_none_or(|room| room.check == "free space"));
    }
}
