//! What is answered to commands that are typed in chat.

use fluent::{FluentArgs, fluent_args};

use super::{Markup, Texts};
use crate::approval::OutcomeKind;
use crate::hold::{Hold, HoldScope};
use crate::id::Role;
use crate::policy::Level;
use crate::time::Timestamp;

keys! {
    /// A text that needs nothing inserted, by what it stands on or says.
    #[expect(missing_docs, reason = "each says what its text is for; the texts stand in the catalogue")]
    pub enum CommandLabel {
        HelpHead = "command-help-head",
        HelpPending = "command-help-pending",
        HelpShow = "command-help-show",
        HelpWhy = "command-help-why",
        HelpAudit = "command-help-audit",
        HelpRevoke = "command-help-revoke",
        HelpSettle = "command-help-settle",
        HelpRemembered = "command-help-remembered",
        HelpFreeze = "command-help-freeze",
        HelpStops = "command-help-stops",
        HelpDigest = "command-help-digest",
        HelpWhoami = "command-help-whoami",
        HelpHelp = "command-help-help",
        TooLong = "command-too-long",
        Unreadable = "command-unreadable",
        Busy = "command-busy",
        PendingHead = "command-pending-head",
        PendingNone = "command-pending-none",
        AuditNone = "command-audit-none",
        RememberedHead = "command-remembered-head",
        RememberedNone = "command-remembered-none",
        StopsHead = "command-stops-head",
        StopsNone = "command-stops-none",
        StopsInstallation = "command-stops-installation",
        DigestTitle = "command-digest-title",
        ShowCard = "command-show-card",
        ShowNoCard = "command-show-no-card",
        WhyAsksNobody = "command-why-asks-nobody",
        WhyHappened = "command-why-happened",
        WhoamiNoRoles = "command-whoami-no-roles",
        Nobody = "command-nobody",
        Older = "command-older",
        Newest = "command-newest",
        Lift = "command-lift",
        LiftTitle = "command-lift-title",
        Forget = "command-forget",
        ForgetTitle = "command-forget-title",
        ForgetText = "command-forget-text",
        Yes = "command-yes",
        No = "command-no",
        RevokeTitle = "command-revoke-title",
        RevokeSubmit = "command-revoke-submit",
        SettleTitle = "command-settle-title",
        SettleOutcome = "command-settle-outcome",
        SettleOk = "command-settle-ok",
        SettleFailed = "command-settle-failed",
        SettleHint = "command-settle-hint",
        RevokeHint = "command-revoke-hint",
        FreezeTitle = "command-freeze-title",
        FreezeScope = "command-freeze-scope",
        FreezeAgent = "command-freeze-agent",
        FreezeTool = "command-freeze-tool",
        FreezeTenant = "command-freeze-tenant",
        FreezeName = "command-freeze-name",
        FreezeNameHint = "command-freeze-name-hint",
        FreezeHint = "command-freeze-hint",
        FreezeNext = "command-freeze-next",
        FreezeConfirmTitle = "command-freeze-confirm-title",
        FreezeConfirm = "command-freeze-confirm",
        ReasonNeeded = "command-reason-needed",
        NameNeeded = "command-name-needed",
        NameBad = "command-name-bad",
        FreezePattern = "command-freeze-pattern",
        Gone = "command-gone",
        ExportFailed = "command-export-failed",
        ExportUnderWay = "command-export-under-way",
    }
}

keys! {
    /// A text with something in it.
    pub(super) enum CommandKey {
        NoVerb = "command-no-verb",
        NoKey = "command-no-key",
        Nearest = "command-nearest",
        Try = "command-try",
        BadWho = "command-bad-who",
        BadState = "command-bad-state",
        BadSince = "command-bad-since",
        BadExport = "command-bad-export",
        BadValue = "command-bad-value",
        Twice = "command-twice",
        WhichRequest = "command-which-request",
        NotTaken = "command-not-taken",
        OtherTenant = "command-other-tenant",
        Unchecked = "command-unchecked",
        PendingTimes = "command-pending-times",
        Stopped = "command-stopped",
        StoppedRow = "command-stopped-row",
        AuditHead = "command-audit-head",
        AuditAsked = "command-audit-asked",
        AuditFurther = "command-audit-further",
        RememberedRow = "command-remembered-row",
        StopsRow = "command-stops-row",
        WhyHead = "command-why-head",
        WhyPolicy = "command-why-policy",
        WhyLevel = "command-why-level",
        WhyAsks = "command-why-asks",
        WhyCut = "command-why-cut",
        WhoamiHead = "command-whoami-head",
        WhoamiAccount = "command-whoami-account",
        WhoamiRoles = "command-whoami-roles",
        WhoamiStandsIn = "command-whoami-stands-in",
        WhoamiAudit = "command-whoami-audit",
        WhoamiSteward = "command-whoami-steward",
        LiftText = "command-lift-text",
        FreezeConfirmText = "command-freeze-confirm-text",
        Revoked = "command-revoked",
        RevokeAsked = "command-revoke-asked",
        Settled = "command-settled",
        Unchanged = "command-unchanged",
        Frozen = "command-frozen",
        FrozenBefore = "command-frozen-before",
        FrozenDoubt = "command-frozen-doubt",
        Lifted = "command-lifted",
        Forgotten = "command-forgotten",
        ExportSent = "command-export-sent",
        ExportCut = "command-export-cut",
        ExportNote = "command-export-note",
        ExportScope = "command-export-scope",
    }
}

impl Texts {
    /// A text that needs nothing inserted.
    #[must_use]
    pub fn command_label(&self, label: CommandLabel) -> String {
        self.say(label.id(), None)
    }

    fn command(&self, key: CommandKey, args: &FluentArgs<'_>) -> String {
        self.say(key.id(), Some(args))
    }

    /// There is no command, or no filter, of that name; with the one that was probably meant.
    #[must_use]
    pub fn no_such(
        &self,
        is_filter: bool,
        typed: &str,
        nearest: Option<&str>,
        markup: &Markup<'_>,
    ) -> String {
        let key = if is_filter { CommandKey::NoKey } else { CommandKey::NoVerb };
        let mistake = self.command(key, &fluent_args!["typed" => markup.raw(typed)]);
        match nearest {
            Some(nearest) => {
                self.command(CommandKey::Nearest, &fluent_args!["mistake" => mistake, "nearest" => nearest])
            }
            None => mistake,
        }
    }

    /// A value that a filter does not take, by the filter's name.
    #[must_use]
    pub fn bad_value(&self, key: &str, typed: &str, markup: &Markup<'_>) -> String {
        let said = match key {
            _ if typed.is_empty() => CommandKey::BadValue,
            "who" => CommandKey::BadWho,
            "state" => CommandKey::BadState,
            "since" => CommandKey::BadSince,
            "export" => CommandKey::BadExport,
            _ => CommandKey::BadValue,
        };
        self.command(said, &fluent_args!["typed" => markup.raw(typed), "key" => key])
    }

    /// A filter that stands there twice.
    #[must_use]
    pub fn said_twice(&self, key: &str) -> String {
        self.command(CommandKey::Twice, &fluent_args!["key" => key])
    }

    /// What was typed is no request's code; empty where nothing was typed.
    #[must_use]
    pub fn which_request(&self, typed: &str, markup: &Markup<'_>) -> String {
        let typed = if typed.is_empty() { "none".to_owned() } else { markup.raw(typed) };
        self.command(CommandKey::WhichRequest, &fluent_args!["typed" => typed])
    }

    /// A command that takes nothing of that kind.
    #[must_use]
    pub fn not_taken(&self, verb: &str, typed: &str, markup: &Markup<'_>) -> String {
        self.command(CommandKey::NotTaken, &fluent_args!["verb" => verb, "typed" => markup.raw(typed)])
    }

    /// A mistake with an example of how it is right.
    #[must_use]
    pub fn try_instead(&self, mistake: &str, example: &str) -> String {
        self.command(CommandKey::Try, &fluent_args!["mistake" => mistake, "example" => example])
    }

    /// Another tenant than the one that is served here.
    #[must_use]
    pub fn other_tenant(&self, tenant: &str, markup: &Markup<'_>) -> String {
        self.command(CommandKey::OtherTenant, &fluent_args!["tenant" => markup.raw(tenant)])
    }

    /// An account that could not be checked, and why not.
    #[must_use]
    pub fn unchecked(&self, why: &str, markup: &Markup<'_>) -> String {
        self.command(CommandKey::Unchecked, &fluent_args!["why" => markup.raw(why)])
    }

    /// Since and until when it waits, and who asked. `who` is visible already.
    #[must_use]
    pub fn pending_times(
        &self,
        (since, until): (Timestamp, Timestamp),
        who: &str,
        markup: &Markup<'_>,
    ) -> String {
        let args = fluent_args![
            "since" => (markup.time)(since),
            "until" => (markup.time)(until),
            "who" => (markup.text)(who),
        ];
        self.command(CommandKey::PendingTimes, &args)
    }

    /// What a stop covers.
    #[must_use]
    pub fn stop_scope(&self, scope: &HoldScope, markup: &Markup<'_>) -> String {
        match scope {
            HoldScope::All => self.command_label(CommandLabel::FreezeTenant),
            HoldScope::Agent(agent) => {
                format!("{}: {}", self.command_label(CommandLabel::FreezeAgent), markup.raw(agent.as_str()))
            }
            HoldScope::Tool(tool) => {
                format!("{}: {}", self.command_label(CommandLabel::FreezeTool), markup.raw(tool))
            }
            HoldScope::Run { agent, run } => {
                let what = self.command_label(CommandLabel::FreezeAgent);
                format!("{what}: {} ({})", markup.raw(agent.as_str()), markup.raw(run.as_str()))
            }
        }
    }

    /// A stop, above what waits. `who` and `reason` are visible already.
    #[must_use]
    pub fn stopped(&self, hold: &Hold, (who, reason): (&str, &str), markup: &Markup<'_>) -> String {
        let args = fluent_args![
            "what" => self.stop_scope(&hold.scope, markup),
            "who" => (markup.text)(who),
            "reason" => (markup.text)(reason),
        ];
        self.command(CommandKey::Stopped, &args)
    }

    /// That a request is stopped. `reason` is visible already.
    #[must_use]
    pub fn stopped_row(&self, reason: &str, markup: &Markup<'_>) -> String {
        self.command(CommandKey::StoppedRow, &fluent_args!["reason" => (markup.text)(reason)])
    }

    /// Who stopped it, when and why. `who` and `reason` are visible already.
    #[must_use]
    pub fn stops_row(&self, (who, since, reason): (&str, Timestamp, &str), markup: &Markup<'_>) -> String {
        let args = fluent_args![
            "who" => (markup.text)(who),
            "since" => (markup.time)(since),
            "reason" => (markup.text)(reason),
        ];
        self.command(CommandKey::StopsRow, &args)
    }

    /// Above an audit.
    #[must_use]
    pub fn audit_head(&self, tenant: &str, markup: &Markup<'_>) -> String {
        self.command(CommandKey::AuditHead, &fluent_args!["tenant" => markup.raw(tenant)])
    }

    /// Who asked, and when. `who` is visible already.
    #[must_use]
    pub fn audit_asked(&self, who: &str, when: Timestamp, markup: &Markup<'_>) -> String {
        let args = fluent_args!["who" => (markup.text)(who), "when" => (markup.time)(when)];
        self.command(CommandKey::AuditAsked, &args)
    }

    /// That a search has not yet looked further back.
    #[must_use]
    pub fn audit_further(&self, when: Timestamp, markup: &Markup<'_>) -> String {
        self.command(CommandKey::AuditFurther, &fluent_args!["when" => (markup.time)(when)])
    }

    /// For whom something is remembered, by whom, until when.
    #[must_use]
    pub fn remembered_row(
        &self,
        agent: &str,
        names: &[String],
        until: Timestamp,
        markup: &Markup<'_>,
    ) -> String {
        let args = fluent_args![
            "agent" => markup.raw(agent),
            "who" => self.names(names, markup),
            "until" => (markup.time)(until),
        ];
        self.command(CommandKey::RememberedRow, &args)
    }

    /// Above why a request was asked about.
    #[must_use]
    pub fn why_head(&self, code: &str) -> String {
        self.command(CommandKey::WhyHead, &fluent_args!["code" => code])
    }

    /// By which policy.
    #[must_use]
    pub fn why_policy(&self, label: &str, digest: &str, markup: &Markup<'_>) -> String {
        let args = fluent_args!["label" => markup.raw(label), "digest" => digest];
        self.command(CommandKey::WhyPolicy, &args)
    }

    /// At which level.
    #[must_use]
    pub fn why_level(&self, level: Level) -> String {
        self.command(CommandKey::WhyLevel, &fluent_args!["level" => self.level(level)])
    }

    /// Who was asked: so many of a role, stage by stage.
    #[must_use]
    pub fn why_asks(&self, stages: &[Vec<(Role, u32)>], markup: &Markup<'_>) -> String {
        let stages = stages.iter().map(|groups| {
            self.join(
                groups
                    .iter()
                    .map(|(role, count)| format!("{count} {}", self.role(role, *count, markup)))
                    .collect(),
            )
        });
        let needs: Vec<String> = stages.collect();
        self.command(CommandKey::WhyAsks, &fluent_args!["needs" => needs.join(" → ")])
    }

    /// That not all events are shown.
    #[must_use]
    pub fn why_cut(&self, count: usize) -> String {
        self.command(CommandKey::WhyCut, &fluent_args!["count" => count])
    }

    /// What somebody is called. `name` is visible already.
    #[must_use]
    pub fn whoami_head(&self, name: &str, markup: &Markup<'_>) -> String {
        self.command(CommandKey::WhoamiHead, &fluent_args!["name" => (markup.text)(name)])
    }

    /// Which account, of which tenant.
    #[must_use]
    pub fn whoami_account(&self, account: &str, tenant: &str, markup: &Markup<'_>) -> String {
        let args = fluent_args!["account" => markup.raw(account), "tenant" => markup.raw(tenant)];
        self.command(CommandKey::WhoamiAccount, &args)
    }

    /// Somebody's roles.
    #[must_use]
    pub fn whoami_roles(&self, roles: &[Role], markup: &Markup<'_>) -> String {
        if roles.is_empty() {
            return self.command_label(CommandLabel::WhoamiNoRoles);
        }
        let roles: Vec<String> = roles.iter().map(|role| markup.raw(role.as_str())).collect();
        self.command(CommandKey::WhoamiRoles, &fluent_args!["roles" => self.join(roles)])
    }

    /// Whom somebody stands in for.
    #[must_use]
    pub fn whoami_stands_in(&self, names: &[String], markup: &Markup<'_>) -> String {
        self.command(CommandKey::WhoamiStandsIn, &fluent_args!["who" => self.names(names, markup)])
    }

    /// Whether somebody may read the audit, and else which roles may.
    #[must_use]
    pub fn whoami_audit(&self, may: bool, roles: &[Role], markup: &Markup<'_>) -> String {
        self.may(CommandKey::WhoamiAudit, may, roles, markup)
    }

    /// Whether somebody may revoke, settle and stop, and else which roles may.
    #[must_use]
    pub fn whoami_steward(&self, may: bool, roles: &[Role], markup: &Markup<'_>) -> String {
        self.may(CommandKey::WhoamiSteward, may, roles, markup)
    }

    fn may(&self, key: CommandKey, may: bool, roles: &[Role], markup: &Markup<'_>) -> String {
        let said = match roles {
            [] => self.command_label(CommandLabel::Nobody),
            roles => self.roles(roles, markup),
        };
        self.command(key, &fluent_args!["may" => if may { "yes" } else { "no" }, "roles" => said])
    }

    /// What asks once more before a stop is lifted.
    #[must_use]
    pub fn lift_text(&self, scope: &HoldScope, markup: &Markup<'_>) -> String {
        self.command(CommandKey::LiftText, &fluent_args!["what" => self.stop_scope(scope, markup)])
    }

    /// What asks once more before a stop is placed.
    #[must_use]
    pub fn freeze_confirm_text(&self, scope: &HoldScope, markup: &Markup<'_>) -> String {
        self.command(CommandKey::FreezeConfirmText, &fluent_args!["what" => self.stop_scope(scope, markup)])
    }

    /// A request was taken back, or asked to stop.
    #[must_use]
    pub fn command_revoked(&self, code: &str, runs: bool) -> String {
        let key = if runs { CommandKey::RevokeAsked } else { CommandKey::Revoked };
        self.command(key, &fluent_args!["code" => code])
    }

    /// A request was settled.
    #[must_use]
    pub fn command_settled(&self, code: &str, outcome: OutcomeKind) -> String {
        self.command(CommandKey::Settled, &fluent_args!["code" => code, "outcome" => self.outcome(outcome)])
    }

    /// Nothing was to be done.
    #[must_use]
    pub fn command_unchanged(&self, code: &str) -> String {
        self.command(CommandKey::Unchanged, &fluent_args!["code" => code])
    }

    /// A stop was placed, or stood already; `by` is who placed the one that stands, visible already.
    #[must_use]
    pub fn command_frozen(
        &self,
        scope: &HoldScope,
        stood_by: Option<&str>,
        is_known: bool,
        markup: &Markup<'_>,
    ) -> String {
        let what = self.stop_scope(scope, markup);
        let said = match stood_by {
            Some(who) => self.command(
                CommandKey::FrozenBefore,
                &fluent_args!["what" => what, "who" => (markup.text)(who)],
            ),
            None => self.command(CommandKey::Frozen, &fluent_args!["what" => what]),
        };
        if is_known { said } else { self.command(CommandKey::FrozenDoubt, &fluent_args!["said" => said]) }
    }

    /// A stop was lifted.
    #[must_use]
    pub fn command_lifted(&self, scope: &HoldScope, markup: &Markup<'_>) -> String {
        self.command(CommandKey::Lifted, &fluent_args!["what" => self.stop_scope(scope, markup)])
    }

    /// A remembered yes was taken back, with so many requests.
    #[must_use]
    pub fn command_forgotten(&self, count: usize) -> String {
        self.command(CommandKey::Forgotten, &fluent_args!["count" => count])
    }

    /// The file is there, with so many requests, or only so many of them.
    #[must_use]
    pub fn export_sent(&self, count: usize, is_cut: bool) -> String {
        let said = self.command(CommandKey::ExportSent, &fluent_args!["count" => count]);
        if is_cut {
            return self.command(CommandKey::ExportCut, &fluent_args!["said" => said, "count" => count]);
        }
        said
    }

    /// What the file is.
    #[must_use]
    pub fn export_note(&self, tenant: &str, markup: &Markup<'_>) -> String {
        self.command(CommandKey::ExportNote, &fluent_args!["tenant" => markup.raw(tenant)])
    }

    /// The app lacks a scope.
    #[must_use]
    pub fn export_scope(&self, scope: &str, markup: &Markup<'_>) -> String {
        self.command(CommandKey::ExportScope, &fluent_args!["scope" => markup.raw(scope)])
    }
}
