/** Do links lead out? What lies in the folder is not what it seems: links of all kinds, pipes, devices, and what changes. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { Program } from "../harness/program.ts";
import {
  ask,
  assertContained,
  closeContained,
  DOCUMENT,
  ERAS,
  INSIDE,
  makeSurroundings,
  NEWEST_ERAS,
  notFound,
  OUTSIDE,
  read,
} from "./outside.ts";

const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;

/** Links that must lead nowhere, from `docs/resources/adr/` of the surroundings: what each leads to. */
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
const LED_TO = Object.keys({ ...LINKS_OUT, ...NO_FILES }).map((name) => name.replace(/\.md$/, "")).flatMap((
  name,
) =>
  /^\d/.test(name)
    ? [`architecture://adr/${name}`, `architecture://adr/${name.slice(0, 3)}`, `file:///adr/${name}.md`]
    : ["", "/secret", "/001-use-one-thing", "/secret#part", "/1", "/outside/secret", "/passwd"].map((path) =>
      `architecture://adr/${name}${path}`
    )
);

/** Puts all of that into the root, and documents that are to be served in spite of their way. */
async function makeLinks(folder: string): Promise<void> {
  const category = `${folder}/docs/resources/adr`;
  for (const [name, target] of Object.entries(LINKS_OUT)) symlinkSync(target, `${category}/${name}`);
  for (const [name, make] of Object.entries(NO_FILES)) await make(`${category}/${name}`);
  symlinkSync("../docs/resources/adr/101-relative.md", `${folder}/outside/in-and-out`);
  symlinkSync("../docs/resources/adr/001-use-one-thing.md", `${folder}/outside/back`);
}

for (const era of ERAS) {
  test(
    `in ${era.name} what a link leads out to is not there, nor is what is no file`,
    { skip: ON_WINDOWS },
    async (t) => {
      const folder = makeSurroundings(t);
      await makeLinks(folder);
      for (const scheme of ["architecture", "file"]) {
        const program = new Program(["--root", `${folder}/docs`, "--scheme", scheme]);
        await era.begin(program);
        const lines = await read(program, era, LED_TO);
        LED_TO.forEach((uri, row) => assert.equal(lines[row], notFound(era), uri));
        const [listed] = await ask(program, era, "resources/list", [{ params: {}, echo: "" }]);
        const uris = JSON.parse(listed!).result.resources.map(({ uri }: { uri: string }) => uri);
        assert.deepEqual(uris, [scheme === "file" ? "file:///adr/001-use-one-thing.md" : DOCUMENT]);
        const ref = {
          type: "ref/resource",
          uri: scheme === "file" ? "file:///adr/{+path}.md" : "architecture://adr/{+path}",
        };
        if (era.name !== "2024-11-05") {
          const params = { ref, argument: { name: "path", value: "" } };
          const [values] = await ask(program, era, "completion/complete", [{ params, echo: "" }]);
          assert.deepEqual(JSON.parse(values!).result.completion.values, ["001-use-one-thing"]);
        }
        await closeContained(program, folder);
        for (
          const name of [
            "101-relative.md",
            "112-sibling.md",
            "125-out-and-in-and-out.md",
            "stolen",
            "stolen-above",
          ]
        ) {
          assert.match(program.errors, new RegExp(`adr/${name}: The link leads out of the root`));
        }
        assertContained(program.errors, folder);
      }
    },
  );
}

test("a folder of categories that is a link out has none, and tells no name of a folder outside", {
  skip: ON_WINDOWS,
}, async (t) => {
  const folder = makeSurroundings(t, { "outside/private/x.md": OUTSIDE });
  renameSync(`${folder}/docs/resources`, `${folder}/gone`);
  symlinkSync("../outside", `${folder}/docs/resources`);
  const program = new Program(["--root", `${folder}/docs`]);
  const [era] = NEWEST_ERAS;
  await era!.begin(program);
  const [listed] = await ask(program, era!, "resources/templates/list", [{ params: {}, echo: "" }]);
  assert.deepEqual(JSON.parse(listed!).result.resourceTemplates, []);
  const uris = ["architecture://private/x", "architecture://secret"];
  assert.deepEqual(await read(program, era!, uris), uris.map(() => notFound(era!)));
  await closeContained(program, folder);
  assert.doesNotMatch(program.output + program.errors, /"private"|private\/x\.md/);
  assert.match(program.errors, /resources: The link leads out of the root/);
});

test("a link that leads out and in again is followed, because what counts is where it ends", {
  skip: ON_WINDOWS,
}, async (t) => {
  const folder = makeSurroundings(t, { "docs/elsewhere/x.md": INSIDE });
  symlinkSync("../docs/resources/adr/001-use-one-thing.md", `${folder}/outside/back`);
  symlinkSync("../docs/elsewhere", `${folder}/outside/home`);
  const links: Readonly<Record<string, string>> = {
    "2-plain.md": "001-use-one-thing.md",
    "3-chain.md": "2-plain.md",
    "4-absolute.md": `${folder}/docs/resources/adr/001-use-one-thing.md`,
    "5-over-the-top.md": "../../../docs/resources/adr/001-use-one-thing.md",
    "6-out-and-in.md": "../../../outside/back",
    "7-through-the-sibling.md": "../../../docs-evil/../docs/elsewhere/x.md",
    "8-beside-the-categories.md": "../../elsewhere/x.md",
    "folder": "../../elsewhere",
    "folder-out-and-in": "../../../outside/home",
  };
  for (const [name, target] of Object.entries(links)) {
    symlinkSync(target, `${folder}/docs/resources/adr/${name}`);
  }
  const program = new Program(["--root", `${folder}/docs`]);
  const [era] = NEWEST_ERAS;
  await era!.begin(program);
  const uris = [2, 3, 4, 5, 6, 7, 8, "folder/x", "folder-out-and-in/x"].map((name) =>
    `architecture://adr/${name}`
  );
  const lines = await read(program, era!, uris);
  uris.forEach((uri, row) => assert.equal(JSON.parse(lines[row]!).result?.contents[0].text, INSIDE, uri));
  await closeContained(program, folder);
  assert.equal(program.errors, "");
});

// A hard link is not a link to a file but the file, under one more name: nothing tells which of its names came first, and
// no folder is the one that it is in. Whoever may make one in the root puts the file there, as if by copying it; systems
// guard that, as Linux does with `fs.protected_hardlinks`. What is promised is that it is a file like any other: the
// limits hold, and it is gone when its name in the root is gone.
test("a hard link is a file of the folder like any other", { skip: ON_WINDOWS }, async (t) => {
  const folder = makeSurroundings(t, { "outside/mine.md": INSIDE, "outside/other.txt": OUTSIDE });
  linkSync(`${folder}/outside/mine.md`, `${folder}/docs/resources/adr/002-hard.md`);
  linkSync(`${folder}/outside/other.txt`, `${folder}/docs/resources/adr/other.txt`);
  const program = new Program(["--root", `${folder}/docs`]);
  const [era] = NEWEST_ERAS;
  await era!.begin(program);
  const uris = ["architecture://adr/2#part", "architecture://adr/other", "architecture://adr/other.txt"];
  const lines = await read(program, era!, uris);
  assert.match(lines[0]!, /Everybody may read this/);
  assert.deepEqual(lines.slice(1), [notFound(era!), notFound(era!)]);
  rmSync(`${folder}/docs/resources/adr/002-hard.md`);
  const deadline = Date.now() + 20_000;
  // A file that was there a moment ago may be about to be put back.
  while ((await read(program, era!, uris.slice(0, 1)))[0] !== notFound(era!)) {
    assert.ok(Date.now() < deadline, "it is still there");
  }
  await closeContained(program, folder);
});

/** What can become a link out while the program runs: each is moved away and a link takes its place. */
const CHANGES: Readonly<Record<string, readonly [place: string, target: string]>> = {
  "a document": ["docs/resources/adr/001-use-one-thing.md", "../../../outside/001-use-one-thing.md"],
  "a document that is a link": ["docs/resources/adr/002-link.md", "../../../outside/001-use-one-thing.md"],
  "a folder in a category": ["docs/resources/adr/sub", "../../../outside"],
  "a category": ["docs/resources/adr", "../../docs-evil/resources/adr"],
  "the folder of the categories": ["docs/resources", "../docs-evil/resources"],
  "the root": ["docs", "docs-evil"],
};

for (const [name, [place, target]] of Object.entries(CHANGES)) {
  test(`what ${name} led to is not there once it is a link out`, { skip: ON_WINDOWS }, async (t) => {
    const folder = makeSurroundings(t, {
      "docs/resources/adr/sub/001-use-one-thing.md": INSIDE,
      "docs-evil/resources/adr/sub/001-use-one-thing.md": OUTSIDE,
      "docs-evil/resources/adr/002-link.md": OUTSIDE,
      "docs/prompts/p.json": JSON.stringify({
        name: "p",
        messages: [{ role: "user", content: { type: "text", text: "<<resource:architecture://adr/**>>" } }],
      }),
    });
    symlinkSync("001-use-one-thing.md", `${folder}/docs/resources/adr/002-link.md`);
    const program = new Program(["--root", `${folder}/docs`]);
    const [era] = NEWEST_ERAS;
    await era!.begin(program);
    const [listed] = await ask(program, era!, "resources/list", [{ params: {}, echo: "" }]);
    assert.equal(JSON.parse(listed!).result.resources.length, 3);
    const [prompts] = await ask(program, era!, "prompts/list", [{ params: {}, echo: "" }]);
    assert.equal(JSON.parse(prompts!).result.prompts.length, 1);
    renameSync(`${folder}/${place}`, `${folder}/gone`);
    symlinkSync(target, `${folder}/${place}`);
    const file = place.slice("docs/resources/adr/".length).replace(/\.md$/, "");
    const uri = file.startsWith("00")
      ? `architecture://adr/${file}`
      : "architecture://adr/sub/001-use-one-thing";
    assert.deepEqual(await read(program, era!, [uri, `${uri}#part`]), [notFound(era!), notFound(era!)]);
    const [prompt] = await ask(program, era!, "prompts/get", [{ params: { name: "p" }, echo: "" }]);
    // Whether the change was seen by now or not: nothing from outside is embedded.
    const { error, result } = JSON.parse(prompt!);
    if (error) {
      assert.match(
        error.message,
        /^(?:The prompt "p" embeds architecture:.*, which is not there|There is no prompt "p")$/,
      );
    } else assert.equal(result.messages.length, 1);
    await closeContained(program, folder);
  });
}

test("with --poll a category that becomes a link out is gone, and back when it is a folder again", {
  skip: ON_WINDOWS,
}, async (t) => {
  const folder = makeSurroundings(t);
  const category = `${folder}/docs/resources/adr`;
  const program = new Program(["--root", `${folder}/docs`, "--poll", "20"]);
  const [era] = NEWEST_ERAS;
  await era!.begin(program);
  // There is one document in one category, or neither: a look in the middle of the change may see the category alone.
  const until = async (count: number) => {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const [documents] = await ask(program, era!, "resources/list", [{ params: {}, echo: "" }]);
      const [templates] = await ask(program, era!, "resources/templates/list", [{ params: {}, echo: "" }]);
      const { resources } = JSON.parse(documents!).result;
      const { resourceTemplates } = JSON.parse(templates!).result;
      if (resources.length === count && resourceTemplates.length === count) return;
      assert.ok(Date.now() < deadline, "not seen in time");
    }
  };
  await until(1);
  renameSync(category, `${folder}/gone`);
  symlinkSync("../../docs-evil/resources/adr", category);
  await until(0);
  assert.deepEqual(await read(program, era!, [DOCUMENT]), [notFound(era!)]);
  rmSync(category);
  renameSync(`${folder}/gone`, category);
  await until(1);
  await closeContained(program, folder);
});
