//! Sending a file to one person: ask for a place, upload, and complete it into their direct message. Needs the scope
//! `files:write`.
//!
//! Source: <https://docs.slack.dev/messaging/working-with-files>.

use bytes::Bytes;
use serde_json::json;
use url::Url;

use super::answer;
use super::error::classify_transport;
use super::{ApiError, Repeatable, SlackApi};

/// Where Slack takes uploads, by host.
const UPLOAD_HOSTS: [&str; 2] = ["files.slack.com", "files.slack-gov.com"];

/// A place for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadPlace {
    /// Where to upload it.
    url: String,
    /// What Slack calls it.
    file_id: String,
}

impl SlackApi {
    /// The direct message with a person. Needs the scope `im:write`.
    pub async fn open_direct(&self, user_id: &str) -> Result<String, ApiError> {
        let body = json!({ "users": user_id });
        let answer = self.write("conversations.open", &body, Repeatable::Yes).await?;
        answer.body["channel"]["id"].as_str().map(str::to_owned).ok_or(ApiError::Unknown)
    }

    /// A place for a file of so many bytes.
    pub async fn upload_place(&self, file_name: &str, bytes: usize) -> Result<UploadPlace, ApiError> {
        let length = bytes.to_string();
        let fields = [("filename", file_name), ("length", length.as_str())];
        let answer = self.read("files.getUploadURLExternal", &fields).await?;
        let text = |name: &str| answer.body[name].as_str().map(str::to_owned).ok_or(ApiError::Unknown);
        Ok(UploadPlace { url: text("upload_url")?, file_id: text("file_id")? })
    }

    /// Uploads it there. Only addresses of Slack, or of the configured API, are called, and without the token.
    pub async fn upload(&self, place: &UploadPlace, content: Bytes) -> Result<(), ApiError> {
        let url = Url::parse(&place.url).ok().filter(|url| self.takes_uploads(url));
        let url = url.ok_or_else(|| ApiError::Other { code: "upload_url_not_slack".into() })?;
        let sent =
            self.http.post(url).header("content-type", "application/octet-stream").body(content).send();
        let response = sent.await.map_err(|error| classify_transport(&error, self.proxy.as_ref()))?;
        answer::read_response_url(response).await
    }

    /// Completes an upload into a channel, with a line beside it, escaped already.
    pub async fn complete_upload(
        &self,
        place: &UploadPlace,
        (title, comment): (&str, &str),
        channel: &str,
    ) -> Result<(), ApiError> {
        let body = json!({
            "files": [{ "id": place.file_id, "title": title }],
            "channel_id": channel,
            "initial_comment": comment,
        });
        self.write("files.completeUploadExternal", &body, Repeatable::No).await.map(drop)
    }

    fn takes_uploads(&self, url: &Url) -> bool {
        let is_slack = url.scheme() == "https"
            && url.port().is_none()
            && url.host_str().is_some_and(|host| UPLOAD_HOSTS.contains(&host));
        is_slack || url.origin() == self.base_url.origin()
    }
}
