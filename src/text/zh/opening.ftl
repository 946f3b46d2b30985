# 尚不知读者是否有权查看时先打开的窗口。

opening-title = 请稍候
opening-text = 请求 { $code }：正在确认你是否有权查看，内容会显示在这里。
opening-refused-title = 无法显示
