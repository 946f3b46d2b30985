//! Reading the record by what people look for: who, which tool, in which state, when, with which words.

use async_trait::async_trait;

use crate::approval::{Approval, OutcomeKind, Status, Unasked};
use crate::id::{RequestId, TenantId};
use crate::person::Identity;
use crate::ports::StoreError;
use crate::time::Timestamp;

/// The most requests on one page, whatever was asked for: what a person pages through, and what an export reads at once.
pub const AUDIT_PAGE_MAX: u32 = 200;

/// The most requests that one call looks at for words, which no index finds: reading them takes tens of milliseconds. Where
/// there are more, the page says from where to go on.
pub const AUDIT_LOOKED_AT_MAX: u32 = 10_000;

/// The most words of one search.
pub const AUDIT_WORDS_MAX: usize = 8;

/// Searching requests, and counting what ran unasked.
#[async_trait]
pub trait AuditStore: Send + Sync {
    /// Requests of one tenant, newest first, that meet everything that is asked for.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn audit(&self, query: AuditQuery) -> Result<AuditPage, StoreError>;

    /// The calls of one tenant that ran without anybody having been asked about them, counted by tool.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn ran_unasked(&self, query: UnaskedQuery) -> Result<Vec<UnaskedCount>, StoreError>;
}

/// Which requests.
#[derive(Debug, Clone)]
pub struct AuditQuery {
    /// Of this tenant.
    pub tenant: TenantId,
    /// With which one of these accounts had to do, by [`EventKind::accounts`](crate::record::EventKind::accounts); empty
    /// means anybody's.
    pub accounts: Vec<Identity>,
    /// Of this tool: by its full name, by its name on any server, or by a pattern of either with `*`.
    pub tool: Option<String>,
    /// In these states; empty means all.
    pub statuses: Vec<Status>,
    /// That ended like this.
    pub outcome: Option<OutcomeKind>,
    /// Opened at this time or later.
    pub since: Option<Timestamp>,
    /// In whose row each of these words may be, upper or lower case. A store may leave in rows that do not hold them, and
    /// leaves out none that do: whoever asks looks again at what people see, so that nobody finds what is hidden from them.
    pub words: Vec<String>,
    /// Opened before this one (exclusive), for paging from the newest backwards. What is opened meanwhile moves nothing.
    pub before: Option<RequestId>,
    /// At most so many, and no more than [`AUDIT_PAGE_MAX`].
    pub limit: u32,
}

impl AuditQuery {
    /// Everything of a tenant.
    #[must_use]
    pub const fn of(tenant: TenantId, limit: u32) -> Self {
        Self {
            tenant,
            accounts: Vec::new(),
            tool: None,
            statuses: Vec::new(),
            outcome: None,
            since: None,
            words: Vec::new(),
            before: None,
            limit,
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditPage {
    /// Newest first. A page that is not full may still be followed by others.
    pub found: Vec<Approval>,
    /// The `before` of the next page; none where there is nothing older to look at.
    pub next: Option<RequestId>,
}

/// Which calls.
#[derive(Debug, Clone)]
pub struct UnaskedQuery {
    /// Of this tenant.
    pub tenant: TenantId,
    /// Begun at this time or later: what waited before that in vain for somebody's answer is told when it runs.
    pub since: Timestamp,
    /// Begun before this.
    pub until: Timestamp,
    /// At most so many rows, the tools by name.
    pub limit: u32,
}

/// So many calls of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnaskedCount {
    /// The tool, by its full name.
    pub tool: String,
    /// On whose word they ran.
    pub how: Unasked,
    /// How they ended; none while they run.
    pub outcome: Option<OutcomeKind>,
    /// How many.
    pub count: u64,
}
