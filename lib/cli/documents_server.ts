/** The server of documents and prompts, as the options describe it. */

import type { DocumentProvider, Scheme } from "../documents/mod.ts";
import type { Server } from "../mcp/server/server.ts";
import type { ServerOptions } from "../mcp/server/services.ts";
import type { Platform } from "../platform/platform.ts";
import type { Folders } from "./folders.ts";
import type { Log } from "./log.ts";
import type { Options } from "./options.ts";
import { compact } from "../base/json.ts";
import { promptProvider } from "../documents/prompts/provider.ts";
import { documentProvider, documentTools } from "../documents/provider.ts";
import { APPS, showsApps, SKILLS } from "../mcp/protocol/methods.ts";
import { createServer } from "../mcp/server/server.ts";
import { foldersOf } from "./folders.ts";
import { instructionsFor } from "./instructions.ts";
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
interface More extends Pick<ServerOptions, "keys" | "limitsTools" | "onhandshake" | "scopes"> {
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
  const { root, mounts, records, fallback, isSample } = folders;
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
  const documents = documentProvider(source, { ...files, mounts, records, ...compact({ scheme }) });
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
