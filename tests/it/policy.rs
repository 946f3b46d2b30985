//! What a policy asks and spares people: each conversation through HTTP and the fake Slack.

mod break_glass;
mod deny_again;
mod edit;
mod erring;
mod gather;
mod ladder;
mod meanwhile;
mod own;
mod remember;
mod sharing;
mod silence;
mod stop;
mod sure;
mod take_back;
mod too_many_cards;

use serde_json::{Value, json};

/// A proposal to delete a file, in a session and a run.
fn delete(path: &str, run: &str, step: u32) -> Value {
    json!({
        "tool": "delete_file",
        "args": {"path": path},
        "run": {"id": run, "step": format!("step-{step}")},
        "session": "session-1",
        "task": "clean up old files in the project",
        "reason": "it was not touched for three months",
    })
}
