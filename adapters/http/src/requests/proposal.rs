//! The body of a proposal. Who asks comes from the credential; everything else in it is the agent's claim.

use placet::approval::{Evidence, Proposal, Requester, RunStep};
use placet::call::{CanonicalArgs, ToolCall};
use placet::id::{RunId, ServerName, SessionId, StepId, ToolName};
use placet::inbound::MessageRef;
use placet::person::Identity;
use placet::policy::OWN_SERVER;
use placet::time::Ttl;
use serde_json::Value;

use crate::body::Fields;
use crate::credential::{Principal, name_of};
use crate::limits::{
    EVIDENCE_EXCERPT_CHARS_MAX, EVIDENCE_MAX, EVIDENCE_TITLE_CHARS_MAX, EVIDENCE_URI_CHARS_MAX,
    IF_DENIED_CHARS_MAX, NAME_CHARS_MAX, PREVIEW_CHARS_MAX, REASON_CHARS_MAX, TASK_CHARS_MAX, TIMEOUT_MIN,
};
use crate::parts::App;
use crate::problem::{Code, Problem};

const FIELDS: [&str; 16] = [
    "tool",
    "server",
    "args",
    "run",
    "session",
    "task",
    "reason",
    "evidence",
    "preview",
    "if_denied",
    "prompt_version",
    "on_behalf_of",
    "place",
    "thread",
    "timeout",
    "ask_again",
];

/// Fields that nobody has by mistake: each claims a right, a verdict or an identity.
const FORGERIES: [&str; 14] = [
    "agent",
    "agent_id",
    "approval",
    "approved",
    "approver",
    "approver_id",
    "credential",
    "level",
    "requested_by",
    "requester",
    "risk",
    "role",
    "tenant",
    "tier",
];

/// The first field of a body that claims what only a credential or the policy can say.
pub(super) fn forged(body: &Value) -> Option<String> {
    let fields = body.as_object()?;
    fields.keys().find(|name| FORGERIES.contains(&name.to_ascii_lowercase().as_str())).cloned()
}

/// Reads a proposal.
pub(super) fn read(body: Value, caller: &Principal, app: &App) -> Result<Proposal, Problem> {
    let mut fields = Fields::of(body, &FIELDS)?;
    fields.all_of(&["tool", "args", "task", "reason"])?;
    let call = call(&mut fields, caller)?;
    let timeout = fields.parsed::<Ttl>("timeout")?;
    if timeout.is_some_and(|timeout| timeout < TIMEOUT_MIN) {
        return Err(fields.invalid("timeout", &format!("people need at least {TIMEOUT_MIN}")));
    }
    Ok(Proposal {
        call,
        requester: requester(&mut fields, caller, app)?,
        run: run(&mut fields)?,
        session: fields.parsed::<SessionId>("session")?,
        task: fields.said("task", TASK_CHARS_MAX)?,
        reason: fields.said("reason", REASON_CHARS_MAX)?,
        evidence: evidence(&mut fields)?,
        preview: fields.text("preview", PREVIEW_CHARS_MAX)?,
        if_denied: fields.text("if_denied", IF_DENIED_CHARS_MAX)?,
        prompt_version: fields.text("prompt_version", NAME_CHARS_MAX)?,
        place: fields.text("place", NAME_CHARS_MAX)?,
        thread: thread(&mut fields)?,
        timeout,
        follows: None,
        ask_again: fields.boolean("ask_again")?.unwrap_or(false),
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    })
}

fn call(fields: &mut Fields, caller: &Principal) -> Result<ToolCall, Problem> {
    let (server, tool, args) = presented(fields)?;
    Ok(ToolCall {
        agent: caller.row().agent.clone(),
        server,
        tool,
        tool_schema_hash: None,
        args,
        preconditions: std::collections::BTreeMap::new(),
    })
}

/// Tool, server and arguments, as a proposer and as a claimant present them.
pub(crate) fn presented(
    fields: &mut Fields,
) -> Result<(Option<ServerName>, ToolName, CanonicalArgs), Problem> {
    let tool = fields.parsed::<ToolName>("tool")?;
    let tool = fields.needed("tool", tool)?;
    let server = fields.parsed::<ServerName>("server")?;
    if server.as_ref().is_some_and(|server| server.as_str().eq_ignore_ascii_case(OWN_SERVER)) {
        let detail = "no server of yours may be called `placet`: what Placet itself asks people about goes by that name; call \
                      it otherwise";
        return Err(Problem::new(Code::ReservedServer, detail).at("server"));
    }
    Ok((server, tool, args(fields)?))
}

/// Arguments; where they are wrong, the place within them is told.
pub(crate) fn args(fields: &mut Fields) -> Result<CanonicalArgs, Problem> {
    let args = fields.value("args");
    let args = fields.needed("args", args)?;
    CanonicalArgs::from_value(&args).map_err(|fault| {
        let at = fault.path().map(|path| path.to_string().replacen('$', "args", 1));
        Problem::from(fault).at(at.unwrap_or_else(|| "args".to_owned()))
    })
}

fn run(fields: &mut Fields) -> Result<Option<RunStep>, Problem> {
    let Some(mut run) = fields.object("run", &["id", "step"])? else { return Ok(None) };
    run.all_of(&["id", "step"])?;
    let (id, step) = (run.parsed::<RunId>("id")?, run.parsed::<StepId>("step")?);
    Ok(Some(RunStep { run: run.needed("id", id)?, step: run.needed("step", step)? }))
}

/// The thread that the task came from: `{"channel": …, "ts": …}`, by the surface's own names.
fn thread(fields: &mut Fields) -> Result<Option<MessageRef>, Problem> {
    let Some(mut thread) = fields.object("thread", &["channel", "ts"])? else { return Ok(None) };
    thread.all_of(&["channel", "ts"])?;
    let channel = thread.text("channel", NAME_CHARS_MAX)?;
    let id = thread.text("ts", NAME_CHARS_MAX)?;
    Ok(Some(MessageRef { channel: thread.needed("channel", channel)?, id: thread.needed("ts", id)? }))
}

fn evidence(fields: &mut Fields) -> Result<Vec<Evidence>, Problem> {
    let pieces = fields.list("evidence", EVIDENCE_MAX, &["id", "title", "uri", "excerpt"])?;
    pieces
        .into_iter()
        .map(|mut piece| {
            piece.all_of(&["id", "title"])?;
            Ok(Evidence {
                id: piece.said("id", EVIDENCE_TITLE_CHARS_MAX)?,
                title: piece.said("title", EVIDENCE_TITLE_CHARS_MAX)?,
                uri: piece.text("uri", EVIDENCE_URI_CHARS_MAX)?,
                excerpt: piece.text("excerpt", EVIDENCE_EXCERPT_CHARS_MAX)?,
            })
        })
        .collect()
}

fn requester(fields: &mut Fields, caller: &Principal, app: &App) -> Result<Requester, Problem> {
    let mut requester = caller.requester(app)?;
    let Some(behind) = fields.parsed::<Identity>("on_behalf_of")? else { return Ok(requester) };
    if !caller.row().may_act_for_others {
        return Err(Problem::new(
            Code::OnBehalfOfNotTrusted,
            "this credential is not trusted to say on whose behalf it acts; leave `on_behalf_of` out, or use one that is",
        )
        .at("on_behalf_of"));
    }
    let name = name_of(app, caller.tenant(), &behind).unwrap_or_else(|| behind.to_string());
    requester.shown_as = name;
    requester.identities.push(behind);
    Ok(requester)
}
