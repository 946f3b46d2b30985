### 卡片上关于暂停的说明。

line-stopped = 🛑 此类调用已于 { $since } 暂停（{ $reason }）。您仍可审批，但在解除暂停之前不会执行。
line-stopped-decided = 🛑 此类调用已于 { $since } 暂停（{ $reason }）。在解除暂停之前，此调用不会执行。
