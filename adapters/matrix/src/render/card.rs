//! The card that people decide on.
//!
//! What Placet knows and what the agent says never share a line: no text of the agent's can go on as if it were Placet's.

use placet::card::argument::{self, Item, LINES_MAX, LINES_SHOWN};
use placet::card::shorten::fit;
use placet::card::{ArgView, CallView, CardView, RuleView, StateView, Visible, unlike_placet};
use placet::text::{DecidingLabel, DialogText, Label, Texts};

use super::marked::{MARKS, Marked, inserted};
use super::sheet::{Block, Sheet};

/// Lines of a value that stands among those of one line.
const SHORT_LINES_MAX: usize = 4;
/// Arguments that stand in front where all stand in the JSON, each on its line.
const LEADING_MAX: usize = 6;
/// Room for the name of such an argument, in bytes of JSON.
const LEADING_NAME_BYTES: usize = 80;
/// Room for its value.
const LEADING_VALUE_BYTES: usize = 240;
/// Room for a remark, in characters: some hold a name, or the reason of an earlier no.
pub(super) const REMARK_CHARS_MAX: usize = 400;

/// The card for `view`, whose texts may be cut; `whole` is the view itself. How one decides comes after it.
pub(super) fn sheet(view: &CardView, whole: &CardView, can_be_approved: bool, texts: &Texts) -> Sheet {
    let call = &view.call;
    let mut sheet = Sheet::default();
    sheet.push(Block::Title(title(call, texts)));
    sheet.extend(minds(whole, texts));
    let (short, long) = arguments(call, &whole.call, texts);
    sheet.line(texts.asked_by_label(), texts.asked_by_and_code(view, &MARKS));
    sheet.push(said(texts.label_of_the_agent(Label::Task), call.task.as_str(), texts));
    sheet.push(said(texts.label(Label::AgentReason), call.reason.as_str(), texts));
    sheet.push(Block::Line(texts.label(Label::Call), Marked::foreign(call.tool.as_str())));
    sheet.extend(short);
    why(view, whole, can_be_approved, &mut sheet, texts);
    if let Some(edited) = &call.edited {
        let changes = whole.call.edited.as_ref().map_or(&edited.changes, |edited| &edited.changes);
        sheet.extend(fixed(texts.label(Label::Changes), &edited.changes, changes, texts));
    }
    if let Some(preview) = &call.preview {
        let all = whole.call.preview.as_ref().unwrap_or(preview);
        sheet.extend(fixed(texts.label_of_the_agent(Label::Preview), preview, all, texts));
    }
    sheet.extend(long);
    let asides = texts.asides(view).into_iter();
    sheet.extend(asides.map(|aside| Block::Small(Marked::of(aside).cut(REMARK_CHARS_MAX))));
    sheet
}

/// `CRITICAL · Delete 1 file`
pub(super) fn title(call: &CallView, texts: &Texts) -> Marked {
    Marked::of(texts.title_line(call, &inserted(call.title.as_str())))
}

/// What could change somebody's mind.
pub(super) fn minds(whole: &CardView, texts: &Texts) -> Vec<Block> {
    let minds = texts.minds(whole, &MARKS).into_iter();
    minds.map(|said| Block::Strong(Marked::of(said).cut(REMARK_CHARS_MAX))).collect()
}

/// The agent's words under their label; that there are none where there are none.
fn said(label: String, words: &str, texts: &Texts) -> Block {
    if words.trim().is_empty() {
        return Block::Line(label, Marked::of(texts.deciding(DecidingLabel::NotGiven)));
    }
    Block::Words(label, unlike_placet(words))
}

/// With which effect, why it is asked, on which grounds, what if not, and until when.
fn why(view: &CardView, whole: &CardView, can_be_approved: bool, sheet: &mut Sheet, texts: &Texts) {
    let call = &view.call;
    match &call.effect {
        Some(effect) => effect_of(effect, sheet, texts),
        None => sheet.line(texts.label(Label::Effect), texts.deciding(DecidingLabel::EffectUnknown)),
    }
    if let Some(figures) = texts.figures(call, &MARKS) {
        sheet.line(texts.label(Label::Figures), figures);
    }
    rules(&call.rules, whole.call.rules.len(), sheet, texts);
    evidence(call, whole.call.evidence.len(), sheet, texts);
    for (label, said) in texts.terms(&whole.call, &view.state, can_be_approved, &MARKS) {
        sheet.line(label, said);
    }
    if_denied(view, sheet, texts);
    talk(view, sheet, texts);
}

/// The effect is the policy's text with arguments filled in: of several lines it is set apart.
fn effect_of(effect: &Visible, sheet: &mut Sheet, texts: &Texts) {
    let label = texts.label(Label::Effect);
    sheet.push(if effect.as_str().contains('\n') {
        Block::Words(label, unlike_placet(effect.as_str()))
    } else {
        Block::Line(label, Marked::foreign(effect.as_str()))
    });
}

fn rules(rules: &[RuleView], total: usize, sheet: &mut Sheet, texts: &Texts) {
    let label = texts.label(Label::WhyAsk);
    if total == 0 {
        sheet.line(label, texts.deciding(DecidingLabel::NoRule));
        return;
    }
    for rule in rules {
        sheet.line(label.clone(), texts.rule(rule, &MARKS).replace('\n', "⏎"));
    }
    if rules.len() < total {
        sheet.line(label, texts.lines_shown(rules.len(), total));
    }
}

fn evidence(call: &CallView, total: usize, sheet: &mut Sheet, texts: &Texts) {
    if call.evidence.is_empty() {
        return;
    }
    let pieces: Vec<String> = call.evidence.iter().map(|piece| unlike_placet(&piece.said())).collect();
    sheet.push(Block::Words(texts.label_of_the_agent(Label::BasedOn), pieces.join("\n")));
    if call.evidence.len() < total {
        sheet.line(texts.label(Label::BasedOn), texts.lines_shown(call.evidence.len(), total));
    }
}

/// What a no does, and what the agent says it does then.
pub(super) fn if_denied(view: &CardView, sheet: &mut Sheet, texts: &Texts) {
    sheet.line(texts.label(Label::IfDenied), texts.if_denied(&view.state));
    if let Some(said) = view.call.if_denied.as_ref().filter(|said| !said.as_str().trim().is_empty()) {
        sheet.push(Block::Words(texts.then_in_the_agents_words(), unlike_placet(said.as_str())));
    }
}

/// Who has said what, what was asked and answered, and who is looking.
fn talk(view: &CardView, sheet: &mut Sheet, texts: &Texts) {
    let StateView::Waiting { votes, questions, looking, .. } = &view.state else { return };
    if !votes.is_empty() {
        sheet.line(texts.label(Label::Votes), texts.votes(votes, &MARKS));
    }
    let label = texts.dialog(DialogText::QuestionsLabel);
    for question in questions {
        sheet.line(label.clone(), texts.asked(question, view.call.asked_by.as_str(), &MARKS));
        if let Some(answer) = &question.answer {
            // The sentence names who answers, and is a label here.
            let by = Marked::of(texts.answered_by(answer, &MARKS)).plain();
            sheet.push(Block::Words(by, unlike_placet(answer.text.as_str())));
        }
    }
    if let Some(looking) = texts.looking(looking, &MARKS) {
        sheet.said(looking);
    }
}

/// The arguments: those of a line or a few, which stand first, and those of many lines, or all as JSON, which stand last.
fn arguments(call: &CallView, whole: &CallView, texts: &Texts) -> (Vec<Block>, Vec<Block>) {
    if let Some(items) = argument::items(call, whole) {
        let (long, short): (Vec<Item<'_>>, Vec<Item<'_>>) =
            items.into_iter().partition(|item| item.value.lines().count() > SHORT_LINES_MAX);
        let blocks = |items: &[Item<'_>]| items.iter().flat_map(|item| argument_of(item, texts)).collect();
        return (blocks(&short), blocks(&long));
    }
    let label = texts.label(Label::Arguments);
    if whole.args.is_empty() && call.args_json == whole.args_json {
        return (
            vec![Block::Line(label, Marked::of(texts.no_arguments(&inserted(call.args_json.as_str()))))],
            Vec::new(),
        );
    }
    let leading = call.args.iter().filter(|arg| arg.leading).take(LEADING_MAX).map(cut_argument);
    (leading.collect(), fixed(label, &call.args_json, &whole.args_json, texts))
}

fn argument_of(item: &Item<'_>, texts: &Texts) -> Vec<Block> {
    if item.is_line() {
        return vec![Block::Argument(item.name.to_owned(), item.value.clone().into_owned())];
    }
    let total = item.value.lines().count();
    if total <= LINES_MAX {
        return vec![Block::Lines(item.name.to_owned(), item.value.clone().into_owned())];
    }
    let first: Vec<&str> = item.value.lines().take(LINES_SHOWN).collect();
    vec![
        Block::Lines(item.name.to_owned(), first.join("\n")),
        Block::Said(Marked::of(texts.lines_shown(LINES_SHOWN, total))),
    ]
}

/// One argument, cut to its room.
pub(super) fn cut_argument(arg: &ArgView) -> Block {
    let value = fit(&arg.value, LEADING_VALUE_BYTES);
    let value = value.as_str().replace('\n', "⏎").replace('\t', "⇥");
    Block::Argument(fit(&arg.name, LEADING_NAME_BYTES).into_string(), value)
}

/// Text in fixed width as it stands, cut where `shown` is; of many lines the first ones, and how many those are.
fn fixed(label: String, shown: &Visible, whole: &Visible, texts: &Texts) -> Vec<Block> {
    let total = whole.as_str().lines().count();
    let lines = shown.as_str().lines().count();
    if lines > LINES_MAX {
        let first: Vec<&str> = shown.as_str().lines().take(LINES_SHOWN).collect();
        let partly = Block::Said(Marked::of(texts.lines_shown(LINES_SHOWN, total)));
        return vec![Block::Fixed(label, first.join("\n")), partly];
    }
    let mut blocks = vec![Block::Fixed(label, shown.as_str().to_owned())];
    if shown != whole {
        // A line that is cut does not count as shown.
        blocks.push(Block::Said(Marked::of(texts.lines_shown(lines.saturating_sub(1), total))));
    }
    blocks
}
