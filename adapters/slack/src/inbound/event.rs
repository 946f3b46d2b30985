//! From an event to what it asks for: a pure function, and the doing of it.
//!
//! What always holds: who asks comes from the signed event, never from its text; messages of bots, edits and whatever
//! has a subtype ask for nothing, so that no two bots can keep each other talking; a task is durable before Slack is
//! answered, and known by the event's own id. What is done again without harm is not written down.

use std::sync::Arc;

use placet::agent::USER_CHARS_MAX;
use placet::agent::task::{Task, Thread};
use placet::id::DeliveryKey;
use placet::person::Identity;
use serde_json::Value;

use super::answer::Answer;
use super::intent::key;
use super::{Desk, Shared};
use crate::mrkdwn::unescape;
use crate::payload::{EventCallback, mentioned_user};
use crate::surface::SlackSettings;

/// The most characters of an event's own id, of a channel's and of a message's: Slack's have about a dozen.
const ID_CHARS_MAX: usize = 64;

/// What an event asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    /// Somebody gives the agent a task.
    Task(Box<Task>),
    /// Somebody looks at the app's home.
    Home(Identity),
    /// Something was changed about an account.
    Account(String),
    /// Something was changed about a user group.
    Group(String),
    /// The token is good no more, or the app is gone.
    Lost,
    /// Nothing that this app has to do with.
    Nothing,
}

/// What an event asks for.
pub(super) fn read(
    callback: &EventCallback,
    settings: &SlackSettings,
    now: placet::time::Timestamp,
) -> Heard {
    let event = &callback.event;
    match event["type"].as_str().unwrap_or_default() {
        "app_mention" => {
            task(callback, settings, now).map_or(Heard::Nothing, |task| Heard::Task(Box::new(task)))
        }
        "message" if event["channel_type"] == "im" => {
            task(callback, settings, now).map_or(Heard::Nothing, |task| Heard::Task(Box::new(task)))
        }
        "app_home_opened" if event["tab"].as_str().is_none_or(|tab| tab == "home") => {
            let team = organisation(callback).or_else(|| home(callback));
            let reader =
                team.zip(text(&event["user"])).and_then(|(team, user)| Identity::slack(team, user).ok());
            reader.map_or(Heard::Nothing, Heard::Home)
        }
        "user_change" | "user_profile_changed" | "team_join" => {
            text(&event["user"]["id"]).map_or(Heard::Nothing, |user| Heard::Account(user.to_owned()))
        }
        "subteam_members_changed" => {
            text(&event["subteam_id"]).map_or(Heard::Nothing, |group| Heard::Group(group.to_owned()))
        }
        "subteam_updated" | "subteam_created" => {
            text(&event["subteam"]["id"]).map_or(Heard::Nothing, |group| Heard::Group(group.to_owned()))
        }
        "app_uninstalled" => Heard::Lost,
        "tokens_revoked" if event["tokens"]["bot"].as_array().is_some_and(|bots| !bots.is_empty()) => {
            Heard::Lost
        }
        _ => Heard::Nothing,
    }
}

/// The task that a message is; none where it is none of a person's.
fn task(callback: &EventCallback, settings: &SlackSettings, now: placet::time::Timestamp) -> Option<Task> {
    let event = &callback.event;
    // Bots, what Slack itself says, and what somebody has edited.
    let is_set = |name: &str| !event[name].is_null();
    if is_set("bot_id") || is_set("bot_profile") || is_set("subtype") || is_set("edited") || is_set("hidden")
    {
        return None;
    }
    let user = text(&event["user"])?;
    let bot = own_user(callback);
    if bot == Some(user) {
        return None;
    }
    let (channel, ts) = (text(&event["channel"])?, text(&event["ts"])?);
    let thread = text(&event["thread_ts"]).unwrap_or(ts);
    // In a shared channel the event is the installed workspace's, and the person another's.
    let team = ["user_team", "source_team", "team"].into_iter().find_map(|name| text(&event[name]));
    let by = Identity::slack(organisation(callback).or(team).or(home(callback))?, user).ok()?;
    let said = asked(event["text"].as_str().unwrap_or_default(), bot);
    // Kept before anybody looks who asks: no more of it than shows that it is too long.
    let said = said.chars().take(USER_CHARS_MAX + 1).collect();
    Some(Task {
        delivery: delivery(callback, settings, (channel, ts))?,
        at: now,
        tenant: settings.tenant.clone(),
        by,
        thread: Thread { surface: settings.name.clone(), channel: channel.to_owned(), id: thread.to_owned() },
        text: said,
    })
}

/// The same for every delivery of an event. One without an id is known by its message.
fn delivery(
    callback: &EventCallback,
    settings: &SlackSettings,
    (channel, ts): (&str, &str),
) -> Option<DeliveryKey> {
    let team = &settings.home.team_id;
    let id = callback.event_id.as_deref().filter(|id| !id.is_empty());
    key(&match id {
        Some(id) => format!("event/{team}/{id}"),
        None => format!("message/{team}/{channel}/{ts}"),
    })
}

/// The workspace of an event, or the enterprise where none is named.
fn home(callback: &EventCallback) -> Option<&str> {
    let ids = [&callback.team_id, &callback.enterprise_id].into_iter().flatten();
    ids.map(String::as_str).find(|id| !id.is_empty())
}

/// The enterprise that the app is installed for as a whole: its people are the enterprise's, as in everything else that
/// Slack sends such an app.
fn organisation(callback: &EventCallback) -> Option<&str> {
    let authorizations = callback.authorizations.as_array()?;
    let whole = authorizations.iter().find(|one| one["is_enterprise_install"] == true)?;
    whole["enterprise_id"].as_str().filter(|id| !id.is_empty())
}

/// The bot's own user id, as Slack names it beside the event.
fn own_user(callback: &EventCallback) -> Option<&str> {
    let authorizations = callback.authorizations.as_array()?;
    let own = authorizations.iter().find(|one| one["is_bot"] == true)?;
    own["user_id"].as_str().filter(|id| !id.is_empty())
}

/// What is asked: the text without the mentions of the bot, and as the person wrote it.
fn asked(text: &str, bot: Option<&str>) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_first = true;
    while let Some((before, after)) = rest.split_once('<') {
        said.push_str(&unescape(before));
        let Some((inner, after)) = after.split_once('>') else {
            said.push('<');
            rest = after;
            continue;
        };
        let user = mentioned_user(&format!("<{inner}>")).map(str::to_owned);
        let (target, label) = inner.split_once('|').map_or((inner, None), |(to, label)| (to, Some(label)));
        let is_bot = match (&user, bot) {
            (Some(user), Some(bot)) => user == bot,
            // Slack did not say who the bot is: its mention is what made this one, and mostly stands first.
            (Some(_), None) => is_first,
            (None, _) => false,
        };
        match (user, label) {
            (Some(_), _) if is_bot => {}
            (Some(user), _) => said.push_str(&format!("@{user}")),
            (None, label) => match target.strip_prefix(['!', '#']) {
                Some(_) => said.push_str(&unescape(label.unwrap_or(target))),
                // An address is what it leads to, whatever it is called.
                None => said.push_str(&unescape(target.strip_prefix("mailto:").unwrap_or(target))),
            },
        }
        is_first = false;
        rest = after;
    }
    said.push_str(&unescape(rest));
    said.trim().to_owned()
}

/// Text that can be an id, or part of one.
fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty() && text.chars().count() <= ID_CHARS_MAX)
}

/// Something happened. Always taken, or Slack delivers again and in the end stops delivering; but for what could not be
/// kept, which shall come again.
pub(super) async fn take(desk: &Shared, callback: &EventCallback) -> Answer {
    match read(callback, desk.slack.settings(), desk.slack.clock().now()) {
        Heard::Task(task) => return desk.take_task(*task).await,
        Heard::Home(reader) => desk.homes.opened(desk, &reader),
        Heard::Account(user) => {
            if let Some(directory) = desk.slack.directory() {
                directory.forget(&user);
            }
            desk.homes.stir();
        }
        Heard::Group(group) => {
            if let Some(directory) = desk.slack.directory() {
                directory.forget_group(&group);
            }
            desk.homes.stir();
        }
        Heard::Lost => desk.slack.lose(),
        Heard::Nothing => {}
    }
    Answer::Empty
}

impl Desk {
    async fn take_task(&self, task: Task) -> Answer {
        let Some(tasks) = &self.tasks else { return Answer::Empty };
        let key = task.delivery.clone();
        match Arc::clone(tasks).take(task).await {
            Ok(is_new) => {
                tracing::info!(task.key = %key, task.new = is_new, "a task came from Slack");
                Answer::Empty
            }
            Err(fault) => {
                tracing::error!(task.key = %key, error = %fault, "a task from Slack could not be kept");
                Answer::NotTaken
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use placet::time::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::fixtures::settings;

    fn callback(event: Value) -> EventCallback {
        let authorizations = json!([{ "team_id": "T0PLACET01", "user_id": "U0BOT", "is_bot": true }]);
        EventCallback {
            event_id: Some("Ev1".to_owned()),
            team_id: Some("T0PLACET01".to_owned()),
            authorizations,
            event,
            ..EventCallback::default()
        }
    }

    fn heard(event: Value) -> Heard {
        read(&callback(event), &settings(), Timestamp::from_secs(1))
    }

    fn mention(extra: &Value) -> Value {
        let mut event = json!({ "type": "app_mention", "user": "U0ANA", "text": "<@U0BOT> clean up", "ts": "1.2",
            "channel": "C1", "event_ts": "1.2", "team": "T0PLACET01" });
        for (name, value) in extra.as_object().unwrap() {
            event[name] = value.clone();
        }
        event
    }

    /// R13: who asks is the signed event's, and the text is the task without the mention.
    #[test]
    fn a_mention_is_a_task_in_its_thread() {
        let Heard::Task(task) = heard(mention(&json!({}))) else { panic!() };
        assert_eq!(task.by.to_string(), "slack:T0PLACET01/U0ANA");
        assert_eq!(
            (task.text.as_str(), task.thread.channel.as_str(), task.thread.id.as_str()),
            ("clean up", "C1", "1.2")
        );
        assert_eq!(task.delivery.as_str(), "event/T0PLACET01/Ev1");
        let Heard::Task(reply) = heard(mention(&json!({ "thread_ts": "1.0" }))) else { panic!() };
        assert_eq!(reply.thread.id, "1.0");
        let Heard::Task(direct) = heard(json!({ "type": "message", "channel_type": "im", "user": "U0ANA",
            "text": "clean up", "ts": "1.2", "channel": "D1" }))
        else {
            panic!()
        };
        assert_eq!(direct.by.to_string(), "slack:T0PLACET01/U0ANA");
    }

    /// R13: what anybody at all writes is kept only as far as it can be a task.
    #[test]
    fn what_is_too_long_for_a_task_is_not_kept_whole() {
        let text = format!("<@U0BOT> {}", "長".repeat(USER_CHARS_MAX + 500));
        let Heard::Task(task) = heard(mention(&json!({ "text": text }))) else { panic!() };
        assert_eq!(task.text.chars().count(), USER_CHARS_MAX + 1, "it still is too long");
    }

    /// R17: in a shared channel the person is of another workspace than the event.
    #[test]
    fn in_a_shared_channel_the_person_is_of_their_own_workspace() {
        for name in ["user_team", "source_team", "team"] {
            let Heard::Task(task) = heard(mention(&json!({ name: "T0OTHER", "user": "U9" }))) else {
                panic!()
            };
            let expected =
                if name == "team" { "T0OTHER" } else { task.by.realm().trim_start_matches("slack:") };
            assert_eq!(task.by.realm(), format!("slack:{expected}"));
            assert_eq!(expected, "T0OTHER", "{name}");
        }
    }

    /// R13: no two bots keep each other talking, and what was said before is not asked again.
    #[test]
    fn bots_edits_and_what_slack_says_ask_for_nothing() {
        for extra in [
            json!({ "bot_id": "B1" }),
            json!({ "bot_profile": { "id": "B1" } }),
            json!({ "subtype": "bot_message" }),
            json!({ "subtype": "message_changed" }),
            json!({ "edited": { "user": "U0ANA", "ts": "1.3" } }),
            json!({ "user": "U0BOT" }),
            json!({ "user": null }),
            json!({ "channel": null }),
            json!({ "ts": "" }),
            json!({ "type": "message" }),
            json!({ "type": "message", "channel_type": "channel" }),
            json!({ "type": "reaction_added" }),
        ] {
            assert_eq!(heard(mention(&extra)), Heard::Nothing, "{extra}");
        }
    }

    #[test]
    fn what_is_asked_reads_as_it_was_written() {
        let bot = Some("U0BOT");
        for (text, expected) in [
            ("<@U0BOT> clean up", "clean up"),
            ("please <@U0BOT|placet> clean up", "please  clean up"),
            ("<@U0BOT>", ""),
            ("<@U0BOT> a &lt;b&gt; &amp;lt; c", "a <b> &lt; c"),
            ("<@U0BOT> ask <@U0BO> in <#C1|ops> now <!here>", "ask @U0BO in ops now !here"),
            (
                "<@U0BOT> see <https://example.org/a|a nice page> and <mailto:a@example.org|a>",
                "see https://example.org/a and a@example.org",
            ),
            ("<@U0BOT> 1 < 2", "1 < 2"),
        ] {
            assert_eq!(asked(text, bot), expected, "{text}");
        }
        assert_eq!(asked("<@U0BOT> ask <@U0BO>", None), "ask @U0BO");
    }

    #[test]
    fn what_was_changed_elsewhere_is_told_apart() {
        for (event, expected) in [
            (json!({ "type": "user_change", "user": { "id": "U1" } }), Heard::Account("U1".to_owned())),
            (
                json!({ "type": "user_profile_changed", "user": { "id": "U1" } }),
                Heard::Account("U1".to_owned()),
            ),
            (json!({ "type": "team_join", "user": { "id": "U1" } }), Heard::Account("U1".to_owned())),
            (json!({ "type": "subteam_members_changed", "subteam_id": "S1" }), Heard::Group("S1".to_owned())),
            (json!({ "type": "subteam_updated", "subteam": { "id": "S1" } }), Heard::Group("S1".to_owned())),
            (json!({ "type": "tokens_revoked", "tokens": { "bot": ["U0BOT"] } }), Heard::Lost),
            (json!({ "type": "tokens_revoked", "tokens": { "oauth": ["U1"], "bot": [] } }), Heard::Nothing),
            (json!({ "type": "app_uninstalled" }), Heard::Lost),
            (
                json!({ "type": "app_home_opened", "user": "U1", "tab": "home" }),
                Heard::Home(Identity::slack("T0PLACET01", "U1").unwrap()),
            ),
            (json!({ "type": "app_home_opened", "user": "U1", "tab": "messages" }), Heard::Nothing),
            (json!({ "type": 7 }), Heard::Nothing),
        ] {
            assert_eq!(heard(event.clone()), expected, "{event}");
        }
    }
}
