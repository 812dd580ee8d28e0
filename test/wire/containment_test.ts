/** No spelling of a URI, a template, a cursor, a prompt or a mount leads out of what is served. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { definition } from "../documents/prompts/definitions.ts";
import type { Question } from "./outside.ts";
import {
  DOCUMENT,
  ELSEWHERE,
  Guarded,
  hostileUris,
  INSIDE,
  makeGuarded,
  OUTSIDE,
  SECRET,
} from "./outside.ts";
import { STEPS_UP } from "./outside.ts";

/** A definition file with one message. */
const prompt = (name: string, text: string) => definition(text, { name });

for (const scheme of ["architecture", "file"]) {
  test(`no spelling of a URI is answered otherwise than a missing document, listed as ${scheme}`, async (t) => {
    const guarded = new Guarded(t, { args: () => ["--scheme", scheme] });
    await guarded.inEachEra(async () => {
      await guarded.assertNotFound(["architecture://adr/002-nothing", ...hostileUris()]);
      assert.equal(await guarded.text(DOCUMENT), INSIDE, "and all is well with the document");
      // The tool that reads documents finds nothing outside either; so many calls may be made at once.
      const uris = [...STEPS_UP.map((step) => `architecture://adr/${step.repeat(3)}secret`), ...ELSEWHERE];
      const calls = uris.slice(0, 200).map((uri) => ({
        params: { name: "read_document", arguments: { uri } },
        echo: uri,
      }));
      const lines = await guarded.ask("tools/call", calls);
      lines.forEach((line, row) => assert.equal(JSON.parse(line).result.isError, true, uris[row]!));
    });
  });
}

test("no path of the disk is a URI, also when the client knows where the documents are", async (t) => {
  const folder = makeGuarded(t);
  const guarded = new Guarded(t, {}, folder);
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

test("other files of the root are no documents, by whatever name", async (t) => {
  const names = [
    ...["secrets.json", ".env", ".env.md", ".md", ".git/config", ".git/notes.md", ".hidden/x.md", "x.adoc"],
    ...["node_modules/p/README.md", "x.rst", "x.md.bak", "x.md~", "md", "y"],
  ].map((name) => `resources/adr/${name}`).concat(
    ...["resources/.hidden/x.md", "resources/node_modules/p.md", "resources/stray.md", "README.md", ".env"],
    ...["prompts/notes.md", "prompts/.hidden.json", "resources-evil/adr/001-use-one-thing.md"],
  );
  const files = Object.fromEntries(names.map((name) => [`docs/${name}`, OUTSIDE]));
  const guarded = new Guarded(t, { files });
  const spellings = names.flatMap((name) => {
    const path = name.replace(/^resources\//, "");
    const bare = path.replace(/\.md$/, "");
    return [
      ...[path, bare, bare.replaceAll(".", "%2e"), `adr/../../${name}`].map((one) => `architecture://${one}`),
      ...[path, `${bare}.md`, `${path}.md`].map((one) => `file:///${one}`),
    ];
  });
  await guarded.inEachEra(async () => {
    await guarded.assertNotFound(spellings);
    assert.deepEqual(await guarded.uris(), [DOCUMENT]);
  });
});

/** Asks for values, and the answer may repeat one text. */
function completion(uri: string, value: string, echo: string, name = "path"): Question {
  return { params: { ref: { type: "ref/resource", uri }, argument: { name, value } }, echo };
}

test("no spelling of a template, a value or a variable completes to anything outside", async (t) => {
  const guarded = new Guarded(t);
  const templates = [
    "architecture://nothing/{+path}",
    ...STEPS_UP.flatMap((step) => [
      ...["", "adr/"].map((folder) => `architecture://${folder}${step}{+path}`),
      `architecture://adr/${step}adr/{+path}`,
      `file:///adr/${step}{+path}.md`,
    ]),
    ...["file:///{+path}", "ARCHITECTURE://adr/{+path}", DOCUMENT],
    ...["{+path}", "ADR/{+path}", "adr-evil/{+path}", "adr/{path}", "adr/{+path,x}", "adr/"]
      .map((path) => `architecture://${path}`),
  ];
  const values = [
    ...STEPS_UP.flatMap((step) => [step, step.repeat(3), `${step.repeat(3)}secret`]),
    ...["/", "/etc/", "C:\\", "\\\\server\\", "secret", "architecture://", "*", ".*", "\u0000", "["],
  ];
  const ours = ["architecture://adr/{+path}", "file:///adr/{+path}.md"];
  const names = ["nothing", ...values, "__proto__", "constructor", "Path", "path "];
  const variables = names.map((name) => completion(ours[0]!, "", `"${name.slice(0, 100)}"`, name));
  const completed = async (...values: string[]) => {
    const questions = values.flatMap((value) => ours.map((uri) => completion(uri, value, "")));
    const lines = await guarded.ask("completion/complete", questions);
    return lines.map((line) => JSON.parse(line).result.completion);
  };
  await guarded.inEachEra(async () => {
    await guarded.assertAlike(
      "completion/complete",
      templates.map((uri) => completion(uri, "", uri)),
      /"code":-32602,"message":"There is no template \\"…\\" with the variable/,
    );
    await guarded.assertAlike("completion/complete", variables, /"code":-32602/);
    const none = { values: [], total: 0, hasMore: false };
    assert.deepEqual(await completed(...values), values.flatMap(() => [none, none]));
    const all = { values: ["001-use-one-thing"], total: 1, hasMore: false };
    assert.deepEqual(await completed(""), [all, all]);
  });
});

test("no cursor that was not given out is taken, and none of them leads anywhere", async (t) => {
  const documents = ["2-b", "3-c", "4-d"].map((name) => [`docs/resources/more/${name}.md`, INSIDE]);
  const guarded = new Guarded(t, { files: Object.fromEntries(documents), args: () => ["--page-size", "2"] });
  await guarded.inEachEra(async () => {
    const given: string = (await guarded.result("resources/list")).nextCursor;
    const [digest, start] = given.split("-");
    assert.equal(start, "2");
    const places = "../2|-2|0|1|3|4|1e0|0x2|02|2.0| 2|2 |%32|2-2|NaN|".split("|");
    const forged = [
      ...places.map((place) => `${digest}-${place}`),
      ...[`../${digest}-2`, "../../secret-2", "-2", `${digest}:2`, `${digest!.toUpperCase()}A-2`],
    ];
    const cursors = [
      ...["nothing", ...STEPS_UP.map((step) => `${step.repeat(3)}secret`), ...forged],
      ...[`${given}=`, `${given}\n`, ` ${given}`, `${given}%00`, given.slice(1)],
      ...["/etc/passwd", "file:///etc/passwd", DOCUMENT],
    ].map((cursor) => ({ params: { cursor }, echo: cursor }));
    const refused = /"code":-32602,"message":"The list has changed since this cursor was issued/;
    for (const method of ["resources/list", "resources/templates/list", "prompts/list"]) {
      await guarded.assertAlike(method, cursors, refused);
    }
    const rest = await guarded.result("resources/list", { cursor: given });
    assert.equal(rest.resources.length, 2, "and the one that was given is taken");
  });
});

test("no spelling of a prompt's name is answered otherwise than a missing one", async (t) => {
  const guarded = new Guarded(t, {
    files: {
      "docs/prompts/p.json": prompt("p", "x"),
      "docs/secret.json": prompt("secret", SECRET),
      "docs/prompts-evil/secret.json": prompt("secret", SECRET),
      "docs/prompts/.hidden.json": prompt("hidden", SECRET),
      "docs/prompts/sub/deep.json": prompt("deep", SECRET),
    },
  });
  const names = [
    ...["nothing", ...STEPS_UP.flatMap((step) => [`${step}secret`, `${step}secret.json`, `${step}p`])],
    ...[...ELSEWHERE, "p.json", "P", "p.", "p ", "p\u0000", "%70", "\uff50", "p::$DATA", "hidden"],
    ...[".hidden", "deep", "sub/deep", "secret"],
  ];
  const argument = { name: "a", value: "" };
  const paramsOf: Readonly<Record<string, (name: string) => object>> = {
    "prompts/get": (name) => ({ name }),
    "completion/complete": (name) => ({ ref: { type: "ref/prompt", name }, argument }),
  };
  await guarded.inEachEra(async () => {
    for (const [method, toParams] of Object.entries(paramsOf)) {
      const questions = names.map((name) => ({ params: toParams(name), echo: name.slice(0, 100) }));
      await guarded.assertAlike(method, questions, /"code":-32602,"message":"There is no prompt \\"…\\"/);
    }
    assert.equal((await guarded.result("prompts/get", { name: "p" })).messages[0].content.text, "x");
  });
});

test("a mark in a definition embeds documents of the root, and nothing else in any spelling", async (t) => {
  // A mark ends at a line's end and at its own brackets, and a URI has no spaces: a path that follows one would look
  // like a path of this disk in the message.
  const isPossible = (uri: string) => uri.startsWith("architecture://") && !/[\s<>{}*]/.test(uri);
  const uris = hostileUris().filter((uri) => isPossible(uri) && uri.length < 1000);
  const foreign = ELSEWHERE.filter((uri) => !uri.startsWith("architecture://"));
  const patterns = STEPS_UP.filter((step) => !/[\s#]/.test(step))
    .flatMap((step) => [`architecture://${step}*`, `architecture://adr/${step.repeat(3)}**`]);
  const missing = (name: string, uri: string) => `The prompt "${name}" embeds ${uri}, which does not exist`;
  /** By name: the text of each prompt, and what is answered. */
  const prompts = new Map<string, readonly [text: string, answer: string]>([
    ...uris.map((uri, row) => [`row-${row}`, [`[<<resource:${uri}>>]`, missing(`row-${row}`, uri)]] as const),
    // What could be a document is looked for when the prompt is used; the others are refused when it is read.
    ...foreign.map((uri, row) => {
      const name = `foreign-${row}`, isFile = /^file:\/\/\/[^#]+\.md$/.test(uri);
      const answer = isFile ? missing(name, uri) : `There is no prompt "${name}"`;
      return [name, [`<<resource:${uri}>>`, answer]] as const;
    }),
    ["patterns", [
      patterns.map((uri) => `[{{resource:${uri}}}]`).join("\n"),
      patterns.map((uri) => `[(No document matches ${uri}.)]`).join("\n"),
    ]],
    ["all", ["[<<resource:architecture://**>>]", `[[${DOCUMENT}] 1. Use one thing\n\n${INSIDE}]`]],
  ]);
  const files = Array.from(prompts, ([name, [text]]) => [`docs/prompts/${name}.json`, prompt(name, text)]);
  const guarded = new Guarded(t, { files: Object.fromEntries(files) });
  await guarded.inEachEra(async () => {
    const questions = Array.from(prompts, ([name]) => ({ params: { name }, echo: "" }));
    const lines = await guarded.ask("prompts/get", questions);
    for (const [row, [text, answer]] of [...prompts.values()].entries()) {
      const { result, error } = JSON.parse(lines[row]!);
      const said: string = error ? error.message : result.messages[0].content.text;
      assert.equal(said.replace(/ \(did you mean .*\)$/, ""), answer, text);
    }
  }, /^(.* is not a document; write .*\n)+$/);
  const refused = [...prompts.values()].filter(([, answer]) => answer.startsWith("There is no prompt"));
  assert.equal(guarded.program.errors.split("\n").length - 1, refused.length);
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
