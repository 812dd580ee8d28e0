/** The program as it ships, which collects its garbage now and then and reports on standard error what it still holds. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { main } from "../../../lib/cli/main.ts";

/** Between two reports, in milliseconds. */
const PROBE_MS = 5_000;

const { gc } = globalThis as unknown as { gc(): void };
setInterval(() => {
  gc();
  const { heapUsed, rss } = process.memoryUsage();
  console.error(`probe ${JSON.stringify({ heapUsed, rss })}`);
}, PROBE_MS).unref();
await main(fileURLToPath(new URL("../../..", import.meta.url)));
