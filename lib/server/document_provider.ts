/** How does a folder of documents become MCP resources? The room of documents is loaded when it is first asked for. */

import type { Platform } from "../../deps.ts";
import type { Finding } from "../documents/finding.ts";
import type { Mount } from "../documents/index_files.ts";
import type { Scheme } from "../documents/uri.ts";
import type { DocumentRoom } from "./document_room.ts";
import type { Awaitable } from "./awaitable.ts";
import type { ResourceProvider } from "./provider.ts";
import { andThen } from "./awaitable.ts";

/** Which documents are served, and how. */
export interface DocumentOptions {
  /** A folder with `resources/` in it, each folder of which is a category. */
  readonly root?: string | undefined;
  /** More folders, each as a category of its own. @default {none} */
  readonly mounts?: readonly Mount[];
  /** How URIs are listed; both spellings can be read. @default {"architecture"} */
  readonly scheme?: Scheme;
  /** Takes each thing found wrong with a file, once. @default {nobody} */
  readonly onfinding?: (finding: Finding) => void;
}

/** Documents as resources, and the shelf behind them for prompts that embed documents. */
export interface DocumentProvider extends ResourceProvider {
  /** The room behind the provider; the first call loads it and begins to index. */
  room(): Awaitable<DocumentRoom>;
  /** Looks at the files again, if they were ever looked at. */
  reload(): Promise<void>;
}

/**
 * Serves folders of markdown. Nothing is loaded or read before the first request that needs it.
 *
 * Needs read permission for the folders, and nothing else.
 *
 * @example
 * ```ts
 * import { loadPlatform } from "../../deps.ts";
 * import { createServer, documentProvider } from "./mod.ts";
 *
 * const platform = await loadPlatform();
 * const server = createServer({
 *   info: { name: "team-docs", version: "1.0.0" },
 *   resources: [documentProvider(platform, { mounts: [{ name: "adr", path: "docs/decisions" }] })],
 * });
 * ```
 */
export function documentProvider(
  platform: Pick<Platform, "files">,
  options: DocumentOptions,
): DocumentProvider {
  let room: Awaitable<DocumentRoom> | undefined;
  const open = async (): Promise<DocumentRoom> => {
    const { openDocumentRoom } = await import("./document_room.ts");
    return room = await openDocumentRoom(platform.files, options);
  };
  const enter = () => room ??= open();
  const through = <T>(use: (room: DocumentRoom) => T): Awaitable<T> => andThen(enter(), use);
  return {
    room: enter,
    reload: async () => void await (await room)?.shelf.reload(),
    list: () => through((room) => room.resources()),
    templates: () => through((room) => room.templates()),
    read: (uri, context) => through((room) => room.read(uri, context)),
    values: (template, variable) => through((room) => room.values(template, variable)),
  };
}
