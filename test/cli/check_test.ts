import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { assertFails, cli, cliJson, runHere } from "../harness/command.ts";
import { REPOSITORY } from "../harness/program.ts";

test("check finds nothing in what comes with the program", async () => {
  const { code, output, errors } = await cli("check --root DIR/mcp", REPOSITORY);
  assert.match(output, /^\d+ documents and 3 prompts: 0 errors, 0 warnings\n$/);
  assert.deepEqual([code, errors], [0, ""]);
});

test("check without a folder does not check the sample, whatever else is asked", async (t) => {
  const refused =
    /^architrave: Cannot check the sample: name a folder of markdown with --in FOLDER, or several with --mount/;
  const options = ["", "--format github", "--errors-only", "--rule link-dead", "--code .", "--scheme file"];
  await assertFails(options.map((option) => [`check ${option}`, 2, refused] as const));
  // A team's own documents next to the program are checked.
  const home = makeFolder(t, { "mcp/resources/guidelines/naming.md": "# Naming\n" });
  assert.equal(
    (await runHere(["check"], { home })).output,
    "1 document and 0 prompts: 0 errors, 0 warnings\n",
  );
});

test("check reports a record whose decision is still that of its template, with its line", async (t) => {
  const parts = (decision: string) =>
    `# X\n\n## Context\n\nC.\n\n## Decision\n\n${decision}\n\n## Consequences\n\nE.\n`;
  const accepted = (text: string) => `---\nstatus: accepted\n---\n\n${text}`;
  const rows: [text: string, line: number | undefined][] = [
    [accepted(parts("The change that we're proposing or have agreed to implement.")), 13],
    [accepted(parts("\n{Describe the decision.}")), 14],
    [accepted(parts('Chosen option: "[option 1]", because [justification. e.g., …].')), 13],
    [accepted(parts("<!-- Say what you decided. -->")), 13],
    [accepted(parts("Say in one sentence what the team agreed.")), 13],
    [accepted(parts("TBD")), 13],
    [accepted(parts("### Consequences\n\n* Good, because {reasons}")), 11],
    [accepted(parts("")), 11],
    [
      "# X\n\nStatus: Accepted\n\n## Context\n\nC.\n\n## Decision Outcome\n\n[decision]\n\n### Consequences\n\nE.\n",
      11,
    ],
    // Written, in part too; or no longer in force.
    [accepted(parts("We use queues.")), undefined],
    [
      accepted(parts("The change that we're proposing or have agreed to implement.\n\nWe use queues.")),
      undefined,
    ],
    [accepted(parts("### Queues\n\nWe use them.")), undefined],
    [accepted(parts("```ts\nlet queue;\n```")), undefined],
    [accepted(parts("{queues} is the name.")), undefined],
    [parts("TBD").replace(/^/, "---\nstatus: rejected\n---\n\n"), undefined],
    [parts("TBD").replace(/^/, "---\nstatus: superseded by 0001-x.md\n---\n\n"), undefined],
  ];
  const name = (index: number) => `adr/${String(index + 1).padStart(4, "0")}-x.md`;
  const folder = makeFolder(t, {
    ...Object.fromEntries(rows.map(([text], index) => [name(index), text])),
    "adr/template.md": parts("Say in one sentence what the team agreed."),
  });
  const { findings } = await cliJson("check --mount adr=DIR/adr --rule adr-unwritten", folder);
  const expected = rows.flatMap(([, line], index) => line === undefined ? [] : { file: name(index), line });
  assert.deepEqual(
    findings.map(({ file, line }: { file: string; line: number }) => ({ file, line })),
    expected,
  );
});

test("check says what is wrong with its settings", async (t) => {
  const folder = makeFolder(t, {
    "adr/0001-x.md": "# X\n",
    "bad.json": "[",
    "empty.json": "{}",
    "none/x.txt": "",
    "latin/x.md": Uint8Array.of(255),
  });
  const cases: [settings: unknown, message: RegExp][] = [
    [{ chek: {} }, /Cannot use ".*s\.json": \/?chek/],
    [
      { check: { rules: { "link-ded": "off" } } },
      /Unknown rule in .*s\.json: "link-ded" \(did you mean link-dead\?\)/,
    ],
    [{ check: { rules: { "link-dead": "loud" } } }, /\/check\/rules\/link-dead/],
    [
      { check: { sections: { "adr/**": "madrid" } } },
      /Unknown template "madrid": use nygard, madr, madr-/,
    ],
    [{ check: { sections: { "*": "\u001b[31mX" } } }, /^[^\p{Cc}]+[^.]\.\n$/u],
    [{ check: { code: "nowhere" } }, /Cannot read the code: ".*nowhere"/],
    [{ check: { baseline: "missing.json" } }, /Cannot read the baseline: ".*missing\.json" does not exist/],
    [{ check: { baseline: "bad.json" } }, /Cannot read ".*bad\.json": it is not JSON/],
    [{ check: { baseline: "empty.json" } }, /Cannot use ".*empty\.json": .*known/],
  ];
  for (const [settings, message] of cases) {
    writeFiles(folder, { "s.json": JSON.stringify(settings) });
    await assertFails([["check --mount adr=DIR/adr --config DIR/s.json", 2, message]], folder);
  }
  // A link can lead to a secret.
  for (
    const secret of ["SECRET x", "{SECRET", '{"a":SECRET', `${" ".repeat(99)}SECRET`, '"SECRET', "[SECRET"]
  ) {
    writeFiles(folder, { "s.json": secret });
    const { errors } = await cli("check --mount adr=DIR/adr --config DIR/s.json", folder);
    assert.match(errors, /it is not JSON: \w/);
    assert.doesNotMatch(errors, /SECRET/);
  }
  await assertFails([[
    "check --mount adr=DIR/none",
    2,
    /There is nothing to check in .*none: name another folder/,
  ]], folder);
  assert.equal((await cli("check --mount adr=DIR/latin --ignore not-text", folder)).code, 0);
  // A baseline is made before it is there, and made again while the shell has emptied it.
  for (const baseline of ["missing.json", "bad.json"]) {
    writeFiles(folder, { "s.json": JSON.stringify({ check: { baseline } }) });
    const { code, output } = await cli(
      "check --mount adr=DIR/adr --config DIR/s.json --format baseline",
      folder,
    );
    assert.equal(code, 0);
    assert.ok(JSON.parse(output).known.length > 0);
  }
  const unknown = /Unknown rule "link-ded" \(did you mean link-dead\?\): use one of .*link-dead/;
  await assertFails([["check --mount adr=DIR/adr --rule link-ded", 2, unknown]], folder);
});

test("the settings of check turn rules on that are off, and set how long a proposal may last", async (t) => {
  const record = (...front: string[]) => `---\n${front.join("\n")}\n---\n\n# X\n`;
  const folder = makeFolder(t, {
    "adr/0001-x.md": record("status: accepted"),
    "adr/0002-y.md": record("status: accepted", "amends: 1"),
    "adr/0003-z.md": record("status: proposed", "date: 2026-01-05"),
  });
  const found = async (check: unknown, options = "") => {
    writeFiles(folder, { "s.json": JSON.stringify({ check }) });
    const { findings } = await cliJson(`check --mount adr=DIR/adr --config DIR/s.json ${options}`, folder);
    return findings.filter(({ rule }: { rule: string }) => /^adr-(?:amends|proposed)/.test(rule))
      .map(({ rule, severity }: { rule: string; severity: string }) => `${severity} ${rule}`);
  };
  const amends = "adr-amends-one-sided", proposed = "adr-proposed-long";
  assert.deepEqual(await found({}), [`warning ${proposed}`]);
  assert.deepEqual(await found({ rules: { [amends]: "error" } }), [`error ${amends}`, `warning ${proposed}`]);
  assert.deepEqual(await found({ rules: { [amends]: "off", [proposed]: "off" } }), []);
  assert.deepEqual(await found({}, `--rule ${amends}`), [`warning ${amends}`]);
  assert.deepEqual(await found({ proposedDays: 36_500 }), []);
  for (const proposedDays of [0, -1, 1.5, "180", null]) {
    writeFiles(folder, { "s.json": JSON.stringify({ check: { proposedDays } }) });
    const row = ["check --mount adr=DIR/adr --config DIR/s.json", 2, /\/check\/proposedDays/] as const;
    await assertFails([row], folder);
  }
});

test("check prints no path of the machine, and nothing that steers a terminal", async (t) => {
  // Windows allows no control characters in names.
  const name = process.platform === "win32" ? "red\u202e" : "\u001b[31mred\u202e";
  const root = makeFolder(t, { [`resources/docs/${name}.md`]: "x\n", "prompts/p.json": "{\n" });
  const { output } = await cli("check --root DIR", root);
  assert.match(output, /^ {2}docs\/(?:\\u\{1b\}\[31m)?red\\u\{202e\}\.md: The document has no title/m);
  assert.ok(!output.includes(root), output);
  const { output: annotations } = await cli("check --format github --root DIR", root);
  assert.deepEqual((output + annotations).match(/[^\P{C}\n]/gu), null);
});

test("findings outside of the working directory have whole paths, and others relative ones, as code hosts place them", async (t) => {
  const root = makeFolder(t, { "resources/docs/a, b.md": "x\n" }), path = root.replaceAll("\\", "/");
  const annotated = await cli("check --format github --root DIR", root);
  const file = `${path.replace(":", "%3A")}/resources/docs/a%2C b.md`;
  assert.ok(
    annotated.output.startsWith(`::warning file=${file},line=1,title=title-missing::`),
    annotated.output,
  );
  const { output } = await cli("check --format sarif --root DIR", root);
  const [{ locations: [{ physicalLocation }] }] = JSON.parse(output).runs[0].results;
  const uri = `file://${path.replace(/^(\w):/, "/$1%3A")}/resources/docs/a%2C%20b.md`;
  assert.deepEqual(physicalLocation, { artifactLocation: { uri }, region: { startLine: 1 } });
  const here = await cli("check --rule title-missing --format github --mount adr=test");
  assert.match(here.output, /^(?:::warning file=(?:test|mcp)\/.*\n)*\d+ documents/);
});

test("check reports names of records that are unlike most in the root's own adr, and no others", async (t) => {
  const usual = [
    "0001-use-x",
    "002-zwei-größe",
    "0003-node-22.1",
    "0005-決定",
    "0006-a",
    "0007-b",
    "00008-c",
  ];
  const unlike = ["1-x", "12-Bad_Name", "013-Use-REST", "adr-0014-x", "0015_under", "ADR016-x", "0017.x"];
  const record = "---\nstatus: accepted\n---\n\n# X\n";
  const found = async (line: string, names: readonly string[]): Promise<string[]> => {
    const files = names.map((name) => [`resources/adr/${name}.md`, record]);
    const folder = makeFolder(t, Object.fromEntries(files));
    const { findings } = await cliJson(`check --rule adr-file-name ${line}`, folder);
    return findings.map(({ file }: { file: string }) => file.slice(4, -3)).sort();
  };
  const most = [...usual, ...unlike.slice(1)];
  assert.deepEqual(await found("--root DIR", most), unlike.slice(1).sort());
  // Of a folder that is not the root's own, or of one with two customs, nothing is reported.
  for (const line of ["--mount adr=DIR/resources/adr", "--root DIR --mount adr=DIR/resources/adr"]) {
    assert.deepEqual(await found(line, most), [], line);
  }
  assert.deepEqual(await found("--root DIR", [...usual, ...unlike]), []);
  assert.deepEqual(await found("--root DIR", most.map((name) => `old/${name}`)), []);
  const conventions = `
    1-use-x 2-use-y 10-use-z 0011-w
    ADR-0001-Use-X ADR-0002-Use-Y ADR-0003-Use-Z 0004-w
    0001_use_x 0002_use_y 0003_use_z 0004-w
    20260101-use-x 20260102-use-y 2026-01-03-use-z 2026-02-use-w
    adr001-use-x adr002-use-y adr003-use-z 004-w
    0001-UseX 0002-UseY 0003-UseZ 0004-w
    rfc-0001-x rfc-0002-y kep-12-z 0004-w
    001-x/README 002-y/README 003-z/index
    0001a-x 0001b-x 12.1-y`;
  for (const line of conventions.trim().split("\n")) {
    assert.deepEqual(await found("--root DIR", line.trim().split(" ")), [], line);
  }
});
