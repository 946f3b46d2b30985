//! Slash commands.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{BadBody, Enveloped, form, tolerant};
use crate::identity::SlackIdentity;
use crate::signature::Verified;

/// What comes to the address of slash commands.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Somebody typed a command.
    Slash(Box<SlashCommand>),
    /// Slack looks at the certificate: answer 200 and do nothing.
    SslCheck,
}

/// A typed command. Ids are Slack's.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SlashCommand {
    /// With its slash, such as `/placet`.
    pub command: Option<String>,
    /// What was typed behind it, escaped as mrkdwn.
    pub text: Option<String>,
    /// Who typed it.
    pub user_id: Option<String>,
    /// The workspace.
    pub team_id: Option<String>,
    /// The enterprise of the workspace.
    pub enterprise_id: Option<String>,
    /// Whether the app is installed for the whole enterprise; Slack sends the string `"true"`.
    #[serde(deserialize_with = "tolerant::flag")]
    pub is_enterprise_install: bool,
    /// Where it was typed.
    pub channel_id: Option<String>,
    /// Takes up to five answers within thirty minutes.
    pub response_url: Option<String>,
    /// Opens one dialog within three seconds.
    pub trigger_id: Option<String>,
    /// The app.
    pub api_app_id: Option<String>,
}

impl Command {
    /// Parses a verified body.
    pub fn parse(verified: &Verified) -> Result<Self, BadBody> {
        let fields = form::fields(verified.body())?;
        if form::is_ssl_check(verified.body()) {
            return Ok(Self::SslCheck);
        }
        let mut object = Map::new();
        for (name, value) in fields {
            if object.insert(name, Value::String(value)).is_some() {
                return Err(BadBody::NotForm);
            }
        }
        Self::from_object(object).ok_or(BadBody::NotForm)
    }

    /// Parses what came in an envelope: the fields of the form as an object.
    pub fn enveloped(payload: &Enveloped) -> Result<Self, BadBody> {
        let mut object = payload.0.as_object().cloned().ok_or(BadBody::NotJson)?;
        // Fields are texts, and one flag; what is neither counts as missing.
        object.retain(|_, value| value.is_string() || value.is_boolean());
        Self::from_object(object).ok_or(BadBody::NotJson)
    }

    fn from_object(object: Map<String, Value>) -> Option<Self> {
        object.contains_key("command").then_some(())?;
        serde_json::from_value(Value::Object(object)).ok().map(Box::new).map(Self::Slash)
    }
}

impl SlashCommand {
    /// Who typed it: never a name.
    pub fn identity(&self) -> Option<SlackIdentity> {
        let workspace =
            [&self.team_id, &self.enterprise_id].into_iter().flatten().find(|id| !id.is_empty())?;
        let user = self.user_id.as_ref().filter(|id| !id.is_empty())?;
        Some(SlackIdentity { workspace: workspace.clone(), user: user.clone() })
    }
}

/// The user id in a mention, `<@U123>` or `<@U123|name>`; nothing else may stand beside it.
pub fn mentioned_user(word: &str) -> Option<&str> {
    let inner = word.strip_prefix("<@")?.strip_suffix('>')?;
    let id = inner.split_once('|').map_or(inner, |(id, _name)| id);
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_id.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::super::test_support::verified;
    use super::*;

    const SAMPLE: &str = "token=unused&team_id=T0PLACET01&team_domain=example&enterprise_id=E0EXAMPLE1\
        &enterprise_name=Example&is_enterprise_install=true&channel_id=C0OPS00001&channel_name=ops\
        &user_id=U0ANA00001&user_name=ana&command=%2Fplacet&text=audit+%3C%40U0BO000001%7Cbo%3E\
        &api_app_id=A0PLACET01&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT0PLACET01%2F1%2Fx\
        &trigger_id=1.2.abc&a_new_field=1";

    #[test]
    fn a_recorded_command_is_parsed() {
        let Command::Slash(command) = Command::parse(&verified(SAMPLE.as_bytes())).unwrap() else { panic!() };
        assert_eq!(command.command.as_deref(), Some("/placet"));
        assert_eq!(command.text.as_deref(), Some("audit <@U0BO000001|bo>"));
        assert!(command.is_enterprise_install);
        let identity = command.identity().unwrap();
        assert_eq!((identity.workspace.as_str(), identity.user.as_str()), ("T0PLACET01", "U0ANA00001"));
        assert_eq!(command.response_url.as_deref(), Some("https://hooks.slack.com/commands/T0PLACET01/1/x"));
    }

    #[test]
    fn a_probe_and_bad_forms_are_told_apart() {
        assert_eq!(Command::parse(&verified(b"ssl_check=1&token=x")).unwrap(), Command::SslCheck);
        assert_eq!(Command::parse(&verified(b"command=%ff")), Err(BadBody::NotUtf8));
        assert_eq!(Command::parse(&verified(b"{}")), Err(BadBody::NotForm));
        assert_eq!(Command::parse(&verified(b"command=a&command=b")), Err(BadBody::NotForm));
    }

    #[test]
    fn without_a_workspace_the_enterprise_stands() {
        let body = b"command=%2Fplacet&user_id=W1&team_id=&enterprise_id=E1";
        let Command::Slash(command) = Command::parse(&verified(body)).unwrap() else { panic!() };
        assert_eq!(command.identity(), Some(SlackIdentity { workspace: "E1".into(), user: "W1".into() }));
    }

    #[test]
    fn mentions_give_ids() {
        assert_eq!(mentioned_user("<@U123|name>"), Some("U123"));
        assert_eq!(mentioned_user("<@U123>"), Some("U123"));
        for other in ["@name", "<@>", "<@u1>", "<#C1>", "<@U1> x", "<@U1|a", "<!channel>"] {
            assert_eq!(mentioned_user(other), None, "{other}");
        }
    }
}
