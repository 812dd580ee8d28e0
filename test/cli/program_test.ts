import process from "node:process";
import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { modern, Program, REPOSITORY, run } from "../harness/program.ts";
import { runHere } from "../harness/command.ts";

test("a command is a process: answers on standard output, mistakes on standard error, and an exit code", async () => {
  const cases: [string[], number, RegExp, RegExp][] = [
    [
      ["read", "architecture://adr/2#decision"],
      0,
      /^## Decision\n/,
      /^architrave: These are the sample .*\n$/,
    ],
    [
      ["read", "architecture://adr/99"],
      1,
      /^$/,
      /^architrave: These are the sample .*\narchitrave: Resource not found: architecture:\/\/adr\/99; list shows all documents\n$/,
    ],
    [["--nonsense"], 2, /^$/, /^architrave: Unknown option "--nonsense"; see --help .*\n$/],
  ];
  for (const [args, code, output, errors] of cases) {
    const result = await run(args);
    assert.equal(result.code, code);
    assert.match(result.output, output);
    assert.match(result.errors, errors);
  }
});

test("list names every document and prompt; json is the lists themselves", async () => {
  const { code, output, errors } = await runHere(["list"]);
  assert.equal(code, 0);
  assert.match(errors, /^architrave: These are the sample documents .+--mount NAME=DIR.+--root DIR\)\.\n$/);
  assert.match(output, /^architecture:\/\/adr\/002-one-golden-path\t2\taccepted\t2026-\S+\tEvery/m);
  assert.match(output, /^prompt suggest-patterns problem=…\t{4}\S/m);
  const { sample, resources, prompts } = JSON.parse((await runHere(["list", "--format", "json"])).output);
  assert.equal(sample, true);
  assert.equal(output.trimEnd().split("\n").length, resources.length + prompts.length);
});

test("read prints a document byte for byte, or one section of it", async () => {
  const { code, output } = await runHere(["read", "architecture://adr/2"]);
  assert.equal(code, 0);
  assert.equal(output, readFileSync(`${REPOSITORY}/mcp/resources/adr/002-one-golden-path.md`, "utf8"));
  const section = await runHere(["read", "architecture://adr/2#decision"]);
  assert.match(section.output, /^## Decision\n/);
  assert.ok(output.includes(section.output));
});

test("prompt prints what a model would get", async () => {
  const { code, output } = await runHere(["prompt", "suggest-patterns", "problem=a=b <<problem>> $&"]);
  assert.equal(code, 0);
  assert.ok(output.includes("a=b <<problem>> $&"));
  assert.match(output, /\[architecture:\/\/patterns\/golden-path\] /);
  const asJson = JSON.parse(
    (await runHere(["prompt", "suggest-patterns", "problem=x", "--format", "json"])).output,
  );
  assert.equal(asJson.messages[0].content.type, "text");
});

test("what does not exist is one sentence and exit code 1", async () => {
  const missing = ["read architecture://adr/99", "prompt nothing", "prompt suggest-patterns"];
  for (const words of [...missing, "prompt suggest-patterns problem=x other=y"]) {
    const { code, output, errors } = await runHere([...words.split(" "), "--root", `${REPOSITORY}/mcp`]);
    assert.deepEqual([code, output], [1, ""], words);
    assert.match(errors, /^architrave: .+\n$/);
  }
});

test("wrong usage is one sentence that names the mistake, and exit code 2", async (t) => {
  const folder = makeFolder(t, { file: "", "root/resources/adr/1-x.md": "" });
  const mistakes: [words: string, RegExp][] = [
    ["--rot x", /Unknown option "--rot"/],
    ["-x", /Unknown option "-x"/],
    ["-hV", /Unknown option "-hV"/],
    ["--root", /--root takes a value \(DIR\)/],
    ["--page-size -1", /--page-size takes a value .* is written --page-size=-/],
    ["--page-size=-1", /--page-size takes a whole number from 1 to 100000, not "-1"/],
    ["--root @/missing", /Cannot read --root: ".*missing" does not exist: .+\.$/m],
    ["--root @/file", /Cannot read --root: ".*file" is not a folder: .+\.$/m],
    ["--root @", /neither resources\/ nor prompts\/; .* serve it with --mount NAME=.+[^.]\.$/m],
    ["--root @/root/resources", /neither resources\/ nor prompts\//],
    ["--mount docs/adr", /--mount takes NAME=DIR, not "docs\/adr": write --mount adr=docs\/adr;/],
    ["--mount adr=", /--mount takes NAME=DIR, not "adr="/],
    ["--mount a//b=x", /letters/],
    ["--mount ../b=x", /letters/],
    ["--rot x", /Unknown option "--rot" \(did you mean --root\?\);/],
    ["lsit", /Unknown command "lsit" \(did you mean list\?\): use one of serve,/],
    ["zzz", /Unknown command "zzz": use one of serve,/],
    ["--mount adr=x --mount adr=y", /--mount is given twice for "adr"/],
    ["--mount adr=@/missing", /--mount adr/],
    ["--scheme http", /Unknown --scheme "http": use one of architecture, file/],
    ["--page-size 0", /--page-size takes a whole number/],
    ["--page-size 1e3", /--page-size takes a whole number/],
    ["--page-size 100001", /--page-size takes a whole number/],
    ["--poll x", /--poll takes a whole number from 10/],
    ["--log-level loud", /use one of silent, error/],
    ["--log-format xml", /use one of text, json/],
    ["list --format xml", /use one of text, json/],
    ["--help=yes", /--help takes no value/],
    ["sreve", /Unknown command "sreve" \(did you mean serve\?\): use one of serve, http, list/],
    ["help sreve", /Unknown command "sreve"/],
    ["--format json", /--format is an option of list, .*, gateway, inspect, not of serve/],
    ["list --timeout=1", /--timeout is an option of gateway, inspect, not of list/],
    ["serve x", /Unexpected argument "x" for serve: the usage is "serve"/],
    ["list x", /Unexpected argument "x" for list: the usage is "list"; see --help .+\.$/m],
    ["list docs/adr", /the usage is "list", and --mount NAME=DIR names a folder;/],
    ["@/root list", /Unexpected argument "list" for serve: the usage is "serve", and a command comes first;/],
    ["docs/missing", /Unknown command "docs\/missing", and there is no such folder: use one of/],
    ["@ extra", /Unexpected argument "extra" for serve: the usage is "serve"/],
    ["search", /Missing argument for search: the usage is "search QUERY\.\.\."/],
    ["decisions", /Missing argument for decisions/],
    ["list --color red", /use one of auto, always, never/],
    ["search x --limit 0", /--limit takes a whole number from 1 to 100/],
    ["read", /Missing argument for read: the usage is "read URI"/],
    ["read a:b -- -c", /Unexpected argument "-c" for read/],
    ["prompt", /Missing argument for prompt: the usage is "prompt NAME \[KEY=VALUE\]\.\.\."/],
    ["prompt suggest-patterns problem", /key=value, not "problem"/],
  ];
  for (const [words, expected] of mistakes) {
    const { code, output, errors } = await runHere(words.split(" ").map((word) => word.replace("@", folder)));
    assert.deepEqual([code, output], [2, ""], `${words}: ${errors}`);
    assert.match(errors, expected);
    assert.match(errors, /^architrave: [^\n]+\n$/, "one line");
  }
});

test("--help, -h and help are the same, for all commands and for one", async () => {
  for (const command of [[], ["list"]]) {
    const [first, ...others] = await Promise.all(
      [[...command, "--help"], ["-h", ...command], ["help", ...command]].map((args) => runHere(args)),
    );
    assert.deepEqual([first!.code, first!.errors], [0, ""]);
    for (const other of others) assert.deepEqual(other, first);
  }
  // Every line of options is one with its text, whatever its length.
  const { output } = await runHere(["help", "check"]);
  const [, options] = output.split("\n\nOptions:\n");
  for (const line of options!.split("\n\n")[0]!.trimEnd().split("\n")) {
    assert.match(line, /^ {2}(?:-\w, )?--[\w-]+( \S+)?( +\S.*)?$|^ {29}\S/);
  }
});

test("--version shows the version", async () => {
  const { version } = JSON.parse(readFileSync(`${REPOSITORY}/deno.json`, "utf8"));
  for (const args of [["--version"], ["-V"], ["version"], ["list", "-V"]]) {
    assert.deepEqual(await runHere(args), { code: 0, output: `${version}\n`, errors: "" });
  }
});

test("options may stand before the command, and the last of two counts", async () => {
  const { output } = await runHere(["--scheme", "architecture", "list", "--scheme=file"]);
  assert.match(output, /^file:\/\/\/adr\/001/m);
});

test("--mount serves another folder as a category, in place of one of the same name in the root", async (t) => {
  const folder = makeFolder(t, {
    "0001-record.md": "# Record\n",
    "sub/deep.md": "# Deep\n",
    "root/resources/adr/hidden.md": "# Hidden\n",
    "root/resources/guidelines/naming.md": "# Naming\n",
  });
  const mounts = ["--mount", `adr=${folder}/sub`, "--mount", `more=${folder}/sub`];
  const { output } = await runHere(["list", "--root", `${folder}/root`, ...mounts]);
  assert.deepEqual(output.split("\n").filter((line) => line.startsWith("architecture:")), [
    "architecture://adr/deep\t\t\t\tDeep",
    "architecture://guidelines/naming\t\t\t\tNaming",
    "architecture://more/deep\t\t\t\tDeep",
  ]);
});

test("--scheme file is the scheme of every answer, and both spellings can be read and embedded", async (t) => {
  const prompt = (name: string, text: string) => [
    `prompts/${name}.json`,
    JSON.stringify({ name, messages: [{ role: "user", content: { type: "text", text } }] }),
  ];
  const root = makeFolder(t, {
    "resources/adr/001-old.md": "---\nstatus: superseded\nsuperseded-by: 2\napplies-to: src/**\n---\n# Old\n",
    "resources/adr/002-new.md":
      "---\nstatus: accepted\nsupersedes: 1\n---\n# New\n\n## Decision\n\nQueues.\n",
    "resources/guidelines/a b.md": "# A\n",
    ...Object.fromEntries([
      prompt("one", "<<resource:file:///adr/002-new.md>>"),
      prompt("same", "<<resource:architecture://adr/2>>"),
      prompt("many", "{{resource:file:///adr/*.md}}"),
      prompt("all", "{{resource:FILE:///**}}"),
      prompt("section", "{{resource:file:///adr/2.md#decision}}"),
      prompt("none", "<<resource:architecture://x/*>>"),
    ]),
  });
  const asked: [method: string, params: object][] = [
    ["server/discover", {}],
    ...["resources", "resources/templates", "prompts", "tools", "skills"]
      .map((kind): [string, object] => [`${kind}/list`, {}]),
    ...["one", "same", "many", "all", "section", "none", "create-adr"]
      .map((
        name,
      ): [string, object] => ["prompts/get", { name, arguments: name.length > 7 ? { topic: "x" } : {} }]),
    ...[
      ["list_documents", {}],
      ["search_documents", { query: "old" }],
      ["decisions_for", { paths: ["src/a.ts"] }],
      ["read_document", { uri: "adr/1" }],
      ["read_document", { uri: "adr/001-olt" }],
    ].map(([name, args]): [string, object] => ["tools/call", { name, arguments: args }]),
    ...[
      "how-we-decide/SKILL.md",
      "how-we-decide/references/decisions.md",
      "guidelines/a-b/SKILL.md",
      "prompts/many/SKILL.md",
    ]
      .map((path): [string, object] => ["resources/read", { uri: `skill://${path}` }]),
    ["resources/read", { uri: "file:///adr/1.md" }],
    ["resources/read", { uri: "file:///adr/001-olt.md" }],
    ["completion/complete", {
      ref: { type: "ref/resource", uri: "file:///guidelines/{+path}.md" },
      argument: { name: "path", value: "" },
    }],
    ["completion/complete", {
      ref: { type: "ref/resource", uri: "architecture://guidelines/{+path}" },
      argument: { name: "path", value: "" },
    }],
  ];
  const input = asked.map(([method, params], id) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params: modern(params) })}\n`
  );
  const { output, errors } = await runHere(["serve", "--root", root, "--scheme", "file"], {
    input: input.join(""),
  });
  assert.equal(errors, "");
  const answers = output.trim().split("\n").map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id);
  assert.equal(answers.length, asked.length);
  for (const [index, answer] of answers.entries()) {
    const text = JSON.stringify(answer), what = `${JSON.stringify(asked[index])}: ${text}`;
    assert.doesNotMatch(text, /architecture:\/\//i, what);
    assert.ok(answer.result || /did you mean file:/.test(answer.error.message), what);
  }
  const said = (name: string) => {
    const { messages } =
      answers[asked.findIndex(([, params]) => (params as { name?: string }).name === name)].result;
    return messages[0].content.text as string;
  };
  assert.match(said("one"), /^\[file:\/\/\/adr\/002-new\.md\] New\n\n---/);
  assert.equal(said("same"), said("one"));
  assert.match(
    said("many"),
    /^\[file:\/\/\/adr\/001-old\.md\] Old \(superseded.+^\[file:\/\/\/adr\/002-new\.md\]/ms,
  );
  assert.match(said("all"), /\[file:\/\/\/adr\/001-old\.md\].+\[file:\/\/\/guidelines\/a%20b\.md\] A\n/s);
  assert.equal(said("section"), "[file:///adr/002-new.md#decision] New\n\n## Decision\n\nQueues.\n");
  assert.equal(said("none"), "(No document matches file:///x/*.md.)");
  const completed = answers.slice(-2).map(({ result }) => result.completion.values);
  assert.deepEqual(completed, [["a%20b"], ["a%20b"]]);
  const where = ["--root", root, "--scheme", "file"];
  const commands = [
    "list",
    "search old",
    "decisions src/a.ts",
    "read adr/001-olt",
    "toc",
    "graph",
    "changes --since 2000-01-01",
  ];
  for (const command of commands) {
    const { output, errors } = await runHere([...command.split(" "), ...where]);
    assert.doesNotMatch(output + errors, /architecture:\/\//i, command);
  }
  assert.match((await runHere(["list", ...where])).output, /^file:\/\/\/adr\/002-new\.md\t/m);
  const [one, other] = await Promise.all(
    ["file:///adr/002-new.md", "architecture://adr/2"].map((uri) => runHere(["read", uri, ...where])),
  );
  assert.equal(one!.output, other!.output);
});

test("--page-size cuts the lists, and cursors lead through them", async () => {
  const program = new Program(["--page-size", "5"]);
  await program.initialize();
  const uris: string[] = [];
  let cursor: unknown;
  do {
    const { result } = await program.ask("resources/list", cursor === undefined ? {} : { cursor });
    const page = result?.["resources"] as { uri: string }[];
    assert.ok(page.length <= 5 && page.length > 0);
    uris.push(...page.map(({ uri }) => uri));
    cursor = result?.["nextCursor"];
  } while (cursor !== undefined);
  assert.deepEqual(uris, [...new Set(uris)].sort());
  const { resources } = JSON.parse((await runHere(["list", "--format", "json"])).output);
  assert.equal(uris.length, resources.length);
  await program.close();
});

test("a broken prompt is one line on standard error, in the asked-for form, and the rest is served", async (t) => {
  const root = makeFolder(t, {
    "resources/guidelines/a.md": "# A\n",
    "prompts/broken.json": "{",
    "prompts/fine.json": '{"name":"fine","messages":[{"role":"user","content":{"type":"text","text":"x"}}]}',
  });
  const forms = { text: /^architrave: error: prompts\/broken\.json: .+\n$/, json: /^\{.+\}\n$/ };
  for (const [format, expected] of Object.entries(forms)) {
    const program = new Program(["--root", root, "--log-format", format]);
    await program.initialize();
    const { result } = await program.ask("prompts/list");
    assert.deepEqual((result?.["prompts"] as { name: string }[]).map(({ name }) => name), [
      "create-adr",
      "fine",
      "review-code-against-patterns",
      "suggest-patterns",
    ]);
    assert.equal(await program.close(), 0);
    assert.match(program.errors, expected);
  }
  assert.equal((await runHere(["list", "--root", root, "--log-level", "silent"])).errors, "");
});

test("refused requests are logged at info: one line a second, with a count and without control characters", async (t) => {
  const root = makeFolder(t, { "resources/adr/001-a.md": "# A\n" });
  const uris = [
    "../../../etc/passwd",
    "architecture://adr/%2e%2e/secret\u001b[2J\n\u009b",
    `x:${"y".repeat(2000)}`,
  ];
  const read = uris.map((uri) => ["resources/read", { uri }]);
  const tool = ["tools/call", { name: "read_document", arguments: { uri: "/etc/shadow\u001b" } }];
  const unknown = ["m".repeat(2000), {}];
  const input = [...read, tool, unknown].map(([method, params], id) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params: modern(params as object) })
  );
  const ask = async (level: string, lines: readonly string[], ...more: string[]) => {
    const args = ["serve", "--root", root, "--log-level", level, ...more];
    return await runHere(args, { input: lines.map((line) => `${line}\n`).join("") });
  };
  const { errors, output } = await ask("info", input.slice(0, -1));
  assert.match(
    errors.split("\n")[0]!,
    /^architrave: info: Refused resources\/read "\.\.\/.+passwd": Resource not found$/,
  );
  assert.match(errors.split("\n")[1]!, /^architrave: info: Refused .+ \(the last of 3 refused requests\)$/);
  assert.equal(errors.split("\n").length, 3);
  assert.doesNotMatch(output, /etc\/passwd\/|ENOENT|refused/);
  for (const [index, line] of input.entries()) {
    for (const format of ["text", "json"]) {
      const { errors } = await ask("info", [line], "--log-format", format);
      assert.match(
        errors,
        format === "text" ? /^architrave: info: Refused \S+ "/ : /^\{.+"message":"Refused \S+ /,
      );
      assert.match(
        errors,
        [/etc\/passwd/, /secret\\u/, /x:y+…/, /There is no document \/etc\/shadow\\u/, /m…/][index]!,
      );
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(errors.slice(0, -1), /[\u0000-\u001f\u007f-\u009f]/);
      assert.ok(errors.length < 1000);
    }
  }
  assert.equal((await ask("warning", input)).errors, "", "not by default");
});

test("why a file cannot be read is logged at debug, with the system's own reason, and is not on the wire", async (t) => {
  const root = makeFolder(t, { "resources/adr/001-a.md": "# A\n" });
  // Links need rights on Windows that programs do not have by default.
  const hasLinks = process.platform !== "win32";
  if (hasLinks) symlinkSync("loop.md", `${root}/resources/adr/loop.md`);
  const open = (path: string) => {
    throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES" });
  };
  const params = modern({ uri: "architecture://adr/001-a" });
  const input = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params });
  for (const level of ["debug", "silent"]) {
    const args = ["serve", "--root", root, "--log-level", level];
    const { errors, output } = await runHere(args, { input: `${input}\n`, open });
    const causes = errors.match(/^architrave: debug: .*(?:EACCES|ELOOP).*$/gm) ?? [];
    assert.equal(causes.length, level === "debug" ? hasLinks ? 2 : 1 : 0, errors);
    assert.match(output, /Resource not found/);
    assert.doesNotMatch(output, /EACCES|ELOOP|denied/);
  }
});

test("--poll picks up new, changed and deleted files", async (t) => {
  const { rmSync, writeFileSync } = await import("node:fs");
  const root = makeFolder(t, { "resources/guidelines/a.md": "# A\n", "resources/guidelines/b.md": "# B\n" });
  const program = new Program(["--root", root, "--poll", "50"]);
  await program.initialize();
  const titles = async () => {
    const { result } = await program.ask("resources/list");
    return (result?.["resources"] as { title: string }[]).map(({ title }) => title).join();
  };
  assert.equal(await titles(), "A,B");
  writeFileSync(`${root}/resources/guidelines/a.md`, "# Changed\n");
  writeFileSync(`${root}/resources/guidelines/c.md`, "# C\n");
  rmSync(`${root}/resources/guidelines/b.md`);
  const deadline = Date.now() + 20_000;
  while (await titles() !== "Changed,C") {
    assert.ok(Date.now() < deadline, "not seen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(await program.close(), 0);
});

test("completion suggests the values that a prompt knows for an argument, and those that a template can take", async () => {
  const program = new Program();
  const prompt = { type: "ref/prompt", name: "review-code-against-patterns" };
  const template = { type: "ref/resource", uri: "architecture://patterns/{+path}" };
  const cases: [ref: object, name: string, value: string, values: string[]][] = [
    [prompt, "language", "type", ["typescript"]],
    [prompt, "code", "x", []],
    [template, "path", "golden", ["golden-path"]],
  ];
  for (const [ref, name, value, values] of cases) {
    const { result } = await program.askModern("completion/complete", { ref, argument: { name, value } });
    assert.deepEqual(result?.["completion"], { values, total: values.length, hasMore: false });
  }
  await program.close();
});
