/** Does a copy of the program work inside another repository, whatever that says of itself and wherever it is started from? */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, relative } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { ON_DENO, REPOSITORY, run } from "../harness/program.ts";
import {
  copyProgram,
  inventory,
  link,
  makeRepository,
  MANIFEST,
  MARKED,
  PLAIN_FLAGS,
  REPOSITORIES,
  sandbox,
  tryOut,
} from "./repository.ts";

for (const [kind, files] of Object.entries(REPOSITORIES)) {
  test(`a copy works in a repository with ${kind}`, async (t) => {
    const repository = makeRepository(t, files);
    const module = copyProgram(`${repository}/tools/architrave`);
    const before = inventory(repository);
    await t.test("started from the root of the system", () => tryOut(module, "/"));
    await t.test("started from a folder of the repository, by a relative path", () => {
      const cwd = `${repository}/src/deep`;
      return tryOut(relative(cwd, module), cwd);
    });
    await t.test("started through a link to the repository", async (t) => {
      const path = `${makeFolder(t)}/link`;
      if (link(t, repository, path)) await tryOut(`${path}/tools/architrave/mod.ts`, path);
    });
    await t.test("started in a sandbox that allows to read the copy, and nothing else", () => {
      return tryOut(module, "/", sandbox(dirname(module)));
    });
    await t.test("and nothing was written", () => assert.deepEqual(inventory(repository), before));
  });
}

test(
  "the commands of the README make a copy that works",
  { skip: process.platform === "win32" },
  async (t) => {
    const readme = readFileSync(`${REPOSITORY}/README.md`, "utf8");
    const [, commands] = /^## A copy in your repository\n[\s\S]*?^```sh\n([\s\S]*?)^```/m.exec(readme) ?? [];
    const repository = makeRepository(t, REPOSITORIES['the "type": "commonjs" that npm init writes']!);
    symlinkSync(REPOSITORY, `${dirname(repository)}/architrave`);
    const { status, stderr } = spawnSync("sh", ["-ec", commands!], { cwd: repository, encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
    writeFiles(`${repository}/tools/architrave`, MARKED);
    await tryOut(`${repository}/tools/architrave/mod.ts`, "/");
  },
);

test("a copy in an npm workspace works through the link that npm makes", async (t) => {
  const repository = makeRepository(t, REPOSITORIES["an npm workspace around the copy"]!);
  copyProgram(`${repository}/tools/architrave`);
  mkdirSync(`${repository}/node_modules`);
  const path = `${repository}/node_modules/architrave`;
  if (link(t, `${repository}/tools/architrave`, path)) await tryOut(`${path}/mod.ts`, "/");
});

test(
  "a copy whose package.json was forgotten says on Node what to write into it",
  { skip: ON_DENO },
  async (t) => {
    const repository = makeRepository(t, { "package.json": '{ "type": "commonjs" }' });
    const module = copyProgram(`${repository}/tools/architrave`, {});
    const { code, output, errors } = await run(["list"], "", { module, runtimeFlags: PLAIN_FLAGS });
    assert.deepEqual([code, output], [1, ""]);
    assert.match(errors, /set "type": "module" in the nearest package\.json/);
    assert.match(errors, /SyntaxError: Unexpected token 'export'/);
  },
);

test("a copy works without a package.json of its own where none says that it is something else", async (t) => {
  for (const files of [{}, { "package.json": '{ "type": "module" }' }]) {
    const repository = makeRepository(t, files);
    await tryOut(copyProgram(`${repository}/tools/architrave`, {}), repository);
  }
});

test("a copy below node_modules is refused with a word that the README explains", async (t) => {
  const repository = makeRepository(t, MANIFEST);
  const module = copyProgram(`${repository}/node_modules/architrave`);
  const { code, output, errors } = await run(["list"], "", { module, runtimeFlags: PLAIN_FLAGS });
  assert.deepEqual([code, output], [1, ""]);
  assert.match(errors, /ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING/);
});
