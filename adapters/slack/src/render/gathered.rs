//! One card for several calls, each with buttons of its own.
//!
//! What is the same for each of them is said once, above them, where they all have room. A message has room for a few
//! calls only. Which of them stand there whole follows from the view alone, so that it can be put on record before it is
//! posted; one that does not has no button to approve, as on any card. What can be done beside yes and no stands behind a
//! menu of each, where there is room for all of them; in Details it does anyway.

use placet::card::{CallView, CardView, StateView, shorten};
use placet::id::SurfaceName;
use placet::text::{DecidingLabel, DialogText, Label, Language, Texts};
use serde_json::{Value, json};

use super::arguments::{self, Item};
use super::card::{buttons, no_approve};
use super::pieces::{self, RICH, agents, bold, code, elements, one_line, section, sentence};
use super::{ButtonValue, DECIDE_BLOCK, Rendering, menu};
use crate::limits::{self, MESSAGE_BLOCKS_BYTES_MAX};
use crate::mrkdwn::{self, rich_text, rich_text_text};

/// Room for the head, in bytes of JSON.
const HEAD_BYTES: usize = 300;
/// How much of the usual room a part's long texts get when they do not fit whole, in percent; the first that fits is
/// taken.
const SHARES: [usize; 4] = [50, 25, 12, 5];

/// The card of a request with the parts that others have of it.
pub(super) fn render(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Rendering {
    let all = || std::iter::once(view).chain(&view.parts);
    let waiting = all().filter(|part| part.is_waiting()).count();
    let head = texts.gathered(all().count(), waiting);
    let mut blocks = vec![mrkdwn::header(&limits::shorten(&head, limits::HEADER_UNITS_MAX))];
    let Shown { alike, mut parts } = parts(view, surface, texts);
    let full = parts.first().is_some_and(|own| own.full);
    add_menus(&mut parts, alike.as_ref(), (view, texts));
    blocks.extend(alike);
    blocks.extend(parts.into_iter().flat_map(|part| part.blocks));
    let codes: Vec<String> = all().map(|part| part.code.to_string()).collect();
    let line = format!("{head} · {}", codes.join(" · "));
    let text = mrkdwn::escape(&limits::shorten(&line, limits::TEXT_UNITS_MAX));
    Rendering { blocks, text, full }
}

/// As [`render`], with as little of each call as there can be, and no button to approve.
pub(super) fn compact(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Vec<Value> {
    let all = std::iter::once(view).chain(&view.parts);
    all.enumerate().flat_map(|(number, part)| least(part, number, surface, texts)).collect()
}

/// Whether this part of the card shows its whole call.
pub(super) fn shows_all(view: &CardView, part: &CardView, surface: &SurfaceName, texts: &Texts) -> bool {
    let all = std::iter::once(view).chain(&view.parts).zip(parts(view, surface, texts).parts);
    all.into_iter().any(|(other, shown)| other.request == part.request && shown.full)
}

/// What is shown of all parts.
struct Shown {
    /// What is the same for each that waits.
    alike: Option<Value>,
    /// Each part, the card's own request's first.
    parts: Vec<Part>,
}

/// All parts of the card. One is full where it would be in every language.
fn parts(view: &CardView, surface: &SurfaceName, texts: &Texts) -> Shown {
    let own = laid_out(view, surface, texts, &[]);
    let mut full: Vec<bool> = own.parts.iter().map(|part| part.full).collect();
    for language in Language::ALL.into_iter().filter(|language| *language != texts.language()) {
        let there = laid_out(view, surface, Texts::of(language), &[]).parts;
        full.iter_mut().zip(there).for_each(|(full, part)| *full &= part.full);
    }
    let same = own.parts.iter().zip(&full).all(|(part, full)| part.full == *full);
    if same { own } else { laid_out(view, surface, texts, &full) }
}

/// All parts in one language: whole, with what is the same for each said once; where that takes too much room, each by
/// itself. `full` says which may be full: all, where it says nothing of them.
fn laid_out(view: &CardView, surface: &SurfaceName, texts: &Texts, full: &[bool]) -> Shown {
    let all: Vec<&CardView> = std::iter::once(view).chain(&view.parts).collect();
    let room = MESSAGE_BLOCKS_BYTES_MAX.saturating_sub(HEAD_BYTES);
    let waiting: Vec<&CardView> = all.iter().copied().filter(|part| part.is_waiting()).collect();
    let alike = alike(&waiting, (surface, texts));
    if !alike.is_empty() {
        let whole = |(number, view): (usize, &&CardView)| {
            part(view, (number, usize::MAX), &Context { surface, texts, full, alike: &alike })
        };
        let parts: Vec<Part> = all.iter().enumerate().map(whole).collect();
        let mut told = Told(Vec::new());
        alike.iter().for_each(|line| told.line(line));
        let heading = section(vec![bold(&texts.alike())]);
        let shared = rich_text(vec![heading, section(told.0)]);
        let needed =
            parts.iter().map(|part| size(&part.blocks)).sum::<usize>() + size(std::slice::from_ref(&shared));
        if needed <= room {
            return Shown { alike: Some(shared), parts };
        }
    }
    Shown { alike: None, parts: by_themselves(&all, room, &Context { surface, texts, full, alike: &[] }) }
}

/// The lines that each of these has; none where there is only one.
fn alike(waiting: &[&CardView], (surface, texts): (&SurfaceName, &Texts)) -> Vec<Line> {
    let [first, others @ ..] = waiting else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let others: Vec<_> =
        others.iter().map(|view| lines(&shorten::state(view), &view.call, (surface, texts))).collect();
    let mut alike = lines(&shorten::state(first), &first.call, (surface, texts));
    alike.retain(|line| others.iter().all(|lines| lines.contains(line)));
    alike
}

/// Those that need least room get what they need; what is left is for the others in equal shares.
fn by_themselves(all: &[&CardView], mut room: usize, context: &Context<'_>) -> Vec<Part> {
    let sized = |(number, view): (usize, &&CardView)| {
        let whole = part(view, (number, usize::MAX), context);
        (size(&whole.blocks), number, whole)
    };
    let mut wholes: Vec<_> = all.iter().enumerate().map(sized).collect();
    wholes.sort_by_key(|(size, number, _)| (*size, *number));
    let mut left = wholes.len();
    let mut parts = Vec::new();
    for (needed, number, whole) in wholes {
        let share = room / left.max(1);
        // One that needs a little more than its share is better whole than cut; the last has no more than there is.
        let most = if left > 1 { share + share / 8 } else { share };
        let part = match all.get(number) {
            Some(view) if needed > most => part(view, (number, share), context),
            _ => whole,
        };
        room = room.saturating_sub(size(&part.blocks));
        left -= 1;
        parts.push((number, part));
    }
    parts.sort_by_key(|(number, _)| *number);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Bytes of JSON, with the commas between.
fn size(blocks: &[Value]) -> usize {
    blocks.iter().map(|block| block.to_string().len() + 1).sum()
}

/// What a part is made for.
struct Context<'a> {
    surface: &'a SurfaceName,
    texts: &'a Texts,
    /// Which parts may be full: all, where it says nothing of them.
    full: &'a [bool],
    /// Lines that stand above all parts, and in none.
    alike: &'a [Line],
}

/// A part as it is sent.
struct Part {
    blocks: Vec<Value>,
    full: bool,
}

fn part(view: &CardView, (number, room): (usize, usize), context: &Context<'_>) -> Part {
    let Context { surface, texts, .. } = *context;
    let fits = |blocks: &[Value]| size(blocks) <= room;
    if !view.is_waiting() {
        let least = least(view, number, surface, texts);
        let stopped = pieces::stopped(view, texts).map(|said| rich_text(vec![said]));
        let told: Vec<Value> = least.iter().cloned().chain(stopped).collect();
        return Part { blocks: if fits(&told) { told } else { least }, full: false };
    }
    let full = view.call.redacted == 0
        && !arguments::is_long(&view.call)
        && context.full.get(number).copied().unwrap_or(true);
    let shown = shorten::state(view);
    let whole = blocks(&shown, view, (number, &ButtonValue::of(view, surface, full)), context);
    if fits(&whole) {
        return Part { blocks: whole, full };
    }
    let value = ButtonValue::of(view, surface, false);
    let shortened =
        SHARES.iter().map(|share| blocks(&shorten::view(view, *share), view, (number, &value), context));
    let shortened = shortened.into_iter().find(|blocks| fits(blocks));
    Part { blocks: shortened.unwrap_or_else(|| least(view, number, surface, texts)), full: false }
}

/// Gives each part that waits its menu, where all have room. What is full does not depend on it.
fn add_menus(parts: &mut [Part], alike: Option<&Value>, (view, texts): (&CardView, &Texts)) {
    let all = std::iter::once(view).chain(&view.parts).enumerate();
    let menus: Vec<Option<Value>> =
        all.map(|(number, part)| menu::of_part(part, number + 1, texts)).collect();
    let needed = menus.iter().flatten().map(|menu| menu.to_string().len() + 1).sum::<usize>()
        + parts.iter().map(|part| size(&part.blocks)).sum::<usize>()
        + alike.map_or(0, |alike| size(std::slice::from_ref(alike)));
    if needed > MESSAGE_BLOCKS_BYTES_MAX.saturating_sub(HEAD_BYTES) {
        return;
    }
    for (part, menu) in parts.iter_mut().zip(menus) {
        let elements = part.blocks.last_mut().and_then(|buttons| buttons["elements"].as_array_mut());
        if let (Some(elements), Some(menu)) = (elements, menu) {
            elements.push(menu);
        }
    }
}

/// The blocks for `view`, whose call may be cut; `whole` is the view itself.
fn blocks(
    view: &CardView,
    whole: &CardView,
    (number, value): (usize, &ButtonValue),
    context: &Context<'_>,
) -> Vec<Value> {
    let (call, texts) = (&view.call, context.texts);
    let title = pieces::title_of(call, texts);
    let mut what = vec![bold(&format!("{}. {title}\n", number + 1)), code(call.tool.as_str())];
    let items = arguments::items(call, &whole.call);
    let short = items.filter(|items| items.iter().all(Item::is_line));
    for item in short.iter().flatten() {
        what.push(bold(&format!("\n{}  ", item.name)));
        what.push(code(&item.value));
    }
    let mut all = vec![section(what)];
    all.extend(pieces::minds(whole, texts));
    if short.is_none() {
        all.extend(arguments::fixed(&call.args_json, &whole.call.args_json, texts));
    }
    let mut told = Told(Vec::new());
    for one in lines(view, &whole.call, (context.surface, texts)) {
        if !context.alike.contains(&one) {
            told.line(&one);
        }
    }
    all.extend((!told.0.is_empty()).then(|| section(told.0)));
    all.extend((!value.full).then(|| sentence(&no_approve(&whole.call, &view.state, texts))));
    let mut blocks = vec![rich_text(all)];
    blocks.extend(pieces::small_print(&pieces::asides(view, texts)));
    blocks.push(own_buttons(value, whole, number, texts));
    blocks
}

/// A line: its label, and what stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    label: String,
    said: String,
    /// Whether these are the agent's words.
    is_agents: bool,
}

/// What is to be known beside title and arguments.
fn lines(view: &CardView, whole: &CallView, (surface, texts): (&SurfaceName, &Texts)) -> Vec<Line> {
    let call = &view.call;
    let place = pieces::asked_place(call, surface, texts);
    let own = |label: String, said: String| Line { label, said, is_agents: false };
    let words = |label: String, said: &str| match said.trim() {
        "" => Line { label, said: texts.deciding(DecidingLabel::NotGiven), is_agents: false },
        _ => Line { label, said: said.to_owned(), is_agents: true },
    };
    let mut lines = vec![
        own(texts.asked_by_label(), texts.asked_by_in(call, place.as_deref(), &RICH)),
        words(agents(Label::Task, texts), call.task.as_str()),
        words(texts.label(Label::AgentReason), call.reason.as_str()),
    ];
    let effect = call.effect.as_ref().map(ToString::to_string);
    let effect = effect.unwrap_or_else(|| texts.deciding(DecidingLabel::EffectUnknown));
    lines.push(own(texts.label(Label::Effect), effect));
    lines.extend(texts.figures(call, &RICH).map(|figures| own(texts.label(Label::Figures), figures)));
    lines.extend(call.preview.as_ref().map(|text| words(agents(Label::Preview, texts), text.as_str())));
    lines.extend(call.rules.iter().map(|rule| own(texts.label(Label::WhyAsk), texts.rule(rule, &RICH))));
    if call.rules.is_empty() {
        lines.push(own(texts.label(Label::WhyAsk), texts.deciding(DecidingLabel::NoRule)));
    }
    for piece in &call.evidence {
        let parts = [Some(&piece.title), piece.uri.as_ref(), piece.excerpt.as_ref()];
        let parts: Vec<&str> = parts.into_iter().flatten().map(|part| part.as_str()).collect();
        lines.push(words(agents(Label::BasedOn, texts), &parts.join(" · ")));
    }
    let terms = pieces::terms_said(whole, &view.state, texts);
    lines.extend(terms.into_iter().map(|(label, said)| own(label, said)));
    lines.push(own(texts.label(Label::IfDenied), texts.if_denied(&view.state)));
    let then = call.if_denied.as_ref().filter(|said| !said.as_str().trim().is_empty());
    lines.extend(then.map(|said| words(texts.then_in_the_agents_words(), said.as_str())));
    if let StateView::Waiting { votes, questions, looking, .. } = &view.state {
        if !votes.is_empty() {
            lines.push(own(texts.label(Label::Votes), texts.votes(votes, &RICH)));
        }
        let label = texts.dialog(DialogText::QuestionsLabel);
        for question in questions {
            lines.push(own(label.clone(), texts.asked(question, call.asked_by.as_str(), &RICH)));
            let answer = question.answer.as_ref();
            lines.extend(answer.map(|answer| words(texts.answered_by(answer, &RICH), answer.text.as_str())));
        }
        lines.extend(texts.looking(looking, &RICH).map(|looking| own(String::new(), looking)));
    }
    lines
}

/// The least there can be of a part: what it is, where it stands, and, while it waits, the way to Details.
fn least(view: &CardView, number: usize, surface: &SurfaceName, texts: &Texts) -> Vec<Value> {
    /// Percent of the usual room.
    const SHARE: usize = 10;
    let shown = &shorten::view(view, SHARE);
    let waits = view.is_waiting();
    let head = if waits { pieces::title_of(&shown.call, texts) } else { texts.record_head(shown, &RICH) };
    let line = if waits {
        texts.needs_until(&shown.state, &RICH).unwrap_or_default()
    } else {
        texts.state_line(shown, &RICH)
    };
    let mut first = vec![bold(&format!("{}. ", number + 1))];
    first.extend(elements(&head));
    let mut blocks = vec![rich_text(vec![section(first), sentence(&line)])];
    if waits {
        let value = ButtonValue::of(view, surface, false);
        blocks.push(own_buttons(&value, view, number, texts));
    }
    blocks
}

/// The buttons of one part, in a block of their own. Nothing is remembered here: its scope needs a card of its own.
fn own_buttons(value: &ButtonValue, view: &CardView, number: usize, texts: &Texts) -> Value {
    let call = CallView { remember: None, ..view.call.clone() };
    let mut actions = buttons(value, (&call, &view.state), texts);
    actions["block_id"] = Value::from(format!("{DECIDE_BLOCK}_{}", number + 1));
    for button in actions["elements"].as_array_mut().into_iter().flatten() {
        let action = button["action_id"].as_str().unwrap_or_default();
        button["action_id"] = Value::from(format!("{action}_{}", number + 1));
    }
    actions
}

/// Lines in one element, each with its label in bold, and the agent's words in italics: no value can pretend to be another
/// line, for its ends of line are signs, and neither bold nor the end of italics can be had from within a text.
struct Told(Vec<Value>);

impl Told {
    fn line(&mut self, Line { label, said, is_agents }: &Line) {
        if said.trim().is_empty() {
            return;
        }
        let end = if self.0.is_empty() { "" } else { "\n" };
        let gap = if label.is_empty() { "" } else { "  " };
        self.0.extend(pieces::bold_elements(&format!("{end}{label}{gap}")));
        if *is_agents {
            let mut words = rich_text_text(&format!("“{}”", one_line(&pieces::unlike_placet(said))));
            words["style"] = json!({ "italic": true });
            self.0.push(words);
        } else {
            self.0.extend(elements(&one_line(said)));
        }
    }
}
