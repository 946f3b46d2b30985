//! What a verdict costs, and what it costs to read a large policy.
//!
//! One call is judged against 200 rules of which 10 concern its tool, on one thread; beside it, in the same run and as
//! often, against a policy without rules: what is left is the price of the rules. Conditions are of the kinds that
//! people write: amounts, times, recipients, a pattern. Half of the other rules name their tools, half are patterns.
//!
//! Figures are printed and never judged by the exit code: a slow machine is not a fault. A policy that is not taken, or
//! a verdict that does not rest on its rules, is.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use placet::approval::{Proposal, Requester};
use placet::call::{CanonicalArgs, ToolCall};
use placet::id::{AgentId, CredentialId, ServerName, SessionId, ToolName};
use placet::person::Identity;
use placet::policy::{Circumstances, Policy};
use placet::time::Timestamp;

/// Rules in the policy that judges, of all kinds together.
const RULES: usize = 200;

/// How many of them concern the tool of the call.
const CONCERNED: usize = 10;

/// Rules in the policy that is read.
const RULES_READ: usize = 2_000;

/// Calls that are judged before anything is measured, and calls that are measured.
const WARM_UP: usize = 2_000;
const CALLS: usize = 20_000;

/// The most that a call may take, at the median.
const VERDICT_MAX: Duration = Duration::from_micros(50);

/// The most that reading may take.
const READING_MAX: Duration = Duration::from_secs(1);

/// How often the large policy is read; the median counts.
const READINGS: usize = 5;

/// What rules that concern the tool look at.
const CONDITIONS: [&str; CONCERNED] = [
    "amount > 100000",
    "count > 50",
    "time.night || time.weekend",
    "args.currency != \"EUR\"",
    "args.lines.exists(line, line.amount > 50000)",
    "args.memo.matches(\"(?i)gift ?card|crypto\")",
    "!args.to.endsWith(\"@example.org\") && args.amount > 500",
    "\"contractor\" in requester.roles",
    "args.?cc.orValue([]).exists(to, to.endsWith(\"@example.com\"))",
    "environment == \"production\" && args.amount > 0",
];

fn main() -> Result<()> {
    println!("verdicts: {RULES} rules, {CONCERNED} of them about the tool, {CALLS} calls on one core");
    let proposal = proposal()?;
    let full = policy(&text(RULES))?;
    let empty = policy(&text(0))?;
    let verdict = full.judge(&proposal, &at(0));
    ensure!(verdict.rules.iter().any(|hit| hit.rule == "about-9"), "{:?}", verdict.rules);
    ensure!(verdict.rules.iter().all(|hit| hit.error.is_none()), "{:?}", verdict.rules);
    let [nothing, rules] = [&empty, &full].map(|policy| median(policy, &proposal));
    println!(
        "  without a rule        {:>8.2} µs at the median, {:.2} µs at p99",
        micros(nothing.0),
        micros(nothing.1)
    );
    println!(
        "  {RULES} rules             {:>8.2} µs at the median, {:.2} µs at p99",
        micros(rules.0),
        micros(rules.1)
    );
    let large = text(RULES_READ);
    let mut readings = Vec::with_capacity(READINGS);
    for _ in 0..READINGS {
        let begun = Instant::now();
        black_box(policy(&large)?);
        readings.push(begun.elapsed());
    }
    readings.sort_unstable();
    let reading = readings[READINGS / 2];
    println!(
        "  reading {RULES_READ} rules    {:>8.2} ms, {} KiB",
        reading.as_secs_f64() * 1000.0,
        large.len() / 1024
    );
    println!();
    limit("one verdict, median", rules.0, VERDICT_MAX);
    limit("reading 2,000 rules", reading, READING_MAX);
    Ok(())
}

/// The median and the 99th percentile of one verdict.
fn median(policy: &Policy, proposal: &Proposal) -> (Duration, Duration) {
    for minute in 0..WARM_UP {
        black_box(policy.judge(black_box(proposal), &at(minute)));
    }
    let mut times: Vec<Duration> = (0..CALLS)
        .map(|minute| {
            let circumstances = at(minute);
            let begun = Instant::now();
            black_box(policy.judge(black_box(proposal), black_box(&circumstances)));
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[CALLS / 2], times[CALLS * 99 / 100])
}

/// Another minute each time, so that day and night come into it.
fn at(minute: usize) -> Circumstances {
    let minute = i64::try_from(minute).unwrap_or(0);
    Circumstances::at(Timestamp::from_secs(1_796_000_000 + minute * 60))
}

fn policy(text: &str) -> Result<Policy> {
    Policy::parse(text, "bench.toml").context("the policy is not taken")
}

fn proposal() -> Result<Proposal> {
    let args = br#"{"to": "ana@example.org", "amount": 420.5, "currency": "EUR", "memo": "invoice 7 for November",
        "lines": [{"amount": 400, "text": "hours"}, {"amount": 20.5, "text": "travel"}], "cc": ["bo@example.org"]}"#;
    Ok(Proposal {
        call: ToolCall {
            agent: AgentId::new("bookkeeper")?,
            server: Some(ServerName::new("bank")?),
            tool: ToolName::new("pay_invoice")?,
            tool_schema_hash: None,
            args: CanonicalArgs::parse(args)?,
            preconditions: BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("agent-1")?,
            identities: vec![Identity::credential("agent-1")?],
            shown_as: "Ana".to_owned(),
        },
        run: None,
        session: Some(SessionId::new("s-1")?),
        task: "pay what is due".to_owned(),
        reason: "it is due today".to_owned(),
        evidence: Vec::new(),
        preview: None,
        if_denied: None,
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    })
}

/// A policy of so many rules.
fn text(rules: usize) -> String {
    let mut text = String::from(
        "version = \"bench\"\n[calendar]\nzone = \"Europe/Berlin\"\nnight = \"22:00-06:00\"\n\
         holidays = [{ date = 2026-12-25, name = \"Christmas Day\" }]\n\
         [[calendar.freeze]]\nname = \"end of year\"\nfrom = 2026-12-20\nuntil = 2027-01-04\ntools = [\"*\"]\n\
         because = \"Nobody is there to mend it.\"\n\
         [tools.pay_invoice]\nenvironment = \"production\"\nreach = \"outside\"\nreversible = false\n\
         amount = 'sum(args.lines.map(line, line.amount))'\ncount = 'size(args.lines)'\n\
         title = \"Pay {amount} to {to}\"\n\
         [[people]]\nid = \"bo\"\nname = \"Bo\"\nroles = [\"admin\"]\ncredentials = [\"ops-console\"]\n\
         [roles]\nstewards = [\"admin\"]\n",
    );
    if rules == 0 {
        return text;
    }
    for (place, when) in CONDITIONS.iter().enumerate() {
        // The last is the rule that the call matches; most of the others raise.
        let (kind, says) = match place {
            0 => ("forbid", ""),
            1..=7 => ("raise", "by = 1"),
            _ => ("rule", "level = \"high\""),
        };
        let _ = writeln!(
            text,
            "[[{kind}]]\nname = \"about-{place}\"\ntools = [\"pay_*\"]\nservers = [\"bank\"]\nwhen = '''{when}'''\n{says}\n\
             because = \"It is money.\""
        );
    }
    for place in CONCERNED..rules {
        let tool = if place % 2 == 0 { format!("tool_{place}") } else { format!("group_{place}_*") };
        let kind = if place % 4 == 0 { "raise" } else { "rule" };
        let says = if kind == "raise" { "by = 1" } else { "level = \"high\"" };
        let _ = writeln!(
            text,
            "[[{kind}]]\nname = \"other-{place}\"\ntools = [\"{tool}\"]\n\
             when = '''args.n > {place} && (time.night || args.path.startsWith(\"/srv/{place}/\"))'''\n{says}\n\
             because = \"So.\""
        );
    }
    text
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn limit(what: &str, is: Duration, most: Duration) {
    let met = if is <= most { "met" } else { "NOT met" };
    println!("  {what:<33} {is:>10.1?}   at most {most:?}: {met}");
}
