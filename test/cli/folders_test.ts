/** Which documents and prompts are served: those that are named, else the sample that comes with the program. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { handshake, ON_DENO, REPOSITORY, run, sandbox } from "../harness/program.ts";

const ADR = { "docs/adr/0001-use-queues.md": "---\nstatus: accepted\n---\n# Use queues\n" };
const SHIPPED = ["create-adr", "review-code-against-patterns", "suggest-patterns"];

/** A request of the handshake, and what `serve` answers to it and to others. */
async function serve(args: readonly string[], ...methods: string[]): Promise<Record<string, unknown>[]> {
  const requests = [
    ["initialize", handshake("2025-11-25")] as const,
    ...methods.map((method) => [method, {}] as const),
  ];
  const lines = requests.map(([method, params], id) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
  );
  const { code, output } = await runHere(args, { input: lines.join("") });
  assert.equal(code, 0);
  return output.trimEnd().split("\n").map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id)
    .map(({ result }) => result);
}

test("with a folder of one's own, nothing of ours is served, searched, checked or named, but for three prompts", async (t) => {
  const folder = makeFolder(t, { ...ADR, "root/resources/guidelines/naming.md": "# Naming\n" });
  for (const where of [["--mount", `adr=${folder}/docs/adr`], ["--root", `${folder}/root`]]) {
    const { output } = await runHere(["list", "--format", "json", ...where]);
    const { sample, resources, prompts } = JSON.parse(output);
    assert.equal(sample, undefined);
    assert.deepEqual(resources.map(({ title }: { title: string }) => title).length, 1);
    assert.deepEqual(prompts.map(({ name }: { name: string }) => name), SHIPPED);
    const search = await runHere(["search", "protocol", ...where]);
    assert.deepEqual([search.code, search.output], [1, ""]);
    const check = await runHere(["check", "--format", "json", ...where]);
    assert.deepEqual(JSON.parse(check.output).documents, 1);
    assert.deepEqual(JSON.parse(check.output).prompts, 0);
    const decisions = await runHere(["decisions", "lib/http/handler.ts", ...where]);
    assert.equal(decisions.output, "");
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
  const where = ["--root", `${folder}/root`, "--mount", `adr=${folder}/docs/adr`];
  const cases: [args: string[], uri: string, record: string, document: string][] = [
    [where, "architecture://{category}/{path}", "architecture://adr/1", "architecture://adr/0001-use-queues"],
    [
      [...where, "--scheme", "file"],
      "file:///{category}/{path}.md",
      "file:///adr/1.md",
      "file:///adr/0001-use-queues.md",
    ],
  ];
  for (const [args, uri, record, document] of cases) {
    const [opened, tools] = await serve(args, "tools/list");
    const instructions = opened!["instructions"] as string;
    assert.ok(instructions.includes(`(${uri})`), instructions);
    assert.ok(instructions.includes("It has these documents: adr (2), guidelines (1)."), instructions);
    assert.ok(instructions.includes(`by its number (${record.replace("/1", "/7")})`), instructions);
    assert.match(instructions, /follow it\./);
    assert.ok(instructions.length < 2000);
    const text = JSON.stringify(tools);
    assert.ok(text.includes("adr (2), empty (0), guidelines (1)"), text);
    assert.ok(text.includes(`such as ${document} or ${record} (a decision record by its number)`), text);
    assert.ok(text.includes("Only of this category: adr, empty, guidelines"), text);
    assert.ok(
      text.includes("Only decision records with this status, or one of several with commas: accepted"),
      text,
    );
  }
  // A mount can be a folder in a category.
  const [nested] = await serve(["--root", `${folder}/root`, "--mount", `guidelines/adr=${folder}/docs/adr`]);
  assert.match(nested!["instructions"] as string, /these documents: adr \(1\), guidelines \(3\)\./);
  // Large trees do not delay the first answer.
  const many = Array.from({ length: 250 }, (_, index) => [`deep/${index}/a.md`, "# A\n"]);
  const [large] = await serve(["--mount", `docs=${makeFolder(t, Object.fromEntries(many))}`]);
  assert.match(large!["instructions"] as string, /these documents: docs \(198 or more\)\./);
  const empty = makeFolder(t, { "resources/adr/.keep": "" });
  const [opened] = await serve(["--root", empty]);
  assert.match(opened!["instructions"] as string, /It has these documents: none yet\./);
});

test("the sample says that it is one, and that it is not to be followed", async () => {
  const [opened] = await serve([]);
  const instructions = opened!["instructions"] as string;
  assert.match(instructions, /serves the sample that comes with Architrave/);
  assert.match(instructions, /adr \(\d\d\), guidelines \(\d\d\), patterns \(\d\)/);
  assert.match(instructions, /They are not decisions of the user's team: .+ do not follow them\./);
  const greeting = await runHere([], { interactive: true });
  assert.match(
    greeting.errors,
    /^architrave \S+ serves the sample documents that come with it \(name a folder .+\n$/,
  );
  for (const command of ["list", "read architecture://adr/1", "search records", "check", "graph", "toc"]) {
    const { code, errors } = await runHere(command.split(" "));
    assert.match(
      errors,
      /^architrave: These are the sample documents that come with it \(name a folder .+\n$/,
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
  const folder = makeFolder(t, {
    ...ADR,
    "Our docs!/a.md": "# A\n",
    "root/resources/guidelines/naming.md": "# N\n",
  });
  const cases: [args: string[], uris: string[]][] = [
    [[`${folder}/docs/adr`], ["architecture://adr/0001-use-queues"]],
    [[`${folder}/docs/adr/`, "--scheme", "file"], ["file:///adr/0001-use-queues.md"]],
    [[`${folder}/docs/adr/../adr/.`], ["architecture://adr/0001-use-queues"]],
    [[`${folder}/Our docs!`], ["architecture://Our-docs-/a"]],
    [[`${folder}/root`], ["architecture://guidelines/naming"]],
    [
      ["--mount", `more=${folder}/Our docs!`, `${folder}/docs/adr`],
      ["architecture://adr/0001-use-queues", "architecture://more/a"],
    ],
  ];
  for (const [args, uris] of cases) {
    const [, list] = await serve(args, "resources/list");
    assert.deepEqual((list!["resources"] as { uri: string }[]).map(({ uri }) => uri), uris);
  }
  const twice = await runHere([`${folder}/docs/adr`, "--mount", `adr=${folder}/docs`]);
  assert.deepEqual([twice.code, twice.output], [2, ""]);
  const greeting = await runHere([`${folder}/docs/adr`], { interactive: true });
  assert.match(
    greeting.errors,
    /^architrave \S+ serves 1 document from .+docs\/adr and waits for an MCP client/,
  );
});

test("where nothing is there at all, that is one sentence and exit code 2", async (t) => {
  const folder = makeFolder(t, {});
  for (const command of [[], ["list"], ["check"], ["http", "--listen", "0"]]) {
    for (const home of [undefined, folder]) {
      const { code, output, errors } = await runHere(command, { home });
      assert.deepEqual([code, output], [2, ""]);
      assert.match(
        errors,
        /^architrave: [^\n]+ name a folder of markdown with --mount NAME=DIR, or one with .+ with --root DIR\.\n$/,
      );
    }
  }
});

test("shipped prompts embed the user's documents, and say where there are none; a prompt of the same name wins", async (t) => {
  const prompt = (text: string) =>
    JSON.stringify({
      name: "suggest-patterns",
      messages: [{ role: "user", content: { type: "text", text } }],
    });
  const folder = makeFolder(t, {
    ...ADR,
    "root/resources/patterns/queue.md": "# Queue\n\nThe pattern.\n",
    "root/resources/guidelines/naming.md": "# Naming\n\nThe guideline.\n",
    "own/resources/patterns/queue.md": "# Queue\n",
    "own/prompts/create-adr.json": prompt("Ours."),
  });
  const render = async (name: string, args: string[], where: string[]) => {
    const { code, output, errors } = await runHere(["prompt", name, ...args, ...where]);
    assert.deepEqual([code, errors], [0, ""]);
    return output;
  };
  const root = ["--root", `${folder}/root`];
  const adr = ["--mount", `adr=${folder}/docs/adr`];
  const review = await render("review-code-against-patterns", ["code=x"], root);
  assert.ok(review.includes("[architecture://patterns/queue] Queue\n\n# Queue\n\nThe pattern."));
  assert.ok(review.includes("[architecture://guidelines/naming] Naming\n\n# Naming\n\nThe guideline."));
  const suggest = await render("suggest-patterns", ["problem=x"], adr);
  assert.ok(suggest.includes("(No document matches architecture://patterns/**.)"));
  await render("create-adr", ["topic=x"], adr);
  // The name counts, not the file.
  const own = ["--root", `${folder}/own`];
  assert.equal(await render("suggest-patterns", [], own), "Ours.\n");
  assert.match(await render("create-adr", ["topic=x"], own), /^Draft one architecture decision record/);
  const { prompts } = JSON.parse((await runHere(["list", "--format", "json", ...own])).output);
  assert.deepEqual(prompts.map(({ name }: { name: string }) => name), SHIPPED);
});

test("a shipped prompt says from which document on it leaves them out", async (t) => {
  const patterns = Array.from(
    { length: 60 },
    (_, index) => [`patterns/p${index + 10}.md`, `# P${index + 10}\n`],
  );
  const folder = makeFolder(t, Object.fromEntries(patterns));
  const where = ["--mount", `patterns=${folder}/patterns`];
  const { code, output } = await runHere(["prompt", "suggest-patterns", "problem=x", ...where]);
  assert.equal(code, 0);
  assert.ok(output.includes("[architecture://patterns/p59] P59"));
  assert.ok(
    output.includes("\n\n(Left out: more than 50 documents, here from architecture://patterns/p60 on.)\n"),
  );
  assert.doesNotMatch(output, /# P6/);
});

test("text that is typed into serve gets a sentence, and messages are answered", async () => {
  const message = (id: number, padding = "") =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping", padding })}\n`;
  const typed = await runHere([], { input: "hello\n", interactive: true });
  assert.equal(typed.output, "");
  assert.match(typed.errors, /^architrave: This is no MCP message, .+ press Ctrl-D .*Ctrl-Z.* to end, .+\n/);
  const pinged = await runHere([], { input: `  ${message(1)}${message(2)}`, interactive: true });
  assert.deepEqual(pinged.output.trim().split("\n").map((line) => JSON.parse(line).id), [1, 2]);
  assert.doesNotMatch(pinged.errors, /no MCP message/);
  // A client gets the error of the protocol.
  const piped = await runHere([], { input: "hello\n" });
  assert.deepEqual([JSON.parse(piped.output).error.code, piped.errors], [-32700, ""]);
});

test("a hint at --help is for wrong usage, and one at the sandbox for a sandbox", async (t) => {
  const folder = makeFolder(t, { "docs/binary.md": "x", "file": "" });
  const where = ["--root", `${folder}/none`];
  for (const sandboxed of [false, true]) {
    const { errors } = await runHere(["list", ...where], { sandboxed });
    assert.match(errors, /^architrave: Cannot read --root: ".+none" does not exist: .+\.\n$/);
  }
  const usage = await runHere(["list", "--page-size", "0"]);
  assert.match(usage.errors, /; see --help for all commands and options\.\n$/);
  const unknown = await runHere(["lits"]);
  assert.match(unknown.errors, /; see --help for all commands and options\.\n$/);
  const root = makeFolder(t, { "prompts/.keep": "" });
  const [open, closed] = await Promise.all(
    [false, true].map((sandboxed) => runHere(["check", "--root", root], { sandboxed })),
  );
  assert.match(open!.output, /error folder-missing \(1\): .+ names\.\n/);
  assert.match(
    closed!.output,
    /error folder-missing \(1\): .+ names\. The sandbox must allow reading it\.\n/,
  );
});

test("a sandbox that hides a folder is named, with the option that opens it", async (t) => {
  const folder = makeFolder(t, ADR);
  const { code, errors } = await run(["list", "--root", folder], "", { runtimeFlags: sandbox(REPOSITORY) });
  assert.equal(code, 2);
  assert.match(
    errors,
    /^architrave: Cannot read --root: ".+" is not open to this sandbox: add --allow-(?:fs-)?read=/,
  );
  if (!ON_DENO) return;
  const options = { cwd: folder, runtimeFlags: ["--no-prompt", `--allow-read=${REPOSITORY}`] };
  const share = await run(["list", "--mount", "adr=\\\\server\\docs"], "", options);
  assert.match(
    share.errors,
    /^architrave: Cannot read --mount adr: ".+" is on another machine, .+ --allow-all only: .+ Node\.$/m,
  );
});
