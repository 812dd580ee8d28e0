/** The view of documents in chat clients: an MCP App (SEP-1865), a page that exchanges messages with its host and loads nothing. */

import type { DocumentProvider } from "../documents/document_provider.ts";
import type { Access } from "../mcp/server/access.ts";
import type { ExtensionMethods } from "../mcp/server/provider.ts";
import { toBase64 } from "../base/base64.ts";
import { toUri } from "../documents/uri.ts";
import { relations } from "./relations.ts";
import { drawGraph } from "./graph.ts";
import { APPS } from "../mcp/protocol/methods.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { APP_PAGE, APP_SCRIPT } from "./app_page.ts";
import { countBy } from "./model.ts";
import { STYLE } from "./style.ts";

/** The tool result for the view: the number of documents per status, most frequent first, and the graph of decisions. */
export function overview({ store, scheme }: DocumentProvider, access: Access | undefined): ToolResult {
  const catalogue = store.visibleTo(access), { documents } = catalogue;
  const statuses = countBy(documents, "status").map(([status, count]) => ({ status, count }));
  const related = relations(catalogue);
  const graph = related.length > 0 ? drawGraph(documents, related, ({ key }) => toUri(key, scheme)) : "";
  const counts = statuses.map(({ status, count }) => `${count} ${status}`);
  const text = [`${documents.length} documents`, ...counts].join(", ");
  return new ToolResult([text], { value: { total: documents.length, statuses, graph } });
}

/** Answers `resources/read` for the URI of the view. */
export async function viewHandlers(view: string): Promise<ExtensionMethods> {
  const policy = `default-src 'none'; script-src ${await hashOf(APP_SCRIPT)}; style-src ${await hashOf(
    STYLE,
  )}; `;
  const html = APP_PAGE.replace("POLICY", `${policy}base-uri 'none'; form-action 'none'`);
  const csp = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
  const _meta = { ui: { csp, prefersBorder: true } };
  const contents = { uri: view, mimeType: APPS.mimeType, text: html, _meta };
  return { "resources/read": (_context, _server, uri) => uri === view ? [contents] : undefined };
}

async function hashOf(source: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
  return `'sha256-${toBase64(new Uint8Array(digest))}'`;
}
