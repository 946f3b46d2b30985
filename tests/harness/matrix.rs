//! Placet in Matrix: an account of its own on a real homeserver, and the people there who decide.

use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::PoisonError;

use anyhow::{Context as _, Result, bail};
use placet::approval::Status;
use placet::time::Ttl;
use placet_test_homeserver::{Account, Homeserver};

use crate::agent::Call;
use crate::desk::{Desk, TENANT};

/// How often it is listened for what must come: each time the homeserver waits a second for it.
const LISTENS_MAX: usize = 60;

/// How long the homeserver may wait before it says that nothing came.
const HOLD: Ttl = Ttl::from_secs(1);

/// Somebody who decides in Matrix.
#[derive(Clone, Copy)]
pub struct Decider<'a> {
    /// Their id in the policy.
    pub id: &'a str,
    /// Their account.
    pub account: &'a str,
}

impl Desk {
    /// Gives Placet an account in Matrix, a room for its cards, and these admins there; rules ask there about
    /// `rename_file`, which is of level medium, and `wipe_file`, of level high; and starts Placet again with them.
    ///
    /// # Errors
    /// If a file cannot be written, or Placet does not start again.
    pub async fn has_matrix(
        &self,
        (homeserver, bot): (&Homeserver, &Account),
        room: &str,
        (people, more): (&[Decider<'_>], &str),
    ) -> Result<()> {
        self.keeps_secret("matrix.password", bot.password())?;
        self.keeps_secret("matrix.key", &"5a".repeat(32))?;
        let accounts: Vec<String> = people.iter().map(|person| format!("\"{}\"", person.account)).collect();
        let table = format!(
            r#"[matrix]
homeserver = "{url}"
user = "{bot}"
password = {{ file = "matrix.password" }}
store_key = {{ file = "matrix.key" }}
tenant = "{TENANT}"
room = "{room}"
people = [{people}]
{more}
"#,
            url = homeserver.url(),
            bot = bot.user(),
            people = accounts.join(", "),
        );
        *self.tool_settings.lock().unwrap_or_else(PoisonError::into_inner) = table;
        let persons = people.iter().map(|Decider { id, account }| {
            format!("\n[[people]]\nid = \"{id}\"\nname = \"{id}\"\nroles = [\"admin\"]\nmatrix = [\"{account}\"]\n")
        });
        let persons: String = persons.collect();
        let rules = format!(
            r#"
[[rule]]
name = "renames"
tools = ["rename_file"]
level = "medium"
tier = "approve"
role = "admin"
because = "Others may look for it by its name."
places = [{{ surface = "matrix", channel = "{room}" }}]

[[rule]]
name = "wipes"
tools = ["wipe_file"]
level = "high"
because = "It cannot be undone."
places = [{{ surface = "matrix", channel = "{room}" }}]
"#
        );
        self.has_policy(|policy| policy + rules.as_str() + persons.as_str()).await
    }

    /// Puts a secret into a file that its owner alone reads.
    fn keeps_secret(&self, name: &str, secret: &str) -> Result<()> {
        use std::io::Write as _;
        let path = self.folder().join(name);
        let mut file =
            std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        file.write_all(secret.as_bytes())?;
        Ok(())
    }

    /// One look at what happened in Matrix.
    ///
    /// # Errors
    /// If the homeserver does not answer.
    pub async fn listens_to_matrix(&self, hold: Ttl) -> Result<usize> {
        let app = self.app()?;
        app.matrix.as_ref().context("Placet is not in Matrix")?.step(hold).await
    }

    /// Listens and works until a request is where it should be.
    ///
    /// # Errors
    /// If it never is.
    pub async fn hears_in_matrix(&self, call: &Call, status: Status) -> Result<()> {
        for _ in 0..LISTENS_MAX {
            self.listens_to_matrix(HOLD).await?;
            self.work_until_idle().await?;
            if self.request(&call.id).await?.status() == status {
                return Ok(());
            }
        }
        bail!("{} is never {}: {:?}", call.tool, status.name(), self.events(&call.id).await?)
    }

    /// Listens and works until so many votes stand.
    ///
    /// # Errors
    /// If they never do.
    pub async fn hears_votes_in_matrix(&self, call: &Call, count: usize) -> Result<()> {
        for _ in 0..LISTENS_MAX {
            self.listens_to_matrix(HOLD).await?;
            self.work_until_idle().await?;
            if self.request(&call.id).await?.votes.len() == count {
                return Ok(());
            }
        }
        bail!("{} never has {count} votes: {:?}", call.tool, self.events(&call.id).await?)
    }

    /// Listens until Placet is in this room, where somebody invited it.
    ///
    /// # Errors
    /// If it never comes.
    pub async fn is_in_room(&self, room: &str, seen_by: &Account) -> Result<()> {
        for _ in 0..LISTENS_MAX {
            self.listens_to_matrix(HOLD).await?;
            let members = seen_by.members(room).await?;
            if members.len() > 1 {
                // What its own coming changed is heard with the next look.
                self.listens_to_matrix(Ttl::ZERO).await?;
                return Ok(());
            }
        }
        bail!("Placet never comes into {room}")
    }
}
