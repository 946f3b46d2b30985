## 未经询问便执行的调用

digest-head = { $since } 至 { $until }，未经询问便执行的调用共 { $count } 次。
digest-none = { $since } 至 { $until }，没有未经询问便执行的调用。
digest-tool = { $tool }：{ $count } 次（{ $how }）
digest-auto = 直接执行 { $count } 次
digest-suggest = 已通知 { $count } 次
digest-remembered = 按已记住的批准 { $count } 次
digest-silence = 无人回应 { $count } 次
digest-failed = 失败 { $count } 次
digest-unknown = { $count } 次结果不明
digest-more = 另有 { $count } 个工具，完整列表见 { -command } digest。
digest-correct = 本应先询问？请在策略中提高该工具的等级，或用 { -command } remembered 撤回已记住的批准。查看每次调用：{ -command } audit tool:NAME since:7d
digest-uncounted = { $since } 至 { $until } 未经询问便执行的调用，见 { -command } digest。
