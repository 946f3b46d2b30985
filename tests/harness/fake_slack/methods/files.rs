//! Files: a place, the upload, and its completion into a channel.

use serde_json::{Value, json};

use super::super::state::{BOT_USER_ID, File, News, State, Upload};
use super::chat::writable_channel;
use super::{Answer, Refusal, need_scope, text};

/// The most bytes of one file.
const FILE_BYTES_MAX: usize = 1 << 30;

pub(super) fn place(state: &mut State, arguments: &Value) -> Answer {
    need_scope(state, &["files:write"])?;
    let name = text(arguments, "filename").ok_or_else(|| Refusal::code("invalid_arguments"))?.to_owned();
    let length = text(arguments, "length").and_then(|length| length.parse().ok());
    let length: usize = length.ok_or_else(|| Refusal::code("invalid_arguments"))?;
    if length == 0 || length > FILE_BYTES_MAX {
        return Err(Refusal::code("file_upload_size_restricted"));
    }
    let id = format!("F{:09}", state.next_serial());
    state.uploads.insert(id.clone(), Upload { name, length, content: None });
    Ok(json!({ "file_id": id, "upload_url": format!("{}/upload/{id}", state.origin) }))
}

/// The upload itself, which carries no token.
pub(crate) fn upload(state: &mut State, id: &str, content: &[u8]) -> Answer {
    let upload = state.uploads.get_mut(id).ok_or_else(|| Refusal::not_found("file_not_found"))?;
    if content.len() != upload.length {
        return Err(Refusal::code("length_mismatch"));
    }
    upload.content = Some(content.to_vec());
    Ok(json!({}))
}

pub(super) fn complete(state: &mut State, arguments: &Value) -> Answer {
    need_scope(state, &["files:write"])?;
    let files = arguments["files"].as_array().filter(|files| !files.is_empty());
    let files = files.ok_or_else(|| Refusal::code("invalid_arguments"))?;
    let mut shared = Vec::new();
    for file in files {
        let id = text(file, "id").ok_or_else(|| Refusal::code("invalid_arguments"))?;
        let upload = state.uploads.remove(id).ok_or_else(|| Refusal::code("file_not_found"))?;
        let content = upload.content.ok_or_else(|| Refusal::code("file_not_found"))?;
        shared.push(File { name: upload.name, content });
    }
    // Here a user's id is no direct message.
    let wanted = text(arguments, "channel_id").unwrap_or_default();
    if state.people.contains_key(wanted) {
        return Err(Refusal::code("channel_not_found"));
    }
    let channel = writable_channel(state, &json!({ "channel": wanted }))?;
    let comment = text(arguments, "initial_comment").unwrap_or_default().to_owned();
    let mut message = state.new_message(&channel, BOT_USER_ID, &comment);
    message.files = shared;
    state.unread.push(News::Posted { channel: channel.clone(), ts: message.ts.clone() });
    if let Some(channel) = state.channels.get_mut(&channel) {
        channel.messages.push(message);
    }
    Ok(json!({ "files": arguments["files"] }))
}
