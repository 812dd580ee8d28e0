/** A server program that misbehaves in the way that its first argument names. */

import { Buffer } from "node:buffer";
import process from "node:process";
import { createInterface } from "node:readline";

const [mode = ""] = process.argv.slice(2);
const write = (text: string | Uint8Array) =>
  new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
const say = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const DISCOVERY = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };

const WAYS: Record<string, (id: number) => Promise<unknown> | void> = {
  /** Writes a line of 384 MB, and then continues to serve. */
  "long-line": async (id) => {
    const filler = Buffer.alloc(1024 * 1024, "x");
    await write(`{"jsonrpc":"2.0","id":${id},"result":{"text":"`);
    for (let written = 0; written < 384; written++) await write(filler);
    await write('"}}\n');
  },
  chatter: async (id) => {
    await write("Server starting…\n\n[info] listening\n42\n[]\nnull\n");
    await write(Buffer.from([0xff, 0xfe, 0x0a]));
    await say({ id, result: { tools: [] } });
  },
};

if (mode === "deaf") {
  // Neither the end of its input nor SIGTERM ends it.
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
}

if (mode === "lingers") setInterval(() => {}, 1000);
if (mode === "says") {
  process.stderr.write(
    `args ${process.argv.slice(3).join("|")} ${process.env["HOSTILE"]} ${process.cwd()}\n`,
  );
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { id?: number; method?: string };
  if (id === undefined || method === undefined) continue;
  if (method === "server/discover") await say({ id, result: DISCOVERY });
  else if (method === "tools/list" && WAYS[mode]) await WAYS[mode](id);
  else await say({ id, result: { resultType: "complete", tools: [] } });
}
