//! Who somebody is, apart from any request: for what people may ask of Placet beside deciding.

use std::collections::BTreeSet;

use crate::gate::Gate;
use crate::id::{Role, TenantId};
use crate::person::{Identity, Standing};

impl Gate {
    /// What an account is worth now by its tenant's policy, with every role that it has there. An account whose roles
    /// cannot all be read, and that has none of those that can, is told to be unreadable.
    pub async fn who_is(&self, tenant: &TenantId, identity: &Identity) -> Standing {
        let policy = self.policy_of(tenant);
        let people = policy.people();
        let own = people.all().iter().flat_map(|known| known.member.roles.iter().cloned());
        let grouped = people.groups().iter().flat_map(|group| group.roles.iter().cloned());
        let on_call = people.schedules().iter().map(|schedule| schedule.role.clone());
        let roles: BTreeSet<Role> = own.chain(grouped).chain(on_call).collect();
        let roles: Vec<Role> = roles.into_iter().collect();
        self.standing((tenant, &policy), identity, &roles).await
    }
}
