//! Somebody who may decide changes the arguments first: a new request takes the place of the old one, judged anew, and
//! votes start again. Their own does not count then, unless the policy lets who asks approve.

use std::sync::Arc;

use crate::approval::{Approval, Command, Edited, Facts, Opened, Opening, Proposal, Refusal, Replaces};
use crate::call::CanonicalArgs;
use crate::gate::Gate;
use crate::gate::propose::POLICY_TRIES;
use crate::id::{RequestId, TenantId};
use crate::person::{Identity, Standing};
use crate::policy::{Policy, Tier};
use crate::ports::{Mismatch, StoreError};

/// Why an edit was not taken.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// Who wants to edit may not, or the request is past it.
    #[error("the edit was refused: {}", .0.code())]
    Refused(Refusal),
    /// The arguments are those that were there.
    #[error("nothing was changed: the arguments are those that were proposed")]
    Unchanged,
    /// The tool does not take these arguments; the request stays as it is.
    #[error("the tool's schema does not allow the arguments: {}", .0.iter().map(Mismatch::path).collect::<Vec<_>>().join(", "))]
    Mismatched(Vec<Mismatch>),
    /// The policy forbids what it would become; the request stays as it is.
    #[error("the policy forbids the edited call: {because}")]
    Forbidden {
        /// Why.
        because: String,
    },
    /// Nobody but who wants to edit could approve what it would become; the request stays as it is.
    #[error("nobody else could approve the edited call")]
    NobodyElse,
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
        let new = RequestId::mint(self.parts.clock.now(), &*self.parts.entropy);
        let mut tries = 0;
        let opening = loop {
            let policy = self.policy_of(tenant);
            let opening = self.in_its_place((&original, new), (identity, &args), &policy).await;
            tries += 1;
            // What took force while something was read decides about who edits, and about what becomes of it.
            if self.is_in_force(tenant, &policy) || tries >= POLICY_TRIES {
                break opening?;
            }
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

    /// Whether it is known what the tool of a request takes, so that other arguments are held to it.
    #[must_use]
    pub fn knows_what_it_takes(&self, approval: &Approval) -> bool {
        self.parts.schemas.is_known(&approval.proposal.call)
    }

    /// The request that takes the place of the original, as this policy judges it.
    async fn in_its_place(
        &self,
        (original, new): (&Approval, RequestId),
        (identity, args): (&Identity, &CanonicalArgs),
        policy: &Policy,
    ) -> Result<Opening, EditError> {
        let (tenant, id) = (&original.tenant, original.id);
        let supersede = Command::Supersede { by: new, identity: identity.clone() };
        let facts = self.facts(original, &supersede).await;
        let now = self.parts.clock.now();
        // Who may not edit it is told that, and nothing of what the policy would say.
        let may = original.decide(&supersede, &facts, now).is_ok();
        let name = match facts.electorate.standing(identity) {
            Some(Standing::Member(member)) => member.name.clone(),
            Some(Standing::None(_)) | None => identity.to_string(),
        };
        let proposal = edited(original, args.clone(), edit_of(original, identity, name));
        // What the tool does not take would only fail once people have decided it.
        if may
            && let Some(mismatches) = self.parts.schemas.check(&proposal.call)
            && !mismatches.is_empty()
        {
            return Err(EditError::Mismatched(mismatches));
        }
        let circumstances = self.circumstances(tenant, policy, &proposal).await?;
        let mut verdict = policy.judge(&proposal, &circumstances);
        if may && verdict.tier == Tier::Forbid {
            return Err(EditError::Forbidden { because: verdict.because().to_owned() });
        }
        // Whoever made it cannot approve it: where nobody else can, nobody would ever answer.
        if may
            && let Some(terms) = &verdict.terms
            && !policy.can_be_approved(&proposal, terms, now)
        {
            return Err(EditError::NobodyElse);
        }
        let judgement = self.judgement(tenant, &mut verdict);
        Ok(Opening {
            tenant: tenant.clone(),
            id: new,
            key: None,
            proposal: Arc::new(proposal),
            judgement,
            claim: None,
            facts: Facts::none(now),
            guards: None,
            replaces: Some(Replaces { request: id, identity: identity.clone(), facts }),
        })
    }
}

/// Whose edit it is, on top of those before: everybody who made it what it is stays behind it, and people see all of what
/// was changed.
fn edit_of(original: &Approval, by: &Identity, name: String) -> Edited {
    let before = original.proposal.edited.as_ref();
    Edited {
        request: original.id,
        by: by.clone(),
        name,
        before: before.map_or(&original.proposal.call.args, |edited| &edited.before).clone(),
        earlier: before.into_iter().flat_map(Edited::editors).cloned().collect(),
        // Who could read what it was at first: whoever is asked about an edit of it since has not come to that by being asked.
        confidential: before
            .and_then(|edited| edited.confidential.clone())
            .or_else(|| original.is_confidential().then(|| original.readers())),
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
