//! A new policy takes the yes of others before it takes force: a card like any other, with what changes on it.

use anyhow::{Context as _, Result, ensure};
use axum::http::Method;
use placet::record::EventKind;
use placet_server::Look;
use placet_tests::desk::TENANT;
use placet_tests::http::Ask;
use placet_tests::{Card, Desk, conversation};
use serde_json::{Value, json};

/// One admin must agree to each change from now on. This change itself takes nobody's yes.
async fn wants_a_yes(desk: &Desk) -> Result<()> {
    desk.changes_policy(|policy| format!("{policy}\n[change]\nrole = \"admin\"\n")).await
}

/// Deployments are graded high instead of critical.
fn laxer(policy: String) -> String {
    let deploys = "name = \"deploys\"\ntools = [\"deploy\"]\nlevel = ";
    policy.replacen(&format!("{deploys}\"critical\""), &format!("{deploys}\"high\""), 1).replacen(
        "version = \"desk\"",
        "version = \"desk 2\"",
        1,
    )
}

/// A tool that nobody knows is let through.
fn lawless(policy: String) -> String {
    let rule = "[[rule]]\nname = \"whatever\"\ntools = [\"unheard_of\"]\nlevel = \"low\"\n\n[default]";
    policy.replacen("[default]", rule, 1)
}

async fn in_force(desk: &Desk) -> Result<Value> {
    let ready = desk.sends(Ask::new(Method::GET, "/readyz")).await?.expect(200)?.json()?;
    Ok(ready["policy"]["in_force"].clone())
}

async fn waiting(desk: &Desk) -> Result<u64> {
    let ready = desk.sends(Ask::new(Method::GET, "/readyz")).await?.expect(200)?.json()?;
    let waiting = ready["policy"]["waiting_for_a_yes"].as_u64().unwrap_or(0);
    // Who may read policies finds which they are.
    let policy = desk.holder("audit").get("/v1/policy").await?.expect(200)?.json()?;
    let listed = policy["waits"].as_array().map_or(0, Vec::len);
    ensure!(listed as u64 == waiting, "{waiting} wait: {}", policy["waits"]);
    Ok(waiting)
}

/// Lets Placet look at its policy and at what people said of it.
async fn looks(desk: &Desk) -> Result<()> {
    desk.work_until_idle().await?;
    desk.app()?.policies.look(Look::Routine).await?;
    desk.work_until_idle().await
}

/// What the newest request for a change reads like.
async fn newest(desk: &Desk) -> Result<String> {
    let query = placet::ports::RequestQuery {
        tenant: Some(placet::id::TenantId::new(TENANT)?),
        limit: 1,
        ..placet::ports::RequestQuery::default()
    };
    let store = desk.store()?;
    let requests = placet::ports::RequestStore::list(&store, query).await?;
    let request = requests.first().context("a request")?;
    ensure!(request.proposal.call.is_policy_change(), "{request:?}");
    Ok(request.id.to_string())
}

/// R54: the file is changed; the card shows what, an admin says yes, and it is in force, with their name on record.
#[conversation]
async fn a_change_takes_the_yes_of_another(desk: &mut Desk) -> Result<()> {
    wants_a_yes(desk).await?;
    let before = in_force(desk).await?;
    desk.changes_policy(laxer).await?;
    let card = desk.ops().next_card().await?;
    let text = card.text();
    for shown in [
        "Put the policy desk 2 in force",
        "rule deploys: changed (level)",
        "+level = \"high\"",
        "-level = \"critical\"",
    ] {
        ensure!(text.contains(shown), "no {shown}: {text}");
    }
    ensure!(in_force(desk).await? == before && waiting(desk).await? == 1);
    looks(desk).await?;
    ensure!(desk.ops().messages().len() == 1, "it is asked once");
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("Only").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    looks(desk).await?;
    desk.ops().expect_update(&card, "ran").await?;
    let id = newest(desk).await?;
    desk.reads(
        &id,
        "proposed; checked approve; asked; blocked vic approve: wrong_role; yes bo; approved Bo; claimed; succeeded",
    )
    .await?;
    ensure!(in_force(desk).await?["label"] == "desk 2" && waiting(desk).await? == 0);
    let loads = desk.notes("policy.loaded").await?;
    let EventKind::PolicyLoaded { by, changes, .. } = &loads.last().context("loads")?.kind else {
        anyhow::bail!("{loads:?}")
    };
    ensure!(by.as_deref().is_some_and(|by| by.contains("agreed to by Bo")), "{by:?}");
    ensure!(changes.contains(&"rule deploys: changed (level)".to_owned()), "{changes:?}");
    // What was undone and comes again is asked again.
    desk.changes_policy(|policy| policy.replacen("desk 2", "desk 3", 1)).await?;
    let again = desk.ops().next_card().await?;
    ensure!(again.text().contains("desk 3"));
    Ok(())
}

/// R54: a restart in between puts nothing in force that nobody agreed to, and forgets nothing that somebody did.
#[conversation]
async fn a_restart_agrees_to_nothing(desk: &mut Desk) -> Result<()> {
    wants_a_yes(desk).await?;
    let before = in_force(desk).await?;
    desk.changes_policy(lawless).await?;
    let card = desk.ops().next_card().await?;
    desk.restart().await?;
    ensure!(in_force(desk).await? == before, "the file is not in force");
    looks(desk).await?;
    ensure!(desk.ops().messages().len() == 1, "the card that is there is the card");
    let call = desk.agent().proposes("unheard_of", json!({})).await?;
    let other = desk.ops().next_card().await?;
    desk.reads(&call.id, "proposed; checked approve; asked").await?;
    // The yes comes while nobody is at work on it, and the next process carries it out.
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.restart().await?;
    ensure!(in_force(desk).await? == before);
    looks(desk).await?;
    ensure!(in_force(desk).await? != before);
    desk.ops().expect_update(&card, "ran").await?;
    desk.restart().await?;
    ensure!(in_force(desk).await? != before, "it stays so");
    // What waits is judged again: laxer changes nothing about it.
    ensure!(other.has_buttons());
    desk.reads(&call.id, "proposed; checked approve; asked").await?;
    desk.ops().skims();
    Ok(())
}

/// R54: a no keeps it out, on record and told; asked again only when the file is changed again, or somebody wants it.
#[conversation]
async fn a_no_keeps_it_out(desk: &mut Desk) -> Result<()> {
    wants_a_yes(desk).await?;
    let before = in_force(desk).await?;
    desk.changes_policy(lawless).await?;
    let card = desk.ops().next_card().await?;
    desk.person("dana").denies(&card, "that lets everything through").await?;
    looks(desk).await?;
    desk.ops().expect_update(&card, "Denied").await?;
    let told = desk.alarms().next_card().await?.text();
    ensure!(told.contains("Dana said no to it: that lets everything through"), "{told}");
    looks(desk).await?;
    desk.restart().await?;
    looks(desk).await?;
    ensure!(
        in_force(desk).await? == before && desk.ops().messages().len() == 1,
        "it is not asked again by itself"
    );
    ensure!(desk.notes("policy.refused").await?.len() == 1, "noted once");
    let ready = desk.sends(Ask::new(Method::GET, "/readyz")).await?.json()?;
    ensure!(ready["policy"]["refused"]["errors_count"] == 0, "{ready}");
    desk.app()?.policies.look(Look::Asked).await?;
    let again = desk.ops().next_card().await?;
    ensure!(
        again.text().contains("that lets everything through"),
        "it says what happened before: {}",
        again.text()
    );
    Ok(())
}

/// R54: a newer change takes the place of the one that waits, and a wrong one never becomes a card.
#[conversation]
async fn the_newest_change_counts_and_a_wrong_one_is_no_question(desk: &mut Desk) -> Result<()> {
    wants_a_yes(desk).await?;
    desk.changes_policy(lawless).await?;
    let first = desk.ops().next_card().await?;
    desk.changes_policy(laxer).await?;
    let second = desk.ops().next_card().await?;
    let first = desk.ops().expect_update(&first, "the file says something else now").await?;
    ensure!(!first.has_buttons() && second.text().contains("rule deploys: changed"));
    desk.changes_policy(|policy| policy.replacen("[levels.low]", "[levels.lowest]", 1)).await?;
    desk.ops().expect_update(&second, "the file says something else now").await?;
    ensure!(desk.ops().messages().len() == 2 && waiting(desk).await? == 0, "what is wrong is no question");
    ensure!(desk.alarms().next_card().await?.text().contains("unknown key `lowest`"));
    desk.changes_policy(|policy| policy.replacen("[levels.lowest]", "[levels.low]", 1)).await?;
    let third: Card = desk.ops().next_card().await?;
    // Back to what is in force: nothing is left to ask.
    let in_force = desk.notes("policy.loaded").await?;
    let EventKind::PolicyLoaded { text, .. } = &in_force.last().context("loads")?.kind else {
        anyhow::bail!("{in_force:?}")
    };
    let text = text.clone();
    desk.changes_policy(|_| text).await?;
    desk.ops().expect_update(&third, "the file says something else now").await?;
    ensure!(waiting(desk).await? == 0);
    Ok(())
}

/// R54: nobody else proposes, withdraws or claims what is Placet's own, whatever their credential may do.
#[conversation]
async fn nobody_else_changes_the_policy(desk: &mut Desk) -> Result<()> {
    wants_a_yes(desk).await?;
    desk.changes_policy(laxer).await?;
    let card = desk.ops().next_card().await?;
    let id = newest(desk).await?;
    let request = desk.request(&id).await?;
    let args = request.proposal.call.args.value().clone();
    let forged = json!({
        "tool": "change_policy", "server": "placet", "args": args, "task": "t", "reason": "r",
    });
    let answer = desk.agent().tries_to_propose(Some("k"), &forged).await?;
    ensure!(answer.code() == "reserved_server", "{}", answer.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.work_until_idle().await?;
    let claim = json!({"tool": "change_policy", "server": "placet", "args": args, "key": "k".repeat(40)});
    let answer = desk.agent().post(&format!("/v1/requests/{id}/claim"), &claim).await?;
    ensure!(answer.code() == "reserved_server", "{}", answer.text());
    let answer = desk
        .agent()
        .post(
            &format!("/v1/requests/{id}/claim"),
            &json!({"tool": "change_policy", "args": args, "key": "k".repeat(40)}),
        )
        .await?;
    ensure!(!answer.status.is_success(), "{}", answer.text());
    looks(desk).await?;
    ensure!(in_force(desk).await?["label"] == "desk 2");
    desk.ops().expect_update(&card, "ran").await?;
    Ok(())
}
