//! Where people see a message of ours: its address, made of the workspace's own and of ids that Slack gave.

use placet::card::CardView;
use placet::inbound::MessageRef;
use url::Url;

use super::{Slack, say::is_timestamp};
use crate::mrkdwn::is_id;
use crate::render::is_shared;

impl Slack {
    /// The address of a message, with its parent where it stands in a thread. None where Slack does not say where people see
    /// the workspace: a list is no worse for it.
    ///
    /// Source: <https://docs.slack.dev/reference/methods/chat.getPermalink>, whose answers have this form.
    pub(crate) async fn message_link(&self, message: &MessageRef, thread: Option<&str>) -> Option<Url> {
        link(self.bot().await.ok()?.url.as_ref()?, message, thread)
    }
}

impl Slack {
    /// The address of the thread that a record's task was given in; none while people are asked, of another workspace, of
    /// messages to one person, which nobody else can open, and of what is confidential.
    pub(super) async fn asked_thread(&self, view: &CardView) -> Option<Url> {
        let shown = !view.is_waiting() && !view.confidential;
        let asked =
            view.call.asked_in.as_ref().filter(|asked| shown && asked.surface == self.settings().name)?;
        is_shared(&asked.message.channel).then_some(())?;
        self.message_link(&asked.message, None).await
    }
}

fn link(workspace: &Url, message: &MessageRef, thread: Option<&str>) -> Option<Url> {
    let MessageRef { channel, id } = message;
    (is_id(channel) && is_timestamp(id)).then_some(())?;
    let mut url = workspace.join(&format!("/archives/{channel}/p{}", id.replace('.', ""))).ok()?;
    if let Some(thread) = thread.filter(|ts| is_timestamp(ts) && ts != id) {
        url.set_query(Some(&format!("thread_ts={thread}&cid={channel}")));
    }
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R30: as Slack itself writes them; and nothing but an id becomes part of an address.
    #[test]
    fn an_address_is_made_of_ids_alone() {
        let workspace = Url::parse("https://acme.slack.com/").unwrap();
        let at = |channel: &str, id: &str, thread: Option<&str>| {
            let message = MessageRef { channel: channel.into(), id: id.into() };
            link(&workspace, &message, thread).map(|url| url.to_string())
        };
        let plain = "https://acme.slack.com/archives/C0OPS/p1796047200000100";
        assert_eq!(at("C0OPS", "1796047200.000100", None).as_deref(), Some(plain));
        assert_eq!(at("C0OPS", "1796047200.000100", Some("1796047200.000100")).as_deref(), Some(plain));
        assert_eq!(at("C0OPS", "1796047200.000100", Some("x&y")).as_deref(), Some(plain));
        let in_thread = at("C0OPS", "1796047200.000100", Some("1796047100.000100"));
        assert_eq!(in_thread, Some(format!("{plain}?thread_ts=1796047100.000100&cid=C0OPS")));
        for (channel, id) in [
            ("../x", "1796047200.000100"),
            ("", "1796047200.000100"),
            ("C0OPS", "1"),
            ("C0OPS", "a/b.000100"),
        ] {
            assert_eq!(at(channel, id, None), None, "{channel} {id}");
        }
    }
}
