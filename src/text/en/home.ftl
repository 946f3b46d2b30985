# The page that one person sees of Placet: what waits for them, what they decided, and what they are here.

home-waiting = Waiting for you
home-nothing = Nothing waits for you.
home-item = { $code }, asked by { $who }, in { $places }, to be decided by { $until }
home-item-nowhere = { $code }, asked by { $who }, to be decided by { $until }
home-count = { $count } in all, the most urgent first
home-card = see the card
home-decided = You decided lately
home-said-yes = { $code }: you said yes, { $at }; now { $status }
home-said-no = { $code }: you said no, { $at }; now { $status }
home-roles = Your roles
home-stands-in = You stand in for { $people }.
home-no-role = You have no role in the policy, so nothing is asked of you; whoever keeps the policy can give you one.
home-account = The policy knows your account as { $account }.
