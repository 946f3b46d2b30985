//! The files of tenants' policies: what is wrong in one, what it changes, and whom that concerns.

use anyhow::{Context as _, Result, ensure};
use axum::http::Method;
use placet::approval::Status;
use placet::record::EventKind;
use placet_tests::desk::TENANT;
use placet_tests::http::Ask;
use placet_tests::{Desk, conversation};
use serde_json::{Value, json};

use super::{ACME, GLOBEX, OTHER, delete, policy_of, status, two_tenants};

async fn ready(desk: &Desk) -> Result<Value> {
    desk.sends(Ask::new(Method::GET, "/readyz")).await?.expect(200)?.json()
}

async fn metrics(desk: &Desk) -> Result<String> {
    Ok(desk.sends(Ask::new(Method::GET, "/metrics")).await?.expect(200)?.text())
}

/// R14, R19: a tenant's file that loosens what the installation has fixed is refused, with file, line and caret, when it is
/// checked and when it is found; everything stays as it was, and only the tenant whose file it is reads of it.
#[conversation]
async fn a_file_that_loosens_what_is_fixed_is_refused(desk: &mut Desk) -> Result<()> {
    two_tenants(desk).await?;
    let before = (policy_of(desk, "audit").await?, policy_of(desk, "globex-audit").await?);
    let line = GLOBEX.lines().count() + 3;
    desk.changes_policy_of(OTHER, |own| format!("{own}\n[levels.critical]\ncount = 1\n")).await?;
    let place = format!("globex.toml:{line}:1");
    let refused = &policy_of(desk, "globex-audit").await?["refused"]["errors"];
    let errors = refused.as_str().context("what is wrong")?;
    let says = "this loosens `stages` of level critical, which the installation has fixed";
    ensure!(errors.contains(says) && errors.contains(&place) && errors.contains("| count = 1"), "{errors}");
    ensure!(errors.lines().any(|line| line.trim_start().starts_with('|') && line.ends_with('^')), "{errors}");

    // The same where it is checked before anything reads it.
    let program = env!("CARGO_BIN_EXE_placet-under-test");
    let checked = desk.commands(program, &["policy", "check", "--config", "placet.toml"])?;
    ensure!(checked.code == 1 && checked.out.contains(&place) && checked.out.contains(says), "{checked:?}");

    let mut after = policy_of(desk, "globex-audit").await?;
    after.as_object_mut().map(|policy| policy.remove("refused"));
    ensure!(after == before.1, "what was in force is in force: {after}");
    ensure!(policy_of(desk, "audit").await? == before.0, "the other tenant reads nothing of it");
    ensure!(desk.notes_of(TENANT, "policy.refused").await?.is_empty());
    ensure!(desk.alarms().messages().is_empty(), "nor are its operators told");
    let now = ready(desk).await?;
    ensure!(now["status"] == "ready" && now["policy"]["refused"]["errors_count"] == 1, "{now}");
    ensure!(metrics(desk).await?.contains("\nplacet_policy_refused 1\n"));
    let deploy = desk.holder("globex-agent").proposes("deploy", json!({"app": "api"})).await?;
    desk.holder("gil-console").approves(&deploy).await?;
    ensure!(status(desk, "globex-agent", &deploy).await? == "waiting_approval", "two people are asked still");
    Ok(())
}

/// R14, R19: a changed file of one tenant judges that tenant's open and unspent requests again, and nobody else's; a wrong
/// one changes nothing, and is shown in `/readyz`, on `/metrics` and in that tenant's record.
#[conversation]
async fn a_tenants_changed_file_is_about_its_own_requests(desk: &mut Desk) -> Result<()> {
    two_tenants(desk).await?;
    let globex = desk.holder("globex-agent");
    let approved = desk.agent().proposes_with("1", delete("a.txt")).await?;
    let first = desk.ops().next_card().await?;
    desk.person("bo").clicks(&first, "Approve").await?;
    desk.ops().expect_update(&first, "Approved").await?;
    let waiting = desk.agent().proposes_with("2", delete("b.txt")).await?;
    let second = desk.ops().next_card().await?;
    let their_approved = globex.proposes_with("3", delete("a.txt")).await?;
    desk.holder("gil-console").approves(&their_approved).await?;
    let their_waiting = globex.proposes_with("4", delete("b.txt")).await?;
    let their_record = (desk.events(&their_approved.id).await?, desk.events(&their_waiting.id).await?);
    let their_policy = policy_of(desk, "globex-audit").await?;
    let loads = desk.notes_of(OTHER, "policy.loaded").await?.len();

    let forbid =
        "\n[[forbid]]\nname = \"inventory\"\ntools = [\"delete_*\"]\nbecause = \"We count our files.\"\n";
    desk.changes_policy_of(TENANT, |own| format!("{own}{forbid}")).await?;
    for (call, card) in [(&approved, &first), (&waiting, &second)] {
        let card = desk.ops().expect_update(card, "We count our files.").await?;
        ensure!(!card.has_buttons(), "{}", card.text());
        ensure!(desk.request(&call.id).await?.status() == Status::Revoked);
    }
    let claim = desk.agent().tries_to_claim(&approved, &"1".repeat(40)).await?;
    ensure!(claim.status == 409 && claim.code() == "not_approved", "{}", claim.text());
    let last = desk.notes("policy.loaded").await?;
    let EventKind::PolicyLoaded { changes, tenant_text, .. } = &last.last().context("a load")?.kind else {
        anyhow::bail!("{last:?}")
    };
    ensure!(*changes == ["tenant's own: forbid inventory: added"], "{changes:?}");
    ensure!(tenant_text.as_deref().is_some_and(|own| own.contains("We count our files.")), "{tenant_text:?}");

    let now = (desk.events(&their_approved.id).await?, desk.events(&their_waiting.id).await?);
    ensure!(now == their_record, "nothing was said of the other tenant's: {now:?}");
    ensure!(policy_of(desk, "globex-audit").await? == their_policy, "whose policy is the one it was");
    ensure!(desk.notes_of(OTHER, "policy.loaded").await?.len() == loads, "nor is it loaded anew");
    globex.runs(&their_approved).await?;
    desk.holder("gus-console").approves(&their_waiting).await?;
    globex.runs(&their_waiting).await?;
    desk.reads(
        &their_waiting.id,
        "proposed; checked approve; asked; yes credential/gus-console; approved Gus; claimed; succeeded",
    )
    .await?;

    // A wrong one: what was in force before it still is, for both.
    let in_force = ready(desk).await?["policy"]["in_force"].clone();
    let before = policy_of(desk, "audit").await?;
    desk.changes_policy_of(TENANT, |own| own.replacen("[[forbid]]", "[[forbids]]", 1)).await?;
    let told = desk.alarms().next_card().await?.text();
    ensure!(told.contains("A new policy is not in force") && told.contains("acme.toml:3:3"), "{told}");
    let now = ready(desk).await?;
    ensure!(now["status"] == "ready" && now["policy"]["in_force"] == in_force, "{now}");
    ensure!(now["policy"]["refused"]["errors_count"] == 1, "{now}");
    ensure!(metrics(desk).await?.contains("\nplacet_policy_refused 1\n"));
    let refused = policy_of(desk, "audit").await?;
    ensure!(refused["digest"] == before["digest"], "{refused}");
    ensure!(refused["refused"]["errors"].as_str().is_some_and(|all| all.contains("--> ")), "{refused}");
    ensure!(policy_of(desk, "globex-audit").await? == their_policy, "the other tenant reads nothing of it");
    ensure!(desk.notes_of(OTHER, "policy.refused").await?.is_empty());
    let forbidden = desk.agent().proposes("close_shop", json!({"shop": "north"})).await?;
    desk.reads(&forbidden.id, "proposed; checked forbid; rejected").await?;
    let asked = globex.proposes_with("5", delete("c.txt")).await?;
    ensure!(status(desk, "globex-agent", &asked).await? == "waiting_approval");

    // Right again, and less strict: what was revoked stays so.
    desk.changes_policy_of(TENANT, |_| ACME.to_owned()).await?;
    ensure!(ready(desk).await?["policy"].get("refused").is_none());
    ensure!(metrics(desk).await?.contains("\nplacet_policy_refused 0\n"));
    ensure!(desk.request(&waiting.id).await?.status() == Status::Revoked);
    let claim = desk.agent().tries_to_claim(&approved, &"2".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    Ok(())
}

/// R19: what is wrong in two tenants' files at once is told to each of its own alone, and so is a file that is gone; an
/// installation's file that is wrong is everybody's.
#[conversation]
async fn nobody_reads_of_another_tenants_file(desk: &mut Desk) -> Result<()> {
    two_tenants(desk).await?;
    let refused = async |auditor: &str| -> Result<String> {
        Ok(policy_of(desk, auditor).await?["refused"]["errors"].as_str().unwrap_or_default().to_owned())
    };
    desk.writes_policy_of(TENANT, |own| own.replacen("[[forbid]]", "[[forbids]]", 1))?;
    desk.writes_policy_of(OTHER, |own| own.replacen("[[rule]]", "[[rules]]", 1))?;
    desk.looks_at_policies().await?;
    let _ = desk.alarms().next_card().await?;
    ensure!(ready(desk).await?["policy"]["refused"]["errors_count"] == 2);
    let own = refused("audit").await?;
    ensure!(own.contains("forbids") && own.contains("acme.toml") && own.ends_with("1 error"), "{own}");
    ensure!(!own.contains("globex") && !own.contains("[[rules]]"), "{own}");
    let own = refused("globex-audit").await?;
    ensure!(own.contains("[[rules]]") && own.contains("globex.toml") && own.ends_with("1 error"), "{own}");
    ensure!(!own.contains("acme") && !own.contains("forbids"), "{own}");

    desk.writes_policy_of(OTHER, |_| GLOBEX.to_owned())?;
    desk.changes_policy_of(TENANT, |_| ACME.to_owned()).await?;
    ensure!(ready(desk).await?["policy"].get("refused").is_none());
    let before = desk.notes_of(OTHER, "policy.refused").await?.len();
    std::fs::remove_file(desk.folder().join("acme.toml"))?;
    desk.looks_at_policies().await?;
    let told = desk.alarms().next_card().await?.text();
    ensure!(told.contains("acme.toml") && told.contains("cannot be read"), "{told}");
    ensure!(ready(desk).await?["policy"]["refused"]["errors_count"] == 1);
    ensure!(
        desk.notes_of(OTHER, "policy.refused").await?.len() == before,
        "{}",
        refused("globex-audit").await?
    );

    // A tool that the first tenant's file describes and lets through ungraded, which the settings do not go together with.
    let lax = "\n[default]\nlevel = \"low\"\n\n[tools.mend]\ntitle = \"Mend {what}\"\n";
    desk.changes_policy_of(TENANT, |own| format!("{own}{lax}")).await?;
    let told = desk.alarms().next_card().await?.text();
    ensure!(told.contains("is mapped but has no gate"), "{told}");
    ensure!(
        desk.notes_of(OTHER, "policy.refused").await?.len() == before,
        "{}",
        refused("globex-audit").await?
    );

    desk.changes_policy(|policy| policy.replacen("[levels.low]", "[levels.lowest]", 1)).await?;
    let _ = desk.alarms().next_card().await?;
    for auditor in ["audit", "globex-audit"] {
        let everybodys = refused(auditor).await?;
        ensure!(everybodys.contains("unknown key `lowest`"), "{everybodys}");
    }
    Ok(())
}
