//! Who people are at one moment: accounts, groups, stand-ins, on call.

use anyhow::{Result, ensure};
use placet::time::Ttl;
use placet_tests::fake_slack::{Kind, TEAM_ID};
use placet_tests::{Call, Desk, conversation};
use serde_json::json;

/// What a level says in the desk's policy.
const HIGH: &str = "[levels.high]\ntier = \"approve\"\nrole = \"admin\"\n";

/// How long until nothing that was read before can be rested on any more.
const FACTS_OLD: Ttl = Ttl::from_secs(61);

/// High calls are decided by this role from now on, which the rest of the policy gives to somebody.
async fn decided_by(desk: &Desk, role: &str, more: &str) -> Result<()> {
    desk.has_policy(|policy| {
        let policy = policy.replace(HIGH, &format!("[levels.high]\ntier = \"approve\"\nrole = \"{role}\"\n"));
        format!("{policy}\n{more}\n")
    })
    .await
}

/// The user group `releasers`, with Bo and somebody whom the policy does not name; whoever is in it is a releaser.
async fn releasers(desk: &Desk) -> Result<String> {
    let group = desk.slack().user_group("releasers", &["bo", "eve"]);
    let policy = format!("[[groups]]\nslack = \"{TEAM_ID}/{group}\"\nroles = [\"releaser\"]");
    decided_by(desk, "releaser", &policy).await?;
    Ok(group)
}

/// The call runs, and everybody sees its card become the record.
async fn runs(desk: &Desk, call: &Call) -> Result<()> {
    desk.agent().runs(call).await?;
    desk.work_until_idle().await?;
    desk.ops().skims();
    Ok(())
}

/// R17, R18: Bo votes at the console and then in Slack, and is one person both times.
#[conversation]
async fn one_person_on_two_identities_is_one_vote(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    let console = desk.holder("bo-console");
    console.reads(&call.id).await?.expect(200)?;
    console.post("/approvals", &json!({"requestId": call.id, "approved": true})).await?.expect(200)?;
    let card = desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("counts once").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(&call.id, "proposed; checked approve; asked; yes bo; yes chen; approved Bo, Chen").await
}

/// R17: whoever is in a user group has its role: somebody of the policy, and somebody whom it does not name.
#[conversation]
async fn a_user_group_makes_people_approvers(desk: &mut Desk) -> Result<()> {
    releasers(desk).await?;
    for name in ["eve", "bo"] {
        let call = desk.agent().proposes("delete_file", json!({"path": name})).await?;
        let card = desk.ops().next_card().await?;
        desk.person("vic").clicks(&card, "Approve").await?;
        desk.person("vic").is_whispered("releaser").await?;
        desk.person(name).clicks(&card, "Approve").await?;
        desk.ops().expect_update(&card, "Approved").await?;
        runs(desk, &call).await?;
        let call = desk.request(&call.id).await?;
        ensure!(call.decided_by().len() == 1, "{:?}", call.decided_by());
    }
    Ok(())
}

/// R17: who was taken out of the group between card and click cannot decide.
#[conversation]
async fn who_left_the_group_between_card_and_click_decides_nothing(desk: &mut Desk) -> Result<()> {
    let group = releasers(desk).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    for name in ["eve", "bo"] {
        desk.slack().leave_group(&group, &desk.person(name).user());
    }
    desk.person("eve").clicks(&card, "Approve").await?;
    desk.person("eve").is_whispered("policy").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("releaser").await?;
    let request = desk.request(&call.id).await?;
    ensure!(request.votes.is_empty(), "{:?}", request.votes);
    Ok(())
}

/// R17, R34: nobody decides whose group cannot be read, whatever else they are; who comes another way still can.
#[conversation]
async fn a_group_that_cannot_be_read_decides_nothing(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("usergroups.users.list", "no_such_subteam");
    let group = releasers(desk).await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().set_group_readable(&group, false);
    for name in ["bo", "chen"] {
        desk.person(name).clicks(&card, "Approve").await?;
        desk.person(name).is_whispered("Slack does not answer").await?;
    }
    let console = desk.holder("bo-console");
    console.reads(&call.id).await?.expect(200)?;
    console.post("/approvals", &json!({"requestId": call.id, "approved": true})).await?.expect(200)?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    desk.slack().set_group_readable(&group, true);
    desk.slack().set_group_disabled(&group, true);
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.person("chen").is_whispered("disabled").await?;
    desk.slack().set_group_disabled(&group, false);
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; refused bo: no_standing; refused chen: no_standing; yes bo; \
         yes chen; approved Bo, Chen",
    )
    .await
}

/// R17: whose account was closed between card and click cannot decide; others can.
#[conversation]
async fn who_was_deactivated_between_card_and_click_decides_nothing(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.slack().set_kind(&desk.person("bo").user(), Kind::Deactivated);
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("deactivated").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked bo approve: no_standing; yes chen; approved Chen",
    )
    .await
}

/// R7, R17: an approval is worth what its approvers are at the claim: closed since, out of the group since, or nobody
/// can tell; and what can be told again is worth its own again.
#[conversation]
async fn who_lost_it_between_yes_and_claim_has_approved_nothing(desk: &mut Desk) -> Result<()> {
    let group = releasers(desk).await?;
    let mut calls = Vec::new();
    for path in ["a.txt", "b.txt"] {
        let call = desk.agent().proposes("delete_file", json!({"path": path})).await?;
        let card = desk.ops().next_card().await?;
        desk.person("eve").clicks(&card, "Approve").await?;
        desk.ops().expect_update(&card, "Approved").await?;
        calls.push(call);
    }
    desk.clock().passes(FACTS_OLD);
    desk.slack().set_group_readable(&group, false);
    let dark = desk.agent().tries_to_claim(&calls[0], &"1".repeat(40)).await?;
    ensure!(dark.code() == "standing_unreadable", "{}", dark.text());
    desk.slack().set_group_readable(&group, true);
    runs(desk, &calls[0]).await?;

    desk.clock().passes(FACTS_OLD);
    desk.slack().leave_group(&group, &desk.person("eve").user());
    let left = desk.agent().tries_to_claim(&calls[1], &"2".repeat(40)).await?;
    ensure!(left.code() == "approver_lapsed", "{}", left.text());
    desk.slack().user_group("releasers", &["eve"]);
    desk.clock().passes(FACTS_OLD);
    desk.slack().set_kind(&desk.person("eve").user(), Kind::Deactivated);
    let closed = desk.agent().tries_to_claim(&calls[1], &"3".repeat(40)).await?;
    ensure!(closed.code() == "approver_lapsed", "{}", closed.text());
    desk.work_until_idle().await?;
    desk.ops().skims();
    Ok(())
}

/// R17: who is away decides nothing; who stands in for them does, until they are back.
#[conversation]
async fn a_stand_in_decides_while_somebody_is_away(desk: &mut Desk) -> Result<()> {
    desk.has_policy(|policy| {
        policy.replace(
            "id = \"chen\"\n",
            "id = \"chen\"\naway = [{ from = 2026-11-30, until = 2026-12-01, stand_in = \"vic\" }]\n",
        )
    })
    .await?;
    let call = desk.agent().proposes("deploy", json!({"app": "api", "tag": "v42"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.person("chen").is_whispered("away").await?;
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    runs(desk, &call).await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked chen approve: no_standing; yes vic; yes bo; approved Vic, Bo; claimed; \
         succeeded",
    )
    .await?;

    // Midnight in the policy's zone, ten hours later: Chen is back.
    desk.passes(Ttl::from_mins(10 * 60)).await?;
    desk.agent().proposes("deploy", json!({"app": "api", "tag": "v43"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("admin").await?;
    desk.person("chen").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "1 of 2").await?;
    Ok(())
}

/// R40: the rota hands over while a request waits: from then on the next one decides, and only they.
#[conversation]
async fn the_rota_hands_over_while_a_request_waits(desk: &mut Desk) -> Result<()> {
    let rota = "[calendar]\nzone = \"Europe/Berlin\"\n[[on_call]]\nname = \"days\"\nrole = \"on_call\"\nrota = { people = \
                [\"vic\", \"sam\"], first = 2026-11-29, at = \"15:10\", every_days = 1 }";
    decided_by(desk, "on_call", rota).await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("sam").clicks(&card, "Approve").await?;
    desk.person("sam").is_whispered("on_call").await?;
    desk.passes(Ttl::from_mins(10)).await?;
    desk.alarms().skims();
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("on_call").await?;
    desk.person("sam").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    runs(desk, &call).await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked sam approve: wrong_role; alarm waits_long; blocked vic approve: \
         wrong_role; yes sam; approved Sam; claimed; succeeded",
    )
    .await
}

/// R40: by PagerDuty the current tier decides, not everybody in its escalation policy; while PagerDuty cannot be read
/// nobody does by it, and is told why.
#[conversation]
async fn pagerduty_says_who_is_on_call(desk: &mut Desk) -> Result<()> {
    desk.pagerduty().puts_on_call(("PESCAL1", 1), "PVIC001", None);
    desk.pagerduty().puts_on_call(("PESCAL1", 2), "PSAM001", None);
    decided_by(desk, "on_call", "[[on_call]]\nname = \"pager\"\nrole = \"on_call\"\npagerduty = \"PESCAL1\"")
        .await?;
    desk.has_policy(|policy| {
        let policy = policy.replace("id = \"vic\"\n", "id = \"vic\"\npagerduty = [\"PVIC001\"]\n");
        policy.replace("id = \"sam\"\n", "id = \"sam\"\npagerduty = [\"PSAM001\"]\n")
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("sam").clicks(&card, "Approve").await?;
    desk.person("sam").is_whispered("on_call").await?;
    desk.clock().passes(FACTS_OLD);
    desk.pagerduty().answers_with(Some(503));
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("PagerDuty does not answer").await?;
    desk.pagerduty().answers_with(None);
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    runs(desk, &call).await?;
    desk.ran_times(&call, 1)
}

/// R40: by a calendar whoever its event names decides, for as long as it goes on.
#[conversation]
async fn a_calendar_says_who_is_on_call(desk: &mut Desk) -> Result<()> {
    desk.calendar().has_events(
        "BEGIN:VEVENT\nUID:1\nDTSTART:20261130T090000Z\nDTEND:20261130T150000Z\nATTENDEE:mailto:vic@example.org\nEND:VEVENT\n",
    );
    let url = desk.calendar().url();
    let schedule = format!("[[on_call]]\nname = \"shifts\"\nrole = \"on_call\"\ncalendar = \"{url}\"");
    decided_by(desk, "on_call", &schedule).await?;
    desk.has_policy(|policy| {
        policy.replace("id = \"vic\"\n", "id = \"vic\"\nemail = [\"vic@example.org\"]\n")
    })
    .await?;
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    runs(desk, &call).await?;
    desk.passes(Ttl::from_mins(60)).await?;
    desk.agent().proposes("delete_file", json!({"path": "b.txt"})).await?;
    let card = desk.ops().next_card().await?;
    desk.person("vic").clicks(&card, "Approve").await?;
    desk.person("vic").is_whispered("on_call").await
}
