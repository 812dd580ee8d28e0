import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, cli, cliJson } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

const RECORD = (title: string, status: string, more = "") =>
  `---\nstatus: ${status}\ndate: 2026-01-02\n${more}---\n# ${title}\n\nRetries back off exponentially.\n`;
const PLAIN = { showsOutput: true, noColor: true };
const WHERE = "--mount adr=DIR/adr --mount notes=DIR/notes";
const FILES = {
  "adr/0001-use-queues.md": RECORD("Use queues", "superseded", "superseded-by: 2\napplies-to: lib/**\n"),
  "adr/0002-use-streams.md": RECORD("Use streams", "accepted", 'applies-to: [lib/http/**, "*.md"]\n'),
  "adr/0003-evil.md": RECORD("A \u001b[31mred\u0007 title", "proposed"),
  "notes/readme.md": "# Notes\n\nNothing of that kind.\n",
};

test("list has URI, number, status, date and title: by tabs, and aligned and coloured on a terminal", async (t) => {
  const folder = makeFolder(t, FILES);
  const { output, errors } = await cli(`list ${WHERE}`, folder);
  assert.equal(errors, "");
  assert.deepEqual(output.split("\n").slice(0, 5), [
    "architecture://adr/0001-use-queues\t1\tsuperseded\t2026-01-02\tUse queues",
    "architecture://adr/0002-use-streams\t2\taccepted\t2026-01-02\tUse streams",
    "architecture://adr/0003-evil\t3\tproposed\t2026-01-02\tA \\u{1b}[31mred\\u{7} title",
    "architecture://notes/readme\t\t\t\tNotes",
    "prompt create-adr topic=…\t\t\t\tDraft an architecture decision record",
  ]);
  const accepted = `list --status Accepted ${WHERE}`;
  const plain = "architecture://adr/0002-use-streams  2  accepted  2026-01-02  Use streams\n";
  const colored = "\x1b[36marchitecture://adr/0002-use-streams\x1b[0m  2  \x1b[32maccepted\x1b[0m  " +
    "\x1b[2m2026-01-02\x1b[0m  Use streams\n";
  const tabs = plain.replaceAll("  ", "\t");
  const cases: [options: string, terminal: { showsOutput?: boolean; noColor?: boolean }, string][] = [
    ["", {}, tabs],
    ["", { showsOutput: true }, colored],
    ["", PLAIN, plain],
    ["--color never", { showsOutput: true }, plain],
    ["--color always", {}, colored],
    ["--color always", { noColor: true }, colored],
    ["--color never", {}, tabs],
  ];
  for (const [options, terminal, expected] of cases) {
    assert.equal((await cli(`${accepted} ${options}`, folder, terminal)).output, expected, options);
  }
  const { prompts, resources } = await cliJson(accepted, folder);
  assert.deepEqual(prompts, []);
  assert.deepEqual(resources.map(({ uri }: { uri: string }) => uri), ["architecture://adr/0002-use-streams"]);
  const unknown = /There is no record with the status "valid"; there are: accepted, proposed, superseded\n/;
  await assertFails([[`list --status valid ${WHERE}`, 1, unknown]], folder);
});

test("search prints hits with their place, a row each or lines for a terminal, and ends with 1 without any", async (t) => {
  const folder = makeFolder(t, FILES);
  const found =
    "architecture://adr/0002-use-streams\taccepted\t2026-01-02\tUse streams\tline 8\tRetries back off " +
    "exponentially.\n";
  const rows = await cli(`search retries streams --limit 1 ${WHERE}`, folder);
  assert.deepEqual(rows, { code: 0, output: found, errors: "" });
  const shown = (await cli(`search retries ${WHERE}`, folder, PLAIN)).output;
  const heads = ["0002-use-streams (accepted", "0003-evil (proposed", "0001-use-queues (superseded"];
  assert.deepEqual(shown.match(/(?<=^architecture:\/\/adr\/)[^,]+/gm), heads);
  assert.match(
    shown,
    /^ {2}A \\u\{1b\}\[31mred\\u\{7\} title\n {2}line 7: Retries back off exponentially\.$/m,
  );
  const phrase = `search "streams retries" ${WHERE}`;
  const words = /^\(Nothing has the phrase "streams retries": searched for the words\.\)\n\narchitecture:/;
  assert.match((await cli(phrase, folder, PLAIN)).output, words);
  assert.deepEqual((await cliJson(phrase, folder)).asWords, ["streams retries"]);
  const { hits, total } = await cliJson(`search retries ${WHERE}`, folder);
  assert.deepEqual([hits.length, total], [3, 3]);
  const filtered = await cli(`search retries --status proposed --category adr ${WHERE}`, folder);
  assert.match(filtered.output, /^architecture:\/\/adr\/0003-evil\t[^\n]+\n$/);
  await assertFails([
    [`search zzz ${WHERE}`, 1, /^architrave: Nothing found for "zzz": .+\n$/],
    [
      `search zzz --status gone --category adr ${WHERE}`,
      1,
      /"zzz" in the category "adr" with the status "gone": /,
    ],
    [["search", " ", ...WHERE.split(" ")], 2, /: search takes words to find/],
    [`search x --category y ${WHERE}`, 1, /: There is no category "y"; there are: adr, notes\n$/],
  ], folder);
});

test("decisions names what applies to paths, given or read from standard input as git writes them", async (t) => {
  const folder = makeFolder(t, FILES);
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
  for (const [args, input, output] of cases) {
    const line = ["decisions", ...args, "--mount", "adr=DIR/adr"];
    assert.deepEqual(await cli(line, folder, { input }), { code: 0, output, errors: "" });
  }
  for (const path of ["x.c", "-"]) {
    const { code, output, errors } = await cli(`decisions ${path} --format json --mount adr=DIR/adr`, folder);
    assert.deepEqual([code, JSON.parse(output)], [0, { documents: [] }]);
    assert.match(errors, /^architrave: No document says that it applies to these files/);
  }
  const binary = await cli("decisions - --mount adr=DIR/adr", folder, { input: Uint8Array.of(0xff) });
  const errors = "architrave: Cannot read standard input: it is not UTF-8 or broken.\n";
  assert.deepEqual(binary, { code: 2, output: "", errors });
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
  const cases: [args: string, output: string][] = [
    ["code=@DIR/code.ts", "let a = 1;\n<<more>>\n|\n"],
    ["code=- more=x=y", "typed @x\n|x=y\n"],
    ["code=@@home more=--", "@home|--\n"],
  ];
  for (const [args, output] of cases) {
    const result = await cli(`prompt echo ${args} --root DIR`, folder, { input: "typed @x\n" });
    assert.deepEqual(result, { code: 0, output, errors: "" });
  }
  const { messages } = await cliJson("prompt echo code=x --root DIR", folder);
  assert.deepEqual(messages, [{ role: "user", content: { type: "text", text: "x|" } }]);
  const missing = /Cannot read the file of the argument "code": ".+none" does not exist: .+\.$/m;
  await assertFails([
    ["prompt echo code=- more=- --root DIR", 2, /Only one .* can be read from standard input; see/],
    ["prompt echo code=@DIR/none --root DIR", 2, missing],
  ], folder);
});

test("a terminal gets documents without what steers it, a pipe gets them byte for byte", async (t) => {
  const folder = makeFolder(t, { "a.md": "# A\n\n\x1b[31m\tred\n" });
  const line = "read architecture://docs/a --mount docs=DIR";
  assert.equal((await cli(line, folder)).output, "# A\n\n\x1b[31m\tred\n");
  assert.equal((await cli(line, folder, { showsOutput: true })).output, "# A\n\n\\u{1b}[31m\tred\n");
});

test("--format json spells out what steers a terminal or is not seen on it", async (t) => {
  const title = "A\u009b31mB\u202eC \u{e0041}";
  const folder = makeFolder(t, { "a.md": `# ${title}\n` });
  const { output } = await cli("list --format json --mount docs=DIR", folder, { showsOutput: true });
  assert.match(output, /"A\\u009b31mB\\u202eC \\udb40\\udc41"/);
  assert.equal(JSON.parse(output).resources[0].title, title);
});
