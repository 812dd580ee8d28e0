/** Documents: their files, their metadata, and what a URI names. */

import type { FileStatus } from "../platform/platform.ts";
import type { FileValue, FoundFile } from "./file.ts";
import type { DecisionRecord } from "./records/record.ts";
import type { DocumentAddress } from "./uri.ts";

/** The metadata of a document. */
export interface Metadata {
  /** From the front matter or the first heading, else the name of the file. */
  readonly title: string;
  /** From the front matter or the first paragraph: one line of at most 200 characters. */
  readonly description: string | undefined;
  /** What a decision record states; undefined for other documents. */
  readonly record: DecisionRecord | undefined;
  /** From the front matter, verbatim. */
  readonly tags: readonly string[];
  /** The patterns of the files that the document applies to. */
  readonly appliesTo: readonly string[];
  /** The date of the next review, verbatim from the front matter; missing without one. */
  readonly reviewBy?: string;
  /** Whether its front matter may have rules for code; missing if not. */
  readonly hasCodeRules?: boolean;
}

/** A markdown file, with the parts of its URI. */
export interface DocumentFile extends FoundFile {
  /** The category and path of its URI: "adr/007-use-x". */
  readonly key: string;
  /** The category that it is listed in: "adr". */
  readonly category: string;
  /** The file name without its ending, as well-formed Unicode in normal form C. */
  readonly name: string;
}

/** One document. */
export interface Document extends DocumentFile, Metadata {
  /** The status of the file when it was read. */
  readonly status: FileStatus;
  /** A hash of the bytes of the file. */
  readonly fingerprint: number;
}

/** A file that was read, as a document and as a record. */
export interface ReadDocument extends FileValue {
  /** As any document. */
  readonly document: Document;
  /** As a decision record; undefined when it was not read as one. */
  record: Document | undefined;
  /** The signs that it is a decision record: "name", "status", "sections"; undefined for pages and templates. */
  signs: readonly string[] | undefined;
}

/** Whether the documents of a folder are read as decision records, and why. */
export interface RecordFolder {
  /** The folder: "adr", "billing/adr". */
  readonly folder: string;
  /** Whether they are read as records. */
  readonly isRecords: boolean;
  /** Whether the options require that. */
  readonly isForced: boolean;
  /** Why: "16 of 18 documents look like records (16 by their name, …)". */
  readonly reason: string;
}

/** What a URI names. */
export interface Found {
  /** None, one, or several records with the same number. */
  readonly documents: readonly Document[];
  /** The parts of the URI; undefined when it has another scheme. */
  readonly address: DocumentAddress | undefined;
}

/** What to read for a URI, with the JSON before and after the text of its contents. */
export interface ReadTarget {
  readonly document: Document;
  readonly section: string | undefined;
  readonly start: string;
  readonly endWithMeta: string;
}
