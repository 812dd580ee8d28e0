/** Building blocks of the views: requests, links to documents, lists. */

import type { JsonObject } from "../base/json.ts";
import type { Document } from "../documents/document.ts";
import type { ImageFile } from "../documents/images.ts";
import type { Part } from "./markup.ts";
import type { Facet, Model } from "./model.ts";
import { statusLabel } from "../documents/records/label.ts";
import { currentStatus, isOver, numberedTitle, standing } from "../documents/records/status.ts";
import { markup } from "./markup.ts";
import { dayOf } from "./model.ts";

/** The maximum number of rows of a list. */
export const MAX_ROWS = 100;

/** Calls a tool of the server. Returns its data, or its text if it fails. */
export type CallTool = (name: string, args: JsonObject) => Promise<JsonObject | string>;

/** A request for a page. */
export interface PageRequest {
  readonly model: Model;
  /** Relative to the base: "index.html", "adr/007-use-x.html". */
  readonly address: string;
  /** The prefix of links: "/" or "/path/". */
  readonly base: string;
  readonly query: URLSearchParams;
  /** Missing in static files, because no server answers forms and reports changes. */
  readonly callTool?: CallTool;
  /** Collects the images of static files, by their address. */
  readonly images?: Map<string, ImageFile>;
}

/** The content of a page, without the frame; `id` is the id of the heading. */
export type View = { readonly title: string; readonly id?: string; readonly content: Part };

/** The address of the page of a document, relative to the base. */
export const addressOf = ({ key }: Pick<Document, "key">): string => `${key}.html`;

/** A part of a page with a heading; empty without content. */
export function section(title: string, content: Part): Part {
  return content && markup`<section><h2>${title}</h2>
${content}</section>\n`;
}

/** A link to the documents with a value of a facet. Without a server, the script filters them. */
export function filterLink({ base }: PageRequest, name: Facet, value: string, text: Part = value): Part {
  const query = new URLSearchParams({ [name]: value });
  return markup`<a href="${base}documents.html?${query.toString()}">${text}</a>`;
}

export const badge = (status: string = "", label: string = status): Part =>
  status && markup`<span class="badge ${standing(status)}">${label}</span>`;

export const badgeOf = (document: Document): Part => badge(currentStatus(document), statusLabel(document));

/** The patterns of the files that a document applies to. */
export const patternsOf = ({ appliesTo }: Document): Part =>
  appliesTo.map((one) => markup`<code>${one}</code> `);

/** The title of a document with its number. */
export const nameOf = ({ title, record }: Document): string => numberedTitle(title, record?.number);

/** A link to a document. The name of a decision that is no longer in force is struck out. */
export function pageLink({ base }: PageRequest, document: Document, text?: string, slug: string = ""): Part {
  const isGone = text === undefined && isOver(document) && markup` class="gone"`;
  const fragment = slug && `#${encodeURIComponent(slug)}`;
  return markup`<a href="${base}${addressOf(document)}${fragment}"${isGone}>${text ?? nameOf(document)}</a>`;
}

/** What a record replaces, or what replaces it: "replaces X". */
export function replacements(
  request: PageRequest,
  { key }: Document,
  word: "replaces" | "replaced by",
): Part[] {
  const isNewer = word === "replaces", { catalogue } = request.model;
  return request.model.relationsOf({ key }).flatMap(({ kind, from, to }) =>
    kind !== "supersedes" || key !== (isNewer ? from : to)
      ? []
      : [[word, " ", pageLink(request, catalogue.get(isNewer ? to : from)!)]]
  );
}

/** The rules of findings that say that documents contradict each other or the code. */
export const CONTRADICTIONS: ReadonlySet<string> = new Set([
  ...["adr-supersedes-one-sided", "adr-amends-one-sided", "adr-supersedes-circle", "adr-number-duplicate"],
  ...["adr-reference-dangling", "code-forbidden", "code-required", "code-cites-over"],
]);

/** A link to a document with its status. */
export function labelled(request: PageRequest, document: Document): Part {
  return [pageLink(request, document), " ", badgeOf(document)];
}

/** What replaces a document; else its description, with dots at its end if a list follows. */
export function summaryOf(request: PageRequest, document: Document): Part {
  const [replaced] = replacements(request, document, "replaced by");
  return replaced ?? document.description?.replace(/:$/, " …");
}

/** A list of at most `most` rows, with the number of the others; empty without rows. */
export function rowsOf<T>(name: string, all: readonly T[], most: number, row: (one: T) => Part): Part {
  const rows = all.slice(0, most).map((one) => markup`<li>${row(one)}</li>\n`);
  const more = all.length > most && markup`<p>and ${all.length - most} more</p>`;
  return all.length > 0 && markup`<ul class="${name}">\n${rows}</ul>${more}`;
}

/** A list of documents, each with its metadata and its description or another text. */
export function items(
  request: PageRequest,
  documents: readonly Document[],
  most: number = MAX_ROWS,
  more: (document: Document) => Part = (document) => summaryOf(request, document),
): Part {
  return rowsOf("items", documents, most, (document) => {
    const category = request.model.catalogue.categories.length > 1 && document.category;
    const facts = [dayOf(document), category].filter(Boolean).join(" · "), text = more(document);
    const name = labelled(request, document);
    return markup`${name} <span class="facts">${facts}</span>${text && markup`<p>${text}</p>`}`;
  });
}
