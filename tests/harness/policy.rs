//! The policy and the people of the desk.

use crate::fake_slack::TEAM_ID;

/// Who may do what, at the desk. Ana asks; Bo, Chen and Dana are admins; Fay is finance; Vic is a viewer; Sam is an
/// operator who may revoke and settle.
#[must_use]
pub fn desk_policy(channel: &str) -> String {
    let people = [
        ("ana", "Ana", "\"member\""),
        ("bo", "Bo", "\"admin\""),
        ("chen", "Chen", "\"admin\""),
        ("dana", "Dana", "\"admin\""),
        ("fay", "Fay", "\"finance\""),
        ("vic", "Vic", "\"viewer\""),
        ("sam", "Sam", "\"operator\""),
    ];
    let mut text = format!(
        r#"version = "desk"
places = [{{ surface = "slack", channel = "{channel}" }}]

[levels.low]
tier = "auto"

[levels.medium]
tier = "suggest"

[levels.high]
tier = "approve"
role = "admin"
decide_within = "30m"
valid_for = "10m"
alarm_after = "10m"

[levels.critical]
tier = "approve"
role = "admin"
count = 2
decide_within = "30m"
valid_for = "10m"
alarm_after = "10m"

[[forbid]]
name = "never"
tools = ["drop_*"]
because = "Tables are dropped by migrations only."

[[rule]]
name = "reads"
tools = ["get_*", "read_*", "add"]
level = "low"

[[rule]]
name = "notes"
tools = ["write_note"]
level = "medium"
because = "It changes little."

[[rule]]
name = "deploys"
tools = ["deploy"]
level = "critical"
because = "It changes what customers use."

[[rule]]
name = "deletes"
tools = ["delete_*"]
level = "high"
because = "Deleting cannot be undone."

[default]
level = "high"
role = "admin"
because = "No rule of the policy knows this tool."

# One desk asks more within an hour of the machine's time than people would want to be asked.
[fatigue]
cards_per_run = 10000
cards_per_hour = 10000

[tools.delete_file]
title = "Delete {{path}}"
effect = "Cannot be undone."
leading_args = ["path"]

[roles]
stewards = ["operator"]
names = ["member", "finance", "viewer"]
"#
    );
    for (id, name, roles) in people {
        let user = slack_user(id);
        text.push_str(&format!(
            "\n[[people]]\nid = \"{id}\"\nname = \"{name}\"\nroles = [{roles}]\nslack = [\"{TEAM_ID}/{user}\"]\ncredentials = [\"{id}-console\"]\n"
        ));
    }
    text
}

/// A person's id in the fake workspace.
#[must_use]
pub fn slack_user(name: &str) -> String {
    format!("U{:0>9}", name.to_uppercase())
}
