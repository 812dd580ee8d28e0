/** How the program is started: on the runtime that runs the tests, unless another is named. Needs no test around it. */

import process from "node:process";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const REPOSITORY: string = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");
/** The module that is run. */
export const PROGRAM: string = process.env["ARCHITRAVE_PROGRAM"] ?? `${REPOSITORY}/mod.ts`;
/** The runtime of the program. It can differ from that of the tests: the `node:test` of Deno 2.0 cannot run these. */
const RUNTIME = process.env["ARCHITRAVE_RUNTIME"] ?? process.execPath;
/** True when the program runs on Deno, and the tests as a rule. */
export const ON_DENO: boolean = "Deno" in globalThis || /\bdeno[^\\/]*$/.test(RUNTIME);

/** Why a test of links, pipes or modes is skipped: on Windows, programs have no right to them by default. */
export const ON_WINDOWS: string | false = process.platform === "win32" && "not on Windows";
/** True when the program runs on another runtime than the tests. */
export const IS_ELSEWHERE: boolean = RUNTIME !== process.execPath;

/** How much is tested: `all` at full length, as in `.ci/run`. By default, long tests have a short form. */
export const TESTS: string | undefined = process.env["TESTS"];
export const IS_COMPLETE: boolean = TESTS === "all";

/** How the program is started. */
export interface RunOptions {
  readonly cwd?: string;
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The flags of the runtime, instead of those that allow the program to read everything. */
  readonly runtimeFlags?: readonly string[];
  /** The module, instead of `PROGRAM`. */
  readonly module?: string;
}

/** The runtime flags that allow to read everything, and on Deno also this, such as "net=127.0.0.1". */
export function allow(...permissions: string[]): string[] {
  if (!ON_DENO) return ["--experimental-strip-types", "--no-warnings"];
  return ["--no-prompt", ...["read", ...permissions].map((name) => `--allow-${name}`)];
}

/** The command that runs a module on this runtime. */
export function command(args: readonly string[], options: RunOptions = {}): [string, string[]] {
  const flags = options.runtimeFlags ?? allow();
  const module = options.module ?? PROGRAM;
  return [RUNTIME, [...(ON_DENO ? ["run"] : []), ...flags, module, ...args]];
}

/** The runtime flags that allow to read some folders and nothing else. */
export function sandbox(...folders: string[]): string[] {
  if (ON_DENO) {
    const denied = ["env", "net", "run", "write", "sys", "ffi"].map((name) => `--deny-${name}`);
    return ["--no-prompt", `--allow-read=${folders.join(",")}`, ...denied];
  }
  // Up to Node 22 the permission model has another name, and Node has to be allowed to read the modules themselves.
  const flag = process.allowedNodeEnvironmentFlags.has("--permission") ? "" : "experimental-";
  const allowed = [...folders, REPOSITORY].flatMap((path) => [path, `${path}/*`]);
  const reading = allowed.map((path) => `--allow-fs-read=${path}`);
  return [...allow(), `--${flag}permission`, ...reading];
}
