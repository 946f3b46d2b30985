//! `placet token create|list|revoke`: credentials, whose secrets are shown once and kept as hashes.

use std::io::Write;

use anyhow::{Context as _, bail, ensure};
use clap::{Args, Subcommand};
use placet::id::{AgentId, CredentialId, Entropy, TenantId};
use placet::person::Identity;
use placet::policy::{OWN_SERVER, PolicySet};
use placet::ports::store::Scope;
use placet::ports::{Clock, CredentialRow, CredentialStore};
use placet::time::{Timestamp, Ttl};
use serde::{Deserialize, Serialize};

use super::{Config, columns};

/// How long a credential is good, unless something else is asked for.
const GOOD_FOR: &str = "90d";

/// What can be done with credentials.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make one; its token is printed once.
    Create {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// What it shall be.
        #[command(flatten)]
        wish: Wish,
    },
    /// Show all there are; never their tokens.
    List {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// Of this tenant only.
        #[arg(long)]
        tenant: Option<TenantId>,
    },
    /// End one, from now on.
    Revoke {
        /// The settings.
        #[command(flatten)]
        config: Config,
        /// Which.
        #[command(flatten)]
        named: Named,
    },
}

/// A credential by its name, with or without the flag that `create` has.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Named {
    /// Its name, as `list` shows it.
    #[arg(value_name = "NAME")]
    plain: Option<CredentialId>,
    /// The same.
    #[arg(long = "name", value_name = "NAME")]
    flag: Option<CredentialId>,
}

impl TokenCommand {
    /// The settings that it goes by.
    pub(super) const fn config(&self) -> &Config {
        match self {
            Self::Create { config, .. } | Self::List { config, .. } | Self::Revoke { config, .. } => config,
        }
    }
}

/// What is asked of whoever looks after credentials: here, or in the server.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// Make one.
    Create(Wish),
    /// Show all, or a tenant's.
    List(Option<TenantId>),
    /// End one.
    Revoke(CredentialId),
}

/// What is answered.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It was made.
    Made(Made),
    /// All there are.
    Table(String),
    /// It is revoked.
    Revoked(CredentialId),
    /// It was not done, and why.
    Refused(String),
}

impl TryFrom<TokenCommand> for Ask {
    type Error = anyhow::Error;

    fn try_from(command: TokenCommand) -> anyhow::Result<Self> {
        Ok(match command {
            TokenCommand::Create { wish, .. } => Self::Create(wish),
            TokenCommand::List { tenant, .. } => Self::List(tenant),
            TokenCommand::Revoke { named, .. } => {
                Self::Revoke(named.plain.or(named.flag).context("name the credential")?)
            }
        })
    }
}

impl Answer {
    /// Writes what was asked for to `out`, a new token alone on its line, and every sentence about it to `notes`.
    ///
    /// # Errors
    /// It was not done, or `out` or `notes` cannot be written.
    pub fn write(self, out: &mut dyn Write, notes: &mut dyn Write) -> anyhow::Result<()> {
        match self {
            Self::Made(Made { token, name, tenant, expires_at }) => {
                let until = expires_at.map(|at| format!("until {}", at.to_minute_utc()));
                let until = until.as_deref().unwrap_or("until it is revoked");
                writeln!(out, "{token}")?;
                out.flush()?;
                writeln!(
                    notes,
                    "This is the token of {name} (tenant {tenant}), good {until}. It is shown this once."
                )?;
            }
            Self::Table(table) => out.write_all(table.as_bytes())?,
            Self::Revoked(name) => writeln!(notes, "{name} is revoked: it is refused from now on.")?,
            Self::Refused(why) => bail!(why),
        }
        Ok(())
    }
}

/// A credential to be made.
#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct Wish {
    /// Its name, in the record and in the policy's `credentials`; never given twice.
    #[arg(long)]
    pub name: CredentialId,
    /// Whose it is; left out: the one tenant of the settings.
    #[arg(long)]
    pub tenant: Option<TenantId>,
    /// The agent that proposes with it, by a name that outlives the credential; left out: the credential's name.
    #[arg(long)]
    pub agent: Option<AgentId>,
    /// What it may do: propose, execute, decide, audit, manage; several with commas between.
    #[arg(long, value_delimiter = ',', required = true, value_parser = scope)]
    pub scopes: Vec<Scope>,
    /// How long it is good: 12h, 90d, or never.
    #[arg(long, default_value = GOOD_FOR, value_parser = expiry)]
    pub expires: Expiry,
    /// It may say on whose behalf it acts: for gateways that know who asked.
    #[arg(long)]
    pub acts_for_others: bool,
}

/// How long a credential is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expiry {
    /// So long.
    After(Ttl),
    /// Until it is revoked.
    Never,
}

fn scope(text: &str) -> Result<Scope, String> {
    // As people write lists: "propose, execute".
    let text = text.trim();
    let known = Scope::ALL.map(Scope::name);
    Scope::ALL
        .into_iter()
        .find(|scope| scope.name() == text)
        .ok_or_else(|| format!("a scope is one of {}", known.join(", ")))
}

fn expiry(text: &str) -> Result<Expiry, String> {
    match text.parse::<Ttl>() {
        _ if text == "never" => Ok(Expiry::Never),
        Ok(Ttl::ZERO) => Err("it would expire at once".to_owned()),
        Ok(ttl) => Ok(Expiry::After(ttl)),
        Err(error) => Err(format!("{error}; or never")),
    }
}

/// What credentials are looked after with.
pub struct Registrar<'a> {
    /// Where they are kept.
    pub store: &'a dyn CredentialStore,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Where secrets come from.
    pub entropy: &'a dyn Entropy,
    /// The policies in force.
    pub policies: &'a PolicySet,
    /// The tenant that is meant when none is named; none where the settings have several, or none.
    pub tenant: Option<&'a TenantId>,
}

/// A credential that was made, and its token: to be shown once.
#[derive(Serialize, Deserialize)]
pub struct Made {
    /// The secret.
    pub token: String,
    /// Its name.
    pub name: CredentialId,
    /// Whose.
    pub tenant: TenantId,
    /// Until when.
    pub expires_at: Option<Timestamp>,
}

impl Registrar<'_> {
    /// Does what is asked.
    pub async fn answer(&self, ask: Ask) -> Answer {
        let answer = match ask {
            Ask::Create(wish) => self.create(wish).await.map(Answer::Made),
            Ask::List(tenant) => self.list(tenant.as_ref()).await.map(Answer::Table),
            Ask::Revoke(name) => self.revoke(&name).await.map(|()| Answer::Revoked(name)),
        };
        answer.unwrap_or_else(|error| Answer::Refused(format!("{error:#}")))
    }

    /// Makes a credential.
    ///
    /// # Errors
    /// The wish contradicts itself or the policy, the name was given before, or the store did not take it.
    pub async fn create(&self, wish: Wish) -> anyhow::Result<Made> {
        let Wish { name, tenant, agent, mut scopes, expires, acts_for_others } = wish;
        scopes.sort_unstable();
        scopes.dedup();
        ensure!(!scopes.is_empty(), "a credential that may do nothing is none: name its --scopes");
        ensure!(
            !acts_for_others || scopes.contains(&Scope::Propose),
            "--acts-for-others is for credentials that may propose"
        );
        Identity::credential(name.as_str())?;
        let Some(tenant) = tenant.or_else(|| self.tenant.cloned()) else {
            bail!(
                "say whose it is with --tenant, such as --tenant acme: the settings name no tenant, or several, so that none \
                 is meant by itself"
            );
        };
        let asks_and_answers = scopes.contains(&Scope::Propose) && scopes.contains(&Scope::Decide);
        if asks_and_answers && !self.policies.of(&tenant).is_solo() {
            bail!(
                "propose and decide exclude each other: who asks must not answer. Make one credential for each, or \
                 set profile = \"solo\" in the policy if you work alone"
            );
        }
        let agent = match agent {
            Some(agent) => agent,
            None => AgentId::new(name.as_str())?,
        };
        if [name.as_str(), agent.as_str()].contains(&OWN_SERVER) {
            bail!(
                "{OWN_SERVER} is what Placet calls itself in the record; give it another --name and --agent"
            );
        }
        // A name is an account in the policy, which knows no tenants: the same twice would be two people's one account.
        if self.store.credentials(None).await?.iter().any(|row| row.id == name) {
            bail!(
                "there is, or was, a credential {name}: names stay in the record and are never given twice"
            );
        }
        let token = placet_http::new_token(self.entropy);
        let created_at = self.clock.now();
        let expires_at = match expires {
            Expiry::After(ttl) => Some(created_at + ttl),
            Expiry::Never => None,
        };
        let row = CredentialRow {
            id: name.clone(),
            tenant: tenant.clone(),
            agent,
            scopes,
            may_act_for_others: acts_for_others,
            secret_hash: placet_http::token_hash(&token),
            created_at,
            expires_at,
            revoked_at: None,
        };
        self.store.add_credential(row).await?;
        Ok(Made { token, name, tenant, expires_at })
    }

    /// Ends a credential.
    ///
    /// # Errors
    /// There is none of that name, or the store did not take it.
    pub async fn revoke(&self, name: &CredentialId) -> anyhow::Result<()> {
        let rows = self.store.credentials(None).await?;
        let Some(row) = rows.iter().find(|row| row.id == *name) else {
            bail!("there is no credential {name}; `placet token list` shows all");
        };
        ensure!(
            self.store.revoke_credential(&row.tenant, name).await?,
            "there is no credential {name} any more"
        );
        Ok(())
    }

    /// All credentials, or a tenant's, as a table.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn list(&self, tenant: Option<&TenantId>) -> anyhow::Result<String> {
        let rows = self.store.credentials(tenant).await?;
        let now = self.clock.now();
        let heading = ["NAME", "TENANT", "AGENT", "SCOPES", "CREATED", "EXPIRES", "STATE"];
        let lines: Vec<[String; 7]> = rows.iter().map(|row| line(row, now)).collect();
        Ok(columns::table(heading, &lines))
    }
}

fn line(row: &CredentialRow, now: Timestamp) -> [String; 7] {
    let state = match (row.revoked_at, row.is_valid(now)) {
        (Some(at), _) => format!("revoked {}", at.to_minute_utc()),
        (None, true) => "valid".to_owned(),
        (None, false) => "expired".to_owned(),
    };
    let scopes: Vec<_> = row.scopes.iter().map(|scope| scope.name()).collect();
    [
        row.id.to_string(),
        row.tenant.to_string(),
        row.agent.to_string(),
        scopes.join(","),
        row.created_at.to_minute_utc(),
        row.expires_at.map_or_else(|| "never".to_owned(), Timestamp::to_minute_utc),
        state,
    ]
}
