/** What the servers serve: roots full of generated markdown and one prompt, the same in every run. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../fuzz/random.ts";
import { makeCorpus } from "./search/corpus.ts";

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
  const documents = makeCorpus(count, bytes).map(({ title, body }, index) => {
    const name = `document-${String(index).padStart(6, "0")}`;
    // Every other one has front matter.
    const front = index % 2 === 0 ? `---\ntitle: ${title}\ndescription: About ${title}\nstatus: accepted\n---\n\n` : "";
    const text = `${front}# ${title}\n\n${seasoned(body, random)}\n`;
    writeFileSync(join(folder, `${name}.md`), text);
    return { uri: `architecture://guidelines/${name}`, text };
  });
  return { path, documents };
}

/** A text whose sentences end in what costs more to encode. */
function seasoned(text: string, random: Random): string {
  return text.replace(/\.$/gm, () => ` ${random.pick(SEASONING)}.`);
}

const [first, second] = makeCorpus(2, PROMPT_BYTES / 2).map(({ body }) => seasoned(body, new Random(SEED)));
/** The fixed text of the prompt, with the marker of its argument in the middle. */
const TEMPLATE = `${first}\nThe topic is ${MARKER}, and nothing else.\n${second}`;
