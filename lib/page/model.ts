/** What the pages show: the documents at one moment, with what is derived from all of them together. */

import type { Catalogue, Document } from "../documents/catalogue.ts";
import type { Finding } from "../documents/folder_store.ts";
import type { DocumentStore } from "../documents/store.ts";
import type { Relation } from "../graph/relations.ts";
import { inSlices } from "../base/async.ts";
import { compare } from "../base/text.ts";
import { readLinks, readMarkdown } from "../documents/markdown.ts";
import { currentStatus, isOverdue } from "../documents/metadata.ts";
import { relations } from "../graph/relations.ts";

/** What the pages show beside the documents. */
export interface ModelOptions {
  /** Finds what is wrong with the documents, as `check` does. */
  readonly check: () => Promise<readonly Finding[]>;
  /** The current date: "2026-07-28". */
  readonly today: string;
  /** Said on every page: that the documents are a sample. @default {nothing} */
  readonly note?: string | undefined;
}

/** The documents that link to others, by the key of the other. */
type Backlinks = ReadonlyMap<string, ReadonlySet<Document>>;

/** The targets of the links in a document, by the document as it was read: it stays when others change. */
const targets = new WeakMap<Document, readonly string[]>();

/** The documents at one moment. Views read it and change nothing; `prepare` loads what some of them need first. */
export class Model {
  readonly store: DocumentStore;
  readonly catalogue: Catalogue;
  readonly options: ModelOptions;
  /** Empty until it is prepared. */
  backlinks: Backlinks = new Map();
  /** What `check` finds. Empty until it is prepared. */
  findings: readonly Finding[] = [];
  #relations: readonly Relation[] | undefined;
  #newest: readonly Document[] | undefined;
  #counts: Model["counts"] | undefined;
  #linked: Promise<Backlinks> | undefined;
  #checked: Promise<readonly Finding[]> | undefined;

  /** Takes the current catalogue of a store that is ready. */
  constructor(store: DocumentStore, options: ModelOptions) {
    this.store = store;
    this.catalogue = store.catalogue;
    this.options = options;
  }

  /** Loads what the page at an address needs beside the catalogue. */
  async prepare(address: string): Promise<void> {
    const document = this.documentAt(address);
    if (document) await this.store.readable(document);
    if (document || address === "graph.html") {
      this.backlinks = await (this.#linked ??= inSlices(this.#findLinks()));
    }
    if (address === "findings.html") this.findings = await (this.#checked ??= this.options.check());
  }

  /** What the records state of each other. */
  get relations(): readonly Relation[] {
    return this.#relations ??= relations(this.catalogue);
  }

  /** The document whose page has this address. */
  documentAt(address: string): Document | undefined {
    return address.endsWith(".html") ? this.catalogue.get(address.slice(0, -".html".length)) : undefined;
  }

  /** Reads each document that was not read before. */
  *#findLinks(): Generator<void, Backlinks> {
    const found = new Map<string, Set<Document>>();
    for (const document of this.catalogue.documents) {
      let own = targets.get(document);
      if (!own) {
        own = readLinks(readMarkdown(this.store.textOnce(document) ?? "")).links.map(({ target }) => target);
        targets.set(document, own);
        yield;
      }
      for (const target of own) {
        const [other, ...others] = this.catalogue.follow(document, target)?.documents ?? [];
        if (!other || others.length > 0 || other === document) continue;
        found.set(other.key, (found.get(other.key) ?? new Set()).add(document));
      }
    }
    return found;
  }

  /** The documents with a date, the newest first. */
  get newest(): readonly Document[] {
    const orderOf = (document: Document) => dayOf(document) + document.key;
    return this.#newest ??= this.catalogue.documents.filter((document) => dayOf(document) !== "")
      .sort((one, other) => compare(orderOf(other), orderOf(one)));
  }

  /** How often each category, status and tag occurs, the most frequent first. */
  get counts(): Readonly<Record<Countable, readonly (readonly [value: string, count: number])[]>> {
    const { documents } = this.catalogue;
    return this.#counts ??= {
      category: countBy(documents, ({ category }) => category),
      status: countBy(documents, currentStatus),
      tag: countBy(documents, ({ tags }) => [...new Set(tags)]),
    };
  }

  /** The documents that were to be reviewed before today, the longest overdue first. */
  overdue(): Document[] {
    const found = this.catalogue.documents.filter((document) => isOverdue(document, this.options.today));
    return found.sort((one, other) => compare(one.reviewBy!, other.reviewBy!));
  }

  /** The records that replace each other, with a given one among them: those that were replaced come before those that did. */
  successors({ key }: Document): Document[] {
    const stated = this.relations.filter(({ kind }) => kind === "supersedes");
    const follow = (end: "from" | "to", other: "from" | "to"): string[] => {
      const next = Map.groupBy(stated, (relation) => relation[end]);
      const keys = new Set([key]);
      for (const known of keys) for (const relation of next.get(known) ?? []) keys.add(relation[other]);
      return [...keys].slice(1);
    };
    const chain = new Set([...follow("from", "to").reverse(), key, ...follow("to", "from")]);
    return [...chain].flatMap((known) => this.catalogue.get(known) ?? []);
  }
}

/** The day of a record; "" where it states none that begins as "2026-07-28" does. */
export function dayOf({ record }: Document): string {
  return /^\d{4}-\d{2}-\d{2}/.exec(record?.date ?? "")?.[0] ?? "";
}

/** How often each value occurs, the most frequent first. */
export function countBy(
  documents: readonly Document[],
  valuesOf: (document: Document) => string | readonly string[] | undefined,
): [value: string, count: number][] {
  const groups = Map.groupBy(documents.flatMap((document) => valuesOf(document) ?? []), (value) => value);
  return Array.from(groups, ([value, { length }]): [string, number] => [value, length])
    .sort(([one, many], [other, more]) => more - many || compare(one, other));
}

export type Countable = "category" | "status" | "tag";

/** What a list of documents can be filtered by; "" allows all. */
export type Filter = Readonly<Record<Countable | "text", string>>;

/** The documents that a filter allows, in the order of their keys. */
export function filtered({ documents }: Catalogue, { category, status, tag, text }: Filter): Document[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return documents.filter((document) => {
    if (category !== "" && document.category !== category) return false;
    if (status !== "" && currentStatus(document) !== status) return false;
    if (tag !== "" && !document.tags.includes(tag)) return false;
    const { title, description = "", record } = document;
    const whole = words.length === 0 ? "" : `${record?.number ?? ""} ${title} ${description}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}
