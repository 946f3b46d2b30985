//! The terminal: cards are printed, questions asked one after the other.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use async_trait::async_trait;
use futures::channel::oneshot;
use placet::approval::{Decision, Refusal};
use placet::card::{CardView, StateView};
use placet::id::{AttemptId, RequestId, SurfaceName, TenantId};
use placet::inbound::MessageRef;
use placet::notice::{Message, Notice};
use placet::person::NoStanding;
use placet::policy::Place;
use placet::ports::{Surface, SurfaceError, Telling};
use placet::text::{Label, Language, Markup, Texts};
use placet::time::Timestamp;

use crate::ballot::Desk;
use crate::card;

/// How often an answer that is not understood is asked for again, before the question is left to others.
const UNCLEAR_MAX: u32 = 20;

/// The most characters of a reason; what is typed beyond is cut.
const REASON_CHARS_MAX: usize = 1_000;

/// A person at the terminal.
pub struct Terminal {
    shared: Arc<Shared>,
    questions: Sender<RequestId>,
}

/// What the threads and the surface know.
struct Shared {
    desk: Desk,
    texts: Texts,
    output: Sender<Printed>,
    /// What is asked at the moment, as it stands; what was decided is not in it.
    asked: Mutex<HashMap<RequestId, Asked>>,
    /// Whether the input has ended: nobody answers any more.
    ended: AtomicBool,
}

#[derive(Clone)]
struct Asked {
    view: CardView,
    message: MessageRef,
    /// How often it was decided here: a refused answer can be given again.
    answers: u64,
}

/// What goes to the output, one after the other.
enum Printed {
    Text(String),
    /// Answered once all before it is out.
    Mark(oneshot::Sender<()>),
}

/// What somebody typed.
enum Typed {
    Line(String),
    End,
}

impl Terminal {
    /// Prints on `output` and reads answers from `input`, each on a thread of its own. The threads end with the input,
    /// and with the terminal.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn new(
        desk: Desk,
        language: Language,
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (to_output, lines) = channel();
        let (questions, to_ask) = channel();
        let shared = Arc::new(Shared {
            desk,
            texts: Texts::new(language),
            output: to_output,
            asked: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        thread::Builder::new().name("terminal-output".to_owned()).spawn(move || print_all(output, &lines))?;
        let asking = Arc::clone(&shared);
        thread::Builder::new()
            .name("terminal-input".to_owned())
            .spawn(move || asking.ask_all(input, &to_ask))?;
        Ok(Self { shared, questions })
    }

    /// Asks about a request whose card was printed by a process before this one: for whoever starts up. What is not
    /// waiting is not asked about.
    pub fn ask_again(&self, view: &CardView, message: MessageRef) {
        if view.is_waiting() {
            // Without a reader or a writer, the surface says so at the next post.
            let _gone = self.put(view, message);
        }
    }

    /// Waits until all that was printed so far is out; at once where nothing can be printed any more.
    pub async fn printed(&self) {
        let (mark, out) = oneshot::channel();
        if self.shared.output.send(Printed::Mark(mark)).is_ok() {
            // Gone without an answer is as good: then nothing is printed any more.
            let _gone = out.await;
        }
    }

    fn put(&self, view: &CardView, message: MessageRef) -> Result<(), SurfaceError> {
        let never = |why: &str| SurfaceError::Never { why: why.to_owned() };
        if self.shared.ended.load(SeqCst) {
            return Err(never("the terminal's input has ended: nobody can answer there"));
        }
        let printed = self.shared.print(format!("\n{}", card::card(view, &self.shared.texts)));
        printed.ok_or_else(|| never("nothing can be printed on the terminal any more"))?;
        self.shared.asked().insert(view.request, Asked { view: view.clone(), message, answers: 0 });
        self.questions.send(view.request).map_err(|_| never("nobody reads the terminal's input any more"))
    }
}

impl Shared {
    fn asked(&self) -> std::sync::MutexGuard<'_, HashMap<RequestId, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn print(&self, text: String) -> Option<()> {
        self.output.send(Printed::Text(text)).ok()
    }

    fn say(&self, label: Label) {
        // Nobody to read it is nobody to answer either.
        let _gone = self.print(format!("{} ", self.texts.label(label)));
    }

    /// Asks one question after the other, until the input ends.
    fn ask_all(&self, mut input: impl BufRead, questions: &Receiver<RequestId>) {
        for request in questions {
            if self.ask(&mut input, request).is_none() {
                self.ended.store(true, SeqCst);
                return;
            }
        }
    }

    /// Asks one; none if the input ended, which is no answer.
    fn ask(&self, input: &mut impl BufRead, request: RequestId) -> Option<()> {
        for _ in 0..UNCLEAR_MAX {
            if !self.asked().contains_key(&request) {
                return Some(());
            }
            self.say(Label::Prompt);
            let Typed::Line(line) = typed(input) else { return None };
            // What was decided elsewhere meanwhile is not answered by what was typed too late.
            let Some(asked) = self.asked().get(&request).cloned() else { return Some(()) };
            let decision = match line.trim().to_lowercase().as_str() {
                "y" | "yes" => Decision::Approve,
                "n" | "no" => Decision::Deny,
                "d" | "details" => {
                    let _gone = self.print(card::details(&asked.view, &self.texts));
                    continue;
                }
                _ => {
                    // Nobody to read it is nobody to answer either.
                    let _gone = self.print(format!("{}\n", self.texts.label(Label::PromptUnclear)));
                    continue;
                }
            };
            let reason = self.reason(input, &asked.view, decision)?;
            self.answered(request, decision, reason);
            return Some(());
        }
        Some(())
    }

    /// The reason, asked for again as long as one is needed; none if the input ended.
    fn reason(
        &self,
        input: &mut impl BufRead,
        view: &CardView,
        decision: Decision,
    ) -> Option<Option<String>> {
        let needed = match (&view.state, decision) {
            (StateView::Waiting { reason_for_yes, .. }, Decision::Approve) => *reason_for_yes,
            (StateView::Waiting { reason_for_no, .. }, Decision::Deny) => *reason_for_no,
            _ => false,
        };
        for _ in 0..UNCLEAR_MAX {
            self.say(if needed { Label::PromptReasonRequired } else { Label::PromptReason });
            let Typed::Line(line) = typed(input) else { return None };
            let reason: String = line.trim().chars().take(REASON_CHARS_MAX).collect();
            if !reason.is_empty() {
                return Some(Some(reason));
            }
            if !needed {
                break;
            }
        }
        // Where one was needed, the gate says so.
        Some(None)
    }

    fn answered(&self, request: RequestId, decision: Decision, reason: Option<String>) {
        let asked = {
            let mut all = self.asked();
            let Some(asked) = all.get_mut(&request) else { return };
            asked.answers += 1;
            asked.clone()
        };
        if let Err(error) = self.desk.decide(&asked.view, &asked.message, (decision, reason), asked.answers) {
            tracing::error!(approval.id = %request, error = %error, "a decision could not be handed in");
        }
    }
}

/// A line, without its end. What is no text is no answer, and asked again.
fn typed(input: &mut impl BufRead) -> Typed {
    let mut line = Vec::new();
    match input.read_until(b'\n', &mut line) {
        // A line that the input broke off in is none.
        Ok(_) if line.last() != Some(&b'\n') => Typed::End,
        Ok(_) => Typed::Line(String::from_utf8(line).unwrap_or_default()),
        Err(_) => Typed::End,
    }
}

fn print_all(mut output: impl Write, pieces: &Receiver<Printed>) {
    for piece in pieces {
        let text = match piece {
            Printed::Text(text) => text,
            Printed::Mark(mark) => {
                // Whoever waited may have gone.
                let _gone = mark.send(());
                continue;
            }
        };
        if output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

#[async_trait]
impl Surface for Terminal {
    fn name(&self) -> &SurfaceName {
        &self.shared.desk.name
    }

    fn serves(&self, tenant: &TenantId) -> bool {
        self.shared.desk.tenant == *tenant
    }

    /// A terminal has room for everything.
    fn shows_all(&self, _view: &CardView) -> bool {
        true
    }

    async fn post(
        &self,
        place: &Place,
        view: &CardView,
        attempt: AttemptId,
    ) -> Result<MessageRef, SurfaceError> {
        let message = MessageRef { channel: place.channel.clone(), id: attempt.to_string() };
        self.put(view, message.clone()).map(|()| message)
    }

    async fn edit(&self, _message: &MessageRef, view: &CardView) -> Result<(), SurfaceError> {
        let text = if view.is_waiting() {
            if let Some(asked) = self.shared.asked().get_mut(&view.request) {
                asked.view = view.clone();
            }
            card::standing(view, &self.shared.texts)
        } else {
            self.shared.asked().remove(&view.request);
            Some(card::record(view, &self.shared.texts))
        };
        let Some(text) = text else { return Ok(()) };
        let gone =
            || SurfaceError::Never { why: "nothing can be printed on the terminal any more".to_owned() };
        self.shared.print(format!("\n{text}")).ok_or_else(gone)
    }

    async fn find(
        &self,
        _place: &Place,
        _attempt: AttemptId,
        _since: Timestamp,
    ) -> Option<Result<Option<MessageRef>, SurfaceError>> {
        None
    }

    async fn tell(&self, message: &Message, _telling: &Telling) -> Result<(), SurfaceError> {
        // The record of the card is printed just above, and says it.
        if matches!(message.notice, Notice::Ran { .. }) {
            return Ok(());
        }
        let text = self.shared.texts.notice(&message.notice, &[], &Markup::PLAIN);
        let gone =
            || SurfaceError::Never { why: "nothing can be printed on the terminal any more".to_owned() };
        self.shared.print(format!("\n{text}\n")).ok_or_else(gone)?;
        if let Notice::Refused { request, refusal, .. } = &message.notice
            && may_answer_again(refusal)
        {
            // Nobody to read it is nobody to answer either.
            let _gone = self.questions.send(*request);
        }
        Ok(())
    }
}

/// Whether another answer of the same person can count.
const fn may_answer_again(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::ReasonRequired { .. } | Refusal::FactsStale | Refusal::NoStanding(NoStanding::Unreadable(_))
    )
}
