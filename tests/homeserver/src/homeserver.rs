//! The homeserver: where it is, who registers, and what its administrator can do.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::account::Account;
use crate::api::{Api, text};

/// The script that runs a command beside a homeserver.
const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/run");

/// How it is told where the homeserver is; `serve.py` sets them.
const VARIABLES: [&str; 3] = ["PLACET_HOMESERVER", "PLACET_HOMESERVER_NAME", "PLACET_HOMESERVER_ADMIN"];

/// A running homeserver.
pub struct Homeserver {
    api: Api,
    name: String,
    /// Ends when its input does: with the test at the latest, however that ends.
    own: Option<Child>,
}

impl Homeserver {
    /// The one that all tests share.
    ///
    /// # Errors
    /// If there is none; it says how to have one.
    pub fn shared() -> Result<Self> {
        let [url, name, admin] = VARIABLES.map(|variable| std::env::var(variable).ok());
        let (Some(url), Some(name), Some(admin)) = (url, name, admin) else {
            bail!(
                "no homeserver to test with: run ./test, or tests/homeserver/run cargo nextest run … for some tests alone"
            );
        };
        Ok(Self { api: Api::new(&url, &admin)?, name, own: None })
    }

    /// One to itself, with these lines in its settings, as `refreshable_access_token_lifetime: 2s`. It costs seconds:
    /// for what cannot be done on the shared one.
    ///
    /// # Errors
    /// If it does not serve.
    pub async fn of_its_own(settings: &[&str]) -> Result<Self> {
        let mut command = Command::new(Path::new(RUN));
        for line in settings {
            command.args(["--set", line]);
        }
        // Tells its environment, and then waits for the end of its input.
        let script = VARIABLES.map(|variable| format!("echo \"${variable}\"; ")).concat() + "cat >/dev/null";
        let mut own = command
            .args(["sh", "-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("a homeserver of its own")?;
        let mut lines = BufReader::new(own.stdout.take().context("no output of it")?).lines();
        let mut told = Vec::new();
        for _ in VARIABLES {
            let line = lines.next_line().await?;
            told.push(line.context("it did not serve; what it said stands before this")?);
        }
        Ok(Self { api: Api::new(&told[0], &told[2])?, name: told[1].clone(), own: Some(own) })
    }

    /// One to itself ends, and leaves nothing; the shared one stays.
    ///
    /// # Errors
    /// If it did not end well.
    pub async fn ends(self) -> Result<()> {
        let Some(mut own) = self.own else { return Ok(()) };
        let status = own.wait().await?;
        ensure!(status.success(), "the homeserver ended with {status}");
        Ok(())
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        self.api.url()
    }

    /// Its name, as in `@user:name`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes an account whose name begins so, and signs in to it: without a device that could read what is encrypted.
    ///
    /// # Errors
    /// If it is not made.
    pub async fn registers(&self, name: &str) -> Result<Account> {
        let mut random = [0_u8; 6];
        #[expect(
            clippy::disallowed_methods,
            reason = "accounts of tests that run at a time on one homeserver need names of their own"
        )]
        getrandom::fill(&mut random)?;
        let user = format!("@{name}-{}:{}", hex::encode(random), self.name);
        let password = format!("password of {user}");
        let made = json!({"password": password, "displayname": name, "admin": false});
        self.asks(Method::PUT, &["v2", "users", &user], Some(&made)).await?;
        self.signs_in(&user, &password).await
    }

    /// Signs in with a password, as a program that knows no encryption.
    ///
    /// # Errors
    /// If the homeserver does not take it.
    pub async fn signs_in(&self, user: &str, password: &str) -> Result<Account> {
        let login = json!({
            "type": "m.login.password",
            "identifier": {"type": "m.id.user", "user": user},
            "password": password,
            "initial_device_display_name": "the plain API",
        });
        let answer = self.api.ask(Method::POST, &["_matrix/client/v3/login"], Some(&login)).await?;
        Ok(Account::new(self.api.with_token(&text(&answer, "access_token")?), user, password))
    }

    /// The administrator sets another password. With it comes the right to add devices, and to replace the account's
    /// keys.
    ///
    /// # Errors
    /// If it is not set.
    pub async fn resets_password(&self, user: &str, signs_out: bool) -> Result<String> {
        let password = format!("another password of {user}");
        let body = json!({"new_password": password, "logout_devices": signs_out});
        self.asks(Method::POST, &["v1", "reset_password", user], Some(&body)).await?;
        Ok(password)
    }

    /// The administrator acts as somebody: what is sent through it is forged, and all others see it as theirs.
    ///
    /// # Errors
    /// If the homeserver does not let them.
    pub async fn forges_as(&self, user: &str) -> Result<Account> {
        let answer = self.asks(Method::POST, &["v1", "users", user, "login"], Some(&json!({}))).await?;
        Ok(Account::new(self.api.with_token(&text(&answer, "access_token")?), user, ""))
    }

    /// What somebody sends is limited from now on: so many at once, and one more each second. Beyond it the homeserver
    /// answers 429, `M_LIMIT_EXCEEDED`, and says how long to wait.
    ///
    /// # Errors
    /// If the homeserver refuses.
    pub async fn limits_rates_of(&self, user: &str, at_once: u32) -> Result<()> {
        let body = json!({"messages_per_second": 1, "burst_count": at_once});
        self.asks(Method::POST, &["v1", "users", user, "override_ratelimit"], Some(&body)).await?;
        Ok(())
    }

    /// The account is closed.
    ///
    /// # Errors
    /// If it is not.
    pub async fn deactivates(&self, user: &str) -> Result<()> {
        self.asks(Method::POST, &["v1", "deactivate", user], Some(&json!({"erase": false}))).await?;
        Ok(())
    }

    /// A device of somebody's is signed out and its keys go.
    ///
    /// # Errors
    /// If it does not go.
    pub async fn deletes_device(&self, user: &str, device: &str) -> Result<()> {
        self.asks(Method::DELETE, &["v2", "users", user, "devices", device], None).await?;
        Ok(())
    }

    /// The ids of somebody's devices, in order.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn devices_of(&self, user: &str) -> Result<Vec<String>> {
        let answer = self.asks(Method::GET, &["v2", "users", user, "devices"], None).await?;
        let devices = answer["devices"].as_array().context("no devices")?;
        let mut ids: Vec<String> =
            devices.iter().filter_map(|device| device["device_id"].as_str().map(str::to_owned)).collect();
        ids.sort();
        Ok(ids)
    }

    /// Anything else of the admin API; the path is what follows `/_synapse/admin/`.
    ///
    /// # Errors
    /// [`crate::Refused`], or that no answer came.
    pub async fn asks(&self, method: Method, path: &[&str], body: Option<&Value>) -> Result<Value> {
        ensure!(!path.is_empty(), "an admin API has a path");
        let path: Vec<&str> = std::iter::once("_synapse/admin").chain(path.iter().copied()).collect();
        self.api.ask(method, &path, body).await
    }
}
