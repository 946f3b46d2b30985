//! Whispers that do not arrive, and accounts that cannot be read.

use anyhow::{Result, ensure};
use placet::approval::Status;
use placet::time::Ttl;
use placet_tests::fake_slack::{Fault, Kind, text_of};
use placet_tests::{Desk, conversation};
use serde_json::json;

use super::{FAULTS, for_each, live, proposes, stands};

/// Refusals of a whisper that no later try changes.
fn is_never(fault: &Fault) -> bool {
    matches!(fault, Fault::Code("invalid_blocks" | "msg_blocks_too_long" | "message_not_found"))
}

/// R29, R30: the whisper of a refusal goes wrong in every way there is. It is tried again, or said directly; meanwhile
/// somebody else's click decides as if nothing were.
#[test]
fn whispers_that_fail_hold_up_nothing() -> Result<()> {
    for_each(FAULTS, async |desk, fault| {
        let call = proposes(desk).await?;
        let card = desk.ops().next_card().await?;
        desk.slack().fail_next("chat.postEphemeral", fault.clone());
        desk.person("vic").clicks(&card, "Approve").await?;
        desk.work_until_idle().await?;
        desk.person("bo").clicks(&card, "Approve").await?;
        desk.work_until_idle().await?;
        stands(desk, &call, Status::Approved).await?;
        let card = desk.ops().expect_update(&card, "Approved").await?;
        ensure!(!card.has_buttons());
        desk.minutes_pass(3).await?;
        let vic = desk.person("vic").user();
        let whispered = desk.slack().ephemerals(&vic).iter().map(text_of).collect::<Vec<_>>();
        let direct =
            desk.slack().messages(&vic.replacen('U', "D", 1)).iter().map(text_of).collect::<Vec<_>>();
        let told = whispered.iter().chain(&direct).any(|text| text.contains("admin"));
        ensure!(told || is_never(fault), "{whispered:?} {direct:?}");
        desk.reads(
            &call.id,
            "proposed; checked approve; asked; blocked vic approve: wrong_role; yes bo; approved Bo",
        )
        .await
    })
}

/// R17, R29, R30: what an account is cannot be read, in every way there is. The click is kept, refused with why, and
/// never a yes by default; when Slack answers again, the next click decides.
#[test]
fn an_account_that_cannot_be_read_is_no_yes() -> Result<()> {
    for_each(FAULTS, async |desk, fault| {
        let call = proposes(desk).await?;
        let card = desk.ops().next_card().await?;
        desk.slack().fail_next("users.info", fault.clone());
        desk.person("bo").clicks(&card, "Approve").await?;
        stands(desk, &call, Status::WaitingApproval).await?;
        desk.person("bo").is_whispered("could not be checked").await?;
        stands(desk, &call, Status::WaitingApproval).await?;
        let claim = desk.agent().tries_to_claim(&call, &"1".repeat(40)).await?;
        ensure!(claim.code() == "not_approved", "{}", claim.text());
        desk.minutes_pass(1).await?;
        ensure!(live(desk).len() == 1, "it is still asked");
        desk.person("bo").clicks(&card, "Approve").await?;
        desk.ops().expect_update(&card, "Approved").await?;
        super::no_denial(desk, &call).await
    })
}

/// R11, R17: the click is kept before anything is known of who clicked; the process dies; another one decides it.
#[conversation]
async fn a_kept_click_outlives_the_process(desk: &mut Desk) -> Result<()> {
    let call = proposes(desk).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    stands(desk, &call, Status::WaitingApproval).await?;
    desk.restart().await?;
    let card = desk.ops().expect_update(&card, "Approved").await?;
    ensure!(!card.has_buttons());
    stands(desk, &call, Status::Approved).await
}

/// R17, R18: of two who must say yes, the first loses the account in between: that yes no longer counts.
#[conversation]
async fn a_vote_lapses_with_its_account(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("deploy", json!({"app": "api"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.slack().set_kind(&desk.person("bo").user(), Kind::Deactivated);
    desk.passes(Ttl::from_secs(61)).await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    stands(desk, &call, Status::WaitingApproval).await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("deactivated").await?;
    desk.person("dana").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; yes bo; lapsed bo; yes chen; blocked bo approve: no_standing; yes dana; \
         approved Chen, Dana",
    )
    .await
}

/// R17, R18: between the votes of two approvers the first one's account cannot be read: nobody loses a vote by it, and
/// nothing is decided until it can.
#[conversation]
async fn an_unreadable_account_costs_nobody_a_vote(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("deploy", json!({"app": "api"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.passes(Ttl::from_secs(61)).await?;
    desk.slack().fail_always("users.info", Fault::Status(503));
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.person("chen").is_whispered("could not be checked").await?;
    stands(desk, &call, Status::WaitingApproval).await?;
    desk.slack().heal();
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    stands(desk, &call, Status::Approved).await
}
