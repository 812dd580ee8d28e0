/**
 * Folders of markdown: found, described, addressed by URI, read safely, followed while they change, and checked.
 *
 * @module
 */

export type { Document, Found, RecordFolder } from "./catalogue.ts";
export type { FileContent } from "./files.ts";
export type { Finding, Report, Severity } from "./findings.ts";
export type { FileOptions, FoundFile, Keyed } from "./folder_store.ts";
export type { LintOptions } from "./lint.ts";
export type { DecisionRecord, Metadata } from "./metadata.ts";
export type { DocumentProvider } from "./provider.ts";
export type { DocumentFile, DocumentOptions, Mount } from "./scanner.ts";
export type { ReadDocument } from "./store.ts";
export type { Address, Scheme } from "./uri.ts";
export { Catalogue } from "./catalogue.ts";
export { FolderStore } from "./folder_store.ts";
export { lint } from "./lint.ts";
export { documentProvider, documentTools } from "./provider.ts";
export { DocumentStore } from "./store.ts";
export { parseUri, toUri } from "./uri.ts";
