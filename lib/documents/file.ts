/** Files that are followed, and their values. */

import type { FileStatus } from "../platform/platform.ts";
import type { Report } from "./finding.ts";

/** A file that was found and may be read. */
export interface FoundFile {
  /** The file as its author knows it: "adr/007-use-x.md". */
  readonly label: string;
  /** The path of the file. It is never sent to clients. */
  readonly path: string;
  /** The real path of the folder that must contain it. It is never sent to clients. */
  readonly within: string;
  /** The status when it was found; undefined when it could not be looked up. */
  readonly status: FileStatus | undefined;
  /** The status of a sibling file that its value depends on, if there is one. */
  readonly sibling?: FileStatus | undefined;
}

/** The value of a file. */
export interface FileValue {
  /** Identifies the value. Of two files whose values have the same key, the first is served. */
  readonly key: string;
}

/** How files are followed, and how problems are reported. */
export interface FileOptions {
  /** Receives each problem of a file, once. @default {none} */
  readonly onfinding?: Report | undefined;
  /** Whether to follow changes while clients are connected. @default {true} */
  readonly watch?: boolean | undefined;
  /** Receives one warning when the system cannot report changes, so that files are polled. @default {none} */
  readonly onwarning?: ((message: string) => void) | undefined;
  /** Time between scans, in milliseconds, instead of change reports of the system. @default {the system reports} */
  readonly pollMs?: number | undefined;
}
