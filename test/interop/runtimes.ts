/**
 * How is the real program started? On Node and on Deno, as its users start it: a process of its own, with nothing but
 * read access to its documents where the runtime can hold it to that.
 *
 * `INTEROP_NODE` and `INTEROP_DENO` name the runtimes; by default the Node that runs the tests, and `deno` on the path.
 */

import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The repository, and the documents that the program serves unless it is told otherwise. */
export const REPOSITORY: string = fileURLToPath(new URL("../../", import.meta.url));
export const OWN_ROOT: string = `${REPOSITORY}mcp`;

/** What a client has to know to start a server. */
export interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** A runtime that may be there. */
export interface Runtime {
  readonly name: "node" | "deno";
  /** Why its tests are skipped; false when it is there. */
  readonly skip: string | false;
  /**
   * @param root What is served; the repository's own documents by default.
   * @param flags More arguments of the program.
   */
  launch(root?: string, flags?: readonly string[]): Launch;
}

const PROGRAM = `${REPOSITORY}mod.ts`;
const NODE = process.env["INTEROP_NODE"] ?? process.execPath;
const DENO = process.env["INTEROP_DENO"] ?? "deno";
const DENIED = ["env", "net", "run", "write", "sys", "ffi"].map((permission) => `--deny-${permission}`);

export const RUNTIMES: readonly Runtime[] = [
  {
    name: "node",
    skip: whyNot(NODE, "INTEROP_NODE"),
    launch: (root, flags = []) => started(NODE, ["--experimental-strip-types", PROGRAM], root, flags),
  },
  {
    name: "deno",
    skip: whyNot(DENO, "INTEROP_DENO"),
    launch: (root, flags = []) =>
      started(
        DENO,
        ["run", "--no-prompt", `--allow-read=${root ?? OWN_ROOT}`, ...DENIED, PROGRAM],
        root,
        flags,
      ),
  },
];

/** Never from within the repository: the program must not care where it is started. */
function started(
  command: string,
  args: string[],
  root: string | undefined,
  flags: readonly string[],
): Launch {
  const rest = root === undefined ? flags : ["--root", root, ...flags];
  return { command, args: [...args, ...rest], cwd: tmpdir(), env: environment() };
}

/** As little as a runtime needs. What a test runner sets for its children is not for the program. */
export function environment(): Record<string, string> {
  const env: Record<string, string> = { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  for (const name of ["PATH", "HOME", "TMPDIR", "DENO_DIR", "SystemRoot", "LOCALAPPDATA", "USERPROFILE"]) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

function whyNot(command: string, variable: string): string | false {
  const { error, status } = spawnSync(command, ["--version"], { stdio: "ignore", env: environment() });
  if (!error && status === 0) return false;
  return `"${command}" cannot be started (${
    error?.message ?? `status ${status}`
  }); set ${variable} to run these tests`;
}
