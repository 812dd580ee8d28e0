/** What must a client never see? A root with a secret beside it, and a look at every line that was written. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Program } from "../harness/program.ts";
import { makeFolder } from "../harness/folder.ts";
import { modern } from "../harness/program.ts";

/** What stands in every file outside, and nowhere else. */
export const SECRET = "Nobody may read this";
/** A file outside that would do for a document. */
export const OUTSIDE: string = `# 1. ${SECRET}\n\n## Status\n\nAccepted\n\n## Part\n\n${SECRET}.\n`;
/** A document. */
export const INSIDE = "# 1. Use one thing\n\n## Status\n\nAccepted\n\n## Part\n\nEverybody may read this.\n";
/** The URI of the only document of the root. */
export const DOCUMENT = "architecture://adr/001-use-one-thing";

/** Makes a folder with the root `docs` in it, and with secrets outside the root. */
export function makeSurroundings(
  test: Pick<TestContext, "after">,
  more: Readonly<Record<string, string | Uint8Array>> = {},
): string {
  return makeFolder(test, {
    "docs/resources/adr/001-use-one-thing.md": INSIDE,
    "docs-evil/resources/adr/001-use-one-thing.md": OUTSIDE,
    "secret.md": OUTSIDE,
    "secret": OUTSIDE,
    "outside/secret.md": OUTSIDE,
    "outside/001-use-one-thing.md": OUTSIDE,
    ...more,
  });
}

/** A revision, and how one speaks it. */
export interface Era {
  readonly name: string;
  /** The code for a resource that is not there. */
  readonly notFound: number;
  /** Opens the conversation. */
  begin(program: Program): Promise<unknown>;
  /** The params of a request. */
  params(params: object): object;
}

/** Every revision that is served. */
export const ERAS: readonly Era[] = [
  ...["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].map((name): Era => ({
    name,
    notFound: -32002,
    begin: (program) => program.initialize(name),
    params: (params) => params,
  })),
  {
    name: "2026-07-28",
    notFound: -32602,
    begin: () => Promise.resolve(),
    params: (params) => modern(params),
  },
];
/** The newest of either kind, for what does not differ from one revision to the next. */
export const NEWEST_ERAS: readonly Era[] = ERAS.slice(-2);

/** One request, and the text of the client's that its answer may repeat. */
export interface Question {
  readonly params: object;
  readonly echo: string;
}

/**
 * Asks many things at once, and gives the lines of the answers as they were written, in the order of the questions, with
 * the id and what was repeated taken out of them.
 */
export async function ask(
  program: Program,
  era: Era,
  method: string,
  questions: readonly Question[],
): Promise<string[]> {
  const before = program.output.split("\n").length - 1;
  program.send(
    ...questions.map(({ params }, id) => ({ jsonrpc: "2.0", id, method, params: era.params(params) })),
  );
  await program.answers(questions.length);
  const lines = new Map(
    program.output.split("\n").slice(before, -1).map((line) => [JSON.parse(line).id, line]),
  );
  return questions.map(({ echo }, id) => {
    const line = lines.get(id)!.replace(`"id":${id}`, '"id":"…"');
    if (echo === "") return line;
    // A message has no half characters; the data of an error is what was sent.
    return line.replaceAll(inner(echo), "…").replaceAll(inner(echo.toWellFormed()), "…");
  });
}

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Reads URIs. */
export function read(program: Program, era: Era, uris: readonly string[]): Promise<string[]> {
  return ask(program, era, "resources/read", uris.map((uri) => ({ params: { uri }, echo: uri })));
}

/** The line that a plain document gets that is not there. */
export function notFound(era: Era): string {
  return `{"jsonrpc":"2.0","id":"…","error":{"code":${era.notFound},"message":"Resource not found","data":{"uri":"…"}}}`;
}

/** Ends the program and looks at all that it wrote: nothing from outside, and to the client no path of this disk. */
export async function closeContained(program: Program, folder: string): Promise<void> {
  assert.equal(await program.close(), 0);
  assertContained(program.output, folder);
  assert.ok(!program.errors.includes(SECRET), "nothing from outside on standard error");
}

/** Looks at all that a client was sent, line by line. */
export function assertContained(output: string, folder: string): void {
  const path = JSON.stringify(folder).slice(1, -1);
  for (const line of output.split("\n")) {
    assert.ok(!line.includes(SECRET), `nothing from outside: ${line.slice(0, 500)}`);
    assert.ok(!line.includes(path), `no path of this disk: ${line.slice(0, 500)}`);
  }
}
