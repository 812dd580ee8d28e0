/** The command serve: documents and prompts for one client, over standard input and output. */

import type { DirectoryEntry, FileSystem, Platform } from "../platform/platform.ts";
import type { DocumentProvider } from "../documents/provider.ts";
import type { Scheme } from "../documents/uri.ts";
import type { Tool } from "../mcp/server/tool.ts";
import type { Server } from "../mcp/server/server.ts";
import type { ServerOptions } from "../mcp/server/services.ts";
import type { Folders, Log, Options } from "./main.ts";
import { nextTurn } from "../base/async.ts";
import { compact } from "../base/json.ts";
import { attempt, count } from "../base/text.ts";
import { documentProvider, documentTools } from "../documents/provider.ts";
import { APPS, showsApps, SKILLS } from "../mcp/protocol/methods.ts";
import { promptProvider } from "../documents/prompts/provider.ts";
import { createServer } from "../mcp/server/server.ts";
import { protectOutput } from "../jsonrpc/transport/protect_output.ts";
import { stdioTransport } from "../jsonrpc/transport/stdio.ts";
import { createLog, foldersOf, foldersText, noteSample, VERSION } from "./main.ts";

/** The most folders of a category and categories that instructions count, and for how long they are the same. */
const MAX_FOLDERS = 200, MAX_CATEGORIES = 20, FRESH_MS = 1000;

/** What a model should know, by the names of the files that the folders hold now: nothing is read for a handshake. */
function instructionsFor(files: FileSystem, folders: Folders, scheme: Scheme, hidden: readonly string[]) {
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
    return count === 0 ? [] : `${category} (${count}${isCut ? " or more" : ""})`;
  });
  if (categories.length > MAX_CATEGORIES) counts.push("and more");
  const found = counts.join(", ") || "none yet";
  const form = `${start}{category}/{path}${end}`;
  const held = `as markdown resources (${form}) and through tools. It has these documents: ${found}.`;
  const section = `One section of a document is read by its heading (…#consequences)${record}.`;
  if (isSample) {
    return `This server was started without a folder, so it serves the sample that comes with Architrave, ${held} They \
are not decisions of the user's team: show with them what the server can do, and do not follow them. The user serves other \
documents with --root DIR or --mount NAME=DIR. ${section}`;
  }
  const prompts =
    "Prompts review code against the documents, suggest patterns for a problem, and draft new decision records.";
  return `This server holds the guidelines, patterns and decision records of the team you work for, ${held} Before you \
design or change code, call decisions_for with the files you will touch and search_documents with the subject, read what \
bears on the task with read_document, and follow it. A record whose status is superseded or deprecated no longer holds. \
${section} ${fallback === undefined ? "" : prompts}`.trimEnd();
}

function countDocuments(files: FileSystem, folders: string[]) {
  let count = 0, numbered = 0;
  // The folders that are found are counted, too.
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

/** What clients that show apps show documents in, and the tool that it calls. */
const VIEW = "ui://architrave/documents", OVERVIEW = "document_overview";

async function defineOverview(documents: DocumentProvider): Promise<Tool[]> {
  const { defineTool } = await import("../mcp/server/tool.ts");
  return [defineTool({
    name: OVERVIEW,
    title: "Count and draw architecture documents",
    description: "Counts documents by status, and draws the graph of decisions, for the view of documents.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ui: { resourceUri: VIEW, visibility: ["app"] },
    handler: async (_, { access }) => (await import("../pages/app.ts")).overview(documents, access),
  })];
}

/**
 * Builds the server that the options describe; nothing is read before `ready`. Without a log, it is for a command that answers
 * once: files are not watched, only errors are logged, and the sample is noted. Throws a `UsageError` for an unusable folder.
 */
export function assemble(
  platform: Platform,
  options: Options,
  given?: Log,
  more: Pick<ServerOptions, "keys" | "onhandshake" | "scopes"> = {},
): { server: Server; documents: DocumentProvider; folders: Folders; ready(): Promise<void> } {
  const log = given ?? createLog(platform, options, "error");
  const folders = foldersOf(platform, options);
  if (!given) noteSample(platform, folders);
  const { root, mounts, records, fallback } = folders;
  const source = { files: log.traced(platform.files) };
  let warned = false;
  const files = {
    root,
    watch: given !== undefined,
    onfinding: log.finding,
    // Documents and prompts both warn that they cannot be watched; one warning is enough.
    onwarning: (message: string) => {
      if (!warned) log.write("warning", message);
      warned = true;
    },
    pollMs: options.get<number>("poll"),
  };
  const scheme = options.get<Scheme>("scheme");
  const documents = documentProvider(source, { ...files, mounts, records, ...compact({ scheme }) });
  const prompts = promptProvider(source, { ...files, fallback, documents });
  const skills = { ...files, documents, prompts };
  const hidden = Object.keys(more.scopes?.categories ?? {});
  let instructions = "", readAt = 0;
  const server = createServer({
    info: { name: "architrave", title: "Architrave", version: VERSION },
    get instructions() {
      // Node takes a millisecond to load `performance`, and this clock may be set back.
      if (Math.abs(Date.now() - readAt) > FRESH_MS) {
        instructions = instructionsFor(platform.files, folders, documents.scheme, hidden);
        readAt = Date.now();
      }
      return instructions;
    },
    resources: [documents],
    prompts: [prompts],
    extensions: [
      // The sample is not to be followed.
      ...folders.isSample ? [] : [{
        ...SKILLS,
        load: async () => (await import("../documents/skills/store.ts")).skillHandlers(source.files, skills),
      }],
      {
        ...APPS,
        accepts: showsApps,
        load: async () => (await import("../pages/app.ts")).viewHandlers(VIEW),
      },
    ],
    tools: [documentTools(documents, VIEW), { names: [OVERVIEW], load: () => defineOverview(documents) }],
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

export async function serve(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  // The client will ask for documents next, and for prompts when that is answered. Each answer goes first.
  const readAhead = async () => {
    await nextTurn();
    await documents.ready();
    await nextTurn();
    setTimeout(() => void ready(), 100);
  };
  const onhandshake = () => void readAhead();
  const { server, documents, folders, ready } = assemble(platform, options, log, { onhandshake });
  return await serveStdio(platform, server, log, async () => {
    await documents.ready();
    const text = foldersText(folders);
    const { length } = documents.store.catalogue.documents;
    return folders.isSample ? text : `${count(length, "document")} from ${text}`;
  });
}

/** Serves one client over the standard streams until it closes its side. `describe` is for people on a terminal. */
export async function serveStdio(
  platform: Platform,
  server: Server,
  log: Log,
  describe: () => Promise<string> | string,
): Promise<number> {
  protectOutput();
  platform.onUncaught(log.uncaught);
  // Read once: Deno 2.0 cannot tell it of a closed input.
  const { interactive } = platform;
  const terminal = interactive ? await import("./io.ts") : undefined;
  const streams = terminal?.typedStreams(platform) ?? platform;
  const connection = await server.connect(stdioTransport(streams));
  platform.onInterrupt(() => connection.end());
  if (terminal) platform.print("error", terminal.greeting(await describe()));
  await connection.closed;
  log.end();
  return 0;
}
