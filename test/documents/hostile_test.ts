/** Documents that are written to keep the program busy do not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { lint } from "../../lib/documents/mod.ts";
import { cpuNow } from "../harness/process.ts";
import { memoryProvider } from "./stores.ts";

/** The maximum processor time, in milliseconds: what grows with the square of its input takes minutes. */
const LIMIT_MS = 30_000;
/** In characters: one line, or many. */
const LINE_SIZE = 400_000;
const LINES_SIZE = 100_000;

/** What is repeated, what stands before it, and what behind it. */
type Flood = readonly [part: string, before?: string, after?: string];
const FRONT: readonly Flood[] = [
  ...[[" ", "---\na", ":x\n---\n"], ["a ", "---\n", "x\n---\n"], ["a: b\n", "---\n", "---\n"]] as const,
  ...[["x\n", "---\na: b\n", "---\n"], ['"', "---\na: ", "\n---\n"], ["\\", '---\na: "', "\n---\n"]] as const,
  ...[['["', "---\na: [", "]\n---\n"], [" x\n", "---\na: b\n", "---\n"], ["a: b\n", "---\n"]] as const,
  ["1,", "---\nsuperseded-by: ", "\n---\n"],
];
const HEADINGS: readonly Flood[] = [
  ...[["#", "# a"], ["# a\n"], ["#\n"], [`## ${"[".repeat(1000)}\n`], ["# a\n## b\n### c\n"]] as const,
  ...[["# a\n# a 1\n"], ["## Status\n", "# A\n"], ["## Status\n\nx\n", "# A\n"], ["a\n===\n"]] as const,
  ...[["=", "a\n"], ["-", "a\n"], [" ", "# ", "#"]] as const,
];
const CODE: readonly Flood[] = [
  ...[["```\n"], ["`", "", "x`"], ["` `` ``` "], ["~", "", "x"], ["<!--"], ["<!-- -->\n"]] as const,
  [Array.from({ length: 1400 }, (_, length) => "`".repeat(length)).join(" ")],
];
const LINKS: readonly Flood[] = [
  ...[["["], ["[a]("], ["[a](b.md)"], [" ", "[a](", "x"], ["(", "[a]("], ["](a"], ["](<"]] as const,
  ...[["[a]: b.md\n"], ["[", "[", "]: x"], ["<a "], ["<a id="], ["{#a"]] as const,
];
const RECORDS: readonly Flood[] = [
  ...[["Status: accepted\n"], ["*", "Status", ": x"], [" ", "- Status", "x"]] as const,
  ["|", "| Status ", "x"],
  ...[["supersedes ", "## Status\n\n"], ["](x)", "## Status\n\nSuperseded by "]] as const,
  ...[["~~", "## Status\n\n"], ["a |", "## Status\n\n"]] as const,
  [`- supersedes ](${"x](".repeat(600)}\n`],
];
const TEXTS: readonly Flood[] = [
  ...[[" "], ["*"], ["_", "a"], ["a_"], ["- a\n"], ["> a\n"], ["| a "], ["a"], ["\r"]] as const,
  ...[["\u200b"], ["👩\u200d"], ["\u{1f3f4}\u{e0067}"]] as const,
];

for (const [part, before = "", after = ""] of [FRONT, HEADINGS, CODE, LINKS, RECORDS, TEXTS].flat()) {
  const name = JSON.stringify([before, part, after].map((text) => text.slice(0, 20)));
  test(`a flood of ${name} is listed, read and checked in linear time`, async () => {
    const size = /[\r\n]/.test(part) ? LINES_SIZE : LINE_SIZE;
    const text = before + part.repeat(Math.ceil(size / part.length)) + after;
    const start = cpuNow();
    const { provider } = await memoryProvider({ "adr/007-x.md": text });
    await provider.read("architecture://adr/7#nothing", { revision: {} } as never);
    lint(provider.store);
    const took = cpuNow() - start;
    assert.ok(took < LIMIT_MS, `It took ${took} ms`);
    const { title, description } = provider.store.catalogue.documents[0]!;
    assert.ok(title.length <= 2000 && (description ?? "").length <= 400, "what is listed stays short");
  });
}
