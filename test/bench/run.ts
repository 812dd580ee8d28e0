/**
 * The benchmark: whole server processes over their real standard streams, as ratios against a bare loop.
 *
 *     npm ci --prefix test/bench
 *     node --experimental-strip-types test/bench/run.ts [--quick] [--servers a,b] [--runtime node|deno] [--docs N] [--json FILE]
 *
 * `BENCH_NODE` and `BENCH_DENO` name other runtimes than the Node that runs this and the `deno` on the path.
 * The report goes to stdout, progress and skipped servers to stderr.
 */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { generateCorpus } from "./documents.ts";
import type { Corpus, Root } from "./documents.ts";
import { ServerProcess } from "./process.ts";
import { randomFrom, shuffled } from "./random.ts";
import { report } from "./report.ts";
import { asJson } from "./results.ts";
import type { Row } from "./results.ts";
import { FULL, QUICK, scenarios } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { findRuntime, missing, SERVERS, UNIT } from "./servers.ts";
import type { Runtime, RuntimeName, Server } from "./servers.ts";
import { verify } from "./verify.ts";

/** Rounds at most, and the time that all of them may take together, in milliseconds. */
const LENGTHS = {
  full: { counts: FULL, rounds: 15, budgetMs: 150_000 },
  quick: { counts: QUICK, rounds: 3, budgetMs: 45_000 },
};
/** Documents of the root with many, unless `--docs` says otherwise. */
const DEFAULT_MANY = 10_000;

const USAGE = "run.ts [--quick] [--servers a,b] [--runtime node|deno] [--docs N] [--json FILE]";

/** A server that answers correctly and is measured. */
type Contender = Row & { start: (root: Root) => ServerProcess };

interface Options {
  length: (typeof LENGTHS)[keyof typeof LENGTHS];
  servers: string[] | undefined;
  runtimes: RuntimeName[];
  manyCount: number;
  json: string | undefined;
}

/** Reads the arguments; throws with a sentence when they are wrong. */
function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      servers: { type: "string" },
      runtime: { type: "string" },
      docs: { type: "string", default: String(DEFAULT_MANY) },
      json: { type: "string" },
    },
  });
  const servers = values.servers?.split(",");
  const unknown = servers?.find((name) => !SERVERS.some((server) => server.name === name));
  if (unknown !== undefined) throw new Error(`There is no server "${unknown}"; there are: ${serverNames()}`);
  const { runtime } = values;
  if (runtime !== undefined && runtime !== "node" && runtime !== "deno") {
    throw new Error(`There is no runtime "${runtime}"; there are: node, deno`);
  }
  const manyCount = Number(values.docs);
  if (!Number.isInteger(manyCount) || manyCount < 1) {
    throw new Error(`--docs must be a whole number, not "${values.docs}"`);
  }
  return {
    length: values.quick ? LENGTHS.quick : LENGTHS.full,
    servers,
    runtimes: runtime === undefined ? ["node", "deno"] : [runtime],
    manyCount,
    json: values.json,
  };
}

function serverNames(): string {
  return [...new Set(SERVERS.map(({ name }) => name))].join(", ");
}

/** The servers that were asked for, are there, and answer correctly; a wrong answer makes the exit code 1. */
async function findContenders({ servers, runtimes }: Options, corpus: Corpus): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const name of runtimes) {
    const runtime = findRuntime(name);
    if (runtime === undefined) {
      say(`skipped everything on ${name}: it was not found (BENCH_${name.toUpperCase()})`);
    } else {
      for (const server of SERVERS.filter((row) => row.runtime === name && isWanted(row, servers))) {
        const contender = await admit(server, runtime, corpus);
        if (contender !== undefined) contenders.push(contender);
      }
    }
  }
  return contenders;
}

/** The unit is always wanted: without it there are no ratios. */
function isWanted({ name }: Server, servers: string[] | undefined): boolean {
  return name === UNIT || servers === undefined || servers.includes(name);
}

async function admit(server: Server, runtime: Runtime, corpus: Corpus): Promise<Contender | undefined> {
  const title = `${server.name} on ${runtime.name}`;
  const absent = missing(server);
  if (absent !== undefined) {
    say(`skipped ${title}: no ${relative("", absent)} (${server.otherwise})`);
    return undefined;
  }
  const start = ({ path }: Root) => new ServerProcess(runtime.command, server.args(path));
  try {
    return { server, runtime, start, revision: await verify(start, corpus), samples: [] };
  } catch (error) {
    say(`left out ${title}: ${messageOf(error)}`);
    process.exitCode = 1;
    return undefined;
  }
}

/** Measures round after round; gives how many were finished. */
async function measureRounds({ length }: Options, contenders: Contender[], corpus: Corpus): Promise<number> {
  const random = randomFrom(performance.timeOrigin);
  const began = performance.now();
  let rounds = 0;
  do {
    for (const scenario of shuffled(scenarios(length.counts), random)) {
      await measureInTurn(scenario, contenders, corpus, random);
    }
    rounds += 1;
    say(`round ${rounds} of at most ${length.rounds}: ${Math.round((performance.now() - began) / 1000)} s`);
  } while (rounds < length.rounds && (performance.now() - began) * (1 + 1 / rounds) < length.budgetMs);
  return rounds;
}

/** One scenario for all servers, close together in time: what disturbs the machine then disturbs all of them. */
async function measureInTurn(
  scenario: Scenario,
  contenders: Contender[],
  corpus: Corpus,
  random: () => number,
): Promise<void> {
  for (let time = 0; time < scenario.repeats; time += 1) {
    for (const { server, runtime, start, samples } of shuffled(contenders, random)) {
      try {
        samples.push(...await scenario.run(start, corpus));
      } catch (error) {
        say(`no "${scenario.name}" of ${server.name} on ${runtime.name} in this round: ${messageOf(error)}`);
        process.exitCode = 1;
      }
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(options: Options): Promise<void> {
  const corpus = generateCorpus(options.manyCount);
  process.once("SIGINT", () => (corpus.remove(), process.exit(130)));
  try {
    const rows = await findContenders(options, corpus);
    if (rows.length === 0) throw new Error("There is nothing to measure");
    const rounds = await measureRounds(options, rows, corpus);
    const run = { rows, rounds, manyCount: options.manyCount };
    process.stdout.write(report(run));
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(asJson(run), null, 2)}\n`);
  } finally {
    corpus.remove();
  }
}

let options: Options | undefined;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  say(`${messageOf(error)}\nusage: ${USAGE}`);
  process.exitCode = 2;
}
if (options !== undefined) {
  await main(options).catch((error: unknown) => {
    say(messageOf(error));
    process.exitCode = 1;
  });
}
