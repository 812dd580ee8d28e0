/** How are the parts put together? The one place where options become a server. */

import type { Platform } from "../../deps.ts";
import type { DocumentProvider } from "../documents/provider.ts";
import type { Reloadable } from "../prompts/provider.ts";
import type { PromptProvider } from "../server/provider.ts";
import type { Server } from "../server/server.ts";
import type { ServerOptions } from "../server/server_options.ts";
import type { Log } from "./log.ts";
import type { Options } from "./options.ts";
import { documentProvider, documentTools } from "../documents/provider.ts";
import { promptProvider } from "../prompts/provider.ts";
import { createServer } from "../server/server.ts";
import { requireFolders } from "./folders.ts";
import { VERSION } from "./version.ts";

const INSTRUCTIONS =
  `This server holds the architecture decisions of the team you work for: guidelines, patterns and \
architecture decision records (ADRs), as markdown resources and through tools. Before you design or change code, call \
decisions_for with the files you will touch and search_documents with the subject, read what bears on the task with \
read_document, and follow it. A record whose status is superseded or deprecated no longer holds. An ADR can \
be read by its number (architecture://adr/7), and one section of a document by its heading (…#consequences). Prompts \
review code against the patterns, suggest patterns for a problem, and draft new ADRs.`;

/** A server and its parts. */
export interface Assembly {
  readonly server: Server;
  readonly documents: DocumentProvider;
  readonly prompts: PromptProvider & Reloadable;
}

/**
 * Builds the server that the options describe. Nothing is read yet but whether the folders are there.
 *
 * @param root Where the documents are.
 * @param more What the server is given besides.
 * @throws {UsageError} When a folder is not there.
 */
export function assemble(
  platform: Platform,
  options: Options,
  root: string,
  log: Log,
  more: Pick<ServerOptions, "keys" | "onanswer"> = {},
): Assembly {
  requireFolders(platform, options, root);
  const { mounts, scheme, poll } = options;
  const files = {
    root,
    onfinding: log.finding,
    onwarning: once((message) => log.write("warning", message)),
    // Commands are over before anything can change.
    watch: options.command === "serve" || options.command === "http",
    pollMs: poll,
  };
  const documents = documentProvider(platform, { ...files, mounts, scheme });
  const prompts = promptProvider(platform, { ...files, documents });
  const server = createServer({
    info: { name: "architrave", title: "Architrave", version: VERSION },
    instructions: INSTRUCTIONS,
    resources: [documents],
    prompts: [prompts],
    tools: [documentTools(documents)],
    ...(options.pageSize === undefined ? {} : { pageSize: options.pageSize }),
    ...more,
    onfailure: (cause, reference) =>
      log.write("error", `A request failed: ${describe(cause)}`, { reference }),
    ontransporterror: (error) => log.write("debug", `The carrier reports: ${error.message}`),
  });
  return { server, documents, prompts };
}

/** Takes the first message and no other: documents and prompts meet the same trouble. */
function once(take: (message: string) => void): (message: string) => void {
  let isTaken = false;
  return (message) => {
    if (!isTaken) take(message);
    isTaken = true;
  };
}

/** What an operator needs of an error: the stack, which never leaves this machine. */
export function describe(cause: unknown): string {
  const text = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  return text.replaceAll(/\s*\n\s*/g, " | ");
}
