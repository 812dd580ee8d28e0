/**
 * The benchmark over stdio: whole server processes over pipes, as ratios against a bare loop or against another checkout.
 * The bare loop parses each line and writes an answer that it keeps as JSON. All are asked in revision 2025-11-25, with 64
 * requests in flight (round trip: 1, reads of 1 MB: 8), and serve 100 documents of 10 kB, and a prompt of 100 kB.
 *
 *     npm ci --prefix test/bench && npm run build
 *     node --experimental-strip-types test/bench/run.ts [--short] [--servers a,b] [--runtime node|deno] \
 *       [--docs N] [--rounds N] [--against DIR [--pairs N]]
 *
 * `--short` measures sessions of 10,000 requests without any warm-up. `--docs` is how many documents the root with many
 * of them has (0 leaves it out). `--against` measures this checkout and the one in DIR in turn and reports the ratio of
 * processor time per figure. `BENCH_NODE` and `BENCH_DENO` name other runtimes than the Node that runs this and the
 * `deno` on the path. The report goes to stdout, progress and skipped servers to stderr.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { generateCorpus } from "./documents.ts";
import type { Corpus } from "./documents.ts";
import { Random } from "../fuzz/random.ts";
import { ServerProcess } from "./process.ts";
import { compareReport, report } from "./report.ts";
import type { Pair, Row } from "./report.ts";
import { scenarios, verify } from "./scenarios.ts";
import type { Mode, Sample, Start } from "./scenarios.ts";
import { findRuntime, missing, programsOf, REPOSITORY, SERVERS, UNIT } from "./servers.ts";
import type { Server } from "./servers.ts";

/** Rounds at most, and the time that all of them may take together, in milliseconds. */
const LENGTHS: Record<Mode, { rounds: number; budgetMs: number }> = {
  full: { rounds: 15, budgetMs: 150_000 },
  short: { rounds: 5, budgetMs: 150_000 },
};

/** A server that answers correctly. */
type Contender = Row & { start: Start };

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    servers: { type: "string" },
    runtime: { type: "string" },
    docs: { type: "string" },
    rounds: { type: "string" },
    against: { type: "string" },
    pairs: { type: "string", default: "15" },
  },
});
const mode: Mode = values.short ? "short" : "full";
const wanted = values.servers?.split(",");
const isWanted = ({ name, runtime }: Server) =>
  (values.runtime ?? runtime) === runtime && (name === UNIT || !wanted || wanted.includes(name));
// Reading 10,000 documents in each of thirty processes is a benchmark of its own.
const manyCount = Number(values.docs ?? (values.against === undefined ? 10_000 : 0));
const random = new Random(performance.timeOrigin);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error);

/** The values in a random order; the array given is left alone. */
function shuffled<T>(values: readonly T[]): T[] {
  const placed = values.map((value) => ({ value, place: random.next() }));
  return placed.sort((one, other) => one.place - other.place).map(({ value }) => value);
}

/** Those of the servers that are there and answer correctly; a wrong answer makes the exit code 1. */
async function admit(servers: readonly Server[], corpus: Corpus): Promise<Contender[]> {
  const runtimes = new Map((["node", "deno"] as const).map((name) => [name, findRuntime(name)]));
  const contenders: Contender[] = [];
  for (const server of servers.filter(isWanted)) {
    const runtime = runtimes.get(server.runtime);
    const title = `${server.name} on ${server.runtime}`;
    const why = runtime ? missing(server) : `it was not found (BENCH_${server.runtime.toUpperCase()})`;
    if (why !== undefined) {
      say(`skipped ${title}: ${why}`);
      continue;
    }
    const { command } = runtime!;
    const start: Start = ({ path }) => new ServerProcess(command, [...server.args, "--root", path]);
    try {
      const revision = await verify(start, corpus);
      contenders.push({ server, runtime: runtime!, start, revision, samples: [] });
    } catch (error) {
      say(`left out ${title}: ${messageOf(error)}`);
      process.exitCode = 1;
    }
  }
  if (contenders.length === 0) throw new Error("There is nothing to measure");
  return contenders;
}

/** Each scenario for all servers, close together in time: what disturbs the machine then disturbs all of them. */
async function measureRounds(contenders: Contender[], corpus: Corpus): Promise<number> {
  const limits = LENGTHS[mode];
  const most = Number(values.rounds ?? limits.rounds);
  const began = performance.now();
  let rounds = 0;
  do {
    for (const { name, repeats, run } of shuffled(scenarios(mode, manyCount))) {
      for (let time = 0; time < repeats; time += 1) {
        for (const { server, runtime, start, samples } of shuffled(contenders)) {
          try {
            samples.push(...await run(start, corpus));
          } catch (error) {
            say(`no "${name}" of ${server.name} on ${runtime.name} in this round: ${messageOf(error)}`);
            process.exitCode = 1;
          }
        }
      }
    }
    rounds += 1;
    say(`round ${rounds} of at most ${most}: ${Math.round((performance.now() - began) / 1000)} s`);
  } while (rounds < most && (performance.now() - began) * (1 + 1 / rounds) < limits.budgetMs);
  return rounds;
}

/** Every program of this checkout and of the other one in turn, in pairs. */
async function measurePairs(folder: string, corpus: Corpus): Promise<Pair[]> {
  const own = await admit(programsOf(REPOSITORY), corpus);
  const others = await admit(programsOf(resolve(folder)), corpus);
  const matched = own.flatMap((one) => {
    const other = others.find(({ server }) =>
      server.label === one.server.label && server.runtime === one.server.runtime
    );
    const title = `${one.runtime.name} ${one.runtime.version}: ${one.server.label}`;
    return other ? [{ one, other, pair: { title, own: [], other: [] } as Pair }] : [];
  });
  for (let index = 0; index < Number(values.pairs); index += 1) {
    for (const { one, other, pair } of matched) {
      const [left, right]: Sample[][] = [[], []];
      for (const { repeats, run } of scenarios(mode, manyCount)) {
        for (let time = 0; time < repeats; time += 1) {
          const order = shuffled([[left!, one.start], [right!, other.start]] as const);
          for (const [samples, start] of order) samples.push(...await run(start, corpus));
        }
      }
      pair.own.push(left!);
      pair.other.push(right!);
    }
    say(`pair ${index + 1} of ${values.pairs}`);
  }
  return matched.map(({ pair }) => pair);
}

async function main(): Promise<void> {
  const corpus = generateCorpus(manyCount);
  process.once("SIGINT", () => (corpus.remove(), process.exit(130)));
  try {
    if (values.against !== undefined) {
      return void process.stdout.write(compareReport(await measurePairs(values.against, corpus)));
    }
    const rows = await admit(SERVERS, corpus);
    const rounds = await measureRounds(rows, corpus);
    process.stdout.write(report({ rows, rounds, manyCount, cpuOnly: mode === "short" }));
  } finally {
    corpus.remove();
  }
}

await main().catch((error: unknown) => {
  say(messageOf(error));
  process.exitCode = 1;
});
