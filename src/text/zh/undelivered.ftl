# 未能送达的消息。
undelivered-what = { $notice ->
    [ran] 执行结果
    [told] 处理结果
    [reminder] 提醒
    [escalated] 升级通知
    [stage-asked] 下一阶段的通知
    [asked-directly] 待批通知
    [glass-broken] 紧急单独批准的通知
    [question] 提问
    [answered] 提问的回答
    [not-asked] 提问未送达的通知
    [digest] 摘要
    [dialog] 对话框
    [command] 命令的回答
   *[other] 消息
}
undelivered-of-request = ⚠️ 请求 { $code }（{ $tool }）：{ $what }未能送达 { $who }。请求本身不受影响，请另行告知。{ $why }
undelivered-of-none = ⚠️ { $what }未能送达 { $who }。{ $why }
alarm-message-undelivered = ⚠️ 有关请求 { $code }（{ $tool }）的消息未能送达。请求本身不受影响。
notice-not-asked = ⚠️ 你就请求 { $code }（{ $tool }）提出的问题未能送达，对方没有看到：“{ $question }”请另行询问，或直接作出决定。
line-question-lost = { $asked } 未能送达。
happened-not-told = { $what }未能送达 { $who }。

trouble-dialog-later = Slack 未确认是否已打开对话框，或暂时无法受理；未作任何决定。请一分钟后再按一次。
trouble-dialog-refused = Slack 不接受此对话框，再按也无济于事；未作任何决定。已告知运维人员。
trouble-answer-refused = Slack 不接受此回答，再问也无济于事。已告知运维人员。
trouble-nobody-to-ask = 没有人能回答关于它的问题：代理不读提问，提出请求的人也不在此聊天中。请作出决定，或拒绝并说明怎样才对。
