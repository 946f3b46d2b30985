//! What is said in a thread in which the agent works.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::agent::task::{NotBegun, TASKS_PER_PERSON_MAX, TASKS_PER_THREAD_MAX};
use crate::agent::{SPEAKERS_MAX, USER_CHARS_MAX};
use crate::id::ShortCode;
use crate::person::NoStanding;

keys! {
    /// A text about a task that was given in a chat.
    pub(super) enum ThreadKey {
        Working = "thread-working",
        Doing = "thread-doing",
        Waits = "thread-waits",
        WaitsNowhere = "thread-waits-nowhere",
        Directly = "thread-directly",
        Done = "thread-done",
        Failed = "thread-failed",
        AgentsWords = "thread-agents-words",
        GoesOn = "thread-goes-on",
        LeftOut = "thread-left-out",
        NoAgent = "thread-no-agent",
        NoRole = "thread-no-role",
        Unknown = "thread-unknown",
        Ambiguous = "thread-ambiguous",
        Deactivated = "thread-deactivated",
        Guest = "thread-guest",
        Bot = "thread-bot",
        Foreign = "thread-foreign",
        Away = "thread-away",
        Unreadable = "thread-unreadable",
        Empty = "thread-empty",
        TooLong = "thread-too-long",
        TooManyOfPerson = "thread-too-many-of-person",
        TooManyInThread = "thread-too-many-in-thread",
        TooManySpeakers = "thread-too-many-speakers",
        Busy = "thread-busy",
        Unavailable = "thread-unavailable",
    }
}

impl Texts {
    /// What the agent is doing: a tool it has called, or thinking.
    #[must_use]
    pub fn thread_working(&self, tool: Option<&str>, markup: &Markup<'_>) -> String {
        match tool {
            Some(tool) => self.say(ThreadKey::Doing.id(), Some(&fluent_args!["tool" => markup.raw(tool)])),
            None => self.say(ThreadKey::Working.id(), None),
        }
    }

    /// That people are asked about a call, and where; the places are in the surface's own words.
    #[must_use]
    pub fn thread_waits(
        &self,
        (tool, code): (&str, Option<&ShortCode>),
        places: &[String],
        markup: &Markup<'_>,
    ) -> String {
        let key = if places.is_empty() { ThreadKey::WaitsNowhere } else { ThreadKey::Waits };
        let code = code.map(ToString::to_string).unwrap_or_default();
        let args =
            fluent_args!["tool" => markup.raw(tool), "code" => code, "places" => self.join(places.to_vec())];
        self.say(key.id(), Some(&args))
    }

    /// Messages to people themselves.
    #[must_use]
    pub fn thread_directly(&self) -> String {
        self.say(ThreadKey::Directly.id(), None)
    }

    /// That it is done, where the agent said nothing itself.
    #[must_use]
    pub fn thread_done(&self) -> String {
        self.say(ThreadKey::Done.id(), None)
    }

    /// That it could not go on.
    #[must_use]
    pub fn thread_failed(&self, why: &str, markup: &Markup<'_>) -> String {
        self.say(ThreadKey::Failed.id(), Some(&fluent_args!["why" => markup.raw(why)]))
    }

    /// Beneath what the agent said: nobody may take it for Placet's own word.
    #[must_use]
    pub fn thread_agents_words(&self) -> String {
        self.say(ThreadKey::AgentsWords.id(), None)
    }

    /// That another message follows.
    #[must_use]
    pub fn thread_goes_on(&self) -> String {
        self.say(ThreadKey::GoesOn.id(), None)
    }

    /// That an answer was too long even for several messages.
    #[must_use]
    pub fn thread_left_out(&self, count: usize) -> String {
        self.say(ThreadKey::LeftOut.id(), Some(&fluent_args!["count" => count]))
    }

    /// Why a task is not begun.
    #[must_use]
    pub fn thread_not_begun(&self, why: &NotBegun, markup: &Markup<'_>) -> String {
        let plain = |key: ThreadKey| self.say(key.id(), None);
        let max = |key: ThreadKey, max: usize| self.say(key.id(), Some(&fluent_args!["max" => max]));
        match why {
            NotBegun::NoAgent => plain(ThreadKey::NoAgent),
            NotBegun::NoRole => plain(ThreadKey::NoRole),
            NotBegun::NoStanding(why) => match why {
                NoStanding::Unknown => plain(ThreadKey::Unknown),
                NoStanding::Ambiguous => plain(ThreadKey::Ambiguous),
                NoStanding::Deactivated => plain(ThreadKey::Deactivated),
                NoStanding::Guest => plain(ThreadKey::Guest),
                NoStanding::Bot => plain(ThreadKey::Bot),
                NoStanding::Foreign => plain(ThreadKey::Foreign),
                NoStanding::Away => plain(ThreadKey::Away),
                NoStanding::Unreadable(why) => {
                    self.say(ThreadKey::Unreadable.id(), Some(&fluent_args!["why" => markup.raw(why)]))
                }
            },
            NotBegun::Empty => plain(ThreadKey::Empty),
            NotBegun::TooLong { chars } => self.say(
                ThreadKey::TooLong.id(),
                Some(&fluent_args!["count" => *chars, "max" => USER_CHARS_MAX]),
            ),
            NotBegun::TooManyOfPerson => max(ThreadKey::TooManyOfPerson, TASKS_PER_PERSON_MAX),
            NotBegun::TooManyInThread => max(ThreadKey::TooManyInThread, TASKS_PER_THREAD_MAX),
            NotBegun::TooManySpeakers => max(ThreadKey::TooManySpeakers, SPEAKERS_MAX),
            NotBegun::Busy => plain(ThreadKey::Busy),
            NotBegun::Unavailable => plain(ThreadKey::Unavailable),
        }
    }
}
