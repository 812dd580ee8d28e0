/**
 * The soak: does anything leak, and is any change lost, when documents are edited, read and listened to for minutes?
 *
 *     node --experimental-strip-types test/bench/soak/run.ts [--minutes N] [--runtime node|deno] [--seed N]
 *
 * `BENCH_NODE` and `BENCH_DENO` name other runtimes. Exit code 1 when a change was lost, a text was half, or memory or
 * handles grew after the first quarter of the time.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pick, randomFrom } from "../random.ts";
import { Client } from "./client.ts";
import type { Held } from "./client.ts";
import { Editor } from "./editor.ts";

/** A change that is not seen after this was lost, in milliseconds: ten times what is promised. */
const LOST_MS = 20_000;
/** What memory may grow by after the first quarter of the time, and still be called flat. */
const FLAT = 1.15;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    runtime: { type: "string", default: "node" },
    seed: { type: "string", default: "1" },
  },
});
const random = randomFrom(Number(values.seed));
const root = mkdtempSync(join(tmpdir(), "architrave-soak-"));
const editor = new Editor(root, random);
const program = fileURLToPath(new URL("program.ts", import.meta.url));
const client = new Client([
  ...(values.runtime === "deno"
    ? [process.env["BENCH_DENO"] ?? "deno", "run", "--allow-all", "--v8-flags=--expose-gc", program]
    : [process.env["BENCH_NODE"] ?? process.execPath, "--expose-gc", "--experimental-strip-types", program]),
  "--root",
  root,
]);

const problems: string[] = [];
/** By what was done, and who saw it: how long it took until the last of its changes was seen, in milliseconds. */
const latencies = new Map<string, number[]>();
const samples = client.probes;
let reads = 0;
let running = true;

const uriOf = (key: string) => `architecture://${key}`;

async function textOf(key: string): Promise<string | undefined> {
  const { result } = await client.askModern("resources/read", { uri: uriOf(key) });
  reads += 1;
  return (result?.["contents"] as { text: string }[] | undefined)?.[0]?.text;
}

/** Reads some hundred times a second; whatever is read must be one whole version. */
async function readOn(): Promise<void> {
  for (; running; await pause(2)) {
    const key = pick(editor.keys, random);
    const text = await textOf(key);
    const [, begin] = /Begin (\d+)\./.exec(text ?? "") ?? [];
    if (text !== undefined && (begin === undefined || !text.endsWith(`End ${begin}.\n`))) {
      problems.push(`half a text of ${key}: ${JSON.stringify(text.slice(0, 80))}`);
    }
  }
}

/** Opens and cancels streams of changes. */
async function listenOn(): Promise<void> {
  for (let number = 0; running; number++) {
    client.listen(`s${number}`, { resourcesListChanged: true, resourceSubscriptions: [uriOf("c0/d1")] });
    await pause(100);
    client.notify("notifications/cancelled", { requestId: `s${number}` });
  }
}

/** Waits until all changes of one edit can be read, and until both streams were told of each. */
async function seen(kind: string, changed: readonly string[], since: number): Promise<void> {
  const read = async (key: string) => await textOf(key) === editor.expected.get(key);
  const told = (stream: string) => (key: string) => (client.told.get(`${stream} ${uriOf(key)}`) ?? 0) >= since;
  await Promise.all([
    until(`${kind}, read`, changed, since, read),
    until(`${kind}, told`, changed, since, told("legacy")),
    until(`${kind}, streamed`, changed, since, told("modern")),
  ]);
}

async function until(
  what: string,
  keys: readonly string[],
  since: number,
  holds: (key: string) => boolean | Promise<boolean>,
): Promise<void> {
  for (const key of keys) {
    while (!await holds(key)) {
      if (performance.now() - since > LOST_MS) return void problems.push(`${what}: never seen of ${key}`);
      await pause(5);
    }
  }
  latencies.set(what, [...latencies.get(what) ?? [], performance.now() - since]);
}

async function editOn(until: number): Promise<void> {
  while (performance.now() < until) {
    const before = new Map(editor.expected);
    const start = performance.now();
    const { kind, changed } = await editor.edit();
    const all = [...new Set(changed)].filter((key) => before.get(key) !== editor.expected.get(key));
    if (all.length > 0) await seen(kind, all, start);
    await pause(random() * 100);
  }
}

function quantile(numbers: readonly number[], share: number): string {
  const sorted = numbers.toSorted((left, right) => left - right);
  return `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN)} ms`;
}

/** The lowest of the last quarter against the lowest of the second one: garbage comes and goes, leaks stay. */
function growth(of: (held: Held) => number | undefined): number {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const lowest = (some: readonly Held[]) => Math.min(...some.map((held) => of(held) ?? NaN));
  return lowest(samples.slice(-quarter)) / lowest(samples.slice(quarter, 2 * quarter));
}

try {
  await client.ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "soak", version: "1" },
  });
  client.notify("notifications/initialized");
  for (const key of editor.keys) await client.ask("resources/subscribe", { uri: uriOf(key) });
  client.listen("modern", { resourcesListChanged: true, resourceSubscriptions: editor.keys.map(uriOf) });
  const others = [readOn(), readOn(), listenOn()];
  await editOn(performance.now() + Number(values.minutes) * 60_000);
  running = false;
  await Promise.all(others);
  const code = await client.close();
  if (code !== 0) problems.push(`exit code ${code}`);
  const grown = { heap: growth((held) => held.heapUsed), handles: growth((held) => held.handles) };
  for (const [what, factor] of Object.entries(grown)) {
    if (factor > FLAT) problems.push(`${what} grew by the factor ${factor.toFixed(2)}`);
  }
  if (client.errors !== "") problems.push(`stderr: ${client.errors.slice(0, 500)}`);
  console.log(`${values.runtime}, ${values.minutes} min, seed ${values.seed}: ${reads} reads, ${client.notices} notices`);
  for (const [what, numbers] of [...latencies].sort()) {
    console.log(`${what}: ${numbers.length} times, median ${quantile(numbers, 0.5)}, 99 % ${quantile(numbers, 0.99)}, worst ${quantile(numbers, 1)}`);
  }
  const shown = (held: Held | undefined) =>
    held && `${(held.heapUsed / 2 ** 20).toFixed(1)} MiB heap, ${(held.rss / 2 ** 20).toFixed(0)} MiB resident, ${held.handles} handles`;
  console.log(`held at first: ${shown(samples[0])}`);
  console.log(`at the end: ${shown(samples.at(-1))}; after the first quarter heap x ${grown.heap.toFixed(2)}, handles x ${grown.handles.toFixed(2)}`);
} finally {
  client.kill();
  rmSync(root, { recursive: true, force: true });
}
for (const problem of problems.slice(0, 20)) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
