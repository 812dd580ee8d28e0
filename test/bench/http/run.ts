/**
 * The benchmark over HTTP: what a request costs a server in processor time, under a load, as a ratio against a bare handler.
 *
 *     npm ci --prefix test/bench
 *     node --experimental-strip-types test/bench/http/run.ts [--rounds N] [--seconds N] [--runtime node|deno] [--servers a,b]
 *
 * Needs wrk (Debian: `apt-get install wrk`), and Linux for the figures. `BENCH_NODE` and `BENCH_DENO` name other runtimes. All
 * servers run at the same time and are asked one after the other, in rounds, so that whatever else the machine does meets all
 * of them; the ratios are made within each round, and their median is what is shown.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generateCorpus } from "../documents.ts";
import { cpuMs } from "../readings.ts";
import { findRuntime } from "../servers.ts";
import { HttpServer, PEERS, UNIT } from "./servers.ts";
import type { Asked, Era } from "./servers.ts";

/** Connections of wrk: enough that the server always has something to do. */
const CONNECTIONS = 16;
const LUA = fileURLToPath(new URL("post.lua", import.meta.url));
/** What the tool is called with, in characters. */
const ARGUMENT = "The same again, and once more. ".repeat(3);

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "1" },
    runtime: { type: "string" },
    servers: { type: "string" },
  },
});

/** One thing that is measured. */
interface Workload {
  readonly title: string;
  readonly era: Era;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What one round found: requests in a second, and milliseconds of processor time for each. */
interface Sample {
  readonly perSecond: number;
  readonly cpuMs: number;
}

function load(server: HttpServer, { body, fields }: Asked, seconds: number): Sample {
  const heads = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const before = cpuMs(server.pid)!;
  const { stdout, status, error } = spawnSync(
    "wrk",
    ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", LUA, server.url, "--", body, ...heads],
    { encoding: "utf8" },
  );
  const used = cpuMs(server.pid)! - before;
  if (error || status !== 0) throw new Error(`wrk cannot be run: ${error?.message ?? stdout}`);
  const [, failures] = /Non-2xx or 3xx responses: (\d+)/.exec(stdout) ?? [];
  if (failures || /Socket errors/.test(stdout)) throw new Error(`${server.peer.name}: not all is well: ${stdout}`);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  return { perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]), cpuMs: used / requests };
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const corpus = generateCorpus(0);
const [document] = corpus.ordinary.documents;
const workloads: Workload[] = (["modern", "legacy"] as const).flatMap((era) => [
  { title: `read 10 kB, ${era}`, era, method: "resources/read", params: { uri: document!.uri } },
  { title: `call a tool, ${era}`, era, method: "tools/call", params: { name: "echo", arguments: { text: ARGUMENT } } },
]);
const wanted = values.servers?.split(",");
const peers = PEERS.filter(({ name }) => name === UNIT || !wanted || wanted.includes(name));

try {
  for (const name of ["node", "deno"] as const) {
    if (values.runtime !== undefined && values.runtime !== name) continue;
    const runtime = findRuntime(name);
    if (!runtime) {
      console.error(`${name} is skipped: it cannot be started`);
      continue;
    }
    const servers = await Promise.all(peers.map((peer) => HttpServer.start(peer, runtime, corpus.ordinary.path)));
    try {
      await check(servers);
      const samples = measure(servers);
      console.log(`\n${name} ${runtime.version}, ${availableParallelism()} processors: processor time for each request / requests in a second, as ratios; medians of ${values.rounds} rounds\n`);
      console.log(`| server | ${workloads.map(({ title }) => title).join(" | ")} |\n|---|${workloads.map(() => "---|").join("")}`);
      for (const server of servers) console.log(`| ${server.peer.label} | ${workloads.map((workload) => cell(samples, server, workload)).join(" | ")} |`);
      const unit = workloads.map((workload) => `${workload.title} ${(median(samples.get(key(UNIT, workload))!.map((sample) => sample.cpuMs)) * 1000).toFixed(0)} µs`);
      console.log(`\nThe unit: ${unit.join(", ")}.`);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
} finally {
  corpus.remove();
}

/** Whoever answers wrongly is not measured. */
async function check(servers: readonly HttpServer[]): Promise<void> {
  for (const server of servers) {
    for (const { era, method, params } of workloads) {
      if (!server.peer.eras.includes(era) || server.peer.name === "unread") continue;
      const text = await server.answer(server.ask(era, method, params));
      const expected = method === "tools/call" ? ARGUMENT : document!.text;
      if (!text.includes(JSON.stringify(expected).slice(1, -1))) throw new Error(`${server.peer.name}: ${text.slice(0, 500)}`);
    }
  }
}

function measure(servers: readonly HttpServer[]): Map<string, Sample[]> {
  const samples = new Map<string, Sample[]>();
  // The first round warms up.
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const workload of workloads) {
      // In another order each time: who comes first does not have the caches of who comes last.
      const order = round % 2 === 0 ? servers : servers.toReversed();
      for (const server of order.filter(({ peer }) => peer.eras.includes(workload.era))) {
        const asked = server.ask(workload.era, workload.method, workload.params);
        const sample = load(server, asked, round < 0 ? 2 : Number(values.seconds));
        if (round >= 0) samples.set(key(server.peer.name, workload), [...samples.get(key(server.peer.name, workload)) ?? [], sample]);
      }
    }
  }
  return samples;
}

function key(name: string, { title }: Workload): string {
  return `${name} ${title}`;
}

function cell(samples: Map<string, Sample[]>, { peer }: HttpServer, workload: Workload): string {
  const own = samples.get(key(peer.name, workload));
  if (!own) return "–";
  const unit = samples.get(key(UNIT, workload))!;
  const ratio = (of: (sample: Sample) => number) => median(own.map((sample, index) => of(sample) / of(unit[index]!))).toFixed(2);
  return `${ratio((sample) => sample.cpuMs)} / ${ratio((sample) => sample.perSecond)}`;
}
