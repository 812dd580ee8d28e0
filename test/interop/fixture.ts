/**
 * What do the shelves of real teams look like at their worst? Builds one: names with every character that URIs,
 * templates and file systems quarrel about, every line end, and more documents than fit on a page.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

/** How many plain documents stand beside the awkward ones: more than one page of the default size holds. */
export const MANY = 1_204;

/** A root that was built; whoever built it removes it. */
export interface Fixture {
  readonly root: string;
  remove(): void;
}

/** Files by their path under `resources/`. */
const AWKWARD: Readonly<Record<string, string>> = {
  "guidelines/with space.md": "# With space\n\nA name with a space.\n",
  "guidelines/  two  spaces .md": "# Spaces at every end\n",
  "guidelines/Größe und Maß.md": "# Größe und Maß\n\nÄpfel, Öl, Übermaß.\n",
  "guidelines/Cafe\u0301 decomposed.md": "# A name in decomposed form\n",
  "guidelines/決定の記録.md": "# 決定の記録\n\n日本語の文書です。𠮷野家も。\n",
  "guidelines/🏛 emoji 👩‍💻.md": "# 🏛\n\nOutside the basic plane: 🏛👩‍💻.\n",
  "guidelines/c#.md": "# C#\n\nA name with a hash.\n",
  "guidelines/why?.md": "# Why?\n\nA name with a question mark.\n",
  "guidelines/100%.md": "# 100%\n\nA name that looks like a broken escape.\n",
  "guidelines/50%25.md": "# 50%25\n\nA name that looks like an escape.\n",
  "guidelines/a&b=c+d;e,f@g:h$i!j*k.md": "# Every delimiter\n",
  "guidelines/(draft) [v1] {x}.md": "# Brackets\n",
  'guidelines/it\'s "quoted" \\ `so`.md': "# Quotes and a backslash\n",
  "guidelines/dots.in.a.name.md.md": "# Two endings\n",
  "guidelines/UPPER.MD": "# Upper case ending\n",
  "guidelines/__proto__.md": "# A name that every object has\n",
  "guidelines/constructor.md": "# Another one\n",
  "guidelines/{{path}} <<code>>.md": "# Marks of templates\n",
  "texts/crlf.md": "# Windows\r\n\r\nEvery line\r\nends with two characters.\r\n",
  "texts/bom.md": "\uFEFF# With a byte order mark\n\nBody.\n",
  "texts/bom-crlf-front-matter.md":
    "\uFEFF---\r\ntitle: All at once\r\ndescription: BOM, CRLF, front matter\r\n---\r\n# No\r\n",
  "texts/old-mac.md": "# Carriage returns only\rLine two\r",
  "texts/no-final-newline.md": "# No end",
  "texts/empty.md": "",
  "texts/only-bom.md": "\uFEFF",
  "texts/two-boms.md": "\uFEFF\uFEFF# Only one of them goes\n",
  "texts/separators.md":
    "# \u2028 and \u2029\n\nLine\u2028separator, paragraph\u2029separator, next\u0085line.\n",
  "texts/controls.md": "# Controls\n\n\t\u0001\u0008\u000b\u000c\u001b[31mred\u001b[0m\u007f \\u0041 \\n\n",
  "texts/json.md": '# Looks like a message\n\n{"jsonrpc":"2.0","id":1,"result":{}}\n',
  "texts/large.md": `# Large\n\n${"Wörter, die sich wiederholen. 🏛\n".repeat(40_000)}`,
  "adr/0001-first.md":
    "# 1. First\n\nDate: 2024-01-01\n\n## Status\n\nSuperseded by [3](0003-third.md)\n\n## Context\n\nC.\n",
  "adr/0002-second.md":
    "---\nstatus: accepted\ndate: 2024-02-02\n---\n# Second\n\n## Decision\n\nDo it.\n\n## Consequences\n\nMany.\n",
  "adr/0003-third.md": "# Third\n\n- Status: proposed\n- Date: 2024-03-03\n\n## Context\n\nThe third.\n",
  "adr/0004-one.md": "# One of two\n\n## Status\n\nAccepted\n",
  "adr/0004-other.md": "# The other of two\n\n## Status\n\nAccepted\n",
  "a category/b/c d/ä/deep.md": "# Deep\n\nFour folders down.\n",
  "日本/記録/一.md": "# 一\n",
};

const PROMPTS: Readonly<Record<string, unknown>> = {
  "plain.json": {
    name: "plain",
    messages: [
      { role: "user", content: { type: "text", text: "No arguments, no documents." } },
      { role: "assistant", content: { type: "text", text: "Understood: \\<<nothing>>." } },
    ],
  },
  "every-kind.json": {
    name: "every-kind",
    title: "Every kind of argument",
    description: "Embeds awkward documents and takes every kind of argument.",
    arguments: [
      { name: "must", description: "Required.", required: true, maxLength: 10 },
      { name: "may", required: false },
      { name: "tone", values: ["formal", "friendly", "terse", "very formal"] },
    ],
    messages: [
      {
        role: "user",
        content: {
          type: "text",
          text: "<<must>>|{{may}}|<<tone>>\n<<resource:architecture://guidelines/with%20space>>\n" +
            "<<resource:architecture://guidelines/決定の記録>>\n<<resource:architecture://adr/2#decision>>\n" +
            "<<resource:architecture://adr/*>>\n<<resource:architecture://nowhere/*>>",
        },
      },
    ],
  },
};

/**
 * Builds the root in a temporary folder.
 *
 * @param many How many plain documents stand beside the awkward ones.
 */
export function buildFixture(many: number = MANY): Fixture {
  const root = realpathSync(mkdtempSync(`${tmpdir()}/architrave interop ü-`));
  for (const [path, text] of Object.entries(AWKWARD)) put(`${root}/resources/${path}`, text);
  for (let index = 0; index < many; index++) {
    const name = String(index).padStart(4, "0");
    put(`${root}/resources/many/${name.slice(0, 2)}/${name}.md`, `# Document ${name}\n\nText of ${name}.\n`);
  }
  mkdirSync(`${root}/resources/patterns`);
  put(`${root}/resources/guidelines/.hidden.md`, "# Nobody sees this\n");
  put(`${root}/resources/guidelines/notes.txt`, "Not markdown.\n");
  for (const [path, definition] of Object.entries(PROMPTS)) {
    put(`${root}/prompts/${path}`, JSON.stringify(definition, undefined, 2));
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function put(path: string, text: string): void {
  mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  writeFileSync(path, text);
}
