/** What is measured: each scenario takes a fresh process, so that none inherits the memory or the warmth of another. */
import { LARGE_BYTES, ORDINARY_BYTES, PROMPT_BYTES, PROMPT_NAME, promptText } from "./documents.ts";
import type { Corpus, Document, Root } from "./documents.ts";
import type { AnswerBytes, Call, ServerProcess } from "./process.ts";

/** The revision asked for: the newest with a handshake, which all of the servers speak. */
export const REVISION = "2025-11-25";
/** Unanswered requests in pipelined figures; of large documents 8 MB on the way is as much as a client can want. */
const IN_FLIGHT = 64;
const LARGE_IN_FLIGHT = 8;

export type Figure =
  | "start" | "list" | "startEmpty" | "startMany" | "listMany" | "memoryMany"
  | "roundTrip" | "read" | "memoryRead" | "ping" | "prompt" | "readLarge" | "memoryLarge";

/** One measurement of one figure; per request where there are several. */
export interface Sample {
  figure: Figure;
  /** Elapsed time, in milliseconds. */
  wallMs?: number;
  /** Processor time of the server, all its threads, in milliseconds. */
  cpuMs?: number;
  /** Peak of the resident memory, in bytes. */
  bytes?: number;
}

/** Starts a server on a root. */
export type Start = (root: Root) => ServerProcess;

export interface Scenario {
  name: string;
  /** Times in each round: short scenarios are noisy, and cheap to repeat. */
  repeats: number;
  run(start: Start, corpus: Corpus): Promise<Sample[]>;
}

const PING: Call = { method: "ping" };
const readCall = (uri: string): Call => ({ method: "resources/read", params: { uri } });
const readCalls = (documents: readonly Document[]): Call[] => documents.map(({ uri }) => readCall(uri));
const promptCall = (topic: string): Call => {
  return { method: "prompts/get", params: { name: PROMPT_NAME, arguments: { topic } } };
};
const promptCalls = () => Array.from({ length: 50 }, (_, index) => promptCall(`topic number ${index}`));
/** The sizes that an answer with a text of that many bytes can have, escapes and envelope included. */
const around = (bytes: number): AnswerBytes => [bytes, bytes * 1.5];

/** How a figure of requests is measured, in one process with others of the same root. */
interface Requests {
  root: "ordinary" | "large";
  calls(documents: readonly Document[]): Call[];
  inFlight: number;
  bytes: AnswerBytes;
  /** The figure of the memory that they take. */
  memory?: Figure;
}
const ordinary = { root: "ordinary", inFlight: IN_FLIGHT } as const;
const reading = { ...ordinary, calls: readCalls, bytes: around(ORDINARY_BYTES) };
const REQUESTS = {
  roundTrip: { ...reading, inFlight: 1 },
  read: { ...reading, memory: "memoryRead" },
  // The smallest notification is larger than the largest answer to ping.
  ping: { ...ordinary, calls: () => [PING], bytes: [20, 64] },
  prompt: { ...ordinary, calls: promptCalls, bytes: around(PROMPT_BYTES) },
  readLarge: {
    root: "large",
    calls: readCalls,
    inFlight: LARGE_IN_FLIGHT,
    bytes: around(LARGE_BYTES),
    memory: "memoryLarge",
  },
} as const satisfies Readonly<Record<string, Requests>>;

export type Mode = "full" | "short";

/** Requests of the figures that share a process: sent before, unmeasured, and then measured. */
type Counts = Partial<Record<keyof typeof REQUESTS, readonly [warmUp: number, measured: number]>>;

/**
 * Full: enough requests for the bare loop to take some 30 ms a figure, well above what a look into `/proc` costs. The
 * requests before them are as many as V8 takes to compile everything for good: after 600 instead of 2,000, a read costs
 * the bare loop half as much again as it does later. Short: a session whose requests are mostly answered before V8 has
 * optimised anything.
 */
const COUNTS: Readonly<Record<Mode, readonly Counts[]>> = {
  full: [
    { roundTrip: [300, 500], read: [2000, 2000], ping: [4000, 6000], prompt: [150, 250] },
    { readLarge: [8, 40] },
  ],
  short: [{ read: [0, 10_000] }, { ping: [0, 10_000] }, { prompt: [0, 1000] }],
};

export function scenarios(mode: Mode, manyCount: number): Scenario[] {
  return [
    { name: "start", repeats: 3, run: measureStart },
    ...COUNTS[mode].map((counts): Scenario => ({
      name: Object.keys(counts).join(),
      repeats: 1,
      run: (start, corpus) => measureRequests(start, corpus, counts),
    })),
    ...(mode === "short" || manyCount === 0 ? [] : [{ name: "many", repeats: 1, run: measureMany }]),
  ];
}

/** A start to the first answer, and on to the first list. */
async function measureStart(start: Start, { ordinary }: Corpus): Promise<Sample[]> {
  return await stopping(start(ordinary), async (server) => {
    await initialize(server);
    const first = sinceStart(server, "start");
    server.notify("notifications/initialized");
    await server.request("resources/list", {});
    return [first, sinceStart(server, "list")];
  });
}

/** A start on no document; and on many, to the first answer and on to the whole list. */
async function measureMany(start: Start, { empty, many }: Corpus): Promise<Sample[]> {
  const none = await stopping(start(empty), async (server) => {
    await initialize(server);
    return sinceStart(server, "startEmpty");
  });
  return await stopping(start(many), async (server) => {
    await initialize(server);
    const first = sinceStart(server, "startMany");
    server.notify("notifications/initialized");
    const { length } = await listAll(server);
    const whole = sinceStart(server, "listMany");
    if (length !== many.documents.length) throw new Error(`Listed ${length} of ${many.documents.length}`);
    return [none, first, whole, { figure: "memoryMany", bytes: server.peakMemoryBytes }];
  });
}

/** Figures of requests in one process: unmeasured ones first, then measured ones. */
async function measureRequests(start: Start, corpus: Corpus, counts: Counts): Promise<Sample[]> {
  const figures = Object.keys(counts) as (keyof typeof REQUESTS)[];
  const root = corpus[REQUESTS[figures[0]!].root];
  return await stopping(start(root), async (server) => {
    await open(server);
    const samples: Sample[] = [];
    for (const figure of figures) {
      const { calls, inFlight, bytes, memory }: Requests = REQUESTS[figure];
      const [warmUp, count] = counts[figure]!;
      const [before, measured] = [warmUp, count].map((some) =>
        server.prepare(calls(root.documents), some, inFlight, bytes)
      );
      if (warmUp > 0) await before!();
      const cpu = server.cpuMs;
      const began = performance.now();
      await measured!();
      const ended = performance.now();
      samples.push({ figure, wallMs: (ended - began) / count, cpuMs: (server.cpuMs - cpu) / count });
      if (memory) samples.push({ figure: memory, bytes: server.peakMemoryBytes });
    }
    return samples;
  });
}

function sinceStart(server: ServerProcess, figure: Figure): Sample {
  const wallMs = performance.now() - server.startedAt;
  return { figure, wallMs, cpuMs: server.cpuMs };
}

async function stopping<T>(server: ServerProcess, use: (server: ServerProcess) => Promise<T>): Promise<T> {
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** Sends `initialize` and gives the revision that the server agrees to; the connection is not open yet. */
async function initialize(server: ServerProcess): Promise<string> {
  const clientInfo = { name: "bench", version: "1.0.0" };
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo };
  return (await server.request<{ protocolVersion: string }>("initialize", params)).protocolVersion;
}

async function open(server: ServerProcess): Promise<string> {
  const revision = await initialize(server);
  server.notify("notifications/initialized");
  return revision;
}

/** The URIs of all resources, however many pages they come in. */
async function listAll(server: ServerProcess): Promise<string[]> {
  const uris: string[] = [];
  for (let params: { cursor?: string } | undefined = {}; params;) {
    type Page = { resources: { uri: string }[]; nextCursor?: string };
    const { resources, nextCursor: cursor }: Page = await server.request<Page>("resources/list", params);
    uris.push(...resources.map(({ uri }) => uri));
    params = cursor === undefined ? undefined : { cursor };
  }
  return uris;
}

/** How many of the ordinary documents are compared, spread evenly; all of them would only take longer. */
const COMPARED = 10;
/** An argument that goes wrong when it is not escaped, is taken for a marker, or for a replacement pattern. */
const AWKWARD_TOPIC = 'a "topic" with \\ and $& and {"id":1} and naïve →';

/**
 * Starts a server and compares its answers, which also fills the caches of the runtimes; gives the revision it speaks.
 *
 * @throws {Error} When an answer is wrong.
 */
export async function verify(start: Start, { ordinary, large }: Corpus): Promise<string> {
  const step = Math.max(1, Math.floor(ordinary.documents.length / COMPARED));
  const some = ordinary.documents.filter((_, at) => at % step === 0);
  await stopping(start(large), (server) => compare(server, large.documents, large.documents));
  return await stopping(start(ordinary), (server) => compare(server, ordinary.documents, some));
}

async function compare(server: ServerProcess, all: Document[], compared: Document[]): Promise<string> {
  const revision = await open(server);
  const sorted = (uris: string[]) => uris.sort().join("\n");
  expectSame("The list of resources", sorted(await listAll(server)), sorted(all.map(({ uri }) => uri)));
  const ask = <T>({ method, params }: Call) => server.request<T>(method, params);
  for (const { uri, text } of compared) {
    const { contents } = await ask<{ contents: { uri: string; text: string }[] }>(readCall(uri));
    expectSame(`The text of ${uri}`, contents[0]?.text, text);
    expectSame("The URI of a content", contents[0]?.uri, uri);
  }
  const { messages } = await ask<{ messages: { content: { text: string } }[] }>(promptCall(AWKWARD_TOPIC));
  expectSame("The text of the prompt", messages[0]?.content.text, promptText(AWKWARD_TOPIC));
  expectSame("The answer to ping", JSON.stringify(await ask(PING)), "{}");
  return revision;
}

function expectSame(what: string, actual: unknown, expected: string): void {
  if (actual !== expected) throw new Error(`${what} is wrong: ${String(actual).slice(0, 200)}`);
}
