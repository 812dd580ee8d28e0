/** Documents as MCP resources: lists, templates, contents and completions. */

import type { FileSystem } from "../../deps.ts";
import type { Awaitable } from "../base/async.ts";
import type { Change, Resource, ResourceTemplate } from "../server/provider.ts";
import type { Catalogue, Document } from "./catalogue.ts";
import type { DocumentOptions } from "./provider.ts";
import type { Address, Scheme } from "./uri.ts";
import { andThen } from "../base/async.ts";
import { compact } from "../base/json.ts";
import { RawJson } from "../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";
import { currentStatus } from "./record.ts";
import { DocumentStore, RECORD_CATEGORY } from "./store.ts";
import { decode, parseUri, toKey, toUri } from "./uri.ts";

const MIME_TYPE = "text/markdown";

/** The resources of one provider. */
export class DocumentResources {
  readonly store: DocumentStore;
  readonly #options: DocumentOptions;
  readonly #scheme: Scheme;
  /** The lists of one catalogue. */
  #listed:
    | { catalogue: Catalogue; resources: readonly Resource[]; templates: readonly ResourceTemplate[] }
    | undefined;

  /** @param tell Takes each change after the first scan. */
  constructor(files: FileSystem, options: DocumentOptions, tell: (change: Change) => void) {
    this.store = new DocumentStore(files, options, { onfinding: options.onfinding, onchange: tell });
    this.#options = options;
    this.#scheme = options.scheme ?? "architecture";
  }

  watch(): { close(): void } {
    return this.store.watch(this.#options);
  }

  /** The lists; the same arrays while the catalogue is the same. */
  get lists(): { readonly resources: readonly Resource[]; readonly templates: readonly ResourceTemplate[] } {
    const { catalogue } = this.store;
    if (this.#listed?.catalogue !== catalogue) {
      const resources = catalogue.documents.map((document) => toResource(document, this.#scheme, catalogue));
      const templates = catalogue.categories.map((name) => toTemplate(name, this.#scheme));
      this.#listed = { catalogue, resources, templates };
    }
    return this.#listed;
  }

  /**
   * Reads a document or a section of it.
   *
   * @param withMeta Whether the metadata of a decision record is added, for revisions that allow it.
   */
  read(uri: string, withMeta: boolean): Awaitable<RawJson | undefined> {
    const { documents: [document, ...others], address } = this.store.catalogue.find(uri);
    if (!document) return undefined;
    if (others.length > 0) {
      const candidates = [document, ...others].map(({ key }) => toUri(key, address!.scheme));
      const message = `The URI names more than one document: ${candidates.join(" and ")}`;
      throw invalidParams(message, { uri, candidates });
    }
    return andThen(this.store.readable(document), () => this.#contents(document, address!, withMeta));
  }

  #contents(document: Document, { scheme, section }: Address, withMeta: boolean): RawJson | undefined {
    const json = this.store.json(document, section);
    if (!json) return undefined;
    const uri = toUri(document.key, scheme) + (section === undefined ? "" : `#${toKey([section])}`);
    const meta = withMeta ? recordMeta(document, scheme, this.store.catalogue) : undefined;
    const start = `"contents":[{"uri":${JSON.stringify(uri)},"mimeType":"${MIME_TYPE}","text":`;
    return new RawJson([start, json, meta ? `,"_meta":${JSON.stringify(meta)}}]` : "}]"]);
  }

  /** Whether a URI can be that of a document: it has a category, and names that a file can have. */
  covers(uri: string): boolean {
    const names = parseUri(uri)?.key.split("/").map(decode) ?? [];
    return names.length > 1 && !names.some((name) => /^$|^\.|[/\\\0]/.test(name));
  }

  /** The values of the variable of a template: the encoded paths of all documents of its category. */
  values(template: string, variable: string): readonly string[] | undefined {
    const { categories, documents } = this.store.catalogue;
    const category = categories.find((name) => templateUri(name, this.#scheme) === template);
    if (category === undefined || variable !== "path") return undefined;
    const prefix = `${toKey([category])}/`;
    return documents.filter(({ key }) => key.startsWith(prefix)).map(({ key }) => key.slice(prefix.length));
  }
}

function toResource(document: Document, scheme: Scheme, catalogue: Catalogue): Resource {
  const { key, name, title, description, status: { size, modified } } = document;
  const date = new Date(modified);
  return compact({
    uri: toUri(key, scheme),
    name,
    title,
    description,
    mimeType: MIME_TYPE,
    size,
    // A file system can hold times that no date can.
    annotations: Number.isNaN(date.getTime()) ? undefined : { lastModified: date.toISOString() },
    _meta: recordMeta(document, scheme, catalogue),
  });
}

/** What a decision record states, so that a client that has its text alone can tell whether it is in force. */
function recordMeta(
  document: Document,
  scheme: Scheme,
  catalogue: Catalogue,
): Readonly<Record<string, unknown>> | undefined {
  if (!document.record) return undefined;
  const { number, date, supersedes, supersededBy } = document.record;
  const resolve = (references: readonly string[]): readonly string[] | undefined =>
    references.length === 0 ? undefined : references.map((reference) => {
      const target = catalogue.resolve(document, reference);
      return target ? toUri(target.key, scheme) : reference;
    });
  const stated = compact({
    number,
    status: currentStatus(document),
    date,
    supersedes: resolve(supersedes),
    supersededBy: resolve(supersededBy),
  });
  return Object.keys(stated).length > 0 ? { "architrave/record": stated } : undefined;
}

function toTemplate(category: string, scheme: Scheme): ResourceTemplate {
  const isRecords = category === RECORD_CATEGORY;
  const what = isRecords
    ? "One decision record, by its path or by its number alone"
    : `One document of ${category}, by its path`;
  return {
    uriTemplate: templateUri(category, scheme),
    name: category,
    title: isRecords ? "Architecture decision records" : category.charAt(0).toUpperCase() + category.slice(1),
    description: `${what}; add #section for one section`,
    mimeType: MIME_TYPE,
  };
}

function templateUri(category: string, scheme: Scheme): string {
  return toUri(`${toKey([category])}/{+path}`, scheme);
}
