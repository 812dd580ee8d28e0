/** Plays every transcript of this folder over every transport and in every revision that it names. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { listenHttp } from "../../lib/mcp/http/mod.ts";
import { listenTcp } from "../../lib/jsonrpc/transport/tcp.ts";
import { REVISIONS } from "../../lib/mcp/server/mod.ts";
import { makeFolder } from "../harness/folder.ts";
import { IS_ELSEWHERE, REPOSITORY, TESTS } from "../harness/program.ts";
import { HttpConnection, inTime, overMemory, overStdio, overTcp } from "./connections.ts";
import type { Header, Stage, Step, Transcript } from "./play.ts";
import { applies, MODERN, play } from "./play.ts";
import { fixtureServer } from "./server.ts";

const FOLDER = `${REPOSITORY}/test/transcripts`;
const ROOT = JSON.parse(readFileSync(`${FOLDER}/root.json`, "utf8")) as Record<string, string>;
const SELECTED = process.env["TRANSCRIPT"] ?? "";
/** How many acts are played at a time. */
const PLAYERS = 6;
/** The transports of the fixture, the cheapest first. */
const CHEAPEST = ["memory", "tcp", "stdio", "http"];
const TRANSPORTS = { fixture: ["stdio", "memory", "tcp", "http"], program: ["stdio"] } as const;

/** The transcripts of a file: a line with a name begins one; a first line without a name holds for all of them. */
function read(file: string): Transcript[] {
  const transcripts: (Transcript & { steps: { line: number; step: Step }[] })[] = [];
  let shared: Partial<Header> = {};
  for (const [index, line] of readFileSync(`${FOLDER}/${file}`, "utf8").split("\n").entries()) {
    if (line.trim() === "") continue;
    const step = JSON.parse(line) as Step;
    if ("name" in step) {
      const header = { ...shared, ...step } as Header;
      transcripts.push({ ...header, let: { ...shared.let, ...header.let }, file, steps: [] });
    } else if (index === 0) shared = step;
    else transcripts.at(-1)!.steps.push({ line: index + 1, step });
  }
  return transcripts;
}

/** What went wrong with each transcript. */
type Failures = Map<Transcript, unknown>;

/** Transcripts that are played one after the other over one connection, in the order of the files. */
interface Act {
  readonly transcripts: Transcript[];
  readonly transport: string;
  readonly revision: string;
  readonly failures: PromiseWithResolvers<Failures>;
}

type Served = Pick<Stage, "log" | "root" | "connect">;
type Cleaning = Pick<TestContext, "after">;

/** Starts a server of this process, or prepares to start one process for each connection. */
async function start(cleaning: Cleaning, { transport, revision, transcripts }: Act): Promise<Served> {
  const { server, options } = transcripts[0]!;
  const log: string[] = [];
  const write = (text: string) => void log.push(...text.split("\n").filter((line) => line !== ""));
  if (server === "program") {
    const root = makeFolder(cleaning, ROOT);
    const args = ["--root", root, ...(options ?? []) as string[]];
    return { log, root, connect: () => Promise.resolve(overStdio(args, {}, write)) };
  }
  const root = undefined;
  if (transport === "stdio") {
    const [args, module] = [[JSON.stringify(options ?? {})], `${FOLDER}/server.ts`];
    return { log, root, connect: () => Promise.resolve(overStdio(args, { module }, write)) };
  }
  const made = fixtureServer((options ?? {}) as never, write);
  if (transport === "memory") return { log, root, connect: () => overMemory(made) };
  if (transport === "tcp") {
    const listener = await listenTcp({ port: 0 }, { onconnection: (far) => void made.connect(far) });
    cleaning.after(() => listener.stop());
    const { port } = listener.address as { port: number };
    return { log, root, connect: () => Promise.resolve(overTcp(port)) };
  }
  const listening = await listenHttp(made, { port: 0, onerror: (cause) => write(`${cause}`) });
  cleaning.after(() => listening.close());
  return { log, root, connect: () => Promise.resolve(new HttpConnection(listening.url, revision)) };
}

async function playAct(act: Act): Promise<Failures> {
  const failures: Failures = new Map();
  const cleanups: (() => unknown)[] = [];
  const served = await start({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) }, act);
  let stage: Stage | undefined;
  for (const transcript of act.transcripts) {
    try {
      stage ??= { ...act, ...served, connection: await served.connect(), client: undefined, requests: 0 };
      await play(transcript, stage);
      assert.deepEqual(stage.connection.problems, [], "every line is what the official schema allows");
      if (transcript !== act.transcripts.at(-1)) continue;
      assert.equal(await stage.connection.end(), 0, "the exit code");
      assert.equal(await stage.connection.received.next(), undefined, "nothing comes at the end");
      assert.deepEqual(served.log, [], "nothing is logged at the end");
    } catch (cause) {
      // What comes next is not disturbed by what is left of this one.
      stage?.connection.drop();
      stage = undefined;
      served.log.length = 0;
      failures.set(transcript, cause);
    }
  }
  for (const cleanup of cleanups) await inTime(Promise.resolve(cleanup()), "The server did not stop");
  return failures;
}

/**
 * Revisions differ above the transports. So each transcript is played in each revision over the cheapest transport, and over
 * stdio and HTTP in the newest revision too, with sessions over HTTP in the newest that has them. What needs options, or a
 * process of its own, is played over the cheapest alone, and with the program in the newest revision of each era.
 * `TESTS=all` plays everything everywhere, `TESTS=program` with the program only, and `TESTS=runtime` what depends on the
 * runtime: the newest of each era, over a pipe or a port. `TRANSCRIPT` selects a file, or a transcript of it by its first words.
 */
const acts = new Map<string, Act>();
for (const transcript of readdirSync(FOLDER).filter((file) => file.endsWith(".jsonl")).sort().flatMap(read)) {
  const { server = "fixture", only, opening = "shared", options } = transcript;
  if (!`${transcript.file}: ${transcript.name}`.startsWith(SELECTED)) continue;
  const speaksText = transcript.steps.some(({ step }) =>
    /^\{"send":\[.*("\{|"\$bytes)/.test(JSON.stringify(step))
  );
  const canPlay = (transport: string, id: string) =>
    applies(only, id, transport) && !(speaksText && transport === "memory");
  for (const transport of TRANSPORTS[server]) {
    const playable = REVISIONS.map(({ id }) => id).filter((id) => canPlay(transport, id)).sort();
    const newest = [false, true].map((isModern) => playable.findLast((id) => (id === MODERN) === isModern));
    const isCheap = !options && (transport === "http" || (transport === "stdio" && opening === "shared"));
    const isPlayed = (id: string): boolean => {
      if (TESTS === "all") return true;
      const isNewest = newest.includes(id);
      if (server === "program") return isNewest;
      if (TESTS === "program") return false;
      if (TESTS === "runtime") return isNewest && isCheap && (transport === "stdio" || !IS_ELSEWHERE);
      return CHEAPEST.find((one) => canPlay(one, id)) === transport ||
        (isCheap && isNewest && (transport === "http" || id === playable.at(-1)));
    };
    for (const revision of playable.filter(isPlayed)) {
      const own = opening === "shared" ? undefined : `: ${transcript.file}: ${transcript.name}`;
      const name = [server, options && JSON.stringify(options), `over ${transport} in ${revision}`, own];
      const key = name.filter((part) => part !== undefined).join(" ");
      if (!acts.has(key)) {
        acts.set(key, { transcripts: [], transport, revision, failures: Promise.withResolvers() });
      }
      acts.get(key)!.transcripts.push(transcript);
    }
  }
}

/** Starts to play, at the first test: several acts at a time, as much of it is waiting. */
const waiting = [...acts.values()];
let playing: Promise<void>[] | undefined;
function startPlaying(): void {
  playing ??= Array.from({ length: PLAYERS }, async () => {
    for (let act = waiting.shift(); act; act = waiting.shift()) {
      await playAct(act).then(act.failures.resolve, act.failures.reject);
    }
  });
}

for (const [name, { transcripts, failures }] of acts) {
  test(name, async (t) => {
    startPlaying();
    const failed = await failures.promise;
    for (const transcript of transcripts) {
      await t.test(`${transcript.file}: ${transcript.name}`, () => {
        if (failed.has(transcript)) throw failed.get(transcript);
      });
    }
  });
}
