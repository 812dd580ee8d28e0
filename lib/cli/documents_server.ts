/** The server of documents and prompts, as the options describe it. */

import type { DocumentProvider, Scheme } from "../documents/mod.ts";
import type { Server } from "../mcp/server/server.ts";
import type { ServerOptions } from "../mcp/server/options.ts";
import type { DirectoryEntry, FileSystem, Platform } from "../platform/platform.ts";
import type { Folders } from "./folders.ts";
import type { Log } from "./log.ts";
import type { Options } from "./options.ts";
import { compact } from "../base/json.ts";
import { attempt, printable } from "../base/text.ts";
import { promptProvider } from "../documents/prompts/provider.ts";
import { documentProvider, documentTools } from "../documents/provider.ts";
import { APPS, showsApps, SKILLS } from "../mcp/protocol/methods.ts";
import { createServer } from "../mcp/server/server.ts";
import { foldersOf } from "./folders.ts";
import { PARTS, VERSION } from "./this_copy.ts";

/** The resource that clients with support for apps show documents in. */
const VIEW = "ui://architrave/documents";
/** The tool that this view calls. */
const OVERVIEW = "document_overview";
/** Time until the instructions are made anew, in milliseconds. */
const FRESH_MS = 1000;

/** A server, and what it serves. */
export interface DocumentsServer {
  readonly server: Server;
  readonly documents: DocumentProvider;
  readonly folders: Folders;
  /** Reads the documents and prompts. */
  ready(): Promise<void>;
}

/** Options of a server that do not come from the command line. */
interface More extends Pick<ServerOptions, "keys" | "limitsTools" | "onhandshake" | "onmeasure" | "scopes"> {
  /** Whether files are watched. @default {true} */
  readonly watch?: boolean;
}

/** Builds the server. No document is read before `ready`. Throws a `UsageError` for a folder that cannot be used. */
export async function assemble(
  platform: Platform,
  options: Options,
  log: Log,
  { watch = true, ...more }: More = {},
): Promise<DocumentsServer> {
  const folders = foldersOf(platform, options);
  const { root, mounts, records, fallback, isSample, words } = folders;
  const traced = log.isVerbose ? await import("./traced_files.ts") : undefined;
  const source = { files: traced?.tracedFiles(platform.files, log) ?? platform.files };
  let warned = false;
  const files = {
    root,
    watch,
    onfinding: log.finding,
    // Documents and prompts both warn that they cannot be watched. One warning is enough.
    onwarning: (message: string) => {
      if (!warned) log.write("warning", message);
      warned = true;
    },
    pollMs: options.get<number>("poll"),
  };
  const scheme = options.get<Scheme>("scheme");
  const documents = documentProvider(source, { ...files, mounts, records, ...compact({ scheme, words }) });
  const prompts = promptProvider(source, { ...files, fallback, documents });
  const hasTools = PARTS.includes("search"), isWhole = PARTS.includes("commands");
  const hidden = Object.keys(more.scopes?.categories ?? {});
  const subject = { scheme: documents.scheme, hidden, hasTools };
  const skills = {
    ...SKILLS,
    load: async () => {
      const { skillHandlers } = await import("../documents/skills/store.ts");
      return skillHandlers(source.files, { ...files, documents, prompts });
    },
  };
  const views = {
    ...APPS,
    accepts: showsApps,
    load: async () => (await import("../pages/app.ts")).viewHandlers(VIEW),
  };
  const overview = {
    names: [OVERVIEW],
    load: async () => [(await import("./overview.ts")).defineOverview(documents, OVERVIEW, VIEW)],
  };
  let instructions = "", readAt = 0;
  const server = createServer({
    info: { name: "architrave", title: "Architrave", version: VERSION },
    get instructions() {
      // Not `performance`, which Node takes a millisecond to load. This clock may be set back.
      if (Math.abs(Date.now() - readAt) > FRESH_MS) {
        instructions = instructionsFor(platform.files, folders, subject);
        readAt = Date.now();
      }
      return instructions;
    },
    resources: [documents],
    prompts: [prompts],
    // The sample is not to be followed, so it has no skills.
    extensions: !isWhole ? [] : isSample ? [views] : [skills, views],
    tools: isWhole ? [documentTools(documents, VIEW), overview] : hasTools ? [documentTools(documents)] : [],
    ...compact({ pageSize: options.get<number>("page-size") }),
    ...more,
    ...log.hooks,
  });
  const ready = async () => {
    await documents.ready();
    await prompts.ready?.();
  };
  return { server, documents, folders, ready };
}

/** Maximum number of folders of a category that are counted. */
const MAX_FOLDERS = 200;
/** Maximum number of categories that are named. */
const MAX_CATEGORIES = 20;

/** What the instructions are about, in addition to the folders. */
interface Subject {
  readonly scheme: Scheme;
  /** Categories that only some clients may see. */
  readonly hidden: readonly string[];
  /** Whether the server has the tools that find and read documents. */
  readonly hasTools: boolean;
}

/** What the server tells a model in the handshake. It goes by the names of files: nothing is read before the first answer. */
function instructionsFor(
  files: FileSystem,
  folders: Folders,
  { scheme, hidden, hasTools }: Subject,
): string {
  const { root, mounts, fallback, isSample } = folders;
  const resources = `${root}/resources`;
  const own = (root === undefined ? [] : entriesOf(files, resources))
    .filter(({ name, kind }) => kind === "directory" && !mounts.some((mount) => mount.name === name))
    .map(({ name }) => ({ name, path: `${resources}/${name}` }));
  // A mount is a category, or a folder in one.
  const categories = [...Map.groupBy([...mounts, ...own], ({ name }) => name.split("/", 1)[0]!)]
    .filter(([name]) => !hidden.includes(name)).sort();
  const [start, end] = scheme === "file" ? ["file:///", ".md"] : ["architecture://", ""];
  let record = "";
  const counts = categories.slice(0, MAX_CATEGORIES).flatMap(([category, places]) => {
    const { count, numbered, isCut } = countDocuments(files, places.map(({ path }) => path));
    if (record === "" && numbered > count / 2) {
      record = `, a decision record by its number (${start}${category}/7${end})`;
    }
    return count === 0 ? [] : `${printable(category)} (${count}${isCut ? " or more" : ""})`;
  });
  if (categories.length > MAX_CATEGORIES) counts.push("and more");
  const form = `${start}{category}/{path}${end}`;
  const held = `as markdown resources (${form})${hasTools ? " and through tools" : ""}. \
It has these documents: ${counts.join(", ") || "none yet"}.`;
  const section = `One section of a document is read by its heading (…#consequences)${record}.`;
  if (isSample) {
    return `This server was started without a folder, so it serves the sample that comes with Architrave, ${held} They \
are not decisions of the user's team: show with them what the server can do, and do not follow them. The user serves other \
documents with --root DIR or --mount NAME=DIR. ${section}`;
  }
  const way = hasTools
    ? "call decisions_for with the files you will touch and search_documents with the subject, read what bears on the task with \
read_document, and follow it"
    : "read what bears on the task, and follow it";
  const prompts =
    "Prompts review code against the documents, suggest patterns for a problem, and draft new decision records.";
  return `This server holds the guidelines, patterns and decision records of the team you work for, ${held} Before you \
design or change code, ${way}. A record whose status is superseded or deprecated no longer holds. \
${section} ${fallback === undefined ? "" : prompts}`.trimEnd();
}

function countDocuments(files: FileSystem, folders: string[]) {
  let count = 0, numbered = 0;
  // The loop also visits the folders that it adds.
  for (const [index, path] of folders.entries()) {
    if (index >= MAX_FOLDERS) return { count, numbered, isCut: true };
    for (const { name, kind } of entriesOf(files, path)) {
      if (kind === "directory") folders.push(`${path}/${name}`);
      else if (/\.md$/i.test(name)) {
        count++;
        if (/^(?:adr-?)?\d+[-_. ]/i.test(name)) numbered++;
      }
    }
  }
  return { count, numbered, isCut: false };
}

function entriesOf(files: FileSystem, path: string): DirectoryEntry[] {
  const entries = attempt(() => files.list(path)) ?? [];
  return entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
}
