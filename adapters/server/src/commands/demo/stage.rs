//! What the demonstration is played on: an application in a temporary folder, whose one surface is the terminal, or a
//! script in its place.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use placet::agent::Agent;
use placet::approval::Requester;
use placet::id::{AgentId, CredentialId, RequestId, SurfaceName, TenantId};
use placet::inbound::Inbound;
use placet::person::Identity;
use placet::ports::{CardStore as _, Surface};
use placet::record::{Event, Seq};
use placet::text::{Language, Texts};
use placet::time::Ttl;
use placet_terminal::{Decided, Desk, Script, Terminal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::record::all_events;
use crate::settings::{
    AgentSettings, HttpSettings, LogSettings, ModelChoice, PolicySource, Settings, StoreSettings,
    ToolSettings,
};
use crate::wire::{App, LocalSurface, Outside};

/// The tool that needs a yes.
pub(super) const DELETE: &str = "delete_file";

/// The file that the agent wants to delete, as the script of the model has it.
const FILE: &str = "demo-notes/scratch.txt";

/// The note that it writes instead.
const NOTE: &str = "demo-notes/cleanup-note.md";

/// The realm of who sits at the terminal; the built-in policy knows the account `terminal/owner`.
const REALM: &str = "terminal";
const OWNER: &str = "owner";

/// Decisions that are on their way to the gate at most: nobody types faster than they are taken.
const DECISIONS_MAX: usize = 64;

/// How often it is looked whether a card is shown that is on its way, and the pause in between: far longer than it takes.
const CARD_LOOKS: u32 = 500;
const CARD_PAUSE: Ttl = Ttl::from_millis(10);

/// Who is asked.
enum Approver {
    Script(Arc<Script>),
    Terminal(Arc<Terminal>),
}

/// The stage. All of it is gone when it is dropped.
pub(super) struct Stage {
    pub(super) app: App,
    pub(super) tenant: TenantId,
    workspace: PathBuf,
    requester: Requester,
    agent: Agent,
    approver: Approver,
    // Dropped in this order: who works, then the folder that they work in.
    _work: JoinSet<()>,
    _folder: tempfile::TempDir,
}

impl Stage {
    /// With a script that answers.
    pub(super) async fn scripted(lines: Vec<Decided>) -> anyhow::Result<Self> {
        Self::new(|desk| Ok(Approver::Script(Arc::new(Script::new(desk, lines))))).await
    }

    /// With somebody who is asked.
    pub(super) async fn asking(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> anyhow::Result<Self> {
        Self::new(|desk| {
            let terminal = Terminal::new(desk, Language::English, input, output)?;
            Ok(Approver::Terminal(Arc::new(terminal)))
        })
        .await
    }

    async fn new(approver: impl FnOnce(Desk) -> anyhow::Result<Approver>) -> anyhow::Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("placet-demo-").tempdir().context("no temporary folder")?;
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace)?;
        let tenant = TenantId::new("demo")?;
        let identity = Identity::new(REALM, OWNER)?;
        let (to_gate, decisions) = mpsc::channel(DECISIONS_MAX);
        let mut outside = Outside::machine();
        let desk = Desk {
            name: SurfaceName::new(REALM)?,
            tenant: tenant.clone(),
            identity: identity.clone(),
            clock: Arc::clone(&outside.clock),
            sink: Arc::new(move |inbound| {
                if to_gate.try_send(inbound).is_err() {
                    tracing::error!("a decision got lost: too many at once, or nobody takes them any more");
                }
            }),
        };
        let approver = approver(desk)?;
        let surface: Arc<dyn Surface> = match &approver {
            Approver::Script(script) => script.clone(),
            Approver::Terminal(terminal) => terminal.clone(),
        };
        outside.surfaces.push(LocalSurface {
            surface,
            realm: REALM.to_owned(),
            channel: Some("here".to_owned()),
        });
        let app = App::build(&settings(folder.path(), &workspace, &tenant)?, outside).await?;
        let agent = app.agent.clone().context("the demonstration has an agent")?;
        let requester = Requester {
            credential: CredentialId::new("demo")?,
            identities: vec![identity],
            shown_as: "Owner".to_owned(),
        };
        let work = work(&app, decisions);
        Ok(Self { app, tenant, workspace, requester, agent, approver, _work: work, _folder: folder })
    }

    /// The agent.
    pub(super) const fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Who asks: the owner of the agent.
    pub(super) fn owner(&self) -> Requester {
        self.requester.clone()
    }

    /// Lays out the folder as the agent finds it.
    pub(super) fn lay_out(&self) -> anyhow::Result<()> {
        let notes = self.workspace.join("demo-notes");
        if notes.exists() {
            std::fs::remove_dir_all(&notes)?;
        }
        std::fs::create_dir(&notes)?;
        std::fs::write(notes.join("readme.md"), "# Notes of the project\n\nKeep these.\n")?;
        std::fs::write(self.workspace.join(FILE), "scratch: temporary notes, nothing refers to them\n")?;
        Ok(())
    }

    /// Whether the file is still there.
    pub(super) fn file_is_there(&self) -> bool {
        self.workspace.join(FILE).exists()
    }

    /// Whether there is a note that names the file.
    pub(super) fn note_names_the_file(&self) -> bool {
        std::fs::read_to_string(self.workspace.join(NOTE)).is_ok_and(|note| note.contains(FILE))
    }

    /// The card of a request as the script was shown it.
    pub(super) async fn card(&self, request: RequestId) -> anyhow::Result<String> {
        let texts = Texts::new(Language::English);
        let clock = self.app.gate.clock();
        for _ in 0..CARD_LOOKS {
            let Approver::Script(script) = &self.approver else { break };
            if let Some(view) = script.posted().iter().find(|view| view.request == request) {
                return Ok(placet_terminal::card(view, &texts));
            }
            clock.sleep_until(clock.now() + CARD_PAUSE).await;
        }
        let approval = self.app.gate.load(&self.tenant, request).await?;
        Ok(placet_terminal::card(&self.app.gate.view(&approval), &texts))
    }

    /// Waits until the cards of these requests show how they ended, and all of it is printed.
    pub(super) async fn cards_shown(&self, requests: &[RequestId]) -> anyhow::Result<()> {
        let clock = self.app.gate.clock();
        for _ in 0..CARD_LOOKS {
            let mut current = true;
            for request in requests {
                let cards = self.app.store.cards_of(&self.tenant, *request).await?;
                current &= cards.iter().all(|card| {
                    let shown = card.messages.iter().any(|message| message.revision >= card.wanted);
                    card.given_up.is_some() || shown
                });
            }
            if current {
                break;
            }
            clock.sleep_until(clock.now() + CARD_PAUSE).await;
        }
        if let Approver::Terminal(terminal) = &self.approver {
            terminal.printed().await;
        }
        Ok(())
    }

    /// Everything that is on record, once what is due is worked off: the last cards, too.
    pub(super) async fn record(&self) -> anyhow::Result<Vec<(Seq, Event)>> {
        while self.app.gate.step().await?.done > 0 {}
        Ok(all_events(&self.app.store, None, &[]).await?)
    }
}

/// The worker, and whoever hands decisions to the gate.
fn work(app: &App, mut decisions: mpsc::Receiver<Inbound>) -> JoinSet<()> {
    let mut work = JoinSet::new();
    let gate = app.gate.clone();
    work.spawn(async move { gate.work(std::future::pending()).await });
    let gate = app.gate.clone();
    work.spawn(async move {
        while let Some(inbound) = decisions.recv().await {
            if let Err(fault) = gate.receive(inbound).await {
                tracing::error!(error = %fault, "a decision could not be kept");
            }
        }
    });
    work
}

/// The built-in policy. The two sessions ask about the same file, one right after the other: here a no to the first is
/// none to the second.
fn policy() -> String {
    format!("{}\n[fatigue]\ndenied_again_within = \"never\"\n", placet::policy::Policy::builtin_text())
}

fn settings(folder: &Path, workspace: &Path, tenant: &TenantId) -> anyhow::Result<Settings> {
    Ok(Settings {
        store: StoreSettings::default(),
        data: folder.join("placet.db"),
        policy: PolicySource::Text { name: "builtin".to_owned(), text: policy() }.into(),
        lease: placet::time::Ttl::from_secs(60),
        http: HttpSettings::default(),
        slack: Vec::new(),
        matrix: None,
        on_call: None,
        grants: None,
        agent: Some(AgentSettings {
            name: AgentId::new("demo-agent")?,
            tenant: tenant.clone(),
            model: ModelChoice::Scripted,
            workspace: workspace.to_owned(),
        }),
        tools: ToolSettings::default(),
        outbound: None,
        log: LogSettings::default(),
    })
}
