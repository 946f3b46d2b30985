//! The bot: mentioned with a task, it works and answers in the thread.

use anyhow::{Context as _, Result, ensure};
use futures::future::{Either, select};
use placet::approval::Status;
use placet::ports::{AgentStore as _, RequestQuery, RequestStore as _, TaskStore as _};
use placet::time::Ttl;
use placet_tests::fake_slack::{Fault, Message, RETRIES, Told, active_markup, text_of};
use placet_tests::{Card, Desk, conversation};

use super::confidential::confidential;

/// The next message in a thread, once it reads like this: it is revised no more than every two seconds.
async fn reads(desk: &Desk, message: &Message, words: &str) -> Result<Message> {
    let slack = desk.slack();
    let mut reading = std::pin::pin!(slack.message_reads(&message.channel, &message.ts, words));
    loop {
        // What the worker has begun it ends: a message that it let go of would come a minute later.
        let waits = std::pin::pin!(desk.clock().catches_up_within(Ttl::from_secs(2)));
        match desk.while_working(select(&mut reading, waits)).await? {
            Either::Left((message, _)) => return message,
            Either::Right(_) => {}
        }
    }
}

/// Somebody asks the bot in a channel; gives what they said and the bot's answer in the thread.
async fn asks(desk: &Desk, name: &str, text: &str) -> Result<(Told, Message)> {
    let user = desk.person(name).user();
    let told = desk.slack().mention(&user, "general", text, None)?;
    desk.delivers_event(&told.delivery).await?;
    let answer = desk.channel("general").next_card().await?.message;
    ensure!(
        answer.thread_ts.as_deref() == Some(told.ts.as_str()),
        "it is answered in the thread: {answer:?}"
    );
    Ok((told, answer))
}

/// Placet itself says this next in the thread, to these, and to nobody directly.
async fn says_there(desk: &Desk, answer: &Message, (words, to): (&str, &[&str])) -> Result<Message> {
    let (slack, channel) = (desk.slack(), &answer.channel);
    let next = async {
        if words.starts_with("ran") {
            slack.next_outcome(channel).await
        } else {
            slack.next_message(channel).await
        }
    };
    let mut next = std::pin::pin!(next);
    let told = loop {
        tokio::select! {
            biased;
            told = &mut next => break told?,
            worked = desk.while_working(desk.clock().catches_up_within(Ttl::from_secs(2))) => worked?,
        }
    };
    let text = text_of(&told);
    ensure!(told.thread_ts == answer.thread_ts && text.contains(words), "expected {words:?} there: {text}");
    for name in to {
        let user = desk.person(name).user();
        ensure!(text.contains(&format!("@{user}")), "{name} is called back: {text}");
        let direct = desk.slack().messages(&format!("D{}", &user[1..]));
        ensure!(direct.is_empty(), "{name} is told once: {direct:?}");
    }
    Ok(told)
}

fn a_scratch_file(desk: &Desk) -> Result<std::path::PathBuf> {
    let file = desk.folder().join("workspace/demo-notes/scratch.txt");
    std::fs::write(&file, "nothing but temporary notes")?;
    Ok(file)
}

/// The requests of the agent's runs that people are or were asked about.
async fn asked_about(desk: &Desk) -> Result<Vec<placet::approval::Approval>> {
    let all = desk.store()?.list(RequestQuery { limit: 100, ..RequestQuery::default() }).await?;
    Ok(all.into_iter().filter(|request| request.card_delivered).collect())
}

/// R13: a mention with a task is worked on; the card goes to where policy says and the thread says so; the answer stands
/// in the thread, in one message that is edited.
#[conversation(sockets)]
async fn a_mention_is_a_task_that_is_answered_in_its_thread(desk: &mut Desk) -> Result<()> {
    let file = a_scratch_file(desk)?;
    let (told, answer) = asks(desk, "ana", "please clean up the old files").await?;
    let card = desk.ops().next_card().await?;
    ensure!(
        card.text().contains("please clean up the old files") && card.text().contains("Ana"),
        "{}",
        card.text()
    );
    let waiting = reads(desk, &answer, "waits for approval").await?;
    let text = text_of(&waiting);
    ensure!(text.contains(&format!("#{}", desk.ops().id())) && text.contains("delete_file"), "{text}");
    ensure!(text.contains("The words above are the agent’s."), "{text}");
    ensure!(file.exists());
    desk.person("bo").clicks(&card, "Approve").await?;
    let done = reads(desk, &answer, "I have deleted demo-notes/scratch.txt").await?;
    ensure!(!file.exists() && !text_of(&done).contains("waits"), "{}", text_of(&done));
    desk.ops().expect_update(&card, "Bo").await?;
    // The words in that message are the agent's; Placet itself says beneath it what became of the call.
    for words in ["was approved by Bo", "ran, ok"] {
        says_there(desk, &answer, (words, &["ana"])).await?;
    }
    let in_thread = desk.channel("general").messages();
    let of_bot = in_thread.iter().filter(|message| message.ts != told.ts).count();
    ensure!(of_bot == 3, "one message, edited, and what became of the call: {in_thread:?}");
    // Who asked is the signed event's account, and stands behind the call.
    let request = asked_about(desk).await?.into_iter().next().context("a request")?;
    let behind: Vec<String> = request.proposal.requester.identities.iter().map(ToString::to_string).collect();
    ensure!(behind == [format!("slack:T0FAKE0001/{}", desk.person("ana").user())], "{behind:?}");
    Ok(())
}

/// R13: the same event three times more, at once, after a minute and after five, also after a restart: one task.
#[conversation(sockets)]
async fn an_event_that_is_delivered_again_is_one_task(desk: &mut Desk) -> Result<()> {
    let (_, answer) = asks(desk, "ana", "what can you do?").await?;
    for (retry, after) in RETRIES {
        desk.passes(Ttl::from_secs(u64::try_from(after)?)).await?;
        if retry == 2 {
            desk.restart().await?;
        }
        desk.delivers_event(&desk.slack().event_again(retry)?).await?;
    }
    reads(desk, &answer, "I play a script").await?;
    desk.work_until_idle().await?;
    let messages = desk.channel("general").messages();
    ensure!(messages.len() == 2, "one question, one answer: {messages:?}");
    desk.leaves_messages_unread();
    Ok(())
}

/// R13: messages of bots, edits and the bot's own words ask for nothing.
#[conversation]
async fn no_two_bots_keep_each_other_talking(desk: &mut Desk) -> Result<()> {
    let user = desk.person("ana").user();
    let plain = serde_json::json!({ "type": "app_mention", "user": user, "text": "<@U0FAKEBOT1> clean up",
        "ts": "1796047200.000900", "channel": desk.channel("general").id() });
    for (name, value) in [
        ("bot_id", serde_json::json!("B0OTHER")),
        ("subtype", serde_json::json!("bot_message")),
        ("edited", serde_json::json!({ "user": user, "ts": "1796047201.000100" })),
        ("user", serde_json::json!("U0FAKEBOT1")),
    ] {
        let mut event = plain.clone();
        event[name] = value;
        desk.delivers_event(&desk.slack().event(event)).await?;
    }
    desk.work_until_idle().await?;
    ensure!(desk.channel("general").messages().is_empty());
    ensure!(desk.store()?.unfinished_runs().await?.is_empty(), "no run was begun");
    Ok(())
}

/// R13: the process dies while people are asked; the next one takes the click, goes on with the run and with the same
/// message in the thread.
#[conversation]
async fn a_restart_in_the_middle_goes_on_in_the_same_message(desk: &mut Desk) -> Result<()> {
    let file = a_scratch_file(desk)?;
    let (_, answer) = asks(desk, "ana", "clean up").await?;
    let card = desk.ops().next_card().await?;
    reads(desk, &answer, "waits for approval").await?;
    desk.restart().await?;
    desk.person("bo").denies(&card, "still needed").await?;
    let done = reads(desk, &answer, "is a note of what I would have deleted").await?;
    ensure!(file.exists() && text_of(&done).contains("still needed"), "{}", text_of(&done));
    desk.ops().expect_update(&card, "still needed").await?;
    says_there(desk, &answer, ("was denied by Bo", &["ana"])).await?;
    ensure!(desk.channel("general").messages().len() == 3);
    Ok(())
}

/// R13: a task that was kept and not begun when the process died is begun by the next.
#[conversation]
async fn a_task_outlives_the_process(desk: &mut Desk) -> Result<()> {
    desk.slack().down();
    let user = desk.person("ana").user();
    let told = desk.slack().mention(&user, "general", "what can you do?", None)?;
    desk.delivers_event(&told.delivery).await?;
    desk.stop().await?;
    desk.slack().up()?;
    desk.start().await?;
    let answer = desk.channel("general").next_card().await?.message;
    reads(desk, &answer, "I play a script").await?;
    Ok(())
}

/// R18: the requester's own vote does not count; and whoever spoke in the thread before is behind the call too.
#[conversation]
async fn nobody_approves_what_they_asked_for_in_the_thread(desk: &mut Desk) -> Result<()> {
    a_scratch_file(desk)?;
    let (told, first) = asks(desk, "bo", "what can you do?").await?;
    reads(desk, &first, "I play a script").await?;
    let chen = desk.person("chen").user();
    let again = desk.slack().mention(&chen, "general", "then clean up", Some(&told.ts))?;
    desk.delivers_event(&again.delivery).await?;
    let second = desk.channel("general").next_card().await?.message;
    ensure!(second.thread_ts == first.thread_ts, "it goes on in the thread");
    let card = desk.ops().next_card().await?;
    for name in ["chen", "bo"] {
        desk.person(name).clicks(&card, "Approve").await?;
        desk.person(name).is_whispered("You asked for this yourself").await?;
    }
    desk.person("dana").clicks(&card, "Approve").await?;
    reads(desk, &second, "I have deleted").await?;
    desk.ops().expect_update(&card, "Dana").await?;
    // All who are behind the call are told by one message.
    for words in ["was approved by Dana", "ran, ok"] {
        says_there(desk, &second, (words, &["bo", "chen"])).await?;
    }
    ensure!(desk.channel("general").messages().len() == 6);
    Ok(())
}

/// R13: written to directly, it answers there, and a reply in the thread goes on.
#[conversation(sockets)]
async fn a_direct_message_is_a_task_too(desk: &mut Desk) -> Result<()> {
    let user = desk.person("ana").user();
    let told = desk.slack().direct_message(&user, "what can you do?", None)?;
    desk.delivers_event(&told.delivery).await?;
    let answer = desk.while_working(desk.slack().next_message(&told.channel)).await??;
    ensure!(answer.thread_ts.as_deref() == Some(told.ts.as_str()));
    reads(desk, &answer, "I play a script").await?;
    Ok(())
}

/// R28: whatever the agent says, nothing of it is a mention, a link or markup.
#[conversation]
async fn nothing_that_the_agent_says_is_active(desk: &mut Desk) -> Result<()> {
    a_scratch_file(desk)?;
    let (_, answer) = asks(desk, "ana", "clean up").await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "<!channel> <@U0EVIL> <https://evil.example|see> *b*").await?;
    let done = reads(desk, &answer, "is a note of what").await?;
    ensure!(text_of(&done).contains("<!channel>"), "{}", text_of(&done));
    ensure!(active_markup(&done).is_empty(), "{:?}", active_markup(&done));
    let told = says_there(desk, &done, ("was denied by Bo", &["ana"])).await?;
    // Who asked is called back by Placet itself.
    let ana = desk.person("ana").user();
    let active: Vec<_> = active_markup(&told).into_iter().filter(|active| !active.contains(&ana)).collect();
    ensure!(active.is_empty(), "{active:?} in {told:?}");
    desk.ops().skims();
    desk.work_until_idle().await?;
    desk.ops().skims();
    Ok(())
}

/// R13, R17: who has no role gives no tasks, is told why in a sentence, and once a minute.
#[conversation]
async fn who_has_no_role_is_told_so_in_a_sentence(desk: &mut Desk) -> Result<()> {
    desk.slack().person("mallory");
    let (_, answer) = asks(desk, "mallory", "clean up").await?;
    ensure!(text_of(&answer).contains("not in the policy"), "{}", text_of(&answer));
    let user = desk.person("mallory").user();
    for _ in 0..3 {
        let told = desk.slack().mention(&user, "general", "clean up", None)?;
        desk.delivers_event(&told.delivery).await?;
    }
    while !desk.store()?.open_tasks(&"slack".parse()?, 10).await?.is_empty() {
        tokio::task::yield_now().await;
    }
    desk.passes(Ttl::from_secs(61)).await?;
    let (_, again) = asks(desk, "mallory", "clean up").await?;
    ensure!(text_of(&again).contains("not in the policy"));
    ensure!(asked_about(desk).await?.is_empty());
    ensure!(desk.slack().calls_of("chat.postMessage").len() == 2, "told once a minute");
    Ok(())
}

/// R13: a person has so many unfinished tasks; one more is refused in a sentence.
#[conversation]
async fn one_person_cannot_keep_the_agent_busy(desk: &mut Desk) -> Result<()> {
    a_scratch_file(desk)?;
    let mut cards: Vec<Card> = Vec::new();
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(asks(desk, "ana", "clean up").await?.1);
        cards.push(desk.ops().next_card().await?);
    }
    let (_, refused) = asks(desk, "ana", "clean up").await?;
    ensure!(text_of(&refused).contains("3 tasks of yours"), "{}", text_of(&refused));
    for (card, answer) in cards.iter().zip(&answers) {
        desk.person("bo").denies(card, "enough").await?;
        reads(desk, answer, "is a note of what").await?;
        desk.ops().expect_update(card, "enough").await?;
        says_there(desk, answer, ("was denied by Bo", &["ana"])).await?;
    }
    let (_, taken) = asks(desk, "ana", "what can you do?").await?;
    reads(desk, &taken, "I play a script").await?;
    desk.ops().skims();
    desk.channel("general").skims();
    ensure!(asked_about(desk).await?.iter().all(|request| request.status() == Status::Rejected));
    Ok(())
}

/// R13, R29: a post whose answer was lost is found again by what travels with it, not posted twice.
#[conversation]
async fn a_lost_answer_is_found_again(desk: &mut Desk) -> Result<()> {
    desk.slack().fail_next("chat.postMessage", Fault::DoneButNoAnswer);
    let (_, answer) = asks(desk, "ana", "what can you do?").await?;
    reads(desk, &answer, "I play a script").await?;
    ensure!(desk.channel("general").messages().len() == 2);
    // It may be edited once more, from what is known to what is known.
    desk.leaves_messages_unread();
    Ok(())
}

/// R13, R51: what became of a confidential call is nobody's but theirs who asked, and is not said in the thread.
#[conversation]
async fn what_became_of_a_confidential_call_is_said_in_private(desk: &mut Desk) -> Result<()> {
    desk.has_policy(confidential).await?;
    a_scratch_file(desk)?;
    let (_, answer) = asks(desk, "ana", "clean up").await?;
    let card = desk.ops().next_card().await?;
    desk.person("bo").denies(&card, "not now").await?;
    reads(desk, &answer, "is a note of what").await?;
    desk.ops().expect_update(&card, "Denied").await?;
    desk.person("ana").is_told("was denied by Bo").await?;
    ensure!(desk.channel("general").messages().len() == 2, "nothing more stands in the thread");
    Ok(())
}

/// R13: where the task is forgotten by now, or its thread is gone, who asked is told directly all the same.
#[conversation]
async fn who_asked_in_a_channel_that_is_gone_is_told_directly(desk: &mut Desk) -> Result<()> {
    desk.expects_refusal("chat.postMessage", "is_archived");
    a_scratch_file(desk)?;
    asks(desk, "ana", "clean up").await?;
    let card = desk.ops().next_card().await?;
    desk.slack().archive(desk.channel("general").id());
    desk.person("bo").denies(&card, "enough").await?;
    desk.person("ana").is_told("was denied by Bo").await?;
    desk.ops().skims();
    desk.leaves_messages_unread();
    Ok(())
}

/// R46: Placet's own agent reads no questions: only who gave it the task is asked, and where that is nobody in this chat, nobody.
#[conversation]
async fn nobody_asks_an_agent_that_reads_no_questions(desk: &mut Desk) -> Result<()> {
    a_scratch_file(desk)?;
    let (_, answer) = asks(desk, "ana", "clean up").await?;
    let card = desk.ops().next_card().await?;
    let view = desk.person("bo").opens_by_choice(&card, "Ask").await?;
    let text = view.text();
    ensure!(text.contains("Ana") && !text.contains("The agent") && !text.contains("the agent"), "{text}");
    desk.person("bo").denies(&card, "no").await?;
    reads(desk, &answer, "is a note of what").await?;

    // An agent outside reads them over HTTP; who asks there is in no chat.
    let outside = desk.agent().proposes("delete_file", serde_json::json!({"path": "b.txt"})).await?;
    let of_outside = desk.request(&outside.id).await?;
    ensure!(of_outside.proposal.can_be_asked_about());
    let mut alone = (*of_outside.proposal).clone();
    alone.takes_no_questions = true;
    ensure!(!alone.can_be_asked_about(), "nobody is left to answer");
    desk.leaves_messages_unread();
    Ok(())
}
