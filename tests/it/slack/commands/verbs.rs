//! "Each slash verb × {allowed, wrong role, empty, five hundred results}", as one table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use placet::approval::{Actor, Approval, ClaimOrder, Command, Facts, Opened, Opening, Proposal, Requester};
use placet::call::{CanonicalArgs, ToolCall};
use placet::hold::{Hold, HoldScope};
use placet::id::{AgentId, ClaimId, CredentialId, HoldId, RequestId, SessionId, TenantId, ToolName};
use placet::policy::{ArgPattern, Circumstances, Verdict};
use placet::ports::RequestStore as _;
use placet::remembered::Remembered;
use placet::time::{Clock as _, Ttl};
use placet_tests::desk::TENANT;
use placet_tests::{Card, Desk, conversation};

use super::{asks, is_told, turns, with_auditors};

/// How many.
const MANY: usize = 500;

/// Opens a call as the policy judges it, without a card: this is about lists.
async fn opens(desk: &Desk, tool: &str, number: usize, runs: bool) -> Result<Approval> {
    let tenant = TenantId::new(TENANT)?;
    let gate = desk.app()?.gate.clone();
    let now = desk.clock().now();
    let id = RequestId::mint(now, &**gate.entropy());
    let proposal = Proposal {
        call: ToolCall {
            agent: AgentId::new("agent")?,
            server: None,
            tool: ToolName::new(tool)?,
            tool_schema_hash: None,
            args: CanonicalArgs::parse(format!("{{\"path\":\"{number}.txt\"}}").as_bytes())?,
            preconditions: BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("agent")?,
            identities: Vec::new(),
            shown_as: "the agent".to_owned(),
        },
        run: None,
        session: None,
        task: format!("task {number}"),
        reason: String::new(),
        evidence: Vec::new(),
        preview: None,
        if_denied: None,
        prompt_version: None,
        place: None,
        thread: None,
        timeout: None,
        follows: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    };
    let verdict = gate.policy_of(&tenant).judge(&proposal, &Circumstances::at(now));
    let terms = verdict.terms.clone().map(|terms| placet::policy::Terms { places: Vec::new(), ..terms });
    let verdict = Arc::new(Verdict { terms, ..verdict });
    let digest = proposal.call.digest(&tenant);
    let claim = runs.then(|| ClaimOrder {
        id: ClaimId::mint(now, &**gate.entropy()),
        key: "7".repeat(40),
        executor: Actor::Placet,
        digest,
        lease: Ttl::from_mins(60),
    });
    let opening = Opening {
        tenant,
        id,
        key: None,
        proposal: Arc::new(proposal),
        judgement: Command::judged(verdict),
        claim,
        facts: Facts::none(now),
        guards: None,
        replaces: None,
    };
    match desk.store()?.open(opening).await? {
        Opened::New(approval) => Ok(approval),
        other => anyhow::bail!("not new: {other:?}"),
    }
}

/// Codes of requests in an answer, in their order.
fn codes(answer: &Card, known: &BTreeSet<String>) -> Vec<String> {
    let words = answer.text();
    let words = words.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
    words.filter(|word| known.contains(*word)).map(str::to_owned).collect()
}

/// Turns to the end; gives all the texts.
async fn leafs(desk: &Desk, name: &str, text: &str, button: &str) -> Result<Vec<Card>> {
    let mut pages = vec![asks(desk, name, text).await?];
    while let Some(last) = pages.last().filter(|last| last.button(button).is_ok()).cloned() {
        pages.push(turns(desk, name, &last, button).await?);
    }
    Ok(pages)
}

/// Whoever may gets an answer where there is nothing; whoever may not is told what, why and who can, and it is recorded.
#[conversation]
async fn each_verb_allowed_of_the_wrong_role_and_empty(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    desk.leaves_messages_unread();
    // (what is typed, by whom that may, what they read where there is nothing, by whom that may not, what those read)
    let table: [(&str, &str, &str, &str, &str); 10] = [
        ("pending", "vic", "Nothing waits for a decision", "eve", "not in the policy"),
        ("show 7Q4K-2M", "vic", "There is no such request", "eve", "not in the policy"),
        ("why 7Q4K-2M", "vic", "There is no such request", "eve", "not in the policy"),
        ("audit", "fay", "Nothing is found", "vic", "Sam can"),
        ("audit export:csv", "fay", "Nothing is found", "bo", "Sam can"),
        ("digest", "fay", "Nothing ran", "vic", "Sam can"),
        ("remembered", "vic", "Nothing is remembered", "eve", "not in the policy"),
        ("stops", "vic", "Nothing is stopped", "eve", "not in the policy"),
        ("revoke 7Q4K-2M x", "sam", "There is no such request", "eve", "not in the policy"),
        ("settle 7Q4K-2M ok x", "sam", "There is no such request", "eve", "not in the policy"),
    ];
    for (text, may, empty, may_not, refused) in table {
        is_told(desk, may, text, &[empty]).await?;
        let before = desk.blocked_in(TENANT).await?;
        is_told(desk, may_not, text, &[refused]).await?;
        ensure!(desk.blocked_in(TENANT).await? == before + 1, "{text} by {may_not} is not on record");
        desk.clock().passes(Ttl::from_mins(2));
    }
    // These are for everybody; what they say depends on who asks.
    is_told(desk, "vic", "whoami", &["Vic"]).await?;
    is_told(desk, "eve", "whoami", &["not in the policy"]).await?;
    is_told(desk, "eve", "help", &["/placet pending"]).await?;
    for name in ["sam", "vic"] {
        desk.person(name).types("freeze tenant an incident").await?;
        let dialog = desk.person(name).sees_dialog().await?;
        ensure!(dialog.text().contains("All calls"), "{}", dialog.text());
        desk.person(name).submits(&dialog, &[]).await?;
        let said = desk.person(name).reads().await?.text();
        let expected = if name == "sam" { "Stopped: All calls" } else { "Only operators" };
        ensure!(said.contains(expected), "{said}");
    }
    Ok(())
}

/// Five hundred results are paged with buttons, each once, newest first, within Slack's limits; what comes meanwhile moves
/// nothing, and one of them is found by its code.
#[conversation]
async fn each_list_pages_five_hundred_results(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    desk.leaves_messages_unread();
    let mut newest_first = Vec::new();
    for number in 0..MANY {
        newest_first.push(opens(desk, "delete_file", number, false).await?.code.to_string());
        desk.clock().passes(Ttl::from_millis(1));
    }
    newest_first.reverse();
    let known: BTreeSet<String> = newest_first.iter().cloned().collect();
    ensure!(known.len() == MANY);
    for (name, text) in
        [("vic", "pending"), ("fay", "audit"), ("fay", "audit tool:delete_* state:pending task")]
    {
        let pages = leafs(desk, name, text, "Older").await?;
        let seen: Vec<String> = pages.iter().flat_map(|page| codes(page, &known)).collect();
        ensure!(seen == newest_first, "{text}: {} of {MANY} on {} pages", seen.len(), pages.len());
        let last = pages.last().context("a page")?;
        let first = turns(desk, name, last, "Newest").await?;
        ensure!(codes(&first, &known) == newest_first[..10], "{}", first.text());
    }
    let first = asks(desk, "fay", "audit").await?;
    let later = opens(desk, "delete_file", MANY, false).await?.code.to_string();
    let second = turns(desk, "fay", &first, "Older").await?;
    ensure!(codes(&second, &known) == newest_first[10..20] && !second.text().contains(&later));
    let code = &newest_first[250];
    is_told(desk, "vic", &format!("show {code}"), &["249.txt", "It has no card"]).await?;
    is_told(desk, "vic", &format!("why {code}"), &["rule deletes", "People were asked"]).await?;
    is_told(desk, "sam", &format!("settle {code} ok x"), &["Settling is not possible"]).await?;
    is_told(desk, "sam", &format!("revoke {code} x"), &["taken back"]).await?;
    is_told(desk, "sam", "audit export:jsonl", &["501 requests"]).await?;
    ensure!(desk.slack().refused().is_empty(), "{:?}", desk.slack().refused());
    Ok(())
}

/// Five hundred tools in a digest are paged; none is lost.
#[conversation]
async fn a_digest_of_five_hundred_tools(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    desk.leaves_messages_unread();
    for number in 0..MANY {
        opens(desk, &format!("get_{number:03}"), number, true).await?;
    }
    let pages = leafs(desk, "fay", "digest", "Next").await?;
    let text: String = pages.iter().map(|page| page.text() + "\n").collect();
    ensure!(pages.len() > 1 && text.contains("500 calls"), "{} pages: {text}", pages.len());
    for number in 0..MANY {
        let line = format!("get_{number:03}: 1");
        ensure!(text.matches(&line).count() == 1, "{line}");
    }
    Ok(())
}

/// Five hundred stops, and five hundred remembered yeses, are paged; none is lost, and each has its button.
#[conversation]
async fn stops_and_remembered_of_five_hundred(desk: &mut Desk) -> Result<()> {
    with_auditors(desk).await?;
    desk.leaves_messages_unread();
    let tenant = TenantId::new(TENANT)?;
    let now = desk.clock().now();
    let entropy = desk.app()?.gate.entropy().clone();
    let file = rusqlite::Connection::open(desk.folder().join("placet.db"))?;
    for number in 0..MANY {
        let hold = Hold {
            id: HoldId::mint(now, &*entropy),
            tenant: Some(tenant.clone()),
            scope: HoldScope::Tool(format!("get_{number:03}")),
            by: Actor::Placet,
            name: None,
            reason: "an incident".to_owned(),
            since: now,
            lifted: None,
        };
        file.execute(
            "INSERT INTO hold (hold_id, tenant_id, scope, agent_id, tool_name, run_id, since, lifted_at, body) \
             VALUES (?1, ?2, 'tool', '', ?3, '', ?4, NULL, ?5)",
            rusqlite::params![
                hold.id.as_bytes().as_slice(),
                TENANT,
                format!("get_{number:03}"),
                now.as_millis(),
                serde_json::to_string(&hold)?,
            ],
        )?;
    }
    let pages = leafs(desk, "vic", "stops", "Next").await?;
    let text: String = pages.iter().map(|page| page.text() + "\n").collect();
    ensure!(pages.len() == MANY.div_ceil(6), "{} pages", pages.len());
    for number in 0..MANY {
        ensure!(text.matches(&format!("get_{number:03}\n")).count() == 1, "{number}: {text}");
    }
    is_told(desk, "vic", "pending", &["Nothing waits", "Stopped"]).await?;

    for number in 0..MANY {
        let approval = opens(desk, "delete_file", number, false).await?;
        let until = now + Ttl::from_mins(60);
        let verdict = approval.verdict.clone().context("a verdict")?;
        let remembered = Remembered {
            id: approval.id,
            tenant: tenant.clone(),
            agent: AgentId::new("agent")?,
            session: SessionId::new("session-1")?,
            server: None,
            tool: ToolName::new("delete_file")?,
            pattern: ArgPattern::of(&approval.proposal.call.args, &BTreeMap::new()).context("a pattern")?,
            requester: BTreeSet::new(),
            verdict,
            by: Vec::new(),
            names: vec!["Bo".to_owned()],
            roles: Vec::new(),
            since: now,
            until,
            forgotten: None,
        };
        file.execute(
            "INSERT INTO remembered (body, forgotten_at, approval_id, tenant_id, agent_id, session_id, since, until) \
             VALUES (?1, NULL, ?2, ?3, 'agent', 'session-1', ?4, ?5)",
            rusqlite::params![
                serde_json::to_string(&remembered)?,
                approval.id.as_bytes().as_slice(),
                TENANT,
                now.as_millis(),
                until.as_millis(),
            ],
        )?;
    }
    let pages = leafs(desk, "vic", "remembered", "Older").await?;
    let text: String = pages.iter().map(|page| page.text() + "\n").collect();
    ensure!(pages.len() == MANY.div_ceil(6) && pages.iter().all(|page| page.button("Take it back").is_ok()));
    for number in 0..MANY {
        ensure!(text.matches(&format!("path={number}.txt")).count() == 1, "{number}");
    }
    Ok(())
}
