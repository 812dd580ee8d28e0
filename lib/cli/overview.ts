/** The tool that the view of documents in chat clients calls. */

import type { DocumentProvider } from "../documents/mod.ts";
import type { Tool } from "../mcp/server/tool.ts";
import { defineTool } from "../mcp/server/define_tool.ts";

export function defineOverview(documents: DocumentProvider, name: string, view: string): Tool {
  return defineTool({
    name,
    title: "Count and draw architecture documents",
    description: "Counts documents by status, and draws the graph of decisions, for the view of documents.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ui: { resourceUri: view, visibility: ["app"] },
    handler: async (_, { access }) => (await import("../pages/app.ts")).overview(documents, access),
  });
}
