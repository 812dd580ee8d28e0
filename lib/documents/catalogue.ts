/**
 * What is on the shelf? An immutable picture of all documents at one moment, and how to find one in it.
 */

import type { DecisionRecord } from "./record.ts";
import type { FileStatus } from "../../deps.ts";
import type { Finding } from "./finding.ts";
import type { Address } from "./uri.ts";
import { recordFolder, recordNumber } from "./record_name.ts";
import { followPath, parseUri } from "./uri.ts";

/** One document. */
export interface Document {
  /** The category and path of its URI: "adr/007-use-x". */
  readonly key: string;
  /** The folder that it is listed under: "adr". */
  readonly category: string;
  /** The file name without its ending. */
  readonly name: string;
  /** From the front matter or the first heading, or else the name. */
  readonly title: string;
  /** What it is about: one line of 200 characters at most. */
  readonly description: string | undefined;
  /** The facts of a decision record; only for documents of the category `adr`. */
  readonly record: DecisionRecord | undefined;
  /** From the front matter. */
  readonly tags: readonly string[];
  /** The files that it is about, as patterns; from `applies-to` in the front matter. */
  readonly appliesTo: readonly string[];
  /** The file as its owner knows it: "adr/007-use-x.md". */
  readonly label: string;
  /** What the file was when it was described. */
  readonly status: FileStatus;
  /** Another one for another text; see `fingerprint.ts`. */
  readonly fingerprint: number;
  /** Where the file is, and the real path it must lie in. Never leaves the server. */
  readonly path: string;
  /** The real path of the folder that it must lie in. Never leaves the server. */
  readonly within: string;
}

/** What a URI led to: one document, several that a number is not enough to tell apart, or nothing. */
export type Found =
  | { readonly kind: "document"; readonly document: Document; readonly address: Address }
  | { readonly kind: "ambiguous"; readonly candidates: readonly Document[]; readonly address: Address }
  | { readonly kind: "none" };

const NOTHING: Found = Object.freeze({ kind: "none" });

/** All documents at one moment. */
export class Catalogue {
  /** Sorted by URI, in code-unit order. */
  readonly documents: readonly Document[];
  /** The names of the categories, sorted; a category may be empty. */
  readonly categories: readonly string[];
  /** What was found wrong while the picture was taken. */
  readonly findings: readonly Finding[];
  readonly #byKey: ReadonlyMap<string, Document>;
  readonly #byNumber: ReadonlyMap<string, readonly Document[]>;

  /** Copies and sorts what it is given; no two documents have the same key. */
  constructor(documents: Iterable<Document>, categories: Iterable<string>, findings: Iterable<Finding>) {
    this.documents = Object.freeze([...documents].sort((left, right) => left.key < right.key ? -1 : 1));
    this.categories = Object.freeze([...categories].sort());
    this.findings = Object.freeze([...findings]);
    this.#byKey = new Map(this.documents.map((document) => [document.key, document]));
    this.#byNumber = Map.groupBy(
      this.documents.filter((document) => document.record?.number !== undefined),
      (document) => numberKey(recordFolder(document.key), document.record!.number!),
    );
  }

  /** Finds what a URI names, in either scheme, encoded or raw; for a decision record, its number is enough. */
  find(uri: string): Found {
    const address = parseUri(uri);
    if (!address) return NOTHING;
    const document = this.#byKey.get(address.key);
    if (document) return { kind: "document", document, address };
    const numbered = this.#findByNumber(address.key);
    const [only] = numbered;
    if (!only) return NOTHING;
    return numbered.length === 1
      ? { kind: "document", document: only, address }
      : { kind: "ambiguous", candidates: numbered, address };
  }

  /** The documents whose key a pattern matches, in URI order; see `toMatcher`. */
  match(pattern: string): readonly Document[] {
    const matches = toMatcher(pattern);
    return this.documents.filter((document) => matches(document.key));
  }

  /** The document with a key, exactly as it is written. */
  get(key: string): Document | undefined {
    return this.#byKey.get(key);
  }

  /** Finds what a decision record refers to: "0005-use-y.md", "../adr/005-use-y.md#decision", "5", "ADR-5", "5. Use Y". */
  resolve(from: Document, reference: string): Document | undefined {
    if (parseUri(reference)) {
      const found = this.find(reference);
      return found.kind === "document" ? found.document : undefined;
    }
    // What follows a space is part of a text: "ADR #5".
    const target = reference.replace(/(?<=\S)[?#].*$/, "");
    const key = followPath(from.key, target);
    const document = key === undefined ? undefined : this.#byKey.get(key);
    // A path from the root of a web site says at its end what is meant.
    const name = target.startsWith("/") ? target.slice(target.lastIndexOf("/") + 1) : target;
    const number = document ? undefined : recordNumber(name);
    if (number === undefined) return document;
    const [only, ...others] = this.#byNumber.get(numberKey(recordFolder(from.key), number)) ?? [];
    return others.length === 0 ? only : undefined;
  }

  #findByNumber(key: string): readonly Document[] {
    const name = key.slice(key.lastIndexOf("/") + 1);
    const number = /^(?:adr-)?\d+$/i.test(name) ? recordNumber(name) : undefined;
    return number === undefined ? [] : this.#byNumber.get(numberKey(folderOf(key), number)) ?? [];
  }
}

/**
 * Compiles a pattern over keys: `*` stands for any characters within a segment, `**` for any across segments.
 *
 * All ways to match are followed at once, so a pattern full of stars costs no more than its length times the key's.
 */
export function toMatcher(pattern: string): (key: string) => boolean {
  const parts = pattern.split(/(\*+)/);
  return (key) => {
    let ends: ReadonlySet<number> = new Set([0]);
    for (const [index, part] of parts.entries()) {
      if (ends.size === 0) return false;
      ends = index % 2 === 0 ? afterText(key, part, ends) : afterStar(key, part.length > 1, ends);
    }
    return ends.has(key.length);
  };
}

/** The places where a text ends that begins at one of the given places. */
function afterText(key: string, text: string, starts: ReadonlySet<number>): Set<number> {
  const ends = new Set<number>();
  for (const start of starts) if (key.startsWith(text, start)) ends.add(start + text.length);
  return ends;
}

/** The places that a star can reach from one of the given places. */
function afterStar(key: string, acrossSegments: boolean, starts: ReadonlySet<number>): Set<number> {
  const ends = new Set<number>();
  let reached = false;
  for (let place = 0; place <= key.length; place++) {
    if (key[place - 1] === "/" && !acrossSegments) reached = false;
    reached ||= starts.has(place);
    if (reached) ends.add(place);
  }
  return ends;
}

function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/"));
}

function numberKey(folder: string, number: number): string {
  return `${folder}#${number}`;
}
