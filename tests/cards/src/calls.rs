//! Calls as teams meet them, each with what a policy says of it: what cards are judged by.

use std::sync::Arc;

use placet::approval::{Approval, Evidence, Proposal};
use placet::call::{CanonicalArgs, ToolCall};
use placet::id::{AgentId, Role, ToolName};
use placet::policy::{Figure, FigureName, Group, Level, RuleHit, Stage, Terms, Verdict};
use placet::time::Ttl;
use serde_json::{Value, json};

use crate::{proposal, terms, verdict, waiting_for};

/// What an agent asks for, and what the policy says of it.
struct Call {
    agent: &'static str,
    tool: &'static str,
    args: Value,
    who: &'static str,
    task: &'static str,
    reason: &'static str,
    preview: Option<String>,
    if_denied: Option<&'static str>,
    evidence: Vec<(&'static str, Option<&'static str>)>,
    level: Level,
    title: Option<&'static str>,
    effect: Option<&'static str>,
    leading: &'static [&'static str],
    figures: Vec<(FigureName, &'static str)>,
    rules: Vec<(&'static str, &'static str)>,
    terms: Terms,
}

fn asks(count: u32, role: &str) -> Terms {
    let stages = vec![Stage { groups: vec![Group { role: Role::new(role).unwrap(), count }] }];
    Terms { stages, valid_for: Ttl::from_mins(10), ..terms() }
}

impl Call {
    fn waiting(self) -> Approval {
        let plain = proposal(&json!({}));
        let mut requester = plain.requester.clone();
        requester.shown_as = self.who.into();
        let evidence = self.evidence.into_iter().enumerate().map(|(number, (title, excerpt))| Evidence {
            id: number.to_string(),
            title: title.into(),
            uri: None,
            excerpt: excerpt.map(str::to_owned),
        });
        let proposal = Proposal {
            call: ToolCall {
                agent: AgentId::new(self.agent).unwrap(),
                tool: ToolName::new(self.tool).unwrap(),
                args: CanonicalArgs::parse(self.args.to_string().as_bytes()).unwrap(),
                ..plain.call.clone()
            },
            requester,
            task: self.task.into(),
            reason: self.reason.into(),
            evidence: evidence.collect(),
            preview: self.preview,
            if_denied: self.if_denied.map(str::to_owned),
            ..plain
        };
        let says = Verdict {
            level: self.level,
            rules: self.rules.into_iter().map(|(rule, because)| RuleHit::new(rule, because)).collect(),
            title: self.title.map(str::to_owned),
            effect: self.effect.map(str::to_owned),
            leading_args: self.leading.iter().map(|name| (*name).to_owned()).collect(),
            figures: self
                .figures
                .into_iter()
                .map(|(name, value)| Figure { name, value: value.into() })
                .collect(),
            ..verdict(self.terms.clone())
        };
        let mut approval = waiting_for(proposal, self.terms);
        approval.verdict = Some(Arc::new(says));
        approval
    }
}

/// Each with its name, waiting.
pub fn all() -> Vec<(&'static str, Approval)> {
    vec![
        ("mail", mail().waiting()),
        ("refund", refund().waiting()),
        ("deploy", deploy().waiting()),
        ("command", command().waiting()),
        ("script", script().waiting()),
        ("query", query().waiting()),
        ("edit-file", edit_file().waiting()),
        ("request", request().waiting()),
        ("ticket", ticket().waiting()),
        ("unknown-tool", unknown_tool().waiting()),
        ("many-arguments", many_arguments().waiting()),
        ("chinese", chinese().waiting()),
    ]
}

fn mail() -> Call {
    Call {
        agent: "helpdesk",
        tool: "send_mail",
        args: json!({
            "to": ["lee@customer.example.org"], "cc": ["billing@example.org"],
            "subject": "Your invoice 2026-0117",
            "body": "Dear Lee,\n\nthe invoice was wrong by 40 EUR. Attached is the corrected one.\n\nKind regards",
            "attachments": ["invoice-2026-0117.pdf"],
        }),
        who: "Ana",
        task: "answer ticket 4711",
        reason: "The customer asked twice for a corrected invoice.",
        preview: None,
        if_denied: Some("I leave the draft in the ticket."),
        evidence: vec![("ticket 4711", Some("Where is my corrected invoice?"))],
        level: Level::High,
        title: Some("Send a mail to {to}"),
        effect: Some("One mail leaves the company. It cannot be called back."),
        leading: &["to", "cc", "subject", "attachments"],
        figures: vec![(FigureName::Reach, "outside")],
        rules: vec![("mail-outside", "Mail to people outside is read by one of us first.")],
        terms: asks(1, "operator"),
    }
}

fn refund() -> Call {
    Call {
        agent: "billing",
        tool: "refund",
        args: json!({ "customer": "C-20931", "amount": 4_800, "currency": "EUR", "reason": "double charge" }),
        who: "Dana",
        task: "work off the refund queue",
        reason: "Charged twice on 28 November.",
        preview: None,
        if_denied: None,
        evidence: vec![
            ("payment 88121", Some("4800 EUR, 28 November")),
            ("payment 88122", Some("4800 EUR, 28 November")),
        ],
        level: Level::Critical,
        title: Some("Refund {amount} {currency} to {customer}"),
        effect: Some("The money is with the customer within a day. Cannot be undone."),
        leading: &["amount", "currency", "customer"],
        figures: vec![(FigureName::Amount, "4800"), (FigureName::Reversible, "no")],
        rules: vec![("refunds-large", "Refunds above 1000 need an operator, then two of finance.")],
        terms: Terms {
            stages: vec![
                Stage { groups: vec![Group { role: Role::new("operator").unwrap(), count: 1 }] },
                Stage { groups: vec![Group { role: Role::new("finance").unwrap(), count: 2 }] },
            ],
            ..terms()
        },
    }
}

fn deploy() -> Call {
    Call {
        agent: "release",
        tool: "deploy",
        args: json!({ "app": "api", "tag": "v42", "environment": "production", "replicas": 6 }),
        who: "Fay",
        task: "release v42",
        reason: "All checks of v42 are green.",
        preview: None,
        if_denied: Some("I leave v41 running and tell Fay."),
        evidence: vec![("build 9120", Some("412 passed, 0 failed"))],
        level: Level::High,
        title: Some("Deploy {app} {tag} to {environment}"),
        effect: Some("All users get v42. Can be rolled back."),
        leading: &["app", "tag", "environment"],
        figures: vec![(FigureName::Environment, "production"), (FigureName::Affected, "12000")],
        rules: vec![
            ("production", "What runs in production needs two of us."),
            ("crowd", "More than 10000 people would notice."),
        ],
        terms: asks(2, "releaser"),
    }
}

fn command() -> Call {
    Call {
        agent: "ops",
        tool: "run_shell",
        args: json!({ "command": "rm -rf /srv/cache/* && systemctl restart api", "host": "web-3" }),
        who: "Sam",
        task: "web-3 is out of disk",
        reason: "The cache fills the disk.",
        preview: None,
        if_denied: Some("I page who is on call."),
        evidence: vec![("df on web-3", Some("/srv  100%"))],
        level: Level::Critical,
        title: None,
        effect: None,
        leading: &[],
        figures: vec![],
        rules: vec![("shell", "A shell can do anything.")],
        terms: Terms { decide_within: Ttl::from_mins(5), ..asks(1, "admin") },
    }
}

fn script() -> Call {
    let script: String =
        (1..=120).map(|line| format!("step {line}: copy part {line} to the archive\n")).collect();
    Call {
        agent: "ops",
        tool: "run_shell",
        args: json!({ "command": script, "host": "db-1" }),
        preview: None,
        evidence: vec![],
        ..command()
    }
}

fn query() -> Call {
    Call {
        agent: "analyst",
        tool: "sql",
        args: json!({ "database": "shop-production", "query": "UPDATE orders SET state = 'shipped' WHERE state = 'open' AND shipped_at IS NOT NULL" }),
        who: "Ana",
        task: "fix the states of orders",
        reason: "214 orders were shipped and still say open.",
        preview: Some("214 rows\n- state: open\n+ state: shipped".into()),
        if_denied: Some("I send Ana the list instead."),
        evidence: vec![("SELECT count(*) on orders", Some("214"))],
        level: Level::High,
        title: Some("Run SQL on {database}: {query}"),
        effect: None,
        leading: &["database", "query"],
        figures: vec![(FigureName::Count, "214"), (FigureName::DataLevel, "internal")],
        rules: vec![("writes", "Writes to the shop's data are looked at.")],
        terms: asks(1, "operator"),
    }
}

fn edit_file() -> Call {
    Call {
        agent: "coder",
        tool: "write_file",
        args: json!({ "repository": "gateway", "path": "config/limits.toml", "content": "[api]\nrate = 500\nburst = 50\n" }),
        who: "Bo",
        task: "raise the rate limit for the import",
        reason: "The import needs 500 calls a minute.",
        preview: Some("  [api]\n- rate = 100\n+ rate = 500\n  burst = 50".into()),
        if_denied: None,
        evidence: vec![("config/limits.toml", None)],
        level: Level::Medium,
        title: Some("Write {path} in {repository}"),
        effect: None,
        leading: &["path"],
        figures: vec![],
        rules: vec![("config", "Limits protect everybody.")],
        terms: Terms { requester_may_approve: true, ..asks(1, "operator") },
    }
}

fn request() -> Call {
    Call {
        agent: "sync",
        tool: "http_request",
        args: json!({
            "method": "DELETE", "url": "https://crm.example.org/v2/contacts/20931",
            "headers": { "authorization": "Bearer ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5" },
        }),
        who: "Chen",
        task: "remove the contact who asked for it",
        reason: "The contact asked to be forgotten.",
        preview: None,
        if_denied: None,
        evidence: vec![],
        level: Level::High,
        title: Some("{method} {url}"),
        effect: Some("The contact is gone for good."),
        leading: &["method", "url"],
        figures: vec![(FigureName::Reversible, "no")],
        rules: vec![("http-writes", "Anything but reading goes past a person.")],
        terms: Terms { reason_for_yes: true, reason_for_no: true, ..asks(1, "admin") },
    }
}

fn ticket() -> Call {
    Call {
        agent: "helpdesk",
        tool: "close_ticket",
        args: json!({ "number": 4711, "resolution": "duplicate", "notify_customer": false }),
        who: "Vic",
        task: "tidy the queue",
        reason: "Same as 4690.",
        preview: None,
        if_denied: None,
        evidence: vec![("ticket 4690", None)],
        level: Level::Low,
        title: Some("Close ticket {number} as {resolution}"),
        effect: None,
        leading: &["number", "resolution"],
        figures: vec![],
        rules: vec![],
        terms: asks(1, "operator"),
    }
}

fn unknown_tool() -> Call {
    Call {
        agent: "new",
        tool: "frobnicate",
        args: json!({}),
        who: "new",
        task: "",
        reason: "",
        preview: None,
        if_denied: None,
        evidence: vec![],
        level: Level::Critical,
        title: None,
        effect: None,
        leading: &[],
        figures: vec![],
        rules: vec![],
        terms: asks(1, "admin"),
    }
}

fn many_arguments() -> Call {
    let args: serde_json::Map<String, Value> =
        (0..60).map(|number| (format!("option_{number}"), json!(number))).collect();
    Call { tool: "configure", args: args.into(), title: None, leading: &[], ..deploy() }
}

fn chinese() -> Call {
    Call {
        agent: "billing",
        tool: "send_mail",
        args: json!({ "to": ["客户@example.org"], "subject": "您的发票", "body": "发票已更正，请查收。" }),
        who: "王芳",
        task: "回复工单 4711",
        reason: "客户两次要求更正发票。",
        preview: None,
        if_denied: Some("我把草稿留在工单里。"),
        evidence: vec![("工单 4711", Some("我的发票在哪里？"))],
        level: Level::High,
        title: Some("给 {to} 发邮件"),
        effect: Some("一封邮件会发到公司外。"),
        leading: &["to", "subject"],
        figures: vec![(FigureName::Reach, "outside")],
        rules: vec![("mail-outside", "发到公司外的邮件要先有人看过。")],
        terms: asks(1, "operator"),
    }
}
