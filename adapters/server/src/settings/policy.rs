//! Where policies come from: the installation's, and those that tenants put on top of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use placet::call::PolicyDigest;
use placet::id::TenantId;
use placet::policy::{Policy, PolicyErrors, PolicyFile, PolicySet};
use placet::time::Ttl;

use super::SettingsErrors;
use super::problem::{Report, cause};
use super::reader::Section;

/// How often it is looked whether a policy's file changed, unless the settings say otherwise: whoever saved it should
/// not have to wait for it.
pub const POLICY_POLL: Ttl = Ttl::from_secs(5);

/// The shortest and the longest pause between two looks at the files. More often wears the disk for nothing; more seldom,
/// and nobody connects what happens with what they changed.
const POLL: std::ops::RangeInclusive<Ttl> = Ttl::from_secs(1)..=Ttl::from_mins(10);

/// What the settings say of policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySettings {
    /// The installation's policy.
    pub installation: PolicySource,
    /// What tenants put on top of it.
    pub tenants: BTreeMap<TenantId, PolicySource>,
    /// How often it is looked whether a file changed.
    pub poll: Ttl,
    /// In which tenant people agree to a change of the installation's policy; none where no tenant is named anywhere.
    pub agreed_in: Option<TenantId>,
}

impl From<PolicySource> for PolicySettings {
    /// One policy for everybody.
    fn from(installation: PolicySource) -> Self {
        Self { installation, tenants: BTreeMap::new(), poll: POLICY_POLL, agreed_in: None }
    }
}

impl PolicySettings {
    pub(super) fn read(root: &mut Section<'_>, folder: &Path, report: &mut Report<'_>) -> Option<Self> {
        let installation = root.needed("policy", "\"policy.toml\"", report);
        let poll = root.ttl("policy_poll", POLL, report).unwrap_or(POLICY_POLL);
        let agreed_in = root.parsed("policy_tenant", "\"acme\"", report).map(|tenant| tenant.value);
        let tables = root.section("tenants", report).map(|tables| tables.each(report)).unwrap_or_default();
        let mut tenants = BTreeMap::new();
        for (name, mut table) in tables {
            let policy = table.needed("policy", "\"tenants/acme.toml\"", report);
            match name.value.parse::<TenantId>() {
                Ok(tenant) => {
                    tenants.extend(policy.map(|policy| (tenant, PolicySource::named(&policy.value, folder))))
                }
                Err(error) => {
                    report.add(&name.span, &table.path(""), format!("this is no tenant's name: {error}"), "");
                }
            }
            table.finish(report);
        }
        let installation = PolicySource::named(&installation?.value, folder);
        Some(Self { installation, tenants, poll, agreed_in })
    }

    /// Reads all texts.
    ///
    /// # Errors
    /// A file cannot be read: the first of them.
    pub fn read_texts(&self) -> Result<PolicyTexts, Unread> {
        let unread = |of: Option<&TenantId>| {
            let of = of.cloned();
            move |error: anyhow::Error| Unread { of, why: error.to_string() }
        };
        let tenants = self.tenants.iter().map(|(tenant, source)| {
            let text = source.text(&format!("tenants.{tenant}.policy")).map_err(unread(Some(tenant)))?;
            Ok((tenant.clone(), text))
        });
        Ok(PolicyTexts {
            installation: self.installation.text("policy").map_err(unread(None))?,
            tenants: tenants.collect::<Result<_, Unread>>()?,
        })
    }

    /// Reads and checks all of them.
    ///
    /// # Errors
    /// A file cannot be read, or one is not taken; then all that was found.
    pub fn read_all(&self) -> anyhow::Result<PolicySet> {
        Ok(self.read_texts()?.parse()?)
    }
}

/// A file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unread {
    /// Whose own it is; none for the installation's.
    pub of: Option<TenantId>,
    /// Why, and what to do.
    pub why: String,
}

/// One of the files that the policies are made of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolicyUnit {
    /// The installation's.
    Installation,
    /// A tenant's own.
    Tenant(TenantId),
}

/// The texts of all policies, as they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyTexts {
    /// The installation's.
    pub installation: PolicyFile,
    /// Those of tenants.
    pub tenants: BTreeMap<TenantId, PolicyFile>,
}

impl PolicyTexts {
    /// Checks them as a whole.
    ///
    /// # Errors
    /// [`PolicyErrors`] with everything that was found.
    pub fn parse(&self) -> Result<PolicySet, PolicyErrors> {
        let tenants: Vec<_> =
            self.tenants.iter().map(|(tenant, file)| (tenant.clone(), file.clone())).collect();
        PolicySet::parse(&self.installation, &tenants)
    }

    /// The text of one; empty where there is none.
    #[must_use]
    pub fn text(&self, unit: &PolicyUnit) -> &str {
        self.file(unit).map_or("", |file| file.text.as_str())
    }

    /// What one is called in diagnostics; empty where there is none.
    #[must_use]
    pub fn name(&self, unit: &PolicyUnit) -> &str {
        self.file(unit).map_or("", |file| file.name.as_str())
    }

    fn file(&self, unit: &PolicyUnit) -> Option<&PolicyFile> {
        match unit {
            PolicyUnit::Installation => Some(&self.installation),
            PolicyUnit::Tenant(tenant) => self.tenants.get(tenant),
        }
    }

    /// Which are other texts than these; a tenant's that is on one side only is one.
    #[must_use]
    pub fn changed(&self, before: &Self) -> Vec<PolicyUnit> {
        let tenants: BTreeSet<&TenantId> = self.tenants.keys().chain(before.tenants.keys()).collect();
        let tenants = tenants.into_iter().cloned().map(PolicyUnit::Tenant);
        let text = |texts: &Self, unit: &PolicyUnit| texts.file(unit).map(|file| file.text.clone());
        let all = std::iter::once(PolicyUnit::Installation).chain(tenants);
        all.filter(|unit| text(self, unit) != text(before, unit)).collect()
    }

    /// With one as it is in others.
    #[must_use]
    pub fn with(mut self, unit: &PolicyUnit, others: &Self) -> Self {
        match (unit, others.file(unit)) {
            (PolicyUnit::Installation, _) => self.installation.clone_from(&others.installation),
            (PolicyUnit::Tenant(tenant), Some(file)) => {
                self.tenants.insert(tenant.clone(), file.clone());
            }
            (PolicyUnit::Tenant(tenant), None) => {
                self.tenants.remove(tenant);
            }
        }
        self
    }

    /// The hash of all of them: that of the text where there is but one.
    #[must_use]
    pub fn digest(&self) -> PolicyDigest {
        if self.tenants.is_empty() {
            return PolicyDigest::of(self.installation.text.as_bytes());
        }
        // Each with its length, so that no two sets of texts run into the same bytes.
        let mut all =
            format!("placet/policies/v1\0{}\0{}", self.installation.text.len(), self.installation.text);
        for (tenant, file) in &self.tenants {
            all.push_str(&format!("\0{tenant}\0{}\0{}", file.text.len(), file.text));
        }
        PolicyDigest::of(all.as_bytes())
    }
}

/// Where a policy comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicySource {
    /// The one that comes with Placet.
    Builtin,
    /// A file.
    File(PathBuf),
    /// This text, and what diagnostics call it.
    Text {
        /// What diagnostics call it.
        name: String,
        /// The text.
        text: String,
    },
}

impl PolicySource {
    /// As the settings in this folder name it.
    fn named(name: &str, folder: &Path) -> Self {
        match name {
            "builtin" => Self::Builtin,
            path => Self::File(folder.join(path)),
        }
    }

    /// What it is called in diagnostics.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Builtin => "builtin".to_owned(),
            Self::File(path) => path.display().to_string(),
            Self::Text { name, .. } => name.clone(),
        }
    }

    /// Its text as it is now. `key` is the setting that names it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn text(&self, key: &str) -> anyhow::Result<PolicyFile> {
        let name = self.shown();
        let text = match self {
            Self::Builtin => Policy::builtin_text().to_owned(),
            Self::Text { text, .. } => text.clone(),
            Self::File(path) => std::fs::read_to_string(path).map_err(|error| {
                let message = format!("the policy cannot be read: {}", cause(&error));
                let remedy =
                    format!("`{key}` in the settings names it, from the folder of the settings' file");
                SettingsErrors::of_file(&name, message, remedy)
            })?,
        };
        Ok(PolicyFile { text, name })
    }

    /// Reads and checks it as the only policy.
    ///
    /// # Errors
    /// The file cannot be read, or the policy is not taken; then all that was found in it.
    pub fn read(&self) -> anyhow::Result<Policy> {
        let file = self.text("policy")?;
        Ok(Policy::parse(&file.text, &file.name)?)
    }
}
