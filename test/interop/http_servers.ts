/**
 * How is a server started that clients reach over HTTP? The real program, and the server that has everything, each as a process
 * of its own that is allowed no more than it needs.
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Ending } from "./official.ts";
import type { Runtime } from "./runtimes.ts";
import { environment, OWN_ROOT, REPOSITORY } from "./runtimes.ts";

/** A server that listens. */
export interface HttpServer {
  /** The URL of its endpoint. */
  readonly url: string;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<Ending>;
}

const EVERYTHING = fileURLToPath(
  new URL("everything_server.ts", import.meta.url),
);

/** How long one may take to start, in milliseconds: far more than any machine needs. */
const PATIENCE_MS = 30_000;

/**
 * Starts the program on a port that is free.
 *
 * @param readable What it may read beside the root.
 */
export function serveProgram(
  runtime: Runtime,
  root: string = OWN_ROOT,
  flags: readonly string[] = [],
  readable: readonly string[] = [],
): Promise<HttpServer> {
  const args = [
    `${REPOSITORY}mod.ts`,
    "http",
    "--listen",
    "127.0.0.1:0",
    "--root",
    root,
    ...flags,
  ];
  return serve(
    runtime,
    [`--allow-read=${[root, ...readable].join()}`],
    args,
    /^architrave \S+ serves .* at (http:\S+)\n/,
  );
}

/** Starts the server that has everything; on a port that is free unless the flags say otherwise. */
export function serveEverything(
  runtime: Runtime,
  flags: readonly string[] = [],
): Promise<HttpServer> {
  const port = flags.includes("--port") ? [] : ["--port", "0"];
  return serve(runtime, [], [EVERYTHING, ...port, ...flags], /^(http:\S+)\n/);
}

async function serve(
  runtime: Runtime,
  allowed: readonly string[],
  args: readonly string[],
  announcement: RegExp,
): Promise<HttpServer> {
  const flags = runtime.name === "node"
    ? ["--experimental-strip-types", "--no-warnings"]
    : ["run", "--no-prompt", "--allow-net=127.0.0.1", ...allowed];
  const child = spawn(runtime.launch().command, [...flags, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: environment(),
  });
  // A test that fails half way leaves nothing behind.
  process.once("exit", () => child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  const url = await announced(child, said, announcement);
  return {
    url,
    async stop() {
      const exited = once(child, "close");
      child.kill("SIGTERM");
      const [code, signal] = await exited;
      return { code, signal, stderr: said.stderr.replace(announcement, "") };
    },
  };
}

/** Waits until it says where it is. */
async function announced(
  child: ChildProcess,
  said: { stdout: string; stderr: string },
  announcement: RegExp,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (why: string) =>
    reject(
      new Error(`The server ${why}; it said: ${said.stdout}${said.stderr}`),
    );
  const timer = setTimeout(() => fail("says no URL"), PATIENCE_MS);
  for (const name of ["stdout", "stderr"] as const) {
    child[name]!.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      const [, url] = announcement.exec(said[name]) ?? [];
      if (url !== undefined) resolve(url);
    });
  }
  child.once("exit", () => fail("has ended"));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
