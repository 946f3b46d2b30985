//! Who calls: a bearer token becomes a principal, and a handler that needs a right names it in its arguments.
//!
//! What always holds: every way in which a credential can be no good gives the same answer; the tenant, the agent and
//! the voter come from the credential and from nowhere else; the store is asked each time, so that a revocation holds
//! at once.

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use placet::approval::{Actor, Approval, Requester};
use placet::call::ContentHash;
use placet::id::TenantId;
use placet::person::{Identity, IdentityError, Standing};
use placet::ports::store::Scope;
use placet::ports::{CredentialRow, Entropy};

use crate::limits::TOKEN_CHARS_MAX;
use crate::parts::App;
use crate::problem::{Code, Problem};

/// How a token begins, so that scanners of leaked secrets know it.
pub const TOKEN_PREFIX: &str = "plt_";

/// A new token: the text that its holder gets, once. Keep only its [`token_hash`].
#[must_use]
pub fn new_token(entropy: &dyn Entropy) -> String {
    let mut secret = [0_u8; 32];
    entropy.fill(&mut secret);
    format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(secret))
}

/// What is kept of a token: SHA-256 of its whole text, prefix included.
#[must_use]
pub fn token_hash(token: &str) -> ContentHash {
    ContentHash::of(token.as_bytes())
}

/// Whoever a valid credential belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Principal {
    row: CredentialRow,
    /// Whether propose and decide were taken away because they exclude each other.
    conflict: bool,
}

impl Principal {
    pub(crate) const fn tenant(&self) -> &TenantId {
        &self.row.tenant
    }

    pub(crate) const fn row(&self) -> &CredentialRow {
        &self.row
    }

    /// Whether it may do this now.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        let excluded = self.conflict && matches!(scope, Scope::Propose | Scope::Decide);
        self.row.may(scope) && !excluded
    }

    pub(crate) fn may_any(&self, scopes: &[Scope]) -> bool {
        scopes.iter().any(|scope| self.may(*scope))
    }

    /// The account that it votes and asks as.
    pub(crate) fn identity(&self) -> Result<Identity, Problem> {
        Identity::credential(self.row.id.as_str()).map_err(|IdentityError| {
            Problem::new(Code::Internal, "the credential's id names no account; create another one")
        })
    }

    /// What people call the holder of this credential: the policy's name for them, or the credential's own.
    pub(crate) fn name(&self, app: &App) -> String {
        let known = self.identity().ok().and_then(|identity| name_of(app, self.tenant(), &identity));
        known.unwrap_or_else(|| self.row.id.to_string())
    }

    /// Who asks, with this credential and for nobody else.
    pub(crate) fn requester(&self, app: &App) -> Result<Requester, Problem> {
        let (credential, identities) = (self.row.id.clone(), vec![self.identity()?]);
        Ok(Requester { credential, identities, shown_as: self.name(app) })
    }

    pub(crate) fn as_agent(&self) -> Actor {
        Actor::Agent(self.row.id.clone())
    }

    pub(crate) fn as_executor(&self) -> Actor {
        Actor::Executor(self.row.id.clone())
    }

    pub(crate) fn as_manager(&self) -> Actor {
        Actor::Manager(self.row.id.clone())
    }

    /// As whoever stops calls: a managing credential by itself, any other as the person who holds it.
    pub(crate) fn as_stopper(&self) -> Result<Actor, Problem> {
        if self.may(Scope::Manage) { Ok(self.as_manager()) } else { self.identity().map(Actor::Account) }
    }

    /// Whether it may know of this request of its tenant: an agent knows its own.
    pub(crate) fn may_see(&self, approval: &Approval) -> bool {
        let own = approval.proposal.requester.credential == self.row.id
            || approval.proposal.call.agent == self.row.agent;
        own || self.may_any(&[Scope::Execute, Scope::Decide, Scope::Audit, Scope::Manage])
    }

    /// Whether it still holds: for answers that take long.
    ///
    /// # Errors
    /// The problem to answer with.
    pub(crate) async fn recheck(&self, app: &App) -> Result<(), Problem> {
        let row = app.gate.store().credential(self.row.secret_hash).await?;
        match row {
            Some(row) if row.is_valid(app.now()) && row.scopes == self.row.scopes => Ok(()),
            Some(_) | None => Err(Problem::unauthorized()),
        }
    }
}

/// What the policy calls whoever has this account, if it is exactly one person.
pub(crate) fn name_of(app: &App, tenant: &TenantId, identity: &Identity) -> Option<String> {
    match app.gate.policy_of(tenant).people().resolve(identity) {
        Standing::Member(member) => Some(member.name),
        Standing::None(_) => None,
    }
}

/// A right that a handler asks for: any one of some scopes.
pub(crate) trait Right: Send + Sync + 'static {
    const ANY_OF: &'static [Scope];
}

macro_rules! rights {
    ($($(#[$doc:meta])* $name:ident: $($scope:ident)|+;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub(crate) enum $name {}
        impl Right for $name {
            const ANY_OF: &'static [Scope] = &[$(Scope::$scope),+];
        }
    )*};
}

rights! {
    /// To propose calls and withdraw them, and to talk to the agent.
    Proposing: Propose;
    /// To claim and report.
    Executing: Execute;
    /// To vote.
    Deciding: Decide;
    /// To read the record.
    Auditing: Audit;
    /// To stop calls, take back what was approved or remembered, and settle: stewards with their own credential may, too.
    Stopping: Decide | Manage;
    /// To read policies.
    ReadingPolicy: Audit | Manage;
    /// To read one request, in the form that the scope allows.
    ReadingOne: Propose | Execute | Decide | Audit | Manage;
    /// To read all requests and decisions of the tenant.
    ReadingMany: Decide | Audit | Manage;
}

/// A caller who has the right. A handler that takes one cannot be reached without.
#[derive(Debug, Clone)]
pub(crate) struct Caller<R> {
    principal: Principal,
    right: PhantomData<R>,
}

impl<R> Caller<R> {
    pub(crate) fn into_principal(self) -> Principal {
        self.principal
    }
}

impl<R> std::ops::Deref for Caller<R> {
    type Target = Principal;
    fn deref(&self) -> &Principal {
        &self.principal
    }
}

impl<R: Right> FromRequestParts<App> for Caller<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let token = bearer(&parts.headers).map_err(NoBearer::problem)?;
        let row = app.gate.store().credential(token_hash(token)).await?;
        let row = row.filter(|row| row.is_valid(app.now())).ok_or_else(Problem::unauthorized)?;
        let conflict =
            row.may(Scope::Propose) && row.may(Scope::Decide) && !app.gate.policy_of(&row.tenant).is_solo();
        let principal = Principal { row, conflict };
        if principal.may_any(R::ANY_OF) {
            return Ok(Self { principal, right: PhantomData });
        }
        Err(if R::ANY_OF.iter().any(|scope| principal.row.may(*scope)) {
            Problem::new(
                Code::ScopesConflict,
                "this credential may both propose and decide, which only the policy's solo profile allows; use one \
                 credential for each",
            )
        } else {
            let needs: Vec<_> = R::ANY_OF.iter().map(|scope| scope.name()).collect();
            Problem::new(
                Code::ScopeMissing,
                format!(
                    "this needs a credential with the scope {}; `placet token create` makes one",
                    needs.join(" or ")
                ),
            )
        })
    }
}

/// Why a call carries no token of ours. Each is of the form of the call, which whoever sent it knows: nothing is told of any
/// credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoBearer {
    /// There is no such header.
    NoHeader,
    /// There are several.
    Several,
    /// It does not begin with `Bearer `.
    OtherScheme,
    /// What follows is no token of ours.
    OtherForm,
}

impl NoBearer {
    fn problem(self) -> Problem {
        match self {
            Self::NoHeader => Problem::no_bearer("there is no Authorization header"),
            Self::Several => Problem::no_bearer("there are several Authorization headers"),
            Self::OtherScheme => Problem::no_bearer("the Authorization header is not of the scheme Bearer"),
            Self::OtherForm => Problem::unauthorized(),
        }
    }
}

/// The one bearer token of a request (RFC 6750, section 2.1), if it has the form of ours.
fn bearer(headers: &HeaderMap) -> Result<&str, NoBearer> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().ok_or(NoBearer::NoHeader)?;
    if values.next().is_some() {
        return Err(NoBearer::Several);
    }
    let text = value.to_str().map_err(|_| NoBearer::OtherForm)?.trim();
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(NoBearer::OtherScheme);
    }
    let token = token.trim_start_matches(' ');
    let ours = token.starts_with(TOKEN_PREFIX)
        && token.len() <= TOKEN_CHARS_MAX
        && token.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if ours { Ok(token) } else { Err(NoBearer::OtherForm) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        bearer(&headers).ok().map(ToOwned::to_owned)
    }

    #[test]
    fn one_bearer_token_of_our_form_or_none() {
        assert_eq!(of(&["Bearer plt_abc-_9"]).as_deref(), Some("plt_abc-_9"));
        assert_eq!(of(&["bearer  plt_abc"]).as_deref(), Some("plt_abc"));
        for bad in
            ["", "plt_abc", "Basic plt_abc", "Bearer abc", "Bearer plt_a b", "Bearer plt_a,plt_b", "Bearer"]
        {
            assert_eq!(of(&[bad]), None, "{bad}");
        }
        assert_eq!(of(&["Bearer plt_a", "Bearer plt_a"]), None, "two headers are no header");
        assert_eq!(of(&[&format!("Bearer plt_{}", "a".repeat(200))]), None);
    }

    /// What is wrong with the form of a call is told; nothing is told of what a token is worth.
    #[test]
    fn a_call_without_a_token_is_told_what_it_lacks() {
        let of = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, value.parse().unwrap());
            }
            bearer(&headers).unwrap_err()
        };
        assert_eq!(of(&[]), NoBearer::NoHeader);
        assert_eq!(of(&["Bearer plt_a", "Bearer plt_a"]), NoBearer::Several);
        for other in ["Basic plt_abc", "plt_abc", "Token plt_abc"] {
            assert_eq!(of(&[other]), NoBearer::OtherScheme, "{other}");
        }
        for unlike in ["Bearer", "Bearer abc", "Bearer plt_a b"] {
            assert_eq!(of(&[unlike]), NoBearer::OtherForm, "{unlike}");
        }
        assert_eq!(NoBearer::OtherForm.problem().body(), Problem::unauthorized().body());
        let detail = NoBearer::NoHeader.problem().body()["detail"].clone();
        assert!(detail.as_str().unwrap().starts_with("there is no Authorization header; send "), "{detail}");
    }

    struct Ones;
    impl Entropy for Ones {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0xff);
        }
    }

    #[test]
    fn a_new_token_is_one_that_is_taken() {
        let token = new_token(&Ones);
        assert_eq!(token.len(), 47);
        assert_eq!(of(&[&format!("Bearer {token}")]), Some(token.clone()));
        assert_eq!(token_hash(&token), ContentHash::of(token.as_bytes()));
    }
}
