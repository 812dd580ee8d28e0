/**
 * What both soaks share: what a server still holds after collecting its garbage, and whether that grows.
 *
 * Run directly it is the program as it ships, which reports on standard error now and then.
 */
import { readdirSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** What memory may grow by after the first quarter of the time and still be called flat. */
const FLAT = 1.15;
/** Between two reports of the program, in milliseconds. */
const PROBE_MS = 5_000;

/** What states the revision of a request. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
} as const;

/** What a server holds. */
export interface Held {
  readonly heapUsed: number;
  readonly rss: number;
  /** Open files, pipes and watches of the process; `NaN` where they cannot be counted. */
  readonly handles: number;
}

/** In the server: collects its garbage and reports what is still held, in one line. */
export function probe(): string {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error("The probe needs --expose-gc");
  gc();
  const { heapUsed, rss } = process.memoryUsage();
  return `probe ${JSON.stringify({ heapUsed, rss })}`;
}

/** In the client: reads such a line. */
export function heldOf(line: string, pid: number): Held | undefined {
  if (!line.startsWith("probe ")) return undefined;
  return { ...JSON.parse(line.slice("probe ".length)), handles: handlesOf(pid) };
}

function handlesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

/** The command that runs a module of this folder so that it can be probed. `BENCH_NODE` and `BENCH_DENO` name runtimes. */
export function probed(runtime: string | undefined, module: string, ...args: string[]): [string, string[]] {
  const path = fileURLToPath(new URL(module, import.meta.url));
  if (runtime === "deno") {
    return [process.env["BENCH_DENO"] ?? "deno", ["run", "--allow-all", "--v8-flags=--expose-gc", path, ...args]];
  }
  const flags = ["--expose-gc", "--experimental-strip-types", "--no-warnings"];
  return [process.env["BENCH_NODE"] ?? process.execPath, [...flags, path, ...args]];
}

/** The lowest of the last quarter against the lowest of the second one: garbage comes and goes, leaks stay. */
export function growthProblems(samples: readonly Held[], whats: readonly ("heapUsed" | "handles")[]): string[] {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  return whats.flatMap((what) => {
    const lowest = (some: readonly Held[]) => Math.min(...some.map((held) => held[what]));
    const factor = lowest(samples.slice(-quarter)) / lowest(samples.slice(quarter, 2 * quarter));
    console.log(`${what} after the first quarter: x ${factor.toFixed(2)}`);
    return factor > FLAT ? [`${what} grew by the factor ${factor.toFixed(2)}`] : [];
  });
}

export function shown(held: Held | undefined): string {
  if (!held) return "unknown";
  const [heap, rss] = [held.heapUsed, held.rss].map((bytes) => (bytes / 2 ** 20).toFixed(1));
  return `${heap} MiB heap, ${rss} MiB resident, ${held.handles} handles`;
}

/** Prints what went wrong and sets the exit code. */
export function conclude(problems: readonly string[]): void {
  for (const problem of problems.slice(0, 20)) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  const { main } = await import("../../../lib/cli/main.ts");
  setInterval(() => console.error(probe()), PROBE_MS).unref();
  await main(fileURLToPath(new URL("../../..", import.meta.url)));
}
