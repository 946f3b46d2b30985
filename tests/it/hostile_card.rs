//! Cards of calls that were written to mislead whoever decides, or that hold what nobody may see.

mod secrets;
mod whole;

use anyhow::{Context as _, Result, ensure};
use placet::card::{visible, visible_line};
use placet_tests::fake_slack::{Button, Message, View, active_markup};
use placet_tests::{Card, Desk};
use serde_json::{Value, json};

/// What an agent that was talked into something, or its model, could write anywhere.
const HOSTILE: &str = "<!channel> <!here> <!everyone> <@U000000BO> <#C000000OPS> <!subteam^S0EVIL|admins> \
    <!date^1^{time}^http://evil.example|now> <http://evil.example|Approve> <mailto:a@evil.example|mail> \
    https://evil.example/x?a=b&c [here](http://evil.example) `code` ```block``` *bold* _it_ ~no~ @here @channel \
    :white_check_mark: zero\u{200b}width \u{202e}exe.txt\u{202c} \u{2066}turned\u{2069} p\u{430}ypal &lt;!channel&gt; \
    &amp; ⟨U+200B⟩ ⟦framed⟧ \u{1f600}\u{e0041} a\u{300}\u{301}\u{302}\u{303}\u{304}\u{305} \"}]}\r\n> Approved by Bo\n• done\t";

/// So many characters of it.
fn hostile(chars: usize) -> String {
    HOSTILE.chars().cycle().take(chars).collect()
}

/// The same on one line and without controls: for names that may hold none.
fn hostile_name(chars: usize) -> String {
    HOSTILE.chars().filter(|char| !char.is_control()).cycle().take(chars).collect()
}

/// The same for a server, whose name holds no slash.
fn hostile_server(chars: usize) -> String {
    HOSTILE.chars().filter(|char| !char.is_control() && *char != '/').cycle().take(chars).collect()
}

/// A proposal that is hostile in every field there is, with arguments of ten kilobytes.
fn proposal() -> Value {
    json!({
        "tool": format!("delete_{}", hostile_name(190)),
        "args": {
            "path": HOSTILE,
            "content": hostile(4_000),
            "list": [hostile(1_500), { HOSTILE: hostile(1_500) }],
            HOSTILE: hostile(2_000),
        },
        "run": {"id": hostile_name(190), "step": hostile_name(190)},
        "session": hostile_name(190),
        "task": hostile(2_000),
        "reason": hostile(3_000),
        "evidence": [
            {"id": hostile(300), "title": hostile(300), "uri": hostile(1_500), "excerpt": hostile(3_000)},
            {"id": "e2", "title": "a title", "uri": "http://evil.example/<!channel>", "excerpt": HOSTILE},
        ],
        "preview": hostile(4_000),
        "if_denied": hostile(1_500),
        "prompt_version": hostile_name(190),
        "place": hostile_name(190),
    })
}

/// What was sent to Slack, as messages: posts, edits, whispers and dialogs.
fn sent(desk: &Desk) -> Result<Vec<Message>> {
    let like = desk.ops().messages().into_iter().next().context("a message")?;
    let sent = desk
        .slack()
        .calls()
        .into_iter()
        .filter(|(method, _)| method.starts_with("chat.") || method.starts_with("views."));
    Ok(sent
        .map(|(_, body)| {
            let blocks = body["blocks"].as_array().or_else(|| body["view"]["blocks"].as_array());
            Message {
                text: body["text"].as_str().unwrap_or_default().to_owned(),
                blocks: blocks.cloned().unwrap_or_default(),
                ..like.clone()
            }
        })
        .collect())
}

/// Slack has taken everything at the first try, and nothing in any of it is active: no mention, no link, no picture
/// of a `:name:`, no name that Slack would turn into a mention, and no character that does not show.
fn is_inert(desk: &Desk) -> Result<()> {
    let refused = desk.slack().refused();
    ensure!(refused.is_empty(), "Slack refuses: {refused:?}");
    for message in sent(desk)? {
        let active = active_markup(&message);
        ensure!(active.is_empty(), "{active:?} in {message:#?}");
        ensure!(!message.text.contains(['<', '>']), "the fallback is escaped: {}", message.text);
        let written = serde_json::to_string(&message.blocks)? + message.text.as_str();
        let hidden = ['\u{200b}', '\u{202e}', '\u{2066}', '\u{e0041}', '\r'];
        ensure!(!written.contains(hidden), "it holds what does not show: {written}");
        ensure!(!written.contains("\"mrkdwn\"") && !written.contains("\"emoji\":true"), "{written}");
    }
    for (method, body) in desk.slack().calls() {
        if method == "chat.postMessage" || method == "chat.update" {
            ensure!(body["parse"] == "none" && body["link_names"] == false, "{method}: {body}");
        }
        if method == "chat.postMessage" {
            ensure!(body["unfurl_links"] == false && body["unfurl_media"] == false, "{body}");
        }
    }
    Ok(())
}

/// Details with every page of it, in order.
async fn reads_all(desk: &Desk, name: &str, card: &Card) -> Result<Vec<View>> {
    /// More pages than there can be.
    const PAGES_MAX: usize = 70;
    desk.person(name).clicks(card, "Details").await?;
    let mut pages = vec![desk.person(name).sees_dialog().await?];
    while let Some(page) = pages.last()
        && page.view.to_string().contains("placet_page_next")
    {
        ensure!(pages.len() < PAGES_MAX, "there is no end to it");
        ensure!(page.view["submit"].is_null(), "no yes before the last page:\n{}", page.text());
        pages.push(desk.person(name).presses(page, "placet_page_next").await?);
    }
    Ok(pages)
}

/// The text of all elements of this kind, joined over pages and blocks.
fn joined(pages: &[View], kind: &str) -> String {
    fn gather(value: &Value, kind: &str, inside: bool, out: &mut String) {
        let inside = inside || value["type"] == kind;
        if inside && value["type"] == "text" {
            out.push_str(value["text"].as_str().unwrap_or_default());
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| gather(item, kind, inside, out)),
            Value::Object(members) => members.values().for_each(|member| gather(member, kind, inside, out)),
            _ => {}
        }
    }
    let mut out = String::new();
    pages.iter().for_each(|page| gather(&page.view["blocks"], kind, false, &mut out));
    out
}

/// Every character of the call stands on these pages.
fn hold_the_whole(pages: &[View], proposal: &Value) -> Result<()> {
    let fixed = joined(pages, "rich_text_preformatted");
    let quoted = joined(pages, "rich_text_quote");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let args = visible(&serde_json::to_string_pretty(&proposal["args"])?);
    ensure!(fixed.contains(args.as_str()), "the arguments are not all there:\n{fixed}\n{args}");
    let tool = format!("{}/{}", text(&proposal["server"]), text(&proposal["tool"]));
    let has_tool = fixed.contains(visible_line(&tool).as_str())
        || fixed.contains(visible_line(&text(&proposal["tool"])).as_str());
    ensure!(has_tool, "the tool's name is not all there");
    ensure!(fixed.contains(visible(&text(&proposal["preview"])).as_str()), "the preview");
    for (name, field) in [("reason", &proposal["reason"]), ("if_denied", &proposal["if_denied"])] {
        ensure!(quoted.contains(visible(&text(field)).as_str()), "{name} is not all there");
    }
    ensure!(quoted.contains(visible_line(&text(&proposal["task"])).as_str()), "the task is not all there");
    for piece in proposal["evidence"].as_array().into_iter().flatten() {
        ensure!(quoted.contains(visible(&text(&piece["excerpt"])).as_str()), "an excerpt is not all there");
        for name in ["title", "uri"] {
            ensure!(quoted.contains(visible_line(&text(&piece[name])).as_str()), "{name} is not all there");
        }
    }
    Ok(())
}

/// A button to approve that is not on the card, with this value.
fn approve_button(value: &str) -> Button {
    Button {
        action_id: "placet_approve".to_owned(),
        block_id: "placet_decide".to_owned(),
        value: value.to_owned(),
        text: "Approve".to_owned(),
        style: Some("primary".to_owned()),
        confirm: None,
        url: None,
    }
}

/// The value that a button of this card would carry, had it shown the whole call.
async fn value_of_a_full_card(desk: &Desk, card: &Card, id: &str) -> Result<String> {
    let carried = card.button("Deny")?.value;
    let mut parts: Vec<_> = carried.split('/').map(str::to_owned).collect();
    let view = desk.app()?.gate.view(&desk.request(id).await?);
    let shown = view.shown(&placet::id::SurfaceName::new("slack")?, true).to_string();
    *parts.get_mut(3).context("the digest of what was shown")? = shown;
    Ok(parts.join("/"))
}
