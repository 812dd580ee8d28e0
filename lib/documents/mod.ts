/**
 * Folders of markdown: found, described, addressed by URI, read safely, followed while they change, and checked.
 *
 * @example
 * ```ts
 * import { createServer, documentProvider, documentTools, loadPlatform } from "@architrave/architrave";
 * import { promptProvider, stdioTransport } from "@architrave/architrave";
 *
 * const platform = await loadPlatform();
 * const documents = documentProvider(platform, { mounts: [{ name: "adr", path: "docs/decisions" }] });
 * const server = createServer({
 *   info: { name: "team-docs", version: "1.0.0" },
 *   resources: [documents],
 *   tools: [documentTools(documents)],
 *   prompts: [promptProvider(platform, { root: "mcp", documents })],
 * });
 * await server.connect(stdioTransport(platform));
 * ```
 *
 * @module
 */

export type { Document, DocumentFile, Found, Metadata, ReadDocument, RecordFolder } from "./document.ts";
export type { FileContent } from "./files.ts";
export type { Finding, Problem, Report, ReportProblem, Severity } from "./finding.ts";
export type { FileOptions, FileValue as Keyed, FoundFile } from "./file.ts";
export type { CheckedSource, LintOptions } from "./check_corpus.ts";
export type { DecisionRecord, RecordWords } from "./records/record.ts";
export type { DocumentProvider } from "./document_provider.ts";
export type { DocumentOptions, Mount } from "./options.ts";
export type { DocumentAddress as Address, Scheme } from "./uri.ts";
export { Catalogue } from "./catalogue.ts";
export { FolderStore } from "./folder_store.ts";
export { lint } from "./check.ts";
export { documentProvider, documentTools } from "./provider.ts";
export { DocumentStore } from "./store.ts";
export { parseUri, toUri } from "./uri.ts";
