### What a card says of a stop that covers its call.

line-stopped = 🛑 Calls like this one were stopped { $since } ({ $reason }). You can decide, but nothing starts before that stop is lifted.
line-stopped-decided = 🛑 Calls like this one were stopped { $since } ({ $reason }). This one does not start before that stop is lifted.
