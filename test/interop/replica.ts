/**
 * One of several processes that serve the same clients: a program that embeds the server, with sessions in Redis that all of
 * them can serve. Its tool appends each call that it carries out to a file that all of them share.
 *
 *     replica.ts PORT KEY_FILE REDIS_SOCKET ROOT EXECUTIONS_FILE
 */

import { appendFileSync, readFileSync } from "node:fs";
import process from "node:process";
import { createClient } from "redis";
import { documentProvider, loadPlatform } from "../../mod.ts";
import type { SessionStore } from "../../lib/mcp/http/mod.ts";
import { listenHttp } from "../../lib/mcp/http/mod.ts";
import { createServer, defineTool, resourceProvider } from "../../lib/mcp/server/mod.ts";

/** How long the tool and the slow resource take, in milliseconds: some are always at work when a replica dies. */
const WORK_MS = 10;
/** The resource that takes its time. */
export const SLOW: { uri: string; text: string } = {
  uri: "slow://text",
  text: "The whole text. ".repeat(600),
};

/** A store of sessions in Redis or Valkey, and how to disconnect it. */
export interface RedisStore extends SessionStore {
  close(): Promise<void>;
}

/** Connects to the server at a socket: a hash for each session, which ends when the session does. */
export async function redisStore(socket: string): Promise<RedisStore> {
  const client = createClient({
    socket: { path: socket, tls: false },
    // What is asked while the server is away fails at once.
    disableOfflineQueue: true,
  });
  // What goes wrong is reported by the call that it goes wrong for.
  client.on("error", () => {});
  await client.connect();
  const keyOf = (session: string) => `mcp:session:${session}`;
  return {
    async get(session) {
      const facts = new Map(Object.entries(await client.hGetAll(keyOf(session))));
      return facts.size > 0 ? facts : undefined;
    },
    async set(session, fact, value, expires) {
      await client.multi().hSet(keyOf(session), fact, value).pExpireAt(keyOf(session), expires).exec();
    },
    async delete(session, fact) {
      await client.hDel(keyOf(session), fact);
    },
    close: () => client.close(),
  };
}

async function serve(
  [port = "", keyFile = "", redis = "", root = "", executions = ""]: string[],
): Promise<void> {
  const pause = () => new Promise((resolve) => setTimeout(resolve, WORK_MS));
  const count = defineTool({
    name: "count",
    description: "Records that it was called.",
    inputSchema: { type: "object", properties: { call: { type: "string" } }, required: ["call"] },
    async handler({ call }, { log }) {
      appendFileSync(executions, `${call}\n`);
      log("debug", `carried out ${call}`);
      await pause();
      return `done ${call}`;
    },
  });
  const { uri, text } = SLOW;
  const read = async () => (await pause(), text);
  const documents = documentProvider(await loadPlatform(), { root });
  const server = createServer({
    info: { name: "replica", version: "1" },
    resources: [
      documents,
      resourceProvider({ resources: [{ uri, name: "slow", mimeType: "text/plain", read }] }),
    ],
    tools: [count],
    logging: true,
    keys: [new Uint8Array(readFileSync(keyFile))],
    // All clients come from the address of the proxy.
    toolCalls: { burst: 100_000, perSecond: 100_000 },
  });
  const sessionStore = await redisStore(redis);
  const listening = await listenHttp(server, {
    port: Number(port),
    sessionStore,
    ready: async () => (await documents.ready(), true),
    onerror: (cause) => console.error("A request failed:", cause),
  });
  process.once("SIGTERM", async () => {
    await listening.close();
    await sessionStore.close();
  });
}

if (import.meta.main) await serve(process.argv.slice(2));
