//! A policy that is not taken, and who is told of it.

use std::collections::BTreeSet;

use placet::call::PolicyDigest;
use placet::id::TenantId;
use placet::policy::{Diagnostic, PolicyErrors, Severity};
use placet::ports::{EventQuery, RequestStore, StoreError};
use placet::record::{EventKind, Seq};
use placet::time::Timestamp;
use placet_http::PolicyRefused;

use super::agreement::Change;
use crate::settings::{PolicyTexts, PolicyUnit, Unread};
use crate::soundness::Flaw;

/// The types of the events that say which policy was refused, or took force since.
const TYPES: [&str; 2] = ["policy.loaded", "policy.refused"];

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
    found: Vec<Finding>,
    /// Whether files are wrong by themselves: then how many mistakes there are is said last, and warnings stand among them.
    mistakes: bool,
    /// All that was found.
    all: Said,
}

/// One thing that was found.
#[derive(Debug, Clone)]
struct Finding {
    /// Whom it concerns: the tenants whose own file it is about; everybody, where there are none.
    of: BTreeSet<TenantId>,
    is_error: bool,
    /// In one line.
    line: String,
    /// In full.
    shown: String,
}

/// What somebody is told.
#[derive(Debug, Clone, Default)]
struct Said {
    /// In one line.
    summary: String,
    /// In full.
    errors: String,
    count: usize,
}

impl Finding {
    /// What is no mistake in a text.
    fn told(of: Option<&TenantId>, what: &str) -> Self {
        let line = what.lines().next().unwrap_or_default().to_owned();
        Self { of: of.into_iter().cloned().collect(), is_error: true, line, shown: what.to_owned() }
    }

    /// A mistake, or something to warn of, in one of these files.
    fn of(texts: &PolicyTexts, found: &Diagnostic) -> Self {
        let own = texts.tenants.iter().filter(|(_, file)| file.name == found.file);
        // What is the installation's is everybody's, also where a tenant names the same file.
        let own = own.filter(|_| found.file != texts.installation.name);
        Self {
            of: own.map(|(tenant, _)| tenant.clone()).collect(),
            is_error: found.severity == Severity::Error,
            line: format!("{}:{}:{}: {}", found.file, found.line, found.column, found.message),
            shown: found.to_string(),
        }
    }

    fn concerns(&self, tenant: &TenantId) -> bool {
        self.of.is_empty() || self.of.contains(tenant)
    }
}

impl Refused {
    /// People did not agree to it, or could not be asked.
    pub(super) fn not_agreed(change: &Change, why: &str) -> Box<Self> {
        let of = match &change.unit {
            PolicyUnit::Installation => None,
            PolicyUnit::Tenant(tenant) => Some(tenant),
        };
        let found = Finding { line: why.to_owned(), ..Finding::told(of, why) };
        let mut refused = Self::new(Some(change.text_digest), vec![found], false);
        refused.text = Some(change.text.clone());
        // Nothing is wrong with it.
        refused.all.count = 0;
        refused
    }

    /// The files cannot be read.
    pub(super) fn unreadable(why: &Unread) -> Box<Self> {
        Self::new(None, vec![Finding::told(why.of.as_ref(), &why.why)], false)
    }

    /// Something in them is wrong.
    pub(super) fn wrong(texts: &PolicyTexts, errors: &PolicyErrors) -> Box<Self> {
        let found = errors.diagnostics.iter().map(|found| Finding::of(texts, found)).collect();
        Self::about(texts, found, true)
    }

    /// They do not go together with the settings.
    pub(super) fn unsound(texts: &PolicyTexts, errors: &[Flaw]) -> Box<Self> {
        let found = errors.iter().map(|flaw| match flaw {
            Flaw::At(_, found) => Finding::of(texts, found),
            Flaw::Plain(of, told) => Finding::told(of.as_ref(), told),
        });
        let found = found.collect();
        Self::about(texts, found, false)
    }

    fn about(texts: &PolicyTexts, found: Vec<Finding>, mistakes: bool) -> Box<Self> {
        let mut refused = Self::new(Some(texts.digest()), found, mistakes);
        refused.texts = Some(texts.clone());
        refused
    }

    fn new(digest: Option<PolicyDigest>, found: Vec<Finding>, mistakes: bool) -> Box<Self> {
        let all = said(&found.iter().collect::<Vec<_>>(), mistakes);
        Box::new(Self { digest, texts: None, text: None, found, mistakes, all })
    }

    /// What a tenant is told: what concerns everybody, and what is about its own file; none where that is nothing.
    fn said_to(&self, tenant: &TenantId) -> Option<Said> {
        let found: Vec<_> = self.found.iter().filter(|finding| finding.concerns(tenant)).collect();
        found.iter().any(|finding| finding.is_error).then(|| said(&found, self.mistakes))
    }

    /// For whoever looks after the installation.
    pub(super) const fn standing(&self, since: Timestamp) -> PolicyRefused {
        PolicyRefused { digest: self.digest, since, errors_count: self.all.count }
    }

    /// Everything that was found.
    pub(crate) fn all(&self) -> &str {
        &self.all.errors
    }

    /// Tells the log: in the first line where it is wrong and what, for whoever has but lines; then everything that was
    /// found, as it is shown elsewhere.
    pub(super) fn log(&self) {
        let Said { summary, errors, count } = &self.all;
        let more = if errors == summary { String::new() } else { format!("\n{errors}") };
        tracing::error!(
            policy.errors = count,
            "a policy is not taken, and the one before stays in force: {summary}{more}"
        );
    }

    /// Notes it for every tenant whom it concerns, once for each content: with the note, its operators are told.
    pub(super) async fn note(
        &self,
        store: &dyn RequestStore,
        tenants: Vec<TenantId>,
    ) -> Result<(), StoreError> {
        for tenant in tenants {
            let Some(Said { summary, errors, .. }) = self.said_to(&tenant) else { continue };
            let text = self.text_of(&tenant);
            let digest = PolicyDigest::of(text.as_bytes());
            let errors = format!("{summary}\n\n{errors}");
            let kind = EventKind::PolicyRefused { digest, text: text.to_owned(), errors };
            // Another server on the same file may find the same at the same moment: it is told of once.
            loop {
                let (last, read) = last_refused(store, &tenant).await?;
                if last == Some(digest)
                    || store.note_next(tenant.clone(), kind.clone(), (TYPES.to_vec(), read)).await?
                {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The text that a tenant's record holds of it: its own where that is what is wrong, else the installation's, and nobody
    /// else's.
    fn text_of(&self, tenant: &TenantId) -> &str {
        let (Some(texts), None) = (&self.texts, &self.text) else {
            return self.text.as_deref().unwrap_or_default();
        };
        let is_own = self.found.iter().any(|finding| finding.is_error && finding.of.contains(tenant));
        let own = texts.tenants.get(tenant).filter(|_| is_own);
        own.map_or(texts.installation.text.as_str(), |own| own.text.as_str())
    }
}

/// What is said of what was found: of mistakes in files as they are said where a policy is checked.
fn said(found: &[&Finding], mistakes: bool) -> Said {
    let errors: Vec<_> = found.iter().filter(|finding| finding.is_error).collect();
    let first = errors.first().map_or_else(String::new, |first| first.line.clone());
    let count = errors.len();
    let summary = match count {
        0 | 1 => first,
        2 => format!("{first} (and 1 more error)"),
        more => format!("{first} (and {} more errors)", more - 1),
    };
    let shown: Vec<_> = found.iter().map(|finding| finding.shown.as_str()).collect();
    let errors = if mistakes {
        let plural = if count == 1 { "" } else { "s" };
        format!("{}\n\nthe policy is not taken: {count} error{plural}", shown.join("\n\n"))
    } else {
        shown.join("\n")
    };
    Said { summary, errors, count }
}

/// The policy that was refused last for a tenant, unless another took force since; with how far the record was read for it.
async fn last_refused(
    store: &dyn RequestStore,
    tenant: &TenantId,
) -> Result<(Option<PolicyDigest>, Seq), StoreError> {
    let (mut last, mut after) = (None, Seq(0));
    loop {
        let query = EventQuery {
            tenant: Some(tenant.clone()),
            request: None,
            after,
            types: TYPES.to_vec(),
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
            return Ok((last, after));
        }
    }
}
