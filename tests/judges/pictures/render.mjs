// Block Kit as HTML, close to how Slack's desktop client shows it. It knows the blocks and elements that Placet sends and
// throws on any other, so that none is missing in a picture unnoticed.

// The moment at which pictures are taken: the day of the samples, so that times read as "today".
const DAY = new Date(1_793_520_000_000).toISOString().slice(0, 10);
// What Slack shows of a button's text.
const BUTTON_SHOWN = 30;

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const unknown = (kind, what) => { throw new Error(`no picture of ${kind} ${what.type}`); };

function time(secs, format) {
  const date = new Date(secs * 1000);
  const day = date.toISOString().slice(0, 10);
  const clock = date.toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
  const short = day === DAY ? "today" : date.toLocaleDateString("en-US", { month: "short", day: "numeric", timeZone: "UTC" });
  return format.replace(/\{date[^}]*\}/g, short).replace(/\{time[^}]*\}/g, clock);
}

// Text objects. Of mrkdwn only what Placet itself writes: times, mentions, and bold.
function text(object) {
  if (object.type === "plain_text") return escape(object.text).replace(/\n/g, "<br>");
  if (object.type !== "mrkdwn") unknown("a text", object);
  return object.text
    .replace(/<!date\^(\d+)\^([^|^>]*)(?:\^[^|>]*)?\|[^>]*>/g, (_, secs, format) => time(Number(secs), format))
    .replace(/<@([A-Z0-9]+)>/g, '<span class="mention">@$1</span>')
    .replace(/<!subteam\^([A-Z0-9]+)>/g, '<span class="mention">@$1</span>')
    .replace(/<#([A-Z0-9]+)>/g, '<span class="mention">#$1</span>')
    .replace(/(^|[\s(])\*([^*\n]+)\*/g, "$1<b>$2</b>")
    .replace(/\n/g, "<br>");
}

function piece(element) {
  if (element.type === "date") return `<span>${escape(time(element.timestamp, element.format))}</span>`;
  if (element.type === "user") return `<span class="mention">@${escape(element.user_id)}</span>`;
  if (element.type === "usergroup") return `<span class="mention">@${escape(element.usergroup_id)}</span>`;
  if (element.type === "channel") return `<span class="mention">#${escape(element.channel_id)}</span>`;
  if (element.type === "link") return `<span class="link">${escape(element.text)}</span>`;
  if (element.type !== "text") unknown("an element", element);
  const { bold, italic, strike, code } = element.style ?? {};
  let html = escape(element.text);
  if (code) html = `<code>${html}</code>`;
  if (italic) html = `<i>${html}</i>`;
  if (strike) html = `<s>${html}</s>`;
  return bold ? `<b>${html}</b>` : html;
}

function rich(element) {
  const inner = () => element.elements.map(piece).join("");
  switch (element.type) {
    case "rich_text_section": return `<div class="line">${inner()}</div>`;
    case "rich_text_quote": return `<blockquote>${inner()}</blockquote>`;
    case "rich_text_preformatted": return `<pre>${inner()}</pre>`;
    case "rich_text_list": return `<ul>${element.elements.map((item) => `<li>${rich(item)}</li>`).join("")}</ul>`;
    default: return unknown("rich text", element);
  }
}

// Whether what is only seen after a click is noted in italics: what a menu holds, and what a button asks first.
let notes = true;

const shown = (label) => (label.length > BUTTON_SHOWN ? `${label.slice(0, BUTTON_SHOWN)}…` : label);

function interactive(element) {
  const asks = ({ title, text: asked, confirm, deny }) =>
    `<div class="asks">asks first: <b>${text(title)}</b> ${text(asked)} [${text(confirm)}] [${text(deny)}]</div>`;
  const confirm = notes && element.confirm ? asks(element.confirm) : "";
  switch (element.type) {
    case "button": return `<span class="button ${element.style ?? ""}" title="${escape(element.text.text)}">${escape(shown(element.text.text))}</span>${confirm}`;
    case "overflow": {
      const options = element.options.map((option) => text(option.text)).join(" · ");
      return `<span class="button">⋯</span>${notes ? `<div class="asks">${options}</div>` : ""}${confirm}`;
    }
    case "static_select": return `<span class="button">${text(element.initial_option?.text ?? element.placeholder)} ▾</span>`;
    case "radio_buttons":
    case "checkboxes": return element.options.map((option) => `<div class="line">${element.type === "checkboxes" ? "☐" : "○"} ${text(option.text)}</div>`).join("");
    case "plain_text_input":
      return `<div class="field ${element.multiline ? "tall" : ""}">${escape(element.initial_value ?? "") || `<span class="faint">${element.placeholder ? text(element.placeholder) : ""}</span>`}</div>`;
    default: return unknown("an element", element);
  }
}

function block(one) {
  switch (one.type) {
    case "header": return `<h1>${text(one.text)}</h1>`;
    case "divider": return "<hr>";
    case "section": {
      const fields = (one.fields ?? []).map((field) => `<div class="half">${text(field)}</div>`).join("");
      const beside = one.accessory ? `<div class="beside">${interactive(one.accessory)}</div>` : "";
      return `<div class="section">${beside}${one.text ? `<div class="line">${text(one.text)}</div>` : ""}${fields}</div>`;
    }
    case "context": return `<div class="context">${one.elements.map((element) => `<div>${text(element)}</div>`).join("")}</div>`;
    case "rich_text": return `<div class="rich">${one.elements.map(rich).join("")}</div>`;
    case "actions": return `<div class="actions">${one.elements.map(interactive).join("")}</div>`;
    case "input": {
      const optional = one.optional ? ' <span class="faint">(optional)</span>' : "";
      const hint = one.hint ? `<div class="faint">${text(one.hint)}</div>` : "";
      return `<div class="input"><label>${text(one.label)}${optional}</label>${interactive(one.element)}${hint}</div>`;
    }
    default: return unknown("a block", one);
  }
}

const STYLE = `
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1d1c1d; font: 15px/1.46668 Lato, "Liberation Sans", "Noto Sans CJK SC", "Noto Color Emoji", sans-serif; }
.message { display: flex; gap: 8px; padding: 10px 20px 12px; width: 680px; }
.face { flex: none; width: 36px; height: 36px; border-radius: 6px; background: #1f3a5f; color: #fff; font-weight: 700; font-size: 20px; text-align: center; line-height: 36px; }
.name b { font-weight: 900; } .name .app { font-size: 10px; background: #e8e8e8; color: #616061; border-radius: 2px; padding: 1px 3px; margin: 0 4px; vertical-align: 1px; } .name .at, .faint { color: #616061; font-size: 12px; }
.body { min-width: 0; flex: 1; } .body > * + *, .view > * + * { margin-top: 8px; }
h1 { font-size: 18px; line-height: 1.33; font-weight: 900; margin: 6px 0 0; overflow-wrap: anywhere; }
.line, blockquote, pre, .section, .context { overflow-wrap: anywhere; white-space: pre-wrap; } .line { min-height: 4px; }
blockquote { margin: 4px 0; padding-left: 12px; border-left: 4px solid #ddd; }
pre { margin: 4px 0; padding: 8px; border: 1px solid rgba(29,28,29,.13); border-radius: 4px; background: rgba(29,28,29,.04); font: 12px/1.50001 "Liberation Mono", "Noto Sans Mono CJK SC", monospace; }
code { font: 12px "Liberation Mono", "Noto Sans Mono CJK SC", monospace; color: #c01343; background: rgba(29,28,29,.04); border: 1px solid rgba(29,28,29,.13); border-radius: 3px; padding: 2px 3px 1px; }
hr { border: 0; border-top: 1px solid #ddd; } .context { color: #616061; font-size: 13px; } .half { display: inline-block; width: 48%; vertical-align: top; margin-right: 2%; white-space: pre-wrap; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; } .button { display: inline-block; border: 1px solid rgba(29,28,29,.3); border-radius: 4px; padding: 0 12px; height: 32px; line-height: 30px; font-size: 13px; font-weight: 700; white-space: nowrap; }
.button.primary { background: #007a5a; border-color: #007a5a; color: #fff; } .button.danger { background: #e01e5a; border-color: #e01e5a; color: #fff; }
.asks { width: 100%; order: 1; color: #616061; font-size: 12px; font-style: italic; } .mention { background: #e8f5fa; color: #1264a3; border-radius: 3px; padding: 0 2px; } .link { color: #1264a3; } .home { width: 680px; padding: 12px 24px; } .beside { float: right; }
.modal { width: 520px; margin: 16px; border: 1px solid #ddd; border-radius: 8px; box-shadow: 0 4px 16px rgba(0,0,0,.16); } .bar { padding: 16px 24px; font-size: 20px; font-weight: 900; border-bottom: 1px solid #eee; } .view { padding: 12px 24px; }
.foot { padding: 14px 24px; border-top: 1px solid #eee; text-align: right; display: flex; justify-content: flex-end; gap: 10px; } label { font-weight: 700; display: block; } .field { border: 1px solid rgba(29,28,29,.3); border-radius: 4px; min-height: 36px; padding: 6px 10px; margin: 4px 0; white-space: pre-wrap; } .field.tall { min-height: 80px; }
`;

// A page with one message or view; with notes of what is seen after a click only, unless `noted` is false.
export function page(piece, noted = true) {
  notes = noted;
  const blocks = piece.blocks.map(block).join("\n");
  const body = piece.type === "modal"
    ? `<div id="picture" class="modal"><div class="bar">${text(piece.title)}</div><div class="view">${blocks}</div><div class="foot">${piece.close ? `<span class="button">${text(piece.close)}</span>` : ""}${piece.submit ? `<span class="button primary">${text(piece.submit)}</span>` : ""}</div></div>`
    : piece.type === "home" ? `<div id="picture" class="home view">${blocks}</div>`
    : `<div id="picture" class="message"><div class="face">P</div><div class="body"><div class="name"><b>Placet</b><span class="app">APP</span><span class="at">8:00 AM</span></div>${blocks}</div></div>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${STYLE}</style></head><body>${body}</body></html>`;
}

// Everything in a piece that somebody is to read, with or without what is noted.
export function* words(value, noted = true) {
  if (value === null || typeof value !== "object") return;
  if (!noted && value.type === "overflow") return;
  if (typeof value.text === "string" && value.type !== "mrkdwn") yield value.text;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "private_metadata" || (name === "confirm" && !noted)) continue;
    yield* words(inner, noted);
  }
}
