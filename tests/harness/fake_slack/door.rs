//! The listening socket, which can be closed and opened again, and connections that can be broken from outside.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The door: open, it has a listener; shut, the system refuses connections.
pub(super) struct Door {
    address: SocketAddr,
    listener: Mutex<Option<TcpListener>>,
    acceptor: Mutex<Option<Waker>>,
    connections: Mutex<Vec<Weak<Switch>>>,
}

impl Door {
    pub(super) fn new() -> io::Result<Self> {
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        Ok(Self {
            address: listener.local_addr()?,
            listener: Mutex::new(Some(listener)),
            acceptor: Mutex::default(),
            connections: Mutex::default(),
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn close(&self) {
        *lock(&self.listener) = None;
        for switch in lock(&self.connections).drain(..).filter_map(|connection| connection.upgrade()) {
            switch.cut();
        }
    }

    pub(super) fn open(&self) -> io::Result<()> {
        let mut listener = lock(&self.listener);
        if listener.is_none() {
            *listener = Some(bind(self.address)?);
        }
        drop(listener);
        if let Some(acceptor) = lock(&self.acceptor).take() {
            acceptor.wake();
        }
        Ok(())
    }

    pub(super) fn poll_accept(&self, context: &mut Context<'_>) -> Poll<(Wire, SocketAddr)> {
        *lock(&self.acceptor) = Some(context.waker().clone());
        let listener = lock(&self.listener);
        let Some(listener) = listener.as_ref() else { return Poll::Pending };
        match listener.poll_accept(context) {
            Poll::Ready(Ok((stream, address))) => {
                let switch = Arc::new(Switch::default());
                let mut connections = lock(&self.connections);
                connections.retain(|connection| connection.strong_count() > 0);
                connections.push(Arc::downgrade(&switch));
                Poll::Ready((Wire { stream, switch }, address))
            }
            Poll::Ready(Err(_)) => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// The door as axum takes it.
pub(super) struct DoorListener(pub(super) Arc<super::Inner>);

impl Listener for DoorListener {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        poll_fn(|context| self.0.door.poll_accept(context)).await
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.door.address())
    }
}

/// Breaks one connection.
#[derive(Default)]
pub(super) struct Switch {
    is_cut: AtomicBool,
    reader: Mutex<Option<Waker>>,
}

impl Switch {
    pub(super) fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        if let Some(reader) = lock(&self.reader).take() {
            reader.wake();
        }
    }

    fn check(&self) -> io::Result<()> {
        if self.is_cut.load(Ordering::SeqCst) { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(()) }
    }
}

/// The switch of the connection that a request came on.
#[derive(Clone)]
pub(super) struct Cutter(pub(super) Arc<Switch>);

impl Connected<IncomingStream<'_, DoorListener>> for Cutter {
    fn connect_info(stream: IncomingStream<'_, DoorListener>) -> Self {
        Self(stream.io().switch.clone())
    }
}

/// A connection that its switch can break.
pub(super) struct Wire {
    stream: TcpStream,
    switch: Arc<Switch>,
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        *lock(&self.switch.reader) = Some(context.waker().clone());
        self.switch.check()?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.switch.check()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.switch.check()?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
