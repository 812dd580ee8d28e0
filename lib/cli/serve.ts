/** The command serve: documents and prompts for one client, over standard input and output. */

import type { Platform } from "../../deps.ts";
import type { DocumentProvider } from "../documents/provider.ts";
import type { Scheme } from "../documents/uri.ts";
import type { Server, ServerOptions } from "../server/server.ts";
import type { Options } from "./main.ts";
import type { Log } from "./program.ts";
import { compact } from "../base/json.ts";
import { documentProvider, documentTools } from "../documents/provider.ts";
import { promptProvider } from "../prompts/provider.ts";
import { createServer } from "../server/server.ts";
import { protectOutput, stdioTransport } from "../transport/stream.ts";
import { createLog, foldersOf, VERSION } from "./program.ts";

const INSTRUCTIONS =
  `This server holds the architecture decisions of the team you work for: guidelines, patterns and \
architecture decision records (ADRs), as markdown resources and through tools. Before you design or change code, call \
decisions_for with the files you will touch and search_documents with the subject, read what bears on the task with \
read_document, and follow it. A record whose status is superseded or deprecated no longer holds. An ADR can \
be read by its number (architecture://adr/7), and one section of a document by its heading (…#consequences). Prompts \
review code against the patterns, suggest patterns for a problem, and draft new ADRs.`;

/** A server with its documents and prompts. */
export interface Assembly {
  readonly server: Server;
  readonly documents: DocumentProvider;
  /** Reads documents and prompts, unless they are read. */
  ready(): Promise<void>;
}

/** Builds the server that the options describe; nothing is read yet. Throws a `UsageError` for an unusable folder. */
export function assemble(
  platform: Platform,
  options: Options,
  log: Log,
  { watch, ...more }: Pick<ServerOptions, "keys" | "onhandshake"> & { readonly watch: boolean },
): Assembly {
  const { root, mounts, records } = foldersOf(platform, options);
  let warned = false;
  const files = {
    root,
    watch,
    onfinding: log.finding,
    // Documents and prompts have the same trouble with watching.
    onwarning: (message: string) => {
      if (!warned) log.write("warning", message);
      warned = true;
    },
    pollMs: options.get<number>("poll"),
  };
  const scheme = options.get<Scheme>("scheme");
  const documents = documentProvider(platform, { ...files, mounts, records, ...compact({ scheme }) });
  const prompts = promptProvider(platform, { ...files, documents });
  const server = createServer({
    info: { name: "architrave", title: "Architrave", version: VERSION },
    instructions: INSTRUCTIONS,
    resources: [documents],
    prompts: [prompts],
    tools: [documentTools(documents)],
    ...compact({ pageSize: options.get<number>("page-size") }),
    ...more,
    onfailure: log.failure,
    ontransporterror: log.transportError,
  });
  const ready = async () => {
    await documents.ready();
    await prompts.ready?.();
  };
  return { server, documents, ready };
}

/** Runs the command; 0 is the exit code. */
export async function serve(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  // Index once the handshake is answered: the client will ask for documents next.
  const onhandshake = () => void setTimeout(() => void ready(), 0);
  const { server, documents, ready } = assemble(platform, options, log, { watch: true, onhandshake });
  return await serveStdio(platform, server, log, async () => {
    await documents.ready();
    return `${documents.store.catalogue.documents.length} documents from ${options.root}`;
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
  const connection = await server.connect(stdioTransport(platform));
  platform.onInterrupt(() => connection.end());
  if (platform.interactive) {
    const what = await describe();
    platform.print(
      "error",
      `architrave ${VERSION} serves ${what} and waits for an MCP client on standard input. Press Ctrl-D to end it; ` +
        "run it with --help to see commands for people.\n",
    );
  }
  await connection.closed;
  return 0;
}
