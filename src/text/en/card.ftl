# English, complete. Every other language falls back to this one.
#
# Write none of the characters & < > ` * _ ~ here: surfaces give them a meaning, and only what is inserted is escaped.

## Lists, spans of time

list-and = { $before } and { $last }
list-next = { $before }, { $next }
list-others = { $before } and { $count } { $count ->
    [one] other
   *[other] others
}
span-days = { $count } { $count ->
    [one] day
   *[other] days
}
span-hours = { $count } h
span-minutes = { $count } min
span-seconds = { $count } s
# A decimal number that was measured, such as 0.2.
span-exact-seconds = { $seconds } s

## Levels, roles, states, commands

level-low = low
level-medium = medium
level-high = high
level-critical = critical

# After a number: "2 admins".
role-viewer = { $count ->
    [one] viewer
   *[other] viewers
}
role-operator = { $count ->
    [one] operator
   *[other] operators
}
role-admin = { $count ->
    [one] admin
   *[other] admins
}
role-auditor = { $count ->
    [one] auditor
   *[other] auditors
}
role-other = { $count ->
    [one] person
   *[other] people
} with the role { $role }

# All who have it: "Only admins decide this."
roles-viewer = viewers
roles-operator = operators
roles-admin = admins
roles-auditor = auditors
roles-other = people with the role { $role }

status-proposed = new
status-policy-checking = being checked
status-waiting-approval = waiting for approval
status-approved = approved
status-rejected = denied
status-executing = running
status-executed = over
status-expired = expired
status-revoked = taken back

outcome-succeeded = it ran, ok
outcome-failed = it ran, and failed
outcome-unknown = nobody knows

command-approve = Approving
command-deny = Denying
command-take-back = Taking back a vote
command-escalate = Asking the next group
command-ask = Asking back
command-answer = Answering
command-break-glass = Deciding alone
command-supersede = Editing
command-withdraw = Withdrawing
command-revoke = Revoking
command-review = Reviewing
command-ask-anew = Having it asked again
command-claim = Starting
command-finish = Reporting an outcome
command-settle = Settling
command-other = That

## Refusals: what, why, what to do

refusal-who-can = { $refusal } { $people } can.
refusal-who-decides = { $refusal } { $people } can decide.

refusal-decided-approved = { $count ->
    [0] This is approved already; there is nothing left to decide.
   *[other] { $people } approved this already; there is nothing left to decide.
}
refusal-decided-rejected = { $count ->
    [0] This was turned down already, without a vote; there is nothing left to decide.
   *[other] { $people } denied this already; there is nothing left to decide.
}
refusal-decided-executing = { $count ->
    [0] This is running already; it can only be revoked, which asks it to stop.
   *[other] { $people } approved this already and it is running; it can only be revoked, which asks it to stop.
}
refusal-decided-executed = { $count ->
    [0] This was decided and started already; there is nothing left to decide.
   *[other] { $people } approved this already and it was started; there is nothing left to decide.
}
refusal-decided-expired = This has expired and will not run; if it is still needed, the agent must ask again.
refusal-decided-revoked = { $count ->
    [0] This was taken back already and will not run; if it is still needed, the agent must ask again.
   *[other] { $people } took this back already and it will not run; if it is still needed, the agent must ask again.
}
refusal-decided-other = This cannot be decided now: it is { $status }.

refusal-out-of-order = { $command } is not possible: the request is { $status }.
refusal-too-late = The time to decide this is over, so it will not run; if it is still needed, the agent must ask again.

refusal-unknown = Your account is not in the policy, so it decides nothing; whoever keeps the policy can add it.
refusal-ambiguous = Your account belongs to two people in the policy, so it counts for nobody; whoever keeps the policy must give it to one of them.
refusal-deactivated = This account is deactivated, so it decides nothing.
refusal-guest = Guests decide nothing here; a full member must.
refusal-bot = Bots and apps decide nothing here; a person must.
refusal-away = You are marked as away, so whoever stands in for you decides this; change the policy if you are back.
refusal-foreign = Accounts from elsewhere decide nothing here; somebody of this team must.
refusal-unreadable = Your account could not be checked just now ({ $why }), so your answer was not counted; try again in a minute.

refusal-wrong-role = Only { $roles } decide this.
refusal-own-request = You asked for this yourself, so somebody else must decide it.
refusal-own-edit = You changed this yourself, so somebody else must decide it.
refusal-already-said-yes = You have said yes already; your vote counts once.
refusal-already-said-no = You have said no already; your vote counts once.
refusal-not-shown-in-full = You have not seen the whole call yet, so your yes was not counted; open Details and approve there.
refusal-reason-for-yes = A yes needs a reason here, so it was not counted; approve again and say why.
refusal-reason-for-no = A no needs a reason here, so it was not counted; deny again and say why.
refusal-no-vote = You have no vote on this to take back.
refusal-not-allowed = Only { $roles } may do this.
refusal-not-allowed-anybody = The policy lets nobody do this; whoever keeps it can name a role for it.
refusal-facts-stale = The accounts concerned could not be checked just now, so nothing was changed; try again in a minute.

refusal-not-approved = This cannot be started: it is { $status }, not approved.
refusal-wrong-call = This cannot be started: it is not the call that was approved; what has changed must be asked anew.
refusal-approval-expired = This cannot be started: the approval was not used in time; the agent must ask again.
refusal-approver-lapsed = This cannot be started: { $people } approved it and may no longer decide; it must be asked anew.
refusal-forbidden-now = This cannot be started: the policy forbids it now. { $because }
refusal-held = This cannot be started: calls like it are stopped. { $reason }
refusal-frozen = This cannot be started: { $name } began after it was asked about. { $because }
refusal-no-longer-remembered = This cannot be started: what was remembered was taken back or has ended; it must be asked anew.
refusal-low-assurance = The policy wants to be surer that a vote is your own than this place can tell; decide where it can.
refusal-may-not-edit = The policy does not let this call be changed; deny it and say what should be different.
refusal-already-claimed = This cannot be started again: an approval is good for one run, and it was started already.
refusal-not-the-claimant = This was started by somebody else, who alone can report on it.
refusal-already-finished = The outcome is known already: { $outcome }.
refusal-still-unknown = Settling needs an outcome: say whether it ran, ok or failed.

## What can go wrong on the way

trouble-no-such-request = There is no such request; check the code on the card.
trouble-unavailable = Nothing was changed: Placet cannot write just now. Try again in a minute.
trouble-uncertain = It is not certain whether this was taken; look at the card before you try again.
trouble-stale-button = This button belongs to an older card; use the current one.
trouble-dialog-expired = The dialog could not be opened in time; press the button again.
trouble-dialog-over = This dialog is no longer valid, so nothing was decided; close it and open Details again.
trouble-nobody-named = It was not said which team your account belongs to, so it decides nothing; ask whoever set up this app.

## Messages

notice-refused = Request { $code }: { $refusal }
notice-reminder = 🔔 Request { $code } ({ $tool }) still waits for a decision, until { $until }.
notice-escalated = ⏫ Nobody has decided request { $code } ({ $tool }), so { $roles } may decide it as well, until { $until }.
notice-stage-asked = ➡️ Request { $code } ({ $tool }) is now at stage { $stage } of { $stages }: { $roles } are asked, until { $until }.
notice-glass-broken = 🚨 { $who } approved request { $code } ({ $tool }) alone, in an emergency: { $reason } It stays open until somebody else has reviewed it.
notice-held = 🛑 Stopped: { $what }. { $reason } Nothing of it is started until that is lifted.
notice-policy-not-in-force = ⚠️ A new policy is not in force; the one before still is. { $why }
alarm-waits-long = ⚠️ Request { $code } ({ $tool }) waits, and nobody has decided yet. Look for somebody who can, or revoke it.
alarm-card-undeliverable = ⚠️ The card of request { $code } ({ $tool }) could not be delivered or corrected, so people may see nothing or something old. Check the surface; the request itself is safe.
alarm-glass-broken = 🚨 Request { $code } ({ $tool }) was approved by one person alone, in an emergency. Somebody else must review it.
alarm-outcome-unknown = ⚠️ Request { $code } ({ $tool }) was started, and nobody knows how it ended. It will not be tried again; find out, and settle it.

## The card

headline = Approval needed: { $title } ({ $level })
record-head = { $state } · { $title }
label-task = Task
label-call = Call
label-effect = Effect
label-figures = Figures
label-changes = What was changed
label-preview = Would change
label-why-ask = Why ask
label-based-on = Based on
label-agent-reason = Agent’s reason
label-if-denied = If denied
label-needs = Needs
label-votes = Votes
label-arguments = All arguments
label-digest = Digest
label-agents-words = agent’s words
label-of-the-agent = { $label } ({ $mark })
if-denied-default = The agent is told so, and goes on without it.
task-line = “{ $task }” · { $who }, { $when }
rule-line = rule { $rule }: { $because }
rule-line-bare = rule { $rule }
rule-raise = raised to { $level } by { $rule }: { $because }
rule-raise-bare = raised to { $level } by { $rule }
rule-forbid = forbidden by { $rule }: { $because }
rule-forbid-bare = forbidden by { $rule }
rule-default = no rule is about it: { $because }
rule-default-bare = no rule is about it
rule-error = { $line } Its condition could not be evaluated, so it was taken in the stricter way: { $error }
figure-amount = amount { $value }
figure-count = count { $value }
figure-affected = affected users { $value }
figure-environment = environment { $value }
figure-data-level = data { $value }
figure-reach = { $value ->
    [session] reaches this session only
    [team] reaches this team
    [everybody] reaches everybody
    [outside] reaches outside
   *[other] reach { $value }
}
figure-reversible = { $value ->
    [yes] can be undone
   *[other] cannot be undone
}
gathered-head = { $waiting ->
    [0] { $count } calls, of which none waits any more
    [one] { $count } calls, of which one waits for a yes or no of its own
   *[other] { $count } calls, of which { $waiting } wait, each for a yes or no of its own
}
line-calls = A yes here allows { $count } calls that differ in nothing.
line-shares-card = It stands on the card of an earlier request that differs in nothing from it.
line-edited = ✏️ { $who } changed the arguments of what the agent asked for. Votes began anew{ $own ->
    [yes] .
   *[no] , and the vote of { $who } does not count.
} Task, reason and grounds are those of the call before.
line-shadow = The policy only looks on here: otherwise this { $tier ->
    [forbid] would have been forbidden
    [approve] would have waited for people
   *[other] would have run
}.
line-solo = Who asked for this may approve it alone.
line-asked-again-unanswered = Asked for the second time: the first time people were asked, and nobody answered.
line-asked-again-unasked = Asked for the second time: the first time nobody could be reached, so nobody was asked.
line-read-all-pages = Approving is possible here once you have opened every page.
line-too-long-to-show = The call is longer than can be shown here, so it cannot be approved; deny it, or have it asked in smaller parts.
lines-shown = { $shown } of { $total } lines shown
page-of = Page { $page } of { $total }
characters-left-out = { $count } { $count ->
    [one] character
   *[other] characters
} left out
line-took = { $line }, { $took }
redacted = { $count ->
    [one] 1 secret is hidden
   *[other] { $count } secrets are hidden
}, so nobody sees the whole call.

warnings = ⚠️ Look closely: { $what }.
warning-invisible = { $count } invisible { $count ->
    [one] character
   *[other] characters
}
warning-bidi = { $count } { $count ->
    [one] character that turns
   *[other] characters that turn
} the direction of text
warning-mixed-script = { $count } { $count ->
    [one] word
   *[other] words
} in mixed scripts
warning-combining = { $count } { $count ->
    [one] pile
   *[other] piles
} of combining marks

button-approve = Approve
button-approve-with-reason = Approve…
button-approve-calls = { $asks ->
    [yes] Approve { $count } calls…
   *[no] Approve { $count } calls
}
button-remember-title = Remember this yes?
button-remember-yes = Approve and remember
button-remember-no = Back
button-deny = Deny
button-deny-with-reason = Deny…
button-take-back = Take my vote back
button-details = Details
button-cancel = Cancel
button-close = Close
button-next-page = Next page
button-previous-page = Page before
dialog-approve-title = Approve
dialog-deny-title = Deny
dialog-details-title = The whole call
dialog-reason = Reason
dialog-deny-reason-hint = The agent reads this, without your name.
dialog-approve-reason-hint = It stays in the record with your yes.
dialog-note = Note with your answer
prompt-decision = Approve? y = yes, n = no, d = details:
prompt-reason = Reason (Enter for none):
prompt-reason-required = Reason (needed):
prompt-unclear = That is none of them; type y, n or d, then Enter.

## Who must say yes, and who has

needs-group = { $count } { $role }
needs-none = none yet
needs-some = { $have } of { $count } so far
needs-group-has = { $group } ({ $has })
needs-stage = stage { $stage } of { $stages }
needs-as-well = { $roles } may decide as well
needs-until = until { $when }
counted-yes = Your yes is counted.
counted-yes-more = Your yes is counted. Still needed: { $needs }.
counted-no = Your no is counted.
vote = { $name }, { $when }
vote-for = { $name } for { $others }
vote-yes = { $name } said yes, { $when }
vote-no = { $name } said no, { $when }
vote-note = { $vote }: “{ $note }”

## Where a request stands: the first line of the record

head-checking = Being checked
head-waiting = Waiting for approval
head-approved = ✅ Approved
head-approved-unasked = ✅ Allowed without a vote
head-denied = ⛔ Denied
head-could-not-ask = ⚠️ Could not ask
head-forbidden = ⛔ Forbidden by policy
head-running = ▶️ Running
head-stopping = ▶️ Running, asked to stop
head-succeeded = ✅ Ran
head-failed = ⚠️ Ran, and failed
head-unknown = ⚠️ Nobody knows whether it ran
head-unanswered = ⌛ Expired: nobody answered
head-unasked = ⚠️ Could not ask: no surface acknowledged the card
head-unused = ⌛ Expired: approved, but not started in time
head-withdrawn = 🚫 Withdrawn
head-revoked = 🚫 Revoked
head-superseded = 🚫 Replaced by an edited request
head-rejudged = 🚫 Stopped: the policy became stricter
head-forgotten = 🚫 No longer remembered

## And its last line

line-remembered = { $who } chose that calls like it run until { $when }
line-silence = nobody decided in time, and the policy takes that for a yes
line-alone = { $who } alone, in an emergency, { $when }: “{ $reason }”
line-not-reviewed = nobody else has reviewed that yet
line-reviewed = reviewed by { $who }
line-earlier = people said no to the same call a moment before, and were not asked again
line-request = request { $code }
line-may-run = may run until { $when }
line-denied = did not run
line-forbidden = { $because } Did not run, { $when }
line-could-not-ask = { $why }; did not run, { $when }
line-running = running since { $when }
line-stopping = running since { $when }, asked to stop
line-succeeded = ran { $when }, ok
line-failed = ran { $when }, failed: { $error }
line-failed-bare = ran { $when }, failed
line-unknown = started, and nobody knows how it ended; not tried again: find out, and settle it
line-settled = settled by hand
line-unanswered = nobody answered by { $when }; did not run
line-unasked = no surface took the card by { $when }, so nobody was asked and nobody said no; did not run
line-unused = not started by { $when }; did not run
line-withdrawn = withdrawn by { $who }, { $when }; did not run
line-revoked = revoked by { $who }, { $when }; did not run
line-superseded = replaced by { $who }, { $when }; did not run
line-forgotten = what was remembered was taken back, { $when }; did not run
line-rejudged = rule { $rule }: { $because } Stopped { $when }; did not run
line-reason = { $line }: “{ $reason }”
