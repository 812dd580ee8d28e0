/**
 * What is served while the program is fuzzed? A small shelf whose every answer is known without asking: plain documents,
 * odd ones, a large one, two records with one number, and a file outside that nobody may ever see.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** How many things are on a page: few, so that there are cursors. */
export const PAGE_SIZE = 3;
/** Stands only in files outside of the root. */
export const SECRET = "canary-that-must-not-sing";

/** A document, and the URI that it is listed under by the rules for URIs. */
interface Served {
  readonly file: string;
  readonly uri: string;
  readonly text: string;
}

const ODD_NAME = "größe & maß";

const SERVED: readonly Served[] = [
  served(
    "guidelines/naming",
    "# Naming\n\nNames are words.\n\n## Why\n\nThey are read.\n\n## Why not\n\nNever.\n",
  ),
  { ...served(`guidelines/${ODD_NAME}`, "# Größe\n\n€ 𝄞 \u2028 <<name>> {{name}}\n"), uri: oddUri() },
  served(
    "guidelines/quotes",
    '---\ntitle: Quotes\napplies-to: ["src/**"]\n---\n\n"quoted" \\ back\\slash\tand a tab\n',
  ),
  served("patterns/deep/er/queue", "# Queue\n\nFirst in, first out.\n"),
  served("patterns/large", `# Large\n\n${"A line that is there to take up room, ünd more.\n".repeat(4000)}`),
  served("odd/crlf", "# Crlf\r\n\r\nLines that end in two.\r\n"),
  served("adr/001-first", "# 1. First\n\n## Status\n\nAccepted\n\n## Decision\n\nYes.\n"),
  served("adr/007-seven", "# 7. Seven\n\n## Status\n\nAccepted\n"),
  served("adr/007-other-seven", "# 7. Other seven\n\n## Status\n\nProposed\n"),
];

function served(path: string, text: string): Served {
  return { file: `resources/${path}.md`, uri: `architecture://${path}`, text };
}

function oddUri(): string {
  return `architecture://guidelines/${encodeURIComponent(ODD_NAME)}`;
}

/** The text of every document by its listed URI, in the order of the list. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  SERVED.map(({ uri, text }) => [uri, text] as const).sort(([left], [right]) => left < right ? -1 : 1),
);

/** The templates, in the order of the list. */
export const TEMPLATES: readonly string[] = ["adr", "guidelines", "odd", "patterns"]
  .map((category) => `architecture://${category}/{+path}`);

/** What a prompt wants; `text` is what it says, as far as that is known without documents. */
export interface KnownPrompt {
  readonly arguments: Readonly<Record<string, { readonly required: boolean; readonly maxLength: number }>>;
  /** What it embeds is not there, so that it can never be filled in. */
  readonly isBroken?: boolean;
  readonly text?: (given: Readonly<Record<string, string>>) => string;
}

/** The prompts by name, in the order of the list. */
export const PROMPTS: Readonly<Record<string, KnownPrompt>> = {
  "broken": { arguments: {}, isBroken: true },
  "everything": { arguments: {} },
  "greet": {
    arguments: { name: { required: true, maxLength: 40 }, tone: { required: false, maxLength: 2000 } },
    text: ({ name, tone }) => `Say hello to ${name}. ${tone ?? ""}<<name>>`,
  },
  "review": {
    arguments: {
      code: { required: true, maxLength: 10_000 },
      language: { required: false, maxLength: 2000 },
    },
  },
};

const PROMPT_FILES: Readonly<Record<string, object>> = {
  "broken": { messages: [user("<<resource:architecture://guidelines/nowhere>>")] },
  "everything": {
    messages: [user("<<resource:architecture://guidelines/*>>"), user("{{resource:architecture://adr/1}}")],
  },
  "greet": {
    title: "Greet",
    arguments: [
      { name: "name", required: true, maxLength: 40, values: ["Ada", "Grace", "Älva"] },
      { name: "tone", description: "How it sounds.", values: ["kind", "cool"] },
    ],
    messages: [user("Say hello to <<name>>. {{tone}}\\<<name>>")],
  },
  "review": {
    arguments: [{ name: "code", required: true }, { name: "language" }],
    messages: [
      user("Review this <<language>>:\n<<code>>\n<<resource:architecture://guidelines/naming#why>>"),
    ],
  },
};

function user(text: string): object {
  return { role: "user", content: { type: "text", text } };
}

/** All that the shelf makes the program say on standard error: one link in it leads out. */
const EXPECTED_ERROR = /^architrave: error: guidelines\/link\.md: /;

/** What else the program said on standard error; undefined when that was all. */
export function strangeError(errors: string): string | undefined {
  return errors.split("\n").find((line) => line !== "" && !EXPECTED_ERROR.test(line));
}

/** A shelf on the disk. */
export interface Shelf {
  readonly root: string;
  /** What must never be seen in an answer: where the shelf is, and what is beside it. */
  readonly secrets: readonly string[];
  remove(): void;
}

/** Writes the shelf into a temporary folder. */
export function makeShelf(): Shelf {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "architrave-fuzz-")));
  const root = join(folder, "root");
  for (const { file, text } of SERVED) write(join(root, file), text);
  for (const [name, definition] of Object.entries(PROMPT_FILES)) {
    write(join(root, `prompts/${name}.json`), JSON.stringify({ name, ...definition }));
  }
  write(join(folder, "secret.md"), `# Secret\n\n${SECRET}\n`);
  try {
    symlinkSync(join(folder, "secret.md"), join(root, "resources/guidelines/link.md"));
  } catch {
    // Where links need rights that are not there, the rest is as good without one.
  }
  return { root, secrets: [folder, SECRET], remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
