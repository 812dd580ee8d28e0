/**
 * The soak over stdio: nothing leaks, and no change is lost, while documents are edited, read and watched for minutes.
 *
 *     node --experimental-strip-types test/bench/soak/run.ts [--minutes N] [--runtime node|deno] [--seed N]
 *
 * Exit code 1 when a change was lost, a text was half, or memory or handles grew after the first quarter of the time.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Random } from "../../fuzz/random.ts";
import { quantile } from "../report.ts";
import { findRuntime } from "../servers.ts";

/** A change that is not seen after this was lost, in milliseconds: ten times what is promised. */
const LOST_MS = 20_000;
/** How long an answer may take, in milliseconds: far more than any machine needs. */
const ANSWER_MS = 30_000;
/** How many documents there can be. */
const NAMES = 200;
/** How long a writer pauses between emptying a file and filling it, in milliseconds. */
const HALF_WAY_MS = 200;
/** How many documents change at once in a burst. */
const BURST = 50;
/** What memory and handles may grow by after the first quarter of the time and still be called flat. */
const FLAT = 1.15;
/** What states the revision of a request. */
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** What the program holds after it has collected its garbage: open files, pipes and watches are handles. */
interface Held {
  readonly heapUsed: number;
  readonly rss: number;
  readonly handles: number;
}

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    runtime: { type: "string", default: "node" },
    seed: { type: "string", default: "1" },
  },
});
const random = new Random(Number(values.seed));
const root = mkdtempSync(join(tmpdir(), "architrave-soak-"));
const problems: string[] = [];
/** By what was done and what saw it: how long it took until the last of its changes was seen, in milliseconds. */
const latencies = new Map<string, number[]>();
const samples: Held[] = [];
const uriOf = (key: string) => `architecture://${key}`;
let running = true;
let reads = 0;

// --- The documents: the text of each by its key, or undefined for one that must not be there.

const expected = new Map<string, string | undefined>();
let version = 0;

/** A text that names its version at both ends, so that half of it is noticed. */
function textFor(key: string): string {
  version += 1;
  const text = `# ${key}\n\nBegin ${version}.\n\n${"word ".repeat(20 + version % 2000)}\n\nEnd ${version}.\n`;
  expected.set(key, text);
  return text;
}

/** The path of a document, whose folder is there from now on. */
function pathOf(key: string): string {
  const path = `${root}/resources/${key}.md`;
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
  return path;
}

function write(key: string): string {
  writeFileSync(pathOf(key), textFor(key));
  return key;
}

const keys = Array.from({ length: NAMES }, (_, n) => write(`c${n % 4}/${n % 3 === 0 ? "deep/er/" : ""}d${n}`));

/** What a team does to its documents all day, and how often; each gives the documents that changed. */
const EDITS: readonly (readonly [kind: string, times: number, edit: (key: string) => string[] | Promise<string[]>])[] = [
  ["write", 3, (key) => [write(key)]],
  ["aside", 2, (key) => {
    writeFileSync(`${root}/resources/c0/.aside`, textFor(key));
    renameSync(`${root}/resources/c0/.aside`, pathOf(key));
    return [key];
  }],
  ["empty", 1, async (key) => {
    if (expected.get(key) !== undefined) writeFileSync(pathOf(key), "");
    await pause(HALF_WAY_MS);
    return [write(key)];
  }],
  ["delete", 1, (key) => {
    rmSync(pathOf(key), { force: true });
    expected.set(key, undefined);
    return [key];
  }],
  ["touch", 1, (key) => {
    if (expected.get(key) !== undefined) utimesSync(pathOf(key), new Date(), new Date());
    return [];
  }],
  ["rename", 1, (from) => {
    const [to, text] = [random.pick(keys), expected.get(from)];
    if (text === undefined || from === to) return [];
    renameSync(pathOf(from), pathOf(to));
    expected.set(from, undefined).set(to, text);
    return [from, to];
  }],
  ["burst", 1, () => Array.from({ length: BURST }, () => write(random.pick(keys)))],
  // A folder goes as a whole, and comes back with new texts at once.
  ["folder", 1, () => {
    const folder = random.pick(["c1", "c2/deep"]);
    rmSync(`${root}/resources/${folder}`, { recursive: true, force: true });
    return keys.filter((key) => key.startsWith(`${folder}/`)).map(write);
  }],
];
/** Each edit as often as it is done. */
const ALL_EDITS = EDITS.flatMap((row) => Array<typeof row>(row[1]).fill(row));

// --- The client: both eras on one connection, answers by id, and every notification counted.

interface Message {
  id?: number;
  method?: string;
  params?: { uri?: string; _meta?: Record<string, unknown> };
  result?: Record<string, unknown>;
}

const flags = values.runtime === "deno"
  ? ["run", "--allow-all", "--v8-flags=--expose-gc"]
  : ["--expose-gc", "--experimental-strip-types", "--no-warnings"];
const { command } = findRuntime(values.runtime as "node" | "deno")!;
const program = [...flags, join(import.meta.dirname, "probe.ts"), "--root", root];
const child = spawn(command, program, { stdio: "pipe" });
const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
const waiting = new Map<number, (message: Message) => void>();
/** When each URI was last notified as updated, by stream: "legacy" or the id of a subscription. */
const notified = new Map<string, number>();
let [nextId, notifications, errors] = [1, 0, ""];

createInterface({ input: child.stdout }).on("line", (line) => {
  const { id, method, params, ...rest } = JSON.parse(line) as Message;
  if (method === undefined) {
    waiting.get(id!)?.(rest);
    return void waiting.delete(id!);
  }
  notifications += 1;
  if (method !== "notifications/resources/updated") return;
  const stream = params?._meta?.["io.modelcontextprotocol/subscriptionId"] ?? "legacy";
  notified.set(`${stream} ${params?.uri}`, performance.now());
});
createInterface({ input: child.stderr }).on("line", (line) => {
  if (!line.startsWith("probe ")) return void (errors += `${line}\n`);
  const handles = existsSync(`/proc/${child.pid}/fd`) ? readdirSync(`/proc/${child.pid}/fd`).length : Number.NaN;
  samples.push({ ...JSON.parse(line.slice("probe ".length)), handles });
});

function send(message: object): void {
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function ask(method: string, params: object): Promise<Message> {
  const id = nextId++;
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const timer = setTimeout(() => reject(new Error(`No answer to ${method}: ${errors}`)), ANSWER_MS);
  waiting.set(id, (message) => (clearTimeout(timer), resolve(message)));
  send({ id, method, params });
  return promise;
}

function listen(id: string, filter: object): void {
  send({ id, method: "subscriptions/listen", params: { notifications: filter, _meta: META } });
}

async function textOf(key: string): Promise<string | undefined> {
  reads += 1;
  const { result } = await ask("resources/read", { uri: uriOf(key), _meta: META });
  return (result?.["contents"] as { text: string }[] | undefined)?.[0]?.text;
}

/** Reads some hundred times a second; whatever is read must be one whole version. */
async function readOn(): Promise<void> {
  for (; running; await pause(2)) {
    const key = random.pick(keys);
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
    listen(`s${number}`, { resourcesListChanged: true, resourceSubscriptions: [uriOf("c0/d1")] });
    await pause(100);
    send({ method: "notifications/cancelled", params: { requestId: `s${number}` } });
  }
}

/** Waits until something holds for all documents of one edit. */
async function until(
  what: string,
  changed: readonly string[],
  since: number,
  holds: (key: string) => boolean | Promise<boolean>,
): Promise<void> {
  for (const key of changed) {
    while (!await holds(key)) {
      if (performance.now() - since > LOST_MS) return void problems.push(`${what}: never seen of ${key}`);
      await pause(5);
    }
  }
  latencies.set(what, [...latencies.get(what) ?? [], performance.now() - since]);
}

/** Edits, and waits until all changes of each edit can be read and both streams were notified. */
async function editOn(end: number): Promise<void> {
  while (performance.now() < end) {
    const before = new Map(expected);
    const start = performance.now();
    const [kind, , edit] = random.pick(ALL_EDITS);
    const all = new Set(await edit(random.pick(keys)));
    const changed = [...all].filter((key) => before.get(key) !== expected.get(key));
    const isNotified = (stream: string) => (key: string) =>
      (notified.get(`${stream} ${uriOf(key)}`) ?? 0) >= start;
    if (changed.length > 0) {
      await Promise.all([
        until(`${kind}, read`, changed, start, async (key) => await textOf(key) === expected.get(key)),
        until(`${kind}, notified`, changed, start, isNotified("legacy")),
        until(`${kind}, streamed`, changed, start, isNotified("modern")),
      ]);
    }
    await pause(random.below(100));
  }
}

/** The lowest of the last quarter against the lowest of the second one: garbage comes and goes, leaks stay. */
function judgeGrowth(what: "heapUsed" | "handles"): void {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const lowest = (some: readonly Held[]) => Math.min(...some.map((held) => held[what]));
  const factor = lowest(samples.slice(-quarter)) / lowest(samples.slice(quarter, 2 * quarter));
  console.log(`${what} after the first quarter: x ${factor.toFixed(2)}`);
  if (factor > FLAT) problems.push(`${what} grew by the factor ${factor.toFixed(2)}`);
}

function shown({ heapUsed, rss, handles }: Held): string {
  const [heap, resident] = [heapUsed, rss].map((bytes) => (bytes / 2 ** 20).toFixed(1));
  return `${heap} MiB heap, ${resident} MiB resident, ${handles} handles`;
}

try {
  const clientInfo = { name: "soak", version: "1" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  for (const key of keys) await ask("resources/subscribe", { uri: uriOf(key) });
  listen("modern", { resourcesListChanged: true, resourceSubscriptions: keys.map(uriOf) });
  const others = [readOn(), readOn(), listenOn()];
  await editOn(performance.now() + Number(values.minutes) * 60_000);
  running = false;
  await Promise.all(others);
  child.stdin.end();
  const code = await exited;
  if (code !== 0) problems.push(`exit code ${code}`);
  if (errors !== "") problems.push(`stderr: ${errors.slice(0, 500)}`);
  console.log(
    `${values.runtime}, ${values.minutes} min, seed ${values.seed}: ${reads} reads, ${notifications} notifications`,
  );
  for (const [what, times] of [...latencies].sort()) {
    const [middle, late, worst] = [0.5, 0.99, 1].map((part) => `${Math.round(quantile(times, part))} ms`);
    console.log(`${what}: ${times.length} times, median ${middle}, 99 % ${late}, worst ${worst}`);
  }
  console.log(`at first: ${shown(samples[0]!)}; at the end: ${shown(samples.at(-1)!)}`);
  judgeGrowth("heapUsed");
  judgeGrowth("handles");
} finally {
  child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
}
for (const problem of problems.slice(0, 20)) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
