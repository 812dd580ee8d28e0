/** What the pages show: the documents at one moment, with what is derived from all of them together. */

import type { Catalogue, Document } from "../documents/catalogue.ts";
import type { Finding } from "../documents/folder_store.ts";
import type { DocumentStore } from "../documents/store.ts";
import type { Scheme } from "../documents/uri.ts";
import { inSlices } from "../base/async.ts";
import { readLinks, readMarkdown } from "../documents/markdown.ts";
import { currentStatus, isOverdue, numberedTitle } from "../documents/metadata.ts";

/** How many documents are on a page of the list, and in the short lists of the overview. */
export const PAGE_SIZE = 100, SHORT_LIST = 10;
/** The addresses of the views beside the list and the documents; the last two need a server. */
const VIEWS = ["index.html", "findings.html", "paths.html", "search.html"] as const;
const LIVE_VIEWS: readonly string[] = ["paths.html", "search.html"];

/** Where the pages of a model come from, beside its store. */
export interface ModelOptions {
  /** Finds what is wrong with the documents, as `check` does. */
  readonly check: () => Promise<readonly Finding[]>;
  /** The current date: "2026-07-28". */
  readonly today: string;
  /** Said on every page: that the documents are a sample. @default {nothing} */
  readonly note?: string | undefined;
}

/** What a document links to, by the document as it was read: it stays when others change. */
const links = new WeakMap<Document, readonly string[]>();

/** The documents at one moment. Views read it and change nothing; `prepare` loads what a view needs first. */
export class Model {
  readonly catalogue: Catalogue;
  readonly options: ModelOptions;
  readonly #store: DocumentStore;
  #backlinks: Promise<ReadonlyMap<string, readonly Document[]>> | undefined;
  #checked: Promise<readonly Finding[]> | undefined;
  /** By key: the documents that link to it. Empty until it is prepared. */
  backlinks: ReadonlyMap<string, readonly Document[]> = new Map();
  /** What `check` finds. Empty until it is prepared. */
  findings: readonly Finding[] = [];

  get scheme(): Scheme {
    return this.#store.scheme;
  }

  /** Takes the current catalogue of a store that is ready. */
  constructor(store: DocumentStore, options: ModelOptions) {
    this.#store = store;
    this.catalogue = store.catalogue;
    this.options = options;
  }

  /** Loads what the view at an address needs beside the catalogue. */
  async prepare(address: string): Promise<void> {
    const document = this.documentAt(address);
    if (document) await this.#store.readable(document);
    if (document) this.backlinks = await (this.#backlinks ??= inSlices(this.#findLinks()));
    if (address === "findings.html") this.findings = await (this.#checked ??= this.options.check());
  }

  /** The text of a document; undefined when it cannot be read any more. */
  text(document: Document): string | undefined {
    return this.#store.text(document);
  }

  /** The document whose page has this address. */
  documentAt(address: string): Document | undefined {
    return address.endsWith(".html") ? this.catalogue.get(address.slice(0, -".html".length)) : undefined;
  }

  /** The addresses of all pages, relative to their base, without queries; those that answer forms only where there is a server. */
  addresses(isLive: boolean): string[] {
    const { documents } = this.catalogue;
    const pages = Array.from({ length: pageCount(documents.length) }, (_, index) => listAddress(index + 1));
    return [
      ...VIEWS.filter((view) => isLive || !LIVE_VIEWS.includes(view)),
      ...pages,
      ...documents.map(addressOf),
    ];
  }

  /** Whether there is a page at an address. */
  has(address: string, isLive: boolean): boolean {
    const page = listPage(address);
    if (page !== undefined) return page <= pageCount(this.catalogue.documents.length);
    if (LIVE_VIEWS.includes(address)) return isLive;
    return (VIEWS as readonly string[]).includes(address) || this.documentAt(address) !== undefined;
  }

  /** The documents with a date, the newest first. */
  newest(): Document[] {
    const dated = this.catalogue.documents.filter((document) => dayOf(document) !== "");
    return dated.sort((one, other) => dayOf(one) < dayOf(other) ? 1 : dayOf(one) > dayOf(other) ? -1 : 0);
  }

  /** The documents that were to be reviewed before today, the longest overdue first. */
  overdue(): Document[] {
    const found = this.catalogue.documents.filter((document) => isOverdue(document, this.options.today));
    return found.sort((one, other) => one.reviewBy! < other.reviewBy! ? -1 : 1);
  }

  /** Reads each document that was not read before. */
  *#findLinks(): Generator<void, ReadonlyMap<string, readonly Document[]>> {
    const found = new Map<string, Set<Document>>();
    for (const document of this.catalogue.documents) {
      let targets = links.get(document);
      if (!targets) {
        targets = readLinks(readMarkdown(this.#store.textOnce(document) ?? "")).links.map(({ target }) =>
          target
        );
        links.set(document, targets);
        yield;
      }
      for (const target of targets) {
        const [other, ...others] = this.catalogue.follow(document, target)?.documents ?? [];
        if (!other || others.length > 0 || other === document) continue;
        const linking = found.get(other.key) ?? new Set();
        found.set(other.key, linking.add(document));
      }
    }
    return new Map(Array.from(found, ([key, linking]) => [key, [...linking]]));
  }
}

/** The address of the page of a document. */
export function addressOf({ key }: { readonly key: string }): string {
  return `${key}.html`;
}

/** The address of a page of the list. */
export function listAddress(page: number): string {
  return page === 1 ? "documents.html" : `documents-${page}.html`;
}

/** The number of a page of the list; undefined for other addresses. */
export function listPage(address: string): number | undefined {
  const [, number] = /^documents(?:-([1-9]\d{0,5}))?\.html$/.exec(address) ?? [undefined, "none"];
  return number === "none" || number === "1" ? undefined : Number(number ?? 1);
}

/** How many pages a list of so many documents has. */
export function pageCount(documents: number): number {
  return Math.max(1, Math.ceil(documents / PAGE_SIZE));
}

/** The day of a record; "" where it states none that begins as "2026-07-28" does. */
export function dayOf({ record }: Document): string {
  return /^\d{4}-\d{2}-\d{2}/.exec(record?.date ?? "")?.[0] ?? "";
}

/** How a document is called: by its title, with the number of a record in front. */
export function nameOf({ title, record }: Document): string {
  return numberedTitle(title, record?.number);
}

/** How often each value occurs, the most frequent first. */
export function countBy(
  documents: readonly Document[],
  valuesOf: (document: Document) => string | readonly string[] | undefined,
): [value: string, count: number][] {
  const values = documents.flatMap((document) => valuesOf(document) ?? []);
  const groups = Map.groupBy(values, (value) => value);
  return Array.from(groups, ([value, { length }]): [string, number] => [value, length])
    .sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));
}

/** What a list of documents can be filtered by; undefined and "" allow all. */
export type Filter = Readonly<Partial<Record<"category" | "status" | "tag" | "text", string>>>;

/** The documents that a filter allows, in the order of their keys. */
export function filtered(
  { documents }: Catalogue,
  { category, status, tag, text }: Filter,
): readonly Document[] {
  const words = (text ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (!category && !status && !tag && words.length === 0) return documents;
  return documents.filter((document) => {
    if (category && document.category !== category) return false;
    if (status && currentStatus(document) !== status) return false;
    if (tag && !document.tags.includes(tag)) return false;
    const whole = words.length === 0
      ? ""
      : `${document.record?.number ?? ""} ${document.title} ${document.description ?? ""}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}
