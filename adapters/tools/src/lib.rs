//! Built-in tools, confined to a workspace folder.
