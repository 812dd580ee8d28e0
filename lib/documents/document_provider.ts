/** The interface of a provider of documents. */

import type { ResourceProvider } from "../mcp/server/provider.ts";
import type { DocumentStore } from "./store.ts";
import type { Scheme } from "./uri.ts";

/** Documents as resources, and their store for prompts that embed documents. */
export interface DocumentProvider extends ResourceProvider {
  /** Loads the implementation and scans the files, once; undefined when that is done. */
  ready(): Promise<void> | undefined;
  /** The documents. Throws an error before `ready`. */
  readonly store: DocumentStore;
  /** The scheme of listed URIs. */
  readonly scheme: Scheme;
  /** Scans the files again, if they were scanned; waits for files that are being written. */
  reload(): Promise<void>;
}
