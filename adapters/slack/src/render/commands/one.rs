//! What is told of one thing: a request, why it was asked, a digest, oneself, and help.

use placet::card::{CardView, shorten};
use placet::command::{Means, Person, Verb, Why};
use placet::gate::Digest;
use placet::text::{CommandLabel, Label, Markup, Texts};
use serde_json::{Value, json};

use super::super::details::{Room, pages_within, standing};
use super::super::pieces::{self, RICH, bold, heading, section, sentence};
use super::{Page, Turns, cut_labelled, cut_line, fallback, of_lines};
use crate::limits;
use crate::mrkdwn::{self, context, rich_text};

/// The room of a message, less what stands around the call. A unit takes three bytes at most.
const MESSAGE: Room = Room { blocks: 30, bytes: 3_600, units: 1_000 };

/// Room for a line of what happened.
const EVENT_UNITS_MAX: usize = 700;

/// Room for how it stands, which repeats what stands in the record.
const STANDING_UNITS_MAX: usize = 200;

/// Room for a remark beside the call.
const REMARK_UNITS_MAX: usize = 120;

/// A request, page by page, and where its card stands.
pub(crate) fn show(
    view: &CardView,
    channels: &[String],
    page: usize,
    (turns, texts): (&dyn Fn(usize, usize) -> Turns, &Texts),
) -> Page {
    let pages = pages_within(MESSAGE, &view.call, texts);
    let page = page.min(pages.len() - 1);
    let head = format!("{} · {}", view.code, pieces::title_of(&view.call, texts));
    let mut blocks = vec![pieces::title(&limits::shorten(&head, limits::HEADER_UNITS_MAX))];
    if pages.len() > 1 {
        blocks.push(context(&[&texts.page(page + 1, pages.len())]));
    }
    let remarks = pieces::remarks(view, texts);
    let remarks: Vec<String> =
        remarks.iter().map(|remark| limits::shorten(remark, REMARK_UNITS_MAX)).collect();
    blocks.extend(pieces::small_print(&remarks));
    blocks.extend(pages.get(page).into_iter().flatten().cloned());
    let shown = shorten::state(view);
    let stands = standing(&shown, texts).into_iter().map(|line| {
        let elements = line["elements"].as_array().cloned().unwrap_or_default();
        section(super::cut(elements, STANDING_UNITS_MAX))
    });
    let mut lines: Vec<Value> = stands.collect();
    lines.extend(where_it_stands(view, channels, texts));
    blocks.push(rich_text(lines));
    blocks.extend(turns(page, pages.len()).of_pages(texts));
    Page { blocks, text: fallback(&head) }
}

/// Where one decides: on its card, which alone has its buttons.
fn where_it_stands(view: &CardView, channels: &[String], texts: &Texts) -> Option<Value> {
    if !view.is_waiting() {
        return None;
    }
    if channels.is_empty() {
        return Some(sentence(&texts.command_label(CommandLabel::ShowNoCard)));
    }
    let mut elements = vec![mrkdwn::rich_text_text(&texts.command_label(CommandLabel::ShowCard))];
    for channel in channels {
        elements.push(mrkdwn::rich_text_text(" "));
        elements.push(json!({ "type": "channel", "channel_id": channel }));
    }
    Some(section(elements))
}

/// The rule, its reason, the raises, the policy, who was asked, and what happened so far.
pub(crate) fn why(why: &Why, page: usize, turns: (&dyn Fn(usize, usize) -> Turns, &Texts)) -> Page {
    let texts = turns.1;
    let mut lines = vec![cut_line(why.view.call.title.as_str(), EVENT_UNITS_MAX)];
    let label = texts.label(Label::WhyAsk);
    let rules = why.view.call.rules.iter();
    lines.extend(rules.map(|rule| cut_labelled(&label, &texts.rule(rule, &RICH), EVENT_UNITS_MAX)));
    lines.push(cut_line(&texts.why_level(why.view.call.level), EVENT_UNITS_MAX));
    if let Some((label, digest)) = &why.policy {
        lines.push(cut_line(&texts.why_policy(label, digest, &RICH), EVENT_UNITS_MAX));
    }
    let asks = match why.asks.as_slice() {
        [] => texts.command_label(CommandLabel::WhyAsksNobody),
        stages => texts.why_asks(stages, &RICH),
    };
    lines.push(cut_line(&asks, EVENT_UNITS_MAX));
    lines.push(heading(&texts.command_label(CommandLabel::WhyHappened)));
    let happened = texts.what_happened(why, &RICH);
    for (at, said) in &happened {
        lines.push(cut_line(&format!("{} · {said}", (RICH.time)(*at)), EVENT_UNITS_MAX));
    }
    if why.is_cut {
        lines.push(sentence(&texts.why_cut(happened.len())));
    }
    of_lines(&texts.why_head(why.view.code.as_str()), lines, page, turns)
}

/// What ran unasked.
pub(crate) fn digest(digest: &Digest, page: usize, turns: (&dyn Fn(usize, usize) -> Turns, &Texts)) -> Page {
    let texts = turns.1;
    let lines = texts.digest(digest, usize::MAX, &RICH);
    let lines = lines.iter().map(|line| cut_line(line, EVENT_UNITS_MAX)).collect();
    of_lines(&texts.command_label(CommandLabel::DigestTitle), lines, page, turns)
}

/// Who somebody is.
pub(crate) fn whoami(person: &Person, texts: &Texts) -> Page {
    let markup = &Markup::PLAIN;
    let mut lines = vec![
        texts.whoami_account(&person.account, &person.tenant, markup),
        texts.whoami_roles(&person.roles, markup),
    ];
    if !person.stands_in_for.is_empty() {
        lines.push(texts.whoami_stands_in(&person.stands_in_for, markup));
    }
    lines.push(texts.whoami_audit(person.audit.0, &person.audit.1, markup));
    lines.push(texts.whoami_steward(person.steward.0, &person.steward.1, markup));
    let head = texts.whoami_head(&person.name, markup);
    let lines = lines.iter().map(|line| cut_line(line, EVENT_UNITS_MAX)).collect();
    of_lines(&limits::shorten(&head, limits::HEADER_UNITS_MAX), lines, 0, (&|_, _| Turns::default(), texts))
}

/// Everything that can be asked.
pub(crate) fn help(texts: &Texts) -> Page {
    let lines = Verb::offered(Means::Buttons).iter().map(|verb| {
        let what = format!("  {}", texts.command_help(*verb, Means::Buttons));
        section(vec![bold(&texts.command_example(verb.example())), mrkdwn::rich_text_text(&what)])
    });
    let head = texts.command_label(CommandLabel::HelpHead);
    of_lines(&head, lines.collect(), 0, (&|_, _| Turns::default(), texts))
}
