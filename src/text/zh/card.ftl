# 简体中文。与英文的条目一一对应，由测试保证；缺的条目会退回英文。
#
# 这里不得出现 & < > ` * _ ~：各渠道对它们另有解释，而只有插入的内容会被转义。
#
# 用词：智能体 agent，调用 call，请求 request，批准 approve，拒绝 deny，策略 policy，渠道 surface。
# 中文与插入的名字、编号、时间之间留一个空格；与标点、引号之间不留。

## 列举、时长

list-and = { $before }、{ $last }
list-next = { $before }、{ $next }
list-others = { $before } 和另外 { $count } 人
span-days = { $count } 天
span-hours = { $count } 小时
span-minutes = { $count } 分钟
span-seconds = { $count } 秒
# 测得的小数，如 0.2。
span-exact-seconds = { $seconds } 秒

## 级别、角色、状态、操作

level-low = 低风险
level-medium = 中风险
level-high = 高风险
level-critical = 极高风险

# 在人数之后：“2 名管理员”。
role-viewer = 查看者
role-operator = 操作员
role-admin = 管理员
role-auditor = 审计员
role-other = “{ $role }”角色成员

# 泛指全体：“只有管理员可以决定。”
roles-viewer = 查看者
roles-operator = 操作员
roles-admin = 管理员
roles-auditor = 审计员
roles-other = “{ $role }”角色成员

status-proposed = 刚提出
status-policy-checking = 正在核对策略
status-waiting-approval = 待批准
status-approved = 已批准
status-rejected = 已拒绝
status-executing = 正在运行
status-executed = 已结束
status-expired = 已过期
status-revoked = 已撤销

outcome-succeeded = 已运行，成功
outcome-failed = 已运行，失败
outcome-unknown = 结果不明

command-approve = 批准
command-deny = 拒绝
command-take-back = 收回表态
command-escalate = 转问下一组
command-ask = 追问
command-answer = 回答
command-break-glass = 紧急独自批准
command-supersede = 修改参数
command-withdraw = 撤回
command-revoke = 撤销
command-review = 复核
command-ask-anew = 重新发起审批
command-claim = 启动
command-finish = 报告结果
command-settle = 登记结果
command-other = 此操作

## 回绝：什么、为何、怎么办

refusal-who-can = { $refusal }有权的人：{ $people }。
refusal-who-decides = { $refusal }可以决定的人：{ $people }。

refusal-decided-approved = { $count ->
    [0] 此请求已获批准，无需再决定。
   *[other] { $people } 已批准此请求，无需再决定。
}
refusal-decided-rejected = { $count ->
    [0] 此请求未经表决已被拒绝，无需再决定。
   *[other] { $people } 已拒绝此请求，无需再决定。
}
refusal-decided-executing = { $count ->
    [0] 此调用已在运行，现在只能撤销，即要求它停止。
   *[other] { $people } 已批准，此调用已在运行；现在只能撤销，即要求它停止。
}
refusal-decided-executed = { $count ->
    [0] 此请求已有决定，调用也已启动，无需再决定。
   *[other] { $people } 已批准，调用也已启动，无需再决定。
}
refusal-decided-expired = 此请求已过期，不会运行；如仍需要，须由智能体重新请求。
refusal-decided-revoked = { $count ->
    [0] 此请求已被撤销，不会运行；如仍需要，须由智能体重新请求。
   *[other] { $people } 已撤销此请求，它不会运行；如仍需要，须由智能体重新请求。
}
refusal-decided-other = 现在无法对此请求作决定，当前状态：{ $status }。

refusal-out-of-order = 无法进行“{ $command }”，请求当前状态：{ $status }。
refusal-too-late = 决定时限已过，此调用不会运行；如仍需要，须由智能体重新请求。

refusal-unknown = 策略中没有你的账号，因此你的决定不作数；策略维护者可以添加。
refusal-ambiguous = 你的账号在策略中对应两个人，因此不计入任何一人；须由策略维护者明确归属。
refusal-deactivated = 此账号已停用，其决定不作数。
refusal-guest = 访客在此不能决定，须由正式成员决定。
refusal-bot = 机器人和应用在此不能决定，须由人来决定。
refusal-away = 策略中你处于离开状态，由你的代理人决定；如已回来，请修改策略。
refusal-foreign = 外部账号在此不能决定，须由本团队成员决定。
refusal-unreadable = 刚才无法核实你的账号（{ $why }），你的回答未计入；请一分钟后再试。

refusal-wrong-role = 只有{ $roles }可以决定。
refusal-own-request = 这是你自己的请求，须由他人决定。
refusal-own-edit = 参数是你自己修改的，须由他人决定。
refusal-already-said-yes = 你已经批准过了，每人只计一次。
refusal-already-said-no = 你已经拒绝过了，每人只计一次。
refusal-not-shown-in-full = 你尚未看过完整调用，你的批准未计入；请打开“详情”，在那里批准。
refusal-reason-for-yes = 此处批准须说明理由，因此未计入；请重新批准并写明理由。
refusal-reason-for-no = 此处拒绝须说明理由，因此未计入；请重新拒绝并写明理由。
refusal-no-vote = 你尚未对此表态，没有可收回的。
refusal-not-allowed = 只有{ $roles }可以这样做。
refusal-not-allowed-anybody = 策略不允许任何人这样做；策略维护者可以指定一个角色。
refusal-facts-stale = 刚才无法核实相关账号，未作任何更改；请一分钟后再试。

refusal-not-approved = 无法启动：请求未获批准，当前状态：{ $status }。
refusal-wrong-call = 无法启动：这不是获批准的那次调用；内容有变，须重新请求。
refusal-approval-expired = 无法启动：批准逾期未用，须由智能体重新请求。
refusal-approver-lapsed = 无法启动：批准人 { $people } 已无权决定，须重新请求。
refusal-forbidden-now = 无法启动：策略现已禁止。{ $because }
refusal-held = 无法启动：此类调用已被停止。{ $reason }
refusal-frozen = 无法启动：请求提出后“{ $name }”已开始。{ $because }
refusal-no-longer-remembered = 无法启动：记住的批准已被收回或已到期，须重新请求。
refusal-low-assurance = 策略要求更可靠地确认是你本人表态，此处做不到；请到符合要求的地方决定。
refusal-may-not-edit = 策略不允许修改此调用；请拒绝，并说明应如何修改。
refusal-already-claimed = 无法再次启动：一次批准只能运行一次，而它已经启动过。
refusal-not-the-claimant = 这是由别人启动的，只有启动者可以报告结果。
refusal-already-finished = 结果已经确定：{ $outcome }。
refusal-still-unknown = 登记结果须说明：是否运行过，成功还是失败。

## 途中可能出错的事

trouble-no-such-request = 没有这个请求；请核对卡片上的编号。
trouble-unavailable = 未作任何更改：Placet 现在无法写入。请一分钟后再试。
trouble-uncertain = 无法确定是否已记录；请先看卡片，再决定是否重试。
trouble-stale-button = 这是旧卡片上的按钮；请使用当前的卡片。
trouble-dialog-expired = 对话框未能及时打开；请再按一次按钮。
trouble-dialog-over = 此对话框已失效，未作任何决定；请关闭后重新打开“详情”。
trouble-nobody-named = 未说明你的账号属于哪个团队，因此你的决定不作数；请询问此应用的设置者。

## 消息

notice-refused = 请求 { $code }：{ $refusal }
notice-reminder = 🔔 请求 { $code }（{ $tool }）仍待决定，截止 { $until }。
notice-escalated = ⏫ 请求 { $code }（{ $tool }）尚无人决定，现在{ $roles }也可以决定，截止 { $until }。
notice-stage-asked = ➡️ 请求 { $code }（{ $tool }）进入第 { $stage } 阶段（共 { $stages } 个）：请{ $roles }决定，截止 { $until }。
notice-glass-broken = 🚨 { $who } 在紧急情况下独自批准了请求 { $code }（{ $tool }）：{ $reason } 在他人复核之前，此事不算了结。
notice-held = 🛑 已停止：{ $what }。{ $reason } 解除之前，相关调用一律不会启动。
notice-policy-not-in-force = ⚠️ 新策略未生效，仍沿用之前的策略。{ $why }
alarm-waits-long = ⚠️ 请求 { $code }（{ $tool }）等待已久，尚无人决定。请找到可以决定的人，或将其撤销。
alarm-card-undeliverable = ⚠️ 请求 { $code }（{ $tool }）的卡片无法送达或更新，大家可能看不到，或看到的是旧内容。请检查渠道；请求本身不受影响。
alarm-glass-broken = 🚨 请求 { $code }（{ $tool }）在紧急情况下由一人独自批准，须由他人复核。
alarm-outcome-unknown = ⚠️ 请求 { $code }（{ $tool }）已启动，但结果不明。不会自动重试；请查明并登记结果。

## 卡片

headline = 需要批准：{ $title }（{ $level }）
record-head = { $state } · { $title }
label-task = 任务
label-call = 调用
label-effect = 影响
label-figures = 要点
label-changes = 修改内容
label-preview = 将会更改
label-why-ask = 为何询问
label-based-on = 依据
label-agent-reason = 智能体的理由
label-if-denied = 若拒绝
label-needs = 需要
label-votes = 表态
label-arguments = 全部参数
label-digest = 摘要值
label-agents-words = 智能体原话
label-of-the-agent = { $label }（{ $mark }）
if-denied-default = 智能体会得知此事，不执行该调用，继续后面的工作。
task-line = “{ $task }” · { $who }，{ $when }
rule-line = 规则 { $rule }：{ $because }
rule-line-bare = 规则 { $rule }
rule-raise = 规则 { $rule } 将其升为{ $level }：{ $because }
rule-raise-bare = 规则 { $rule } 将其升为{ $level }
rule-forbid = 规则 { $rule } 禁止：{ $because }
rule-forbid-bare = 规则 { $rule } 禁止
rule-default = 没有相关规则：{ $because }
rule-default-bare = 没有相关规则
rule-error = { $line } 其条件无法求值，因此按更严的一方处理：{ $error }
figure-amount = 金额 { $value }
figure-count = 数量 { $value }
figure-affected = 受影响用户 { $value }
figure-environment = 环境 { $value }
figure-data-level = 数据级别 { $value }
figure-reach = { $value ->
    [session] 仅影响此会话
    [team] 影响本团队
    [everybody] 影响所有人
    [outside] 影响外部
   *[other] 影响范围 { $value }
}
figure-reversible = { $value ->
    [yes] 可以还原
   *[other] 无法还原
}
gathered-head = { $waiting ->
    [0] 共 { $count } 次调用，都已不再等待
   *[other] 共 { $count } 次调用，其中 { $waiting } 次待决定，须逐一批准或拒绝
}
line-calls = 此处批准一次，即允许 { $count } 次完全相同的调用。
line-shares-card = 它与先前一个完全相同的请求共用那张卡片。
line-edited = ✏️ { $who } 修改了智能体所请求的参数。表态重新开始{ $own ->
    [yes] 。
   *[no] ，{ $who } 的表态不计入。
}任务、理由和依据仍是修改之前的。
line-shadow = 策略在此只观察、不拦截：否则这次调用{ $tier ->
    [forbid] 会被禁止
    [approve] 会等待批准
   *[other] 会直接运行
}。
line-solo = 请求人可以独自批准。
line-asked-again-unanswered = 第二次请求：第一次问过，但无人回应。
line-asked-again-unasked = 第二次请求：第一次联系不到任何人，因此没有人被问到。
line-read-all-pages = 打开过每一页之后，才能在此批准。
line-too-long-to-show = 此调用过长，无法在此完整显示，因此不能批准；请拒绝，或要求拆成几次。
lines-shown = 已显示 { $shown } 行，共 { $total } 行
page-of = 第 { $page } 页，共 { $total } 页
characters-left-out = 省略了 { $count } 个字符
line-took = { $line }，用时 { $took }
redacted = 已隐藏 { $count } 处机密信息，因此没有人能看到完整调用。

warnings = ⚠️ 请仔细看：{ $what }。
warning-invisible = { $count } 个不可见字符
warning-bidi = { $count } 个改变文字方向的字符
warning-mixed-script = { $count } 个混用文字的词
warning-combining = { $count } 处堆叠的组合符号

button-approve = 批准
button-approve-with-reason = 批准…
button-approve-calls = { $asks ->
    [yes] 批准 { $count } 次调用…
   *[no] 批准 { $count } 次调用
}
button-remember-title = 记住这次批准？
button-remember-yes = 批准并记住
button-remember-no = 返回
button-deny = 拒绝
button-deny-with-reason = 拒绝…
button-take-back = 收回我的表态
button-details = 详情
button-cancel = 取消
button-close = 关闭
button-next-page = 下一页
button-previous-page = 上一页
dialog-approve-title = 批准
dialog-deny-title = 拒绝
dialog-details-title = 完整调用
dialog-reason = 理由
dialog-deny-reason-hint = 智能体会读到理由，但不会看到你的名字。
dialog-approve-reason-hint = 它会与你的批准一同记录在案。
dialog-note = 附言
prompt-decision = 批准吗？y = 批准，n = 拒绝，d = 详情：
prompt-reason = 理由（可直接按回车）：
prompt-reason-required = 理由（必填）：
prompt-unclear = 无法识别；请输入 y、n 或 d，再按回车。

## 须由谁批准、谁已批准

needs-group = { $count } 名{ $role }
needs-none = 尚无人批准
needs-some = 已批准 { $have }/{ $count }
needs-group-has = { $group }（{ $has }）
needs-stage = 第 { $stage } 阶段（共 { $stages } 个）
needs-as-well = { $roles }也可以决定
needs-until = 截止 { $when }
counted-yes = 你的批准已计入。
counted-yes-more = 你的批准已计入。还需要：{ $needs }。
counted-no = 你的拒绝已计入。
vote = { $name }，{ $when }
vote-for = { $name }（代 { $others }）
vote-yes = { $name } 批准，{ $when }
vote-no = { $name } 拒绝，{ $when }
vote-note = { $vote }：“{ $note }”

## 请求的状态：记录的首行

head-checking = 正在核对策略
head-waiting = 待批准
head-approved = ✅ 已批准
head-approved-unasked = ✅ 未经表决放行
head-denied = ⛔ 已拒绝
head-could-not-ask = ⚠️ 未能询问
head-forbidden = ⛔ 被策略禁止
head-running = ▶️ 正在运行
head-stopping = ▶️ 正在运行，已要求停止
head-succeeded = ✅ 已运行
head-failed = ⚠️ 已运行，但失败
head-unknown = ⚠️ 不清楚是否运行过
head-unanswered = ⌛ 已过期：无人回应
head-unasked = ⚠️ 未能询问：没有渠道确认收到卡片
head-unused = ⌛ 已过期：已批准，但未及时启动
head-withdrawn = 🚫 已撤回
head-revoked = 🚫 已撤销
head-superseded = 🚫 已由修改后的请求取代
head-rejudged = 🚫 已停止：策略变严
head-forgotten = 🚫 不再记住

## 以及末行

line-remembered = { $who } 曾选择：同类调用在 { $when } 之前均可运行
line-silence = 无人及时决定，策略将此视为批准
line-alone = { $who } 在紧急情况下独自批准，{ $when }：“{ $reason }”
line-not-reviewed = 尚无他人复核
line-reviewed = 已由 { $who } 复核
line-earlier = 同样的调用刚刚被拒绝，因此没有再问
line-request = 请求 { $code }
line-may-run = 可在 { $when } 之前运行
line-denied = 未运行
line-forbidden = { $because } 未运行，{ $when }
line-could-not-ask = { $why }；未运行，{ $when }
line-running = 自 { $when } 起运行
line-stopping = 自 { $when } 起运行，已要求停止
line-succeeded = 已运行，{ $when }，成功
line-failed = 已运行，{ $when }，失败：{ $error }
line-failed-bare = 已运行，{ $when }，失败
line-unknown = 已启动，但结果不明；不会重试：请查明并登记结果
line-settled = 结果由人工登记
line-unanswered = 到 { $when } 仍无人回应；未运行
line-unasked = 到 { $when } 仍没有渠道收到卡片，因此没有问到任何人，也没有人拒绝；未运行
line-unused = 到 { $when } 仍未启动；未运行
line-withdrawn = 由 { $who } 撤回，{ $when }；未运行
line-revoked = 由 { $who } 撤销，{ $when }；未运行
line-superseded = 由 { $who } 修改后取代，{ $when }；未运行
line-forgotten = 记住的批准已被收回，{ $when }；未运行
line-rejudged = 规则 { $rule }：{ $because } 已停止，{ $when }；未运行
line-reason = { $line }：“{ $reason }”
