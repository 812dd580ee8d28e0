/** The command gateway: the program serves an API over real pipes, in its sandbox. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { runHere } from "../harness/command.ts";
import { command, ON_DENO, Program } from "../harness/program.ts";
import { allow, ON_WINDOWS } from "../harness/runtime.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { table } from "../harness/table.ts";
import { openApi, startApi, tokenOf, written } from "./gateways.ts";

/** Some versions of Node guard the network too. */
const NET = process.allowedNodeEnvironmentFlags.has("--allow-net") ? ["--allow-net"] : [];

/** The runtime flags of a gateway: its files, and one host. */
function sandbox(host: string): string[] {
  return [...allow(`net=${host}`), ...ON_DENO ? [] : ["--permission", "--allow-fs-read=*", ...NET]];
}

/** Starts the program with an endpoint file and a secret. */
function start(t: TestContext, file: object, flags: readonly string[] = [], host = "127.0.0.1"): Program {
  const folder = makeFolder(t, { "api.json": JSON.stringify(file), "key": "the-secret-key\n" });
  const args = ["gateway", "--endpoints", `${folder}/api.json`, "--auth-file", `key=${folder}/key`];
  return new Program([...args, ...flags], { runtimeFlags: sandbox(host) });
}

/** Answers of up to a megabyte with many small values. */
const MANY: Readonly<Record<string, string>> = {
  numbers: `[${Array(300_000).fill("1")}]`,
  nested: `{"a":{"b":[${Array(300_000).fill("1")}]}}`,
  strings: `[${Array(250_000).fill('""')}]`,
  lists: `[${Array(300_000).fill("[]")}]`,
  large: `[${Array(290_000).fill("1")},12345678901234567890]`,
  members: `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`)}}`,
  rows: `[${Array(600).fill(`[${Array(500).fill("1")}]`)}]`,
};

test("answers with many small values need no more than a small heap", async (t) => {
  const api = await startApi(t, (response, { url }) => {
    response.writeHead(200, { "content-type": "application/json" }).end(MANY[url.slice(1)]);
  });
  const endpoints = Object.keys(MANY).map((name) => written({ name, path: `/${name}` }));
  const folder = makeFolder(t, { "api.json": JSON.stringify({ base: api.origin, endpoints }) });
  const limit = "--max-old-space-size=48";
  const runtimeFlags = [...sandbox("127.0.0.1"), ON_DENO ? `--v8-flags=${limit}` : limit];
  const program = new Program(["gateway", "--endpoints", `${folder}/api.json`], { runtimeFlags });
  await program.initialize();
  for (const name of Object.keys(MANY)) {
    for (let time = 0; time < 3; time++) {
      const answer = await program.ask("tools/call", { name });
      assert.match(JSON.stringify(answer.result), /The answer has \d+ bytes/, name);
    }
  }
  assert.equal(await program.close(), 0);
});

const AUTH = { key: { type: "header", name: "X-Key" } };

test("an endpoint file becomes tools that call the API, in a sandbox that allows only its host", async (t) => {
  const api = await startApi(t, { id: 7, name: "Ada" });
  const user = written({ path: "/users/{id}", parameters: [{ name: "id", in: "path" }] });
  const endpoints = [
    { ...user, name: "get_user", response: { type: "object" } },
    { ...user, name: "remove_user", method: "DELETE", allow: true },
  ];
  const program = start(t, { base: `${api.origin}/v1`, auth: AUTH, endpoints });
  await program.initialize();
  const tools = (await program.ask("tools/list")).result!["tools"] as { name: string }[];
  assert.deepEqual(tools.map(({ name }) => name), ["get_user", "remove_user"]);
  const good = await program.ask("tools/call", { name: "get_user", arguments: { id: "7" } });
  assert.deepEqual(good.result!["structuredContent"], { id: 7, name: "Ada" });
  const plan = await program.ask("tools/call", { name: "remove_user", arguments: { id: "7" } });
  assert.equal(api.asked.length, 1);
  const confirmed = { id: "7", confirmation_token: tokenOf(plan) };
  await program.ask("tools/call", { name: "remove_user", arguments: confirmed });
  assert.deepEqual(api.asked.map(({ method, url, headers }) => [method, url, headers["x-key"]]), [
    ["GET", "/v1/users/7", "the-secret-key"],
    ["DELETE", "/v1/users/7", "the-secret-key"],
  ]);
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
  assert.equal(program.output.includes("the-secret-key"), false);
});

test("a failed or forbidden connection is a failure with its reason", async (t) => {
  const api = await startApi(t);
  const broken = /^architrave: warning: probe: The connection failed: .+\n$/;
  const rows: [base: string, host: string, reason: RegExp][] = [["http://127.0.0.1:1", "127.0.0.1", broken]];
  if (ON_DENO) rows.push([api.origin, "example.com", /^architrave: warning: probe: .*net access/m]);
  for (const [base, host, reason] of rows) {
    const program = start(t, { base, auth: AUTH, endpoints: [written()] }, [], host);
    await program.initialize();
    assert.match(textOf(await program.ask("tools/call", { name: "probe" })), /kind: connection/);
    assert.equal(await program.close(), 0);
    assert.match(program.errors, reason);
  }
  assert.equal(api.asked.length, 0);
});

test("an OpenAPI document is served and listed; skipped operations are reported on standard error", async (t) => {
  const api = await startApi(t, [1]);
  const unsendable = { name: "ids", in: "query", style: "pipeDelimited", explode: true, schema: {} };
  const operation = (operationId: string, ...parameters: object[]) => ({
    operationId,
    parameters,
    responses: {},
  });
  const document = openApi({
    "/a": { get: operation("list", unsendable), delete: operation("drop", unsendable) },
    "/b": { get: operation("bad", { $ref: "x.json" }) },
  });
  const folder = makeFolder(t, { "api.json": JSON.stringify(document) });
  const args = ["gateway", "--openapi", `${folder}/api.json`, "--base", api.origin];
  const shown = await runHere([...args, "--list"]);
  assert.equal(shown.code, 0);
  const lists =
    /\n {2}list {2}GET \/a\nwithheld, .*: 1\nskipped, .*: 1\n {2}GET \/b: The reference "x.json" must be a JSON pointer/;
  assert.match(shown.output, lists);
  const remark = "The parameter ids is pipeDelimited and exploded, which OpenAPI does not define";
  // Operations that are not served have no remarks.
  const end = `\nremarks on operations that are served: 1\n  GET /a: ${remark}\n`;
  assert.ok(shown.output.endsWith(end), shown.output);
  const whole = await runHere([...args, "--list", "--format", "json", "--allow-destructive"]);
  const data = JSON.parse(whole.output);
  assert.deepEqual(data.operations.map(({ name }: { name: string }) => name), ["drop", "list"]);
  assert.deepEqual(data.remarks, ["GET /a", "DELETE /a"].map((operation) => ({ operation, reason: remark })));
  const program = new Program(args, { runtimeFlags: sandbox("127.0.0.1") });
  assert.equal(textOf(await program.askModern("tools/call", { name: "list" })), "[1]");
  assert.equal(await program.close(), 0);
  assert.match(
    program.errors,
    /^architrave: warning: Cannot read x\.json: [^\n]*\n[^\n]* GET \/b is not served: [^\n]*\n$/,
  );
});

test("skipped operations are listed with their reasons even if nothing is served", async (t) => {
  const endpoints = [written(), written({ name: "drop", method: "DELETE", auth: [] })];
  const file = { base: "https://api.example.com", auth: AUTH, endpoints };
  const folder = makeFolder(t, { "api.json": JSON.stringify(file) });
  const rows = [
    [[], "operations of https://api.example.com: 0\n"],
    [["--max-tools", "0"], "operations of https://api.example.com: 0\n"],
    [["--without-credentials"], "operations of https://api.example.com: 1\n"],
  ] as const;
  for (const [flags, start] of rows) {
    const args = ["gateway", "--endpoints", `${folder}/api.json`, "--list", ...flags];
    const { code, output, errors } = await runHere(args);
    assert.deepEqual([code, errors], [0, ""]);
    assert.ok(output.startsWith(start) && /^withheld, .*: 1$/m.test(output), output);
    const reason =
      "  GET /probe: It needs the credential key (--auth-file key=FILE, or --without-credentials)\n";
    assert.equal(output.includes(reason), start.endsWith("0\n"), output);
  }
});

test("a long document does not delay the handshake, and a mistake in it ends the program afterwards", async (t) => {
  const padding = { description: "x".repeat(300_000) };
  const good = openApi({ "/a": { get: { operationId: "list", responses: {} } } }, { padding });
  const folder = makeFolder(t, {
    "good.json": JSON.stringify(good),
    "bad.json": JSON.stringify({ openapi: "4.0.0", padding }),
    "short.json": '{"openapi":"4.0.0"}',
  });
  const start = (name: string) => {
    const args = ["gateway", "--openapi", `${folder}/${name}.json`];
    return new Program(args, { runtimeFlags: sandbox("api.example.com") });
  };
  const [served, broken, short] = [start("good"), start("bad"), start("short")];
  await served.initialize();
  const { tools } = (await served.ask("tools/list")).result as { tools: { name: string }[] };
  assert.deepEqual(tools.map(({ name }) => name), ["list"]);
  assert.equal(await served.close(), 0);
  assert.ok((await broken.initialize()).result);
  for (const program of [broken, short]) {
    assert.equal(await program.exited, 2);
    assert.match(
      program.errors,
      /OpenAPI 3\.0 to 3\.2 and Swagger 2\.0 are supported, but the version is "4\.0\.0"/,
    );
  }
});

const YAML = `openapi: 3.1.0
servers: [{url: https://api.example.com}]
paths:
  /a: {get: {operationId: one, responses: {200: {description: ok}}}}
  /b: {$ref: parts/b.yaml}
  /c: {$ref: parts/link.yaml}
  /d: {$ref: .hidden.yaml}
  /e: {$ref: parts/two.yaml}
`;

test("a document may be YAML, refer to files next to it, and come from a pipe; links out of its folder are not read", async (t) => {
  const outside = makeFolder(t, { "secret.yaml": "get: {operationId: secret}\n" });
  const folder = makeFolder(t, {
    "api": YAML,
    "parts/b.yaml": "get: {operationId: two, responses: {200: {description: ok}}}\n",
    "parts/two.yaml": "get:\n---\nget:\n",
    ".hidden.yaml": "get: {operationId: hidden}\n",
  });
  symlinkSync(`${outside}/secret.yaml`, `${folder}/parts/link.yaml`);
  const shown = await runHere(["gateway", "--openapi", `${folder}/api`, "--list"]);
  const listed = "operations of https://api.example.com: 2\n  one  GET /a\n  two  GET /b\n";
  assert.ok(shown.output.startsWith(listed), shown.output);
  const unread = "it is missing, not text, too large, hidden, or outside of the document's folder";
  const two =
    'line 2, column 1: found "---", but the file must end: several documents in one file are not supported';
  const reasons = { ".hidden": unread, "parts/link": unread, "parts/two": `it is not YAML: ${two}` };
  const warnings = Object.entries(reasons)
    .map(([path, reason]) => `architrave: warning: Cannot read ${path}.yaml: ${reason}`);
  assert.deepEqual(shown.errors.trim().split("\n").sort(), warnings);
  const piped = await runHere(["gateway", "--openapi", "-", "--list"], { input: YAML });
  assert.match(piped.output, /: 1\n {2}one {2}GET \/a\n/);
});

const PIPE = "a document is read from a pipe with a name, as <(COMMAND) makes one";
test(PIPE, { skip: ON_WINDOWS }, async (t) => {
  const folder = makeFolder(t, { "api.yaml": `${YAML}# ${"x".repeat(200_000)}\n` });
  const [file, args] = command(["gateway", "--list", "--openapi"]);
  const child = spawn("bash", ["-c", '"$@" <(sleep 0.1; cat "$0")', `${folder}/api.yaml`, file, ...args]);
  t.after(() => child.kill());
  let output = "";
  child.stdout.on("data", (text) => output += text);
  assert.deepEqual(await once(child, "close"), [0, null]);
  assert.match(output, /: 1\n {2}one {2}GET \/a\n/);
});

test("a mistake on the command line or in a file is one sentence and exit code 2", async (t) => {
  const good = { base: "https://api.example.com", endpoints: [written()] };
  const folder = makeFolder(t, {
    "good.json": JSON.stringify(good),
    "bad.json": JSON.stringify({ endpoints: [written({ path: "x" })] }),
    "broken.json": "{",
    "api.yaml": "openapi: 3.0.0\nservers: [{url: https://api.example.com}]\n",
    "bad.yaml": "a: 1\nb",
    "writes.json": JSON.stringify({ ...good, endpoints: [written({ method: "DELETE" })] }),
    "auth.json": JSON.stringify({ ...good, auth: AUTH }),
    "plain.json": JSON.stringify({ ...good, base: "http://api.example.com", auth: AUTH }),
    "secret": "top-secret\nand more\n",
    "key": "top-secret\n",
  });
  const rows = table(String.raw`
    | either --openapi FILE or --endpoints FILE
    --openapi a --endpoints b | either --openapi FILE or --endpoints FILE
    --endpoints @none.json | does not exist
    --endpoints @bad.json | bad.json#/endpoints/0/path:
    --endpoints @broken.json | is not JSON
    --openapi @api.yaml | No operation is left: 0 can change
    --openapi @bad.yaml | bad.yaml: it is not YAML: line 2, column 1: found "b", but a key and a colon must be here
    --openapi - | Standard input belongs to the client: - is for --list
    --openapi @ | is a folder: name a file
    --endpoints @writes.json | No operation is left: 1 can change something (--allow-destructive)
    --endpoints @auth.json | It needs the credential key (--auth-file key=FILE, or --without-credentials)
    --endpoints @auth.json --auth-file key=@secret | one line of printable ASCII
    --endpoints @good.json --auth-file key=@secret | no credential "key"
    --endpoints @good.json --header-file Host=@key | belongs to the connection
    --endpoints @plain.json --auth-file key=@key | unencrypted to http://api.example.com: use https or --allow-plain-http
    --endpoints @good.json --auth-file top-secret-value | --auth-file takes NAME=FILE
    --endpoints @good.json --base https://a.example/?key=top-secret | The base URL must not have a user, password, query or fragment
    --endpoints @good.json --base ftp://a.example/?key=top-secret | begin with https:// or http://, and "ftp://a.example/?…"
    --endpoints @good.json --tag nope | There is no tag "nope" among the operations served; there are: none
    --endpoints @good.json --timeout soon | --timeout takes a whole number
    --endpoints @good.json --root x | --root is an option of serve
    --endpoints @good.json more | Unexpected argument "more" for gateway
  `);
  for (const [line, reason] of rows) {
    const args = line.split(" ").filter((word) => word !== "").map((word) => word.replace("@", `${folder}/`));
    const { code, output, errors } = await runHere(["gateway", ...args]);
    assert.equal(code, 2, errors);
    assert.equal(output, "");
    assert.match(errors, /^architrave: [^\n]+\n$/);
    assert.ok(errors.includes(reason), errors);
    assert.equal(errors.includes("top-secret"), false);
  }
});
