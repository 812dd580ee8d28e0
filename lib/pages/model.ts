/** What the pages show: a snapshot of the documents, and what is derived from all of them. */

import type { Catalogue } from "../documents/catalogue.ts";
import type { Document } from "../documents/document.ts";
import type { Finding } from "../documents/finding.ts";
import type { FileSystem } from "../platform/platform.ts";
import type { DocumentStore } from "../documents/store.ts";
import type { Relation } from "./relations.ts";
import { inSlices } from "../base/async.ts";
import { compare } from "../base/text.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { readLinks } from "../formats/markdown/links.ts";
import { recordFolder } from "../documents/records/name.ts";
import { currentStatus } from "../documents/records/status.ts";
import { relations } from "./relations.ts";

/** The repository that the documents are in. */
export interface Repository {
  /** The name of the project. */
  readonly title: string;
  /** Where a file is edited and shown on the code host, and the address of its root there; undefined if unknown. */
  urlsOf(path: string): Readonly<Record<"edit" | "view" | "top", string>> | undefined;
}

/** What the pages show in addition to the documents. */
interface ModelOptions {
  /** Where images are read. */
  readonly files: FileSystem;
  readonly repository: Repository;
  readonly check: () => Promise<readonly Finding[]>;
  /** The current date: "2026-07-28". */
  readonly today: string;
  /** A note on every page, for example that the documents are a sample. */
  readonly note?: string | undefined;
}

/** The documents that link to a document, by the key of that document. */
type Backlinks = ReadonlyMap<string, ReadonlySet<Document>>;

export type Facet = "category" | "status" | "tag";
type Facets<T> = Readonly<Record<Facet, readonly T[]>>;

/** The link targets of each document. It is a cache: unchanged documents stay the same objects. */
const targets = new WeakMap<Document, readonly string[]>();

export class Model {
  readonly store: DocumentStore;
  readonly catalogue: Catalogue;
  readonly options: ModelOptions;
  readonly relations: readonly Relation[];
  /** By the key of each of its two ends. */
  readonly #related: ReadonlyMap<string, readonly (readonly [key: string, relation: Relation])[]>;
  /** The documents with a date, newest first. */
  readonly newest: readonly Document[];
  /** The records of each folder, in the order of their keys. */
  readonly siblings: ReadonlyMap<string, readonly Document[]>;
  /** Whether any document says which files it applies to. */
  readonly hasPatterns: boolean;
  readonly counts: Facets<readonly [value: string, count: number]>;
  #backlinks: Promise<Backlinks> | undefined;
  #findings: Promise<readonly Finding[]> | undefined;

  constructor(store: DocumentStore, options: ModelOptions) {
    this.store = store;
    this.options = options;
    const { documents } = this.catalogue = store.catalogue;
    this.relations = relations(this.catalogue);
    const ends = this.relations.flatMap((one) => [[one.from, one] as const, [one.to, one] as const]);
    this.#related = Map.groupBy(ends, ([key]) => key);
    this.siblings = Map.groupBy(documents.filter(({ record }) => record), ({ key }) => recordFolder(key));
    this.hasPatterns = documents.some(({ appliesTo }) => appliesTo.length > 0);
    const counted = (facet: Facet) => countBy(documents, facet);
    this.counts = { category: counted("category"), status: counted("status"), tag: counted("tag") };
    this.newest = documents.filter(dayOf)
      .sort((one, other) => compare(dayOf(other) + other.key, dayOf(one) + one.key));
  }

  /** The relations that a document has, from either end. */
  relationsOf({ key }: Pick<Document, "key">): Relation[] {
    return (this.#related.get(key) ?? []).map(([, relation]) => relation);
  }

  get findings(): Promise<readonly Finding[]> {
    return this.#findings ??= this.options.check();
  }

  get backlinks(): Promise<Backlinks> {
    return this.#backlinks ??= inSlices(this.#findLinks());
  }

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

  /** A document with its predecessors and successors, sorted by key. */
  history({ key }: Document): Document[] {
    const keys = new Set([key]);
    for (const key of keys) {
      for (const { kind, from, to } of this.relationsOf({ key })) {
        if (kind === "supersedes") keys.add(from).add(to);
      }
    }
    return this.catalogue.documents.filter(({ key }) => keys.has(key));
  }
}

/** The date of a record, such as "2026-07-28"; "" if it has no valid date. */
export const dayOf = ({ record }: Document): string =>
  /^\d{4}-\d{2}-\d{2}/.exec(record?.date ?? "")?.[0] ?? "";

export function facetsOf(document: Document): Facets<string> {
  const { category, tags } = document, status = currentStatus(document);
  return { category: [category], status: status === undefined ? [] : [status], tag: [...new Set(tags)] };
}

/** The number of documents per value, most frequent first. */
export function countBy(documents: readonly Document[], facet: Facet): [value: string, count: number][] {
  const groups = Map.groupBy(documents.flatMap((document) => facetsOf(document)[facet]), (value) => value);
  const counts = Array.from(groups, ([value, { length }]) => [value, length] as [string, number]);
  return counts.sort(([one, many], [other, more]) => more - many || compare(one, other));
}
