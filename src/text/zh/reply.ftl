# 没有按钮时如何决定：用表情回应、投票，或写命令。

label-to-approve = 批准方法
label-to-deny = 拒绝方法
approve-by-reaction = 用 ✅ 回应，或回复本消息：{ $prefix } approve
approve-in-poll = 在下面的投票里选，或回复本消息：{ $prefix } approve
approve-by-reply = 回复本消息：{ $prefix } approve
approve-by-reply-why = 回复本消息：{ $prefix } approve 加理由
approve-in-thread = 这里没有显示全部。请在本消息的讨论串里读完整个调用（共 { $parts } 部分），再在那里回复最后一部分：{ $prefix } approve
approve-at-the-end = 以上就是整个调用。回复本消息：{ $prefix } approve
approve-directly = 在加密房间里直接写给我：{ $prefix } show { $code }
approve-unseen = 有 { $count } 个机密被隐藏，策略允许不看它就批准：回复本消息：{ $prefix } approve
deny-by-reaction = 用 ❌ 回应，或回复本消息：{ $prefix } deny 加理由
deny-in-poll = 在下面的投票里选，或回复本消息：{ $prefix } deny 加理由
deny-by-reply = 回复本消息：{ $prefix } deny 加理由
deny-directly = 在加密房间里直接写给我：{ $prefix } deny { $code } 加理由
reply-encrypted = { $said }。只有从你验证过的设备发来的加密消息才算数。
reply-confidential = 机密：参数只直接给{ $roles }看。只能在那里批准。
to-take-back = 决定之前要收回你的答复：去掉表情，或回复 { $prefix } take-back。
to-settle = 要了结它：回复 { $prefix } settle ok 或 settle failed，并写上你怎么知道的。
label-to-remember = 记住方法
remember-by-reply = 回复本消息：{ $prefix } remember。{ $scope }
to-review = 还没有别人看过。要复核它：回复 { $prefix } review，并写上你看到的情况。
to-answer = 要回答：写 { $prefix } answer { $code } 加你的答复。
more-by-reply = 还能写什么：{ $prefix } help。
vote-sealed = { $vote }（已加密）
vote-pinned = { $vote }（已加密，密钥已知）

poll-question = { $title } · 请求 { $code }
part-head = 请求 { $code } 的整个调用，第 { $part } 部分，共 { $parts } 部分
