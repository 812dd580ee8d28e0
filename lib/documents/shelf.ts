/**
 * What is on the shelf now, and what does it say? Holds the current catalogue and the texts that were asked for.
 *
 * Nothing is read before something is asked for: a server answers its first requests while no folder has been opened.
 */

import type { FileStatus, FileSystem } from "../../deps.ts";
import type { Catalogue, Document } from "./catalogue.ts";
import type { Difference } from "./difference.ts";
import type { Finding } from "./finding.ts";
import type { Shelves } from "./index_files.ts";
import type { ReadFile } from "./contain.ts";
import type { Look } from "./watch.ts";
import { isUnchanged, readInside } from "./contain.ts";
import { compare, isSame } from "./difference.ts";
import { decodeDocument, indexFiles } from "./index_files.ts";
import { MAX_DOCUMENT_BYTES } from "./scan.ts";
import { inSlices } from "../base/async.ts";
import { statusOf, Unsettled } from "./unsettled.ts";

/** How much encoded text is kept, in bytes; what was not asked for longest is given up first. */
export const MAX_KEPT_BYTES: number = 64 * 1024 * 1024;
/** For how long a kept text is given out without a look at its file, in milliseconds. */
export const TRUST_KEPT_MS = 1000;
/** How often somebody who waits looks whether a file is whole by now, in milliseconds. */
const WAIT_MS = 20;

/** A text that is encoded and kept. */
interface Kept {
  /** The text as a JSON string, quotes included, in UTF-8. */
  readonly json: Uint8Array;
  readonly status: FileStatus;
  checked: number;
}

/** Who is told of what. */
export interface ShelfEvents {
  /** Takes each finding when it is first met, and again when it was gone meanwhile. @default {nobody} */
  readonly onfinding?: ((finding: Finding) => void) | undefined;
  /** Takes what a look found changed, when the new catalogue is in place. @default {nobody} */
  readonly onchange?: ((difference: Difference) => void) | undefined;
}

/** The documents of one server. Needs read permission for the folders that it is given. */
export class Shelf {
  readonly #files: FileSystem;
  readonly #shelves: Shelves;
  readonly #events: ShelfEvents;
  #catalogue: Catalogue | undefined;
  /** The look that is under way; several that ask for one share it. */
  #indexing: Promise<Catalogue> | undefined;
  /** The look that follows it, when somebody asked for one meanwhile. */
  #next: Promise<Catalogue> | undefined;
  /** The findings of the last look, by place and rule. */
  #reported: ReadonlySet<string> = new Set();
  #last: Look = { folders: new Set(), isSettled: true };
  readonly #unsettled: Unsettled;
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;

  /** Takes note of where the documents are; nothing is read before `ready`. */
  constructor(files: FileSystem, shelves: Shelves, events: ShelfEvents = {}) {
    this.#files = files;
    this.#shelves = shelves;
    this.#events = events;
    this.#unsettled = new Unsettled(files);
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

  /** What the last look says to whoever decides when the next one is due. */
  get lastLook(): Look {
    return this.#last;
  }

  /** Looks at all files again and puts the new catalogue in the place of the old one, in one step. */
  look(): Promise<Catalogue> {
    if (!this.#indexing) return this.#indexing = this.#index();
    // The look that is under way may be past what has changed, so one more follows it.
    const next = () => {
      this.#next = undefined;
      return this.look();
    };
    return this.#next ??= this.#indexing.then(next, next);
  }

  /** Looks at all files again, and until every file that is being written has come to rest. */
  async reload(): Promise<Catalogue> {
    while (true) {
      const catalogue = await this.look();
      if (this.#last.isSettled) return catalogue;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }

  async #index(): Promise<Catalogue> {
    try {
      const before = this.#catalogue;
      const after = await this.#look(before);
      // The same picture stays the same object: much is kept beside it.
      if (before && isSame(before, after)) return before;
      this.#catalogue = after;
      this.#dropOld(after);
      const difference = before && compare(before, after);
      if (difference) this.#events.onchange?.(difference);
      return after;
    } finally {
      this.#indexing = undefined;
    }
  }

  /** Files that did not change keep their description; findings that were there before are not reported again. */
  async #look(before: Catalogue | undefined): Promise<Catalogue> {
    const { catalogue, ...look } = await inSlices(indexFiles(
      this.#files,
      this.#shelves,
      before && {
        catalogue: before,
        isBeingWritten: (path, before, now) => this.#unsettled.has(path, before, now),
        isKept: ({ key }) => this.#kept.has(key),
        take: (document, text) => this.#renew(document, text),
      },
    ));
    this.#last = look;
    const known = this.#reported;
    // What is being written was not looked at, so its findings are not over.
    const names = new Set(look.isSettled ? [] : known);
    for (const finding of catalogue.findings) {
      const name = `${finding.file}:${finding.line}:${finding.rule}`;
      names.add(name);
      if (!known.has(name)) this.#events.onfinding?.(finding);
    }
    this.#reported = names;
    return catalogue;
  }

  /** Texts of files that are gone are given up at once; those of files that changed were renewed. */
  #dropOld(after: Catalogue): void {
    for (const key of this.#kept.keys()) if (!after.get(key)) this.#giveUp(key);
  }

  /**
   * When a document can be read: undefined when it can be now. While its file is being written, what is kept of it can
   * be read on; where nothing is, this settles when the file has come to rest.
   */
  settled(document: Document): Promise<void> | undefined {
    const isAtHand = this.#kept.has(document.key) || this.#load(document) !== "unsettled";
    return isAtHand ? undefined : this.#settle(document);
  }

  async #settle(document: Document): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, WAIT_MS)); while (
      !this.#kept.has(document.key) && this.#load(document) === "unsettled"
    );
  }

  /**
   * The text of a document as a JSON string in UTF-8, quotes included; undefined when it cannot be read any more.
   *
   * The bytes are kept and must not be changed.
   *
   * @param trustMs For how long a kept text is given out without a look at its file, in milliseconds.
   */
  json(document: Document, trustMs: number = TRUST_KEPT_MS): Uint8Array | undefined {
    const kept = this.#kept.get(document.key);
    if (kept && this.#isFresh(document, kept, trustMs)) {
      // Back to the end of the line of those that are given up.
      this.#kept.delete(document.key);
      this.#kept.set(document.key, kept);
      return kept.json;
    }
    const loaded = this.#load(document);
    if (loaded !== "unsettled") return loaded;
    // Whoever did not wait for it, and has nothing older, gets what is there.
    return kept?.json ?? this.#take(document, this.#read(document));
  }

  /** The text of a document; undefined when it cannot be read any more. */
  text(document: Document): string | undefined {
    // Next to taking the text apart, a look at its file costs nothing.
    const json = this.json(document, 0);
    return json && JSON.parse(new TextDecoder().decode(json));
  }

  /** The same for somebody who goes through all documents once: what was not kept before is not kept afterwards. */
  textOnce(document: Document): string | undefined {
    if (this.#kept.has(document.key)) return this.text(document);
    const file = this.#read(document);
    return file && decodeDocument(file.bytes);
  }

  /** Reads a text anew, unless its file is being written: before it is read, or by the time that it was. */
  #load(document: Document): Uint8Array | "unsettled" | undefined {
    if (this.#isBeingWritten(document)) return "unsettled";
    const file = this.#read(document);
    return this.#isBeingWritten(document) ? "unsettled" : this.#take(document, file);
  }

  #isBeingWritten({ path, status }: Document): boolean {
    const now = statusOf(this.#files, path);
    return !(now && isUnchanged(status, now)) && this.#unsettled.has(path, status, now);
  }

  #read(document: Document): ReadFile | undefined {
    return readInside(this.#files, document.path, document.within, MAX_DOCUMENT_BYTES);
  }

  #take(document: Document, file: ReadFile | undefined): Uint8Array | undefined {
    if (!file) return void this.#giveUp(document.key);
    const text = decodeDocument(file.bytes);
    // What is no text is no version of the document: the last one stands.
    return text === undefined ? this.#kept.get(document.key)?.json : this.#keep(document, text, file.status);
  }

  /** What somebody has asked for stays at hand: if it is written again just now, this is its last good version. */
  #renew(document: Document, text: string): void {
    if (this.#kept.has(document.key)) this.#keep(document, text, document.status);
  }

  #keep(document: Document, text: string, status: FileStatus): Uint8Array {
    this.#giveUp(document.key);
    const json = new TextEncoder().encode(JSON.stringify(text));
    this.#kept.set(document.key, { json, status, checked: performance.now() });
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
  #isFresh({ path }: Document, kept: Kept, trustMs: number): boolean {
    const time = performance.now();
    if (time - kept.checked < trustMs) return true;
    const now = statusOf(this.#files, path);
    if (!now || !isUnchanged(kept.status, now)) return false;
    kept.checked = time;
    return true;
  }
}
