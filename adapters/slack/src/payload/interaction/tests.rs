use serde_json::json;

use super::super::test_support::{payload_form, verified};
use super::*;

fn parse(json: &str) -> Interaction {
    Interaction::parse(&payload_form(json)).unwrap()
}

fn click(json: &str) -> BlockActions {
    let Interaction::BlockActions(click) = parse(json) else { panic!("not a click") };
    *click
}

fn submission(json: &str) -> ViewSubmission {
    let Interaction::ViewSubmission(submission) = parse(json) else { panic!("not a submission") };
    *submission
}

fn sample() -> Value {
    serde_json::from_str(include_str!("../samples/block_actions.json")).unwrap()
}

fn who(workspace: &str, user: &str) -> Option<SlackIdentity> {
    Some(SlackIdentity { workspace: workspace.into(), user: user.into() })
}

fn surface() -> SurfaceName {
    SurfaceName::new("slack").unwrap()
}

/// R30, R46: whoever signs with another workspace's secret cannot take the key of a click of this one beforehand.
#[test]
fn another_workspace_has_keys_of_its_own() {
    let other = SurfaceName::new("elsewhere").unwrap();
    let click = click(include_str!("../samples/block_actions.json"));
    let [action] = click.actions() else { panic!() };
    assert_ne!(click.delivery_id(&surface(), action), click.delivery_id(&other, action));
    let submission = submission(include_str!("../samples/view_submission.json"));
    assert_ne!(submission.delivery_id(&surface()), submission.delivery_id(&other));
}

#[test]
fn a_recorded_click_is_parsed() {
    let click = click(include_str!("../samples/block_actions.json"));
    assert_eq!(click.identity(), who("T0PLACET01", "U0ANA00001"));
    assert_eq!(click.message_address(), Some(("C0OPS00001", "1793520000.000100")));
    let [action] = click.actions() else { panic!() };
    assert_eq!(action.action_id.as_deref(), Some("approve"));
    assert_eq!(action.value.as_deref(), Some("7Q4K-2M"));
    assert_eq!(
        click.delivery_id(&surface(), action).as_deref(),
        Some("slack/click/T0PLACET01/U0ANA00001/1793520007.482911/C0OPS00001/1793520000.000100/approve")
    );
    let metadata = click.message.unwrap().metadata.unwrap();
    assert_eq!(metadata.event_payload.unwrap()["attempt"], "0190c0de-attempt-1");
    assert!(click.trigger_id.is_some() && click.response_url.is_some());
}

#[test]
fn an_ephemeral_click_has_no_message() {
    let click = click(include_str!("../samples/block_actions_ephemeral.json"));
    assert_eq!(click.container.as_ref().unwrap().is_ephemeral, Some(true));
    assert!(click.message.is_none());
    assert_eq!(click.message_address(), Some(("C0OPS00001", "1793520060.000200")));
}

/// R30: a click where the app is installed for a whole organisation: `team` is null.
#[test]
fn a_click_in_an_org_wide_install_is_parsed() {
    let click = click(include_str!("../samples/block_actions_org_wide.json"));
    assert_eq!(click.team, None);
    assert_eq!(click.is_enterprise_install, Some(true));
    assert_eq!(click.identity(), who("E0EXAMPLE1", "W0CHEN0001"));
}

#[test]
fn the_users_workspace_counts_in_a_shared_channel() {
    let mut payload = sample();
    payload["user"]["team_id"] = "T0OTHER001".into();
    assert_eq!(click(&payload.to_string()).identity(), who("T0OTHER001", "U0ANA00001"));
    payload["user"]["team_id"] = Value::Null;
    assert_eq!(click(&payload.to_string()).identity(), None, "the app's workspace does not stand in");
}

#[test]
fn a_recorded_submission_is_parsed() {
    let submission = submission(include_str!("../samples/view_submission.json"));
    assert_eq!(submission.identity(), who("T0PLACET01", "U0BO000001"));
    let view = submission.view.as_ref().unwrap();
    assert_eq!(view.callback_id.as_deref(), Some("deny"));
    assert_eq!(view.private_metadata.as_deref(), Some("dialog-0190c0de"));
    assert_eq!(view.value("reason", "text"), Some("Not during the freeze."));
    assert_eq!(view.value("scope", "choice"), Some("once"));
    assert_eq!(view.value("note", "text"), None);
    assert_eq!(view.value("elsewhere", "text"), None);
    assert_eq!(view.app_installed_team_id.as_deref(), Some("T0PLACET01"));
}

#[test]
fn a_corrected_submission_is_another_delivery() {
    let mut payload: Value = serde_json::from_str(include_str!("../samples/view_submission.json")).unwrap();
    let first = submission(&payload.to_string()).delivery_id(&surface()).unwrap();
    assert_eq!(submission(&payload.to_string()).delivery_id(&surface()).unwrap(), first);
    payload["view"]["state"]["values"]["reason"]["text"]["value"] = "Wrong cluster.".into();
    assert_ne!(submission(&payload.to_string()).delivery_id(&surface()).unwrap(), first);
    assert!(!first.contains("freeze"));
}

#[test]
fn a_recorded_close_is_parsed() {
    let Interaction::ViewClosed(closed) = parse(include_str!("../samples/view_closed.json")) else {
        panic!()
    };
    assert_eq!(closed.is_cleared, Some(false));
    assert_eq!(closed.view.unwrap().private_metadata.as_deref(), Some("dialog-0190c0de"));
}

#[test]
fn other_kinds_are_named() {
    assert_eq!(parse(r#"{"type":"shortcut"}"#), Interaction::Other { kind: "shortcut".into() });
    assert_eq!(parse("{}"), Interaction::Other { kind: String::new() });
}

#[test]
fn bad_bodies_are_told_apart() {
    assert_eq!(Interaction::parse(&verified(b"payload=\xff\xfe")), Err(BadBody::NotUtf8));
    assert_eq!(Interaction::parse(&verified(b"payload=%ff")), Err(BadBody::NotUtf8));
    assert_eq!(Interaction::parse(&verified(b"{}")), Err(BadBody::NotForm));
    assert_eq!(Interaction::parse(&verified(b"payload={}&payload={}")), Err(BadBody::NotForm));
    assert_eq!(Interaction::parse(&verified(b"payload=nothing")), Err(BadBody::NotJson));
    assert_eq!(Interaction::parse(&verified(b"payload=[]")), Err(BadBody::NotJson));
}

/// Every member of the recorded click in turn is missing, null, or of another type: it still parses.
#[test]
fn no_single_member_breaks_a_click() {
    fn pointers(value: &Value, path: &str, into: &mut Vec<String>) {
        let children: Vec<(String, &Value)> = match value {
            Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
            Value::Array(elements) => {
                elements.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
            }
            _ => return,
        };
        for (key, child) in children {
            let path = format!("{path}/{key}");
            pointers(child, &path, into);
            into.push(path);
        }
    }
    let mut paths = Vec::new();
    pointers(&sample(), "", &mut paths);
    assert!(paths.len() > 50);
    for path in paths.iter().filter(|path| *path != "/type") {
        for strange in [Value::Null, json!(7), json!("x"), json!([1]), json!({ "new": 1 }), json!(true)] {
            let mut payload = sample();
            *payload.pointer_mut(path).unwrap() = strange;
            click(&payload.to_string());
        }
    }
}
