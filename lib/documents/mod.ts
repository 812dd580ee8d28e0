/**
 * Folders of markdown: found, described, addressed by URI, read safely, followed while they change, and checked.
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
