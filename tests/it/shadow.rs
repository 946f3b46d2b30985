//! Shadow mode: grade live calls, block nothing but what is forbidden, and say what would have been asked.

use anyhow::{Result, ensure};
use placet::policy::Tier;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// R45: a risky call runs unasked, the record says what would have been asked, and what is forbidden stays so.
#[conversation]
async fn shadow_mode_blocks_nothing_and_tells_what_it_would_have_asked(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replacen("version = \"desk\"\n", "version = \"desk\"\nshadow = true\n", 1)
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    desk.agent().runs(&call).await?;
    desk.ran_times(&call, 1)?;
    let never = desk.agent().proposes("drop_table", json!({"table": "users"})).await?;
    let claim = desk.agent().tries_to_claim(&never, &"1".repeat(40)).await?;
    ensure!(claim.code() == "not_approved", "what is forbidden is not looked on at: {}", claim.text());
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().is_empty(), "nobody is asked");
    let request = desk.request(&call.id).await?;
    let shadow = request.verdict.as_deref().and_then(|verdict| verdict.shadow.as_ref());
    ensure!(
        shadow.is_some_and(|shadow| shadow.tier == Tier::Approve && shadow.terms.is_some()),
        "{shadow:?}"
    );
    desk.reads(&call.id, "proposed; checked auto; claimed; succeeded").await
}
