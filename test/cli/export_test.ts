import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertFails, cli, editMeanwhile } from "../harness/command.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { ON_WINDOWS, REPOSITORY } from "../harness/runtime.ts";

const record = (title: string, status: string, decision: string, front = "") =>
  `---\nstatus: ${status}\ndate: 2026-07-28\n${front}---\n\n# ${title}\n\n## Context\n\nWhy.\n\n## Decision\n\n${decision}\n\n## Consequences\n\nMore.\n`;
const DOCUMENTS: Readonly<Record<string, string>> = {
  "docs/adr/0001-use-queues.md": record(
    "Use queues",
    "accepted",
    "Services talk over queues.\n\n- One topic for each event.",
    'applies-to: ["services/**/*.{ts,js}", "Makefile"]\n',
  ),
  "docs/adr/0002-use-soap.md": record("Use SOAP", "superseded by [3](0003-use-rest.md)", "We use SOAP."),
  "docs/adr/0003-use-rest.md": record("Use REST", "proposed", "We use REST."),
  "docs/adr/0004-use-graphql.md": record("Use GraphQL", "rejected", "Not worth its cost for two clients."),
  "docs/adr/template.md": record("Title", "proposed", "..."),
  "docs/guidelines/naming.md": "# Naming\n\nNames are words.\n",
};
const MOUNTS = "--mount adr=DIR/docs/adr --mount guidelines=DIR/docs/guidelines";
const contentOf = (root: string, name: string) => readFileSync(join(root, name), "utf8");
const exported = (root: string, options: string) => cli(`export ${options} --into DIR ${MOUNTS}`, root);
/** Exports to the files of an assistant; returns what is printed. */
async function write(root: string, assistant: string): Promise<string> {
  const { code, output, errors } = await exported(root, `${assistant} --write`);
  assert.equal(code, 0, errors);
  return output;
}

test("export writes an index of what holds into a new file", async (t) => {
  const root = makeFolder(t, DOCUMENTS);
  const { code, output, errors } = await exported(root, "agents --write");
  assert.deepEqual([code, output, errors], [0, `created ${root}/AGENTS.md\n`, ""]);
  // What it begins with is in the golden file.
  assert.equal(
    contentOf(root, "AGENTS.md").replace(/^<!-- architrave:begin -->\n(?:.+\n\n){2}/, ""),
    `In docs/adr/:

- 0001-use-queues.md: Services talk over queues. One topic for each event. [services/**/*.ts, services/**/*.js, **/Makefile]
- 0003-use-rest.md (proposed): We use REST.

In docs/guidelines/:

- naming.md: Names are words.

These were decided against.

In docs/adr/:

- 0004-use-graphql.md: Not worth its cost for two clients.
<!-- architrave:end -->
`,
  );
});

test("export tells a title, a number, a status and a beginning only where they say something", async (t) => {
  const root = makeFolder(t, {
    "docs/guidelines/naming.md": "# Naming\n\nNames are words.\n",
    "docs/adr/0007-queues.md": record("ADR 007: Talk over queues", "approved", "We use them."),
    "docs/adr/0012-encoding.md": record("UTF-8: the encoding", "draft", "Chosen option: UTF-8."),
    "docs/adr/0009-two-regions.md": record("9. Two regions", "final", "We decided that:\n\n- Two suffice."),
    "docs/adr/0010-x.md": "# 10. Lifecycle\n\nStatus: Accepted\n\n## What\n\nThis ADR defines how it ends.\n",
  });
  const { output } = await exported(root, "agents");
  assert.deepEqual(Array.from(output.matchAll(/^\+- (\d.*)$/gm), ([, line]) => line), [
    "0007-queues.md: Talk over queues: We use them.",
    "0009-two-regions.md: Two suffice.",
    "0010-x.md: Lifecycle: how it ends.",
    "0012-encoding.md: UTF-8: the encoding (draft): UTF-8.",
  ]);
});

test("export keeps everything outside of its markers, byte for byte", async (t) => {
  const texts = ["# Ours", "# Ours\n", "\ufeff# Ours\r\n\r\nDo this.\r\n", "", "# Ours\n\n\n"];
  for (const before of texts) {
    const root = makeFolder(t, { ...DOCUMENTS, "CLAUDE.md": before });
    await write(root, "claude");
    const first = contentOf(root, "CLAUDE.md");
    assert.ok(first.startsWith(before), JSON.stringify(first));
    if (before.includes("\r\n")) assert.doesNotMatch(first, /(?<!\r)\n/);
    // The part is replaced where it stands, and only it.
    writeFileSync(join(root, "CLAUDE.md"), `${first}# After\n  `);
    rmSync(join(root, "docs/adr/0003-use-rest.md"));
    await write(root, "claude");
    const second = contentOf(root, "CLAUDE.md");
    const line = /- 0003[^\n]*\n/;
    assert.match(first, line);
    assert.equal(second, `${first.replace(line, "")}# After\n  `);
    assert.equal(await write(root, "claude"), "There is nothing to change.\n");
  }
});

test("export refuses a file whose markers are not a pair", async (t) => {
  const [begin, end] = ["<!-- architrave:begin -->", "<!-- architrave:end -->"];
  for (const text of [begin, end, `${end}\n${begin}`, `${begin}${begin}${end}`, `${begin}${end}${end}`]) {
    const root = makeFolder(t, { ...DOCUMENTS, "AGENTS.md": text });
    const reason = /Cannot change "AGENTS\.md": it must have <!-- architrave:begin --> once/;
    await assertFails([[`export agents --into DIR ${MOUNTS} --write`, 1, reason]], root);
    assert.equal(contentOf(root, "AGENTS.md"), text);
  }
});

test("export writes a rule for each document that applies to files", async (t) => {
  const about = '"Services talk over queues. One topic for each event."';
  const globs = ["services/**/*.ts", "services/**/*.js", "**/Makefile"];
  const list = globs.map((glob) => `\n  - "${glob}"`).join(""), joined = globs.join(",");
  const cases: [client: string, rule: string, head: string, index?: string][] = [
    ["claude", ".claude/rules/*.md", `paths:${list}`, "CLAUDE.md"],
    ["cursor", ".cursor/rules/*.mdc", `description: ${about}\nglobs: ${joined}\nalwaysApply: false`],
    [
      "copilot",
      ".github/instructions/*.instructions.md",
      `applyTo: "${joined}"`,
      ".github/copilot-instructions.md",
    ],
    ["kiro", ".kiro/steering/*.md", `inclusion: fileMatch\nfileMatchPattern:${list}`],
    ["windsurf", ".windsurf/rules/*.md", `trigger: glob\ndescription: ${about}\nglobs: "${joined}"`],
  ];
  for (const [client, pattern, head, index = pattern.replace("*", "architrave")] of cases) {
    const root = makeFolder(t, DOCUMENTS), rule = pattern.replace("*", "architrave-adr-0001-use-queues");
    const printed = (await write(root, client)).trim().split("\n");
    assert.deepEqual(printed.sort(), [`created ${root}/${rule}`, `created ${root}/${index}`].sort());
    assert.equal(
      contentOf(root, rule),
      `---
${head}
---
<!-- architrave:begin -->
# Use queues

Services talk over queues.

- One topic for each event.

Read all of it before you change these files: docs/adr/0001-use-queues.md
<!-- architrave:end -->
`,
    );
    assert.match(contentOf(root, index), /^- 0001-use-queues\.md: /m);
  }
});

test("export renews the patterns of a rule, and deletes the rules of documents that hold no longer", async (t) => {
  const root = makeFolder(t, { ...DOCUMENTS, ".kiro/steering/architrave-own.md": "# Written by hand\n" });
  await write(root, "kiro");
  const rule = ".kiro/steering/architrave-adr-0001-use-queues.md";
  writeFileSync(join(root, rule), `${contentOf(root, rule)}Kept.\n`);
  const name = "docs/adr/0001-use-queues.md";
  writeFiles(root, { [name]: contentOf(root, name).replace("Makefile", "justfile") });
  await write(root, "kiro");
  assert.match(contentOf(root, rule), /^---\ninclusion: [^]*"\*\*\/justfile"\n---\n<!--[^]*-->\nKept\.\n$/);
  writeFiles(root, { [name]: contentOf(root, name).replace("accepted", "deprecated") });
  await write(root, "kiro");
  assert.equal(contentOf(root, rule), "Kept.\n", "what was added to the rule");
  writeFiles(root, { [name]: contentOf(root, name).replace("deprecated", "accepted") });
  rmSync(join(root, rule));
  await write(root, "kiro");
  rmSync(join(root, name));
  assert.match((await exported(root, "kiro")).output, /^\+\+\+ \/dev\/null$/m);
  assert.ok((await write(root, "kiro")).split("\n").includes(`deleted ${root}/${rule}`));
  assert.ok(!existsSync(join(root, rule)));
  assert.equal(contentOf(root, ".kiro/steering/architrave-own.md"), "# Written by hand\n");
});

test("export deletes nothing through a link, and nothing that it did not make", async (t) => {
  const own = "See <!-- architrave:begin --> in the documents.\n";
  const files = { "CLAUDE.md": "Ours.\n", ".claude/rules/architrave-notes.md": own };
  const root = makeFolder(t, { ...DOCUMENTS, ...files });
  await write(root, "claude");
  symlinkSync("../../CLAUDE.md", join(root, ".claude/rules/architrave-all.md"));
  assert.equal(await write(root, "claude"), "There is nothing to change.\n");
  assert.match(contentOf(root, "CLAUDE.md"), /^Ours\.\n\n<!--/);
  assert.equal(contentOf(root, ".claude/rules/architrave-notes.md"), own);
});

const UNDONE =
  "export replaces and deletes no read-only file, and an undone deletion leaves the file as it was";
test(UNDONE, { skip: ON_WINDOWS }, async (t) => {
  const root = makeFolder(t, DOCUMENTS);
  writeFiles(root, { "docs/adr/0005-x.md": record("X", "accepted", "Yes.", "applies-to: x.ts\n") });
  await write(root, "claude");
  const first = ".claude/rules/architrave-adr-0001-use-queues.md";
  const second = ".claude/rules/architrave-adr-0005-x.md";
  const before = [first, second].map((rule) => contentOf(root, rule));
  writeFiles(root, { "docs/guidelines/naming.md": "# Naming\n\nOther.\n" });
  rmSync(join(root, "docs/adr/0001-use-queues.md"));
  rmSync(join(root, "docs/adr/0005-x.md"));
  for (const name of ["CLAUDE.md", second]) {
    chmodSync(join(root, name), 0o444);
    const reason = new RegExp(`Cannot write "${root}/${name}": its permissions do not allow it; change`);
    await assertFails([[`export claude --into DIR ${MOUNTS} --write`, 1, reason]], root);
    assert.deepEqual([first, second].map((rule) => contentOf(root, rule)), before);
    chmodSync(join(root, name), 0o644);
  }
  chmodSync(join(root, first), 0o640);
  const reads = await editMeanwhile(`export claude --into DIR ${MOUNTS} --write`, root, second, () => {
    assert.equal(contentOf(root, first), before[0]);
    assert.equal(statSync(join(root, first)).mode & 0o777, 0o640);
  });
  assert.ok(reads > 2, "it is read again before each step");
  assert.ok(!existsSync(join(root, first)));
});

test("export repairs the front matter of a rule, behind a byte order mark too", async (t) => {
  const rule = ".kiro/steering/architrave-adr-0001-use-queues.md";
  const root = makeFolder(t, DOCUMENTS);
  await write(root, "kiro");
  const whole = contentOf(root, rule);
  const rows: [damaged: string, repaired: string][] = [
    [whole.slice(whole.indexOf("<!--")), whole],
    [`\ufeff${whole.replace("Makefile", "other")}`, `\ufeff${whole}`],
    [whole.replace("inclusion", "exclusion"), whole],
  ];
  for (const [damaged, repaired] of rows) {
    writeFileSync(join(root, rule), damaged);
    assert.equal((await exported(root, "kiro --check")).code, 1);
    await write(root, "kiro");
    assert.equal(contentOf(root, rule), repaired);
  }
});

test("export takes awkward text and patterns as they are, twice in a row, or leaves them out", async (t) => {
  const patterns = ["app/$$.tsx", "a b#/*.ts", "a,b.ts", "!lib/**", "../up/*.ts", "@scope/**"];
  patterns.push("packages/@scope/*.ts", "  ", "<!-- architrave:end -->/**", "y\\nz: 1");
  const root = makeFolder(t, {
    "docs/adr/0001-x.md": record(
      "@~/.ssh/id_rsa $& $$",
      "accepted",
      "It costs $& and $$1, see @~/.ssh/id_rsa and `@scope/pkg`:\n\n```ts\nconst x = 1;\n```\n\n<!-- no -->\nThe end 👨‍👩‍👧.",
      `applies-to: [${patterns.map((pattern) => `"${pattern}"`).join(", ")}]\n`,
    ),
    [`docs/adr/0002-${"é".repeat(120)}.md`]: record(
      "Long",
      "accepted",
      "Yes.",
      "title: A <!-- architrave:end -->\napplies-to: x.ts\n",
    ),
    "docs/guidelines/naming.md": "# Naming\n",
  });
  for (const client of ["agents", "claude", "gemini", "cursor", "copilot", "kiro", "windsurf"]) {
    await write(root, client);
    assert.equal((await exported(root, `${client} --check`)).code, 0, client);
  }
  const rule = contentOf(root, ".claude/rules/architrave-adr-0001-x.md");
  assert.match(
    rule,
    /^---\npaths:\n {2}- "app\/\$\$\.tsx"\n {2}- "a b#\/\*\.ts"\n {2}- "\*\*\/a,b\.ts"\n {2}- "@scope\/\*\*"\n {2}- "packages\/@scope\/\*\.ts"\n---\n/,
  );
  assert.match(
    rule,
    /It costs \$& and \$\$1, see `@`~\/\.ssh\/id_rsa and `@scope\/pkg`:\n\n```ts\nconst x = 1;\n```\n\n\nThe end 👨‍👩‍👧\./u,
  );
  const { errors } = await exported(root, "cursor");
  assert.match(
    errors,
    /No rule can have these patterns.* \*\*\/a,b\.ts !lib\/\*\* \.\.\/up\/\*\.ts \*\*\/ <!-- architrave:end -->\/\*\* .*y.*z: 1\n$/,
  );
  const plain = record("X", "accepted", "Yes.", 'applies-to: ["@a/**", "b/@c"]\n');
  writeFiles(root, { "docs/adr/0001-x.md": plain });
  // An assistant must not read a file that a pattern names.
  assert.match((await exported(root, "agents")).output, /Yes\. \[`@`a\/\*\*, b\/@c\]/);
});

test("export names what it cannot use", async (t) => {
  const files = { "empty/README.md": "# No document\n", "file": "", "AGENTS.md/x": "" };
  const root = makeFolder(t, { ...DOCUMENTS, ...files });
  const into = `--into DIR ${MOUNTS}`,
    taken = /Cannot create ".*AGENTS\.md": it exists, and is not overwritten/;
  await assertFails([
    [`export agents --into DIR/missing ${MOUNTS}`, 2, /Cannot read --into: ".*missing" does not exist/],
    [`export agents --into DIR/file ${MOUNTS}`, 2, /Cannot read --into: ".*file" is not a folder/],
    [`export agents ${into} --write --check`, 2, /Use either --write or --check/],
    ["export agents --into DIR --mount adr=DIR/empty", 2, /There are no documents in force in .*empty/],
    [`export agents ${into} --write`, 1, taken],
    [`export agent ${MOUNTS}`, 2, /did you mean agents\?/],
  ], root);
  if (ON_WINDOWS) return;
  symlinkSync(join(makeFolder(t, { "x.md": "Elsewhere.\n" }), "x.md"), join(root, "GEMINI.md"));
  const linked = /Cannot create ".*[^/]\/GEMINI\.md": it exists, and is not overwritten/;
  await assertFails([[`export gemini --into DIR/ ${MOUNTS}`, 1, linked]], root);
});

test("export leaves its own files out of the index", async (t) => {
  const root = makeFolder(t, DOCUMENTS);
  const line = "export claude --into DIR --mount all=DIR";
  for (const run of ["--write", "--check"]) assert.equal((await cli(`${line} ${run}`, root)).code, 0, run);
  assert.doesNotMatch(contentOf(root, "CLAUDE.md"), /CLAUDE/);
});

test("export never writes over a rule that it did not make", async (t) => {
  const rule = ".claude/rules/architrave-adr-0001-use-queues.md";
  const root = makeFolder(t, { ...DOCUMENTS, [rule]: "# Ours\n" });
  const reason = /rename it if it is yours, else delete it/;
  await assertFails([[`export claude --into DIR ${MOUNTS} --write`, 1, reason]], root);
  assert.equal(contentOf(root, rule), "# Ours\n");
  assert.ok(!existsSync(join(root, "CLAUDE.md")));
});

test("export --check fails with a diff until the files are current", async (t) => {
  const root = makeFolder(t, DOCUMENTS);
  const stale = await exported(root, "claude --check");
  assert.equal(stale.code, 1);
  assert.match(stale.output, /^\+- 0001-use-queues\.md/m);
  assert.match(stale.errors, /2 files are not current: --write in place of --check changes them/);
  await write(root, "claude");
  assert.equal((await exported(root, "claude --check")).code, 0);
  rmSync(join(root, "docs/guidelines/naming.md"));
  const again = await exported(root, "claude --check");
  assert.deepEqual([again.code, /^-- naming\.md/m.test(again.output)], [1, true]);
});

test("export names documents outside of the repository by URI, and says how to read them", async (t) => {
  const [root, elsewhere] = [makeFolder(t), makeFolder(t, DOCUMENTS)];
  const { output } = await cli(["export", "agents", "--into", root, ...MOUNTS.split(" ")], elsewhere);
  assert.match(output, /^\+In architecture:\/\/adr\/:$[^]*^\+- 0001-use-queues: /m);
  assert.match(output, /Read a URI with the tool read_document\./);
});

test("export shortens all documents alike until the index fits", async (t) => {
  const many = Array.from({ length: 640 }, (_, index): [string, string] => {
    const number = String(index + 1).padStart(4, "0");
    const text = record(`Decision ${number}`, "accepted", "Because of this. ".repeat(30));
    return [`docs/adr/${number}-decision.md`, text];
  });
  for (const count of [20, 60, 640]) {
    const root = makeFolder(t, Object.fromEntries(many.slice(0, count)));
    writeFiles(root, { "docs/guidelines/naming.md": "# Naming\n" });
    await write(root, "agents");
    const text = contentOf(root, "AGENTS.md");
    const size = new TextEncoder().encode(text).length;
    assert.ok(size <= 8192 + 64 && size > Math.min(8000, count * 100), `${size} bytes`);
    assert.match(text, /^- naming\.md/m);
    const lines = text.split("\n").filter((line) => /^- \d/.test(line));
    const lengths = lines.map(({ length }) => length);
    assert.ok(Math.max(...lengths) - Math.min(...lengths) < 5);
    const missing = Number(/^(\d+) more documents? (?:is|are) not listed/m.exec(text)?.[1] ?? 0);
    assert.equal(lines.length + missing, count);
    if (missing > 0) assert.match(text, /^- 0640-/m);
    const { output } = await exported(root, "agents --max-bytes 1024");
    const after = Array.from(output.matchAll(/^[+ ](.*)/gm), ([, line]) => line).join("\n");
    assert.ok(after.length < 1400, `${after.length}`);
  }
});

test("export lets no document end the generated part or steer a terminal", async (t) => {
  const title = "Bad <!-- architrave:end --> \u001b[31m";
  const root = makeFolder(t, {
    "docs/adr/0001-x.md": record(title, "accepted", `Yes ${title}\n\n<b>`, "applies-to: x.ts\n"),
    "docs/guidelines/naming.md": "# Naming\n",
  });
  for (const client of ["agents", "claude"]) {
    await write(root, client);
    assert.equal(await write(root, client), "There is nothing to change.\n");
  }
  const files = ["AGENTS.md", "CLAUDE.md", ".claude/rules/architrave-adr-0001-x.md"];
  for (const text of files.map((name) => contentOf(root, name))) {
    assert.equal(text.split("<!-- architrave:end -->").length, 2);
    assert.ok(!text.includes("\u001b"));
  }
});

test("export of the documents of this repository fits into 8 KB", async (t) => {
  const root = makeFolder(t);
  const { code, output } = await cli(`export agents --into DIR --root ${REPOSITORY}/mcp`, root);
  assert.equal(code, 0);
  assert.ok(new TextEncoder().encode(output).length < 8192 + 1024);
  assert.match(output, /^\+- 001-zero-runtime-dependencies: .*\[.*package\.json/m);
});

test("export never writes the sample into a repository", async (t) => {
  const { code, output, errors } = await cli("export agents --into DIR --write", makeFolder(t));
  assert.deepEqual([code, output], [2, ""]);
  assert.match(errors, /Cannot export the sample: name a folder of markdown with --mount NAME=DIR/);
});
