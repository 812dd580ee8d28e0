import assert from "node:assert/strict";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

const RECORD = (title: string, status: string, more = "") =>
  `---\nstatus: ${status}\ndate: 2026-01-02\n${more}---\n# ${title}\n\nRetries back off exponentially.\n`;
const FILES = {
  "adr/0001-use-queues.md": RECORD("Use queues", "superseded", "superseded-by: 2\napplies-to: lib/**\n"),
  "adr/0002-use-streams.md": RECORD("Use streams", "accepted", 'applies-to: [lib/http/**, "*.md"]\n'),
  "adr/0003-evil.md": RECORD("A \u001b[31mred\u0007 title", "proposed"),
  "notes/readme.md": "# Notes\n\nNothing of that kind.\n",
};

test("list has URI, number, status, date and title: by tabs, and aligned and coloured on a terminal", async (t) => {
  const folder = makeFolder(t, FILES);
  const where = ["--mount", `adr=${folder}/adr`, "--mount", `notes=${folder}/notes`];
  const { output, errors } = await runHere(["list", ...where]);
  assert.equal(errors, "");
  assert.deepEqual(output.split("\n").slice(0, 4), [
    "architecture://adr/0001-use-queues\t1\tsuperseded\t2026-01-02\tUse queues",
    "architecture://adr/0002-use-streams\t2\taccepted\t2026-01-02\tUse streams",
    "architecture://adr/0003-evil\t3\tproposed\t2026-01-02\tA \\u{1b}[31mred\\u{7} title",
    "architecture://notes/readme\t\t\t\tNotes",
  ]);
  const accepted = ["list", "--status", "Accepted", ...where];
  const plain = "architecture://adr/0002-use-streams  2  accepted  2026-01-02  Use streams\n";
  const colored = "\x1b[36marchitecture://adr/0002-use-streams\x1b[0m  2  \x1b[32maccepted\x1b[0m  " +
    "\x1b[2m2026-01-02\x1b[0m  Use streams\n";
  const tabs = plain.replaceAll("  ", "\t");
  const cases: [options: string[], terminal: { showsOutput?: boolean; noColor?: boolean }, string][] = [
    [[], {}, tabs],
    [[], { showsOutput: true }, colored],
    [[], { showsOutput: true, noColor: true }, plain],
    [["--color", "never"], { showsOutput: true }, plain],
    [["--color", "always"], {}, colored],
    [["--color", "always"], { noColor: true }, colored],
    [["--color", "never"], {}, tabs],
  ];
  for (const [options, terminal, expected] of cases) {
    assert.equal((await runHere([...accepted, ...options], terminal)).output, expected, options.join(" "));
  }
  const { prompts, resources } = JSON.parse((await runHere([...accepted, "--format", "json"])).output);
  assert.deepEqual([prompts, resources.length, resources[0].uri], [
    [],
    1,
    "architecture://adr/0002-use-streams",
  ]);
  const missing = await runHere(["list", "--status", "valid", ...where]);
  assert.deepEqual(missing, {
    code: 1,
    output: "",
    errors:
      'architrave: There is no record with the status "valid"; there are: accepted, proposed, superseded\n',
  });
});

test("search prints hits with their place, a row each or lines for a terminal, and ends with 1 without any", async (t) => {
  const folder = makeFolder(t, FILES);
  const where = ["--mount", `adr=${folder}/adr`, "--mount", `notes=${folder}/notes`];
  const rows = await runHere(["search", "retries", "streams", "--limit", "1", ...where]);
  assert.deepEqual(rows, {
    code: 0,
    output:
      "architecture://adr/0002-use-streams\taccepted\t2026-01-02\tUse streams\tline 8\tRetries back off exponentially.\n",
    errors: "",
  });
  const shown = await runHere(["search", "retries", ...where], { showsOutput: true, noColor: true });
  assert.equal(
    shown.output,
    `architecture://adr/0002-use-streams (accepted, 2026-01-02)
  Use streams
  line 8: Retries back off exponentially.

architecture://adr/0003-evil (proposed, 2026-01-02)
  A \\u{1b}[31mred\\u{7} title
  line 7: Retries back off exponentially.

architecture://adr/0001-use-queues (superseded, 2026-01-02)
  Use queues
  line 9: Retries back off exponentially.
  This decision is superseded: do not follow it. Read architecture://adr/0002-use-streams (Use streams) in its place.
`,
  );
  const phrase = ["search", '"streams retries"', ...where];
  const words = await runHere(phrase, { showsOutput: true, noColor: true });
  assert.match(
    words.output,
    /^\(Nothing has the phrase "streams retries": searched for the words\.\)\n\narchitecture:/,
  );
  assert.deepEqual(JSON.parse((await runHere([...phrase, "--format", "json"])).output).asWords, [
    "streams retries",
  ]);
  const { hits, total } = JSON.parse(
    (await runHere(["search", "retries", "--format", "json", ...where])).output,
  );
  assert.deepEqual([hits.length, total], [3, 3]);
  const failures: [args: string[], errors: RegExp][] = [
    [["zzz"], /^architrave: Nothing found for "zzz": .+\n$/],
    [["x", "--category", "none"], /^architrave: There is no category "none"; there are: adr, notes\n$/],
  ];
  for (const [args, expected] of failures) {
    const { code, output, errors } = await runHere(["search", ...args, ...where]);
    assert.deepEqual([code, output], [1, ""]);
    assert.match(errors, expected);
  }
  const filtered = await runHere([
    "search",
    "retries",
    "--status",
    "proposed",
    "--category",
    "adr",
    ...where,
  ]);
  assert.match(filtered.output, /^architecture:\/\/adr\/0003-evil\t[^\n]+\n$/);
});

test("decisions names what applies to paths, given or read from standard input as git writes them", async (t) => {
  const folder = makeFolder(t, FILES);
  const where = ["--mount", `adr=${folder}/adr`];
  const both =
    "architecture://adr/0002-use-streams\taccepted\t2026-01-02\tUse streams\tlib/http/**\tlib/http/a.ts\n" +
    "architecture://adr/0001-use-queues\tsuperseded\t2026-01-02\tUse queues\tlib/**\tlib/http/a.ts\n";
  const cases: [args: string[], input: string | Uint8Array, output: string][] = [
    [["lib/http/a.ts"], "", both],
    [["-"], "lib/http/a.ts\n", both],
    [["-"], "lib/http/a.ts\r\nlib/http/a.ts\r\n\r\n", both],
    [["-"], "lib/http/a.ts\0other.c\0", both],
    [["other.c", "-"], "lib/http/a.ts", both],
    [["-"], '"lib/http/\\303\\244 \\"b\\".ts"\n', both.replaceAll("lib/http/a.ts", 'lib/http/ä "b".ts')],
    // More paths than one call of the tool takes, in which the first document is found twice.
    [
      ["README.md", ...Array.from({ length: 100 }, (_, index) => `other/${index}.c`), "lib/http/a.ts"],
      "",
      both.replace("lib/http/a.ts", "README.md, lib/http/a.ts"),
    ],
  ];
  for (const [args, input, expected] of cases) {
    assert.deepEqual(await runHere(["decisions", ...args, ...where], { input }), {
      code: 0,
      output: expected,
      errors: "",
    });
  }
  const shown = await runHere(["decisions", "lib/http/a.ts", ...where], { showsOutput: true, noColor: true });
  assert.equal(
    shown.output,
    `architecture://adr/0002-use-streams (accepted, 2026-01-02)
  Use streams
  lib/http/**: lib/http/a.ts

architecture://adr/0001-use-queues (superseded, 2026-01-02)
  Use queues
  lib/**: lib/http/a.ts
  This decision is superseded: do not follow it. Read architecture://adr/0002-use-streams (Use streams) in its place.
`,
  );
  for (const [args, input] of [[["x.c"], ""], [["-"], ""]] as const) {
    const { code, output, errors } = await runHere(["decisions", ...args, "--format", "json", ...where], {
      input,
    });
    assert.deepEqual([code, JSON.parse(output)], [0, { documents: [] }]);
    assert.match(errors, /^architrave: No document says that it applies to these files/);
  }
  const binary = await runHere(["decisions", "-", ...where], { input: Uint8Array.of(0xff) });
  assert.deepEqual([binary.code, binary.errors], [
    2,
    "architrave: Cannot read standard input: it is not UTF-8 or broken.\n",
  ]);
});

test("prompt takes arguments from files and standard input", async (t) => {
  const folder = makeFolder(t, {
    "prompts/echo.json": JSON.stringify({
      name: "echo",
      arguments: [{ name: "code" }, { name: "more" }],
      messages: [{ role: "user", content: { type: "text", text: "<<code>>|<<more>>" } }],
    }),
    "resources/docs/a.md": "# A\n",
    "code.ts": "let a = 1;\n<<more>>\n",
  });
  const cases: [args: string[], output: string][] = [
    [[`code=@${folder}/code.ts`], "let a = 1;\n<<more>>\n|\n"],
    [["code=-", "more=x=y"], "typed @x\n|x=y\n"],
    [["code=@@home", "more=--"], "@home|--\n"],
  ];
  for (const [args, expected] of cases) {
    const result = await runHere(["prompt", "echo", ...args, "--root", folder], { input: "typed @x\n" });
    assert.deepEqual(result, { code: 0, output: expected, errors: "" });
  }
  const twice = await runHere(["prompt", "echo", "code=-", "more=-", "--root", folder]);
  assert.equal(twice.code, 2);
  assert.match(
    twice.errors,
    /Only one argument of a prompt can be read from standard input; see --help/,
  );
  const missing = await runHere(["prompt", "echo", `code=@${folder}/none`, "--root", folder]);
  assert.deepEqual([missing.code, missing.output], [2, ""]);
  assert.match(
    missing.errors,
    /Cannot read the file of the argument "code": ".+none" does not exist: .+\.$/m,
  );
});

test("a terminal gets documents without what steers it, a pipe gets them byte for byte", async (t) => {
  const folder = makeFolder(t, { "a.md": "# A\n\n\x1b[31m\tred\n" });
  const read = ["read", "architecture://docs/a", "--mount", `docs=${folder}`];
  assert.equal((await runHere(read)).output, "# A\n\n\x1b[31m\tred\n");
  assert.equal((await runHere(read, { showsOutput: true })).output, "# A\n\n\\u{1b}[31m\tred\n");
});

test("--format json spells out what steers a terminal or is not seen on it", async (t) => {
  const title = "A\u009b31mB\u202eC \u{e0041}";
  const folder = makeFolder(t, { "a.md": `# ${title}\n` });
  const { output } = await runHere(["list", "--format", "json", "--mount", `docs=${folder}`], {
    showsOutput: true,
  });
  assert.match(output, /"A\\u009b31mB\\u202eC \\udb40\\udc41"/);
  assert.equal(JSON.parse(output).resources[0].title, title);
});

test("an error never carries control characters of a settings file to the terminal", async (t) => {
  const settings = JSON.stringify({ check: { sections: { "*": "\u001b[31mX" } } });
  const folder = makeFolder(t, { "a.md": "# A\n", "architrave.json": settings });
  const { code, errors } = await runHere([
    "check",
    "--mount",
    `docs=${folder}`,
    "--config",
    `${folder}/architrave.json`,
  ]);
  assert.equal(code, 2);
  assert.match(errors, /^[^\p{Cc}]+\n$/u);
  assert.doesNotMatch(errors, /\.\.$/m);
});
