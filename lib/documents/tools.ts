/** The read-only tools over documents, for models that cannot read resources. */

import type { Access } from "../mcp/server/access.ts";
import type { Tool } from "../mcp/server/tool.ts";
import type { DocumentProvider } from "./document_provider.ts";
import { decisionsFor } from "./decisions_tool.ts";
import { listDocuments } from "./list_tool.ts";
import { readDocument } from "./read_tool.ts";
import { searchDocuments } from "./search_tool.ts";

/** Defines all document tools, in the order of their names. Their descriptions name only what `access` allows. */
export function defineTools(documents: DocumentProvider, access?: Access, view?: string): readonly Tool[] {
  const ui = view === undefined ? undefined : { resourceUri: view };
  const catalogue = documents.store.visibleTo(access);
  const defining = [decisionsFor, listDocuments, readDocument, searchDocuments];
  return defining.map((define) => define(documents, catalogue, ui));
}
