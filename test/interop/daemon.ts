/** How is a server of somebody else's started for a test? The real program, on a port or a socket of its own, and gone after it. */

import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { after } from "node:test";
import { environment } from "./runtimes.ts";

/** How long one may take to start or to end, in milliseconds: far more than any machine needs. */
const PATIENCE_MS = 30_000;

/** What is still running when the tests of a file are over: a test that failed half way leaves it behind. */
const running = new Set<ChildProcess>();
after(() => running.forEach((child) => child.kill("SIGKILL")));

/** Why tests that need a program of the system are skipped; false when it is there. */
export function whyMissing(
  command: string,
  debianPackage: string,
): string | false {
  const { error } = spawnSync(command, ["-v"], {
    stdio: "ignore",
    env: environment(),
  });
  return error ? `"${command}" is not installed: apt-get install ${debianPackage} to run these tests` : false;
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** A folder of its own that also another user can enter; removed with the daemon. */
export function workFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/architrave-daemon-`);
  chmodSync(folder, 0o755);
  return folder;
}

/** A program that serves in the background. */
export class Daemon {
  readonly child: ChildProcess;
  /** What it said. */
  said = "";
  readonly #folder: string | undefined;
  readonly #exited: Promise<unknown>;

  /** @param folder Removed when it stops. */
  constructor(command: string, args: readonly string[], folder?: string) {
    this.#folder = folder;
    this.child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: environment(),
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding("utf8").on(
        "data",
        (text: string) => this.said += text,
      );
    }
    running.add(this.child);
    this.#exited = once(this.child, "exit").then(() => running.delete(this.child));
  }

  /** Waits until it serves. */
  async until(serves: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!await serves().catch(() => false)) {
      if (this.isGone || Date.now() > deadline) {
        await this.stop("SIGKILL");
        throw new Error(
          `${this.child.spawnfile} does not serve; it said: ${this.said}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  get isGone(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Ends it, waits for its end, and gives its exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (!this.isGone) {
      this.child.kill(signal);
      const timer = setTimeout(() => this.child.kill("SIGKILL"), PATIENCE_MS);
      await this.#exited;
      clearTimeout(timer);
    }
    if (this.#folder !== undefined) {
      rmSync(this.#folder, { recursive: true, force: true });
    }
    return this.child.exitCode;
  }
}
