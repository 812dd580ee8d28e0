/** Several replicas of one server, as processes of their own with one key, one store, and one file of what they carried out. */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ChangingRoot } from "./documents.ts";
import { changingRoot } from "./documents.ts";
import { Daemon, freePort, NODE_RUNTIME, startRedis, workFolder } from "./programs.ts";

export interface Replicas {
  readonly ports: readonly number[];
  /** The endpoint of each. */
  readonly urls: readonly [string, string, string];
  /** The documents that all of them serve. */
  readonly root: ChangingRoot;
  /** A line for each tool call that one of them carried out. */
  executions(): string[];
  /** Ends one as a power failure would, and waits until it is gone. */
  kill(index: number): Promise<void>;
  /** Starts one again where it was. */
  restart(index: number): Promise<void>;
  /** What they wrote, which is nothing when all is well. */
  written(): string;
  stop(): Promise<void>;
}

/** Starts three. */
export async function startReplicas(): Promise<Replicas> {
  const folder = workFolder();
  const { socket, daemon: redis } = await startRedis();
  const root = changingRoot();
  const file = `${folder}/executions`;
  writeFileSync(`${folder}/key`, randomBytes(32), { mode: 0o600 });
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const started: Daemon[] = [];
  const start = async (port: number): Promise<Daemon> => {
    const { command, args } = NODE_RUNTIME.script("replica.ts", [
      `${port}`,
      `${folder}/key`,
      socket,
      root.root,
      file,
    ]);
    const replica = new Daemon(command, args);
    started.push(replica);
    await replica.until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    return replica;
  };
  const all = await Promise.all(ports.map(start));
  return {
    ports,
    urls: ports.map((port) => `http://127.0.0.1:${port}/mcp`) as [string, string, string],
    root,
    executions: () => existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [],
    kill: async (index) => void await all[index]!.stop("SIGKILL"),
    restart: async (index) => void (all[index] = await start(ports[index]!)),
    written: () => started.map(({ stdout, stderr }) => stdout + stderr).join(""),
    async stop() {
      await Promise.all(all.map((replica) => replica.stop()));
      await redis.stop();
      root.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
