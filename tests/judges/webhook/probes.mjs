// Sends each probe to Placet and to Slack's own two frameworks, and judges: Placet must refuse what either of them
// refuses, and take what both take. `exceptions` in probes.json names where it is stricter on purpose, and why; one that is
// not needed is a fault too, and nothing excuses what is looser. Two stand-ins, one that takes everything and one that takes nothing, must be found out.
import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { bodies, probes, exceptions } = JSON.parse(readFileSync(join(here, "probes.json"), "utf8"));
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const PROBES_MIN = 40;
const TYPES = { interactivity: "application/x-www-form-urlencoded", commands: "application/x-www-form-urlencoded", events: "application/json" };

const mac = (text, secret = SECRET, hash = "sha256") => createHmac(hash, secret).update(text).digest("hex");

// The values of the signature's header: what a right one is turned into.
const SIGNATURES = {
  right: ({ right }) => [`v0=${right}`],
  none: () => [],
  empty: () => [""],
  "prefix-alone": () => ["v0="],
  v1: ({ right }) => [`v1=${right}`],
  "big-v": ({ right }) => [`V0=${right}`],
  bare: ({ right }) => [right],
  colon: ({ right }) => [`v0:${right}`],
  upper: ({ right }) => [`v0=${right.toUpperCase()}`],
  short: ({ right }) => [`v0=${right.slice(0, 63)}`],
  long: ({ right }) => [`v0=${right}0`],
  tail: ({ right }) => [`v0=${right}=00`],
  comma: ({ right }) => [`v0=${right}, v0=${right}`],
  twice: ({ right }) => [`v0=${right}`, `v0=${right}`],
  "right-then-wrong": ({ right, wrong }) => [`v0=${right}`, `v0=${wrong}`],
  "wrong-then-right": ({ right, wrong }) => [`v0=${wrong}`, `v0=${right}`],
  base64: ({ right }) => [`v0=${Buffer.from(right, "hex").toString("base64")}`],
  quoted: ({ right }) => [`"v0=${right}"`],
  "high-bytes": () => ["v0=\u00ff\u00fe"],
  "other-secret": ({ base }) => [`v0=${mac(base, "another secret")}`],
  "empty-secret": ({ base }) => [`v0=${mac(base, "")}`],
  "other-body": ({ time }) => [`v0=${mac(`v0:${time}:{}`)}`],
  "other-time": ({ body }) => [`v0=${mac(Buffer.concat([Buffer.from("v0:1531420618:"), body]))}`],
  "body-alone": ({ body }) => [`v0=${mac(body)}`],
  "decoded-body": ({ time, body }) => [`v0=${mac(`v0:${time}:${decodeURIComponent(body.toString())}`)}`],
  sha1: ({ base }) => [`v0=${mac(base, SECRET, "sha1")}`],
};

const encode = (text) => encodeURIComponent(text).replace(/%20/g, "+");
function bytesOf({ form, json, text, base64 }) {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  if (text !== undefined) return Buffer.from(text);
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  const value = (inner) => (typeof inner === "string" ? inner : JSON.stringify(inner));
  return Buffer.from(Object.entries(form).map(([name, inner]) => `${name}=${encode(value(inner))}`).join("&"));
}

function timeOf(template) {
  const now = Math.floor(Date.now() / 1000);
  return template
    .replace(/\{now([+-]\d+)?\}/g, (_, offset) => String(now + Number(offset ?? 0)))
    .replace("{hex}", now.toString(16))
    .replace("{now_}", String(now).replace(/(\d{4})$/, "_$1"));
}

// The bytes of a request, written by hand: a library would correct what is wrong on purpose.
function request(probe, path) {
  const body = bytesOf(bodies[probe.body]);
  const timeless = probe.timestamp === null;
  const time = timeOf(probe.timestamp ?? "{now}");
  const base = Buffer.concat([Buffer.from(`v0:${time}:`), body]);
  const right = mac(base);
  const wrong = createHash("sha256").update(right).digest("hex");
  const signatures = SIGNATURES[probe.signature ?? "right"]({ right, wrong, base, time, body });
  const name = (plain) => (probe.capitals ? plain.toUpperCase() : plain);
  const type = probe.type === undefined ? TYPES[probe.to] : probe.type;
  const headers = [["host", "127.0.0.1"], ["connection", "close"], ["content-length", body.length]];
  if (type !== null) headers.push(["content-type", type]);
  if (!timeless) headers.push([name("x-slack-request-timestamp"), time]);
  if (probe.time_twice) headers.push([name("x-slack-request-timestamp"), time]);
  for (const signature of signatures) headers.push([name("x-slack-signature"), signature]);
  headers.push(...(probe.headers ?? []));
  const head = headers.map(([header, value]) => `${header}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`${probe.method ?? "POST"} ${path} HTTP/1.1\r\n${head}\r\n`, "latin1"), body]);
}

// The status of the answer; 0 where the connection was closed without one.
const send = (port, bytes) => new Promise((resolve) => {
  let heard = "";
  const end = () => resolve(Number(heard.match(/^HTTP\/1\.1 (\d{3})|^HTTP\/1\.0 (\d{3})/)?.slice(1).find(Boolean) ?? 0));
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
  socket.setTimeout(5_000, () => socket.destroy());
  socket.on("data", (chunk) => { heard += chunk.toString("latin1"); });
  socket.on("error", () => {});
  socket.on("close", end);
});

const children = [];
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));

// A program that prints its port.
const printsPort = (command, args) => new Promise((resolve, reject) => {
  const child = spawn(command, args, { env: { ...process.env, SIGNING_SECRET: SECRET }, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  child.stdout.once("data", (port) => resolve(Number(port)));
  child.once("exit", (code) => reject(new Error(`${command} ${args} ended: ${code}`)));
});

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

// The shipped program with its own settings; Slack itself is an address where nobody listens.
async function placet() {
  const folder = mkdtempSync(join(process.env.JUDGES_WORK, "placet-"));
  const [port, nobody] = [await freePort(), await freePort()];
  writeFileSync(join(folder, "placet.toml"), `data = "placet.db"
policy = "builtin"

[http]
listen = "127.0.0.1:${port}"

[slack]
api_url = "http://127.0.0.1:${nobody}/api/"
signing_secret = { env = "SIGNING_SECRET" }
bot_token = { env = "BOT_TOKEN" }
team = "T0PLACET01"
tenant = "acme"
channel = "C0OPS00001"
`);
  const child = spawn(process.env.PLACET_BIN, ["serve", "--config", "placet.toml"], {
    cwd: folder, stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, SIGNING_SECRET: SECRET, BOT_TOKEN: "xoxb-unused" },
  });
  children.push(child);
  let log = "";
  child.stderr.on("data", (chunk) => { log += chunk; });
  const ready = `GET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`;
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await send(port, ready)) === 200) return port;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Placet does not answer: ${log}`);
}

const stand_in = (status) => new Promise((resolve) => {
  const server = createServer((asked, answer) => {
    asked.resume();
    asked.on("end", () => answer.writeHead(status).end());
  }).listen(0, "127.0.0.1", () => resolve(server.address().port));
  server.unref();
});

const takes = (status) => status >= 200 && status < 300;
// Whatever is not taken is refused, in whatever way: an error of the framework's, another path, a connection that is closed.
const refuses = (status) => !takes(status);

// What is wrong with what Placet answered, beside the other two.
function fault(own, others) {
  if (takes(own) && others.some(refuses)) return "LOOSER";
  if (!takes(own) && others.every(takes)) return "STRICTER";
  return "";
}

const peers = await Promise.all([
  placet(), printsPort("node", [join(here, "bolt.mjs")]), printsPort("python", [join(here, "bolt.py")]), stand_in(200), stand_in(401),
]);
const faults = [];
const found = { loose: 0, strict: 0 };
const show = (status) => (status === 0 ? "none" : String(status)).padStart(6);
console.log(`${"probe".padEnd(52)} placet bolt-js bolt-py`);
for (const probe of probes) {
  const paths = [`/slack/${probe.to}`, "/slack/events", "/slack/events", "/", "/"];
  const [own, js, py, loose, strict] = await Promise.all(peers.map((port, at) => send(port, request(probe, paths[at]))));
  const wrong = fault(own, [js, py]);
  const reason = exceptions[probe.name];
  const excused = wrong === "STRICTER" && reason;
  const said = excused ? `${wrong.toLowerCase()}, on purpose: ${reason}` : wrong;
  console.log(`${probe.name.padEnd(52)} ${show(own)}  ${show(js)}  ${show(py)} ${said}`.trimEnd());
  if (wrong && !excused) faults.push(`${probe.name}: ${wrong}`);
  if (wrong !== "STRICTER" && reason) faults.push(`${probe.name}: the exception is not needed`);
  if (own === 0 || own >= 500) faults.push(`${probe.name}: Placet answers ${own}`);
  if (fault(loose, [js, py]) === "LOOSER") found.loose += 1;
  if (fault(strict, [js, py]) === "STRICTER") found.strict += 1;
}
for (const name of Object.keys(exceptions)) {
  if (!probes.some((probe) => probe.name === name)) faults.push(`${name}: an exception for no probe`);
}
if (probes.length < PROBES_MIN) faults.push(`only ${probes.length} probes`);
if (found.loose < 20) faults.push(`one that takes everything was found out by ${found.loose} probes only`);
if (found.strict < 10) faults.push(`one that takes nothing was found out by ${found.strict} probes only`);
console.log(`${probes.length} probes; one that takes everything is found out by ${found.loose}, one that takes nothing by ${found.strict}`);
for (const one of faults) console.error(`  ${one}`);
process.exit(faults.length > 0 ? 1 : 0);
