//! The app's home: what waits for its reader, what they decided, and what they are here; deciding from it, and that it follows
//! what happens while it is open.

use anyhow::{Context as _, Result, ensure};
use placet::call::ShownDigest;
use placet::time::{Clock as _, Ttl};
use placet_tests::{Desk, conversation};
use serde_json::json;

use super::confidential::{SECRET, confidential};

/// How often somebody's home was published.
fn published(desk: &Desk, name: &str) -> usize {
    let user = desk.person(name).user();
    desk.slack().calls_of("views.publish").iter().filter(|call| call["user_id"] == user.as_str()).count()
}

/// R30: what waits for me, and where; after my own decision it is gone from there, and stands among what I decided.
#[conversation(sockets)]
async fn the_home_shows_what_waits_and_what_was_decided(desk: &mut Desk) -> Result<()> {
    let empty = desk.person("bo").opens_home("Nothing waits for you.").await?;
    ensure!(empty.contains("admin") && empty.contains("T0FAKE0001/U0000000BO"), "{empty}");
    let call = desk.agent().proposes("delete_file", json!({"path": "demo-notes/a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let deploy = desk.agent().proposes("deploy", json!({"app": "api"})).await?;
    let second = desk.ops().next_card().await?;
    let shown = desk.person("bo").opens_home("demo-notes/a.txt").await?;
    let code = desk.request(&call.id).await?.code.to_string();
    ensure!(shown.contains(&code) && shown.contains("deploy"), "{shown}");
    ensure!(shown.contains(&format!("#{}", desk.ops().id())) && shown.contains("asked by"), "{shown}");
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let user = desk.person("bo").user();
    let after = desk.while_working(desk.slack().home_reads(&user, "you said yes")).await??;
    let (waiting, decided) = after.split_once("You decided lately").unwrap_or_default();
    ensure!(
        !waiting.contains(&code) && decided.contains(&code) && decided.contains("now approved"),
        "{after}"
    );
    // Of two who are needed one has said yes: it waits for the other, and no longer for them.
    desk.person("bo").clicks(&second, "Approve").await?;
    desk.ops().expect_update(&second, "1 of 2").await?;
    let code = desk.request(&deploy.id).await?.code.to_string();
    let after = desk.while_working(desk.slack().home_reads(&user, "Nothing waits for you.")).await??;
    ensure!(after.contains(&code), "{after}");
    let other = desk.person("chen").opens_home("deploy").await?;
    ensure!(other.contains(&code) && !other.contains("You decided lately"), "{other}");
    Ok(())
}

/// R18, R30: what I asked for myself, and what others decide, does not wait for me; who has no role is told what to do.
#[conversation]
async fn the_home_shows_nothing_that_is_not_ones_own_to_decide(desk: &mut Desk) -> Result<()> {
    let told = desk.slack().mention(&desk.person("bo").user(), "general", "clean up", None)?;
    std::fs::write(desk.folder().join("workspace/demo-notes/scratch.txt"), "notes")?;
    desk.delivers_event(&told.delivery).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("Bo"), "{}", card.text());
    ensure!(desk.person("bo").opens_home("Your roles").await?.contains("Nothing waits for you."));
    ensure!(desk.person("vic").opens_home("viewer").await?.contains("Nothing waits for you."));
    ensure!(desk.person("chen").opens_home("Your roles").await?.contains("scratch.txt"));
    desk.slack().person("mallory");
    let stranger = desk.person("mallory").opens_home("not in the policy").await?;
    ensure!(stranger.contains("T0FAKE0001/U00MALLORY") && !stranger.contains("scratch.txt"), "{stranger}");
    desk.leaves_messages_unread();
    Ok(())
}

/// R30, R28: what waits is opened, and approved, from the home, where its card is linked: the vote carries the digest of what
/// Details showed, which is on record as the whole, shown to who voted.
#[conversation]
async fn what_waits_is_approved_from_the_home(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "demo-notes/a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.person("bo");
    let shown = bo.opens_home("see the card").await?;
    ensure!(!shown.contains("Approve"), "a home shows no call whole: {shown}");
    let link = format!(
        "https://fake.slack.example/archives/{}/p{}",
        card.message.channel,
        card.message.ts.replace('.', "")
    );
    let links = desk.slack().home_tab(&bo.user())?.links();
    ensure!(links == [link.clone()], "{links:?}, not {link}");
    let details = bo.opens_at_home(&call, "Details").await?;
    ensure!(details.text().contains("demo-notes/a.txt"), "{}", details.text());
    bo.fills(&details, &[("Note", "may go")]).await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    ensure!(card.text().contains("may go"), "{}", card.text());
    let approval = desk.request(&call.id).await?;
    let voted: Option<ShownDigest> = approval.votes.first().context("a vote")?.shown;
    let by = &approval.votes[0].identity;
    let on_record = approval
        .renderings
        .iter()
        .any(|seen| Some(seen.shown) == voted && seen.full && seen.viewer.as_ref() == Some(by));
    ensure!(on_record, "{voted:?} is not on record for {by}: {:#?}", approval.renderings);
    let after = bo.home_reads("you said yes").await?;
    ensure!(after.contains("Nothing waits for you."), "{after}");
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "ok, 0.2 s").await?;
    bo.home_reads("now over").await?;
    desk.ops().next_outcome().await?;
    Ok(())
}

/// R30, R8: a no is said from the home, with its reason. Who presses what is decided already is told so directly: a home is no
/// channel to be told in.
#[conversation]
async fn what_waits_is_denied_from_the_home(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "demo-notes/a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let (bo, chen) = (desk.person("bo"), desk.person("chen"));
    bo.opens_home("demo-notes/a.txt").await?;
    chen.opens_home("demo-notes/a.txt").await?;
    let late = chen.opens_at_home(&call, "Deny").await?;
    let dialog = bo.opens_at_home(&call, "Deny").await?;
    bo.fills(&dialog, &[("Reason", "still needed")]).await?;
    desk.ops().expect_update(&card, "still needed").await?;
    bo.home_reads("you said no").await?;
    chen.home_reads("Nothing waits for you.").await?;
    chen.fills(&late, &[("Reason", "no")]).await?;
    chen.is_told("denied this already").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; no bo; denied Bo; refused chen: already_decided")
        .await
}

/// R30: what somebody has open follows what happens, and nobody else's home is touched: what is asked comes, what others decide
/// goes, and so does what nobody answered. After an hour in which they did nothing there it is left alone.
#[conversation]
async fn a_home_that_is_open_follows_what_happens(desk: &mut Desk) -> Result<()> {
    let (bo, chen) = (desk.person("bo"), desk.person("chen"));
    bo.opens_home("Nothing waits for you.").await?;
    chen.opens_home("Nothing waits for you.").await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "demo-notes/a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    bo.home_reads("demo-notes/a.txt").await?;
    bo.home_reads("see the card").await?;
    chen.home_reads("demo-notes/a.txt").await?;
    chen.clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    chen.home_reads("you said yes").await?;
    bo.home_reads("Nothing waits for you.").await?;
    ensure!(published(desk, "dana") == 0, "dana has not opened hers");
    desk.agent().runs(&call).await?;
    desk.agent().proposes("delete_file", json!({"path": "demo-notes/b.txt"})).await?;
    desk.ops().skims();
    bo.home_reads("demo-notes/b.txt").await?;
    desk.minutes_pass(35).await?;
    bo.home_reads("Nothing waits for you.").await?;
    desk.minutes_pass(61).await?;
    let before = published(desk, "bo");
    desk.agent().proposes("delete_file", json!({"path": "demo-notes/c.txt"})).await?;
    desk.minutes_pass(2).await?;
    ensure!(published(desk, "bo") == before, "they have not been there for more than an hour");
    bo.opens_home("demo-notes/c.txt").await?;
    desk.leaves_messages_unread();
    Ok(())
}

/// R30, R17: also what changes without any request: who decides, by the policy, and what an account is worth.
#[conversation]
async fn a_home_that_is_open_follows_roles(desk: &mut Desk) -> Result<()> {
    desk.agent().proposes("delete_file", json!({"path": "demo-notes/a.txt"})).await?;
    desk.ops().next_card().await?;
    let (bo, chen) = (desk.person("bo"), desk.person("chen"));
    bo.opens_home("demo-notes/a.txt").await?;
    chen.opens_home("demo-notes/a.txt").await?;
    let chens = "id = \"chen\"\nname = \"Chen\"\nroles = [\"admin\"]";
    desk.changes_policy(|policy| policy.replacen(chens, &chens.replace("admin", "viewer"), 1)).await?;
    // It is in force a moment after it is on record, and is looked for now and then.
    desk.passes(Ttl::from_secs(20)).await?;
    chen.home_loses("demo-notes/a.txt").await?;
    bo.home_reads("demo-notes/a.txt").await?;
    desk.slack().set_kind(&bo.user(), placet_tests::fake_slack::Kind::Deactivated);
    let changed = json!({ "type": "user_change", "user": { "id": bo.user() } });
    desk.delivers_event(&desk.slack().event(changed)).await?;
    let after = bo.home_loses("demo-notes/a.txt").await?;
    ensure!(after.contains("deactivated"), "{after}");
    desk.leaves_messages_unread();
    Ok(())
}

/// R30: many changes at once are few publications, within Slack's rates, and the last state is shown; one that shows nothing
/// new is not made.
#[conversation]
async fn what_changes_at_once_is_published_once(desk: &mut Desk) -> Result<()> {
    desk.slack().limit_rates(true);
    let names = ["bo", "chen", "dana"];
    for name in names {
        desk.person(name).opens_home("Nothing waits for you.").await?;
    }
    let began = desk.clock().now();
    for number in 0..30 {
        desk.agent().proposes("delete_file", json!({ "path": format!("file-{number:02}") })).await?;
    }
    for name in names {
        desk.person(name).home_reads("30 in all").await?;
    }
    desk.minutes_pass(1).await?;
    let seconds = desk.clock().now().since(began).as_millis() / 1_000;
    let counts = names.map(|name| published(desk, name));
    // One a second among them all, however much happens; the cards of these come one a second as well.
    let all: usize = counts.iter().sum();
    ensure!(all as u64 <= seconds + 2, "{counts:?} within {seconds} s");
    ensure!(counts.iter().all(|count| *count < 30), "30 changes were published {counts:?} times");
    let refused: Vec<String> =
        desk.slack().refused().into_iter().filter(|refused| refused.contains("views.publish")).collect();
    ensure!(refused.is_empty(), "{refused:?}");
    desk.minutes_pass(3).await?;
    let before = published(desk, "bo");
    desk.minutes_pass(3).await?;
    ensure!(published(desk, "bo") == before, "nothing has changed");
    desk.slack().limit_rates(false);
    desk.leaves_messages_unread();
    Ok(())
}

/// R30: Slack asks to slow down, or does not answer: what was to be shown is shown once it does.
#[conversation]
async fn a_home_that_slack_does_not_take_comes_later(desk: &mut Desk) -> Result<()> {
    use placet_tests::fake_slack::Fault;
    let bo = desk.person("bo");
    bo.opens_home("Nothing waits for you.").await?;
    desk.slack().fail_next("views.publish", Fault::RateLimited { retry_after: Some(20) });
    desk.agent().proposes("delete_file", json!({"path": "demo-notes/a.txt"})).await?;
    desk.ops().next_card().await?;
    desk.slack().called("views.publish", 2).await?;
    desk.minutes_pass(1).await?;
    bo.home_reads("demo-notes/a.txt").await?;
    desk.slack().fail_next("views.publish", Fault::Status(503));
    desk.agent().proposes("delete_file", json!({"path": "demo-notes/b.txt"})).await?;
    desk.ops().next_card().await?;
    desk.slack().called("views.publish", 4).await?;
    desk.minutes_pass(2).await?;
    bo.home_reads("demo-notes/b.txt").await?;
    Ok(())
}

/// R30: a home that another process has published since is left to it, until its reader comes back here: neither puts back what
/// the other has shown.
#[conversation]
async fn a_home_is_kept_up_by_one_process(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("views.publish", "hash_conflict");
    let bo = desk.person("bo");
    bo.opens_home("Nothing waits for you.").await?;
    let theirs = json!({ "type": "home", "blocks": [{ "type": "section",
        "text": { "type": "plain_text", "text": "page two, by another process" } }] });
    desk.slack().publishes_home(&bo.user(), &theirs)?;
    let before = desk.slack().calls_of("views.publish").len();
    desk.agent().proposes("delete_file", json!({"path": "demo-notes/a.txt"})).await?;
    desk.ops().next_card().await?;
    desk.slack().called("views.publish", before + 1).await?;
    desk.minutes_pass(3).await?;
    ensure!(desk.slack().home(&bo.user())?.contains("by another process"));
    ensure!(desk.slack().calls_of("views.publish").len() == before + 1, "it is not tried again");
    bo.opens_home("demo-notes/a.txt").await?;
    desk.leaves_messages_unread();
    Ok(())
}

/// R30: what does not fit on one page is on the next, the most urgent first; the page stays while it is open, and shrinks with
/// what waits; Slack's limits are kept.
#[conversation]
async fn a_long_list_has_pages(desk: &mut Desk) -> Result<()> {
    let mut calls = Vec::new();
    for number in 0..45 {
        let args = json!({ "path": format!("{number:02}-{}", "x".repeat(300)) });
        calls.push(desk.agent().proposes("delete_file", args).await?);
        desk.clock().passes(Ttl::from_secs(1));
    }
    let bo = desk.person("bo");
    let first = bo.opens_home("Page 1 of 3").await?;
    ensure!(first.contains("45 in all") && first.contains("00-xxx") && first.contains("19-xxx"), "{first}");
    ensure!(!first.contains("20-xxx") && bo.turns_home("Page before").await.is_err(), "{first}");
    bo.turns_home("Next page").await?;
    let second = bo.home_reads("Page 2 of 3").await?;
    ensure!(second.contains("20-xxx") && second.contains("39-xxx") && !second.contains("40-xxx"), "{second}");
    bo.turns_home("Next page").await?;
    let third = bo.home_reads("Page 3 of 3").await?;
    ensure!(third.contains("44-xxx") && bo.turns_home("Next page").await.is_err(), "{third}");
    let last = calls.last().context("a call")?;
    let details = bo.opens_at_home(last, "Details").await?;
    ensure!(details.text().contains("44-xxx"), "{}", details.text());
    for call in calls.iter().skip(40) {
        ensure!(desk.agent().withdraws(call).await?.status == 200);
    }
    let shrunk = bo.home_reads("Page 2 of 2").await?;
    ensure!(shrunk.contains("20-xxx") && shrunk.contains("40 in all"), "{shrunk}");
    bo.turns_home("Page before").await?;
    bo.home_reads("Page 1 of 2").await?;
    ensure!(desk.slack().refused().is_empty(), "{:?}", desk.slack().refused());
    desk.passes(Ttl::from_mins(60)).await?;
    desk.leaves_messages_unread();
    Ok(())
}

/// R51: a confidential call is shown whole to who decides it; to who has decided about it, and may not read it any more, by its
/// tool and level alone, and neither its buttons nor what they open tell more.
#[conversation]
async fn a_confidential_call_is_veiled_at_home_from_who_may_not_read_it(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        confidential(policy).replacen("confidential = true", "confidential = true\ncount = 2", 1)
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": SECRET})).await?;
    desk.ops().next_card().await?;
    let chen = desk.person("chen");
    chen.opens_home(SECRET).await?;
    let details = chen.opens_at_home(&call, "Details").await?;
    chen.submits(&details, &[]).await?;
    chen.home_reads("you said yes").await?;
    let chens = "id = \"chen\"\nname = \"Chen\"\nroles = [\"admin\"]";
    desk.changes_policy(|policy| policy.replacen(chens, &chens.replace("admin", "viewer"), 1)).await?;
    // It is in force a moment after it is on record, and is looked for now and then.
    desk.passes(Ttl::from_secs(20)).await?;
    let after = chen.home_loses(SECRET).await?;
    ensure!(after.contains("delete_file") && after.contains("you said yes"), "{after}");
    ensure!(!desk.slack().home_tab(&chen.user())?.view.to_string().contains(SECRET));
    desk.leaves_messages_unread();
    Ok(())
}

/// R44, R30: what waits says at home, too, that calls like it are stopped, while somebody has it open; and no longer once
/// that is lifted.
#[conversation]
async fn the_home_follows_a_stop(desk: &mut Desk) -> Result<()> {
    const STOPPED: &str = "Calls like this one were stopped";
    desk.agent().proposes("delete_file", json!({"path": "demo-notes/a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let bo = desk.person("bo");
    ensure!(!bo.opens_home("demo-notes/a.txt").await?.contains(STOPPED));
    let stop = desk.holder("manager").stops(json!({"scope": "tenant", "reason": "an incident"})).await?;
    let shown = bo.home_reads(STOPPED).await?;
    ensure!(shown.contains("an incident") && shown.contains("demo-notes/a.txt"), "{shown}");
    desk.ops().expect_update(&card, STOPPED).await?;
    desk.holder("manager").lifts(&stop).await?.expect(200)?;
    ensure!(bo.home_loses(STOPPED).await?.contains("demo-notes/a.txt"));
    desk.work_until_idle().await?;
    desk.ops().skims();
    desk.alarms().skims();
    Ok(())
}
