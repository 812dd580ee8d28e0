import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { cli, cliJson } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

const PARTS = "\n# Use date-fns\n\n## Context\n\nC.\n\n## Decision\n\nD.\n\n## Consequences\n\nE.\n";
const record = (front: string, status = "accepted") => `---\nstatus: ${status}\n${front}\n---\n${PARTS}`;

interface Found {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  readonly severity: string;
  readonly rule: string;
}

/** What check finds in code, for the records of the folder. */
async function found(folder: string, rules: string, more = ""): Promise<Found[]> {
  const { findings } = await cliJson(`check --mount adr=DIR/adr --code DIR ${rules} ${more}`, folder);
  return findings;
}
const place = ({ file, line }: Found) => line === undefined ? file : `${file}:${line}`;
const FORBIDDEN = "--rule code-forbidden", BROKEN = "--rule code-forbidden --rule code-required";

test("a rule finds a literal text or a pattern, in comments too, and says what to do instead", async (t) => {
  const code = "let a;\nconsole.log(a);\n// console.log(b)\nTODO(me)\n\tx\nwindow.open()\n";
  const rows: readonly (readonly [rule: string, ...lines: readonly number[]])[] = [
    ["text: console.log(", 2, 3],
    ["text: Console.log("],
    ["text: .log", 2, 3],
    ["text: /console\\.(log|debug)\\(/", 2, 3],
    ["text: /TODO\\(\\w+\\)/", 4],
    ["text: /^\\t/", 5],
    ["text: /(?<!window)\\.open/"],
    ["text: /(?<=window)\\.open/", 6],
    ["text: /let|window/", 1, 6],
    ["text: /[cC]onsole[.]log/", 2, 3],
    ["text: /consoles?\\.log/", 2, 3],
    ["text: /(?:con)sole.log\\(a/", 2],
    ["text: /cons{1}ole/", 2, 3],
    ["text: /\\u0063onsole/", 2, 3],
    ["text: /x*console/", 2, 3],
    ["text: let a", 1],
    ["text: |\n      let a", 1],
    ['text: "\\tx"', 5],
  ];
  for (const [rule, ...lines] of rows) {
    const folder = makeFolder(t, {
      "adr/0001-x.md": record(`forbids:\n  - ${rule}\n    instead: the logger`),
      "src/a.ts": code,
    });
    const all = await found(folder, FORBIDDEN);
    assert.deepEqual(all.map(({ line }) => line), lines, rule);
    for (const { message, severity } of all) {
      assert.match(
        message,
        /^The code contains ".+", which "Use date-fns" \(architecture:\/\/adr\/0001-x\) forbids; instead: the logger$/,
      );
      assert.equal(severity, "warning");
    }
  }
});

test("a rule applies to the files of its document, but for its exceptions, and without any to all but prose", async (t) => {
  const names = [
    "src/a.ts",
    "src/cli/b.ts",
    "lib/c.py",
    "conf/d.yml",
    "README.md",
    "notes.txt",
    "adr/0001-x.md",
    ".ci/e.sh",
  ];
  const files = Object.fromEntries(names.map((name) => [name, "console.log(\n"]));
  const rows: readonly (readonly [front: string, ...names: readonly string[]])[] = [
    ["forbids: [{ text: console.log( }]", ".ci/e.sh", "conf/d.yml", "lib/c.py", "src/a.ts", "src/cli/b.ts"],
    ["applies-to: src/**\nforbids: [{ text: console.log( }]", "src/a.ts", "src/cli/b.ts"],
    ["applies-to: [lib/**, '*.yml']\nforbids: [{ text: console.log( }]", "conf/d.yml", "lib/c.py"],
    ["applies-to: '*.md'\nforbids: [{ text: console.log( }]", "README.md", "adr/0001-x.md"],
    ["applies-to: src/**\nforbids: [{ text: console.log(, except: src/cli/** }]", "src/a.ts"],
    ["applies-to: src/**\nforbids:\n  - text: console.log(\n    except: ['src/cli/**', a.ts]"],
    ["forbids:\n- text: console.log(\n  except:\n  - src/\n  - conf/\n  - .ci/", "lib/c.py"],
    ["applies-to: src/**\nforbids:\n  text: console.log(", "src/a.ts", "src/cli/b.ts"],
    ["applies-to: src/**\n'forbids': [{ 'text': 'console.log(' }]", "src/a.ts", "src/cli/b.ts"],
  ];
  for (const [front, ...expected] of rows) {
    const folder = makeFolder(t, { ...files, "adr/0001-x.md": record(front) });
    assert.deepEqual((await found(folder, FORBIDDEN)).map(({ file }) => file), expected, front);
  }
});

test("a file that lacks what is required is reported without a line", async (t) => {
  const folder = makeFolder(t, {
    "adr/0001-x.md": record(
      "applies-to: src/**\nrequires:\n  - text: SPDX-License-Identifier\n  - import: tslib\n    except: src/b.ts\n" +
        "  - text: /^# Copyright \\d+/\n    except: '*.ts'\n    instead: the head of the template",
    ),
    "src/a.ts": "// SPDX-License-Identifier: MIT\n",
    "src/b.ts": "// none\n",
    "src/c.py": "# Copyright 2026\nimport tslib\n# SPDX-License-Identifier: MIT\n",
    "src/d.py": "## Copyright 2026\n",
    "other/e.ts": "",
  });
  const all = await found(folder, "--rule code-required");
  assert.deepEqual(all.map((one) => `${place(one)} ${/"(.*?)"/.exec(one.message)![1]}`), [
    "src/a.ts tslib",
    "src/b.ts SPDX-License-Identifier",
    "src/d.py SPDX-License-Identifier",
    "src/d.py tslib",
    "src/d.py /^# Copyright \\d+/",
  ]);
  assert.match(
    all[4]!.message,
    / lacks ".*", which ".*" \(.*\) requires; instead: the head of the template$/,
  );
  // Other tools name required records.
  const other = makeFolder(t, { "adr/0001-x.md": record("requires: [ADR-2, 0003-y.md]"), "a.ts": "" });
  assert.deepEqual(await found(other, "--rule code-required --rule code-rule-invalid"), []);
});

test("only the rules of documents in force apply", async (t) => {
  const rows: readonly (readonly [status: string, count: number])[] = [
    ["accepted", 1],
    ["approved", 1],
    ["proposed", 0],
    ["draft", 0],
    ["rejected", 0],
    ["deprecated", 0],
    ["superseded", 0],
    ["superseded by 0002-y.md", 0],
  ];
  for (const [status, count] of rows) {
    const front = "forbids:\n  - import: moment\nrequires:\n  - text: moment";
    const folder = makeFolder(t, { "adr/0001-x.md": record(front, status), "a.ts": 'import "moment";\n' });
    assert.equal((await found(folder, BROKEN)).length, count, status);
  }
  const guideline = `---\nforbids: [{ import: moment }]\n---\n\n# Dates\n`;
  const folder = makeFolder(t, { "docs/dates.md": guideline, "a.ts": 'import "moment";\n' });
  const { findings } = await cliJson(`check --mount guidelines=DIR/docs --code DIR ${BROKEN}`, folder);
  assert.equal(findings.length, 1);
});

test("a rule that is wrong is reported with its line, with and without code, and is skipped", async (t) => {
  const rows: readonly (readonly [rule: string, message: RegExp])[] = [
    ["- txt: moment", /has the member "txt": use import or text, and instead and except$/],
    ["- import: moment\n  why: old", /has the member "why"/],
    ["- import: moment\n  text: moment", /needs one of "import: module" and "text: words"$/],
    ["- instead: date-fns", /needs one of "import: module"/],
    ["- moment", /needs one of/],
    ["- {}", /needs one of/],
    ["- import:", /has no words after import/],
    ['- text: ""', /has no words after text/],
    ['- text: "  "', /has no words after text/],
    ["- text: [a]", /has no words after text/],
    ["- import: moment\n  instead: ''", /has no words after instead/],
    ["- import: moment\n  except: [1, {}]", /has no file patterns after except/],
    ["- import: moment\n  except:", /has no file patterns after except/],
    ["- import: a b", /has "a b", which no import can name/],
    ["- import: ./moment", /which no import can name/],
    ["- import: /moment", /which no import can name/],
    ["- import: 'moment;'", /which no import can name/],
    ["- import: mo[mn]ent", /which no import can name/],
    ["- text: /(a/", /has a pattern that is not a regular expression: \/\(a\/: write it/],
    ["- text: /[b-a]/", /not a regular expression/],
    ["- text: /(a)\\1/", /has a pattern that cannot be matched in linear time/],
    ["- text: |\n    a\n    b", /has a text of several lines/],
  ];
  for (const kind of ["forbids", "requires"]) {
    for (const [rule, message] of rows) {
      if (kind === "requires" && rule === "- moment") continue;
      const front = `${kind}:\n  - text: needle\n    except: "*"\n  ${rule.replaceAll("\n", "\n  ")}`;
      const folder = makeFolder(t, { "adr/0001-x.md": record(front), "a.ts": "moment a b\n" });
      for (const code of ["", "--code DIR"]) {
        const line =
          `check --mount adr=DIR/adr ${code} --rule code-rule-invalid --rule code-forbidden --rule code-required`;
        const { findings: [first, ...others] } = await cliJson(line, folder);
        assert.equal(place(first), "adr/0001-x.md:6", rule);
        assert.equal(first.rule, "code-rule-invalid");
        assert.ok(first.message.startsWith(`The rule of "${kind}" `), first.message);
        assert.match(first.message, message, rule);
        assert.deepEqual(others, [], rule);
      }
    }
  }
  const toml = makeFolder(t, { "adr/0001-x.md": `+++\nforbids = [{ import = "moment" }]\n+++\n${PARTS}` });
  const wrong = await cliJson("check --mount adr=DIR/adr --rule code-rule-invalid", toml);
  assert.deepEqual(wrong.findings.map(place), ["adr/0001-x.md:2"]);
  // What is not YAML is reported once, as any front matter.
  const folder = makeFolder(t, { "adr/0001-x.md": record("forbids:\n  - import: @scope/name") });
  const { findings } = await cliJson("check --mount adr=DIR/adr", folder);
  assert.deepEqual(findings.map(({ rule, line }: Found) => [rule, line]), [["front-matter", 4]]);
});

test("breaks appear in all formats, the baseline, the settings and exclusions like other findings", async (t) => {
  const folder = makeFolder(t, {
    "docs/adr/0001-x.md": record("forbids:\n  - import: moment\n    instead: date-fns, 100%"),
    "docs/adr/architrave.json": JSON.stringify({
      check: { rules: { "code-forbidden": "error" }, code: "../.." },
    }),
    "src/a b.ts": 'import "a";\nimport "moment";\n',
    "src/c.ts": 'import "moment";\nimport "moment";\n',
  });
  const here = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(here));
  const check = (more: string) => cli(`check --mount adr=docs/adr ${more}`);
  const text = await check("");
  assert.equal(text.code, 1);
  assert.match(
    text.output,
    /^error code-forbidden \(3\): .*\n {2}src\/a b\.ts:2: The code imports "moment", which .*\n/,
  );
  const { output } = await check("--format github");
  assert.match(
    output,
    /^::error file=src\/a b\.ts,line=2,title=code-forbidden::The code imports .*; instead: date-fns, 100%25\./,
  );
  const sarif = JSON.parse((await check("--format sarif")).output);
  const [{ ruleId, level, locations: [{ physicalLocation }] }] = sarif.runs[0].results;
  assert.deepEqual([ruleId, level], ["code-forbidden", "error"]);
  assert.deepEqual(physicalLocation, {
    artifactLocation: { uri: "src/a%20b.ts" },
    region: { startLine: 2 },
  });
  const { known } = JSON.parse((await check("--format baseline")).output);
  assert.deepEqual(known.map(({ file }: Found) => file), ["src/a b.ts", "src/c.ts", "src/c.ts"]);
  const rest = { "base.json": JSON.stringify({ known: known.slice(0, 2) }) };
  const other = makeFolder(t, rest);
  const left = await check(`--format json --baseline ${other}/base.json`);
  assert.deepEqual(JSON.parse(left.output).findings.map(place), ["src/c.ts:2"]);
  for (const ignored of ["src/**", "code-forbidden"]) {
    assert.equal((await check(`--ignore ${ignored}`)).code, 0, ignored);
  }
  // The folder of the code may be named in any way.
  for (const code of [".", "./", folder, "docs/.."]) {
    assert.match((await check(`--format github --code ${code}`)).output, /^::error file=src\/a b\.ts,/, code);
  }
});

test("check reads no links, no binary and no large files, and nothing that is ignored", async (t) => {
  const outside = makeFolder(t, { "b.ts": "needle\n" });
  const folder = makeFolder(t, {
    "adr/0001-x.md": record("forbids:\n  - text: needle"),
    "code/a.ts": "needle\n",
    "code/binary.ts": "needle\0\n",
    "code/latin.ts": Uint8Array.from([...new TextEncoder().encode("needle"), 0xe9, 10]),
    "code/large.ts": `needle\n${"x".repeat(1024 * 1024)}`,
    "code/nearly.ts": `needle\n${"x".repeat(1024 * 1024 - 7)}`,
    "code/node_modules/a/index.js": "needle\n",
    "code/.git/hooks/a": "needle\n",
    "code/deep/er/b.py": "\ufeffneedle\n",
  });
  if (process.platform !== "win32") {
    symlinkSync(`${outside}/b.ts`, `${folder}/code/link.ts`);
    symlinkSync(outside, `${folder}/code/linked`);
    symlinkSync(`${folder}/code/missing.ts`, `${folder}/code/broken.ts`);
  }
  const { findings } = await cliJson("check --mount adr=DIR/adr --code DIR/code", folder);
  assert.deepEqual(findings.map(place), ["a.ts:1", "deep/er/b.py:1", "nearly.ts:1"]);
});

test("code that cites a decision that is over or missing is reported, in its comments and texts", async (t) => {
  const rows: readonly (readonly [file: string, code: string, ...rules: readonly string[]])[] = [
    ["a.ts", "// See ADR-2.", "over 1"],
    ["a.ts", "// See ADR-0002", "over 1"],
    ["a.ts", "// See ADR 2 and ADR-3", "over 1", "over 1"],
    ["a.ts", "/*\n * @adr 2\n */", "over 2"],
    ["a.ts", "// docs/adr/0002-use-x.md", "over 1"],
    ["a.ts", 'const why = "ADR-2";', "over 1"],
    ["a.ts", "// ADR-2, ADR-2 and ADR-002", "over 1"],
    ["a.ts", "// ADR-2\n// ADR-2", "over 1", "over 2"],
    ["a.py", '"""\nFollows ADR-2.\n"""', "over 2"],
    ["a.c", "/* ADR-2 */", "over 1"],
    ["Makefile", "# ADR-2", "over 1"],
    ["a.ts", "// ADR-99", "missing 1"],
    ["a.ts", "// adr/0099", "missing 1"],
    ["a.ts", "// @adr 99", "missing 1"],
    // In force, or only proposed.
    ["a.ts", "// ADR-1, ADR-4, adr/0001-x.md, @adr 1"],
    // Not a citation, or not sure to be one of these records.
    ["a.ts", "// ADR 99, ADR99"],
    ["a.ts", 'const example = "ADR-99", path = "docs/adr/0099-x.md";'],
    ["a.ts", "const a = ADR-2;"],
    ["a.ts", "const a = adr/0002;"],
    ["a.ts", "// ADR-2024-01-05 and ADR-2.1 and ADR-2x"],
    ["a.ts", "// MADR-2, XADR 2"],
    ["a.ts", "// https://github.com/a/b/blob/main/docs/adr/0002-x.md"],
    ["vendor/a.ts", "// ADR-2"],
    ["pkg/testdata/a.ts", "// ADR-2"],
    ["README.md", "ADR-2"],
    ["a.json", '{ "a": "ADR-2" }'],
  ];
  for (const [file, code, ...expected] of rows) {
    const folder = makeFolder(t, {
      "adr/0001-x.md": record("x: y"),
      "adr/0002-x.md": record("x: y", "superseded by 0001-x.md"),
      "adr/0003-x.md": record("x: y", "rejected"),
      "adr/0004-x.md": record("x: y", "proposed"),
      [`code/${file}`]: `${code}\n`,
    });
    const line = "check --mount adr=DIR/adr --code DIR/code --rule code-cites-over --rule code-cites-missing";
    const { findings } = await cliJson(line, folder);
    const rules = findings.map(({ rule, line }: Found) => `${rule.replace("code-cites-", "")} ${line}`);
    assert.deepEqual(rules, expected, code);
  }
  // Without numbered records, nothing is cited.
  const folder = makeFolder(t, { "docs/a.md": "# A\n", "code/a.ts": "// ADR-2\n" });
  const { findings } = await cliJson("check --mount guidelines=DIR/docs --code DIR/code", folder);
  assert.deepEqual(findings, []);
});
