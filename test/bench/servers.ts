/** Which servers are measured? One row of data each; a server that is not there is skipped with its reason. */
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

/** One server to measure. */
export interface Server {
  /** What `--servers` calls it; the same program under another runtime has the same name. */
  name: string;
  runtime: RuntimeName;
  /** What the report calls it. */
  label: string;
  /** Arguments of the runtime that start it on a root. */
  args(root: string): string[];
  /** Files and folders without which it cannot run. */
  needs: string[];
  /** What to do when one of `needs` is missing. */
  otherwise: string;
}

/** The row that all rows of the same runtime are divided by. */
export const UNIT = "bare";

const here = import.meta.dirname;
const repository = join(here, "..", "..");
const peer = (file: string) => join(here, "peers", file);
const installed = (name: string) => join(here, "node_modules", ...name.split("/"), "package.json");

const DENO_PEER = ["run", "--no-prompt", "--no-lock", "--allow-read", "--allow-env"];
const INSTALL = "run `npm ci` in test/bench";

/** Every row, in the order of the report. */
export const SERVERS: readonly Server[] = [
  {
    name: UNIT,
    runtime: "node",
    label: "bare loop",
    args: (root) => [peer("bare_node.mjs"), "--root", root],
    needs: [],
    otherwise: "",
  },
  {
    name: "bare_bytes",
    runtime: "node",
    label: "bare loop, answers kept as bytes",
    args: (root) => [peer("bare_bytes_node.mjs"), "--root", root],
    needs: [],
    otherwise: "",
  },
  {
    name: "architrave",
    runtime: "node",
    label: "**Architrave**, `mod.ts`",
    args: (root) => ["--experimental-strip-types", join(repository, "mod.ts"), "--root", root],
    needs: [join(repository, "mod.ts")],
    otherwise: "the program is not in this checkout",
  },
  {
    name: "architrave_dist",
    runtime: "node",
    label: "**Architrave**, compiled",
    args: (root) => [join(repository, "dist", "mod.js"), "--root", root],
    needs: [join(repository, "dist", "mod.js")],
    otherwise: "build it first",
  },
  {
    name: "mcp_lite",
    runtime: "node",
    label: "mcp-lite, bare stdio loop",
    args: (root) => [peer("mcp_lite.mjs"), "--root", root],
    needs: [installed("mcp-lite")],
    otherwise: INSTALL,
  },
  {
    name: "sdk_v2",
    runtime: "node",
    label: "official SDK v2",
    args: (root) => [peer("sdk_v2.mjs"), "--root", root],
    needs: [installed("@modelcontextprotocol/server")],
    otherwise: INSTALL,
  },
  {
    name: UNIT,
    runtime: "deno",
    label: "bare loop",
    args: (root) => [...DENO_PEER, peer("bare_deno.ts"), "--root", root],
    needs: [],
    otherwise: "",
  },
  {
    name: "architrave",
    runtime: "deno",
    label: "**Architrave**, `mod.ts`",
    args: (root) => ["run", "--no-prompt", "--allow-read", join(repository, "mod.ts"), "--root", root],
    needs: [join(repository, "mod.ts")],
    otherwise: "the program is not in this checkout",
  },
  {
    name: "mcp_lite",
    runtime: "deno",
    label: "mcp-lite, bare stdio loop",
    args: (root) => [...DENO_PEER, peer("mcp_lite.mjs"), "--root", root],
    needs: [installed("mcp-lite")],
    otherwise: INSTALL,
  },
  {
    name: "sdk_v2",
    runtime: "deno",
    label: "official SDK v2",
    args: (root) => [...DENO_PEER, peer("sdk_v2.mjs"), "--root", root],
    needs: [installed("@modelcontextprotocol/server")],
    otherwise: INSTALL,
  },
];

/** The missing file or folder that keeps a server from running, or `undefined`. */
export function missing(server: Server): string | undefined {
  return server.needs.find((path) => !existsSync(path));
}

/** Finds a runtime: `BENCH_NODE` or the Node that runs this, `BENCH_DENO` or the `deno` on the path. */
export function findRuntime(name: RuntimeName): Runtime | undefined {
  const command = name === "node"
    ? process.env["BENCH_NODE"] ?? process.execPath
    : process.env["BENCH_DENO"] ?? "deno";
  const asked = spawnSync(command, ["--version"], { encoding: "utf8" });
  if (asked.status !== 0) return undefined;
  return { name, command, version: /\d+\.\d+\.\d+/.exec(asked.stdout)?.[0] ?? "unknown" };
}
