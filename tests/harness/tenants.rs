//! Tenants with policies of their own at the desk.

use std::sync::PoisonError;

use anyhow::{Result, bail, ensure};
use axum::http::Method;
use placet::id::TenantId;
use placet::record::Event;
use placet_server::Look;

use crate::desk::Desk;
use crate::http::Ask;

impl Desk {
    /// Gives tenants policies of their own, and starts Placet again with them.
    ///
    /// # Errors
    /// If it does not start again, or does not take the policies.
    pub async fn has_tenant_policies(&self, policies: &[(&str, &str)]) -> Result<()> {
        {
            let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
            tenants.extend(policies.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
        }
        self.restart().await?;
        self.has_taken_its_policies().await
    }

    /// Placet started with the policies that its files say: where they are wrong it goes on with those before, and what
    /// follows would be about another policy than it says.
    pub(crate) async fn has_taken_its_policies(&self) -> Result<()> {
        let ready = self.sends(Ask::new(Method::GET, "/readyz")).await?.json()?;
        let Some(refused) = ready["policy"].get("refused") else { return Ok(()) };
        let checked = self.settings()?.policy.read_all().err();
        bail!(
            "the policy is not taken: {refused} {}",
            checked.map_or_else(String::new, |why| why.to_string())
        )
    }

    /// Changes a tenant's own policy, and lets Placet find it.
    ///
    /// # Errors
    /// If the tenant has none, the file cannot be written, or the store fails.
    pub async fn changes_policy_of(
        &self,
        tenant: &str,
        change: impl FnOnce(&str) -> String + Send,
    ) -> Result<()> {
        self.writes_policy_of(tenant, change)?;
        self.looks_at_policies().await
    }

    /// Writes the file of a tenant's own policy, and nothing else.
    ///
    /// # Errors
    /// If the tenant has none, or the file cannot be written.
    pub fn writes_policy_of(&self, tenant: &str, change: impl FnOnce(&str) -> String) -> Result<()> {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(text) = tenants.get_mut(tenant) else { bail!("{tenant} has no policy") };
        let changed = change(text);
        ensure!(changed != *text, "the policy of {tenant} does not change");
        *text = changed;
        Ok(std::fs::write(self.folder().join(file_of(tenant)), text.as_str())?)
    }

    /// Lets Placet find what was written: with the second look, once nobody writes it any more.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn looks_at_policies(&self) -> Result<()> {
        for _ in 0..2 {
            self.app()?.policies.look(Look::Routine).await?;
        }
        self.work_until_idle().await
    }

    /// Events of a tenant that belong to no request, of one type.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn notes_of(&self, tenant: &str, kind: &'static str) -> Result<Vec<Event>> {
        let events =
            placet_server::all_events(&self.store()?, Some(&TenantId::new(tenant)?), &[kind]).await?;
        Ok(events.into_iter().map(|(_, event)| event).collect())
    }

    /// Writes the tenants' policies, and gives what the settings say of them.
    pub(crate) fn tenants_settings(&self) -> Result<String> {
        let tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let mut settings = String::new();
        for (tenant, text) in tenants.iter() {
            let file = file_of(tenant);
            std::fs::write(self.folder().join(&file), text)?;
            settings.push_str(&format!("\n[tenants.{tenant}]\npolicy = \"{file}\"\n"));
        }
        Ok(settings)
    }
}

/// What the file of a tenant's policy is called.
fn file_of(tenant: &str) -> String {
    format!("{tenant}.toml")
}
