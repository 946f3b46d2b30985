# 卡片上除同意与拒绝之外能做的事：对话框、按钮，以及卡片随后的说明。

dialog-reason-needed = 请简要说明原因；目前尚未执行任何操作。

## 同意危险操作

critical-title = 这是危险操作
critical-yes = 批准
critical-no = 返回

## 认定结果

settle-button = 认定结果…
settle-title = 结果如何？
settle-intro = 它已开始执行，但没人知道结果。请先核实，再填写你的发现：你填写的就是最终结果，智能体会读到。
settle-outcome = 结果
settle-succeeded = 已执行，成功
settle-failed = 失败，或没有执行
settle-hint = 你是怎么知道的？这会连同你的名字一起记录在案。
settle-submit = 认定
line-settled-by = 由 { $who } 认定

## 提问，以及谁在查看

refusal-too-many-questions = 一个请求的提问数已达上限；请作出决定，或拒绝并说明怎样才对。
refusal-no-open-question = 这个问题已有回答，或并不存在。
refusal-not-asked-of-you = 这个问题不是问你的。
command-look = 查看

label-questions = 提问
line-looking = { $people } 正在查看
line-looking-since = { $who }（{ $when }）
line-question = { $who } 问{ $whom }，{ $when }：“{ $question }”
line-question-open = { $asked } 尚未回答。
line-answer = { $who } 的回答，{ $when }
line-answer-agents = 智能体原话的回答，{ $when }
ask-button = 提问…
ask-title = 提问
ask-whom = 问谁
ask-agent = 智能体
ask-requester = { $who }（请求者）
ask-question = 问题
ask-hint = 问题会连同你的名字显示在卡片上；智能体看到的不含名字。这既不是同意也不是拒绝，审批时限照常计算。
ask-submit = 提问
answer-button = 回答…
answer-title = 回答
answer-intro = { $who } 问：“{ $question }”
answer-field = 回答
answer-hint = 回答会连同你的名字显示在卡片上。
answer-submit = 回答
look-button = 我在看 / 不看了
notice-question = ❓ 关于你提出的请求 { $code }（{ $tool }），{ $who } 有个问题：“{ $question }”
notice-answered = 💬 请求 { $code }：{ $who } 回答了你的问题：“{ $answer }”
notice-answered-agent = 💬 请求 { $code }：你的问题有了回答，智能体原话：“{ $answer }”

## 先修改参数

edit-button = 修改…
edit-title = 批准前修改
edit-intro = 带有这些参数的新请求将取代本请求。策略会重新评估，投票重新开始；除非策略允许，修改者本人不能批准它。
edit-hidden = 隐藏的密钥只要原样保留，就不会改变。
edit-nothing = 这个调用在此没有可修改之处。请拒绝它，并说明怎样才对。
edit-submit = 替换
edit-as-json = JSON 格式
edit-true = true
edit-false = false
edit-too-long = { $name } 无法在此修改：它有 { $count } 个字符，而输入框最多 3000 个。它保持不变；如需修改，请拒绝并说明。
edit-more = 另有 { $count } 个参数保持不变：对话框放不下更多输入框。
edit-unchanged = 还没有任何改动：这些就是原来的参数。
edit-not-number = 这里必须是一个数字，例如 12 或 0.5。
edit-not-json = 这不是 JSON：{ $why }
edit-twice = 对象中有重复的键；每个键只能出现一次。
edit-lossy = 这里有数字无法原样保留；请减少位数，或加引号写成文本。
edit-mark = 隐藏标记在此处没有对应的密钥；请让隐藏的值保持原样，或写出实际的值。
edit-forbidden = 策略禁止使用这些参数，因此未作改动。{ $because }
edit-nobody-else = 没有其他人能批准带有这些参数的调用，因此未作改动；请拒绝它，并说明怎样才对。

## 紧急情况下一人决定

glass-button = 紧急放行…
glass-ask-title = 要独自决定吗？
glass-ask-text = 仅限紧急情况：只凭你一人同意即可执行。所有相关人员会立即得到通知，并须由另一人事后复核。
glass-ask-yes = 继续
glass-title = 独自决定
glass-intro = 只凭你一人同意，即按详情所示执行。所有相关人员会立即得到通知，包括你的名字和理由。
glass-hint = 为什么不能等其他人？
glass-submit = 独自批准
review-button = 复核…
review-title = 复核
review-intro = 这是一个人在紧急情况下独自作出的决定。提交即表示你已核查过。
review-hint = 你发现了什么？这会连同你的名字一起记录在案。
review-submit = 我已复核

## 冻结智能体

freeze-button = 冻结此智能体…
freeze-ask-title = 冻结此智能体？
freeze-ask-text = 在有人解除之前，无论已批准还是将批准，此智能体的任何调用都不会开始执行。已在执行的会继续。
freeze-ask-yes = 继续
freeze-title = 冻结此智能体
freeze-intro = 在解除之前，无论是否已批准，智能体 { $agent } 的任何调用都不会开始执行。已在执行的会继续。
freeze-hint = 负责人和智能体都会看到。
freeze-submit = 冻结
freeze-done = 🛑 智能体 { $agent } 已冻结，不会开始执行任何调用。解除方法：在运行 Placet 的机器上执行 “placet lift { $id }”，或用有管理权限的凭证调用 DELETE /v1/stops/{ $id }。
freeze-stood = 🛑 智能体 { $agent } 早已由 { $who } 冻结：{ $reason } 解除方法：在运行 Placet 的机器上执行 “placet lift { $id }”，或用有管理权限的凭证调用 DELETE /v1/stops/{ $id }。

working-title = 仍在处理
working-text = 处理时间比平时长。结果会显示在卡片上；如果无法完成，会告诉你。
