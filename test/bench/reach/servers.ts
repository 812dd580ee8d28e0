/** The servers that are measured, and how each of them is asked. */
import { execFileSync } from "node:child_process";
import { join, relative } from "node:path";
import type { ServerProcess } from "../process.ts";

/** Documents in a repository. */
export interface Folder {
  name: string;
  /** The root of the repository. */
  repository: string;
  /** The folder of its documents. */
  documents: string;
  /** The options with which the program serves them. */
  options: string[];
  toUri(document: string): string;
}

type Result = Record<string, unknown>;
type Call = { name: string; arguments: unknown };

/** One kind of server. */
export interface ServerKind {
  name: string;
  /** Whether it can serve the folder at all. */
  serves(folder: Folder): boolean;
  start(folder: Folder): { command: string; args: string[] };
  /** The list of skills that a client shows to a model; undefined when there are none. */
  skills?(server: ServerProcess): Promise<string | undefined>;
  /** What a model may search for; the first query with the document among the first hits counts. */
  queries(question: string): string[];
  search(query: string, folder: Folder, path?: string): Call;
  read(document: string, folder: Folder): Call;
  /** The names of the documents that were found, the best first. */
  hits(result: Result, folder: Folder): string[];
  nameOf(document: string, folder: Folder): string;
  /** What a model is shown of an answer. */
  shown(result: Result): string;
}

const textOf = ({ content }: Result): string =>
  (content as { text?: string }[]).map(({ text = "" }) => text).join("\n");

/** The member at a path of a value. */
function at<T>(value: unknown, ...path: string[]): T | undefined {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value) as T;
}

/** Revisions before 2026-07-28 have no extensions. */
const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "reach", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/skills": {} } },
  },
};

export function architrave(program: string, flags: readonly string[]): ServerKind {
  return {
    name: "Architrave",
    serves: () => true,
    start: ({ options }) => ({ command: process.execPath, args: [...flags, program, ...options] }),
    async skills(server) {
      const discovered = await server.request<Result>("server/discover", MODERN);
      if (!at(discovered, "capabilities", "extensions", "io.modelcontextprotocol/skills")) return undefined;
      const { skills } = await server.request<{ skills: { frontmatter: { name: string; description: string } }[] }>("skills/list", MODERN);
      return skills.map(({ frontmatter: { name, description } }) => `- ${name}: ${description}`).join("\n");
    },
    queries: (question) => [question],
    search: (query, _folder, path) => ({ name: "search_documents", arguments: { query, path } }),
    read: (document, folder) => ({ name: "read_document", arguments: { uri: folder.toUri(document) } }),
    hits: (result) => (at<{ uri: string }[]>(result, "structuredContent", "hits") ?? []).map(({ uri }) => uri),
    nameOf: (document, folder) => folder.toUri(document),
    shown: textOf,
  };
}

/** It reads records with front matter of its own, and finds the exact text of a query, so any one word of a question may do. */
export function adrkit([command = "", ...first]: readonly string[]): ServerKind {
  const idOf = (document: string): string => /^\d+/.exec(document)?.[0] ?? document;
  return {
    name: "adrkit",
    serves: ({ name }) => name === "adrkit",
    start: ({ repository, documents }) => ({
      command,
      args: [...first, "--cwd", repository, "--dir", relative(repository, documents)],
    }),
    queries: (question) => [question, ...new Set(question.match(/[\p{L}\p{N}]{4,}/gu) ?? [])],
    search: (query) => ({ name: "search_decisions", arguments: { query } }),
    read: (document) => ({ name: "get_decision", arguments: { ref: idOf(document) } }),
    hits: (result) => (at<{ id: string }[]>(result, "structuredContent", "result", "items") ?? []).map(({ id }) => id),
    nameOf: idOf,
    // The text counts the results only.
    shown: (result) => JSON.stringify(result["structuredContent"]),
  };
}

/** Without a model for embeddings it searches the words. */
export function docsMcpServer(command: readonly string[], folders: string): ServerKind {
  // Both are settings of the server: files below this folder may be read, and no browser is downloaded.
  const settings = [`DOCS_MCP_SCRAPER_SECURITY_FILE_ACCESS_ALLOWED_ROOTS=["${folders}"]`, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1"];
  const options = ["--store-path", join(folders, "docs-mcp-server"), "--telemetry", "false"];
  const toUrl = (document: string, { documents }: Folder): string => `file://${documents}/${document}`;
  return {
    name: "docs-mcp-server",
    serves: () => true,
    start({ name, documents }) {
      const scrape = ["scrape", name, `file://${documents}`, "--max-pages", "5000", "--max-depth", "9"];
      execFileSync("env", [...settings, ...command, ...scrape, ...options], { stdio: "ignore", timeout: 300_000 });
      return { command: "env", args: [...settings, ...command, "--protocol", "stdio", ...options] };
    },
    queries: (question) => [question],
    search: (query, { name }) => ({ name: "search_docs", arguments: { library: name, query } }),
    read: (document, folder) => ({ name: "fetch_url", arguments: { url: toUrl(document, folder) } }),
    hits: (result) => [...new Set(Array.from(textOf(result).matchAll(/file:\/\/\S+\.md/g), ([url]) => decodeURIComponent(url)))],
    nameOf: toUrl,
    shown: textOf,
  };
}
