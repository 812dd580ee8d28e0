/** Which documents are served. */

import type { FileOptions } from "./file.ts";
import type { Scheme } from "./uri.ts";

/** A folder of markdown that is served as a category, in place of a folder of that name in the root. */
export interface Mount {
  /** The category, as it stands in URIs: "adr"; or a folder in one: "billing/adr". */
  readonly name: string;
  /** Where the folder is; a relative path starts at the working directory. */
  readonly path: string;
}

/** Which documents are served, and how. */
export interface DocumentOptions extends FileOptions {
  /** A folder with `resources/` in it; each folder in there is a category. */
  readonly root?: string | undefined;
  /** More folders, each as a category. @default {none} */
  readonly mounts?: readonly Mount[];
  /** The categories, or folders in one, that hold decision records without looking like it. @default {"adr"} */
  readonly records?: readonly string[];
  /** The scheme of listed URIs; both can be read. @default {"architecture"} */
  readonly scheme?: Scheme;
}
