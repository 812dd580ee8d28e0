/**
 * One of several processes that serve the same clients: a program that embeds the server, with sessions that all of them can
 * serve. Its tool writes down each call that it carries out, in one line of a file that all of them share.
 *
 *     replica.ts PORT KEY_FILE REDIS_SOCKET ROOT EXECUTIONS_FILE
 */

import { appendFileSync, readFileSync } from "node:fs";
import process from "node:process";
import { documentProvider, loadPlatform } from "../../mod.ts";
import { createServer, defineTool, resourceProvider } from "../../lib/server/mod.ts";
import { listenHttp } from "../../lib/http/mod.ts";
import { redisStore } from "./redis_store.ts";

/** How long the tool and the slow resource take, in milliseconds: some are always at work when a replica dies. */
const WORK_MS = 10;

const [port = "", keyFile = "", redis = "", root = "", executions = ""] = process.argv.slice(2);
const keys = [new Uint8Array(readFileSync(keyFile))];
const pause = () => new Promise((resolve) => setTimeout(resolve, WORK_MS));

const count = defineTool({
  name: "count",
  description: "Writes down that it was called.",
  inputSchema: {
    type: "object",
    properties: { call: { type: "string" } },
    required: ["call"],
  },
  async handler({ call }, { log }) {
    appendFileSync(executions, `${call}\n`);
    log("debug", `carried out ${call}`);
    await pause();
    return `done ${call}`;
  },
});
const slow = resourceProvider({
  resources: [{
    uri: "slow://text",
    name: "slow",
    mimeType: "text/plain",
    read: async () => {
      await pause();
      return "The whole text. ".repeat(600);
    },
  }],
});

const documents = documentProvider(await loadPlatform(), { root });
const server = createServer({
  info: { name: "replica", version: "1" },
  resources: [documents, slow],
  tools: [count],
  logging: true,
  keys,
  // All clients come from the address of the proxy.
  toolCalls: { burst: 100_000, perSecond: 100_000 },
});
const store = await redisStore(redis);
const listening = await listenHttp(server, {
  port: Number(port),
  sessionStore: store,
  ready: async () => (await documents.ready(), true),
  onerror: (cause) => console.error("A request failed:", cause),
});
process.once("SIGTERM", async () => {
  await listening.close();
  await store.close();
});
