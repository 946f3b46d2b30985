//! Slack: signed clicks in, cards and dialogs out.
