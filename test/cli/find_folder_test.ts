import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { assertFails, cli } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { ON_WINDOWS } from "../harness/runtime.ts";

const RECORD = "---\nstatus: accepted\n---\n# 1. Use queues\n\n## Decision\n\nServices talk over queues.\n";

const HERE = process.cwd();

/** Makes a project, and runs the test in a folder of it. */
function enter(t: TestContext, files: Readonly<Record<string, string>>, inside = ""): string {
  // Before the folder is removed.
  t.after(() => process.chdir(HERE));
  const root = makeFolder(t, files);
  process.chdir(`${root}/${inside}`);
  return root;
}
const found = (errors: string) => /^architrave: info: Found the folder (.+)\n$/.exec(errors)?.[1];

test("the folder of records is found where projects and other tools keep it", async (t) => {
  const rows: readonly (readonly [folder: string, files: Readonly<Record<string, string>>])[] = [
    ["docs/adr", { "docs/adr/0001-a.md": RECORD }],
    ["docs/decisions", { "docs/decisions/0001-a.md": RECORD, "docs/other/b.md": "# B\n" }],
    ["doc/architecture/decisions", { "doc/architecture/decisions/0001-a.md": RECORD }],
    ["docs/adr", { "docs/adr/0001-a/README.md": RECORD }],
    ["log", { ".adr-dir": "log\n", "log/0001-a.md": RECORD, "docs/adr/0009-b.md": RECORD }],
    ["docs/log4", {
      ".log4brains.yml": "project:\n  name: x\n  adrFolder: ./docs/log4 # here\n",
      "docs/log4/0001-a.md": RECORD,
    }],
    ["docs/architecture", { "docs/architecture/resources/adr/0001-a.md": RECORD }],
    [".", { "architrave.json": "{}", "0001-a.md": RECORD }],
  ];
  for (const [folder, files] of rows) {
    enter(t, { ".git/HEAD": "", ...files });
    const { code, output, errors } = await cli("list");
    assert.deepEqual([code, found(errors)], [0, folder], errors);
    assert.match(output, /Use queues/);
  }
});

test("the folder is looked for upward to the root of the repository, and no further", async (t) => {
  const files = { "docs/adr/0001-a.md": RECORD, "src/deep/a.ts": "" };
  const root = enter(t, { ".git/HEAD": "", ...files }, "src/deep");
  assert.equal(found((await cli("list")).errors)?.replaceAll("\\", "/").endsWith("/docs/adr"), true);
  // A worktree or a submodule has a file of that name.
  for (const git of ["inner/.git/HEAD", "inner/.git"]) {
    enter(t, { ...files, [git]: "", "inner/src/a.ts": "" }, "inner/src");
    assert.match((await cli("list")).errors, /sample/, git);
  }
  enter(t, files, "src/deep");
  assert.match((await cli("list")).errors, /sample/, "without a repository");
  assert.ok(root);
});

test("the folders of the packages that log4brains knows are all taken, each with a name of its own", async (t) => {
  const settings = [
    "project:",
    "  name: Shop",
    "  adrFolder: ./docs/adr",
    "  packages:",
    "    - name: core",
    "      path: ./packages/core",
    "      adrFolder: ./packages/core/docs/adr # here",
    "    - adrFolder: './packages/web/docs/adr'",
    "      name: web",
    "    - name: gone",
    "      adrFolder: ./packages/gone/docs/adr",
    "    - name: outside",
    "      adrFolder: ../docs/adr",
    "",
  ].join("\n");
  const folders = ["docs/adr", "packages/core/docs/adr", "packages/web/docs/adr"];
  enter(t, {
    ".git/HEAD": "",
    ".log4brains.yml": settings,
    ...Object.fromEntries(folders.map((folder) => [`${folder}/20260101-a.md`, RECORD])),
  });
  const { output, errors } = await cli("list");
  assert.equal(errors, `architrave: info: Found the folders ${folders.join(", ")}\n`);
  for (const name of ["adr", "core", "web"]) {
    assert.ok(output.includes(`architecture://${name}/20260101-a\t`), output);
  }
  assert.ok((await cli("config zed")).output.match(/(?:adr|core|web)=/g)!.length >= 3);
  // The records of the whole project get the new ones.
  const added = await cli("new Use B --date 2026-01-02");
  assert.match(added.errors, /Found the folder docs\/adr\n/);
  assert.match(added.output, /^\+\+\+ b\/docs\/adr\/20260102-use-b\.md$/m);
  const unknown = await cli("status 3 accepted");
  assert.match(
    unknown.errors,
    /There is no record "3" in docs\/adr: write a part of a file name, such as 20260101-a\n/,
  );
});

test("init says that there are records already, because two folders are not told apart", async (t) => {
  enter(t, { ".git/HEAD": "", "docs/adr/0001-a.md": RECORD });
  const { code, errors } = await cli("init docs/architecture");
  assert.equal(code, 0);
  assert.match(
    errors,
    /^architrave: There are records in docs\/adr: with a second folder, commands need --in/,
  );
  enter(t, { ".git/HEAD": "" });
  assert.doesNotMatch((await cli("init docs/architecture")).errors, /There are records/);
});

test("from a folder below, paths of files start there, and export writes at the root of the project", async (t) => {
  const root = enter(t, {
    ".git/HEAD": "",
    "docs/adr/0001-a.md": RECORD.replace("---\n", '---\napplies-to: "src/deep/*.ts"\n'),
    "src/deep/a.ts": "",
    "src/b.ts": "",
  }, "src/deep");
  const lines: [line: string, finds: boolean][] = [
    ["decisions a.ts", true],
    ["decisions ../deep/a.ts", true],
    ["decisions ./a.ts", true],
    ["decisions src/deep/a.ts", true],
    [`decisions ${root}/src/deep/a.ts`, true],
    ["decisions ../b.ts", false],
    ["decisions b.ts", false],
    ["decisions ../../../outside.ts", false],
  ];
  for (const [line, finds] of lines) {
    const { output, errors } = await cli(line);
    assert.equal(/use-queues|0001-a/.test(output), finds, `${line}: ${errors}`);
    if (!finds) {
      assert.match(errors, /No document names these files in applies-to: add it to the front matter/);
    }
  }
  // Git prints paths from the root, wherever it runs.
  assert.match((await cli("decisions -", "", { input: "src/deep/a.ts\n" })).output, /0001-a/);
  assert.match((await cli("decisions -", "", { input: "a.ts\n" })).errors, /No document names/);
  assert.equal((await cli("export agents --write")).code, 0);
  assert.ok(existsSync(`${root}/AGENTS.md`) && !existsSync(`${root}/src/deep/AGENTS.md`));
  assert.equal((await cli("export agents --into . --write")).code, 0);
  assert.ok(existsSync(`${root}/src/deep/AGENTS.md`));
  const checked = await cli("check --code .");
  assert.match(checked.errors, /Patterns of files start at .*deep, the folder of --code; .* use --code /);
  assert.doesNotMatch((await cli("check --code ../..")).errors, /Patterns/);
});

test("a folder at the end of the words of a search or a title is refused, with the option that names it", async (t) => {
  enter(t, { "docs/adr/0001-a.md": RECORD, "docs/notes/a.txt": "" });
  for (const line of ["search queues docs/adr", "new Use queues docs/adr", "search queues ./docs/notes"]) {
    const folder = line.split(" ").at(-1)!;
    await assertFails([[
      line,
      2,
      new RegExp(`"${folder}" is a folder, not a word for \\w+: name it with --in`),
    ]]);
  }
  for (
    const line of ["search docs", "search queues docs", "search docs/adr/0001-a.md queues", "new Use docs"]
  ) {
    assert.notEqual((await cli(line)).code, 2, line);
  }
});

test("a document is read by the number of its record, a path, or a part of its name", async (t) => {
  enter(t, {
    "docs/adr/0001-use-a.md": RECORD,
    "docs/adr/0003-b.md": "# B\n",
    "docs/adr/0007-ä ö.md": "# Ä\n",
  });
  const names = [
    "1",
    "0001",
    "ADR-1",
    "docs/adr/0001-use-a.md",
    "0001-use-a",
    "use-a",
    "architecture://adr/1",
  ];
  for (const name of names) {
    assert.match((await cli(["read", name])).output, /Services talk over queues/, name);
    assert.match((await cli(["read", `${name}#decision`])).output, /^## Decision/, name);
  }
  for (const name of ["0007-ä ö", "7", "docs/adr/0007-ä ö.md"]) {
    assert.match((await cli(["read", name])).output, /Ä/);
  }
  const missing = await cli("read 2");
  assert.equal(missing.code, 1);
  assert.match(missing.errors, /There is no record "2": the numbers are 1, 3, 7$/m);
});

test("of several folders, none is taken, and a file cannot name one outside", async (t) => {
  const twice = { ".git/HEAD": "", "docs/adr/0001-a.md": RECORD, "docs/decisions/0001-a.md": RECORD };
  enter(t, twice);
  for (const line of ["list", "check", "serve", "export agents", "config zed", "new X"]) {
    await assertFails([[
      line,
      2,
      /Several folders may have the records: docs\/adr, docs\/decisions; name one with --in/,
    ]]);
  }
  assert.equal((await cli("list --in docs/adr")).code, 0);
  enter(t, { ".git/HEAD": "", ".adr-dir": "..\n" });
  assert.match((await cli("list")).errors, /sample/);
  enter(t, { ".git/HEAD": "", "docs/adr/notes.txt": "" });
  assert.match((await cli("list")).errors, /sample/, "a folder without markdown");
});

test("no folder outside is found through a link", { skip: ON_WINDOWS }, async (t) => {
  const outside = makeFolder(t, { "adr/0001-a.md": RECORD, "resources/adr/0001-a.md": RECORD });
  for (const place of ["docs/adr", "adr", "docs/architecture", "docs"]) {
    const root = enter(t, { ".git/HEAD": "", "docs/x": "" });
    if (place === "docs") rmSync(`${root}/docs`, { recursive: true });
    symlinkSync(place.endsWith("adr") ? `${outside}/adr` : outside, `${root}/${place}`);
    assert.match((await cli("list")).errors, /sample/, place);
  }
  const root = enter(t, { ".git/HEAD": "", "real/0001-a.md": RECORD, "docs/x": "" });
  symlinkSync("../real", `${root}/docs/adr`);
  assert.equal(found((await cli("list")).errors), "docs/adr", "a link inside");
});

test(
  "files that name the folder are read in little time, whatever they are",
  { skip: ON_WINDOWS },
  async (t) => {
    const spaces = " ".repeat(4000), tabs = "\t".repeat(2000);
    for (
      const text of [
        `adrFolder:${spaces}"'`,
        `adrFolder:${tabs}x${tabs}"x`,
        `${spaces}adrFolder:${spaces}`,
        `${"\n".repeat(4000)}x`,
        `x${spaces}\nx`,
        `"${spaces}'`,
      ]
    ) {
      for (const name of [".adr-dir", ".log4brains.yml"]) {
        enter(t, { ".git/HEAD": "", [name]: text });
        assert.match((await cli("list")).errors, /sample/, `${name}: ${JSON.stringify(text)}`);
      }
    }
    const NAMES = [".adr-dir", ".log4brains.yml", "docs/adr/architrave.json"];
    for (const name of NAMES) {
      const root = enter(t, { ".git/HEAD": "", "docs/adr/0001-a.md": RECORD });
      execFileSync("mkfifo", [`${root}/${name}`]);
      assert.equal(found((await cli("list")).errors), "docs/adr", `a pipe as ${name}`);
    }
  },
);

test("every command takes a folder with --in, and those without words of their own as an operand", async (t) => {
  const root = enter(t, { "adr/0001-a.md": RECORD, "b/resources/adr/0001-b.md": RECORD });
  const operands = [
    "list FOLDER",
    "check FOLDER",
    "graph FOLDER",
    "toc FOLDER",
    "changes --since 2026-01-01 FOLDER",
    "export agents FOLDER",
    "config zed FOLDER",
  ];
  const options = [
    "read architecture://adr/1",
    "search queues",
    "decisions a.ts",
    "status 1 accepted",
    "new X",
  ];
  for (const folder of ["adr", "b"]) {
    for (
      const line of [
        ...operands,
        ...options.map((line) => `${line} --in FOLDER`),
        ...operands.map((line) => line.replace("FOLDER", "--in FOLDER")),
      ]
    ) {
      const { code, errors } = await cli(line.replace("FOLDER", folder));
      assert.equal(code, 0, `${line}: ${errors}`);
      assert.doesNotMatch(errors, /Found|sample/, line);
    }
  }
  await assertFails([
    ["list nowhere", 2, /Cannot read the folder: "nowhere" does not exist/],
    ["list adrs", 2, /Cannot read the folder: "adrs" does not exist \(did you mean adr\?\)/],
    ["list --in adrs", 2, /did you mean adr\?/],
    ["list adr --in adr", 2, /Unexpected argument "adr"/],
    ["list adr/0001-a.md", 2, /Cannot read the folder/],
  ]);
  assert.ok(root);
});

test("config and hook give a folder that was found as an absolute path", { skip: ON_WINDOWS }, async (t) => {
  const root = enter(t, {
    ".git/HEAD": "",
    "docs/adr/0001-a.md": RECORD.replace("---\n", '---\napplies-to: "**"\n'),
  });
  for (const option of ["", "--hooks"]) {
    const { output } = await cli(`config codex ${option}`);
    assert.ok(output.includes(`adr=${root}/docs/adr`), output);
    // A hook reads the files of the repository, to compare an edit with them and to guess.
    assert.equal(output.includes(`--code ${root}`), option === "--hooks", output);
  }
  const input = JSON.stringify({
    hook_event_name: "PreToolUse",
    cwd: root,
    tool_name: "Read",
    tool_input: { file_path: `${root}/a.ts` },
  });
  const { output, errors } = await cli("hook", "", { input });
  assert.match(output, /Services talk over queues/);
  assert.equal(errors, "");
});

test("a record is found by its name without the number", async (t) => {
  enter(t, { "adr/0003-use-postgresql.md": RECORD, "adr/2026-01-02-use-kafka.md": RECORD });
  for (
    const [name, full] of [["use-postgresql", "0003-use-postgresql"], ["use-kafka", "2026-01-02-use-kafka"]]
  ) {
    const { code, errors } = await cli(`read architecture://adr/${name} --in adr`);
    assert.equal(code, 1);
    assert.ok(errors.includes(`did you mean architecture://adr/${full}?`), errors);
  }
});
