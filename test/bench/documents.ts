/** What the servers serve: roots full of generated markdown and one prompt, the same in every run. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../fuzz/random.ts";

/** One document as the servers must give it back. */
export interface Document {
  uri: string;
  text: string;
}

/** One folder to start a server on, and what it must serve. */
export interface Root {
  path: string;
  documents: Document[];
}

/** Everything that was generated for one run: roots without, with ordinary, with large and with many documents. */
export interface Corpus extends Record<"empty" | "ordinary" | "large" | "many", Root> {
  /** Deletes all of it. */
  remove(): void;
}

/** A large team's guidelines, patterns and decisions come to about this many. */
const ORDINARY_COUNT = 100;
/** A long decision record, in bytes. */
export const ORDINARY_BYTES = 10_000;
/** More than one, so that no server gains from keeping only the last. */
const LARGE_COUNT = 4;
/** Sixteen times what a pipe holds, so that every answer is written in pieces. */
export const LARGE_BYTES = 1_000_000;
/** Small, so that the number of documents is felt and not the disk. */
const MANY_BYTES = 2_000;
/** Fixed text of the prompt, in bytes: about what a prompt that quotes ten documents comes to. */
export const PROMPT_BYTES = 100_000;
export const PROMPT_NAME = "bench-prompt";
/** The marker of the prompt's only argument. */
const MARKER = "<<topic>>";
const SEED = 20_260_728;

const WORDS =
  "a and architecture boundary cache call client contract decision each event failure for gateway guideline handler interface is layer limit message module must never of one pattern port queue read record request retry server service should state team test that the timeout to transaction value when which with write"
    .split(" ");
/** Pieces that JSON has to escape or that take several bytes in UTF-8, as real documents have them. */
const SEASONING = ['"quoted"', "`code()`", "naïve", "→", "C:\\temp", "“curly”", "1 ≤ n", "\ttab"];

/** Generates the roots under a new temporary folder. */
export function generateCorpus(manyCount: number): Corpus {
  const base = mkdtempSync(join(tmpdir(), "architrave-bench-"));
  const random = new Random(SEED);
  const root = (name: string, count: number, bytes: number) =>
    writeRoot(join(base, name), count, bytes, random);
  return {
    empty: root("empty", 0, 0),
    ordinary: root("ordinary", ORDINARY_COUNT, ORDINARY_BYTES),
    large: root("large", LARGE_COUNT, LARGE_BYTES),
    many: root("many", manyCount, MANY_BYTES),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The text of the prompt for one topic. */
export function promptText(topic: string): string {
  return TEMPLATE.replace(MARKER, () => topic);
}

function writeRoot(path: string, count: number, bytes: number, random: Random): Root {
  const folder = join(path, "resources", "guidelines");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(path, "prompts"));
  const prompt = {
    name: PROMPT_NAME,
    description: "A long prompt with one argument in its middle",
    arguments: [{ name: "topic", description: "What it is about", required: true }],
    messages: [{ role: "user", content: { type: "text", text: TEMPLATE } }],
  };
  writeFileSync(join(path, "prompts", `${PROMPT_NAME}.json`), JSON.stringify(prompt));
  const documents = Array.from({ length: count }, (_, index) => {
    const name = `document-${String(index).padStart(6, "0")}`;
    const text = markdown(index, bytes, random);
    writeFileSync(join(folder, `${name}.md`), text);
    return { uri: `architecture://guidelines/${name}`, text };
  });
  return { path, documents };
}

/** One document: every other one has front matter, all have a heading, sections, lists and code. */
function markdown(index: number, bytes: number, random: Random): string {
  const title = `Guideline ${index}: ${words(4, random)}`;
  const body = `# ${title}\n\n${sentence(random)}\n`;
  const front = `---\ntitle: "${title}"\ndescription: ${words(12, random)}\nstatus: accepted\n---\n\n`;
  return filled(index % 2 === 0 ? front + body : body, bytes, random);
}

/** Appends paragraphs to a text until it comes to `bytes` of UTF-8. */
function filled(start: string, bytes: number, random: Random): string {
  const parts = [start];
  for (let size = Buffer.byteLength(start); size < bytes;) {
    const part = paragraph(random);
    size += Buffer.byteLength(part);
    parts.push(part);
  }
  return parts.join("");
}

function paragraph(random: Random): string {
  const kind = random.next();
  if (kind < 0.15) return `\n## ${words(4, random)}\n`;
  if (kind < 0.3) return `\n- ${sentence(random)}\n- ${sentence(random)}\n`;
  if (kind < 0.4) {
    return `\n\`\`\`ts\nconst limit = ${random.below(1000)}; // ${words(5, random)}\n\`\`\`\n`;
  }
  return `\n${sentence(random)} ${sentence(random)}\n${sentence(random)}\n`;
}

function sentence(random: Random): string {
  return `${words(6, random)} ${random.pick(SEASONING)} ${words(7, random)}.`;
}

function words(count: number, random: Random): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(" ");
}

const half = (seed: number): string => filled("", PROMPT_BYTES / 2, new Random(seed));
/** The fixed text of the prompt, with the marker of its argument in the middle. */
const TEMPLATE = `${half(SEED + 1)}\nThe topic is ${MARKER}, and nothing else.\n${half(SEED + 2)}`;
