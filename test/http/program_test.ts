/** Does the program serve over HTTP as its command line says, and end as it is asked to? */

import assert from "node:assert/strict";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { runHere } from "../harness/command.ts";
import { ON_DENO, Program } from "../harness/program.ts";
import { HttpClient, Served } from "./client.ts";
import { Source } from "../server/conversation.ts";

const RUNTIME_FLAGS = ON_DENO
  ? ["--no-prompt", "--allow-read", "--allow-net"]
  : ["--experimental-strip-types", "--no-warnings"];
const ON_WINDOWS = process.platform === "win32" ? "Windows has no such signals" : false;

async function start(t: TestContext, args: readonly string[], files: Record<string, string> = {}) {
  const folder = makeFolder(t, { "resources/guidelines/a.md": "# A\n\nText.\n", ...files });
  const program = new Program(
    [
      "http",
      "--root",
      folder,
      "--listen",
      "127.0.0.1:0",
      ...args.map((arg) => arg.replace("FOLDER", folder)),
    ],
    { runtimeFlags: RUNTIME_FLAGS },
  );
  t.after(() => void program.child.kill("SIGKILL"));
  while (!/\/mcp\n/.test(program.errors)) {
    await once(program.child.stderr, "data", { signal: AbortSignal.timeout(30_000) });
  }
  const url = /at (http:\S+)/.exec(program.errors)![1]!;
  const listening = { url, port: Number(new URL(url).port), close: () => Promise.resolve() };
  return { program, served: new Served(listening, { source: new Source(), waiting: [], failures: [] }) };
}

test("it says where it listens, serves both eras there, and ends its streams when it is asked to end", {
  skip: ON_WINDOWS,
}, async (t) => {
  const { program, served } = await start(t, []);
  const modern = new HttpClient(served);
  const { result } = await modern.ask("resources/read", { uri: "architecture://guidelines/a" });
  assert.match((result as { contents: { text: string }[] }).contents[0]!.text, /Text/);
  const legacy = await new HttpClient(served, "2025-11-25").start();
  const notices = await legacy.listen();
  const stream = await modern.begin(
    modern.request("subscriptions/listen", { notifications: { resourcesListChanged: true } }, "s"),
  );
  await stream.take(1);
  assert.equal((await served.send("GET", {}, undefined, "/readyz")).status, 200);
  // Not with kill() of the child, after which Deno takes it for dead of that signal, whatever it does.
  process.kill(program.child.pid!, "SIGTERM");
  await Promise.all([stream.whole(), notices.whole()]);
  assert.deepEqual(stream.messages().slice(1).map(({ id, method }) => id ?? method), [
    "s",
    "notifications/cancelled",
  ]);
  assert.equal(await program.exited, 0);
  assert.equal(program.errors.split("\n").length, 2, program.errors);
});

test("tokens and keys come from files, and sessions outlive a restart", { skip: ON_WINDOWS }, async (t) => {
  const files = {
    "tokens": "# who may ask\nada 0123456789abcdef-ada\n0123456789abcdef-nameless\n",
    "keys": `${btoa("k".repeat(32))}\n`,
  };
  const flags = ["--token-file", "FOLDER/tokens", "--key-file", "FOLDER/keys"];
  const first = await start(t, flags, files);
  const client = new HttpClient(first.served, "2025-11-25");
  assert.equal((await client.post(client.request("ping"))).status, 401);
  client.fields = { authorization: "Bearer 0123456789abcdef-ada" };
  await client.start();
  const second = await start(t, flags, files);
  const elsewhere = new HttpClient(second.served, "2025-11-25");
  elsewhere.fields = client.fields;
  elsewhere.session = client.session;
  assert.ok((await elsewhere.ask("resources/list"))["result"]);
});

test("a command line that cannot be carried out is one sentence, and exit code 2", async (t) => {
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
  const rows: [string[], RegExp][] = [
    [["http", "--listen", "0.0.0.0:0"], /Cannot listen on 0\.0\.0\.0 without --token-file/],
    [["http", "--listen", "somewhere"], /--listen takes HOST:PORT/],
    [["http", "--listen", "127.0.0.1:99999"], /--listen takes HOST:PORT/],
    [["http", "--token-file", `${folder}/none`], /Cannot read --token-file: ".*none" does not exist or/],
    [["http", "--token-file", `${folder}/bytes`], /Cannot read --token-file: ".*bytes" is not UTF-8/],
    [["http", "--token-file", `${folder}/large`], /large" has 65537 bytes, and 65536 are allowed/],
    [["http", "--token-file", folder], /Cannot read --token-file: ".*" (?:is not a file|does not exist)/],
    [["http", "--token-file", `${folder}/short`], /needs 16 random ones/],
    [["http", "--token-file", `${folder}/empty`], /there are none/],
    [["http", "--token-file", `${folder}/odd`], /of "token 1": it has characters that clients cannot send/],
    [["http", "--token-file", `${folder}/odd-nameless`], /of "token 1": it has characters/],
    [["http", "--token-file", `${folder}/turned`], /of "token 1": it has 3 characters/],
    [["http", "--key-file", `${folder}/short`], /--key-file needs a key/],
    [["http", "--allow-host", "https://docs.example.com"], /--allow-host takes a name, .*, not "https:/],
    [["http", "--allow-host="], /--allow-host takes a name, .*, not ""/],
    [
      ["http", "--allow-origin", "https://a.example", "--allow-origin", "x"],
      /as browsers send it: .*, not "x"/,
    ],
    [["http", "--allow-origin", "https://app.example.com/"], /--allow-origin takes an origin/],
    [["list", "--listen", "8080"], /--listen is an option of http, not of list/],
  ];
  for (const [args, sentence] of rows) {
    const { code, output, errors } = await runHere([...args, "--root", folder]);
    assert.equal(code, 2, args.join(" "));
    assert.equal(output, "");
    assert.match(errors, sentence);
    assert.doesNotMatch(errors, /abc/, "what is in such a file is nobody's business");
  }
});
