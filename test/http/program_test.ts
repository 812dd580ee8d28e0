/** The command `http`. */

import assert from "node:assert/strict";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { runHere } from "../harness/command.ts";
import { ON_DENO, Program } from "../harness/program.ts";
import { HttpClient, Served } from "./client.ts";

const RUNTIME_FLAGS = ON_DENO
  ? ["--no-prompt", "--allow-read", "--allow-net"]
  : ["--experimental-strip-types", "--no-warnings"];
const SIGNALS = { skip: process.platform === "win32" && "Windows has no such signals" };

async function start(t: TestContext, args: readonly string[], files: Record<string, string> = {}) {
  const folder = makeFolder(t, { "resources/guidelines/a.md": "# A\n\nText.\n", ...files });
  const given = args.map((arg) => arg.replace("FOLDER", folder));
  const all = ["http", "--root", folder, "--listen", "127.0.0.1:0", ...given];
  const program = new Program(all, { runtimeFlags: RUNTIME_FLAGS });
  t.after(() => void program.child.kill("SIGKILL"));
  while (!/\/mcp\n/.test(program.errors)) {
    await once(program.child.stderr, "data", { signal: AbortSignal.timeout(30_000) });
  }
  const [, url = ""] = /at (http:\S+)/.exec(program.errors)!;
  return { program, served: Object.assign(new Served(), { port: Number(new URL(url).port) }) };
}

test("http prints its URL, serves both eras, and ends its streams on a signal", SIGNALS, async (t) => {
  const { program, served } = await start(t, []);
  const modern = new HttpClient(served);
  const { result } = await modern.ask("resources/read", { uri: "architecture://guidelines/a" });
  assert.match((result as { contents: { text: string }[] }).contents[0]!.text, /Text/);
  const legacy = await new HttpClient(served, "2025-11-25").start();
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
  assert.equal(program.errors.split("\n").length, 2, program.errors);
});

test("tokens and keys are read from files, and sessions survive a restart", SIGNALS, async (t) => {
  const files = {
    "tokens": "# tokens\nada 0123456789abcdef-ada\n0123456789abcdef-nameless\n",
    "keys": `${btoa("k".repeat(32))}\n`,
  };
  const flags = ["--token-file", "FOLDER/tokens", "--key-file", "FOLDER/keys"];
  const first = await start(t, flags, files);
  const client = new HttpClient(first.served, "2025-11-25");
  assert.equal(await client.status("ping"), 401);
  client.fields = { authorization: "Bearer 0123456789abcdef-ada" };
  await client.start();
  const second = await start(t, flags, files);
  assert.equal(await client.at(second.served).status("resources/list"), 200);
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
  });
  const rows: [string, RegExp][] = [
    ["http --listen 0.0.0.0:0", /Cannot listen on 0\.0\.0\.0 without --token-file/],
    ["http --listen somewhere", /--listen takes HOST:PORT/],
    ["http --listen 127.0.0.1:99999", /--listen takes HOST:PORT/],
    ["http --token-file FOLDER/none", /Cannot read --token-file: ".*none" does not exist: .+\.$/m],
    ["http --token-file FOLDER/bytes", /Cannot read --token-file: ".*bytes" is not UTF-8/],
    ["http --token-file FOLDER/large", /large" has 65537 bytes, and 65536 are allowed/],
    ["http --token-file FOLDER", /Cannot read --token-file: ".*" (?:is not a file|does not exist)/],
    ["http --token-file FOLDER/short", /needs 16 random ones/],
    ["http --token-file FOLDER/empty", /there are none/],
    ["http --token-file FOLDER/odd", /of "token 1": it has characters that clients cannot send/],
    ["http --token-file FOLDER/odd-nameless", /of "token 1": it has characters/],
    ["http --token-file FOLDER/turned", /of "token 1": it has 3 characters/],
    ["http --key-file FOLDER/short", /--key-file needs a key/],
    ["http --allow-host https://docs.example.com", /--allow-host takes a name, .*, not "https:/],
    ["http --allow-host=", /--allow-host takes a name, .*, not ""/],
    ["http --allow-origin https://a.example --allow-origin x", /as browsers send it: .*, not "x"/],
    ["http --allow-origin https://app.example.com/", /--allow-origin takes an origin/],
    ["list --listen 8080", /--listen is an option of http, not of list/],
  ];
  for (const [line, sentence] of rows) {
    const args = line.split(" ").map((word) => word.replace("FOLDER", folder));
    const { code, output, errors } = await runHere([...args, "--root", folder]);
    assert.equal(code, 2, line);
    assert.equal(output, "");
    assert.match(errors, sentence);
    assert.doesNotMatch(errors, /abc/, "the file is not quoted");
  }
});
