//! The server of sockets.

use std::future::poll_fn;
use std::sync::Arc;

use futures::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};

use super::Order;
use crate::fake_slack::door::Wire;
use crate::fake_slack::server::Inner;

/// Takes sockets until it is aborted.
pub(in crate::fake_slack) fn serve(inner: Arc<Inner>) -> AbortHandle {
    let serving = tokio::spawn(async move {
        let mut links = JoinSet::new();
        loop {
            let wire = poll_fn(|context| inner.socket_door.poll_accept(context)).await.0;
            links.spawn(link(inner.clone(), wire));
            while links.try_join_next().is_some() {}
        }
    });
    serving.abort_handle()
}

/// One socket, from the handshake to its end.
async fn link(inner: Arc<Inner>, wire: Wire) {
    let door = inner.clone();
    // The type of the refusal is tungstenite's.
    #[expect(clippy::result_large_err, reason = "the handshake's callback has this signature")]
    let check = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        let query = request.uri().query().unwrap_or_default();
        let mut fields = url::form_urlencoded::parse(query.as_bytes());
        let ticket = fields.find(|(name, _)| name == "ticket").map(|(_, ticket)| ticket.into_owned());
        if ticket.is_some_and(|ticket| door.state().redeem(&ticket)) {
            return Ok(response);
        }
        door.state().refused.push("socket: the ticket is spent, too old or not ours".to_owned());
        let mut refusal = ErrorResponse::new(None);
        *refusal.status_mut() = axum::http::StatusCode::FORBIDDEN;
        Err(refusal)
    };
    let Ok(mut stream) = accept_hdr_async(wire, check).await else { return };
    let (sender, mut orders) = unbounded_channel();
    let id = inner.state().linked(sender);
    inner.changed.notify_waiters();
    // Slack asks for a sign of life every few seconds; once is enough to see that it is given.
    let _gone = stream.send(Message::Ping(b"fake".as_slice().into())).await;
    if !talk(&inner, (id, &mut stream), &mut orders).await {
        std::future::pending::<()>().await;
    }
    // Before the other side can see it.
    inner.state().unlinked(id);
    drop(stream);
    inner.changed.notify_waiters();
}

/// Talks until the socket ends; false where it is frozen.
async fn talk(
    inner: &Inner,
    (id, stream): (u64, &mut tokio_tungstenite::WebSocketStream<Wire>),
    orders: &mut UnboundedReceiver<Order>,
) -> bool {
    loop {
        tokio::select! {
            came = stream.next() => match came {
                Some(Ok(Message::Text(text))) => {
                    inner.state().heard(id, &text);
                    inner.changed.notify_waiters();
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return true,
            },
            order = orders.recv() => match order {
                Some(Order::Send(text)) => {
                    if stream.send(Message::Text(text.into())).await.is_err() {
                        return true;
                    }
                }
                Some(Order::Close) => {
                    let _gone = stream.close(None).await;
                    // What is on its way is still heard.
                    while let Some(Ok(message)) = stream.next().await {
                        if let Message::Text(text) = message {
                            inner.state().heard(id, &text);
                        }
                    }
                    return true;
                }
                Some(Order::Cut) | None => return true,
                Some(Order::Freeze) => return false,
            },
        }
    }
}
