// The checks that Slack's types and models lack, written apart from those of the adapter, so that a fault in one is not
// a fault in both: too many blocks, an id used twice, a field that is too long, an input without submit, size.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [corpus, bad] = process.argv.slice(2);
const BYTES_MAX = 13_200;

// Slack counts a text as it is once `&`, `<` and `>` are written as entities, in UTF-16 units.
const units = (text) => text.replace(/[&<>]/g, (c) => (c === "&" ? "&amp;" : "&lt;")).length;

// Every object in a value, with where it is.
function* objects(value, path = "") {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value)) yield [path, value];
  for (const [name, inner] of Object.entries(value)) yield* objects(inner, `${path}/${name}`);
}

function faultsOf(kind, sent) {
  const faults = [];
  const blocks = sent.blocks ?? [];
  const view = kind === "modals" || kind === "homes";
  const most = view ? 100 : 50;
  if (blocks.length > most) faults.push(`${blocks.length} blocks, at most ${most}`);
  for (const id of ["action_id", "block_id"]) {
    const seen = new Set();
    for (const [path, object] of objects(blocks)) {
      const value = object[id];
      if (value === undefined || value === null) continue;
      if (seen.has(value)) faults.push(`${path}: ${id} ${value} is used twice`);
      seen.add(value);
    }
  }
  for (const [path, object] of objects(blocks)) {
    for (const [at, field] of (object.fields ?? []).entries()) {
      if (units(field.text) > 2_000) faults.push(`${path}/fields/${at}: ${units(field.text)} units, at most 2000`);
    }
  }
  if (view && blocks.some((block) => block.type === "input") && !sent.submit) faults.push("an input, and no submit");
  const bytes = JSON.stringify(blocks).length;
  if (!view && bytes > BYTES_MAX) faults.push(`${bytes} characters of blocks, at most ${BYTES_MAX}`);
  if (view && JSON.stringify(sent).length > 250_000) faults.push("a view of more than 250,000 characters");
  if (kind === "messages" && !sent.text?.trim()) faults.push("no text for the notification");
  // The samples have Placet itself name one account, one group and one channel; any other is an agent's.
  const own = /<@U0BO>|<!subteam\^S0OPS>|<#C0OPS>/g;
  if (kind === "messages" && /<[!@#]|<http/.test((sent.text ?? "").replace(own, ""))) faults.push("markup in the text for the notification");
  return faults;
}

const files = (folder) => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json")).sort();
  } catch {
    return [];
  }
};
const faults = [];
let count = 0;
for (const kind of ["messages", "modals", "homes", "answers"]) {
  for (const name of files(join(corpus, kind))) {
    count += 1;
    const sent = JSON.parse(readFileSync(join(corpus, kind, name), "utf8"));
    for (const fault of faultsOf(kind, sent)) faults.push(`${name}: ${fault}`);
  }
}
let planted = 0;
for (const name of files(bad)) {
  const sample = JSON.parse(readFileSync(join(bad, name), "utf8"));
  if (!sample.found_by.includes("limits")) continue;
  planted += 1;
  if (faultsOf(sample.kind, sample.sent).length === 0) faults.push(`${name}: not found`);
}
console.log(`limits   what both lack: ${count} pieces; ${planted} bad samples refused`);
for (const fault of faults.slice(0, 20)) console.error(`  ${fault}`);
if (faults.length > 0 || count < 40 || planted < 5) {
  console.error(`limits   ${faults.length} faults, ${planted} bad samples`);
  process.exit(1);
}
