import process from "node:process";
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { ON_DENO, REPOSITORY, run } from "../harness/program.ts";
import { assertFails, cli, serveHere } from "../harness/command.ts";

test("a command is a process: answers on standard output, mistakes on standard error, and an exit code", async () => {
  const sample = "architrave: These are the sample .*\\n";
  const cases: [line: string, code: number, output: RegExp, errors: string][] = [
    ["read architecture://adr/2#decision", 0, /^## Decision\n/, sample],
    [
      "read architecture://adr/99",
      1,
      /^$/,
      `${sample}architrave: Resource not found: architecture://adr/99; list .*\\n`,
    ],
    ["--nonsense", 2, /^$/, 'architrave: Unknown option "--nonsense"; see --help .*\\n'],
  ];
  for (const [line, code, output, errors] of cases) {
    const result = await run(line.split(" "));
    assert.equal(result.code, code);
    assert.match(result.output, output);
    assert.match(result.errors, new RegExp(`^${errors}$`));
  }
});

test("Deno serves without loading its Node, which takes memory and time", { skip: !ON_DENO }, async (t) => {
  const folder = makeFolder(t, {
    "start.mjs": `for (const name of ["Buffer", "global", "process"]) {
      Object.defineProperty(globalThis, name, { get() { throw new Error(name + " was used"); } });
    }
    await import(${JSON.stringify(`file://${REPOSITORY}/mod.ts`)});
    const { main } = await import(${JSON.stringify(`file://${REPOSITORY}/lib/cli/main.ts`)});
    await main(${JSON.stringify(REPOSITORY)});`,
  });
  const lines = [
    { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } },
    { method: "resources/list" },
  ].map((message, id) => JSON.stringify({ jsonrpc: "2.0", id, ...message }));
  const { code, output, errors } = await run(["--log-level", "error"], lines.join("\n"), {
    module: `${folder}/start.mjs`,
  });
  assert.deepEqual([code, errors], [0, ""]);
  assert.match(output, /"resources":\[\{/);
});

test("wrong usage is one sentence that names the mistake, and exit code 2", async (t) => {
  const folder = makeFolder(t, { file: "", "root/resources/adr/1-x.md": "" });
  const mistakes: [words: string, RegExp][] = [
    ["-x", /Unknown option "-x"/],
    ["-hV", /Unknown option "-hV"/],
    ["--root", /--root takes a value \(DIR\)/],
    ["--page-size -1", /--page-size takes a value .* is written --page-size=-/],
    ["--page-size=-1", /--page-size takes a whole number from 1 to 100000, not "-1"/],
    ["--root DIR/missing", /Cannot read --root: ".*missing" does not exist: .+\.$/m],
    ["--root DIR/file", /Cannot read --root: ".*file" is not a folder: .+\.$/m],
    ["--root DIR", /neither resources\/ nor prompts\/; .* name it with --mount NAME=.+[^.]\.$/m],
    ["--root DIR/root/resources", /neither resources\/ nor prompts\//],
    ["--mount docs/adr", /--mount takes NAME=DIR, not "docs\/adr": write --mount adr=docs\/adr;/],
    ["--mount adr=", /--mount takes NAME=DIR, not "adr="/],
    ["--mount a//b=x", /letters/],
    ["http --port 80", /Unknown option "--port" \(use --listen HOST:PORT\);/],
    ["--port 80", /Unknown option "--port"/],
    ["--rot x", /Unknown option "--rot" \(did you mean --root\?\);/],
    ["lsit", /Unknown command "lsit" \(did you mean list\?\): use one of serve,/],
    ["zzz", /Unknown command "zzz": use one of serve,/],
    ["--mount adr=x --mount adr=y", /--mount is given twice for "adr"/],
    ["--mount adr=DIR/missing", /--mount adr/],
    ["--scheme http", /Unknown --scheme "http": use one of architecture, file/],
    ["--page-size 0", /--page-size takes a whole number/],
    ["--page-size 1e3", /--page-size takes a whole number/],
    ["--page-size 100001", /--page-size takes a whole number/],
    ["--poll x", /--poll takes a whole number from 10/],
    ["--log-level loud", /use one of silent, error/],
    ["--help=yes", /--help takes no value/],
    ["help sreve", /Unknown command "sreve"/],
    ["--format json", /--format is an option of list, .*, gateway, inspect, not of serve/],
    ["list --timeout=1", /--timeout is an option of gateway, inspect, not of list/],
    ["serve x", /Cannot read the folder: "x" does not exist/],
    ["list x", /Cannot read the folder: "x" does not exist/],
    ["list docs/adr", /Cannot read the folder: "docs\/adr" does not exist/],
    ["DIR/root list", /Unexpected argument "list" for serve: .* "serve", and a command comes first;/],
    ["docs/missing", /Unknown command "docs\/missing", and there is no such folder: use one of/],
    ["DIR/file", /Cannot read the folder: ".*file" is not a folder: name the one that it is in\.$/m],
    ["DIR extra", /Unexpected argument "extra" for serve: the usage is "serve"/],
    ["search", /Missing argument for search: the usage is "search QUERY\.\.\."/],
    ["decisions", /Missing argument for decisions/],
    ["list --color red", /use one of auto, always, never/],
    ["search x --limit 0", /--limit takes a whole number from 1 to 100/],
    ["read", /Missing argument for read: the usage is "read URI"/],
    ["read a:b -- -c", /Unexpected argument "-c" for read/],
    ["prompt", /Missing argument for prompt: the usage is "prompt NAME \[KEY=VALUE\]\.\.\."/],
    ["prompt suggest-patterns problem", /key=value, not "problem"/],
  ];
  for (const [words, expected] of mistakes) await assertFails([[words, 2, expected]], folder);
});

test("the help and the version are the same, however they are asked for", async () => {
  // The golden files have them.
  const same = ["help|--help|-h", "help list|list --help|-h list", "version|--version|-V|list -V"];
  for (const lines of same) {
    const [first, ...others] = await Promise.all(lines.split("|").map((line) => cli(line)));
    assert.deepEqual([first!.code, first!.errors], [0, ""]);
    for (const other of others) assert.deepEqual(other, first);
  }
});

test("options may stand before the command, and the last of two counts", async () => {
  assert.match((await cli("--scheme architecture list --scheme=file")).output, /^file:\/\/\/adr\/001/m);
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
  const list = ["", "/templates"].map((kind) => [`resources${kind}/list`] as const);
  const lists = ["prompts", "tools", "skills"].map((kind) => [`${kind}/list`] as const);
  const names = ["one", "same", "many", "all", "section", "none"];
  const prompts = names.map((name) => ["prompts/get", { name }] as const);
  const skills = [
    "how-we-decide/SKILL",
    "how-we-decide/references/decisions",
    "guidelines/a-b/SKILL",
    "prompts/many/SKILL",
  ];
  const uris = [...skills.map((path) => `skill://${path}.md`), "file:///adr/1.md", "file:///adr/001-olt.md"];
  const argument = { name: "path", value: "" };
  const complete = (uri: string) =>
    ["completion/complete", { ref: { type: "ref/resource", uri }, argument }] as const;
  const asked: (readonly [method: string, params?: object])[] = [
    ...prompts,
    ["server/discover"],
    ...list,
    ...lists,
    ["prompts/get", { name: "create-adr", arguments: { topic: "x" } }],
    ["tools/call", { name: "list_documents", arguments: {} }],
    ["tools/call", { name: "search_documents", arguments: { query: "old" } }],
    ["tools/call", { name: "decisions_for", arguments: { paths: ["src/a.ts"] } }],
    ["tools/call", { name: "read_document", arguments: { uri: "adr/1" } }],
    ["tools/call", { name: "read_document", arguments: { uri: "adr/001-olt" } }],
    ...uris.map((uri) => ["resources/read", { uri }] as const),
    ...["file:///guidelines/{+path}.md", "architecture://guidelines/{+path}"].map(complete),
  ];
  const { answers, errors } = await serveHere("serve --root DIR --scheme file", root, asked);
  assert.deepEqual([errors, answers.length], ["", asked.length]);
  for (const [index, answer] of answers.entries()) {
    const text = JSON.stringify(answer), what = `${JSON.stringify(asked[index])}: ${text}`;
    assert.doesNotMatch(text, /architecture:\/\//i, what);
    assert.ok(answer.result || /did you mean file:/.test(answer.error.message), what);
  }
  const [one, same, many, all, section, none] = answers.slice(0, 6)
    .map(({ result }) => result.messages[0].content.text as string);
  assert.match(one!, /^\[file:\/\/\/adr\/002-new\.md\] New\n\n---/);
  assert.equal(same, one);
  const both = /^\[file:\/\/\/adr\/001-old\.md\] Old \(superseded.+^\[file:\/\/\/adr\/002-new\.md\]/ms;
  assert.match(many!, both);
  assert.match(all!, /\[file:\/\/\/adr\/001-old\.md\].+\[file:\/\/\/guidelines\/a%20b\.md\] A\n/s);
  assert.equal(section, "[file:///adr/002-new.md#decision] New\n\n## Decision\n\nQueues.\n");
  assert.equal(none, "(No document matches file:///x/*.md.)");
  const completed = answers.slice(-2).map(({ result }) => result.completion.values);
  assert.deepEqual(completed, [["a%20b"], ["a%20b"]]);
  const commands = ["list", "search old", "decisions src/a.ts", "read adr/001-olt", "toc", "graph"];
  for (const command of [...commands, "changes --since 2000-01-01"]) {
    const { output, errors } = await cli(`${command} --root DIR --scheme file`, root);
    assert.doesNotMatch(output + errors, /architecture:\/\//i, command);
    if (command === "list") assert.match(output, /^file:\/\/\/adr\/002-new\.md\t/m);
  }
  const read = async (uri: string) => (await cli(`read ${uri} --root DIR --scheme file`, root)).output;
  assert.equal(await read("file:///adr/002-new.md"), await read("architecture://adr/2"));
});

test("a broken prompt is one line on standard error, in the asked-for form, and the rest is served", async (t) => {
  const root = makeFolder(t, {
    "resources/guidelines/a.md": "# A\n",
    "prompts/broken.json": "{",
    "prompts/fine.json": '{"name":"fine","messages":[{"role":"user","content":{"type":"text","text":"x"}}]}',
  });
  const forms = { text: /^architrave: error: prompts\/broken\.json: .+\n$/, json: /^\{.+\}\n$/ };
  for (const [format, expected] of Object.entries(forms)) {
    const line = `--root DIR --log-format ${format}`;
    const { answers, errors } = await serveHere(line, root, [["prompts/list"]]);
    const names = answers[0].result.prompts.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ["create-adr", "fine", "review-code-against-patterns", "suggest-patterns"]);
    assert.match(errors, expected);
  }
  assert.equal((await cli("list --root DIR --log-level silent", root)).errors, "");
});

test("refused requests are logged at info: one line a second, with a count and without control characters", async (t) => {
  const root = makeFolder(t, { "resources/adr/001-a.md": "# A\n" });
  const reading = { name: "read_document", arguments: { uri: "/etc/shadow\u001b" } };
  const requests: [method: string, params: object, logged: RegExp][] = [
    ["resources/read", { uri: "../../../etc/passwd" }, /etc\/passwd/],
    ["resources/read", { uri: "architecture://adr/%2e%2e/secret\u001b[2J\n\u009b" }, /secret\\u/],
    ["resources/read", { uri: `x:${"y".repeat(2000)}` }, /x:y+…/],
    ["tools/call", reading, /There is no document \/etc\/shadow\\u/],
    ["m".repeat(2000), {}, /m…/],
  ];
  const ask = (level: string, count: number, start = 0, more = "") => {
    const sent = requests.slice(start, start + count).map(([method, params]) => [method, params] as const);
    return serveHere(`serve --root DIR --log-level ${level} ${more}`, root, sent);
  };
  const { errors, output } = await ask("info", 4);
  const [first, last, ...others] = errors.split("\n");
  // Requests may be answered in any order.
  assert.match(
    first!,
    /^architrave: info: Refused (?:resources\/read|tools\/call) ".+": (?:Resource not|There is no) [^(]+$/,
  );
  assert.match(last!, /^architrave: info: Refused .+ \(the last of 3 refused requests\)$/);
  assert.deepEqual(others, [""]);
  assert.doesNotMatch(output, /etc\/passwd\/|ENOENT|refused/);
  const forms = { text: /^architrave: info: Refused \S+ "/, json: /^\{.+"message":"Refused \S+ / };
  for (const [index, [, , logged]] of requests.entries()) {
    for (const [format, form] of Object.entries(forms)) {
      const { errors } = await ask("info", 1, index, `--log-format ${format}`);
      assert.match(errors, form);
      assert.match(errors, logged);
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(errors.slice(0, -1), /[\u0000-\u001f\u007f-\u009f]/);
      assert.ok(errors.length < 1000);
    }
  }
  assert.equal((await ask("warning", 5)).errors, "", "not by default");
});

test("why a file cannot be read is logged at debug, with the system's own reason, and is not on the wire", async (t) => {
  const root = makeFolder(t, { "resources/adr/001-a.md": "# A\n" });
  // Links need rights on Windows that programs do not have by default.
  const hasLinks = process.platform !== "win32";
  if (hasLinks) symlinkSync("loop.md", `${root}/resources/adr/loop.md`);
  const open = (path: string) => {
    throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES" });
  };
  const read = ["resources/read", { uri: "architecture://adr/001-a" }] as const;
  for (const level of ["debug", "silent"]) {
    const { errors, output } = await serveHere(`--root DIR --log-level ${level}`, root, [read], { open });
    const causes = errors.match(/^architrave: debug: .*(?:EACCES|ELOOP).*$/gm) ?? [];
    assert.equal(causes.length, level === "debug" ? hasLinks ? 2 : 1 : 0, errors);
    assert.match(output, /Resource not found/);
    assert.doesNotMatch(output, /EACCES|ELOOP|denied/);
  }
});
