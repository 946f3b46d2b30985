# What could not be delivered.
undelivered-what = { $notice ->
    [ran] What came of it
    [told] What became of it
    [reminder] A reminder
    [escalated] Word that others are asked as well
    [stage-asked] Word that the next stage is asked
    [asked-directly] Word that they are asked
    [glass-broken] Word that somebody decided alone
    [question] A question
    [answered] The answer to their question
    [not-asked] Word that their question did not arrive
    [digest] The digest
    [dialog] A dialog
    [command] The answer to a command
   *[other] A message
}
undelivered-of-request = ⚠️ Request { $code } ({ $tool }), not delivered to { $who }: { $what }. The request itself is safe; tell them another way. { $why }
undelivered-of-none = ⚠️ Not delivered to { $who }: { $what }. { $why }
alarm-message-undelivered = ⚠️ Somebody could not be told something about request { $code } ({ $tool }). The request itself is safe.
notice-not-asked = ⚠️ Your question about request { $code } ({ $tool }) could not be delivered; nobody has read it: “{ $question }” Ask them another way, or decide without an answer.
line-question-lost = { $asked } It could not be delivered.
happened-not-told = Not delivered to { $who }: { $what }.

trouble-dialog-later = Slack did not say whether it opened the dialog, or takes no more just now; nothing was decided. Press again in a minute.
trouble-dialog-refused = Slack does not take this dialog, and pressing again will not help; nothing was decided. The operators were told.
trouble-answer-refused = Slack does not take this answer, and asking again will not help. The operators were told.
trouble-nobody-to-ask = Nobody could answer a question about this: the agent reads none, and who asked for it is not in this chat. Decide it, or deny it and say what would be right.
