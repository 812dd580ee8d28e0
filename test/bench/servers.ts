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
  needs?: readonly [path: string, otherwise: string] | undefined;
}

/** The row that all rows of the same runtime are divided by. */
export const UNIT = "bare";
/** This checkout. */
export const REPOSITORY: string = join(import.meta.dirname, "..", "..");

/** The program of a checkout: from source, from the package, and on Deno. */
export function programsOf(checkout: string): Server[] {
  const [source, built] = [join(checkout, "mod.ts"), join(checkout, "dist", "mod.js")];
  const fromSource = {
    name: "architrave",
    label: "**Architrave**, `mod.ts`",
    needs: [source, "no program"],
  } as const;
  return [
    { ...fromSource, runtime: "node", args: ["--experimental-strip-types", source] },
    {
      name: "architrave_dist",
      label: "**Architrave**, package",
      runtime: "node",
      args: [built],
      needs: [built, "run `npm run build` there"],
    },
    { ...fromSource, runtime: "deno", args: ["run", "--no-prompt", "--allow-read", source] },
  ];
}

/** A program in `peers/` on both runtimes, and the package that it needs. */
function peer(name: string, label: string, packageName?: string): Server[] {
  const file = join(import.meta.dirname, "peers", `${name}.mjs`);
  const manifest = join(import.meta.dirname, "node_modules", packageName ?? "", "package.json");
  const common = {
    name,
    label,
    needs: packageName === undefined ? undefined : [manifest, "run `npm ci` in test/bench"] as const,
  };
  return [
    { ...common, runtime: "node", args: [file] },
    {
      ...common,
      runtime: "deno",
      args: ["run", "--no-prompt", "--no-lock", "--allow-read", "--allow-env", file],
    },
  ];
}

const bare = peer(UNIT, "bare loop");
const bytes = { name: "bare_bytes", label: "bare loop, answers kept as bytes" };

/** Every row, in the order of the report. */
export const SERVERS: readonly Server[] = [
  ...bare,
  { ...bare[0]!, ...bytes, args: [...bare[0]!.args, "--bytes"] },
  ...programsOf(REPOSITORY),
  ...peer("mcp_lite", "mcp-lite, bare stdio loop", "mcp-lite"),
  ...peer("sdk_v2", "official SDK v2", "@modelcontextprotocol/server"),
].sort((one, other) => Number(one.runtime === "deno") - Number(other.runtime === "deno"));

/** Why a server cannot run, or `undefined`. */
export function missing({ needs }: Server): string | undefined {
  return needs && !existsSync(needs[0]) ? `no ${needs[0]} (${needs[1]})` : undefined;
}

/** Finds a runtime: `BENCH_NODE` or the Node that runs this, `BENCH_DENO` or the `deno` on the path. */
export function findRuntime(name: RuntimeName): Runtime | undefined {
  const command = name === "node"
    ? process.env["BENCH_NODE"] ?? process.execPath
    : process.env["BENCH_DENO"] ?? "deno";
  const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
  if (status !== 0) return undefined;
  return { name, command, version: /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? "unknown" };
}
