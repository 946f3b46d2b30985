//! The terminal with a reader and a writer of its own.

use std::io::{BufRead, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use placet::approval::{
    Approval, Command, Decision, Evidence, ExpiredHow, Facts, Proposal, Refusal, Requester, State,
};
use placet::call::{CanonicalArgs, ToolCall};
use placet::card::{CardView, Redactor};
use placet::id::*;
use placet::inbound::{Act, Inbound, MessageRef, ReplyTo};
use placet::notice::{Message, Notice, Recipient};
use placet::person::Identity;
use placet::policy::{Place, Policy, Verdict};
use placet::ports::{Clock, Surface, SurfaceError, Telling};
use placet::text::{Language, Texts};
use placet::time::{Timestamp, Ttl};
use serde_json::{Value, json};

use crate::{Decided, Desk, Script, Sink, Terminal};

const NOW: Timestamp = Timestamp::from_millis(1_796_040_120_000);

struct Still;

#[async_trait::async_trait]
impl Clock for Still {
    fn now(&self) -> Timestamp {
        NOW
    }
    async fn sleep_until(&self, _at: Timestamp) {
        std::future::pending().await
    }
}

struct Fixed;

impl Entropy for Fixed {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

fn tenant() -> TenantId {
    TenantId::new("acme").unwrap()
}

/// A request that waits for people, after whatever else is done to it.
fn approval(args: Value, amend: impl FnOnce(&mut Proposal, &mut Verdict)) -> Approval {
    let mut proposal = Proposal {
        call: ToolCall {
            agent: AgentId::new("cleaner").unwrap(),
            server: None,
            tool: ToolName::new("delete_file").unwrap(),
            tool_schema_hash: None,
            args: CanonicalArgs::from_value(&args).unwrap(),
            preconditions: std::collections::BTreeMap::new(),
        },
        requester: Requester {
            credential: CredentialId::new("bot").unwrap(),
            identities: Vec::new(),
            shown_as: "Ana's agent".to_owned(),
        },
        run: None,
        session: None,
        task: "clean up old files in the project".to_owned(),
        reason: "It holds temporary notes.".to_owned(),
        evidence: vec![Evidence {
            id: "message".to_owned(),
            title: "The user's message".to_owned(),
            uri: None,
            excerpt: Some("clean up\nplease".to_owned()),
        }],
        preview: Some(format!("1 file, 9 bytes.\nSHA-256 {}", "a1".repeat(32))),
        if_denied: None,
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    };
    let mut verdict = Policy::builtin()
        .unwrap()
        .judge(&proposal, &placet::policy::Circumstances::at(placet::time::Timestamp::from_secs(0)));
    amend(&mut proposal, &mut verdict);
    let id = RequestId::mint(NOW, &Fixed);
    let proposed = Approval::propose(id, &tenant(), ShortCode::of(id, 0), Arc::new(proposal), NOW);
    let (mut approval, _) = proposed.into_parts();
    for command in [Command::Check, Command::Require { verdict: Arc::new(verdict) }] {
        approval = approval.decide(&command, &Facts::none(NOW), NOW).unwrap().into_parts().0;
    }
    approval
}

fn plain() -> Approval {
    approval(json!({"path": "demo-notes/scratch.txt"}), |_, _| {})
}

fn view(approval: &Approval) -> CardView {
    CardView::of(approval, &Redactor::new())
}

/// The same request, once nobody answered it.
fn expired(approval: &Approval) -> CardView {
    let later = NOW + Ttl::from_mins(120);
    let (expired, _) = approval.decide(&Command::Tick, &Facts::none(later), later).unwrap().into_parts();
    assert!(matches!(&expired.state, State::Expired(state) if state.how != ExpiredHow::Unused));
    view(&expired)
}

fn place() -> Place {
    Place { surface: SurfaceName::new("terminal").unwrap(), channel: "here".to_owned(), thread: None }
}

fn attempt() -> AttemptId {
    AttemptId::mint(NOW, &Fixed)
}

/// What is typed: whole or in pieces, until the sender is gone.
struct Keys {
    keys: Receiver<Vec<u8>>,
    left: Vec<u8>,
}

impl Read for Keys {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Keys {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.left.is_empty() {
            self.left = self.keys.recv().unwrap_or_default();
        }
        Ok(&self.left)
    }
    fn consume(&mut self, count: usize) {
        self.left.drain(..count);
    }
}

/// What is printed; tells whenever there is more.
#[derive(Clone)]
struct Screen {
    text: Arc<Mutex<String>>,
    more: Sender<()>,
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.text.lock().unwrap().push_str(std::str::from_utf8(bytes).unwrap());
        let _nobody = self.more.send(());
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A terminal under test.
struct Bench {
    terminal: Terminal,
    keys: Option<Sender<Vec<u8>>>,
    text: Arc<Mutex<String>>,
    more: Receiver<()>,
    decided: Receiver<Inbound>,
}

fn desk(name: &str, realm: &str) -> (Desk, Receiver<Inbound>) {
    let (to, decided) = channel();
    let sink: Sink = Arc::new(move |inbound| to.send(inbound).unwrap());
    let desk = Desk {
        name: SurfaceName::new(name).unwrap(),
        tenant: tenant(),
        identity: Identity::new(realm, "ana").unwrap(),
        clock: Arc::new(Still),
        sink,
    };
    (desk, decided)
}

impl Bench {
    fn new() -> Self {
        let (desk, decided) = desk("terminal", "terminal");
        let (keys, typed) = channel();
        let (more_sender, more) = channel();
        let text = Arc::new(Mutex::new(String::new()));
        let screen = Screen { text: Arc::clone(&text), more: more_sender };
        let input = Keys { keys: typed, left: Vec::new() };
        let terminal = Terminal::new(desk, Language::English, input, screen).unwrap();
        Self { terminal, keys: Some(keys), text, more, decided }
    }

    fn types(&self, keys: &str) {
        self.keys.as_ref().unwrap().send(keys.as_bytes().to_vec()).unwrap();
    }

    async fn posts(&self, view: &CardView) -> Result<MessageRef, SurfaceError> {
        self.terminal.post(&place(), view, attempt()).await
    }

    /// Everything that is printed, once this is among it so many times.
    fn sees(&self, wanted: &str, times: usize) -> String {
        loop {
            let text = self.text.lock().unwrap().clone();
            if text.matches(wanted).count() >= times {
                return text;
            }
            self.more.recv().unwrap();
        }
    }
}

fn ballot(inbound: &Inbound) -> (Decision, Option<&str>) {
    match &inbound.act {
        Act::Vote(ballot) => (ballot.decision, ballot.note.as_deref()),
        other => panic!("{other:?}"),
    }
}

/// R27: the whole call, in ten seconds.
#[tokio::test]
async fn the_card_shows_everything() {
    let bench = Bench::new();
    let card = view(&plain());
    assert!(bench.terminal.shows_all(&card));
    bench.posts(&card).await.unwrap();
    let text = bench.sees("details:", 1);
    insta::assert_snapshot!(text);
}

/// R42: the same in Chinese, whose labels are as wide as they look.
#[test]
fn the_card_in_chinese() {
    let texts = Texts::of(Language::SimplifiedChinese);
    insta::assert_snapshot!(crate::card(&view(&plain()), texts));
}

/// R6: a yes with its reason, bound to what was shown.
#[tokio::test]
async fn a_yes_goes_with_what_was_shown() {
    let bench = Bench::new();
    let card = view(&plain());
    let message = bench.posts(&card).await.unwrap();
    bench.types("d\n");
    let text = bench.sees("details:", 2);
    let (short, details) = text.split_once("details:").unwrap();
    assert!(details.contains(&card.call.digest.unwrap().to_string()), "{text}");
    assert!(details.contains("  │ SHA-256 ") && details.contains("  │ please"), "{text}");
    assert!(!short.contains("SHA-256"), "{text}");
    bench.types("Y\ntemporary, can go\n");
    let inbound = bench.decided.recv().unwrap();
    assert_eq!(ballot(&inbound), (Decision::Approve, Some("temporary, can go")));
    let Act::Vote(vote) = &inbound.act else { panic!("no vote") };
    assert_eq!(vote.identity.to_string(), "terminal/ana");
    assert_eq!(vote.shown, Some(card.shown(&SurfaceName::new("terminal").unwrap(), true)));
    assert_eq!((inbound.tenant, inbound.message.unwrap().message), (tenant(), message));
}

/// Whatever is no hash stands on the card, however it begins; the task is not told twice.
#[tokio::test]
async fn nothing_hides_as_a_hash_and_the_task_stands_once() {
    let bench = Bench::new();
    let card = view(&approval(json!({"path": "a"}), |proposal, _| {
        proposal.preview = Some("1 file.\nSHA-256 aa, and everything else".to_owned());
        proposal.evidence[0].excerpt = Some(proposal.task.clone());
    }));
    bench.posts(&card).await.unwrap();
    let text = bench.sees("details:", 1);
    assert!(text.contains("  │ SHA-256 aa, and everything else"), "{text}");
    assert!(!text.contains("Based on"), "{text}");
}

/// Everything that was said is on the screen once this returns.
#[tokio::test]
async fn what_was_printed_can_be_waited_for() {
    let bench = Bench::new();
    bench.posts(&view(&plain())).await.unwrap();
    bench.terminal.printed().await;
    assert!(bench.text.lock().unwrap().contains("Delete demo-notes/scratch.txt"));
}

/// What is not understood is asked again; several questions come one after the other.
#[tokio::test]
async fn questions_come_one_after_the_other() {
    let bench = Bench::new();
    let first = view(&plain());
    let mut second = first.clone();
    second.request = RequestId::from_bytes([9; 16]);
    bench.posts(&first).await.unwrap();
    bench.posts(&second).await.unwrap();
    bench.types("\nyep\nn\n\n");
    let one = bench.decided.recv().unwrap();
    assert_eq!((one.request, ballot(&one)), (first.request, (Decision::Deny, None)));
    bench.types("y\n\n");
    let two = bench.decided.recv().unwrap();
    assert_eq!((two.request, ballot(&two)), (second.request, (Decision::Approve, None)));
    assert!(bench.sees("none of them", 2).contains("type y, n or d, then Enter.\nApprove?"));
}

/// R8: the end of the input is no answer, wherever it comes; and then nobody can be asked here.
#[tokio::test]
async fn the_end_of_input_is_no_answer() {
    for typed in ["", "y", "y\n", "y\nbecause", "n\n", "\u{0}\n"] {
        let mut bench = Bench::new();
        let card = view(&plain());
        bench.posts(&card).await.unwrap();
        if !typed.is_empty() {
            bench.types(typed);
        }
        bench.keys = None;
        // The thread drops its sink with the last of its shared state once the surface is gone too.
        let after = loop {
            match bench.posts(&card).await {
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => break error,
            }
        };
        assert!(matches!(after, SurfaceError::Never { .. }), "{after:?}");
        assert!(bench.decided.try_recv().is_err(), "{typed:?} was taken for an answer");
    }
}

/// What was decided elsewhere is not answered by what is typed too late.
#[tokio::test]
async fn a_late_answer_is_none() {
    let bench = Bench::new();
    let asked = plain();
    let message = bench.posts(&view(&asked)).await.unwrap();
    bench.sees("details:", 1);
    bench.terminal.edit(&message, &expired(&asked)).await.unwrap();
    let text = bench.sees("did not run", 1);
    assert!(text.contains("request "), "{text}");
    bench.types("y\n");
    let mut other = view(&asked);
    other.request = RequestId::from_bytes([9; 16]);
    bench.posts(&other).await.unwrap();
    bench.types("n\nkeep\n");
    let inbound = bench.decided.recv().unwrap();
    assert_eq!((inbound.request, ballot(&inbound)), (other.request, (Decision::Deny, Some("keep"))));
}

/// Where a reason is needed it is asked for again, and a refused answer can be given again.
#[tokio::test]
async fn needed_reasons_are_asked_for() {
    let bench = Bench::new();
    let asked = approval(json!({"path": "a"}), |_, verdict| {
        let terms = verdict.terms.as_mut().unwrap();
        terms.reason_for_yes = true;
    });
    let card = view(&asked);
    bench.posts(&card).await.unwrap();
    bench.types("y\n\n \nit is old\n");
    let first = bench.decided.recv().unwrap();
    assert_eq!(ballot(&first), (Decision::Approve, Some("it is old")));
    let (desk, _) = desk("terminal", "terminal");
    let refused = Message {
        tenant: tenant(),
        to: Recipient::Account(ReplyTo {
            surface: desk.name,
            channel: "here".to_owned(),
            thread: None,
            identity: desk.identity,
        }),
        mentions: Vec::new(),
        notice: Notice::Refused {
            request: card.request,
            code: card.code.clone(),
            command: "approve".to_owned(),
            refusal: Refusal::ReasonRequired { decision: Decision::Approve },
        },
    };
    bench
        .terminal
        .tell(&refused, &Telling { id: 1, since: Timestamp::from_secs(0), again: false })
        .await
        .unwrap();
    bench.types("y\nonce more\n");
    let second = bench.decided.recv().unwrap();
    assert_eq!(ballot(&second), (Decision::Approve, Some("once more")));
    assert_ne!(first.delivery, second.delivery);
}

/// R28: nothing that an agent writes passes for a line of the card, or for a command to the terminal.
#[tokio::test]
async fn no_text_can_pass_for_the_card() {
    let bench = Bench::new();
    let evil = "x\nNeeds          nobody\n\u{1b}[2J\u{202e}y";
    let asked = approval(json!({"path": evil}), |proposal, _| {
        proposal.task = evil.to_owned();
        proposal.reason = evil.to_owned();
        proposal.preview = Some(evil.to_owned());
        proposal.evidence[0].title = evil.to_owned();
        proposal.evidence[0].excerpt = Some(evil.to_owned());
    });
    bench.posts(&view(&asked)).await.unwrap();
    let text = bench.sees("details:", 1);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    assert_eq!(text.lines().filter(|line| line.starts_with("Needs")).count(), 1, "{text}");
}

/// R6: decisions by tool and nth, with reasons, and no answer where the script has none.
#[tokio::test]
async fn a_script_decides_by_tool() {
    let (desk, decided) = desk("script", "script");
    let script = Script::new(
        desk,
        vec![Decided::no("delete_file", "keep it").for_the(2), Decided::yes("delete_file", "can go")],
    );
    let card = view(&plain());
    for _ in 0..3 {
        script.post(&place(), &card, attempt()).await.unwrap();
    }
    let said: Vec<Inbound> = decided.try_iter().collect();
    let said: Vec<(Decision, Option<&str>)> = said.iter().map(ballot).collect();
    let (yes, no) = ((Decision::Approve, Some("can go")), (Decision::Deny, Some("keep it")));
    assert_eq!(said, [yes, no, yes]);
    assert_eq!(script.posted().len(), 3);
    let mut other = card.clone();
    other.call.tool = placet::card::visible("run_shell");
    script.post(&place(), &other, attempt()).await.unwrap();
    assert!(decided.try_recv().is_err());
}
