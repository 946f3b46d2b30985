// The main path against `emulate`, a stateful Slack that others wrote: the shipped program posts a card, a signed click
// releases the call, the card becomes the record; Deny… opens a dialog, and its submission denies; a trigger that has
// lived too long opens none, which is whispered in the thread of the card. emulate presses no buttons: clicks are made
// and signed here. A relay stands between, so that each call and each answer can be judged.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { createEmulator } = await import(pathToFileURL(join(process.env.JUDGES_HOME, "node_modules/emulate/dist/api.js")));
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const TOKEN = "xoxb-judge";
// How long anything may take, and how long emulate lets a trigger live.
const PATIENCE_MS = 20_000;
const TRIGGER_MS = 3_000;

const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function until(what, ask) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > end) throw new Error(`does not happen: ${what}`);
    await rest(25);
  }
}

const slack = await createEmulator({
  service: "slack", port: 0,
  seed: { slack: {
    team: { name: "Example", domain: "example" },
    users: [{ name: "placet", real_name: "Placet", is_bot: true }, ...["bo", "vic"].map((name) => ({ name, real_name: name, email: `${name}@example.org` }))],
    channels: [{ name: "ops" }],
    tokens: [{ token: TOKEN, user: "placet", scopes: ["chat:write", "users:read", "channels:read", "channels:history", "channels:join", "channels:write"] }],
    strict_scopes: true,
  } },
});
const asks = async (method, body = {}) => {
  const form = new URLSearchParams(Object.entries(body));
  const answer = await (await fetch(`${slack.url}/api/${method}`, { method: "POST", headers: { authorization: `Bearer ${TOKEN}` }, body: form })).json();
  assert(answer.ok, `${method}: ${answer.error}`);
  return answer;
};

// The relay: what Placet sends goes on to emulate as it is, and both sides are kept.
const calls = [];
const relay = createServer(async (asked, answer) => {
  const chunks = [];
  for await (const chunk of asked) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const headers = Object.fromEntries(["authorization", "content-type"].filter((name) => asked.headers[name]).map((name) => [name, asked.headers[name]]));
  const back = await fetch(`${slack.url}${asked.url}`, { method: asked.method, headers, body: asked.method === "GET" ? undefined : body });
  const text = await back.text();
  const json = (it) => { try { return JSON.parse(it); } catch { return Object.fromEntries(new URLSearchParams(it)); } };
  calls.push({ method: asked.url.replace(/^\/api\/|\?.*$/g, ""), sent: json(body.toString()), answer: json(text) });
  answer.writeHead(back.status, { "content-type": "application/json" }).end(text);
});
await new Promise((resolve) => relay.listen(0, "127.0.0.1", resolve));
const called = (method, which = () => true) => calls.filter((call) => call.method === method && which(call));

const { team_id: team } = await asks("auth.test");
const { members } = await asks("users.list");
const user = Object.fromEntries(members.map((member) => [member.name, member.id]));
const { channels } = await asks("conversations.list");
const channel = channels.find((one) => one.name === "ops").id;
await asks("conversations.join", { channel });

const folder = mkdtempSync(join(process.env.JUDGES_WORK, "emulate-"));
const free = createServer();
const port = await new Promise((resolve) => free.listen(0, "127.0.0.1", () => { const taken = free.address().port; free.close(() => resolve(taken)); }));
writeFileSync(join(folder, "placet.toml"), `data = "placet.db"
policy = "policy.toml"

[http]
listen = "127.0.0.1:${port}"

[slack]
api_url = "http://127.0.0.1:${relay.address().port}/api/"
signing_secret = { env = "SIGNING_SECRET" }
bot_token = { env = "BOT_TOKEN" }
team = "${team}"
tenant = "acme"
channel = "${channel}"
post_interval = "0s"
`);
writeFileSync(join(folder, "policy.toml"), `version = "judge"
places = [{ surface = "slack", channel = "${channel}" }]

[levels.high]
tier = "approve"
role = "admin"
decide_within = "30m"

[[rule]]
name = "deletes"
tools = ["delete_*"]
level = "high"
because = "Deleting cannot be undone."

[default]
level = "high"
role = "admin"
because = "No rule knows this tool."

[tools.delete_file]
title = "Delete {path}"

[roles]
names = ["viewer"]

[[people]]
id = "bo"
name = "Bo"
roles = ["admin"]
slack = ["${team}/${user.bo}"]

[[people]]
id = "vic"
name = "Vic"
roles = ["viewer"]
slack = ["${team}/${user.vic}"]
`);
const env = { ...process.env, SIGNING_SECRET: SECRET, BOT_TOKEN: TOKEN };
const token = execFileSync(process.env.PLACET_BIN, ["token", "create", "--config", "placet.toml", "--name", "agent", "--tenant", "acme", "--scopes", "propose,execute"], { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).match(/plt_\S+/)[0];
let log = "";
const placet = spawn(process.env.PLACET_BIN, ["serve", "--config", "placet.toml"], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
placet.stderr.on("data", (chunk) => { log += chunk; });
process.on("exit", () => placet.kill("SIGKILL"));
await until("Placet answers", async () => {
  if (placet.exitCode !== null) throw new Error(`Placet ended: ${log}`);
  return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok;
});

let key = 0;
const agent = async (path, body) => {
  key += 1;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": `key-${key}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  assert(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
};
const proposes = (path) => agent("/v1/requests", { tool: "delete_file", args: { path }, run: { id: `run-${path}`, step: "1" }, task: "clean up", reason: "old" });

const history = async () => (await asks("conversations.history", { channel })).messages;
const card = (words) => until(`a card with ${words}`, async () => (await history()).find((message) => message.text.includes(words)));
const trigger = async (name) => (await asks("views.generateTriggerId", { user_id: user[name] })).trigger_id;
const button = (message, action) => {
  const buttons = message.blocks.filter((block) => block.type === "actions").flatMap((block) => block.elements.map((element) => ({ ...element, block_id: block.block_id })));
  const found = buttons.find((element) => element.action_id === action);
  assert(found, `no button ${action} on ${message.text}`);
  return { type: "button", action_id: found.action_id, block_id: found.block_id, value: found.value, action_ts: `${Date.now() / 1000}` };
};
// Delivers an interaction as Slack would, or as somebody else would.
const delivers = async (payload, { secret = SECRET, expect = 200 } = {}) => {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const at = Math.floor(Date.now() / 1000);
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex")}`;
  const headers = { "content-type": "application/x-www-form-urlencoded", "x-slack-request-timestamp": at, "x-slack-signature": signature };
  const answer = await fetch(`http://127.0.0.1:${port}/slack/interactivity`, { method: "POST", headers, body });
  assert.equal(answer.status, expect);
  return answer.text();
};
const who = (name) => ({ user: { id: user[name], name, team_id: team }, team: { id: team, domain: "example" }, api_app_id: "A000000001", is_enterprise_install: false, enterprise: null });
const clicks = async (name, message, action, { thread_ts, trigger_id, ...as } = {}) => delivers({
  type: "block_actions", ...who(name), trigger_id: trigger_id ?? (await trigger(name)),
  container: { type: "message", message_ts: message.ts, channel_id: channel, is_ephemeral: false, thread_ts },
  channel: { id: channel, name: "ops" }, message, actions: [button(message, action)], state: { values: {} },
}, as);
const said = [];
const shows = (what) => said.push(what);

// Post, click, update: the card of a call becomes its record.
const first = await proposes("demo-notes/a.txt");
const posted = await card("demo-notes/a.txt");
assert.equal(posted.metadata.event_type, "placet_card");
assert(posted.blocks.length >= 3);
shows("post: the card is there, with blocks and metadata");
await clicks("vic", posted, "placet_approve");
await until("who may not is whispered to", () => called("chat.postEphemeral", (call) => call.sent.user === user.vic && call.answer.ok)[0]);
await clicks("bo", posted, "placet_approve", { secret: "another", expect: 401 });
await clicks("bo", posted, "placet_approve");
const approved = await until("the card is updated", async () => (await history()).find((message) => message.ts === posted.ts && message.text.includes("Approved")));
assert(!JSON.stringify(approved.blocks).includes("placet_approve"), "an approved card has nothing to press");
const claim = await agent(`/v1/requests/${first.id}/claim`, { tool: "delete_file", args: { path: "demo-notes/a.txt" }, key: "9".repeat(40) });
await agent(`/v1/requests/${first.id}/outcome`, { claim: claim.claim, key: "9".repeat(40), status: "succeeded", duration_ms: 200, result: { ok: true } });
await until("the card is the record", async () => (await history()).find((message) => message.ts === posted.ts && /ran/.test(JSON.stringify(message.blocks))));
shows("update: a click makes it the record of what ran");

// A dialog opens, and what is submitted in it denies.
await proposes("demo-notes/b.txt");
const second = await card("demo-notes/b.txt");
await clicks("bo", second, "placet_deny");
const opened = await until("a dialog opens", () => called("views.open", (call) => call.answer.ok)[0]);
const view = opened.answer.view;
assert.equal(view.callback_id, "placet_deny_reason");
const answered = await delivers({
  type: "view_submission", ...who("bo"), trigger_id: await trigger("bo"), response_urls: [],
  view: { ...view, private_metadata: opened.sent.view.private_metadata, state: { values: { placet_note: { placet_note_text: { type: "plain_text_input", value: "still needed" } } } } },
});
assert.equal(answered, JSON.stringify({ response_action: "clear" }));
await until("the card says the reason", async () => (await history()).find((message) => message.ts === second.ts && JSON.stringify(message.blocks).includes("still needed")));
shows("modal: a dialog opens, and its reason stands on the card");

// Details opens, and the same trigger does not open another.
await proposes("demo-notes/c.txt");
const third = await card("demo-notes/c.txt");
const once = await trigger("bo");
await clicks("bo", third, "placet_details", { trigger_id: once });
await until("Details opens", () => called("views.open", (call) => call.answer.ok && call.answer.view.callback_id === "placet_details")[0]);
shows("modal: Details opens");

// A trigger that has lived too long opens nothing; who clicked is told in the thread of the card.
const parent = (await asks("chat.postMessage", { channel, text: "a talk" })).ts;
const old = await trigger("bo");
await rest(TRIGGER_MS + 1_100);
await clicks("bo", third, "placet_deny", { trigger_id: old, thread_ts: parent });
await until("the trigger is too old", () => called("views.open", (call) => call.answer.error === "expired_trigger_id")[0]);
await until("it is whispered in the thread", () => called("chat.postEphemeral", (call) => call.answer.ok && call.sent.thread_ts === parent && /in time/.test(call.sent.text))[0]);
shows("thread: a trigger that is too old opens nothing, and that is whispered in the card's thread");

// What went into a thread is found there.
const replies = () => called("chat.postMessage", (call) => call.answer.ok && call.sent.thread_ts);
await until("something is said in the thread of the card that ran", () => replies().find(({ sent, answer }) => answer.channel === channel && sent.thread_ts === posted.ts));
for (const { sent, answer } of replies()) {
  const { messages } = await asks("conversations.replies", { channel: answer.channel, ts: sent.thread_ts });
  assert(messages.some((message) => message.ts === answer.ts), `not in its thread: ${sent.text}`);
}
shows("thread: what came of the call stands in the thread of its card");
// Nothing else was refused.
const refused = calls.filter((call) => call.answer.ok === false && call.answer.error !== "expired_trigger_id");
assert.deepEqual(refused.map((call) => `${call.method}: ${call.answer.error}`), []);
for (const what of said) console.log(`  ${what}`);
const methods = [...new Set(calls.map((call) => call.method))].sort().join(", ");
console.log(`${calls.length} calls, none refused but the one that was meant to be: ${methods}`);
assert.equal(said.length, 6);
process.exit(0);
