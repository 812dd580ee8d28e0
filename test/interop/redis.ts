/** How does a real Redis, or Valkey, run for a test? On a socket of its own, and keeping nothing on the disk. */

import process from "node:process";
import { createClient } from "redis";
import { Daemon, whyMissing, workFolder } from "./daemon.ts";

const REDIS = process.env["INTEROP_REDIS"] ?? "redis-server";

/** Why its tests are skipped; false when it is there. */
export const NO_REDIS: string | false = whyMissing(REDIS, "redis-server");

/** Starts it. */
export async function startRedis(): Promise<
  { readonly socket: string; readonly daemon: Daemon }
> {
  const folder = workFolder();
  const socket = `${folder}/redis.sock`;
  const args = [
    "--port",
    "0",
    "--unixsocket",
    socket,
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder,
  ];
  const daemon = new Daemon(REDIS, args, folder);
  await daemon.until(async () => {
    const client = createClient({
      socket: { path: socket, tls: false, reconnectStrategy: false },
    });
    client.on("error", () => {});
    await client.connect();
    await client.close();
    return true;
  });
  return { socket, daemon };
}
