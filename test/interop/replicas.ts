/** How do several replicas of one server run? As processes of their own, with one key, one store, and one file of what they did. */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { ChangingShelf } from "./listening.ts";
import { Daemon, freePort, workFolder } from "./daemon.ts";
import { changingShelf } from "./listening.ts";
import { startRedis } from "./redis.ts";

const NODE = process.env["INTEROP_NODE"] ?? process.execPath;
const PROGRAM = fileURLToPath(new URL("replica.ts", import.meta.url));

/** Replicas of one server. */
export interface Replicas {
  readonly ports: readonly number[];
  /** The endpoint of each. */
  readonly urls: readonly string[];
  /** The documents that all of them serve. */
  readonly shelf: ChangingShelf;
  /** The file with a line for each tool call that one of them carried out. */
  executions(): string[];
  /** Ends one as a power failure would, and waits until it is gone. */
  kill(index: number): Promise<void>;
  /** Starts one again where it was. */
  restart(index: number): Promise<void>;
  /** What they said, which is nothing when all is well. */
  said(): string;
  stop(): Promise<void>;
}

/** Starts some. */
export async function startReplicas(count: number): Promise<Replicas> {
  const folder = workFolder();
  const { socket, daemon: redis } = await startRedis();
  const shelf = changingShelf();
  const file = `${folder}/executions`;
  writeFileSync(`${folder}/key`, randomBytes(32), { mode: 0o600 });
  const ports: number[] = [];
  for (let index = 0; index < count; index++) ports.push(await freePort());
  const start = async (index: number): Promise<Daemon> => {
    const args = [`${ports[index]}`, `${folder}/key`, socket, shelf.root, file];
    const flags = ["--experimental-strip-types", "--no-warnings"];
    const replica = new Daemon(NODE, [...flags, PROGRAM, ...args]);
    await replica.until(async () => (await fetch(`http://127.0.0.1:${ports[index]}/readyz`)).ok);
    return replica;
  };
  const all = await Promise.all(ports.map((_, index) => start(index)));
  const gone: Daemon[] = [];
  return {
    ports,
    urls: ports.map((port) => `http://127.0.0.1:${port}/mcp`),
    shelf,
    executions: () => existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [],
    async kill(index) {
      gone.push(all[index]!);
      await all[index]!.stop("SIGKILL");
    },
    async restart(index) {
      all[index] = await start(index);
    },
    said: () => [...gone, ...all].map(({ said }) => said).join(""),
    async stop() {
      await Promise.all(all.map((replica) => replica.stop()));
      await redis.stop();
      shelf.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
