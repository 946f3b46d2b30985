//! What the process tells of itself: log lines and numbers.
//!
//! The log is one for the process, and only the program sets it up. Numbers belong to an application: several can
//! live in one process, each with its own, because they are counted while its own futures are polled.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anyhow::Context as _;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use placet::card::Redactor;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::settings::{LogFormat, LogSettings};

/// Where durations are counted, in seconds: from a commit to what people take.
const SECONDS: [f64; 12] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0, 300.0, 1800.0, 7200.0, 86_400.0];

/// Sets up the log of this process, on standard error, without the secrets that the redactor knows.
///
/// # Errors
/// The filter is none, or a log was set up before.
pub fn log(settings: &LogSettings, redactor: Arc<Redactor>) -> anyhow::Result<()> {
    let filter = EnvFilter::builder().parse(&settings.level).context("log.level")?;
    let lines =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(Lines { redactor }).with_ansi(false);
    match settings.format {
        LogFormat::Plain => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    }
    .map_err(|fault| anyhow::anyhow!("the log could not be set up: {fault}"))
}

/// Writes whole lines to standard error, redacted.
struct Lines {
    redactor: Arc<Redactor>,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { redactor: &self.redactor }
    }
}

/// One line; `tracing-subscriber` hands over each event in one piece.
struct Line<'a> {
    redactor: &'a Redactor,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        io::stderr().lock().write_all(self.redactor.redact_text(&text).text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// What each number is; those of the policy are described where they are written.
fn described() {
    use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
    describe_gauge!("placet_requests", "Requests by the state they are in.");
    describe_gauge!("placet_alarms", "Requests on which an alarm stands, by its kind.");
    describe_gauge!("placet_stops", "Emergency stops that stand.");
    describe_gauge!(
        "placet_surface_refused",
        "Whether a surface refuses Placet (1), its token say: no card gets through."
    );
    describe_gauge!(
        "placet_surface_unreachable",
        "Whether a surface gives no answer (1), for no connection to it comes about, say: no card gets through."
    );
    describe_gauge!(
        "placet_surface_sockets",
        "Connections to a surface on which clicks arrive; with 0 none does, unless it comes over HTTP."
    );
    describe_counter!("placet_votes_total", "Votes by surface and decision.");
    describe_counter!("placet_http_requests_total", "Answers by route, method and status.");
    describe_histogram!("placet_http_request_seconds", Unit::Seconds, "How long answers took, by route.");
}

/// The numbers of one application. Cheap to clone.
#[derive(Clone)]
pub struct Numbers {
    recorder: Arc<PrometheusRecorder>,
}

impl Numbers {
    /// None counted yet.
    ///
    /// # Errors
    /// None in practice: the buckets are a constant that is not empty.
    pub fn new() -> anyhow::Result<Self> {
        let recorder = PrometheusBuilder::new().set_buckets(&SECONDS)?.build_recorder();
        metrics::with_local_recorder(&recorder, described);
        Ok(Self { recorder: Arc::new(recorder) })
    }

    /// What shows them.
    #[must_use]
    pub fn handle(&self) -> PrometheusHandle {
        self.recorder.handle()
    }

    /// Counts what a future does here.
    pub fn counting<F: Future>(&self, future: F) -> Counting<F> {
        Counting { numbers: self.clone(), future: Box::pin(future) }
    }
}

/// A future whose numbers are counted in one place.
pub struct Counting<F> {
    numbers: Numbers,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for Counting<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { numbers, future } = &mut *self;
        metrics::with_local_recorder(&*numbers.recorder, || future.as_mut().poll(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever reads the numbers is told what they are.
    #[tokio::test]
    async fn numbers_are_described() {
        let numbers = Numbers::new().unwrap();
        numbers.counting(async { metrics::gauge!("placet_requests", "status" => "approved").set(1.0) }).await;
        let shown = numbers.handle().render();
        assert!(shown.contains("# HELP placet_requests Requests by the state they are in."), "{shown}");
    }

    #[tokio::test]
    async fn two_applications_count_apart() {
        let (one, other) = (Numbers::new().unwrap(), Numbers::new().unwrap());
        one.counting(async {
            tokio::task::yield_now().await;
            metrics::counter!("seen_total").increment(2);
        })
        .await;
        other.counting(async { metrics::counter!("seen_total").increment(3) }).await;
        assert!(one.handle().render().contains("seen_total 2"));
        assert!(other.handle().render().contains("seen_total 3"));
    }
}
