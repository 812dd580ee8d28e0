/** Searches with the tool, for tests. */

import { documentProvider, documentTools } from "../../lib/documents/mod.ts";
import type { DocumentProvider } from "../../lib/documents/mod.ts";
import type { ToolResult } from "../../lib/mcp/server/mod.ts";
import type { Contents } from "./stores.ts";
import { files, MemoryFiles } from "./stores.ts";

interface Hit {
  readonly uri: string;
  readonly section?: string;
  readonly line: number;
  readonly excerpt: string;
  readonly matched: readonly string[];
  readonly number?: number;
  readonly reason?: string;
}

interface Found {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly withoutText?: number;
  /** For a model. */
  readonly text: string;
}

interface Searched {
  readonly memory: MemoryFiles;
  readonly documents: DocumentProvider;
  search(query: string, filter?: object, signal?: AbortSignal): Promise<Found>;
  /** The documents that are found, without the scheme of their URIs. */
  keysOf(query: string, filter?: object): Promise<string[]>;
}

/** The search of documents in memory, or in some folders. */
export async function searchIn(
  contents: Contents,
  folders?: Parameters<typeof documentProvider>[1],
): Promise<Searched> {
  const memory = new MemoryFiles(contents, "/root/resources/");
  const platform = { files: folders ? files : memory.system };
  const documents = documentProvider(platform, { ...folders ?? { root: "/root" }, watch: false });
  const tools = await documentTools(documents).load();
  const { handler } = tools.find(({ name }) => name === "search_documents")!.definition;
  const search: Searched["search"] = async (query, filter = {}, signal = new AbortController().signal) => {
    const { value, content } = await handler(
      { query, ...filter },
      { signal, timeoutMs: Infinity } as never,
    ) as ToolResult;
    const text = content[0] as string;
    return { ...value as Omit<Found, "text">, text };
  };
  const keysOf: Searched["keysOf"] = async (query, filter) =>
    (await search(query, filter)).hits.map(({ uri }) => uri.slice("architecture://".length));
  return { memory, documents, search, keysOf };
}
