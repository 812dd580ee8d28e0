/** What the system tells about a running process, and ways to wait for it. */

import { readFileSync } from "node:fs";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Program } from "./program.ts";

/** Waits. Only for what has no event: a slow reader, or something that must not happen. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until something holds, and fails after a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!await holds()) {
    if (Date.now() > deadline) throw new Error(`It never happened: ${what}`);
    await pause(10);
  }
}

/** Reads the output of a program slowly from now on: one chunk, then nothing for a while. */
export function readSlowly({ child: { stdout } }: Program, everyMs = 20): void {
  stdout.on("data", () => {
    stdout.pause();
    setTimeout(() => stdout.resume(), everyMs);
  });
}

/** Whether a process has ended, including one that nobody has waited for yet. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  return /^State:\s+[ZX]/m.test(statusOf(pid) ?? "");
}

/** The peak of a process's memory in bytes; undefined where the system does not tell. */
export function peakMemory(pid: number): number | undefined {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(statusOf(pid) ?? "")?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** The processor time of this process so far, in milliseconds. Unlike the clock, it does not depend on other processes. */
export function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** How much of the heap this process uses, in bytes, without what could be collected. */
export function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

function statusOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return undefined;
  }
}
