/** The skills in a folder: follows the files below `skills/`, and reads each `SKILL.md`. */

import type { FileStatus, FileSystem } from "../../platform/platform.ts";
import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { FileContent } from "../files.ts";
import type { Finding, ReportProblem } from "../finding.ts";
import type { FileValue, FoundFile } from "../file.ts";
import type { SkillOptions } from "./options.ts";
import { pause } from "../../base/async.ts";
import { attempt, compare } from "../../base/text.ts";
import { isGone, isHidden, readInside } from "../files.ts";
import { FolderStore, WAIT_MS } from "../folder_store.ts";
import { kindOf, MAX_FOLDER_DEPTH } from "../scanner.ts";
import { toKey } from "../uri.ts";
import { isName, MANIFEST, readManifest } from "./manifest.ts";

/** The maximum number of files of a skill that every host can load. */
const MAX_SKILL_FILES = 512;
/** The maximum size of a skill that every host can load, in bytes. */
const MAX_SKILL_BYTES = 16 * 1024 * 1024;
/** The maximum number of files and folders below `skills/` that are scanned. */
const MAX_ENTRIES = 20_000;
/** The maximum share of the time that scans for requests take. */
const SCAN_SHARE = 0.1;

/** A file of a skill. */
export interface File {
  /** Its current bytes; undefined when it can no longer be read. */
  readonly read: () => Awaitable<Uint8Array | undefined>;
  /** An object for its version. Another object means that the bytes may have changed. @default {they never change} */
  readonly version?: () => object | undefined;
}

/** A skill: its front matter, and its files by encoded path. The key is the encoded path of its folder. */
export interface ServedSkill extends FileValue {
  readonly fields: JsonObject;
  readonly files: ReadonlyMap<string, File>;
}

/** A `SKILL.md`, with all files of its skill. */
interface ManifestFile extends FoundFile {
  status: FileStatus | undefined;
  readonly names: readonly string[];
  readonly files: Map<string, File & { readonly status: FileStatus }>;
  /** The reason for not serving it, apart from its front matter. */
  fault?: string;
}

/** Follows the skills of a root. Nothing is read before `refresh`. */
export class SkillStore extends FolderStore<ManifestFile, ServedSkill> {
  /** Sorted by key; the same array while nothing has changed. */
  skills: readonly ServedSkill[] = [];
  findings: readonly Finding[] = [];
  readonly #root: string | undefined;
  #due = 0;
  #refreshing: Promise<void> | undefined;

  constructor(files: FileSystem, { root, onfinding }: SkillOptions) {
    super(files, MAX_SKILL_BYTES, onfinding);
    this.#root = root;
  }

  /** Scans the folder again, unless that was done a moment ago. */
  refresh(): Promise<void> | undefined {
    const start = performance.now();
    if (start < this.#due) return this.#refreshing;
    this.#due = Infinity;
    return this.#refreshing = this.rescan().finally(() => {
      const end = performance.now();
      this.#due = end + (end - start) / SCAN_SHARE;
    });
  }

  protected override *findFiles(report: ReportProblem): Generator<string | ManifestFile> {
    const { files } = this, root = this.#root;
    const within = root === undefined ? undefined : attempt(() => files.realPath(root));
    if (within === undefined) return;
    const found: ManifestFile[] = [];
    /** The folders to list, the next one at the end, each with the skills that contain it. The root comes first. */
    const folders = [{ names: [] as string[], owners: [] as ManifestFile[] }];
    let count = 0;
    scan:
    for (let folder = folders.pop(); folder; folder = folders.pop()) {
      const label = folder.names.join("/"), parent = `${within}/${label}`, isTop = label === "";
      const entries = attempt(() => files.list(parent))?.filter(({ name }) => !isTop || name === "skills")
        .sort((one, other) => compare(one.name, other.name));
      if (!entries && !isGone(files, parent)) report({ rule: "unreadable", file: label || "skills" });
      const owners = [...folder.owners];
      if (folder.names.length > 1 && entries?.some(({ name }) => name === MANIFEST)) {
        const manifest = { label: `${label}/${MANIFEST}`, path: `${parent}/${MANIFEST}`, within };
        owners.push({ ...manifest, names: folder.names.slice(1), status: undefined, files: new Map() });
      }
      const inner: typeof folders = [];
      for (const entry of entries ?? []) {
        // Each entry is a step, because looking up many takes long.
        yield parent;
        if (++count > MAX_ENTRIES) {
          const message = `There are more than ${MAX_ENTRIES} files and folders; the rest is not served`;
          report({ rule: "skill-too-large", file: label, message });
          for (const owner of owners) owner.fault = "not all its files were found";
          break scan;
        }
        const { name } = entry, names = [...folder.names, name];
        if (isHidden(name)) continue;
        const own = names.join("/"), path = `${within}/${own}`, kind = kindOf(files, entry, path, within);
        const status = kind === "file" ? attempt(() => files.status(path)) : undefined;
        if (/[\\\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(name)) {
          report({ rule: "skill-name", file: own, message: "The name has characters that can be misread" });
        } else if (kind === "directory") {
          if (names.length > MAX_FOLDER_DEPTH) report({ rule: "folder-too-deep", file: own });
          // Links to folders are not followed.
          else if (entry.kind !== "link" || isTop) inner.push({ names, owners });
        } else if (!status) {
          const rule = kind === "outside" ? "link-leads-out" : "unreadable";
          if (kind !== "file" || !isGone(files, path)) report({ rule, file: own });
        } else if (name === MANIFEST && names.length === 2) {
          report({
            rule: "skill-invalid",
            file: own,
            message: "The file is not in a folder of its own under skills/, so it is not a skill",
          });
        } else {
          const read = (): Awaitable<Uint8Array | undefined> =>
            this.isBeingWritten(path, status)
              ? pause(WAIT_MS).then(read)
              : readInside(files, path, within, MAX_SKILL_BYTES)?.bytes;
          const file = { status, read };
          for (const owner of owners) owner.files.set(toKey(names.slice(owner.names.length + 1)), file);
          if (name === MANIFEST) found.push(Object.assign(owners.at(-1)!, { status }));
        }
      }
      folders.push(...inner.toReversed());
    }
    for (const file of found) {
      const all = [...file.files].sort(([one], [other]) => compare(one, other));
      const size = all.reduce((sum, [, { status }]) => sum + status.size, 0);
      if (all.length > MAX_SKILL_FILES || size > MAX_SKILL_BYTES) {
        file.fault = `it has more than ${MAX_SKILL_FILES} files or ${MAX_SKILL_BYTES / 2 ** 20} MiB`;
      }
      // A status for all files of the skill. It changes when one of them changes.
      const versions = all.map(([key, { status }]) => [key, status.identity, status.size, status.modified]);
      const sibling = { ...file.status!, identity: JSON.stringify([file.fault, versions]) };
      yield { ...file, files: new Map(all), sibling };
    }
  }

  protected override load(
    { label, names, files, fault }: ManifestFile,
    content: FileContent | undefined,
    _: ServedSkill | undefined,
    report: ReportProblem,
  ): ServedSkill | undefined {
    if (!content && fault === undefined) return void report({ rule: "unreadable", file: label });
    const folder = names.at(-1)!;
    const fields = fault ?? readManifest(content!.bytes, folder);
    if (typeof fields !== "string") return { key: toKey(names), fields, files };
    const rule = fault !== undefined ? "skill-too-large" : isName(folder) ? "skill-invalid" : "skill-name";
    return void report({ rule, file: label, message: `The skill is not served: ${fields}` });
  }

  protected override update(all: readonly ServedSkill[], findings: readonly Finding[]): void {
    this.findings = findings;
    this.skills = all.toSorted((one, other) => compare(one.key, other.key));
  }
}
