# What is said in a thread in which the agent works.

thread-working = 正在处理…
thread-doing = 正在处理：{ $tool }
thread-waits = { $tool }（{ $code }）待批，见 { $places }
thread-waits-nowhere = { $tool }（{ $code }）待批
thread-directly = 私信
thread-done = 已完成。
thread-failed = 任务中止：{ $why }
thread-agents-words = 以上是智能体的原话。
thread-goes-on = 下一条消息继续。
thread-left-out = 此处省略 { $count } 个字符。

thread-no-agent = 本工作区没有配置智能体，无人接手任务；我在这里只负责审批。可请维护本系统的人配置一个。
thread-no-role = 您在策略中没有角色，因此我不接受您的任务；可请维护策略的人为您添加。
thread-unknown = 策略中没有您的账号，因此我不接受您的任务；可请维护策略的人添加。
thread-ambiguous = 策略中有两个人使用您的账号，无法确定是谁提出任务；须由维护策略的人改为只属于一人。
thread-deactivated = 此账号已停用，不能提出任务。
thread-guest = 访客不能提出任务，须由正式成员提出。
thread-bot = 机器人和应用不能提出任务，须由真人提出。
thread-foreign = 外部账号不能提出任务，须由本团队的人提出。
thread-away = 策略将您标为不在，因此我不接受您的任务；如已回来，请修改策略。
thread-unreadable = 暂时无法核实您的账号（{ $why }），任务尚未开始；请一分钟后再试。
thread-empty = 请说明要做什么，例如：清理旧文件。
thread-too-long = 这段文字有 { $count } 个字符，最多读取 { $max } 个；请分次发送。
thread-too-many-of-person = 您已有 { $max } 个任务在进行；请等其中一个结束后再提。
thread-too-many-in-thread = 本话题已有 { $max } 个任务在排队；请等其中一个结束，或另开话题。
thread-too-many-speakers = 本话题已有超过 { $max } 人提出任务；请另开话题。
thread-busy = 本话题的上一个任务尚未结束；请稍后再提。
thread-unavailable = 未能接手，请一分钟后再试。
