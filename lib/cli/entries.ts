/** Documents in the answers of the server, and how lists print them. */

import type { Named } from "../mcp/client/mod.ts";
import type { OutputStyle } from "./table.ts";
import { asObject, compact } from "../base/json.ts";
import { printable } from "../base/text.ts";
import { shownStatus } from "../documents/records/label.ts";
import { decode, parseUri } from "../documents/uri.ts";
import { colored, rowsText } from "./table.ts";

/** A document; `notice` is what tools say of a decision that is no longer in force. */
export type DocumentEntry = {
  uri: string;
  title: string;
  number?: number;
  status?: string;
  /** The team's own word for the status. */
  statusWord?: string;
  date?: string;
  notice?: string;
};

export function toEntry({ uri, title, name, _meta }: Named): DocumentEntry {
  const { number, status, statusWord, date } = asObject(asObject(_meta)["architrave/record"]);
  return compact({ uri, title: title ?? name, number, status, statusWord, date }) as DocumentEntry;
}

/** The status of a document: with the team's own word for people, and in English alone for programs. */
export function statusText(
  { status, statusWord }: DocumentEntry,
  { isTable }: OutputStyle,
): string | undefined {
  return isTable && status !== undefined ? shownStatus(status, statusWord) : status;
}

/** The found documents, each with the place and its text: a row, or on a terminal some lines. `why` says what was found. */
export function foundText(
  documents: readonly (DocumentEntry & { place: string; text: string; why?: string })[],
  style: OutputStyle,
): string {
  if (!style.isTable) {
    const rows = documents.map((one) => [one.uri, one.status, one.date, one.title, one.place, one.text]);
    return rowsText(rows, style);
  }
  return documents.map((document) => {
    const { uri, title, date = "", notice = "", place, text, why = "" } = document;
    const status = statusText(document, style) ?? "";
    const known = [colored(printable(status), "status", style), printable(date)].filter(Boolean).join(", ");
    const more = [title, notice, `${place}: ${text}`, why].filter(Boolean).map((line) =>
      `  ${printable(line)}\n`
    );
    return `${colored(printable(uri), "uri", style)}${known && ` (${known})`}\n${more.join("")}`;
  }).join("\n");
}

/** The category of a document, and its path in the category, encoded as in the URI. */
export function splitUri(uri: string): { category: string; path: string } {
  const { key } = parseUri(uri)!, slash = key.indexOf("/");
  return { category: decode(key.slice(0, slash)), path: key.slice(slash + 1) };
}
