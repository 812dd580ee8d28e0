/** An immutable snapshot of all documents, and how to find one in it. */

import type { Document, Found, ReadTarget, RecordFolder } from "./document.ts";
import type { Access } from "../mcp/server/access.ts";
import type { Change } from "../mcp/server/changes.ts";
import type { Resource, ResourceTemplate } from "../mcp/protocol/types.ts";
import type { Finding } from "./finding.ts";

import { recordFolder, recordName, recordNumber, recordSubNumber } from "./records/name.ts";
import { decode, followPath, parseUri } from "./uri.ts";

/** The maximum number of cached parts of a catalogue. Clients that may see the same categories share one. */
const MAX_PARTS = 16;

/** All documents at one moment. */
export class Catalogue {
  /** Sorted by URI, in code-unit order. */
  readonly documents: readonly Document[];
  /** The names of the categories, sorted. A category may be empty. */
  readonly categories: readonly string[];
  /** The problems of the files. */
  readonly findings: readonly Finding[];
  /** The folders of decision records, or with documents that look like records; sorted by name. */
  readonly recordFolders: readonly RecordFolder[];
  /** The names of the categories that it lacks because a client must not see them, joined by slashes. */
  readonly hidden: string;
  /** @internal Its lists, cached by the store. */
  readonly lists: { resources?: readonly Resource[]; templates?: readonly ResourceTemplate[] } = {};
  /** @internal What URIs name, by URI as clients spell it, cached by the store. */
  readonly targets: Map<string, ReadTarget> = new Map();
  readonly #parts = new Map<string, Catalogue>();
  readonly #byKey: ReadonlyMap<string, Document>;
  /**
   * Decision records by number, in their folder ("billing/adr#7") and in all folders of their category ("billing/#7"); those with a
   * number such as 12a or 12.1 only in their folder.
   */
  readonly #byNumber: ReadonlyMap<string, readonly Document[]>;

  /** Copies and sorts its arguments. Two documents must not have the same key. */
  constructor(
    documents: Iterable<Document>,
    categories: Iterable<string>,
    findings: Iterable<Finding>,
    recordFolders: readonly RecordFolder[] = [],
    hidden: string = "",
  ) {
    this.hidden = hidden;
    this.recordFolders = Object.freeze([...recordFolders]);
    this.documents = Object.freeze([...documents].sort((left, right) => left.key < right.key ? -1 : 1));
    this.categories = Object.freeze([...categories].sort());
    this.findings = Object.freeze([...findings]);
    this.#byKey = new Map(this.documents.map((document) => [document.key, document]));
    const numbered = this.documents.filter(({ record }) => record?.number !== undefined);
    const parts = this.documents.filter(({ record, label }) =>
      record && record.number === undefined && recordSubNumber(recordName(label)) !== undefined
    );
    this.#byNumber = new Map([
      ...Map.groupBy(numbered, ({ key, record }) => `${recordFolder(key)}#${record!.number}`),
      ...Map.groupBy(numbered, ({ key, record }) => `${key.slice(0, key.indexOf("/"))}/#${record!.number}`),
      ...Map.groupBy(parts, ({ key, label }) => `${recordFolder(key)}#${recordSubNumber(recordName(label))}`),
    ]);
  }

  /** The part that a client may see; the same object for all clients that may see the same categories. */
  visibleTo(access: Access): Catalogue {
    const hidden = this.categories.filter((name) => !access.allows("categories", name));
    if (hidden.length === 0) return this;
    const key = hidden.join("/"), known = this.#parts.get(key);
    if (known) return known;
    const isVisible = (category: string) => !hidden.includes(category);
    const documents = this.documents.filter(({ category }) => isVisible(category));
    const part = new Catalogue(documents, this.categories.filter(isVisible), [], [], key);
    if (this.#parts.size >= MAX_PARTS) this.#parts.clear();
    this.#parts.set(key, part);
    return part;
  }

  /** Finds what a URI of either scheme names, encoded or not. Also finds a record by its number, and a name with `.md` at its end. */
  find(uri: string): Found {
    const address = parseUri(uri);
    if (!address) return { documents: [], address };
    const { scheme, key } = address;
    const documents = this.#named(key);
    const isFileName = documents.length === 0 && scheme === "architecture" && key.endsWith(".md");
    return { documents: isFileName ? this.#named(key.slice(0, -".md".length)) : documents, address };
  }

  #named(key: string): readonly Document[] {
    const document = this.#byKey.get(key);
    if (document) return [document];
    const [, folder, name] = /^(.*)\/((?:[a-z]+-)?\d+)$/i.exec(key) ?? [];
    if (folder === undefined || name === undefined) return [];
    // The records of the folder itself, else those of all folders of the category.
    const number = recordNumber(name), own = this.numbered(folder, number);
    return own.length > 0 || folder.includes("/") ? own : this.numbered(`${folder}/`, number);
  }

  /** The document with exactly this key. */
  get(key: string): Document | undefined {
    return this.#byKey.get(key);
  }

  /** The decision records of a folder that have this number, in URI order; for "billing/", of all folders of the category. */
  numbered(folder: string, number: number | string | undefined): readonly Document[] {
    return this.#byNumber.get(`${folder}#${number}`) ?? [];
  }

  /** The target of a link, if it is an architecture: URI, a relative path to a markdown file (then with its key), or "#section". */
  follow(
    from: Document,
    target: string,
  ): { documents: readonly Document[]; key: string | undefined; fragment: string } | undefined {
    const [, path = "", encoded = ""] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(target)!;
    const fragment = decode(encoded);
    const { documents, address } = this.find(target);
    if (address?.scheme === "architecture") return { documents, key: undefined, fragment };
    if (target.startsWith("#")) return { documents: [from], key: from.key, fragment };
    if (!/\.(?:md|markdown|mdx)$/i.test(path) || /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path)) return undefined;
    const key = followPath(from.key, path) ?? "", document = this.get(key);
    return { documents: document ? [document] : [], key, fragment };
  }

  /** Finds what a record refers to: "0005-use-y.md", "../adr/005-use-y.md#decision", "5", "ADR-5", "5. Use Y". */
  resolve(from: Document, reference: string): Document | undefined {
    if (parseUri(reference)) return only(this.find(reference).documents);
    // After a space, these marks do not begin a fragment or query: "ADR #5".
    const target = reference.replace(/(?<=\S)[?#].*$/, "").replace(/\/$/, "");
    const document = this.#byKey.get(followPath(from.key, target) ?? "");
    if (document) return document;
    // Of a path from the root of a web site, only the last segment counts.
    const name = target.startsWith("/") ? target.slice(target.lastIndexOf("/") + 1) : target;
    const number = recordNumber(name) ?? recordSubNumber(name);
    return number === undefined ? undefined : only(this.numbered(recordFolder(from.key), number));
  }
}

function only(documents: readonly Document[]): Document | undefined {
  return documents.length === 1 ? documents[0] : undefined;
}

/** The change from one snapshot to the next; undefined when clients cannot see a difference. */
export function changeBetween(before: Catalogue, after: Catalogue): Change | undefined {
  const changed = new Set<string>();
  // What clients see of a document in lists, except its size and time.
  const listed = ({ name, title, description, record }: Document) =>
    JSON.stringify([name, title, description, record]);
  let listChanged = before.categories.join("/") !== after.categories.join("/");
  for (const { key } of [...before.documents, ...after.documents]) {
    const old = before.get(key), now = after.get(key);
    if (old === now) continue;
    if (old?.fingerprint !== now?.fingerprint) changed.add(key);
    if (!old || !now || listed(old) !== listed(now)) listChanged = true;
  }
  if (!listChanged && changed.size === 0) return undefined;
  const affects = (uri: string) =>
    [before, after].some((catalogue) => catalogue.find(uri).documents.some(({ key }) => changed.has(key)));
  return { listChanged, affects };
}
