# What is said after a decision: under the card, and to who asked.

record-edited = arguments edited by { $who }

# Under the card, once a call is over.
after-succeeded = ✅ Request { $code } ({ $tool }) ran, ok.
after-failed = ⚠️ Request { $code } ({ $tool }) ran and failed.
after-unknown = ⚠️ Request { $code } ({ $tool }) was started, and nobody knows how it ended. It is not tried again: find out, and settle it.
after-settled = { $said } Settled by hand.
after-late = { $said } The executor said so after it had been given up.
after-error = { $said } Error: { $error }
after-took = { $said } It took { $span }.

# To who asked.
told-approved = ✅ Your request { $code } ({ $tool }) was approved by { $who }.
told-silence = ✅ Your request { $code } ({ $tool }) was approved: nobody decided in time, and the policy takes that for a yes.
told-denied = ⛔ Your request { $code } ({ $tool }) was denied by { $who }.
told-denied-why = { $said } Reason: { $reason }
told-unanswered = ⌛ Your request { $code } ({ $tool }) expired: nobody answered. It did not run.
told-unasked = ⚠️ Your request { $code } ({ $tool }) expired: nobody could be reached, and nobody said no. It did not run.
told-unused = ⌛ Your request { $code } ({ $tool }) expired: it was approved, but not started in time.
told-revoked = 🚫 Your request { $code } ({ $tool }) was revoked by { $who }. It does not run.
told-edited = ✏️ Your request { $code } ({ $tool }) was replaced by { $who }, who changed its arguments. The new one is asked about.
told-stricter = 🚫 Your request { $code } ({ $tool }) does not run: the policy became stricter.
told-forgotten = 🚫 Your request { $code } ({ $tool }) does not run: the remembered yes that it rested on was taken back.

# To who is asked, besides the card. What follows the colon is the channel.
asked-directly = 🔔 You are asked to decide request { $code } ({ $tool }, { $level }), until { $until }.
asked-directly-where = { $said } Its card is here:

# On the card of a confidential call.
line-confidential = Confidential: the arguments stand in Details, for { $roles }. Approving is possible there alone.
line-alone-bare = { $who } alone, in an emergency, { $when }
notice-glass-broken-bare = 🚨 { $who } approved request { $code } ({ $tool }) alone, in an emergency. It stays open until somebody else has reviewed it.
