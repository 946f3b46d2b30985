//! A tenant's own policy on top of the installation's: it adds and tightens, and loosens nothing that is fixed.

use anyhow::{Context as _, Result, ensure};
use axum::http::Method;
use placet_tests::desk::TENANT;
use placet_tests::http::Ask;
use placet_tests::{Desk, conversation};
use serde_json::{Value, json};

/// The installation has fixed that an admin decides about deleting, and how calls of that level are decided.
async fn deletes_are_fixed(desk: &Desk) -> Result<()> {
    desk.has_policy(|policy| {
        let policy = policy.replacen("[levels.high]\n", "[levels.high]\nfixed = true\n", 1);
        policy.replacen("name = \"deletes\"\n", "name = \"deletes\"\nfixed = true\n", 1)
    })
    .await
}

/// The desk's own tenant has this policy of its own.
async fn has_own(desk: &Desk, text: &str) -> Result<()> {
    desk.has_tenant_policies(&[(TENANT, text)]).await
}

async fn changes_own(desk: &Desk, text: &str) -> Result<()> {
    desk.changes_policy_of(TENANT, |_| text.to_owned()).await
}

async fn refused(desk: &Desk) -> Result<Value> {
    let ready = desk.sends(Ask::new(Method::GET, "/readyz")).await?.json()?;
    Ok(ready["policy"].get("refused").cloned().unwrap_or_default())
}

/// R19: what a tenant's file adds holds beside the installation's, as soon as the file is changed; for that tenant, and
/// for no other.
#[conversation]
async fn a_tenants_file_adds_and_tightens(desk: &mut Desk) -> Result<()> {
    deletes_are_fixed(desk).await?;
    has_own(desk, "version = \"acme-1\"\n").await?;
    let before = desk.agent().proposes("delete_file", json!({"path": "prod/a.txt"})).await?;
    let first = desk.ops().next_card().await?;
    changes_own(desk,
        "version = \"acme-2\"\n[[raise]]\nname = \"production\"\ntools = [\"delete_*\"]\nwhen = \
         'args.path.startsWith(\"prod/\")'\nto = \"critical\"\nbecause = \"Two of us look at production.\"\n[[forbid]]\nname = \
         \"no exports\"\ntools = [\"export_*\"]\nbecause = \"Our data stays here.\"\n",
    )
    .await?;
    ensure!(refused(desk).await?.is_null());
    let first = desk.ops().expect_update(&first, "Two of us look at production.").await?;
    ensure!(!first.has_buttons(), "it asks for more now, and what waited is taken back:\n{}", first.text());
    desk.reads(&before.id, "proposed; checked approve; asked; rejudged").await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "prod/b.txt"})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("Two of us look at production."), "{}", card.text());
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "ran").await?;
    let export = desk.agent().proposes("export_all", json!({})).await?;
    let told = desk.agent().reads(&export.id).await?.expect(200)?.json()?;
    ensure!(told["decision"] == "denied by policy: Our data stays here.", "{told}");

    desk.has_credential("globex-agent", "globex", &[placet::ports::Scope::Propose]).await?;
    let theirs = desk.holder("globex-agent").proposes("export_all", json!({})).await?;
    let told = desk.holder("globex-agent").reads(&theirs.id).await?.expect(200)?.json()?;
    ensure!(told["decision"].as_str().is_none_or(|told| !told.contains("Our data")), "{told}");
    desk.ran_times(&call, 1)
}

/// R19: a tenant's rule that lets through what the installation has fixed is asked about all the same, by the
/// installation's people; and so is what the tenant only looks on at. What is not fixed is the tenant's own to grade.
#[conversation]
async fn a_tenants_rule_never_loosens_what_is_fixed(desk: &mut Desk) -> Result<()> {
    deletes_are_fixed(desk).await?;
    has_own(desk,
        "version = \"acme-1\"\nshadow = true\n[[rule]]\nname = \"ours\"\ntools = [\"delete_*\", \"deploy\", \"drop_*\"]\nlevel \
         = \"low\"\nbecause = \"We know what we do.\"\n",
    )
    .await?;
    let deploy = desk.agent().proposes("deploy", json!({"app": "api"})).await?;
    desk.agent().runs(&deploy).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("Deleting cannot be undone."), "{}", card.text());
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("admin").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.agent().runs(&call).await?;
    desk.ops().expect_update(&card, "ran").await?;
    let never = desk.agent().proposes("drop_table", json!({"table": "users"})).await?;
    let claim = desk.agent().tries_to_claim(&never, &"2".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "{}", claim.text());
    let told = desk.agent().reads(&never.id).await?.expect(200)?.json()?;
    ensure!(told["decision"] == "denied by policy: Tables are dropped by migrations only.", "{told}");
    desk.ran_times(&call, 1)?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked agent claim: not_approved; blocked vic approve: wrong_role; yes bo; \
         approved Bo; claimed; succeeded",
    )
    .await
}

/// R19, R14: a tenant's file that says otherwise what the installation has fixed is refused, at the key that says it, and
/// the one before stays in force: whoever it would have let decide does not.
#[conversation]
async fn a_tenants_file_that_loosens_is_refused(desk: &mut Desk) -> Result<()> {
    deletes_are_fixed(desk).await?;
    has_own(desk, "version = \"acme-1\"\n").await?;
    for (looser, key) in [
        ("[levels.high]\nrole = \"viewer\"\n", "stages"),
        ("[levels.high]\nvalid_for = \"8h\"\n", "valid_for"),
        ("[levels.high]\ntier = \"suggest\"\n", "tier"),
        ("[levels.high]\nfixed = false\n", "fixed"),
        ("[roles]\nbreak_glass = [\"viewer\"]\n", "decide alone"),
    ] {
        changes_own(desk, &format!("version = \"acme-2\"\n{looser}")).await?;
        let now = refused(desk).await?;
        ensure!(now["errors_count"].as_u64().is_some_and(|count| count > 0), "{key}: {now}");
        let told = desk.alarms().next_card().await.context(key)?.text();
        ensure!(told.contains("acme.toml:") && told.contains(key), "{key}: {told}");
    }
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("admin").await?;
    changes_own(desk, "version = \"acme-3\"\n[levels.high]\nvalid_for = \"5m\"\n").await?;
    ensure!(refused(desk).await?.is_null(), "shorter is stricter");
    let card = desk.ops().expect_update(&card, "the policy became stricter").await?;
    ensure!(!card.has_buttons(), "{}", card.text());
    desk.reads(&call.id, "proposed; checked approve; asked; blocked vic approve: wrong_role; rejudged").await
}
