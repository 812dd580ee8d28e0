/** Plays every transcript of this folder over every transport and in every revision that it names. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { listenHttp } from "../../lib/http/mod.ts";
import { listenTcp } from "../../lib/transport/tcp.ts";
import { REVISIONS } from "../../lib/server/mod.ts";
import { makeFolder } from "../harness/folder.ts";
import { REPOSITORY } from "../harness/program.ts";
import { HttpConnection, overMemory, overStdio, overTcp } from "./connections.ts";
import type { Connection } from "./connections.ts";
import type { Members } from "./pattern.ts";
import type { Header, Stage, Step, Transcript } from "./play.ts";
import { applies, play } from "./play.ts";
import { fixtureServer } from "./server.ts";

const FOLDER = `${REPOSITORY}/test/transcripts`;
const ROOT = JSON.parse(readFileSync(`${FOLDER}/root.json`, "utf8")) as Record<string, string>;
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
  return transcripts.flatMap((transcript) =>
    transcript.each?.map((each) => ({
      ...transcript,
      name: `${transcript.name}: ${JSON.stringify(each)}`,
      let: { ...transcript.let, each },
    })) ?? [transcript]
  );
}

/** A server that runs, and how to connect to it. */
interface Running {
  readonly log: string[];
  readonly root: string | undefined;
  connect(): Promise<Connection>;
}

/** Starts a server of this process, or prepares to start one process for each connection. */
async function start(t: TestContext, transport: string, revision: string, header: Header): Promise<Running> {
  const log: string[] = [];
  const write = (text: string) => void log.push(...text.split("\n").filter((line) => line !== ""));
  if (header.server === "program") {
    const root = makeFolder(t, ROOT);
    const args = ["--root", root, ...(header.options ?? []) as string[]];
    return { log, root, connect: () => Promise.resolve(overStdio(args, {}, write)) };
  }
  const options = { ...header.options as Members };
  if (transport === "stdio") {
    const args = [JSON.stringify(options)];
    const module = `${FOLDER}/server.ts`;
    return { log, root: undefined, connect: () => Promise.resolve(overStdio(args, { module }, write)) };
  }
  const server = fixtureServer(options as never, write);
  if (transport === "memory") return { log, root: undefined, connect: () => overMemory(server) };
  if (transport === "tcp") {
    const listener = await listenTcp({ port: 0 }, { onconnection: (far) => void server.connect(far) });
    t.after(() => listener.stop());
    const { port } = listener.address as { port: number };
    return { log, root: undefined, connect: () => Promise.resolve(overTcp(port)) };
  }
  const listening = await listenHttp(server, { port: 0, onerror: (cause) => write(`${cause}`) });
  t.after(() => listening.close());
  return {
    log,
    root: undefined,
    connect: () => Promise.resolve(new HttpConnection(listening.url, revision)),
  };
}

/** Plays transcripts that can share a server, one after the other. */
async function playAll(
  t: TestContext,
  transcripts: readonly Transcript[],
  transport: string,
  revision: string,
) {
  const running = await start(t, transport, revision, transcripts[0]!);
  const enter = async (): Promise<Stage> => ({
    connection: await running.connect(),
    revision,
    transport,
    ...running,
    client: undefined,
    requests: 0,
  });
  const leave = async ({ connection }: Stage) => {
    assert.equal(await connection.end(), 0, "the exit code");
    assert.equal(await connection.next(), undefined, "nothing comes at the end");
    assert.deepEqual(running.log, [], "nothing is logged at the end");
  };
  let shared: Stage | undefined;
  for (const transcript of transcripts) {
    const isShared = (transcript.opening ?? "shared") === "shared";
    await t.test(`${transcript.file}: ${transcript.name}`, async () => {
      const stage = isShared && shared || await enter();
      if (isShared) shared = stage;
      try {
        await play(transcript, stage);
        if (!isShared) await leave(stage);
      } catch (cause) {
        // What comes next is not disturbed by what is left of this one.
        stage.connection.drop();
        running.log.length = 0;
        if (isShared) shared = undefined;
        throw cause;
      }
    });
  }
  if (shared) await leave(shared);
}

const groups = new Map<string, { transcripts: Transcript[]; transport: string; revision: string }>();
for (const transcript of readdirSync(FOLDER).filter((file) => file.endsWith(".jsonl")).sort().flatMap(read)) {
  const { server = "fixture", only, options = {} } = transcript;
  const speaksText = transcript.steps.some(({ step }) =>
    /^\{"send":\[.*("\{|"\$bytes)/.test(JSON.stringify(step))
  );
  for (const transport of TRANSPORTS[server]) {
    if (speaksText && transport === "memory") continue;
    for (const { id: revision } of REVISIONS) {
      if (!applies(only, revision, transport)) continue;
      const key = `${server} ${
        JSON.stringify(options).replace(/^(\{\}|\[\])$/, "")
      } over ${transport} in ${revision}`;
      if (!groups.has(key)) groups.set(key, { transcripts: [], transport, revision });
      groups.get(key)!.transcripts.push(transcript);
    }
  }
}
for (const [name, { transcripts, transport, revision }] of groups) {
  test(name, (t) => playAll(t, transcripts, transport, revision));
}
