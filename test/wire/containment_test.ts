/** What a client asks for is a document of the root, or it is not there: no spelling of a URI, and no link, leads out. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { modern, ON_DENO, Program, run, sandbox } from "../harness/program.ts";
import type { RunOptions } from "../harness/runtime.ts";
import { ON_WINDOWS } from "../harness/runtime.ts";
import { definition } from "../prompts/definitions.ts";

const options = { skip: ON_WINDOWS };
const ADR = "docs/resources/adr";
/** What stands in every file outside, and nowhere else. */
const SECRET = "Nothing outside may be read";
/** A file outside that would do for a document. */
const OUTSIDE = `# 1. ${SECRET}\n\n## Status\n\nAccepted\n\n## Part\n\n${SECRET}.\n`;
/** The only document of the root, and its URI. */
const INSIDE = "# 1. Use one thing\n\n## Status\n\nAccepted\n\n## Part\n\nThis may be read.\n";
const DOCUMENT = "architecture://adr/001-use-one-thing";
/** The newest revision with a handshake and the newest of all: what is contained does not differ between the others. */
const ERAS = ["2025-11-25", "2026-07-28"] as const;

/** A folder with the root `docs` in it, and with secrets outside the root. */
function makeGuarded(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  return makeFolder(t, {
    [`${ADR}/001-use-one-thing.md`]: INSIDE,
    "docs-evil/resources/adr/001-use-one-thing.md": OUTSIDE,
    "secret.md": OUTSIDE,
    "secret": OUTSIDE,
    "outside/secret.md": OUTSIDE,
    "outside/001-use-one-thing.md": OUTSIDE,
    ...files,
  });
}

/** The program on such a root. */
class Guarded {
  readonly folder: string;
  readonly program: Program;
  #isModern = true;

  constructor(folder: string, args: readonly string[] = [], options: RunOptions = {}) {
    this.folder = folder;
    this.program = new Program(["--root", `${folder}/docs`, ...args], options);
  }

  /** Does the same in each revision. */
  async inEachEra(use: () => Promise<unknown>): Promise<void> {
    for (const era of ERAS) {
      this.#isModern = era === ERAS[1];
      if (!this.#isModern) await this.program.initialize(era);
      await use();
    }
  }

  /** Asks many things at once, and gives the lines of the answers as they were written, in the order of the questions. */
  async ask(method: string, questions: readonly object[]): Promise<string[]> {
    const { program } = this;
    const before = program.output.split("\n").length - 1;
    program.send(...questions.map((question, id) => {
      return { jsonrpc: "2.0", id, method, params: this.#isModern ? modern(question) : question };
    }));
    await program.answers(questions.length);
    const lines = program.output.split("\n").slice(before, -1);
    const byId = new Map(lines.map((line) => [JSON.parse(line).id, line]));
    return questions.map((_, id) => byId.get(id)!);
  }

  /** Asks one thing, and gives its result. */
  // deno-lint-ignore no-explicit-any
  async result(method: string, params: object = {}): Promise<any> {
    const [line] = await this.ask(method, [params]);
    return JSON.parse(line!).result;
  }

  /** The URIs of all documents. */
  async uris(): Promise<string[]> {
    const { resources } = await this.result("resources/list");
    return resources.map(({ uri }: { uri: string }) => uri);
  }

  /** The text of a document. */
  async text(uri: string): Promise<string> {
    return (await this.result("resources/read", { uri })).contents[0].text;
  }

  /**
   * Every answer must be, to the letter, the one that a plain document gets that is not there, except that it may name
   * documents that are served.
   */
  async assertNotFound(uris: readonly string[]): Promise<void> {
    const keyOf = (uri: string) => uri.replace(/^file:\/\/\/|^architecture:\/\/|\.md(?=#|$)|#.*$/g, "");
    const served = new Set((await this.uris()).map(keyOf));
    const code = this.#isModern ? -32602 : -32002;
    const lines = await this.ask("resources/read", uris.map((uri) => ({ uri })));
    for (const [id, uri] of uris.entries()) {
      const { nearest } = JSON.parse(lines[id]!).error?.data ?? {};
      const meant = nearest?.join(", ").replace(/, (?=[^,]*$)/, " or ");
      const message = `Resource not found${nearest ? ` (did you mean ${meant}?)` : ""}`;
      const error = { code, message, data: { uri, nearest } };
      assert.equal(lines[id], JSON.stringify({ jsonrpc: "2.0", id, error }), uri);
      for (const near of nearest ?? []) assert.ok(served.has(keyOf(near)), `${near} is served`);
    }
  }

  /** Ends the program and looks at all that it wrote: nothing from outside, and to the client no path of this disk. */
  async close(errors?: RegExp): Promise<void> {
    assert.equal(await this.program.close(), 0);
    const path = JSON.stringify(this.folder).slice(1, -1);
    for (const line of this.program.output.split("\n")) {
      assert.ok(!line.includes(SECRET), `nothing from outside: ${line.slice(0, 500)}`);
      assert.ok(!line.includes(path), `no path of this disk: ${line.slice(0, 500)}`);
    }
    assert.ok(!this.program.errors.includes(SECRET), "nothing from outside on standard error");
    if (errors) assert.match(this.program.errors, errors);
  }
}

/** A step to the folder above and what divides it from the next one, so that they can be written one after another. */
const STEPS_UP: readonly string[] = [
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
const ELSEWHERE: readonly string[] = [
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
function hostileUris(): string[] {
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

test("no spelling of a URI is answered otherwise than a missing document", async (t) => {
  const guarded = new Guarded(makeGuarded(t));
  // So many calls may be made at once.
  const uris = [...STEPS_UP.map((step) => `architecture://adr/${step.repeat(3)}secret`), ...ELSEWHERE];
  const calls = uris.slice(0, 200).map((uri) => ({ name: "read_document", arguments: { uri } }));
  await guarded.inEachEra(async () => {
    await guarded.assertNotFound(["architecture://adr/002-nothing", ...hostileUris()]);
    assert.equal(await guarded.text(DOCUMENT), INSIDE, "and all is well with the document");
    const lines = await guarded.ask("tools/call", calls);
    for (const line of lines) assert.equal(JSON.parse(line).result.isError, true, line);
  });
  await guarded.close();
});

test("no path of the disk is a URI, also when the client knows where the documents are", async (t) => {
  const folder = makeGuarded(t);
  const guarded = new Guarded(folder);
  const files = ["docs/resources/adr/001-use-one-thing.md", "docs/resources/adr/001-use-one-thing", "docs"];
  const others = ["docs-evil/resources/adr/001-use-one-thing.md", "secret.md", "secret"];
  const paths = [...files, ...others].map((name) => `${folder}/${name}`);
  const starts = ["", "file://", "file:///", "file://localhost", "architecture://", "architecture://adr/"];
  await guarded.assertNotFound(paths.flatMap((path) => [
    ...starts.map((start) => start + path),
    `architecture://adr/${encodeURIComponent(path)}`,
    `architecture://adr/../../../../../../../..${path}`,
  ]));
  assert.equal(await guarded.program.close(), 0);
  assert.ok(!guarded.program.output.includes(SECRET));
});

/** Links that must lead nowhere, from `docs/resources/adr/`: what each leads to. */
const LINKS_OUT: Readonly<Record<string, string>> = {
  "101-relative.md": "../../../secret.md",
  "102-without-ending.md": "../../../secret",
  "103-through-the-category.md": "../adr/../../../secret.md",
  "104-system.md": "/etc/passwd",
  "105-process.md": "/proc/self/environ",
  "106-memory.md": "/proc/self/mem",
  "107-input.md": "/dev/stdin",
  "108-descriptor.md": "/dev/fd/0",
  "109-zero.md": "/dev/zero",
  "110-null.md": "/dev/null",
  "111-working-directory.md": "/proc/self/cwd/README.md",
  "112-sibling.md": "../../../docs-evil/resources/adr/001-use-one-thing.md",
  "113-to-a-link.md": "101-relative.md",
  "114-to-a-link-to-a-link.md": "113-to-a-link.md",
  "115-through-a-folder.md": "stolen/secret.md",
  "116-through-two-folders.md": "stolen-again/secret.md",
  "117-itself.md": "117-itself.md",
  "118-to-and-fro.md": "119-fro-and-to.md",
  "119-fro-and-to.md": "118-to-and-fro.md",
  "120-dead.md": "../../../nothing.md",
  "121-dead-inside.md": "nothing.md",
  "122-a-folder.md": "../../../outside",
  "123-above.md": "../../..",
  "124-all.md": "/",
  "125-out-and-in-and-out.md": "../../../outside/in-and-out",
  "126-absolute.md": "<folder>/outside/secret.md",
  "stolen": "../../../outside",
  "stolen-again": "stolen",
  "stolen-above": "../../..",
  "stolen-sibling": "../../../docs-evil/resources/adr",
  "stolen-system": "/etc",
};

/** What else is no document, although its name says that it is. */
const NO_FILES: Readonly<Record<string, (path: string) => unknown>> = {
  "201-pipe.md": (path) => execFileSync("mkfifo", [path]),
  "202-folder.md": (path) => mkdirSync(path),
  "203-socket.md": (path) => new Promise<void>((resolve) => createServer().unref().listen(path, resolve)),
  "204-device.md": (path) => {
    // Needs rights that few have; there is no device without them.
    if (process.getuid?.() === 0) execFileSync("mknod", [path, "c", "1", "5"]);
  },
};

/** What a client could ask for of all that. */
const LED_TO = Object.keys({ ...LINKS_OUT, ...NO_FILES }).map((name) => name.replace(/\.md$/, "")).flatMap(
  (name) =>
    /^\d/.test(name)
      ? [`architecture://adr/${name}`, `architecture://adr/${name.slice(0, 3)}`, `file:///adr/${name}.md`]
      : ["", "/secret", "/001-use-one-thing", "/secret#part", "/1", "/outside/secret", "/passwd"]
        .map((path) => `architecture://adr/${name}${path}`),
);

// A sandbox is no help against links that lead out: runtimes follow them.
for (const [where, scheme] of [["in a sandbox", "file"], ["without a sandbox", "architecture"]] as const) {
  test(`${where}, what a link leads out to is not there, nor is what is no file`, options, async (t) => {
    const text = "<<resource:architecture://**>>";
    const folder = makeGuarded(t, { "docs/prompts/p.json": definition(text, { name: "p" }) });
    for (const [name, target] of Object.entries(LINKS_OUT)) {
      symlinkSync(target.replace("<folder>", folder), `${folder}/${ADR}/${name}`);
    }
    symlinkSync("../docs/resources/adr/101-relative.md", `${folder}/outside/in-and-out`);
    for (const [name, make] of Object.entries(NO_FILES)) await make(`${folder}/${ADR}/${name}`);
    const flags = where === "in a sandbox" ? { runtimeFlags: sandbox(`${folder}/docs`) } : {};
    const guarded = new Guarded(folder, ["--scheme", scheme], flags);
    const [own, uri] = scheme === "file"
      ? ["file:///adr/001-use-one-thing.md", "file:///adr/{+path}.md"]
      : [DOCUMENT, "architecture://adr/{+path}"];
    const paths = { ref: { type: "ref/resource", uri }, argument: { name: "path", value: "" } };
    await guarded.inEachEra(async () => {
      await guarded.assertNotFound(LED_TO);
      assert.deepEqual(await guarded.uris(), [own]);
      const { completion } = await guarded.result("completion/complete", paths);
      assert.deepEqual(completion.values, ["001-use-one-thing"]);
      const { messages } = await guarded.result("prompts/get", { name: "p" });
      assert.equal(messages[0].content.text, `[${own}] 1. Use one thing\n\n${INSIDE}`);
    });
    const { errors } = guarded.program;
    const led = ["101-relative.md", "112-sibling.md", "125-out-and-in-and-out.md", "stolen", "stolen-above"];
    for (const name of led) assert.match(errors, new RegExp(`adr/${name}: The link leads out of the root`));
    assert.ok(!errors.includes(folder));
    await guarded.close();
  });
}

test("a root behind a link is served where both may be read; else it cannot be read", options, async (t) => {
  const folder = makeGuarded(t);
  renameSync(`${folder}/docs`, `${folder}/real`);
  symlinkSync(`${folder}/real`, `${folder}/docs`);
  const guarded = new Guarded(folder, [], { runtimeFlags: sandbox(`${folder}/docs`, `${folder}/real`) });
  assert.equal(await guarded.text(DOCUMENT), INSIDE);
  await guarded.close(/^$/);
  // Node follows the link before it asks whether it may.
  if (!ON_DENO) return;
  const runtimeFlags = sandbox(`${folder}/docs`);
  const { code, errors } = await run(["--root", `${folder}/docs`], "", { runtimeFlags });
  assert.equal(code, 2);
  assert.match(errors, /^architrave: Cannot read --root: [^\n]+\n$/);
});

test("nothing that could be a path is the name of a mount: it is wrong usage, and nothing is served", async (t) => {
  const folder = makeGuarded(t);
  const names = [
    ...STEPS_UP.flatMap((step) => [step, `adr/${step}`, `${step}adr`]),
    ...". .. ../ ... .git a//b /a a/ a\\b a/../b /etc C: \\\\server\\share adr::$DATA %61dr".split(" "),
    ...[" ", "adr ", "adr\n", "-", "__proto__", "*", "{+path}", "\u00e4", "\uff41", ""],
  ];
  for (const name of names) {
    const mount = `--mount=${name}=${folder}/outside`;
    const { code, output, errors } = await runHere(["list", `--root=${folder}/docs`, mount]);
    assert.deepEqual([code, output], [2, ""], name);
    assert.match(errors, /^architrave: --mount takes /, name);
  }
});
