/** The commands toc and changes: a table of contents, and what is new, from the list of documents. */

import type { Platform } from "../../deps.ts";
import type { Options } from "./main.ts";
import { asObject, asString } from "../base/json.ts";
import { isDay, printable } from "../base/text.ts";
import { UsageError } from "./main.ts";
import { show, toEntry } from "./show.ts";
import { collect, numberedTitle, rowsText } from "./text.ts";

/** Prints markdown: a list of links for each category, relative to its folder, or to the one above if there are several. */
export function toc(platform: Platform, options: Options): Promise<number> {
  const prefix = options.get("prefix") ?? "";
  return show(platform, options, async (client) => {
    const entries = (await collect(client.resources())).map(toEntry);
    return [...Map.groupBy(entries, ({ uri }) => partsOf(uri).category)]
      .map(([category, documents]) => ({ category, documents }));
  }, (categories) =>
    categories.map(({ category, documents }) => {
      const lines = documents.map(({ uri, title, number, status }) => {
        const text = numberedTitle(title, number).replace(/[[\]\\`*_<>]/g, "\\$&");
        const state = status === undefined || status === "accepted" ? "" : ` (${status})`;
        const folder = categories.length > 1 ? `${encodeURIComponent(category)}/` : "";
        return printable(`- [${text}](${prefix}${folder}${partsOf(uri).path}.md)${state}`);
      });
      return [`## ${printable(category)}`, "", ...lines, ""].join("\n");
    }).join("\n"));
}

/** The category of a document, and its path in there, encoded as in the URI. */
function partsOf(uri: string): { category: string; path: string } {
  const [, category = "", path = ""] = /^\w+:\/\/\/?([^/]+)\/(.*?)(?:\.md)?$/.exec(uri) ?? [];
  return { category: decodeURIComponent(category), path };
}

/** Prints the documents that were written or changed since a date, the last ones first. */
export function changes(platform: Platform, options: Options): Promise<number> {
  const since = options.get("since");
  if (since === undefined || !isDay(since)) {
    throw new UsageError(
      `changes takes a date such as --since 2026-07-28${since === undefined ? "" : `, not "${since}"`}`,
    );
  }
  return show(platform, options, async (client) => {
    const found = (await collect(client.resources())).flatMap((resource) => {
      const entry = toEntry(resource);
      const dated = /^\d{4}-\d{2}-\d{2}/.exec(entry.date ?? "")?.[0] ?? "";
      const modified = asString(asObject(resource["annotations"])["lastModified"])?.slice(0, 10) ?? "";
      const changed = !options.has("dated") && modified > dated ? modified : dated;
      return changed < since ? [] : [{ changed, ...entry }];
    });
    return found.sort(({ changed: left }, { changed: right }) => left < right ? 1 : left > right ? -1 : 0);
  }, (found, style) => {
    const rows = found.map(({ changed, uri, status, title }) => [changed, uri, status, title]);
    return rowsText(rows, style, ["dim", "uri", "status", ""]);
  });
}
