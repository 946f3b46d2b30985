# 谁请求的，以及同一张卡片上各次调用的相同之处。

label-asked-by = 请求者
asked-line = { $who }，{ $when }
asked-line-through = { $who }（经智能体 { $agent }），{ $when }
asked-line-in = { $who }，在 { $place }，{ $when }
asked-line-through-in = { $who }（经智能体 { $agent }），在 { $place }，{ $when }
asked-line-agent = 智能体 { $agent }（未代表任何人），{ $when }
gathered-alike = 各项相同之处
asked-thread = 查看话题
