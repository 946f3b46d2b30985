// Takes the pictures of the pieces of the corpus that cards.txt names. `--keep` puts them into cards/, where people look at them;
// without it they are taken to see that it can be done: nothing in a card is without a picture, no text is missing in
// it, it is not blank, and the ones that are kept are still true.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { page as html, words } from "./render.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(process.env.JUDGES_HOME, "package.json"));
const puppeteer = require("puppeteer-core");
const keep = process.argv.includes("--keep");
const CARDS_MIN = 30;
const COLOURS_MIN = 20;

// A piece of the corpus, and the name under which its picture is kept: of its own where it is without notes.
const cards = readFileSync(join(here, "cards.txt"), "utf8").split("\n").filter(Boolean).map((line) => {
  const [piece, own] = line.split(" ");
  return { piece, name: own ?? basename(piece), noted: own === undefined };
});
const out = keep ? join(here, "cards") : join(process.env.JUDGES_WORK, "pictures");
mkdirSync(out, { recursive: true });
const faults = [];
const sums = {};
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-lcd-text"] });
const page = await browser.newPage();
await page.setViewport({ width: 720, height: 400 });

// Whether all words are there to be read, in the text of the page; white space apart.
const flat = (text) => text.replace(/\s+/g, "");
async function take(content, noted = true) {
  await page.setContent(html(content, noted));
  const read = flat(await page.evaluate(() => document.body.textContent));
  const cut = (word) => (word.length > 30 ? word.slice(0, 30) : word);
  for (const word of words({ ...content, text: "" }, noted)) if (!read.includes(flat(cut(word)))) throw new Error(`not in the picture: ${word.slice(0, 80)}`);
  const picture = await (await page.$("#picture")).screenshot();
  // What Slack draws around it is in every picture.
  await page.addStyleTag({ content: ".face, .name, .bar, .foot { visibility: hidden; } .modal { border-color: #fff; box-shadow: none; }" });
  const inside = await (await page.$("#picture")).screenshot();
  const colours = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    const seen = new Set();
    for (let at = 0; at < pixels.length; at += 4) seen.add((pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2]);
    return seen.size;
  }, Buffer.from(inside).toString("base64"));
  if (colours < COLOURS_MIN) throw new Error(`blank: ${colours} colours`);
  return picture;
}

for (const { piece, name, noted } of cards) {
  try {
    const text = readFileSync(join(process.env.PLACET_CORPUS, `${piece}.json`), "utf8");
    const picture = await take(JSON.parse(text), noted);
    writeFileSync(join(out, `${name}.png`), picture);
    sums[name] = createHash("sha256").update(text).update(readFileSync(join(here, "render.mjs"))).digest("hex");
  } catch (fault) {
    faults.push(`${name}: ${fault.message}`);
  }
}
// What must not pass: those that are blank, and one with a block that has no picture.
const title = { type: "plain_text", text: "Details" };
const planted = {
  "a blank message": [{ blocks: [{ type: "divider" }] }, /^blank/],
  "a blank dialog": [{ type: "modal", title, blocks: [{ type: "divider" }] }, /^blank/],
  "a block without a picture": [{ blocks: [{ type: "video" }] }, /^no picture of a block video/],
};
for (const [bad, [content, expected]] of Object.entries(planted)) {
  const found = await take(content).then(() => "nothing", (fault) => fault.message);
  if (!expected.test(found)) faults.push(`planted: ${bad}: found ${found}`);
}
await browser.close();

const sumsFile = join(here, "cards/sums.json");
if (keep) {
  for (const file of readdirSync(out)) if (file.endsWith(".png") && !(file.slice(0, -4) in sums)) rmSync(join(out, file));
  writeFileSync(sumsFile, `${JSON.stringify(sums, null, 1)}\n`);
} else {
  const kept = JSON.parse(readFileSync(sumsFile, "utf8"));
  const missing = (name) => !existsSync(join(here, "cards", `${name}.png`));
  const old = Object.keys(sums).filter((name) => kept[name] !== sums[name] || missing(name));
  if (old.length > 0) faults.push(`the kept pictures of these are no longer true: ${old.join(", ")}. Take them again and look at them: tests/judges/run --keep pictures`);
}
if (cards.length < CARDS_MIN) faults.push(`only ${cards.length} cards`);
console.log(`${cards.length} cards, ${Object.keys(sums).length} pictures`);
for (const fault of faults) console.error(`  ${fault}`);
process.exit(faults.length > 0 ? 1 : 0);
