# 决定之后：卡片下方的回复，以及告诉请求人的话。

record-edited = 参数由 { $who } 修改

# 调用结束后，写在卡片下方。
after-succeeded = ✅ 请求 { $code }（{ $tool }）已执行，成功。
after-failed = ⚠️ 请求 { $code }（{ $tool }）已执行，但失败了。
after-unknown = ⚠️ 请求 { $code }（{ $tool }）已开始执行，但结果不明，不会自动重试。请核实后手动登记结果。
after-settled = { $said } 结果由人工登记。
after-late = { $said } 执行方在被判定失联之后才报告。
after-error = { $said } 错误：{ $error }
after-took = { $said } 用时 { $span }。

# 告诉请求人。
told-approved = ✅ 你的请求 { $code }（{ $tool }）已由 { $who } 批准。
told-silence = ✅ 你的请求 { $code }（{ $tool }）已获批准：无人在期限内决定，策略视为同意。
told-denied = ⛔ 你的请求 { $code }（{ $tool }）被 { $who } 拒绝。
told-denied-why = { $said } 理由：{ $reason }
told-unanswered = ⌛ 你的请求 { $code }（{ $tool }）已过期：无人答复，未执行。
told-unasked = ⚠️ 你的请求 { $code }（{ $tool }）已过期：未能联系到任何人，并非有人拒绝。未执行。
told-unused = ⌛ 你的请求 { $code }（{ $tool }）已过期：已获批准，但未在期限内执行。
told-revoked = 🚫 你的请求 { $code }（{ $tool }）被 { $who } 撤销，不会执行。
told-edited = ✏️ 你的请求 { $code }（{ $tool }）由 { $who } 修改参数后替换，新请求正在等待批准。
told-stricter = 🚫 你的请求 { $code }（{ $tool }）不会执行：策略已收紧。
told-forgotten = 🚫 你的请求 { $code }（{ $tool }）不会执行：所依据的“记住的批准”已被撤回。

# 除卡片外，直接告诉需要作决定的人。冒号后面是频道。
asked-directly = 🔔 请你决定请求 { $code }（{ $tool }，{ $level }），截止 { $until }。
asked-directly-where = { $said } 卡片在这里：

# 保密调用的卡片。
line-confidential = 保密：参数只在“详情”中显示，仅供{ $roles }查看；也只能在那里批准。
line-alone-bare = { $who } 在紧急情况下独自批准，{ $when }
notice-glass-broken-bare = 🚨 { $who } 在紧急情况下独自批准了请求 { $code }（{ $tool }）。在他人复核之前，此事不算了结。
