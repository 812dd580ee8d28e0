/** The documents of a server: the current catalogue, and the texts that were read. */

import type { FileStatus, FileSystem } from "../../deps.ts";
import type { Change } from "../server/provider.ts";
import type { Document } from "./catalogue.ts";
import type { FileContent } from "./files.ts";
import type { Report, WatchOptions } from "./folder_store.ts";
import type { DocumentFile, DocumentFolders } from "./scanner.ts";
import { hash } from "../base/bytes.ts";
import { Catalogue, changeBetween } from "./catalogue.ts";
import { attempt, decodeText, isUnchanged, readInside } from "./files.ts";
import { FolderStore, waitForWriter } from "./folder_store.ts";
import { sectionText } from "./markdown.ts";
import { readMetadata } from "./metadata.ts";
import { recordName } from "./record.ts";
import { MAX_DOCUMENT_BYTES, problem, scanDocuments } from "./scanner.ts";

/** The category whose documents are decision records. */
export const RECORD_CATEGORY = "adr";
/** The most encoded text that is kept, in bytes; the least recently used is dropped first. */
const MAX_KEPT_BYTES: number = 64 * 1024 * 1024;
/** How long a kept text is returned without checking its file, in milliseconds. */
const TRUST_KEPT_MS = 1000;

const encoder = new TextEncoder();

/** A kept text. */
interface Kept {
  /** The text as a JSON string, quotes included, in UTF-8. */
  readonly json: Uint8Array;
  readonly status: FileStatus;
  /** When the file was last checked. */
  checked: number;
}

/** What a document store tells. */
export interface DocumentEvents {
  /** Takes each finding when it is first met, and again when it was gone meanwhile. @default {none} */
  readonly onfinding?: Report | undefined;
  /** Takes each change that clients can see, when the new catalogue is in place. @default {none} */
  readonly onchange?: ((change: Change) => void) | undefined;
}

/** Follows the documents of some folders. Nothing is read before `ready`. Needs read permission for the folders. */
export class DocumentStore {
  readonly #files: FileSystem;
  readonly #store: FolderStore<DocumentFile, Document>;
  #catalogue: Catalogue | undefined;
  /** By key; the most recently used is the last one. */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;

  /** Takes note of the folders. */
  constructor(files: FileSystem, folders: DocumentFolders, { onfinding, onchange }: DocumentEvents = {}) {
    this.#files = files;
    let categories: readonly string[] = [];
    this.#store = new FolderStore(files, {
      maxBytes: MAX_DOCUMENT_BYTES,
      *scan(report): Generator<string | DocumentFile> {
        categories = yield* scanDocuments(files, folders, report);
      },
      load: (file, content, last, report) => this.#toDocument(file, content, last, report),
      keyOf: ({ key }) => key,
      duplicate: ({ label }, _, other) =>
        problem("uri-duplicate", label, `The file has the same URI as ${other} and is not served`),
      update: (documents, findings) => {
        const before = this.#catalogue;
        const after = new Catalogue(documents, categories, findings);
        this.#catalogue = after;
        for (const key of this.#kept.keys()) if (!after.get(key)) this.#drop(key);
        const change = before && changeBetween(before, after);
        if (change) onchange?.(change);
      },
    }, onfinding);
  }

  /** Scans the folders, the first time; in slices, so that other requests are answered meanwhile. */
  ready(): Promise<void> {
    return this.#store.ready();
  }

  /** Scans the folders again, and replaces the catalogue in one step. */
  rescan(): Promise<void> {
    return this.#store.rescan();
  }

  /** Scans the folders again, until no file is being written. */
  reload(): Promise<void> {
    return this.#store.reload();
  }

  /** Rescans whenever that is due, until the result is closed. */
  watch(options: WatchOptions = {}): { close(): void } {
    return this.#store.watch(options);
  }

  /**
   * The current catalogue; the same object while no file changes.
   *
   * @throws {Error} Before `ready`.
   */
  get catalogue(): Catalogue {
    if (!this.#catalogue) throw new Error("Cannot read the catalogue: wait for ready() first");
    return this.#catalogue;
  }

  #toDocument(
    { key, category, name: fileName, label, path, within }: DocumentFile,
    content: FileContent | undefined,
    last: Document | undefined,
    report: Report,
  ): Document | undefined {
    if (!content) return void report(problem("unreadable", label));
    const { bytes, status } = content;
    const text = decodeText(bytes);
    if (text === undefined) {
      const kept = last && this.#kept.has(key) ? last : undefined;
      const message = kept && "The file is not UTF-8 text and its last good version is served";
      report(problem("not-text", label, message));
      return kept;
    }
    const isRecord = category === RECORD_CATEGORY;
    const name = toName(fileName);
    const { metadata, problems } = readMetadata(text, isRecord ? toName(recordName(label)) : name, isRecord);
    for (const { line, reason } of problems) {
      report(problem("front-matter", label, `The front matter cannot be read here: ${reason}`, line));
    }
    // A text that was read is kept up to date: it is the last good version while its file is written again.
    if (last && this.#kept.has(key)) this.#keep(key, text, status);
    return Object.freeze({
      ...{ key, category, name, label, path, within, status, fingerprint: hash(bytes) },
      ...metadata,
    });
  }

  /**
   * Waits until a document can be read. While its file is being written, its kept text can be read; if there is none, the
   * document can be read when the file is complete.
   *
   * @returns Undefined when it can be read now.
   */
  readable(document: Document): Promise<void> | undefined {
    if (this.#kept.has(document.key)) return undefined;
    const isReadable = (): boolean =>
      this.#kept.has(document.key) || this.#load(document) !== "being written";
    const wait = async (): Promise<void> => {
      do await waitForWriter(); while (!isReadable());
    };
    return isReadable() ? undefined : wait();
  }

  /**
   * The text of a document, or of one of its sections, as a JSON string in UTF-8, quotes included; undefined when it cannot be
   * read any more. The bytes are kept and must not be changed.
   */
  json(document: Document, section?: string): Uint8Array | undefined {
    if (section === undefined) return this.#json(document, TRUST_KEPT_MS);
    const whole = this.text(document);
    const text = whole === undefined ? undefined : sectionText(whole, section);
    return text === undefined ? undefined : encoder.encode(JSON.stringify(text));
  }

  /** The text of a document; undefined when it cannot be read any more. */
  text(document: Document): string | undefined {
    const json = this.#json(document, 0);
    return json && JSON.parse(new TextDecoder().decode(json));
  }

  /** Returns a kept text for some milliseconds without checking its file. */
  #json(document: Document, trustMs: number): Uint8Array | undefined {
    const kept = this.#kept.get(document.key);
    if (kept && this.#isFresh(document, kept, trustMs)) {
      this.#kept.delete(document.key);
      this.#kept.set(document.key, kept);
      return kept.json;
    }
    const loaded = this.#load(document);
    if (loaded !== "being written") return loaded;
    // A caller that did not wait gets what is there.
    return kept?.json ?? this.#take(document, this.#read(document));
  }

  /** The text of a document, for a pass over all documents: it is not kept afterwards unless it was before. */
  textOnce(document: Document): string | undefined {
    if (this.#kept.has(document.key)) return this.text(document);
    const content = this.#read(document);
    return content && decodeText(content.bytes);
  }

  /** Reads a text again, unless its file is being written before or after. */
  #load(document: Document): Uint8Array | "being written" | undefined {
    const isBeingWritten = (): boolean => this.#store.isBeingWritten(document.path, document.status);
    if (isBeingWritten()) return "being written";
    const content = this.#read(document);
    return isBeingWritten() ? "being written" : this.#take(document, content);
  }

  #read({ path, within }: Document): FileContent | undefined {
    return readInside(this.#files, path, within, MAX_DOCUMENT_BYTES);
  }

  /** Keeps what was read; the last good version stays when the file is not text any more. */
  #take({ key }: Document, content: FileContent | undefined): Uint8Array | undefined {
    if (!content) return void this.#drop(key);
    const text = decodeText(content.bytes);
    return text === undefined ? this.#kept.get(key)?.json : this.#keep(key, text, content.status);
  }

  #keep(key: string, text: string, status: FileStatus): Uint8Array {
    this.#drop(key);
    const json = encoder.encode(JSON.stringify(text));
    this.#kept.set(key, { json, status, checked: performance.now() });
    this.#keptBytes += json.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= MAX_KEPT_BYTES) break;
      this.#drop(oldest);
    }
    return json;
  }

  #drop(key: string): void {
    this.#keptBytes -= this.#kept.get(key)?.json.length ?? 0;
    this.#kept.delete(key);
  }

  /** Checking the file now and then bounds how old an answer can be if changes are not reported. */
  #isFresh({ path }: Document, kept: Kept, trustMs: number): boolean {
    const time = performance.now();
    if (time - kept.checked < trustMs) return true;
    if (!isUnchanged(kept.status, attempt(() => this.#files.status(path)))) return false;
    kept.checked = time;
    return true;
  }
}

/** A file name as well-formed Unicode. */
function toName(name: string): string {
  return name.normalize("NFC").toWellFormed();
}
