/** Spellings of a way out, in every place that takes a text: URIs, templates, values, cursors, prompts, mounts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { definition } from "../prompts/definitions.ts";
import {
  DOCUMENT,
  ELSEWHERE,
  ERAS,
  Guarded,
  hostileUris,
  INSIDE,
  makeGuarded,
  OUTSIDE,
  SECRET,
  STEPS_UP,
} from "./outside.ts";

for (const scheme of ["architecture", "file"]) {
  test(`no spelling of a URI is answered otherwise than a missing document, listed as ${scheme}`, async (t) => {
    const guarded = new Guarded(t, { args: () => ["--scheme", scheme] });
    for (const era of ERAS) {
      await guarded.begin(era);
      await guarded.assertNotFound(["architecture://adr/002-nothing", ...hostileUris()]);
      assert.equal(await guarded.text(DOCUMENT), INSIDE, "and all is well with the document");
    }
    // The tool that reads documents finds nothing outside either; so many calls may be made at once.
    const uris = [...STEPS_UP.map((step) => `architecture://adr/${step.repeat(3)}secret`), ...ELSEWHERE]
      .slice(0, 200);
    const callOf = (uri: string) => ({ params: { name: "read_document", arguments: { uri } }, echo: uri });
    const lines = await guarded.ask("tools/call", uris.map(callOf));
    lines.forEach((line, row) => assert.equal(JSON.parse(line).result.isError, true, uris[row]!));
    await guarded.close();
  });
}

test("no path of the disk is a URI, also when the client knows where the documents are", async (t) => {
  const folder = makeGuarded(t);
  const guarded = new Guarded(t, {}, folder);
  await guarded.begin(ERAS[0]);
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
    ...["secrets.json", ".env", ".env.md", ".md", ".git/config", ".git/notes.md", ".hidden/x.md", "x.mdx"],
    ...["node_modules/p/README.md", "x.markdown", "x.md.bak", "x.md~", "md", "y"],
  ].map((name) => `resources/adr/${name}`).concat(
    ...["resources/.hidden/x.md", "resources/node_modules/p.md", "resources/stray.md", "README.md", ".env"],
    ...["prompts/notes.md", "prompts/.hidden.json", "resources-evil/adr/001-use-one-thing.md"],
  );
  const guarded = new Guarded(t, {
    files: Object.fromEntries(names.map((name) => [`docs/${name}`, OUTSIDE])),
  });
  const spellings = names.flatMap((name) => {
    const path = name.replace(/^resources\//, "");
    const bare = path.replace(/\.md$/, "");
    return [path, bare, bare.replaceAll(".", "%2e"), `adr/../../${name}`].map((one) =>
      `architecture://${one}`
    )
      .concat([path, `${bare}.md`, `${path}.md`].map((one) => `file:///${one}`));
  });
  for (const era of ERAS) {
    await guarded.begin(era);
    await guarded.assertNotFound(spellings);
    assert.deepEqual(await guarded.uris(), [DOCUMENT]);
  }
  await guarded.close();
});

/** Asks for values, and the answer may repeat one text. */
function completion(
  uri: string,
  value: string,
  echo: string,
  name = "path",
): Parameters<Guarded["ask"]>[1][0] {
  return { params: { ref: { type: "ref/resource", uri }, argument: { name, value } }, echo };
}

test("no spelling of a template, a value or a variable completes to anything outside", async (t) => {
  const guarded = new Guarded(t);
  const templates = [
    ...STEPS_UP.flatMap((step) => [
      `architecture://${step}{+path}`,
      `architecture://adr/${step}{+path}`,
      `architecture://adr/${step}adr/{+path}`,
      `file:///adr/${step}{+path}.md`,
    ]),
    ...["file:///{+path}", "ARCHITECTURE://adr/{+path}"],
    ...["{+path}", "ADR/{+path}", "adr-evil/{+path}", "adr/{path}", "adr/{+path,x}", "adr/"]
      .map((path) => `architecture://${path}`),
    DOCUMENT,
  ];
  const values = [
    ...STEPS_UP.flatMap((step) => [step, step.repeat(3), `${step.repeat(3)}secret`]),
    ...["/", "/etc/", "C:\\", "\\\\server\\", "secret", "architecture://", "*", ".*", "\u0000", "["],
  ];
  const [ours, files] = ["architecture://adr/{+path}", "file:///adr/{+path}.md"];
  for (const era of ERAS) {
    await guarded.begin(era);
    await guarded.assertAlike(
      "completion/complete",
      ["architecture://nothing/{+path}", ...templates].map((uri) => completion(uri, "", uri)),
      /"code":-32602,"message":"There is no template \\"…\\" with the variable/,
    );
    const typed = await guarded.ask(
      "completion/complete",
      values.flatMap((value) => [ours, files].map((uri) => completion(uri, value, ""))),
    );
    typed.forEach((line, row) =>
      assert.deepEqual(
        JSON.parse(line).result.completion,
        { values: [], total: 0, hasMore: false },
        values[row >> 1]!,
      )
    );
    const all = { values: ["001-use-one-thing"], total: 1, hasMore: false };
    for (const uri of [ours, files]) {
      const { params } = completion(uri, "", "");
      assert.deepEqual((await guarded.result("completion/complete", params)).completion, all);
    }
    const variables = ["nothing", ...values, "__proto__", "constructor", "Path", "path "];
    await guarded.assertAlike(
      "completion/complete",
      variables.map((name) => completion(ours, "", `"${name.slice(0, 100)}"`, name)),
      /"code":-32602/,
    );
  }
  await guarded.close();
});

test("no cursor that was not given out is taken, and none of them leads anywhere", async (t) => {
  const documents = ["2-b", "3-c", "4-d"].map((name) => [`docs/resources/more/${name}.md`, INSIDE]);
  const guarded = new Guarded(t, { files: Object.fromEntries(documents), args: () => ["--page-size", "2"] });
  for (const era of ERAS) {
    await guarded.begin(era);
    const given: string = (await guarded.result("resources/list")).nextCursor;
    const [member, digest, start] = atob(given).split(":");
    assert.deepEqual([member, start], ["resources", "2"]);
    const forged = [
      ...["../2", "-2", "0", "1", "3", "4", "1e0", "0x2", "02", "2.0", " 2", "2 ", "2:", "NaN", ""]
        .map((place) => `${member}:${digest}:${place}`),
      ...[`../${member}:${digest}:2`, `prompts:${digest}:2`, `${member}:../../secret:2`, `${member}::2`],
    ].map((text) => btoa(text).replaceAll("=", ""));
    const cursors = [
      "nothing",
      ...STEPS_UP.map((step) => `${step.repeat(3)}secret`),
      ...forged,
      ...[`${given}=`, `${given}\n`, ` ${given}`, `${given}%00`, given.toLowerCase()],
      ...["/etc/passwd", "file:///etc/passwd", DOCUMENT],
    ].map((cursor) => ({ params: { cursor }, echo: cursor }));
    for (const method of ["resources/list", "resources/templates/list", "prompts/list"]) {
      await guarded.assertAlike(
        method,
        cursors,
        /"code":-32602,"message":"The cursor is not one of this list/,
      );
    }
    const rest = await guarded.result("resources/list", { cursor: given });
    assert.equal(rest.resources.length, 2, "and the one that was given is taken");
  }
  await guarded.close();
});

/** A definition file with one message. */
function prompt(name: string, text: string, names: readonly string[] = []): string {
  return definition(text, { name, arguments: names.map((name) => ({ name })) });
}

/** What is answered to each prompt: its text, or the message of its error. */
async function say(
  guarded: Guarded,
  prompts: readonly { name: string; arguments?: Readonly<Record<string, string>> }[],
): Promise<string[]> {
  const lines = await guarded.ask("prompts/get", prompts.map((params) => ({ params, echo: "" })));
  return lines.map((line) => {
    const { result, error } = JSON.parse(line);
    return error ? `error: ${error.message}` : result.messages[0].content.text;
  });
}

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
    "nothing",
    ...STEPS_UP.flatMap((step) => [`${step}secret`, `${step}secret.json`, `${step}p`]),
    ...ELSEWHERE,
    ...["p.json", "P", "p.", "p ", "p\u0000", "%70", "\uff50", "p::$DATA", "hidden", ".hidden", "deep"],
    ...["sub/deep", "secret"],
  ];
  for (const era of ERAS) {
    await guarded.begin(era);
    const argument = { name: "a", value: "" };
    for (
      const [method, paramsOf] of [
        ["prompts/get", (name: string) => ({ name })],
        ["completion/complete", (name: string) => ({ ref: { type: "ref/prompt", name }, argument })],
      ] as const
    ) {
      const questions = names.map((name) => ({ params: paramsOf(name), echo: name.slice(0, 100) }));
      await guarded.assertAlike(method, questions, /"code":-32602,"message":"There is no prompt \\"…\\"/);
    }
    assert.deepEqual(await say(guarded, [{ name: "p" }]), ["x"]);
  }
  await guarded.close();
});

test("a mark in a definition embeds documents of the root, and nothing else in any spelling", async (t) => {
  // A mark ends at a line's end and at its own brackets, and a URI has no spaces: a path that follows one would look
  // like a path of this disk in the message.
  const isPossible = (uri: string) => uri.startsWith("architecture://") && !/[\s<>{}*]/.test(uri);
  const rows = hostileUris().filter((uri) => isPossible(uri) && uri.length < 1000);
  const patterns = STEPS_UP.filter((step) => !/[\s#]/.test(step))
    .flatMap((step) => [`architecture://${step}*`, `architecture://adr/${step.repeat(3)}**`]);
  const foreign = ELSEWHERE.filter((uri) => !uri.startsWith("architecture://"));
  const files = [
    ...rows.map((uri, row) => [`row-${row}`, `[<<resource:${uri}>>]`]),
    ["patterns", patterns.map((uri) => `[{{resource:${uri}}}]`).join("\n")],
    ["all", "[<<resource:architecture://**>>]"],
    ...foreign.map((uri, row) => [`foreign-${row}`, `<<resource:${uri}>>`]),
  ] as [string, string][];
  const guarded = new Guarded(t, {
    files: Object.fromEntries(files.map(([name, text]) => [`docs/prompts/${name}.json`, prompt(name, text)])),
  });
  const wanted = [
    ...rows.map((uri, row) => `error: The prompt "row-${row}" embeds ${uri}, which is not there`),
    patterns.map((uri) => `[(No document matches ${uri}.)]`).join("\n"),
    `[[${DOCUMENT}] 1. Use one thing\n\n${INSIDE}]`,
    // What could be a document is looked for when the prompt is used; the others are refused when it is read.
    ...foreign.map((uri, row) =>
      /^file:\/\/\/[^#]+\.md$/.test(uri)
        ? `error: The prompt "foreign-${row}" embeds ${uri}, which is not there`
        : `error: There is no prompt "foreign-${row}"`
    ),
  ];
  for (const era of ERAS) {
    await guarded.begin(era);
    const texts = await say(guarded, files.map(([name]) => ({ name })));
    texts.forEach((text, row) =>
      assert.equal(text.replace(/ \(did you mean .*\)$/, ""), wanted[row], files[row]![1])
    );
  }
  await guarded.close(/^(.* is no document; write .*\n)+$/);
  assert.equal(
    guarded.program.errors.split("\n").length - 1,
    wanted.filter((text) => text.startsWith("error: There")).length,
  );
});

/** Names that are or could be paths, beside the steps up. */
const NO_NAMES: readonly string[] = [
  ...[
    ".",
    "..",
    "../",
    "...",
    ".git",
    "a//b",
    "/a",
    "a/",
    "a\\b",
    "a/../b",
    "/etc",
    "C:",
    "\\\\server\\share",
    "adr::$DATA",
  ],
  ...["%61dr", " ", "adr ", "adr\n", "-", "__proto__", "*", "{+path}", "\u00e4", "\uff41", ""],
];

test("nothing that could be a path is the name of a mount: it is wrong usage, and nothing is served", async (t) => {
  const folder = makeGuarded(t);
  const steps = STEPS_UP.flatMap((step) => [step, `adr/${step}`, `${step}adr`]);
  for (const mount of [...NO_NAMES, ...steps]) {
    const { code, output, errors } = await runHere([
      "list",
      `--root=${folder}/docs`,
      `--mount=${mount}=${folder}/outside`,
    ]);
    assert.deepEqual([code, output], [2, ""], mount);
    assert.match(errors, /^architrave: --mount takes /, mount);
  }
});
