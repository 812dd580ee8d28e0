/** Which documents and prompts are served: those that are named, else the sample that comes with the program. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, cli, cliJson, runHere, serveHere } from "../harness/command.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { ON_DENO, REPOSITORY, run, sandbox } from "../harness/program.ts";

const ADR = { "docs/adr/0001-use-queues.md": "---\nstatus: accepted\n---\n# Use queues\n" };
const SHIPPED = ["create-adr", "review-code-against-patterns", "suggest-patterns"];

/** The instructions of the server of some folders. */
async function instructionsOf(line: string, folder = ""): Promise<string> {
  return (await serveHere(line, folder, [["server/discover"]])).answers[0].result.instructions;
}

test("with a folder of one's own, nothing of ours is served, searched, checked or named, but for three prompts", async (t) => {
  const folder = makeFolder(t, { ...ADR, "root/resources/guidelines/naming.md": "# Naming\n" });
  for (const where of ["--mount adr=DIR/docs/adr", "--root DIR/root"]) {
    const { sample, resources, prompts } = await cliJson(`list ${where}`, folder);
    assert.deepEqual([sample, resources.length], [undefined, 1]);
    assert.deepEqual(prompts.map(({ name }: { name: string }) => name), SHIPPED);
    await assertFails([[`search protocol ${where}`, 1, /Nothing found/]], folder);
    const check = await cliJson(`check ${where}`, folder);
    assert.deepEqual([check.documents, check.prompts], [1, 0]);
    assert.equal((await cli(`decisions lib/mcp/http/handler.ts ${where}`, folder)).output, "");
  }
});

test("instructions and tools name the categories, how many documents they have, and the scheme", async (t) => {
  const folder = makeFolder(t, {
    ...ADR,
    "docs/adr/deep/0002-use-streams.md": "# Use streams\n",
    "docs/adr/.hidden.md": "# Hidden\n",
    "docs/adr/picture.png": "",
    "root/resources/guidelines/naming.md": "# Naming\n",
    "root/resources/adr/replaced.md": "# Replaced\n",
    "root/resources/empty/.keep": "",
  });
  const where = "--root DIR/root --mount adr=DIR/docs/adr";
  const file = `${where} --scheme file`;
  const cases = [[where, "architecture://", ""], [file, "file:///", ".md"]] as const;
  for (const [args, start, end] of cases) {
    const instructions = await instructionsOf(args, folder);
    const { output: text } = await serveHere(args, folder, [["tools/list"]]);
    for (
      const part of [
        `(${start}{category}/{path}${end})`,
        "It has these documents: adr (2), guidelines (1).",
        `by its number (${start}adr/7${end})`,
        "follow it.",
      ]
    ) assert.ok(instructions.includes(part), instructions);
    assert.ok(instructions.length < 2000);
    for (
      const part of [
        "adr (2), empty (0), guidelines (1)",
        `such as ${start}adr/0001-use-queues${end} or ${start}adr/1${end} (a decision record by its number)`,
        "Only of this category: adr, empty, guidelines",
        "Only decision records with this status, or one of several with commas: accepted",
      ]
    ) assert.ok(text.includes(part), text);
  }
  // A mount can be a folder in a category.
  // Large trees do not delay the first answer.
  const many = Array.from({ length: 250 }, (_, index) => [`large/deep/${index}/a.md`, "# A\n"]);
  writeFiles(folder, { ...Object.fromEntries(many), "none/resources/adr/.keep": "" });
  const rows: [args: string, documents: string][] = [
    ["--root DIR/root --mount guidelines/adr=DIR/docs/adr", "adr (1), guidelines (3)"],
    ["--mount docs=DIR/large", "docs (198 or more)"],
    ["--root DIR/none", "none yet"],
  ];
  for (const [args, documents] of rows) {
    const instructions = await instructionsOf(args, folder);
    assert.ok(instructions.includes(`these documents: ${documents}.`), instructions);
  }
});

test("the sample says that it is one, and that it is not to be followed", async () => {
  const instructions = await instructionsOf("");
  assert.match(instructions, /serves the sample that comes with Architrave/);
  assert.match(instructions, /adr \(\d\d\), guidelines \(\d\d\), patterns \(\d\)/);
  assert.match(instructions, /They are not decisions of the user's team: .+ do not follow them\./);
  assert.equal((await cliJson("list")).sample, true);
  const greeting = await cli("", "", { interactive: true });
  assert.match(
    greeting.errors,
    /^architrave \S+ serves the sample documents that come with Architrave \(name .+\n$/,
  );
  for (const command of ["list", "read architecture://adr/1", "search records", "graph", "toc"]) {
    const { code, errors } = await cli(command);
    assert.match(
      errors,
      /^architrave: These are the sample documents that come with Architrave \(name .+\n$/,
    );
    assert.equal(code, 0, command);
  }
});

test("a team's own documents beside the program are no sample", async (t) => {
  const home = makeFolder(t, { "mcp/resources/guidelines/naming.md": "# Naming\n" });
  const { output, errors } = await runHere(["list"], { home });
  assert.deepEqual([output, errors], ["architecture://guidelines/naming\t\t\t\tNaming\n", ""]);
});

test("a folder in place of a command is served as a category of its name", async (t) => {
  const files = { "Our docs!/a.md": "# A\n", "root/resources/guidelines/naming.md": "# N\n" };
  const folder = makeFolder(t, { ...ADR, ...files });
  const queues = "architecture://adr/0001-use-queues";
  const rows: [args: string | string[], uris: string][] = [
    ["DIR/docs/adr", queues],
    ["DIR/docs/adr/ --scheme file", "file:///adr/0001-use-queues.md"],
    ["DIR/docs/adr/../adr/.", queues],
    [["DIR/Our docs!"], "architecture://Our-docs-/a"],
    ["DIR/root", "architecture://guidelines/naming"],
    [["--mount", "more=DIR/Our docs!", "DIR/docs/adr"], `${queues} architecture://more/a`],
  ];
  for (const [args, uris] of rows) {
    const { answers: [{ result: { resources } }] } = await serveHere(args, folder, [["resources/list"]]);
    assert.equal(resources.map(({ uri }: { uri: string }) => uri).join(" "), uris);
  }
  await assertFails([["DIR/docs/adr --mount adr=DIR/docs", 2, /--mount is given twice for "adr"/]], folder);
  const { errors } = await cli("DIR/docs/adr", folder, { interactive: true });
  assert.match(errors, /^architrave \S+ serves 1 document from .+docs\/adr and waits for an MCP client/);
});

test("where nothing is there at all, that is one sentence and exit code 2", async (t) => {
  const folder = makeFolder(t, {});
  for (const command of [[], ["list"], ["check"], ["http", "--listen", "0"]]) {
    for (const home of [undefined, folder]) {
      const { code, output, errors } = await runHere(command, { home });
      assert.deepEqual([code, output], [2, ""]);
      assert.match(
        errors,
        /^architrave: [^\n]+ name a folder of markdown with --in FOLDER, or several with --mount NAME=DIR\.\n$/,
      );
    }
  }
});

test("shipped prompts embed the user's documents, and say where there are none; a prompt of the same name wins", async (t) => {
  const messages = [{ role: "user", content: { type: "text", text: "Ours." } }];
  const folder = makeFolder(t, {
    ...ADR,
    "root/resources/patterns/queue.md": "# Queue\n\nThe pattern.\n",
    "root/resources/guidelines/naming.md": "# Naming\n\nThe guideline.\n",
    "own/resources/patterns/queue.md": "# Queue\n",
    "own/prompts/create-adr.json": JSON.stringify({ name: "suggest-patterns", messages }),
  });
  const render = async (line: string) => {
    const { code, output, errors } = await cli(`prompt ${line}`, folder);
    assert.deepEqual([code, errors], [0, ""]);
    return output;
  };
  const review = await render("review-code-against-patterns code=x --root DIR/root");
  assert.ok(review.includes("[architecture://patterns/queue] Queue\n\n# Queue\n\nThe pattern."));
  assert.ok(review.includes("[architecture://guidelines/naming] Naming\n\n# Naming\n\nThe guideline."));
  const suggest = await render("suggest-patterns problem=x --mount adr=DIR/docs/adr");
  assert.ok(suggest.includes("(No document matches architecture://patterns/**.)"));
  await render("create-adr topic=x --mount adr=DIR/docs/adr");
  // The name counts, not the file.
  assert.equal(await render("suggest-patterns --root DIR/own"), "Ours.\n");
  assert.match(await render("create-adr topic=x --root DIR/own"), /^Draft one architecture decision record/);
  const { prompts } = await cliJson("list --root DIR/own", folder);
  assert.deepEqual(prompts.map(({ name }: { name: string }) => name), SHIPPED);
});

test("a shipped prompt says from which document on it leaves them out", async (t) => {
  const numbers = Array.from({ length: 60 }, (_, index) => index + 10);
  const folder = makeFolder(t, Object.fromEntries(numbers.map((n) => [`p${n}.md`, `# P${n}\n`])));
  const { code, output } = await cli("prompt suggest-patterns problem=x --mount patterns=DIR", folder);
  assert.equal(code, 0);
  assert.ok(output.includes("[architecture://patterns/p59] P59"));
  const left = "(Left out: more than 50 documents, here from architecture://patterns/p60 on.)";
  assert.ok(output.includes(`\n\n${left}\n`));
  assert.doesNotMatch(output, /# P6/);
});

test("text that is typed into serve gets a sentence, and messages are answered", async () => {
  const message = (id: number, padding = "") =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping", padding })}\n`;
  const typed = await runHere([], { input: "hello\n", interactive: true });
  assert.equal(typed.output, "");
  assert.match(
    typed.errors,
    /^architrave: This is not an MCP message, .+ press Ctrl-D .*Ctrl-Z.* to end, .+\n/,
  );
  const pinged = await runHere([], { input: `  ${message(1)}${message(2)}`, interactive: true });
  assert.deepEqual(pinged.output.trim().split("\n").map((line) => JSON.parse(line).id), [1, 2]);
  assert.doesNotMatch(pinged.errors, /not an MCP message/);
  // A client gets the error of the protocol.
  const piped = await runHere([], { input: "hello\n" });
  assert.deepEqual([JSON.parse(piped.output).error.code, piped.errors], [-32700, ""]);
});

test("a hint at --help is for wrong usage, and one at the sandbox for a sandbox", async (t) => {
  for (const sandboxed of [false, true]) {
    const { errors } = await cli("list --root DIR/none", makeFolder(t), { sandboxed });
    assert.match(errors, /^architrave: Cannot read --root: ".+none" does not exist: .+\.\n$/);
  }
  for (const line of ["list --page-size 0", "lits"]) {
    await assertFails([[line, 2, /; see --help for all commands and options\.\n$/]]);
  }
  const root = makeFolder(t, { "prompts/.keep": "" });
  for (const [sandboxed, advice] of [[false, ""], [true, " The sandbox must allow reading it\\."]] as const) {
    const { output } = await cli("check --root DIR", root, { sandboxed });
    assert.match(output, new RegExp(`error folder-missing \\(1\\): .+ names\\.${advice}\\n`));
  }
});

test("a sandbox that hides a folder is named, with the option that opens it", async (t) => {
  const folder = makeFolder(t, ADR);
  const options = { cwd: folder, runtimeFlags: sandbox(REPOSITORY) };
  const { code, errors } = await run(["list", "--root", "."], "", options);
  assert.equal(code, 2);
  const closed =
    /^architrave: Cannot read --root: ".+" is not open to this sandbox: add --allow-(?:fs-)?read="\." before mod\.ts, and/;
  assert.match(errors, closed);
  const served = await run([`${folder}/resources`], "", options);
  assert.match(
    served.errors,
    /^architrave: Cannot read the folder: ".+" is not open to this sandbox: add --allow-/,
  );
  if (!ON_DENO) return;
  const page = await run(["page", folder], "", {
    cwd: folder,
    runtimeFlags: sandbox(REPOSITORY, folder),
  });
  assert.match(
    page.errors,
    /sandbox does not allow it; add --allow-net=127\.0\.0\.1:8090 before mod\.ts\.$/m,
  );
  const share = await run(["list", "--mount", "adr=\\\\server\\docs"], "", options);
  const away =
    /^architrave: Cannot read --mount adr: ".+" is on another machine, .+ --allow-all only: .+ Node\.$/m;
  assert.match(share.errors, away);
});
