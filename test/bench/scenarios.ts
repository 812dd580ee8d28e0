/** What is measured? Each scenario takes a fresh process, so that none inherits the memory or the warmth of another. */
import { initialize, listAll, open, PING, promptCall, readCall } from "./dialogue.ts";
import { LARGE_BYTES, ORDINARY_BYTES, PROMPT_BYTES } from "./documents.ts";
import type { Corpus, Root } from "./documents.ts";
import { ServerProcess } from "./process.ts";
import type { Call } from "./process.ts";

/** What one measurement of one figure gave; per request where there are several. */
export interface Sample {
  figure: Figure;
  /** Elapsed time in milliseconds. */
  wallMs?: number;
  /** Processor time of the server, all its threads, in milliseconds. */
  cpuMs?: number;
  /** Peak of the resident memory, in bytes. */
  bytes?: number;
}

export type Figure =
  | "start"
  | "startEmpty"
  | "startMany"
  | "listMany"
  | "memoryMany"
  | "roundTrip"
  | "read"
  | "memoryRead"
  | "ping"
  | "prompt"
  | "readLarge"
  | "memoryLarge";

/** One kind of measurement. */
export interface Scenario {
  name: string;
  /** Times in each round: short scenarios are noisy ones, and cheap to repeat. */
  repeats: number;
  run(start: (root: Root) => ServerProcess, corpus: Corpus): Promise<Sample[]>;
}

/** Requests of one figure: sent before, unmeasured, and then measured. */
export type Count = readonly [warmUp: number, measured: number];

/** Requests of every figure. */
export interface Counts {
  roundTrip: Count;
  read: Count;
  ping: Count;
  prompt: Count;
  readLarge: Count;
}

/**
 * Enough requests for the bare loop to take some 30 ms a figure, well above what a look into `/proc` costs; a noisy
 * machine is better met with more rounds than with longer ones. The requests before them are as many as V8 takes to
 * compile everything for good: after 600 in place of 2,000, a read costs the bare loop half as much again as it does later.
 */
export const FULL: Counts = {
  roundTrip: [300, 500],
  read: [2000, 2000],
  ping: [4000, 6000],
  prompt: [150, 250],
  readLarge: [8, 40],
};
/** Half as many measured: enough to see a change of a quarter. */
export const QUICK: Counts = {
  roundTrip: [200, 250],
  read: [2000, 1000],
  ping: [4000, 3000],
  prompt: [100, 125],
  readLarge: [8, 20],
};

/** Unanswered requests in pipelined figures. */
export const IN_FLIGHT = 64;
/** Unanswered requests of large documents: 8 MB on the way is as much as a client can want. */
export const LARGE_IN_FLIGHT = 8;
/** What an answer may have around its text, escapes included, as a multiple of the text. */
const ENVELOPE = 1.5;
/** Smallest and largest answer to `ping`, in bytes; the smallest notification is larger. */
const PING_BYTES = [20, 64] as const;

/** Every scenario. */
export function scenarios(counts: Counts): Scenario[] {
  return [
    { name: "start", repeats: 3, run: (start, { ordinary }) => measureStart(start(ordinary), "start") },
    { name: "start empty", repeats: 1, run: (start, { empty }) => measureStart(start(empty), "startEmpty") },
    { name: "many", repeats: 1, run: (start, { many }) => measureMany(start(many), many) },
    {
      name: "load",
      repeats: 1,
      run: (start, { ordinary }) => measureLoad(start(ordinary), ordinary, counts),
    },
    { name: "large", repeats: 1, run: (start, { large }) => measureLarge(start(large), large, counts) },
  ];
}

/** From the wish for a process to its first answer. */
async function measureStart(server: ServerProcess, figure: Figure): Promise<Sample[]> {
  return await stopping(server, async () => {
    await initialize(server);
    return [sinceStart(server, figure)];
  });
}

/** A start on many documents, to the first answer and on to the whole list. */
async function measureMany(server: ServerProcess, { documents }: Root): Promise<Sample[]> {
  return await stopping(server, async () => {
    await initialize(server);
    const first = sinceStart(server, "startMany");
    server.notify("notifications/initialized");
    const uris = await listAll(server);
    const whole = sinceStart(server, "listMany");
    if (uris.length !== documents.length) {
      throw new Error(`Listed ${uris.length} of ${documents.length} documents`);
    }
    return [first, whole, { figure: "memoryMany", bytes: server.peakMemoryBytes }];
  });
}

/** Ordinary requests: one at a time, then pipelined. */
async function measureLoad(server: ServerProcess, { documents }: Root, counts: Counts): Promise<Sample[]> {
  const reads = documents.map(({ uri }) => readCall(uri));
  const prompts = Array.from({ length: 50 }, (_, index) => promptCall(`topic number ${index}`));
  return await stopping(server, async () => {
    await open(server);
    const roundTrip = await measure(server, "roundTrip", reads, counts.roundTrip, 1, around(ORDINARY_BYTES));
    const read = await measure(server, "read", reads, counts.read, IN_FLIGHT, around(ORDINARY_BYTES));
    const memory: Sample = { figure: "memoryRead", bytes: server.peakMemoryBytes };
    const ping = await measure(server, "ping", [PING], counts.ping, IN_FLIGHT, PING_BYTES);
    const prompt = await measure(server, "prompt", prompts, counts.prompt, IN_FLIGHT, around(PROMPT_BYTES));
    return [roundTrip, read, memory, ping, prompt];
  });
}

/** Large answers, pipelined. */
async function measureLarge(server: ServerProcess, { documents }: Root, counts: Counts): Promise<Sample[]> {
  const reads = documents.map(({ uri }) => readCall(uri));
  return await stopping(server, async () => {
    await open(server);
    const read = await measure(
      server,
      "readLarge",
      reads,
      counts.readLarge,
      LARGE_IN_FLIGHT,
      around(LARGE_BYTES),
    );
    return [read, { figure: "memoryLarge", bytes: server.peakMemoryBytes }];
  });
}

/** One figure: unmeasured requests first, then measured ones. */
async function measure(
  server: ServerProcess,
  figure: Figure,
  calls: Call[],
  [warmUpCount, count]: Count,
  inFlight: number,
  answerBytes: readonly [number, number],
): Promise<Sample> {
  const warmUp = server.prepare(calls, warmUpCount, answerBytes);
  const flood = server.prepare(calls, count, answerBytes);
  await server.send(warmUp, inFlight);
  const cpuBefore = server.cpuMs;
  const before = performance.now();
  await server.send(flood, inFlight);
  const after = performance.now();
  return { figure, wallMs: (after - before) / count, cpuMs: (server.cpuMs - cpuBefore) / count };
}

function sinceStart(server: ServerProcess, figure: Figure): Sample {
  const wallMs = performance.now() - server.startedAt;
  return { figure, wallMs, cpuMs: server.cpuMs };
}

/** The sizes that an answer with a text of that many bytes can have. */
function around(bytes: number): readonly [number, number] {
  return [bytes, bytes * ENVELOPE];
}

async function stopping<T>(server: ServerProcess, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    await server.stop();
  }
}
