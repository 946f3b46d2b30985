//! A Slack to test against: a server with state on the loopback, keeping Slack's rules and limits.
//!
//! What always holds: it refuses what Slack refuses, with Slack's codes; its limits are written down again here, not
//! taken from the code under test; time is the test's clock; and whatever reaches a person stays *unread* until the
//! test has looked at it, so that a conversation can fail on what nobody expected.
//!
//! Faults are queued per method ([`FakeSlack::fail_next`]), or stand until healed; [`FakeSlack::down`] refuses
//! connections.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::task::AbortHandle;

mod clicks;
mod commands;
mod dialogs;
mod door;
mod events;
mod homes;
mod menus;
mod methods;
mod people;
mod reading;
mod rules;
mod server;
mod socket;
mod state;

pub use clicks::{Delivery, sign};
pub use dialogs::SubmissionOutcome;
pub use events::{RETRIES, Told};
pub use homes::HomeTab;
pub use menus::{MenuChoice, button_of_view, menu_choices};
pub use people::Kind;
pub use reading::{Button, active_markup, buttons, text_of};
pub use server::Fault;
pub use socket::APP_TOKEN;
pub use state::{
    APP_ID, BOT_ID, BOT_USER_ID, Clock, ENTERPRISE_ID, Edit, File, Message, TEAM_ID, TOKEN, View,
};

use people::UserGroup;
use server::Inner;
use state::{Channel, News, State};

/// How many calls a conversation that waited in vain is told of.
const LAST_CALLS: usize = 12;

/// How long a test waits, in real time, before it fails instead of hanging.
const WAIT_LIMIT: Duration = Duration::from_secs(20);

/// The fake, which lives until it is dropped.
pub struct FakeSlack {
    inner: Arc<Inner>,
    tasks: [AbortHandle; 2],
}

impl Drop for FakeSlack {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
        self.down();
    }
}

impl FakeSlack {
    /// Starts on a free port of the loopback. `clock` gives milliseconds since the epoch.
    pub async fn start(clock: Clock) -> io::Result<Self> {
        let inner = Arc::new(Inner::new(State::new(clock))?);
        let tasks = [server::serve(inner.clone()), socket::serve(inner.clone())];
        Ok(Self { inner, tasks })
    }

    /// Where the methods are, ending in a slash.
    pub fn base_url(&self) -> String {
        format!("http://{}/api/", self.inner.door.address())
    }

    /// Refuses connections from now on, and breaks those that stand.
    pub fn down(&self) {
        self.inner.door.close();
        self.inner.socket_door.close();
    }

    /// Takes connections again, on the same ports.
    pub fn up(&self) -> io::Result<()> {
        self.inner.door.open()?;
        self.inner.socket_door.open()
    }

    /// The next call of `method` meets `fault`. Several stand in a queue.
    pub fn fail_next(&self, method: &str, fault: Fault) {
        self.state().faults.entry(method.to_owned()).or_default().push_back(fault);
    }

    /// Every call of `method` meets `fault`, after those in the queue, until [`FakeSlack::heal`].
    pub fn fail_always(&self, method: &str, fault: Fault) {
        self.state().standing_faults.insert(method.to_owned(), fault);
    }

    /// The calls of `method` that are held go on, and so does one that was to be held and has not come yet.
    pub fn lets_go(&self, method: &str) {
        {
            let mut state = self.state();
            state.held.remove(method);
            if let Some(faults) = state.faults.get_mut(method) {
                faults.retain(|fault| *fault != Fault::Held);
            }
        }
        self.inner.changed.notify_waiters();
    }

    /// Ends all faults of all methods.
    pub fn heal(&self) {
        let mut state = self.state();
        state.faults.clear();
        state.standing_faults.clear();
    }

    /// Faults that no call has met yet, by method: a test that queued them for nothing should know.
    pub fn unmet_faults(&self) -> Vec<(String, Fault)> {
        let state = self.state();
        let faults = state.faults.iter();
        faults.flat_map(|(method, queue)| queue.iter().map(|fault| (method.clone(), fault.clone()))).collect()
    }

    /// Whether Slack's rate limits are kept, by the test's clock. They are from the start.
    pub fn limit_rates(&self, on: bool) {
        self.state().limits_rates = on;
    }

    /// After how many milliseconds a message can no longer be edited.
    pub fn set_edit_window(&self, window_ms: Option<i64>) {
        self.state().edit_window_ms = window_ms;
    }

    /// The scopes of the bot token.
    pub fn set_scopes(&self, scopes: &[&str]) {
        self.state().scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    }

    /// Lets Slack's clock be so many seconds ahead of everybody else's; negative is behind.
    pub fn set_clock_ahead(&self, secs: i64) {
        self.state().clock_ahead_ms = secs * 1_000;
    }

    /// From now on the token is refused as revoked.
    pub fn revoke_token(&self) {
        self.state().token_is_revoked = true;
    }

    /// Payloads come as from an app that is installed for a whole enterprise: without a team.
    pub fn set_org_wide(&self, on: bool) {
        self.state().is_org_wide = on;
    }

    /// This workspace has another id than [`TEAM_ID`].
    pub fn set_team(&self, team: &str) {
        self.state().team = Some(team.to_owned());
    }

    /// The app-level token that opens sockets, where it is not [`APP_TOKEN`].
    pub fn set_app_token(&self, token: &str) {
        token.clone_into(&mut self.state().app_token);
    }

    /// The secret that [`FakeSlack::signed`] signs with.
    pub fn set_signing_secret(&self, secret: &str) {
        self.state().signing_secret = secret.to_owned();
    }

    /// A public channel with the bot and everybody in it, made if need be. `name` may begin with `#`. Returns its id.
    pub fn channel(&self, name: &str) -> String {
        self.state().make_channel(name, false)
    }

    /// As [`FakeSlack::channel`], but private.
    pub fn private_channel(&self, name: &str) -> String {
        self.state().make_channel(name, true)
    }

    /// Archives a channel.
    pub fn archive(&self, channel: &str) {
        self.with_channel(channel, |channel| channel.is_archived = true);
    }

    /// Opens an archived channel again.
    pub fn unarchive(&self, channel: &str) {
        self.with_channel(channel, |channel| channel.is_archived = false);
    }

    /// Takes the bot out of a channel, or puts it back.
    pub fn set_bot_in_channel(&self, channel: &str, is_in: bool) {
        self.with_channel(channel, |channel| channel.has_bot = is_in);
    }

    /// Takes a person out of a channel.
    pub fn leave(&self, channel: &str, user: &str) {
        self.with_channel(channel, |channel| channel.absent.insert(user.to_owned()));
    }

    /// A full member by this name, made if need be. Returns the user id.
    pub fn person(&self, name: &str) -> String {
        self.person_of(name, Kind::Member)
    }

    /// An account of this kind. Returns the user id.
    pub fn person_of(&self, name: &str, kind: Kind) -> String {
        self.state().make_person(name, kind)
    }

    /// Changes what an account is, such as when somebody leaves the company.
    pub fn set_kind(&self, user: &str, kind: Kind) {
        if let Some(person) = self.state().people.get_mut(user) {
            person.kind = kind;
        }
    }

    /// Changes the language of a profile, such as `zh-CN`.
    pub fn set_locale(&self, user: &str, locale: &str) {
        if let Some(person) = self.state().people.get_mut(user) {
            locale.clone_into(&mut person.locale);
        }
    }

    /// A user group by this handle, made if need be, with these people in it besides those who are. Returns its id.
    pub fn user_group(&self, handle: &str, people: &[&str]) -> String {
        let mut state = self.state();
        let users: Vec<String> = people.iter().map(|name| state.make_person(name, Kind::Member)).collect();
        let id = state.make_group(handle);
        state.groups.entry(id.clone()).or_default().members.extend(users);
        id
    }

    /// Somebody is taken out of a user group.
    pub fn leave_group(&self, group: &str, user: &str) {
        self.with_group(group, |group| {
            group.members.remove(user);
        });
    }

    /// A user group is disabled, or in use again.
    pub fn set_group_disabled(&self, group: &str, is_disabled: bool) {
        self.with_group(group, |group| group.is_disabled = is_disabled);
    }

    /// Slack fails from now on whenever it is asked about this user group, or does not any more.
    pub fn set_group_readable(&self, group: &str, is_readable: bool) {
        self.with_group(group, |group| group.is_unreadable = !is_readable);
    }

    /// A message by a person. Returns its `ts`.
    pub fn says(&self, user: &str, channel: &str, text: &str) -> Option<String> {
        self.state().say(user, channel, text)
    }

    /// Somebody deletes a message.
    pub fn delete_message(&self, message: &Message) {
        let mut state = self.state();
        if let Some(found) = state.message_mut(&message.channel, &message.ts) {
            found.deleted = true;
        }
        drop(state);
        self.inner.changed.notify_waiters();
    }

    /// Every call so far, in order, with its body as JSON (a form's fields as strings).
    pub fn calls(&self) -> Vec<(String, Value)> {
        self.state().calls.clone()
    }

    /// The bodies of the calls of one method.
    pub fn calls_of(&self, method: &str) -> Vec<Value> {
        let calls = self.calls().into_iter();
        calls.filter(|(called, _)| called == method).map(|(_, body)| body).collect()
    }

    /// The calls that were refused by Slack's own rules, and why; faults that a test ordered are not among them.
    pub fn refused(&self) -> Vec<String> {
        self.state().refused.clone()
    }

    /// All messages of a channel, deleted ones and replies included, oldest first. Reads them all.
    pub fn messages(&self, channel: &str) -> Vec<Message> {
        let mut state = self.state();
        let Some(id) = state.channel_id(channel) else { return Vec::new() };
        state.unread.retain(|news| !news.is_in_channel(&id));
        state.channels.get(&id).map(|channel| channel.messages.clone()).unwrap_or_default()
    }

    /// A message as it stands now. Reads it.
    pub fn message(&self, channel: &str, ts: &str) -> Option<Message> {
        let mut state = self.state();
        let id = state.channel_id(channel)?;
        state.unread.retain(|news| !news.is_of_message(&id, ts));
        state.message_mut(&id, ts).cloned()
    }

    /// What was whispered to a person, oldest first. Reads it.
    pub fn ephemerals(&self, user: &str) -> Vec<Message> {
        let mut state = self.state();
        state.unread.retain(|news| !matches!(news, News::Whispered { user: to, .. } if to == user));
        state
            .ephemerals
            .iter()
            .filter(|message| message.ephemeral_to.as_deref() == Some(user))
            .cloned()
            .collect()
    }

    /// The dialogs of a person, closed ones included. Reads them.
    pub fn views(&self, user: &str) -> Vec<View> {
        let mut state = self.state();
        state.unread.retain(|news| !matches!(news, News::Dialog { user: to, .. } if to == user));
        state.views.iter().filter(|view| view.user == user).cloned().collect()
    }

    /// What reached a person and was not looked at: one line each.
    pub fn unread(&self) -> Vec<String> {
        let state = self.state();
        let unread = state.unread.iter().filter(|news| !matches!(news, News::Outcome { .. }));
        unread.map(|news| state.describe(news)).collect()
    }

    /// The next message that says what came of a call under its card in this channel; waits for it. Reads it.
    pub async fn next_outcome(&self, channel: &str) -> Result<Message> {
        self.wait(&format!("an outcome in {channel}"), |state| {
            let id = state.channel_id(channel)?;
            let is_it = |news: &News| matches!(news, News::Outcome { channel, .. } if *channel == id);
            let at = state.unread.iter().position(is_it)?;
            let News::Outcome { channel, ts } = state.unread.remove(at) else { return None };
            state.message_mut(&channel, &ts).cloned()
        })
        .await
    }

    /// Everything that says under a card what came of a call, in all channels. What is said in a thread that a person began
    /// and that has no card is said to who asked there.
    pub fn outcomes(&self) -> Vec<Message> {
        let state = self.state();
        let shared = state.channels.iter().filter(|(id, _)| !id.starts_with('D'));
        let under_cards = shared.flat_map(|(_, channel)| {
            let has_card = |message: &&Message| {
                let in_thread = |other: &&Message| other.thread_ts == message.thread_ts;
                let is_card = |other: &Message| {
                    other
                        .metadata
                        .as_ref()
                        .is_some_and(|metadata| !metadata["event_payload"]["request"].is_null())
                };
                let begun_by =
                    channel.messages.iter().find(|other| message.thread_ts.as_ref() == Some(&other.ts));
                begun_by.is_none_or(|begun_by| begun_by.user == BOT_USER_ID)
                    || channel
                        .messages
                        .iter()
                        .filter(in_thread)
                        .any(|other| !other.is_outcome() && is_card(other))
            };
            channel.messages.iter().filter(|message| message.is_outcome()).filter(has_card)
        });
        under_cards.cloned().collect()
    }

    /// The next unread new message of a channel; waits for it. Reads it.
    pub async fn next_message(&self, channel: &str) -> Result<Message> {
        self.wait(&format!("a message in {channel}"), |state| {
            let id = state.channel_id(channel)?;
            let at = state.unread.iter().position(|news| news.is_post_in(&id))?;
            let News::Posted { channel, ts } = state.unread.remove(at) else { return None };
            state.message_mut(&channel, &ts).cloned()
        })
        .await
    }

    /// Waits until a message has an unread edit, and reads all its edits.
    pub async fn next_edit(&self, message: &Message) -> Result<Message> {
        let (channel, ts) = (&message.channel, &message.ts);
        self.wait(&format!("an edit of {ts}"), |state| {
            let is_edit =
                |news: &News| matches!(news, News::Edited { .. }) && news.is_of_message(channel, ts);
            state.unread.iter().any(is_edit).then_some(())?;
            state.unread.retain(|news| !is_edit(news));
            state.message_mut(channel, ts).cloned()
        })
        .await
    }

    /// The next unread whisper to a person; waits for it. Reads it.
    pub async fn next_ephemeral(&self, user: &str) -> Result<Message> {
        self.wait(&format!("a whisper to {user}"), |state| {
            let is_it = |news: &News| matches!(news, News::Whispered { user: to, .. } if to == user);
            let at = state.unread.iter().position(is_it)?;
            let News::Whispered { ts, .. } = state.unread.remove(at) else { return None };
            state.ephemerals.iter().find(|message| message.ts == ts).cloned()
        })
        .await
    }

    /// The next unread dialog of a person; waits for it. Reads it.
    pub async fn next_view(&self, user: &str) -> Result<View> {
        self.wait(&format!("a dialog for {user}"), |state| {
            let is_it = |news: &News| matches!(news, News::Dialog { user: to, .. } if to == user);
            let at = state.unread.iter().position(is_it)?;
            let News::Dialog { id, .. } = state.unread.remove(at) else { return None };
            state.views.iter().find(|view| view.id == id).cloned()
        })
        .await
    }

    /// Waits until `method` was called `count` times in all.
    pub async fn called(&self, method: &str, count: usize) -> Result<()> {
        self.wait(&format!("{count} calls of {method}"), |state| {
            (state.calls.iter().filter(|(called, _)| called == method).count() >= count).then_some(())
        })
        .await
    }

    /// Looks again after each change, until there is something.
    async fn wait<T>(&self, what: &str, mut look: impl FnMut(&mut State) -> Option<T>) -> Result<T> {
        let seen = async {
            loop {
                let changed = self.inner.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if let Some(found) = look(&mut self.state()) {
                    return found;
                }
                changed.await;
            }
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "real time: a test that waits in vain fails, not hangs"
        )]
        let waited = tokio::time::timeout(WAIT_LIMIT, seen).await;
        waited.ok().with_context(|| {
            let calls = self.calls();
            let last: Vec<&str> =
                calls.iter().rev().take(LAST_CALLS).map(|(method, _)| method.as_str()).collect();
            let refused = self.refused();
            format!(
                "waited in vain for {what}; unread: {:?}; refused: {refused:?}; called last: {last:?}",
                self.unread()
            )
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_group(&self, group: &str, change: impl FnOnce(&mut UserGroup)) {
        if let Some(group) = self.state().groups.get_mut(group) {
            change(group);
        }
    }

    fn with_channel<T>(&self, channel: &str, change: impl FnOnce(&mut Channel) -> T) -> Option<T> {
        let mut state = self.state();
        let id = state.channel_id(channel)?;
        state.channels.get_mut(&id).map(change)
    }
}

#[cfg(test)]
mod tests;
