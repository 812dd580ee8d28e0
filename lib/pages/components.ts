/** What the views of pages have in common: a request, links to documents, lists. */

import type { JsonObject } from "../base/json.ts";
import type { Document } from "../documents/document.ts";
import type { Part } from "./markup.ts";
import type { Facet, Model } from "./model.ts";
import { numberedTitle } from "../documents/records/name.ts";
import { currentStatus, standing } from "../documents/records/status.ts";
import { markup } from "./markup.ts";
import { dayOf } from "./model.ts";

export const MAX_ROWS = 100;

/** Calls a tool of the server; gives its data, or its text when it fails. */
export type CallTool = (name: string, args: JsonObject) => Promise<JsonObject | string>;

export interface PageRequest {
  readonly model: Model;
  /** Relative to the base: "index.html", "adr/007-use-x.html". */
  readonly address: string;
  /** What links begin with: "/" or "/path/". */
  readonly base: string;
  readonly query: URLSearchParams;
  /** Missing in files: no server answers forms and reports changes. */
  readonly callTool?: CallTool;
}

/** What is between the frame; `id` is that of its heading. */
export type View = { readonly title: string; readonly id?: string; readonly content: Part };

export const addressOf = ({ key }: Pick<Document, "key">): string => `${key}.html`;

/** A part of a page with a heading; nothing without content. */
export function section(title: string, content: Part): Part {
  return content && markup`<section><h2>${title}</h2>
${content}</section>\n`;
}

/** A link to the documents with a value, which the script shows where no server does. */
export function filterLink({ base }: PageRequest, name: Facet, value: string, text: Part = value): Part {
  const query = new URLSearchParams({ [name]: value });
  return markup`<a href="${base}documents.html?${query.toString()}">${text}</a>`;
}

export const badge = (status: string = ""): Part =>
  status && markup`<span class="badge ${standing(status)}">${status}</span>`;

export const patternsOf = ({ appliesTo }: Document): Part =>
  appliesTo.map((one) => markup`<code>${one}</code> `);

export const nameOf = ({ title, record }: Document): string => numberedTitle(title, record?.number);

export function pageLink(
  { base }: PageRequest,
  document: Document,
  text: string = nameOf(document),
  slug: string = "",
): Part {
  return markup`<a href="${base}${addressOf(document)}${slug && `#${encodeURIComponent(slug)}`}">${text}</a>`;
}

/** A link to a document, and its status. */
export function labelled(request: PageRequest, document: Document): Part {
  return [pageLink(request, document), " ", badge(currentStatus(document))];
}

/** A list of the first of some things, and how many more there are; nothing without any. */
export function rowsOf<T>(name: string, all: readonly T[], most: number, row: (one: T) => Part): Part {
  const rows = all.slice(0, most).map((one) => markup`<li>${row(one)}</li>\n`);
  const more = all.length > most && markup`<p>and ${all.length - most} more</p>`;
  return all.length > 0 && markup`<ul class="${name}">\n${rows}</ul>${more}`;
}

/** A list of documents, each with a line of what is known of it, and its description or what else is said of it. */
export function items(
  request: PageRequest,
  documents: readonly Document[],
  most: number = MAX_ROWS,
  more: (document: Document) => Part = ({ description }) => description,
): Part {
  return rowsOf("items", documents, most, (document) => {
    const facts = [dayOf(document), document.category].filter(Boolean).join(" · "), text = more(document);
    const name = labelled(request, document);
    return markup`${name} <span class="facts">${facts}</span>${text && markup`<p>${text}</p>`}`;
  });
}
