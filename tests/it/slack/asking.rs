//! Asking back: a question from the card, neither yes nor no.

use anyhow::{Result, ensure};
use placet_tests::fake_slack::{Message, SubmissionOutcome};
use placet_tests::{Card, Desk, conversation};
use serde_json::json;

/// R46, R8: a question to the agent stands on the card, who asked it and when; the agent reads it without a name, also when it
/// waits for the decision, and its answer stands on the card as the agent's words. The time to decide does not move.
#[conversation]
async fn the_agent_is_asked_and_answers(desk: &mut Desk) -> Result<()> {
    let call = desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let card = desk.ops().next_card().await?;
    let before = desk.agent().reads(&call.id).await?.json()?;
    ensure!(before["questions"].is_null(), "{before}");
    let view = desk.person("vic").opens_by_choice(&card, "Ask").await?;
    desk.person("vic").fills(&view, &[("Question", "why?")]).await?;
    desk.person("vic").is_whispered("Only admins decide this.").await?;

    let view = desk.person("bo").opens_by_choice(&card, "Ask").await?;
    ensure!(!view.text().contains("who asked for it"), "nobody here is known to have asked: {}", view.text());
    desk.restart().await?;
    let path = format!("/v1/requests/{}?wait=25s", call.id);
    let app = desk.app()?;
    let token = desk.token("agent")?;
    let waiting = tokio::spawn(async move {
        let ask = placet_tests::http::Ask::new(axum::http::Method::GET, &path).token(&token)?;
        ask.send(app.router.clone()).await
    });
    tokio::task::yield_now().await;
    let done = desk.person("bo").fills_twice(&view, &[("Question", "is there a <!channel> backup?")]).await?;
    ensure!(done == SubmissionOutcome::Cleared, "{done:?}");
    let card = desk.ops().expect_update(&card, "Bo to the agent").await?;
    ensure!(card.text().contains("No answer yet.") && card.has_buttons(), "{}", card.text());
    let read = waiting.await??.expect(200)?.json()?;
    let asked = &read["questions"][0];
    ensure!(asked["number"] == 1 && asked["question"] == "is there a <!channel> backup?", "{read}");
    ensure!(!read.to_string().contains("Bo") && read["status"] == "waiting_approval", "{read}");

    let answers = format!("/v1/requests/{}/answer", call.id);
    desk.has_credential("stranger", placet_tests::desk::TENANT, &[placet::ports::Scope::Propose]).await?;
    desk.holder("stranger").post(&answers, &json!({"answer": "yes"})).await?.expect(404)?;
    let answer = json!({"answer": "yes, from *tonight*", "question": 1});
    let answered = desk.agent().post(&answers, &answer).await?.expect(200)?.json()?;
    ensure!(answered["questions"][0]["answer"] == "yes, from *tonight*", "{answered}");
    ensure!(answered["expires_at"] == before["expires_at"], "the time to decide does not move");
    let twice = desk.agent().post(&answers, &answer).await?;
    ensure!(twice.code() == "out_of_order", "{}", twice.text());
    desk.work_until_idle().await?;
    let told = desk.slack().next_message(&direct(desk, "bo")).await?;
    ensure!(placet_tests::fake_slack::text_of(&told).contains("in the agent’s words"), "{told:?}");
    let card = desk.ops().expect_update(&card, "Answer in the agent’s words").await?;
    ensure!(placet_tests::fake_slack::active_markup(&card.message).is_empty(), "words are text");
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    let late = desk.agent().post(&answers, &json!({"answer": "more"})).await?;
    ensure!(late.code() == "out_of_order", "{}", late.text());
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; blocked vic ask: wrong_role; question bo; answer agent; refused agent: no_open_question; \
         yes bo; approved Bo; refused agent: already_decided",
    )
    .await
}

fn direct(desk: &Desk, name: &str) -> String {
    desk.person(name).user().replacen('U', "D", 1)
}

/// R46: who asked for the call, where Slack knows them, is asked directly, with the way to answer; nobody else can, the answer
/// stands on the card as theirs, and once answered it is over.
#[conversation]
async fn who_asked_for_it_is_asked_directly(desk: &mut Desk) -> Result<()> {
    desk.has_gateway("assistant").await?;
    let ana = format!("slack:{}/{}", placet_tests::fake_slack::TEAM_ID, desk.person("ana").user());
    let body = json!({"tool": "delete_file", "args": {"path": "a.txt"}, "on_behalf_of": ana,
        "task": "clean up", "reason": "it is old"});
    let call = desk.holder("assistant").proposes_with("key", body).await?;
    let card = desk.ops().next_card().await?;
    let view = desk.person("bo").opens_by_choice(&card, "Ask").await?;
    ensure!(view.text().contains("who asked for it"), "{}", view.text());
    desk.person("bo").fills(&view, &[("Question", "do you still need it?")]).await?;
    let card = desk.ops().expect_update(&card, "do you still need it?").await?;
    let read = desk.holder("assistant").reads(&call.id).await?.json()?;
    ensure!(read["questions"].is_null(), "what people ask people is not the agent's: {read}");

    let asked = Card { message: desk.slack().next_message(&direct(desk, "ana")).await? };
    ensure!(
        asked.text().contains("Bo has a question") && asked.text().contains("still need it"),
        "{}",
        asked.text()
    );
    desk.person("ana").presses_too_late(&asked, "Answer").await?;
    let view = desk.person("ana").opens(&asked, "Answer").await?;
    let late = desk.person("ana").opens(&asked, "Answer").await?;
    // Somebody to whom the message was passed on presses the same button.
    let forged = desk.person("vic").opens(&asked, "Answer").await?;
    desk.person("vic").fills(&forged, &[("Answer", "yes")]).await?;
    desk.person("vic").is_whispered("not for you to answer").await?;
    desk.restart().await?;
    desk.person("ana").fills_twice(&view, &[("Answer", "no, it can go")]).await?;
    let card = desk.ops().expect_update(&card, "> no, it can go").await?;
    ensure!(card.text().contains("Ana"), "{}", card.text());
    let told: Message = desk.slack().next_message(&direct(desk, "bo")).await?;
    ensure!(placet_tests::fake_slack::text_of(&told).contains("Ana answered your question"), "{told:?}");
    desk.person("ana").fills(&late, &[("Answer", "or not")]).await?;
    desk.person("ana").is_whispered("answered already").await?;
    desk.person("ana").clicks(&asked, "Answer").await?;
    desk.person("ana").is_whispered("answered already").await?;
    desk.person("bo").denies(&card, "then not").await?;
    desk.ops().expect_update(&card, "then not").await?;
    // Who asked for it is told what became of it.
    desk.slack().next_message(&direct(desk, "ana")).await?;
    desk.reads(
        &call.id,
        "proposed; checked approve; asked; question bo; refused vic: not_asked_of_you; answer ana; refused ana: no_open_question; no bo; denied Bo",
    )
    .await
}

/// R46: a request takes a few questions and no more; one that is decided takes none, whether asked with a dialog that was open or
/// with the button of a card that a client has not redrawn.
#[conversation]
async fn questions_come_to_an_end(desk: &mut Desk) -> Result<()> {
    desk.agent().proposes("delete_file", json!({"path": "a.txt"})).await?;
    let mut card = desk.ops().next_card().await?;
    for number in 1..=5 {
        let view = desk.person("bo").opens_by_choice(&card, "Ask").await?;
        let text = format!("question {number}?");
        desk.person("bo").fills(&view, &[("Question", &text)]).await?;
        card = desk.ops().expect_update(&card, &text).await?;
    }
    let late = desk.person("chen").opens_by_choice(&card, "Ask").await?;
    desk.person("chen").fills(&late, &[("Question", "and?")]).await?;
    desk.person("chen").is_whispered("As many questions as a request takes").await?;
    let open = desk.person("chen").opens_by_choice(&card, "Ask").await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;
    desk.person("chen").fills(&open, &[("Question", "still?")]).await?;
    desk.person("chen").is_whispered("Bo approved this already").await?;
    desk.person("dana").chooses(&card, "Ask").await?;
    desk.person("dana").is_whispered("Bo approved this already").await
}
