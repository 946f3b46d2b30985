# What somebody must see at once who decides: how bad it is, by when, what their yes does, and why there is none.

title-line = { $level } · { $title }
level-head-low = Low
level-head-medium = Medium
level-head-high = HIGH
level-head-critical = CRITICAL
asked-by-and-code = { $asked } · request { $code }

label-answer-by = Answer by
label-if-approved = If approved
label-then = Instead
answer-by = { $when } · nobody answers: it does not run
answer-by-silence = { $when } · nobody answers: the policy takes that for a yes, and it may run
if-approved-last = yours is the last yes needed: { $count ->
    [1] it may run, once, within { $span }
   *[other] all { $count } calls may run, once each, within { $span }
}
if-approved-more = yours is one of { $open } yeses still needed: it does not run yet; after the last it may run, once, within { $span }
if-approved-stage = yours is for stage { $stage } of { $stages }: it does not run yet
if-denied = { $left ->
    [one] one no is enough: it does not run, and the agent is told
   *[other] after { $left } noes it does not run, and the agent is told
}

## What a yes to a critical call does

critical-text = { $what } { $does }
critical-title-alone = { $title }.
critical-what = { $title } ({ $others }).
critical-last = Your yes is the last one needed: { $count ->
    [1] it may run at once.
   *[other] all { $count } calls may run at once.
}
critical-more = Your yes is one of { $open } still needed: it does not run yet.
critical-stage = Your yes is for stage { $stage } of { $stages }: it does not run yet.
critical-shown = A yes is for the call as it is shown here.
critical-undone = { $text } It cannot be undone.
critical-effect = { $text } Effect: { $effect }
critical-cut = { $text } It is shortened here; the card has it whole.
argument-said = { $name }: “{ $value }”

sure-undone = This cannot be undone
sure-effect = Its effect is not known

## What could change one’s mind

warnings-where = { $said } In: { $fields }.
asked-again-denied = ⚠️ Asked for the second time: a moment ago people said no
asked-again-denied-by = ⚠️ Asked for the second time: { $who } denied the same call, { $when }
warnings-severe = { $said } There is so much of it that it may be meant to deceive: deny it, unless you know why.
title-of-several = ⚠️ The title has only the first of { $count } lines of { $name }: read the others too.
elsewhere = ⚠️ The call is for { $name } “{ $value }”, but the agent’s words name “{ $named }”, and not that.
not-described = ⚠️ The policy says nothing of this tool: not what it does, nor whether that can be undone. Deny it, unless you know what it is.

## What is missing

not-given = not given
effect-unknown = not known: the policy says nothing of it
no-rule = no rule is named for this tool
no-arguments = none: { $json }
no-approve-partly = There is no Approve here, because not everything is shown here. Open Details: it has the whole call, and Approve after its last page.
no-approve-hidden = There is no Approve, because { $count ->
    [one] 1 secret is hidden
   *[other] { $count } secrets are hidden
}, so nobody sees the whole call and nobody can approve it. Deny it, and have it asked without the secret.
no-approve-hidden-here = There is no Approve here, because { $count ->
    [one] 1 secret is hidden
   *[other] { $count } secrets are hidden
}. Open Details: the policy lets you approve there without seeing it.

## A no

deny-then = Once it is denied it does not run, and the agent is told so.

## A yes that is remembered

button-remember = For { $span }: { $pattern }
remember-scope = approves this call and, for { $span }, every call of { $tool } with { $pattern }; nobody is asked about those.

## Records

approved-by = Approved by { $votes }
denied-by = Denied by { $votes }
