/** Can a client spell its way out? Every spelling in every place that takes a text: URIs, templates, values, cursors. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Question } from "./outside.ts";
import { Program } from "../harness/program.ts";
import {
  ask,
  closeContained,
  DOCUMENT,
  ERAS,
  INSIDE,
  makeSurroundings,
  NEWEST_ERAS,
  notFound,
  OUTSIDE,
  read,
  SECRET,
} from "./outside.ts";
import { hostileUris, STEPS_UP } from "./spellings.ts";

const NO_DOCUMENT = "architecture://adr/002-nothing";

for (const era of ERAS) {
  for (const scheme of ["architecture", "file"]) {
    test(`in ${era.name} no spelling of a URI is answered otherwise than a missing document, listed as ${scheme}`, async (t) => {
      const folder = makeSurroundings(t);
      const program = new Program(["--root", `${folder}/docs`, "--scheme", scheme]);
      await era.begin(program);
      assert.deepEqual(await read(program, era, [NO_DOCUMENT]), [notFound(era)]);
      const rows = hostileUris();
      const lines = await read(program, era, rows.map(([, uri]) => uri));
      rows.forEach(([name, uri], row) => assert.equal(lines[row], notFound(era), `${name}: ${uri}`));
      const [line] = await read(program, era, [DOCUMENT]);
      assert.equal(JSON.parse(line!).result.contents[0].text, INSIDE, "and all is well with the document");
      await closeContained(program, folder);
    });
  }
}

test("no path of the disk is a URI, even for those who know where the documents are", async (t) => {
  const folder = makeSurroundings(t);
  const program = new Program(["--root", `${folder}/docs`]);
  const [era] = NEWEST_ERAS;
  await era!.begin(program);
  const paths = [
    `${folder}/docs/resources/adr/001-use-one-thing.md`,
    `${folder}/docs/resources/adr/001-use-one-thing`,
    `${folder}/docs`,
    `${folder}/docs-evil/resources/adr/001-use-one-thing.md`,
    `${folder}/secret.md`,
    `${folder}/secret`,
  ];
  const uris = paths.flatMap((path) => [
    path,
    `file://${path}`,
    `file:///${path}`,
    `file://localhost${path}`,
    `architecture://${path}`,
    `architecture://adr/${path}`,
    `architecture://adr/${encodeURIComponent(path)}`,
    `architecture://adr/../../../../../../../..${path}`,
  ]);
  const lines = await read(program, era!, uris);
  uris.forEach((uri, row) => assert.equal(lines[row], notFound(era!), uri));
  assert.equal(await program.close(), 0);
  assert.ok(!program.output.includes(SECRET));
});

test("other files of the root are no documents, by whatever name", async (t) => {
  const names = [
    "resources/adr/secrets.json",
    "resources/adr/.env",
    "resources/adr/.env.md",
    "resources/adr/.md",
    "resources/adr/.git/config",
    "resources/adr/.git/notes.md",
    "resources/adr/.hidden/x.md",
    "resources/adr/node_modules/p/README.md",
    "resources/adr/x.mdx",
    "resources/adr/x.markdown",
    "resources/adr/x.md.bak",
    "resources/adr/x.md~",
    "resources/adr/md",
    "resources/adr/y",
    "resources/.hidden/x.md",
    "resources/node_modules/p.md",
    "resources/stray.md",
    "README.md",
    ".env",
    "prompts/notes.md",
    "prompts/.hidden.json",
    "resources-evil/adr/001-use-one-thing.md",
  ];
  const folder = makeSurroundings(t, Object.fromEntries(names.map((name) => [`docs/${name}`, OUTSIDE])));
  const program = new Program(["--root", `${folder}/docs`]);
  const spellings = names.flatMap((name) => {
    const path = name.replace(/^resources\//, "");
    const bare = path.replace(/\.md$/, "");
    const dots = bare.replaceAll(".", "%2e");
    return [`architecture://${path}`, `architecture://${bare}`, `architecture://${dots}`, `file:///${path}`]
      .concat([`file:///${bare}.md`, `file:///${path}.md`, `architecture://adr/../../${name}`]);
  });
  for (const era of NEWEST_ERAS) {
    await era.begin(program);
    const lines = await read(program, era, spellings);
    spellings.forEach((uri, row) => assert.equal(lines[row], notFound(era), uri));
    const [listed] = await ask(program, era, "resources/list", [{ params: {}, echo: "" }]);
    assert.deepEqual(JSON.parse(listed!).result.resources.map(({ uri }: { uri: string }) => uri), [DOCUMENT]);
  }
  await closeContained(program, folder);
});

/** Asks for values, and the answer may repeat one text. */
function completion(ref: object, value: string, echo: string, name = "path"): Question {
  return { params: { ref, argument: { name, value } }, echo };
}

test("no spelling of a template is completed otherwise than a missing one", async (t) => {
  const folder = makeSurroundings(t);
  const program = new Program(["--root", `${folder}/docs`]);
  const templates = [
    ...Object.entries(STEPS_UP).flatMap(([name, step]): [string, string][] => [
      [name, `architecture://${step}{+path}`],
      [`${name}, from a category`, `architecture://adr/${step}{+path}`],
      [`${name}, and back into it`, `architecture://adr/${step}adr/{+path}`],
      [`${name}, as a file`, `file:///adr/${step}{+path}.md`],
    ]),
    ["the other scheme", "file:///adr/{+path}.md"],
    ["everything", "architecture://{+path}"],
    ["an absolute path", "file:///{+path}"],
    ["capitals", "architecture://ADR/{+path}"],
    ["the scheme in capitals", "ARCHITECTURE://adr/{+path}"],
    ["a category that only begins alike", "architecture://adr-evil/{+path}"],
    ["another expression", "architecture://adr/{path}"],
    ["another variable", "architecture://adr/{+path,x}"],
    ["no expression", "architecture://adr/"],
    ["a document", DOCUMENT],
  ] as [string, string][];
  for (const era of NEWEST_ERAS) {
    await era.begin(program);
    const refused = (uri: string) => completion({ type: "ref/resource", uri }, "", uri);
    const missing = refused("architecture://nothing/{+path}");
    const questions = templates.map(([, uri]) => refused(uri));
    const [expected, ...lines] = await ask(program, era, "completion/complete", [missing, ...questions]);
    assert.match(expected!, /"code":-32602,"message":"There is no template \\"…\\" with the variable/);
    templates.forEach(([name, uri], row) => assert.equal(lines[row], expected, `${name}: ${uri}`));
  }
  await closeContained(program, folder);
});

test("no value that is typed, and no variable, completes to anything outside", async (t) => {
  const folder = makeSurroundings(t);
  const program = new Program(["--root", `${folder}/docs`]);
  const ref = { type: "ref/resource", uri: "architecture://adr/{+path}" };
  const values = [
    ...Object.values(STEPS_UP).flatMap((step) => [step, step.repeat(3), `${step.repeat(3)}secret`]),
    "/",
    "/etc/",
    "C:\\",
    "\\\\server\\",
    "secret",
    "architecture://",
    "*",
    ".*",
    "\u0000",
    "[",
  ];
  for (const era of NEWEST_ERAS) {
    await era.begin(program);
    const all = [...values.map((value) => completion(ref, value, "")), completion(ref, "", "")];
    const lines = (await ask(program, era, "completion/complete", all)).map((line) =>
      JSON.parse(line).result
    );
    values.forEach((value, row) =>
      assert.deepEqual(lines[row].completion, { values: [], total: 0, hasMore: false }, value)
    );
    assert.deepEqual(lines.at(-1).completion, { values: ["001-use-one-thing"], total: 1, hasMore: false });
    const variables = [...values, "__proto__", "constructor", "Path", "path "];
    const questions = ["nothing", ...variables].map((name) =>
      completion(ref, "", `"${name.slice(0, 100)}"`, name)
    );
    const [expected, ...refused] = await ask(program, era, "completion/complete", questions);
    assert.match(expected!, /"code":-32602/);
    variables.forEach((name, row) => assert.equal(refused[row], expected, name));
  }
  await closeContained(program, folder);
});

test("no cursor that was not given out is taken, and none of them leads anywhere", async (t) => {
  const documents = ["2-b", "3-c", "4-d"].map((name) => [`docs/resources/more/${name}.md`, INSIDE]);
  const folder = makeSurroundings(t, Object.fromEntries(documents));
  const program = new Program(["--root", `${folder}/docs`, "--page-size", "2"]);
  for (const era of NEWEST_ERAS) {
    await era.begin(program);
    const [first] = await ask(program, era, "resources/list", [{ params: {}, echo: "" }]);
    const given: string = JSON.parse(first!).result.nextCursor;
    const [member, digest, start] = atob(given).split(":");
    assert.deepEqual([member, start], ["resources", "2"]);
    const forge = (text: string) => btoa(text).replaceAll("=", "");
    const forged = ["../2", "-2", "0", "1", "3", "4", "1e0", "0x2", "02", "2.0", " 2", "2 ", "2:", "NaN", ""]
      .map((place) => forge(`${member}:${digest}:${place}`));
    const cursors = [
      ...Object.values(STEPS_UP).map((step) => `${step.repeat(3)}secret`),
      ...forged,
      forge(`../${member}:${digest}:2`),
      forge(`prompts:${digest}:2`),
      forge(`${member}:../../secret:2`),
      forge(`${member}::2`),
      `${given}=`,
      `${given}\n`,
      ` ${given}`,
      `${given}%00`,
      given.toLowerCase(),
      "/etc/passwd",
      "file:///etc/passwd",
      DOCUMENT,
    ];
    for (const method of ["resources/list", "resources/templates/list", "prompts/list"]) {
      const questions = ["nothing", ...cursors].map((cursor) => ({ params: { cursor }, echo: cursor }));
      const [expected, ...lines] = await ask(program, era, method, questions);
      assert.match(expected!, /"code":-32602,"message":"The cursor is not one of this list/);
      cursors.forEach((cursor, row) => assert.equal(lines[row], expected, `${method} ${cursor}`));
    }
    const [rest] = await ask(program, era, "resources/list", [{ params: { cursor: given }, echo: "" }]);
    assert.equal(JSON.parse(rest!).result.resources.length, 2, "and the one that was given is taken");
  }
  await closeContained(program, folder);
});
