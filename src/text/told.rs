//! What is answered to a command in a sentence or two, and what is wrong with one.

use fluent::fluent_args;

use super::{CommandLabel, Markup, Texts, Trouble, Witness};
use crate::approval::Refusal;
use crate::command::{Exported, Key, Means, Mistake, Said, Verb, Why};
use crate::person::{Identity, NoStanding};
use crate::time::Timestamp;

keys! {
    /// A text of this module.
    pub(super) enum ToldKey {
        Example = "command-example",
        BadWhoTyped = "command-bad-who-typed",
        ByCard = "command-by-card",
        ByList = "command-by-list",
        Another = "command-another",
        Missing = "command-missing",
        NotEverything = "command-not-everything",
        HelpRevokeTyped = "command-help-revoke-typed",
        HelpRememberedTyped = "command-help-remembered-typed",
        HelpStopsTyped = "command-help-stops-typed",
        HelpForget = "command-help-forget",
        HelpLift = "command-help-lift",
        HelpApprove = "command-help-approve",
        HelpDeny = "command-help-deny",
        HelpTakeBack = "command-help-take-back",
        HelpRemember = "command-help-remember",
        HelpLooking = "command-help-looking",
        HelpAsk = "command-help-ask",
        HelpAnswer = "command-help-answer",
        HelpEdit = "command-help-edit",
        HelpBreakGlass = "command-help-break-glass",
        HelpReview = "command-help-review",
    }
}

impl Texts {
    /// What is wrong with what was typed, what was probably meant, and an example.
    #[must_use]
    pub fn mistake(&self, mistake: &Mistake, means: Means, markup: &Markup<'_>) -> String {
        let verb_example = |verb: Verb| self.command_example(verb.example());
        let (said, example) = match mistake {
            Mistake::NoSuchVerb { typed, nearest } => {
                let said = self.no_such(false, typed, nearest.map(Verb::name), markup);
                (said, verb_example(nearest.unwrap_or(Verb::Help)))
            }
            Mistake::ByButton(verb @ (Verb::Lift | Verb::Forget)) => {
                let list = if *verb == Verb::Lift { Verb::Stops } else { Verb::Remembered };
                let args = fluent_args!["verb" => verb.name(), "list" => verb_example(list)];
                return self.say(ToldKey::ByList.id(), Some(&args));
            }
            Mistake::ByButton(verb) => {
                let said = self.say(ToldKey::ByCard.id(), Some(&fluent_args!["verb" => verb.name()]));
                (said, verb_example(Verb::Show))
            }
            Mistake::NoSuchKey { typed, nearest } => {
                let meant = nearest.map(|key| format!("{}:", key.name()));
                let said = self.no_such(true, &format!("{typed}:"), meant.as_deref(), markup);
                let example = nearest.map_or(verb_example(Verb::Audit), |key| key.example().to_owned());
                (said, example)
            }
            Mistake::BadValue { key: Key::Who, typed } if means == Means::Words && !typed.is_empty() => {
                let args = fluent_args!["typed" => markup.raw(typed)];
                return self.say(ToldKey::BadWhoTyped.id(), Some(&args));
            }
            Mistake::BadValue { key, typed } => {
                (self.bad_value(key.name(), typed, markup), key.example().to_owned())
            }
            Mistake::Twice(key) => (self.said_twice(key.name()), key.example().to_owned()),
            Mistake::WhichRequest { verb, typed } => (self.which_request(typed, markup), verb_example(*verb)),
            Mistake::Another { verb, card, named } => {
                let args = fluent_args![
                    "verb" => verb.name(),
                    "card" => card.as_str(),
                    "named" => markup.raw(named),
                ];
                return self.say(ToldKey::Another.id(), Some(&args));
            }
            Mistake::Missing(verb) => {
                let said = self.say(ToldKey::Missing.id(), Some(&fluent_args!["verb" => verb.name()]));
                (said, verb_example(*verb))
            }
            Mistake::NotTaken { verb, typed } => {
                (self.not_taken(verb.name(), typed, markup), verb_example(*verb))
            }
            Mistake::TooLong => return self.command_label(CommandLabel::TooLong),
        };
        self.try_instead(&said, &(markup.text)(&example))
    }

    /// A sentence or two.
    #[must_use]
    pub fn command_said(&self, said: &Said, means: Means, markup: &Markup<'_>) -> String {
        match said {
            Said::Mistake(mistake) => self.mistake(mistake, means, markup),
            Said::Refused { refusal: Refusal::NoStanding(NoStanding::Unreadable(why)), .. } => {
                self.unchecked(why, markup)
            }
            Said::Refused { refusal, who_can } => self.refusal(refusal, who_can, markup),
            Said::NoSuchRequest => self.trouble(Trouble::NoSuchRequest),
            Said::Unreadable => self.command_label(CommandLabel::Unreadable),
            Said::Unavailable => self.trouble(Trouble::Unavailable),
            Said::OtherTenant(tenant) => self.other_tenant(tenant.as_str(), markup),
            Said::Revoked { code, runs } => self.command_revoked(code.as_str(), *runs),
            Said::Settled { code, outcome } => self.command_settled(code.as_str(), *outcome),
            Said::Unchanged(code) => self.command_unchanged(code.as_str()),
            Said::Frozen { scope, stood_by, is_known } => {
                self.command_frozen(scope, stood_by.as_deref(), *is_known, markup)
            }
            Said::Pattern => self.command_label(CommandLabel::FreezePattern),
            Said::BadName => self.command_label(CommandLabel::NameBad),
            Said::NotEverything(tenant) => {
                let args = fluent_args!["tenant" => markup.raw(tenant.as_str())];
                self.say(ToldKey::NotEverything.id(), Some(&args))
            }
            Said::Lifted(scope) => self.command_lifted(scope, markup),
            Said::Forgotten(count) => self.command_forgotten(*count),
            Said::Gone => self.command_label(CommandLabel::Gone),
            Said::NothingFound => self.command_label(CommandLabel::AuditNone),
            Said::ExportUnderWay => self.command_label(CommandLabel::ExportUnderWay),
        }
    }

    /// What happened to a request, in order: when, and a sentence with times in it.
    #[must_use]
    pub fn what_happened(&self, why: &Why, markup: &Markup<'_>) -> Vec<(Timestamp, String)> {
        let name = |identity: &Identity| {
            let known = why.names.get(identity);
            known.map_or_else(|| identity.subject().to_owned(), Clone::clone)
        };
        let hide = |text: &str| why.redactor.redact_text(text).text;
        let witness = Witness { name: &name, hide: &hide };
        let told = why.happened.iter();
        told.filter_map(|event| Some((event.at, self.happened(event, &witness, markup)?))).collect()
    }

    /// A file that was sent.
    #[must_use]
    pub fn exported(&self, file: &Exported) -> String {
        self.export_sent(file.count, file.is_cut)
    }

    /// A command as it is typed, with the word that every command begins with.
    #[must_use]
    pub fn command_example(&self, words: &str) -> String {
        self.say(ToldKey::Example.id(), Some(&fluent_args!["words" => words]))
    }

    /// What a command does.
    #[must_use]
    pub fn command_help(&self, verb: Verb, means: Means) -> String {
        let typed = |label: CommandLabel, key: ToldKey| match means {
            Means::Buttons => self.command_label(label),
            Means::Words => self.say(key.id(), None),
        };
        let key = match verb {
            Verb::Pending => return self.command_label(CommandLabel::HelpPending),
            Verb::Show => return self.command_label(CommandLabel::HelpShow),
            Verb::Why => return self.command_label(CommandLabel::HelpWhy),
            Verb::Audit => return self.command_label(CommandLabel::HelpAudit),
            Verb::Revoke => return typed(CommandLabel::HelpRevoke, ToldKey::HelpRevokeTyped),
            Verb::Settle => return self.command_label(CommandLabel::HelpSettle),
            Verb::Remembered => return typed(CommandLabel::HelpRemembered, ToldKey::HelpRememberedTyped),
            Verb::Freeze => return self.command_label(CommandLabel::HelpFreeze),
            Verb::Stops => return typed(CommandLabel::HelpStops, ToldKey::HelpStopsTyped),
            Verb::Digest => return self.command_label(CommandLabel::HelpDigest),
            Verb::Whoami => return self.command_label(CommandLabel::HelpWhoami),
            Verb::Help => return self.command_label(CommandLabel::HelpHelp),
            Verb::Forget => ToldKey::HelpForget,
            Verb::Lift => ToldKey::HelpLift,
            Verb::Approve => ToldKey::HelpApprove,
            Verb::Deny => ToldKey::HelpDeny,
            Verb::TakeBack => ToldKey::HelpTakeBack,
            Verb::Remember => ToldKey::HelpRemember,
            Verb::Looking => ToldKey::HelpLooking,
            Verb::Ask => ToldKey::HelpAsk,
            Verb::Answer => ToldKey::HelpAnswer,
            Verb::Edit => ToldKey::HelpEdit,
            Verb::BreakGlass => ToldKey::HelpBreakGlass,
            Verb::Review => ToldKey::HelpReview,
        };
        self.say(key.id(), None)
    }
}
