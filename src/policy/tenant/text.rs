//! Two files as one text: so that one digest is of both, and the record keeps both.

use crate::id::TenantId;

/// How the text of two files begins; a file of its own cannot begin so.
pub(in super::super) const BEGIN: &str = "# placet: the installation's policy and that of tenant ";

/// Both texts, behind a line that says where each ends.
pub(super) fn of_both(tenant: &TenantId, installation: &str, own: &str) -> String {
    format!("{BEGIN}{tenant}, {} and {} bytes\n{installation}{own}", installation.len(), own.len())
}

/// The tenant, the installation's text and the tenant's; none if this is the text of one file.
pub(super) fn apart(text: &str) -> Option<(TenantId, &str, &str)> {
    let (first, texts) = text.strip_prefix(BEGIN)?.split_once('\n')?;
    let (tenant, sizes) = first.rsplit_once(", ")?;
    let (installation, own) = sizes.strip_suffix(" bytes")?.split_once(" and ")?;
    let (installation, own): (usize, usize) = (installation.parse().ok()?, own.parse().ok()?);
    let (first, second) = texts.split_at_checked(installation)?;
    (second.len() == own).then_some(())?;
    Some((TenantId::new(tenant).ok()?, first, second))
}
