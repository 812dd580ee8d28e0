/** The command `http`. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";
import { test } from "node:test";
import type { AddressInfo } from "node:net";
import { makeFolder } from "../../harness/folder.ts";
import { runHere } from "../../harness/command.ts";
import { pause } from "../../harness/process.ts";
import { HttpClient } from "../../harness/http_client.ts";
import { startProgram } from "../../harness/http_server.ts";
import { AUDIENCE, claims, ISSUER, makeKey, sign } from "./tokens.ts";

const SIGNALS = { skip: process.platform === "win32" && "Windows has no such signals" };

test("http prints its URL, serves both eras, and ends its streams on a signal", SIGNALS, async (t) => {
  const { program, served } = await startProgram(t, []);
  const modern = new HttpClient(served);
  const { result } = await modern.ask("resources/read", { uri: "architecture://guidelines/a" });
  assert.match((result as { contents: { text: string }[] }).contents[0]!.text, /Text/);
  const legacy = await served.client("2025-11-25");
  const notices = await legacy.listen();
  const stream = await modern.listen();
  await stream.take(1);
  assert.equal((await served.get("/readyz")).status, 200);
  // Not with kill() of the child, after which Deno reports that signal whatever the child does.
  process.kill(program.child.pid!, "SIGTERM");
  await Promise.all([stream.whole(), notices.whole()]);
  const [response, ...rest] = stream.messages().slice(1);
  assert.ok(response!["result"]);
  assert.deepEqual(rest.map(({ method }) => method), ["notifications/cancelled"]);
  assert.equal(await program.exited, 0);
  const [first, ...others] = program.errors.split("\n");
  assert.match(first!, /^architrave \S+ serves .* at http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  assert.deepEqual(others, ["architrave: stopping", "architrave: stopped", ""]);
});

test("tokens and keys are read from files, and sessions survive a restart", SIGNALS, async (t) => {
  const files = {
    "tokens": "# tokens\nada 0123456789abcdef-ada\n0123456789abcdef-nameless\n",
    "keys": `${btoa("k".repeat(32))}\n`,
  };
  const flags = ["--token-file", "FOLDER/tokens", "--key-file", "FOLDER/keys"];
  const first = await startProgram(t, flags, files);
  const client = new HttpClient(first.served, "2025-11-25");
  assert.equal(await client.status("ping"), 401);
  client.fields = { authorization: "Bearer 0123456789abcdef-ada" };
  await client.start();
  const second = await startProgram(t, flags, files);
  assert.equal(await client.at(second.served).status("resources/list"), 200);
});

test("tokens are read again when their file changes, unless they cannot be used", SIGNALS, async (t) => {
  // Each look with a token that is not known yet is a wrong credential.
  const args = ["--token-file", "FOLDER/tokens", "--max-failures", "10000"];
  const { program, served, folder } = await startProgram(t, args, { "tokens": "ada 0123456789abcdef-ada\n" });
  const client = new HttpClient(served);
  const as = (name: string) => ({ authorization: `Bearer 0123456789abcdef-${name}` });
  const status = (name: string) => client.status("tools/list", as(name));
  const isTaken = (name: string) => client.becomes(200, client.request("tools/list"), as(name));
  const write = (text: string) => writeFileSync(`${folder}/tokens`, text);
  assert.deepEqual([await status("ada"), await status("bob")], [200, 401]);
  write("bob 0123456789abcdef-bob\n");
  await isTaken("bob");
  assert.equal(await status("ada"), 401);
  write(`${"eve 0123456789abcdef-eve\n# ".padEnd(70_000)}\n`);
  while (!/stays in use/.test(program.errors)) await isTaken("bob");
  assert.match(
    program.errors,
    /Cannot read --token-file: ".*tokens" has more than 65536 bytes.*; the old content stays in use/,
  );
  assert.equal(await status("eve"), 401);
  write("bob 0123456789abcdef-bob\nada 0123456789abcdef-ada\n");
  await isTaken("ada");
  // A change of long ago counts for the first request after it; the file is looked at once a second.
  write("bob 0123456789abcdef-bob\n");
  const before = new Date(Date.now() - 60_000);
  utimesSync(`${folder}/tokens`, before, before);
  await pause(1100);
  assert.equal(await status("ada"), 401);
  assert.doesNotMatch(program.errors, /0123/);
});

test("--audit-log stderr writes each request as one line of visible characters", SIGNALS, async (t) => {
  const { program, served } = await startProgram(t, ["--audit-log", "stderr", "--log-level", "silent"]);
  const uri = "x:\n\u0085\u2028\u202e\u001b[2J";
  await new HttpClient(served).ask("resources/read", { uri }, { "mcp-name": undefined });
  while (!/"level":"audit".*\n/.test(program.errors)) await once(program.child.stderr, "data");
  const [line = "", ...rest] = program.errors.split("\n").slice(1);
  assert.deepEqual(rest, [""]);
  assert.match(line, /^[\x20-\x7e]+$/);
  const { level, method, target } = JSON.parse(line);
  assert.deepEqual([level, method, target], ["audit", "resources/read", uri]);
});

test("a log line has the trace of its request, from _meta or the header", SIGNALS, async (t) => {
  const { program, served } = await startProgram(t, ["--log-level", "info", "--log-format", "json"]);
  const client = new HttpClient(served);
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const rows: [meta: object, fields: Record<string, string>, logged: string | undefined][] = [
    [{ traceparent }, {}, traceparent],
    [{}, { traceparent }, traceparent],
    [{}, {}, undefined],
    [{ traceparent: `${traceparent}\u001b` }, {}, undefined],
    [{ traceparent: [traceparent] }, { traceparent }, undefined],
  ];
  for (const [index, [_meta, fields, logged]] of rows.entries()) {
    await client.ask("resources/read", { uri: `none:${index}`, _meta }, fields);
    const line = new RegExp(`^.*none:${index}.*\n`, "m");
    while (!line.test(program.errors)) await once(program.child.stderr, "data");
    assert.equal(JSON.parse(line.exec(program.errors)![0]).traceparent, logged);
  }
});

test("JWTs are checked against a file of keys, and clients learn where to get them", SIGNALS, async (t) => {
  const key = await makeKey("ES256", "k1");
  const { program, served, folder } = await startProgram(t, [
    ...["--jwks", "FOLDER/keys.json", "--issuer", ISSUER, "--resource", AUDIENCE],
    ...["--require-scope", "category:guidelines=docs more", "--require-scope", "tool:list_documents=list"],
    ...["--require-scope", "category:guideline=docs"],
  ], { "keys.json": JSON.stringify({ keys: [key.jwk] }) });
  const client = new HttpClient(served);
  client.fields = { authorization: `Bearer ${await sign(key)}`, host: "docs.example.com" };
  assert.equal(await client.status("tools/list"), 200);
  const read = client.request("resources/read", { uri: "architecture://guidelines/a" });
  assert.equal((await client.post(read)).status, 403);
  const { result } = await client.ask("server/discover");
  assert.doesNotMatch((result as { instructions: string }).instructions, /guidelines \(/);
  const wide = `Bearer ${await sign(key, claims({ scope: "docs more" }))}`;
  assert.equal((await client.post(read, { authorization: wide })).status, 200);
  const authorization = `Bearer ${await sign(key, claims({ aud: "x" }))}`;
  const refused = await client.post(client.request("tools/list"), { authorization });
  assert.equal(refused.status, 401);
  const [, url = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate")!)!;
  const { json } = await served.get(new URL(url).pathname);
  assert.deepEqual([json["resource"], json["authorization_servers"]], [AUDIENCE, [ISSUER]]);
  assert.deepEqual(json["scopes_supported"], ["docs", "more", "list"]);
  assert.match(program.errors, /--require-scope: there is no category guideline\n/);
  // An emptied set lets nobody in.
  writeFileSync(`${folder}/keys.json`, '{"keys":[]}');
  const before = new Date(Date.now() - 60_000);
  utimesSync(`${folder}/keys.json`, before, before);
  await pause(1100);
  assert.equal(await client.status("tools/list"), 401);
});

test("a wrong command line is one sentence, and exit code 2", async (t) => {
  const folder = makeFolder(t, {
    "resources/a.md": "# A\n",
    "short": "abc\n",
    "bytes": Uint8Array.of(255),
    "large": "#".repeat(65_537),
    "empty": "\n",
    "odd": "ops p4ss!abc0rd#with$punct-2026\n",
    "odd-nameless": "p4ss!abc0rd#with$punct-2026\n",
    "turned": "0123456789-abc-0123456789 ops\n",
    "named": "# people\nann abc45\n",
    "twice": "a 0123456789-abc-0123456789\n\na 0123456789-abc-0123456789\n",
    "same": "ann 0123456789-abc-0123456789 docs\nbob 0123456789-abc-0123456789 other\n",
    "same-nameless": "0123456789-abc-0123456789\nbob 0123456789-abc-0123456789\n",
    "same-turned":
      "0123456789-abc-0123456789 name-of-operations\n0123456789-abc-1123456789 name-of-operations\n",
    "keys": '{"keys":1}',
    "no-keys": '{"keys":[]}',
    "other-keys": '{"keys":[{"kty":"oct","k":"abc"},{"kty":"EC","crv":"P-256","use":"enc"}]}',
  });
  const jwks = "--jwks FOLDER/keys --issuer https://a.example";
  const taken = createServer().listen(0, "127.0.0.1");
  t.after(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  // What stands for "*" in a sentence is not looked at.
  const rows: [options: string, sentence: string][] = [
    ["--listen 0.0.0.0:0", "Cannot listen on 0.0.0.0 without --token-file or --jwks"],
    [
      `--listen 127.0.0.1:${port}`,
      `Cannot listen on 127.0.0.1:${port}: *; --listen names another address.\n`,
    ],
    // No machine has this address.
    [
      "--listen [2001:db8::1]:8080 --allow-unauthenticated",
      "Cannot listen on [2001:db8::1]:8080: *; --listen names another address.\n",
    ],
    ["--listen somewhere", "--listen takes HOST:PORT"],
    ["--listen 127.0.0.1:99999", "--listen takes HOST:PORT"],
    ["--token-file FOLDER/none", 'Cannot read --token-file: "*none" does not exist: *.\n'],
    ["--token-file FOLDER/bytes", 'Cannot read --token-file: "*bytes" is not UTF-8'],
    ["--token-file FOLDER/large", 'large" has more than 65536 bytes'],
    ["--token-file FOLDER/", 'Cannot read --token-file: "*" '],
    ["--token-file FOLDER/short", "needs 16 random ones"],
    ["--token-file FOLDER/empty", "Cannot use --token-file: it has no token: a line is NAME TOKEN SCOPE"],
    ["--token-file FOLDER/odd", 'of "line 1": it has characters that clients cannot send'],
    ["--token-file FOLDER/odd-nameless", 'of "line 1": it has characters'],
    ["--token-file FOLDER/turned", 'of "line 1": it has 3 characters'],
    ["--token-file FOLDER/named", 'of "line 2": it has 5 characters, and needs 16'],
    [
      "--token-file FOLDER/twice",
      "--token-file: line 3 has the name of a line before: every name is used once",
    ],
    ["--token-file FOLDER/same", '--token-file: the token of "line 2": "line 1" has the same one'],
    ["--token-file FOLDER/same-nameless", 'of "line 2": "line 1" has the same one'],
    ["--token-file FOLDER/same-turned", 'of "line 2": "line 1" has the same one'],
    [`${jwks} --audience x`, "Cannot use --jwks: It must be a JWK Set"],
    [`${jwks.replace("keys", "no-keys")} --audience x`, "Cannot use --jwks: It has no key that verifies"],
    [`${jwks.replace("keys", "other-keys")} --audience x`, "Cannot use --jwks: It has no key that verifies"],
    [`${jwks.replace("keys", "short")} --audience x`, "Cannot use --jwks: it is not JSON"],
    [
      `${jwks.replace("FOLDER", "http://a.example")} --audience x`,
      "Cannot use --jwks: the keys must come over https",
    ],
    ["--jwks FOLDER/keys --audience x", "--jwks needs --issuer"],
    [jwks, "--jwks needs --issuer, and --resource or --audience"],
    [`${jwks} --audience x --token-file x`, "--token-file and --jwks exclude each other"],
    ["--issuer https://a.example", "--issuer and --audience need --jwks"],
    ["--resource https://[ --authorization-server https://b.example", "--resource takes a URL without #"],
    ["--resource a.example --authorization-server https://b.example", "--resource takes a URL without #"],
    ["--resource https://a.example/mcp", "--resource and --authorization-server need each other"],
    ["--require-scope all=x", "--require-scope needs --token-file or --jwks"],
    ["--require-scope adr=x", "--require-scope takes all=SCOPE, tool:NAME=SCOPE or category:NAME=SCOPE"],
    ["--require-scope category:=x", "--require-scope takes all=SCOPE"],
    ["--require-scope tool:serch_documents=x", 'Unknown tool "serch_documents" (did you mean search_doc'],
    ['--require-scope all=a"b', '--require-scope takes all=SCOPE*, not "all=a"b"'],
    // The host and the origin are good.
    [
      "--allow-host docs.example.com:80 --allow-origin https://a.example --audit-log audit.log",
      "--audit-log takes stderr, which can be redirected to a file",
    ],
    ["--allow-host a,b", '--allow-host takes a name, with or without a port: docs.example.com, not "a,b"'],
    ["--key-file FOLDER/short", "--key-file needs a key"],
    ["--allow-origin https://a.example --allow-origin x", 'as browsers send it: *, not "x"'],
    ["--allow-origin *", "lets every web page in: name the origins, or use --token-file or --jwks"],
  ];
  for (const [line, sentence] of rows) {
    const args = line.split(" ").map((word) => word.replace("FOLDER", folder));
    const { code, output, errors } = await runHere(["http", ...args, "--root", folder]);
    assert.equal(code, 2, line);
    assert.equal(output, "");
    for (const part of sentence.split("*")) assert.ok(errors.includes(part), `${sentence}: ${errors}`);
    assert.doesNotMatch(errors, /abc/, "the file is not quoted");
  }
  const { code, errors } = await runHere(["list", "--listen", "8080", "--root", folder]);
  assert.equal(code, 2);
  assert.match(errors, /--listen is an option of http, page, not of list/);
});
