//! R31, R33: commands where there are no buttons: by words alone, through the one use case that all chats share.

use anyhow::{Context as _, Result, bail, ensure};
use placet::command::{
    Answer, Ask, Asked, Commands, Deed, Dialect, Means, Mistake, Place, ReplyCard, Rows, Said, typed,
};
use placet::id::TenantId;
use placet::person::Identity;
use placet::text::{Language, Markup, Texts};
use placet::time::Ttl;
use placet_tests::desk::TENANT;
use placet_tests::fake_slack::TEAM_ID;
use placet_tests::{Desk, conversation};
use serde_json::json;

/// Words alone, and no mentions.
struct Words;

impl Dialect for Words {
    fn means(&self) -> Means {
        Means::Words
    }

    fn is_mention(&self, _: &str) -> bool {
        false
    }

    fn accounts(&self, _: &str) -> Vec<Identity> {
        Vec::new()
    }
}

fn account(desk: &Desk, name: &str) -> Result<Identity> {
    Ok(Identity::slack(TEAM_ID, &desk.person(name).user())?)
}

/// What somebody is answered to words alone.
async fn answered(desk: &Desk, name: &str, text: &str) -> Result<Answer> {
    let read = match typed(text, None, &Words) {
        Ok(read) => read,
        Err(mistake) => return Ok(Answer::Said(Said::Mistake(mistake))),
    };
    let identity = account(desk, name)?;
    let ask = Ask { asked: read.asked, text: read.text, place: read.place, identity };
    let commands = Commands::new(desk.app()?.gate.clone());
    Ok(commands.answer(&TenantId::new(TENANT)?, &ask, Rows { plain: 2, with_buttons: 2 }).await)
}

/// The same, in words.
async fn said(desk: &Desk, name: &str, text: &str) -> Result<String> {
    match answered(desk, name, text).await? {
        Answer::Said(said) => {
            let texts = Texts::with_commands(Language::English, "!placet");
            Ok(texts.command_said(&said, Means::Words, &Markup::PLAIN))
        }
        other => bail!("{text}: {other:?}"),
    }
}

/// R44, R33: calls are stopped and let go on by words, by whoever may, with a reason; nobody stops everybody's.
#[conversation]
async fn calls_are_stopped_and_let_go_on_by_words(desk: &mut Desk) -> Result<()> {
    desk.leaves_messages_unread();
    for (name, text, words) in [
        ("sam", "freeze tool:delete_file", "Say which calls, and why"),
        ("bo", "freeze tool:delete_file an incident", "Only operators"),
        ("sam", "freeze everything an incident", "!placet freeze tenant"),
        ("sam", "lift tool:delete_file", "no longer there"),
        ("sam", "freeze tool:delete_file an incident", "!placet stops"),
        ("bo", "lift tool:delete_file", "Only operators"),
    ] {
        let told = said(desk, name, text).await?;
        ensure!(told.contains(words), "{name}: {text}: {told}");
    }
    let Answer::Stops { stops, .. } = answered(desk, "sam", "stops").await? else { bail!("no list") };
    let [stop] = &stops[..] else { bail!("{stops:?}") };
    ensure!(stop.who == "Sam" && stop.reason == "an incident", "{stop:?}");
    let told = said(desk, "sam", &format!("lift {}", stop.hold.id)).await?;
    ensure!(told.starts_with("Goes on"), "{told}");
    said(desk, "sam", "freeze tool:delete_file again").await?;
    let told = said(desk, "sam", "lift tool:delete_file").await?;
    ensure!(told.starts_with("Goes on"), "{told}");
    Ok(())
}

/// R33: lists are turned by words, and each stands on one page.
#[conversation]
async fn pages_are_turned_by_words(desk: &mut Desk) -> Result<()> {
    desk.leaves_messages_unread();
    let mut codes = Vec::new();
    for number in 0..5 {
        let call = desk.agent().proposes("delete_file", json!({"path": format!("{number}.txt")})).await?;
        codes.push(desk.request(&call.id).await?.code);
        desk.clock().passes(Ttl::from_secs(2));
    }
    codes.reverse();
    let (mut text, mut seen) = ("pending".to_owned(), Vec::new());
    loop {
        let Answer::Pending { found, turns, .. } = answered(desk, "vic", &text).await? else {
            bail!("no list")
        };
        ensure!(found.len() <= 2);
        seen.extend(found.iter().map(|found| found.view.code.clone()));
        let Some(next) = turns.forward.and_then(Place::word) else { break };
        text = format!("pending {next}");
    }
    ensure!(seen == codes, "{seen:?}, and not {codes:?}");
    Ok(())
}

/// R31: which request something is done to: the one whose card is answered, or one that is named by whoever may know of it; never
/// another than the card's, and a word that only looks like a code is a word.
#[conversation]
async fn the_request_is_the_one_that_is_meant(desk: &mut Desk) -> Result<()> {
    desk.leaves_messages_unread();
    desk.slack().person("eve");
    let tenant = TenantId::new(TENANT)?;
    let mut calls = Vec::new();
    for path in ["a.txt", "b.txt"] {
        let call = desk.agent().proposes("delete_file", json!({"path": path})).await?;
        calls.push(desk.request(&call.id).await?);
    }
    let (own, other) = (&calls[0], &calls[1]);
    let card = ReplyCard { request: own.id, code: own.code.clone() };
    let commands = Commands::new(desk.app()?.gate.clone());
    let find = async |name: &str, text: &str, card: Option<&ReplyCard>| -> Result<_> {
        let read = typed(text, card, &Words).map_err(|mistake| anyhow::anyhow!("{mistake:?}"))?;
        let Asked::Do { deed, target, words, .. } = read.asked else { bail!("{text} is no deed") };
        let identity = account(desk, name)?;
        let found = commands.request_for((&tenant, &identity), deed, &target, words).await;
        Ok(found.map(|(approval, words)| (approval.id, words)))
    };
    let bare = other.code.as_str().replace('-', "");
    let words = |text: &str| Some(text.to_owned());
    // A code that is typed as it stands, without its dash, and in its two parts.
    ensure!(find("bo", &format!("deny {} no", other.code), None).await? == Ok((other.id, words("no"))));
    ensure!(find("bo", &format!("deny {bare} no"), None).await? == Ok((other.id, words("no"))));
    let parts = other.code.as_str().replace('-', " ");
    ensure!(find("bo", &format!("deny {parts} no"), None).await? == Ok((other.id, words("no"))));
    // In an answer to a card.
    ensure!(find("bo", "deny the path", Some(&card)).await? == Ok((own.id, words("the path"))));
    ensure!(find("bo", "deny secret leaks", Some(&card)).await? == Ok((own.id, words("secret leaks"))));
    let own_bare = own.code.as_str().replace('-', "");
    ensure!(find("bo", &format!("deny {own_bare} no"), Some(&card)).await? == Ok((own.id, words("no"))));
    // Another one is named: nothing is done.
    for named in [&bare, &parts] {
        let found = find("bo", &format!("approve {named}"), Some(&card)).await?;
        ensure!(matches!(&found, Err(Said::Mistake(Mistake::Another { .. }))), "{found:?}");
    }
    // A word that is no code, and no card.
    let found = find("bo", "deny secret leaks", None).await?;
    ensure!(matches!(&found, Err(Said::Mistake(Mistake::WhichRequest { .. }))), "{found:?}");
    let found = find("bo", "ask secret", None).await?;
    ensure!(matches!(&found, Err(Said::Mistake(Mistake::WhichRequest { .. }))), "{found:?}");
    // Words are missing, or too many.
    let found = find("bo", &format!("ask {bare}"), None).await?;
    ensure!(found == Err(Said::Mistake(Mistake::Missing(Deed::Ask.verb()))), "{found:?}");
    let found = find("bo", &format!("take-back {bare} now"), None).await?;
    ensure!(matches!(&found, Err(Said::Mistake(Mistake::NotTaken { .. }))), "{found:?}");
    // Who is nobody finds none by its code, and leaves a mark.
    let before = desk.blocked_in(TENANT).await?;
    let found = find("eve", &format!("deny {}", other.code), None).await?;
    ensure!(matches!(&found, Err(Said::Refused { .. })), "{found:?}");
    ensure!(desk.blocked_in(TENANT).await? == before + 1, "the attempt is on record");
    let none = find("bo", "deny 0000-00 no", None).await?.err().context("there is none")?;
    ensure!(none == Said::NoSuchRequest, "{none:?}");
    Ok(())
}
