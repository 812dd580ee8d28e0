/**
 * What is on the shelf? Markdown files found, described, addressed by URI and read safely.
 *
 * @module
 */

export type { Catalogue, Document, Found } from "./catalogue.ts";
export type { Difference } from "./difference.ts";
export type { DecisionRecord } from "./record.ts";
export type { Finding, Severity } from "./finding.ts";
export type { Mount, Shelves } from "./index_files.ts";
export type { ShelfEvents } from "./shelf.ts";
export type { DocumentOptions, DocumentProvider } from "./provider.ts";
export type { Look } from "./watch.ts";
export type { Address, Scheme } from "./uri.ts";
export { documentProvider, documentTools } from "./provider.ts";
export { Shelf } from "./shelf.ts";
export { parseUri, toUri } from "./uri.ts";
