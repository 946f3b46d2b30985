//! What people write to Placet: commands, behind the word that they begin with.
//!
//! What always holds: a command is taken once; what cannot be proven to be the writer's own is not taken, and they are told
//! why. Which card is answered says the homeserver unless that was encrypted too: then a command that does not name its
//! request itself is worth no more than the homeserver's word. What is answered goes to who asked, directly.

use matrix_sdk::ruma::{EventId, RoomId};
use placet::approval::{Addressee, Alone, Approval, Assurance, Ballot, Decision, Rendering, State};
use placet::call::ShownDigest;
use placet::command::{Answer, Ask, Asked, Deed, Mistake, ReplyCard, Rows, Said, Target, Typed, typed};
use placet::id::{DeliveryKey, TenantId};
use placet::inbound::{Act as Done, MessageRef};
use placet::person::Identity;
use placet::ports::Surface as _;

use super::{Left, MatrixInbound, identity, message};
use crate::backing::Backing;
use crate::commands::{MatrixDialect, command_in};
use crate::event::{Message, What};
use crate::reader::Confirmed;
use crate::render;

/// Rows of a page: a screen of them.
const ROWS: Rows = Rows { plain: 10, with_buttons: 10 };

/// A command, by whom, and how sure that is.
struct Heard<'a> {
    confirmed: &'a Confirmed,
    identity: Identity,
    delivery: DeliveryKey,
    assurance: Assurance,
    text: &'a str,
}

/// What is to be done to a request on its card.
struct Wish<'a> {
    deed: Deed,
    target: &'a Target,
    question: Option<u32>,
    words: Option<String>,
}

impl MatrixInbound {
    /// Takes a command, if that is what was written.
    pub(super) async fn reads_words(&self, room: &RoomId, event: &EventId) -> Result<(), Left> {
        let Some(confirmed) = self.0.reader.again(room, event).await? else { return Ok(()) };
        let What::Message(said) = &confirmed.act().what else { return Ok(()) };
        let prefix = &self.0.matrix.settings().manner.prefix;
        let Some(text) = command_in(&said.body, prefix, said.reply_to.is_some()) else { return Ok(()) };
        let (Some(identity), Some(delivery)) = (identity(&confirmed.act().sender), self.delivery(&confirmed))
        else {
            return Ok(());
        };
        if !self.0.reader.admits(&confirmed.act().sender) || self.was_taken(&delivery) {
            return Ok(());
        }
        let card = self.answered(room, said).await?;
        let assurance = match self.0.reader.judge(&confirmed).await? {
            Ok(assurance) => assurance,
            Err(why) => return self.is_unproven((&confirmed, &delivery), "command", &why).await,
        };
        let heard = Heard { confirmed: &confirmed, identity, delivery, assurance, text };
        self.takes(&heard, card.as_ref()).await?;
        let _first = self.is_new(&heard.delivery);
        Ok(())
    }

    /// The card that a message answers, as the store knows it.
    async fn answered(&self, room: &RoomId, said: &Message) -> Result<Option<(MessageRef, Approval)>, Left> {
        let tenant = &self.0.matrix.settings().tenant;
        for relation in said.thread.iter().chain(&said.reply_to) {
            let card = message(room, &relation.to);
            if let Some(request) = self.0.gate.store().card_at(tenant, &card).await?
                && let Some(approval) = self.load(request).await?
            {
                return Ok(Some((card, approval)));
            }
        }
        Ok(None)
    }

    async fn takes(&self, heard: &Heard<'_>, card: Option<&(MessageRef, Approval)>) -> Result<(), Left> {
        let on = card.map(|(_, approval)| ReplyCard { request: approval.id, code: approval.code.clone() });
        let Typed { asked, text, place } = match typed(heard.text, on.as_ref(), &MatrixDialect) {
            Ok(read) => read,
            Err(mistake) => return self.replies(heard, Said::Mistake(mistake)).await,
        };
        if let Asked::Do { deed, target, question, words } = asked {
            let wish = Wish { deed, target: &target, question, words };
            return self.wishes(heard, wish, card).await;
        }
        let ask = Ask { asked, text, place, identity: heard.identity.clone() };
        let answer = self.0.commands.answer(self.tenant(), &ask, ROWS).await;
        self.answers_directly(heard, &answer, &ask.text).await
    }

    async fn wishes(
        &self,
        heard: &Heard<'_>,
        Wish { deed, target, question, words }: Wish<'_>,
        card: Option<&(MessageRef, Approval)>,
    ) -> Result<(), Left> {
        let who = (self.tenant(), &heard.identity);
        let (approval, words) = match self.0.commands.request_for(who, deed, target, words).await {
            Ok(found) => found,
            Err(said) => return self.replies(heard, said).await,
        };
        let assurance = self.sure_of(heard, &approval);
        let view = self.0.gate.view(&approval);
        let full = self.0.matrix.shows_all(&view);
        let (surface, identity) = (self.name().clone(), heard.identity.clone());
        let shown = Some(view.shown(&surface, full));
        let ballot = |decision, remember| {
            Done::Vote(Ballot {
                identity: identity.clone(),
                decision,
                note: words.clone(),
                surface: surface.clone(),
                assurance,
                shown,
                remember,
                given_on: None,
                sign: None,
            })
        };
        let text = words.clone().unwrap_or_default();
        let act = match deed {
            Deed::Approve => ballot(Decision::Approve, false),
            Deed::Remember => ballot(Decision::Approve, true),
            Deed::Deny => ballot(Decision::Deny, false),
            Deed::TakeBack => Done::TakeBack { identity, sign: None },
            Deed::Looking => Done::Look { identity },
            Deed::Ask => Done::Ask { identity, to: Addressee::default(), text, surface },
            Deed::Answer => Done::Answer {
                identity,
                question: question.unwrap_or_else(|| last_question(&approval)),
                text,
            },
            Deed::BreakGlass => Done::BreakGlass(Alone { identity, reason: text, surface, assurance, shown }),
            Deed::Review => Done::Review { identity, note: words },
            Deed::Edit => {
                return self.replies(heard, Said::Mistake(Mistake::ByButton(deed.verb()))).await;
            }
        };
        // What is said behind a code stands in the room where it was said; its card is where the request has one.
        let card = match card.filter(|(_, on)| on.id == approval.id) {
            Some((card, _)) => card.clone(),
            None => match self.0.gate.card_message(&approval, self.name()).await? {
                Some((card, _)) => card,
                None => message(&heard.confirmed.act().room, &heard.confirmed.act().event),
            },
        };
        let account = &heard.confirmed.act().sender;
        let whole = view.shown(self.name(), true);
        if deed == Deed::Approve && !full && self.reads_in_thread(heard, &card, whole) {
            let saw = Rendering {
                shown: whole,
                surface: self.name().clone(),
                full: true,
                viewer: Some(heard.identity.clone()),
                covers: view.covers,
            };
            if let Some(key) = self.delivery_of(&format!("saw {}", heard.delivery)) {
                self.delivers(&approval, (key, account), (card.clone(), Done::Saw(saw))).await?;
            }
            let Done::Vote(ballot) = act else { return Ok(()) };
            let act = Done::Vote(Ballot { shown: Some(whole), ..ballot });
            return self.delivers(&approval, (heard.delivery.clone(), account), (card, act)).await;
        }
        self.delivers(&approval, (heard.delivery.clone(), account), (card, act)).await
    }

    /// Whether this is said in the thread of a card, where the whole call stands.
    fn reads_in_thread(&self, heard: &Heard<'_>, card: &MessageRef, whole: ShownDigest) -> bool {
        let What::Message(Message { thread: Some(thread), .. }) = &heard.confirmed.act().what else {
            return false;
        };
        thread.to.as_str() == card.id && self.0.matrix.has_parts(card, whole)
    }

    /// How sure it is that this request is meant, and by whom.
    fn sure_of(&self, heard: &Heard<'_>, approval: &Approval) -> Assurance {
        let act = heard.confirmed.act();
        let What::Message(said) = &act.what else { return Assurance::ServerAsserted };
        let names =
            |word: &str| word.eq_ignore_ascii_case(approval.code.as_str()) || word == approval.id.to_string();
        let is_named = heard.text.split_whitespace().any(names);
        let is_sealed = said.thread.iter().chain(&said.reply_to).all(|relation| relation.is_sealed);
        match act.backing {
            Backing::Encrypted(_) if is_named || is_sealed => heard.assurance,
            _ => Assurance::ServerAsserted,
        }
    }

    fn tenant(&self) -> &TenantId {
        &self.0.matrix.settings().tenant
    }

    async fn replies(&self, heard: &Heard<'_>, said: Said) -> Result<(), Left> {
        self.answers_directly(heard, &Answer::Said(said), heard.text).await
    }

    /// Answers who asked, and nobody else.
    async fn answers_directly(&self, heard: &Heard<'_>, answer: &Answer, typed: &str) -> Result<(), Left> {
        let room = heard.confirmed.act().room.as_str();
        let written = render::commands::answer(answer, typed, self.0.matrix.command_texts(room));
        self.0.matrix.tells_directly(&heard.identity, &written, heard.delivery.as_str()).await?;
        Ok(())
    }
}

/// The number of the question that was asked last, from 1.
fn last_question(approval: &Approval) -> u32 {
    match &approval.state {
        State::WaitingApproval(waiting) => u32::try_from(waiting.questions.len()).unwrap_or(u32::MAX),
        _ => 0,
    }
}
