//! A policy that is not taken, and who is told of it.

use std::collections::BTreeSet;

use placet::call::PolicyDigest;
use placet::id::TenantId;
use placet::policy::{PolicyErrors, Severity};
use placet::ports::{EventQuery, RequestStore, StoreError};
use placet::record::{EventKind, Seq};
use placet::time::Timestamp;
use placet_http::PolicyRefused;

use super::agreement::Change;
use crate::settings::{PolicyTexts, PolicyUnit};

/// Events that are read at once: each holds a policy's text.
const AT_ONCE: u32 = 16;

/// A policy that is not taken, and why.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    /// The hash of all texts; none where they cannot be read.
    pub(super) digest: Option<PolicyDigest>,
    texts: Option<PolicyTexts>,
    /// The one text that is refused, where it is but one.
    text: Option<String>,
    /// In one line.
    summary: String,
    /// All that was found.
    errors: String,
    count: usize,
    /// The tenants whose own files are wrong; none where the installation's is, which is everybody's.
    of: Option<BTreeSet<TenantId>>,
}

impl Refused {
    /// People did not agree to it, or could not be asked.
    pub(super) fn not_agreed(change: &Change, why: &str) -> Box<Self> {
        let of = match &change.unit {
            PolicyUnit::Installation => None,
            PolicyUnit::Tenant(tenant) => Some(BTreeSet::from([tenant.clone()])),
        };
        let text = Some(change.text.clone());
        let (summary, errors) = (why.to_owned(), why.to_owned());
        Box::new(Self { digest: Some(change.text_digest), texts: None, text, summary, errors, count: 0, of })
    }

    /// The files cannot be read.
    pub(super) fn unreadable(why: &str) -> Box<Self> {
        let summary = why.lines().next().unwrap_or_default().to_owned();
        Box::new(Self {
            digest: None,
            texts: None,
            text: None,
            summary,
            errors: why.to_owned(),
            count: 1,
            of: None,
        })
    }

    /// Something in them is wrong.
    pub(super) fn wrong(texts: &PolicyTexts, errors: &PolicyErrors) -> Box<Self> {
        let found: Vec<_> =
            errors.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
        let first = found.first().map_or_else(String::new, |first| {
            format!("{}:{}:{}: {}", first.file, first.line, first.column, first.message)
        });
        let files: BTreeSet<&str> = found.iter().map(|found| found.file.as_str()).collect();
        let whose = texts.tenants.iter().filter(|(_, file)| files.contains(file.name.as_str()));
        let whose: BTreeSet<TenantId> = whose.map(|(tenant, _)| tenant.clone()).collect();
        let everybodys = whose.is_empty() || files.contains(texts.installation.name.as_str());
        Self::new(texts, (first, found.len()), errors.to_string(), (!everybodys).then_some(whose))
    }

    /// They do not go together with the settings.
    pub(super) fn unsound(texts: &PolicyTexts, errors: &[String]) -> Box<Self> {
        let first = errors.first().cloned().unwrap_or_default();
        Self::new(texts, (first, errors.len()), errors.join("\n"), None)
    }

    fn new(
        texts: &PolicyTexts,
        (first, count): (String, usize),
        errors: String,
        of: Option<BTreeSet<TenantId>>,
    ) -> Box<Self> {
        let summary = match count {
            0 | 1 => first,
            2 => format!("{first} (and 1 more error)"),
            more => format!("{first} (and {} more errors)", more - 1),
        };
        Box::new(Self {
            digest: Some(texts.digest()),
            texts: Some(texts.clone()),
            text: None,
            summary,
            errors,
            count,
            of,
        })
    }

    /// For whoever looks after the installation.
    pub(super) const fn standing(&self, since: Timestamp) -> PolicyRefused {
        PolicyRefused { digest: self.digest, since, errors_count: self.count }
    }

    /// Everything that was found.
    pub(crate) fn all(&self) -> &str {
        &self.errors
    }

    /// A line for the log, and everything that was found.
    pub(super) fn log(&self) {
        tracing::error!(
            policy.errors = self.count,
            "a policy is not taken, and the one before stays in force: {}",
            self.errors
        );
    }

    /// Notes it for every tenant whom it concerns, once for each content: with the note, its operators are told.
    pub(super) async fn note(
        &self,
        store: &dyn RequestStore,
        tenants: Vec<TenantId>,
    ) -> Result<(), StoreError> {
        let concerned = |tenant: &TenantId| self.of.as_ref().is_none_or(|of| of.contains(tenant));
        for tenant in tenants.into_iter().filter(concerned) {
            // A tenant's record holds its own text and the installation's, and nobody else's.
            let own = self.texts.as_ref().and_then(|texts| texts.tenants.get(&tenant));
            let text = match (&self.text, own, &self.texts) {
                (Some(text), _, _) => text.as_str(),
                (None, Some(own), _) if self.of.is_some() => own.text.as_str(),
                (None, _, Some(texts)) => texts.installation.text.as_str(),
                (None, _, None) => "",
            };
            let digest = PolicyDigest::of(text.as_bytes());
            if last_refused(store, &tenant).await? == Some(digest) {
                continue;
            }
            let errors = format!("{}\n\n{}", self.summary, self.errors);
            store.note(tenant, EventKind::PolicyRefused { digest, text: text.to_owned(), errors }).await?;
        }
        Ok(())
    }
}

/// The policy that was refused last for a tenant, unless another took force since.
async fn last_refused(
    store: &dyn RequestStore,
    tenant: &TenantId,
) -> Result<Option<PolicyDigest>, StoreError> {
    let (mut last, mut after) = (None, Seq(0));
    loop {
        let query = EventQuery {
            tenant: Some(tenant.clone()),
            request: None,
            after,
            types: vec!["policy.loaded", "policy.refused"],
            limit: AT_ONCE,
        };
        let read = store.events(query).await?;
        let full = read.len() == AT_ONCE as usize;
        for (seq, event) in read {
            after = seq;
            last = match event.kind {
                EventKind::PolicyRefused { digest, .. } => Some(digest),
                _ => None,
            };
        }
        if !full {
            return Ok(last);
        }
    }
}
