/** The command serve: documents and prompts for one client, over standard input and output. */

import type { Server } from "../mcp/server/server.ts";
import type { Platform } from "../platform/platform.ts";
import type { Log } from "./log.ts";
import type { Options } from "./options.ts";
import { nextTurn } from "../base/async.ts";
import { protectOutput } from "../jsonrpc/transport/protect_output.ts";
import { stdioTransport } from "../jsonrpc/transport/stream.ts";
import { assemble } from "./documents_server.ts";
import { createLog } from "./log.ts";

/** Time between the first answer and the reading of prompts, in milliseconds. */
const PROMPTS_AFTER_MS = 100;

export async function serve(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  // After the handshake, clients ask for documents, and then for prompts. An answer is sent before the next files are read.
  const readAhead = async () => {
    await nextTurn();
    await documents.ready();
    await nextTurn();
    setTimeout(() => void ready(), PROMPTS_AFTER_MS);
  };
  const onhandshake = () => void readAhead();
  const { server, documents, folders, ready } = await assemble(platform, options, log, { onhandshake });
  return await serveStreams(platform, server, log, async () => {
    await documents.ready();
    const { servedText } = await import("./folder_text.ts");
    return servedText(folders, documents.store.catalogue.documents.length);
  });
}

/** How long requests may take after a signal, in milliseconds. */
const INTERRUPT_MS = 1000;

/** Returns the exit code, 1 if a request was given up, when the client closes its side. `describe` says what is served, to people at a terminal. */
export async function serveStreams(
  platform: Platform,
  server: Server,
  log: Log,
  describe: () => Promise<string> | string,
): Promise<number> {
  protectOutput();
  platform.onUncaught(log.uncaught);
  // Read now: Deno 2.0 cannot tell whether a closed input was a terminal.
  const { interactive } = platform;
  const terminal = interactive ? await import("./terminal.ts") : undefined;
  const streams = terminal?.typedStreams(platform) ?? platform;
  const connection = await server.connect(stdioTransport(streams));
  platform.onInterrupt(() => connection.end(INTERRUPT_MS));
  if (terminal) platform.print("error", terminal.greeting(await describe()));
  await connection.closed;
  log.end();
  return connection.givenUp > 0 ? 1 : 0;
}
