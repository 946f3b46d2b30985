//! Facts: read outside, dated, and handed to the decision as data.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::join_all;

use crate::approval::state::Approved;
use crate::approval::{Approval, ApprovedBy, Command, Facts, Inside, State};
use crate::gate::Gate;
use crate::person::{Electorate, FACTS_AGE_MAX, Identity, Standing};
use crate::policy::Circumstances;
use crate::ports::Account;
use crate::time::{Timestamp, Ttl};

/// How old facts may be when they are fetched for a decision: half of what the decision allows, so that they are
/// still fresh when it is taken.
const FETCH_AGE_MAX: Ttl = Ttl::from_secs(30);

impl Gate {
    /// The facts for a command, fetched where they are not at hand.
    pub(super) async fn facts(&self, approval: &Approval, command: &Command) -> Facts {
        let identities = deciding(approval, command);
        let directory = &self.parts.directory;
        let accounts =
            join_all(identities.iter().map(|identity| directory.account(identity, FETCH_AGE_MAX))).await;
        self.made(approval, command, identities.into_iter().zip(accounts))
    }

    /// The facts for a command, if all are at hand and fresh; never waits.
    pub(super) fn facts_at_hand(&self, approval: &Approval, command: &Command) -> Option<Facts> {
        let directory = &self.parts.directory;
        let accounts = deciding(approval, command).into_iter().map(|identity| {
            let account = directory.account_at_hand(&identity, FACTS_AGE_MAX)?;
            Some((identity, account))
        });
        let accounts: Option<Vec<_>> = accounts.collect();
        Some(self.made(approval, command, accounts?))
    }

    fn made(
        &self,
        approval: &Approval,
        command: &Command,
        accounts: impl IntoIterator<Item = (Identity, Account)>,
    ) -> Facts {
        let policy = self.policy_of(&approval.tenant);
        let now = Circumstances::at(self.parts.clock.now());
        let mut as_of: Option<Timestamp> = None;
        let mut standings: BTreeMap<Identity, Standing> = BTreeMap::new();
        for (identity, account) in accounts {
            as_of = Some(as_of.map_or(account.as_of, |oldest| oldest.min(account.as_of)));
            let standing = policy.people().standing(&identity, &account.state);
            standings.insert(identity, standing);
        }
        // Who asked is barred from deciding whatever became of their accounts, so that those are only looked up.
        for identity in approval.proposal.requester.identities.iter().filter(|_| command.rests_on_accounts())
        {
            standings.entry(identity.clone()).or_insert_with(|| policy.people().resolve(identity));
        }
        let claims = matches!(command, Command::Claim(_));
        let as_of = as_of.unwrap_or_else(|| self.parts.clock.now());
        Facts {
            electorate: Electorate { as_of, standings },
            stewards: policy.stewards().to_vec(),
            glass_breakers: policy.stewards().to_vec(),
            frozen: None,
            inside: Inside::default(),
            forbidden: claims.then(|| policy.forbids(&approval.proposal, &now)).flatten(),
            today: claims.then(|| Arc::new(policy.judge(&approval.proposal, &now))),
        }
    }
}

/// The accounts whose word an answer to this command rests on: those must be in good order.
fn deciding(approval: &Approval, command: &Command) -> Vec<Identity> {
    if !command.rests_on_accounts() {
        return Vec::new();
    }
    let voters = approval.votes.iter().map(|vote| vote.identity.clone());
    let mut identities: Vec<Identity> = voters.chain(command.account()).collect();
    if let State::Approved(Approved { by: ApprovedBy::BreakGlass { by, .. }, .. }) = &approval.state {
        identities.push(by.clone());
    }
    identities.sort();
    identities.dedup();
    identities
}
