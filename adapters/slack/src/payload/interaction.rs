//! Interactions: clicks on buttons, submitted and closed dialogs.

use std::collections::BTreeMap;

use placet::id::SurfaceName;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{BadBody, Enveloped, form, json, tolerant};
use crate::identity::SlackIdentity;
use crate::signature::Verified;

/// What somebody did.
#[derive(Debug, Clone, PartialEq)]
pub enum Interaction {
    /// Pressed a button or used another element.
    BlockActions(Box<BlockActions>),
    /// Submitted a dialog.
    ViewSubmission(Box<ViewSubmission>),
    /// Closed a dialog that asked to be told.
    ViewClosed(Box<ViewClosed>),
    /// Anything else: answer 200.
    Other {
        /// Its `type`, empty where there is none.
        kind: String,
    },
}

impl Interaction {
    /// Parses a verified body: a form whose field `payload` holds JSON.
    pub fn parse(verified: &Verified) -> Result<Self, BadBody> {
        Self::from_json(&form::sole_field(verified.body(), "payload")?)
    }

    /// Parses the JSON of one payload, as the form carries it.
    fn from_json(json: &str) -> Result<Self, BadBody> {
        Self::from_value(json::read(json)?)
    }

    /// Parses what came in an envelope: the payload itself.
    pub fn enveloped(payload: &Enveloped) -> Result<Self, BadBody> {
        Self::from_value(payload.0.clone())
    }

    fn from_value(value: Value) -> Result<Self, BadBody> {
        if !value.is_object() {
            return Err(BadBody::NotJson);
        }
        let kind = value["type"].as_str().unwrap_or_default().to_owned();
        let parsed = match kind.as_str() {
            "block_actions" => serde_json::from_value(value).map(Self::BlockActions),
            "view_submission" => serde_json::from_value(value).map(Self::ViewSubmission),
            "view_closed" => serde_json::from_value(value).map(Self::ViewClosed),
            _ => Ok(Self::Other { kind }),
        };
        parsed.map_err(|_| BadBody::NotJson)
    }
}

/// Defines a struct all of whose members are tolerant options, with docs.
macro_rules! tolerant_struct {
    ($(#[$meta:meta])* $name:ident { $($(#[$member_meta:meta])* $member:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[$member_meta])* #[serde(deserialize_with = "tolerant::option")] pub $member: Option<$type>,)*
        }
    };
}

tolerant_struct! {
    /// Somebody.
    User {
        /// The user id.
        id: String,
        /// The workspace of the user, which in a shared channel is not the app's.
        team_id: String,
        /// For logs and texts; decides nothing.
        username: String,
        /// As `username`, in newer payloads.
        name: String,
    }
}

tolerant_struct! {
    /// The workspace where the app was used; null for an app that is installed for a whole enterprise.
    Team {
        /// The workspace id.
        id: String,
        /// Its part of the address.
        domain: String,
    }
}

tolerant_struct! {
    /// Something with an id and a name.
    Named {
        /// The id.
        id: String,
        /// The name.
        name: String,
    }
}

/// A channel.
pub type Channel = Named;

tolerant_struct! {
    /// What the pressed element stood in.
    Container {
        /// The kind of container.
        r#type: String,
        /// The message.
        message_ts: String,
        /// The channel of the message.
        channel_id: String,
        /// Whether only one person sees the message.
        is_ephemeral: bool,
        /// The parent, where the message stands in a thread.
        thread_ts: String,
        /// The dialog, where the element stood in one.
        view_id: String,
    }
}

tolerant_struct! {
    /// What an app attached to a message for itself.
    Metadata {
        /// What kind of data.
        event_type: String,
        /// The data.
        event_payload: Value,
    }
}

tolerant_struct! {
    /// The message as it was when the element was used; ephemeral messages are not sent along.
    Message {
        /// Its timestamp, which is its id within the channel.
        ts: String,
        /// The parent, where it stands in a thread.
        thread_ts: String,
        /// Who wrote it.
        user: String,
        /// Which bot wrote it.
        bot_id: String,
        /// Which app wrote it.
        app_id: String,
        /// What notifications show of it, escaped.
        text: String,
        /// What the app attached.
        metadata: Metadata,
    }
}

tolerant_struct! {
    /// One use of one element.
    Action {
        /// Which element.
        action_id: String,
        /// In which block.
        block_id: String,
        /// What the button carries.
        value: String,
        /// What was chosen in a menu.
        selected_option: Selected,
        /// The kind of element.
        r#type: String,
        /// When, unique for each use.
        action_ts: String,
    }
}

tolerant_struct! {
    /// The value of one element of a dialog.
    Field {
        /// The kind of element.
        r#type: String,
        /// What was written.
        value: String,
        /// The chosen option.
        selected_option: Selected,
    }
}

tolerant_struct! {
    /// A chosen option.
    Selected {
        /// Its value.
        value: String,
    }
}

impl Action {
    /// What the button carries, or what was chosen in the menu.
    pub fn chosen(&self) -> Option<&str> {
        self.value.as_deref().or_else(|| self.selected_option.as_ref()?.value.as_deref())
    }
}

/// The values of a dialog's inputs; read them with [`View::value`].
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ViewState {
    #[serde(deserialize_with = "values")]
    values: BTreeMap<String, BTreeMap<String, Field>>,
}

/// As `tolerant::option`, per block and element.
fn values<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, BTreeMap<String, Field>>, D::Error> {
    let Value::Object(blocks) = Value::deserialize(deserializer)? else { return Ok(BTreeMap::new()) };
    let mut values: BTreeMap<String, BTreeMap<String, Field>> = BTreeMap::new();
    for (block_id, elements) in blocks {
        let Value::Object(elements) = elements else { continue };
        let elements = elements
            .into_iter()
            .filter_map(|(action_id, field)| Some((action_id, serde_json::from_value(field).ok()?)));
        values.entry(block_id).or_default().extend(elements);
    }
    Ok(values)
}

tolerant_struct! {
    /// A dialog.
    View {
        /// Its id.
        id: String,
        /// `modal`, or `home`.
        r#type: String,
        /// Its version: an update that names an older one is refused.
        hash: String,
        /// Which dialog this is.
        callback_id: String,
        /// The opaque id that the app put there.
        private_metadata: String,
        /// The workspace whose token speaks for the app.
        app_installed_team_id: String,
        /// The first dialog of the stack.
        root_view_id: String,
        /// The dialog below.
        previous_view_id: String,
        /// What was entered.
        state: ViewState,
    }
}

impl View {
    /// What was written into, or chosen in, the element.
    pub fn value(&self, block_id: &str, action_id: &str) -> Option<&str> {
        let field = self.state.as_ref()?.values.get(block_id)?.get(action_id)?;
        field.value.as_deref().or_else(|| field.selected_option.as_ref()?.value.as_deref())
    }

    /// The block of one of its fields: where what is about the whole dialog can be told.
    pub fn first_block(&self) -> Option<&str> {
        self.state.as_ref()?.values.keys().next().map(String::as_str)
    }

    /// Tells what was entered from what else might be, without holding it.
    fn values_digest(&self) -> String {
        let values = self.state.as_ref().map(|state| format!("{:?}", state.values)).unwrap_or_default();
        hex::encode(&Sha256::digest(values)[..16])
    }
}

/// Defines one kind of interaction with the members that all have.
macro_rules! interaction_struct {
    ($(#[$meta:meta])* $name:ident { $($(#[$member_meta:meta])* $member:ident: $type:ty,)* }) => {
        tolerant_struct! {
            $(#[$meta])*
            $name {
                /// Who did it.
                user: User,
                /// Where the app was used.
                team: Team,
                /// The enterprise of that workspace.
                enterprise: Named,
                /// Whether the app is installed for the whole enterprise.
                is_enterprise_install: bool,
                /// The app.
                api_app_id: String,
                /// Opens one dialog within three seconds.
                trigger_id: String,
                $($(#[$member_meta])* $member: $type,)*
            }
        }

        impl $name {
            /// Who did it: the user's workspace, or the enterprise where none is named, and the user id. The
            /// workspace where the app was used does not stand in: in a shared channel it is not the user's.
            pub fn identity(&self) -> Option<SlackIdentity> {
                identity(self.user.as_ref()?, self.enterprise.as_ref())
            }
        }
    };
}

fn identity(user: &User, enterprise: Option<&Named>) -> Option<SlackIdentity> {
    let enterprise_id = enterprise.and_then(|enterprise| enterprise.id.as_ref());
    let workspace = [user.team_id.as_ref(), enterprise_id].into_iter().flatten().find(|id| !id.is_empty())?;
    let user = user.id.as_ref().filter(|id| !id.is_empty())?;
    Some(SlackIdentity { workspace: workspace.clone(), user: user.clone() })
}

interaction_struct! {
    /// Somebody pressed a button or used another element.
    BlockActions {
        /// What the element stood in.
        container: Container,
        /// Where.
        channel: Channel,
        /// The message, unless it is ephemeral.
        message: Message,
        /// The dialog, where the element stood in one.
        view: View,
        /// Takes up to five answers within thirty minutes; the only way to change an ephemeral message.
        response_url: String,
        /// What was used; use [`BlockActions::actions`].
        actions: Actions,
    }
}

/// The used elements; those that cannot be read are left out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Actions(#[serde(deserialize_with = "tolerant::list")] Vec<Action>);

impl BlockActions {
    /// What was used, mostly one element.
    pub fn actions(&self) -> &[Action] {
        self.actions.as_ref().map_or(&[], |actions| &actions.0)
    }

    /// The channel and timestamp of the message that was clicked.
    pub fn message_address(&self) -> Option<(&str, &str)> {
        let container = self.container.as_ref();
        let channel = container
            .and_then(|container| container.channel_id.as_deref())
            .or_else(|| self.channel.as_ref()?.id.as_deref())?;
        let ts = container
            .and_then(|container| container.message_ts.as_deref())
            .or_else(|| self.message.as_ref()?.ts.as_deref())?;
        Some((channel, ts))
    }

    /// The same for every delivery of the same use of `action`, and for no other. It holds by whose secret the click was
    /// signed, so that no other workspace can take it before.
    pub fn delivery_id(&self, surface: &SurfaceName, action: &Action) -> Option<String> {
        let SlackIdentity { workspace, user } = self.identity()?;
        let (channel, ts) = self.message_address().unwrap_or_default();
        let (used_at, action_id) = (action.action_ts.as_deref()?, action.action_id.as_deref()?);
        Some(format!("{surface}/click/{workspace}/{user}/{used_at}/{channel}/{ts}/{action_id}"))
    }
}

interaction_struct! {
    /// Somebody submitted a dialog.
    ViewSubmission {
        /// The dialog with what was entered.
        view: View,
    }
}

impl ViewSubmission {
    /// The same for every delivery of the same submission. A submission that was answered with errors and then
    /// corrected is another one.
    pub fn delivery_id(&self, surface: &SurfaceName) -> Option<String> {
        let SlackIdentity { workspace, user } = self.identity()?;
        let view = self.view.as_ref()?;
        let (id, hash) = (view.id.as_deref()?, view.hash.as_deref().unwrap_or_default());
        Some(format!("{surface}/submission/{workspace}/{user}/{id}/{hash}/{}", view.values_digest()))
    }
}

interaction_struct! {
    /// Somebody closed a dialog.
    ViewClosed {
        /// The dialog.
        view: View,
        /// Whether the whole stack was closed.
        is_cleared: bool,
    }
}

#[cfg(test)]
mod tests;
