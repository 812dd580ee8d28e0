/** The commands list, read, search, prompt, toc and changes. They print what the server answers. */

import type { Client } from "../mcp/client/mod.ts";
import type { Platform } from "../platform/platform.ts";
import type { DocumentEntry } from "./entries.ts";
import type { Options } from "./options.ts";
import { asObject, asString } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { compare, didYouMean, isDay, printable } from "../base/text.ts";
import { numberedTitle } from "../documents/records/status.ts";
import { decode } from "../documents/uri.ts";
import { invalidParams } from "../mcp/protocol/errors.ts";
import { foundText, splitUri, statusText, toEntry } from "./entries.ts";
import { findRecord } from "./find_record.ts";
import { UsageError } from "./options.ts";
import { foldersText } from "./folder_text.ts";
import { callDocumentTool, show } from "./in_memory.ts";
import { collect, readInput, readTextFile } from "./io.ts";
import { signature } from "./answer_text.ts";
import { readPairs } from "./operands.ts";
import { rowsText, safeText } from "./table.ts";

export function list(platform: Platform, options: Options): Promise<number> {
  const wanted = options.get("status")?.toLowerCase();
  return show(platform, options, async (client, folders) => {
    const resources = await collect(client.resources());
    for (const name of folders.records) {
      if (resources.some(({ uri }) => splitUri(uri).category === name.split("/")[0])) continue;
      platform.print("error", `architrave: --records: there is no document in ${printable(name)}\n`);
    }
    if (wanted === undefined && resources.length === 0) {
      const text = `There are no documents in ${foldersText(folders)}: name another folder`;
      platform.print("error", `architrave: ${printable(text)}.\n`);
    }
    if (wanted === undefined) {
      return { sample: folders.isSample || undefined, resources, prompts: await collect(client.prompts()) };
    }
    const found = resources.filter((resource) => toEntry(resource).status === wanted);
    if (found.length > 0) return { resources: found, prompts: [] };
    const known = [...new Set(resources.flatMap((resource) => toEntry(resource).status ?? []))].sort();
    const hint = `${didYouMean(nearest(wanted, known))}; there are: ${known.join(", ") || "none"}`;
    throw invalidParams(`There is no record with the status "${wanted}"${hint}`);
  }, ({ resources, prompts }, style) => {
    const documents = resources.map(toEntry).map((entry) => {
      const { uri, number, date, title } = entry;
      return [uri, number, statusText(entry, style), date, title];
    });
    const others = prompts.map((prompt) => {
      return [`prompt ${signature(prompt)}`, "", "", "", prompt.title ?? prompt.description];
    });
    // Two tables, because the widths of their columns differ.
    return [documents, others].map((rows) => rowsText(rows, style, ["uri", "", "status", "dim"])).join("");
  });
}

type Hit = DocumentEntry & { section?: string; line: number; excerpt: string; matched: readonly string[] };
type Hits = { hits: readonly Hit[]; total: number; asWords?: readonly string[] };

export function search(platform: Platform, options: Options): Promise<number> {
  const query = options.operands.join(" ");
  if (query.trim() === "") throw new UsageError("search takes words to find, such as retry budgets");
  return show(platform, options, async (client) => {
    const category = options.get("category"), status = options.get("status"), limit = options.get("limit");
    const found = await callDocumentTool<Hits>(client, "search_documents", {
      query,
      category,
      status,
      limit,
    });
    if (found.hits.length > 0) return found;
    const where = category === undefined ? "" : ` in the category "${category}"`;
    const which = status === undefined ? "" : ` with the status "${status}"`;
    throw invalidParams(`Nothing found for "${query}"${where}${which}: try other words, or run list`);
  }, ({ hits, total, asWords = [] }, style) => {
    const places = hits.map((hit) => {
      const uri = hit.section ? `${hit.uri}#${hit.section}` : hit.uri;
      const why = `found: ${hit.matched.join("; ")}`;
      return { ...hit, uri, place: `line ${hit.line}`, text: hit.excerpt, why };
    });
    const found = foundText(places, style);
    if (!style.isTable) return found;
    const phrases = asWords.map((phrase) => `"${printable(phrase)}"`).join(" and ");
    const words = phrases && `(Nothing has the phrase ${phrases}: searched for the words.)\n\n`;
    const more = total > hits.length ? `\n(${total - hits.length} more: use --limit)\n` : "";
    return words + found + more;
  });
}

/** Prints a document or a section, byte for byte. On a terminal, control characters are escaped. */
export function read(platform: Platform, options: Options): Promise<number> {
  return show(platform, options, async (client) => {
    const [, name = "", section = ""] = /^([^#]*)(#.*)?$/s.exec(options.operands[0]!)!;
    const isUri = /^[a-z][a-z\d+.-]+:/i.test(name);
    const { contents } = await client.readResource((isUri ? name : await uriOf(client, name)) + section);
    return { contents };
  }, ({ contents }, { isTable }) => {
    const texts = contents.map(({ text = "" }) => isTable ? safeText(text) : text);
    return texts.join("");
  });
}

/** The URI of the document that a number, a path or a part of a name means. Throws a `CommandError` if there is not one. */
async function uriOf(client: Client, name: string): Promise<string> {
  const resources = await collect(client.resources());
  const labelled = resources.map(({ uri }) => {
    const { category, path } = splitUri(uri);
    return { label: `${category}/${decode(path)}`, uri };
  });
  return findRecord(labelled, name).uri;
}

export async function prompt(platform: Platform, options: Options): Promise<number> {
  const [name, ...words] = options.operands;
  const args = readPairs(words);
  if (Object.values(args).filter((text) => text === "-").length > 1) {
    throw new UsageError("Only one argument of a prompt can be read from standard input");
  }
  for (const [key, text] of Object.entries(args)) args[key] = await readValue(platform, key, text);
  return await show(platform, options, async (client) => {
    const { description, messages } = await client.getPrompt(name!, args);
    return { description, messages };
  }, ({ messages }, { isTable }) =>
    messages.map(({ role, content }) => {
      const text = `${content.text?.trimEnd()}\n`;
      return `${messages.length === 1 ? "" : `--- ${role} ---\n`}${isTable ? safeText(text) : text}`;
    }).join("\n"));
}

/** The value of an argument: "@FILE" is read from a file, "-" from standard input; "@@TEXT" is the text "@TEXT". */
function readValue(platform: Platform, key: string, text: string): Promise<string> | string {
  if (text === "-") return readInput(platform);
  if (!text.startsWith("@") || text.startsWith("@@")) return text.replace(/^@/, "");
  return readTextFile(platform, text.slice(1), `the file of the argument "${key}"`);
}

/** Prints a list of links in markdown for each category, relative to its folder; for several categories, to the one above. */
export function toc(platform: Platform, options: Options): Promise<number> {
  const prefix = options.get("prefix") ?? "";
  return show(platform, options, async (client) => {
    const entries = (await collect(client.resources())).map(toEntry);
    return [...Map.groupBy(entries, ({ uri }) => splitUri(uri).category)]
      .map(([category, documents]) => ({ category, documents }));
  }, (categories) =>
    categories.map(({ category, documents }) => {
      const lines = documents.map(({ uri, title, number, status }) => {
        const text = numberedTitle(title, number).replace(/[[\]\\`*_<>]/g, "\\$&");
        const state = status === undefined || status === "accepted" ? "" : ` (${status})`;
        const folder = categories.length > 1 ? `${encodeURIComponent(category)}/` : "";
        return printable(`- [${text}](${prefix}${folder}${splitUri(uri).path}.md)${state}`);
      });
      return [`## ${printable(category)}`, "", ...lines, ""].join("\n");
    }).join("\n"));
}

export function changes(platform: Platform, options: Options): Promise<number> {
  const since = options.get("since") ?? "";
  if (!isDay(since)) {
    throw new UsageError(`changes takes a date such as --since 2026-07-28${since && `, not "${since}"`}`);
  }
  return show(platform, options, async (client) => {
    const found = (await collect(client.resources())).flatMap((resource) => {
      const entry = toEntry(resource);
      const dated = /^\d{4}-\d{2}-\d{2}/.exec(entry.date ?? "")?.[0] ?? "";
      const modified = asString(asObject(resource["annotations"])["lastModified"])?.slice(0, 10) ?? "";
      const changed = !options.has("dated") && modified > dated ? modified : dated;
      return changed < since ? [] : [{ changed, ...entry }];
    });
    return found.sort((one, two) => compare(two.changed, one.changed));
  }, (found, style) => {
    const rows = found.map((one) => [one.changed, one.uri, statusText(one, style), one.title]);
    return rowsText(rows, style, ["dim", "uri", "status", ""]);
  });
}
