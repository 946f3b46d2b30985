//! What can be asked, and by which words.

use crate::command::Means;

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the word that is typed; what it does stands in the catalogue")]
pub enum Verb {
    Pending,
    Show,
    Why,
    Audit,
    Revoke,
    Settle,
    Remembered,
    Freeze,
    Stops,
    Digest,
    Whoami,
    Help,
    Forget,
    Lift,
    Approve,
    Deny,
    TakeBack,
    Remember,
    Looking,
    Ask,
    Answer,
    Edit,
    BreakGlass,
    Review,
}

/// What is done to a request on its card, and by words where a surface has no buttons for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// A yes.
    Approve,
    /// A no.
    Deny,
    /// Takes one's own yes or no back.
    TakeBack,
    /// A yes that is remembered, as far as the card says.
    Remember,
    /// Says that one is looking, or no longer is.
    Looking,
    /// Asks back.
    Ask,
    /// Answers a question.
    Answer,
    /// Asks anew with other arguments.
    Edit,
    /// Decides alone, in an emergency.
    BreakGlass,
    /// Reviews what somebody decided alone.
    Review,
}

impl Deed {
    /// Whether it needs words behind it.
    #[must_use]
    pub const fn needs_words(self) -> bool {
        matches!(self, Self::Ask | Self::Answer | Self::Edit | Self::BreakGlass)
    }

    /// Whether it takes words behind it.
    #[must_use]
    pub const fn takes_words(self) -> bool {
        !matches!(self, Self::TakeBack | Self::Looking)
    }

    /// The verb that it is typed with.
    #[must_use]
    pub const fn verb(self) -> Verb {
        match self {
            Self::Approve => Verb::Approve,
            Self::Deny => Verb::Deny,
            Self::TakeBack => Verb::TakeBack,
            Self::Remember => Verb::Remember,
            Self::Looking => Verb::Looking,
            Self::Ask => Verb::Ask,
            Self::Answer => Verb::Answer,
            Self::Edit => Verb::Edit,
            Self::BreakGlass => Verb::BreakGlass,
            Self::Review => Verb::Review,
        }
    }
}

impl Verb {
    /// Those for which every surface takes words, as help lists them.
    const EVERYWHERE: [Self; 12] = [
        Self::Pending,
        Self::Show,
        Self::Why,
        Self::Audit,
        Self::Digest,
        Self::Remembered,
        Self::Revoke,
        Self::Settle,
        Self::Freeze,
        Self::Stops,
        Self::Whoami,
        Self::Help,
    ];

    /// All of them, as help lists them where nothing is done by buttons.
    pub const ALL: [Self; 24] = [
        Self::Approve,
        Self::Deny,
        Self::TakeBack,
        Self::Remember,
        Self::Looking,
        Self::Ask,
        Self::Answer,
        Self::Edit,
        Self::BreakGlass,
        Self::Review,
        Self::Pending,
        Self::Show,
        Self::Why,
        Self::Audit,
        Self::Digest,
        Self::Remembered,
        Self::Forget,
        Self::Revoke,
        Self::Settle,
        Self::Freeze,
        Self::Stops,
        Self::Lift,
        Self::Whoami,
        Self::Help,
    ];

    /// Those that a surface takes words for, as help lists them.
    #[must_use]
    pub const fn offered(means: Means) -> &'static [Self] {
        match means {
            Means::Buttons => &Self::EVERYWHERE,
            Means::Words => &Self::ALL,
        }
    }

    /// As it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Show => "show",
            Self::Why => "why",
            Self::Audit => "audit",
            Self::Revoke => "revoke",
            Self::Settle => "settle",
            Self::Remembered => "remembered",
            Self::Freeze => "freeze",
            Self::Stops => "stops",
            Self::Digest => "digest",
            Self::Whoami => "whoami",
            Self::Help => "help",
            Self::Forget => "forget",
            Self::Lift => "lift",
            Self::Approve => "approve",
            Self::Deny => "deny",
            Self::TakeBack => "take-back",
            Self::Remember => "remember",
            Self::Looking => "looking",
            Self::Ask => "ask",
            Self::Answer => "answer",
            Self::Edit => "edit",
            Self::BreakGlass => "break-glass",
            Self::Review => "review",
        }
    }

    /// One that can be typed as it stands behind the word that every command begins with, but for the names in it.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Show => "show 7Q4K-2M",
            Self::Why => "why 7Q4K-2M",
            Self::Audit => "audit who:@bo tool:deploy state:failed since:7d export:csv",
            Self::Revoke => "revoke 7Q4K-2M no longer needed",
            Self::Settle => "settle 7Q4K-2M ok the file is gone",
            Self::Remembered => "remembered",
            Self::Freeze => "freeze tool:deploy an incident",
            Self::Stops => "stops",
            Self::Digest => "digest 7d",
            Self::Whoami => "whoami",
            Self::Help => "help",
            Self::Forget => "forget 7Q4K-2M",
            Self::Lift => "lift tool:deploy",
            Self::Approve => "approve 7Q4K-2M checked the path",
            Self::Deny => "deny 7Q4K-2M the wrong folder",
            Self::TakeBack => "take-back 7Q4K-2M",
            Self::Remember => "remember 7Q4K-2M",
            Self::Looking => "looking 7Q4K-2M",
            Self::Ask => "ask 7Q4K-2M is there a backup?",
            Self::Answer => "answer 7Q4K-2M yes, from this morning",
            Self::Edit => "edit 7Q4K-2M {\"path\": \"b.txt\"}",
            Self::BreakGlass => "break-glass 7Q4K-2M the disk is full and nobody answers",
            Self::Review => "review 7Q4K-2M it was right",
        }
    }

    /// What it does to a request; none for what does nothing to one that waits.
    #[must_use]
    pub const fn deed(self) -> Option<Deed> {
        Some(match self {
            Self::Approve => Deed::Approve,
            Self::Deny => Deed::Deny,
            Self::TakeBack => Deed::TakeBack,
            Self::Remember => Deed::Remember,
            Self::Looking => Deed::Looking,
            Self::Ask => Deed::Ask,
            Self::Answer => Deed::Answer,
            Self::Edit => Deed::Edit,
            Self::BreakGlass => Deed::BreakGlass,
            Self::Review => Deed::Review,
            Self::Pending
            | Self::Show
            | Self::Why
            | Self::Audit
            | Self::Revoke
            | Self::Settle
            | Self::Remembered
            | Self::Freeze
            | Self::Stops
            | Self::Digest
            | Self::Whoami
            | Self::Help
            | Self::Forget
            | Self::Lift => return None,
        })
    }

    /// Whether its answer has pages.
    #[must_use]
    pub const fn has_pages(self) -> bool {
        matches!(
            self,
            Self::Pending
                | Self::Show
                | Self::Why
                | Self::Audit
                | Self::Remembered
                | Self::Stops
                | Self::Digest
        )
    }
}

/// What narrows an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the word that is typed; what it takes stands in the catalogue")]
pub enum Key {
    Who,
    Tool,
    State,
    Since,
    Tenant,
    Export,
}

impl Key {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Who, Self::Tool, Self::State, Self::Since, Self::Tenant, Self::Export];

    /// As it is typed, without its colon.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Who => "who",
            Self::Tool => "tool",
            Self::State => "state",
            Self::Since => "since",
            Self::Tenant => "tenant",
            Self::Export => "export",
        }
    }

    /// One with a value.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Who => "who:@bo",
            Self::Tool => "tool:deploy",
            Self::State => "state:failed",
            Self::Since => "since:7d",
            Self::Tenant => "tenant:acme",
            Self::Export => "export:csv",
        }
    }
}
