import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { test } from "node:test";
import { serveHttp } from "../harness/scripted_server.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { assertFails, cli, runHere } from "../harness/command.ts";
import { closeNow, listenLocally } from "../harness/http.ts";
import { command, ON_DENO, Program, run } from "../harness/program.ts";
import { allow, ON_WINDOWS } from "../harness/runtime.ts";
import type { RunOptions } from "../harness/runtime.ts";

/** The program may start others, and connect. */
const RUN: RunOptions = { runtimeFlags: allow("run", "net") };
/** The program itself, as the server that is looked at. */
const [file, args] = command([]);
const SERVER = ["--", file, ...args];

const inspect = (...words: string[]) => runHere(["inspect", ...words]);

test("inspect reads, fills in and calls in the era that it is told; the answer is on standard output alone", async () => {
  const read = await inspect(...SERVER, "read", "architecture://adr/2#decision");
  assert.match(read.output, /^## Decision\n/);
  assert.match(read.errors, /connected in [\d.]+ ms; answered in [\d.]+ ms\n$/);
  const prompt = await inspect("--era", "legacy", "prompt", "suggest-patterns", "problem=a=b", ...SERVER);
  assert.match(prompt.output, /^--- user ---\n[^]*a=b/);
  assert.match(prompt.errors, /revision 2025-11-25 \(legacy\)/);
  const call = await inspect(...SERVER, "call", "search_documents", '{"query":"golden path"}');
  assert.match(call.output, /golden-path[^]*--- structuredContent ---\n\{/);
  // As the schema has them: a query is a text, a limit a number.
  for (const given of [["query=7", "limit=1"], ["limit=1", "query=path=x"]]) {
    const pairs = await inspect(...SERVER, "call", "search_documents", ...given);
    assert.equal(pairs.code, 0, pairs.output);
  }
  // One more -- ends a command that ends like an action.
  const bare = await inspect(...SERVER, "--", "call", "list_documents");
  assert.match(bare.output, /architecture:\/\//);
  assert.deepEqual([read, prompt, call, bare].map(({ code }) => code), [0, 0, 0, 0]);
});

test("--json is one object with everything that is known", async () => {
  assert.equal(JSON.parse((await inspect("--format", "json", ...SERVER)).output).server.name, "architrave");
  const call = await inspect("--json", ...SERVER, "call", "search_documents", '{"query":"golden path"}');
  const { server, era, version, capabilities, connectMs, answerMs, result } = JSON.parse(call.output);
  assert.deepEqual([server.name, era, version], ["architrave", "modern", "2026-07-28"]);
  assert.ok(capabilities.tools && connectMs > 0 && answerMs > 0);
  assert.ok(result.structuredContent);
  const list = JSON.parse((await inspect("--json", ...SERVER)).output);
  assert.deepEqual(Object.keys(list).slice(-4), ["tools", "resources", "resourceTemplates", "prompts"]);
});

test("inspect starts a command that fails once, and one that ends at server/discover again", async (t) => {
  const folder = makeFolder(t, {
    // Ends at the first request unless that is a handshake.
    "old.mjs": `import { appendFileSync } from "node:fs";
import process from "node:process";
appendFileSync(new URL("starts", import.meta.url), "x");
if (process.argv[2] !== undefined) process.exit(Number(process.argv[2]));
process.stdin.once("data", (text) => {
  const { id, method } = JSON.parse(String(text).split("\\n")[0]);
  if (method !== "initialize") process.exit(0);
  const serverInfo = { name: "old", version: "1" };
  const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`,
  });
  const module = `${folder}/old.mjs`;
  const [file, args] = command([], { module, runtimeFlags: ON_DENO ? ["--no-prompt", "--allow-all"] : [] });
  const starts = () => readFileSync(`${folder}/starts`, "utf8").length;
  const reason = /Cannot connect: ".+" ended with 3 before it answered; .+ --era legacy\n$/;
  await assertFails([[["inspect", "--", file, ...args, "3"], 1, reason]]);
  assert.equal(starts(), 1);
  const old = await inspect("--", file, ...args);
  assert.match(old.output, /^old 1: revision 2025-06-18 \(legacy\)/);
  assert.deepEqual([old.code, starts()], [0, 3]);
});

test("what a server refuses is one sentence and exit code 1; a tool that has failed is shown", async () => {
  const failed = await inspect(...SERVER, "call", "search_documents", '{"query":7}');
  assert.equal(failed.code, 1);
  assert.match(failed.output, /^The tool has failed:\n/);
  await assertFails([
    [["inspect", ...SERVER, "read", "architecture://adr/999"], 1, /^architrave: Resource not found\n$/],
    ["inspect http://127.0.0.1:1/mcp", 1, /^architrave: Cannot reach http:\/\/127\.0\.0\.1:1\/mcp: .+\n$/],
    ["inspect -- no-such-program-anywhere", 1, /^architrave: Cannot start "no-such-program-anywhere": .+\n$/],
  ]);
});

test("a server of something else is named as that, once, and without the tags of its page", async (t) => {
  const other = createServer((_, response) => {
    response.writeHead(501, { "content-type": "text/html" }).end("<html>\n  <p>No <b>POST</b></p>\n</html>");
  });
  t.after(() => closeNow(other));
  const url = await listenLocally(other);
  const folder = makeFolder(t, {
    "lines.mjs": "for (let line = 0; line < 9; line++) console.log('total 9');\n",
  });
  const [file, args] = command([], { module: `${folder}/lines.mjs` });
  const page = /^[^<]+ the status 501 and said: No POST; it may not speak MCP: check the address\n$/;
  await assertFails([[["inspect", `${url}/`], 1, page]]);
  const { code, errors } = await inspect("--", file, ...args);
  assert.equal(code, 1);
  assert.match(
    errors,
    /^[^\n]+ a line that is not a message: [^\n]+\n[^\n]+; it may [^\n]+ MCP: check the command\n$/,
  );
});

test("a server that drops server/discover, or answers with JSON that is no message, is named as that", async (t) => {
  const other = createServer((request, response) => {
    if (request.url === "/drops") return void request.socket.destroy();
    response.writeHead(200, { "content-type": "application/json" }).end('{"error":"Unauthorized"}');
  });
  t.after(() => closeNow(other));
  const url = await listenLocally(other);
  const dropped = /Cannot reach .+; use --era legacy if the server drops server\/discover alone\n$/;
  await assertFails([[["inspect", `${url}/drops`], 1, dropped]]);
  const { code, errors } = await inspect(`${url}/json`);
  assert.equal(code, 1);
  assert.match(errors, /initialize ended without the answer: it answers \{"error":"Unauthorized"\} /);
});

test("wrong usage is one sentence, and exit code 2", async () => {
  const cases: [words: string, RegExp][] = [
    ["", /Missing argument for inspect/],
    ["somewhere", /inspect takes a URL/],
    ["--", /Missing argument for inspect/],
    ["-- list", /inspect takes a URL/],
    ["https://a.example dance", /Unknown action "dance": use one of list, read, prompt, call, watch/],
    ["https://a.example lst", /Unknown action "lst" \(did you mean list\?\)/],
    ["https://a.example list x", /Unexpected argument "x" for list: the usage is "list"/],
    ["https://a.example read", /Missing argument for read: the usage is "read URI"/],
    ["https://a.example read a b", /Unexpected argument "b" for read/],
    ["https://a.example call x [1]", /JSON object, or KEY=VALUE, not "\[1\]"/],
    ["https://a.example call x {", /JSON object, or KEY=VALUE, not "\{"/],
    ["https://a.example prompt x y", /key=value, not "y"/],
    ["--root x https://a.example", /--root is an option of serve, .* not of inspect/],
    ["--timeout soon https://a.example", /not "soon"/],
    ["--token-file /no/such/file https://a.example", /Cannot read the token/],
    ["--login --token-file t https://a.example", /--login gets a token itself: leave out --token-file/],
    ["--scope a https://a.example", /--scope needs --login, or both --client-id and --client-secret-file/],
    ["--client-secret-file s https://a.example", /needs --login, or both/],
    ["--login --client-secret-file s https://a.example", /--client-secret-file needs --client-id/],
    ["list -- x -- list", /before or after the command, not both/],
    ["-- x call y [1]", /follows "call" is not what it takes .* another --/],
    ["-- x read", /follows "read" is not what it takes/],
    ["-- x prompt y z=1 b", /follows "prompt" is not what it takes/],
  ];
  await assertFails(cases.map(([words, expected]) => [`inspect ${words}`, 2, expected] as const));
});

test("inspect --login has the user sign in at an address that it prints, and a client signs in with its secret", async (t) => {
  const server = await serveHttp(t, (call) => {
    const origin = server.url.replace("/mcp", "");
    const { path, headers, message } = call;
    const parameters = new URLSearchParams(call.text);
    if (path.startsWith("/.well-known/oauth-protected-resource")) {
      return call.body(200, { resource: server.url, authorization_servers: [origin] });
    }
    if (path.startsWith("/.well-known/")) {
      const [authorization_endpoint, token_endpoint] = [`${origin}/authorize`, `${origin}/token`];
      const code_challenge_methods_supported = ["S256"];
      const metadata = { authorization_endpoint, token_endpoint, code_challenge_methods_supported };
      return call.body(200, { issuer: origin, registration_endpoint: `${origin}/register`, ...metadata });
    }
    if (path === "/register") return call.body(201, { client_id: "registered" });
    const token = { access_token: parameters.get("grant_type"), token_type: "bearer" };
    if (path === "/token") return call.body(200, token);
    const isKnown = /^Bearer (?:authorization_code|client_credentials)$/.test(headers.authorization ?? "");
    if (!isKnown) return call.body(401);
    const { method, id } = message;
    if (method !== "server/discover") return call.fail(400, { code: -32601, message: "none" }, id);
    call.json({ resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} });
  });
  const asked: URLSearchParams[] = [];
  const onprint = (text: string) => {
    const [, address] = /sign in: (\S+)/.exec(text) ?? [];
    if (address === undefined) return;
    const { searchParams } = new URL(address);
    asked.push(searchParams);
    const back = new URLSearchParams({ code: "code", state: searchParams.get("state")! });
    void fetch(`${searchParams.get("redirect_uri")}?${back}`).then((response) => response.body?.cancel());
  };
  const login = await runHere(["inspect", "--login", "--scope=a", "--scope=b", server.url], { onprint });
  assert.deepEqual([login.code, asked.length], [0, 1], login.errors);
  assert.match(asked[0]!.get("redirect_uri")!, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.equal(asked[0]!.get("scope"), "a b");
  assert.match(login.output, /^a server without a name: revision 2026-07-28/);
  const folder = makeFolder(t, { secret: "word\n" });
  const issuer = server.url.replace("/mcp", ""), { host } = new URL(issuer);
  const words = ["inspect", "--client-id", "ci", "--client-secret-file", `${folder}/secret`, server.url];
  // The secret goes only to a server that the user has named, or that a person at a terminal confirms.
  const rows: [more: string[], input: string | undefined, code: number][] = [
    [[], undefined, 1],
    [["--issuer", `${issuer}/other`], undefined, 1],
    [["--issuer", issuer], undefined, 0],
    [[], "y\n", 0],
    [[], "Yes\r\n", 0],
    [[], "n\n", 1],
    [[], "\n", 1],
    [[], "yonder\n", 1],
    [[], "", 1],
  ];
  for (const [more, input, expected] of rows) {
    server.calls.length = 0;
    const given = input === undefined ? {} : { input, interactive: true };
    const { code, errors } = await runHere([...words, ...more], given);
    const token = server.calls.findLast(({ path }) => path === "/token");
    const sent = expected === 0 ? `Basic ${btoa("ci:word")}` : undefined;
    assert.deepEqual([code, token?.headers.authorization], [expected, sent], errors);
    assert.equal(errors.includes(`to be sent to ${host} (${issuer}). Send it? [y/N]\n`), input !== undefined);
    if (more.length === 0 && expected === 1) {
      assert.match(errors, /, which the server has named: .*--issuer\n$/);
    }
    assert.doesNotMatch(errors, /word/);
  }
  const reason =
    /status 401; it needs other credentials: sign in with --login, .*--era legacy.*--token-file\n$/;
  await assertFails([[`inspect ${server.url}`, 1, reason]]);
});

test("a token that cannot be sent is never shown", async (t) => {
  const reason = /^(?!.*secret).*must hold one token/;
  const folder = makeFolder(t, { two: "secret1\nsecret2\n", none: "\n" });
  await assertFails([
    ["inspect --token-file DIR/two https://a.example", 2, reason],
    ["inspect --token-file DIR/none https://a.example", 2, reason],
  ], folder);
});

test("inspect sends the token of a file, and shows what has no shape or steers the terminal as safe text", async (t) => {
  const wrong = { name: "t", inputSchema: { type: "object" }, outputSchema: null, title: null };
  const results: Record<string, object> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { prompts: {}, tools: {} } },
    "prompts/list": { prompts: [{ name: "a", arguments: null }, { name: "b", arguments: [null], title: 5 }] },
    "tools/list": { tools: [wrong, { name: "a\u001b[31m\u202e", description: "b\u0007\nc" }] },
    "prompts/get": { messages: [null, { role: "user", content: null }, { role: "user", content: [] }] },
    "tools/call": { content: [null, { type: "text", text: "x" }] },
  };
  const server = await serveHttp(t, (call) => call.json(results[call.message.method!]!));
  const actions = { "": /^prompts \(2\)\n {2}a\n {2}b\n/m, "prompt a": /--- user ---/, "call t": /^x$/m };
  for (const [words, expected] of Object.entries(actions)) {
    const { code, output } = await cli(`inspect ${server.url} ${words}`);
    assert.match(output, expected);
    assert.equal(code, 0);
  }
  const folder = makeFolder(t, { token: "secret\n" });
  // A process of its own, with no other permissions.
  const { output } = await run(["inspect", "--token-file", `${folder}/token`, server.url], "", RUN);
  assert.equal(server.calls.at(-1)!.headers["authorization"], "Bearer secret");
  assert.match(output, / {2}a\\u\{1b\}\[31m\\u\{202e\} {2}b\\u\{7\} c\n/);
});

test("what a server sends cannot steer the terminal, nor hide in JSON", async (t) => {
  const hidden = "x:\u202e\u009b\u200b\ufe0f\u{e0041}";
  const shown = "x:\\u202e\\u009b\\u200b\\ufe0f\\udb40\\udc41";
  const server = await serveHttp(t, (call) => {
    const { method, id } = call.message;
    const about = { instructions: hidden, _meta: { "io.modelcontextprotocol/serverInfo": { name: hidden } } };
    const capabilities = { resources: {}, [hidden]: {} };
    const found = { supportedVersions: ["2026-07-28"], capabilities, ...about };
    if (method === "server/discover") return call.json(found);
    if (method!.endsWith("/list")) return call.json({ resources: [], resourceTemplates: [] });
    if (method === "tools/call") return call.fail(400, { code: -32602, message: hidden }, id);
    const link = { type: "resource_link", uri: hidden }, other = { type: hidden, mimeType: hidden };
    const messages = [link, other].map((content) => ({ role: hidden, content }));
    if (method === "prompts/get") return call.json({ messages });
    if (method !== "subscriptions/listen") return call.json({ contents: [{ uri: hidden, text: hidden }] });
    const send = call.events();
    const _meta = { "io.modelcontextprotocol/subscriptionId": id };
    const notify = (name: string, params: object) =>
      send({ message: { method: `notifications/${name}`, params: { ...params, _meta } } });
    notify("subscriptions/acknowledged", { notifications: { resourceSubscriptions: [hidden] } });
    notify("resources/updated", { uri: hidden });
    send({ message: { id, result: { resultType: "complete" } } });
    call.response.end();
  });
  for (const words of [["watch", "x:a"], ["read", "x:a"]]) {
    const { code, output } = await inspect("--json", server.url, ...words);
    assert.equal(code, 0);
    assert.equal(output.split(JSON.stringify(shown).replaceAll("\\\\", "\\")).length, 6, output);
    assert.match(output, /^[\n\x20-\x7e]*$/);
  }
  for (const words of ["", "watch x:a", "read x:a", "prompt x", "call x"]) {
    const { output, errors } = await cli(`inspect ${server.url} ${words}`);
    assert.match(output + errors, /\\u\{202e\}/, words);
    assert.deepEqual((output + errors).match(/[^\P{C}\n]/gu), null, words);
  }
});

test("watch tells what changes until it is interrupted", { skip: ON_WINDOWS }, async (t) => {
  const root = makeFolder(t, { "resources/adr/1-first.md": "# First\n", "prompts/x.txt": "" });
  const [, server] = command(["--root", root, "--poll", "50"]);
  const watched = ["--", file, ...server, "watch", "architecture://adr/1"];
  const program = new Program(["inspect", "--json", ...watched], RUN);
  const head = await program.next() as unknown as { served: { uris: string[] } };
  assert.deepEqual(head.served.uris, ["architecture://adr/1"]);
  writeFiles(root, { "resources/adr/1-first.md": "# Other\n" });
  const first = await program.next() as unknown as { type: string };
  assert.ok(["resource", "resources"].includes(first.type));
  // Not with `kill()` of the child, after which Deno takes it for dead of that signal, whatever it does.
  process.kill(program.child.pid!, "SIGINT");
  assert.equal(await program.exited, 0);
});

/** A page of one item of a list. */
const page = (member: string, name: string, more: object = {}) => ({
  [member]: [{ name, uri: `x:${name}`, uriTemplate: `x:${name}/{id}` }],
  ...more,
});

test("a list that fails is named, and hides neither its first pages nor the other lists", async (t) => {
  const fine: Record<string, (params: { cursor?: string }) => object> = {
    "tools/list": () => page("tools", "xtool"),
    "resources/list": () => page("resources", "xres"),
    "resources/templates/list": () => page("resourceTemplates", "xtem"),
    "prompts/list": () => page("prompts", "xpro"),
  };
  const FAULT = (code: number) => ({ error: { code, message: "boom\u001b[2J" } });
  const twoPages = ({ cursor }: { cursor?: string }) =>
    cursor === undefined ? page("tools", "xtool", { nextCursor: "n" }) : FAULT(-32603);
  const rows: [change: typeof fine, expected: [name: string, reason: RegExp][], missing: string][] = [
    [{}, [], ""],
    [{ "prompts/list": () => FAULT(-32603) }, [["prompts", /boom/]], "xpro"],
    [{ "resources/templates/list": () => ({}) }, [["resourceTemplates", /no resourceTemplates/]], "xtem"],
    [{ "resources/templates/list": () => FAULT(-32603) }, [["resourceTemplates", /boom/]], "xtem"],
    [{ "resources/templates/list": () => FAULT(-32601) }, [], "xtem"],
    [{ "resources/list": () => ({ resources: null }) }, [["resources", /no resources/]], "xres"],
    [{ "tools/list": twoPages }, [["tools", /boom/]], ""],
    [{ "tools/list": () => page("tools", "xtool", { nextCursor: 7 }) }, [["tools", /not a string/]], "xtool"],
    [
      { "tools/list": () => page("tools", "xtool", { nextCursor: "" }) },
      [["tools", /same cursor twice/]],
      "",
    ],
    [
      { "tools/list": () => FAULT(1), "prompts/list": () => FAULT(1) },
      [["tools", /boom/], ["prompts", /boom/]],
      "xtool|xpro",
    ],
  ];
  for (const [change, expected, missing] of rows) {
    const methods = { ...fine, ...change };
    const server = await serveHttp(t, (call) => {
      const { method = "", params, id } = call.message;
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      if (method === "server/discover") return call.json({ supportedVersions: ["2026-07-28"], capabilities });
      const answer = methods[method]!(params) as { error?: object };
      if (answer.error) call.body(200, { jsonrpc: "2.0", id, error: answer.error });
      else call.json(answer);
    });
    const { code, output, errors } = await cli(`inspect ${server.url}`);
    const label = Object.keys(change).join();
    assert.equal(code, expected.length > 0 ? 1 : 0, label);
    for (const name of ["xtool", "xres", "xtem", "xpro"]) {
      assert.equal(output.includes(name), !missing.split("|").includes(name), `${label}: ${name}\n${output}`);
    }
    const lines = errors.split("\n").filter((line) => line !== "");
    assert.equal(lines.length, expected.length, errors);
    for (const [index, [name, reason]] of expected.entries()) {
      assert.match(
        lines[index]!,
        new RegExp(`^architrave: Cannot list ${name}: [ -~]*${reason.source}[ -~]*$`),
      );
    }
    const json = await cli(`inspect --json ${server.url}`);
    const { errors: named = {}, tools } = JSON.parse(json.output);
    assert.deepEqual([json.code, Object.keys(named)], [code, expected.map(([name]) => name)]);
    assert.ok(Array.isArray(tools));
  }
});

test("a result without the required form is shown as it came, with what is wrong", async (t) => {
  const COUNT = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
  const rows: [words: string, result: object, shown: RegExp, finding: RegExp][] = [
    ["call t", { content: [], structuredContent: { count: "3" } }, /"count": "3"/, /fit .*: \/count: /],
    ["call t", { content: [{ type: "text", text: "seen" }] }, /"seen"/, /has no structuredContent/],
    ["call t", { content: "hello" }, /"content": "hello"/, /no list of content/],
    ["call t", { toolResult: "old style" }, /"old style"/, /no content/],
    ["read x:y", { content: [{ text: "seen" }] }, /"seen"/, /no contents/],
    ["prompt p", { messages: { role: "user" } }, /"role": "user"/, /no messages/],
    ["call t", { content: "\u001b[2J\u202e" }, /"content": "\\u001b\[2J\\u202e"/, /no list of content/],
  ];
  for (const [words, result, shown, finding] of rows) {
    const server = await serveHttp(t, (call) => {
      const { method } = call.message;
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      if (method === "server/discover") return call.json({ supportedVersions: ["2026-07-28"], capabilities });
      if (method !== "tools/list") return call.json(result);
      call.json({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema: COUNT }] });
    });
    const { code, output, errors } = await cli(`inspect ${server.url} ${words}`);
    assert.equal(code, 1);
    assert.match(output, shown);
    assert.match(errors, new RegExp(`\narchitrave: .*${finding.source}`));
    const json = JSON.parse((await cli(`inspect --json ${server.url} ${words}`)).output);
    assert.deepEqual(json.result, JSON.parse(JSON.stringify(result)));
    assert.match(json.error, finding);
  }
});

test("a block of an unknown type is shown as JSON", async (t) => {
  const blocks = [{ type: "video", url: "x:y" }, { text: 42 }, 7, null, { type: "image" }];
  const server = await serveHttp(t, (call) => {
    if (call.message.method === "server/discover") {
      return call.json({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
    }
    call.json(call.message.method === "tools/list" ? { tools: [] } : { content: blocks });
  });
  const { code, output } = await cli(`inspect ${server.url} call t`);
  assert.deepEqual([code, output], [
    0,
    blocks.map((block) => `${JSON.stringify(block, null, 2)}\n`).join(""),
  ]);
});
