/** Which servers are measured: one row of data each. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

export type RuntimeName = "node" | "deno";

/** A runtime that was found on this machine. */
export interface Runtime {
  name: RuntimeName;
  command: string;
  /** Such as `26.1.0`. */
  version: string;
}

export interface Server {
  /** What `--servers` calls it; the same program under another runtime has the same name. */
  name: string;
  runtime: RuntimeName;
  /** What the report calls it. */
  label: string;
  /** Arguments of the runtime that start it; the root follows. */
  args: string[];
  /** The file without which it cannot run, and what to do about it. */
  needs: readonly [path: string, otherwise: string];
}

/** The row that all rows of the same runtime are divided by. */
export const UNIT = "bare";
/** This checkout. */
export const REPOSITORY: string = join(import.meta.dirname, "..", "..");

/** The program of a checkout: from source, from the package, and on Deno. */
export function programsOf(checkout: string): Server[] {
  const [source, built] = [join(checkout, "mod.ts"), join(checkout, "dist", "mod.js")];
  const needs: Server["needs"] = [source, "no program"];
  const ours = { name: "architrave", label: "**Architrave**, `mod.ts`", needs };
  const packed = { name: "architrave_dist", label: "**Architrave**, package" };
  return [
    { ...ours, runtime: "node", args: ["--experimental-strip-types", source] },
    { ...packed, runtime: "node", args: [built], needs: [built, "run `npm run build` there"] },
    { ...ours, runtime: "deno", args: ["run", "--no-prompt", "--allow-read", source] },
  ];
}

/** A program in `peers/` on both runtimes; its package, if it needs one, is installed by `npm ci`. */
function peer(name: string, label: string, packageName = "", ...flags: string[]): [Server, Server] {
  const file = join(import.meta.dirname, "peers", `${name}.mjs`);
  const manifest = join(import.meta.dirname, packageName && join("node_modules", packageName), "package.json");
  const needs: Server["needs"] = [manifest, "run `npm ci` in test/bench"];
  const deno = ["run", "--no-prompt", "--no-lock", "--allow-read", "--allow-env"];
  return [
    { name, label, needs, runtime: "node", args: [file, ...flags] },
    { name, label, needs, runtime: "deno", args: [...deno, file, ...flags] },
  ];
}

/** Every row, in the order of the report. */
export const SERVERS: readonly Server[] = [
  ...peer(UNIT, "bare loop"),
  { ...peer(UNIT, "bare loop, answers kept as bytes", "", "--bytes")[0], name: "bare_bytes" },
  ...programsOf(REPOSITORY),
  ...peer("mcp_lite", "mcp-lite, bare stdio loop", "mcp-lite"),
  ...peer("sdk_v2", "official SDK v2", "@modelcontextprotocol/server"),
].sort((one, other) => Number(one.runtime === "deno") - Number(other.runtime === "deno"));

/** Why a server cannot run, or `undefined`. */
export function missing({ needs: [path, otherwise] }: Server): string | undefined {
  return existsSync(path) ? undefined : `no ${path} (${otherwise})`;
}

/** Finds a runtime: `BENCH_NODE` or the Node that runs this, `BENCH_DENO` or the `deno` on the path. */
export function findRuntime(name: RuntimeName): Runtime | undefined {
  const command = process.env[`BENCH_${name.toUpperCase()}`] ?? (name === "node" ? process.execPath : name);
  const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
  return status === 0 ? { name, command, version: /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? "unknown" } : undefined;
}
