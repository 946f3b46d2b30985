//! How one decides where there are no buttons: by a reaction, in a poll, or by what one writes.

use fluent::fluent_args;

use super::{Markup, Texts};
use crate::approval::Assurance;
use crate::card::{CallView, CardView, VoteView};
use crate::id::ShortCode;

keys! {
    /// A text of this module.
    pub(super) enum ReplyKey {
        LabelToApprove = "label-to-approve",
        LabelToDeny = "label-to-deny",
        ApproveByReaction = "approve-by-reaction",
        ApproveInPoll = "approve-in-poll",
        ApproveByReply = "approve-by-reply",
        ApproveByReplyWhy = "approve-by-reply-why",
        ApproveInThread = "approve-in-thread",
        ApproveAtTheEnd = "approve-at-the-end",
        ApproveDirectly = "approve-directly",
        ApproveUnseen = "approve-unseen",
        DenyByReaction = "deny-by-reaction",
        DenyInPoll = "deny-in-poll",
        DenyByReply = "deny-by-reply",
        DenyDirectly = "deny-directly",
        Encrypted = "reply-encrypted",
        Confidential = "reply-confidential",
        ToTakeBack = "to-take-back",
        ToSettle = "to-settle",
        LabelToRemember = "label-to-remember",
        RememberByReply = "remember-by-reply",
        ToReview = "to-review",
        ToAnswer = "to-answer",
        More = "more-by-reply",
        VoteSealed = "vote-sealed",
        VotePinned = "vote-pinned",
        PollQuestion = "poll-question",
        PartHead = "part-head",
    }
}

keys! {
    /// Why what somebody wrote, or chose in a poll, does not count as theirs.
    pub enum Unproven {
        /// It is not encrypted, in an encrypted room.
        Plaintext = "unproven-plaintext",
        /// Their device is not signed by them.
        UnsignedDevice = "unproven-unsigned-device",
        /// Their device is not known, or gone.
        UnknownDevice = "unproven-unknown-device",
        /// Another account's device wrote it.
        OtherSender = "unproven-other-sender",
        /// Their identity is another than it was.
        IdentityChanged = "unproven-identity-changed",
        /// It cannot be decrypted.
        Unreadable = "unproven-unreadable",
    }
}

impl Unproven {
    /// As the record has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plaintext => "plaintext",
            Self::UnsignedDevice => "unsigned_device",
            Self::UnknownDevice => "unknown_device",
            Self::OtherSender => "other_sender",
            Self::IdentityChanged => "identity_changed",
            Self::Unreadable => "unreadable",
        }
    }
}

impl Texts {
    /// Why what somebody wrote does not count as theirs, and what to do.
    #[must_use]
    pub fn unproven(&self, why: Unproven) -> String {
        self.say(why.id(), None)
    }
}

/// By what somebody says yes where there are no buttons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YesWay {
    /// A reaction, or a reply.
    Reaction,
    /// A poll beside the card, or a reply.
    Poll,
    /// A reply.
    Reply,
    /// A reply below the whole call, which stands in the thread in so many parts.
    Thread(u32),
    /// A reply to the last of those parts.
    LastPart,
    /// A message to Placet alone, where it can be encrypted or others may not read along.
    Directly,
    /// A reply, though so many secrets are hidden: the policy allows it.
    Unseen(u32),
}

/// By what somebody says no there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoWay {
    /// A reaction, or a reply.
    Reaction,
    /// A poll beside the card, or a reply.
    Poll,
    /// A reply.
    Reply,
    /// A message to Placet alone.
    Directly,
}

/// What written commands begin with, the request they are about, and what an answer needs.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// What a command begins with, such as `!placet`.
    pub prefix: &'a str,
    /// What people call the request.
    pub code: &'a ShortCode,
    /// Whether only an encrypted message counts.
    pub encrypted: bool,
}

impl Texts {
    /// How one says yes, and its label.
    #[must_use]
    pub fn to_approve(&self, way: YesWay, asks_why: bool, written: &Written<'_>) -> (String, String) {
        let mut args = fluent_args![
            "prefix" => written.prefix,
            "code" => written.code.as_str(),
        ];
        let key = match way {
            YesWay::Reaction => ReplyKey::ApproveByReaction,
            YesWay::Poll => ReplyKey::ApproveInPoll,
            YesWay::Reply if asks_why => ReplyKey::ApproveByReplyWhy,
            YesWay::Reply => ReplyKey::ApproveByReply,
            YesWay::Thread(parts) => {
                args.set("parts", parts);
                ReplyKey::ApproveInThread
            }
            YesWay::LastPart => ReplyKey::ApproveAtTheEnd,
            YesWay::Directly => ReplyKey::ApproveDirectly,
            YesWay::Unseen(count) => {
                args.set("count", count);
                ReplyKey::ApproveUnseen
            }
        };
        let said = self.say(key.id(), Some(&args));
        (self.say(ReplyKey::LabelToApprove.id(), None), self.sealed(said, written))
    }

    /// How one says no, and its label.
    #[must_use]
    pub fn to_deny(&self, way: NoWay, written: &Written<'_>) -> (String, String) {
        let args = fluent_args!["prefix" => written.prefix, "code" => written.code.as_str()];
        let key = match way {
            NoWay::Reaction => ReplyKey::DenyByReaction,
            NoWay::Poll => ReplyKey::DenyInPoll,
            NoWay::Reply => ReplyKey::DenyByReply,
            NoWay::Directly => ReplyKey::DenyDirectly,
        };
        let said = self.say(key.id(), Some(&args));
        (self.say(ReplyKey::LabelToDeny.id(), None), self.sealed(said, written))
    }

    fn sealed(&self, said: String, written: &Written<'_>) -> String {
        if written.encrypted {
            self.say(ReplyKey::Encrypted.id(), Some(&fluent_args!["said" => said]))
        } else {
            said
        }
    }

    /// Before how one says yes, where one cannot.
    #[must_use]
    pub fn to_approve_label(&self) -> String {
        self.say(ReplyKey::LabelToApprove.id(), None)
    }

    /// On the card of a confidential call: who can read it, and where.
    #[must_use]
    pub fn confidential_by_reply(&self, view: &CardView, markup: &Markup<'_>) -> String {
        let args = fluent_args!["roles" => self.roles(&view.readers, markup)];
        self.say(ReplyKey::Confidential.id(), Some(&args))
    }

    /// How one takes one's answer back.
    #[must_use]
    pub fn to_take_back(&self, prefix: &str) -> String {
        self.say(ReplyKey::ToTakeBack.id(), Some(&fluent_args!["prefix" => prefix]))
    }

    /// How one settles what nobody knows.
    #[must_use]
    pub fn to_settle(&self, prefix: &str) -> String {
        self.say(ReplyKey::ToSettle.id(), Some(&fluent_args!["prefix" => prefix]))
    }

    /// How one says a yes that is remembered, with its exact scope, and its label; none where nothing may be remembered.
    #[must_use]
    pub fn to_remember(
        &self,
        call: &CallView,
        written: &Written<'_>,
        markup: &Markup<'_>,
    ) -> Option<(String, String)> {
        let args = fluent_args!["prefix" => written.prefix, "scope" => self.remember_scope(call, markup)?];
        let said = self.say(ReplyKey::RememberByReply.id(), Some(&args));
        Some((self.say(ReplyKey::LabelToRemember.id(), None), self.sealed(said, written)))
    }

    /// How one reviews what somebody decided alone.
    #[must_use]
    pub fn to_review(&self, prefix: &str) -> String {
        self.say(ReplyKey::ToReview.id(), Some(&fluent_args!["prefix" => prefix]))
    }

    /// How one answers a question.
    #[must_use]
    pub fn to_answer(&self, prefix: &str, code: &ShortCode) -> String {
        let args = fluent_args!["prefix" => prefix, "code" => code.as_str()];
        self.say(ReplyKey::ToAnswer.id(), Some(&args))
    }

    /// Where the other commands are told.
    #[must_use]
    pub fn more_by_reply(&self, prefix: &str) -> String {
        self.say(ReplyKey::More.id(), Some(&fluent_args!["prefix" => prefix]))
    }

    /// A vote, with how sure it is that it was this person, where that is more than their server's word.
    pub(super) fn assured(&self, said: String, vote: &VoteView) -> String {
        let key = match vote.assurance {
            Assurance::ServerAsserted | Assurance::Signed => return said,
            Assurance::E2eeTofu => ReplyKey::VoteSealed,
            Assurance::E2eePinned => ReplyKey::VotePinned,
        };
        self.say(key.id(), Some(&fluent_args!["vote" => said]))
    }

    /// What a poll asks.
    #[must_use]
    pub fn poll_question(&self, title: &str, code: &ShortCode) -> String {
        let args = fluent_args!["title" => title, "code" => code.as_str()];
        self.say(ReplyKey::PollQuestion.id(), Some(&args))
    }

    /// Above a part of the whole call.
    #[must_use]
    pub fn part_head(&self, code: &ShortCode, part: usize, parts: usize) -> String {
        let args = fluent_args!["code" => code.as_str(), "part" => part, "parts" => parts];
        self.say(ReplyKey::PartHead.id(), Some(&args))
    }
}
