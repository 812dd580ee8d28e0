/** Serves folders of markdown as MCP resources and tools. The implementations are loaded on first use. */

import type { Platform } from "../platform/platform.ts";
import type { Change } from "../mcp/server/changes.ts";
import type { ToolSet } from "../mcp/server/tool.ts";
import type { DocumentProvider } from "./document_provider.ts";
import type { FileOptions } from "./file.ts";
import type { FolderStore } from "./folder_store.ts";
import type { DocumentOptions } from "./options.ts";
import type { DocumentStore } from "./store.ts";
import { nextTurn, onceDone } from "../base/async.ts";

/**
 * Serves folders of markdown; the module has an example. Nothing is loaded or read before the first request that needs it. Needs
 * read permission for the folders, and nothing else.
 */
export function documentProvider(
  platform: Pick<Platform, "files">,
  options: DocumentOptions,
): DocumentProvider {
  const lazy = lazyStore(options, async (tell) => {
    const { DocumentStore } = await import("./store.ts");
    return new DocumentStore(platform.files, options, tell);
  });
  return {
    ...lazy.methods,
    get store(): DocumentStore {
      return lazy.value;
    },
    scheme: options.scheme ?? "architecture",
    list: ({ access }) => lazy.value.resources(lazy.value.visibleTo(access)),
    templates: ({ access }) => lazy.value.templates(lazy.value.visibleTo(access)),
    read: (uri, { revision, access }) => lazy.value.read(uri, revision.titles, access),
    nearest: async (uri, { access }) => {
      const { nearestUris } = await import("./nearest.ts");
      return nearestUris(lazy.value, lazy.value.visibleTo(access), uri);
    },
    categoryOf: (uri) => lazy.value.categoryOf(uri),
    covers: (uri) => lazy.value.covers(uri),
    values: (template, variable, { access }) =>
      lazy.value.values(template, variable, lazy.value.visibleTo(access)),
  };
}

/** The names of the tools over documents. */
export const DOCUMENT_TOOLS: readonly string[] = Object.freeze(
  ["decisions_for", "list_documents", "read_document", "search_documents"],
);

/**
 * Read-only tools that find, list and read documents, and find the decisions for a file. `view` is the URI of a resource in which
 * clients that support apps show the results of `list_documents` and `decisions_for`.
 */
export function documentTools(documents: DocumentProvider, view?: string): ToolSet {
  return {
    names: DOCUMENT_TOOLS,
    async load(access) {
      await documents.ready();
      return (await import("./tools.ts")).defineTools(documents, access, view);
    },
  };
}

/** Loads a store on first use, and follows its files while there are listeners. The store calls `tell` for each change. */
export function lazyStore<T extends Pick<FolderStore, "ready" | "reload" | "watch">>(
  options: FileOptions,
  load: (tell: (change: Change) => void) => Promise<T>,
): { readonly methods: Pick<DocumentProvider, "ready" | "reload" | "watch">; readonly value: T } {
  const listeners = new Set<(change: Change) => void>();
  let store: T | undefined;
  let watcher: { close(): void } | undefined;
  const follow = () => {
    if (listeners.size > 0) return void (watcher ??= store?.watch(options));
    watcher?.close();
    watcher = undefined;
  };
  const ready = onceDone(async () => {
    const loaded = await load((change) => listeners.forEach((listener) => listener(change)));
    await loaded.ready();
    store = loaded;
    // Requests that wait for the files are answered first.
    void nextTurn().then(follow);
  });
  const watch = (listener: (change: Change) => void) => {
    // A function that is added twice must be removed twice.
    const own = (change: Change) => listener(change);
    listeners.add(own);
    follow();
    return () => {
      listeners.delete(own);
      follow();
    };
  };
  return {
    methods: {
      ready,
      reload: async () => await store?.reload(),
      ...(options.watch === false ? {} : { watch }),
    },
    get value() {
      if (!store) throw new Error("Cannot serve files: wait for ready() first");
      return store;
    },
  };
}
