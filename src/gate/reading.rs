//! Who may read a confidential call in full: decided here, by role, for every surface.

use crate::approval::{Approval, Refusal};
use crate::gate::Gate;
use crate::id::Role;
use crate::person::{Identity, Standing};

impl Gate {
    /// Whether this account may read the whole call. Of one that is not confidential everybody may who can see its card; of
    /// one that is, who may ever be asked about it, who looks after the installation, and who asked.
    ///
    /// # Errors
    /// A [`Refusal`] that says who may.
    pub async fn may_read(&self, approval: &Approval, identity: &Identity) -> Result<(), Refusal> {
        if !approval.is_confidential() || approval.proposal.requester.identities.contains(identity) {
            return Ok(());
        }
        let policy = self.policy_of(&approval.tenant);
        let mut roles: Vec<Role> = approval.readers();
        roles.extend(
            policy.stewards().iter().filter(|role| !roles.contains(role)).cloned().collect::<Vec<_>>(),
        );
        match self.standing((&approval.tenant, &policy), identity, &roles).await {
            Standing::Member(member) if roles.iter().any(|role| member.roles.contains(role)) => Ok(()),
            Standing::Member(_) => Err(Refusal::NotAllowed { needs: roles }),
            Standing::None(why) => Err(Refusal::NoStanding(why)),
        }
    }
}
