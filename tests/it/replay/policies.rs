//! The versions of the policies of the month.

/// What the house says from the first day on, beside what the desk has.
pub(super) fn first(ivo: &str, group: &str) -> String {
    format!(
        r#"
[calendar]
zone = "Europe/Berlin"
night = "22:00-06:00"
holidays = [{{ date = 2026-12-25, name = "Christmas Day" }}]

[[calendar.freeze]]
name = "end of year"
from = 2026-12-21
until = 2026-12-28
tools = ["deploy"]
because = "Nobody is there to mend what breaks."

[tools.pay]
amount = "args.amount"

[[forbid]]
name = "debts"
tools = ["owe"]
when = "args.amount < 0"
because = "Nobody owes less than nothing."

[[rule]]
name = "small payments"
tools = ["pay"]
when = "amount < 100"
level = "low"

[[rule]]
name = "payments"
tools = ["pay"]
level = "high"
because = "Money does not come back by itself."

[[raise]]
name = "at night"
tools = ["pay", "delete_*"]
when = "time.night"
to = "critical"
because = "At night two people look."

[[raise]]
name = "weekend"
tools = ["read_*"]
when = "time.weekend || time.holiday"
to = "medium"
because = "Nobody works then."

[[raise]]
name = "freeze"
tools = ["deploy"]
when = "time.freeze"
always_ask = true
to = "critical"
because = "The year ends."

[[raise]]
name = "often"
tools = ["read_*"]
when = "recent.calls >= 3"
to = "high"
because = "It reads everything."

[[raise]]
name = "refused lately"
tools = ["delete_*"]
when = "recent.denied > 0"
to = "critical"
because = "Somebody said no just now."

[[raise]]
name = "not trusted"
tools = ["write_note"]
when = "requester.person == 'ivo' && !('trusted' in requester.roles)"
to = "high"
because = "Only who is trusted writes by themselves."

[[people]]
id = "ivo"
name = "Ivo"
roles = ["member"]
slack = ["{ivo}"]
credentials = ["intern"]

[[groups]]
slack = "{group}"
roles = ["trusted"]

[[people]]
id = "gil"
name = "Gil"
roles = ["admin"]
credentials = ["gil-console"]
"#
    )
}

/// What every level of the desk's policy of tier approve lets people do besides.
pub(super) fn with_ways(policy: String) -> String {
    policy.replacen("[levels.high]\n", "[levels.high]\nremember = \"1h\"\nmay_edit = true\n", 1)
}

/// Half as much is small; and it looks at nothing that happened lately.
pub(super) fn tighter(policy: String) -> String {
    let policy = policy.replacen("amount < 100", "amount < 50", 1);
    let policy = policy.replacen("recent.calls >= 3", "args.path == 'secret.txt'", 1);
    policy.replacen("recent.denied > 0", "args.path == 'secret.txt'", 1)
}

/// As it was on the first day.
pub(super) fn as_before(policy: String) -> String {
    let policy = policy.replacen("amount < 50", "amount < 100", 1);
    let policy = policy.replacen("args.path == 'secret.txt'", "recent.calls >= 3", 1);
    policy.replacen("args.path == 'secret.txt'", "recent.denied > 0", 1)
}

const SHADOW: &str = "\n[shadow]\ntools = [\"pay\"]\n";

/// Payments are only looked on at.
pub(super) fn looks_on(policy: String) -> String {
    policy + SHADOW
}

/// They are not any more.
pub(super) fn asks_again(policy: String) -> String {
    policy.replacen(SHADOW, "", 1)
}

/// The first tenant's own.
pub(super) const ACME: &str = r#"version = "acme-1"

[[raise]]
name = "our customers"
tools = ["get_customer"]
to = "high"
because = "A person looks at every customer."
"#;

/// With rules of its own.
pub(super) fn with_own_rules(own: &str) -> String {
    let own = own.replacen("acme-1", "acme-2", 1);
    format!(
        "{own}\n[[forbid]]\nname = \"no large payments\"\ntools = [\"pay\"]\nwhen = \"args.amount >= 2000\"\nbecause = \
         \"The bank does that.\"\n"
    )
}

/// The other one's own.
pub(super) const GLOBEX: &str = r#"version = "globex-1"

[[rule]]
name = "customers by day"
tools = ["get_customer"]
when = "time.hour >= 12"
level = "low"

[[rule]]
name = "customers otherwise"
tools = ["get_customer"]
level = "high"
because = "In the morning a person looks."

[calendar]
night = "20:00-10:00"
"#;
