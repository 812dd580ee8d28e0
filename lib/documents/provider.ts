/**
 * How does a folder of documents become MCP resources, and tools for models that cannot read resources? The rooms of both
 * are loaded when they are first asked for.
 */

import type { Platform } from "../../deps.ts";
import type { Finding } from "./finding.ts";
import type { Mount } from "./index_files.ts";
import type { Shelf } from "./shelf.ts";
import type { Scheme } from "./uri.ts";
import type { DocumentRoom } from "./resources.ts";
import type { ResourceProvider } from "../server/provider.ts";
import type { ToolSet } from "../server/tool.ts";
import { onceDone } from "../base/async.ts";
import { Watching } from "../server/watching.ts";

/** Which documents are served, and how. */
export interface DocumentOptions {
  /** A folder with `resources/` in it, each folder of which is a category. */
  readonly root?: string | undefined;
  /** More folders, each as a category of its own. @default {none} */
  readonly mounts?: readonly Mount[];
  /** How URIs are listed; both spellings can be read. @default {"architecture"} */
  readonly scheme?: Scheme;
  /** Takes each thing found wrong with a file, once. @default {nobody} */
  readonly onfinding?: ((finding: Finding) => void) | undefined;
  /** Whether to look for changes while anybody is connected. @default {true} */
  readonly watch?: boolean | undefined;
  /** Looks this often, in milliseconds, in place of having the system report changes. @default {the system reports} */
  readonly pollMs?: number | undefined;
  /** Takes the one warning that the system cannot report changes here, so that they are looked for. @default {nobody} */
  readonly onwarning?: ((message: string) => void) | undefined;
}

/** Documents as resources, and the shelf behind them for prompts that embed documents. */
export interface DocumentProvider extends ResourceProvider {
  /** Loads the room and looks at the files, once; undefined when that is done. */
  ready(): Promise<void> | undefined;
  /**
   * The room behind the provider, with the shelf that it serves.
   *
   * @throws {Error} When it was never made ready.
   */
  readonly room: { readonly shelf: Shelf; readonly scheme: Scheme };
  /** Looks at the files again, if they were ever looked at; waits for those that are being written. */
  reload(): Promise<void>;
}

/**
 * Serves folders of markdown. Nothing is loaded or read before the first request that needs it.
 *
 * Needs read permission for the folders, and nothing else.
 *
 * @example
 * ```ts
 * import { createServer, documentProvider, loadPlatform, stdioTransport } from "@architrave/architrave";
 *
 * const platform = await loadPlatform();
 * const server = createServer({
 *   info: { name: "team-docs", version: "1.0.0" },
 *   resources: [documentProvider(platform, { mounts: [{ name: "adr", path: "docs/decisions" }] })],
 * });
 * await server.connect(stdioTransport(platform));
 * ```
 */
export function documentProvider(
  platform: Pick<Platform, "files">,
  options: DocumentOptions,
): DocumentProvider {
  let room: DocumentRoom | undefined;
  const watching = new Watching(() => room?.watch());
  const open = onceDone(async () => {
    const { openDocumentRoom } = await import("./resources.ts");
    room = await openDocumentRoom(platform.files, options, watching.tell);
    watching.begin();
  });
  const entered = (): DocumentRoom => {
    if (!room) throw new Error("Cannot serve documents: wait for ready() first");
    return room;
  };
  return {
    ready: open,
    ...(options.watch === false ? {} : { watch: watching.add }),
    get room(): DocumentRoom {
      return entered();
    },
    reload: async () => void await room?.shelf.reload(),
    list: () => entered().resources(),
    templates: () => entered().templates(),
    read: (uri, { revision }) => entered().read(uri, revision.titles),
    covers: (uri) => entered().covers(uri),
    values: (template, variable) => entered().values(template, variable),
  };
}

const TOOLS = ["decisions_for", "list_documents", "read_document", "search_documents"] as const;

/**
 * Read-only tools over documents: to find, list and read them, and to ask which decisions bear on a file.
 *
 * @example
 * ```ts
 * import { createServer, documentProvider, documentTools, loadPlatform } from "@architrave/architrave";
 *
 * const documents = documentProvider(await loadPlatform(), { root: "mcp" });
 * const server = createServer({
 *   info: { name: "team-docs", version: "1.0.0" },
 *   resources: [documents],
 *   tools: [documentTools(documents)],
 * });
 * ```
 */
export function documentTools(documents: DocumentProvider): ToolSet {
  return {
    names: TOOLS,
    async load() {
      await documents.ready();
      const [{ decisionsFor }, { listDocuments }, { readDocument }, { searchDocuments }] = await Promise.all([
        import("./decisions_for.ts"),
        import("./list_documents.ts"),
        import("./read_document.ts"),
        import("./search_documents.ts"),
      ]);
      return [
        decisionsFor(documents),
        listDocuments(documents),
        readDocument(documents),
        searchDocuments(documents),
      ];
    },
  };
}
