//! An audit as lines for another program: CSV, or JSON, each request on a line of its own; redacted as everywhere.

use serde_json::{Value, json};

use crate::approval::{Approval, State};
use crate::card::{CardView, StateView, VoteView};
use crate::id::TenantId;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// Comma-separated values (RFC 4180), with a line of names first.
    Csv,
    /// A JSON object on each line.
    JsonLines,
}

/// The columns, in their order.
const COLUMNS: [&str; 19] = [
    "request",
    "code",
    "tenant",
    "opened_at",
    "status",
    "outcome",
    "tier",
    "level",
    "tool",
    "agent",
    "asked_by",
    "task",
    "title",
    "args",
    "args_hash",
    "digest",
    "policy",
    "said",
    "last_event_at",
];

impl Export {
    /// How the file's name ends.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        }
    }

    /// What the file is called.
    #[must_use]
    pub fn file_name(self, tenant: &TenantId) -> String {
        let tenant: String =
            tenant.as_str().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!("placet-audit-{tenant}.{}", self.extension())
    }

    /// What stands before the requests.
    #[must_use]
    pub fn head(self) -> String {
        match self {
            Self::Csv => format!("{}\r\n", COLUMNS.join(",")),
            Self::JsonLines => String::new(),
        }
    }

    /// A request's line, with its end, of what its reader may see. What a hash would tell of hidden arguments is left out too.
    #[must_use]
    pub fn line(self, approval: &Approval, view: &CardView, sees_all: bool) -> String {
        let values = values(approval, view, sees_all);
        match self {
            Self::Csv => {
                let cells: Vec<String> = values.iter().map(cell).collect();
                format!("{}\r\n", cells.join(","))
            }
            Self::JsonLines => {
                let fields = COLUMNS.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value));
                format!("{}\n", Value::Object(fields.collect()))
            }
        }
    }
}

fn values(approval: &Approval, view: &CardView, sees_all: bool) -> [Value; 19] {
    let call = &view.call;
    let verdict = approval.verdict.as_deref();
    let outcome = match &approval.state {
        State::Executed(executed) => Some(executed.outcome.kind.name()),
        _ => None,
    };
    let policy = verdict.map(|verdict| format!("{} {}", verdict.policy.label, verdict.policy.digest));
    [
        json!(approval.id),
        json!(approval.code),
        json!(approval.tenant),
        json!(approval.opened_at.to_rfc3339()),
        json!(approval.status().name()),
        json!(outcome),
        json!(verdict.map(|verdict| verdict.tier.to_string())),
        json!(verdict.map(|verdict| verdict.level.to_string())),
        json!(call.tool.as_str()),
        json!(approval.proposal.call.agent),
        json!(call.asked_by.as_str()),
        json!(call.task.as_str()),
        json!(call.title.as_str()),
        json!(call.args_json.as_str()),
        json!(sees_all.then_some(approval.args_hash)),
        json!(sees_all.then_some(approval.digest)),
        json!(policy),
        json!(said(&view.state)),
        json!(approval.last_event_at.to_rfc3339()),
    ]
}

/// Who said what, in one text.
fn said(state: &StateView) -> String {
    let votes: &[VoteView] = match state {
        StateView::Waiting { votes, .. }
        | StateView::Approved { votes, .. }
        | StateView::Rejected { votes, .. }
        | StateView::Executing { votes, .. }
        | StateView::Executed { votes, .. } => votes,
        StateView::Checking | StateView::Expired { .. } | StateView::Revoked { .. } => &[],
    };
    let said = votes.iter().map(|vote| {
        let decision = if vote.decision == crate::approval::Decision::Approve { "yes" } else { "no" };
        let note = vote.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        format!("{} {decision} {}{note}", vote.name, vote.at.to_rfc3339())
    });
    said.collect::<Vec<_>>().join("; ")
}

/// A value as a cell. What a spreadsheet would take for a formula begins with an apostrophe.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text };
    if text.contains([',', '"', '\n', '\r', ';']) || is_formula {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R33: what an agent writes is no formula in a spreadsheet, and no end of a cell or line.
    #[test]
    fn a_cell_is_only_text() {
        for (value, expected) in [
            (json!(null), ""),
            (json!("plain"), "plain"),
            (json!("a,b"), "\"a,b\""),
            (json!("say \"no\"\r\nnow"), "\"say \"\"no\"\"\r\nnow\""),
            (json!("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\""),
            (json!("@SUM(1)"), "\"'@SUM(1)\""),
            (json!("-1"), "\"'-1\""),
        ] {
            assert_eq!(cell(&value), expected);
        }
    }
}
