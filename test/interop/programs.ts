/**
 * Programs that tests start and stop: the real program and the server that has everything on Node and on Deno, and servers of
 * the system.
 *
 * `INTEROP_NODE` and `INTEROP_DENO` name the runtimes (by default the Node that runs the tests, and `deno` on the path),
 * `INTEROP_NGINX` and `INTEROP_REDIS` the servers, `INTEROP_PYTHON` a Python with the packages of `requirements.txt`.
 */

import assert from "node:assert/strict";
import type { ChildProcess, SpawnOptions, SpawnSyncReturns } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname } from "node:path";
import process from "node:process";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient } from "redis";

/** The repository, and the documents that the program serves unless it is told otherwise. */
export const REPOSITORY: string = fileURLToPath(
  new URL("../../", import.meta.url),
);
export const OWN_ROOT: string = `${REPOSITORY}mcp`;
/** This folder, and the packages in it. */
export const HERE: string = `${REPOSITORY}test/interop/`;
export const PACKAGES: string = `${HERE}node_modules/`;
export const PROGRAM: string = `${REPOSITORY}mod.ts`;
const EVERYTHING = `${HERE}everything.ts`;

/** How long a program may take to start or to end, in milliseconds: far more than any machine needs. */
const TIMEOUT_MS = 30_000;

// --- The runtimes

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
  readonly command: string;
  /** Why its tests are skipped; false when it is there. */
  readonly skip: string | false;
  /** The arguments that run a module, which on Deno may do what these flags allow. */
  line(
    allowed: readonly string[],
    module: string,
    ...args: readonly string[]
  ): string[];
  /** The program over stdio as its users start it: with read access to its root only, where the runtime can do that. */
  launch(root?: string, flags?: readonly string[]): Launch;
}

export const STRIP: readonly string[] = ["--experimental-strip-types"];
const DENIED = ["env", "net", "run", "write", "sys", "ffi"].map((permission) => `--deny-${permission}`);

function runtime(
  name: Runtime["name"],
  command: string,
  line: Runtime["line"],
): Runtime {
  return {
    name,
    command,
    skip: whyMissing(command, `set INTEROP_${name.toUpperCase()}`, "--version"),
    line,
    launch(root, flags = []) {
      const rooted = root === undefined ? [] : ["--root", root];
      const args = line(
        [`--allow-read=${root ?? OWN_ROOT}`, ...DENIED],
        PROGRAM,
        ...rooted,
        ...flags,
      );
      // Never from within the repository: the program must not care where it is started.
      return { command, args, cwd: tmpdir(), env: environment() };
    },
  };
}

export const NODE_RUNTIME: Runtime = runtime(
  "node",
  process.env["INTEROP_NODE"] ?? process.execPath,
  (_, ...line) => [...STRIP, ...line],
);
export const DENO_RUNTIME: Runtime = runtime(
  "deno",
  process.env["INTEROP_DENO"] ?? "deno",
  (allowed, ...line) => ["run", "--no-prompt", ...allowed, ...line],
);
export const RUNTIMES: readonly Runtime[] = [NODE_RUNTIME, DENO_RUNTIME];

/** As little as a runtime needs. What a test runner sets for its children is not for the program. */
export function environment(): Record<string, string> {
  const env: Record<string, string> = {
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
  const passed = [
    "PATH",
    "HOME",
    "TMPDIR",
    "DENO_DIR",
    "SystemRoot",
    "LOCALAPPDATA",
    "USERPROFILE",
  ];
  for (const name of [...passed, "NODE_COMPILE_CACHE"]) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/** Why tests that need a program are skipped; false when it is there. */
function whyMissing(
  command: string,
  remedy: string,
  flag = "-v",
): string | false {
  const { error } = spawnSync(command, [flag], {
    stdio: "ignore",
    env: environment(),
  });
  return error ? `"${command}" cannot be started: ${remedy} to run these tests` : false;
}

// --- Programs that end

/** How a command is run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** Runs a command to its end; what it starts as `node` is the Node of the tests. */
export function run(
  command: string,
  args: readonly string[],
  { cwd = HERE, env = {}, input = "" }: RunOptions = {},
): SpawnSyncReturns<string> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`;
  const all = { ...environment(), PATH: path, ...env };
  return spawnSync(command, args, {
    cwd,
    env: all,
    input,
    encoding: "utf8",
    timeout: 120_000,
  });
}

/** Runs a command that must succeed, and gives its output. */
export function succeed(...args: Parameters<typeof run>): string {
  const { status, stdout, stderr, error } = run(...args);
  assert.equal(
    status,
    0,
    `${args[0]} ${args[1].join(" ")}\n${error ?? ""}${stdout}${stderr}`,
  );
  return stdout;
}

// --- Programs in the background

/** How a process ended, and what it wrote on standard error. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** How a process ends that ends well. */
export const WELL: Ending = Object.freeze({
  code: 0,
  signal: null,
  stderr: "",
});

/** The programs that are running. They are killed after the tests of a file, since a test that fails may not end its program. */
const running = new Set<ChildProcess>();
after(() => running.forEach((child) => child.kill("SIGKILL")));

/** A program that serves in the background. */
export class Daemon {
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;
  readonly #folder: string | undefined;
  readonly #exited: Promise<unknown>;

  /** @param folder Removed when it stops. */
  constructor(
    command: string,
    args: readonly string[],
    folder?: string,
    options: SpawnOptions = {},
  ) {
    this.#folder = folder;
    this.#child = spawn(command, args, {
      env: environment(),
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const name of ["stdout", "stderr"] as const) {
      this.#child[name]!.setEncoding("utf8").on(
        "data",
        (text: string) => this[name] += text,
      );
    }
    running.add(this.#child);
    this.#exited = once(this.#child, "close").then(() => running.delete(this.#child));
  }

  get isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Waits until it serves. */
  async until(serves: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    while (!await (async () => await serves())().catch(() => false)) {
      if (this.isGone || Date.now() > deadline) {
        await this.stop("SIGKILL");
        throw new Error(
          `${this.#child.spawnfile} does not serve: ${this.stdout}${this.stderr}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Ends it, and waits for its end. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ending> {
    if (!this.isGone) {
      this.#child.kill(signal);
      const timer = setTimeout(() => this.#child.kill("SIGKILL"), TIMEOUT_MS);
      await this.#exited;
      clearTimeout(timer);
    }
    if (this.#folder !== undefined) {
      rmSync(this.#folder, { recursive: true, force: true });
    }
    return {
      code: this.#child.exitCode,
      signal: this.#child.signalCode,
      stderr: this.stderr,
    };
  }
}

/** A port of this machine that is free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A folder that also another user can enter. */
export function workFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/architrave-daemon-`);
  chmodSync(folder, 0o755);
  return folder;
}

// --- Our servers over HTTP

/** A server that listens. */
export interface HttpServer {
  /** The URL of its endpoint. */
  readonly url: string;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<Ending>;
}

/**
 * Starts the program on a port that is free.
 *
 * @param readable What it may read in addition to the root.
 * @param as The command: "http", or "page" for the local page.
 */
export function serveProgram(
  { command, line }: Runtime,
  root: string = OWN_ROOT,
  flags: readonly string[] = [],
  readable: readonly string[] = [],
  as: "http" | "page" = "http",
): Promise<HttpServer> {
  const allowed = [
    "--allow-net=127.0.0.1",
    `--allow-read=${[root, ...readable]}`,
  ];
  const args = line(
    allowed,
    PROGRAM,
    as,
    "--listen",
    "127.0.0.1:0",
    "--root",
    root,
    ...flags,
  );
  return serve(
    new Daemon(command, args),
    /^architrave \S+ (?:serves|shows) .* at (http:\S+)\n/,
  );
}

/** The server that has everything, over stdio. */
export function launchEverything({ command, line }: Runtime): Launch {
  return {
    command,
    args: line([], EVERYTHING, "stdio"),
    cwd: tmpdir(),
    env: environment(),
  };
}

/** Starts the server that has everything. */
export function serveEverything(
  { command, line }: Runtime,
): Promise<HttpServer> {
  return serve(
    new Daemon(command, line(["--allow-net=127.0.0.1"], EVERYTHING)),
    /^(http:\S+)\n/,
  );
}

async function serve(
  daemon: Daemon,
  announcement: RegExp,
): Promise<HttpServer> {
  const found = () => announcement.exec(daemon.stdout) ?? announcement.exec(daemon.stderr);
  await daemon.until(() => found() !== null);
  const url = found()![1]!;
  return {
    url,
    async stop() {
      const ending = await daemon.stop();
      const expected = /^architrave: (?:stopping|stopped)\n/gm;
      return { ...ending, stderr: ending.stderr.replace(announcement, "").replaceAll(expected, "") };
    },
  };
}

/** Tests on each runtime that is there. */
export function onEachRuntime(
  what: string,
  tests: (runtime: Runtime) => void,
): void {
  for (const runtime of RUNTIMES) {
    describe(
      `${what} on ${runtime.name}`,
      { skip: runtime.skip },
      () => tests(runtime),
    );
  }
}

/** Serves for the tests around it, and ends well after them; gives the URL once the tests run. */
export function serving(start: () => Promise<HttpServer>): () => string {
  let server: HttpServer;
  before(async () => void (server = await start()));
  after(async () => assert.deepEqual(await server.stop(), WELL));
  return () => server.url;
}

// --- Servers of the system

/** Debian has it where the paths of other users than root do not lead. */
const NGINX = process.env["INTEROP_NGINX"] ?? "/usr/sbin/nginx";
const REDIS = process.env["INTEROP_REDIS"] ?? "redis-server";
export const NO_NGINX: string | false = whyMissing(
  NGINX,
  "apt-get install nginx-light",
);
/** Playwright starts it; Debian's is a script that sets up the real one. */
export const CHROMIUM: string = process.env["INTEROP_CHROMIUM"] ??
  "/usr/bin/chromium";
export const NO_CHROMIUM: string | false = whyMissing(
  CHROMIUM,
  "apt-get install chromium",
  "--version",
);
export const NO_REDIS: string | false = whyMissing(
  REDIS,
  "apt-get install redis-server",
);
export const PYTHON: string = process.env["INTEROP_PYTHON"] ?? "python3";
const HAS_PROMETHEUS = spawnSync(PYTHON, ["-c", "import prometheus_client"], { stdio: "ignore" })
  .status === 0;
export const NO_PROMETHEUS: string | false = !HAS_PROMETHEUS &&
  `"${PYTHON}" has no prometheus_client: pip install -r requirements.txt, or set INTEROP_PYTHON, to run these tests`;

/** The configuration of nginx that is shipped. */
export const NGINX_CONFIGURATION: string = readFileSync(
  `${REPOSITORY}test/deploy/nginx.conf`,
  "utf8",
);

/** Starts nginx before replicas at these ports, with the configuration as it stands but for where it and they listen. */
export async function startNginx(
  replicas: readonly number[],
  configuration: string = NGINX_CONFIGURATION,
): Promise<{ readonly url: string; readonly daemon: Daemon }> {
  const folder = workFolder();
  const port = await freePort();
  const ports = [port, ...replicas];
  const text = configuration.replaceAll(
    /(listen|server) 127\.0\.0\.1:808(\d)/g,
    (_, word: string, digit: string) => `${word} 127.0.0.1:${ports[Number(digit)]}`,
  );
  writeFileSync(`${folder}/nginx.conf`, text);
  const args = [
    "-p",
    folder,
    "-c",
    `${folder}/nginx.conf`,
    "-g",
    "daemon off;",
  ];
  const daemon = new Daemon(NGINX, args, folder);
  const url = `http://127.0.0.1:${port}`;
  await daemon.until(async () => (await fetch(`${url}/healthz`)).ok);
  return { url, daemon };
}

/** Starts Redis, or Valkey, on a socket of its own, and keeping nothing on the disk. */
export async function startRedis(): Promise<
  { readonly socket: string; readonly daemon: Daemon }
> {
  const folder = workFolder();
  const socket = `${folder}/redis.sock`;
  const args = [
    "--port",
    "0",
    "--unixsocket",
    socket,
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder,
  ];
  const daemon = new Daemon(REDIS, args, folder);
  await daemon.until(async () => {
    const client = createClient({
      socket: { path: socket, tls: false, reconnectStrategy: false },
    });
    client.on("error", () => {});
    await client.connect();
    await client.close();
    return true;
  });
  return { socket, daemon };
}
