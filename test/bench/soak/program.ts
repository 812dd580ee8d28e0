/**
 * The program, with a probe: now and then it collects its garbage and says on standard error how much is still held.
 *
 * Everything else is the program as it ships.
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { main } from "../../../lib/cli/main.ts";

/** Between two probes, in milliseconds. */
const PROBE_MS = 5_000;

const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error("The probe needs --expose-gc");
setInterval(() => {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  console.error(`probe ${JSON.stringify({ heapUsed, rss })}`);
}, PROBE_MS).unref();
await main(fileURLToPath(new URL("../../..", import.meta.url)));
