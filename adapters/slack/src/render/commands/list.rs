//! Lists: what is pending, the audit, what is remembered, what is stopped.

use placet::card::{CardView, StateView};
use placet::command::{Found, Kept, Stop};
use placet::hold::Hold;
use placet::id::HoldId;
use placet::text::{CommandLabel, Markup, Texts};
use placet::time::Timestamp;
use serde_json::Value;

use super::super::pieces::{self, RICH, bold, code, section};
use super::{BUTTON_ROWS_PER_PAGE, FORGET_ACTION, LIFT_ACTION, Page, Turns, cut_line, fallback, fitting};
use crate::limits;
use crate::mrkdwn::{ButtonStyle, actions, button, context, rich_text, with_confirm};

/// Stops that are told above what is pending; all of them stand in their own list.
const STOPS_TOLD_MAX: usize = 3;

/// The first line of a request: its code, what it does, and how bad it is.
fn title(view: &CardView, room: usize, texts: &Texts) -> Value {
    let title = limits::shorten(view.call.title.as_str(), room);
    let tail = format!("  {title} · {}", texts.level(view.call.level));
    section(vec![bold(view.code.as_str()), crate::mrkdwn::rich_text_text(&tail)])
}

/// What people are asked about.
pub(crate) fn pending(found: &[Found], stops: &[Stop], turns: &Turns, texts: &Texts) -> Page {
    let head = texts.command_label(CommandLabel::PendingHead);
    let none = texts.command_label(CommandLabel::PendingNone);
    let text = if found.is_empty() { none.clone() } else { head.clone() };
    let build = |room| {
        let mut blocks = vec![pieces::title(&head)];
        let told = stops.iter().take(STOPS_TOLD_MAX).map(|Stop { hold, who, reason }| {
            let said = texts.stopped(hold, (who, reason), &Markup::PLAIN);
            limits::shorten(&said, room)
        });
        let told: Vec<String> = told.collect();
        blocks.extend(pieces::small_print(&told));
        if found.is_empty() {
            blocks.push(crate::mrkdwn::section(&none));
        }
        blocks.extend(found.iter().map(|found| {
            let view = &found.view;
            let mut lines = vec![title(view, room, texts)];
            if let Some(times) = found.times {
                lines.push(cut_line(&texts.pending_times(times, view.call.asked_by.as_str(), &RICH), room));
            }
            if let Some(needs) = texts.needs_until(&view.state, &RICH) {
                lines.push(cut_line(&needs, room));
            }
            if let StateView::Waiting { votes, .. } = &view.state
                && !votes.is_empty()
            {
                lines.push(cut_line(&texts.votes(votes, &RICH), room));
            }
            if let Some(reason) = &found.stopped {
                lines.push(cut_line(&texts.stopped_row(reason, &RICH), room));
            }
            rich_text(lines)
        }));
        blocks.extend(turns.of_list(texts));
        blocks
    };
    fitting(build, fallback(&text))
}

/// One page of the audit; `further` is until when was looked, where there may be older ones behind a page that is not full.
pub(crate) fn audit(
    (tenant, found): (&str, &[Found]),
    further: Option<Timestamp>,
    turns: &Turns,
    texts: &Texts,
) -> Page {
    let head = texts.audit_head(tenant, &Markup::PLAIN);
    let none = texts.command_label(CommandLabel::AuditNone);
    let is_none = found.is_empty() && further.is_none();
    let text = if is_none { format!("{head}: {none}") } else { head.clone() };
    let build = |room| {
        let mut blocks = vec![pieces::title(&head)];
        if is_none {
            blocks.push(crate::mrkdwn::section(&none));
        }
        blocks.extend(found.iter().map(|found| {
            let view = &found.view;
            let asked = texts.audit_asked(view.call.asked_by.as_str(), view.call.asked_at, &RICH);
            let state = texts.state_head(&view.state);
            let line = texts.state_said(view, &RICH);
            rich_text(vec![
                title(view, room, texts),
                section(vec![code(&limits::shorten(view.call.tool.as_str(), room))]),
                cut_line(&asked, room),
                cut_line(&format!("{state} · {line}"), room),
            ])
        }));
        if let Some(further) = further {
            blocks.push(rich_text(vec![pieces::sentence(&texts.audit_further(further, &RICH))]));
        }
        blocks.extend(turns.of_list(texts));
        blocks
    };
    fitting(build, fallback(&text))
}

/// What runs without asking, each with a button to take it back.
pub(crate) fn remembered(kept: &[Kept], turns: &Turns, texts: &Texts) -> Page {
    let head = texts.command_label(CommandLabel::RememberedHead);
    let none = texts.command_label(CommandLabel::RememberedNone);
    let text = if kept.is_empty() { none.clone() } else { head.clone() };
    let label = |label| texts.command_label(label);
    let build = |room| {
        let mut blocks = vec![pieces::title(&head)];
        if kept.is_empty() {
            blocks.push(crate::mrkdwn::section(&none));
        }
        for (number, one) in kept.iter().enumerate() {
            let row = texts.remembered_row(&one.agent, &one.names, one.until, &RICH);
            blocks.push(rich_text(vec![
                section(vec![code(&limits::shorten(&one.calls, room))]),
                cut_line(&row, room),
            ]));
            let forget = button(
                &format!("{FORGET_ACTION}_{number}"),
                &label(CommandLabel::Forget),
                &one.id.to_string(),
                ButtonStyle::Danger,
            );
            let (title, text) = (label(CommandLabel::ForgetTitle), label(CommandLabel::ForgetText));
            let answers = (label(CommandLabel::Yes), label(CommandLabel::No));
            let forget = with_confirm(forget, &title, &text, (&answers.0, &answers.1));
            blocks.push(actions(&format!("{FORGET_ACTION}_row_{number}"), vec![forget]));
        }
        blocks.extend(turns.of_list(texts));
        blocks
    };
    fitting(build, fallback(&text))
}

/// What is stopped, each with a button to let it go on, where the tenant may; in pages.
pub(crate) fn stops(
    stops: &[Stop],
    page: usize,
    (turns, texts): (&dyn Fn(usize, usize) -> Turns, &Texts),
) -> Page {
    let head = texts.command_label(CommandLabel::StopsHead);
    let none = texts.command_label(CommandLabel::StopsNone);
    let text = if stops.is_empty() { none.clone() } else { head.clone() };
    let rows = BUTTON_ROWS_PER_PAGE as usize;
    let pages = stops.len().div_ceil(rows).max(1);
    let page = page.min(pages - 1);
    let build = |room| {
        let mut blocks = vec![pieces::title(&head)];
        if stops.is_empty() {
            blocks.push(crate::mrkdwn::section(&none));
        }
        if pages > 1 {
            blocks.push(context(&[&texts.page(page + 1, pages)]));
        }
        let shown = stops.iter().skip(page * rows).take(rows);
        for (number, Stop { hold, who, reason }) in shown.enumerate() {
            let what = texts.stop_scope(&hold.scope, &Markup::PLAIN);
            blocks.push(rich_text(vec![
                section(vec![bold(&limits::shorten(&what, room))]),
                cut_line(&texts.stops_row((who, hold.since, reason), &RICH), room),
            ]));
            if hold.tenant.is_none() {
                blocks.push(context(&[&texts.command_label(CommandLabel::StopsInstallation)]));
            } else {
                blocks.push(actions(&format!("{LIFT_ACTION}_row_{number}"), vec![lift(hold, number, texts)]));
            }
        }
        blocks.extend(turns(page, pages).of_pages(texts));
        blocks
    };
    fitting(build, fallback(&text))
}

fn lift(hold: &Hold, number: usize, texts: &Texts) -> Value {
    let id: HoldId = hold.id;
    let label = |label| texts.command_label(label);
    let lift = button(
        &format!("{LIFT_ACTION}_{number}"),
        &label(CommandLabel::Lift),
        &id.to_string(),
        ButtonStyle::Danger,
    );
    let text = texts.lift_text(&hold.scope, &Markup::PLAIN);
    let answers = (label(CommandLabel::Yes), label(CommandLabel::No));
    with_confirm(lift, &label(CommandLabel::LiftTitle), &text, (&answers.0, &answers.1))
}
