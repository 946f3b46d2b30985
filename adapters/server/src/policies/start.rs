//! What a server starts with. At the very first start that is what the files say; later it is what was in force when the
//! last server stopped, unless the files may take force by themselves.

use std::collections::BTreeMap;

use anyhow::bail;
use placet::policy::PolicyFile;
use placet::ports::StoreError;
use placet_store::SqliteStore;

use super::force::tenants;
use super::refusal::Refused;
use super::{Seen, checked};
use crate::record::{Policies, last_loaded, note_policies};
use crate::settings::{PolicyTexts, Settings};

/// What brings the policy that a server starts with.
const START: &str = "the start";

/// What brings a policy that was put in force without the yes that the one before wants.
const TAKEN: &str = "the start with --take-policy, without the yes that [change] wants";

/// What a server starts with.
pub(crate) struct Start {
    /// The policies in force.
    pub(crate) in_force: Policies,
    /// What the files say.
    pub(super) seen: Seen,
    /// Why that is not in force, where it is wrong.
    pub(super) refused: Option<Box<Refused>>,
}

/// What a start goes by.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) store: &'a SqliteStore,
    /// Surfaces besides those of the settings.
    pub(crate) local: &'a [&'a str],
    /// Whether the files take force whatever `[change]` wants.
    pub(crate) take: bool,
}

/// What the files say, and what they make, if that is right.
pub(crate) struct Files {
    seen: Seen,
    made: Result<(Policies, Vec<String>), Box<Refused>>,
}

impl Files {
    /// Reads and checks them, before anything is opened.
    pub(crate) fn read(settings: &Settings, local: &[&str]) -> Self {
        let seen = settings.policy.read_texts();
        let made = match &seen {
            Ok(texts) => checked(settings, texts, local),
            Err(why) => Err(Refused::unreadable(why)),
        };
        Self { seen, made }
    }

    /// What is wrong with them, if anything is.
    pub(crate) fn errors(&self) -> Option<&str> {
        self.made.as_ref().err().map(|refused| refused.all())
    }
}

impl Start {
    /// Decides what is in force, and notes it in the record of every tenant.
    ///
    /// # Errors
    /// Nothing can be: the files are wrong and nothing was in force before, or what was needs a yes for the next and
    /// cannot be read any more; or the store failed.
    pub(crate) async fn of(files: Files, ground: Ground<'_>) -> anyhow::Result<Self> {
        let Ground { settings, store, local, take } = ground;
        let recorded = recorded_texts(settings, store).await?;
        let by = if take { TAKEN } else { START };
        let Files { seen, made } = files;
        let start = match (made, recorded) {
            (Ok((wanted, warnings)), recorded) => {
                let in_force =
                    match recorded.filter(|recorded| !take && !wanted.texts.changed(recorded).is_empty()) {
                        None => wanted,
                        Some(recorded) => agreed(&recorded, wanted, ground)?,
                    };
                warn(&warnings);
                Self { in_force, seen, refused: None }
            }
            (Err(refused), None) => bail!("{}", refused.all()),
            // A server that was restarted, by whatever, goes on as the one that was not.
            (Err(refused), Some(recorded)) => {
                let Ok((in_force, warnings)) = checked(settings, &recorded, local) else {
                    bail!("{}", refused.all())
                };
                warn(&warnings);
                refused.log();
                refused.note(store, tenants(settings, store).await?).await?;
                Self { in_force, seen, refused: Some(refused) }
            }
        };
        if take {
            let version = start.in_force.set.installation().version();
            tracing::warn!(
                policy.label = %version.label,
                policy.digest = %version.digest,
                "--take-policy: the policy's files are in force without anybody's yes; that is on record"
            );
        }
        note_policies(store, &start.in_force, by, tenants(settings, store).await?).await?;
        Ok(start)
    }
}

fn warn(warnings: &[String]) {
    for warning in warnings {
        tracing::warn!("{warning}");
    }
}

/// What may be in force of what the files say, where something else was before: all that takes nobody's yes.
fn agreed(recorded: &PolicyTexts, wanted: Policies, ground: Ground<'_>) -> anyhow::Result<Policies> {
    let Ground { settings, local, .. } = ground;
    let Ok(before) = Policies::of(recorded.clone()) else {
        if wants_a_yes(recorded) {
            bail!(
                "the policy that was in force last wants somebody's yes to the next one ([change]), and this version of \
                 Placet cannot read it any more; start the version before and have the new policy agreed to, or start \
                 once with --take-policy, which puts the files in force and says so in the record"
            );
        }
        return Ok(wanted);
    };
    let mut texts = recorded.clone();
    for unit in wanted.texts.changed(recorded) {
        if before.policy(&unit).change().is_none() {
            texts = texts.with(&unit, &wanted.texts);
        }
    }
    if wanted.texts.changed(&texts).is_empty() {
        return Ok(wanted);
    }
    tracing::warn!(
        "the policy was changed, and the change waits for a yes: what was in force before still is"
    );
    match checked(settings, &texts, local).or_else(|_| checked(settings, recorded, local)) {
        Ok((policies, _)) => Ok(policies),
        Err(why) => bail!(
            "the policy was changed, the change waits for a yes, and the one before does not go together with the \
             settings any more; set them right, or start once with --take-policy, which puts the files in force and \
             says so in the record:\n{}",
            why.all()
        ),
    }
}

/// Whether any of these texts has a `[change]`, as far as that can be read without understanding the rest.
fn wants_a_yes(texts: &PolicyTexts) -> bool {
    let files = std::iter::once(&texts.installation).chain(texts.tenants.values());
    files
        .into_iter()
        .any(|file| file.text.parse::<toml::Table>().map_or(true, |table| table.contains_key("change")))
}

/// The texts that were in force last, by the record; none where none ever was.
pub(super) async fn recorded_texts(
    settings: &Settings,
    store: &SqliteStore,
) -> Result<Option<PolicyTexts>, StoreError> {
    let (mut installation, mut own) = (None, BTreeMap::new());
    for tenant in tenants(settings, store).await? {
        let Some(recorded) = last_loaded(store, &tenant).await? else { continue };
        installation.get_or_insert(recorded.text);
        if let Some(text) = recorded.tenant_text {
            let source = settings.policy.tenants.get(&tenant);
            let name = source.map_or_else(|| format!("tenants.{tenant}.policy"), |source| source.shown());
            own.insert(tenant, PolicyFile { text, name });
        }
    }
    Ok(installation.map(|text| PolicyTexts {
        installation: PolicyFile { text, name: settings.policy.installation.shown() },
        tenants: own,
    }))
}
