//! The app's home, as each person sees it, and what Slack sends when they press something there.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::FakeSlack;
use super::clicks::form;
use super::reading::text_of_blocks;
use super::state::{APP_ID, BOT_ID, TEAM_ID};

/// A home that was published.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeTab {
    /// Its id, which stays.
    pub id: String,
    /// Its version, which does not.
    pub hash: String,
    /// What it shows.
    pub view: Value,
}

impl HomeTab {
    /// As its reader reads it.
    pub fn text(&self) -> String {
        text_of_blocks(self.blocks())
    }

    fn blocks(&self) -> &[Value] {
        self.view["blocks"].as_array().map_or(&[][..], Vec::as_slice)
    }

    /// The addresses in it.
    pub fn links(&self) -> Vec<String> {
        let lines = self.blocks().iter().flat_map(|block| block["elements"].as_array().into_iter().flatten());
        let elements = lines.flat_map(|line| line["elements"].as_array().into_iter().flatten());
        elements.filter_map(|element| element["url"].as_str().map(str::to_owned)).collect()
    }

    /// The button that says this and carries that.
    fn button(&self, words: &str, carried: &str) -> Result<(&Value, &Value)> {
        let of = |block: &'_ Value| block["block_id"].clone();
        let rows = self.blocks().iter().filter(|block| block["type"] == "actions");
        let mut all = rows.flat_map(|row| {
            row["elements"].as_array().into_iter().flatten().map(move |button| (row, button))
        });
        let is_it = |(_, button): &(&Value, &Value)| {
            let says = |name: &Value, words: &str| name.as_str().is_some_and(|text| text.contains(words));
            says(&button["text"]["text"], words) && says(&button["value"], carried)
        };
        let found = all.find(is_it).with_context(|| {
            let ids: Vec<_> = self.blocks().iter().map(of).collect();
            format!("no button {words} that carries {carried:?} among {ids:?} in:\n{}", self.text())
        })?;
        Ok((&found.0["block_id"], found.1))
    }

    /// The view object as the API gives it.
    pub(super) fn as_json(&self) -> Value {
        let mut shown = self.view.clone();
        let known = json!({ "id": self.id, "team_id": TEAM_ID, "hash": self.hash, "app_id": APP_ID,
            "app_installed_team_id": TEAM_ID, "bot_id": BOT_ID, "root_view_id": self.id,
            "previous_view_id": null, "state": { "values": {} } });
        for (key, value) in known.as_object().into_iter().flatten() {
            shown[key] = value.clone();
        }
        for key in ["private_metadata", "callback_id", "external_id"] {
            if shown[key].is_null() {
                shown[key] = "".into();
            }
        }
        shown
    }
}

impl FakeSlack {
    /// The home that somebody sees.
    ///
    /// # Errors
    /// If none was published.
    pub fn home_tab(&self, user: &str) -> Result<HomeTab> {
        match self.state().homes.get(user) {
            Some(home) => Ok(home.clone()),
            None => bail!("no home was published for {user}"),
        }
    }

    /// The same, as they read it.
    ///
    /// # Errors
    /// If none was published.
    pub fn home(&self, user: &str) -> Result<String> {
        Ok(self.home_tab(user)?.text())
    }

    /// Waits until somebody's home reads like this.
    ///
    /// # Errors
    /// If it does not in time.
    pub async fn home_reads(&self, user: &str, words: &str) -> Result<String> {
        self.home_becomes(user, words, |text| text.contains(words)).await
    }

    /// Waits until somebody's home no longer reads like this.
    ///
    /// # Errors
    /// If it does not in time.
    pub async fn home_loses(&self, user: &str, words: &str) -> Result<String> {
        self.home_becomes(user, &format!("no {words}"), |text| !text.contains(words)).await
    }

    /// Another process with the same token publishes a home.
    ///
    /// # Errors
    /// If Slack does not take it.
    pub fn publishes_home(&self, user: &str, view: &Value) -> Result<()> {
        let arguments = json!({ "user_id": user, "view": view });
        let published = super::methods::call(&mut self.state(), "views.publish", &arguments);
        published.map(drop).map_err(|refusal| anyhow::anyhow!("{refusal:?}"))
    }

    async fn home_becomes(&self, user: &str, what: &str, is_wished: impl Fn(&str) -> bool) -> Result<String> {
        self.wait(&format!("{what:?} in the home of {user}"), |state| {
            Some(state.homes.get(user)?.text()).filter(|text| is_wished(text))
        })
        .await
    }

    /// The form body of a click on the button of a home that says this and carries that, with a fresh trigger. There is no
    /// message and no channel.
    ///
    /// # Errors
    /// If there is no such button.
    pub fn home_click_payload(&self, user: &str, words: &str, carried: &str) -> Result<String> {
        let home = self.home_tab(user)?;
        let (block_id, button) = home.button(words, carried)?;
        let mut state = self.state();
        let action = json!({ "action_id": button["action_id"], "block_id": block_id, "value": button["value"],
            "text": button["text"], "type": "button", "action_ts": state.next_ts() });
        let mut payload = state.payload("block_actions", user);
        payload["container"] = json!({ "type": "view", "view_id": home.id });
        payload["view"] = home.as_json();
        payload["actions"] = json!([action]);
        Ok(form(&[("payload", &payload.to_string())]))
    }
}
