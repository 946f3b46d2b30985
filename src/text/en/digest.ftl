## What ran unasked

digest-head = What ran without anybody having been asked, from { $since } to { $until }: { $count ->
    [one] one call
   *[other] { $count } calls
}.
digest-none = Nothing ran without somebody having been asked, from { $since } to { $until }.
# A tool, how often it ran, and on whose word.
digest-tool = { $tool }: { $count } ({ $how })
digest-auto = { $count } at once
digest-suggest = { $count } announced
digest-remembered = { $count } on a remembered yes
digest-silence = { $count } because nobody answered
digest-failed = { $count } failed
digest-unknown = nobody knows how { $count } ended
digest-more = And { $count ->
    [one] one more tool
   *[other] { $count } more tools
}: { -command } digest shows them all.
digest-correct = Should people have been asked? Raise the tool in the policy, or take a remembered yes back with { -command } remembered. Each call: { -command } audit tool:NAME since:7d
digest-uncounted = What ran without anybody having been asked, from { $since } to { $until }: { -command } digest shows it.
