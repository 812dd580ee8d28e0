/** The command vendor: lists, makes, updates and checks copies of the program. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { assertFails, cli, cliJson, runHere } from "../harness/command.ts";
import { filesIn, filesOf, makeFolder, writeFiles } from "../harness/folder.ts";
import { REPOSITORY } from "../harness/program.ts";

const MANIFEST = "architrave.vendor.json";
const COPY = "vendor DIR/copy";
const manifestOf = (folder: string) => JSON.parse(readFileSync(`${folder}/copy/${MANIFEST}`, "utf8"));
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

test("vendor lists what it would copy, copies it, and then has nothing to do", async (t) => {
  const folder = makeFolder(t);
  const listed = await cliJson(`${COPY} --only serve`, folder);
  assert.deepEqual([listed.written, listed.same, filesOf(folder)], [false, 0, []]);
  const made = await cli(`${COPY} --only serve --write`, folder);
  assert.equal(made.code, 0, made.errors);
  const names = filesOf(`${folder}/copy`);
  // deno-lint-ignore no-explicit-any
  assert.deepEqual(listed.files.map(({ path }: any) => path.slice(`${folder}/copy/`.length)).sort(), names);
  assert.match(made.output, /^created .*\/copy\/lib\/cli\/main\.ts \(\d+ bytes\)$/m);
  assert.deepEqual(await cli(COPY, folder), {
    code: 0,
    output: `${names.length} files the same\n`,
    errors: "",
  });
  const { version, commit, parts, files } = manifestOf(folder);
  assert.deepEqual(parts, ["serve"]);
  assert.equal(version, JSON.parse(readFileSync(`${REPOSITORY}/package.json`, "utf8")).version);
  assert.match(commit ?? "0".repeat(40), /^[0-9a-f]{40}$/);
  const { [MANIFEST]: _, ...texts } = filesIn(`${folder}/copy`);
  assert.deepEqual(
    files,
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, hashOf(text)])),
  );
  assert.equal(texts["package.json"], '{ "type": "module" }\n');
  for (const [name, text] of Object.entries(texts)) {
    if (name === "package.json" || name === "lib/cli/this_copy.ts") continue;
    // The libraries that the compiler needs are named in the copy.
    const start = name === "lib/base/text.ts" ? '/// <reference lib="es2024" />\n' : "";
    assert.equal(text, start + readFileSync(`${REPOSITORY}/${name}`, "utf8"), name);
  }
});

test("a copy has the parts that are asked for, keeps them in an update, and can get others", async (t) => {
  const folder = makeFolder(t);
  const partsAfter = async (options: string) => {
    const { code, errors } = await cli(`${COPY} ${options} --write`, folder);
    assert.equal(code, 0, errors);
    return manifestOf(folder).parts.join();
  };
  const has = (name: string) => filesOf(`${folder}/copy`).includes(name);
  const parts = [await partsAfter("--only serve,search"), await partsAfter("")];
  assert.deepEqual(parts, ["serve,search", "serve,search"]);
  assert.deepEqual([has("lib/search/index.ts"), has("lib/cli/commands.ts"), has("LICENSE")], [
    true,
    false,
    true,
  ]);
  assert.equal(await partsAfter("--only all"), "serve,search,commands");
  const all = filesOf(`${folder}/copy`).filter((name) =>
    !/^(?:LICENSE|package\.json|architrave\.vendor\.json)$/.test(name)
  );
  const shipped = ["lib", "mcp"].flatMap((name) =>
    filesOf(`${REPOSITORY}/${name}`).map((file) => `${name}/${file}`)
  );
  assert.deepEqual(all, [...shipped, "deps.ts", "mod.ts"].sort());
  // What the copy no longer has is deleted.
  assert.equal(await partsAfter("--only serve"), "serve");
  assert.deepEqual([has("lib/search/index.ts"), has("lib/cli/commands.ts"), has("mcp/SAMPLE.md")], [
    false,
    false,
    false,
  ]);
  assert.equal((await cli(`${COPY} --check`, folder)).code, 0);
});

test("--check names each file that was changed, is missing or is extra", async (t) => {
  const folder = makeFolder(t), copy = `${folder}/copy`;
  await cli(`${COPY} --write`, folder);
  const whole = await cli(`${COPY} --check`, folder);
  assert.equal(whole.code, 0);
  assert.match(
    whole.output,
    /^\d+ files as copied: architrave \d+\.\d+\.\d+(?:, commit [0-9a-f]{40})?, serve, search, commands\n$/,
  );
  // Git may write other line ends, and documents in mcp/ belong to the team.
  const text = readFileSync(`${copy}/lib/base/json.ts`, "utf8");
  writeFiles(copy, {
    "lib/base/json.ts": text.replaceAll("\n", "\r\n"),
    "mcp/resources/adr/900-ours.md": "# Ours\n",
  });
  assert.equal((await cli(`${COPY} --check`, folder)).code, 0);
  writeFiles(copy, {
    "lib/cli/more.ts": "",
    "lib/.DS_Store": "",
    "lib/cli/main.ts": "// Ours\n",
    "lib/base/text.ts": text,
  });
  rmSync(`${copy}/mod.ts`);
  assert.deepEqual(await cli(`${COPY} --check`, folder), {
    code: 1,
    output: "changed lib/base/text.ts\nchanged lib/cli/main.ts\nextra lib/cli/more.ts\nmissing mod.ts\n",
    errors: "",
  });
  const { changed, missing, extra } = await cliJson(`${COPY} --check`, folder);
  assert.deepEqual([changed, missing, extra], [
    ["lib/base/text.ts", "lib/cli/main.ts"],
    ["mod.ts"],
    ["lib/cli/more.ts"],
  ]);
});

test("an update names the files that were changed by hand, and replaces them with --force only", async (t) => {
  const folder = makeFolder(t), copy = `${folder}/copy`;
  await cli(`${COPY} --only serve,search --write`, folder);
  const edited = "lib/search/index.ts", ours = "// Ours\n";
  writeFiles(copy, { "lib/base/json.ts": ours, [edited]: ours });
  for (const options of ["", " --write"]) {
    await assertFails([[
      `${COPY}${options}`,
      1,
      /not as they were copied: lib\/base\/json\.ts, lib\/search\/index\.ts; --force/,
    ]], folder);
  }
  assert.equal(readFileSync(`${copy}/lib/base/json.ts`, "utf8"), ours);
  // A file that the copy no longer has is not deleted when it was changed.
  const { code, output } = await cli(`${COPY} --only serve --write --force`, folder);
  assert.equal(code, 0);
  assert.match(output, /^changed .*\/lib\/base\/json\.ts /m);
  assert.match(output, /^deleted .*\/lib\/search\/query\.ts /m);
  assert.equal(readFileSync(`${copy}/${edited}`, "utf8"), ours);
  assert.deepEqual((await cli(`${COPY} --check`, folder)).output, `extra ${edited}\n`);
});

test("a folder with other files is left alone", async (t) => {
  const folder = makeFolder(t, { "copy/.git/HEAD": "", "other/notes.md": "", "other/mod.ts": "// Ours\n" });
  await assertFails([
    ["vendor DIR/other --write", 1, /has files but no architrave\.vendor\.json/],
    ["vendor DIR/other --check", 2, /has no architrave\.vendor\.json, so vendor did not make it/],
    ["vendor DIR/none --check", 2, /does not exist/],
    ["vendor DIR/copy --check --only serve", 2, /leave out --only/],
    ["vendor DIR/copy --check --write", 2, /Use either --write or --check/],
    ["vendor DIR/copy --only search", 2, /Unknown --only "search"/],
    [["vendor", REPOSITORY], 2, /does not copy the program into itself/],
    [["vendor", `${REPOSITORY}/lib/copy`], 2, /does not copy the program into itself/],
  ], folder);
  // Hidden files are none of the copy.
  assert.equal((await cli("vendor DIR/copy --write", folder)).code, 0);
  assert.equal((await cli("vendor DIR/copy --check", folder)).code, 0);
  assert.equal((await cli("vendor DIR/other --only serve --write --force", folder)).code, 0);
  assert.equal((await cli("vendor DIR/other --check", folder)).output, "extra notes.md\n");
  writeFileSync(
    `${folder}/other/${MANIFEST}`,
    JSON.stringify({ version: "1", parts: [], files: { "../x": "" } }),
  );
  await assertFails([["vendor DIR/other --check", 2, /vendor did not write it/]], folder);
});

test("vendor needs the sources, and says so in a build", async (t) => {
  const folder = makeFolder(t);
  for (const home of [undefined, folder]) {
    const { code, errors } = await runHere(["vendor", `${folder}/copy`], { home });
    assert.equal(code, 2);
    assert.match(errors, /^architrave: vendor copies sources, and this is a build without them: [^\n]+\.\n$/);
  }
});

/** What Git has in a repository, and the commit that is found. */
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const REPOSITORIES: Readonly<Record<string, readonly [Record<string, string>, string | undefined]>> = {
  "a branch": [{ ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": `${COMMIT}\n` }, COMMIT],
  "a commit": [{ ".git/HEAD": `${COMMIT}\n` }, COMMIT],
  "packed references": [
    { ".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": `# pack-refs\n${COMMIT} refs/heads/main\n` },
    COMMIT,
  ],
  "a work tree": [{
    ".git": "gitdir: ../git/worktrees/w\n",
    "../git/worktrees/w/HEAD": "ref: refs/heads/w\n",
    "../git/worktrees/w/commondir": "../..\n",
    "../git/refs/heads/w": `${COMMIT}\n`,
  }, COMMIT],
  "no Git": [{}, undefined],
  "another form": [{ ".git/HEAD": "ref: refs/heads/.invalid\n" }, undefined],
};
for (const [name, [files, commit]] of Object.entries(REPOSITORIES)) {
  test(`the manifest has the commit of a repository with ${name}`, async (t) => {
    const folder = makeFolder(t), home = `${folder}/home`;
    await cli("vendor DIR/home --only serve --write", folder);
    rmSync(`${home}/${MANIFEST}`);
    writeFiles(home, files);
    const { code, errors } = await runHere(["vendor", `${folder}/copy`, "--only", "serve", "--write"], {
      home,
    });
    assert.equal(code, 0, errors);
    assert.equal(manifestOf(folder).commit, commit);
    // A copy of the copy has the same one.
    await runHere(["vendor", `${folder}/second/copy`, "--only", "serve", "--write"], {
      home: `${folder}/copy`,
    });
    assert.equal(manifestOf(`${folder}/second`).commit, commit);
  });
}
