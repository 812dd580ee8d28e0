import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertFails, cli, editMeanwhile } from "../harness/command.ts";
import { toHtml } from "../../lib/formats/markdown/render.ts";
import { filesIn, makeFolder, writeFiles } from "../harness/folder.ts";
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
    rmSync(join(root, "docs/guidelines/naming.md"));
    await write(root, "claude");
    const second = contentOf(root, "CLAUDE.md");
    const part = /In docs\/guidelines\/:\r?\n\r?\n- naming[^\n]*\n\r?\n/;
    assert.match(first, part);
    assert.match(first, /What is marked as proposed is not decided yet\.\r?\n/);
    assert.equal(second, `${first.replace(part, "")}# After\n  `);
    assert.equal(await write(root, "claude"), "There is nothing to change.\n");
  }
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
      "Yes <!-- architrave:end --> \u001b[31m\n\n<b>",
      'title: "A <!-- architrave:end --> \\e[31m"\napplies-to: x.ts\n',
    ),
    "docs/guidelines/naming.md": "# Naming\n",
  });
  for (const client of ["agents", "claude", "gemini", "cursor", "copilot", "kiro", "windsurf"]) {
    await write(root, client);
    assert.equal((await exported(root, `${client} --check`)).code, 0, client);
  }
  for (const [name, text] of Object.entries(filesIn(root))) {
    if (name.startsWith("docs/")) continue;
    assert.equal(text.split("<!-- architrave:end -->").length, 2, name);
    assert.ok(!text.includes("\u001b"), name);
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

test("export names what it cannot use, and writes nothing then", async (t) => {
  const [begin, end] = ["<!-- architrave:begin -->", "<!-- architrave:end -->"];
  const unpaired = [begin, end, `${end}\n${begin}`, `${begin}${begin}${end}`, `${begin}${end}${end}`];
  const rule = ".claude/rules/architrave-adr-0001-use-queues.md";
  const root = makeFolder(t, {
    ...DOCUMENTS,
    ...{ "empty/README.md": "# No document\n", "file": "", "AGENTS.md/x": "", [rule]: "# Ours\n" },
    ...Object.fromEntries(unpaired.map((text, index) => [`${index}/AGENTS.md`, text])),
  });
  const before = filesIn(root);
  const into = `--into DIR ${MOUNTS}`,
    taken = /Cannot create ".*AGENTS\.md": it exists, and is not overwritten/;
  const pair = /Cannot change ".*AGENTS\.md": it must have <!-- architrave:begin --> once, .* delete both/;
  await assertFails([
    ...unpaired.map((_, at) => [`export agents --into DIR/${at} ${MOUNTS} --write`, 1, pair] as const),
    [`export claude ${into} --write`, 1, /rename it if it is yours, else delete it/],
    [`export agents --into DIR/missing ${MOUNTS}`, 2, /Cannot read --into: ".*missing" does not exist/],
    [`export agents --into DIR/file ${MOUNTS}`, 2, /Cannot read --into: ".*file" is not a folder/],
    [`export agents ${into} --write --check`, 2, /Use either --write or --check/],
    ["export agents --into DIR --mount adr=DIR/empty", 2, /There are no documents in force in .*empty/],
    [`export agents ${into} --write`, 1, taken],
    ["export agents --into DIR", 2, /^architrave: Cannot export the sample: name a folder of markdown with/],
    [`export agent ${MOUNTS}`, 2, /did you mean agents\?/],
  ], root);
  assert.deepEqual(filesIn(root), before);
  if (ON_WINDOWS) return;
  symlinkSync(join(makeFolder(t, { "x.md": "Elsewhere.\n" }), "x.md"), join(root, "GEMINI.md"));
  const linked = /Cannot create ".*[^/]\/GEMINI\.md": it exists, and is not overwritten/;
  await assertFails([[`export gemini --into DIR/ ${MOUNTS}`, 1, linked]], root);
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

test("export of the documents of this repository fits into 8 KB", async (t) => {
  const root = makeFolder(t);
  const { code, output } = await cli(`export agents --into DIR --root ${REPOSITORY}/mcp`, root);
  assert.equal(code, 0);
  assert.ok(new TextEncoder().encode(output).length < 8192 + 1024);
  assert.match(output, /^\+- 001-zero-runtime-dependencies: .*\[.*package\.json/m);
});

/** The lines of the index, or of a file, that a diff adds. */
const added = (output: string) => Array.from(output.matchAll(/^\+(?!\+\+ )(.*)$/gm), ([, line]) => line!);
/** The rule that Claude Code gets for a document with a pattern, without its front matter and marks. */
async function ruleOf(root: string, name: string): Promise<string> {
  await write(root, "claude");
  const text = contentOf(root, `.claude/rules/architrave-${name}.md`);
  return text.slice(text.indexOf("begin -->\n") + 10, text.indexOf("\n<!-- architrave:end"));
}

test("export gives no text of a template as a decision", async (t) => {
  const nygard = "The change that we're proposing or have agreed to implement.";
  const madr =
    'Chosen option: "[option 1]", because [justification. e.g., only option | … | comes out best].';
  const rows: [decision: string, line: string, rule: string][] = [
    [nygard, "", ""],
    [madr, "", ""],
    ["{Describe the decision, e.g., in free form.}", "", ""],
    ["_What did we decide?_", "", ""],
    ["<!-- The decision. -->\n\nTBD", "", ""],
    ["Say what was agreed, in the words of the meeting.", "", ""],
    [`${nygard}\n\nWe use queues.`, "We use queues.", "We use queues."],
    ["{drivers}\n\n- We use queues.\n- {option 2}", "We use queues.", "- We use queues."],
  ];
  const template = record("Title", "proposed", "Say what was agreed, in the words of the meeting.");
  const files = rows.map(([decision], index) => {
    const text = record(`Talk ${index}`, "accepted", decision, `applies-to: ${index}.ts\n`)
      .replace("Why.", "The issue motivating this decision, and any context that influences it.");
    return [`docs/adr/000${index + 1}-x.md`, text] as const;
  });
  const root = makeFolder(t, {
    ...Object.fromEntries(files),
    ...{ "docs/adr/template.md": template, "docs/guidelines/naming.md": "# N\n" },
  });
  const { output } = await exported(root, "agents");
  for (const [index, [, line, rule]] of rows.entries()) {
    const lead = `- 000${index + 1}-x.md: Talk ${index}`;
    const shown = added(output).find((text) => text.startsWith(lead));
    assert.equal(shown, `${lead}${line && `: ${line}`} [**/${index}.ts]`);
    const text = await ruleOf(root, `adr-000${index + 1}-x`);
    const read = `Read all of it before you change these files: docs/adr/000${index + 1}-x.md`;
    assert.equal(text, `# Talk ${index}\n\n${rule && `${rule}\n\n`}${read}`);
  }
});

test("a record that new writes is exported by its title", async (t) => {
  for (const form of ["nygard", "madr", "madr-minimal"]) {
    const root = makeFolder(t, {
      "docs/adr/0001-a.md": record("A", "accepted", "Yes."),
      "docs/guidelines/a.md": "# A\n",
    });
    await cli(["new", "Use", "queues", "--template", form, "--mount", "adr=DIR/docs/adr", "--write"], root);
    const { output } = await exported(root, "agents");
    assert.ok(added(output).includes("- 0002-use-queues.md (proposed)"), output);
  }
});

test("export spells out invisible characters everywhere, and says so once", async (t) => {
  const hidden = ["\u{e0041}", "\u202e", "\u2066", "\u200b", "\u00ad", "\ufeff", "\u3164", "x\u{e0101}"];
  const root = makeFolder(t, {
    ...Object.fromEntries(hidden.map((mark, index) => {
      const front = `applies-to: ["${index}.ts", "${mark}.js"]\ndescription: "About ${mark}"\n`;
      return [`docs/adr/000${index + 1}-x.md`, record(`Use ${mark} it`, "accepted", `We ${mark} do.`, front)];
    })),
    ...{ "docs/adr/0009-y.md": record("Family 👩🏽‍💻", "accepted", "می\u200cخواهم and ✔️.") },
    "docs/guidelines/na\u202eme.md": "# Naming\n\nNames.\n",
  });
  for (const client of ["agents", "claude", "gemini", "cursor", "copilot", "kiro", "windsurf"]) {
    const { code, errors } = await exported(root, `${client} --write`);
    assert.equal(code, 0);
    const notes = errors.split("\n").filter((line) => line.includes("Invisible characters are spelled out"));
    assert.equal(notes.length, 1, errors);
    assert.match(notes[0]!, /: docs\/adr\/0001-x\.md, .* and 4 more\.$/);
  }
  for (const [name, text] of Object.entries(filesIn(root))) {
    if (name.startsWith("docs/")) continue;
    for (const [mark] of hidden) {
      // A selector after a letter is one that hides a text.
      if (mark !== "x") assert.ok(!text.includes(mark!), name);
    }
    assert.ok(!/[\u{e0000}-\u{e0fff}\u202e\u2066\u200b]/u.test(text), name);
  }
  const index = contentOf(root, "AGENTS.md");
  assert.match(index, /- 0002-x\.md: Use \\u\{202e\} it: About \\u\{202e\} \[\*\*\/1\.ts/);
  assert.match(index, /- na\\u\{202e\}me\.md/);
  assert.match(index, /Family 👩🏽‍💻: می\u200cخواهم and ✔️\./u);
  assert.match(
    contentOf(root, ".claude/rules/architrave-adr-0001-x.md"),
    /^# Use \\u\{e0041\} it\n\nWe \\u\{e0041\} do\./m,
  );
  const plain = makeFolder(t, DOCUMENTS);
  assert.doesNotMatch((await exported(plain, "agents")).errors, /Invisible/);
});

test("a rule is cut so that nothing of it swallows what follows", async (t) => {
  const code = "let a = 1;\n".repeat(300), words = "word ".repeat(390);
  const texts = [
    `We do:\n\n\`\`\`ts\n${code}\`\`\``,
    `We do:\n\n~~~~~\n${code}~~~~~`,
    `- We do:\n\n  \`\`\`ts\n${code.replace(/^/gm, "  ")}\`\`\``,
    `> \`\`\`\n${code.replace(/^(?=.)/gm, "> ")}> \`\`\``,
    "We do:\n\n```ts\nlet a;",
    `${words}[a link](https://example.com/${"x".repeat(500)}) end`,
    `${words}<!-- ${words} -->\n\nThe end.`,
    `${words}\`code ${words}\``,
    `We do:\n\n<pre>\n${words}\n\n${words}</pre>`,
  ];
  for (const text of texts) {
    const root = makeFolder(t, {
      "docs/adr/0001-x.md": record("X", "accepted", text, "applies-to: x.ts\n"),
      "docs/guidelines/a.md": "# A\n",
    });
    const rule = await ruleOf(root, "adr-0001-x");
    const html = toHtml(`${rule}\n<!-- architrave:end -->\n\nThe *user*.\n`);
    assert.ok(rule.length < 2200);
    assert.match(html, /<p>Read all of it before you change these files: docs\/adr\/0001-x\.md<\/p>/, rule);
    assert.match(html, /<p>The <em>user<\/em>\.<\/p>/, rule);
    assert.doesNotMatch(rule, /\]\([^)]*$|<!--/m);
  }
});

test("a document without a decision keeps its text up to the limit", async (t) => {
  const list = "1. First.\n2. Second.\n\n   More.\n\n## Details\n\n```\ncode\n\n\n# no heading\n```";
  const front = "---\napplies-to: x.ts\n";
  const rows: [text: string, kept: string][] = [
    [`${front}---\n\n# Rules\n\nIntro.\n\n${list}\n`, `Intro.\n\n${list}`],
    [`${front}title: Rules\n---\n\nIntro.\n\n${list}\n`, `Intro.\n\n${list}`],
    [`${front}description: D\n---\n\nRules\n=====\n\n${list}\n`, list],
    [`${front}title: Rules\n---\n# Others\n\n<!-- no -->\n${list}\n`, list],
    [`${front}---\n# Rules\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`, "| a | b |\n|---|---|\n| 1 | 2 |"],
    [`${front}---\n# Rules\n\n> Quoted.\n\n\`<!-- kept -->\`\n`, "> Quoted.\n\n`&lt;!-- kept -->`"],
  ];
  for (const [text, kept] of rows) {
    const root = makeFolder(t, { "docs/guidelines/rules.md": text, "docs/adr/1-a.md": "# A\n" });
    const read = "Read all of it before you change these files: docs/guidelines/rules.md";
    assert.equal(await ruleOf(root, "guidelines-rules"), `# Rules\n\n${kept}\n\n${read}`);
  }
  // Of a record, also without its status and fields; and the parts of a decision that has only parts.
  const records: [text: string, kept: string][] = [
    [
      "\n# 1. Rules\n\nDate: 2026-07-28\n\n## Status\n\nAccepted\n\n## Rules\n\nA.\n\nB.\n",
      "## Rules\n\nA.\n\nB.",
    ],
    ["\n# Rules\n\n- Status: accepted\n- Deciders: X\n\nA.\n\nB.\n", "A.\n\nB."],
    [
      "\n# Rules\n\n## Context\n\nC.\n\n## Decision\n\n### One\n\nA.\n\n### Two\n\nB.\n\n## More\n\nM.\n",
      "### One\n\nA.\n\n### Two\n\nB.",
    ],
    ["\n# Rules\n\n## Context\n\nC.\n\n## Decision Outcome\n\n### Consequences\n\nB.\n", ""],
    ["\n# Rules\n\n## Context\n\nC.\n\n## Decision\n\nA.\n\n### Reasons\n\nB.\n", "A."],
    ["\n# Rules\n\n## Decision Status\n\nAccepted\n\n## Context\n\nC.\n\n## Decision\n\nA.\n", "A."],
  ];
  for (const [text, kept] of records) {
    const root = makeFolder(t, {
      "docs/adr/0001-x.md": `${front}status: accepted\n---\n${text}`,
      "docs/guidelines/a.md": "# A\n",
    });
    const rule = await ruleOf(root, "adr-0001-x");
    assert.equal(rule.replace(/^# .*\n\n|(?:\n\n|^)Read all of it.*$/gm, ""), kept);
  }
  const long = `${front}---\n# Rules\n\n${"A sentence of a rule.\n\n".repeat(300)}`;
  const root = makeFolder(t, { "docs/guidelines/rules.md": long, "docs/adr/1-a.md": "# A\n" });
  const { length } = await ruleOf(root, "guidelines-rules");
  assert.ok(length > 1900 && length < 2200, `${length}`);
});

test("the line of a decision that has only subsections or a table is its description", async (t) => {
  const root = makeFolder(t, {
    "docs/adr/0001-x.md": record("X", "accepted", "### One\n\nFirst this.\n\n### Two\n\n- Then that."),
    "docs/adr/0002-x.md": record("X", "accepted", "### One\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
    "docs/adr/0003-x.md": record("X", "accepted", "That.").replace(
      "## Decision",
      "## Decision Drivers\n\nThis.\n\n## Decision",
    ),
    "docs/guidelines/a.md": "# A\n",
  });
  const { output } = await exported(root, "agents");
  const lines = added(output).filter((line) => line.startsWith("- 000"));
  assert.deepEqual(lines, ["- 0001-x.md: Why.", "- 0002-x.md: Why.", "- 0003-x.md: That."]);
});

test("folders with one record each are one line a record below one heading", async (t) => {
  const path = (index: number, file: string) => {
    const slug = `202${index % 6}-0${1 + index % 9}-1${
      index % 9
    }-${"use-another-service-for-the-work-"}${index}`;
    return `docs/adr/${slug}/${file}`;
  };
  const text = (index: number) =>
    record(
      `Use another service for all of the work ${index}`,
      "accepted",
      `Because of reason ${index}, we do this with it.`,
    );
  for (
    const [file, count] of [["README.md", 106], ["index.md", 8], ["adr.md", 12], ["README.md", 1]] as const
  ) {
    const root = makeFolder(t, {
      ...Object.fromEntries(Array.from({ length: count }, (_, index) => [path(index, file), text(index)])),
      "docs/guidelines/naming.md": "# Naming\n\nNames are words.\n",
    });
    const { output } = await exported(root, "agents");
    const lines = added(output), headings = lines.filter((line) => line.startsWith("In "));
    const own = file === "adr.md" ? "In docs/adr/:" : `In docs/adr/*/${file}:`;
    assert.deepEqual(headings, [own, "In docs/guidelines/:"]);
    assert.equal(lines.filter((line) => line.startsWith("- 202")).length, count);
    assert.doesNotMatch(output, /not listed/);
    assert.match(
      output,
      file === "adr.md" ? /^\+- 2020-01-10-\S+-0\/adr\.md: /m : /^\+- 2020-01-10-[^/\n]+-0: /m,
    );
    assert.ok(new TextEncoder().encode(lines.join("\n")).length <= 8192 + 64);
  }
  // Only when nothing can be shorter, documents are left out, and no line has a description then.
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [path(index, "README.md"), text(index)]),
  );
  const root = makeFolder(t, { ...many, "docs/guidelines/naming.md": "# Naming\n" });
  const { output } = await exported(root, "agents");
  assert.match(output, /^\+\d+ more documents are not listed/m);
  assert.doesNotMatch(output, /Because of/);
});

test("export says what replaces a part of a record, in the index and in its rule", async (t) => {
  const rows: [stated: string, state: string, places: string][] = [
    ["Accepted, partially superseded by [9](0009-new.md)", "in part replaced by 0009-new.md", "0009-new.md"],
    [
      "Accepted\n\nPartially superseded by [9. New](0009-new.md)",
      "in part replaced by 0009-new.md",
      "0009-new.md",
    ],
    ["Accepted; section 3 superseded by ADR-9", "in part replaced by 0009-new.md", "0009-new.md"],
    [
      "Partly superseded by ADR-9 and ADR-10",
      "in part replaced by 0009-new.md and 0010-next",
      "0009-new.md and docs/adr/0010-next/README.md",
    ],
    ["Proposed, partly superseded by ADR-9", "proposed, in part replaced by 0009-new.md", "0009-new.md"],
    ["Accepted. Not superseded by any other record.", "", ""],
  ];
  for (const [stated, state, places] of rows) {
    const text = `---\napplies-to: x.ts\n---\n\n# Old\n\n## Status\n\n${stated}\n\n## Decision\n\nWe do.\n`;
    const root = makeFolder(t, {
      "docs/adr/0001-x.md": text,
      "docs/adr/0009-new.md": record("New", "accepted", "Other."),
      "docs/adr/0010-next/README.md": record("Next", "accepted", "Other."),
      "docs/guidelines/a.md": "# A\n",
    });
    const { output } = await exported(root, "agents");
    const line = added(output).find((one) => one.startsWith("- 0001-x.md"));
    assert.equal(line, `- 0001-x.md: Old${state && ` (${state})`}: We do. [**/x.ts]`);
    const said = places &&
      `In part replaced by ${places.replace(/^0009/, "docs/adr/0009")}: read that too.\n\n`;
    assert.ok((await ruleOf(root, "adr-0001-x")).startsWith(`# Old\n\n${said}We do.\n`), stated);
  }
});

test("export finds the decision, and leaves out fields, in records of other languages", async (t) => {
  const rows: [text: string, kept: string][] = [
    [
      "# Titel\n\n**Status:** Akzeptiert\n**Datum:** 2026-07-28\n\n## Kontext\n\nK.\n\n## Entscheidung\n\nWir tun es.\n\n## Konsequenzen\n\nF.\n",
      "Wir tun es.",
    ],
    [
      "# Titre\n\n## Statut\n\nAccepté\n\n## Contexte\n\nC.\n\n## Décision\n\nNous le faisons.\n",
      "Nous le faisons.",
    ],
    [
      "# Título\n\n- Estado: Aceptado\n- Fecha: 2026-07-28\n\n## Contexto\n\nC.\n\n## Decisión\n\nLo hacemos.\n",
      "Lo hacemos.",
    ],
    ["# 标题\n\n## 状态\n\n已接受\n\n## 背景\n\n因为。\n\n## 决策\n\n使用队列。\n", "使用队列。"],
    ["# タイトル\n\n## ステータス\n\n承認\n\n## 決定\n\nキューを使う。\n", "キューを使う。"],
    [
      "# Titel\n\n**Status:** Akzeptiert\n**Datum:** 2026-07-28\n\nWir tun es.\n\n## Regeln\n\n- Eins: zwei\n",
      "Wir tun es.\n\n## Regeln\n\n- Eins: zwei",
    ],
  ];
  for (const [text, kept] of rows) {
    const root = makeFolder(t, {
      "docs/adr/0001-x.md": `---\napplies-to: x.ts\n---\n\n${text}`,
      "docs/guidelines/a.md": "# A\n",
    });
    const rule = await ruleOf(root, "adr-0001-x");
    assert.equal(rule.replace(/^# .*\n\n|\n\nRead all of it.*$/g, ""), kept);
  }
});
