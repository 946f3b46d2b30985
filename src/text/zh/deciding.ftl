# 决定者须一眼看到的：风险多高、何时截止、批准之后会怎样，以及为何没有批准按钮。

title-line = { $level } · { $title }
level-head-low = 低风险
level-head-medium = 中风险
level-head-high = 【高风险】
level-head-critical = 【极高风险】
asked-by-and-code = { $asked } · 请求 { $code }

label-answer-by = 截止
label-if-approved = 若批准
label-then = 改为
answer-by = { $when } · 无人回应则不运行
answer-by-silence = { $when } · 无人回应则按策略视为批准，可以运行
if-approved-last = 你的批准是所需的最后一个：{ $count ->
    [1] 可在 { $span }内运行一次
   *[other] { $count } 次调用均可在 { $span }内各运行一次
}
if-approved-more = 还需要 { $open } 个批准，你的是其中之一：暂不运行；全部批准后可在 { $span }内运行一次
if-approved-stage = 你的批准属于第 { $stage } 阶段（共 { $stages } 个）：暂不运行
if-denied = 有 { $left } 人拒绝即不运行，智能体会得知

## 批准极高风险的调用意味着什么

critical-text = { $what }{ $does }
critical-title-alone = { $title }。
critical-what = { $title }（{ $others }）。
critical-last = 你的批准是所需的最后一个：{ $count ->
    [1] 可能立即运行。
   *[other] { $count } 次调用可能立即运行。
}
critical-more = 还需要 { $open } 个批准，你的是其中之一：暂不运行。
critical-stage = 你的批准属于第 { $stage } 阶段（共 { $stages } 个）：暂不运行。
critical-shown = 批准的就是此处所示的调用。
critical-undone = { $text }无法还原。
critical-effect = { $text }影响：{ $effect }
critical-cut = { $text }此处有删节，完整内容见卡片。
argument-said = { $name }：“{ $value }”

sure-undone = 此操作无法还原
sure-effect = 影响未知

## 可能改变决定的事

warnings-where = { $said }位于：{ $fields }。
asked-again-denied = ⚠️ 第二次请求：刚才已被拒绝
asked-again-denied-by = ⚠️ 第二次请求：同样的调用已被 { $who } 拒绝，{ $when }
warnings-severe = { $said }数量之多，可能意在欺骗：除非你知道原因，否则请拒绝。
title-of-several = ⚠️ 标题只含 { $name } 共 { $count } 行中的第一行：请一并阅读其余各行。
elsewhere = ⚠️ 此调用针对 { $name }“{ $value }”，而智能体的说明提到的是“{ $named }”。
not-described = ⚠️ 策略对此工具未作任何说明：既不知它做什么，也不知能否还原。除非你知道它是什么，否则请拒绝。

## 缺少的内容

not-given = 未提供
effect-unknown = 未知：策略未作说明
no-rule = 没有指明针对此工具的规则
no-arguments = 无：{ $json }
no-approve-partly = 此处没有“批准”，因为未显示全部内容。请打开“详情”：其中有完整调用，看完最后一页即可批准。
no-approve-hidden = 没有“批准”，因为隐藏了 { $count } 处机密信息，没有人能看到完整调用，也就没有人能批准。请拒绝，并要求去掉机密信息后重新请求。
no-approve-hidden-here = 此处没有“批准”，因为隐藏了 { $count } 处机密信息。请打开“详情”：策略允许在那里未见机密信息而批准。

## 拒绝

deny-then = 一经拒绝就不会运行，智能体会得知。

## 被记住的批准

button-remember = { $span }内：{ $pattern }
remember-scope = 批准此调用，且 { $span }内凡 { $pattern } 的 { $tool } 调用均获批准，不再询问。

## 记录

approved-by = 批准人：{ $votes }
denied-by = 拒绝人：{ $votes }
