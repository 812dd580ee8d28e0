/** Can a prompt be made to embed what it should not? By its name, its arguments, its definition, or the documents in it. */

import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { Era } from "./outside.ts";
import { Program } from "../harness/program.ts";
import { ask, closeContained, DOCUMENT, INSIDE, makeSurroundings, NEWEST_ERAS, SECRET } from "./outside.ts";
import { ELSEWHERE, hostileUris, STEPS_UP } from "./spellings.ts";

const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;
const EMBEDDED = `[${DOCUMENT}] 1. Use one thing\n\n${INSIDE}`;

/** A definition file with one message. */
function definition(name: string, text: string, names: readonly string[] = []): string {
  const parameters = names.map((name) => ({ name }));
  const content = { type: "text", text };
  return JSON.stringify({ name, arguments: parameters, messages: [{ role: "user", content }] });
}

/** Gets prompts, and gives what was answered to each: its text, or the message of its error. */
async function get(
  program: Program,
  era: Era,
  prompts: readonly { name: string; arguments?: Readonly<Record<string, string>> }[],
): Promise<string[]> {
  const lines = await ask(program, era, "prompts/get", prompts.map((params) => ({ params, echo: "" })));
  return lines.map((line) => {
    const { result, error } = JSON.parse(line);
    return error ? `error: ${error.message}` : result.messages[0].content.text;
  });
}

test("no spelling of a prompt's name is answered otherwise than a missing one", async (t) => {
  const folder = makeSurroundings(t, {
    "docs/prompts/p.json": definition("p", "x"),
    "docs/secret.json": definition("secret", SECRET),
    "docs/prompts-evil/secret.json": definition("secret", SECRET),
    "docs/prompts/.hidden.json": definition("hidden", SECRET),
    "docs/prompts/sub/deep.json": definition("deep", SECRET),
  });
  const program = new Program(["--root", `${folder}/docs`]);
  const names = [
    ...Object.entries(STEPS_UP).flatMap(([name, step]): [string, string][] => [
      [name, `${step}secret`],
      [`${name}, and the ending`, `${step}secret.json`],
      [`${name}, to one that is there`, `${step}p`],
    ]),
    ...Object.entries(ELSEWHERE),
    ["the ending", "p.json"],
    ["capitals", "P"],
    ["a trailing dot", "p."],
    ["a trailing space", "p "],
    ["a NUL", "p\u0000"],
    ["an encoded name", "%70"],
    ["a full-width letter", "\uff50"],
    ["a stream of data", "p::$DATA"],
    ["a hidden file", "hidden"],
    ["a hidden file by its name", ".hidden"],
    ["a file in a folder", "deep"],
    ["a file in a folder by its path", "sub/deep"],
    ["a file beside the prompts", "secret"],
  ] as [string, string][];
  for (const era of NEWEST_ERAS) {
    await era.begin(program);
    for (const method of ["prompts/get", "completion/complete"]) {
      const questions = ["nothing", ...names.map(([, name]) => name)].map((name) => ({
        params: method === "prompts/get"
          ? { name }
          : { ref: { type: "ref/prompt", name }, argument: { name: "a", value: "" } },
        echo: name.slice(0, 100),
      }));
      const [expected, ...lines] = await ask(program, era, method, questions);
      assert.match(expected!, /"code":-32602,"message":"There is no prompt \\"…\\"/);
      names.forEach(([name, value], row) => assert.equal(lines[row], expected, `${name}: ${value}`));
    }
    assert.deepEqual(await get(program, era, [{ name: "p" }]), ["x"]);
  }
  await closeContained(program, folder);
});

test("an argument appears as it is, whatever it looks like, and embeds nothing", async (t) => {
  const folder = makeSurroundings(t, {
    "docs/prompts/p.json": definition("p", "[<<a>>] [{{a}}] <<a>>{{b}}", ["a", "b"]),
  });
  const program = new Program(["--root", `${folder}/docs`]);
  const uris = hostileUris().map(([, uri]) => uri).concat(
    DOCUMENT,
    "architecture://**",
    "architecture://adr/*#part",
  );
  const values = [
    ...uris,
    ...uris.flatMap((uri) => [`<<resource:${uri}>>`, `{{resource:${uri}}}`, `<< resource: ${uri} >>`]),
    ...["<<a>>", "{{b}}", "\\<<a>>", "<<<a>>>", "{{{{a}}}}", "<<resource:<<a>>>>", "$&", "$1", "${a}", "%s"],
    ...[
      "#{a}",
      "<%= a %>",
      "{% include 'secret' %}",
      "@secret.md",
      "!include secret.md",
      "[x](../secret.md)",
    ],
  ];
  const pairs = [
    ["<<resource:", `${DOCUMENT}>>`],
    ["<", `<resource:${DOCUMENT}>>`],
    [`{{resource:${DOCUMENT}`, "}}"],
    [`{{resource:${DOCUMENT}}`, "}"],
    ["\\", `<<resource:${DOCUMENT}>>`],
  ];
  const given = [...values.map((a) => [a, "B"]), ...pairs] as [string, string][];
  for (const era of NEWEST_ERAS) {
    await era.begin(program);
    const texts = await get(program, era, given.map(([a, b]) => ({ name: "p", arguments: { a, b } })));
    given.forEach(([a, b], row) => assert.equal(texts[row], `[${a}] [${a}] ${a}${b}`));
  }
  await closeContained(program, folder);
});

test("a mark in a definition embeds documents of the root, and nothing else in any spelling", async (t) => {
  // A mark ends at a line's end and at its own brackets, and spaces are none of a URI's: a path that follows one would
  // look like a path of this disk in the message.
  const isPossible = (uri: string) => uri.startsWith("architecture://") && !/[\s<>{}*]/.test(uri);
  const rows = hostileUris().filter(([, uri]) => isPossible(uri));
  const patterns = Object.values(STEPS_UP).filter((step) => !/[\s#]/.test(step))
    .flatMap((step) => [`architecture://${step}*`, `architecture://adr/${step.repeat(3)}**`]);
  const files = [
    ...rows.map(([, uri], row) => [`row-${row}`, `[<<resource:${uri}>>]`]),
    ...patterns.map((uri, row) => [`pattern-${row}`, `[{{resource:${uri}}}]`]),
    ["all", "[<<resource:architecture://**>>]"],
  ] as [string, string][];
  const folder = makeSurroundings(
    t,
    Object.fromEntries(files.map(([name, text]) => [`docs/prompts/${name}.json`, definition(name, text)])),
  );
  const program = new Program(["--root", `${folder}/docs`]);
  for (const era of NEWEST_ERAS) {
    await era.begin(program);
    const texts = await get(program, era, files.map(([name]) => ({ name })));
    rows.forEach(([name, uri], row) =>
      assert.equal(
        texts[row],
        `error: The prompt "row-${row}" embeds ${uri}, which is not there`,
        name,
      )
    );
    patterns.forEach((uri, row) =>
      assert.equal(texts[rows.length + row], `[(No document matches ${uri}.)]`, uri)
    );
    assert.equal(texts.at(-1), `[${EMBEDDED}]`);
  }
  await closeContained(program, folder);
  assert.equal(program.errors, "");
});

test("a definition that names what is no document is not served, and standard error says why", async (t) => {
  const foreign = Object.entries(ELSEWHERE).filter(([, uri]) => !uri.startsWith("architecture://"));
  const folder = makeSurroundings(
    t,
    Object.fromEntries(foreign.map(([, uri], row) => [
      `docs/prompts/row-${row}.json`,
      definition(`row-${row}`, `<<resource:${uri}>>`),
    ])),
  );
  const program = new Program(["--root", `${folder}/docs`]);
  await program.initialize();
  const texts = await get(program, NEWEST_ERAS[0]!, foreign.map((_, row) => ({ name: `row-${row}` })));
  foreign.forEach(([name], row) => assert.equal(texts[row], `error: There is no prompt "row-${row}"`, name));
  await closeContained(program, folder);
  assert.equal(program.errors.match(/ is no document; write /g)?.length, foreign.length);
});

test("marks in a document that is embedded are text", async (t) => {
  const marks = `<<resource:${DOCUMENT}>> {{resource:architecture://**}} <<a>>`;
  const folder = makeSurroundings(t, {
    "docs/resources/more/x.md": `# X\n\n## Part ${marks}\n\n${marks}\n`,
    "docs/prompts/p.json": definition("p", "<<resource:architecture://more/x>>", ["a"]),
  });
  const program = new Program(["--root", `${folder}/docs`]);
  const [text] = await get(program, NEWEST_ERAS[1]!, [{ name: "p", arguments: { a: "A" } }]);
  assert.equal(text, `[architecture://more/x] X\n\n# X\n\n## Part ${marks}\n\n${marks}\n`);
  await closeContained(program, folder);
});

test("a definition file that is a link out is no prompt", { skip: ON_WINDOWS }, async (t) => {
  const folder = makeSurroundings(t, {
    "outside/evil.json": definition("evil", SECRET),
    "docs-evil/prompts/evil.json": definition("evil", SECRET),
    "docs/prompts/inside.json": definition("inside", "x"),
    "docs/elsewhere.json": definition("elsewhere", "y"),
  });
  const links: Readonly<Record<string, string>> = {
    "absolute.json": `${folder}/outside/evil.json`,
    "relative.json": "../../outside/evil.json",
    "sibling.json": "../../docs-evil/prompts/evil.json",
    "chain.json": "first",
    "first": "second",
    "second": "../../outside/evil.json",
    "loop.json": "loop.json",
    "dead.json": "../../outside/nothing.json",
    "device.json": "/dev/zero",
    "folder.json": "../../outside",
    "good.json": "../elsewhere.json",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, `${folder}/docs/prompts/${name}`);
  const program = new Program(["--root", `${folder}/docs`]);
  const [era] = NEWEST_ERAS;
  await era!.begin(program);
  const [listed] = await ask(program, era!, "prompts/list", [{ params: {}, echo: "" }]);
  const names = JSON.parse(listed!).result.prompts.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ["elsewhere", "inside"], "and a link that stays inside is one");
  assert.deepEqual(await get(program, era!, [{ name: "evil" }]), ['error: There is no prompt "evil"']);
  await closeContained(program, folder);
  assert.deepEqual(
    [...program.errors.matchAll(/prompts\/(\w+\.json)/g)].map(([, name]) => name).sort(),
    ["absolute", "chain", "dead", "device", "folder", "loop", "relative", "sibling"].map((name) =>
      `${name}.json`
    ),
  );
});

test("a folder of prompts that is a link out has none", { skip: ON_WINDOWS }, async (t) => {
  const folder = makeSurroundings(t, { "outside/evil.json": definition("evil", SECRET) });
  symlinkSync("../outside", `${folder}/docs/prompts`);
  const program = new Program(["--root", `${folder}/docs`]);
  const [era] = NEWEST_ERAS;
  await era!.begin(program);
  const [listed] = await ask(program, era!, "prompts/list", [{ params: {}, echo: "" }]);
  assert.deepEqual(JSON.parse(listed!).result.prompts, []);
  await closeContained(program, folder);
});
