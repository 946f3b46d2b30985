//! What goes wrong, as callers are told it: `application/problem+json` (RFC 9457) with a stable `code`.
//!
//! The table below is the list of all codes. A code never changes its meaning; titles and details may.

mod refusal;

use std::fmt;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use placet::call::ArgsError;
use placet::id::RequestId;
use placet::ports::StoreError;
use placet::time::Ttl;
use serde_json::{Value, json};

pub(crate) use refusal::{
    no_standing, not_a_steward, refused_ask_again, refused_claim, refused_edit, refused_review,
    refused_to_manager, refused_to_proposer, refused_vote, unreadable,
};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $status:literal $code:literal, $title:literal;)*) => {
        /// A stable code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// All of them, in the order of their status; docs/api.md explains them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// As it stands in the answer.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// What kind of problem it is, in a few words.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            const fn number(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }
        }
    };
}

codes! {
    /// The body is not one JSON text in UTF-8.
    JsonInvalid = 400 "json_invalid", "The body is not valid JSON";
    /// Something follows the JSON text.
    JsonTrailingBytes = 400 "json_trailing_bytes", "More follows the JSON text";
    /// A key stands twice in one object: parsers disagree on which counts.
    JsonDuplicateKey = 400 "json_duplicate_key", "A key stands there twice";
    /// A number beyond ±(2^53 − 1).
    JsonNumberTooLarge = 400 "json_number_too_large", "A number is too large for JSON";
    /// A number with digits that a double does not hold.
    JsonNumberInexact = 400 "json_number_inexact", "A number has too many digits for JSON";
    /// Too many objects and arrays inside one another.
    JsonTooDeep = 400 "json_too_deep", "The JSON is nested too deeply";
    /// A query parameter is unknown, or not what it should be.
    QueryInvalid = 400 "query_invalid", "The query is not valid";
    /// A header is not what it should be.
    HeaderInvalid = 400 "header_invalid", "A header is not valid";
    /// `after`, `before` or `Last-Event-ID` is not one that was given to this tenant.
    CursorInvalid = 400 "cursor_invalid", "The cursor is not valid";
    /// No credential, or one that is unknown, expired or revoked: the answer does not tell which.
    Unauthorized = 401 "unauthorized", "A valid credential is needed";
    /// The credential may not do this.
    ScopeMissing = 403 "scope_missing", "The credential may not do this";
    /// The credential may both propose and decide, and the policy is not the solo profile.
    ScopesConflict = 403 "scopes_conflict", "Who proposes cannot decide";
    /// The credential is not trusted to say on whose behalf it acts.
    OnBehalfOfNotTrusted = 403 "on_behalf_of_not_trusted", "The credential cannot act for others";
    /// The account behind the credential counts for nobody.
    NoStanding = 403 "no_standing", "The credential belongs to nobody who may decide";
    /// The person has none of the roles that are asked now.
    WrongRole = 403 "wrong_role", "This needs another role";
    /// Who asked for it cannot vote for it.
    OwnRequest = 403 "own_request", "Who asked for it cannot approve it";
    /// Who changed it cannot vote for what they made of it.
    OwnEdit = 403 "own_edit", "Who changed it cannot approve it";
    /// A yes from somebody who was not shown the whole call.
    NotShownInFull = 403 "not_shown_in_full", "The whole call must be seen before a yes";
    /// The caller may not do this to a request.
    NotAllowed = 403 "not_allowed", "This is not allowed";
    /// The policy wants to be surer that a vote is the person's own.
    LowAssurance = 403 "low_assurance", "The policy wants a surer vote";
    /// The policy does not let this call be changed.
    MayNotEdit = 403 "may_not_edit", "The call may not be changed";
    /// There is no such request here: it never was, or it is somebody else's, which is the same.
    NotFound = 404 "not_found", "There is no such request";
    /// There is no such address.
    RouteNotFound = 404 "route_not_found", "There is nothing at this address";
    /// It was decided, or its time is over.
    AlreadyDecided = 404 "already_decided", "It is already decided";
    /// People were never asked about it.
    NotAsked = 404 "not_asked", "Nobody was asked about it";
    /// There is no such session here.
    SessionNotFound = 404 "session_not_found", "There is no such session";
    /// No agent is configured.
    NoAgent = 404 "no_agent", "There is no agent here";
    /// Grants are not signed here.
    NoGrantKey = 404 "no_grant_key", "Grants are not signed here";
    /// There is no such stop here that stands: it never was, was lifted, or is somebody else's, which is the same.
    StopNotFound = 404 "stop_not_found", "There is no such stop";
    /// There is nothing of this id that is remembered here.
    RememberedNotFound = 404 "remembered_not_found", "Nothing is remembered under this id";
    /// No policy of this digest ever judged anything here.
    PolicyNotFound = 404 "policy_not_found", "There is no such policy";
    /// The address does not take this method.
    MethodNotAllowed = 405 "method_not_allowed", "The method is not allowed here";
    /// The body did not arrive in time.
    BodyTooSlow = 408 "body_too_slow", "The body took too long to arrive";
    /// The idempotency key was used before, for another call.
    IdempotencyConflict = 409 "idempotency_conflict", "The idempotency key was used for another request";
    /// The request stands where this cannot be done.
    OutOfOrder = 409 "out_of_order", "The request is past that";
    /// The same person has said the same before.
    AlreadyVoted = 409 "already_voted", "This person has voted so already";
    /// There is no vote to take back.
    NoVote = 409 "no_vote", "There is no vote to take back";
    /// Nobody but who wants to change it could approve it then.
    NobodyElse = 409 "nobody_else", "Nobody else could approve it";
    /// There is no approval to claim.
    NotApproved = 409 "not_approved", "The call is not approved";
    /// What is about to run is not what was approved.
    WrongCall = 409 "wrong_call", "This is not the call that was approved";
    /// The approval was not claimed in time.
    ApprovalExpired = 409 "approval_expired", "The approval has expired";
    /// Somebody whose vote it rests on no longer counts.
    ApproverLapsed = 409 "approver_lapsed", "The approval no longer holds";
    /// Today's policy forbids it.
    ForbiddenNow = 409 "forbidden_now", "The policy forbids it now";
    /// Somebody has stopped calls like this one.
    Held = 409 "held", "Calls like this one are stopped";
    /// A freeze began after it was asked about.
    Frozen = 409 "frozen", "Calls like this one are frozen";
    /// The remembered yes that it rested on is gone.
    NoLongerRemembered = 409 "no_longer_remembered", "The approval is no longer remembered";
    /// Another attempt claimed it.
    AlreadyClaimed = 409 "already_claimed", "It was claimed before";
    /// Claim and key are not those that won.
    NotTheClaimant = 409 "not_the_claimant", "This claim does not hold it";
    /// Its outcome is known, and another one.
    AlreadyFinished = 409 "already_finished", "Its outcome is already known";
    /// The session is still at work on what it was told before.
    SessionBusy = 409 "session_busy", "The session is at work";
    /// The body is larger than may be.
    BodyTooLarge = 413 "body_too_large", "The body is too large";
    /// The arguments are larger than people can review.
    ArgsTooLarge = 413 "args_too_large", "The arguments are too large";
    /// The body is not `application/json`.
    NotJson = 415 "not_json", "The body must be application/json";
    /// A field that does not exist.
    UnknownField = 422 "unknown_field", "There is no such field";
    /// A field that is needed.
    MissingField = 422 "missing_field", "A field is missing";
    /// A field whose value is of the wrong kind or form.
    InvalidField = 422 "invalid_field", "A field is not valid";
    /// A field with too much in it.
    FieldTooLong = 422 "field_too_long", "A field is too long";
    /// Arguments that are no object.
    ArgsNotAnObject = 422 "args_not_an_object", "Arguments are an object";
    /// The policy wants a reason with this.
    ReasonRequired = 422 "reason_required", "A reason is required";
    /// The request's yes cannot be remembered.
    NotOffered = 422 "not_offered", "This cannot be remembered";
    /// An edit that changes nothing.
    NothingChanged = 422 "nothing_changed", "Nothing was changed";
    /// The tool's schema does not allow the arguments.
    SchemaMismatch = 422 "schema_mismatch", "The tool does not take these arguments";
    /// The server's name is Placet's own.
    ReservedServer = 422 "reserved_server", "The server's name is reserved";
    /// A settlement must say how it ended.
    StillUnknown = 422 "still_unknown", "A settlement must say how it ended";
    /// The credential keeps too many streams or polls open.
    TooManyStreams = 429 "too_many_streams", "Too many open streams";
    /// The head is larger than may be.
    HeadersTooLarge = 431 "headers_too_large", "The headers are too large";
    /// A fault in Placet.
    Internal = 500 "internal", "Something went wrong here";
    /// It cannot be done now; nothing was written.
    Unavailable = 503 "unavailable", "This cannot be done now";
    /// The answer was lost; it may have been written.
    AnswerLost = 503 "answer_lost", "Whether it was done is not known";
    /// What the deciding accounts are worth cannot be read now.
    StandingUnreadable = 503 "standing_unreadable", "Who may decide cannot be read now";
    /// The answer took too long.
    TooSlow = 503 "too_slow", "The answer took too long";
    /// Too many connections.
    TooManyConnections = 503 "too_many_connections", "Too many connections";
}

impl Code {
    /// The HTTP status that always goes with it.
    #[must_use]
    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.number()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One problem, as an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    code: Code,
    detail: String,
    field: Option<String>,
    request: Option<RequestId>,
    retry_after: Option<Ttl>,
    /// Each thing that is wrong, by its field.
    errors: Vec<(String, String)>,
}

impl Problem {
    /// What happened, why, and what to do.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            field: None,
            request: None,
            retry_after: None,
            errors: Vec::new(),
        }
    }

    /// With each thing that is wrong, by its field (RFC 9457, section 3).
    pub(crate) fn with_errors(mut self, errors: Vec<(String, String)>) -> Self {
        self.errors = errors;
        self
    }

    /// With the field, parameter or header that it is about.
    pub(crate) fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// With the request that it is about: only one that the caller may know of.
    pub(crate) const fn about(mut self, request: RequestId) -> Self {
        self.request = Some(request);
        self
    }

    pub(crate) const fn retry_after(mut self, pause: Ttl) -> Self {
        self.retry_after = Some(pause);
        self
    }

    /// The code.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.code
    }

    /// What a caller is told of an id that is none of its own: always the same, so that it tells nothing.
    pub(crate) fn no_such_request() -> Self {
        Self::new(
            Code::NotFound,
            "there is no request with this id that the credential may see; check the id, and that it is of this tenant",
        )
    }

    /// The same of a stop.
    pub(crate) fn no_such_stop() -> Self {
        let detail = "there is no stop with this id that stands and that the credential may lift; GET /v1/stops lists them";
        Self::new(Code::StopNotFound, detail)
    }

    /// The same of what is remembered.
    pub(crate) fn nothing_remembered() -> Self {
        let detail = "nothing that stands is remembered under this id in the credential's tenant; GET /v1/remembered lists \
                      what is";
        Self::new(Code::RememberedNotFound, detail)
    }

    /// The same of a policy.
    pub(crate) fn no_such_policy() -> Self {
        let detail = "no policy of this digest was ever in force for the credential's tenant; its digest is the SHA-256 of \
                      its text, and stands with each verdict";
        Self::new(Code::PolicyNotFound, detail)
    }

    /// The call carries no token: the form of it is at fault, whatever credentials there are.
    pub(crate) fn no_bearer(why: &str) -> Self {
        Self::new(
            Code::Unauthorized,
            format!("{why}; send Authorization: Bearer plt_…; `placet token create` makes a credential"),
        )
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(
            Code::Unauthorized,
            "send Authorization: Bearer plt_… with a credential that is neither expired nor revoked; \
             `placet token create` makes one",
        )
    }

    /// The answer's body.
    pub(crate) fn body(&self) -> Value {
        let mut body = json!({
            "type": format!("urn:placet:problem:{}", self.code),
            "title": self.code.title(),
            "status": self.code.number(),
            "code": self.code.name(),
            "detail": self.detail,
        });
        if let Some(field) = &self.field {
            body["field"] = json!(field);
        }
        if !self.errors.is_empty() {
            let one = |(field, detail): &(String, String)| json!({ "field": field, "detail": detail });
            body["errors"] = self.errors.iter().map(one).collect();
        }
        if let Some(request) = &self.request {
            body["request_id"] = json!(request);
        }
        body
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.code.status(), self.body().to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.code == Code::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"placet\""));
        }
        if matches!(self.code, Code::BodyTooSlow | Code::BodyTooLarge) {
            // The rest of the body was not read: the connection cannot carry another request.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(pause) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(pause.as_millis().div_ceil(1000)));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(fault: StoreError) -> Self {
        match fault {
            StoreError::NotFound => Self::no_such_request(),
            StoreError::Unavailable(why) => {
                tracing::error!(error = why, "the store is not available");
                Self::new(Code::Unavailable, "the store does not answer, and nothing was written; try again")
                    .retry_after(Ttl::from_secs(2))
            }
            StoreError::Unknown(why) => {
                tracing::error!(error = why, "the store's answer was lost");
                Self::new(
                    Code::AnswerLost,
                    "the answer was lost at the commit, so it may have been done; ask again in the same way (with the \
                     same Idempotency-Key or claim key), or read the request",
                )
                .retry_after(Ttl::from_secs(2))
            }
            StoreError::CardMoved | StoreError::RunMoved => {
                Self::new(Code::Unavailable, "somebody else changed it at the same moment; try again")
                    .retry_after(Ttl::from_secs(1))
            }
            StoreError::Inconsistent { .. } | StoreError::Contradiction(_) => {
                tracing::error!(error = %fault, "the store refused");
                Self::new(
                    Code::Internal,
                    "what is stored or configured contradicts itself; the server's log says where",
                )
            }
        }
    }
}

impl From<ArgsError> for Problem {
    fn from(fault: ArgsError) -> Self {
        let code = match &fault {
            ArgsError::TrailingBytes { .. } => Code::JsonTrailingBytes,
            ArgsError::NotAnObject { .. } => Code::ArgsNotAnObject,
            ArgsError::DuplicateKey { .. } => Code::JsonDuplicateKey,
            ArgsError::NumberTooLarge { .. } => Code::JsonNumberTooLarge,
            ArgsError::NumberInexact { .. } => Code::JsonNumberInexact,
            ArgsError::TooDeep { .. } => Code::JsonTooDeep,
            ArgsError::TooLarge { .. } => Code::ArgsTooLarge,
            _ => Code::JsonInvalid,
        };
        let problem = Self::new(code, fault.to_string());
        match fault.path() {
            Some(path) => problem.at(path.to_string()),
            None => problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_names_and_each_stands_once() {
        for code in Code::ALL {
            assert!(code.name().bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{code}");
            assert_eq!(Code::ALL.iter().filter(|other| other.name() == code.name()).count(), 1, "{code}");
            assert_eq!(code.status().as_u16(), code.number());
        }
    }

    #[test]
    fn the_table_of_codes() {
        let table: Vec<_> = Code::ALL.iter().map(|code| format!("{} {code}", code.number())).collect();
        insta::assert_snapshot!(table.join("\n"));
    }

    #[test]
    fn a_problem_says_what_why_and_what_to_do() {
        let problem =
            Problem::new(Code::InvalidField, "`timeout` is not a span of time; send 10m").at("timeout");
        insta::assert_json_snapshot!(problem.body());
        insta::assert_json_snapshot!(Problem::unauthorized().body());
        insta::assert_json_snapshot!(Problem::no_such_request().body());
    }
}
