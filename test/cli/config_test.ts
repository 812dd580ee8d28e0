import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, cli, runHere } from "../harness/command.ts";
import { commandLine } from "../../lib/cli/shell_word.ts";
import { makeFolder } from "../harness/folder.ts";

test("config prints the same server for every client, in the format of each", async (t) => {
  const folder = makeFolder(t, { "0001-x.md": "# X\n" });
  const [, clients] = /^CLIENT is one of (.+)$/m.exec((await cli("config --help")).output)!;
  assert.equal(clients!.split(", ").length, 13);
  for (const client of clients!.split(", ")) {
    const { code, output, errors } = await cli(`config ${client} --mount adr=DIR`, folder);
    assert.deepEqual([code, errors], [0, ""], client);
    assert.match(output, /^[\w ]+: add this to \S/, client);
    assert.ok(output.includes(`"--mount"`) && output.includes(JSON.stringify(`adr=${folder}`)), output);
  }
});

test("config names the other clients that read the same form, and so does its help", async (t) => {
  const folder = makeFolder(t, { "0001-x.md": "# X\n" });
  const help = (await cli("config --help")).output.replace(/\s+/g, " ");
  const [, ids = "", others = ""] = /jetbrains (claude-desktop.*) read one form, and so do (.*?)\. /.exec(
    help,
  )!;
  const read = async (client: string): Promise<Record<string, string>[]> =>
    JSON.parse((await cli(`config ${client} --format json --mount adr=DIR`, folder)).output).alsoRead;
  const clients = ids.split(/, | and /), outside = others.split(/, | and /);
  for (const client of clients) {
    const titles = (await read(client)).map(({ title }) => title!);
    assert.equal(titles.length, clients.length - 1 + outside.length, client);
    assert.deepEqual(titles.slice(-outside.length), outside, client);
  }
  for (const client of ["claude-code", "copilot"]) {
    const [first] = await read(client);
    assert.ok(first!["file"]!.includes(".mcp.json") || first!["file"]!.includes("mcp-config.json"), client);
  }
  assert.deepEqual(await read("zed"), []);
  assert.match((await cli("config codex --mount adr=DIR", folder)).output, /same form:\n {2}Grok Build: ~/);
});

test("commands for PowerShell and Windows run nothing that a folder is called", async (t) => {
  const names = ["$(calc)", "`$x", "it's", "it\u2019s; calc #", '"; calc; "', "\u201d; calc #", "R&D", "a b"];
  const root = makeFolder(t, Object.fromEntries(names.map((name) => [`${name}/0001-x.md`, "# X\n"])));
  for (const name of names) {
    const { output } = await runHere(["config", "copilot", "--hooks", "--mount", `adr=${root}/${name}`]);
    const { preToolUse: [{ powershell }] } = JSON.parse(output.slice(output.indexOf("{"))).hooks;
    const word = `'adr=${root}/${name.replace(/['\u2019]/g, "$&$&")}'`;
    assert.match(powershell, /^& [^$`"=]+ --/);
    assert.ok(powershell.endsWith(` --mount ${word} hook copilot; exit 0`), powershell);

    const isSafe = ["it's", "it\u2019s; calc #", "R&D", "a b"].includes(name);
    assert.equal(commandLine(["x", name], true), isSafe ? `x "${name}"` : undefined);
    // Between the quotes in a word, a shell reads what is in them.
    const json = commandLine(["x", JSON.stringify([name])], true);
    assert.equal(json, name === "a b" ? 'x "[\\"a b\\"]"' : undefined);
  }
});

test("config says what is wrong with its arguments, and does not configure the sample", async () => {
  await assertFails([
    ["config vim", 2, /Unknown client "vim": use one of claude-code, /],
    ["config cursr", 2, /Unknown client "cursr" \(did you mean cursor\?\): use one of claude-code, /],
    [["config", "zed", "--name", "a b"], 2, /--name takes letters, digits, dashes and underscores/],
    ["config zed --root /nowhere", 2, /Cannot read --root/],
    [
      "config",
      2,
      /Missing argument for config: the usage is "config CLIENT", with CLIENT one of claude-code, .*jetbrains; see/,
    ],
    [
      "config zed --allow-net",
      2,
      /Unknown option "--allow-net" \(a flag of the runtime comes before mod\.ts\)/,
    ],
    ["config zed", 2, /Cannot configure the sample: name a folder of markdown with --in FOLDER/],
  ]);
});
