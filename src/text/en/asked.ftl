# Who asked, and what several calls on one card have in common.

label-asked-by = Asked by
asked-line = { $who }, { $when }
asked-line-through = { $who } through agent { $agent }, { $when }
asked-line-in = { $who } in { $place }, { $when }
asked-line-through-in = { $who } through agent { $agent }, in { $place }, { $when }
asked-line-agent = agent { $agent }, for nobody who is named, { $when }
gathered-alike = The same for each of them
asked-thread = see the thread
