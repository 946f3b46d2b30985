# Where one decides without buttons: by a reaction, in a poll, or by what one writes.

label-to-approve = To approve
label-to-deny = To deny
approve-by-reaction = react with ✅, or reply to this message: { $prefix } approve
approve-in-poll = choose it in the poll below, or reply to this message: { $prefix } approve
approve-by-reply = reply to this message: { $prefix } approve
approve-by-reply-why = reply to this message: { $prefix } approve and why
approve-in-thread = not everything is shown here. Read the whole call in the thread of this message ({ $parts ->
    [one] 1 part
   *[other] { $parts } parts
}), then reply there, to the last part: { $prefix } approve
approve-at-the-end = that was the whole call. Reply to this message: { $prefix } approve
approve-directly = write to me directly, in an encrypted room: { $prefix } show { $code }
approve-unseen = { $count ->
    [one] 1 secret is
   *[other] { $count } secrets are
} hidden, and the policy lets you approve without seeing it: reply to this message: { $prefix } approve
deny-by-reaction = react with ❌, or reply to this message: { $prefix } deny and why
deny-in-poll = choose it in the poll below, or reply to this message: { $prefix } deny and why
deny-by-reply = reply to this message: { $prefix } deny and why
deny-directly = write to me directly, in an encrypted room: { $prefix } deny { $code } and why
reply-encrypted = { $said }. Only an encrypted message counts, from a device that you have verified.
reply-confidential = Confidential: the arguments are shown to { $roles } alone, directly. Approving is possible there alone.
to-take-back = To take your answer back before it is decided: remove the reaction, or reply { $prefix } take-back.
to-settle = To settle it: reply { $prefix } settle ok, or settle failed, and how you know.
label-to-remember = To remember
remember-by-reply = reply to this message: { $prefix } remember. That { $scope }
to-review = Nobody else has looked at it yet. To review it: reply { $prefix } review and what you found.
to-answer = To answer: write { $prefix } answer { $code } and your answer.
more-by-reply = More that can be written: { $prefix } help.
vote-sealed = { $vote } (encrypted)
vote-pinned = { $vote } (encrypted, known key)

poll-question = { $title } · request { $code }
part-head = The whole call of request { $code }, part { $part } of { $parts }
