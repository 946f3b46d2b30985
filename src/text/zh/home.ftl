# The page that one person sees of Placet: what waits for them, what they decided, and what they are here.

home-waiting = 待您审批
home-nothing = 暂无待批事项。
home-item = { $code }，{ $who } 提出，见 { $places }，须在 { $until } 前决定
home-item-nowhere = { $code }，{ $who } 提出，须在 { $until } 前决定
home-count = 共 { $count } 项，最急的在前
home-card = 查看卡片
home-decided = 您最近的决定
home-said-yes = { $code }：您于 { $at } 批准；现状：{ $status }
home-said-no = { $code }：您于 { $at } 拒绝；现状：{ $status }
home-roles = 您的角色
home-stands-in = 您正在代理 { $people }。
home-no-role = 策略中没有您的角色，因此不会请您审批；可请维护策略的人为您添加。
home-account = 您的账号在策略中写作 { $account }。
