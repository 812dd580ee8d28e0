/** A root with a secret beside it, the program that serves it, and every spelling of a way out. */

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import type { TestContext } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { modern, Program } from "../harness/program.ts";

/** Why there are no links here. */
export const ON_WINDOWS: string | false = process.platform === "win32" && "not on Windows";
/** What stands in every file outside, and nowhere else. */
export const SECRET = "Nothing outside may be read";
/** A file outside that would do for a document. */
export const OUTSIDE: string = `# 1. ${SECRET}\n\n## Status\n\nAccepted\n\n## Part\n\n${SECRET}.\n`;
/** A document. */
export const INSIDE = "# 1. Use one thing\n\n## Status\n\nAccepted\n\n## Part\n\nThis may be read.\n";
/** The URI of the only document of the root. */
export const DOCUMENT = "architecture://adr/001-use-one-thing";

/** The newest revision with a handshake and the newest of all: what is contained does not differ between the others. */
export const ERAS = ["2025-11-25", "2026-07-28"] as const;

/** One request, and the text of the client's that its answer may repeat. */
export interface Question {
  readonly params: object;
  readonly echo: string;
}

/** What lies in the folder beside what always does, and how the program is started. */
export interface Setup {
  readonly files?: Readonly<Record<string, string>>;
  /** Where links lead, by their path in the folder. */
  readonly links?: Readonly<Record<string, string>>;
  /** Arguments after the root. */
  readonly args?: (folder: string) => readonly string[];
  readonly runtimeFlags?: readonly string[];
}

/** A folder with the root `docs` in it, and with secrets outside the root. */
export function makeGuarded(t: Pick<TestContext, "after">, { files = {}, links = {} }: Setup = {}): string {
  const folder = makeFolder(t, {
    "docs/resources/adr/001-use-one-thing.md": INSIDE,
    "docs-evil/resources/adr/001-use-one-thing.md": OUTSIDE,
    "secret.md": OUTSIDE,
    "secret": OUTSIDE,
    "outside/secret.md": OUTSIDE,
    "outside/001-use-one-thing.md": OUTSIDE,
    ...files,
  });
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
    symlinkSync(target.replace("<folder>", folder), `${folder}/${path}`);
  }
  return folder;
}

/** The program on such a root. */
export class Guarded {
  readonly folder: string;
  readonly program: Program;
  #isModern = true;
  /** The URIs that errors have named as what was probably meant. */
  readonly #named = new Set<string>();

  constructor(t: Pick<TestContext, "after">, setup: Setup = {}, folder: string = makeGuarded(t, setup)) {
    this.folder = folder;
    const { args, runtimeFlags } = setup;
    this.program = new Program(
      ["--root", `${folder}/docs`, ...args?.(folder) ?? []],
      runtimeFlags ? { runtimeFlags } : {},
    );
  }

  /** Speaks a revision from here on. */
  async begin(era: (typeof ERAS)[number]): Promise<void> {
    this.#isModern = era === ERAS[1];
    if (!this.#isModern) await this.program.initialize(era);
  }

  /** Does the same in each revision, and closes. */
  async inEachEra(use: () => Promise<unknown>, errors?: RegExp): Promise<void> {
    for (const era of ERAS) {
      await this.begin(era);
      await use();
    }
    await this.close(errors);
  }

  /**
   * Asks many things at once, and gives the lines of the answers as they were written, in the order of the questions, with
   * the id and what was repeated taken out of them.
   */
  async ask(method: string, questions: readonly Question[]): Promise<string[]> {
    const { program } = this;
    const before = program.output.split("\n").length - 1;
    const toParams = (params: object) => this.#isModern ? modern(params) : params;
    const requests = questions.map(({ params }, id) => ({
      jsonrpc: "2.0",
      id,
      method,
      params: toParams(params),
    }));
    program.send(...requests);
    await program.answers(questions.length);
    const lines = new Map(
      program.output.split("\n").slice(before, -1).map((line) => [JSON.parse(line).id, line]),
    );
    return questions.map(({ echo }, id) => {
      const line = this.#withoutNearest(lines.get(id)!).replace(`"id":${id}`, '"id":"…"');
      if (echo === "") return line;
      // A message has no half characters; the data of an error is what was sent.
      return line.replaceAll(inner(echo), "…").replaceAll(inner(echo.toWellFormed()), "…");
    });
  }

  /** An error without what it says of what was probably meant, which depends on what is served and asked alone. */
  #withoutNearest(line: string): string {
    const nearest: readonly string[] = JSON.parse(line).error?.data?.nearest ?? ["p"];
    if (nearest[0] !== "p") nearest.forEach((uri) => this.#named.add(uri));
    const meant = nearest.join(", ").replace(/, (?=[^,]*$)/, " or ");
    return line.replace(` (did you mean ${meant}?)`, "").replace(`,"nearest":${JSON.stringify(nearest)}`, "");
  }

  /** Asks one thing, and gives its result. */
  // deno-lint-ignore no-explicit-any
  async result(method: string, params: object = {}): Promise<any> {
    const [line] = await this.ask(method, [{ params, echo: "" }]);
    return JSON.parse(line!).result;
  }

  /** The URIs of all documents. */
  async uris(): Promise<string[]> {
    const { resources } = await this.result("resources/list");
    return resources.map(({ uri }: { uri: string }) => uri);
  }

  /** The text of a document; undefined when there is none. */
  async text(uri: string): Promise<string | undefined> {
    return (await this.result("resources/read", { uri }))?.contents[0].text;
  }

  /**
   * Every answer must be, to the letter, the one that a plain document gets that is not there, except that it may name
   * documents that are served.
   */
  async assertNotFound(uris: readonly string[]): Promise<void> {
    const uriOf = (uri: string) => uri.replace(/^file:\/\/\/|^architecture:\/\/|\.md$/g, "");
    const served = new Set((await this.uris()).map(uriOf));
    const code = this.#isModern ? -32602 : -32002;
    const error = `{"code":${code},"message":"Resource not found","data":{"uri":"…"}}`;
    const lines = await this.ask("resources/read", uris.map((uri) => ({ params: { uri }, echo: uri })));
    for (const uri of this.#named) {
      const name = uri.replace(/^file:\/\/\/|^architecture:\/\/|\.md(?=#|$)|#.*$/g, "");
      assert.ok(served.has(name), `${uri} is served`);
    }
    lines.forEach((line, row) => {
      assert.equal(line, `{"jsonrpc":"2.0","id":"…","error":${error}}`, `${code} ${uris[row]}`);
    });
  }

  /** Every answer must be like the one to the first question, which names what is not there. */
  async assertAlike(method: string, questions: readonly Question[], first: RegExp): Promise<void> {
    const [expected, ...lines] = await this.ask(method, questions);
    assert.match(expected!, first);
    lines.forEach((line, row) => assert.equal(line, expected, `${method} ${questions[row + 1]!.echo}`));
  }

  /** Ends the program and looks at all that it wrote: nothing from outside, and to the client no path of this disk. */
  async close(errors?: RegExp): Promise<void> {
    assert.equal(await this.program.close(), 0);
    const path = inner(this.folder);
    for (const line of this.program.output.split("\n")) {
      assert.ok(!line.includes(SECRET), `nothing from outside: ${line.slice(0, 500)}`);
      assert.ok(!line.includes(path), `no path of this disk: ${line.slice(0, 500)}`);
    }
    assert.ok(!this.program.errors.includes(SECRET), "nothing from outside on standard error");
    if (errors) assert.match(this.program.errors, errors);
  }
}

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A step to the folder above and what divides it from the next one, so that they can be written one after another. */
export const STEPS_UP: readonly string[] = [
  // Escapes of URIs, once and more often.
  ...["../", "%2e%2e/", "%2E%2E/", "%2e%2E/", "%2e./", ".%2e/", "..%2f", "..%2F", "%2e%2e%2f", "..\\"],
  ...["..%5c", "..%5C", "%2e%2e%5c", "..\\/", "..%252f", "%252e%252e%252f", "..%255c"],
  ...["%25252e%25252e%25252f", "%2%65%2%65/"],
  // Escapes of other languages, and overlong UTF-8.
  ...["%u002e%u002e%u002f", "&#46;&#46;&#47;", "\\x2e\\x2e\\x2f", "%c0%ae%c0%ae/", "..%c0%af"],
  ...["..%c1%9c", "%e0%80%ae%e0%80%ae%e0%80%af", "%f0%80%80%ae%f0%80%80%ae%f0%80%80%af"],
  ...["\u00c0\u00ae\u00c0\u00ae\u00c0\u00af", "..%c0/"],
  // Parameters, and more dots than two.
  ...["..;/", "..%3b/", "..;a=b/", "....//", "....\\/", "..././", ".../", "..../"],
  // What looks alike.
  ...["\uff0e\uff0e/", "\uff0e\uff0e\uff0f", "%ef%bc%8e%ef%bc%8e%ef%bc%8f", "..\uff3c", "\ufe52\ufe52/"],
  ...["\u2024\u2024/", "\u2025/", "..\u2044", "..\u2215", "..\u29f8", ".\u0338.\u0338/"],
  // What is before, between and after the dots: spaces, empty segments, control characters, marks.
  ...[".../", ".. /", "..%20/", " ../", "..\t/", "..%09/", ". ./", "..\u00a0/", "..//", "///..///"],
  ...[".././", "../%2e/", "..%00/", "..\u0000/", "..\n/", "..%0a/", "..\r/", "..%0d/", "..%0d%0a/"],
  ...["..\u2028/", "\u202e../", "%e2%80%ae../", "\u2066..\u2069/", ".\u200f./", ".\u200b./", ".\u00ad./"],
  ...["..\u2060/", "\ufeff../", "..\ufe0f/", "..\u007f/", "..\u001b/", "..\ud800/", "..%ed%a0%80/"],
  // Other parts of a URI, and variables.
  ...["..?/", "..#/", "..%23/", "~/../", "$HOME/../", "%USERPROFILE%\\..\\"],
];

/** What is not the document `adr/001-use-one-thing`, although some file system or decoder would take it for that. */
const OTHER_NAMES: readonly string[] = [
  // What follows the name: dots, spaces, control characters, endings, streams of data, other parts of a URI.
  ...[
    ...[".", "%2e", "...", " ", "%20", "\n", "%0a", "\t", "\r", "%00.png", "/", "/.", "/x/..", ".MD"],
    ...["::$DATA", ".md::$DATA", ":secret", "%3A%3A%24DATA", "\u0301", "?", "%23part", "#../part"],
    ...["#part/../../secret", "#no-such-section"],
  ].map((rest) => `${DOCUMENT}${rest}`),
  // Other paths: cases, digits and letters of other scripts, numbers in other forms, patterns.
  ...[
    ...["adr/ 001-use-one-thing", "adr/001-use-one\u202e-thing", "adr/001-use-one\u200b-thing"],
    ...["adr/%2e/001-use-one-thing", "adr\\001-use-one-thing", "adr%2F001-use-one-thing"],
    ...["adr%252F001-use-one-thing", "adr/001%252Duse-one-thing"],
    ...["adr::$INDEX_ALLOCATION/001-use-one-thing", "adr/001-US~1", "ADR/001-use-one-thing"],
    ...["Adr/001-use-one-thing", "adr/001-USE-ONE-THING", "\uff41\uff44\uff52/001-use-one-thing"],
    ...["adr/\uff10\uff10\uff11", "adr/\u0661", "adr/\u00b9", "adr/\u2160", "\u0430dr/001-use-one-thing"],
    ...["adr/001-u\u017fe-one-thing", "adr/001-use-one-th\u0131ng", "adr/-1", "adr/0x1", "adr/1.0"],
    ...["adr/1%00", "adr/001%c0%aduse-one-thing", "adr/001%aduse-one-thing"],
    ...["adr/001\uff0duse-one-thing", "adr/001\u2010use-one-thing", "adr/001+use+one+thing"],
    ...["user@adr/001-use-one-thing", "adr:1/001-use-one-thing", "adr/{+path}", "adr/*", "**", "adr"],
    ...["adr/", "adr//001-use-one-thing", "/adr/001-use-one-thing", "adr/./001-use-one-thing"],
    ...["adr/__proto__", "__proto__/x", "adr/1e0", "adr/+1", "adr/99"],
  ].map((rest) => `architecture://${rest}`),
  // Other schemes, and what is none.
  ...[" architecture://adr/001-use-one-thing", "\narchitecture://adr/001-use-one-thing"],
  ...["file:///adr/001-use-one-thing\u0000.md", "file:///adr/001-use-one-thing.md%00"],
  ...["\ufeffarchitecture://adr/001-use-one-thing", "architecture:\\\\adr\\001-use-one-thing"],
  ...["file:///adr/001-use-one-thing%2emd", "file:///adr/001-use-one-thing"],
  ...["file:///adr/001-use-one-thing.md.md", "file:///adr/001-use-one-thing.md."],
  ...["file:///adr/001-use-one-thing.md ", "file:///adr/001-use-one-thing.md/"],
  ...["file:///adr/001-use-one-thing.md~", "file:///adr/001-use-one-thing.md::$DATA"],
  ...["file:///adr/001-use-one-thing:$DATA.md", "FILE:///ADR/001-use-one-thing.md"],
  ...["view-source:architecture://adr/001-use-one-thing", "<architecture://adr/001-use-one-thing>"],
  ...["adr/1", "\ud800", `architecture://adr/${"x".repeat(100_000)}`, "://", "constructor"],
  ...["architecture:/adr/001-use-one-thing", "http://adr/001-use-one-thing"],
];

/** What lies somewhere else altogether: paths of disks, shares, devices, reserved names, other folders of the root. */
export const ELSEWHERE: readonly string[] = [
  ...["/etc/passwd", "%2fetc%2fpasswd", "file:///etc/passwd", "file:///etc/passwd.md"],
  ...["file:///etc/passwd%00.md", "file:/etc/passwd", "file:////etc/passwd.md"],
  ...["file://localhost/etc/passwd", "file://localhost/adr/001-use-one-thing.md", "file:///dev/stdin.md"],
  ...["C:\\Windows\\win.ini", "C:/Windows/win.ini", "file:///C:/Windows/win.ini.md"],
  ...["file:///C|/Windows/win.ini.md", "\\\\server\\share\\secret.md", "//server/share/secret.md"],
  ...["file://server/share/secret.md", "file:////server/share/secret.md", "\\\\?\\C:\\Windows\\win.ini"],
  ...["file:///adr/NUL.md", "file:///adr/aux.md"],
  ...["https://example.com/architecture://adr/001-use-one-thing", "data:text/markdown,secret"],
  ...["javascript:1"],
  ...[
    ...["/etc/passwd", "adr//etc/passwd", "adr/%2fetc%2fpasswd", "/proc/self/environ"],
    ...["/proc/self/cwd/mcp/resources/adr/001-zero-runtime-dependencies", "C:/Windows/win"],
    ...["C:\\Windows\\win", "adr/C:\\Windows\\win", "adr/C:secret", "adr/\\\\server\\share\\secret"],
    ...["adr/\\\\.\\pipe\\secret", "adr/CON", "adr/NUL", "adr/aux.md", "adr/COM1", "adr/COM\u00b9"],
    ...["adr/LPT1:", "adr/CONIN$", "adr-evil/001-use-one-thing", "prompts/p"],
    ...["resources/adr/001-use-one-thing", "docs-evil/resources/adr/001-use-one-thing"],
  ].map((rest) => `architecture://${rest}`),
];

/** Every URI that must be no document. */
export function hostileUris(): string[] {
  const steps = STEPS_UP.flatMap((step) => [
    `architecture://${step}secret`,
    `architecture://adr/${step.repeat(3)}secret`,
    `architecture://adr/${step}adr/001-use-one-thing`,
    `architecture://adr/${step.repeat(3)}docs-evil/resources/adr/1`,
    `file:///${step}secret.md`,
    `file:///adr/${step.repeat(3)}secret.md`,
    `file:///adr/${step}adr/001-use-one-thing.md`,
  ]);
  return [...steps, ...OTHER_NAMES, ...ELSEWHERE];
}
