//! The application as a whole: built, used over HTTP, dropped and built again; and the commands.

mod app;
mod config;
mod demo;
mod policies;
mod soundness;
mod token;

use std::path::Path;
use std::sync::Arc;

use placet::id::TenantId;

use crate::settings::{Secrets, Settings};

/// Settings from text, in a folder.
fn settings_in(folder: &Path, text: &str) -> Settings {
    let environment = |name: &str| match name {
        "GRANT_KEY" => Some("07".repeat(32)),
        "SIGNING_SECRET" => Some("8f742231b10e8888abcd99yyyzzz85a5".to_owned()),
        "BOT_TOKEN" => Some("xoxb-1234567890-abcdefghij".to_owned()),
        _ => None,
    };
    Settings::parse(text, "placet.toml", Secrets::new(folder, &environment)).unwrap()
}

fn tenant(name: &str) -> TenantId {
    TenantId::new(name).unwrap()
}

fn shared<T>(value: T) -> Arc<T> {
    Arc::new(value)
}
