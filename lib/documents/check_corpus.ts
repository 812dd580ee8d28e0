/** The state of a check: facts from the catalogue, facts collected from the texts, and the findings. */

import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { Finding } from "./finding.ts";
import type { Markdown } from "../formats/markdown/document.ts";
import type { RecordWords, RelationName } from "./records/record.ts";
import type { DocumentStore } from "./store.ts";
import type { Scheme } from "./uri.ts";
import { recordFolder } from "./records/name.ts";
import { templatesIn } from "./records/template_text.ts";

/** Options of the rules. */
export interface LintOptions {
  /** The current date, such as "2026-07-28". @default {today in UTC} */
  readonly today?: string;
  /** The number of days after which a decision that is still to be made is reported. @default {180} */
  readonly proposedDays?: number | undefined;
  /** The files of the code, as paths from its root. Patterns that match no file, and missing files, are reported. @default {unknown} */
  readonly code?: readonly string[] | undefined;
  /** The rules that apply even if most documents of a folder break them, or if they are off by default. @default {none} */
  readonly strict?: readonly string[] | undefined;
  /** The titles of the sections that a document must have. @default {none} */
  readonly required?: ((document: Document) => readonly string[] | undefined) | undefined;
  /** Whether a document links to an image that can be shown. @default {images are not checked} */
  readonly hasImage?: ((document: Document, target: string) => boolean) | undefined;
  /** The scheme of the URIs in findings. @default {"architecture"} */
  readonly scheme?: Scheme | undefined;
}

/** What is checked: documents, their texts, and the words of the team. */
export type CheckedSource =
  & Pick<DocumentStore, "catalogue" | "text">
  & Partial<Pick<DocumentStore, "options">>;

/** The state of a check: facts from the catalogue, facts collected from the texts, and the findings. */
export class Corpus {
  readonly catalogue: Catalogue;
  readonly options: LintOptions;
  readonly today: string;
  readonly words: RecordWords | undefined;
  readonly findings: Finding[] = [];
  /** The folders in which a record states a status. In other folders, none does by custom. */
  readonly stating: ReadonlySet<string>;
  /** The folders of decision records. */
  readonly ofRecords: ReadonlySet<string>;
  /** Whether `adr/` is a folder of the root, and no mounted one. */
  readonly ownsRecords: boolean;
  /** What the templates of the folders say. */
  readonly templates: ReadonlySet<string>;
  readonly links: { from: Document; target: string; line: number }[] = [];
  readonly relations: { from: Document; kind: RelationName; reference: string; line: number }[] = [];
  /** The fragments that each document has, by key. */
  readonly anchors: Map<string, ReadonlySet<string>> = new Map();
  /** The patterns of files that documents apply to, and the files of the code that records cite. */
  readonly paths: { document: Document; path: string; line: number; isPattern: boolean }[] = [];
  /** What documents lack, which may be the custom of their folder. */
  readonly lacking: { rule: string; document: Document; message: string; missing: readonly string[] }[] = [];
  readonly crlf: Document[] = [];
  /** The records whose status is not a known one. */
  readonly unknown: { document: Document; status: string }[] = [];

  constructor(source: CheckedSource, options: LintOptions) {
    const { documents, recordFolders } = this.catalogue = source.catalogue;
    this.options = options;
    this.words = source.options?.words;
    this.today = options.today ?? new Date().toISOString().slice(0, 10);
    this.stating = new Set(documents.flatMap(({ key, record }) => record?.status ? recordFolder(key) : []));
    this.ofRecords = new Set(recordFolders.flatMap(({ folder, isRecords }) => isRecords ? folder : []));
    const { root, mounts = [] } = source.options ?? {};
    this.ownsRecords = root !== undefined && !mounts.some(({ name }) => name.split("/", 1)[0] === "adr");
    this.templates = templatesIn(documents, (document) => source.text(document));
  }
}

/** One document that is being checked. */
export interface CheckedDocument {
  readonly document: Document;
  readonly page: Markdown;
  /** A record with or without a number or date in its name, a template in a folder of records, or any other page. */
  readonly kind: "record" | "unnumbered" | "template" | "page";
  readonly report: (rule: string, message: string, line?: number) => void;
  /** Notes the parts that are missing, "" for one without a name. Reported unless most documents of the folder lack them. */
  readonly lacks: (rule: string, message: string, missing: readonly string[]) => void;
}
