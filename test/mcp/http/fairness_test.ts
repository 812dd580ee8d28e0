/**
 * Whatever one client does, the requests of another are served, and hardly later. With `ATTACK_SECONDS=3` each attack takes that
 * long, with `TESTS=all` a minute in all; skipped otherwise, and where a machine has only one local address.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { before, test } from "node:test";
import { pause, peakMemory } from "../../harness/process.ts";
import type { Program } from "../../harness/program.ts";
import { command, IS_COMPLETE, ON_DENO } from "../../harness/program.ts";
import { ATTACKS } from "./attacker.ts";
import type { HttpPeer } from "../../harness/http_client.ts";
import { HttpClient } from "../../harness/http_client.ts";
import { startProgram } from "../../harness/http_server.ts";

const NAMES = Object.keys(ATTACKS);
const SECONDS = Number(process.env["ATTACK_SECONDS"] ?? (IS_COMPLETE ? 60 / NAMES.length : 0));
const SKIP = {
  skip: SECONDS === 0 ? "ATTACK_SECONDS is not set" : process.platform !== "linux" && "needs 127.0.0.2",
};
/** How much later the slowest hundredth of the requests may be answered. */
const MOST_TIMES_SLOWER = 3;
/**
 * A quiet server answers in 2 ms. On a machine with two processors, which the server, the attacker and this process share, one
 * slice of the scheduler or one collection of garbage takes longer than three times that, so nothing below is held against it.
 */
const FLOOR_MS = 50;
const MOST_MEMORY = 512 * 1024 * 1024;
const FLAGS = ON_DENO ? ["--no-prompt", "--allow-all"] : ["--experimental-strip-types", "--no-warnings"];
const TOKENS = { a: "0123456789abcdef-a", b: "0123456789abcdef-b" };

let program: Program;
let served: HttpPeer;
let client: HttpClient;
let quiet: number;

/** Asks again and again, each time over a new connection; gives the 99th percentile of the times, in milliseconds. */
async function measure(): Promise<number> {
  const times: number[] = [];
  const begun = performance.now();
  // As many as leave room for three accidents, if they come in time.
  const goesOn = (seconds: number) => seconds < SECONDS || (times.length < 300 && seconds < 4 * SECONDS);
  for (let count = 0; goesOn((performance.now() - begun) / 1000); count++) {
    const start = performance.now();
    if (count % 20 === 0) assert.equal((await served.get("/healthz")).status, 200);
    else {
      const { result } = await client.ask("resources/read", { uri: "architecture://guidelines/a" });
      assert.ok(result, "B is served");
    }
    times.push(performance.now() - start);
    await pause(2);
  }
  times.sort((a, b) => a - b);
  return times[Math.ceil(times.length * 0.99) - 1]!;
}

before(async () => {
  if (SKIP.skip) return;
  const started = await startProgram(
    { after: (clean) => process.on("exit", clean as () => void) },
    ["--token-file", "FOLDER/tokens"],
    {
      "resources/guidelines/long.md": `# Long\n\n${"Some words about it.\n".repeat(45_000)}`,
      "tokens": Object.entries(TOKENS).map(([name, token]) => `${name} ${token}\n`).join(""),
    },
  );
  program = started.program;
  served = started.served;
  client = new HttpClient(served);
  client.fields = { authorization: `Bearer ${TOKENS.b}` };
  await measure();
  quiet = await measure();
});

for (const attack of NAMES) {
  test(`one client is served while another attacks: ${attack}`, SKIP, async (t) => {
    const module = fileURLToPath(new URL("attacker.ts", import.meta.url));
    const [file, args] = command([attack, `${served.port}`, TOKENS.a], { runtimeFlags: FLAGS, module });
    const attacker = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(attacker.stdout, "data");
      const slowest = await measure();
      const memory = peakMemory(program.child.pid!)!;
      t.diagnostic(`${quiet.toFixed(1)} to ${slowest.toFixed(1)} ms, at most ${memory >> 20} MiB`);
      assert.ok(
        slowest < MOST_TIMES_SLOWER * Math.max(quiet, FLOOR_MS),
        `${slowest} ms, ${quiet} ms when quiet`,
      );
      assert.ok(memory < MOST_MEMORY, `${memory} bytes`);
    } finally {
      attacker.kill("SIGKILL");
    }
  });
}
