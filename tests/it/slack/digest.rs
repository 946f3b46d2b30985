//! R52: every day people are told what ran without anybody having been asked.

use anyhow::{Context as _, Result, ensure};
use placet::ports::{DigestStore as _, Scope};
use placet::time::Ttl;
use placet_store::Moment;
use placet_tests::crash::CrashPoint;
use placet_tests::fake_slack::{active_markup, text_of};
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

/// In Europe/Berlin it is Monday, three in the afternoon: so long it is until nine on the next morning.
const UNTIL_NINE: Ttl = Ttl::from_mins(18 * 60);
const DAY: Ttl = Ttl::from_mins(24 * 60);
const TEN_MINUTES: Ttl = Ttl::from_mins(10);

const OTHER_TEAM: &str = "T0OTHER001";
const OTHER: &str = "globex";

/// What people are told of in the channel `daily`, at nine in Berlin; what has `channel` in its name runs unasked.
async fn tells_daily(desk: &Desk) -> Result<()> {
    let daily = desk.channel("daily").id().to_owned();
    let more = format!(
        "\n[calendar]\nzone = \"Europe/Berlin\"\n\n[digest]\nat = \"09:00\"\nchannel = \"slack/{daily}\"\n\n[[rule]]\n\
         name = \"any\"\ntools = [\"*channel*\"]\nlevel = \"low\"\n"
    );
    desk.has_policy(|policy| policy + more.as_str()).await?;
    desk.work_until_idle().await
}

async fn runs(desk: &Desk, tool: &str, times: usize) -> Result<()> {
    for number in 0..times {
        let call = desk.agent().proposes(tool, json!({"path": format!("{number}.txt")})).await?;
        desk.agent().runs(&call).await?;
    }
    Ok(())
}

/// The digest that came, and no other.
async fn next(desk: &Desk) -> Result<Card> {
    let daily = desk.channel("daily");
    let told = daily.next_card().await?;
    desk.work_until_idle().await?;
    let last = daily.messages().pop().context("a message")?;
    ensure!(last.ts == told.message.ts, "told again: {}", text_of(&last));
    Ok(told)
}

fn count(desk: &Desk) -> usize {
    desk.channel("daily").messages().len()
}

/// R52: at nine in the policy's zone, not before, once also after a restart, and on the next day of the next day alone; that
/// nothing ran is said too.
#[conversation]
async fn a_digest_comes_every_day_once(desk: &mut Desk) -> Result<()> {
    tells_daily(desk).await?;
    runs(desk, "read_file", 3).await?;
    runs(desk, "write_note", 1).await?;
    desk.passes(Ttl::from_mins(18 * 60 - 10)).await?;
    ensure!(count(desk) == 0, "it is not nine yet");
    desk.passes(TEN_MINUTES).await?;
    let told = next(desk).await?.text();
    for words in ["4 calls", "read_file: 3 (3 at once", "write_note: 1 (1 announced", "/placet remembered"] {
        ensure!(told.contains(words), "{words}: {told}");
    }
    desk.restart().await?;
    desk.passes(TEN_MINUTES).await?;
    ensure!(count(desk) == 1, "once, after a restart too");

    runs(desk, "read_file", 1).await?;
    desk.passes(DAY).await?;
    let told = next(desk).await?.text();
    ensure!(told.contains("one call") && told.contains("read_file: 1"), "{told}");
    ensure!(!told.contains("write_note"), "of that day alone: {told}");
    desk.passes(DAY).await?;
    let told = next(desk).await?.text();
    ensure!(told.contains("Nothing ran without somebody having been asked"), "{told}");
    desk.ops().skims();
    Ok(())
}

/// R52: what was missed while Placet was down is told once, as one, and nothing of it is left out.
#[conversation]
async fn what_was_missed_is_told_once(desk: &mut Desk) -> Result<()> {
    tells_daily(desk).await?;
    runs(desk, "read_file", 2).await?;
    desk.stop().await?;
    desk.clock().passes(Ttl::from_mins(5 * 24 * 60));
    desk.start().await?;
    let told = next(desk).await?.text();
    ensure!(told.contains("2 calls") && told.contains("read_file: 2"), "{told}");
    desk.passes(Ttl::from_mins(60)).await?;
    ensure!(count(desk) == 1, "five days were missed, and one message tells of them");
    desk.passes(DAY).await?;
    ensure!(next(desk).await?.text().contains("Nothing ran"));
    desk.ops().skims();
    Ok(())
}

/// R52, R13: whenever Placet dies about it, each day is told once.
#[conversation]
async fn a_digest_survives_every_crash(desk: &mut Desk) -> Result<()> {
    tells_daily(desk).await?;
    desk.passes(UNTIL_NINE).await?;
    next(desk).await?;
    for nth in 0..3 {
        for moment in [Moment::Before, Moment::After] {
            runs(desk, "read_file", 1).await?;
            desk.work_until_idle().await?;
            let before = count(desk);
            desk.probe().arm(CrashPoint::nth(nth, moment));
            desk.clock().passes(DAY);
            ensure!(desk.work_until_idle().await.is_err(), "{nth} {moment:?}: it dies");
            ensure!(desk.revives().await?, "{nth} {moment:?}");
            desk.minutes_pass(5).await?;
            let all = desk.channel("daily").messages();
            ensure!(all.len() == before + 1, "{nth} {moment:?}: {} messages more", all.len() - before);
            let told = all.last().map(text_of).unwrap_or_default();
            ensure!(told.contains("read_file: 1"), "{nth} {moment:?}: {told}");
        }
    }
    desk.ops().skims();
    Ok(())
}

/// R52: of two workers that look at once, one tells.
#[conversation]
async fn two_workers_tell_once(desk: &mut Desk) -> Result<()> {
    tells_daily(desk).await?;
    desk.clock().passes(UNTIL_NINE);
    let (one, other) = (desk.app()?.gate.clone(), desk.app()?.gate.clone());
    let (one, other) = tokio::join!(one.step(), other.step());
    one?;
    other?;
    next(desk).await?;
    ensure!(count(desk) == 1);
    Ok(())
}

/// R52, R28: what an agent names its tools is text, and a long digest says how to see the rest.
#[conversation]
async fn a_long_digest_of_hostile_names_is_text(desk: &mut Desk) -> Result<()> {
    tells_daily(desk).await?;
    let vic = desk.person("vic").user();
    for number in 0..60 {
        let tool = format!("<!channel> *all* <@{vic}> https://example.org/{number:02}");
        runs(desk, &tool, 1).await?;
    }
    desk.passes(UNTIL_NINE).await?;
    let told = next(desk).await?;
    let active = active_markup(&told.message).join(" ");
    ensure!(!active.contains("channel") && !active.contains(&vic) && !active.contains("example"), "{active}");
    let text = told.text();
    ensure!(text.contains("60 calls") && text.contains("<!channel> *all*"), "{text}");
    let shown = text.matches("https://example.org/").count();
    let rest = format!("And {} more tools: /placet digest shows them all.", 60 - shown);
    ensure!((10..=40).contains(&shown) && text.contains(&rest), "{shown}: {text}");
    Ok(())
}

/// R52, R19: each tenant is told of its own in its own workspace; where it has no place, of none.
#[conversation]
async fn tenants_are_told_of_their_own(desk: &mut Desk) -> Result<()> {
    let other = desk.another_slack(OTHER_TEAM).await?;
    let north = other.channel("north");
    desk.serves_too(&other, (OTHER_TEAM, OTHER, "emea"), (&north, "OTHER_SIGNING_SECRET"));
    tells_daily(desk).await?;
    let own = format!(
        "version = \"globex-1\"\nplaces = [{{ surface = \"slack-emea\", channel = \"{north}\" }}]\n\n[digest]\n\
         at = \"10:00\"\nchannel = \"slack-emea/{north}\"\n"
    );
    desk.has_tenant_policies(&[(OTHER, &own)]).await?;
    desk.has_credential("globex-agent", OTHER, &[Scope::Propose, Scope::Execute]).await?;
    desk.has_credential("third-agent", "initech", &[Scope::Propose, Scope::Execute]).await?;
    desk.work_until_idle().await?;
    runs(desk, "read_file", 1).await?;
    for (agent, tool) in [("globex-agent", "get_time"), ("third-agent", "add")] {
        let call = desk.holder(agent).proposes(tool, json!({})).await?;
        desk.holder(agent).runs(&call).await?;
    }
    desk.passes(UNTIL_NINE).await?;
    let told = next(desk).await?.text();
    ensure!(told.contains("one call") && told.contains("read_file: 1"), "{told}");
    ensure!(other.messages(&north).is_empty(), "it is not ten there yet");
    desk.passes(Ttl::from_mins(60)).await?;
    let theirs = desk.while_working(other.next_message(&north)).await??;
    let theirs = text_of(&theirs);
    ensure!(theirs.contains("one call") && theirs.contains("get_time: 1"), "{theirs}");
    ensure!(!theirs.contains("read_file") && count(desk) == 1, "{theirs}");
    let kept = desk.store()?.digests().await?;
    ensure!(kept.len() == 3 && kept.iter().all(|(_, last)| last.is_some()), "{kept:?}");
    Ok(())
}
