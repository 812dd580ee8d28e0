/** The documents of a server as MCP resources: the current catalogue, its lists, and a cache of texts. */

import type { Document, DocumentFile, ReadDocument, ReadTarget, RecordFolder } from "./document.ts";
import type { FileStatus, FileSystem } from "../platform/platform.ts";
import type { Awaitable } from "../base/async.ts";
import type { Access } from "../mcp/server/access.ts";
import type { Change } from "../mcp/server/changes.ts";
import type { Resource, ResourceTemplate } from "../mcp/protocol/types.ts";
import type { FileContent } from "./files.ts";
import type { Finding, ReportProblem } from "./finding.ts";
import type { DocumentOptions } from "./options.ts";
import type { Scheme } from "./uri.ts";
import { andThen, pause } from "../base/async.ts";
import { hash } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { attempt, capitalized } from "../base/text.ts";
import { RawJson } from "../jsonrpc/message.ts";
import { invalidParams } from "../mcp/protocol/errors.ts";
import { Catalogue, changeBetween } from "./catalogue.ts";
import { decodeText, isUnchanged, MAX_DOCUMENT_BYTES, readInside } from "./files.ts";
import { FolderStore, WAIT_MS } from "./folder_store.ts";
import { readMetadata } from "./metadata.ts";
import { pageKind } from "./records/name.ts";
import { RECORD_FIELDS, scanDocuments } from "./scanner.ts";
import { decode, hasFileNames, parseUri, SCHEMES, toKey, toUri } from "./uri.ts";

/** The category whose documents are decision records. */
const RECORD_CATEGORY = "adr";
const MIME_TYPE = "text/markdown";
/** The maximum size of the cached texts, in bytes. The least recently used is dropped first. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** How long a cached text is returned without checking its file, in milliseconds. */
const TRUST_CACHED_MS = 1000;
/** The maximum size of a file with more fields of a record, in bytes. */
const MAX_FIELDS_BYTES = 64 * 1024;
/** The maximum number of URIs whose targets are cached. */
const MAX_TARGETS = 1000;
/** The maximum length of such a URI, in UTF-16 units. */
const MAX_TARGET_LENGTH = 1000;

const END = "}]";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A text as a JSON string, quotes included, in UTF-8, and when its file was last checked. */
type Cached = { readonly json: Uint8Array; readonly status: FileStatus; checked: number };

/** Follows the documents of some folders. Nothing is read before `ready`. Needs read permission for the folders. */
export class DocumentStore extends FolderStore<DocumentFile, ReadDocument> {
  /** The scheme of listed URIs; both can be read. */
  readonly scheme: Scheme;
  /** What it was made with. */
  readonly options: DocumentOptions;
  /** The prefixes of keys in folders whose documents are always read as records. */
  readonly #forced: readonly string[];
  readonly #onchange: ((change: Change) => void) | undefined;
  #categories: readonly string[] = [];
  #catalogue: Catalogue | undefined;
  /** By key; the most recently used is the last one. */
  readonly #cached = new Map<string, Cached>();
  #cachedBytes = 0;
  /** Loaded when a section is read. */
  #sections: typeof import("../formats/markdown/sections.ts") | undefined;
  /** Loaded when a document may be a record. */
  #records: typeof import("./document_records.ts") | undefined;

  /** Reads nothing yet. `onchange` receives each change that clients can see, after the catalogue was replaced. */
  constructor(files: FileSystem, options: DocumentOptions, onchange?: (change: Change) => void) {
    super(files, MAX_DOCUMENT_BYTES, options.onfinding);
    this.options = options;
    this.#forced = [RECORD_CATEGORY, ...options.records ?? []].map((name) => toKey([...name.split("/"), ""]));
    this.scheme = options.scheme ?? "architecture";
    this.#onchange = onchange;
  }

  /** The current catalogue; the same object while no file changes. Throws an error before `ready`. */
  get catalogue(): Catalogue {
    if (!this.#catalogue) throw new Error("Cannot read the catalogue: wait for ready() first");
    return this.#catalogue;
  }

  /** The part of the catalogue that a client with this access may see; without `access`, all of it. */
  visibleTo(access: Access | undefined): Catalogue {
    return access ? this.catalogue.visibleTo(access) : this.catalogue;
  }

  /** All documents as resources; the same array while the catalogue is the same. */
  resources(catalogue: Catalogue): readonly Resource[] {
    return catalogue.lists.resources ??= catalogue.documents.map((one) => this.#toResource(one, catalogue));
  }

  /** A template for each category; the same array while the catalogue is the same. */
  templates(catalogue: Catalogue): readonly ResourceTemplate[] {
    return catalogue.lists.templates ??= catalogue.categories.map((one) => this.#toTemplate(one, catalogue));
  }

  /** The values for the variable of a template: the encoded paths of all documents of its category. */
  values(template: string, variable: string, catalogue: Catalogue): readonly string[] | undefined {
    const isOf = (name: string) => SCHEMES.some((scheme) => templateUri(name, scheme) === template);
    const category = catalogue.categories.find(isOf);
    if (category === undefined || variable !== "path") return undefined;
    const prefix = toKey([category, ""]);
    return catalogue.documents.flatMap(({ key }) => key.startsWith(prefix) ? key.slice(prefix.length) : []);
  }

  /** Whether a URI can be that of a document: it has a category, and names that a file can have. */
  covers(uri: string): boolean {
    const key = parseUri(uri)?.key ?? "";
    return key.includes("/") && hasFileNames(key);
  }

  /** The category of a document URI. */
  categoryOf(uri: string): string | undefined {
    const key = parseUri(uri)?.key;
    return key === undefined ? undefined : decode(key.split("/", 1)[0]!);
  }

  /**
   * Reads a document or a section as the members of a result; undefined if it does not exist. `withMeta` adds what a record states.
   * @throws {RpcError} -32602 when the URI names more than one document.
   */
  read(uri: string, withMeta: boolean, access?: Access): Awaitable<RawJson | undefined> {
    const catalogue = this.visibleTo(access);
    const target = catalogue.targets.get(uri) ?? this.#find(uri, catalogue);
    if (!target) return undefined;
    const { document, section, start, endWithMeta } = target;
    const writing = this.readable(document, section);
    if (writing) return writing.then(() => this.read(uri, withMeta, access));
    const json = this.json(document, section);
    return json && new RawJson([start, json, withMeta ? endWithMeta : END]);
  }

  /** Finds what a URI names, and caches it until the catalogue changes. */
  #find(asked: string, catalogue: Catalogue): ReadTarget | undefined {
    const { documents, address } = catalogue.find(asked), [document] = documents;
    if (!document || !address) return undefined;
    const { scheme, section } = address;
    if (documents.length > 1) {
      const candidates = documents.map(({ key }) => toUri(key, scheme));
      const message = `The URI names more than one document: ${candidates.join(" and ")}`;
      throw invalidParams(message, { uri: asked, candidates });
    }
    const uri = toUri(document.key, scheme) + (section === undefined ? "" : `#${toKey([section])}`);
    const meta = this.#records?.recordMeta(document, scheme, catalogue);
    const target: ReadTarget = {
      document,
      section,
      start: `"contents":[{"uri":${JSON.stringify(uri)},"mimeType":"${MIME_TYPE}","text":`,
      endWithMeta: meta ? `,"_meta":${JSON.stringify(meta)}${END}` : END,
    };
    const isKept = asked.length <= MAX_TARGET_LENGTH && catalogue.targets.size < MAX_TARGETS;
    if (isKept) catalogue.targets.set(asked, target);
    return target;
  }

  /** Waits until a document or section can be read, from its file or the cache; undefined when it can be read now. */
  readable(document: Document, section?: string): Promise<void> | undefined {
    if (section !== undefined && !this.#sections) {
      return import("../formats/markdown/sections.ts").then((loaded) => {
        this.#sections = loaded;
        return this.readable(document, section);
      });
    }
    const isReadable = this.#cached.has(document.key) || this.#refresh(document);
    return isReadable ? undefined : pause(WAIT_MS).then(() => this.readable(document));
  }

  /**
   * The text of a document or section as a JSON string in UTF-8, which must not be changed; undefined when it cannot be read. A
   * section needs `readable` first, else an error is thrown.
   */
  json(document: Document, section?: string): Uint8Array | undefined {
    if (section !== undefined) {
      if (!this.#sections) throw new Error("Cannot read a section: wait for readable() first");
      const whole = this.text(document) ?? "";
      const text = this.#sections.sectionText(whole, section, this.#sections.readSections(whole));
      return text === undefined ? undefined : encoder.encode(JSON.stringify(text));
    }
    const { key, path } = document;
    const cached = this.#cached.get(key), time = performance.now();
    // Checking the file from time to time limits the age of an answer if changes are not reported.
    const isTrusted = cached && time - cached.checked < TRUST_CACHED_MS;
    if (cached && (isTrusted || isUnchanged(cached.status, attempt(() => this.files.status(path))))) {
      if (!isTrusted) cached.checked = time;
      this.#cached.delete(key);
      this.#cached.set(key, cached);
      return cached.json;
    }
    // While a file is being written, a caller that did not wait gets the last good text, else the current one.
    if (!this.#refresh(document) && !cached) this.#cacheContent(document, this.#read(document));
    return this.#cached.get(key)?.json;
  }

  /** The text of a document; undefined when it can no longer be read. */
  text(document: Document): string | undefined {
    const json = this.json(document);
    return json && JSON.parse(decoder.decode(json));
  }

  /** The text of a document, for reading all documents once: it is not added to the cache. */
  textOnce(document: Document): string | undefined {
    if (this.#cached.has(document.key)) return this.text(document);
    const content = this.#read(document);
    return content && decodeText(content.bytes);
  }

  /** The title of a document; of a decision no longer in force, with its status. */
  titleOf(document: Document): string {
    return this.#records?.markedTitle(document) ?? document.title;
  }

  /** Reads a text again; returns false when its file was being written before or after that. */
  #refresh(document: Document): boolean {
    const { path, status } = document;
    if (this.isBeingWritten(path, status)) return false;
    const content = this.#read(document);
    if (this.isBeingWritten(path, status)) return false;
    this.#cacheContent(document, content);
    return true;
  }

  /** Caches the content of a document. If it is not text, the last good version stays. */
  #cacheContent({ key }: Document, content: FileContent | undefined): void {
    const text = content && decodeText(content.bytes);
    if (!content) this.#drop(key);
    else if (text !== undefined) this.#cache(key, text, content.status);
  }

  #read({ path, within }: Document): FileContent | undefined {
    return readInside(this.files, path, within, MAX_DOCUMENT_BYTES);
  }

  #cache(key: string, text: string, status: FileStatus): void {
    this.#drop(key);
    const json = encoder.encode(JSON.stringify(text));
    this.#cached.set(key, { json, status, checked: performance.now() });
    this.#cachedBytes += json.length;
    for (const oldest of this.#cached.keys()) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#cachedBytes -= this.#cached.get(key)?.json.length ?? 0;
    this.#cached.delete(key);
  }

  /** Finds the files of all categories, and reports the folders of `records` that are missing. */
  protected override *findFiles(report: ReportProblem): Generator<string | DocumentFile> {
    this.#categories = yield* scanDocuments(this.files, this.options, report);
    for (const name of this.options.records ?? []) {
      if (!this.#categories.includes(name.split("/")[0]!)) report({ rule: "records-missing", file: name });
    }
  }

  /** Reads the metadata of a document, as any document and as a record. */
  protected override load(
    file: DocumentFile,
    content: FileContent | undefined,
    last: ReadDocument | undefined,
    report: ReportProblem,
  ): Awaitable<ReadDocument | undefined> {
    const { key, label, path, within } = file;
    if (!content) return void report({ rule: "unreadable", file: label });
    const { bytes, status } = content;
    const text = decodeText(bytes);
    const isCached = last !== undefined && this.#cached.has(key);
    if (text === undefined) {
      const message = isCached ? "The file is not UTF-8 text and its last good version is served" : undefined;
      report({ rule: "not-text", file: label, message });
      return isCached ? last : undefined;
    }
    // A cached text is updated: it is the last good version while its file is written again.
    if (isCached) this.#cache(key, text, status);
    const kind = pageKind(label), isForced = kind === undefined && this.#isForced(key);
    const other = path.slice(0, path.lastIndexOf("/") + 1) + RECORD_FIELDS;
    const sibling = file.sibling && readInside(this.files, other, within, MAX_FIELDS_BYTES);
    const more = sibling && decodeText(sibling.bytes);
    return andThen(
      readMetadata(file, text, isForced, more, this.options.words),
      ({ metadata, asRecord, signs, problems }) => {
        for (const { line, reason } of problems) {
          report({
            rule: "front-matter",
            file: label,
            message: `The front matter cannot be read here: ${reason}`,
            line,
          });
        }
        const document = Object.freeze({ ...file, status, fingerprint: hash(bytes), ...metadata });
        const record = asRecord && !kind ? Object.freeze({ ...document, ...asRecord }) : undefined;
        return { key, document, record, signs: kind ? undefined : signs };
      },
    );
  }

  #isForced(key: string): boolean {
    return this.#forced.some((start) => key.startsWith(start));
  }

  /** Decides which documents are records, and replaces the catalogue in one step. */
  protected override async update(read: ReadDocument[], findings: readonly Finding[]): Promise<void> {
    const before = this.#catalogue;
    let documents: readonly Document[] = read.map(({ document }) => document);
    let folders: readonly RecordFolder[] = [];
    if (read.some(({ key, record }) => record || this.#isForced(key))) {
      this.#records ??= await import("./document_records.ts");
      const isForced = (key: string) => this.#isForced(key);
      ({ documents, folders } = await this.#records.findRecords(
        read,
        isForced,
        (one) => this.#read(one),
        this.options.words,
      ));
    }
    const after = this.#catalogue = new Catalogue(documents, this.#categories, findings, folders);
    for (const key of this.#cached.keys()) if (!after.get(key)) this.#drop(key);
    const change = before && changeBetween(before, after);
    if (change) this.#onchange?.(change);
  }

  #toResource(document: Document, catalogue: Catalogue): Resource {
    const { key, name, title, description, status: { size, modified } } = document;
    return compact({
      ...{ uri: toUri(key, this.scheme), name, title, description, mimeType: MIME_TYPE, size },
      // A file system can have times that a date cannot represent.
      annotations: attempt(() => ({ lastModified: new Date(modified).toISOString() })),
      _meta: this.#records?.recordMeta(document, this.scheme, catalogue),
    });
  }

  #toTemplate(category: string, catalogue: Catalogue): ResourceTemplate {
    const isAdr = category === RECORD_CATEGORY;
    const isRecords = isAdr || catalogue.documents.some((one) => one.category === category && one.record);
    const record = "One decision record, by its path or by its number alone";
    const what = isRecords ? record : `One document of ${category}, by its path`;
    return {
      uriTemplate: templateUri(category, this.scheme),
      name: category,
      title: isAdr ? "Architecture decision records" : capitalized(category),
      description: `${what}; add #section for one section`,
      mimeType: MIME_TYPE,
    };
  }
}

function templateUri(category: string, scheme: Scheme): string {
  return toUri(`${toKey([category])}/{+path}`, scheme);
}
