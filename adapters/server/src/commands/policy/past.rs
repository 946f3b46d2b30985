//! `placet policy replay` and `placet policy shadow`: what is on record, looked at again.

use std::io::Write;
use std::path::Path;

use anyhow::Context as _;
use placet::policy::{
    Change, Load, LookedOn, Period, PolicySet, Recorded, Replay, Replayed, Unrepeated, looked_on,
};
use placet::ports::{Clock as _, EventQuery, StoreError};
use placet::record::{Event, Seq};
use placet::time::{Timestamp, Ttl};
use placet_store::RecordReader;
use serde_json::json;

use super::{Form, Source, json, not_taken, of_settings, wrong_use};
use crate::clock::SystemClock;
use crate::settings::Basics;

/// Events that are read at once: each may hold arguments of a megabyte.
const AT_ONCE: u32 = 200;

/// Policies that are read at once: each may be two megabytes.
const POLICIES_AT_ONCE: u32 = 16;

/// How far a machine's clock may have been set back while it wrote: events are found by their times, and stand in the
/// order in which they were written.
const SET_BACK_MAX: Ttl = Ttl::from_mins(60);

/// What is said before why the record gave nothing.
const UNREAD: &str = "the record cannot be read";

/// Changed verdicts that are shown one by one; all of them are in the JSON.
const SHOWN_MAX: usize = 20;

/// Judges the past again. False if a verdict would change, or if one does not come out again by its own policy.
pub(super) fn replay(
    (config, since, until): (&Path, Ttl, Option<&str>),
    source: &Source,
    form: Form,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let period = period(since, until)?;
    let policies = if source.is_empty() { of_settings(config)? } else { source.read()? };
    let policies: PolicySet = match policies {
        Ok(policies) => policies,
        Err(errors) => return not_taken(&errors, form, out),
    };
    let replayed = placet::policy::replay(&record(config)?, period, &policies).context(UNREAD)?;
    let is_same = replayed.replay.changes.is_empty() && replayed.unrepeated.is_empty();
    if form.json {
        json(out, &json!(replayed))?;
        return Ok(is_same);
    }
    let Replayed { replay, unrepeated } = replayed;
    tell(&replay, &unrepeated, out)?;
    Ok(is_same)
}

/// Says what would have been asked while the policy only looked on.
pub(super) fn shadow(
    (config, since, until): (&Path, Ttl, Option<&str>),
    form: Form,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let looked_on = looked_on(&record(config)?, period(since, until)?).context(UNREAD)?;
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

/// So long, until this time or now.
fn period(since: Ttl, until: Option<&str>) -> anyhow::Result<Period> {
    let until = match until {
        None => SystemClock.now(),
        Some(text) => Timestamp::from_rfc3339(text).ok_or_else(|| {
            wrong_use(format!("`{text}` in --until is no time; such as 2026-12-01T00:00:00+01:00"))
        })?,
    };
    Ok(Period { since: until - since, until })
}

/// The record that the settings name.
fn record(config: &Path) -> anyhow::Result<Database> {
    let basics = Basics::load(config).map_err(|error| wrong_use(error.to_string()))?;
    Ok(Database(RecordReader::open(&basics.data).map_err(|error| wrong_use(error.to_string()))?))
}

/// The record of a database, page by page.
struct Database(RecordReader);

impl Recorded for Database {
    type Fault = StoreError;

    fn each(
        &self,
        types: &[&'static str],
        since: Option<Timestamp>,
        take: &mut dyn FnMut(&Event),
    ) -> Result<(), StoreError> {
        let query =
            |tenant, after, limit| EventQuery { tenant, request: None, after, types: types.to_vec(), limit };
        match since {
            Some(since) => {
                let after = self.0.before(since - SET_BACK_MAX)?;
                self.pages(query(None, after, AT_ONCE), take)
            }
            // Found by the index of each tenant's events: what has no beginning is rare among all there are.
            None => self
                .0
                .tenants()?
                .into_iter()
                .try_for_each(|tenant| self.pages(query(Some(tenant), Seq(0), POLICIES_AT_ONCE), take)),
        }
    }
}

impl Database {
    fn pages(&self, mut query: EventQuery, take: &mut dyn FnMut(&Event)) -> Result<(), StoreError> {
        loop {
            let read = self.0.events(&query)?;
            read.iter().for_each(|(_, event)| take(event));
            match read.last() {
                Some((seq, _)) if read.len() == query.limit as usize => query.after = *seq,
                Some(_) | None => return Ok(()),
            }
        }
    }
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
