//! Notices when the input ends: then nobody will answer, and nobody should wait for it.

use std::io::{BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Whether the input has ended.
#[derive(Clone, Default)]
pub(super) struct Ended(Arc<(AtomicBool, Notify)>);

impl Ended {
    /// Where there is no input that could end.
    pub(super) fn never() -> Self {
        Self::default()
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.0.load(Ordering::Acquire)
    }

    /// Returns once it has ended.
    pub(super) async fn wait(&self) {
        while !self.is_over() {
            self.0.1.notified().await;
        }
    }

    fn tell(&self) {
        self.0.0.store(true, Ordering::Release);
        self.0.1.notify_one();
    }
}

/// The input, and what tells that it has ended.
pub(super) fn noticed(input: Box<dyn BufRead + Send>) -> (impl BufRead + Send + 'static, Ended) {
    let ended = Ended::default();
    (Noticing { input, ended: ended.clone() }, ended)
}

struct Noticing {
    input: Box<dyn BufRead + Send>,
    ended: Ended,
}

impl Read for Noticing {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(bytes);
        if !bytes.is_empty() && !matches!(read, Ok(1..)) {
            self.ended.tell();
        }
        read
    }
}

impl BufRead for Noticing {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        let ended = &self.ended;
        match self.input.fill_buf() {
            Ok([]) => {
                ended.tell();
                Ok(&[])
            }
            Err(fault) => {
                if fault.kind() != std::io::ErrorKind::Interrupted {
                    ended.tell();
                }
                Err(fault)
            }
            read => read,
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.input.consume(bytes);
    }
}
