/** Which documents are served. */

import type { RecordWords } from "./records/record.ts";
import type { FileOptions } from "./file.ts";
import type { Scheme } from "./uri.ts";

/** A folder of markdown that is served as a category. It replaces a folder of that name in the root. */
export interface Mount {
  /** The category, as in URIs: "adr"; or a folder in a category: "billing/adr". */
  readonly name: string;
  /** The path of the folder. A relative path starts at the working directory. */
  readonly path: string;
}

/** Which documents are served, and how. */
export interface DocumentOptions extends FileOptions {
  /** A folder with `resources/` in it. Each folder in `resources/` is a category. */
  readonly root?: string | undefined;
  /** More folders, each as a category. @default {none} */
  readonly mounts?: readonly Mount[];
  /** The categories, or folders in them, whose documents are always read as decision records. @default {"adr"} */
  readonly records?: readonly string[];
  /** More words of the team in records: of statuses and labels. @default {none} */
  readonly words?: RecordWords | undefined;
  /** The scheme of listed URIs. URIs of both can be read. @default {"architecture"} */
  readonly scheme?: Scheme;
}
