/** Which prompts are served. */

import type { DocumentProvider } from "../document_provider.ts";
import type { FileOptions } from "../file.ts";

/** Which prompts are served, and what they may embed. */
export interface PromptOptions extends FileOptions {
  /** A folder with `prompts/` in it. @default {none} */
  readonly root?: string | undefined;
  /**
   * A fallback folder: its prompts are served if the root has no prompt of the same name. Instead of a document that is missing or
   * exceeds a limit, they have a line that says so. @default {none}
   */
  readonly fallback?: string | undefined;
  /** The documents that prompts may embed. @default {none} */
  readonly documents?: DocumentProvider | undefined;
}
