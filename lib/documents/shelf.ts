/**
 * What is on the shelf now, and what does it say? Holds the current catalogue and the texts that were asked for.
 *
 * Nothing is read before something is asked for: a server answers its first requests while no folder has been opened.
 */

import type { FileStatus, FileSystem } from "../../deps.ts";
import type { Catalogue, Document } from "./catalogue.ts";
import type { Finding } from "./finding.ts";
import type { Shelves } from "./index_files.ts";
import { isUnchanged, readInside } from "./contain.ts";
import { decodeDocument, indexFiles } from "./index_files.ts";
import { MAX_DOCUMENT_BYTES } from "./scan.ts";
import { inSlices } from "./slices.ts";

/** How much encoded text is kept, in bytes; what was not asked for longest is given up first. */
export const MAX_KEPT_BYTES: number = 64 * 1024 * 1024;
/** For how long a kept text is given out without a look at its file, in milliseconds. */
export const TRUST_KEPT_MS = 1000;

/** A text that is encoded and kept. */
interface Kept {
  /** The text as a JSON string, quotes included, in UTF-8. */
  readonly json: Uint8Array;
  readonly status: FileStatus;
  checked: number;
}

/** The documents of one server. Needs read permission for the folders that it is given. */
export class Shelf {
  readonly #files: FileSystem;
  readonly #shelves: Shelves;
  readonly #report: (finding: Finding) => void;
  #catalogue: Catalogue | undefined;
  /** The look that is under way; several that ask for one share it. */
  #indexing: Promise<Catalogue> | undefined;
  /** The look that follows it, when somebody asked for one meanwhile. */
  #next: Promise<Catalogue> | undefined;
  /** The findings that were reported, by place and rule. */
  readonly #reported = new Set<string>();
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;

  /**
   * Takes note of where the documents are; nothing is read before `ready`.
   *
   * @param report Takes each finding once, when the documents are indexed. @default {nobody}
   */
  constructor(files: FileSystem, shelves: Shelves, report: (finding: Finding) => void = () => {}) {
    this.#files = files;
    this.#shelves = shelves;
    this.#report = report;
  }

  /** Settles when there is a catalogue; the first call begins to index, and everything else goes on meanwhile. */
  ready(): Promise<Catalogue> {
    return this.#catalogue ? Promise.resolve(this.#catalogue) : this.#indexing ??= this.#index();
  }

  /**
   * The current catalogue.
   *
   * @throws {Error} When it was never made ready.
   */
  get catalogue(): Catalogue {
    if (!this.#catalogue) throw new Error("Cannot look into the shelf: wait for ready() first");
    return this.#catalogue;
  }

  /** Looks at all files again and puts the new catalogue in the place of the old one, in one step. */
  reload(): Promise<Catalogue> {
    if (!this.#indexing) return this.#indexing = this.#index();
    // The look that is under way may be past what has changed, so one more follows it.
    const next = () => {
      this.#next = undefined;
      return this.reload();
    };
    return this.#next ??= this.#indexing.then(next, next);
  }

  /** Files that did not change keep their description; findings that were reported are not reported again. */
  async #index(): Promise<Catalogue> {
    try {
      return this.#catalogue = await this.#look();
    } finally {
      this.#indexing = undefined;
    }
  }

  async #look(): Promise<Catalogue> {
    const catalogue = await inSlices(indexFiles(this.#files, this.#shelves, this.#catalogue));
    for (const finding of catalogue.findings) {
      const name = `${finding.file}:${finding.line}:${finding.rule}`;
      if (!this.#reported.has(name)) this.#report(finding);
      this.#reported.add(name);
    }
    return catalogue;
  }

  /**
   * The text of a document as a JSON string in UTF-8, quotes included; undefined when it cannot be read any more.
   *
   * The bytes are kept and must not be changed.
   */
  json(document: Document): Uint8Array | undefined {
    const kept = this.#kept.get(document.key);
    if (kept && this.#isFresh(document, kept)) {
      // Back to the end of the line of those that are given up.
      this.#kept.delete(document.key);
      this.#kept.set(document.key, kept);
      return kept.json;
    }
    return this.#keep(document);
  }

  /** The text of a document; undefined when it cannot be read any more. */
  text(document: Document): string | undefined {
    return this.#read(document)?.text;
  }

  #read(document: Document): { readonly text: string; readonly status: FileStatus } | undefined {
    const file = readInside(this.#files, document.path, document.within, MAX_DOCUMENT_BYTES);
    const text = file && decodeDocument(file.bytes);
    return text === undefined ? undefined : { text, status: file!.status };
  }

  #keep(document: Document): Uint8Array | undefined {
    this.#giveUp(document.key);
    const read = this.#read(document);
    if (!read) return undefined;
    const json = new TextEncoder().encode(JSON.stringify(read.text));
    this.#kept.set(document.key, { json, status: read.status, checked: performance.now() });
    this.#keptBytes += json.length;
    for (const key of this.#kept.keys()) {
      if (this.#keptBytes <= MAX_KEPT_BYTES) break;
      this.#giveUp(key);
    }
    return json;
  }

  #giveUp(key: string): void {
    this.#keptBytes -= this.#kept.get(key)?.json.length ?? 0;
    this.#kept.delete(key);
  }

  /** A look at the file now and then costs little, and bounds how old an answer can be whatever else fails. */
  #isFresh(document: Document, kept: Kept): boolean {
    const now = performance.now();
    if (now - kept.checked < TRUST_KEPT_MS) return true;
    kept.checked = now;
    try {
      return isUnchanged(kept.status, this.#files.status(document.path));
    } catch {
      return false;
    }
  }
}
