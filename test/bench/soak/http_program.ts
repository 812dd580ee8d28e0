/** The server of `http.ts`, which answers each line of its input with a probe. Its argument is how many clients are idle. */
import process from "node:process";
import { createInterface } from "node:readline";
import { createServer, defineTool } from "../../../lib/server/mod.ts";
import { listenHttp } from "../../../lib/http/mod.ts";
import { probe } from "./probe.ts";

const [idle = "0"] = process.argv.slice(2);

const nothing = { type: "object", properties: {} } as const;
const server = createServer({
  info: { name: "soak", version: "1" },
  tools: [
    defineTool({
      name: "echo",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      handler: ({ text }) => text,
    }),
    defineTool({
      name: "slow",
      inputSchema: nothing,
      handler: (_, { signal }) =>
        new Promise<string>((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason))
        ),
    }),
    defineTool({
      name: "chatter",
      inputSchema: nothing,
      async handler(_, { progress, signal }) {
        for (let step = 1; step < 20_000 && !signal.aborted; step++) {
          progress(step, 20_000, "A word that is not read. ".repeat(40));
          if (step % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        return "said";
      },
    }),
  ],
  toolCalls: { burst: 1e9, perSecond: 1e9 },
});
const listening = await listenHttp(server, {
  port: 0,
  maxConnections: 2 * Number(idle) + 4_000,
  retentionMs: 2_000,
  keepAliveMs: 2_000,
  onerror: (cause) => console.error("A request failed:", cause),
});
console.log(`port ${listening.port}`);
const input = createInterface({ input: process.stdin }).on("line", () => console.log(probe()));
process.once("SIGTERM", async () => {
  input.close();
  await listening.close();
});
