//! `[change]`: whose yes a change of the policy itself needs.
//!
//! Such a change is a request like any other: a call of a tool that is Placet's own, which nobody else can propose or
//! claim. What it takes is said by `[change]` alone: rules are about what agents do.

use super::circumstances::Circumstances;
use super::diagnostic::{Report, Span};
use super::levels::role;
use super::reader::{At, Keys, Table};
use super::rule::Policy;
use super::settings::COUNT_MAX;
use super::verdict::{Group, Level, RuleHit, Stage, Terms, Tier, Verdict};
use crate::approval::Proposal;
use crate::call::ToolCall;
use crate::id::Role;
use crate::time::Ttl;

/// The server that stands before Placet's own tools. No agent proposes them, and no executor outside runs them.
pub const OWN_SERVER: &str = "placet";

/// The tool that puts a policy in force.
pub const CHANGE_TOOL: &str = "change_policy";

/// The keys of `[change]`.
pub(super) const KEYS: &Keys =
    &[("role", "whose yes a new policy takes"), ("count", "how many people of that role")];

/// How long people have to decide about a change: whoever wrote it does not wait at a prompt, and it may be weekend.
const DECIDE_WITHIN: Ttl = Ttl::from_mins(3 * 24 * 60);

/// After how long nobody's answer is an alarm.
const ALARM_AFTER: Ttl = Ttl::from_mins(24 * 60);

/// How long a yes waits for Placet to act on it: it does within seconds, unless it is down.
const VALID_FOR: Ttl = Ttl::from_mins(24 * 60);

/// Whose yes a change of the policy needs before it takes force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeTerms {
    /// People of this role.
    pub role: Role,
    /// So many of them, at least 1.
    pub count: u32,
}

/// `[change]` as it was read.
#[derive(Debug)]
pub(super) struct ChangeRead {
    pub(super) role: At<Role>,
    pub(super) count: u32,
    /// Where the count is said, else the role.
    pub(super) count_span: Span,
}

impl ChangeRead {
    pub(super) fn read(table: Option<Table<'_>>, report: &mut Report<'_>) -> Option<Self> {
        let mut table = table?;
        let span = table.span();
        let named = table.string("role", report);
        let count = table.count("count", COUNT_MAX, report);
        let missing = table.key_span("role").is_none();
        table.finish(&[KEYS], "[change]", report);
        if missing {
            let help = "such as role = \"admin\"; without [change] a new policy takes force at once";
            report.error(span, "[change] needs a `role`: whose yes a new policy takes", help);
        }
        let role = role(named?, report)?;
        let count_span = count.as_ref().map_or_else(|| role.span.clone(), |at| at.span.clone());
        Some(Self { count: count.map_or(1, |at| at.value), count_span, role })
    }

    pub(super) fn terms(&self) -> ChangeTerms {
        ChangeTerms { role: self.role.value.clone(), count: self.count }
    }
}

impl Policy {
    /// Whose yes a change of the policy needs before it takes force; none where it takes force at once.
    #[must_use]
    pub const fn change(&self) -> Option<&ChangeTerms> {
        self.change.as_ref()
    }
}

impl ToolCall {
    /// Whether this is the call that puts a policy in force.
    #[must_use]
    pub fn is_policy_change(&self) -> bool {
        self.server.as_ref().is_some_and(|server| server.as_str() == OWN_SERVER)
            && self.tool.as_str() == CHANGE_TOOL
    }
}

impl Policy {
    /// What a change of the policy takes: the yes of those whom `[change]` names.
    pub(super) fn judge_change(&self, proposal: &Proposal, circumstances: &Circumstances) -> Verdict {
        let terms = self.change.as_ref().map(|change| self.change_terms(change));
        let (tier, because) = match terms {
            Some(_) => (Tier::Approve, "[change]: a new policy takes the yes of others."),
            None => (Tier::Auto, "[change] names nobody whose yes a new policy takes."),
        };
        let label = proposal.call.args.value().get("label").and_then(serde_json::Value::as_str);
        Verdict {
            tier,
            level: Level::Critical,
            rules: vec![RuleHit { level: Some(Level::Critical), ..RuleHit::new("change", because) }],
            policy: self.version.clone(),
            terms,
            title: label.map(|label| format!("Put the policy {label} in force")),
            effect: Some("All calls are judged by it from then on, those that wait as well.".to_owned()),
            leading_args: ["label", "changes"].map(ToOwned::to_owned).to_vec(),
            figures: Vec::new(),
            always_ask: true,
            remember: None,
            shadow: None,
            confidential: None,
            circumstances: Some(circumstances.clone()),
        }
    }

    fn change_terms(&self, change: &ChangeTerms) -> Terms {
        let groups = vec![Group { role: change.role.clone(), count: change.count }];
        Terms {
            stages: vec![Stage { groups }],
            decide_within: DECIDE_WITHIN,
            alarm_after: ALARM_AFTER,
            valid_for: VALID_FOR,
            places: self.level(Level::Critical).terms.places.clone(),
            ..Terms::one_of(change.role.clone())
        }
    }
}
