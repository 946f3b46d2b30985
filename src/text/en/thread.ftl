# What is said in a thread in which the agent works.

thread-working = Working on it…
thread-doing = Working on it: { $tool }
thread-waits = { $tool } ({ $code }) waits for approval in { $places }
thread-waits-nowhere = { $tool } ({ $code }) waits for approval
thread-directly = direct messages
thread-done = Done.
thread-failed = I had to stop: { $why }
thread-agents-words = The words above are the agent’s.
thread-goes-on = The answer goes on below.
thread-left-out = { $count ->
    [one] One more character is left out here.
   *[other] { $count } more characters are left out here.
}

thread-no-agent = No agent works for this workspace, so there is nobody to take up a task; here I only ask for approvals. Whoever keeps this installation can set one up.
thread-no-role = You have no role in the policy, so I take no tasks from you; whoever keeps the policy can give you one.
thread-unknown = Your account is not in the policy, so I take no tasks from you; whoever keeps the policy can add it.
thread-ambiguous = Your account belongs to two people in the policy, so I cannot tell who asks; whoever keeps the policy must give it to one of them.
thread-deactivated = This account is deactivated, so I take no tasks from it.
thread-guest = I take no tasks from guests; a full member must ask.
thread-bot = I take no tasks from bots and apps; a person must ask.
thread-foreign = I take no tasks from accounts from elsewhere; somebody of this team must ask.
thread-away = You are marked as away, so I take no tasks from you; change the policy if you are back.
thread-unreadable = Your account could not be checked just now ({ $why }), so I have not begun; ask again in a minute.
thread-empty = Say what I should do, such as: clean up the old files.
thread-too-long = That is { $count } characters, and I read at most { $max }; send less at once.
thread-too-many-of-person = I am at work on { $max } tasks of yours already; ask again when one of them is over.
thread-too-many-in-thread = { $max } tasks wait in this thread already; ask again when one of them is over, or in a new thread.
thread-too-many-speakers = More than { $max } people have given me tasks in this thread; ask me in a new one.
thread-busy = I am still at work in this thread; ask again when that is over.
thread-unavailable = I could not take that up; ask again in a minute.
