//! Somebody who may decide changes the arguments first: a new request takes the place of the old one, judged anew, and
//! votes start again.

use std::sync::Arc;

use crate::approval::{Approval, Beside, Command, Edited, Facts, Opened, Opening, Proposal, Refusal};
use crate::call::CanonicalArgs;
use crate::gate::Gate;
use crate::id::{RequestId, TenantId};
use crate::person::{Identity, Standing};
use crate::policy::Tier;
use crate::ports::StoreError;

/// Why an edit was not taken.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// Who wants to edit may not, or the request is past it.
    #[error("the edit was refused: {}", .0.code())]
    Refused(Refusal),
    /// The arguments are those that were there.
    #[error("nothing was changed: the arguments are those that were proposed")]
    Unchanged,
    /// The policy forbids what it would become; the request stays as it is.
    #[error("the policy forbids the edited call: {because}")]
    Forbidden {
        /// Why.
        because: String,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Gate {
    /// Puts a request with these arguments in the place of one that waits. The new one is judged by the policy, and asked
    /// about anew where the policy says so.
    ///
    /// # Errors
    /// [`EditError`]; the old request stays as it is then.
    pub async fn edit(
        &self,
        (tenant, id): (&TenantId, RequestId),
        identity: &Identity,
        args: CanonicalArgs,
    ) -> Result<Approval, EditError> {
        let original = self.parts.store.load(tenant, id).await?;
        if original.proposal.call.args == args {
            return Err(EditError::Unchanged);
        }
        let now = self.parts.clock.now();
        let new = RequestId::mint(now, &*self.parts.entropy);
        let supersede = Command::Supersede { by: new, identity: identity.clone() };
        let facts = self.facts(&original, &supersede).await;
        let name = match facts.electorate.standing(identity) {
            Some(Standing::Member(member)) => member.name.clone(),
            Some(Standing::None(_)) | None => identity.to_string(),
        };
        let proposal = edited(
            &original,
            args,
            Edited { request: id, by: identity.clone(), name, before: original.proposal.call.args.clone() },
        );
        let policy = self.policy_of(tenant);
        let circumstances = self.circumstances(tenant, &policy, &proposal).await?;
        let mut verdict = policy.judge(&proposal, &circumstances);
        if verdict.tier == Tier::Forbid {
            return Err(EditError::Forbidden { because: verdict.because().to_owned() });
        }
        let judgement = self.judgement(tenant, &mut verdict);
        let opening = Opening {
            tenant: tenant.clone(),
            id: new,
            key: None,
            proposal: Arc::new(proposal),
            judgement,
            claim: None,
            facts: Facts::none(now),
            beside: Some(Beside::Replace { request: id, identity: identity.clone(), facts: Box::new(facts) }),
        };
        match self.parts.store.open(opening).await? {
            Opened::New(approval) | Opened::Same(approval) => {
                self.parts.wakes.changed([id, new]);
                Ok(approval)
            }
            Opened::Refused { refusal, .. } => Err(EditError::Refused(refusal)),
            Opened::Conflict { .. } => {
                Err(StoreError::Contradiction("an edit under a key that is taken".to_owned()).into())
            }
        }
    }
}

/// The same proposal with other arguments. What was previewed, and what the preview read, was about the old ones.
fn edited(original: &Approval, args: CanonicalArgs, edited: Edited) -> Proposal {
    let mut proposal = (*original.proposal).clone();
    proposal.call.args = args;
    proposal.call.preconditions.clear();
    proposal.preview = None;
    proposal.follows = None;
    proposal.edited = Some(edited);
    proposal
}
