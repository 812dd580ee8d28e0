/**
 * What is served while the program is fuzzed: a small root whose every answer is known without asking. It has plain
 * documents, odd ones, a large one, two records with one number, and a link to a file outside that must never be read.
 */

import { symlinkSync } from "node:fs";
import type { TestContext } from "node:test";
import { makeFolder } from "../harness/folder.ts";

/** How many things are on a page: few, so that there are cursors. */
export const PAGE_SIZE = 3;
/** Stands only in files outside of the root. */
const SECRET = "canary-that-must-not-sing";
const ODD_NAME = "größe & maß";

const TEXTS: Readonly<Record<string, string>> = {
  "guidelines/naming": "# Naming\n\nNames are words.\n\n## Why\n\nThey are read.\n\n## Why not\n\nNever.\n",
  [`guidelines/${ODD_NAME}`]: "# Größe\n\n€ 𝄞 \u2028 <<name>> {{name}}\n",
  "guidelines/quotes":
    '---\ntitle: Quotes\napplies-to: ["src/**"]\n---\n\n"quoted" \\ back\\slash\tand a tab\n',
  "patterns/deep/er/queue": "# Queue\n\nFirst in, first out.\n",
  "patterns/large": `# Large\n\n${"A line that is there to take up space, ünd more.\n".repeat(4000)}`,
  "odd/crlf": "# Crlf\r\n\r\nLines that end in two.\r\n",
  "adr/001-first": "# 1. First\n\n## Status\n\nAccepted\n\n## Decision\n\nYes.\n",
  "adr/007-seven": "# 7. Seven\n\n## Status\n\nAccepted\n",
  "adr/007-other-seven": "# 7. Other seven\n\n## Status\n\nProposed\n",
};

/** The text of every document by its listed URI, in the order of the list. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries(TEXTS)
    .map(([path, text]) => [`architecture://${path.replace(ODD_NAME, encodeURIComponent)}`, text] as const)
    .sort(([left], [right]) => left < right ? -1 : 1),
);

/** The categories, in the order of the list. */
export const CATEGORIES: readonly string[] = ["adr", "guidelines", "odd", "patterns"];
/** The templates, in the order of the list. */
export const TEMPLATES: readonly string[] = CATEGORIES.map((category) =>
  `architecture://${category}/{+path}`
);

/** The tools, in the order of the list. */
export const TOOLS: readonly string[] = "decisions_for list_documents read_document search_documents".split(
  " ",
);

/** What a prompt takes; `text` is what it says, as far as that is known without documents. */
export interface KnownPrompt {
  readonly arguments: Readonly<Record<string, { readonly required: boolean; readonly maxLength: number }>>;
  /** It embeds what is not there, so that it can never be filled in. */
  readonly isBroken?: boolean;
  readonly text?: (given: Readonly<Record<string, string>>) => string;
}

/** The prompts by name, in the order of the list; three of them ship with the program. */
export const PROMPTS: Readonly<Record<string, KnownPrompt>> = {
  "broken": { arguments: {}, isBroken: true },
  "create-adr": { arguments: { topic: { required: true, maxLength: 2000 } } },
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
  "review-code-against-patterns": {
    arguments: { code: { required: true, maxLength: 10_000 }, language: { required: false, maxLength: 60 } },
  },
  "suggest-patterns": { arguments: { problem: { required: true, maxLength: 2000 } } },
};

const user = (text: string) => ({ role: "user", content: { type: "text", text } });
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
    messages: [user("Review <<language>>:\n<<code>>\n<<resource:architecture://guidelines/naming#why>>")],
  },
};

/** What the program wrote on standard error beyond the one report that the root causes; undefined when that was all. */
export function unexpectedError(errors: string): string | undefined {
  return errors.split("\n").find((line) =>
    line !== "" && !line.startsWith("architrave: error: guidelines/link.md: ")
  );
}

/** A root on the disk. */
export interface Root {
  readonly path: string;
  /** What must never be seen in an answer: where the root is, and what is next to it. */
  readonly secrets: readonly string[];
}

/** Writes the root into a temporary folder. */
export function makeRoot(test: Pick<TestContext, "after">): Root {
  const documents = Object.entries(TEXTS).map(([path, text]) => [`root/resources/${path}.md`, text]);
  const prompts = Object.entries(PROMPT_FILES)
    .map(([name, definition]) => [`root/prompts/${name}.json`, JSON.stringify({ name, ...definition })]);
  const secret = [["secret.md", `# Secret\n\n${SECRET}\n`]];
  const folder = makeFolder(test, Object.fromEntries([...documents, ...prompts, ...secret]));
  try {
    symlinkSync(`${folder}/secret.md`, `${folder}/root/resources/guidelines/link.md`);
  } catch {
    // Where links need rights that are not there, the rest is as good without one.
  }
  return { path: `${folder}/root`, secrets: [folder, SECRET] };
}
