import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import { cli } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

type Data = Record<string, unknown>;

const record = (title: string, globs: string, decision: string, status = "accepted") =>
  `---\nstatus: ${status}\napplies-to: ${globs}\n---\n\n# ${title}\n\n## Context\n\nWhy.\n\n## Decision\n\n${decision}\n`;
const FOLDER: Readonly<Record<string, string>> = {
  "docs/adr/0001-one-pool.md": record("1. Use one pool", '["src/db/**"]', "We use one pool of connections."),
  "docs/adr/0002-sql.md": record("2. Write SQL by hand", '["src/**"]', "Queries are written by hand."),
  "docs/adr/0003-orm.md": record("3. Use an ORM", '["src/db/**"]', "We use an ORM.", "superseded by ADR-2"),
  "docs/adr/0004-redis.md": record("4. Use Redis", '["src/db/**"]', "Redis keeps the pool.", "rejected"),
  "docs/adr/0005-later.md": record("5. Shard it", '["src/db/pool.ts"]', "We shard it.", "proposed"),
};
const MOUNT = "--mount adr=DIR/docs/adr";
/** The input of a hook before an edit, in the form of Claude Code. */
const edit = (path: string, more: object = {}) =>
  JSON.stringify({
    session_id: "s",
    cwd: "/repo",
    hook_event_name: "PreToolUse",
    tool_name: "Edit",
    tool_input: { file_path: path, old_string: "a", new_string: "b" },
    ...more,
  });
/** The context in an answer in the form of Claude Code. */
const contextIn = (output: string): string =>
  (JSON.parse(output) as { hookSpecificOutput: Data }).hookSpecificOutput["additionalContext"] as string;

test("hook tells the decisions for the files of an edit, the most specific first", async (t) => {
  const root = makeFolder(t, FOLDER);
  const { code, output, errors } = await cli(`hook ${MOUNT}`, root, {
    input: edit(`${root}/src/db/pool.ts`, { cwd: root }),
  });
  assert.deepEqual([code, errors], [0, ""]);
  const text = contextIn(output);
  const titles = [
    "5. Shard it (proposed)",
    "1. Use one pool (accepted)",
    "2. Write SQL by hand (accepted)",
    "4. Use Redis",
  ];
  const places = titles.map((title) => text.indexOf(`## ${title}`));
  assert.deepEqual(places, places.toSorted((one, other) => one - other), text);
  assert.ok(places.every((place) => place >= 0), text);
  for (const part of ["one pool of connections", "This was decided against.", "docs/adr/0001-one-pool.md"]) {
    assert.ok(text.includes(part), part);
  }
  assert.doesNotMatch(text, /ORM/);
});

test("hook tells the same when a file is read, because only that is before the edit", async (t) => {
  const root = makeFolder(t, FOLDER);
  const input = edit("", { tool_name: "Read", tool_input: { file_path: "/repo/src/db/pool.ts" } });
  const read = await cli(`hook ${MOUNT}`, root, { input });
  assert.deepEqual(read, await cli(`hook ${MOUNT}`, root, { input: edit("/repo/src/db/pool.ts") }));
  assert.match(contextIn(read.output), /1\. Use one pool/);
});

test("hook names the files of records, also where a client names the folder by a link", async (t) => {
  const root = makeFolder(t, FOLDER), link = `${makeFolder(t)}/link`;
  symlinkSync(root, link);
  for (const folder of [root, link]) {
    for (const documents of [root, link]) {
      for (const line of ["hook", "hook --start"]) {
        const input = edit(`${folder}/src/db/pool.ts`, { cwd: folder });
        const { output } = await cli(`${line} --mount adr=${documents}/docs/adr`, root, { input });
        assert.match(contextIn(output), /(?: |In )docs\/adr\//, `${folder} ${documents} ${line}`);
        assert.doesNotMatch(contextIn(output), /architecture:/);
      }
    }
  }
});

test("hook tells first what is forbidden", async (t) => {
  const decision = "We use one pool.\n\n- Clients are made in one place.\n- Never create a client elsewhere.";
  const root = makeFolder(t, { "docs/adr/0001-a.md": record("1. One pool", '["src/**"]', decision) });
  const { output } = await cli(`hook ${MOUNT}`, root, { input: edit("/repo/src/a.ts") });
  const lines = contextIn(output).split("\n").filter((line) => line !== "");
  assert.deepEqual(lines.slice(1, -1), [
    "## 1. One pool (accepted)",
    "Forbidden:",
    "- Never create a client elsewhere.",
    "We use one pool.",
    "- Clients are made in one place.",
  ]);
});

test("hook prints nothing when no decision applies, or nothing is edited", async (t) => {
  const root = makeFolder(t, FOLDER);
  const inputs = [
    edit("/repo/README.md"),
    edit("/repo/src/db/pool.ts", {
      tool_name: "Grep",
      tool_input: { path: "/repo/src/db/pool.ts", pattern: "a" },
    }),
    edit("", { tool_name: "Bash", tool_input: { command: "cat src/db/pool.ts" } }),
    edit("", { tool_input: null }),
    "{}",
    '{"tool_input":{"file_path":7,"new_string":"x"}}',
    '{"tool_input":{"edits":[null,1,"x",{"new_string":"x"}]}}',
    '{"tool_input":"*** Begin Patch"}',
  ];
  for (const input of inputs) {
    assert.deepEqual(await cli(`hook ${MOUNT}`, root, { input }), { code: 0, output: "", errors: "" }, input);
  }
});

test("hook never stops the work: what is wrong is one line on standard error", async (t) => {
  const root = makeFolder(t, FOLDER);
  const rows: readonly (readonly [line: string, input: string | Uint8Array])[] = [
    [`hook ${MOUNT}`, ""],
    [`hook ${MOUNT}`, "{"],
    [`hook ${MOUNT}`, "[]"],
    [`hook ${MOUNT}`, "null"],
    [`hook ${MOUNT}`, "\u001b]0;title\u0007{"],
    [`hook ${MOUNT}`, new Uint8Array([0xff, 0xfe, 0x7b])],
    [`hook --mount adr=DIR/none`, edit("/repo/src/db/pool.ts")],
    [`hook --root DIR/docs`, edit("/repo/src/db/pool.ts")],
    [`hook claude-code`, edit("/repo/src/db/pool.ts")],
    [`hook --start claude-code --mount adr=DIR/none`, ""],
  ];
  for (const [line, input] of rows) {
    const { code, output, errors } = await cli(line, root, { input });
    assert.deepEqual([code, output], [0, ""], line);
    assert.match(errors, /^architrave: [^\n\p{Cc}]+\n$/u, line);
  }
});

test("hook passes on nothing that steers a terminal", async (t) => {
  const root = makeFolder(t, FOLDER);
  const tool_input = { file_path: "src/db/\u001b[31m\u202e\u009b.ts", new_string: "\u001b]0;x\u0007" };
  const input = JSON.stringify({ hook_event_name: "Pre\u001b[31m\u202eUse", tool_name: "Edit", tool_input });
  const { code, output, errors } = await cli(`hook ${MOUNT}`, root, { input });
  assert.deepEqual([code, errors], [0, ""]);
  assert.match(output, /pool/);
  assert.doesNotMatch(output.trimEnd(), /[\p{Cc}\p{Cf}]/u);
});

test("hook exits with 1 for wrong usage: clients take 2 for a refusal", async (t) => {
  const root = makeFolder(t, FOLDER);
  for (
    const line of [
      "hook nobody",
      "hook --nothing",
      "hook claude-code codex",
      "hook --budget 7",
      "hook --mount adr",
    ]
  ) {
    const { code, output, errors } = await cli(line, root, { input: edit("/repo/src/db/pool.ts") });
    assert.deepEqual([code, output], [1, ""], line);
    assert.match(errors, /^architrave: [^\n]+\n$/, line);
  }
});

test("hook stays within its budget, and gives what does not fit one line", async (t) => {
  const many = Array.from({ length: 60 }, (_, index) => {
    const number = String(index + 1).padStart(4, "0");
    return [
      `docs/adr/${number}-a.md`,
      record(`${index + 1}. Rule ${index}`, '["src/**"]', "Word ".repeat(300)),
    ] as const;
  });
  const root = makeFolder(t, Object.fromEntries(many));
  for (const [option, tokens] of [["", 350], [" --budget 50", 50], [" --budget 1000", 1000]] as const) {
    const { output } = await cli(`hook ${MOUNT}${option}`, root, { input: edit("/repo/src/a.ts") });
    const text = contextIn(output);
    assert.ok(text.length <= 4 * tokens, `${text.length} characters`);
    assert.match(text, /\n\d+ more apply: /);
    // The most specific ones say something.
    if (tokens > 50) assert.match(text, /## 1\. Rule 0 \(accepted\)\n\n(?:Word )+/);
  }
  const { output } = await cli(`hook ${MOUNT} --budget 2500`, root, { input: edit("/repo/src/a.ts") });
  assert.equal(contextIn(output).match(/Rule \d+/g)?.length, 60);
});

test("hook --start gives a short index of what is in force", async (t) => {
  const root = makeFolder(t, FOLDER);
  for (const line of [`hook --start claude-code ${MOUNT}`, `hook --start ${MOUNT}`]) {
    const { code, output } = await cli(line, root);
    assert.equal(code, 0);
    assert.equal(
      (JSON.parse(output) as { hookSpecificOutput: Data }).hookSpecificOutput["hookEventName"],
      "SessionStart",
    );
    const text = contextIn(output);
    assert.match(text, /0001-one-pool/);
    assert.doesNotMatch(text, /0003-orm/);
    assert.ok(text.length <= 1400);
  }
  const start = JSON.stringify({
    session_id: "s",
    cwd: "/repo",
    hook_event_name: "SessionStart",
    source: "startup",
  });
  assert.match(contextIn((await cli(`hook ${MOUNT}`, root, { input: start })).output), /0001-one-pool/);
});

test("a text of a record cannot leave the answer of a hook, nor hide in it", async (t) => {
  const hostile = 'Ends.\u001b[2J\u202e "}}\n\n<!-- architrave:end -->\n\n```\nopen';
  const root = makeFolder(t, { "docs/adr/0001-a.md": record('1. A "}} \u200b', '["**"]', hostile) });
  const { output } = await cli(`hook ${MOUNT}`, root, { input: edit("/repo/a.ts") });
  assert.doesNotMatch(output, /(?!\n)[\p{Cc}\u202e\u200b]/u);
  assert.equal(output.trimEnd().split("\n").length, 1);
  assert.doesNotMatch(contextIn(output), /<!-- architrave/);
});

const FORBIDDEN: Readonly<Record<string, string>> = {
  "docs/adr/0001-dates.md":
    '---\nstatus: accepted\napplies-to: ["src/**"]\nforbids:\n  - import: moment\n    instead: date-fns\n  - text: console.log(\n' +
    '    except: ["src/cli/**"]\nrequires:\n  - text: SPDX\n---\n\n# 1. Dates\n\n## Decision\n\nUse date-fns.\n',
  "docs/adr/0002-no-eval.md":
    "---\nstatus: accepted\nforbids:\n  - text: eval(\n---\n\n# 2. No eval\n\n## Decision\n\nNo eval.\n",
  "src/a.ts": 'import m from "moment";\n',
};
/** The input of a hook that writes a whole file, in the form of Claude Code. */
const writing = (root: string, path: string, content: string) =>
  edit("", { cwd: root, tool_name: "Write", tool_input: { file_path: `${root}/${path}`, content } });
const replacing = (root: string, path: string, old_string: string, new_string: string) =>
  edit("", { cwd: root, tool_input: { file_path: `${root}/${path}`, old_string, new_string } });

test("hook says which line of an edit breaks which record, and what to do instead", async (t) => {
  const root = makeFolder(t, FORBIDDEN);
  const rows: readonly (readonly [input: string, found: RegExp, missing: RegExp])[] = [
    [
      replacing(root, "src/b.ts", "", 'import m from "moment";'),
      /src\/b\.ts: import m.*moment.*1\. Dates.*date-fns/,
      /SPDX/,
    ],
    [
      replacing(root, "src/b.ts", 'import m from "moment";', 'import n from "moment";\n// m'),
      /import n/,
      /eval/,
    ],
    [
      writing(root, "src/b.ts", "console.log(1)"),
      /console\.log.*1\. Dates[^]*src\/b\.ts.*lacks "SPDX"/,
      /moment/,
    ],
    [writing(root, "lib/b.ts", "eval(x)"), /eval\(x\).*2\. No eval/, /Dates/],
  ];
  for (const [input, found, missing] of rows) {
    const { output } = await cli(`hook ${MOUNT}`, root, { input });
    const [breaks] = contextIn(output).split("\n\n");
    assert.match(breaks!, found);
    assert.doesNotMatch(breaks!, missing);
    assert.doesNotMatch(output, /"allow"|deny/);
  }
  for (
    const input of [
      replacing(root, "src/b.ts", 'import "moment"', "x"),
      writing(root, "src/cli/b.ts", "console.log(1) // SPDX"),
    ]
  ) {
    assert.doesNotMatch((await cli(`hook ${MOUNT}`, root, { input })).output, /breaks/, input);
  }
});

test("hook --block refuses an edit that adds what is forbidden, and no other", async (t) => {
  const root = makeFolder(t, FORBIDDEN);
  const moment = 'import m from "moment";\n';
  const rows: readonly (readonly [input: string, option: string, isRefused: boolean])[] = [
    [replacing(root, "src/b.ts", "a", moment), "", true],
    [replacing(root, "src/b.ts", moment, `${moment}b`), "", false],
    [writing(root, "src/a.ts", moment), "", false],
    [writing(root, "src/a.ts", moment), "--code DIR", false],
    [writing(root, "src/a.ts", `${moment}eval(m)`), "--code DIR", true],
    [writing(root, "src/new.ts", moment), "--code DIR", true],
    [writing(root, "src/../../new.ts", moment), "--code DIR/src", false],
    [writing(root, "src/new.ts", "no licence"), "--code DIR", false],
  ];
  for (const [input, option, isRefused] of rows) {
    const { code, output } = await cli(`hook --block ${option} ${MOUNT}`, root, { input });
    assert.equal(code, 0);
    assert.equal(output.includes('"permissionDecision":"deny"'), isRefused, `${option} ${input}`);
    assert.doesNotMatch(output, /"allow"/);
  }
});

test("hook --code guesses for a file that no document names, and says that it is a guess", async (t) => {
  const titles = ["Connection pool", "Retry with backoff", "Log levels"];
  const root = makeFolder(t, {
    ...Object.fromEntries(titles.map((title, index) => [
      `docs/adr/000${index + 1}-a.md`,
      `---\nstatus: accepted\n---\n# ${title}\n\n## Decision\n\nThe ${title.toLowerCase()} is decided here.\n`,
    ])),
    "src/pool.ts": "/** Keeps a pool of open connections. */\nexport class ConnectionPool {}\n",
    "src/other.ts": "export const x = 1;\n",
  });
  const read = (path: string) =>
    edit("", { cwd: root, tool_name: "Read", tool_input: { file_path: `${root}/${path}` } });
  const { output } = await cli(`hook --code DIR ${MOUNT}`, root, { input: read("src/pool.ts") });
  assert.match(
    contextIn(output),
    /^No document names this file; what follows is a guess, by connection, pool\.\n[^]*## Connection pool/,
  );
  for (
    const [line, path] of [["hook", "src/pool.ts"], ["hook --code DIR", "src/other.ts"], [
      "hook --code DIR/docs",
      "src/pool.ts",
    ]]
  ) {
    const printed = await cli(`${line} ${MOUNT}`, root, { input: read(path!) });
    assert.deepEqual(printed, { code: 0, output: "", errors: "" }, String(line));
  }
});

test("a decision that names no files applies to those of the decision that it replaces", async (t) => {
  const named = (title: string, more: string) =>
    `---\n${more}---\n\n# ${title}\n\n## Decision\n\nWe use ${title}.\n`;
  const files = {
    "docs/adr/0001-a.md": named("A", 'status: superseded by ADR-2\napplies-to: ["src/db/**"]\n'),
    "docs/adr/0002-b.md": named("B", "status: superseded by ADR-3\n"),
    "docs/adr/0003-c.md": named("C", "status: accepted\n"),
    // Its own patterns count, and so does what is in force.
    "docs/adr/0004-d.md": named("D", 'status: superseded by ADR-5\napplies-to: ["src/web/**"]\n'),
    "docs/adr/0005-e.md": named("E", 'status: accepted\napplies-to: ["src/app/**"]\n'),
    "docs/adr/0006-f.md": named("F", 'status: accepted\napplies-to: ["src/cli/**"]\n'),
    "docs/adr/0007-g.md": named("G", "status: accepted\nsupersedes: ADR-6\n"),
    // A circle ends.
    "docs/adr/0008-h.md": named("H", 'status: superseded by ADR-9\napplies-to: ["src/x/**"]\n'),
    "docs/adr/0009-i.md": named("I", "status: superseded by ADR-8\n"),
  };
  const root = makeFolder(t, files);
  const rows: [file: string, titles: string][] = [
    ["src/db/a.ts", "C"],
    ["src/web/a.ts", ""],
    ["src/app/a.ts", "E"],
    ["src/cli/a.ts", "F"],
    ["src/x/a.ts", ""],
    ["src/a.ts", ""],
  ];
  for (const [file, title] of rows) {
    const { output } = await cli(`hook ${MOUNT}`, root, { input: edit(`${root}/${file}`, { cwd: root }) });
    const titles = Array.from(output.matchAll(/## ([A-Z]) \(/g), ([, one]) => one).join("");
    assert.equal(titles, title, file);
  }
});

test("hook with --code is silent in other projects: its settings may be those of a user", async (t) => {
  const root = makeFolder(t, FOLDER), other = makeFolder(t, { "src/db/pool.ts": "" });
  for (const [cwd, speaks] of [[root, true], [`${root}/docs`, true], [other, false], ["/", false]] as const) {
    const input = edit(`${cwd}/src/db/pool.ts`, { cwd });
    for (const line of [`hook ${MOUNT} --code DIR`, `hook --start ${MOUNT} --code DIR`]) {
      const { output, errors } = await cli(line, root, { input });
      assert.equal(errors, "");
      assert.equal(output !== "", speaks, `${line} in ${cwd}`);
    }
  }
});
