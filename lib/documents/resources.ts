/** What do clients see of the documents? The shelf in the terms of MCP: resources, templates, contents, values. */

import type { FileSystem } from "../../deps.ts";
import type { Catalogue, Document } from "./catalogue.ts";
import type { Address, Scheme } from "./uri.ts";
import type { DocumentOptions } from "./provider.ts";
import type { Awaitable } from "../base/async.ts";
import type { Change, Resource, ResourceTemplate } from "../server/provider.ts";
import { affects } from "./difference.ts";
import { RECORD_CATEGORY } from "./index_files.ts";
import { standing } from "./record.ts";
import { sectionText } from "./sections.ts";
import { Shelf } from "./shelf.ts";
import { decode, parseUri, toKey, toUri } from "./uri.ts";
import { Watcher } from "./watch.ts";
import { RawJson } from "../jsonrpc/message.ts";
import { andThen } from "../base/async.ts";
import { invalidParams } from "../protocol/errors.ts";

/** The key of our own facts in `_meta` of a decision record. */
const RECORD_META = "architrave/record";
const MIME_TYPE = "text/markdown";

/** Indexes the documents and opens the room. */
export async function openDocumentRoom(
  files: FileSystem,
  options: DocumentOptions,
  tell: (change: Change) => void,
): Promise<DocumentRoom> {
  const shelf = new Shelf(files, options, {
    onfinding: options.onfinding,
    onchange: (difference) =>
      tell({ isListedAnew: difference.isListedAnew, affects: (uri) => affects(difference, uri) }),
  });
  await shelf.ready();
  return new DocumentRoom(files, shelf, options);
}

/** What is listed of one catalogue. */
interface Listed {
  readonly from: Catalogue;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** The documents of one provider. */
export class DocumentRoom {
  readonly shelf: Shelf;
  readonly #files: FileSystem;
  readonly #options: DocumentOptions;
  /** How URIs are listed. */
  readonly scheme: Scheme;
  /** What was made of the catalogue that it was made of; a new catalogue starts anew. */
  #made: Listed | undefined;

  constructor(files: FileSystem, shelf: Shelf, options: DocumentOptions) {
    this.#files = files;
    this.shelf = shelf;
    this.#options = options;
    this.scheme = options.scheme ?? "architecture";
  }

  /** Looks for changes until the watcher is closed. */
  watch(): Watcher {
    const { onwarning, pollMs } = this.#options;
    return new Watcher(this.#files, this.shelf.lastLook, {
      onwarning,
      pollMs,
      look: async () => {
        await this.shelf.look();
        return this.shelf.lastLook;
      },
    });
  }

  resources(): readonly Resource[] {
    return this.#fromCatalogue().resources;
  }

  templates(): readonly ResourceTemplate[] {
    return this.#fromCatalogue().templates;
  }

  /**
   * Reads a document or a section of it: the text as it stands in the file.
   *
   * @param withMeta Whether the facts of a decision record go beside it, for revisions that have a place for them.
   */
  read(uri: string, withMeta: boolean): Awaitable<RawJson | undefined> {
    const found = this.shelf.catalogue.find(uri);
    if (found.kind === "none") return undefined;
    if (found.kind === "document") {
      const { document, address } = found;
      return andThen(this.shelf.settled(document), () => this.#contents(document, address, withMeta));
    }
    const { scheme } = found.address;
    const candidates = found.candidates.map(({ key }) => toUri(key, scheme));
    throw invalidParams(`The URI names more than one document: ${candidates.join(" and ")}`, {
      uri,
      candidates,
    });
  }

  /** A document must be one of our own, and a name that a file can have. */
  covers(uri: string): boolean {
    const key = parseUri(uri)?.key;
    return key !== undefined && key.includes("/") &&
      key.split("/").every((segment) => isName(decode(segment)));
  }

  #contents(
    document: Document,
    { scheme, section }: Address,
    withMeta: boolean,
  ): RawJson | undefined {
    const json = section === undefined ? this.shelf.json(document) : this.#sectionJson(document, section);
    if (!json) return undefined;
    const canonical = toUri(document.key, scheme);
    const uri = JSON.stringify(section === undefined ? canonical : `${canonical}#${toKey([section])}`);
    const { _meta } = withMeta ? recordMeta(document, scheme, this.shelf.catalogue) : {};
    const tail = _meta ? `,"_meta":${JSON.stringify(_meta)}}]` : "}]";
    return new RawJson([`"contents":[{"uri":${uri},"mimeType":"${MIME_TYPE}","text":`, json, tail]);
  }

  #sectionJson(document: Document, section: string): string | undefined {
    const whole = this.shelf.text(document);
    const text = whole === undefined ? undefined : sectionText(whole, section);
    return text === undefined ? undefined : JSON.stringify(text);
  }

  /** Every document of the category that a template is of, as the template wants it: the encoded path. */
  values(template: string, variable: string): readonly string[] | undefined {
    const category = this.shelf.catalogue.categories.find((name) =>
      templateUri(name, this.scheme) === template
    );
    if (category === undefined || variable !== "path") return undefined;
    const prefix = `${toKey([category])}/`;
    return this.shelf.catalogue.documents
      .filter((document) => document.key.startsWith(prefix))
      .map((document) => document.key.slice(prefix.length));
  }

  #fromCatalogue(): Listed {
    const from = this.shelf.catalogue;
    if (this.#made?.from === from) return this.#made;
    const resources = from.documents.map((document) => toResource(document, this.scheme, from));
    const templates = from.categories.map((name) => toTemplate(name, this.scheme));
    return this.#made = { from, resources, templates };
  }
}

function isName(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\\0]/.test(segment);
}

function toResource(document: Document, scheme: Scheme, catalogue: Catalogue): Resource {
  const { key, name, title, description, status } = document;
  return {
    uri: toUri(key, scheme),
    name,
    title,
    ...(description === undefined ? {} : { description }),
    mimeType: MIME_TYPE,
    size: status.size,
    ...lastModified(status.modified),
    ...recordMeta(document, scheme, catalogue),
  };
}

/** A file system can hold times that no date can. */
function lastModified(time: number): Pick<Resource, "annotations"> {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? {} : { annotations: { lastModified: date.toISOString() } };
}

/** What a decision record states of itself, so that nobody who has its text alone takes it for what holds. */
function recordMeta(document: Document, scheme: Scheme, catalogue: Catalogue): Pick<Resource, "_meta"> {
  if (!document.record) return {};
  const { supersedes, supersededBy, ...facts } = document.record;
  const status = standing(document);
  const resolve = (references: readonly string[]) =>
    references.map((reference) => {
      const target = catalogue.resolve(document, reference);
      return target ? toUri(target.key, scheme) : reference;
    });
  const stated = {
    ...facts,
    ...(status === undefined ? {} : { status }),
    ...(supersedes.length > 0 ? { supersedes: resolve(supersedes) } : {}),
    ...(supersededBy.length > 0 ? { supersededBy: resolve(supersededBy) } : {}),
  };
  return Object.keys(stated).length > 0 ? { _meta: { [RECORD_META]: stated } } : {};
}

function toTemplate(category: string, scheme: Scheme): ResourceTemplate {
  return {
    uriTemplate: templateUri(category, scheme),
    name: category,
    title: category === RECORD_CATEGORY ? "Architecture decision records" : capitalised(category),
    description: category === RECORD_CATEGORY
      ? "One decision record, by its path or by its number alone; add #section for one section"
      : `One document of ${category}, by its path; add #section for one section`,
    mimeType: MIME_TYPE,
  };
}

function templateUri(category: string, scheme: Scheme): string {
  return toUri(`${toKey([category])}/{+path}`, scheme);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
