## 聊天命令 /placet

command-help-head = 可用的命令。回复仅你可见。
command-help-pending = 待批的请求，以及已暂停的调用
command-help-show = 查看一个请求的全部内容
command-help-why = 为何需要审批，以及经过
command-help-audit = 审计记录：按人员、工具、状态、时间和关键词；可导出 csv 或 jsonl
command-help-revoke = 撤回请求；未写理由时会询问
command-help-settle = 为结果不明的调用说明结果：ok 或 failed
command-help-remembered = 因已记住的批准而不再询问的调用；可撤回
command-help-freeze = 暂停某个工具、某个代理或全部调用，直到有人解除
command-help-stops = 查看已暂停的调用；可解除
command-help-digest = 未经询问便执行的调用
command-help-whoami = 你的身份和权限
command-help-help = 显示此列表

# 每条命令开头的词；其他平台可替换。
-command = /placet

command-example = { -command } { $words }
command-bad-who-typed = { $typed } 不是账号：请写完整，如 @bo:example.org。
command-by-card = { $verb } 要在请求的卡片上用按钮操作；{ -command } show 会告诉你卡片在哪里。
command-by-list = { $verb } 要用列表中的按钮操作：{ $list }
command-another = 你回复的是 { $card } 的卡片，而 { $named } 是另一个请求，因此没有执行。请回复正确的卡片，或单独写 { $verb } 和编号。
command-missing = { $verb ->
    [ask] 请写明要问什么。
    [answer] 请写明回答。
    [edit] 请写明新的参数。
    [freeze] 请写明暂停哪些调用以及原因。
    [lift] 请写明解除哪些调用。
    [settle] 请写明结果 ok 或 failed，以及依据。
   *[other] 请写明原因。
}
command-not-everything = 所有租户的调用只能由 Placet 的运维人员在命令行暂停：placet stop --all。没有暂停任何调用。要暂停 { $tenant } 的调用，请用 { -command } freeze tenant
command-help-revoke-typed = 撤回请求，并写明原因
command-help-remembered-typed = 因已记住的批准而不再询问的调用
command-help-stops-typed = 查看已暂停的调用
command-help-forget = 撤回已记住的批准，重新询问
command-help-lift = 解除暂停
command-help-approve = 同意，可附说明；回复卡片时不必写编号
command-help-deny = 拒绝，并写明原因
command-help-take-back = 收回你的意见
command-help-remember = 同意并记住，范围见卡片
command-help-looking = 告诉他人你正在查看，或不再查看
command-help-ask = 提问，既不同意也不拒绝
command-help-answer = 回答最后一个问题，或用编号指定：#2
command-help-edit = 换用其他参数重新申请
command-help-break-glass = 紧急情况下单独决定，并写明原因
command-help-review = 表示你已复核他人单独做出的决定

command-no-verb = 没有命令 { $typed }。
command-no-key = 没有筛选条件 { $typed }。
command-nearest = { $mistake }是否想输入 { $nearest }？
command-try = { $mistake }例如：{ $example }
command-bad-who = { $typed } 不是 Slack 认识的人：请输入 @ 并从列表中选择。
command-bad-state = { $typed } 不是状态：可用 pending、approved、denied、running、ran、ok、failed、unknown、expired、revoked。
command-bad-since = { $typed } 不是时间：请写多久以前，如 90m、24h、7d，或某一天，如 2026-11-30。
command-bad-export = { $typed } 不是导出格式：可用 csv 或 jsonl。
command-bad-value = { $key } 后面要有内容。
command-twice = { $key } 出现了两次，只写一次。
command-which-request = { $typed ->
    [none] 请写明是哪个请求：卡片上的编号。
   *[other] { $typed } 不是请求编号：编号有六个字母或数字，见卡片。
}
command-not-taken = { $verb } 无法理解 { $typed }。
command-too-long = 命令太长，请缩短。
command-other-tenant = 此工作区只显示 { $tenant } 的请求；请去掉该条件。
command-unreadable = Placet 暂时无法读取记录，请稍后再试。
command-unchecked = 暂时无法核实你的账号（{ $why }），因此不显示内容；请稍后再试。
command-busy = Placet 正忙，请稍后再试。

command-pending-head = 待批
command-pending-none = 没有待批的请求。
command-pending-times = 始于 { $since }，截止 { $until } · 申请人 { $who }
command-stopped = 已暂停：{ $what }，操作人 { $who }。{ $reason }
command-stopped-row = 已暂停：批准后也不会执行。{ $reason }
command-audit-head = { $tenant } 的审计记录
command-audit-none = 没有找到。减少条件可找到更多；见 { -command } help。
command-audit-asked = 申请人 { $who }，{ $when }
command-audit-further = 尚未查找早于 { $when } 的记录；点“更早”继续。
command-remembered-head = 不再询问的调用
command-remembered-none = 没有已记住的批准，每次都会询问。
command-remembered-row = 代理 { $agent }，由 { $who } 选择，有效至 { $until }
command-stops-head = 已暂停
command-stops-none = 没有暂停的调用。
command-stops-row = { $who }，{ $since }：{ $reason }
command-stops-installation = 它暂停所有租户的调用，只有 Placet 的运维人员可解除。
command-digest-title = 未经询问便执行的调用
command-show-card = 请在卡片上审批，频道：
command-show-no-card = 它没有卡片。
command-why-head = { $code } 的缘由
command-why-policy = 策略 { $label }，{ $digest }
command-why-level = 等级 { $level }
command-why-asks = 需要：{ $needs }
command-why-asks-nobody = 没有询问任何人。
command-why-happened = 经过
command-why-cut = 只显示前 { $count } 个事件。

command-whoami-head = { $name }
command-whoami-account = 账号 { $account }，租户 { $tenant }
command-whoami-roles = 角色：{ $roles }
command-whoami-no-roles = 没有角色：在这里不能审批，也不能查看。
command-whoami-stands-in = 你正代理 { $who }。
command-whoami-audit = { $may ->
    [yes] 可以查看审计记录。
   *[no] 不能查看审计记录；需要角色：{ $roles }。
}
command-whoami-steward = { $may ->
    [yes] 可以撤回、了结和暂停调用。
   *[no] 不能撤回、了结或暂停调用；需要角色：{ $roles }。
}
command-nobody = 无人

command-older = 更早
command-newest = 最新
command-lift = 解除暂停
command-lift-title = 解除暂停？
command-lift-text = 被暂停的调用将按原批准继续：{ $what }。
command-forget = 撤回
command-forget-title = 今后重新询问？
command-forget-text = 此类调用将重新询问，已据此批准而未执行的请求会被撤回。
command-yes = 是
command-no = 否

command-revoke-title = 撤回请求
command-revoke-submit = 撤回
command-settle-title = 了结
command-settle-outcome = 结果如何？
command-settle-ok = 已执行，成功
command-settle-failed = 失败
command-settle-hint = 依据是什么；会写入记录
command-revoke-hint = 会写入记录，并告知代理
command-freeze-title = 暂停调用
command-freeze-scope = 哪些调用
command-freeze-agent = 某个代理的调用
command-freeze-tool = 某个工具的调用
command-freeze-tenant = 全部调用
command-freeze-name = 代理或工具的名称
command-freeze-name-hint = 工具名要带服务器名，如卡片所示；暂停全部时留空
command-freeze-hint = 会通知运维人员，以及调用被暂停的人
command-freeze-next = 下一步
command-freeze-confirm-title = 现在暂停？
command-freeze-confirm = 立即暂停
command-freeze-confirm-text = { $what }：无论是否已批准，都不再开始，直到有人解除。正在执行的会继续。
command-reason-needed = 请写明理由。
command-name-needed = 请写明代理或工具，或选择全部调用。
command-name-bad = 这不是代理或工具的名称。

command-revoked = 请求 { $code } 已撤回，不会执行。
command-revoke-asked = 请求 { $code } 已在执行，已要求停止。
command-settled = 请求 { $code } 已了结：{ $outcome }。
command-unchanged = 请求 { $code } 原本如此，未作更改。
command-frozen = 已暂停：{ $what }。解除前不会开始，见 { -command } stops
command-frozen-before = 先前已暂停：{ $what }，操作人 { $who }。继续有效，见 { -command } stops
command-frozen-doubt = { $said } 但这里没有这个名称，请核对。
command-freeze-pattern = 暂停只针对一个工具的完整名称，不能用通配符；未作更改。
command-lifted = 已解除：{ $what }。
command-forgotten = 今后重新询问；{ $count ->
    [0] 没有据此批准而未执行的请求。
   *[other] 已撤回据此批准的请求 { $count } 个。
}
command-gone = 它已不存在，请重新输入命令。

command-export-sent = 文件含 { $count } 个请求，已发到你的私信，仅你可见。
command-export-cut = { $said } 还有更多：文件只含最新的 { $count } 个，请缩小范围。
command-export-note = 你用 { -command } audit 导出的 { $tenant } 审计记录。
command-export-scope = 无法发送导出文件：此应用缺少权限 { $scope }。请管理员在 OAuth and Permissions 中添加并重新安装。
command-export-under-way = 你的上一份导出还在生成，请收到后再试。
command-export-failed = 暂时无法发送导出文件，请稍后再试。

## 请求的经过

happened-proposed = { $who } 提出请求。
happened-checked = 策略判定：{ $tier }，等级 { $level }。
happened-requested = 已请求审批，截止 { $until }。
happened-yes = { $who } 同意。
happened-no = { $who } 拒绝。
happened-noted = { $line }“{ $note }”
happened-taken-back = { $who } 收回了意见。
happened-lapsed = { $who } 的意见不再有效。
happened-refused = { $who } 的操作被拒：{ $command }（{ $code }）。
happened-approved = 已批准。
happened-approved-by = 由 { $who } 批准。
happened-approved-unasked = 未经询问即批准：{ $how }。
happened-denied = 已拒绝。
happened-denied-by = 由 { $who } 拒绝。
happened-expired = { $how ->
    [unanswered] 无人按时回应。
    [unasked] 无法联系任何人。
   *[other] 未按时执行。
}
happened-revoked = { $who } 撤回了它。
happened-superseded = 已被修改后的请求取代。
happened-withdrawn = 代理不再需要它。
happened-rejudged = 新策略撤回了它。
happened-escalated = 已询问下一组人。
happened-reminded = 已提醒审批人。
happened-remembered = 批准已被记住，有效至 { $until }。
happened-asked-anew = { $who } 希望重新询问。
happened-reviewed = { $who } 已复核。
happened-question = { $who } 提问。
happened-answer = { $who } 回答。
happened-claimed = { $who } 开始执行。
happened-stop = { $who } 要求停止。
happened-executed = 结束：{ $outcome }。
happened-settled = { $who } 了结：{ $outcome }。
happened-delivered = 卡片已送达 { $surface }。
happened-undeliverable = 卡片未能送达 { $surface }。
happened-alarm = 已发出警报：{ $alarm }。
happened-by-policy = 策略允许
happened-by-silence = 无人回应，按规则视为同意
happened-by-remembered = 先前的批准已被记住
