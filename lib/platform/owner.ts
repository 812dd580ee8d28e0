/**
 * Names the process that holds a lock, and says whether it still runs. Loaded only by commands that write. Needs no permission
 * but those for the lock: Node asks the system about a process of this machine; Deno, which may not, locks the open file.
 */

import * as fs from "node:fs";
import { hostname } from "node:os";
import { attempt } from "../base/text.ts";

/** The part of Deno that is used here. Deno 2.0 has no `tryLockSync`. */
declare const Deno: {
  build: { os: string };
  openSync(
    path: string,
  ): { lockSync?(exclusive: boolean): void; tryLockSync?(exclusive: boolean): boolean; close(): void };
};

/** What is known of the process that holds a lock. */
export interface Holder {
  readonly state: "gone" | "running" | "unknown";
  /** Its number, for messages. */
  readonly id: string;
  /** Lets others ask. Until then, they see a process that runs. */
  release(): void;
}

const { process } = globalThis;
const ON_DENO = "Deno" in globalThis;
/** How others can tell that this process has ended. On Windows, a folder with an open file cannot be renamed. */
const WAY = !ON_DENO ? "system" : Deno.build.os === "windows" ? "none" : "file";

/** The name of the file that says who holds a lock. No other process has the same one. */
export function ownerName(): string {
  const [host, space] = placeOf();
  return [
    "owner",
    WAY,
    process.pid,
    WAY === "system" ? startOf("self") : "",
    host,
    space,
    crypto.randomUUID(),
  ].join(".");
}

/** Marks a file of that name as one of a process that runs, until the process ends or the mark is released. */
export function hold(path: string): () => void {
  if (WAY !== "file") return () => {};
  const file = Deno.openSync(path);
  attempt(() => file.lockSync?.(true));
  return () => file.close();
}

/** Whether the process that holds a lock still runs. It is unknown for those of other machines and runtimes. */
export function holderOf(path: string): Holder {
  const [, way, id = "", start, host, space] = path.slice(path.lastIndexOf("owner.")).split(".");
  const known = (state: Holder["state"], release = () => {}): Holder => ({ state, id, release });
  if (way !== WAY || !/^\d+$/.test(id)) return known("unknown");
  if (WAY === "file") {
    const file = attempt(() => Deno.openSync(path));
    const isFree = attempt(() => file?.tryLockSync?.(true));
    if (isFree) return known("gone", () => file!.close());
    file?.close();
    return known(isFree === false ? "running" : "unknown");
  }
  const [ownHost, ownSpace] = placeOf();
  // Processes of another machine or container have numbers of their own.
  if (WAY !== "system" || host !== ownHost || (space && ownSpace && space !== ownSpace)) {
    return known("unknown");
  }
  try {
    process.kill(Number(id), 0);
  } catch (cause) {
    // Any other error is about a process that runs.
    if ((cause as { code?: unknown }).code === "ESRCH") return known("gone");
  }
  // The number may belong to a later process.
  const now = startOf(id);
  if (!start || !now) return known("unknown");
  return known(now === start ? "running" : "gone");
}

/** When a process began, in a form of the system; empty where that cannot be read, and "ended" for one that has ended. */
function startOf(id: string): string {
  const text = attempt(() => fs.readFileSync(`/proc/${id}/stat`, "latin1")) ?? "";
  // The name of the program is in parentheses, and may contain any character.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? "ended" : fields[19] ?? "";
}

/** Names of this machine and of the numbering of its processes; empty where they cannot be read. */
function placeOf(): readonly [host: string, space: string] {
  if (WAY !== "system") return ["", ""];
  return [hostname(), attempt(() => fs.readlinkSync("/proc/self/ns/pid")) ?? ""].map((text) =>
    text.replace(/[^a-z0-9-]+/gi, "_").slice(0, 60)
  ) as [string, string];
}
