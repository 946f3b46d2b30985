// Slack's types: every piece of the corpus is written as TypeScript with `satisfies`, and tsc judges all of it at once.
// Each bad sample is judged with them and must be refused.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [corpus, bad, manifest, out] = process.argv.slice(2);
const require = createRequire(join(process.env.JUDGES_HOME, "package.json"));
const { parse } = require("yaml");

// What each kind of piece has to be.
const TYPES = {
  messages: "{ text: string; blocks: KnownBlock[] }",
  modals: "ModalView",
  homes: "HomeView",
  answers: "RespondArguments | ViewResponseAction",
};
const HEAD = `import type { HomeView, KnownBlock, ModalView } from "@slack/types";
import type { RespondArguments, ViewResponseAction } from "@slack/bolt";
import type { AppsManifestCreateArguments } from "@slack/web-api";
type Manifest = AppsManifestCreateArguments["manifest"];
`;

const files = (folder) => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json")).sort();
  } catch {
    return [];
  }
};

const lines = (path) => readFileSync(path, "utf8").trim();
const counts = {};
for (const [kind, type] of Object.entries(TYPES)) {
  const names = files(join(corpus, kind));
  counts[kind] = names.length;
  const all = names.map((name) => `// ${name}\n(${lines(join(corpus, kind, name))}) satisfies ${type};\n`);
  writeFileSync(join(out, `${kind}.ts`), HEAD + all.join(""));
}
const app = JSON.stringify(parse(readFileSync(manifest, "utf8")), null, 2);
writeFileSync(join(out, "manifest.ts"), `${HEAD}(${app}) satisfies Manifest;\n`);

const samples = files(bad).map((name) => [name, JSON.parse(readFileSync(join(bad, name), "utf8"))]);
const planted = samples.filter(([, sample]) => sample.found_by.includes("types"));
for (const [name, sample] of planted) {
  const text = JSON.stringify(sample.sent, null, 2);
  writeFileSync(join(out, `bad-${basename(name, ".json")}.ts`), `${HEAD}(${text}) satisfies ${TYPES[sample.kind]};\n`);
}
writeFileSync(join(out, "tsconfig.json"), JSON.stringify({
  compilerOptions: {
    strict: true, noEmit: true, skipLibCheck: true, module: "nodenext", target: "es2024", types: ["node"],
    typeRoots: [join(process.env.JUDGES_HOME, "node_modules/@types")],
  },
  include: ["*.ts"],
}));

let said = "";
try {
  execFileSync("tsc", ["--project", out, "--pretty", "false"], { encoding: "utf8" });
} catch (fault) {
  said = fault.stdout;
}
const errors = said.split("\n").filter((line) => line.includes("error TS"));
const about = (name) => errors.filter((line) => line.startsWith(`${name}.ts`) || line.includes(`/${name}.ts`));
const faults = [];
for (const name of [...Object.keys(TYPES), "manifest"]) faults.push(...about(name));
const known = (line) => /(^|\/)(messages|modals|homes|answers|manifest|bad-[^/]*)\.ts/.test(line);
faults.push(...errors.filter((line) => !known(line)));
for (const [name] of planted) {
  if (about(`bad-${basename(name, ".json")}`).length === 0) faults.push(`${name}: tsc takes it`);
}
// A name beside each line that is wrong.
const named = (line) => {
  const place = line.match(/(\w+)\.ts\((\d+),/);
  if (!place || !(place[1] in TYPES)) return line;
  const before = readFileSync(join(out, `${place[1]}.ts`), "utf8").split("\n").slice(0, Number(place[2]));
  return `${before.reverse().find((text) => text.startsWith("// "))?.slice(3)}: ${line}`;
};
const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`).join(", ");
console.log(`types    tsc with @slack/types: ${kinds}, the manifest; ${planted.length} bad samples refused`);
if (counts.messages < 40 || counts.modals < 1) faults.push("the corpus is too small");
for (const fault of faults.slice(0, 20)) console.error(`  ${named(fault)}`);
if (faults.length > 0) {
  console.error(`types    ${faults.length} faults`);
  process.exit(1);
}
