//! Questions that people ask an agent about its request (R46), and its answers. Neither is a decision, and the time to decide
//! goes on. An agent reads no names: who asks is for people.

use axum::Json;
use axum::extract::{Path, State};
use placet::approval::{Addressee, Approval, Question, Refusal, State as Stands};
use placet::card::Redactor;
use placet::id::RequestId;
use placet::ports::StoreError;
use serde_json::{Value, json};

use crate::body::{Fields, JsonBody};
use crate::credential::{Caller, Proposing};
use crate::limits::NOTE_CHARS_MAX;
use crate::parts::App;
use crate::problem::{Code, Problem, refused_vote};
use crate::query::Query;
use crate::requests::stranger;
use crate::view;

/// The questions to its agent, with their numbers among all that were asked.
fn to_agent(approval: &Approval) -> impl Iterator<Item = (u32, &Question)> {
    let questions = match &approval.state {
        Stands::WaitingApproval(waiting) => waiting.questions.as_slice(),
        _ => &[],
    };
    (1..).zip(questions).filter(|(_, question)| question.to == Addressee::Agent)
}

/// How many there are: one more ends a wait, so that an agent that waits for the decision learns of it at once.
pub(crate) fn count(approval: &Approval) -> usize {
    to_agent(approval).count()
}

/// The questions as the agent reads them; none where nothing was asked.
pub(crate) fn for_agent(approval: &Approval, redactor: &Redactor) -> Option<Value> {
    let hide = |text: &str| redactor.redact_text(text).text;
    let one = |(number, question): (u32, &Question)| {
        let mut told = json!({
            "number": number,
            "question": hide(&question.text),
            "asked_at": question.at.to_rfc3339(),
        });
        if let Some(answer) = &question.answer {
            told["answer"] = json!(hide(&answer.text));
        }
        told
    };
    let all: Vec<Value> = to_agent(approval).map(one).collect();
    (!all.is_empty()).then_some(Value::Array(all))
}

/// `POST /v1/requests/{id}/answer` {answer, question?}: what the agent says to a question, by its number; without one, to the
/// oldest that is open. Another agent's request is none to it.
pub(crate) async fn answer(
    State(app): State<App>,
    caller: Caller<Proposing>,
    (Path(id), query): (Path<String>, Query),
    JsonBody(body): JsonBody,
) -> Result<Json<Value>, Problem> {
    query.only(&[])?;
    let mut fields = Fields::of(body, &["answer", "question"])?;
    let text = fields.said("answer", NOTE_CHARS_MAX)?;
    let question = match fields.number("question")? {
        None => None,
        Some(number) => {
            let number =
                u32::try_from(number).map_err(|_| fields.invalid("question", "there are not so many"))?;
            Some(number)
        }
    };
    let by = caller.as_agent();
    let answered = match id.parse::<RequestId>() {
        Ok(id) => {
            let (tenant, agent) = (caller.tenant(), &caller.row().agent);
            app.gate.answer((tenant, id), agent, (by.clone(), question, text)).await
        }
        Err(_) => Err(StoreError::NotFound),
    };
    match answered {
        Ok((approval, Ok(_))) => Ok(Json(view::for_agent(&approval, app.gate.redactor()))),
        Ok((approval, Err(refusal))) => Err(refused(&approval, &refusal)),
        Err(fault) => Err(stranger(&app, &caller, (fault, by), ("answer", &id)).await),
    }
}

fn refused(approval: &Approval, refusal: &Refusal) -> Problem {
    let detail = match refusal {
        Refusal::NoOpenQuestion => {
            "there is no such question, or it was answered; read the request for those that are open"
        }
        Refusal::NotAskedOfYou => {
            "this question is for the person who asked for the call, and theirs to answer"
        }
        Refusal::AlreadyDecided { .. } | Refusal::OutOfOrder { .. } | Refusal::TooLate => {
            "nobody is asked about this request any more, so that no question about it is open"
        }
        other => return refused_vote(approval, other),
    };
    Problem::new(Code::OutOfOrder, detail).about(approval.id)
}
