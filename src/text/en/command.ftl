## What is typed in chat: /placet

command-help-head = What you can ask. Only you see the answers.
command-help-pending = what waits for a decision, and what is stopped
command-help-show = one request, the whole of it
command-help-why = why it was asked about, and what happened so far
command-help-audit = the record: by person, tool, state, time and words; with export as csv or jsonl
command-help-revoke = takes a request back; without a reason you are asked for one
command-help-settle = says how a call ended of which nobody knows: ok or failed
command-help-remembered = what runs without asking because somebody chose so; and takes it back
command-help-freeze = stops calls of a tool, an agent or all of them, until somebody lifts it
command-help-stops = what is stopped; and lets it go on
command-help-digest = what ran without anybody having been asked
command-help-whoami = who you are to Placet, and what you may
command-help-help = this list

# The word that every command begins with; a surface that has another puts it in its place.
-command = /placet

command-example = { -command } { $words }
command-bad-who-typed = { $typed } is no account: write the whole of it, as @bo:example.org.
command-by-card = To { $verb } is done on the card of the request, with its buttons; { -command } show tells where it stands.
command-by-list = To { $verb } is done with the buttons of its list: { $list }
command-another = This answers the card of { $card }, and { $named } is another request; nothing was done. Answer the right card, or write { $verb } and the code by itself.
command-missing = { $verb ->
    [ask] Say what you ask.
    [answer] Say what you answer.
    [edit] Say what the arguments are to be.
    [freeze] Say which calls, and why.
    [lift] Say which calls go on.
    [settle] Say how it ended, ok or failed, and how you know.
   *[other] Say why.
}
command-not-everything = Calls of everybody are stopped only by whoever runs Placet, on its command line: placet stop --all. Nothing was stopped. The calls of { $tenant } are stopped with { -command } freeze tenant
command-help-revoke-typed = takes a request back, and says why
command-help-remembered-typed = what runs without asking because somebody chose so
command-help-stops-typed = what is stopped
command-help-forget = asks again about what was remembered
command-help-lift = lets calls go on that were stopped
command-help-approve = a yes, with a note if you like; in an answer to the card without the code
command-help-deny = a no, and why
command-help-take-back = takes your yes or no back
command-help-remember = a yes that is remembered, as far as the card says
command-help-looking = tells others that you are looking, or no longer are
command-help-ask = a question, neither yes nor no
command-help-answer = answers the last question, or another by its number: #2
command-help-edit = asks anew with other arguments
command-help-break-glass = decides alone in an emergency, and says why
command-help-review = says that you have looked at what somebody decided alone

command-no-verb = There is no command { $typed }.
command-no-key = There is no filter { $typed }.
command-nearest = { $mistake } Did you mean { $nearest }?
command-try = { $mistake } For example: { $example }
command-bad-who = { $typed } is no person that Slack knows: type @ and pick one from the list.
command-bad-state = { $typed } is no state: it is pending, approved, denied, running, ran, ok, failed, unknown, expired or revoked.
command-bad-since = { $typed } is no time: say how long ago, as 90m, 24h or 7d, or a day, as 2026-11-30.
command-bad-export = { $typed } is no form of export: it is csv or jsonl.
command-bad-value = Something must stand behind { $key }.
command-twice = { $key } stands there twice; say it once.
command-which-request = { $typed ->
    [none] Say which request, by the code on its card.
   *[other] { $typed } is no code of a request: it has six letters or digits, as on the card.
}
command-not-taken = { $verb } does not know what to do with { $typed }.
command-too-long = That is too long for a command; say less.
command-other-tenant = This workspace shows the requests of { $tenant } only; leave the filter out.
command-unreadable = Placet cannot read its record just now, so there is no answer; try again in a minute.
command-unchecked = Your account could not be checked just now ({ $why }), so nothing is shown; try again in a minute.
command-busy = Placet has too much to do just now; try again in a minute.

command-pending-head = Waiting for a decision
command-pending-none = Nothing waits for a decision.
command-pending-times = since { $since }, until { $until } · asked by { $who }
command-stopped = Stopped: { $what }, by { $who }. { $reason }
command-stopped-row = Stopped: once approved it does not start. { $reason }
command-audit-head = Audit of { $tenant }
command-audit-none = Nothing is found. Fewer filters find more; { -command } help shows them.
command-audit-asked = asked by { $who }, { $when }
command-audit-further = So far nothing older than { $when } was looked at; Older goes on from there.
command-remembered-head = Runs without asking
command-remembered-none = Nothing is remembered: every call of this kind is asked about.
command-remembered-row = for { $agent }, chosen by { $who }, until { $until }
command-stops-head = Stopped
command-stops-none = Nothing is stopped.
command-stops-row = { $who }, { $since }: { $reason }
command-stops-installation = It holds everybody’s calls; only whoever runs Placet lifts it.
command-digest-title = What ran unasked
command-show-card = Decide on its card, in
command-show-no-card = It has no card.
command-why-head = Why { $code }
command-why-policy = policy { $label }, { $digest }
command-why-level = level { $level }
command-why-asks = asked: { $needs }
command-why-asks-nobody = Nobody was asked.
command-why-happened = What happened
command-why-cut = Only the first { $count } events are shown.

command-whoami-head = { $name }
command-whoami-account = Account { $account }, in { $tenant }
command-whoami-roles = Roles: { $roles }
command-whoami-no-roles = No roles: you can decide and read nothing here.
command-whoami-stands-in = You stand in for { $who }.
command-whoami-audit = { $may ->
    [yes] You may read the audit.
   *[no] You may not read the audit; that needs { $roles }.
}
command-whoami-steward = { $may ->
    [yes] You may revoke, settle and stop calls.
   *[no] You may not revoke, settle or stop calls; that needs { $roles }.
}
command-nobody = nobody

command-older = Older
command-newest = Newest
command-lift = Let it go on
command-lift-title = Let these calls go on?
command-lift-text = What was stopped starts again as it was approved: { $what }.
command-forget = Take it back
command-forget-title = Ask again from now on?
command-forget-text = Calls like this are asked about again, and what was approved on it and has not started is revoked.
command-yes = Yes
command-no = No

command-revoke-title = Take back
command-revoke-submit = Take it back
command-settle-title = Settle
command-settle-outcome = How did it end?
command-settle-ok = It ran, ok
command-settle-failed = It failed
command-settle-hint = How you know; it stands in the record
command-revoke-hint = It stands in the record, and the agent is told
command-freeze-title = Stop calls
command-freeze-scope = Which calls
command-freeze-agent = Calls of an agent
command-freeze-tool = Calls of a tool
command-freeze-tenant = All calls
command-freeze-name = Name of the agent or tool
command-freeze-name-hint = A tool with its server, as on the card; leave it empty for all calls
command-freeze-hint = The operators are told, and everybody whose call is held
command-freeze-next = Next
command-freeze-confirm-title = Stop now?
command-freeze-confirm = Stop now
command-freeze-confirm-text = { $what }: nothing of it starts any more, whatever was approved, until somebody lifts it. What runs already goes on.
command-reason-needed = Say why.
command-name-needed = Say which agent or tool, or choose all calls.
command-name-bad = That is no name of an agent or a tool.

command-revoked = Request { $code } is taken back; it will not run.
command-revoke-asked = Request { $code } is running already; it was asked to stop.
command-settled = Request { $code } is settled: { $outcome }.
command-unchanged = Request { $code } was so already; nothing was changed.
command-frozen = Stopped: { $what }. Nothing of it starts until somebody lifts it: { -command } stops
command-frozen-before = Stopped already: { $what }, by { $who }. It stays so: { -command } stops
command-frozen-doubt = { $said } But nothing here is known by that name; check it.
command-freeze-pattern = A stop covers one tool by its full name, not a pattern; nothing was stopped.
command-lifted = Goes on: { $what }.
command-forgotten = Asked about again from now on; { $count ->
    [0] nothing was approved on it that had not started.
    [one] one request that was approved on it is revoked.
   *[other] { $count } requests that were approved on it are revoked.
}
command-gone = That is no longer there; type the command again.

command-export-sent = { $count ->
    [one] One request is
   *[other] { $count } requests are
} in the file in your direct messages; only you see it.
command-export-cut = { $said } There are more: the file holds the newest { $count }; narrow the search for the others.
command-export-note = The audit of { $tenant } that you asked for with { -command } audit.
command-export-scope = The export could not be sent: this app lacks the scope { $scope }. Whoever set it up adds it under OAuth and Permissions and installs the app again.
command-export-under-way = An export of yours is being made already; ask again once you have it.
command-export-failed = The export could not be sent to you just now; try again in a minute.

## What happened to a request, in order

happened-proposed = { $who } proposed it.
happened-checked = The policy said: { $tier }, level { $level }.
happened-requested = People were asked, until { $until }.
happened-yes = { $who } said yes.
happened-no = { $who } said no.
happened-noted = { $line } “{ $note }”
happened-taken-back = { $who } took their vote back.
happened-lapsed = The vote of { $who } no longer counts.
happened-refused = { $who } was refused: { $command } ({ $code }).
happened-approved = Approved.
happened-approved-by = Approved by { $who }.
happened-approved-unasked = Approved without asking: { $how }.
happened-denied = Denied.
happened-denied-by = Denied by { $who }.
happened-expired = { $how ->
    [unanswered] Nobody answered in time.
    [unasked] Nobody could be asked.
   *[other] It was not started in time.
}
happened-revoked = { $who } took it back.
happened-superseded = It was replaced by an edited request.
happened-withdrawn = The agent no longer wanted it.
happened-rejudged = A new policy took it back.
happened-escalated = The next group was asked.
happened-reminded = Those who are asked were reminded.
happened-remembered = A yes was remembered, until { $until }.
happened-asked-anew = { $who } wants it asked again.
happened-reviewed = { $who } reviewed it.
happened-question = { $who } asked back.
happened-answer = { $who } answered.
happened-claimed = { $who } started it.
happened-stop = { $who } wants it to stop.
happened-executed = It ended: { $outcome }.
happened-settled = { $who } settled it: { $outcome }.
happened-delivered = The card reached { $surface }.
happened-undeliverable = The card did not reach { $surface }.
happened-alarm = An alarm went out: { $alarm }.
happened-by-policy = the policy allows it
happened-by-silence = nobody answered, and silence counts
happened-by-remembered = an earlier yes is remembered
