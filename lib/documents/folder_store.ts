/** Values made of files: scans folders, keeps the last good version of each file, and follows changes. */

import type { FileOptions, FileValue, FoundFile } from "./file.ts";
import type { FileStatus, FileSystem, Watch } from "../platform/platform.ts";
import type { Awaitable } from "../base/async.ts";
import type { FileContent } from "./files.ts";
import type { Finding, Problem, Report, ReportProblem } from "./finding.ts";
import { inSlices, pause, withTimeout } from "../base/async.ts";
import { attempt, isErrorOf } from "../base/text.ts";
import { isGone, isUnchanged, readInside } from "./files.ts";

interface Entry<F, T> {
  readonly file: F;
  readonly value: T;
  readonly status: FileStatus;
  readonly problems: readonly Problem[];
}

interface Scan<F, T> {
  readonly entries: Map<string, Entry<F, T>>;
  readonly problems: Problem[];
  readonly folders: Set<string>;
  /** The labels of files that were passed over because they are being written. */
  readonly writing: Set<string>;
}

/** For how long, in milliseconds, a change counts as recent, and a file that is not checked again is remembered. */
const RECENT_MS = 50, FORGET_MS = 10_000;
/** The longest that a file is passed over that keeps changing, or is empty and probably being filled, in milliseconds. */
const MAX_CHANGING_MS = 1000, MAX_EMPTY_MS = 2000;
/** How often a caller that waits for a file checks whether it is complete, in milliseconds. */
export const WAIT_MS = 20;
/** How long a scan waits after a hint, as one save makes several, and at most after the first one, in milliseconds. */
const QUIET_MS = 50, MAX_DELAY_MS = 200;
/** The time between scans without a hint (of which scans take a tenth at most), and while files are being written. */
const SAFETY_MS = 1500, IDLE_SHARE = 0.1, UNSTABLE_MS = 100;

/** Follows the files of some folders. Nothing is read before `ready`. */
export abstract class FolderStore<F extends FoundFile = FoundFile, T extends FileValue = FileValue> {
  /** The file system that is read. */
  protected readonly files: FileSystem;
  readonly #maxBytes: number;
  readonly #onfinding: Report | undefined;
  /** Since when files change, by path; the one that was checked last is the last one. */
  readonly #changing = new Map<string, { since: number; emptySince: number | undefined; checked: number }>();
  #last: Scan<F, T> | undefined;
  /** The scan under way, which concurrent calls share, and the one that follows it. */
  #scanning: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #reported = new Set<string>();

  /** Reads nothing yet; files larger than `maxBytes` are never read. Each finding is reported when it is new, or back again. */
  constructor(files: FileSystem, maxBytes: number, onfinding: Report | undefined) {
    this.files = files;
    this.#maxBytes = maxBytes;
    this.#onfinding = onfinding;
  }

  /** Finds the files, in steps; yields the path of each folder that was listed, and each file. */
  protected abstract findFiles(report: ReportProblem): Generator<string | F>;

  /** Makes the value of a file, if it has one; `content` is undefined when it cannot be read. Returning `last` keeps that value. */
  protected abstract load(
    file: F,
    content: FileContent | undefined,
    last: T | undefined,
    report: ReportProblem,
  ): Awaitable<T | undefined>;

  /** Takes the values when a scan has found anything different. */
  protected abstract update(values: T[], findings: readonly Finding[]): Awaitable<void>;

  /** The rule that a file breaks whose key another file has. */
  protected readonly duplicateRule: string = "uri-duplicate";

  /** Scans the folders, the first time; in slices, so that other requests are answered meanwhile. */
  async ready(): Promise<void> {
    if (!this.#last) await (this.#scanning ??= this.#run());
  }

  /** Scans the folders again, and takes over all changes in one step. */
  rescan(): Promise<void> {
    if (!this.#scanning) return this.#scanning = this.#run();
    // The scan under way may already be past the change.
    const next = () => {
      this.#next = undefined;
      return this.rescan();
    };
    return this.#next ??= this.#scanning.then(next, next);
  }

  /** Scans the folders again, until no file is being written. */
  async reload(): Promise<void> {
    for (await this.rescan(); this.#last!.writing.size > 0; await this.rescan()) await pause(WAIT_MS);
  }

  /** Whether a file is being written, given the status of its version that is served. */
  protected isBeingWritten(path: string, before: FileStatus): boolean {
    const now = attempt(() => this.files.status(path));
    return !isUnchanged(before, now) && this.#passOver(path, before, now);
  }

  /**
   * Notes the state of a file, and tells whether to pass it over and serve its last version: it was changed a moment ago, emptied,
   * or is gone from a folder that was changed a moment ago. After a time limit, its content is taken as it is.
   */
  #passOver(path: string, before: FileStatus | undefined, now: FileStatus | undefined): boolean {
    const folder = path.slice(0, path.lastIndexOf("/"));
    const isChanging = isRecent(now ?? attempt(() => this.files.status(folder)));
    const isEmpty = now?.size === 0;
    const time = performance.now();
    // A file is remembered beyond its time limit, so that the next caller does not wait as long again.
    for (const [oldest, { checked }] of this.#changing) {
      if (time - checked < FORGET_MS) break;
      this.#changing.delete(oldest);
    }
    const file = this.#changing.get(path) ?? { since: time, emptySince: undefined, checked: time };
    this.#changing.delete(path);
    if (!isChanging && !isEmpty) return false;
    this.#changing.set(path, file);
    file.checked = time;
    // A file that was accepted as empty has its own time when it is filled.
    if (!isEmpty && time - (file.emptySince ?? time) >= MAX_EMPTY_MS) file.since = time;
    file.emptySince = isEmpty ? file.emptySince ?? time : undefined;
    return file.emptySince !== undefined && before && before.size > 0
      ? time - file.emptySince < MAX_EMPTY_MS
      : isChanging && time - file.since < MAX_CHANGING_MS;
  }

  async #run(): Promise<void> {
    try {
      const before = this.#last;
      const scan = await inSlices(this.#scan()), { entries, problems, folders } = scan;
      const findings = problems.length === 0 ? [] : (await import("./rules.ts")).toFindings(problems);
      this.#report(findings, scan.writing);
      const isSame = before?.entries.size === entries.size && isSameSet(folders, before.folders) &&
        JSON.stringify(problems) === JSON.stringify(before.problems) &&
        [...entries].every(([key, entry]) => before.entries.get(key) === entry);
      if (!isSame) await this.update(Array.from(entries.values(), ({ value }) => value), findings);
      this.#last = scan;
    } finally {
      this.#scanning = undefined;
    }
  }

  #report(findings: readonly Finding[], writing: ReadonlySet<string>): void {
    const reported = this.#reported;
    // Files that are being written were not read, so their findings are not over.
    this.#reported = new Set(writing.size === 0 ? [] : reported);
    for (const finding of findings) {
      const name = JSON.stringify(finding);
      this.#reported.add(name);
      if (!reported.has(name)) this.#onfinding?.(finding);
    }
  }

  /** Reads what is new or changed, one file a step. */
  *#scan(): Generator<unknown, Scan<F, T>> {
    const scan: Scan<F, T> = { entries: new Map(), problems: [], folders: new Set(), writing: new Set() };
    const { entries, problems, folders, writing } = scan;
    const before = this.#last?.entries.values() ?? [];
    const gone = new Map(Array.from(before, (entry) => [entry.file.label, entry]));
    /** Adds an entry, unless another one has its key; returns the one that has it. */
    const add = (entry: Entry<F, T>): Entry<F, T> => {
      const owner = entries.get(entry.value.key);
      if (owner) return owner;
      entries.set(entry.value.key, entry);
      problems.push(...entry.problems);
      return entry;
    };
    for (const file of this.findFiles((one) => void problems.push(one))) {
      yield;
      if (typeof file === "string") {
        folders.add(file);
        continue;
      }
      const last = gone.get(file.label);
      gone.delete(file.label);
      const entry = yield* this.#read(file, last, scan);
      const owner = entry && add(entry);
      if (!owner || owner === entry) continue;
      const message = `The file is not served: ${owner.file.label} is served as "${owner.value.key}" already`;
      if (!writing.has(file.label)) problems.push({ rule: this.duplicateRule, file: file.label, message });
      // Its last version had another key, which may still be free.
      if (last) add(last);
    }
    for (const entry of gone.values()) {
      yield;
      const { file: { label, path }, status } = entry;
      if (!this.#passOver(path, status, undefined)) continue;
      writing.add(label);
      add(entry);
    }
    const isLasting = ({ file, rule }: Problem) => rule !== "unreadable" || !writing.has(file);
    return { ...scan, problems: problems.filter(isLasting) };
  }

  /** The entry of a file; `last` if it is unchanged, unusable or being written. The first scan takes files as they are. */
  *#read(
    file: F,
    last: Entry<F, T> | undefined,
    scan: Scan<F, T>,
  ): Generator<unknown, Entry<F, T> | undefined> {
    const { path, within, label, status } = file;
    if (last && isUnchanged(last.status, status) && isUnchanged(last.file.sibling, file.sibling)) return last;
    const passOver = (now: FileStatus | undefined): boolean => {
      const isPassedOver = this.#last !== undefined && this.#passOver(path, last?.status, now);
      if (isPassedOver) scan.writing.add(label);
      return isPassedOver;
    };
    if (passOver(status)) return last;
    const content = readInside(this.files, path, within, this.#maxBytes, status);
    const isComplete = content !== undefined && content.bytes.length === status?.size;
    if (!isComplete && passOver(attempt(() => this.files.status(path)))) return last;
    if (!content && status && isGone(this.files, path)) return undefined;
    const problems: Problem[] = [];
    const loading = this.load(file, content, last?.value, (one) => void problems.push(one));
    const value = loading instanceof Promise ? (yield loading) as T | undefined : loading;
    if (value !== undefined && content && value !== last?.value) {
      return { file, value, status: content.status, problems };
    }
    scan.problems.push(...problems);
    // Its status stays that of the last good version, so that the next scan reads the file again.
    return value === undefined ? undefined : last;
  }

  /**
   * Rescans whenever that is due, one scan at a time, until the result is closed. Reports of the system are only hints: Deno misses
   * files that are written together with their new folder, Node misses renames, both stop when the root is recreated, and network
   * drives report nothing. So folders are watched one by one, and anew before each scan that follows a hint (except in a flood of
   * hints, in which Deno would wait for its thread); and files are also scanned without a hint.
   */
  watch({ onwarning, pollMs }: FileOptions = {}): { close(): void } {
    const { files } = this;
    const folders = () => this.#last!.folders;
    // Between two scans, other work must go on.
    const intervalMs = pollMs === undefined ? undefined : Math.max(1, pollMs || 0);
    let isWatching = pollMs === undefined && files.watch !== undefined;
    let isClosed = false;
    let watch: Watch | undefined;
    /** When a scan is due without a hint; and when the first and the last hint came that no scan has followed yet. */
    let next = performance.now() + (intervalMs ?? UNSTABLE_MS), firstHint: number | undefined, lastHint = 0;
    let wake = () => {};
    const hint = () => {
      lastHint = performance.now();
      firstHint ??= lastHint;
      wake();
    };
    const follow = async () => {
      while (!isClosed) {
        const due = firstHint === undefined ? next : Math.min(lastHint + QUIET_MS, firstHint + MAX_DELAY_MS);
        const left = due - performance.now();
        if (left > 0) {
          await withTimeout(new Promise<void>((resolve) => wake = resolve), left, undefined);
          continue;
        }
        const before = folders();
        const isFlooded = firstHint !== undefined && firstHint + MAX_DELAY_MS < lastHint + QUIET_MS;
        // A folder that was deleted and recreated has the same name, and its watch is dead.
        if ((firstHint !== undefined || !watch) && !isFlooded) await arm();
        firstHint = undefined;
        const start = performance.now();
        await this.rescan();
        const end = performance.now(), took = end - start, isStable = this.#last!.writing.size === 0;
        next = end +
          (isStable ? intervalMs ?? Math.max(SAFETY_MS, took / IDLE_SHARE) : Math.max(UNSTABLE_MS, took));
        // What happened in a folder before it was watched was not reported.
        if (isFlooded || firstHint !== undefined || !isSameSet(before, folders())) hint();
      }
    };
    /** Watches the folders anew. The old watch ends first: a path that it watches may be another folder by now. */
    const arm = async () => {
      if (!isWatching) return;
      disarm();
      try {
        const armed = await files.watch!(folders(), hint, (cause) => {
          hint();
          fail(cause);
        });
        if (isWatching) watch = armed;
        else armed.close();
      } catch (cause) {
        fail(cause);
      }
    };
    const disarm = () => {
      watch?.close();
      watch = undefined;
    };
    const stop = () => {
      isWatching = false;
      disarm();
    };
    /** Stops where the system has no watches, or allows no more; not for a folder that is gone or may not be read. */
    const fail = (cause: unknown) => {
      const isOfOneFolder = isErrorOf(cause, "ENOENT", "EPERM", "EACCES", "NotFound", "PermissionDenied");
      if (!isWatching || isOfOneFolder) return;
      stop();
      const { code, message } = cause as { code?: unknown; message?: unknown };
      const what = `File changes cannot be watched here (${code ?? message})`;
      onwarning?.(`${what}, so files are checked every ${SAFETY_MS} ms`);
    };
    void arm().then(follow);
    return {
      close() {
        isClosed = true;
        stop();
        wake();
      },
    };
  }
}

function isSameSet<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

/** Whether a file was changed just now, in whole milliseconds; not when its time is ahead of ours, as a file server's may be. */
function isRecent(status: FileStatus | undefined): boolean {
  const age = status ? Date.now() - Math.floor(status.modified) : -1;
  return age >= 0 && age < RECENT_MS;
}
