/**
 * The documents that are served: what a client must see of a folder, worked out from the files alone and with nothing of
 * the program; a folder of awkward names and texts; and a folder that changes.
 */

import { Buffer } from "node:buffer";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { filesOf, writeFiles } from "../harness/folder.ts";

/** One document as it must be served. */
export interface ExpectedDocument {
  readonly uri: string;
  /** The same document in the other scheme. */
  readonly fileUri: string;
  /** The file name without its ending. */
  readonly name: string;
  /** The bytes of the file, less a byte order mark. */
  readonly text: Buffer;
  /** The size of the file, in bytes. */
  readonly size: number;
  readonly lastModified: string;
}

/** Every document of a root, sorted by URI in code-unit order. */
export function expectedDocuments(root: string): readonly ExpectedDocument[] {
  const files = filesOf(`${root}/resources`).filter((file) =>
    /\.md$/i.test(file) && !/(?:^|\/)\./.test(file)
  );
  return files.map((file) => {
    const path = `${root}/resources/${file}`;
    const segments = file.slice(0, -".md".length).normalize("NFC").split("/");
    const key = segments.map(encodeSegment).join("/");
    const bytes = readFileSync(path);
    const hasMark = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
    return {
      uri: `architecture://${key}`,
      fileUri: `file:///${key}.md`,
      name: segments.at(-1)!,
      text: hasMark ? bytes.subarray(3) : bytes,
      size: bytes.length,
      lastModified: new Date(Math.floor(statSync(path).mtimeMs)).toISOString(),
    };
  }).sort((left, right) => (left.uri < right.uri ? -1 : 1));
}

/** The names of the categories, sorted. */
export function expectedCategories(root: string): readonly string[] {
  return readdirSync(`${root}/resources`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name).sort();
}

/** The names of the prompts of a root, sorted; the file name says nothing, so the definitions are read. */
export function expectedPrompts(root: string): readonly string[] {
  return readdirSync(`${root}/prompts`).filter((file) => file.endsWith(".json"))
    .map((file) => (JSON.parse(readFileSync(`${root}/prompts/${file}`, "utf8")) as { name: string }).name)
    .sort();
}

/** Encodes every character that RFC 3986 does not call unreserved, as the bytes of its UTF-8. */
export function encodeSegment(segment: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(segment.normalize("NFC")).replace(/[!'()*]/g, escaped);
}

/** A root that is served and changed. */
export interface ChangingRoot {
  readonly root: string;
  /** Writes a guideline with a title, which is listed, and a text. */
  document(name: string, title: string, text: string): void;
  /** Writes the definition of a prompt. */
  prompt(name: string): void;
}

/** Makes one in a folder, with the guideline "a" and the prompt "p" in it. */
export function changingRoot(folder: string): ChangingRoot {
  const root = `${folder}/interop ü`;
  const changing: ChangingRoot = {
    root,
    document: (name, title, text) =>
      writeFiles(root, {
        [`resources/guidelines/${name}.md`]: `# ${title}\n\nWhat it is about.\n\n${text}\n`,
      }),
    prompt: (name) =>
      writeFiles(root, {
        [`prompts/${name}.json`]: JSON.stringify({
          name,
          messages: [{ role: "user", content: { type: "text", text: "Say it." } }],
        }),
      }),
  };
  changing.document("a", "A", "As it was.");
  changing.prompt("p");
  return changing;
}

/** The number of plain documents in addition to the awkward ones: more than a page of the default size holds. */
export const MANY = 1_204;

/**
 * Files by their path under `resources/`: names with every character that URIs, templates and file systems disagree about,
 * and every line end and byte order mark.
 */
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
  "guidelines/.hidden.md": "# Not served\n",
  "guidelines/notes.txt": "Not markdown.\n",
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

/** Makes a root of awkward documents in a folder, with plain ones next to them. */
export function awkwardRoot(folder: string): string {
  const root = `${folder}/interop ü`;
  writeFiles(`${root}/resources`, AWKWARD);
  for (let index = 0; index < MANY; index++) {
    const name = String(index).padStart(4, "0");
    const text = `# Document ${name}\n\nText of ${name}.\n`;
    writeFiles(root, { [`resources/many/${name.slice(0, 2)}/${name}.md`]: text });
  }
  mkdirSync(`${root}/resources/patterns`);
  // Of parts of a millisecond, one runtime rounds some up and another one none.
  const first = Date.parse("2026-07-28T12:34:56Z") / 1000;
  for (const [index, file] of filesOf(root).entries()) {
    utimesSync(`${root}/${file}`, first + index, first + index);
  }
  return root;
}
