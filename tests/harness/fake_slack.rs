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
mod dialogs;
mod door;
mod methods;
mod people;
mod reading;
mod rules;
mod server;
mod state;

pub use clicks::{Delivery, sign};
pub use dialogs::SubmissionOutcome;
pub use people::Kind;
pub use reading::{Button, active_markup, buttons, text_of};
pub use server::Fault;
pub use state::{APP_ID, BOT_ID, BOT_USER_ID, Clock, ENTERPRISE_ID, Edit, Message, TEAM_ID, TOKEN, View};

use people::UserGroup;
use server::Inner;
use state::{Channel, News, State};

/// How long a test waits, in real time, before it fails instead of hanging.
const WAIT_LIMIT: Duration = Duration::from_secs(20);

/// The fake, which lives until it is dropped.
pub struct FakeSlack {
    inner: Arc<Inner>,
    task: AbortHandle,
}

impl Drop for FakeSlack {
    fn drop(&mut self) {
        self.task.abort();
        self.inner.door.close();
    }
}

impl FakeSlack {
    /// Starts on a free port of the loopback. `clock` gives milliseconds since the epoch.
    pub async fn start(clock: Clock) -> io::Result<Self> {
        let inner = Arc::new(Inner::new(State::new(clock))?);
        let task = server::serve(inner.clone());
        Ok(Self { inner, task })
    }

    /// Where the methods are, ending in a slash.
    pub fn base_url(&self) -> String {
        format!("http://{}/api/", self.inner.door.address())
    }

    /// Refuses connections from now on, and breaks those that stand.
    pub fn down(&self) {
        self.inner.door.close();
    }

    /// Takes connections again, on the same port.
    pub fn up(&self) -> io::Result<()> {
        self.inner.door.open()
    }

    /// The next call of `method` meets `fault`. Several stand in a queue.
    pub fn fail_next(&self, method: &str, fault: Fault) {
        self.state().faults.entry(method.to_owned()).or_default().push_back(fault);
    }

    /// Every call of `method` meets `fault`, after those in the queue, until [`FakeSlack::heal`].
    pub fn fail_always(&self, method: &str, fault: Fault) {
        self.state().standing_faults.insert(method.to_owned(), fault);
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

    /// Whether Slack's rate limits are kept, by the test's clock. Off to begin with.
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

    /// From now on the token is refused as revoked.
    pub fn revoke_token(&self) {
        self.state().token_is_revoked = true;
    }

    /// Payloads come as from an app that is installed for a whole enterprise: without a team.
    pub fn set_org_wide(&self, on: bool) {
        self.state().is_org_wide = on;
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
        state.unread.iter().map(|news| state.describe(news)).collect()
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
        waited.ok().with_context(|| format!("waited in vain for {what}; unread: {:?}", self.unread()))
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
