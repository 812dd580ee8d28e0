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
  /** The labels of files that were skipped because they are being written. */
  readonly writing: Set<string>;
}

/** Age up to which a change counts as recent, in milliseconds. */
const RECENT_MS = 50;
/** Time after the last check of a changing file until it is forgotten, in milliseconds. */
const FORGET_MS = 10_000;
/** Maximum time for which a file that keeps changing is skipped, in milliseconds. */
const MAX_CHANGING_MS = 1000;
/** Maximum time for which an empty file, which is probably being filled, is skipped, in milliseconds. */
const MAX_EMPTY_MS = 2000;
/** Time between the checks of a caller that waits for a file, in milliseconds. */
export const WAIT_MS = 20;
/** Time between a hint and a scan, in milliseconds. Saving a file makes several hints, and each restarts it. */
const QUIET_MS = 50;
/** Maximum time between the first hint and a scan, in milliseconds. */
const MAX_DELAY_MS = 200;
/** Minimum time between scans without a hint, in milliseconds. */
const SAFETY_MS = 1500;
/** The maximum share of the time that scans without a hint take. */
const IDLE_SHARE = 0.1;
/** Time between scans while files are being written, in milliseconds. */
const UNSTABLE_MS = 100;

/** Follows the files of some folders. Nothing is read before `ready`. */
export abstract class FolderStore<F extends FoundFile = FoundFile, T extends FileValue = FileValue> {
  /** The file system that is read. */
  protected readonly files: FileSystem;
  readonly #maxBytes: number;
  readonly #onfinding: Report | undefined;
  /** Since when files have been changing, by path. The one that was checked last is the last one. */
  readonly #changing = new Map<string, { since: number; emptySince: number | undefined; checked: number }>();
  #last: Scan<F, T> | undefined;
  /** The current scan, which concurrent calls share. */
  #scanning: Promise<void> | undefined;
  /** The scan after it. */
  #next: Promise<void> | undefined;
  #reported = new Set<string>();

  /** Reads nothing yet. Files larger than `maxBytes` are never read. A finding is reported when it appears, also when it reappears. */
  constructor(files: FileSystem, maxBytes: number, onfinding: Report | undefined) {
    this.files = files;
    this.#maxBytes = maxBytes;
    this.#onfinding = onfinding;
  }

  /** Finds the files, in steps. Yields the path of each listed folder, and each file. */
  protected abstract findFiles(report: ReportProblem): Generator<string | F>;

  /** Makes the value of a file, if it has one. `content` is undefined when it cannot be read. Returning `last` keeps that value. */
  protected abstract load(
    file: F,
    content: FileContent | undefined,
    last: T | undefined,
    report: ReportProblem,
  ): Awaitable<T | undefined>;

  /** Receives the values when a scan has found a difference. */
  protected abstract update(values: T[], findings: readonly Finding[]): Awaitable<void>;

  /** The rule that is broken when two files have the same key. */
  protected readonly duplicateRule: string = "uri-duplicate";

  /** Scans the folders, if that was not done yet; in slices, so that other requests are answered meanwhile. */
  async ready(): Promise<void> {
    if (!this.#last) await (this.#scanning ??= this.#run());
  }

  /** Scans the folders again, and applies all changes in one step. */
  rescan(): Promise<void> {
    if (!this.#scanning) return this.#scanning = this.#run();
    // The current scan may have passed the change already.
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
    return !isUnchanged(before, now) && this.#skip(path, before, now);
  }

  /**
   * Notes the state of a file. Returns whether to skip it and serve its last version: the file was changed just now, was emptied, or
   * was removed from a folder that was changed just now. After a time limit, its content is served as it is.
   */
  #skip(path: string, before: FileStatus | undefined, now: FileStatus | undefined): boolean {
    const folder = path.slice(0, path.lastIndexOf("/"));
    const isChanging = isRecent(now ?? attempt(() => this.files.status(folder)));
    const isEmpty = now?.size === 0;
    const time = performance.now();
    // A file is remembered after its time limit, so that the next caller does not wait for the same time.
    for (const [oldest, { checked }] of this.#changing) {
      if (time - checked < FORGET_MS) break;
      this.#changing.delete(oldest);
    }
    const file = this.#changing.get(path) ?? { since: time, emptySince: undefined, checked: time };
    this.#changing.delete(path);
    if (!isChanging && !isEmpty) return false;
    this.#changing.set(path, file);
    file.checked = time;
    // When a file that was accepted as empty is filled, its time starts again.
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
    // Files that are being written were not read, so their findings remain.
    this.#reported = new Set(writing.size === 0 ? [] : reported);
    for (const finding of findings) {
      const name = JSON.stringify(finding);
      this.#reported.add(name);
      if (!reported.has(name)) this.#onfinding?.(finding);
    }
  }

  /** Reads new and changed files; each file is one step. */
  *#scan(): Generator<unknown, Scan<F, T>> {
    const scan: Scan<F, T> = { entries: new Map(), problems: [], folders: new Set(), writing: new Set() };
    const { entries, problems, folders, writing } = scan;
    const before = this.#last?.entries.values() ?? [];
    const gone = new Map(Array.from(before, (entry) => [entry.file.label, entry]));
    /** Adds an entry, unless another one has its key. Returns the entry with this key. */
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
      // The key of its last version may still be free.
      if (last) add(last);
    }
    for (const entry of gone.values()) {
      yield;
      const { file: { label, path }, status } = entry;
      if (!this.#skip(path, status, undefined)) continue;
      writing.add(label);
      add(entry);
    }
    const isLasting = ({ file, rule }: Problem) => rule !== "unreadable" || !writing.has(file);
    return { ...scan, problems: problems.filter(isLasting) };
  }

  /** The entry of a file; `last` if it is unchanged, unusable or being written. The first scan does not wait for files. */
  *#read(
    file: F,
    last: Entry<F, T> | undefined,
    scan: Scan<F, T>,
  ): Generator<unknown, Entry<F, T> | undefined> {
    const { path, within, label, status } = file;
    if (last && isUnchanged(last.status, status) && isUnchanged(last.file.sibling, file.sibling)) return last;
    const skip = (now: FileStatus | undefined): boolean => {
      const isSkipped = this.#last !== undefined && this.#skip(path, last?.status, now);
      if (isSkipped) scan.writing.add(label);
      return isSkipped;
    };
    if (skip(status)) return last;
    const content = readInside(this.files, path, within, this.#maxBytes, status);
    const isComplete = content !== undefined && content.bytes.length === status?.size;
    if (!isComplete && skip(attempt(() => this.files.status(path)))) return last;
    if (!content && status && isGone(this.files, path)) return undefined;
    const problems: Problem[] = [];
    const loading = this.load(file, content, last?.value, (one) => void problems.push(one));
    const value = loading instanceof Promise ? (yield loading) as T | undefined : loading;
    if (value !== undefined && content && value !== last?.value) {
      return { file, value, status: content.status, problems };
    }
    scan.problems.push(...problems);
    // The entry keeps the status of the last good version, so that the next scan reads the file again.
    return value === undefined ? undefined : last;
  }

  /**
   * Rescans when that is due, one scan at a time, until the result is closed. Reports of the system are only hints: Deno misses
   * files that are written together with their new folder, Node misses renames, both stop when the root is recreated, and network
   * drives report nothing. So each folder has its own watch, which is replaced before each scan after a hint (but not during a flood
   * of hints, because Deno would wait for its thread). Files are also scanned without a hint.
   */
  watch({ onwarning, pollMs }: FileOptions = {}): { close(): void } {
    const { files } = this;
    const folders = () => this.#last!.folders;
    // Other work must run between two scans.
    const intervalMs = pollMs === undefined ? undefined : Math.max(1, pollMs || 0);
    let isWatching = pollMs === undefined && files.watch !== undefined;
    let isClosed = false;
    let watch: Watch | undefined;
    /** When a scan without a hint is due. */
    let next = performance.now() + (intervalMs ?? UNSTABLE_MS);
    /** The times of the first and the last hint since the last scan. */
    let firstHint: number | undefined, lastHint = 0;
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
        // A folder that was deleted and recreated has the same name, but its watch has ended.
        if ((firstHint !== undefined || !watch) && !isFlooded) await arm();
        firstHint = undefined;
        const start = performance.now();
        await this.rescan();
        const end = performance.now(), took = end - start, isStable = this.#last!.writing.size === 0;
        next = end +
          (isStable ? intervalMs ?? Math.max(SAFETY_MS, took / IDLE_SHARE) : Math.max(UNSTABLE_MS, took));
        // Changes in a folder before it was watched were not reported.
        if (isFlooded || firstHint !== undefined || !isSameSet(before, folders())) hint();
      }
    };
    /** Replaces the watch of the folders. The old one ends first: its paths may now be other folders. */
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
    /** Stops watching if the system has no watches or allows no more; not if one folder is missing or cannot be read. */
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

/** Whether a file was changed just now, in whole milliseconds; false if its time is in the future, as on a file server. */
function isRecent(status: FileStatus | undefined): boolean {
  const age = status ? Date.now() - Math.floor(status.modified) : -1;
  return age >= 0 && age < RECENT_MS;
}
