//! Answers to commands: messages for who asked, and for nobody else.
//!
//! What always holds: both forms have the same content, and what an agent or a person wrote is text in both; every answer has
//! room in an event, is paged where it is longer, and says by which words one turns its pages; a line that is cut ends in `…`.
//! What is shown is what the gate lets who asked see: where it is sent, others must not read along.

use placet::card::{CardView, StateView, shorten};
use placet::command::{Answer, Ask, Found, Kept, Means, Person, Rows, Stop, Turns, Verb, Why};
use placet::gate::Digest;
use placet::text::{CommandLabel, Label, Texts};

use super::marked::{MARKS, Marked, inserted};
use super::sheet::{Block, Sheet, Written};
use super::{FORM_BYTES_MAX, TAIL_BYTES, bytes, has_room_of, whole};

/// Rows of one page: as many as a person reads. Those that can be taken back are a line longer.
pub const ROWS: Rows = Rows { plain: 10, with_buttons: 10 };

/// Stops that are told above what is pending; all of them stand in their own list.
const STOPS_TOLD_MAX: usize = 3;

/// Room for each text of a row, in characters: the first with which the page fits is taken.
const ROOMS: [usize; 6] = [400, 160, 80, 40, 20, 10];

/// Room for a line of what is told of one thing, in characters.
const LINE_CHARS_MAX: usize = 700;

/// Room for the names of a place, in characters: ids of rooms have up to 255 bytes.
const PLACE_CHARS_MAX: usize = 300;

/// Places of a card that are told.
const PLACES_TOLD_MAX: usize = 4;

/// Room for the blocks of one page; the rest of a message is for what stands around them.
const PAGE_BYTES_MAX: usize = FORM_BYTES_MAX - 2 * TAIL_BYTES;

/// Percent of their room that texts of what is known of a request get beside the whole of it.
const SHARE: usize = 15;

/// The answer to what was typed, without what turned its pages. A file is not written here, but sent; this says so.
#[must_use]
pub fn answer(answer: &Answer, typed: &str, texts: &Texts) -> Written {
    let out = Out { typed, texts };
    match answer {
        Answer::Help => out.help(),
        Answer::Said(said) => out.of_one(texts.command_said(said, Means::Words, &MARKS)),
        Answer::File(file) => out.of_one(texts.exported(file)),
        Answer::Whoami(person) => out.whoami(person),
        Answer::Pending { found, stops, turns } => out.pending(found, stops, *turns),
        Answer::Request { view, channels, page } => out.request(view, channels, *page),
        Answer::Why { why, page } => out.why(why, *page),
        Answer::Audit { tenant, found, further, turns } => {
            let further = further.map(|further| texts.audit_further(further, &MARKS));
            out.audit(tenant.as_str(), found, further.as_deref(), *turns)
        }
        Answer::Remembered { kept, turns } => out.remembered(kept, *turns),
        Answer::Stops { stops, page } => out.stops(stops, *page),
        Answer::Digest { digest, page } => out.digest(digest, *page),
    }
}

/// What is wrong with what was typed.
#[must_use]
pub fn mistake(mistake: &placet::command::Mistake, texts: &Texts) -> Written {
    Out { typed: "", texts }.of_one(texts.mistake(mistake, Means::Words, &MARKS))
}

/// What an answer is written with.
#[derive(Clone, Copy)]
struct Out<'a> {
    /// What was typed, without the word that commands begin with and what turned pages.
    typed: &'a str,
    texts: &'a Texts,
}

fn said(sentence: String, room: usize) -> Block {
    // What inserts lines of its own must not make lines that could pass for Placet's.
    Block::Said(Marked::of(sentence.replace('\n', "⏎")).cut(room))
}

fn title(text: String) -> Block {
    Block::Title(Marked::of(text.replace('\n', "⏎")).cut(LINE_CHARS_MAX))
}

impl Out<'_> {
    fn label(self, label: CommandLabel) -> String {
        self.texts.command_label(label)
    }

    fn of_one(self, sentence: String) -> Written {
        Sheet(vec![said(sentence, 4 * LINE_CHARS_MAX)]).written()
    }

    /// The first of these that has room; the last is short enough for any.
    fn fitting(self, build: impl Fn(usize) -> Sheet) -> Written {
        let mut sheet = Sheet::default();
        for room in ROOMS {
            sheet = build(room);
            if has_room_of(&sheet, FORM_BYTES_MAX) {
                break;
            }
        }
        sheet.written()
    }

    /// By which words one turns the pages.
    fn turned(self, turns: Turns, labels: (String, String)) -> Vec<Block> {
        let ways = [(labels.0, turns.back), (labels.1, turns.forward)];
        let ways = ways.into_iter().filter_map(|(label, place)| Some((label, place?)));
        let blocks = ways.map(|(label, place)| {
            let words =
                place.word().map_or_else(|| self.typed.to_owned(), |word| format!("{} {word}", self.typed));
            Block::Line(label, Marked::of(inserted(&self.texts.command_example(&words))))
        });
        blocks.collect()
    }

    fn of_list(self, turns: Turns) -> Vec<Block> {
        self.turned(turns, (self.label(CommandLabel::Newest), self.label(CommandLabel::Older)))
    }

    /// One page of blocks under a head.
    fn page(self, head: String, pages: &[Vec<Block>], page: usize, foot: Vec<Block>) -> Sheet {
        let total = pages.len().max(1);
        let page = page.min(total - 1);
        let mut sheet = Sheet::default();
        sheet.push(title(head));
        if total > 1 {
            sheet.push(Block::Small(Marked::of(self.texts.page(page + 1, total))));
        }
        sheet.extend(pages.get(page).cloned().unwrap_or_default());
        sheet.extend(foot);
        let labels = (self.texts.label(Label::PreviousPage), self.texts.label(Label::NextPage));
        sheet.extend(self.turned(Ask::numbered(page, total), labels));
        sheet
    }

    fn help(self) -> Written {
        let mut sheet = Sheet::default();
        sheet.push(title(self.label(CommandLabel::HelpHead)));
        for verb in Verb::offered(Means::Words) {
            let what = Marked::of(self.texts.command_help(*verb, Means::Words));
            sheet.push(Block::Line(self.texts.command_example(verb.example()), what));
        }
        sheet.written()
    }

    fn whoami(self, person: &Person) -> Written {
        let texts = self.texts;
        let mut lines = vec![
            texts.whoami_account(&person.account, &person.tenant, &MARKS),
            texts.whoami_roles(&person.roles, &MARKS),
        ];
        if !person.stands_in_for.is_empty() {
            lines.push(texts.whoami_stands_in(&person.stands_in_for, &MARKS));
        }
        lines.push(texts.whoami_audit(person.audit.0, &person.audit.1, &MARKS));
        lines.push(texts.whoami_steward(person.steward.0, &person.steward.1, &MARKS));
        let blocks = lines.into_iter().map(|line| said(line, LINE_CHARS_MAX)).collect();
        self.page(texts.whoami_head(&person.name, &MARKS), &paged(blocks), 0, Vec::new()).written()
    }

    /// The first line of a request: its code, what it does, and how bad it is.
    fn row(self, view: &CardView, room: usize) -> Block {
        let level = self.texts.level(view.call.level);
        let title = Marked::foreign(view.call.title.as_str()).cut(room);
        Block::Line(view.code.to_string(), title.followed_by(&format!(" · {level}")))
    }

    fn pending(self, found: &[Found], stops: &[Stop], turns: Turns) -> Written {
        let texts = self.texts;
        self.fitting(|room| {
            let mut sheet = Sheet::default();
            sheet.push(title(self.label(CommandLabel::PendingHead)));
            for Stop { hold, who, reason } in stops.iter().take(STOPS_TOLD_MAX) {
                sheet.push(Block::Small(Marked::of(texts.stopped(hold, (who, reason), &MARKS)).cut(room)));
            }
            if found.is_empty() {
                sheet.said(self.label(CommandLabel::PendingNone));
            }
            for one in found {
                let view = &one.view;
                sheet.push(self.row(view, room));
                if let Some(times) = one.times {
                    sheet.push(said(texts.pending_times(times, view.call.asked_by.as_str(), &MARKS), room));
                }
                sheet.extend(texts.needs_until(&view.state, &MARKS).map(|needs| said(needs, room)));
                if let StateView::Waiting { votes, .. } = &view.state
                    && !votes.is_empty()
                {
                    sheet.push(said(texts.votes(votes, &MARKS), room));
                }
                sheet
                    .extend(one.stopped.as_ref().map(|reason| said(texts.stopped_row(reason, &MARKS), room)));
            }
            sheet.extend(self.of_list(turns));
            sheet
        })
    }

    fn audit(self, tenant: &str, found: &[Found], further: Option<&str>, turns: Turns) -> Written {
        let texts = self.texts;
        self.fitting(|room| {
            let mut sheet = Sheet::default();
            sheet.push(title(texts.audit_head(tenant, &MARKS)));
            if found.is_empty() && further.is_none() {
                sheet.said(self.label(CommandLabel::AuditNone));
            }
            for one in found {
                let view = &one.view;
                sheet.push(self.row(view, room));
                let tool = Marked::foreign(view.call.tool.as_str()).cut(room);
                sheet.push(Block::Line(texts.label(Label::Call), tool));
                let asked = texts.audit_asked(view.call.asked_by.as_str(), view.call.asked_at, &MARKS);
                sheet.push(said(asked, room));
                let state = texts.state_head(&view.state);
                sheet.push(said(format!("{state} · {}", texts.state_said(view, &MARKS)), room));
            }
            sheet.extend(further.map(|further| said(further.to_owned(), LINE_CHARS_MAX)));
            sheet.extend(self.of_list(turns));
            sheet
        })
    }

    fn remembered(self, kept: &[Kept], turns: Turns) -> Written {
        let texts = self.texts;
        self.fitting(|room| {
            let mut sheet = Sheet::default();
            sheet.push(title(self.label(CommandLabel::RememberedHead)));
            if kept.is_empty() {
                sheet.said(self.label(CommandLabel::RememberedNone));
            }
            for one in kept {
                sheet.push(Block::Strong(Marked::foreign(&one.calls).cut(room)));
                sheet.push(said(texts.remembered_row(&one.agent, &one.names, one.until, &MARKS), room));
                sheet.push(self.by_words(CommandLabel::Forget, Verb::Forget, &one.id.to_string()));
            }
            sheet.extend(self.of_list(turns));
            sheet
        })
    }

    fn stops(self, stops: &[Stop], page: usize) -> Written {
        let texts = self.texts;
        let rows = ROWS.with_buttons as usize;
        let total = stops.len().div_ceil(rows).max(1);
        let page = page.min(total - 1);
        self.fitting(|room| {
            let mut sheet = Sheet::default();
            sheet.push(title(self.label(CommandLabel::StopsHead)));
            if stops.is_empty() {
                sheet.said(self.label(CommandLabel::StopsNone));
            }
            if total > 1 {
                sheet.push(Block::Small(Marked::of(texts.page(page + 1, total))));
            }
            for Stop { hold, who, reason } in stops.iter().skip(page * rows).take(rows) {
                sheet.push(Block::Strong(Marked::of(texts.stop_scope(&hold.scope, &MARKS)).cut(room)));
                sheet.push(said(texts.stops_row((who, hold.since, reason), &MARKS), room));
                sheet.push(match hold.tenant {
                    None => Block::Small(Marked::of(self.label(CommandLabel::StopsInstallation))),
                    Some(_) => self.by_words(CommandLabel::Lift, Verb::Lift, &hold.id.to_string()),
                });
            }
            let labels = (texts.label(Label::PreviousPage), texts.label(Label::NextPage));
            sheet.extend(self.turned(Ask::numbered(page, total), labels));
            sheet
        })
    }

    /// By which words something is taken back.
    fn by_words(self, label: CommandLabel, verb: Verb, of: &str) -> Block {
        let words = self.texts.command_example(&format!("{} {of}", verb.name()));
        Block::Line(self.label(label), Marked::of(inserted(&words)))
    }

    fn request(self, view: &CardView, channels: &[String], page: usize) -> Written {
        let texts = self.texts;
        let head = format!("{} · {}", view.code, inserted(view.call.title.as_str()));
        let pages = whole::pages_within(PAGE_BYTES_MAX, view, texts).unwrap_or_default();
        let shown = shorten::view(view, SHARE);
        self.fitting(|room| {
            let remarks = texts.remarks(view, &MARKS).into_iter();
            let remark = |remark: String| Block::Small(Marked::of(remark.replace('\n', "⏎")).cut(room));
            let mut around: Vec<Block> = remarks.map(remark).collect();
            if pages.is_empty() {
                around.push(Block::Strong(Marked::of(texts.label(Label::TooLongToShow))));
            }
            around.extend(self.standing(&shown, room));
            around.extend(self.where_it_stands(view, channels));
            self.page(head.clone(), &pages, page, around)
        })
    }

    /// How it stands.
    fn standing(self, view: &CardView, room: usize) -> Vec<Block> {
        let texts = self.texts;
        let StateView::Waiting { votes, .. } = &view.state else {
            let lines = [texts.record_head(view, &MARKS), texts.state_line(view, &MARKS)];
            return lines.into_iter().map(|line| said(line, room)).collect();
        };
        let terms = texts.terms(&view.call, &view.state, true, &MARKS).into_iter();
        let mut blocks: Vec<Block> =
            terms.map(|(label, line)| Block::Line(label, Marked::of(line).cut(room))).collect();
        blocks.push(Block::Line(texts.label(Label::IfDenied), Marked::of(texts.if_denied(&view.state))));
        if !votes.is_empty() {
            blocks.push(Block::Line(
                texts.label(Label::Votes),
                Marked::of(texts.votes(votes, &MARKS)).cut(room),
            ));
        }
        blocks
    }

    /// Where one decides: on its card, or by the code.
    fn where_it_stands(self, view: &CardView, channels: &[String]) -> Vec<Block> {
        if !view.is_waiting() {
            return Vec::new();
        }
        if channels.is_empty() {
            return vec![said(self.label(CommandLabel::ShowNoCard), LINE_CHARS_MAX)];
        }
        let named: Vec<String> =
            channels.iter().take(PLACES_TOLD_MAX).map(|channel| inserted(channel)).collect();
        let places = format!("{} {}", self.label(CommandLabel::ShowCard), named.join(" "));
        vec![said(places, PLACE_CHARS_MAX * PLACES_TOLD_MAX)]
    }

    fn why(self, why: &Why, page: usize) -> Written {
        let texts = self.texts;
        let line = |sentence: String| said(sentence, LINE_CHARS_MAX);
        let mut blocks = vec![line(inserted(why.view.call.title.as_str()))];
        for rule in &why.view.call.rules {
            let rule = Marked::of(texts.rule(rule, &MARKS).replace('\n', "⏎")).cut(LINE_CHARS_MAX);
            blocks.push(Block::Line(texts.label(Label::WhyAsk), rule));
        }
        blocks.push(line(texts.why_level(why.view.call.level)));
        blocks.extend(why.policy.iter().map(|(label, digest)| line(texts.why_policy(label, digest, &MARKS))));
        blocks.push(line(match why.asks.as_slice() {
            [] => self.label(CommandLabel::WhyAsksNobody),
            stages => texts.why_asks(stages, &MARKS),
        }));
        blocks.push(Block::Strong(Marked::of(self.label(CommandLabel::WhyHappened))));
        let happened = texts.what_happened(why, &MARKS);
        blocks.extend(happened.iter().map(|(at, said)| line(format!("{} · {said}", (MARKS.time)(*at)))));
        if why.is_cut {
            blocks.push(line(texts.why_cut(happened.len())));
        }
        self.page(texts.why_head(why.view.code.as_str()), &paged(blocks), page, Vec::new()).written()
    }

    fn digest(self, digest: &Digest, page: usize) -> Written {
        let lines = self.texts.digest(digest, usize::MAX, &MARKS).into_iter();
        let blocks = lines.map(|line| said(line, LINE_CHARS_MAX)).collect();
        self.page(self.label(CommandLabel::DigestTitle), &paged(blocks), page, Vec::new()).written()
    }
}

/// Blocks in pages; at least one page.
fn paged(blocks: Vec<Block>) -> Vec<Vec<Block>> {
    let mut pages = vec![Vec::new()];
    let mut taken = 0;
    for block in blocks {
        let size = bytes(&block);
        if taken + size > PAGE_BYTES_MAX && pages.last().is_some_and(|page| !page.is_empty()) {
            pages.push(Vec::new());
            taken = 0;
        }
        taken += size;
        if let Some(page) = pages.last_mut() {
            page.push(block);
        }
    }
    pages
}

#[cfg(test)]
mod tests;
