//! Slack waits three seconds for an answer, and no longer.

use std::pin::pin;
use std::time::Duration;

use anyhow::{Result, bail};

/// How long Slack waits for the answer to what it delivers, over HTTP and on a socket.
/// <https://docs.slack.dev/interactivity/handling-user-interaction>
const ANSWER_WAIT: Duration = Duration::from_secs(3);

/// What it is counted in: a machine that stands still for a moment counts for one of these, however long it does.
const TICK: Duration = Duration::from_millis(100);

/// The answer, if it comes as long as Slack waits; in real time, for Slack does not wait for the test's clock.
///
/// # Errors
/// What went wrong with it, or that it comes too late.
pub async fn in_time<T>(what: &str, answer: impl Future<Output = Result<T>>) -> Result<T> {
    let mut answer = pin!(answer);
    for _ in 0..ANSWER_WAIT.as_millis() / TICK.as_millis() {
        #[expect(clippy::disallowed_methods, reason = "real time: Slack does not wait for the test's clock")]
        let tick = tokio::time::sleep(TICK);
        tokio::select! {
            biased;
            answered = &mut answer => return answered,
            () = tick => {}
        }
    }
    bail!(
        "Placet did not answer {what} within three seconds: Slack tells the person that it did not work, or delivers it again"
    )
}
