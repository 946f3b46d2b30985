//! What ran unasked: counted, and told every day where the policy says so.

use crate::approval::OutcomeKind;
use crate::gate::{Digest, DigestTool, Gate};
use crate::id::TenantId;
use crate::notice::{Message, Notice, Recipient};
use crate::policy::{DigestPlan, Place};
use crate::ports::store::StoreError;
use crate::ports::{DigestRow, UnaskedQuery};
use crate::time::Timestamp;

/// The most rows that are read: a row is a tool with a way of running and an end, of which an installation has hundreds.
const ROWS_MAX: u32 = 10_000;

impl Gate {
    /// What of a tenant's calls ran without anybody having been asked, of those that were begun within this time. It tells
    /// of the whole tenant: who may read it is for the caller to see to.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn digest(
        &self,
        tenant: &TenantId,
        (since, until): (Timestamp, Timestamp),
    ) -> Result<Digest, StoreError> {
        let query = UnaskedQuery { tenant: tenant.clone(), since, until, limit: ROWS_MAX };
        let mut tools: Vec<DigestTool> = Vec::new();
        for row in self.parts.store.ran_unasked(query).await? {
            let same = tools.iter_mut().find(|tool| tool.tool == row.tool);
            let tool = match same {
                Some(tool) => tool,
                None => {
                    let new = DigestTool { tool: row.tool, ran: Vec::new(), failed: 0, unknown: 0 };
                    tools.push(new);
                    let Some(new) = tools.last_mut() else { continue };
                    new
                }
            };
            match tool.ran.iter_mut().find(|(how, _)| *how == row.how) {
                Some((_, count)) => *count += row.count,
                None => tool.ran.push((row.how, row.count)),
            }
            match row.outcome {
                Some(OutcomeKind::Failed) => tool.failed += row.count,
                Some(OutcomeKind::Unknown) => tool.unknown += row.count,
                Some(OutcomeKind::Succeeded) | None => {}
            }
        }
        tools.iter_mut().for_each(|tool| tool.ran.sort_unstable());
        tools.sort_by(|one, other| {
            let key = |tool: &DigestTool| (tool.failed + tool.unknown > 0, tool.calls());
            key(other).cmp(&key(one)).then_with(|| one.tool.cmp(&other.tool))
        });
        Ok(Digest { tenant: tenant.clone(), since, until, tools })
    }

    /// Sees to it that everywhere people are told what ran unasked, where the policy says so and it is time: once a day for
    /// each tenant, whoever looks first. What was missed while nobody looked is told once, as one. Says how many it told.
    ///
    /// Where none was told yet, the first tells from the last time that it would have been told: only that is noted before.
    pub(super) async fn tell_digests(&self) -> Result<usize, StoreError> {
        let policies = self.parts.policy.now();
        let mut all = std::iter::once(policies.installation()).chain(policies.tenants().map(|(_, own)| own));
        if all.all(|policy| policy.digest_plan().is_none()) {
            return Ok(0);
        }
        let now = self.parts.clock.now();
        let mut done = 0;
        for (tenant, last) in self.parts.store.digests().await? {
            let policy = policies.of(&tenant);
            let Some((plan, due)) = policy.digest_plan().zip(policy.digest_due(now)) else { continue };
            let row = DigestRow { tenant: tenant.clone(), day: due.day.to_string(), until: due.until };
            let messages = match &last {
                // By text as well as by time: the day has four digits, then two, then two.
                Some(last) if last.day >= row.day || last.until >= row.until => continue,
                Some(last) => self.digest_messages(&tenant, plan, (due.since(last.until), due.until)),
                None => Vec::new(),
            };
            if self.parts.store.keep_digest(row, messages).await? {
                done += 1;
            }
        }
        Ok(done)
    }

    /// One message for each place that this tenant has.
    fn digest_messages(
        &self,
        tenant: &TenantId,
        plan: &DigestPlan,
        (since, until): (Timestamp, Timestamp),
    ) -> Vec<Message> {
        let has = |place: &&Place| {
            let mut surfaces = self.parts.surfaces.iter();
            surfaces.any(|surface| *surface.name() == place.surface && surface.serves(tenant))
        };
        let message = |place: &Place| {
            let notice = Notice::Digest { since, until, digest: None };
            Message::new(tenant.clone(), Recipient::Place(place.clone()), notice)
        };
        plan.places().iter().filter(has).map(message).collect()
    }
}
