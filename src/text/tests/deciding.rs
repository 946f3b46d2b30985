//! What somebody sees at once who decides.

use super::*;
use crate::card::{ArgView, visible_line};
use crate::text::deciding::DecidingKey;

/// R29: what a yes to a critical call does is said as it is: that others are needed too, that it is the last one, that
/// another stage follows; and what the title leaves out.
#[test]
fn a_critical_yes_says_what_it_does() {
    in_each_language("critical", |texts| {
        let mut call = card(waiting(&[], (1, 1), Vec::new())).call;
        let said = |call: &CallView, groups: &[(&str, u32, u32)], stage| {
            texts.critical(call, &waiting(groups, stage, Vec::new()), &PLAIN)
        };
        let mut lines = vec![
            said(&call, &[("admin", 2, 0)], (1, 1)),
            said(&call, &[("admin", 2, 1)], (1, 1)),
            said(&call, &[("operator", 1, 0), ("admin", 2, 1)], (1, 1)),
            said(&call, &[("admin", 1, 0)], (1, 2)),
            said(&call, &[("admin", 1, 0)], (2, 2)),
            said(&call, &[("admin", 1, 1)], (1, 1)),
            said(&call, &[], (1, 1)),
        ];
        call.calls = 3;
        call.effect = Some(visible("1 file."));
        lines.push(said(&call, &[("admin", 1, 0)], (1, 1)));
        let host =
            ArgView { name: visible("host"), value: visible("web-3” · ok"), leading: true, is_text: true };
        call.args.push(host);
        call.figures = vec![FigureView { name: FigureName::Reversible, value: visible("no") }];
        lines.push(said(&call, &[("admin", 2, 0)], (1, 1)));
        lines
    });
}

/// R27: where a yes is asked for once more, a long query keeps what it begins with and what it ends with, on one line or on
/// several, and it is said that its middle is missing; what is short is said whole.
#[test]
fn a_long_query_keeps_what_it_is_about() {
    let columns: Vec<String> = (0..40).map(|number| format!("column_{number}")).collect();
    for between in [" ", "\n"] {
        let query = format!("SELECT {}{between}FROM users{between}WHERE team = 'ops'", columns.join(", "));
        let first = query.lines().next().unwrap_or_default();
        let mut call = card(waiting(&[("admin", 1, 0)], (1, 1), Vec::new())).call;
        call.title = visible_line(&format!("run_sql · {first}")).cut_middle(120).0;
        call.effect = Some(visible(
            "What the query says, on the database of production, for everybody who uses it now.",
        ));
        call.args =
            vec![ArgView { name: visible("query"), value: visible(&query), leading: true, is_text: true }];
        for texts in Language::ALL.map(Texts::of) {
            let short = texts.say(DecidingKey::CriticalCut.id(), Some(&fluent::fluent_args!["text" => ""]));
            for share in [100, 60] {
                let said = texts.critical_within(
                    &call,
                    &waiting(&[("admin", 1, 0)], (1, 1), Vec::new()),
                    (share, &PLAIN),
                );
                assert!(said.contains("SELECT column_0") && said.contains("WHERE team = 'ops'”"), "{said}");
                assert!(said.ends_with(short.trim()), "{said}");
            }
            call.title = visible("Delete demo-notes/scratch.txt");
            let args = std::mem::take(&mut call.args);
            let effect = call.effect.replace(visible("1 file."));
            let said = texts.critical(&call, &waiting(&[("admin", 1, 0)], (1, 1), Vec::new()), &PLAIN);
            assert!(said.contains("Delete demo-notes/scratch.txt") && !said.contains(short.trim()), "{said}");
            (call.args, call.effect) = (args, effect);
        }
    }
}

/// R29: until when, and what silence means: it is not said that nothing runs where the policy takes silence for a yes.
#[test]
fn a_deadline_says_what_silence_means() {
    in_each_language("deadline", |texts| {
        let open = waiting(&[("admin", 2, 0)], (1, 1), Vec::new());
        let mut silent = open.clone();
        if let StateView::Waiting { silence_approves, .. } = &mut silent {
            *silence_approves = true;
        }
        let said = [
            texts.answer_by(&open, &PLAIN),
            texts.answer_by(&silent, &PLAIN),
            texts.needs_until(&open, &PLAIN),
        ];
        said.into_iter().flatten().collect()
    });
}

/// R29: what one's own yes and no do, as far as the card knows; nothing of a yes where none is needed any more.
#[test]
fn a_yes_and_a_no_say_what_they_do() {
    in_each_language("yes-and-no", |texts| {
        let open = |groups: &[(&str, u32, u32)], stage| waiting(groups, stage, Vec::new());
        let mut view = card(open(&[("admin", 1, 0)], (1, 1)));
        let yes = |view: &CardView| texts.if_approved(&view.call, &view.state);
        let mut lines = vec![yes(&view)];
        view.call.calls = 3;
        lines.push(yes(&view));
        view.state = open(&[("admin", 2, 0)], (1, 1));
        lines.push(yes(&view));
        view.state = open(&[("admin", 2, 1)], (1, 2));
        lines.push(yes(&view));
        view.state = open(&[("admin", 1, 1)], (1, 1));
        assert_eq!(yes(&view), None);
        lines.push(Some(texts.if_denied(&view.state)));
        if let StateView::Waiting { denials_left, .. } = &mut view.state {
            *denials_left = 2;
        }
        lines.push(Some(texts.if_denied(&view.state)));
        lines.push(Some(texts.if_denied(&StateView::Checking)));
        lines.into_iter().flatten().collect()
    });
}

/// R29: a yes is asked for once more where it is critical or final, and where nobody knows what something risky does.
#[test]
fn it_is_asked_once_more_where_a_mistake_is_dear() {
    in_each_language("sure", |texts| {
        let mut call = card(StateView::Checking).call;
        let mut lines = vec![texts.sure(&call)];
        call.level = Level::High;
        lines.push(texts.sure(&call));
        call.effect = Some(visible("One mail."));
        assert_eq!(texts.sure(&call), None);
        call.figures = vec![FigureView { name: FigureName::Reversible, value: visible("no") }];
        lines.push(texts.sure(&call));
        (call.level, call.effect, call.figures) = (Level::Medium, None, Vec::new());
        assert_eq!(texts.sure(&call), None);
        lines.into_iter().flatten().collect()
    });
}

/// R29: who asked and through which agent, each once.
#[test]
fn who_asked_is_said_with_the_agent() {
    in_each_language("asked-by", |texts| {
        let mut call = card(StateView::Checking).call;
        let mut lines = vec![texts.asked_by(&call, &PLAIN)];
        call.asked_by = call.agent.clone();
        lines.push(texts.asked_by(&call, &PLAIN));
        lines
    });
}

/// R28, R29: what is odd is said with the fields that it is in; what a title leaves out of an argument, with its name; and
/// why there is no way to approve, with where there is one.
#[test]
fn what_is_odd_or_missing_says_where() {
    in_each_language("odd", |texts| {
        let mut view = card(waiting(&[("admin", 2, 0)], (1, 1), Vec::new()));
        view.call.task = visible("zero\u{200b}width");
        view.call.args.push(ArgView {
            name: visible("path"),
            value: visible("a\u{200b}b\nApproved by Bo"),
            leading: true,
            is_text: true,
        });
        view.call.title = visible("Delete a\u{200b}b…");
        view.call.warnings = view.call.task.warnings().merge(view.call.args[0].value.warnings());
        let mut lines = texts.minds(&view, &PLAIN);
        lines.push(texts.no_approve(0, &view.state));
        lines.push(texts.no_approve(2, &view.state));
        if let StateView::Waiting { partial_view_may_approve, .. } = &mut view.state {
            *partial_view_may_approve = true;
        }
        lines.push(texts.no_approve(1, &view.state));
        lines
    });
}
