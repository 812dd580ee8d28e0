/** The state of a check: facts from the catalogue, facts collected from the texts, and the findings. */

import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { Finding } from "./finding.ts";
import type { Markdown } from "../formats/markdown/document.ts";
import type { RecordWords, RelationName } from "./records/record.ts";
import type { Scheme } from "./uri.ts";

/** Options of the rules. */
export interface LintOptions {
  /** The current date, such as "2026-07-28". @default {today in UTC} */
  readonly today?: string;
  /** The files of the code, as paths from its root. Patterns that match no file are reported. @default {unknown} */
  readonly code?: readonly string[] | undefined;
  /** The rules that apply even if most documents of a folder break them. @default {none} */
  readonly strict?: readonly string[] | undefined;
  /** The titles of the sections that a document must have. @default {none} */
  readonly required?: ((document: Document) => readonly string[] | undefined) | undefined;
  /** The scheme of the URIs in findings. @default {"architecture"} */
  readonly scheme?: Scheme | undefined;
}

/** The state of a check: facts from the catalogue, facts collected from the texts, and the findings. */
export interface Corpus {
  readonly catalogue: Catalogue;
  readonly options: LintOptions;
  readonly words: RecordWords | undefined;
  readonly findings: Finding[];
  /** The patterns that match no file of the code and break no other rule; empty when the code is unknown. */
  readonly unmatched: ReadonlySet<string>;
  /** The folders in which a record states a status. In other folders, none does by custom. */
  readonly stating: ReadonlySet<string>;
  /** The folders of decision records. */
  readonly ofRecords: ReadonlySet<string>;
  readonly links: { from: Document; target: string; line: number }[];
  readonly relations: { from: Document; kind: RelationName; reference: string; line: number }[];
  /** The fragments that each document has, by key. */
  readonly anchors: Map<string, ReadonlySet<string>>;
  /** What documents lack, which may be the custom of their folder. */
  readonly lacking: { rule: string; document: Document; message: string; missing: readonly string[] }[];
  readonly crlf: Document[];
  /** The records whose status is not a known one. */
  readonly unknown: { document: Document; status: string }[];
  /** What the templates of the folders say. */
  readonly templates: ReadonlySet<string>;
}

/** One document that is being checked. */
export interface CheckedDocument {
  readonly document: Document;
  readonly page: Markdown;
  /** A record with or without a number or date in its name, a template in a folder of records, or any other page. */
  readonly kind: "record" | "unnumbered" | "template" | "page";
  /** Whether it may lack parts: a decision that is no longer in force, or a page that only says where it has moved. */
  readonly isDone: boolean;
  /** The number of the first line that fits, counted from 1; 0 if none does. */
  readonly lineOf: (fits: (line: string) => boolean) => number;
  readonly report: (rule: string, message: string, line?: number) => void;
  /** Notes the parts that are missing, "" for one without a name. Reported unless most documents of the folder lack them. */
  readonly lacks: (rule: string, message: string, missing: readonly string[]) => void;
}
