/** What has a process used? Read from `/proc`, so there are no such figures on anything but Linux. */
import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks of `/proc/<pid>/stat` in one second; the same on every Linux that Node and Deno run on. */
const TICKS_PER_SECOND = 100;

/**
 * Processor time that a process has used so far, all threads together, in milliseconds.
 *
 * `schedstat` counts nanoseconds, `stat` only hundredths of a second (but also knows the threads that have ended): the
 * larger of the two is the better one.
 */
export function cpuMs(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const ticked = (Number(fields[11]) + Number(fields[12])) * (1000 / TICKS_PER_SECOND);
    return Math.max(ticked, scheduledMs(pid));
  } catch {
    return undefined;
  }
}

/** Milliseconds on a processor by `schedstat`; 0 where the kernel does not keep it. */
function scheduledMs(pid: number): number {
  try {
    let nanoseconds = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    }
    return nanoseconds / 1e6;
  } catch {
    return 0;
  }
}

/** The most memory a process has had resident so far, in bytes. */
export function peakMemoryBytes(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
