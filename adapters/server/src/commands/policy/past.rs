//! `placet policy replay` and `placet policy shadow`: what is on record, looked at again.

use std::io::Write;
use std::path::Path;

use placet::policy::{Change, Load, LookedOn, Past, PolicySet, Replay, Unrepeated};
use placet::ports::{Clock as _, EventQuery};
use placet::record::{Event, Seq};
use placet::time::{Timestamp, Ttl};
use placet_store::RecordReader;
use serde_json::json;

use super::{Form, Source, json, not_taken, of_settings, wrong_use};
use crate::clock::SystemClock;
use crate::settings::Basics;

/// Events that are read at once.
const AT_ONCE: u32 = 1000;

/// What a replay looks at in the record.
const TYPES: [&str; 6] = [
    "tool.proposed",
    "policy.checked",
    "policy.loaded",
    "approval.requested",
    "approval.shares_card",
    "approval.decided",
];

/// Changed verdicts that are shown one by one; all of them are in the JSON.
const SHOWN_MAX: usize = 20;

/// Judges the past again. False if a verdict would change, or if one does not come out again by its own policy.
pub(super) fn replay(
    config: &Path,
    since: Ttl,
    source: &Source,
    form: Form,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let policies = if source.is_empty() { of_settings(config)? } else { source.read()? };
    let policies: PolicySet = match policies {
        Ok(policies) => policies,
        Err(errors) => return not_taken(&errors, form, out),
    };
    let (past, since, until) = past(config, since)?;
    let unrepeated = past.unrepeated();
    let replay = past.under(&policies, since, until);
    let is_same = replay.changes.is_empty() && unrepeated.is_empty();
    if form.json {
        json(out, &json!({ "replay": replay, "unrepeated": unrepeated }))?;
        return Ok(is_same);
    }
    tell(&replay, &unrepeated, out)?;
    Ok(is_same)
}

/// Says what would have been asked while the policy only looked on.
pub(super) fn shadow(config: &Path, since: Ttl, form: Form, out: &mut dyn Write) -> anyhow::Result<bool> {
    let (past, since, until) = past(config, since)?;
    let looked_on = past.looked_on(since, until);
    if form.json {
        json(out, &json!(looked_on))?;
        return Ok(true);
    }
    let LookedOn { calls, cards, tools, rules } = looked_on;
    writeln!(out, "{calls} calls were looked on at; {} of them would have been asked about", cards.cards)?;
    if cards.cards > 0 {
        load(&cards, out)?;
        counts("by tool", &tools, out)?;
        counts("by rule", &rules, out)?;
    }
    Ok(true)
}

/// What is on record, and from when until when it is looked at.
fn past(config: &Path, since: Ttl) -> anyhow::Result<(Past, Timestamp, Timestamp)> {
    let basics = Basics::load(config).map_err(|error| wrong_use(error.to_string()))?;
    let until = SystemClock.now();
    let since = until - since;
    let reader = RecordReader::open(&basics.data).map_err(|error| wrong_use(error.to_string()))?;
    let mut events: Vec<Event> = Vec::new();
    let mut after = Seq(0);
    loop {
        let query = EventQuery { tenant: None, request: None, after, types: TYPES.to_vec(), limit: AT_ONCE };
        let read = reader.events(&query)?;
        let is_full = read.len() == AT_ONCE as usize;
        after = read.last().map_or(after, |(seq, _)| *seq);
        events.extend(read.into_iter().map(|(_, event)| event));
        if !is_full {
            break;
        }
    }
    Ok((Past::of(&events, since), since, until))
}

fn tell(replay: &Replay, unrepeated: &[Unrepeated], out: &mut dyn Write) -> anyhow::Result<()> {
    for Change { code, tenant, tool, at, differences, .. } in replay.changes.iter().take(SHOWN_MAX) {
        writeln!(out, "{code}  {tool}  ({tenant}, {})", at.to_rfc3339())?;
        for difference in differences {
            writeln!(out, "  {difference}")?;
        }
    }
    if let Some(more) = replay.changes.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
        writeln!(out, "… and {more} more; --json has them all")?;
    }
    if !replay.changes.is_empty() {
        writeln!(out)?;
    }
    let asked = replay.changes.iter().filter(|change| change.tier.0 < change.tier.1).count();
    let let_through = replay.changes.iter().filter(|change| change.tier.0 > change.tier.1).count();
    writeln!(
        out,
        "{} calls judged again; {} verdicts change: {asked} in a stricter tier, {let_through} in a laxer one",
        replay.judged,
        replay.changes.len()
    )?;
    writeln!(out, "\nbefore")?;
    load(&replay.before, out)?;
    writeln!(out, "\nafter")?;
    load(&replay.after, out)?;
    if !unrepeated.is_empty() {
        writeln!(out, "\n{} recorded verdicts do not come out again by their own policy:", unrepeated.len())?;
        for Unrepeated { code, why, differences, .. } in unrepeated.iter().take(SHOWN_MAX) {
            writeln!(out, "{code}  {}", why.as_deref().unwrap_or("the policy says something else"))?;
            for difference in differences {
                writeln!(out, "  {difference}")?;
            }
        }
    }
    Ok(())
}

fn load(load: &Load, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "  {} cards in {} days, {} at night, {} that nobody could answer",
        load.cards, load.days, load.at_night, load.unanswerable
    )?;
    for person in &load.people {
        writeln!(
            out,
            "  {}: {}.{} cards a day, {} on the busiest, {} at night",
            person.name,
            person.per_day_tenths / 10,
            person.per_day_tenths % 10,
            person.busiest_day,
            person.at_night
        )?;
    }
    Ok(())
}

fn counts(what: &str, counts: &[(String, u64)], out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{what}")?;
    for (name, count) in counts {
        writeln!(out, "  {count:>6}  {name}")?;
    }
    Ok(())
}
