//! `placet demo` (R12): an agent, a risky call, a yes and a no. No keys, no network, nothing but the program: a
//! temporary folder, a temporary database, a scripted model.
//!
//! Two sessions, each asked to clean up the same fresh folder. Where the deletion is approved the file is gone; where
//! it is denied the file stays, and the agent says so and writes a note of what it would have deleted.

mod account;
mod input;
mod stage;
mod telling;

use std::io::{BufRead, Write};

use anyhow::Context as _;
use placet::agent::event::{AgentEvent, AgentEventKind};
use placet::agent::{Phase, RunState};
use placet::id::RequestId;
use placet::policy::Tier;
use placet::ports::AgentStore as _;
use placet::time::Ttl;
use placet_terminal::Decided;

use input::Ended;
use stage::Stage;
use telling::Teller;

/// What the agent is asked, in each session.
const TASK: &str = "Please clean up old files in the project.";

/// The reason of the yes.
const YES: &str = "It is a scratch file, nobody needs it";

/// The reason of the no.
const NO: &str = "Keep it until the audit is over";

/// Events that are read at once.
const AT_ONCE: u32 = 200;

/// How long a lost hint can go unnoticed.
const REREAD_EVERY: Ttl = Ttl::from_secs(5);

/// Who answers.
pub enum Answers {
    /// A script: yes in the first session, no in the second.
    Scripted,
    /// Somebody at a terminal.
    Asked {
        /// What they type.
        input: Box<dyn BufRead + Send>,
        /// Where cards and questions are printed.
        output: Box<dyn Write + Send>,
    },
}

impl Answers {
    /// Whoever sits at the terminal of this process.
    #[must_use]
    pub fn here() -> Self {
        Self::Asked {
            input: Box::new(std::io::BufReader::new(std::io::stdin())),
            output: Box::new(std::io::stdout()),
        }
    }
}

/// Runs the demonstration. True if all came as it should: what was approved was done, what was denied was not, and the
/// agent took the alternative.
///
/// # Errors
/// Something of the machine did not work: no temporary folder, nothing to print on.
pub async fn run(answers: Answers, out: &mut (dyn Write + Send)) -> anyhow::Result<bool> {
    let scripted = matches!(answers, Answers::Scripted);
    writeln!(out, "Placet: an agent wants to clean up a folder, and may not delete anything without a yes.")?;
    writeln!(
        out,
        "Profile solo: the agent is yours, so you may approve what it asks for; each card says so."
    )?;
    let (stage, ended) = match answers {
        Answers::Scripted => {
            let lines =
                vec![Decided::yes(stage::DELETE, YES).for_the(1), Decided::no(stage::DELETE, NO).for_the(2)];
            (Stage::scripted(lines).await?, Ended::never())
        }
        Answers::Asked { input, output } => {
            let (input, ended) = input::noticed(input);
            (Stage::asking(input, output).await?, ended)
        }
    };
    let mut teller = Teller::new(out, scripted);
    let mut acts = Vec::new();
    for (number, hint) in [(1, "say yes, and see it go"), (2, "say no, and see what the agent does instead")]
    {
        teller.heading(number, TASK, (!scripted).then_some(hint))?;
        stage.lay_out()?;
        let (run, events) = session(&stage, &mut teller, &ended).await?;
        acts.push(account::Act::of(&stage, &run, &events));
        if ended.is_over() {
            break;
        }
    }
    teller.record(&stage.record().await?)?;
    let told = if scripted { account::as_scripted(&acts) } else { account::as_decided(&acts) };
    for line in &told.lines {
        writeln!(out, "{line}")?;
    }
    if ended.is_over() && !told.is_right {
        writeln!(out, "Nobody answered: the input has ended. Run it at a terminal, or with --scripted.")?;
    }
    out.flush()?;
    Ok(told.is_right)
}

/// One session, from the task to the run's end.
async fn session(
    stage: &Stage,
    teller: &mut Teller<'_>,
    ended: &Ended,
) -> anyhow::Result<(RunState, Vec<AgentEvent>)> {
    let agent = stage.agent();
    let begun = agent.begin(&stage.tenant, None, stage.owner(), TASK).await?;
    let (session, run) = (begun.row.session.clone(), begun.row.run.clone());
    let work = Box::pin(async { tokio::join!(agent.resume(begun.row), follow(stage, &session, teller)) });
    let stop = Box::pin(async {
        ended.wait().await;
        let stopped = agent.stop(&stage.tenant, &run, "nobody answers: the input has ended").await;
        if let Err(fault) = stopped {
            tracing::error!(error = %fault, "the run could not be stopped");
        }
        std::future::pending::<()>().await;
    });
    let (resumed, events) = tokio::select! {
        done = work => done,
        () = stop => unreachable!("it waits for ever"),
    };
    let events = events?;
    let asked: Vec<RequestId> = events
        .iter()
        .filter_map(|event| match &event.kind {
            AgentEventKind::ApprovalRequest { request_id, .. } => Some(*request_id),
            _ => None,
        })
        .collect();
    stage.cards_shown(&asked).await?;
    match resumed {
        Ok(state) => Ok((state, events)),
        // It was stopped meanwhile: the store knows how it ended.
        Err(placet::agent::RunError::Moved) => {
            let row = stage.app.store.load_run(&stage.tenant, &run).await?;
            Ok((RunState::of(&row)?, events))
        }
        Err(fault) => Err(fault).context("the run was left"),
    }
}

/// Tells a session's events as they come, to the run's last.
async fn follow(
    stage: &Stage,
    session: &placet::id::SessionId,
    teller: &mut Teller<'_>,
) -> anyhow::Result<Vec<AgentEvent>> {
    let clock = stage.app.gate.clock();
    let mut all = Vec::new();
    let mut after = 0;
    loop {
        let changed = stage.agent().changed(&stage.tenant, session);
        let events = stage.app.store.session_events(&stage.tenant, session, after, AT_ONCE).await?;
        for event in &events {
            after = event.number;
            let parsed: AgentEvent = serde_json::from_str(&event.json)?;
            if let AgentEventKind::ApprovalRequest { request_id, risk: Tier::Approve, .. } = &parsed.kind
                && teller.shows_cards()
            {
                teller.card(&stage.card(*request_id).await?)?;
            }
            teller.event(&parsed, &event.json)?;
            let last = matches!(parsed.kind, AgentEventKind::Done { .. } | AgentEventKind::Error { .. });
            all.push(parsed);
            if last {
                return Ok(all);
            }
        }
        if events.is_empty() {
            tokio::select! {
                () = changed => {}
                () = clock.sleep_until(clock.now() + REREAD_EVERY) => {}
            }
        }
    }
}

/// Whether a run came to its own end.
const fn is_done(run: &RunState) -> bool {
    matches!(run.phase, Phase::Done)
}
