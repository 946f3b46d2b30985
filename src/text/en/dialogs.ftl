# What can be done from a card beside yes and no: the dialogs, their buttons, and what the card then says.

dialog-reason-needed = Say why in a few words; nothing was done yet.

## A yes to a critical call

critical-title = This is critical
critical-yes = Approve
critical-no = Back

## Settling an outcome that nobody knows

settle-button = Settle…
settle-title = How did it end?
settle-intro = It was started, and nobody knows how it ended. Look first, then say what you found: what you say stands for the outcome, and the agent reads it.
settle-outcome = How it ended
settle-succeeded = It ran, ok
settle-failed = It failed, or did not run
settle-hint = How do you know? It stays in the record with your name.
settle-submit = Settle
line-settled-by = settled by { $who }

## Questions, and who is looking

refusal-too-many-questions = As many questions as a request takes were asked already; decide it, or deny it and say what would be right.
refusal-no-open-question = This question was answered already, or there is none.
refusal-not-asked-of-you = This question is not for you to answer.
command-look = Looking

label-questions = Asked
line-looking = { $people } { $count ->
    [one] is looking
   *[other] are looking
}
line-looking-since = { $who } ({ $when })
line-question = { $who } to { $whom }, { $when }: “{ $question }”
line-question-open = { $asked } No answer yet.
line-answer = Answer of { $who }, { $when }
line-answer-agents = Answer in the agent’s words, { $when }
ask-button = Ask…
ask-title = Ask about it
ask-whom = Whom
ask-agent = the agent
ask-requester = { $who }, who asked for it
ask-question = Question
ask-hint = It stands on the card with your name; the agent reads it without. It is neither a yes nor a no, and the time to decide goes on.
ask-submit = Ask
answer-button = Answer…
answer-title = Answer
answer-intro = { $who } asks: “{ $question }”
answer-field = Answer
answer-hint = It stands on the card with your name.
answer-submit = Answer
look-button = I am looking / not any more
notice-question = ❓ { $who } has a question about request { $code } ({ $tool }), which you asked for: “{ $question }”
notice-answered = 💬 Request { $code }: { $who } answered your question: “{ $answer }”
notice-answered-agent = 💬 Request { $code }: your question was answered, in the agent’s words: “{ $answer }”

## Changing the arguments first

edit-button = Edit…
edit-title = Edit before approving
edit-intro = A new request with these arguments takes the place of this one. The policy looks at it anew, votes begin anew, and who changed it does not approve it, unless the policy says so.
edit-hidden = A hidden secret stays what it is where it is left exactly as it is shown.
edit-nothing = Nothing of this call can be changed here. Deny it, and say what would be right.
edit-submit = Replace it
edit-as-json = as JSON
edit-true = true
edit-false = false
edit-too-long = { $name } cannot be changed here: it has { $count } characters, and a field holds 3000. It stays as it is; if it must change, deny the call and say how.
edit-more = { $count } more { $count ->
    [one] argument stays as it is
   *[other] arguments stay as they are
}: this dialog has no room for more fields.
edit-unchanged = Nothing is changed yet: these are the arguments that were proposed.
edit-not-number = This must be one number, such as 12 or 0.5.
edit-not-json = This is not JSON: { $why }
edit-twice = The same key stands twice in an object; each may stand once.
edit-lossy = A number here would not stay what it is; write it with fewer digits, or as text in quotes.
edit-mark = The mark of a hidden secret hides nothing here; leave a hidden value exactly as it is shown, or write the value itself.
edit-forbidden = The policy forbids the call with these arguments, so nothing was changed. { $because }
edit-nobody-else = Nobody else could approve the call with these arguments, so nothing was changed; deny it, and say what would be right.

## One person alone, in an emergency

glass-button = Break glass…
glass-ask-title = Decide this alone?
glass-ask-text = Only in an emergency: your yes alone lets it run. Everybody concerned is told at once, and it stays open until another person has reviewed it.
glass-ask-yes = Go on
glass-title = Decide alone
glass-intro = Your yes alone lets it run as it is shown in Details. Everybody concerned is told at once, with your name and your reason.
glass-hint = Why can this not wait for the others?
glass-submit = Approve alone
review-button = Review…
review-title = Review
review-intro = One person decided this alone, in an emergency. With this you say that you have looked at it.
review-hint = What did you find? It stays in the record with your name.
review-submit = I have reviewed it

## Stopping an agent

freeze-button = Freeze this agent…
freeze-ask-title = Freeze this agent?
freeze-ask-text = Nothing of this agent is started until somebody lifts it again, whatever was approved or will be. What runs already goes on.
freeze-ask-yes = Go on
freeze-title = Freeze this agent
freeze-intro = Nothing of the agent { $agent } is started until this is lifted, whatever was approved. What runs already goes on.
freeze-hint = Those who look after it read this, and so does the agent.
freeze-submit = Freeze
freeze-done = 🛑 The agent { $agent } is frozen: nothing of it is started. To lift it: “placet lift { $id }” where Placet runs, or DELETE /v1/stops/{ $id } with a credential that may manage.
freeze-stood = 🛑 The agent { $agent } was frozen already, by { $who }: { $reason } To lift it: “placet lift { $id }” where Placet runs, or DELETE /v1/stops/{ $id } with a credential that may manage.

working-title = Still at it
working-text = This takes longer than usual. What becomes of it shows on the card; if it cannot be done, you are told.
