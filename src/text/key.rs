//! The keys of the catalogue. One that no code uses is an unused variant, and one that the file lacks fails a test.

macro_rules! keys {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $id:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Its name in the catalogue's files.
            pub(super) const fn id(self) -> &'static str {
                match self {
                    $(Self::$variant => $id,)*
                }
            }

            /// All of them.
            #[cfg(test)]
            pub(super) const ALL: &[Self] = &[$(Self::$variant,)*];
        }
    };
}

keys! {
    /// A text that needs nothing inserted.
    pub enum Label {
        /// Before the task that the call serves.
        Task = "label-task",
        /// Before tool and arguments.
        Call = "label-call",
        /// Before what the policy knows of the effect.
        Effect = "label-effect",
        /// Before what would change.
        Preview = "label-preview",
        /// Before the rule and its reason.
        WhyAsk = "label-why-ask",
        /// Before the evidence.
        BasedOn = "label-based-on",
        /// Before what the agent says of its reasons.
        AgentReason = "label-agent-reason",
        /// Before what happens on a no.
        IfDenied = "label-if-denied",
        /// Before who must say yes, and who has.
        Needs = "label-needs",
        /// Before who has said what.
        Votes = "label-votes",
        /// Before the whole of the arguments.
        Arguments = "label-arguments",
        /// Before the digest of the call.
        Digest = "label-digest",
        /// Marks words as the agent's own.
        AgentsWords = "label-agents-words",
        /// What happens on a no, where the agent says nothing of it.
        IfDeniedDefault = "if-denied-default",
        /// Stands on the card where who asked may approve.
        Solo = "line-solo",
        /// Stands on the card where the same call was asked about before, and nobody answered.
        AskedAgainUnanswered = "line-asked-again-unanswered",
        /// Stands on the card where the same call was asked about before, and the card reached nobody.
        AskedAgainUnasked = "line-asked-again-unasked",
        /// Stands on the view of a request that has no card of its own.
        SharesCard = "line-shares-card",
        /// Before amounts, counts and facts.
        Figures = "label-figures",
        /// Before what an edit changed.
        Changes = "label-changes",
        /// The button for a yes.
        Approve = "button-approve",
        /// The button for a yes that needs a reason, and opens a dialog.
        ApproveWithReason = "button-approve-with-reason",
        /// The title of what asks once more before a yes is remembered.
        RememberTitle = "button-remember-title",
        /// Yes, remember it.
        RememberYes = "button-remember-yes",
        /// Back to the card.
        RememberNo = "button-remember-no",
        /// The button for a no.
        Deny = "button-deny",
        /// The button for a no that opens a dialog.
        DenyWithReason = "button-deny-with-reason",
        /// The button that takes one's own yes or no back.
        TakeBack = "button-take-back",
        /// The button for the whole call.
        Details = "button-details",
        /// Leaves a dialog without doing anything.
        Cancel = "button-cancel",
        /// Leaves Details.
        Close = "button-close",
        /// The title of the dialog for a yes; at most 24 characters, Slack's limit.
        ApproveTitle = "dialog-approve-title",
        /// The title of the dialog for a no; at most 24 characters.
        DenyTitle = "dialog-deny-title",
        /// The title of Details; at most 24 characters.
        DetailsTitle = "dialog-details-title",
        /// Above the field for a reason.
        Reason = "dialog-reason",
        /// Beneath the field for the reason of a no.
        DenyReasonHint = "dialog-deny-reason-hint",
        /// Beneath the field for the reason of a yes.
        ApproveReasonHint = "dialog-approve-reason-hint",
        /// Above the field for a note with a yes.
        Note = "dialog-note",
        /// The button for the next page of Details.
        NextPage = "button-next-page",
        /// The button for the page of Details before this one.
        PreviousPage = "button-previous-page",
        /// In Details, until every page was opened.
        ReadAllPages = "line-read-all-pages",
        /// In Details, where the call is longer than the surface can show.
        TooLongToShow = "line-too-long-to-show",
        /// At the terminal: what can be answered.
        Prompt = "prompt-decision",
        /// At the terminal: asks for a reason that may be left out.
        PromptReason = "prompt-reason",
        /// At the terminal: asks for a reason that must be given.
        PromptReasonRequired = "prompt-reason-required",
        /// At the terminal: the answer was not understood.
        PromptUnclear = "prompt-unclear",
    }
}

keys! {
    /// What can go wrong on the way to a request, as told to who wanted something of it.
    pub enum Trouble {
        /// There is none of that id or code for who asks.
        NoSuchRequest = "trouble-no-such-request",
        /// Nothing was written.
        Unavailable = "trouble-unavailable",
        /// It may have been written.
        Uncertain = "trouble-uncertain",
        /// The button belongs to a request that was replaced, or to a copy of a card that is no longer current.
        StaleButton = "trouble-stale-button",
        /// The dialog could not be opened in time.
        DialogExpired = "trouble-dialog-expired",
        /// The surface did not say whether it opened the dialog, or takes no more just now.
        DialogLater = "trouble-dialog-later",
        /// The surface does not take this dialog, however often it is tried; operators are told.
        DialogRefused = "trouble-dialog-refused",
        /// The surface does not take this answer, however often it is tried; operators are told.
        AnswerRefused = "trouble-answer-refused",
        /// Nobody could answer a question about it.
        NobodyToAsk = "trouble-nobody-to-ask",
        /// The dialog can no longer be told from a foreign one, or shows something else than it did.
        DialogOver = "trouble-dialog-over",
        /// The surface does not say who somebody is.
        NobodyNamed = "trouble-nobody-named",
    }
}

keys! {
    /// A text that this module puts together.
    pub(super) enum Key {
        ListAnd = "list-and",
        ListNext = "list-next",
        ListOthers = "list-others",
        SpanDays = "span-days",
        SpanHours = "span-hours",
        SpanMinutes = "span-minutes",
        SpanSeconds = "span-seconds",
        SpanExactSeconds = "span-exact-seconds",

        LevelLow = "level-low",
        LevelMedium = "level-medium",
        LevelHigh = "level-high",
        LevelCritical = "level-critical",

        RoleViewer = "role-viewer",
        RoleOperator = "role-operator",
        RoleAdmin = "role-admin",
        RoleAuditor = "role-auditor",
        RoleOther = "role-other",
        RolesViewer = "roles-viewer",
        RolesOperator = "roles-operator",
        RolesAdmin = "roles-admin",
        RolesAuditor = "roles-auditor",
        RolesOther = "roles-other",

        StatusProposed = "status-proposed",
        StatusPolicyChecking = "status-policy-checking",
        StatusWaitingApproval = "status-waiting-approval",
        StatusApproved = "status-approved",
        StatusRejected = "status-rejected",
        StatusExecuting = "status-executing",
        StatusExecuted = "status-executed",
        StatusExpired = "status-expired",
        StatusRevoked = "status-revoked",

        OutcomeSucceeded = "outcome-succeeded",
        OutcomeFailed = "outcome-failed",
        OutcomeUnknown = "outcome-unknown",

        CommandApprove = "command-approve",
        CommandDeny = "command-deny",
        CommandTakeBack = "command-take-back",
        CommandEscalate = "command-escalate",
        CommandAsk = "command-ask",
        CommandAnswer = "command-answer",
        CommandLook = "command-look",
        CommandBreakGlass = "command-break-glass",
        CommandSupersede = "command-supersede",
        CommandWithdraw = "command-withdraw",
        CommandRevoke = "command-revoke",
        CommandReview = "command-review",
        CommandAskAnew = "command-ask-anew",
        CommandClaim = "command-claim",
        CommandFinish = "command-finish",
        CommandSettle = "command-settle",
        CommandOther = "command-other",

        RefusalWhoCan = "refusal-who-can",
        RefusalWhoDecides = "refusal-who-decides",
        RefusalDecidedApproved = "refusal-decided-approved",
        RefusalDecidedRejected = "refusal-decided-rejected",
        RefusalDecidedExecuting = "refusal-decided-executing",
        RefusalDecidedExecuted = "refusal-decided-executed",
        RefusalDecidedExpired = "refusal-decided-expired",
        RefusalDecidedRevoked = "refusal-decided-revoked",
        RefusalDecidedOther = "refusal-decided-other",
        RefusalOutOfOrder = "refusal-out-of-order",
        RefusalTooLate = "refusal-too-late",
        RefusalUnknown = "refusal-unknown",
        RefusalAmbiguous = "refusal-ambiguous",
        RefusalDeactivated = "refusal-deactivated",
        RefusalGuest = "refusal-guest",
        RefusalBot = "refusal-bot",
        RefusalForeign = "refusal-foreign",
        RefusalAway = "refusal-away",
        RefusalUnreadable = "refusal-unreadable",
        RefusalWrongRole = "refusal-wrong-role",
        RefusalOwnRequest = "refusal-own-request",
        RefusalOwnEdit = "refusal-own-edit",
        RefusalAlreadySaidYes = "refusal-already-said-yes",
        RefusalAlreadySaidNo = "refusal-already-said-no",
        RefusalNotShownInFull = "refusal-not-shown-in-full",
        RefusalReasonForYes = "refusal-reason-for-yes",
        RefusalReasonForNo = "refusal-reason-for-no",
        RefusalNoVote = "refusal-no-vote",
        RefusalNotAllowed = "refusal-not-allowed",
        RefusalNotAllowedAnybody = "refusal-not-allowed-anybody",
        RefusalFactsStale = "refusal-facts-stale",
        RefusalNotApproved = "refusal-not-approved",
        RefusalWrongCall = "refusal-wrong-call",
        RefusalApprovalExpired = "refusal-approval-expired",
        RefusalApproverLapsed = "refusal-approver-lapsed",
        RefusalForbiddenNow = "refusal-forbidden-now",
        RefusalHeld = "refusal-held",
        RefusalFrozen = "refusal-frozen",
        RefusalNoLongerRemembered = "refusal-no-longer-remembered",
        RefusalLowAssurance = "refusal-low-assurance",
        RefusalMayNotEdit = "refusal-may-not-edit",
        RefusalAlreadyClaimed = "refusal-already-claimed",
        RefusalNotTheClaimant = "refusal-not-the-claimant",
        RefusalAlreadyFinished = "refusal-already-finished",
        RefusalStillUnknown = "refusal-still-unknown",
        RefusalTooManyQuestions = "refusal-too-many-questions",
        RefusalNoOpenQuestion = "refusal-no-open-question",
        RefusalNotAskedOfYou = "refusal-not-asked-of-you",

        NoticeRefused = "notice-refused",
        NoticeReminder = "notice-reminder",
        NoticeEscalated = "notice-escalated",
        NoticeStageAsked = "notice-stage-asked",
        NoticeGlassBroken = "notice-glass-broken",
        NoticeHeld = "notice-held",
        NoticePolicyNotInForce = "notice-policy-not-in-force",
        AlarmWaitsLong = "alarm-waits-long",
        AlarmCardUndeliverable = "alarm-card-undeliverable",
        AlarmOutcomeUnknown = "alarm-outcome-unknown",
        AlarmGlassBroken = "alarm-glass-broken",
        AlarmMessageUndelivered = "alarm-message-undelivered",

        Headline = "headline",
        RecordHead = "record-head",
        TaskLine = "task-line",
        RuleLine = "rule-line",
        RuleLineBare = "rule-line-bare",
        RuleRaise = "rule-raise",
        RuleRaiseBare = "rule-raise-bare",
        RuleForbid = "rule-forbid",
        RuleForbidBare = "rule-forbid-bare",
        RuleDefault = "rule-default",
        RuleDefaultBare = "rule-default-bare",
        RuleError = "rule-error",
        FigureAmount = "figure-amount",
        FigureCount = "figure-count",
        FigureAffected = "figure-affected",
        FigureEnvironment = "figure-environment",
        FigureDataLevel = "figure-data-level",
        FigureReach = "figure-reach",
        FigureReversible = "figure-reversible",
        LineCalls = "line-calls",
        GatheredHead = "gathered-head",
        LineEdited = "line-edited",
        LineShadow = "line-shadow",
        ButtonApproveCalls = "button-approve-calls",
        LinesShown = "lines-shown",
        PageOf = "page-of",
        CharactersLeftOut = "characters-left-out",
        LineTook = "line-took",
        LabelOfTheAgent = "label-of-the-agent",
        Redacted = "redacted",
        WarningInvisible = "warning-invisible",
        WarningBidi = "warning-bidi",
        WarningMixedScript = "warning-mixed-script",
        WarningCombining = "warning-combining",
        Warnings = "warnings",

        NeedsGroup = "needs-group",
        NeedsNone = "needs-none",
        NeedsSome = "needs-some",
        NeedsGroupHas = "needs-group-has",
        NeedsStage = "needs-stage",
        NeedsAsWell = "needs-as-well",
        NeedsUntil = "needs-until",
        CountedYes = "counted-yes",
        CountedNo = "counted-no",
        CountedYesMore = "counted-yes-more",

        Vote = "vote",
        VoteYes = "vote-yes",
        VoteNo = "vote-no",
        VoteFor = "vote-for",
        VoteNote = "vote-note",

        HeadChecking = "head-checking",
        HeadWaiting = "head-waiting",
        HeadApproved = "head-approved",
        HeadApprovedUnasked = "head-approved-unasked",
        HeadDenied = "head-denied",
        HeadCouldNotAsk = "head-could-not-ask",
        HeadForbidden = "head-forbidden",
        HeadRunning = "head-running",
        HeadStopping = "head-stopping",
        HeadSucceeded = "head-succeeded",
        HeadFailed = "head-failed",
        HeadUnknown = "head-unknown",
        HeadUnanswered = "head-unanswered",
        HeadUnasked = "head-unasked",
        HeadUnused = "head-unused",
        HeadWithdrawn = "head-withdrawn",
        HeadRevoked = "head-revoked",
        HeadSuperseded = "head-superseded",
        HeadRejudged = "head-rejudged",
        HeadForgotten = "head-forgotten",

        LineRemembered = "line-remembered",
        LineSilence = "line-silence",
        LineAlone = "line-alone",
        LineNotReviewed = "line-not-reviewed",
        LineReviewed = "line-reviewed",
        LineEarlier = "line-earlier",
        LineRequest = "line-request",
        LineMayRun = "line-may-run",
        LineDenied = "line-denied",
        LineForbidden = "line-forbidden",
        LineCouldNotAsk = "line-could-not-ask",
        LineRunning = "line-running",
        LineStopping = "line-stopping",
        LineSucceeded = "line-succeeded",
        LineFailed = "line-failed",
        LineFailedBare = "line-failed-bare",
        LineUnknown = "line-unknown",
        LineSettled = "line-settled",
        LineUnanswered = "line-unanswered",
        LineUnasked = "line-unasked",
        LineUnused = "line-unused",
        LineWithdrawn = "line-withdrawn",
        LineRevoked = "line-revoked",
        LineSuperseded = "line-superseded",
        LineForgotten = "line-forgotten",
        LineRejudged = "line-rejudged",
        LineReason = "line-reason",
    }
}

keys! {
    /// What is said after a decision, and to whom.
    pub(super) enum AfterKey {
        RecordEdited = "record-edited",
        AfterSucceeded = "after-succeeded",
        AfterFailed = "after-failed",
        AfterError = "after-error",
        AfterUnknown = "after-unknown",
        AfterSettled = "after-settled",
        AfterLate = "after-late",
        AfterTook = "after-took",
        AskedDirectly = "asked-directly",
        AskedDirectlyWhere = "asked-directly-where",
        Confidential = "line-confidential",
        LineAloneBare = "line-alone-bare",
        GlassBrokenBare = "notice-glass-broken-bare",
        ToldApproved = "told-approved",
        ToldSilence = "told-silence",
        ToldDenied = "told-denied",
        ToldDeniedWhy = "told-denied-why",
        ToldUnanswered = "told-unanswered",
        ToldUnasked = "told-unasked",
        ToldUnused = "told-unused",
        ToldRevoked = "told-revoked",
        ToldEdited = "told-edited",
        ToldStricter = "told-stricter",
        ToldForgotten = "told-forgotten",
    }
}
