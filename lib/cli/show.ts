/** The commands list, read, search, decisions, prompt, toc and changes, which ask the server in memory; and graph. */

import type { Platform } from "../platform/platform.ts";
import type { Client, JsonObject, Named } from "../mcp/client/mod.ts";
import type { Server } from "../mcp/server/server.ts";
import type { Folders, Options } from "./main.ts";
import type { Style } from "./text.ts";
import { toGlob } from "../formats/glob.ts";
import { asArray, asObject, asString, compact } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { compare, didYouMean, isDay, printable, uriDecoded } from "../base/text.ts";
import { connect } from "../mcp/client/connect.ts";
import { currentStatus, numberedTitle } from "../documents/metadata.ts";
import { decode, parseUri, toUri } from "../documents/uri.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { invalidParams } from "../mcp/protocol/errors.ts";
import { memoryTransports } from "../jsonrpc/transport/memory.ts";
import { emit, readInput, readTextFile, toJson } from "./io.ts";
import { UsageError, VERSION } from "./main.ts";
import { assemble } from "./serve.ts";
import { collect, colored, readPairs, rowsText, safeText, signature, styleOf } from "./text.ts";

/** Prints what the client is answered, as JSON or text; the exit code is 1 when what was asked for does not exist. */
async function show<T>(
  platform: Platform,
  options: Options,
  ask: (client: Client, folders: Folders) => Promise<T>,
  toText: (answer: T, style: Style) => string,
): Promise<number> {
  const { server, folders } = assemble(platform, options);
  const client = await connectTo(server);
  try {
    const answer = await ask(client, folders);
    return emit(platform, options, answer, () => toText(answer, styleOf(platform, options)));
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    const [operand = ""] = options.operands;
    const way = operand.startsWith("skill:")
      ? "inspect shows the skills of a server"
      : operand.includes("#")
      ? "without #, the whole document is read"
      : "list shows all URIs";
    // The server does not know what its errors are called here, and what can be done about them.
    const message = cause.message.replace(/^Resource not found$/, `$&; ${way}`)
      .replace(/^Resource not found/, () => `Resource not found: ${operand}`)
      .replace(/^There is no prompt "[^"]*"$/, "$&; list shows all prompts")
      .replace(/^The argument "(.+)" is missing$/, "$&: write $1=TEXT or $1=@FILE");
    platform.print("error", `architrave: ${safeText(message)}`);
    return 1;
  } finally {
    await client.close();
  }
}

export async function connectTo(server: Server): Promise<Client> {
  const [near, far] = memoryTransports();
  await server.connect(far);
  // It is this program's own server.
  const limits = { maxPages: Infinity, timeoutMs: Infinity, connectTimeoutMs: Infinity };
  return await connect(near, { info: { name: "architrave", version: VERSION }, era: "modern", ...limits });
}

/** A document; `notice` is what tools say of a decision that is no longer in force. */
type Entry = { uri: string; title: string; number?: number; status?: string; date?: string; notice?: string };

function toEntry({ uri, title, name, _meta }: Named): Entry {
  const { number, status, date } = asObject(asObject(_meta)["architrave/record"]);
  return compact({ uri, title: title ?? name, number, status, date }) as Entry;
}

export function list(platform: Platform, options: Options): Promise<number> {
  const wanted = options.get("status")?.toLowerCase();
  return show(platform, options, async (client, folders) => {
    const resources = await collect(client.resources());
    for (const name of folders.records) {
      if (resources.some(({ uri }) => partsOf(uri).category === name.split("/")[0])) continue;
      platform.print("error", `architrave: --records: there is no document in ${printable(name)}\n`);
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
    const documents = resources.map(toEntry)
      .map(({ uri, number, status, date, title }) => [uri, number, status, date, title]);
    const others = prompts.map((prompt) => {
      return [`prompt ${signature(prompt)}`, "", "", "", prompt.title ?? prompt.description];
    });
    // Apart, because their columns differ in width.
    return [documents, others].map((rows) => rowsText(rows, style, ["uri", "", "status", "dim"])).join("");
  });
}

/** The data of a tool's result. Throws an `RpcError` with its text when it failed. */
export async function callTool<T>(client: Client, name: string, args: JsonObject): Promise<T> {
  const result = await client.call("tools/call", { name, arguments: compact(args) });
  if (result["isError"] !== true) return result["structuredContent"] as T;
  throw invalidParams(asArray(result["content"]).map((part) => asObject(part)["text"]).join("\n"));
}

/** A row for each document, or lines on a terminal; with what is known of the place that was found. */
function foundText(documents: readonly (Entry & { place: string; text: string })[], style: Style): string {
  if (!style.isTable) {
    const rows = documents.map((one) => [one.uri, one.status, one.date, one.title, one.place, one.text]);
    return rowsText(rows, style);
  }
  return documents.map(({ uri, title, status = "", date = "", notice = "", place, text }) => {
    const known = [colored(printable(status), "status", style), printable(date)].filter(Boolean).join(", ");
    const more = [title, `${place}: ${text}`, notice].filter(Boolean).map((line) => `  ${printable(line)}\n`);
    return `${colored(printable(uri), "uri", style)}${known && ` (${known})`}\n${more.join("")}`;
  }).join("\n");
}

type Hit = Entry & { section?: string; line: number; excerpt: string };
type Hits = { hits: readonly Hit[]; total: number; asWords?: readonly string[] };

export function search(platform: Platform, options: Options): Promise<number> {
  const query = options.operands.join(" ");
  if (query.trim() === "") throw new UsageError("search takes words to find, such as retry budgets");
  return show(platform, options, async (client) => {
    const category = options.get("category"), status = options.get("status"), limit = options.get("limit");
    const found = await callTool<Hits>(client, "search_documents", { query, category, status, limit });
    if (found.hits.length > 0) return found;
    const where = category === undefined ? "" : ` in the category "${category}"`;
    const which = status === undefined ? "" : ` with the status "${status}"`;
    throw invalidParams(`Nothing found for "${query}"${where}${which}: try other words, or run list`);
  }, ({ hits, total, asWords = [] }, style) => {
    const places = hits.map((hit) => {
      const uri = hit.section ? `${hit.uri}#${hit.section}` : hit.uri;
      return { ...hit, uri, place: `line ${hit.line}`, text: hit.excerpt };
    });
    const found = foundText(places, style);
    if (!style.isTable) return found;
    const phrases = asWords.map((phrase) => `"${printable(phrase)}"`).join(" and ");
    const words = phrases && `(Nothing has the phrase ${phrases}: searched for the words.)\n\n`;
    const more = total > hits.length ? `\n(${total - hits.length} more: use --limit)\n` : "";
    return words + found + more;
  });
}

type Applying = Entry & { matched: string; paths: readonly string[]; morePaths?: number };

/** The most files of one call of the tool. */
const MAX_PATHS = 100;

export async function decisions(platform: Platform, options: Options): Promise<number> {
  const { operands } = options;
  const read = operands.includes("-") ? readPaths(await readInput(platform)) : [];
  const all = [...new Set(operands.flatMap((path) => path === "-" ? read : [path]))];
  return await show(platform, options, async (client) => {
    const found: Applying[] = [];
    for (let start = 0; start < all.length; start += MAX_PATHS) {
      const paths = all.slice(start, start + MAX_PATHS);
      let page: { documents: readonly Applying[]; nextCursor?: string } = { documents: [] };
      do {
        page = await callTool(client, "decisions_for", { paths, cursor: page.nextCursor });
        found.push(...page.documents);
      } while (page.nextCursor !== undefined);
    }
    if (found.length === 0) {
      platform.print("error", "architrave: No document says that it applies to these files (applies-to).\n");
    }
    // As the tool sorts those of one call.
    const documents = Array.from(Map.groupBy(found, ({ uri }) => uri).values(), joined).sort((one, two) =>
      Number("notice" in one) - Number("notice" in two) || bySpecificity(one, two)
    );
    return { documents };
  }, ({ documents }, style) => {
    const places = documents.map((document) => {
      const { matched, paths, morePaths } = document;
      const more = morePaths === undefined ? "" : ` and ${morePaths} more`;
      return { ...document, place: matched, text: paths.join(", ") + more };
    });
    return foundText(places, style);
  });
}

/** One document in the results of several calls: with the most specific of its patterns. */
function joined(parts: readonly Applying[]): Applying {
  const [best] = parts.toSorted(bySpecificity);
  const more = parts.reduce((sum, { morePaths = 0 }) => sum + morePaths, 0);
  const paths = parts.flatMap(({ paths }) => paths);
  return { ...best!, paths, ...compact({ morePaths: more || undefined }) };
}

const bySpecificity = (one: Applying, two: Applying): number =>
  toGlob(two.matched).specificity - toGlob(one.matched).specificity;

/** The paths of a list: lines, or separated by NUL. */
function readPaths(text: string): string[] {
  const paths = text.includes("\0") ? text.split("\0") : text.split(/\r?\n/).map(unquoted);
  return paths.filter((path) => path !== "");
}

/** Git writes unusual names in quotes, with the bytes of other alphabets in octal. */
function unquoted(line: string): string {
  const inner = /^"(.*)"$/.exec(line)?.[1];
  if (inner === undefined) return line;
  const toHex = (_: string, octal: string) => `%${parseInt(octal, 8).toString(16).padStart(2, "0")}`;
  const name = uriDecoded(encodeURIComponent(inner).replace(/%5C([0-7]{3})/g, toHex)) ?? inner;
  return name.replace(/\\(.)/g, "$1");
}

/** Prints a document byte for byte, or a section; to a terminal without control characters. */
export function read(platform: Platform, options: Options): Promise<number> {
  return show(platform, options, async (client) => {
    const { contents } = await client.readResource(options.operands[0]!);
    return { contents };
  }, ({ contents }, { isTable }) => {
    const texts = contents.map(({ text = "" }) => isTable ? safeText(text) : text);
    return texts.join("");
  });
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

/** Reads a value given as "@file", or as "-" for standard input; "@@" begins a text with "@". */
function readValue(platform: Platform, key: string, text: string): Promise<string> | string {
  if (text === "-") return readInput(platform);
  if (!text.startsWith("@") || text.startsWith("@@")) return text.replace(/^@/, "");
  return readTextFile(platform, text.slice(1), `the file of the argument "${key}"`);
}

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
  const { key } = parseUri(uri)!, slash = key.indexOf("/");
  return { category: decode(key.slice(0, slash)), path: key.slice(slash + 1) };
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
    const rows = found.map(({ changed, uri, status, title }) => [changed, uri, status, title]);
    return rowsText(rows, style, ["dim", "uri", "status", ""]);
  });
}

/** Prints the graph of all records that are related to others, or of one and those that it is related to, also through others. */
export async function graph(platform: Platform, options: Options): Promise<number> {
  const { documents } = assemble(platform, options);
  await documents.ready();
  const { catalogue } = documents.store;
  const { findRecord } = await import("./record_text.ts");
  const { relations } = await import("../pages/relations.ts");
  const { graphText } = await import("../pages/graph_text.ts");
  const around = options.get("around");
  const records = catalogue.documents.filter(({ record }) => record), all = relations(catalogue);
  const shown = around === undefined
    ? new Set(all.flatMap(({ from, to }) => [from, to]))
    : new Set([findRecord(records, around).key]);
  for (let size = 0; size < shown.size;) {
    size = shown.size;
    for (const { from, to } of all) if (shown.has(from) || shown.has(to)) shown.add(from).add(to);
  }
  const nodes = catalogue.documents.filter(({ key }) => shown.has(key));
  const edges = all.filter(({ from }) => shown.has(from));
  const uriOf = (key: string) => toUri(key, documents.scheme);
  const formats: Readonly<Record<string, () => Promise<string> | string>> = {
    mermaid: () => graphText("mermaid", nodes, edges),
    dot: () => graphText("dot", nodes, edges),
    svg: async () => (await import("../pages/graph.ts")).drawGraph(nodes, edges),
    json: () =>
      toJson({
        nodes: nodes.map((document) => {
          const { key, title, record } = document;
          return { uri: uriOf(key), number: record?.number, title, status: currentStatus(document) };
        }),
        edges: edges.map(({ from, to, kind }) => ({ from: uriOf(from), to: uriOf(to), kind })),
      }),
  };
  platform.print("output", await formats[options.get("format") ?? "mermaid"]!());
  return 0;
}
